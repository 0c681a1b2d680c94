// Poses of cells and the forces at their corners, a cell a lane; see voxel.h. Included once by the
// wide source and once by the reference, which say what a Real is (floats side by side, or one),
// REAL_LANES, how it is loaded, stored, set, multiplied with addition and picked, how four floats a
// lane are read and written, and what a product with a matrix is.
#ifndef SN_KERNEL_VOXEL_TURN_H
#define SN_KERNEL_VOXEL_TURN_H

#define LARGEST_TURN 0.5f   // a larger one is made in parts
#define LEAST_RESPONSE 0.1f // share of the rest's response below which turns are plain ones
#define LEAST_SQUARE 1e-30f // of turns and edges, so that nothing is divided by zero
#define LEAST_EDGE 1e-6f    // share of a cell's edge below which mean edges say nothing

// c - a b.
static inline Real real_nmadd(Real a, Real b, Real c)
{
    return real_madd(-a, b, c);
}

static inline Real real_dot(const Real a[3], const Real b[3])
{
    return real_madd(a[2], b[2], real_madd(a[1], b[1], a[0] * b[0]));
}

// a x b.
static inline void real_cross(const Real a[3], const Real b[3], Real out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = real_nmadd(a[k], b[j], a[j] * b[k]);
    }
}

static inline void real_multiply(const Real a[9], const Real b[9], Real out[9])
{
    for (int i = 0; i < 9; ++i) {
        int r = i / 3 * 3, c = i % 3;
        out[i] = real_madd(a[r + 2], b[c + 6], real_madd(a[r + 1], b[c + 3], a[r] * b[c]));
    }
}

static inline float corner_sign(int corner, int axis)
{
    return corner >> (2 - axis) & 1 ? 0.5f : -0.5f;
}

// Corners of cells from their first one, and then from their mean; d is 8 i + c.
static inline void load_corners(const SnVoxelGroups *g, const int *cells, Real d[24], Real mean[3])
{
    Real first[2][4], high[4], low[4];
    int at[SN_VOXEL_GROUP];
    for (int i = 0; i < 3; ++i) {
        mean[i] = real_set(0.0f);
    }
    for (int c = 0; c < 8; ++c) {
        for (int l = 0; l < REAL_LANES; ++l) {
            at[l] = 4 * g->corners[8 * (size_t)cells[l] + (size_t)c];
        }
        real_quads(g->high, at, high);
        real_quads(g->low, at, low);
        if (c == 0) {
            memcpy(first[0], high, sizeof high);
            memcpy(first[1], low, sizeof low);
        }
        for (int i = 0; i < 3; ++i) {
            d[8 * i + c] = (high[i] - first[0][i]) + (low[i] - first[1][i]);
            mean[i] = real_madd(real_set(0.125f), d[8 * i + c], mean[i]);
        }
    }
    for (int k = 0; k < 24; ++k) {
        d[k] = d[k] - mean[k / 8];
    }
}

// u = R^T d - X.
static inline void displace(float edge, const Real d[24], const Real R[9], Real u[24])
{
    for (int c = 0; c < 8; ++c) {
        for (int i = 0; i < 3; ++i) {
            Real X = real_set(edge * corner_sign(c, i));
            Real sum = real_madd(R[i], d[c], real_set(0.0f) - X);
            sum = real_madd(R[3 + i], d[8 + c], sum);
            u[8 * i + c] = real_madd(R[6 + i], d[16 + c], sum);
        }
    }
}

// The inverse of J, J w = omega (w x y), y = X + u; and whether its symmetric part is well above
// zero, as 1 or 0. Then so is its determinant.
static inline Real invert_response(const Real J[9], Real inverse[9])
{
    Real half = real_set(0.5f), least = real_set(LEAST_RESPONSE), zero = real_set(0.0f);
    Real one = real_set(1.0f), cofactors[9];
    Real s01 = half * (J[1] + J[3]), s02 = half * (J[2] + J[6]), s12 = half * (J[5] + J[7]);
    Real a = J[0] - least, b = J[4] - least, c = J[8] - least;
    Real minor = real_nmadd(s01, s01, a * b);
    Real first = real_nmadd(s12, s12, b * c), second = real_nmadd(s12, s02, s01 * c);
    Real third = real_nmadd(b, s02, s01 * s12);
    Real whole = real_madd(s02, third, real_nmadd(s01, second, a * first));
    Real ok = real_pick(a, real_pick(minor, real_pick(whole, one, zero), zero), zero);
    for (int r = 0; r < 3; ++r) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int k = 0; k < 3; ++k) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            cofactors[3 * k + r] =
                real_nmadd(J[3 * r1 + k2], J[3 * r2 + k1], J[3 * r1 + k1] * J[3 * r2 + k2]);
        }
    }
    Real det = real_madd(J[2], cofactors[6], real_madd(J[1], cofactors[3], J[0] * cofactors[0]));
    Real by = one / real_pick(ok, det, one);
    for (int i = 0; i < 9; ++i) {
        inverse[i] = real_pick(ok, cofactors[i] * by, real_set(i % 4 == 0 ? 1.0f : 0.0f));
    }
    return ok;
}

