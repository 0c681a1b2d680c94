#include "world/body_parts.h"

#include "geometry/near_tets.h"
#include "geometry/region.h"
#include "geometry/surface_cut.h"
#include "world/body_surface.h"
#include "world/force_points.h"

#include <string.h>

// Lists ------------------------------------------------------------------------------------------

static SinewStatus make_lists(SinewWorld *world, const SnBody *body, SnBodyParts *parts,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    int probes = sn_slots_count(&world->probes);
    SN_ALLOC_ZERO(parts->regions, allocator, body->pins.count, error);
    SN_ALLOC_ZERO(parts->load_points, allocator, body->loads.count, error);
    SN_ALLOC_ZERO(parts->attachment_points, allocator, body->attachments.count, error);
    SN_ALLOC_ZERO(parts->probe_points, allocator, probes, error);
    SN_ALLOC_ZERO(parts->probe_vertices, allocator, probes, error);
done:
    return status;
}

static SnWorldProbe *probe_of(const SinewWorld *world, const SnBody *body, int slot)
{
    SnWorldProbe *probe = sn_slots_at(&world->probes, slot);
    return probe != NULL && probe->body == body ? probe : NULL;
}

SinewStatus sn_body_parts_lend(SinewWorld *world, const SnBody *body, SnBodyParts *out_parts,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBodyParts parts = {.state = body->state,
                         .surface = body->surface,
                         .force_points = body->force_points,
                         .penalty = body->penalty,
                         .vertex_mass = body->vertex_mass,
                         .vertex_count = body->vertex_count,
                         .volume = body->volume,
                         .sum = body->sum,
                         .is_lent = true};
    *out_parts = (SnBodyParts){0};
    status = make_lists(world, body, &parts, error);
    if (status < 0) {
        sn_body_parts_release(world, body, &parts);
        return status;
    }
    for (size_t i = 0; i < body->pins.count; ++i) {
        parts.regions[i] = SN_ITEMS(body->pins, SnWorldPin *)[i]->region;
    }
    for (size_t i = 0; i < body->loads.count; ++i) {
        parts.load_points[i] = SN_ITEMS(body->loads, SnWorldLoad *)[i]->points;
    }
    for (size_t i = 0; i < body->attachments.count; ++i) {
        parts.attachment_points[i] = SN_ITEMS(body->attachments, SnWorldAttachment *)[i]->points;
    }
    for (int i = 0; i < sn_slots_count(&world->probes); ++i) {
        const SnWorldProbe *probe = probe_of(world, body, i);
        parts.probe_points[i] = probe != NULL ? probe->points : NULL;
        parts.probe_vertices[i] = probe != NULL ? probe->vertex : -1;
    }
    *out_parts = parts;
    return SINEW_OK;
}

static void release_points(SinewWorld *world, const SnBody *body, SnBodyParts *parts)
{
    for (size_t i = 0; i < body->pins.count && parts->regions != NULL; ++i) {
        sn_region_release(&parts->regions[i], &world->allocator);
    }
    if (parts->state == NULL) {
        return; // nothing has points without it
    }
    for (size_t i = 0; i < body->loads.count && parts->load_points != NULL; ++i) {
        body->model->points_destroy(parts->state, parts->load_points[i]);
    }
    for (size_t i = 0; i < body->attachments.count && parts->attachment_points != NULL; ++i) {
        body->model->points_destroy(parts->state, parts->attachment_points[i]);
    }
    for (int i = 0; i < sn_slots_count(&world->probes) && parts->probe_points != NULL; ++i) {
        body->model->points_destroy(parts->state, parts->probe_points[i]);
    }
    sn_force_points_release(world, body->model, parts->state, &parts->force_points);
}

void sn_body_parts_release(SinewWorld *world, const SnBody *body, SnBodyParts *parts)
{
    const SinewAllocator *allocator = &world->allocator;
    if (!parts->is_lent) {
        release_points(world, body, parts);
        sn_penalty_destroy(parts->penalty);
        sn_free(allocator, parts->vertex_mass);
        sn_body_surface_release(world, parts->state, &parts->surface);
        body->model->destroy(parts->state);
    }
    sn_free(allocator, parts->regions);
    sn_free(allocator, parts->load_points);
    sn_free(allocator, parts->attachment_points);
    sn_free(allocator, parts->probe_points);
    sn_free(allocator, parts->probe_vertices);
    *parts = (SnBodyParts){0};
}

