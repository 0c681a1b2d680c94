#include "support/bending_bar.h"
#include "support/fail_allocator.h"
#include "support/file_checks.h"
#include "support/test.h"

#include "tool/picture/stage.h"

#include <math.h>
#include <unistd.h>

enum { FRAMES = 30, WIDTH = 64, HEIGHT = 48 };

static SnBendingBar bar;
static double times[FRAMES];
static char cache_path[160];

static const float low[3] = {0.0f, -1.0f, 0.0f};
static const float high[3] = {2.0f, 0.5f, 0.5f};

static SnStage small_stage(void)
{
    SnStage stage = sn_stage_fit(low, high, 1, WIDTH, HEIGHT);
    stage.samples = 4;
    return stage;
}

static SnFrame bar_at(double time)
{
    sn_bending_bar_init(&bar);
    sn_bending_bar_bend(&bar, time);
    return sn_bending_bar_frame(&bar, 0, time);
}

static SnTrack make_track(void)
{
    SnPointCacheWriter writer;
    SnPointCacheDef cache = {.vertex_count = SN_BAR_NODES, .frame_step = 1.0f};
    snprintf(cache_path, sizeof cache_path, "%s", sn_test_path("bar.pc2"));
    sn_bending_bar_init(&bar);
    assert_int_equal(sn_point_cache_begin(&writer, cache_path, &cache, 0, NULL, NULL), SINEW_OK);
    for (int f = 0; f < FRAMES; ++f) {
        times[f] = f / (double)(FRAMES - 1);
        sn_bending_bar_bend(&bar, times[f]);
        assert_int_equal(sn_point_cache_append(&writer, bar.xyz, NULL), SINEW_OK);
    }
    assert_int_equal(sn_point_cache_end(&writer, NULL), SINEW_OK);
    return (SnTrack){.name = "bar",
                     .cache_path = cache_path,
                     .vertex_count = SN_BAR_NODES,
                     .triangles = bar.triangles,
                     .triangle_count = SN_BAR_TRIANGLES};
}

// Where the picture differs from one without bodies: the box around it, in pixels.
static void find_drawn(const SnImage *image, const SnImage *empty, int out_box[4])
{
    int box[4] = {image->width, image->height, -1, -1};
    for (int y = 0; y < image->height; ++y) {
        for (int x = 0; x < image->width; ++x) {
            if (memcmp(sn_image_pixel(image, x, y), sn_image_pixel(empty, x, y), 3) != 0) {
                box[0] = x < box[0] ? x : box[0];
                box[1] = y < box[1] ? y : box[1];
                box[2] = x > box[2] ? x : box[2];
                box[3] = y > box[3] ? y : box[3];
            }
        }
    }
    memcpy(out_box, box, sizeof box);
}

