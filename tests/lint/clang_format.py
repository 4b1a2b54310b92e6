#!/usr/bin/env python3
"""Fails when a C++ file of the repository is not formatted as .clang-format says.

  clang_format.py CLANG_FORMAT ROOT
"""
import pathlib
import subprocess
import sys

from lint import own_files, require_version_14


def main():
    clang_format, root = sys.argv[1], pathlib.Path(sys.argv[2])
    require_version_14(clang_format)
    files = [str(f) for f in own_files(root) if f.suffix in (".cc", ".h")]
    done = subprocess.run([clang_format, "--dry-run", "--Werror", "--ferror-limit=1", *files],
                          cwd=root)
    if done.returncode != 0:
        print("hint: clang-format -i FILE formats it in place")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
