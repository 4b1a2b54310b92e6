#!/usr/bin/env python3
"""Whether a build follows its graph: dag_build.py KSTAR [TARGETS...].

Builds a part of kstar with ninja -jK and -j1, from nothing and without a compiler cache, one after
the other. The schedule of the -jK log must take as long as that build, and its sum of times as long
as the build on one worker. Needs a machine that nobody else uses: the load of others is in the times.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def build(folder, jobs, targets):
    subprocess.run(["ninja", "-C", folder, "-t", "clean"], check=True, stdout=subprocess.DEVNULL)
    pathlib.Path(folder, ".ninja_log").unlink(missing_ok=True)
    subprocess.run(["ninja", "-C", folder, f"-j{jobs}", *targets], check=True,
                   stdout=subprocess.DEVNULL)


def analysed(kstar, folder):
    run = subprocess.run([kstar, "dag", folder, "--format", "json"], check=True,
                         stdout=subprocess.PIPE)
    return json.loads(run.stdout)


def main():
    kstar = os.path.abspath(sys.argv[1])
    targets = sys.argv[2:] or ["kstar_base", "kstar_draw", "kstar_train"]
    jobs = os.cpu_count()
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_LAUNCHER")}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", folder, "--log-level=ERROR",
                        "-DCMAKE_BUILD_TYPE=Debug", "-DKSTAR_TESTS=OFF", "-DKSTAR_BENCH=OFF"],
                       check=True, env=environment, stdout=subprocess.DEVNULL)
        build(folder, jobs, targets)
        wide = analysed(kstar, folder)
        build(folder, 1, targets)
        single = analysed(kstar, folder)["recorded"]["makespan"]
    recorded = wide["recorded"]
    print(f"-j{jobs}: recorded {recorded['makespan']:.1f} s, schedule {recorded['schedule']:.1f} s "
          f"({recorded['schedule'] / recorded['makespan'] - 1:+.1%})")
    print(f"-j1: recorded {single:.1f} s, predicted {wide['work']:.1f} s "
          f"({wide['work'] / single - 1:+.1%})")


main()
