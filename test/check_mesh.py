"""check_mesh.py [--all] SINEW: fills a surface with tets, takes it through every format and back, and checks
what is reported: angles, volume, distance; the picture, the histogram; and refusals. The same with
hexes, which with --all meshio, VTK and gmsh read back; part oracles of `make check` installs them."""
import json
import math
import os
import subprocess
import sys
import tempfile

import oracle


def write_torus(path, n=60, m=30):
    """A torus of radii 0.6 and 0.3 around y."""
    with open(path, "w") as file:
        for i in range(n):
            for j in range(m):
                a, b = 2 * math.pi * i / n, 2 * math.pi * j / m
                r = 0.6 + 0.3 * math.cos(b)
                file.write(f"v {r * math.cos(a)} {0.3 * math.sin(b)} {-r * math.sin(a)}\n")
        for i in range(n):
            for j in range(m):
                quad = [(i + di) % n * m + (j + dj) % m + 1
                        for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1))]
                file.write("f " + " ".join(map(str, quad)) + "\n")


HEX_FLAVOURS = [("a.vtk", []), ("b.vtk", ["--ascii"]), ("a.vtu", []), ("b.vtu", ["--ascii"]),
                ("a.msh", []), ("b.msh", ["--ascii"]), ("c.msh", ["--msh", "2.2"]),
                ("d.msh", ["--msh", "2.2", "--ascii"])]


def hex_volumes(points, corners):
    """Volume of each parallelepiped, by the edges at its first corner: negative if the order of its
    corners is mirrored; and whether its corners lie where that order says."""
    import numpy
    origin = points[corners[:, 0]]
    x, y, z = (points[corners[:, k]] - origin for k in (1, 3, 4))
    volumes = numpy.einsum("ij,ij->i", numpy.cross(x, y), z)
    size = numpy.cbrt(numpy.abs(volumes)).max()
    fits = all(numpy.allclose(points[corners[:, k]], origin + sum(sides), atol=1e-9 * size)
               for k, sides in ((2, (x, y)), (5, (x, z)), (6, (x, y, z)), (7, (y, z))))
    return volumes, fits


def expect_hexes(expect, what, made, points, corners, fills, labels):
    """The same cells, all of one positive volume, with the same fills, as were reported."""
    volumes, fits = hex_volumes(points, corners)
    cell = made["cell_size"] ** 3
    expect(len(points) == made["vertices"] and len(corners) == made["hexes"], f"{what}: counts")
    expect(fits and abs(volumes - cell).max() < 1e-9 * cell, f"{what}: shape")
    # Fills are multiples of 1/64, which floats hold exactly.
    expect(abs((volumes * fills).sum() / made["volume"] - 1) < 1e-9, f"{what}: volume by fills")
    expect((labels == 1).sum() == made["interior"] and (labels == 2).sum() == made["boundary"]
           and fills[labels == 1].min() == 1, f"{what}: labels")


def check_hexes_meshio(expect, files):
    import meshio
    import numpy
    for name, made in files:
        try:
            mesh = meshio.read(name)
        except BaseException as problem:  # meshio leaves by SystemExit too
            expect(False, f"meshio reads {name}: {problem!r}")
            continue
        expect(all(block.type == "hexahedron" for block in mesh.cells), f"meshio {name}: kinds")
        data = {key: numpy.concatenate(value).ravel() for key, value in mesh.cell_data.items()}
        corners = numpy.concatenate([block.data for block in mesh.cells])
        expect_hexes(expect, f"meshio {name}", made, mesh.points, corners, data["fill"],
                     data["label"])
        groups = data["gmsh:physical"] - 1 if name.endswith("msh") else data["region"]
        expect((groups + 1 == data["label"]).all(), f"meshio {name}: regions")
        expect(not name.endswith("msh") or set(mesh.field_data) == {"interior", "boundary"},
               f"meshio {name}: names of regions")


def check_hexes_vtk(expect, files):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    for name, made in files:
        if name.endswith("msh"):
            continue
        reader = (vtk.vtkXMLUnstructuredGridReader() if name.endswith("vtu")
                  else vtk.vtkUnstructuredGridReader())
        reader.SetFileName(name)
        reader.Update()
        grid = reader.GetOutput()
        count = grid.GetNumberOfCells()
        expect(reader.GetErrorCode() == 0 and count == made["hexes"], f"VTK reads {name}")
        if count != made["hexes"]:
            continue
        expect(set(vtk_to_numpy(grid.GetCellTypesArray())) == {vtk.VTK_HEXAHEDRON},
               f"VTK {name}: kinds")
        data = {key: vtk_to_numpy(grid.GetCellData().GetArray(key))
                for key in ("region", "label", "fill")}
        corners = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 8)
        expect_hexes(expect, f"VTK {name}", made, vtk_to_numpy(grid.GetPoints().GetData()), corners,
                     data["fill"], data["label"])
        expect((data["region"] + 1 == data["label"]).all(), f"VTK {name}: regions")


