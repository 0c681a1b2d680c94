#include "model/voxel/grip.h"

#include "model/voxel/small.h"

#include <math.h>
#include <string.h>

// Numbers of H at most: beyond, each of its inverses takes seconds.
enum { ENTRIES_MAX = 1 << 22, CORRECTIONS_MAX = 12 };

// Rows of which less than this share is new are combinations of others. Points a hundredth of a
// cell apart differ by that, to the third power; trilinear cells bear it. Where H changes with the
// pose what it hardly sees must not be driven: a change of H times the inverse would be large.
#define NEW_SHARE 1e-6
#define NEW_SHARE_TURNING 0.02

// A correction that small, of the largest coordinate, is rounding.
#define ROUNDING 1e-15

// Share of the diagonal that keeps a factor definite.
#define DIAGONAL_SHARE 1e-6

void sn_voxel_grip_release(const SnVoxelBody *body, SnVoxelGrip *grip)
{
    const SinewAllocator *allocator = &body->allocator;
    sn_pin_set_release(&grip->set, allocator);
    sn_voxel_points_destroy(body, grip->points);
    sn_pseudo_inverse_release(&grip->inverse, allocator);
    sn_free(allocator, grip->rest);
    sn_free(allocator, grip->rows);
    sn_free(allocator, grip->mix);
    sn_free(allocator, grip->row);
    sn_free(allocator, grip->columns);
    sn_free(allocator, grip->column_of);
    sn_free(allocator, grip->start);
    sn_free(allocator, grip->gaps);
    sn_free(allocator, grip->shifts);
    sn_free(allocator, grip->solves);
    *grip = (SnVoxelGrip){0};
}

// Making -----------------------------------------------------------------------------------------

static SinewStatus take_points(const SnVoxelBody *body, const SnPin *pins, int count,
                               SnVoxelGrip *grip, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_pin_set_points(pins, count, &body->allocator, &grip->set, error));
    grip->count = grip->set.start[count];
    SN_ALLOC(grip->rest, &body->allocator, 3 * (size_t)grip->count, error);
    for (int p = 0; p < count; ++p) {
        int points = grip->set.start[p + 1] - grip->set.start[p];
        if (points > 0) {
            memcpy(grip->rest + 3 * (size_t)grip->set.start[p], pins[p].points,
                   3 * (size_t)points * sizeof *grip->rest);
        }
    }
    SN_TRY(sn_voxel_points_create(body, grip->rest, grip->count, &grip->points, error));
    SN_ALLOC_ZERO(grip->start, &body->allocator, 9 * (size_t)grip->count, error);
    grip->targets = grip->start + 3 * (size_t)grip->count;
    grip->places = grip->targets + 3 * (size_t)grip->count;

done:
    return status;
}

// Components of the vertices of those cells that no pin holds, ascending.
static SinewStatus find_columns(const SnVoxelBody *body, const SnPinSet *corners, SnVoxelGrip *grip,
                                int *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t dofs = sn_voxel_dofs(body);
    const SnVoxelPoints *points = grip->points;
    int count = 0;
    SN_ALLOC(grip->column_of, &body->allocator, dofs, error);
    memset(grip->column_of, -1, dofs * sizeof *grip->column_of);
    for (int i = 0; i < points->cell_start[points->count]; ++i) {
        for (int c = 0; c < 24; ++c) {
            int v = body->grid.corners[8 * (size_t)points->point_cells[i] + (size_t)(c / 3)];
            grip->column_of[3 * v + c % 3] = corners->held[v] >> (c % 3) & 1 ? -1 : 0;
        }
    }
    for (size_t i = 0; i < dofs; ++i) {
        grip->column_of[i] = grip->column_of[i] < 0 ? -1 : count++;
    }
    SN_ALLOC(grip->columns, &body->allocator, count, error);
    for (size_t i = 0; i < dofs; ++i) {
        if (grip->column_of[i] >= 0) {
            grip->columns[grip->column_of[i]] = (int)i;
        }
    }
    *out_count = count;

done:
    return status;
}

