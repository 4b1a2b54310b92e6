#!/usr/bin/env python3
"""What libkstar_mpi.so adds to an MPI call, under every MPI that is here.

  bench/mpi_call_cost.py [BUILD_FOLDER]

A million calls of each kind that are recorded and a million that are not, in short rounds that take
turns inside one process; CPU time of the thread, the median over the rounds. With two ranks the
collectives go through the log, too.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

OPEN_MPI = ["--allow-run-as-root", "--oversubscribe", "--mca", "pml", "ob1",
            "--mca", "btl", "self,vader", "--mca", "btl_vader_single_copy_mechanism", "none"]


def command(mpi, ranks, variables, program):
    if mpi == "mpich":
        words = ["mpirun.mpich", "-np", str(ranks)]
        for name, value in variables.items():
            words += ["-env", name, value]
    else:
        words = ["mpirun.openmpi", *OPEN_MPI, "-np", str(ranks)]
        for name, value in variables.items():
            words += ["-x", f"{name}={value}"]
    return [*words, str(program)]


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/dev").resolve()
    failed = ran = 0
    for mpi in ("openmpi", "mpich"):
        program = build / f"bench/mpi_call_cost.{mpi}"
        if not program.exists() or not shutil.which(f"mpirun.{mpi}"):
            print(f"{mpi}: not here")
            continue
        for ranks in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                print(f"{mpi}, {ranks} rank{'s' if ranks > 1 else ''}:", flush=True)
                variables = {"LD_PRELOAD": str(build / "libkstar_mpi.so"), "KSTAR_INSIDE": folder}
                done = subprocess.run(command(mpi, ranks, variables, program))
                files = len(list(pathlib.Path(folder).glob("*.kmpi")))
                if files != ranks:
                    print(f"expected {ranks} files, found {files}: nothing was recorded")
                failed += done.returncode != 0 or files != ranks
                ran += 1
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
