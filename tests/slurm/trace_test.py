"""An array of jobs reads a folder of traces in parts; their merge is what one run gives."""

import os
import pathlib
import subprocess
import sys
import unittest

from cluster import Cluster, why_not

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from built_trace import write_job  # noqa: E402

KSTAR = os.environ["KSTAR"]
PARTS = 3


@unittest.skipIf(why_not(), why_not())
class TraceTest(unittest.TestCase):
    def test_an_array_of_parts_merges_to_the_bytes_of_one_run(self):
        with Cluster() as cluster:
            folder = pathlib.Path(cluster.folder)
            write_job(folder / "traces", [100, 120, 90, 110, 105], 20, clocks=[0, 5, -5, 3, 1])
            command = (f"{KSTAR} trace {folder}/traces --part $SLURM_ARRAY_TASK_ID/{PARTS} "
                       f"-o {folder}/part$SLURM_ARRAY_TASK_ID.kst")
            cluster.words("sbatch", "--wait", f"--array=1-{PARTS}", "-o", "/dev/null", "--wrap", command)
            parts = sorted(map(str, folder.glob("part*.kst")))
            self.assertEqual(len(parts), PARTS)
            merged = subprocess.run([KSTAR, "merge", *parts, "--full"], capture_output=True, check=True)
            whole = subprocess.run([KSTAR, "trace", f"{folder}/traces", "--full"], capture_output=True,
                                   check=True)
            self.assertEqual(merged.stdout, whole.stdout)


if __name__ == "__main__":
    unittest.main()
