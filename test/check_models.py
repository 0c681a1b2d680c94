#!/usr/bin/env python3
"""test/check_models.py [--all] [--table FILE] [FOLDER...]: every model of Debian's glmark2-data and assimp-testmodels
packages (or of the folders given) through `sinew info` and `sinew mesh`. Formats that Sinew does not read are
converted by the assimp program. None may crash, every one that has an inside must get tets, and every one with
triangles or lines hexes. Prints a table, and writes it as Markdown with --table. What is not installed is skipped,
or with --all a failure."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

OURS = {".obj", ".ply", ".stl", ".off", ".3ds", ".gltf", ".glb"}
THEIRS = {".ac", ".ase", ".blend", ".cob", ".dae", ".dxf", ".fbx", ".lwo", ".lws", ".md2", ".md5mesh",
          ".mdl", ".ms3d", ".nff", ".q3o", ".smd", ".x", ".x3d", ".wrl", ".amf", ".3mf", ".irrmesh", ".raw",
          ".ter", ".xgl", ".zgl", ".ogex", ".m3d", ".lxo"}
FOLDERS = ["/usr/share/glmark2/models", "/usr/share/assimp/models"]


def run(arguments, seconds=120):
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, errors="replace", timeout=seconds)
        return done.returncode, done.stdout, done.stderr.strip()
    except subprocess.TimeoutExpired:
        return None, "", f"took longer than {seconds} s"


def convert(path, folder):
    """A PLY of a format that only assimp reads, or None and why."""
    if shutil.which("assimp") is None:
        return None, "skipped: no assimp program here"
    out = pathlib.Path(folder) / "converted.ply"
    out.unlink(missing_ok=True)
    code, said, error = run(["assimp", "export", str(path), str(out), "-fply"], 60)
    if code != 0 or not out.exists():
        return None, "assimp does not read it"
    return out, ""


def check(sinew, path, folder):
    row = {"file": path.name, "format": path.suffix[1:].lower()}
    source = path
    if path.suffix.lower() not in OURS:
        source, why = convert(path, folder)
        if source is None:
            return dict(row, result=why, bad=False)
    code, text, error = run([sinew, "info", str(source), "--json"])
    if code == 3:
        return dict(row, result="refused: " + error.split(": ", 2)[-1], bad=False)
    if code != 0:
        return dict(row, result=f"info ended with {code}: {error}", bad=True)
    info = json.loads(text)
    row.update(triangles=info["triangles"], components=info["components"], watertight=info["watertight"])
    out = pathlib.Path(folder) / "mesh.vtu"
    code, text, error = run([sinew, "mesh", str(source), "-o", str(out), "--kind", "hexes", "--json"])
    if code not in (0, 3):
        return dict(row, result=f"mesh --kind hexes ended with {code}: {error}", bad=True)
    row.update(hexes=json.loads(text)["hexes"] if code == 0 else "")
    code, text, error = run([sinew, "mesh", str(source), "-o", str(out), "--json"])
    if code == 3:
        # Nothing that is closed may be without an inside, unless it is flat.
        return dict(row, result="no inside" if "inside" in error else "refused: " + error,
                    bad=info["watertight"] and abs(info["volume"]) > 0.0)
    if code != 0:
        return dict(row, result=f"mesh ended with {code}: {error}", bad=True)
    mesh = json.loads(text)
    low, high = mesh["smallest_dihedral"], mesh["largest_dihedral"]
    bad = not (low > 10.0 and high < 165.0 and mesh["tets"] > 0)
    finer = mesh["refined_cells"]
    return dict(row, tets=mesh["tets"], low=low, high=high, seconds=mesh["seconds"], bad=bad,
                result="tets" if finer is None else f"tets, {finer} cells")


def as_markdown(rows):
    lines = ["| file | format | triangles | parts | watertight | hexes | tets | dihedral | result |",
             "|---|---|---|---|---|---|---|---|---|"]
    for r in rows:
        angle = f"{r['low']:.1f} to {r['high']:.1f}" if "low" in r else ""
        tight = {True: "yes", False: "no"}.get(r.get("watertight"), "")
        lines.append(f"| {r['file']} | {r['format']} | {r.get('triangles', '')} | {r.get('components', '')} | {tight} "
                     f"| {r.get('hexes', '')} | {r.get('tets', '')} | {angle} | {r['result'].replace('|', '/')[:90]} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--sinew", default="build/sinew")
    parser.add_argument("--table")
    parser.add_argument("--all", action="store_true")
    settings = parser.parse_args()
    files = sorted(p for f in settings.folders for p in pathlib.Path(f).rglob("*")
                   if p.is_file() and p.suffix.lower() in OURS | THEIRS)
    absent = [f for f in settings.folders if not any(p.is_relative_to(f) for p in files)]
    if settings.all and (absent or shutil.which("assimp") is None):
        print("check_models: scripts/setup oracles installs what is missing: models in "
              f"{absent or 'no folder'}, assimp at {shutil.which('assimp')}")
        return 1
    if not files:
        print("check_models: skipped, none of these folders holds models: " + ", ".join(settings.folders))
        return 0
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            rows.append(check(settings.sinew, path, folder))
            if rows[-1]["bad"]:
                print("BAD", path, rows[-1]["result"])
    made = sum("tets" in r for r in rows)
    failed = sum(r["bad"] for r in rows)
    if settings.table:
        pathlib.Path(settings.table).write_text(as_markdown(rows))
    else:
        print(as_markdown(rows), end="")
    print(f"{len(rows)} models, {made} meshed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
