"""The published JSON Schemas describe what roofline writes: validate_roofline.py KSTAR PROJECT.

Rooflines of a file and of a program, and machines, must be valid, every key of the schemas must be
described and appear in one of them, and planted mistakes must be refused, so that this can fail.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from schema_check import DELETE, described_keys, refuse_constant, written_keys, wrong_taken

try:
    import jsonschema
except ImportError:
    sys.exit("validate_roofline.py needs the Python package jsonschema: "
             "apt-get install python3-jsonschema")

PLANTED = {
    "roofline": [(["kstar"], "study"), (["schema"], 2), (["kernels", 0, "bound"], "luck"),
                 (["kernels", 0, "seconds"], -1), (["kernels", 0, "extra"], 1),
                 (["kernels", 0, "levels", 0, "level"], "l9"), (["ridges"], DELETE)],
    "machine": [(["kind"], "tpu"), (["ceilings", 0, "samples"], [0]), (["ceilings", 0, "threads"], -1),
                (["ceilings", 0, "level"], "disk"), (["notes"], DELETE)],
}


def written(program, words):
    run = subprocess.run([program, "roofline", *words], check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    return json.loads(run.stdout, parse_constant=refuse_constant)


# What AVX2 reaches on one of the 16 cores, and half of AVX-512.
NARROW = """Region dgemm, Group 1: MEM_DP
| Metric | Core 0 |
| Runtime (RDTSC) [s] | 2 |
| DP [MFLOP/s] | 30000 |
| Memory bandwidth [MBytes/s] | 100 |
"""


def main():
    program, project = sys.argv[1:3]
    narrow = pathlib.Path(tempfile.mkdtemp(), "likwid.txt")
    narrow.write_text(NARROW)
    json_format = ["--format", "json"]
    cpu = f"{project}/examples/roofline/16-cores.toml"
    cases = {
        "roofline": [[f"{project}/tests/data/roofline/ncu_details.csv", "--machine",
                      f"{project}/examples/roofline/h200.toml", *json_format],
                     ["--machine", cpu, "--flops", "1G", "--bytes", "2G", "--runs", "2", *json_format,
                      "--", "true"],
                     [str(narrow), "--machine", cpu, *json_format]],
        "machine": [[cpu, *json_format], [f"{project}/examples/roofline/h200.toml", *json_format]],
    }
    errors, keys = [], 0
    for name, wanted in cases.items():
        schema = json.loads(pathlib.Path(project, "schema", f"{name}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        described, found = described_keys(schema, schema, "", errors), set()
        documents = [written(program, words) for words in wanted]
        for words, document in zip(wanted, documents):
            found |= written_keys(document)
            for problem in validator.iter_errors(document):
                errors.append(f"{words}: {problem.json_path}: {problem.message}")
        errors += [f"{key} is described and in no output" for key in sorted(described - found)]
        errors += wrong_taken(validator, documents[0], PLANTED[name])
        keys += len(described)
    shutil.rmtree(narrow.parent)
    print(f"{keys} keys, {sum(map(len, PLANTED.values()))} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)


main()
