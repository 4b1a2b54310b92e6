#!/usr/bin/env python3
"""Programs and the ceilings of their machine, measured in turns: does the bandwidth predict S(K)?

    bench/roofline_turns.py --kstar build/release/kstar [--rounds 8] [--seconds 500]
                            [--workers 1,2,4,8,16] [--megabytes 1800] [--steps 20] [--realtime]
                            [-o FOLDER]
    bench/roofline_turns.py --judge examples/roofline/turns   (what was kept of a session)

A round measures the ceilings (kstar roofline measure) and every loop of bench/programs/loops.c once
at every K (kstar measure), in an order that changes: what the machine does in these seconds, both
see. The triad has all K, the others powers of two. From all rounds come one machine.toml and one
study per loop, and from them

  - S(K) of the triad as the bandwidth predicts it, beside the measured one. The bar: within 10% or
    two standard errors of their difference;
  - what `kstar analyze --machine` says of each loop, with its bytes and without. The bar: of loops
    that are bound by memory, and whose computation is slower on the largest K beyond the noise,
    memory is named with bytes; of the others it is not named, with or without.

Needs a machine with nothing else on it; --realtime (root) runs before ordinary processes, round
robin, which starves them meanwhile. With -o the rounds are kept, and those of earlier calls count,
too: it can be run in pieces. Ends with 0 where every bar is met.
"""
import argparse
import gzip
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
MEMORY_BOUND = ["triad", "sum", "dot", "spmv", "stencil"]
EITHER = ["transpose"]  # in small pages it moves its bytes at half of the bandwidth
CLEAN = ["chain", "cached", "pi", "nbody", "matmul"]


