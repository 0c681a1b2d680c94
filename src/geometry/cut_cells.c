#include "geometry/cut_cells.h"

#include "geometry/point.h"

#include <string.h>

// A face of a cell by its vertices now, in a table of them.
typedef struct Face {
    int low, middle, high;
    int cell;
    int stamp; // of the cells that it is of
} Face;

static SinewStatus list_tets(SnCutCells *cells, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetCut *cut = cells->cut;
    const int *tets = cells->tets;
    int vertices = cut->old_vertex_count, corners = 4 * cut->old_tet_count;
    SN_ALLOC_ZERO(cells->start, allocator, (size_t)vertices + 1, error);
    SN_ALLOC(cells->around, allocator, corners, error);
    for (int i = 0; i < corners; ++i) {
        cells->start[tets[i] + 1] += 1;
    }
    for (int v = 0; v < vertices; ++v) {
        cells->start[v + 1] += cells->start[v];
    }
    for (int i = 0; i < corners; ++i) {
        cells->around[cells->start[tets[i]]++] = i / 4;
    }
    memmove(cells->start + 1, cells->start, (size_t)vertices * sizeof *cells->start);
    cells->start[0] = 0;
done:
    return status;
}

SinewStatus sn_cut_cells_create(const int *tets, const double *rest, const SnTetCut *cut,
                                const SinewAllocator *allocator, SnCutCells *out_cells,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_cells = (SnCutCells){.tets = tets,
                              .rest = rest,
                              .cut = cut,
                              .list = sn_array_of(allocator, sizeof(SnCutCell)),
                              .near_tet = -1,
                              .faces = sn_array_of(allocator, sizeof(Face))};
    SN_TRY(list_tets(out_cells, allocator, error));
    SN_ALLOC_ZERO(out_cells->stamps, allocator, cut->old_tet_count, error);
done:
    return status;
}

void sn_cut_cells_release(SnCutCells *cells, const SinewAllocator *allocator)
{
    sn_free(allocator, cells->start);
    sn_free(allocator, cells->around);
    sn_free(allocator, cells->stamps);
    sn_array_release(&cells->list);
    sn_array_release(&cells->faces);
}

// Finding ----------------------------------------------------------------------------------------

// The vertex that the corner c of an old tet is now; -1 where the tet went.
static int corner_now(const SnTetCut *cut, int tet, int c)
{
    int place = cut->tet_place[tet];
    return place >= 0 ? cut->tets[4 * (size_t)place + (size_t)c] : -1;
}

static SinewStatus add_cells(SnCutCells *cells, int mesh_vertex, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = cells->start[mesh_vertex]; i < cells->start[mesh_vertex + 1]; ++i) {
        SnCutCell cell = {.tet = cells->around[i], .part = -1};
        if (cells->stamps[cell.tet] != cells->stamp) {
            cells->stamps[cell.tet] = cells->stamp;
            SN_TRY(sn_array_push(&cells->list, &cell, error));
        }
    }
done:
    return status;
}

// Room for all faces of the cells in a table that is at most half full; a power of two.
static SinewStatus make_table(SnCutCells *cells, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t places = cells->faces.count > 0 ? cells->faces.count : 1024;
    while (places < 8 * cells->list.count) {
        places *= 2;
    }
    if (places > cells->faces.count) {
        cells->faces.count = 0;
        SN_TRY(sn_expect_memory(sn_array_add(&cells->faces, places), places, sizeof(Face), error));
        memset(cells->faces.items, 0, places * sizeof(Face));
    }
done:
    return status;
}

// The cell that first had a face of these vertices, which is the one at hand where none had.
static int first_with_face(const SnCutCells *cells, const int c[3], int cell)
{
    int low = c[0] < c[1] ? c[0] : c[1], high = c[0] < c[1] ? c[1] : c[0], middle = c[2];
    if (middle < low) {
        middle = low;
        low = c[2];
    } else if (middle > high) {
        middle = high;
        high = c[2];
    }
    size_t mask = cells->faces.count - 1;
    size_t place = ((size_t)low * 31 + (size_t)middle) * 31 + (size_t)high;
    for (;; ++place) {
        Face *face = &SN_ITEMS(cells->faces, Face)[place & mask];
        if (face->stamp != cells->stamp) {
            *face = (Face){low, middle, high, cell, cells->stamp};
            return cell;
        }
        if (face->low == low && face->middle == middle && face->high == high) {
            return face->cell;
        }
    }
}

static int root_of(const SnCutCells *cells, int cell)
{
    const SnCutCell *items = SN_ITEMS(cells->list, SnCutCell);
    while (items[cell].part != cell) {
        cell = items[cell].part;
    }
    return cell;
}

