"""kstar figure and kstar report: what comes out, and what is refused."""

import base64
import hashlib
import os
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree

from program import kstar

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "studies"
STRONG = str(EXAMPLES / "slow-allreduce-1.jsonl.gz")
WEAK = str(EXAMPLES / "clean-mpi-weak.jsonl.gz")
KINDS = ["speedup", "efficiency", "waterfall", "samples", "breakdown", "phases", "workers", "models"]


class Figure(unittest.TestCase):
    def test_draws_every_kind_as_svg_to_standard_output(self):
        for kind in KINDS:
            done = kstar("figure", STRONG, "--kind", kind, "-o", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            root = xml.etree.ElementTree.fromstring(done.stdout)
            self.assertTrue(root.tag.endswith("svg"), kind)
            self.assertIn("slow all-reduce", " ".join(root.itertext()), kind)

    def test_gives_the_same_bytes_each_time(self):
        self.assertEqual(kstar("figure", STRONG, "--kind", "models").stdout,
                         kstar("figure", STRONG, "--kind", "models").stdout)

    def test_draws_efficiency_unless_told_where_the_work_grows(self):
        self.assertIn("efficiency", kstar("figure", WEAK).stdout)
        self.assertIn("speedup", kstar("figure", STRONG).stdout)

    def test_refuses_a_speedup_of_growing_work(self):
        done = kstar("figure", WEAK, "--kind", "speedup")
        self.assertEqual(done.returncode, 1)
        self.assertIn("clean-mpi-weak: the work grows with K", done.stderr)
        self.assertIn("hint: ", done.stderr)

    def test_draws_a_waterfall_of_the_k_asked_for(self):
        done = kstar("figure", STRONG, "--kind", "waterfall", "--at", "8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Where the efficiency goes at K = 8", done.stdout)
        for words, code, said in [
                (["--kind", "waterfall", "--at", "7"], 1, "--at: expected a K with a loss"),
                (["--kind", "waterfall", "--at", "no"], 2, "--at: expected a number of workers"),
                (["--kind", "speedup", "--at", "8"], 2, "--at: needs --kind waterfall")]:
            done = kstar("figure", STRONG, *words)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stderr)

    def test_draws_no_shares_of_a_guess(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "times.csv"
            path.write_text("K,time\n1,100\n2,55\n4,32\n8,21\n16,17\n")
            done = kstar("figure", path, "--regime", "strong", "--kind", "waterfall")
        self.assertEqual(done.returncode, 1)
        self.assertIn("guesses from T(K)", done.stderr)
        self.assertIn("hint: ", done.stderr)

    def test_draws_no_curve_of_one_k(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "times.csv"
            path.write_text("K,time\n8,100\n8,101\n8,102\n")
            done = kstar("figure", path, "--regime", "strong", "--kind", "speedup")
        self.assertEqual(done.returncode, 1)
        self.assertIn("only K = 8 was measured", done.stderr)

    def test_never_mixes_regimes(self):
        done = kstar("figure", STRONG, WEAK, "--kind", "efficiency")
        self.assertEqual(done.returncode, 1)
        self.assertIn("weak", done.stderr)
        self.assertEqual(kstar("figure", STRONG, WEAK, "--kind", "samples").returncode, 0)

    def test_writes_files_by_their_ending(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending, start in [("svg", b"<"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]:
                path = os.path.join(folder, "fig." + ending)
                done = kstar("figure", STRONG, "-o", path)
                if done.returncode != 0 and "librsvg" in done.stderr:
                    self.skipTest("kstar was built without librsvg")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(pathlib.Path(path).read_bytes().startswith(start), ending)

    def test_takes_sizes_and_scales(self):
        def width(*words):
            svg = kstar("figure", STRONG, *words).stdout
            return float(re.search(r'viewBox="0 0 ([0-9.]+)', svg).group(1))
        self.assertAlmostEqual(width(), 252)
        self.assertAlmostEqual(width("--width", "two"), 516)
        self.assertAlmostEqual(width("--width", "100mm"), 100 * 72 / 25.4, delta=0.01)
        self.assertNotEqual(kstar("figure", STRONG, "--log-x").stdout,
                            kstar("figure", STRONG).stdout)
        self.assertNotIn("Xeon", kstar("figure", STRONG, "--no-title").stdout.split("</desc>")[-1])

    def test_names_what_is_wrong(self):
        for words, place in [(["--width", "huge"], "--width"), (["--height", "1mm"], "--height"),
                             (["--dpi", "0"], "--dpi"), (["-o", "fig.gif"], "--output"),
                             (["--log-x", "--linear-x"], "--linear-x"),
                             (["--threshold", "2"], "--threshold")]:
            done = kstar("figure", STRONG, *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(f"error: {place}", done.stderr)
        self.assertEqual(kstar("figure", STRONG, "--kind", "pie").returncode, 2)
        self.assertEqual(kstar("figure").returncode, 2)
        self.assertIn("nowhere.csv", kstar("figure", "nowhere.csv").stderr)

    def test_reads_what_import_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "times.csv")
            pathlib.Path(path).write_text("workers,seconds\n1,100\n2,52\n4,29\n8,19\n")
            for kind in ["speedup", "efficiency", "models"]:
                self.assertEqual(kstar("figure", path, "--kind", kind).returncode, 0, kind)
            for kind in ["samples", "breakdown", "workers"]:
                done = kstar("figure", path, "--kind", kind)
                self.assertEqual(done.returncode, 1, kind)
                self.assertIn("hint: ", done.stderr)


class Report(unittest.TestCase):
    def test_opens_with_the_answer_and_how_far_to_trust_it(self):
        for form in ["txt", "md"]:
            text = kstar("report", STRONG, "--format", form).stdout.replace("\\", "")
            flat = " ".join(text.split())
            self.assertLess(flat.index("bends at K = "), flat.index("How far to trust it: "))
            self.assertLess(flat.index("How far to trust it: "), flat.index("speedup S(K)"))
            for part in ["Karp-Flatt", "Where the workers' time goes", "Why it bends", "Models",
                         "Can it be trusted?", "What was run", "How it was measured", "Where it ran"]:
                self.assertIn(part, text)

    def test_shows_several_studies_over_each_other_and_one_by_one(self):
        other = str(EXAMPLES / "memory-bound-1.jsonl.gz")
        text = kstar("report", STRONG, other, "--format", "md").stdout
        self.assertIn("## 2 studies", text)
        self.assertIn("memory-bound-1: Run on ", text)

    def test_leaves_out_what_is_private(self):
        for form in ["txt", "md", "html"]:
            text = kstar("report", STRONG, "--format", form, "--redact").stdout
            self.assertNotIn("/tmp/bin/kstar-train", text)
            self.assertNotIn("LD_LIBRARY_PATH", text)
            self.assertNotIn("slow-allreduce-1", text)
            self.assertIn("K", text)

    def test_writes_the_page_that_the_ending_asks_for(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            done = kstar("report", STRONG, "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            page = pathlib.Path(path).read_text()
            self.assertTrue(page.lower().startswith("<!doctype html>"))
            self.assertEqual(kstar("report", STRONG, "-o", os.path.join(folder, "r.doc")).returncode, 2)
            text = os.path.join(folder, "report.md")
            kstar("report", STRONG, "-o", text)
            self.assertTrue(pathlib.Path(text).read_text().startswith("## "))

    def test_names_its_own_style_and_script_by_their_hashes(self):
        page = kstar("report", STRONG, "--format", "html").stdout
        policy = re.search('Content-Security-Policy" content="([^"]*)"', page)[1]
        texts = [(kind, text) for kind in ("style", "script")
                 for text in re.findall(f"<{kind}>(.*?)</{kind}>", page, re.DOTALL)]
        self.assertEqual(len(texts), policy.count("'sha256-"))
        self.assertEqual({kind for kind, _ in texts}, {"style", "script"})
        for kind, text in texts:
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            allowed = re.search(f"{kind}-src ([^;]*);", policy)[1]
            self.assertIn(f"'sha256-{digest}'", allowed)

    def test_shows_the_page_with_the_desktops_program(self):
        with tempfile.TemporaryDirectory() as folder:
            viewer = pathlib.Path(folder, "xdg-open")
            viewer.write_text('#!/bin/sh\necho "shown $1"\n')
            viewer.chmod(0o755)
            path = os.path.join(folder, "report.html")
            done = kstar("report", STRONG, "-o", path, "--open", PATH=folder + ":/usr/bin:/bin")
            self.assertEqual(done.stdout, f"shown {path}\n", done.stderr)
            done = kstar("report", STRONG, "-o", path, "--open", PATH=folder + "/none")
            self.assertEqual(done.returncode, 1)
            self.assertIn("in a browser", done.stderr)
        done = kstar("report", STRONG, "--open")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--open", done.stderr)


class Card(unittest.TestCase):
    def test_is_one_picture_with_the_sentence_the_curve_and_the_cause(self):
        with tempfile.TemporaryDirectory() as folder:
            card, badge = pathlib.Path(folder) / "card.svg", pathlib.Path(folder) / "badge.svg"
            page = pathlib.Path(folder) / "page.html"
            done = kstar("report", STRONG, "--card", card, "--badge", badge, "-o", page)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            root = xml.etree.ElementTree.fromstring(card.read_text())
            answer = re.search(r'<p class="answer">(.*?)</p>', page.read_text())[1]
            answer = re.sub("<[^>]*>", "", answer).replace("\u00a0", " ")
            self.assertTrue(root[0].text.endswith(answer), (root[0].text, answer))
            self.assertEqual(root.get("width"), "600pt")
            words = " ".join(root.itertext())
            for said in ("K* = ", "speedup S(K)", "Why not more", "kstar "):
                self.assertIn(said, words)
            sizes = [float(one.get("font-size")) for one in root.iter() if one.get("font-size")]
            self.assertGreaterEqual(min(sizes), 10.5)
            said = xml.etree.ElementTree.fromstring(badge.read_text()).itertext()
            self.assertRegex(" ".join(said), r"kstar: K\* \d+")

    def test_of_several_studies_has_the_answer_of_each(self):
        with tempfile.TemporaryDirectory() as folder:
            card = pathlib.Path(folder) / "card.svg"
            done = kstar("report", STRONG, EXAMPLES / "serial-1.jsonl.gz", "--card", card)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in ("slow-allreduce-1: ", "serial-1: "):
                self.assertIn(name, card.read_text())

    def test_says_what_to_check_first(self):
        with tempfile.TemporaryDirectory() as folder:
            times, card = pathlib.Path(folder) / "times.csv", pathlib.Path(folder) / "card.svg"
            times.write_text("K,time\n1,100\n2,40\n4,18\n8,9\n")
            done = kstar("report", times, "--regime", "strong", "--card", card)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Check this first", card.read_text())

    def test_refuses_other_formats_and_never_replaces_an_input(self):
        for words in (["--card", "card.pdf"], ["--badge", "badge.png"], ["--card", ""],
                      ["--badge", "b.svg", WEAK]):
            self.assertEqual(kstar("report", STRONG, *words).returncode, 2, words)
        with tempfile.TemporaryDirectory() as folder:
            study = pathlib.Path(folder) / "study.svg"
            study.write_text('{"kstar":"study","schema":1,"regime":"strong"}\n'
                             '{"record":"run","workers":1,"wall":2}\n')
            self.assertNotEqual(kstar("report", study, "--card", study).returncode, 0)
            self.assertTrue(study.read_text().startswith('{"kstar"'))


if __name__ == "__main__":
    unittest.main()
