#include "world/force_points.h"

#include <string.h>

// More than the rounding of places that are up to a million cells from the origin, in cells.
#define MARGIN 1e-6

// Forces -----------------------------------------------------------------------------------------

static void evaluate(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    const SnBody *body = context;
    int ties = body->force_points.tie_count;
    int p = begin;
    for (; p < end && p < ties; ++p) {
        sn_tie_evaluate(&body->force_points.ties[p], x + 3 * (size_t)p, &out[p - begin]);
    }
    if (p < end) {
        sn_penalty_evaluate(body->penalty, p - ties, end - ties, x + 3 * (size_t)ties,
                            out + (p - begin));
    }
}

static void evaluate_listed(void *context, const int *points, int count, const double *x,
                            SnPointForce *out)
{
    const SnBody *body = context;
    int ties = body->force_points.tie_count;
    int i = 0;
    for (; i < count && points[i] < ties; ++i) {
        sn_tie_evaluate(&body->force_points.ties[points[i]], x + 3 * (size_t)points[i],
                        &out[points[i]]);
    }
    if (i < count) {
        sn_penalty_evaluate_listed(body->penalty, points + i, count - i, ties, x, out);
    }
}

// Ties act wherever their points are.
static void find_clearances(void *context, const int *points, int count, const double *x,
                            double *out)
{
    const SnBody *body = context;
    int ties = body->force_points.tie_count;
    int i = 0;
    for (; i < count && points[i] < ties; ++i) {
        out[points[i]] = 0.0;
    }
    if (i < count) {
        sn_penalty_clearances(body->penalty, points + i, count - i, ties, x, out);
    }
}

static void select(void *context, const int *points, int count)
{
    const SnBody *body = context;
    int ties = body->force_points.tie_count;
    int i = 0;
    while (i < count && points[i] < ties) {
        ++i;
    }
    if (body->penalty != NULL) {
        sn_penalty_select(body->penalty, points + i, count - i, ties);
    }
}

static bool renew(void *context, const double *x)
{
    const SnBody *body = context;
    return body->penalty != NULL &&
           sn_penalty_renew(body->penalty, x + 3 * (size_t)body->force_points.tie_count);
}

bool sn_body_point_forces(SnBody *body, SnPointForces *out_forces)
{
    const SnForcePoints *points = &body->force_points;
    *out_forces = (SnPointForces){.points = points->points,
                                  .count = points->tie_count + points->contact_count,
                                  .tie_count = points->tie_count,
                                  .evaluate = evaluate,
                                  .clearances = find_clearances,
                                  .select = select,
                                  .evaluate_listed = evaluate_listed,
                                  .margin = MARGIN * body->cell_size,
                                  .serial = body->moves,
                                  .renew = renew,
                                  .context = body,
                                  .room = body->point_room};
    return out_forces->count > 0;
}

// The set ----------------------------------------------------------------------------------------

SinewStatus sn_force_points_create(SinewWorld *world, const SnForcePointsDef *def,
                                   SnForcePoints *out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    SnForcePoints made = {0};
    SnPointPart *parts = NULL;
    *out_points = made;
    for (int i = 0; i < def->tie_parts; ++i) {
        made.tie_count += def->ties[i].count;
    }
    const SnSurfaceShape *shape = def->surface->shape;
    made.contact_count = def->touches ? shape->contact.count : 0;
    if (made.tie_count + made.contact_count > 0) {
        SN_ALLOC(parts, allocator, def->tie_parts + 1, error);
        memcpy(parts, def->ties, (size_t)def->tie_parts * sizeof *parts);
        parts[def->tie_parts] =
            (SnPointPart){shape->points, shape->contact.vertices, made.contact_count};
        SN_ALLOC_ZERO(made.ties, allocator, made.tie_count, error);
        SN_TRY(def->model->points_join(def->state, parts, def->tie_parts + 1, &made.points, error));
    }
    *out_points = made;
    made = (SnForcePoints){0};
done:
    sn_free(allocator, parts);
    sn_free(allocator, made.ties);
    return status;
}

SinewStatus sn_force_points_make(SinewWorld *world, const SnBody *body, bool touches,
                                 const SnWorldAttachment *without, const SnWorldAttachment *more,
                                 SnForcePoints *out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPointPart *ties = NULL;
    size_t count = body->attachments.count;
    SnForcePointsDef def = {
        .model = body->model, .state = body->state, .surface = &body->surface, .touches = touches};
    SN_ALLOC(ties, &world->allocator, count + 1, error);
    for (size_t a = 0; a <= count; ++a) {
        const SnWorldAttachment *one =
            a < count ? SN_ITEMS(body->attachments, SnWorldAttachment *)[a] : more;
        if (one != NULL && one != without) {
            ties[def.tie_parts++] = (SnPointPart){one->points, NULL, one->count};
        }
    }
    def.ties = ties;
    SN_TRY(sn_force_points_create(world, &def, out_points, error));
done:
    sn_free(&world->allocator, ties);
    return status;
}

void sn_force_points_release(SinewWorld *world, const SnModel *model, const void *state,
                             SnForcePoints *points)
{
    if (points->points != NULL) {
        model->points_destroy(state, points->points);
    }
    sn_free(&world->allocator, points->ties);
    *points = (SnForcePoints){0};
}
