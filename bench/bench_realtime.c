// realtime.SCENE.MODEL: bodies that fall, lie and are pulled, at their defaults, as an application
// steps them: ms per step of those in which something touches or pulls, on one thread, with the
// counts behind them, which do not vary from machine to machine.
//
// drop        a creature of 15 cm with ears, 3,520 triangles, falls 10 cm onto a plane: 90
//             steps of 1/60 s
// pull_soft   the same, its lowest fifth held, one attachment at its highest point led round
// pull_stiff  (5 cm, 1 Hz) with 20 or 2,000 N/m
// bear        the creature of scenes/gummy.yaml, corotated, 36 steps of 20 ms
// attach      a floor, and the creature with 34,000 vertices and 24 cells: ms to attach a point
// crowd       50 equal spheres of 10 cm fall 10 cm: 50 steps of 1/60 s
//
// Runs repeat, so each step's time is the least of several runs. Figures: `worst` ms; `free` ms of
// the steps before contact, or of the pulled scene without the attachment; `steps` that touch;
// linearisations, solves and cuts per such step; `loose`, steps that stopped short of the
// tolerance; `first` and `next`, ms to add the first body, or the attachment, and a copy of it.
#include "bench/bench.h"

#include "base/clock.h"
#include "geometry/shape.h"
#include "sinew/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum Scene { DROP, PULL_SOFT, PULL_STIFF, BEAR, CROWD, ATTACH, SCENE_COUNT } Scene;

static const char *const scenes[SCENE_COUNT] = {"drop", "pull_soft", "pull_stiff",
                                                "bear", "crowd",     "attach"};

static const struct {
    const char *name;
    SinewModelKind kind;
} models[] = {{"split", SINEW_MODEL_SPLIT},     {"tetmg", SINEW_MODEL_TETMG},
              {"lattice", SINEW_MODEL_LATTICE}, {"frames", SINEW_MODEL_FRAMES},
              {"voxel", SINEW_MODEL_VOXEL},     {"voxel_coarse", SINEW_MODEL_VOXEL},
              {"newton", SINEW_MODEL_NEWTON}};

enum {
    MODEL_COUNT = sizeof models / sizeof *models,
    STEPS_MAX = 90,
    COPIES = 50,
    RUNS = 3,
    COARSE = 5, // cells along the longest side of voxel_coarse
    CREATURE = 14,
    FINE_CREATURE = 61, // of its surface: 34,000 vertices
    ATTACHED = 20       // attachments that are added and removed
};

// Scenes ------------------------------------------------------------------------------------------

// A body with head, ears, feet and a tail, 15 cm high: 3,520 triangles.
static SinewStatus make_creature(int resolution, SinewSurface **out_surface, SinewError *error)
{
    static const SnShape parts[] = {
        {.kind = SN_SHAPE_ELLIPSOID, .ellipsoid = {{0.0, 0.045, 0.0}, {0.04, 0.045, 0.05}}},
        {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.092, 0.03}, 0.026}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.012, 0.1, 0.028}, {-0.02, 0.141, 0.015}, 0.009}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.012, 0.1, 0.028}, {0.02, 0.141, 0.015}, 0.009}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.02, 0.012, 0.02}, {-0.02, 0.012, 0.06}, 0.012}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.02, 0.012, 0.02}, {0.02, 0.012, 0.06}, 0.012}},
        {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.03, -0.052}, 0.014}}};
    static const SnShape shape = {.kind = SN_SHAPE_BLOB,
                                  .blob = {.parts = parts, .part_count = 7, .smooth = 0.01}};
    SinewStatus status = SINEW_OK;
    SnSurface *found = NULL;
    SN_TRY(sn_shape_surface(&shape, resolution, NULL, NULL, &found, error));
    SinewSurfaceDef surface = sinew_surface_def_default();
    surface.positions = found->positions;
    surface.vertex_count = found->vertex_count;
    surface.triangles = found->triangles;
    surface.triangle_count = found->triangle_count;
    SN_TRY(sinew_surface_create(&surface, out_surface, error));
done:
    sn_surface_destroy(found, NULL);
    return status;
}

static SinewShape capsule(double x0, double y0, double z0, double x1, double y1, double z1,
                          double radius)
{
    SinewShape shape = sinew_shape_default();
    shape.kind = SINEW_SHAPE_CAPSULE;
    memcpy(shape.from, (double[3]){x0, y0, z0}, sizeof shape.from);
    memcpy(shape.to, (double[3]){x1, y1, z1}, sizeof shape.to);
    shape.radius = radius;
    return shape;
}

