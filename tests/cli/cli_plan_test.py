"""The answers of plan: closed forms, the seeds' numbers, one screen, and errors that name their place."""

import json
import pathlib
import unittest

from program import InFolder, kstar

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ["--data", "1:100,2:52,4:29,8:19"]


def plan(*words):
    run = kstar("plan", *words, "--format", "json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def best(*words):
    return {answer["goal"]: answer["best"] for answer in plan(*words)["answers"]}


class Laws(unittest.TestCase):
    def test_amdahl_has_the_closed_forms(self):
        answers = best("amdahl", "--serial", "0.05", "--goal", "deadline 0.1", "--goal", "budget 2",
                       "--goal", "cheapest", "--goal", "knee")
        self.assertEqual({name: point["workers"] for name, point in answers.items()},
                         {"deadline": 19, "budget": 21, "cheapest": 1, "knee": 19})

    def test_the_bill_from_256_to_512_workers(self):
        rows = {row["workers"]: row["cost"] for row in plan("amdahl", "--serial", "0.05")["rows"]}
        self.assertAlmostEqual(rows[256], 13.75)
        self.assertAlmostEqual(rows[512], 26.55)

    def test_a_law_has_no_probability_and_names_no_fastest_k(self):
        answer = plan("amdahl", "--serial", "0.05", "--goal", "fastest")["answers"][0]
        self.assertIsNone(answer["probability"])
        self.assertTrue(answer["open"])
        self.assertIn("No K is fastest", kstar("plan", "amdahl", "--serial", "0.05", "--goal",
                                               "fastest").stdout)

    def test_a_price_turns_hours_into_money(self):
        answer = best("amdahl", "--serial", "0.05", "--baseline-time", "10h", "--price", "2",
                      "--goal", "cheapest")["cheapest"]
        self.assertAlmostEqual(answer["cost"], 20)

    def test_a_profiled_step_is_in_milliseconds(self):
        rows = plan("step", "--compute", "240", "--communication", "60", "--at", "8")["rows"]
        self.assertEqual(rows[0]["workers"], 8)
        self.assertAlmostEqual(rows[0]["time"], 0.3)


class Studies(unittest.TestCase):
    def test_a_limit_holds_with_the_probability_asked_for(self):
        for sure in (0.5, 0.9, 0.99):
            answers = plan(*DATA, "--goal", "deadline 35s", "--goal", "efficiency 0.7", "--sure",
                           str(sure))["answers"]
            for answer in answers:
                self.assertGreaterEqual(answer["probability"], sure)
                self.assertTrue(answer["low"] <= answer["best"]["workers"])

    def test_a_deadline_out_of_reach_is_said_first(self):
        run = kstar("plan", *DATA, "--goal", "deadline 1s")
        self.assertIn("No K", run.stdout.splitlines()[2])

    def test_what_was_never_measured_is_not_simply_recommended(self):
        run = kstar("plan", *DATA, "--goal", "fastest")
        text = " ".join(run.stdout.split())
        self.assertIn("Run on 8 workers", text)
        self.assertIn("K = 32 might be better", text)
        self.assertIn("never measured: measure it first", text)
        self.assertNotIn(" sure", text.split("Asked")[0])

    def test_a_step_between_two_measured_k_is_said_first(self):
        run = kstar("plan", "--data", "1:100,2:50,4:25,8:12.5,16:10,32:5", "--goal", "deadline 8s")
        text = " ".join(run.stdout.split())
        self.assertIn("Only measured K are recommended: T steps between K = 8 and 16. Run on 32",
                      text)

    def test_a_k_between_two_measured_says_what_it_rests_on(self):
        data = "1:100,2:50,4:25,8:12.5,16:8.1,32:4.05"
        text = " ".join(kstar("plan", "--data", data, "--goal", "deadline 11.5s").stdout.split())
        self.assertIn("sure to hold, if T has no step between K = 8 and 16", text)
        text = " ".join(kstar("plan", "--data", data, "--goal", "deadline 14s", "--workers",
                              "1,2,4,8,16").stdout.split())
        self.assertNotIn("no step", text)

    def test_budgets_name_their_unit_and_the_best_that_there_is(self):
        run = kstar("plan", *DATA, "--goal", "budget 90 worker-seconds")
        text = " ".join(run.stdout.split())
        self.assertIn("keeps budget 0.025 worker-hours", text)
        self.assertIn("the least cost is 0.0278 worker-hours, on 1 worker", text)
        run = kstar("plan", *DATA, "--price", "2", "--goal", "budget 90 worker-seconds")
        self.assertIn("--goal: with --price a budget is money", run.stderr)

    def test_where_no_k_is_faster_that_is_the_answer(self):
        run = kstar("plan", "--data", "1:100,2:100,4:100.1,8:99.9", "--goal", "fastest")
        text = " ".join(run.stdout.split())
        self.assertIn("Undecided: it is not clear that these numbers show strong scaling. If the "
                      "curve is as fitted: more workers do not help: no K up to 8 is 5% faster than "
                      "K = 1", text)
        run = kstar("plan", "amdahl", "--serial", "1")
        self.assertNotIn("slower", run.stdout)

    def test_large_k_are_said_as_numbers(self):
        run = kstar("plan", "--data", "1000000:100,2000000:52,4000000:29", "--goal", "cheapest")
        self.assertIn("Run on 1000000 workers", run.stdout)
        self.assertNotIn("no limit", run.stdout)

    def test_everything_fits_one_screen(self):
        run = kstar("plan", *DATA, "--work", "9000", "--price", "2.50", "--goal", "deadline 90h",
                    "--goal", "budget 900", "--goal", "efficiency 0.7", "--goal", "knee", "--goal",
                    "fastest", "--goal", "cheapest", "--jobs", "10", "--pool", "64", COLUMNS="80")
        lines = run.stdout.splitlines()
        self.assertLessEqual(len(lines), 40, run.stdout)
        self.assertLessEqual(max(map(len, lines)), 80, run.stdout)

    def test_work_of_weak_scaling_is_done_by_all_workers(self):
        rows = plan("--data", "1:10,2:10,4:10,8:10", "--regime", "weak", "--work", "8")["rows"]
        times = {row["workers"]: row["time"] for row in rows}
        self.assertAlmostEqual(times[1] / times[8], 8, delta=0.8)

    def test_the_cost_chart_marks_the_goals(self):
        study = str(ROOT / "examples/studies/serial-1.jsonl.gz")
        run = kstar("figure", study, "--kind", "cost", "--price", "2", "--goal", "knee")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("knee: K =", run.stdout)
        page = kstar("report", study, "--price", "2", "--format", "txt").stdout
        self.assertIn("Time and cost", page)
        self.assertNotIn("Time and cost", kstar("report", study, "--format", "txt").stdout)


class Files(InFolder):
    def test_seed_004_is_reconciled(self):
        run = kstar("plan", "check", str(ROOT / "examples/plan/proposal.toml"))
        text = " ".join(run.stdout.split())
        self.assertIn("22% communication explains 1.3x of the 10.7x that are missing", text)
        self.assertIn("Decision: grow the problem.", text)

    def test_the_example_fleet_and_machines_are_planned(self):
        run = kstar("plan", "fleet", str(ROOT / "examples/plan/jobs.toml"), "--workers", "256",
                    "--format", "json")
        fleet = json.loads(run.stdout)
        self.assertEqual(sum(one["workers"] for one in fleet["classes"]) + fleet["unused"], 256)
        self.assertGreaterEqual(fleet["value"], fleet["equal_shares"]["value"])
        self.assertGreaterEqual(min(one["last"] for one in fleet["classes"]),
                                max(one["next"] for one in fleet["classes"]) - 1e-9)
        run = kstar("plan", *DATA, "--machines", str(ROOT / "examples/plan/machines.toml"),
                    "--needs-memory", "60GB:4GB", "--goal", "cheapest", "--format", "json")
        machines = {one["name"]: one for one in json.loads(run.stdout)["machines"]}
        self.assertFalse(machines["old"]["feasible"])
        self.assertIn("needs", machines["old"]["reason"])

    def test_an_error_names_the_place_the_value_and_the_constraint(self):
        cases = [
            (["plan", *DATA, "--goal", "soon"], "--goal: expected fastest"),
            (["plan", *DATA, "--price", "2/day"], "--price: expected a price"),
            (["plan", *DATA, "--price", "2/node-hour"], "--price: a price per node needs"),
            (["plan", *DATA, "--grams", "300"], "--grams: needs --watts"),
            (["plan", *DATA, "--needs-memory", "80GB"], "--needs-memory: needs --memory"),
            (["plan", *DATA, "--memory", "80"], "--memory: expected a size"),
            (["plan", *DATA, "--memory", "80GB"], "--memory: the study has no peak memory"),
            (["plan", *DATA, "study.jsonl"], "got both"),
            (["plan", "amdal", "--serial", "0.05"], "did you mean 'amdahl'?"),
            (["plan", "amdahl", "--serial", "0.05", "--goal", "deadline 5h"], "--baseline-time"),
            (["plan", "--data", "1:100"], "two K or more"),
            (["plan"], "expected a STUDY, a law, or --data"),
        ]
        for words, message in cases:
            run = kstar(*words)
            self.assertNotEqual(run.returncode, 0, words)
            self.assertIn(message, run.stderr, words)

    def test_a_wrong_file_is_shown_at_its_line(self):
        (self.path / "jobs.toml").write_text('[[class]]\nname = "a"\nlaw = "moore"\n')
        run = kstar("plan", "fleet", "jobs.toml", "--workers", "4", cwd=self.path)
        self.assertIn("jobs.toml:2", run.stderr)
        self.assertIn("moore", run.stderr)
        (self.path / "p.toml").write_text("workers = 4\ncomunication = 0.2\n")
        run = kstar("plan", "check", "p.toml", cwd=self.path)
        self.assertIn("p.toml:2", run.stderr)
        self.assertIn("did you mean 'communication'?", run.stderr)

    def test_a_law_wins_over_a_file_of_its_name(self):
        (self.path / "amdahl").write_text("K,T\n1,100\n2,60\n4,40\n")
        law = kstar("plan", "amdahl", "--serial", "0.1", cwd=self.path)
        self.assertIn("Amdahl's law", law.stdout)
        file = kstar("plan", "./amdahl", cwd=self.path)
        self.assertEqual(file.returncode, 0, file.stderr)
        self.assertIn("sure", file.stdout)


if __name__ == "__main__":
    unittest.main()
