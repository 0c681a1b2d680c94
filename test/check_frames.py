#!/usr/bin/env python3
"""check_frames.py [--all] WRITE_FRAMES: other programs read what a run writes.

VTK's own readers load every VTU and the PVD, assimp the GLB, the OBJ and the PLY, and the point
caches are taken apart byte by byte. Without --all the others are not asked; with it a missing one
(assimp, python3-vtk9) is a failure. Ends with 1 when something differs.
"""
import json
import math
import os
import struct
import sys
import tempfile
import xml.etree.ElementTree

import oracle
from oracle import expect, missing, run

program = os.path.abspath(oracle.arguments[0])

VTK_PROGRAM = """
import sys, vtk
problems = []
def note(caller, event, data=''):
    problems.append(str(data))
note.CallDataType = vtk.VTK_STRING
total = {10: 0, 12: 0, 5: 0}
for path in sys.argv[1:]:
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.AddObserver('ErrorEvent', note)
    reader.AddObserver('WarningEvent', note)
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    kind = grid.GetCellType(0)
    volume, smallest = 0.0, 1e300
    if kind != 5:
        sizes = vtk.vtkCellSizeFilter()
        sizes.SetInputData(grid)
        sizes.Update()
        data = sizes.GetOutput().GetCellData().GetArray('Volume')
        values = [data.GetValue(i) for i in range(data.GetNumberOfTuples())]
        volume, smallest = sum(values), min(values)
    time = grid.GetFieldData().GetArray('TimeValue').GetValue(0)
    moved = grid.GetPointData().GetArray('displacement')
    speed = grid.GetPointData().GetArray('velocity')
    last = grid.GetNumberOfPoints() - 1
    cell = grid.GetCellData()
    print(kind, grid.GetNumberOfPoints(), grid.GetNumberOfCells(), repr(volume), repr(smallest),
          repr(time), repr(moved.GetComponent(last, 1)) if moved else '-',
          repr(speed.GetComponent(last, 1)) if speed else '-',
          cell.GetArray('region').GetNumberOfTuples() if cell.GetArray('region') else '-',
          reader.GetErrorCode(), len(problems))
"""


