#include "model/frames/fit.h"

#include "model/frames/dense.h"
#include "model/frames/lumps.h"
#include "model/frames/quaternion.h"

#include <math.h>
#include <string.h>

enum {
    STRAINS = 7,           // a place: three along its own axes, three between them, and their sum
    PLACES_PER_FRAME = 64, // candidates
    SWEEPS = 400,          // at most
    CHECK = 20,            // sweeps after which it is asked whether they gained anything
    SETTLE = 40            // sweeps among those that are left at the end
};

// Strains that answer the frames less than this, relative to the one that answers most, are those
// of rigid parts: nothing, or rounding.
#define RIGID 1e-5

// Where so many sweeps leave more than this share of the error, there is no use in more.
#define GAIN 0.99

// Terms that carry less than this share of a mean term are dropped.
#define FAINT 1e-4

typedef struct Fit {
    const SnFitDef *def;
    const SinewAllocator *allocator;
    size_t size;       // 6 frame_count
    int place_count;   //
    int *places;       // cubes
    SnSamples samples; // of all candidates
    double *strains;   // 6 a candidate: which strain
    double *vectors;   // size a candidate: L^-1 b
    double *squares;   // |v|^2
    double *stiffness; // a candidate
    double *L;         // Cholesky's factor of K + Z Z^T
    double *rest;      // size^2: target - sum stiffness v v^T
    double *row;       // size
} Fit;

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
static void find_rows(const Fit *fit, int place, double *rows)
{
    static const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    const SnFitDef *def = fit->def;
    size_t frames = (size_t)def->frame_count;
    const double *weights = fit->samples.weights + SN_BLEND_WEIGHTS * frames * (size_t)place;
    double z[32] = {0.0, 0.0, 0.0, 1.0};
    SnBlend blend;
    SnBlendTangent tangent;
    // At rest every frame is (1, 0): weights sum to one and their gradients to zero.
    sn_blend_make(z, fit->samples.X + 3 * (size_t)place, &blend);
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
                rows[(size_t)s * fit->size + 6 * i + d] = sum;
            }
        }
    }
}

static SinewStatus make_candidates(Fit *fit, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFitDef *def = fit->def;
    size_t count = STRAINS * (size_t)fit->place_count, n = fit->size;
    double *rows = NULL;

    SN_TRY(sn_samples_create(fit->place_count, def->frame_count, true, fit->allocator,
                             &fit->samples, error));
    SN_ALLOC(rows, fit->allocator, 6 * n, error);
    SN_ALLOC(fit->strains, fit->allocator, 6 * count, error);
    SN_ALLOC_ZERO(fit->vectors, fit->allocator, count * n, error);
    SN_ALLOC_ZERO(fit->squares, fit->allocator, count, error);
    SN_ALLOC_ZERO(fit->stiffness, fit->allocator, count, error);
    for (int p = 0; p < fit->place_count; ++p) {
        double axes[9];
        sn_samples_put(&fit->samples, p, def->grid, def->weights, fit->places[p]);
        axes_of(fit->samples.weights + SN_BLEND_WEIGHTS * (size_t)p * (size_t)def->frame_count,
                def->frame_count, axes);
        find_rows(fit, p, rows);
        for (int s = 0; s < STRAINS; ++s) {
            size_t at = STRAINS * (size_t)p + (size_t)s;
            double *a = fit->strains + 6 * at, *v = fit->vectors + n * at;
            strain_of(axes, s, a);
            for (size_t i = 0; i < 6 * n; ++i) {
                v[i % n] += a[i / n] * rows[i];
            }
            sn_dense_forward(fit->L, (int)n, v);
            for (size_t i = 0; i < n; ++i) {
                fit->squares[at] += v[i] * v[i];
            }
        }
    }

done:
    sn_free(fit->allocator, rows);
    return status;
}

