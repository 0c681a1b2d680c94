// The tables of the schema, and nothing else: what scenes can say.
#include "scene/schema.h"

#include "scene/check.h"
#include "scene/content.h"
#include "world/check.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define WORDS(name, ...)                                                                           \
    static const char *const name##_words[] = {__VA_ARGS__};                                       \
    static const SnWordList name = {name##_words, COUNT(name##_words)}

// Enumerations are written as int.
_Static_assert(sizeof(SinewLaw) == sizeof(int) && sizeof(SinewElement) == sizeof(int) &&
                   sizeof(SinewShapeKind) == sizeof(int) && sizeof(SinewRegionKind) == sizeof(int),
               "enumerations as large as int");

// ---- words, in the order of their enumerations ------------------------------------------------

WORDS(modes, "dynamic", "static");
WORDS(determinisms, "fast", "portable");
WORDS(contact_points, "thinned", "all");
WORDS(box_tets, "five", "kuhn");
WORDS(split_solvers, "auto", "direct", "multilevel");
WORDS(models, "newton", "split", "lattice", "voxel", "frames", "tetmg");
WORDS(tangents, "exact", "warped", "mixed");
WORDS(products, "stream", "gather", "two-stage", "plain");
WORDS(tet_rotations, "energy", "polar", "smoothed");
WORDS(model_modes, "implicit", "paper", "condensed");
WORDS(image_types, "u8", "u16", "i16", "f32");
WORDS(byte_orders, "little", "big");
WORDS(voxel_stiffness, "nonuniform", "uniform");
WORDS(frame_kinds, "rigid", "affine", "auto");
WORDS(frame_weights, "auto", "linear", "harmonic", "biharmonic", "geodesic");
WORDS(rotations, "apd", "svd", "polar", "qr");
WORDS(elements, "tet", "hex", "wilson", "mcadams", "naive");
WORDS(differentials, "exact", "definite", "warped", "zhu");
WORDS(cycles, "vcycle", "fas");
WORDS(smoothers, "chebyshev", "jacobi");
WORDS(fills, "full", "weighted");
WORDS(integrators, "euler", "bdf2", "newmark");
WORDS(masses, "lumped", "consistent");
WORDS(laws, "linear", "corotated", "fixed_corotated", "svk", "neo_hookean", "stable_neo_hookean",
      "mooney_rivlin");
WORDS(starts, "rest", "mirrored", "flattened", "collapsed", "scrambled");
WORDS(reports, "position", "displacement", "velocity", "force", "mean_displacement", "reaction",
      "energy", "volume", "momentum", "residual", "contact", "attachment", "cuts");
WORDS(blade_places, "now", "rest");
WORDS(formats, "vtu", "obj", "ply", "pc2", "glb", "png", "sheet");

// ---- shapes -----------------------------------------------------------------------------------

#define LENGTH_MAX 1e9 // m; beyond it squares of squares leave the range of double
#define POSITION(name, member, note)                                                               \
    {                                                                                              \
        .key = name, .type = SN_FIELD_VECTOR, .flags = SN_FIELD_REQUIRED, .unit = "m",             \
        .offset = offsetof(SinewShape, member), .least = -LENGTH_MAX, .most = LENGTH_MAX,          \
        .help = note                                                                               \
    }
#define CENTER                                                                                     \
    {                                                                                              \
        .key = "center", .type = SN_FIELD_VECTOR, .unit = "m",                                     \
        .offset = offsetof(SinewShape, center), .least = -LENGTH_MAX, .most = LENGTH_MAX,          \
        .help = "its middle"                                                                       \
    }
#define LENGTH(name, member, note)                                                                 \
    {                                                                                              \
        .key = name, .type = SN_FIELD_NUMBER, .flags = SN_FIELD_REQUIRED | SN_FIELD_ABOVE,         \
        .unit = "m", .offset = offsetof(SinewShape, member), .least = 0, .most = LENGTH_MAX,       \
        .help = note                                                                               \
    }
#define RESOLUTION                                                                                 \
    {                                                                                              \
        .key = "resolution", .type = SN_FIELD_WHOLE, .offset = offsetof(SnSceneShape, resolution), \
        .least = 1, .most = 1024, .absent = "10 with lattice, 16 with the others",                 \
        .help = "cells along the longest side"                                                     \
    }

// Of each, the first fields are those of parts and colliders, which have no cells.
enum {
    BOX_PLAIN = 2,
    SPHERE_PLAIN = 2,
    ELLIPSOID_PLAIN = 2,
    CAPSULE_PLAIN = 3,
    CONE_PLAIN = 4,
    TORUS_PLAIN = 4
};

static const SnField box_fields[] = {
    POSITION("min", min, "its lowest corner"),
    POSITION("max", max, "its highest corner, above `min` on each axis"),
    {.key = "cells",
     .type = SN_FIELD_WHOLES,
     .offset = offsetof(SnSceneShape, cells),
     .least = 1,
     .most = 4096,
     .absent = "from `resolution`",
     .help = "along x, y and z, 33554432 at most in all"},
    RESOLUTION,
    {.key = "tets",
     .type = SN_FIELD_WORD,
     .offset = offsetof(SnSceneShape, box_tets),
     .words = &box_tets,
     .help = "`five` a cell, mirrored in every other; `kuhn`: six around the diagonal from the min "
             "to the max corner"},
};
static const SnField sphere_fields[] = {CENTER, LENGTH("radius", radius, ""), RESOLUTION};
static const SnField ellipsoid_fields[] = {
    CENTER,
    {.key = "radii",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_REQUIRED | SN_FIELD_ABOVE,
     .unit = "m",
     .offset = offsetof(SinewShape, radii),
     .least = 0,
     .most = LENGTH_MAX,
     .help = "along x, y and z"},
    RESOLUTION,
};
static const SnField capsule_fields[] = {
    POSITION("from", from, "middle of one half ball"),
    POSITION("to", to, "middle of the other"),
    LENGTH("radius", radius, ""),
    RESOLUTION,
};
static const SnField cylinder_fields[] = {
    POSITION("from", from, "middle of one end"),
    POSITION("to", to, "middle of the other"),
    LENGTH("radius", radius, ""),
    RESOLUTION,
};
static const SnField cone_fields[] = {
    POSITION("from", from, "middle of the base"),
    POSITION("to", to, "the tip, or the middle of the top"),
    LENGTH("radius", radius, "of the base"),
    {.key = "top",
     .type = SN_FIELD_NUMBER,
     .unit = "m",
     .offset = offsetof(SinewShape, top),
     .least = 0,
     .most = LENGTH_MAX,
     .help = "radius of the top; 0: a tip"},
    RESOLUTION,
};
static const SnField torus_fields[] = {
    CENTER,
    {.key = "axis",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_NOT_ZERO,
     .offset = offsetof(SinewShape, axis),
     .preset = {0, 1, 0},
     .help = "through the hole"},
    LENGTH("radius", radius, "of the circle inside the tube"),
    LENGTH("tube", tube, "radius of the tube, less than `radius`"),
    RESOLUTION,
};

#define SHAPE_TABLE(name, note, checked)                                                           \
    static const SnTable name##_table = {.title = #name,                                           \
                                         .help = note,                                             \
                                         .fields = name##_fields,                                  \
                                         .field_count = COUNT(name##_fields),                      \
                                         .item_offset = SN_NOWHERE,                                \
                                         .choice_offset = SN_NOWHERE,                              \
                                         .check = checked}
#define PLAIN_TABLE(name, count)                                                                   \
    static const SnTable name##_plain_table = {.fields = name##_fields,                            \
                                               .field_count = count,                               \
                                               .item_offset = SN_NOWHERE,                          \
                                               .choice_offset = SN_NOWHERE,                        \
                                               .check = sn_check_##name##_plain}

SHAPE_TABLE(box, "An upright box; its vertices lie exactly on it. One of `cells` and `resolution`.",
            sn_check_box);
SHAPE_TABLE(sphere, "A ball.", NULL);
SHAPE_TABLE(ellipsoid, "A ball with a radius for each axis.", NULL);
SHAPE_TABLE(capsule, "A cylinder with round ends.", NULL);
SHAPE_TABLE(cylinder, "A round rod with flat ends.", sn_check_axle_plain);
SHAPE_TABLE(cone, "A cone, or the lower part of one.", sn_check_axle_plain);
SHAPE_TABLE(torus, "A ring.", sn_check_torus_plain);
#define sn_check_sphere_plain NULL
#define sn_check_ellipsoid_plain NULL
#define sn_check_capsule_plain NULL
#define sn_check_cylinder_plain sn_check_axle_plain
#define sn_check_cone_plain sn_check_axle_plain
PLAIN_TABLE(box, BOX_PLAIN);
PLAIN_TABLE(sphere, SPHERE_PLAIN);
PLAIN_TABLE(ellipsoid, ELLIPSOID_PLAIN);
PLAIN_TABLE(capsule, CAPSULE_PLAIN);
PLAIN_TABLE(cylinder, CAPSULE_PLAIN);
PLAIN_TABLE(cone, CONE_PLAIN);
PLAIN_TABLE(torus, TORUS_PLAIN);

#define CHOOSE(name, its_table, value)                                                             \
    {                                                                                              \
        .key = name, .type = SN_FIELD_GROUP, .flags = SN_FIELD_CHOICE, .table = &its_table,        \
        .choice = value                                                                            \
    }

static const SnField part_fields[] = {
    CHOOSE("box", box_plain_table, SINEW_SHAPE_BOX),
    CHOOSE("sphere", sphere_plain_table, SINEW_SHAPE_SPHERE),
    CHOOSE("ellipsoid", ellipsoid_plain_table, SINEW_SHAPE_ELLIPSOID),
    CHOOSE("capsule", capsule_plain_table, SINEW_SHAPE_CAPSULE),
    CHOOSE("cylinder", cylinder_plain_table, SINEW_SHAPE_CYLINDER),
    CHOOSE("cone", cone_plain_table, SINEW_SHAPE_CONE),
    CHOOSE("torus", torus_plain_table, SINEW_SHAPE_TORUS),
};
static const SnTable part_table = {.title = "part",
                                   .help = "A part of a blob: exactly one of these.",
                                   .fields = part_fields,
                                   .field_count = COUNT(part_fields),
                                   .size = sizeof(SinewShape),
                                   .item_offset = SN_NOWHERE,
                                   .choice_offset = offsetof(SinewShape, kind)};

static const SnField blob_fields[] = {
    {.key = "parts",
     .type = SN_FIELD_LIST,
     .flags = SN_FIELD_REQUIRED | SN_FIELD_NOT_EMPTY,
     .offset = offsetof(SinewShape, parts),
     .count_offset = offsetof(SinewShape, part_count),
     .table = &part_table,
     .help = "what it is made of"},
    {.key = "smooth",
     .type = SN_FIELD_NUMBER,
     .unit = "m",
     .offset = offsetof(SinewShape, smooth),
     .least = 0,
     .most = LENGTH_MAX,
     .help = "over which parts melt together; 0: not at all"},
    RESOLUTION,
};
SHAPE_TABLE(blob, "Parts that melt together: characters without a file.", NULL);

static const SnField shape_fields[] = {
    CHOOSE("box", box_table, SINEW_SHAPE_BOX),
    {.key = "surface",
     .type = SN_FIELD_FILE,
     .flags = SN_FIELD_CHOICE,
     .choice = SN_SCENE_SURFACE,
     .offset = offsetof(SnSceneShape, file),
     .help = "a surface: OBJ, PLY, STL, OFF, 3DS, glTF or GLB, in the scene's folder. Small holes "
             "do no "
             "harm; `voxel` takes open ones as sheets with `hollow`, and lines"},
    {.key = "tets",
     .type = SN_FIELD_FILE,
     .flags = SN_FIELD_CHOICE,
     .choice = SN_SCENE_TETS,
     .offset = offsetof(SnSceneShape, file),
     .help = "a tet mesh: MSH, NODE and ELE, VEG, VTK or VTU, taken as it is"},
    CHOOSE("sphere", sphere_table, SINEW_SHAPE_SPHERE),
    CHOOSE("ellipsoid", ellipsoid_table, SINEW_SHAPE_ELLIPSOID),
    CHOOSE("capsule", capsule_table, SINEW_SHAPE_CAPSULE),
    CHOOSE("cylinder", cylinder_table, SINEW_SHAPE_CYLINDER),
    CHOOSE("cone", cone_table, SINEW_SHAPE_CONE),
    CHOOSE("torus", torus_table, SINEW_SHAPE_TORUS),
    CHOOSE("blob", blob_table, SINEW_SHAPE_BLOB),
    {.key = "resolution",
     .type = SN_FIELD_WHOLE,
     .offset = offsetof(SnSceneShape, resolution),
     .least = 1,
     .most = 1024,
     .absent = "10 with lattice, 16 with the others",
     .help = "cells along the longest side of a `surface`; the others have their own"},
};
static const SnTable shape_table = {.title = "shape",
                                    .help = "What a body looks like: exactly one of these.",
                                    .fields = shape_fields,
                                    .field_count = COUNT(shape_fields),
                                    .item_offset = offsetof(SnSceneShape, item),
                                    .choice_offset = offsetof(SnSceneShape, kind),
                                    .check = sn_check_shape};

// ---- parts of space, and motions --------------------------------------------------------------

static const SnField region_box_fields[] = {
    {.key = "min",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_REQUIRED,
     .unit = "m",
     .offset = offsetof(SinewRegion, min),
     .help = "its lowest corner"},
    {.key = "max",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_REQUIRED,
     .unit = "m",
     .offset = offsetof(SinewRegion, max),
     .help = "its highest corner; its faces are in it"},
};
static const SnTable region_box_table = {.fields = region_box_fields,
                                         .field_count = COUNT(region_box_fields),
                                         .item_offset = SN_NOWHERE,
                                         .choice_offset = SN_NOWHERE,
                                         .check = sn_check_region_box};
static const SnField region_sphere_fields[] = {
    {.key = "center",
     .type = SN_FIELD_VECTOR,
     .unit = "m",
     .offset = offsetof(SinewRegion, center),
     .help = "its middle"},
    {.key = "radius",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_REQUIRED | SN_FIELD_ABOVE,
     .unit = "m",
     .offset = offsetof(SinewRegion, radius),
     .least = 0,
     .most = LENGTH_MAX,
     .help = ""},
};
static const SnTable region_sphere_table = {.fields = region_sphere_fields,
                                            .field_count = COUNT(region_sphere_fields),
                                            .item_offset = SN_NOWHERE,
                                            .choice_offset = SN_NOWHERE};

static const SnField within_fields[] = {
    CHOOSE("box", region_box_table, SINEW_REGION_BOX),
    CHOOSE("sphere", region_sphere_table, SINEW_REGION_SPHERE),
    {.key = "vertices",
     .type = SN_FIELD_INDICES,
     .flags = SN_FIELD_CHOICE | SN_FIELD_NOT_EMPTY,
     .choice = SINEW_REGION_VERTICES,
     .offset = offsetof(SinewRegion, vertices),
     .count_offset = offsetof(SinewRegion, vertex_count),
     .least = 0,
     .most = 2147483646,
     .help = "of the model, from 0; not for `regions`"},
};
static const SnTable within_table = {
    .title = "within",
    .help = "A part of a body, tested on rest positions after `pose`: the word `all`, or exactly "
            "one of these.",
    .fields = within_fields,
    .field_count = COUNT(within_fields),
    .item_offset = SN_NOWHERE,
    .choice_offset = offsetof(SinewRegion, kind),
    .word = "all",
    .word_choice = SINEW_REGION_ALL};
// Materials are for elements, which have no numbers that anyone knows.
static const SnTable within_space_table = {.fields = within_fields,
                                           .field_count = COUNT(within_fields) - 1,
                                           .item_offset = SN_NOWHERE,
                                           .choice_offset = offsetof(SinewRegion, kind),
                                           .word = "all",
                                           .word_choice = SINEW_REGION_ALL};

#define TURN_FIELDS(Struct)                                                                        \
    {.key = "axis",                                                                                \
     .type = SN_FIELD_VECTOR,                                                                      \
     .flags = SN_FIELD_REQUIRED | SN_FIELD_NOT_ZERO,                                               \
     .offset = offsetof(Struct, axis),                                                             \
     .preset = {0, 1, 0},                                                                          \
     .help = "of any length"},                                                                     \
    {                                                                                              \
        .key = "degrees", .type = SN_FIELD_NUMBER, .flags = SN_FIELD_REQUIRED, .unit = "degrees",  \
        .offset = offsetof(Struct, degrees), .help = "counter-clockwise, seen against the axis"    \
    }

static const SnField pose_turn_fields[] = {TURN_FIELDS(SinewPose)};
static const SnTable pose_turn_table = {.fields = pose_turn_fields,
                                        .field_count = COUNT(pose_turn_fields),
                                        .item_offset = SN_NOWHERE,
                                        .choice_offset = SN_NOWHERE};
static const SnField pose_fields[] = {
    {.key = "translate",
     .type = SN_FIELD_VECTOR,
     .unit = "m",
     .offset = offsetof(SinewPose, translate),
     .help = "moved by, at the end"},
    {.key = "rotate",
     .type = SN_FIELD_GROUP,
     .table = &pose_turn_table,
     .help = "turned about the origin by"},
    {.key = "scale",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE,
     .least = 0,
     .most = LENGTH_MAX,
     .offset = offsetof(SinewPose, scale),
     .preset = {1},
     .help = "about the origin, before all else"},
};
static const SnTable pose_table = {
    .title = "pose",
    .help = "Where a body is put before it starts. The result is its rest shape.",
    .fields = pose_fields,
    .field_count = COUNT(pose_fields),
    .item_offset = SN_NOWHERE,
    .choice_offset = SN_NOWHERE};

static const SnField key_turn_fields[] = {
    TURN_FIELDS(SinewKey),
    {.key = "about",
     .type = SN_FIELD_VECTOR,
     .unit = "m",
     .offset = offsetof(SinewKey, about),
     .help = "a point of the axis"},
};
static const SnTable key_turn_table = {.fields = key_turn_fields,
                                       .field_count = COUNT(key_turn_fields),
                                       .item_offset = SN_NOWHERE,
                                       .choice_offset = SN_NOWHERE};
static const SnField key_fields[] = {
    {.key = "t",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_REQUIRED,
     .unit = "s",
     .offset = offsetof(SinewKey, t),
     .help = "greater than the one before"},
    {.key = "translate",
     .type = SN_FIELD_VECTOR,
     .unit = "m",
     .offset = offsetof(SinewKey, translate),
     .help = "from where it was at rest"},
    {.key = "rotate",
     .type = SN_FIELD_GROUP,
     .table = &key_turn_table,
     .help = "turned before it is moved; more than 360 degrees turn more than once"},
};
static const SnTable key_table = {
    .title = "move",
    .help = "A list of moments, of pins, attachments and colliders. Between two of them angle and "
            "translation "
            "change linearly; before the first and after the last nothing moves. In a static scene "
            "t goes from 0 to 1.",
    .fields = key_fields,
    .field_count = COUNT(key_fields),
    .size = sizeof(SinewKey),
    .item_offset = SN_NOWHERE,
    .choice_offset = SN_NOWHERE};
#define MOVE(Struct)                                                                               \
    {                                                                                              \
        .key = "move", .type = SN_FIELD_LIST, .flags = SN_FIELD_ASCENDING | SN_FIELD_NOT_EMPTY,    \
        .offset = offsetof(Struct, keys), .count_offset = offsetof(Struct, key_count),             \
        .table = &key_table, .absent = "stays", .help = "how it moves"                             \
    }

// ---- what a body is made of and how it is solved ----------------------------------------------

static const SnField damping_fields[] = {
    {.key = "mass",
     .type = SN_FIELD_NUMBER,
     .unit = "1/s",
     .least = 0,
     .most = 1e12,
     .offset = offsetof(SinewMaterial, damping_mass),
     .help = "Rayleigh's alpha"},
    {.key = "stiffness",
     .type = SN_FIELD_NUMBER,
     .unit = "s",
     .least = 0,
     .most = 1e12,
     .offset = offsetof(SinewMaterial, damping_stiffness),
     .help = "Rayleigh's beta"},
};
static const SnTable damping_table = {.fields = damping_fields,
                                      .field_count = COUNT(damping_fields),
                                      .item_offset = SN_NOWHERE,
                                      .choice_offset = SN_NOWHERE};
static const SnField material_fields[] = {
    {.key = "law",
     .type = SN_FIELD_WORD,
     .words = &laws,
     .preset = {SINEW_LAW_COROTATED},
     .offset = offsetof(SinewMaterial, law),
     .help = "of elasticity; formulas in materials.md"},
    {.key = "young",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE,
     .unit = "Pa",
     .least = 0,
     .most = 1e18,
     .preset = {1e6},
     .offset = offsetof(SinewMaterial, young),
     .help = "Young's modulus: jelly 1e4, rubber 1e6, steel 2e11"},
    {.key = "poisson",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE | SN_FIELD_BELOW,
     .least = -1,
     .most = 0.5,
     .preset = {0.3},
     .offset = offsetof(SinewMaterial, poisson),
     .help = "Poisson's ratio; near 0.5 volume is kept"},
    {.key = "density",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE,
     .unit = "kg/m^3",
     .least = 0,
     .most = 1e12,
     .preset = {1000},
     .offset = offsetof(SinewMaterial, density),
     .help = ""},
    {.key = "damping", .type = SN_FIELD_GROUP, .table = &damping_table, .help = "Rayleigh's"},
};
const SnTable sn_material_table = {
    .title = "material",
    .help = "What a body is made of. All laws agree for small strain. In `regions`, what is left "
            "out is as in the body's own material.",
    .fields = material_fields,
    .field_count = COUNT(material_fields),
    .item_offset = SN_NOWHERE,
    .choice_offset = SN_NOWHERE};

static const SnField frame_fields[] = {
    {.key = "at",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_REQUIRED,
     .unit = "m",
     .offset = offsetof(SinewFrame, at),
     .help = "where it stands, a rest position after `pose`"},
    {.key = "rigid",
     .type = SN_FIELD_GROUP,
     .table = &within_space_table,
     .offset = offsetof(SinewFrame, rigid),
     .absent = "a ball with a quarter of the way to the next frame",
     .help = "the part of the body that follows this frame alone"},
    {.key = "parent",
     .type = SN_FIELD_WHOLE,
     .least = 0,
     .most = 64,
     .offset = offsetof(SinewFrame, parent1),
     .absent = "none",
     .help = "the frame that its bone comes from, 1 for the first of the list; linear weights go "
             "along bones"},
    {.key = "wakes",
     .type = SN_FIELD_NUMBER,
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .offset = offsetof(SinewFrame, wakes),
     .help = "when it is inserted; until then it goes along with the nearest frame that is always "
             "there"},
    {.key = "sleeps",
     .type = SN_FIELD_NUMBER,
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .offset = offsetof(SinewFrame, sleeps),
     .absent = "never",
     .help = "when it is removed, and goes along again"},
};
static const SnTable frame_table = {
    .title = "frames",
    .help = "A list of coordinate frames that a body of `frames` moves by. Weights that are linear "
            "follow their order, or their bones where they have some, and know no rigid parts.",
    .fields = frame_fields,
    .field_count = COUNT(frame_fields),
    .size = sizeof(SinewFrame),
    .item_offset = SN_NOWHERE,
    .choice_offset = SN_NOWHERE};

static const SnField coarse_fields[] = {
    {.key = "tets",
     .type = SN_FIELD_FILE,
     .flags = SN_FIELD_REQUIRED,
     .offset = offsetof(SnSceneFile, file),
     .help =
         "a tet mesh as a shape may be: it goes with the body's pose, and need not fit the body "
         "to more than its mean edge"},
};
static const SnTable coarse_table = {.fields = coarse_fields,
                                     .field_count = COUNT(coarse_fields),
                                     .size = sizeof(SnSceneFile),
                                     .item_offset = offsetof(SnSceneFile, item),
                                     .choice_offset = SN_NOWHERE};

// Which kinds of models take a key, and which of its words: in the order of `models`.
enum {
    OF_NEWTON = 1 << SINEW_MODEL_NEWTON,
    OF_SPLIT = 1 << SINEW_MODEL_SPLIT,
    OF_LATTICE = 1 << SINEW_MODEL_LATTICE,
    OF_VOXEL = 1 << SINEW_MODEL_VOXEL,
    OF_FRAMES = 1 << SINEW_MODEL_FRAMES,
    OF_TETMG = 1 << SINEW_MODEL_TETMG
};
static const unsigned element_kinds[] = {OF_NEWTON | OF_SPLIT | OF_TETMG, OF_NEWTON, OF_LATTICE,
                                         OF_LATTICE, OF_LATTICE};
static const unsigned mode_kinds[] = {OF_SPLIT | OF_FRAMES | OF_TETMG,
                                      OF_SPLIT | OF_VOXEL | OF_FRAMES | OF_TETMG, OF_VOXEL};
_Static_assert(COUNT(element_kinds) == COUNT(elements_words) &&
                   COUNT(mode_kinds) == COUNT(model_modes_words),
               "kinds for each word");

static const SnField model_fields[] = {
    {.key = "kind",
     .type = SN_FIELD_WORD,
     .words = &models,
     .preset = {SINEW_MODEL_LATTICE},
     .offset = offsetof(SnSceneModel, kind),
     .help = "the method"},
    {.key = "element",
     .kinds = OF_NEWTON | OF_SPLIT | OF_LATTICE | OF_TETMG,
     .type = SN_FIELD_WORD,
     .words = &elements,
     .word_kinds = element_kinds,
     .preset = {-1},
     .absent = "`tet`; of lattice `wilson`",
     .offset = offsetof(SnSceneModel, element),
     .help = "linear tets, or trilinear hexahedra; of lattice cells that are right in bending when "
             "coarse, those of McAdams et al., or these without stabilisation"},
    {.key = "integrator",
     .type = SN_FIELD_WORD,
     .words = &integrators,
     .offset = offsetof(SnSceneModel, integrator),
     .help = "backward Euler damps; `bdf2` damps little; `newmark`, of newton and of tetmg's mode "
             "paper, damps nothing. In mode paper split has `euler` alone, and tetmg no `bdf2`"},
    {.key = "mass",
     .kinds = OF_NEWTON | OF_FRAMES,
     .type = SN_FIELD_WORD,
     .words = &masses,
     .offset = offsetof(SnSceneModel, mass),
     .help = "how mass goes to vertices; of frames `lumped` is some dozen lumps a frame, "
             "`consistent` one a cell"},
    {.key = "tolerance",
     .kinds = OF_NEWTON | OF_LATTICE | OF_VOXEL | OF_FRAMES,
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE | SN_FIELD_BELOW,
     .least = 0,
     .most = 1,
     .absent = "of newton 1e-6 in motion and 1e-9 in static solves, of lattice 1e-4 in motion and "
               "1e-6 in static solves, of voxel 1e-6, of "
               "frames 1e-4 in motion and 1e-8 in static solves",
     .offset = offsetof(SnSceneModel, tolerance),
     .help = "residual force relative to the forces at play"},
    {.key = "max_iterations",
     .kinds = OF_NEWTON | OF_LATTICE | OF_VOXEL | OF_FRAMES,
     .type = SN_FIELD_WHOLE,
     .least = 1,
     .most = 100000,
     .preset = {60},
     .offset = offsetof(SnSceneModel, max_iterations),
     .help = "of Newton a step"},
    {.key = "mode",
     .kinds = OF_SPLIT | OF_VOXEL | OF_FRAMES | OF_TETMG,
     .type = SN_FIELD_WORD,
     .words = &model_modes,
     .word_kinds = mode_kinds,
     .preset = {-1},
     .absent = "`implicit`; of voxel `condensed`",
     .offset = offsetof(SnSceneModel, mode),
     .help = "the implicit step, or the method of the paper; of `voxel` cells that bend as their "
             "content does, or those of the paper; of `frames` fitted samples, or a sample in each "
             "cell and one linear solve a step as in the paper"},
    {.key = "accuracy",
     .kinds = OF_SPLIT | OF_TETMG,
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE | SN_FIELD_BELOW,
     .least = 0,
     .most = 1,
     .preset = {1e-3},
     .offset = offsetof(SnSceneModel, split.accuracy),
     .help = "of a step's motion; sets the counts of iterations"},
    {.key = "newton",
     .kinds = OF_SPLIT | OF_VOXEL | OF_TETMG,
     .type = SN_FIELD_WHOLE,
     .least = 0,
     .most = 1000,
     .offset = offsetof(SnSceneModel, split.newton),
     .help = "linearisations a step; 0: from accuracy, or until the tolerance is reached"},
    {.key = "pcg",
     .kinds = OF_SPLIT | OF_VOXEL | OF_TETMG,
     .type = SN_FIELD_WHOLE,
     .least = 0,
     .most = 1000,
     .offset = offsetof(SnSceneModel, split.pcg),
     .help = "iterations a linearisation; 0: from accuracy, or ten"},
    {.key = "passes",
     .kinds = OF_SPLIT,
     .type = SN_FIELD_WHOLE,
     .least = 1,
     .most = 1000,
     .preset = {1},
     .offset = offsetof(SnSceneModel, split.passes),
     .help = "in mode paper, local-global passes a step"},
    {.key = "volume_iterations",
     .kinds = OF_SPLIT,
     .type = SN_FIELD_WHOLE,
     .least = 0,
     .most = 1000,
     .preset = {1},
     .offset = offsetof(SnSceneModel, split.volume_iterations),
     .help = "in mode paper, sweeps of volume correction"},
    {.key = "rotation",
     .kinds = OF_SPLIT,
     .type = SN_FIELD_WORD,
     .words = &rotations,
     .offset = offsetof(SnSceneModel, split.rotation),
     .help = "in mode paper, how rotations are found; `qr` is followed by an iteration of `apd`"},
    {.key = "clusters",
     .kinds = OF_SPLIT,
     .type = SN_FIELD_WHOLE,
     .least = 0,
     .most = 200,
     .preset = {40},
     .offset = offsetof(SnSceneModel, split.clusters),
     .help = "in mode implicit, frames of the coarse space"},
    {.key = "solver",
     .kinds = OF_SPLIT | OF_VOXEL,
     .type = SN_FIELD_WORD,
     .words = &split_solvers,
     .offset = offsetof(SnSceneModel, split.solver),
     .help = "by a factor, or by levels in time and memory in proportion to the vertices; `auto`: "
             "levels from 480,000 vertices on, or where a low `solve_tolerance` makes them faster; "
             "of `voxel` from 200 cells on unless slender"},
    {.key = "solve_tolerance",
     .kinds = OF_SPLIT,
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE | SN_FIELD_BELOW,
     .least = 0,
     .most = 1,
     .preset = {1e-3},
     .offset = offsetof(SnSceneModel, split.solve_tolerance),
     .help = "of the solve by levels, on its residual"},
    {.key = "tangent",
     .kinds = OF_TETMG,
     .type = SN_FIELD_WORD,
     .words = &tangents,
     .preset = {SINEW_TANGENT_MIXED},
     .offset = offsetof(SnSceneModel, tetmg.tangent),
     .help = "whether linear systems know how rotations follow"},
    {.key = "product",
     .kinds = OF_TETMG,
     .type = SN_FIELD_WORD,
     .words = &products,
     .offset = offsetof(SnSceneModel, tetmg.product),
     .help = "in mode paper, how coarse matrices are made"},
    {.key = "rotations",
     .kinds = OF_TETMG,
     .type = SN_FIELD_WORD,
     .words = &tet_rotations,
     .offset = offsetof(SnSceneModel, tetmg.rotation),
     .help = "in mode paper, of least energy, closest, or closest and smoothed"},
    {.key = "plain_cycles",
     .kinds = OF_TETMG,
     .type = SN_FIELD_WHOLE,
     .least = 0,
     .most = 1000,
     .offset = offsetof(SnSceneModel, tetmg.plain_cycles),
     .help = "in mode paper, V-cycles without conjugate gradients; 0: with"},
    {.key = "spacing",
     .kinds = OF_TETMG,
     .type = SN_FIELD_NUMBER,
     .least = 2,
     .most = 16,
     .preset = {4},
     .offset = offsetof(SnSceneModel, tetmg.spacing),
     .help = "of the coarse lattice, in mean edges"},
    {.key = "hierarchy",
     .kinds = OF_TETMG,
     .type = SN_FIELD_LIST,
     .table = &coarse_table,
     .offset = offsetof(SnSceneModel, hierarchy),
     .count_offset = offsetof(SnSceneModel, hierarchy_count),
     .absent = "lattices",
     .help = "in mode paper, meshes of its coarse levels, each coarser than the one before, "
             "seven at most; lattices go on below the last"},
    {.key = "differential",
     .kinds = OF_LATTICE,
     .type = SN_FIELD_WORD,
     .words = &differentials,
     .offset = offsetof(SnSceneModel, lattice.differential),
     .help = "what Newton's method takes for the derivative of the forces"},
    {.key = "cycle",
     .kinds = OF_LATTICE,
     .type = SN_FIELD_WORD,
     .words = &cycles,
     .offset = offsetof(SnSceneModel, lattice.cycle),
     .help = "conjugate gradients with a V-cycle, or the full approximation scheme"},
    {.key = "smoother",
     .kinds = OF_LATTICE,
     .type = SN_FIELD_WORD,
     .words = &smoothers,
     .offset = offsetof(SnSceneModel, lattice.smoother),
     .help = "Chebyshev's iteration, or the damped Jacobi of McAdams et al."},
    {.key = "fill",
     .kinds = OF_LATTICE,
     .type = SN_FIELD_WORD,
     .words = &fills,
     .preset = {SINEW_LATTICE_WEIGHTED},
     .offset = offsetof(SnSceneModel, lattice.fill),
     .help =
         "cells on the outside of a shape count whole, or with the share of them that is inside"},
    {.key = "fine_levels",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_WHOLE,
     .least = 0,
     .most = 4,
     .preset = {2},
     .offset = offsetof(SnSceneModel, voxel.fine_levels),
     .help = "times that a cell is cut in eight to see what is inside; 4 in mode paper alone"},
    {.key = "hollow",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_TRUTH,
     .offset = offsetof(SnSceneModel, voxel.hollow),
     .help = "of a `surface` or `tets`: nothing is inside, its triangles are a sheet; refused for "
             "other shapes, which have none"},
    {.key = "split_triangles",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_TRUTH,
     .offset = offsetof(SnSceneModel, voxel.split_triangles),
     .help = "triangles of the surface are split where they cross the faces of cells, in mode "
             "condensed of voxels, so that large ones bend as the body does"},
    {.key = "stiffness",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_WORD,
     .words = &voxel_stiffness,
     .offset = offsetof(SnSceneModel, voxel.stiffness),
     .help = "in mode paper, of the content where it is, or of a full cell times its fill"},
    {.key = "image",
     .kinds = OF_VOXEL | OF_FRAMES,
     .type = SN_FIELD_FILE,
     .offset = offsetof(SnSceneModel, voxel.image),
     .help = "a volume image, NIfTI-1 (.nii) or, of `voxel` with `image_size`, numbers alone, "
             "whose values multiply Young's modulus; 0 is empty"},
    {.key = "image_size",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_WHOLES,
     .least = 1,
     .most = 32767,
     .offset = offsetof(SnSceneModel, voxel.image_raw.size),
     .absent = "the image has a header",
     .help = "numbers along x, y and z of an image that is nothing but numbers, those along x side "
             "by side"},
    {.key = "image_type",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_WORD,
     .words = &image_types,
     .offset = offsetof(SnSceneModel, voxel.image_raw.type),
     .help = "of its numbers: whole ones of 8 or 16 bits without and with a sign, or floats"},
    {.key = "image_bytes",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_WORD,
     .words = &byte_orders,
     .offset = offsetof(SnSceneModel, voxel.image_raw.big_endian),
     .help = "which byte of a number comes first in it, that which counts least or most"},
    {.key = "image_spacing",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_ABOVE,
     .unit = "m",
     .least = 0,
     .most = LENGTH_MAX,
     .preset = {0.001, 0.001, 0.001},
     .offset = offsetof(SnSceneModel, voxel.image_raw.spacing),
     .help = "from one number to the next along x, y and z"},
    {.key = "image_origin",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_VECTOR,
     .unit = "m",
     .least = -LENGTH_MAX,
     .most = LENGTH_MAX,
     .offset = offsetof(SnSceneModel, voxel.image_raw.origin),
     .help = "where the first number is"},
    {.key = "image_scale",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_NUMBER,
     .preset = {1},
     .offset = offsetof(SnSceneModel, voxel.image_raw.scale),
     .help = "what its numbers are multiplied by"},
    {.key = "cache",
     .kinds = OF_VOXEL,
     .type = SN_FIELD_FILE,
     .flags = SN_FIELD_FOLDER,
     .offset = offsetof(SnSceneModel, voxel.cache),
     .help = "made where it is missing; made cells are kept in it for the next time"},
    {.key = "density_image",
     .kinds = OF_FRAMES,
     .type = SN_FIELD_FILE,
     .offset = offsetof(SnSceneModel, frames.density_image),
     .help = "a volume image whose values multiply the density; may be that of `image`"},
    {.key = "frames",
     .kinds = OF_FRAMES,
     .type = SN_FIELD_LIST,
     .table = &frame_table,
     .offset = offsetof(SnSceneModel, frames.frames),
     .count_offset = offsetof(SnSceneModel, frames.frame_count),
     .absent = "`count` of them, placed far from each other",
     .help = "where the frames are, 64 at most"},
    {.key = "skeleton",
     .kinds = OF_FRAMES,
     .type = SN_FIELD_FILE,
     .offset = offsetof(SnSceneModel, frames.skeleton),
     .help = "a glTF file at whose joints the frames are, as they were bound and after the body's "
             "pose, with its bones; joints farther from the body than a cell are left out"},
    {.key = "count",
     .kinds = OF_FRAMES,
     .type = SN_FIELD_WHOLE,
     .least = 1,
     .most = 64,
     .preset = {8},
     .offset = offsetof(SnSceneModel, frames.count),
     .help = "how many are placed where `frames` is left out"},
    {.key = "frame_kind",
     .kinds = OF_FRAMES,
     .type = SN_FIELD_WORD,
     .words = &frame_kinds,
     .preset = {SINEW_FRAME_AUTO},
     .offset = offsetof(SnSceneModel, frames.kind),
     .help = "six numbers a frame and a blend of dual quaternions, or twelve, which stretch and "
             "shear too, and a weighted mean. `auto`: rigid where frames are placed, or stand in a "
             "row along a slender body, else affine"},
    {.key = "weights",
     .kinds = OF_FRAMES,
     .type = SN_FIELD_WORD,
     .words = &frame_weights,
     .offset = offsetof(SnSceneModel, frames.weights),
     .help = "how much of each frame a place follows. `auto` is `linear` where frames stand in a "
             "row along the body, else `harmonic`"},
    {.key = "geometric",
     .kinds = OF_FRAMES,
     .type = SN_FIELD_TRUTH,
     .offset = offsetof(SnSceneModel, frames.geometric),
     .help = "in mode paper, keep the geometric part of the stiffness"},
    {.key = "springs",
     .kinds = OF_FRAMES,
     .type = SN_FIELD_TRUTH,
     .offset = offsetof(SnSceneModel, frames.springs),
     .help = "springs between frames instead of samples, with the stiffness at rest"},
};
static const SnTable model_table = {
    .title = "model",
    .help = "How a body is solved. Kinds in front of a colon are those that take the key, kinds in "
            "brackets those that take the word; of any other kind it is an error. Where `--set` "
            "changes the kind, keys and words of the file that only other kinds take count as left "
            "out.",
    .fields = model_fields,
    .field_count = COUNT(model_fields),
    .item_offset = SN_NOWHERE,
    .choice_offset = SN_NOWHERE,
    .is_kind_first = 1,
    .check = sn_check_model};

static const SnField region_fields[] = {
    {.key = "within",
     .type = SN_FIELD_GROUP,
     .flags = SN_FIELD_REQUIRED,
     .table = &within_space_table,
     .offset = offsetof(SinewMaterialRegion, within),
     .help = "elements whose middle is in it"},
    {.key = "material",
     .type = SN_FIELD_GROUP,
     .flags = SN_FIELD_REQUIRED,
     .table = &sn_material_table,
     .offset = offsetof(SinewMaterialRegion, material),
     .help = "what differs from the body's own"},
};
static const SnTable region_table = {
    .title = "regions",
    .help = "A list of parts of a body that have another material. Of several the last counts.",
    .fields = region_fields,
    .field_count = COUNT(region_fields),
    .size = sizeof(SinewMaterialRegion),
    .item_offset = SN_NOWHERE,
    .choice_offset = SN_NOWHERE};

// ---- bodies -----------------------------------------------------------------------------------

static const SnField velocity_fields[] = {
    {.key = "linear",
     .type = SN_FIELD_VECTOR,
     .unit = "m/s",
     .offset = offsetof(SnSceneBody, linear),
     .help = ""},
    {.key = "angular",
     .type = SN_FIELD_VECTOR,
     .unit = "rad/s",
     .offset = offsetof(SnSceneBody, angular),
     .help = "about the middle of mass"},
};
static const SnTable velocity_table = {.fields = velocity_fields,
                                       .field_count = COUNT(velocity_fields),
                                       .item_offset = SN_NOWHERE,
                                       .choice_offset = SN_NOWHERE};

static const SnField pin_fields[] = {
    {.key = "within",
     .type = SN_FIELD_GROUP,
     .flags = SN_FIELD_REQUIRED,
     .table = &within_table,
     .offset = offsetof(SnScenePin, within),
     .help = "vertices that are held, at least one"},
    {.key = "axes",
     .type = SN_FIELD_AXES,
     .offset = offsetof(SnScenePin, axes),
     .preset = {1, 1, 1},
     .help = "which components are held"},
    {.key = "on_surface",
     .type = SN_FIELD_TRUTH,
     .offset = offsetof(SnScenePin, on_surface),
     .help = "`voxel`: vertices of the body's surface are held instead of corners of cells"},
    MOVE(SnScenePin),
};
static const SnTable pin_table = {.title = "pins",
                                  .help = "A list of parts of a body that are held or moved.",
                                  .fields = pin_fields,
                                  .field_count = COUNT(pin_fields),
                                  .size = sizeof(SnScenePin),
                                  .item_offset = offsetof(SnScenePin, item),
                                  .choice_offset = SN_NOWHERE};

static const SnField ramp_fields[] = {
    {.key = "t",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_REQUIRED,
     .unit = "s",
     .offset = offsetof(SinewRampKey, t),
     .help = "greater than the one before"},
    {.key = "scale",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_REQUIRED,
     .offset = offsetof(SinewRampKey, scale),
     .help = "linear between moments"},
};
static const SnTable ramp_table = {.fields = ramp_fields,
                                   .field_count = COUNT(ramp_fields),
                                   .size = sizeof(SinewRampKey),
                                   .item_offset = SN_NOWHERE,
                                   .choice_offset = SN_NOWHERE};

static const SnField load_fields[] = {
    {.key = "within",
     .type = SN_FIELD_GROUP,
     .flags = SN_FIELD_REQUIRED,
     .table = &within_table,
     .offset = offsetof(SnSceneLoad, within),
     .help = "triangles of the surface with all corners in it"},
    {.key = "force",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_CHOICE,
     .choice = SN_SCENE_FORCE,
     .unit = "N",
     .offset = offsetof(SnSceneLoad, force),
     .help = "in all"},
    {.key = "traction",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_CHOICE,
     .choice = SN_SCENE_TRACTION,
     .unit = "Pa",
     .offset = offsetof(SnSceneLoad, traction),
     .help = "of rest area"},
    {.key = "ramp",
     .type = SN_FIELD_LIST,
     .flags = SN_FIELD_ASCENDING | SN_FIELD_NOT_EMPTY,
     .table = &ramp_table,
     .offset = offsetof(SnSceneLoad, ramp),
     .count_offset = offsetof(SnSceneLoad, ramp_count),
     .absent = "1; in a static scene t",
     .help = "how strong it is when"},
};
static const SnTable load_table = {
    .title = "loads",
    .help = "A list of dead loads, whose directions do not turn with the body: exactly one of "
            "`force` and `traction`.",
    .fields = load_fields,
    .field_count = COUNT(load_fields),
    .size = sizeof(SnSceneLoad),
    .item_offset = offsetof(SnSceneLoad, item),
    .choice_offset = offsetof(SnSceneLoad, kind)};

// ---- copies -----------------------------------------------------------------------------------

static const SnField copy_fields[] = {
    {.key = "translate",
     .type = SN_FIELD_VECTOR,
     .unit = "m",
     .offset = offsetof(SinewPose, translate),
     .help = "moved by, from where the body's pose puts it"},
    {.key = "rotate",
     .type = SN_FIELD_GROUP,
     .table = &pose_turn_table,
     .help = "turned by where it stands, before that"},
};
static const SnTable copy_table = {
    .title = "copies",
    .help = "A list: the body stands for as many bodies, named `NAME.0`, `NAME.1` and so on. Pins, "
            "loads and regions go along; those with a box only where copies are not turned. "
            "Copies share what they are, so that hundreds cost little to set up.",
    .fields = copy_fields,
    .field_count = COUNT(copy_fields),
    .size = sizeof(SinewPose),
    .item_offset = SN_NOWHERE,
    .choice_offset = SN_NOWHERE};

static const SnField grid_fields[] = {
    {.key = "count",
     .type = SN_FIELD_WHOLES,
     .flags = SN_FIELD_REQUIRED,
     .least = 1,
     .most = 4096,
     .offset = offsetof(SnSceneGrid, count),
     .help = "along x, y and z, numbered along x first; 4096 bodies in all at most"},
    {.key = "spacing",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_REQUIRED,
     .unit = "m",
     .least = -LENGTH_MAX,
     .most = LENGTH_MAX,
     .offset = offsetof(SnSceneGrid, spacing),
     .help = "from one to the next"},
    {.key = "turn",
     .type = SN_FIELD_GROUP,
     .table = &pose_turn_table,
     .offset = offsetof(SnSceneGrid, turn),
     .help = "each copy where it stands, that many times as its number"},
};
static const SnTable grid_table = {.title = "grid",
                                   .help = "Copies in rows, as `copies` would list them.",
                                   .fields = grid_fields,
                                   .field_count = COUNT(grid_fields),
                                   .item_offset = SN_NOWHERE,
                                   .choice_offset = SN_NOWHERE};
static const SnField tied_point_fields[] = {
    {.key = "at",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_REQUIRED,
     .unit = "m",
     .offset = offsetof(SnScenePoint, at),
     .least = -LENGTH_MAX,
     .most = LENGTH_MAX,
     .help = "a rest position after `pose`, in the body or within a cell of it"},
};
static const SnTable tied_point_table = {.fields = tied_point_fields,
                                         .field_count = COUNT(tied_point_fields),
                                         .size = sizeof(SnScenePoint),
                                         .item_offset = SN_NOWHERE,
                                         .choice_offset = SN_NOWHERE};
static const SnField attachment_fields[] = {
    {.key = "within",
     .type = SN_FIELD_GROUP,
     .flags = SN_FIELD_CHOICE,
     .choice = SN_SCENE_TIED_WITHIN,
     .table = &within_table,
     .offset = offsetof(SnSceneAttachment, within),
     .help = "vertices that are tied, at least one; their shares of the stiffness go by mass"},
    {.key = "points",
     .type = SN_FIELD_LIST,
     .flags = SN_FIELD_CHOICE | SN_FIELD_NOT_EMPTY,
     .choice = SN_SCENE_TIED_POINTS,
     .table = &tied_point_table,
     .offset = offsetof(SnSceneAttachment, points),
     .count_offset = offsetof(SnSceneAttachment, point_count),
     .help = "material points that are tied, with equal shares"},
    {.key = "stiffness",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE,
     .unit = "N/m",
     .least = 0,
     .most = 1e24,
     .preset = {1000},
     .offset = offsetof(SnSceneAttachment, stiffness),
     .help = "of all points together"},
    {.key = "normal",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_NOT_ZERO,
     .offset = offsetof(SnSceneAttachment, normal),
     .absent = "none: pulls in all directions",
     .help = "pulls along it alone; turns with the frame"},
    {.key = "across",
     .type = SN_FIELD_NUMBER,
     .least = 0,
     .most = 1,
     .offset = offsetof(SnSceneAttachment, across),
     .help = "share of the stiffness that acts across the normal all the same"},
    MOVE(SnSceneAttachment),
};
static const SnTable attachment_table = {
    .title = "attachments",
    .help = "A list of springs between material points of a body and a frame, which may move: soft "
            "constraints and bones. Exactly one of `within` and `points`.",
    .fields = attachment_fields,
    .field_count = COUNT(attachment_fields),
    .size = sizeof(SnSceneAttachment),
    .item_offset = offsetof(SnSceneAttachment, item),
    .choice_offset = offsetof(SnSceneAttachment, kind)};

static const SnField body_fields[] = {
    {.key = "name",
     .type = SN_FIELD_NAME,
     .offset = offsetof(SnSceneBody, name),
     .absent = "`body0` and so on",
     .help = "no other body's"},
    {.key = "shape",
     .type = SN_FIELD_GROUP,
     .flags = SN_FIELD_REQUIRED,
     .table = &shape_table,
     .offset = offsetof(SnSceneBody, shape),
     .help = "what it looks like"},
    {.key = "model",
     .type = SN_FIELD_GROUP,
     .table = &model_table,
     .offset = offsetof(SnSceneBody, model),
     .help = "how it is solved"},
    {.key = "material",
     .type = SN_FIELD_GROUP,
     .table = &sn_material_table,
     .offset = offsetof(SnSceneBody, material),
     .help = "what it is made of"},
    {.key = "regions",
     .type = SN_FIELD_LIST,
     .table = &region_table,
     .offset = offsetof(SnSceneBody, regions),
     .count_offset = offsetof(SnSceneBody, region_count),
     .absent = "none",
     .help = "parts of another material"},
    {.key = "pose",
     .type = SN_FIELD_GROUP,
     .table = &pose_table,
     .offset = offsetof(SnSceneBody, pose),
     .help = "where it is put"},
    {.key = "copies",
     .type = SN_FIELD_LIST,
     .flags = SN_FIELD_NOT_EMPTY,
     .table = &copy_table,
     .offset = offsetof(SnSceneBody, copies),
     .count_offset = offsetof(SnSceneBody, copy_count),
     .absent = "one body",
     .help = "where more of it stand"},
    {.key = "grid",
     .type = SN_FIELD_GROUP,
     .table = &grid_table,
     .offset = offsetof(SnSceneBody, grid),
     .absent = "one body",
     .help = "the same, in rows"},
    {.key = "velocity",
     .type = SN_FIELD_GROUP,
     .table = &velocity_table,
     .help = "with which it starts"},
    {.key = "start",
     .type = SN_FIELD_WORD,
     .words = &starts,
     .offset = offsetof(SnSceneBody, start),
     .help = "all but `rest` are for trying how robust a method is"},
    {.key = "start_seed",
     .type = SN_FIELD_WHOLE,
     .least = 0,
     .most = 1e9,
     .offset = offsetof(SnSceneBody, start_seed),
     .help = "of `scrambled`: another seed, other places"},
    {.key = "pins",
     .type = SN_FIELD_LIST,
     .table = &pin_table,
     .offset = offsetof(SnSceneBody, pins),
     .count_offset = offsetof(SnSceneBody, pin_count),
     .absent = "none",
     .help = "what holds and moves it"},
    {.key = "loads",
     .type = SN_FIELD_LIST,
     .table = &load_table,
     .offset = offsetof(SnSceneBody, loads),
     .count_offset = offsetof(SnSceneBody, load_count),
     .absent = "none",
     .help = "what pulls at it"},
    {.key = "attachments",
     .type = SN_FIELD_LIST,
     .table = &attachment_table,
     .offset = offsetof(SnSceneBody, attachments),
     .count_offset = offsetof(SnSceneBody, attachment_count),
     .absent = "none",
     .help = "springs that tie it to frames"},
};
static const SnTable body_table = {.title = "bodies",
                                   .help = "A list of at least one.",
                                   .fields = body_fields,
                                   .field_count = COUNT(body_fields),
                                   .size = sizeof(SnSceneBody),
                                   .item_offset = offsetof(SnSceneBody, item),
                                   .choice_offset = SN_NOWHERE};

// ---- the world and the rest -------------------------------------------------------------------

static const SnField world_fields[] = {
    {.key = "gravity",
     .type = SN_FIELD_VECTOR,
     .unit = "m/s^2",
     .least = -SN_GRAVITY_MAX,
     .most = SN_GRAVITY_MAX,
     .offset = offsetof(SnSceneWorld, gravity),
     .preset = {0, -9.81, 0},
     .help = "each component at most 1e6 in size"},
    {.key = "dt",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE,
     .unit = "s",
     .least = 0,
     .most = SN_STEP_MAX,
     .preset = {0.01},
     .offset = offsetof(SnSceneWorld, dt),
     .help = "of a step; dynamic scenes alone"},
    {.key = "steps",
     .type = SN_FIELD_WHOLE,
     .flags = SN_FIELD_NO_HASH,
     .least = 1,
     .most = 1000000000,
     .preset = {100},
     .offset = offsetof(SnSceneWorld, steps),
     .help = "dynamic scenes alone"},
    {.key = "mode",
     .type = SN_FIELD_WORD,
     .words = &modes,
     .offset = offsetof(SnSceneWorld, is_static),
     .help = "steps in time, or equilibria while t goes from 0 to 1"},
    {.key = "load_steps",
     .type = SN_FIELD_WHOLE,
     .least = 1,
     .most = 1000000,
     .preset = {10},
     .offset = offsetof(SnSceneWorld, load_steps),
     .help = "static scenes alone"},
    {.key = "tolerance",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE | SN_FIELD_BELOW,
     .least = 0,
     .most = 1,
     .offset = offsetof(SnSceneWorld, tolerance),
     .absent = "the models' own",
     .help = "static scenes alone: relative force residual"},
    {.key = "determinism",
     .type = SN_FIELD_WORD,
     .words = &determinisms,
     .offset = offsetof(SnSceneWorld, determinism),
     .help = "`portable`: the same bits on every machine"},
    {.key = "max_solves",
     .type = SN_FIELD_WHOLE,
     .least = 4,
     .most = 1000000,
     .offset = offsetof(SnSceneWorld, max_solves),
     .absent = "no limit",
     .help =
         "the most solves, or iterations, of a body in a step, after which the best state so far "
         "is taken"},
};
static const SnTable world_table = {.title = "world",
                                    .help = "What holds for all bodies.",
                                    .fields = world_fields,
                                    .field_count = COUNT(world_fields),
                                    .item_offset = SN_NOWHERE,
                                    .choice_offset = SN_NOWHERE};

static const SnField plane_fields[] = {
    {.key = "normal",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_NOT_ZERO,
     .preset = {0, 1, 0},
     .offset = offsetof(SinewShape, normal),
     .help = "of any length; the solid side is behind it"},
    {.key = "offset",
     .type = SN_FIELD_NUMBER,
     .unit = "m",
     .offset = offsetof(SinewShape, offset),
     .least = -LENGTH_MAX,
     .most = LENGTH_MAX,
     .help = "along the normal"},
};
SHAPE_TABLE(plane, "All of space behind a plane; for colliders.", NULL);
static const SnField collider_fields[] = {
    CHOOSE("plane", plane_table, SINEW_SHAPE_PLANE),
    CHOOSE("sphere", sphere_plain_table, SINEW_SHAPE_SPHERE),
    CHOOSE("box", box_plain_table, SINEW_SHAPE_BOX),
    CHOOSE("capsule", capsule_plain_table, SINEW_SHAPE_CAPSULE),
    {.key = "mesh",
     .type = SN_FIELD_FILE,
     .flags = SN_FIELD_CHOICE,
     .choice = SINEW_SHAPE_MESH,
     .offset = offsetof(SnSceneShape, file),
     .help = "a closed surface: OBJ, PLY, STL, OFF, 3DS, glTF or GLB"},
    {.key = "friction",
     .type = SN_FIELD_NUMBER,
     .least = 0,
     .most = 1000,
     .preset = {-1},
     .offset = offsetof(SnSceneCollider, friction),
     .absent = "`contact.friction`",
     .help = "Coulomb's coefficient"},
    MOVE(SnSceneCollider),
};
static const SnTable collider_table = {
    .title = "colliders",
    .help = "A list of rigid things that bodies cannot enter: each exactly one of the shapes.",
    .fields = collider_fields,
    .field_count = COUNT(collider_fields),
    .size = sizeof(SnSceneCollider),
    .item_offset = offsetof(SnSceneShape, item),
    .choice_offset = offsetof(SnSceneShape, kind)};

static const SnField contact_fields[] = {
    {.key = "bodies",
     .type = SN_FIELD_TRUTH,
     .offset = offsetof(SnSceneContact, bodies),
     .help = "between bodies; in this version `true` only in scenes of one body, where it means "
             "nothing"},
    {.key = "self",
     .type = SN_FIELD_TRUTH,
     .offset = offsetof(SnSceneContact, self),
     .help = "of a body with itself; in this version `false`"},
    {.key = "stiffness",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_ABOVE,
     .unit = "Pa/m",
     .least = 0,
     .most = 1e24,
     .offset = offsetof(SnSceneContact, stiffness),
     .absent = "100 times Young's modulus over the body's longest side",
     .help = "pressure for each metre of depth"},
    {.key = "friction",
     .type = SN_FIELD_NUMBER,
     .least = 0,
     .most = 1000,
     .preset = {0.3},
     .offset = offsetof(SnSceneContact, friction),
     .help = "Coulomb's coefficient, of colliders that do not say their own"},
    {.key = "points",
     .type = SN_FIELD_WORD,
     .words = &contact_points,
     .offset = offsetof(SnSceneContact, points),
     .help = "of a surface that is finer than the elements: `thinned` to half an element apart, or "
             "`all`"},
};
static const SnTable contact_table = {.title = "contact",
                                      .help = "How contact is answered.",
                                      .fields = contact_fields,
                                      .field_count = COUNT(contact_fields),
                                      .item_offset = SN_NOWHERE,
                                      .choice_offset = SN_NOWHERE,
                                      .check = sn_check_contact};

static const SnField blade_fields[] = {
    {.key = "point",
     .type = SN_FIELD_VECTOR,
     .unit = "m",
     .least = -LENGTH_MAX,
     .most = LENGTH_MAX,
     .offset = offsetof(SnSceneCut, point),
     .help = "a point of the plane"},
    {.key = "normal",
     .type = SN_FIELD_VECTOR,
     .flags = SN_FIELD_NOT_ZERO,
     .preset = {0, 1, 0},
     .offset = offsetof(SnSceneCut, normal),
     .help = "of any length"},
    {.key = "radius",
     .type = SN_FIELD_NUMBER,
     .unit = "m",
     .least = 0,
     .most = LENGTH_MAX,
     .offset = offsetof(SnSceneCut, radius),
     .absent = "the whole plane",
     .help = "of a disc around the point"},
};
static const SnTable blade_table = {.title = "blade",
                                    .help = "A plane, or a disc of it, that cuts.",
                                    .fields = blade_fields,
                                    .field_count = COUNT(blade_fields),
                                    .item_offset = SN_NOWHERE,
                                    .choice_offset = SN_NOWHERE};
static const SnField cut_fields[] = {
    {.key = "body",
     .type = SN_FIELD_NAME,
     .offset = offsetof(SnSceneCut, body),
     .absent = "the only one",
     .help = "a body's name; its model is `tetmg`"},
    {.key = "at",
     .type = SN_FIELD_NUMBER,
     .flags = SN_FIELD_REQUIRED,
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .offset = offsetof(SnSceneCut, at),
     .help = "before the first step that begins then or later; of a static scene 0 to 1"},
    {.key = "plane",
     .type = SN_FIELD_GROUP,
     .flags = SN_FIELD_CHOICE,
     .table = &blade_table,
     .choice = SN_SCENE_PLANE},
    {.key = "surface",
     .type = SN_FIELD_FILE,
     .flags = SN_FIELD_CHOICE,
     .offset = offsetof(SnSceneCut, file),
     .choice = SN_SCENE_BLADE_SURFACE,
     .help = "a triangle surface, open or closed, that cuts"},
    {.key = "where",
     .type = SN_FIELD_WORD,
     .words = &blade_places,
     .offset = offsetof(SnSceneCut, at_rest),
     .help = "`now`: where the body is then; `rest`: among its rest positions after the pose"},
    {.key = "remove",
     .type = SN_FIELD_TRUTH,
     .offset = offsetof(SnSceneCut, removes),
     .help = "take out the tets that the blade passes through, instead of opening faces between "
             "tets"},
};
static const SnTable cut_table = {
    .title = "cuts",
    .help =
        "A list of cuts through bodies, made one after the other, each with exactly one of "
        "`plane` and `surface`. A tet lies on the side of its middle. A cut that meets nothing "
        "is told and is no error. In a scene with cuts the frames of a body may differ in their "
        "number of vertices: there is no `glb`, and each cut begins another point cache.",
    .fields = cut_fields,
    .field_count = COUNT(cut_fields),
    .size = sizeof(SnSceneCut),
    .item_offset = offsetof(SnSceneCut, item),
    .choice_offset = offsetof(SnSceneCut, kind)};

static const SnField probe_fields[SN_PROBE_FIELD_COUNT] = {
    [SN_PROBE_NAME] = {.key = "name",
                       .type = SN_FIELD_NAME,
                       .flags = SN_FIELD_REQUIRED,
                       .offset = offsetof(SnSceneProbe, name),
                       .help = "no other probe's; columns are called by it"},
    [SN_PROBE_BODY] = {.key = "body",
                       .type = SN_FIELD_NAME,
                       .offset = offsetof(SnSceneProbe, body),
                       .absent = "the only one",
                       .help = "a body's name"},
    [SN_PROBE_REPORT] = {.key = "report",
                         .type = SN_FIELD_WORD,
                         .flags = SN_FIELD_REQUIRED,
                         .words = &reports,
                         .offset = offsetof(SnSceneProbe, report),
                         .help = "what it tells, below"},
    [SN_PROBE_POINT] = {.key = "point",
                        .type = SN_FIELD_VECTOR,
                        .unit = "m",
                        .offset = offsetof(SnSceneProbe, point),
                        .absent = "none",
                        .help = "a rest position in the body after its pose"},
    [SN_PROBE_VERTEX] = {.key = "vertex",
                         .type = SN_FIELD_WHOLE,
                         .least = 0,
                         .most = 2147483646,
                         .preset = {-1},
                         .offset = offsetof(SnSceneProbe, vertex),
                         .absent = "none",
                         .help = "of the model instead of a point"},
    [SN_PROBE_ON_SURFACE] = {.key = "on_surface",
                             .type = SN_FIELD_TRUTH,
                             .offset = offsetof(SnSceneProbe, on_surface),
                             .absent = "`true` for `force`, else `false`",
                             .help = "the vertex is one of the surface"},
    [SN_PROBE_PIN] = {.key = "pin",
                      .type = SN_FIELD_WHOLE,
                      .least = 0,
                      .most = 2147483646,
                      .preset = {-1},
                      .offset = offsetof(SnSceneProbe, pin),
                      .absent = "none",
                      .help = "its place in the body's `pins`, from 0; for `reaction`"},
    [SN_PROBE_ATTACHMENT] = {.key = "attachment",
                             .type = SN_FIELD_WHOLE,
                             .least = 0,
                             .most = 2147483646,
                             .preset = {-1},
                             .offset = offsetof(SnSceneProbe, attachment),
                             .absent = "none",
                             .help = "its place in the body's `attachments`, from 0; for "
                                     "`attachment`"},
};
static const SnTable probe_table = {
    .title = "probes",
    .help = "A list of things to be told at each step. `position`, `displacement`, `velocity` and "
            "`force` (contact's) need a `point` or a `vertex`, `reaction` a `pin`, `attachment` an "
            "`attachment`, the others none of these.",
    .fields = probe_fields,
    .field_count = COUNT(probe_fields),
    .size = sizeof(SnSceneProbe),
    .item_offset = offsetof(SnSceneProbe, item),
    .choice_offset = SN_NOWHERE,
    .check = sn_check_probe};

static const SnField output_fields[] = {
    {.key = "every",
     .type = SN_FIELD_WHOLE,
     .least = 1,
     .most = 1000000000,
     .preset = {1},
     .offset = offsetof(SnSceneContent, output_every),
     .help = "steps between frames"},
    {.key = "formats",
     .type = SN_FIELD_WORDS,
     .words = &formats,
     .preset = {SINEW_OUTPUT_SHEET},
     .offset = offsetof(SnSceneContent, formats),
     .absent = "[sheet]",
     .help = "a list of those wanted; `sheet`, a contact sheet of a dozen pictures, comes with all "
             "others, and [] is nothing at all"},
};
static const SnTable output_table = {.title = "output",
                                     .help = "Frames that a run writes.",
                                     .fields = output_fields,
                                     .field_count = COUNT(output_fields),
                                     .item_offset = SN_NOWHERE,
                                     .choice_offset = SN_NOWHERE};

static const SnField scene_fields[] = {
    {.key = "sinew",
     .type = SN_FIELD_WHOLE,
     .flags = SN_FIELD_REQUIRED,
     .least = 1,
     .most = 1,
     .offset = offsetof(SnSceneContent, version),
     .help = "version of the format"},
    {.key = "world",
     .type = SN_FIELD_GROUP,
     .table = &world_table,
     .offset = offsetof(SnSceneContent, world),
     .help = "gravity, time and mode"},
    {.key = "bodies",
     .type = SN_FIELD_LIST,
     .flags = SN_FIELD_REQUIRED | SN_FIELD_NOT_EMPTY,
     .table = &body_table,
     .offset = offsetof(SnSceneContent, bodies),
     .count_offset = offsetof(SnSceneContent, body_count),
     .help = "what deforms"},
    {.key = "colliders",
     .type = SN_FIELD_LIST,
     .table = &collider_table,
     .offset = offsetof(SnSceneContent, colliders),
     .count_offset = offsetof(SnSceneContent, collider_count),
     .absent = "none",
     .help = "rigid things"},
    {.key = "contact",
     .type = SN_FIELD_GROUP,
     .table = &contact_table,
     .offset = offsetof(SnSceneContent, contact),
     .help = "how contact is answered"},
    {.key = "cuts",
     .type = SN_FIELD_LIST,
     .table = &cut_table,
     .offset = offsetof(SnSceneContent, cuts),
     .count_offset = offsetof(SnSceneContent, cut_count),
     .absent = "none",
     .help = "what is cut, and when"},
    {.key = "probes",
     .type = SN_FIELD_LIST,
     .table = &probe_table,
     .offset = offsetof(SnSceneContent, probes),
     .count_offset = offsetof(SnSceneContent, probe_count),
     .absent = "none",
     .help = "what is told"},
    {.key = "output", .type = SN_FIELD_GROUP, .table = &output_table, .help = "frames"},
};
const SnTable sn_scene_table = {.title = "scene",
                                .help = "The file as a whole.",
                                .fields = scene_fields,
                                .field_count = COUNT(scene_fields),
                                .size = sizeof(SnSceneContent),
                                .item_offset = offsetof(SnSceneContent, item),
                                .choice_offset = SN_NOWHERE};

const SnTable *const sn_scene_tables[] = {
    &sn_scene_table,    &world_table,     &body_table,    &shape_table,    &box_table,
    &sphere_table,      &ellipsoid_table, &capsule_table, &cylinder_table, &cone_table,
    &torus_table,       &blob_table,      &part_table,    &model_table,    &frame_table,
    &sn_material_table, &region_table,    &within_table,  &pose_table,     &copy_table,
    &grid_table,        &pin_table,       &key_table,     &load_table,     &attachment_table,
    &collider_table,    &plane_table,     &contact_table, &cut_table,      &blade_table,
    &probe_table,       &output_table,
};
const int sn_scene_table_count = COUNT(sn_scene_tables);
