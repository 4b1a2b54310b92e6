#!/usr/bin/env python3
"""The probe beside a hand-timed loop and NetPIPE, interleaved: comm_agreement.py KSTAR_COMM_MPI [ROUNDS].

All-reduce: a loop in C that times a batch of calls and divides, as by hand. Messages: NPopenmpi
(Debian: netpipe-openmpi), half of there and back. Rounds of all of them in turn, in random order.
Each other program runs twice in a round: what its two times differ is the noise. The probe agrees
where the median over the rounds of its ratio to the other is no farther from 1 than the noise, by
the interval of a median of so many rounds."""
import math
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

SIZES = [8, 1024, 8192, 65536, 262144]
TELLING = 0.1  # more noise than this decides nothing
LOOP = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; ++i) {
    int count = atoi(argv[i]) / 4 > 0 ? atoi(argv[i]) / 4 : 1, calls = count > 10000 ? 200 : 4000;
    float* a = calloc(count, 4);
    float* b = calloc(count, 4);
    for (int j = 0; j < 50; ++j) MPI_Allreduce(a, b, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int j = 0; j < calls; ++j) MPI_Allreduce(a, b, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    double took = (MPI_Wtime() - start) / calls;
    if (rank == 0) printf("loop %s %.9g\n", argv[i], took);
    free(a);
    free(b);
  }
  MPI_Finalize();
  return 0;
}
"""
MPIRUN = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "2"]


def out(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout


def run_probe(probe, folder):
    text = out([*MPIRUN, probe, "--collectives", "all-reduce,point-to-point", "--sizes",
                ",".join(map(str, SIZES))], folder)
    return {(name, int(size)): float(seconds)
            for name, size, seconds in re.findall(r"^(\S+) (\d+) B: (\S+) s per", text, re.M)}


def run_loop(folder):
    text = out([*MPIRUN, "./loop", *map(str, SIZES)], folder)
    return {("all-reduce", int(size)): float(seconds)
            for size, seconds in re.findall(r"^loop (\d+) (\S+)", text, re.M)}


def run_netpipe(netpipe, folder):
    subprocess.run([*MPIRUN, netpipe, "-l", "8", "-u", "262144", "-o", "np.out", "-p", "0"],
                   cwd=folder, capture_output=True)
    rows = [line.split() for line in (pathlib.Path(folder) / "np.out").read_text().splitlines()]
    return {("point-to-point", int(row[0])): float(row[2]) for row in rows if int(row[0]) in SIZES}


def main():
    probe = str(pathlib.Path(sys.argv[1]).resolve())
    netpipe = shutil.which("NPopenmpi")
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "loop.c").write_text(LOOP)
        subprocess.run(["mpicc.openmpi", "-O2", "loop.c", "-o", "loop"], cwd=folder, check=True)
        programs = {"probe": lambda: run_probe(probe, folder),
                    "loop": lambda: run_loop(folder), "loop again": lambda: run_loop(folder)}
        if netpipe:
            programs["NetPIPE"] = lambda: run_netpipe(netpipe, folder)
            programs["NetPIPE again"] = lambda: run_netpipe(netpipe, folder)
        for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 11):
            order = random.sample(list(programs), len(programs))
            rounds.append({name: programs[name]() for name in order})
    apart = undecided = 0
    for kind, other in (("all-reduce", "loop"), ("point-to-point", "NetPIPE")):
        for size in SIZES:
            if any((kind, size) not in one.get(other, {}) for one in rounds):
                continue
            # Both runs of the other program, so that neither has the advantage.
            ratios, same = [], []
            for one in rounds:
                a, b = one[other][kind, size], one[other + " again"][kind, size]
                ratios.append(math.log(one["probe"][kind, size] / math.sqrt(a * b)))
                same.append(abs(math.log(a / b)))
            middle = statistics.median(ratios)
            # A standard error of a median is 1.25 / sqrt(n) standard deviations; the mean of two
            # runs has half of their variance.
            noise = 1.96 * 1.25 / math.sqrt(len(same)) * math.sqrt(
                statistics.mean(x * x for x in same) * 3 / 4)
            loud = noise > TELLING
            within = abs(middle) <= noise
            apart += not within
            undecided += loud and within
            print(f"{kind:15} {size:7} B: probe {statistics.median(one['probe'][kind, size] for one in rounds) * 1e6:9.2f} us, "
                  f"{other} {statistics.median(one[other][kind, size] for one in rounds) * 1e6:9.2f} us, "
                  f"ratio {math.exp(middle):.3f}, noise {100 * noise:.1f}%"
                  f"{'  too noisy to tell' if loud and within else '' if within else '  APART'}")
    print(f"{apart} apart, {undecided} too noisy to tell (noise above {100 * TELLING:.0f}%)"
          if apart + undecided else "all within the noise")
    return 1 if apart + undecided else 0


if __name__ == "__main__":
    sys.exit(main())
