#include "support/surfaces.h"
#include "support/test.h"

#include "io/little_endian.h"

#include <math.h>

// A file that is written chunk by chunk: begin_chunk() answers where, end_chunk() fills in its
// size.
typedef struct Draft {
    unsigned char data[512];
    size_t size;
} Draft;

static void put_u16(Draft *draft, int value)
{
    draft->data[draft->size++] = (unsigned char)value;
    draft->data[draft->size++] = (unsigned char)(value >> 8);
}

static void put_float(Draft *draft, float value)
{
    sn_store_float_little(draft->data + draft->size, value);
    draft->size += 4;
}

static size_t begin_chunk(Draft *draft, int id)
{
    size_t at = draft->size;
    put_u16(draft, id);
    draft->size += 4;
    return at;
}

static void end_chunk(Draft *draft, size_t at)
{
    sn_store_u32_little(draft->data + at + 2, (uint32_t)(draft->size - at));
}

static void put_vertices(Draft *draft)
{
    size_t at = begin_chunk(draft, 0x4110);
    put_u16(draft, 3);
    for (int k = 0; k < 9; ++k) {
        put_float(draft, 0.5f * (float)(k * k));
    }
    end_chunk(draft, at);
}

// One face, with a chunk of smoothing groups inside.
static void put_faces(Draft *draft)
{
    size_t at = begin_chunk(draft, 0x4120);
    put_u16(draft, 1);
    for (int k = 0; k < 4; ++k) {
        put_u16(draft, k == 3 ? 0xffff : 2 - k);
    }
    size_t inner = begin_chunk(draft, 0x4150);
    put_float(draft, 1.0f);
    end_chunk(draft, inner);
    end_chunk(draft, at);
}

static void put_object(Draft *draft, const char *name, bool faces_first)
{
    size_t object = begin_chunk(draft, 0x4000);
    memcpy(draft->data + draft->size, name, strlen(name) + 1);
    draft->size += strlen(name) + 1;
    size_t mesh = begin_chunk(draft, 0x4100);
    (faces_first ? put_faces : put_vertices)(draft);
    (faces_first ? put_vertices : put_faces)(draft);
    end_chunk(draft, mesh);
    end_chunk(draft, object);
}

// Two objects, the second with its faces first.
static Draft make_file(void)
{
    Draft draft = {.size = 0};
    size_t file = begin_chunk(&draft, 0x4d4d);
    size_t scene = begin_chunk(&draft, 0x3d3d);
    put_object(&draft, "first", false);
    put_object(&draft, "second", true);
    end_chunk(&draft, scene);
    end_chunk(&draft, file);
    return draft;
}

static void objects_become_groups(void **state)
{
    (void)state;
    static const int groups[] = {0, 1};
    Draft draft = make_file();
    SnBytes bytes = sn_bytes_of(draft.data, draft.size, "model");
    SnSurface *surface = surface_of_bytes(sn_read_3ds, draft.data, draft.size);
    assert_string_equal(sn_surface_format_of(&bytes)->name, "3DS");
    assert_int_equal(surface->vertex_count, 6);
    assert_int_equal(surface->triangle_count, 2);
    assert_memory_equal(surface->groups, groups, sizeof groups);
    assert_string_equal(surface->names.text[0], "first");
    assert_string_equal(surface->names.text[1], "second");
    expect_triangle(surface, 0, 2, 1, 0);
    expect_triangle(surface, 1, 5, 4, 3);
    for (int k = 0; k < 18; ++k) {
        assert_true(surface->positions[k] == 0.5 * (k % 9) * (k % 9));
    }
    sn_surface_destroy(surface, NULL);
}

// Where things are in make_file(): chunks of six bytes, the first object's name is six bytes long.
enum { AT_NAME = 18, AT_VERTICES = 30, AT_FACES = AT_VERTICES + 44 };

static void damage_gets_a_sentence(void **state)
{
    (void)state;
    Draft draft = make_file();
    expect_bytes_refused(sn_read_3ds, draft.data, 0, "expected the chunk 0x4d4d");
    for (size_t size = 6; size < draft.size; ++size) {
        expect_bytes_refused(sn_read_3ds, draft.data, size, "byte 0: the chunk 0x4d4d has");
    }
    draft.data[AT_FACES + 8] = 3;
    expect_bytes_refused(sn_read_3ds, draft.data, draft.size,
                         "face 0 has vertex 3, expected one below 3");
    draft = make_file();
    draft.data[AT_VERTICES + 6] = 4;
    expect_bytes_refused(sn_read_3ds, draft.data, draft.size,
                         "4 vertices of 12 bytes are announced, but the chunk has 38 bytes");
    draft = make_file();
    sn_store_float_little(draft.data + AT_VERTICES + 8 + 16, INFINITY);
    expect_bytes_refused(sn_read_3ds, draft.data, draft.size, "a coordinate of vertex 1 is inf");
    draft = make_file();
    sn_store_u32_little(draft.data + AT_VERTICES + 2, 5);
    expect_bytes_refused(sn_read_3ds, draft.data, draft.size, "0x4110 has 5 bytes, expected at");
    draft = make_file();
    memset(draft.data + AT_NAME, 'x', draft.size - AT_NAME);
    expect_bytes_refused(sn_read_3ds, draft.data, draft.size, "byte 18: an object's name has no");
    draft.data[0] = 0;
    expect_bytes_refused(sn_read_3ds, draft.data, draft.size, "expected the chunk 0x4d4d");
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    Draft draft = make_file();
    expect_reader_survives(sn_read_3ds, draft.data, draft.size);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(objects_become_groups),
    cmocka_unit_test(damage_gets_a_sentence),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(io_read_3ds, tests);
