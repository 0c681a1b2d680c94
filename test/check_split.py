#!/usr/bin/env python3
"""test/check_split.py SINEW [--data DIR] [--doc FILE] [--only PART,...] [--keep DIR] [--jobs N]: what `split`
delivers, measured against `newton` on the same tets with the same time step, by `sinew run` alone.

Parts: swing (counts of iterations over stiffness, Poisson's ratio and time step), accuracy (what a wanted accuracy
gives), second (the second order rule against the motion as dt goes to zero), bodies (other bodies), static, twist
(volume under a twist), starts (mirrored to scrambled, stretched and twisted bodies recover). DIR of --data holds the
armadillo meshes; without them a blob figure swings. --keep DIR keeps runs for the next time: those of `newton` for
good, those of `split` for the same program. --doc writes doc/split_accuracy.md. Ends with 1 when a promise of that page is broken.
"""

import argparse
import concurrent.futures
import hashlib
import itertools
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

PRESETS = [(n, p) for n in (1, 2, 3) for p in (1, 2, 3)]
HAND = {"sphere": {"center": [-0.1112805, 0.171487, 0.06512415], "radius": 0.02}}
ASKED = []  # (sentence, value, limit)
CUBES = ("lattice", "voxel")  # models that are not made of tets


# ---- running ------------------------------------------------------------------------------------


class Runs:
    """Runs scenes, two at a time if wanted, and keeps what was run before."""

    def __init__(self, sinew, keep, jobs):
        self.sinew = os.path.abspath(sinew)
        self.keep = keep
        with open(self.sinew, "rb") as file:
            self.program = hashlib.sha256(file.read()).hexdigest()
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.futures = {}

    def start(self, scene):
        key = json.dumps(scene, sort_keys=True)
        if key not in self.futures:
            self.futures[key] = self.pool.submit(self.run, scene, key)
        return self.futures[key]

    def get(self, scene):
        return self.start(scene).result()

    def run(self, scene, key):
        reference = all(body["model"]["kind"] == "newton" for body in scene["bodies"])
        kept = None
        if self.keep:
            os.makedirs(self.keep, exist_ok=True)
            name = key if reference else self.program + key
            kept = os.path.join(self.keep, hashlib.sha256(name.encode()).hexdigest()[:16] + ".json")
            if os.path.exists(kept):
                with open(kept) as file:
                    return json.load(file)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.yaml")
            with open(path, "w") as file:
                json.dump(scene, file)  # JSON is YAML
            done = subprocess.run([self.sinew, "run", path, "-o", os.path.join(folder, "out"), "--json", "--quiet",
                                   "--threads", "1"], capture_output=True, text=True)
            if done.returncode != 0:
                return {"failed": done.stderr.strip().replace(path, "scene"), "code": done.returncode}
            result = json.loads(done.stdout)
            with open(os.path.join(folder, "out", "probes.csv")) as file:
                names = file.readline().strip().split(",")
                result["names"] = names
                result["rows"] = [[float(word) for word in line.split(",")] for line in file if line.strip()]
            if scene["output"]["formats"]:
                frames = os.path.join(folder, "out", "frames")
                result["shapes"] = {}
                for body in scene["bodies"]:
                    found = sorted(name for name in os.listdir(frames) if name.startswith(body["name"] + "."))
                    frame = read_frame(os.path.join(frames, found[-1]))
                    result["shapes"][body["name"]] = shape_error(frame)
                    if body["model"]["kind"] not in CUBES:
                        result["volume"] = volume_error(frame)
        if kept:
            with open(kept, "w") as file:
                json.dump(result, file)
        return result


def means(run):
    """Time and mean displacement of every step."""
    at = run["names"].index("mean.0")
    return [(row[0], row[at:at + 3]) for row in run["rows"]]


def length(v):
    return math.sqrt(sum(c * c for c in v))


