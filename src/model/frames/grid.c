#include "model/frames/grid.h"

#include "model/frames/maps.h"
#include "model/frames/refine.h"

#include <math.h>
#include <string.h>

// Fills are found by 64 places of a cube: where none is inside, this share of it is, which keeps
// matrices definite and the mass within a thousandth.
#define FILL_LEAST (1.0 / 128.0)

void sn_frames_grid_middle(const SnFramesGrid *grid, int cell, double out[3])
{
    const SnHexMesh *mesh = grid->cubes.mesh;
    const double *low = mesh->positions + 3 * (size_t)mesh->hexes[8 * (size_t)cell];
    const double *high = mesh->positions + 3 * (size_t)mesh->hexes[8 * (size_t)cell + 7];
    for (int k = 0; k < 3; ++k) {
        out[k] = 0.5 * (low[k] + high[k]);
    }
}

void sn_frames_grid_slopes(const SnFramesGrid *grid, double out[24])
{
    const double middle[3] = {0.0, 0.0, 0.0};
    double weights[8];
    sn_frames_grid_shapes(grid, middle, weights, out);
}

void sn_frames_grid_shapes(const SnFramesGrid *grid, const double at[3], double out_weights[8],
                           double out_slopes[24])
{
    for (int c = 0; c < 8; ++c) {
        double near[3], sides[3];
        for (int k = 0; k < 3; ++k) {
            sides[k] = c >> (2 - k) & 1 ? 1.0 : -1.0;
            near[k] = 1.0 + sides[k] * at[k];
        }
        out_weights[c] = 0.125 * near[0] * near[1] * near[2];
        for (int i = 0; i < 3; ++i) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += sides[k] * near[(k + 1) % 3] * near[(k + 2) % 3] * grid->axes[3 * k + i];
            }
            out_slopes[3 * c + i] = sum / (4.0 * grid->cubes.edge);
        }
    }
}

// Coordinates along the grid's axes, in cubes.
static void find_coordinates(const SnFramesGrid *grid, const double X[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        const double *axis = grid->axes + 3 * k;
        out[k] = 0.0;
        for (int i = 0; i < 3; ++i) {
            out[k] += axis[i] * (X[i] - grid->origin[i]) / grid->cubes.edge;
        }
    }
}

int sn_frames_grid_locate(const SnFramesGrid *grid, const double X[3], double out_weights[8],
                          double *out_distance)
{
    SnElementApproach approach;
    double best = INFINITY, at[3];
    int found = 0, place;
    find_coordinates(grid, X, at);
    sn_element_approach(grid->tree, X, &approach);
    while (best > 0.0 && (place = sn_element_approach_next(&approach, best * best)) >= 0) {
        int cell = grid->tree->items[place];
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double from = at[k] - grid->cubes.places[3 * cell + k];
            double out = fmax(fmax(-from, from - 1.0), 0.0);
            out = out < 1e-9 ? 0.0 : out;
            square += out * out;
        }
        double distance = grid->cubes.edge * sqrt(square);
        if (distance < best) {
            best = distance;
            found = cell;
        }
    }
    *out_distance = best;
    for (int c = 0; c < 8; ++c) {
        out_weights[c] = 1.0;
        for (int k = 0; k < 3; ++k) {
            double u = at[k] - grid->cubes.places[3 * found + k];
            out_weights[c] *= c >> (2 - k) & 1 ? u : 1.0 - u;
        }
    }
    return found;
}

