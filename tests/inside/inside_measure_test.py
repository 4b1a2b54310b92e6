"""kstar measure --inside with real MPI programs: what their ranks did, from runs of their own."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

KSTAR = os.environ["KSTAR"]
MPIRUN = os.environ.get("MPIRUN", "")
PROGRAM = os.environ["PROGRAM"]
MPICH_RUN = os.environ.get("MPICH_RUN", "")
MPICH_PROGRAM = os.environ.get("MPICH_PROGRAM", "")
TRAIN = os.environ.get("KSTAR_TRAIN_MPI", "")
OPTIONS = ["--allow-run-as-root", "--oversubscribe", "--mca", "pml", "ob1", "--mca", "btl",
           "self,vader", "--mca", "mpi_yield_when_idle", "1", "--mca",
           "btl_vader_single_copy_mechanism", "none", "-np", "{K}"]


def mean(values):
    return sum(values) / len(values)


@unittest.skipUnless(MPIRUN and pathlib.Path(PROGRAM).exists(), "no Open MPI, or no compiler of it")
class InsideTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.file = self.path / "study.jsonl"
        # Two mpiruns at a time stumble over each other's folders.
        self.temporary = self.path / "tmp"
        self.temporary.mkdir()

    def measure(self, flags, command, **variables):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TMPDIR": str(self.temporary), **variables}
        return subprocess.run(
            [KSTAR, "measure", "--same-command", "--launcher", "local", "--no-bind", "-o", str(self.file), *flags,
             "--", *command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=environment, timeout=120)

    def records(self, kind):
        lines = map(json.loads, self.file.read_text().splitlines())
        return [line for line in lines if line.get("record") == kind]

    def runs(self, inside):
        return [run for run in self.records("run") if ("inside" in run) == inside]

    def leftovers(self):
        return [path.name for path in self.temporary.glob("kstar-run-*")]

    def test_runs_that_look_inside_stand_beside_the_plain_ones(self):
        run = self.measure(["--workers", "1,2", "--runs", "3", "--inside", "2"],
                           [MPIRUN, *OPTIONS, PROGRAM, "late"])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(sorted(r["workers"] for r in self.runs(False)), [1, 1, 1, 2, 2, 2])
        self.assertEqual(sorted(r["workers"] for r in self.runs(True)), [1, 1, 2, 2])
        self.assertNotIn("T = 0", run.stderr)
        for line in run.stderr.splitlines():  # T(K) is that of plain runs
            self.assertFalse(" inside: " in line and "T = " in line, line)
        for plain in self.runs(False):
            self.assertNotIn("per_worker", plain)
        for looked in self.runs(True):
            self.assertEqual(looked["inside"]["world"], looked["workers"])
            self.assertEqual(looked["inside"]["mpi"], "Open MPI")
            row = next(r for r in looked["inside"]["by_call"] if r["call"] == "MPI_Allreduce")
            self.assertEqual(row["calls"], 10 * looked["workers"])
            self.assertEqual(row["bytes"], 10 * 800 * looked["workers"])
        # Rank 1 comes 20 ms late to each of 10 all-reduces: rank 0 waits for it, and not it for 0.
        for looked in self.runs(True):
            if looked["workers"] != 2:
                continue
            wait = looked["per_worker"]["wait"]
            self.assertGreater(wait[0], 0.15)
            self.assertLess(wait[1], 0.05)
        self.assertIn("the others wait for rank 1", run.stdout)
        table = run.stdout[run.stdout.index("useful"):]
        self.assertIn("cost", table)
        notes = [note for note in self.records("note") if note["what"] == "inside-cost"]
        self.assertEqual([note["where"] for note in notes], ["K = 1", "K = 2"])
        self.assertEqual(self.leftovers(), [])

    @unittest.skipUnless(MPICH_RUN and pathlib.Path(MPICH_PROGRAM).exists(), "no MPICH")
    def test_mpich_passes_the_library_on_too(self):
        run = self.measure(["--workers", "2", "--runs", "1", "--inside", "1"],
                           [MPICH_RUN, "-np", "{K}", MPICH_PROGRAM, "late"])
        self.assertEqual(run.returncode, 0, run.stderr)
        (looked,) = self.runs(True)
        self.assertEqual((looked["inside"]["mpi"], looked["inside"]["world"]), ("MPICH", 2))
        self.assertGreater(looked["per_worker"]["wait"][0], 0.15)

    def test_the_table_counts_plain_runs_only(self):
        run = self.measure(["--workers", "1", "--runs", "2", "--inside", "2"],
                           [MPIRUN, *OPTIONS, PROGRAM, "drift"])
        self.assertEqual(run.returncode, 0, run.stderr)
        row = next(line for line in run.stdout.splitlines() if line.strip().startswith("1 "))
        self.assertEqual(row.split()[1], "2", run.stdout)
        times = [r["wall"] for r in self.runs(False)]
        shown = float(row.split()[2]) / (1000 if row.split()[3] == "ms" else 1)
        self.assertAlmostEqual(shown, mean(times), delta=0.001)

    def test_a_program_that_dies_is_a_failed_run_that_keeps_what_was_counted(self):
        script = self.path / "dies"  # only where it is examined
        script.write_text('#!/bin/sh\nexec "$@" ${KSTAR_INSIDE:+kill} ${KSTAR_INSIDE:-drift}\n')
        script.chmod(0o755)
        run = self.measure(["--workers", "2", "--runs", "2", "--inside", "1", "--max-failures", "1"],
                           [MPIRUN, *OPTIONS, str(script), PROGRAM])
        self.assertEqual(run.returncode, 0, run.stderr)
        (died,) = self.runs(True)
        self.assertNotEqual(died["exit_status"], 0)
        self.assertIn("killed", died["inside"]["end"])
        row = next(r for r in died["inside"]["by_call"] if r["call"] == "MPI_Allreduce")
        self.assertEqual(row["calls"] % 5, 0)
        self.assertEqual(len(died["per_worker"]["compute"]), 2)
        self.assertIn("1 failed; their counts are in the study", run.stdout)
        self.assertEqual(len(self.runs(False)), 2)

    def test_a_program_without_mpi_fails_with_the_reasons(self):
        run = self.measure(["--workers", "1,2", "--runs", "2", "--inside", "1", "--max-failures",
                            "1"], ["sleep", "0.01"])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("no rank was profiled: the program made no MPI call, is statically linked, "
                      "or the launcher did not pass on LD_PRELOAD", run.stderr)
        self.assertEqual(len(self.runs(False)), 4)
        for looked in self.runs(True):
            self.assertEqual(looked["inside"], {})

    def test_without_the_library_nothing_runs(self):
        run = self.measure(["--workers", "1", "--runs", "2", "--inside", "1"], ["true"],
                           KSTAR_MPI_LIBRARY="/nowhere/libkstar_mpi.so")
        self.assertEqual(run.returncode, 1)
        self.assertIn("KSTAR_MPI_LIBRARY", run.stderr)
        self.assertFalse(self.file.exists())

    def test_resuming_with_another_number_is_refused_and_with_the_same_adds_nothing(self):
        command = [MPIRUN, *OPTIONS, PROGRAM, "drift"]
        flags = ["--workers", "1", "--runs", "2", "--inside"]
        self.assertEqual(self.measure([*flags, "1"], command).returncode, 0)
        changed = self.measure([*flags, "2", "--resume"], command)
        self.assertEqual(changed.returncode, 1)
        self.assertIn("cannot be resumed", changed.stderr)
        again = self.measure([*flags, "1", "--resume"], command)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((len(self.runs(True)), len(self.runs(False))), (1, 2))
        notes = [note for note in self.records("note") if note["what"] == "inside-cost"]
        self.assertEqual(len(notes), 1)

    @unittest.skipUnless(TRAIN, "kstar-train-mpi was not built")
    def test_a_planted_straggler_is_the_rank_that_the_others_wait_for(self):
        run = self.measure(["--workers", "3", "--runs", "2", "--inside", "2"],
                           [MPIRUN, *OPTIONS, TRAIN, "--steps", "20", "--batch", "48",
                            "--straggler", "2:20"])
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("the others wait for rank 2", run.stdout)
        for looked in self.runs(True):
            wait = looked["per_worker"]["wait"]
            # 20 steps x 20 ms; the step that begins the timing may not be waited for.
            self.assertGreater(min(wait[0], wait[1]), 0.3)
            self.assertLess(wait[2], 0.15)


if __name__ == "__main__":
    unittest.main()
