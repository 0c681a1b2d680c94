#include "io/vtk_piece.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <strings.h>

// Cell types that start with the four corners of a tet: linear, quadratic, Lagrange, Bezier.
static bool is_tet(int64_t type)
{
    return type == 10 || type == 24 || type == 71 || type == 78;
}

int sn_vtk_region_rank(const char *name, size_t length)
{
    static const char *const known[] = {
        SN_VTK_REGION,   "regions",       "RegionId",         "region_id",   "regionids",
        "material",      "materials",     "MaterialId",       "material_id", "MaterialIds",
        "gmsh:physical", "physical",      "physical_group",   "cell_tags",   "medit:ref",
        "tetgen:ref",    "CellEntityIds", "gmsh:geometrical", "GeometryIds", "attribute"};
    for (int i = 0; i < (int)(sizeof known / sizeof *known); ++i) {
        if (strlen(known[i]) == length && strncasecmp(name, known[i], length) == 0) {
            return i;
        }
    }
    return -1;
}

static SinewStatus take_points(const SnVtkPiece *piece, SnTetDraft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *x;
    SN_TRY(sn_tet_draft_add_vertices(draft, (int64_t)(piece->points.count / 3), &x, error));
    sn_numbers_to_doubles(&piece->points, x);
    for (size_t i = 0; i < piece->points.count; ++i) {
        if (!(fabs(x[i]) <= DBL_MAX)) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_FILE, (int64_t)(i / 3),
                              "%.120s: point %zu is at %c = %g, expected a finite number",
                              draft->path, i / 3, "xyz"[i % 3], x[i]));
        }
    }
done:
    return status;
}

// Regions may be written as floats; they must be whole numbers all the same.
static bool has_whole_regions(const SnVtkPiece *piece)
{
    const SnNumbers *regions = &piece->regions;
    if (sn_number_is_whole(regions->type)) {
        return true;
    }
    bool whole = regions->type != SN_NUMBER_NONE;
    for (size_t i = 0; i < regions->count && whole; ++i) {
        double value = sn_numbers_double(regions, i);
        whole = value == floor(value) && fabs(value) < 0x1p53;
    }
    return whole;
}

// The cells one by one.
typedef struct Walk {
    const SnVtkPiece *piece;
    int64_t cell;
    int64_t begin; // of its points in the connectivity
    int64_t end;
} Walk;

static SinewStatus next_cell(Walk *walk, const char *path, SinewError *error)
{
    const SnVtkPiece *piece = walk->piece;
    int64_t size = (int64_t)piece->connectivity.count;
    if (piece->ends.type == SN_NUMBER_NONE) {
        walk->begin = walk->end + 1;
        int64_t count =
            walk->end < size ? sn_numbers_int(&piece->connectivity, (size_t)walk->end) : -1;
        walk->end = count >= 0 && count <= size - walk->begin ? walk->begin + count : -1;
    } else {
        walk->begin = walk->end;
        walk->end = sn_numbers_int(&piece->ends, (size_t)walk->cell);
    }
    if (walk->end < walk->begin || walk->end > size) {
        return sn_fail_at(error, SINEW_ERROR_FILE, walk->cell,
                          "%.120s: cell %" PRId64 " does not fit into the %" PRId64
                          " numbers of the connectivity",
                          path, walk->cell, size);
    }
    return SINEW_OK;
}

static SinewStatus take_corners(const Walk *walk, const SnTetDraft *draft, int64_t point_count,
                                int vertex_base, int *tet, SinewError *error)
{
    if (walk->end - walk->begin < 4) {
        return sn_fail_at(error, SINEW_ERROR_FILE, walk->cell,
                          "%.120s: cell %" PRId64 ", a tetrahedron, has %" PRId64
                          " points, expected 4 or more",
                          draft->path, walk->cell, walk->end - walk->begin);
    }
    for (int c = 0; c < 4; ++c) {
        int64_t point = sn_numbers_int(&walk->piece->connectivity, (size_t)(walk->begin + c));
        if (point < 0 || point >= point_count) {
            return sn_fail_at(error, SINEW_ERROR_FILE, walk->cell,
                              "%.100s: cell %" PRId64 " uses point %" PRId64
                              ", expected 0 to %" PRId64,
                              draft->path, walk->cell, point, point_count - 1);
        }
        tet[c] = vertex_base + (int)point;
    }
    return SINEW_OK;
}

