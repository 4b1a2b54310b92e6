"""kstar analyze as a newcomer uses it: files, numbers on the command line, formats, wrong words, odd data."""

import csv
import gzip
import io
import json
import os
import pathlib
import pty
import signal
import statistics
import subprocess
import tempfile
import unittest

from program import InFolder, KSTAR, environment, in_terminal, kstar

STUDIES = pathlib.Path(__file__).parents[2] / "examples/studies"
SHARED = pathlib.Path(__file__).parents[3] / "shared"
DATA = ["--data", "1:100,2:52,4:29,8:19"]
# The names that others build on.
TOP = {"regime", "base_workers", "points", "bend", "verdict", "models", "predictions",
       "hindcast", "causes", "notes"}
POINT = {"workers", "runs", "time", "speedup", "efficiency", "karp_flatt", "std", "min", "max",
         "median", "verdict"}
VERDICT = {"state", "reason", "text", "workers", "low", "high", "probability", "threshold", "basis",
           "larger", "loss", "doubts", "next"}
ESTIMATE = {"point", "low", "high", "standard_error"}
CAUSES = {"communication", "straggler", "load_imbalance", "computation_scaling", "serial", "none"}

# Words behind kstar analyze, and what the error must contain.
WRONG = [
    ([], "expected a FILE, or --data"),
    (["x.csv", *DATA], "expected a FILE or --data, got both"),
    (["x.csv", "y.csv", *DATA], "expected FILES or --data, got both"),
    (["-", "-"], "standard input is read once"),
    ([*DATA, "--select", "a"], "--select: applies to a file"),
    ([*DATA, "--k-column", "a"], "--k-column: applies to a file"),
    ([*DATA, "--time-column", "a"], "--time-column: applies to a file"),
    ([*DATA, "--rate-column", "a"], "--rate-column: applies to a file"),
    (["x.csv", "--time-column", "a", "--rate-column", "b"], "cannot be combined with --time-column"),
    ([*DATA, "--brief", "--full"], "expected --brief or --full, got both"),
    ([*DATA, "--confidence", "95"], "hint: 95% is 0.95"),
    ([*DATA, "--confidence", "1"], "--confidence: expected a number above 0, below 1, got '1'"),
    ([*DATA, "--confidence", "nan"], "--confidence: expected a number above 0, below 1, got 'nan'"),
    ([*DATA, "--threshold", "70"], "--threshold: expected a number above 0, at most 1, got '70'"),
    ([*DATA, "--predict", "0"], "--predict: expected a whole number of workers from 1"),
    ([*DATA, "--predict", ""], "--predict: expected a whole number of workers from 1"),
    ([*DATA, "--predict", "8.5"], "got '8.5'"),
    ([*DATA, "--model", "moore"], "--model: expected one of "),
    ([*DATA, "--regime", "mixed"], "--regime: expected one of strong, weak, throughput, got 'mixed'"),
    ([*DATA, "--baseline-time", "0"], "--baseline-time: expected a time above 0"),
    ([*DATA, "--baseline-time", "soon"], "got 'soon'"),
    ([*DATA, "--resamples", "5"], "--resamples: expected a whole number from 100"),
    ([*DATA, "--seed", "-1"], "--seed: expected a whole number of at least 0, got '-1'"),
    ([*DATA, "--format", "xml"], "--format: expected one of text, json, csv, md, got 'xml'"),
    (["--data", ""], "--data: expected"),
    (["--data", "1=5"], "--data: expected"),
    (["--data", "0:5"], "--data: expected"),
    (["--data", "1:-5"], "--data: expected"),
    (["--data", "1:nan"], "--data: expected"),
    (["--data", "1:100,2"], "--data: expected"),
]


def analyzed(*words):
    run = kstar("analyze", *words, "--format", "json")
    if run.returncode != 0:
        raise AssertionError(run.stderr)
    return json.loads(run.stdout)


class Usage(unittest.TestCase):
    def test_every_mistake_is_named_with_its_value_and_constraint(self):
        for words, message in WRONG:
            with self.subTest(words=words):
                run = kstar("analyze", *words)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertTrue(run.stderr.startswith("kstar: error: "), run.stderr)
                self.assertIn(message, run.stderr)
                self.assertEqual(run.stdout, "")

    def test_what_cannot_be_read_is_named_with_its_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, reason in (("/no/such.csv", "No such file"),
                                 (folder, "is a folder without MLPerf result logs")):
                run = kstar("analyze", path)
                self.assertEqual(run.returncode, 1)
                self.assertIn(reason, run.stderr)
                self.assertEqual(run.stdout, "")