def check_hexes_gmsh(expect, files):
    """gmsh reads each file without a complaint and finds all elements."""
    for name, made in files:
        if name.endswith("msh"):
            said = subprocess.run(["gmsh", name, "-parse_and_exit"], capture_output=True, text=True,
                                  check=False).stdout
            expect(f"{made['hexes']} elements" in said and "Error" not in said
                   and "Warning" not in said, f"gmsh reads {name}: {said}")


def check_hexes(mesh, expect):
    """The torus as cells: what is said, every flavour of file, and what is refused."""
    made = mesh("torus.obj", "-o", "hexes.vtu", "--kind", "hexes", "--cells", "24", "--png",
                "hexes.png", "--svg", "fills.svg")
    expect(made["kind"] == "hexes" and made["hexes"] == made["interior"] + made["boundary"]
           and made["interior"] > 100 and made["parts"] == 1 and max(made["grid"]) == 24,
           f"hexes: {made}")
    # 64 samples a crossed cell, of some thousand: the errors of cells cancel.
    expect(abs(made["volume_error"]) < 0.005, f"volume of hexes: {made}")
    expect(open("hexes.png", "rb").read(4) == b"\x89PNG", "no picture of hexes")
    expect("<svg" in open("fills.svg").read(), "no chart of fills")
    sized = mesh("torus.obj", "-o", "sized.vtk", "--kind", "hexes", "--size",
                 str(made["cell_size"]))
    expect(sized["hexes"] == made["hexes"], f"hexes by size: {sized}")
    files = [(name, mesh("torus.obj", "-o", name, "--kind", "hexes", "--cells", "16", *options))
             for name, options in HEX_FLAVOURS]
    if oracle.must_have_all:
        check_hexes_meshio(expect, files)
        check_hexes_vtk(expect, files)
        check_hexes_gmsh(expect, files)

    # Two plates in one layer of cells: joined there, unless they are to be kept apart.
    write_boxes("plates.obj", [((0, 0, 0), (1, 0.02, 1)), ((0, 0.08, 0), (1, 0.1, 1))])
    joined = mesh("plates.obj", "-o", "joined.vtk", "--kind", "hexes", "--cells", "10")
    apart = mesh("plates.obj", "-o", "apart.vtk", "--kind", "hexes", "--cells", "10", "--apart")
    expect(joined["parts"] == 1 and apart["parts"] == 2 and apart["hexes"] == 2 * joined["hexes"],
           f"plates: {joined} {apart}")

    with open("open.obj", "w") as file:
        file.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    sheet = mesh("open.obj", "-o", "open.vtu", "--kind", "hexes", "--cells", "8")
    expect(sheet["interior"] == 0 and sheet["boundary"] > 8 and sheet["volume_error"] is None,
           f"an open surface: {sheet}")
    with open("line.obj", "w") as file:
        file.write("v 0 0 0\nv 1 0.3 0\nl 1 2\n")
    line = mesh("line.obj", "-o", "line.vtu", "--kind", "hexes", "--cells", "8", "--png", "line.png")
    expect(line["interior"] == 0 and line["boundary"] >= 8, f"a line: {line}")
    one = mesh("torus.obj", "-o", "one.vtk", "--kind", "hexes", "--size", "9", "--png", "one.png")
    expect(one["hexes"] == 1, f"one cell: {one}")

    refused = mesh("torus.msh", "-o", "none.vtu", "--kind", "hexes", code=3)
    expect("is a tet mesh" in refused["said"], f"hexes of tets: {refused}")
    refused = mesh("torus.obj", "-o", "none.vtu", "--kind", "hexes", "--size", "1e-5", code=3)
    expect("is too large" in refused["said"], f"too many hexes: {refused}")
    with open("empty.obj", "w") as file:
        file.write("v 0 0 0\n")
    mesh("empty.obj", "-o", "none.vtu", "--kind", "hexes", code=3)
    expect(not os.path.exists("none.vtu"), "a refusal left a file")


def write_boxes(path, boxes):
    """Closed boxes, each from one corner to the other."""
    with open(path, "w") as file:
        for low, high in boxes:
            for y in (low[1], high[1]):
                file.write(f"v {low[0]} {y} {low[2]}\nv {high[0]} {y} {low[2]}\n"
                           f"v {high[0]} {y} {high[2]}\nv {low[0]} {y} {high[2]}\n")
        for b in range(len(boxes)):
            for quad in ((1, 2, 3, 4), (8, 7, 6, 5), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 8, 4),
                         (4, 8, 5, 1)):
                file.write("f " + " ".join(str(8 * b + v) for v in quad) + "\n")


