// lattice.blob.* and lattice.beam.*: whole bodies of the lattice model.
//
// lattice.blob.newton     one Newton iteration (ms) of a character with limbs of about 106,567
//                         cells, the count of [A sec 7], held by a foot and turned by its weight:
//                         linearising, a direction to 1e-3 of its energy, the line search. No
//                         contact.
// lattice.blob.mgcg       iterations of conjugate gradients to 1e-7 at rest, Poisson's ratio 0.3;
//                         mgcg45 and mgcg49 at 0.45 and 0.49, mgcg_jacobi with the damped Jacobi
//                         of [A], two sweeps
// lattice.blob.memory     bytes a cell of all levels
// lattice.blob_4k.*       the same with 3,592 cells, in place of it with --quick
// lattice.beam.step       a step (ms, one core) of a cantilever of 10 x 10 x 40 cells, E 1e6 Pa,
//                         Poisson's ratio 0.4, 0.02 s, each solved to 1e-7: the mean of twenty that
//                         follow each other, while it falls and swings back
#include "bench/bench.h"

#include "bench/workload_lattice.h"
#include "model/lattice/potential.h"

#include <string.h>

typedef enum Kind { NEWTON, ITERATIONS, ITERATIONS45, ITERATIONS49, JACOBI, MEMORY, STEP } Kind;

static const char *const names[] = {
    [NEWTON] = "lattice.blob.newton",       [ITERATIONS] = "lattice.blob.mgcg",
    [ITERATIONS45] = "lattice.blob.mgcg45", [ITERATIONS49] = "lattice.blob.mgcg49",
    [JACOBI] = "lattice.blob.mgcg_jacobi",  [MEMORY] = "lattice.blob.memory",
    [STEP] = "lattice.beam.step",
};

// Cells along the longest side.
enum {
    RESOLUTION = 133,
    RESOLUTION_QUICK = 40,
    ITERATIONS_MAX = 400,
    WARM_STEPS = 5,
    TIMED_STEPS = 20
};

// Below what the entries are to stay, in their units. No limit of the machine.
static const double goals[] = {
    [NEWTON] = 40.0,        [STEP] = 3.0,    [ITERATIONS] = 24.0, [ITERATIONS45] = 40.0,
    [ITERATIONS49] = 120.0, [JACOBI] = 24.0, [MEMORY] = 250.0};

typedef struct Rig {
    SnBenchTally tally;
    SinewAllocator allocator;
    SnSolid *solid;
    SnLattice *body;
    SnAffine motion;
    SnStep step;
    SinewStepReport report;
    SinewStatus status;
    int iterations, solves, runs; // of the steps so far
    void *saved;                  // the state from which each step is timed
} Rig;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int k = 0; k <= STEP; ++k) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "%s", names[k]);
        if (bench->quick && k != STEP) {
            snprintf(name, sizeof name, "lattice.blob_4k%s", strrchr(names[k], '.'));
        }
        SN_TRY(sn_bench_add(bench, &sn_bench_lattice_body, name, bench->kernels,
                            k == STEP ? SN_ONE_THREAD : SN_ALL_THREADS, k, error));
    }
done:
    return status;
}

static SinewStatus make_solid(const SnBench *bench, Kind kind, Rig *rig, SinewError *error)
{
    static const SnShape parts[] = {
        {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.0, 0.0}, 0.24}},
        {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.3, 0.0}, 0.2}},
        {.kind = SN_SHAPE_SPHERE, .sphere = {{0.0, 0.58, 0.0}, 0.17}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.1, -0.1, 0.0}, {-0.3, -0.6, 0.0}, 0.09}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.1, -0.1, 0.0}, {0.3, -0.6, 0.0}, 0.09}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{-0.1, 0.35, 0.0}, {-0.55, 0.2, 0.1}, 0.07}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.1, 0.35, 0.0}, {0.55, 0.5, 0.1}, 0.07}},
        {.kind = SN_SHAPE_CAPSULE, .capsule = {{0.0, -0.1, -0.1}, {0.0, -0.3, -0.5}, 0.06}}};
    static const SnShape blob = {.kind = SN_SHAPE_BLOB,
                                 .blob = {.parts = parts, .part_count = 8, .smooth = 0.05}};
    static const SnShape beam = {.kind = SN_SHAPE_BOX, .box = {{0.0, 0.0, 0.0}, {0.4, 0.1, 0.1}}};
    SnSolidDef def = {.shape = kind == STEP ? &beam : &blob,
                      .resolution = bench->quick ? RESOLUTION_QUICK : RESOLUTION,
                      .pose = sn_affine_identity()};
    if (kind == STEP) {
        memcpy(def.cells, (int[]){40, 10, 10}, sizeof def.cells);
    }
    return sn_solid_create(&def, NULL, NULL, &rig->solid, error);
}

