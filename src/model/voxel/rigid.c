#include "model/voxel/rigid.h"

#include "model/voxel/small.h"
#include "model/voxel/ties.h"

#include <math.h>
#include <string.h>

// A piece whose moments of inertia are less than this share of the largest has no turn about some
// axis: all of it is in a line or a point.
#define LEAST_MOMENT 1e-9

// Forces whose sum is less than this share of their sizes balance, but for rounding of floats.
#define BALANCED 1e-5

// Weights ----------------------------------------------------------------------------------------

// How much masses at the corners overstate the moments of inertia of a kind, as a mean over the
// axes.
static double find_excess(const SnVoxelGrid *grid, const double *A)
{
    double excess = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        int j = (axis + 1) % 3, k = (axis + 2) % 3;
        for (int n = 0; n < 64; ++n) {
            const double *block = A + 3 * (n / 8) * SN_VOXEL_DOFS + 3 * (n % 8);
            double a[2] = {-sn_voxel_corner(grid, n / 8, k), sn_voxel_corner(grid, n / 8, j)};
            double b[2] = {-sn_voxel_corner(grid, n % 8, k), sn_voxel_corner(grid, n % 8, j)};
            double lumped = (block[0] + block[SN_VOXEL_DOFS + 1] + block[2 * SN_VOXEL_DOFS + 2]);
            excess +=
                lumped / 3.0 * (a[0] * a[0] + a[1] * a[1]) -
                a[0] * (block[j * SN_VOXEL_DOFS + j] * b[0] + block[j * SN_VOXEL_DOFS + k] * b[1]) -
                a[1] * (block[k * SN_VOXEL_DOFS + j] * b[0] + block[k * SN_VOXEL_DOFS + k] * b[1]);
        }
    }
    return excess / 3.0;
}

void sn_voxel_rigid_weigh(const SnVoxelBody *body)
{
    const SnVoxelGrid *grid = &body->grid;
    const SnVoxelPins *pins = &body->pins;
    for (int p = 0; p < pins->piece_count; ++p) {
        pins->pieces[p].excess = 0.0;
    }
    for (int v = 0; v < grid->vertex_count && pins->piece_count > 0; ++v) {
        pins->weights[v] = 0.0;
    }
    for (int e = 0; e < grid->cell_count && pins->piece_count > 0; ++e) {
        const int *corners = grid->corners + 8 * (size_t)e;
        const double *A = sn_voxel_system_values(body, e);
        int piece = pins->piece_of[corners[0]];
        if (piece < 0) {
            continue;
        }
        for (int n = 0; n < 64; ++n) {
            const double *block = A + 3 * (n / 8) * SN_VOXEL_DOFS + 3 * (n % 8);
            pins->weights[corners[n / 8]] +=
                (block[0] + block[SN_VOXEL_DOFS + 1] + block[2 * SN_VOXEL_DOFS + 2]) / 3.0;
        }
        pins->pieces[piece].excess += find_excess(grid, A);
    }
}

// Motions ----------------------------------------------------------------------------------------

// Where motions are taken about: displacements of bodies that do not turn are about their rest.
static const double *places(const SnVoxelBody *body, const double *x)
{
    return body->linear ? body->grid.rest : x;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// What the sums of a piece are made of: weights, and their first and second moments and those of a
// move, about a place near it.
typedef struct Sums {
    double weight, first[3], second[9];
    double move[3], spin[3], square;
} Sums;

static void add_vertex(Sums *sums, double w, const double r[3], const double d[3])
{
    double x = w * r[0], y = w * r[1], z = w * r[2];
    sums->weight += w;
    sums->first[0] += x;
    sums->first[1] += y;
    sums->first[2] += z;
    sums->second[0] += x * r[0];
    sums->second[4] += y * r[1];
    sums->second[8] += z * r[2];
    sums->second[1] += x * r[1];
    sums->second[5] += y * r[2];
    sums->second[6] += z * r[0];
    sums->move[0] += w * d[0];
    sums->move[1] += w * d[1];
    sums->move[2] += w * d[2];
    sums->spin[0] += y * d[2] - z * d[1];
    sums->spin[1] += z * d[0] - x * d[2];
    sums->spin[2] += x * d[1] - y * d[0];
    sums->square += w * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// Moments about the middle, whose offset from the place of the sums comes out.
static void center_sums(Sums *sums, double offset[3])
{
    double spin[3];
    for (int i = 0; i < 3; ++i) {
        offset[i] = sums->first[i] / sums->weight;
    }
    cross(offset, sums->move, spin);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        sums->spin[i] -= spin[i];
        sums->square -= sums->move[i] * sums->move[i] / sums->weight;
        sums->second[4 * i] -= sums->weight * offset[i] * offset[i];
        sums->second[3 * i + j] -= sums->weight * offset[i] * offset[j];
        sums->second[3 * j + i] = sums->second[3 * i + j];
    }
}

// The tensor of inertia, less what is in excess.
static void find_inertia(const Sums *sums, double excess, double out[9])
{
    const double *S = sums->second;
    double trace = S[0] + S[4] + S[8];
    for (int i = 0; i < 9; ++i) {
        out[i] = (i % 4 == 0 ? trace - excess : 0.0) - S[i];
    }
}

static bool invert(const double inertia[9], double out[9])
{
    double size = fabs(inertia[0]) + fabs(inertia[4]) + fabs(inertia[8]);
    return size > 0.0 && sn_small_invert3(inertia, LEAST_MOMENT * size * size * size, out);
}

// The turn that goes farthest along w: by the arc of its length, about it.
static void find_turn(const double w[3], double out[9])
{
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double c = 1.0 / sqrt(1.0 + square), share = c * c / (1.0 + c);
    // cos I + sin [a] + (1 - cos) a a^T with w = tan a.
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[4 * i] = c + share * w[i] * w[i];
        out[3 * i + j] = share * w[i] * w[j] - c * w[k];
        out[3 * i + k] = share * w[i] * w[k] + c * w[j];
    }
}

