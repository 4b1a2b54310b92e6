#!/usr/bin/env python3
"""The probe beside a hand-timed loop, NetPIPE and HPC Challenge, interleaved.

  comm_agreement.py KSTAR_COMM_MPI [--rounds N] [--seconds N] [--nodes VIRTUAL_NODES]
                    [--peers loop,NetPIPE,hpcc]

Two ranks on this machine or, with --nodes (root), on two nodes made of namespaces, behind a link of
known delay and rate: messages through the memory of a virtual machine differ by a third from one
start of a program to the next, messages over that link by a hundredth.

All-reduce: a loop in C that times batches of calls and divides, as by hand; the middle one counts,
as one stall of the machine would be a tenth of a mean. Messages: NPopenmpi
(Debian: netpipe-openmpi), half of there and back, and the ping-pong of hpcc (Debian), of 8 and
2,000,000 bytes; of its other parts as little as it allows. Rounds of all of them in turn, in random
order. Each other program runs twice in a round: what its two times differ, in the
median, is what a start of a program makes. The probe agrees where the interval of the median of its
ratio to the other (by order statistics: a stall moves no median) is no farther from 1 than that."""
import argparse
import contextlib
import math
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SIZES = [8, 1024, 8192, 65536, 262144]
HPCC_SIZE = 2000000  # and 8
TELLING = 0.1  # a wider interval than this decides nothing
# As hpcc wants it: 32 lines, of which all but sizes and the two processes are as Debian has them.
HPCC = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out
8 device
1
64 N
1
16 NB
0
1
1 P
2 Q
16.0
1
2
1
4
1
2
1
1
1
1
1
0
2
64
0
0
1
8
-
0
1200
0
40
"""
LOOP = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { BATCHES = 21 };
static int less(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; ++i) {
    int count = atoi(argv[i]) / 4 > 0 ? atoi(argv[i]) / 4 : 1, calls = count > 10000 ? 210 : 1050;
    float* a = calloc(count, 4);
    float* b = calloc(count, 4);
    for (int j = 0; j < 50; ++j) MPI_Allreduce(a, b, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    double took[BATCHES];
    for (int batch = 0; batch < BATCHES; ++batch) {
      MPI_Barrier(MPI_COMM_WORLD);
      double start = MPI_Wtime();
      for (int j = 0; j < calls / BATCHES; ++j) MPI_Allreduce(a, b, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      took[batch] = (MPI_Wtime() - start) / (calls / BATCHES);
    }
    qsort(took, BATCHES, sizeof took[0], less);
    if (rank == 0) printf("loop %s %.9g\n", argv[i], took[BATCHES / 2]);
    free(a);
    free(b);
  }
  MPI_Finalize();
  return 0;
}
"""
DELAY_US, MBIT = 200, 400
# What mpirun starts instead of ssh: AGENT ADDRESS COMMAND...
AGENT = """#!/bin/sh
address=$1; shift
while read -r name own net uts; do
  [ "$own" = "$address" ] && exec nsenter --net="$net" --uts="$uts" sh -c "$*"
done < {table}
exit 1
"""


def on_this_machine():
    return ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "2"]


