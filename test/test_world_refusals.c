// Every misuse of the public API that we could think of gets a status and a sentence that names it,
// and leaves the world as it was. Each table is a switch: one line spoils a good def and says which
// words the sentence must hold.
#include "support/test.h"
#include "support/worlds.h"

#include "base/memory.h"

#include <math.h>

// A world with one of everything.
typedef struct Scene {
    SinewWorld *world;
    SinewBodyId body, other;
    SinewPinId pin, gone_pin;
    SinewPinId other_pin;
} Scene;

static int refusals; // seen in all tables so far

// Spoils the def at `context` in the `which`-th way and returns the words; NULL when there is no
// such way.
typedef const char *SpoilFn(const Scene *scene, int which, void *def);

// clang-format off
#define SPOIL(number, statement, words) case number: statement; return words
// clang-format on

static Scene make_scene(void)
{
    Scene s = {.world = world_make(1)};
    s.body = world_add_box(s.world, 1.0, 2);
    s.other = world_add_box(s.world, 1.0, 1);
    s.pin = world_hold(s.world, s.body, region_box(0, 0, 0, 0, 1, 1));
    s.other_pin = world_hold(s.world, s.other, region_box(0, 0, 0, 0, 1, 1));
    s.gone_pin = world_hold(s.world, s.body, region_box(1, 0, 0, 1, 1, 1));
    SinewError error;
    expect_done(sinew_world_remove_pin(s.world, s.gone_pin, &error), &error);
    world_add_floor(s.world, -1.0);
    world_probe(s.world, s.body, SINEW_REPORT_ENERGY);
    return s;
}

static void expect_refused(SinewStatus status, const SinewError *error, const char *words)
{
    if (status >= 0) {
        fail_msg("was not refused, expected words \"%s\"", words);
    }
    assert_int_equal(error->status, status);
    if (strstr(error->text, words) == NULL) {
        fail_msg("says \"%s\", expected words \"%s\"", error->text, words);
    }
    ++refusals;
}

// The state's bytes tell whether anything changed.
static unsigned char *save_all(const SinewWorld *world, size_t *out_size)
{
    SinewError error;
    *out_size = sinew_world_state_size(world);
    unsigned char *bytes = malloc(*out_size);
    expect_done(sinew_world_save(world, bytes, *out_size, &error), &error);
    return bytes;
}

static void expect_unchanged(const SinewWorld *world, const unsigned char *before, size_t size)
{
    size_t now_size;
    unsigned char *now = save_all(world, &now_size);
    assert_int_equal(now_size, size);
    assert_memory_equal(now, before, size);
    free(now);
}

// Worlds
// -------------------------------------------------------------------------------------------

static void *refuse_allocation(void *context, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    return NULL;
}

static const char *spoil_world(int which, SinewWorldDef *d)
{
    switch (which) {
        SPOIL(0, d->struct_size = 0, "sinew_world_def_default()");
        SPOIL(1, d->struct_size += 8, "struct_size");
        SPOIL(2, d->gravity[1] = NAN, "gravity is [0, nan, 0]");
        SPOIL(3, d->gravity[0] = INFINITY, "gravity");
        SPOIL(4, d->contact_stiffness = -1.0, "contact_stiffness is -1");
        SPOIL(5, d->contact_stiffness = NAN, "contact_stiffness is nan");
        SPOIL(6, d->contact_friction = -0.5, "contact_friction is -0.5");
        SPOIL(7, d->worker_count = 0, "worker_count is 0, expected 1 to 256");
        SPOIL(8, d->worker_count = 100000, "worker_count is 100000");
        SPOIL(9, d->determinism = (SinewDeterminism)7, "determinism is 7");
        SPOIL(10, d->allocator.allocate = refuse_allocation, "has no release");
    default:
        return NULL;
    }
}