// Points -----------------------------------------------------------------------------------------

// What is carried, and where to.
typedef struct Carry {
    SinewWorld *world;
    const SnBody *body;
    const SnBodyParts *from;
    const SnTetCut *cut;
    SnBodyParts *to;
} Carry;

// Points without a tet, -1, go into the nearest. `rest` is of all points, m.
static SinewStatus locate_lost(const Carry *carry, const double *rest, int count, int *elements,
                               double *weights, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &carry->world->allocator;
    SinewBodyMesh mesh = carry->body->model->mesh(carry->to->state);
    SnTetMesh tets = {.vertex_count = mesh.vertex_count,
                      .tet_count = mesh.element_count,
                      .positions = (double *)(uintptr_t)mesh.rest, // only read
                      .tets = (int *)(uintptr_t)mesh.elements};
    double *lost = NULL;
    SnTetLocation *found = NULL;
    int lost_count = 0, taken = 0;
    for (int p = 0; p < count; ++p) {
        lost_count += elements[p] < 0 ? 1 : 0;
    }
    SN_ALLOC(lost, allocator, 3 * (size_t)lost_count, error);
    SN_ALLOC(found, allocator, lost_count, error);
    for (int p = 0; p < count; ++p) {
        if (elements[p] < 0) {
            memcpy(lost + 3 * (size_t)taken++, rest + 3 * (size_t)p, 3 * sizeof *lost);
        }
    }
    SN_TRY(sn_near_tets_locate(&tets, lost, lost_count, allocator, found, error));
    for (int p = count; p-- > 0;) {
        if (elements[p] < 0) {
            const SnTetLocation *place = &found[--taken];
            elements[p] = place->tet;
            memcpy(weights + 4 * (size_t)p, place->weights, sizeof place->weights);
        }
    }
done:
    sn_free(allocator, lost);
    sn_free(allocator, found);
    return status;
}

// Points stay in their tets; those whose tet went go to the nearest.
static SinewStatus carry_points(const Carry *carry, const void *points, int count,
                                void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnModel *model = carry->body->model;
    const SinewAllocator *allocator = &carry->world->allocator;
    SinewBodyMesh mesh = model->mesh(carry->from->state);
    int *elements = NULL;
    double *weights = NULL, *rest = NULL;
    SN_ALLOC(elements, allocator, count, error);
    SN_ALLOC(weights, allocator, 4 * (size_t)count, error);
    SN_ALLOC_ZERO(rest, allocator, 3 * (size_t)count, error);
    for (int p = 0; p < count; ++p) {
        const double *w = weights + 4 * (size_t)p;
        int old = 0;
        model->points_where(points, p, &old, weights + 4 * (size_t)p);
        elements[p] = carry->cut->tet_place[old];
        for (size_t c = 0; c < 12; ++c) {
            size_t vertex = (size_t)mesh.elements[4 * (size_t)old + c / 3];
            rest[3 * (size_t)p + c % 3] += w[c / 3] * mesh.rest[3 * vertex + c % 3];
        }
    }
    SN_TRY(locate_lost(carry, rest, count, elements, weights, error));
    SN_TRY(model->points_in(carry->to->state, elements, weights, count, out_points, error));
done:
    sn_free(allocator, elements);
    sn_free(allocator, weights);
    sn_free(allocator, rest);
    return status;
}

