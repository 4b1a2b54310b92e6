"""kstar measure --submit on a real Slurm."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

from studies import KSTAR, StudyTest

SLURM = ("--launcher", "slurm")
DELAYED = ("sh", "-c", "seconds=$(cat delay); touch delayed; sleep $seconds")


class SubmitTest(StudyTest):
    def test_every_run_is_a_job_as_large_as_its_k(self):
        study = self.measure(*SLURM, "--workers", "1x1x1,1x2x1,4x2x1", "--runs", "3", "--",
                             "sh", "-c", "echo $SLURM_JOB_NUM_NODES; sleep 0.1")
        self.assert_whole([1, 2, 8], 3)
        for run in study["run"]:
            self.assertEqual(len(run["hosts"]), run["nodes"], run)
            self.assertEqual(run["nodes"] * run["ranks"] * run["threads"], run["workers"])
            self.assertRegex(run["session"], r"^slurm job \d+$")
        header = study["header"][0]
        self.assertTrue({h["name"] for h in header["environment"]["hosts"]} <= {"n1", "n2", "n3", "n4"})
        self.assertFalse(os.path.exists(self.path("study.jsonl.jobs")), "its files are not needed any more")

    def test_the_command_and_its_steps_come_through_as_they_are(self):
        odd = "it's $HOME `id` \"q\" #SBATCH * \\"
        self.measure(*SLURM, "--workers", "1,2", "--runs", "2", "--time-regex", r"took ([0-9.]+)$",
                     "--env", f"ODD={odd}", "--", "sh", "-c",
                     'test "$1" = "$ODD" && test "$1" = "$2" && echo took 0.01', "sh", odd, odd)
        self.assert_whole([1, 2], 2)
        self.assertEqual({tuple(r["steps"]) for r in self.runs() if r["workers"] == 1}, {(0.01,)})

    def test_nccl_tests_on_steps_with_a_gpu_each_are_read_and_fitted(self):
        source = pathlib.Path(__file__).resolve().parents[1] / "launch" / "all_reduce_perf.c"
        # needs: cc
        if shutil.which("cc") is None:
            self.skipTest("there is no C compiler")
        subprocess.run(["cc", "-std=gnu11", "-DWITH_SLURM", source, "-o", self.path("all_reduce_perf")],
                       check=True)
        words = ("--tool", "nccl-tests", *SLURM, "--workers", "2x1x1,4x1x1,4x2x1", "--runs", "2",
                 "--sizes", "1KiB..1GiB", "--probe", self.path("all_reduce_perf"))
        self.measure(*words, command=("comm", "measure", "--submit"))
        self.assert_whole([2, 4, 8], 2)
        shown = subprocess.run([KSTAR, "comm", self.path("study.jsonl"), "--format", "json"],
                               capture_output=True, text=True, check=True)
        fits = json.loads(shown.stdout)["fits"]
        self.assertEqual([(fit["tool"], fit["workers"], fit["nodes"]) for fit in fits],
                         [("nccl-tests", 2, 2), ("nccl-tests", 4, 4), ("nccl-tests", 8, 4)])
        for fit in fits:
            self.assertEqual(len(fit["points"]), 11)
            self.assertAlmostEqual(fit["pieces"][0]["alpha"]["point"] * 1e6, 20, delta=0.5)
            self.assertAlmostEqual(fit["best_bus_bandwidth"] / 50e9, 1, delta=0.01)

    def test_a_wrong_answer_is_seen_across_jobs(self):
        self.measure("--workers", "1,2", "--runs", "2", "--check", r"sum (\d+)", "--",
                     "sh", "-c", "echo sum $((6 + {K} / 2))", status=1)
        wrong = self.runs(good=False)
        self.assertTrue(wrong)
        self.assertEqual(len({r["workers"] for r in wrong}), 1)
        self.assertIn("wrong answer", wrong[0]["failure"])

    def test_a_baseline_is_a_job_of_one_worker(self):
        study = self.measure(*SLURM, "--workers", "2", "--runs", "2", "--baseline", "sleep 0.1", "--",
                             "sleep", "0.2")
        base = [r for r in study["run"] if r.get("role") == "baseline"]
        self.assertEqual([(r["workers"], len(r["hosts"])) for r in base], [(1, 1)] * 2)
        self.assertTrue(all(0.1 <= r["wall"] < 5 for r in base), base)

    def test_a_job_that_fails_is_a_failed_run_with_its_output(self):
        self.measure(*SLURM, "--workers", "1,2", "--runs", "2", "--max-failures", "2", "--",
                     "sh", "-c", "test $SLURM_NTASKS = 1 && exit 0; echo no licence >&2; exit 3", status=1)
        bad = self.runs(good=False)
        self.assertEqual([(r["workers"], r["exit_status"]) for r in bad], [(2, 3)] * 2)
        self.assertIn("no licence", bad[0]["output"])
        self.assertEqual(len(self.runs()), 2)

    def test_a_job_that_somebody_cancels_is_a_failed_run_with_its_state(self):
        self.write("delay", "60")
        process = self.start("--workers", "1", "--runs", "1", "--", *DELAYED)
        self.wait_for_delay()
        self.write("delay", "0.1")
        self.cluster.words("scancel", *self.cluster.jobs())
        self.assertEqual(process.wait(timeout=60), 0, self.log())
        self.assert_whole([1], 1)
        self.assertIn("CANCELLED", self.runs(good=False)[0]["failure"])

    def test_a_node_that_goes_away_costs_a_try_and_no_run(self):
        self.write("delay", "60")
        process = self.start(*SLURM, "--workers", "2x1x1", "--runs", "1", "--max-failures", "1",
                             "--", *DELAYED)
        self.wait_for_delay()
        node = self.cluster.words("squeue", "-h", "-o", "%B").split()[0]
        self.write("delay", "0.1")
        self.cluster.kill_node(node)
        self.addCleanup(self.cluster.resume, node)
        self.addCleanup(self.cluster.start_node, node)
        self.assertEqual(process.wait(timeout=90), 0, self.log())
        self.assert_whole([2], 1)
        lost = self.runs(good=False)
        self.assertEqual(len(lost), 1)
        self.assertIn("the cluster lost the job: NODE_FAIL", lost[0]["failure"])
        self.assertIn(node, lost[0]["hosts"])
        self.assertEqual(lost[0]["block"], self.runs()[0]["block"])

    def test_an_interrupt_cancels_every_job_and_the_study_goes_on_later(self):
        self.write("delay", "60")
        words = ("--workers", "1,2", "--runs", "3", "--", "sh", "-c", "sleep $(cat delay)")
        process = self.start(*words)
        self.wait_until(lambda: len(self.cluster.jobs("-t", "RUNNING")) == 2, "no two jobs run")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130, self.log())
        self.assertEqual(self.cluster.jobs(), [])
        self.assertEqual(self.study()["run"], [])
        self.write("delay", "0.1")
        self.measure("--resume", *words)
        self.assert_whole([1, 2], 3)
        self.assertEqual(self.runs(good=False), [])

    def test_a_killed_kstar_goes_on_with_the_jobs_that_it_left(self):
        words = ("--workers", "1,2", "--runs", "4", "--", "sleep", "1.5")
        for runs in (1, 4):
            process = self.start(*(["--resume"] if runs > 1 else []), *words)
            self.wait_for_runs(runs)
            self.wait_for_running()
            process.kill()
            process.wait()
        left = set(self.cluster.jobs())
        self.assertTrue(left)
        self.measure("--resume", *words)
        self.assert_whole([1, 2], 4)
        self.assertEqual(len(self.study()["run"]), 8)
        self.assertTrue(left <= {r["session"].split()[-1] for r in self.runs()}, "its job was run again")

    def test_a_k_that_can_never_run_is_refused_before_anything_runs(self):
        process = self.start(*SLURM, "--workers", "1x1x1,5x1x1", "--runs", "1", "--", "true")
        self.assertEqual(process.wait(timeout=60), 1)
        self.assertIn("error: K = 5: Slurm rejected its job", self.log())
        self.assertEqual(self.cluster.jobs(), [])

    def test_an_unknown_partition_is_refused_before_anything_runs(self):
        process = self.start("--workers", "1", "--runs", "1", "--submit-options", "-p none", "--", "true")
        self.assertEqual(process.wait(timeout=60), 1)
        self.assertIn("invalid partition specified: none", self.log())

    def test_force_drops_the_jobs_of_the_study_that_it_replaces(self):
        process = self.start("--workers", "1", "--runs", "1", "--", "sleep", "60")
        self.wait_for_running()
        process.kill()
        process.wait()
        old = self.cluster.jobs()
        self.measure("--force", "--workers", "1", "--runs", "1", "--", "sleep", "0.1")
        self.assert_whole([1], 1)
        self.assertNotIn(self.runs()[0]["session"].split()[-1], old)

    def test_inside_of_a_job_there_is_nothing_to_submit(self):
        shown = self.cluster.run("srun", "-n1", "env", "-C", self.folder, KSTAR, "measure", "--submit",
                                 "--workers", "1", "--runs", "1", "-o", "x.jsonl", "--", "true")
        self.assertIn("--submit: this is inside Slurm job", shown.stdout)


class PackTest(StudyTest):
    def test_one_job_measures_the_whole_study(self):
        study = self.measure("--pack", *SLURM, "--workers", "1x1x1,4x2x1", "--runs", "3", "--",
                             "sleep", "0.1")
        self.assertEqual(len(self.runs()), 6)
        self.assertEqual(len({r["session"] for r in study["run"]}), 1)
        self.assertEqual({tuple(r["hosts"]) for r in study["run"] if r["workers"] == 8},
                         {("n1", "n2", "n3", "n4")})
        self.assertEqual(len([n for n in study["note"] if n["what"] == "slurm-job"]), 1)
        self.assertTrue(study["header"][0]["environment"]["hosts"])

    def test_an_interrupt_keeps_what_was_measured_and_another_job_goes_on(self):
        words = ("--pack", *SLURM, "--workers", "1,2", "--runs", "4", "--", "sleep", "0.5")
        process = self.start(*words)
        self.wait_for_runs(2)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 130, self.log())
        self.assertEqual(self.cluster.jobs(), [])
        before = self.study()["run"]
        self.assertIn(len(before), range(2, 8))
        self.measure("--resume", *words)
        self.assertEqual(len(self.runs()), 8)
        self.assertEqual(self.study()["run"][:len(before)], before)

    def test_a_killed_kstar_finds_its_job_again(self):
        words = ("--pack", "--workers", "1,2", "--runs", "4", "--", "sleep", "0.5")
        process = self.start(*words)
        self.wait_for_runs(1)
        process.kill()
        process.wait()
        study = self.measure("--resume", *words)
        self.assertEqual(len(self.runs()), 8)
        self.assertEqual(len([n for n in study["note"] if n["what"] == "slurm-job"]), 1)
