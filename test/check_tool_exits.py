"""check_tool_exits.py SINEW: runs the command with lines that are wrong, and some that are right,
and checks the exit code and that the sentence names what it should."""
import json
import os
import subprocess
import sys
import tempfile

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fuzz/corpus/")
SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../scenes/")

CASES = [
    # arguments, environment, exit code, text that standard error or output must hold
    (["--version"], {}, 0, "sinew "),
    (["help"], {}, 0, "bench"),
    (["help", "bench"], {}, 0, "--threads N"),
    (["bench", "--help"], {}, 0, "--threads N"),
    (["bench", "--list", "machine"], {}, 0, "machine.madd_float"),
    (["help", "info"], {}, 0, "--json"),
    (["info", CORPUS + "obj/good_groups.obj"], {}, 0, "boundary edges"),
    (["info", CORPUS + "ply/good_little.ply", "--json"], {}, 0, '"watertight": false'),
    (["info"], {}, 2, "expected one"),
    (["info", "--jsno", "x.obj"], {}, 2, '"--json"'),
    (["info", "not_there.obj"], {}, 3, "not_there.obj"),
    (["info", CORPUS + "obj/bad_nan.obj"], {}, 3, "bad_nan.obj:1: "),
    (["info", CORPUS + "ply/bad_count.ply"], {}, 3, "600000000 rows"),
    (["info", __file__], {}, 3, "expected a surface (OBJ, PLY"),
    (["info", SCENES + "gummy.yaml"], {}, 0, "blob of 9 parts"),
    (["info", SCENES + "squeezed_ball.yaml", "--json"], {}, 0, '"moves": true'),
    (["info", CORPUS + "scene/bad_key.yaml"], {}, 3, 'bad_key.yaml:3: unknown key "stps"'),
    (["info", "not_there.yaml"], {}, 3, "not_there.yaml"),
    (["help", "scene"], {}, 0, "# Scene files"),
    ([], {}, 2, "usage: sinew VERB"),
    (["bnech"], {}, 2, '"bench"'),
    (["help", "bnech"], {}, 2, '"bench"'),
    (["bench", "--jsno"], {}, 2, '"--json"'),
    (["bench", "machnie"], {}, 2, '"machine"'),
    (["bench", "machine.madd_flaot"], {}, 2, '"machine.madd_float"'),
    (["bench", ""], {}, 2, "no entry"),
    (["bench", "nosuch"], {}, 2, 'no entry "nosuch"; --list names them all'),
    (["bench", "--isa", "pentium"], {}, 2, "expected a name such as ref"),
    (["bench", "--threads", "0"], {}, 2, "from 1 to 256"),
    (["bench", "--threads", "x"], {}, 2, '"x"'),
    (["bench", "--threads"], {}, 2, "needs a value"),
    (["bench", "--isa", "avx3"], {}, 2, '"avx2"'),
    (["bench"], {"SINEW_ISA": "foo"}, 2, '"foo"'),
    (["help", "mesh"], {}, 0, "--graded"),
    (["mesh", "a.obj"], {}, 2, "expected IN -o OUT"),
    (["mesh", "a.obj", "-o", "b.msh", "--size", "-1"], {}, 2, "positive number of metres"),
    (["mesh", "a.obj", "-o", "b.msh", "--size", "1", "--cells", "8"], {}, 2, "one of them"),
    (["mesh", "a.obj", "-o", "b.ply", "--cells", "8"], {}, 2, '--cells is for meshes, and OUT is "b.ply"'),
    (["mesh", "a.obj", "-o", "b.xyz", "--size", "0.1"], {}, 2, '--size is for meshes, and OUT is "b.xyz"'),
    (["mesh", "a.obj", "-o", "b.msh", "--kind", "bricks"], {}, 2, "tets or hexes"),
    (["mesh", "a.obj", "-o", "b.veg", "--kind", "hexes"], {}, 2, "expected .msh, .vtk"),
    (["mesh", "a.obj", "-o", "b.ply", "--kind", "hexes"], {}, 2, "expected .msh, .vtk"),
    (["mesh", "a.obj", "-o", "b.vtu", "--kind", "hexes", "--graded"], {}, 2, "--graded is for tets"),
    (["mesh", "a.obj", "-o", "b.vtu", "--apart"], {}, 2, "--apart is for hexes"),
    (["mesh", "a.obj", "-o", "b.msh", "--msh", "3"], {}, 2, "expected 2.2 or 4.1"),
    (["mesh", "a.obj", "-o", "b.vtu", "--msh", "2.2"], {}, 2, "for an .msh file"),
    (["mesh", "a.obj", "-o", "b.ply", "--ascii"], {}, 2, "--ascii is for"),
    (["mesh", "a.msh", "-o", "b.vtu", "--kind", "hexes"], {}, 3, "is a tet mesh"),
    (["mesh", "not_there.obj", "-o", "b.vtu", "--kind", "hexes"], {}, 3, "not_there.obj"),
    (["mesh", "not_there.obj", "-o", "b.msh"], {}, 3, "not_there.obj"),
    (["run", SCENES + "split_twist.yaml", "--set", "bodies.0.material.law=svk"], {}, 3, "split_twist.yaml:"),
    (["run", SCENES + "split_twist.yaml", "--set", "bodies.0.pins.0.on_surface=true"], {}, 3, "split_twist.yaml:"),
    (["run", SCENES + "split_swing.yaml", "--set", "bodies.0.material.damping.stiffness=1", "--set", "bodies.0.model.integrator=euler",
      "--set", "bodies.0.model.mode=paper"], {}, 3, "mode implicit has it"),
    (["run", SCENES + "split_crowd.yaml", "--set", "world.mode=static"], {}, 3, "split_crowd.yaml:18: "),
    (["run", SCENES + "tetmg_cut.yaml", "--set", "bodies.0.model.mode=condensed"], {}, 3, "expected implicit or paper"),
    (["-v"], {}, 2, 'no verb "-v", expected info, mesh, run, bench or help'),
    (["info", "-v", "x.obj"], {}, 2, 'no option "-v"; --help lists'),
    (["info", "/dev/zero"], {}, 3, "is a device, expected a file"),
    (["run", SCENES + "gummy.yaml", "--set", "x"], {}, 2, "expected PATH=VALUE"),
    (["run", SCENES + "gummy.yaml", "--set", "world.gravity=[0, 1e30, 0]"], {}, 3, "gravity"),
    (["bench"], {"SINEW_THREADS": "many"}, 2, 'SINEW_THREADS is "many"'),
]

