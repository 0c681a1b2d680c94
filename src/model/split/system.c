#include "model/split/system.h"

#include "base/clock.h"
#include "base/hash.h"
#include "model/split/clusters.h"
#include "model/split/damping.h"
#include "model/split/woodbury.h"

#include <string.h>

// Share of lambda in the scalar weight: conjugate gradients need fewest iterations with 0.1 to
// 0.25.
#define LAMBDA_SHARE 0.25

enum { LEVEL_ITERATIONS_MAX = 60 };

// Choice -----------------------------------------------------------------------------------------

// Measured on armadillos of 4k to 65k vertices (doc/methods/split.md): a factor has some
// 6.6 n^(4/3) numbers, read twice a solve at 0.10 ns a byte; an iteration of the levels reads some
// 815 bytes a vertex at 0.165 ns, and 1.5 of them gain a digit. So levels are as fast at
// n^(1/3) = 25.5 iterations.
#define EQUAL_SIDE 25.5
#define CYCLES_A_DIGIT 1.5

// Vertices whose factor would have 1 GB: its making, which grows with n^2, then takes tens of
// seconds.
#define FACTORED_MAX 480000

// In whole digits and without roots, so that every machine chooses alike.
bool sn_split_system_chooses_levels(const SinewSplitDef *options, int vertices)
{
    if (options->solver != SINEW_SPLIT_AUTO) {
        return options->solver == SINEW_SPLIT_MULTILEVEL;
    }
    double iterations = 0.0;
    for (double left = options->solve_tolerance; left < 1.0; left *= 10.0) {
        iterations += CYCLES_A_DIGIT;
    }
    double side = EQUAL_SIDE * iterations;
    return vertices > FACTORED_MAX || (double)vertices > side * side * side;
}

// Content ----------------------------------------------------------------------------------------

typedef struct Key {
    const SnSplitShape *shape;
    const unsigned char *held;   // of a pin set
    const SnSplitScales *scales; // NULL: any
    bool has_levels;
} Key;

static bool same_scales(const SnSplitScales *a, const SnSplitScales *b)
{
    return a->h2 == b->h2 && a->h == b->h && a->mass_scale == b->mass_scale;
}

static bool holds_same(const SnSplitSystem *system, const unsigned char *held)
{
    bool same = true;
    for (int v = 0; same && v < system->shape->body.elements.vertex_count; ++v) {
        same = system->whole[v] == (held[v] == 7);
    }
    return same;
}

static bool is_system(const SnShared *thing, const void *key_)
{
    const SnSplitSystem *system = (const SnSplitSystem *)thing;
    const Key *key = key_;
    return system->shape == key->shape && system->has_levels == key->has_levels &&
           (key->scales == NULL || same_scales(&system->scales, key->scales)) &&
           holds_same(system, key->held);
}

static void destroy(SnShared *thing)
{
    SnSplitSystem *system = (SnSplitSystem *)thing;
    SinewAllocator allocator = system->allocator;
    sn_share_leave(system->shape != NULL ? &system->shape->shared : NULL);
    sn_cholesky_destroy(system->cholesky);
    sn_multilevel_destroy(system->levels);
    void *const arrays[] = {system->whole, system->row_start, system->column,  system->source,
                            system->value, system->basis,     system->inverse, system->columns};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&allocator, arrays[i]);
    }
    sn_free(&allocator, system);
}

static const SnSharedKind system_kind = {is_system, destroy};

static uint64_t hash_held(const SnSplit *body)
{
    uint64_t hash = SN_HASH_START;
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        unsigned char whole = body->pins.set.held[v] == 7;
        hash = sn_hash(hash, &whole, sizeof whole);
    }
    return hash;
}

// Analysis ---------------------------------------------------------------------------------------

// Columns of a row inside, ascending; rows are short.
static void sort_row(int *column, int *source, int count)
{
    for (int i = 1; i < count; ++i) {
        int c = column[i], s = source[i], k = i;
        for (; k > 0 && column[k - 1] > c; --k) {
            column[k] = column[k - 1];
            source[k] = source[k - 1];
        }
        column[k] = c;
        source[k] = s;
    }
}

