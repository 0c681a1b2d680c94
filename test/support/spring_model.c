#include "support/spring_model.h"

#include "geometry/point_location.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 40 };

typedef struct Points {
    const SinewAllocator *allocator;
    int count;
    SnTetLocation *at;
    double *x; // m, where contacts are asked for forces
} Points;

typedef struct Springs {
    const SinewAllocator *allocator;
    SnTetMesh *mesh;
    SnTetLocator *locator;
    double *mass;      // kg a vertex
    double rate;       // 1/s^2
    double *x, *v;     // m, m/s
    double *before;    // m, x at the start of a step
    double *force;     // N, of loads and contacts
    double *stiffness; // N/m a vertex, of contacts
    unsigned char *held;
    int *holder; // the pin that holds a vertex, -1: none
    int pin_count;
    double *reactions; // 3 a vertex, N
    double residual;
} Springs;

static void destroy(void *body)
{
    Springs *s = body;
    if (s == NULL) {
        return;
    }
    const SinewAllocator *a = s->allocator;
    sn_tet_locator_destroy(s->locator, a);
    sn_tet_mesh_destroy(s->mesh, a);
    void *blocks[] = {s->mass,      s->x,    s->v,      s->before,   s->force,
                      s->stiffness, s->held, s->holder, s->reactions};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        sn_free(a, blocks[i]);
    }
    sn_free(a, s);
}

static void share_mass(Springs *s, double density)
{
    for (int t = 0; t < s->mesh->tet_count; ++t) {
        for (int c = 0; c < 4; ++c) {
            s->mass[s->mesh->tets[4 * t + c]] += density * sn_tet_mesh_volume(s->mesh, t) / 4.0;
        }
    }
}

static SinewStatus create(const SnModelDef *def, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *a = def->allocator;
    Springs *s = NULL;
    *out_body = NULL;
    SN_ALLOC_ZERO(s, a, 1, error);
    s->allocator = a;
    SN_TRY(sn_solid_tets(def->solid, &s->mesh, error));
    SN_TRY(sn_tet_locator_create(s->mesh, def->workers, a, &s->locator, error));
    int n = s->mesh->vertex_count;
    SN_ALLOC_ZERO(s->mass, a, n, error);
    SN_ALLOC(s->x, a, 3 * n, error);
    SN_ALLOC_ZERO(s->v, a, 3 * n, error);
    SN_ALLOC(s->before, a, 3 * n, error);
    SN_ALLOC(s->force, a, 3 * n, error);
    SN_ALLOC(s->stiffness, a, n, error);
    SN_ALLOC_ZERO(s->held, a, 3 * n, error);
    SN_ALLOC(s->holder, a, n, error);
    SN_ALLOC_ZERO(s->reactions, a, 3 * n, error);
    memcpy(s->x, s->mesh->positions, 3 * (size_t)n * sizeof(double));
    memset(s->holder, 0xff, (size_t)n * sizeof(int));
    share_mass(s, def->options->material.density);
    s->rate = def->options->material.young / def->options->material.density;
    *out_body = s;
    s = NULL;
done:
    destroy(s);
    return status;
}

static SinewBodyMesh mesh(const void *body)
{
    const Springs *s = body;
    return (SinewBodyMesh){.rest = s->mesh->positions,
                           .positions = s->x,
                           .velocities = s->v,
                           .vertex_count = s->mesh->vertex_count,
                           .elements = s->mesh->tets,
                           .element_count = s->mesh->tet_count,
                           .corners = 4};
}

static int dof_count(const void *body)
{
    const Springs *s = body;
    int count = 0;
    for (int i = 0; i < 3 * s->mesh->vertex_count; ++i) {
        count += !s->held[i];
    }
    return count;
}

static void start(void *body, SinewStart kind, const double linear[3], const double angular[3])
{
    Springs *s = body;
    (void)kind;
    (void)angular;
    for (int i = 0; i < 3 * s->mesh->vertex_count; ++i) {
        s->v[i] = linear[i % 3];
    }
}

static SinewStatus set_pins(void *body, const SnPin *pins, int count, SinewError *error)
{
    Springs *s = body;
    int n = s->mesh->vertex_count;
    for (int pass = 0; pass < 2; ++pass) { // looks first, then does it
        for (int v = 0; v < n; ++v) {
            int holders = 0, holder = -1;
            for (int p = 0; p < count; ++p) {
                if (sn_region_holds(pins[p].region, v, s->mesh->positions + 3 * v)) {
                    ++holders;
                    holder = p;
                }
            }
            if (holders > 1) {
                return sn_fail(error, SINEW_ERROR_ARGUMENT, "vertex %d is held twice", v);
            }
            for (int k = 0; pass == 1 && k < 3; ++k) {
                s->held[3 * v + k] = holder >= 0 && pins[holder].axes[k];
                s->holder[v] = holder;
            }
        }
    }
    s->pin_count = count;
    return SINEW_OK;
}