static void worlds_are_refused(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = (SinewWorld *)&error;
    for (int which = 0;; ++which) {
        SinewWorldDef def = sinew_world_def_default();
        const char *words = spoil_world(which, &def);
        if (words == NULL) {
            break;
        }
        world = (SinewWorld *)&error;
        expect_refused(sinew_world_create(&def, &world, &error), &error, words);
        assert_null(world);
        assert_true(sinew_world_create(&def, &world, NULL) < 0); // no error wanted is fine
    }
    SinewWorldDef def = sinew_world_def_default();
    expect_refused(sinew_world_create(NULL, &world, &error), &error, "world def is NULL");
    expect_refused(sinew_world_create(&def, NULL, &error), &error, "out_world is NULL");
}

// Bodies
// -------------------------------------------------------------------------------------------

static const SinewShape one_blob = {.kind = SINEW_SHAPE_BLOB};
static const SinewShape one_plane = {.kind = SINEW_SHAPE_PLANE};
static const SinewMaterialRegion soft_nowhere = {.material = {.young = 1.0}};
static const SinewMaterialRegion by_list = {.within = {.kind = SINEW_REGION_VERTICES}};

static SinewMaterialRegion bad_region(double poisson)
{
    SinewMaterialRegion region = {.within = {.kind = SINEW_REGION_ALL},
                                  .material = sinew_material_default()};
    region.material.poisson = poisson;
    return region;
}

static void use_blob(SinewBodyDef *d, const SinewShape *part, int count)
{
    d->shape = sinew_shape_default();
    d->shape.kind = SINEW_SHAPE_BLOB;
    d->shape.parts = part;
    d->shape.part_count = count;
    memset(d->cells, 0, sizeof d->cells);
}

static void use_sphere(SinewBodyDef *d, double radius)
{
    d->shape = sinew_shape_default();
    d->shape.kind = SINEW_SHAPE_SPHERE;
    d->shape.radius = radius;
    memset(d->cells, 0, sizeof d->cells);
}

static const char *spoil_shape(int which, SinewBodyDef *d)
{
    switch (which) {
        SPOIL(0, d->struct_size = 1, "sinew_body_def_default()");
        SPOIL(1, d->shape.kind = SINEW_SHAPE_NONE, "none of shape, surface and tets are set");
        SPOIL(2, d->shape.max[1] = -1.0, "along y");
        SPOIL(3, d->shape.max[0] = NAN, "max of a box");
        SPOIL(4, d->cells[0] = 0, "cells is [0, 2, 2]");
        SPOIL(5, d->cells[2] = -3, "cells is [2, 2, -3]");
        SPOIL(6, d->cells[1] = 2000000000, "33554432 at most");
        SPOIL(7, d->resolution = -1, "resolution is -1, expected 1 to 1024");
        SPOIL(8, d->resolution = 1000000, "resolution is 1000000");
        SPOIL(9, use_sphere(d, -2.0), "radius of a sphere is -2");
        SPOIL(10, use_sphere(d, 1.0); d->cells[0] = 3, "the shape is no box");
        SPOIL(11, use_blob(d, &one_blob, 1), "part 0 is a blob");
        SPOIL(12, use_blob(d, &one_plane, 1), "plane");
        SPOIL(13, use_blob(d, NULL, 0), "blob");
        SPOIL(14, use_blob(d, NULL, 3), "blob");
        SPOIL(15, d->shape.kind = SINEW_SHAPE_PLANE;
              d->cells[0] = d->cells[1] = d->cells[2] = 0, "planes are for colliders");
        SPOIL(16, d->shape.kind = (SinewShapeKind)99;
              d->cells[0] = d->cells[1] = d->cells[2] = 0, "kind 99");
        SPOIL(17, d->box_tets = (SinewBoxTets)5, "box_tets is 5");
    case 18:
        // Where the machine has the memory there is nothing to refuse.
        if (sn_machine_memory() < 1000.0 * 322 * 322 * 322) {
            d->cells[0] = d->cells[1] = d->cells[2] = 322;
            return "which take more than 33.4 GB of memory";
        }
        return NULL;
    default:
        return NULL;
    }
}

