#include "support/bending_bar.h"
#include "support/fail_allocator.h"
#include "support/file_checks.h"
#include "support/test.h"

#include "io/gltf.h"
#include "io/little_endian.h"
#include "tool/export/write_glb.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>

enum { FRAMES = 5 };

static SnBendingBar bar;
static const double times[FRAMES] = {0.0, 0.25, 0.5, 0.75, 1.0};
static const float floor_xyz[12] = {-1, -2, -1, -1, -2, 1, 3, -2, 1, 3, -2, -1};
static const int floor_triangles[6] = {0, 1, 2, 0, 2, 3};
static char cache_path[160];

// A bar that bends and a floor that stays, the bar's frames in a cache.
static void make_tracks(SnTrack tracks[2])
{
    SnPointCacheWriter writer;
    SnPointCacheDef cache = {.vertex_count = SN_BAR_NODES, .frame_step = 1.0f};
    snprintf(cache_path, sizeof cache_path, "%s", sn_test_path("bar.pc2"));
    sn_bending_bar_init(&bar);
    assert_int_equal(sn_point_cache_begin(&writer, cache_path, &cache, 0, NULL, NULL), SINEW_OK);
    for (int f = 0; f < FRAMES; ++f) {
        sn_bending_bar_bend(&bar, times[f]);
        assert_int_equal(sn_point_cache_append(&writer, bar.xyz, NULL), SINEW_OK);
    }
    assert_int_equal(sn_point_cache_end(&writer, NULL), SINEW_OK);
    tracks[0] = (SnTrack){.name = "floor \"\\ \x01 \xff",
                          .fixed_xyz = floor_xyz,
                          .vertex_count = 4,
                          .triangles = floor_triangles,
                          .triangle_count = 2,
                          .is_collider = true};
    tracks[1] = (SnTrack){.name = "bar",
                          .cache_path = cache_path,
                          .vertex_count = SN_BAR_NODES,
                          .triangles = bar.triangles,
                          .triangle_count = SN_BAR_TRIANGLES};
}

static SnGlbDef make_def(SnTrack tracks[2], bool has_normals)
{
    make_tracks(tracks);
    return (SnGlbDef){.tracks = tracks,
                      .track_count = 2,
                      .times = times,
                      .frame_count = FRAMES,
                      .has_normals = has_normals};
}

// --- A small reader of its own, so that both readers and the writer can be wrong

typedef struct File {
    char *text;
    size_t size;
    json_t *root;
    const unsigned char *binary;
    size_t binary_size;
} File;

static File load(const char *path)
{
    File file;
    file.text = sn_test_load(path, &file.size);
    const unsigned char *bytes = (const unsigned char *)file.text;
    assert_memory_equal(bytes, "glTF", 4);
    assert_int_equal(sn_load_u32_little(bytes + 4), 2);
    assert_int_equal(sn_load_u32_little(bytes + 8), file.size);
    size_t length = sn_load_u32_little(bytes + 12);
    assert_int_equal(length % 4, 0);
    assert_memory_equal(bytes + 16, "JSON", 4);
    json_error_t problem;
    file.root = json_loadb(file.text + 20, length, JSON_REJECT_DUPLICATES, &problem);
    if (file.root == NULL) {
        fail_msg("%s", problem.text);
    }
    file.binary_size = sn_load_u32_little(bytes + 20 + length);
    assert_memory_equal(bytes + 24 + length, "BIN\0", 4);
    file.binary = bytes + 28 + length;
    assert_int_equal(28 + length + file.binary_size, file.size);
    return file;
}

static void unload(File *file)
{
    json_decref(file->root);
    free(file->text);
}

static json_t *item(const File *file, const char *list, int index)
{
    json_t *found = json_array_get(json_object_get(file->root, list), (size_t)index);
    assert_non_null(found);
    return found;
}

static int integer(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (int)json_integer_value(value);
}