def difference(run, truth):
    """Largest over the output times (50 ms and after) of the distance of means, relative to the mean there; and
    relative to the largest mean of the run."""
    if "failed" in run or "failed" in truth:
        return math.inf, math.inf
    there = {round(t, 6): u for t, u in means(truth)}
    here = [(t, u) for t, u in means(run) if t > 0.0499]
    pairs = [(u, there[round(t, 6)]) for t, u in here if round(t, 6) in there]
    largest = max(length(v) for _, v in pairs)
    gaps = [(length([a - b for a, b in zip(u, v)]), length(v)) for u, v in pairs]
    return max(gap / size for gap, size in gaps), max(gap / largest for gap, _ in gaps)


# ---- scenes -------------------------------------------------------------------------------------


def scene(shape, model, young, poisson, dt, steps, pin, law="corotated", gravity=(0, -9.81, 0), **more):
    body = {"name": "body", "shape": shape, "model": model,
            "material": {"law": law, "young": young, "poisson": poisson, "density": 1000}, **more}
    if pin:
        body["pins"] = pin if isinstance(pin, list) else [{"within": pin}]
    return {"sinew": 1, "world": {"gravity": list(gravity), "dt": dt, "steps": steps}, "bodies": [body],
            "probes": [{"name": "mean", "body": "body", "report": "mean_displacement"},
                       {"name": "volume", "body": "body", "report": "volume"},
                       {"name": "energy", "body": "body", "report": "energy"}],
            "output": {"formats": []}}


def split(newton=0, pcg=0, **more):
    return {"kind": "split", "newton": newton, "pcg": pcg, **more}


def newton(**more):
    return {"kind": "newton", "element": "tet", "tolerance": 1e-8, **more}


def figure(resolution):
    return {"blob": {"smooth": 0.04, "resolution": resolution, "parts": [
        {"ellipsoid": {"center": [0, 0.25, 0], "radii": [0.13, 0.18, 0.11]}},
        {"sphere": {"center": [0, 0.52, 0], "radius": 0.11}},
        {"capsule": {"from": [-0.1, 0.36, 0], "to": [-0.32, 0.44, 0.04], "radius": 0.05}},
        {"capsule": {"from": [0.1, 0.36, 0], "to": [0.32, 0.44, 0.04], "radius": 0.05}},
        {"capsule": {"from": [-0.07, 0.12, 0], "to": [-0.12, -0.12, 0.02], "radius": 0.06}},
        {"capsule": {"from": [0.07, 0.12, 0], "to": [0.12, -0.12, 0.02], "radius": 0.06}}]}}


FIGURE_HAND = {"sphere": {"center": [-0.34, 0.445, 0.045], "radius": 0.06}}


def swing(data, size, model, young, poisson, dt, seconds=0.5):
    steps = round(seconds / dt)
    if data:
        return scene({"tets": os.path.join(data, f"armadillo_{size}.node")}, model, young, poisson, dt, steps, HAND,
                     pose={"rotate": {"axis": [0, 1, 0], "degrees": 180}, "scale": 0.1})
    return scene(figure({"6k": 20, "16k": 28}[size]), model, young, poisson, dt, steps, FIGURE_HAND)


# ---- parts --------------------------------------------------------------------------------------


def percent(value):
    return "-" if not math.isfinite(value) else f"{100 * value:.2g}"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(str(word) for word in row) + " |" for row in rows]) + "\n"


def ask(sentence, value, limit):
    ASKED.append((sentence, value, limit))


def cost(run):
    """Linear solves a step."""
    return "-" if "failed" in run else f"{run['linear_solves'] / run['steps']:.1f}"


def stiffness(young):
    return f"{young:.0e}".replace("e+0", "e")


