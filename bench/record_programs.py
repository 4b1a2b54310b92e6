#!/usr/bin/env python3
"""Measures twelve programs whose loss is known, as they are, with kstar measure: one study each.

    bench/record_programs.py --kstar build/release/kstar -o examples/programs

Needs a machine with nothing else on it, gcc, python3, pigz, xz, sort and make; the more cores the
better (the studies that are shipped say on what they were recorded). The truth is in TRUTH; the
test of the studies (tests/unit/programs_known_test.cc) reads it from their titles.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# name: (the causes that are right, the command, what makes it so)
TRUTH = {
    "pigz": ("idle none", "pigz -p {K} -c {input}", "reading and writing are serial"),
    "sort": ("idle cpu_growth", "sort --parallel={K} -S 1G {input}", "the merge is serial"),
    "xz": ("idle", "xz -T {K} --block-size=6MiB -0 -c {input}", "few blocks, one of them last"),
    "make": ("idle", "make -s -B -j {K} -C {folder}", "one task takes a third of the work"),
    "lock": ("cpu_growth idle", "{threads} lock {K}", "three quarters of the work are in a critical section"),
    "sharing": ("cpu_growth", "{threads} sharing {K}", "counters in one cache line"),
    "uneven": ("cpu_growth idle", "{threads} uneven {K}", "one thread has four fifths of the work"),
    "stream": ("cpu_growth", "{threads} stream {K}", "memory bandwidth"),
    "gil": ("idle", "python3 {python} threads {K}", "one interpreter lock"),
    "processes": ("idle cpu_growth none", "python3 {python} processes {K}", "processes start"),
    "starved": ("cpu_wait", "{threads} even {K}", "other jobs hold three quarters of the CPUs"),
    "oversubscribed": ("cpu_wait", "{threads} even {K}", "twice as many threads as CPUs"),
}


def powers(most):
    workers = [1]
    while workers[-1] * 2 <= most:
        workers.append(workers[-1] * 2)
    return workers


def prepare(folder):
    """The programs' inputs."""
    threads = folder / "threads"
    subprocess.run(["gcc", "-O2", "-fopenmp", HERE / "programs/threads.c", "-o", threads], check=True)
    text = folder / "text"
    words = random.Random(1)
    with open(text, "w") as out:
        for _ in range(1_000_000):
            out.write(f"{words.getrandbits(48):x} {words.randrange(1000)}\n")
    lengths = [40_000_000] * 12 + [240_000_000]
    rules = "".join(f"t{i}:\n\t@python3 -c 'x = sum(range({n // 20}))'\n" for i, n in enumerate(lengths))
    names = " ".join(f"t{i}" for i in range(len(lengths)))
    (folder / "Makefile").write_text(f"all: {names}\n{rules}.PHONY: all {names}\n")
    return {"input": text, "folder": folder, "threads": threads,
            "python": HERE / "programs/python_work.py"}


def measure(kstar, name, runs, out, places):
    cpus = len(os.sched_getaffinity(0))
    most = 2 * cpus if name == "oversubscribed" else cpus
    command = TRUTH[name][1]
    for key, value in places.items():
        command = command.replace("{" + key + "}", str(value))
    title = f"{name}: {TRUTH[name][2]}; truth: {TRUTH[name][0]}"
    others = [subprocess.Popen([places["threads"], "hold", "1"]) for _ in range(cpus * 3 // 4)
              if name == "starved"]
    try:
        subprocess.run([kstar, "measure", "--workers", ",".join(map(str, powers(most))), "--runs",
                        str(runs), "--strong", "--title", title, "--force", "-o",
                        out / f"{name}.jsonl", "--", *command.split()],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    finally:
        for other in others:
            other.kill()
            other.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kstar", default="build/release/kstar")
    parser.add_argument("-o", "--output", default="examples/programs")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("names", nargs="*", default=list(TRUTH))
    options = parser.parse_args()
    out = pathlib.Path(options.output)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        places = prepare(pathlib.Path(folder))
        for name in options.names or list(TRUTH):
            measure(options.kstar, name, options.runs, out, places)
            answer = subprocess.run([options.kstar, "analyze", out / f"{name}.jsonl",
                                     "--format", "json"], capture_output=True, text=True, check=True)
            found = [cause["name"] for cause in json.loads(answer.stdout)["causes"]]
            print(f"{name}: found {' '.join(found)}; truth {TRUTH[name][0]}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