static const char *spoil_matter(int which, SinewBodyDef *d)
{
    static SinewMaterialRegion region;
    region = bad_region(0.5);
    switch (which) {
        SPOIL(0, d->material.density = -1000.0, "density is -1000");
        SPOIL(1, d->material.density = 0.0, "density is 0");
        SPOIL(2, d->material.young = NAN, "young");
        SPOIL(3, d->material.young = -1.0, "young");
        SPOIL(4, d->material.poisson = 0.5, "poisson is 0.5");
        SPOIL(5, d->material.poisson = -1.0, "poisson is -1");
        SPOIL(6, d->material.damping_mass = -1.0, "damping_mass is -1");
        SPOIL(7, d->material.damping_stiffness = NAN, "damping_stiffness is nan");
        SPOIL(8, d->material.law = (SinewLaw)77, "law");
        SPOIL(9, d->region_count = 2, "regions is NULL");
        SPOIL(10, d->region_count = -1, "count of regions is -1");
        SPOIL(11, d->regions = &soft_nowhere; d->region_count = 1, "material region 0 of body");
        SPOIL(12, d->regions = &by_list; d->region_count = 1, "list of vertices");
        SPOIL(13, d->regions = &region; d->region_count = 1, "material region 0 of body");
        SPOIL(14, d->model = (SinewModelKind)9, "model is 9");
        SPOIL(15, d->newton.tolerance = -1.0, "tolerance of newton is -1");
        SPOIL(16, d->newton.max_iterations = 0, "max_iterations of newton is 0");
        SPOIL(17, d->newton.element = (SinewElement)3, "element of newton is 3");
        SPOIL(18, d->newton.integrator = (SinewIntegrator)-1, "integrator of newton is -1");
        SPOIL(19, d->newton.mass = (SinewMass)2, "mass of newton is 2");
    default:
        return NULL;
    }
}

static const char *spoil_pose(int which, SinewBodyDef *d)
{
    switch (which) {
        SPOIL(0, d->pose.scale = 0.0, "scale is 0");
        SPOIL(1, d->pose.scale = -1.0, "scale is -1");
        SPOIL(2, d->pose.axis[1] = 0.0, "axis is [0, 0, 0]");
        SPOIL(3, d->pose.degrees = NAN, "degrees is nan");
        SPOIL(4, d->pose.translate[2] = INFINITY, "translate");
        SPOIL(5, d->linear_velocity[0] = NAN, "linear_velocity is [nan, 0, 0]");
        SPOIL(6, d->angular_velocity[1] = INFINITY, "angular_velocity");
        SPOIL(7, d->start = (SinewStart)12, "start is 12");
    default:
        return NULL;
    }
}

typedef const char *SpoilBodyFn(int which, SinewBodyDef *def);

static void expect_bodies_refused(SpoilBodyFn *spoil)
{
    SinewError error;
    Scene s = make_scene();
    size_t size;
    unsigned char *before = save_all(s.world, &size);
    for (int which = 0;; ++which) {
        SinewBodyDef def = world_box_def(1.0, 2);
        def.name = "jelly";
        const char *words = spoil(which, &def);
        if (words == NULL) {
            break;
        }
        SinewBodyId body = {0};
        expect_refused(sinew_world_add_body(s.world, &def, &body, &error), &error, words);
        assert_int_equal(body.index1, 0);
    }
    expect_unchanged(s.world, before, size);
    free(before);
    sinew_world_destroy(s.world);
}

static void shapes_are_refused(void **state)
{
    (void)state;
    expect_bodies_refused(spoil_shape);
}

static void matter_is_refused(void **state)
{
    (void)state;
    expect_bodies_refused(spoil_matter);
}

static void poses_are_refused(void **state)
{
    (void)state;
    expect_bodies_refused(spoil_pose);
}