static SinewShape ball(double x, double y, double z, double radius)
{
    SinewShape shape = sinew_shape_default();
    shape.kind = SINEW_SHAPE_SPHERE;
    memcpy(shape.center, (double[3]){x, y, z}, sizeof shape.center);
    shape.radius = radius;
    return shape;
}

enum { BEAR_PARTS = 9 };

// The bear of scenes/gummy.yaml. Its parts are the caller's.
static void make_bear(SinewShape parts[BEAR_PARTS], SinewBodyDef *def)
{
    parts[0] = ball(0.0, 0.25, 0.0, 0.0);
    parts[0].kind = SINEW_SHAPE_ELLIPSOID;
    memcpy(parts[0].radii, (double[3]){0.16, 0.2, 0.14}, sizeof parts[0].radii);
    parts[1] = ball(0.0, 0.54, 0.0, 0.14);
    parts[2] = ball(-0.12, 0.66, 0.0, 0.06);
    parts[3] = ball(0.12, 0.66, 0.0, 0.06);
    parts[4] = capsule(-0.12, 0.34, 0.04, -0.24, 0.26, 0.1, 0.06);
    parts[5] = capsule(0.12, 0.34, 0.04, 0.24, 0.26, 0.1, 0.06);
    parts[6] = capsule(-0.09, 0.1, 0.0, -0.14, 0.06, 0.1, 0.07);
    parts[7] = capsule(0.09, 0.1, 0.0, 0.14, 0.06, 0.1, 0.07);
    parts[8] = ball(0.0, 0.5, 0.14, 0.05);
    def->shape.kind = SINEW_SHAPE_BLOB;
    def->shape.parts = parts;
    def->shape.part_count = BEAR_PARTS;
    def->shape.smooth = 0.06;
    def->resolution = 20;
    def->material.young = 3e4;
    def->material.poisson = 0.4;
    def->material.density = 1100.0;
    def->material.damping_mass = 0.1;
    def->pose.translate[1] = 0.15;
    memcpy(def->pose.axis, (double[3]){0.0, 0.0, 1.0}, sizeof def->pose.axis);
    def->pose.degrees = 12.0;
    def->angular_velocity[1] = 1.0;
}

// What a run is of, and what it measured.
typedef struct Run {
    Scene scene;
    const char *name; // of the model
    SinewModelKind kind;
    const SinewSurface *creature;
    bool is_free; // a pulled scene without its attachment

    int step_count;
    double seconds[STEPS_MAX]; // per step, the least of the runs
    bool acts[STEPS_MAX];      // something touches, or pulls
    double iterations, solves, cuts;
    int loose;
    double first, next; // s, to add something
} Run;

static SinewBodyDef body_of(const Run *run, SinewShape parts[BEAR_PARTS])
{
    SinewBodyDef def = sinew_body_def_default();
    bool is_coarse = strcmp(run->name, "voxel_coarse") == 0;
    def.model = run->kind;
    def.resolution = 16;
    if (run->scene == BEAR) {
        make_bear(parts, &def);
    } else if (run->scene == CROWD) {
        def.shape.kind = SINEW_SHAPE_SPHERE;
        def.shape.radius = 0.05;
        def.resolution = is_coarse ? 3 : 6;
        def.material.young = 5e4;
        def.pose.translate[1] = 0.15;
    } else {
        def.surface = run->creature;
        def.material.young = 5e4;
        def.pose.translate[1] = run->scene == DROP ? 0.1 : 0.0;
    }
    def.resolution = run->scene == ATTACH ? 24 : def.resolution;
    def.resolution = is_coarse && run->scene != CROWD ? COARSE : def.resolution;
    return def;
}

static SinewStatus add_bodies(Run *run, SinewWorld *world, SinewBodyId *out_first,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewShape parts[BEAR_PARTS];
    SinewBodyDef def = body_of(run, parts);
    SinewBodyId copy;
    double begin = sn_clock_seconds();
    SN_TRY(sinew_world_add_body(world, &def, out_first, error));
    double first = sn_clock_seconds();
    for (int i = 1; run->scene == CROWD && i < COPIES; ++i) {
        def.pose.translate[0] = 0.15 * (i % 10);
        def.pose.translate[2] = 0.15 * (i / 10);
        SN_TRY(sinew_world_add_body(world, &def, &copy, error));
    }
    double next = (sn_clock_seconds() - first) / (COPIES - 1);
    run->first = fmin(run->first, first - begin);
    run->next = fmin(run->next, next);
done:
    return status;
}