static void points_destroy(const void *body, void *points)
{
    (void)body;
    Points *p = points;
    if (p != NULL) {
        sn_free(p->allocator, p->at);
        sn_free(p->allocator, p->x);
        sn_free(p->allocator, p);
    }
}

static SinewStatus points_create(const void *body, const double *rest, int count, void **out_points,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Springs *s = body;
    Points *p = NULL;
    SN_ALLOC_ZERO(p, s->allocator, 1, error);
    p->allocator = s->allocator;
    p->count = count;
    SN_ALLOC(p->at, s->allocator, count, error);
    SN_ALLOC(p->x, s->allocator, 3 * (size_t)count, error);
    int guess = -1;
    for (int i = 0; i < count; ++i) {
        p->at[i] = sn_tet_locate(s->locator, rest + 3 * i, &guess);
    }
    *out_points = p;
    p = NULL;
done:
    points_destroy(body, p);
    return status;
}

static SinewStatus points_join(const void *body, const SnPointPart *parts, int part_count,
                               void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Springs *s = body;
    Points *p = NULL;
    int count = 0;
    for (int i = 0; i < part_count; ++i) {
        count += parts[i].count;
    }
    SN_ALLOC_ZERO(p, s->allocator, 1, error);
    p->allocator = s->allocator;
    SN_ALLOC(p->at, s->allocator, count, error);
    SN_ALLOC(p->x, s->allocator, 3 * (size_t)count, error);
    for (int i = 0; i < part_count; ++i) {
        const Points *from = parts[i].points;
        for (int k = 0; k < parts[i].count; ++k) {
            p->at[p->count++] = from->at[parts[i].indices != NULL ? parts[i].indices[k] : k];
        }
    }
    *out_points = p;
    p = NULL;
done:
    points_destroy(body, p);
    return status;
}

static double points_distance(const void *points, int index)
{
    return ((const Points *)points)->at[index].distance;
}

static void place_one(const Springs *s, const SnTetLocation *at, const double *of, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int c = 0; c < 4; ++c) {
        for (int k = 0; k < 3; ++k) {
            out[k] += at->weights[c] * of[3 * s->mesh->tets[4 * at->tet + c] + k];
        }
    }
}

static void points_place(const void *body, const void *points, double *out_x, double *out_v)
{
    const Points *p = points;
    for (int i = 0; i < p->count; ++i) {
        place_one(body, &p->at[i], ((const Springs *)body)->x, out_x + 3 * i);
        if (out_v != NULL) {
            place_one(body, &p->at[i], ((const Springs *)body)->v, out_v + 3 * i);
        }
    }
}

// The transpose of placing.
static void scatter(Springs *s, const SnTetLocation *at, const double force[3], double stiffness)
{
    for (int c = 0; c < 4; ++c) {
        int v = s->mesh->tets[4 * at->tet + c];
        for (int k = 0; k < 3; ++k) {
            s->force[3 * v + k] += at->weights[c] * force[k];
        }
        s->stiffness[v] += fabs(at->weights[c]) * stiffness;
    }
}

static void gather_forces(Springs *s, const SnStep *step)
{
    memset(s->force, 0, 3 * (size_t)s->mesh->vertex_count * sizeof(double));
    memset(s->stiffness, 0, (size_t)s->mesh->vertex_count * sizeof(double));
    for (int l = 0; l < step->load_count; ++l) {
        const Points *p = step->loads[l].points;
        for (int i = 0; i < p->count; ++i) {
            scatter(s, &p->at[i], step->loads[l].forces + 3 * i, 0.0);
        }
    }
    const Points *p = step->contacts != NULL ? step->contacts->points : NULL;
    for (int i = 0; p != NULL && i < p->count; ++i) {
        SnPointForce out;
        place_one(s, &p->at[i], s->x, p->x + 3 * i);
        step->contacts->evaluate(step->contacts->context, i, i + 1, p->x, &out);
        const double *S = out.stiffness;
        scatter(s, &p->at[i], out.force, S[0] + S[4] + S[8]);
    }
}

// Backward Euler, or statics for dt = 0: m (x - x~) / h^2 + m rate (x - X) = m g + f, by Newton's
// method with contact's stiffness lumped.
static void solve(Springs *s, const SnStep *step, const double *x0)
{
    double h = step->dt;
    double inertia = h > 0.0 ? 1.0 / (h * h) : 0.0;
    int n = 3 * s->mesh->vertex_count;
    double largest = 0.0;
    for (int it = 0; it < ITERATIONS; ++it) {
        gather_forces(s, step);
        largest = 0.0;
        for (int i = 0; i < n; ++i) {
            double m = s->mass[i / 3];
            double r = m * inertia * (s->x[i] - x0[i] - h * s->v[i]) +
                       m * s->rate * (s->x[i] - s->mesh->positions[i]) - m * step->gravity[i % 3] -
                       s->force[i];
            double move = r / (m * (inertia + s->rate) + s->stiffness[i / 3]);
            s->reactions[i] = 0.0;
            if (s->held[i]) {
                double held[3];
                sn_affine_apply(&step->pin_motions[s->holder[i / 3]],
                                s->mesh->positions + 3 * (i / 3), held);
                move = s->x[i] - held[i % 3];
                s->reactions[i] = r;
            }
            s->x[i] -= move;
            largest = fmax(largest, fabs(move));
        }
    }
    s->residual = largest;
}