static int list_rows(const SnVoxelGrip *grip, int *out)
{
    int count = 0;
    for (int p = 0; p < grip->set.count; ++p) {
        for (int i = 3 * grip->set.start[p]; i < 3 * grip->set.start[p + 1]; ++i) {
            if (grip->set.axes[p] >> (i % 3) & 1) {
                if (out != NULL) {
                    out[count] = i;
                }
                count += 1;
            }
        }
    }
    return count;
}

// Adds a row of H: what a force of one at the point does to the corners of its cells, for the
// room's poses.
static void add_row(const SnVoxelBody *body, const SnVoxelGrip *grip, bool exact, int component,
                    double *out)
{
    int point = component / 3;
    const SnVoxelPoints *points = grip->points;
    const int *cells = points->point_cells + points->cell_start[point];
    int cell_count = points->cell_start[point + 1] - points->cell_start[point];
    sn_voxel_points_pull_one(body, points, point, component % 3, body->room.poses, cells,
                             cell_count, body->room.pulls);
    for (int c = 0; c < cell_count; ++c) {
        const int *corners = body->grid.corners + 8 * (size_t)cells[c];
        double forces[SN_VOXEL_DOFS];
        sn_voxel_pull_spread(body, cells[c], &body->room.poses[cells[c]], exact,
                             &body->room.pulls[cells[c]], forces);
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            int column = grip->column_of[3 * corners[i / 3] + i % 3];
            if (column >= 0) {
                out[column] += forces[i];
            }
        }
    }
}

// Poses of the body at rest, where its points are told apart.
static void pose_rest(const SnVoxelBody *body)
{
    for (size_t i = 0; i < 9 * (size_t)body->grid.cell_count; ++i) {
        body->room.base[i] = body->grid.axes[3 * (i % 9 % 3) + i % 9 / 3];
    }
    sn_voxel_pose_cells(body, body->workers, body->grid.rest, body->room.base,
                        sn_voxel_turns_usual(body), body->room.poses);
}

// The sums of rows that are met: H at rest is L U B, and L^T H has as many rows as H has that tell
// something. Always the same sums, so that equations change smoothly with the pose; met exactly,
// since they do not depend on each other. Of constant H this is least squares.
static SinewStatus find_mix(const SnVoxelBody *body, int columns, SnVoxelGrip *grip,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPseudoInverse full = {0};
    size_t rows = (size_t)grip->row_count;
    bool is_constant = body->linear || body->options.mode == SINEW_VOXEL_PAPER;

    SN_TRY(sn_pseudo_inverse_create(grip->row_count, columns, &body->allocator, &full, error));
    pose_rest(body);
    for (size_t r = 0; r < rows; ++r) {
        add_row(body, grip, true, grip->rows[r], full.matrix + r * (size_t)columns);
    }
    sn_pseudo_inverse_find(&full, is_constant ? NEW_SHARE : NEW_SHARE_TURNING);
    SN_ALLOC(grip->mix, &body->allocator, (size_t)full.rank * rows, error);
    if (full.rank > 0) {
        memcpy(grip->mix, full.left, (size_t)full.rank * rows * sizeof *grip->mix);
    }
    SN_TRY(sn_pseudo_inverse_create(full.rank, columns, &body->allocator, &grip->inverse, error));

done:
    sn_pseudo_inverse_release(&full, &body->allocator);
    return status;
}

SinewStatus sn_voxel_grip_create(const SnVoxelBody *body, const SnPin *pins, int count,
                                 const SnPinSet *corners, SnVoxelGrip *out_grip, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int columns = 0, points = 0;

    *out_grip = (SnVoxelGrip){0};
    for (int p = 0; p < count; ++p) {
        points += pins[p].points != NULL ? pins[p].point_count : 0;
    }
    if (points == 0) {
        return SINEW_OK;
    }
    SN_TRY(take_points(body, pins, count, out_grip, error));
    SN_TRY(find_columns(body, corners, out_grip, &columns, error));
    int rows = out_grip->row_count = list_rows(out_grip, NULL);
    if ((int64_t)rows * columns > ENTRIES_MAX) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": pins hold %d components of points of the surface by %d "
                       "components of corners, expected a product of at most %d; hold fewer, or "
                       "the corners of cells",
                       body->name, rows, columns, (int)ENTRIES_MAX));
    }
    SN_ALLOC(out_grip->rows, &body->allocator, rows, error);
    list_rows(out_grip, out_grip->rows);
    SN_ALLOC_ZERO(out_grip->gaps, &body->allocator, 2 * (size_t)rows, error);
    SN_ALLOC_ZERO(out_grip->row, &body->allocator, columns, error);
    SN_ALLOC_ZERO(out_grip->shifts, &body->allocator, columns, error);
    SN_TRY(find_mix(body, columns, out_grip, error));

