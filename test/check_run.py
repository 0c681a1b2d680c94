"""Checks `sinew run` from outside: its output, its exits, and that a run which is killed goes on.

usage: check_run.py SINEW SCENES_DIR [--full] [--vtk] [--kills N] [--seed S]

Part one runs every scene of SCENES_DIR and looks at what it wrote: its first steps, or all of them
with --full; --vtk loads the frames with VTK. Part two kills runs with SIGKILL
at random moments: every finished file must be whole, and after --resume all files must have the
bytes of a run that was never stopped, for other numbers of threads too.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

SCENE = """
sinew: 1
world: {gravity: [0, -9.81, 0], dt: 0.01, steps: 30}
bodies:
  - name: jelly
    shape: {box: {min: [0, 0.05, 0], max: [0.4, 0.25, 0.2], cells: [6, 3, 3]}}
    model: {kind: newton}
    material: {law: corotated, young: 1.0e5, poisson: 0.4, density: 1000}
    velocity: {angular: [0, 0, 3]}
colliders:
  - {plane: {normal: [0, 1, 0], offset: 0}, friction: 0.4}
probes:
  - {name: top, body: jelly, point: [0.2, 0.25, 0.1], report: position}
  - {name: energy, body: jelly, report: energy}
output: {every: 10, formats: [vtu, obj, ply, pc2, glb, png]}
"""

# A body that is cut twice while it swings; its frames change their number of vertices.
CUT_SCENE = """
sinew: 1
world: {gravity: [0, -9.81, 0], dt: 0.01, steps: 40}
bodies:
  - name: beam
    shape: {box: {min: [0, 0, 0], max: [1, 0.2, 0.2], cells: [15, 3, 3]}}
    model: {kind: tetmg}
    material: {law: corotated, young: 1.0e6, poisson: 0.3, density: 1000}
    pins:
      - within: {box: {min: [-1, -1, -1], max: [0.001, 1, 1]}}
cuts:
  - {at: 0.12, plane: {point: [0.7, 0, 0], normal: [1, 0.2, 0]}}
  - {at: 0.25, plane: {point: [0.4, 0, 0], normal: [1, 0, 0]}, where: rest, remove: true}
colliders:
  - {plane: {normal: [0, 1, 0], offset: -0.4}, friction: 0.4}
probes:
  - {name: cuts, report: cuts}
  - {name: tip, point: [0.98, 0.1, 0.1], report: position}
output: {every: 3, formats: [vtu, obj, pc2]}
"""

# Scenes that take long to set up: fewer bodies do the same.
SMALLER = {
    "split_crowd.yaml": ["--set", "bodies.0.grid.count=[3, 1, 3]"],
}

failures = []
vtk = None  # the module, with --vtk


def expect(condition, sentence):
    if not condition:
        failures.append(sentence)
        print("FAIL", sentence)


def run(sinew, *words, **more):
    return subprocess.run([sinew, "run", *words], capture_output=True, text=True, **more)


def contents(folder):
    """Name to hash of every file below a folder."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def write_scene(folder, text=SCENE):
    path = os.path.join(folder, "scene.yaml")
    with open(path, "w") as file:
        file.write(text)
    return path


# ---- what a run writes --------------------------------------------------------------------------


def check_json(sinew, scene, folder):
    out = os.path.join(folder, "json")
    done = run(sinew, scene, "-o", out, "--json", "--steps", "4")
    expect(done.returncode == 0, f"--json exits with {done.returncode}: {done.stderr}")
    summary = json.loads(done.stdout)
    expect(set(summary) >= {"steps", "seconds", "bodies", "probes", "output"}, "keys of the summary")
    expect(set(summary["seconds"]) >= {"setup", "total", "step_median"}, "keys of seconds")
    expect(summary["steps"] == 4 and summary["output"] == out, "steps and output of the summary")
    body = summary["bodies"][0]
    expect(body["name"] == "jelly" and body["model"] == "newton" and body["dofs"] == 336 and
           body["elements"] == 270, f"the body in the summary: {body}")
    with open(os.path.join(out, "probes.csv")) as file:
        rows = [line.strip().split(",") for line in file]
    expect(rows[0] == ["t", "top.0", "top.1", "top.2", "energy.0", "energy.1", "energy.2"],
           f"the header of probes.csv: {rows[0]}")
    expect(len(rows) == 5, f"{len(rows) - 1} rows after 4 steps")
    expect([float(w) for w in rows[-1][1:4]] == summary["probes"]["top"], "last values of a probe")


