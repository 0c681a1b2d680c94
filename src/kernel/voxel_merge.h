// Eight cells into one; see voxel.h. Included by the wide source and by the reference: loops over
// rows of 24 floats, which a compiler makes as wide as it may, and every product rounds by itself.
#ifndef SN_KERNEL_VOXEL_MERGE_H
#define SN_KERNEL_VOXEL_MERGE_H

#define MERGE_ROW SN_VOXEL_NUMBERS

// out = R A R^T.
static void merge_turn(const float *R, const float *A, float *out)
{
    float half[SN_VOXEL_ENTRIES];
    for (int n = 0; n < MERGE_ROW; ++n) {
        const float *row = A + MERGE_ROW * n;
        for (int j = 0; j < 3; ++j) {
            for (int c = 0; c < 8; ++c) {
                half[MERGE_ROW * n + 8 * j + c] =
                    R[3 * j] * row[c] + R[3 * j + 1] * row[8 + c] + R[3 * j + 2] * row[16 + c];
            }
        }
    }
    for (int n = 0; n < MERGE_ROW; ++n) {
        const float *r = R + n / 8 * 3;
        const float *row = half + MERGE_ROW * (n % 8);
        for (int c = 0; c < MERGE_ROW; ++c) {
            out[MERGE_ROW * n + c] =
                r[0] * row[c] + r[1] * row[8 * MERGE_ROW + c] + r[2] * row[16 * MERGE_ROW + c];
        }
    }
}

// Rows and columns of held components are zero.
static void merge_hold(const int *corners, const float *free, float *A)
{
    float mask[MERGE_ROW], least = 1.0f;
    for (int n = 0; n < MERGE_ROW; ++n) {
        mask[n] = free[4 * (size_t)corners[n % 8] + (size_t)(n / 8)];
        least = mask[n] < least ? mask[n] : least;
    }
    for (int i = 0; i < SN_VOXEL_ENTRIES && least < 1.0f; ++i) {
        A[i] = A[i] * (mask[i / MERGE_ROW] * mask[i % MERGE_ROW]);
    }
}

// Rows of the finer corners to those of the coarser cell, axis after axis: the near corner is one,
// the far one in the middle is half of both.
static void merge_rows(int octant, float *A)
{
    for (int bit = 4; bit > 0; bit /= 2) {
        for (int n = 0; n < MERGE_ROW; ++n) {
            if (n & bit) {
                continue;
            }
            float *first = A + MERGE_ROW * n, *second = first + MERGE_ROW * bit;
            float *near = octant & bit ? second : first, *far = octant & bit ? first : second;
            for (int c = 0; c < MERGE_ROW; ++c) {
                far[c] = 0.5f * far[c];
                near[c] = near[c] + far[c];
            }
        }
    }
}

static void merge_flip(float *A)
{
    for (int r = 0; r < MERGE_ROW; ++r) {
        for (int c = 0; c < r; ++c) {
            float held = A[MERGE_ROW * r + c];
            A[MERGE_ROW * r + c] = A[MERGE_ROW * c + r];
            A[MERGE_ROW * c + r] = held;
        }
    }
}

static void voxel_merge(const SnVoxelMerge *m, int begin, int end)
{
    float A[SN_VOXEL_ENTRIES];
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        float *out = m->out + SN_VOXEL_ENTRIES * e;
        memset(out, 0, SN_VOXEL_ENTRIES * sizeof *out);
        for (int i = m->child_start[e]; i < m->child_start[e + 1]; ++i) {
            size_t child = (size_t)m->children[i];
            size_t kind = m->kinds != NULL ? (size_t)m->kinds[child] : child;
            const float *from = m->matrices + SN_VOXEL_ENTRIES * kind;
            if (m->rotations != NULL) {
                merge_turn(m->rotations + 9 * child, from, A);
            } else {
                memcpy(A, from, sizeof A);
            }
            if (m->free != NULL) {
                merge_hold(m->corners + 8 * child, m->free, A);
            }
            merge_rows(m->octants[child], A);
            merge_flip(A);
            merge_rows(m->octants[child], A);
            for (int k = 0; k < SN_VOXEL_ENTRIES; ++k) {
                out[k] += A[k];
            }
        }
    }
}

#endif