done:
    if (status < 0) {
        sn_voxel_grip_release(body, out_grip);
    }
    return status;
}

// Following the points ---------------------------------------------------------------------------

static bool holds_points(const SnVoxelBody *body)
{
    return body->pins.grip.inverse.row_count > 0;
}

static void place(const SnVoxelBody *body, double *out)
{
    sn_voxel_points_follow(body, body->workers, body->pins.grip.points, body->room.poses, out);
}

void sn_voxel_grip_begin(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    if (holds_points(body)) {
        body->pins.grip.is_fresh = false;
        sn_voxel_pose_cells(body, problem->workers, body->state.positions, body->state.rotations,
                            sn_voxel_turns_usual(body), body->room.poses);
        place(body, body->pins.grip.start);
    }
}

void sn_voxel_grip_aim(const SnVoxelProblem *problem, double s)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelGrip *grip = &body->pins.grip;
    if (holds_points(body)) {
        sn_pin_set_target(&grip->set, grip->rest, body->state.pins, grip->start,
                          problem->step->pin_motions, s, grip->targets);
    }
}

void sn_voxel_grip_update(const SnVoxelProblem *problem)
{
    SnVoxelBody *body = problem->body;
    SnVoxelGrip *grip = &body->pins.grip;
    SnPseudoInverse *inverse = &grip->inverse;
    size_t columns = (size_t)inverse->column_count;
    // Steps of a given number of iterations have one H, that of their start.
    if (!holds_points(body) || grip->is_found || (problem->counted && grip->is_fresh)) {
        return;
    }
    memset(inverse->matrix, 0, (size_t)inverse->row_count * columns * sizeof *inverse->matrix);
    for (int r = 0; r < grip->row_count; ++r) {
        memset(grip->row, 0, columns * sizeof *grip->row);
        add_row(body, grip, problem->exact, grip->rows[r], grip->row);
        for (int k = 0; k < inverse->row_count; ++k) {
            double share = grip->mix[(size_t)k * (size_t)grip->row_count + (size_t)r];
            double *out = inverse->matrix + (size_t)k * columns;
            for (size_t c = 0; c < columns; ++c) {
                out[c] += share * grip->row[c];
            }
        }
    }
    sn_pseudo_inverse_find(inverse, NEW_SHARE * NEW_SHARE_TURNING);
    grip->is_fresh = true;
    grip->is_found = body->linear || body->options.mode == SINEW_VOXEL_PAPER;
}

// How far points are from where they belong, in the sums that are met.
static const double *find_gaps(const SnVoxelGrip *grip)
{
    double *sums = grip->gaps + grip->row_count;
    for (int r = 0; r < grip->row_count; ++r) {
        grip->gaps[r] = grip->targets[grip->rows[r]] - grip->places[grip->rows[r]];
    }
    for (int k = 0; k < grip->inverse.row_count; ++k) {
        const double *mix = grip->mix + (size_t)k * (size_t)grip->row_count;
        sums[k] = 0.0;
        for (int r = 0; r < grip->row_count; ++r) {
            sums[k] += mix[r] * grip->gaps[r];
        }
    }
    return sums;
}

