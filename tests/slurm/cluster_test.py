"""The test cluster itself: what the tests of kstar stand on."""

import os
import signal
import subprocess
import sys
import time
import unittest

from cluster import NODES, Cluster, why_not


def processes_naming(text):
    """Ids of the processes with this text in their command line."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as cmdline:
                if text.encode() in cmdline.read():
                    found.append(int(name))
        except (OSError, ValueError):
            continue
    return [each for each in found if each != os.getpid()]


@unittest.skipIf(why_not(), why_not())
class ClusterTest(unittest.TestCase):
    def test_runs_a_step_on_every_node(self):
        with Cluster() as cluster:
            shown = cluster.words("srun", "-N4", "-n4", "sh", "-c", "echo $SLURMD_NODENAME")
        self.assertEqual(sorted(shown.split()), list(NODES))

    def test_keeps_its_jobs_when_the_controller_restarts(self):
        with Cluster() as cluster:
            job = cluster.words("sbatch", "--parsable", "-o", "/dev/null", "--wrap", "sleep 60").strip()
            cluster.restart_controller()
            self.assertEqual(cluster.jobs(), [job])

    def test_a_node_that_loses_its_power_takes_its_job_along(self):
        with Cluster() as cluster:
            job = cluster.words("sbatch", "--parsable", "--no-requeue", "-w", "n2", "-o", "/dev/null",
                                "--wrap", "sleep 60").strip()
            cluster.wait_until(lambda: cluster.jobs("-t", "RUNNING"), 10, lambda: "it does not run")
            cluster.kill_node("n2")
            cluster.wait_until(lambda: not cluster.jobs(), 20, lambda: cluster.words("squeue"))
            self.assertIn("JobState=NODE_FAIL", cluster.words("scontrol", "show", "job", job))

    def test_nothing_outlives_a_test_that_is_killed(self):
        program = ("import cluster, time\n"
                   "c = cluster.Cluster(); c.start(); print(c.folder, flush=True)\n"
                   "c.words('sbatch', '-o', '/dev/null', '--wrap', 'sleep 60')\n"
                   "print('submitted', flush=True); time.sleep(60)\n")
        test = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        folder = test.stdout.readline().strip()
        test.stdout.readline()
        self.assertTrue(processes_naming(folder))
        test.send_signal(signal.SIGKILL)
        test.wait()
        test.stdout.close()
        Cluster.wait_until(lambda: not processes_naming(folder) and not os.path.exists(folder), 20,
                           lambda: f"left: {processes_naming(folder)}")
