#!/usr/bin/python3
"""Whether the stated probability of a bend is how often it is there, on repeated measurements.

    bend_chances.py BENCH_BEND_CHANCES [DRAWS [SHARED]]

One, two, three or five runs per K are taken at random from studies that have more; the truth is
the bend of all runs. Printed by source, and by what was stated: how often it was right. The means
of all runs err, too, so that a little less than what is stated is right. Needs numpy.
"""
import collections
import csv
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import beliefs

FEWEST_RUNS, FEWEST_WORKERS = 4, 3
# The models' error of a single value was chosen on these; the others are the test.
CHOSEN_ON = ("cloud", "studies")


def rows_of(path):
    with open(path, encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def studies(source, paths):
    for path in paths:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt") as file:
            lines = [json.loads(line) for line in file]
        regime = lines[0].get("regime", "strong")
        runs = collections.defaultdict(list)
        for run in lines[1:]:
            if run.get("record") != "run" or run.get("exit_status", 0) != 0 or run.get("inside"):
                continue
            steps = run.get("steps", [])[run.get("warm_up_steps", 0):]
            time = sum(steps) / len(steps) if steps else run["wall"]
            runs[run["workers"]].append((run.get("block", -1), time))
        yield source, path.name, regime, runs


def threads(shared):
    rows = rows_of(shared + "/data/ours/threads_16core.csv")
    for program in ("triad", "amdahl"):
        runs = collections.defaultdict(list)
        for row in rows:
            runs[int(row["K"])].append((int(row["rep"]), float(row[program])))
        yield "ours", program, "strong", runs


def training(shared):
    all_runs = collections.defaultdict(lambda: collections.defaultdict(list))
    with gzip.open(shared + "/data/ours/ddp_gloo_steps.jsonl.gz", "rt") as file:
        for run in map(json.loads, file):
            steps = [max(times) for times in zip(*(rank["step"] for rank in run["ranks"]))]
            key = run["study"], run["regime"]
            all_runs[key][run["K"]].append((run["repeat"], sum(steps) / len(steps)))
    for (name, regime), runs in all_runs.items():
        yield "ours", name, regime, runs


def cloud(shared):
    for (source, name, regime), pairs in beliefs.cloud(shared + "/data/public/"):
        runs = collections.defaultdict(list)
        for workers, time in pairs:
            runs[workers].append((-1, time))
        yield source, name, regime, runs


def mlperf(shared):
    series = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows_of(shared + "/data/public/mlperf_scaling_public.csv"):
        if row["status"] != "success" or not row["accelerators"] or not row["time_to_train_s"]:
            continue
        key = " ".join(row[name] for name in
                       ("round", "submitter", "benchmark", "accelerator_model", "framework"))
        series[key][int(float(row["accelerators"]))].append((-1, float(row["time_to_train_s"])))
    for key, runs in series.items():
        yield "mlperf", key, "strong", runs


def usable(runs):
    kept = {k: all_runs for k, all_runs in runs.items() if len(all_runs) >= FEWEST_RUNS}
    return kept if len(kept) >= FEWEST_WORKERS else None


def all_series(shared):
    examples = pathlib.Path(__file__).parent.parent / "examples"
    for name in ("studies", "memory", "programs"):
        paths = sorted(path for path in (examples / name).iterdir() if "jsonl" in path.name)
        yield from studies(name, paths)
    if pathlib.Path(shared).is_dir():
        for read in (threads, training, cloud, mlperf):
            yield from read(shared)


def answers_of(program, draws, shared):
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        for source, name, regime, runs in all_series(shared):
            kept = usable(runs)
            if kept:
                words = (f"{k}:{block}:{time!r}" for k in sorted(kept) for block, time in kept[k])
                print(source, name, regime, " ".join(words), sep="\t", file=file)
        file.flush()
        text = subprocess.run([program, file.name, str(draws)], check=True, capture_output=True,
                              text=True).stdout
    for line in text.splitlines():
        words = line.split("\t")
        yield {"source": words[0], "name": words[1], "runs": int(words[2]),
               "threshold": float(words[3]), "misfit": words[4] == "1", "seen": int(words[5]),
               "true": int(words[6]), "chances": [float(word) for word in words[7:]]}


BINS = (0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.01)


def reliability(title, answers):
    """Of bends that were seen: what was stated, and how often it was right."""
    bends = [(one["chances"][one["seen"]], one["seen"] == one["true"]) for one in answers
             if one["seen"] < len(one["chances"]) - 1]
    if not bends:
        return
    print(f"\n{title}: {len(bends)} bends, stated {sum(p for p, _ in bends) / len(bends):.1%}, "
          f"right {sum(right for _, right in bends) / len(bends):.1%}, "
          f"Brier score {sum((p - right) ** 2 for p, right in bends) / len(bends):.3f}")
    for low, high in zip(BINS, BINS[1:]):
        inside = [(p, right) for p, right in bends if low <= p < high]
        if inside:
            count = len(inside)
            print(f"  stated {low:4.0%} to {min(high, 1):4.0%}: {count:5} bends, mean "
                  f"{sum(p for p, _ in inside) / count:6.1%}, right "
                  f"{sum(right for _, right in inside) / count:6.1%}")


def main(program, draws="10", shared="../shared"):
    answers = list(answers_of(program, int(draws), shared))
    for title, wanted in (("chosen on", lambda one: one["source"] in CHOSEN_ON),
                          ("tested on", lambda one: one["source"] not in CHOSEN_ON)):
        some = [one for one in answers if wanted(one)]
        for source in sorted({one["source"] for one in some}):
            reliability(f"{title} {source}", [one for one in some if one["source"] == source])
        for runs in (1, 2, 3, 5):
            reliability(f"{title}, {runs} run{'s' if runs > 1 else ''} per K",
                        [one for one in some if one["runs"] == runs])
        reliability(f"{title}, no model fits", [one for one in some if one["misfit"]])


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
