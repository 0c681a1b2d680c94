#include "tool/info_scene.h"

#include "scene/scene.h"
#include "world/body_plan.h"

#include <jansson.h>
#include <string.h>

bool sn_info_scene_is(const char *path)
{
    const char *end = strrchr(path, '.');
    return end != NULL && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
}

// The word that a number of the scene stands for.
static const char *word_of(const char *path, int value)
{
    return sn_scene_field(path)->words->words[value];
}

static const char *shape_of(const SnSceneShape *shape, const char *path)
{
    const SnTable *table = sn_scene_field(path)->table;
    return sn_table_choice(table, shape->kind);
}

static bool is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

// ---- for people -------------------------------------------------------------------------------

static int resolution_of(const SnSceneBody *body)
{
    int said = body->shape.resolution;
    return said > 0 ? said : sn_resolution_default((SinewModelKind)body->model.kind);
}

static void print_shape(const SnSceneBody *body, FILE *file)
{
    const SnSceneShape *shape = &body->shape;
    int resolution = resolution_of(body);
    const char *tets = shape->box_tets == SINEW_BOX_KUHN ? ", six tets each" : ", five tets each";
    fprintf(file, "    shape       %s", shape_of(shape, "bodies.shape"));
    if (shape->kind == SN_SCENE_TETS) {
        fprintf(file, " %s\n", shape->file);
    } else if (shape->kind == SN_SCENE_SURFACE) {
        fprintf(file, " %s, %d cells along the longest side\n", shape->file, resolution);
    } else if (shape->cells[0] > 0) {
        fprintf(file, " of %d x %d x %d cells%s\n", shape->cells[0], shape->cells[1],
                shape->cells[2], sn_scene_element(&body->model) == SINEW_ELEMENT_TET ? tets : "");
    } else if (shape->kind == SINEW_SHAPE_BLOB) {
        fprintf(file, " of %d parts, %d cells along the longest side\n", shape->shape.part_count,
                resolution);
    } else {
        fprintf(file, ", %d cells along the longest side\n", resolution);
    }
}

static void print_material(const char *title, const SinewMaterial *material, FILE *file)
{
    fprintf(file, "    %-12s%s, Young %g Pa, Poisson %g, %g kg/m^3\n", title,
            word_of("bodies.material.law", (int)material->law), material->young, material->poisson,
            material->density);
}

static void print_body(const SnSceneBody *body, FILE *file)
{
    fprintf(file, "  body \"%s\"\n", body->name);
    print_shape(body, file);
    fprintf(file, "    model       %s, element %s, integrator %s\n",
            word_of("bodies.model.kind", body->model.kind),
            word_of("bodies.model.element", sn_scene_element(&body->model)),
            word_of("bodies.model.integrator", body->model.integrator));
    print_material("material", &body->material, file);
    for (int r = 0; r < body->region_count; ++r) {
        print_material("region", &body->regions[r].material, file);
    }
    fprintf(file, "    pins        %d\n    loads       %d\n", body->pin_count, body->load_count);
    if (body->attachment_count > 0) {
        fprintf(file, "    attachments %d\n", body->attachment_count);
    }
}

static void print(const SinewScene *scene, FILE *file)
{
    const SnSceneContent *content = &scene->content;
    const SnSceneWorld *world = &content->world;
    fprintf(file, "%s: scene\n", scene->yaml.name);
    if (world->is_static != 0) {
        fprintf(file, "  static, %d load steps\n", world->load_steps);
    } else {
        fprintf(file, "  dynamic, %d steps of %g s\n", world->steps, world->dt);
    }
    fprintf(file, "  gravity %g %g %g m/s^2\n", world->gravity[0], world->gravity[1],
            world->gravity[2]);
    for (int b = 0; b < content->body_count; ++b) {
        print_body(&content->bodies[b], file);
    }
    for (int c = 0; c < content->collider_count; ++c) {
        const SnSceneCollider *collider = &content->colliders[c];
        fprintf(file, "  collider %d: %s, friction %g%s\n", c,
                shape_of(&collider->shape, "colliders"),
                collider->friction < 0 ? content->contact.friction : collider->friction,
                collider->key_count > 0 ? ", moves" : "");
    }
    for (int p = 0; p < content->probe_count; ++p) {
        fprintf(file, "  probe \"%s\": %s of \"%s\"\n", content->probes[p].name,
                word_of("probes.report", content->probes[p].report),
                content->bodies[content->probes[p].body_index].name);
    }
    for (int f = 0; f < scene->file_count; ++f) {
        fprintf(file, "  needs %s%s\n", scene->files[f],
                is_there(scene->files[f]) ? "" : ", which cannot be opened");
    }
}

// ---- for programs -----------------------------------------------------------------------------

// A text that is no UTF-8 is no JSON either: it is shown as empty.
static json_t *text_of(const char *text)
{
    json_t *value = json_string(text);
    return value != NULL ? value : json_string("");
}

