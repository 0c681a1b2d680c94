#include "support/frames_rig.h"

#include "support/test.h"

#include "model/frames/flexibility.h"

#include <math.h>

const FramesBody frames_bodies[FRAMES_BODY_COUNT] = {
    {.name = "bar",
     .kind = SINEW_SHAPE_BOX,
     .boxes = {{0, 0, 0, 4, 1, 1}},
     .cells = {16, 4, 4},
     .origins = {{0, .5, .5}, {1, .5, .5}, {2, .5, .5}, {3, .5, .5}, {4, .5, .5}},
     .frames = 5},
    {.name = "T",
     .kind = SINEW_SHAPE_BLOB,
     .boxes = {{-2, -.5, -.5, 2, .5, .5}, {-.5, -3, -.5, .5, -.4, .5}},
     .origins = {{-1.75, 0, 0}, {1.75, 0, 0}, {0, 0, 0}, {0, -2.75, 0}},
     .frames = 4},
    {.name = "star",
     .kind = SINEW_SHAPE_BLOB,
     .boxes = {{-2, -.5, -.5, 2, .5, .5}, {-.5, -2, -.5, .5, 2, .5}},
     .origins = {{-1.75, 0, 0}, {1.75, 0, 0}, {0, 0, 0}, {0, -1.75, 0}, {0, 1.75, 0}},
     .frames = 5},
    {.name = "half stiff",
     .kind = SINEW_SHAPE_BOX,
     .boxes = {{0, 0, 0, 4, 1, 1}},
     .cells = {16, 4, 4},
     .origins = {{.25, .5, .5}, {2, .5, .5}, {3.75, .5, .5}},
     .frames = 3,
     .stiff = {{-1, -1, -1, 2, 2, 2}},
     .stiff_count = 1},
    {.name = "bones in flesh",
     .kind = SINEW_SHAPE_BOX,
     .boxes = {{0, 0, 0, 4, 1, 1}},
     .cells = {16, 4, 4},
     .origins = {{0, .5, .5}, {1, .5, .5}, {2, .5, .5}, {3, .5, .5}, {4, .5, .5}},
     .frames = 5,
     .stiff = {{.4, .2, .2, 1.8, .8, .8}, {2.2, .2, .2, 3.6, .8, .8}},
     .stiff_count = 2},
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
    given.law = what->law != 0 ? what->law : given.law;
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
        rig->frames[i].wakes = what->wakes[i];
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

void frames_rig_bend(const SnFrames *body, double size, uint64_t seed, double *out_poses)
{
    SnRandom random = {seed};
    double change[FRAMES_DOFS_MAX];
    for (int d = 0; d < sn_frames_dofs(body); ++d) {
        change[d] = sn_random_between(&random, -size, size);
    }
    sn_frames_change(body, body->state.poses, change, 1.0, out_poses);
}

static double largest_of(const double *numbers, int count)
{
    double most = 0.0;
    for (int n = 0; n < count; ++n) {
        most = fmax(most, fabs(numbers[n]));
    }
    return most;
}

void frames_rig_slopes(const SnFramesProblem *problem, const double *poses, FramesSlopes *out)
{
    const SnFrames *body = problem->body;
    const double h = 1e-5;
    int dofs = sn_frames_dofs(body);
    size_t size = (size_t)dofs * sizeof(double);
    sn_frames_potential(problem, poses, true);
    memcpy(out->gradient, body->room.gradient, size);
    memcpy(out->hessian, body->room.hessian, size * (size_t)dofs);
    out->steepest = largest_of(out->gradient, dofs);
    out->largest = largest_of(out->hessian, dofs * dofs);
    for (int d = 0; d < dofs; ++d) {
        double unit[FRAMES_DOFS_MAX] = {0}, moved[FRAMES_POSES_MAX], phi[2];
        double sides[2][FRAMES_DOFS_MAX];
        unit[d] = 1.0;
        for (int side = 0; side < 2; ++side) {
            sn_frames_change(body, poses, unit, side == 0 ? h : -h, moved);
            phi[side] = sn_frames_potential(problem, moved, false).phi;
            memcpy(sides[side], body->room.gradient, size);
        }
        out->of_phi[d] = (phi[0] - phi[1]) / (2.0 * h);
        for (int c = 0; c < dofs; ++c) {
            out->of_gradient[dofs * d + c] = (sides[0][c] - sides[1][c]) / (2.0 * h);
        }
    }
}

void frames_slopes_fit_phi(const FramesSlopes *slopes, int dofs)
{
    for (int d = 0; d < dofs; ++d) {
        assert_at_most(fabs(slopes->of_phi[d] - slopes->gradient[d]), 1e-8 * slopes->steepest);
    }
}