bool sn_voxel_grip_settle(const SnVoxelProblem *problem, bool once, const double *at, double *d)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelGrip *grip = &body->pins.grip;
    double last = INFINITY, largest;
    bool moved = false;
    for (int pass = 0; pass < (once ? 1 : CORRECTIONS_MAX) && holds_points(body); ++pass) {
        for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
            body->room.x[i] = body->state.positions[i] + at[i];
        }
        sn_voxel_pose_cells(body, problem->workers, body->room.x, body->room.base,
                            sn_voxel_turns(problem), body->room.poses);
        if (pass == 0) {
            sn_voxel_grip_update(problem); // near enough for the passes that follow
        }
        place(body, grip->places);
        sn_pseudo_inverse_apply(&grip->inverse, find_gaps(grip), grip->shifts);
        largest = 0.0;
        for (int c = 0; c < grip->inverse.column_count; ++c) {
            d[grip->columns[c]] += grip->shifts[c];
            largest = fmax(largest, fabs(grip->shifts[c]));
        }
        moved = moved || largest > 0.0;
        // Where points cannot be met, or not from here, the way does not get shorter.
        if (!(largest > ROUNDING * problem->largest) || !(largest < 0.7 * last)) {
            break;
        }
        last = largest;
    }
    return moved;
}

// Solving ----------------------------------------------------------------------------------------

double sn_voxel_grip_residual(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelGrip *grip = &body->pins.grip;
    double square = 0.0;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        double r = body->room.residual[i];
        if (grip->column_of[i] >= 0) {
            grip->shifts[grip->column_of[i]] = r;
        } else if (!sn_voxel_holds(body, i)) {
            square += r * r;
        }
    }
    sn_pseudo_inverse_project(&grip->inverse, grip->shifts);
    for (int c = 0; c < grip->inverse.column_count; ++c) {
        square += grip->shifts[c] * grip->shifts[c];
    }
    return sqrt(square);
}

void sn_voxel_grip_filter(const SnVoxelBody *body, double *x)
{
    const SnVoxelGrip *grip = &body->pins.grip;
    for (int c = 0; c < grip->inverse.column_count; ++c) {
        grip->shifts[c] = x[grip->columns[c]];
    }
    sn_pseudo_inverse_project(&grip->inverse, grip->shifts);
    for (int c = 0; c < grip->inverse.column_count; ++c) {
        x[grip->columns[c]] = grip->shifts[c];
    }
}

void sn_voxel_grip_filter_float(const SnVoxelBody *body, float *x)
{
    const SnVoxelGrip *grip = &body->pins.grip;
    for (int c = 0; c < grip->inverse.column_count; ++c) {
        grip->shifts[c] = (double)x[4 * (grip->columns[c] / 3) + grip->columns[c] % 3];
    }
    sn_pseudo_inverse_project(&grip->inverse, grip->shifts);
    for (int c = 0; c < grip->inverse.column_count; ++c) {
        x[4 * (grip->columns[c] / 3) + grip->columns[c] % 3] = (float)grip->shifts[c];
    }
}

void sn_voxel_grip_stiffen(const SnVoxelBody *body)
{
    const SnVoxelGrip *grip = &body->pins.grip;
    const SnVoxelSystem *system = &body->system;
    for (int c = 0; c < grip->inverse.column_count; ++c) {
        int v = grip->columns[c] / 3, i = system->pattern.row_start[v];
        while (system->pattern.columns[i] != v) {
            i += 1;
        }
        system->pattern.blocks[9 * (size_t)i + (size_t)(4 * (grip->columns[c] % 3))] *=
            1.0 + DIAGONAL_SHARE;
    }
}

static SinewStatus make_solves(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelGrip *grip = &body->pins.grip;
    size_t rank = (size_t)grip->inverse.rank_max;
    if (grip->solves == NULL) {
        SN_ALLOC(grip->solves, &body->allocator, rank * (sn_voxel_dofs(body) + rank + 1), error);
    }

done:
    return status;
}

