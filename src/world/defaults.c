// Every default of the public API, together, so that they can be read in one place.
#include "sinew/world.h"

SinewSurfaceDef sinew_surface_def_default(void)
{
    return (SinewSurfaceDef){.struct_size = sizeof(SinewSurfaceDef)};
}

SinewTetsDef sinew_tets_def_default(void)
{
    return (SinewTetsDef){.struct_size = sizeof(SinewTetsDef)};
}

SinewShape sinew_shape_default(void)
{
    return (SinewShape){.axis = {0.0, 1.0, 0.0}, .normal = {0.0, 1.0, 0.0}};
}

SinewPose sinew_pose_default(void)
{
    return (SinewPose){.axis = {0.0, 1.0, 0.0}, .scale = 1.0};
}

SinewKey sinew_key_default(void)
{
    return (SinewKey){.axis = {0.0, 1.0, 0.0}};
}

SinewMaterial sinew_material_default(void)
{
    return (SinewMaterial){
        .law = SINEW_LAW_COROTATED, .young = 1e6, .poisson = 0.3, .density = 1000.0};
}

SinewNewtonDef sinew_newton_def_default(void)
{
    return (SinewNewtonDef){.element = SINEW_ELEMENT_TET,
                            .integrator = SINEW_INTEGRATOR_EULER,
                            .mass = SINEW_MASS_LUMPED,
                            .max_iterations = 60};
}

SinewSplitDef sinew_split_def_default(void)
{
    return (SinewSplitDef){.mode = SINEW_SPLIT_IMPLICIT,
                           .integrator = SINEW_INTEGRATOR_EULER,
                           .accuracy = 1e-3,
                           .passes = 1,
                           .volume_iterations = 1,
                           .rotation = SINEW_ROTATION_APD,
                           .clusters = 40,
                           .solver = SINEW_SPLIT_AUTO,
                           .solve_tolerance = 1e-3};
}

SinewLatticeDef sinew_lattice_def_default(void)
{
    return (SinewLatticeDef){.element = SINEW_LATTICE_WILSON,
                             .integrator = SINEW_INTEGRATOR_EULER,
                             .max_iterations = 60,
                             .fill = SINEW_LATTICE_WEIGHTED};
}

SinewVoxelDef sinew_voxel_def_default(void)
{
    return (SinewVoxelDef){.mode = SINEW_VOXEL_CONDENSED,
                           .integrator = SINEW_INTEGRATOR_EULER,
                           .fine_levels = 2,
                           .tolerance = 1e-4,
                           .max_iterations = 60,
                           .image_raw = {.spacing = {0.001, 0.001, 0.001}, .scale = 1.0},
                           .solver = SINEW_VOXEL_AUTO};
}

SinewFramesDef sinew_frames_def_default(void)
{
    return (SinewFramesDef){.mode = SINEW_FRAMES_FITTED,
                            .kind = SINEW_FRAME_AUTO,
                            .weights = SINEW_FRAME_WEIGHTS_AUTO,
                            .count = 8,
                            .integrator = SINEW_INTEGRATOR_EULER,
                            .max_iterations = 60};
}

SinewTetmgDef sinew_tetmg_def_default(void)
{
    return (SinewTetmgDef){.integrator = SINEW_INTEGRATOR_EULER,
                           .accuracy = 1e-3,
                           .tangent = SINEW_TANGENT_MIXED,
                           .spacing = 4.0};
}

SinewWorldDef sinew_world_def_default(void)
{
    return (SinewWorldDef){.gravity = {0.0, -9.81, 0.0},
                           .contact_friction = 0.3,
                           .worker_count = 1,
                           .determinism = SINEW_FAST,
                           .struct_size = sizeof(SinewWorldDef)};
}

SinewBodyDef sinew_body_def_default(void)
{
    return (SinewBodyDef){.shape = sinew_shape_default(),
                          .box_tets = SINEW_BOX_FIVE,
                          .model = SINEW_MODEL_LATTICE,
                          .newton = sinew_newton_def_default(),
                          .split = sinew_split_def_default(),
                          .lattice = sinew_lattice_def_default(),
                          .voxel = sinew_voxel_def_default(),
                          .frames = sinew_frames_def_default(),
                          .tetmg = sinew_tetmg_def_default(),
                          .material = sinew_material_default(),
                          .pose = sinew_pose_default(),
                          .start = SINEW_START_REST,
                          .struct_size = sizeof(SinewBodyDef)};
}

SinewPinDef sinew_pin_def_default(void)
{
    return (SinewPinDef){.axes = {1, 1, 1}, .struct_size = sizeof(SinewPinDef)};
}

SinewLoadDef sinew_load_def_default(void)
{
    return (SinewLoadDef){.struct_size = sizeof(SinewLoadDef)};
}

SinewAttachmentDef sinew_attachment_def_default(void)
{
    return (SinewAttachmentDef){.stiffness = 1000.0, .struct_size = sizeof(SinewAttachmentDef)};
}

SinewColliderDef sinew_collider_def_default(void)
{
    return (SinewColliderDef){
        .shape = sinew_shape_default(), .friction = -1.0, .struct_size = sizeof(SinewColliderDef)};
}

SinewProbeDef sinew_probe_def_default(void)
{
    return (SinewProbeDef){
        .report = SINEW_REPORT_POSITION, .vertex = -1, .struct_size = sizeof(SinewProbeDef)};
}

SinewCutDef sinew_cut_def_default(void)
{
    return (SinewCutDef){.normal = {0.0, 1.0, 0.0}, .struct_size = sizeof(SinewCutDef)};
}
