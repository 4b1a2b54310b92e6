#!/usr/bin/env python3
"""Plants phrases in a small tree and asks whether check_words.py finds them."""
import os
import pathlib
import stat
import tempfile
import unittest

import check_words


def phrases(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check_words.check(root)


class Words(unittest.TestCase):
    def allowed(self, name, text):
        self.assertEqual(phrases({name: text}), [])

    def forbidden(self, name, text, place, phrase):
        found = phrases({name: text})
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(place), found)
        self.assertIn(f"'{phrase}'", found[0])

    def test_every_phrase_of_the_list_is_found_in_a_document(self):
        for text in ["(0.70 unless said)", "one run a K", "work a second", "12 ms a step",
                     "as foretold", "what the models foretell", "computation that itself slows",
                     "the speedup has no ceiling (5.93 or more)", "Taken for granted",
                     "in the place of a file", "the first 1 were 28% slower",
                     "0 failed, 1 warm-up", "hold 0.7: unclear on which side", "numbers in place",
                     "expected a command behind it", "1 worker's worth more than there are",
                     "the band of fitted leaves the picture", "it hangs on them",
                     "no rank was looked into", "unended", "they came apart", "1 sockets",
                     "holds a avg of runs", "no word about it", "84 % of them"]:
            with self.subTest(text):
                self.assertEqual(len(phrases({"docs/a.md": f"first line\n{text}\n"})), 1)

    def test_plain_words_pass(self):
        self.allowed("docs/a.md", "Run on 8 workers: 84% of the evidence, 3.2 ms per step.\n"
                                  "It takes a second; one run in 20 is slow; 11 sockets, K = 1.\n")

    def test_the_place_is_named(self):
        self.forbidden("README.md", "a\nb\nas foretold\n", "README.md:3: ", "foretold")
        self.forbidden("tests/golden/x.md", "numbers in place", "tests/golden/x.md:1: ",
                       "numbers in place")

    def test_a_phrase_across_two_lines(self):
        self.forbidden("docs/a.md", "used in\nthe place of it\n", "docs/a.md:1: ", "in the place of")

    def test_strings_of_the_code_and_not_its_comments(self):
        self.forbidden("src/cli/a.cc", 'f();\n// foretold\nhelp = "(1 unless "\n       "said)";\n',
                       "src/cli/a.cc:3: ", "unless said")
        self.forbidden("src/cli/b.h", 'g(R"(in the place of)");', "src/cli/b.h:1: ",
                       "in the place of")
        self.forbidden("web/report.js", "x = `as foretold ${y}`;", "web/report.js:1: ", "foretold")
        self.allowed("src/cli/a.cc", 'int foretold = 1;  // a % b\nprintf("%d", 7 % 3);\n')

    def test_topics_and_schemas(self):
        self.forbidden("src/cli/topics/bend.txt", "0.70 unless said", "src/cli/topics/bend.txt:1: ",
                       "unless said")
        self.forbidden("schema/a.json", '{"description": "work a second"}', "schema/a.json:1: ",
                       "work a second")

    def test_what_a_program_prints(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "kstar"
            program.write_text("#!/bin/sh\necho 'the place (1 unless said)'\n")
            os.chmod(program, program.stat().st_mode | stat.S_IXUSR)
            found = check_words.check_program(str(program))
        self.assertTrue(any("kstar --help" in line and "unless said" in line for line in found))
        self.assertTrue(any("expected commands and topics" in line for line in found))


if __name__ == "__main__":
    unittest.main()
