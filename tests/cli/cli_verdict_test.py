"""Whatever the verdict on a study is, every output says the same, and none decides anew."""

import functools
import html
import json
import pathlib
import re
import tempfile
import unittest

from program import kstar

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
DECIDED = ("run", "or_more", "about", "between")


def single(text):
    return [(int(k), float(time)) for k, time in (pair.split(":") for pair in text.split(","))]


def repeated(text):
    """Three runs of each, that differ by 1%."""
    return [(k, time * factor) for k, time in single(text) for factor in (0.99, 1, 1.01)]


def study(runs, notes=(), serial=(), **header):
    """A study on a machine with as many threads as its largest K, and the runs of a serial program,
    that fail where they have no time."""
    most = max(k for k, _ in runs)
    header["environment"] = {"hosts": [{"name": "node", "threads": most}]}
    if serial:
        header["baseline"] = {"kind": "fastest-single"}
    lines = [{"kstar": "study", "schema": 1, "command": ["./prog", "{K}"], **header}]
    lines += [{"record": "run", "role": role, "workers": k, "wall": time or 1,
               "exit_status": int(not time)}
              for role, times in (("baseline", serial), ("parallel", runs)) for k, time in times]
    lines += [{"record": "note", "severity": "warning", **note} for note in notes]
    return "".join(json.dumps(line) + "\n" for line in lines)


AMDAHL = "1:100,2:52,4:28,8:17,16:12,32:11"
GOOD = "1:100,2:51,4:26,8:13.5"
STRONG = {"regime": "strong"}
# State, reason and workers of the verdict on what a file has, or on what words of kstar write.
CASES = {
    "run": ("run", "decided", 8, study(repeated(AMDAHL), **STRONG)),
    "run-single": ("run", "decided", 8, study(single(AMDAHL))),
    "weak": ("run", "decided", 4, study(repeated("1:10,2:11,4:13,8:17"), regime="weak")),
    "simulated": ("run", "decided", 8, ["predict", "amdahl", "--serial", "0.05", "--workers",
                                        "1,2,4,8,16,32", "--simulate", "runs=6,noise=0.01,seed=1"]),
    "or-more": ("or_more", "decided", 8, study(repeated(GOOD), **STRONG)),
    "or-more-single": ("or_more", "decided", 8, study(single(GOOD))),
    "about": ("about", "decided", 2, study(single("1:100,2:52,4:40,8:17"))),
    "between": ("between", "gap", 8, study(single("8:96,256:32"))),
    "between-repeated": ("between", "gap", 8, study(repeated("1:640,8:96,256:32"), **STRONG)),
    "jumps": ("undecided", "jumps", None, study(single("1:100,2:40,4:60,8:11,16:14,32:3.5"))),
    "busy": ("undecided", "busy_machine", None, EXAMPLES / "programs/starved.jsonl"),
    "cached": ("undecided", "cached_work", None, study(
        repeated(AMDAHL), [{"what": "cached-work", "where": "K = 1", "values": {"factor": 8}}])),
    "short": ("undecided", "short_runs", None, study(
        repeated("1:0.003,2:0.002,4:0.0018"),
        [{"what": "short-runs", "where": "K = 1", "values": {"ms": 3}}])),
    "flat": ("undecided", "doubtful_reading", None, study(single("1:10,2:10.1,4:10.2,8:10.1"))),
    "rates": ("undecided", "doubtful_reading", None, study(single("1:100,2:195,4:380,8:740"))),
    "apart": ("undecided", "stands_apart", None, study(single("1:100,2:50,4:25,8:40,16:12"))),
    "any": ("undecided", "any_workers", None, study(single("1:100,2:71"))),
    "mixed": ("none", "mixed_regime", None, study(repeated(AMDAHL), regime="mixed")),
    "no-base": ("none", "no_base_time", None, study(repeated(GOOD), serial=[(1, None)])),
    "one-k": ("none", "one_k", None, study(repeated("4:10"), **STRONG)),
    "inefficient": ("none", "none_efficient", None, study(
        repeated(GOOD), serial=repeated("1:50"), **STRONG)),
    "computed": ("run", "decided", 3, ["dag", str(EXAMPLES / "dag/graham.csv")]),
    "training": ("run", "decided", 64, EXAMPLES / "training/trained.jsonl"),
}


def finished(*words, **options):
    done = kstar(*words, **options)
    if done.returncode:
        raise AssertionError(f"{words}: {done.stderr}")
    return done


