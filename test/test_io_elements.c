// Hexahedra in files: what is written of two cells, word by word, and what is refused. Other
// programs read the files in check_mesh.py.
#include "support/fail_allocator.h"
#include "support/test.h"

#include "io/elements.h"

#include <unistd.h>

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "elements_test_%d_%s", (int)getpid(), name);
    return path;
}

// Two cells along z, the first interior and full, the second boundary and half full.
static SnCellMesh *make_pair(void)
{
    SnCellLattice lattice = {.cell_size = 1.0, .size = {1, 1, 2}, .cell_count = 2};
    int cells[] = {0, 0, 0, 0, 0, 1};
    unsigned char labels[] = {SN_CELL_INTERIOR, SN_CELL_BOUNDARY};
    float fills[] = {1.0f, 0.5f};
    int nodes[] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 3, 9, 5, 10, 7, 11};
    double positions[36];
    for (int cell = 0; cell < 2; ++cell) {
        for (int k = 0; k < 8; ++k) {
            double *x = positions + 3 * nodes[8 * cell + k];
            x[0] = k >> 2 & 1;
            x[1] = k >> 1 & 1;
            x[2] = cell + (k & 1);
        }
    }
    lattice.boundary_count = 1;
    lattice.cells = cells;
    lattice.labels = labels;
    lattice.fills = fills;
    lattice.nodes = nodes;
    lattice.node_count = 12;
    lattice.positions = positions;
    SnCellMesh *mesh = NULL;
    assert_int_equal(sn_cell_mesh_of_lattice(&lattice, NULL, &mesh, NULL), SINEW_OK);
    return mesh;
}

