// From a scene to a world, through the public API alone. What the world refuses is told with the
// line of the scene that asked for it.
#include "scene/scene.h"

#include <string.h>

// Puts the place in the text in front of what the world said. A wrong value is the file's fault.
static SinewStatus blame(const SinewScene *scene, int node, SinewStatus status, SinewError *error)
{
    if (status != SINEW_ERROR_ARGUMENT && status != SINEW_ERROR_FILE) {
        return status;
    }
    SinewError said = *error;
    return sn_yaml_fail(&scene->yaml, sn_yaml_node(&scene->yaml, node)->line, error, "%.170s",
                        said.text);
}

// ---- bodies -----------------------------------------------------------------------------------

static void take_frames(const SnSceneModel *model, SinewFramesDef *frames)
{
    double tolerance = model->tolerance > 0.0 ? model->tolerance : frames->tolerance;
    bool paper = model->mode == SN_SCENE_PAPER;
    *frames = model->frames;
    frames->mode = paper ? SINEW_FRAMES_PAPER : SINEW_FRAMES_FITTED;
    frames->integrator = (SinewIntegrator)model->integrator;
    frames->mass = (SinewMass)model->mass;
    frames->tolerance = tolerance;
    frames->max_iterations = model->max_iterations;
    frames->image = model->voxel.image;
}

static void take_model(const SnSceneModel *model, SinewBodyDef *def)
{
    SinewIntegrator integrator = (SinewIntegrator)model->integrator;
    int element = sn_scene_element(model);
    def->model = (SinewModelKind)model->kind;
    if (def->model == SINEW_MODEL_LATTICE) {
        def->lattice.element = (SinewLatticeElement)(element - SN_SCENE_WILSON);
        def->lattice.integrator = integrator;
        def->lattice.tolerance = model->tolerance > 0.0 ? model->tolerance : def->lattice.tolerance;
        def->lattice.max_iterations = model->max_iterations;
        def->lattice.differential = model->lattice.differential;
        def->lattice.cycle = model->lattice.cycle;
        def->lattice.smoother = model->lattice.smoother;
        def->lattice.fill = model->lattice.fill;
        return;
    }
    if (def->model == SINEW_MODEL_VOXEL) {
        double tolerance = def->voxel.tolerance;
        def->voxel = model->voxel;
        def->voxel.mode = model->mode == SN_SCENE_PAPER ? SINEW_VOXEL_PAPER : SINEW_VOXEL_CONDENSED;
        def->voxel.integrator = integrator;
        def->voxel.newton = model->split.newton;
        def->voxel.pcg = model->split.pcg;
        def->voxel.solver = (SinewVoxelSolver)model->split.solver; // the same words
        def->voxel.tolerance = model->tolerance > 0.0 ? model->tolerance : tolerance;
        def->voxel.max_iterations = model->max_iterations;
        return;
    }
    if (def->model == SINEW_MODEL_FRAMES) {
        take_frames(model, &def->frames);
        return;
    }
    if (def->model == SINEW_MODEL_SPLIT) {
        def->split = model->split;
        def->split.mode = model->mode == SN_SCENE_PAPER ? SINEW_SPLIT_PAPER : SINEW_SPLIT_IMPLICIT;
        def->split.integrator = integrator;
        return;
    }
    if (def->model == SINEW_MODEL_TETMG) {
        def->tetmg = model->tetmg;
        def->tetmg.integrator = integrator;
        def->tetmg.mode = model->mode == SN_SCENE_PAPER ? SINEW_TETMG_PAPER : SINEW_TETMG_IMPLICIT;
        def->tetmg.accuracy = model->split.accuracy;
        def->tetmg.newton = model->split.newton;
        def->tetmg.pcg = model->split.pcg;
        return;
    }
    def->newton.element = (SinewElement)element;
    def->newton.integrator = integrator;
    def->newton.mass = (SinewMass)model->mass;
    def->newton.tolerance = model->tolerance > 0.0 ? model->tolerance : def->newton.tolerance;
    def->newton.max_iterations = model->max_iterations;
}

