#include "model/split/woodbury.h"

#include "model/point_set.h"
#include "model/split/system.h"

#include <math.h>
#include <string.h>

enum {
    COLUMN_GRAIN = 16, // columns per range
    SQUARINGS = 10,    // of a 3x3 matrix: the largest of its directions then stands alone
    HALVINGS = 60      // of an interval, to find which vertices are the stiffest
};

// Corners with less of a point than this are left out.
#define WEIGHT_LEAST 1e-3

// Vertices with less than this share of the largest stiffness are left out.
#define STIFFNESS_LEAST 1e-3

// A vertex agrees with the normal of all when the coupling of normal and tangents is below this
// share of its stiffness, and its two tangents differ by less than the second. What slides is stiff
// across its way alone, which is half of its stiffness at most.
#define COUPLING_MOST 0.1
#define TANGENTS_MOST 0.6

// Share of all stiffness that may disagree.
#define DISAGREE_MOST 0.02

// Memory -----------------------------------------------------------------------------------------

static SinewStatus make_touched(SnSplit *body, SnWoodbury *w, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t count = (size_t)body->elements.vertex_count;
    SN_ALLOC(w->place, allocator, count, error);
    SN_ALLOC(w->touched, allocator, count, error);
    SN_ALLOC(w->lumped, allocator, 9 * count, error);
    for (size_t v = 0; v < count; ++v) {
        w->place[v] = -1;
    }
done:
    return status;
}

static SinewStatus make_rows(SnSplit *body, SnWoodbury *w, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t count = (size_t)w->columns.capacity;
    size_t rows = SN_WOODBURY_GROUPS * count;
    size_t stride = sn_split_triangle_stride(w->columns.capacity);
    w->row_max = w->columns.capacity;
    SN_ALLOC(w->vertices, allocator, count, error);
    SN_ALLOC(w->stiffness, allocator, 9 * count, error);
    SN_ALLOC(w->last_vertices, allocator, count, error);
    SN_ALLOC(w->last_stiffness, allocator, 9 * count, error);
    SN_ALLOC(w->row_vertex, allocator, rows, error);
    SN_ALLOC(w->row_pull, allocator, 3 * rows, error);
    SN_ALLOC(w->row_value, allocator, rows, error);
    SN_ALLOC(w->lent, allocator, count, error);
    SN_ALLOC_ZERO(w->vectors, allocator, 3 * (size_t)w->columns.length, error);
    SN_ALLOC(w->sums, allocator, 3 * count, error);
    SN_ALLOC(w->factors[0].values, allocator, stride * count, error);
    SN_ALLOC(w->factors[1].values, allocator, stride * count, error);
done:
    return status;
}

// Dense matrices of rows of S or of the coarse space, whichever are more.
static SinewStatus make_work(SnSplit *body, SnWoodbury *w, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int rows = SN_COARSE_FRAME * w->coarse.cluster_max;
    size_t coarse = sn_split_triangle_stride(rows);
    size_t stride = sn_split_triangle_stride(w->row_max);
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
    sn_woodbury_coarse_release(w, allocator);
    void *const arrays[] = {w->place,
                            w->touched,
                            w->lumped,
                            w->vertices,
                            w->stiffness,
                            w->last_vertices,
                            w->last_stiffness,
                            w->row_vertex,
                            w->row_pull,
                            w->row_value,
                            w->lent,
                            w->vectors,
                            w->sums,
                            w->factors[0].values,
                            w->factors[1].values,
                            w->work[0],
                            w->work[1]};
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
    SN_TRY(make_touched(body, w, error));
    SN_TRY(make_rows(body, w, error));
    SN_TRY(sn_woodbury_coarse_reserve(body, w, error));
    SN_TRY(make_work(body, w, error));
    body->woodbury = w;
    w = NULL;
done:
    destroy(w, &body->allocator);
    return status;
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
    body->woodbury->row_count = body->woodbury->group_count = 0;
    body->woodbury->coarse.cluster_count = 0;
    body->woodbury->last_count = -1;
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
        body->woodbury->coarse.cluster_count = 0;
        body->woodbury->row_count = body->woodbury->group_count = 0;
    }
}

// Lumping ----------------------------------------------------------------------------------------

static double trace_of(const double K[9])
{
    return K[0] + K[4] + K[8];
}

static void add_point(const SnSplit *body, SnWoodbury *w, const int *corners, const double *weights,
                      const double K[9], double scale)
{
    for (size_t a = 0; a < 4; ++a) {
        double share = fabs(weights[a]);
        int outside = corners[a];
        if (share <= WEIGHT_LEAST || body->pins.set.held[outside] == 7) {
            continue;
        }
        int v = body->inside[outside];
        if (w->place[v] < 0) {
            w->place[v] = w->touched_count;
            w->touched[w->touched_count++] = v;
            memset(w->lumped + 9 * (size_t)w->place[v], 0, 9 * sizeof *w->lumped);
        }
        for (size_t k = 0; k < 9; ++k) {
            w->lumped[9 * (size_t)w->place[v] + k] += scale * share * K[k];
        }
    }
}

