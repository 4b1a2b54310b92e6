"""dag: known schedules, real builds and workflows made here, one screen, errors that name their place."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from program import InFolder, kstar

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAHAM = str(ROOT / "examples/dag/graham.csv")


def dag(*words):
    run = kstar("dag", *words, "--format", "json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


class Answers(InFolder):
    def test_grahams_anomaly(self):
        points = dag(GRAHAM, "--priority", "file", "--workers", "3,4")["points"]
        self.assertEqual([point["time"] for point in points], [12, 15])

    def test_formulas_of_the_catalogue(self):
        scan = dag("--algorithm", "scan", "--n", "1048576")
        self.assertEqual((scan["work"], scan["depth"]), (2 * 1048575, 40))
        reduction = dag("--algorithm", "reduction", "--n", "1e6")
        self.assertEqual((reduction["work"], reduction["depth"]), (999999, 20))

    def test_one_screen_with_the_answer_first(self):
        for words in ([GRAHAM], ["--algorithm", "fft", "--n", "1e6"]):
            lines = kstar("dag", *words).stdout.splitlines()
            self.assertLessEqual(len(lines), 40)
            self.assertTrue(all(len(line) <= 80 for line in lines))
            self.assertTrue(lines[2].startswith("Run on "), lines[2])

    def test_the_greedy_curve_is_a_study_that_others_read(self):
        study = str(self.path / "greedy.jsonl")
        self.assertEqual(kstar("dag", GRAHAM, "--workers", "1..3:1", "-o", study).returncode, 0)
        points = json.loads(kstar("analyze", study, "--format", "json").stdout)["points"]
        for point, time in zip(points, (34, 18, 12), strict=True):  # in no unit: of T(1)
            self.assertAlmostEqual(point["time"]["point"], time / 34)
        text = " ".join(kstar("analyze", study).stdout.split())
        self.assertIn("Run on 3 workers for the least time with an efficiency of 0.7 or more: 0.3529 "
                      "T(1), E = 0.94.", text)
        plan = " ".join(kstar("plan", study).stdout.split())
        self.assertIn("none as sure: the times are those of schedules of a graph", plan)
        self.assertIn("Run on 3 workers for the least time with an efficiency of 0.7 or more: 0.3529, "
                      "1.059 x T(1), E = 0.944", plan)
        self.assertNotIn("% sure", plan)
        page = str(self.path / "page.html")
        self.assertEqual(kstar("report", study, "-o", page).returncode, 0)
        self.assertIn(">computed<", pathlib.Path(page).read_text())
        self.assertNotIn(">measured<", pathlib.Path(page).read_text())
        again = kstar("dag", GRAHAM, "-o", study)
        self.assertIn("the file exists", again.stderr)

    def test_measured_times_stand_beside_the_schedule(self):
        measured = self.write("m.csv", "workers,seconds\n1,36\n2,20\n")
        points = dag(GRAHAM, "--workers", "1,2", "--measured", measured)["points"]
        self.assertEqual([point["measured"]["point"] for point in points], [36, 20])
        none = kstar("dag", GRAHAM, "--workers", "3", "--measured", measured)
        self.assertIn("none of the K", none.stderr)

    def test_a_schedule_can_be_written_and_is_valid(self):
        out, tasks = str(self.path / "s.csv"), str(self.path / "t.csv")
        run = kstar("dag", GRAHAM, "--workers", "2", "--schedule", out, "--tasks", tasks)
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [line.split(",") for line in pathlib.Path(out).read_text().splitlines()[1:]]
        self.assertEqual(len(rows), 9)
        for worker in "01":
            spans = sorted((float(row[2]), float(row[3])) for row in rows if row[1] == worker)
            for (_, end), (start, _) in zip(spans, spans[1:]):
                self.assertLessEqual(end, start)
        self.assertEqual(pathlib.Path(tasks).read_text().splitlines()[0],
                         "task,time,earliest_start,slack,on_critical_path")

    def test_pictures_of_every_kind(self):
        for kind in ("width", "speedup", "path"):
            picture = self.path / f"{kind}.svg"
            run = kstar("dag", GRAHAM, "--chart", kind, "-o", str(picture))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("<svg", picture.read_text())


class Builds(InFolder):
    """Real runs of ninja; every command sleeps, so that its time is known."""
    # needs: ninja

    def build(self, *ninja_words):
        subprocess.run(["ninja", *ninja_words], cwd=self.path, check=True, stdout=subprocess.DEVNULL)

    def setUp(self):
        super().setUp()
        if not shutil.which("ninja"):
            self.skipTest("no ninja")
        self.write("build.ninja", "rule r\n  command = sleep $t && touch $out\n"
                   "build a: r\n  t = 0.2\nbuild b: r\n  t = 0.3\nbuild c: r a b\n  t = 0.2\n"
                   "build d: r || a\n  t = 0.1\nbuild all: phony c d\n")

    def test_the_recorded_build_stands_beside_its_schedule(self):
        self.build("-j2")
        result = dag(str(self.path))
        self.assertEqual(result["tasks"], 4)
        self.assertTrue(0.5 <= result["depth"] <= 5, result["depth"])
        recorded = result["recorded"]
        self.assertEqual((recorded["workers"], recorded["tasks"], recorded["broken_edges"]), (2, 4, 0))
        self.assertAlmostEqual(recorded["schedule"] / recorded["makespan"], 1, delta=0.1)

    def test_more_commands_than_cores_are_taken_off_where_the_build_was_made_here(self):
        jobs = os.cpu_count() + 2
        self.write("build.ninja", "rule r\n  command = sleep 1 && touch $out\n"
                   + "".join(f"build o{i}: r\n" for i in range(jobs)))
        self.build(f"-j{jobs}")
        result = dag(str(self.path))
        self.assertTrue(result["cores_assumed"])
        self.assertLess(result["work"], result["recorded"]["work"])
        self.assertAlmostEqual(result["recorded"]["schedule"] / result["recorded"]["makespan"], 1,
                               delta=0.15)
        self.assertIn("assumed: on the", " ".join(kstar("dag", str(self.path)).stdout.split()))
        as_recorded = dag(str(self.path), "--cores", str(jobs))
        self.assertAlmostEqual(as_recorded["work"], result["recorded"]["work"])
        for i in range(jobs):
            os.utime(self.path / f"o{i}", (1, 1))  # as in a copy
        self.assertIsNone(dag(str(self.path))["cores"])

    def test_partial_builds_before_and_after_do_not_mix(self):
        self.build("-j1", "d")
        self.build("-j1")
        (self.path / "c").unlink()
        self.build("-j1", "c")
        subprocess.run(["ninja", "-t", "recompact"], cwd=self.path, check=True)
        result = dag(str(self.path))
        self.assertEqual(result["tasks"], 4)
        self.assertEqual(result["recorded"]["workers"], 1)
        self.assertEqual(result["recorded"]["broken_edges"], 0)

    def test_a_log_alone_says_what_it_does_not_know(self):
        self.build("-j2")
        (self.path / "build.ninja").unlink()
        text = kstar("dag", str(self.path)).stdout
        self.assertIn("which task waits for which is not in the file", " ".join(text.split()))

    def test_a_real_snakemake_workflow(self):
        # needs: snakemake
        if not shutil.which("snakemake"):
            self.skipTest("no snakemake")
        self.write("Snakefile", 'rule all:\n    input: "c"\n'
                   'rule one:\n    output: "{x}.txt"\n    shell: "sleep 0.3; touch {output}"\n'
                   'rule two:\n    input: "a.txt", "b.txt"\n    output: "c"\n'
                   '    shell: "sleep 0.2; touch {output}"\n')
        subprocess.run(["snakemake", "-j2", "--quiet"], cwd=self.path, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (self.path / "build.ninja").unlink()
        result = dag(str(self.path))
        self.assertEqual((result["format"], result["tasks"], result["edges"]), ("snakemake", 3, 2))
        self.assertTrue(0.5 <= result["depth"] <= 5, result["depth"])  # other jobs may run here


class WhatTheFileDoesNotSay(InFolder):
    def text(self, *words):
        run = kstar("dag", *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLessEqual(len(run.stdout.splitlines()), 40)
        return " ".join(run.stdout.split())

    def test_times_for_every_graph_without_times(self):
        times = self.write("t.csv", "task,seconds\na,2\nb,3\nc,4\n")
        wf = {"workflow": {"specification": {"tasks": [
            {"id": "a", "children": ["b"]}, {"id": "b"}, {"id": "c"}]}}}
        for name, graph in [("g.dot", "digraph { a -> b; c }"),
                            ("l.dot", 'digraph { a [label=x]; b [label=y]; c [label=z]; a -> b }'),
                            ("g.csv", "from,to\na,b\nc,\n"), ("g.json", json.dumps(wf))]:
            path = self.write(name, graph)
            self.assertEqual(dag(path)["work"], 3, name)
            result = dag(path, "--times", times)
            self.assertEqual((result["work"], result["depth"]), (9, 5), name)

    def test_no_promise_where_the_order_or_the_cores_are_not_known(self):
        log = self.write("log", "# ninja log v5\n0\t500\t0\ta\tx\n500\t1500\t0\tb\tx\n")
        text = self.text(log)
        self.assertIn("assuming that no task waits for another", text)
        self.assertNotIn("less)", text)
        study = kstar("dag", log, "-o", str(self.path / "greedy.jsonl"))
        self.assertIn("T(K) is a range, and there is no curve to write", study.stderr)
        workflow = {"specification": {"tasks": [{"id": "a"}, {"id": "b"}]},
                    "execution": {"makespanInSeconds": 9, "machines": [{"cpu": {"coreCount": 2}}],
                                  "tasks": [{"id": "a", "runtimeInSeconds": 4, "coreCount": 2},
                                            {"id": "b", "runtimeInSeconds": 4}]}}
        text = self.text(self.write("wf.json", json.dumps({"workflow": workflow})))
        self.assertIn("assuming that each needs one core only", text)
        self.assertNotIn("less)", text)

    def test_what_the_answer_assumes_goes_into_the_study(self):
        study = str(self.path / "greedy.jsonl")
        kstar("dag", self.write("e.csv", "from,to\na,b\na,c\nb,d\nc,d\n"), "-o", study)
        text = " ".join(kstar("analyze", study).stdout.split())
        self.assertIn("If all tasks take as long, run on 1 worker for the least time", text)
        self.assertIn("a graph (kstar dag), if all tasks take as long.",
                      " ".join(kstar("plan", study).stdout.split()))

    def test_columns_that_may_say_it_are_named(self):
        text = self.text(self.write("t.csv", "task,seconds,vorher\na,2,\nb,3,a\n"))
        self.assertIn("'vorher' is not read", text)
        self.assertNotIn("not in the file", text)

    def test_tasks_of_no_time_are_in_all_files(self):
        graph = self.write("t.csv", "task,seconds,after\na,2,\nmark,0,a\nb,3,mark\n")
        tasks, schedule = str(self.path / "tasks.csv"), str(self.path / "schedule.csv")
        self.assertIn("2 tasks and 1 of no time",
                      self.text(graph, "--tasks", tasks, "--schedule", schedule))
        self.assertIn("mark,0,2,", pathlib.Path(tasks).read_text())
        self.assertIn("mark,,2,2\n", pathlib.Path(schedule).read_text())
        self.text(graph, "--edge-cost", "1", "--schedule", schedule, "--force")
        self.assertIn("mark,,2,2\n", pathlib.Path(schedule).read_text())


class Errors(InFolder):
    def error(self, *words):
        run = kstar("dag", *words)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.stdout, "")
        return run.stderr

    def test_a_cycle_is_shown(self):
        text = self.error(self.write("c.csv", "from,to\na,b\nb,c\nc,b\n"))
        self.assertRegex(text, r"in a cycle: (b -> c -> b|c -> b -> c)")

    def test_wrong_flags(self):
        self.assertIn("expected a FILE", self.error())
        self.assertIn("--n: expected a whole number", self.error("--algorithm", "scan"))
        self.assertIn("--n: expected a whole number", self.error("--algorithm", "scan", "--n", "1.5"))
        self.assertIn("--n: needs --algorithm", self.error(GRAHAM, "--n", "5"))
        self.assertIn("--edge-cost: expected a time", self.error(GRAHAM, "--edge-cost", "-1"))
        self.assertIn("the times of the file have no unit", self.error(
            self.write("e.csv", "from,to\na,b\n"), "--edge-cost", "5ms"))
        self.assertIn("--cores: expected a number above 0", self.error(GRAHAM, "--cores", "0"))
        self.assertIn("no recorded run", self.error(GRAHAM, "--cores", "2"))
        self.assertIn("no recorded run", self.error(GRAHAM, "--priority", "recorded"))
        self.assertIn("cannot be combined", self.error(GRAHAM, "--algorithm", "scan", "--n", "8"))
        self.assertIn("for example --n 100000", self.error("--algorithm", "matmul", "--n", "1e9"))

    def test_flags_that_do_nothing_are_refused(self):
        timed = self.write("t.dot", "digraph { a [weight=1] }")
        times = self.write("t.csv", "task,seconds\na,1\n")
        self.assertIn("--times: is for graphs without times", self.error(timed, "--times", times))
        self.assertIn("--log: is for build.ninja", self.error(timed, "--log", times))
        plain = self.write("p.dot", "digraph { a -> b }")
        self.assertIn("cannot read", self.error(plain, "--times", "absent.csv"))
        self.assertIn("none of its 1 task", self.error(
            plain, "--times", self.write("other.csv", "task,seconds\nx,1\n")))

    def test_ugly_files(self):
        for name, text, expected in [
                ("empty", "", "is empty"),
                ("binary", b"\x7fELF\x00\x01\x02,\x00\n\x00", "zero bytes"),
                ("row", "from,to\n", "no task"),
                ("letter", "Dear all,\nhow are you?\n", "no graph of tasks"),
                ("json", '{"a": 1}', "no graph of tasks"),
                ("cut.json", '{"traceEvents": [{"ph": "X", "ts": 1', "JSON"),
                ("inf.csv", "task,seconds\na,1e999\n", "a time of 0 or more"),
                ("big.csv", "task,seconds\na,1e308\nb,1e308\n", "too large"),
                ("control.csv", "task,seconds\na\x1b[31m,x\n", "expected a time")]:
            text = self.error(self.write(name, text))
            self.assertIn(expected, text, name)
            self.assertNotIn("\x1b", text)
        self.assertIn("expected a folder with build.ninja", self.error(str(self.path)))
        self.assertIn("cannot read", self.error(str(self.path / "absent")))


if __name__ == "__main__":
    unittest.main()