class Data(InFolder):
    def test_numbers_in_place_give_the_same_as_a_table(self):
        table = self.write("times.csv", "workers,seconds\n1,100\n2,52\n4,29\n8,19\n")
        place = analyzed(*DATA, "--regime", "strong")
        read = analyzed(table, "--regime", "strong")
        for one, other in zip(place["points"], read["points"]):
            self.assertEqual(one["speedup"], other["speedup"])
        self.assertEqual(place["bend"], read["bend"])

    def test_t_rises_from_where_it_rises(self):
        run = kstar("analyze", "--data", "1:100,2:120,4:150,8:220")
        self.assertIn("rises from K = 1 to 8", " ".join(run.stdout.split()))

    def test_a_single_value_that_stands_apart_is_no_sure_bend(self):
        run = kstar("analyze", "--data", "1:100,2:50,4:25,8:40,16:12")
        text = " ".join(run.stdout.split())
        first = text.split("Check this first")[0]
        self.assertIn("repeat", first.lower())
        self.assertNotIn("over 99%", text)
        self.assertIn("T(8) is", text)
        answer = analyzed("--data", "1:100,2:50,4:25,8:40,16:12")
        self.assertEqual(answer["goodness"]["disturbed"]["workers"], 8)

    def test_single_values_are_never_sure(self):
        for data in ("1:100,2:90,4:85,8:80", "1:100,2:51,4:26,8:40,16:40", "1:100,2:50,4:25,8:90,16:95"):
            with self.subTest(data=data):
                bend = analyzed("--data", data)["bend"]
                self.assertLessEqual(bend["agreement"], 0.95)

    def test_a_loss_without_a_cause_is_a_loss(self):
        run = kstar("analyze", str(STUDIES / "clean-mpi-strong-wide.jsonl.gz"))
        text = " ".join(run.stdout.split())
        self.assertIn("At K = 16 a loss is there (E = 0.465 to 0.845)", text)
        self.assertNotIn("nothing beyond the noise reduces", text)

    def test_a_sure_bend_names_what_each_interval_leaves_open(self):
        run = kstar("analyze", str(STUDIES.parent / "programs/processes.jsonl"))
        text = " ".join(run.stdout.split())
        self.assertIn("By the interval of E at each K alone, K* is 1 to 4.", text)

    def test_a_pipe_is_a_file_too(self):
        words = [KSTAR, "analyze", "-", "--regime", "strong", "--brief"]
        run = subprocess.run(words, input="workers,seconds\n1,100\n2,52\n4,29\n", text=True,
                             capture_output=True, env=environment(), timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("standard input", run.stdout)

    def test_a_file_without_data_is_an_error_with_a_reason(self):
        for name, text in (("empty.csv", ""), ("empty.jsonl", ""), ("blank.csv", "\n\n\n"),
                           ("head.csv", "workers,seconds\n"), ("zero.bin", "\0" * 100)):
            with self.subTest(name=name):
                run = kstar("analyze", self.write(name, text))
                self.assertIn(run.returncode, (1, 2), run.stdout)
                self.assertTrue(run.stderr.startswith("kstar: error: "), run.stderr)
                self.assertEqual(run.stdout, "")

    def test_one_k_says_that_nothing_can_be_said(self):
        run = kstar("analyze", "--data", "4:10,4:11,4:10.5")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Only one K has usable times", run.stdout)
        document = analyzed("--data", "4:10,4:11,4:10.5")
        self.assertIsNone(document["bend"])
        self.assertEqual(document["models"], [])
        self.assertIsNone(document["points"][0]["karp_flatt"])

    def test_a_wide_table_is_read_by_the_columns_that_are_named(self):
        names = [f"c{i}" for i in range(198)]
        head = ",".join(["nodes_used", *names, "elapsed"])
        rows = [",".join([str(k), *["0"] * 198, str(100 / k + 2)]) for k in (1, 2, 4, 8)]
        path = self.write("wide.csv", "\n".join([head, *rows]) + "\n")
        document = analyzed(path, "--k-column", "nodes_used", "--time-column", "elapsed",
                            "--regime", "strong")
        self.assertEqual([p["workers"] for p in document["points"]], [1, 2, 4, 8])
        run = kstar("analyze", path, "--k-column", "nodes", "--time-column", "elapsed")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("nodes", run.stderr)

    def test_rates_are_read_as_throughput_where_they_are_named(self):
        path = self.write("rates.csv", "p,fom\n1,10\n2,19\n4,34\n")
        document = analyzed(path, "--k-column", "p", "--rate-column", "fom")
        self.assertEqual(document["regime"], "throughput")
        self.assertAlmostEqual(document["points"][2]["speedup"]["point"], 3.4)
        run = kstar("analyze", path, "--k-column", "p", "--rate-column", "fom")
        self.assertIn("34/s", run.stdout)

    def test_a_mixed_regime_has_times_and_no_speedup(self):
        with gzip.open(STUDIES / "serial-3.jsonl.gz", "rt") as study:
            text = study.read().replace('"regime":"strong"', '"regime":"mixed"', 1)
        path = self.write("mixed.jsonl", text)
        document = analyzed(path, "--predict", "64")
        (prediction,) = document["predictions"]
        self.assertGreater(prediction["time"]["point"], 0)
        self.assertIsNone(prediction["speedup"])
        self.assertIsNone(prediction["efficiency"])
        self.assertIsNone(document["points"][3]["efficiency"])
        verdict = document["verdict"]
        self.assertEqual((verdict["state"], verdict["reason"], verdict["workers"],
                          verdict["least_time_workers"]), ("none", "mixed_regime", None, 16))
        shown = kstar("analyze", path, "--predict", "64", "--plot").stdout
        self.assertNotIn("nan", shown)
        self.assertNotIn("S(K)", shown)

    def test_hostile_names_reach_neither_the_terminal_nor_a_formula(self):
        path = self.write("evil\x1b[2J.csv", "workers,seconds\n1,100\n2,52\n4,29\n")
        run = kstar("analyze", path, "--regime", "strong")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("\x1b", run.stdout)


class KnownAnswers(unittest.TestCase):
    """The universal scalability law, as R's usl 3.0.3 fits it: reference/usl.md."""

    # a, b, g with their standard errors, and the K of the peak.
    USL = {
        "raytracer": ((0.05777078, 0.01329321514), (0, 0.00011791972),
                      (21.84884277, 2.19616474452), None),
        "specsdm91": ((0.0277284700, 9.1217305e-03), (0.0001043655, 1.9875269e-05),
                      (89.9952267720, 14.213488), 96.51956),
        "cisco": ((0.026715947, 4.4938282e-03), (7.6909388e-04, 8.6454466e-05),
                  (995.64880, 28.698366), 35.573789),
    }

    def same(self, found, known):
        self.assertLessEqual(abs(found - known), 5e-5 * abs(known), (found, known))

    def test_the_universal_scalability_law_agrees_to_four_digits(self):
        folder = SHARED / "data/public/hpc"
        if not folder.is_dir():
            self.skipTest(f"there is no {folder}")
        for name, (*known, peak) in self.USL.items():
            document = analyzed(str(folder / f"usl_{name}.csv"), "--model", "usl")
            self.assertEqual(document["regime"], "throughput")
            (model,) = document["models"]
            self.assertEqual([(t["name"], t["unit"]) for t in model["terms"]],
                             [("contention", None), ("coherency", None), ("rate", None)])
            for term, (value, error) in zip(model["terms"], known):
                self.same(term["cost"]["point"], value)
                self.same(term["cost"]["standard_error"], error)
            if peak is None:
                self.assertIsNone(document["best_workers"])
            else:
                self.same(document["best_workers"]["point"], peak)


class Output(unittest.TestCase):
    def test_json_has_the_names_that_others_build_on(self):
        study = str(STUDIES / "serial-3.jsonl.gz")
        for words in ([*DATA, "--predict", "16,32"], [study, "--predict", "32"]):
            document = analyzed(*words)
            self.assertLessEqual(TOP, set(document))
            self.assertTrue(document["points"])
            for point in document["points"]:
                self.assertLessEqual(POINT, set(point))
                for name in ("time", "speedup", "efficiency"):
                    self.assertLessEqual(ESTIMATE, set(point[name]))
            self.assertLessEqual(VERDICT, set(document["verdict"]))
            if document["bend"] is not None:
                self.assertLessEqual({"last_good", "first_bad", "low", "high", "agreement"},
                                     set(document["bend"]))
            self.assertAlmostEqual(sum(m["weight"] for m in document["models"]), 1, delta=1e-6)
            for one in document["predictions"]:
                for name in ("time", "speedup", "efficiency"):
                    self.assertLessEqual(ESTIMATE, set(one[name]))
            self.assertTrue(document["causes"])
            for cause in document["causes"]:
                self.assertIn(cause["name"], CAUSES)
                self.assertIsInstance(cause["evidence"], list)

    def test_the_same_input_gives_the_same_bytes_and_the_seed_is_used(self):
        words = ["analyze", str(STUDIES / "memory-bound-1.jsonl.gz"), "--format", "json"]
        self.assertEqual(kstar(*words).stdout, kstar(*words).stdout)

    def test_confidence_and_threshold_are_those_asked_for(self):
        study = str(STUDIES / "slow-allreduce-3.jsonl.gz")
        wide, narrow = analyzed(study), analyzed(study, "--confidence", "0.5")
        self.assertEqual((wide["confidence"], narrow["confidence"]), (0.95, 0.5))
        spans = [d["points"][3]["time"]["high"] - d["points"][3]["time"]["low"]
                 for d in (wide, narrow)]
        self.assertGreater(spans[0], spans[1])
        self.assertEqual(analyzed(study, "--threshold", "0.9")["threshold"], 0.9)

    def test_csv_has_a_line_for_each_k(self):
        rows = list(csv.DictReader(io.StringIO(kstar("analyze", *DATA, "--format", "csv").stdout)))
        self.assertEqual([row["K"] for row in rows], ["1", "2", "4", "8"])
        self.assertAlmostEqual(float(rows[1]["S"]), 100 / 52)

    def test_another_baseline_moves_the_bend(self):
        document = analyzed(*DATA, "--baseline-time", "60s")
        self.assertEqual(document["other_baseline"]["time"], 60)
        self.assertLess(document["other_baseline"]["bend"]["first_bad"],
                        document["bend"]["first_bad"])

    def test_a_guess_is_called_one_and_claims_no_share(self):
        # Seed 002: a serial part and an all-reduce that grows; Karp and Flatt's e rises.
        chapter = ["--data", "1:1.0047,2:.5343,4:.3032,8:.1884,16:.1392,32:.1189,64:.1140"]
        shown = " ".join(kstar("analyze", *chapter).stdout.split())
        self.assertRegex(shown, r"The cause is a guess from the shape of T\(K\): communication, "
                                r"contention \(locks or bandwidth\) or a straggler \d+%")
        self.assertNotIn("of the loss", shown)
        causes = analyzed(*chapter)["causes"]
        chances = [cause["probability"] for cause in causes]
        self.assertEqual(chances, sorted(chances, reverse=True))
        self.assertLess(chances[0], 1)
        for cause in causes:
            self.assertEqual(cause["known_from"], "shape")
            self.assertIsNone(cause["share"])

    def test_what_cannot_be_told_is_one_line_with_the_measurement_that_would(self):
        shown = " ".join(kstar("analyze", *DATA).stdout.split())
        self.assertIn("T(K) alone does not tell the cause: communication 32%", shown)
        self.assertIn("kstar measure --time marks would tell.", shown)
        (cause,) = analyzed(*DATA)["causes"]
        self.assertEqual(cause["name"], "none")

    def test_the_answer_is_one_screen(self):
        for study in sorted(STUDIES.glob("*.jsonl.gz")):
            lines = kstar("analyze", str(study)).stdout.splitlines()
            self.assertLessEqual(len(lines), 40, study)
            self.assertLessEqual(max(map(len, lines)), 80, study)
            first = [line for line in lines if line.startswith(("Run on ", "Undecided"))]
            self.assertEqual(len(first), 1, study)
        many = ",".join(f"{k}:{100 / k + 1}" for k in range(1, 301))
        lines = kstar("analyze", "--data", many).stdout.splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertIn(" of 300 K. ", " ".join(lines))
        self.assertIn("--full shows all K", " ".join(lines))

    def test_numbers_without_a_unit_are_no_durations(self):
        model = next(m for m in analyzed(*DATA)["models"] if m["name"] == "power")
        units = {term["name"]: term["unit"] for term in model["terms"]}
        self.assertEqual(units, {"shrinking": "s", "exponent": None})
        self.assertRegex(kstar("analyze", *DATA, "--full").stdout, r"exponent: a +0\.\d+ +0")

    def test_few_runs_and_one_answer_each_fit_the_width_in_one_table(self):
        for words in (DATA, [str(STUDIES / "random-straggler-2.jsonl.gz")],
                      [str(STUDIES / "slow-allreduce-3.jsonl.gz")]):
            shown = kstar("analyze", *words, COLUMNS="80").stdout
            for head in ("cause  ", "model and terms  ", "from the models  "):
                self.assertLessEqual(sum(line.startswith(head) for line in shown.splitlines()), 1)

    def test_next_names_a_price(self):
        self.assertIn("worker-seconds", kstar("analyze", *DATA, "--next").stdout)
        self.assertNotIn("worker-seconds", kstar("analyze", *DATA).stdout)

    def test_text_fits_every_terminal(self):
        for study in ("straggler-1", "clean-mpi-weak"):
            for columns in (40, 60, 80, 120):
                status, shown = in_terminal("analyze", str(STUDIES / f"{study}.jsonl.gz"), "--plot",
                                            "--next", "--predict", "32,128", "--color", "never",
                                            columns=columns)
                self.assertEqual(status, 0)
                wide = [line for line in shown.splitlines()
                        if len(line) > columns and " " in line.strip()]
                self.assertEqual(wide, [])

    def test_no_colour_where_it_is_not_wanted(self):
        _, shown = in_terminal("analyze", *DATA, "--plot", NO_COLOR="1")
        self.assertNotIn("\x1b", shown)
        _, shown = in_terminal("analyze", *DATA, "--plot")
        self.assertIn("\x1b", shown)

    def test_a_closed_or_full_output_is_noticed(self):
        with open("/dev/full", "w") as full:
            run = kstar("analyze", *DATA, stdout=full)
        self.assertEqual(run.returncode, 1)
        self.assertIn("standard output: No space left on device", run.stderr)
        shell = subprocess.run(["bash", "-c", f"'{KSTAR}' analyze {' '.join(DATA)} >&-"],
                               capture_output=True, text=True, env=environment(), timeout=60)
        self.assertNotIn("terminate", shell.stderr)
        shell = subprocess.run(["bash", "-c", f"'{KSTAR}' analyze {' '.join(DATA)} | head -1"],
                               capture_output=True, text=True, env=environment(), timeout=60)
        self.assertEqual(shell.stderr, "")

    def test_ctrl_c_ends_it_at_once(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([KSTAR, "analyze", "-"], stdin=slave, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment())
        try:
            with self.assertRaises(subprocess.TimeoutExpired):
                process.wait(timeout=0.3)  # it waits for what the terminal says
            process.send_signal(signal.SIGINT)
            self.assertIn(process.wait(timeout=10), (-signal.SIGINT, 130))
        finally:
            process.kill()
            process.communicate()
            os.close(master)
            os.close(slave)


class WhatTimeToTrainIsMadeOf(unittest.TestCase):
    PARTS = ("algorithm", "system", "training")

    def analysis(self, *words):
        done = kstar("analyze", *words, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_planted_parts_of_the_example_are_found(self):
        """By examples/training/make: 1 + B/16384 samples, 4 % of speed a doubling, evaluations."""
        found = self.analysis(STUDIES.parent / "training/trained.jsonl")
        self.assertEqual(found["regime"], "mixed")
        verdict = found["verdict"]
        self.assertEqual((verdict["basis"], verdict["state"], verdict["next"]["code"]),
                         ("training", "run", "split_training"))
        last = found["time_to_train"]["points"][-1]
        planted = {"algorithm": (1 + 256 / 16384) / 2, "system": 1 / 1.24}
        for part, truth in planted.items():
            self.assertLessEqual(last[part]["low"], truth)
            self.assertGreaterEqual(last[part]["high"], truth)

    def test_a_table_brings_it_in_every_format(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "trained.csv"
            table.write_text("gpus,time_s,batch,epochs\n8,1000,256,40\n8,1010,256,40\n"
                             "64,200,2048,60\n64,210,2048,62\n")
            train = self.analysis(table)["time_to_train"]
            text = kstar("analyze", table).stdout
            page = kstar("analyze", table, "--format", "md").stdout
            rows = list(csv.DictReader(io.StringIO(kstar("analyze", table, "--format", "csv").stdout)))
        self.assertEqual((train["unit"], train["fixed_known"]), ("epochs", False))
        self.assertAlmostEqual(train["points"][1]["algorithm"]["point"], 40 / 61, places=12)
        self.assertAlmostEqual(train["points"][1]["system"]["point"],
                               61 / 205 / (40 / 1005) / 8, places=12)
        self.assertIn("fixed time (evaluation, checkpoints) is unknown", " ".join(text.split()))
        self.assertIn("Time to train", page)
        self.assertAlmostEqual(float(rows[1]["algorithm"]), 40 / 61, places=12)
        self.assertEqual(rows[1]["training"], "")

    def test_public_mlperf_results_split_as_their_table_of_runs_says(self):
        raw, runs = SHARED / "data/public/mlperf_raw", SHARED / "data/public/mlperf_scaling_public.csv"
        if not raw.exists() or not runs.exists():
            self.skipTest(f"there is no {raw}")
        with open(runs, newline="") as file:
            rows = [row for row in csv.DictReader(file)
                    if row["round"] == "v5.0" and row["submitter"] == "IBM+CoreWeave+NVIDIA"
                    and row["benchmark"] == "llama31_405b" and row["status"] == "success"]
        with tempfile.TemporaryDirectory() as folder:
            kstar("import", raw, "-o", folder + "/")
            found = {path.name: self.analysis(path) for path in pathlib.Path(folder).iterdir()}
        train = next(value for name, value in found.items() if "405b" in name)["time_to_train"]
        mean = lambda key, k: statistics.mean(
            float(row[key]) for row in rows if float(row["accelerators"]) == k)
        self.assertEqual([point["workers"] for point in train["points"]],
                         [512, 1024, 1536, 2048, 2496])
        for point in train["points"]:
            k = point["workers"]
            work = "epochs_or_samples_to_converge"
            self.assertAlmostEqual(point["algorithm"]["point"], mean(work, 512) / mean(work, k))
            self.assertAlmostEqual(
                point["efficiency"]["point"],
                512 * mean("time_to_train_s", 512) / (k * mean("time_to_train_s", k)), places=5)
        for analysis in found.values():
            for point in analysis["time_to_train"]["points"]:
                product = 1
                for part in self.PARTS:
                    product *= point[part]["point"] if point[part] else 1
                self.assertAlmostEqual(product / point["efficiency"]["point"], 1, delta=1e-12)
        known = {name[:4]: each["time_to_train"]["fixed_known"] for name, each in found.items()}
        self.assertEqual(known, {"v0.6": False, "v4.0": False, "v5.0": True})


class WhatARunCosts(InFolder):
    def study(self, usage):
        """Two K, three runs each: T(1) = 8 s, T(4) = 2.5 s."""
        lines = [{"kstar": "study", "schema": 1, "regime": "strong"}]
        for block in range(3):
            for workers, wall in ((1, 8.0 + 0.01 * block), (4, 2.5 + 0.01 * block)):
                lines.append({"record": "run", "workers": workers, "block": block, "wall": wall,
                              **usage(workers, wall)})
        path = self.path / "study.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(path)

    def test_cpu_use_and_worker_seconds_stand_in_the_one_table(self):
        path = self.study(lambda k, wall: {"cpu_user": 0.5 * k * wall, "cpu_system": 0.1 * k * wall,
                                           "peak_memory": 2**21})
        points = json.loads(kstar("analyze", path, "--format", "json").stdout)["points"]
        self.assertEqual([round(p["cpu_use"], 9) for p in points], [0.6, 0.6])
        self.assertEqual([p["peak_memory"] for p in points], [2**21, 2**21])
        text = kstar("analyze", path).stdout
        self.assertRegex(text, r"CPU +K T\(K\) +verdict")
        self.assertRegex(text, r"\n4 .* 60% +10 s ")  # 4 x 2.51 s
        self.assertNotIn("peak memory", text)
        self.assertIn("2 MiB", kstar("analyze", path, "--full").stdout)

    def test_what_only_some_runs_know_is_not_shown(self):
        path = self.study(lambda k, wall: {"cpu_user": wall} if k == 1 or wall > 2.5 else {})
        points = json.loads(kstar("analyze", path, "--format", "json").stdout)["points"]
        self.assertEqual([p["cpu_use"] for p in points], [1, None])

    def test_a_note_about_several_k_is_said_once(self):
        text = kstar("analyze", str(STUDIES / "slow-allreduce-4.jsonl.gz")).stdout
        self.assertEqual(text.count("S and E are computed from"), 1)
        self.assertIn("2, 3, 4, 6, 8, 12, 16 workers", text)

    def test_every_shipped_study_fits_one_screen_with_one_table(self):
        for path in sorted(STUDIES.glob("*.gz")):
            lines = kstar("analyze", str(path)).stdout.splitlines()
            self.assertLessEqual(len(lines), 40, path)
            self.assertLessEqual(max(map(len, lines)), 80, path)
            self.assertEqual(sum("verdict" in line for line in lines), 1, path)
            self.assertTrue(any("CPU" in line and ("T(K)" in line or "T/work" in line) for line in lines), path)


if __name__ == "__main__":
    unittest.main()
