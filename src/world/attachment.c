#include "world/attachment.h"

#include "geometry/point.h"
#include "world/check.h"
#include "world/force_points.h"
#include "world/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Forces -----------------------------------------------------------------------------------------

static SnAffine motion_of(const SnWorldAttachment *attachment, double time)
{
    return attachment->is_led ? attachment->led
                              : sn_motion_at(attachment->keys, attachment->key_count, time);
}

// The tie of one point: it goes to where the frame takes its rest position, and its direction turns
// with the frame.
static SnTie tie_of(const SnWorldAttachment *attachment, const SnAffine *motion, int point)
{
    SnTie tie = {.stiffness = attachment->stiffness[point], .across = attachment->across};
    const double *n = attachment->normal;
    sn_affine_apply(motion, attachment->rest + 3 * (size_t)point, tie.target);
    for (int i = 0; i < 3; ++i) {
        tie.direction[i] =
            motion->m[4 * i] * n[0] + motion->m[4 * i + 1] * n[1] + motion->m[4 * i + 2] * n[2];
    }
    double length = sn_point_length(tie.direction);
    for (int i = 0; i < 3; ++i) {
        tie.direction[i] = length > 0.0 ? tie.direction[i] / length : 0.0;
    }
    return tie;
}

void sn_body_drive_attachments(SnBody *body, double time)
{
    SnTie *tie = body->force_points.ties;
    for (size_t a = 0; a < body->attachments.count; ++a) {
        const SnWorldAttachment *attachment = SN_ITEMS(body->attachments, SnWorldAttachment *)[a];
        SnAffine motion = motion_of(attachment, time);
        for (int p = 0; p < attachment->count; ++p) {
            *tie++ = tie_of(attachment, &motion, p);
        }
    }
}

void sn_world_attachment_read(const SnWorldAttachment *attachment, double time,
                              double out_wrench[6], double *out_energy)
{
    const SnBody *body = attachment->body;
    SnAffine motion = motion_of(attachment, time);
    double energy = 0.0;
    body->model->points_place(body->state, attachment->points, attachment->places, NULL);
    memset(out_wrench, 0, 6 * sizeof *out_wrench);
    for (int p = 0; p < attachment->count; ++p) {
        const double *x = attachment->places + 3 * (size_t)p;
        SnTie tie = tie_of(attachment, &motion, p);
        SnPointForce force;
        double moment[3];
        sn_tie_evaluate(&tie, x, &force);
        sn_point_cross(x, force.force, moment);
        for (int k = 0; k < 3; ++k) {
            out_wrench[k] += force.force[k];
            out_wrench[3 + k] += moment[k];
        }
        energy += force.energy;
    }
    if (out_energy != NULL) {
        *out_energy = energy;
    }
}

double sn_body_attachment_energy(const SnBody *body, double time)
{
    double sum = 0.0;
    for (size_t a = 0; a < body->attachments.count; ++a) {
        double wrench[6], energy;
        sn_world_attachment_read(SN_ITEMS(body->attachments, SnWorldAttachment *)[a], time, wrench,
                                 &energy);
        sum += energy;
    }
    return sum;
}

// Making -----------------------------------------------------------------------------------------

static SinewStatus check_attachment(const SnBody *body, const SinewAttachmentDef *def,
                                    const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int vertex_count = body->model->mesh(body->state).vertex_count;
    SN_TRY(sn_check_list(def->points, def->point_count, what, "points", error));
    if (def->point_count == 0) {
        SN_TRY(sn_region_check(&def->within, vertex_count, what, error));
    } else if (def->within.kind != SINEW_REGION_NONE) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: both points and within are said, expected one of them", what));
    }
    SN_TRY(sn_check_positive(def->stiffness, what, "stiffness", error));
    SN_TRY(sn_check_vector(def->normal, what, "normal", error));
    if (!(def->across >= 0.0 && def->across <= 1.0)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: across is %g, expected 0 to 1", what,
                       def->across));
    }
    SN_TRY(sn_check_list(def->keys, def->key_count, what, "keys", error));
    SN_TRY(sn_motion_check(def->keys, def->key_count, what, error));
    for (int p = 0; p < def->point_count; ++p) {
        SN_TRY(sn_check_vector(def->points + 3 * (size_t)p, what, "a point", error));
    }
