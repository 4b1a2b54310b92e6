"""The answers of predict, as JSON, against closed forms and the published exercises."""

import json
import math
import pathlib
import re
import tempfile
import unittest

from program import kstar

STRONG = ["strong", "--serial", "0.05", "--comm", "log2:0.01"]
STEP = ["step", "--compute", "240", "--communication", "60", "--at", "8"]
QUESTIONS = [
    STRONG, [*STRONG, "--with", "weak"], [*STRONG, "--workers", "1..512:1"],
    [*STRONG, "--hide", "0.3", "--straggler", "0.01:0.1", "--imbalance", "0.1", "--workers", "1..300:1"],
    STEP, [*STEP, "--growth", "linear"], ["weak", "--serial", "0.05", "--comm", "log2:0.01"],
    ["amdahl", "--serial", "0"], ["amdahl", "--serial", "1"], ["amdahl", "--serial", "1e-13"],
    ["amdahl", "--serial", ",".join(f"0.{i:02}" for i in range(1, 60))],
    ["amdahl", "--serial", "0.5,0.1,0.02", "--with", "gustafson", "--side-by-side", "speedup"],
    ["gustafson", "--serial", "0.1"], ["usl", "--contention", "0.03", "--coherency", "0.0005"],
]


def curves(*words):
    run = kstar("predict", *words, "--format", "json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)["curves"]


class Amdahl(unittest.TestCase):
    def test_the_smallest_k_below_half_efficiency(self):
        # Section 3.1, exercise 2; E(6) = 0.5 at f = 0.20 is a tie, and not below.
        words = ["amdahl", "--serial", "0.01,0.05,0.20", "--threshold", "0.5"]
        answers = [c["answers"] for c in curves(*words)]
        self.assertEqual([a["first_below_threshold"] for a in answers],
                         [{"exact": 102, "listed": 128}, {"exact": 22, "listed": 32},
                          {"exact": 7, "listed": 8}])
        self.assertEqual([a["ceiling"]["speedup"] for a in answers], [100, 20, 5])

    def test_the_largest_serial_fraction_for_an_efficiency(self):
        points = curves("amdahl", "--serial", "0.05", "--floor", "0.8")[0]["points"]
        for point in points[1:]:
            self.assertAlmostEqual(point["largest_serial"], 0.25 / (point["workers"] - 1), places=12)

    def test_the_share_of_the_ceiling(self):
        answers = curves("amdahl", "--serial", "0.1", "--share", "0.9")[0]["answers"]
        self.assertEqual(answers["reaches_share"]["exact"], 81)

    def test_more_workers_never_help_a_wholly_serial_job(self):
        curve = curves("amdahl", "--serial", "1")[0]
        self.assertEqual(curve["answers"]["ceiling"]["speedup"], 1)
        self.assertEqual({p["speedup"] for p in curve["points"]}, {1})

    def test_a_job_without_a_serial_part_has_no_ceiling_and_no_bend(self):
        answers = curves("amdahl", "--serial", "0")[0]["answers"]
        self.assertIsNone(answers["ceiling"]["speedup"])
        self.assertEqual(answers["first_below_threshold"], {"exact": None, "listed": None})


class Strong(unittest.TestCase):
    def test_the_best_worker_count_for_each_network(self):
        # Section 3.3, exercise 2; T has its minimum at K = (1-s) ln 2 / c.
        for s in (0.01, 0.05, 0.10):
            for c in (0.005, 0.02):
                time = lambda k: s + (1 - s) / k + c * math.log2(k)
                wanted = min(range(1, 1000), key=time)
                curve = curves("strong", "--serial", str(s), "--comm", f"log2:{c}")[0]
                self.assertEqual(curve["answers"]["least_time"]["workers"], wanted)
                self.assertEqual(curve["answers"]["least_time"]["turns_up"], wanted + 1)

    def test_it_says_whether_the_sweep_met_the_least_time(self):
        words = ["strong", "--serial", "0.05", "--comm", "log2:0.01", "--workers"]
        missed = curves(*words, "1..128")[0]["answers"]["least_time"]
        self.assertEqual((missed["workers"], missed["listed"], missed["met_by_sweep"]), (66, 64, False))
        self.assertEqual(missed["turns_up_listed"], 128)
        met = curves(*words, "1..128:1")[0]["answers"]["least_time"]
        self.assertEqual((met["listed"], met["met_by_sweep"]), (66, True))

    def test_every_communication_term_is_its_formula(self):
        formulas = {"constant": lambda k: 1, "log2": math.log2, "log2p1": lambda k: math.log2(k + 1),
                    "sqrt": math.sqrt, "linear": lambda k: k, "ring": lambda k: 2 * (k - 1) / k}
        for name, formula in formulas.items():
            points = curves("strong", "--serial", "0.1", "--comm", f"{name}:0.02")[0]["points"]
            for p in points:
                k = p["workers"]
                self.assertAlmostEqual(p["time"], 0.1 + 0.9 / k + 0.02 * formula(k), places=12)

    def test_terms_add_up(self):
        words = ["strong", "--serial", "0.1", "--comm", "log2:0.02+constant:0.003",
                 "--straggler", "0.01:0.5", "--imbalance", "0.1", "--workers", "16"]
        point = curves(*words)[0]["points"][0]
        wanted = 0.1 + 0.9 / 16 * 1.1 + 0.08 + 0.003 + 0.5 * (1 - 0.99**16)
        self.assertAlmostEqual(point["time"], wanted, places=12)


class Weak(unittest.TestCase):
    def test_isoefficiency_grows_as_the_logarithm_or_the_line_does(self):
        # Section 3.3, exercise 3: w = e/(1-e) c log2 K - s.
        for p in curves("weak", "--serial", "0.05", "--comm", "log2:0.01", "--floor", "0.9")[0]["points"]:
            wanted = max(0, 9 * 0.01 * math.log2(p["workers"]) - 0.05)
            self.assertAlmostEqual(p["isoefficient_work"], wanted, places=12)

    def test_speedup_is_scaled_speedup(self):
        for p in curves("weak", "--serial", "0.05", "--comm", "log2:0.01")[0]["points"]:
            self.assertAlmostEqual(p["speedup"], p["workers"] * p["efficiency"], places=9)


class Usl(unittest.TestCase):
    def test_throughput_peaks_where_gunther_says(self):
        # The published fit of specsdm91: peak at 96.5, X at the peak 1883.9.
        words = ["usl", "--contention", "0.0277284700", "--coherency", "0.0001043655",
                 "--rate", "89.9952267720", "--workers", "1..200:1"]
        curve = curves(*words)[0]
        peak = max(curve["points"], key=lambda p: p["rate"])
        self.assertIn(peak["workers"], (96, 97))
        self.assertAlmostEqual(peak["rate"], 1883.9, delta=0.1)


class Step(unittest.TestCase):
    def test_profile_predict_decide(self):
        # Section 3.5, exercise 2: 240 + 60 ms on 8 GPUs.
        words = ["step", "--compute", "240", "--communication", "60", "--at", "8",
                 "--workers", "8,64,512", "--share", "0.9"]
        curve = curves(*words)[0]
        self.assertAlmostEqual(curve["step"]["serial_share"], 0.2)
        self.assertAlmostEqual(curve["step"]["amdahl_ceiling"], 5)
        self.assertEqual(curve["answers"]["reaches_share"]["exact"], 288)
        self.assertEqual([round(p["speedup"], 3) for p in curve["points"]], [1.0, 3.333, 4.706])
        ceilings = {c["name"]: round(c["ceiling"]["speedup"], 6) for c in curve["changes"]["list"]}
        self.assertEqual(ceilings["halve communication"], 9)
        self.assertEqual(ceilings["double the work"], 9)
        self.assertEqual(sorted(curve["changes"]["best"]), ["double the work", "halve communication"])

    def test_the_effective_curve_turns_over_and_the_clock_does_not(self):
        # Section 3.5, exercise 3: 1800/K + 20 ms.
        words = ["step", "--compute", "1800", "--communication", "20", "--workers", "1,8,64,256,1024"]
        curve = curves(*words)[0]
        for p in curve["points"]:
            k = p["workers"]
            s = 20 / (1800 / k + 20)
            self.assertAlmostEqual(p["time"], 1800 / k + 20)
            self.assertAlmostEqual(p["effective_amdahl"], 1 / (s + (1 - s) / k))
        self.assertIsNone(curve["answers"]["least_time"]["turns_up"])
        self.assertEqual(curve["step"]["effective_amdahl_peak"], 11)

    def test_hiding_compressing_and_synchronising_rarely(self):
        words = ["step", "--compute", "240", "--communication", "60", "--at", "8", "--workers", "8,512"]
        at = lambda *more: [p["time"] for p in curves(*words, *more)[0]["points"]]
        self.assertEqual(at(), [300, 63.75])
        self.assertEqual(at("--hide", "0.5"), [270, 60])  # 3.75 ms can hide no more than 3.75
        self.assertEqual(at("--compress", "4"), [255, 18.75])
        self.assertEqual(at("--sync-every", "10"), [246, 9.75])

    def test_growing_communication_turns_the_clock_up(self):
        words = ["step", "--compute", "240", "--communication", "60", "--at", "8", "--growth", "linear"]
        least = curves(*words)[0]["answers"]["least_time"]
        # 1920/K + 7.5 K is least at sqrt(256) = 16.
        self.assertEqual((least["workers"], least["turns_up"]), (16, 17))


class OneScreen(unittest.TestCase):
    def test_the_answer_fits_one_screen(self):
        for words in QUESTIONS:
            lines = kstar("predict", *words).stdout.splitlines()
            self.assertLessEqual(len(lines), 40, words)
            self.assertLessEqual(max(map(len, lines)), 80, words)

    def test_brief_is_the_default(self):
        for words in QUESTIONS:
            self.assertEqual(kstar("predict", *words).stdout, kstar("predict", *words, "--brief").stdout)

    def test_what_to_run_comes_first_and_no_answer_has_thirteen_digits(self):
        for words in QUESTIONS:
            for more in ([], ["--full"]):
                text = kstar("predict", *words, *more).stdout
                if not more:
                    self.assertTrue(text.split("\n\n")[1].startswith("Run on "), text)
                self.assertIsNone(re.search(r"\d{10}", text), text)

    def test_a_limit_beyond_a_million_is_none(self):
        self.assertIn("no limit below 1e6", kstar("predict", "amdahl", "--serial", "1e-13").stdout)


class WhyNotMore(unittest.TestCase):
    def test_communication_overtakes_where_its_formula_says(self):
        answers = lambda words: curves(*words)[0]["answers"]["communication_overtakes"]
        self.assertEqual(answers(STEP), 33)  # 1920/K < 60; at 32 they are equal
        wanted = next(k for k in range(1, 1000) if 0.01 * math.log2(k) > 0.95 / k)
        self.assertEqual(answers(STRONG), wanted)
        self.assertIsNone(answers(["amdahl", "--serial", "0.05"]))
        # 1920/K < 7.5 K from 17 on.
        self.assertEqual(answers([*STEP, "--growth", "linear"]), 17)

    def test_the_next_doubling_and_the_bill(self):
        time = lambda k: 0.05 + 0.95 / k
        for p in curves("amdahl", "--serial", "0.05")[0]["points"]:
            k = p["workers"]
            self.assertAlmostEqual(p["next_doubling"], time(k) / time(2 * k), places=12)
            self.assertAlmostEqual(p["cost"], k * time(k), places=12)

    def test_changes_are_compared_on_one_base(self):
        # 300 ms at K = 8 is the base of all: 60 ms of communication are left, or 30.
        changes = {c["name"]: c for c in curves(*STEP, "--workers", "8,512")[0]["changes"]["list"]}
        limits = {name: round(change["limit"], 9) for name, change in changes.items()}
        self.assertEqual(limits, {"halve communication": 10, "hide half of communication": 5,
                                  "double the work": 10})
        self.assertAlmostEqual(changes["hide half of communication"]["rate_at_largest"], 300 / 60)


class Base(unittest.TestCase):
    def test_a_profile_that_mostly_communicates_is_no_good_base(self):
        words = ["predict", "step", "--compute", "10", "--communication", "100", "--at", "8"]
        text = " ".join(kstar(*words).stdout.split())
        self.assertIn("where 91% of the step is communication already", text)
        self.assertNotIn("already", " ".join(kstar("predict", *STEP).stdout.split()))


class Pictures(unittest.TestCase):
    def test_one_command_draws_each_law_in_every_format(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending, start in (("svg", b"<svg"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
                path = pathlib.Path(folder, f"law.{ending}")
                run = kstar("predict", *STRONG, "--with", "weak", "-o", str(path))
                if run.returncode and "without" in run.stderr:
                    self.skipTest(run.stderr)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn(start, path.read_bytes()[:200])

    def test_strong_and_weak_share_the_axes_of_efficiency(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "both.svg")
            kstar("predict", *STRONG, "--with", "weak", "-o", str(path))
            text = re.sub(r"<[^>]*>", " ", path.read_text())
        for words in ("efficiency E(K)", "Strong scaling (fixed problem)", "Weak scaling (problem grows",
                      "ideal: E = 1"):
            self.assertIn(words, " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
