#include "support/newton_rig.h"

#include "support/test.h"

SnNewtonRigDef sn_newton_rig_default(void)
{
    return (SnNewtonRigDef){
        .max = {1.0, 1.0, 1.0},
        .cells = {1, 1, 1},
        .cut = SN_BOX_KUHN,
        .material = {.law = SINEW_LAW_COROTATED, .young = 1e6, .poisson = 0.3, .density = 1000.0},
        .newton = {.tolerance = 1e-9, .max_iterations = 60},
        .worker_count = 1,
    };
}

static SinewStatus make_materials(const SnNewtonRigDef *def, SnMaterial *materials,
                                  SinewError *error)
{
    SinewStatus status = sn_material_make(&def->material, "the material", materials, error);
    for (int r = 0; r < def->region_count && status == SINEW_OK; ++r) {
        status =
            sn_material_make(&def->region_materials[r], "the region", materials + 1 + r, error);
    }
    return status;
}

SinewStatus sn_newton_rig_try(const SnNewtonRigDef *def, SnNewtonRig *out_rig, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolid *solid = NULL;
    SnMaterial materials[8];
    SnShape shape = {.kind = SN_SHAPE_BOX};
    SnSolidDef solid_def = {.tets = def->tets,
                            .shape = def->tets != NULL ? NULL : &shape,
                            .resolution = 4,
                            .cut = def->cut,
                            .pose = sn_affine_identity()};
    SinewBodyDef options = {.newton = def->newton};
    SnModelDef model = {.allocator = def->allocator, .name = "rig", .options = &options};
    SnMaterials list = {materials, def->regions, def->region_count};

    *out_rig = (SnNewtonRig){0};
    memcpy(shape.box.min, def->min, sizeof shape.box.min);
    memcpy(shape.box.max, def->max, sizeof shape.box.max);
    memcpy(solid_def.cells, def->cells, sizeof solid_def.cells);
    for (int p = 0; p < 8; ++p) {
        out_rig->motions[p] = sn_affine_identity();
    }
    SN_TRY(make_materials(def, materials, error));
    SN_TRY(sn_workers_create(NULL, NULL, def->worker_count, &out_rig->workers, error));
    SN_TRY(sn_kernels_pick(SN_FAST_BITS, &model.kernels, error));
    SN_TRY(sn_solid_create(&solid_def, out_rig->workers, def->allocator, &solid, error));
    model.workers = out_rig->workers;
    model.solid = solid;
    model.materials = &list;
    SN_TRY(sn_newton_model.create(&model, (void **)&out_rig->body, error));
    out_rig->step.workers = out_rig->workers;

done:
    sn_solid_destroy(solid);
    return status;
}

SnNewtonRig sn_newton_rig_make(const SnNewtonRigDef *def)
{
    SnNewtonRig rig;
    SinewError error;
    if (sn_newton_rig_try(def, &rig, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return rig;
}

void sn_newton_rig_destroy(SnNewtonRig *rig)
{
    sn_newton_model.destroy(rig->body);
    sn_workers_destroy(rig->workers);
    *rig = (SnNewtonRig){0};
}

SinewStatus sn_newton_rig_pins(SnNewtonRig *rig, const SnNewtonRigPin *pins, int count,
                               SinewError *error)
{
    SinewRegion regions[8];
    SnPin list[8];
    assert_true(count <= 8);
    for (int p = 0; p < count; ++p) {
        regions[p] = (SinewRegion){.kind = SINEW_REGION_BOX};
        memcpy(regions[p].min, pins[p].min, sizeof regions[p].min);
        memcpy(regions[p].max, pins[p].max, sizeof regions[p].max);
        list[p] =
            (SnPin){.region = &regions[p],
                    .axes = {strchr(pins[p].axes, 'x') != NULL, strchr(pins[p].axes, 'y') != NULL,
                             strchr(pins[p].axes, 'z') != NULL}};
    }
    return sn_newton_model.set_pins(rig->body, list, count, error);
}

void sn_newton_rig_step(SnNewtonRig *rig, double dt, int steps)
{
    SinewError error = {.text = "not converged"};
    rig->step.dt = dt;
    rig->step.pin_motions = rig->motions;
    for (int i = 0; i < steps; ++i) {
        if (sn_newton_model.step(rig->body, &rig->step, &rig->report, &error) != SINEW_OK) {
            fail_msg("step %d: %s, residual %g after %d iterations", i, error.text,
                     rig->report.residual, rig->report.iterations);
        }
    }
}

void sn_newton_rig_solve(SnNewtonRig *rig, SinewStatus expected)
{
    SinewError error = {.text = "no error"};
    rig->step.dt = 0.0;
    rig->step.pin_motions = rig->motions;
    SinewStatus status = sn_newton_model.solve_static(rig->body, &rig->step, &rig->report, &error);
    if (status != expected) {
        fail_msg("status %d, expected %d: %s; residual %g after %d iterations", (int)status,
                 (int)expected, error.text, rig->report.residual, rig->report.iterations);
    }
}

int sn_newton_rig_vertex(const SnNewtonRig *rig, double x, double y, double z)
{
    const SnNewtonElements *elements = &rig->body->elements;
    int best = 0;
    double nearest = 1e300;
    for (int v = 0; v < elements->vertex_count; ++v) {
        const double *X = elements->rest + 3 * (size_t)v;
        double d2 = (X[0] - x) * (X[0] - x) + (X[1] - y) * (X[1] - y) + (X[2] - z) * (X[2] - z);
        if (d2 < nearest) {
            nearest = d2;
            best = v;
        }
    }
    return best;
}

double sn_newton_rig_moved(const SnNewtonRig *rig, int vertex, int axis)
{
    size_t at = 3 * (size_t)vertex + (size_t)axis;
    return rig->body->state.positions[at] - rig->body->elements.rest[at];
}
