// Singular value decomposition of 3x3 matrices in batches, [A sec 9.2]; see rotation_svd_wide.h.
#include "kernel/rotation_svd_wide.h"

SnRotationFn SN_NAME(rotation_svd);

static inline void svd_store(const SnRotationBatch *b, int i, WideScale s, const WideSvd *svd)
{
    if (b->U != NULL) {
        mat3_store(b->U, b->stride, i, svd->U);
    }
    if (b->sigma != NULL) {
        for (int k = 0; k < 3; ++k) {
            Wide sigma = wide_select(s.useless, wide_set(0.0f), svd->sigma[k] * s.unscale);
            wide_store(b->sigma + (size_t)k * (size_t)b->stride + i, sigma);
        }
    }
    if (b->V != NULL) {
        mat3_store(b->V, b->stride, i, svd->V);
    }
    if (b->R != NULL || b->q != NULL) {
        rotation_store(b, i, mat3_multiply_transpose(svd->U, svd->V));
    }
}

// Two registers of matrices side by side: each Jacobi turn waits for the one before, and a second
// chain fills the gaps. Where a range ends with one register, that one is done twice.
void SN_NAME(rotation_svd)(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; i += 2 * SN_LANES) {
        int place[2] = {i, i + SN_LANES < end ? i + SN_LANES : i};
        WideMat3 F[2];
        WideScale scale[2];
        WideJacobi j[2];
        for (int k = 0; k < 2; ++k) {
            F[k] = mat3_load(b->F, b->stride, place[k]);
            scale[k] = mat3_normalise(&F[k]);
            j[k] = jacobi_begin(F[k]);
        }
        for (int sweep = 0; sweep < SVD_SWEEPS; ++sweep) {
            jacobi_turn_xy(&j[0]);
            jacobi_turn_xy(&j[1]);
            jacobi_turn_yz(&j[0]);
            jacobi_turn_yz(&j[1]);
            jacobi_turn_zx(&j[0]);
            jacobi_turn_zx(&j[1]);
        }
        for (int k = 0; k < 2; ++k) {
            WideSvd svd = svd_finish(F[k], jacobi_end(&j[k]));
            svd_store(b, place[k], scale[k], &svd);
        }
    }
}
