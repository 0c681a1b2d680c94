#include "model/lattice/body.h"

#include <math.h>
#include <string.h>

SinewStatus sn_lattice_tree_create(SnLattice *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->mesh;
    SnBox *boxes = NULL;

    SN_ALLOC(boxes, &body->allocator, mesh->hex_count, error);
    for (int e = 0; e < mesh->hex_count; ++e) {
        boxes[e] = sn_box_empty();
        for (int c = 0; c < 8; ++c) {
            sn_box_add_point(&boxes[e],
                             mesh->positions + 3 * (size_t)mesh->hexes[8 * (size_t)e + (size_t)c]);
        }
    }
    SN_TRY(sn_element_tree_create(boxes, mesh->hex_count, body->workers, &body->allocator,
                                  &body->tree, error));

done:
    sn_free(&body->allocator, boxes);
    return status;
}

// Coordinates along the grid's axes, in cells, of an unplaced point.
static void find_coordinates(const SnLattice *body, const double X[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        int axis = (body->last_axis + 1 + k) % 3;
        out[k] = (X[axis] - body->origin[axis]) / body->h;
    }
}

// The nearest cell, and how far it is. The first in the tree's order among equals.
static int find_cell(const SnLattice *body, const double X[3], const double at[3],
                     double *out_distance)
{
    SnElementApproach approach;
    double best = INFINITY;
    int found = 0, place;
    sn_element_approach(body->tree, X, &approach);
    while (best > 0.0 && (place = sn_element_approach_next(&approach, best * best)) >= 0) {
        int cell = body->tree->items[place];
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double from = at[k] - body->places[3 * cell + k];
            double out = fmax(fmax(-from, from - 1.0), 0.0);
            out = out < 1e-9 ? 0.0 : out;
            square += out * out;
        }
        double distance = body->h * sqrt(square);
        if (distance < best) {
            best = distance;
            found = cell;
        }
    }
    *out_distance = best;
    return found;
}

// Trilinear weights; corner c is at (c >> 2 & 1, c >> 1 & 1, c & 1) along the given coordinates.
static void find_weights(const double u[3], double out[8])
{
    for (int c = 0; c < 8; ++c) {
        double w = 1.0;
        for (int k = 0; k < 3; ++k) {
            w *= c >> (2 - k) & 1 ? u[k] : 1.0 - u[k];
        }
        out[c] = w;
    }
}

static void locate_unplaced(const void *context, const double X[3], SnPointPlace *out)
{
    const SnLattice *body = context;
    double at[3], own[3];
    find_coordinates(body, X, at);
    out->element = find_cell(body, X, at, &out->distance);
    // Vertices of a cell are in the order of the body's axes, not the grid's.
    for (int k = 0; k < 3; ++k) {
        own[(body->last_axis + 1 + k) % 3] = at[k] - body->places[3 * out->element + k];
    }
    find_weights(own, out->weights);
}

static void locate(const void *context, const double X[3], SnPointPlace *out)
{
    const SnLattice *body = context;
    double unplaced[3];
    sn_affine_apply(&body->back, X, unplaced);
    locate_unplaced(body, unplaced, out);
}

// The corners and weights of an unplaced point on each level: those of the cell there that holds
// its own.
static void find_sites(const SnLattice *body, const double X[3], int point, SnLatticePoints *points)
{
    const int *place = body->places + 3 * (size_t)points->set.elements[point];
    double at[3];
    find_coordinates(body, X, at);
    for (int k = 0; k < 3; ++k) {
        at[k] -= place[k];
    }
    for (int l = 0; l < body->multigrid.level_count; ++l) {
        sn_lattice_grid_site(&body->multigrid.levels[l].grid, l, place, at,
                             &points->sites[l][point]);
    }
}

// What a set has besides its points: sites on each level, and the room of springs.
static SinewStatus make_sites(const SnLattice *body, int count, SnLatticePoints *points,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    SN_ALLOC(points->spring_points, allocator, count, error);
    SN_ALLOC(points->spring_stiffness, allocator, 9 * (size_t)count, error);
    for (int l = 0; l < body->multigrid.level_count; ++l) {
        SN_ALLOC(points->sites[l], allocator, count, error);
    }
done:
    return status;
}