@contextlib.contextmanager
def on_two_nodes(virtual_nodes, folder):
    """How to start a program on two nodes, which end with the context."""
    switch = subprocess.Popen([virtual_nodes, "2", str(DELAY_US), str(MBIT)], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        nodes = [line.split() for line in iter(switch.stdout.readline, "ready\n")]
        table, agent = (pathlib.Path(folder) / name for name in ("nodes", "agent"))
        table.write_text("".join(" ".join(node) + "\n" for node in nodes))
        agent.write_text(AGENT.format(table=table))
        agent.chmod(0o755)
        yield ["nsenter", f"--net={nodes[0][2]}", f"--uts={nodes[0][3]}", "mpirun.openmpi",
               "--allow-run-as-root", "--host", ",".join(f"{node[1]}:1" for node in nodes), "-np", "2",
               "--map-by", "node", "--bind-to", "none",
               *(word for key, value in (
                   ("plm", "rsh"), ("plm_rsh_agent", str(agent)), ("pml", "ob1"), ("btl", "self,tcp"),
                   ("btl_tcp_if_include", "e0"), ("oob_tcp_if_include", "e0"),
                   ("mpi_yield_when_idle", "1")) for word in ("--mca", key, value))]
    finally:
        switch.communicate()  # its input ends, and the nodes with it


def out(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout


def run_probe(mpirun, probe, folder):
    text = ""
    for name, sizes in (("all-reduce", SIZES), ("point-to-point", [*SIZES, HPCC_SIZE])):
        text += out([*mpirun, probe, "--collectives", name, "--sizes", ",".join(map(str, sizes))],
                    folder)
    return {(name, int(size)): float(seconds)
            for name, size, seconds in re.findall(r"^(\S+) (\d+) B: (\S+) s per", text, re.M)}


def run_loop(mpirun, folder):
    text = out([*mpirun, f"{folder}/loop", *map(str, SIZES)], folder)
    return {("all-reduce", int(size)): float(seconds)
            for size, seconds in re.findall(r"^loop (\d+) (\S+)", text, re.M)}


def run_netpipe(mpirun, netpipe, folder):
    subprocess.run([*mpirun, netpipe, "-l", "8", "-u", "262144", "-o", f"{folder}/np.out", "-p", "0"],
                   cwd=folder, capture_output=True)
    rows = [line.split() for line in (pathlib.Path(folder) / "np.out").read_text().splitlines()]
    return {("point-to-point", int(row[0])): float(row[2]) for row in rows if int(row[0]) in SIZES}


def run_hpcc(mpirun, folder):
    """It says of each size twice, first to find how often to repeat it. The rings behind that, which
    take half a minute, are not waited for."""
    (pathlib.Path(folder) / "hpccinf.txt").write_text(HPCC)
    written = pathlib.Path(folder) / "hpccoutf.txt"  # it appends
    written.unlink(missing_ok=True)
    program = subprocess.Popen([*mpirun, shutil.which("hpcc")], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    said = []
    while len(said) < 4:
        if program.poll() is not None and len(said) == 0:
            raise RuntimeError("hpcc ended and said nothing of messages")
        time.sleep(0.05)
        said = re.findall(r"^Message Length: (\d+)\nLatency .*max: +\S+ / +(\S+) /",
                          written.read_text() if written.exists() else "", re.M)
    program.terminate()
    program.wait()
    return {("point-to-point", int(size)): float(milliseconds) * 1e-3
            for size, milliseconds in said}


def median_interval(values):
    """Of order statistics, 95% or more: how many lie below the median is binomial."""
    ordered, count = sorted(values), len(values)
    outside, k = 0.0, 0
    while k < (count - 1) // 2:
        outside += 2 * math.comb(count, k) / 2**count
        if outside > 0.05:
            break
        k += 1
    return ordered[max(0, k - 1)], ordered[count - max(1, k)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("probe", type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=math.inf, help="no round begins after that")
    parser.add_argument("--peers", default="loop,NetPIPE,hpcc")
    parser.add_argument("--nodes", type=os.path.abspath, metavar="VIRTUAL_NODES")
    given = parser.parse_args()
    rounds = []
    with contextlib.ExitStack() as ends:
        folder = ends.enter_context(tempfile.TemporaryDirectory())
        mpirun = (ends.enter_context(on_two_nodes(given.nodes, folder)) if given.nodes
                  else on_this_machine())
        (pathlib.Path(folder) / "loop.c").write_text(LOOP)
        subprocess.run(["mpicc.openmpi", "-O2", "loop.c", "-o", "loop"], cwd=folder, check=True)
        programs = {"probe": lambda: run_probe(mpirun, given.probe, folder)}
        others = {"loop": lambda: run_loop(mpirun, folder)}
        if netpipe := shutil.which("NPopenmpi"):
            others["NetPIPE"] = lambda: run_netpipe(mpirun, netpipe, folder)
        if shutil.which("hpcc"):
            others["hpcc"] = lambda: run_hpcc(mpirun, folder)
        others = {name: run for name, run in others.items() if name in given.peers.split(",")}
        for name, run in others.items():
            programs |= {name: run, f"{name} again": run}
        end = time.monotonic() + given.seconds
        while len(rounds) < given.rounds and (len(rounds) < 3 or time.monotonic() < end):
            order = random.sample(list(programs), len(programs))
            rounds.append({name: programs[name]() for name in order})
            print(".", end="", file=sys.stderr, flush=True)
    apart = undecided = 0
    for other in others:
        for kind, size in sorted(rounds[0][other]):
            if any((kind, size) not in one[name] for one in rounds
                   for name in ("probe", other, f"{other} again")):
                continue
            # Both runs of the other program, so that neither has the advantage.
            ratios, same = [], []
            for one in rounds:
                a, b = one[other][kind, size], one[other + " again"][kind, size]
                ratios.append(math.log(one["probe"][kind, size] / math.sqrt(a * b)))
                same.append(abs(math.log(a / b)))
            middle, (low, high) = statistics.median(ratios), median_interval(ratios)
            noise = statistics.median(same)
            loud = max(high - middle, middle - low) > TELLING
            within = low <= noise and high >= -noise
            apart += not within
            undecided += loud and within
            print(f"{kind:15} {size:7} B: probe {statistics.median(one['probe'][kind, size] for one in rounds) * 1e6:9.2f} us, "
                  f"{other} {statistics.median(one[other][kind, size] for one in rounds) * 1e6:9.2f} us, "
                  f"ratio {math.exp(middle):.3f} ({math.exp(low):.3f}..{math.exp(high):.3f}), "
                  f"{other} twice {100 * noise:.1f}%"
                  f"{'  too noisy to tell' if loud and within else '' if within else '  APART'}")
    print(f"{len(rounds)} rounds; ", end="")
    print(f"{apart} apart, {undecided} too noisy to tell (by {100 * TELLING:.0f}% or more)"
          if apart + undecided else "all within the noise")
    return 1 if apart + undecided else 0


if __name__ == "__main__":
    sys.exit(main())
