// What a good scene becomes in memory: every shape and every default, overrides, the hash, the
// reference page, and every allocation failing once.
#include "support/test.h"

#include "scene/scene.h"
#include "scene/schema.h"
#include "support/fail_allocator.h"

#include <dirent.h>

#define HEAD "sinew: 1\nbodies:\n  - name: b\n    shape: {sphere: {radius: 1}}\n"

static SinewScene *read_with(const char *text, const SinewOverride *overrides, int count)
{
    SinewScene *scene = NULL;
    SinewError error = {.text = ""};
    if (sinew_scene_parse(text, strlen(text), "s.yaml", "folder", overrides, count, NULL, &scene,
                          &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return scene;
}

static SinewScene *read_text(const char *text)
{
    return read_with(text, NULL, 0);
}

static uint64_t hash_of(const char *text)
{
    SinewScene *scene = read_text(text);
    uint64_t hash = 0;
    assert_int_equal(sinew_scene_hash(scene, &hash, NULL), SINEW_OK);
    sinew_scene_destroy(scene);
    return hash;
}

static void defaults_are_those_of_the_page(void **state)
{
    (void)state;
    SinewScene *scene = read_text("sinew: 1\nbodies: [{shape: {sphere: {radius: 1}}}]\n");
    SinewSceneSettings settings = sinew_scene_settings(scene);
    assert_int_equal(settings.is_static, 0);
    assert_true(settings.dt == 0.01 && settings.steps == 100 && settings.output_every == 1);
    assert_true(settings.tolerance == 0 && settings.load_steps == 10);
    assert_int_equal(settings.formats, SINEW_OUTPUT_SHEET);
    assert_string_equal(sinew_scene_body_name(scene, 0), "body0");
    assert_null(sinew_scene_body_name(scene, 1));
    assert_null(sinew_scene_probe_name(scene, -1));
    const SnSceneBody *body = &scene->content.bodies[0];
    assert_true(body->material.law == SINEW_LAW_COROTATED && body->material.young == 1e6);
    assert_true(body->material.poisson == 0.3 && body->material.density == 1000);
    // 0: the model's own.
    assert_true(body->model.tolerance == 0 && body->model.max_iterations == 60);
    assert_true(body->pose.scale == 1 && body->pose.axis[1] == 1);
    assert_int_equal(body->shape.resolution, 0);
    assert_true(scene->content.world.gravity[1] == -9.81);
    assert_true(scene->content.contact.friction == 0.3);
    sinew_scene_destroy(scene);
}

static void numbers_are_read_in_every_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"5", 5},           {"5.", 5},
                 {"0.5", 0.5},       {".5", 0.5},
                 {"+5e2", 500},      {"1.0e6", 1e6},
                 {"1e6", 1e6},       {"1E+6", 1e6},
                 {"1.5e-3", 1.5e-3}, {"123456789012345678", 123456789012345678.0}};
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        char text[200];
        snprintf(text, sizeof text, HEAD "    material: {young: %s}\n", cases[i].text);
        SinewScene *scene = read_text(text);
        assert_true(scene->content.bodies[0].material.young == cases[i].value);
        sinew_scene_destroy(scene);
    }
    SinewScene *scene = read_text(HEAD "world: {steps: 1e3}\n");
    assert_int_equal(sinew_scene_settings(scene).steps, 1000);
    sinew_scene_destroy(scene);
}

