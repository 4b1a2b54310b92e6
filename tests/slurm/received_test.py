"""A study that somebody else wrote says nothing to Slurm and removes nothing outside of its folder."""

import json
import os
import signal
import time

from studies import StudyTest

WORDS = ("--workers", "1", "--runs", "2", "--", "sleep", "0.1")


class ReceivedTest(StudyTest):
    def forge(self, *notes):
        """The study of WORDS with these jobs in it, none of which is over."""
        self.measure(*WORDS)
        with open(self.path("study.jsonl")) as file:
            lines = [json.loads(line) for line in file]
        kept = [line for line in lines if line.get("record") not in ("note", "run")]
        for job, part in notes:
            note = {"record": "note", "severity": "info", "what": "slurm-job", "where": "K = 1, block 0"}
            kept.append({**note, "values": {"job": job, "part": part}})
            kept.append({**note, "text": f"job {job}: {part}"})  # as 0.1.0 wrote it
        self.write("study.jsonl", "".join(json.dumps(line) + "\n" for line in kept))
        os.makedirs(self.path("study.jsonl.jobs"), exist_ok=True)

    def foreign_job(self):
        return self.cluster.words("sbatch", "--parsable", "-J", "somebody", "-o", "/dev/null", "--wrap", "sleep 300").strip()

    def study_text(self):
        with open(self.path("study.jsonl")) as file:
            return file.read()

    def test_a_part_that_leads_out_of_the_folder_removes_nothing(self):
        self.forge(("5", "../victim"), ("6", "../victim"))
        self.write("victim.toml", "mine")
        self.measure("--resume", *WORDS)
        self.assertTrue(os.path.exists(self.path("victim.toml")), "removed by --resume")
        self.measure("--force", *WORDS)
        self.assertTrue(os.path.exists(self.path("victim.toml")), "removed by --force")

    def test_force_removes_nothing_outside_either(self):
        self.measure(*WORDS)
        with open(self.path("study.jsonl"), "a") as file:
            file.write(json.dumps({"record": "note", "severity": "info", "what": "slurm-job",
                                   "values": {"job": "5", "part": "../victim"}}) + "\n")
        os.makedirs(self.path("study.jsonl.jobs"), exist_ok=True)
        self.write("victim.toml", "mine")
        self.measure("--force", *WORDS)
        self.assertTrue(os.path.exists(self.path("victim.toml")))

    def test_an_id_that_is_an_option_reaches_no_command(self):
        self.forge(("--user=root", "b0-k1-t0"), ("1,2", "b0-k1-t1"))
        other = self.foreign_job()
        self.measure("--resume", *WORDS)
        self.assertEqual(len(self.runs()), 2)
        self.assertIn(other, self.cluster.jobs())

    def test_an_interrupt_cancels_no_job_of_another_name(self):
        other = self.foreign_job()
        self.forge((other, "b0-k1-t0"))
        process = self.start("--resume", "--workers", "1", "--runs", "2", "--", "sleep", "0.1")
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        self.assertIn(other, self.cluster.jobs())

    def test_a_study_that_is_finished_can_be_extended(self):
        self.measure(*WORDS)
        self.assertFalse(os.path.exists(self.path("study.jsonl.jobs")))
        self.measure("--resume", "--workers", "1", "--runs", "4", "--", "sleep", "0.1")
        self.assert_whole([1], 4)

    def test_jobs_that_are_cancelled_before_a_run_leave_the_old_study(self):
        self.measure(*WORDS)
        old = self.study_text()
        process = self.start("--force", "--workers", "1", "--runs", "2", "--", "sleep", "60")
        limit = time.monotonic() + 60
        while not os.path.exists(self.path("study.jsonl.old")) or not self.cluster.jobs():
            self.assertLess(time.monotonic(), limit, self.log())
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=120), 130, self.log())
        self.assertIn("is as it was", self.log())
        self.assertEqual(self.study_text(), old)
        self.measure("--force", *WORDS)
        self.assertEqual(len(self.runs()), 2)
        self.assertFalse(os.path.exists(self.path("study.jsonl.old")))

    def test_a_pack_that_measures_nothing_leaves_the_old_study(self):
        self.measure(*WORDS)
        old = self.study_text()
        # On one node there is no room for it: the job is refused.
        self.start("--pack", "--force", "--submit-options", "-w n1 -N 3", *WORDS).wait(timeout=240)
        self.assertEqual(self.study_text(), old)
        process = self.start("--pack", "--force", "--workers", "1", "--runs", "2", "--", "sleep", "60")
        limit = time.monotonic() + 60
        while not os.path.exists(self.path("study.jsonl.old")) or not self.cluster.jobs():
            self.assertLess(time.monotonic(), limit, self.log())
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=120), 130, self.log())
        self.assertEqual(self.study_text(), old)
        self.measure("--pack", "--force", *WORDS)
        self.assertEqual(len(self.runs()), 2)
        self.assertFalse(os.path.exists(self.path("study.jsonl.old")))

    def test_jobs_of_which_no_run_counts_leave_the_old_study(self):
        self.measure(*WORDS)
        old = self.study_text()
        for number, flags in ((1, ()), (2, ("--pack",))):
            self.measure(*flags, "--force", "--workers", "1", "--runs", "2", "--max-failures", "1",
                         "--", "false", status=1)
            failed = self.path(f"study.jsonl.failed-{number}")
            self.assertIn(f"is as it was; the new runs are in {failed}", self.log())
            self.assertTrue(os.path.exists(failed), flags)
            self.assertEqual(self.study_text(), old, flags)
            self.assertFalse(os.path.exists(self.path("study.jsonl.old")))

    def test_a_k_that_was_given_up_in_a_pack_is_exit_code_1(self):
        self.measure("--pack", "--workers", "1,2", "--runs", "2", "--max-failures", "1", "--",
                     "sh", "-c", "test {K} = 1", status=1)
        self.assertEqual(len(self.runs()), 2)


if __name__ == "__main__":
    import unittest
    unittest.main()
