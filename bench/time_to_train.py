#!/usr/bin/env python3
"""What the public MLPerf series say once their time to train is split.

  time_to_train.py KSTAR FOLDER

FOLDER holds mlperf_scaling_public.csv (runs) and mlperf_series_public.csv (which of them make a
series). Each series is written as a table of workers, time, batch and what a run needed to
converge, and given to kstar analyze. Prints how many could be split, what the algorithm and the
system keep at the largest K, and the series that lose most to the algorithm.
"""
import collections
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

KEY = ("round", "submitter", "benchmark", "accelerator_model", "division")


def runs_by_series(folder):
    """{series: [rows]} of the runs that succeeded, for the series of two K and more."""
    with open(folder / "mlperf_series_public.csv", newline="") as file:
        wanted = {}
        for row in csv.DictReader(file):
            wanted.setdefault(row["series"], set()).add(int(float(row["accelerators"])))
    series = {name: [] for name in wanted}
    with open(folder / "mlperf_scaling_public.csv", newline="") as file:
        for row in csv.DictReader(file):
            name = "|".join(row[key] for key in KEY)
            if row["status"] != "success" or not row["accelerators"] or name not in series:
                continue
            if int(float(row["accelerators"])) in wanted[name]:
                series[name].append(row)
    return series


def table_of(rows, path):
    """Whether the batch could be told: one at each K."""
    batches = collections.defaultdict(set)
    for row in rows:
        batches[int(float(row["accelerators"]))].add(row["global_batch_size"])
    told = all(len(each) == 1 and "" not in each for each in batches.values())
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["gpus", "time_s", "samples_to_converge"] + ["batch"] * told)
        for row in rows:
            cells = [int(float(row["accelerators"])), row["time_to_train_s"],
                     row["epochs_or_samples_to_converge"]]
            writer.writerow(cells + [row["global_batch_size"]] * told)
    return told


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"median {middle:.3f}, quartiles {low:.3f} to {high:.3f}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    series = runs_by_series(folder)
    split, refused, untold, regimes, wrong = [], [], 0, collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "series.csv"
        for label, rows in sorted(series.items()):
            untold += not table_of(rows, path)
            done = subprocess.run([program, "analyze", str(path), "--format", "json"],
                                  capture_output=True, text=True)
            train = json.loads(done.stdout)["time_to_train"] if done.returncode == 0 else None
            if not train:
                notes = json.loads(done.stdout)["notes"] if done.returncode == 0 else []
                why = [note["text"] for note in notes if note["what"] == "work-unlike"]
                refused.append((label, (why or done.stderr.splitlines() or ["no run says what it needed"])[0]))
                continue
            regimes[json.loads(done.stdout)["regime"]] += 1
            for point in train["points"]:
                product = point["algorithm"]["point"] * point["system"]["point"]
                wrong += abs(product / point["efficiency"]["point"] - 1) > 1e-12
            split.append((label, train["points"]))
    print(f"{len(series)} series, {len(split)} split, {len(refused)} not; "
          f"batch not told at every K: {untold}; regimes: {dict(regimes)}")
    for label, why in refused:
        print(f"  not split: {label}: {why}")
    last = [(label, points[0], points[-1]) for label, points in split]
    for part in ("efficiency", "algorithm", "system"):
        print(f"{part:10} at the largest K: {quartiles([end[part]['point'] for _, _, end in last])}")
    grown = [(label, base, end) for label, base, end in last
             if base["batch"] and end["batch"] and end["batch"] != base["batch"]]
    for part in ("algorithm", "system"):
        print(f"  of the {len(grown)} whose batch is another there, {part}: "
              f"{quartiles([end[part]['point'] for _, _, end in grown])}")
    known = [end["algorithm"] for _, _, end in last if end["algorithm"]["low"] is not None]
    beyond = sum(each["high"] < 1 for each in known)
    more = sum(end["algorithm"]["point"] < end["system"]["point"] for _, _, end in last)
    print(f"the algorithm loses beyond its interval in {beyond} of {len(known)} with repeats, "
          f"and more than the system in {more} of {len(last)}")
    for label, base, end in sorted(grown, key=lambda each: each[2]["algorithm"]["point"])[:5]:
        print(f"  {label}: K {base['workers']} to {end['workers']}, batch {base['batch']:.0f} to "
              f"{end['batch']:.0f}: E {end['efficiency']['point']:.2f} = "
              f"{end['algorithm']['point']:.2f} x {end['system']['point']:.2f}")
    if wrong:
        sys.exit(f"{wrong} points whose factors do not multiply to their efficiency")


if __name__ == "__main__":
    main()
