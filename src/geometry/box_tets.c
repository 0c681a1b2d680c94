#include "geometry/box_tets.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>

// Corners of a cell are numbered 4 a + 2 b + c, with a, b, c in {0, 1} along x, y, z.
// The cut of a cell whose min corner has an even index sum; an odd cell mirrors it along x.
static const int five_tets[5][4] = {
    {0, 5, 6, 3}, {4, 6, 0, 5}, {2, 0, 6, 3}, {1, 5, 0, 3}, {7, 5, 3, 6}};

// One tet for each order in which a path along the edges visits the axes; odd orders are mirrored,
// so their two middle corners change places.
static const int kuhn_tets[6][4] = {{0, 4, 6, 7}, {0, 2, 3, 7}, {0, 1, 5, 7},
                                    {0, 5, 4, 7}, {0, 6, 2, 7}, {0, 3, 1, 7}};

SinewStatus sn_box_tets_check(const SnBoxTetsDef *def, SinewError *error)
{
    for (int c = 0; c < 3; ++c) {
        if (def->cells[c] < 1) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "a box has %d cells along %c, expected at least 1", def->cells[c],
                           "xyz"[c]);
        }
        if (!isfinite(def->min[c]) || !isfinite(def->max[c]) || !(def->max[c] > def->min[c])) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "a box goes from %g to %g m along %c, expected max above min",
                           def->min[c], def->max[c], "xyz"[c]);
        }
    }
    // Products of counts in double: exact as far as an int reaches.
    double vertices = (def->cells[0] + 1.0) * (def->cells[1] + 1.0) * (def->cells[2] + 1.0);
    double tets = 6.0 * def->cells[0] * def->cells[1] * def->cells[2];
    if (vertices > INT_MAX || tets > INT_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a box of %d x %d x %d cells has more vertices or tets than an index holds",
                       def->cells[0], def->cells[1], def->cells[2]);
    }
    return SINEW_OK;
}

double sn_box_tets_coordinate(const SnBoxTetsDef *def, int axis, int index)
{
    int count = def->cells[axis];
    return index == count ? def->max[axis]
                          : def->min[axis] + (def->max[axis] - def->min[axis]) * index / count;
}

static void fill_positions(const SnBoxTetsDef *def, SnTetMesh *mesh)
{
    double *x = mesh->positions;
    for (int i = 0; i <= def->cells[0]; ++i) {
        for (int j = 0; j <= def->cells[1]; ++j) {
            for (int k = 0; k <= def->cells[2]; ++k) {
                *x++ = sn_box_tets_coordinate(def, 0, i);
                *x++ = sn_box_tets_coordinate(def, 1, j);
                *x++ = sn_box_tets_coordinate(def, 2, k);
            }
        }
    }
}

// The tets of cell (i, j, k), appended at `out`; returns what follows them.
static int *cut_cell(const SnBoxTetsDef *def, int i, int j, int k, int *out)
{
    bool five = def->cut == SN_BOX_FIVE;
    int mirror = five && (i + j + k) % 2 != 0;
    for (int t = 0; t < (five ? 5 : 6); ++t) {
        const int *local = five ? five_tets[t] : kuhn_tets[t];
        for (int v = 0; v < 4; ++v) {
            // A mirrored tet is turned right side out by swapping its last two corners.
            int corner = local[mirror && v >= 2 ? 5 - v : v];
            int a = (corner >> 2) ^ mirror;
            *out++ = sn_box_tets_vertex(def, i + a, j + (corner >> 1 & 1), k + (corner & 1));
        }
    }
    return out;
}

SinewStatus sn_box_tets_create(const SnBoxTetsDef *def, const SinewAllocator *allocator,
                               SnTetMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_mesh = NULL;

    SN_TRY(sn_box_tets_check(def, error));
    const int *n = def->cells;
    int vertex_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    int tet_count = (def->cut == SN_BOX_FIVE ? 5 : 6) * n[0] * n[1] * n[2];
    SN_TRY(sn_tet_mesh_create(vertex_count, tet_count, allocator, out_mesh, error));

    fill_positions(def, *out_mesh);
    int *out = (*out_mesh)->tets;
    for (int i = 0; i < n[0]; ++i) {
        for (int j = 0; j < n[1]; ++j) {
            for (int k = 0; k < n[2]; ++k) {
                out = cut_cell(def, i, j, k, out);
            }
        }
    }

done:
    return status;
}
