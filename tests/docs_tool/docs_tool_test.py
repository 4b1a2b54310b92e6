#!/usr/bin/env python3
"""Runs scripts/docs on small documents, with a program of the test's own instead of kstar."""
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "docs"
FAKE = """\
#!/bin/sh
case $1 in
  both) echo out; echo err >&2; echo out again ;;
  fail) echo "fake: error: no" >&2; exit 2 ;;
  env) echo "$COLUMNS $NO_COLOR $TERM $LC_ALL ${SECRET-unset}" ;;
  fence) echo '```' ;;
  prompt) echo '$ rm' ;;
  *) echo "$# $*" ;;
esac
"""


class DocsTool(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)
        (self.folder / "fake").write_text(FAKE)
        (self.folder / "fake").chmod(0o755)
        self.file = self.folder / "page.md"

    def tearDown(self):
        self.holder.cleanup()

    def docs(self, *arguments):
        return subprocess.run(
            [sys.executable, DOCS, "--bin", self.folder, *arguments, self.file], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "SECRET": "x"})

    def rewritten(self, text):
        self.file.write_text(textwrap.dedent(text))
        done = self.docs()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.docs("--check").returncode, 0)
        return self.file.read_text()

    def becomes(self, before, after):
        self.assertEqual(self.rewritten(before), textwrap.dedent(after))

    def unchanged(self, text):
        self.becomes(text, text)

    def test_output_and_error_stand_in_the_order_they_came(self):
        self.becomes("""\
            before
            ```console
            $ fake both
            old
            ```
            after
            """, """\
            before
            ```console
            $ fake both
            out
            err
            out again
            ```
            after
            """)

    def test_a_failing_command_states_its_status(self):
        self.becomes("```console\n$ fake fail\n$ true\nold\n```\n",
                     "```console\n$ fake fail\nfake: error: no\n[exit 2]\n$ true\n```\n")

    def test_a_backslash_continues_a_command(self):
        self.becomes("```console\n$ fake a \\\n    b\n```\n",
                     "```console\n$ fake a \\\n    b\n2 a b\n```\n")

    def test_blocks_share_a_folder_that_is_new_for_each_run(self):
        self.unchanged("```console\n$ ls\n$ echo 1 > made.txt\n```\n"
                       "text\n```console\n$ cat made.txt\n1\n$ pwd\n/home/you\n```\n")

    def test_the_environment_is_fixed(self):
        self.unchanged("```console\n$ fake env\n80 1 dumb C.UTF-8 unset\n```\n")

    def test_other_blocks_are_left_alone(self):
        self.unchanged("```console ignore\n$ fake both\nold\n```\n```sh\n$ fake both\n```\n"
                       "````markdown\n```console\n$ fake both\n```\n````\n")

    def test_a_block_in_a_list_keeps_its_indentation(self):
        self.unchanged("- item\n  ```console\n  $ fake\n  0 \n  ```\n")

    def test_a_fence_in_an_output_makes_the_block_s_own_longer(self):
        self.becomes("```console\n$ fake fence\n```\n", "````console\n$ fake fence\n```\n````\n")

    def test_what_a_block_needs_is_put_within_reach(self):
        self.unchanged("```console needs=scripts/docs\n$ ls scripts/docs\nscripts/docs\n```\n")

    def test_a_block_whose_need_is_absent_is_skipped_with_a_message(self):
        self.file.write_text("```console needs=no/such.csv\n$ fake both\nold\n```\n")
        done = self.docs("--check")
        self.assertEqual(done.returncode, 0)
        self.assertIn("page.md:1: skipped, there is no no/such.csv", done.stdout)

    def test_check_shows_the_difference_fails_and_changes_nothing(self):
        text = "```console\n$ fake both\nold\n```\n"
        self.file.write_text(text)
        done = self.docs("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("\n-old\n+out\n+err\n", done.stdout)
        self.assertEqual(self.file.read_text(), text)

    def test_check_sees_a_command_that_is_not_there(self):
        self.file.write_text("```console\n$ no-such-program\n```\n")
        done = self.docs("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("+[exit 127]", done.stdout)

    def test_what_cannot_be_told_apart_is_an_error(self):
        for text, why in (("```console\n$ fake prompt\n```\n", "would read as part"),
                          ("text\n```console\n$ fake\n", "page.md:2: this block is not closed"),
                          ("```console need=x\n```\n", "got 'need=x'")):
            self.file.write_text(text)
            done = self.docs("--check")
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stdout)


if __name__ == "__main__":
    unittest.main()
