#!/usr/bin/env python3
"""Whether a build follows its graph: dag_build.py KSTAR [--folder BUILD] [-j K] [TARGETS...].

Builds a part of kstar (or of the ninja folder BUILD, which is cleaned) with ninja -jK and -j1, from
nothing and without a compiler cache, one after the other. The default schedule of the -jK log on K
workers must take as long as that build (within 10%), and T(1), from which kstar has taken off what
the commands waited for each other, as long as the build on one worker (15%). Needs a machine that
nobody else uses: the load of others is in the times.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def build(folder, jobs, targets):
    subprocess.run(["ninja", "-C", folder, "-t", "clean"], check=True, stdout=subprocess.DEVNULL)
    pathlib.Path(folder, ".ninja_log").unlink(missing_ok=True)
    subprocess.run(["ninja", "-C", folder, f"-j{jobs}", *targets], check=True,
                   stdout=subprocess.DEVNULL)


def analysed(kstar, folder, order="critical-path"):
    run = subprocess.run([kstar, "dag", folder, "--priority", order, "--format", "json"],
                         check=True, stdout=subprocess.PIPE)
    return json.loads(run.stdout)


def configure(folder):
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_LAUNCHER")}
    subprocess.run(["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", folder, "--log-level=ERROR",
                    "-DCMAKE_BUILD_TYPE=Debug", "-DKSTAR_TESTS=OFF", "-DKSTAR_BENCH=OFF"],
                   check=True, env=environment, stdout=subprocess.DEVNULL)


def compared(kstar, folder, jobs, targets):
    build(folder, jobs, targets)
    wide = analysed(kstar, folder)
    ordered = analysed(kstar, folder, "recorded")["recorded"]["schedule"]
    build(folder, 1, targets)
    single = analysed(kstar, folder)["recorded"]["makespan"]
    recorded = wide["recorded"]
    for name, real, said, bar in (
            (f"-j{jobs}: recorded", recorded["makespan"], recorded["schedule"], 0.10),
            ("-j1: recorded", single, wide["work"], 0.15)):
        off = said / real - 1
        print(f"{name} {real:.2f} s, from the -j{jobs} log {said:.2f} s ({off:+.1%}, bar {bar:.0%}: "
              f"{'met' if abs(off) <= bar else 'missed'})")
    print(f"in ninja's own order: {ordered:.2f} s; {wide['cores']} cores"
          f"{' assumed' if wide['cores_assumed'] else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kstar", type=os.path.abspath)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--folder")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    given = parser.parse_args()
    if given.folder:
        compared(given.kstar, given.folder, given.j, given.targets)
        return
    with tempfile.TemporaryDirectory() as folder:
        configure(folder)
        compared(given.kstar, folder, given.j,
                 given.targets or ["kstar_base", "kstar_draw", "kstar_train"])


main()
