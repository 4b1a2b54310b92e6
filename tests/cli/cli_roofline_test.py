"""roofline: known answers, machine files, programs, profilers' files, one screen, and clear errors."""

import json
import os
import pathlib
import re
import stat
import unittest

from program import InFolder, kstar

ROOT = pathlib.Path(__file__).resolve().parents[2]
DETAILS = str(ROOT / "tests/data/roofline/ncu_details.csv")
H200 = str(ROOT / "examples/roofline/h200.toml")
CORES = str(ROOT / "examples/roofline/16-cores.toml")
OPTERON = """name = "Opteron X2"
[[compute]]
precision = "fp64"
rate = 17.6e9
[[bandwidth]]
rate = 15e9
"""


def roofline(*words):
    run = kstar("roofline", "--format", "json", *words)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


class InPlace(InFolder):
    """In its own folder."""
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.path)


class Known(InPlace):
    def setUp(self):
        super().setUp()
        pathlib.Path("opteron.toml").write_text(OPTERON)

    def test_williams_2009(self):
        for intensity, attainable in ((0.25, 3.75e9), (1.07, 16.05e9), (10, 17.6e9)):
            found = roofline("--machine", "opteron.toml", "--flops", str(intensity * 1e6), "--bytes",
                             "1e6", "--threads", "1", "--runs", "2", "--", "true")
            kernel = found["kernels"][0]
            self.assertAlmostEqual(kernel["flops_per_byte"], intensity)
            self.assertAlmostEqual(kernel["attainable_flops_per_second"] / attainable, 1)
            self.assertAlmostEqual(found["ridges"][0]["flops_per_byte"], 1.17, places=2)

    def test_a_machine_is_shown(self):
        run = kstar("roofline", "opteron.toml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("1.17 FLOP/B", run.stdout)

    def test_pictures_of_every_kind(self):
        for ending, start in (("svg", b"<"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            run = kstar("roofline", "opteron.toml", "-o", f"roof.{ending}")
            if ending != "svg" and run.returncode != 0 and "librsvg" in run.stderr:
                continue
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue(pathlib.Path(f"roof.{ending}").read_bytes().startswith(start))


class Programs(InPlace):
    def setUp(self):
        super().setUp()
        pathlib.Path("opteron.toml").write_text(OPTERON)

    def test_marks_say_what_a_step_does(self):
        train = os.environ.get("KSTAR_TRAIN") or str(pathlib.Path(os.environ["KSTAR"]).parent /
                                                       "kstar-train")
        if not pathlib.Path(train).exists():
            self.skipTest("no kstar-train")
        found = roofline("--machine", "opteron.toml", "--runs", "2", "--", train, "--steps", "8",
                         "--warm-up", "2", "--batch", "64", "--width", "8", "--memory-bound=4")
        kernel = found["kernels"][0]
        # In place: 16 bytes per word of 4 MiB, and the batch.
        memory = kernel["levels"][0]["bytes_per_second"] * kernel["seconds"]
        self.assertAlmostEqual(memory, 2 * 4 * 2**20 + 2 * 8 * 64 * 17, delta=1)
        self.assertGreater(kernel["flops"], 0)

    def test_without_operations_it_says_what_is_missing(self):
        found = roofline("--runs", "1", "--", "true")
        self.assertEqual(found["kernels"][0]["bound"], "unknown")
        self.assertIn("--flops", found["kernels"][0]["missing"])

    def test_ceilings_of_another_processor_decide_nothing(self):
        program = ("--flops", "1e6", "--bytes", "1e6", "--runs", "2", "--", "true")
        other = OPTERON.replace('"Opteron X2"', '"Opteron X2"\nprocessor = "another"')
        pathlib.Path("other.toml").write_text(other)
        run = kstar("roofline", "--machine", "other.toml", *program)
        self.assertIn("is of another processor (another)", " ".join(run.stdout.split()))
        self.assertIn("What bounds it is not known", run.stdout)
        run = kstar("roofline", "--machine", H200, *program)
        self.assertIn("are those of a GPU", run.stdout)

    def test_a_program_that_fails_is_an_error(self):
        run = kstar("roofline", "--runs", "1", "--", "false")
        self.assertEqual(run.returncode, 1)
        self.assertIn("exit status 1", run.stderr)
        self.assertEqual(kstar("roofline", "--", "./not-there").returncode, 1)

    def test_a_moment_is_mostly_starting_it(self):
        run = kstar("roofline", "--machine", "opteron.toml", "--flops", "1e3", "--bytes", "1e3",
                    "--runs", "2", "--", "true")
        said = " ".join(run.stdout.split())
        self.assertIn("of which starting it is a large part", said)
        self.assertIn("What bounds it is not known", said)

    def test_counters_that_are_recorded(self):
        fake = pathlib.Path("perf")
        fake.write_text("""#!/bin/sh
while [ "$1" != -o ]; do shift; done
cat > "$2" <<'END'
# started on today

2000000;ns;duration_time;2000000;100.00;;
100;;cache-misses;1;100.00;;
3000000;;fp_arith_inst_retired.256b_packed_double;1;100.00;;
3000000;;fp_ret_sse_avx_ops.all;1;100.00;;
END
shift 3
exec "$@"
""")
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{os.getcwd()}:{path}"
        try:
            found = roofline("--runs", "1", "--", "true")
        finally:
            os.environ["PATH"] = path
        kernel = found["kernels"][0]
        self.assertEqual(kernel["flops"], 15000000)
        self.assertTrue(any("cache misses" in note for note in found["notes"]))


class Profiles(unittest.TestCase):
    def test_the_h200_page_on_one_screen(self):
        run = kstar("roofline", DETAILS)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = run.stdout.splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn("matrix units are not in this page", " ".join(run.stdout.split()))

    def test_bounds_of_the_h200_page(self):
        bounds = {kernel["kernel"]: kernel for kernel in roofline(DETAILS)["kernels"]}
        gemm = next(k for name, k in bounds.items() if "gemm_f32f32" in name)
        self.assertEqual(gemm["bound"], "compute")
        self.assertAlmostEqual(gemm["compute_share"]["point"], 0.76, delta=0.01)
        add = next(k for name, k in bounds.items() if "CUDAFunctor_add" in name)
        self.assertEqual((add["bound"], add["level"]), ("memory", "memory"))
        softmax = next(k for name, k in bounds.items() if "SoftMax" in name)
        self.assertEqual(softmax["bound"], "unknown")  # the SMs are busy for 70% of the time
        for name, kernel in bounds.items():
            if "nvjet" in name:
                self.assertEqual(kernel["bound"], "unknown")
                self.assertIsNone(kernel["flops_per_byte"])


class Measures(InPlace):
    def test_ceilings_of_this_machine(self):
        run = kstar("roofline", "measure", "--threads", "1", "--repetitions", "2", "--memory", "8MB",
                    "-o", "machine.toml")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLessEqual(len(run.stdout.splitlines()), 40)
        shown = kstar("roofline", "machine.toml", "--format", "json")
        machine = json.loads(shown.stdout)
        found = {(c["level"], c["kernel"]) for c in machine["ceilings"]}
        self.assertTrue({("memory", "read"), ("memory", "copy"), ("memory", "triad")} <= found)
        self.assertTrue(any(level == "compute" for level, _ in found))

    def test_no_gpu_program_is_said(self):
        folder = pathlib.Path(os.environ["KSTAR"]).parent
        if (folder / "kstar-gpu-ceilings").exists():
            self.skipTest("there is one")
        run = kstar("roofline", "measure", "--gpu")
        self.assertEqual(run.returncode, 1)
        self.assertIn("kstar-gpu-ceilings", run.stderr)


class Scaling(InPlace):
    """What --machine of other commands answers."""
    STUDY = str(ROOT / "examples/roofline/memory-02.jsonl.gz")

    def said(self, *words):
        run = kstar(*words)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLessEqual(len(run.stdout.splitlines()), 40)
        return " ".join(run.stdout.split())

    def test_every_verdict_is_said(self):
        analyze = ("analyze", self.STUDY, "--machine")
        self.assertIn("Memory-bound: this machine's bandwidth is used up at 12 cores",
                      self.said(*analyze, CORES, "--bytes", "806M"))
        self.assertIn("is undecided: computation takes", self.said(*analyze, CORES))
        self.assertIn("It is not the memory's bandwidth: its bytes are",
                      self.said(*analyze, CORES, "--bytes", "1M"))
        self.assertIn("undecided: ", self.said(*analyze, CORES, "--bytes", "80G"))
        self.assertIn("has none on one thread and on more", self.said(*analyze, H200))

    def test_the_audit_has_a_row_of_the_machine(self):
        audit = ("audit", self.STUDY, "--machine", CORES)
        self.assertIn("T(1) reaches 31%", self.said(*audit, "--bytes", "806M"))
        self.assertIn("more than there is", self.said(*audit, "--bytes", "80G"))

    def test_ordinary_stores_are_no_embarrassment(self):
        triad, machine = (str(ROOT / "examples/roofline/turns" / name)
                          for name in ("triad.jsonl.gz", "machine.toml"))
        said = self.said("audit", triad, "--machine", machine)
        self.assertRegex(said, r"reaches 47% .* of this machine's memory bandwidth, 1\d\d% of what "
                               "ordinary stores move")
        self.assertNotIn("a faster program", said)
        run = kstar("plan", triad, "--machine", machine, "--flops", "150e6")
        self.assertIn("of one worker's fp64 peak each worker uses", " ".join(run.stdout.split()))

    def test_two_thread_counts_do_not_say_where_bandwidth_is_used_up(self):
        table = "Function Best Rate MB/s\n"
        pathlib.Path("stream.txt").write_text("".join(
            f"Number of Threads counted = {threads}\n{table}Triad: {rate} 0.1 0.1 0.1\n"
            for threads, rate in ((1, 13000), (16, 100000))))
        said = self.said("analyze", str(ROOT / "examples/roofline/turns/triad.jsonl.gz"), "--machine",
                         "stream.txt")
        self.assertIn("used up at 16 cores or fewer: 100 GB/s", said)

    def test_ceilings_under_load_are_none(self):
        text = pathlib.Path(CORES).read_text().replace("schema = 1", "schema = 1\ncpu_wait = 0.4")
        pathlib.Path("busy.toml").write_text(text)
        self.assertIn("Not ceilings: other jobs had the CPUs for 40%", self.said("roofline", "busy.toml"))
        self.assertIn("undecided: other jobs", self.said("analyze", self.STUDY, "--machine", "busy.toml",
                                                         "--bytes", "806M"))
        run = kstar("roofline", "--machine", "busy.toml", "--flops", "1e6", "--bytes", "1e6", "--runs",
                    "2", "--", "true")
        self.assertIn("Ceilings too low", run.stdout)


class Documented(unittest.TestCase):
    def test_the_table_of_the_prediction_is_that_of_the_data(self):
        turns = ROOT / "examples/roofline/turns"
        curve = json.loads(kstar("roofline", str(turns / "machine.toml"), "--format", "json").stdout)
        points = json.loads(kstar("analyze", str(turns / "triad.jsonl.gz"), "--machine",
                                  str(turns / "machine.toml"), "--format", "json").stdout)["points"]
        predicted = {point["threads"]: point["speedup"] for point in curve["bandwidth_curve"]}
        measured = {point["workers"]: point["speedup"] for point in points}
        rows = re.findall(r"^\| (\d+) \| ([\d.]+) \((?:se )?([\d.]+)\) \| ([\d.]+) \(([\d.]+)\) \| "
                          r"([+-]\d+)%", (ROOT / "docs/roofline.md").read_text(), re.MULTILINE)
        self.assertEqual([int(row[0]) for row in rows], [2, 3, 4, 6, 8, 12, 16])
        for workers, *numbers, miss in rows:
            said, found = predicted[int(workers)], measured[int(workers)]
            real = (said["point"], said["standard_error"], found["point"], found["standard_error"])
            self.assertEqual([f"{value:.2f}" for value in real], numbers)
            self.assertEqual(f"{100 * (said['point'] / found['point'] - 1):+.0f}", miss)


class Errors(InPlace):
    def refused(self, *words, code=2):
        run = kstar("roofline", *words)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertTrue(run.stderr.startswith("kstar: error: "), run.stderr)
        return run.stderr

    def test_the_command_line(self):
        self.assertIn("expected FILEs", self.refused())
        self.assertIn("--flops", self.refused("--flops", "-1", "--", "true"))
        self.assertIn("--bytes", self.refused("--bytes", "nan", "--", "true"))
        self.assertIn("1e30", self.refused("--flops", "1e308", "--", "true"))
        self.assertIn("--runs", self.refused("--runs", "0", "--", "true"))
        self.assertIn("--threads", self.refused("--threads", "x", "--", "true"))
        self.assertIn("missing command", self.refused("--"))
        self.assertIn("both", self.refused(DETAILS, "--", "true"))
        self.assertIn("--flops", self.refused(DETAILS, "--flops", "1"))
        self.assertIn("--threads", self.refused("measure", "--threads", "100000"))
        self.assertIn("--memory", self.refused("measure", "--memory", "1kB"))
        self.assertIn("--repetitions", self.refused("measure", "--repetitions", "1"))

    def test_options_act_or_are_refused(self):
        pathlib.Path("opteron.toml").write_text(OPTERON)
        program = ("--machine", "opteron.toml", "--flops", "1", "--", "true")
        self.assertIn("one of fp64", self.refused("--precision", "foo", *program))
        self.assertIn("1 to 16", self.refused(DETAILS, "--threads", "999", "--machine", CORES))
        self.assertIn("--machine", self.refused("opteron.toml", "--machine", H200))

    def test_without_ceilings_rates_are_shown(self):
        pathlib.Path("likwid.txt").write_text("".join(
            f"Region {name}, Group 1: MEM_DP\n| Metric | Core 0 |\n| Runtime (RDTSC) [s] | 2 |\n"
            "| DP [MFLOP/s] | 1500 |\n| Memory bandwidth [MBytes/s] | 3000 |\n" for name in "ab"))
        run = kstar("roofline", "likwid.txt")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"a +0.5 +3 GB/s +1.5 GFLOP/s")

    def test_a_file_by_any_name(self):
        pathlib.Path("stream").write_text("Function Best Rate MB/s\nTriad: 332295.2 0.1 0.1 0.1\n")
        run = kstar("roofline", "stream")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("no ceiling of operations", " ".join(run.stdout.split()))
        self.assertIn("no such file", self.refused("streem"))

    def test_amounts_have_units(self):
        pathlib.Path("opteron.toml").write_text(OPTERON)
        flops, memory = (roofline("--machine", "opteron.toml", "--flops", "2GFLOP", "--bytes", given,
                                  "--runs", "2", "--", "sleep", "0.2")["kernels"][0]["flops_per_byte"]
                         for given in ("1GB", "1GiB"))
        self.assertAlmostEqual(flops, 2)
        self.assertAlmostEqual(memory, 2e9 / 2**30)

    def test_above_a_ceiling_is_said_first(self):
        pathlib.Path("opteron.toml").write_text(OPTERON)
        run = kstar("roofline", "--machine", "opteron.toml", "--flops", "1", "--bytes", "1e15",
                    "--runs", "2", "--", "true")
        self.assertIn("is above a ceiling", run.stdout.splitlines()[2])
        self.assertNotIn("Bound by", run.stdout)

    def test_files(self):
        pathlib.Path("empty.csv").write_text("")
        pathlib.Path("other.csv").write_text("a,b\n1,2\n")
        pathlib.Path("bad.toml").write_text("[[compute]]\nsamples = [1, 0]\n")
        pathlib.Path("binary.csv").write_bytes(bytes(range(256)) * 100)
        self.assertIn("none of these", self.refused("empty.csv", code=1))
        self.assertIn("none of these", self.refused("other.csv", code=1))
        self.assertIn("none of these", self.refused("binary.csv", code=1))
        self.assertIn("bad.toml:2", self.refused("bad.toml", code=1))
        self.assertIn("expected a machine.toml", self.refused(DETAILS, "--machine", "other.csv", code=1))
        self.refused("not-there.csv", code=1)


if __name__ == "__main__":
    unittest.main()
