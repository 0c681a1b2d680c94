#!/usr/bin/env python3
"""check_tet_files.py CONVERT_TETS: other programs read what we write, and we read what they write.

What is not installed (gmsh, tetgen, python3-meshio, python3-vtk9) is skipped, with a line that says
so. Ends with 1 when something differs.
"""
import math
import os
import shutil
import subprocess
import sys
import tempfile

convert = os.path.abspath(sys.argv[1])
failures = 0
checks = 0

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

CUBE_POLY = """8 3 0 0
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0 0 1
6 1 0 1
7 1 1 1
8 0 1 1
6 0
1 0
4 1 2 3 4
1 0
4 5 6 7 8
1 0
4 1 2 6 5
1 0
4 2 3 7 6
1 0
4 3 4 8 7
1 0
4 4 1 5 8
0
1
1 0.5 0.5 0.5 12 0.02
"""


def expect(what, condition, said=""):
    """Counts a check, and says so when it fails."""
    global failures, checks
    checks += 1
    if not condition:
        failures += 1
        print(f"FAIL {what} {said}")


def run(*command):
    """The exit code and the output of a program."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.returncode, done.stdout


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


def missing(name):
    """Whether a program or a module is not there; says that its checks are skipped."""
    if name in ("gmsh", "tetgen"):
        absent = shutil.which(name) is None
    else:
        absent = run(sys.executable, "-c", f"import {name}")[0] != 0
    if absent:
        print(f"skipped: {name} is not installed")
    return absent


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


def check_tetgen(folder):
    """Numbered from 1 and from 0, with a region, of first and second order."""
    for name, flags in (("one", "-pqA"), ("zero", "-pqAz"), ("plain", "-pq"), ("second", "-pqo2")):
        poly = os.path.join(folder, name + ".poly")
        with open(poly, "w", encoding="utf-8") as file:
            file.write(CUBE_POLY)
        code, text = run("tetgen", flags, poly)
        expect(f"tetgen {flags}", code == 0, text)
        expect_mesh(f"ours reads tetgen {flags}", ours(os.path.join(folder, name + ".1.ele")), 1.0)


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


def check_meshio(source, folder):
    """meshio reads ours; ours reads meshio's."""
    import meshio
    for path, name, said in our_files(source, folder):
        if name in ("d.vtu", "g.vtu", "b.node", "a.ele"):
            continue  # appended base64 and tets numbered from 1 or by node are not for meshio
        try:
            mesh = meshio.read(path)
            tets = sum(len(block.data) for block in mesh.cells if block.type == "tetra")
            expect(f"meshio reads {name}", tets == said["tets"]
                   and len(mesh.points) == said["vertices"])
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
print(grid.GetNumberOfPoints(), grid.GetNumberOfCells(),
      region.GetNumberOfTuples() if region else 0, reader.GetErrorCode())
if out:
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
        wanted = f"{int(said['vertices'])} {int(said['tets'])} {int(said['tets'])} 0"
        expect(f"VTK reads {name}", code == 0 and text.strip() == wanted, text)
    said = ours(source)
    names = sorted(name for count, name in said["regions"])
    written = [f for f in sorted(os.listdir(folder)) if f.startswith("vtk_")]
    expect("VTK writes all flavours", len(written) == 4 + 16 + 16, f"{len(written)}")
    for name in written:
        expect_mesh(f"ours reads VTK's {name}", ours(os.path.join(folder, name)), said["volume"],
                    names)


def use_debian_python():
    """Debian's modules are for Debian's interpreter, which may not be the first on the path."""
    debian = "/usr/bin/python3"
    is_there = os.path.exists(debian) and run(debian, "-c", "import meshio")[0] == 0
    if is_there and os.path.realpath(debian) != os.path.realpath(sys.executable):
        os.execv(debian, [debian] + sys.argv)


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
            check_tetgen(folder)
        if not missing("meshio"):
            check_meshio(source, folder)
        if not missing("vtk"):
            check_vtk(source, folder)
    print(f"{checks} checks, {failures} failed")
    return 1 if failures else 0


use_debian_python()
sys.exit(main())