static void two_shapes_are_refused(void **state)
{
    (void)state;
    SinewError error;
    Scene s = make_scene();
    const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int tet[] = {0, 1, 2, 3};
    SinewTetsDef tets_def = sinew_tets_def_default();
    tets_def.positions = positions;
    tets_def.vertex_count = 4;
    tets_def.tets = tet;
    tets_def.tet_count = 1;
    SinewTets *tets = NULL;
    expect_done(sinew_tets_create(&tets_def, &tets, &error), &error);
    SinewBodyDef def = world_box_def(1.0, 2);
    def.tets = tets;
    SinewBodyId body;
    expect_refused(sinew_world_add_body(s.world, &def, &body, &error), &error,
                   "two of shape, surface and tets");
    sinew_tets_destroy(tets);

    def = world_box_def(1.0, 2);
    expect_refused(sinew_world_add_body(NULL, &def, &body, &error), &error, "world is NULL");
    expect_refused(sinew_world_add_body(s.world, NULL, &body, &error), &error, "body def is NULL");
    expect_refused(sinew_world_add_body(s.world, &def, NULL, &error), &error, "out_body is NULL");
    sinew_world_destroy(s.world);
}

// Pins, loads, colliders, probes
// --------------------------------------------------------------------

static const int far_vertex[] = {0, 1000};
static SinewKey late_keys[2], odd_key, flat_key;
static const SinewRampKey late_ramp[] = {{1.0, 0.0}, {0.5, 1.0}};
static const SinewRampKey odd_ramp[] = {{0.0, NAN}};

static void fill_keys(void)
{
    late_keys[0] = late_keys[1] = odd_key = flat_key = sinew_key_default();
    late_keys[0].t = 2.0;
    late_keys[1].t = 1.0;
    odd_key.translate[0] = NAN;
    flat_key.axis[1] = 0.0;
}

static const char *spoil_pin(const Scene *s, int which, void *def)
{
    SinewPinDef *d = def;
    d->body = s->body;
    d->within = region_box(1, 0, 0, 1, 1, 1);
    switch (which) {
        SPOIL(0, d->struct_size = 3, "sinew_pin_def_default()");
        SPOIL(1, d->body.index1 = 0, "body id is zero");
        SPOIL(2, d->body.generation = 9, "stale");
        SPOIL(3, d->body.index1 = 77, "body id is 77");
        SPOIL(4, d->within = region_box(5, 5, 5, 6, 6, 6), "holds none of the 27 vertices");
        SPOIL(5, d->within.kind = SINEW_REGION_NONE, "pin 1 of body");
        SPOIL(6, d->within.min[0] = NAN, "finite");
        SPOIL(7, d->within.min[0] = 2.0, "along x");
        SPOIL(8, d->within.kind = SINEW_REGION_SPHERE, "radius");
        SPOIL(9, d->within.kind = (SinewRegionKind)17, "kind 17");
        SPOIL(10, d->within.kind = SINEW_REGION_VERTICES, "vertices");
        SPOIL(11, d->within.kind = SINEW_REGION_VERTICES; d->within.vertices = far_vertex;
              d->within.vertex_count = 2, "vertex 1000");
        SPOIL(12, d->axes[0] = d->axes[1] = d->axes[2] = 0, "axes is [0, 0, 0]");
        SPOIL(13, d->key_count = 2, "keys");
        SPOIL(14, d->keys = late_keys; d->key_count = 2, "expected times that ascend");
        SPOIL(15, d->keys = &odd_key; d->key_count = 1, "nan");
        SPOIL(16, d->keys = &flat_key; d->key_count = 1, "axis is [0, 0, 0]");
        SPOIL(17, d->within.min[0] = 0.0, "which pin 0 holds already");
    default:
        return NULL;
    }
}

