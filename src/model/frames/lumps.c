#include "model/frames/lumps.h"

#include "model/frames/body.h"

#include <math.h>
#include <string.h>

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

    SN_TRY(sn_frames_grid_spread(grid, each ? 1 : def->count, allocator, &count, &cells, error));
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

// Lumps that frames carry ------------------------------------------------------------------------

// Mass, mass times place (3), second moments xx yy zz yz xz xy about the grid's centre, damping.
enum { SHARE_MASS, SHARE_PLACE, SHARE_SQUARE = 4, SHARE_DAMPING = 10, SHARE_COUNT };

// A cube's mass goes to frames by the weights in its middle, as far as they are positive.
static void share_cube(const SnLumpsDef *def, int cell, double *shares)
{
    static const int rows[6] = {0, 1, 2, 1, 0, 0}, columns[6] = {0, 1, 2, 2, 2, 1};
    const SnFramesGrid *grid = def->grid;
    const SnMaterial *material = &def->materials[grid->materials[cell]];
    const int *corners = grid->cubes.mesh->hexes + 8 * (size_t)cell;
    double square = grid->cubes.edge * grid->cubes.edge, total = 0.0, X[3];
    double mass =
        material->density * sn_frames_grid_density(grid, cell) * square * grid->cubes.edge;
    double weights[SN_FRAMES_MAX];
    sn_frames_grid_middle(grid, cell, X);
    for (int i = 0; i < def->frame_count; ++i) {
        weights[i] = 0.0;
        for (int c = 0; c < 8; ++c) {
            weights[i] += def->weights[(size_t)def->frame_count * (size_t)corners[c] + (size_t)i];
        }
        weights[i] = fmax(weights[i], 0.0);
        total += weights[i];
    }
    for (int i = 0; i < def->frame_count; ++i) {
        double *share = shares + SHARE_COUNT * (size_t)i, m = mass * weights[i] / total;
        share[SHARE_MASS] += m;
        share[SHARE_DAMPING] += m * material->damping_mass;
        for (int n = 0; n < 6; ++n) {
            int r = rows[n], c = columns[n];
            double product = (X[r] - grid->center[r]) * (X[c] - grid->center[c]);
            share[SHARE_SQUARE + n] += m * (product + (r == c ? square / 12.0 : 0.0));
            share[SHARE_PLACE + n % 3] += n < 3 ? m * (X[n] - grid->center[n]) : 0.0;
        }
    }
}

// Four places with the middle and the second moments of a share: corners of a tetrahedron, bent by
// the moments' Cholesky factor.
static void put_share(const double *share, double out[12])
{
    static const double corners[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    double mass = share[SHARE_MASS], middle[3], S[6], L[6];
    for (int k = 0; k < 3; ++k) {
        middle[k] = share[SHARE_PLACE + k] / mass;
    }
    for (int n = 0; n < 6; ++n) {
        double product = n < 3 ? middle[n] * middle[n] : middle[(n + 1) % 3] * middle[(n + 2) % 3];
        S[n] = share[SHARE_SQUARE + n] / mass - product;
    }
    L[0] = sqrt(fmax(S[0], 0.0)); // xx
    L[1] = S[5] / L[0];           // yx
    L[2] = sqrt(fmax(S[1] - L[1] * L[1], 0.0));
    L[3] = S[4] / L[0]; // zx
    L[4] = (S[3] - L[3] * L[1]) / L[2];
    L[5] = sqrt(fmax(S[2] - L[3] * L[3] - L[4] * L[4], 0.0));
    for (int p = 0; p < 4; ++p) {
        const double *a = corners + 3 * p;
        out[3 * p] = middle[0] + L[0] * a[0];
        out[3 * p + 1] = middle[1] + L[1] * a[0] + L[2] * a[1];
        out[3 * p + 2] = middle[2] + L[3] * a[0] + L[4] * a[1] + L[5] * a[2];
    }
}

SinewStatus sn_lumps_carry(const SnLumpsDef *def, const SinewAllocator *allocator,
                           SnFramePoints *out_lumps, double **out_masses, double **out_damping,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t frames = (size_t)def->frame_count;
    double *shares = NULL, *masses = NULL, *damping = NULL;

    SN_ALLOC_ZERO(shares, allocator, SHARE_COUNT * frames, error);
    SN_ALLOC_ZERO(masses, allocator, 4 * frames, error);
    SN_ALLOC_ZERO(damping, allocator, 4 * frames, error);
    SN_TRY(sn_frame_points_create(4 * def->frame_count, def->frame_count, def->is_affine, allocator,
                                  out_lumps, error));
    for (int e = 0; e < def->grid->cubes.mesh->hex_count; ++e) {
        share_cube(def, e, shares);
    }
    for (size_t p = 0; p < 4 * frames; ++p) {
        const double *share = shares + SHARE_COUNT * (p / 4);
        masses[p] = 0.25 * share[SHARE_MASS];
        damping[p] = 0.25 * share[SHARE_DAMPING];
        if (p % 4 == 0 && share[SHARE_MASS] > 0.0) {
            put_share(share, out_lumps->X + 3 * p);
        }
        out_lumps->weights[frames * p + p / 4] = 1.0;
    }
    SN_TRY(sn_frame_points_pack(out_lumps, allocator, error));
    *out_masses = masses;
    *out_damping = damping;
    masses = damping = NULL;

done:
    sn_free(allocator, shares);
    sn_free(allocator, masses);
    sn_free(allocator, damping);
    return status;
}
