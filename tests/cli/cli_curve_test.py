"""What kstar analyze says of curves that flatten, turn up, jump, or have one run per K: sentences,
not numbers that nobody can know. And the way back: what a law gives, analyze finds."""

import json
import random
import re
import unittest

from program import InFolder, kstar

# Never said of a curve that does not gain at its largest K.
GOES_ON = ("No ceiling", "goes on falling", "perhaps more", "or more, E is")


def pairs(time, workers, runs, noise, seed=1):
    """--data of noisy runs."""
    chance = random.Random(seed)
    return ",".join(f"{k}:{time(k) * (1 + noise * chance.gauss(0, 1)):.6g}"
                    for k in workers for _ in range(runs))


def asked(*words):
    """The text without line breaks, and the JSON, of one question."""
    text = kstar("analyze", *words)
    data = kstar("analyze", *words, "--format", "json")
    if text.returncode or data.returncode:
        raise AssertionError(text.stderr + data.stderr)
    return " ".join(text.stdout.split()), json.loads(data.stdout)


def jump(k):
    return 100 / k + (7 if k > 8 else 0)


class Sentences(unittest.TestCase):
    def assert_answer_is_shown(self, text, data):
        """Text and JSON say the same."""
        self.assertIn(data["verdict"]["text"].rstrip("."), text)
        for doubt in data["verdict"]["doubts"]:
            self.assertIn(" ".join(doubt["text"].split()), text)

    def assert_ceiling_allows_what_was_measured(self, data):
        for point in data["points"]:
            high = data["ceiling"]["high"]
            if high is not None:
                self.assertGreaterEqual(high, point["speedup"]["low"] or point["speedup"]["point"])

    def test_a_time_that_rises_promises_nothing(self):
        text, data = asked("--data", "1:10,1:10.1,1:9.9,2:14,2:14.2,2:13.8,4:20,4:20.1,4:19.9,"
                           "8:31,8:31.2,8:30.8", "--predict", "16")
        self.assert_answer_is_shown(text, data)
        self.assertIn("Run on 1 worker:", text)
        self.assertIn("T is least at K = 1, and rises from K = 1 to 8.", text)
        for words in GOES_ON:
            self.assertNotIn(words, text)
        self.assertEqual(data["goodness"]["ends"], "loses")
        self.assertGreater(data["predictions"][0]["time"]["high"], 31)
        self.assertLessEqual(data["best_workers"]["high"], 8)
        self.assertAlmostEqual(data["curve"][0]["time"]["point"], 10, delta=0.5)

    def test_a_knee_is_where_it_was_measured(self):
        times = {1: 100, 2: 50, 4: 26, 8: 25, 16: 25}
        text, data = asked("--data", pairs(times.get, times, 3, 0.01))
        self.assert_answer_is_shown(text, data)
        self.assertIn("Run on 4 workers: K* = 4,", text)
        self.assertIn("bends at K = 8 ", text)
        self.assertIn("From K = 8 to 16 S hardly grows.", text)
        for words in GOES_ON:
            self.assertNotIn(words, text)
        self.assertTrue(4 < data["continuous_bend"]["point"] < 8, data["continuous_bend"])
        self.assert_ceiling_allows_what_was_measured(data)

    def test_a_limit_that_was_not_reached_is_not_excluded(self):
        text, data = asked("--data", pairs(lambda k: max(240 / k, 15), range(1, 17), 3, 0.02),
                           "--predict", "64")
        self.assert_answer_is_shown(text, data)
        self.assertIn("a limit beyond it cannot be excluded", text)
        self.assertNotRegex(text, r"at least \d+x")
        # The truth: E falls below 0.7 at 23, S stays at 16, T is least at 16.
        self.assertLessEqual(data["continuous_bend"]["low"], 23)
        self.assertLessEqual(data["ceiling"]["low"], 16.6)
        self.assertLessEqual(data["best_workers"]["low"], 16)

    def test_a_saturated_resource_has_a_ceiling_at_what_it_gives(self):
        text, data = asked("--data", pairs(lambda k: max(240 / k, 40), range(1, 17), 3, 0.01))
        self.assertIn("S hardly grows", text)
        for words in GOES_ON:
            self.assertNotIn(words, text)
        self.assert_ceiling_allows_what_was_measured(data)
        self.assertAlmostEqual(data["ceiling"]["point"], 6, delta=0.6)

    def test_a_jump_ahead_is_not_excluded_and_one_behind_is_said(self):
        text, data = asked("--data", pairs(jump, (1, 2, 4, 8), 3, 0.01), "--predict", "16")
        self.assert_answer_is_shown(text, data)
        self.assertIn("a limit beyond it cannot be excluded", text)
        text, data = asked("--data", pairs(jump, (1, 2, 4, 8, 16, 32, 64), 3, 0.01))
        self.assert_answer_is_shown(text, data)
        self.assertIn("Run on 8 workers: K* = 8,", text)
        self.assertTrue("No model fits these times within their errors" in text or
                        "Between K = 8 and 16 T steps to" in text, text)
        self.assertNotIn("The cause is a guess", text)
        self.assertTrue(8 < data["continuous_bend"]["point"] < 16, data["continuous_bend"])

    def test_one_run_per_k_that_turns_up(self):
        text, data = asked("--data", "1:100,2:60,4:45,8:50,16:80", "--predict", "32")
        self.assert_answer_is_shown(text, data)
        self.assertIn("Run on 2 workers: K* = 2,", text)
        self.assertIn("T is least at K = 4, and rises from K = 4 to 16.", text)
        self.assertIn("an error of 0.4% to 10% is assumed", text)
        for words in GOES_ON:
            self.assertNotIn(words, text)
        self.assertGreater(data["predictions"][0]["time"]["point"], 80)
        self.assertEqual([p["verdict"] for p in data["points"]], ["ok", "ok", "low", "low", "low"])

    def test_noise_does_not_make_the_answer_wider_than_the_curve(self):
        workers = (1, 2, 3, 4, 6, 8, 12, 16)
        for seed in range(1, 9):
            data = asked("--data", pairs(lambda k: 100 / k + 3, workers, 4, 0.1, seed))[1]
            with self.subTest(seed=seed, verdict=data["verdict"]["text"]):
                curve = data["continuous_bend"]["low"]
                before = max(k for k in workers if k <= curve)
                self.assertGreaterEqual(before, 4)
                self.assertGreaterEqual(data["verdict"]["low"], before)

    def test_a_later_k_that_is_good_again_is_said(self):
        text, data = asked("--data", "1:100,2:52,4:40,8:17,16:14")
        self.assertEqual((data["verdict"]["workers"], data["bend"]["first_bad"]), (2, 4))
        self.assertEqual(data["verdict"]["good_again"], 8)
        self.assertIn("K = 8 is good again (E = 0.74).", text)

    def test_numbers_that_may_be_something_else_come_before_the_answer(self):
        for data, flag in (("1:10,2:10.1,4:10.2,8:10.1", "--regime weak"),
                           ("1:100,2:195,4:380,8:740", "--rate-column"),
                           ("1:100,2:25,4:6.2,8:1.6", "--rate-column")):
            with self.subTest(data=data):
                text, document = asked("--data", data)
                self.assertLess(text.index(flag), text.index("Undecided: it is not clear that"))
                self.assertNotIn("K* = ", text)
                self.assertNotIn("Run on", text)
                self.assertNotIn("No ceiling", text)
                self.assertEqual(len(document["suspicions"]), 1)

    def test_a_far_prediction_says_in_the_first_sentences_what_it_rests_on(self):
        text, data = asked("--data", "1:100,2:52,4:29,8:19", "--predict", "1024")
        said = text.index("The prediction for K = 1024 rests on the models alone")
        self.assertLess(said, text.index("runs T(K)"))
        self.assertTrue(data["predictions"][0]["far"])

    def test_a_very_wide_gap_at_the_bend_recommends_no_single_k(self):
        text, data = asked("--data", "1:100,1000:0.5")
        self.assertIn("Run on 1 to 999 workers: efficiency falls below 0.7 somewhere between, and "
                      "nothing was measured there.", text)
        self.assertIn("Nothing was measured between K = 1 and 1000", text)
        self.assertNotIn("Run on 1 worker:", text)
        verdict = data["verdict"]
        self.assertEqual((verdict["state"], verdict["workers"], verdict["high"]), ("between", 1, 999))

    def test_a_prediction_says_what_its_interval_does_not_cover(self):
        text, _ = asked("--data", "1:240,2:120,4:60,8:30,16:15", "--predict", "64")
        self.assertIn("cannot be excluded, and the interval does not cover it.", text)

    def test_borderline_is_explained(self):
        text, data = asked("--data", "1:100,2:70.4")
        self.assertEqual(data["points"][1]["verdict"], "borderline")
        self.assertIn("Borderline: the interval includes 0.7.", text)


