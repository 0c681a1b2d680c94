#include "support/split_rig.h"

#include "support/test.h"

#include <math.h>

SnSplitRigDef sn_split_rig_default(void)
{
    return (SnSplitRigDef){
        .max = {1.0, 0.2, 0.2},
        .cells = {20, 4, 4},
        .material = {.law = SINEW_LAW_COROTATED, .young = 5e5, .poisson = 0.35, .density = 1000.0},
        .model = &sn_split_model,
        .split = sinew_split_def_default(),
        .tetmg = sinew_tetmg_def_default(),
        .worker_count = 1,
    };
}

SinewStatus sn_split_rig_try(const SnSplitRigDef *def, SnSplitRig *out_rig, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolid *solid = NULL;
    SnMaterial materials[8];
    SnShape shape = {.kind = SN_SHAPE_BOX};
    SnSolidDef solid_def = {.tets = def->tets,
                            .shape = def->tets != NULL ? NULL : &shape,
                            .resolution = 4,
                            .cut = SN_BOX_FIVE,
                            .pose = sn_affine_identity()};
    SinewBodyDef options = {.split = def->split, .tetmg = def->tetmg};
    SnModelDef model = {.allocator = def->allocator,
                        .name = "rig",
                        .options = &options,
                        .coarse = def->coarse,
                        .coarse_count = def->coarse_count,
                        .coarse_scale = 1.0};
    SnMaterials list = {materials, def->regions, def->region_count};

    *out_rig = (SnSplitRig){.model = def->model};
    memcpy(shape.box.max, def->max, sizeof shape.box.max);
    memcpy(solid_def.cells, def->cells, sizeof solid_def.cells);
    for (int p = 0; p < 8; ++p) {
        out_rig->motions[p] = sn_affine_identity();
    }
    SN_TRY(sn_material_make(&def->material, "the material", materials, error));
    for (int r = 0; r < def->region_count; ++r) {
        SN_TRY(sn_material_make(&def->region_materials[r], "the region", materials + 1 + r, error));
    }
    SN_TRY(sn_workers_create(NULL, NULL, def->worker_count, &out_rig->workers, error));
    SN_TRY(sn_kernels_pick(def->determinism, &model.kernels, error));
    model.kernels = def->kernels != NULL ? def->kernels : model.kernels;
    SN_TRY(sn_solid_create(&solid_def, out_rig->workers, def->allocator, &solid, error));
    model.workers = out_rig->workers;
    model.solid = solid;
    model.materials = &list;
    SN_TRY(def->model->create(&model, (void **)&out_rig->body, error));
    out_rig->step.workers = out_rig->workers;

done:
    sn_solid_destroy(solid);
    return status;
}

SnSplitRig sn_split_rig_make(const SnSplitRigDef *def)
{
    SnSplitRig rig;
    SinewError error;
    if (sn_split_rig_try(def, &rig, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return rig;
}

void sn_split_rig_destroy(SnSplitRig *rig)
{
    if (rig->model != NULL) {
        rig->model->destroy(rig->body);
    }
    sn_workers_destroy(rig->workers);
    *rig = (SnSplitRig){0};
}

void sn_split_rig_pin(SnSplitRig *rig, double x, const char *axes)
{
    SinewRegion region = {
        .kind = SINEW_REGION_BOX, .min = {-1e3, -1e3, -1e3}, .max = {x, 1e3, 1e3}};
    SnPin pin = {
        .region = &region,
        .axes = {strchr(axes, 'x') != NULL, strchr(axes, 'y') != NULL, strchr(axes, 'z') != NULL}};
    SinewError error;
    if (rig->model->set_pins(rig->body, &pin, 1, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
}

void sn_split_rig_step(SnSplitRig *rig, double dt, int steps)
{
    SinewError error = {.text = ""};
    rig->step.dt = dt;
    rig->step.pin_motions = rig->motions;
    for (int i = 0; i < steps; ++i) {
        if (rig->model->step(rig->body, &rig->step, &rig->report, &error) < 0) {
            fail_msg("step %d: %s", i, error.text);
        }
    }
}

double sn_split_rig_distance(const SnSplitRig *rig, const double *a, const double *b)
{
    size_t count = sn_split_dofs(rig->body);
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum / rig->body->elements.vertex_count);
}
