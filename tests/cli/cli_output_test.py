"""Where results go: files, formats, and what happens when they cannot be written."""

import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from program import KSTAR, environment, in_terminal, kstar

PREDICT = ["predict", "amdahl", "--serial", "0.05", "--workers", "1..8"]


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def test_the_ending_of_the_name_chooses_the_format(self):
        for ending, start in (("json", "{"), ("csv", "K,T,S,E"), ("md", "## "), ("txt", "Amdahl")):
            file = self.path / f"out.{ending}"
            run = kstar(*PREDICT, "-o", str(file))
            self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
            self.assertTrue(file.read_text().startswith(start), ending)

    def test_format_wins_over_the_ending(self):
        file = self.path / "out.json"
        kstar(*PREDICT, "--format", "csv", "-o", str(file))
        self.assertTrue(file.read_text().startswith("K,T,S,E"))

    def test_what_cannot_be_written_is_an_error_that_names_the_file(self):
        for target in (self.path / "no" / "such" / "folder.csv", self.path):
            run = kstar(*PREDICT, "--format", "csv", "-o", str(target))
            self.assertEqual(run.returncode, 1)
            self.assertIn(str(target), run.stderr)

    def test_a_file_from_a_terminal_has_no_colours_and_a_width_of_its_own(self):
        file = self.path / "out.txt"
        status, _ = in_terminal(*PREDICT, "--plot", "-o", str(file), columns=200)
        self.assertEqual(status, 0)
        text = file.read_text()
        self.assertNotIn("\x1b", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "w") as full:
            run = kstar(*PREDICT, stdout=full)
        self.assertEqual(run.returncode, 1)
        self.assertIn("standard output: No space left on device", run.stderr)

    def test_a_reader_that_leaves_early_is_no_error_message(self):
        shell = subprocess.run(["bash", "-c", f"'{KSTAR}' predict amdahl --serial 0.1 "
                                "--workers 1..90000:1 --format csv | head -1"],
                               capture_output=True, text=True, env=environment())
        self.assertEqual(shell.stdout, "K,T,S,E\n")
        self.assertEqual(shell.stderr, "")

    def test_a_study_in_the_way_is_kept_unless_forced(self):
        file = self.path / "study.jsonl"
        file.write_text("hours of measuring\n")
        words = [*PREDICT, "--simulate", "runs=2,seed=1", "-o", str(file)]
        run = kstar(*words)
        self.assertEqual(run.returncode, 1)
        self.assertIn("there already", run.stderr)
        self.assertEqual(file.read_text(), "hours of measuring\n")
        self.assertEqual(kstar(*words, "--force").returncode, 0)
        self.assertTrue(file.read_text().startswith('{"kstar":"study"'))


class Formats(unittest.TestCase):
    def test_csv_has_full_precision(self):
        rows = list(csv.reader(io.StringIO(kstar(*PREDICT, "--format", "csv").stdout)))
        self.assertEqual(rows[0], ["K", "T", "S", "E"])
        for k, time, speedup, efficiency in rows[1:]:
            exact = 0.05 + 0.95 / int(k)
            self.assertAlmostEqual(float(time), exact, delta=1e-15)
            self.assertAlmostEqual(float(speedup), 1 / exact, delta=1e-13)
            self.assertAlmostEqual(float(efficiency), 1 / exact / int(k), delta=1e-14)

    def test_csv_names_what_varies_and_nothing_else(self):
        text = kstar("predict", "strong", "--serial", "0.1", "--comm", "log2:0.005,0.02",
                     "--with", "weak", "--workers", "4", "--format", "csv").stdout
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual(rows[0], ["law", "comm", "K", "T", "S", "E"])
        self.assertEqual([row[:3] for row in rows[1:]],
                         [["strong", "log2:0.005", "4"], ["strong", "log2:0.02", "4"],
                          ["weak", "log2:0.005", "4"], ["weak", "log2:0.02", "4"]])

    def test_json_gives_the_same_numbers_and_null_for_what_has_no_bound(self):
        both = ["predict", "amdahl", "--serial", "0.1", "--with", "gustafson"]
        curves = json.loads(kstar(*both, "--format", "json").stdout)["curves"]
        self.assertEqual(curves[0]["answers"]["ceiling"], {"speedup": 10.0, "workers": None})
        self.assertIsNone(curves[1]["answers"]["ceiling"]["speedup"])
        self.assertAlmostEqual(curves[0]["points"][-1]["speedup"], 1 / (0.1 + 0.9 / 512))

    def test_markdown_is_a_table_that_a_pull_request_can_show(self):
        text = kstar(*PREDICT, "--format", "md").stdout
        self.assertIn("| K | T(K) | S(K) | E(K) |", text)
        self.assertIn("|---:|---:|---:|---:|", text)

    def test_a_decimal_point_is_a_point_in_every_locale(self):
        for locale in ("de_DE.UTF-8", "fr_FR", "C"):
            run = kstar(*PREDICT, "--format", "csv", LC_ALL=locale, LANG=locale)
            self.assertIn("\n2,0.525,", run.stdout)


if __name__ == "__main__":
    unittest.main()
