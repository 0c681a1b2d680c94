// Probes: numbers about a body, a place of it, or a pin.
#include "world/attachment.h"
#include "world/body_surface.h"
#include "world/check.h"

#include <stdio.h>
#include <string.h>

enum { REPORT_COUNT = SINEW_REPORT_CUTS + 1 };

static bool is_of_place(SinewReport report)
{
    return report <= SINEW_REPORT_VELOCITY;
}

static SinewStatus check_vertex(const SnBody *body, const SinewProbeDef *def, const char *what,
                                SinewError *error)
{
    int count = def->on_surface != 0 ? body->surface.rest->vertex_count
                                     : body->model->mesh(body->state).vertex_count;
    if (def->vertex < 0 || def->vertex >= count) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, def->vertex,
                          "%s: vertex is %d, expected 0 to %d%s", what, def->vertex, count - 1,
                          def->on_surface != 0 ? ", of the surface" : "");
    }
    return SINEW_OK;
}

static SinewStatus check_place(const SnBody *body, const SinewProbeDef *def, const char *what,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if ((def->has_point != 0) == (def->vertex != -1)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: %s said, expected exactly one of a point and a vertex", what,
                       def->has_point != 0 ? "both a point and a vertex are" : "no place is"));
    }
    if (def->has_point != 0) {
        SN_TRY(sn_check_vector(def->point, what, "point", error));
    } else {
        SN_TRY(check_vertex(body, def, what, error));
    }
done:
    return status;
}

static SinewStatus check_force(const SnBody *body, const SinewProbeDef *def, const char *what,
                               SinewError *error)
{
    if (def->has_point != 0 || def->vertex == -1 || def->on_surface == 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: a contact force is of a vertex of the surface, expected vertex and "
                       "on_surface",
                       what);
    }
    return check_vertex(body, def, what, error);
}

static SinewStatus check_reaction(const SinewWorld *world, const SnBody *body,
                                  const SinewProbeDef *def, const char *what, SinewError *error)
{
    const SnWorldPin *pin = sn_slots_find(&world->pins, SN_ID(def->pin), error);
    if (pin == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    if (pin->body != body) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its pin holds body \"%s\", expected a pin of the probe's body", what,
                       pin->body->name);
    }
    return SINEW_OK;
}

static SinewStatus check_attachment(const SinewWorld *world, const SnBody *body,
                                    const SinewProbeDef *def, const char *what, SinewError *error)
{
    const SnWorldAttachment *attachment =
        sn_slots_find(&world->attachments, SN_ID(def->attachment), error);
    if (attachment == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    if (attachment->body != body) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: its attachment pulls at body \"%s\", expected one of the probe's body",
                       what, attachment->body->name);
    }
    return SINEW_OK;
}

static SinewStatus check_probe(const SinewWorld *world, const SnBody *body,
                               const SinewProbeDef *def, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_choice((int)def->report, REPORT_COUNT, what, "report", error));
    if (is_of_place(def->report)) {
        SN_TRY(check_place(body, def, what, error));
    } else if (def->report == SINEW_REPORT_FORCE) {
        SN_TRY(check_force(body, def, what, error));
    } else if (def->report == SINEW_REPORT_REACTION) {
        SN_TRY(check_reaction(world, body, def, what, error));
    } else if (def->report == SINEW_REPORT_ATTACHMENT) {
        SN_TRY(check_attachment(world, body, def, what, error));
    }
done:
    return status;
}

// A vertex of the surface is where the surface has it: of a body that was cut, rest positions do
// not tell the side.
static SinewStatus find_place(SnWorldProbe *probe, int surface_vertex, SinewError *error)
{
    const SnBody *body = probe->body;
    int element = 0;
    double weights[4];
    if (surface_vertex < 0 || body->model->points_in == NULL) {
        return body->model->points_create(body->state, probe->rest, 1, &probe->points, error);
    }
    body->model->points_where(body->surface.shape->points, surface_vertex, &element, weights);
    return body->model->points_in(body->state, &element, weights, 1, &probe->points, error);
}

