#!/usr/bin/env python3
"""Writes pages and has one file of the browser's tests look at them.

  browser_test.py WRITE_PAGES STUDIES KSTAR NAME

NAME is page, layout, charts or document: NAME.test.js.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import write_inputs

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE.parent.parent / "build" / "browser" / "node_modules"


# needs: node, chromium, pdftotext
def missing():
    """What is not there, in words; empty when all is."""
    words = [name for name in ("node", "chromium", "pdftotext") if not shutil.which(name)]
    if not (MODULES / "playwright-core").is_dir():
        words.append(str(MODULES))
    return words


def write_pages(program, kstar, studies, folder, name):
    """Only those that the tests of that name open."""
    if name in ("page", "document"):
        examples = [studies / f"{one}.jsonl.gz" for one in ("straggler-1", "clean-mpi-strong")]
        subprocess.run([program, *examples, folder], check=True)
    if name in ("layout", "charts"):
        write_inputs.write_pages(kstar, studies, folder)
    if name == "layout":
        write_inputs.write_forty(kstar, folder)
        write_inputs.write_ugly(kstar, folder)
        write_inputs.write_ranking(kstar, folder)
    if name == "document":
        write_inputs.write_documents(kstar, folder)


def main():
    program, studies, kstar, name = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    if missing():
        print("missing:", ", ".join(missing()), "- run scripts/setup test")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        write_pages(program, kstar, studies, pathlib.Path(folder), name)
        environment = dict(os.environ, NODE_PATH=str(MODULES), KSTAR_PAGES=folder)
        return subprocess.run(["node", "--test", str(HERE / f"{name}.test.js")],
                              env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
