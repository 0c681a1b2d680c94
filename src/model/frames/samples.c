#include "model/frames/samples.h"

#include "math/mat3.h"
#include "model/frames/linear_blend.h"

#include <math.h>
#include <string.h>

void sn_samples_release(SnSamples *samples, const SinewAllocator *allocator)
{
    sn_free(allocator, samples->X);
    sn_free(allocator, samples->weights);
    sn_free(allocator, samples->cells);
    sn_free(allocator, samples->stiffness);
    sn_free(allocator, samples->volumes);
    sn_free(allocator, samples->materials);
    sn_free(allocator, samples->group_X);
    sn_free(allocator, samples->group_weights);
    sn_free(allocator, samples->group_roots);
    *samples = (SnSamples){0};
}

SinewStatus sn_samples_create(int count, int frame_count, bool fitted,
                              const SinewAllocator *allocator, SnSamples *samples,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t n = (size_t)count;
    *samples = (SnSamples){.count = count, .frame_count = frame_count};
    SN_ALLOC_ZERO(samples->X, allocator, 3 * n, error);
    SN_ALLOC_ZERO(samples->weights, allocator, SN_BLEND_WEIGHTS * n * (size_t)frame_count, error);
    SN_ALLOC_ZERO(samples->cells, allocator, n, error);
    if (fitted) {
        SN_ALLOC_ZERO(samples->stiffness, allocator, 36 * n, error);
    } else {
        SN_ALLOC_ZERO(samples->volumes, allocator, n, error);
        SN_ALLOC_ZERO(samples->materials, allocator, n, error);
    }

done:
    return status;
}

void sn_samples_put(SnSamples *samples, int index, const SnFramesGrid *grid, const double *weights,
                    int cell, const double at[3])
{
    const int *corners = grid->cubes.mesh->hexes + 8 * (size_t)cell;
    size_t frames = (size_t)samples->frame_count;
    double *X = samples->X + 3 * (size_t)index;
    double shapes[8], slopes[24];
    sn_frames_grid_shapes(grid, at, shapes, slopes);
    for (int k = 0; k < 3; ++k) {
        X[k] = -grid->center[k];
        for (int c = 0; c < 8; ++c) {
            X[k] += shapes[c] * grid->cubes.mesh->positions[3 * corners[c] + k];
        }
    }
    samples->cells[index] = cell;
    for (size_t i = 0; i < frames; ++i) {
        double *u = samples->weights + SN_BLEND_WEIGHTS * (frames * (size_t)index + i);
        memset(u, 0, SN_BLEND_WEIGHTS * sizeof *u);
        for (int c = 0; c < 8; ++c) {
            double w = weights[frames * (size_t)corners[c] + i];
            u[0] += shapes[c] * w;
            for (int k = 0; k < 3; ++k) {
                u[1 + k] += slopes[3 * c + k] * w;
            }
        }
    }
}

SinewStatus sn_samples_fill(const SnModelDef *def, const SnFramesGrid *grid, int frame_count,
                            const double *weights, const SnMaterial *table, SnSamples *samples,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = grid->cubes.mesh->hex_count;
    double edge = grid->cubes.edge;
    const double middle[3] = {0.0, 0.0, 0.0};
    SN_TRY(sn_samples_create(count, frame_count, false, def->allocator, samples, error));
    samples->table = table;
    for (int e = 0; e < count; ++e) {
        sn_samples_put(samples, e, grid, weights, e, middle);
        samples->volumes[e] = edge * edge * edge * sn_frames_grid_stiffness(grid, e);
        samples->materials[e] = grid->materials[e];
    }

done:
    return status;
}

// Groups -----------------------------------------------------------------------------------------

// C = R^T R of a semi-definite matrix, R upper triangular, row by row. Rows of no stiffness are
// zero.
static void root_of(const double C[36], double root[SN_FRAMES_ROOT])
{
    double R[36] = {0.0}, most = 0.0;
    int at = 0;
    for (int i = 0; i < 6; ++i) {
        most = fmax(most, C[7 * i]);
    }
    for (int r = 0; r < 6; ++r) {
        double pivot = C[7 * r];
        for (int k = 0; k < r; ++k) {
            pivot -= R[6 * k + r] * R[6 * k + r];
        }
        bool any = pivot > 1e-13 * most;
        for (int c = r; c < 6 && any; ++c) {
            double sum = C[6 * r + c];
            for (int k = 0; k < r; ++k) {
                sum -= R[6 * k + r] * R[6 * k + c];
            }
            R[6 * r + c] = sum / sqrt(pivot);
        }
        for (int c = r; c < 6; ++c) {
            root[at++] = R[6 * r + c];
        }
    }
}

