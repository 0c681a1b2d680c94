// Embedded points: affine fields come back, for a million points, with any number of workers.
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/hash.h"
#include "base/random.h"
#include "geometry/box_tets.h"
#include "geometry/embedding.h"

#include <float.h>
#include <math.h>

typedef struct Body {
    SnTetMesh *mesh;
    SnTetLocator *locator;
    double *points;
    int count;
} Body;

static Body make_body(int cells, int count, double beyond)
{
    Body body = {.count = count};
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {cells, cells, cells}};
    assert_int_equal(sn_box_tets_create(&def, NULL, &body.mesh, NULL), SINEW_OK);
    assert_int_equal(sn_tet_locator_create(body.mesh, NULL, NULL, &body.locator, NULL), SINEW_OK);
    body.points = malloc(3 * (size_t)count * sizeof(double));
    assert_non_null(body.points);
    SnRandom random = {17};
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        body.points[i] = sn_random_between(&random, -beyond, 1.0 + beyond);
    }
    return body;
}

static void free_body(Body *body)
{
    free(body->points);
    sn_tet_locator_destroy(body->locator, NULL);
    sn_tet_mesh_destroy(body->mesh, NULL);
}

// A fixed affine map of space.
static void move(const double x[3], double out[3])
{
    static const double A[9] = {0.9, -0.3, 0.2, 0.4, 1.1, -0.1, 0.0, 0.3, 0.8};
    for (int r = 0; r < 3; ++r) {
        out[r] = A[3 * r] * x[0] + A[3 * r + 1] * x[1] + A[3 * r + 2] * x[2] + 0.25 * r;
    }
}

static float *move_nodes(const double *positions, int count)
{
    float *moved = malloc(3 * (size_t)count * sizeof(float));
    assert_non_null(moved);
    for (size_t v = 0; v < (size_t)count; ++v) {
        double y[3];
        move(positions + 3 * v, y);
        for (size_t c = 0; c < 3; ++c) {
            moved[3 * v + c] = (float)y[c];
        }
    }
    return moved;
}

static const SnKernels *pick(void)
{
    const SnKernels *kernels = NULL;
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    return kernels;
}

// Largest difference from the map itself, in units of the sum of |weights|, which is what rounding
// of positions and weights is multiplied with.
static double largest_error(const SnEmbedding *embedding, const double *points, const float *xyz)
{
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)embedding->count; ++i) {
        double y[3];
        double size = 0.0;
        move(points + 3 * i, y);
        for (size_t k = 0; k < (size_t)embedding->width; ++k) {
            size += fabs((double)embedding->weights[(size_t)embedding->width * i + k]);
        }
        for (size_t c = 0; c < 3; ++c) {
            double error = fabs((double)xyz[3 * i + c] - y[c]) / size;
            largest = error > largest ? error : largest;
        }
    }
    return largest;
}

static void check_affine(Body *body)
{
    SnEmbedding *embedding = NULL;
    assert_int_equal(sn_embedding_create_in_tets(body->locator, body->points, body->count, NULL,
                                                 NULL, &embedding, NULL),
                     SINEW_OK);
    float *nodes = move_nodes(body->mesh->positions, body->mesh->vertex_count);
    float *xyz = malloc(3 * (size_t)body->count * sizeof(float));
    assert_non_null(xyz);
    sn_embedding_evaluate(embedding, pick(), NULL, nodes, xyz);
    // Positions are below 2: rounded once each, weights once each, and four sums.
    assert_at_most(largest_error(embedding, body->points, xyz), 2 * 6 * FLT_EPSILON);
    for (int i = 0; i < body->count; ++i) {
        const double *p = body->points + 3 * (size_t)i;
        double out2 = 0.0;
        for (int c = 0; c < 3; ++c) {
            double d = p[c] < 0.0 ? p[c] : p[c] > 1.0 ? p[c] - 1.0 : 0.0;
            out2 += d * d;
        }
        // The body is the unit cube. Distances are rounded to float.
        assert_at_most(fabs((double)embedding->distances[i] - sqrt(out2)), 2 * FLT_EPSILON);
    }
    free(xyz);
    free(nodes);
    sn_embedding_destroy(embedding, NULL);
}

