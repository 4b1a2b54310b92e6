"""kstar measure with real jobs: what is kept, what is said, and what survives."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import KSTAR, environment, in_terminal, kstar


def runs_in(file):
    lines = file.read_text().splitlines()
    return [json.loads(line) for line in lines if '"record":"run"' in line]


def sleepers(mark):
    """Processes whose command line holds the mark."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "cmdline").read_text().split("\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


class MeasureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(folder.name)
        self.file = self.path / "study.jsonl"
        self.addCleanup(folder.cleanup)

    def start(self, *words):
        return subprocess.Popen([KSTAR, "measure", *words], stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
                                cwd=self.path)

    def wait_for_runs(self, count):
        for _ in range(500):
            if self.file.exists() and self.file.read_text().count('"record":"run"') >= count:
                return
            time.sleep(0.02)
        self.fail(f"no {count} runs after 10 s")


class Measuring(MeasureTest):
    def test_a_table_comes_out_and_every_run_is_kept(self):
        run = kstar("measure", "--same-command", "--workers", "1,2", "--runs", "4", "-o", str(self.file), "--",
                    "sleep", "0.02")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("E(K)", run.stdout)
        runs = runs_in(self.file)
        self.assertEqual(sorted(r["workers"] for r in runs), [1] * 4 + [2] * 4)
        for r in runs:
            self.assertGreaterEqual(r["wall"], 0.02)
            self.assertEqual(r["exit_status"], 0)
            for key in ("cpu_user", "load", "minor_faults", "voluntary_switches", "start"):
                self.assertIn(key, r)
        self.assertEqual(run.stderr.count("\nkstar: run "), 8 - run.stderr.startswith("kstar: run "))

    def test_a_program_that_vanishes_stops_its_k_and_not_the_study(self):
        for k in (1, 2):
            job = self.path / f"job-{k}"
            job.write_text("#!/bin/sh\nsleep 0.02\n" + ("rm -f job-2\n" if k == 2 else ""))
            job.chmod(0o755)
        run = kstar("measure", "--same-command", "--workers", "1,2", "--runs", "6", "-o", str(self.file), "--",
                    "./job-{K}", cwd=self.path)
        self.assertEqual(run.returncode, 1, run.stderr)
        runs = runs_in(self.file)
        self.assertEqual(sum(r["workers"] == 1 for r in runs), 6)
        lost = [r for r in runs if "failure" in r]
        self.assertEqual({r["failure"] for r in lost},
                         {"./job-2: cannot start: No such file or directory"})
        self.assertIn("given-up", self.file.read_text())

    def test_a_slow_run_is_explained_by_what_others_did_meanwhile(self):
        # The others differ by more than chance does, or a millisecond would stand out as well.
        turn = ("printf x >> runs; n=$(wc -c < runs); if [ $n -eq 14 ]; then : > go; sleep 1.4; "
                "else sleep 0.3$((n * 7 % 10)); fi")
        run = self.start("--workers", "1", "--runs", "18", "-o", str(self.file), "--", "sh", "-c",
                         turn)
        while run.poll() is None and not (self.path / "go").exists():
            time.sleep(0.01)
        others = [subprocess.Popen(["timeout", "1.4", "sh", "-c", "while :; do :; done"])
                  for _ in range(os.cpu_count())]
        errors = run.communicate()[1]
        for other in others:
            other.wait()
        runs = runs_in(self.file)
        used = [r["cpu_others"] / r["wall"] for r in runs]
        slow = used.pop(13)
        if slow < 2 * max(used):
            self.skipTest("this machine is too busy to tell one more process from the others")
        self.assertRegex(errors, "outlier: K = 1, run 13: .* CPUs used by other processes ")

    def test_threads_and_binding_are_set_for_the_job(self):
        script = "import os; print('threads', os.environ['OMP_NUM_THREADS'])"
        run = kstar("measure", "--same-command", "--workers", "1,2", "--runs", "2", "--check", "threads ([0-9]+)",
                    "--check-value", "1", "-o", str(self.file), "--", "python3", "-c", script)
        bad = [r for r in runs_in(self.file) if "failure" in r]
        self.assertTrue(bad and all(r["workers"] == 2 for r in bad), run.stderr)

    def test_a_pattern_gives_the_time_of_steps_and_setup_is_what_is_left(self):
        script = "import time; time.sleep(0.05); print('step took 10 ms'); print('step took 30 ms')"
        run = kstar("measure", "--workers", "1", "--runs", "2", "--time-regex", "took ([0-9.]+) ms",
                    "--time-unit", "ms", "-o", str(self.file), "--", "python3", "-c", script)
        self.assertEqual(run.returncode, 0, run.stderr)
        for r in runs_in(self.file):
            self.assertEqual(r["steps"], [0.01, 0.03])
            self.assertAlmostEqual(r["setup"], r["wall"] - 0.04, places=6)

    def test_a_failing_job_is_kept_with_its_last_words(self):
        run = kstar("measure", "--workers", "1", "--runs", "5", "--shell", "-o", str(self.file), "--",
                    "echo no memory >&2; exit 7")
        self.assertNotEqual(run.returncode, 0)
        runs = runs_in(self.file)
        self.assertEqual(len(runs), 3)
        for r in runs:
            self.assertEqual((r["exit_status"], r["output"]), (7, "no memory\n"))

    def test_force_replaces_a_study_and_nothing_else(self):
        words = ["--workers", "1", "--runs", "1", "--force", "-o", str(self.file), "--", "true"]
        self.file.write_text("important\n")
        run = kstar("measure", *words)
        self.assertEqual(run.returncode, 2)
        self.assertIn("--force: expected a study to replace, but this file is not a study", run.stderr)
        self.assertEqual(self.file.read_text(), "important\n")
        self.file.write_text("")
        for _ in range(2):  # an empty file, and then the study that it became
            self.assertEqual(kstar("measure", *words).returncode, 0)

    def test_a_k_without_a_time_is_said_and_does_not_move_the_base(self):
        job = "test $0 != 1"
        run = kstar("measure", "--same-command", "--workers", "1,2", "--runs", "2", "-o", str(self.file), "--",
                    "sh", "-c", job, "{K}")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("The base has no usable time", run.stdout)
        self.assertIn("K = 1: 3 made, none with a usable time", run.stdout)
        self.assertIn("failed: exit status 1", run.stderr)

    def test_a_hanging_job_is_ended_at_its_limit(self):
        run = kstar("measure", "--workers", "1", "--runs", "1", "--timeout", "0.3s",
                    "-o", str(self.file), "--", "sleep", "60")
        self.assertTrue(all(r["timed_out"] for r in runs_in(self.file)), run.stderr)

    def test_a_dry_run_starts_nothing(self):
        run = kstar("measure", "--workers", "1,2,4", "--batch", "480", "--dry-run", "--",
                    "touch", str(self.path / "ran"), "{batch/K}")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertFalse((self.path / "ran").exists())
        for share in ("480", "240", "120"):
            self.assertIn(share, run.stdout)

    def test_a_dry_run_of_a_study_that_goes_on_counts_what_is_missing(self):
        words = ["-o", str(self.file), "--", "sleep", "0.0{K}"]
        kstar("measure", "--same-command", "--workers", "1,2", "--runs", "3", *words)
        before = self.file.read_bytes()
        run = kstar("measure", "--same-command", "--workers", "1,2", "--runs", "5", "--resume", "--dry-run", *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"\n4 runs: 0\.\d+ s, [0-9.e-]+ worker-hours\.")
        self.assertIn("its runs count as done", run.stdout)
        run = kstar("measure", "--same-command", "--workers", "1,2", "--runs", "5", "--dry-run", "-o", str(self.file), "--", "true")
        self.assertIn("is a different study", run.stdout.replace("\n    ", " "))
        self.assertEqual(self.file.read_bytes(), before)

    def test_a_check_command_gets_the_output_of_the_run(self):
        for check in (["--check-command", "grep -q right {output}"],
                      ["--shell", "--check-command", 'grep right "$KSTAR_OUTPUT" | grep -q .']):
            for answer, status in (("right", 0), ("wrong", 1)):
                run = kstar("measure", "--workers", "1", "--runs", "1", "--force", *check, "-o", str(self.file),
                            "--", "echo", answer)
                self.assertEqual(run.returncode, status, run.stderr)

    def test_a_program_that_cannot_start_leaves_no_file(self):
        for words in (["--", "no-such-program"], ["--baseline", "no-such-program", "--", "true"],
                      ["--check-command", "no-such-program", "--", "true"], ["--", "./no{K}"]):
            run = kstar("measure", "--workers", "1", "--runs", "1", "-o", str(self.file), *words)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn("cannot start: No such file or directory", run.stderr)
            self.assertFalse(self.file.exists())

    def test_a_printed_spec_measures_the_same(self):
        words = ["--same-command", "--workers", "1,2", "--runs", "2", "--", "sleep", "0.01"]
        spec = self.path / "study.toml"
        spec.write_text(kstar("measure", "--print-spec", *words).stdout)
        run = kstar("measure", "--spec", str(spec), "-o", str(self.file))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(runs_in(self.file)), 4)

    def test_the_terminal_shows_progress_and_a_log_gets_lines(self):
        words = ["measure", "--workers", "1", "--runs", "3", "-o", str(self.file), "--", "sleep", "0.05"]
        status, shown = in_terminal(*words)
        self.assertEqual(status, 0, shown)
        self.assertIn("K=1 run 1", shown)
        self.assertIn("left", shown)


