"""The published JSON Schema describes what predict writes: validate_prediction.py KSTAR SCHEMA_FOLDER.

Outputs of every law must be valid, every key of the schema must be described and appear in one of
them, and planted mistakes must be refused, so that this check can fail.
"""
import json
import pathlib
import subprocess
import sys

from schema_check import DELETE, described_keys, refuse_constant, written_keys, wrong_taken

try:
    import jsonschema
except ImportError:
    sys.exit("validate_prediction.py needs the Python package jsonschema: "
             "apt-get install python3-jsonschema")

CASES = [
    "amdahl --serial 0.05",
    "amdahl --serial 0",  # no ceiling, no bend, no change helps
    "amdahl --serial 1",
    "amdahl --serial 0.6",  # twice that is out of range
    "amdahl --serial 0.01,0.05,0.2 --with gustafson --workers 1..100000",
    "gustafson --serial 0.2",
    "strong --serial 0.01,0.05,0.1 --comm log2:0.005,0.02",
    "strong --serial 0.05 --comm log2:0.01 --with weak --threshold 0.5 --floor 0.9 --share 1",
    "strong --serial 0.1 --comm linear:0.02+constant:0.003 --hide 0.5 --straggler 0.01:0.5 "
    "--imbalance 0.1 --workers 1..16:1",
    "strong --serial 1 --comm log2:1e15 --workers 1,1000000000",
    "weak --serial 0.05 --comm ring:0.1",
    "weak --serial 0.05 --comm linear:0.1",  # the time grows without bound
    "weak --serial 0.05 --comm log2:0.005",  # usable beyond 2^53 workers
    "weak --serial 0 --comm log2:0 --workers 1",
    "usl --contention 0.03 --coherency 0.0005 --rate 20",
    "usl --contention 0 --coherency 0",
    "usl --contention 1 --coherency 1",
    "step --compute 240 --communication 60",
    "step --compute 240 --communication 60 --at 8 --growth ring --hide 0.5 --compress 4 "
    "--sync-every 10",
    "step --compute 240 --communication 0",  # nothing that does not shrink
    "step --compute 1e-9 --communication 1e15 --at 8 --growth linear",
]

# (path to a value in the output of the first case, wrong value or DELETE)
PLANTED = [
    (["kstar"], "study"),
    (["schema"], 2),
    (["threshold"], 0),
    (["share"], 1.5),
    (["floor"], DELETE),
    (["extra"], 1),
    (["curves"], []),
    (["curves", 0, "law"], "moore"),
    (["curves", 0, "law"], "step"),  # a step without its profile
    (["curves", 0, "step"], {}),
    (["curves", 0, "regime"], "mixed"),
    (["curves", 0, "parameters", "serial"], "0.05"),
    (["curves", 0, "parameters", "speed"], 1),
    (["curves", 0, "base_workers"], 0),
    (["curves", 0, "time_unit"], "s"),
    (["curves", 0, "points"], []),
    (["curves", 0, "points", 0, "workers"], 1.5),
    (["curves", 0, "points", 0, "workers"], 0),
    (["curves", 0, "points", 0, "time"], None),
    (["curves", 0, "points", 0, "time"], -1),
    (["curves", 0, "points", 0, "efficiency"], "100%"),
    (["curves", 0, "points", 0, "rate"], None),
    (["curves", 0, "points", 0, "parts", "serial"], DELETE),
    (["curves", 0, "points", 0, "parts", "waiting"], 0),
    (["curves", 0, "answers", "limit", "time"], "none"),
    (["curves", 0, "answers", "ceiling", "speedup"], "unbounded"),
    (["curves", 0, "answers", "ceiling", "extra"], 1),
    (["curves", 0, "answers", "first_below_threshold", "exact"], 9.5),
    (["curves", 0, "answers", "first_below_threshold", "listed"], DELETE),
    (["curves", 0, "answers", "least_time", "met_by_sweep"], 1),
    (["curves", 0, "changes", "measure"], "luck"),
    (["curves", 0, "changes", "best"], "double the work"),
    (["curves", 0, "changes", "list", 0, "last_good"], "every"),
    (["curves", 0, "sensitivity", "parameter"], None),
    (["curves", 0, "sensitivity", "elasticity"], DELETE),
    (["curves", 0, "assumptions"], []),
]


def predicted(program, case):
    words = [program, "predict", *case.split(), "--format", "json"]
    run = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(run.stdout, parse_constant=refuse_constant)


def main():
    program, schema_folder = sys.argv[1:3]
    schema = json.loads(pathlib.Path(schema_folder, "prediction.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    errors, written = [], set()
    described = described_keys(schema, schema, "", errors)
    for case in CASES:
        document = predicted(program, case)
        written |= written_keys(document)
        for problem in validator.iter_errors(document):
            errors.append(f"{case}: {problem.json_path}: {problem.message}")
    errors += [f"{key} is described and in no output" for key in sorted(described - written)]
    errors += wrong_taken(validator, predicted(program, CASES[0]), PLANTED)
    print(f"{len(CASES)} outputs, {len(described)} keys, {len(PLANTED)} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)


main()
