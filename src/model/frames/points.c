#include "model/frames/points.h"

#include "model/frames/linear_blend.h"

#include <math.h>
#include <string.h>

SinewStatus sn_frame_points_create(int count, int frame_count, bool is_affine,
                                   const SinewAllocator *allocator, SnFramePoints *points,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t n = (size_t)count;
    *points = (SnFramePoints){.count = count, .frame_count = frame_count, .is_affine = is_affine};
    SN_ALLOC_ZERO(points->X, allocator, 3 * n, error);
    SN_ALLOC_ZERO(points->weights, allocator, n * (size_t)frame_count, error);
    SN_ALLOC_ZERO(points->distances, allocator, n, error);
    SN_ALLOC_ZERO(points->places, allocator, 3 * n, error);
    SN_ALLOC_ZERO(points->forces, allocator, n, error);

done:
    return status;
}

void sn_frame_points_release(SnFramePoints *points, const SinewAllocator *allocator)
{
    sn_free(allocator, points->X);
    sn_free(allocator, points->weights);
    sn_free(allocator, points->distances);
    sn_free(allocator, points->places);
    sn_free(allocator, points->forces);
    sn_free(allocator, points->group_X);
    sn_free(allocator, points->group_weights);
    sn_free(allocator, points->group_x);
    sn_free(allocator, points->group_forces);
    sn_free(allocator, points->group_stiffness);
    *points = (SnFramePoints){0};
}

void sn_frame_points_put(SnFramePoints *points, int index, const SnFramesGrid *grid,
                         const double *weights, const double X[3])
{
    size_t frames = (size_t)points->frame_count;
    double shares[8], *row = points->weights + frames * (size_t)index;
    int cell = sn_frames_grid_locate(grid, X, shares, &points->distances[index]);
    const int *corners = grid->cubes.mesh->hexes + 8 * (size_t)cell;
    for (int k = 0; k < 3; ++k) {
        points->X[3 * index + k] = X[k] - grid->center[k];
    }
    memset(row, 0, frames * sizeof *row);
    for (int c = 0; c < 8; ++c) {
        const double *of = weights + frames * (size_t)corners[c];
        for (size_t i = 0; i < frames; ++i) {
            row[i] += shares[c] * of[i];
        }
    }
}

void sn_frame_points_copy(const SnFramePoints *from, int index, SnFramePoints *to, int place)
{
    size_t frames = (size_t)to->frame_count, source = (size_t)index, target = (size_t)place;
    memcpy(to->X + 3 * target, from->X + 3 * source, 3 * sizeof *to->X);
    memcpy(to->weights + frames * target, from->weights + frames * source,
           frames * sizeof *to->weights);
    to->distances[target] = from->distances[source];
}

static void gather(const SnFramePoints *points, const double *frames, int p, double z[8])
{
    const double *row = points->weights + (size_t)points->frame_count * (size_t)p;
    memset(z, 0, 8 * sizeof *z);
    for (int i = 0; i < points->frame_count; ++i) {
        for (int c = 0; c < 8; ++c) {
            z[c] += row[i] * frames[8 * i + c];
        }
    }
}

SinewStatus sn_frame_points_pack(SnFramePoints *points, const SinewAllocator *allocator,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t groups = (size_t)sn_samples_groups(points->count), frames = (size_t)points->frame_count;
    size_t numbers = SN_FRAMES_GROUP * groups;

    if (points->is_affine) {
        return SINEW_OK; // no kernels
    }
    SN_ALLOC_ZERO(points->group_X, allocator, 3 * numbers, error);
    SN_ALLOC_ZERO(points->group_weights, allocator, frames * numbers, error);
    SN_ALLOC_ZERO(points->group_x, allocator, 3 * numbers, error);
    SN_ALLOC_ZERO(points->group_forces, allocator, 3 * numbers, error);
    SN_ALLOC_ZERO(points->group_stiffness, allocator, 6 * numbers, error);
    for (size_t n = 0; points->count > 0 && n < numbers; ++n) {
        size_t group = n / SN_FRAMES_GROUP, lane = n % SN_FRAMES_GROUP;
        size_t p = n < (size_t)points->count ? n : (size_t)points->count - 1;
        for (size_t k = 0; k < 3; ++k) {
            points->group_X[(3 * group + k) * SN_FRAMES_GROUP + lane] = points->X[3 * p + k];
        }
        for (size_t i = 0; i < frames; ++i) {
            points->group_weights[(frames * group + i) * SN_FRAMES_GROUP + lane] =
                points->weights[frames * p + i];
        }
    }

done:
    return status;
}

static SnFramesPoints batch_of(const SnFramePoints *points, const double *frames)
{
    return (SnFramesPoints){.frame_count = points->frame_count,
                            .frames = frames,
                            .X = points->group_X,
                            .weights = points->group_weights,
                            .x = points->group_x,
                            .forces = points->group_forces,
                            .stiffness = points->group_stiffness};
}

static int last_point(const SnFramePoints *points, int groups)
{
    return groups * SN_FRAMES_GROUP < points->count ? groups * SN_FRAMES_GROUP : points->count;
}

