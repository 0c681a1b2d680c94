#include "model/frames/cubature.h"

#include "model/frames/dense.h"
#include "model/frames/linear_blend.h"

#include <math.h>
#include <string.h>

enum {
    CELLS_PER_FRAME = 24, // candidates
    STRAINS = 6,          // that a cell's matrix is made of
    SWEEPS = 400,         // of coordinate descent
    MATERIALS_MAX = 256   // whose volume is kept; of more, the volume of all
};

// Of the identity: what makes motions that no cell feels definite.
#define LEAST 1e-6

// How much more a share of volume that is off counts than the same share of the matrix.
#define KEEP_VOLUME 1e3

// Cells with less than this share of the mean volume are dropped.
#define FAINT 1e-3

typedef struct Thin {
    const SnCubatureDef *def;
    size_t size;    // numbers of all frames
    int count;      // candidates
    int *cells;     //
    double *scales; // a number of the frames: one over the root of the matrix's diagonal
    double *L;      // size^2: factor of the scaled matrix of all cells
    double *rows;   // STRAINS rows of `size` a candidate, L^-1 of what its strains feel
    double *gram;   // count^2
    double *right;  // count
    double *volumes;
} Thin;

// How the six strains of a cell at rest answer the frames' numbers, times the root of its
// stiffness.
static void find_rows(const SnSamples *all, int s, double *rows, size_t size)
{
    static const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    const SnLaw *law = &all->table[all->materials[s]].law;
    const double *X = all->X + 3 * (size_t)s;
    double volume = all->volumes[s], shear = sqrt(volume * law->mu);
    // C = 2 mu (I - J / 3) + (2 mu + 3 lambda) J / 3, whose root is of the same form.
    double root = sqrt(volume * 2.0 * law->mu);
    double mean = (sqrt(volume * fmax(2.0 * law->mu + 3.0 * law->lambda, 0.0)) - root) / 3.0;
    memset(rows, 0, STRAINS * size * sizeof *rows);
    for (int i = 0; i < all->frame_count; ++i) {
        const double *u =
            all->weights + SN_BLEND_WEIGHTS * ((size_t)s * (size_t)all->frame_count + (size_t)i);
        for (int n = 0; n < 12; ++n) { // row k of F answers number c of any row r
            int k = n / 4, c = n % 4;
            double beta = u[1 + k] * (c < 3 ? X[c] : 1.0) + (c == k ? u[0] : 0.0);
            for (int e = 0; e < STRAINS; ++e) {
                double *row = rows + (size_t)e * size + SN_LINEAR * (size_t)i;
                if (e < 3) {
                    row[sn_linear_at(k, c)] += (mean + (e == k ? root : 0.0)) * beta;
                } else {
                    row[sn_linear_at(first[e], c)] += k == second[e] ? shear * beta : 0.0;
                    row[sn_linear_at(second[e], c)] += k == first[e] ? shear * beta : 0.0;
                }
            }
        }
    }
}

// The matrix of all cells, lower triangle; then scaled and factored.
static bool factor_all(Thin *thin, double *rows)
{
    const SnSamples *all = thin->def->all;
    size_t n = thin->size;
    memset(thin->L, 0, n * n * sizeof *thin->L);
    for (int s = 0; s < all->count; ++s) {
        find_rows(all, s, rows, n);
        for (size_t r = 0; r < n; ++r) {
            double *out = thin->L + r * n;
            for (size_t e = 0; e < STRAINS; ++e) {
                const double *row = rows + e * n;
                double share = row[r];
                for (size_t c = 0; c <= r && share != 0.0; ++c) {
                    out[c] += share * row[c];
                }
            }
        }
    }
    for (size_t r = 0; r < n; ++r) {
        double diagonal = thin->L[r * n + r];
        thin->scales[r] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0;
    }
    for (size_t i = 0; i < n * n; ++i) {
        thin->L[i] *= thin->scales[i / n] * thin->scales[i % n];
        thin->L[i] += i / n == i % n ? LEAST : 0.0;
    }
    return sn_dense_factor(thin->L, (int)n);
}