static void every_shape_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        int kind;
    } cases[] = {
        {"{box: {min: [0,0,0], max: [1,1,1], cells: [1,2,3], tets: kuhn}}", SINEW_SHAPE_BOX},
        {"{surface: a.ply, resolution: 32}", SN_SCENE_SURFACE},
        {"{tets: a.msh}", SN_SCENE_TETS},
        {"{sphere: {center: [1,2,3], radius: 2, resolution: 4}}", SINEW_SHAPE_SPHERE},
        {"{ellipsoid: {radii: [1,2,3]}}", SINEW_SHAPE_ELLIPSOID},
        {"{capsule: {from: [0,0,0], to: [0,1,0], radius: 1}}", SINEW_SHAPE_CAPSULE},
        {"{cylinder: {from: [0,0,0], to: [0,1,0], radius: 1}}", SINEW_SHAPE_CYLINDER},
        {"{cone: {from: [0,0,0], to: [0,1,0], radius: 1, top: 0.5}}", SINEW_SHAPE_CONE},
        {"{torus: {radius: 2, tube: 1}}", SINEW_SHAPE_TORUS},
        {"{blob: {parts: [{sphere: {radius: 1}}, {torus: {radius: 2, tube: 1}}], smooth: 0.1}}",
         SINEW_SHAPE_BLOB},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        char text[300];
        snprintf(text, sizeof text, "sinew: 1\nbodies: [{shape: %s}]\n", cases[i].shape);
        SinewScene *scene = read_text(text);
        const SnSceneShape *shape = &scene->content.bodies[0].shape;
        assert_int_equal(shape->kind, cases[i].kind);
        bool is_file = cases[i].kind >= SN_SCENE_SURFACE;
        assert_int_equal(shape->shape.kind, is_file ? SINEW_SHAPE_NONE : cases[i].kind);
        assert_int_equal(sinew_scene_settings(scene).file_count, is_file);
        sinew_scene_destroy(scene);
    }
}

static void shapes_keep_their_numbers(void **state)
{
    (void)state;
    SinewScene *scene =
        read_text("sinew: 1\n"
                  "bodies:\n"
                  "  - shape: {blob: {parts: [{box: {min: [0,0,0], max: [1,1,1]}},\n"
                  "                           {torus: {center: [1,2,3], radius: 2, tube: 1}}],\n"
                  "                   smooth: 0.25, resolution: 7}}\n"
                  "  - shape: {box: {min: [0,0,0], max: [1,2,3], cells: [4,5,6], tets: kuhn}}\n"
                  "  - shape: {surface: \"a b.ply\", resolution: 9}\n"
                  "    model: {kind: tetmg, mode: paper, hierarchy: [{tets: c.msh}]}\n"
                  "colliders: [{mesh: /far/funnel.obj}, {sphere: {radius: 2}, friction: 0.25}]\n");
    const SnSceneShape *blob = &scene->content.bodies[0].shape;
    assert_int_equal(blob->shape.part_count, 2);
    assert_true(blob->shape.smooth == 0.25 && blob->resolution == 7);
    assert_int_equal(blob->shape.parts[0].kind, SINEW_SHAPE_BOX);
    assert_true(blob->shape.parts[0].max[2] == 1);
    assert_true(blob->shape.parts[1].center[2] == 3 && blob->shape.parts[1].tube == 1);
    assert_true(blob->shape.parts[1].axis[1] == 1);
    const SnSceneShape *box = &scene->content.bodies[1].shape;
    assert_true(box->cells[0] == 4 && box->cells[2] == 6 && box->box_tets == SINEW_BOX_KUHN);
    assert_int_equal(scene->content.bodies[2].shape.resolution, 9);
    assert_string_equal(sinew_scene_file(scene, 0), "folder/a b.ply");
    assert_string_equal(sinew_scene_file(scene, 1), "folder/c.msh");
    assert_string_equal(sinew_scene_file(scene, 2), "/far/funnel.obj");
    assert_null(sinew_scene_file(scene, 3));
    assert_int_equal(scene->content.colliders[0].shape.shape.kind, SINEW_SHAPE_MESH);
    assert_true(scene->content.colliders[0].friction == -1);
    assert_true(scene->content.colliders[1].friction == 0.25);
    sinew_scene_destroy(scene);
}

