"""The published JSON Schemas describe what kstar writes: validate.py WRITER SCHEMA_FOLDER.

WRITER is the program write_studies. Every line of its files must be valid, every key it knows must
be described, and planted mistakes must be refused, so that this check can fail.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from schema_check import DELETE, set_path

try:
    import jsonschema
except ImportError:
    sys.exit("validate.py needs the Python package jsonschema: apt-get install python3-jsonschema")

KINDS = ("header", "run", "note")

# (record, path to the value, wrong value or DELETE)
PLANTED = [
    ("header", ["kstar"], "trace"),
    ("header", ["schema"], 2),
    ("header", ["schema"], DELETE),
    ("header", ["regime"], "stronger"),
    ("header", ["command"], "./train"),
    ("header", ["workload", 0, "workers"], 0),
    ("header", ["baseline", "kind"], "slow"),
    ("header", ["protocol", "seed"], -1),
    ("header", ["environment", "hosts", 0, "cores"], "many"),
    ("header", ["environment", "variables", "OMP_NUM_THREADS"], 1),
    ("run", ["workers"], 0),
    ("run", ["workers"], DELETE),
    ("run", ["wall"], -1),
    ("run", ["wall"], "1.5"),
    ("run", ["steps", 1], -0.5),
    ("run", ["warm_up"], 1),
    ("run", ["role"], "other"),
    ("run", ["per_worker", "compute", 0], "x"),
    ("run", ["inside", "span", 0], -1),
    ("run", ["inside", "by_call", 0, "seconds"], DELETE),
    ("run", ["inside", "windows", "useful", 0], 1.5),
    ("run", ["inside"], True),
    ("note", ["severity"], "fatal"),
    ("note", ["severity"], DELETE),
    ("note", ["text"], 5),
    ("note", ["values"], "x"),
    ("header", ["time"], "hours"),
    ("header", ["source", "kind"], "dreamt"),
    ("header", ["changes", 0, "values"], "fp16"),
    ("run", ["claim", "base", "seconds"], 0),
    ("run", ["pop", "load_balance"], "0.9"),
    ("run", ["lost"], "yes"),
]


def kind_of(record):
    return "header" if "kstar" in record else record["record"]


def described_keys(schema, prefix, errors):
    """Every key of the schema as record/key/key; a key without a description is an error."""
    keys = set()
    for key, value in schema.get("properties", {}).items():
        path = f"{prefix}/{key}"
        keys.add(path)
        if not value.get("description"):
            errors.append(f"{path} has no description")
        keys |= described_keys(value, path, errors)
        keys |= described_keys(value.get("items", {}), path, errors)
    return keys


def check_files(folder, validators, errors):
    examples, lines = {}, 0
    for path in sorted(pathlib.Path(folder).glob("*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            record = json.loads(line)
            kind = kind_of(record)
            if kind not in validators:
                continue  # a kind of record from the future
            lines += 1
            examples.setdefault(kind, record)
            for problem in validators[kind].iter_errors(record):
                errors.append(f"{path.name}:{number}: {problem.json_path}: {problem.message}")
    return examples, lines


def main():
    writer, schema_folder = sys.argv[1:3]
    errors, validators, described = [], {}, set()
    for kind in KINDS:
        schema = json.loads(pathlib.Path(schema_folder, f"study-{kind}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[kind] = jsonschema.Draft202012Validator(schema)
        described |= described_keys(schema, kind, errors)
    with tempfile.TemporaryDirectory() as folder:
        known = set(subprocess.run([writer, folder], check=True, text=True,
                                   stdout=subprocess.PIPE).stdout.split())
        examples, lines = check_files(folder, validators, errors)
    errors += [f"{key} is written and not described" for key in sorted(known - described)]
    errors += [f"{key} is described and not written" for key in sorted(described - known)]
    for kind in KINDS:
        if kind not in examples:
            errors.append(f"no {kind} was written")
    for kind, path, value in PLANTED:
        if validators[kind].is_valid(set_path(examples[kind], path, value)):
            errors.append(f"a wrong {kind} was taken: {path} = {value!r}")
    print(f"{lines} lines, {len(known)} keys, {len(PLANTED)} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)


main()
