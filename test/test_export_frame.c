#include "support/bending_bar.h"
#include "support/fail_allocator.h"
#include "support/file_checks.h"
#include "support/test.h"

#include "io/surface_files.h"
#include "io/tet_files.h"
#include "tool/export/pvd.h"

#include <math.h>
#include <unistd.h>

static SnBendingBar bar;

static SnFrame make_frame(int corners)
{
    sn_bending_bar_init(&bar);
    sn_bending_bar_bend(&bar, 0.75);
    return sn_bending_bar_frame(&bar, corners, 0.75);
}

// A writer of frames, all of the same shape.
typedef SinewStatus Writer(const SnFrame *frame, const char *path, const SinewAllocator *allocator,
                           SinewError *error);

static SinewStatus write_vtu(const SnFrame *frame, const char *path,
                             const SinewAllocator *allocator, SinewError *error)
{
    return sn_frame_write_vtu(frame, false, path, allocator, error);
}

static SinewStatus write_packed(const SnFrame *frame, const char *path,
                                const SinewAllocator *allocator, SinewError *error)
{
    return sn_frame_write_vtu(frame, true, path, allocator, error);
}

static Writer *const writers[] = {write_vtu, write_packed, sn_frame_write_obj, sn_frame_write_ply};

static void tets_come_back_to_the_last_bit(void **state)
{
    (void)state;
    SnFrame frame = make_frame(4);
    for (int w = 0; w < 2; ++w) {
        const char *path = sn_test_path("bar.vtu");
        assert_int_equal(writers[w](&frame, path, NULL, NULL), SINEW_OK);
        SnTetMesh *mesh = NULL;
        SnTetReport report;
        assert_int_equal(sn_tet_mesh_read_report(path, NULL, &mesh, &report, NULL), SINEW_OK);
        assert_int_equal(report.flipped_tets, 0);
        assert_int_equal(mesh->vertex_count, SN_BAR_NODES);
        assert_int_equal(mesh->tet_count, 6 * SN_BAR_CELLS);
        assert_memory_equal(mesh->positions, bar.nodes, sizeof bar.nodes);
        assert_memory_equal(mesh->tets, bar.tets, sizeof bar.tets);
        assert_memory_equal(mesh->regions, bar.regions, sizeof bar.regions);
        sn_tet_mesh_destroy(mesh, NULL);
    }
}

// Where the raw bytes of an array stand in a VTU file, and how many there are.
static const char *find_array(const char *text, size_t size, const char *name, size_t *out_size)
{
    const char *raw = NULL;
    static const char marker[] = "<AppendedData encoding=\"raw\">\n_";
    for (size_t i = 0; i + sizeof marker < size && raw == NULL; ++i) {
        if (memcmp(text + i, marker, sizeof marker - 1) == 0) {
            raw = text + i + sizeof marker - 1;
        }
    }
    assert_non_null(raw);
    char wanted[80];
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char *at = strstr(text, wanted);
    assert_non_null(at);
    at = strstr(at, "offset=\"");
    assert_non_null(at);
    raw += strtoul(at + 8, NULL, 10);
    uint64_t length;
    memcpy(&length, raw, 8);
    *out_size = (size_t)length;
    return raw + 8;
}

static void expect_array(const char *text, size_t size, const char *name, const void *expected,
                         size_t expected_size)
{
    size_t found;
    const char *data = find_array(text, size, name, &found);
    assert_int_equal(found, expected_size);
    assert_memory_equal(data, expected, expected_size);
}

static void cells_go_round_as_vtk_has_them(void **state)
{
    (void)state;
    SnFrame frame = make_frame(8);
    const char *path = sn_test_path("bar.vtu");
    assert_int_equal(write_vtu(&frame, path, NULL, NULL), SINEW_OK);
    size_t size, found;
    char *text = sn_test_load(path, &size);
    const char *data = find_array(text, size, "connectivity", &found);
    assert_int_equal(found, sizeof bar.cells);
    // Corners of a cell of VTK: along x, then y, back along x; the same again above.
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const double width[3] = {2.0 / SN_BAR_X, 0.5 / SN_BAR_YZ, 0.5 / SN_BAR_YZ};
    for (int c = 0; c < SN_BAR_CELLS; ++c) {
        int nodes[8];
        memcpy(nodes, data + 32 * c, 32);
        for (int i = 0; i < 8; ++i) {
            for (int k = 0; k < 3; ++k) {
                double far = bar.rest[3 * nodes[i] + k] - bar.rest[3 * nodes[0] + k];
                // A few roundings of numbers up to 2.
                assert_at_most(fabs(far - corner[i][k] * width[k]), 2e-15);
            }
        }
    }
    free(text);
}