// The shape's pattern in the order inside. Vertices held whole keep a diagonal and nothing else:
// that takes them out of the system and leaves every vector as it is.
static SinewStatus find_pattern(SnSplitSystem *system, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &system->allocator;
    const SnSplit *common = &system->shape->body;
    const SnNewtonPattern *pattern = &common->pattern;
    int count = 0;

    SN_ALLOC(system->row_start, allocator, pattern->count + 1, error);
    SN_ALLOC(system->column, allocator, pattern->entry_count, error);
    SN_ALLOC(system->source, allocator, pattern->entry_count, error);
    SN_ALLOC(system->value, allocator, pattern->entry_count, error);
    system->row_start[0] = 0;
    for (int r = 0; r < pattern->count; ++r) {
        int v = common->outside[r];
        int first = count;
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            int other = pattern->column[i];
            if (other == v || (!system->whole[v] && !system->whole[other])) {
                system->column[count] = common->inside[other];
                system->source[count++] = i;
            }
        }
        sort_row(system->column + first, system->source + first, count - first);
        system->row_start[r + 1] = count;
    }

done:
    return status;
}

static SnSparse matrix_of(const SnSplitSystem *system)
{
    return (SnSparse){.count = system->shape->body.pattern.count,
                      .block = 1,
                      .row_start = system->row_start,
                      .column = system->column,
                      .value = system->value};
}

// `order`, nullable: of a factor with the same pattern.
static SinewStatus analyse(SnSplitSystem *system, const SnSplit *body, const int *order,
                           SinewError *error)
{
    SnSparse A = matrix_of(system);
    SnCholeskyDef def = {.allocator = &system->allocator,
                         .kernels = body->kernels,
                         .ordering = order != NULL ? SN_ORDERING_GIVEN : SN_ORDERING_BEST,
                         .permutation = order,
                         .right_sides = 3,
                         .worker_count = sn_workers_count(body->workers),
                         .keep_float = true};
    return sn_cholesky_create(&def, &A, &system->cholesky, error);
}

static SinewStatus make_coarse(SnSplitSystem *system, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplitClusters *c = &system->shape->body.clusters;
    if (c->count > 0) {
        size_t rows = (size_t)c->row_count;
        SN_ALLOC(system->basis, &system->allocator,
                 16 * (size_t)system->shape->body.elements.vertex_count, error);
        SN_ALLOC(system->inverse, &system->allocator, rows * rows, error);
        sn_split_clusters_hold(&system->shape->body, system->whole, system->basis);
    }
done:
    return status;
}

// A system without values, in no store yet.
static SinewStatus create(const SnSplit *body, const int *order, SnSplitSystem **out_system,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitSystem *system = NULL;
    int vertices = body->elements.vertex_count;
    *out_system = NULL;
    SN_ALLOC_ZERO(system, &body->allocator, 1, error);
    system->allocator = body->allocator;
    system->shape = (SnSplitShape *)sn_share_join(&body->shape->shared);
    SN_ALLOC(system->whole, &system->allocator, vertices, error);
    for (int v = 0; v < vertices; ++v) {
        system->whole[v] = body->pins.set.held[v] == 7;
    }
    system->has_levels = sn_split_system_chooses_levels(&body->options, vertices);
    SN_TRY(find_pattern(system, error));
    if (!system->has_levels) {
        SN_TRY(analyse(system, body, order, error));
    }
    SN_TRY(make_coarse(system, error));
    *out_system = system;
    system = NULL;
done:
    if (system != NULL) {
        destroy(&system->shared);
    }
    return status;
}

// Values -----------------------------------------------------------------------------------------