// omega u, and where J is asked for, that.
static inline void mean_turn(const SnVoxelGroups *g, const int *kinds, const Real u[24], Real w[3],
                             Real *J)
{
    for (int i = 0; i < 9; ++i) {
        w[i % 3] = real_set(0.0f);
        if (J != NULL) {
            J[i] = real_set(0.0f);
        }
    }
    for (int c = 0; c < 8; ++c) {
        Real y[3], o[4], part[3];
        Real own[3] = {u[c], u[8 + c], u[16 + c]};
        for (int i = 0; i < 3; ++i) {
            y[i] = own[i] + real_set(g->edge * corner_sign(c, i));
        }
        for (int r = 0; r < 3; ++r) {
            real_quads(g->data + 4 * (3 * c + r), kinds, o);
            w[r] = w[r] + real_dot(o, own);
            if (J != NULL) {
                real_cross(y, o, part); // o . (w x y) = w . (y x o)
                for (int i = 0; i < 3; ++i) {
                    J[3 * r + i] = J[3 * r + i] + part[i];
                }
            }
        }
    }
}

// R <- R exp(w) by the unit quaternion with the vector part along w, then a step of Newton's
// iteration for the nearest rotation.
static inline void turn_by(const Real w[3], Real R[9])
{
    Real half = real_set(0.5f), one = real_set(1.0f), two = real_set(2.0f);
    Real x = half * w[0], y = half * w[1], z = half * w[2];
    Real norm = real_madd(x, x, real_madd(y, y, real_madd(z, z, one)));
    Real s = two / norm;
    Real by[9] = {real_nmadd(s, real_madd(y, y, z * z), one),
                  s * real_nmadd(one, z, x * y),
                  s * real_madd(x, z, y),
                  s * real_madd(x, y, z),
                  real_nmadd(s, real_madd(x, x, z * z), one),
                  s * real_nmadd(one, x, y * z),
                  s * real_nmadd(one, y, x * z),
                  s * real_madd(y, z, x),
                  real_nmadd(s, real_madd(x, x, y * y), one)};
    Real out[9], T[9];
    real_multiply(R, by, out);
    for (int i = 0; i < 9; ++i) {
        int a = i / 3, b = i % 3;
        Real sum =
            real_madd(out[6 + a], out[6 + b], real_madd(out[3 + a], out[3 + b], out[a] * out[b]));
        T[i] = real_nmadd(half, sum, real_set(a == b ? 1.5f : 0.0f));
    }
    real_multiply(out, T, R);
}

static inline void find_omega(const SnVoxelGroups *g, const int *kinds, const Real d[24], Real R[9],
                              Real u[24], Real inverse[9], Real *ok)
{
    Real w[3], t[3], J[9];
    displace(g->edge, d, R, u);
    for (int turn = 0; turn < g->turns; ++turn) {
        mean_turn(g, kinds, u, w, turn == 0 ? J : NULL);
        if (turn == 0) {
            *ok = invert_response(J, inverse);
        }
        for (int i = 0; i < 3; ++i) {
            t[i] = real_dot(inverse + 3 * i, w);
        }
        Real size = real_sqrt(real_dot(t, t) + real_set(LEAST_SQUARE));
        Real most = real_set(LARGEST_TURN);
        Real by = real_pick(size - most, most / size, real_set(1.0f));
        for (int i = 0; i < 3; ++i) {
            t[i] = t[i] * by;
        }
        turn_by(t, R);
        displace(g->edge, d, R, u);
    }
}