static void a_frame_carries_its_fields(void **state)
{
    (void)state;
    SnFrame frame = make_frame(8);
    const char *path = sn_test_path("bar.vtu");
    assert_int_equal(write_vtu(&frame, path, NULL, NULL), SINEW_OK);
    size_t size;
    char *text = sn_test_load(path, &size);
    double moved[3 * SN_BAR_NODES];
    for (int i = 0; i < 3 * SN_BAR_NODES; ++i) {
        moved[i] = bar.nodes[i] - bar.rest[i];
    }
    expect_array(text, size, "displacement", moved, sizeof moved);
    expect_array(text, size, "velocity", bar.velocities, sizeof bar.velocities);
    expect_array(text, size, "energy _J_", bar.values, SN_BAR_CELLS * sizeof(double));
    expect_array(text, size, "region", bar.regions, SN_BAR_CELLS * sizeof(int));
    expect_array(text, size, "TimeValue", &frame.time, sizeof frame.time);
    free(text);
    frame.rest_xyz = NULL;
    frame.velocities = NULL;
    frame.element_values = NULL;
    frame.regions = NULL;
    assert_int_equal(write_vtu(&frame, path, NULL, NULL), SINEW_OK);
    text = sn_test_load(path, &size);
    assert_null(strstr(text, "displacement"));
    assert_null(strstr(text, "velocity"));
    assert_null(strstr(text, "region"));
    free(text);
}

static void a_body_without_elements_gives_its_surface(void **state)
{
    (void)state;
    SnFrame frame = make_frame(0);
    const char *path = sn_test_path("bar.vtu");
    assert_int_equal(write_vtu(&frame, path, NULL, NULL), SINEW_OK);
    size_t size, found;
    char *text = sn_test_load(path, &size);
    expect_array(text, size, "connectivity", bar.triangles, sizeof bar.triangles);
    const char *types = find_array(text, size, "types", &found);
    assert_int_equal(found, SN_BAR_TRIANGLES);
    assert_int_equal(types[0], 5);
    free(text);
}

static void surfaces_come_back_to_the_last_bit(void **state)
{
    (void)state;
    static float normals[3 * SN_BAR_NODES];
    for (int i = 0; i < 3 * SN_BAR_NODES; ++i) {
        normals[i] = (float)(i % 3 == 2);
    }
    SnFrame frame = make_frame(4);
    frame.body = "a bar\n# of clay";
    for (int n = 0; n < 2; ++n) {
        frame.surface_normals = n == 0 ? NULL : normals;
        for (int w = 2; w < 4; ++w) {
            const char *path = sn_test_path(w == 2 ? "bar.obj" : "bar.ply");
            assert_int_equal(writers[w](&frame, path, NULL, NULL), SINEW_OK);
            SnSurface *surface = NULL;
            assert_int_equal(sn_surface_read(path, NULL, &surface, NULL), SINEW_OK);
            assert_int_equal(surface->vertex_count, SN_BAR_NODES);
            assert_int_equal(surface->triangle_count, SN_BAR_TRIANGLES);
            assert_memory_equal(surface->triangles, bar.triangles, sizeof bar.triangles);
            for (int i = 0; i < 3 * SN_BAR_NODES; ++i) {
                assert_true((float)surface->positions[i] == bar.xyz[i]);
            }
            if (w == 2) {
                assert_string_equal(surface->names.text[0], "a bar__ of clay");
            }
            sn_surface_destroy(surface, NULL);
        }
    }
}

static void the_same_frame_gives_the_same_bytes(void **state)
{
    (void)state;
    SnFrame frame = make_frame(8);
    for (int w = 0; w < SN_COUNT(writers); ++w) {
        assert_int_equal(writers[w](&frame, sn_test_path("a"), NULL, NULL), SINEW_OK);
        assert_int_equal(writers[w](&frame, sn_test_path("b"), NULL, NULL), SINEW_OK);
        sn_test_expect_same_file(sn_test_path("a"), sn_test_path("b"));
    }
}

static void a_full_disk_leaves_the_old_frame(void **state)
{
    (void)state;
    SnFrame frame = make_frame(8);
    for (int w = 0; w < SN_COUNT(writers); ++w) {
        assert_int_equal(writers[w](&frame, sn_test_path("a"), NULL, NULL), SINEW_OK);
        assert_int_equal(writers[w](&frame, sn_test_path("b"), NULL, NULL), SINEW_OK);
        SinewError error;
        sn_test_disk_full(500);
        SinewStatus status = writers[w](&frame, sn_test_path("a"), NULL, &error);
        sn_test_disk_free();
        assert_int_equal(status, SINEW_ERROR_WRITE);
        assert_non_null(strstr(error.text, "cannot be written"));
        sn_test_expect_same_file(sn_test_path("a"), sn_test_path("b"));
        if (access("/dev/full", W_OK) == 0) {
            assert_int_equal(writers[w](&frame, "/dev/full", NULL, &error), SINEW_ERROR_WRITE);
        }
        assert_int_equal(writers[w](&frame, "/no/such/folder/a", NULL, &error), SINEW_ERROR_WRITE);
    }
}

