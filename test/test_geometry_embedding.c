// Embedded points: affine fields come back, for a million points, with any number of workers.
#include "support/fail_allocator.h"
#include "support/shapes.h"
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

typedef struct Cells {
    SnSurface *surface;
    SnCellLattice *lattice;
    SnCellLocator *locator;
} Cells;

static Cells make_cells(SnSurface *surface, SnSignedFn *fn, void *context, bool keep_apart)
{
    Cells cells = {.surface = surface};
    SnCellBody body = {surface, fn, context, {0}, {0}};
    SnCellLatticeDef def = sn_cell_lattice_def_default();
    def.longest_cells = 8;
    def.keep_apart = keep_apart;
    assert_int_equal(sn_cell_lattice_create(&body, &def, NULL, NULL, &cells.lattice, NULL),
                     SINEW_OK);
    assert_int_equal(sn_cell_locator_create(cells.lattice, NULL, NULL, &cells.locator, NULL),
                     SINEW_OK);
    return cells;
}

static void free_cells(Cells *cells)
{
    sn_cell_locator_destroy(cells->locator, NULL);
    sn_cell_lattice_destroy(cells->lattice, NULL);
    sn_surface_destroy(cells->surface, NULL);
}

static double brute_cell_distance(const SnCellLattice *lattice, const double p[3])
{
    double least = INFINITY;
    for (int cell = 0; cell < lattice->cell_count; ++cell) {
        const double *low = lattice->positions + 3 * lattice->nodes[8 * cell];
        const double *high = lattice->positions + 3 * lattice->nodes[8 * cell + 7];
        double sum = 0.0;
        for (int c = 0; c < 3; ++c) {
            double d = p[c] < low[c] ? low[c] - p[c] : p[c] > high[c] ? p[c] - high[c] : 0.0;
            sum += d * d;
        }
        least = sum < least ? sum : least;
    }
    return sqrt(least);
}

static void affine_fields_come_back_from_cells(void **state)
{
    (void)state;
    Cells cells = make_cells(sn_test_torus(32), sn_test_torus_distance, NULL, false);
    enum { POINTS = 5000 };
    static double points[3 * POINTS];
    static float xyz[3 * POINTS];
    SnRandom random = {23};
    for (int i = 0; i < 3 * POINTS; ++i) {
        points[i] = sn_random_between(&random, -1.8, 1.8);
    }
    for (int v = 0; v < cells.lattice->node_count && v < 300; ++v) { // exactly on nodes
        memcpy(points + 3 * v, cells.lattice->positions + 3 * v, 3 * sizeof(double));
    }
    SnEmbedding *embedding = NULL;
    assert_int_equal(
        sn_embedding_create_in_cells(cells.locator, points, POINTS, NULL, NULL, &embedding, NULL),
        SINEW_OK);
    float *nodes = move_nodes(cells.lattice->positions, cells.lattice->node_count);
    sn_embedding_evaluate(embedding, pick(), NULL, nodes, xyz);
    // As for tets, with eight sums and positions up to 3.
    assert_at_most(largest_error(embedding, points, xyz), 3 * 10 * FLT_EPSILON);
    for (int i = 0; i < POINTS; ++i) {
        double expected = brute_cell_distance(cells.lattice, points + 3 * i);
        // Rounded to float.
        assert_at_most(fabs((double)embedding->distances[i] - expected), 4 * FLT_EPSILON);
    }
    free(nodes);
    sn_embedding_destroy(embedding, NULL);
    free_cells(&cells);
}

// Two plates in one layer of cells: points of each follow the nodes of their own.
static void points_go_with_their_own_part(void **state)
{
    (void)state;
    static const double plates[12] = {0, 0, 0, 8, 8, 2.23, 0, 0, 2.83, 8, 8, 4.7};
    SnTestBoxes boxes = {plates, 2};
    Cells cells = make_cells(sn_test_boxes(plates, 2), sn_test_boxes_distance, &boxes, true);
    const double points[12] = {4.3, 4.3, 2.1, 4.3, 4.3, 2.9, 0.5, 0.5, 0.5, 0.5, 0.5, 4.5};
    SnEmbedding *embedding = NULL;
    assert_int_equal(
        sn_embedding_create_in_cells(cells.locator, points, 4, NULL, NULL, &embedding, NULL),
        SINEW_OK);
    // Nodes of the upper plate are moved up by 10: those connected with the cell of point 3.
    int node_count = cells.lattice->node_count;
    float *lift = calloc(3 * (size_t)node_count, sizeof *lift);
    assert_non_null(lift);
    lift[3 * embedding->nodes[8 * 3] + 2] = 10.0f;
    for (bool changed = true; changed;) {
        changed = false;
        for (int x = 0; x < 8 * cells.lattice->cell_count; ++x) {
            const int *nodes = cells.lattice->nodes + x / 8 * 8;
            if (lift[3 * cells.lattice->nodes[x] + 2] > 0.0f) {
                for (int k = 0; k < 8; ++k) {
                    changed = changed || lift[3 * nodes[k] + 2] == 0.0f;
                    lift[3 * nodes[k] + 2] = 10.0f;
                }
            }
        }
    }
    float xyz[12];
    sn_embedding_evaluate(embedding, pick(), NULL, lift, xyz);
    assert_true(xyz[2] == 0.0f && xyz[8] == 0.0f);
    assert_at_most(fabsf(xyz[5] - 10.0f), 1e-5f); // eight weights and 10, in float
    assert_at_most(fabsf(xyz[11] - 10.0f), 1e-5f);
    free(lift);
    sn_embedding_destroy(embedding, NULL);
    free_cells(&cells);
}

static SinewStatus locate_cells(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SnCellLocator *locator = NULL;
    SinewStatus status = sn_cell_locator_create(context, NULL, allocator, &locator, error);
    assert_true((status == SINEW_OK) == (locator != NULL));
    sn_cell_locator_destroy(locator, allocator);
    return status;
}

static void cell_locators_may_run_out_of_memory_and_want_cells(void **state)
{
    (void)state;
    Cells cells = make_cells(sn_test_sphere(16), sn_test_sphere_distance, NULL, false);
    assert_int_equal(sn_fail_each_allocation(locate_cells, cells.lattice), 10);
    free_cells(&cells);
    SnCellLattice none = {.cell_size = 1.0};
    SnCellLocator *locator = NULL;
    SinewError error;
    assert_int_equal(sn_cell_locator_create(&none, NULL, NULL, &locator, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "no cells"));
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
    cmocka_unit_test(affine_fields_come_back_from_cells),
    cmocka_unit_test(points_go_with_their_own_part),
    cmocka_unit_test(cell_locators_may_run_out_of_memory_and_want_cells),
    cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
    cmocka_unit_test(bad_points_are_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_embedding, tests);