class NothingLost(MeasureTest):
    JOB = ["--same-command", "--workers", "1,2", "--runs", "400", "-o", "study.jsonl", "--", "sleep", "0.005"]

    def test_an_interrupt_saves_and_says_so(self):
        process = self.start(*self.JOB)
        self.wait_for_runs(5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("--resume continues", errors)
        self.assertGreaterEqual(len(runs_in(self.file)), 5)

    def test_a_hundred_kills_lose_no_sample(self):
        generator = random.Random(7)
        before = time.time()
        kstar("--version")
        latest = 0.25 + 3 * (time.time() - before)  # a sanitized program starts slowly
        kept = 0
        for _ in range(100):
            # A kill may come before there is a study to resume.
            process = self.start(*(["--resume"] if self.file.exists() else []), *self.JOB)
            deadline = time.time() + generator.uniform(0.05, latest)
            acknowledged = 0
            while time.time() < deadline and process.poll() is None:
                time.sleep(0.01)
            process.kill()
            _, errors = process.communicate(timeout=20)
            for order in re.findall(r"run (\d+) K=", errors):
                acknowledged = max(acknowledged, int(order) + 1)
            orders = [r["order"] for r in runs_in(self.file)] if self.file.exists() else []
            self.assertEqual(orders, list(range(len(orders))), "every run once, none missing")
            self.assertGreaterEqual(len(orders), max(kept, acknowledged), errors)
            kept = len(orders)
        self.assertGreater(kept, 100)
        self.assertEqual(kstar("merge", str(self.file)).returncode, 0)

    def test_a_killed_kstar_leaves_no_orphan(self):
        mark = f"kstar-orphan-{os.getpid()}"
        job = ("import os, subprocess, sys, time\n"
               f"for i in range(30): subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)', '{mark}'], start_new_session=True)\n"
               "time.sleep(300)")
        process = self.start("--workers", "1", "--runs", "1", "-o", "study.jsonl", "--", "python3", "-c", job)
        for _ in range(500):
            if len(sleepers(mark)) == 30:
                break
            time.sleep(0.02)
        self.assertEqual(len(sleepers(mark)), 30)
        process.kill()
        process.communicate(timeout=20)
        for _ in range(500):
            if not sleepers(mark):
                break
            time.sleep(0.02)
        self.assertEqual(sleepers(mark), [])

    def test_children_left_behind_are_ended_with_their_run(self):
        mark = f"kstar-child-{os.getpid()}"
        job = ("import subprocess, sys\n"
               f"for i in range(30): subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)', '{mark}'], start_new_session=True)")
        kstar("measure", "--workers", "1", "--runs", "2", "-o", str(self.file), "--", "python3", "-c", job)
        self.assertEqual(sleepers(mark), [])
        self.assertEqual(len(runs_in(self.file)), 2)

    def test_another_command_may_not_go_on_with_the_study(self):
        kstar("measure", "--workers", "1", "--runs", "2", "-o", str(self.file), "--", "sleep", "0.01")
        before = self.file.read_bytes()
        run = kstar("measure", "--resume", "--workers", "1", "--runs", "4", "-o", str(self.file), "--",
                    "sleep", "0.02")
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot be resumed: the command was", run.stderr)
        self.assertEqual(self.file.read_bytes(), before)

    def test_another_way_of_timing_may_not_go_on_with_the_study(self):
        words = ["--workers", "1", "--runs", "2", "-o", str(self.file), "--", "sleep", "0.01"]
        kstar("measure", *words)
        for change in (["--time-regex", "([0-9.]+)"], ["--no-bind"], ["--check", "x(y)"]):
            run = kstar("measure", "--resume", *change, *words)
            self.assertEqual(run.returncode, 1, change)
            self.assertIn("cannot be resumed", run.stderr)

    def test_a_changed_script_may_not_go_on_with_the_study(self):
        script = self.path / "job.sh"
        script.write_text("sleep 0.01\n")
        words = ["--workers", "1", "--runs", "2", "-o", str(self.file), "--", "sh", str(script)]
        kstar("measure", *words)
        script.write_text("sleep 0.02\n")
        run = kstar("measure", "--resume", *words)
        self.assertEqual(run.returncode, 1)
        self.assertIn("job.sh changed since", run.stderr)

    def test_going_on_with_a_finished_study_changes_nothing(self):
        words = ["--same-command", "--workers", "1,2", "--runs", "12", "-o", str(self.file), "--", "sleep", "0.01"]
        kstar("measure", *words)
        before = self.file.read_bytes()
        self.assertEqual(kstar("measure", "--resume", *words).returncode, 0)
        self.assertEqual(self.file.read_bytes(), before)

    def test_closed_streams_do_not_end_up_in_the_study(self):
        shell = (f"exec <&- >&- 2>&-; exec '{KSTAR}' measure --workers 1 --runs 2 -o '{self.file}' "
                 "-- sleep 0.01")
        subprocess.run(["bash", "-c", shell], env=environment(), timeout=60)
        self.assertEqual(kstar("merge", str(self.file)).returncode, 0)
        self.assertEqual(len(runs_in(self.file)), 2)

    def test_what_cannot_be_written_is_noticed_before_the_first_run(self):
        self.file.write_text("something else\n")
        ran = self.path / "ran"
        for target in (self.file, self.path / "no" / "folder.jsonl"):
            run = kstar("measure", "--workers", "1", "--runs", "1", "-o", str(target), "--",
                        "touch", str(ran))
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn(target.name, run.stderr)
            self.assertFalse(ran.exists())
        self.assertEqual(self.file.read_text(), "something else\n")

    def test_a_second_writer_is_kept_out(self):
        process = self.start(*self.JOB)
        self.wait_for_runs(2)
        run = kstar("measure", "--resume", *self.JOB, cwd=self.path)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(run.returncode, 1)
        self.assertIn("study.jsonl", run.stderr)

    def test_a_full_disk_keeps_everything_so_far(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small file system needs root")
        disk = self.path / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)])
        if mounted.returncode != 0:
            self.skipTest("mount is not allowed here")
        try:
            run = kstar("measure", "--workers", "1", "--runs", "4000", "-o", str(disk / "study.jsonl"),
                        "--", "true")
            self.assertEqual(run.returncode, 1)
            self.assertIn("No space left", run.stderr)
            kept = runs_in(disk / "study.jsonl")
            self.assertGreater(len(kept), 50)
            self.assertEqual([r["order"] for r in kept], list(range(len(kept))))
        finally:
            subprocess.run(["umount", str(disk)], check=True)


if __name__ == "__main__":
    unittest.main()
