#!/usr/bin/env python3
"""check_surface_files.py [--all] SINEW: other programs read the surfaces that we write, and we read
those that they write.

Part oracles of `make check`
runs it with --all, where a missing one (gmsh, python3-meshio, python3-vtk9, assimp) is a failure;
without it no other program is asked. Ends with 1 when something differs.
"""
import json
import math
import os
import sys
import tempfile

import oracle
from oracle import expect, missing, run

sinew = os.path.abspath(oracle.arguments[0])

# A brick of two by three by four with a corner cut off: no symmetry hides a swap of axes or indices.
BRICK_OBJ = """v 0 0 0
v 2 0 0
v 2 3 0
v 0 3 0
v 0 0 4
v 2 0 4
v 2 2 4
v 1 3 4
v 0 3 4
v 2 3 3
f 4 3 2 1
f 1 2 6 5
f 2 3 10 7 6
f 3 4 9 8 10
f 4 1 5 9
f 5 6 7 8 9
f 7 10 8
"""
TRIANGLES = 16
# Float coordinates in binary STL, and six digits in what some programs write as text.
TOLERANCE = 1e-5

# The brick as it is, whose coordinates are floats, and smaller, whose coordinates need doubles.
SCALES = (1.0, 0.1)

BRICK_GEO = """
SetFactory("Built-in");
Point(1) = {0, 0, 0, 1}; Point(2) = {2, 0, 0, 1}; Point(3) = {2, 3, 0, 1}; Point(4) = {0, 3, 0, 1};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Extrude {0, 0, 4} { Surface{1}; }
"""

# Reads a surface and says what it holds; writes it again in each of VTK's formats.
VTK_PROGRAM = """
import sys, vtk
path, out = sys.argv[1], sys.argv[2:]
ends = {'obj': vtk.vtkOBJReader, 'ply': vtk.vtkPLYReader, 'stl': vtk.vtkSTLReader}
reader = ends[path[-3:]]()
reader.SetFileName(path)
triangles = vtk.vtkTriangleFilter()
triangles.SetInputConnection(reader.GetOutputPort())
mass = vtk.vtkMassProperties()
mass.SetInputConnection(triangles.GetOutputPort())
mass.Update()
print(triangles.GetOutput().GetNumberOfCells(), mass.GetVolume(), mass.GetSurfaceArea())
for name, kind in (('obj', vtk.vtkOBJWriter), ('ply', vtk.vtkPLYWriter), ('stl', vtk.vtkSTLWriter)):
    for is_binary in ((0, 1) if name != 'obj' else (0,)) if out else ():
        writer = kind()
        if name != 'obj':
            writer.SetFileType(2 if is_binary else 1)
        writer.SetFileName(f'{out[0]}_{is_binary}.{name}')
        writer.SetInputConnection(triangles.GetOutputPort())
        writer.Write()
"""


def near(a, b):
    """Whether two numbers agree as well as the formats can say them."""
    return math.isclose(a, b, rel_tol=TOLERANCE)


def is_brick(triangles, volume, area, scale):
    """Whether these are the numbers of the brick."""
    return (triangles == TRIANGLES and near(volume, (24.0 - 1.0 / 6.0) * scale ** 3)
            and near(area, (52.0 - 1.5 + math.sqrt(3.0) / 2.0) * scale ** 2))


def ours(path):
    """What `sinew info` says of a file, by name; what it complains of when it refuses it."""
    code, text = run(sinew, "info", path, "--json")
    return json.loads(text) if code == 0 else {"complaint": text}


def expect_ours(what, path, scale):
    """We read the brick from a file."""
    said = ours(path)
    expect(f"ours reads {what}, scale {scale}", said.get("watertight")
           and is_brick(said["triangles"], said["volume"], said["area"], scale), said)


def our_files(source, folder, scale):
    """One file of each format that we write."""
    for end in ("obj", "ply", "stl"):
        path = os.path.join(folder, "ours." + end)
        code, text = run(sinew, "mesh", source, "-o", path)
        expect(f"ours writes {end}", code == 0, text)
        expect_ours(f"its own {end}", path, scale)
        yield path, end


def measure(points, triangles):
    """Volume and area of triangles over points."""
    volume = area = 0.0
    for corners in triangles:
        a, b, c = (points[corner] for corner in corners)
        u, v = ([q - p for p, q in zip(a, corner)] for corner in (b, c))
        n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        volume += sum(x * y for x, y in zip(a, n)) / 6.0
        area += math.sqrt(sum(x * x for x in n)) / 2.0
    return volume, area


