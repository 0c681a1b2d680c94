// Static solves: the same stages as a step, without time.
#include "world/check.h"
#include "world/held.h"
#include "world/step.h"

#include <string.h>

SinewStatus sn_static_begin(const SinewWorld *world, const SnAdvance *advance, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    // A collider may hold a body, which only the solve can tell.
    for (int i = 0; i < sn_slots_count(&world->bodies) && world->colliders.live == 0; ++i) {
        const SnBody *body = SN_BODIES(world, i);
        if (body != NULL) {
            SN_TRY(sn_body_check_held(world, body, advance->gravity_scale, error));
        }
    }
done:
    return status;
}

// Adds to the sentence of a body that failed what of it nothing holds.
static SinewStatus explain(const SinewWorld *world, SinewStatus status, SinewError *error)
{
    for (int i = 0; i < sn_slots_count(&world->bodies); ++i) {
        const SnBody *body = SN_BODIES(world, i);
        if (body == NULL || body->status >= 0) {
            continue;
        }
        char unheld[100];
        if (error != NULL && !body->model->is_anchored &&
            sn_body_free_motions(body, unheld, sizeof unheld) &&
            strlen(error->text) + strlen(unheld) + 40 < sizeof error->text) {
            sn_fail_at(error, status, error->index, "%s; no pin and no attachment holds its %s",
                       error->text, unheld);
        }
        break; // the first that failed is the one the error speaks of
    }
    return status;
}

// Element and place of the worst inversion of one body.
static SinewStatus report_inverted(const SnBody *body, SinewStepReport *report, SinewError *error)
{
    SnMeasure measure;
    body->model->measure(body->state, &measure);
    if (measure.inverted_count == 0) {
        return SINEW_OK;
    }
    SinewBodyMesh mesh = body->model->mesh(body->state);
    int element = measure.smallest_element;
    double middle[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < 3 * mesh.corners; ++c) {
        int vertex = mesh.elements[(size_t)element * (size_t)mesh.corners + (size_t)(c / 3)];
        middle[c % 3] += mesh.positions[3 * (size_t)vertex + (size_t)(c % 3)] / mesh.corners;
    }
    if (report->inverted == 0) {
        sn_fail_at(
            error, SINEW_INVERTED, element,
            "body \"%s\": %d of its %d elements %s inverted, the worst is element %d at "
            "[%.4g, %.4g, %.4g] with det F %.3g: forces balance, but no solid has this shape",
            body->name, measure.inverted_count, mesh.element_count,
            measure.inverted_count == 1 ? "is" : "are", element, middle[0], middle[1], middle[2],
            measure.smallest_det);
    }
    report->inverted += measure.inverted_count;
    return SINEW_INVERTED;
}

SinewStatus sn_static_end(const SinewWorld *world, const SnAdvance *advance, SinewStatus status,
                          SinewStepReport *report, SinewError *error)
{
    if (status == SINEW_ERROR_DIVERGED) {
        return explain(world, status, error);
    }
    for (int i = 0; i < sn_slots_count(&world->bodies) && status >= 0; ++i) {
        const SnBody *body = SN_BODIES(world, i);
        if (body == NULL) {
            continue;
        }
        SinewStatus one = SINEW_OK;
        if (world->colliders.live > 0 && body->contacts == 0) {
            one = sn_body_check_held(world, body, advance->gravity_scale, error);
        }
        if (one >= 0) {
            one = report_inverted(body, report, error);
        }
        status = one < 0 || one > status ? one : status;
    }
    return status;
}

SinewStatus sinew_world_solve_static(SinewWorld *world, double t, double tolerance,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_nonnegative(t, "static solve", "t", error));
    if (!(tolerance < 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "static solve: tolerance is %g, expected less than 1; 0: the models' own",
                       tolerance));
    }
    double scale = t < 1.0 ? t : 1.0;
    SnAdvance advance = {.from = world->time,
                         .to = t,
                         .is_static = true,
                         .gravity_scale = scale,
                         .load_scale = scale,
                         .tolerance = tolerance > 0.0 ? tolerance : 0.0};
    SN_TRY(sn_world_advance(world, &advance, error));
done:
    return status;
}