static SinewStatus add_floor(const Run *run, SinewWorld *world, SinewError *error)
{
    SinewColliderId id;
    SinewColliderDef def = sinew_collider_def_default();
    def.shape.kind = SINEW_SHAPE_PLANE;
    def.friction = run->scene == BEAR ? 0.5 : 0.3;
    return sinew_world_add_collider(world, &def, &id, error);
}

// Holds the lowest fifth and takes hold of the highest point.
static SinewStatus add_pull(Run *run, SinewWorld *world, SinewBodyId body,
                            SinewAttachmentId *out_pull, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId id;
    pin.body = body;
    pin.within =
        (SinewRegion){.kind = SINEW_REGION_BOX, .min = {-1.0, -1.0, -1.0}, .max = {1.0, 0.03, 1.0}};
    SN_TRY(sinew_world_add_pin(world, &pin, &id, error));
    if (!run->is_free) {
        SinewPoints points = sinew_body_surface(world, body);
        size_t top = 0;
        for (size_t v = 0; v < (size_t)points.count; ++v) {
            top = points.xyz[3 * v + 1] > points.xyz[3 * top + 1] ? v : top;
        }
        double place[3] = {(double)points.xyz[3 * top], (double)points.xyz[3 * top + 1],
                           (double)points.xyz[3 * top + 2]};
        SinewAttachmentDef pull = sinew_attachment_def_default();
        pull.body = body;
        pull.points = place;
        pull.point_count = 1;
        pull.stiffness = run->scene == PULL_SOFT ? 20.0 : 2000.0;
        double begin = sn_clock_seconds();
        SN_TRY(sinew_world_add_attachment(world, &pull, out_pull, error));
        run->first = fmin(run->first, sn_clock_seconds() - begin);
    }
done:
    return status;
}

// A circle of 5 cm, once a second, that begins where the point is.
static SinewStatus lead(SinewWorld *world, SinewAttachmentId pull, SinewError *error)
{
    double angle = 2.0 * 3.14159265358979323846 * (sinew_world_time(world) + 1.0 / 60.0);
    double map[12] = {1.0, 0.0, 0.0, 0.05 * sin(angle),        0.0, 1.0, 0.0, 0.0,
                      0.0, 0.0, 1.0, 0.05 * (1.0 - cos(angle))};
    return sinew_world_move_attachment(world, pull, map, error);
}

// Runs --------------------------------------------------------------------------------------------

static SinewStatus step(Run *run, SinewWorld *world, int index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double begin = sn_clock_seconds();
    SN_TRY(sinew_world_step(world, run->scene == BEAR ? 0.02 : 1.0 / 60.0, error));
    run->seconds[index] = fmin(run->seconds[index], sn_clock_seconds() - begin);
    SinewStepReport report = sinew_world_report(world);
    bool pulls = run->scene == PULL_SOFT || run->scene == PULL_STIFF;
    run->acts[index] = pulls || report.contacts > 0;
    if (run->acts[index]) {
        run->iterations += report.iterations;
        run->solves += report.linear_solves;
        run->cuts += report.line_search_cuts;
        run->loose += status == SINEW_NOT_CONVERGED ? 1 : 0;
    }
    status = SINEW_OK;
done:
    return status;
}

static SinewStatus run_once(Run *run, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewAttachmentId pull = {0};
    bool pulls = run->scene == PULL_SOFT || run->scene == PULL_STIFF;
    run->iterations = run->solves = run->cuts = 0.0;
    run->loose = 0;
    SN_TRY(sinew_world_create(&def, &world, error));
    SN_TRY(add_bodies(run, world, &body, error));
    if (pulls) {
        SN_TRY(add_pull(run, world, body, &pull, error));
    } else {
        SN_TRY(add_floor(run, world, error));
    }
    for (int i = 0; i < run->step_count; ++i) {
        if (pulls && !run->is_free) {
            SN_TRY(lead(world, pull, error));
        }
        SN_TRY(step(run, world, i, error));
    }
done:
    sinew_world_destroy(world);
    return status;
}

static SinewStatus run_all(Run *run, int runs, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    run->first = run->next = INFINITY;
    for (int i = 0; i < STEPS_MAX; ++i) {
        run->seconds[i] = INFINITY;
    }
    for (int i = 0; i < runs; ++i) {
        SN_TRY(run_once(run, error));
    }
done:
    return status;
}

// The mean of the steps in which something acts, or of the others; 0: there is none.
static double mean_of(const Run *run, bool acts, int *out_count)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < run->step_count; ++i) {
        // The first step makes factors.
        if (run->acts[i] == acts && i > 0) {
            sum += run->seconds[i];
            count += 1;
        }
    }
    *out_count = count;
    return count > 0 ? sum / count : 0.0;
}