def part_swing(runs, data):
    """Counts of iterations over stiffness, Poisson's ratio and time step."""
    cases = [("6k", E, nu, dt) for E in (1e5, 1e6, 1e7) for nu in (0.33, 0.45) for dt in (0.01, 1 / 60, 1 / 30)]
    cases += [("16k", 1e6, 0.33, 0.01), ("16k", 1e6, 0.45, 0.01), ("16k", 1e5, 0.33, 0.01), ("16k", 1e7, 0.33, 0.01),
              ("16k", 1e6, 0.33, 1 / 60)]
    models = [split(n, p) for n, p in PRESETS] + [split()]
    for case, model in itertools.product(cases, [newton()] + models):
        runs.start(swing(data, case[0], model, *case[1:]))
    rows = []
    for size, E, nu, dt in cases:
        truth = runs.get(swing(data, size, newton(), E, nu, dt))
        done = [runs.get(swing(data, size, model, E, nu, dt)) for model in models]
        errors = [difference(run, truth) for run in done]
        rows.append([size, stiffness(E), nu, f"{1e3 * dt:.3g}"] + [percent(error) for error, _ in errors] +
                    [percent(errors[-1][1]), cost(done[-1])])
        if dt < 0.02:
            limit = 0.01 if (E, nu, dt) == (1e6, 0.33, 0.01) else 0.03
            ask(f"swing {size}, E {stiffness(E)}, nu {nu}, dt {1e3 * dt:.3g} ms, default", errors[-1][0], limit)
    return ("## Swing: counts of iterations\n\nThe armadillo of the validation set hangs by a hand and swings for half "
            "a second from rest, E 1e6 Pa, nu 0.33, 10 ms unless said. Newton x conjugate gradients as given counts, "
            "and the default, whose counts come from `accuracy: 1e-3`; `solves` are its uses of the factor a step.\n\n" +
            table(["tets", "E, Pa", "nu", "dt, ms"] + [f"{n} x {p}" for n, p in PRESETS] +
                  ["default", "of the largest", "solves"], rows))


def part_accuracy(runs, data):
    """What a wanted accuracy gives."""
    wanted = (3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5)
    cases = [("6k", 1e6, 0.33, 0.01), ("6k", 1e6, 0.45, 0.01), ("6k", 1e5, 0.33, 1 / 60), ("6k", 1e7, 0.33, 0.01),
             ("6k", 1e7, 0.45, 0.01), ("6k", 1e6, 0.33, 1 / 30)]
    for case, accuracy in itertools.product(cases, wanted):
        runs.start(swing(data, case[0], split(accuracy=accuracy), *case[1:]))
    rows = []
    for size, E, nu, dt in cases:
        truth = runs.get(swing(data, size, newton(), E, nu, dt))
        done = [runs.get(swing(data, size, split(accuracy=accuracy), E, nu, dt)) for accuracy in wanted]
        errors = [difference(run, truth)[0] for run in done]
        rows.append([stiffness(E), nu, f"{1e3 * dt:.3g}"] +
                    [f"{percent(error)} ({cost(run)})" for error, run in zip(errors, done)])
        # The motion of half a second adds up what steps leave; float places end it.
        for accuracy, error in zip(wanted[4:], errors[4:]):
            ask(f"swing, E {stiffness(E)}, nu {nu}, dt {1e3 * dt:.3g} ms, accuracy {accuracy:g}", error,
                max(12 * accuracy, 5e-4))
    return ("## Swing: a wanted accuracy\n\nThe error of the whole motion, and in brackets solves a step. `accuracy` is "
            "that of one step.\n\n" + table(["E, Pa", "nu", "dt, ms"] + [f"{a:g}" for a in wanted], rows))


