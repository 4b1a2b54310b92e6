"""What a person sees while kstar measures: a bar that fits the terminal and leaves nothing behind."""

import os
import pathlib
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest

from program import KSTAR, environment, in_terminal, kstar, set_width

BAR = re.compile(r"\[[█░]+\] +\d+%")
INTERVAL = re.compile(r"K=\d .*\d m?s ±\d+(\.\d)?%")


def drawn(shown):
    """Every state of the line, without colours."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    return [line for line in re.findall(r"\r([^\r\n]*)\x1b\[K", plain) if line]


class ProgressTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(pathlib.Path(folder.name) / "study.jsonl")

    def words(self, *flags, job=("sleep", "0.06")):
        return ["measure", "--same-command", "--workers", "1,2", "--runs", "4", "-o", self.file, *flags, "--", *job]


class Terminal(ProgressTest):
    def test_the_bar_fits_and_shows_time_left_and_the_interval(self):
        for columns, left in ((40, r" \d+ s  K="), (100, r"about \d+ s left")):
            status, shown = in_terminal(*self.words("--force"), columns=columns)
            self.assertEqual(status, 0, shown)
            lines = drawn(shown)
            self.assertGreaterEqual(len(lines), 8)
            for line in lines:
                self.assertLess(len(line), columns)
                self.assertRegex(line, BAR)
                self.assertNotIn("...", line)
            self.assertEqual({line.index("]") for line in lines}, {lines[0].index("]")})
            self.assertRegex(lines[0], r"  0%  K=\d( run 1)?$")
            self.assertRegex(lines[-1], INTERVAL)
            self.assertTrue(any(re.search(left, line) for line in lines), lines)
            shares = [int(re.search(r"(\d+)%", line)[1]) for line in lines]
            self.assertEqual(shares, sorted(shares))
            self.assertEqual(shares[-1], 100)

    def test_the_time_is_as_new_as_the_last_run(self):
        _, shown = in_terminal(*self.words(), columns=100)
        seen = set()
        for line in drawn(shown):
            if match := re.search(r"(K=\d) run 1  T = ", line):
                seen.add(match[1])
        self.assertEqual(seen, {"K=1", "K=2"}, "the first run's time is there when it ends")

    def test_nothing_of_the_bar_is_left_at_the_end(self):
        status, shown = in_terminal(*self.words(), columns=80)
        self.assertEqual(status, 0)
        last = shown.rindex("\r[")
        self.assertTrue(shown[last:].split("\x1b[K", 1)[1].startswith("\r\x1b[K"))

    def test_the_budget_bounds_the_time_left(self):
        _, shown = in_terminal("measure", "--workers", "1", "--budget", "1s", "-o", self.file, "--", "sleep", "0.3",
                               columns=100)
        lefts = [int(left) for left in re.findall(r"about (\d+) s left", shown)]
        self.assertTrue(lefts)
        self.assertLessEqual(max(lefts), 1)

    def test_a_long_run_is_seen_to_be_alive(self):
        _, shown = in_terminal("measure", "--workers", "1", "--runs", "2", "-o", self.file, "--", "sleep", "2.4",
                               columns=100)
        second = [line for line in drawn(shown) if "run 2" in line]
        self.assertGreaterEqual(len(second), 3)

    def test_characters_and_colours_follow_the_terminal(self):
        _, shown = in_terminal(*self.words(), columns=60, LC_ALL="C")
        self.assertTrue(any(re.search(r"\[#+\.+\]", line) for line in drawn(shown)), shown)
        self.assertTrue(shown.isascii())
        self.assertIn("\x1b[32m", shown)
        for words, changes in ((self.words("--force"), {"NO_COLOR": "1"}),
                               (self.words("--force", "--color", "never"), {})):
            _, shown = in_terminal(*words, columns=60, **changes)
            self.assertRegex(shown, BAR)
            self.assertIsNone(re.search(r"\x1b\[[0-9;]*m", shown))
        _, shown = in_terminal(*self.words("--force"), TERM="dumb")
        self.assertNotIn("\x1b", shown)
        self.assertEqual(shown.count("kstar: run "), 8)

    def test_a_failed_run_is_said_above_the_bar(self):
        status, shown = in_terminal("measure", "--same-command", "--workers", "1,2", "--runs", "2", "-o", self.file, "--shell", "--",
                                    "sleep 0.06; test {K} != 2", columns=80)
        self.assertEqual(status, 1, shown)
        self.assertIn("\r\x1b[Kkstar: run ", shown)
        self.assertIn("K=2: failed: exit status 1\n", shown)


class Changes(ProgressTest):
    def start(self, columns):
        main, other = pty.openpty()
        set_width(other, columns)
        process = subprocess.Popen([KSTAR, "measure", "--same-command", "--workers", "1,2",
                                    "--runs", "40", "-o", self.file, "--", "sleep", "0.1"], stdin=other,
                                   stdout=other, stderr=other, env=environment(), start_new_session=True)
        os.close(other)
        self.addCleanup(os.close, main)
        return process, main

    def read_for(self, main, seconds):
        shown, until = b"", time.time() + seconds
        while time.time() < until:
            try:
                shown += os.read(main, 65536)
            except OSError:
                break
        return shown.decode(errors="replace").replace("\r\n", "\n")

    def test_the_line_follows_a_window_that_changes(self):
        process, main = self.start(100)
        wide = drawn(self.read_for(main, 1))
        set_width(main, 40)
        self.read_for(main, 0.3)
        narrow = drawn(self.read_for(main, 1))
        process.send_signal(signal.SIGINT)
        self.read_for(main, 5)
        process.wait(timeout=20)
        self.assertGreater(max(map(len, wide)), 60)
        self.assertTrue(narrow)
        self.assertLess(max(map(len, narrow)), 40)

    def test_ctrl_c_leaves_a_clean_line(self):
        process, main = self.start(80)
        self.read_for(main, 1)
        process.send_signal(signal.SIGINT)
        shown = self.read_for(main, 5)
        self.assertEqual(process.wait(timeout=20), 130)
        self.assertIn("\r\x1b[Kkstar: interrupted; --resume continues\n", shown)
        self.assertRegex(shown, r"\nkstar: continue with: kstar measure --resume [^\n]*\n$")


class Log(ProgressTest):
    def test_a_log_gets_a_line_a_run_and_nothing_that_moves(self):
        run = kstar(*self.words())
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = re.findall(r"^kstar: run (\d+) K=[12]: \d.*$", run.stderr, re.M)
        self.assertEqual(lines, [str(i) for i in range(8)])
        self.assertNotIn("\r", run.stderr)
        self.assertNotIn("\x1b", run.stderr)
        self.assertRegex(run.stderr, r"run 7 K=\d: \d+(\.\d)? ms, T = \d+(\.\d)? ms \+-\d+(\.\d)?%")


if __name__ == "__main__":
    unittest.main()
