#include "support/test.h"

#include "bench/workload_matrix.h"

#include <math.h>
#include <unistd.h>

static double entry(const SnBenchMatrix *matrix, int row, int column)
{
    for (int e = matrix->row_start[row]; e < matrix->row_start[row + 1]; ++e) {
        if (matrix->column[e] == column) {
            return matrix->value[e];
        }
    }
    return 0.0;
}

// Symmetric, sorted, with rows that sum to `mass` (NULL: any positive) and so weakly dominant.
static void check_matrix(const SnBenchMatrix *matrix, const double *mass, double tolerance)
{
    assert_int_equal(matrix->row_start[0], 0);
    for (int row = 0; row < matrix->count; ++row) {
        double sum = 0.0;
        double size = 0.0;
        for (int e = matrix->row_start[row]; e < matrix->row_start[row + 1]; ++e) {
            int column = matrix->column[e];
            assert_true(column >= 0 && column < matrix->count);
            assert_true(e == matrix->row_start[row] || matrix->column[e - 1] < column);
            assert_at_most(fabs(matrix->value[e] - entry(matrix, column, row)),
                           tolerance * fabs(matrix->value[e]));
            sum += matrix->value[e];
            size += fabs(matrix->value[e]);
        }
        assert_true(entry(matrix, row, row) > 0.0);
        if (mass != NULL) {
            assert_at_most(fabs(sum - mass[row]), tolerance * size);
        }
    }
}

static void grids_are_symmetric_with_a_light_ground_spring(void **state)
{
    (void)state;
    const int points[] = {7, 27};
    for (int p = 0; p < 2; ++p) {
        SnBenchMatrix matrix;
        assert_int_equal(sn_matrix_of_grid(6, points[p], &matrix, NULL), SINEW_OK);
        assert_int_equal(matrix.count, 216);
        double mass[216];
        for (int i = 0; i < 216; ++i) {
            mass[i] = 0.01;
        }
        check_matrix(&matrix, mass, 1e-14);
        int inner = (2 * 6 + 2) * 6 + 2;
        assert_int_equal(matrix.row_start[inner + 1] - matrix.row_start[inner], points[p]);
        sn_matrix_release(&matrix);
    }
    SnBenchMatrix matrix;
    SinewError error;
    assert_int_equal(sn_matrix_of_grid(0, 7, &matrix, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sn_matrix_of_grid(3, 9, &matrix, &error), SINEW_ERROR_ARGUMENT);
}

// Two tets over one face. Gradients sum to zero, so a row sums to the vertex's mass.
static double xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static int tets[] = {0, 1, 2, 3, 1, 4, 2, 3};

static void rows_of_a_mesh_sum_to_its_masses(void **state)
{
    (void)state;
    SnBenchMesh mesh = {.vertex_count = 5, .tet_count = 2, .xyz = xyz, .tets = tets};
    SnBenchMatrix matrix;
    assert_int_equal(sn_matrix_of_mesh(&mesh, &matrix, NULL), SINEW_OK);
    assert_int_equal(matrix.count, 5);
    const double small = 1000.0 / 6.0 / 4.0;
    const double large = 1000.0 / 3.0 / 4.0;
    const double both = small + large;
    const double mass[] = {small, both, both, both, large};
    check_matrix(&matrix, mass, 1e-13);
    // Corner 0: |g|^2 = 3, V = 1/6, mu = 1e6 / 2.66, so 2 dt^2 mu V |g|^2 = 1e-4 mu.
    assert_at_most(fabs(entry(&matrix, 0, 0) - (small + 1e-4 * 1e6 / 2.66)), 1e-10);
    assert_true(entry(&matrix, 0, 4) == 0.0);
    sn_matrix_release(&matrix);

    // A fixed vertex leaves with its row and column; what stays is the same.
    bool fixed[] = {false, true, false, false, false};
    mesh.fixed = fixed;
    SnBenchMatrix less;
    assert_int_equal(sn_matrix_of_mesh(&mesh, &less, NULL), SINEW_OK);
    assert_int_equal(less.count, 4);
    check_matrix(&less, NULL, 1e-13);
    assert_at_most(fabs(entry(&less, 0, 0) - (small + 1e-4 * 1e6 / 2.66)), 1e-10);
    sn_matrix_release(&less);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_file(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
}

static void damaged_meshes_are_refused_with_file_and_line(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew_mesh_XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *const nodes = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
    const struct {
        const char *node;
        const char *ele;
        const char *sentence;
    } cases[] = {
        {"", "", "ends too early"},
        {"2 3 0 0\n0 0.0 0.0 0.0\n", "", "m.node:2: ends too early"},
        {"900000 3 0 0\n0 0 0 0\n", "", "m.node:1: count is 900000"},
        {"-4 3\n", "", "count is -4"},
        {"1 3\n0 x 0 0\n", "", "m.node:2: 1 numbers, expected 4"},
        {"1 3\n0 inf 0 0\n", "", "m.node:2"},
        {nodes, "1 4 0\n0 0 1 2 4\n", "m.ele:2: vertex 4, expected 0 to 3"},
        {nodes, "1 4 0\n0 0 1 2 -1\n", "vertex -1"},
        {nodes, "1 4 0\n0 0 1 2\n", "4 numbers, expected 5"},
        {nodes, "# tets\n\n1 4 0\n0 0 2 1 3\n", "m.ele:4: the tet has no positive volume"},
        {nodes, "1 4 0\n0 0 1 2 3\n", "armadillo_4k.node: cannot be read"},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        write_file(folder, "m.node", cases[i].node);
        write_file(folder, "m.ele", cases[i].ele);
        SnBenchMesh mesh;
        SinewError error;
        assert_int_equal(sn_mesh_read_armadillo(folder, "m", &mesh, &error), SINEW_ERROR_FILE);
        assert_null(mesh.xyz);
        if (strstr(error.text, cases[i].sentence) == NULL) {
            fail_msg("\"%s\" does not say %s", error.text, cases[i].sentence);
        }
    }
    assert_false(sn_mesh_has_armadillo(folder, "m"));
    remove_file(folder, "m.node");
    remove_file(folder, "m.ele");
    rmdir(folder);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(grids_are_symmetric_with_a_light_ground_spring),
    cmocka_unit_test(rows_of_a_mesh_sum_to_its_masses),
    cmocka_unit_test(damaged_meshes_are_refused_with_file_and_line),
};
SN_TEST_GROUP(bench_matrix, tests);