static SinewStatus step_body(void *body, const SnStep *step, SinewStepReport *out_report,
                             SinewError *error)
{
    Springs *s = body;
    int n = 3 * s->mesh->vertex_count;
    if (step->dt > 1.0) {
        memset(s->x, 0x77, (size_t)n * sizeof(double));
        return sn_fail(error, SINEW_ERROR_DIVERGED, "springs diverged");
    }
    *out_report = (SinewStepReport){.iterations = ITERATIONS, .linear_solves = ITERATIONS};
    memcpy(s->before, s->x, (size_t)n * sizeof(double));
    solve(s, step, s->before);
    for (int i = 0; i < n; ++i) {
        s->v[i] = (s->x[i] - s->before[i]) / step->dt;
    }
    if (step->dt > 0.5) {
        s->x[4] = NAN;
    }
    out_report->residual = s->residual;
    return step->dt > 0.25 ? SINEW_NOT_CONVERGED : SINEW_OK;
}

static SinewStatus solve_static(void *body, const SnStep *step, SinewStepReport *out_report,
                                SinewError *error)
{
    (void)error;
    Springs *s = body;
    solve(s, step, s->x);
    memset(s->v, 0, 3 * (size_t)s->mesh->vertex_count * sizeof(double));
    *out_report = (SinewStepReport){.iterations = ITERATIONS, .residual = s->residual};
    return fabs(step->gravity[1]) > 1000.0 ? SINEW_NOT_CONVERGED : SINEW_OK;
}

static void measure(const void *body, SnMeasure *out)
{
    const Springs *s = body;
    *out = (SnMeasure){.smallest_det = 1.0, .residual = s->residual};
    for (int i = 0; i < 3 * s->mesh->vertex_count; ++i) {
        double m = s->mass[i / 3], d = s->x[i] - s->mesh->positions[i];
        out->kinetic += 0.5 * m * s->v[i] * s->v[i];
        out->elastic += 0.5 * m * s->rate * d * d;
        out->momentum[i % 3] += m * s->v[i];
        out->mass_center[i % 3] += m * s->x[i];
        out->mass += m / 3.0;
    }
    for (int k = 0; k < 3; ++k) {
        out->mass_center[k] /= out->mass;
    }
}

static void reaction(const void *body, int pin, double out_wrench[6])
{
    const Springs *s = body;
    memset(out_wrench, 0, 6 * sizeof(double));
    for (int i = 0; i < 3 * s->mesh->vertex_count; ++i) {
        out_wrench[i % 3] += s->holder[i / 3] == pin ? s->reactions[i] : 0.0;
    }
}

static size_t state_size(const void *body)
{
    const Springs *s = body;
    return (9 * (size_t)s->mesh->vertex_count + 1) * sizeof(double);
}

static void save(const void *body, void *bytes)
{
    const Springs *s = body;
    size_t size = 3 * (size_t)s->mesh->vertex_count * sizeof(double);
    memcpy(bytes, s->x, size);
    memcpy((char *)bytes + size, s->v, size);
    memcpy((char *)bytes + 2 * size, s->reactions, size);
    memcpy((char *)bytes + 3 * size, &s->residual, sizeof s->residual);
}

static void restore(void *body, const void *bytes)
{
    Springs *s = body;
    size_t size = 3 * (size_t)s->mesh->vertex_count * sizeof(double);
    memcpy(s->x, bytes, size);
    memcpy(s->v, (const char *)bytes + size, size);
    memcpy(s->reactions, (const char *)bytes + 2 * size, size);
    memcpy(&s->residual, (const char *)bytes + 3 * size, sizeof s->residual);
}

const SnModel sn_spring_model = {
    .name = "springs",
    .is_anchored = true,
    .create = create,
    .destroy = destroy,
    .mesh = mesh,
    .dof_count = dof_count,
    .start = start,
    .set_pins = set_pins,
    .points_create = points_create,
    .points_destroy = points_destroy,
    .points_distance = points_distance,
    .points_join = points_join,
    .points_place = points_place,
    .step = step_body,
    .solve_static = solve_static,
    .measure = measure,
    .reaction = reaction,
    .state_size = state_size,
    .save = save,
    .restore = restore,
};
