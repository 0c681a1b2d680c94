// Wrong scenes: each is refused with the line of what is wrong, and words that say what it is and
// what was expected.
#include "support/test.h"

#include "sinew/scene.h"

typedef struct Refusal {
    const char *text;
    int line;
    const char *words[3]; // all of them are in the sentence; NULL: no more
} Refusal;

#define SPHERE "    shape: {sphere: {radius: 1}}\n"
// Four lines; what follows is on the fifth and may go on with the body.
#define BODY "sinew: 1\nbodies:\n  - name: b\n" SPHERE
// Two lines, and then a shape.
#define SHAPE(text) "sinew: 1\nbodies:\n  - shape: {" text "}\n"

static const Refusal refusals[] = {
    // No YAML, or not of this kind.
    {"", 1, {"nothing"}},
    {"# only a comment\n", 1, {"nothing"}},
    {"sinew: 1\nbodies: [\n", 3, {"no YAML"}},
    {"sinew: 1\n\tworld: {}\n", 2, {"no YAML", "tab"}},
    {"sinew: 1\nworld: {dt: 1\nbodies: []\n", 3, {"no YAML"}},
    {"sinew: 1\nbodies: \xff\n", 2, {"no YAML", "UTF-8"}},
    {"sinew: 1\nworld:\n\tdt: 1\n", 3, {"no YAML", "a tab is in column 1", "spaces"}},
    {BODY "--- \nsinew: 1\n", 5, {"second document"}},
    {"- 1\n- 2\n", 1, {"the scene is a list", "mapping"}},
    {"hello\n", 1, {"the scene is hello", "mapping"}},
    {"sinew: &a 1\nbodies: *a\n", 2, {"alias *a"}},
    {"sinew: !!int 1\n", 1, {"tag"}},
    {"sinew: 1\nworld: {dt: 1, steps: 3,\n  dt: 2}\n", 3, {"\"dt\"", "already on line 2"}},
    {"sinew: 1\n? [a, b]\n: 3\n", 2, {"key", "expected a word"}},
    {"sinew: 1\nbodies: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
     2,
     {"32 deep"}},
    {"sinew: 1\nbodies: [{name: \"a\\0b\"}]\n", 2, {"zero byte"}},
    // Keys.
    {BODY "wrld: {}\n", 5, {"\"wrld\"", "nearest is \"world\""}},
    {BODY "world:\n  dt: 0.01\n  stps: 4\n", 7, {"\"stps\" in world", "nearest is \"steps\""}},
    {BODY "    colour: red\n", 5, {"\"colour\" in bodies.0, expected one of name, shape"}},
    {BODY "    cuts: []\n", 5, {"\"cuts\" in bodies.0; it belongs in the scene itself"}},
    {BODY "    cells: [1, 1, 1]\n", 5, {"\"cells\" in bodies.0; it belongs in bodies.shape.box"}},
    {BODY "gravity: [0, 0, 0]\n", 5, {"\"gravity\" in the scene; it belongs in world"}},
    {BODY "    grvity: [0, 0, 0]\n", 5, {"nearest is \"gravity\", which belongs in world"}},
    {BODY "    material: {yung: 5}\n", 5, {"\"yung\" in bodies.0.material", "\"young\""}},
    {"bodies: []\n", 1, {"the scene has no \"sinew\""}},
    {"sinew: 1\n", 1, {"the scene has no \"bodies\""}},
    {"sinew: 2\nbodies: []\n", 1, {"sinew is 2", "1"}},
    {"sinew: 1\nbodies: []\n", 2, {"bodies is empty", "at least one"}},
    {"sinew: 1\nbodies:\n  - name: b\n", 3, {"bodies.0 has no \"shape\""}},
    {BODY "    pins:\n", 5, {"bodies.0.pins is empty", "list"}},
    // Cuts.
    {BODY "cuts: [{at: 1, plane: {}}]\n", 5, {"cuts.0 is of \"b\"", "not tetmg"}},
    {BODY "    model: {kind: tetmg}\ncuts: [{plane: {}}]\n", 6, {"cuts.0 has no \"at\""}},
    {BODY "    model: {kind: tetmg}\ncuts: [{at: 1}]\n", 6, {"plane", "surface"}},
    {BODY "    model: {kind: tetmg}\ncuts: [{at: 1, plane: {normal: [0, 0, 0]}}]\n", 6, {"normal"}},
    {BODY "    model: {kind: tetmg}\ncuts: [{at: -1, plane: {}}]\n", 6, {"cuts.0.at is -1"}},
    {BODY "    model: {kind: tetmg}\ncuts: [{at: 1, body: c, plane: {}}]\n",
     6,
     {"no body", "\"b\""}},
    {BODY "    model: {kind: tetmg}\ncuts: [{at: 1, plane: {}}]\noutput: {formats: [glb]}\n",
     7,
     {"glb", "cuts"}},
    // Types.
    {BODY "world: {dt: fast}\n", 5, {"world.dt is fast", "number above 0", "(s)"}},
    {BODY "world: {dt: 0.5x}\n", 5, {"world.dt is 0.5x", "number"}},
    {BODY "world: {dt: \"0.5\"}\n", 5, {"world.dt is \"0.5\"", "number"}},
    {BODY "world: {dt: .nan}\n", 5, {"world.dt is .nan", "number"}},
    {BODY "world: {dt: .inf}\n", 5, {"world.dt is .inf", "number"}},
    {BODY "world: {dt: 1e999}\n", 5, {"world.dt is 1e999", "number"}},
    {BODY "world: {dt: 0x10}\n", 5, {"world.dt is 0x10", "number"}},
    {BODY "world: {dt: [1]}\n", 5, {"world.dt is a list", "number"}},
    {BODY "world: {dt: {}}\n", 5, {"world.dt is a mapping", "number"}},
    {BODY "world: 5\n", 5, {"world is 5", "mapping", "\"gravity\""}},
    {BODY "world: {steps: 2.5}\n", 5, {"world.steps is 2.5", "whole number"}},
    {BODY "world: {gravity: -9.81}\n", 5, {"world.gravity is -9.81", "three numbers"}},
    {BODY "world: {gravity: [0, -9.81]}\n", 5, {"world.gravity is a list", "three numbers"}},
    {BODY "world:\n  gravity:\n    - 0\n    - down\n    - 0\n", 8, {"world.gravity.1 is down"}},
    {BODY "contact: {self: yes}\n", 5, {"contact.self is yes", "true or false"}},
    {"sinew: 1\nbodies: {name: b}\n", 2, {"bodies is a mapping", "list"}},
    {"sinew: 1\nbodies: [3]\n", 2, {"bodies.0 is 3", "mapping"}},
    {BODY "output: {formats: vtu}\n", 5, {"output.formats is vtu", "list of vtu, obj"}},
    // Words.
    {BODY "world: {mode: statik}\n", 5, {"\"statik\"", "\"static\"", "dynamic or static"}},
    {BODY "world: {determinism: yes}\n", 5, {"world.determinism is \"yes\"", "fast or portable"}},
    {BODY "output: {formats: [vtk]}\n", 5, {"\"vtk\"", "nearest is \"vtu\""}},
    {BODY "    material: {law: neohookean}\n", 5, {"\"neohookean\"", "\"neo_hookean\""}},
    {BODY "    start: resting\n", 5, {"bodies.0.start is \"resting\"", "scrambled"}},
    {BODY "    model: {kind: newtn}\n", 5, {"\"newtn\"", "\"newton\""}},
    {BODY "    model: {kind: split, integrator: newmark}\n",
     5,
     {"bodies.0.model.integrator is \"newmark\"", "euler or bdf2"}},
    {BODY "    model: {kind: split, mode: paper, integrator: bdf2}\n",
     5,
     {"bodies.0.model.integrator is \"bdf2\"", "mode paper"}},
    // Keys and words of other kinds, those that say a default too.
    {BODY "    model: {kind: split, mode: condensed}\n",
     5,
     {"bodies.0.model.mode is \"condensed\"", "expected implicit or paper for kind split"}},
    {BODY "    model: {kind: split, element: hex}\n",
     5,
     {"bodies.0.model.element is \"hex\"", "expected tet for kind split"}},
    {BODY "    model:\n      mode: implicit\n      kind: voxel\n",
     6,
     {"bodies.0.model.mode is \"implicit\"", "expected paper or condensed for kind voxel"}},
    {BODY "    model: {kind: newton, element: wilson}\n",
     5,
     {"\"wilson\"", "expected tet or hex for kind newton"}},
    {BODY "    model: {kind: lattice, element: tet}\n",
     5,
     {"element is \"tet\"", "expected wilson, mcadams or naive for kind lattice"}},
    {BODY "    model:\n      kind: newton\n      image: a.nii\n",
     7,
     {"bodies.0.model.image is for kind voxel or frames",
      "kind newton takes element, integrator, mass, tolerance, max_iterations"}},
    {BODY "    model: {hollow: false}\n", 5, {"model.hollow is for kind voxel", "lattice takes"}},
    {BODY "    model: {kind: voxel, element: hex}\n",
     5,
     {"model.element is for kind newton, split"}},
    {BODY "    model: {kind: split, tolerance: 1e-6}\n",
     5,
     {"model.tolerance is for kind newton, lattice, voxel or frames", "kind split takes", ", ..."}},
    {BODY "    model: {kind: frames, fill: full}\n", 5, {"model.fill is for kind lattice"}},
    {BODY "    model: {kind: tetmg, clusters: 40}\n", 5, {"model.clusters is for kind split"}},
    {BODY "    model: {kind: split, mode: exact}\n", 5, {"bodies.0.model.mode is \"exact\""}},
    {BODY "    model: {kind: split, accuracy: 0}\n", 5, {"bodies.0.model.accuracy"}},
    {BODY "    model: {kind: split, passes: 0}\n", 5, {"bodies.0.model.passes"}},
    {BODY "    model: {kind: split, clusters: 201}\n", 5, {"bodies.0.model.clusters"}},
    {BODY "    model: {kind: split, solver: multilevl}\n", 5, {"\"multilevl\"", "\"multilevel\""}},
    {BODY "    model: {kind: split, solve_tolerance: 1}\n", 5, {"model.solve_tolerance is 1"}},
    {BODY "    copies: []\n", 5, {"bodies.0.copies is empty"}},
    {BODY "    copies: [{scale: 2}]\n", 5, {"\"scale\" in bodies.0.copies.0"}},
    {BODY "    grid: {count: [2,0,2], spacing: [1,1,1]}\n", 5, {"bodies.0.grid.count.1 is 0"}},
    {BODY "    grid: {count: [2,1,2]}\n", 5, {"bodies.0.grid has no \"spacing\""}},
    {BODY "    grid: {count: [2,1,2], spacing: [1,1,.inf]}\n", 5, {"bodies.0.grid.spacing.2"}},
    {BODY "    grid: {count: [20,20,20], spacing: [1,1,1]}\n",
     5,
     {"bodies.0 makes it 8000 bodies", "at most 4096"}},
    {BODY "    grid: {count: [2,1,1], spacing: [1,1,1]}\n    copies: [{}]\n",
     5,
     {"both \"copies\" and \"grid\""}},
    {BODY "    pose: {rotate: {axis: [1,0,0], degrees: 9}}\n"
          "    copies: [{}, {rotate: {axis: [0,1,0], degrees: 9}}]\n",
     6,
     {"turns its copies about [0, 1, 0]", "expected the same axis"}},
    {BODY "    pins: [{within: {box: {min: [0,0,0], max: [1,1,1]}}}]\n"
          "    copies: [{rotate: {axis: [0,1,0], degrees: 9}}]\n",
     6,
     {"a box in a \"within\"", "expected a sphere"}},
    {BODY "    copies: [{}, {}]\nprobes: [{name: p, body: b, report: energy}]\n",
     6,
     {"no body", "nearest is \"b.0\""}},
    {BODY "    model: {kind: split, rotation: energy}\n", 5, {"bodies.0.model.rotation"}},
    {BODY "    model:\n      mode: implicit\n      kind: sponge\n",
     7,
     {"\"sponge\"", "tetmg", "newton"}},
    {BODY "    model: {kind: lattice, element: cube}\n", 5, {"element is \"cube\""}},
    {BODY "    model: {kind: lattice, integrator: newmark}\n",
     5,
     {"integrator is \"newmark\"", "euler or bdf2 for kind lattice"}},
    {BODY "    model: {kind: frames, count: 65}\n", 5, {"bodies.0.model.count is 65"}},
    {BODY "    model: {kind: frames, weights: smooth}\n", 5, {"weights is \"smooth\"", "linear"}},
    {BODY "    model: {kind: frames, frames: [{rigid: {sphere: {radius: 1}}}]}\n", 5, {"\"at\""}},
    {BODY "    model: {kind: frames, frames: [{at: [0, 0]}]}\n", 5, {"frames.0.at"}},
    {BODY "    model: {kind: frames, springs: 2}\n", 5, {"model.springs is 2", "true or false"}},
    {BODY "    model: {kind: frames, frame_kind: soft}\n", 5, {"frame_kind is \"soft\"", "affine"}},
    {BODY "    model: {kind: frames, frames: [{at: [0, 0, 0], parent: 65}]}\n",
     5,
     {"parent is 65"}},
    {BODY "    model: {kind: frames, skeleton: 7, density_image: [1]}\n", 5, {"density_image"}},
    {BODY "    model: {kind: frames, integrator: newmark}\n",
     5,
     {"integrator is \"newmark\"", "euler or bdf2 for kind frames"}},
    {BODY "    model: {kind: tetmg, spacing: 1}\n", 5, {"spacing", "1", "2"}},
    {BODY "    model: {kind: tetmg, tangent: bent}\n", 5, {"tangent", "bent", "warped"}},
    {BODY "    model: {kind: tetmg, hierarchy: [{}]}\n", 5, {"hierarchy.0 has no \"tets\""}},
    {BODY "    model: {kind: tetmg, hierarchy: a.msh}\n", 5, {"hierarchy is", "list"}},
    {BODY "    model: {kind: tetmg, hierarchy: [a.msh]}\n", 5, {"hierarchy.0 is"}},
    {BODY "    model: {kind: tetmg, mode: paper, integrator: bdf2}\n",
     5,
     {"bdf2", "euler or newmark in mode paper", "tetmg"}},
    {BODY "    model: {kind: tetmg, integrator: newmark}\n",
     5,
     {"newmark", "euler or bdf2", "tetmg"}},
    {BODY "    model: {integrator: rk4}\n", 5, {"\"rk4\"", "euler, bdf2 or newmark"}},
    {BODY "    model:\n      kind: split\n      mode: paper\nworld: {mode: static}\n",
     7,
     {"bodies.0.model.mode is \"paper\" in a static scene", "of split has no static solve"}},
    {BODY "    model: {kind: tetmg, mode: paper}\nworld: {mode: static}\n",
     5,
     {"\"paper\" in a static scene, expected implicit", "of tetmg has no static solve"}},
    {BODY "    model: {kind: voxel, cache: [a]}\n",
     5,
     {"bodies.0.model.cache is a list", "expected the name of a folder"}},
    // Ranges.
    {BODY "world: {dt: 0}\n", 5, {"world.dt is 0", "above 0"}},
    {BODY "world: {dt: -0.1}\n", 5, {"world.dt is -0.1", "above 0"}},
    {BODY "world: {steps: 0}\n", 5, {"world.steps is 0", "1 or more"}},
    {BODY "world: {load_steps: -3}\n", 5, {"world.load_steps is -3", "from 1"}},
    {BODY "world: {max_solves: 3}\n", 5, {"world.max_solves is 3", "from 4"}},
    {BODY "world: {tolerance: 1}\n", 5, {"world.tolerance is 1", "below 1"}},
    {BODY "    material: {young: 1e300}\n", 5, {"young is 1e300", "above 0 (Pa), at most 1e+"}},
    {BODY "    material: {young: 1e400}\n", 5, {"young is 1e400", "above 0 (Pa), at most 1e+"}},
    {BODY "world: {gravity: [0, 1e30, 0]}\n", 5, {"gravity.1 is 1e30", "(m/s^2), at most 1e+06"}},
    {BODY "world: {gravity: [0, -1e400, 0]}\n", 5, {"gravity.1 is -1e400", "at least -1e+06"}},
    {BODY "world: {dt: 1e9}\n", 5, {"world.dt is 1e9", "at most 1000"}},
    {BODY "    material: {young: -5}\n", 5, {"bodies.0.material.young is -5", "above 0 (Pa)"}},
    {BODY "    material: {poisson: 0.5}\n", 5, {"poisson is 0.5", "above -1 and below 0.5"}},
    {BODY "    material: {poisson: -1}\n", 5, {"poisson is -1", "above -1"}},
    {BODY "    material: {density: 0}\n", 5, {"density is 0", "above 0 (kg/m^3)"}},
    {BODY "    material:\n      damping: {mass: -1}\n", 6, {"damping.mass is -1", "0 or more"}},
    {BODY "    model: {tolerance: 0}\n", 5, {"model.tolerance is 0", "above 0"}},
    {BODY "    model: {max_iterations: 0}\n", 5, {"max_iterations is 0", "from 1"}},
    {BODY "    pose: {scale: 0}\n", 5, {"pose.scale is 0", "above 0"}},
    {BODY "    pose: {rotate: {axis: [0,0,0], degrees: 9}}\n", 5, {"axis is [0, 0, 0]", "not all"}},
    {BODY "    pose: {rotate: {axis: [0,1,0]}}\n", 5, {"pose.rotate has no \"degrees\""}},
    {BODY "    name: \"\"\n", 5, {"\"name\"", "already"}},
    {"sinew: 1\nbodies:\n"
     "  - name: a/b\n" SPHERE,
     3,
     {"bodies.0.name is a/b", "name"}},
    {BODY "contact: {friction: -0.1}\n", 5, {"contact.friction is -0.1", "from 0"}},
    {BODY "contact: {stiffness: 0}\n", 5, {"contact.stiffness is 0", "above 0 (Pa/m)"}},
    {BODY "output: {every: 0}\n", 5, {"output.every is 0", "1 or more"}},
    // Shapes.
    {SHAPE(""), 3, {"bodies.0.shape has none", "box, surface, tets"}},
    {SHAPE("sphere: {radius: 1}, box: {}"), 3, {"both \"sphere\" and \"box\""}},
    {SHAPE("shpere: {radius: 1}"), 3, {"\"shpere\"", "\"sphere\""}},
    {SHAPE("sphere: {radius: 0}"), 3, {"sphere.radius is 0", "above 0 (m)"}},
    {SHAPE("sphere: {}"), 3, {"sphere has no \"radius\""}},
    {SHAPE("sphere: {radius: 1, resolution: 0}"), 3, {"resolution is 0", "from 1 to 1024"}},
    {SHAPE("sphere: {radius: 1}, resolution: 5"), 3, {"resolution is for a surface"}},
    {SHAPE("ellipsoid: {radii: [1, 0, 1]}"), 3, {"radii.1 is 0", "above 0"}},
    {SHAPE("box: {min: [0,0,0], max: [1,1,0]}"), 3, {"box.max.2 is 0", "more than the 0"}},
    {SHAPE("box: {min: [0,0,0], max: [1,1,1], cells: [0,1,1]}"), 3, {"cells.0 is 0", "from 1"}},
    {SHAPE("box: {min: [0,0,0], max: [1,1,1], cells: [4000,4000,4000]}"),
     3,
     {"cells are 64000000000", "at most 33554432"}},
    {SHAPE("box: {min: [0,0,0], max: [1,1,1], cells: [1,1,1],\n  resolution: 3}"),
     4,
     {"both \"cells\" and \"resolution\""}},
    {SHAPE("box: {min: [0,0,0], max: [1,1,1], tets: six}"), 3, {"\"six\"", "five or kuhn"}},
    {SHAPE("cylinder: {from: [1,0,0], to: [1,0,0], radius: 1}"), 3, {"cylinder.to", "same point"}},
    {SHAPE("cone: {from: [0,0,0], to: [1,0,0], radius: 1, top: -1}"), 3, {"cone.top is -1"}},
    {SHAPE("torus: {radius: 1, tube: 2}"), 3, {"torus.tube is 2", "less than the radius, 1"}},
    {SHAPE("blob: {parts: []}"), 3, {"blob.parts is empty"}},
    {SHAPE("blob: {parts: [{blob: {}}]}"), 3, {"\"blob\" in bodies.0.shape.blob.parts.0"}},
    {SHAPE("blob: {parts: [{sphere: {radius: 1, resolution: 3}}]}"), 3, {"\"resolution\""}},
    {SHAPE("surface: \"\""), 3, {"shape.surface is empty", "file"}},
    {SHAPE("tets: [a.msh]"), 3, {"shape.tets is a list", "file"}},
    // Pins, loads and regions.
    {BODY "    pins:\n      - axes: xyz\n", 6, {"bodies.0.pins.0 has no \"within\""}},
    {BODY "    pins: [{within: everything}]\n", 5, {"is everything", "the word all"}},
    {BODY "    pins: [{within: {}}]\n", 5, {"none of the keys box, sphere, vertices"}},
    {BODY "    pins: [{within: all, axes: xw}]\n", 5, {"axes is xw", "letters xyz"}},
    {BODY "    model: {kind: voxel, image_size: [1, 0, 3]}\n", 5, {"image_size.1 is 0"}},
    {BODY "    model: {kind: voxel, image_type: u9}\n", 5, {"image_type is \"u9\""}},
    {BODY "    model: {kind: voxel, image_spacing: [1, 1, 0]}\n", 5, {"image_spacing.2 is 0"}},
    {BODY "    pins: [{within: all, on_surface: 2}]\n", 5, {"on_surface is 2", "true or false"}},
    {BODY "    pins: [{within: all, axes: xx}]\n", 5, {"axes is xx", "letters xyz"}},
    {BODY "    pins: [{within: {vertices: []}}]\n", 5, {"vertices is a list", "whole numbers"}},
    {BODY "    pins: [{within: {vertices: [1, -2]}}]\n", 5, {"vertices.1 is -2", "0 or more"}},
    {BODY "    pins: [{within: {box: {min: [1,0,0], max: [0,1,1]}}}]\n",
     5,
     {"box.max.0 is 0", "at least the 1 of min"}},
    {BODY "    pins: [{within: {sphere: {radius: -1}}}]\n", 5, {"sphere.radius is -1"}},
    {BODY "    pins:\n      - within: all\n        move: [{t: 0}, {t: 1},\n          {t: 1}]\n",
     8,
     {"move.2.t is 1", "more than the 1 before it"}},
    {BODY "    pins: [{within: all, move: []}]\n", 5, {"move is empty"}},
    {BODY "    pins: [{within: all, move: [{translate: [0,0,0]}]}]\n", 5, {"has no \"t\""}},
    {BODY "    attachments: [{stiffness: 1}]\n", 5, {"none of the keys within, points"}},
    {BODY "    attachments: [{within: all, points: [{at: [0,0,0]}]}]\n",
     5,
     {"both \"within\" and \"points\""}},
    {BODY "    attachments: [{points: []}]\n", 5, {"points is empty"}},
    {BODY "    attachments: [{points: [{at: [0,0]}]}]\n", 5, {"points.0.at"}},
    {BODY "    attachments: [{points: [[0,0,0]]}]\n", 5, {"points.0 is a list", "mapping"}},
    {BODY "    attachments: [{within: all, stiffness: 0}]\n", 5, {"stiffness is 0", "above 0"}},
    {BODY "    attachments: [{within: all, across: 2}]\n", 5, {"across is 2", "from 0 to 1"}},
    {BODY "    attachments: [{within: all, normal: [0,0,0]}]\n", 5, {"normal"}},
    {BODY "    attachments: [{within: all}]\nprobes: [{name: a, report: attachment}]\n",
     6,
     {"no \"attachment\"", "its number"}},
    {BODY "    attachments: [{within: all}]\n"
          "probes: [{name: a, report: attachment, attachment: 1}]\n",
     6,
     {"attachment is 1", "has 1 attachments"}},
    {BODY "probes: [{name: a, report: energy, attachment: 0}]\n",
     5,
     {"attachment is not for the report"}},
    {BODY "    model: {kind: lattice, element: wilsom}\n", 5, {"\"wilsom\"", "naive"}},
    {BODY "    model: {kind: lattice, differential: warp}\n", 5, {"\"warp\"", "warped or zhu"}},
    {BODY "    model: {kind: lattice, cycle: w}\n", 5, {"\"w\"", "vcycle or fas"}},
    {BODY "    model: {kind: lattice, smoother: gauss}\n", 5, {"\"gauss\"", "chebyshev"}},
    {BODY "    model: {kind: lattice, fill: 1}\n", 5, {"fill", "full or weighted"}},
    {BODY "    loads: [{within: all}]\n", 5, {"none of the keys force, traction"}},
    {BODY "    loads: [{within: all, force: [0,0,1], traction: [0,0,1]}]\n",
     5,
     {"both \"force\" and \"traction\""}},
    {BODY "    loads: [{within: all, force: [0,0,1], ramp: [{t: 0}]}]\n", 5, {"no \"scale\""}},
    {BODY "    regions: [{within: all}]\n", 5, {"regions.0 has no \"material\""}},
    {BODY "    regions: [{within: {vertices: [1]}, material: {}}]\n", 5, {"\"vertices\""}},
    // Colliders and contact.
    {BODY "colliders: [{friction: 1}]\n", 5, {"colliders.0 has none of the keys plane, sphere"}},
    {BODY "colliders: [{plane: {normal: [0,0,0]}}]\n", 5, {"normal is [0, 0, 0]"}},
    {BODY "colliders: [{torus: {}}]\n", 5, {"\"torus\" in colliders.0"}},
    {BODY "colliders:\n  - plane: {}\n    friction: -2\n", 7, {"friction is -2", "from 0"}},
    {BODY "contact: {self: true}\n", 5, {"contact.self is true", "not in this version"}},
    {BODY "  - name: c\n" SPHERE "contact: {bodies: true}\n",
     7,
     {"contact.bodies is true", "2 bodies", "not in this version"}},
    // References.
    {BODY "  - name: b\n" SPHERE, 5, {"bodies.1.name is \"b\"", "bodies.0"}},
    {BODY "  - name: body2\n" SPHERE "  -\n" SPHERE, 8, {"bodies.2.name is \"body2\"", "bodies.1"}},
    {BODY "probes: [{name: p, body: c, report: energy}]\n",
     5,
     {"\"c\", which is no body", "\"b\""}},
    {BODY "  - name: c\n" SPHERE "probes: [{name: p, report: energy}]\n",
     7,
     {"probes.0 has no \"body\"", "2 bodies"}},
    {BODY "probes:\n  - {name: p, report: energy}\n  - {name: p, report: energy}\n",
     7,
     {"probes.1.name is \"p\"", "probes.0"}},
    {BODY "probes: [{name: p, report: reaction}]\n", 5, {"probes.0 has no \"pin\""}},
    {BODY "probes: [{name: p, report: reaction, pin: 0}]\n", 5, {"pin is 0", "\"b\" has 0 pins"}},
    {BODY "probes: [{name: p, report: position}]\n", 5, {"neither \"point\" nor \"vertex\""}},
    {BODY "probes: [{name: p, report: position, point: [0,0,0], vertex: 1}]\n",
     5,
     {"both \"point\" and \"vertex\""}},
    {BODY "probes: [{name: p, report: energy, vertex: 1}]\n", 5, {"vertex is not for the report"}},
    {BODY "probes: [{name: p, report: position, vertex: -1}]\n", 5, {"vertex is -1", "0 or more"}},
    {BODY "probes: [{name: p, report: position, point: [0,0,0], on_surface: true}]\n",
     5,
     {"on_surface is for a vertex"}},
    {BODY "probes: [{name: p, report: temperature}]\n", 5, {"\"temperature\", expected position"}},
    {BODY "probes: [{name: p, report: stress}]\n", 5, {"\"stress\", expected position"}},
    {BODY "probes: [{report: energy}]\n", 5, {"probes.0 has no \"name\""}},
    {BODY "probes: [{name: \"a,b\", report: energy}]\n", 5, {"probes.0.name is \"a,b\"", "name"}},
};

