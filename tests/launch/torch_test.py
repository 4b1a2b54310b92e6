"""PyTorch's ranks without torchrun, and traces of them."""

import importlib.util
import json
import shutil
import socket
import subprocess
import sys
import unittest

from launched import HERE, KSTAR, TrainingTest, environment, records

LAUNCHERS = HERE.parent.parent / "docs" / "launchers.toml"


def meeting_place():
    """Where the ranks of a job find each other."""
    with socket.create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    return ["--env", "MASTER_ADDR=localhost", "--env", f"MASTER_PORT={port}"]


# needs: mpirun.openmpi
class Torch(TrainingTest):
    def setUp(self):
        super().setUp()
        if importlib.util.find_spec("torch") is None:
            self.skipTest("PyTorch is not installed (python3-torch)")

    def test_a_launcher_of_the_documents_gives_ranks_their_numbers(self):
        self.train(["--launchers", str(LAUNCHERS), "--launcher", "pytorch", *meeting_place()],
                   [sys.executable, "train.py"])

    def test_mpirun_gives_ranks_their_numbers(self):
        if shutil.which("mpirun.openmpi") is None:
            self.skipTest("mpirun.openmpi is not installed")
        self.train(["--launcher", "mpi", "--launcher-program", "mpirun.openmpi", *meeting_place()],
                   ["sh", "-c", "RANK=$OMPI_COMM_WORLD_RANK WORLD_SIZE=$OMPI_COMM_WORLD_SIZE "
                    'exec "$@"', "sh", sys.executable, "train.py"])

    def test_traces_of_two_ranks_have_their_steps_and_collectives(self):
        traces = self.path / "traces"
        traces.mkdir()
        self.measure("--launchers", str(LAUNCHERS), "--launcher", "pytorch", *meeting_place(),
                     "--workers", "2", "--runs", "1", "--", sys.executable,
                     str(HERE / "profiled_job.py"), str(traces))
        (run,) = records(self.file, "run")
        self.assertEqual(run["exit_status"], 0, run.get("output"))
        shown = subprocess.run([KSTAR, "trace", str(traces), "--format", "json"], text=True,
                               capture_output=True, env=environment(), check=True)
        (job,) = json.loads(shown.stdout)["jobs"]
        self.assertEqual([rank["rank"] for rank in job["ranks"]], [0, 1])
        self.assertEqual((job["workers"], job["device"]), (2, False))
        self.assertEqual((job["steps_found_by"], len(job["steps"])), ("profiler", 4))
        self.assertEqual(job["collectives"], 4)
        self.assertEqual({(one["collective"], one["library"]) for one in job["operations"]},
                         {("all-reduce", "gloo, MPI or UCC")})
        for rank in job["ranks"]:
            self.assertGreater(rank["communication"], 0)
            self.assertGreater(rank["compute"], 0)
            self.assertLessEqual(rank["communication"], rank["step"])


if __name__ == "__main__":
    unittest.main()