def part_second(runs, data):
    """The second order rule against the motion as dt goes to zero."""
    sizes = ["6k"] if data == "" else ["6k", "16k"]
    rows = []
    for size in sizes:
        fine = {n: swing(data, size, newton(integrator="bdf2"), 1e6, 0.33, 0.01 / n) for n in (4, 8)}
        wanted = [("newton, euler", newton()), ("newton, bdf2", newton(integrator="bdf2")),
                  ("split, euler", split()), ("split, bdf2", split(integrator="bdf2")),
                  ("split, bdf2, 2 x 1", split(2, 1, integrator="bdf2")),
                  ("split, bdf2, 2 x 2", split(2, 2, integrator="bdf2"))]
        for case in list(fine.values()) + [swing(data, size, model, 1e6, 0.33, 0.01) for _, model in wanted]:
            runs.start(case)
        truth = extrapolate(runs.get(fine[4]), runs.get(fine[8]))
        for label, model in wanted:
            run = runs.get(swing(data, size, model, 1e6, 0.33, 0.01))
            error, loose = difference(run, truth)
            rows.append([size, label, percent(error), percent(loose), cost(run) if "split" in label else ""])
            if label == "split, bdf2":
                ask(f"swing {size}, bdf2, against dt to zero", error, 0.03)
    return ("## Swing: against the motion as dt goes to zero\n\nThat motion: `newton` by BDF2 with 2.5 and 1.25 ms, "
            "extrapolated. Steps of 10 ms.\n\n" +
            table(["tets", "method", "error", "of the largest", "solves"], rows))


def extrapolate(coarse, fine):
    """Second order: a third of the difference is left."""
    rows = {round(row[0], 6): row for row in coarse["rows"]}
    out = dict(fine)
    out["rows"] = [[row[0]] + [b + (b - a) / 3 for a, b in zip(rows[round(row[0], 6)][1:], row[1:])]
                   for row in fine["rows"] if round(row[0], 6) in rows]
    return out


def other_bodies():
    """Name, maker of a scene from a model."""
    wall = {"box": {"min": [-1, -9, -9], "max": [1e-6, 9, 9]}}
    beam = {"box": {"min": [0, 0, 0], "max": [1, 0.2, 0.2], "cells": [20, 4, 4]}}
    slim = {"box": {"min": [0, 0, 0], "max": [1, 0.05, 0.05], "cells": [40, 2, 2]}}
    sheet = {"box": {"min": [0, 0, 0], "max": [1, 0.02, 1], "cells": [50, 1, 50]}}
    soft = [{"within": {"box": {"min": [0.4, -1, -1], "max": [0.6, 2, 2]}}, "material": {"young": 1e4}}]
    stiff = [{"within": {"box": {"min": [0.5, -1, -1], "max": [1.1, 2, 2]}}, "material": {"young": 1e8}}]
    limbs = figure(20)
    yield "beam, 1600 tets", lambda m: scene(beam, m, 1e6, 0.33, 0.01, 50, wall)
    yield "beam, nu 0.45", lambda m: scene(beam, m, 1e6, 0.45, 0.01, 50, wall)
    yield "slender beam 1:20", lambda m: scene(slim, m, 1e7, 0.33, 0.01, 50, wall)
    yield "blob with limbs", lambda m: scene(limbs, m, 3e5, 0.4, 0.01, 50, FIGURE_HAND)
    yield "thin sheet 1:50", lambda m: scene(sheet, m, 1e7, 0.33, 0.01, 50, wall)
    yield "beam with a soft joint, 1:1e-3", lambda m: scene(beam, m, 1e7, 0.33, 0.01, 50, wall, regions=soft)
    yield "beam with a stiff half, 1:1e3", lambda m: scene(beam, m, 1e5, 0.33, 0.01, 50, wall, regions=stiff)
    yield "beam, fixed_corotated", lambda m: scene(beam, m, 1e6, 0.33, 0.01, 50, wall, law="fixed_corotated")
    yield "beam, bdf2", lambda m: scene(beam, {**m, "integrator": "bdf2"}, 1e6, 0.33, 0.01, 50, wall)


def part_bodies(runs, data):
    """Other bodies: a beam, a blob with limbs, a thin sheet, stiff and soft regions."""
    models = [split(2, 2), split(2, 3), split(), split(accuracy=1e-4)]
    bodies = list(other_bodies())
    for (_, make), model in itertools.product(bodies, [newton()] + models):
        runs.start(make(model))
    rows = []
    for name, make in bodies:
        truth = runs.get(make(newton()))
        done = [runs.get(make(model)) for model in models]
        errors = [difference(run, truth) for run in done]
        rows.append([name] + [percent(error) for error, _ in errors[:2]] +
                    [f"{percent(errors[2][0])} ({percent(errors[2][1])})", cost(done[2]), percent(errors[3][0]), cost(done[3])])
        ask(f"{name}, default, of the largest mean", errors[2][1], 0.01)
    return ("## Other bodies\n\nEach held at one end and let go, half a second by 10 ms. In brackets: of the largest mean "
            "displacement.\n\n" +
            table(["body", "2 x 2", "2 x 3", "default", "solves", "1e-4", "solves"], rows))


