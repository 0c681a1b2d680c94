// Singular value decomposition, one matrix at a time; see rotation_svd_wide.h.
#include "kernel/rotation_ref.h"

SnRotationFn sn_rotation_svd_ref;

// One Jacobi turn in the plane (p, q) of the symmetric S, with r the third axis.
static void turn(float S[3][3], float quat[4], int p, int q, int r)
{
    float pp = S[p][p];
    float qq = S[q][q];
    float pq = S[p][q];
    float pr = S[p][r];
    float qr = S[q][r];
    float difference = pp - qq;
    float d = fabsf(difference);
    float off = fabsf(pq) + REF_TINY;
    float n = 1.481f * off + d;
    float below = (d + d) * n + off * off * 3.5755f;
    float above = pq * n;
    float t = (signbit(difference) ? -above : above) / below;
    t = fabsf(t) < 1e-15f ? 0.0f : t;
    float inverse = 1.0f / (t * t + 1.0f);
    float c = (1.0f - t * t) * inverse;
    float s = (t + t) * inverse;

    float change = s * difference - (c + c) * pq;
    float change_pq = (s + s) * pq + c * difference;
    S[p][p] = pp - s * change;
    S[q][q] = s * change + qq;
    S[p][q] = S[q][p] = pq - s * change_pq;
    S[p][r] = S[r][p] = s * qr + c * pr;
    S[q][r] = S[r][q] = c * qr - s * pr;

    float x = quat[p];
    float y = quat[q];
    float z = quat[r];
    float w = quat[3];
    quat[p] = t * y + x;
    quat[q] = y - t * x;
    quat[r] = t * w + z;
    quat[3] = w - t * z;
}

// V that makes F^T F diagonal, the largest singular value first.
static void right_factor(const float F[9], float out_V[9])
{
    float S[3][3];
    float q[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            S[i][j] = ref_dot(F + i, 3, F + j, 3);
        }
    }
    for (int sweep = 0; sweep < REF_SVD_SWEEPS; ++sweep) {
        turn(S, q, 0, 1, 2);
        turn(S, q, 1, 2, 0);
        turn(S, q, 2, 0, 1);
    }
    bool second = S[0][0] < S[1][1];
    bool third = ref_max(S[0][0], S[1][1]) < S[2][2];
    float s = third ? -0.5f : second ? 0.5f : 0.0f;
    float w = second || third ? 0.5f : 1.0f;
    const float turned[4] = {
        w * q[0] + s * ((q[3] + q[1]) - q[2]),
        w * q[1] + s * ((q[3] + q[2]) - q[0]),
        w * q[2] + s * ((q[3] + q[0]) - q[1]),
        w * q[3] - s * ((q[0] + q[1]) + q[2]),
    };
    sn_ref_quat_to_rotation(turned, out_V);
}

void sn_ref_frame_complete(const float x[3], float out_y[3], float out_z[3])
{
    float sign = x[2] < 0.0f ? -1.0f : 1.0f;
    float a = 1.0f / (sign + x[2]);
    float xa = x[0] * a;
    float b = -(xa * x[1]);
    out_y[0] = 1.0f - sign * x[0] * xa;
    out_y[1] = sign * b;
    out_y[2] = -(sign * x[0]);
    out_z[0] = b;
    out_z[1] = sign - x[1] * x[1] * a;
    out_z[2] = -x[1];
}

// Cosine and sine of half the angle of (x, y); returns the length.
static float half_angle(float x, float y, float *out_cosine, float *out_sine)
{
    float length2 = x * x + y * y;
    float length = sqrtf(length2);
    float along = ref_max(length + fabsf(x), REF_TINY);
    float inverse = ref_rsqrt(along * along + y * y);
    along *= inverse;
    float across = y * inverse;
    *out_cosine = x < 0.0f ? across : along;
    *out_sine = x < 0.0f ? along : across;
    return length;
}

static void turn_columns(float y[3], float z[3], float cosine, float sine)
{
    float length2 = cosine * cosine + sine * sine;
    float correction = 1.5f - 0.5f * length2;
    cosine *= correction;
    sine *= correction;
    for (int k = 0; k < 3; ++k) {
        float old_y = y[k];
        y[k] = cosine * old_y + sine * z[k];
        z[k] = cosine * z[k] - sine * old_y;
    }
}

static void get_columns(const float a[9], float columns[3][3])
{
    for (int k = 0; k < 9; ++k) {
        columns[k % 3][k / 3] = a[k];
    }
}

static void set_columns(float columns[3][3], float out[9])
{
    for (int k = 0; k < 9; ++k) {
        out[k] = columns[k % 3][k / 3];
    }
}

void sn_ref_svd(const float F[9], float out_U[9], float out_sigma[3], float out_V[9])
{
    float B[9];
    float b[3][3];
    float v[3][3];
    float u[3][3];
    right_factor(F, out_V);
    ref_multiply(F, out_V, B);
    get_columns(B, b);
    get_columns(out_V, v);

    // u1 along the largest column.
    float length2 = ref_dot(b[0], 1, b[0], 1);
    float inverse = ref_rsqrt(length2);
    for (int k = 0; k < 3; ++k) {
        u[0][k] = b[0][k] * inverse;
    }
    sn_ref_frame_complete(u[0], u[1], u[2]);

    // The 2x2 block that remains, and its own decomposition.
    float b00 = ref_dot(u[1], 1, b[1], 1);
    float b01 = ref_dot(u[1], 1, b[2], 1);
    float b10 = ref_dot(u[2], 1, b[1], 1);
    float b11 = ref_dot(u[2], 1, b[2], 1);
    float sum_c, sum_s, difference_c, difference_s;
    float sum = half_angle((b00 + b11) * 0.5f, (b10 - b01) * 0.5f, &sum_c, &sum_s);
    float difference =
        half_angle((b00 - b11) * 0.5f, (b10 + b01) * 0.5f, &difference_c, &difference_s);
    float cc = difference_c * sum_c;
    float sc = difference_s * sum_c;
    turn_columns(u[1], u[2], cc - difference_s * sum_s, sc + difference_c * sum_s);
    turn_columns(v[1], v[2], cc + difference_s * sum_s, sc - difference_c * sum_s);

    float sigma0 = length2 * inverse;
    float sigma1 = sum + difference;
    out_sigma[0] = ref_max(sigma0, sigma1);
    out_sigma[1] = ref_min(sigma0, sigma1);
    out_sigma[2] = sum - difference;
    set_columns(u, out_U);
    set_columns(v, out_V);
}

void sn_ref_rotation_of_any(const float F[9], float out_R[9])
{
    float scaled[9];
    float U[9];
    float sigma[3];
    float V[9];
    memcpy(scaled, F, sizeof scaled);
    sn_ref_normalise(scaled);
    sn_ref_svd(scaled, U, sigma, V);
    ref_multiply_transpose(U, V, out_R);
}

void sn_rotation_svd_ref(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        float F[9];
        float U[9];
        float sigma[3];
        float V[9];
        float R[9];
        ref_load(b->F, 9, b->stride, i, F);
        RefScale s = sn_ref_normalise(F);
        sn_ref_svd(F, U, sigma, V);
        for (int k = 0; k < 3; ++k) {
            sigma[k] = s.useless ? 0.0f : sigma[k] * s.unscale;
        }
        ref_store(b->U, 9, b->stride, i, U);
        ref_store(b->sigma, 3, b->stride, i, sigma);
        ref_store(b->V, 9, b->stride, i, V);
        ref_multiply_transpose(U, V, R);
        sn_ref_rotation_store(b, i, R);
    }
}
