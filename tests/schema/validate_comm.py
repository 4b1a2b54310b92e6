"""The published JSON Schema describes what comm writes: validate_comm.py KSTAR PROJECT.

Outputs must be valid, every key of the schema must be described and appear in one of them, and
planted mistakes must be refused, so that this check can fail.
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
    sys.exit("validate_comm.py needs the Python package jsonschema: "
             "apt-get install python3-jsonschema")

# Pairs of which one is slow, and a table of nccl-tests with its average.
LATENCY = "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"
TABLE = """# nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 2(factor)
#  Rank  0 Group  0 Pid 25 on a device  0 [0x53] H100
#  Rank  1 Group  0 Pid 26 on b device  1 [0x53] H100
#       size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong
     1048576 262144 float sum -1 100.0 10.49 10.49 0 90.0 11.65 11.65 0
     2097152 524288 float sum -1 500.0 4.19 4.19 0 190.0 11.04 11.04 0
     4194304 1048576 float sum -1 300.0 13.98 13.98 0 390.0 11.04 11.04 0
# Avg bus bandwidth    : 16.5
"""

PLANTED = [
    (["kstar"], "study"),
    (["schema"], 2),
    (["fits"], []),
    (["fits", 0, "collective"], "gossip"),
    (["fits", 0, "pieces", 0, "alpha", "point"], -1),
    (["fits", 0, "points", 0, "seconds"], 0),
    (["prediction", "rows", 0, "basis"], "hope"),
    (["prediction", "rows", 0, "extra"], 1),
    (["link"], DELETE),
]


def pairs():
    text = ""
    for pair in range(6):
        text += f"pair n1 n{pair}\n" + LATENCY
        for power in range(0, 12):
            time = (3 if pair == 4 else 1) * (10 + 2 ** power / 100)
            text += f"{2 ** power} {time:.2f}\n"
    return text


def on_nodes(nodes):
    """Two workers on each node: 10 us inside, 20 us more for each further one."""
    workers = 2 * nodes
    text = "# nThread 1 nGpus 1\n"
    for rank in range(workers):
        text += f"#  Rank  {rank} Group  0 Pid 25 on n{rank // 2} device  {rank % 2} [0x53] H100\n"
    text += "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
    for power in range(10, 26):
        size = 2 ** power
        time = 10 + 20 * (nodes - 1) + size / 1e4
        bandwidth = size / time / 1e3
        half = f"{time:.2f} {bandwidth:.2f} {2 * (workers - 1) / workers * bandwidth:.2f} 0"
        text += f"{size} {size // 4} float sum -1 {half} {half}\n"
    return text


def main():
    program, project = sys.argv[1:3]
    study = f"{project}/examples/comm/links.jsonl"
    schema = json.loads(pathlib.Path(project, "schema", "comm.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    errors, written, documents = [], set(), []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("pairs.txt", pairs()), ("table.txt", TABLE)):
            pathlib.Path(folder, name).write_text(text)
        for nodes in (1, 2, 4, 8):
            pathlib.Path(folder, f"nodes{nodes}.txt").write_text(on_nodes(nodes))
        several = [f"{folder}/nodes{nodes}.txt" for nodes in (1, 2, 4, 8)]
        cases = [[study, "--gradient", "1e6:fp32", "--compute", "2s", "--link", "100Mb/s"],
                 [study, "--bytes", "64KiB"], [f"{folder}/pairs.txt"], [f"{folder}/table.txt"],
                 several]
        for case in cases:
            run = subprocess.run([program, "comm", *case, "--format", "json"], check=True,
                                 stdout=subprocess.PIPE)
            document = json.loads(run.stdout, parse_constant=refuse_constant)
            documents.append(document)
            written |= written_keys(document)
            for problem in validator.iter_errors(document):
                errors.append(f"{case}: {problem.json_path}: {problem.message}")
    described = described_keys(schema, schema, "", errors)
    errors += [f"{key} is described and in no output" for key in sorted(described - written)]
    errors += wrong_taken(validator, documents[0], PLANTED)
    print(f"{len(documents)} outputs, {len(described)} keys, {len(PLANTED)} planted mistakes")
    sys.exit("\n".join(errors) if errors else 0)


main()
