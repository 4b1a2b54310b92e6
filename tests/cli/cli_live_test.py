"""The page of a study that is being measured."""

import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from program import KSTAR, environment, kstar


class Live(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "live.html"

    def words(self, runs, *flags, job=("sleep", "0.01")):
        return ["measure", "--same-command", "--workers", "1,2", "--runs", str(runs), "-o",
                str(self.folder / "study.jsonl"), "--live", str(self.page), *flags, "--", *job]

    def reloads(self):
        return re.search(r'data-reload="(\d*)"', self.page.read_text())[1] != ""

    def test_the_last_page_is_a_report_that_stays(self):
        done = kstar(*self.words(4))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"wrote {self.page}", done.stderr)
        self.assertFalse(self.reloads())
        self.assertIn("The answer", self.page.read_text())
        back = kstar("import", str(self.page))
        self.assertEqual(back.stdout, (self.folder / "study.jsonl").read_text())

    def test_the_page_grows_and_says_that_it_was_interrupted(self):
        measuring = subprocess.Popen([KSTAR, *self.words(2000)], env=environment(),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            limit = time.monotonic() + 30
            while not self.page.exists() or "runs so far" not in self.page.read_text():
                self.assertLess(time.monotonic(), limit, "no page with runs")
                time.sleep(0.1)
            self.assertTrue(self.reloads())
            self.assertRegex(self.page.read_text(), r"<progress max=\"1\" value=\"0\.\d+\"")
        finally:
            measuring.send_signal(signal.SIGINT)
            self.assertEqual(measuring.wait(30), 130)
        self.assertFalse(self.reloads())
        self.assertRegex(self.page.read_text(), "interrupted; --resume continues; the study has [0-9]+ runs")

    def test_a_page_that_cannot_be_written_is_known_before_anything_runs(self):
        self.page = self.folder / "nowhere" / "live.html"
        done = kstar(*self.words(4, job=("touch", str(self.folder / "ran"))))
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stderr)
        self.assertFalse((self.folder / "ran").exists())

    def test_it_does_not_go_with_one_job_for_all(self):
        done = kstar(*self.words(4, "--submit", "--pack"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--live", done.stderr)


if __name__ == "__main__":
    unittest.main()
