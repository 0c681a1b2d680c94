// lattice.cantilever.* and lattice.torsion.*: error against cost of both elements. A static solve
// to 1e-6 (ms, one core) of two bars with 1, 2, 4 and 8 cells of thickness, and the figure `error`:
// how far from the continuum the result is, in per cent.
//
// cantilever    2 m x 0.25 m x 0.25 m, E 5e6 Pa, Poisson's ratio 0.3, 1000 kg/m^3, bent by half the
//               weight of the earth: how far its end sinks
// torsion       1 m x 0.2 m x 0.2 m, E 1e6 Pa, Poisson's ratio 0.3, twisted by ten degrees between
//               clamped ends: the torque
//
// The continuum's values come from 27-node hexahedra on graded meshes, to 0.04 %. The limit is the
// time that the solver's products on the finest level must take.
#include "bench/one_body.h"
#include "bench/workload_lattice.h"

#include "model/lattice/body.h"

#include <math.h>
#include <stdio.h>

enum { CELLS_COUNT = 4, ELEMENTS = 2, CASES = 2 };

static const int cells_of[CELLS_COUNT] = {1, 2, 4, 8};
static const char *const elements[ELEMENTS] = {"wilson", "mcadams"};
static const char *const cases[CASES] = {"cantilever", "torsion"};
static const double truth[CASES] = {-0.36880504, 15.196772}; // m, N m

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < CASES * ELEMENTS * CELLS_COUNT; ++i) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "lattice.%s.%s_%d", cases[i / (ELEMENTS * CELLS_COUNT)],
                 elements[i / CELLS_COUNT % ELEMENTS], cells_of[i % CELLS_COUNT]);
        SN_TRY(sn_bench_add(bench, &sn_bench_lattice_accuracy, name, bench->kernels, SN_ONE_THREAD,
                            i, error));
    }
done:
    return status;
}

static SinewStatus make(const SnBenchEntry *entry, bool twists, SnOneBody *one, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int n = cells_of[entry->index % CELLS_COUNT];
    double length = twists ? 1.0 : 2.0, half = twists ? 0.1 : 0.125;
    SnShape shape = {.kind = SN_SHAPE_BOX, .box = {{0.0, -half, -half}, {length, half, half}}};
    SnSolidDef solid = {.shape = &shape,
                        .resolution = 1,
                        .cells = {(twists ? 5 : 8) * n, n, n},
                        .pose = sn_affine_identity()};
    SinewBodyDef options = sinew_body_def_default();
    SinewMaterial material = sinew_material_default();
    SinewRegion near = {.kind = SINEW_REGION_BOX, .min = {-1, -1, -1}, .max = {1e-6, 1, 1}};
    SinewRegion far = {.kind = SINEW_REGION_BOX, .min = {length - 1e-6, -1, -1}, .max = {9, 1, 1}};
    SnPin pins[2] = {{.region = &near, .axes = {true, true, true}},
                     {.region = &far, .axes = {true, true, true}}};
    SnOneBodyDef def = {.model = &sn_lattice_model,
                        .solid = &solid,
                        .material = &material,
                        .options = &options,
                        .pins = pins,
                        .pin_count = twists ? 2 : 1,
                        .kernels = entry->kernels};

    material.young = twists ? 1e6 : 5e6;
    material.poisson = 0.3;
    options.lattice.element =
        entry->index / CELLS_COUNT % ELEMENTS == 0 ? SINEW_LATTICE_WILSON : SINEW_LATTICE_MCADAMS;
    SN_TRY(sn_one_body_make(&def, one, error));
    one->step.tolerance = 1e-6;
    one->step.gravity[2] = twists ? 0.0 : -4.905;
    double angle = twists ? 10.0 * 3.14159265358979323846 / 180.0 : 0.0;
    one->motions[1].m[5] = one->motions[1].m[10] = cos(angle);
    one->motions[1].m[6] = -sin(angle);
    one->motions[1].m[9] = sin(angle);
done:
    return status;
}

// How far the middle of the far end has sunk, or the torque on it.
static double find_result(const SnLattice *body, bool twists)
{
    const SnHexMesh *mesh = body->mesh;
    double wrench[6], sum = 0.0;
    int count = 0;
    if (twists) {
        sn_lattice_model.reaction(body, 1, wrench);
        return wrench[3];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (mesh->positions[3 * v] > 2.0 - 1e-6) {
            sum += body->state.positions[3 * v + 2] - mesh->positions[3 * v + 2];
            count += 1;
        }
    }
    return sum / count;
}

static SinewStatus run(SnBench *bench, void *state, const SnBenchEntry *entry,
                       SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int kind = entry->index / (ELEMENTS * CELLS_COUNT); // of `cases`
    bool twists = kind == 1;
    SnOneBody one = {0};
    (void)state;
    SN_TRY(make(entry, twists, &one, error));
    const SnLattice *body = one.body;
    SnBenchTask task = sn_one_body_task(&one);
    SnBenchTime time = sn_bench_clock(&task, NULL, 2, bench->quick ? 0.02 : 0.2);
    double cells = body->mesh->hex_count;
    double applies = body->multigrid.applies / (time.runs + 1.0);
    bool wilson = entry->index / CELLS_COUNT % ELEMENTS == 0;
    double flops = wilson ? SN_LATTICE_FLOPS_WILSON : SN_LATTICE_FLOPS_MCADAMS;
    SnBenchWork work = {.items = 1.0,
                        .bytes_read = 92.0 * cells * applies,
                        .bytes_written = 12.0 * cells * applies,
                        .flops = flops * cells * applies,
                        .working_set = 92.0 * cells};
    sn_bench_fill(bench, entry, time, &work, "ms", out_result);
    sn_bench_figure(out_result, "cells", cells);
    sn_bench_figure(out_result, "error",
                    100.0 * fabs(find_result(body, twists) / truth[kind] - 1.0));
    status = one.status;
done:
    sn_one_body_release(&one);
    return status;
}

const SnBenchGroup sn_bench_lattice_accuracy = {.name = "lattice", .list = list, .run = run};
