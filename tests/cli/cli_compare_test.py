"""kstar compare as a pull request uses it: planted regressions, gates, refusals, formats."""

import csv
import io
import json
import pathlib
import tempfile
import unittest

from program import in_terminal, kstar

WORKERS = ["--workers", "1,2,4,8,16,32"]

# Words behind kstar compare a b, and what the error must contain.
WRONG = [
    (["--fail-if", ""], "--fail-if: expected T(K), S(K), E(K), bend or K*, got nothing"),
    (["--fail-if", "Q(8) rises 5%"], "got 'Q(8)'"),
    (["--fail-if", "E(8) sinks 5%"], "--fail-if: expected rises or drops, got 'sinks'"),
    (["--fail-if", "E(8) drops five"], "--fail-if: expected a percentage from 0% to below 100%, got 'five'"),
    (["--fail-if", "bend drops 5%"], "expected the end: the bend and K* take no percentage"),
    (["--smallest", "0"], "--smallest: expected a share above 0%, at most 100%, such as 5%, got '0'"),
    (["--smallest", "5"], "got '5'"),
    (["--confidence", "95"], "hint: 95% is 0.95"),
    (["--threshold", "70"], "--threshold: expected a number above 0, at most 1, got '70'"),
    (["--regime", "mixed"], "--regime: expected one of strong, weak, throughput, got 'mixed'"),
    (["--format", "xml"], "--format: expected one of text, json, csv, md, got 'xml'"),
    (["c"], "expected fewer arguments, got 'c'"),
]


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(folder.name)
        self.addCleanup(folder.cleanup)

    def simulated(self, name, serial, seed, runs=8, noise=0.01, law="amdahl"):
        path = str(self.path / name)
        run = kstar("predict", law, "--serial", str(serial), *WORKERS, "--simulate",
                    f"runs={runs},noise={noise},seed={seed}", "-o", path)
        self.assertEqual(run.returncode, 0, run.stderr)
        return path

    def table(self, name, text):
        path = self.path / name
        path.write_text(text)
        return str(path)

    def compared(self, *words, status=0):
        run = kstar("compare", *words, "--format", "json")
        self.assertEqual(run.returncode, status, run.stderr)
        return json.loads(run.stdout)

    def test_a_tail_that_the_typical_run_does_not_show_is_said_first(self):
        quiet = "10.1,10.2,10.0,10.1,9.9," * 4
        fast = "1.5,1.45,1.52,1.48,1.5," * 4
        tailed = "9.5,1.45,9.5,1.48,1.5," * 4
        head = "threads," + ",".join(f"t{i}" for i in range(20)) + "\n"
        before = self.table("a.csv", f"{head}1,{quiet[:-1]}\n8,{fast[:-1]}\n")
        after = self.table("b.csv", f"{head}1,{quiet[:-1]}\n8,{tailed[:-1]}\n")
        run = kstar("compare", before, after, "--fail-if", "T(8) rises 5%", "--strict")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("8 of 20 runs at K = 8 are 6.4x slower than the typical run", run.stdout)
        self.assertIn("T(8) rises 5%: undecided", run.stdout)
        self.assertEqual(run.stdout.count("within 5%"), 1, run.stdout)
        self.assertEqual(self.compared(before, after)["points"][1]["verdict"], "change_or_session")

    def test_a_copy_is_said_first(self):
        path = self.table("a.csv", "threads,t0,t1,t2\n1,10.1,10.2,10\n8,1.5,2.45,1.52\n")
        run = kstar("compare", path, path)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("\n\nNothing to compare: before and after have the same times", run.stdout)
        self.assertNotIn("would probably decide", run.stdout)

    def test_single_runs_move_no_bend(self):
        before = self.table("a.csv", "threads,t\n1,100\n2,51\n4,26\n8,14\n")
        after = self.table("b.csv", "threads,t\n1,100\n2,80\n4,75\n8,70\n")
        run = kstar("compare", before, after)
        self.assertIn("moved, not clear", run.stdout)
        self.assertNotIn(": moved\n", run.stdout)

    def test_every_mistake_is_named_with_its_value_and_constraint(self):
        for words, message in WRONG:
            with self.subTest(words=words):
                run = kstar("compare", "a", "b", *words)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn(message, run.stderr)
                self.assertEqual(run.stdout, "")
        self.assertEqual(kstar("compare", "a").returncode, 2)
        twice = kstar("compare", "-", "-")
        self.assertEqual(twice.returncode, 2)
        self.assertIn("standard input is read once", twice.stderr)
        missing = kstar("compare", "/no/a", "/no/b")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("/no/a: ", missing.stderr)

    def test_a_planted_serial_part_fails_the_gates_it_should(self):
        before, after = self.simulated("a", 0.05, 1), self.simulated("b", 0.08, 2)
        gates = {"E(8) drops 5%": "failed", "S(16) drops 10%": "failed", "T(any) rises 30%": "failed",
                 "bend drops": "failed", "K* drops": "failed", "T(1) rises 5%": "passed",
                 "E(any) rises 5%": "passed"}
        words = [word for gate in gates for word in ("--fail-if", gate)]
        result = self.compared(before, after, *words, status=3)
        self.assertFalse(result["passed"])
        self.assertEqual({gate["gate"]: gate["verdict"] for gate in result["gates"]}, gates)
        verdicts = {point["workers"]: point["verdict"] for point in result["points"]}
        self.assertEqual([verdicts[k] for k in (8, 16, 32)], ["worse"] * 3)
        # By Amdahl's law T(32) is 0.05 + 0.95/32 before, 0.08 + 0.92/32 after.
        ratio = result["points"][-1]["time"]["ratio"]
        self.assertLess(ratio["low"], 0.10875 / 0.0796875)
        self.assertGreater(ratio["high"], 0.10875 / 0.0796875)
        serial = [part for part in result["models"]["parts"] if part["name"].startswith("serial")]
        self.assertTrue(serial[0]["clear"])
        self.assertEqual(self.compared(after, before, *words[:4])["passed"], True)

    def test_equal_programs_pass_strict_gates_when_there_are_runs_enough(self):
        before = self.simulated("a", 0.05, 3, runs=20)
        after = self.simulated("b", 0.05, 4, runs=20)
        result = self.compared(before, after, "--strict", "--fail-if", "T(any) rises 5%",
                               "--fail-if", "E(any) drops 5%")
        self.assertTrue(result["passed"])
        self.assertTrue(all(point["settled"] for point in result["points"]))

    def test_noise_is_undecided_and_says_how_many_more_runs(self):
        before = self.simulated("a", 0.05, 5, runs=4, noise=0.08)
        after = self.simulated("b", 0.05, 6, runs=4, noise=0.08)
        words = [before, after, "--fail-if", "T(8) rises 2%"]
        result = self.compared(*words)
        self.assertEqual(result["gates"][0]["verdict"], "undecided")
        point = [point for point in result["points"] if point["workers"] == 8][0]
        self.assertGreater(point["more_runs"], 4)
        self.assertFalse(self.compared(*words, "--strict", status=3)["passed"])

    def test_another_regime_is_refused_unless_told(self):
        before = self.simulated("a", 0.05, 1)
        after = self.simulated("b", 0.05, 1, law="weak")
        refused = kstar("compare", before, after)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("not comparable", refused.stderr)
        self.assertIn("strong before, weak after", refused.stderr)
        self.assertIn("hint: --anyway", refused.stderr)
        self.assertEqual(refused.stdout, "")
        notes = {note["what"] for note in self.compared(before, after, "--anyway")["notes"]}
        self.assertIn("other-regime", notes)

    def test_seconds_of_another_thing_are_refused_both_ways(self):
        times = self.table("t.csv", "gpus,t1_s,t2_s\n1,100,101\n4,28,28.2\n")
        others = {
            self.table("x.csv", "gpus,images/s\n1,100\n1,101\n4,370\n4,371\n"): "(a rate)",
            self.table("s.csv", "gpus,speedup\n1,1\n1,1.01\n4,3.7\n4,3.71\n"): "(a speedup)"}
        for other, name in others.items():
            for pair in ((times, other), (other, times)):
                for words in ([], ["--regime", "throughput"]):
                    run = kstar("compare", *pair, "--fail-if", "T(4) rises 5%", *words)
                    self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
                    self.assertIn("not comparable", run.stderr)
                    self.assertIn(name, run.stderr)
                    self.assertIn("hint: --anyway compares S and E, but not T", run.stderr)
            gate = kstar("compare", times, other, "--anyway", "--fail-if", "T(4) rises 5%")
            self.assertEqual(gate.returncode, 1)
            self.assertIn("T is not compared", gate.stderr)
            result = self.compared(times, other, "--anyway", "--fail-if", "E(any) drops 10%")
            self.assertEqual(result["gates"][0]["verdict"], "passed")
            self.assertFalse(result["times_compared"])
            self.assertIsNone(result["points"][1]["time"]["ratio"]["point"])
            # 100.5 / 28.1 / 4 of the times; the others have 3.7 workers' work of four.
            self.assertAlmostEqual(result["points"][1]["efficiency"]["ratio"]["point"],
                                   0.925 / (100.5 / 28.1 / 4), delta=0.01)
            text = kstar("compare", times, other, "--anyway").stdout
            self.assertIn("T is not compared", text)
            self.assertNotIn("T before", text)
            self.assertNotIn("nan", text.lower())

    def test_tables_are_compared_and_what_they_do_not_say_is_said(self):
        before = self.table("a.csv", "threads,seconds\n1,10\n1,10.1\n2,5.2\n2,5.3\n")
        after = self.table("b.csv", "threads,seconds\n1,10\n1,10.2\n2,8.1\n2,8.3\n4,5\n")
        result = self.compared(before, after, "--regime", "strong")
        self.assertEqual([point["workers"] for point in result["points"]], [1, 2])
        notes = {note["what"] for note in result["notes"]}
        self.assertLessEqual({"machine-unknown", "workload-unknown", "left-out"}, notes)

    def test_a_gate_on_a_k_that_is_not_compared_is_an_error(self):
        before = self.simulated("a", 0.05, 1)
        run = kstar("compare", before, before, "--fail-if", "T(3) rises 5%")
        self.assertEqual(run.returncode, 1)
        self.assertIn("expected one of the compared K (1, 2, 4, 8, 16, 32), got '3'", run.stderr)

    def test_every_format_says_the_same(self):
        before, after = self.simulated("a", 0.05, 1), self.simulated("b", 0.08, 2)
        page = str(self.path / "page.md")
        run = kstar("compare", before, after, "--fail-if", "bend drops", "-o", page)
        self.assertEqual(run.returncode, 3, run.stderr)
        markdown = pathlib.Path(page).read_text()
        self.assertIn("| K | runs | T before | T after | ratio |", markdown)
        self.assertIn("bend drops: failed", markdown)
        rows = list(csv.DictReader(io.StringIO(
            kstar("compare", before, after, "--format", "csv").stdout)))
        points = self.compared(before, after)["points"]
        self.assertEqual([row["verdict"] for row in rows], [point["verdict"] for point in points])
        self.assertEqual(float(rows[3]["ratio"]), points[3]["time"]["ratio"]["point"])
        status, screen = in_terminal("compare", before, after, columns=60)
        self.assertEqual(status, 0)
        self.assertLessEqual(max(map(len, screen.splitlines())), 160)  # with colours

    def test_the_same_files_give_the_same_bytes(self):
        before, after = self.simulated("a", 0.05, 1), self.simulated("b", 0.06, 2)
        first = kstar("compare", before, after, "--format", "json").stdout
        self.assertEqual(first, kstar("compare", before, after, "--format", "json").stdout)


if __name__ == "__main__":
    unittest.main()
