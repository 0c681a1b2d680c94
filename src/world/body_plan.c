#include "world/body_plan.h"

#include "geometry/shape_def.h"
#include "io/volume.h"
#include "world/asset.h"
#include "world/check.h"
#include "world/motion.h"

#include <math.h>
#include <stdio.h>

// Checking ---------------------------------------------------------------------------------------

static SinewStatus check_one_shape(const SinewBodyDef *def, const char *what, SinewError *error)
{
    int said = (def->shape.kind != SINEW_SHAPE_NONE) + (def->surface != NULL) + (def->tets != NULL);
    if (said != 1) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: %s of shape, surface and tets are set, expected exactly one", what,
                       said == 0 ? "none" : (said == 2 ? "two" : "three"));
    }
    const SnSurface *surface = def->surface != NULL ? def->surface->surface : NULL;
    if (surface != NULL && surface->triangle_count == 0 &&
        (surface->line_count == 0 || def->model != SINEW_MODEL_VOXEL)) {
        return sn_fail(
            error, SINEW_ERROR_ARGUMENT,
            "%s: its surface has no triangles and %d lines, expected triangles, or lines "
            "and the model voxel",
            what, surface->line_count);
    }
    return SINEW_OK;
}

static SinewStatus check_cells(const SinewBodyDef *def, const char *what, SinewError *error)
{
    if (def->resolution < 0 || def->resolution > SN_RESOLUTION_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: resolution is %d, expected 1 to %d, or 0 for the model's own", what,
                       def->resolution, SN_RESOLUTION_MAX);
    }
    const int *cells = def->cells;
    if (cells[0] == 0 && cells[1] == 0 && cells[2] == 0) {
        return SINEW_OK;
    }
    if (def->shape.kind != SINEW_SHAPE_BOX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: cells is [%d, %d, %d] and the shape is no box, expected resolution",
                       what, cells[0], cells[1], cells[2]);
    }
    int64_t product = 1;
    for (int k = 0; k < 3; ++k) {
        if (cells[k] < 1 || product * cells[k] > SN_CELLS_MAX) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%s: cells is [%d, %d, %d], expected 1 or more along each axis and %d "
                           "at most in all",
                           what, cells[0], cells[1], cells[2], SN_CELLS_MAX);
        }
        product *= cells[k];
    }
    return SINEW_OK;
}

// A box is refused at once where the machine cannot hold it: every model takes more than this.
#define BYTES_PER_CELL 1000.0

static SinewStatus check_memory(const SinewBodyDef *def, const char *what, SinewError *error)
{
    double memory = sn_machine_memory();
    double bytes = BYTES_PER_CELL * def->cells[0] * def->cells[1] * def->cells[2];
    if (memory > 0.0 && bytes > memory) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: cells is [%d, %d, %d], which take more than %.3g GB of memory, "
                       "expected at most the machine's %.3g GB",
                       what, def->cells[0], def->cells[1], def->cells[2], 1e-9 * bytes,
                       1e-9 * memory);
    }
    return SINEW_OK;
}

static SinewStatus check_newton(const SinewNewtonDef *newton, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_choice((int)newton->element, 2, what, "element of newton", error));
    SN_TRY(sn_check_choice((int)newton->integrator, 3, what, "integrator of newton", error));
    SN_TRY(sn_check_choice((int)newton->mass, 2, what, "mass of newton", error));
    if (!(newton->tolerance >= 0.0) || !(newton->tolerance < 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: tolerance of newton is %g, expected 0 or more and less than 1", what,
                       newton->tolerance));
    }
    if (newton->max_iterations < 1) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: max_iterations of newton is %d, expected at least 1", what,
                       newton->max_iterations));
    }
done:
    return status;
}

static SinewStatus check_count(int value, int least, int most, const char *what, const char *name,
                               SinewError *error)
{
    if (value < least || value > most) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: %s is %d, expected %d to %d", what, name,
                       value, least, most);
    }
    return SINEW_OK;
}