def check_scenes(sinew, folder, scenes, full):
    """Every example runs and leaves pictures and data that others can read."""
    share = int(os.environ.get("SINEW_TEST_SHARE", "1"))
    for name in sorted(n for n in os.listdir(scenes) if n.endswith(".yaml"))[::share]:
        out = os.path.join(folder, name)
        path = os.path.join(scenes, name)
        # Pictures of every frame take their time, and say no more than those of some.
        words = ["--set", "output.every=100"]
        with open(path) as file:
            moves = "mode: static" not in file.read()
        if moves and not full:
            words = ["--steps", "6", "--set", "output.every=6", *SMALLER.get(name, [])]
        done = run(sinew, path, "-o", out, "--quiet", *words)
        expect(done.returncode == 0, f"{name} exits with {done.returncode}: {done.stderr}")
        expect(os.path.exists(os.path.join(out, "probes.csv")), f"{name} wrote no probes.csv")
        expect(os.path.exists(os.path.join(out, "contact_sheet.png")), f"{name} has no contact sheet")
        check_vtk(out, name)


def check_vtk(out, name):
    if vtk is None:
        return
    for collection in [f for f in os.listdir(out) if f.endswith(".pvd")]:
        with open(os.path.join(out, collection)) as file:
            parts = [line.split('file="')[1].split('"')[0] for line in file if 'file="' in line]
        expect(len(parts) > 0, f"{name}: {collection} lists no frames")
        for part in parts[-1:]:
            reader = vtk.vtkXMLUnstructuredGridReader()
            reader.SetFileName(os.path.join(out, part))
            reader.Update()
            expect(reader.GetOutput().GetNumberOfCells() > 0, f"{name}: VTK sees no cells in {part}")


def check_exits(sinew, folder):
    scene = write_scene(folder)
    expect(run(sinew).returncode == 2, "no scene is wrong usage")
    expect(run(sinew, scene, "--stepz", "3").returncode == 2, "an unknown option is wrong usage")
    expect(run(sinew, os.path.join(folder, "none.yaml")).returncode == 3, "a missing scene exits with 3")
    done = run(sinew, scene, "--set", "bodies.0.material.poisson=0.5")
    expect(done.returncode == 3 and "poisson" in done.stderr, f"poisson 0.5: {done.stderr}")
    done = run(sinew, scene, "--set", "bodies.0.materiel.young=1")
    expect(done.returncode == 3 and "material" in done.stderr, f"a wrong --set names the nearest: {done.stderr}")
    check_warning(sinew, folder)
    check_divergence(sinew, folder)
    check_full_disk(sinew, folder)


def check_warning(sinew, folder):
    """Frames on two cells of thickness with harmonic weights: a poor fit, told before and at the end."""
    frames = ", ".join(f"{{at: [{0.4 * i / 3}, 0.1, 0.05]}}" for i in range(4))
    text = SCENE.replace("max: [0.4, 0.25, 0.2], cells: [6, 3, 3]", "max: [0.4, 0.15, 0.1], cells: [8, 2, 2]")
    text = text.replace("point: [0.2, 0.25, 0.1]", "point: [0.2, 0.15, 0.1]")
    model = f"{{kind: frames, weights: harmonic, frames: [{frames}]}}"
    for springs in (False, True):
        changed = model.replace("harmonic", "harmonic, springs: true") if springs else model
        scene = write_scene(folder, text.replace("{kind: newton}", changed))
        done = run(sinew, scene, "-o", os.path.join(folder, "warned"), "--steps", "1", "--json")
        if done.returncode != 0:
            expect(False, f"a body with a poor fit exits with {done.returncode}: {done.stderr}")
            continue
        warning = json.loads(done.stdout)["bodies"][0]["warning"]
        expect((warning is None) == springs, f"the warning of a body: {warning}")
        expect(springs or f"warning: {warning}" in done.stderr, f"a poor fit is told: {done.stderr}")


