"""scripts/demo: the answer of a shipped study first, then this machine, then the page."""

import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["KSTAR_BUILD"])


def demo(*words):
    return subprocess.run([ROOT / "scripts/demo", *words], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, timeout=120)


class Demo(unittest.TestCase):
    def test_it_answers_measures_and_writes_the_page(self):
        if not (BUILD / "kstar-train").exists():
            self.skipTest("kstar-train is not built")
        run = demo("--bin", str(BUILD), "--budget", "2s", "--anyway")
        self.assertEqual(run.returncode, 0, run.stderr)
        places = [run.stdout.find(text) for text in (
            "Run on 8 workers", "speedup S(K)", "$ kstar measure", "$ kstar report", "file://")]
        self.assertNotIn(-1, places, run.stdout)
        self.assertEqual(places, sorted(places), run.stdout)
        self.assertNotIn("borderline", run.stdout[:places[2]])
        page = run.stdout[places[-1]:].split()[0].removeprefix("file://")
        self.assertIn("</html>", pathlib.Path(page).read_text())

    def test_it_names_what_it_does_not_know(self):
        run = demo("--fast", "yes")
        self.assertEqual(run.returncode, 2)
        self.assertIn("got --fast", run.stderr)


if __name__ == "__main__":
    unittest.main()
