#!/usr/bin/env python3
"""Checks that published tables come out of the real program digit for digit.

    seed_tables.py KSTAR TABLES
"""

import os
import re
import shlex
import subprocess
import sys


def cells(line):
    """A row as its cells in words: rules and blanks do not count."""
    return re.sub(r"[│|]", " ", line).split()


def read_cases(path):
    cases = []
    for number, line in enumerate(open(path), 1):
        line = line.rstrip("\n")
        if line.startswith("$ "):
            cases.append((number, line[2:], []))
        elif line and not line.startswith("#"):
            cases[-1][2].append((number, cells(line)))
    return cases


def starts_with(row, wanted):
    return row[: len(wanted)] == wanted


def check(kstar, command, rows):
    environment = {"LC_ALL": "C.UTF-8", "COLUMNS": "200", "PATH": os.environ["PATH"]}
    words = shlex.split(command)[1:]
    run = subprocess.run([kstar, *words], capture_output=True, text=True, env=environment)
    if run.returncode != 0:
        return [f"exit status {run.returncode}: {run.stderr}"]
    output = iter([cells(line) for line in run.stdout.splitlines()])
    missing = []
    for number, wanted in rows:
        if not any(starts_with(row, wanted) for row in output):
            missing.append(f"line {number}: no row '{' '.join(wanted)}' (in this place)")
            break
    return missing


def main():
    kstar, tables = sys.argv[1:]
    failures = 0
    cases = read_cases(tables)
    rows = sum(len(case[2]) for case in cases)
    for number, command, wanted in cases:
        for problem in check(kstar, command, wanted):
            failures += 1
            print(f"{tables}:{number}: {command}\n  {problem}")
    print(f"{len(cases)} tables, {rows} rows, {failures} wrong")
    return 1 if failures or not rows else 0


sys.exit(main())