static const char full[] =
    "sinew: 1\n"
    "world: {gravity: [0, 0, -1], mode: static, load_steps: 5, tolerance: 1.0e-9,\n"
    "        determinism: portable}\n"
    "bodies:\n"
    "  - name: beam\n"
    "    shape: {box: {min: [0,0,0], max: [1,0.2,0.2], resolution: 20}}\n"
    "    model: {kind: newton, element: hex, integrator: newmark, mass: consistent,\n"
    "            tolerance: 1e-8, max_iterations: 7}\n"
    "    material: {law: svk, young: 2.0e6, poisson: 0.4, density: 900,\n"
    "               damping: {mass: 0.5, stiffness: 0.25}}\n"
    "    regions:\n"
    "      - {within: {box: {min: [0,0,0], max: [1,1,1]}}, material: {young: 5}}\n"
    "      - {within: all, material: {law: linear, damping: {mass: 0.125}}}\n"
    "    pose: {translate: [1,2,3], rotate: {axis: [0,0,2], degrees: 90}, scale: 2}\n"
    "    velocity: {linear: [1,0,0], angular: [0,0,4]}\n"
    "    start: flattened\n"
    "    pins:\n"
    "      - {within: {vertices: [3, 1, 2]}, axes: zx, on_surface: true}\n"
    "      - within: {sphere: {center: [1,0,0], radius: 0.5}}\n"
    "        move: [{t: 0}, {t: 1, translate: [0.5,0,0],\n"
    "                        rotate: {axis: [1,0,0], degrees: 180, about: [0,0.1,0.1]}}]\n"
    "    loads:\n"
    "      - {within: all, force: [0,-100,0], ramp: [{t: 0, scale: 0}, {t: 1, scale: 2}]}\n"
    "      - {within: {box: {min: [0,0,0], max: [0,1,1]}}, traction: [0,-1000,0]}\n"
    "    attachments:\n"
    "      - {within: all, stiffness: 50, normal: [0,2,0], across: 0.25,\n"
    "         move: [{t: 0}]}\n"
    "      - {points: [{at: [1,2,3]}, {at: [4,5,6]}]}\n"
    "colliders:\n"
    "  - {plane: {normal: [0,1,0], offset: 0.5}, friction: 0.5, move: [{t: 0}]}\n"
    "contact: {bodies: true, self: false, stiffness: 1.0e6, friction: 0.2}\n"
    "probes:\n"
    "  - {name: tip, body: beam, point: [1,0.1,0.1], report: displacement}\n"
    "  - {name: foot, body: beam, vertex: 88, report: force}\n"
    "  - {name: root, body: beam, pin: 1, report: reaction}\n"
    "  - {name: touch, report: contact}\n"
    "  - {name: pull, body: beam, attachment: 1, report: attachment}\n"
    "output: {every: 3, formats: [vtu, pc2, png]}\n";