BAR = """sinew: 1
world: {mode: static, load_steps: 1}
bodies:
  - name: bar
    shape: {box: {min: [0, 0, 0], max: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}
    model: {kind: newton}
    material: {law: corotated, young: 1.0e5, poisson: 0.3, density: 1000}
output: {formats: []}
"""
# Pressed through itself: forces balance, but every cell is inside out.
PRESSED = BAR.replace("newton", "voxel").replace("output:", """    pins:
      - within: {box: {min: [-1, -1, -1], max: [1, 1.0e-6, 1]}}
      - within: {box: {min: [-1, 0.0999, -1], max: [1, 1, 1]}}
        move: [{t: 0}, {t: 1, translate: [0, -0.11, 0]}]
output:""")

# A scene, arguments after it, exit code, texts that standard error must hold.
SCENE_CASES = [
    (BAR, [], 4, ["body \"bar\" has no equilibrium: nothing holds it along y, and 9.81 N"]),
    (PRESSED, ["--quiet"], 4, ["8 of its 8 elements are inverted", "what was written is in"]),
]


def run(sinew, arguments, environment, **more):
    clean = {k: v for k, v in os.environ.items() if k not in ("SINEW_ISA", "SINEW_THREADS")}
    return subprocess.run([sinew] + arguments, env={**clean, **environment}, text=True,
                          stderr=subprocess.PIPE, **more)


def check_scenes(sinew):
    """Scenes that are wrong, each in a folder of its own; returns how many checks failed."""
    failures = 0
    for scene, arguments, code, texts in SCENE_CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.yaml")
            with open(path, "w") as file:
                file.write(scene)
            output = os.path.join(folder, "out")
            result = run(sinew, ["run", path, "-o", output] + arguments, {}, stdout=subprocess.PIPE)
        for text in texts:
            if result.returncode != code or text not in result.stderr:
                failures += 1
                print(f"sinew run {arguments}: exit {result.returncode}, expected {code} and "
                      f"{text!r} in:\n{result.stdout}{result.stderr}")
    failures += check_json(sinew)
    return failures


CUBE = """v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""


def check_meshes(sinew):
    """What no machine can make is refused at once, with the memory that it would take."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cube.obj")
        with open(path, "w") as file:
            file.write(CUBE)
        for arguments in (["--cells", "2000"], ["--cells", "100000"],
                          ["--cells", "100000", "--graded"], ["--size", "1e-5"]):
            result = run(sinew, ["mesh", path, "-o", os.path.join(folder, "cube.msh")] + arguments,
                         {}, stdout=subprocess.PIPE, timeout=60)
            if (result.returncode != 3 or "GB of memory" not in result.stderr
                    or "or fewer fit" not in result.stderr):
                failures += 1
                print(f"sinew mesh {arguments}: exit {result.returncode}, {result.stderr}")
    return failures


def check_json(sinew):
    """A run that ends with inverted elements says so to programs too, and keeps what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.yaml")
        with open(path, "w") as file:
            file.write(PRESSED)
        output = os.path.join(folder, "out")
        result = run(sinew, ["run", path, "-o", output, "--json"], {}, stdout=subprocess.PIPE)
        kept = os.path.exists(os.path.join(output, "probes.csv"))
    document = json.loads(result.stdout)
    good = (kept and result.returncode == 4 and document["status"] == "inverted elements"
            and document["last_step"]["inverted"] == 8 and document["inverted_steps"] == 1
            and any("8 of its 8 elements" in text for text in document["warnings"]))
    if not good:
        print(f"sinew run --json of a pressed cube: exit {result.returncode}, {result.stdout}")
    return 0 if good else 1


def main():
    sinew = sys.argv[1]
    failures = 0
    for arguments, environment, code, text in CASES:
        result = run(sinew, arguments, environment, stdout=subprocess.PIPE)
        if result.returncode != code or text not in result.stdout + result.stderr:
            failures += 1
            print(f"sinew {' '.join(arguments)} {environment}: exit {result.returncode}, expected "
                  f"{code} and {text!r} in:\n{result.stdout}{result.stderr}")
        if code != 0 and result.stdout:
            failures += 1
            print(f"sinew {' '.join(arguments)}: a failure wrote to standard output")
    failures += check_scenes(sinew)
    failures += check_meshes(sinew)
    if os.path.exists("/dev/full"):
        for arguments in (["help"], ["bench", "machine", "--quick", "--json", "--quiet"]):
            with open("/dev/full", "w") as full:
                result = run(sinew, arguments, {}, stdout=full)
            if result.returncode != 5:
                failures += 1
                print(f"sinew {arguments} on a full disk: exit {result.returncode}, expected 5")
    sys.exit(1 if failures else 0)


main()