static json_t *material_json(const SinewMaterial *material)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "law",
                     word_of("bodies.material.law", (int)material->law), "young", material->young,
                     "poisson", material->poisson, "density", material->density, "damping_mass",
                     material->damping_mass, "damping_stiffness", material->damping_stiffness);
}

static json_t *shape_json(const SnSceneShape *shape, int resolution, const char *path)
{
    json_t *value = json_pack("{s:s}", "kind", shape_of(shape, path));
    if (shape->file != NULL) {
        json_object_set_new(value, "file", text_of(shape->file));
    }
    if (shape->cells[0] > 0) {
        json_object_set_new(value, "cells",
                            json_pack("[iii]", shape->cells[0], shape->cells[1], shape->cells[2]));
    } else if (shape->kind != SN_SCENE_TETS && resolution > 0) {
        json_object_set_new(value, "resolution", json_integer(resolution));
    }
    if (shape->shape.kind == SINEW_SHAPE_BLOB) {
        json_object_set_new(value, "parts", json_integer(shape->shape.part_count));
    }
    return value;
}

static json_t *body_json(const SnSceneBody *body)
{
    json_t *regions = json_array();
    for (int r = 0; r < body->region_count; ++r) {
        json_array_append_new(regions, material_json(&body->regions[r].material));
    }
    return json_pack("{s:o, s:o, s:{s:s, s:s, s:s}, s:o, s:o, s:i, s:i, s:i}", "name",
                     text_of(body->name), "shape",
                     shape_json(&body->shape, resolution_of(body), "bodies.shape"), "model", "kind",
                     word_of("bodies.model.kind", body->model.kind), "element",
                     word_of("bodies.model.element", sn_scene_element(&body->model)), "integrator",
                     word_of("bodies.model.integrator", body->model.integrator), "material",
                     material_json(&body->material), "regions", regions, "pins", body->pin_count,
                     "loads", body->load_count, "attachments", body->attachment_count);
}

static json_t *probe_json(const SnSceneContent *content, int index)
{
    const SnSceneProbe *probe = &content->probes[index];
    return json_pack("{s:o, s:o, s:s}", "name", text_of(probe->name), "body",
                     text_of(content->bodies[probe->body_index].name), "report",
                     word_of("probes.report", probe->report));
}

static json_t *output_json(const SnSceneContent *content)
{
    json_t *formats = json_array();
    const SnWordList *words = sn_scene_field("output.formats")->words;
    for (int w = 0; w < words->count; ++w) {
        if ((content->formats & 1 << w) != 0) {
            json_array_append_new(formats, json_string(words->words[w]));
        }
    }
    return json_pack("{s:i, s:o}", "every", content->output_every, "formats", formats);
}

static bool print_json(const SinewScene *scene, FILE *file)
{
    const SnSceneContent *content = &scene->content;
    const SnSceneWorld *world = &content->world;
    json_t *bodies = json_array();
    json_t *colliders = json_array();
    json_t *probes = json_array();
    json_t *files = json_array();
    for (int b = 0; b < content->body_count; ++b) {
        json_array_append_new(bodies, body_json(&content->bodies[b]));
    }
    for (int c = 0; c < content->collider_count; ++c) {
        const SnSceneCollider *collider = &content->colliders[c];
        json_array_append_new(
            colliders,
            json_pack("{s:o, s:f, s:b}", "shape", shape_json(&collider->shape, 0, "colliders"),
                      "friction",
                      collider->friction < 0 ? content->contact.friction : collider->friction,
                      "moves", collider->key_count > 0));
    }
    for (int p = 0; p < content->probe_count; ++p) {
        json_array_append_new(probes, probe_json(content, p));
    }
    for (int f = 0; f < scene->file_count; ++f) {
        json_array_append_new(files, json_pack("{s:o, s:b}", "path", text_of(scene->files[f]),
                                               "found", is_there(scene->files[f])));
    }
    json_t *document =
        json_pack("{s:o, s:s, s:s, s:f, s:i, s:i, s:[fff], s:o, s:o, s:o, s:o, s:o}", "file",
                  text_of(scene->yaml.name), "format", "scene", "mode",
                  word_of("world.mode", world->is_static), "dt", world->dt, "steps", world->steps,
                  "load_steps", world->load_steps, "gravity", world->gravity[0], world->gravity[1],
                  world->gravity[2], "bodies", bodies, "colliders", colliders, "probes", probes,
                  "output", output_json(content), "files", files);
    bool written = document != NULL && json_dumpf(document, file, JSON_INDENT(2)) == 0;
    fputc('\n', file);
    json_decref(document);
    return written;
}

SinewStatus sn_info_scene_show(const char *path, bool json, FILE *file, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewScene *scene = NULL;
    SN_TRY(sinew_scene_load(path, NULL, 0, NULL, &scene, error));
    if (!json) {
        print(scene, file);
    } else if (!print_json(scene, file)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_MEMORY, "the JSON document could not be written"));
    }
done:
    sinew_scene_destroy(scene);
    return status;
}
