#include "support/voxel_rig.h"

#include "model/model.h"
#include "support/test.h"

void voxel_rig_make(const VoxelRigDef *def, VoxelRig *out_rig)
{
    SinewMaterial given = sinew_material_default();
    SinewBodyDef options = sinew_body_def_default();
    SnSolidDef solid = {
        .shape = def->shape, .resolution = def->resolution, .pose = sn_affine_identity()};
    SnMaterials list = {&out_rig->material, NULL, 0};
    SnModelDef model = {.workers = def->workers,
                        .allocator = def->allocator,
                        .name = "body",
                        .materials = &list,
                        .options = &options};
    out_rig->body = NULL;
    given.young = def->young > 0.0 ? def->young : given.young;
    options.voxel = def->options != NULL ? *def->options : options.voxel;
    assert_int_equal(sn_material_make(&given, "the body", &out_rig->material, NULL), SINEW_OK);
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &model.kernels, NULL), SINEW_OK);
    assert_int_equal(sn_solid_create(&solid, NULL, NULL, &out_rig->solid, NULL), SINEW_OK);
    model.solid = out_rig->solid;
    assert_int_equal(sn_voxel_model.create(&model, (void **)&out_rig->body, NULL), SINEW_OK);
}

void voxel_rig_bar(int cells, double young, const SinewVoxelDef *options, VoxelRig *out_rig)
{
    out_rig->box = (SnShape){.kind = SN_SHAPE_BOX,
                             .box = {.min = {0.0, 0.0, 0.0}, .max = {(double)cells, 1.0, 0.6}}};
    out_rig->shape = (SnShape){.kind = SN_SHAPE_BLOB, .blob = {&out_rig->box, 1, 0.0}};
    VoxelRigDef def = {
        .shape = &out_rig->shape, .resolution = cells, .young = young, .options = options};
    voxel_rig_make(&def, out_rig);
}

void voxel_rig_release(VoxelRig *rig)
{
    sn_voxel_model.destroy(rig->body);
    sn_solid_destroy(rig->solid);
    *rig = (VoxelRig){0};
}

SinewVoxelDef voxel_rig_options(SinewVoxelMode mode)
{
    SinewVoxelDef options = sinew_body_def_default().voxel;
    options.mode = mode;
    return options;
}
