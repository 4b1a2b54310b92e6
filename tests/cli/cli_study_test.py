"""Simulated and merged studies, through the program."""

import gzip
import json
import pathlib
import statistics
import tempfile
import unittest

from program import kstar

LAW = ["predict", "strong", "--serial", "0.04", "--comm", "log2p1:0.01", "--workers", "1..64"]


class Studies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(folder.name)
        self.addCleanup(folder.cleanup)

    def simulate(self, name, spec, law=LAW):
        file = self.path / name
        run = kstar(*law, "--simulate", spec, "-o", str(file))
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        return file, lines[0], [line for line in lines if line.get("record") == "run"]

    def test_the_same_seed_gives_the_same_bytes(self):
        one, _, _ = self.simulate("one.jsonl", "runs=5,noise=0.02,seed=7")
        two, _, _ = self.simulate("two.jsonl", "runs=5,noise=0.02,seed=7")
        other, _, _ = self.simulate("other.jsonl", "runs=5,noise=0.02,seed=8")
        self.assertEqual(one.read_bytes(), two.read_bytes())
        self.assertNotEqual(one.read_bytes(), other.read_bytes())

    def test_runs_come_in_blocks_with_every_k_once(self):
        _, header, runs = self.simulate("s.jsonl", "runs=5,noise=0.02,seed=7")
        self.assertEqual(header["protocol"]["seed"], 7)
        self.assertEqual(header["regime"], "strong")
        orders = set()
        for block in range(5):
            order = [run["workers"] for run in runs if run["block"] == block]
            self.assertEqual(sorted(order), [1, 2, 4, 8, 16, 32, 64])
            orders.add(tuple(order))
        self.assertGreater(len(orders), 1)

    def test_times_have_the_mean_and_the_noise_asked_for(self):
        _, _, runs = self.simulate("s.jsonl", "runs=4000,noise=0.05,seed=3")
        for k, exact in ((1, 1.01), (8, 0.04 + 0.96 / 8 + 0.01 * 3.169925001442312)):
            times = [run["wall"] for run in runs if run["workers"] == k]
            self.assertAlmostEqual(statistics.mean(times) / exact, 1, delta=0.05 * 4 / 4000**0.5)
            self.assertAlmostEqual(statistics.stdev(times) / exact, 0.05, delta=0.003)

    def test_a_straggler_slows_only_the_slowest_run_of_each_k(self):
        _, _, plain = self.simulate("plain.jsonl", "runs=5,noise=0.02,seed=7")
        _, _, slow = self.simulate("slow.jsonl", "runs=5,noise=0.02,seed=7,straggler=1.5")
        for k in (1, 2, 4, 8, 16, 32, 64):
            before = [run["wall"] for run in plain if run["workers"] == k]
            after = [run["wall"] for run in slow if run["workers"] == k]
            changed = [(b, a) for b, a in zip(before, after) if a != b]
            self.assertEqual(len(changed), 1)
            self.assertEqual(changed[0][0], max(before))
            self.assertTrue(1 <= changed[0][1] / changed[0][0] < 1.5)

    def test_the_straggler_of_a_law_is_drawn_for_each_run(self):
        law = ["predict", "strong", "--serial", "0", "--straggler", "0.01:10", "--workers", "64"]
        _, _, runs = self.simulate("s.jsonl", "runs=2000,noise=0,seed=1", law)
        waited = sum(run["wall"] > 5 for run in runs) / 2000
        self.assertAlmostEqual(waited, 1 - 0.99**64, delta=0.045)  # four standard errors

    def test_weak_studies_say_how_the_problem_grows(self):
        law = ["predict", "weak", "--serial", "0.1", "--workers", "1..4"]
        _, header, _ = self.simulate("s.jsonl", "runs=2", law)
        self.assertEqual([(w["workers"], w["size"]) for w in header["workload"]],
                         [(1, 1.0), (2, 2.0), (4, 4.0)])

    def test_merging_keeps_every_run_and_reads_gzip(self):
        one, _, runs_one = self.simulate("one.jsonl", "runs=3,seed=1")
        two, _, runs_two = self.simulate("two.jsonl", "runs=3,seed=2")
        packed = self.path / "two.jsonl.gz"
        packed.write_bytes(gzip.compress(two.read_bytes()))
        merged = kstar("merge", str(one), str(packed))
        self.assertEqual(merged.returncode, 0, merged.stderr)
        runs = [json.loads(line) for line in merged.stdout.splitlines() if '"run"' in line]
        self.assertEqual(len(runs), len(runs_one) + len(runs_two))

    def test_merging_what_does_not_belong_together_is_refused(self):
        one, _, _ = self.simulate("one.jsonl", "runs=3,seed=1")
        law = ["predict", "weak", "--serial", "0.1", "--workers", "1..4"]
        other, _, _ = self.simulate("other.jsonl", "runs=3,seed=1", law)
        for words in ([str(one), str(other)], [str(one), str(one)]):
            run = kstar("merge", *words)
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertIn(".jsonl", run.stderr)

    def test_a_broken_line_is_shown_with_its_place_and_a_caret(self):
        file, _, _ = self.simulate("one.jsonl", "runs=3,seed=1")
        lines = file.read_text().splitlines()
        lines[2] = '{"record":"run","workers":4,"wall":-1}'
        file.write_text("\n".join(lines) + "\n")
        run = kstar("merge", str(file))
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"{file}:3:36: expected a number not below 0, got '-1'", run.stderr)
        self.assertIn('"wall":-1}\n' + " " * 35 + "^", run.stderr)

    def test_a_torn_last_line_is_dropped_and_said(self):
        file, _, runs = self.simulate("one.jsonl", "runs=3,seed=1")
        notes_and_runs = file.read_text().splitlines()
        file.write_text("\n".join(notes_and_runs[:4]) + '\n{"record":"run","work')
        run = kstar("merge", str(file))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("warning", run.stderr)
        self.assertEqual(run.stdout.count('"record":"run"'), 3)


if __name__ == "__main__":
    unittest.main()