static void everything_is_stored(void **state)
{
    (void)state;
    SinewScene *scene = read_text(full);
    SinewSceneSettings settings = sinew_scene_settings(scene);
    assert_true(settings.is_static == 1 && settings.load_steps == 5 && settings.tolerance == 1e-9);
    assert_int_equal(settings.formats, SINEW_OUTPUT_VTU | SINEW_OUTPUT_PC2 | SINEW_OUTPUT_PNG);
    assert_int_equal(settings.output_every, 3);
    assert_int_equal(scene->content.world.determinism, SINEW_PORTABLE);
    const SnSceneBody *body = &scene->content.bodies[0];
    assert_int_equal(body->model.element, SINEW_ELEMENT_HEX);
    assert_int_equal(body->model.integrator, SINEW_INTEGRATOR_NEWMARK);
    assert_int_equal(body->model.mass, SINEW_MASS_CONSISTENT);
    assert_int_equal(body->model.max_iterations, 7);
    assert_true(body->material.law == SINEW_LAW_SVK && body->material.damping_stiffness == 0.25);
    assert_true(body->pose.degrees == 90 && body->pose.axis[2] == 2 && body->pose.scale == 2);
    assert_true(body->linear[0] == 1 && body->angular[2] == 4);
    assert_int_equal(body->start, SINEW_START_FLATTENED);
    assert_int_equal(body->pin_count, 2);
    assert_int_equal(body->pins[0].within.kind, SINEW_REGION_VERTICES);
    assert_true(body->pins[0].within.vertex_count == 3 && body->pins[0].within.vertices[0] == 3);
    assert_true(body->pins[0].axes[0] == 1 && body->pins[0].axes[1] == 0);
    assert_true(body->pins[0].on_surface == 1 && body->pins[1].on_surface == 0);
    assert_true(body->pins[1].axes[1] == 1 && body->pins[1].key_count == 2);
    assert_true(body->pins[1].keys[0].axis[1] == 1 && body->pins[1].keys[1].degrees == 180);
    assert_true(body->pins[1].keys[1].about[2] == 0.1 && body->pins[1].keys[1].translate[0] == 0.5);
    assert_true(body->loads[0].force[1] == -100 && body->loads[0].ramp[1].scale == 2);
    assert_true(body->loads[1].traction[1] == -1000 && body->loads[1].ramp_count == 0);
    assert_int_equal(body->loads[0].within.kind, SINEW_REGION_ALL);
    assert_int_equal(body->attachment_count, 2);
    assert_int_equal(body->attachments[0].within.kind, SINEW_REGION_ALL);
    assert_true(body->attachments[0].stiffness == 50 && body->attachments[0].normal[1] == 2);
    assert_true(body->attachments[0].across == 0.25);
    assert_int_equal(body->attachments[0].key_count, 1);
    assert_int_equal(body->attachments[1].point_count, 2);
    assert_true(body->attachments[1].points[1].at[2] == 6 && body->attachments[1].key_count == 0);
    assert_true(body->attachments[1].stiffness == 1000);
    assert_int_equal(scene->content.colliders[0].key_count, 1);
    assert_true(scene->content.colliders[0].shape.shape.offset == 0.5);
    assert_true(scene->content.contact.stiffness == 1e6);
    sinew_scene_destroy(scene);
}

static void probes_are_stored(void **state)
{
    (void)state;
    SinewScene *scene = read_text(full);
    const SnSceneProbe *probes = scene->content.probes;
    assert_int_equal(sinew_scene_settings(scene).probe_count, 5);
    assert_true(probes[0].point[0] == 1 && probes[0].vertex == -1);
    assert_true(probes[1].vertex == 88 && probes[1].on_surface == 1); // forces are on the surface
    assert_int_equal(probes[2].pin, 1);
    assert_int_equal(probes[3].body_index, 0);
    assert_true(probes[4].attachment == 1 && probes[3].attachment == -1);
    assert_string_equal(sinew_scene_probe_name(scene, 2), "root");
    assert_int_equal(sinew_scene_probe_report(scene, 2), SINEW_REPORT_REACTION);
    assert_int_equal(sinew_scene_probe_id(scene, 0).index1, 0);
    assert_int_equal(sinew_scene_body_id(scene, 7).index1, 0);
    sinew_scene_destroy(scene);
}

static void regions_take_over_what_they_do_not_say(void **state)
{
    (void)state;
    SinewScene *scene = read_text(full);
    const SinewMaterialRegion *regions = scene->content.bodies[0].regions;
    assert_true(regions[0].material.young == 5 && regions[0].material.law == SINEW_LAW_SVK);
    assert_true(regions[0].material.damping_mass == 0.5);
    assert_true(regions[1].material.law == SINEW_LAW_LINEAR && regions[1].material.young == 2e6);
    assert_true(regions[1].material.damping_mass == 0.125);
    assert_true(regions[1].material.damping_stiffness == 0.25);
    sinew_scene_destroy(scene);
}

static void frames_are_stored(void **state)
{
    (void)state;
    SinewScene *scene = read_text(
        "sinew: 1\nbodies:\n  - name: b\n    shape: {sphere: {radius: 1}}\n    model: {kind: "
        "frames, "
        "frame_kind: affine, image: a.nii, density_image: b.nii, weights: linear,\n"
        "      frames: [{at: [0, 0, 0]}, {at: [1, 0, 0], parent: 1, sleeps: 2}]}\n  - name: c\n"
        "    shape: {sphere: {radius: 1}}\n    model: {kind: frames, skeleton: c.glb}\n");
    const SnSceneModel *model = &scene->content.bodies[0].model;
    assert_int_equal(model->frames.kind, SINEW_FRAME_AFFINE);
    assert_non_null(strstr(model->voxel.image, "a.nii"));
    assert_non_null(strstr(model->frames.density_image, "b.nii"));
    assert_int_equal(model->frames.frame_count, 2);
    assert_int_equal(model->frames.frames[0].parent1, 0);
    assert_int_equal(model->frames.frames[1].parent1, 1);
    assert_true(model->frames.frames[1].sleeps == 2.0);
    assert_non_null(strstr(scene->content.bodies[1].model.frames.skeleton, "c.glb"));
    sinew_scene_destroy(scene);
}

