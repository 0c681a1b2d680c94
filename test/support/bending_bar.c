#include "support/bending_bar.h"

static int node_at(int i, int j, int k)
{
    return (i * (SN_BAR_YZ + 1) + j) * (SN_BAR_YZ + 1) + k;
}

// Six around the diagonal from corner 0 to corner 7: a path of three edges each.
static void add_tets(const int corner[8], int *tets)
{
    static const int paths[6][2] = {{4, 6}, {6, 2}, {2, 3}, {3, 1}, {1, 5}, {5, 4}};
    for (int t = 0; t < 6; ++t) {
        const int tet[4] = {corner[0], corner[paths[t][0]], corner[paths[t][1]], corner[7]};
        for (int c = 0; c < 4; ++c) {
            tets[4 * t + c] = tet[c];
        }
    }
}

// Two triangles for each square of the bar's skin. `axis` points out of it.
static int add_skin(int *triangles, int count, int axis, int is_far)
{
    const int cells[3] = {SN_BAR_X, SN_BAR_YZ, SN_BAR_YZ};
    int u = (axis + 1) % 3;
    int v = (axis + 2) % 3;
    for (int a = 0; a < cells[u]; ++a) {
        for (int b = 0; b < cells[v]; ++b) {
            int corner[4];
            for (int c = 0; c < 4; ++c) {
                int at[3];
                at[axis] = is_far ? cells[axis] : 0;
                at[u] = a + (c == 1 || c == 2);
                at[v] = b + (c >= 2);
                corner[c] = node_at(at[0], at[1], at[2]);
            }
            const int turns[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
            for (int c = 0; c < 6; ++c) {
                triangles[3 * count + c] = corner[turns[is_far][c]];
            }
            count += 2;
        }
    }
    return count;
}

void sn_bending_bar_init(SnBendingBar *bar)
{
    int cell = 0;
    for (int i = 0; i <= SN_BAR_X; ++i) {
        for (int j = 0; j <= SN_BAR_YZ; ++j) {
            for (int k = 0; k <= SN_BAR_YZ; ++k) {
                double *x = bar->rest + 3 * node_at(i, j, k);
                x[0] = 2.0 * i / SN_BAR_X;
                x[1] = 0.5 * j / SN_BAR_YZ;
                x[2] = 0.5 * k / SN_BAR_YZ;
                if (i == SN_BAR_X || j == SN_BAR_YZ || k == SN_BAR_YZ) {
                    continue;
                }
                for (int c = 0; c < 8; ++c) {
                    bar->cells[8 * cell + c] = node_at(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1));
                }
                add_tets(bar->cells + 8 * cell, bar->tets + 24 * cell);
                ++cell;
            }
        }
    }
    int count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        count = add_skin(bar->triangles, count, axis, 0);
        count = add_skin(bar->triangles, count, axis, 1);
    }
    for (int e = 0; e < 6 * SN_BAR_CELLS; ++e) {
        bar->values[e] = e / 7.0;
        bar->regions[e] = e % 2;
    }
    sn_bending_bar_bend(bar, 0.0);
}

void sn_bending_bar_bend(SnBendingBar *bar, double time)
{
    for (int v = 0; v < SN_BAR_NODES; ++v) {
        double x = bar->rest[3 * v];
        for (int k = 0; k < 3; ++k) {
            double speed = k == 1 ? -0.25 * x * x : 0.0;
            bar->nodes[3 * v + k] = bar->rest[3 * v + k] + time * speed;
            bar->velocities[3 * v + k] = speed;
            bar->xyz[3 * v + k] = (float)bar->nodes[3 * v + k];
        }
    }
}

SnFrame sn_bending_bar_frame(const SnBendingBar *bar, int corners, double time)
{
    return (SnFrame){.body = "bar",
                     .time = time,
                     .surface_xyz = bar->xyz,
                     .surface_vertex_count = SN_BAR_NODES,
                     .surface_triangles = bar->triangles,
                     .surface_triangle_count = SN_BAR_TRIANGLES,
                     .nodes_xyz = bar->nodes,
                     .rest_xyz = bar->rest,
                     .node_count = SN_BAR_NODES,
                     .elements = corners == 4 ? bar->tets : bar->cells,
                     .element_count = corners == 4   ? 6 * SN_BAR_CELLS
                                      : corners == 8 ? SN_BAR_CELLS
                                                     : 0,
                     .corners = corners,
                     .velocities = bar->velocities,
                     .element_values = bar->values,
                     .element_value_name = "energy <J>",
                     .regions = bar->regions};
}
