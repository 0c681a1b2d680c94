#include "scene/check.h"

#include "base/nearest.h"
#include "world/body_plan.h"

#include <string.h>

// The line of a key of a mapping, or of the mapping where it does not have it.
static int line_of_key(const SnYaml *yaml, int node, const char *key)
{
    int value = sn_yaml_find(yaml, node, key);
    return sn_yaml_node(yaml, value != SN_YAML_NONE ? value : node)->line;
}

// ---- shapes and regions -----------------------------------------------------------------------

static SinewStatus check_corners(const SnYaml *yaml, int node, const double *min, const double *max,
                                 bool may_be_flat, SinewError *error)
{
    for (int c = 0; c < 3; ++c) {
        if (!(max[c] > min[c] || (may_be_flat && max[c] == min[c]))) {
            return sn_yaml_fail(yaml, line_of_key(yaml, node, "max"), error,
                                "%s.max.%d is %g, expected %s the %g of min",
                                sn_yaml_path(yaml, node).text, c, max[c],
                                may_be_flat ? "at least" : "more than", min[c]);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_check_box_plain(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    const SinewShape *shape = item;
    return check_corners(yaml, node, shape->min, shape->max, false, error);
}

SinewStatus sn_check_box(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSceneShape *shape = item;
    SN_TRY(sn_check_box_plain(yaml, node, item, error));
    double cells = (double)shape->cells[0] * shape->cells[1] * shape->cells[2];
    if (cells > SN_CELLS_MAX) {
        SN_TRY(sn_yaml_fail(yaml, line_of_key(yaml, node, "cells"), error,
                            "%s.cells are %.0f in all, expected at most %d",
                            sn_yaml_path(yaml, node).text, cells, SN_CELLS_MAX));
    }
    int resolution = sn_yaml_find(yaml, node, "resolution");
    if (cells > 0 && resolution != SN_YAML_NONE) {
        SN_TRY(sn_yaml_fail(yaml, sn_yaml_node(yaml, resolution)->key_line, error,
                            "%s has both \"cells\" and \"resolution\", expected one of them",
                            sn_yaml_path(yaml, node).text));
    }
done:
    return status;
}

SinewStatus sn_check_axle_plain(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    const SinewShape *shape = item;
    if (memcmp(shape->from, shape->to, sizeof shape->from) == 0) {
        return sn_yaml_fail(yaml, line_of_key(yaml, node, "to"), error,
                            "%s.to is the same point as from, expected another",
                            sn_yaml_path(yaml, node).text);
    }
    return SINEW_OK;
}

SinewStatus sn_check_torus_plain(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    const SinewShape *shape = item;
    if (!(shape->tube < shape->radius)) {
        return sn_yaml_fail(yaml, line_of_key(yaml, node, "tube"), error,
                            "%s.tube is %g, expected less than the radius, %g",
                            sn_yaml_path(yaml, node).text, shape->tube, shape->radius);
    }
    return SINEW_OK;
}

SinewStatus sn_check_shape(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    const SnSceneShape *shape = item;
    int resolution = sn_yaml_find(yaml, node, "resolution");
    if (resolution != SN_YAML_NONE && shape->kind != SN_SCENE_SURFACE) {
        return sn_yaml_fail(yaml, sn_yaml_node(yaml, resolution)->key_line, error,
                            "%s.resolution is for a surface; the other shapes have their own, and "
                            "tets have none",
                            sn_yaml_path(yaml, node).text);
    }
    return SINEW_OK;
}

SinewStatus sn_check_region_box(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    const SinewRegion *region = item;
    return check_corners(yaml, node, region->min, region->max, true, error);
}

// ---- contact and probes -----------------------------------------------------------------------

SinewStatus sn_check_contact(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    const SnSceneContact *contact = item;
    if (contact->self != 0) {
        return sn_yaml_fail(yaml, line_of_key(yaml, node, "self"), error,
                            "contact.self is true; contact of a body with itself is not in this "
                            "version, expected false");
    }
    return SINEW_OK;
}

typedef enum Place { PLACE_NONE, PLACE_POINT, PLACE_PIN, PLACE_ATTACHMENT } Place;

static Place place_of(int report)
{
    if (report <= SINEW_REPORT_FORCE) {
        return PLACE_POINT;
    }
    if (report == SINEW_REPORT_ATTACHMENT) {
        return PLACE_ATTACHMENT;
    }
    return report == SINEW_REPORT_REACTION ? PLACE_PIN : PLACE_NONE;
}

// The thing that a report is of, by its number.
static SinewStatus check_number(const SnYaml *yaml, int node, const SnSceneProbe *probe,
                                SinewError *error)
{
    Place place = place_of(probe->report);
    if ((place == PLACE_PIN && probe->pin < 0) ||
        (place == PLACE_ATTACHMENT && probe->attachment < 0)) {
        return sn_yaml_fail(yaml, sn_yaml_node(yaml, node)->line, error,
                            "%s has no \"%s\", expected its number for the report \"%s\"",
                            sn_yaml_path(yaml, node).text,
                            place == PLACE_PIN ? "pin" : "attachment",
                            place == PLACE_PIN ? "reaction" : "attachment");
    }
    return SINEW_OK;
}

// Which of point, vertex, on_surface, pin and attachment a report takes.
SinewStatus sn_check_probe(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    const SnSceneProbe *probe = item;
    static const char *const keys[] = {"point", "vertex", "on_surface", "pin", "attachment"};
    static const Place places[] = {PLACE_POINT, PLACE_POINT, PLACE_POINT, PLACE_PIN,
                                   PLACE_ATTACHMENT};
    Place place = place_of(probe->report);
    const char *report = sn_yaml_text(yaml, sn_yaml_find(yaml, node, "report"));
    const SnYamlPath where = sn_yaml_path(yaml, node);
    const char *path = where.text;
    for (int k = 0; k < 5; ++k) {
        int value = sn_yaml_find(yaml, node, keys[k]);
        if (value != SN_YAML_NONE && place != places[k]) {
            return sn_yaml_fail(yaml, sn_yaml_node(yaml, value)->key_line, error,
                                "%s.%s is not for the report \"%s\"; leave it out", path, keys[k],
                                report);
        }
    }
    bool has_point = sn_yaml_find(yaml, node, "point") != SN_YAML_NONE;
    bool has_vertex = sn_yaml_find(yaml, node, "vertex") != SN_YAML_NONE;
    int line = sn_yaml_node(yaml, node)->line;
    if (place == PLACE_POINT && has_point == has_vertex) {
        return sn_yaml_fail(
            yaml, has_point ? line_of_key(yaml, node, "vertex") : line, error,
            "%s has %s \"point\" %s \"vertex\", expected one of them for the report "
            "\"%s\"",
            path, has_point ? "both" : "neither", has_point ? "and" : "nor", report);
    }
    if (has_point && sn_yaml_find(yaml, node, "on_surface") != SN_YAML_NONE) {
        return sn_yaml_fail(yaml, line_of_key(yaml, node, "on_surface"), error,
                            "%s.on_surface is for a vertex, not for a point; leave it out", path);
    }
    return check_number(yaml, node, probe, error);
}

// ---- references -------------------------------------------------------------------------------

static SinewStatus check_body_names(const SnYaml *yaml, const SnSceneContent *content,
                                    SinewError *error)
{
    for (int b = 0; b < content->body_count; ++b) {
        for (int a = 0; a < b; ++a) {
            if (strcmp(content->bodies[a].name, content->bodies[b].name) == 0) {
                return sn_yaml_fail(yaml, line_of_key(yaml, content->bodies[b].item.node, "name"),
                                    error, "bodies.%d.name is \"%s\", as that of bodies.%d", b,
                                    sn_yaml_quote(content->bodies[b].name).text, a);
            }
        }
    }
    return SINEW_OK;
}

// The body that a probe or a cut names, or the only one. `list` is the key they are in.
static SinewStatus find_body(const SnYaml *yaml, const SnSceneContent *content, const char *list,
                             int index, int node, const char *name, int *out_body,
                             SinewError *error)
{
    if (name == NULL && content->body_count == 1) {
        *out_body = 0;
        return SINEW_OK;
    }
    if (name == NULL) {
        return sn_yaml_fail(yaml, sn_yaml_node(yaml, node)->line, error,
                            "%s.%d has no \"body\", expected the name of one of the %d bodies",
                            list, index, content->body_count);
    }
    for (int b = 0; b < content->body_count; ++b) {
        if (strcmp(name, content->bodies[b].name) == 0) {
            *out_body = b;
            return SINEW_OK;
        }
    }
    int nearest = 0;
    for (int b = 1; b < content->body_count; ++b) {
        if (sn_word_distance(name, content->bodies[b].name) <
            sn_word_distance(name, content->bodies[nearest].name)) {
            nearest = b;
        }
    }
    return sn_yaml_fail(yaml, line_of_key(yaml, node, "body"), error,
                        "%s.%d.body is \"%s\", which is no body; the nearest is \"%s\"", list,
                        index, sn_yaml_quote(name).text,
                        sn_yaml_quote(content->bodies[nearest].name).text);
}

// Models that can be cut, and formats that keep one number of vertices.
static SinewStatus check_cut_references(const SnYaml *yaml, const SnSceneContent *content,
                                        int index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSceneCut *cut = &content->cuts[index];
    int node = cut->item.node;
    SN_TRY(find_body(yaml, content, "cuts", index, node, cut->body, &cut->body_index, error));
    const SnSceneBody *body = &content->bodies[cut->body_index];
    if (body->model.kind != SINEW_MODEL_TETMG) {
        SN_TRY(sn_yaml_fail(yaml, sn_yaml_node(yaml, node)->line, error,
                            "cuts.%d is of \"%s\", whose model is not tetmg, which alone can be "
                            "cut",
                            index, sn_yaml_quote(body->name).text));
    }
    if ((content->formats & SINEW_OUTPUT_GLB) != 0) {
        int output = sn_yaml_find(yaml, content->item.node, "output");
        SN_TRY(sn_yaml_fail(yaml, line_of_key(yaml, output, "formats"), error,
                            "output.formats has glb, whose surfaces keep their vertices; expected "
                            "vtu, obj, ply, pc2, png or sheet in a scene with cuts"));
    }
done:
    return status;
}

// Static scenes are for models that have a static solve.
static SinewStatus check_static(const SnYaml *yaml, const SnSceneContent *content, int index,
                                SinewError *error)
{
    const SnSceneBody *body = &content->bodies[index];
    bool is_moving = body->model.mode == SN_SCENE_PAPER && (body->model.kind == SINEW_MODEL_SPLIT ||
                                                            body->model.kind == SINEW_MODEL_TETMG);
    if (content->world.is_static && is_moving) {
        const SnWordList *kinds = sn_scene_field("bodies.model.kind")->words;
        int model = sn_yaml_find(yaml, body->item.node, "model");
        return sn_yaml_fail(yaml, line_of_key(yaml, model, "mode"), error,
                            "%s.mode is \"paper\" in a static scene, expected implicit: mode paper "
                            "of %s has no static solve",
                            sn_yaml_path(yaml, model).text, kinds->words[body->model.kind]);
    }
    return SINEW_OK;
}

static SinewStatus check_probe_references(const SnYaml *yaml, const SnSceneContent *content,
                                          int index, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSceneProbe *probe = &content->probes[index];
    int node = probe->item.node;
    for (int a = 0; a < index; ++a) {
        if (strcmp(content->probes[a].name, probe->name) == 0) {
            SN_TRY(sn_yaml_fail(yaml, line_of_key(yaml, node, "name"), error,
                                "probes.%d.name is \"%s\", as that of probes.%d", index,
                                sn_yaml_quote(probe->name).text, a));
        }
    }
    SN_TRY(find_body(yaml, content, "probes", index, node, probe->body, &probe->body_index, error));
    const SnSceneBody *body = &content->bodies[probe->body_index];
    if (probe->pin >= body->pin_count) {
        SN_TRY(sn_yaml_fail(yaml, line_of_key(yaml, node, "pin"), error,
                            "probes.%d.pin is %d, but \"%s\" has %d pins, counted from 0", index,
                            probe->pin, sn_yaml_quote(body->name).text, body->pin_count));
    }
    if (probe->attachment >= body->attachment_count) {
        SN_TRY(sn_yaml_fail(yaml, line_of_key(yaml, node, "attachment"), error,
                            "probes.%d.attachment is %d, but \"%s\" has %d attachments, counted "
                            "from 0",
                            index, probe->attachment, sn_yaml_quote(body->name).text,
                            body->attachment_count));
    }
    // Contact acts on the surface.
    if (probe->report == SINEW_REPORT_FORCE && probe->vertex >= 0 &&
        (probe->item.present & UINT64_C(1) << SN_PROBE_ON_SURFACE) == 0) {
        probe->on_surface = 1;
    }
done:
    return status;
}

SinewStatus sn_check_scene(const SnYaml *yaml, SnSceneContent *content, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    // Names are compared in pairs, which must not take long whatever the file says.
    enum { COUNT_MAX = 4096 };
    if (content->body_count > COUNT_MAX || content->probe_count > COUNT_MAX) {
        SN_TRY(sn_yaml_fail(yaml, 1, error, "%d bodies and %d probes, expected at most %d of each",
                            content->body_count, content->probe_count, COUNT_MAX));
    }
    SN_TRY(check_body_names(yaml, content, error));
    if (content->contact.bodies != 0 && content->body_count > 1) {
        int contact = sn_yaml_find(yaml, content->item.node, "contact");
        SN_TRY(sn_yaml_fail(yaml, line_of_key(yaml, contact, "bodies"), error,
                            "contact.bodies is true; contact between the %d bodies is not in this "
                            "version, expected false",
                            content->body_count));
    }
    for (int b = 0; b < content->body_count; ++b) {
        SN_TRY(check_static(yaml, content, b, error));
    }
    for (int c = 0; c < content->cut_count; ++c) {
        SN_TRY(check_cut_references(yaml, content, c, error));
    }
    for (int p = 0; p < content->probe_count; ++p) {
        SN_TRY(check_probe_references(yaml, content, p, error));
    }
done:
    return status;
}

// ---- models -----------------------------------------------------------------------------------

// The integrators of each kind, bit i for word i, and those in its mode paper. Damping is part of
// what a scene means, so none is replaced by another where an override changes the kind.
enum { EULER = 1, BDF2 = 2, NEWMARK = 4 };
static const unsigned integrators[][2] = {
    [SINEW_MODEL_NEWTON] = {EULER | BDF2 | NEWMARK, EULER | BDF2 | NEWMARK},
    [SINEW_MODEL_SPLIT] = {EULER | BDF2, EULER},
    [SINEW_MODEL_LATTICE] = {EULER | BDF2, EULER | BDF2},
    [SINEW_MODEL_VOXEL] = {EULER | BDF2, EULER | BDF2},
    [SINEW_MODEL_FRAMES] = {EULER | BDF2, EULER | BDF2},
    [SINEW_MODEL_TETMG] = {EULER | BDF2, EULER | NEWMARK},
};

SinewStatus sn_check_model(const SnYaml *yaml, int node, const void *item, SinewError *error)
{
    const SnSceneModel *model = item;
    const SnWordList *words = sn_scene_field("bodies.model.integrator")->words;
    const SnWordList *kinds = sn_scene_field("bodies.model.kind")->words;
    bool paper = model->mode == SN_SCENE_PAPER;
    unsigned taken = integrators[model->kind][paper];
    if ((taken & 1u << model->integrator) == 0) {
        bool differs = taken != integrators[model->kind][0];
        return sn_yaml_fail(yaml, line_of_key(yaml, node, "integrator"), error,
                            "%s.integrator is \"%s\", expected %s%s for kind %s",
                            sn_yaml_path(yaml, node).text, words->words[model->integrator],
                            sn_words_some(words, taken).text, differs ? " in mode paper" : "",
                            kinds->words[model->kind]);
    }
    return SINEW_OK;
}
