// The stiffness of points in contact for matrices that are stored cell by cell; see system.h.
#include "model/voxel/sites.h"
#include "model/voxel/system.h"

#include <math.h>
#include <string.h>

// Blocks stay while the stiffness of points changes by less than this share of it.
#define KEPT_SHARE 0.3
#define ROUNDING 1e-9

SinewStatus sn_voxel_touch_create(const SnVoxelBody *body, const SnStep *step, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (step->contacts == NULL) {
        return SINEW_OK;
    }
    // The model made these points, and their room is its own.
    SnVoxelPoints *points = (SnVoxelPoints *)(uintptr_t)step->contacts->points;
    SnVoxelTouch *touch = &points->touch;
    size_t pairs = (size_t)points->cell_start[points->count], cells = 0;
    if (touch->kept != NULL) {
        return SINEW_OK;
    }
    sn_voxel_touch_release(body, touch);
    SN_ALLOC(touch->slots, &body->allocator, body->grid.cell_count, error);
    memset(touch->slots, -1, (size_t)body->grid.cell_count * sizeof *touch->slots);
    for (size_t i = 0; i < pairs; ++i) {
        cells += touch->slots[points->point_cells[i]] < 0 ? 1 : 0;
        touch->slots[points->point_cells[i]] = 0;
    }
    memset(touch->slots, -1, (size_t)body->grid.cell_count * sizeof *touch->slots);
    SN_ALLOC(touch->rows, &body->allocator, 3 * SN_VOXEL_DOFS * pairs, error);
    SN_ALLOC(touch->block_cells, &body->allocator, cells, error);
    SN_ALLOC(touch->blocks, &body->allocator, SN_VOXEL_ENTRIES * cells, error);
    SN_ALLOC_ZERO(touch->kept, &body->allocator, points->count, error);

done:
    return status;
}

void sn_voxel_touch_release(const SnVoxelBody *body, SnVoxelTouch *touch)
{
    sn_free(&body->allocator, touch->rows);
    sn_free(&body->allocator, touch->block_cells);
    sn_free(&body->allocator, touch->slots);
    sn_free(&body->allocator, touch->blocks);
    sn_free(&body->allocator, touch->kept);
    *touch = (SnVoxelTouch){0};
}

// Blocks of single cells -------------------------------------------------------------------------

// J_c of a point, in the cell's frame, with the cell as it is turned; answers its share.
static double find_shape(const SnVoxelBody *body, const SnVoxelPoints *points, int point, int cell,
                         double out[3 * SN_VOXEL_DOFS])
{
    const int *nodes = points->nodes + 8 * (size_t)point;
    const double *weights = points->weights + 8 * (size_t)point;
    double share = 0.0;
    memset(out, 0, 3 * SN_VOXEL_DOFS * sizeof *out);
    for (int c = 0; c < 8; ++c) {
        int first = points->site_start[nodes[c]], last = points->site_start[nodes[c] + 1];
        for (int s = first; s < last; ++s) {
            double weight = weights[c] / (last - first);
            if (points->sites[s].cell == cell && weight > 0.0) {
                const float *shape = sn_voxel_site_shape(body, &points->sites[s]);
                for (int j = 0; j < 3 * SN_VOXEL_DOFS; ++j) {
                    out[j] += weight * (double)shape[j];
                }
                share += weight;
            }
        }
    }
    return share;
}

void sn_voxel_touch_visit(const SnVoxelBody *body, const SnVoxelPoints *points, int p,
                          SnVoxelTakeBlock *take, void *context)
{
    const double *S = points->forces[p].stiffness;
    for (int c = points->cell_start[p]; c < points->cell_start[p + 1]; ++c) {
        int cell = points->point_cells[c];
        const double *R = body->room.poses[cell].rotation;
        SnVoxelPointBlock block = {.point = p, .cell = cell};
        double share = find_shape(body, points, p, cell, block.shape);
        if (!(share > 0.0)) {
            continue;
        }
        for (int i = 0; i < 9; ++i) {
            double sum = 0.0;
            for (int k = 0; k < 9; ++k) {
                sum += R[3 * (k / 3) + i / 3] * S[k] * R[3 * (k % 3) + i % 3];
            }
            block.stiffness[i] = sum / share;
        }
        take(context, &block);
    }
}

