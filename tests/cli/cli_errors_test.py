"""Wrong input is refused by name, value and constraint, with exit status 2, and nothing else."""

import unittest

from program import kstar

# Words behind kstar, and what the error must contain.
WRONG = [
    (["predict", "amdahl", "--serial", "1.5"], "--serial: expected a number from 0 to 1, got '1.5'"),
    (["predict", "amdahl", "--serial", "-0.1"], "--serial: expected a number from 0 to 1, got '-0.1'"),
    (["predict", "amdahl", "--serial", "nan"], "--serial: expected a number from 0 to 1, got 'nan'"),
    (["predict", "amdahl", "--serial", "1e400"], "--serial: expected a number from 0 to 1, got '1e400'"),
    (["predict", "amdahl", "--serial", "0,5"], "--serial: expected a number from 0 to 1, got '5'"),
    (["predict", "amdahl", "--serial", ""], "--serial: expected a number from 0 to 1, got ''"),
    (["predict", "amdahl", "--serial", "0.1,,0.2"], "--serial: expected a number from 0 to 1, got ''"),
    (["predict", "amdahl", "--serial"], "--serial: expected a value"),
    (["predict", "amdahl"], "--serial: amdahl needs it"),
    (["predict", "amdahl", "--serial", "0.1", "--workers", "0"], "--workers: expected a whole number"),
    (["predict", "amdahl", "--serial", "0.1", "--workers", "1.5"], "got '1.5'"),
    (["predict", "amdahl", "--serial", "0.1", "--workers", ""], "--workers: expected a whole number"),
    (["predict", "amdahl", "--serial", "0.1", "--workers", "8..1"], "an ascending range"),
    (["predict", "amdahl", "--serial", "0.1", "--threshold", "0"], "--threshold: expected a number above 0"),
    (["predict", "amdahl", "--serial", "0.1", "--threshold", "1.01"], "at most 1, got '1.01'"),
    (["predict", "amdahl", "--serial", "0.1", "--serial", "0.2"], "--serial: given 2 times"),
    (["predict", "amdahl", "--serial", "0.1", "extra"], "kstar predict amdahl: expected no further arguments, got 'extra'"),
    (["predict", "amdahl", "--serail", "0.1"], "did you mean '--serial'?"),
    (["predict", "amdahl", "--serial", "0.1", "--comm", "log2:0.1"], "'kstar predict strong' has this option"),
    (["predict", "amdahl", "--serial", "0.1", "--format", "xml"], "--format: expected one of text, json, csv, md, html, got 'xml'"),
    (["predict", "amdahl", "--serial", "0.1", "-o", "x.eps"], "--output: expected a name that ends in .svg, .pdf, .png, .html, .txt"),
    (["predict", "amdahl", "--serial", "0.1", "--with", "amdahl"], "--with: expected one of gustafson, strong, weak, got 'amdahl'"),
    (["predict", "amdahl", "--serial", "0.1", "-o", ""], "--output: expected a file name, got ''"),
    (["predict", "amdahl", "--serial", "0.1", "--simulate", "runs=2,runs=3"], "--simulate: expected each key once"),
    (["predict", "amdahl", "--serial", "0.1", "--simulate", "runs=2", "--plot"], "--plot: cannot be combined with --simulate"),
    (["predict", "amdahl", "--serial", "0.1", "--workers", "1..100000:1", "--simulate", "runs=1000000"], "--simulate: expected at most 10000000 samples"),
    (["predict", "amdahl", "--serial", ",".join(["0.1"] * 1001)], "at most 1000 combinations"),
    (["merge", "--x", "--", "--x"], "expected one of its flags, got '--x'"),
    (["predict", "strong", "--serial", "0.1", "--comm", "0.01"], "--comm: expected TERM:COST, such as log2:0.01, got '0.01'"),
    (["predict", "strong", "--serial", "0.1", "--comm", "cubic:1"], "expected one of constant, log2, log2p1, sqrt, linear, ring, got 'cubic'"),
    (["predict", "strong", "--serial", "0.1", "--comm", "log2:-1"], "got '-1'"),
    (["predict", "strong", "--serial", "0.1", "--straggler", "2:1"], "--straggler: expected a number from 0 to 1, got '2'"),
    (["predict", "step", "--compute", "0", "--communication", "1"], "--compute: expected a number above 0"),
    (["predict", "step", "--compute", "9", "--communication", "1", "--growth", "log2"], "--at: expected 2 or more workers"),
    (["predict", "step", "--compute", "9", "--communication", "1", "--at", "2.5"], "--at: expected a whole number"),
    (["predict", "amdahl", "--serial", "0.1", "--simulate", "runs=0"], "--simulate: expected runs from 1"),
    (["predict", "amdahl", "--serial", "0.1", "--simulate", "rnus=5"], "--simulate: expected runs=N"),
    (["predict", "amdahl", "--serial", "0.1,0.2", "--simulate", "runs=5"], "--simulate: makes a study of one curve"),
    (["predict", "amdhal", "--serial", "0.1"], "did you mean 'amdahl'?"),
    (["predict"], "kstar predict: missing command"),
    (["predcit"], "did you mean 'predict'?"),
    (["explain", "eficiency"], "did you mean 'efficiency'?"),
    (["explain", "speedup", "bend"], "expected fewer arguments, got 'bend'"),
    (["completions"], "kstar completions: expected SHELL"),
    (["completions", "tcsh"], "expected a known SHELL, got 'tcsh'"),
    (["--color", "blue", "explain"], "--color: expected one of auto, always, never, got 'blue'"),
    (["--wat"], "expected one of its flags, got '--wat'"),
    ([], "kstar: missing command"),
]


class WrongUsage(unittest.TestCase):
    def test_every_mistake_is_named_with_its_value_and_constraint(self):
        for words, message in WRONG:
            with self.subTest(words=words):
                run = kstar(*words)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertTrue(run.stderr.startswith("kstar: error: "), run.stderr)
                self.assertIn(message, run.stderr)
                self.assertEqual(run.stdout, "")

    def test_control_characters_of_a_wrong_value_do_not_reach_the_terminal(self):
        run = kstar("predict", "amdahl", "--serial", "\x1b[2J\x07")
        self.assertNotIn("\x1b", run.stderr)
        self.assertIn("\\x1b[2J\\x07", run.stderr)

    def test_a_very_long_value_is_cut(self):
        run = kstar("predict", "amdahl", "--serial", "9" * 5000)
        self.assertEqual(run.returncode, 2)
        self.assertLess(len(run.stderr), 300)


if __name__ == "__main__":
    unittest.main()
