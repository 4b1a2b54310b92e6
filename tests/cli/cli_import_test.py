"""Files of others, through the program."""

import json
import unittest

from program import InFolder, kstar

class Import(InFolder):
    def imported(self, *words):
        """The header, the runs, the notes, and what was said."""
        done = kstar("import", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        runs = [line for line in lines if line.get("record") == "run"]
        notes = [line for line in lines if line.get("record") == "note"]
        return lines[0], runs, notes, done.stderr

    def refused(self, *words, code=1):
        done = kstar("import", *words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr


class Flags(Import):
    def test_a_broken_pattern_is_wrong_usage(self):
        file = self.write("8.log", "took 3 s\n")
        for flag in ("--time-regex", "--rate-regex", "--k-regex"):
            with self.subTest(flag):
                self.assertIn(flag, self.refused(file, flag, "([", code=2))
        self.assertIn("one group", self.refused(file, "--time-regex", "took", code=2))

    def test_times_and_rates_do_not_go_together(self):
        file = self.write("t.csv", "K,a,b\n1,10,0.1\n")
        self.assertIn("--time-column", self.refused(
            file, "--time-column", "a", "--rate-column", "b", code=2))
        self.assertIn("--time-regex", self.refused(
            file, "--time-regex", "(a)", "--rate-regex", "(b)", code=2))


class Tables(Import):
    def test_the_format_is_sniffed_and_said(self):
        file = self.write("t.csv", "K,time_s\n1,10\n2,6\n")
        _, runs, notes, said = self.imported(file)
        self.assertEqual([(run["workers"], run["wall"]) for run in runs], [(1, 10), (2, 6)])
        self.assertIn(f"note: {file}: read as csv", said)
        self.assertIn("imported", [note["what"] for note in notes])

    def test_a_study_that_is_there_is_not_replaced(self):
        file = self.write("t.csv", "K,time_s\n1,10\n2,6\n")
        out = str(self.path / "s.jsonl")
        self.assertEqual(kstar("import", file, "-o", out).returncode, 0)
        self.assertIn("--force", self.refused(file, "-o", out))
        self.assertEqual(kstar("import", file, "-o", out, "--force").returncode, 0)

    def test_columns_can_be_named(self):
        file = self.write("t.csv", "a,b,c\n1,10,0.1\n2,6,0.17\n")
        self.assertIn("--time-column", self.refused(file, "--k-column", "a"))
        _, runs, notes, _ = self.imported(file, "--k-column", "a", "--time-column", "b")
        self.assertEqual([run["wall"] for run in runs], [10, 6])
        self.assertIn("guessed", [note["what"] for note in notes])
        header, runs, _, _ = self.imported(file, "--k-column", "a", "--rate-column", "c")
        self.assertEqual((header["regime"], runs[0]["wall"]), ("throughput", 10))

    def test_columns_can_be_ignored(self):
        file = self.write("t.csv", "K,time_s,a,b\n1,10,x,u\n2,6,x,v\n1,11,y,v\n2,7,y,u\n")
        self.assertIn("--ignore 'a'", self.refused(file))
        self.assertIn("--ignore 'b'", self.refused(file, "--ignore", "a"))
        _, runs, _, _ = self.imported(file, "--ignore", "a", "--ignore", "b")
        self.assertEqual(len(runs), 4)
        self.assertEqual(kstar("analyze", file, "--ignore", "a", "--ignore=b").returncode, 0)
        self.assertIn("--ignore", self.refused(file, "--ignore", "c"))

    def test_several_files_make_one_study(self):
        one = self.write("1.csv", "K,time_s,batch\n1,10,64\n")
        two = self.write("2.csv", "K,time_s,batch\n2,6,128\n")
        header, runs, _, _ = self.imported(one, two)
        self.assertEqual([run["workers"] for run in runs], [1, 2])
        self.assertEqual([(w["workers"], w["batch"]) for w in header["workload"]],
                         [(1, 64), (2, 128)])
        other = self.write("3.csv", "K,time_s,batch\n2,6,256\n")
        self.assertIn("the problem at K = 2", self.refused(two, other))

    def test_formats_are_listed_and_a_wrong_name_is_refused(self):
        done = kstar("import", "--list")
        self.assertEqual(done.returncode, 0)
        for name in ("csv", "steps", "study"):
            self.assertIn(f"\n{name} ", "\n" + done.stdout)
        self.refused("--as", "cvs", "x", code=2)
        self.assertIn("expected a file", self.refused(code=2))
        self.assertIn("--k", self.refused("--k", "0", "x", code=2))


if __name__ == "__main__":
    unittest.main()
