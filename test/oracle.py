"""What the checks against other programs share: counting checks, running programs, and finding out
which of the others are installed. With --all as the first argument (part oracles of `make check`)
they are asked, and a missing one is a failure; else only what needs no other program is checked."""
import os
import shutil
import subprocess
import sys

PROGRAMS = ("gmsh", "tetgen", "assimp")

failures = 0
checks = 0
must_have_all = len(sys.argv) > 1 and sys.argv[1] == "--all"
arguments = sys.argv[2:] if must_have_all else sys.argv[1:]


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
                          errors="replace", check=False)
    return done.returncode, done.stdout


def missing(name):
    """Whether a program or a Python module is not to be asked; one that should be there is a failure."""
    if not must_have_all:
        return True
    if name in PROGRAMS:
        absent = shutil.which(name) is None
    else:
        absent = run(sys.executable, "-c", f"import {name}")[0] != 0
    if absent:
        expect(f"{name} is installed (scripts/setup oracles installs it)", False)
    return absent


def use_debian_python():
    """Debian's modules are for Debian's interpreter, which may not be the first on the path."""
    if not must_have_all:
        return
    debian = "/usr/bin/python3"
    if not os.path.exists(debian) or os.path.realpath(debian) == os.path.realpath(sys.executable):
        return
    if any(run(debian, "-c", f"import {name}")[0] == 0 for name in ("meshio", "vtk")):
        os.execv(debian, [debian] + sys.argv)


def finish():
    """Ends the program: 1 when something failed, or when nothing was checked though it had to be."""
    print(f"{os.path.basename(sys.argv[0])}: {checks} checks, {failures} failed")
    sys.exit(1 if failures or (must_have_all and checks == 0) else 0)
