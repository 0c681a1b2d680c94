#include "model/tetmg/levels.h"

#include "geometry/point_location.h"

#include <math.h>
#include <string.h>

// The largest share of a corner that a row beyond a mesh may have: more is the work of a flat tet.
#define WEIGHT_MAX 100.0

// Both kinds -------------------------------------------------------------------------------------

static SinewStatus make_room(SnTetmgLevel *level, const SinewAllocator *allocator,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(level->parents, allocator, 4 * (size_t)level->count, error);
    SN_ALLOC(level->weights, allocator, 4 * (size_t)level->count, error);
    SN_ALLOC(level->full, allocator, 4 * (size_t)level->count, error);
done:
    return status;
}

// Parents are places so far. Numbers those in use, which become the next level's rows: *out_number
// has -1 for the others.
static SinewStatus number_places(SnTetmgLevel *level, SnTetmgLevel *next, int places,
                                 const SinewAllocator *allocator, int **out_number,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *number = NULL;
    SN_ALLOC_ZERO(number, allocator, places, error);
    *out_number = number;
    for (int r = 0; r < level->count; ++r) {
        int *parents = level->parents + 4 * r;
        int some = parents[0];
        for (int k = 0; k < 4; ++k) {
            some = level->full[4 * r + k] != 0.0f ? parents[k] : some;
        }
        for (int k = 0; k < 4; ++k) { // what counts for nothing is no parent of its own
            parents[k] = level->full[4 * r + k] != 0.0f ? parents[k] : some;
            number[parents[k]] = 1;
        }
    }
    for (int p = 0; p < places; ++p) {
        number[p] = number[p] != 0 ? next->count++ : -1;
    }
    SN_ALLOC(next->rest, allocator, 3 * (size_t)next->count, error);
    for (int i = 0; i < 4 * level->count; ++i) {
        level->parents[i] = number[level->parents[i]];
        level->weights[i] = level->full[i];
    }
done:
    return status;
}

// Lattices ---------------------------------------------------------------------------------------

SnTetmgLattice sn_tetmg_lattice_coarsen(const SnTetmgLattice *fine)
{
    SnTetmgLattice lattice = {.spacing = 2.0 * fine->spacing, .is_nested = true};
    for (int k = 0; k < 3; ++k) {
        lattice.origin[k] = fine->origin[k];
        lattice.cells[k] = (fine->cells[k] + 1) / 2;
    }
    return lattice;
}

void sn_tetmg_lattice_find(const SnTetmgLevel *level, SnTetmgLattice *lattice)
{
    double low[3], high[3], places;
    for (int k = 0; k < 3; ++k) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int r = 0; r < level->count; ++r) {
            low[k] = fmin(low[k], level->rest[3 * r + k]);
            high[k] = fmax(high[k], level->rest[3 * r + k]);
        }
    }
    for (;; lattice->spacing *= 2.0) {
        places = 1.0;
        for (int k = 0; k < 3; ++k) {
            places *= floor((high[k] - low[k]) / lattice->spacing) + 2.0;
        }
        if (places <= 1000.0 + 64.0 * level->count) {
            break;
        }
    }
    for (int k = 0; k < 3; ++k) {
        double length = high[k] - low[k];
        lattice->cells[k] = (int)floor(length / lattice->spacing) + 1;
        lattice->origin[k] = low[k] - 0.5 * (lattice->cells[k] * lattice->spacing - length);
    }
}

static int place_of(const SnTetmgLattice *lattice, const int node[3])
{
    return (node[2] * (lattice->cells[1] + 1) + node[1]) * (lattice->cells[0] + 1) + node[0];
}

// Barycentric weights in Kuhn's tet around X: from the cell's first corner along the axes, the one
// with the largest share first.
static void weigh(const SnTetmgLattice *lattice, const double *X, int places[4], float weights[4])
{
    int node[3], order[3] = {0, 1, 2};
    double t[3], before = 1.0;
    for (int k = 0; k < 3; ++k) {
        double u = (X[k] - lattice->origin[k]) / lattice->spacing;
        u = lattice->is_nested ? 0.5 * floor(2.0 * u + 0.5) : u;
        double cell = floor(u);
        cell = cell < 0.0 ? 0.0 : (cell > lattice->cells[k] - 1 ? lattice->cells[k] - 1 : cell);
        node[k] = (int)cell;
        t[k] = u - cell;
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 2; ++k) {
            if (t[order[k]] < t[order[k + 1]]) {
                int swap = order[k];
                order[k] = order[k + 1];
                order[k + 1] = swap;
            }
        }
    }
    for (int i = 0; i < 4; ++i) {
        double share = i < 3 ? t[order[i]] : 0.0;
        places[i] = place_of(lattice, node);
        weights[i] = (float)(before - share);
        before = share;
        if (i < 3) {
            node[order[i]] += 1;
        }
    }
}