def run(options, words):
    prefix = ["chrt", "-r", "1"] if options.realtime else []
    done = subprocess.run(prefix + [str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def measure_ceilings(options, path):
    run(options, [options.kstar, "roofline", "measure", "--threads", options.workers,
                  "--repetitions", 2, "--memory", f"{options.megabytes // 3}MB", "-o", path])
    return tomllib.loads(path.read_text())


def worker_counts(options, name):
    counts = [int(k) for k in options.workers.split(",")]
    few = [k for k in counts if k & (k - 1) == 0 or k == counts[-1]]
    return ",".join(map(str, counts if name == "triad" else few))


def measure_loop(options, loops, name, path):
    run(options, [options.kstar, "measure", "--workers", worker_counts(options, name), "--runs", 1,
                  "--warm-up-runs", 0, "--strong", "--time", "marks", "-o", path, "--", loops, name,
                  "{K}", options.megabytes, options.steps])


def joined(machines):
    """One machine with the samples of all."""
    whole = machines[0]
    for kind in ("compute", "bandwidth"):
        samples = {}
        for machine in machines:
            for one in machine.get(kind, []):
                key = tuple(one.get(k) for k in ("level", "kernel", "precision", "vector", "threads"))
                samples.setdefault(key, (one, []))[1].extend(one["samples"])
        whole[kind] = [{**one, "samples": all_of} for one, all_of in samples.values()]
    whole["cpu_wait"] = statistics.fmean(m.get("cpu_wait", 0) for m in machines)
    return whole


def to_toml(machine):
    def lines(table):
        return "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()
                       if key not in ("compute", "bandwidth"))
    return lines(machine) + "".join(f"\n[[{kind}]]\n{lines(one)}" for kind in ("compute", "bandwidth")
                                    for one in machine[kind])


def without_bytes(study, path):
    """The same study by a program that does not know its bytes."""
    opened = gzip.open if str(study).endswith(".gz") else open
    with opened(study, "rt") as lines, open(path, "w") as out:
        for line in lines:
            record = json.loads(line)
            for key in ("bytes", "flops"):
                record.get("per_worker", {}).pop(key, None)
            out.write(json.dumps(record) + "\n")
    return path


def analysed(options, study, machine):
    return json.loads(run(options, [options.kstar, "analyze", study, "--machine", machine,
                                    "--format", "json"]))


def names_memory(analysis):
    return any(cause["name"] == "memory_bandwidth" for cause in analysis["causes"])


def check_prediction(options, machine, analysis):
    curve = {p["threads"]: p["speedup"] for p in json.loads(run(
        options, [options.kstar, "roofline", machine, "--format", "json"]))["bandwidth_curve"]}
    good = True
    print("\ntriad\n   K  predicted       measured        miss")
    for point in analysis["points"]:
        workers, found = point["workers"], point.get("speedup")
        if workers == 1 or not found or workers not in curve:
            continue
        said = curve[workers]
        error = math.hypot(said["standard_error"], found["standard_error"])
        miss = said["point"] - found["point"]
        within = abs(miss) <= max(0.1 * found["point"], 2 * error)
        good = good and within
        print(f"{workers:4d}  {said['point']:5.2f} (se {said['standard_error']:.2f})"
              f"  {found['point']:5.2f} (se {found['standard_error']:.2f})"
              f"  {miss / found['point']:+6.1%}, {abs(miss) / error:.1f} standard errors"
              f"  {'ok' if within else 'MISSED'}")
    return good


def slower(analysis):
    """Whether computation on the largest K surely takes longer than on one."""
    return analysis["machine"]["memory"]["points"][-1]["slowdown"]["low"] > 1


def judge_loop(options, name, study, machine, temporary):
    """Whether the bars of one loop are met, and a line about it."""
    analysis = analysed(options, study, machine)
    blind = analysed(options, without_bytes(study, temporary / f"{name}-blind"), machine)
    wanted = name in MEMORY_BOUND and slower(analysis)
    good = name in EITHER or (names_memory(analysis) == wanted and
                              not (name in CLEAN and names_memory(blind)))
    last = analysis["points"][-1]["efficiency"]
    line = (f"{name:10s} E({analysis['points'][-1]['workers']}) {last['point']:.2f}"
            f" ({last['low']:.2f} to {last['high']:.2f})  with bytes:"
            f" {'memory' if names_memory(analysis) else '-':7s} without:"
            f" {'memory' if names_memory(blind) else '-':7s}"
            f" {'ok' if good else 'MISSED'}\n           {analysis['machine']['memory']['why']}")
    if name == "triad":
        good = check_prediction(options, machine, analysis) and good
    return good, line


def judge(options, studies, machine, temporary):
    found = [judge_loop(options, name, study, machine, temporary) for name, study in studies.items()]
    print("\n" + "\n".join(line for _, line in found))
    wait = tomllib.loads(machine.read_text()).get("cpu_wait", 0)
    if wait > 0.05:
        print(f"\nOther jobs had the CPUs for {wait:.0%} of the time: this decides nothing.")
    return all(good for good, _ in found)


def measure_rounds(options, loops, parts):
    """The ceilings of every round, those of earlier calls among them."""
    machines = [tomllib.loads(path.read_text()) for path in sorted(parts.glob("*.toml"))]
    before, order = len(machines), random.Random(len(machines))
    start = began = time.monotonic()
    for number in range(before, before + options.rounds):
        began, last = time.monotonic(), time.monotonic() - began
        if began + last > start + options.seconds:
            break
        turns = ["ceilings"] + MEMORY_BOUND + EITHER + CLEAN
        order.shuffle(turns)
        for turn in turns:
            (parts / f"{turn}-{number}.jsonl").unlink(missing_ok=True)  # of a call that ended early
            if turn == "ceilings":
                machines.append(measure_ceilings(options, parts / f"{number}.toml"))
            else:
                measure_loop(options, loops, turn, parts / f"{turn}-{number}.jsonl")
        print(f"round {number + 1} of {before + options.rounds}", file=sys.stderr)
    return machines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--kstar", default="build/release/kstar")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no round that "
                        "would end later, as long as the one before takes")
    parser.add_argument("--workers", default=",".join(map(str, range(1, os.cpu_count() + 1))))
    parser.add_argument("--megabytes", type=int, default=1800, help="of data that a loop moves")
    parser.add_argument("--steps", type=int, default=20, help="of a loop, in each round")
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("-o", "--output", help="keep machine.toml and the studies there")
    parser.add_argument("--judge", metavar="FOLDER", help="measure nothing: of this machine.toml "
                        "and these studies")
    options = parser.parse_args()
    options.kstar = str(pathlib.Path(options.kstar).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary)
        names = MEMORY_BOUND + EITHER + CLEAN
        if options.judge:
            kept = pathlib.Path(options.judge)
            studies = {name: path for name in names for path in kept.glob(f"{name}.jsonl*")}
            return 0 if judge(options, studies, kept / "machine.toml", temporary) else 1
        folder = pathlib.Path(options.output or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        parts = folder / "rounds"
        parts.mkdir(exist_ok=True)
        loops = temporary / "loops"
        subprocess.run(["cc", "-O3", "-fopenmp", "-I", HERE.parent / "include",
                        *(HERE / "programs").glob("*loops.c"), "-lm", "-o", loops], check=True)
        machines = measure_rounds(options, loops, parts)
        if len(machines) < 3:
            raise SystemExit(f"{len(machines)} of 3 rounds: too few to judge by")
        machine = folder / "machine.toml"
        machine.write_text(to_toml(joined(machines)))
        studies = {name: folder / f"{name}.jsonl" for name in names}
        for name, study in studies.items():
            study.unlink(missing_ok=True)
            run(options, [options.kstar, "merge", *sorted(parts.glob(f"{name}-*.jsonl")), "-o", study])
        return 0 if judge(options, studies, machine, temporary) else 1


if __name__ == "__main__":
    sys.exit(main())
