"""What the tests of launchers share: real jobs, built where the tools for them are installed."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from program import KSTAR, environment  # noqa: E402


def records(file, kind):
    """The runs or the notes of a study."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [line for line in lines if line.get("record") == kind]


def header(file):
    return json.loads(file.read_text().splitlines()[0])


def processes_of(program):
    """The processes that run this very file."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "exe") == str(program):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


class LaunchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(folder.name).resolve()
        self.file = self.path / "study.jsonl"
        self.addCleanup(folder.cleanup)

    # needs: mpicc.openmpi, mpicc.mpich
    def build(self, mpicc, name="allreduce", *defines):
        """The MPI job; the test is skipped where that MPI is not installed."""
        if shutil.which(mpicc) is None:
            self.skipTest(f"{mpicc} is not installed")
        job = self.path / name
        subprocess.run([mpicc, "-std=gnu11", *defines, str(HERE / f"{name}.c"), "-o", job], check=True)
        return job

    def measure(self, *words, prefix=(), status=0, **changes):
        run = subprocess.run([*prefix, KSTAR, "measure", "-o", str(self.file), *words], text=True,
                             stdin=subprocess.DEVNULL, capture_output=True, cwd=self.path,
                             env=environment(**changes), timeout=120)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def start_nodes(self, count, delay_us, mbit, prefix=()):
        """Nodes made of network namespaces, behind a switch whose links have this delay and rate: a
        line of words each. The test is skipped where they cannot be made."""
        if os.geteuid() != 0:
            self.skipTest("network namespaces need root")
        if not os.path.exists("/dev/net/tun"):
            self.skipTest("there is no /dev/net/tun for a switch to work with")
        switch = subprocess.Popen([*prefix, os.environ["VIRTUAL_NODES"], str(count), str(delay_us),
                                   str(mbit)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(switch.communicate)  # its input ends, and the nodes with it
        lines = []
        for line in switch.stdout:
            if line == "ready\n":
                return [line.split() for line in lines]
            lines.append(line)
        reason = switch.stderr.read()
        if "Operation not permitted" in reason:
            self.skipTest(f"namespaces are not permitted here: {reason.strip()}")
        self.fail(reason)


class TrainingTest(LaunchTest):
    """With the program of docs/pytorch.md."""
    def setUp(self):
        super().setUp()
        root = HERE.parent.parent
        page = (root / "docs" / "pytorch.md").read_text()
        (self.path / "train.py").write_text(re.search("```python\n(.*?)```", page, re.DOTALL)[1])
        shutil.copy(root / "python" / "kstar_mark.py", self.path)

    def train(self, launcher, program):
        """Strong scaling on one and two ranks: each runs, and marks what it computes and reduces."""
        self.measure(*launcher, "--workers", "1,2", "--batch", "8", "--runs", "1", "--time", "marks",
                     "--", *program, "--batch", "{batch/K}", "--steps", "14",
                     TMPDIR=str(self.path))  # where torchrun leaves a folder
        runs = sorted(records(self.file, "run"), key=lambda run: run["workers"])
        self.assertEqual([run["workers"] for run in runs], [1, 2])
        for run in runs:
            self.assertNotIn("failure", run, run.get("output"))
            self.assertEqual(run["exit_status"], 0, run)
            self.assertEqual([run["nodes"], run["ranks"], run["threads"]], [1, run["workers"], 1])
            self.assertEqual((len(run["steps"]), run["warm_up_steps"]), (14, 10))
            marks = run["per_worker"]
            self.assertEqual(marks["work"], [32 / run["workers"]] * run["workers"])
            for phase in ("compute", "communicate"):
                self.assertEqual(len(marks[phase]), run["workers"])
                self.assertGreater(min(marks[phase]), 0)