static void overrides_replace_and_add(void **state)
{
    (void)state;
    const SinewOverride overrides[] = {
        {"world.gravity", "[1, 2, 3]"},
        {"world.gravity.1", "7"},
        {"bodies.0.material.young", "5e3"},
        {"bodies.0.name", "'renamed'"},
        {"bodies.0.pins.0.within", "all"},
        {"bodies.1.shape.box", "{min: [0,0,0], max: [1,1,1]}"},
        {"output.formats", "[glb]"},
        {"output.formats.1", "obj"},
        {"probes.0.name", "p"},
        {"probes.0.body", "renamed"},
        {"probes.0.report", "energy"},
        {"bodies.0.pins.0.within.sphere.radius", "2"},
        {"contact", "{friction: 0.75}"},
    };
    SinewScene *scene = read_with(HEAD, overrides, SN_COUNT(overrides));
    const SnSceneContent *content = &scene->content;
    assert_true(content->world.gravity[0] == 1 && content->world.gravity[1] == 7);
    assert_true(content->bodies[0].material.young == 5e3);
    assert_string_equal(content->bodies[0].name, "renamed");
    assert_int_equal(content->bodies[0].pins[0].within.kind, SINEW_REGION_SPHERE);
    assert_int_equal(content->body_count, 2);
    assert_int_equal(content->formats, SINEW_OUTPUT_GLB | SINEW_OUTPUT_OBJ);
    assert_int_equal(content->probes[0].report, SINEW_REPORT_ENERGY);
    assert_true(content->contact.friction == 0.75);
    sinew_scene_destroy(scene);
}

// One word changes the method: what the file says for the kind it had is left out, and what the
// new kind takes too stays.
static void a_changed_kind_leaves_out_what_is_not_its_own(void **state)
{
    (void)state;
    const char *text = HEAD "    model: {kind: voxel, mode: condensed, newton: 3, hollow: true,\n"
                            "      image: a.nii, tolerance: 1e-4, integrator: bdf2}\n";
    const SinewOverride to_split = {"bodies.0.model.kind", "split"};
    SinewScene *scene = read_with(text, &to_split, 1);
    const SnSceneModel *model = &scene->content.bodies[0].model;
    assert_int_equal(model->kind, SINEW_MODEL_SPLIT);
    assert_int_equal(model->mode, -1);
    assert_int_equal(model->split.newton, 3);
    assert_int_equal(model->integrator, SINEW_INTEGRATOR_BDF2);
    assert_true(model->tolerance == 0.0 && model->voxel.hollow == 0);
    assert_null(model->voxel.image);
    assert_int_equal(sinew_scene_settings(scene).file_count, 0);
    sinew_scene_destroy(scene);
    const SinewOverride to_lattice[] = {{"bodies.0.model.kind", "lattice"},
                                        {"bodies.0.model.element", "mcadams"}};
    text = HEAD "    model: {element: hex, mass: consistent}\n";
    scene = read_with(text, to_lattice, 2);
    assert_int_equal(sn_scene_element(&scene->content.bodies[0].model), SN_SCENE_WILSON + 1);
    sinew_scene_destroy(scene);
    scene = read_with(text, to_lattice, 1);
    assert_int_equal(sn_scene_element(&scene->content.bodies[0].model), SN_SCENE_WILSON);
    sinew_scene_destroy(scene);
    // What overrides bring is meant for the kind that there is then.
    SinewError error = {.text = ""};
    const SinewOverride wrong[] = {{"bodies.0.model.kind", "split"},
                                   {"bodies.0.model.mass", "lumped"}};
    scene = NULL;
    assert_int_equal(
        sinew_scene_parse(text, strlen(text), "s.yaml", NULL, wrong, 2, NULL, &scene, &error),
        SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "bodies.0.model.mass is for kind newton or frames"));
    assert_null(scene);
}

