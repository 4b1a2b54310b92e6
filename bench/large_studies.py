#!/usr/bin/env python3
"""What large studies cost: memory of a million runs, time of many K, a run's time among many K.

  large_studies.py KSTAR [runs] [k]

The bars: `analyze` of a million runs within 400 MB, `compare` of two such studies within 800; ten times
the K in about ten times the time; `true` at 2,000 K no slower than at one K.
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

KSTAR = sys.argv[1]
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
MANY = int(sys.argv[3]) if len(sys.argv) > 3 else 2000

MEASURED = ("import resource,subprocess,sys,time;t=time.time();"
            "c=subprocess.run(sys.argv[1:],stdout=-3,stderr=-3).returncode;"
            "print(c,time.time()-t,resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")


def measured(*words):
    """Exit status, seconds and peak memory in MB."""
    done = subprocess.run([sys.executable, "-c", MEASURED, KSTAR, *map(str, words)],
                          stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return int(done[0]), float(done[1]), int(done[2]) * 1024 / 1e6


def run_line(i, workers, noise):
    """What `kstar measure` writes of a local run."""
    wall = noise / workers
    return json.dumps({"record": "run", "workers": workers, "order": i, "block": i // 8,
                       "session": f"2026-11-16T08:00:00Z-{i // 100000}", "start": 1794816000 + 1.7 * i,
                       "wall": wall, "exit_status": 0, "cpu_user": wall * workers,
                       "cpu_system": 0.003, "peak_memory": 100_000_000 + i % 4096, "minor_faults": 12000,
                       "major_faults": 0, "voluntary_switches": i % 1000, "involuntary_switches": i % 77,
                       "migrations": 0, "load": 0.5}, separators=(",", ":")) + "\n"


def write_study(path, runs, workers_of, seed):
    noise = random.Random(seed)
    with open(path, "w") as file:
        file.write('{"kstar":"study","schema":1,"regime":"strong"}\n')
        for i in range(runs):
            file.write(run_line(i, workers_of(i), noise.uniform(0.9, 1.1)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        write_study(path / "a.jsonl", RUNS, lambda i: 1 << i % 8, 1)
        write_study(path / "b.jsonl", RUNS, lambda i: 1 << i % 8, 2)
        for words in (("analyze", path / "a.jsonl"), ("compare", path / "a.jsonl", path / "b.jsonl")):
            status, seconds, peak = measured(*words)
            print(f"{words[0]:8} {RUNS} runs{' each' if words[0] == 'compare' else '':5}: "
                  f"{seconds:6.1f} s, peak {peak:5.0f} MB (exit status {status})")
        for count in (MANY // 10, MANY // 2, MANY):
            write_study(path / "k.jsonl", 4 * count, lambda i: 1 + i % count, 3)
            _, seconds, peak = measured("analyze", path / "k.jsonl")
            print(f"analyze  {count} K x 4 runs: {seconds:6.1f} s, peak {peak:5.0f} MB")
        for count in (1, MANY):
            study = path / f"true-{count}.jsonl"
            subprocess.run([KSTAR, "measure", "--same-command", "--workers", ",".join(map(str, range(1, count + 1))), "--runs",
                            str(max(1, MANY // count // 10)), "--no-bind", "-o", study, "--", "true"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            walls = sorted(json.loads(line)["wall"] for line in study.read_text().splitlines()
                           if '"record":"run"' in line)
            print(f"true at {count} K: median {1000 * walls[len(walls) // 2]:.2f} ms")


if __name__ == "__main__":
    main()
