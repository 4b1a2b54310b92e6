#!/usr/bin/env python3
"""How long kstar import takes for a table of a million rows: the bar is 2 s (release flags).

  import_rows.py KSTAR [ROWS]

Prints the seconds of each of three runs, and fails where the fastest is above the bar.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

BAR_S = 2.0


def write_table(path, rows):
    chance = random.Random(1)
    with open(path, "w") as file:
        file.write("threads,rep,time_ms,residual\n")
        for i in range(rows):
            workers = 1 << (i % 10)
            file.write(f"{workers},{i // 10},{1000 / workers + chance.random():.6f},{chance.random():.9f}\n")


def main():
    program, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        table, study = os.path.join(folder, "t.csv"), os.path.join(folder, "t.jsonl")
        write_table(table, rows)
        seconds = []
        for _ in range(3):
            start = time.monotonic()
            subprocess.run([program, "import", table, "-o", study, "--force"], check=True,
                           stderr=subprocess.DEVNULL)
            seconds.append(time.monotonic() - start)
        print(f"{rows} rows: {', '.join(f'{s:.2f}' for s in seconds)} s; the bar is {BAR_S} s")
    return 0 if min(seconds) <= BAR_S * rows / 1_000_000 else 1


if __name__ == "__main__":
    sys.exit(main())