// The stiffness part over the shape's pattern, h^2 included.
static void add_stiffness(const SnSplit *body, const SnSplitScales *scales, double *value)
{
    const SnNewtonElements *elements = &body->elements;
    double share = body->options.mode == SINEW_SPLIT_PAPER ? 0.0 : LAMBDA_SHARE;
    for (int e = 0; e < elements->count; ++e) {
        const SnMaterial *material = &body->materials[elements->materials[e]];
        const SnLaw *law = &material->law;
        double h2 = scales->h2 * sn_split_stiffening(material, scales->h);
        double g[12];
        sn_newton_elements_tet_gradients(elements, e, g);
        const int *slots = body->pattern.slots + 16 * (size_t)e;
        double lambda = law->lambda > 0.0 ? law->lambda : 0.0;
        double weight = 2.0 * h2 * (law->mu + share * lambda) * elements->weights[e];
        for (int i = 0; i < 16; ++i) {
            const double *a = g + 3 * (i / 4);
            const double *b = g + 3 * (i % 4);
            value[slots[i]] += weight * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
    }
}

static SinewStatus factor(SnSplitSystem *system, const SnSplit *body, SnWorkers *workers,
                          const SnSplitScales *scales, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnNewtonPattern *pattern = &body->pattern;
    double *whole = NULL;

    system->scales = (SnSplitScales){0};
    system->has_columns = false;
    SN_ALLOC_ZERO(whole, &body->allocator, pattern->entry_count, error);
    add_stiffness(body, scales, whole);
    for (int v = 0; v < pattern->count; ++v) {
        whole[pattern->diagonal[v]] +=
            scales->mass_scale * (body->masses[v] + scales->h * body->damp[v]);
    }
    for (int i = 0; i < system->row_start[pattern->count]; ++i) {
        system->value[i] = whole[system->source[i]];
    }
    SnSparse A = matrix_of(system);
    if (system->has_levels) {
        sn_multilevel_destroy(system->levels);
        SN_TRY(sn_multilevel_create(&A, body->kernels, &system->allocator, &system->levels, error));
    } else {
        SN_TRY(sn_cholesky_factor(system->cholesky, &A, workers, error));
        sn_cholesky_shrink(system->cholesky);
    }
    if (system->basis != NULL) {
        SnSplit view = *body;
        view.clusters.basis = system->basis;
        view.clusters.inverse = system->inverse;
        SN_TRY(sn_split_clusters_factor(&view, scales->h2, scales->h, scales->mass_scale, error));
    }
    system->scales = *scales;

done:
    sn_free(&body->allocator, whole);
    return status;
}

// For a body -------------------------------------------------------------------------------------

void sn_split_system_leave(SnSplit *body)
{
    sn_share_leave(body->system != NULL ? &body->system->shared : NULL);
    sn_cholesky_work_destroy(body->work);
    sn_multilevel_work_destroy(body->level_work);
    body->system = NULL;
    body->work = NULL;
    body->level_work = NULL;
    body->clusters.basis = body->clusters.inverse = NULL;
    sn_woodbury_forget(body);
}

// Room for solves. That of levels waits for values, since they decide how many levels there are.
static SinewStatus make_work(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplitSystem *system = body->system;
    int workers = sn_workers_count(body->workers);
    sn_cholesky_work_destroy(body->work);
    sn_multilevel_work_destroy(body->level_work);
    body->work = NULL;
    body->level_work = NULL;
    if (system->has_levels) {
        SN_TRY(sn_multilevel_work_create(system->levels, workers, &body->level_work, error));
    } else {
        SN_TRY(sn_cholesky_work_create(system->cholesky, workers, &body->work, error));
    }
done:
    return status;
}

// The body has one user's part in `system`, which is its own from now on.
static void replace(SnSplit *body, SnSplitSystem *system)
{
    sn_split_system_leave(body);
    body->system = system;
    body->clusters.basis = system->basis;
    body->clusters.inverse = system->inverse;
    body->system_is_stale = false;
}

static Key key_of(const SnSplit *body, const SnSplitScales *scales)
{
    bool has_levels = sn_split_system_chooses_levels(&body->options, body->elements.vertex_count);
    return (Key){body->shape, body->pins.set.held, scales, has_levels};
}

static const int *order_of(const SnSplitSystem *system)
{
    return system->has_levels ? NULL : sn_cholesky_order(system->cholesky);
}

// A system for what is held now. One of another material or of partly held vertices has the same
// pattern, whose order is then kept.
static SinewStatus take_pattern(SnSplit *body, const SnSplitScales *scales, SinewStepReport *report,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplitSystem *old = body->system;
    bool same = old != NULL && holds_same(old, body->pins.set.held);
    if (same && old->shape == body->shape) {
        body->system_is_stale = false;
        return SINEW_OK;
    }
    Key exact = key_of(body, scales);
    Key any = key_of(body, NULL);
    uint64_t hash = hash_held(body);
    SnSplitSystem *system = (SnSplitSystem *)sn_share_find(body->share, &system_kind, hash, &exact);
    if (system == NULL) {
        system = (SnSplitSystem *)sn_share_find(body->share, &system_kind, hash, &any);
    }
    if (system == NULL) {
        SN_TRY(create(body, same ? order_of(old) : NULL, &system, error));
        sn_share_add(body->share, &system_kind, hash, &system->shared);
        report->analyses += same ? 0 : 1;
    }
    replace(body, system);
done:
    return status;
}

// Values for these scales: another body's, made anew in place where no other body needs the old
// ones, or else in a system of their own with the same order.
static SinewStatus take_values(SnSplit *body, SnWorkers *workers, const SnSplitScales *scales,
                               SinewStepReport *report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Key exact = key_of(body, scales);
    uint64_t hash = hash_held(body);
    SnSplitSystem *system = (SnSplitSystem *)sn_share_find(body->share, &system_kind, hash, &exact);
    if (system != NULL) {
        replace(body, system);
        return SINEW_OK;
    }
    report->factorisations += 1;
    if (body->system->shared.users == 1) {
        sn_woodbury_forget(body);
        return factor(body->system, body, workers, scales, error);
    }
    SN_TRY(create(body, order_of(body->system), &system, error));
    status = factor(system, body, workers, scales, error);
    if (status < 0) {
        destroy(&system->shared);
        goto done;
    }
    sn_share_add(body->share, &system_kind, hash, &system->shared);
    replace(body, system);
done:
    return status;
}

void sn_split_set_masses(SnSplit *body, const SnSplitScales *scales)
{
    if (body->mass_scale == scales->mass_scale && body->mass_h == scales->h) {
        return;
    }
    for (int i = 0; i < body->elements.vertex_count; ++i) {
        int v = body->outside[i];
        body->room.mass[i] =
            (float)(scales->mass_scale * (body->masses[v] + scales->h * body->damp[v]));
    }
    body->mass_scale = scales->mass_scale;
    body->mass_h = scales->h;
}

SinewStatus sn_split_system_prepare(SnSplit *body, SnWorkers *workers, const SnSplitScales *scales,
                                    SinewStepReport *report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    sn_split_set_masses(body, scales);
    bool has_work = body->work != NULL || body->level_work != NULL;
    if (body->system != NULL && !body->system_is_stale && has_work &&
        same_scales(&body->system->scales, scales)) {
        return SINEW_OK;
    }
    double begin = sn_clock_seconds();
    if (body->system == NULL || body->system_is_stale) {
        SN_TRY(take_pattern(body, scales, report, error));
    }
    if (!same_scales(&body->system->scales, scales)) {
        SN_TRY(take_values(body, workers, scales, report, error));
    }
    SN_TRY(make_work(body, error));
    report->seconds_factor += sn_clock_seconds() - begin;
done:
    return status;
}

SinewStatus sn_split_system_solve(const SnSplit *body, SnWorkers *workers, float *x,
                                  SinewError *error)
{
    if (!body->system->has_levels) {
        double *seconds = body->phases != NULL ? body->phases + SN_SPLIT_FORWARD : NULL;
        sn_cholesky_work_time(body->work, seconds);
        return sn_cholesky_solve_float(body->system->cholesky, body->work, workers, x, error);
    }
    SnMultilevelGoal goal = {body->options.solve_tolerance, LEVEL_ITERATIONS_MAX};
    SinewStatus status =
        sn_multilevel_solve(body->system->levels, body->level_work, workers, &goal, x, NULL, error);
    // Where float ends, the best there is will do: the residual of the step tells.
    return status < 0 ? status : SINEW_OK;
}