// The text of a file that is removed then; the caller frees it.
static char *text_of(const char *path)
{
    SnBytes bytes;
    assert_int_equal(sn_bytes_open(path, NULL, &bytes, NULL), SINEW_OK);
    char *text = calloc(bytes.size + 1, 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    sn_bytes_close(&bytes);
    remove(path);
    return text;
}

static void expect_words(const char *file, int version, const char *const *words, int count)
{
    SnCellMesh *mesh = make_pair();
    SnTetWriteOptions options = {.encoding = SN_TET_ASCII, .msh_version = version};
    SinewError error;
    if (sn_cell_mesh_write(mesh, &options, path_of(file), NULL, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    char *text = text_of(path_of(file));
    const char *at = text;
    for (int i = 0; i < count; ++i) {
        at = strstr(at, words[i]); // in this order
        if (at == NULL) {
            fail_msg("%s lacks, or has not in order:\n%s\nin\n%s", file, words[i], text);
        }
    }
    free(text);
    sn_cell_mesh_destroy(mesh, NULL);
}

static void hexes_are_written_as_text(void **state)
{
    (void)state;
    static const char *const vtk[] = {"hexes by sinew",
                                      "POINTS 12 double",
                                      "CELLS 2 18\n8 0 4 6 2 1 5 7 3 \n8 1 5 7 3 8 10 11 9",
                                      "CELL_TYPES 2\n12 \n12 \n",
                                      "CELL_DATA 2\nSCALARS region int 1",
                                      "0 \n1 \n",
                                      "FIELD FieldData 2\nlabel 1 2 float\n1 \n2 \n",
                                      "fill 1 2 float\n1 \n0.5 \n"};
    static const char *const vtu[] = {"NumberOfPoints=\"12\" NumberOfCells=\"2\"",
                                      "Name=\"region\"",
                                      "Name=\"label\"",
                                      "\n1 2 ",
                                      "Name=\"fill\"",
                                      "\n1 0.5 ",
                                      "0 4 6 2 1 5 7 3 1 5 7 3\n8 10 11 9",
                                      "\n8 16 ",
                                      "\n12 12 "};
    static const char *const msh22[] = {
        "3 1 \"interior\"\n3 2 \"boundary\"",
        "$Elements\n2\n1 5 2 1 1 1 5 7 3 2 6 8 4 \n2 5 2 2 2 2 6 8 4 9 11 12 10 \n$EndElements",
        "$ElementData\n1\n\"label\"\n1\n0\n3\n0\n1\n2\n1 1 \n2 2 \n$EndElementData",
        "\"fill\"\n1\n0\n3\n0\n1\n2\n1 1 \n2 0.5 \n$EndElementData"};
    static const char *const msh41[] = {
        "3 1 \"interior\"\n3 2 \"boundary\"",
        "$Elements\n2 2 1 2 \n3 1 5 1 \n1 1 5 7 3 2 6 8 4 \n3 2 5 1 \n2 2 6 8 4 9 11 12 10 \n$End",
        "\"fill\"\n1\n0\n3\n0\n1\n2\n1 1 \n2 0.5 \n"};
    expect_words("pair.vtk", 0, vtk, SN_COUNT(vtk));
    expect_words("pair.vtu", 0, vtu, SN_COUNT(vtu));
    expect_words("pair22.msh", 22, msh22, SN_COUNT(msh22));
    expect_words("pair41.msh", 41, msh41, SN_COUNT(msh41));
}

static void expect_refusal(const SnElements *elements, const SnTetWriteOptions *options,
                           const char *file, const char *sentence)
{
    SinewError error = {.text = ""};
    assert_int_equal(sn_elements_write(elements, options, path_of(file), NULL, &error),
                     SINEW_ERROR_ARGUMENT);
    if (strstr(error.text, sentence) == NULL) {
        fail_msg("\"%s\" lacks \"%s\"", error.text, sentence);
    }
    assert_int_not_equal(access(path_of(file), F_OK), 0);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    SnCellMesh *mesh = make_pair();
    SnElements hexes = sn_elements_of_hexes(mesh);
    const SnTetWriteOptions plain = {0};
    expect_refusal(&hexes, &plain, "pair.veg", "no format that holds hexes, expected .msh, .vtk");
    expect_refusal(&hexes, &plain, "pair", "no format that holds hexes");
    expect_refusal(&hexes, &(SnTetWriteOptions){.encoding = SN_TET_BASE64}, "pair.vtk",
                   "base64 and compression are for .vtu");
    expect_refusal(&hexes, &(SnTetWriteOptions){.msh_version = 30}, "pair.msh",
                   "MSH version 30 is not written");
    const float values[4] = {0.0f};
    const SnVtuField pairs = {"pairs", true, 2, values};
    hexes.fields = &pairs;
    hexes.field_count = 1;
    expect_refusal(&hexes, &plain, "pair.msh", "\"pairs\" has 2 components");
    hexes.element_count = 300000000; // nothing is read before it is refused
    expect_refusal(&hexes, &plain, "pair.vtk", "300000000 hexes do not fit into a legacy VTK file");
    sn_cell_mesh_destroy(mesh, NULL);
}

static void fields_of_points_are_written_too(void **state)
{
    (void)state;
    SnCellMesh *mesh = make_pair();
    SnElements hexes = sn_elements_of_hexes(mesh);
    float values[36];
    for (int i = 0; i < 36; ++i) {
        values[i] = 0.5f * (float)i;
    }
    const SnVtuField field = {"a \"push\"", false, 3, values};
    hexes.fields = &field;
    hexes.field_count = 1;
    SnTetWriteOptions options = {.encoding = SN_TET_ASCII};
    static const struct {
        const char *file;
        const char *words;
    } expected[] = {
        {"push.vtk", "POINT_DATA 12\nFIELD FieldData 1\na_\"push\" 3 12 float\n0 \n0.5 \n"},
        {"push.msh", "$NodeData\n1\n\"a _push_\"\n1\n0\n3\n0\n3\n12\n1 0 0.5 1 \n2 1.5 2 2.5 \n"},
        {"push.vtu", "<PointData>\n<DataArray type=\"Float32\" Name=\"a _push_\""},
    };
    for (int i = 0; i < SN_COUNT(expected); ++i) {
        const char *path = path_of(expected[i].file);
        assert_int_equal(sn_elements_write(&hexes, &options, path, NULL, NULL), SINEW_OK);
        char *text = text_of(path);
        if (strstr(text, expected[i].words) == NULL) {
            fail_msg("%s lacks\n%s\nin\n%s", expected[i].file, expected[i].words, text);
        }
        free(text);
    }
    sn_cell_mesh_destroy(mesh, NULL);
}

static SinewStatus write_all(const SinewAllocator *allocator, void *context, SinewError *error)
{
    static const char *const files[] = {"all.msh", "all.vtk", "all.vtu"};
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < 3; ++i) {
        SN_TRY(sn_cell_mesh_write(context, &(SnTetWriteOptions){0}, path_of(files[i]), allocator,
                                  error));
    }
done:
    for (int i = 0; i < 3; ++i) {
        remove(path_of(files[i]));
    }
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    SnCellMesh *mesh = make_pair();
    assert_true(sn_fail_each_allocation(write_all, mesh) > 6);
    sn_cell_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(hexes_are_written_as_text),
    cmocka_unit_test(what_does_not_fit_is_refused),
    cmocka_unit_test(fields_of_points_are_written_too),
    cmocka_unit_test(every_allocation_may_fail),
};

SN_TEST_GROUP(io_elements, tests);