done:
    return status;
}

// The vertices in the region, with shares of the stiffness by their masses.
static SinewStatus take_vertices(SinewWorld *world, const SinewAttachmentDef *def, const char *what,
                                 SnWorldAttachment *attachment, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBody *body = attachment->body;
    SinewBodyMesh mesh = body->model->mesh(body->state);
    SinewRegion region = {0};
    double mass = 0.0;
    SN_TRY(sn_region_copy(&def->within, &world->allocator, &region, error));
    for (int v = 0; v < mesh.vertex_count; ++v) {
        attachment->count += sn_region_holds(&region, v, mesh.rest + 3 * (size_t)v) ? 1 : 0;
    }
    if (attachment->count == 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: within holds none of the %d vertices, expected at least one", what,
                       mesh.vertex_count));
    }
    SN_ALLOC(attachment->rest, &world->allocator, 3 * (size_t)attachment->count, error);
    SN_ALLOC(attachment->stiffness, &world->allocator, attachment->count, error);
    for (int v = 0, p = 0; v < mesh.vertex_count; ++v) {
        if (sn_region_holds(&region, v, mesh.rest + 3 * (size_t)v)) {
            memcpy(attachment->rest + 3 * (size_t)p, mesh.rest + 3 * (size_t)v, 3 * sizeof mass);
            attachment->stiffness[p++] = body->vertex_mass[v];
            mass += body->vertex_mass[v];
        }
    }
    for (int p = 0; p < attachment->count; ++p) {
        attachment->stiffness[p] *= def->stiffness / mass;
    }
done:
    sn_region_release(&region, &world->allocator);
    return status;
}

static SinewStatus take_points(SinewWorld *world, const SinewAttachmentDef *def,
                               SnWorldAttachment *attachment, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    attachment->count = def->point_count;
    SN_ALLOC(attachment->rest, &world->allocator, 3 * (size_t)def->point_count, error);
    SN_ALLOC(attachment->stiffness, &world->allocator, def->point_count, error);
    memcpy(attachment->rest, def->points, 3 * (size_t)def->point_count * sizeof *def->points);
    for (int p = 0; p < def->point_count; ++p) {
        attachment->stiffness[p] = def->stiffness / def->point_count;
    }
done:
    return status;
}

static SinewStatus check_places(const SnWorldAttachment *attachment, const char *what,
                                SinewError *error)
{
    const SnBody *body = attachment->body;
    for (int p = 0; p < attachment->count; ++p) {
        double distance = body->model->points_distance(attachment->points, p);
        const double *rest = attachment->rest + 3 * (size_t)p;
        if (!(distance <= body->cell_size)) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, p,
                              "%s: point %d at [%g, %g, %g] is %g m outside the body, expected "
                              "inside or within a cell of %g m",
                              what, p, rest[0], rest[1], rest[2], distance, body->cell_size);
        }
    }
    return SINEW_OK;
}

static SinewStatus make_attachment(SinewWorld *world, SnBody *body, const SinewAttachmentDef *def,
                                   const char *what, SnWorldAttachment **out_attachment,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldAttachment *made = NULL;
    double length = sn_point_length(def->normal);
    SN_ALLOC_ZERO(made, &world->allocator, 1, error);
    made->body = body;
    if (def->point_count > 0) {
        SN_TRY(take_points(world, def, made, error));
    } else {
        SN_TRY(take_vertices(world, def, what, made, error));
    }
    for (int k = 0; k < 3; ++k) {
        made->normal[k] = length > 0.0 ? def->normal[k] / length : 0.0;
    }
    made->across = def->across;
    SN_TRY(body->model->points_create(body->state, made->rest, made->count, &made->points, error));
    SN_TRY(check_places(made, what, error));
    SN_ALLOC(made->places, &world->allocator, 3 * (size_t)made->count, error);
    SN_ALLOC(made->keys, &world->allocator, def->key_count, error);
    if (def->key_count > 0) {
        memcpy(made->keys, def->keys, (size_t)def->key_count * sizeof *made->keys);
    }
    made->key_count = def->key_count;
    *out_attachment = made;
    made = NULL;
done:
    sn_world_attachment_destroy(world, made);
    return status;
}

