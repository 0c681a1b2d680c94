#!/usr/bin/env python3
"""check_tet_files.py [--all] CONVERT_TETS: other programs read the tet files that we write, and we read
those that they write.

Part oracles of `make check`
runs it with --all, where a missing one (gmsh, tetgen, python3-meshio, python3-vtk9) is a failure;
without it no other program is asked. Ends with 1 when something differs.
"""
import math
import os
import sys
import tempfile

import oracle
from oracle import expect, missing, run

convert = os.path.abspath(oracle.arguments[0])

CUBE_GEO = """
SetFactory("Built-in");
Point(1) = {0, 0, 0, 0.4}; Point(2) = {1, 0, 0, 0.4}; Point(3) = {1, 1, 0, 0.4};
Point(4) = {0, 1, 0, 0.4};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
low[] = Extrude {0, 0, 1} { Surface{1}; };
high[] = Extrude {0, 0, 0.5} { Surface{low[0]}; };
Physical Volume("lower half", 7) = {low[1]};
Physical Volume("upper half", 3) = {high[1]};
Physical Surface("floor", 1) = {1};
"""

# A cube below a brick half as high, with a wall between them: two regions, each with a largest volume.
POLY = """12 3 0 0
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0 0 1
6 1 0 1
7 1 1 1
8 0 1 1
9 0 0 1.5
10 1 0 1.5
11 1 1 1.5
12 0 1 1.5
11 0
1 0
4 1 2 3 4
1 0
4 5 6 7 8
1 0
4 9 10 11 12
1 0
4 1 2 6 5
1 0
4 2 3 7 6
1 0
4 3 4 8 7
1 0
4 4 1 5 8
1 0
4 5 6 10 9
1 0
4 6 7 11 10
1 0
4 7 8 12 11
1 0
4 8 5 9 12
0
2
1 0.5 0.5 0.5 12 0.02
2 0.5 0.5 1.2 5 0.01
"""
# The same for the other of tetgen's inputs, where a facet is one polygon on one line.
SMESH = "\n".join(line for line in POLY.splitlines() if line != "1 0") + "\n"


def ours(*arguments):
    """What convert_tets says of a file: counts, volume, regions as (count, name)."""
    code, text = run(convert, *arguments)
    said = {"regions": [], "text": text, "code": code}
    for line in text.splitlines():
        words = line.split(" ", 2)
        if words[0] == "region":
            said["regions"].append((int(words[1]), words[2] if len(words) > 2 else ""))
        elif len(words) == 2 and words[0] in ("vertices", "tets", "volume", "skipped"):
            said[words[0]] = float(words[1])
    return said


def expect_mesh(what, said, volume, regions=None):
    """A mesh that was read, of this volume and these region names."""
    good = said["code"] == 0 and math.isclose(said.get("volume", 0.0), volume, rel_tol=1e-9)
    if regions is not None:
        good = good and sorted(name for count, name in said["regions"] if count > 0) == regions
    expect(what, good, said["text"])


def check_gmsh(folder):
    """Every flavour that gmsh writes; then gmsh on every flavour that we write."""
    geo = os.path.join(folder, "cube.geo")
    with open(geo, "w", encoding="utf-8") as file:
        file.write(CUBE_GEO)
    flavours = [("msh22", ["-format", "msh22"]), ("msh22b", ["-format", "msh22", "-bin"]),
                ("msh41", ["-format", "msh41"]), ("msh41b", ["-format", "msh41", "-bin"])]
    names = ["lower half", "upper half"]
    for name, options in flavours:
        for order in ("1", "2"):
            path = os.path.join(folder, f"{name}_{order}.msh")
            code, text = run("gmsh", "-3", geo, "-order", order, "-o", path, *options)
            expect(f"gmsh writes {name}", code == 0, text)
            said = ours(path)
            expect_mesh(f"gmsh {name} order {order}", said, 1.5, names)
            expect(f"gmsh {name}: triangles are skipped", said.get("skipped", 0) > 0)
    for options in ([], ["-bin"]):
        path = os.path.join(folder, "parts.msh")
        run("gmsh", "-3", geo, "-part", "3", "-o", path, "-format", "msh41", *options)
        expect_mesh(f"gmsh in partitions {options}", ours(path), 1.5, names)
    for name, options in (("ascii.vtk", []), ("bin.vtk", ["-bin"])):
        path = os.path.join(folder, "gmsh_" + name)
        run("gmsh", "-3", geo, "-o", path, "-format", "vtk", *options)
        expect_mesh(f"gmsh {name}", ours(path), 1.5)
    source = os.path.join(folder, "msh41_1.msh")
    for options in (["ascii", "22"], ["binary", "22"], ["ascii"], ["binary"]):
        path = os.path.join(folder, "ours.msh")
        again = os.path.join(folder, "again.msh")
        said = ours(source, path, *options)
        code, text = run("gmsh", path, "-save", "-o", again, "-format", "msh41")
        expect(f"gmsh reads ours {options}", code == 0 and "Error" not in text
               and "Warning" not in text, text)
        back = ours(again)
        expect_mesh(f"gmsh saves ours {options}", back, 1.5, names)
        expect(f"gmsh keeps all of ours {options}", back.get("tets") == said.get("tets")
               and back.get("vertices") == said.get("vertices"), back["text"])


