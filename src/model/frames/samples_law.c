// Samples one after the other: any law, and the whole Hessian of those that kernels have but a part
// of.
#include "model/frames/samples.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

// Strains of D as six numbers; where they are in D.
static const int first_of[6] = {0, 4, 8, 5, 2, 1}, second_of[6] = {0, 4, 8, 7, 6, 3};

static void strains_of(const double D[9], double out[6])
{
    for (int i = 0; i < 6; ++i) {
        out[i] = i < 3 ? D[first_of[i]] - 1.0 : D[first_of[i]] + D[second_of[i]];
    }
}

// Energy and its gradient by D.
static double stress_of(const SnSamples *samples, int s, const double D[9], double G[9])
{
    if (samples->stiffness == NULL) {
        const SnLaw *law = &samples->table[samples->materials[s]].law;
        double energy = samples->volumes[s] * sn_law_energy_stress(law, D, G);
        for (int i = 0; i < 9; ++i) {
            G[i] *= samples->volumes[s];
        }
        return energy;
    }
    const double *C = samples->stiffness + 36 * (size_t)s;
    double e[6], energy = 0.0;
    strains_of(D, e);
    for (int i = 0; i < 6; ++i) {
        double stress = 0.0;
        for (int j = 0; j < 6; ++j) {
            stress += C[6 * i + j] * e[j];
        }
        energy += 0.5 * stress * e[i];
        G[first_of[i]] = G[second_of[i]] = stress;
    }
    return energy;
}

// Second derivative of the energy by D, 9x9.
static void stiffness_of(const SnSamples *samples, int s, const double D[9], double H[81])
{
    if (samples->stiffness == NULL) {
        sn_law_hessian(&samples->table[samples->materials[s]].law, D, H);
        for (int i = 0; i < 81; ++i) {
            H[i] *= samples->volumes[s];
        }
        return;
    }
    const double *C = samples->stiffness + 36 * (size_t)s;
    for (int n = 0; n < 36; ++n) {
        int i = n / 6, j = n % 6;
        H[9 * first_of[i] + first_of[j]] = H[9 * first_of[i] + second_of[j]] =
            H[9 * second_of[i] + first_of[j]] = H[9 * second_of[i] + second_of[j]] = C[n];
    }
}

// Frames that a sample feels, and what the Hessian needs of them.
typedef struct Felt {
    int frame;
    const double *u;
    double rows[72];   // d D / d (q, s), nine rows of eight
    double pushed[72]; // H times that
    double T[64];
} Felt;

enum { FELT_MAX = 64 };

static void feel(const SnBlendTangent *tangent, const double *H, const double *G, bool geometric,
                 Felt *felt)
{
    double rows[96];
    sn_blend_rows(tangent, felt->u, rows);
    for (int k = 0; k < 3; ++k) {
        for (int r = 0; r < 3; ++r) {
            memcpy(felt->rows + 8 * (3 * r + k), rows + 32 * k + 8 * r, 8 * sizeof *rows);
        }
    }
    for (int r = 0; r < 9; ++r) {
        double sum[8] = {0.0};
        for (int k = 0; k < 9; ++k) {
            for (int c = 0; c < 8; ++c) {
                sum[c] += H[9 * r + k] * felt->rows[8 * k + c];
            }
        }
        memcpy(felt->pushed + 8 * r, sum, sizeof sum);
    }
    if (geometric) {
        sn_blend_curve(tangent, G, felt->u, rows, felt->T);
    } else {
        memset(felt->T, 0, sizeof felt->T);
    }
}

static void add_block(const Felt *a, const Felt *b, double *block)
{
    for (int r = 0; r < 8; ++r) {
        double sum[8];
        for (int c = 0; c < 8; ++c) {
            sum[c] = -(a->u[0] * b->T[8 * r + c] + b->u[0] * a->T[8 * c + r]);
        }
        for (int k = 0; k < 9; ++k) {
            double left = a->rows[8 * k + r];
            for (int c = 0; c < 8; ++c) {
                sum[c] += left * b->pushed[8 * k + c];
            }
        }
        for (int c = 0; c < 8; ++c) {
            block[SN_FRAMES_GROUP * (8 * r + c)] += sum[c];
        }
    }
}

static void add_hessian(const SnSamplesDef *def, int s, const SnBlend *blend, const double G[9],
                        double *blocks)
{
    const SnSamples *samples = def->samples;
    const double *weights =
        samples->weights + SN_BLEND_WEIGHTS * (size_t)s * (size_t)samples->frame_count;
    SnBlendTangent tangent;
    Felt felt[FELT_MAX];
    double H[81];
    int count = 0;
    sn_blend_tangent(blend, &tangent);
    stiffness_of(samples, s, blend->D, H);
    for (int i = 0; i < samples->frame_count; ++i) {
        const double *u = weights + SN_BLEND_WEIGHTS * i;
        if (u[0] != 0.0 || u[1] != 0.0 || u[2] != 0.0 || u[3] != 0.0) {
            felt[count].frame = i;
            felt[count].u = u;
            feel(&tangent, H, G, def->geometric, &felt[count]);
            count += 1;
        }
    }
    for (int a = 0; a < count; ++a) {
        for (int b = a; b < count; ++b) {
            add_block(&felt[a], &felt[b],
                      blocks + SN_FRAMES_GROUP * sn_samples_block(samples->frame_count,
                                                                  felt[a].frame, felt[b].frame));
        }
    }
}

// Samples of the groups [begin, end), one by one; sums are kept in the first lane.
void sn_samples_by_laws(const SnSamplesDef *def, int begin, int end, double *part)
{
    const SnSamples *samples = def->samples;
    size_t frames = (size_t)samples->frame_count;
    double *gradient = part + def->room->gradient;
    int last = sn_samples_last(samples, end);
    for (int s = begin * SN_FRAMES_GROUP; s < last; ++s) {
        const double *weights = samples->weights + SN_BLEND_WEIGHTS * frames * (size_t)s;
        double z[32], G[9], g[32];
        SnBlend blend;
        sn_blend_gather(def->frames, samples->frame_count, weights, z);
        if (!sn_blend_make(z, samples->X + 3 * (size_t)s, &blend)) {
            part[0] = INFINITY;
            def->room->dets[s] = 0.0;
            continue;
        }
        def->room->dets[s] = sn_mat3_determinant(blend.D);
        part[0] += stress_of(samples, s, blend.D, G);
        sn_blend_reverse(&blend, G, g);
        for (size_t n = 0; n < 8 * frames; ++n) {
            const double *u = weights + SN_BLEND_WEIGHTS * (n / 8);
            size_t c = n % 8;
            gradient[SN_FRAMES_GROUP * n] +=
                u[0] * g[c] + u[1] * g[8 + c] + u[2] * g[16 + c] + u[3] * g[24 + c];
        }
        if (def->hessian) {
            add_hessian(def, s, &blend, G, part + def->room->blocks);
        }
    }
}
