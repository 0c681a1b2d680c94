// Tets of the lattice, and the stencils that fill those which the surface crosses. A tet of the
// lattice joins the centres of two neighbouring leaves with an edge of the face between them; where
// leaves of two levels meet, with parts of it, [L] section 4.
#include "geometry/stuffing_grid.h"

#include <limits.h>

// A vertex of the mesh to be: a lattice point, or a cut (after all points).
typedef struct Cut {
    double x[3];    // m
    uint64_t order; // where it comes among the vertices
} Cut;

typedef struct Filling {
    SnStuffGrid *grid;
    const SnStuffCuts *cuts;
    int *cut_ids; // beside cuts->cuts; -1: not asked for yet
    SnArray made; // Cut
    SnArray tets; // four ids each, not yet oriented
} Filling;

static SnStuffPoint *point_at(const Filling *filling, int index)
{
    return SN_ITEMS(filling->grid->points, SnStuffPoint) + index;
}

static SinewStatus emit(Filling *filling, int a, int b, int c, int d, SinewError *error)
{
    const int tet[4] = {a, b, c, d};
    if (filling->tets.count >= INT_MAX / 12) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "cells of %g m give more than %d tets; use larger cells",
                       filling->grid->cell_size, INT_MAX / 12);
    }
    return sn_array_push(&filling->tets, tet, error);
}

// The vertex where the edge from a point outside to one inside is cut.
static SinewStatus cut_vertex(Filling *filling, int outside, int inside, int *out_id,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnStuffPoint *a = point_at(filling, outside);
    const SnStuffPoint *b = point_at(filling, inside);
    size_t edge = (size_t)a->slot * SN_BCC_EDGES + (size_t)sn_bcc_direction(a->at, b->at);
    double t = filling->cuts->cuts[edge];
    SN_ASSERT(t >= 0.0);
    if (filling->cut_ids[edge] < 0) {
        // In quarters of a cell the middle of every edge has a place of its own.
        const int middle[3] = {a->at[0] + b->at[0], a->at[1] + b->at[1], a->at[2] + b->at[2]};
        Cut cut = {.order = sn_place_order(middle)};
        for (int c = 0; c < 3; ++c) {
            cut.x[c] = a->x[c] + t * (b->x[c] - a->x[c]);
        }
        filling->cut_ids[edge] = (int)(filling->grid->points.count + filling->made.count);
        SN_TRY(sn_array_push(&filling->made, &cut, error));
    }
    *out_id = filling->cut_ids[edge];
done:
    return status;
}

// Where a face with corners `a` and `b` inside and one outside is truncated, a quadrilateral is
// left. True when its diagonal starts at `a`; every tet at the face must decide the same. A cut of
// a long edge takes the diagonal. With two short edges cut, the corner takes it that is above the
// outside one on an even number of axes: the parity rule of [L], by which neighbouring tets are
// mirror images.
static bool takes_diagonal(const Filling *filling, int a, int b, int outside)
{
    const int *p = point_at(filling, a)->at;
    const int *q = point_at(filling, b)->at;
    const int *r = point_at(filling, outside)->at;
    if (sn_bcc_direction(r, p) < SN_BCC_LONG_EDGES) {
        return false;
    }
    if (sn_bcc_direction(r, q) < SN_BCC_LONG_EDGES) {
        return true;
    }
    return ((p[0] > r[0]) + (p[1] > r[1]) + (p[2] > r[2])) % 2 == 0;
}

// A prism from triangle p to triangle q in three tets. The diagonal of the side between columns k
// and l starts at p of the one with more wins.
static SinewStatus emit_prism(Filling *filling, const int p[3], const int q[3], const int wins[3],
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int column[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        column[2 - wins[k]] = k;
    }
    int x = column[0];
    int y = column[1];
    int z = column[2];
    SN_TRY(emit(filling, p[x], p[y], p[z], q[z], error));
    SN_TRY(emit(filling, p[x], p[y], q[y], q[z], error));
    SN_TRY(emit(filling, p[x], q[x], q[y], q[z], error));
done:
    return status;
}