static SinewBodyDef body_def_of(const SnSceneBody *body)
{
    SinewBodyDef def = sinew_body_def_default();
    const SnSceneShape *shape = &body->shape;
    def.name = body->name;
    def.shape = shape->shape;
    def.resolution = shape->resolution;
    memcpy(def.cells, shape->cells, sizeof def.cells);
    def.box_tets = (SinewBoxTets)shape->box_tets;
    take_model(&body->model, &def);
    def.material = body->material;
    def.regions = body->regions;
    def.region_count = body->region_count;
    def.pose = body->pose;
    memcpy(def.linear_velocity, body->linear, sizeof def.linear_velocity);
    memcpy(def.angular_velocity, body->angular, sizeof def.angular_velocity);
    def.start = (SinewStart)body->start;
    def.start_seed = body->start_seed;
    return def;
}

// The mesh that was read last: copies of a body have the same.
typedef struct Meshes {
    const char *file; // NULL: none yet
    int kind;         // of the shape
    SinewSurface *surface;
    SinewTets *tets;
} Meshes;

static void release_meshes(Meshes *meshes)
{
    sinew_surface_destroy(meshes->surface);
    sinew_tets_destroy(meshes->tets);
    *meshes = (Meshes){0};
}

static SinewStatus read_mesh(const SinewScene *scene, const SnSceneShape *shape, Meshes *meshes,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool same = meshes->file != NULL && shape->file != NULL && meshes->kind == shape->kind &&
                strcmp(meshes->file, shape->file) == 0;
    if (same) {
        return SINEW_OK;
    }
    release_meshes(meshes);
    if (shape->kind == SN_SCENE_SURFACE) {
        SN_TRY(sinew_surface_load(shape->file, &scene->allocator, &meshes->surface, error));
    } else if (shape->kind == SN_SCENE_TETS) {
        SN_TRY(sinew_tets_load(shape->file, &scene->allocator, &meshes->tets, error));
    }
    meshes->file = shape->file;
    meshes->kind = shape->kind;
done:
    return status;
}

// The meshes of tetmg's coarse levels; *out_count are to be destroyed in either case.
static SinewStatus read_hierarchy(const SinewScene *scene, const SnSceneBody *body,
                                  SinewTets *out_tets[SINEW_TETMG_HIERARCHY_MAX], int *out_count,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSceneModel *model = &body->model;
    for (int m = 0; m < sn_scene_hierarchy_count(model); ++m) {
        const SnSceneFile *file = &model->hierarchy[m];
        status = m < SINEW_TETMG_HIERARCHY_MAX
                     ? sinew_tets_load(file->file, &scene->allocator, &out_tets[m], error)
                     : sn_fail(error, SINEW_ERROR_ARGUMENT,
                               "model.hierarchy has %d meshes, expected at most %d",
                               model->hierarchy_count, SINEW_TETMG_HIERARCHY_MAX);
        SN_TRY(blame(scene, file->item.node, status, error));
        *out_count = m + 1;
    }
done:
    return status;
}

static SinewStatus add_body(SinewScene *scene, SnSceneBody *body, Meshes *meshes, SinewWorld *world,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewBodyDef def = body_def_of(body);
    SinewTets *coarse[SINEW_TETMG_HIERARCHY_MAX] = {NULL};
    int shape = body->shape.item.node;
    SN_TRY(blame(scene, shape, read_mesh(scene, &body->shape, meshes, error), error));
    SN_TRY(read_hierarchy(scene, body, coarse, &def.tetmg.hierarchy_count, error));
    def.surface = meshes->surface;
    def.tets = meshes->tets;
    def.tetmg.hierarchy = (const SinewTets *const *)coarse;
    status = sinew_world_add_body(world, &def, &body->id, error);
    SN_TRY(blame(scene, body->item.node, status, error));
done:
    for (int m = 0; m < SINEW_TETMG_HIERARCHY_MAX; ++m) {
        sinew_tets_destroy(coarse[m]);
    }
    return status;
}