// The stiffness of a sample by its six strains.
static void stiffness_at(const SnSamples *samples, int s, double C[36])
{
    if (samples->stiffness != NULL) {
        memcpy(C, samples->stiffness + 36 * (size_t)s, 36 * sizeof *C);
        return;
    }
    const SnLaw *law = &samples->table[samples->materials[s]].law;
    for (int n = 0; n < 36; ++n) {
        int i = n / 6, j = n % 6;
        double lame = i < 3 && j < 3 ? law->lambda : 0.0;
        double shear = i == j ? (i < 3 ? 2.0 : 1.0) * law->mu : 0.0;
        C[n] = samples->volumes[s] * (lame + shear);
    }
}

static bool kernels_know(const SnSamples *samples)
{
    for (int s = 0; samples->stiffness == NULL && s < samples->count; ++s) {
        if (samples->table[samples->materials[s]].law.kind != SN_LAW_SVK) {
            return false;
        }
    }
    return true;
}

SinewStatus sn_samples_pack(SnSamples *samples, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t groups = (size_t)sn_samples_groups(samples->count),
           frames = (size_t)samples->frame_count;
    size_t width = SN_BLEND_WEIGHTS * frames;

    if (samples->is_affine || !kernels_know(samples) || samples->count == 0) {
        return SINEW_OK;
    }
    SN_ALLOC_ZERO(samples->group_X, allocator, 3 * SN_FRAMES_GROUP * groups, error);
    SN_ALLOC_ZERO(samples->group_weights, allocator, width * SN_FRAMES_GROUP * groups, error);
    SN_ALLOC_ZERO(samples->group_roots, allocator, SN_FRAMES_ROOT * SN_FRAMES_GROUP * groups,
                  error);
    for (size_t n = 0; n < SN_FRAMES_GROUP * groups; ++n) {
        size_t group = n / SN_FRAMES_GROUP, lane = n % SN_FRAMES_GROUP;
        size_t s = n < (size_t)samples->count ? n : (size_t)samples->count - 1;
        double C[36], root[SN_FRAMES_ROOT];
        stiffness_at(samples, (int)s, C);
        root_of(C, root);
        for (size_t k = 0; k < 3; ++k) {
            samples->group_X[(3 * group + k) * SN_FRAMES_GROUP + lane] = samples->X[3 * s + k];
        }
        for (size_t k = 0; k < width; ++k) {
            samples->group_weights[(width * group + k) * SN_FRAMES_GROUP + lane] =
                samples->weights[width * s + k];
        }
        for (size_t k = 0; k < SN_FRAMES_ROOT && s == n; ++k) {
            samples->group_roots[(SN_FRAMES_ROOT * group + k) * SN_FRAMES_GROUP + lane] = root[k];
        }
    }

done:
    return status;
}

// Room -------------------------------------------------------------------------------------------

static size_t block_count(int frame_count)
{
    return sn_samples_block(frame_count, frame_count, frame_count);
}

static void size_room(SnSamplesRoom *room, size_t frames, bool is_affine)
{
    size_t lanes = is_affine ? 1 : SN_FRAMES_GROUP;
    room->is_affine = is_affine;
    room->gradient_count = (is_affine ? SN_LINEAR : SN_FRAME_BLEND) * frames;
    room->dofs = (is_affine ? SN_LINEAR : SN_FRAME_DOFS) * frames;
    room->block_count = is_affine ? 0 : block_count((int)frames);
    room->gradient = lanes;
    room->matrix = room->gradient + lanes * room->gradient_count;
    room->blocks = room->matrix + (is_affine ? sn_linear_blocks((int)frames)
                                             : lanes * room->dofs * (room->dofs + 1) / 2);
    room->scratch = room->blocks + lanes * room->block_count;
    // Parts are as aligned as the first.
    size_t scratch = is_affine ? sn_linear_scratch((int)frames) : SN_FRAMES_GROUP * 100 * frames;
    room->part_size = sn_round_up(room->scratch + scratch, SN_FRAMES_GROUP);
}

// At most so many doubles in all parts, so that many frames take fewer ranges.
#define PARTS_MOST ((size_t)1 << 23)

