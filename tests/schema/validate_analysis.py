"""The published JSON Schema describes what analyze writes: validate_analysis.py WRITER KSTAR ROOT.

WRITER is the program write_analyses. Its files and what KSTAR analyze writes must be valid, every
key of the schema must be described and appear in one of the files, and planted mistakes must be
refused, so that this check can fail. ROOT is the repository's.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from schema_check import (DELETE, described_keys, load, refuse_constant, unlike, written_keys,
                          wrong_taken)

try:
    import jsonschema
except ImportError:
    sys.exit("validate_analysis.py needs the Python package jsonschema: "
             "apt-get install python3-jsonschema")

STRONG = "--data 1:100,1:101,2:52,2:52.4,4:29,4:29.1,8:19,8:18.8"
CASES = [
    STRONG + " --predict 16,64 --baseline-time 80s --confidence 0.9",
    STRONG + " --model usl",
    "--data 1:10,2:10.5,4:11,8:12 --regime weak --predict 1000000",
    "--data 1:10,2:6,4:4 --regime throughput",
    "--data 1:10,2:4",  # more than twice as fast
    "--data 1:100,2:50,4:25,8:40,16:12",  # one stands apart
    "--data 4:10",
    "--data 2:10,4:5,8:3",  # no K = 1
    "examples/studies/straggler-1.jsonl.gz",
    "examples/programs/lock.jsonl",
    "examples/studies/clean-mpi-weak.jsonl.gz --predict 64",
    "examples/studies/clean-mpi-strong.jsonl.gz --network fuzz/corpus/comm/network.toml "
    "--message 1kB",
    "examples/roofline/memory-02.jsonl.gz --machine examples/roofline/16-cores.toml --bytes 806M "
    "--flops 100M",
]

# (path to a value in full.json, wrong value or DELETE)
PLANTED = [
    (["kstar"], "prediction"),
    (["schema"], 1),
    (["confidence"], 95),
    (["confidence"], DELETE),
    (["threshold"], 0),
    (["regime"], "stronger"),
    (["base_workers"], 0),
    (["base_role"], "program"),
    (["extra"], 1),
    (["baseline", "runs"], 0),
    (["points", 0, "workers"], 1.5),
    (["points", 0, "workers"], DELETE),
    (["points", 0, "time"], 12.5),
    (["points", 0, "time", "low"], DELETE),
    (["points", 0, "time", "standard_error"], -1),
    (["points", 0, "time", "scope"], "many"),
    (["points", 0, "std"], "1%"),
    (["points", 0, "karp_flatt"], 0.05),
    (["points", 0, "verdict"], "good"),
    (["growth", 0, "growth"], "sideways"),
    (["bend", "first_bad"], None),
    (["bend", "agreement"], 93),
    (["bend", "last_good"], 0),
    (["verdict"], None),
    (["verdict", "state"], "perhaps"),
    (["verdict", "reason"], DELETE),
    (["verdict", "workers"], 4.5),
    (["verdict", "probability"], 95),
    (["verdict", "good_again"], "8"),
    (["verdict", "loss", 0, "share"], 0.3),
    (["verdict", "doubts"], "none"),
    (["verdict", "doubts", 0, "values"], [1]),
    (["verdict", "doubts", 0, "questions_verdict"], "no"),
    (["verdict", "next", "code"], "wait"),
    (["network"], DELETE),
    (["suspicions"], DELETE),
    (["goodness", "ends"], "rises"),
    (["goodness", "limit_chance"], 2),
    (["predictions", 0, "far"], DELETE),
    (["other_baseline", "time"], 0),
    (["superlinear", "measurement"], DELETE),
    (["steps", 0, "variation"], -1),
    (["models", 0, "weight"], 71),
    (["models", 0, "terms"], {}),
    (["models", 0, "terms", 0, "cost"], 4.1),
    (["models", 0, "terms", 0, "merged"], "yes"),
    (["models", 0, "terms", 0, "unit"], "ms"),
    (["models", 0, "terms", 0, "share"], 0.3),
    (["own_baseline", "time"], 0),
    (["own_baseline", "bend"], DELETE),
    (["predictions", 0, "workers"], 0),
    (["predictions", 0, "efficiency"], 0.5),
    (["predictions", 0, "time"], None),
    (["hindcast", "held"], 1),
    (["ceiling"], "none"),
    (["next", 0, "worker_seconds"], "much"),
    (["causes", 0, "name"], "Net work"),
    (["causes", 0, "share"], DELETE),
    (["causes", 0, "evidence"], "a sentence"),
    (["causes", 0, "or_else"], ["bad luck"]),
    (["diagnosis", "factors", 0, "parallel"], None),
    (["notes", 0, "severity"], "fatal"),
    (["notes"], DELETE),
]


def analyzed(program, root, case):
    run = subprocess.run([program, "analyze", *case.split(), "--format", "json"], check=True,
                         stdout=subprocess.PIPE, cwd=root)
    return json.loads(run.stdout, parse_constant=refuse_constant)


def several(program, root):
    """What is wrong with the JSON of two studies in one view."""
    schema = load(pathlib.Path(root, "schema/analyses.schema.json"))
    validator = jsonschema.Draft202012Validator(schema)
    both = analyzed(program, root, "examples/studies/clean-mpi-strong.jsonl.gz "
                    "examples/studies/clean-mpi-weak.jsonl.gz")
    errors = [f"two studies: {e.json_path}: {e.message}" for e in validator.iter_errors(both)]
    for mistake in ({**both, "extra": 1}, {**both, "studies": [{"name": "a"}]}):
        if validator.is_valid(mistake):
            errors.append(f"two studies: {mistake.keys()} is taken")
    return errors


def main():
    writer, program, root = sys.argv[1:4]
    schema = load(pathlib.Path(root, "schema/analysis.schema.json"))
    validator = jsonschema.Draft202012Validator(schema)
    errors, documents = [], {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([writer, folder], check=True)
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            documents[path.name] = json.loads(path.read_text(), parse_constant=refuse_constant)
    documents.update((case, analyzed(program, root, case)) for case in CASES)
    written = set().union(*map(written_keys, documents.values()))
    for name, document in documents.items():
        for problem in validator.iter_errors(document):
            errors.append(f"{name}: {problem.json_path}: {problem.message}")
    described = described_keys(schema, schema, "", errors)
    errors += unlike(described, written)
    errors += several(program, root)
    errors += wrong_taken(validator, documents["full.json"], PLANTED)
    print(f"{len(documents)} outputs, {len(described)} keys, {len(PLANTED)} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)


main()
