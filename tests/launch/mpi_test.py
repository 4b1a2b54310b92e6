"""kstar measure --launcher mpi with the real mpirun of Open MPI and MPICH."""

import json
import os
import signal
import subprocess
import time
import unittest

from launched import KSTAR, LaunchTest, environment, header, processes_of, records


# needs: mpirun.openmpi, mpirun.mpich
class MpiTest(LaunchTest):
    def start_long(self, mpirun, job, *words):
        """A study whose two ranks run, and would for a minute."""
        begin = time.monotonic()
        process = subprocess.Popen([KSTAR, "measure", "-o", str(self.file), "--launcher", "mpi",
                                    "--launcher-program", mpirun, "--workers", "2",
                                    "--runs", "1", "--max-failures", "1", *words, "--", str(job),
                                    "60"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.path, env=environment())
        self.addCleanup(process.kill)
        while len(processes_of(job)) < 2:
            self.assertLess(time.monotonic() - begin, 30, "the ranks do not start")
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        return process

    def interrupt(self, mpirun, job):
        process = self.start_long(mpirun, job)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130)
        process.communicate()
        self.assertEqual(processes_of(job), [])
        self.assertEqual(records(self.file, "run"), [])


class OpenMpi(MpiTest):
    def test_ranks_shapes_hosts_and_version_are_as_asked_and_recorded(self):
        job = self.build("mpicc.openmpi")
        run = self.measure("--launcher", "mpi", "--launcher-program", "mpirun.openmpi", "--workers",
                           "1,2,4", "--runs", "2", "--check-command",
                           "sh -c 'grep -q \"^ranks {tasks}$\" {output}'", "--", str(job))
        runs = records(self.file, "run")
        self.assertEqual(len(runs), 6)
        for one in runs:
            self.assertEqual(one["exit_status"], 0, one)
            self.assertNotIn("failure", one)
            self.assertEqual([one["nodes"], one["ranks"], one["threads"]], [1, one["workers"], 1])
            self.assertEqual(one["hosts"], [os.uname().nodename])
        facts = header(self.file)["environment"]
        self.assertRegex(facts["versions"]["mpi"], r"^Open MPI \d+\.\d+")
        self.assertIn("K=2: Open MPI", facts["binding"])
        if os.cpu_count() < 4:
            self.assertIn("(oversubscribed)", facts["binding"])
            self.assertIn("oversubscribed: 4 workers", run.stderr)
            self.assertTrue(any("oversubscribed" in note["text"]
                                for note in records(self.file, "note")))

    def measure_gpus(self, *defines):
        """By what prints what nccl-tests prints, a process with a GPU for each rank."""
        job = self.build("mpicc.openmpi", "all_reduce_perf", *defines)
        return subprocess.run(
            [KSTAR, "comm", "measure", "--tool", "nccl-tests", "--launcher-program", "mpirun.openmpi",
             "--workers", "2,4", "--runs", "2", "--no-bind", "--sizes", "1KiB..1GiB", "-o",
             str(self.file)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
            cwd=self.path, env=environment(PATH=f"{job.parent}:{os.environ['PATH']}"))

    def test_nccl_tests_on_ranks_with_a_gpu_each_are_read_and_fitted(self):
        run = self.measure_gpus("-DWITH_MPI")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([(one["workers"], one["ranks"]) for one in
                          sorted(records(self.file, "run"), key=lambda one: one["workers"])],
                         [(2, 2), (2, 2), (4, 4), (4, 4)])
        shown = subprocess.run([KSTAR, "comm", str(self.file), "--format", "json"], env=environment(),
                               capture_output=True, text=True, check=True)
        fits = json.loads(shown.stdout)["fits"]
        self.assertEqual([(fit["tool"], fit["workers"], fit["nodes"]) for fit in fits],
                         [("nccl-tests", 2, 1), ("nccl-tests", 4, 1)])
        for fit in fits:
            self.assertEqual([point["bytes"] for point in fit["points"]],
                             [1024 * 4**i for i in range(11)])
            self.assertAlmostEqual(fit["pieces"][0]["alpha"]["point"] * 1e6, 20, delta=0.5)
            self.assertAlmostEqual(fit["best_bus_bandwidth"] / 50e9, 1, delta=0.01)

    def test_nccl_tests_without_mpi_are_named_as_such(self):
        measured = self.measure_gpus()
        shown = subprocess.run([KSTAR, "comm", str(self.file)], env=environment(),
                               capture_output=True, text=True)
        for run in (measured, shown):
            self.assertNotEqual(run.returncode, 0, run.stdout)
            self.assertIn("build it with MPI=1", " ".join(run.stderr.split()))
            self.assertNotIn("K*", run.stdout)

    def test_threads_and_variables_reach_every_rank(self):
        job = self.build("mpicc.openmpi")
        self.measure("--launcher", "mpi", "--launcher-program", "mpirun.openmpi", "--workers",
                     "1x2x2", "--runs", "1", "--env", "MINE=k{K}", "--check",
                     r"on \S+ with (\d+) threads", "--check-value", "2", "--", "sh", "-c",
                     f'test "$MINE" = k4 && exec {job}')
        (run,) = records(self.file, "run")
        self.assertEqual(run["workers"], 4)
        self.assertNotIn("failure", run)
        self.assertEqual(run["exit_status"], 0)

    def test_an_interrupt_leaves_no_rank_behind(self):
        self.interrupt("mpirun.openmpi", self.build("mpicc.openmpi"))

    def test_a_run_at_its_time_limit_leaves_no_rank_behind(self):
        job = self.build("mpicc.openmpi")
        process = self.start_long("mpirun.openmpi", job, "--timeout", "6s")
        process.communicate(timeout=40)
        self.assertEqual(processes_of(job), [])
        (run,) = records(self.file, "run")
        self.assertTrue(run["timed_out"])

    def test_a_killed_kstar_leaves_no_rank_behind(self):
        job = self.build("mpicc.openmpi")
        process = self.start_long("mpirun.openmpi", job)
        process.kill()
        process.communicate()
        for _ in range(200):
            if not processes_of(job):
                return
            time.sleep(0.05)
        self.fail("ranks are left after 10 s")


class Mpich(MpiTest):
    def test_ranks_shapes_and_version_are_as_asked_and_recorded(self):
        job = self.build("mpicc.mpich")
        self.measure("--launcher", "mpi", "--launcher-program", "mpirun.mpich", "--workers", "1,2",
                     "--runs", "2", "--check-command",
                     "sh -c 'grep -q \"^ranks {tasks}$\" {output}'", "--", str(job))
        for one in records(self.file, "run"):
            self.assertEqual(one["exit_status"], 0, one)
            self.assertNotIn("failure", one)
            self.assertEqual([one["nodes"], one["ranks"], one["threads"]], [1, one["workers"], 1])
        facts = header(self.file)["environment"]
        self.assertRegex(facts["versions"]["mpi"], r"^MPICH \d+\.\d+")
        self.assertIn("K=2: MPICH", facts["binding"])

    def test_an_interrupt_leaves_no_rank_behind(self):
        self.interrupt("mpirun.mpich", self.build("mpicc.mpich"))


if __name__ == "__main__":
    unittest.main()
