#include "model/frames/compliance.h"

#include "model/frames/dense.h"

#include <math.h>
#include <string.h>

// How far each dof but those of the first frame, which is held, gives way to a unit of force along
// itself: the diagonal of K^-1 = L^-T L^-1. `A` is room for the matrix and a vector.
static void find_compliance(const double *K, int dofs, double *A, double *out)
{
    int rest = dofs - 6;
    double *x = A + (size_t)rest * (size_t)rest;
    for (int r = 0; r < rest; ++r) {
        memcpy(A + (size_t)rest * (size_t)r, K + (size_t)dofs * (size_t)(r + 6) + 6,
               (size_t)rest * sizeof *A);
    }
    bool is_definite = sn_dense_factor(A, rest);
    for (int d = 0; d < rest; ++d) {
        if (!is_definite) {
            out[d] = INFINITY;
            continue;
        }
        memset(x, 0, (size_t)rest * sizeof *x);
        x[d] = 1.0;
        sn_dense_forward(A, rest, x);
        out[d] = 0.0;
        for (int i = d; i < rest; ++i) {
            out[d] += x[i] * x[i];
        }
    }
}

SinewStatus sn_compliance_compare(const double *K, const double *of, int frame_count,
                                  const SinewAllocator *allocator, SnComplianceRatio *out_ratio,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int dofs = 6 * frame_count;
    size_t rest = (size_t)dofs - 6;
    double *room = NULL;
    SnComplianceRatio ratio = {INFINITY, 0.0};

    SN_ALLOC(room, allocator, rest * rest + 3 * rest, error);
    double *ours = room, *theirs = room + rest, *A = room + 2 * rest;
    find_compliance(K, dofs, A, ours);
    find_compliance(of, dofs, A, theirs);
    for (size_t d = 0; d < rest; ++d) {
        ratio.least = fmin(ratio.least, ours[d] / theirs[d]);
        ratio.most = fmax(ratio.most, ours[d] / theirs[d]);
    }
    *out_ratio = ratio;

done:
    sn_free(allocator, room);
    return status;
}
