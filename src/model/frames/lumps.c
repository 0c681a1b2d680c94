#include "model/frames/lumps.h"

#include <math.h>
#include <string.h>

SinewStatus sn_frames_spread(const SnFramesGrid *grid, int count, const SinewAllocator *allocator,
                             int *out_count, int **out_cells, SinewError *error)
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

static int nearest_of(const SnFramesGrid *grid, const int *cells, int count, int cell)
{
    const int *at = grid->cubes.places + 3 * (size_t)cell;
    double best = INFINITY;
    int found = 0;
    for (int p = 0; p < count; ++p) {
        const int *to = grid->cubes.places + 3 * (size_t)cells[p];
        double dx = to[0] - at[0], dy = to[1] - at[1], dz = to[2] - at[2];
        double square = dx * dx + dy * dy + dz * dz;
        if (square < best) {
            best = square;
            found = p;
        }
    }
    return found;
}

SinewStatus sn_lumps_make(const SnLumpsDef *def, const SinewAllocator *allocator,
                          SnFramePoints *out_lumps, double **out_masses, double **out_damping,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFramesGrid *grid = def->grid;
    int total = grid->cubes.mesh->hex_count, count = 0;
    int *cells = NULL;
    double *masses = NULL, *damping = NULL, *centers = NULL;
    double volume = grid->cubes.edge * grid->cubes.edge * grid->cubes.edge;
    bool each = def->count == 0 || def->count >= total;

    SN_TRY(sn_frames_spread(grid, each ? 1 : def->count, allocator, &count, &cells, error));
    count = each ? total : count;
    SN_ALLOC_ZERO(masses, allocator, count, error);
    SN_ALLOC_ZERO(damping, allocator, count, error);
    SN_ALLOC_ZERO(centers, allocator, 3 * (size_t)count, error);
    SN_TRY(sn_frame_points_create(count, def->frame_count, def->is_affine, allocator, out_lumps,
                                  error));
    for (int e = 0; e < total; ++e) {
        int p = each ? e : nearest_of(grid, cells, count, e);
        const SnMaterial *material = &def->materials[grid->materials[e]];
        double mass = material->density * sn_frames_grid_density(grid, e) * volume, middle[3];
        sn_frames_grid_middle(grid, e, middle);
        masses[p] += mass;
        damping[p] += mass * material->damping_mass;
        for (int k = 0; k < 3; ++k) {
            centers[3 * p + k] += mass * middle[k];
        }
    }
    for (int p = 0; p < count; ++p) {
        double X[3];
        for (int k = 0; k < 3; ++k) {
            X[k] = centers[3 * p + k] / masses[p];
        }
        sn_frame_points_put(out_lumps, p, grid, def->weights, X);
    }
    SN_TRY(sn_frame_points_pack(out_lumps, allocator, error));
    *out_masses = masses;
    *out_damping = damping;
    masses = damping = NULL;

done:
    sn_free(allocator, cells);
    sn_free(allocator, masses);
    sn_free(allocator, damping);
    sn_free(allocator, centers);
    return status;
}
