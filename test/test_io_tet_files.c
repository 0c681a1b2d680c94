#include "support/test.h"

#include "base/random.h"
#include "geometry/box_tets.h"
#include "io/deflate.h"
#include "io/tet_files.h"
#include "support/fail_allocator.h"

#include <unistd.h>

static const char folder[] = "tet_files_test";

typedef struct Flavour {
    const char *file;
    SnTetWriteOptions options;
    bool keeps_names;
} Flavour;

static const Flavour flavours[] = {
    {"default.msh", {0}, true},
    {"ascii22.msh", {.encoding = SN_TET_ASCII, .msh_version = 22}, true},
    {"binary22.msh", {.encoding = SN_TET_BINARY, .msh_version = 22}, true},
    {"ascii41.msh", {.encoding = SN_TET_ASCII, .msh_version = 41}, true},
    {"binary41.msh", {.encoding = SN_TET_BINARY, .msh_version = 41}, true},
    {"zero.node", {.first_index = 0}, false},
    {"one.ele", {.first_index = 1}, false},
    {"plain.veg", {0}, true},
    {"default.vtk", {0}, true},
    {"ascii.vtk", {.encoding = SN_TET_ASCII}, true},
    {"default.vtu", {0}, true},
    {"ascii.vtu", {.encoding = SN_TET_ASCII}, true},
    {"raw.vtu", {.encoding = SN_TET_BINARY}, true},
    {"base64.vtu", {.encoding = SN_TET_BASE64}, true},
    {"appended64.vtu", {.encoding = SN_TET_APPENDED_BASE64}, true},
    {"raw_zlib.vtu", {.encoding = SN_TET_BINARY, .is_compressed = true}, true},
    {"base64_zlib.vtu", {.encoding = SN_TET_BASE64, .is_compressed = true}, true},
    {"appended64_zlib.vtu", {.encoding = SN_TET_APPENDED_BASE64, .is_compressed = true}, true},
};

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s_%d_%s", folder, (int)getpid(), name);
    return path;
}

// Either file of a TetGen pair is removed with the other.
static void remove_file(const char *name)
{
    char stem[100];
    snprintf(stem, sizeof stem, "%s", name);
    remove(path_of(stem));
    char *dot = strrchr(stem, '.');
    bool is_node = strcmp(dot, ".node") == 0;
    if (is_node || strcmp(dot, ".ele") == 0) {
        strcpy(dot, is_node ? ".ele" : ".node");
        remove(path_of(stem));
    }
}

static bool is_possible(const Flavour *flavour)
{
    return sn_has_deflate() || !flavour->options.is_compressed;
}

// A box whose vertices are moved to places that take all digits, with three regions interleaved.
static SnTetMesh *make_mesh(int cells, bool has_regions)
{
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {cells, cells, cells}};
    SnTetMesh *mesh;
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, NULL), SINEW_OK);
    SnRandom random = {7};
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] += sn_random_between(&random, -0.05, 0.05) / cells;
    }
    if (has_regions) {
        static const char *const names[] = {"bone", "soft_flesh", "skin"};
        assert_int_equal(sn_names_reset(&mesh->names, 3, NULL, NULL), SINEW_OK);
        for (int r = 0; r < 3; ++r) {
            sn_names_set(&mesh->names, r, names[r], strlen(names[r]), NULL, NULL);
        }
        for (int t = 0; t < mesh->tet_count; ++t) {
            mesh->regions[t] = (t * 7 + 5) / 3 % 3;
        }
    }
    return mesh;
}

