"""The published JSON Schema describes what audit writes: validate_audit.py KSTAR ROOT.

What KSTAR audit writes must be valid, every key of the schema must be described and appear in one
of the outputs, and planted mistakes must be refused, so that this check can fail.
"""
import json
import pathlib
import subprocess
import sys

from schema_check import DELETE, check, refuse_constant

STUDY = "examples/studies/clean-mpi-strong.jsonl.gz"
FULL = [STUDY, "--claim", "15x at 16", "--claim", "0.9 efficiency at 64"]
CASES = [
    FULL,
    ["--claim", "180x at 256"],
    ["--claim", "1x at 1"],
    ["--data", "1:100,2:50,4:25,8:12.5"],
    ["--data", "4:10,8:6", "--claim", "3x at 8"],
    ["--data", "4:10"],
    ["--data", "1:180,2:51,4:26,64:3.2", "--claim", "0.9 efficiency at 64",
     "--claim", "90% weak efficiency at 4", "--claim", "5x throughput from 2 to 8"],
    ["examples/studies/straggler-3.jsonl.gz"],
    ["tests/data/audit/speedups.csv", "--claim", "7x at 8"],
]

# (path to a value of the first output, wrong value or DELETE)
PLANTED = [
    (["kstar"], "analysis"),
    (["schema"], 2),
    (["counts", "missing"], -1),
    (["counts", "shown"], DELETE),
    (["good_workers", "efficiency"], 85),
    (["good_workers", "last_good"], 1.5),
    (["claims", 0, "workers"], 0),
    (["claims", 0, "base_workers"], 0),
    (["claims", 0, "regime"], "both"),
    (["claims", 0, "verdict"], "missing"),
    (["claims", 0, "reason"], DELETE),
    (["claims", 0, "question"], DELETE),
    (["claims", 0, "rule"], 3),
    (["claims", 0, "chance"], 1.5),
    (["weightiest"], 3),
    (["claims", 0, "measured"], 1),
    (["claims", 0, "data_speedup"], 11.4),
    (["claims", 0, "evidence"], "a sentence"),
    (["findings", 0, "rule"], "Exact Baseline"),
    (["findings", 0, "group"], "list"),
    (["findings", 0, "status"], "passed"),
    (["findings", 0, "evidence"], "a sentence"),
    (["findings", 0, "question"], DELETE),
    (["extra"], 1),
]


def audited(program, root, words):
    run = subprocess.run([program, "audit", *words, "--format", "json"], stdout=subprocess.PIPE,
                         cwd=root)
    if run.returncode not in (0, 3):
        sys.exit(f"audit {words}: exit code {run.returncode}")
    return json.loads(run.stdout, parse_constant=refuse_constant)


def main():
    program, root = sys.argv[1:3]
    documents = {" ".join(words): audited(program, root, words) for words in CASES}
    check(pathlib.Path(root, "schema/audit.schema.json"), documents, " ".join(FULL), PLANTED)


main()
