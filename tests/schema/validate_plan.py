"""The published JSON Schema describes what plan writes: validate_plan.py KSTAR PROJECT.

Plans of laws and of studies must be valid, every key of the schema must be described and appear in
one of them, and planted mistakes must be refused, so that this check can fail.
"""
import json
import pathlib
import subprocess
import sys

from schema_check import (DELETE, described_keys, load, refuse_constant, unlike, written_keys,
                          wrong_taken)

try:
    import jsonschema
except ImportError:
    sys.exit("validate_plan.py needs the Python package jsonschema: "
             "apt-get install python3-jsonschema")

DATA = ["--data", "1:100,2:52,4:29,8:19"]
CASES = [
    [*DATA, "--price", "2.50/worker-hour", "--goal", "deadline 20s", "--goal", "budget 0.1"],
    ["amdahl", "--serial", "0.05", "--goal", "deadline 0.01", "--goal", "fastest"],
    ["strong", "--serial", "0.05", "--comm", "linear:0.02", "--baseline-time", "10h", "--price",
     "3", "--interrupted-every", "500h", "--checkpoint", "60s", "--watts", "400:90", "--jobs", "10",
     "--pool", "64", "--per", "epoch=0.1", "--needs-memory", "80GB:2GB", "--memory", "24GB"],
    [*DATA, "--regime", "weak"],
    ["step", "--compute", "240", "--communication", "60", "--work", "90000", "--interrupted-every",
     "500h", "--checkpoint", "60s"],
    ["{}/../studies/straggler-1.jsonl.gz"],  # a measured cause
    ["--data", "1:100,2:51,4:26,8:13.2"],  # a K that was never measured
]

# (path to a value in the output of the first case, wrong value or DELETE)
PLANTED = [
    (["kstar"], "study"),
    (["schema"], 1),
    (["source"], "guess"),
    (["verdict", "state"], "perhaps"),
    (["verdict", "workers"], 8.5),
    (["verdict", "doubts", 0, "values"], [1]),
    (["answers"], []),
    (["answers", 0, "goal"], "soon"),
    (["answers", 0, "probability"], 1.5),
    (["answers", 0, "best", "workers"], 0),
    (["rows", 0, "time"], -1),
    (["rows", 0, "next_doubling", "buys"], "much"),
    (["rows", 0, "extra"], 1),
    (["work"], DELETE),
]


# Schema, and the cases that it describes; {} is the folder of examples.
OTHERS = [
    ("plan-fleet", [["fleet", "{}/jobs.toml", "--workers", "64"],
                    ["fleet", "{}/jobs.toml", "--workers", "2", "--goal", "finish"]]),
    ("plan-check", [["check", "{}/proposal.toml"], ["check", "{}/../studies/serial-1.jsonl.gz"],
                    ["check", "{}/../programs/oversubscribed.jsonl"]]),
    ("plan-machines", [[*DATA, "--machines", "{}/machines.toml", "--needs-memory", "60GB:4GB",
                        "--goal", "deadline 15s"]]),
]


def planned(program, case):
    words = [program, "plan", *case, "--format", "json"]
    run = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(run.stdout, parse_constant=refuse_constant)


def checked(program, schema_file, cases, errors):
    """The number of keys and the validator; every case must be valid, every key be written."""
    schema = load(schema_file)
    validator = jsonschema.Draft202012Validator(schema)
    described, written = described_keys(schema, schema, "", errors), set()
    for case in cases:
        document = planned(program, case)
        written |= written_keys(document)
        for problem in validator.iter_errors(document):
            errors.append(f"{case}: {problem.json_path}: {problem.message}")
    errors += unlike(described, written)
    return len(described), validator


def main():
    program, project = sys.argv[1:3]
    errors, keys = [], 0
    folder = pathlib.Path(project, "schema")
    for name, cases in [*OTHERS, ("plan", CASES)]:
        full = [[word.replace("{}", f"{project}/examples/plan") for word in case] for case in cases]
        described, validator = checked(program, folder / f"{name}.schema.json", full, errors)
        keys += described
    errors += wrong_taken(validator, planned(program, CASES[0]), PLANTED)
    print(f"{len(CASES)} plans, {keys} keys, {len(PLANTED)} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)


main()
