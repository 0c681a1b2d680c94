// Coarse cells: every variant that runs here against the plain reference.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <float.h>
#include <math.h>

enum { CELLS = 21, KINDS = 3, VERTICES = 29, GROUPS = 2, MERGED = 3, BLOCKS = 5, SPOTS = 12 };

typedef struct Case {
    _Alignas(64) float matrices[KINDS * SN_VOXEL_ENTRIES];
    _Alignas(64) float blocks[BLOCKS * SN_VOXEL_BLOCK];
    _Alignas(64) float spots[4 * SPOTS];
    float rotations[9 * CELLS], centers[3 * CELLS], x[4 * VERTICES], low[4 * VERTICES];
    float free[4 * VERTICES], inverse[SN_VOXEL_INVERSE * VERTICES];
    float data[KINDS * SN_VOXEL_KIND], pulls[SN_VOXEL_OUT * CELLS];
    double base[9 * CELLS];
    int kinds[CELLS], corners[8 * CELLS], cells[CELLS];
    int start[VERTICES + 1], at[8 * CELLS];
} Case;

// Vectors of conjugate gradients, in the order of SnVoxelVectors.
enum { X, R, Z, P, Q, VECTORS };

typedef struct Output {
    _Alignas(64) float planes[3][GROUPS * SN_VOXEL_PLANES * SN_VOXEL_GROUP];
    float applied[2][CELLS * SN_VOXEL_OUT];
    float forces[3][CELLS * SN_VOXEL_OUT];
    float placed[4 * SN_VOXEL_SITES * BLOCKS], shown[3 * SPOTS];
    float vectors[VECTORS][4 * VERTICES];
    float sums[4];
    float merged[2][MERGED * SN_VOXEL_ENTRIES];
} Output;

static void fill(SnRandom *random, float *out, int count)
{
    for (int i = 0; i < count; ++i) {
        out[i] = (float)sn_random_between(random, -1.0, 1.0);
    }
}

static void list_corners(Case *c)
{
    int count = 0;
    for (int v = 0; v < VERTICES; ++v) {
        c->start[v] = count;
        for (int i = 0; i < 8 * CELLS; ++i) {
            if (c->corners[i] == v) {
                c->at[count++] = i;
            }
        }
    }
    c->start[VERTICES] = count;
}

static void make_case(Case *c)
{
    SnRandom random = {5};
    fill(&random, c->matrices, KINDS * SN_VOXEL_ENTRIES);
    fill(&random, c->blocks, BLOCKS * SN_VOXEL_BLOCK);
    fill(&random, c->spots, 4 * SPOTS);
    fill(&random, c->rotations, 9 * CELLS);
    fill(&random, c->centers, 3 * CELLS);
    fill(&random, c->x, 4 * VERTICES);
    fill(&random, c->inverse, SN_VOXEL_INVERSE * VERTICES);
    fill(&random, c->data, KINDS * SN_VOXEL_KIND);
    fill(&random, c->pulls, SN_VOXEL_OUT * CELLS);
    for (int i = 0; i < 4 * VERTICES; ++i) {
        c->low[i] = 1e-8f * c->x[i];
        c->free[i] = i % 5 == 0 ? 0.0f : 1.0f;
    }
    for (int e = 0; e < CELLS; ++e) {
        c->kinds[e] = (int)(sn_random_bits(&random) % KINDS);
        c->cells[e] = (int)(sn_random_bits(&random) % CELLS);
        for (int i = 0; i < 9; ++i) {
            c->base[9 * e + i] = i % 4 == 0 ? 1.0 : 0.0;
        }
        for (int k = 0; k < 8; ++k) {
            c->corners[8 * e + k] = (int)(sn_random_bits(&random) % VERTICES);
        }
    }
    list_corners(c);
}

static void run_vectors(const Case *c, const SnVoxelKernels *kernels, Output *out)
{
    float(*v)[4 * VERTICES] = out->vectors;
    SnVoxelVectors vectors = {
        c->start, c->at, out->applied[0], c->free, c->inverse, v[X], v[R], v[Z], v[P], v[Q]};
    double sums[2];
    for (int i = 0; i < VECTORS; ++i) {
        memcpy(v[i], c->x + i, 4 * (VERTICES - 2) * sizeof(float));
    }
    out->sums[0] = (float)kernels->gather(&vectors, 1, VERTICES - 1);
    kernels->advance(&vectors, 0.3f, 1, VERTICES - 1, sums);
    out->sums[1] = (float)sums[0];
    out->sums[2] = (float)sums[1];
    kernels->follow(&vectors, 1.5f, 0.7f, 1, VERTICES - 1);
}

