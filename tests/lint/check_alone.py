#!/usr/bin/env python3
"""Every header must compile alone: check_alone.py ROOT BUILD.

Builds from nothing compile the sources of a folder together (cmake/Room.cmake): there what one header
includes serves the next, and a missing include shows only when sources are compiled one by one, as a
user's build does. The flags are those of BUILD.
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

# Read once: what nearly every header includes.
COMMON = ["algorithm", "functional", "map", "optional", "span", "string", "string_view", "vector",
          "fmt/format.h", "tl/expected.hpp"]
# Sources of other programs, which are compiled with other libraries.
OWN_WAY = ("src/tools/",)


def compiler_and_flags(build):
    """How a source of a room is compiled, without the source and what becomes of it."""
    commands = json.loads((build / "compile_commands.json").read_text())
    words = next(shlex.split(one["command"]) for one in commands if "/kstar_view.dir/" in one["command"])
    flags = [word for word in words[1:] if word.startswith(("-D", "-I", "-f", "-std"))]
    for place, word in enumerate(words):
        if word == "-isystem":
            flags += words[place:place + 2]
    return words[0], flags


def errors(compiler, flags, header):
    """What the compiler says of a source with this one include; nothing where it is content."""
    run = subprocess.run([compiler, *flags, "-fsyntax-only", "-x", "c++", "-"],
                         input=f'#include "{header}"\n', capture_output=True, text=True)
    return "" if run.returncode == 0 else f"{header} does not compile alone:\n{run.stderr}"


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    compiler, flags = compiler_and_flags(build)
    headers = [file for folder in ("src", "include") for file in sorted((root / folder).rglob("*.h"))
               if not str(file.relative_to(root)).startswith(OWN_WAY)]
    if not headers:
        sys.exit(f"{root} has no headers")
    with tempfile.TemporaryDirectory() as folder:
        common = pathlib.Path(folder) / "common.h"
        common.write_text("".join(f"#include <{name}>\n" for name in COMMON))
        subprocess.run([compiler, *flags, "-x", "c++-header", common, "-o", f"{common}.gch"], check=True)
        flags += ["-include", str(common)]
        found = [text for header in headers if (text := errors(compiler, flags, header))]
    print("\n".join(found) or f"{len(headers)} headers compile alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