static SinewStatus find_points(const SnLattice *body, const double *rest, int count, bool is_placed,
                               void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    SnPointFinder finder = {body->name, body->mesh->hexes, 8, is_placed ? locate : locate_unplaced,
                            body};
    SnLatticePoints *points = NULL;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, allocator, 1, error);
    SN_TRY(sn_point_set_find(&finder, rest, count, allocator, &points->set, error));
    SN_TRY(make_sites(body, count, points, error));
    for (int p = 0; p < count; ++p) {
        double X[3];
        memcpy(X, rest + 3 * (size_t)p, sizeof X);
        if (is_placed) {
            sn_affine_apply(&body->back, X, X);
        }
        find_sites(body, X, p, points);
    }
    *out_points = points;
    points = NULL;

done:
    sn_lattice_points_destroy(body, points);
    return status;
}

SinewStatus sn_lattice_points_create(const void *body, const double *rest, int count,
                                     void **out_points, SinewError *error)
{
    return find_points(body, rest, count, true, out_points, error);
}

SinewStatus sn_lattice_points_create_unplaced(const void *body, const double *unplaced, int count,
                                              void **out_points, SinewError *error)
{
    return find_points(body, unplaced, count, false, out_points, error);
}

SinewStatus sn_lattice_points_join(const void *body_, const SnPointPart *parts, int part_count,
                                   void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnLattice *body = body_;
    const SinewAllocator *allocator = &body->allocator;
    SnLatticePoints *points = NULL;
    int place = 0;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, allocator, 1, error);
    SN_TRY(sn_point_set_join_into(parts, part_count, 8, allocator, &points->set, error));
    SN_TRY(make_sites(body, points->set.count, points, error));
    for (int i = 0; i < part_count; ++i) {
        const SnLatticePoints *from = parts[i].points;
        for (int p = 0; p < parts[i].count; ++p, ++place) {
            int index = parts[i].indices != NULL ? parts[i].indices[p] : p;
            for (int l = 0; l < body->multigrid.level_count; ++l) {
                points->sites[l][place] = from->sites[l][index];
            }
        }
    }
    *out_points = points;
    points = NULL;

done:
    sn_lattice_points_destroy(body, points);
    return status;
}

void sn_lattice_points_destroy(const void *body_, void *points_)
{
    const SnLattice *body = body_;
    SnLatticePoints *points = points_;
    if (points == NULL) {
        return;
    }
    for (int l = 0; l < SN_LATTICE_LEVELS_MAX; ++l) {
        sn_free(&body->allocator, points->sites[l]);
    }
    sn_point_set_release(&points->set, &body->allocator);
    sn_free(&body->allocator, points->spring_points);
    sn_free(&body->allocator, points->spring_stiffness);
    sn_free(&body->allocator, points);
}

void sn_lattice_points_place(const void *body_, const void *points, double *out_x, double *out_v)
{
    const SnLattice *body = body_;
    sn_point_set_blend(points, body->state.positions, out_x);
    if (out_v != NULL) {
        sn_point_set_blend(points, body->state.velocities, out_v);
    }
}

const SnLatticeSprings *sn_lattice_points_springs(const SnPointForces *contacts)
{
    // The model made these points, and their room is its own.
    SnLatticePoints *points = (SnLatticePoints *)(uintptr_t)contacts->points;
    SnLatticeSprings *springs = &points->springs;
    *springs = (SnLatticeSprings){.points = points->spring_points,
                                  .stiffness = points->spring_stiffness,
                                  .sites = points->sites};
    for (int n = 0; n < points->set.active_count; ++n) {
        int p = points->set.active[n];
        const double *k = points->set.forces[p].stiffness;
        bool any = false;
        for (int i = 0; i < 9; ++i) {
            points->spring_stiffness[9 * (size_t)springs->count + (size_t)i] = (float)k[i];
            any = any || k[i] != 0.0;
        }
        if (any) {
            points->spring_points[springs->count++] = p;
        }
    }
    return springs->count > 0 ? springs : NULL;
}
