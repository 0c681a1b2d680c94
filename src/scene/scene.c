#include "scene/scene.h"

#include "io/bytes.h"
#include "scene/check.h"
#include "scene/copies.h"
#include "scene/override.h"

#include <math.h>
#include <string.h>

// The overrides with their texts, which sentences of the build still name.
static SinewStatus keep_overrides(SinewScene *scene, const SinewOverride *overrides, int count,
                                  SinewError *error)
{
    SinewOverride *copies = sn_keep_alloc(&scene->keep, (size_t)count, sizeof *copies, error);
    if (copies == NULL) {
        return SINEW_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        if (overrides[i].path == NULL || overrides[i].value == NULL) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "override %d has no path or no value, expected both", i);
        }
        copies[i].path = sn_keep_text(&scene->keep, NULL, overrides[i].path, error);
        copies[i].value = sn_keep_text(&scene->keep, NULL, overrides[i].value, error);
        if (copies[i].path == NULL || copies[i].value == NULL) {
            return SINEW_ERROR_MEMORY;
        }
    }
    scene->yaml.overrides = copies;
    return SINEW_OK;
}

// Bodies without a name are called by their number.
static SinewStatus name_bodies(SinewScene *scene, SinewError *error)
{
    for (int b = 0; b < scene->content.body_count; ++b) {
        SnSceneBody *body = &scene->content.bodies[b];
        char name[24];
        snprintf(name, sizeof name, "body%d", b);
        if (body->name == NULL) {
            body->name = sn_keep_text(&scene->keep, NULL, name, error);
        }
        if (body->name == NULL) {
            return SINEW_ERROR_MEMORY;
        }
    }
    return SINEW_OK;
}

// Members that say the same in the API's own structs; materials of regions take over what they do
// not say.
static void complete(SinewScene *scene)
{
    SnSceneContent *content = &scene->content;
    for (int b = 0; b < content->body_count; ++b) {
        SnSceneBody *body = &content->bodies[b];
        SnSceneShape *shape = &body->shape;
        shape->shape.kind =
            shape->kind < SN_SCENE_SURFACE ? (SinewShapeKind)shape->kind : SINEW_SHAPE_NONE;
        int list = sn_yaml_find(&scene->yaml, body->item.node, "regions");
        int region = sn_yaml_at(&scene->yaml, list, 0);
        for (int r = 0; r < body->region_count; ++r) {
            int node = sn_yaml_find(&scene->yaml, region, "material");
            sn_table_inherit(&scene->yaml, &sn_material_table, node, &body->material,
                             &body->regions[r].material);
            region = sn_yaml_node(&scene->yaml, region)->next;
        }
    }
    for (int c = 0; c < content->collider_count; ++c) {
        SnSceneShape *shape = &content->colliders[c].shape;
        shape->shape.kind = (SinewShapeKind)shape->kind;
    }
}

static SinewStatus list_files(SinewScene *scene, SinewError *error)
{
    SnSceneContent *content = &scene->content;
    size_t most =
        (size_t)content->body_count + (size_t)content->collider_count + (size_t)content->cut_count;
    for (int b = 0; b < content->body_count; ++b) {
        most += (size_t)sn_scene_hierarchy_count(&content->bodies[b].model);
    }
    scene->files = sn_keep_alloc(&scene->keep, most, sizeof *scene->files, error);
    if (scene->files == NULL) {
        return SINEW_ERROR_MEMORY;
    }
    for (int b = 0; b < content->body_count; ++b) {
        if (content->bodies[b].shape.file != NULL) {
            scene->files[scene->file_count++] = content->bodies[b].shape.file;
        }
        const SnSceneModel *model = &content->bodies[b].model;
        for (int m = 0; m < sn_scene_hierarchy_count(model); ++m) {
            scene->files[scene->file_count++] = model->hierarchy[m].file;
        }
    }
    for (int c = 0; c < content->collider_count; ++c) {
        if (content->colliders[c].shape.file != NULL) {
            scene->files[scene->file_count++] = content->colliders[c].shape.file;
        }
    }
    for (int c = 0; c < content->cut_count; ++c) {
        if (content->cuts[c].file != NULL) {
            scene->files[scene->file_count++] = content->cuts[c].file;
        }
    }
    return SINEW_OK;
}

static SinewStatus parse(SinewScene *scene, const char *text, size_t size, const char *folder,
                         const SinewOverride *overrides, int override_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(keep_overrides(scene, overrides, override_count, error));
    SN_TRY(sn_yaml_parse(&scene->yaml, text, size, SN_YAML_NONE, &scene->yaml.root, error));
    for (int i = 0; i < override_count; ++i) {
        SN_TRY(sn_override_apply(&scene->yaml, i, error));
    }
    SnReading reading = {.yaml = &scene->yaml, .keep = &scene->keep, .folder = folder};
    SN_TRY(sn_table_read(&reading, &sn_scene_table, scene->yaml.root, &scene->content, error));
    SN_TRY(name_bodies(scene, error));
    SN_TRY(sn_copies_expand(scene, error));
    SN_TRY(sn_check_scene(&scene->yaml, &scene->content, error));
    complete(scene);
    SN_TRY(list_files(scene, error));
done:
    return status;
}

