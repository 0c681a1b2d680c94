#include "model/frames/candidates.h"

#include "model/frames/quaternion.h"

#include <math.h>
#include <string.h>

enum { CUBES_PER_FRAME = 64 };

// Where eight places are in a cube whose sides are at -1 and 1.
#define OFF_MIDDLE 0.5

// Axes of a place, rows: the first is the direction along which weights change most, by some power
// iterations; the others are any that stand upright on it.
static void axes_of(const double *weights, int frames, double out[9])
{
    double M[9] = {0.0}, n[3] = {0.5773, 0.5774, 0.5775};
    for (int i = 0; i < frames; ++i) {
        const double *g = weights + SN_BLEND_WEIGHTS * i + 1;
        for (int k = 0; k < 9; ++k) {
            M[k] += g[k / 3] * g[k % 3];
        }
    }
    for (int turn = 0; turn < 50; ++turn) {
        double next[3];
        sn_mat3_apply(M, n, next);
        double length = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2]);
        for (int k = 0; k < 3 && length > 0.0; ++k) {
            n[k] = next[k] / length;
        }
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    double a[3] = {0.0, 0.0, 0.0}, square = 0.0;
    a[least] = 1.0;
    for (int k = 0; k < 3; ++k) {
        out[k] = n[k] / length;
    }
    for (int k = 0; k < 3; ++k) {
        out[3 + k] = a[k] - out[least] * out[k];
        square += out[3 + k] * out[3 + k];
    }
    for (int k = 0; k < 3; ++k) {
        out[3 + k] /= sqrt(square);
    }
    out[6] = out[1] * out[5] - out[2] * out[4];
    out[7] = out[2] * out[3] - out[0] * out[5];
    out[8] = out[0] * out[4] - out[1] * out[3];
}

// The strain `which` of a place as a combination of xx yy zz yz xz xy, the last three doubled.
static void strain_of(const double axes[9], int which, double out[6])
{
    static const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    if (which == 6) {
        memcpy(out, (double[6]){1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, 6 * sizeof *out);
        return;
    }
    const double *p = axes + 3 * first[which], *q = axes + 3 * second[which];
    double factor = which < 3 ? 1.0 : 2.0; // as shears are doubled
    for (int i = 0; i < 6; ++i) {
        out[i] = factor * 0.5 * (p[first[i]] * q[second[i]] + q[first[i]] * p[second[i]]);
    }
}

// b: how the six strains of a sample at rest answer the frames' motions; 6 rows of `size`.
static void find_rows(const SnFitDef *def, const SnSamples *samples, int place, double *rows)
{
    static const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    size_t frames = (size_t)def->frame_count;
    const double *weights = samples->weights + SN_BLEND_WEIGHTS * frames * (size_t)place;
    double z[32] = {0.0, 0.0, 0.0, 1.0};
    SnBlend blend;
    SnBlendTangent tangent;
    // At rest every frame is (1, 0): weights sum to one and their gradients to zero.
    sn_blend_make(z, samples->X + 3 * (size_t)place, &blend);
    sn_blend_tangent(&blend, &tangent);
    for (size_t i = 0; i < frames; ++i) {
        SnFramePose pose = {{0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
        double D[96], jacobian[48], origin[3];
        for (int k = 0; k < 3; ++k) {
            origin[k] = pose.t[k] = def->origins[3 * i + (size_t)k] - def->grid->center[k];
        }
        sn_blend_rows(&tangent, weights + SN_BLEND_WEIGHTS * i, D);
        sn_frame_jacobian(&pose, origin, jacobian);
        for (int s = 0; s < 6; ++s) {
            const double *a = D + 32 * second[s] + 8 * first[s];
            const double *b = D + 32 * first[s] + 8 * second[s];
            for (size_t d = 0; d < 6; ++d) {
                double sum = 0.0;
                for (int c = 0; c < 8; ++c) {
                    sum += (s < 3 ? a[c] : a[c] + b[c]) * jacobian[6 * c + (int)d];
                }
                rows[6 * frames * (size_t)s + 6 * i + d] = sum;
            }
        }
    }
}

void sn_candidates_put(const SnCandidates *candidates, const SnFitDef *def, int place,
                       SnSamples *samples, int index)
{
    double at[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3 && candidates->points > 1; ++k) {
        at[k] = place >> k & 1 ? OFF_MIDDLE : -OFF_MIDDLE;
    }
    sn_samples_put(samples, index, def->grid, def->weights,
                   candidates->cells[place / candidates->points], at);
}

// The strains of one place; `rows` is room for 6 rows of b.
static void make_place(SnCandidates *candidates, const SnFitDef *def, int place, double *rows)
{
    size_t n = 6 * (size_t)def->frame_count;
    const SnSamples *samples = &candidates->samples;
    double axes[9];
    axes_of(samples->weights + SN_BLEND_WEIGHTS * (size_t)place * (size_t)def->frame_count,
            def->frame_count, axes);
    find_rows(def, samples, place, rows);
    for (int s = 0; s < SN_CANDIDATE_STRAINS; ++s) {
        size_t at = SN_CANDIDATE_STRAINS * (size_t)place + (size_t)s;
        double *a = candidates->strains + 6 * at, *b = candidates->rows + n * at;
        strain_of(axes, s, a);
        for (size_t i = 0; i < 6 * n; ++i) {
            b[i % n] += a[i / n] * rows[i];
        }
    }
}

SinewStatus sn_candidates_create(const SnFitDef *def, int points, SnCandidates *out,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    size_t n = 6 * (size_t)def->frame_count;
    double *rows = NULL;

    *out = (SnCandidates){.points = points};
    SN_TRY(sn_frames_grid_spread(def->grid, CUBES_PER_FRAME * def->frame_count, allocator,
                                 &out->cube_count, &out->cells, error));
    out->place_count = points * out->cube_count;
    size_t count = SN_CANDIDATE_STRAINS * (size_t)out->place_count;
    SN_TRY(sn_samples_create(out->place_count, def->frame_count, true, allocator, &out->samples,
                             error));
    SN_ALLOC(rows, allocator, 6 * n, error);
    SN_ALLOC(out->strains, allocator, 6 * count, error);
    SN_ALLOC_ZERO(out->rows, allocator, count * n, error);
    for (int p = 0; p < out->place_count; ++p) {
        sn_candidates_put(out, def, p, &out->samples, p);
        make_place(out, def, p, rows);
    }

done:
    sn_free(allocator, rows);
    return status;
}

void sn_candidates_release(SnCandidates *candidates, const SinewAllocator *allocator)
{
    sn_samples_release(&candidates->samples, allocator);
    sn_free(allocator, candidates->cells);
    sn_free(allocator, candidates->strains);
    sn_free(allocator, candidates->rows);
    *candidates = (SnCandidates){0};
}