static void expect_refused(const SnFrame *frame, const char *sentence)
{
    for (int w = 0; w < SN_COUNT(writers); ++w) {
        SinewError error;
        assert_int_equal(writers[w](frame, sn_test_path("none"), NULL, &error),
                         SINEW_ERROR_ARGUMENT);
        if (strstr(error.text, sentence) == NULL) {
            fail_msg("\"%s\" holds no \"%s\"", error.text, sentence);
        }
        assert_int_not_equal(access(sn_test_path("none"), F_OK), 0);
    }
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    (void)state;
    SnFrame good = make_frame(4);
    SnFrame frame = good;
    frame.corners = 5;
    expect_refused(&frame, "body \"bar\" has 648 elements with 5 corners, expected 4 or 8");
    frame = good;
    frame.node_count = -1;
    expect_refused(&frame, "-1 nodes");
    frame = good;
    frame.node_count = 7;
    expect_refused(&frame, "element 0 names vertex ");
    frame = good;
    frame.surface_vertex_count = 3;
    expect_refused(&frame, "triangle 0 names vertex ");
    frame = good;
    frame.elements = NULL;
    expect_refused(&frame, "counts without the arrays");
    frame = good;
    frame.element_value_name = NULL;
    expect_refused(&frame, "counts without the arrays");
    bar.nodes[31] = INFINITY;
    expect_refused(&good, "the position of node 10 is not finite");
    bar.xyz[2] = NAN;
    expect_refused(&good, "the position of vertex 0 is not finite");
}

static SinewStatus write_all(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrame *frame = context;
    const SnPvdEntry entry = {.time = 1.0, .file = "a.vtu"};
    for (int w = 0; w < SN_COUNT(writers); ++w) {
        SN_TRY(writers[w](frame, sn_test_path("a"), allocator, error));
    }
    frame->corners = 0;
    frame->element_count = 0;
    SN_TRY(write_vtu(frame, sn_test_path("a"), allocator, error));
    SN_TRY(sn_pvd_write(&entry, 1, sn_test_path("a"), allocator, error));
done:
    *frame = sn_bending_bar_frame(&bar, 8, 0.75);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnFrame frame = make_frame(8);
    assert_true(sn_fail_each_allocation(write_all, &frame) > 10);
}

static void a_list_names_frames_and_times(void **state)
{
    (void)state;
    const SnPvdEntry entries[] = {
        {.time = 0.0, .part = 0, .name = "left", .file = "left_0000.vtu"},
        {.time = 0.1, .part = 1, .file = "a&b \"c\".vtu"},
    };
    const char *path = sn_test_path("run.pvd");
    assert_int_equal(sn_pvd_write(entries, 2, path, NULL, NULL), SINEW_OK);
    size_t size;
    char *text = sn_test_load(path, &size);
    assert_non_null(strstr(text, "<DataSet timestep=\"0\" group=\"\" part=\"0\" name=\"left\" "
                                 "file=\"left_0000.vtu\"/>"));
    assert_non_null(strstr(text, "<DataSet timestep=\"0.10000000000000001\" group=\"\" part=\"1\" "
                                 "file=\"a&amp;b &quot;c&quot;.vtu\"/>"));
    free(text);
    SinewError error;
    assert_int_equal(sn_pvd_write(entries, 2, "/no/such/folder/a.pvd", NULL, &error),
                     SINEW_ERROR_WRITE);
}

#define IN_FOLDER(test)                                                                            \
    cmocka_unit_test_setup_teardown(test, sn_test_folder_make, sn_test_folder_remove)

static const struct CMUnitTest tests[] = {
    IN_FOLDER(tets_come_back_to_the_last_bit),
    IN_FOLDER(cells_go_round_as_vtk_has_them),
    IN_FOLDER(a_frame_carries_its_fields),
    IN_FOLDER(a_body_without_elements_gives_its_surface),
    IN_FOLDER(surfaces_come_back_to_the_last_bit),
    IN_FOLDER(the_same_frame_gives_the_same_bytes),
    IN_FOLDER(a_full_disk_leaves_the_old_frame),
    IN_FOLDER(what_does_not_fit_is_refused_by_name),
    IN_FOLDER(each_allocation_may_fail),
    IN_FOLDER(a_list_names_frames_and_times),
};
SN_TEST_GROUP(export_frame, tests);
