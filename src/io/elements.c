#include "io/elements.h"

#include "geometry/cell_lattice.h"

#include <string.h>
#include <strings.h>

const SnElementType sn_element_tet = {
    .plural = "tets", .corner_count = 4, .vtk_type = 10, .gmsh_type = 4};
const SnElementType sn_element_hex = {
    .plural = "hexes", .corner_count = 8, .vtk_type = 12, .gmsh_type = 5};

static const struct {
    const char *ending;
    SnElementsWriteFn *write;
} writers[] = {{".msh", sn_elements_write_msh},
               {".vtk", sn_elements_write_vtk},
               {".vtu", sn_elements_write_vtu}};

static SnElementsWriteFn *writer_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof writers / sizeof *writers; ++i) {
        if (strcasecmp(dot, writers[i].ending) == 0) {
            return writers[i].write;
        }
    }
    return NULL;
}

bool sn_elements_can_write(const char *path)
{
    return writer_of(path) != NULL;
}

SnElements sn_elements_of_tets(const SnTetMesh *mesh)
{
    return (SnElements){.type = &sn_element_tet,
                        .vertex_count = mesh->vertex_count,
                        .element_count = mesh->tet_count,
                        .positions = mesh->positions,
                        .corners = mesh->tets,
                        .regions = mesh->regions,
                        .names = &mesh->names};
}

SnElements sn_elements_of_hexes(const SnCellMesh *mesh)
{
    return (SnElements){.type = &sn_element_hex,
                        .vertex_count = mesh->vertex_count,
                        .element_count = mesh->hex_count,
                        .positions = mesh->positions,
                        .corners = mesh->hexes,
                        .regions = mesh->regions,
                        .names = &mesh->names};
}

bool sn_elements_have_regions(const SnElements *elements)
{
    return elements->names->count > 1 || elements->names->text[0][0] != '\0';
}

SinewStatus sn_write_options_check(const SnTetWriteOptions *options, const char *path,
                                   SinewError *error)
{
    bool is_base64 =
        options->encoding == SN_TET_BASE64 || options->encoding == SN_TET_APPENDED_BASE64;
    if (writer_of(path) != sn_elements_write_vtu && (is_base64 || options->is_compressed)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "base64 and compression are for .vtu files, expected text or bytes");
    }
    return SINEW_OK;
}

SinewStatus sn_elements_write(const SnElements *elements, const SnTetWriteOptions *options,
                              const char *path, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnElementsWriteFn *write = writer_of(path);
    if (write == NULL) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.120s: its ending is of no format that holds %s, expected .msh, .vtk or "
                       ".vtu",
                       path, elements->type->plural));
    }
    SN_TRY(sn_write_options_check(options, path, error));
    SN_TRY(write(elements, options, path, allocator, error));
done:
    return status;
}

SinewStatus sn_cell_mesh_write(const SnCellMesh *mesh, const SnTetWriteOptions *options,
                               const char *path, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    float *labels = NULL;
    SnElements elements = sn_elements_of_hexes(mesh);
    SN_ALLOC(labels, allocator, mesh->hex_count, error);
    for (int h = 0; h < mesh->hex_count; ++h) {
        labels[h] =
            mesh->regions[h] == SN_HEX_INTERIOR ? (float)SN_CELL_INTERIOR : (float)SN_CELL_BOUNDARY;
    }
    const SnVtuField fields[] = {{"label", true, 1, labels}, {"fill", true, 1, mesh->fills}};
    elements.fields = fields;
    elements.field_count = 2;
    SN_TRY(sn_elements_write(&elements, options, path, allocator, error));
done:
    sn_free(allocator, labels);
    return status;
}
