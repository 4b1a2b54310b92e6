#!/usr/bin/env python3
"""Plants an include in a small tree and asks whether check_layers.py minds."""
import pathlib
import tempfile
import unittest
from unittest import mock

import check_layers
import check_names


def violations(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check_layers.check(root)


class Layers(unittest.TestCase):
    def allowed(self, files):
        self.assertEqual(violations(files), [])

    def forbidden(self, files, place, why):
        found = violations(files)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(place), found)
        self.assertIn(why, found[0])

    def test_what_the_table_allows(self):
        self.allowed({
            "include/kstar/study.h": '#include "kstar/result.h"\n',
            "include/kstar/amdahl.h": "#include <vector>\n",
            "include/kstar/kstar.h": '#include "kstar/study.h"\n#include "kstar/amdahl.h"\n',
            "src/laws/amdahl.cc": '#include "kstar/amdahl.h"\n#include "laws/shape.h"\n',
            "src/predict/curve.cc": '#include "kstar/amdahl.h"\n#include "base/text.h"\n',
            "src/report/table.cc": '#include "kstar/study.h"\n#include <nlohmann/json.hpp>\n',
            "src/cli/main.cc": '#include <CLI/CLI.hpp>\n#include "kstar/kstar.h"\n',
        })

    def test_a_room_that_may_not_be_known(self):
        self.forbidden({"src/stats/mean.cc": '\n\n#include "kstar/study.h"\n'},
                       "src/stats/mean.cc:3: ", "stats may know base; not study")

    def test_base_knows_nobody(self):
        self.forbidden({"src/base/text.cc": '#include "kstar/study.h"\n'},
                       "src/base/text.cc:1: ", "not study")

    def test_rooms_in_a_circle(self):
        self.forbidden({"src/report/table.cc": '#include "kstar/cli.h"\n',
                        "src/cli/main.cc": '#include "kstar/document.h"\n'},
                       "rooms know each other", "report -> cli -> report")
        with mock.patch.dict(check_layers.ROOMS, {"stats": ["words"]}):
            self.forbidden({}, "rooms know each other", "stats -> words -> analysis -> ")
        self.allowed({"src/cli/main.cc": '#include "kstar/document.h"\n#include "cli/command.h"\n'})

    def test_the_inside_of_another_room(self):
        self.forbidden({"src/predict/curve.cc": '#include "laws/shape.h"\n'},
                       "src/predict/curve.cc:1: ", "through include/kstar only")
        self.forbidden({"src/cli/main.cc": '#  include "report/table.h"\n'},
                       "src/cli/main.cc:1: ", "through include/kstar only")

    def test_rooms_of_measuring_know_the_inside_of_those_they_may_know(self):
        self.allowed({"src/slurm/blocks.cc": '#include "launch/slurm_client.h"\n'})
        self.forbidden({"src/measure/loop.cc": '#include "slurm/blocks.h"\n'},
                       "src/measure/loop.cc:1: ", "not slurm")
        self.forbidden({"src/cli/main.cc": '#include "measure/loop.h"\n'},
                       "src/cli/main.cc:1: ", "through include/kstar only")
        self.forbidden({"src/measure/loop.cc": '#include "study/record.h"\n'},
                       "src/measure/loop.cc:1: ", "through include/kstar only")

    def test_folders_in_a_room(self):
        self.allowed({
            "include/kstar/table.h": "",
            "src/analysis/fit/table.cc": '#include "kstar/table.h"\n#include "analysis/fit/grid.h"\n',
            "src/report/table_text.cc": '#include "kstar/table.h"\n',
        })
        self.forbidden({"src/import/csv/table.cc": '#include "analysis/fit/grid.h"\n'},
                       "src/import/csv/table.cc:1: ", "import may know base, study, comm; not analysis")
        self.forbidden({"include/kstar/table.h": "", "src/analysis/fit/table.cc": "",
                        "src/import/csv/a.cc": '#include "kstar/table.h"\n'},
                       "src/import/csv/a.cc:1: ", "not analysis")

    def test_a_public_header_follows_its_room(self):
        self.forbidden({"include/kstar/study.h": '#include "kstar/estimate.h"\n'},
                       "include/kstar/study.h:1: ", "study may know base; not stats")

    def test_a_public_header_shows_no_inside(self):
        self.forbidden({"include/kstar/study.h": '#include "base/text.h"\n'},
                       "include/kstar/study.h:1: ", "public headers only")

    def test_libraries_stay_out_of_public_headers(self):
        for library in ("nlohmann/json.hpp", "simdjson.h", "boost/math/tools.hpp", "Eigen/Dense",
                        "fmt/format.h", "CLI/CLI.hpp", "zlib.h"):
            self.forbidden({"include/kstar/study.h": f"#include <{library}>\n"},
                           "include/kstar/study.h:1: ", "need not have")

    def test_libraries_of_one_room(self):
        self.forbidden({"src/report/table.cc": "#include <CLI/CLI.hpp>\n"},
                       "src/report/table.cc:1: ", "is for cli")
        self.forbidden({"src/analysis/fit.cc": "#include <chrono>\n"},
                       "src/analysis/fit.cc:1: ", "is for")
        self.forbidden({"src/launch/launchers.cc": "#include <spawn.h>\n"},
                       "src/launch/launchers.cc:1: ", "is for exec")

    def test_what_is_in_no_table(self):
        self.forbidden({"src/magic/wand.cc": "\n"}, "src/magic/wand.cc:1: ", "ROOMS")
        self.forbidden({"include/kstar/wand.h": "\n"}, "include/kstar/wand.h:1: ", "PUBLIC_HEADERS")

    def test_sentences_and_unknown_keys_are_not_read(self):
        for line in ("if (note.text.find(\"ffic\") == 0) {", "return old->extra;",
                     "parse(run.extra);", "study.notes[0].text == x", "notes.back().text"):
            self.forbidden({"src/audit/rule.cc": line + "\n"}, "src/audit/rule.cc:1: ",
                           "a field says it")
            self.allowed({"src/study/old.cc": line + "\n"})
        self.allowed({"src/audit/rule.cc": "note.text = x;\nstd::string text = note_sentence(note);\n"
                                           "{.where = {}, .text = x, .extra = {}}  // of note.text\n"
                                           "name_of(table.title).text()\n"})

    def test_decisions_are_not_read_from_sentences(self):
        for line in ('if (text.starts_with("Undecided")) {', 'text.find("but not for other K")',
                     'source.name == "the number of steps"', 'order.find("interleaved with")'):
            self.forbidden({"src/audit/rule.cc": line + "\n"}, "src/audit/rule.cc:1: ",
                           "not read from a sentence")
            self.allowed({"src/import/log.cc": line + "\n"})
        self.allowed({"src/audit/rule.cc": 'line.starts_with("--name")\ntext.find(", ")\n'
                                           'note.what == "cached-work"  // find("of a word")\n'})

    def test_the_umbrella_lists_every_header(self):
        self.forbidden({"include/kstar/kstar.h": '#include "kstar/study.h"\n',
                        "include/kstar/study.h": "", "include/kstar/machine.h": "",
                        "include/kstar/mark.h": ""},
                       "include/kstar/kstar.h:1: ", "does not list machine.h")

    def test_the_umbrella_is_for_users(self):
        self.forbidden({"src/laws/amdahl.cc": '#include "kstar/kstar.h"\n'},
                       "src/laws/amdahl.cc:1: ", "umbrella")


class Names(unittest.TestCase):
    def clashes(self, **sources):
        with tempfile.TemporaryDirectory() as folder:
            room = pathlib.Path(folder) / "src" / "room"
            room.mkdir(parents=True)
            for name, text in sources.items():
                (room / f"{name}.cc").write_text(f"namespace {{\n{text}\n}}  // namespace\n")
            return [line.split(": ")[1].split()[0] for line in check_names.check(pathlib.Path(folder))]

    def test_functions_types_and_constants_of_one_name(self):
        self.assertEqual(self.clashes(a="int size_of(int);", b="long size_of(long x) {\n}"), ["size_of"])
        self.assertEqual(self.clashes(a="struct Part {\n};", b="class Part {\n};"), ["Part"])
        self.assertEqual(self.clashes(a="constexpr int kMost = 1;", b="const double kMost = 2;"), ["kMost"])

    def test_what_may_stand_twice(self):
        self.assertEqual(self.clashes(a="int one();", b="int two() {\n  one();\n}"), [])
        self.assertEqual(self.clashes(a="using Words = int;", b="using Words = int;"), [])


if __name__ == "__main__":
    unittest.main()