void sn_frame_points_place(const SnFramePoints *points, const SnKernels *kernels,
                           const double *frames, int begin, int end, double *out_x)
{
    SnFramesPoints batch = batch_of(points, frames);
    int last = last_point(points, end);
    if (points->is_affine) {
        sn_linear_place(points, frames, begin * SN_FRAMES_GROUP, last, out_x);
        return;
    }
    kernels->frames->place(&batch, begin, end);
    for (int p = begin * SN_FRAMES_GROUP; p < last; ++p) {
        const double *x = points->group_x + 3 * (size_t)(p / SN_FRAMES_GROUP) * SN_FRAMES_GROUP +
                          p % SN_FRAMES_GROUP;
        for (int k = 0; k < 3; ++k) {
            out_x[3 * (size_t)p + (size_t)k] = x[k * SN_FRAMES_GROUP];
        }
    }
}

void sn_frame_points_speed(const SnFramePoints *points, const double *frames, const double *rates,
                           double *out_v)
{
    if (points->is_affine) {
        sn_linear_speed(points, rates, out_v);
        return;
    }
    for (int p = 0; p < points->count; ++p) {
        double z[8], dz[8], rows[32];
        SnBlendPoint point;
        gather(points, frames, p, z);
        gather(points, rates, p, dz);
        double *v = out_v + 3 * (size_t)p;
        if (!sn_blend_point(z, points->X + 3 * (size_t)p, &point)) {
            v[0] = v[1] = v[2] = NAN;
            continue;
        }
        sn_blend_point_rows(&point, rows);
        for (int k = 0; k < 3; ++k) {
            v[k] = 0.0;
            for (int c = 0; c < 8; ++c) {
                v[k] += rows[8 * k + c] * dz[c];
            }
        }
    }
}

// Evaluation -------------------------------------------------------------------------------------

static bool acts(const SnPointForce *force)
{
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += fabs(force->stiffness[k]) + (k < 3 ? fabs(force->force[k]) : 0.0);
    }
    return !(sum <= 0.0);
}

// Forces of a group for the kernel; false where there is none. Lanes past the last have none.
static bool pack_forces(const SnFramePoints *points, int group)
{
    static const int at[6] = {0, 4, 8, 5, 2, 1};
    double *f = points->group_forces + 3 * (size_t)group * SN_FRAMES_GROUP;
    double *K = points->group_stiffness + 6 * (size_t)group * SN_FRAMES_GROUP;
    bool any = false;
    for (int lane = 0; lane < SN_FRAMES_GROUP; ++lane) {
        int p = group * SN_FRAMES_GROUP + lane;
        bool is_there = p < points->count;
        any = any || (is_there && acts(&points->forces[p]));
        for (int k = 0; k < 6; ++k) {
            K[k * SN_FRAMES_GROUP + lane] = is_there ? points->forces[p].stiffness[at[k]] : 0.0;
            if (k < 3) {
                f[k * SN_FRAMES_GROUP + lane] = is_there ? points->forces[p].force[k] : 0.0;
            }
        }
    }
    return any;
}

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const SnFramePointsDef *def = context;
    const SnFramePoints *points = def->points;
    const SnSamplesRoom *room = def->room;
    int size = sn_samples_range(room, sn_samples_groups(points->count));
    int first = begin * SN_FRAMES_GROUP, last = last_point(points, end);
    double *part = room->parts + (size_t)(begin / size) * room->part_size;
    SnFramesPoints batch = batch_of(points, def->frames);
    (void)worker;
    sn_samples_clear(room, def->hessian, part);
    sn_frame_points_place(points, def->kernels, def->frames, begin, end, points->places);
    for (int k = 3 * first; k < 3 * last; ++k) {
        if (!isfinite(points->places[k])) {
            part[0] = INFINITY;
            return;
        }
    }
    def->evaluate(def->context, first, last, points->places, points->forces + first);
    for (int p = first; p < last; ++p) {
        part[0] += points->forces[p].energy;
    }
    batch.gradient = part + room->gradient;
    batch.blocks = def->hessian ? part + room->blocks : NULL;
    batch.curved = def->curvature;
    for (int p = first; points->is_affine && p < last; ++p) {
        if (acts(&points->forces[p])) {
            sn_linear_push(points, p, room, def->hessian, part);
        }
    }
    for (int group = begin; !points->is_affine && group < end; ++group) {
        if (pack_forces(points, group)) {
            def->kernels->frames->push(&batch, group, group + 1);
        }
    }
}

double sn_frame_points_evaluate(const SnFramePointsDef *def, double *gradient, double *matrix,
                                double *blocks)
{
    const SnFramePoints *points = def->points;
    SnFramePointsDef copy = *def;
    int groups = sn_samples_groups(points->count);
    int size = sn_samples_range(def->room, groups);
    double energy = 0.0;
    sn_parallel_for(def->workers, groups, size, evaluate_range, &copy);
    for (int r = 0; r * size < groups; ++r) {
        // Rigid frames have all of it in the blocks.
        bool whole = def->hessian && points->is_affine;
        energy += sn_samples_collect(def->room, def->room->parts + (size_t)r * def->room->part_size,
                                     gradient, whole ? matrix : NULL, def->hessian ? blocks : NULL);
    }
    return isfinite(energy) ? energy : INFINITY;
}