def read_ele(path):
    """The number of the first tet in an .ele file, and how many tets have each attribute."""
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.split() and not line.startswith("#")]
    counts = {}
    for row in rows[1:]:
        attribute = row[-1] if rows[0][2] == "1" else ""
        counts[attribute] = counts.get(attribute, 0) + 1
    return int(rows[1][0]), sorted(counts.values())


def check_tetgen(source, folder):
    """Of .poly and .smesh, numbered from 1 and from 0, with and without regions, of first and second
    order; then tetgen on ours, which it reads and writes again."""
    cases = (("one.poly", "-pqaA", 1, 2), ("zero.poly", "-pqaAz", 0, 2), ("plain.poly", "-pq", 1, 1),
             ("second.poly", "-pqaAo2", 1, 2), ("one.smesh", "-pqaA", 1, 2),
             ("zero.smesh", "-pqaAz", 0, 2))
    for name, flags, first, regions in cases:
        path = os.path.join(folder, name.replace(".", "_in."))
        with open(path, "w", encoding="utf-8") as file:
            file.write(POLY if name.endswith("poly") else SMESH)
        code, text = run("tetgen", flags, path)
        expect(f"tetgen {flags} {name}", code == 0, text)
        made = os.path.splitext(path)[0] + ".1"
        numbered, counts = read_ele(made + ".ele")
        expect(f"tetgen {flags} {name} is what is asked for", numbered == first
               and len(counts) == regions, f"{numbered} {counts}")
        for end in (".ele", ".node"):
            said = ours(made + end)
            expect_mesh(f"ours reads tetgen's {end} {flags} {name}", said, 1.5)
            expect(f"ours keeps tetgen's regions {end} {flags} {name}",
                   sorted(count for count, _ in said["regions"] if count > 0) == counts,
                   f"{counts} {said['text']}")
    for first in ("", "one"):
        path = os.path.join(folder, f"ours{first}.ele")
        said = ours(source, path, *first.split())
        code, text = run("tetgen", "-rz" if first == "" else "-r", path)
        expect(f"tetgen reads ours {first}", code == 0, text)
        back = ours(os.path.join(folder, f"ours{first}.1.ele"))
        expect_mesh(f"tetgen keeps ours {first}", back, said["volume"])
        expect(f"tetgen keeps all tets of ours {first}", back.get("tets") == said.get("tets"),
               back["text"])


def our_files(source, folder):
    """One file of each flavour that others know, and its name."""
    flavours = [("a.msh", "ascii"), ("b.msh", "binary"), ("c.msh", "ascii 22"),
                ("d.msh", "binary 22"), ("a.vtk", "ascii"), ("b.vtk", "binary"),
                ("default.vtu", ""), ("a.vtu", "ascii"), ("b.vtu", "binary"), ("c.vtu", "base64"),
                ("d.vtu", "appended64"), ("e.vtu", "binary zlib"), ("f.vtu", "base64 zlib"),
                ("g.vtu", "appended64 zlib"), ("a.ele", "one"), ("b.node", "")]
    for name, options in flavours:
        path = os.path.join(folder, name)
        said = ours(source, path, *options.split())
        expect(f"ours writes {name}", said["code"] == 0, said["text"])
        yield path, name, said


def tet_volume(a, b, c, d):
    """Positive where a, b, c run counterclockwise seen from d."""
    u, v, w = ([q - p for p, q in zip(a, corner)] for corner in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2])
            + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6.0


def check_meshio(source, folder):
    """meshio reads ours; ours reads meshio's."""
    import meshio
    for path, name, said in our_files(source, folder):
        if name in ("d.vtu", "g.vtu", "b.node", "a.ele"):
            continue  # appended base64 and tets numbered from 1 or by node are not for meshio
        try:
            mesh = meshio.read(path)
            tets = [mesh.points[corners] for block in mesh.cells if block.type == "tetra"
                    for corners in block.data]
            volume = sum(tet_volume(*corners.tolist()) for corners in tets)
            expect(f"meshio reads {name}", len(tets) == said["tets"]
                   and len(mesh.points) == said["vertices"]
                   and math.isclose(volume, said["volume"], rel_tol=1e-9), f"{volume} {said}")
        except BaseException as problem:  # meshio leaves by SystemExit too
            expect(f"meshio reads {name}", False, repr(problem))
    mesh = meshio.read(os.path.join(folder, "default.vtu"))
    volume = ours(source)["volume"]
    for name, form, options in (("m1.vtu", "vtu", {"binary": True, "compression": "zlib"}),
                                ("m2.vtu", "vtu", {"binary": True, "compression": None}),
                                ("m3.vtu", "vtu", {"binary": False}),
                                ("m4.vtk", "vtk", {"binary": True}),
                                ("m5.vtk", "vtk", {"binary": False}),
                                ("m6.vtk", "vtk42", {"binary": True}),
                                ("m7.msh", "gmsh", {"binary": True}),
                                ("m8.msh", "gmsh22", {"binary": False})):
        path = os.path.join(folder, name)
        plain = meshio.Mesh(mesh.points, mesh.cells)
        try:
            meshio.write(path, plain, file_format=form, **options)
        except BaseException as problem:
            expect(f"meshio writes {name}", False, repr(problem))
            continue
        expect_mesh(f"ours reads meshio {name}", ours(path), volume)


