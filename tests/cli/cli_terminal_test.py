"""Colour, width and characters follow where the output goes."""

import os
import unittest

from program import in_terminal, kstar

PLOT = ["predict", "amdahl", "--serial", "0.05", "--plot"]


def widest(text):
    return max(len(line) for line in text.splitlines())


class Colour(unittest.TestCase):
    def test_a_terminal_gets_colour_and_a_pipe_does_not(self):
        self.assertIn("\x1b[", in_terminal(*PLOT)[1])
        self.assertNotIn("\x1b[", kstar(*PLOT).stdout)

    def test_no_color_dumb_terminals_and_the_flag_are_respected(self):
        self.assertNotIn("\x1b[", in_terminal(*PLOT, NO_COLOR="1")[1])
        self.assertNotIn("\x1b[", in_terminal(*PLOT, TERM="dumb")[1])
        self.assertNotIn("\x1b[", in_terminal(*PLOT, "--color", "never")[1])
        self.assertIn("\x1b[", kstar(*PLOT, "--color", "always").stdout)
        self.assertIn("\x1b[", in_terminal("--color", "always", *PLOT, NO_COLOR="1")[1])

    def test_errors_are_coloured_for_people_only(self):
        status, shown = in_terminal("predict", "amdahl")
        self.assertEqual(status, 2)
        self.assertIn("\x1b[1;31merror:", shown)
        self.assertNotIn("\x1b[", kstar("predict", "amdahl").stderr)


class Width(unittest.TestCase):
    def test_output_stays_within_the_terminal(self):
        for law in (["amdahl", "--serial", "0.05"], ["strong", "--serial", "0.05", "--comm", "log2:0.01"],
                    ["usl", "--contention", "0.03", "--coherency", "0.0005", "--rate", "20"],
                    ["step", "--compute", "240", "--communication", "60", "--at", "8"]):
            for columns in (60, 80, 120):
                words = ["predict", *law, "--plot", "--color", "never"]
                status, shown = in_terminal(*words, columns=columns)
                self.assertEqual(status, 0)
                self.assertLessEqual(widest(shown), columns, (law, columns))

    def test_help_and_topics_fit_eighty_columns(self):
        for words in (["--help"], ["predict", "--help"], ["predict", "strong", "--help"], ["explain"],
                      ["merge", "--help"], ["completions", "--help"]):
            self.assertLessEqual(widest(kstar(*words).stdout), 80, words)

    def test_columns_sets_the_width_of_a_pipe(self):
        self.assertGreater(widest(kstar(*PLOT, COLUMNS="100").stdout),
                           widest(kstar(*PLOT, COLUMNS="60").stdout))


class Characters(unittest.TestCase):
    def test_a_locale_without_unicode_gets_ascii(self):
        for changes in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": None}):
            run = kstar(*PLOT, "--with", "gustafson", **changes)
            self.assertTrue(run.stdout.isascii(), changes)
        self.assertTrue(kstar(*PLOT, "--ascii").stdout.isascii())
        self.assertFalse(kstar(*PLOT).stdout.isascii())

    def test_both_drawings_show_every_series_and_its_name(self):
        for extra in ([], ["--ascii"]):
            shown = kstar(*PLOT, "--with", "gustafson", *extra).stdout
            for name in ("Amdahl's law (fixed problem) s=0.05", "ideal: S = K", "ceiling 20x",
                         "Gustafson's law (problem grows with K) s=0.05"):
                self.assertIn(name, shown)


if __name__ == "__main__":
    unittest.main()
