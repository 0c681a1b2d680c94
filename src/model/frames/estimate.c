#include "model/frames/estimate.h"

#include "model/frames/dense.h"
#include "model/frames/direct.h"
#include "model/frames/flexibility.h"

#include <math.h>
#include <string.h>

// Springs that hold vertices, over the largest entry of the matrix.
#define STIFFER 1e5

// Of the largest entry: what keeps motions definite that pins leave free and loads do not drive.
#define LEAST 1e-11

// Pins go this share of their way, so that turns are small, and what they do is taken as linear.
#define SHARE 1e-3

// Of the body's size: pins that go less far stand still, and what they do is rounding.
#define STILL 1e-6

typedef struct Cells {
    const SnFramesProblem *problem;
    SnFramesGrid turned; // the body's, lent, with the axes where the body is
    size_t rows;
    double *value; // of the matrix, with the springs of pins
    double *loads; // N, two columns: of loads, and of the springs of moving pins
    double *moves; // m, the same
    double spring; // N/m
    double most;   // m, the farthest that a pin moves a vertex
} Cells;

static void find_loads(const Cells *cells)
{
    const SnFramesProblem *problem = cells->problem;
    const SnFramesGrid *grid = &problem->body->grid;
    for (int i = 0; i < 3 * grid->cubes.mesh->vertex_count; ++i) {
        cells->loads[i] = grid->masses[i / 3] * problem->step->gravity[i % 3];
    }
    for (int l = 0; l < problem->step->load_count; ++l) {
        const SnFramePoints *points = problem->step->loads[l].points;
        for (int p = 0; p < points->count; ++p) {
            double X[3], weights[8], distance;
            for (int k = 0; k < 3; ++k) {
                X[k] = points->X[3 * p + k] + grid->center[k];
            }
            const int *corners = grid->cubes.mesh->hexes +
                                 8 * (size_t)sn_frames_grid_locate(grid, X, weights, &distance);
            for (int n = 0; n < 24; ++n) {
                cells->loads[3 * corners[n / 3] + n % 3] +=
                    weights[n / 3] * problem->step->loads[l].forces[3 * p + n % 3];
            }
        }
    }
}

