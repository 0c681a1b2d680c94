#include "model/split/woodbury.h"

#include "model/split/system.h"

#include <math.h>
#include <string.h>

enum {
    COLUMN_GRAIN = 16, // columns per range
    SQUARINGS = 10     // of a 3x3 matrix: the largest of its directions then stands alone
};

// Directions with less than this share of a node's stiffness are left out.
#define STIFFNESS_LEAST 1e-3

// A node agrees with the normal of all when the coupling of normal and tangents is below this
// share of its stiffness, and its two tangents differ by less than the second. What slides is stiff
// across its way alone, which is half of its stiffness at most.
#define COUPLING_MOST 0.1
#define TANGENTS_MOST 0.6

// Share of all stiffness that may disagree.
#define DISAGREE_MOST 0.02

// Memory -----------------------------------------------------------------------------------------

static SinewStatus make_rows(SnSplit *body, SnWoodbury *w, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t count = (size_t)w->node_max;
    size_t rows = SN_WOODBURY_GROUPS * count;
    size_t stride = sn_split_triangle_stride(w->node_max);
    SN_ALLOC(w->row_node, allocator, rows, error);
    SN_ALLOC(w->row_pull, allocator, 3 * rows, error);
    SN_ALLOC(w->row_value, allocator, rows, error);
    SN_ALLOC(w->lent, allocator, count, error);
    SN_ALLOC_ZERO(w->vectors, allocator, 3 * (size_t)w->columns.length, error);
    SN_ALLOC(w->sums, allocator, 3 * count, error);
    SN_ALLOC_ZERO(w->move, allocator, sn_round_up(sn_split_dofs(body) + 4, 16), error);
    SN_ALLOC(w->factors[0].values, allocator, stride * count, error);
    SN_ALLOC(w->factors[1].values, allocator, stride * count, error);
done:
    return status;
}

// Dense matrices of rows of N or of the coarse space, whichever are more.
static SinewStatus make_work(SnSplit *body, SnWoodbury *w, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int rows = SN_COARSE_FRAME * w->coarse.cluster_max;
    size_t coarse = sn_split_triangle_stride(rows);
    size_t stride = sn_split_triangle_stride(w->node_max);
    stride = stride > coarse ? stride : coarse;
    SN_ALLOC(w->work[0], &body->allocator, stride * stride, error);
    SN_ALLOC(w->work[1], &body->allocator, coarse * coarse, error);
done:
    return status;
}