static void whiten(const Thin *thin, double *rows)
{
    for (size_t e = 0; e < STRAINS; ++e) {
        double *row = rows + e * thin->size;
        for (size_t i = 0; i < thin->size; ++i) {
            row[i] *= thin->scales[i];
        }
        sn_dense_forward(thin->L, (int)thin->size, row);
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sums[4] = {0.0};
    for (size_t i = 0; i + 4 <= count; i += 4) { // numbers of a frame are a multiple of four
        for (size_t k = 0; k < 4; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Products of the candidates' matrices with each other and with that of all, which is the identity.
static void find_products(Thin *thin)
{
    size_t n = thin->size, count = (size_t)thin->count;
    for (size_t a = 0; a < count; ++a) {
        const double *A = thin->rows + STRAINS * n * a;
        for (size_t b = 0; b <= a; ++b) {
            const double *B = thin->rows + STRAINS * n * b;
            double sum = 0.0;
            for (size_t e = 0; e < STRAINS * STRAINS; ++e) {
                double product = dot(A + e / STRAINS * n, B + e % STRAINS * n, n);
                sum += product * product;
            }
            thin->gram[a * count + b] = thin->gram[b * count + a] = sum;
        }
        thin->right[a] = 0.0;
        for (size_t e = 0; e < STRAINS; ++e) {
            thin->right[a] += dot(A + e * n, A + e * n, n);
        }
    }
}

// A material that volumes are kept of.
static int kept_material(const Thin *thin, int cell)
{
    int material = thin->def->all->materials[cell];
    return material < MATERIALS_MAX ? material : 0;
}

// Adds the squares of what is off in each material's volume. Multiples of cells are what is sought,
// and a cell's volume is what its multiple one has.
static void keep_volumes(Thin *thin)
{
    const SnSamples *all = thin->def->all;
    size_t count = (size_t)thin->count;
    double totals[MATERIALS_MAX] = {0.0};
    for (int s = 0; s < all->count; ++s) {
        totals[kept_material(thin, s)] += all->volumes[s];
    }
    for (size_t a = 0; a < count; ++a) {
        int material = kept_material(thin, thin->cells[a]);
        double share = all->volumes[thin->cells[a]] / totals[material];
        for (size_t b = 0; b < count; ++b) {
            if (kept_material(thin, thin->cells[b]) == material) {
                double other = all->volumes[thin->cells[b]] / totals[material];
                thin->gram[a * count + b] += KEEP_VOLUME * (double)thin->size * share * other;
            }
        }
        thin->right[a] += KEEP_VOLUME * (double)thin->size * share;
    }
}

// Coordinate descent from an even start.
static void descend(Thin *thin)
{
    size_t count = (size_t)thin->count;
    for (size_t a = 0; a < count; ++a) {
        thin->volumes[a] = (double)thin->def->all->count / (double)count;
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (size_t a = 0; a < count; ++a) {
            const double *row = thin->gram + a * count;
            double slope = thin->right[a];
            for (size_t b = 0; b < count; ++b) {
                slope -= row[b] * thin->volumes[b];
            }
            double next = thin->volumes[a] + slope / row[a];
            thin->volumes[a] = next > 0.0 && row[a] > 0.0 ? next : 0.0;
        }
    }
}

// Volumes to the last digit what they should be, and faint cells dropped.
static int finish(Thin *thin)
{
    const SnSamples *all = thin->def->all;
    double totals[MATERIALS_MAX] = {0.0}, found[MATERIALS_MAX] = {0.0};
    double least = FAINT * all->count / thin->count;
    int used = 0;
    for (int s = 0; s < all->count; ++s) {
        totals[kept_material(thin, s)] += all->volumes[s];
    }
    for (int a = 0; a < thin->count; ++a) {
        thin->volumes[a] = thin->volumes[a] > least ? thin->volumes[a] : 0.0;
        used += thin->volumes[a] > 0.0;
        found[kept_material(thin, thin->cells[a])] +=
            thin->volumes[a] * all->volumes[thin->cells[a]];
    }
    for (int a = 0; a < thin->count; ++a) {
        int material = kept_material(thin, thin->cells[a]);
        thin->volumes[a] *= found[material] > 0.0 ? totals[material] / found[material] : 0.0;
    }
    return used;
}

// The root of the mean square of what is left: |I - sum|^2 = n - 2 right . v + v . gram v, and the
// part of each material's volume that is kept.
static double error_of(const Thin *thin)
{
    size_t count = (size_t)thin->count;
    bool seen[MATERIALS_MAX] = {false};
    double sum = (double)thin->size;
    for (size_t a = 0; a < count; ++a) {
        int material = kept_material(thin, thin->cells[a]);
        sum += seen[material] ? 0.0 : KEEP_VOLUME * (double)thin->size;
        seen[material] = true;
    }
    for (size_t a = 0; a < count; ++a) {
        double row = 0.0;
        for (size_t b = 0; b < count; ++b) {
            row += thin->gram[a * count + b] * thin->volumes[b];
        }
        sum += thin->volumes[a] * (row - 2.0 * thin->right[a]);
    }
    return sqrt(fmax(sum, 0.0) / (double)thin->size);
}

static SinewStatus take(const Thin *thin, int used, SnSamples *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnCubatureDef *def = thin->def;
    const double middle[3] = {0.0, 0.0, 0.0};
    int index = 0;
    SN_TRY(sn_samples_create(used, def->all->frame_count, false, def->allocator, out, error));
    out->table = def->all->table;
    out->is_affine = def->all->is_affine;
    for (int a = 0; a < thin->count; ++a) {
        int cell = thin->cells[a];
        if (thin->volumes[a] > 0.0) {
            sn_samples_put(out, index, def->grid, def->weights, cell, middle);
            out->volumes[index] = thin->volumes[a] * def->all->volumes[cell];
            out->materials[index++] = def->all->materials[cell];
        }
    }

done:
    return status;
}

SinewStatus sn_cubature_thin(const SnCubatureDef *def, SnSamples *out_samples, double *out_error,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->allocator;
    size_t n = SN_LINEAR * (size_t)def->all->frame_count;
    int most = CELLS_PER_FRAME * def->all->frame_count;
    Thin thin = {.def = def, .size = n};
    double *rows = NULL;

    *out_error = 0.0;
    if (def->all->count <= most) {
        return SINEW_OK;
    }
    SN_TRY(sn_frames_grid_spread(def->grid, most, allocator, &thin.count, &thin.cells, error));
    size_t count = (size_t)thin.count;
    SN_ALLOC(rows, allocator, STRAINS * n, error);
    SN_ALLOC(thin.scales, allocator, n, error);
    SN_ALLOC(thin.L, allocator, n * n, error);
    SN_ALLOC(thin.rows, allocator, STRAINS * n * count, error);
    SN_ALLOC(thin.gram, allocator, count * count, error);
    SN_ALLOC(thin.right, allocator, count, error);
    SN_ALLOC(thin.volumes, allocator, count, error);
    if (factor_all(&thin, rows)) {
        for (size_t a = 0; a < count; ++a) {
            find_rows(def->all, thin.cells[a], thin.rows + STRAINS * n * a, n);
            whiten(&thin, thin.rows + STRAINS * n * a);
        }
        find_products(&thin);
        keep_volumes(&thin);
        descend(&thin);
        int used = finish(&thin);
        *out_error = error_of(&thin);
        SN_TRY(take(&thin, used, out_samples, error));
    }

done:
    sn_free(allocator, rows);
    sn_free(allocator, thin.cells);
    sn_free(allocator, thin.scales);
    sn_free(allocator, thin.L);
    sn_free(allocator, thin.rows);
    sn_free(allocator, thin.gram);
    sn_free(allocator, thin.right);
    sn_free(allocator, thin.volumes);
    return status;
}
