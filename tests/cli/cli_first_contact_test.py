"""kstar measure as a new user would call it: what it chooses, prepares, warns of, and says at its end."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from program import KSTAR, environment, kstar


class ContactTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(folder.name)
        self.addCleanup(folder.cleanup)

    def measure(self, *words):
        return kstar("measure", *words, cwd=self.path)

    def records(self, name, kind="run"):
        lines = map(json.loads, (self.path / name).read_text().splitlines())
        return [line for line in lines if line.get("record") == kind]

    def log(self):
        return (self.path / "log").read_text().split()


class Chosen(ContactTest):
    def test_workers_and_file_are_chosen_and_said(self):
        cores = len(os.sched_getaffinity(0))
        run = self.measure("--runs", "2", "--", "sleep", "0.01{K}")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("kstar: writes sleep-1.kstar.jsonl\n", run.stderr)
        self.assertIn("(--workers chooses others)", run.stderr)
        used = sorted({r["workers"] for r in self.records("sleep-1.kstar.jsonl")})
        self.assertEqual(used[0], 1)
        self.assertLessEqual(used[-1], cores)
        self.assertTrue(all(k & (k - 1) == 0 for k in used[:-1]), used)
        run = self.measure("--workers", "1,2", "--runs", "1", "--", "sleep", "0.0{K}")
        self.assertIn("kstar: writes sleep-2.kstar.jsonl\n", run.stderr)
        run = self.measure("--workers", "1,2", "--runs", "2", "--resume", "--", "sleep", "0.0{K}")
        self.assertIn("kstar: resumes sleep-2.kstar.jsonl\n", run.stderr)
        self.assertEqual(len(self.records("sleep-2.kstar.jsonl")), 4)

    def test_nothing_to_resume_is_said_with_the_name(self):
        run = self.measure("--resume", "--runs", "1", "--", "./job-{K}")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no job-K-1.kstar.jsonl in this folder", run.stderr)

    def test_a_command_without_k_is_refused_with_the_ways_that_fit(self):
        run = self.measure("--workers", "1,2", "--", "sleep", "0.01")
        self.assertEqual(run.returncode, 2)
        for way in ("write {K}", "--env OMP_NUM_THREADS={K}", "--same-command"):
            self.assertIn(way, run.stderr)
        self.assertEqual(list(self.path.iterdir()), [])
        for words in (["--same-command"], ["--env", "OMP_NUM_THREADS={K}"]):
            run = self.measure("--workers", "1,2", "--runs", "1", *words, "--", "sleep", "0.01")
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_jobs_elsewhere_need_worker_counts(self):
        run = self.measure("--submit", "--launcher", "slurm", "--", "./prog", "{K}")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--workers: expected worker counts: jobs run elsewhere", run.stderr)

    def test_a_command_in_quotes_gets_the_hint_that_fits(self):
        run = self.measure("--runs", "1", "--", "sleep 0.0{K}")
        self.assertEqual(run.returncode, 1)
        self.assertIn("leave them out, or use --shell", run.stderr)

    def test_an_allocation_says_how_many_ranks(self):
        launchers = self.path / "l.toml"
        launchers.write_text('[launcher.mine]\nsummary = "mine"\ncommand = ["env", "{command}"]\n')
        env = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-3]", "SLURM_NTASKS": "6"}
        words = ["--launchers", "l.toml", "--launcher", "mine", "--dry-run", "--", "./prog", "{K}"]
        run = kstar("measure", *words, cwd=self.path, **env)
        self.assertIn("K = 1, 2, 4, 6, up to the 6 tasks of the allocation", run.stderr, run.stdout)
        run = kstar("measure", *words, cwd=self.path, **{**env, "SLURM_NTASKS": ""})
        self.assertIn("K = 1, 2, 3, up to the 3 nodes of the allocation", run.stderr)


class Beside(ContactTest):
    def test_setup_prepare_and_cleanup_run_where_they_should(self):
        run = self.measure("--workers", "1,2", "--runs", "2", "--seed", "1", "--shell",
                           "--setup", "echo setup{K} >> log", "--prepare", "echo prepare{K} >> log",
                           "--cleanup", "echo cleanup{K} >> log", "-o", "s.jsonl", "--",
                           "echo run{K} >> log; sleep 0.02")
        self.assertEqual(run.returncode, 0, run.stderr)
        log = self.log()
        for k in "12":
            own = [word[:-1] for word in log if word.endswith(k)]
            self.assertEqual(own, ["setup", "prepare", "run", "prepare", "run", "cleanup"])
        self.assertTrue(log[-1].startswith("cleanup") and log[-2].startswith("cleanup"), log)
        header = json.loads((self.path / "s.jsonl").read_text().splitlines()[0])
        self.assertIn("echo prepare{K} >> log", header["spec"])

    def test_their_time_is_in_no_run_and_counts_for_the_budget(self):
        run = self.measure("--workers", "1", "--budget", "0.5s", "--prepare", "sleep 0.3", "-o", "s.jsonl",
                           "--", "sleep", "0.01")
        self.assertEqual(run.returncode, 0, run.stderr)
        runs = self.records("s.jsonl")
        self.assertLessEqual(len(runs), 2)
        self.assertTrue(all(r["wall"] < 0.2 for r in runs), runs)

    def test_a_failing_one_is_an_error_that_loses_nothing(self):
        run = self.measure("--workers", "1,2", "--runs", "3", "--seed", "1", "--shell", "--prepare",
                           "echo x >> log; test $(wc -l < log) -lt 4 || (echo no space >&2; exit 3)",
                           "--cleanup", "echo clean{K} >> cleaned", "-o", "s.jsonl", "--", "sleep 0.02 # {K}")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"error: --prepare: '.*' at K = [12] returned 3\n  no space\n")
        self.assertIn("E(K)", run.stdout)
        self.assertEqual(len(self.records("s.jsonl")), 3)
        self.assertEqual(sorted((self.path / "cleaned").read_text().split()), ["clean1", "clean2"])

    def test_one_that_cannot_start_or_has_a_wrong_placeholder_leaves_no_file(self):
        for words, said in ((["--prepare", "no-such-program"], "no-such-program: cannot start"),
                            (["--setup", "touch {k}"], "--setup: expected {K}"),
                            (["--prepare", "rm -f a; sync"], "use --shell for all commands")):
            run = self.measure("--workers", "1", "--runs", "1", *words, "-o", "s.jsonl", "--", "true")
            self.assertNotEqual(run.returncode, 0)
            self.assertIn(said, run.stderr)
            self.assertEqual(list(self.path.iterdir()), [])


class Doubts(ContactTest):
    def test_work_that_is_done_once_is_not_called_warm_up(self):
        # needs: make
        (self.path / "Makefile").write_text("out:\n\tsleep 0.5; touch out\n")
        words = ["--workers", "1,2", "--runs", "3", "--force", "-o", "s.jsonl"]
        run = self.measure(*words, "--", "make", "-j{K}", "out")
        self.assertIn("times as long as the second: the later runs find its work done", run.stderr)
        self.assertIn("--prepare 'make clean'", run.stdout.replace("\n    ", " "))
        self.assertIn("Undecided: the runs found work done before", run.stdout)
        self.assertNotIn("Cause at", run.stdout)
        run = self.measure(*words, "--prepare", "rm -f out", "--", "make", "-j{K}", "out")
        self.assertNotIn("--prepare", run.stderr)
        self.assertTrue(all(r["wall"] > 0.5 for r in self.records("s.jsonl")))

    def test_runs_that_are_too_short_are_warned_of_once(self):
        run = self.measure("--workers", "1,2", "--runs", "3", "-o", "s.jsonl", "--", "true", "{K}")
        self.assertEqual(run.stderr.count("below 5 ms"), 1, run.stderr)
        text = " ".join(run.stdout.split())
        self.assertIn("Undecided", text)
        if "other jobs on the machine" not in text and "K* is anywhere" not in text:  # a busy machine has a worse reason
            self.assertIn("Undecided: the runs hardly do more than start", text)
        self.assertNotIn("Run on", run.stdout)
        self.assertNotIn("Cause at", run.stdout)
        self.assertNotIn("One core", run.stdout)

    def test_marks_without_phases_get_the_advice_to_mark_them(self):
        python = pathlib.Path(__file__).resolve().parents[2] / "python"
        step = "import kstar_mark as k, time\nm = k.open()\nm.setup_end()\nwith m.step(): {}time.sleep(0.01)\nm.close()"
        for phase, said in (("", True), ("x = m.compute(); x.__enter__(); ", False)):
            (self.path / "job.py").write_text(step.format(phase).replace("sleep(0.01)", "sleep(0.01)" + (
                "; x.__exit__(None, None, None)" if phase else "")))
            run = self.measure("--workers", "1", "--runs", "2", "--time", "marks", "--force", "--env",
                               f"PYTHONPATH={python}", "-o", "s.jsonl", "--", "python3", "job.py")
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual("marks its steps and no phases" in run.stderr, said, run.stderr)

    def test_throughput_is_work_per_second(self):
        run = self.measure("--throughput", "--size", "500", "--unit", "rows", "--workers", "1,2", "--runs", "3",
                           "-o", "s.jsonl", "--", "sleep", "0.05", "{size}e-9", "0.0{K}e-9")
        self.assertEqual(run.returncode, 0, run.stderr)
        rate = float(re.search(r"\n1 +3 +([0-9.]+)/s", run.stdout)[1])
        self.assertTrue(500 / 0.2 < rate < 500 / 0.05, run.stdout)
        self.assertIn("X(K): rows per second.", run.stdout)

    def test_a_precision_out_of_reach_is_said_with_what_is_in_reach(self):
        job = "n=$(cat n 2>/dev/null || echo 0); echo $(((n + 1) % 5)) > n; sleep 0.0$((1 + 2 * n))"
        run = self.measure("--workers", "1", "--max-runs", "8", "--shell", "-o", "s.jsonl", "--", job)
        self.assertRegex(run.stderr, r"warning: \+-2% is out of reach within --max-runs 8: about "
                                     r"\+-[0-9.]+% at K = 1; ")
        self.assertRegex(run.stderr, r"continue with: kstar measure --resume --max-runs \d+ ")


class Ends(ContactTest):
    def test_an_interrupt_ends_with_the_table_and_the_next_command(self):
        process = subprocess.Popen([KSTAR, "measure", "--workers", "1,2", "--runs", "400", "--cleanup",
                                    "touch cleaned-{K}", "--", "sleep", "0.00{K}"], text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(), cwd=self.path)
        file = self.path / "sleep-1.kstar.jsonl"
        while not file.exists() or file.read_text().count('"record":"run"') < 12:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("E(K)", out)
        self.assertIn("continue with: kstar measure --resume -o sleep-1.kstar.jsonl --workers 1,2 --runs 400 "
                      "--cleanup 'touch cleaned-{K}' -- sleep 0.00{K}\n", errors)
        self.assertTrue((self.path / "cleaned-1").exists() and (self.path / "cleaned-2").exists())
        before = len(self.records(file.name))
        done = self.measure("--resume", "--workers", "1,2", "--runs", str(before), "--cleanup",
                            "touch cleaned-{K}", "--", "sleep", "0.00{K}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.records(file.name)), 2 * before)

    def test_a_used_up_budget_ends_with_the_table_and_a_larger_one(self):
        run = self.measure("--workers", "1,2", "--budget", "0.4s", "-o", "s.jsonl", "--", "sleep", "0.04{K}")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("the budget is used up", run.stderr)
        self.assertIn("continue with: kstar measure --resume --budget 0.8s --workers 1,2 -o s.jsonl -- ", run.stderr)
        self.assertIn("E(K)", run.stdout)

    def test_a_refusal_to_resume_names_the_settings_old_and_new(self):
        words = ["--workers", "1,2", "-o", "s.jsonl", "--runs", "1"]
        self.measure(*words, "--", "sleep", "0.0{K}")
        run = self.measure("--resume", *words, "--no-bind", "--timeout", "9s", "--", "sleep", "0.1{K}")
        self.assertEqual(run.returncode, 1)
        for change in ("the command was 'sleep 0.0{K}', and is now 'sleep 0.1{K}'",
                       "--timeout was 'none', and is now '9s'", "--no-bind was 'true', and is now 'false'"):
            self.assertIn(change, run.stderr)


class Floor(ContactTest):
    def test_few_runs_are_enough_for_a_wide_precision_and_known_before(self):
        words = ["--workers", "1,2,4", "--precision", "10%"]
        run = self.measure(*words, "--dry-run", "--times", "1:300s", "--", "./prog", "{K}")
        self.assertIn("At least 9 runs, 3 at each K, for +-10%", run.stdout)
        run = self.measure(*words, "--", "sleep", "0.06{K}")
        self.assertIn("kstar: at least 9 runs, 3 at each K, for +-10%", run.stderr)
        self.assertIn("at most 100 at each K", run.stderr)
        study = json.loads(kstar("analyze", "sleep-1.kstar.jsonl", "--format", "json", cwd=self.path).stdout)
        for point in study["table"]["points"] if "table" in study else study["points"]:
            time_of = point["time"]
            self.assertEqual(time_of["method"], "pooled")
            self.assertLessEqual(time_of["high"] / time_of["point"] - 1, 0.1)


if __name__ == "__main__":
    unittest.main()