int sn_frames_grid_entry(const SnFramesGrid *grid, int row, int column)
{
    int low = grid->row_start[row], high = grid->row_start[row + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (grid->column[middle] == column) {
            return middle;
        }
        if (grid->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

SinewStatus sn_frames_grid_spread(const SnFramesGrid *grid, int count,
                                  const SinewAllocator *allocator, int *out_count, int **out_cells,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int total = grid->cubes.mesh->hex_count, next = 0;
    int *cells = NULL;
    double *distances = NULL;

    count = count < total ? count : total;
    SN_ALLOC(cells, allocator, count, error);
    SN_ALLOC(distances, allocator, total, error);
    for (int e = 0; e < total; ++e) {
        distances[e] = INFINITY;
    }
    for (int p = 0; p < count; ++p) {
        const int *at = grid->cubes.places + 3 * (size_t)next;
        int farthest = 0;
        cells[p] = next;
        for (int e = 0; e < total; ++e) {
            const int *to = grid->cubes.places + 3 * (size_t)e;
            double dx = to[0] - at[0], dy = to[1] - at[1], dz = to[2] - at[2];
            distances[e] = fmin(distances[e], dx * dx + dy * dy + dz * dz);
            farthest = distances[e] > distances[farthest] ? e : farthest;
        }
        next = farthest;
    }
    *out_count = count;
    *out_cells = cells;
    cells = NULL;

done:
    sn_free(allocator, cells);
    sn_free(allocator, distances);
    return status;
}

int sn_frames_grid_nearest(const SnFramesGrid *grid, const double X[3])
{
    const SnHexMesh *mesh = grid->cubes.mesh;
    double best = INFINITY;
    int found = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *p = mesh->positions + 3 * (size_t)v;
        double dx = p[0] - X[0], dy = p[1] - X[1], dz = p[2] - X[2];
        double square = dx * dx + dy * dy + dz * dz;
        if (square < best) {
            best = square;
            found = v;
        }
    }
    return found;
}

// Making -----------------------------------------------------------------------------------------

static void find_axes(SnFramesGrid *grid)
{
    const SnHexMesh *mesh = grid->cubes.mesh;
    const double *first = mesh->positions + 3 * (size_t)mesh->hexes[0];
    memcpy(grid->origin, first, sizeof grid->origin);
    for (int k = 0; k < 3; ++k) {
        const double *end = mesh->positions + 3 * (size_t)mesh->hexes[4 >> k];
        for (int i = 0; i < 3; ++i) {
            grid->axes[3 * k + i] = (end[i] - first[i]) / grid->cubes.edge;
            grid->origin[i] -= grid->cubes.places[k] * (end[i] - first[i]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < mesh->vertex_count; ++v) {
            low = fmin(low, mesh->positions[3 * v + k]);
            high = fmax(high, mesh->positions[3 * v + k]);
        }
        grid->center[k] = 0.5 * (low + high);
        grid->size = fmax(grid->size, high - low);
    }
}

// Inserts into a short ascending list without doubles; returns the new length.
static int insert(int *list, int count, int value)
{
    int at = count;
    for (int i = 0; i < count; ++i) {
        if (list[i] == value) {
            return count;
        }
    }
    while (at > 0 && list[at - 1] > value) {
        list[at] = list[at - 1];
        at -= 1;
    }
    list[at] = value;
    return count + 1;
}

// At most 27 vertices share a cube with one.
static SinewStatus find_pattern(SnFramesGrid *grid, const SinewAllocator *allocator,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = grid->cubes.mesh;
    int *lists = NULL, *counts = NULL;

    SN_ALLOC(lists, allocator, 27 * (size_t)mesh->vertex_count, error);
    SN_ALLOC_ZERO(counts, allocator, mesh->vertex_count, error);
    SN_ALLOC_ZERO(grid->row_start, allocator, (size_t)mesh->vertex_count + 1, error);
    for (int e = 0; e < mesh->hex_count; ++e) {
        const int *corners = mesh->hexes + 8 * (size_t)e;
        for (int n = 0; n < 64; ++n) {
            int v = corners[n / 8];
            counts[v] = insert(lists + 27 * (size_t)v, counts[v], corners[n % 8]);
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        grid->row_start[v + 1] = grid->row_start[v] + counts[v];
    }
    SN_ALLOC(grid->column, allocator, grid->row_start[mesh->vertex_count], error);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        memcpy(grid->column + grid->row_start[v], lists + 27 * (size_t)v,
               (size_t)counts[v] * sizeof *lists);
    }

done:
    sn_free(allocator, lists);
    sn_free(allocator, counts);
    return status;
}

static SinewStatus take_materials(SnFramesGrid *grid, const SnModelDef *def,
                                  const SnFramesGridPlace *place, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->allocator;
    const SnHexMesh *mesh = grid->cubes.mesh;
    double volume = grid->cubes.edge * grid->cubes.edge * grid->cubes.edge;

    SN_ALLOC(grid->materials, allocator, mesh->hex_count, error);
    SN_ALLOC_ZERO(grid->masses, allocator, mesh->vertex_count, error);
    for (int e = 0; e < mesh->hex_count; ++e) {
        double middle[3];
        sn_frames_grid_middle(grid, e, middle);
        sn_affine_apply(&place->placement, middle, middle);
        grid->materials[e] = sn_materials_find(def->materials, middle);
        double share = def->materials->materials[grid->materials[e]].density *
                       sn_frames_grid_density(grid, e) * volume / 8.0;
        for (int c = 0; c < 8; ++c) {
            grid->masses[mesh->hexes[8 * (size_t)e + (size_t)c]] += share;
        }
    }

done:
    return status;
}

static SinewStatus make_tree(SnFramesGrid *grid, SnWorkers *workers,
                             const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = grid->cubes.mesh;
    SnBox *boxes = NULL;

    SN_ALLOC(boxes, allocator, mesh->hex_count, error);
    for (int e = 0; e < mesh->hex_count; ++e) {
        boxes[e] = sn_box_empty();
        for (int c = 0; c < 8; ++c) {
            sn_box_add_point(&boxes[e],
                             mesh->positions + 3 * (size_t)mesh->hexes[8 * (size_t)e + (size_t)c]);
        }
    }
    SN_TRY(sn_element_tree_create(boxes, mesh->hex_count, workers, allocator, &grid->tree, error));

done:
    sn_free(allocator, boxes);
    return status;
}

int sn_frames_grid_division(const SnModelDef *def, int count)
{
    const SinewFramesDef *options = &def->options->frames;
    int division = 1;
    if (options->frame_count > 0 || options->skeleton != NULL ||
        options->weights == SINEW_FRAME_WEIGHTS_PAINTED) {
        return 1;
    }
    while (count * division * division * division < SN_FRAMES_CELLS_PER_FRAME * options->count) {
        division += 1;
    }
    return division;
}

// Cubes that the body fills in part have that part of its mass and stiffness.
static SinewStatus take_fills(SnFramesGrid *grid, const SnModelDef *def, bool is_unplaced,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = grid->cubes.mesh->hex_count, full = 0;

    SN_ALLOC(grid->stiffness, def->allocator, count, error);
    SN_ALLOC(grid->density, def->allocator, count, error);
    if (grid->cubes.fills != NULL) {
        memcpy(grid->density, grid->cubes.fills, (size_t)count * sizeof *grid->density);
    } else if (is_unplaced) {
        SN_TRY(sn_solid_unplaced_fill(def->solid, grid->cubes.mesh, grid->density, error));
    } else {
        SN_TRY(sn_solid_fill(def->solid, grid->cubes.mesh, grid->density, error));
    }
    for (int e = 0; e < count; ++e) {
        grid->density[e] = fmax(grid->density[e], FILL_LEAST);
        grid->stiffness[e] = grid->density[e];
        full += grid->density[e] >= 1.0;
    }
    if (full == count) {
        sn_free(def->allocator, grid->stiffness);
        sn_free(def->allocator, grid->density);
        grid->stiffness = grid->density = NULL;
    }

done:
    return status;
}

static bool is_placed_by_scene(const SinewFramesDef *options)
{
    return options->frame_count > 0 || options->skeleton != NULL || options->image != NULL ||
           options->density_image != NULL || options->weights == SINEW_FRAME_WEIGHTS_PAINTED;
}

SinewStatus sn_frames_grid_begin(const SnModelDef *def, SnFramesGridPlace *place,
                                 SnSolidCubes *cubes, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnAffine identity = sn_affine_identity(), placement = sn_solid_placement(def->solid);
    bool is_unplaced = !is_placed_by_scene(&def->options->frames);
    *place = (SnFramesGridPlace){is_unplaced, is_unplaced ? placement : identity,
                                 is_unplaced ? identity : placement};
    status = is_unplaced ? sn_solid_unplaced_cubes(def->solid, cubes, error)
                         : sn_solid_cubes(def->solid, cubes, error);
    return sn_fail_body(error, status, def->name);
}

SinewStatus sn_frames_grid_create(const SnModelDef *def, const SnFramesGridPlace *place,
                                  SnSolidCubes *cubes, SnFramesGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *grid = (SnFramesGrid){.cubes = *cubes};
    *cubes = (SnSolidCubes){0};
    grid->division = sn_frames_grid_division(def, grid->cubes.mesh->hex_count);
    if (grid->division > 1) {
        grid->given = grid->cubes;
        grid->cubes = (SnSolidCubes){0};
        SN_TRY(sn_frames_refine(&grid->given, grid->division, def->allocator, &grid->cubes, error));
    }
    SN_TRY(take_fills(grid, def, place->is_unplaced, error));
    SN_TRY(sn_frames_maps_take(def, grid, error));
    find_axes(grid);
    SN_TRY(find_pattern(grid, def->allocator, error));
    SN_TRY(take_materials(grid, def, place, error));
    SN_TRY(make_tree(grid, def->workers, def->allocator, error));

done:
    return status;
}

void sn_frames_grid_release(SnFramesGrid *grid, const SinewAllocator *allocator)
{
    sn_solid_cubes_destroy(&grid->cubes, allocator);
    sn_solid_cubes_destroy(&grid->given, allocator);
    sn_element_tree_destroy(grid->tree, allocator);
    sn_free(allocator, grid->row_start);
    sn_free(allocator, grid->column);
    sn_free(allocator, grid->materials);
    sn_free(allocator, grid->stiffness);
    sn_free(allocator, grid->density);
    sn_free(allocator, grid->masses);
    *grid = (SnFramesGrid){0};
}