static SinewStatus carry_things(const Carry *carry, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBody *body = carry->body;
    const SnBodyParts *from = carry->from;
    SnBodyParts *to = carry->to;
    for (size_t i = 0; i < body->loads.count; ++i) {
        SN_TRY(carry_points(carry, from->load_points[i],
                            SN_ITEMS(body->loads, SnWorldLoad *)[i]->count, &to->load_points[i],
                            error));
    }
    for (size_t i = 0; i < body->attachments.count; ++i) {
        SN_TRY(carry_points(carry, from->attachment_points[i],
                            SN_ITEMS(body->attachments, SnWorldAttachment *)[i]->count,
                            &to->attachment_points[i], error));
    }
    for (int i = 0; i < sn_slots_count(&carry->world->probes); ++i) {
        const SnWorldProbe *probe = probe_of(carry->world, body, i);
        to->probe_vertices[i] = from->probe_vertices[i];
        if (from->probe_points[i] != NULL) {
            SN_TRY(carry_points(carry, from->probe_points[i], 1, &to->probe_points[i], error));
        } else if (probe != NULL && probe->report <= SINEW_REPORT_VELOCITY) {
            int place = carry->cut->vertex_place[from->probe_vertices[i]];
            if (place < 0) {
                SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, from->probe_vertices[i],
                                  "body \"%s\": the cut would take the vertex %d, which a probe "
                                  "reads; expected one that leaves it",
                                  body->name, from->probe_vertices[i]));
            }
            to->probe_vertices[i] = place;
        }
    }
done:
    return status;
}

// Pins -------------------------------------------------------------------------------------------

// A list of vertices holds the copies of its own. Other regions speak of rest positions.
static SinewStatus carry_region(const Carry *carry, int pin, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetCut *cut = carry->cut;
    const SinewRegion *old = &carry->from->regions[pin];
    SinewRegion *region = &carry->to->regions[pin];
    static const double nowhere[3] = {0.0, 0.0, 0.0}; // which lists do not look at
    int *vertices = NULL;
    int count = 0;
    *region = *old;
    region->vertices = NULL;
    if (old->kind != SINEW_REGION_VERTICES) {
        return SINEW_OK;
    }
    SN_ALLOC(vertices, &carry->world->allocator, cut->vertex_count, error);
    for (int v = 0; v < cut->vertex_count; ++v) {
        if (sn_region_holds(old, cut->vertex_source[v], nowhere)) {
            vertices[count++] = v;
        }
    }
    region->vertices = vertices;
    region->vertex_count = count;
done:
    return status;
}

static bool holds_any(const Carry *carry, int pin)
{
    SinewBodyMesh mesh = carry->body->model->mesh(carry->from->state);
    const SnTetCut *cut = carry->cut;
    bool any = false;
    for (int v = 0; v < cut->vertex_count && !any; ++v) {
        any = sn_region_holds(&carry->to->regions[pin], v,
                              mesh.rest + 3 * (size_t)cut->vertex_source[v]);
    }
    return any;
}

static SinewStatus cut_state(const Carry *carry, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBody *body = carry->body;
    SnPin *pins = NULL;
    int count = (int)body->pins.count;
    SN_ALLOC(pins, &carry->world->allocator, count, error);
    for (int i = 0; i < count; ++i) {
        const bool *axes = SN_ITEMS(body->pins, SnWorldPin *)[i]->axes;
        SN_TRY(carry_region(carry, i, error));
        if (!holds_any(carry, i)) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                              "body \"%s\": the cut would take all vertices that pin %d holds, "
                              "expected one that leaves some",
                              body->name, i));
        }
        pins[i] = (SnPin){.region = &carry->to->regions[i], .axes = {axes[0], axes[1], axes[2]}};
    }
    SN_TRY(body->model->cut(carry->from->state, carry->cut, pins, count, &carry->to->state, error));
done:
    sn_free(&carry->world->allocator, pins);
    return status;
}

// The surface ------------------------------------------------------------------------------------

// Which contact point each vertex was, instead of which vertex. Those that others stood for begin
// anew.
static void carry_sources(const SnSurfaceShape *from, int count, int *source)
{
    for (int v = 0; v < count; ++v) {
        int point = source[v] >= 0 ? from->contact.carriers[source[v]] : -1;
        source[v] = point >= 0 && from->contact.vertices[point] == source[v] ? point : -1;
    }
}

