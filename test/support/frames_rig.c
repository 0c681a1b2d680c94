#include "support/frames_rig.h"

#include "support/test.h"

#include "model/frames/flexibility.h"
#include "model/frames/potential.h"

const FramesBody frames_bodies[FRAMES_BODY_COUNT] = {
    {"bar",
     SINEW_SHAPE_BOX,
     {{0, 0, 0, 4, 1, 1}},
     {16, 4, 4},
     {{0, .5, .5}, {1, .5, .5}, {2, .5, .5}, {3, .5, .5}, {4, .5, .5}},
     5,
     {{0}},
     0},
    {"T",
     SINEW_SHAPE_BLOB,
     {{-2, -.5, -.5, 2, .5, .5}, {-.5, -3, -.5, .5, -.4, .5}},
     {0},
     {{-1.75, 0, 0}, {1.75, 0, 0}, {0, 0, 0}, {0, -2.75, 0}},
     4,
     {{0}},
     0},
    {"star",
     SINEW_SHAPE_BLOB,
     {{-2, -.5, -.5, 2, .5, .5}, {-.5, -2, -.5, .5, 2, .5}},
     {0},
     {{-1.75, 0, 0}, {1.75, 0, 0}, {0, 0, 0}, {0, -1.75, 0}, {0, 1.75, 0}},
     5,
     {{0}},
     0},
    {"half stiff",
     SINEW_SHAPE_BOX,
     {{0, 0, 0, 4, 1, 1}},
     {16, 4, 4},
     {{.25, .5, .5}, {2, .5, .5}, {3.75, .5, .5}},
     3,
     {{-1, -1, -1, 2, 2, 2}},
     1},
    {"bones in flesh",
     SINEW_SHAPE_BOX,
     {{0, 0, 0, 4, 1, 1}},
     {16, 4, 4},
     {{0, .5, .5}, {1, .5, .5}, {2, .5, .5}, {3, .5, .5}, {4, .5, .5}},
     5,
     {{.4, .2, .2, 1.8, .8, .8}, {2.2, .2, .2, 3.6, .8, .8}},
     2},
};

static SnShape shape_of(const FramesBody *what, SnShape parts[2])
{
    for (int b = 0; b < 2; ++b) {
        parts[b] = (SnShape){.kind = SN_SHAPE_BOX};
        memcpy(parts[b].box.min, what->boxes[b], 3 * sizeof(double));
        memcpy(parts[b].box.max, what->boxes[b] + 3, 3 * sizeof(double));
    }
    if (what->kind == SINEW_SHAPE_BOX) {
        return parts[0];
    }
    return (SnShape){.kind = SN_SHAPE_BLOB, .blob = {.parts = parts, .part_count = 2}};
}

void frames_rig_make(const FramesBody *what, const SinewFramesDef *options, FramesRig *rig)
{
    const SnKernels *kernels = NULL;
    SinewMaterial given = sinew_material_default();
    SinewError error = {0};
    SnShape parts[2], shape = shape_of(what, parts);
    SnSolidDef solid = {.shape = &shape,
                        .resolution = 20,
                        .cells = {what->cells[0], what->cells[1], what->cells[2]},
                        .pose = sn_affine_identity()};
    memset(rig, 0, sizeof *rig);
    given.young = 1e5;
    assert_int_equal(sn_material_make(&given, "soft", &rig->materials[0], NULL), SINEW_OK);
    given.young = 1e7;
    for (int s = 0; s < what->stiff_count; ++s) {
        assert_int_equal(sn_material_make(&given, "stiff", &rig->materials[1 + s], NULL), SINEW_OK);
        rig->regions[s].kind = SINEW_REGION_BOX;
        memcpy(rig->regions[s].min, what->stiff[s], 3 * sizeof(double));
        memcpy(rig->regions[s].max, what->stiff[s] + 3, 3 * sizeof(double));
    }
    rig->table = (SnMaterials){rig->materials, rig->regions, what->stiff_count};
    rig->options = sinew_body_def_default();
    rig->options.frames = *options;
    for (int i = 0; i < what->frames; ++i) {
        memcpy(rig->frames[i].at, what->origins[i], 3 * sizeof(double));
    }
    rig->options.frames.frames = rig->frames;
    rig->options.frames.frame_count = what->frames;
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    assert_int_equal(sn_solid_create(&solid, NULL, NULL, &rig->solid, &error), SINEW_OK);
    rig->def = (SnModelDef){.kernels = kernels,
                            .name = what->name,
                            .solid = rig->solid,
                            .materials = &rig->table,
                            .options = &rig->options};
    if (sn_frames_model.create(&rig->def, (void **)&rig->body, &error) < 0) {
        fail_msg("%s", error.text);
    }
}

void frames_rig_release(FramesRig *rig)
{
    sn_frames_model.destroy(rig->body);
    sn_solid_destroy(rig->solid);
}

SnComplianceRatio frames_rig_ratio(FramesRig *rig)
{
    SnFrames *body = rig->body;
    double *K = NULL, *Z = NULL, absolute[18];
    SnComplianceRatio ratio;
    SnStep step = {0};
    SinewStepReport report = {0};
    for (int i = 0; i < 3 * body->frame_count; ++i) {
        absolute[i] = body->origins[i] + body->grid.center[i % 3];
    }
    SnFlexibilityDef def = {&rig->def, &body->grid,   body->frame_count,
                            absolute,  body->weights, NULL};
    assert_int_equal(sn_flexibility_find(&def, &K, &Z, NULL), SINEW_OK);
    SnFramesProblem problem = {.body = body, .step = &step, .report = &report, .geometric = true};
    sn_frames_potential(&problem, body->state.poses, true);
    assert_int_equal(
        sn_compliance_compare(body->room.hessian, K, body->frame_count, NULL, &ratio, NULL),
        SINEW_OK);
    sn_free(NULL, K);
    sn_free(NULL, Z);
    return ratio;
}
