// VTU: an unstructured grid with its regions and any fields beside it.
#include "io/elements.h"
#include "io/vtk_piece.h"
#include "io/vtu_output.h"

#include <string.h>

static SinewStatus put_names(SnVtuOutput *out, const SnElements *mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnArray text = sn_array_of(out->allocator, 1);
    for (int r = 0; r < mesh->names->count; ++r) {
        size_t size = strlen(mesh->names->text[r]) + 1;
        char *place = sn_array_add(&text, size);
        SN_TRY(sn_expect_memory(place, size, 1, error));
        memcpy(place, mesh->names->text[r], size);
    }
    sn_whole_file_printf(&out->file, "<FieldData>\n");
    SnVtuArray names = {SN_VTK_NAMES, SN_NUMBER_U8, 1, text.items, text.count};
    SN_TRY(sn_vtu_put_field(out, &names, error));
    sn_whole_file_printf(&out->file, "</FieldData>\n");
done:
    sn_array_release(&text);
    return status;
}

static SinewStatus put_fields(SnVtuOutput *out, const SnElements *mesh, bool on_cells,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t items = (size_t)(on_cells ? mesh->element_count : mesh->vertex_count);
    sn_whole_file_printf(&out->file, on_cells ? "<CellData>\n" : "<PointData>\n");
    if (on_cells && sn_elements_have_regions(mesh)) {
        SnVtuArray regions = {SN_VTK_REGION, SN_NUMBER_I32, 1, mesh->regions, items};
        SN_TRY(sn_vtu_put_array(out, &regions, error));
    }
    for (int f = 0; f < mesh->field_count; ++f) {
        const SnVtuField *field = &mesh->fields[f];
        if (field->is_on_cells == on_cells) {
            SnVtuArray array = {field->name, SN_NUMBER_F32, field->component_count, field->values,
                                items * (size_t)field->component_count};
            SN_TRY(sn_vtu_put_array(out, &array, error));
        }
    }
    sn_whole_file_printf(&out->file, on_cells ? "</CellData>\n" : "</PointData>\n");
done:
    return status;
}

SinewStatus sn_elements_write_vtu(const SnElements *mesh, const SnTetWriteOptions *options,
                                  const char *path, const SinewAllocator *allocator,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVtuOutput out = {0};
    SN_TRY(sn_vtu_begin(&out, options, path, allocator, error));
    if (sn_elements_have_regions(mesh)) {
        SN_TRY(put_names(&out, mesh, error));
    }
    sn_whole_file_printf(&out.file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
                         mesh->vertex_count, mesh->element_count);
    SN_TRY(put_fields(&out, mesh, false, error));
    SN_TRY(put_fields(&out, mesh, true, error));
    SN_TRY(sn_vtu_put_points(&out, mesh->positions, mesh->vertex_count, error));
    SN_TRY(sn_vtu_put_cells(&out, mesh->corners, mesh->element_count, mesh->type->corner_count,
                            mesh->type->vtk_type, error));
    SN_TRY(sn_vtu_commit(&out, error));
done:
    sn_vtu_release(&out);
    return status;
}

SinewStatus sn_write_vtu(const SnTetMesh *mesh, const SnVtuField *fields, int field_count,
                         const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SnElements tets = sn_elements_of_tets(mesh);
    tets.fields = fields;
    tets.field_count = field_count;
    return sn_elements_write_vtu(&tets, options, path, allocator, error);
}