static void a_million_points_in_a_box_of_100k_tets(void **state)
{
    (void)state;
    Body body = make_body(27, sn_test_share(1000000), 0.0);
    check_affine(&body);
    free_body(&body);
}

static void affine_fields_go_on_outside(void **state)
{
    (void)state;
    Body body = make_body(5, 20000, 1.0);
    check_affine(&body);
    free_body(&body);
}

static uint64_t hash_of(const SnEmbedding *e)
{
    size_t items = (size_t)e->count * (size_t)e->width;
    uint64_t hash = sn_hash(SN_HASH_START, e->nodes, items * sizeof(int));
    hash = sn_hash(hash, e->weights, items * sizeof(float));
    hash = sn_hash(hash, e->elements, (size_t)e->count * sizeof(int));
    return sn_hash(hash, e->distances, (size_t)e->count * sizeof(float));
}

static void any_number_of_workers_gives_the_same_bits(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 8};
    Body body = make_body(6, 30000, 0.3);
    for (int i = 0; i < 3000; ++i) { // on faces, edges and vertices of cells
        body.points[i] = floor(6 * body.points[i]) / 6;
    }
    uint64_t first = 0;
    for (int n = 0; n < SN_COUNT(counts); ++n) {
        SnWorkers *workers = NULL;
        SnTetLocator *locator = NULL;
        SnEmbedding *embedding = NULL;
        assert_int_equal(sn_workers_create(NULL, NULL, counts[n], &workers, NULL), SINEW_OK);
        assert_int_equal(sn_tet_locator_create(body.mesh, workers, NULL, &locator, NULL), SINEW_OK);
        assert_int_equal(sn_embedding_create_in_tets(locator, body.points, body.count, workers,
                                                     NULL, &embedding, NULL),
                         SINEW_OK);
        uint64_t hash = hash_of(embedding);
        first = n == 0 ? hash : first;
        assert_true(hash == first);
        sn_embedding_destroy(embedding, NULL);
        sn_tet_locator_destroy(locator, NULL);
        sn_workers_destroy(workers);
    }
    free_body(&body);
}

static void bad_points_are_refused(void **state)
{
    (void)state;
    Body body = make_body(2, 10, 0.0);
    SnEmbedding *embedding = NULL;
    SinewError error;
    const double wrong[] = {NAN, INFINITY, -1e31};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        body.points[3 * 7 + 1] = wrong[i];
        assert_int_equal(sn_embedding_create_in_tets(body.locator, body.points, body.count, NULL,
                                                     NULL, &embedding, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "point 7 is at"));
        assert_non_null(strstr(error.text, "along y"));
        assert_null(embedding);
    }
    assert_int_equal(
        sn_embedding_create_in_tets(body.locator, body.points, -1, NULL, NULL, &embedding, &error),
        SINEW_ERROR_ARGUMENT);
    assert_int_equal(
        sn_embedding_create_in_tets(body.locator, body.points, 0, NULL, NULL, &embedding, &error),
        SINEW_OK);
    sn_embedding_evaluate(embedding, pick(), NULL, NULL, NULL);
    sn_embedding_destroy(embedding, NULL);
    free_body(&body);
}

static SinewStatus embed_and_destroy(const SinewAllocator *allocator, void *context,
                                     SinewError *error)
{
    const Body *body = context;
    SnEmbedding *embedding = NULL;
    SinewStatus status = sn_embedding_create_in_tets(body->locator, body->points, body->count, NULL,
                                                     allocator, &embedding, error);
    assert_true((status == SINEW_OK) == (embedding != NULL));
    sn_embedding_destroy(embedding, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    Body body = make_body(2, 100, 0.1);
    assert_int_equal(sn_fail_each_allocation(embed_and_destroy, &body), 8);
    free_body(&body);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_million_points_in_a_box_of_100k_tets),
    cmocka_unit_test(affine_fields_go_on_outside),
    cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
    cmocka_unit_test(bad_points_are_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_embedding, tests);
