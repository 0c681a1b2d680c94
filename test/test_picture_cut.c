// The cut-away plane: clipping, and pictures of bodies cut open.
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/hash.h"
#include "tool/picture/render.h"

#include <math.h>

static float area2(const SnVec3 *t)
{
    return sn_vec3_length(sn_vec3_cross(sn_vec3_sub(t[1], t[0]), sn_vec3_sub(t[2], t[0])));
}

static void triangles_are_clipped_to_the_kept_side(void **state)
{
    (void)state;
    const SnVec3 t[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    SnVec3 out[6];
    // Twice the area of what is below the plane x = offset.
    const float offsets[] = {-1.0f, 0.5f, 1.0f, 3.0f, 4.0f, 5.0f};
    const int counts[] = {0, 2, 2, 2, 1, 1};
    for (int i = 0; i < SN_COUNT(offsets); ++i) {
        SnCut cut = {{2, 0, 0}, 2 * offsets[i]};
        int count = sn_cut_clip(&cut, t, out);
        assert_int_equal(count, counts[i]);
        float kept = fminf(fmaxf(offsets[i], 0.0f), 4.0f);
        float sum = 0.0f;
        for (int k = 0; k < count; ++k) {
            sum += area2(out + 3 * k);
        }
        assert_at_most(fabsf(sum - (16.0f - (4.0f - kept) * (4.0f - kept))), 1e-5f);
        for (int k = 0; k < 3 * count; ++k) {
            assert_true(out[k].x <= offsets[i] + 1e-6f);
        }
    }
}

// A box from -1 to 1, counter-clockwise from outside.
static const float box_x[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int box_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static SnRenderMesh make_box(void)
{
    SnRenderMesh mesh = sn_render_mesh_default();
    mesh.positions = box_x;
    mesh.vertex_count = 8;
    mesh.triangles = box_triangles;
    mesh.triangle_count = 12;
    const float blue[3] = {0, 0, 1};
    const float red[3] = {1, 0, 0};
    memcpy(mesh.colour, blue, sizeof blue);
    memcpy(mesh.cut_colour, red, sizeof red);
    return mesh;
}

static SnRenderScene make_scene(const SnRenderMesh *mesh)
{
    SnRenderScene scene = sn_render_scene_default();
    scene.meshes = mesh;
    scene.mesh_count = 1;
    scene.camera.eye = sn_vec3(0, 0, 6);
    scene.samples = 4;
    memset(scene.background_top, 0, sizeof scene.background_top);
    memset(scene.background_bottom, 0, sizeof scene.background_bottom);
    return scene;
}

static SnImage *render(const SnRenderScene *scene, SnWorkers *workers)
{
    SnImage *image = NULL;
    SinewError error;
    assert_int_equal(sn_image_create(120, 120, 3, NULL, &image, NULL), SINEW_OK);
    if (sn_render(scene, image, workers, NULL, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return image;
}

// Pixels in which one channel stands out.
static int count_colour(const SnImage *image, int channel)
{
    int count = 0;
    for (int i = 0; i < image->width * image->height; ++i) {
        const unsigned char *p = image->pixels + 3 * i;
        count += p[channel] > 40 && p[channel] > p[2 - channel] + 20;
    }
    return count;
}

static void a_cut_solid_shows_its_inside(void **state)
{
    (void)state;
    SnRenderMesh mesh = make_box();
    mesh.is_closed = 1;
    SnRenderScene scene = make_scene(&mesh);
    SnImage *whole = render(&scene, NULL);
    assert_int_equal(count_colour(whole, 0), 0);
    int front = count_colour(whole, 2);

    // Cut at z = 0 towards the camera: a square of side 2 at 6 m instead of 5 m, all of it inside.
    scene.cut = (SnCut){{0, 0, 3}, 0.0f};
    SnImage *cut = render(&scene, NULL);
    assert_int_equal(count_colour(cut, 2), 0);
    double ratio = (double)count_colour(cut, 0) / front;
    // The outline's pixels may count on either side: four sides of about 60.
    assert_at_most(fabs(ratio - 25.0 / 36.0), 4.0 * 60.0 / front);

    // Seen from the kept side nothing is inside.
    scene.cut = (SnCut){{0, 0, -1}, 0.0f};
    SnImage *back = render(&scene, NULL);
    assert_int_equal(count_colour(back, 0), 0);
    // A cut in front of everything changes nothing.
    scene.cut = (SnCut){{0, 0, 1}, 1.5f};
    SnImage *same = render(&scene, NULL);
    assert_memory_equal(same->pixels, whole->pixels, 3 * 120 * 120);
    // An open surface shows its own back.
    mesh.is_closed = 0;
    scene.cut = (SnCut){{0, 0, 1}, 0.0f};
    SnImage *open = render(&scene, NULL);
    assert_int_equal(count_colour(open, 0), 0);
    assert_true(count_colour(open, 2) > 0);
    SnImage *const images[] = {whole, cut, back, same, open};
    for (int i = 0; i < SN_COUNT(images); ++i) {
        sn_image_destroy(images[i], NULL);
    }
}

// What was cut away casts no shadow: the square of the cut is as bright as one that lies bare.
static void what_is_cut_away_casts_no_shadow(void **state)
{
    (void)state;
    SnRenderMesh mesh = make_box();
    mesh.is_closed = 1;
    SnRenderScene scene = make_scene(&mesh);
    scene.cut = (SnCut){{0, 0, 1}, 0.0f};
    scene.key_direction = sn_vec3(0.5f, 1.0f, 1.0f); // the cut-away half would be in its way
    SnImage *image = render(&scene, NULL);
    int darkest = 255;
    int brightest = 0;
    for (int y = 50; y < 70; ++y) {
        for (int x = 50; x < 70; ++x) {
            int red = sn_image_pixel(image, x, y)[0];
            darkest = red < darkest ? red : darkest;
            brightest = red > brightest ? red : brightest;
        }
    }
    // One flat face under one light: the reflection at its edges alone differs.
    assert_true(darkest > 150 && brightest - darkest < 25);
    sn_image_destroy(image, NULL);
}

static void workers_do_not_change_a_cut_picture(void **state)
{
    (void)state;
    SnRenderMesh mesh = make_box();
    mesh.is_closed = 1;
    SnRenderScene scene = make_scene(&mesh);
    scene.cut = (SnCut){{0.3f, 0.5f, 1}, 0.1f};
    uint64_t first = 0;
    static const int counts[] = {1, 2, 3, 8};
    for (int n = 0; n < SN_COUNT(counts); ++n) {
        SnWorkers *workers = NULL;
        assert_int_equal(sn_workers_create(NULL, NULL, counts[n], &workers, NULL), SINEW_OK);
        SnImage *image = render(&scene, workers);
        uint64_t hash = sn_hash(SN_HASH_START, image->pixels, 3 * 120 * 120);
        first = n == 0 ? hash : first;
        assert_true(hash == first);
        sn_image_destroy(image, NULL);
        sn_workers_destroy(workers);
    }
}

static void cuts_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    SnRenderMesh mesh = make_box();
    SnRenderScene scene = make_scene(&mesh);
    scene.cut = (SnCut){{0, NAN, 1}, 0.0f};
    SnImage *image = NULL;
    SinewError error;
    assert_int_equal(sn_image_create(20, 20, 3, NULL, &image, NULL), SINEW_OK);
    assert_int_equal(sn_render(&scene, image, NULL, NULL, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "the cut's normal is"));
    sn_image_destroy(image, NULL);
}

static SinewStatus render_small(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SnImage *image = NULL;
    assert_int_equal(sn_image_create(20, 20, 3, NULL, &image, NULL), SINEW_OK);
    SinewStatus status = sn_render(context, image, NULL, allocator, error);
    sn_image_destroy(image, NULL);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnRenderMesh mesh = make_box();
    SnRenderScene scene = make_scene(&mesh);
    scene.cut = (SnCut){{0, 0, 1}, 0.0f};
    assert_true(sn_fail_each_allocation(render_small, &scene) > 10);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(triangles_are_clipped_to_the_kept_side),
    cmocka_unit_test(a_cut_solid_shows_its_inside),
    cmocka_unit_test(what_is_cut_away_casts_no_shadow),
    cmocka_unit_test(workers_do_not_change_a_cut_picture),
    cmocka_unit_test(cuts_that_are_no_numbers_are_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(picture_cut, tests);