static void destroy(SnWoodbury *w, const SinewAllocator *allocator)
{
    if (w == NULL) {
        return;
    }
    sn_split_columns_release(&w->columns, allocator);
    sn_woodbury_nodes_release(w, allocator);
    sn_woodbury_coarse_release(w, allocator);
    void *const arrays[] = {w->row_node,          w->row_pull, w->row_value, (void *)w->lent,
                            w->vectors,           w->sums,     w->move,      w->factors[0].values,
                            w->factors[1].values, w->work[0],  w->work[1]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
    sn_free(allocator, w);
}

static SinewStatus create(SnSplit *body, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWoodbury *w = NULL;
    SN_ALLOC_ZERO(w, &body->allocator, 1, error);
    SN_TRY(sn_split_columns_reserve(body, &w->columns, workers, error));
    SN_TRY(sn_woodbury_nodes_reserve(body, w, error));
    SN_TRY(make_rows(body, w, error));
    SN_TRY(sn_woodbury_coarse_reserve(body, w, error));
    SN_TRY(make_work(body, w, error));
    body->woodbury = w;
    w = NULL;
done:
    destroy(w, &body->allocator);
    return status;
}

// Nothing is known of contact.
static void clear(SnWoodbury *w)
{
    w->row_count = w->group_count = 0;
    w->coarse.cluster_count = 0;
    w->is_known = false;
}

SinewStatus sn_woodbury_reserve(SnSplit *body, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (body->system == NULL || body->system->has_levels) {
        return SINEW_OK;
    }
    if (body->woodbury == NULL) {
        SN_TRY(create(body, workers, error));
    }
    // Another body may have made the system's values anew.
    SN_TRY(sn_split_columns_reserve(body, &body->woodbury->columns, workers, error));
    clear(body->woodbury);
    body->woodbury->columns.solves = 0;
    body->knows_ties = true;
done:
    return status;
}

void sn_woodbury_destroy(SnSplit *body)
{
    destroy(body->woodbury, &body->allocator);
    body->woodbury = NULL;
}

void sn_woodbury_forget(SnSplit *body)
{
    if (body->woodbury != NULL) {
        sn_split_columns_forget(&body->woodbury->columns);
        body->woodbury->coarse.known_count = 0;
        clear(body->woodbury);
    }
}

// Rows -------------------------------------------------------------------------------------------

static void add_row(SnWoodbury *w, int node, const double pull[3])
{
    int row = w->row_count++;
    w->row_node[row] = node;
    for (size_t k = 0; k < 3; ++k) {
        w->row_pull[3 * (size_t)row + k] = (float)pull[k];
    }
}

// The direction of the largest stiffness of all nodes together, by squaring their sum.
static void find_normal(const SnWoodbury *w, double out[3])
{
    double sum[9] = {0.0}, square[9];
    for (size_t i = 0; i < 9 * (size_t)w->node_count; ++i) {
        sum[i % 9] += w->nodes[i / 9].stiffness[i % 9];
    }
    for (int k = 0; k < SQUARINGS; ++k) {
        double trace = sn_woodbury_trace(sum);
        for (size_t i = 0; i < 9; ++i) {
            sum[i] /= trace;
        }
        for (size_t i = 0; i < 9; ++i) {
            const double *a = sum + 3 * (i / 3), *b = sum + i % 3;
            square[i] = a[0] * b[0] + a[1] * b[3] + a[2] * b[6];
        }
        memcpy(sum, square, sizeof sum);
    }
    size_t best = sum[4] > sum[0] ? 1 : 0;
    best = sum[8] > sum[4 * best] ? 2 : best;
    double length =
        sqrt(sum[best] * sum[best] + sum[3 + best] * sum[3 + best] + sum[6 + best] * sum[6 + best]);
    for (size_t k = 0; k < 3; ++k) {
        out[k] = sum[3 * k + best] / length;
    }
}

// Two directions across n.
static void find_tangents(const double n[3], double s[3], double t[3])
{
    size_t least = fabs(n[1]) < fabs(n[0]) ? 1 : 0;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    double length = sqrt(1.0 - n[least] * n[least]);
    for (size_t k = 0; k < 3; ++k) {
        s[k] = ((k == least ? 1.0 : 0.0) - n[least] * n[k]) / length;
    }
    for (size_t k = 0; k < 3; ++k) {
        size_t a = (k + 1) % 3, b = (k + 2) % 3;
        t[k] = n[a] * s[b] - n[b] * s[a];
    }
}

static double form(const double K[9], const double a[3], const double b[3])
{
    double sum = 0.0;
    for (size_t k = 0; k < 9; ++k) {
        sum += a[k / 3] * K[k] * b[k % 3];
    }
    return sum;
}

// Whether K has n as one of its directions, and nearly the same stiffness in both others.
static bool agrees(const double K[9], const double n[3], const double s[3], const double t[3])
{
    double trace = sn_woodbury_trace(K);
    double coupling = fabs(form(K, n, s)) + fabs(form(K, n, t));
    double tangents = fabs(form(K, s, s) - form(K, t, t)) + 2.0 * fabs(form(K, s, t));
    return coupling <= COUPLING_MOST * trace && tangents <= TANGENTS_MOST * trace;
}

static bool is_flat(const SnWoodbury *w, const double n[3], const double s[3], const double t[3])
{
    double all = 0.0, other = 0.0;
    for (int i = 0; i < w->node_count; ++i) {
        const double *K = w->nodes[i].stiffness;
        all += sn_woodbury_trace(K);
        other += agrees(K, n, s, t) ? 0.0 : sn_woodbury_trace(K);
    }
    return other <= DISAGREE_MOST * all;
}

// Along the normal, and across it with the mean of both directions. Sums stay those of K.
static void list_flat(SnWoodbury *w, const double n[3], const double s[3], const double t[3])
{
    const double *directions[SN_WOODBURY_GROUPS] = {n, s, t};
    w->group_count = SN_WOODBURY_GROUPS;
    for (int g = 0; g < SN_WOODBURY_GROUPS; ++g) {
        w->groups[g] = (SnWoodburyGroup){.begin = w->row_count, .factor = g > 0 ? 1 : 0};
        for (int i = 0; i < w->node_count; ++i) {
            const double *K = w->nodes[i].stiffness;
            double along = form(K, n, n), across = 0.5 * (sn_woodbury_trace(K) - along);
            double k = g == 0 ? along : across;
            if (k > STIFFNESS_LEAST * sn_woodbury_trace(K)) {
                double root = sqrt(k), pull[3];
                for (size_t c = 0; c < 3; ++c) {
                    pull[c] = root * directions[g][c];
                }
                add_row(w, i, pull);
            }
        }
        w->groups[g].count = w->row_count - w->groups[g].begin;
    }
}

// Columns of L, K = L L^T, by pivots in the order of size: few where K has a low rank. The arrays
// hold three per node.
static void list_columns(SnWoodbury *w, int node)
{
    double K[9];
    double least = STIFFNESS_LEAST * sn_woodbury_trace(w->nodes[node].stiffness);
    memcpy(K, w->nodes[node].stiffness, sizeof K);
    for (int rank = 0; rank < 3; ++rank) {
        size_t pivot = K[4] > K[0] ? 1 : 0;
        pivot = K[8] > K[4 * pivot] ? 2 : pivot;
        if (!(K[4 * pivot] > least)) {
            break;
        }
        double root = sqrt(K[4 * pivot]), pull[3];
        for (size_t k = 0; k < 3; ++k) {
            pull[k] = K[3 * k + pivot] / root;
        }
        add_row(w, node, pull);
        for (size_t k = 0; k < 9; ++k) {
            K[k] -= pull[k / 3] * pull[k % 3];
        }
    }
}

static void list_rows(SnWoodbury *w)
{
    double n[3], s[3], t[3];
    w->row_count = w->group_count = 0;
    if (w->node_count == 0) {
        return;
    }
    find_normal(w, n);
    find_tangents(n, s, t);
    if (is_flat(w, n, s, t)) {
        list_flat(w, n, s, t);
        return;
    }
    for (int i = 0; i < w->node_count; ++i) {
        list_columns(w, i);
    }
    w->groups[0] = (SnWoodburyGroup){.count = w->row_count};
    w->group_count = 1;
}

// Rows of all nodes. Where they are more than there may be, of the stiffest nodes.
static void find_rows(const SnSplitProblem *problem, SnWoodbury *w)
{
    int most = w->node_max;
    list_rows(w);
    while (w->group_count == 1 && w->row_count > w->node_max) {
        most = most * w->node_max / w->row_count;
        sn_woodbury_thin_nodes(problem, w, most);
        list_rows(w);
    }
}

// N ----------------------------------------------------------------------------------------------

// An entry of G.
static double compliance(const SnWoodbury *w, const SnWoodburyNode *a, const SnWoodburyNode *b)
{
    double sum = 0.0;
    for (int i = a->begin; i < a->end; ++i) {
        int vertex = w->vertices[w->entry_vertex[i]];
        for (int j = b->begin; j < b->end; ++j) {
            sum += (double)w->entry_weight[i] * (double)w->entry_weight[j] *
                   (double)w->lent[w->entry_vertex[j]][vertex];
        }
    }
    return sum;
}

static void fill_group(const SnWoodbury *w, const SnWoodburyGroup *group, double *matrix)
{
    size_t stride = sn_split_triangle_stride(group->count);
    for (int j = 0; j < group->count; ++j) {
        int column = group->begin + j;
        const SnWoodburyNode *node = &w->nodes[w->row_node[column]];
        const float *b = w->row_pull + 3 * (size_t)column;
        for (int i = j; i < group->count; ++i) {
            int row = group->begin + i;
            const float *a = w->row_pull + 3 * (size_t)row;
            double pulls = (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] +
                           (double)a[2] * (double)b[2];
            matrix[(size_t)i + (size_t)j * stride] =
                pulls * compliance(w, &w->nodes[w->row_node[row]], node) + (i == j ? 1.0 : 0.0);
        }
    }
}

// Where the matrix is not definite in float, contact stays out of this linearisation's
// preconditioner.
static void factor_groups(const SnSplit *body, SnWoodbury *w)
{
    bool definite = true;
    for (int g = 0; g < w->group_count && g < 2 && definite; ++g) { // the third has the second's
        const SnWoodburyGroup *group = &w->groups[g];
        fill_group(w, group, w->work[0]);
        definite = sn_split_triangle_factor(body->kernels->dense, w->work[0], group->count,
                                            &w->factors[group->factor]);
    }
    w->row_count = definite ? w->row_count : 0;
    w->group_count = definite ? w->group_count : 0;
}

SinewStatus sn_woodbury_linearise(const SnSplitProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    SnWoodbury *w = body->woodbury;
    if (w == NULL || problem->step->contacts == NULL) {
        return SINEW_OK;
    }
    // Without inertia A hardly holds a body that only contact carries: columns of its inverse are
    // then so large that float leaves nothing of the difference that the formula lives on.
    if (!(problem->step->dt > 0.0)) {
        clear(w);
        return SINEW_OK;
    }
    if (!sn_woodbury_find_nodes(problem, w)) {
        return SINEW_OK;
    }
    find_rows(problem, w);
    SN_TRY(
        sn_split_columns_take(problem, &w->columns, w->vertices, w->vertex_count, w->lent, error));
    factor_groups(body, w);
    sn_woodbury_coarse_linearise(body, w);
done:
    if (status < 0) {
        clear(w);
    }
    return status;
}

// In a solve -------------------------------------------------------------------------------------

typedef struct Job {
    const SnSplit *body;
    const SnColumns *columns;
} Job;

static void dot_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->body->kernels->columns->dot(job->columns, begin, end);
}