SinewStatus sn_samples_room_create(const SnSamples *samples, const SinewAllocator *allocator,
                                   SnSamplesRoom *room, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_room(room, (size_t)samples->frame_count, samples->is_affine);
    room->range_count = (int)(PARTS_MOST / room->part_size);
    room->range_count = room->range_count < 1 ? 1 : room->range_count;
    room->range_count =
        room->range_count > SN_SAMPLES_RANGES_MAX ? SN_SAMPLES_RANGES_MAX : room->range_count;
    SN_ALLOC_ZERO(room->parts, allocator, (size_t)room->range_count * room->part_size, error);
    SN_ALLOC_ZERO(room->dets, allocator, SN_FRAMES_GROUP * sn_samples_groups(samples->count),
                  error);

done:
    return status;
}

void sn_samples_room_release(SnSamplesRoom *room, const SinewAllocator *allocator)
{
    sn_free(allocator, room->parts);
    sn_free(allocator, room->dets);
    *room = (SnSamplesRoom){0};
}

int sn_samples_range(const SnSamplesRoom *room, int groups)
{
    int size = (groups + room->range_count - 1) / room->range_count;
    return size < SN_SAMPLES_GROUPS_LEAST ? SN_SAMPLES_GROUPS_LEAST : size;
}

void sn_samples_clear(const SnSamplesRoom *room, bool hessian, double *part)
{
    memset(part, 0, (hessian ? room->scratch : room->matrix) * sizeof *part);
}

static double sum_lanes(const double *group)
{
    double sum = group[0];
    for (int lane = 1; lane < SN_FRAMES_GROUP; ++lane) {
        sum += group[lane];
    }
    return sum;
}

double sn_samples_collect(const SnSamplesRoom *room, const double *part, double *gradient,
                          double *matrix, double *blocks)
{
    const size_t lanes = SN_FRAMES_GROUP;
    size_t dofs = room->dofs, n = 0;
    if (room->is_affine) {
        return sn_linear_collect(room, part, gradient, matrix);
    }
    for (size_t i = 0; i < room->gradient_count; ++i) {
        gradient[i] += sum_lanes(part + room->gradient + lanes * i);
    }
    for (size_t r = 0; matrix != NULL && r < dofs; ++r) {
        for (size_t c = 0; c <= r; ++c, ++n) {
            matrix[r * dofs + c] += sum_lanes(part + room->matrix + lanes * n);
        }
    }
    for (size_t i = 0; blocks != NULL && i < room->block_count; ++i) {
        blocks[i] += sum_lanes(part + room->blocks + lanes * i);
    }
    return sum_lanes(part);
}

// Evaluation -------------------------------------------------------------------------------------

// The kernels have the whole Hessian of linear strains, and of Green's the part that does not see
// stresses.
static bool by_kernels(const SnSamplesDef *def)
{
    bool fitted = def->samples->stiffness != NULL;
    return def->samples->group_X != NULL && (fitted || !def->hessian || !def->geometric);
}

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const SnSamplesDef *def = context;
    const SnSamples *samples = def->samples;
    const SnSamplesRoom *room = def->room;
    int size = sn_samples_range(room, sn_samples_groups(samples->count));
    double *part = room->parts + (size_t)(begin / size) * room->part_size;
    (void)worker;
    sn_samples_clear(room, def->hessian, part);
    if (samples->is_affine) {
        sn_linear_samples(def, begin, end, part);
        return;
    }
    if (!by_kernels(def)) {
        sn_samples_by_laws(def, begin, end, part);
        return;
    }
    SnFramesBatch batch = {.frame_count = samples->frame_count,
                           .frames = def->frames,
                           .jacobians = def->jacobians,
                           .X = samples->group_X,
                           .weights = samples->group_weights,
                           .roots = def->roots != NULL ? def->roots : samples->group_roots,
                           .offsets = def->offsets,
                           .green = samples->stiffness == NULL,
                           .dets = room->dets,
                           .energy = part,
                           .gradient = part + room->gradient,
                           .matrix = def->hessian ? part + room->matrix : NULL,
                           .blocks = def->hessian && def->geometric ? part + room->blocks : NULL,
                           .scratch = part + room->scratch};
    def->kernels->frames->samples(&batch, begin, end);
}

double sn_samples_evaluate(const SnSamplesDef *def, double *gradient, double *matrix,
                           double *blocks)
{
    const SnSamples *samples = def->samples;
    SnSamplesDef copy = *def;
    int groups = sn_samples_groups(samples->count);
    int size = sn_samples_range(def->room, groups);
    double energy = 0.0;
    sn_parallel_for(def->workers, groups, size, evaluate_range, &copy);
    for (int r = 0; r * size < groups; ++r) {
        energy += sn_samples_collect(def->room, def->room->parts + (size_t)r * def->room->part_size,
                                     gradient, def->hessian ? matrix : NULL,
                                     def->hessian ? blocks : NULL);
    }
    return isfinite(energy) ? energy : INFINITY;
}
