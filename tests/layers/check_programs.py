#!/usr/bin/env python3
"""Compares what the tests, the documents and the demo start with what scripts/setup installs.

  check_programs.py [ROOT [DPKG]]     DPKG: a folder like /var/lib/dpkg

A bare Debian has its essential packages, and scripts/setup adds those of its list. A line of comment
beside what starts another program names it:
  "needs: make, a|b"       wherever the file runs, which the labels of its folder's tests say
  "needs for test: make"   in scripts/test; without it, --quick leaves something out
Modules that are imported, and commands in documents, need no such line. Where a command begins with a
program of this machine that is neither essential nor named, that is an error, too.

Exit code 77: there is no dpkg here, which knows the package of a program.
"""
import pathlib
import re
import sys

import commands
import packages

# What runs after which call of scripts/setup. A test is quick where scripts/test --quick has its label.
FILES = {
    "build": ["scripts/demo"],
    "quick": ["README.md", "CONTRIBUTING.md", "docs/**/*.md", "tests/golden/*.md", "scripts/docs",
              "scripts/figures", "scripts/test"],
    "test": ["scripts/fuzz", "scripts/text-widths", "fuzz/run", "fuzz/CMakeLists.txt", "cmake/*.cmake",
             "examples/*/make", "bench/import_public.py", "src/tools/kstar_train/build-alone",
             "tests/*/CMakeLists.txt",
             *(f"tests/**/*.{ending}" for ending in ("py", "sh", "js", "c", "h", "cc"))],
}
QUICK = {"unit", "known-answer", "golden", "layers"}

LABEL = re.compile(r"kstar(?:_unit|_python)?_test\(\S+ ([a-z-]+)")
NEEDS = re.compile(r"(?m)^\s*(?:#|//) needs(?: for (\w+))?: (.+)$")
IMPORT = re.compile(r"(?m)^ *(?:import (\w+)|from (\w+)\S* import )")


def files(root):
    """Every file that starts programs, and the purpose for which it runs."""
    for purpose, globs in FILES.items():
        for file in sorted({file for glob in globs for file in root.glob(glob)}):
            tests = file.parent / "CMakeLists.txt"
            labels = LABEL.findall(tests.read_text()) if tests.exists() else []
            yield file, "quick" if QUICK & set(labels) else purpose


def needs(file, text, purpose, own):
    """What a file says that it needs, by name (a|b is one of them): where it says so, and for what."""
    said = {}
    for match in NEEDS.finditer(text):
        for name in match[2].split(","):
            said[name.strip()] = match.start(2), match[1] or purpose
    if file.suffix == ".py" or re.match("#!.*python", text):
        said.setdefault("python3", (0, purpose))
        for match in IMPORT.finditer(text):
            module = match[1] or match[2]
            if module not in sys.stdlib_module_names and module not in own:
                said.setdefault(f"import {module}", (match.start(match.lastindex), purpose))
    return said


def check_file(file, text, said, purpose, debian, installed):
    """By name: where it is wanted, and what is wrong with it."""
    found = {}
    named = {name for names in said for name in names.split("|")}
    for at, name in commands.of(file, text):
        if name in named or debian.is_essential(name) or not debian.finds(name):
            continue
        if file.suffix == ".md":
            said.setdefault(name, (at, purpose))
        else:
            found.setdefault(name, (at, f"starts '{name}', which a bare Debian does not have: name it "
                                        f"here, in a comment 'needs: {name}'"))
    for name, (at, purpose) in said.items():
        owners = {owner for one in name.split("|") for owner in debian.owners[one]}
        if not installed.has(owners, purpose):
            here = f" (here: {' or '.join(sorted(owners))})" if owners else ""
            found[name] = at, (f"needs '{name}', which no package for '{purpose}' in the list of "
                               f"scripts/setup brings: add the one that does{here}")
    return found


def check(root, debian):
    """What is missing, one line each, and the packages without which a purpose is not compared."""
    installed = packages.Installed((root / "scripts/setup").read_text(), debian)
    own = {file.stem for file in [*(file for file, _ in files(root)), *root.glob("python/*.py")]}
    lines = []
    for file, purpose in files(root):
        text = file.read_text()
        found = check_file(file, text, needs(file, text, purpose, own), purpose, debian, installed)
        for at, problem in found.values():
            lines.append(f"{file.relative_to(root)}:{text.count(chr(10), 0, at) + 1}: {problem}")
    return lines, installed.missing


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    dpkg = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "/var/lib/dpkg")
    if not (dpkg / "status").exists():
        print(f"skipped: there is no {dpkg} here, which knows the package of a program")
        return 77
    found, missing = check(root, packages.Debian(dpkg))
    for purpose, names in missing.items():
        print(f"not compared for '{purpose}': this machine does not have {', '.join(names)}")
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