static void hashes_tell_what_matters(void **state)
{
    (void)state;
    uint64_t plain = hash_of(HEAD);
    // The same said otherwise.
    assert_true(plain == hash_of("bodies: [{shape: {sphere: {radius: 1.0, center: [0,0,0]}},\n"
                                 "          'name': \"b\", pins: []}]\nsinew: 1 # as ever\n"));
    assert_true(plain == hash_of(HEAD "world: {steps: 7}\n")); // a run can be made longer
    static const char *const others[] = {
        HEAD "world: {dt: 0.02}\n",
        HEAD "world: {mode: static}\n",
        HEAD "    start: mirrored\n",
        HEAD "    material: {poisson: 0.31}\n",
        HEAD "    pins: [{within: all}]\n",
        HEAD "    pins: [{within: all, axes: xy}]\n",
        HEAD "    pins: [{within: all, on_surface: true}]\n",
        HEAD "    pins: [{within: {vertices: [1]}}]\n",
        HEAD "    pins: [{within: {vertices: [2]}}]\n",
        HEAD "    loads: [{within: all, force: [1,0,0]}]\n",
        HEAD "    loads: [{within: all, traction: [1,0,0]}]\n",
        HEAD "    attachments: [{within: all}]\n",
        HEAD "    attachments: [{points: [{at: [0,0,0]}]}]\n",
        HEAD "    attachments: [{points: [{at: [0,0,1]}]}]\n",
        HEAD "    model: {kind: voxel, split_triangles: true}\n",
        HEAD "    model: {kind: voxel, image: a.raw, image_size: [1, 2, 3]}\n",
        HEAD "    model: {kind: voxel, image: a.raw, image_size: [1, 2, 3], image_type: i16}\n",
        HEAD "    model: {kind: voxel, image: a.raw, image_size: [1, 2, 3], image_bytes: big}\n",
        HEAD "    model: {kind: newton}\n",
        HEAD "    model: {kind: lattice, differential: zhu}\n",
        HEAD "    model: {kind: lattice, cycle: fas}\n",
        HEAD "    model: {kind: lattice, smoother: jacobi}\n",
        HEAD "    model: {kind: lattice, fill: full}\n",
        HEAD "colliders: [{plane: {}}]\n",
        HEAD "colliders: [{plane: {}, move: [{t: 0}]}]\n",
        HEAD "probes: [{name: a, report: energy}]\n",
        HEAD "output: {every: 2}\n",
    };
    uint64_t hashes[SN_COUNT(others)];
    for (int i = 0; i < SN_COUNT(others); ++i) {
        hashes[i] = hash_of(others[i]);
        assert_true(hashes[i] != plain);
        for (int k = 0; k < i; ++k) {
            assert_true(hashes[i] != hashes[k]);
        }
    }
}

static void files_are_hashed_and_missed(void **state)
{
    (void)state;
    SinewError error = {.text = ""};
    uint64_t hash = 0;
    SinewScene *scene = read_text("sinew: 1\nbodies: [{shape: {surface: not_there.ply}}]\n");
    assert_int_equal(sinew_scene_hash(scene, &hash, &error), SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "folder/not_there.ply"));
    sinew_scene_destroy(scene);
}

