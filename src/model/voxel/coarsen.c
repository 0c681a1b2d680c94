// Coarser cells: which finer ones make one, which corners are the same, and how finer vertices
// follow. Finer cells of one place that share no vertex make cells of their own, as parts inside a
// cell do, and corners are one where such cells share a finer vertex.
#include "base/union_find.h"
#include "model/voxel/hierarchy.h"

#include <string.h>

typedef struct Making {
    const SnVoxelLevel *finer;
    const int *places;
    const SinewAllocator *allocator;
    SnVoxelStage *stage;
    int *roots; // union-find, of cells and then of corners
} Making;

static bool same_place(const int *places, int a, int b)
{
    for (int i = 0; i < 3; ++i) {
        if (places[3 * (size_t)a + (size_t)i] / 2 != places[3 * (size_t)b + (size_t)i] / 2) {
            return false;
        }
    }
    return true;
}

// Finer cells of one place that share vertices, in numbers of the order in which they come.
static SinewStatus group_cells(Making *m, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelLevel *finer = m->finer;
    int count = 0;
    for (int e = 0; e < finer->cell_count; ++e) {
        m->roots[e] = e;
    }
    for (int v = 0; v < finer->vertex_count; ++v) {
        const int *at = finer->vertex_corners + finer->vertex_start[v];
        int cells = finer->vertex_start[v + 1] - finer->vertex_start[v];
        for (int i = 0; i < cells; ++i) {
            for (int j = 0; j < i; ++j) {
                if (same_place(m->places, at[i] / 8, at[j] / 8)) {
                    sn_union_find_join(m->roots, at[i] / 8, at[j] / 8);
                }
            }
        }
    }
    for (int e = 0; e < finer->cell_count; ++e) {
        int root = sn_union_find_root(m->roots, e); // the first of them
        m->stage->parents[e] = root == e ? count++ : m->stage->parents[root];
    }
    m->stage->level.cell_count = count;
    SN_ALLOC(m->stage->places, m->allocator, 3 * (size_t)count, error);
    SN_ALLOC(m->stage->octants, m->allocator, finer->cell_count, error);
    for (int e = 0; e < finer->cell_count; ++e) {
        const int *place = m->places + 3 * (size_t)e;
        for (int i = 0; i < 3; ++i) {
            m->stage->places[3 * (size_t)m->stage->parents[e] + (size_t)i] = place[i] / 2;
        }
        m->stage->octants[e] =
            (unsigned char)(4 * (place[0] & 1) + 2 * (place[1] & 1) + (place[2] & 1));
    }

done:
    return status;
}

static SinewStatus list_children(Making *m, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelStage *stage = m->stage;
    int *start, cells = stage->level.cell_count;
    SN_ALLOC_ZERO(stage->child_start, m->allocator, (size_t)cells + 1, error);
    SN_ALLOC(stage->children, m->allocator, m->finer->cell_count, error);
    start = stage->child_start;
    for (int e = 0; e < m->finer->cell_count; ++e) {
        start[m->stage->parents[e] + 1] += 1;
    }
    for (int e = 0; e < cells; ++e) {
        start[e + 1] += start[e];
    }
    for (int e = 0; e < m->finer->cell_count; ++e) {
        stage->children[start[m->stage->parents[e]]++] = e;
    }
    for (int e = cells; e > 0; --e) {
        start[e] = start[e - 1];
    }
    start[0] = 0;

done:
    return status;
}

// Unites the corners that two cells have in common by their places.
static void unite_corners(Making *m, int a, int b)
{
    const int *place_a = m->stage->places + 3 * (size_t)a;
    const int *place_b = m->stage->places + 3 * (size_t)b;
    for (int c = 0; c < 8; ++c) {
        int other = 0;
        bool common = true;
        for (int i = 0; i < 3; ++i) {
            int bit = place_a[i] + (c >> (2 - i) & 1) - place_b[i];
            common = common && (bit == 0 || bit == 1);
            other = 2 * other + bit;
        }
        if (common) {
            sn_union_find_join(m->roots, 8 * a + c, 8 * b + other);
        }
    }
}

static SinewStatus number_corners(Making *m, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelLevel *finer = m->finer;
    SnVoxelStage *stage = m->stage;
    int corners = 8 * stage->level.cell_count, count = 0;
    for (int i = 0; i < corners; ++i) {
        m->roots[i] = i;
    }
    for (int v = 0; v < finer->vertex_count; ++v) {
        const int *at = finer->vertex_corners + finer->vertex_start[v];
        int cells = finer->vertex_start[v + 1] - finer->vertex_start[v];
        for (int i = 0; i < cells; ++i) {
            for (int j = 0; j < i; ++j) {
                int a = m->stage->parents[at[i] / 8], b = m->stage->parents[at[j] / 8];
                if (a != b) {
                    unite_corners(m, a, b);
                }
            }
        }
    }
    SN_ALLOC(stage->corners, m->allocator, corners, error);
    for (int i = 0; i < corners; ++i) {
        int root = sn_union_find_root(m->roots, i);
        stage->corners[i] = root == i ? count++ : stage->corners[root];
    }
    stage->level.vertex_count = count;

done:
    return status;
}