// Cells that hang together by faces become parts; each is named by its first cell. Cells that went
// have none.
static SinewStatus join_parts(SnCutCells *cells, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetCut *cut = cells->cut;
    SnCutCell *items = SN_ITEMS(cells->list, SnCutCell);
    SN_TRY(make_table(cells, error));
    for (int i = 0; i < (int)cells->list.count; ++i) {
        int place = cut->tet_place[items[i].tet];
        items[i].part = place >= 0 ? i : -1;
        for (int f = 0; f < 4 && place >= 0; ++f) {
            int corners[3];
            sn_tet_face(cut->tets + 4 * (size_t)place, f, corners);
            int one = root_of(cells, first_with_face(cells, corners, i)), other = root_of(cells, i);
            items[one > other ? one : other].part = one > other ? other : one;
        }
    }
    for (int i = 0; i < (int)cells->list.count; ++i) {
        items[i].part = items[i].part >= 0 ? root_of(cells, i) : -1;
    }
done:
    return status;
}

bool sn_cut_cells_are_whole(const SnCutCells *cells)
{
    const SnCutCell *items = SN_ITEMS(cells->list, SnCutCell);
    bool whole = cells->list.count > 0 && items[0].part >= 0;
    for (size_t i = 1; i < cells->list.count && whole; ++i) {
        whole = items[i].part == items[0].part;
    }
    return whole;
}

static void begin(SnCutCells *cells, int near_tet)
{
    cells->list.count = 0;
    cells->near_tet = near_tet;
    cells->is_framed = false;
    cells->stamp += 1;
}

SinewStatus sn_cut_cells_at(SnCutCells *cells, int vertex, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    begin(cells, -1);
    SN_TRY(add_cells(cells, vertex, error));
    for (size_t i = 0; i < cells->list.count; ++i) {
        SnCutCell *cell = &SN_ITEMS(cells->list, SnCutCell)[i];
        for (int c = 0; c < 4; ++c) {
            if (cells->tets[4 * (size_t)cell->tet + (size_t)c] == vertex) {
                cell->part = corner_now(cells->cut, cell->tet, c);
            }
        }
    }
done:
    return status;
}

SinewStatus sn_cut_cells_near(SnCutCells *cells, int tet, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (tet == cells->near_tet) {
        return SINEW_OK;
    }
    begin(cells, tet);
    for (int c = 0; c < 4; ++c) {
        SN_TRY(add_cells(cells, cells->tets[4 * (size_t)tet + (size_t)c], error));
    }
    SN_TRY(join_parts(cells, error));
done:
    return status;
}

int sn_cut_cells_part_of(const SnCutCells *cells, int tet)
{
    for (size_t i = 0; i < cells->list.count; ++i) {
        if (SN_ITEMS(cells->list, SnCutCell)[i].tet == tet) {
            return SN_ITEMS(cells->list, SnCutCell)[i].part;
        }
    }
    return -1;
}

// Weights ----------------------------------------------------------------------------------------

static void frame_cell(const SnCutCells *cells, SnCutCell *cell)
{
    const int *corners = cells->tets + 4 * (size_t)cell->tet;
    const double *origin = cells->rest + 3 * (size_t)corners[0];
    double edge[3][3], normal[3];
    memcpy(cell->origin, origin, sizeof cell->origin);
    for (int i = 0; i < 3; ++i) {
        sn_point_minus(cells->rest + 3 * (size_t)corners[i + 1], origin, edge[i]);
    }
    sn_point_cross(edge[1], edge[2], normal);
    double volume = sn_point_dot(edge[0], normal);
    for (int i = 0; i < 3; ++i) {
        sn_point_cross(edge[(i + 1) % 3], edge[(i + 2) % 3], normal);
        for (int k = 0; k < 3; ++k) {
            cell->frame[3 * i + k] = normal[k] / volume;
        }
    }
}

void sn_cut_cells_frame(SnCutCells *cells)
{
    for (size_t i = 0; i < cells->list.count && !cells->is_framed; ++i) {
        frame_cell(cells, &SN_ITEMS(cells->list, SnCutCell)[i]);
    }
    cells->is_framed = true;
}

double sn_cut_cell_weigh(const SnCutCell *cell, const double p[3], double weights[4])
{
    double to[3], least = 1.0;
    sn_point_minus(p, cell->origin, to);
    weights[0] = 1.0;
    for (int i = 0; i < 3; ++i) {
        weights[i + 1] = sn_point_dot(to, cell->frame + 3 * (size_t)i);
        weights[0] -= weights[i + 1];
        least = weights[i + 1] < least ? weights[i + 1] : least;
    }
    return weights[0] < least ? weights[0] : least;
}