// Three corners inside, one outside: all but the tip.
static SinewStatus fill_three(Filling *filling, const int inside[3], int outside, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int cut[3];
    int wins[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        SN_TRY(cut_vertex(filling, outside, inside[k], &cut[k], error));
        int next = (k + 1) % 3;
        wins[takes_diagonal(filling, inside[k], inside[next], outside) ? k : next]++;
    }
    SN_TRY(emit_prism(filling, inside, cut, wins, error));
done:
    return status;
}

// Two corners inside, two outside: a prism with the inside edge along it. The rule always sets the
// diagonals of the two faces at that edge against each other, which decides the third.
static SinewStatus fill_two(Filling *filling, const int inside[2], const int outside[2],
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int p[3] = {inside[0]};
    int q[3] = {inside[1]};
    int wins[3] = {1, 0, 0};
    for (int k = 0; k < 2; ++k) {
        SN_TRY(cut_vertex(filling, outside[k], inside[0], &p[k + 1], error));
        SN_TRY(cut_vertex(filling, outside[k], inside[1], &q[k + 1], error));
        wins[k + 1] = takes_diagonal(filling, inside[0], inside[1], outside[k]) ? 0 : 2;
    }
    SN_ASSERT(wins[1] != wins[2]);
    SN_TRY(emit_prism(filling, p, q, wins, error));
done:
    return status;
}

// Two corners inside, one on the surface, one outside: a pyramid.
static SinewStatus fill_pyramid(Filling *filling, const int inside[2], int on, int outside,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int cut[2];
    int first = takes_diagonal(filling, inside[0], inside[1], outside) ? 0 : 1;
    SN_TRY(cut_vertex(filling, outside, inside[0], &cut[0], error));
    SN_TRY(cut_vertex(filling, outside, inside[1], &cut[1], error));
    SN_TRY(emit(filling, on, inside[first], inside[1 - first], cut[1 - first], error));
    SN_TRY(emit(filling, on, inside[first], cut[1 - first], cut[first], error));
done:
    return status;
}

// One corner inside: it keeps a smaller tet.
static SinewStatus fill_one(Filling *filling, const int tet[4], int inside, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int corner[4];
    for (int k = 0; k < 4; ++k) {
        corner[k] = tet[k];
        if (point_at(filling, tet[k])->label == SN_POINT_OUTSIDE) {
            SN_TRY(cut_vertex(filling, tet[k], inside, &corner[k], error));
        }
    }
    SN_TRY(emit(filling, corner[0], corner[1], corner[2], corner[3], error));
done:
    return status;
}

// What of a tet of the lattice is body, [L] figure 3.
static SinewStatus fill_tet(Filling *filling, const int tet[4], SinewError *error)
{
    int sorted[3][4]; // corners by label
    int count[3] = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        SnPointLabel label = point_at(filling, tet[k])->label;
        sorted[label][count[label]++] = tet[k];
    }
    const int *inside = sorted[SN_POINT_INSIDE];
    const int *outside = sorted[SN_POINT_OUTSIDE];
    if (count[SN_POINT_INSIDE] == 0) {
        return SINEW_OK;
    }
    if (count[SN_POINT_OUTSIDE] == 0) {
        return emit(filling, tet[0], tet[1], tet[2], tet[3], error);
    }
    if (count[SN_POINT_INSIDE] == 3) {
        return fill_three(filling, inside, outside[0], error);
    }
    if (count[SN_POINT_INSIDE] == 1) {
        return fill_one(filling, tet, inside[0], error);
    }
    return count[SN_POINT_OUTSIDE] == 2
               ? fill_two(filling, inside, outside, error)
               : fill_pyramid(filling, inside, sorted[SN_POINT_ON][0], outside[0], error);
}

static SinewStatus fill_corners(Filling *filling, int a, int b, int c, int d, SinewError *error)
{
    const int tet[4] = {a, b, c, d};
    return fill_tet(filling, tet, error);
}

// A face of a leaf: its corners in a ring, and the middles of its edges and of itself where smaller
// leaves put a point there (-1 where not).
typedef struct Face {
    int place[4][3];
    int corner[4];
    int middle[4]; // of the edge from corner i to i + 1
    int centre;
} Face;

static int used_point(const Filling *filling, const int at[3])
{
    int index = sn_place_table_find(&filling->grid->point_table, at);
    return index >= 0 && point_at(filling, index)->is_used ? index : -1;
}

