#!/usr/bin/env python3
"""The probe beside a hand-timed loop and NetPIPE, interleaved: comm_agreement.py KSTAR_COMM_MPI.

All-reduce: a loop in C that times a batch of calls and divides, as by hand. Messages: NPopenmpi
(Debian: netpipe-openmpi), half of there and back. Rounds of all of them in turn; medians are
compared."""
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

SIZES = [8, 1024, 8192, 65536, 262144]
ROUNDS = 7
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


def main():
    probe = str(pathlib.Path(sys.argv[1]).resolve())
    netpipe = shutil.which("NPopenmpi")
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "loop.c").write_text(LOOP)
        subprocess.run(["mpicc.openmpi", "-O2", "loop.c", "-o", "loop"], cwd=folder, check=True)
        for _ in range(ROUNDS):
            text = out([*MPIRUN, probe, "--collectives", "all-reduce,point-to-point", "--sizes",
                        ",".join(map(str, SIZES))], folder)
            for name, size, seconds in re.findall(r"^(\S+) (\d+) B: (\S+) s per", text, re.M):
                times.setdefault((name, "probe", int(size)), []).append(float(seconds))
            for size, seconds in re.findall(r"^loop (\d+) (\S+)", out(
                    [*MPIRUN, "./loop", *map(str, SIZES)], folder), re.M):
                times.setdefault(("all-reduce", "loop", int(size)), []).append(float(seconds))
            if netpipe:
                subprocess.run([*MPIRUN, netpipe, "-l", "8", "-u", "262144", "-o", "np.out", "-p",
                                "0"], cwd=folder, capture_output=True)
                for line in (pathlib.Path(folder) / "np.out").read_text().splitlines():
                    size, _, seconds = line.split()[:3]
                    if int(size) in SIZES:
                        times.setdefault(("point-to-point", "NetPIPE", int(size)),
                                         []).append(float(seconds))
    apart = 0
    for name, other in (("all-reduce", "loop"), ("point-to-point", "NetPIPE")):
        for size in SIZES:
            mine, theirs = times.get((name, "probe", size)), times.get((name, other, size))
            if not mine or not theirs:
                continue
            ratio = statistics.median(mine) / statistics.median(theirs)
            low, high = min(mine) / max(theirs), max(mine) / min(theirs)
            within = low <= 1 <= high or abs(ratio - 1) < 0.15
            apart += not within
            print(f"{name:15} {size:7} B: probe {statistics.median(mine) * 1e6:9.2f} us, {other} "
                  f"{statistics.median(theirs) * 1e6:9.2f} us, ratio {ratio:.2f}"
                  f"{'' if within else '  APART'}")
    print("all within 15% or the spread of the rounds" if apart == 0 else f"{apart} apart")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
