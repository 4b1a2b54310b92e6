"""kstar measure --against, --parameter and --sessions: several studies in one session, one in several."""

import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from program import KSTAR, environment, kstar


class Variants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(folder.name)
        self.addCleanup(folder.cleanup)

    def measure(self, *words, status=0):
        run = kstar("measure", "--same-command", "--workers", "1,2", *words, cwd=self.path)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def runs(self, name):
        lines = [json.loads(line) for line in (self.path / name).read_text().splitlines()]
        return [line for line in lines if line.get("kstar") != "study" and "workers" in line]

    def places(self, name):
        return sorted((run["session"], run["block"], run["workers"]) for run in self.runs(name))

    def test_two_commands_share_session_and_blocks_and_are_compared(self):
        run = self.measure("--runs", "4", "-o", "a.jsonl", "--against", "sleep 0.06", "--", "sleep", "0.02")
        self.assertIn("a.against.jsonl: sleep 0.06", run.stderr)
        self.assertEqual(self.places("a.jsonl"), self.places("a.against.jsonl"))
        self.assertEqual(len({run["session"] for run in self.runs("a.jsonl")}), 1)
        self.assertEqual({run["block"] for run in self.runs("a.jsonl")}, {0, 1, 2, 3})
        both = [run["order"] for name in ("a.jsonl", "a.against.jsonl") for run in self.runs(name)]
        self.assertEqual(sorted(both), list(range(16)))
        self.assertIn("a.against.jsonl -> a.jsonl", run.stdout)
        self.assertNotIn("Undecided between", run.stdout)
        compared = kstar("compare", "a.against.jsonl", "a.jsonl", "--format", "json", cwd=self.path)
        sessions = json.loads(compared.stdout)["sessions"]
        self.assertEqual((sessions["interleaved"], sessions["before"], sessions["after"]), (True, 1, 1))
        apart = kstar("measure", "--same-command", "--workers", "1,2", "--runs", "4", "-o", "b.jsonl", "--", "sleep", "0.02",
                      cwd=self.path)
        self.assertEqual(apart.returncode, 0, apart.stderr)
        shown = kstar("compare", "a.against.jsonl", "b.jsonl", cwd=self.path)
        text = " ".join(shown.stdout.split())
        if "other jobs used much of the machine" not in text:  # on a busy machine that comes first
            self.assertIn("Undecided between change and session", text)
        self.assertIn("kstar measure --workers 1,2 --runs 4 --same-command --against 'sleep 0.06' -o both.jsonl -- sleep 0.02", text)

    def test_a_killed_set_loses_no_run_and_goes_on(self):
        words = ["measure", "--same-command", "--workers", "1,2", "-o", "k.jsonl", "--against", "sleep 0.03", "--runs"]
        process = subprocess.Popen([KSTAR, *words, "50", "--", "sleep", "0.02"], cwd=self.path, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
        told = 0
        for line in process.stderr:
            told += ": run " in line
            if told == 9:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
        time.sleep(0.3)
        before = len(self.runs("k.jsonl")) + len(self.runs("k.against.jsonl"))
        self.assertGreaterEqual(before, 9)
        again = kstar(*words, "6", "--resume", "--", "sleep", "0.02", cwd=self.path)
        self.assertEqual(again.returncode, 0, again.stderr)
        for name in ("k.jsonl", "k.against.jsonl"):
            self.assertGreaterEqual(len(self.runs(name)), 12, name)
        shared = set(self.places("k.jsonl")) & set(self.places("k.against.jsonl"))
        self.assertGreaterEqual(len(shared), 10)
        other = kstar(*words, "6", "--resume", "--", "sleep", "0.01", cwd=self.path)
        self.assertEqual(other.returncode, 1)
        self.assertIn("k.jsonl: the study cannot be resumed: the command was 'sleep 0.02'", other.stderr)

    def test_every_combination_of_parameters_is_a_study(self):
        words = ["--parameter", "t=0.01,0.02", "--parameter", "n=a,b", "-o", "p.jsonl", "--runs", "2"]
        command = ["--", "sh", "-c", "sleep {t}; echo {n}"]
        names = [f"p.n={n}.t={t}.jsonl" for n in "ab" for t in ("0.01", "0.02")]
        planned = self.measure(*words, "--dry-run", *command)
        for name in names:
            self.assertIn(name, planned.stdout)
        self.assertEqual(list(self.path.iterdir()), [])
        self.measure(*words, *command)
        self.assertEqual(sorted(path.name for path in self.path.iterdir()), sorted(names))
        places = [self.places(name) for name in names]
        self.assertEqual(places, [places[0]] * 4)
        for words in (["analyze"], ["report", "-o", "page.html"]):
            shown = kstar(*words, *names, cwd=self.path)
            self.assertEqual(shown.returncode, 0, shown.stderr)

    def test_sessions_share_the_runs_and_widen_the_scope(self):
        words = ["--runs", "4", "--sessions", "2", "-o", "s.jsonl"]
        first = self.measure(*words, "--", "sleep", "0.01")
        self.assertIn("session 1 of 2: the next one is the same command with --resume", first.stderr)
        self.assertEqual(len(self.runs("s.jsonl")), 4)
        time.sleep(1)
        second = self.measure(*words, "--resume", "--", "sleep", "0.01")
        self.assertIn("session 2 of 2", second.stderr)
        self.assertEqual(len(self.runs("s.jsonl")), 8)
        self.assertEqual(len({run["session"] for run in self.runs("s.jsonl")}), 2)
        shown = kstar("analyze", "s.jsonl", cwd=self.path)
        self.assertIn("several sessions", shown.stdout)

    def test_mistakes_name_place_value_and_constraint(self):
        for words, message in [
                (["--parameter", "n"], "--parameter: expected NAME=A,B,C"),
                (["--parameter", "K=1,2"], "none of kstar's own, got 'K=1,2'"),
                (["--parameter", "n=1,1"], "each value once"),
                (["--parameter", "n=a/b"], "fit for the name of a file, got 'n=a/b'"),
                (["--parameter", "n=1,2"], "--parameter: expected {n} in the command or in the value of a "
                                           "variable, got 'n=1,2'"),
                (["--against", "prog {q}"], "got '{q}'"),
                (["--against", "true", "--submit"], "--submit: cannot be combined with --against"),
                (["--sessions", "0"], "--sessions: expected"),
                (["--against", "true", "--live", "p.html"], "--live: cannot be combined with --against")]:
            with self.subTest(words=words):
                run = self.measure(*words, "-o", "x.jsonl", "--", "sleep", "0.01", status=2)
                self.assertIn(message, run.stderr)
                self.assertEqual(list(self.path.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
