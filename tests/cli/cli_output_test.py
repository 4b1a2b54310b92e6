"""Where results go: files, formats, and what happens when they cannot be written."""

import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from program import InFolder, KSTAR, environment, in_terminal, kstar

PREDICT = ["predict", "amdahl", "--serial", "0.05", "--workers", "1..8"]


class Flags(unittest.TestCase):
    def test_take_their_values_in_every_way_that_people_write_them(self):
        expected = kstar(*PREDICT, "--format", "csv", "--output", "-")
        self.assertEqual(expected.returncode, 0, expected.stderr)
        for words in (["--format=csv", "-o", "-"], ["-o-", "--format", "csv"],
                      ["--format=", "csv", "--output=-"], ["--ascii", "--format=csv", "--ascii"]):
            self.assertEqual(kstar(*PREDICT, *words).stdout, expected.stdout, words)

    def test_take_the_next_word_whatever_it_looks_like_but_no_dashes(self):
        self.assertIn("--serial: expected", kstar("predict", "amdahl", "--serial", "--brief").stderr)
        for words in (["--serial"], ["--serial", "--", "0.05"]):
            run = kstar("predict", "amdahl", *words)
            self.assertEqual(run.returncode, 2)
            self.assertIn("--serial: expected a value", run.stderr)

    def test_letters_stand_together(self):
        self.assertEqual(kstar("predict", "amdahl", "-ho", "x").stdout,
                         kstar("predict", "amdahl", "--help").stdout)
        self.assertIn("got '-x'", kstar("predict", "amdahl", "-hx").stderr)


class Pages(InFolder):
    def test_predict_and_plan_write_them_and_others_say_that_they_do_not(self):
        for words in (PREDICT, ["plan", "--data", "1:100,2:52,4:29,8:19"],
                      ["plan", "amdahl", "--serial", "0.05"]):
            run = kstar(*words, "-o", "page.html", cwd=self.path)
            self.assertEqual(run.returncode, 0, run.stderr)
            page = (self.path / "page.html").read_text()
            self.assertIn('<p class="answer">Run on', page)
            self.assertIn("default-src 'none'", page)
            self.assertEqual(kstar(*words, "--format", "html").stdout, page)
        run = kstar("analyze", "--data", "1:100,2:52", "-o", "page.html", cwd=self.path)
        self.assertEqual(run.returncode, 2)
        self.assertIn(".txt, .json, .csv or .md", run.stderr)

    def test_a_page_of_a_law_is_no_study(self):
        kstar(*PREDICT, "-o", "page.html", cwd=self.path)
        run = kstar("import", "page.html", cwd=self.path)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("page.html", run.stderr)


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
        self.assertIn("the file exists", run.stderr)
        self.assertEqual(file.read_text(), "hours of measuring\n")
        self.assertEqual(kstar(*words, "--force").returncode, 0)
        self.assertTrue(file.read_text().startswith('{"kstar":"study"'))


TIMES = "threads,seconds\n1,10.1\n1,10\n2,5.2\n2,5.3\n4,2.9\n4,2.8\n"

# Every command that reads a file and has -o: the words before and behind the input.
READERS = {
    "analyze": (["analyze"], ["--format", "json"]),
    "audit": (["audit"], ["--format", "csv"]),
    "compare": (["compare"], ["{other}", "--format", "md"]),
    "compare, the second": (["compare", "{other}"], ["--format", "md"]),
    "report": (["report"], ["--format", "html"]),
    "figure": (["figure"], []),
    "import": (["import"], []),
    "import, forced": (["import"], ["--force"]),
    "merge": (["merge"], ["{other}"]),
    "merge, forced": (["merge"], ["{other}", "--force"]),
}


