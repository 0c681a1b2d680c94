#include "geometry/cell_location.h"

#include <math.h>

// Places with cells, and their boxes.
static int gather_boxes(const SnCellLattice *lattice, int *first_cells, SnBox *boxes)
{
    int count = 0;
    for (int cell = 0; cell < lattice->cell_count; ++cell) {
        const int *ijk = lattice->cells + 3 * (size_t)cell;
        if (cell > 0 && ijk[0] == ijk[-3] && ijk[1] == ijk[-2] && ijk[2] == ijk[-1]) {
            continue;
        }
        first_cells[count] = cell;
        for (int c = 0; c < 3; ++c) {
            boxes[count].min[c] = lattice->origin[c] + ijk[c] * lattice->cell_size;
            boxes[count].max[c] = lattice->origin[c] + (ijk[c] + 1) * lattice->cell_size;
        }
        count++;
    }
    return count;
}

SinewStatus sn_cell_locator_create(const SnCellLattice *lattice, SnWorkers *workers,
                                   const SinewAllocator *allocator, SnCellLocator **out_locator,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellLocator *locator = NULL;
    SnBox *boxes = NULL;
    int *first_cells = NULL;
    *out_locator = NULL;
    if (lattice->cell_count == 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the lattice has no cells, expected at least one to hold points");
    }
    SN_ALLOC(boxes, allocator, lattice->cell_count, error);
    SN_ALLOC(first_cells, allocator, lattice->cell_count, error);
    SN_ALLOC_ZERO(locator, allocator, 1, error);
    locator->lattice = lattice;
    int count = gather_boxes(lattice, first_cells, boxes);
    SN_TRY(sn_element_tree_create(boxes, count, workers, allocator, &locator->tree, error));
    SN_ALLOC(locator->cells, allocator, count, error);
    for (int place = 0; place < count; ++place) {
        locator->cells[place] = first_cells[locator->tree->items[place]];
    }
    *out_locator = locator;
    locator = NULL;
done:
    sn_free(allocator, first_cells);
    sn_free(allocator, boxes);
    sn_cell_locator_destroy(locator, allocator);
    return status;
}

void sn_cell_locator_destroy(SnCellLocator *locator, const SinewAllocator *allocator)
{
    if (locator == NULL) {
        return;
    }
    sn_free(allocator, locator->cells);
    sn_element_tree_destroy(locator->tree, allocator);
    sn_free(allocator, locator);
}

// The first cell at the place that contains p, or -1.
static int find_around(const SnCellLattice *lattice, const double p[3])
{
    int ijk[3];
    for (int c = 0; c < 3; ++c) {
        double along = floor((p[c] - lattice->origin[c]) / lattice->cell_size);
        if (!(along >= 0.0 && along < lattice->size[c])) {
            return -1;
        }
        ijk[c] = (int)along;
    }
    return sn_cell_lattice_find(lattice, ijk[0], ijk[1], ijk[2], NULL);
}

static double cell_distance2(const SnCellLattice *lattice, int cell, const double p[3])
{
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        int along = lattice->cells[3 * (size_t)cell + (size_t)c];
        double below = lattice->origin[c] + along * lattice->cell_size - p[c];
        double above = p[c] - (lattice->origin[c] + (along + 1) * lattice->cell_size);
        double out_by = below > above ? below : above;
        sum += out_by > 0.0 ? out_by * out_by : 0.0;
    }
    return sum;
}

static int find_nearest(const SnCellLocator *locator, const double p[3], double *out_distance2)
{
    SnElementApproach approach;
    sn_element_approach(locator->tree, p, &approach);
    double least = INFINITY;
    int nearest = -1;
    int place;
    while ((place = sn_element_approach_next(&approach, least)) >= 0) {
        int cell = locator->cells[place];
        double d2 = cell_distance2(locator->lattice, cell, p);
        if (d2 < least || (d2 == least && cell < nearest) || nearest < 0) {
            least = d2;
            nearest = cell;
        }
    }
    *out_distance2 = least;
    return nearest;
}

// Which of the cells at one place: the part with the cube nearest to the point, whose coordinates
// in the cell are t; of equally near ones the first.
static int choose_part(const SnCellLattice *lattice, int first, const double t[3])
{
    if (lattice->cubes_of == NULL || lattice->cubes_of[first] < 0) {
        return first;
    }
    const unsigned char *cubes = lattice->cubes + lattice->cubes_of[first];
    int samples = lattice->samples;
    double least = INFINITY;
    int part = 1;
    for (int cube = 0; cube < samples * samples * samples; ++cube) {
        if (cubes[cube] != 0) {
            const int at[3] = {cube / samples / samples, cube / samples % samples, cube % samples};
            double d2 = 0.0;
            for (int c = 0; c < 3; ++c) {
                double d = t[c] * samples - (at[c] + 0.5);
                d2 += d * d;
            }
            if (d2 < least) {
                least = d2;
                part = cubes[cube];
            }
        }
    }
    return first + part - 1;
}

SnCellLocation sn_cell_locate(const SnCellLocator *locator, const double p[3])
{
    const SnCellLattice *lattice = locator->lattice;
    double distance2 = 0.0;
    int first = find_around(lattice, p);
    if (first < 0) {
        first = find_nearest(locator, p, &distance2);
    }
    double t[3];
    for (int c = 0; c < 3; ++c) {
        int along = lattice->cells[3 * (size_t)first + (size_t)c];
        t[c] = (p[c] - (lattice->origin[c] + along * lattice->cell_size)) / lattice->cell_size;
    }
    SnCellLocation location = {.cell = choose_part(lattice, first, t), .distance = sqrt(distance2)};
    for (int k = 0; k < 8; ++k) {
        location.weights[k] = ((k & 4) != 0 ? t[0] : 1.0 - t[0]) *
                              ((k & 2) != 0 ? t[1] : 1.0 - t[1]) *
                              ((k & 1) != 0 ? t[2] : 1.0 - t[2]);
    }
    return location;
}
