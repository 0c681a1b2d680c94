"""Checks the JSON document of `sinew bench` on standard input: the keys that readers rely on, their
types, and numbers that can be true. Arguments are entries that must be there, or after --left-out what
--quick must say that it leaves out."""
import json
import math
import sys


def fail(sentence):
    sys.exit(f"check_bench_json: {sentence}")


def expect_number(where, value, positive=True):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        fail(f"{where} is {value!r}, expected a finite number")
    if positive and not value > 0:
        fail(f"{where} is {value!r}, expected more than 0")


def expect_text(where, value):
    if not isinstance(value, str) or not value:
        fail(f"{where} is {value!r}, expected a text")


def check_machine(machine):
    for key in ("processor", "isa", "variant", "version"):
        expect_text(f"machine.{key}", machine.get(key))
    for key in ("cores", "threads"):
        expect_number(f"machine.{key}", machine.get(key))
    for curve in ("read", "update"):
        if not machine.get(curve):
            fail(f"machine.{curve} is empty")
        for point in machine[curve]:
            for key in ("size", "threads", "gb_per_s"):
                expect_number(f"machine.{curve}.{key}", point.get(key))
    if not machine.get("madd"):
        fail("machine.madd is empty")
    for peak in machine["madd"]:
        expect_number("machine.madd.gf_per_s", peak.get("gf_per_s"))


def check_entry(entry):
    expect_text("name", entry.get("name"))
    name = entry["name"]
    for key in ("isa", "variant"):
        expect_text(f"{name}.{key}", entry.get(key))
    expect_number(f"{name}.threads", entry.get("threads"))
    if "skipped" in entry:
        expect_text(f"{name}.skipped", entry["skipped"])
        return
    expect_text(f"{name}.unit", entry.get("unit"))
    for key in ("value", "median", "limit", "fraction"):
        expect_number(f"{name}.{key}", entry.get(key))
    # Whatever else an entry has is a number: an error, a size.
    for key, value in entry.items():
        if key not in ("name", "isa", "variant", "unit"):
            expect_number(f"{name}.{key}", value, positive=False)
    if name.startswith("rotation."):
        for key in ("error_mean_deg", "error_max_deg"):
            expect_number(f"{name}.{key}", entry.get(key))
    # The best run is the shortest time, or the greatest rate.
    is_rate = entry["unit"].endswith("/s")
    if (entry["value"] < entry["median"]) if is_rate else (entry["value"] > entry["median"]):
        fail(f"{name}: value {entry['value']} is worse than median {entry['median']}")


def main():
    document = json.load(sys.stdin)
    check_machine(document["machine"])
    names = [entry.get("name") for entry in document["entries"]]
    for entry in document["entries"]:
        check_entry(entry)
    if len(names) != len(set(names)):
        fail("two entries have the same name")
    words = iter(sys.argv[1:])
    for wanted in words:
        if wanted == "--left-out":
            wanted = next(words)
            if wanted not in document["left_out"]:
                fail(f"{wanted} is not told among what is left out: {document['left_out']}")
        elif wanted not in names:
            fail(f"no entry {wanted} among {', '.join(names)}")
    print(f"{len(names)} entries are as expected")


main()
