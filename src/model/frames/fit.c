#include "model/frames/fit.h"

#include "model/frames/candidates.h"
#include "model/frames/dense.h"

#include <math.h>
#include <string.h>

enum {
    SWEEPS = 400,         // at most
    CHECK = 20,           // sweeps after which it is asked whether they gained anything
    SETTLE = 40,          // sweeps among those that are left at the end
    REFINED_MAX = 1 << 14 // cubes times the square of the frames up to which eight places a cube
                          // take a few seconds at most
};

// Compliance over that of K that is good enough, and one over it; and what another fit must make of
// a worse one to be worth its samples.
#define GOOD 1.25
#define WORTH 0.95

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
    size_t size; // 6 frame_count
    SnCandidates candidates;
    size_t count;      // of them
    double *squares;   // |v|^2 a candidate
    double *stiffness; //
    double *L;         // Cholesky's factor of K + Z Z^T
    double *rest;      // size^2: target - sum stiffness v v^T
    double *row;       // size
} Fit;

// v = L^-1 b of all candidates, in place of their b.
static SinewStatus whiten(Fit *fit, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t n = fit->size;
    SN_ALLOC_ZERO(fit->squares, fit->allocator, fit->count, error);
    SN_ALLOC_ZERO(fit->stiffness, fit->allocator, fit->count, error);
    for (size_t at = 0; at < fit->count; ++at) {
        double *v = fit->candidates.rows + n * at;
        sn_dense_forward(fit->L, (int)n, v);
        for (size_t i = 0; i < n; ++i) {
            fit->squares[at] += v[i] * v[i];
        }
    }

done:
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
    const double *v = fit->candidates.rows + n * at;
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
    size_t count = fit->count;
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
            const double *v = fit->candidates.rows + fit->size * at;
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
    for (int s = 0; s < SN_CANDIDATE_STRAINS; ++s) {
        if (fit->stiffness[SN_CANDIDATE_STRAINS * (size_t)place + (size_t)s] > 0.0) {
            return true;
        }
    }
    return false;
}

static SinewStatus keep_used(const Fit *fit, SnSamples *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int used = 0, index = 0;
    for (int p = 0; p < fit->candidates.place_count; ++p) {
        used += is_used(fit, p);
    }
    SN_TRY(sn_samples_create(used, fit->def->frame_count, true, fit->allocator, out, error));
    for (int p = 0; p < fit->candidates.place_count; ++p) {
        if (!is_used(fit, p)) {
            continue;
        }
        sn_candidates_put(&fit->candidates, fit->def, p, out, index);
        for (int s = 0; s < SN_CANDIDATE_STRAINS; ++s) {
            size_t at = SN_CANDIDATE_STRAINS * (size_t)p + (size_t)s;
            const double *a = fit->candidates.strains + 6 * at;
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
    out_report->cubes = fit->candidates.cube_count;

done:
    sn_free(fit->allocator, fitted);
    return status;
}

static SinewStatus fit_with(const SnFitDef *def, int points, SnSamples *out_samples,
                            SnFitReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Fit fit = {
        .def = def, .allocator = def->model->allocator, .size = 6 * (size_t)def->frame_count};

    SN_TRY(sn_candidates_create(def, points, &fit.candidates, error));
    fit.count = SN_CANDIDATE_STRAINS * (size_t)fit.candidates.place_count;
    SN_TRY(make_target(&fit, error));
    SN_TRY(whiten(&fit, error));
    descend(&fit);
    SN_TRY(tell(&fit, out_report, error));
    SN_TRY(keep_used(&fit, out_samples, error));

done:
    sn_candidates_release(&fit.candidates, fit.allocator);
    sn_free(fit.allocator, fit.squares);
    sn_free(fit.allocator, fit.stiffness);
    sn_free(fit.allocator, fit.L);
    sn_free(fit.allocator, fit.rest);
    sn_free(fit.allocator, fit.row);
    return status;
}

// How many times too soft or too stiff.
static double badness_of(const SnFitReport *report)
{
    return fmax(report->ratio.most, 1.0 / report->ratio.least);
}

// Middles alone do for most bodies, with the fewest samples. Where they do not, eight places a cube
// see what middles are blind to, such as the twist of a bar that is two cubes thick.
SinewStatus sn_fit_samples(const SnFitDef *def, SnSamples *out_samples, SnFitReport *out_report,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    SnSamples finer = {0};
    SnFitReport report = {0};

    *out_report = (SnFitReport){0};
    SN_TRY(fit_with(def, 1, out_samples, out_report, error));
    if (badness_of(out_report) > GOOD &&
        out_report->cubes * def->frame_count * def->frame_count <= REFINED_MAX) {
        SN_TRY(fit_with(def, 8, &finer, &report, error));
        if (badness_of(&report) < WORTH * badness_of(out_report)) {
            sn_samples_release(out_samples, allocator);
            *out_samples = finer;
            *out_report = report;
            finer = (SnSamples){0};
        }
    }

done:
    sn_samples_release(&finer, allocator);
    return status;
}
