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

// Several registers of matrices side by side: each Jacobi turn waits for the one before, and other
// chains fill the gaps. Where a range ends with fewer, the last is done again.
#define CHAINS 3

void SN_NAME(rotation_svd)(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; i += CHAINS * SN_LANES) {
        int place[CHAINS];
        WideMat3 F[CHAINS];
        WideScale scale[CHAINS];
        WideJacobi j[CHAINS];
        for (int k = 0; k < CHAINS; ++k) {
            place[k] = i + k * SN_LANES < end ? i + k * SN_LANES : i;
            F[k] = mat3_load(b->F, b->stride, place[k]);
            scale[k] = mat3_normalise(&F[k]);
            j[k] = jacobi_begin(F[k]);
        }
        for (int sweep = 0; sweep < SVD_SWEEPS; ++sweep) {
            for (int k = 0; k < CHAINS; ++k) {
                jacobi_turn_xy(&j[k]);
            }
            for (int k = 0; k < CHAINS; ++k) {
                jacobi_turn_yz(&j[k]);
            }
            for (int k = 0; k < CHAINS; ++k) {
                jacobi_turn_zx(&j[k]);
            }
        }
        for (int k = 0; k < CHAINS; ++k) {
            WideSvd svd = svd_finish(F[k], jacobi_end(&j[k]));
            svd_store(b, place[k], scale[k], &svd);
        }
    }
}
