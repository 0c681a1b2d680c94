// Chunks and colours of the volume pass: what runs at once shares no vertex.
#include "support/split_rig.h"
#include "support/test.h"

#include "model/split/body.h"

#include <math.h>
#include <stdlib.h>

enum { RINGS = 30, AROUND = 40, STAR_VERTICES = RINGS * AROUND + 3 };

// A ball of tets that all meet at its middle: triangles between rings and at the poles.
static SnTetMesh *make_star(void)
{
    SnTetMesh *mesh = NULL;
    assert_int_equal(sn_tet_mesh_create(STAR_VERTICES, 2 * RINGS * AROUND, NULL, &mesh, NULL), 0);
    double *positions = mesh->positions;
    int filled = 0;
    int middle = STAR_VERTICES - 1, low = middle - 2, high = middle - 1;
    for (int v = 0; v < RINGS * AROUND; ++v) {
        double t = 3.14159265358979 * (v / AROUND + 1) / (RINGS + 1);
        double a = 2.0 * 3.14159265358979 * (v % AROUND) / AROUND;
        positions[3 * v] = sin(t) * cos(a);
        positions[3 * v + 1] = sin(t) * sin(a);
        positions[3 * v + 2] = -cos(t);
    }
    for (int i = 3 * low; i < 3 * STAR_VERTICES; ++i) {
        positions[i] = i == 3 * low + 2 ? -1.0 : i == 3 * high + 2 ? 1.0 : 0.0;
    }
    for (int ring = -1; ring < RINGS; ++ring) {
        for (int k = 0; k < AROUND; ++k) {
            int next = (k + 1) % AROUND;
            int a = ring * AROUND + k, b = ring * AROUND + next;
            int c = a + AROUND, d = b + AROUND;
            const int lower[] = {middle, a, b, ring + 1 < RINGS ? d : high};
            const int upper[] = {middle, ring >= 0 ? a : low, d, c};
            if (ring >= 0) {
                memcpy(mesh->tets + 4 * (size_t)filled++, lower, sizeof lower);
            }
            if (ring + 1 < RINGS) {
                memcpy(mesh->tets + 4 * (size_t)filled++, upper, sizeof upper);
            }
        }
    }
    assert_int_equal(filled, mesh->tet_count);
    return mesh;
}

static int chunk_of(const SnSplit *body, int block)
{
    int chunk = 0;
    while (body->colours.chunk_block[chunk + 1] <= block) {
        ++chunk;
    }
    return chunk;
}

// Nobody else may have marked a vertex of the lane's tet for the same thing; returns whether the
// lane has one.
static bool mark_lane(const SnSplit *body, int block, int lane, int thing, int *marks)
{
    const int *vertices = body->colours.vertices + 64 * block + lane;
    int nobody = 4 * body->elements.vertex_count;
    for (int a = 0; a < 4; ++a) {
        int v = vertices[16 * a];
        if (v >= nobody) {
            assert_int_equal(v, nobody + 4 * chunk_of(body, block));
            assert_true(body->colours.rest[32 * block + lane] == 0.0f);
            return false;
        }
        assert_true(v % 4 == 0 && v >= 0 && v < nobody);
        assert_int_not_equal(marks[v / 4], thing);
    }
    for (int a = 0; a < 4; ++a) {
        marks[vertices[16 * a] / 4] = thing;
    }
    return true;
}

// Returns the share of lanes that have a tet.
static double check_blocks(const SnSplit *body)
{
    const SnSplitColours *colours = &body->colours;
    int *marks = calloc((size_t)body->elements.vertex_count, sizeof *marks);
    int blocks = colours->chunk_block[colours->chunk_count], tets = 0;
    double volume = 0.0, expected = 0.0;
    for (int l = 0; l < 16 * blocks; ++l) {
        if (mark_lane(body, l / 16, l % 16, l / 16 + 1, marks)) {
            volume += 1.0 / (6.0 * (double)colours->rest[32 * (l / 16) + l % 16]);
            tets += 1;
        }
    }
    for (int e = 0; e < body->elements.count; ++e) {
        expected += body->elements.weights[e];
    }
    assert_int_equal(tets, body->elements.count);
    assert_at_most(fabs(volume / expected - 1.0), 1e-6); // numbers in float
    free(marks);
    return tets / (16.0 * blocks);
}

// The colour and the chunk that last touched a vertex.
static void check_colours(const SnSplit *body)
{
    const SnSplitColours *colours = &body->colours;
    size_t vertices = (size_t)body->elements.vertex_count;
    int *colour_at = calloc(vertices, sizeof *colour_at);
    int *chunk_at = calloc(vertices, sizeof *chunk_at);
    for (int c = 0; c < colours->count; ++c) {
        for (int chunk = colours->chunk_start[c]; chunk < colours->chunk_start[c + 1]; ++chunk) {
            for (int i = 64 * colours->chunk_block[chunk]; i < 64 * colours->chunk_block[chunk + 1];
                 ++i) {
                int v = colours->vertices[i] / 4;
                if (v < body->elements.vertex_count) {
                    assert_true(colour_at[v] != c + 1 || chunk_at[v] == chunk);
                    colour_at[v] = c + 1;
                    chunk_at[v] = chunk;
                }
            }
        }
    }
    assert_int_equal(colours->chunk_start[colours->count], colours->chunk_count);
    free(colour_at);
    free(chunk_at);
}

static void what_runs_at_once_shares_no_vertex(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    def.split.mode = SINEW_SPLIT_PAPER;
    def.cells[0] = 24;
    def.cells[1] = def.cells[2] = 9;
    SnSplitRig rig = sn_split_rig_make(&def);
    // A thick box of 19 chunks, most of which are neighbours.
    assert_true(check_blocks(rig.body) > 0.9);
    check_colours(rig.body);
    assert_true(rig.body->colours.chunk_count > rig.body->colours.count);
    sn_split_rig_destroy(&rig);
}

// Where all tets share a vertex nothing runs at once, and it still works.
static void a_star_has_a_tet_a_block(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_star();
    SnSplitRigDef def = sn_split_rig_default();
    def.tets = mesh;
    def.split.mode = SINEW_SPLIT_PAPER;
    SnSplitRig rig = sn_split_rig_make(&def);
    check_blocks(rig.body);
    check_colours(rig.body);
    assert_int_equal(rig.body->colours.count, rig.body->colours.chunk_count);
    assert_int_equal(rig.body->colours.chunk_block[rig.body->colours.chunk_count], mesh->tet_count);
    sn_split_rig_step(&rig, 0.01, 2);
    sn_split_rig_destroy(&rig);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_runs_at_once_shares_no_vertex),
    cmocka_unit_test(a_star_has_a_tet_a_block),
};
SN_TEST_GROUP(model_split_colours, tests);
