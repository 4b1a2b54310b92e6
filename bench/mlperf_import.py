#!/usr/bin/env python3
"""How long kstar takes for a repository of MLPerf results, and how much memory.

  mlperf_import.py KSTAR RAW [LOGS]

RAW is a folder of result logs (SUBMITTER/results/SYSTEM/BENCHMARK/result_0.txt); its logs are
linked under new system names until there are LOGS of them (default: 20,000). Prints seconds,
peak memory and what was imported. The bar: 20,000 logs in 20 s on two cores, below 200 MiB.
"""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time


def spread(raw, folder, wanted):
    """Links the logs of `raw` into `folder`, system by system, until there are enough."""
    systems = [path for path in raw.glob("*/*/results/*") if path.is_dir()]
    made, copy = 0, 0
    while made < wanted:
        for system in systems:
            submitter, round_ = system.parents[1], system.parents[2]
            name = f"{system.name}_copy{copy}"
            into = folder / f"{round_.name}.{copy % 7}" / submitter.name
            (into / "systems").mkdir(parents=True, exist_ok=True)
            shutil.copy(submitter / "systems" / f"{system.name}.json", into / "systems" / f"{name}.json")
            for benchmark in system.iterdir():
                target = into / "results" / name / benchmark.name
                target.mkdir(parents=True)
                for log in benchmark.glob("result_*.txt"):
                    os.symlink(log, target / log.name)
                    made += 1
        copy += 1
    return made


def main():
    program, raw = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = spread(raw, folder / "repository", wanted)
        size = sum(file.stat().st_size for file in (folder / "repository").rglob("result_*.txt"))
        begin = time.monotonic()
        subprocess.run([program, "import", str(folder / "repository"), "-o", f"{folder}/studies/"],
                       check=True)
        seconds = time.monotonic() - begin
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        runs = 0
        for study in (folder / "studies").glob("*.jsonl"):
            records = [json.loads(line) for line in study.read_text().splitlines()]
            runs += sum(record.get("record") == "run" for record in records)
        print(f"{made} logs, {size / 2**30:.2f} GiB: {seconds:.2f} s, {memory:.0f} MiB, {runs} runs")
        sys.exit(0 if runs == made and seconds < 20 and memory < 200 else 1)


if __name__ == "__main__":
    main()
