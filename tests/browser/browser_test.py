#!/usr/bin/env python3
"""Writes the pages and has the browser's tests look at them.

  browser_test.py WRITE_PAGES STUDIES
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE.parent.parent / "build" / "browser" / "node_modules"


def missing():
    """What is not there, in words; empty when all is."""
    words = [name for name in ("node", "chromium", "pdftotext") if not shutil.which(name)]
    if not (MODULES / "playwright-core").is_dir():
        words.append(str(MODULES))
    return words


def main():
    write_pages, studies = sys.argv[1], pathlib.Path(sys.argv[2])
    if missing():
        print("missing:", ", ".join(missing()), "- run scripts/setup test")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        examples = [studies / f"{name}.jsonl.gz" for name in ("straggler-1", "clean-mpi-strong")]
        subprocess.run([write_pages, *examples, folder], check=True)
        tests = sorted(str(file) for file in HERE.glob("*.test.js"))
        environment = dict(os.environ, NODE_PATH=str(MODULES), KSTAR_PAGES=folder)
        return subprocess.run(["node", "--test", *tests], env=environment, timeout=280).returncode


if __name__ == "__main__":
    sys.exit(main())
