"""T(K) of imported files against what others computed: the tool that wrote the file where it sums up
its own runs, else a few lines of Python over the raw numbers. Nothing of kstar is in the answers."""

import collections
import csv
import gzip
import json
import os
import pathlib
import re
import statistics
import tempfile
import unittest

from program import kstar

ROOT = pathlib.Path(__file__).resolve().parents[2]
OWN = ROOT / "tests/data/import"
PUBLIC = ROOT.parent / "shared/data/public"


def by_workers(pairs):
    """The mean at each K."""
    times = collections.defaultdict(list)
    for workers, time in pairs:
        times[workers].append(time)
    return {workers: statistics.fmean(values) for workers, values in times.items()}


class Known(unittest.TestCase):
    def check(self, expected, *words, places=9):
        done = kstar("import", *map(str, words))
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = [line for line in map(json.loads, done.stdout.splitlines())
                if line.get("record") == "run" and not line.get("failure")]
        got = by_workers((run["workers"], run.get("wall") or statistics.fmean(run["steps"]))
                         for run in runs)
        self.assertEqual(sorted(got), sorted(expected))
        for workers, time in expected.items():
            self.assertAlmostEqual(got[workers] / time, 1, places, f"K = {workers}")
        return runs

    def write(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text)
        return file.name

    def test_hyperfine_says_the_same_means(self):
        file = OWN / "hyperfine_threads.json"
        results = json.loads(file.read_text())["results"]
        self.check({int(r["parameters"]["threads"]): r["mean"] for r in results}, file)

    def test_pytest_benchmark_says_the_same_means(self):
        file = OWN / "pytest_threads.json"
        benchmarks = json.loads(file.read_text())["benchmarks"]
        self.check({b["params"]["threads"]: b["stats"]["mean"] for b in benchmarks}, file)

    def test_solvers_say_the_same_on_one_and_two_workers(self):
        self.check({1: 86400 / 58.231, 2: 86400 / 1.92}, OWN / "gromacs_1.log", OWN / "gromacs_2.log")
        self.check({1: 0.712358, 2: 1.75186}, OWN / "lammps_1.log", OWN / "lammps_2.log")
        self.check({1: 1 / 0.8918, 2: 1 / 0.08408}, OWN / "hpl_1.out", OWN / "hpl_2.out")

    def test_google_benchmark_says_the_same_means(self):
        file = OWN / "gbench_threads.json"
        means = [b for b in json.loads(file.read_text())["benchmarks"]
                 if b.get("aggregate_name") == "mean"]
        expected = {b["threads"]: b["real_time"] * 1e-9 for b in means}
        self.check(expected, file)
        # Every thread sleeps 2 ms an iteration and a little: K of them finish K times as many.
        for workers, seconds in expected.items():
            self.assertTrue(2e-3 <= seconds * workers < 3e-3)

    def test_google_benchmark_prints_the_same(self):
        lines = re.findall(r"^BM_Arg/workers:(\d+) +(\d+) ns", (OWN / "gbench_console.txt").read_text(), re.M)
        self.check({int(k): int(t) * 1e-9 for k, t in lines}, OWN / "gbench_console.txt")
        with open(OWN / "gbench_workers.csv", newline="") as file:
            rows = [(int(row["name"].split(":")[1]), float(row["real_time"]) * 1e-9)
                    for row in csv.DictReader(file)]
        self.check(dict(rows), OWN / "gbench_workers.csv")
        # With ->Threads() the version of the library decides what Time is, and it is not said.
        file = OWN / "gbench_threads.txt"
        lines = re.findall(r"threads:(\d) +(\d+) ns", file.read_text())
        self.assertEqual(kstar("import", str(file)).returncode, 1)
        self.check(by_workers((int(k), int(t) * 1e-9) for k, t in lines), file, "--regime", "weak")

    def test_torch_prints_the_same_medians(self):
        file = OWN / "torch_measurements.txt"
        units = {"ms": 1e-3, "us": 1e-6}
        found = re.findall(r"Median: ([0-9.]+) (ms|us).*?, (\d+) threads?\n", file.read_text(), re.S)
        self.assertEqual(len(found), 5)
        self.check({int(k): float(t) * units[u] for t, u, k in found}, file)
        expected = {1: 94004.7e-6, 2: 49692.5e-6, 4: 26520.0e-6, 8: 13111.7e-6, 16: 7895.1e-6}
        self.check(expected, OWN / "torch_compare.txt", "--select", "label=2048x2048")

    def test_trainers_say_the_same_on_one_two_and_four_workers(self):
        results = {k: json.loads((OWN / f"train_results_np{k}.json").read_text()) for k in (1, 2, 4)}
        rates = {k: 1 / one["train_samples_per_second"] for k, one in results.items()}
        self.check(rates, *(OWN / f"train_results_np{k}.json" for k in rates))
        self.check(rates, *(OWN / f"trainer_np{k}.json" for k in rates))
        self.check(rates, *(OWN / f"trainer_np{k}.json" for k in rates), "--k-regex", "np([0-9]+)")
        epochs = {}
        for k in rates:
            with open(OWN / f"lightning_np{k}.csv", newline="") as file:
                epochs[k] = statistics.fmean(float(row["epoch_time"]) for row in csv.DictReader(file)
                                             if row["epoch_time"])
        self.check(epochs, *(OWN / f"lightning_np{k}.csv" for k in epochs), "--k-regex", "np([0-9]+)")

    def test_a_wide_table(self):
        with open(OWN / "threads_16core.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        column = next(name for name in rows[0] if "triad" in name)
        workers = next(name for name in rows[0] if name.lower() in ("k", "threads", "workers"))
        expected = by_workers((int(row[workers]), float(row[column])) for row in rows)
        self.check(expected, OWN / "threads_16core.csv", "--select", column)

    def test_steps_take_as_long_as_their_slowest_rank(self):
        file = OWN / "ddp_gloo_steps.jsonl.gz"
        with gzip.open(file, "rt") as lines:
            runs = [json.loads(line) for line in lines]
        runs = [run for run in runs if run["study"] == runs[0]["study"]]
        expected = by_workers(
            (run["K"], statistics.fmean(max(steps) for steps in
                                        zip(*(rank["step"] for rank in run["ranks"]))))
            for run in runs)
        self.check(expected, file, "--select", f"study={runs[0]['study']}")

    def test_extrap(self):
        text = ("PARAMETER p\nPOINTS 4 8 16\nREGION sweep\nMETRIC time\n"
                "DATA 81.2 80.9 82.3\nDATA 42.1 41.9 44.0\nDATA 23.5 22.9 23.1\n")
        points = [int(word) for word in re.search(r"POINTS (.*)", text)[1].split()]
        data = [[float(x) for x in row.split()] for row in re.findall(r"DATA (.*)", text)]
        self.check(dict(zip(points, map(statistics.fmean, data))), self.write(text))

    def test_reframe(self):
        rows = [("pass", 2, 10.5), ("pass", 2, 10.9), ("pass", 4, 5.5), ("fail", 4, 0.1)]
        text = "result|num_tasks|run_time_value|run_time_unit|run_time_ref\n" + "".join(
            f"{result}|{tasks}|{value}|s|0\n" for result, tasks, value in rows)
        self.check(by_workers(row[1:] for row in rows if row[0] == "pass"), self.write(text))

    def test_talp(self):
        files = {ranks: self.write(json.dumps({"Application": {"Global": {
            "numCpus": ranks, "numMpiRanks": ranks, "elapsedTime": nanoseconds}}}))
            for ranks, nanoseconds in ((2, 9_750_000_000), (8, 2_812_500_000))}
        self.check({2: 9.75, 8: 2.8125}, *files.values())

    def test_a_pop_table(self):
        file = PUBLIC / "hpc/pypop_epoch_modelfactors.csv"
        if not file.exists():
            self.skipTest("the public data is not here")
        rows = {line.split(";")[0].strip("# \""): line.split(";")[1:]
                for line in file.read_text().replace('"', "").splitlines()}
        workers = next(v for k, v in rows.items() if k.startswith("Number of processes"))
        times = next(v for k, v in rows.items() if k.startswith("Runtime (us)"))
        self.check({int(k): float(t) * 1e-6 for k, t in zip(workers, times)}, file)

    def test_mlperf_logs(self):
        """Against minutes that were computed from the same logs elsewhere."""
        logs = sorted(PUBLIC.glob("mlperf_raw/v*/*/results/*/*/result_*.txt"))[:40]
        if not logs:
            self.skipTest("the public data is not here")
        for log in logs:
            text = log.read_text(errors="replace")
            if '"key": "run_start"' not in text or '"status": "success"' not in text:
                continue
            starts, stops = (
                [int(t) for t in re.findall(
                    rf':::MLLOG {{.*?"time_ms": (\d+), .*?"key": "{key}"', text)]
                for key in ("run_start", "run_stop"))
            if len(starts) != 1 or len(stops) != 1:
                continue
            with self.subTest(str(log.relative_to(PUBLIC))):
                self.check({8: (stops[0] - starts[0]) / 1000}, log, "--k", 8)

    def test_a_log(self):
        rates = [120.0, 80.0, 100.0]  # samples per second: each the rate of one step of as much work
        file = self.write("".join(f"step: {rate} samples/s\n" for rate in rates))
        self.check({4: statistics.fmean(1 / rate for rate in rates)}, file, "--k", 4,
                   "--rate-regex", r"step: ([0-9.]+)")


class Pitfalls(unittest.TestCase):
    """Logs that break naive readers: each is refused for what its name says."""

    REASONS = {"abort": "status: abort", "aborted": "status: aborted",
               "no_run_stop": "no run_stop", "no_run_start": "no run_start"}

    def test_each_is_refused_for_its_own_reason(self):
        folder = PUBLIC / "mlperf_raw/pitfalls"
        if not folder.exists():
            self.skipTest("the public data is not here")
        for log in sorted(folder.iterdir()):
            with self.subTest(log.name):
                done = kstar("import", str(log), "--k", "8")
                self.assertEqual(done.returncode, 1)
                reason = self.REASONS[log.name.split("__")[0]]
                if ":::MLL" not in log.read_text(errors="replace"):
                    reason = "no line with an MLPerf marker"  # it has times of whole seconds only
                self.assertIn(f"no run in it has a time: ", done.stderr)
                self.assertIn(reason, done.stderr)
        done = kstar("import", str(folder))
        self.assertEqual(done.returncode, 1)
        self.assertIn("SUBMITTER/results/SYSTEM/BENCHMARK", done.stderr)


if __name__ == "__main__":
    unittest.main()