# ---- shapes at the end --------------------------------------------------------------------------


def read_frame(path):
    """Rest positions, positions and tets of a VTU of ours."""
    with open(path, "rb") as file:
        text = file.read()
    head, raw = text.split(b'<AppendedData encoding="raw">', 1)
    raw = raw[raw.index(b"_") + 1:]

    def array(name, kind, size):
        found = re.search(rb'Name="' + name + rb'"[^>]*offset="(\d+)"', head)
        at = int(found.group(1))
        (count,) = struct.unpack_from("<Q", raw, at)
        return struct.unpack_from(f"<{count // size}{kind}", raw, at + 8)

    points = array(b"Points", "d", 8)
    moved = array(b"displacement", "d", 8)
    tets = array(b"connectivity", "i", 4)
    now = [points[i:i + 3] for i in range(0, len(points), 3)]
    rest = [[points[i + k] - moved[i + k] for k in range(3)] for i in range(0, len(points), 3)]
    return rest, now, [tets[i:i + 4] for i in range(0, len(tets), 4)]


def middle_of(points):
    return [sum(p[k] for p in points) / len(points) for k in range(3)]


def best_rotation(rest, now):
    """Of middles at the origin: Horn's quaternion, by power iteration."""
    S = [[sum(a[i] * b[j] for a, b in zip(rest, now)) for j in range(3)] for i in range(3)]
    N = [[S[0][0] + S[1][1] + S[2][2], S[1][2] - S[2][1], S[2][0] - S[0][2], S[0][1] - S[1][0]],
         [0, S[0][0] - S[1][1] - S[2][2], S[0][1] + S[1][0], S[2][0] + S[0][2]],
         [0, 0, -S[0][0] + S[1][1] - S[2][2], S[1][2] + S[2][1]],
         [0, 0, 0, -S[0][0] - S[1][1] + S[2][2]]]
    for i in range(4):
        for j in range(i):
            N[i][j] = N[j][i]
    shift = sum(abs(N[i][j]) for i in range(4) for j in range(4))
    for i in range(4):
        N[i][i] += shift
    for _ in range(9):  # squared nine times: the power of 512
        scale = max(abs(v) for row in N for v in row)
        N = [[sum(N[i][k] * N[k][j] for k in range(4)) / scale ** 2 for j in range(4)] for i in range(4)]
    column = max(range(4), key=lambda j: sum(N[i][j] ** 2 for i in range(4)))
    w, x, y, z = (N[i][column] / math.sqrt(sum(N[k][column] ** 2 for k in range(4))) for i in range(4))
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def shape_error(frame):
    """RMS distance from the rest shape, moved as a whole, over the longest side of its bounds."""
    rest, now, _ = frame
    size = max(max(p[k] for p in rest) - min(p[k] for p in rest) for k in range(3))
    a, b = middle_of(rest), middle_of(now)
    rest = [[p[k] - a[k] for k in range(3)] for p in rest]
    now = [[p[k] - b[k] for k in range(3)] for p in now]
    R = best_rotation(rest, now)
    square = sum((sum(R[i][k] * p[k] for k in range(3)) - q[i]) ** 2 for p, q in zip(rest, now) for i in range(3))
    return math.sqrt(square / len(rest)) / size


def determinant(a, b, c):
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
            a[2] * (b[0] * c[1] - b[1] * c[0]))


