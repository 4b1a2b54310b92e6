#!/usr/bin/env python3
"""The longest path of one graph by networkx and by kstar, in one run: dag_networkx.py BENCH [EDGES].

BENCH is bench_dag_speed, which writes the table that networkx reads. The same work is compared: a
table of edges is read and its longest path found. CPU seconds of each: what else runs on the machine
is not in them, but for the caches that it takes away.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

import networkx


def by_networkx(path):
    start = time.process_time()
    graph = networkx.DiGraph()
    with open(path) as file:
        next(file)
        edges = (line.rstrip("\n").split(",") for line in file)
        graph.add_edges_from(((a, b) for a, b in edges if a != b), weight=1)
    read = time.process_time()
    length = len(networkx.dag_longest_path(graph))
    return length, read - start, time.process_time() - read


def main():
    bench = sys.argv[1]
    edges = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "edges.csv")
        run = subprocess.run([bench, str(edges), str(edges // 10), "stems", path], check=True,
                             stdout=subprocess.PIPE, text=True)
        length, reading, longest = by_networkx(path)
    print(run.stdout, end="")
    ours = re.search(r"longest path (\S+) in .*: (\S+) s CPU", run.stdout)
    spent = re.search(r"CPU: (\S+) s and (\S+) s", run.stdout)
    assert int(ours[1]) == length, (ours[1], length)
    print(f"networkx: longest path {length}: {longest:.2f} s CPU; {reading:.2f} s to read")
    read, path, everything = float(spent[1]), float(ours[2]), float(spent[2])
    print(f"the same work, to read the table and find the longest path: "
          f"{(reading + longest) / (read + path):.0f} times as fast "
          f"(to read {reading / read:.0f}, longest path {longest / path:.0f}); "
          f"all of kstar dag, with every schedule, against that: "
          f"{(reading + longest) / everything:.0f}")


main()