LAWS = {
    "amdahl": ["--serial", "0.05"],
    "gustafson": ["--serial", "0.1"],
    "strong": ["--serial", "0.05", "--comm", "log2:0.01"],
    "weak": ["--serial", "0.1", "--comm", "linear:0.01"],
    "usl": ["--contention", "0.05", "--coherency", "0.001"],
    "step": ["--compute", "80", "--communication", "20", "--at", "4", "--growth", "log2"],
}


class RoundTrip(InFolder):
    def test_every_law_is_here(self):
        text = kstar("predict", "--help").stdout
        listed = re.search(r"commands\n(.*?)\n\n", text, re.S).group(1)
        names = {line.split()[0] for line in listed.splitlines() if re.match(r"  \w", line)}
        self.assertEqual(names, set(LAWS))

    def test_analyze_finds_the_speedup_and_the_efficiency_of_the_law(self):
        for law, words in LAWS.items():
            with self.subTest(law=law):
                path = str(self.path / f"{law}.jsonl")
                words = ["predict", law, *words, "--workers", "1..64"]
                made = kstar(*words, "--simulate", "runs=5,noise=0.005,seed=1", "-o", path)
                self.assertEqual(made.returncode, 0, made.stderr)
                curve = json.loads(kstar(*words, "--format", "json").stdout)["curves"][0]
                true = {row["workers"]: row for row in curve["points"]}
                found = asked(path)[1]
                self.assertEqual([p["workers"] for p in found["points"]], sorted(true))
                base = true[found["base_workers"]]
                for point in found["points"]:
                    row = true[point["workers"]]
                    speedup = row["speedup"] / base["speedup"]
                    self.assertAlmostEqual(point["speedup"]["point"] / speedup, 1, delta=0.02)
                    efficiency = row["efficiency"] / base["efficiency"]
                    self.assertAlmostEqual(point["efficiency"]["point"] / efficiency, 1, delta=0.02)
                audit = json.loads(kstar("audit", path, "--format", "json").stdout)
                against = [f["rule"] for f in audit["findings"] if f["status"] == "contradicted"]
                self.assertEqual(against, [])