def volume_error(frame):
    """Root of the mean over rest volume of (J - 1)^2."""
    rest, now, tets = frame
    whole = total = 0.0
    for tet in tets:
        volumes = []
        for points in (rest, now):
            o = points[tet[0]]
            volumes.append(determinant(*[[points[v][k] - o[k] for k in range(3)] for v in tet[1:]]))
        total += abs(volumes[0])
        whole += abs(volumes[0]) * (volumes[1] / volumes[0] - 1.0) ** 2
    return math.sqrt(whole / total)


# ---- starts -------------------------------------------------------------------------------------


def start_shapes(data):
    yield "box", {"box": {"min": [0, 0, 0], "max": [0.4, 0.2, 0.2], "cells": [8, 4, 4]}}
    yield "sheet", {"box": {"min": [0, 0, 0], "max": [0.5, 0.05, 0.5], "cells": [10, 1, 10]}}
    yield "ball", {"sphere": {"radius": 0.2, "resolution": 5}}
    yield "ring", {"torus": {"radius": 0.2, "tube": 0.07, "resolution": 8}}
    yield "figure", figure(14)
    yield "capsule", {"capsule": {"from": [0, 0, 0], "to": [0.4, 0.1, 0], "radius": 0.1, "resolution": 14}}
    if data:
        yield "armadillo 4k", {"tets": os.path.join(data, "armadillo_4k.node")}


START_STEPS = 100  # the promise is 200: half of them do
START_WAYS = [("split", "corotated", split()), ("split", "fixed_corotated", split()),
              ("split, bdf2", "corotated", split(integrator="bdf2")), ("split, paper", "corotated", split(mode="paper")),
              ("tetmg", "corotated", {"kind": "tetmg"}), ("lattice", "corotated", {"kind": "lattice"}),
              ("voxel", "corotated", {"kind": "voxel", "fine_levels": 1}),
              ("voxel, bdf2", "corotated", {"kind": "voxel", "fine_levels": 1, "integrator": "bdf2"}),
              ("voxel, one linearisation", "corotated", {"kind": "voxel", "fine_levels": 1, "newton": 1}),
              ("voxel, paper", "corotated", {"kind": "voxel", "fine_levels": 1, "mode": "paper"})]


def part_starts(runs, data):
    """Mirrored, flattened, collapsed and scrambled bodies come back to their rest shape in 200 steps."""
    starts = [("mirrored", 0), ("flattened", 0), ("collapsed", 0)] + [("scrambled", seed) for seed in range(20)]
    pairs = [(way, shape) for way in START_WAYS for shape in start_shapes(data)
             if not (way[2]["kind"] in CUBES and "tets" in shape[1])]

    def make(shape, law, model):
        """All starts side by side in one world: bodies do not see each other."""
        scale = {"pose": {"scale": 0.1}} if "tets" in shape else {}
        out = scene(shape, model, 1e6, 0.3, 0.01, START_STEPS, None, law=law, gravity=(0, 0, 0), **scale)
        out["bodies"] = [dict(out["bodies"][0], name=f"{start}_{seed}", start=start, start_seed=seed)
                         for start, seed in starts]
        # Seen from afar scrambled bodies are quick to draw; else pictures take most of the time.
        out["bodies"].append({"name": "far", "model": {"kind": "newton"}, "shape": {
            "box": {"min": [1e3, 0, 0], "max": [1e3 + 1, 1, 1], "cells": [1, 1, 1]}}})
        out["probes"] = [{"name": "energy", "body": "mirrored_0", "report": "energy"}]
        out["output"] = {"every": START_STEPS, "formats": ["vtu"]}
        return out

    for way, shape in pairs:
        runs.start(make(shape[1], *way[1:]))
    rows = []
    for (label, law, model), (name, shape) in pairs:
        run = runs.get(make(shape, law, model))
        errors = run.get("shapes", {})
        worst = {}
        for start, seed in starts:
            worst[start] = max(worst.get(start, 0.0), errors.get(f"{start}_{seed}", math.inf))
        wrong = sum(not errors.get(f"{start}_{seed}", math.inf) <= 0.01 for start, seed in starts)
        rows.append([label, law, name, run["bodies"][0]["elements"] if "bodies" in run else run.get("failed")] +
                    [percent(worst[start]) for start in ("mirrored", "flattened", "collapsed", "scrambled")] + [wrong])
        ask(f"starts of {name}, {label}, {law}: the worst shape", max(worst.values()), 0.01)
    return (f"## Starts\n\nDistance from the rest shape after {START_STEPS} steps of 10 ms, E 1e6 Pa, nu 0.3, nothing "
            "held: RMS over the vertices after the best turn and shift, in % of the size; the worst of twenty seeds for "
            "scrambled bodies. `above 1 %` counts those of 23 runs.\n\n" +
            table(["method", "law", "body", "elements", "mirrored", "flattened", "collapsed", "scrambled", "above 1 %"],
                  rows))