// The bytes of an accessor, after all that the specification asks of it.
static const unsigned char *accessor(const File *file, int index, int *out_count)
{
    json_t *about = item(file, "accessors", index);
    json_t *view = item(file, "bufferViews", integer(about, "bufferView"));
    json_t *offset = json_object_get(about, "byteOffset");
    json_t *stride = json_object_get(view, "byteStride");
    const char *type = json_string_value(json_object_get(about, "type"));
    size_t width = strcmp(type, "VEC3") == 0 ? 12 : 4;
    size_t begin = (size_t)(offset != NULL ? json_integer_value(offset) : 0);
    size_t count = (size_t)integer(about, "count");
    assert_true(count > 0);
    assert_true(stride == NULL || (size_t)json_integer_value(stride) == width);
    assert_true(begin + width * count <= (size_t)integer(view, "byteLength"));
    begin += (size_t)integer(view, "byteOffset");
    assert_true(begin + width * count <= file->binary_size);
    assert_int_equal(begin % 4, 0);
    *out_count = (int)count;
    return file->binary + begin;
}

static float float_at(const unsigned char *data, int index)
{
    return sn_float_of_bits(sn_load_u32_little(data + 4 * (size_t)index));
}

// POSITION needs its bounds, exactly.
static void expect_bounds(const File *file, int index)
{
    int count;
    const unsigned char *data = accessor(file, index, &count);
    json_t *about = item(file, "accessors", index);
    for (int k = 0; k < 3; ++k) {
        float low = INFINITY;
        float high = -INFINITY;
        for (int v = 0; v < count; ++v) {
            low = fminf(low, float_at(data, 3 * v + k));
            high = fmaxf(high, float_at(data, 3 * v + k));
        }
        json_t *min = json_array_get(json_object_get(about, "min"), (size_t)k);
        json_t *max = json_array_get(json_object_get(about, "max"), (size_t)k);
        assert_true((float)json_number_value(min) == low);
        assert_true((float)json_number_value(max) == high);
    }
}

static void targets_lead_from_the_first_frame_to_each_other(void **state)
{
    (void)state;
    SnTrack tracks[2];
    SnGlbDef def = make_def(tracks, true);
    const char *path = sn_test_path("run.glb");
    assert_int_equal(sn_glb_write(&def, path, NULL, NULL), SINEW_OK);
    File file = load(path);
    json_t *primitive = json_array_get(json_object_get(item(&file, "meshes", 1), "primitives"), 0);
    json_t *base = json_object_get(primitive, "attributes");
    json_t *targets = json_object_get(primitive, "targets");
    assert_int_equal(json_array_size(targets), FRAMES - 1);
    int count;
    const unsigned char *indices = accessor(&file, integer(primitive, "indices"), &count);
    assert_int_equal(count, 3 * SN_BAR_TRIANGLES);
    assert_memory_equal(indices, bar.triangles, sizeof bar.triangles);
    const unsigned char *xyz = accessor(&file, integer(base, "POSITION"), &count);
    assert_int_equal(count, SN_BAR_NODES);
    expect_bounds(&file, integer(base, "POSITION"));
    for (int f = 1; f < FRAMES; ++f) {
        sn_bending_bar_bend(&bar, times[f]);
        int target = integer(json_array_get(targets, (size_t)f - 1), "POSITION");
        const unsigned char *way = accessor(&file, target, &count);
        assert_int_equal(count, SN_BAR_NODES);
        expect_bounds(&file, target);
        for (int i = 0; i < 3 * SN_BAR_NODES; ++i) {
            // Two roundings of numbers up to 2.
            assert_at_most(fabsf(float_at(xyz, i) + float_at(way, i) - bar.xyz[i]), 3e-7);
        }
    }
    unload(&file);
}

static void normals_are_unit_vectors_in_every_frame(void **state)
{
    (void)state;
    SnTrack tracks[2];
    SnGlbDef def = make_def(tracks, true);
    const char *path = sn_test_path("run.glb");
    assert_int_equal(sn_glb_write(&def, path, NULL, NULL), SINEW_OK);
    File file = load(path);
    json_t *primitive = json_array_get(json_object_get(item(&file, "meshes", 1), "primitives"), 0);
    int count;
    const unsigned char *base =
        accessor(&file, integer(json_object_get(primitive, "attributes"), "NORMAL"), &count);
    for (int f = 0; f < FRAMES; ++f) {
        json_t *target = json_array_get(json_object_get(primitive, "targets"), (size_t)f - 1);
        const unsigned char *way =
            f == 0 ? NULL : accessor(&file, integer(target, "NORMAL"), &count);
        for (int v = 0; v < SN_BAR_NODES; ++v) {
            float sum = 0.0f;
            for (int k = 0; k < 3; ++k) {
                float n = float_at(base, 3 * v + k);
                n += way != NULL ? float_at(way, 3 * v + k) : 0.0f;
                sum += n * n;
            }
            // A few roundings of numbers up to 1.
            assert_at_most(fabsf(sum - 1.0f), 1e-6);
        }
    }
    // The floor's normals point up.
    json_t *flat = json_array_get(json_object_get(item(&file, "meshes", 0), "primitives"), 0);
    const unsigned char *up =
        accessor(&file, integer(json_object_get(flat, "attributes"), "NORMAL"), &count);
    assert_true(float_at(up, 0) == 0.0f && float_at(up, 1) == 1.0f && float_at(up, 2) == 0.0f);
    assert_null(json_object_get(flat, "targets"));
    unload(&file);
}