class Together(InFolder):
    def simulated(self, law):
        path = str(self.path / f"{law}.jsonl")
        made = kstar("predict", law, *LAWS[law], "--workers", "1..32", "--simulate",
                     "runs=4,noise=0.01,seed=2", "-o", path)
        self.assertEqual(made.returncode, 0, made.stderr)
        return path

    def test_strong_and_weak_in_one_view(self):
        strong, weak = self.simulated("strong"), self.simulated("weak")
        run = kstar("analyze", strong, weak, "--predict", "64")
        self.assertEqual(run.returncode, 0, run.stderr)
        text = " ".join(run.stdout.split())
        self.assertIn("the same problem runs on up to 4 workers; a problem that grows with K on "
                      "32 or more.", text)
        self.assertIn("strong scaling: how much faster is this problem on more workers? Run on 4 "
                      "workers", text)
        self.assertIn("weak scaling: how much more work is done in the same time? Run on 32", text)
        both = json.loads(kstar("analyze", strong, weak, "--format", "json").stdout)
        self.assertEqual([s["analysis"] for s in both["studies"]],
                         [asked(strong)[1], asked(weak)[1]])
        lines = kstar("analyze", strong, weak, "--format", "csv").stdout.splitlines()
        self.assertEqual(len(lines), 13)
        self.assertTrue(lines[0].startswith("study,K,"))
        self.assertEqual({line.count(",") for line in lines}, {21})

    def test_two_of_one_regime_are_for_compare(self):
        strong = self.simulated("strong")
        self.assertIn("kstar compare", kstar("analyze", strong, self.simulated("amdahl")).stdout)

    def test_files_and_numbers_are_not_mixed(self):
        run = kstar("analyze", "a.csv", "b.csv", "--data", "1:2")
        self.assertEqual(run.returncode, 2)
        self.assertIn("expected FILES or --data, got both", run.stderr)


class Failing(InFolder):
    def test_a_k_whose_runs_mostly_fail_is_not_advised_without_a_word(self):
        lines = [json.dumps({"kstar": "study", "schema": 1, "regime": "strong"})]
        for block in range(4):
            for k in (1, 2, 4, 8):
                run = {"record": "run", "workers": k, "block": block, "wall": 100 / k + 1 + block / 100}
                if k == 8 and block > 0:
                    run.update(status="failed", exit_status=1)
                lines.append(json.dumps(run))
        text, _ = asked(self.write("failing.jsonl", "\n".join(lines) + "\n"))
        self.assertIn("Run on 8 workers once they no longer fail (3 of 4 runs did), perhaps more:",
                      text)



if __name__ == "__main__":
    unittest.main()