# ---- equilibria and volume ----------------------------------------------------------------------


def static_cases():
    """Name, maker of a static scene from a model and a tolerance."""
    wall = {"within": {"box": {"min": [-1, -9, -9], "max": [1e-6, 9, 9]}}}

    def hanging(model, tolerance, law="corotated", young=5e5, nu=0.35):
        out = scene({"box": {"min": [0, 0, 0], "max": [1, 0.2, 0.2], "cells": [20, 4, 4]}}, model, young, nu, 0.01, 1,
                    [wall], law=law)
        out["world"] = {"gravity": [0, -9.81, 0], "mode": "static", "load_steps": 1, "tolerance": tolerance}
        return out

    def twisted(model, tolerance):
        end = {"within": {"box": {"min": [1 - 1e-6, -9, -9], "max": [2, 9, 9]}},
               "move": [{"t": 0}, {"t": 1, "rotate": {"axis": [1, 0, 0], "degrees": 120, "about": [0, 0.1, 0.1]}}]}
        out = hanging(model, tolerance, nu=0.45)
        out["world"] = {**out["world"], "gravity": [0, -2, 0], "load_steps": 4}
        out["bodies"][0]["pins"] = [wall, end]
        return out

    yield "S5, beam under its weight", hanging
    yield "the same, fixed_corotated", lambda m, t: hanging(m, t, law="fixed_corotated")
    yield "the same, nu 0.49", lambda m, t: hanging(m, t, nu=0.49)
    yield "the same, E 1e5", lambda m, t: hanging(m, t, young=1e5)
    yield "beam turned by 120 degrees, nu 0.45", twisted


def part_static(runs, data):
    """Equilibria against newton as the tolerance falls."""
    tolerances = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
    rows = []
    for name, make in static_cases():
        truth = runs.get(make(newton(), 1e-10))
        done = [runs.get(make(split(), tolerance)) for tolerance in tolerances]
        errors = []
        for run in done:
            here, there = means(run)[-1][1], means(truth)[-1][1]
            errors.append(length([a - b for a, b in zip(here, there)]) / length(there))
        rows.append([name] + [f"{error:.0e} ({run['linear_solves']})" for error, run in zip(errors, done)])
        ask(f"static, {name}, tolerance 1e-8", errors[-1], 1e-6)
        ask(f"static, {name}: not worse at 1e-8 than at 1e-2", errors[-1], errors[1])
    return ("## Equilibria\n\nMean displacement of static solves relative to `newton`'s (tolerance 1e-10) by the wanted "
            "force residual; in brackets solves with the factor in all.\n\n" +
            table(["case"] + [f"{t:g}" for t in tolerances], rows))