static void expect_same(const SnTetMesh *got, const SnTetMesh *mesh, bool names)
{
    assert_int_equal(got->vertex_count, mesh->vertex_count);
    assert_int_equal(got->tet_count, mesh->tet_count);
    assert_memory_equal(got->positions, mesh->positions,
                        3 * sizeof(double) * (size_t)mesh->vertex_count);
    assert_memory_equal(got->tets, mesh->tets, 4 * sizeof(int) * (size_t)mesh->tet_count);
    assert_memory_equal(got->regions, mesh->regions, sizeof(int) * (size_t)mesh->tet_count);
    assert_int_equal(got->names.count, mesh->names.count);
    for (int r = 0; r < mesh->names.count && names; ++r) {
        assert_string_equal(got->names.text[r], mesh->names.text[r]);
    }
}

static void every_flavour_gives_back_every_bit(void **state)
{
    (void)state;
    for (int has_regions = 0; has_regions < 2; ++has_regions) {
        SnTetMesh *mesh = make_mesh(3, has_regions != 0);
        for (int f = 0; f < SN_COUNT(flavours); ++f) {
            const Flavour *flavour = &flavours[f];
            if (!is_possible(flavour)) {
                continue;
            }
            SinewError error = {.text = ""};
            SnTetMesh *got = NULL;
            SnTetReport report;
            if (sn_tet_mesh_write_as(mesh, &flavour->options, path_of(flavour->file), NULL,
                                     &error) != SINEW_OK ||
                sn_tet_mesh_read_report(path_of(flavour->file), NULL, &got, &report, &error) !=
                    SINEW_OK) {
                fail_msg("%s: %s", flavour->file, error.text);
            }
            expect_same(got, mesh, flavour->keeps_names);
            assert_int_equal(report.flipped_tets + report.skipped_elements +
                                 report.unused_vertices + report.flat_tets,
                             0);
            sn_tet_mesh_destroy(got, NULL);
            remove_file(flavour->file);
        }
        sn_tet_mesh_destroy(mesh, NULL);
    }
}