#ifdef SN_GLTF
static void our_reader_finds_the_animation(void **state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        SnTrack tracks[2];
        SnGlbDef def = make_def(tracks, n == 1);
        const char *path = sn_test_path("run.glb");
        assert_int_equal(sn_glb_write(&def, path, NULL, NULL), SINEW_OK);
        SnCharacter *character = NULL;
        SinewError error;
        if (sn_gltf_read(path, NULL, &character, &error) != SINEW_OK) {
            fail_msg("%s", error.text);
        }
        assert_int_equal(character->surface->vertex_count, 4 + SN_BAR_NODES);
        assert_int_equal(character->surface->triangle_count, 2 + SN_BAR_TRIANGLES);
        assert_int_equal(character->node_count, 2);
        assert_string_equal(character->node_names.text[1], "bar");
        sn_bending_bar_bend(&bar, 0.0);
        for (int i = 0; i < 3 * SN_BAR_NODES; ++i) {
            assert_true((float)character->surface->positions[12 + i] == bar.xyz[i]);
        }
        assert_int_equal(character->animation_count, 1);
        assert_int_equal(character->animations[0].channel_count, 1);
        const SnChannel *channel = &character->animations[0].channels[0];
        assert_int_equal(channel->node, 1);
        assert_int_equal(channel->path, SN_CHANNEL_WEIGHTS);
        assert_int_equal(channel->interpolation, SN_INTERPOLATE_LINEAR);
        assert_int_equal(channel->key_count, FRAMES);
        assert_int_equal(channel->width, FRAMES - 1);
        for (int f = 0; f < FRAMES; ++f) {
            assert_true(channel->times[f] == times[f]);
            for (int t = 0; t < FRAMES - 1; ++t) {
                assert_true(channel->values[f * (FRAMES - 1) + t] == (t == f - 1));
            }
        }
        sn_character_destroy(character, NULL);
    }
}

static void a_single_frame_is_a_still(void **state)
{
    (void)state;
    SnTrack tracks[2];
    SnGlbDef def = make_def(tracks, false);
    def.frame_count = 1;
    const char *path = sn_test_path("run.glb");
    assert_int_equal(sn_glb_write(&def, path, NULL, NULL), SINEW_OK);
    SnCharacter *character = NULL;
    assert_int_equal(sn_gltf_read(path, NULL, &character, NULL), SINEW_OK);
    assert_int_equal(character->animation_count, 0);
    assert_int_equal(character->surface->triangle_count, 2 + SN_BAR_TRIANGLES);
    sn_character_destroy(character, NULL);
}
#endif

static void the_same_run_gives_the_same_bytes(void **state)
{
    (void)state;
    SnTrack tracks[2];
    SnGlbDef def = make_def(tracks, true);
    assert_int_equal(sn_glb_write(&def, sn_test_path("a.glb"), NULL, NULL), SINEW_OK);
    assert_int_equal(sn_glb_write(&def, sn_test_path("b.glb"), NULL, NULL), SINEW_OK);
    sn_test_expect_same_file(sn_test_path("a.glb"), sn_test_path("b.glb"));
    SinewError error;
    sn_test_disk_full(5000);
    SinewStatus status = sn_glb_write(&def, sn_test_path("a.glb"), NULL, &error);
    sn_test_disk_free();
    assert_int_equal(status, SINEW_ERROR_WRITE);
    sn_test_expect_same_file(sn_test_path("a.glb"), sn_test_path("b.glb"));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(sn_glb_write(&def, "/dev/full", NULL, &error), SINEW_ERROR_WRITE);
    }
}

