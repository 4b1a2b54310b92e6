#!/usr/bin/env python3
"""Runs clang-tidy over what users get, src/ with its headers, in parallel.

  clang_tidy.py CLANG_TIDY ROOT BUILD

A source that passed is not checked again until it, a header of ours that it includes, its compile
command, .clang-tidy or clang-tidy itself changes: BUILD/clang-tidy-cache holds one empty file a
passed state.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

from lint import require_version_14

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def own_sources(root, build):
    """(file, compile command) for each source under root/src. Those of tests and benchmarks would
    double the minutes, and nobody builds on them."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if file.is_relative_to(root / "src") and not file.is_relative_to(build):
            yield file, entry["command"]


def with_own_headers(file, roots):
    """The file and all that it includes with quotes, directly or not."""
    seen, todo = set(), [file]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        for name in INCLUDE.findall(current.read_text(errors="replace")):
            todo += [p for p in (folder / name for folder in [current.parent, *roots])
                     if p.is_file()][:1]
    return sorted(seen)


def state(file, command, roots, common):
    digest = hashlib.sha256(common)
    digest.update(command.encode())
    for path in with_own_headers(file, roots):
        digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def check(clang_tidy, build, file):
    done = subprocess.run([clang_tidy, "--quiet", "--extra-arg=-Wno-unknown-warning-option",
                           "-p", str(build), str(file)], capture_output=True, text=True)
    return done.returncode == 0, done.stdout.strip() or done.stderr.strip()


def main():
    clang_tidy, root, build = sys.argv[1], *(pathlib.Path(p).resolve() for p in sys.argv[2:4])
    version = require_version_14(clang_tidy)
    cache = build / "clang-tidy-cache"
    cache.mkdir(exist_ok=True)
    common = version.encode() + (root / ".clang-tidy").read_bytes()
    roots = [root / "include", root / "src", root / "tests", build / "include"]
    marks = {file: cache / state(file, command, roots, common)
             for file, command in own_sources(root, build)}
    todo = [file for file, mark in marks.items() if not mark.exists()]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = pool.map(lambda file: check(clang_tidy, build, file), todo)
        for file, (passed, text) in zip(todo, results):
            if passed:
                marks[file].touch()
            else:
                failed += 1
                print(text, flush=True)
    for old in set(cache.iterdir()) - set(marks.values()):
        old.unlink()
    print(f"{len(marks)} sources, {len(todo)} checked now, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
