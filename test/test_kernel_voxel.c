// Coarse cells: every variant that runs here against the plain reference.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <float.h>
#include <math.h>

enum { CELLS = 13, KINDS = 3, VERTICES = 29 };

typedef struct Case {
    _Alignas(64) float matrices[KINDS * SN_VOXEL_ENTRIES];
    _Alignas(64) float shapes[CELLS * SN_VOXEL_SITE];
    _Alignas(64) float u[CELLS * SN_VOXEL_NUMBERS];
    float rotations[9 * CELLS], rest[4 * CELLS], x[3 * VERTICES];
    int kinds[CELLS], corners[8 * CELLS], cells[CELLS];
} Case;

typedef struct Output {
    _Alignas(64) float applied[CELLS * SN_VOXEL_NUMBERS];
    _Alignas(64) float multiplied[SN_VOXEL_NUMBERS];
    float placed[4 * CELLS];
} Output;

static void fill(SnRandom *random, float *out, int count)
{
    for (int i = 0; i < count; ++i) {
        out[i] = (float)sn_random_between(random, -1.0, 1.0);
    }
}

static void make_case(Case *c)
{
    SnRandom random = {5};
    fill(&random, c->matrices, KINDS * SN_VOXEL_ENTRIES);
    fill(&random, c->shapes, CELLS * SN_VOXEL_SITE);
    fill(&random, c->u, CELLS * SN_VOXEL_NUMBERS);
    fill(&random, c->rotations, 9 * CELLS);
    fill(&random, c->rest, 4 * CELLS);
    fill(&random, c->x, 3 * VERTICES);
    for (int e = 0; e < CELLS; ++e) {
        c->kinds[e] = (int)(sn_random_bits(&random) % KINDS);
        c->cells[e] = (int)(sn_random_bits(&random) % CELLS);
        for (int k = 0; k < 8; ++k) {
            c->corners[8 * e + k] = (int)(sn_random_bits(&random) % VERTICES);
        }
    }
}

static void run(const Case *c, const SnVoxelKernels *kernels, Output *out)
{
    SnVoxelBatch batch = {c->matrices, c->kinds, c->corners, c->rotations, c->x, out->applied};
    SnVoxelSites sites = {c->shapes, c->cells, c->rest, c->u, out->placed};
    memset(out, 0, sizeof *out);
    kernels->apply(&batch, 1, CELLS - 1); // the first and the last stay as they are
    kernels->multiply(c->matrices, c->u, out->multiplied);
    kernels->place(&sites, 1, CELLS - 1);
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
            const float *a = expected.applied, *b = got.applied;
            for (size_t i = 0; i < sizeof expected / sizeof(float); ++i) {
                if (portable) {
                    assert_true(a[i] == b[i]);
                } else {
                    // Sums of 24 numbers of at most 3, turned, each rounded once less.
                    assert_at_most(fabsf(a[i] - b[i]), 24 * 9 * 4 * FLT_EPSILON);
                }
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(variants_agree),
};

SN_TEST_GROUP(kernel_voxel, tests);