def check_meshio(source, folder, scale):
    """meshio reads ours; ours reads meshio's."""
    import meshio
    for path, end in our_files(source, folder, scale):
        mesh = meshio.read(path)
        triangles = [t for block in mesh.cells if block.type == "triangle" for t in block.data.tolist()]
        volume, area = measure(mesh.points.tolist(), triangles)
        expect(f"meshio reads {end}", is_brick(len(triangles), volume, area, scale),
               f"{len(triangles)} {volume} {area}")
    plain = meshio.Mesh(mesh.points, [("triangle", mesh.cells_dict["triangle"])])
    for name, options in (("m.obj", {}), ("a.ply", {"binary": False}), ("b.ply", {"binary": True}),
                          ("a.stl", {"binary": False}), ("b.stl", {"binary": True}), ("m.off", {})):
        path = os.path.join(folder, "meshio_" + name)
        meshio.write(path, plain, **options)
        expect_ours(f"meshio's {name}", path, scale)


def check_vtk(source, folder, scale):
    """VTK reads ours; ours reads VTK's."""
    program = os.path.join(folder, "with_vtk.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(VTK_PROGRAM)
    for path, end in our_files(source, folder, scale):
        out = [os.path.join(folder, "vtk")] if end == "ply" else []
        code, text = run(sys.executable, program, path, *out)
        numbers = [float(word) for word in text.split()] if code == 0 else [0.0] * 3
        expect(f"VTK reads {end}", is_brick(*numbers, scale), text)
    written = sorted(name for name in os.listdir(folder) if name.startswith("vtk_"))
    expect("VTK writes all flavours", len(written) == 5, written)
    for name in written:
        expect_ours(f"VTK's {name}", os.path.join(folder, name), scale)


def check_gmsh(source, folder, scale):
    """gmsh reads our STL and saves it again; ours reads that, and what gmsh makes of a model."""
    for path, end in our_files(source, folder, scale):
        if end != "stl":
            continue  # gmsh reads neither OBJ nor PLY
        again = os.path.join(folder, "gmsh_again.stl")
        code, text = run("gmsh", path, "-save", "-o", again)
        expect(f"gmsh reads {end}", code == 0 and "Error" not in text, text)
        expect_ours(f"gmsh's copy of our {end}", again, scale)
    geo = os.path.join(folder, "brick.geo")
    with open(geo, "w", encoding="utf-8") as file:
        file.write(BRICK_GEO)
    for name, options in (("a.stl", []), ("b.stl", ["-bin"])):
        path = os.path.join(folder, "gmsh_" + name)
        code, text = run("gmsh", "-2", geo, "-o", path, *options)
        expect(f"gmsh writes {name}", code == 0, text)
        # The faces of gmsh's extrusions look in and out, so there is no volume to compare.
        said = ours(path)
        expect(f"ours reads gmsh's {name}", said.get("boundary_edges") == 0
               and said["components"] == 1 and near(said["area"], 52.0), said)


def check_assimp(source, folder, scale):
    """assimp reads ours, and ours reads what it makes of them, glTF and GLB among it."""
    for path, end in our_files(source, folder, scale):
        for made in ("gltf2 gltf", "glb2 glb", "ply ply", "plyb ply", "stl stl", "stlb stl", "obj obj"):
            kind, suffix = made.split()
            out = os.path.join(folder, f"assimp_{end}_{kind}.{suffix}")
            code, text = run("assimp", "export", path, out, f"-f{kind}")
            expect(f"assimp makes {kind} of our {end}", code == 0, text)
            expect_ours(f"assimp's {kind} of our {end}", out, scale)


def write_brick(path, scale):
    """The brick of the top of this file."""
    with open(path, "w", encoding="utf-8") as file:
        for line in BRICK_OBJ.splitlines():
            kind, *numbers = line.split()
            if kind == "v":
                numbers = [repr(float(x) * scale) for x in numbers]
            file.write(" ".join([kind, *numbers]) + "\n")


def main():
    """All of it in folders that are gone afterwards."""
    for name, check in (("meshio", check_meshio), ("vtk", check_vtk), ("gmsh", check_gmsh),
                        ("assimp", check_assimp)):
        if missing(name):
            continue
        for scale in SCALES:
            with tempfile.TemporaryDirectory() as folder:
                source = os.path.join(folder, "brick.obj")
                write_brick(source, scale)
                expect_ours("the brick", source, scale)
                check(source, folder, scale)


oracle.use_debian_python()
main()
oracle.finish()
