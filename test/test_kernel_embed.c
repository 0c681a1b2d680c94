// Embedded points: every variant that runs here against the plain reference.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <float.h>
#include <math.h>

enum { POINTS = 103, NODES = 37 };

typedef struct Case {
    int nodes[8 * POINTS];
    float weights[8 * POINTS];
    float *positions; // exactly as long as needed, so that a sanitizer sees a read beyond it
} Case;

static void make_case(Case *c)
{
    SnRandom random = {7};
    for (int i = 0; i < 8 * POINTS; ++i) {
        c->nodes[i] = (int)(sn_random_bits(&random) % NODES);
        c->weights[i] = (float)sn_random_between(&random, -0.5, 1.0);
    }
    c->positions = malloc(3 * NODES * sizeof(float));
    assert_non_null(c->positions);
    for (int i = 0; i < 3 * NODES; ++i) {
        c->positions[i] = (float)sn_random_between(&random, -2.0, 2.0);
    }
}

// Points [begin, end) by one kernel; the rest of `out` keeps its mark.
static void run(const Case *c, SnEmbedFn *fn, int begin, int end, float *out)
{
    for (int i = 0; i < 3 * POINTS; ++i) {
        out[i] = 1234.5f;
    }
    SnEmbedBatch batch = {c->nodes, c->weights, c->positions, out};
    fn(&batch, begin, end);
}

static void compare(const float *got, const float *expected, bool portable)
{
    for (int i = 0; i < 3 * POINTS; ++i) {
        if (portable) {
            assert_true(got[i] == expected[i]);
        } else {
            // Eight products of at most 2, each rounded once less than in the reference.
            assert_at_most(fabsf(got[i] - expected[i]), 8 * 2.0f * 8 * FLT_EPSILON);
        }
    }
}

static void check_variant(const Case *c, const SnKernels *kernels, bool portable)
{
    static const int ranges[][2] = {{0, POINTS}, {0, 1}, {5, 5}, {3, 7}, {8, 102}, {1, 98}};
    const SnEmbedKernels *ref = sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS)->embed;
    for (int r = 0; r < SN_COUNT(ranges); ++r) {
        float expected[3 * POINTS];
        float got[3 * POINTS];
        run(c, ref->four, ranges[r][0], ranges[r][1], expected);
        run(c, kernels->embed->four, ranges[r][0], ranges[r][1], got);
        compare(got, expected, portable);
        run(c, ref->eight, ranges[r][0], ranges[r][1], expected);
        run(c, kernels->embed->eight, ranges[r][0], ranges[r][1], got);
        compare(got, expected, portable);
    }
}

static void every_variant_agrees_with_the_reference(void **state)
{
    (void)state;
    Case c;
    make_case(&c);
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            check_variant(&c, sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS), true);
            check_variant(&c, sn_kernels_of((SnIsa)isa, SN_FAST_BITS), false);
        }
    }
    free(c.positions);
}

// Weights 1/2 and 1/4 of small whole numbers are exact in every variant.
static void weights_mean_what_they_say(void **state)
{
    (void)state;
    const int nodes[8] = {3, 1, 2, 0, 0, 1, 2, 3};
    const float weights[8] = {0.5f, 0.25f, 0.25f, 0.0f, 0.25f, 0.25f, 0.25f, 0.25f};
    const float positions[12] = {0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 16};
    float xyz[6];
    SnEmbedBatch batch = {nodes, weights, positions, xyz};
    const float expected[6] = {1, 2, 8, 1, 2, 4};
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            sn_kernels_of((SnIsa)isa, SN_FAST_BITS)->embed->four(&batch, 0, 2);
            assert_memory_equal(xyz, expected, sizeof expected);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_variant_agrees_with_the_reference),
    cmocka_unit_test(weights_mean_what_they_say),
};
SN_TEST_GROUP(kernel_embed, tests);
