// Compliance between frames: of matrices whose inverse is known.
#include "support/test.h"

#include "model/frames/compliance.h"
#include "support/fail_allocator.h"

#include <math.h>

enum { DOFS = 18 };

// Three frames, each dof of which is a chain of springs of its own from frame to frame.
static void make_chains(double first, double second, double K[DOFS * DOFS])
{
    memset(K, 0, DOFS * DOFS * sizeof *K);
    for (int d = 0; d < 6; ++d) {
        for (int i = 0; i < 2; ++i) {
            int a = 6 * i + d, b = a + 6;
            double k = (i == 0 ? first : second) * (1 + d);
            K[DOFS * a + a] += k;
            K[DOFS * b + b] += k;
            K[DOFS * a + b] -= k;
            K[DOFS * b + a] -= k;
        }
    }
}

// The last frame gives way by 1 / k + 1 / k, the one before by the first of the two.
static void chains_give_way_by_their_sum(void **state)
{
    (void)state;
    double of[DOFS * DOFS], K[DOFS * DOFS];
    SnComplianceRatio ratio;
    make_chains(1.0, 1.0, of);
    make_chains(2.0, 0.5, K);
    assert_int_equal(sn_compliance_compare(K, of, 3, NULL, &ratio, NULL), SINEW_OK);
    assert_at_most(fabs(ratio.least - 0.5), 1e-14);
    assert_at_most(fabs(ratio.most - 1.25), 1e-14); // of 1 / 2 + 2 over 1 + 1
}

static void what_nothing_holds_gives_way_for_ever(void **state)
{
    (void)state;
    double of[DOFS * DOFS], K[DOFS * DOFS];
    SnComplianceRatio ratio;
    make_chains(1.0, 1.0, of);
    make_chains(1.0, 0.0, K);
    assert_int_equal(sn_compliance_compare(K, of, 3, NULL, &ratio, NULL), SINEW_OK);
    assert_true(isinf(ratio.most));
}

static SinewStatus compare(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SnComplianceRatio ratio;
    return sn_compliance_compare(context, context, 3, allocator, &ratio, error);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    double K[DOFS * DOFS];
    make_chains(1.0, 1.0, K);
    assert_true(sn_fail_each_allocation(compare, K) > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(chains_give_way_by_their_sum),
    cmocka_unit_test(what_nothing_holds_gives_way_for_ever),
    cmocka_unit_test(every_allocation_fails_once),
};
SN_TEST_GROUP(model_frames_compliance, tests);