class Inputs(InFolder):
    """What is read is never replaced, and a study by nothing but a study."""

    def write(self, name, text):
        return pathlib.Path(super().write(name, text))

    def study(self, name, seed):
        file = self.path / name
        done = kstar(*PREDICT, "--simulate", f"runs=3,seed={seed}", "-o", str(file))
        self.assertEqual(done.returncode, 0, done.stderr)
        return file

    def refused(self, output, *words):
        run = kstar(*words, cwd=self.path)
        self.assertEqual(run.returncode, 2, (words, run.stderr))
        self.assertIn(f"'{output}'", run.stderr)
        self.assertIn("expected a different file than", run.stderr)
        self.assertEqual(run.stdout, "")

    def test_no_command_replaces_what_it_reads_by_whatever_name(self):
        other = self.study("other.jsonl", 1)
        file = self.study("input.svg", 2)  # figure takes no other ending
        before = file.read_text()
        (self.path / "link.svg").symlink_to("input.svg")
        os.link(file, self.path / "hard.svg")
        for name, (first, rest) in READERS.items():
            fill = lambda words: [word.format(other=other) for word in words]
            for output in (str(file), "input.svg", "./input.svg", "link.svg", "hard.svg"):
                with self.subTest(command=name, output=output):
                    self.refused(output, *fill(first), str(file), *fill(rest), "-o", output)
                    self.assertEqual(file.read_text(), before)

    def test_a_table_is_kept_as_well_as_a_study(self):
        file = self.write("ok.csv", TIMES)
        other = self.write("b.csv", TIMES)
        for words in (["audit", "ok.csv"], ["compare", "ok.csv", "b.csv"],
                      ["compare", "b.csv", "ok.csv"], ["import", "ok.csv", "--force"]):
            self.refused("ok.csv", *words, "-o", "ok.csv")
        self.assertEqual((file.read_text(), other.read_text()), (TIMES, TIMES))

    def test_standard_input_is_kept_where_it_is_a_file(self):
        file = self.write("ok.csv", TIMES)
        with file.open() as stream:
            run = subprocess.run([KSTAR, "analyze", "-", "-o", str(file)], stdin=stream,
                                 capture_output=True, text=True, env=environment())
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(file.read_text(), TIMES)

    def test_an_older_result_is_replaced_and_a_study_is_not(self):
        file = self.write("ok.csv", TIMES)
        result = self.write("result.csv", "an older result\n")
        self.assertEqual(kstar("analyze", str(file), "-o", str(result)).returncode, 0)
        self.assertNotIn("older", result.read_text())
        study = self.study("study.json", 1)
        before = study.read_text()
        for words in (["analyze", str(file)], ["audit", str(file)], PREDICT):
            run = kstar(*words, "-o", str(study))
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("this file is a study", run.stderr)
            self.assertEqual(study.read_text(), before)

    def test_a_page_of_measure_is_neither_its_study_nor_its_spec_nor_another_study(self):
        job = ["--", "touch", str(self.path / "ran")]
        spec = self.write("study.toml", '[job]\ncommand = ["true"]\noutput = "a.jsonl"\n')
        old = self.study("old.jsonl", 1)
        measure = ["measure", "--same-command", "--workers", "1,2", "--runs", "2"]
        self.refused("a.jsonl", *measure, "-o", "a.jsonl", "--live", "a.jsonl", *job)
        self.refused("./a.jsonl", *measure, "-o", "a.jsonl", "--live", "./a.jsonl", *job)
        self.refused("a.jsonl", *measure, "--spec", "study.toml", "--live", "a.jsonl", *job)
        self.refused("study.toml", *measure, "--spec", "study.toml", "-o", "b.jsonl",
                     "--live", "study.toml", *job)
        self.refused("study.toml", *measure, "--spec", "study.toml", "-o", "study.toml",
                     "--force", *job)
        before = old.read_text()
        run = kstar(*measure, "-o", "a.jsonl", "--live", str(old), *job, cwd=self.path)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("this file is a study", run.stderr)
        self.assertEqual(old.read_text(), before)
        self.assertTrue(spec.read_text().startswith("[job]"))
        self.assertFalse((self.path / "ran").exists())
        self.assertFalse((self.path / "a.jsonl").exists())


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