static Face face_of(const Filling *filling, const SnLeaf *leaf, int direction)
{
    static const int ring[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    Face face = {.centre = -1};
    int half = sn_leaf_half(leaf);
    int axis = direction / 2;
    int centre[3] = {leaf->centre[0], leaf->centre[1], leaf->centre[2]};
    centre[axis] += direction % 2 ? -half : half;
    for (int i = 0; i < 4; ++i) {
        int *at = face.place[i];
        at[axis] = centre[axis];
        at[(axis + 1) % 3] = centre[(axis + 1) % 3] + half * ring[i][0];
        at[(axis + 2) % 3] = centre[(axis + 2) % 3] + half * ring[i][1];
        face.corner[i] = used_point(filling, at);
        SN_ASSERT(face.corner[i] >= 0);
    }
    for (int i = 0; i < 4; ++i) {
        const int *p = face.place[i];
        const int *q = face.place[(i + 1) % 4];
        const int middle[3] = {(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2};
        face.middle[i] = leaf->level > 0 ? used_point(filling, middle) : -1;
    }
    face.centre = leaf->level > 0 ? used_point(filling, centre) : -1;
    return face;
}

// Tets around the line from `a` to `b`, which meets the face in its middle: a tet an edge of the
// face, or two where the edge has a point in its middle.
static SinewStatus fill_around(Filling *filling, int a, int b, const Face *face, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < 4; ++i) {
        int p = face->corner[i];
        int q = face->corner[(i + 1) % 4];
        int middle = face->middle[i];
        if (middle < 0) {
            SN_TRY(fill_corners(filling, a, b, p, q, error));
        } else {
            SN_TRY(fill_corners(filling, a, b, p, middle, error));
            SN_TRY(fill_corners(filling, a, b, middle, q, error));
        }
    }
done:
    return status;
}

// The pyramid from a leaf's centre to a face that is a quarter of a larger leaf's, in two tets. The
// cut goes through the middle of the larger face, as the larger leaf's own tets do.
static SinewStatus fill_halves(Filling *filling, int centre, const Face *face, const SnLeaf *larger,
                               int axis, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int first = 0;
    for (int i = 0; i < 4; ++i) {
        const int *at = face->place[i];
        if (at[(axis + 1) % 3] == larger->centre[(axis + 1) % 3] &&
            at[(axis + 2) % 3] == larger->centre[(axis + 2) % 3]) {
            first = i;
        }
    }
    const int *corner = face->corner;
    int across = corner[(first + 2) % 4];
    SN_TRY(fill_corners(filling, centre, corner[first], corner[(first + 1) % 4], across, error));
    SN_TRY(fill_corners(filling, centre, corner[first], across, corner[(first + 3) % 4], error));
done:
    return status;
}

static SinewStatus fill_face(Filling *filling, const SnLeaf *leaf, int direction, SinewError *error)
{
    const SnStuffGrid *grid = filling->grid;
    int centre = used_point(filling, leaf->centre);
    int beside[3] = {leaf->centre[0], leaf->centre[1], leaf->centre[2]};
    beside[direction / 2] += (direction % 2 ? -2 : 2) * sn_leaf_half(leaf);
    bool is_leaf = sn_place_table_find(&grid->leaf_table, beside) >= 0;
    if (is_leaf && direction % 2 != 0) {
        return SINEW_OK; // the leaf beside does it
    }
    Face face = face_of(filling, leaf, direction);
    if (is_leaf) {
        return fill_around(filling, centre, used_point(filling, beside), &face, error);
    }
    if (face.centre >= 0) {
        return fill_around(filling, centre, face.centre, &face, error);
    }
    SnLeaf larger = sn_leaf_around(beside, leaf->level + 1);
    if (leaf->level > 0 || sn_place_table_find(&grid->leaf_table, larger.centre) >= 0) {
        return fill_halves(filling, centre, &face, &larger, direction / 2, error);
    }
    return fill_around(filling, centre, used_point(filling, beside), &face, error);
}

static SinewStatus fill_leaves(Filling *filling, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnLeaf *leaves = SN_ITEMS(filling->grid->leaves, SnLeaf);
    size_t count = filling->grid->leaves.count;
    for (size_t i = 0; i < count; ++i) {
        if (i % 65536 == 0) {
            sn_grid_tell(filling->grid, SN_STUFF_MOVED + (SN_STUFF_FILLED - SN_STUFF_MOVED) *
                                                             (double)i / (double)count);
        }
        for (int direction = 0; direction < SN_BCC_LONG_EDGES; ++direction) {
            SN_TRY(fill_face(filling, &leaves[i], direction, error));
        }
    }
done:
    return status;
}

static const double *position_of(const Filling *filling, int id)
{
    int point_count = (int)filling->grid->points.count;
    return id < point_count ? point_at(filling, id)->x
                            : SN_ITEMS(filling->made, Cut)[id - point_count].x;
}

static uint64_t order_of(const Filling *filling, int id)
{
    int point_count = (int)filling->grid->points.count;
    if (id >= point_count) {
        return SN_ITEMS(filling->made, Cut)[id - point_count].order;
    }
    const int *at = point_at(filling, id)->at;
    const int doubled[3] = {2 * at[0], 2 * at[1], 2 * at[2]};
    return sn_place_order(doubled);
}

// Tets in vertex indices, each turned right side out.
static void write_tets(const Filling *filling, const int *index_of, SnTetMesh *mesh)
{
    const int *ids = filling->tets.items;
    for (int t = 0; t < mesh->tet_count; ++t) {
        int *tet = mesh->tets + 4 * (size_t)t;
        for (int k = 0; k < 4; ++k) {
            tet[k] = index_of[ids[4 * (size_t)t + (size_t)k]];
        }
        if (sn_tet_mesh_volume(mesh, t) < 0.0) {
            int swapped = tet[2];
            tet[2] = tet[3];
            tet[3] = swapped;
        }
    }
}

// Numbers the vertices in use in Morton order and makes the mesh.
static SinewStatus make_mesh(const Filling *filling, SnTetMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = filling->grid->allocator;
    size_t id_count = filling->grid->points.count + filling->made.count;
    const int *ids = filling->tets.items;
    int *index_of = NULL;
    SnOrdered *order = NULL;
    SnOrdered *scratch = NULL;

    SN_ALLOC_ZERO(index_of, allocator, id_count, error);
    SN_ALLOC(order, allocator, id_count, error);
    SN_ALLOC(scratch, allocator, id_count, error);
    for (size_t i = 0; i < 4 * filling->tets.count; ++i) {
        index_of[ids[i]] = 1;
    }
    size_t count = 0;
    for (int id = 0; id < (int)id_count; ++id) {
        if (index_of[id] != 0) {
            order[count++] = (SnOrdered){order_of(filling, id), id};
        }
    }
    sn_ordered_sort(order, scratch, count);
    SN_TRY(sn_tet_mesh_create((int)count, (int)filling->tets.count, allocator, out_mesh, error));
    for (size_t i = 0; i < count; ++i) {
        const double *x = position_of(filling, order[i].index);
        for (size_t c = 0; c < 3; ++c) {
            (*out_mesh)->positions[3 * i + c] = x[c];
        }
        index_of[order[i].index] = (int)i;
    }
    write_tets(filling, index_of, *out_mesh);

done:
    sn_free(allocator, index_of);
    sn_free(allocator, order);
    sn_free(allocator, scratch);
    return status;
}

SinewStatus sn_stencils_fill(SnStuffGrid *grid, const SnStuffCuts *cuts, SnTetMesh **out_mesh,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Filling filling = {.grid = grid,
                       .cuts = cuts,
                       .made = sn_array_of(grid->allocator, sizeof(Cut)),
                       .tets = sn_array_of(grid->allocator, 4 * sizeof(int))};
    size_t edge_count = (size_t)cuts->slot_count * SN_BCC_EDGES;

    SN_ALLOC(filling.cut_ids, grid->allocator, edge_count, error);
    for (size_t i = 0; i < edge_count; ++i) {
        filling.cut_ids[i] = -1;
    }
    SN_TRY(fill_leaves(&filling, error));
    if (filling.tets.count == 0) {
        SN_TRY(sn_grid_refuse_empty(grid, error)); // the few points inside were all snapped away
    }
    SN_TRY(make_mesh(&filling, out_mesh, error));

done:
    sn_free(grid->allocator, filling.cut_ids);
    sn_array_release(&filling.made);
    sn_array_release(&filling.tets);
    return status;
}