static void expect_refused(const SnGlbDef *def, SinewStatus expected, const char *sentence)
{
    SinewError error;
    const char *path = sn_test_path("none.glb");
    assert_int_equal(sn_glb_write(def, path, NULL, &error), expected);
    if (strstr(error.text, sentence) == NULL) {
        fail_msg("\"%s\" holds no \"%s\"", error.text, sentence);
    }
    assert_int_not_equal(access(path, F_OK), 0);
}

static void what_makes_no_file_is_refused(void **state)
{
    (void)state;
    SnTrack tracks[2];
    const SnGlbDef good = make_def(tracks, true);
    const double same[FRAMES] = {0.0, 1.0, 1.0, 2.0, 3.0};
    SnGlbDef def = good;
    def.times = same;
    expect_refused(&def, SINEW_ERROR_ARGUMENT, "frame 2 is at 1 s, expected later");
    def = good;
    def.frame_count = 0;
    expect_refused(&def, SINEW_ERROR_ARGUMENT, "a run of 0 frames");
    def.frame_count = FRAMES + 1;
    const double more[FRAMES + 1] = {0, 1, 2, 3, 4, 5};
    def.times = more;
    expect_refused(&def, SINEW_ERROR_FILE, "has 5 samples of 208 vertices, expected 6 of 208");
    def = good;
    def.track_count = 0;
    expect_refused(&def, SINEW_ERROR_ARGUMENT, "there are no triangles");
    tracks[1].vertex_count--;
    expect_refused(&good, SINEW_ERROR_ARGUMENT, "\"bar\": triangle ");
    tracks[1].vertex_count += 2;
    expect_refused(&good, SINEW_ERROR_FILE, "expected 5 of 209");
    make_tracks(tracks);
    tracks[1].triangle_count = -1;
    expect_refused(&good, SINEW_ERROR_ARGUMENT, "-1 triangles");
    make_tracks(tracks);
    float broken[12] = {0, 0, 0, NAN};
    tracks[0].fixed_xyz = broken;
    expect_refused(&good, SINEW_ERROR_ARGUMENT, "vertex 1 is not finite in frame 0");
}

// The weights alone, a square of the frames, pass what the format can hold.
static void a_run_too_long_for_the_format_is_refused(void **state)
{
    (void)state;
    enum { LONG = 40000 };
    static double long_times[LONG];
    static unsigned char header[32] = "POINTCACHE2";
    const int triangle[3] = {0, 1, 2};
    snprintf(cache_path, sizeof cache_path, "%s", sn_test_path("long.pc2"));
    for (int f = 0; f < LONG; ++f) {
        long_times[f] = f;
    }
    sn_store_u32_little(header + 12, 1);
    sn_store_u32_little(header + 16, 3);
    sn_store_u32_little(header + 28, LONG);
    FILE *file = fopen(cache_path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    fclose(file);
    assert_int_equal(truncate(cache_path, 32 + 36 * LONG), 0);
    SnTrack track = {
        .cache_path = cache_path, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    SnGlbDef def = {.tracks = &track, .track_count = 1, .times = long_times, .frame_count = LONG};
    expect_refused(&def, SINEW_ERROR_UNSUPPORTED, "40000 frames make a GLB of 6.4 GB");
}

static SinewStatus write_allocating(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    return sn_glb_write(context, sn_test_path("run.glb"), allocator, error);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTrack tracks[2];
    SnGlbDef def = make_def(tracks, true);
    assert_true(sn_fail_each_allocation(write_allocating, &def) > 8);
}

#define IN_FOLDER(test)                                                                            \
    cmocka_unit_test_setup_teardown(test, sn_test_folder_make, sn_test_folder_remove)

static const struct CMUnitTest tests[] = {
    IN_FOLDER(targets_lead_from_the_first_frame_to_each_other),
    IN_FOLDER(normals_are_unit_vectors_in_every_frame),
#ifdef SN_GLTF
    IN_FOLDER(our_reader_finds_the_animation),
    IN_FOLDER(a_single_frame_is_a_still),
#endif
    IN_FOLDER(the_same_run_gives_the_same_bytes),
    IN_FOLDER(what_makes_no_file_is_refused),
    IN_FOLDER(a_run_too_long_for_the_format_is_refused),
    IN_FOLDER(each_allocation_may_fail),
};
SN_TEST_GROUP(export_write_glb, tests);