VTK_PROGRAM = """
import sys, vtk
path, out = sys.argv[1], sys.argv[2:]
vtk.vtkObject.GlobalWarningDisplayOff()
reader = vtk.vtkXMLUnstructuredGridReader() if path.endswith('vtu') else \\
    vtk.vtkUnstructuredGridReader()
reader.SetFileName(path)
reader.ReadAllScalarsOn() if not path.endswith('vtu') else None
reader.Update()
grid = reader.GetOutput()
region = grid.GetCellData().GetArray('region')
volume = 0.0
for i in range(grid.GetNumberOfCells()):
    corners = grid.GetCell(i).GetPoints()
    volume += vtk.vtkTetra.ComputeVolume(*(corners.GetPoint(k) for k in range(4)))
print(grid.GetNumberOfPoints(), grid.GetNumberOfCells(),
      region.GetNumberOfTuples() if region else 0, reader.GetErrorCode(), volume)
if out:
    words = vtk.vtkStringArray()
    words.SetName('words')
    for word in ('one', '', 'and a half ' * 9):
        words.InsertNextValue(word)
    grid.GetFieldData().AddArray(words)
    for version in (42, 51):
        for is_binary in (0, 1):
            writer = vtk.vtkUnstructuredGridWriter()
            writer.SetFileVersion(version)
            writer.SetFileType(2 if is_binary else 1)
            writer.SetFileName(f'{out[0]}_{version}_{is_binary}.vtk')
            writer.SetInputData(grid)
            writer.Write()
    for mode in range(3):
        for packer in (0, 1):
            for order in (0, 1):
                for size in (0, 1):
                    for coded in ((0, 1) if mode == 2 else (0,)):
                        writer = vtk.vtkXMLUnstructuredGridWriter()
                        writer.SetDataMode(mode)
                        writer.SetCompressorTypeToZLib() if packer else \\
                            writer.SetCompressorTypeToNone()
                        writer.SetByteOrder(order)
                        writer.SetHeaderTypeToUInt64() if size else writer.SetHeaderTypeToUInt32()
                        writer.SetEncodeAppendedData(coded)
                        writer.SetFileName(f'{out[0]}_{mode}{packer}{order}{size}{coded}.vtu')
                        writer.SetInputData(grid)
                        writer.Write()
"""


def check_vtk(source, folder):
    """VTK reads ours; ours reads every flavour of VTK's."""
    program = os.path.join(folder, "with_vtk.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(VTK_PROGRAM)
    for path, name, said in our_files(source, folder):
        if not name.endswith(("vtk", "vtu")):
            continue
        out = [os.path.join(folder, "vtk")] if name == "default.vtu" else []
        code, text = run(sys.executable, program, path, *out)
        wanted = [said["vertices"], said["tets"], said["tets"], 0.0]
        numbers = [float(word) for word in text.split()] if code == 0 else []
        expect(f"VTK reads {name}", numbers[:4] == wanted
               and math.isclose(numbers[4], said["volume"], rel_tol=1e-9), text)
    said = ours(source)
    names = sorted(name for count, name in said["regions"])
    written = [f for f in sorted(os.listdir(folder)) if f.startswith("vtk_")]
    expect("VTK writes all flavours", len(written) == 4 + 16 + 16, f"{len(written)}")
    for name in written:
        expect_mesh(f"ours reads VTK's {name}", ours(os.path.join(folder, name)), said["volume"],
                    names)


def main():
    """All of it in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        has_gmsh = not missing("gmsh")
        if has_gmsh:
            check_gmsh(folder)
        source = os.path.join(folder, "msh41_1.msh")
        if not has_gmsh:
            # A pair of tets in two regions does for the others.
            source = os.path.join(folder, "two.veg")
            with open(source, "w", encoding="utf-8") as file:
                file.write("*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n"
                           "*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 1 3 2 5\n*SET up\n1\n*SET down\n2\n")
        if not missing("tetgen"):
            check_tetgen(source, folder)
        if not missing("meshio"):
            check_meshio(source, folder)
        if not missing("vtk"):
            check_vtk(source, folder)


oracle.use_debian_python()
main()
oracle.finish()