// sums = A^-1 r at the nodes' vertices.
static void sum_columns(const SnSplitProblem *problem, SnWoodbury *w, const float *r)
{
    const SnSplit *body = problem->body;
    size_t length = (size_t)w->columns.length;
    size_t count = (size_t)body->elements.vertex_count;
    for (size_t i = 0; i < count; ++i) {
        w->vectors[i] = r[3 * i];
        w->vectors[length + i] = r[3 * i + 1];
        w->vectors[2 * length + i] = r[3 * i + 2];
    }
    SnColumns columns = {w->columns.length, w->lent, w->vectors, w->sums};
    Job job = {body, &columns};
    sn_parallel_for(problem->workers, w->vertex_count, COLUMN_GRAIN, dot_range, &job);
}

// The row's share of `sums`.
static float row_gather(const SnWoodbury *w, int row)
{
    const SnWoodburyNode *node = &w->nodes[w->row_node[row]];
    const float *pull = w->row_pull + 3 * (size_t)row;
    float value = 0.0f;
    for (int i = node->begin; i < node->end; ++i) {
        const float *sum = w->sums + 3 * (size_t)w->entry_vertex[i];
        value += w->entry_weight[i] * ((pull[0] * sum[0] + pull[1] * sum[1]) + pull[2] * sum[2]);
    }
    return value;
}