// Sums by cell -----------------------------------------------------------------------------------

// Adds shape^T S shape to the sum of its cell, in the cell's frame.
static void add_block(void *context, const SnVoxelPointBlock *block)
{
    SnVoxelTouch *touch = context;
    float shape[3 * SN_VOXEL_DOFS], part[3 * SN_VOXEL_DOFS];
    if (touch->slots[block->cell] < 0) {
        touch->slots[block->cell] = touch->block_count;
        touch->block_cells[touch->block_count] = block->cell;
        memset(touch->blocks + SN_VOXEL_ENTRIES * (size_t)touch->block_count, 0,
               SN_VOXEL_ENTRIES * sizeof *touch->blocks);
        touch->block_count += 1;
    }
    for (int i = 0; i < 3 * SN_VOXEL_DOFS; ++i) {
        const double *S = block->stiffness + i / SN_VOXEL_DOFS * 3;
        const double *column = block->shape + i % SN_VOXEL_DOFS;
        shape[i] = (float)block->shape[i];
        part[i] = (float)(S[0] * column[0] + S[1] * column[SN_VOXEL_DOFS] +
                          S[2] * column[2 * SN_VOXEL_DOFS]);
    }
    float *sum = touch->blocks + SN_VOXEL_ENTRIES * (size_t)touch->slots[block->cell];
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        float a = shape[i], b = shape[SN_VOXEL_DOFS + i], c = shape[2 * SN_VOXEL_DOFS + i];
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            sum[i * SN_VOXEL_DOFS + j] +=
                a * part[j] + b * part[SN_VOXEL_DOFS + j] + c * part[2 * SN_VOXEL_DOFS + j];
        }
    }
}

// From the cell's frame, corner by corner, to the world and the kernels' order, axis by axis.
void sn_voxel_touch_turn(const double R[9], const float *from, float *to)
{
    for (int i = 0; i < 64; ++i) {
        int row = i / 8, column = i % 8;
        double block[9], turned[9];
        for (int k = 0; k < 9; ++k) {
            block[k] = (double)from[(3 * row + k / 3) * SN_VOXEL_DOFS + 3 * column + k % 3];
        }
        for (int k = 0; k < 9; ++k) {
            const double *r = R + k / 3 * 3, *b = block + k % 3;
            turned[k] = r[0] * b[0] + r[1] * b[3] + r[2] * b[6];
        }
        for (int k = 0; k < 9; ++k) {
            const double *r = R + k % 3 * 3, *t = turned + k / 3 * 3;
            to[(8 * (k / 3) + row) * SN_VOXEL_NUMBERS + 8 * (k % 3) + column] =
                (float)(r[0] * t[0] + r[1] * t[1] + r[2] * t[2]);
        }
    }
}

static double trace_of(const double S[9])
{
    return S[0] + S[4] + S[8];
}

// Whether blocks are still near what they would be now. What was kept of points that are no longer
// stiff is what is left of its sum.
static bool is_near(const SnVoxelPoints *points, int first)
{
    const SnVoxelTouch *touch = &points->touch;
    double sum = 0.0, change = 0.0, left = touch->kept_sum;
    for (int a = 0; a < points->active_count; ++a) {
        int p = points->active[a];
        double trace = trace_of(points->forces[p].stiffness);
        if (p >= first) {
            sum += trace;
            change += fabs(trace - touch->kept[p]);
            left -= touch->kept[p];
        }
    }
    return change + fabs(left) <= KEPT_SHARE * sum + ROUNDING * touch->kept_sum;
}

bool sn_voxel_touch_make(const SnVoxelBody *body, int first, SnVoxelPoints *points)
{
    SnVoxelTouch *touch = &points->touch;
    if (touch->made && is_near(points, first)) {
        return false;
    }
    for (int c = 0; c < touch->block_count; ++c) {
        touch->slots[touch->block_cells[c]] = -1;
    }
    touch->block_count = 0;
    touch->kept_sum = 0.0;
    memset(touch->kept, 0, (size_t)points->count * sizeof *touch->kept);
    for (int a = 0; a < points->active_count; ++a) {
        int p = points->active[a];
        if (p >= first) {
            sn_voxel_touch_visit(body, points, p, add_block, touch);
            touch->kept[p] = trace_of(points->forces[p].stiffness);
            touch->kept_sum += touch->kept[p];
        }
    }
    for (int c = 0; c < touch->block_count; ++c) {
        float *block = touch->blocks + SN_VOXEL_ENTRIES * (size_t)c, from[SN_VOXEL_ENTRIES];
        memcpy(from, block, sizeof from);
        sn_voxel_touch_turn(body->room.poses[touch->block_cells[c]].rotation, from, block);
    }
    touch->made = true;
    return true;
}