static void turn_piece(const SnVoxelBody *body, int piece, const double turn[3], double *move)
{
    const double *center = body->pins.pieces[piece].center;
    double Q[9];
    find_turn(turn, Q);
    // Less where it was, and the straight way: turn x r.
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Q[4 * i] -= 1.0;
        Q[3 * i + j] += turn[k];
        Q[3 * i + k] -= turn[j];
    }
    for (size_t v = 0; v < (size_t)body->grid.vertex_count; ++v) {
        if (body->pins.piece_of[v] != piece) {
            continue;
        }
        const double *x = body->state.positions + 3 * v;
        double r[3] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
        move[3 * v] += Q[0] * r[0] + Q[1] * r[1] + Q[2] * r[2];
        move[3 * v + 1] += Q[3] * r[0] + Q[4] * r[1] + Q[5] * r[2];
        move[3 * v + 2] += Q[6] * r[0] + Q[7] * r[1] + Q[8] * r[2];
    }
}

// E without points in contact.
static void keep_matrix(SnVoxelPiece *piece, const Sums *sums)
{
    double inertia[9];
    find_inertia(sums, piece->excess, inertia);
    memset(piece->matrix, 0, sizeof piece->matrix);
    for (int i = 0; i < 3; ++i) {
        piece->matrix[7 * i] = sums->weight;
        for (int j = 0; j < 3; ++j) {
            piece->matrix[6 * (3 + i) + 3 + j] = inertia[3 * i + j];
        }
    }
}

static void begin_piece(const SnVoxelProblem *problem, int p, double *move)
{
    const SnVoxelBody *body = problem->body;
    SnVoxelPiece *piece = &body->pins.pieces[p];
    const double *x = places(body, body->state.positions);
    const double *near = x + 3 * (size_t)piece->first;
    double inertia[9], inverse[9], offset[3], turn[3];
    Sums sums = {0};
    for (size_t v = (size_t)piece->first; v < (size_t)body->grid.vertex_count; ++v) {
        if (body->pins.piece_of[v] == p) {
            double r[3] = {x[3 * v] - near[0], x[3 * v + 1] - near[1], x[3 * v + 2] - near[2]};
            add_vertex(&sums, body->pins.weights[v], r, move + 3 * v);
        }
    }
    center_sums(&sums, offset);
    keep_matrix(piece, &sums);
    for (int i = 0; i < 3; ++i) {
        piece->center[i] = near[i] + offset[i];
    }
    find_inertia(&sums, 0.0, inertia);
    if (!body->linear && invert(inertia, inverse)) {
        for (int i = 0; i < 3; ++i) {
            turn[i] = inverse[3 * i] * sums.spin[0] + inverse[3 * i + 1] * sums.spin[1] +
                      inverse[3 * i + 2] * sums.spin[2];
        }
        // What mostly changes its shape does not turn as a whole.
        double turning = turn[0] * sums.spin[0] + turn[1] * sums.spin[1] + turn[2] * sums.spin[2];
        if (turning > 0.5 * sums.square) {
            turn_piece(body, p, turn, move);
        }
    }
    for (int i = 0; i < 3 && !body->linear; ++i) {
        piece->center[i] += sums.move[i] / sums.weight;
    }
}

