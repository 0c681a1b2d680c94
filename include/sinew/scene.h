// Scene files: a YAML text that says a whole simulation, from the bodies' shapes to the pictures
// wanted, and becomes a world. The keys are in doc/scenes.md, which `sinew help scene` prints too.
//
//     SinewScene *scene;
//     sinew_scene_load("beam.yaml", NULL, 0, NULL, &scene, &error);
//     sinew_scene_build(scene, NULL, &world, &error);
//     SinewSceneSettings settings = sinew_scene_settings(scene);
//     for (int i = 0; i < settings.steps; ++i) sinew_world_step(world, settings.dt, &error);
//
// A scene that was read is checked: keys, types, ranges, references. What only the bodies can tell
// (a file that is not there, a pin that holds nothing) is told when the world is built. Sentences
// begin with file and line.
#ifndef SINEW_SCENE_H
#define SINEW_SCENE_H

#include "sinew/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// A scene in memory; no meshes, only what the text says. Made by sinew_scene_load or
// sinew_scene_parse, ended by sinew_scene_destroy.
typedef struct SinewScene SinewScene;

// One value that replaces or joins what the text says. The path is made of keys and indices with
// dots between; the value is YAML, such as 3, lattice or [0, 1, 0]. Where the path leads to a place
// that the text leaves out and that scenes know, it is made; an index one past the last adds to a
// list.
typedef struct SinewOverride {
    const char *path;  // "bodies.0.model.kind"
    const char *value; // "newton"
} SinewOverride;

// Formats of frames, to be combined.
typedef enum SinewOutput {
    SINEW_OUTPUT_VTU = 1 << 0,
    SINEW_OUTPUT_OBJ = 1 << 1,
    SINEW_OUTPUT_PLY = 1 << 2,
    SINEW_OUTPUT_PC2 = 1 << 3,
    SINEW_OUTPUT_GLB = 1 << 4,
    SINEW_OUTPUT_PNG = 1 << 5,
    SINEW_OUTPUT_SHEET = 1 << 6 // a contact sheet, which comes with all others too
} SinewOutput;

// What a program that runs the scene must know.
typedef struct SinewSceneSettings {
    int is_static;      // 1: solve at t = 1/load_steps, 2/load_steps ... 1; 0: step
    double dt;          // s, of a step
    int steps;          // of a dynamic scene
    int load_steps;     // of a static scene
    double tolerance;   // for sinew_world_solve_static; 0: the models' own
    int output_every;   // steps between frames, at least 1
    unsigned formats;   // SinewOutput, combined; 0: nothing but probes
    int body_count;     //
    int collider_count; //
    int probe_count;    //
    int file_count;     // meshes that it names
    int cut_count;      //
} SinewSceneSettings;

// Reads a scene from a file of at most 16 MB. Meshes with relative names are looked for in the
// file's folder, when the world is built. SINEW_ERROR_FILE: the file cannot be read, or the
// sentence has its line (error->index too), the key, the value and what was expected.
// SINEW_ERROR_ARGUMENT: an override is wrong, and is named. SINEW_ERROR_UNSUPPORTED: this build
// reads no scenes. On failure *out_scene is NULL. Nullable: overrides (where override_count is 0),
// allocator, error
SINEW_API SinewStatus sinew_scene_load(const char *path, const SinewOverride *overrides,
                                       int override_count, const SinewAllocator *allocator,
                                       SinewScene **out_scene, SinewError *error);

// The same from `size` bytes of text in memory. `name` stands for the file in sentences; meshes
// with relative names are looked for in `folder`. Nothing is kept of the arguments. Nullable:
// folder (the current one), overrides, allocator, error
SINEW_API SinewStatus sinew_scene_parse(const char *text, size_t size, const char *name,
                                        const char *folder, const SinewOverride *overrides,
                                        int override_count, const SinewAllocator *allocator,
                                        SinewScene **out_scene, SinewError *error);

// Nullable: scene
SINEW_API void sinew_scene_destroy(SinewScene *scene);

SINEW_API SinewSceneSettings sinew_scene_settings(const SinewScene *scene);

// Makes a world of the scene: reads the meshes it names, adds bodies, pins, loads, colliders and
// probes in the order of the text. `host` gives the number of workers, the allocator and the tasks;
// what else it says is the scene's business. Failures name the line of what could not be made;
// *out_world is then NULL. The scene may be built again, and may end before the world.
// Nullable: host, error
SINEW_API SinewStatus sinew_scene_build(SinewScene *scene, const SinewWorldDef *host,
                                        SinewWorld **out_world, SinewError *error);

// When a cut is due, s: before the first step that begins at that time or later; of a static scene
// before the first load step from that pseudo-time on. Which body it cuts, counted from 0.
// INFINITY and -1 for an index out of range.
SINEW_API double sinew_scene_cut_time(const SinewScene *scene, int index);
SINEW_API int sinew_scene_cut_body(const SinewScene *scene, int index);

// Makes a cut of the scene in the world that was built last, as sinew_body_cut does; reads its
// surface. Cuts are not made by stepping: a program that runs a scene makes them in their order,
// between steps. Failures name the line. Nullable: out_report, error
SINEW_API SinewStatus sinew_scene_cut(const SinewScene *scene, SinewWorld *world, int index,
                                      SinewCutReport *out_report, SinewError *error);

// Names as the text gives them, "body0" and so on where it gives none; valid as long as the scene.
// NULL for an index out of range.
SINEW_API const char *sinew_scene_body_name(const SinewScene *scene, int index);
SINEW_API const char *sinew_scene_probe_name(const SinewScene *scene, int index);

// What the probe reports; its number of values is that of the report. SINEW_REPORT_POSITION for an
// index out of range.
SINEW_API SinewReport sinew_scene_probe_report(const SinewScene *scene, int index);

// Files that the scene names, in order, each with its folder; NULL for an index out of range.
SINEW_API const char *sinew_scene_file(const SinewScene *scene, int index);

// Ids in the world that was built last; zero before the first, and for an index out of range.
SINEW_API SinewBodyId sinew_scene_body_id(const SinewScene *scene, int index);
SINEW_API SinewProbeId sinew_scene_probe_id(const SinewScene *scene, int index);

// A hash of everything that decides the run and what it writes: all values, defaults included, and
// the bytes of the meshes. Two texts that mean the same have the same. The number of steps is not
// in it, so that a run can be made longer. SINEW_ERROR_FILE: a mesh cannot be read. Nullable: error
SINEW_API SinewStatus sinew_scene_hash(const SinewScene *scene, uint64_t *out_hash,
                                       SinewError *error);

#ifdef __cplusplus
}
#endif

#endif
