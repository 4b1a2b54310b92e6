#!/usr/bin/python3
"""What is believed about a curve before any data, and what chose it: the tables of docs/models.md.

    beliefs.py BENCH_BELIEFS KSTAR [SHARED]

bench_beliefs computes once what each form, with each way to leave it, predicts for every task:
a K of a real or a simulated series, from other K of it. Beliefs are weights of these parts, so
that any set of them is scored within a tenth of a second. Sets are chosen on all sources but one,
and scored on that one. Real series are read from SHARED (../shared). Needs numpy.
"""
import collections
import concurrent.futures
import csv
import itertools
import json
import math
import subprocess
import sys
import tempfile

import numpy as np

FIXED = "shrinking stragglers power limit amdahl log2 linear surface sqrt".split()
GROWING = "log2 linear growing saturating constant".split()
DRIFTS = 0.06 * 2.0 ** np.arange(-4, 4)
PLACES = 0.02 * np.sinh(0.28 * np.arange(-24, 25))
NUMBERS = len(PLACES) + 1


# --- the series: {(source, name, regime): [(K, T)]}

def table(path):
    with open(path, encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def mlperf(folder):
    series, seen = collections.defaultdict(list), set()
    for row in table(folder + "mlperf_series_public.csv"):
        if row["olympic_mean_s"] and row["accelerators"]:
            key = "MLPerf", row["series"], "strong"
            series[key].append((int(float(row["accelerators"])), float(row["olympic_mean_s"])))
    for key, points in series.items():  # unchanged resubmissions count once
        if tuple(sorted(points)) not in seen:
            seen.add(tuple(sorted(points)))
            yield key, points


def tables(folder):
    series = collections.defaultdict(list)
    for row in table(folder + "hpc/fds_mpi_scaling.csv"):
        series["fire", row["date"], row["kind"]].append((int(row["K"]), float(row["T_s"])))
    for row in table(folder + "scaling_tables.csv"):
        value = float(row["value"])
        time = 1e3 / value if row["unit"].endswith("/s") else value
        regime = "weak" if row["regime"] == "weak" else "strong"
        series["tables", row["series"], regime].append((int(row["K"]), time))
    return series.items()


def suites(folder):
    """LANL's suites and the data of the USL package: a rate, or a time, by K."""
    def column(name, workers, value, rate=True):
        for row in table(folder + "hpc/" + name):
            if row[value]:
                yield int(float(row[workers])), 1e9 / float(row[value]) if rate else float(row[value])

    def weak(points):
        return [(k, k * time) for k, time in points]

    for size in ("10", "66", "200"):
        yield ("suites", "branson " + size, "strong"), column(
            "lanl_01_branson_branson_roci_single_scale_new.csv", "Nodes", size)
    yield ("suites", "amg", "strong"), column("lanl_02_amg_roci_1_120.csv", "No. cores", "Actual")
    yield ("suites", "umt", "strong"), column(
        "lanl_06_umt_spp1_strong_scaling_roci.csv", "Cores", "Actual")
    yield ("suites", "raytracer", "strong"), column("usl_raytracer.csv", "processors", "throughput")
    yield ("suites", "specsdm", "strong"), column("usl_specsdm91.csv", "load", "throughput")
    yield ("suites", "sourcextractor", "strong"), column(
        "sourcextractor_issue477_partial.csv", "K", "time_h", rate=False)
    yield ("suites", "ctf", "weak"), column("ctf_issue121_weak.csv", "K", "time_s", rate=False)
    yield ("suites", "vibe", "weak"), weak(column(
        "lanl_03_vibe_scaling_weak.csv", "Nodes", "aggregate-FOM"))
    for problem in ("Problem1", "Problem2"):
        yield ("suites", "amg " + problem, "weak"), weak(column(
            "lanl_02_amg_scaling_weak.csv", "Nodes", problem))


CLOUD = {"lammps-reax__lammps-reax-results": ("matom_steps_per_second", "strong"),
         "minife__minife-results": ("total_cg_mflops", "strong"),
         "laghos__laghos-results": ("duration", "strong"),
         "kripke__kripke-cpu-grind-time-results": ("grind_time_seconds", "strong"),
         "amg2023__amg2023-results": ("fom_overall", "weak"),
         "quicksilver__quicksilver-results": ("num_segments_over_cycle_tracking_time", "weak")}


def cloud(folder):
    series = collections.defaultdict(list)
    for name, (metric, regime) in CLOUD.items():
        for row in table(f"{folder}hpc_cloud_study/{name}.csv"):
            value = float(row["value"])
            if row["metric"] != metric or not value > 0:
                continue
            workers = int(float(row["gpu_count"])) or int(float(row["nodes"]))
            rate = metric not in ("duration", "grind_time_seconds")
            time = (workers if regime == "weak" else 1) * 1e9 / value if rate else value
            key = "cloud", " ".join([name, row["experiment"], row.get("problem_size", "")]), regime
            series[key].append((workers, time))
    return series.items()


def wild(folder, kstar):
    for row in csv.DictReader(open(folder + "wild/SOURCES.tsv"), delimiter="\t"):
        if row["result"] not in "AB":
            continue
        run = subprocess.run([kstar, "analyze", folder + "wild/" + row["file"], "--format", "json"],
                             capture_output=True, text=True)
        if run.returncode != 0:
            continue
        answer = json.loads(run.stdout)
        points = [(point["workers"], point["time"]["point"]) for point in answer.get("points", [])]
        if answer.get("regime") in ("strong", "throughput", "weak"):
            regime = "weak" if answer["regime"] == "weak" else "strong"
            yield ("wild", row["file"], regime), points


# --- the tasks: a K of a series from others

Task = collections.namedtuple("Task", "source row regime published asked true known")


def known_of(points):
    known = []
    for k in sorted({k for k, _ in points}):
        times = [time for other, time in points if other == k]
        error = np.std(times, ddof=1) / math.sqrt(len(times)) / np.mean(times) if times[1:] else -1
        known.append((k, float(np.mean(times)), float(error), len(times)))
    return known


def task(source, row, regime, points, asked, true):
    known = known_of(points)
    published = sum(runs - 1 for _, _, _, runs in known) < 3
    return Task(source, row, regime, published, asked, true, known)


def tasks_of(source, regime, points):
    workers = sorted({k for k, _ in points})
    if not 3 <= len(workers) <= 16:
        return
    splits = [("last", workers[:-1], workers[-1])]
    if len(workers) >= 5:
        splits.append(("far", workers[:-2], workers[-1]))
    splits += [("middle", [k for k in workers if k != inner], inner) for inner in workers[1:-1]]
    for name, use, asked in splits:
        true = float(np.mean([time for k, time in points if k == asked]))
        known = [(k, time) for k, time in points if k in use]
        yield task(source, f"{source} {regime} {name}", regime, known, asked, true)


def simulated(each=16):
    """Laws with random costs, K = 1 to 16 measured, 32 and 64 asked for."""
    random = np.random.default_rng(20)
    for _ in range(each):
        serial, cost = 10 ** random.uniform(-2.5, -1.2, 2)
        knee, jump = 2 ** random.uniform(1.5, 5.5), random.uniform(0.02, 0.08)
        laws = {"amdahl": lambda k: (1 - serial) / k + serial,
                "log2": lambda k: 1 / k + serial + cost * math.log2(k),
                "sqrt": lambda k: 1 / k + serial + cost * math.sqrt(k),
                "linear": lambda k: 1 / k + serial + cost * k,
                "surface": lambda k: 1 / k + serial / 9 + cost * k ** (-2 / 3),
                "limit": lambda k: max(1 / k, 1 / knee),
                "node": lambda k: 1 / k + serial + jump * (k > 8)}
        for runs, noise in itertools.product((5, 1), (0.03,)):
            for name, law in laws.items():
                points = [(k, law(k) * math.exp(noise * random.standard_normal()))
                          for k in (1, 2, 4, 8, 16) for _ in range(runs)]
                for asked in (32, 64):
                    yield task("simulated", f"simulated {name} {runs} {asked}", "strong", points,
                               asked, law(asked))


# --- the parts, and what a set of beliefs makes of them

def parts_of(program, tasks):
    with tempfile.TemporaryDirectory() as folder:
        lines = ["\t".join([one.regime, "published" if one.published else "measured",
                            repr(one.asked), repr(one.true)] +
                           [f"{k}:{time!r}:{error!r}:{runs}" for k, time, error, runs in one.known])
                 for one in tasks]
        with open(folder + "/tasks", "w") as file:
            file.write("\n".join(lines) + "\n")
        subprocess.run([program, folder + "/tasks", folder + "/out"], check=True)
        return np.fromfile(folder + "/out", dtype=np.float32)


class Parts:
    def __init__(self, program, tasks):
        half = len(tasks) // 2
        with concurrent.futures.ThreadPoolExecutor() as pool:
            raw = np.concatenate(list(pool.map(lambda some: parts_of(program, some),
                                               (tasks[:half], tasks[half:]))))
        cells, starts, at, count = [], [], 0, 0
        for _ in tasks:
            size = int(raw[at])
            width = 5 + NUMBERS
            cells.append(raw[at + 1:at + 1 + size * width].reshape(size, width))
            starts.append(count)
            at, count = at + 1 + size * width, count + size
        all_cells = np.concatenate(cells)
        self.start = np.array(starts)
        self.form, self.drift, self.error, self.change = all_cells[:, :4].astype(int).T
        self.weight, self.spread = all_cells[:, 4].astype(float), all_cells[:, 5:]
        of = np.repeat(np.arange(len(tasks)), [len(one) for one in cells])
        self.growing = np.array([one.regime == "weak" for one in tasks])[of].astype(int)
        self.published = np.array([one.published for one in tasks])[of]
        self.places = np.maximum(1, np.array([len(one.known) for one in tasks]) - 2)[of]
        changes = np.add.reduceat(self.change, self.start) > 0
        self.may_change = changes[of]
        rows = [one.row for one in tasks]
        self.rows = sorted(set(rows))
        self.row = np.array([self.rows.index(row) for row in rows])
        self.source = np.array([row.split()[0] for row in self.rows])
        # As many rows as there are laws and K, but no more domains: they weigh less.
        self.row_weight = np.where(self.source == "simulated", 0.25, 1)

    def sums(self, beliefs, values):
        weights = np.zeros((2, max(len(FIXED), len(GROWING))))
        weights[0, :len(FIXED)] = [beliefs["fixed"][name] for name in FIXED]
        weights[1, :len(GROWING)] = [beliefs["growing"][name] for name in GROWING]
        prior = weights[self.growing, self.form] * beliefs["drifts"][self.drift]
        change = beliefs["change"]
        prior *= np.where(self.may_change,
                          np.where(self.change == 1, change / self.places, 1 - change), 1)
        prior *= np.where(self.published, np.array(beliefs["errors"])[self.error], 1) * self.weight
        total = np.add.reduceat(prior, self.start)
        return np.add.reduceat(prior[:, None] * values, self.start) / total[:, None]

    def log_scores(self, beliefs):
        """The mean log density of the true times, by row."""
        density = self.sums(beliefs, self.spread[:, -1:])[:, 0]
        logs = np.log(np.maximum(density, 1e-9))
        return np.bincount(self.row, logs) / np.bincount(self.row)

    def coverage(self, beliefs):
        """The share of 90 % intervals that hold, by task, and how far the median is off."""
        cdf = self.sums(beliefs, self.spread[:, :-1])
        low, middle, high = (np.array([np.interp(share, one, PLACES) for one in cdf])
                             for share in (0.05, 0.5, 0.95))
        return (low <= 0) & (high >= 0), np.abs(middle)

    def mean(self, scores, chosen=slice(None)):
        return np.average(scores[chosen], weights=self.row_weight[chosen])


# --- sets of beliefs

def drifts(median, factor):
    weights = np.exp(-0.5 * (np.log(DRIFTS / median) / math.log(factor)) ** 2)
    return weights / weights.sum()


def fixed(shrinking, power, limit):
    rest = (1 - shrinking - power - limit) / 6
    return {name: {"shrinking": shrinking, "power": power, "limit": limit}.get(name, rest)
            for name in FIXED}


IN_USE = {"fixed": fixed(0.44, 0.20, 0.12), "drifts": drifts(0.06, 2), "change": 0.06,
          "growing": dict(zip(GROWING, (0.35, 0.30, 0.20, 0.10, 0.05))), "errors": [1 / 6] * 6}
EQUAL = {"fixed": dict.fromkeys(FIXED, 1 / 9), "drifts": np.full(8, 1 / 8), "change": 0.06,
         "growing": dict.fromkeys(GROWING, 0.2), "errors": [1 / 6] * 6}


def candidates():
    for shrinking, power, limit in itertools.product((0.1, 0.2, 0.4), (0.1, 0.2), (0.04, 0.08, 0.16)):
        for median, factor in itertools.product((0.03, 0.06, 0.12), (1.5, 2, 3)):
            for change in (0.03, 0.06, 0.12):
                name = (f"{shrinking:.2f} {power:.2f} {limit:.2f}, drift {100 * median:.0f}% x {factor}, "
                        f"change {change:.2f}")
                yield name, dict(IN_USE, fixed=fixed(shrinking, power, limit),
                                 drifts=drifts(median, factor), change=change)


def choose(parts):
    scores = {name: parts.log_scores(one) for name, one in candidates()}
    use, equal = parts.log_scores(IN_USE), parts.log_scores(EQUAL)
    print("| left out | chosen on the others | there: chosen | in use | equal |\n|---|---|---|---|---|")
    held_out = np.zeros(len(parts.rows))
    for source in dict.fromkeys(parts.source):
        own = parts.source == source
        best = max(scores, key=lambda name: parts.mean(scores[name], ~own))
        held_out[own] = scores[best][own]
        print(f"| {source} | {best} | {parts.mean(held_out, own):.3f} | {parts.mean(use, own):.3f} "
              f"| {parts.mean(equal, own):.3f} |")
    print(f"| mean | | {parts.mean(held_out):.3f} | {parts.mean(use):.3f} | {parts.mean(equal):.3f} |")
    values = sorted(parts.mean(one) for one in scores.values())
    print(f"\nover all sources, {len(values)} sets: worst {values[0]:.3f}, median "
          f"{values[len(values) // 2]:.3f}, best {values[-1]:.3f}")


def flatness(parts):
    print("\n| weight of | half | in use | twice |\n|---|---|---|---|")
    in_use = parts.mean(parts.log_scores(IN_USE))
    for kind, names in (("fixed", FIXED), ("growing", GROWING)):
        for name in names:
            values = []
            for factor in (0.5, 2):
                changed = dict(IN_USE[kind])
                changed[name] *= factor
                values.append(parts.mean(parts.log_scores(dict(IN_USE, **{kind: changed}))))
            print(f"| {kind} {name} | {values[0]:.3f} | {in_use:.3f} | {values[1]:.3f} |")
    print("\n| drift: median | " + " | ".join(f"x {factor}" for factor in (1.5, 2, 3, 4)) + " |\n|---|---|---|---|---|")
    for median in (0.03, 0.04, 0.06, 0.08, 0.12):
        values = (parts.mean(parts.log_scores(dict(IN_USE, drifts=drifts(median, factor))))
                  for factor in (1.5, 2, 3, 4))
        print(f"| {100 * median:.0f}% | " + " | ".join(f"{value:.3f}" for value in values) + " |")


def limits(parts, tasks):
    """What a heavier limit costs on real series, and what it gives where there is one."""
    rows = np.array([one.row for one in tasks])
    real = np.array([one.source != "simulated" and one.row.split()[-1] != "middle" for one in tasks])
    bounded = np.char.startswith(rows, "simulated limit")
    print("\n| weight of `limit` | log score, all | error, real | hold, real | hold, simulated limits |"
          "\n|---|---|---|---|---|")
    for limit in (0.04, 0.08, 0.12, 0.16, 0.24, 0.32):
        scale = (1 - limit) / (1 - IN_USE["fixed"]["limit"])
        one = {name: limit if name == "limit" else weight * scale
               for name, weight in IN_USE["fixed"].items()}
        beliefs = dict(IN_USE, fixed=one)
        hold, error = parts.coverage(beliefs)
        print(f"| {limit:.2f} | {parts.mean(parts.log_scores(beliefs)):.3f} | {error[real].mean():.3f} "
              f"| {hold[real].mean():.0%} | {hold[bounded].mean():.0%} |")


def main(program, kstar, shared="../shared"):
    folder = shared + "/data/public/"
    tasks = []
    for series in (mlperf(folder), tables(folder), suites(folder), cloud(folder), wild(folder, kstar)):
        for (source, _, regime), points in series:
            tasks += tasks_of(source, regime, list(points))
    tasks += simulated()
    print(f"{len(tasks)} tasks: " + ", ".join(
        f"{source} {count}" for source, count in collections.Counter(one.source for one in tasks).items()))
    parts = Parts(program, tasks)
    choose(parts)
    flatness(parts)
    limits(parts, tasks)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
