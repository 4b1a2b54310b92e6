#!/usr/bin/env python3
"""What kstar adds to a run, next to `hyperfine -N` in the same minutes.

  bench/run_overhead.py [BUILD_FOLDER] [--rounds N]

Both tools take turns, and which comes first changes from round to round. Two figures:
- the time reported: the median over rounds of the paired difference of the rounds' medians;
  hyperfine's clock also holds its opening of /dev/null and its resetting of every signal, tens of
  microseconds that kstar does not spend: a difference below zero is that;
- the time between runs: from the end of one run's clock to the start of the next one's, seen from
  inside. The program writes down its own span, so that
  between = (gap between two spans) - (what the tool's clock holds beyond the span).
  Once for the executor alone, and once for `kstar measure` itself, which in that time reads the
  run, writes it into the study, says it on a line and chooses the next one.
"""
import argparse
import json
import os
import pathlib
import pty
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile


def run_quietly(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run_on_terminal(command):
    """With a terminal on both streams, whose output is read and thrown away."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs,
                          env={**os.environ, "TERM": "xterm"}) as process:
        os.close(theirs)
        try:
            while os.read(ours, 1 << 16):
                pass
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    if process.returncode != 0:
        sys.exit(f"run_overhead.py: {command[0]} failed on a terminal")


def hyperfine_times(folder, command, runs, run=run_quietly):
    file = folder / "hyperfine.json"
    run(["hyperfine", "-N", "--warmup", "0", "--runs", str(runs), "--export-json", str(file),
         " ".join(command)])
    return json.loads(file.read_text())["results"][0]["times"]


def kstar_times(build, command, runs):
    printed = subprocess.run([str(build / "bench/bench_run_overhead"), str(runs), *command],
                             check=True, capture_output=True, text=True).stdout
    return [float(line) for line in printed.split()]


def measured_times(build, command, runs, run=run_quietly):
    """By the program itself, with its study on the disk that the build is on."""
    study = pathlib.Path(build) / "run_overhead.jsonl"
    run([str(build / "kstar"), "measure", "--workers", "1", "--runs", str(runs), "--warm-up-runs",
         "0", "--force", "-o", str(study), "--", *command])
    records = [json.loads(line) for line in study.read_text().splitlines()]
    study.unlink()
    return [record["wall"] for record in records if record.get("record") == "run"]


def between(times, spans):
    """The mean of the two neighbours' overheads stands for the end of one and the start of the
    other."""
    beyond = [t - (b - a) / 1e9 for t, (a, b) in zip(times, spans)]
    return [(spans[i + 1][0] - spans[i][1]) / 1e9 - (beyond[i] + beyond[i + 1]) / 2
            for i in range(len(times) - 1)]


def read_spans(file):
    data = file.read_bytes()
    file.unlink()
    return [struct.unpack_from("qq", data, i) for i in range(0, len(data), 16)]


def in_turns(round_number, tools):
    return list(tools) if round_number % 2 == 0 else list(reversed(tools))


def compare_times(tools, command, runs, rounds):
    """(median of kstar, of hyperfine, paired difference), in seconds"""
    medians = {name: [] for name in tools}
    for number in range(rounds):
        for name in in_turns(number, tools):
            medians[name].append(statistics.median(tools[name](command, runs)))
    differences = [a - b for a, b in zip(medians["kstar"], medians["hyperfine"])]
    return (statistics.median(medians["kstar"]), statistics.median(medians["hyperfine"]),
            statistics.median(differences))


def compare_between(tools, span, folder, runs, rounds):
    found = {name: [] for name in tools}
    below = {name: 0 for name in tools}
    for number in range(rounds):
        for name in in_turns(number, tools):
            file = folder / "spans"
            times = tools[name]([str(span), "0", str(file)], runs)
            spans = read_spans(file)
            below[name] += sum(t < (b - a) / 1e9 for t, (a, b) in zip(times, spans))
            found[name].append(statistics.median(between(times, spans)))
    return {name: statistics.median(values) for name, values in found.items()}, below


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default="build/dev", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    if not shutil.which("hyperfine"):
        sys.exit("run_overhead.py: expected hyperfine (Debian package hyperfine), found none")
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    span = (arguments.build / "bench/bench_span").resolve()
    with tempfile.TemporaryDirectory(dir=shared) as name:
        folder = pathlib.Path(name)
        tools = {"kstar": lambda command, runs: kstar_times(arguments.build, command, runs),
                 "hyperfine": lambda command, runs: hyperfine_times(folder, command, runs)}
        for title, command, runs in [("true", [shutil.which("true")], 100), ("50 ms loop", [str(span), "50"], 5)]:
            ours, theirs, difference = compare_times(tools, command, runs, arguments.rounds)
            print(f"{title:12} reported: kstar {ours * 1e6:9.1f} us, hyperfine {theirs * 1e6:9.1f}"
                  f" us, paired difference {difference * 1e6:+.1f} us (bar: 50)")
        build = arguments.build
        tools = {"kstar's executor": tools["kstar"],
                 "kstar measure": lambda command, runs: measured_times(build, command, runs),
                 "hyperfine": tools["hyperfine"],
                 "kstar measure on a terminal":
                     lambda command, runs: measured_times(build, command, runs, run_on_terminal),
                 "hyperfine on a terminal":
                     lambda command, runs: hyperfine_times(folder, command, runs, run_on_terminal)}
        gaps, below = compare_between(tools, span, folder, 100, arguments.rounds)
        for name in tools:
            print(f"between runs: {name:28} {gaps[name] * 1e6:6.1f} us; reported below the "
                  f"program's own span {below[name]} times")
        print("(bars: between runs no more than hyperfine, never below the program's own span)")


if __name__ == "__main__":
    main()
