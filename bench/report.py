#!/usr/bin/env python3
"""How long a large report takes to be written, and to be usable in the browser.

  report.py KSTAR

Bars: 12 K x 1,000 runs x 64 workers written in 2 s and usable 1 s after loading; 1,000,000 samples
open in 3 s and 300 MiB of page memory. Needs what tests/browser needs: scripts/setup test. On cores
that others use, processor time says more than the clock.
"""
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE.parent / "build" / "browser" / "node_modules"
HEADER = {"kstar": "study", "schema": 1, "title": "a large study", "regime": "strong"}


def write_study(path, workers, runs, per_worker):
    rng = random.Random(1)
    with open(path, "w") as file:
        file.write(json.dumps(HEADER) + "\n")
        order = 0
        for block in range(runs):
            for k in workers:
                time_k = (100 / k + 2) * rng.gauss(1, 0.02)
                run = {"record": "run", "workers": k, "order": order, "block": block,
                       "wall": round(time_k, 6)}
                if per_worker:
                    n = min(k, per_worker)
                    run["per_worker"] = {
                        "compute": [round(100 / k * rng.gauss(1, 0.01), 5) for _ in range(n)],
                        "communicate": [round(rng.uniform(0.5, 1), 5) for _ in range(n)],
                        "wait": [round(rng.uniform(0, 1), 5) for _ in range(n)]}
                file.write(json.dumps(run, separators=(",", ":")) + "\n")
                order += 1


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(kstar, folder, name, workers, runs, per_worker):
    study, page = f"{folder}/{name}.jsonl", f"{folder}/{name}.html"
    write_study(study, workers, runs, per_worker)
    begin, used = time.monotonic(), processor_seconds()
    subprocess.run([kstar, "report", study, "-o", page], check=True)
    written, used = time.monotonic() - begin, processor_seconds() - used
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    environment = dict(os.environ, NODE_PATH=str(MODULES))
    opened = json.loads(subprocess.run(["node", str(HERE / "report_open.js"), page], check=True,
                                       env=environment, capture_output=True, text=True).stdout)
    print(f"{name}: study {os.path.getsize(study) / 2**20:.1f} MiB, page "
          f"{os.path.getsize(page) / 2**20:.2f} MiB, written in {written:.2f} s "
          f"({used:.2f} s of processor time, {peak:.0f} MiB), "
          f"loaded in {opened['load']:.2f} s, usable {opened['usable']:.2f} s after, "
          f"{opened['processor']:.2f} s of processor time, "
          f"page memory {opened['memory']:.0f} MiB (heap {opened['heap']:.0f} MiB), "
          f"{opened['nodes']} nodes")


def main():
    kstar = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        powers = [2**i for i in range(12)]
        measure(kstar, folder, "12-K-1000-runs-64-workers", powers, 1000, 64)
        measure(kstar, folder, "a-million-samples", powers[:10], 100000, 0)


if __name__ == "__main__":
    main()