static void row_scatter(const SnWoodbury *w, int row, float *forces)
{
    const SnWoodburyNode *node = &w->nodes[w->row_node[row]];
    const float *pull = w->row_pull + 3 * (size_t)row;
    for (int i = node->begin; i < node->end; ++i) {
        float *out = forces + 3 * (size_t)w->vertices[w->entry_vertex[i]];
        float value = w->entry_weight[i] * w->row_value[row];
        for (size_t k = 0; k < 3; ++k) {
            out[k] -= pull[k] * value;
        }
    }
}

// forces -= W N W^T of the move in `sums`.
static void answer(SnWoodbury *w, float *forces)
{
    for (int i = 0; i < w->row_count; ++i) {
        w->row_value[i] = row_gather(w, i);
    }
    for (int g = 0; g < w->group_count; ++g) {
        sn_split_triangle_solve(&w->factors[w->groups[g].factor],
                                w->row_value + w->groups[g].begin);
    }
    for (int i = 0; i < w->row_count; ++i) {
        row_scatter(w, i, forces);
    }
}

void sn_woodbury_relieve(const SnSplitProblem *problem, float *forces)
{
    SnWoodbury *w = problem->body->woodbury;
    sum_columns(problem, w, forces);
    answer(w, forces);
}

void sn_woodbury_oppose(const SnSplitProblem *problem, const float *move, float *forces)
{
    SnWoodbury *w = problem->body->woodbury;
    for (int i = 0; i < w->vertex_count; ++i) {
        memcpy(w->sums + 3 * (size_t)i, move + 3 * (size_t)w->vertices[i], 3 * sizeof *w->sums);
    }
    answer(w, forces);
}