// Where a finer corner is inside the coarser cell along an axis: 0, 1 or 2 halves.
static int half_at(int octant, int corner, int axis)
{
    return (octant >> (2 - axis) & 1) + (corner >> (2 - axis) & 1);
}

static SinewStatus follow_corners(Making *m, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelLevel *finer = m->finer;
    SnVoxelStage *stage = m->stage;
    SN_ALLOC(stage->nodes, m->allocator, 8 * (size_t)finer->vertex_count, error);
    SN_ALLOC(stage->shares, m->allocator, 8 * (size_t)finer->vertex_count, error);
    for (int v = 0; v < finer->vertex_count; ++v) {
        int at = finer->vertex_corners[finer->vertex_start[v]];
        int octant = stage->octants[at / 8];
        for (int c = 0; c < 8; ++c) {
            float share = 1.0f;
            for (int i = 0; i < 3; ++i) {
                float half = 0.5f * (float)half_at(octant, at % 8, i);
                share *= c >> (2 - i) & 1 ? half : 1.0f - half;
            }
            size_t k = 8 * (size_t)v + (size_t)c;
            stage->nodes[k] = stage->corners[8 * (size_t)m->stage->parents[at / 8] + (size_t)c];
            stage->shares[k] = share;
        }
    }

done:
    return status;
}

// The same the other way round, without those that have no share.
static SinewStatus list_followers(Making *m, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelStage *stage = m->stage;
    int count = 8 * m->finer->vertex_count, vertices = stage->level.vertex_count, *start;
    SN_ALLOC_ZERO(stage->fine_start, m->allocator, (size_t)vertices + 1, error);
    start = stage->fine_start;
    for (int i = 0; i < count; ++i) {
        start[stage->nodes[i] + 1] += stage->shares[i] > 0.0f;
    }
    for (int v = 0; v < vertices; ++v) {
        start[v + 1] += start[v];
    }
    SN_ALLOC(stage->fine, m->allocator, start[vertices], error);
    SN_ALLOC(stage->fine_shares, m->allocator, start[vertices], error);
    for (int i = 0; i < count; ++i) {
        if (stage->shares[i] > 0.0f) {
            int at = start[stage->nodes[i]]++;
            stage->fine[at] = i / 8;
            stage->fine_shares[at] = stage->shares[i];
        }
    }
    for (int v = vertices; v > 0; --v) {
        start[v] = start[v - 1];
    }
    start[0] = 0;

done:
    return status;
}

SinewStatus sn_voxel_stage_create(const SnVoxelLevel *finer, const int *places,
                                  const SinewAllocator *allocator, SnVoxelStage *stage,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Making m = {finer, places, allocator, stage, NULL};
    *stage = (SnVoxelStage){.level.kernels = finer->kernels};
    SN_ALLOC(m.roots, allocator, 8 * (size_t)finer->cell_count, error);
    SN_ALLOC(stage->parents, allocator, finer->cell_count, error);
    SN_TRY(group_cells(&m, error));
    SN_TRY(list_children(&m, error));
    SN_TRY(number_corners(&m, error));
    SN_TRY(sn_voxel_list_corners(stage->corners, stage->level.cell_count, stage->level.vertex_count,
                                 allocator, &stage->vertex_start, &stage->vertex_corners, error));
    SN_TRY(follow_corners(&m, error));
    SN_TRY(list_followers(&m, error));
    SN_ALLOC(stage->matrices, allocator, SN_VOXEL_ENTRIES * (size_t)stage->level.cell_count, error);
    stage->level.corners = stage->corners;
    stage->level.matrices = stage->matrices;
    stage->level.vertex_start = stage->vertex_start;
    stage->level.vertex_corners = stage->vertex_corners;
    SN_TRY(sn_voxel_level_create(&stage->level, allocator, error));

done:
    sn_free(allocator, m.roots);
    if (status < 0) {
        sn_voxel_stage_release(stage, allocator);
    }
    return status;
}

void sn_voxel_stage_release(SnVoxelStage *stage, const SinewAllocator *allocator)
{
    sn_voxel_level_release(&stage->level, allocator);
    void *all[] = {stage->places,      stage->corners, stage->vertex_start, stage->vertex_corners,
                   stage->matrices,    stage->nodes,   stage->child_start,  stage->children,
                   stage->octants,     stage->shares,  stage->fine_start,   stage->fine,
                   stage->fine_shares, stage->parents};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        sn_free(allocator, all[i]);
    }
    *stage = (SnVoxelStage){0};
}