static SinewStatus check_split(const SinewSplitDef *split, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_choice((int)split->mode, 2, what, "mode of split", error));
    SN_TRY(sn_check_choice((int)split->integrator, 2, what, "integrator of split", error));
    SN_TRY(sn_check_choice((int)split->rotation, 4, what, "rotation of split", error));
    if (!(split->accuracy > 0.0) || !(split->accuracy < 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: accuracy of split is %g, expected more than 0 and less than 1", what,
                       split->accuracy));
    }
    SN_TRY(sn_check_choice((int)split->solver, 3, what, "solver of split", error));
    if (!(split->solve_tolerance > 0.0) || !(split->solve_tolerance < 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: solve_tolerance of split is %g, expected more than 0 and less than 1",
                       what, split->solve_tolerance));
    }
    SN_TRY(check_count(split->newton, 0, 1000, what, "newton of split", error));
    SN_TRY(check_count(split->pcg, 0, 1000, what, "pcg of split", error));
    SN_TRY(check_count(split->passes, 1, 1000, what, "passes of split", error));
    SN_TRY(
        check_count(split->volume_iterations, 0, 1000, what, "volume_iterations of split", error));
    SN_TRY(check_count(split->clusters, 0, 200, what, "clusters of split", error));
    if (split->mode == SINEW_SPLIT_PAPER && split->integrator != SINEW_INTEGRATOR_EULER) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: integrator of split is bdf2 in mode paper, expected euler", what));
    }
done:
    return status;
}

static SinewStatus check_lattice(const SinewLatticeDef *lattice, const char *what,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_choice((int)lattice->element, 3, what, "element of lattice", error));
    SN_TRY(sn_check_choice((int)lattice->differential, 4, what, "differential of lattice", error));
    SN_TRY(sn_check_choice((int)lattice->cycle, 2, what, "cycle of lattice", error));
    SN_TRY(sn_check_choice((int)lattice->smoother, 2, what, "smoother of lattice", error));
    SN_TRY(sn_check_choice((int)lattice->fill, 2, what, "fill of lattice", error));
    SN_TRY(sn_check_choice((int)lattice->integrator, 2, what, "integrator of lattice", error));
    if (!(lattice->tolerance >= 0.0) || !(lattice->tolerance < 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: tolerance of lattice is %g, expected 0 (its own) or more and less "
                       "than 1",
                       what, lattice->tolerance));
    }
    if (lattice->max_iterations < 1) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: max_iterations of lattice is %d, expected at least 1", what,
                       lattice->max_iterations));
    }
done:
    return status;
}

static SinewStatus check_voxel(const SinewVoxelDef *voxel, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int levels = voxel->mode == SINEW_VOXEL_PAPER ? 4 : 3;
    SN_TRY(sn_check_choice((int)voxel->mode, 2, what, "mode of voxel", error));
    SN_TRY(sn_check_choice((int)voxel->stiffness, 2, what, "stiffness of voxel", error));
    SN_TRY(sn_check_choice((int)voxel->integrator, 2, what, "integrator of voxel", error));
    SN_TRY(sn_check_choice((int)voxel->solver, 3, what, "solver of voxel", error));
    if (voxel->fine_levels < 0 || voxel->fine_levels > levels) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: fine_levels of voxel is %d, expected 0 to %d, or 4 in mode paper", what,
                       voxel->fine_levels, levels));
    }
    const int *size = voxel->image_raw.size;
    bool is_raw = size[0] != 0 || size[1] != 0 || size[2] != 0;
    if (is_raw && voxel->image == NULL) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: image_size is [%d, %d, %d] but there is no image", what, size[0],
                       size[1], size[2]));
    }
    if (is_raw) {
        SN_TRY(sn_volume_check_raw(&voxel->image_raw, what, error));
    }
    if (voxel->newton < 0 || voxel->newton > 1000 || voxel->pcg < 0 || voxel->pcg > 1000) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: newton and pcg of voxel are %d and %d, expected 0 to 1000 each", what,
                       voxel->newton, voxel->pcg));
    }
    if (!(voxel->tolerance > 0.0) || !(voxel->tolerance < 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: tolerance of voxel is %g, expected more than 0 and less than 1", what,
                       voxel->tolerance));
    }
    if (voxel->max_iterations < 1) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: max_iterations of voxel is %d, expected at least 1", what,
                       voxel->max_iterations));
    }
done:
    return status;
}

static SinewStatus check_frame(const SinewFramesDef *frames, int index, const char *what,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char name[120];
    const SinewFrame *frame = &frames->frames[index];
    snprintf(name, sizeof name, "frame %d of %s", index, what);
    SN_TRY(sn_check_vector(frame->at, name, "at", error));
    if (!(frame->wakes >= 0.0) || !(frame->sleeps >= 0.0)) {
        SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                          "%s: wakes is %g s and sleeps is %g s, expected 0 or more", name,
                          frame->wakes, frame->sleeps));
    }
    if (frame->parent1 < 0 || frame->parent1 > frames->frame_count || frame->parent1 == index + 1) {
        SN_TRY(
            sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                       "%s: parent1 is %d, expected another of the %d frames, counted from 1, or 0",
                       name, frame->parent1, frames->frame_count));
    }
    if (frame->rigid.kind == SINEW_REGION_VERTICES) {
        SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                          "%s: rigid is a list of vertices, expected a box or a sphere", name));
    }
    if (frame->rigid.kind != SINEW_REGION_NONE) {
        SN_TRY(sn_region_check(&frame->rigid, 0, name, error));
    }
