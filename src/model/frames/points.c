#include "model/frames/points.h"

#include "model/frames/linear_blend.h"

#include <math.h>
#include <string.h>

enum {
    DUE_GRAIN = 256,   // points of contact per range
    PLACED_GROUPS = 16 // groups that are placed at a time
};

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

done:
    return status;
}

SnFramePoints sn_frame_points_lend(const SnFramePoints *points)
{
    SnFramePoints lent = *points;
    lent.is_lent = true;
    lent.places = lent.group_forces = lent.group_stiffness = NULL;
    lent.forces = NULL;
    lent.list = NULL;
    return lent;
}

SinewStatus sn_frame_points_add_room(SnFramePoints *points, const SinewAllocator *allocator,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t n = (size_t)points->count;
    size_t numbers = SN_FRAMES_GROUP * (size_t)sn_samples_groups(points->count);
    SN_ALLOC_ZERO(points->places, allocator, 3 * n, error);
    SN_ALLOC_ZERO(points->forces, allocator, n, error);
    if (!points->is_affine) {
        SN_ALLOC_ZERO(points->group_forces, allocator, 3 * numbers, error);
        SN_ALLOC_ZERO(points->group_stiffness, allocator, 6 * numbers, error);
    }

done:
    return status;
}

void sn_frame_points_release(SnFramePoints *points, const SinewAllocator *allocator)
{
    if (!points->is_lent) {
        sn_free(allocator, points->X);
        sn_free(allocator, points->weights);
        sn_free(allocator, points->distances);
        sn_free(allocator, points->group_X);
        sn_free(allocator, points->group_weights);
    }
    sn_free(allocator, points->places);
    sn_free(allocator, points->forces);
    sn_free(allocator, points->group_forces);
    sn_free(allocator, points->group_stiffness);
    if (points->list != NULL) {
        sn_near_points_release(&points->list->near, allocator);
        sn_free(allocator, points->list->groups);
        sn_free(allocator, points->list->from);
        sn_free(allocator, points->list->frames);
        sn_free(allocator, points->list);
    }
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
    _Alignas(64) double x[3 * SN_FRAMES_GROUP * PLACED_GROUPS];
    if (points->is_affine) {
        sn_linear_place(points, frames, begin * SN_FRAMES_GROUP, last_point(points, end), out_x);
        return;
    }
    for (int first = begin; first < end; first += PLACED_GROUPS) {
        int groups = end - first < PLACED_GROUPS ? end - first : PLACED_GROUPS;
        int last = last_point(points, first + groups);
        batch.X = points->group_X + 3 * SN_FRAMES_GROUP * (size_t)first;
        batch.weights =
            points->group_weights + (size_t)points->frame_count * SN_FRAMES_GROUP * (size_t)first;
        batch.x = x;
        kernels->frames->place(&batch, 0, groups);
        for (int p = first * SN_FRAMES_GROUP; p < last; ++p) {
            int at = p - first * SN_FRAMES_GROUP;
            for (int k = 0; k < 3; ++k) {
                out_x[3 * (size_t)p + (size_t)k] =
                    x[(3 * (at / SN_FRAMES_GROUP) + k) * SN_FRAMES_GROUP + at % SN_FRAMES_GROUP];
            }
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

static void push_point(const SnFramePointsDef *def, int p, double *part)
{
    if (acts(&def->points->forces[p])) {
        sn_linear_push(def->points, p, def->room, def->hessian, part);
    }
}

// Gradient and Hessian of the forces of a group.
static void push_group(const SnFramePointsDef *def, int group, double *part)
{
    const SnFramePoints *points = def->points;
    SnFramesPoints batch = batch_of(points, def->frames);
    batch.gradient = part + def->room->gradient;
    batch.blocks = def->hessian ? part + def->room->blocks : NULL;
    batch.curved = def->curvature;
    if (points->is_affine) {
        for (int p = group * SN_FRAMES_GROUP; p < last_point(points, group + 1); ++p) {
            push_point(def, p, part);
        }
    } else if (pack_forces(points, group)) {
        def->kernels->frames->push(&batch, group, group + 1);
    }
}

static double *part_of(const SnFramePointsDef *def, int begin)
{
    int size = sn_samples_range(def->room, sn_samples_groups(def->points->count));
    return def->room->parts + (size_t)(begin / size) * def->room->part_size;
}

// Places of a range; false, and no finite energy, where a blend vanishes.
static bool place_range(const SnFramePointsDef *def, int begin, int end, double *part)
{
    const SnFramePoints *points = def->points;
    int first = begin * SN_FRAMES_GROUP, last = last_point(points, end);
    sn_frame_points_place(points, def->kernels, def->frames, begin, end, points->places);
    for (int k = 3 * first; k < 3 * last; ++k) {
        if (!isfinite(points->places[k])) {
            part[0] = INFINITY;
            return false;
        }
    }
    return true;
}

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const SnFramePointsDef *def = context;
    const SnFramePoints *points = def->points;
    int first = begin * SN_FRAMES_GROUP, last = last_point(points, end);
    double *part = part_of(def, begin);
    (void)worker;
    sn_samples_clear(def->room, def->hessian, part);
    if (!place_range(def, begin, end, part)) {
        return;
    }
    def->evaluate(def->context, first, last, points->places, points->forces + first);
    for (int p = first; p < last; ++p) {
        part[0] += points->forces[p].energy;
    }
    for (int group = begin; group < end; ++group) {
        push_group(def, group, part);
    }
}

// Lists ------------------------------------------------------------------------------------------

static void find_bounds(const SnFramePoints *points)
{
    SnFrameList *list = points->list;
    for (int k = 0; k < 3; ++k) {
        list->box[k] = INFINITY;
        list->box[3 + k] = -INFINITY;
    }
    for (int p = 0; p < points->count; ++p) {
        double sum = 0.0;
        for (int i = 0; i < points->frame_count; ++i) {
            sum += fabs(points->weights[(size_t)points->frame_count * (size_t)p + (size_t)i]);
        }
        list->spread = fmax(list->spread, sum);
        for (int k = 0; k < 3; ++k) {
            list->box[k] = fmin(list->box[k], points->X[3 * p + k]);
            list->box[3 + k] = fmax(list->box[3 + k], points->X[3 * p + k]);
        }
    }
}

SinewStatus sn_frame_points_add_list(SnFramePoints *points, const SinewAllocator *allocator,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)points->count;
    SN_ALLOC_ZERO(points->list, allocator, 1, error);
    SN_TRY(sn_near_points_create(points->count, allocator, &points->list->near, error));
    SN_ALLOC_ZERO(points->list->groups, allocator, sn_samples_groups(points->count), error);
    SN_ALLOC_ZERO(points->list->from, allocator, 3 * count, error);
    SN_ALLOC_ZERO(points->list->frames, allocator, SN_LINEAR * (size_t)points->frame_count, error);
    find_bounds(points);

done:
    return status;
}

// How far any point moved since the last evaluation, m, at most. Of affine frames it is no farther
// than the weights' spread times the farthest that a frame alone moves a corner of all points'
// bounds; those of rigid ones are placed already.
static double bound_moves(const SnFramePointsDef *def)
{
    const SnFramePoints *points = def->points;
    const SnFrameList *list = points->list;
    double most = 0.0;
    for (int i = 0; !points->is_affine && i < 3 * points->count; ++i) {
        most = fmax(most, fabs(points->places[i] - list->from[i]));
    }
    for (int n = 0; points->is_affine && n < 8 * points->frame_count; ++n) {
        const double *a = def->frames + SN_LINEAR * (n / 8);
        const double *b = list->frames + SN_LINEAR * (n / 8);
        double square = 0.0;
        for (int r = 0; r < 3; ++r) {
            double move = a[9 + r] - b[9 + r];
            for (int k = 0; k < 3; ++k) {
                move += (a[3 * r + k] - b[3 * r + k]) * list->box[(n >> k & 1 ? 3 : 0) + k];
            }
            square += move * move;
        }
        most = square > most || isnan(square) ? square : most;
    }
    return points->is_affine ? list->spread * sqrt(most) : 1.7320508075688774 * most;
}

static void clear_job(void *context, int begin, int end, int worker)
{
    const SnFramePointsDef *def = context;
    double *part = part_of(def, begin);
    (void)worker;
    sn_samples_clear(def->room, def->hessian, part);
    if (!def->points->is_affine) {
        place_range(def, begin, end, part);
    }
}

static void place_job(void *context, int begin, int end, int worker)
{
    const SnFramePointsDef *def = context;
    const SnNearPoints *near = &def->points->list->near;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int p = near->due_points[i];
        sn_linear_place(def->points, def->frames, p, p + 1, def->points->places);
    }
}

