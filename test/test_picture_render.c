#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/hash.h"
#include "tool/picture/render.h"

#include <math.h>

#define PI 3.14159265358979323846

// A scene before a black background, seen from 4 m along -z with a field of view of 60 degrees.
static SnRenderScene make_scene(const SnRenderMesh *meshes, int count)
{
    SnRenderScene scene = sn_render_scene_default();
    scene.meshes = meshes;
    scene.mesh_count = count;
    scene.camera.eye = sn_vec3(0, 0, 4);
    scene.camera.target = sn_vec3(0, 0, 0);
    scene.camera.field_of_view = 60.0f;
    for (int c = 0; c < 3; ++c) {
        scene.background_top[c] = 0.0f;
        scene.background_bottom[c] = 0.0f;
    }
    return scene;
}

static SnRenderMesh make_mesh(const float *positions, int vertex_count, const int *triangles,
                              int triangle_count)
{
    SnRenderMesh mesh = sn_render_mesh_default();
    mesh.positions = positions;
    mesh.vertex_count = vertex_count;
    mesh.triangles = triangles;
    mesh.triangle_count = triangle_count;
    return mesh;
}

static SnImage *render(const SnRenderScene *scene, int width, int height, int workers_count)
{
    SnImage *image = NULL;
    SnWorkers *workers = NULL;
    SinewError error;
    assert_int_equal(sn_image_create(width, height, 3, NULL, &image, NULL), SINEW_OK);
    assert_int_equal(sn_workers_create(NULL, NULL, workers_count, &workers, NULL), SINEW_OK);
    if (sn_render(scene, image, workers, NULL, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    sn_workers_destroy(workers);
    return image;
}

// Pixels that are not background.
static double count_lit(const SnImage *image)
{
    double lit = 0.0;
    for (int y = 0; y < image->height; ++y) {
        for (int x = 0; x < image->width; ++x) {
            const unsigned char *p = sn_image_pixel(image, x, y);
            lit += p[0] + p[1] + p[2] > 0;
        }
    }
    return lit;
}

static const int one_triangle[3] = {0, 1, 2};

// With one sample a pixel, at its middle, the lit pixels are those whose middle is inside.
static void a_triangle_covers_its_area_in_its_colour(void **state)
{
    (void)state;
    const float x[9] = {-1.5f, -1.0f, 0.0f, 1.5f, -1.0f, 0.0f, -1.5f, 1.0f, 0.0f};
    SnRenderMesh mesh = make_mesh(x, 3, one_triangle, 1);
    mesh.colour[0] = 0.8f;
    mesh.colour[1] = 0.2f;
    mesh.colour[2] = 0.0f;
    SnRenderScene scene = make_scene(&mesh, 1);
    scene.samples = 1;
    SnImage *image = render(&scene, 400, 300, 1);
    // A metre is this many pixels at 4 m.
    double scale = 150.0 / tan(PI / 6.0) / 4.0;
    int inside_count = 0;
    for (int i = 0; i < 400 * 300; ++i) {
        double px = (i % 400 + 0.5 - 200.0) / scale;
        double py = (150.0 - (i / 400 + 0.5)) / scale;
        inside_count += px > -1.5 && py > -1.0 && px / 1.5 + py < 0.0;
    }
    // Float coordinates may move a middle across the slanted edge, but few of them.
    assert_at_most(fabs(count_lit(image) - inside_count), 3.0);
    // Inside: red above green above blue. Outside, to the upper right: nothing.
    const unsigned char *inside = sn_image_pixel(image, 160, 170);
    assert_true(inside[0] > 2 * inside[1] && inside[1] > inside[2]);
    assert_int_equal(sn_image_pixel(image, 280, 100)[0], 0);
    sn_image_destroy(image, NULL);
}

// A fan around a point: each sample inside is covered exactly once, so the area is that of the
// whole; a crack or an overlap with a tie would show as a dark pixel.
static void triangles_that_share_edges_leave_no_cracks(void **state)
{
    (void)state;
    enum { N = 33 };
    float x[3 * (N + 1)] = {0.0131f, 0.0217f, 0.0f};
    int triangles[3 * N];
    for (int i = 0; i < N; ++i) {
        double angle = 2.0 * PI * i / N;
        x[3 * i + 3] = (float)(1.5 * cos(angle));
        x[3 * i + 4] = (float)(1.5 * sin(angle));
        x[3 * i + 5] = 0.0f;
        triangles[3 * i] = 0;
        triangles[3 * i + 1] = i + 1;
        triangles[3 * i + 2] = (i + 1) % N + 1;
    }
    SnRenderMesh mesh = make_mesh(x, N + 1, triangles, N);
    SnRenderScene scene = make_scene(&mesh, 1);
    scene.samples = 1;
    SnImage *image = render(&scene, 300, 300, 1);
    for (int py = 60; py < 240; ++py) {
        for (int px = 60; px < 240; ++px) {
            if (hypot(px - 149.5, py - 149.5) < 90.0) {
                assert_int_not_equal(sn_image_pixel(image, px, py)[0], 0);
            }
        }
    }
    sn_image_destroy(image, NULL);
}

static void the_nearer_surface_hides_the_farther(void **state)
{
    (void)state;
    const float near_x[9] = {-1, -1, 0.5f, 1, -1, 0.5f, 0, 1, 0.5f};
    const float far_x[9] = {-1, -1, -0.5f, 1, -1, -0.5f, 0, 1, -0.5f};
    SnRenderMesh meshes[2] = {make_mesh(near_x, 3, one_triangle, 1),
                              make_mesh(far_x, 3, one_triangle, 1)};
    const float red[3] = {1, 0, 0};
    const float blue[3] = {0, 0, 1};
    memcpy(meshes[0].colour, red, sizeof red);
    memcpy(meshes[1].colour, blue, sizeof blue);
    for (int swapped = 0; swapped < 2; ++swapped) {
        SnRenderScene scene = make_scene(meshes, 2);
        SnImage *image = render(&scene, 200, 200, 1);
        const unsigned char *middle = sn_image_pixel(image, 100, 110);
        assert_true(middle[0] > 60 && middle[2] < 60);
        sn_image_destroy(image, NULL);
        SnRenderMesh first = meshes[0];
        meshes[0] = meshes[1];
        meshes[1] = first;
    }
}

enum {
    RINGS = 48,
    SPHERE_VERTICES = (RINGS + 1) * 2 * RINGS,
    SPHERE_TRIANGLES = 4 * RINGS * RINGS
};

typedef struct Sphere {
    float x[3 * SPHERE_VERTICES];
    float value[SPHERE_VERTICES];
    int triangles[3 * SPHERE_TRIANGLES];
} Sphere;

static void make_sphere(Sphere *sphere, float radius)
{
    int around = 2 * RINGS;
    int n = 0;
    for (int i = 0; i <= RINGS; ++i) {
        for (int j = 0; j < around; ++j) {
            double a = PI * i / RINGS;
            double b = 2.0 * PI * j / around;
            float *x = sphere->x + 3 * (i * around + j);
            x[0] = radius * (float)(sin(a) * cos(b));
            x[1] = radius * (float)cos(a);
            x[2] = radius * (float)(sin(a) * sin(b));
            sphere->value[i * around + j] = x[1];
            int next = (j + 1) % around;
            if (i < RINGS) {
                int quad[6] = {i * around + j,          i * around + next,    (i + 1) * around + j,
                               (i + 1) * around + next, (i + 1) * around + j, i * around + next};
                memcpy(sphere->triangles + n, quad, sizeof quad);
                n += 6;
            }
        }
    }
}

static SnRenderScene sphere_scene(const Sphere *sphere, SnRenderMesh *mesh)
{
    *mesh = make_mesh(sphere->x, SPHERE_VERTICES, sphere->triangles, SPHERE_TRIANGLES);
    return make_scene(mesh, 1);
}

// A sphere of radius r at distance d is seen as a disc whose edge rays have the slope
// r / sqrt(d^2 - r^2). The polygon inside the circle is 0.1 % smaller, half a pixel of edge 0.3 %.
static void a_sphere_has_the_silhouette_of_a_sphere(void **state)
{
    (void)state;
    static Sphere sphere;
    make_sphere(&sphere, 1.3f);
    SnRenderMesh mesh;
    SnRenderScene scene = sphere_scene(&sphere, &mesh);
    scene.samples = 1;
    SnImage *image = render(&scene, 500, 500, 2);
    double radius = 250.0 / tan(PI / 6.0) * 1.3 / sqrt(16.0 - 1.3 * 1.3);
    double area = PI * radius * radius;
    assert_at_most(fabs(count_lit(image) / area - 1.0), 0.01);
    sn_image_destroy(image, NULL);
}

static void pictures_have_the_same_bytes_for_any_number_of_workers(void **state)
{
    (void)state;
    static Sphere sphere;
    make_sphere(&sphere, 1.0f);
    SnRenderMesh mesh;
    SnRenderScene scene = sphere_scene(&sphere, &mesh);
    mesh.values = sphere.value;
    mesh.value_range[0] = -1.0f;
    mesh.edge_width = 1.0f;
    scene.has_ground = 1;
    scene.ground_height = -1.0f;
    scene.background_top[0] = 0.9f;
    scene.camera.eye = sn_vec3(1, 1, 4);
    const int counts[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int w = 0; w < SN_COUNT(counts); ++w) {
        SnImage *image = render(&scene, 321, 203, counts[w]);
        uint64_t hash = sn_hash(SN_HASH_START, image->pixels, 321 * 203 * 3);
        first = w == 0 ? hash : first;
        assert_true(hash == first);
        sn_image_destroy(image, NULL);
    }
}

// From inside a large triangle mesh, with corners behind the camera, every pixel is covered.
static void triangles_may_reach_behind_the_camera(void **state)
{
    (void)state;
    static Sphere sphere;
    make_sphere(&sphere, 6.0f);
    SnRenderMesh mesh;
    SnRenderScene scene = sphere_scene(&sphere, &mesh);
    const float floor_x[9] = {-900, -1, 900, 900, -1, 900, 0, -1, -900};
    SnRenderMesh floor = make_mesh(floor_x, 3, one_triangle, 1);
    scene.meshes = &floor;
    SnImage *image = render(&scene, 100, 100, 1);
    assert_int_equal(sn_image_pixel(image, 50, 10)[0], 0);
    assert_int_not_equal(sn_image_pixel(image, 50, 90)[0], 0);
    assert_int_not_equal(sn_image_pixel(image, 2, 97)[0], 0);
    sn_image_destroy(image, NULL);
    scene.meshes = &mesh;
    image = render(&scene, 100, 100, 1);
    assert_true(count_lit(image) == 100 * 100);
    sn_image_destroy(image, NULL);
}

static void triangles_with_wild_vertices_are_left_out(void **state)
{
    (void)state;
    const float x[18] = {-1.5f, -1, 0, 1.5f, -1, 0, -1.5f, 1, 0, NAN, 0, 0, 0, INFINITY, 0, 1e30f};
    const int triangles[15] = {0, 1, 3, 0, 1, 2, 2, 1, 4, 0, 2, 5, 1, 1, 2};
    SnRenderMesh mesh = make_mesh(x, 6, triangles, 5);
    SnRenderScene scene = make_scene(&mesh, 1);
    SnImage *with = render(&scene, 160, 120, 1);
    mesh.triangles = triangles + 3;
    mesh.triangle_count = 1;
    SnImage *without = render(&scene, 160, 120, 1);
    assert_memory_equal(with->pixels, without->pixels, 160 * 120 * 3);
    sn_image_destroy(with, NULL);
    sn_image_destroy(without, NULL);
}

static double sum_bytes(const SnImage *image)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * image->width * image->height; ++i) {
        sum += image->pixels[i];
    }
    return sum;
}

