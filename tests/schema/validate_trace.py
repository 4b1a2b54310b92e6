"""The published JSON Schema describes what trace writes: validate_trace.py KSTAR PROJECT.

Analyses of traces must be valid, every key of the schema must be described and appear in one of
them, and planted mistakes must be refused, so that this check can fail.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from schema_check import DELETE, check, refuse_constant

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from built_trace import kernel, rank_events, trace_text  # noqa: E402

# (path to a value in the first output, wrong value or DELETE)
PLANTED = [
    (["kstar"], "plan"),
    (["jobs"], []),
    (["jobs", 0, "workers"], 0),
    (["jobs", 0, "steps_found_by"], "luck"),
    (["jobs", 0, "ranks", 0, "compute"], -1),
    (["jobs", 0, "ranks", 0, "extra"], 1),
    (["jobs", 0, "critical_path", "pieces", 0, "kind"], "magic"),
    (["jobs", 0, "s"], DELETE),
]


def main():
    program, project = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        one = pathlib.Path(folder, "one.json")
        one.write_text(trace_text([*rank_events(78, 22, steps=1), kernel("zeta", 0, 10, 9, 99)], 0, 256))
        rates = pathlib.Path(folder, "rates.csv")
        rates.write_text("gpus,samples/s\n8,100\n256,300\n")
        documents = {}
        for case in ([f"{project}/examples/traces"], [str(one), "--rates", str(rates)]):
            words = [program, "trace", *case, "--format", "json"]
            run = subprocess.run(words, check=True, stdout=subprocess.PIPE)
            documents[case[0]] = json.loads(run.stdout, parse_constant=refuse_constant)
    check(pathlib.Path(project, "schema", "trace.schema.json"), documents,
          f"{project}/examples/traces", PLANTED)


main()