// B Y, B the basis of H's rows.
static void find_products(const SnVoxelBody *body, double *matrix)
{
    const SnVoxelGrip *grip = &body->pins.grip;
    size_t dofs = sn_voxel_dofs(body), columns = (size_t)grip->inverse.column_count;
    int rank = grip->inverse.rank;
    for (int k = 0; k < rank; ++k) {
        const double *b = grip->inverse.basis + (size_t)k * columns;
        for (int j = 0; j < rank; ++j) {
            double sum = 0.0;
            for (size_t c = 0; c < columns; ++c) {
                sum += b[c] * grip->solves[(size_t)j * dofs + (size_t)grip->columns[c]];
            }
            matrix[k * rank + j] = sum;
        }
    }
}

SinewStatus sn_voxel_grip_factor(const SnVoxelProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = problem->body;
    const SnVoxelGrip *grip = &body->pins.grip;
    size_t dofs = sn_voxel_dofs(body), columns = (size_t)grip->inverse.column_count;
    int rank = grip->inverse.rank;

    if (!holds_points(body)) {
        return SINEW_OK;
    }
    SN_TRY(make_solves(body, error));
    double *matrix = grip->solves + (size_t)grip->inverse.rank_max * dofs;
    for (int k = 0; k < rank; ++k) {
        double *y = grip->solves + (size_t)k * dofs;
        memset(y, 0, dofs * sizeof *y);
        for (size_t c = 0; c < columns; ++c) {
            y[grip->columns[c]] = grip->inverse.basis[(size_t)k * columns + c];
        }
        SN_TRY(sn_cholesky_solve_double(body->system.factor, body->system.work, problem->workers, y,
                                        error));
    }
    find_products(body, matrix);
    if (!sn_small_cholesky(rank, matrix)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_NOT_DEFINITE,
                       "body \"%s\": the points that pins hold depend on each other", body->name));
    }

done:
    return status;
}

void sn_voxel_grip_constrain(const SnVoxelProblem *problem, double *x)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelGrip *grip = &body->pins.grip;
    size_t dofs = sn_voxel_dofs(body), columns = (size_t)grip->inverse.column_count;
    int rank = grip->inverse.rank;
    if (!holds_points(body)) {
        return;
    }
    const double *matrix = grip->solves + (size_t)grip->inverse.rank_max * dofs;
    double *right =
        grip->solves + (size_t)grip->inverse.rank_max * dofs + (size_t)rank * (size_t)rank;
    for (int k = 0; k < rank; ++k) {
        const double *b = grip->inverse.basis + (size_t)k * columns;
        right[k] = 0.0;
        for (size_t c = 0; c < columns; ++c) {
            right[k] += b[c] * x[grip->columns[c]];
        }
    }
    sn_small_forward(rank, matrix, 1, right);
    sn_small_backward(rank, matrix, 1, right);
    for (int k = 0; k < rank; ++k) {
        const double *y = grip->solves + (size_t)k * dofs;
        for (size_t i = 0; i < dofs; ++i) {
            x[i] -= right[k] * y[i];
        }
    }
    sn_voxel_grip_filter(body, x);
}

void sn_voxel_grip_record(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelGrip *grip = &body->pins.grip;
    double *forces = grip->targets; // no longer needed
    if (!holds_points(body)) {
        return;
    }
    for (int c = 0; c < grip->inverse.column_count; ++c) {
        grip->shifts[c] = body->room.residual[grip->columns[c]];
    }
    sn_pseudo_inverse_apply_transposed(&grip->inverse, grip->shifts, grip->gaps + grip->row_count);
    memset(forces, 0, 3 * (size_t)grip->count * sizeof *forces);
    for (int k = 0; k < grip->inverse.row_count; ++k) {
        for (int r = 0; r < grip->row_count; ++r) {
            forces[grip->rows[r]] += grip->mix[(size_t)k * (size_t)grip->row_count + (size_t)r] *
                                     grip->gaps[grip->row_count + k];
        }
    }
    for (int p = 0; p < grip->set.count; ++p) {
        double *wrench = body->state.pins + (size_t)p * SN_PIN_STATE + 12;
        for (int i = 3 * grip->set.start[p]; i < 3 * grip->set.start[p + 1]; i += 3) {
            sn_pin_set_add_wrench(&grip->set, p, grip->places + i, forces + i, wrench);
        }
    }
}
