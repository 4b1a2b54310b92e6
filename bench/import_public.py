#!/usr/bin/env python3
"""Tries every file of a folder with kstar import: imported or refused, with the reason.

  import_public.py KSTAR FOLDER...

Prints one line a file: what became of it and why. Fails where kstar crashed, hung, or refused
without a reason.
"""
import pathlib
import subprocess
import sys

TIMEOUT_S = 60


def tried(program, file, *words):
    """(whether it was sound, imported or refused, why)"""
    try:
        done = subprocess.run([program, "import", str(file), *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return False, "hung", f"still running after {TIMEOUT_S} s"
    said = done.stderr.strip().splitlines()
    if done.returncode == 0:
        formats = [line.split("read as ")[1] for line in said if "read as " in line]
        runs = done.stdout.count('"record":"run"')
        return runs > 0, "imported", f"{(formats or ['study'])[0]}, {runs} runs"
    reason = said[0].removeprefix("kstar: error: ").replace(str(file), "") if said else ""
    return done.returncode == 1 and bool(reason), "refused", reason[:150]


def main():
    program, sound, counts = sys.argv[1], True, {}
    for folder in map(pathlib.Path, sys.argv[2:]):
        if not folder.is_dir():
            print(f"skipped: there is no {folder}")
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            fine, what, why = tried(program, file)
            sound = sound and fine
            counts[what] = counts.get(what, 0) + 1
            print(f"{what:8} {file.relative_to(folder)}: {why}{'' if fine else '   <-- WRONG'}")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