static void run_groups(const Case *c, const SnVoxelKernels *kernels, Output *out)
{
    for (int turning = 0; turning < 3; ++turning) {
        SnVoxelGroups groups = {.turning = (SnVoxelTurning)turning,
                                .turns = 2,
                                .exact = turning == SN_VOXEL_OMEGA,
                                .cell_count = CELLS,
                                .edge = 0.7f,
                                .gravity = {0.1f, -0.3f, 0.2f},
                                .high = c->x,
                                .low = c->low,
                                .corners = c->corners,
                                .kinds = c->kinds,
                                .matrices = c->matrices,
                                .data = c->data,
                                .base = c->base,
                                .pulls = turning == SN_VOXEL_STAYS ? NULL : c->pulls,
                                .planes = out->planes[turning],
                                .out = out->forces[turning]};
        kernels->pose(&groups, 0, GROUPS);
        kernels->force(&groups, 0, GROUPS);
    }
}

static void run_merge(const Case *c, const SnVoxelKernels *kernels, Output *out)
{
    const int start[MERGED + 1] = {0, 8, 11, 12};
    const int children[12] = {3, 5, 1, 0, 7, 9, 2, 11, 4, 6, 8, 10};
    const unsigned char octants[12] = {0, 1, 2, 3, 4, 5, 6, 7, 7, 4, 3, 0};
    SnVoxelMerge merge = {start,        children,   octants, c->matrices,   c->kinds,
                          c->rotations, c->corners, c->free, out->merged[0]};
    SnVoxelMerge plain = {start, children + 1, octants, c->matrices,   NULL,
                          NULL,  c->corners,   NULL,    out->merged[1]};
    const int few[2] = {0, 1};
    kernels->merge(&merge, 0, MERGED);
    plain.child_start = few;
    plain.children = children + 2; // the second, which there is a matrix for
    kernels->merge(&plain, 0, 1);
}

// Once there are poses, with cells that do not turn.
static void run_points(const Case *c, const SnVoxelKernels *kernels, Output *out)
{
    SnVoxelSites sites = {c->blocks,    c->cells,   out->planes[0],
                          c->rotations, c->centers, out->placed};
    const int start[4] = {0, 4, 8, 12};
    const int order[SPOTS] = {27, 0, 3, 3, 12, 15, 9, 6, 33, 30, 24, 24};
    double points[3 * SPOTS] = {0.0};
    SnVoxelShown shown = {c->corners, start, c->spots, order, c->x, c->base, points};
    kernels->place(&sites, 1, BLOCKS - 1);
    kernels->show(&shown, 1, 3);
    for (int i = 0; i < 3 * SPOTS; ++i) {
        out->shown[i] = (float)points[i];
    }
}

static void run(const Case *c, const SnVoxelKernels *kernels, Output *out)
{
    SnVoxelBatch batch = {c->matrices, c->kinds, c->corners, c->rotations, c->x, out->applied[0]};
    SnVoxelBatch plain = {c->matrices, NULL, c->corners, NULL, c->x, out->applied[1]};
    memset(out, 0, sizeof *out);
    kernels->apply(&batch, 1, CELLS - 1); // the first and the last stay as they are
    kernels->apply(&plain, 0, KINDS);
    run_vectors(c, kernels, out);
    run_groups(c, kernels, out);
    run_points(c, kernels, out);
    run_merge(c, kernels, out);
}

static void variants_agree(void **state)
{
    (void)state;
    static Case c;
    static Output expected, got;
    make_case(&c);
    run(&c, sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS)->voxel, &expected);
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int portable = 0; portable < 2 && sn_isa_runs((SnIsa)isa); ++portable) {
            run(&c, sn_kernels_of((SnIsa)isa, portable ? SN_PORTABLE_BITS : SN_FAST_BITS)->voxel,
                &got);
            const float *a = expected.planes[0], *b = got.planes[0];
            for (size_t i = 0; i < sizeof expected / sizeof(float); ++i) {
                if (portable) {
                    assert_true(a[i] == b[i]);
                } else {
                    // Sums of 24 numbers of at most 3, turned, each rounded once less; and after
                    // turns of cells that are anything but rigid, those of numbers so much larger.
                    assert_at_most(fabsf(a[i] - b[i]),
                                   24 * 9 * 4 * FLT_EPSILON * fmaxf(1.0f, fabsf(a[i])));
                }
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(variants_agree),
};

SN_TEST_GROUP(kernel_voxel, tests);
