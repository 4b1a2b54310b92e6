"""The published JSON Schema describes what dag writes: validate_dag.py KSTAR PROJECT.

Graphs of all kinds must be valid, every key of the schema must be described and appear in one of
them, and planted mistakes must be refused, so that this check can fail.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from schema_check import DELETE, described_keys, refuse_constant, written_keys, wrong_taken

try:
    import jsonschema
except ImportError:
    sys.exit("validate_dag.py needs the Python package jsonschema: apt-get install python3-jsonschema")

FILES = {
    "trace.txt": "task_id\tname\tstatus\tsubmit\tduration\trealtime\n"
                 "1\ta\tCOMPLETED\t2020-05-09 12:34:02.229\t3.1s\t2.2s\n"
                 "2\tb\tCOMPLETED\t2020-05-09 12:34:05.229\t2s\t2s\n",
    "build.ninja": "pool one\n  depth = 1\nrule r\n  command = ccache x\n  pool = one\n"
                   "build a: r\nbuild b: r\n",
    ".ninja_log": "# ninja log v5\n0\t4000\t0\ta\t1\n4000\t9000\t0\tb\t1\n"
                  "0\t20\t0\ta\t1\n20\t40\t0\tb\t1\n",
    "measured.csv": "workers,seconds\n1,36\n1,35\n2,19\n2,18\n",
}
CASES = [
    ["{examples}/graham.csv", "--workers", "1,2", "--measured", "{files}/measured.csv"],
    ["{examples}/graham.csv", "--edge-cost", "1"],
    ["{files}/trace.txt"],
    ["{files}/build.ninja"],
    ["--algorithm", "scan", "--n", "1e6"],
]
# (path to a value in the output of the first case, wrong value or DELETE)
PLANTED = [
    (["kstar"], "plan"),
    (["schema"], 2),
    (["time_unit"], "h"),
    (["priority"], "random"),
    (["points"], []),
    (["points", 0, "workers"], 0),
    (["points", 0, "time"], -1),
    (["choice", "low"], None),
    (["critical_path", 0, "task"], 7),
    (["changes", 0, "extra"], 1),
    (["work"], DELETE),
]


def analysed(program, case):
    words = [program, "dag", *case, "--format", "json"]
    run = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(run.stdout, parse_constant=refuse_constant)


def main():
    program, project = sys.argv[1:3]
    errors, written = [], set()
    schema = json.loads(pathlib.Path(project, "schema/dag.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_text(text)
        cases = [[word.format(files=folder, examples=f"{project}/examples/dag") for word in case]
                 for case in CASES]
        for case in cases:
            document = analysed(program, case)
            written |= written_keys(document)
            for problem in validator.iter_errors(document):
                errors.append(f"{case}: {problem.json_path}: {problem.message}")
        described = described_keys(schema, schema, "", errors)
        errors += [f"{key} is described and in no output" for key in sorted(described - written)]
        errors += wrong_taken(validator, analysed(program, cases[0]), PLANTED)
    print(f"{len(CASES)} graphs, {len(described)} keys, {len(PLANTED)} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)


main()
