"""kstar audit as a platform engineer uses it: claims, exit codes, formats, wrong words."""

import csv
import io
import json
import pathlib
import tempfile
import unittest

from program import kstar

STUDY = pathlib.Path(__file__).parents[2] / "examples/studies/clean-mpi-strong.jsonl.gz"
DATA = ["--data", "1:100,2:52,4:29,8:19"]

# Words behind kstar audit, and what the error must contain.
WRONG = [
    ([], "expected a FILE, --data or a --claim"),
    (["x.csv", *DATA], "expected a FILE or --data, got both"),
    ([*DATA, "--claim", "fast"], "--claim: expected 'at' and a number of workers, got nothing"),
    ([*DATA, "--claim", "180 at 256"], "180 at 256\n   ^\nhint: as in '180x at 256'"),
    ([*DATA, "--claim", "180x at 2.5"],
     "expected a whole number of workers from 1 to a billion, got '2.5'\n180x at 2.5\n        ^"),
    ([*DATA, "--claim", "90 efficiency at 64"], "expected an efficiency as a share, or in percent with %"),
    ([*DATA, "--k-column", "K"], "--k-column: applies to a file, and cannot be combined with --data"),
    ([*DATA, "--good", "85"], "--good: expected a number above 0, at most 1, got '85'"),
    ([*DATA, "--format", "xml"], "--format: expected one of text, json, csv, md, got 'xml'"),
    (["--rules", "--format", "json"], "--format: expected text or md with --rules, got 'json'"),
]


class AuditTest(unittest.TestCase):
    def test_exit_codes_say_what_was_found(self):
        for words, code in [
            ([*DATA], 0),
            ([*DATA, "--strict"], 3),
            ([*DATA, "--claim", "1000x at 8"], 3),
            (["--data", "1:100,2:50,4:25,8:12.5"], 3),
            ([str(STUDY)], 0),
            ([str(STUDY), "--claim", "300x at 256"], 3),
            ([str(STUDY), "--claim", "180x at 256"], 0),  # T(1) is too noisy to tell
            ([str(STUDY), "--claim", "16x at 16"], 3),
            (["--claim", "180x at 256"], 0),
            (["--claim", "180x at 256", "--strict"], 3),
            (["--rules"], 0),
        ]:
            with self.subTest(words=words):
                run = kstar("audit", *words)
                self.assertEqual(run.returncode, code, run.stderr)

    def test_a_regime_of_the_command_line_is_not_the_files_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "times.csv")
            path.write_text("K,time_s\n1,100\n2,52\n4,29\n")
            run = kstar("audit", str(path), "--regime", "strong", "--format", "json")
            found = {f["rule"]: f["status"] for f in json.loads(run.stdout)["findings"]}
            self.assertEqual(found["regime"], "missing")

    def test_the_name_of_a_file_is_no_evidence(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("after_debugging.csv", "best run.csv", "best of 10.csv", "a_dbg.csv"):
                path = pathlib.Path(folder, name)
                path.write_text("K,time_s\n1,100\n2,52\n4,29\n")
                run = kstar("audit", str(path))
                self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_measurement_that_went_on_later_has_no_gap(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder, "s.jsonl"))
            for words in (["--runs", "1"], ["--runs", "2", "--resume"]):
                run = kstar("measure", "--same-command", "--workers", "1,2", *words, "-o", path, "--", "sleep", "0.01")
                self.assertEqual(run.returncode, 0, run.stderr)
            findings = json.loads(kstar("audit", path, "--format", "json").stdout)["findings"]
            found = {f["rule"]: f["status"] for f in findings}
            self.assertEqual(found["nothing-left-out"], "shown")

    def test_what_an_import_guessed_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "speedups.csv")
            path.write_text("K,speedup\n1,1\n2,1.9\n4,3.6\n")
            notes = json.loads(kstar("audit", str(path), "--format", "json").stdout)["notes"]
            self.assertIn("relative", {note["what"] for note in notes})
            self.assertIn("Notes", kstar("audit", str(path)).stdout)

    def test_the_first_screen_has_forty_lines_and_six_marks(self):
        for words in ([], ["--claim", "6x at 8"], ["--claim", "6x at 8", "--claim", "30x at 64"]):
            for data in (DATA, [str(STUDY)]):
                lines = kstar("audit", *data, *words).stdout.splitlines()
                self.assertLessEqual(len(lines), 40)
                self.assertLessEqual(max(map(len, lines)), 80)
                marks = [line for line in lines
                         if line.endswith(("  shown", "  missing", "  contradicted"))]
                self.assertEqual(len(marks), 6, lines)

    def test_a_claim_is_recomputed(self):
        run = kstar("audit", "--claim", "180x at 256", "--format", "json")
        claim = json.loads(run.stdout)["claims"][0]
        self.assertEqual((claim["idle_workers"], claim["speedup"]), (76, 180))
        self.assertAlmostEqual(claim["efficiency"], 0.703125)

    def test_wrong_words_are_named(self):
        for words, message in WRONG:
            with self.subTest(words=words):
                run = kstar("audit", *words)
                self.assertEqual(run.returncode, 2, run.stdout)
                self.assertIn(message, run.stderr)

    def test_every_format_has_every_rule(self):
        rules = [f["rule"] for f in json.loads(
            kstar("audit", *DATA, "--format", "json").stdout)["findings"]]
        self.assertEqual(len(rules), len(set(rules)))
        rows = list(csv.DictReader(io.StringIO(kstar("audit", *DATA, "--format", "csv").stdout)))
        self.assertEqual([row["rule"] for row in rows], rules)
        for words in (["--full"], ["--full", "--format", "md"]):
            text = kstar("audit", *DATA, *words).stdout
            for rule in rules:
                self.assertIn(rule, text)

    def test_the_same_data_gives_the_same_bytes(self):
        outputs = {kstar("audit", str(STUDY), "--format", "json").stdout for _ in range(2)}
        self.assertEqual(len(outputs), 1)

    def test_hostile_claims_in_a_study_are_refused_or_no_claims(self):
        def audited(*claims):
            lines = ['{"kstar":"study","schema":1}']
            for k, claim in claims:
                lines.append(f'{{"record":"run","workers":{k},"wall":{10 / k},"claim":{claim}}}')
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "s.jsonl")
                path.write_text("\n".join(lines) + "\n")
                return kstar("audit", str(path), "--format", "json")

        for wrong in ('{"speedup":"2"}', "[4]", '{"base":{"workers":0,"seconds":-1}}'):
            run = audited((1, '{"speedup":1}'), (2, wrong))
            self.assertEqual(run.returncode, 1, wrong)
            self.assertIn("s.jsonl:3:", run.stderr)
        run = audited((1, '{"speedup":1}'), (8, '{"speedup":-8}'),
                      (16, '{"speedup":1e308,"efficiency":null}'))
        self.assertIn(run.returncode, (0, 3), run.stderr)
        found = {f["rule"]: f for f in json.loads(run.stdout)["findings"]}
        self.assertEqual(found["claims-follow"]["evidence"][0][:11], "1 of 2 clai")


if __name__ == "__main__":
    unittest.main()
