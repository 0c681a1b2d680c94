#include "support/test.h"

#include "geometry/bcc_link.h"

static void directions_are_found_and_paired(void **state)
{
    (void)state;
    const int from[3] = {4, 6, 8};
    for (int d = 0; d < SN_BCC_EDGES; ++d) {
        int to[3];
        for (int c = 0; c < 3; ++c) {
            to[c] = from[c] + sn_bcc_edge[d][c];
            assert_int_equal(sn_bcc_edge[d ^ 1][c], -sn_bcc_edge[d][c]);
        }
        assert_int_equal(sn_bcc_direction(from, to), d);
    }
}

// Labels by the side of a plane: one sheet of surface, from whatever side.
static void half_spaces_are_manifold(void **state)
{
    (void)state;
    for (int n = 0; n < 125; ++n) {
        const int normal[3] = {n / 25 - 2, n / 5 % 5 - 2, n % 5 - 2};
        if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) {
            continue;
        }
        SnPointLabel labels[SN_BCC_EDGES];
        for (int d = 0; d < SN_BCC_EDGES; ++d) {
            const int *e = sn_bcc_edge[d];
            int side = normal[0] * e[0] + normal[1] * e[1] + normal[2] * e[2];
            labels[d] = side < 0 ? SN_POINT_INSIDE : side > 0 ? SN_POINT_OUTSIDE : SN_POINT_ON;
        }
        assert_true(sn_bcc_is_manifold(labels));
    }
}

static void all_around_and_nothing_are_manifold(void **state)
{
    (void)state;
    for (int l = SN_POINT_OUTSIDE; l <= SN_POINT_ON; ++l) {
        SnPointLabel labels[SN_BCC_EDGES];
        for (int d = 0; d < SN_BCC_EDGES; ++d) {
            labels[d] = (SnPointLabel)l;
        }
        assert_true(sn_bcc_is_manifold(labels));
    }
}

static void two_sheets_are_not(void **state)
{
    (void)state;
    for (int d = 0; d < SN_BCC_EDGES; ++d) {
        // Body on two opposite sides, a gap between; and the other way round.
        SnPointLabel apart[SN_BCC_EDGES];
        SnPointLabel gap[SN_BCC_EDGES];
        for (int e = 0; e < SN_BCC_EDGES; ++e) {
            bool is_pole = e == d || e == (d ^ 1);
            apart[e] = is_pole ? SN_POINT_INSIDE : SN_POINT_OUTSIDE;
            gap[e] = is_pole ? SN_POINT_OUTSIDE : SN_POINT_INSIDE;
        }
        assert_false(sn_bcc_is_manifold(apart));
        assert_false(sn_bcc_is_manifold(gap));
    }
}

// Around the edge to a point on the surface the body comes in two fans.
static void a_pinched_edge_is_not(void **state)
{
    (void)state;
    SnPointLabel labels[SN_BCC_EDGES];
    for (int d = 0; d < SN_BCC_EDGES; ++d) {
        const int *e = sn_bcc_edge[d];
        // Inside where x y > 0 around +z, closed on the other side of the point.
        bool inside = e[0] * e[1] > 0 || e[2] < 0;
        labels[d] = inside ? SN_POINT_INSIDE : SN_POINT_OUTSIDE;
    }
    labels[4] = SN_POINT_ON;
    assert_false(sn_bcc_is_manifold(labels));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(directions_are_found_and_paired),
    cmocka_unit_test(half_spaces_are_manifold),
    cmocka_unit_test(all_around_and_nothing_are_manifold),
    cmocka_unit_test(two_sheets_are_not),
    cmocka_unit_test(a_pinched_edge_is_not),
};
SN_TEST_GROUP(geometry_bcc_link, tests);