done:
    return status;
}

static SinewStatus check_frames(const SinewFramesDef *frames, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_choice((int)frames->mode, 2, what, "mode of frames", error));
    SN_TRY(sn_check_choice((int)frames->kind, 3, what, "kind of frames", error));
    SN_TRY(sn_check_choice((int)frames->weights, 6, what, "weights of frames", error));
    SN_TRY(sn_check_choice((int)frames->integrator, 2, what, "integrator of frames", error));
    SN_TRY(sn_check_choice((int)frames->mass, 2, what, "mass of frames", error));
    SN_TRY(sn_check_list(frames->frames, frames->frame_count, what, "frames", error));
    if (frames->count < 1 || frames->count > 64 || frames->frame_count > 64) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: count of frames is %d, and %d are given, expected 1 to 64 and at most "
                       "64",
                       what, frames->count, frames->frame_count));
    }
    if (frames->springs && frames->kind == SINEW_FRAME_AFFINE) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: springs between frames are asked for and frames are affine, expected "
                       "rigid ones, or no springs",
                       what));
    }
    if (frames->skeleton != NULL && frames->frame_count > 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: %d frames are given and the skeleton \"%.140s\" too, expected one of "
                       "them",
                       what, frames->frame_count, frames->skeleton));
    }
    if (!(frames->tolerance >= 0.0) || !(frames->tolerance < 1.0)) {
        SN_TRY(sn_fail(
            error, SINEW_ERROR_ARGUMENT,
            "%s: tolerance of frames is %g, expected 0 (the default) or more, and less than 1",
            what, frames->tolerance));
    }
    if (frames->max_iterations < 1) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: max_iterations of frames is %d, expected at least 1", what,
                       frames->max_iterations));
    }
    for (int i = 0; i < frames->frame_count; ++i) {
        SN_TRY(check_frame(frames, i, what, error));
    }
done:
    return status;
}

static SinewStatus check_hierarchy(const SinewTetmgDef *tetmg, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(
        sn_check_list(tetmg->hierarchy, tetmg->hierarchy_count, what, "hierarchy of tetmg", error));
    SN_TRY(check_count(tetmg->hierarchy_count, 0, SINEW_TETMG_HIERARCHY_MAX, what,
                       "hierarchy_count of tetmg", error));
    for (int m = 0; m < tetmg->hierarchy_count; ++m) {
        if (tetmg->hierarchy[m] == NULL) {
            SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%s: mesh %d of hierarchy of tetmg is NULL, expected a tet mesh", what,
                           m));
        }
    }
done:
    return status;
}

static SinewStatus check_tetmg(const SinewTetmgDef *tetmg, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_choice((int)tetmg->integrator, 3, what, "integrator of tetmg", error));
    SN_TRY(sn_check_choice((int)tetmg->tangent, SINEW_TANGENT_MIXED + 1, what, "tangent of tetmg",
                           error));
    SN_TRY(sn_check_choice((int)tetmg->mode, 2, what, "mode of tetmg", error));
    SN_TRY(sn_check_choice((int)tetmg->product, 4, what, "product of tetmg", error));
    SN_TRY(sn_check_choice((int)tetmg->rotation, 3, what, "rotation of tetmg", error));
    SN_TRY(check_count(tetmg->plain_cycles, 0, 1000, what, "plain_cycles of tetmg", error));
    if (tetmg->mode == SINEW_TETMG_PAPER && tetmg->integrator == SINEW_INTEGRATOR_BDF2) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: integrator of tetmg is bdf2 in mode paper, expected euler or newmark",
                       what));
    }
    if (tetmg->mode != SINEW_TETMG_PAPER && tetmg->integrator == SINEW_INTEGRATOR_NEWMARK) {
        SN_TRY(sn_fail(
            error, SINEW_ERROR_ARGUMENT,
            "%s: integrator of tetmg is newmark in mode implicit, expected euler or bdf2", what));
    }
    if (!(tetmg->accuracy > 0.0) || !(tetmg->accuracy < 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: accuracy of tetmg is %g, expected more than 0 and less than 1", what,
                       tetmg->accuracy));
    }
    if (!(tetmg->spacing >= 2.0) || !(tetmg->spacing <= 16.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: spacing of tetmg is %g, expected 2 to 16",
                       what, tetmg->spacing));
    }
    SN_TRY(check_hierarchy(tetmg, what, error));
    SN_TRY(check_count(tetmg->newton, 0, 1000, what, "newton of tetmg", error));
    SN_TRY(check_count(tetmg->pcg, 0, 1000, what, "pcg of tetmg", error));
