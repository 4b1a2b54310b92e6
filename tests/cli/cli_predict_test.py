"""The answers of predict, as JSON, against closed forms and the published exercises."""

import json
import math
import unittest

from program import kstar


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


if __name__ == "__main__":
    unittest.main()