SinewStatus sn_tetmg_level_by_lattice(SnTetmgLevel *level, SnTetmgLevel *next,
                                      const SnTetmgLattice *lattice,
                                      const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int width = lattice->cells[0] + 1, depth = lattice->cells[1] + 1;
    int places = width * depth * (lattice->cells[2] + 1);
    int *number = NULL;

    SN_TRY(make_room(level, allocator, error));
    for (int r = 0; r < level->count; ++r) {
        weigh(lattice, level->rest + 3 * r, level->parents + 4 * r, level->full + 4 * r);
    }
    SN_TRY(number_places(level, next, places, allocator, &number, error));
    for (int p = 0; p < places; ++p) {
        const int node[3] = {p % width, p / width % depth, p / width / depth};
        for (int k = 0; k < 3 && number[p] >= 0; ++k) {
            next->rest[3 * number[p] + k] = lattice->origin[k] + lattice->spacing * node[k];
        }
    }
done:
    sn_free(allocator, number);
    return status;
}

// Meshes -----------------------------------------------------------------------------------------

// By Newton's method, since the library's own cube root differs from machine to machine.
double sn_tetmg_mean_edge(double volume)
{
    double edge = 1.0;
    for (int k = 0; k < 200; ++k) {
        edge -= (edge * edge * edge - 6.0 * volume) / (3.0 * edge * edge);
    }
    return edge;
}

double sn_tetmg_mesh_edge(const SnTetMesh *mesh)
{
    double volume = 0.0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        volume += sn_tet_mesh_volume(mesh, t);
    }
    return sn_tetmg_mean_edge(volume / mesh->tet_count);
}

// Where a row is in a mesh; refused where that is too far off.
static SinewStatus find_parents(const SnTetmg *body, int index, const SnTetLocator *locator,
                                double edge, SnTetmgLevel *level, int row, int *guess,
                                SinewError *error)
{
    const double *X = level->rest + 3 * (size_t)row;
    SnTetLocation found = sn_tet_locate(locator, X, guess);
    double largest = 0.0;
    for (size_t k = 0; k < 4; ++k) {
        level->parents[4 * (size_t)row + k] = locator->mesh->tets[4 * (size_t)found.tet + k];
        level->full[4 * (size_t)row + k] = (float)found.weights[k];
        largest = fmax(largest, fabs(found.weights[k]));
    }
    if (!(found.distance <= edge)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": the place %g %g %g is %g m from mesh %d of its hierarchy, "
                       "expected at most its mean edge, %g m",
                       body->tets.name, X[0], X[1], X[2], found.distance, index, edge);
    }
    if (!(largest <= WEIGHT_MAX)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": the place %g %g %g has a weight of %g in tet %d of mesh %d of "
                       "its hierarchy, which is nearly flat, expected at most %g",
                       body->tets.name, X[0], X[1], X[2], largest, found.tet, index, WEIGHT_MAX);
    }
    return SINEW_OK;
}

SinewStatus sn_tetmg_level_by_mesh(const SnTetmg *body, int index, SnTetmgLevel *level,
                                   SnTetmgLevel *next, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    const SnTetMesh *mesh = body->paper.meshes[index];
    SnTetLocator *locator = NULL;
    int *number = NULL;
    int guess = -1;

    SN_TRY(sn_tet_locator_create(mesh, body->tets.workers, allocator, &locator, error));
    SN_TRY(make_room(level, allocator, error));
    double edge = sn_tetmg_mesh_edge(mesh);
    for (int r = 0; r < level->count; ++r) {
        SN_TRY(find_parents(body, index, locator, edge, level, r, &guess, error));
    }
    SN_TRY(number_places(level, next, mesh->vertex_count, allocator, &number, error));
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (number[v] >= 0) {
            memcpy(next->rest + 3 * (size_t)number[v], mesh->positions + 3 * (size_t)v,
                   3 * sizeof *next->rest);
        }
    }
done:
    sn_tet_locator_destroy(locator, allocator);
    sn_free(allocator, number);
    return status;
}

SinewStatus sn_tetmg_meshes_copy(SnTetmg *body, const SnTetMesh *const *meshes, int count,
                                 double scale, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgPaper *paper = &body->paper;
    for (int m = 0; m < count; ++m) {
        const SnTetMesh *from = meshes[m];
        SN_TRY(sn_tet_mesh_create(from->vertex_count, from->tet_count, &body->tets.allocator,
                                  &paper->meshes[m], error));
        paper->mesh_count = m + 1;
        for (size_t i = 0; i < 3 * (size_t)from->vertex_count; ++i) {
            paper->meshes[m]->positions[i] = scale * from->positions[i];
        }
        memcpy(paper->meshes[m]->tets, from->tets, 4 * (size_t)from->tet_count * sizeof(int));
    }
done:
    return status;
}

SinewStatus sn_tetmg_meshes_check(const SnTetmg *body, SinewError *error)
{
    int before = body->tets.elements.vertex_count;
    for (int m = 0; m < body->paper.mesh_count; ++m) {
        int count = body->paper.meshes[m]->vertex_count;
        if (count >= before) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "body \"%s\": mesh %d of its hierarchy has %d vertices, expected fewer "
                           "than the %d of %s",
                           body->tets.name, m, count, before,
                           m == 0 ? "the body" : "the mesh before it");
        }
        before = count;
    }
    return SINEW_OK;
}

void sn_tetmg_meshes_release(SnTetmg *body)
{
    for (int m = 0; m < body->paper.mesh_count; ++m) {
        sn_tet_mesh_destroy(body->paper.meshes[m], &body->tets.allocator);
    }
    body->paper.mesh_count = 0;
}