def check_vtk(folder, about):
    """Every file of the list: counts, volumes (none turned inside out), times and fields."""
    root = xml.etree.ElementTree.parse(os.path.join(folder, "run.pvd")).getroot()
    sets = root.findall("Collection/DataSet")
    expect("the list has all frames", len(sets) == 3 * about["frames"], str(len(sets)))
    if missing("vtk"):
        return
    script = os.path.join(folder, "with_vtk.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(VTK_PROGRAM)
    code, text = run(sys.executable, script, *[os.path.join(folder, s.get("file")) for s in sets])
    expect("VTK runs", code == 0, text)
    lines = text.split("\n")
    for entry, line in zip(sets, lines):
        what = f"VTK reads {entry.get('file')}"
        words = line.split()
        if len(words) != 11:
            expect(what, False, text)
            continue
        kind, time = int(words[0]), float(words[5])
        cells = {10: 6 * about["cells"], 12: about["cells"], 5: about["triangles"]}[kind]
        expect(what, int(words[1]) == about["nodes"] and int(words[2]) == cells, line)
        expect(what + ": no errors", words[9:] == ["0", "0"], line)
        expect(what + ": time", time == float(entry.get("timestep")), line)
        if kind != 5:
            # Shearing keeps the volume of 2 x 0.5 x 0.5; sums of up to 648 roundings.
            expect(what + ": volume", math.isclose(float(words[3]), 0.5, rel_tol=1e-9), line)
            expect(what + ": none inside out", float(words[4]) > 0, line)
            expect(what + ": displacement", math.isclose(float(words[6]), -time, abs_tol=1e-15),
                   line)
            expect(what + ": velocity", float(words[7]) == -1.0, line)
            expect(what + ": regions", int(words[8]) == cells, line)


def read_pc2(path):
    """The frames of a PC2 file, by its description alone."""
    with open(path, "rb") as file:
        data = file.read()
    sign, version, points, start, rate, samples = struct.unpack_from("<12siiffi", data)
    expect("PC2 header", (sign, version, start, rate) == (b"POINTCACHE2\0", 1, 0.0, 1.0))
    expect("PC2 size", len(data) == 32 + 12 * points * samples, str(len(data)))
    numbers = struct.unpack_from(f"<{3 * points * samples}f", data, 32)
    return points, [numbers[3 * points * s:3 * points * (s + 1)] for s in range(samples)]


def check_caches(folder, about):
    """The probe's row is the last vertex of the PC2."""
    points, frames = read_pc2(os.path.join(folder, "bar.pc2"))
    expect("PC2 counts", points == about["nodes"] and len(frames) == about["frames"])
    with open(os.path.join(folder, "probes.csv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(",") for line in file]
    expect("probes: header", rows[0] == ["t", "tip.0", "tip.1", "tip.2"], str(rows[0]))
    expect("probes: rows", len(rows) == 1 + len(frames))
    for row, frame in zip(rows[1:], frames):
        values = [float(word) for word in row]
        as_floats = struct.unpack("3f", struct.pack("3f", *values[1:]))
        expect("probes: last vertex", as_floats == frame[-3:], str(row))
    return frames


def check_assimp(folder, about):
    """assimp reads the GLB as two meshes with morph targets and their animation."""
    if missing("assimp"):
        return
    for name in ("run.glb", "bar_0003.obj", "bar_0003.ply"):
        code, text = run("assimp", "info", os.path.join(folder, name))
        expect(f"assimp reads {name}", code == 0 and "rror" not in text.split("Memory")[0], text)
        faces = about["triangles"] + (12 if name == "run.glb" else 0)
        expect(f"assimp {name}: faces", any(line.split() == ["Faces:", str(faces)]
                                            for line in text.splitlines()), text)
    code, text = run("assimp", "info", os.path.join(folder, "run.glb"))
    found = [line.split()[-1] for line in text.splitlines() if line.startswith("Animations:")]
    expect("assimp finds the animation", found == ["1"], text)


def check_glb(folder, frames):
    """The GLB's base and targets add up to the point cache's frames."""
    with open(os.path.join(folder, "run.glb"), "rb") as file:
        data = file.read()
    magic, version, size, length, kind = struct.unpack_from("<4sII I4s", data)
    expect("GLB header", (magic, version, size, kind) == (b"glTF", 2, len(data), b"JSON"))
    root = json.loads(data[20:20 + length])
    binary = data[28 + length:]
    expect("GLB buffer", root["buffers"] == [{"byteLength": len(binary)}])

    def numbers(index):
        about = root["accessors"][index]
        view = root["bufferViews"][about["bufferView"]]
        begin = view["byteOffset"] + about.get("byteOffset", 0)
        width = 3 if about["type"] == "VEC3" else 1
        return struct.unpack_from(f"<{width * about['count']}f", binary, begin)

    primitive = root["meshes"][0]["primitives"][0]
    base = numbers(primitive["attributes"]["POSITION"])
    expect("GLB base is frame 0", base == frames[0])
    expect("GLB targets", len(primitive["targets"]) == len(frames) - 1)
    for frame, target in zip(frames[1:], primitive["targets"]):
        ways = numbers(target["POSITION"])
        # Two roundings of numbers up to 2.
        far = max(abs(b + w - x) for b, w, x in zip(base, ways, frame))
        expect("GLB target leads to its frame", far < 3e-7, str(far))


def main():
    """All of it in a folder that is gone afterwards, written twice: the bytes repeat."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as again:
        for place in (folder, again):
            code, text = run(program, place)
            if code != 0:
                sys.exit(f"write_frames ends with {code}: {text}")
        words = text.split()
        about = {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}
        names = sorted(os.listdir(folder))
        expect("the same files", names == sorted(os.listdir(again)))
        for name in names:
            with open(os.path.join(folder, name), "rb") as one, \
                    open(os.path.join(again, name), "rb") as two:
                expect(f"{name} repeats", one.read() == two.read())
        frames = check_caches(folder, about)
        check_glb(folder, frames)
        check_assimp(folder, about)
        check_vtk(folder, about)
    oracle.finish()


oracle.use_debian_python()
main()
