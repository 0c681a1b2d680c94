#include "model/tetmg/coarse_contact.h"

#include "model/point_set.h"

#include <math.h>
#include <string.h>

enum {
    CORNERS = 8,       // nodes that a vertex follows
    NODES_MOST = 96,   // touched: the dense part grows with the third power
    NODES_LEAST = 16,  //
    SLOTS_SPARE = 32,  // columns beyond those: contact that comes and goes finds them again
    COLUMNS_FEW = 1000 // nodes of a body whose columns take no time to speak of
};

// Added to the diagonal of S, as a share of it: its inverse is then never too large, and the
// preconditioner stays definite.
#define REGULARISE 1e-5

static int least(int a, int b)
{
    return a < b ? a : b;
}

static size_t stride_of(int rows)
{
    return sn_split_triangle_stride(rows);
}

// Memory -----------------------------------------------------------------------------------------

static SinewStatus make(SnTetmg *body, SnTetmgContact *contact, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    size_t nodes = (size_t)body->coarse.count;
    int most = NODES_MOST * COLUMNS_FEW /
               (body->coarse.count > COLUMNS_FEW ? body->coarse.count : COLUMNS_FEW);
    contact->node_max = least(most > NODES_LEAST ? most : NODES_LEAST, body->coarse.count);
    contact->slot_count = least(contact->node_max + SLOTS_SPARE, body->coarse.count);
    size_t stride = stride_of(3 * contact->node_max);
    SN_ALLOC(contact->place, allocator, nodes, error);
    SN_ALLOC(contact->slots, allocator, nodes, error);
    SN_ALLOC(contact->slot_nodes, allocator, contact->slot_count, error);
    SN_ALLOC(contact->columns, allocator, 9 * nodes * (size_t)contact->slot_count, error);
    SN_ALLOC(contact->nodes, allocator, contact->node_max, error);
    SN_ALLOC(contact->known, allocator, contact->node_max, error);
    SN_ALLOC(contact->schur, allocator, stride * stride, error);
    SN_ALLOC(contact->stiffness, allocator, stride * stride, error);
    SN_ALLOC(contact->work[0], allocator, stride * stride, error);
    SN_ALLOC(contact->work[1], allocator, stride * stride, error);
    SN_ALLOC(contact->factor.values, allocator, stride * stride, error);
    SN_ALLOC(contact->scales, allocator, stride, error);
    SN_ALLOC_ZERO(contact->stamps, allocator, body->tets.elements.vertex_count, error);
    SN_ALLOC(contact->gathered, allocator, stride, error);
    SN_ALLOC(contact->moved, allocator, stride, error);
done:
    return status;
}

static void release(SnTetmgContact *contact, const SinewAllocator *allocator)
{
    if (contact != NULL) {
        void *const arrays[] = {
            contact->place,   contact->slots,   contact->slot_nodes,    contact->columns,
            contact->nodes,   contact->known,   contact->schur,         contact->stiffness,
            contact->work[0], contact->work[1], contact->factor.values, contact->gathered,
            contact->moved,   contact->scales,  contact->stamps,        contact};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
            sn_free(allocator, arrays[i]);
        }
    }
}

static void clear_nodes(SnTetmgContact *contact)
{
    for (int i = 0; i < contact->node_count; ++i) {
        contact->place[contact->nodes[i]] = -1;
    }
    contact->node_count = 0;
}

SinewStatus sn_tetmg_coarse_contact_reserve(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgContact *made = NULL;
    if (body->contact == NULL && body->coarse.count > 0) {
        SN_ALLOC_ZERO(made, &body->tets.allocator, 1, error);
        SN_TRY(make(body, made, error));
        body->contact = made;
        made = NULL;
        sn_tetmg_coarse_contact_forget(body);
    }
    if (body->contact != NULL) {
        clear_nodes(body->contact);
    }
done:
    release(made, &body->tets.allocator);
    return status;
}