// L of K + s Z Z^T, and the target L^-1 K L^-T.
static SinewStatus make_target(Fit *fit, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t n = fit->size;
    double trace = 0.0, square = 0.0;

    SN_ALLOC(fit->L, fit->allocator, n * n, error);
    SN_ALLOC(fit->rest, fit->allocator, n * n, error);
    SN_ALLOC(fit->row, fit->allocator, n, error);
    for (size_t i = 0; i < n; ++i) {
        trace += fit->def->K[i * n + i];
    }
    for (size_t i = 0; i < 6 * n; ++i) {
        square += fit->def->Z[i] * fit->def->Z[i];
    }
    for (size_t i = 0; i < n * n; ++i) {
        const double *a = fit->def->Z + 6 * (i / n), *b = fit->def->Z + 6 * (i % n);
        fit->L[i] = fit->def->K[i];
        fit->rest[i] = fit->def->K[i];
        for (int d = 0; d < 6; ++d) {
            fit->L[i] += trace / square * a[d] * b[d];
        }
    }
    if (!sn_dense_factor(fit->L, (int)n)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": the stiffness between its frames is not definite, expected "
                       "fewer frames or more cells",
                       fit->def->model->name));
    }
    for (int side = 0; side < 2; ++side) { // rows, then, being transposed, columns
        for (size_t r = 0; r < n; ++r) {
            sn_dense_forward(fit->L, (int)n, fit->rest + r * n);
        }
        for (size_t r = 0; r < n; ++r) {
            for (size_t c = 0; c < r; ++c) {
                double t = fit->rest[r * n + c];
                fit->rest[r * n + c] = fit->rest[c * n + r];
                fit->rest[c * n + r] = t;
            }
        }
    }

done:
    return status;
}

// One coordinate: the stiffness of a candidate that brings the rest nearest to zero.
static void improve(Fit *fit, size_t at)
{
    size_t n = fit->size;
    const double *v = fit->vectors + n * at;
    double square = fit->squares[at], along = 0.0, *sums = fit->row;
    if (!(square > 0.0)) {
        return;
    }
    // Row after row onto a sum for each column, which the processor does side by side.
    memset(sums, 0, n * sizeof *sums);
    for (size_t r = 0; r < n; ++r) {
        const double *row = fit->rest + r * n;
        double share = v[r];
        for (size_t c = 0; c < n; ++c) {
            sums[c] += share * row[c];
        }
    }
    for (size_t c = 0; c < n; ++c) {
        along += sums[c] * v[c];
    }
    double next = fmax(0.0, fit->stiffness[at] + along / (square * square));
    double change = next - fit->stiffness[at];
    fit->stiffness[at] = next;
    if (change == 0.0) {
        return;
    }
    for (size_t r = 0; r < n; ++r) {
        double *row = fit->rest + r * n, share = change * v[r];
        for (size_t c = 0; c < n; ++c) {
            row[c] -= share * v[c];
        }
    }
}

static double rest_norm(const Fit *fit)
{
    double sum = 0.0;
    for (size_t i = 0; i < fit->size * fit->size; ++i) {
        sum += fit->rest[i] * fit->rest[i];
    }
    return sqrt(sum / (double)fit->size);
}

// Every fourth sweep is over all candidates, the others over those with a stiffness, until they
// gain little.
static void descend(Fit *fit)
{
    size_t count = STRAINS * (size_t)fit->place_count;
    double most = 0.0;
    for (size_t at = 0; at < count; ++at) {
        most = fmax(most, fit->squares[at]);
    }
    for (size_t at = 0; at < count; ++at) {
        fit->squares[at] = fit->squares[at] > RIGID * most ? fit->squares[at] : 0.0;
    }
    double last = INFINITY;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        if (sweep % CHECK == 0) {
            double now = rest_norm(fit);
            if (now > GAIN * last) {
                break;
            }
            last = now;
        }
        for (size_t at = 0; at < count; ++at) {
            if (sweep % 4 == 0 || fit->stiffness[at] > 0.0) {
                improve(fit, at);
            }
        }
    }
    double sum = 0.0;
    for (size_t at = 0; at < count; ++at) {
        sum += fit->stiffness[at] * fit->squares[at];
    }
    for (size_t at = 0; at < count; ++at) {
        if (fit->stiffness[at] * fit->squares[at] < FAINT * sum / (double)fit->size) {
            const double *v = fit->vectors + fit->size * at;
            for (size_t i = 0; i < fit->size * fit->size; ++i) {
                fit->rest[i] += fit->stiffness[at] * v[i / fit->size] * v[i % fit->size];
            }
            fit->stiffness[at] = 0.0;
        }
    }
    for (int sweep = 0; sweep < SETTLE; ++sweep) {
        for (size_t at = 0; at < count; ++at) {
            if (fit->stiffness[at] > 0.0) {
                improve(fit, at);
            }
        }
    }
}