done:
    return status;
}

static SinewStatus check_def(const SinewBodyDef *def, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_one_shape(def, what, error));
    SN_TRY(check_cells(def, what, error));
    SN_TRY(check_memory(def, what, error));
    SN_TRY(sn_check_choice((int)def->box_tets, 2, what, "box_tets", error));
    SN_TRY(check_newton(&def->newton, what, error));
    SN_TRY(check_split(&def->split, what, error));
    SN_TRY(check_lattice(&def->lattice, what, error));
    SN_TRY(check_voxel(&def->voxel, what, error));
    SN_TRY(check_frames(&def->frames, what, error));
    SN_TRY(check_tetmg(&def->tetmg, what, error));
    SN_TRY(sn_check_list(def->regions, def->region_count, what, "regions", error));
    SN_TRY(sn_pose_check(&def->pose, what, error));
    SN_TRY(sn_check_vector(def->linear_velocity, what, "linear_velocity", error));
    SN_TRY(sn_check_vector(def->angular_velocity, what, "angular_velocity", error));
    SN_TRY(sn_check_choice((int)def->start, 5, what, "start", error));
    SN_TRY(sn_check_nonnegative(def->start_seed, what, "start_seed", error));
done:
    return status;
}

// Making -----------------------------------------------------------------------------------------

static SinewStatus make_region(const SinewMaterialRegion *in, int index, const char *what,
                               SnBodyPlan *plan, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char region_what[120];
    snprintf(region_what, sizeof region_what, "material region %d of %s", index, what);
    if (in->within.kind == SINEW_REGION_VERTICES) {
        SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                          "%s: within is a list of vertices, expected a box, a sphere or all",
                          region_what));
    }
    SN_TRY(sn_region_check(&in->within, 0, region_what, error));
    SN_TRY(sn_material_make(&in->material, region_what, &plan->materials[1 + index], error));
    plan->regions[index] = in->within;
done:
    return status;
}

static SinewStatus make_materials(const SinewBodyDef *def, const char *what,
                                  const SinewAllocator *allocator, SnBodyPlan *plan,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(plan->materials, allocator, (size_t)def->region_count + 1, error);
    SN_ALLOC(plan->regions, allocator, def->region_count, error);
    SN_TRY(sn_material_make(&def->material, what, &plan->materials[0], error));
    for (int r = 0; r < def->region_count; ++r) {
        SN_TRY(make_region(&def->regions[r], r, what, plan, error));
    }
    plan->table = (SnMaterials){plan->materials, plan->regions, def->region_count};
done:
    return status;
}

static SinewStatus make_solid(const SinewBodyDef *def, const char *what,
                              const SinewAllocator *allocator, SnBodyPlan *plan, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    plan->solid = (SnSolidDef){
        .surface = def->surface != NULL ? def->surface->surface : NULL,
        .tets = def->tets != NULL ? def->tets->mesh : NULL,
        .resolution = def->resolution > 0 ? def->resolution : sn_resolution_default(def->model),
        .cells = {def->cells[0], def->cells[1], def->cells[2]},
        .cut = def->box_tets == SINEW_BOX_KUHN ? SN_BOX_KUHN : SN_BOX_FIVE,
        .pose = sn_pose_map(&def->pose),
        .scale = def->pose.scale,
    };
    if (def->shape.kind != SINEW_SHAPE_NONE) {
        SN_TRY(sn_shape_from_def(&def->shape, what, allocator, &plan->shape, error));
        plan->solid.shape = &plan->shape;
    }
done:
    return status;
}

SinewStatus sn_body_plan_make(const SinewBodyDef *def, const char *what,
                              const SinewAllocator *allocator, SnBodyPlan *out_plan,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_plan = (SnBodyPlan){0};
    SN_TRY(check_def(def, what, error));
    SN_TRY(make_solid(def, what, allocator, out_plan, error));
    SN_TRY(make_materials(def, what, allocator, out_plan, error));
done:
    if (status < 0) {
        sn_body_plan_release(out_plan, allocator);
    }
    return status;
}

void sn_body_plan_release(SnBodyPlan *plan, const SinewAllocator *allocator)
{
    sn_shape_release(&plan->shape, allocator);
    sn_free(allocator, plan->materials);
    sn_free(allocator, plan->regions);
    *plan = (SnBodyPlan){0};
}
