"""examples/studies/make: what it measures, and what it refuses."""

import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import KSTAR, environment

BUILD = pathlib.Path(os.environ["KSTAR_BUILD"])
MAKE = pathlib.Path(__file__).parents[2] / "examples/studies/make"
TRAIN_MPI = BUILD / "kstar-train-mpi"
# Any machine may run this, so nothing is calibrated: the planted flags then have known values.
KNOWN = ["--sample-us", "small=5,wide=25", "--stream-efficiency", "strong=0.5,weak=0.5"]


def make(*words):
    return subprocess.run([sys.executable, str(MAKE), "--kstar", KSTAR, "--train",
                           str(BUILD / "kstar-train"), *KNOWN, *words], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=250,
                          env=environment(ASAN_OPTIONS="detect_leaks=0"))  # MPI keeps what it has


class Studies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(folder.name)
        self.addCleanup(folder.cleanup)

    def test_each_cause_is_planted_as_strongly_as_its_formula_says(self):
        done = make("--list", "--train-mpi", "mpi", "--workers", "1,2,4", "-o", str(self.path))
        self.assertEqual(done.returncode, 0, done.stderr)
        commands = {re.search(r" -o (\S+)\.jsonl ", line)[1]: line
                    for line in done.stdout.splitlines()}
        self.assertEqual(len(commands), 38)
        # c = 100 ms strong, 12 ms weak; K = 4.
        known = {"straggler-1": "--straggler=1:2.778",         # 0.1/0.9 of 25 ms
                 "straggler-3": "--straggler=1:5.143",         # 0.3/0.7 of 12 ms
                 "random-straggler-1": "--straggler=-1:18.182:0.5",  # 0.2 * 100 / (0.8 * 4/2 - 1/2)
                 "imbalance-3": "--imbalance=0.250",
                 "serial-3": "--serial=9.091",                 # 0.2 * 100 / (0.8 * 4 - 1)
                 "slow-allreduce-4": "--slow-allreduce=3.000ms"}
        for name, flag in known.items():
            self.assertIn(flag, commands[name].split(), name)
        self.assertIn("--batch 20000 ", commands["clean-threads-strong"])
        self.assertIn("--batch 2400 ", commands["clean-threads-weak"])

    def test_a_study_is_written_with_the_arrays_of_every_worker(self):
        # needs: mpirun
        ranks = TRAIN_MPI.exists() and shutil.which("mpirun") is not None
        flags = ["--train-mpi", str(TRAIN_MPI)] if ranks else []
        done = make("--workers", "1,2", "--runs", "1", "--steps", "8", "-o", str(self.path),
                    "--only", "imbalance-1,imbalance-2", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        names = ["imbalance-1", "imbalance-2"] if ranks else ["imbalance-1"]
        for name in names:
            lines = gzip.decompress((self.path / f"{name}.jsonl.gz").read_bytes()).splitlines()
            runs = [json.loads(line) for line in lines if b'"record":"run"' in line]
            self.assertEqual(sorted(run["workers"] for run in runs), [1, 2])
            for run in runs:
                for quantity in ("compute", "communicate", "wait", "load", "work"):
                    self.assertEqual(len(run["per_worker"][quantity]), run["workers"])
        table = (self.path / "README.md").read_text()
        for name in names:
            self.assertIn(f"| {name} |", table)
        if not ranks:
            self.assertIn("skipped imbalance-2", done.stderr)

    def test_the_studies_kept_here_are_whole_and_described(self):
        table = (MAKE.parent / "README.md").read_text()
        files = sorted(MAKE.parent.glob("*.jsonl.gz"))
        self.assertEqual(len(files), 38)
        for file in files:
            lines = gzip.decompress(file.read_bytes()).splitlines()
            runs = [json.loads(line) for line in lines if b'"record":"run"' in line]
            each = 5 if file.name.startswith("clean") else 4
            counts = {k: sum(run["workers"] == k for run in runs) for k in (1, 2, 3, 4, 6, 8, 12, 16)}
            self.assertEqual(set(counts.values()), {each}, file.name)
            self.assertFalse([run for run in runs if run["exit_status"] != 0], file.name)
            self.assertIn(f"| {file.name.removesuffix('.jsonl.gz')} |", table)
            done = subprocess.run([KSTAR, "merge", str(file), "-o", str(self.path / "read.jsonl"),
                                   "--force"], env=environment(), capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_cannot_be_is_refused(self):
        for flags, part in ((["--only", "nothing"], "--only: expected the start"),
                            (["--workers", "2,4"], "--workers: expected 1 and a larger count"),
                            (["--steps", "3"], "--steps: expected more than the 3")):
            done = make("-o", str(self.path), *flags)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
