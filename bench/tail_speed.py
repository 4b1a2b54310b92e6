#!/usr/bin/env python3
"""How long kstar tail takes for 100 million latencies, and how much memory: tail_speed.py KSTAR [N]

Writes N latencies (default: 100 million; blocks of one million lognormal ones, again and again) into
a temporary file, one per line, and reads it once to have it in the cache. The bar: under 10 s of
CPU time and 200 MiB, and percentiles within the stated error of the exact ones.
"""
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

BLOCK = 1_000_000


def main():
    kstar = sys.argv[1]
    count = int(float(sys.argv[2])) if len(sys.argv) > 2 else 100_000_000
    random.seed(1)
    values = [math.exp(random.gauss(0, 1)) * 10 for _ in range(BLOCK)]
    block = "".join(f"{value:.4f}\n" for value in values)
    exact = sorted(float(line) for line in block.split())
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for _ in range(count // BLOCK):
            file.write(block)
        file.flush()
        size = os.path.getsize(file.name)
        subprocess.run(["cat", file.name], stdout=subprocess.DEVNULL, check=True)
        start = time.monotonic()
        run = subprocess.run([kstar, "tail", file.name, "--unit", "ms", "--format", "json"],
                             stdout=subprocess.PIPE, check=True)
        wall = time.monotonic() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = usage.ru_utime + usage.ru_stime
    level = json.loads(run.stdout)["levels"][0]
    worst = 0
    for one in level["percentiles"]:
        truth = exact[math.ceil(one["percentile"] / 100 * BLOCK - 1e-6) - 1] / 1000
        worst = max(worst, abs(one["value"] / truth - 1))
    print(f"{level['latencies'] / 1e6:.0f} million latencies, {size / 1e6:.0f} MB: {wall:.1f} s, "
          f"{cpu:.1f} s of CPU, {usage.ru_maxrss / 1024:.0f} MiB; percentiles within {worst:.3%} "
          f"(stated: {level['bucket_error']:.3%})")
    good = cpu < 10 and usage.ru_maxrss < 200 * 1024 and worst <= level["bucket_error"] * 1.001
    sys.exit(0 if good else "the bar is missed")


main()