// Row sums of W^T K W, whose weights add up to one: K goes to corners by their weights.
static void lump(const SnSplitProblem *problem, SnWoodbury *w)
{
    const SnPointSet *points = problem->step->contacts->points;
    for (int i = 0; i < w->touched_count; ++i) {
        w->place[w->touched[i]] = -1;
    }
    w->touched_count = 0;
    for (int i = 0; i < points->active_count; ++i) {
        size_t p = (size_t)points->active[i];
        add_point(problem->body, w, points->vertices + 4 * p, points->weights + 4 * p,
                  points->forces[p].stiffness, problem->h2);
    }
}

static int count_above(const SnWoodbury *w, double least)
{
    int count = 0;
    for (int i = 0; i < w->touched_count; ++i) {
        count += trace_of(w->lumped + 9 * (size_t)i) > least ? 1 : 0;
    }
    return count;
}

// The stiffness that chosen vertices exceed: so that they are no more than there may be.
static double find_least(const SnWoodbury *w, int most)
{
    double high = 0.0;
    for (int i = 0; i < w->touched_count; ++i) {
        double trace = trace_of(w->lumped + 9 * (size_t)i);
        high = trace > high ? trace : high;
    }
    double low = STIFFNESS_LEAST * high;
    if (count_above(w, low) <= most) {
        return low;
    }
    for (int k = 0; k < HALVINGS; ++k) {
        double middle = 0.5 * (low + high);
        if (count_above(w, middle) <= most) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

// At most so many vertices.
static void choose(SnWoodbury *w, int most)
{
    double least = find_least(w, most);
    w->vertex_count = 0;
    for (int i = 0; i < w->touched_count; ++i) {
        const double *K = w->lumped + 9 * (size_t)i;
        if (trace_of(K) > least) {
            w->vertices[w->vertex_count] = w->touched[i];
            memcpy(w->stiffness + 9 * (size_t)w->vertex_count, K, 9 * sizeof *K);
            w->vertex_count += 1;
        }
    }
}

// True: the same vertices with the same stiffness as at the step's last linearisation.
static bool stays(SnWoodbury *w)
{
    size_t count = (size_t)w->vertex_count;
    bool same = w->last_count == w->vertex_count &&
                memcmp(w->vertices, w->last_vertices, count * sizeof *w->vertices) == 0 &&
                memcmp(w->stiffness, w->last_stiffness, 9 * count * sizeof *w->stiffness) == 0;
    memcpy(w->last_vertices, w->vertices, count * sizeof *w->vertices);
    memcpy(w->last_stiffness, w->stiffness, 9 * count * sizeof *w->stiffness);
    w->last_count = w->vertex_count;
    return same;
}

// Rows -------------------------------------------------------------------------------------------

static void add_row(SnWoodbury *w, int vertex, const double pull[3])
{
    int row = w->row_count++;
    w->row_vertex[row] = vertex;
    for (size_t k = 0; k < 3; ++k) {
        w->row_pull[3 * (size_t)row + k] = (float)pull[k];
    }
}

// The direction of the largest stiffness of all vertices together, by squaring their sum.
static void find_normal(const SnWoodbury *w, double out[3])
{
    double sum[9] = {0.0}, square[9];
    for (size_t i = 0; i < 9 * (size_t)w->vertex_count; ++i) {
        sum[i % 9] += w->stiffness[i];
    }
    for (int k = 0; k < SQUARINGS; ++k) {
        double trace = trace_of(sum);
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
    double trace = trace_of(K);
    double coupling = fabs(form(K, n, s)) + fabs(form(K, n, t));
    double tangents = fabs(form(K, s, s) - form(K, t, t)) + 2.0 * fabs(form(K, s, t));
    return coupling <= COUPLING_MOST * trace && tangents <= TANGENTS_MOST * trace;
}

static bool is_flat(const SnWoodbury *w, const double n[3], const double s[3], const double t[3])
{
    double all = 0.0, other = 0.0;
    for (int i = 0; i < w->vertex_count; ++i) {
        const double *K = w->stiffness + 9 * (size_t)i;
        all += trace_of(K);
        other += agrees(K, n, s, t) ? 0.0 : trace_of(K);
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
        for (int i = 0; i < w->vertex_count; ++i) {
            const double *K = w->stiffness + 9 * (size_t)i;
            double along = form(K, n, n), across = 0.5 * (trace_of(K) - along);
            double k = g == 0 ? along : across;
            if (k > STIFFNESS_LEAST * trace_of(K)) {
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

// Columns of L_v, K_v = L_v L_v^T, by pivots in the order of size: few where K_v has a low rank.
// The arrays hold three per vertex.
static void list_columns(SnWoodbury *w, int vertex)
{
    double K[9];
    double least = STIFFNESS_LEAST * trace_of(w->stiffness + 9 * (size_t)vertex);
    memcpy(K, w->stiffness + 9 * (size_t)vertex, sizeof K);
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
        add_row(w, vertex, pull);
        for (size_t k = 0; k < 9; ++k) {
            K[k] -= pull[k / 3] * pull[k % 3];
        }
    }
}

static void list_rows(SnWoodbury *w)
{
    double n[3], s[3], t[3];
    w->row_count = w->group_count = 0;
    if (w->vertex_count == 0) {
        return;
    }
    find_normal(w, n);
    find_tangents(n, s, t);
    if (is_flat(w, n, s, t)) {
        list_flat(w, n, s, t);
        return;
    }
    for (int i = 0; i < w->vertex_count; ++i) {
        list_columns(w, i);
    }
    w->groups[0] = (SnWoodburyGroup){.count = w->row_count};
    w->group_count = 1;
}

// Vertices and their rows: the stiffest, where there are more of either than may be. False: they
// are those of the step's last linearisation.
static bool find_rows(SnWoodbury *w)
{
    int most = w->row_max;
    choose(w, most);
    if (stays(w)) {
        return false;
    }
    list_rows(w);
    while (w->group_count == 1 && w->row_count > w->row_max) {
        most = most * w->row_max / w->row_count;
        choose(w, most);
        list_rows(w);
    }
    return true;
}

// S ----------------------------------------------------------------------------------------------

static void fill_group(const SnWoodbury *w, const SnWoodburyGroup *group, double *matrix)
{
    size_t stride = sn_split_triangle_stride(group->count);
    for (int j = 0; j < group->count; ++j) {
        int column = group->begin + j;
        const float *G = w->lent[w->row_vertex[column]];
        const float *b = w->row_pull + 3 * (size_t)column;
        for (int i = j; i < group->count; ++i) {
            int row = group->begin + i;
            const float *a = w->row_pull + 3 * (size_t)row;
            double pulls = (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] +
                           (double)a[2] * (double)b[2];
            matrix[(size_t)i + (size_t)j * stride] =
                pulls * (double)G[w->vertices[w->row_vertex[row]]] + (i == j ? 1.0 : 0.0);
        }
    }
}

// Where S is not definite in float, contact stays out of this linearisation's preconditioner.
static void factor_groups(const SnSplit *body, SnWoodbury *w)
{
    bool definite = true;
    for (int g = 0; g < w->group_count && definite; ++g) {
        const SnWoodburyGroup *group = &w->groups[g];
        if (g < 2) { // the third has the second's factor
            fill_group(w, group, w->work[0]);
            definite = sn_split_triangle_factor(body->kernels->dense, w->work[0], group->count,
                                                &w->factors[group->factor]);
        }
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
    lump(problem, w);
    if (!find_rows(w)) {
        return SINEW_OK;
    }
    SN_TRY(
        sn_split_columns_take(problem, &w->columns, w->vertices, w->vertex_count, w->lent, error));
    factor_groups(body, w);
    sn_woodbury_coarse_linearise(body, w);
done:
    if (status < 0) {
        w->row_count = w->group_count = 0;
        w->coarse.cluster_count = 0;
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

// sums = E^T A^-1 r
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

void sn_woodbury_relieve(const SnSplitProblem *problem, const float *r, float *z)
{
    SnWoodbury *w = problem->body->woodbury;
    memcpy(z, r, sn_split_dofs(problem->body) * sizeof *z);
    if (w == NULL || w->row_count == 0) {
        return;
    }
    sum_columns(problem, w, r);
    for (int i = 0; i < w->row_count; ++i) {
        const float *pull = w->row_pull + 3 * (size_t)i;
        const float *sum = w->sums + 3 * (size_t)w->row_vertex[i];
        w->row_value[i] = (pull[0] * sum[0] + pull[1] * sum[1]) + pull[2] * sum[2];
    }
    for (int g = 0; g < w->group_count; ++g) {
        sn_split_triangle_solve(&w->factors[w->groups[g].factor],
                                w->row_value + w->groups[g].begin);
    }
    for (int i = 0; i < w->row_count; ++i) {
        const float *pull = w->row_pull + 3 * (size_t)i;
        float *out = z + 3 * (size_t)w->vertices[w->row_vertex[i]];
        for (size_t k = 0; k < 3; ++k) {
            out[k] -= pull[k] * w->row_value[i];
        }
    }
}