def flat(*words, **options):
    """The text on one line."""
    return " ".join(finished(*words, **options).stdout.split())


def parsed(*words, **options):
    return json.loads(finished(*words, "--format", "json", **options).stdout)


def words_of(page):
    return " ".join(html.unescape(re.sub("<[^>]*>", "", page)).split())


def for_each(test):
    """A test of every case: of its file and the verdict on it."""
    @functools.wraps(test)
    def of_all(self):
        for name, verdict in self.verdicts.items():
            with self.subTest(name=name, verdict=verdict["text"]):
                test(self, f"{name}.jsonl", verdict)
    return of_all


def for_each_plan(test):
    """Of those that have a plan: it needs times at two K."""
    @for_each
    @functools.wraps(test)
    def of_all(self, file, verdict):
        if verdict["reason"] != "one_k":
            test(self, file, verdict)
    return of_all


def run_on(verdict):
    """What a text says to do, where the verdict decides it."""
    workers, high = verdict["workers"], verdict["high"]
    if verdict["state"] == "between":
        return f"Run on {workers} to {high} workers: "
    about = "about " if verdict["state"] == "about" else ""
    return f"Run on {about}{workers} worker{'s' if workers > 1 else ''}"


class Outputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = pathlib.Path(folder.name)
        cls.verdicts = {}
        for name, (*_, source) in CASES.items():
            file = cls.path / f"{name}.jsonl"
            if isinstance(source, list):
                finished(*source, "-o", str(file))
            else:
                file.write_text(source if isinstance(source, str) else source.read_text())
            cls.verdicts[name] = parsed("analyze", file.name, cwd=cls.path)["verdict"]

    def assert_says(self, verdict, text):
        if verdict["state"] in DECIDED:
            self.assertIn(run_on(verdict), text)
            self.assertEqual("perhaps more" in text, verdict["state"] == "or_more")
            return
        self.assertNotIn("Run on", text)
        if verdict["state"] == "undecided":
            self.assertRegex(text, "Undecided")
        else:
            self.assertIn(verdict["text"], text)

    def test_every_state_and_reason_is_reached(self):
        found = {name: (verdict["state"], verdict["reason"], verdict["workers"])
                 for name, verdict in self.verdicts.items()}
        self.assertEqual(found, {name: case[:3] for name, case in CASES.items()})
        described = json.loads((EXAMPLES.parent / "schema/verdict.schema.json").read_text())
        # Where no regime is known, strong scaling is assumed.
        for key, never in (("state", set()), ("reason", {"unknown_regime"})):
            names = set(described["properties"][key]["enum"])
            self.assertEqual({verdict[key] for verdict in self.verdicts.values()}, names - never)

    @for_each
    def test_workers_lie_in_their_interval_and_chances_are_chances(self, _, verdict):
        decided = verdict["state"] in DECIDED
        self.assertEqual(verdict["workers"] is not None, decided)
        if decided:
            self.assertLessEqual(verdict["low"], verdict["workers"])
            self.assertLessEqual(verdict["workers"], verdict["high"] or float("inf"))
        self.assertTrue(0 <= (verdict["probability"] or 0) <= 1)

    @for_each_plan
    def test_plan_and_a_checked_plan_have_the_verdict_of_analyze(self, file, verdict):
        self.assertEqual(parsed("plan", file, cwd=self.path)["verdict"], verdict)
        checked = parsed("plan", "check", file, cwd=self.path)
        self.assertEqual(checked["verdict"], verdict)
        if verdict["state"] == "undecided":
            self.assertEqual(checked["decision"], "undecided")

    @for_each
    def test_a_comparison_with_itself_has_it_on_both_sides(self, file, verdict):
        both = parsed("compare", file, file, cwd=self.path)["verdict"]
        what = ("state", "reason", "workers", "low", "high", "probability")
        for side in ("before", "after"):
            self.assertEqual({key: both[side][key] for key in what},
                             {key: verdict[key] for key in what})
        self.assertFalse(both["clear"])

    @for_each
    def test_analyze_says_it_first(self, file, verdict):
        text = finished("analyze", file, "--plot", cwd=self.path).stdout
        decided = verdict["state"] in DECIDED
        self.assert_says(verdict, " ".join(text.split()))
        if decided:
            paragraph = text.split("\n\n")[1]
            self.assertTrue(" ".join(paragraph.split()).startswith(run_on(verdict)), paragraph)
        self.assertEqual("▲  K* =" in text, decided)

    def test_several_studies_say_of_each_what_it_says_alone(self):
        files = [f"{name}.jsonl" for name in self.verdicts]
        text = flat("analyze", *files, cwd=self.path)
        text = text[text.index("What each study answers"):text.index("Check this first")]
        answers = re.split(r" - (?=[\w-]+\.jsonl, )", text)[1:]
        both = parsed("analyze", *files, cwd=self.path)["studies"]
        for file, verdict, answer, one in zip(files, self.verdicts.values(), answers, both,
                                              strict=True):
            with self.subTest(file):
                self.assertTrue(answer.startswith(f"{file}, "), answer)
                self.assert_says(verdict, answer)
                self.assertEqual(one["analysis"]["verdict"], verdict)

    @for_each_plan
    def test_a_plan_says_it_first_and_the_fitted_curve_only_if_it_holds(self, file, verdict):
        text = flat("plan", file, cwd=self.path)
        text = text[:text.index("Asked: ")]
        self.assert_says(verdict, text)
        if verdict["state"] in DECIDED:
            answer = parsed("plan", file, cwd=self.path)["answers"][0]
            self.assertEqual((answer["goal"], answer["best"]["workers"], answer["low"],
                              answer["high"]),
                             ("efficiency", verdict["workers"], verdict["low"],
                              verdict["high"]))
        else:
            self.assertIn(f"{verdict['text']} If the curve is as fitted: ", text)

    @for_each
    def test_the_page_and_its_pictures_say_it(self, file, verdict):
        finished("report", file, "-o", "page.html", "--card", "card.svg", "--badge",
                 "badge.svg", cwd=self.path)
        page, card, badge = ((self.path / name).read_text()
                             for name in ("page.html", "card.svg", "badge.svg"))
        decided = verdict["state"] in DECIDED
        for picture in (page, card):
            (tag,) = re.findall(r"<[^>]*data-verdict=[^>]*>", picture)
            self.assertIn(f'data-verdict="{verdict["state"]}"', tag)
            self.assertEqual(re.findall(r'data-workers="(\d+)"', tag),
                             [str(verdict["workers"])] if decided else [])
        said = re.search("<title>kstar: (.*)</title>", badge)[1]
        if decided:
            self.assertRegex(said, rf"^K\* {verdict['workers']}\b")
        else:
            self.assertNotRegex(said, r"\d")
        if verdict["next"] and verdict["next"]["command"]:
            self.assertIn(verdict["next"]["command"], words_of(page))

    @for_each_plan
    def test_a_chart_marks_only_what_is_decided(self, file, verdict):
        kind = ["--kind", "split"] if verdict["basis"] == "training" else []
        finished("figure", file, *kind, "-o", "chart.svg", cwd=self.path)
        chart = (self.path / "chart.svg").read_text()
        self.assertEqual(">K*<" in chart, verdict["state"] in DECIDED)
        if verdict["state"] == "undecided":
            self.assertNotIn(">bend<", chart)

    @for_each
    def test_the_next_step_needs_no_more_workers_than_the_machine_has(self, file, verdict):
        header = json.loads((self.path / file).read_text().splitlines()[0])
        hosts = header.get("environment", {}).get("hosts", [])
        step = verdict["next"]
        if not hosts or step is None:
            return
        threads = sum(host["threads"] for host in hosts)
        told = re.findall(r"--workers ([0-9,]+)", step["command"] or "")
        asked = [int(k) for k in ",".join(told).split(",") if k]
        self.assertLessEqual(max([0, *step["workers"], *asked]), threads, step)
        if step["code"] != "whole_machine":
            self.assertEqual(asked, step["workers"])


class Machine(unittest.TestCase):
    def test_the_whole_machine_is_the_end_and_a_part_of_it_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            for threads, code, workers in ((8, "whole_machine", [8]), (12, "see_end", [1, 12]),
                                           (64, "see_end", [1, 16])):
                text = study(repeated(GOOD), **STRONG).replace('"threads": 8',
                                                               f'"threads": {threads}')
                pathlib.Path(folder, "study.jsonl").write_text(text)
                step = parsed("analyze", "study.jsonl", cwd=folder)["verdict"]["next"]
                self.assertEqual((step["code"], step["workers"]), (code, workers))


if __name__ == "__main__":
    unittest.main()
