"""Running kstar on the test cluster, and reading the studies that it leaves."""

import collections
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from cluster import Cluster, why_not

KSTAR = os.environ.get("KSTAR", "kstar")


class StudyTest(unittest.TestCase):
    """One cluster for the tests of a class, a folder for each."""

    settings = {}  # of its slurm.conf

    @classmethod
    def setUpClass(cls):
        if reason := why_not():
            raise unittest.SkipTest(reason)
        cls.cluster = Cluster(**cls.settings)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.stop)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="kstar study's 100%j ")  # a name that needs quotes
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.cluster.run, "scancel", "-u", "root")

    def start(self, *words, command=("measure", "--submit", "--same-command", "--warm-up-runs", "0")):
        """kstar measure, not waited for; what it says is in a file."""
        log = open(os.path.join(self.folder, "log"), "a")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [KSTAR, *command, "--no-bind", "-o", "study.jsonl", *words],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=self.cluster.environment(LC_ALL="C.UTF-8"))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def measure(self, *words, status=0, **how):
        ended = self.start(*words, **how).wait(timeout=240)
        self.assertEqual(ended, status, self.log())
        return self.study()

    def log(self):
        with open(os.path.join(self.folder, "log")) as log:
            return log.read()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def study(self):
        """Records by kind; the header is alone."""
        records = collections.defaultdict(list)
        with open(self.path("study.jsonl")) as file:
            for line in file.read().splitlines():
                record = json.loads(line)
                records[record.get("record", "header")].append(record)
        return records

    def runs(self, good=True):
        return [r for r in self.study()["run"] if good == (r.get("exit_status") == 0 and "failure" not in r)]

    def wait_until(self, condition, what, seconds=60):
        self.cluster.wait_until(condition, seconds, lambda: f"{what}:\n{self.log()}")

    def wait_for_delay(self):
        """Until the command has read its delay: a job runs a while before its command does."""
        self.wait_until(lambda: os.path.exists(self.path("delayed")), "no command runs")

    def wait_for_running(self):
        self.wait_until(lambda: self.cluster.jobs("-t", "RUNNING"), "no job runs")

    def wait_for_runs(self, count):
        self.wait_until(lambda: os.path.exists(self.path("study.jsonl"))
                        and len(self.study()["run"]) >= count, f"no {count} runs", 120)

    def assert_whole(self, workers, runs):
        """`runs` good runs at each K, each K and block once, each job once."""
        good = self.runs()
        self.assertEqual(collections.Counter(r["workers"] for r in good),
                         {k: runs for k in workers}, self.log())
        blocks = collections.Counter((r["workers"], r["block"]) for r in good)
        self.assertEqual(set(blocks.values()), {1}, blocks)
        jobs = collections.Counter(r["session"] for r in self.study()["run"])
        self.assertEqual(set(jobs.values()), {1}, jobs)
        self.assertEqual(self.cluster.jobs(), [])