void sn_world_attachment_destroy(SinewWorld *world, SnWorldAttachment *attachment)
{
    if (attachment != NULL) {
        attachment->body->model->points_destroy(attachment->body->state, attachment->points);
        sn_free(&world->allocator, attachment->rest);
        sn_free(&world->allocator, attachment->stiffness);
        sn_free(&world->allocator, attachment->places);
        sn_free(&world->allocator, attachment->keys);
        sn_free(&world->allocator, attachment);
    }
}

// The public calls -------------------------------------------------------------------------------

SinewStatus sinew_world_add_attachment(SinewWorld *world, const SinewAttachmentDef *def,
                                       SinewAttachmentId *out_attachment, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldAttachment *made = NULL;
    SnForcePoints points = {0};
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(out_attachment, "out_attachment", error));
    SN_TRY(sn_check_def(def, "attachment", error));
    SnBody *body = sn_slots_find(&world->bodies, SN_ID(def->body), error);
    if (body == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    char what[100];
    snprintf(what, sizeof what, "attachment %zu of body \"%s\"", body->attachments.count,
             body->name);
    SN_TRY(check_attachment(body, def, what, error));
    SN_TRY(make_attachment(world, body, def, what, &made, error));
    SN_TRY(sn_slots_reserve(&world->attachments, error));
    SN_TRY(sn_array_push(&body->attachments, &made, error));
    body->attachments.count -= 1;
    SN_TRY(sn_force_points_make(world, body, body->penalty != NULL, NULL, made, &points, error));
    // Nothing fails from here on.
    sn_force_points_release(world, body->model, body->state, &body->force_points);
    body->force_points = points;
    *(SnWorldAttachment **)sn_array_add(&body->attachments, 1) = made;
    SnId id = sn_slots_add(&world->attachments, made);
    *out_attachment = (SinewAttachmentId){id.index1, id.generation};
    made = NULL;
done:
    sn_world_attachment_destroy(world, made);
    return status;
}

SinewStatus sinew_world_remove_attachment(SinewWorld *world, SinewAttachmentId id,
                                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnForcePoints points = {0};
    SN_TRY(sn_check_pointer(world, "the world", error));
    SnWorldAttachment *attachment = sn_slots_find(&world->attachments, SN_ID(id), error);
    if (attachment == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    SnBody *body = attachment->body;
    SN_TRY(
        sn_force_points_make(world, body, body->penalty != NULL, attachment, NULL, &points, error));
    sn_force_points_release(world, body->model, body->state, &body->force_points);
    body->force_points = points;
    SnWorldAttachment **list = SN_ITEMS(body->attachments, SnWorldAttachment *);
    size_t kept = 0;
    for (size_t i = 0; i < body->attachments.count; ++i) {
        if (list[i] != attachment) {
            list[kept++] = list[i];
        }
    }
    body->attachments.count = kept;
    sn_slots_remove(&world->attachments, SN_ID(id));
    sn_world_attachment_destroy(world, attachment);
done:
    return status;
}

SinewStatus sinew_world_move_attachment(SinewWorld *world, SinewAttachmentId id,
                                        const double map[12], SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(map, "map", error));
    SnWorldAttachment *attachment = sn_slots_find(&world->attachments, SN_ID(id), error);
    if (attachment == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    for (int i = 0; i < 12; ++i) {
        if (!(fabs(map[i]) <= SN_REACH)) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                              "attachment of body \"%s\": number %d of the map is %g, expected a "
                              "finite number",
                              attachment->body->name, i, map[i]));
        }
    }
    memcpy(attachment->led.m, map, sizeof attachment->led.m);
    attachment->is_led = true;
done:
    return status;
}