void sn_voxel_rigid_begin(const SnVoxelProblem *problem, double *move)
{
    if (!sn_voxel_rigid_exists(problem)) {
        return;
    }
    sn_voxel_system_combine(problem);
    for (int p = 0; p < problem->body->pins.piece_count; ++p) {
        begin_piece(problem, p, move);
    }
}

// Solves -----------------------------------------------------------------------------------------

// How the corners of a cell move in the rigid motions of its piece, axis by axis.
static void find_motions(const SnVoxelBody *body, const SnVoxelPiece *piece, int cell,
                         double out[6 * SN_VOXEL_NUMBERS])
{
    const int *corners = body->grid.corners + 8 * (size_t)cell;
    const double *x = places(body, body->room.x);
    for (int c = 0; c < 8; ++c) {
        const double *at = x + 3 * (size_t)corners[c];
        double r[3] = {at[0] - piece->center[0], at[1] - piece->center[1],
                       at[2] - piece->center[2]};
        for (int n = 0; n < 6; ++n) {
            double unit[3] = {n % 3 == 0 ? 1.0 : 0.0, n % 3 == 1 ? 1.0 : 0.0,
                              n % 3 == 2 ? 1.0 : 0.0};
            double moved[3] = {unit[0], unit[1], unit[2]};
            if (n >= 3) {
                cross(unit, r, moved);
            }
            for (int i = 0; i < 3; ++i) {
                out[n * SN_VOXEL_NUMBERS + 8 * i + c] = moved[i];
            }
        }
    }
}

// Adds Z^T B Z of a cell that feels contact, B in the world's frame and the kernels' order.
static void add_block(const SnVoxelBody *body, int cell, const float *B)
{
    int p = body->pins.piece_of[body->grid.corners[8 * (size_t)cell]];
    double Z[6 * SN_VOXEL_NUMBERS];
    if (p < 0) {
        return;
    }
    SnVoxelPiece *piece = &body->pins.pieces[p];
    find_motions(body, piece, cell, Z);
    for (int i = 0; i < 6; ++i) {
        double product[SN_VOXEL_NUMBERS] = {0.0};
        for (int n = 0; n < SN_VOXEL_ENTRIES; ++n) {
            product[n % SN_VOXEL_NUMBERS] +=
                (double)B[n] * Z[i * SN_VOXEL_NUMBERS + n / SN_VOXEL_NUMBERS];
        }
        for (int n = 0; n < 6 * SN_VOXEL_NUMBERS; ++n) {
            piece->factor[6 * i + n / SN_VOXEL_NUMBERS] += product[n % SN_VOXEL_NUMBERS] * Z[n];
        }
    }
}

// A tie, which the sums by cell do not have.
static void add_tie(void *context, const SnVoxelPointBlock *block)
{
    const SnVoxelBody *body = context;
    double H[SN_VOXEL_MATRIX];
    float local[SN_VOXEL_ENTRIES], matrix[SN_VOXEL_ENTRIES];
    sn_voxel_point_matrix(block, H);
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        local[i] = (float)H[i];
    }
    sn_voxel_touch_turn(body->room.poses[block->cell].rotation, local, matrix);
    add_block(body, block->cell, matrix);
}

void sn_voxel_rigid_stiffen(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    for (int p = 0; p < body->pins.piece_count; ++p) {
        memcpy(body->pins.pieces[p].factor, body->pins.pieces[p].matrix,
               sizeof body->pins.pieces[p].factor);
    }
    for (int b = 0; points != NULL && b < points->touch.block_count; ++b) {
        add_block(body, points->touch.block_cells[b],
                  points->touch.blocks + SN_VOXEL_ENTRIES * (size_t)b);
    }
    for (int p = 0; p < sn_voxel_ties_count(problem); ++p) {
        sn_voxel_touch_visit(body, points, p, add_tie, problem->body);
    }
    for (int p = 0; p < body->pins.piece_count; ++p) {
        SnVoxelPiece *piece = &body->pins.pieces[p];
        piece->is_solid = sn_small_cholesky(6, piece->factor) && isfinite(piece->factor[35]);
    }
}

