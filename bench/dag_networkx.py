#!/usr/bin/env python3
"""The longest path of one graph by networkx and by kstar, in turns: dag_networkx.py BENCH [EDGES].

BENCH is bench_dag_speed, which writes the table that both read. The same work is compared: a table of
edges is read and its longest path found. CPU seconds of each: what else runs on the machine is not in
them, but for the caches that it takes away; hence the median of several rounds, each in processes of
its own.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5


def by_networkx(path):
    """Prints the length of the path, and the seconds to read and to find it."""
    import networkx
    start = time.process_time()
    graph = networkx.DiGraph()
    with open(path) as file:
        next(file)
        edges = (line.rstrip("\n").split(",") for line in file)
        graph.add_edges_from(((a, b) for a, b in edges if a != b), weight=1)
    read = time.process_time()
    length = len(networkx.dag_longest_path(graph))
    print(length, read - start, time.process_time() - read)


def by_kstar(command):
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    longest = re.search(r"longest path (\S+) in .*: (\S+) s CPU", run.stdout)
    spent = re.search(r"CPU: (\S+) s and (\S+) s", run.stdout)
    return int(longest[1]), float(spent[1]), float(longest[2]), float(spent[2])


def main():
    edges = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1_000_000
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "edges.csv")
        bench = [sys.argv[1], str(edges), str(edges // 10), "stems", path]
        by_kstar(bench)  # writes the table
        for _ in range(ROUNDS):
            theirs = subprocess.run([sys.executable, __file__, "--networkx", path], check=True,
                                    stdout=subprocess.PIPE, text=True).stdout.split()
            length, read, longest, everything = by_kstar(bench)
            assert length == int(theirs[0]), (length, theirs)
            their_read, their_longest = float(theirs[1]), float(theirs[2])
            both = their_read + their_longest
            rounds.append((both / (read + longest), their_read / read, their_longest / longest,
                           both / everything))
            print(f"kstar {read:.3f} s to read, {longest:.4f} s the longest path ({length} tasks); "
                  f"networkx {their_read:.2f} s and {their_longest:.2f} s: {rounds[-1][0]:.0f} times")
    same, reading, longest, everything = (statistics.median(ratios) for ratios in zip(*rounds))
    print(f"the same work, to read the table and find the longest path, median of {ROUNDS} rounds: "
          f"{same:.0f} times as fast (to read {reading:.0f}, longest path {longest:.0f}); "
          f"all of kstar dag, with every schedule, against that: {everything:.0f}")


if sys.argv[1] == "--networkx":
    by_networkx(sys.argv[2])
else:
    main()
