"""kstar measure --launcher torchrun with the real one, and with those that cannot start a job."""

import os
import re
import shutil
import subprocess
import sys
import unittest

from launched import LaunchTest, TrainingTest, environment, header, records


# needs: torchrun
class Torchrun(TrainingTest):
    def setUp(self):
        super().setUp()
        if shutil.which("torchrun") is None:
            self.skipTest("torchrun is not installed (python3-torch)")

    def options_that_help(self):
        """Those that kstar names where torchrun cannot start a job, as Debian 12's: none elsewhere."""
        alone = subprocess.run(["torchrun", "--standalone", "--no_python", "true"],
                               capture_output=True, env=environment(TMPDIR=str(self.path)),
                               timeout=120)
        if alone.returncode == 0:
            return []
        refused = self.measure("--launcher", "torchrun", "--workers", "1", "--", "true", status=1)
        error, hint = refused.stderr.splitlines()
        self.assertRegex(error, r"^kstar: error: --launcher: torchrun of PyTorch \d+\.\d+\S* cannot "
                                r"start a job: it cannot read its defaults .* under Python 3\.\d+")
        self.assertFalse(self.file.exists())
        return ["--launcher-options", re.search("--launcher-options '(.*?)'", hint)[1]]

    def test_ranks_train_together_and_their_marks_are_read(self):
        self.train(["--launcher", "torchrun", *self.options_that_help()], ["train.py"])
        for run in records(self.file, "run"):
            self.assertEqual(run["hosts"], [os.uname().nodename])
        self.assertRegex(header(self.file)["environment"]["versions"]["torch"], r"^\d+\.\d+")


class WithoutPyTorch(LaunchTest):
    def refused(self, *words, **changes):
        error, hint = self.measure("--launcher", "torchrun", "--workers", "1", *words, "--",
                                   "train.py", status=1, **changes).stderr.splitlines()
        self.assertIn("activate the environment with PyTorch", hint)
        self.assertFalse(self.file.exists())
        return error

    def test_no_torchrun_is_said(self):
        self.assertIn("expected torchrun in PATH, or torch in python3, found neither",
                      self.refused(PATH=str(self.path)))

    def test_a_torchrun_whose_python_has_none_is_said(self):
        torchrun, python = self.path / "torchrun", self.path / "python3"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # nothing that was installed
        torchrun.write_text(f"#!{python}\nimport torch.distributed.run\n")
        for file in (torchrun, python):
            file.chmod(0o755)
        self.assertIn(f"{torchrun} cannot import PyTorch: No module named 'torch'",
                      self.refused("--launcher-program", str(torchrun)))


if __name__ == "__main__":
    unittest.main()
