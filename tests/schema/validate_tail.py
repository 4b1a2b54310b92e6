"""The published JSON Schema describes what tail writes: validate_tail.py KSTAR PROJECT.

Answers about one file, levels of load and shards must be valid, every key of the schema must be
described and appear in one of them, and planted mistakes must be refused, so that this check can
fail.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from schema_check import described_keys, refuse_constant, written_keys, wrong_taken

import jsonschema

LEVELS = [f"{{}}/load-{load}.csv.gz" for load in (200, 400, 600, 800)]
WRK = """Running 30s test @ http://127.0.0.1/
  1 threads and {0} connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    {1}ms   0.10ms  9.00ms   90.00%
  Latency Distribution
     50%   {1}ms
     99%   {2}ms
  30000 requests in 30.00s, 1.00MB read
Requests/sec:   {3}
"""

# (path to a value in the output of the first case, wrong value)
PLANTED = [
    (["kstar"], "study"),
    (["schema"], 2),
    (["files_are"], "many"),
    (["levels"], []),
    (["levels", 0, "percentiles", 0, "percentile"], 100),
    (["levels", 0, "percentiles", 0, "interval"], "guess"),
    (["levels", 0, "percentiles", 0, "doubt"], "few"),
    (["levels", 0, "omission", "verdict"], "maybe"),
    (["levels", 0, "extra"], 1),
]


def answered(program, case):
    run = subprocess.run([program, "tail", *case, "--format", "json"], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(run.stdout, parse_constant=refuse_constant)


def main():
    program, project = sys.argv[1:3]
    schema = json.loads(pathlib.Path(project, "schema", "tail.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    with tempfile.TemporaryDirectory() as folder:
        wrk = []
        for n in (1, 2, 4, 8, 16):
            rate = 1000 * n / (1 + 0.05 * (n - 1) + 0.001 * n * (n - 1))
            wrk.append(f"{folder}/{n}.txt")
            pathlib.Path(wrk[-1]).write_text(
                WRK.format(n, f"{n / rate * 1e3:.3f}", f"{2 * n / rate * 1e3:.3f}", f"{rate:.1f}"))
        shards = []
        for shard in range(2):
            shards.append(f"{folder}/shard{shard}.txt")
            rows = "".join(f"{(i * (7 + shard)) % 97 + 1}ms\n" for i in range(1000))
            pathlib.Path(shards[-1]).write_text(rows)
        vllm = f"{folder}/vllm.json"
        pathlib.Path(vllm).write_text(json.dumps(
            {"mean_ttft_ms": 20, "median_ttft_ms": 20, "p99_ttft_ms": 29.8, "request_rate": 2,
             "output_throughput": 100, "ttfts": [0.01, 0.02, 0.03], "completed": 3, "duration": 2}))
        cases = [["{}/load-400.csv.gz", "--fan-out", "100", "--slo", "p99 < 15ms"],
                 [*LEVELS, "--slo", "p99 < 15ms"], wrk, [*shards, "--files", "shards"],
                 ["{}/stall.csv.gz"], [vllm]]
        cases = [[word.replace("{}", f"{project}/examples/tail") for word in case] for case in cases]
        errors, written = [], set()
        described = described_keys(schema, schema, "", errors)
        for case in cases:
            document = answered(program, case)
            written |= written_keys(document)
            for problem in validator.iter_errors(document):
                errors.append(f"{case}: {problem.json_path}: {problem.message}")
        errors += [f"{key} is described and in no output" for key in sorted(described - written)]
        errors += wrong_taken(validator, answered(program, cases[0]), PLANTED)
    print(f"{len(cases)} answers, {len(described)} keys, {len(PLANTED)} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)


main()