static void zlib_files_of_many_blocks_are_read(void **state)
{
    (void)state;
    if (!sn_has_deflate()) {
        return;
    }
    SnTetMesh *mesh = make_mesh(24, true); // 375 kB of points: two blocks
    SnTetMesh *got;
    SinewError error;
    assert_int_equal(sn_tet_mesh_write(mesh, path_of("big.vtu"), NULL, &error), SINEW_OK);
    assert_int_equal(sn_tet_mesh_read(path_of("big.vtu"), NULL, &got, &error), SINEW_OK);
    expect_same(got, mesh, true);
    sn_tet_mesh_destroy(got, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
    remove(path_of("big.vtu"));
}

static void fields_are_written_beside_the_mesh(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(1, false);
    float points[3 * 8];
    float cells[5];
    for (int i = 0; i < 24; ++i) {
        points[i] = 0.5f * (float)i;
    }
    for (int i = 0; i < 5; ++i) {
        cells[i] = (float)i;
    }
    SnVtuField fields[] = {{"velo<city", false, 3, points}, {"strain", true, 1, cells}};
    SnTetWriteOptions options = {.encoding = SN_TET_ASCII};
    SnTetMesh *got;
    SinewError error;
    assert_int_equal(sn_write_vtu(mesh, fields, 2, &options, path_of("fields.vtu"), NULL, &error),
                     SINEW_OK);
    SnBytes bytes;
    assert_int_equal(sn_bytes_open(path_of("fields.vtu"), NULL, &bytes, &error), SINEW_OK);
    char *text = calloc(bytes.size + 1, 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    assert_non_null(strstr(text, "Name=\"velo_city\" NumberOfComponents=\"3\""));
    assert_non_null(strstr(text, "\n10.5 11 11.5\n"));
    assert_non_null(strstr(text, "Name=\"strain\""));
    free(text);
    sn_bytes_close(&bytes);
    assert_int_equal(sn_tet_mesh_read(path_of("fields.vtu"), NULL, &got, &error), SINEW_OK);
    expect_same(got, mesh, true);
    sn_tet_mesh_destroy(got, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
    remove(path_of("fields.vtu"));
}

// --- Texts

typedef enum Kind { MSH, VEG, VTK, VTU, TETGEN } Kind;

static const char four_nodes[] = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";

static SinewStatus read_bytes(Kind kind, const void *data, size_t size,
                              const SinewAllocator *allocator, SnTetMesh **mesh,
                              SnTetReport *report, SinewError *error)
{
    SnBytes bytes = sn_bytes_of(data, size, "some.file");
    SnBytes nodes = sn_bytes_of(four_nodes, sizeof four_nodes - 1, "some.node");
    switch (kind) {
    case MSH:
        return sn_read_msh(&bytes, allocator, mesh, report, error);
    case VEG:
        return sn_read_veg(&bytes, allocator, mesh, report, error);
    case VTK:
        return sn_read_vtk(&bytes, allocator, mesh, report, error);
    case VTU:
        return sn_read_vtu(&bytes, allocator, mesh, report, error);
    default:
        return sn_read_tetgen(&nodes, &bytes, allocator, mesh, report, error);
    }
}

static SnTetMesh *expect_text(Kind kind, const char *text, SnTetReport *report)
{
    SnTetMesh *mesh = NULL;
    SinewError error = {.text = ""};
    if (read_bytes(kind, text, strlen(text), NULL, &mesh, report, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return mesh;
}

// Sparse tags in no order, a node that no tet uses, a tet inside out, one of second order, a
// triangle, and two groups, one of which has a name.
static const char odd_msh[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nby hand\n$EndComments\n"
    "$PhysicalNames\n2\n2 7 \"a face\"\n3 9 \"the liver\"\n$EndPhysicalNames\n"
    "$Nodes\n12\n900 0 0 0\n5 1 0 0\n77 5 5 5\n1000000 0 1 0\n2 0 0 1\n"
    "20 1 1 1\n21 1 1 1\n22 1 1 1\n23 1 1 1\n24 1 1 1\n25 1 1 1\n26 2 2 2\n$EndNodes\n"
    "$Elements\n4\n1 2 2 7 1 900 5 2\n2 4 2 9 1 900 5 2 1000000\n"
    "3 11 2 -9 1 900 5 1000000 2 20 21 22 23 24 25\n4 4 2 0 3 5 900 1000000 26\n$EndElements\n";

static void tets_are_turned_and_the_rest_is_dropped(void **state)
{
    (void)state;
    SnTetReport report;
    SnTetMesh *mesh = expect_text(MSH, odd_msh, &report);
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->tet_count, 3);
    assert_int_equal(report.skipped_elements, 1);
    assert_int_equal(report.flipped_tets, 2);
    assert_int_equal(report.unused_vertices, 7);
    static const int tets[] = {0, 1, 2, 3, 0, 1, 2, 3, 1, 0, 4, 2};
    assert_memory_equal(mesh->tets, tets, sizeof tets);
    for (int t = 0; t < 3; ++t) {
        assert_true(sn_tet_mesh_volume(mesh, t) > 0.0);
    }
    static const int regions[] = {0, 0, 1};
    assert_memory_equal(mesh->regions, regions, sizeof regions);
    assert_int_equal(mesh->names.count, 2);
    assert_string_equal(mesh->names.text[0], "the liver");
    assert_string_equal(mesh->names.text[1], "3"); // no physical group, so its entity
    sn_tet_mesh_destroy(mesh, NULL);
}

static const char sets_veg[] =
    "# by hand\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 "
    "-1\n\n*ELEMENTS\nTETS\n"
    "2 4 0\n1 1 2 3 4\n2 1 3 2 5\n*MATERIAL hard\nENU, 1000, 1E6, 0.4\n*MATERIAL soft\n"
    "ENU, 1000, 1E5, 0.4\n*SET tip\n2\n*REGION\nallElements, hard\n*REGION\ntip, soft\n";

static void veg_regions_follow_vega(void **state)
{
    (void)state;
    SnTetMesh *mesh = expect_text(VEG, sets_veg, NULL);
    assert_int_equal(mesh->names.count, 2);
    assert_string_equal(mesh->names.text[0], "hard");
    assert_string_equal(mesh->names.text[1], "tip");
    assert_int_equal(mesh->regions[0], 0);
    assert_int_equal(mesh->regions[1], 1);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const char tets_vtk5[] =
    "# vtk DataFile Version 5.1\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
    "0 0 0 1 0 0 0 1 0\n0 0 1 9 9 9\nMETADATA\nINFORMATION 0\n\nCELLS 3 7\nOFFSETS vtktypeint64\n"
    "0 3 7\nCONNECTIVITY vtktypeint64\n0 1 2 0 1 2 3\nCELL_TYPES 2\n5\n10\nCELL_DATA 2\n"
    "FIELD FieldData 2\nquality 1 2 double\n0.5 0.5\nMaterialIds 1 2 float\n3 4\n";

static const char tets_vtu[] =
    "<?xml version=\"1.0\"?><!-- by hand --><VTKFile type=\"UnstructuredGrid\" "
    "byte_order=\"BigEndian\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">"
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">"
    "0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells>"
    "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>"
    "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"binary\">AAAAAQo=</DataArray>"
    "</Cells></Piece></UnstructuredGrid></VTKFile>";

static void vtk_of_others_is_read(void **state)
{
    (void)state;
    SnTetReport report;
    SnTetMesh *mesh = expect_text(VTK, tets_vtk5, &report);
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->tet_count, 1);
    assert_int_equal(report.skipped_elements, 1);
    assert_int_equal(report.unused_vertices, 1);
    assert_int_equal(mesh->names.count, 1);
    sn_tet_mesh_destroy(mesh, NULL);
    mesh = expect_text(VTU, tets_vtu, &report);
    assert_int_equal(mesh->tet_count, 1);
    assert_true(sn_tet_mesh_volume(mesh, 0) == 1.0 / 6.0);
    sn_tet_mesh_destroy(mesh, NULL);
}

// --- Refusals

typedef struct Refusal {
    Kind kind;
    const char *text;
    const char *sentence;
} Refusal;

#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 MSH2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define VTK3 "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS3 VTK3 "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"
#define VTU1 "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid>"
#define VTUZ                                                                                       \
    "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>"
#define POINTS_TAG "<Points><DataArray type=\"Float32\" Name=\"P\" format="

static const Refusal refusals[] = {
    {MSH, "", "expected $MeshFormat"},
    {MSH, "$MeshFormat\n3.0 0 8\n", "\"3.0\" is not read, expected 2.2 or 4.1"},
    {MSH, MSH2 "$Nodes\n1000000000\n1 0 0 0\n$EndNodes\n", "some.file:6: claims 1000000000 nodes"},
    {MSH, MSH4 "$Nodes\n1 1000000000 1 1000000000\n", "claims 1000000000 nodes"},
    {MSH, MSH2 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "\"nan\" is not a coordinate"},
    {MSH, MSH2 "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "node 1 is there twice"},
    {MSH, MSH2 "$Elements\n", "$Elements comes before $Nodes"},
    {MSH, NODES2 "$Elements\n1\n1 4 2 0 1 1 2 3 9\n$EndElements\n", "uses node 9"},
    {MSH, NODES2 "$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n", "no tetrahedra (1 other"},
    {MSH, NODES2 "$Elements\n2\n1 4 2 0 1 1 2 3 4\n$EndElements\n", "an element's tag"},
    {MSH, NODES2 "$Elements\n1\n1 4 2 0 1 1 2 3 4\n2 4 2 0 1 1 2 3 4\n$EndElements\n",
     "expected $EndElements"},
    {MSH, MSH2 "$Odd\n", "ends inside $Odd"},
    {MSH, MSH2 "odd\n", "stands between sections"},
    {MSH, MSH2 "$PhysicalNames\n1\n3 1 bone\n", "has no name"},
    {MSH, MSH4 "$Nodes\n1 4 1 4\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n",
     "at most 4"},
    {MSH, MSH4 "$Nodes\n0 4 1 4\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", "4 nodes are missing"},
    {VEG, "", "no tetrahedra"},
    {VEG, "*VERTICES\n1000000000 3 0 0\n", "is 1000000000, but only 5 bytes are left"},
    {VEG, "*VERTICES\n1 3 0 0\n1 0 0 inf\n", "\"inf\" is not a coordinate"},
    {VEG, "*VERTICES\n1 3 0 0\n2 0 0 0\n", "the number of this line"},
    {VEG, "*ELEMENTS\nTET\n", "expected *ELEMENTS once, after *VERTICES"},
    {VEG, "*VERTICES\n1 3\n1 0 0 0\n*ELEMENTS\nCUBIC\n", "\"CUBIC\", expected TET"},
    {VEG, "*VERTICES\n1 3\n1 0 0 0\n*ELEMENTS\nTET\n1 4\n1 1 1 1 2\n", "expected a whole number"},
    {VEG, "*INCLUDE x.veg\n", "\"*INCLUDE\" is not read"},
    {VEG, "*VERTICES\n1 3\n1 0 0 0\n*ELEMENTS\nTET\n1 4\n1 1 1 1 1\n*SET a\n2\n", "of a set"},
    {VEG, "*VERTICES\n1 3\n1 0 0 0\n*ELEMENTS\nTET\n1 4\n1 1 1 1 1\n*REGION\na, b\n",
     "the set \"a\", which is not there"},
    {VTK, "hello", "is no VTK file"},
    {VTK, "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n", "\"POLYDATA\" is not read"},
    {VTK, VTK3 "POINTS 1000000000 float\n0 0 0\n", "claims 3000000000 numbers of the points"},
    {VTK, VTK3 "POINTS 1 complex\n", "the type \"complex\" is not read"},
    {VTK, VTK3 "POINTS 1 float\n0 nan 0\n", "some.file:6: "},
    {VTK, POINTS3 "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", "cell 0 uses point 4"},
    {VTK, POINTS3 "CELLS 1 5\n5 0 1 2 3\nCELL_TYPES 1\n10\n", "cell 0 does not fit"},
    {VTK, POINTS3 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10\n10\n", "cell 1 does not fit"},
    {VTK, POINTS3 "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "has 3 points, expected 4"},
    {VTK, POINTS3 "FIELD f 1\nwords 1 1000000000000 string\none\n", "array of strings"},
    {VTK, POINTS3 "STRIPES 1\n", "\"STRIPES\" is no part"},
    {VTU, "<a/>", "is no VTU file"},
    {VTU, "<!DOCTYPE a [<!ENTITY b \"c\">]>", "<! is not read"},
    {VTU, VTU1, "the file ends before its mesh"},
    {VTU, VTU1 "</Piece>", "</Piece> closes what is not open"},
    {VTU, VTU1 "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>", "nested deeper"},
    {VTU, "<VTKFile type=\"PolyData\">", "holds \"PolyData\""},
    {VTU, "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">",
     "packed by \"vtkLZ4DataCompressor\""},
    {VTU, "<VTKFile type=\"UnstructuredGrid", "does not end"},
    {VTU, VTU1 "<Piece NumberOfCells=\"1\">", "expected NumberOfPoints"},
    {VTU,
     VTU1 "<Piece NumberOfPoints=\"1000000000\" NumberOfCells=\"1\">" POINTS_TAG
          "\"ascii\">0 0 0</DataArray></Points></Piece></UnstructuredGrid></VTKFile>",
     "claims 1000000000 points and 1 cells, more than the file could hold"},
    {VTU,
     VTU1 "<Piece NumberOfPoints=\"2\" NumberOfCells=\"1\">" POINTS_TAG
          "\"binary\">DAAAAAAAAAA=</DataArray></Points></Piece></UnstructuredGrid></VTKFile>",
     "has 12 bytes, expected 24"},
    {VTU,
     VTU1 "<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\">" POINTS_TAG
          "\"binary\">DAAA</DataArray></Points></Piece></UnstructuredGrid></VTKFile>",
     "is cut off"},
    {VTU,
     VTU1 "<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\">" POINTS_TAG
          "\"binary\">DAAAAAA!AAAAAAAAAAAAAA==</DataArray></Points></Piece>"
          "</UnstructuredGrid></VTKFile>",
     "is no base64"},
    {VTU,
     VTU1 "<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\">" POINTS_TAG
          "\"appended\" offset=\"9\"/></Points></Piece></UnstructuredGrid></VTKFile>",
     "but not inside <AppendedData>"},
    {TETGEN, "1000000000 4 0\n1 1 2 3 4\n", "the number of tets is 1000000000, but only"},
    {TETGEN, "1 5 0\n1 1 2 3 4 4\n", "tets have 5 nodes"},
    {TETGEN, "1 4 0\n1 1 2 3 5\n", "\"5\" is not a vertex, expected a whole number from 1 to 4"},
    {TETGEN, "1 4 0\n1 0 1 2 3\n", "\"0\" is not a vertex"},
    {TETGEN, "1 4 1\n1 1 2 3 4 1.5\n", "a region is 1.5"},
    {TETGEN, "2 4 0\n1 1 2 3 4 \n1 1 2 3 4\n", "the number of this line"},
    {TETGEN, "2 4 0\n1 1 2 3 4 9 9 9\n", "some.file:"},
};

static void what_is_wrong_gets_its_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < SN_COUNT(refusals); ++i) {
        const Refusal *refusal = &refusals[i];
        SnTetMesh *mesh = NULL;
        SinewError error = {.text = ""};
        SinewStatus status = read_bytes(refusal->kind, refusal->text, strlen(refusal->text), NULL,
                                        &mesh, NULL, &error);
        if (status != SINEW_ERROR_FILE || strstr(error.text, refusal->sentence) == NULL) {
            fail_msg("%s\ngave %d and \"%s\", expected \"%s\"", refusal->text, (int)status,
                     error.text, refusal->sentence);
        }
        assert_null(mesh);
        assert_non_null(strstr(error.text, "some.file"));
    }
}

// One block that claims 12 bytes but holds none, and one that claims gigabytes.
static void packed_garbage_gets_its_sentence(void **state)
{
    (void)state;
    static const Refusal packed[] = {
        {VTU,
         VTUZ "<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\">" POINTS_TAG
              "\"binary\">AQAAAAwAAAAAAAAABgAAAA==AAAAAAAA</DataArray></Points></Piece>"
              "</UnstructuredGrid></VTKFile>",
         "is no zlib data"},
        {VTU,
         VTUZ "<Piece NumberOfPoints=\"50000\" NumberOfCells=\"1\">" POINTS_TAG
              "\"binary\">AQAAAMAnCQAAAAAABgAAAA==AAAAAAAA</DataArray></Points></Piece>"
              "</UnstructuredGrid></VTKFile>",
         "more than its bytes could hold"},
        {VTU,
         VTUZ "<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\">" POINTS_TAG
              "\"binary\">////fwwAAAAAAAAABgAAAA==AAAAAAAA</DataArray></Points></Piece>"
              "</UnstructuredGrid></VTKFile>",
         "more or larger blocks"},
    };
    for (int i = 0; i < SN_COUNT(packed); ++i) {
        SnTetMesh *mesh = NULL;
        SinewError error = {.text = ""};
        SinewStatus status =
            read_bytes(VTU, packed[i].text, strlen(packed[i].text), NULL, &mesh, NULL, &error);
        if (i == 0 && !sn_has_deflate()) {
            assert_int_equal(status, SINEW_ERROR_UNSUPPORTED);
            assert_non_null(strstr(error.text, "zlib"));
            continue;
        }
        if (status != SINEW_ERROR_FILE || strstr(error.text, packed[i].sentence) == NULL) {
            fail_msg("%d gave %d and \"%s\"", i, (int)status, error.text);
        }
    }
}

static Kind kind_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    return strcmp(dot, ".msh") == 0   ? MSH
           : strcmp(dot, ".veg") == 0 ? VEG
           : strcmp(dot, ".vtk") == 0 ? VTK
           : strcmp(dot, ".vtu") == 0 ? VTU
                                      : TETGEN;
}

// Whatever a file lacks at its end, its reader answers; behind the bytes lies nothing to lean on.
static void files_cut_at_every_byte_are_survived(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(1, true);
    for (int f = 0; f < SN_COUNT(flavours); ++f) {
        const Flavour *flavour = &flavours[f];
        Kind kind = kind_of(flavour->file);
        if (!is_possible(flavour) || kind == TETGEN) {
            continue;
        }
        SnBytes bytes;
        assert_int_equal(
            sn_tet_mesh_write_as(mesh, &flavour->options, path_of(flavour->file), NULL, NULL),
            SINEW_OK);
        assert_int_equal(sn_bytes_open(path_of(flavour->file), NULL, &bytes, NULL), SINEW_OK);
        int refused = 0;
        for (size_t size = 0; size < bytes.size; ++size) {
            unsigned char *part = malloc(size + 1);
            assert_non_null(part);
            unsigned char *place = part + 1; // its end is the end of the block
            memcpy(place, bytes.data, size);
            SnTetMesh *got = NULL;
            SinewError error = {.text = ""};
            SinewStatus status = read_bytes(kind, place, size, NULL, &got, NULL, &error);
            assert_true(status == SINEW_OK || status == SINEW_ERROR_FILE);
            assert_true((status == SINEW_OK) == (got != NULL));
            assert_true(status == SINEW_OK || error.text[0] != '\0');
            refused += status != SINEW_OK;
            sn_tet_mesh_destroy(got, NULL);
            free(part);
        }
        assert_true(refused > (int)bytes.size / 2);
        sn_bytes_close(&bytes);
        remove_file(flavour->file);
    }
    sn_tet_mesh_destroy(mesh, NULL);
}

// --- Memory

typedef struct Trip {
    const SnTetMesh *mesh;
    const Flavour *flavour;
} Trip;

static SinewStatus round_trip(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Trip *trip = context;
    SnTetMesh *got = NULL;
    SN_TRY(sn_tet_mesh_write_as(trip->mesh, &trip->flavour->options, path_of(trip->flavour->file),
                                allocator, error));
    SN_TRY(sn_tet_mesh_read(path_of(trip->flavour->file), allocator, &got, error));
done:
    sn_tet_mesh_destroy(got, allocator);
    return status;
}

static SinewStatus read_odd(const SinewAllocator *allocator, void *context, SinewError *error)
{
    const Refusal *text = context;
    SnTetMesh *got = NULL;
    SinewStatus status =
        read_bytes(text->kind, text->text, strlen(text->text), allocator, &got, NULL, error);
    sn_tet_mesh_destroy(got, allocator);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(1, true);
    for (int f = 0; f < SN_COUNT(flavours); ++f) {
        if (is_possible(&flavours[f])) {
            Trip trip = {mesh, &flavours[f]};
            assert_true(sn_fail_each_allocation(round_trip, &trip) > 5);
            remove_file(flavours[f].file);
        }
    }
    sn_tet_mesh_destroy(mesh, NULL);
    Refusal texts[] = {
        {MSH, odd_msh, ""}, {VEG, sets_veg, ""}, {VTK, tets_vtk5, ""}, {VTU, tets_vtu, ""}};
    for (int i = 0; i < SN_COUNT(texts); ++i) {
        assert_true(sn_fail_each_allocation(read_odd, &texts[i]) > 5);
    }
}

// --- Files of others

static void real_files_have_their_counts(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int vertex_count;
        int tet_count;
    } files[] = {{"hemisphere.ele", 777, 3236}, {"patch.msh", 64, 162}, {"beam.node", 525, 1600}};
    for (int f = 0; f < SN_COUNT(files); ++f) {
        char path[400];
        snprintf(path, sizeof path, SINEW_VALIDATION_DIR "/%s", files[f].file);
        SnTetMesh *mesh = NULL;
        SinewError error = {.text = ""};
        if (sn_tet_mesh_read(path, NULL, &mesh, &error) != SINEW_OK) {
            fail_msg("%s", error.text);
        }
        assert_int_equal(mesh->vertex_count, files[f].vertex_count);
        assert_int_equal(mesh->tet_count, files[f].tet_count);
        double volume = 0.0;
        for (int t = 0; t < mesh->tet_count; ++t) {
            volume += sn_tet_mesh_volume(mesh, t);
        }
        assert_true(volume > 0.0);
        sn_tet_mesh_destroy(mesh, NULL);
    }
}

static void other_names_are_refused(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(1, false);
    SnTetMesh *got;
    SinewError error;
    assert_int_equal(sn_tet_mesh_write(mesh, "a.stl", NULL, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "a.stl: its ending is of no tet format"));
    SnTetWriteOptions base64 = {.encoding = SN_TET_BASE64};
    assert_int_equal(sn_tet_mesh_write_as(mesh, &base64, "a.msh", NULL, &error),
                     SINEW_ERROR_ARGUMENT);
    SnTetWriteOptions old = {.msh_version = 10};
    assert_int_equal(sn_tet_mesh_write_as(mesh, &old, "a.msh", NULL, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sn_tet_mesh_write(mesh, "/no/such/folder/a.msh", NULL, &error),
                     SINEW_ERROR_WRITE);
    assert_int_equal(sn_tet_mesh_read("/no/such/file.node", NULL, &got, &error), SINEW_ERROR_FILE);
    assert_int_equal(sn_tet_mesh_read("/dev/null", NULL, &got, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "is a device, expected a file"));
    sn_tet_mesh_destroy(mesh, NULL);
}

static void files_are_known_by_their_bytes_or_their_name(void **state)
{
    (void)state;
    const struct {
        const char *text;
        const char *path;
        bool is_known;
    } cases[] = {
        {"$MeshFormat\n", "some.txt", true},
        {"<VTKFile type=", "some", true},
        {"", "some.node", true},
        {"0 3\n", "some.ELE", true},
        {"v 0 0 0\n", "some.obj", false},
        {"", "some", false},
    };
    for (int c = 0; c < SN_COUNT(cases); ++c) {
        SnBytes bytes = sn_bytes_of(cases[c].text, strlen(cases[c].text), cases[c].path);
        assert_int_equal(sn_tet_file_is_known(&bytes), cases[c].is_known);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_flavour_gives_back_every_bit),
    cmocka_unit_test(zlib_files_of_many_blocks_are_read),
    cmocka_unit_test(fields_are_written_beside_the_mesh),
    cmocka_unit_test(tets_are_turned_and_the_rest_is_dropped),
    cmocka_unit_test(veg_regions_follow_vega),
    cmocka_unit_test(vtk_of_others_is_read),
    cmocka_unit_test(what_is_wrong_gets_its_sentence),
    cmocka_unit_test(packed_garbage_gets_its_sentence),
    cmocka_unit_test(files_cut_at_every_byte_are_survived),
    cmocka_unit_test(every_allocation_may_fail),
    cmocka_unit_test(real_files_have_their_counts),
    cmocka_unit_test(other_names_are_refused),
    cmocka_unit_test(files_are_known_by_their_bytes_or_their_name),
};
SN_TEST_GROUP(io_tet_files, tests);
