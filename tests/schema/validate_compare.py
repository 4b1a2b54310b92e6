"""The published JSON Schema describes what compare writes: validate_compare.py KSTAR ROOT.

What KSTAR compare writes must be valid, every key of the schema must be described and appear in one
of the outputs, and planted mistakes must be refused, so that this check can fail.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from schema_check import DELETE, check, refuse_constant

# Files by name: what kstar predict simulates, or their text.
SIMULATED = {
    "before": "amdahl --serial 0.05 --workers 1,2,4,8,16,32 --simulate runs=6,noise=0.01,seed=1",
    "after": "amdahl --serial 0.08 --workers 1,2,4,8,16,32 --simulate runs=6,noise=0.01,seed=2",
    "noisy": "amdahl --serial 0.05 --workers 1,2,4,8 --simulate runs=3,noise=0.1,seed=3",
    "weak": "weak --serial 0.05 --workers 1,2,4,8 --simulate runs=5,noise=0.01,seed=4",
}
TABLES = {"one.csv": "workers,seconds\n4,10\n", "two.csv": "workers,seconds\n4,9\n8,5\n",
          "rates.csv": "workers,images/s\n1,10\n2,19\n4,36\n"}
GATES = ["--fail-if", "T(8) rises 5%", "--fail-if", "bend drops", "--fail-if", "T(2) rises 1%"]
CASES = [
    ["before", "after", *GATES],
    ["before", "before"],
    ["before", "noisy", "--confidence", "0.9", "--smallest", "2%"],
    ["before", "weak", "--anyway"],
    ["one.csv", "two.csv"],
    ["one.csv", "before", "--regime", "strong", "--anyway"],
    ["before", "rates.csv", "--anyway"],
]
# Studies whose causes are measured: what is only guessed has no share, and is not compared.
MEASURED = ["{root}/examples/studies/straggler-1.jsonl.gz",
            "{root}/examples/studies/straggler-2.jsonl.gz", "--anyway"]
PLANTED_CAUSES = [(["causes", "list", 0, "name"], "Net work")]

# (path to a value of the first case, wrong value or DELETE)
PLANTED = [
    (["kstar"], "analysis"),
    (["schema"], 1),
    (["confidence"], 95),
    (["smallest"], 0),
    (["threshold"], DELETE),
    (["regime"], "stronger"),
    (["base_workers"], 0),
    (["passed"], "yes"),
    (["extra"], 1),
    (["gates", 0, "verdict"], "broken"),
    (["gates", 0, "evidence"], DELETE),
    (["points"], []),
    (["points", 0, "workers"], 1.5),
    (["points", 0, "time"], 1.1),
    (["points", 0, "time", "ratio"], None),
    (["points", 0, "time", "p"], 2),
    (["points", 0, "time", "adjusted_p"], DELETE),
    (["points", 0, "verdict"], "same"),
    (["points", 0, "more_runs"], 0),
    (["points", 0, "efficiency"], 0.5),
    (["bend", "clear"], None),
    (["bend", "before", "first_bad"], None),
    (["verdict", "before"], None),
    (["verdict", "before", "state"], "perhaps"),
    (["verdict", "after", "workers"], "8"),
    (["verdict", "clear"], DELETE),
    (["models", "parts", 0, "before"], 1),
    (["models", "weight_before"], 86),
    (["causes", "workers_before"], 0),
    (["notes", 0, "severity"], "fatal"),
]


def make_files(program, folder):
    for name, words in SIMULATED.items():
        subprocess.run([program, "predict", *words.split(), "-o", name], check=True, cwd=folder,
                       stderr=subprocess.DEVNULL)
    for name, text in TABLES.items():
        pathlib.Path(folder, name).write_text(text)


def compared(program, folder, case):
    run = subprocess.run([program, "compare", *case, "--format", "json"], stdout=subprocess.PIPE,
                         cwd=folder)
    if run.returncode not in (0, 3):
        sys.exit(f"kstar compare {' '.join(case)} returned {run.returncode}")
    return json.loads(run.stdout, parse_constant=refuse_constant)


def main():
    program, root = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        make_files(program, folder)
        measured = [word.format(root=root) for word in MEASURED]
        cases = [*CASES, measured]
        documents = {" ".join(case): compared(program, folder, case) for case in cases}
    check(pathlib.Path(root, "schema/compare.schema.json"), documents, " ".join(measured),
          PLANTED_CAUSES)
    check(pathlib.Path(root, "schema/compare.schema.json"), documents, " ".join(CASES[0]), PLANTED)


main()
