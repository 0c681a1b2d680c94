"""check_mesh.py SINEW: fills a surface with tets, takes it through every format and back, and checks
what is reported: angles, volume, distance; the picture, the histogram; and refusals."""
import json
import math
import os
import subprocess
import sys
import tempfile


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


def main():
    sinew = sys.argv[1]
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
        os.chdir("/")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
