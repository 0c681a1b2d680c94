// What resists deformation in a body of frames: fitted samples, samples with laws, or springs.
#include "model/frames/body.h"

#include "model/frames/cubature.h"
#include "model/frames/flexibility.h"

#include <stdio.h>

static bool is_corotated(const SnMaterials *materials)
{
    for (int m = 0; m <= materials->region_count; ++m) {
        if (materials->materials[m].law.kind != SN_LAW_COROTATED) {
            return false;
        }
    }
    return true;
}

// Compliance over that of finite elements beyond which a body bends or twists as another would. The
// bodies of doc/methods/frames.md are within 0.9 and 1.25.
#define STIFF 0.5
#define SOFT 2.0

// A fit has nothing to choose from where cells are few, or where weights strain every place alike.
void sn_frames_warn_of_fit(SnFrames *body)
{
    const SnComplianceRatio *ratio = &body->fit.ratio;
    if (!(ratio->most > 0.0)) {
        return; // there was no fit
    }
    if (ratio->least < STIFF || ratio->most > SOFT) {
        snprintf(body->warning, sizeof body->warning,
                 "body \"%s\": its samples give way to loads at its frames %.3g to %.3g times as "
                 "far as finite elements do, expected %g to %g: try springs, other weights or more "
                 "cells",
                 body->name, ratio->least, ratio->most, STIFF, SOFT);
    }
}

// Both start from a finite-element solve.
static SinewStatus make_by_solve(SnFrames *body, const SnModelDef *def, const double *origins,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->frame_count;
    double *K = NULL, *Z = NULL;
    SnFlexibilityDef flexibility = {def, &body->grid, count, origins, body->weights, NULL};

    SN_TRY(sn_flexibility_find(&flexibility, &K, &Z, error));
    if (body->options.springs) {
        SnSpringsDef springs = {def, &body->grid, count, origins, body->weights, K};
        SN_TRY(sn_samples_create(0, count, true, &body->allocator, &body->samples, error));
        SN_TRY(sn_springs_tree(&springs, &body->springs, error));
    } else {
        SnFitDef fit = {def, &body->grid, count, origins, body->weights, K, Z};
        SN_TRY(sn_fit_samples(&fit, &body->samples, &body->fit, error));
    }

done:
    sn_free(&body->allocator, K);
    sn_free(&body->allocator, Z);
    return status;
}

// A law in every cell; where nobody asked for that, in as few as have the same stiffness at rest.
static SinewStatus make_by_laws(SnFrames *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSamples fewer = {0};
    SnCubatureDef cubature = {&body->grid, body->weights, &body->samples, &body->allocator};

    SN_TRY(sn_samples_fill(def, &body->grid, body->frame_count, body->weights, body->materials,
                           &body->samples, error));
    if (body->is_chosen) {
        SN_TRY(sn_cubature_thin(&cubature, &fewer, &body->fit.error, error));
    }
    if (fewer.count > 0) {
        sn_samples_release(&body->samples, &body->allocator);
        body->samples = fewer;
        fewer = (SnSamples){0};
    }

done:
    sn_samples_release(&fewer, &body->allocator);
    return status;
}

// Fitted samples where the law is the one that the fit knows and frames are rigid, else laws in
// every voxel. One rigid frame alone deforms nothing and has none.
SinewStatus sn_frames_make_elastic(SnFrames *body, const SnModelDef *def, const double *origins,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool fitted = body->options.mode == SINEW_FRAMES_FITTED && !body->is_affine;
    if (body->frame_count == 1 && !body->is_affine) {
        SN_TRY(sn_samples_create(0, 1, true, &body->allocator, &body->samples, error));
    } else if (fitted && (body->options.springs || is_corotated(def->materials))) {
        SN_TRY(make_by_solve(body, def, origins, error));
    } else {
        SN_TRY(make_by_laws(body, def, error));
    }
    body->samples.is_affine = body->is_affine;
    SN_TRY(sn_samples_pack(&body->samples, &body->allocator, error));

done:
    return status;
}

SinewStatus sn_frames_make_pairs(SnFrames *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->frame_count;
    SnSpringsDef springs = {def,           &body->grid,   count,
                            body->origins, body->weights, body->room.hessian};
    if (body->options.mode != SINEW_FRAMES_PAPER || !body->options.springs || count == 1) {
        return SINEW_OK;
    }
    SN_TRY(sn_springs_pairs(&springs, &body->springs, error));
    sn_samples_release(&body->samples, &body->allocator);
    SN_TRY(sn_samples_create(0, count, true, &body->allocator, &body->samples, error));

done:
    return status;
}