static const char *spoil_load(const Scene *s, int which, void *def)
{
    SinewLoadDef *d = def;
    d->body = s->body;
    d->within = region_box(1, 0, 0, 1, 1, 1);
    d->force[0] = 1.0;
    switch (which) {
        SPOIL(0, d->struct_size = 0, "sinew_load_def_default()");
        SPOIL(1, d->body.index1 = 0, "body id is zero");
        SPOIL(2, d->force[0] = 0.0, "both force and traction are zero");
        SPOIL(3, d->traction[1] = 1.0, "neither of force and traction");
        SPOIL(4, d->force[0] = NAN, "force is [nan, 0, 0]");
        SPOIL(5, d->traction[0] = INFINITY, "traction");
        SPOIL(6, d->within = region_box(5, 5, 5, 6, 6, 6), "no triangle of the surface and no");
        SPOIL(7, d->within = region_box(0.4, 0.4, 0.4, 0.6, 0.6, 0.6); d->force[0] = 0.0;
              d->traction[0] = 1.0, "which a traction needs");
        SPOIL(8, d->within.kind = SINEW_REGION_NONE, "load 0 of body");
        SPOIL(9, d->ramp = late_ramp; d->ramp_count = 2, "expected times that ascend");
        SPOIL(10, d->ramp = odd_ramp; d->ramp_count = 1, "scale");
        SPOIL(11, d->ramp_count = 1, "ramp");
    default:
        return NULL;
    }
}

static const char *spoil_collider(const Scene *s, int which, void *def)
{
    (void)s;
    SinewColliderDef *d = def;
    d->shape.kind = SINEW_SHAPE_SPHERE;
    d->shape.radius = 1.0;
    switch (which) {
        SPOIL(0, d->struct_size = 0, "sinew_collider_def_default()");
        SPOIL(1, d->shape.kind = SINEW_SHAPE_NONE, "collider 1");
        SPOIL(2, d->shape.kind = SINEW_SHAPE_TORUS, "expected a plane, sphere, box, capsule or");
        SPOIL(3, d->shape.kind = SINEW_SHAPE_MESH, "surface of the mesh is NULL");
        SPOIL(4, d->friction = NAN, "friction is nan");
        SPOIL(5, d->keys = late_keys; d->key_count = 2, "expected times that ascend");
        SPOIL(6, d->key_count = 1, "keys");
        SPOIL(7, d->shape.radius = -1.0, "radius");
        SPOIL(8, d->shape.kind = SINEW_SHAPE_PLANE; d->shape.normal[1] = 0.0, "normal");
        SPOIL(9, d->shape.kind = SINEW_SHAPE_BOX; d->shape.max[0] = -1.0, "box");
    default:
        return NULL;
    }
}

static const char *spoil_probe(const Scene *s, int which, void *def)
{
    SinewProbeDef *d = def;
    d->body = s->body;
    d->has_point = 1;
    switch (which) {
        SPOIL(0, d->struct_size = 0, "sinew_probe_def_default()");
        SPOIL(1, d->body.generation = 5, "stale");
        SPOIL(2, d->report = (SinewReport)40, "report is 40");
        SPOIL(3, d->point[0] = 4.0, "[4, 0, 0] is 3 m outside the body");
        SPOIL(4, d->point[0] = NAN, "point is [nan, 0, 0]");
        SPOIL(5, d->has_point = 0, "no place is said");
        SPOIL(6, d->vertex = 3, "both a point and a vertex");
        SPOIL(7, d->has_point = 0; d->vertex = 27, "vertex is 27, expected 0 to 26");
        SPOIL(8, d->has_point = 0; d->vertex = -2, "vertex is -2");
        SPOIL(9, d->has_point = 0; d->vertex = 26; d->on_surface = 1, "0 to 25, of the surface");
        SPOIL(10, d->report = SINEW_REPORT_FORCE, "vertex of the surface");
        SPOIL(11, d->report = SINEW_REPORT_REACTION, "pin id is zero");
        SPOIL(12, d->report = SINEW_REPORT_REACTION; d->pin = s->gone_pin, "stale");
        SPOIL(13, d->report = SINEW_REPORT_REACTION; d->pin = s->other_pin, "its pin holds body");
    default:
        return NULL;
    }
}

typedef union AnyId {
    SinewPinId pin;
    SinewLoadId load;
    SinewColliderId collider;
    SinewProbeId probe;
} AnyId;