static double worst_of(const Run *run)
{
    double worst = 0.0;
    for (int i = 1; i < run->step_count; ++i) {
        worst = run->acts[i] ? fmax(worst, run->seconds[i]) : worst;
    }
    return worst;
}

static void report(const Run *run, double free, int runs, SnBenchResult *out)
{
    int count;
    double mean = mean_of(run, true, &count);
    double each = count > 0 ? 1.0 / count : 0.0;
    out->value = 1e3 * mean;
    out->median = out->value;
    out->unit = "ms";
    out->runs = runs;
    sn_bench_figure(out, "worst", 1e3 * worst_of(run));
    sn_bench_figure(out, "free", 1e3 * free);
    sn_bench_figure(out, "steps", count);
    sn_bench_figure(out, "linearisations", run->iterations * each);
    sn_bench_figure(out, "solves", run->solves * each);
    sn_bench_figure(out, "cuts", run->cuts * each);
    sn_bench_figure(out, "loose", run->loose);
    sn_bench_figure(out, "first", 1e3 * run->first);
    sn_bench_figure(out, "next", run->scene == CROWD ? 1e3 * run->next : 0.0);
}

// The least that adding an attachment takes. It locates one point, however many the surface has.
static SinewStatus run_attach(Run *run, SnBenchResult *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    const double place[3] = {0.0, 0.1, 0.03}; // in the head
    double added = INFINITY, removed = INFINITY;
    run->first = run->next = INFINITY;
    SN_TRY(sinew_world_create(&def, &world, error));
    SN_TRY(add_bodies(run, world, &body, error));
    SN_TRY(add_floor(run, world, error));
    for (int i = 0; i < ATTACHED; ++i) {
        SinewAttachmentDef pull = sinew_attachment_def_default();
        SinewAttachmentId id;
        pull.body = body;
        pull.points = place;
        pull.point_count = 1;
        pull.stiffness = 100.0;
        double begin = sn_clock_seconds();
        SN_TRY(sinew_world_add_attachment(world, &pull, &id, error));
        double middle = sn_clock_seconds();
        SN_TRY(sinew_world_remove_attachment(world, id, error));
        added = fmin(added, middle - begin);
        removed = fmin(removed, sn_clock_seconds() - middle);
    }
    out->value = out->median = 1e3 * added;
    out->unit = "ms";
    out->runs = ATTACHED;
    sn_bench_figure(out, "remove", 1e3 * removed);
    sn_bench_figure(out, "vertices", sinew_body_surface(world, body).count);
done:
    sinew_world_destroy(world);
    return status;
}

// The group ---------------------------------------------------------------------------------------

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < SCENE_COUNT * MODEL_COUNT; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "realtime.%s.%s", scenes[i / MODEL_COUNT],
                 models[i % MODEL_COUNT].name);
        SN_TRY(
            sn_bench_add(bench, &sn_bench_realtime, name, bench->kernels, SN_ONE_THREAD, i, error));
    }
done:
    return status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    static const int steps[SCENE_COUNT] = {90, 60, 60, 36, 50, 0};
    SinewStatus status = SINEW_OK;
    int scene = entry->index / MODEL_COUNT;
    int model = entry->index % MODEL_COUNT;
    int runs = bench->quick || models[model].kind == SINEW_MODEL_NEWTON ? 1 : RUNS;
    Run one = {.scene = (Scene)scene,
               .name = models[model].name,
               .kind = models[model].kind,
               .step_count = steps[scene]};
    SinewSurface *creature = NULL;
    int count;
    double free;
    (void)state;
    SN_TRY(make_creature(scene == ATTACH ? FINE_CREATURE : CREATURE, &creature, error));
    one.creature = creature;
    if (scene == ATTACH) {
        status = run_attach(&one, out_result, error);
        goto done;
    }
    if (scene == PULL_SOFT || scene == PULL_STIFF) {
        one.is_free = true;
        SN_TRY(run_all(&one, 1, error));
        free = mean_of(&one, true, &count);
        one.is_free = false;
        SN_TRY(run_all(&one, runs, error));
    } else {
        SN_TRY(run_all(&one, runs, error));
        free = mean_of(&one, false, &count);
    }
    report(&one, free, runs, out_result);
done:
    sinew_surface_destroy(creature);
    return status;
}

const SnBenchGroup sn_bench_realtime = {.name = "realtime", .list = list, .run = run};
