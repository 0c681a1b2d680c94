#include "world/cut.h"

#include "base/clock.h"
#include "geometry/blade.h"
#include "geometry/point.h"
#include "geometry/region.h"
#include "world/asset.h"
#include "world/check.h"

#include <stdio.h>
#include <string.h>

static SinewStatus check_cut(const SinewCutDef *def, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (def->surface != NULL) {
        goto done;
    }
    SN_TRY(sn_check_vector(def->point, what, "point", error));
    SN_TRY(sn_check_vector(def->normal, what, "normal", error));
    SN_TRY(sn_check_nonnegative(def->radius, what, "radius", error));
    double length = sn_point_length(def->normal);
    if (!(length > 0.0) || !(1.0 / length <= SN_REACH)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: normal is [%g, %g, %g], expected one that is not zero", what,
                       def->normal[0], def->normal[1], def->normal[2]));
    }
done:
    return status;
}

// What the blade cuts, and the neighbours of the tets near it.
static SinewStatus find_items(const SinewWorld *world, const SnBody *body, const SinewCutDef *def,
                              int **out_neighbours, SnTetCutList *out_list, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    SinewBodyMesh mesh = body->model->mesh(body->state);
    unsigned char *near = NULL;
    SnBladeMesh target = {.tets = mesh.elements,
                          .tet_count = mesh.element_count,
                          .vertex_count = mesh.vertex_count,
                          .positions = def->at_rest != 0 ? mesh.rest : mesh.positions};
    SnBlade blade = {.surface = def->surface != NULL ? def->surface->surface : NULL,
                     .radius = def->radius};
    memcpy(blade.point, def->point, sizeof blade.point);
    memcpy(blade.normal, def->normal, sizeof blade.normal);
    SN_TRY(sn_blade_mark(&blade, &target, allocator, &near, error));
    SN_TRY(sn_tet_neighbours_create(mesh.elements, mesh.element_count, mesh.vertex_count, near,
                                    allocator, out_neighbours, error));
    target.neighbours = *out_neighbours;
    SN_TRY(sn_blade_find(&blade, &target, def->removes != 0, allocator, out_list, error));
done:
    sn_free(allocator, near);
    return status;
}

// Room for more of the log, without counting it in.
static SinewStatus reserve_log(SnBody *body, size_t more, SinewError *error)
{
    if (more > 0) {
        if (sn_array_add(&body->cuts, more) == NULL) {
            return sn_expect_memory(NULL, more, sizeof(int32_t), error);
        }
        body->cuts.count -= more;
    }
    return SINEW_OK;
}

static void add_to_log(SnBody *body, const SnTetCutList *list)
{
    int32_t *log = sn_array_add(&body->cuts, 2 + (size_t)list->count); // reserved
    log[0] = list->removes ? 1 : 0;
    log[1] = list->count;
    for (int i = 0; i < list->count; ++i) {
        log[2 + i] = list->items[i];
    }
}

// Changes nothing unless all of it is done.
static SinewStatus cut_body(SinewWorld *world, SnBody *body, const SinewCutDef *def,
                            SinewCutReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    SnBodyParts old = {0}, parts = {0};
    SnTetCutList list = {0};
    int *neighbours = NULL;
    SN_TRY(find_items(world, body, def, &neighbours, &list, error));
    SN_TRY(reserve_log(body, 2 + (size_t)list.count, error));
    SN_TRY(sn_body_parts_lend(world, body, &old, error));
    SN_TRY(sn_body_parts_cut(world, body, &old, &list, neighbours, &parts, out_report, error));
    if (parts.state != NULL) {
        sn_body_parts_adopt(world, body, &parts);
        if (body->model->inherit != NULL) {
            body->model->inherit(body->state, parts.state);
        }
        add_to_log(body, &list);
    }
done:
    sn_body_parts_release(world, body, &parts);
    sn_body_parts_release(world, body, &old);
    sn_tet_cut_list_release(&list, allocator);
    sn_free(allocator, neighbours);
    return status;
}

SinewStatus sinew_body_cut(SinewWorld *world, SinewBodyId id, const SinewCutDef *def,
                           SinewCutReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewCutReport report = {0};
    char what[100];
    double begin = sn_clock_seconds();
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_def(def, "cut", error));
    SnBody *body = sn_slots_find(&world->bodies, SN_ID(id), error);
    if (body == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    snprintf(what, sizeof what, "cut of body \"%s\"", body->name);
    if (body->model->cut == NULL) {
        return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                       "%s: its model is %s, expected tetmg, which alone can be cut", what,
                       body->model->name);
    }
    SN_TRY(check_cut(def, what, error));
    SN_TRY(cut_body(world, body, def, &report, error));
    report.pieces = report.pieces > 0 ? report.pieces : 1;
    report.seconds = sn_clock_seconds() - begin;
    if (out_report != NULL) {
        *out_report = report;
    }
done:
    return status;
}

// Going on from a saved state --------------------------------------------------------------------

static SinewStatus check_log(const SnBody *body, const int32_t *log, size_t count,
                             SinewError *error)
{
    size_t at = 0;
    while (at + 2 <= count && log[at + 1] >= 0 && (size_t)log[at + 1] <= count - at - 2) {
        at += 2 + (size_t)log[at + 1];
    }
    if (at != count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state is damaged: its cuts of body \"%s\" end in the middle",
                       body->name);
    }
    if (count < body->cuts.count ||
        (body->cuts.count > 0 &&
         memcmp(log, body->cuts.items, body->cuts.count * sizeof *log) != 0)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the state is of another world: body \"%s\" was cut since it was saved, "
                       "expected one that is not cut or cut in the same way",
                       body->name);
    }
    return SINEW_OK;
}

SinewStatus sn_body_follow_cuts(SinewWorld *world, SnBody *body, const int32_t *log, size_t count,
                                SnBodyParts *out_parts, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBodyParts last = {0};
    *out_parts = (SnBodyParts){0};
    SN_TRY(check_log(body, log, count, error));
    if (count == body->cuts.count) {
        return SINEW_OK;
    }
    SN_TRY(reserve_log(body, count - body->cuts.count, error));
    SN_TRY(sn_body_parts_lend(world, body, &last, error));
    for (size_t at = body->cuts.count; at < count; at += 2 + (size_t)log[at + 1]) {
        SnTetCutList list = {.removes = log[at] != 0, .count = log[at + 1]};
        SnBodyParts next = {0};
        SinewCutReport report;
        list.items = (int *)(uintptr_t)(log + at + 2); // only read
        SN_TRY(sn_body_parts_cut(world, body, &last, &list, NULL, &next, &report, error));
        if (next.state == NULL) {
            SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "the state is damaged: one of its cuts of body \"%s\" meets nothing",
                           body->name));
        }
        sn_body_parts_release(world, body, &last);
        last = next;
    }
    *out_parts = last;
    last = (SnBodyParts){0};
done:
    sn_body_parts_release(world, body, &last);
    return status;
}

void sn_body_log_cuts(SnBody *body, const int32_t *log, size_t count)
{
    size_t more = count - body->cuts.count;
    if (more > 0) {
        memcpy(sn_array_add(&body->cuts, more), log + (count - more), more * sizeof *log);
    }
}