typedef union AnyDef {
    SinewPinDef pin;
    SinewLoadDef load;
    SinewColliderDef collider;
    SinewProbeDef probe;
} AnyDef;

enum { PIN, LOAD, COLLIDER, PROBE, KIND_COUNT };

static SpoilFn *const spoils[KIND_COUNT] = {spoil_pin, spoil_load, spoil_collider, spoil_probe};

static AnyDef good_def(int kind)
{
    switch (kind) {
    case PIN:
        return (AnyDef){.pin = sinew_pin_def_default()};
    case LOAD:
        return (AnyDef){.load = sinew_load_def_default()};
    case COLLIDER:
        return (AnyDef){.collider = sinew_collider_def_default()};
    default:
        return (AnyDef){.probe = sinew_probe_def_default()};
    }
}

static SinewStatus add(SinewWorld *world, int kind, const AnyDef *def, AnyId *id, SinewError *error)
{
    switch (kind) {
    case PIN:
        return sinew_world_add_pin(world, def ? &def->pin : NULL, id ? &id->pin : NULL, error);
    case LOAD:
        return sinew_world_add_load(world, def ? &def->load : NULL, id ? &id->load : NULL, error);
    case COLLIDER:
        return sinew_world_add_collider(world, def ? &def->collider : NULL,
                                        id ? &id->collider : NULL, error);
    default:
        return sinew_world_add_probe(world, def ? &def->probe : NULL, id ? &id->probe : NULL,
                                     error);
    }
}

static void things_are_refused(void **state)
{
    (void)state;
    SinewError error;
    Scene s = make_scene();
    AnyId id;
    size_t size;
    unsigned char *before = save_all(s.world, &size);
    fill_keys();
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        for (int which = 0;; ++which) {
            AnyDef def = good_def(kind);
            const char *words = spoils[kind](&s, which, &def);
            if (words == NULL) {
                break;
            }
            expect_refused(add(s.world, kind, &def, &id, &error), &error, words);
            assert_true(add(s.world, kind, &def, &id, NULL) < 0);
        }
        AnyDef def = good_def(kind);
        expect_refused(add(NULL, kind, &def, &id, &error), &error, "the world is NULL");
        expect_refused(add(s.world, kind, NULL, &id, &error), &error, "def is NULL");
        expect_refused(add(s.world, kind, &def, NULL, &error), &error, "is NULL");
    }
    expect_unchanged(s.world, before, size);
    free(before);
    world_steps(s.world, 1, 0.01);
    sinew_world_destroy(s.world);
}

// Calls
// --------------------------------------------------------------------------------------------

static void ids_are_refused(void **state)
{
    (void)state;
    SinewError error;
    Scene s = make_scene();
    SinewWorld *w = s.world;
    double values[SINEW_REPORT_VALUES_MAX];
    int count;
    expect_refused(sinew_world_remove_pin(w, s.gone_pin, &error), &error, "stale");
    expect_refused(sinew_world_remove_pin(w, (SinewPinId){0}, &error), &error, "pin id is zero");
    expect_refused(sinew_world_remove_pin(NULL, s.pin, &error), &error, "world is NULL");
    expect_refused(sinew_world_remove_body(w, (SinewBodyId){9, 1}, &error), &error, "id is 9");
    expect_refused(sinew_world_remove_body(NULL, s.body, &error), &error, "world is NULL");
    expect_refused(sinew_world_remove_load(w, (SinewLoadId){1, 1}, &error), &error, "load id");
    expect_refused(sinew_world_remove_load(NULL, (SinewLoadId){1, 1}, &error), &error, "NULL");
    expect_refused(sinew_world_remove_collider(w, (SinewColliderId){1, 2}, &error), &error,
                   "collider id 1, generation 2, is stale");
    expect_refused(sinew_world_remove_collider(NULL, (SinewColliderId){1, 1}, &error), &error,
                   "NULL");
    expect_refused(sinew_world_remove_probe(w, (SinewProbeId){0}, &error), &error, "probe id");
    expect_refused(sinew_world_remove_probe(NULL, (SinewProbeId){0}, &error), &error, "NULL");
    expect_refused(sinew_world_read_probe(w, (SinewProbeId){3, 1}, values, &count, &error), &error,
                   "probe id is 3");
    expect_refused(sinew_world_read_probe(w, (SinewProbeId){1, 1}, NULL, &count, &error), &error,
                   "values is NULL");
    expect_refused(sinew_world_read_probe(w, (SinewProbeId){1, 1}, values, NULL, &error), &error,
                   "out_count is NULL");
    expect_refused(sinew_world_read_probe(NULL, (SinewProbeId){1, 1}, values, &count, &error),
                   &error, "world is NULL");
    sinew_world_destroy(w);
}