static double poisson_of(Kind kind)
{
    return kind == ITERATIONS45 ? 0.45 : kind == ITERATIONS49 ? 0.49 : kind == STEP ? 0.4 : 0.3;
}

static SinewStatus make_body(const SnBench *bench, const SnBenchEntry *entry, Rig *rig,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial def = sinew_material_default();
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SinewRegion foot = {.kind = SINEW_REGION_SPHERE, .center = {-0.3, -0.6, 0.0}, .radius = 0.12};
    SinewRegion wall = {
        .kind = SINEW_REGION_BOX, .min = {-1.0, -1.0, -1.0}, .max = {0.001, 1.0, 1.0}};
    SnPin pin = {.region = entry->index == STEP ? &wall : &foot, .axes = {true, true, true}};
    void *body = NULL;
    options.lattice.element = entry->index == JACOBI ? SINEW_LATTICE_MCADAMS : SINEW_LATTICE_WILSON;
    def.poisson = poisson_of((Kind)entry->index);
    SN_TRY(sn_material_make(&def, "bench", &material, error));
    rig->step = (SnStep){.gravity = {0.0, -9.81, 0.0},
                         .dt = 0.02,
                         .tolerance = 1e-7,
                         .pin_motions = &rig->motion,
                         .workers = entry->threading == SN_ALL_THREADS ? bench->workers : NULL};
    rig->motion = sn_affine_identity();
    SnModelDef model = {.allocator = &rig->allocator,
                        .workers = rig->step.workers,
                        .kernels = entry->kernels,
                        .name = "bench",
                        .solid = rig->solid,
                        .materials = &materials,
                        .options = &options};
    SN_TRY(sn_lattice_model.create(&model, &body, error));
    rig->body = body;
    SN_TRY(sn_lattice_model.set_pins(body, &pin, 1, error));
done:
    return status;
}

// Newton's method from rest under the body's weight ---------------------------------------------

static SnLatticeProblem problem_of(Rig *rig)
{
    return (SnLatticeProblem){.body = rig->body,
                              .step = &rig->step,
                              .workers = rig->step.workers,
                              .report = &rig->report,
                              .largest = rig->body->size};
}

static void prepare_iteration(void *context)
{
    Rig *rig = context;
    SnLattice *body = rig->body;
    memset(body->room.move, 0, sn_lattice_dofs(body) * sizeof *body->room.move);
    for (size_t i = 0; i < sn_lattice_dofs(body); ++i) {
        body->room.external[i] = body->masses[i / 3] * rig->step.gravity[i % 3];
    }
}

static void iterate(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    SnLatticeProblem problem = problem_of(rig);
    SnLatticeValue value;
    SnLatticeEnd end;
    (void)workers;
    rig->report = (SinewStepReport){0};
    // A tolerance out of reach: directions are then solved to 1e-3.
    SinewStatus status = sn_lattice_minimise(&problem, 1e-12, 1, &value, &end, NULL);
    rig->status = status < 0 ? status : rig->status;
}

static void step_once(Rig *rig)
{
    SinewStatus status = sn_lattice_model.step(rig->body, &rig->step, &rig->report, NULL);
    rig->status = status < 0 ? status : rig->status;
    rig->iterations += rig->report.iterations;
    rig->solves += rig->report.linear_solves;
    rig->runs += 1;
}

static void step(void *context, SnWorkers *workers)
{
    Rig *rig = context;
    (void)workers;
    for (int i = 0; i < TIMED_STEPS; ++i) {
        step_once(rig);
    }
}

// Every run has the same steps of a beam on its way down. What a restored state makes anew, one
// step has made before.
static void prepare_step(void *context)
{
    Rig *rig = context;
    int iterations = rig->iterations, solves = rig->solves, runs = rig->runs;
    int applies = rig->body->multigrid.applies;
    sn_lattice_model.restore(rig->body, rig->saved);
    step_once(rig);
    rig->iterations = iterations;
    rig->solves = solves;
    rig->runs = runs;
    rig->body->multigrid.applies = applies;
}