def check_refinement(mesh, expect):
    """Bodies whose inside the default cells miss: found by smaller ones, unless a size was asked for
    or there is none."""
    write_boxes("crumbs.obj", [((i, 0.1 * i, 0), (i + 0.01, 0.1 * i + 0.01, 0.01))
                               for i in range(9)])
    write_boxes("plate.obj", [((0, 0, 0), (1, 0.008, 1))])
    for name in ("crumbs.obj", "plate.obj"):
        made = mesh(name, "-o", "fine.msh")
        expect(made["refined_cells"] > 32 and abs(made["volume_error"]) < 0.1, f"{name}: {made}")
        refused = mesh(name, "-o", "none.msh", "--cells", "32", code=3)
        expect("no point of the lattice is inside" in refused["said"], f"{name}: {refused}")
    whole = mesh("torus.obj", "-o", "whole.msh")
    expect(whole["refined_cells"] is None, f"refined without need: {whole}")
    with open("sheet.obj", "w") as file:
        file.write("v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n")
    refused = mesh("sheet.obj", "-o", "none.msh", code=3)
    expect("no point of the lattice is inside" in refused["said"], f"a sheet: {refused}")
    write_boxes("foil.obj", [((0, 0, 0), (1, 1e-5, 1))])
    refused = mesh("foil.obj", "-o", "none.msh", code=3)  # beyond the cap
    expect("thinner than the cells" in refused["said"], f"a foil: {refused}")


def main():
    sinew = os.path.abspath(oracle.arguments[0])
    failures = []

    def mesh(*arguments, code=0):
        result = subprocess.run([sinew, "mesh", *arguments, "--json"], text=True,
                                capture_output=True)
        if result.returncode != code:
            failures.append(f"{arguments}: exit {result.returncode}, expected {code}: "
                            f"{result.stderr}")
            return None
        return json.loads(result.stdout) if result.stdout else {"said": result.stderr}

    def expect(condition, what):
        if not condition:
            failures.append(what)

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_torus("torus.obj")
        made = mesh("torus.obj", "-o", "torus.msh", "--cells", "20", "--svg", "angles.svg",
                    "--png", "torus.png")
        expect(made["tets"] > 1000, f"few tets: {made}")
        expect(made["smallest_dihedral"] > 10 and made["largest_dihedral"] < 165,
               f"angles: {made}")
        expect(abs(made["volume_error"]) < 0.02, f"volume: {made}")
        expect(made["largest_distance"] < 1e-3 * made["cell_size"], f"distance: {made}")
        expect(sum(made["dihedral_histogram"]) == 6 * made["tets"], "histogram")
        expect(open("torus.png", "rb").read(4) == b"\x89PNG", "no picture")
        expect("<svg" in open("angles.svg").read(), "no chart")
        graded = mesh("torus.obj", "-o", "graded.vtu", "--cells", "48", "--graded")
        expect(graded["smallest_dihedral"] > 10 and graded["graded"], f"graded: {graded}")

        before = "torus.msh"
        for after in ("a.vtu", "a.vtk", "a.veg", "a.node", "b.msh"):
            told = mesh(before, "-o", after)
            expect(told["tets"] == made["tets"] and told["vertices"] == made["vertices"]
                   and told["volume"] == made["volume"], f"{before} to {after}: {told}")
            before = after
        mesh("b.msh", "-o", "skin.ply")
        mesh("skin.ply", "-o", "skin.stl")
        again = mesh("skin.stl", "-o", "again.msh", "--size", str(made["cell_size"]))
        # The skin is a little smaller than the torus, and its tets a little smaller again.
        expect(abs(again["volume"] / made["volume"] - 1) < 0.01, f"volume again: {again}")

        refused = mesh("torus.obj", "-o", "none.msh", "--size", "9", code=3)
        expect("no point of the lattice is inside" in refused["said"], f"refusal: {refused}")
        expect(not os.path.exists("none.msh"), "a refusal left a file")
        # A file that cannot be read is bad input; one that cannot be written is the machine's.
        mesh("none.obj", "-o", "none.msh", code=3)
        unwritten = mesh("skin.ply", "-o", "no_folder/skin.stl", code=5)
        expect("cannot be written" in unwritten["said"], f"not written: {unwritten}")
        check_refinement(mesh, expect)
        check_hexes(mesh, expect)
        os.chdir("/")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


oracle.use_debian_python()
main()