SinewStatus sinew_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                              const SinewOverride *overrides, int override_count,
                              const SinewAllocator *allocator, SinewScene **out_scene,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewScene *scene = NULL;
    if (out_scene == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "out_scene is NULL, expected a place for it");
    }
    *out_scene = NULL;
    if (text == NULL || name == NULL || override_count < 0 ||
        (overrides == NULL && override_count > 0)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the text, the name or the overrides of a scene are NULL or negative");
    }
    SN_ALLOC_ZERO(scene, allocator, 1, error);
    scene->allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    scene->keep = sn_keep_of(&scene->allocator);
    scene->yaml = sn_yaml_of("", NULL, &scene->allocator);
    scene->yaml.name = sn_keep_text(&scene->keep, NULL, name, error);
    SN_TRY(scene->yaml.name != NULL ? SINEW_OK : SINEW_ERROR_MEMORY);
    SN_TRY(parse(scene, text, size, folder, overrides, override_count, error));
    *out_scene = scene;
    scene = NULL;
done:
    sinew_scene_destroy(scene);
    return status;
}

SinewStatus sinew_scene_load(const char *path, const SinewOverride *overrides, int override_count,
                             const SinewAllocator *allocator, SinewScene **out_scene,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    char *folder = NULL;
    if (out_scene == NULL || path == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the path or out_scene is NULL, expected a file and a place for the scene");
    }
    *out_scene = NULL;
    SN_TRY(sn_bytes_open(path, allocator, &bytes, error));
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    SN_ALLOC_ZERO(folder, allocator, length + 1, error);
    memcpy(folder, path, length);
    SN_TRY(sinew_scene_parse((const char *)bytes.data, bytes.size, path, folder, overrides,
                             override_count, allocator, out_scene, error));
done:
    sn_free(allocator, folder);
    sn_bytes_close(&bytes);
    return status;
}

void sinew_scene_destroy(SinewScene *scene)
{
    if (scene == NULL) {
        return;
    }
    SinewAllocator allocator = scene->allocator;
    sn_yaml_release(&scene->yaml);
    sn_keep_release(&scene->keep);
    sn_free(&allocator, scene);
}

// ---- what it says -----------------------------------------------------------------------------

SinewSceneSettings sinew_scene_settings(const SinewScene *scene)
{
    const SnSceneContent *content = &scene->content;
    return (SinewSceneSettings){
        .is_static = content->world.is_static,
        .dt = content->world.dt,
        .steps = content->world.steps,
        .load_steps = content->world.load_steps,
        .tolerance = content->world.tolerance,
        .output_every = content->output_every,
        .formats = (unsigned)content->formats,
        .body_count = content->body_count,
        .collider_count = content->collider_count,
        .probe_count = content->probe_count,
        .file_count = scene->file_count,
        .cut_count = content->cut_count,
    };
}

const char *sinew_scene_body_name(const SinewScene *scene, int index)
{
    bool good = index >= 0 && index < scene->content.body_count;
    return good ? scene->content.bodies[index].name : NULL;
}

const char *sinew_scene_probe_name(const SinewScene *scene, int index)
{
    bool good = index >= 0 && index < scene->content.probe_count;
    return good ? scene->content.probes[index].name : NULL;
}

SinewReport sinew_scene_probe_report(const SinewScene *scene, int index)
{
    bool good = index >= 0 && index < scene->content.probe_count;
    return good ? (SinewReport)scene->content.probes[index].report : SINEW_REPORT_POSITION;
}

const char *sinew_scene_file(const SinewScene *scene, int index)
{
    return index >= 0 && index < scene->file_count ? scene->files[index] : NULL;
}

SinewBodyId sinew_scene_body_id(const SinewScene *scene, int index)
{
    bool good = index >= 0 && index < scene->content.body_count;
    return good ? scene->content.bodies[index].id : (SinewBodyId){0};
}

SinewProbeId sinew_scene_probe_id(const SinewScene *scene, int index)
{
    bool good = index >= 0 && index < scene->content.probe_count;
    return good ? scene->content.probes[index].id : (SinewProbeId){0};
}

double sinew_scene_cut_time(const SinewScene *scene, int index)
{
    bool good = index >= 0 && index < scene->content.cut_count;
    return good ? scene->content.cuts[index].at : INFINITY;
}

int sinew_scene_cut_body(const SinewScene *scene, int index)
{
    bool good = index >= 0 && index < scene->content.cut_count;
    return good ? scene->content.cuts[index].body_index : -1;
}
