// A frame as a VTU file for ParaView.
#include "tool/export/frame.h"

#include "io/vtu_output.h"

// The grid that is written: the elements of the body, or else the triangles of its surface.
typedef struct Grid {
    int point_count;
    const double *points;
    int cell_count;
    int corners;
    int type;
    const int *cells;
    double *own_points; // what must be freed
    int *own_cells;
} Grid;

// VTK goes round the bottom of a cell, then round its top; ours is corner 4 i + 2 j + k.
static SinewStatus turn_cells(const SnFrame *frame, const SinewAllocator *allocator, Grid *grid,
                              SinewError *error)
{
    static const int ours[8] = {0, 4, 6, 2, 1, 5, 7, 3};
    SinewStatus status = SINEW_OK;
    SN_ALLOC(grid->own_cells, allocator, 8 * (size_t)frame->element_count, error);
    for (size_t e = 0; e < (size_t)frame->element_count; ++e) {
        for (size_t c = 0; c < 8; ++c) {
            grid->own_cells[8 * e + c] = frame->elements[8 * e + (size_t)ours[c]];
        }
    }
    grid->cells = grid->own_cells;
done:
    return status;
}

static SinewStatus take_surface(const SnFrame *frame, const SinewAllocator *allocator, Grid *grid,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = 3 * (size_t)frame->surface_vertex_count;
    SN_ALLOC(grid->own_points, allocator, count, error);
    for (size_t i = 0; i < count; ++i) {
        grid->own_points[i] = frame->surface_xyz[i];
    }
    grid->point_count = frame->surface_vertex_count;
    grid->points = grid->own_points;
    grid->cell_count = frame->surface_triangle_count;
    grid->corners = 3;
    grid->type = SN_VTK_TRIANGLE;
    grid->cells = frame->surface_triangles;
done:
    return status;
}

static SinewStatus make_grid(const SnFrame *frame, const SinewAllocator *allocator, Grid *grid,
                             SinewError *error)
{
    if (frame->corners == 0) {
        return take_surface(frame, allocator, grid, error);
    }
    *grid = (Grid){.point_count = frame->node_count,
                   .points = frame->nodes_xyz,
                   .cell_count = frame->element_count,
                   .corners = frame->corners,
                   .type = frame->corners == 4 ? SN_VTK_TETRA : SN_VTK_HEXAHEDRON,
                   .cells = frame->elements};
    return frame->corners == 8 ? turn_cells(frame, allocator, grid, error) : SINEW_OK;
}

static SinewStatus put_displacement(SnVtuOutput *out, const SnFrame *frame, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *moved = NULL;
    size_t count = 3 * (size_t)frame->node_count;
    SN_ALLOC(moved, out->allocator, count, error);
    for (size_t i = 0; i < count; ++i) {
        moved[i] = frame->nodes_xyz[i] - frame->rest_xyz[i];
    }
    SnVtuArray array = {"displacement", SN_NUMBER_F64, 3, moved, count};
    SN_TRY(sn_vtu_put_array(out, &array, error));
done:
    sn_free(out->allocator, moved);
    return status;
}

static SinewStatus put_point_data(SnVtuOutput *out, const SnFrame *frame, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    sn_whole_file_printf(&out->file, "<PointData>\n");
    if (frame->corners != 0 && frame->rest_xyz != NULL) {
        SN_TRY(put_displacement(out, frame, error));
    }
    if (frame->corners != 0 && frame->velocities != NULL) {
        SnVtuArray array = {"velocity", SN_NUMBER_F64, 3, frame->velocities,
                            3 * (size_t)frame->node_count};
        SN_TRY(sn_vtu_put_array(out, &array, error));
    }
    sn_whole_file_printf(&out->file, "</PointData>\n");
done:
    return status;
}

static SinewStatus put_cell_data(SnVtuOutput *out, const SnFrame *frame, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)frame->element_count;
    sn_whole_file_printf(&out->file, "<CellData>\n");
    if (frame->corners != 0 && frame->regions != NULL) {
        SnVtuArray array = {"region", SN_NUMBER_I32, 1, frame->regions, count};
        SN_TRY(sn_vtu_put_array(out, &array, error));
    }
    if (frame->corners != 0 && frame->element_values != NULL) {
        SnVtuArray array = {frame->element_value_name, SN_NUMBER_F64, 1, frame->element_values,
                            count};
        SN_TRY(sn_vtu_put_array(out, &array, error));
    }
    sn_whole_file_printf(&out->file, "</CellData>\n");
done:
    return status;
}

SinewStatus sn_frame_write_vtu(const SnFrame *frame, bool is_compressed, const char *path,
                               const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVtuOutput out = {0};
    Grid grid = {0};
    SnTetWriteOptions options = {.encoding = SN_TET_BINARY, .is_compressed = is_compressed};
    SN_TRY(sn_frame_check(frame, error));
    SN_TRY(make_grid(frame, allocator, &grid, error));
    SN_TRY(sn_vtu_begin(&out, &options, path, allocator, error));
    // ParaView shows the time of a single file from this.
    SnVtuArray time = {"TimeValue", SN_NUMBER_F64, 1, &frame->time, 1};
    sn_whole_file_printf(&out.file, "<FieldData>\n");
    SN_TRY(sn_vtu_put_field(&out, &time, error));
    sn_whole_file_printf(&out.file,
                         "</FieldData>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
                         grid.point_count, grid.cell_count);
    SN_TRY(put_point_data(&out, frame, error));
    SN_TRY(put_cell_data(&out, frame, error));
    SN_TRY(sn_vtu_put_points(&out, grid.points, grid.point_count, error));
    SN_TRY(sn_vtu_put_cells(&out, grid.cells, grid.cell_count, grid.corners, grid.type, error));
    SN_TRY(sn_vtu_commit(&out, error));
done:
    sn_vtu_release(&out);
    sn_free(allocator, grid.own_points);
    sn_free(allocator, grid.own_cells);
    return status;
}