// A point given, or a vertex of the surface, becomes a material point; vertices of the model are
// read where they stand.
static SinewStatus place_probe(SnWorldProbe *probe, const SinewProbeDef *def, const char *what,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBody *body = probe->body;
    bool is_surface = def->has_point == 0 && def->on_surface != 0;
    if (def->has_point == 0 && !is_surface) {
        probe->vertex = def->vertex;
        goto done;
    }
    const double *rest =
        is_surface ? body->surface.rest->positions + 3 * (size_t)def->vertex : def->point;
    memcpy(probe->rest, rest, sizeof probe->rest);
    SN_TRY(find_place(probe, is_surface ? def->vertex : -1, error));
    double distance = body->model->points_distance(probe->points, 0);
    if (!is_surface && !(distance <= body->cell_size)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: point [%g, %g, %g] is %g m outside the body, expected inside or "
                       "within a cell of %g m",
                       what, rest[0], rest[1], rest[2], distance, body->cell_size));
    }
done:
    return status;
}

SinewStatus sinew_world_add_probe(SinewWorld *world, const SinewProbeDef *def,
                                  SinewProbeId *out_probe, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorldProbe *probe = NULL;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(out_probe, "out_probe", error));
    SN_TRY(sn_check_def(def, "probe", error));
    SnBody *body = sn_slots_find(&world->bodies, SN_ID(def->body), error);
    if (body == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    char what[100];
    snprintf(what, sizeof what, "probe %d of body \"%s\"", world->probes.live, body->name);
    SN_TRY(check_probe(world, body, def, what, error));
    SN_ALLOC_ZERO(probe, &world->allocator, 1, error);
    probe->body = body;
    probe->report = def->report;
    probe->vertex = def->vertex;
    probe->pin = SN_ID(def->pin);
    probe->attachment = SN_ID(def->attachment);
    if (is_of_place(def->report)) {
        SN_TRY(place_probe(probe, def, what, error));
    }
    SN_TRY(sn_slots_reserve(&world->probes, error));
    SnId id = sn_slots_add(&world->probes, probe);
    *out_probe = (SinewProbeId){id.index1, id.generation};
    probe = NULL;
done:
    sn_world_probe_destroy(world, probe);
    return status;
}