static SinewStatus read_full(const SinewAllocator *allocator, void *context, SinewError *error)
{
    (void)context;
    const SinewOverride overrides[] = {{"world.dt", "1"},
                                       {"bodies.1.shape", "{tets: a.msh}"},
                                       {"contact.bodies", "false"},
                                       {"probes.3.body", "beam"}};
    SinewScene *scene = NULL;
    SinewStatus status = sinew_scene_parse(full, strlen(full), "full.yaml", "f", overrides, 4,
                                           allocator, &scene, error);
    assert_true((status == SINEW_OK) == (scene != NULL));
    sinew_scene_destroy(scene);
    return status;
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(read_full, NULL) > 20);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    SinewScene *scene = NULL;
    SinewError error = {.text = ""};
    const SinewOverride half = {"world.dt", NULL};
    assert_int_equal(sinew_scene_parse(NULL, 0, "a", NULL, NULL, 0, NULL, &scene, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_int_equal(sinew_scene_parse("", 0, "a", NULL, NULL, 1, NULL, &scene, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_int_equal(sinew_scene_parse("", 0, "a", NULL, &half, 1, NULL, &scene, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "override 0"));
    assert_int_equal(sinew_scene_load("no such file.yaml", NULL, 0, NULL, &scene, &error),
                     SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "no such file.yaml"));
    assert_int_equal(sinew_scene_load(NULL, NULL, 0, NULL, &scene, &error), SINEW_ERROR_ARGUMENT);
    assert_null(scene);
    sinew_scene_destroy(NULL);
}

// The scenes that come with Sinew, each read from its file.
static void example_scenes_are_good(void **state)
{
    (void)state;
    int count = 0;
    DIR *folder = opendir(SINEW_SCENES_DIR);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *end = strrchr(entry->d_name, '.');
        if (end == NULL || strcmp(end, ".yaml") != 0) {
            continue;
        }
        char path[600];
        SinewScene *scene = NULL;
        SinewError error = {.text = ""};
        snprintf(path, sizeof path, SINEW_SCENES_DIR "/%.200s", entry->d_name);
        if (sinew_scene_load(path, NULL, 0, NULL, &scene, &error) != SINEW_OK) {
            fail_msg("%s", error.text);
        }
        sinew_scene_destroy(scene);
        ++count;
    }
    closedir(folder);
    assert_true(count >= 6);
}

static char *read_all(FILE *file)
{
    assert_non_null(file);
    rewind(file);
    size_t size = 200000;
    char *text = calloc(size, 1);
    assert_non_null(text);
    size_t read = fread(text, 1, size - 1, file);
    assert_true(read < size - 1);
    fclose(file);
    return text;
}

// Which fields a mapping has is kept in 64 bits, and a mapping may have 64 keys.
static void tables_are_small_enough(void **state)
{
    (void)state;
    for (int t = 0; t < sn_scene_table_count; ++t) {
        assert_in_range(sn_scene_tables[t]->field_count, 1, 64);
    }
}

static void the_page_is_the_schema(void **state)
{
    (void)state;
    FILE *made = tmpfile();
    assert_non_null(made);
    sn_scene_print_reference(made);
    char *expected = read_all(made);
    char *found = read_all(fopen(SINEW_DOC_DIR "/scenes.md", "r"));
    if (strcmp(expected, found) != 0) {
        fail_msg("doc/scenes.md is not what the schema says; run: sinew help scene > "
                 "doc/scenes.md");
    }
    free(expected);
    free(found);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(defaults_are_those_of_the_page),
    cmocka_unit_test(numbers_are_read_in_every_spelling),
    cmocka_unit_test(every_shape_is_known),
    cmocka_unit_test(shapes_keep_their_numbers),
    cmocka_unit_test(everything_is_stored),
    cmocka_unit_test(probes_are_stored),
    cmocka_unit_test(regions_take_over_what_they_do_not_say),
    cmocka_unit_test(frames_are_stored),
    cmocka_unit_test(overrides_replace_and_add),
    cmocka_unit_test(a_changed_kind_leaves_out_what_is_not_its_own),
    cmocka_unit_test(hashes_tell_what_matters),
    cmocka_unit_test(files_are_hashed_and_missed),
    cmocka_unit_test(each_allocation_fails_once),
    cmocka_unit_test(misuse_is_refused),
    cmocka_unit_test(example_scenes_are_good),
    cmocka_unit_test(tables_are_small_enough),
    cmocka_unit_test(the_page_is_the_schema),
};
SN_TEST_GROUP(scene_read, tests);