def part_twist(runs, data):
    """A beam turned by one full turn at nu 0.49: the volume that each way keeps."""
    def make(model):
        wall = {"within": {"box": {"min": [-1, -9, -9], "max": [1e-6, 9, 9]}}}
        end = {"within": {"box": {"min": [1 - 1e-6, -9, -9], "max": [2, 9, 9]}},
               "move": [{"t": 0}, {"t": 1, "rotate": {"axis": [1, 0, 0], "degrees": 360, "about": [0, 0.1, 0.1]}}]}
        out = scene({"box": {"min": [0, 0, 0], "max": [1, 0.2, 0.2], "cells": [20, 4, 4]}}, model, 1e6, 0.49, 0.01, 120,
                    [wall, end], gravity=(0, 0, 0))
        out["output"] = {"every": 120, "formats": ["vtu"]}
        out["probes"] += [{"name": "grip", "body": "body", "pin": 1, "report": "reaction"}]
        return out

    ways = [("newton", newton()), ("split, implicit", split()), ("split, implicit, accuracy 1e-5", split(accuracy=1e-5))]
    ways += [(f"split, paper, {passes} x {volume}", split(mode="paper", passes=passes, volume_iterations=volume))
             for passes, volume in ((1, 0), (1, 1), (1, 5), (1, 50), (10, 1), (10, 5), (100, 5))]
    for _, model in ways:
        runs.start(make(model))
    rows = []
    for name, model in ways:
        run = runs.get(make(model))
        at = run["names"].index("volume.0")
        torque = run["rows"][-1][run["names"].index("grip.3")]
        rows.append([name, f"{100 * run['volume']:.2g}", f"{run['rows'][-1][at + 1]:.2g}", f"{torque:.3g}"])
        if name == "newton":
            truth = run["volume"]
        elif "implicit" in name:
            ask(f"twist, {name}: rms(J - 1) away from newton's", abs(run["volume"] - truth) / truth, 0.02)
    return ("## Volume under a twist\n\nThe beam of 1600 tets, E 1e6 Pa, nu 0.49, one end turned once in a second and held "
            "for 0.2 s more. Paper: passes x volume sweeps. Linear tets lock at this ratio, so what counts is the "
            "distance from `newton` on the same tets: the volume sweeps keep volume by "
            "their number, not by nu. The torque is the law's at the state reached.\n\n" +
            table(["way", "rms(J - 1), %", "smallest J", "torque, N m"], rows))


# ---- all ----------------------------------------------------------------------------------------

PARTS = {"swing": part_swing, "accuracy": part_accuracy, "second": part_second, "bodies": part_bodies,
         "static": part_static, "twist": part_twist, "starts": part_starts}


DOC_HEAD = """# Accuracy of `split`

Measured by `sinew run` alone, on the same tets with the same time step as `newton`, which is the converged answer
(`doc/validation.md` holds it against other codes). An error is the distance between the mean displacement vectors,
the largest of all steps from 50 ms on, in % of the mean displacement at that step; `of the largest`: in % of the
largest of the run, which is fairer where bodies swing back to where they came from. Costs are solves with the factor
a step, which no other job on the machine changes; `sinew bench split` measures times.

This page is made by `test/check_split.py build/sinew --data DATA --doc doc/split_accuracy.md`, which also fails when a
goal of the method is missed: 1 % for the swing at E 1e6 Pa, nu 0.33, 10 ms; 3 % for E 1e5 to 1e7, nu to 0.45
and steps to 16.7 ms with the same settings; 3 % of the motion as dt goes to zero for `bdf2`; 1 % of the size for starts.

"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sinew")
    parser.add_argument("--data", default="")
    parser.add_argument("--doc")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    data = os.path.abspath(arguments.data) if arguments.data else ""
    data = data if os.path.exists(os.path.join(data, "armadillo_16k.node")) else ""
    runs = Runs(arguments.sinew, arguments.keep, arguments.jobs)
    names = [name for name in arguments.only.split(",") if name] or list(PARTS)
    texts = []
    for name in names:
        texts.append(PARTS[name](runs, data))
        print(texts[-1], flush=True)
    if arguments.doc:
        with open(arguments.doc, "w") as file:
            file.write(DOC_HEAD + "\n".join(texts))
    broken = [entry for entry in ASKED if not entry[1] <= entry[2]]
    for sentence, value, limit in broken:
        print(f"BROKEN {sentence}: {value:.3g}, promised {limit:g}")
    print(f"check_split: {len(ASKED) - len(broken)} of {len(ASKED)} promises kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