SinewStatus sinew_world_remove_probe(SinewWorld *world, SinewProbeId id, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SnWorldProbe *probe = sn_slots_find(&world->probes, SN_ID(id), error);
    if (probe == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    sn_slots_remove(&world->probes, SN_ID(id));
    sn_world_probe_destroy(world, probe);
done:
    return status;
}

void sn_world_probe_destroy(SinewWorld *world, SnWorldProbe *probe)
{
    if (probe != NULL) {
        probe->body->model->points_destroy(probe->body->state, probe->points);
        sn_free(&world->allocator, probe);
    }
}

// Reading -----------------------------------------------------------------------------------------

static int read_place(const SnWorldProbe *probe, double *values)
{
    const SnBody *body = probe->body;
    double x[3], v[3], rest[3];
    if (probe->points != NULL) {
        memcpy(rest, probe->rest, sizeof rest);
        body->model->points_place(body->state, probe->points, x, v);
    } else {
        SinewBodyMesh mesh = body->model->mesh(body->state);
        size_t at = 3 * (size_t)probe->vertex;
        memcpy(rest, mesh.rest + at, sizeof rest);
        memcpy(x, mesh.positions + at, sizeof x);
        memcpy(v, mesh.velocities + at, sizeof v);
    }
    for (int k = 0; k < 3; ++k) {
        values[k] = probe->report == SINEW_REPORT_VELOCITY       ? v[k]
                    : probe->report == SINEW_REPORT_DISPLACEMENT ? x[k] - rest[k]
                                                                 : x[k];
    }
    return 3;
}

static void add_displacements(void *context, int begin, int end, double *sums)
{
    const SinewBodyMesh *mesh = context;
    sums[0] = sums[1] = sums[2] = 0.0;
    for (int v = begin; v < end; ++v) {
        for (int k = 0; k < 3; ++k) {
            size_t at = 3 * (size_t)v + (size_t)k;
            sums[k] += mesh->positions[at] - mesh->rest[at];
        }
    }
}

static int read_mean_displacement(const SinewWorld *world, const SnBody *body, double *values)
{
    SinewBodyMesh mesh = body->model->mesh(body->state);
    sn_parallel_sum(world->workers, mesh.vertex_count, 3, add_displacements, &mesh, values);
    for (int k = 0; k < 3; ++k) {
        values[k] /= mesh.vertex_count;
    }
    return 3;
}

// A vertex has its share, by area, of what the contact point that stands for it feels.
static int read_force(const SnWorldProbe *probe, double *values)
{
    const SnBody *body = probe->body;
    const SnSurfaceShape *shape = body->surface.shape;
    int point = shape->contact.carriers[probe->vertex];
    memset(values, 0, 3 * sizeof *values);
    if (body->penalty != NULL && point >= 0 && shape->contact.areas[point] > 0.0) {
        double share = shape->areas[probe->vertex] / shape->contact.areas[point];
        sn_penalty_force(body->penalty, point, values);
        for (int k = 0; k < 3; ++k) {
            values[k] *= share;
        }
    }
    return 3;
}

static SinewStatus read_reaction(const SinewWorld *world, const SnWorldProbe *probe, double *values,
                                 SinewError *error)
{
    const SnWorldPin *pin = sn_slots_find(&world->pins, probe->pin, error);
    if (pin == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    const SnBody *body = probe->body;
    int index = 0;
    while (SN_ITEMS(body->pins, SnWorldPin *)[index] != pin) {
        ++index;
    }
    body->model->reaction(body->state, index, values);
    return SINEW_OK;
}

static SinewStatus read_attachment(const SinewWorld *world, const SnWorldProbe *probe,
                                   double *values, SinewError *error)
{
    const SnWorldAttachment *attachment =
        sn_slots_find(&world->attachments, probe->attachment, error);
    if (attachment == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    sn_world_attachment_read(attachment, world->time, values, NULL);
    return SINEW_OK;
}

// What the model knows of the whole body.
static int read_measure(const SinewWorld *world, const SnWorldProbe *probe, double *values)
{
    SnMeasure m;
    probe->body->model->measure(probe->body->state, &m);
    switch (probe->report) {
    case SINEW_REPORT_ENERGY:
        values[0] = m.kinetic;
        values[1] = m.elastic + sn_body_attachment_energy(probe->body, world->time);
        values[2] = 0.0;
        for (int k = 0; k < 3; ++k) {
            values[2] -= m.mass * world->gravity_scale * world->gravity[k] * m.mass_center[k];
        }
        return 3;
    case SINEW_REPORT_VOLUME:
        values[0] = m.volume;
        values[1] = m.smallest_det;
        values[2] = m.inverted_count;
        return 3;
    case SINEW_REPORT_MOMENTUM:
        memcpy(values, m.momentum, sizeof m.momentum);
        memcpy(values + 3, m.angular_momentum, sizeof m.angular_momentum);
        return 6;
    default:
        values[0] = m.residual;
        return 1;
    }
}

SinewStatus sinew_world_read_probe(const SinewWorld *world, SinewProbeId id, double *values,
                                   int *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_check_pointer(world, "the world", error));
    SN_TRY(sn_check_pointer(values, "values", error));
    SN_TRY(sn_check_pointer(out_count, "out_count", error));
    const SnWorldProbe *probe = sn_slots_find(&world->probes, SN_ID(id), error);
    if (probe == NULL) {
        return SINEW_ERROR_ARGUMENT;
    }
    if (is_of_place(probe->report)) {
        *out_count = read_place(probe, values);
    } else if (probe->report == SINEW_REPORT_FORCE) {
        *out_count = read_force(probe, values);
    } else if (probe->report == SINEW_REPORT_MEAN_DISPLACEMENT) {
        *out_count = read_mean_displacement(world, probe->body, values);
    } else if (probe->report == SINEW_REPORT_REACTION) {
        SN_TRY(read_reaction(world, probe, values, error));
        *out_count = 6;
    } else if (probe->report == SINEW_REPORT_ATTACHMENT) {
        SN_TRY(read_attachment(world, probe, values, error));
        *out_count = 6;
    } else if (probe->report == SINEW_REPORT_CONTACT) {
        memcpy(values, probe->body->contact_force, sizeof probe->body->contact_force);
        values[3] = probe->body->contacts;
        *out_count = 4;
    } else if (probe->report == SINEW_REPORT_CUTS) {
        const SnCutSum *sum = &probe->body->sum;
        values[0] = sum->count;
        values[1] = sum->count > 0 ? sum->pieces : 1;
        values[2] = sum->mass_removed;
        *out_count = 3;
    } else {
        *out_count = read_measure(world, probe, values);
    }
done:
    return status;
}