static bool is_used(const Fit *fit, int place)
{
    for (int s = 0; s < STRAINS; ++s) {
        if (fit->stiffness[STRAINS * (size_t)place + (size_t)s] > 0.0) {
            return true;
        }
    }
    return false;
}

static SinewStatus keep_used(const Fit *fit, SnSamples *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int used = 0, index = 0;
    for (int p = 0; p < fit->place_count; ++p) {
        used += is_used(fit, p);
    }
    SN_TRY(sn_samples_create(used, fit->def->frame_count, true, fit->allocator, out, error));
    for (int p = 0; p < fit->place_count; ++p) {
        if (!is_used(fit, p)) {
            continue;
        }
        sn_samples_put(out, index, fit->def->grid, fit->def->weights, fit->places[p]);
        for (int s = 0; s < STRAINS; ++s) {
            size_t at = STRAINS * (size_t)p + (size_t)s;
            const double *a = fit->strains + 6 * at;
            for (int i = 0; i < 36; ++i) {
                out->stiffness[36 * (size_t)index + (size_t)i] +=
                    fit->stiffness[at] * a[i / 6] * a[i % 6];
            }
        }
        index += 1;
    }

done:
    return status;
}

// K of the samples: what was sought without what is left of it, K - L rest L^T.
static void find_fitted(const Fit *fit, double *out)
{
    size_t n = fit->size;
    memcpy(out, fit->def->K, n * n * sizeof *out);
    for (size_t r = 0; r < n; ++r) {
        double *left = fit->row; // row r of L rest
        memset(left, 0, n * sizeof *left);
        for (size_t i = 0; i < (r + 1) * n; ++i) {
            left[i % n] += fit->L[r * n + i / n] * fit->rest[i];
        }
        for (size_t c = 0; c < n; ++c) {
            for (size_t k = 0; k <= c; ++k) {
                out[r * n + c] -= left[k] * fit->L[c * n + k];
            }
        }
    }
}

static SinewStatus tell(const Fit *fit, SnFitReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *fitted = NULL;
    SN_ALLOC(fitted, fit->allocator, fit->size * fit->size, error);
    find_fitted(fit, fitted);
    SN_TRY(sn_compliance_compare(fitted, fit->def->K, fit->def->frame_count, fit->allocator,
                                 &out_report->ratio, error));
    out_report->error = rest_norm(fit);

done:
    sn_free(fit->allocator, fitted);
    return status;
}

SinewStatus sn_fit_samples(const SnFitDef *def, SnSamples *out_samples, SnFitReport *out_report,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Fit fit = {
        .def = def, .allocator = def->model->allocator, .size = 6 * (size_t)def->frame_count};

    *out_report = (SnFitReport){0};
    SN_TRY(sn_frames_spread(def->grid, PLACES_PER_FRAME * def->frame_count, fit.allocator,
                            &fit.place_count, &fit.places, error));
    SN_TRY(make_target(&fit, error));
    SN_TRY(make_candidates(&fit, error));
    descend(&fit);
    SN_TRY(tell(&fit, out_report, error));
    SN_TRY(keep_used(&fit, out_samples, error));

done:
    sn_samples_release(&fit.samples, fit.allocator);
    sn_free(fit.allocator, fit.places);
    sn_free(fit.allocator, fit.strains);
    sn_free(fit.allocator, fit.vectors);
    sn_free(fit.allocator, fit.squares);
    sn_free(fit.allocator, fit.stiffness);
    sn_free(fit.allocator, fit.L);
    sn_free(fit.allocator, fit.rest);
    sn_free(fit.allocator, fit.row);
    return status;
}