static void sum_forces(const SnVoxelBody *body, const float *r)
{
    const double *x = places(body, body->room.x);
    for (int p = 0; p < body->pins.piece_count; ++p) {
        memset(body->pins.pieces[p].motion, 0, sizeof body->pins.pieces[p].motion);
        body->pins.pieces[p].size = 0.0;
    }
    for (size_t v = 0; v < (size_t)body->grid.vertex_count; ++v) {
        if (body->pins.piece_of[v] >= 0) {
            SnVoxelPiece *piece = &body->pins.pieces[body->pins.piece_of[v]];
            double f[3] = {(double)r[4 * v], (double)r[4 * v + 1], (double)r[4 * v + 2]};
            double at[3] = {x[3 * v] - piece->center[0], x[3 * v + 1] - piece->center[1],
                            x[3 * v + 2] - piece->center[2]};
            piece->motion[0] += f[0];
            piece->motion[1] += f[1];
            piece->motion[2] += f[2];
            piece->motion[3] += at[1] * f[2] - at[2] * f[1];
            piece->motion[4] += at[2] * f[0] - at[0] * f[2];
            piece->motion[5] += at[0] * f[1] - at[1] * f[0];
            piece->size += fabs(f[0]) + fabs(f[1]) + fabs(f[2]);
        }
    }
}

static bool is_balanced(const SnVoxelBody *body, const SnVoxelPiece *piece)
{
    bool balanced = true;
    for (int i = 0; i < 6; ++i) {
        double size = piece->size * (i < 3 ? 1.0 : body->size);
        balanced = balanced && fabs(piece->motion[i]) <= BALANCED * size;
    }
    return balanced;
}

bool sn_voxel_rigid_balance(const SnVoxelProblem *problem, const float *r, float *out)
{
    const SnVoxelBody *body = problem->body;
    const double *x = places(body, body->room.x);
    bool any = false;
    sum_forces(body, r);
    for (int p = 0; p < body->pins.piece_count; ++p) {
        SnVoxelPiece *piece = &body->pins.pieces[p];
        any = any || !is_balanced(body, piece);
        // What all of a piece feels is what its middle follows.
        for (int i = 0; i < 3; ++i) {
            piece->shift[i] = piece->motion[i] / piece->matrix[0];
        }
        if (piece->is_solid) {
            sn_small_forward(6, piece->factor, 1, piece->motion);
            sn_small_backward(6, piece->factor, 1, piece->motion);
        } else {
            memset(piece->motion, 0, sizeof piece->motion);
        }
    }
    for (size_t v = 0; v < (size_t)body->grid.vertex_count && any; ++v) {
        int p = body->pins.piece_of[v];
        if (p < 0) {
            memset(out + 4 * v, 0, 3 * sizeof *out);
            continue;
        }
        const double *m = body->pins.pieces[p].motion, *center = body->pins.pieces[p].center;
        double at[3] = {x[3 * v] - center[0], x[3 * v + 1] - center[1], x[3 * v + 2] - center[2]};
        out[4 * v] = (float)(m[0] + m[4] * at[2] - m[5] * at[1]);
        out[4 * v + 1] = (float)(m[1] + m[5] * at[0] - m[3] * at[2]);
        out[4 * v + 2] = (float)(m[2] + m[3] * at[1] - m[4] * at[0]);
    }
    return any;
}

void sn_voxel_rigid_shift(const SnVoxelProblem *problem, float *x)
{
    const SnVoxelPins *pins = &problem->body->pins;
    for (int p = 0; p < pins->piece_count; ++p) {
        memset(pins->pieces[p].motion, 0, sizeof pins->pieces[p].motion);
    }
    for (size_t v = 0; v < (size_t)problem->body->grid.vertex_count; ++v) {
        if (pins->piece_of[v] >= 0) {
            double *motion = pins->pieces[pins->piece_of[v]].motion, w = pins->weights[v];
            motion[0] += w * (double)x[4 * v];
            motion[1] += w * (double)x[4 * v + 1];
            motion[2] += w * (double)x[4 * v + 2];
        }
    }
    for (int p = 0; p < pins->piece_count; ++p) {
        SnVoxelPiece *piece = &pins->pieces[p];
        for (int i = 0; i < 3; ++i) {
            double shift = piece->shift[i] - piece->motion[i] / piece->matrix[0];
            piece->motion[i] = isfinite(shift) ? shift : 0.0;
        }
    }
    for (size_t v = 0; v < (size_t)problem->body->grid.vertex_count; ++v) {
        if (pins->piece_of[v] >= 0) {
            const double *motion = pins->pieces[pins->piece_of[v]].motion;
            x[4 * v] += (float)motion[0];
            x[4 * v + 1] += (float)motion[1];
            x[4 * v + 2] += (float)motion[2];
        }
    }
}
