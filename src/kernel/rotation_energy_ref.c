// Rotation by energy, one matrix at a time; see rotation_energy.kernel.c.
#include "kernel/rotation_ref.h"

SnRotationFn sn_rotation_energy_ref;

// M as a full matrix from its six components.
static void load_moment(const SnRotationBatch *b, int i, float out_M[9])
{
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    float six[6];
    ref_load(b->M, 6, b->stride, i, six);
    for (int k = 0; k < 9; ++k) {
        out_M[k] = six[place[k]];
    }
}

// The closest rotation to F M for any F and M.
static void rescue(const float F[9], const float M[9], float out_q[4])
{
    float f[9];
    float m[9];
    float A[9];
    float R[9];
    memcpy(f, F, sizeof f);
    memcpy(m, M, sizeof m);
    bool f_useless = sn_ref_normalise(f).useless;
    bool m_useless = sn_ref_normalise(m).useless;
    ref_multiply(f, m, A);
    if (f_useless || m_useless) {
        memset(A, 0, sizeof A);
    }
    sn_ref_rotation_of_any(A, R);
    sn_ref_quat_from_mat3(R, out_q);
}

void sn_rotation_energy_ref(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        float F[9];
        float M[9];
        float scaled[9];
        float A[9];
        float q[4];
        float R[9];
        ref_load(b->F, 9, b->stride, i, F);
        ref_load(b->q, 4, b->stride, i, q);
        load_moment(b, i, M);
        float trace = fabsf((M[0] + M[4]) + M[8]);
        int32_t bits;
        memcpy(&bits, &trace, sizeof bits);
        for (int k = 0; k < 9; ++k) {
            scaled[k] = M[k] * sn_ref_scale_of(bits).scale;
        }
        ref_multiply(F, scaled, A);
        for (int k = 0; k < b->iterations; ++k) {
            if (!sn_ref_newton_step(A, q)) {
                rescue(F, M, q);
            }
        }
        ref_store(b->q, 4, b->stride, i, q);
        sn_ref_quat_to_rotation(q, R);
        ref_store(b->R, 9, b->stride, i, R);
    }
}
