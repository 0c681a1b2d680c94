// Cuts of tet meshes: what opens, which vertices are split, and what the blade finds.
#include "support/fail_allocator.h"
#include "support/test.h"

#include "geometry/blade.h"
#include "geometry/box_tets.h"
#include "geometry/tet_surface.h"

#include <math.h>

static SnTetMesh *make_box(void)
{
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {4, 4, 4}, .cut = SN_BOX_FIVE};
    SnTetMesh *mesh = NULL;
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, NULL), SINEW_OK);
    return mesh;
}

static int *neighbours_of(const SnTetMesh *mesh)
{
    int *neighbours = NULL;
    assert_int_equal(sn_tet_neighbours_create(mesh->tets, mesh->tet_count, mesh->vertex_count, NULL,
                                              NULL, &neighbours, NULL),
                     SINEW_OK);
    return neighbours;
}

static SnTetCutList find_with(const SnTetMesh *mesh, const int *neighbours, const SnBlade *blade,
                              bool removes)
{
    SnBladeMesh target = {mesh->tets, mesh->tet_count, mesh->vertex_count, mesh->positions,
                          neighbours};
    SnTetCutList list;
    SinewError error;
    if (sn_blade_find(blade, &target, removes, NULL, &list, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return list;
}

static SnTetCut *make_cut(const SnTetMesh *mesh, const int *neighbours, const SnTetCutList *list)
{
    SnTetCut *cut = NULL;
    SinewError error;
    if (sn_tet_cut_create(mesh->tets, mesh->tet_count, mesh->vertex_count, neighbours, list, NULL,
                          &cut, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return cut;
}

// What neighbours near the blade alone lead to: the same list, and the same cut.
static void expect_same_from_near(const SnTetMesh *mesh, const SnBlade *blade, bool removes,
                                  const int *all, const SnTetCutList *list)
{
    SnBladeMesh target = {mesh->tets, mesh->tet_count, mesh->vertex_count, mesh->positions, NULL};
    unsigned char *near = NULL;
    int *neighbours = NULL;
    assert_int_equal(sn_blade_mark(blade, &target, NULL, &near, NULL), SINEW_OK);
    assert_int_equal(sn_tet_neighbours_create(mesh->tets, mesh->tet_count, mesh->vertex_count, near,
                                              NULL, &neighbours, NULL),
                     SINEW_OK);
    SnTetCutList found = find_with(mesh, neighbours, blade, removes);
    assert_int_equal(found.count, list->count);
    assert_memory_equal(found.items, list->items, (size_t)list->count * sizeof *list->items);
    SnTetCut *one = make_cut(mesh, all, list), *other = make_cut(mesh, neighbours, list);
    assert_int_equal(one->vertex_count, other->vertex_count);
    assert_int_equal(one->face_count, other->face_count);
    assert_int_equal(one->pieces, other->pieces);
    assert_memory_equal(one->tets, other->tets, 4 * (size_t)one->tet_count * sizeof *one->tets);
    assert_memory_equal(one->faces, other->faces, (size_t)one->face_count * sizeof *one->faces);
    sn_tet_cut_destroy(one, NULL);
    sn_tet_cut_destroy(other, NULL);
    sn_tet_cut_list_release(&found, NULL);
    sn_free(NULL, neighbours);
    sn_free(NULL, near);
}

static SnTetCutList find(const SnTetMesh *mesh, const int *neighbours, const SnBlade *blade,
                         bool removes)
{
    SnTetCutList list = find_with(mesh, neighbours, blade, removes);
    expect_same_from_near(mesh, blade, removes, neighbours, &list);
    return list;
}

static void neighbours_are_mutual_and_miss_the_outside(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_box();
    int *neighbours = neighbours_of(mesh);
    SnTetSurface *surface = NULL;
    int outside = 0;
    assert_int_equal(sn_tet_surface_create(mesh->tets, mesh->tet_count, mesh->vertex_count, NULL,
                                           &surface, NULL),
                     SINEW_OK);
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        outside += neighbours[i] < 0;
        assert_true(neighbours[i] < 0 || neighbours[neighbours[i]] == i);
    }
    assert_int_equal(outside, surface->triangle_count);
    sn_tet_surface_destroy(surface, NULL);
    sn_free(NULL, neighbours);
    sn_tet_mesh_destroy(mesh, NULL);
}

// Every tet keeps its corners' places, and tets of different sides share no vertex.
static void a_plane_parts_the_sides(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_box();
    int *neighbours = neighbours_of(mesh);
    SnBlade blade = {.point = {0.52, 0.0, 0.0}, .normal = {2.0, 0.0, 0.0}};
    SnTetCutList list = find(mesh, neighbours, &blade, false);
    SnTetCut *cut = make_cut(mesh, neighbours, &list);
    signed char *sides = calloc((size_t)cut->vertex_count, 1);
    assert_int_equal(cut->tet_count, mesh->tet_count);
    assert_int_equal(cut->pieces, 2);
    assert_int_equal(cut->face_count, 2 * list.count);
    for (int t = 0; t < cut->tet_count; ++t) {
        double middle = 0.0;
        assert_int_equal(cut->tet_source[t], t);
        for (int c = 4 * t; c < 4 * t + 4; ++c) {
            assert_int_equal(cut->vertex_source[cut->tets[c]], mesh->tets[c]);
            middle += 0.25 * mesh->positions[3 * mesh->tets[c]];
        }
        signed char side = middle >= 0.52 ? 1 : -1;
        for (int c = 4 * t; c < 4 * t + 4; ++c) {
            assert_true(sides[cut->tets[c]] == 0 || sides[cut->tets[c]] == side);
            sides[cut->tets[c]] = side;
        }
    }
    // Copies come after all others, and only of marked vertices.
    for (int v = 0; v < cut->vertex_count; ++v) {
        assert_true(v >= mesh->vertex_count ? cut->is_split[cut->vertex_source[v]] == 1
                                            : cut->vertex_source[v] == v);
    }
    free(sides);
    sn_tet_cut_destroy(cut, NULL);
    sn_tet_cut_list_release(&list, NULL);
    sn_free(NULL, neighbours);
    sn_tet_mesh_destroy(mesh, NULL);
}

// A disc in the middle opens a slit: one piece, and vertices at its edge stay single.
static void a_disc_leaves_its_edge_joined(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_box();
    int *neighbours = neighbours_of(mesh);
    SnBlade blade = {.point = {0.5, 0.5, 0.5}, .normal = {0.0, 0.0, 1.0}, .radius = 0.38};
    SnTetCutList list = find(mesh, neighbours, &blade, false);
    SnTetCut *cut = make_cut(mesh, neighbours, &list);
    assert_int_equal(cut->pieces, 1);
    assert_true(cut->vertex_count > mesh->vertex_count);
    for (int v = mesh->vertex_count; v < cut->vertex_count; ++v) {
        const double *x = mesh->positions + 3 * cut->vertex_source[v];
        assert_at_most(hypot(x[0] - 0.5, x[1] - 0.5), 0.38 + 0.25);
    }
    sn_tet_cut_destroy(cut, NULL);
    sn_tet_cut_list_release(&list, NULL);
    // One that splits no vertex opens nothing.
    int face = -1;
    for (int i = 0; i < 4 * mesh->tet_count && face < 0; ++i) {
        face = neighbours[i] >= 0 ? i : -1;
    }
    SnTetCutList one = {.count = 1, .items = &face};
    cut = make_cut(mesh, neighbours, &one);
    assert_int_equal(cut->face_count, 0);
    assert_int_equal(cut->vertex_count, mesh->vertex_count);
    sn_tet_cut_destroy(cut, NULL);
    sn_free(NULL, neighbours);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void tets_go_with_vertices_that_nobody_has(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_box();
    int *neighbours = neighbours_of(mesh);
    SnBlade blade = {.point = {0.9, 0.0, 0.0}, .normal = {1.0, 0.0, 0.0}};
    SnTetCutList list = find(mesh, neighbours, &blade, true);
    SnTetCut *cut = make_cut(mesh, neighbours, &list);
    // The last layer of cells goes, all of whose tets are crossed, with its far face of vertices.
    assert_int_equal(list.count, 5 * 16);
    assert_int_equal(cut->tet_count, mesh->tet_count - 5 * 16);
    assert_int_equal(cut->vertex_count, mesh->vertex_count - 25);
    assert_int_equal(cut->face_count, 2 * 16);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        bool far = mesh->positions[3 * v] > 0.99;
        assert_true((cut->vertex_place[v] < 0) == far);
        assert_true(far || cut->vertex_source[cut->vertex_place[v]] == v);
    }
    for (int t = 0; t < mesh->tet_count; ++t) {
        int place = cut->tet_place[t];
        for (int c = 0; place >= 0 && c < 4; ++c) {
            assert_int_equal(cut->vertex_source[cut->tets[4 * place + c]], mesh->tets[4 * t + c]);
        }
    }
    sn_tet_cut_destroy(cut, NULL);
    sn_tet_cut_list_release(&list, NULL);
    sn_free(NULL, neighbours);
    sn_tet_mesh_destroy(mesh, NULL);
}

// A grid of triangles in the plane z = 0.52, whose edges and corners lie right under the middles of
// tets: nothing slips through.
static void a_grid_of_triangles_is_a_plane(void **state)
{
    (void)state;
    enum { N = 8 };
    SnTetMesh *mesh = make_box();
    int *neighbours = neighbours_of(mesh);
    SnSurface *grid = NULL;
    assert_int_equal(sn_surface_create((N + 1) * (N + 1), 2 * N * N, 0, 1, NULL, &grid, NULL),
                     SINEW_OK);
    for (int v = 0; v < (N + 1) * (N + 1); ++v) {
        const double x[3] = {-0.5 + 2.0 * (v % (N + 1)) / N, -0.5 + 2.0 * (v / (N + 1)) / N, 0.52};
        memcpy(grid->positions + 3 * v, x, sizeof x);
    }
    for (int q = 0; q < N * N; ++q) {
        int a = q / N * (N + 1) + q % N;
        // Every other triangle is turned round: orientations do not matter.
        const int corners[6] = {a, a + 1, a + N + 2, a + N + 2, a, a + N + 1};
        memcpy(grid->triangles + 6 * q, corners, sizeof corners);
    }
    for (int removes = 0; removes < 2; ++removes) {
        SnBlade plane = {.point = {0.0, 0.0, 0.52}, .normal = {0.0, 0.0, 1.0}};
        SnBlade sheet = {.surface = grid};
        SnTetCutList one = find(mesh, neighbours, &plane, removes == 1);
        SnTetCutList other = find(mesh, neighbours, &sheet, removes == 1);
        assert_int_equal(one.count, other.count);
        assert_memory_equal(one.items, other.items, (size_t)one.count * sizeof(int));
        sn_tet_cut_list_release(&one, NULL);
        sn_tet_cut_list_release(&other, NULL);
    }
    sn_surface_destroy(grid, NULL);
    sn_free(NULL, neighbours);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void items_that_are_not_there_are_refused(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_box();
    int *neighbours = neighbours_of(mesh);
    SnTetCut *cut = NULL;
    SinewError error;
    int items[] = {0, 4 * mesh->tet_count};
    SnTetCutList list = {.count = 2, .items = items};
    assert_int_equal(sn_tet_cut_create(mesh->tets, mesh->tet_count, mesh->vertex_count, neighbours,
                                       &list, NULL, &cut, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "names the face"));
    list.removes = true;
    items[1] = -1;
    assert_int_equal(sn_tet_cut_create(mesh->tets, mesh->tet_count, mesh->vertex_count, neighbours,
                                       &list, NULL, &cut, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "names the tet -1"));
    assert_null(cut);
    sn_free(NULL, neighbours);
    sn_tet_mesh_destroy(mesh, NULL);
}

static SinewStatus cut_all(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetMesh *mesh = context;
    int *neighbours = NULL;
    unsigned char *near = NULL;
    SnTetCutList list = {0};
    SnTetCut *cut = NULL;
    SnBlade blade = {.point = {0.52, 0.0, 0.0}, .normal = {1.0, 0.0, 0.0}};
    SnBladeMesh target = {mesh->tets, mesh->tet_count, mesh->vertex_count, mesh->positions, NULL};
    SN_TRY(sn_blade_mark(&blade, &target, allocator, &near, error));
    SN_TRY(sn_tet_neighbours_create(mesh->tets, mesh->tet_count, mesh->vertex_count, near,
                                    allocator, &neighbours, error));
    target.neighbours = neighbours;
    SN_TRY(sn_blade_find(&blade, &target, false, allocator, &list, error));
    SN_TRY(sn_tet_cut_create(mesh->tets, mesh->tet_count, mesh->vertex_count, neighbours, &list,
                             allocator, &cut, error));
done:
    sn_tet_cut_destroy(cut, allocator);
    sn_tet_cut_list_release(&list, allocator);
    sn_free(allocator, neighbours);
    sn_free(allocator, near);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_box();
    assert_true(sn_fail_each_allocation(cut_all, mesh) > 10);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(neighbours_are_mutual_and_miss_the_outside),
    cmocka_unit_test(a_plane_parts_the_sides),
    cmocka_unit_test(a_disc_leaves_its_edge_joined),
    cmocka_unit_test(tets_go_with_vertices_that_nobody_has),
    cmocka_unit_test(a_grid_of_triangles_is_a_plane),
    cmocka_unit_test(items_that_are_not_there_are_refused),
    cmocka_unit_test(every_allocation_may_fail),
};

SN_TEST_GROUP(geometry_tet_cut, tests);