void sn_tetmg_coarse_contact_release(SnTetmg *body)
{
    release(body->contact, &body->tets.allocator);
    body->contact = NULL;
}

void sn_tetmg_coarse_contact_forget(SnTetmg *body)
{
    SnTetmgContact *contact = body->contact;
    if (contact != NULL) {
        contact->node_count = contact->known_count = 0;
        for (int n = 0; n < body->coarse.count; ++n) {
            contact->place[n] = contact->slots[n] = -1;
        }
        for (int s = 0; s < contact->slot_count; ++s) {
            contact->slot_nodes[s] = -1;
        }
    }
}

// Columns of the inverse -------------------------------------------------------------------------

static float *column_of(const SnTetmg *body, int slot)
{
    return body->contact->columns + 9 * (size_t)body->coarse.count * (size_t)slot;
}

// A slot that no touched node has: an empty one, or else the first.
static int find_slot(const SnTetmgContact *contact)
{
    int found = -1;
    for (int s = 0; s < contact->slot_count; ++s) {
        int node = contact->slot_nodes[s];
        if (node < 0) {
            return s;
        }
        found = found < 0 && contact->place[node] < 0 ? s : found;
    }
    return found;
}

static SinewStatus solve_column(const SnSplitProblem *problem, SnTetmg *body, int node,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgContact *contact = body->contact;
    size_t rows = 3 * (size_t)body->coarse.count;
    int slot = find_slot(contact);
    float *column = column_of(body, slot);
    if (contact->slot_nodes[slot] >= 0) {
        contact->slots[contact->slot_nodes[slot]] = -1;
    }
    contact->slot_nodes[slot] = -1;
    memset(column, 0, 3 * rows * sizeof *column);
    for (size_t k = 0; k < 3; ++k) {
        float *right = body->coarse.right; // which is as long as solves want it
        memset(right, 0, rows * sizeof *right);
        right[3 * (size_t)node + k] = 1.0f;
        SN_TRY(sn_cholesky_solve_float(body->coarse.cholesky, body->coarse.work, problem->workers,
                                       right, error));
        memcpy(column + k * rows, right, rows * sizeof *right);
    }
    contact->slots[node] = slot;
    contact->slot_nodes[slot] = node;
done:
    return status;
}

// S of the touched nodes, scaled to a unit diagonal, in the lower triangle.
static void fill_compliance(const SnTetmg *body, double *matrix, double *scales)
{
    const SnTetmgContact *contact = body->contact;
    int count = 3 * contact->node_count;
    size_t stride = stride_of(count), rows = 3 * (size_t)body->coarse.count;
    for (int j = 0; j < count; ++j) {
        const float *column =
            column_of(body, contact->slots[contact->nodes[j / 3]]) + (size_t)(j % 3) * rows;
        for (int i = j; i < count; ++i) {
            matrix[(size_t)i + (size_t)j * stride] =
                (double)column[3 * contact->nodes[i / 3] + i % 3];
        }
        scales[j] = 1.0 / sqrt(matrix[(size_t)j + (size_t)j * stride]);
    }
    for (int j = 0; j < count; ++j) {
        for (int i = j; i < count; ++i) {
            matrix[(size_t)i + (size_t)j * stride] *= scales[i] * scales[j];
        }
        matrix[(size_t)j + (size_t)j * stride] += REGULARISE;
    }
}