static bool is_placed(const SnFramePointsDef *def, int groups, int size)
{
    const SnFramePoints *points = def->points;
    const SnNearPoints *near = &points->list->near;
    for (int r = 0; !points->is_affine && r * size < groups; ++r) {
        if (!isfinite(def->room->parts[(size_t)r * def->room->part_size])) {
            return false;
        }
    }
    for (int i = 0; points->is_affine && i < near->due_count; ++i) {
        const double *x = points->places + 3 * (size_t)near->due_points[i];
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
            def->room->parts[0] = INFINITY;
            return false;
        }
    }
    return true;
}

// Finds the points that may feel a force. False where a place is no finite number.
static bool find_near(SnFramePointsDef *def, int groups, int size)
{
    const SnFramePoints *points = def->points;
    SnFrameList *list = points->list;
    sn_parallel_for(def->workers, groups, size, clear_job, def);
    if (!points->is_affine && !is_placed(def, groups, size)) {
        return false; // the next evaluation looks from the last that was
    }
    bool is_known = list->near.serial == def->listed->serial;
    sn_near_points_begin(&list->near, def->listed, is_known ? bound_moves(def) : 0.0);
    if (points->is_affine) {
        sn_parallel_for(def->workers, list->near.due_count, DUE_GRAIN, place_job, def);
        memcpy(list->frames, def->frames,
               SN_LINEAR * (size_t)points->frame_count * sizeof *list->frames);
        if (!is_placed(def, groups, size)) {
            list->near.serial = 0;
            return false;
        }
    } else {
        memcpy(list->from, points->places, 3 * (size_t)points->count * sizeof *list->from);
    }
    sn_near_points_find(&list->near, def->listed, def->workers, points->places);
    return true;
}