static void lines_along_edges_darken_the_surface(void **state)
{
    (void)state;
    const float x[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const int triangles[6] = {0, 1, 2, 0, 2, 3};
    SnRenderMesh mesh = make_mesh(x, 4, triangles, 2);
    SnRenderScene scene = make_scene(&mesh, 1);
    SnImage *plain = render(&scene, 200, 200, 1);
    mesh.edge_width = 3.0f;
    mesh.edge_opacity = 1.0f;
    SnImage *lined = render(&scene, 200, 200, 1);
    // On the diagonal black, off it as before.
    assert_true(sn_image_pixel(lined, 99, 100)[0] == 0);
    assert_true(sn_image_pixel(plain, 99, 100)[0] > 60);
    assert_memory_equal(sn_image_pixel(lined, 90, 70), sn_image_pixel(plain, 90, 70), 3);
    assert_true(sum_bytes(lined) < sum_bytes(plain));
    // Hidden on both sides, the diagonal is as before, and the quad's own edges are not.
    const unsigned char hidden[2] = {1 << 1, 1 << 2};
    mesh.hidden_edges = hidden;
    SnImage *quad = render(&scene, 200, 200, 1);
    assert_memory_equal(sn_image_pixel(quad, 99, 100), sn_image_pixel(plain, 99, 100), 3);
    assert_true(sum_bytes(quad) < sum_bytes(plain));
    assert_true(sum_bytes(quad) > sum_bytes(lined));
    sn_image_destroy(plain, NULL);
    sn_image_destroy(lined, NULL);
    sn_image_destroy(quad, NULL);
}

// A plate over the ground: it takes the light from below itself, and only there.
static void a_body_casts_a_shadow_on_the_ground(void **state)
{
    (void)state;
    const float x[9] = {-0.5f, 0, -0.5f, 0.5f, 0, -0.5f, 0, 0, 0.5f};
    SnRenderMesh mesh = make_mesh(x, 3, one_triangle, 1);
    SnRenderScene scene = make_scene(&mesh, 1);
    for (int c = 0; c < 3; ++c) {
        scene.background_top[c] = scene.background_bottom[c] = 0.9f;
    }
    scene.camera.eye = sn_vec3(0, 1, 4);
    scene.ground_height = -0.4f;
    scene.key_direction = sn_vec3(0, 1, 0);
    SnImage *without = render(&scene, 200, 200, 1);
    scene.has_ground = 1;
    SnImage *with = render(&scene, 200, 200, 1);
    // The ground below the plate is seen between it and the lower edge of the picture.
    assert_true(sn_image_pixel(without, 100, 117)[0] == 230);
    assert_true(sn_image_pixel(with, 100, 117)[0] < 190);
    assert_int_equal(sn_image_pixel(with, 5, 195)[0], 230);
    assert_int_equal(sn_image_pixel(with, 100, 5)[0], 230);
    sn_image_destroy(with, NULL);
    sn_image_destroy(without, NULL);
}

static void values_are_shown_through_the_map(void **state)
{
    (void)state;
    const float x[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const int triangles[6] = {0, 1, 2, 0, 2, 3};
    float values[4] = {-1, 1, 1, -1};
    SnRenderMesh mesh = make_mesh(x, 4, triangles, 2);
    mesh.values = values;
    mesh.value_range[0] = -1.0f;
    mesh.map = SN_COLOUR_MAP_DIVERGING;
    SnRenderScene scene = make_scene(&mesh, 1);
    SnImage *image = render(&scene, 200, 200, 1);
    const unsigned char *left = sn_image_pixel(image, 62, 100);
    const unsigned char *right = sn_image_pixel(image, 138, 100);
    assert_true(left[2] > left[0] + 40 && right[0] > right[2] + 40);
    sn_image_destroy(image, NULL);
    // A value that is missing is drawn in the mesh's own colour.
    values[0] = values[1] = values[2] = values[3] = NAN;
    image = render(&scene, 200, 200, 1);
    mesh.values = NULL;
    SnImage *plain = render(&scene, 200, 200, 1);
    assert_memory_equal(image->pixels, plain->pixels, 200 * 200 * 3);
    sn_image_destroy(image, NULL);
    sn_image_destroy(plain, NULL);
}

static void an_empty_scene_is_its_background(void **state)
{
    (void)state;
    SnRenderScene scene = make_scene(NULL, 0);
    scene.has_ground = 1;
    scene.background_top[1] = 1.0f;
    SnImage *image = render(&scene, 20, 40, 1);
    assert_true(sn_image_pixel(image, 5, 0)[1] > 250);
    assert_true(sn_image_pixel(image, 5, 39)[1] < 40);
    sn_image_destroy(image, NULL);
}

static void expect_refusal(const SnRenderScene *scene, const char *words)
{
    SnImage *image = NULL;
    SinewError error = {.text = ""};
    assert_int_equal(sn_image_create(8, 8, 3, NULL, &image, NULL), SINEW_OK);
    assert_int_equal(sn_render(scene, image, NULL, NULL, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, words));
    sn_image_destroy(image, NULL);
}

static void wrong_scenes_are_refused(void **state)
{
    (void)state;
    const float x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int triangle[3] = {0, 1, 3};
    SnRenderMesh mesh = make_mesh(x, 3, triangle, 1);
    SnRenderScene scene = make_scene(&mesh, 1);
    expect_refusal(&scene, "names vertex 3, expected 0 to 2");
    triangle[2] = -1;
    expect_refusal(&scene, "names vertex -1");
    mesh.positions = NULL;
    expect_refusal(&scene, "no positions");
    scene = make_scene(NULL, 0);
    scene.samples = 65;
    expect_refusal(&scene, "65 samples");
    scene = make_scene(NULL, 0);
    scene.key_spread = NAN;
    expect_refusal(&scene, "expected 0 to 45");
    scene = make_scene(NULL, -1);
    expect_refusal(&scene, "-1 meshes");
    scene = make_scene(NULL, 0);
    scene.camera.field_of_view = 180.0f;
    expect_refusal(&scene, "field of view is 180");
    scene = make_scene(NULL, 0);
    scene.camera.target = scene.camera.eye;
    expect_refusal(&scene, "expected two places");
    scene.camera.target.x = NAN;
    expect_refusal(&scene, "expected two places");
}

static void the_fitted_camera_sees_the_whole_box(void **state)
{
    (void)state;
    const float low[3] = {-1.0f, 0.0f, 2.0f};
    const float high[3] = {3.0f, 0.5f, 2.5f};
    const SnVec3 directions[] = {{0, 0, -1}, {1, -1, -1}, {0, -1, 0}, {-3, 1, 2}};
    for (int i = 0; i < SN_COUNT(directions); ++i) {
        SnCamera camera = sn_camera_fit(low, high, directions[i], 30.0f, 1.5f, 0.1f);
        SnView view;
        assert_int_equal(sn_camera_view(&camera, 300, 200, &view, NULL), SINEW_OK);
        float widest = 0.0f;
        for (int c = 0; c < 8; ++c) {
            SnVec3 p =
                sn_view_point(&view, sn_vec3(c & 1 ? high[0] : low[0], c & 2 ? high[1] : low[1],
                                             c & 4 ? high[2] : low[2]));
            assert_true(p.z > camera.near_distance);
            widest = fmaxf(widest, fabsf(p.x / p.z * view.pixel_scale) / 150.0f);
            widest = fmaxf(widest, fabsf(p.y / p.z * view.pixel_scale) / 100.0f);
        }
        assert_at_most(fabsf(widest - 0.8f), 1e-3);
    }
}

// Equal steps of the number are close to equal steps of lightness, and no step goes back.
static void colour_maps_grow_evenly_lighter(void **state)
{
    (void)state;
    for (SnColourMap map = SN_COLOUR_MAP_SEA; map <= SN_COLOUR_MAP_EMBER; ++map) {
        float before = 0.0f;
        for (int i = 0; i <= 20; ++i) {
            SnVec3 c = sn_colour_map(map, (float)i / 20.0f);
            float luminance = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
            float lightness = cbrtf(luminance);
            assert_true(i == 0 || lightness - before > 0.005f);
            assert_true(i == 0 || lightness - before < 0.07f);
            before = lightness;
        }
    }
    SnVec3 middle = sn_colour_map(SN_COLOUR_MAP_DIVERGING, 0.5f);
    assert_true(middle.x > 0.8f && middle.y > 0.8f && middle.z > 0.8f);
    for (int i = 0; i <= 255; ++i) {
        float back = sn_colour_to_srgb(sn_colour_from_srgb((float)i / 255.0f));
        assert_at_most(fabsf(back - (float)i / 255.0f), 1e-5);
    }
}

static SinewStatus render_once(const SinewAllocator *allocator, void *context, SinewError *error)
{
    const SnRenderScene *scene = context;
    SnImage *image = NULL;
    assert_int_equal(sn_image_create(32, 32, 3, NULL, &image, NULL), SINEW_OK);
    SinewStatus status = sn_render(scene, image, NULL, allocator, error);
    sn_image_destroy(image, NULL);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    const float x[9] = {-1, 0, 0, 1, 0, 0, 0, 1, 0};
    SnRenderMesh mesh = make_mesh(x, 3, one_triangle, 1);
    SnRenderScene scene = make_scene(&mesh, 1);
    scene.has_ground = 1;
    assert_int_equal(sn_fail_each_allocation(render_once, &scene), 20);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_triangle_covers_its_area_in_its_colour),
    cmocka_unit_test(triangles_that_share_edges_leave_no_cracks),
    cmocka_unit_test(the_nearer_surface_hides_the_farther),
    cmocka_unit_test(a_sphere_has_the_silhouette_of_a_sphere),
    cmocka_unit_test(pictures_have_the_same_bytes_for_any_number_of_workers),
    cmocka_unit_test(triangles_may_reach_behind_the_camera),
    cmocka_unit_test(triangles_with_wild_vertices_are_left_out),
    cmocka_unit_test(lines_along_edges_darken_the_surface),
    cmocka_unit_test(a_body_casts_a_shadow_on_the_ground),
    cmocka_unit_test(values_are_shown_through_the_map),
    cmocka_unit_test(an_empty_scene_is_its_background),
    cmocka_unit_test(wrong_scenes_are_refused),
    cmocka_unit_test(the_fitted_camera_sees_the_whole_box),
    cmocka_unit_test(colour_maps_grow_evenly_lighter),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(picture_render, tests);