static SinewStatus time_body(const SnBench *bench, const SnBenchEntry *entry, Rig *rig,
                             SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool is_step = entry->index == STEP;
    double cells = rig->body->mesh->hex_count;
    SnBenchTask task = {is_step ? prepare_step : prepare_iteration, is_step ? step : iterate, rig};
    for (int i = 0; i < WARM_STEPS && is_step; ++i) {
        step_once(rig);
    }
    SN_TRY(sn_expect_memory(rig->saved = sn_alloc(NULL, sn_lattice_model.state_size(rig->body), 1),
                            sn_lattice_model.state_size(rig->body), 1, error));
    sn_lattice_model.save(rig->body, rig->saved);
    rig->iterations = rig->solves = rig->runs = rig->body->multigrid.applies = 0;
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    double runs = is_step ? rig->runs : time.runs + 1;
    double applies = rig->body->multigrid.applies / runs;
    // Products on the finest level alone, on cells that are all there.
    SnBenchWork work = {.items = is_step ? TIMED_STEPS : 1.0,
                        .bytes_read = 92.0 * cells * applies,
                        .bytes_written = 12.0 * cells * applies,
                        .flops = SN_LATTICE_FLOPS_WILSON * cells * applies,
                        .working_set = 92.0 * cells};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    sn_bench_figure(out_result, "goal", goals[entry->index]);
    sn_bench_figure(out_result, "cells", cells);
    sn_bench_figure(out_result, "applies", applies);
    sn_bench_figure(out_result, "solver_iterations",
                    is_step ? rig->solves / runs : rig->report.linear_solves);
    if (is_step) {
        sn_bench_figure(out_result, "newton_iterations", rig->iterations / runs);
        sn_bench_figure(out_result, "residual", rig->report.residual);
    }
    status = rig->status;
done:
    return status;
}

static SinewStatus count_body(SnBench *bench, const SnBenchEntry *entry, Rig *rig,
                              SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = rig->body;
    SnLatticeMultigrid *m = &body->multigrid;
    double cells = body->mesh->hex_count;
    if (entry->index == MEMORY) {
        out_result->unit = "bytes";
        SnLatticeMultigridDef def = {.kernels = entry->kernels,
                                     .poisson = poisson_of(MEMORY),
                                     .worker_count = sn_workers_count(bench->workers)};
        size_t bytes = 0;
        SN_TRY(sn_lattice_count_bytes(m, &def, &bytes, error));
        out_result->value = (double)bytes / cells;
        sn_bench_figure(out_result, "whole_body", (double)rig->tally.now / cells);
        sn_bench_figure(out_result, "cells_a_block", cells / m->levels[0].grid.cell_blocks);
    } else {
        if (entry->index == JACOBI) {
            m->smoother = sn_lattice_paper_smoother(2);
        }
        SN_TRY(sn_lattice_multigrid_linearise(m, bench->workers, body->room.x64, NULL, error));
        SnLatticeWork count = sn_lattice_count_work(m, bench->workers, 1e-7, ITERATIONS_MAX);
        out_result->unit = "iterations";
        out_result->value = count.iterations;
        sn_bench_figure(out_result, "applies", count.applies);
        sn_bench_figure(out_result, "residual", count.residual);
    }
    out_result->median = out_result->value;
    out_result->runs = 1;
    sn_bench_figure(out_result, "goal", goals[entry->index]);
    sn_bench_figure(out_result, "cells", cells);
done:
    return status;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Rig rig = {0};
    (void)state;
    rig.allocator = sn_bench_tally_allocator(&rig.tally);
    SN_TRY(make_solid(bench, (Kind)entry->index, &rig, error));
    SN_TRY(make_body(bench, entry, &rig, error));
    if (entry->index == NEWTON || entry->index == STEP) {
        SN_TRY(time_body(bench, entry, &rig, out_result, error));
    } else {
        SN_TRY(count_body(bench, entry, &rig, out_result, error));
    }
done:
    sn_free(NULL, rig.saved);
    sn_lattice_model.destroy(rig.body);
    sn_solid_destroy(rig.solid);
    return status;
}

const SnBenchGroup sn_bench_lattice_body = {.name = "lattice", .list = list, .run = run};