// S^-1 = W W^T of the inverse factor, both triangles. False: S is not definite.
static bool invert_compliance(SnTetmg *body)
{
    SnTetmgContact *contact = body->contact;
    const SnDenseKernels *dense = body->tets.kernels->dense;
    int count = 3 * contact->node_count;
    size_t stride = stride_of(count);
    double *matrix = contact->work[0], *inverse = contact->work[1];
    double *scales = contact->scales;
    memset(matrix, 0, stride * stride * sizeof *matrix);
    fill_compliance(body, matrix, scales);
    if (dense->cholesky(count, matrix, (int)stride) >= 0) {
        return false;
    }
    memset(inverse, 0, stride * stride * sizeof *inverse);
    dense->invert(count, matrix, (int)stride, inverse, (int)stride);
    SnDenseProduct product = {.rows = count,
                              .columns = count,
                              .depth = count,
                              .A = inverse,
                              .lda = (int)stride,
                              .B = inverse,
                              .ldb = (int)stride,
                              .C = contact->schur,
                              .ldc = (int)stride};
    dense->multiply(&product);
    for (size_t j = 0; j < (size_t)count; ++j) {
        for (size_t i = 0; i < (size_t)count; ++i) {
            contact->schur[i + j * stride] *= scales[i] * scales[j];
        }
    }
    return true;
}

// Linearisations ---------------------------------------------------------------------------------

// Nodes that the corners of active points follow, as many as there is memory for.
static void list_nodes(const SnSplitProblem *problem, SnTetmg *body, int first)
{
    SnTetmgContact *contact = body->contact;
    const SnTetmgCoarse *c = &body->coarse;
    const SnPointSet *points = problem->step->contacts->points;
    clear_nodes(contact);
    for (int i = 4 * first; i < 4 * points->active_count; ++i) {
        size_t corner = 4 * (size_t)points->active[i / 4] + (size_t)(i % 4);
        size_t vertex = (size_t)body->tets.inside[points->vertices[corner]];
        bool acts = points->weights[corner] > 0.0;
        for (size_t k = CORNERS * vertex; acts && k < CORNERS * (vertex + 1); ++k) {
            int node = c->nodes[k] / 4;
            if (c->weights[k] != 0.0f && contact->place[node] < 0 &&
                contact->node_count < contact->node_max) {
                contact->place[node] = contact->node_count;
                contact->nodes[contact->node_count++] = node;
            }
        }
    }
}

// u R of a node: how a vertex that follows it by u moves with it.
static void follow(const SnTetmgCoarse *c, size_t k, double out[9])
{
    const float *R = c->turns + 3 * (size_t)c->nodes[k];
    for (size_t i = 0; i < 9; ++i) {
        out[i] = (double)c->weights[k] * (double)R[4 * (i / 3) + i % 3];
    }
}

// Adds B^T K B of one vertex, in the lower triangle of Q.
static void add_vertex(const SnTetmg *body, size_t vertex, double *Q, size_t stride)
{
    const SnTetmgCoarse *c = &body->coarse;
    const float *K = body->matrix.added + 12 * vertex;
    double B[CORNERS][9], KB[CORNERS][9];
    int place[CORNERS];
    for (size_t a = 0; a < CORNERS; ++a) {
        size_t k = CORNERS * vertex + a;
        place[a] = c->weights[k] != 0.0f ? body->contact->place[c->nodes[k] / 4] : -1;
        follow(c, k, B[a]);
        for (size_t i = 0; i < 9; ++i) {
            const float *row = K + 4 * (i / 3);
            KB[a][i] = (double)row[0] * B[a][i % 3] + (double)row[1] * B[a][3 + i % 3] +
                       (double)row[2] * B[a][6 + i % 3];
        }
    }
    for (size_t n = 0; n < CORNERS * CORNERS; ++n) {
        size_t a = n / CORNERS, b = n % CORNERS;
        for (size_t i = 0; place[a] >= 0 && place[b] >= 0 && i < 9; ++i) {
            size_t row = 3 * (size_t)place[a] + i / 3, column = 3 * (size_t)place[b] + i % 3;
            Q[row + column * stride] += B[a][i / 3] * KB[b][i % 3] +
                                        B[a][3 + i / 3] * KB[b][3 + i % 3] +
                                        B[a][6 + i / 3] * KB[b][6 + i % 3];
        }
    }
}