static SinewStatus take_cells(const SnVtkPiece *piece, SnTetDraft *draft, int vertex_base,
                              int64_t tet_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *tet;
    int *region;
    int last_region = 0;
    int64_t last_tag = 0;
    bool has_regions = has_whole_regions(piece);
    bool is_whole = sn_number_is_whole(piece->regions.type);
    int64_t point_count = (int64_t)(piece->points.count / 3);
    SN_TRY(sn_tet_draft_add_tets(draft, tet_count, &tet, &region, error));
    bool has_last = false;
    for (Walk walk = {.piece = piece}; walk.cell < (int64_t)piece->types.count; ++walk.cell) {
        SN_TRY(next_cell(&walk, draft->path, error));
        size_t i = (size_t)walk.cell;
        if (!is_tet(sn_numbers_int(&piece->types, i))) {
            continue;
        }
        SN_TRY(take_corners(&walk, draft, point_count, vertex_base, tet, error));
        int64_t tag = !has_regions ? 0
                      : is_whole   ? sn_numbers_int(&piece->regions, i)
                                   : (int64_t)sn_numbers_double(&piece->regions, i);
        if (!has_last || tag != last_tag) {
            SN_TRY(sn_tet_draft_region(draft, tag, tag, &last_region, error));
            last_tag = tag;
            has_last = true;
        }
        *region++ = last_region;
        tet += 4;
    }
done:
    return status;
}

static SinewStatus expect_whole(const SnNumbers *numbers, const char *what, const char *path,
                                SinewError *error)
{
    if (!sn_number_is_whole(numbers->type)) {
        return sn_fail(error, SINEW_ERROR_FILE, "%.120s: has no %s of a whole type, expected it",
                       path, what);
    }
    return SINEW_OK;
}

SinewStatus sn_vtk_piece_take(const SnVtkPiece *piece, SnTetDraft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int vertex_base = sn_tet_draft_vertex_count(draft);
    size_t cell_count = piece->types.count;
    if (cell_count > 0) {
        SN_TRY(expect_whole(&piece->types, "cell types", draft->path, error));
        SN_TRY(expect_whole(&piece->connectivity, "connectivity", draft->path, error));
        if (piece->ends.type != SN_NUMBER_NONE) {
            SN_TRY(expect_whole(&piece->ends, "offsets", draft->path, error));
        }
    }
    if ((piece->ends.type != SN_NUMBER_NONE && piece->ends.count != cell_count) ||
        (piece->regions.type != SN_NUMBER_NONE && piece->regions.count != cell_count)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_FILE,
                       "%.120s: has %zu cell types, expected as many offsets and regions",
                       draft->path, cell_count));
    }
    SN_TRY(take_points(piece, draft, error));
    int64_t tet_count = 0;
    for (size_t i = 0; i < cell_count; ++i) {
        tet_count += is_tet(sn_numbers_int(&piece->types, i));
    }
    draft->skipped += (int64_t)cell_count - tet_count;
    SN_TRY(take_cells(piece, draft, vertex_base, tet_count, error));
done:
    return status;
}

SinewStatus sn_vtk_name_regions(const SnNumbers *names, SnTetDraft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char *text = NULL;
    SN_ALLOC(text, draft->allocator, names->count, error);
    int64_t tag = 0;
    size_t length = 0;
    for (size_t i = 0; i < names->count; ++i) {
        text[length] = (char)sn_numbers_int(names, i);
        if (text[length] == '\0') {
            SN_TRY(sn_tet_draft_name(draft, tag++, text, length, error));
            length = 0;
        } else {
            ++length;
        }
    }
done:
    sn_free(draft->allocator, text);
    return status;
}

void sn_vtk_piece_release(SnVtkPiece *piece, const SinewAllocator *allocator)
{
    sn_numbers_release(&piece->points, allocator);
    sn_numbers_release(&piece->connectivity, allocator);
    sn_numbers_release(&piece->ends, allocator);
    sn_numbers_release(&piece->types, allocator);
    sn_numbers_release(&piece->regions, allocator);
}
