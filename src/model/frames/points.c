#include "model/frames/points.h"

#include <math.h>
#include <string.h>

SinewStatus sn_frame_points_create(int count, int frame_count, const SinewAllocator *allocator,
                                   SnFramePoints *points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t n = (size_t)count;
    *points = (SnFramePoints){.count = count, .frame_count = frame_count};
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

void sn_frame_points_place(const SnFramePoints *points, const double *frames, int begin, int end,
                           double *out_x)
{
    for (int p = begin; p < end; ++p) {
        double z[8];
        SnBlendPoint point;
        gather(points, frames, p, z);
        if (!sn_blend_point(z, points->X + 3 * (size_t)p, &point)) {
            point.P[0] = point.P[1] = point.P[2] = NAN;
        }
        memcpy(out_x + 3 * (size_t)p, point.P, 3 * sizeof *out_x);
    }
}

void sn_frame_points_speed(const SnFramePoints *points, const double *frames, const double *rates,
                           double *out_v)
{
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

static int range_size(int count)
{
    int size = (count + SN_SAMPLES_RANGES_MAX - 1) / SN_SAMPLES_RANGES_MAX;
    return size < 64 ? 64 : size;
}

// The second derivative by a point's own (b, S), 8x8: J^T K J, and the force along the curvature.
static void square_of(const SnBlendPoint *point, const SnPointForce *force, bool curvature,
                      double out[64])
{
    double rows[32], pushed[24], down[3];
    sn_blend_point_rows(point, rows);
    for (int k = 0; k < 3; ++k) {
        down[k] = -force->force[k];
        for (int c = 0; c < 8; ++c) {
            pushed[8 * k + c] = force->stiffness[3 * k] * rows[c] +
                                force->stiffness[3 * k + 1] * rows[8 + c] +
                                force->stiffness[3 * k + 2] * rows[16 + c];
        }
    }
    memset(out, 0, 64 * sizeof *out);
    if (curvature) {
        sn_blend_point_curve(point, down, rows, out);
    }
    for (int r = 0; r < 8; ++r) {
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 8; ++c) {
                out[8 * r + c] += rows[8 * k + r] * pushed[8 * k + c];
            }
        }
    }
}

static void add_blocks(const double *row, int frames, const double Q[64], double *blocks)
{
    for (int i = 0; i < frames; ++i) {
        for (int j = i; row[i] != 0.0 && j < frames; ++j) {
            double share = row[i] * row[j];
            double *block = blocks + sn_samples_block(frames, i, j);
            for (int c = 0; share != 0.0 && c < 64; ++c) {
                block[c] += share * Q[c];
            }
        }
    }
}

static bool acts(const SnPointForce *force)
{
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += fabs(force->stiffness[k]) + (k < 3 ? fabs(force->force[k]) : 0.0);
    }
    return !(sum <= 0.0);
}

static void add_point(const SnFramePointsDef *def, int p, double *gradient, double *blocks)
{
    const SnFramePoints *points = def->points;
    const double *row = points->weights + (size_t)points->frame_count * (size_t)p;
    const SnPointForce *force = &points->forces[p];
    double z[8], g[8], Q[64];
    SnBlendPoint point;
    gather(points, def->frames, p, z);
    sn_blend_point(z, points->X + 3 * (size_t)p, &point);
    sn_blend_point_reverse(&point, force->force, g);
    for (int i = 0; i < points->frame_count; ++i) {
        for (int c = 0; row[i] != 0.0 && c < 8; ++c) {
            gradient[8 * i + c] -= row[i] * g[c];
        }
    }
    if (def->hessian) {
        square_of(&point, force, def->curvature, Q);
        add_blocks(row, points->frame_count, Q, blocks);
    }
}

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const SnFramePointsDef *def = context;
    const SnFramePoints *points = def->points;
    size_t frames = (size_t)points->frame_count;
    double *part =
        def->room->parts + (size_t)(begin / range_size(points->count)) * def->room->part_size;
    (void)worker;
    memset(part, 0, (def->hessian ? def->room->part_size : 1 + 8 * frames) * sizeof *part);
    sn_frame_points_place(points, def->frames, begin, end, points->places);
    for (int k = 3 * begin; k < 3 * end; ++k) {
        if (!isfinite(points->places[k])) {
            part[0] = INFINITY;
            return;
        }
    }
    def->evaluate(def->context, begin, end, points->places, points->forces + begin);
    for (int p = begin; p < end; ++p) {
        part[0] += points->forces[p].energy;
        if (acts(&points->forces[p])) {
            add_point(def, p, part + 1, part + 1 + 8 * frames);
        }
    }
}

double sn_frame_points_evaluate(const SnFramePointsDef *def, double *gradient, double *blocks)
{
    const SnFramePoints *points = def->points;
    SnFramePointsDef copy = *def;
    size_t numbers = 8 * (size_t)points->frame_count;
    size_t block_count =
        sn_samples_block(points->frame_count, points->frame_count, points->frame_count);
    int size = range_size(points->count);
    double energy = 0.0;
    sn_parallel_for(def->workers, points->count, size, evaluate_range, &copy);
    for (int r = 0; r * size < points->count; ++r) {
        const double *part = def->room->parts + (size_t)r * def->room->part_size;
        energy += part[0];
        for (size_t i = 0; i < numbers; ++i) {
            gradient[i] += part[1 + i];
        }
        for (size_t i = 0; def->hessian && i < block_count; ++i) {
            blocks[i] += part[1 + numbers + i];
        }
    }
    return isfinite(energy) ? energy : INFINITY;
}
