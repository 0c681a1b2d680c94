// Places of nodes inside cells, a node a lane; see SnVoxelSites. Included once by the wide source
// and once by the reference, after what a Real is and how it is used, as voxel_turn.h.
#ifndef SN_KERNEL_VOXEL_SITES_H
#define SN_KERNEL_VOXEL_SITES_H

// N u of REAL_LANES nodes. Even and odd columns are summed apart, since one chain of additions
// would be waited for.
static inline void site_displace(const float *shapes, const float *u, Real out[3])
{
    Real even[3], odd[3];
    for (size_t i = 0; i < 3; ++i) {
        even[i] = odd[i] = real_set(0.0f);
    }
    for (size_t k = 0; k < SN_VOXEL_NUMBERS; k += 2) {
        const float *columns = shapes + 3 * SN_VOXEL_SITES * k;
        Real a = real_set(u[SN_VOXEL_GROUP * k]), b = real_set(u[SN_VOXEL_GROUP * (k + 1)]);
        for (size_t i = 0; i < 3; ++i) {
            even[i] = real_madd(a, real_load(columns + SN_VOXEL_SITES * i), even[i]);
            odd[i] = real_madd(b, real_load(columns + SN_VOXEL_SITES * (3 + i)), odd[i]);
        }
    }
    for (size_t i = 0; i < 3; ++i) {
        out[i] = even[i] + odd[i];
    }
}

static void voxel_place(const SnVoxelSites *s, int begin, int end)
{
    static const int at[SN_VOXEL_SITES] = {0,  4,  8,  12, 16, 20, 24, 28,
                                           32, 36, 40, 44, 48, 52, 56, 60};
    for (size_t b = (size_t)begin; b < (size_t)end; ++b) {
        size_t cell = (size_t)s->cells[b];
        const float *u = s->planes + cell / SN_VOXEL_GROUP * SN_VOXEL_PLANES * SN_VOXEL_GROUP +
                         cell % SN_VOXEL_GROUP;
        const float *R = s->rotations + 9 * cell, *center = s->centers + 3 * cell;
        for (size_t l = 0; l < SN_VOXEL_SITES; l += REAL_LANES) {
            const float *shapes = s->blocks + SN_VOXEL_BLOCK * b + l;
            const float *rest = shapes + 3 * SN_VOXEL_NUMBERS * SN_VOXEL_SITES;
            Real share = real_load(rest + 3 * SN_VOXEL_SITES), y[3], x[3];
            site_displace(shapes, u, y);
            for (size_t i = 0; i < 3; ++i) {
                y[i] = y[i] + real_load(rest + SN_VOXEL_SITES * i);
            }
            for (size_t i = 0; i < 3; ++i) {
                Real sum = real_madd(real_set(R[3 * i]), y[0], real_set(center[i]));
                sum = real_madd(real_set(R[3 * i + 1]), y[1], sum);
                x[i] = share * real_madd(real_set(R[3 * i + 2]), y[2], sum);
            }
            real_quads_store(s->out + 4 * (SN_VOXEL_SITES * b + l), at, x);
        }
    }
}

#endif