// Products ---------------------------------------------------------------------------------------

void sn_voxel_touch_apply_blocks(const SnVoxelTouch *touch, const SnVoxelLevel *level)
{
    for (int b = 0; b < touch->block_count; ++b) {
        size_t cell = (size_t)touch->block_cells[b];
        const float *block = touch->blocks + SN_VOXEL_ENTRIES * (size_t)b;
        const int *corners = level->corners + 8 * cell;
        float sum[SN_VOXEL_NUMBERS] = {0.0f}, *out = level->out + SN_VOXEL_OUT * cell;
        for (int j = 0; j < SN_VOXEL_NUMBERS; ++j) {
            float p = level->p[4 * (size_t)corners[j % 8] + (size_t)(j / 8)];
            for (int i = 0; i < SN_VOXEL_NUMBERS; ++i) {
                sum[i] += block[j * SN_VOXEL_NUMBERS + i] * p;
            }
        }
        for (int i = 0; i < SN_VOXEL_NUMBERS; ++i) {
            out[4 * (i % 8) + i / 8] += sum[i];
        }
    }
}

// Matrices ---------------------------------------------------------------------------------------

typedef struct Adding {
    const SnVoxelBody *body;
    SnVoxelHierarchy *hierarchy;
} Adding;

// A tie, which blocks do not have.
static void add_tie(void *context, const SnVoxelPointBlock *block)
{
    const Adding *job = context;
    double H[SN_VOXEL_MATRIX];
    float local[SN_VOXEL_ENTRIES], matrix[SN_VOXEL_ENTRIES];
    sn_voxel_point_matrix(block, H);
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        local[i] = (float)H[i];
    }
    sn_voxel_touch_turn(job->body->room.poses[block->cell].rotation, local, matrix);
    sn_voxel_hierarchy_add(job->hierarchy, &job->body->system.level, block->cell, matrix);
}

void sn_voxel_touch_add(const SnVoxelBody *body, int ties, const SnVoxelPoints *points,
                        SnVoxelHierarchy *hierarchy)
{
    const SnVoxelTouch *touch = &points->touch;
    Adding job = {body, hierarchy};
    for (int b = 0; b < touch->block_count; ++b) {
        float matrix[SN_VOXEL_ENTRIES];
        memcpy(matrix, touch->blocks + SN_VOXEL_ENTRIES * (size_t)b, sizeof matrix);
        sn_voxel_hierarchy_add(hierarchy, &body->system.level, touch->block_cells[b], matrix);
    }
    for (int p = 0; p < ties; ++p) {
        sn_voxel_touch_visit(body, points, p, add_tie, &job);
    }
}

void sn_voxel_point_matrix(const SnVoxelPointBlock *block, double out[SN_VOXEL_MATRIX])
{
    double part[3 * SN_VOXEL_DOFS];
    for (int i = 0; i < 3 * SN_VOXEL_DOFS; ++i) {
        const double *S = block->stiffness + i / SN_VOXEL_DOFS * 3;
        const double *shape = block->shape + i % SN_VOXEL_DOFS;
        part[i] = S[0] * shape[0] + S[1] * shape[SN_VOXEL_DOFS] + S[2] * shape[2 * SN_VOXEL_DOFS];
    }
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        const double *a = block->shape + i / SN_VOXEL_DOFS, *b = part + i % SN_VOXEL_DOFS;
        out[i] = a[0] * b[0] + a[SN_VOXEL_DOFS] * b[SN_VOXEL_DOFS] +
                 a[2 * SN_VOXEL_DOFS] * b[2 * SN_VOXEL_DOFS];
    }
}