static SnImage *draw(const SnStage *stage, const SnFrame *bodies, int count)
{
    SnImage *image = NULL;
    SinewError error;
    if (sn_stage_draw(stage, bodies, count, NULL, 0, NULL, NULL, &image, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return image;
}

static void the_box_is_in_the_picture_and_fills_it(void **state)
{
    (void)state;
    SnStage stage = small_stage();
    SnImage *empty = draw(&stage, NULL, 0);
    int both[4] = {WIDTH, HEIGHT, -1, -1};
    for (int i = 0; i < 2; ++i) {
        SnFrame frame = bar_at(i);
        SnImage *image = draw(&stage, &frame, 1);
        int box[4];
        find_drawn(image, empty, box);
        for (int k = 0; k < 2; ++k) {
            both[k] = box[k] < both[k] ? box[k] : both[k];
            both[2 + k] = box[2 + k] > both[2 + k] ? box[2 + k] : both[2 + k];
        }
        sn_image_destroy(image, NULL);
    }
    // Within the margin, and as wide as it leaves room for.
    assert_true(both[0] > 2 && both[1] > 2 && both[2] < WIDTH - 3 && both[3] < HEIGHT - 3);
    assert_true(both[2] - both[0] > WIDTH * 2 / 3 || both[3] - both[1] > HEIGHT * 2 / 3);
    sn_image_destroy(empty, NULL);
}

// The same bar, its axes turned round, under a stage whose z or x is up: the same picture.
static void any_axis_may_be_up(void **state)
{
    (void)state;
    SnStage stage = small_stage();
    stage.has_ground = true;
    stage.ground_height = -1.0f;
    SnFrame frame = bar_at(1.0);
    SnImage *expected = draw(&stage, &frame, 1);
    static float turned[3 * SN_BAR_NODES];
    for (int up = 0; up < 3; up += 2) {
        float from[3], to[3];
        for (int k = 0; k < 3; ++k) {
            int axis = (k + up + 2) % 3;
            from[axis] = low[k];
            to[axis] = high[k];
            for (int v = 0; v < SN_BAR_NODES; ++v) {
                turned[3 * v + axis] = bar.xyz[3 * v + k];
            }
        }
        SnStage other = sn_stage_fit(from, to, up, WIDTH, HEIGHT);
        other.samples = stage.samples;
        other.has_ground = true;
        other.ground_height = -1.0f;
        SnFrame turned_frame = frame;
        turned_frame.surface_xyz = turned;
        SnImage *image = draw(&other, &turned_frame, 1);
        assert_memory_equal(image->pixels, expected->pixels, 3 * WIDTH * HEIGHT);
        sn_image_destroy(image, NULL);
    }
    sn_image_destroy(expected, NULL);
}

static void bodies_have_colours_and_colliders_are_grey(void **state)
{
    (void)state;
    float colour[9][3];
    for (int i = 0; i < 9; ++i) {
        sn_body_colour(i, colour[i]);
        for (int j = 0; j < i && i < 8; ++j) {
            float far = 0.0f;
            for (int k = 0; k < 3; ++k) {
                far += fabsf(colour[i][k] - colour[j][k]);
            }
            assert_true(far > 0.2f);
        }
    }
    assert_memory_equal(colour[8], colour[0], sizeof colour[0]);
    SnStage stage = small_stage();
    SnFrame frame = bar_at(0.0);
    SnImage *body = draw(&stage, &frame, 1);
    SnImage *collider = NULL;
    assert_int_equal(sn_stage_draw(&stage, NULL, 0, &frame, 1, NULL, NULL, &collider, NULL),
                     SINEW_OK);
    int spread[2] = {0, 0};
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        const unsigned char *pixel[2] = {body->pixels + 3 * i, collider->pixels + 3 * i};
        for (int p = 0; p < 2; ++p) {
            int width = abs(pixel[p][0] - pixel[p][2]);
            spread[p] = width > spread[p] ? width : spread[p];
        }
    }
    assert_true(spread[0] > 80 && spread[1] < 40);
    sn_image_destroy(body, NULL);
    sn_image_destroy(collider, NULL);
}

static void empty_bounds_show_the_unit_cube(void **state)
{
    (void)state;
    const float none[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const float cube[2][3] = {{0, 0, 0}, {1, 1, 1}};
    SnStage stage = sn_stage_fit(none[0], none[1], 1, WIDTH, HEIGHT);
    SnStage expected = sn_stage_fit(cube[0], cube[1], 1, WIDTH, HEIGHT);
    assert_memory_equal(&stage.camera, &expected.camera, sizeof stage.camera);
    float bounds[2][3] = {{1, 1, 1}, {-1, -1, -1}};
    const float points[6] = {3, -4, 5, 0, 0, 0};
    sn_bounds_add(bounds[0], bounds[1], points, 2);
    const float boxed[2][3] = {{0, -4, 0}, {3, 0, 5}};
    assert_memory_equal(bounds, boxed, sizeof bounds);
}

static void a_sheet_shows_first_and_last_and_even_steps(void **state)
{
    (void)state;
    int frames[SN_SHEET_FRAMES];
    assert_int_equal(sn_sheet_choose(0, frames), 0);
    for (int count = 1; count < 300; ++count) {
        int chosen = sn_sheet_choose(count, frames);
        assert_int_equal(chosen, count < SN_SHEET_FRAMES ? count : SN_SHEET_FRAMES);
        assert_int_equal(frames[0], 0);
        assert_int_equal(frames[chosen - 1], count - 1);
        for (int i = 1; i < chosen; ++i) {
            int step = frames[i] - frames[i - 1];
            int even = (count - 1) / (chosen - 1);
            assert_true(step == even || step == even + 1);
        }
    }
    assert_int_equal(sn_sheet_choose(2147483647, frames), SN_SHEET_FRAMES);
    assert_int_equal(frames[SN_SHEET_FRAMES - 1], 2147483646);
}

static void pictures_repeat_for_any_number_of_workers(void **state)
{
    (void)state;
    SnStage stage = small_stage();
    SnFrame frame = bar_at(1.0);
    SnTrack track = make_track();
    for (int workers = 1; workers <= 3; workers += 2) {
        SnWorkers *pool = NULL;
        assert_int_equal(sn_workers_create(NULL, NULL, workers, &pool, NULL), SINEW_OK);
        const char *png = sn_test_path(workers == 1 ? "a.png" : "b.png");
        const char *sheet = sn_test_path(workers == 1 ? "c.png" : "d.png");
        assert_int_equal(sn_stage_write_png(&stage, &frame, 1, NULL, 0, png, pool, NULL, NULL),
                         SINEW_OK);
        assert_int_equal(sn_stage_write_sheet(&stage, &track, 1, times, 3, sheet, pool, NULL, NULL),
                         SINEW_OK);
        sn_workers_destroy(pool);
    }
    sn_test_expect_same_file(sn_test_path("a.png"), sn_test_path("b.png"));
    sn_test_expect_same_file(sn_test_path("c.png"), sn_test_path("d.png"));
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    SnStage stage = small_stage();
    SnFrame frame = bar_at(1.0);
    SnTrack track = make_track();
    SinewError error;
    sn_test_disk_full(100);
    SinewStatus png =
        sn_stage_write_png(&stage, &frame, 1, NULL, 0, sn_test_path("a.png"), NULL, NULL, &error);
    SinewStatus sheet = sn_stage_write_sheet(&stage, &track, 1, times, 2, sn_test_path("b.png"),
                                             NULL, NULL, &error);
    sn_test_disk_free();
    assert_int_equal(png, SINEW_ERROR_WRITE);
    assert_int_equal(sheet, SINEW_ERROR_WRITE);
    assert_int_not_equal(access(sn_test_path("a.png"), F_OK), 0);
    assert_int_not_equal(access(sn_test_path("b.png"), F_OK), 0);
}

static SinewStatus write_allocating(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTrack *track = context;
    const float none[3] = {0};
    SnStage stage = sn_stage_fit(none, high, 2, 16, 12);
    stage.samples = 1;
    SN_TRY(sn_stage_write_sheet(&stage, track, 1, times, 1, sn_test_path("a.png"), NULL, allocator,
                                error));
done:
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTrack track = make_track();
    assert_true(sn_fail_each_allocation(write_allocating, &track) > 20);
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    (void)state;
    SnStage stage = small_stage();
    SnTrack track = make_track();
    SnImage *image = NULL;
    SinewError error;
    assert_int_equal(sn_stage_write_sheet(&stage, &track, 1, times, 0, sn_test_path("a.png"), NULL,
                                          NULL, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "a sheet of 0 frames"));
    assert_int_equal(sn_stage_write_sheet(&stage, &track, 1, times, FRAMES + 1,
                                          sn_test_path("a.png"), NULL, NULL, &error),
                     SINEW_ERROR_FILE);
    SnFrame frame = bar_at(1.0);
    frame.surface_vertex_count = 2;
    assert_int_equal(sn_stage_draw(&stage, &frame, 1, NULL, 0, NULL, NULL, &image, &error),
                     SINEW_ERROR_ARGUMENT);
    stage.up_axis = 3;
    assert_int_equal(sn_stage_draw(&stage, &frame, 1, NULL, 0, NULL, NULL, &image, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "axis 3 up"));
}

#define IN_FOLDER(test)                                                                            \
    cmocka_unit_test_setup_teardown(test, sn_test_folder_make, sn_test_folder_remove)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_box_is_in_the_picture_and_fills_it),
    cmocka_unit_test(any_axis_may_be_up),
    cmocka_unit_test(bodies_have_colours_and_colliders_are_grey),
    cmocka_unit_test(empty_bounds_show_the_unit_cube),
    cmocka_unit_test(a_sheet_shows_first_and_last_and_even_steps),
    IN_FOLDER(pictures_repeat_for_any_number_of_workers),
    IN_FOLDER(a_full_disk_is_told),
    IN_FOLDER(each_allocation_may_fail),
    IN_FOLDER(what_cannot_be_drawn_is_refused),
};
SN_TEST_GROUP(picture_stage, tests);
