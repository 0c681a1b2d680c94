// Newton's method on rotations, one matrix at a time; see rotation_newton_wide.h.
#include "kernel/rotation_ref.h"

SnRotationFn sn_rotation_apd_ref;

bool sn_ref_newton_step(const float F[9], float q[4])
{
    float R[9];
    float y[9];
    sn_ref_quat_to_mat3(q, R);
    ref_transpose_multiply(R, F, y);

    // Gradient, and Hessian tr(Y) I - sym(Y).
    const float g[3] = {y[7] - y[5], y[2] - y[6], y[3] - y[1]};
    float h00 = y[4] + y[8];
    float h11 = y[0] + y[8];
    float h22 = y[0] + y[4];
    float h01 = (y[1] + y[3]) * -0.5f;
    float h02 = (y[2] + y[6]) * -0.5f;
    float h12 = (y[5] + y[7]) * -0.5f;

    // Its inverse by cofactors.
    float c00 = h11 * h22 - h12 * h12;
    float c01 = h02 * h12 - h01 * h22;
    float c02 = h01 * h12 - h02 * h11;
    float c11 = h00 * h22 - h02 * h02;
    float c12 = h01 * h02 - h00 * h12;
    float c22 = h00 * h11 - h01 * h01;
    const float cofactors[9] = {c00, c01, c02, c01, c11, c12, c02, c12, c22};
    float det = h00 * c00 + h01 * c01 + h02 * c02;
    float trace = (h00 + h11) + h22;
    bool safe = trace * trace * trace * 1e-3f < det && 0.0f < (c00 + c11) + c22 && 1e-10f < trace;

    float inverse = 1.0f / det;
    float w[3];
    float length2 = 1.0f;
    for (int k = 0; k < 3; ++k) {
        w[k] = ref_dot(cofactors + 3 * k, 1, g, 1) * inverse;
        length2 += w[k] * w[k];
    }
    float scalar = sqrtf(length2) + 1.0f;

    // q <- q (w, scalar).
    float qx = q[0];
    float qy = q[1];
    float qz = q[2];
    float qw = q[3];
    q[0] = qw * w[0] + qx * scalar + qy * w[2] - qz * w[1];
    q[1] = qw * w[1] + qy * scalar + qz * w[0] - qx * w[2];
    q[2] = qw * w[2] + qz * scalar + qx * w[1] - qy * w[0];
    q[3] = qw * scalar - qx * w[0] - qy * w[1] - qz * w[2];
    sn_ref_quat_normalise(q);
    return safe;
}

void sn_rotation_apd_ref(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        float F[9];
        float q[4];
        float R[9];
        ref_load(b->F, 9, b->stride, i, F);
        ref_load(b->q, 4, b->stride, i, q);
        for (int k = 0; k < b->iterations; ++k) {
            if (!sn_ref_newton_step(F, q)) {
                sn_ref_rotation_of_any(F, R);
                sn_ref_quat_from_mat3(R, q);
            }
        }
        ref_store(b->q, 4, b->stride, i, q);
        sn_ref_quat_to_rotation(q, R);
        ref_store(b->R, 9, b->stride, i, R);
    }
}
