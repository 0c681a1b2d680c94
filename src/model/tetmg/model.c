// `tetmg`: how a body is made and ended, how it solves, and the table it fills.
#include "model/tetmg/coarse.h"
#include "model/tetmg/coarse_contact.h"
#include "model/tetmg/hierarchy.h"
#include "model/tetmg/levels.h"
#include "model/tetmg/matrix.h"
#include "model/tetmg/paper.h"
#include "model/tetmg/ties.h"

#include "base/clock.h"
#include "model/split/points.h"

static SinewStatus prepare(SnSplit *tets, SnWorkers *workers, const SnSplitScales *scales,
                           SinewStepReport *report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmg *body = (SnTetmg *)(void *)tets; // its first member
    const SnSplitScales *last = &body->scales;
    sn_split_set_masses(tets, scales);
    if (!tets->system_is_stale && last->h2 == scales->h2 && last->h == scales->h &&
        last->mass_scale == scales->mass_scale) {
        return SINEW_OK;
    }
    double begin = sn_clock_seconds();
    body->scales = (SnSplitScales){0};
    sn_tetmg_coarse_contact_forget(body);
    SN_TRY(sn_tetmg_coarse_factor(body, workers, scales, error));
    body->scales = *scales;
    tets->system_is_stale = false;
    report->factorisations += 1;
    report->seconds_factor += sn_clock_seconds() - begin;
done:
    return status;
}

static SinewStatus reserve(SnSplit *tets, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmg *body = (SnTetmg *)(void *)tets; // its first member
    (void)workers;
    SN_TRY(sn_tetmg_coarse_contact_reserve(body, error));
    SN_TRY(sn_tetmg_ties_reserve(body, error));
    tets->knows_ties = true;
done:
    return status;
}

static double product(const SnSplitProblem *problem, const float *p, float *hp)
{
    sn_tetmg_matrix_multiply(problem, p, hp);
    if (problem->step->contacts != NULL) {
        sn_split_points_multiply(problem->body, problem->step->contacts, (float)problem->h2, p, hp);
    }
    return sn_split_dot(problem, p, hp);
}

// Two levels: a sweep, the coarse solve of what is left, the sweep the other way. Symmetric, as
// conjugate gradients want it.
static SinewStatus apply(const SnSplitProblem *problem, const float *r, float *z, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    float *left = ((SnTetmg *)(void *)problem->body)->matrix.left; // its first member
    sn_tetmg_matrix_forward(problem, r, z, left);
    SN_TRY(sn_tetmg_coarse_correct(problem, left, z, error));
    sn_tetmg_matrix_backward(problem, r, z);
    problem->report->linear_solves += 1;
done:
    return status;
}

static SinewStatus linearise(const SnSplitProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (!problem->kept) {
        sn_tetmg_coarse_turn(problem);
        SN_TRY(sn_tetmg_matrix_assemble(problem, error));
        SN_TRY(sn_tetmg_ties_linearise(problem, apply, error));
    }
done:
    return status;
}

static SinewStatus precondition(const SnSplitProblem *problem, const float *r, float *z,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetmg *body = (const SnTetmg *)(const void *)problem->body; // its first member
    if (!body->matrix.is_assembled) {
        SN_TRY(
            linearise(problem, error)); // a static solve that had nothing to do asks for stability
    }
    SN_TRY(apply(problem, r, z, error));
    if (problem->step->contacts != NULL) {
        sn_tetmg_ties_correct(problem, z);
    }
done:
    return status;
}

const SnSplitSolver sn_tetmg_solver = {.model = "tetmg",
                                       .newton = 2,
                                       .newton_rough = 1,
                                       .newton_long = 3,
                                       .pcg = 2,
                                       .pcg_rough = 3,
                                       .linear_left = 1.0 / 4.0,
                                       .keeps_matrix = true,
                                       .ties_most = SN_TETMG_TIES_MOST,
                                       .rescue_pcg = 20,
                                       .prepare = prepare,
                                       .reserve = reserve,
                                       .linearise = linearise,
                                       .product = product,
                                       .precondition = precondition};

static void destroy(void *body_)
{
    SnTetmg *body = body_;
    if (body != NULL) {
        SinewAllocator allocator = body->tets.allocator;
        sn_tetmg_paper_release(body);
        sn_tetmg_coarse_contact_release(body);
        sn_tetmg_ties_release(body);
        sn_tetmg_coarse_release(body);
        sn_tetmg_matrix_release(body);
        sn_split_release(&body->tets);
        sn_free(&allocator, body);
    }
}

static void hold(SnTetmg *body)
{
    sn_tetmg_coarse_hold(body);
    sn_tetmg_hierarchy_hold(body);
    body->matrix.is_assembled = false;
}

// What is beside the tets.
static SinewStatus furnish(SnTetmg *body, const SnTetmgCutFrom *from, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool paper = body->options.mode == SINEW_TETMG_PAPER;
    SN_TRY(from != NULL ? sn_tetmg_matrix_cut(body, from->body, from->cut, error)
                        : sn_tetmg_matrix_create(body, error));
    SN_TRY(paper ? sn_tetmg_paper_create(body, error) : sn_tetmg_coarse_create(body, from, error));
    hold(body);
done:
    return status;
}

static SinewStatus check_paper(const SnTetmg *body, const SnMaterial *materials, int count,
                               SinewError *error)
{
    for (int m = 0; m < count && body->options.mode == SINEW_TETMG_PAPER; ++m) {
        if (materials[m].damping_stiffness > 0.0) {
            return sn_split_refuse_damping(body->tets.name, "tetmg", &materials[m], error);
        }
    }
    return SINEW_OK;
}