static void expect_words(const char *sentence, const char *const *words)
{
    for (int w = 0; w < 3 && words[w] != NULL; ++w) {
        if (strstr(sentence, words[w]) == NULL) {
            fail_msg("\"%s\" does not say %s", sentence, words[w]);
        }
    }
}

static void wrong_scenes_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < SN_COUNT(refusals); ++i) {
        const Refusal *refusal = &refusals[i];
        SinewScene *scene = NULL;
        SinewError error = {.text = ""};
        SinewStatus status = sinew_scene_parse(refusal->text, strlen(refusal->text), "s.yaml", NULL,
                                               NULL, 0, NULL, &scene, &error);
        if (status != SINEW_ERROR_FILE || scene != NULL) {
            fail_msg("status %d of refusal %d: %s", (int)status, i, refusal->text);
        }
        char place[32];
        snprintf(place, sizeof place, "s.yaml:%d: ", refusal->line);
        if (strncmp(error.text, place, strlen(place)) != 0 || error.index != refusal->line) {
            fail_msg("\"%s\" does not begin with %s", error.text, place);
        }
        expect_words(error.text, refusal->words);
        assert_null(strchr(error.text, '\n'));
    }
    assert_true(SN_COUNT(refusals) >= 60);
}

static void wrong_overrides_are_refused(void **state)
{
    (void)state;
    static const struct {
        SinewOverride override;
        const char *words[3];
    } cases[] = {
        {{"wrld.dt", "1"}, {"--set wrld.dt=1: ", "\"wrld\"", "\"world\""}},
        {{"world.dtt", "1"}, {"\"dtt\" in world", "\"dt\""}},
        {{"world.dt", "fast"}, {"--set world.dt=fast: ", "world.dt is fast", "number"}},
        {{"world.dt", ""}, {"nothing"}},
        {{"world.dt", "[1"}, {"no YAML"}},
        {{"world.dt.x", "1"}, {"world.dt holds a value"}},
        {{"", "1"}, {"unknown key \"\""}},
        {{"bodies.x.name", "a"}, {"\"x\"", "from 0 to 1"}},
        {{"bodies.2.name", "a"}, {"bodies has 1 items", "from 0 to 1"}},
        {{"bodies.1.name", "a"}, {"bodies.1 has no \"shape\""}},
        {{"bodies.0.model.kind", "sponge"}, {"sponge", "newton"}},
        {{"bodies.0.shape.box.min", "[0,0,0]"}, {"both \"sphere\" and \"box\""}},
        {{"bodies.0.shape.sphere.radius", "-1"}, {"radius is -1", "above 0"}},
        {{"bodies.0.material", "3"}, {"bodies.0.material is 3", "mapping"}},
        {{"world.gravity.7", "3"}, {"world.gravity has 0 items"}},
        {{"bodies.0.name", "'a\n\n b,'"}, {"--set bodies.0.name='a?? b,'"}},
        {{"contact.self", "true"}, {"not in this version"}},
        {{"bodies.0.model.image", "a.nii"}, {"--set bodies.0.model.image", "for kind voxel"}},
        {{"bodies.0.model", "{kind: split, mode: condensed}"}, {"\"condensed\"", "kind split"}},
    };
    for (int i = 0; i < SN_COUNT(cases); ++i) {
        SinewScene *scene = NULL;
        SinewError error = {.text = ""};
        SinewStatus status = sinew_scene_parse(BODY, strlen(BODY), "s.yaml", NULL,
                                               &cases[i].override, 1, NULL, &scene, &error);
        if (status != SINEW_ERROR_ARGUMENT || scene != NULL) {
            fail_msg("status %d of --set %s: %s", (int)status, cases[i].override.path, error.text);
        }
        expect_words(error.text, cases[i].words);
    }
}