static void steps_are_refused(void **state)
{
    (void)state;
    SinewError error;
    Scene s = make_scene();
    const double wrong[] = {0.0, -0.01, NAN, INFINITY};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        expect_refused(sinew_world_step(s.world, wrong[i], &error), &error, "seconds is");
    }
    expect_refused(sinew_world_step(NULL, 0.01, &error), &error, "world is NULL");
    expect_refused(sinew_world_step(s.world, 1e9, &error), &error, "seconds is 1e+09");
    expect_refused(sinew_world_solve_static(s.world, -1.0, 0.0, &error), &error, "t is -1");
    expect_refused(sinew_world_solve_static(s.world, NAN, 0.0, &error), &error, "t is nan");
    expect_refused(sinew_world_solve_static(s.world, 1.0, NAN, &error), &error, "tolerance is nan");
    expect_refused(sinew_world_solve_static(s.world, 1.0, 2.0, &error), &error, "tolerance is 2");
    expect_refused(sinew_world_solve_static(NULL, 1.0, 0.0, &error), &error, "world is NULL");
    assert_true(sinew_world_time(s.world) == 0.0);
    assert_int_equal(sinew_world_step_count(s.world), 0);
    sinew_world_destroy(s.world);
}

// What cannot answer a status answers nothing.
static void stale_bodies_lend_nothing(void **state)
{
    (void)state;
    Scene s = make_scene();
    SinewError error;
    expect_done(sinew_world_remove_body(s.world, s.body, &error), &error);
    assert_int_equal(sinew_body_surface(s.world, s.body).count, 0);
    assert_int_equal(sinew_body_normals(s.world, s.body).count, 0);
    assert_int_equal(sinew_body_triangles(s.world, s.body).count, 0);
    assert_int_equal(sinew_body_mesh(s.world, s.body).vertex_count, 0);
    assert_null(sinew_body_info(s.world, s.body).name);
    assert_int_equal(sinew_body_surface(NULL, s.body).count, 0);
    assert_int_equal(sinew_world_state_size(NULL), 0);
    assert_int_equal(sinew_world_step_count(NULL), 0);
    assert_true(sinew_world_time(NULL) == 0.0);
    assert_int_equal(sinew_world_report(NULL).iterations, 0);
    // Its pins went with it.
    expect_refused(sinew_world_remove_pin(s.world, s.pin, &error), &error, "stale");
    sinew_world_destroy(s.world);
    sinew_world_destroy(NULL);
}

// Last in its group.
static void there_are_many(void **state)
{
    (void)state;
    assert_in_range(refusals, 120, 1000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(worlds_are_refused),        cmocka_unit_test(shapes_are_refused),
    cmocka_unit_test(matter_is_refused),         cmocka_unit_test(poses_are_refused),
    cmocka_unit_test(two_shapes_are_refused),    cmocka_unit_test(things_are_refused),
    cmocka_unit_test(ids_are_refused),           cmocka_unit_test(steps_are_refused),
    cmocka_unit_test(stale_bodies_lend_nothing), cmocka_unit_test(there_are_many),
};

SN_TEST_GROUP(world_refusals, tests);