// Springs of all held vertices into the matrix, and what they pull with when pins move.
static void hold(Cells *cells)
{
    const SnFrames *body = cells->problem->body;
    const SnFramesGrid *grid = &body->grid;
    const SnPinSet *set = &body->pins.set;
    for (int p = 0; p < set->count; ++p) {
        for (int i = set->start[p]; i < set->start[p + 1]; ++i) {
            size_t v = (size_t)set->vertices[i];
            double *block = cells->value + 9 * (size_t)sn_frames_grid_entry(grid, (int)v, (int)v);
            for (size_t k = 0; k < 3; ++k) {
                double direction[3] = {0.0, 0.0, 0.0}, move;
                if (!(set->axes[p] >> k & 1)) {
                    continue;
                }
                direction[k] = 1.0;
                sn_flexibility_turn(&cells->turned, direction, 3, false);
                for (int n = 0; n < 9; ++n) {
                    block[n] += cells->spring * direction[n / 3] * direction[n % 3];
                }
                move = body->room.targets[3 * v + k] - body->rest[3 * v + k];
                cells->loads[cells->rows + 3 * v + k] = cells->spring * move;
                cells->most = fmax(cells->most, fabs(move));
            }
        }
    }
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Work of loads and of moving pins in finite elements: f . u, and of springs with their ends at d
// k d . (d - u).
static SinewStatus solve_cells(Cells *cells, double out_work[2], SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrames *body = cells->problem->body;
    const SnFramesGrid *grid = &body->grid;
    int count = grid->cubes.mesh->vertex_count;
    size_t size = 2 * cells->rows;
    SnModelDef model = {.allocator = &body->allocator,
                        .workers = cells->problem->workers,
                        .kernels = body->kernels,
                        .name = body->name};

    SN_ALLOC_ZERO(cells->value, &body->allocator, 9 * (size_t)grid->row_start[count], error);
    SN_ALLOC_ZERO(cells->loads, &body->allocator, size, error);
    SN_ALLOC(cells->moves, &body->allocator, size, error);
    sn_flexibility_assemble(grid, body->materials, NULL, cells->value);
    for (int v = 0; v < count; ++v) {
        cells->spring = fmax(cells->spring,
                             STIFFER * cells->value[9 * (size_t)sn_frames_grid_entry(grid, v, v)]);
    }
    for (int i = 0; i < 3 * count; ++i) {
        int v = i / 3;
        cells->value[9 * (size_t)sn_frames_grid_entry(grid, v, v) + 4 * (size_t)(i % 3)] +=
            LEAST / STIFFER * cells->spring;
    }
    find_loads(cells);
    hold(cells);
    memcpy(cells->moves, cells->loads, size * sizeof *cells->moves);
    sn_flexibility_turn(&cells->turned, cells->moves, size, false);
    SnSparse matrix = {count, 3, grid->row_start, grid->column, cells->value};
    SN_TRY(sn_frames_direct_solve(&model, &matrix, 2, cells->moves, error));
    sn_flexibility_turn(&cells->turned, cells->moves, size, true);
    const double *f = cells->loads + cells->rows, *u = cells->moves + cells->rows;
    out_work[0] = dot(cells->loads, cells->moves, cells->rows);
    out_work[1] = dot(f, f, cells->rows) / cells->spring - dot(f, u, cells->rows);

done:
    return status;
}

// The same of the frames: g^T H^-1 g of loads; of pins twice the potential before they gave way,
// less that. False where the frames are not held.
static bool solve_frames(const SnFramesProblem *problem, double out_work[2])
{
    SnFrames *body = problem->body;
    const SnFramesRoom *room = &body->room;
    SnStep still = *problem->step;
    SnFramesProblem pins = *problem;
    int dofs = sn_frames_dofs(body);
    const double *rest = body->rest;
    memset(still.gravity, 0, sizeof still.gravity);
    still.load_count = 0;
    pins.step = &still;
    for (int turn = 0; turn < 2; ++turn) {
        double targets[3 * SN_FRAMES_HELD_MAX * 4];
        int held = body->pins.held_count < 4 * SN_FRAMES_HELD_MAX ? body->pins.held_count : 0;
        // Loads act while pins stand still.
        for (int h = 0; turn == 0 && h < held; ++h) {
            size_t at = 3 * (size_t)body->pins.vertices[h];
            memcpy(targets + 3 * h, room->targets + at, 3 * sizeof *targets);
            memcpy(room->targets + at, rest + at, 3 * sizeof *targets);
        }
        SnFramesValue value =
            sn_frames_potential(turn == 0 ? problem : &pins, body->state.poses, true);
        for (int h = 0; turn == 0 && h < held; ++h) {
            size_t at = 3 * (size_t)body->pins.vertices[h];
            memcpy(room->targets + at, targets + 3 * h, 3 * sizeof *targets);
        }
        memcpy(room->factor, room->hessian, (size_t)(dofs * dofs) * sizeof *room->factor);
        for (int d = 0; d < dofs; ++d) {
            double unit = sn_frames_unit(body, d);
            room->factor[d * dofs + d] += LEAST * body->stiffness * unit * unit;
        }
        if (held == 0 || !sn_dense_factor(room->factor, dofs)) {
            return false;
        }
        memcpy(room->direction, room->gradient, (size_t)dofs * sizeof *room->direction);
        sn_dense_forward(room->factor, dofs, room->direction);
        double given = dot(room->direction, room->direction, (size_t)dofs);
        out_work[turn] = turn == 0 ? given : 2.0 * value.phi - given;
    }
    return true;
}

static void turn_axes(const SnFrames *body, SnFramesGrid *out)
{
    *out = body->grid;
    for (int n = 0; n < 9; ++n) {
        const double *row = body->place.placement.m + 4 * (n % 3);
        const double *axis = body->grid.axes + 3 * (n / 3);
        out->axes[n] = row[0] * axis[0] + row[1] * axis[1] + row[2] * axis[2];
    }
}

SinewStatus sn_frames_estimate(const SnFramesProblem *problem, SnFramesEstimate *out_estimate,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrames *body = problem->body;
    const SnFramesGrid *grid = &body->grid;
    double of_cells[2] = {0.0}, of_frames[2] = {0.0};
    Cells cells = {.problem = problem, .rows = 3 * (size_t)grid->cubes.mesh->vertex_count};

    *out_estimate = (SnFramesEstimate){0.0, 0.0};
    turn_axes(body, &cells.turned);
    sn_pin_set_target(&body->pins.set, body->rest, body->state.pins, body->room.begin,
                      problem->step->pin_motions, SHARE, body->room.targets);
    if (!solve_frames(problem, of_frames)) {
        return SINEW_OK;
    }
    SN_TRY(solve_cells(&cells, of_cells, error));
    out_estimate->loads = of_cells[0] > 0.0 ? of_frames[0] / of_cells[0] : 0.0;
    bool moves = cells.most > STILL * SHARE * grid->size;
    out_estimate->pins = moves && of_cells[1] > 0.0 ? of_frames[1] / of_cells[1] : 0.0;

done:
    sn_free(&body->allocator, cells.value);
    sn_free(&body->allocator, cells.loads);
    sn_free(&body->allocator, cells.moves);
    return status;
}