// [E] 4.1: the means of the four edges along x and y, made orthogonal one after the other. Where
// they are flat, the rotation stays.
static inline void find_edges(float edge, const Real d[24], Real R[9])
{
    Real e[2][3], r[3][3], least = real_set(LEAST_EDGE * edge * (LEAST_EDGE * edge));
    for (int i = 0; i < 6; ++i) {
        Real sum = real_set(0.0f);
        for (int c = 0; c < 8; ++c) {
            sum = real_madd(real_set(0.5f * corner_sign(c, i / 3)), d[8 * (i % 3) + c], sum);
        }
        e[i / 3][i % 3] = sum;
    }
    Real along = real_dot(e[0], e[0]);
    Real by = real_set(1.0f) / real_sqrt(along + real_set(LEAST_SQUARE));
    for (int i = 0; i < 3; ++i) {
        r[0][i] = by * e[0][i];
    }
    real_cross(r[0], e[1], r[2]);
    Real across = real_dot(r[2], r[2]);
    by = real_set(1.0f) / real_sqrt(across + real_set(LEAST_SQUARE));
    for (int i = 0; i < 3; ++i) {
        r[2][i] = by * r[2][i];
    }
    real_cross(r[2], r[0], r[1]);
    for (int i = 0; i < 9; ++i) {
        R[i] = real_pick(along - least, real_pick(across - least, r[i % 3][i / 3], R[i]), R[i]);
    }
}

static inline void pose_lanes(const SnVoxelGroups *g, const int *cells, float *planes)
{
    Real d[24], u[24], mean[3], R[9], inverse[9], ok = real_set(0.0f);
    int kinds[SN_VOXEL_GROUP];
    float base[9][SN_VOXEL_GROUP] __attribute__((aligned(64)));
    for (int l = 0; l < REAL_LANES; ++l) {
        kinds[l] = SN_VOXEL_KIND * g->kinds[cells[l]];
        for (int i = 0; i < 9; ++i) {
            base[i][l] = (float)g->base[9 * (size_t)cells[l] + (size_t)i];
        }
    }
    for (int i = 0; i < 9; ++i) {
        R[i] = real_load(base[i]);
        inverse[i] = real_set(i % 4 == 0 ? 1.0f : 0.0f);
    }
    load_corners(g, cells, d, mean);
    if (g->turning == SN_VOXEL_OMEGA) {
        find_omega(g, kinds, d, R, u, inverse, &ok);
    } else {
        if (g->turning == SN_VOXEL_EDGES) {
            find_edges(g->edge, d, R);
        }
        displace(g->edge, d, R, u);
    }
    for (int i = 0; i < SN_VOXEL_PLANES; ++i) {
        Real value = i < SN_VOXEL_PLANE_R      ? u[i]
                     : i < SN_VOXEL_PLANE_TURN ? R[i - SN_VOXEL_PLANE_R]
                     : i < SN_VOXEL_PLANE_OK   ? inverse[i - SN_VOXEL_PLANE_TURN]
                     : i < SN_VOXEL_PLANE_MEAN ? ok
                                               : mean[i - SN_VOXEL_PLANE_MEAN];
        real_store(planes + SN_VOXEL_GROUP * i, value);
    }
}

// h = K u of the lanes' cells.
static inline void stretch(const SnVoxelGroups *g, const int *cells, const float *u, Real h[24])
{
    float rows[REAL_LANES * SN_VOXEL_NUMBERS];
    int at[SN_VOXEL_GROUP];
    for (int l = 0; l < REAL_LANES; ++l) {
        product(g->matrices + SN_VOXEL_ENTRIES * (size_t)g->kinds[cells[l]], u + l, SN_VOXEL_GROUP,
                rows + SN_VOXEL_NUMBERS * l);
        at[l] = SN_VOXEL_NUMBERS * l;
    }
    for (int k = 0; k < SN_VOXEL_NUMBERS; k += 4) {
        real_quads(rows + k, at, h + k);
    }
}

// Takes the content's weight from h and the torque. Answers its work, from the middle of the cell.
static inline Real weigh(const SnVoxelGroups *g, const int *kinds, const Real R[9],
                         const Real u[24], Real h[24], Real torque[3])
{
    Real gravity[3], at[4], w[4];
    for (int i = 0; i < 3; ++i) {
        Real x = real_set(g->gravity[0]), y = real_set(g->gravity[1]);
        gravity[i] = real_madd(R[6 + i], real_set(g->gravity[2]), real_madd(R[3 + i], y, R[i] * x));
    }
    real_quads(g->data + 192, kinds, at);
    for (int n = 0; n < 24; ++n) {
        int number = 8 * (n % 3) + n / 3;
        real_quads(g->data + 96 + 4 * n, kinds, w);
        h[number] = h[number] - real_dot(w, gravity);
        for (int i = 0; i < 3; ++i) {
            at[i] = real_madd(w[i], u[number], at[i]);
        }
    }
    real_cross(gravity, at, torque);
    return real_dot(gravity, at);
}

