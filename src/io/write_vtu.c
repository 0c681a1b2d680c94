// VTU: a tet mesh with its regions and any fields beside it.
#include "io/tet_files.h"
#include "io/vtk_piece.h"
#include "io/vtu_output.h"

#include <string.h>

static SinewStatus put_names(SnVtuOutput *out, const SnTetMesh *mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnArray text = sn_array_of(out->allocator, 1);
    for (int r = 0; r < mesh->names.count; ++r) {
        size_t size = strlen(mesh->names.text[r]) + 1;
        char *place = sn_array_add(&text, size);
        SN_TRY(sn_expect_memory(place, size, 1, error));
        memcpy(place, mesh->names.text[r], size);
    }
    sn_whole_file_printf(&out->file, "<FieldData>\n");
    SnVtuArray names = {SN_VTK_NAMES, SN_NUMBER_U8, 1, text.items, text.count};
    SN_TRY(sn_vtu_put_field(out, &names, error));
    sn_whole_file_printf(&out->file, "</FieldData>\n");
done:
    sn_array_release(&text);
    return status;
}

static SinewStatus put_fields(SnVtuOutput *out, const SnTetMesh *mesh, const SnVtuField *fields,
                              int field_count, bool on_cells, bool has_regions, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t items = (size_t)(on_cells ? mesh->tet_count : mesh->vertex_count);
    sn_whole_file_printf(&out->file, on_cells ? "<CellData>\n" : "<PointData>\n");
    if (on_cells && has_regions) {
        SnVtuArray regions = {SN_VTK_REGION, SN_NUMBER_I32, 1, mesh->regions, items};
        SN_TRY(sn_vtu_put_array(out, &regions, error));
    }
    for (int f = 0; f < field_count; ++f) {
        if (fields[f].is_on_cells == on_cells) {
            SnVtuArray array = {fields[f].name, SN_NUMBER_F32, fields[f].component_count,
                                fields[f].values, items * (size_t)fields[f].component_count};
            SN_TRY(sn_vtu_put_array(out, &array, error));
        }
    }
    sn_whole_file_printf(&out->file, on_cells ? "</CellData>\n" : "</PointData>\n");
done:
    return status;
}

SinewStatus sn_write_vtu(const SnTetMesh *mesh, const SnVtuField *fields, int field_count,
                         const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVtuOutput out = {0};
    bool has_regions = mesh->names.count > 1 || mesh->names.text[0][0] != '\0';
    SN_TRY(sn_vtu_begin(&out, options, path, allocator, error));
    if (has_regions) {
        SN_TRY(put_names(&out, mesh, error));
    }
    sn_whole_file_printf(&out.file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
                         mesh->vertex_count, mesh->tet_count);
    SN_TRY(put_fields(&out, mesh, fields, field_count, false, has_regions, error));
    SN_TRY(put_fields(&out, mesh, fields, field_count, true, has_regions, error));
    SN_TRY(sn_vtu_put_points(&out, mesh->positions, mesh->vertex_count, error));
    SN_TRY(sn_vtu_put_cells(&out, mesh->tets, mesh->tet_count, 4, SN_VTK_TETRA, error));
    SN_TRY(sn_vtu_commit(&out, error));
done:
    sn_vtu_release(&out);
    return status;
}
