#!/usr/bin/env python3
"""How long one answer takes, from start to finish of the process:

  bench/startup.py [KSTAR]      default: build/release/kstar

Every round starts each program once, in random order, so that a slow minute of the machine slows
all of them. /bin/true is what starting any process costs; python3 -c pass is what a script costs
before its first line. Exits with 1 when the median of kstar is not under the bar.
"""
import os
import random
import statistics
import sys
import time

ROUNDS = 200
WARM_UP = 5
BAR_MS = 10


def milliseconds(command, quiet):
    """From before the process is started until it is gone."""
    start = time.perf_counter_ns()
    pid = os.posix_spawnp(command[0], command, os.environ,
                          file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1)])
    _, status = os.waitpid(pid, 0)
    elapsed = (time.perf_counter_ns() - start) / 1e6
    if status != 0:
        sys.exit(f"startup.py: error: {' '.join(command)}: status {status}")
    return elapsed


def percentile(values, share):
    """The smallest value with at least this share of the values at or below it."""
    return sorted(values)[max(0, -int(-len(values) * share // 1) - 1)]


def main():
    kstar = sys.argv[1] if len(sys.argv) > 1 else "build/release/kstar"
    if not os.access(kstar, os.X_OK):
        sys.exit(f"startup.py: error: {kstar}: no such program\n"
                 "hint: cmake --preset release && cmake --build --preset release")
    programs = {
        "kstar predict": [os.path.abspath(kstar), "predict", "amdahl", "--serial", "0.05"],
        "/bin/true": ["/bin/true"],
        "python3 -c pass": ["python3", "-c", "pass"],
    }
    times = {name: [] for name in programs}
    order = list(programs)
    shuffle = random.Random(1).shuffle
    quiet = os.open(os.devnull, os.O_WRONLY)
    for turn in range(WARM_UP + ROUNDS):
        shuffle(order)
        for name in order:
            elapsed = milliseconds(programs[name], quiet)
            if turn >= WARM_UP:
                times[name].append(elapsed)
    print(f"{'program':<16}  {'median ms':>9}  {'95th percentile ms':>18}   ({ROUNDS} rounds)")
    for name, values in times.items():
        print(f"{name:<16}  {statistics.median(values):9.2f}  {percentile(values, 0.95):18.2f}")
    median = statistics.median(times["kstar predict"])
    passed = median < BAR_MS
    print(f"bar: under {BAR_MS} ms, {'met' if passed else 'missed'}: {median:.2f} ms")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