static SinewStatus make_surface(const Carry *carry, const SnSurfaceCut *made, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnModel *model = carry->body->model;
    SnBodySurface *surface = &carry->to->surface;
    int count = surface->rest->vertex_count;
    void *points = NULL;
    SN_TRY(
        locate_lost(carry, surface->rest->positions, count, made->elements, made->weights, error));
    SN_TRY(
        model->points_in(carry->to->state, made->elements, made->weights, count, &points, error));
    SN_TRY(sn_body_surface_furnish(carry->world, model, carry->to->state, points, surface, error));
    SN_TRY(sn_body_make_penalty(carry->world, surface, carry->world->colliders.live,
                                &carry->to->penalty, error));
    if (carry->to->penalty != NULL && carry->from->penalty != NULL) {
        carry_sources(carry->from->surface.shape, count, made->source);
        SN_TRY(sn_penalty_carry(carry->from->penalty, made->source, carry->to->penalty, error));
    }
done:
    return status;
}

static SinewStatus cut_surface(const Carry *carry, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &carry->world->allocator;
    const SnBodySurface *old = &carry->from->surface;
    const SnModel *model = carry->body->model;
    SinewBodyMesh mesh = model->mesh(carry->from->state);
    int count = old->rest->vertex_count;
    SnSurfaceCut made = {0};
    int *elements = NULL;
    double *weights = NULL;
    SN_ALLOC(elements, allocator, count, error);
    SN_ALLOC(weights, allocator, 4 * (size_t)count, error);
    for (int v = 0; v < count; ++v) {
        model->points_where(old->shape->points, v, &elements[v], weights + 4 * (size_t)v);
    }
    SnSurfaceCutDef def = {.surface = old->rest,
                           .vertex_start = old->shape->vertex_start,
                           .vertex_triangles = old->shape->vertex_triangles,
                           .elements = elements,
                           .weights = weights,
                           .tets = mesh.elements,
                           .rest = mesh.rest,
                           .cut = carry->cut};
    SN_TRY(sn_surface_cut_create(&def, allocator, &made, error));
    carry->to->surface.rest = made.surface;
    made.surface = NULL;
    SN_TRY(make_surface(carry, &made, error));
done:
    sn_surface_cut_release(&made, allocator);
    sn_free(allocator, elements);
    sn_free(allocator, weights);
    return status;
}

// A cut ------------------------------------------------------------------------------------------

static double mass_of(const SnBodyParts *parts)
{
    double sum = 0.0;
    for (int v = 0; v < parts->vertex_count; ++v) {
        sum += parts->vertex_mass[v];
    }
    return sum;
}

static void report(const Carry *carry, SinewCutReport *out)
{
    const SnTetCut *cut = carry->cut;
    SnBodyParts *to = carry->to;
    bool removes = cut->tet_count != cut->old_tet_count;
    *out = (SinewCutReport){.faces = cut->face_count,
                            .vertices_added = cut->vertex_count - cut->old_vertex_count,
                            .tets_removed = cut->old_tet_count - cut->tet_count,
                            .mass_removed = removes ? mass_of(carry->from) - mass_of(to) : 0.0,
                            .pieces = cut->pieces};
    to->sum = carry->from->sum;
    to->sum.count += 1;
    to->sum.pieces = cut->pieces;
    to->sum.mass_removed += out->mass_removed;
}

static SinewStatus join_forces(const Carry *carry, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBody *body = carry->body;
    SnBodyParts *to = carry->to;
    SnPointPart *ties = NULL;
    SnForcePointsDef def = {.model = body->model,
                            .state = to->state,
                            .surface = &to->surface,
                            .tie_parts = (int)body->attachments.count,
                            .touches = to->penalty != NULL};
    SN_ALLOC(ties, &carry->world->allocator, body->attachments.count, error);
    for (int i = 0; i < def.tie_parts; ++i) {
        ties[i] = (SnPointPart){to->attachment_points[i], NULL,
                                SN_ITEMS(body->attachments, SnWorldAttachment *)[i]->count};
    }
    def.ties = ties;
    SN_TRY(sn_force_points_create(carry->world, &def, &to->force_points, error));
done:
    sn_free(&carry->world->allocator, ties);
    return status;
}

