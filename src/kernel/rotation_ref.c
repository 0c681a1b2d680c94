#include "kernel/rotation_ref.h"

RefScale sn_ref_scale_of(int32_t bits)
{
    int32_t exponent = bits & 0x7f800000;
    exponent = exponent > 1 << 23 ? exponent : 1 << 23;
    exponent = exponent < 253 << 23 ? exponent : 253 << 23;
    int32_t inverse = (254 << 23) - exponent;
    RefScale s = {.useless = bits < 1 || bits > 0x7f7fffff};
    memcpy(&s.scale, &inverse, sizeof inverse);
    memcpy(&s.unscale, &exponent, sizeof exponent);
    return s;
}

RefScale sn_ref_normalise(float a[9])
{
    int32_t largest = 0;
    for (int k = 0; k < 9; ++k) {
        int32_t bits;
        memcpy(&bits, &a[k], sizeof bits);
        bits &= 0x7fffffff;
        largest = bits > largest ? bits : largest;
    }
    RefScale s = sn_ref_scale_of(largest);
    for (int k = 0; k < 9; ++k) {
        float unit = k % 4 == 0 ? 1.0f : 0.0f;
        a[k] = s.useless ? unit : a[k] * s.scale;
    }
    return s;
}

static void expand(const float q[4], float x2, float y2, float z2, float out[9])
{
    float xy = q[0] * y2;
    float xz = q[0] * z2;
    float yz = q[1] * z2;
    float not_yy = 1.0f - q[1] * y2;
    float not_zz = 1.0f - q[2] * z2;
    out[0] = not_yy - q[2] * z2;
    out[1] = xy - q[3] * z2;
    out[2] = xz + q[3] * y2;
    out[3] = xy + q[3] * z2;
    out[4] = not_zz - q[0] * x2;
    out[5] = yz - q[3] * x2;
    out[6] = xz - q[3] * y2;
    out[7] = yz + q[3] * x2;
    out[8] = not_yy - q[0] * x2;
}

void sn_ref_quat_to_mat3(const float q[4], float out[9])
{
    expand(q, q[0] + q[0], q[1] + q[1], q[2] + q[2], out);
}

static float length2(const float q[4])
{
    return ref_dot(q, 1, q, 1) + q[3] * q[3];
}

void sn_ref_quat_to_rotation(const float q[4], float out[9])
{
    float two = 1.0f / length2(q) * 2.0f;
    expand(q, q[0] * two, q[1] * two, q[2] * two, out);
}

void sn_ref_quat_normalise(float q[4])
{
    float inverse = ref_rsqrt(length2(q));
    for (int k = 0; k < 4; ++k) {
        q[k] *= inverse;
    }
}

void sn_ref_quat_from_mat3(const float R[9], float out[4])
{
    float xx = (1.0f + R[0]) - (R[4] + R[8]);
    float yy = (1.0f + R[4]) - (R[0] + R[8]);
    float zz = (1.0f + R[8]) - (R[0] + R[4]);
    float ww = (1.0f + R[0]) + (R[4] + R[8]);
    float xy = R[1] + R[3];
    float xz = R[2] + R[6];
    float yz = R[5] + R[7];
    float xw = R[7] - R[5];
    float yw = R[2] - R[6];
    float zw = R[3] - R[1];
    const float rows[4][4] = {
        {xw, yw, zw, ww}, {xx, xy, xz, xw}, {xy, yy, yz, yw}, {xz, yz, zz, zw}};
    const float sizes[4] = {ww, xx, yy, zz};
    int best = 0;
    for (int k = 1; k < 4; ++k) {
        best = sizes[best] < sizes[k] ? k : best;
    }
    memcpy(out, rows[best], sizeof rows[best]);
    sn_ref_quat_normalise(out);
}

void sn_ref_rotation_store(const SnRotationBatch *b, int i, const float R[9])
{
    ref_store(b->R, 9, b->stride, i, R);
    if (b->q != NULL) {
        float q[4];
        sn_ref_quat_from_mat3(R, q);
        ref_store(b->q, 4, b->stride, i, q);
    }
}