def check_divergence(sinew, folder):
    """No equilibrium exists: pulled apart far beyond what St. Venant-Kirchhoff can do with free sides."""
    text = SCENE.replace("dt: 0.01, steps: 30", "mode: static, load_steps: 4")
    text = text.replace("law: corotated", "law: svk")
    text = text.replace("    velocity: {angular: [0, 0, 3]}", """    pins:
      - {within: {box: {min: [-1, -1, -1], max: [0.001, 1, 1]}}, axes: xyz}
    loads:
      - {within: {box: {min: [0.399, -1, -1], max: [1, 1, 1]}}, traction: [-4.0e5, 0, 0]}""")
    scene = os.path.join(folder, "diverges.yaml")
    with open(scene, "w") as file:
        file.write(text)
    done = run(sinew, scene, "-o", os.path.join(folder, "diverges"))
    expect(done.returncode == 4, f"a scene without equilibrium exits with {done.returncode}: {done.stderr}")
    expect("jelly" in done.stderr, f"the body is named: {done.stderr}")


def check_full_disk(sinew, folder):
    """No file may grow beyond 40 kB: the run must stop with 5 and leave whole frames."""
    scene = write_scene(folder)
    out = os.path.join(folder, "full")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))

    done = run(sinew, scene, "-o", out, preexec_fn=limit, restore_signals=False)
    expect(done.returncode == 5, f"a full disk exits with {done.returncode}: {done.stderr}")
    check_whole(out, "after a full disk")


# ---- killed and resumed -------------------------------------------------------------------------


def check_whole(out, when):
    """Every file that has its name is complete."""
    for root, _, names in os.walk(out):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                data = file.read()
            ends = {".vtu": b"</VTKFile>\n", ".pvd": b"</VTKFile>\n", ".png": b"IEND\xaeB`\x82",
                    ".svg": b"</svg>\n"}.get(os.path.splitext(name)[1])
            if name.endswith(".part"):
                continue
            if ends is not None:
                expect(data.endswith(ends), f"{name} is not whole {when}")
            if name.endswith(".glb"):
                expect(struct.unpack("<I", data[8:12])[0] == len(data), f"{name} is not whole {when}")
            if name.endswith(".pc2"):
                vertices, _, _, samples = struct.unpack("<iffi", data[16:32])
                expect(len(data) >= 32 + 12 * vertices * samples, f"{name} promises too much {when}")


def check_kills(sinew, folder, kills, seed, text=SCENE):
    scene = write_scene(folder, text)
    whole = os.path.join(folder, "whole")
    subprocess.run(["rm", "-rf", whole], check=True)
    started = time.monotonic()
    done = run(sinew, scene, "-o", whole, "--threads", "2")
    seconds = time.monotonic() - started
    expect(done.returncode == 0, f"the run exits with {done.returncode}: {done.stderr}")
    expected = contents(whole)
    chance = random.Random(seed)
    resumed = 0
    for kill in range(kills):
        out = os.path.join(folder, "killed")
        # Each directory is killed up to three times before it may finish.
        if kill % 3 == 0:
            subprocess.run(["rm", "-rf", out], check=True)
        words = [sinew, "run", scene, "-o", out, "--threads", str(chance.choice([1, 2, 3]))]
        if os.path.exists(out):
            words.append("--resume")
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        check_whole(out, f"after kill {kill}")
        if kill % 3 == 2 or kill == kills - 1:
            done = run(sinew, scene, "-o", out, "--resume", "--threads", str(chance.choice([1, 2])))
            expect(done.returncode == 0, f"resume after kill {kill} exits with {done.returncode}: {done.stderr}")
            now = contents(out)
            different = sorted(n for n in set(now) | set(expected) if now.get(n) != expected.get(n))
            expect(not different, f"after kill {kill} these differ: {different[:5]}")
            resumed += 1
    print(f"{kills} kills, {resumed} runs resumed to the end")


def main():
    global vtk
    parser = argparse.ArgumentParser()
    parser.add_argument("sinew")
    parser.add_argument("scenes")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vtk", action="store_true")
    arguments = parser.parse_args()
    if arguments.vtk:
        import vtk
    with tempfile.TemporaryDirectory() as folder:
        check_json(arguments.sinew, write_scene(folder), folder)
        check_exits(arguments.sinew, folder)
        check_scenes(arguments.sinew, folder, arguments.scenes, arguments.full)
        # Builds that run one random case in many are slow: one kill there says as much as nine.
        share = int(os.environ.get("SINEW_TEST_SHARE", "1"))
        check_kills(arguments.sinew, folder, max(1, arguments.kills // share), arguments.seed)
        check_kills(arguments.sinew, folder, max(1, arguments.kills // share // 3), arguments.seed, CUT_SCENE)
    print("ok" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
