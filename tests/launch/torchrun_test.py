"""kstar measure --launcher torchrun with the real PyTorch, where there is one."""

import os
import subprocess
import unittest

from launched import HERE, LaunchTest, header, records

PYTHON = "/usr/bin/python3"

# Debian 12's PyTorch 1.13 cannot read its own default, --redirects 0, under Python 3.11 (it looks
# for 0 among the members of a flag, which has none there since). It can read what rank 0 is to do,
# and leaves the others alone: rank 0's lines then begin with its name.
TEE = "--redirects 0:1 --tee 0:1"


# needs: torchrun
class Torchrun(LaunchTest):
    def setUp(self):
        super().setUp()
        asked = subprocess.run([PYTHON, "-c", "import torch.distributed.run"], capture_output=True,
                               text=True, timeout=120)
        if asked.returncode != 0:
            self.skipTest("PyTorch is not installed (python3-torch): "
                          + asked.stderr.strip().splitlines()[-1])

    def test_ranks_reduce_and_their_marks_are_read(self):
        self.measure("--launcher", "torchrun", "--workers", "1,2", "--runs", "1", "--time", "marks",
                     "--warm-up-steps", "1", "--launcher-options", TEE, "--check-command",
                     "sh -c 'test $(grep -c \"sum {ranks}$\" {output}) = {ranks}'", "--",
                     str(HERE / "torch_job.py"), str(HERE.parent.parent / "python"))
        runs = sorted(records(self.file, "run"), key=lambda run: run["workers"])
        self.assertEqual([run["workers"] for run in runs], [1, 2])
        for run in runs:
            self.assertNotIn("failure", run, run.get("output"))
            self.assertEqual(run["exit_status"], 0, run)
            self.assertEqual(len(run["steps"]), 5)
            self.assertEqual(len(run["per_worker"]["communicate"]), run["workers"])
            self.assertEqual([run["nodes"], run["ranks"], run["threads"]], [1, run["workers"], 1])
            self.assertEqual(run["hosts"], [os.uname().nodename])
        self.assertRegex(header(self.file)["environment"]["versions"]["torch"], r"^\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