// Groups of the points that may feel a force; the others of a group feel none.
static void find_groups(const SnFramePoints *points)
{
    SnFrameList *list = points->list;
    list->group_count = 0;
    for (int i = 0; i < list->near.count; ++i) {
        int group = list->near.points[i] / SN_FRAMES_GROUP;
        if (list->group_count == 0 || list->groups[list->group_count - 1] != group) {
            int first = group * SN_FRAMES_GROUP;
            list->groups[list->group_count++] = group;
            memset(points->forces + first, 0,
                   (size_t)(last_point(points, group + 1) - first) * sizeof *points->forces);
        }
    }
}

static void near_job(void *context, int begin, int end, int worker)
{
    const SnFramePointsDef *def = context;
    const SnNearPoints *near = &def->points->list->near;
    (void)worker;
    def->listed->evaluate_listed(def->listed->context, near->points + begin, end - begin,
                                 def->points->places, def->points->forces);
}

// The groups of a range, in the order in which all groups would be met: what is left out adds
// nothing, so the sums are the same to the last bit.
static void listed_job(void *context, int begin, int end, int worker)
{
    const SnFramePointsDef *def = context;
    const SnFramePoints *points = def->points;
    const SnFrameList *list = points->list;
    double *part = part_of(def, begin);
    int at = 0;
    (void)worker;
    while (at < list->group_count && list->groups[at] < begin) {
        at += 1;
    }
    for (; at < list->group_count && list->groups[at] < end; ++at) {
        int group = list->groups[at], last = last_point(points, group + 1);
        for (int p = group * SN_FRAMES_GROUP; p < last; ++p) {
            part[0] += points->forces[p].energy;
        }
        push_group(def, group, part);
    }
}

// As evaluate_range over all groups, but for points that cannot feel a force.
static void evaluate_near(SnFramePointsDef *def, int groups, int size)
{
    if (find_near(def, groups, size)) {
        find_groups(def->points);
        sn_parallel_for(def->workers, def->points->list->near.count, DUE_GRAIN, near_job, def);
        sn_parallel_for(def->workers, groups, size, listed_job, def);
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
    if (points->list != NULL && def->listed != NULL && def->listed->clearances != NULL) {
        evaluate_near(&copy, groups, size);
    } else {
        sn_parallel_for(def->workers, groups, size, evaluate_range, &copy);
    }
    for (int r = 0; r * size < groups; ++r) {
        // Rigid frames have all of it in the blocks.
        bool whole = def->hessian && points->is_affine;
        energy += sn_samples_collect(def->room, def->room->parts + (size_t)r * def->room->part_size,
                                     gradient, whole ? matrix : NULL, def->hessian ? blocks : NULL);
    }
    return isfinite(energy) ? energy : INFINITY;
}

void sn_frame_points_square(const SnFramePoints *points, const double *factors, double *out)
{
    size_t n = 4 * (size_t)points->frame_count;
    double z[4 * SN_POINT_FRAMES_MAX];
    memset(out, 0, n * n * sizeof *out);
    for (int p = 0; p < points->count; ++p) {
        const double *row = points->weights + (size_t)points->frame_count * (size_t)p;
        for (size_t i = 0; i < n; ++i) {
            z[i] = row[i / 4] * (i % 4 < 3 ? points->X[3 * (size_t)p + i % 4] : 1.0);
        }
        for (size_t r = 0; r < n; ++r) {
            double share = factors[p] * z[r];
            for (size_t c = 0; c <= r && share != 0.0; ++c) {
                out[r * n + c] += share * z[c];
            }
        }
    }
}