static SinewStatus make_parts(const Carry *carry, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorld *world = carry->world;
    const SnBody *body = carry->body;
    SnBodyParts *to = carry->to;
    SN_TRY(make_lists(world, body, to, error));
    SN_TRY(cut_state(carry, error));
    to->vertex_count = carry->cut->vertex_count;
    SN_ALLOC(to->vertex_mass, &world->allocator, to->vertex_count, error);
    to->volume = sn_body_share_mass(body, to->state, to->vertex_mass);
    SN_TRY(cut_surface(carry, error));
    SN_TRY(carry_things(carry, error));
    SN_TRY(join_forces(carry, error));
done:
    return status;
}

SinewStatus sn_body_parts_cut(SinewWorld *world, const SnBody *body, const SnBodyParts *from,
                              const SnTetCutList *list, const int *neighbours,
                              SnBodyParts *out_parts, SinewCutReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &world->allocator;
    SinewBodyMesh mesh = body->model->mesh(from->state);
    int *own = NULL;
    SnTetCut *cut = NULL;
    *out_parts = (SnBodyParts){0};
    *out_report = (SinewCutReport){.pieces = from->sum.pieces};
    if (list->removes && list->count >= mesh.element_count) {
        SN_TRY(
            sn_fail(error, SINEW_ERROR_ARGUMENT,
                    "body \"%s\": the cut would take all of the %d tets, expected some that stay",
                    body->name, mesh.element_count));
    }
    if (neighbours == NULL) {
        SN_TRY(sn_tet_neighbours_create(mesh.elements, mesh.element_count, mesh.vertex_count, NULL,
                                        allocator, &own, error));
        neighbours = own;
    }
    SN_TRY(sn_tet_cut_create(mesh.elements, mesh.element_count, mesh.vertex_count, neighbours, list,
                             allocator, &cut, error));
    if (cut->face_count > 0 || cut->tet_count < cut->old_tet_count) {
        Carry carry = {world, body, from, cut, out_parts};
        SN_TRY(make_parts(&carry, error));
        report(&carry, out_report);
    }
done:
    if (status < 0) {
        sn_body_parts_release(world, body, out_parts);
    }
    sn_tet_cut_destroy(cut, allocator);
    sn_free(allocator, own);
    return status;
}

// Adopting ---------------------------------------------------------------------------------------

#define SWAP(Type, a, b)                                                                           \
    do {                                                                                           \
        Type kept_ = (a);                                                                          \
        (a) = (b);                                                                                 \
        (b) = kept_;                                                                               \
    } while (0)

void sn_body_parts_adopt(SinewWorld *world, SnBody *body, SnBodyParts *parts)
{
    SWAP(void *, body->state, parts->state);
    SWAP(SnBodySurface, body->surface, parts->surface);
    SWAP(SnForcePoints, body->force_points, parts->force_points);
    SWAP(SnPenalty *, body->penalty, parts->penalty);
    SWAP(double *, body->vertex_mass, parts->vertex_mass);
    SWAP(int, body->vertex_count, parts->vertex_count);
    SWAP(double, body->volume, parts->volume);
    SWAP(SnCutSum, body->sum, parts->sum);
    for (size_t i = 0; i < body->pins.count; ++i) {
        SWAP(SinewRegion, SN_ITEMS(body->pins, SnWorldPin *)[i]->region, parts->regions[i]);
    }
    for (size_t i = 0; i < body->loads.count; ++i) {
        SnWorldLoad *load = SN_ITEMS(body->loads, SnWorldLoad *)[i];
        SWAP(void *, load->points, parts->load_points[i]);
        SN_ITEMS(body->point_loads, SnPointLoad)[i].points = load->points;
    }
    for (size_t i = 0; i < body->attachments.count; ++i) {
        SWAP(void *, SN_ITEMS(body->attachments, SnWorldAttachment *)[i]->points,
             parts->attachment_points[i]);
    }
    for (int i = 0; i < sn_slots_count(&world->probes); ++i) {
        SnWorldProbe *probe = probe_of(world, body, i);
        if (probe != NULL) {
            SWAP(void *, probe->points, parts->probe_points[i]);
            SWAP(int, probe->vertex, parts->probe_vertices[i]);
        }
    }
}