// h += omega^T turn^T (torque - sum y x h), where the turn is known.
static inline void add_turn(const SnVoxelGroups *g, const int *kinds, const float *planes,
                            const Real u[24], const Real torque[3], Real h[24])
{
    Real sum[3] = {torque[0], torque[1], torque[2]}, t[3], o[4], part[3];
    Real ok = real_load(planes + SN_VOXEL_GROUP * SN_VOXEL_PLANE_OK);
    for (int c = 0; c < 8; ++c) {
        Real y[3], f[3];
        for (int i = 0; i < 3; ++i) {
            y[i] = u[8 * i + c] + real_set(g->edge * corner_sign(c, i));
            f[i] = h[8 * i + c];
        }
        real_cross(f, y, part);
        for (int i = 0; i < 3; ++i) {
            sum[i] = sum[i] + part[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        const float *column = planes + SN_VOXEL_GROUP * (SN_VOXEL_PLANE_TURN + i);
        Real turn[3] = {real_load(column), real_load(column + 3 * SN_VOXEL_GROUP),
                        real_load(column + 6 * SN_VOXEL_GROUP)};
        t[i] = ok * real_dot(turn, sum);
    }
    for (int n = 0; n < 24; ++n) {
        real_quads(g->data + 4 * n, kinds, o);
        for (int i = 0; i < 3; ++i) {
            h[8 * i + n / 3] = real_madd(o[i], t[n % 3], h[8 * i + n / 3]);
        }
    }
}

static inline void force_lanes(const SnVoxelGroups *g, const int *cells, const float *planes)
{
    Real u[24], h[24], R[9], torque[3], energy = real_set(0.0f);
    int kinds[SN_VOXEL_GROUP], at[SN_VOXEL_GROUP];
    for (int l = 0; l < REAL_LANES; ++l) {
        kinds[l] = SN_VOXEL_KIND * g->kinds[cells[l]];
        at[l] = SN_VOXEL_OUT * cells[l];
    }
    for (int i = 0; i < 24; ++i) {
        u[i] = real_load(planes + SN_VOXEL_GROUP * i);
    }
    for (int i = 0; i < 9; ++i) {
        R[i] = real_load(planes + SN_VOXEL_GROUP * (SN_VOXEL_PLANE_R + i));
    }
    stretch(g, cells, planes, h);
    for (int i = 0; i < 24; ++i) {
        energy = real_madd(u[i], h[i], energy);
    }
    energy = real_madd(real_set(0.5f), energy, real_set(0.0f) - weigh(g, kinds, R, u, h, torque));
    if (g->pulls != NULL) {
        Real pull[4];
        for (int k = 0; k < 28; k += 4) {
            real_quads(g->pulls + k, at, pull);
            for (int i = 0; i < (k < 24 ? 4 : 3); ++i) {
                Real *from = k < 24 ? &h[k + i] : &torque[i];
                *from = *from - pull[i];
            }
        }
    }
    if (g->exact) {
        add_turn(g, kinds, planes, u, torque, h);
    }
    for (int c = 0; c < 8; ++c) {
        Real f[3], own[3] = {h[c], h[8 + c], h[16 + c]};
        for (int i = 0; i < 3; ++i) {
            f[i] = real_dot(R + 3 * i, own);
        }
        real_quads_put(g->out + 4 * c, at, f, c == 0 ? energy : real_set(0.0f));
    }
}

// Lanes of a group, as many at a time as there are.
static inline void voxel_groups(const SnVoxelGroups *g, int begin, int end, bool poses)
{
    int cells[SN_VOXEL_GROUP];
    for (int group = begin; group < end; ++group) {
        float *planes = g->planes + (size_t)group * SN_VOXEL_PLANES * SN_VOXEL_GROUP;
        for (int l = 0; l < SN_VOXEL_GROUP; l += REAL_LANES) {
            for (int k = 0; k < REAL_LANES; ++k) {
                int cell = SN_VOXEL_GROUP * group + l + k;
                cells[k] = cell < g->cell_count ? cell : g->cell_count - 1;
            }
            if (poses) {
                pose_lanes(g, cells, planes + l);
            } else {
                force_lanes(g, cells, planes + l);
            }
        }
    }
}

static void voxel_pose(const SnVoxelGroups *g, int begin, int end)
{
    voxel_groups(g, begin, end, true);
}

static void voxel_force(const SnVoxelGroups *g, int begin, int end)
{
    voxel_groups(g, begin, end, false);
}

#endif