static SinewStatus create(const SnModelDef *def, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewTetmgDef *options = &def->options->tetmg;
    SinewSplitDef shared = {.mode = SINEW_SPLIT_IMPLICIT,
                            .integrator = options->integrator,
                            .accuracy = options->accuracy,
                            .newton = options->newton,
                            .pcg = options->pcg,
                            .solve_tolerance = 1e-6};
    bool paper = options->mode == SINEW_TETMG_PAPER;
    SnTetmg *body = NULL;

    *out_body = NULL;
    SN_ALLOC_ZERO(body, def->allocator, 1, error);
    body->options = *options;
    SN_TRY(sn_split_init(&body->tets, def, &shared,
                         paper ? &sn_tetmg_paper_solver : &sn_tetmg_solver, error));
    SN_TRY(check_paper(body, body->tets.materials, body->tets.material_count, error));
    body->options.hierarchy = NULL; // the caller's
    SN_TRY(sn_tetmg_meshes_copy(body, def->coarse, def->coarse_count, def->coarse_scale, error));
    SN_TRY(sn_tetmg_meshes_check(body, error));
    SN_TRY(furnish(body, NULL, error));
    *out_body = body;
    body = NULL;

done:
    destroy(body);
    return status;
}

// Elements keep their rest data, and with it their bits; rows, edges and coarse rows far from the
// cut are copied, and so is the order of the coarse factor.
static SinewStatus cut_body(const void *from_, const SnTetCut *cut, const SnPin *pins,
                            int pin_count, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetmg *from = from_;
    SnTetmg *body = NULL;

    *out_body = NULL;
    SN_ALLOC_ZERO(body, &from->tets.allocator, 1, error);
    body->options = from->options;
    SN_TRY(sn_split_init_cut(&body->tets, &from->tets, cut, pins, pin_count, error));
    SN_TRY(sn_tetmg_meshes_copy(body, (const SnTetMesh *const *)from->paper.meshes,
                                from->paper.mesh_count, 1.0, error));
    SN_TRY(furnish(body, &(SnTetmgCutFrom){from, cut}, error));
    *out_body = body;
    body = NULL;

done:
    destroy(body);
    return status;
}

static void inherit(void *body_, void *from_)
{
    SnTetmg *body = body_, *from = from_;
    // Mode paper's tangents are made once, for the tets of one body, and its levels lend values.
    if (body->options.mode != SINEW_TETMG_PAPER) {
        sn_split_inherit(&body->tets, &from->tets);
        sn_tetmg_matrix_inherit(body, from);
        sn_tetmg_coarse_inherit(body, from);
    }
}

static SinewStatus set_pins(void *body_, const SnPin *pins, int count, SinewError *error)
{
    SnTetmg *body = body_;
    SinewStatus status = sn_split_set_pins(&body->tets, pins, count, error);
    if (status >= 0) {
        body->coarse.is_carried = false; // rows of other pins
        hold(body);
    }
    return status;
}

static SinewStatus set_material(void *body_, const SnMaterial *material, SinewError *error)
{
    SnTetmg *body = body_;
    if (body->options.mode == SINEW_TETMG_PAPER && material->law.kind != SN_LAW_COROTATED) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": its law is %s, expected corotated for mode paper of tetmg",
                       body->tets.name, sn_law_name(material->law.kind));
    }
    SinewStatus status = check_paper(body, material, 1, error);
    if (status >= 0) {
        status = sn_split_set_material(&body->tets, material, error);
    }
    if (status >= 0) {
        body->coarse.is_carried = false; // rows of another material
    }
    if (status >= 0 && body->options.mode == SINEW_TETMG_PAPER) {
        sn_tetmg_paper_renew(body);
    }
    return status;
}

static SinewStatus step_body(void *body_, const SnStep *step, SinewStepReport *out_report,
                             SinewError *error)
{
    SnTetmg *body = body_;
    return body->options.mode == SINEW_TETMG_PAPER
               ? sn_tetmg_paper_step(body, step, out_report, error)
               : sn_split_step(body, step, out_report, error);
}

static SinewStatus solve_static(void *body_, const SnStep *step, SinewStepReport *out_report,
                                SinewError *error)
{
    SnTetmg *body = body_;
    if (body->options.mode == SINEW_TETMG_PAPER) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": mode paper of tetmg has no static solve, expected mode "
                       "implicit",
                       body->tets.name);
    }
    return sn_split_solve_static(body, step, out_report, error);
}

const SnModel sn_tetmg_model = {
    .name = "tetmg",
    .create = create,
    .destroy = destroy,
    .accuracy = sn_split_accuracy,
    .mesh = sn_split_mesh,
    .dof_count = sn_split_dof_count,
    .start = sn_split_start,
    .set_pins = set_pins,
    .set_material = set_material,
    .points_create = sn_split_points_create,
    .points_create_unplaced = sn_split_points_create_unplaced,
    .shape = sn_split_shape,
    .points_destroy = sn_split_points_destroy,
    .points_distance = sn_point_set_distance,
    .points_join = sn_split_points_join,
    .points_place = sn_split_points_place,
    .cut = cut_body,
    .inherit = inherit,
    .points_in = sn_split_points_in,
    .points_where = sn_point_set_where,
    .prepare = sn_split_prepare,
    .step = step_body,
    .solve_static = solve_static,
    .measure = sn_split_measure,
    .reaction = sn_split_reaction,
    .state_size = sn_split_state_size,
    .save = sn_split_save,
    .restore = sn_split_restore,
};
