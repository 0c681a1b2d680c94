#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <math.h>

enum { FRAMES = 3, GROUPS = 3, DOFS = 6 * FRAMES, PAIRS = FRAMES * (FRAMES + 1) / 2 };

// Everything that the kernels read and write, aligned as their memory is.
typedef struct Rig {
    _Alignas(64) double frames[8 * FRAMES];
    _Alignas(64) double jacobians[48 * FRAMES];
    _Alignas(64) double X[3 * GROUPS * SN_FRAMES_GROUP];
    _Alignas(64) double weights[4 * FRAMES * GROUPS * SN_FRAMES_GROUP];
    _Alignas(64) double roots[SN_FRAMES_ROOT * GROUPS * SN_FRAMES_GROUP];
    _Alignas(64) double forces[3 * GROUPS * SN_FRAMES_GROUP];
    _Alignas(64) double stiffness[6 * GROUPS * SN_FRAMES_GROUP];
    _Alignas(64) double dets[GROUPS * SN_FRAMES_GROUP];
    _Alignas(64) double energy[SN_FRAMES_GROUP];
    _Alignas(64) double gradient[8 * FRAMES * SN_FRAMES_GROUP];
    _Alignas(64) double matrix[DOFS * (DOFS + 1) / 2 * SN_FRAMES_GROUP];
    _Alignas(64) double blocks[64 * PAIRS * SN_FRAMES_GROUP];
    _Alignas(64) double scratch[100 * FRAMES * SN_FRAMES_GROUP];
    _Alignas(64) double x[3 * GROUPS * SN_FRAMES_GROUP];
} Rig;

static void fill(SnRandom *random, double *numbers, size_t count, double low, double high)
{
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = sn_random_between(random, low, high);
    }
}

#define FILL(member, low, high)                                                                    \
    fill(&random, rig->member, sizeof rig->member / sizeof *rig->member, low, high)

static void make_rig(Rig *rig)
{
    SnRandom random = {7};
    memset(rig, 0, sizeof *rig);
    FILL(frames, -0.3, 0.3);
    for (int i = 0; i < FRAMES; ++i) {
        rig->frames[8 * i + 3] += 1.0; // turns of less than a half: blends do not vanish
    }
    FILL(jacobians, -1.0, 1.0);
    FILL(X, -1.0, 1.0);
    FILL(weights, 0.1, 0.6);
    FILL(roots, -1.0, 1.0);
    FILL(forces, -1.0, 1.0);
    FILL(stiffness, -1.0, 1.0);
}

// Green's strains with offsets, linear ones without: stiffness stands in for the numbers.
static void run(const SnFramesKernels *kernels, bool green, Rig *rig)
{
    SnFramesBatch batch = {.frame_count = FRAMES,
                           .frames = rig->frames,
                           .jacobians = rig->jacobians,
                           .X = rig->X,
                           .weights = rig->weights,
                           .roots = rig->roots,
                           .offsets = green ? rig->stiffness : NULL,
                           .green = green,
                           .dets = rig->dets,
                           .energy = rig->energy,
                           .gradient = rig->gradient,
                           .matrix = rig->matrix,
                           .blocks = rig->blocks,
                           .scratch = rig->scratch};
    SnFramesPoints points = {.frame_count = FRAMES,
                             .frames = rig->frames,
                             .X = rig->X,
                             .weights = rig->weights,
                             .x = rig->x,
                             .forces = rig->forces,
                             .stiffness = rig->stiffness,
                             .gradient = rig->gradient,
                             .blocks = rig->blocks,
                             .curved = true};
    make_rig(rig);
    kernels->samples(&batch, 0, GROUPS);
    kernels->place(&points, 0, GROUPS);
    kernels->push(&points, 0, GROUPS);
}

static void expect_near(const double *got, const double *want, size_t count, bool same)
{
    double most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        most = fmax(most, fabs(want[i]));
    }
    for (size_t i = 0; i < count; ++i) {
        // Fused multiply-adds round once where the reference rounds twice, in sums of some hundred
        // terms.
        assert_at_most(fabs(got[i] - want[i]), same ? 0.0 : 1e-12 * most);
    }
}

#define EXPECT(member)                                                                             \
    expect_near(got.member, want.member, sizeof want.member / sizeof *want.member, same)

static void every_set_agrees_with_the_reference(void **state)
{
    (void)state;
    static Rig want, got;
    const SnKernels *reference = sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS);
    for (int n = 0; n < 4 * SN_ISA_COUNT; ++n) {
        SnIsa isa = (SnIsa)(n / 4);
        bool same = n % 2 == 0, green = n / 2 % 2 == 1;
        if (!sn_isa_runs(isa)) {
            continue;
        }
        const SnKernels *kernels = sn_kernels_of(isa, same ? SN_PORTABLE_BITS : SN_FAST_BITS);
        run(reference->frames, green, &want);
        run(kernels->frames, green, &got);
        EXPECT(dets);
        EXPECT(energy);
        EXPECT(gradient);
        EXPECT(matrix);
        EXPECT(blocks);
        EXPECT(x);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_set_agrees_with_the_reference),
};
SN_TEST_GROUP(kernel_frames, tests);
