#include "support/fail_allocator.h"
#include "support/test.h"

#include "geometry/box_tets.h"
#include "geometry/tet_surface.h"

#include <math.h>

static SnTetMesh *make_box(SnBoxCut cut)
{
    SnBoxTetsDef def = {.max = {1.0, 2.0, 3.0}, .cells = {4, 3, 5}, .cut = cut};
    SnTetMesh *mesh = NULL;
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, NULL), SINEW_OK);
    return mesh;
}

static SnTetSurface *make_surface(const SnTetMesh *mesh)
{
    SnTetSurface *surface = NULL;
    SinewError error;
    if (sn_tet_surface_create(mesh->tets, mesh->tet_count, mesh->vertex_count, NULL, &surface,
                              &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return surface;
}

// Counts how often each directed edge is used; a closed oriented surface uses each edge once in
// either direction. Returns the Euler characteristic.
static int check_closed(const SnTetSurface *surface, int vertex_count)
{
    size_t n = (size_t)vertex_count;
    unsigned char *uses = calloc(n * n, 1);
    unsigned char *is_used = calloc(n, 1);
    for (int i = 0; i < 3 * surface->triangle_count; ++i) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        uses[(size_t)surface->triangles[i] * n + (size_t)surface->triangles[next]]++;
        is_used[surface->triangles[i]] = 1;
    }
    int edges = 0;
    int vertices = 0;
    for (size_t a = 0; a < n; ++a) {
        vertices += is_used[a];
        for (size_t b = 0; b < n; ++b) {
            assert_int_equal(uses[a * n + b], uses[b * n + a]);
            assert_in_range(uses[a * n + b], 0, 1);
            edges += uses[a * n + b];
        }
    }
    free(uses);
    free(is_used);
    return vertices - edges / 2 + surface->triangle_count;
}

// The volume inside a closed surface, by the divergence theorem; positive when normals point out.
static double enclosed_volume(const SnTetSurface *surface, const double *x)
{
    double sum = 0.0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        const double *a = x + 3 * surface->triangles[3 * t];
        const double *b = x + 3 * surface->triangles[3 * t + 1];
        const double *c = x + 3 * surface->triangles[3 * t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6.0;
}

static void the_surface_of_a_box_is_a_closed_sphere_facing_out(void **state)
{
    (void)state;
    for (SnBoxCut cut = SN_BOX_FIVE; cut <= SN_BOX_KUHN; ++cut) {
        SnTetMesh *mesh = make_box(cut);
        SnTetSurface *surface = make_surface(mesh);
        // Two triangles for each square of a cell that lies on the box.
        assert_int_equal(surface->triangle_count, 2 * 2 * (4 * 3 + 3 * 5 + 4 * 5));
        assert_int_equal(check_closed(surface, mesh->vertex_count), 2);
        assert_at_most(fabs(enclosed_volume(surface, mesh->positions) - 6.0), 1e-12);
        for (int t = 1; t < surface->triangle_count; ++t) {
            assert_true(surface->tets[t] >= surface->tets[t - 1]);
        }
        sn_tet_surface_destroy(surface, NULL);
        sn_tet_mesh_destroy(mesh, NULL);
    }
}

static void an_empty_mesh_has_an_empty_surface(void **state)
{
    (void)state;
    SnTetSurface *surface = NULL;
    assert_int_equal(sn_tet_surface_create(NULL, 0, 0, NULL, &surface, NULL), SINEW_OK);
    assert_int_equal(surface->triangle_count, 0);
    sn_tet_surface_destroy(surface, NULL);
}

static void an_index_out_of_range_is_refused(void **state)
{
    (void)state;
    const int wrong[] = {-1, 5, 1000000};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        int tets[8] = {0, 1, 2, 3, 1, 2, wrong[i], 3};
        SnTetSurface *surface = NULL;
        SinewError error;
        assert_int_equal(sn_tet_surface_create(tets, 2, 5, NULL, &surface, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_null(surface);
        assert_int_equal(error.index, 1);
        assert_non_null(strstr(error.text, "expected 0 to 4"));
    }
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    const SnTetMesh *mesh = context;
    SnTetSurface *surface = NULL;
    SinewStatus status = sn_tet_surface_create(mesh->tets, mesh->tet_count, mesh->vertex_count,
                                               allocator, &surface, error);
    assert_true((status == SINEW_OK) == (surface != NULL));
    sn_tet_surface_destroy(surface, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_box(SN_BOX_KUHN);
    assert_int_equal(sn_fail_each_allocation(create_and_destroy, mesh), 7);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_surface_of_a_box_is_a_closed_sphere_facing_out),
    cmocka_unit_test(an_empty_mesh_has_an_empty_surface),
    cmocka_unit_test(an_index_out_of_range_is_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_tet_surface, tests);