// Q of all vertices that points touch. A vertex has its block once, however many points it serves.
static void fill_stiffness(const SnSplitProblem *problem, SnTetmg *body, int first)
{
    SnTetmgContact *contact = body->contact;
    const SnPointSet *points = problem->step->contacts->points;
    size_t stride = stride_of(3 * contact->node_count);
    memset(contact->stiffness, 0, stride * stride * sizeof *contact->stiffness);
    contact->stamp += 1;
    for (int i = 4 * first; i < 4 * points->active_count; ++i) {
        size_t corner = 4 * (size_t)points->active[i / 4] + (size_t)(i % 4);
        size_t vertex = (size_t)body->tets.inside[points->vertices[corner]];
        if (contact->stamps[vertex] != contact->stamp) {
            contact->stamps[vertex] = contact->stamp;
            add_vertex(body, vertex, contact->stiffness, stride);
        }
    }
}

// S^-1 + Q, factored.
static bool factor(SnTetmg *body)
{
    SnTetmgContact *contact = body->contact;
    int count = 3 * contact->node_count;
    size_t stride = stride_of(count);
    for (size_t i = 0; i < stride * (size_t)count; ++i) {
        contact->work[0][i] = contact->schur[i] + contact->stiffness[i];
    }
    return sn_split_triangle_factor(body->tets.kernels->dense, contact->work[0], count,
                                    &contact->factor);
}

SinewStatus sn_tetmg_coarse_contact_linearise(const SnSplitProblem *problem, int first,
                                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmg *body = (SnTetmg *)(void *)problem->body; // its first member
    SnTetmgContact *contact = body->contact;
    if (contact == NULL) {
        return SINEW_OK;
    }
    // Without inertia C hardly holds a body that only contact carries, and float leaves nothing of
    // the difference that the formula lives on.
    if (!(problem->step->dt > 0.0)) {
        clear_nodes(contact);
        return SINEW_OK;
    }
    list_nodes(problem, body, first);
    size_t size = (size_t)contact->node_count * sizeof *contact->nodes;
    for (int i = 0; i < contact->node_count; ++i) {
        if (contact->slots[contact->nodes[i]] < 0) {
            SN_TRY(solve_column(problem, body, contact->nodes[i], error));
        }
    }
    if (contact->known_count != contact->node_count ||
        memcmp(contact->known, contact->nodes, size) != 0) {
        contact->known_count = invert_compliance(body) ? contact->node_count : 0;
        memcpy(contact->known, contact->nodes, size);
    }
    fill_stiffness(problem, body, first);
    contact->is_ready = contact->known_count > 0 && factor(body);
done:
    return status;
}

// y = A x of a symmetric matrix that has both triangles.
static void multiply(const double *A, int count, const float *x, float *y)
{
    size_t stride = stride_of(count);
    for (size_t i = 0; i < (size_t)count; ++i) {
        const double *column = A + i * stride;
        double sum = 0.0;
        for (size_t j = 0; j < (size_t)count; ++j) {
            sum += column[j] * (double)x[j];
        }
        y[i] = (float)sum;
    }
}

void sn_tetmg_coarse_contact_correct(SnTetmg *body, float *right)
{
    SnTetmgContact *contact = body->contact;
    if (contact == NULL || contact->node_count == 0 || !contact->is_ready) {
        return;
    }
    int count = 3 * contact->node_count;
    size_t rows = 3 * (size_t)body->coarse.count;
    for (int i = 0; i < count; ++i) {
        contact->gathered[i] = right[3 * contact->nodes[i / 3] + i % 3];
    }
    multiply(contact->stiffness, count, contact->gathered, contact->moved);
    sn_split_triangle_solve(&contact->factor, contact->moved);
    multiply(contact->schur, count, contact->moved, contact->gathered);
    for (int j = 0; j < count; ++j) {
        const float *column =
            column_of(body, contact->slots[contact->nodes[j / 3]]) + (size_t)(j % 3) * rows;
        float share = contact->gathered[j];
        for (size_t i = 0; i < rows; ++i) {
            right[i] -= share * column[i];
        }
    }
}