static SinewStatus add_pin(const SinewScene *scene, const SnSceneBody *body, SnScenePin *pin,
                           SinewWorld *world, SinewError *error)
{
    SinewPinDef def = sinew_pin_def_default();
    def.body = body->id;
    def.within = pin->within;
    memcpy(def.axes, pin->axes, sizeof def.axes);
    def.on_surface = pin->on_surface;
    def.keys = pin->keys;
    def.key_count = pin->key_count;
    return blame(scene, pin->item.node, sinew_world_add_pin(world, &def, &pin->id, error), error);
}

static SinewStatus add_load(const SinewScene *scene, const SnSceneBody *body,
                            const SnSceneLoad *load, SinewWorld *world, SinewError *error)
{
    SinewLoadId id;
    SinewLoadDef def = sinew_load_def_default();
    def.body = body->id;
    def.within = load->within;
    memcpy(def.force, load->force, sizeof def.force);
    memcpy(def.traction, load->traction, sizeof def.traction);
    def.ramp = load->ramp;
    def.ramp_count = load->ramp_count;
    return blame(scene, load->item.node, sinew_world_add_load(world, &def, &id, error), error);
}

static SinewStatus add_attachment(const SinewScene *scene, const SnSceneBody *body,
                                  SnSceneAttachment *attachment, SinewWorld *world,
                                  SinewError *error)
{
    SinewAttachmentDef def = sinew_attachment_def_default();
    def.body = body->id;
    if (attachment->kind == SN_SCENE_TIED_WITHIN) {
        def.within = attachment->within;
    } else {
        def.points = attachment->points[0].at; // nothing but three numbers each
        def.point_count = attachment->point_count;
    }
    def.stiffness = attachment->stiffness;
    memcpy(def.normal, attachment->normal, sizeof def.normal);
    def.across = attachment->across;
    def.keys = attachment->keys;
    def.key_count = attachment->key_count;
    return blame(scene, attachment->item.node,
                 sinew_world_add_attachment(world, &def, &attachment->id, error), error);
}

static SinewStatus add_bodies(SinewScene *scene, SinewWorld *world, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Meshes meshes = {0};
    for (int b = 0; b < scene->content.body_count; ++b) {
        SnSceneBody *body = &scene->content.bodies[b];
        SN_TRY(add_body(scene, body, &meshes, world, error));
        for (int p = 0; p < body->pin_count; ++p) {
            SN_TRY(add_pin(scene, body, &body->pins[p], world, error));
        }
        for (int l = 0; l < body->load_count; ++l) {
            SN_TRY(add_load(scene, body, &body->loads[l], world, error));
        }
        for (int a = 0; a < body->attachment_count; ++a) {
            SN_TRY(add_attachment(scene, body, &body->attachments[a], world, error));
        }
    }
done:
    release_meshes(&meshes);
    return status;
}

// ---- colliders and probes ---------------------------------------------------------------------

static SinewStatus add_collider(const SinewScene *scene, const SnSceneCollider *collider,
                                SinewWorld *world, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewSurface *surface = NULL;
    SinewColliderId id;
    SinewColliderDef def = sinew_collider_def_default();
    def.shape = collider->shape.shape;
    def.friction = collider->friction;
    def.keys = collider->keys;
    def.key_count = collider->key_count;
    if (collider->shape.file != NULL) {
        SN_TRY(sinew_surface_load(collider->shape.file, &scene->allocator, &surface, error));
    }
    def.shape.surface = surface;
    SN_TRY(sinew_world_add_collider(world, &def, &id, error));
done:
    sinew_surface_destroy(surface);
    return blame(scene, collider->shape.item.node, status, error);
}