// Large inputs end at a cap, and quickly.
static void large_inputs_are_capped(void **state)
{
    (void)state;
    size_t size = (16u << 20) + 1;
    char *text = malloc(size);
    SinewScene *scene = NULL;
    SinewError error = {.text = ""};
    assert_non_null(text);
    memset(text, '#', size);
    assert_int_equal(sinew_scene_parse(text, size, "s.yaml", NULL, NULL, 0, NULL, &scene, &error),
                     SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "16777217 bytes"));
    // A list of more values than any scene has.
    size = 3000001;
    text[0] = '[';
    for (size_t i = 1; i < size; i += 2) {
        memcpy(text + i, "1,", 2);
    }
    assert_int_equal(sinew_scene_parse(text, size, "s.yaml", NULL, NULL, 0, NULL, &scene, &error),
                     SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "1000000 values"));
    // A mapping of more keys than any has.
    size_t length = 0;
    for (int i = 0; i < 100; ++i) {
        length += (size_t)snprintf(text + length, size - length, "key%d: 1\n", i);
    }
    assert_int_equal(sinew_scene_parse(text, length, "s.yaml", NULL, NULL, 0, NULL, &scene, &error),
                     SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "s.yaml:65: the scene has more than 64 keys"));
    // Names are compared in pairs; four thousand of them take no time, more are refused.
    length = (size_t)snprintf(text, size, "sinew: 1\nbodies:\n");
    for (int i = 0; i < 4000; ++i) {
        length += (size_t)snprintf(text + length, size - length, "- {shape: {tets: a}}\n");
    }
    length += (size_t)snprintf(text + length, size - length, "probes:\n");
    for (int i = 0; i < 4097; ++i) {
        length += (size_t)snprintf(text + length, size - length,
                                   "- {name: p%d, body: body3999, report: energy}\n", i);
    }
    assert_int_equal(sinew_scene_parse(text, length, "s.yaml", NULL, NULL, 0, NULL, &scene, &error),
                     SINEW_ERROR_FILE);
    assert_non_null(strstr(error.text, "4097 probes, expected at most 4096"));
    size_t one = strlen("- {name: p4096, body: body3999, report: energy}\n");
    assert_int_equal(
        sinew_scene_parse(text, length - one, "s.yaml", NULL, NULL, 0, NULL, &scene, &error),
        SINEW_OK);
    sinew_scene_destroy(scene);
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_scenes_are_refused),
    cmocka_unit_test(wrong_overrides_are_refused),
    cmocka_unit_test(large_inputs_are_capped),
};
SN_TEST_GROUP(scene_refusals, tests);