static SinewStatus add_probe(const SinewScene *scene, SnSceneProbe *probe, SinewWorld *world,
                             SinewError *error)
{
    const SnSceneBody *body = &scene->content.bodies[probe->body_index];
    SinewProbeDef def = sinew_probe_def_default();
    def.body = body->id;
    def.report = (SinewReport)probe->report;
    def.has_point = probe->report <= SINEW_REPORT_FORCE && probe->vertex < 0;
    memcpy(def.point, probe->point, sizeof def.point);
    def.vertex = probe->vertex;
    def.on_surface = probe->on_surface;
    if (probe->pin >= 0) {
        def.pin = body->pins[probe->pin].id;
    }
    if (probe->attachment >= 0) {
        def.attachment = body->attachments[probe->attachment].id;
    }
    return blame(scene, probe->item.node, sinew_world_add_probe(world, &def, &probe->id, error),
                 error);
}

static SinewStatus add_the_rest(SinewScene *scene, SinewWorld *world, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < scene->content.collider_count; ++c) {
        SN_TRY(add_collider(scene, &scene->content.colliders[c], world, error));
    }
    for (int p = 0; p < scene->content.probe_count; ++p) {
        SN_TRY(add_probe(scene, &scene->content.probes[p], world, error));
    }
done:
    return status;
}

// ---- cuts -------------------------------------------------------------------------------------

static SinewStatus make_cut(const SinewScene *scene, const SnSceneCut *cut, SinewWorld *world,
                            SinewCutReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewSurface *surface = NULL;
    SinewCutDef def = sinew_cut_def_default();
    memcpy(def.point, cut->point, sizeof def.point);
    memcpy(def.normal, cut->normal, sizeof def.normal);
    def.radius = cut->radius;
    def.at_rest = cut->at_rest;
    def.removes = cut->removes;
    if (cut->kind == SN_SCENE_BLADE_SURFACE) {
        SN_TRY(sinew_surface_load(cut->file, &scene->allocator, &surface, error));
    }
    def.surface = surface;
    SN_TRY(
        sinew_body_cut(world, scene->content.bodies[cut->body_index].id, &def, out_report, error));
done:
    sinew_surface_destroy(surface);
    return blame(scene, cut->item.node, status, error);
}

SinewStatus sinew_scene_cut(const SinewScene *scene, SinewWorld *world, int index,
                            SinewCutReport *out_report, SinewError *error)
{
    SinewError local = {0};
    SinewError *said = error != NULL ? error : &local;
    if (scene == NULL || index < 0 || index >= scene->content.cut_count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the scene is NULL or has no cut %d, expected 0 to %d", index,
                       scene != NULL ? scene->content.cut_count - 1 : -1);
    }
    return make_cut(scene, &scene->content.cuts[index], world, out_report, said);
}

// ---- the world --------------------------------------------------------------------------------

static SinewWorldDef world_def_of(const SnSceneContent *content, const SinewWorldDef *host)
{
    SinewWorldDef def = host != NULL ? *host : sinew_world_def_default();
    memcpy(def.gravity, content->world.gravity, sizeof def.gravity);
    def.determinism = (SinewDeterminism)content->world.determinism;
    def.max_solves = content->world.max_solves;
    def.contact_stiffness = content->contact.stiffness;
    def.contact_friction = content->contact.friction;
    def.contact_points = (SinewContactPoints)content->contact.points;
    return def;
}

SinewStatus sinew_scene_build(SinewScene *scene, const SinewWorldDef *host, SinewWorld **out_world,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorld *world = NULL;
    SinewError local = {0};
    // The place in the text is put in front of what the world says, which needs a text to change.
    SinewError *said = error != NULL ? error : &local;
    if (scene == NULL || out_world == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the scene or out_world is NULL");
    }
    *out_world = NULL;
    SinewWorldDef def = world_def_of(&scene->content, host);
    SN_TRY(sinew_world_create(&def, &world, said));
    SN_TRY(add_bodies(scene, world, said));
    SN_TRY(add_the_rest(scene, world, said));
    *out_world = world;
    world = NULL;
done:
    sinew_world_destroy(world);
    return status;
}
