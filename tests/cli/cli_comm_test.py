"""kstar comm: known answers, one screen, files as they are posted, and errors that name their place."""

import gzip
import json
import os
import pathlib
import unittest

from program import InFolder, kstar

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDY = str(ROOT / "examples" / "comm" / "links.jsonl")
PUBLIC = ROOT.parent / "shared" / "data" / "public"


def comm(*words):
    run = kstar("comm", *words, "--format", "json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


class Formulas(unittest.TestCase):
    def test_thakur_rabenseifner_gropp(self):
        table = comm("predict", "--latency", "10us", "--bandwidth", "1GB/s", "--bytes", "1MiB",
                     "--workers", "8")
        seconds = table["rows"][0]["seconds"]
        self.assertAlmostEqual(seconds["recursive-doubling"] * 1e6, 3175.7, 1)
        self.assertAlmostEqual(seconds["halving-doubling"] * 1e6, 1895.0, 1)
        self.assertAlmostEqual(seconds["ring"] * 1e6, 1975.0, 1)
        self.assertEqual([one["algorithm"] for one in table["cheapest"]],
                         ["recursive-doubling", "halving-doubling"])
        self.assertAlmostEqual(table["cheapest"][1]["from"], 24000, 0)
        text = kstar("comm", "predict", "--latency", "10us", "--bandwidth", "1GB/s", "--bytes",
                     "1MiB", "--workers", "8").stdout
        self.assertIn("recursive-doubling and ring: 88000 B", text)


class Measured(unittest.TestCase):
    def test_delay_rate_and_algorithm_of_known_links(self):
        fits = {(fit["collective"], fit["workers"]): fit for fit in comm(STUDY)["fits"]}
        two = fits["all-reduce", 2]["pieces"]
        self.assertAlmostEqual(two[0]["alpha"]["point"] * 1e6, 1060, delta=60)
        self.assertAlmostEqual(two[-1]["beta"]["point"] * 1e9, 84.3, delta=4)
        four = fits["all-reduce", 4]
        self.assertAlmostEqual(four["pieces"][0]["alpha"]["point"] * 1e6, 2180, delta=120)
        self.assertEqual(four["large_look_like"]["name"], "recursive-doubling")
        self.assertGreater(four["large_look_like"]["probability"], 0.9)

    def test_the_default_is_one_screen(self):
        run = kstar("comm", STUDY, "--link", "100Mb/s", "--gradient", "1e6:fp32", "--compute", "2s",
                    "--workers", "2..64")
        lines = run.stdout.splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn("On 64 workers", lines[2])


class Network(InFolder):
    def test_the_network_file_feeds_the_others(self):
        self.assertEqual(kstar("comm", STUDY, "-o", "network.toml", cwd=self.path).returncode, 0)
        words = ["--network", "network.toml", "--bytes", "4MB"]
        predicted = kstar("predict", "step", "--compute", "900", "--at", "4", *words, "--format",
                          "json", cwd=self.path)
        self.assertEqual(predicted.returncode, 0, predicted.stderr)
        self.assertRegex(predicted.stderr, "all-reduce of 4 MB takes 69[0-9.]+ ms")
        planned = kstar("plan", "step", "--compute", "900", "--at", "4", *words, "--work", "1000",
                        cwd=self.path)
        self.assertEqual(planned.returncode, 0, planned.stderr)
        (self.path / "p.toml").write_text('workers = 4\ntoday = 2\ntime = "2s"\n'
                                          'time_today = "3s"\nproblem = "fixed"\n')
        checked = kstar("plan", "check", "p.toml", *words, cwd=self.path)
        self.assertIn("the network takes", " ".join(checked.stdout.split()))
        study = ROOT / "examples" / "studies" / "clean-mpi-strong.jsonl.gz"
        compared = kstar("analyze", str(study), "--network", "network.toml", "--message",
                         "4MB", cwd=self.path)
        self.assertIn("The network should take", " ".join(compared.stdout.split()), compared.stderr)

    def test_what_the_network_does_not_know_stands_at_the_answer(self):
        head = ("# nThread 1 nGpus 8 minBytes 8\n" + "".join(
            f"#  Rank {rank:2} Group  0 Pid 25 on node-a device {rank} [0x53] H100\n"
            for rank in range(8)) + "#  size count type redop root time algbw busbw #wrong time "
            "algbw busbw #wrong\n")
        rows = ""
        for power in range(10, 27):
            us = 20 + 2**power / 1e5
            rate = 2**power / us / 1e3
            half = f"{us:.1f} {rate:.2f} {1.75 * rate:.2f} 0"
            rows += f"{2**power} {2**power // 4} float sum -1 {half} {half}\n"
        (self.path / "log.txt").write_text(head + rows)
        kstar("comm", "log.txt", "-o", "one.toml", cwd=self.path)
        words = ["step", "--compute", "900", "--at", "8", "--bytes", "1MiB", "--workers", "8..64"]
        for command in ("predict", "plan"):
            run = kstar(command, *words, "--network", "one.toml", cwd=self.path)
            text = " ".join(run.stdout.split())
            self.assertRegex(text, "[Aa]ll-reduce of 1 MiB was measured on one node alone")
            self.assertIn({"predict": "Run on at most",
                           "plan": "Only if the network takes no longer"}[command], text)
        one = (self.path / "one.toml").read_text()
        (self.path / "two.toml").write_text(
            one.replace("nodes = 1", 'nodes = 2\nirregular = "yes"').replace("node_workers = 8", ""))
        for command in ("predict", "plan"):
            run = kstar(command, *words, "--network", "two.toml", cwd=self.path)
            text = " ".join(run.stdout.split())
            self.assertRegex(text, "[Aa]t K = [0-9]+ all-reduce of 1 MiB takes .* extrapolated")
            self.assertIn("doubtful, as the times seen are irregular", text)
        known = kstar("predict", "step", "--compute", "0.01", *words[3:], "--network", "one.toml",
                      "--threshold", "0.95", cwd=self.path)
        self.assertIn("Run on 8 workers", known.stdout)
        self.assertNotIn("one node alone", known.stdout)
        study = ROOT / "examples" / "studies" / "clean-mpi-strong.jsonl.gz"
        judged = kstar("analyze", str(study), "--network", "one.toml", "--message", "1kB",
                       cwd=self.path)
        self.assertIn("whether the network is to blame cannot be told",
                      " ".join(judged.stdout.split()))

    def test_pictures_and_pages(self):
        for name in ("time.svg", "page.html"):
            run = kstar("comm", STUDY, "-o", name, cwd=self.path)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("all-reduce", (self.path / name).read_text())

    def test_import_points_here(self):
        (self.path / "log.txt").write_text("# OSU MPI Allreduce Latency Test v7.2\n# Size  Avg\n"
                                           "4 10.5\n8 10.5\n16 10.5\n")
        run = kstar("import", "log.txt", cwd=self.path)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("kstar comm log.txt", run.stderr)


    def test_a_study_of_collectives_has_a_page_and_no_k_star(self):
        run = kstar("report", STUDY, "-o", "page.html", cwd=self.path)
        self.assertEqual(run.returncode, 0, run.stderr)
        page = (self.path / "page.html").read_text()
        body = page[page.index("<main"):page.index("</main")]
        self.assertTrue("Bus bandwidth by size" in body and "Time by size" in body)
        self.assertFalse("K*" in body)
        (self.path / "packed.jsonl.gz").write_bytes(gzip.compress(pathlib.Path(STUDY).read_bytes()))
        run = kstar("report", "packed.jsonl.gz", "-o", "packed.html", cwd=self.path)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Bus bandwidth by size", (self.path / "packed.html").read_text())
        run = kstar("analyze", STUDY, cwd=self.path)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("kstar comm", run.stderr)


# A stand-in for nccl-tests where there is no GPU: the table that all_reduce_perf prints, with the
# times of 20 us + 2(K-1)/K bytes / 50 GB/s.
STAND_IN = """#!/usr/bin/env python3
import os, sys
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
gpus = int(words["-g"]) * int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
with open(os.environ["COUNTED"], "a") as file:
    file.write("x" if rank == 0 else "")
if rank > 0:
    sys.exit(0)
print("# nThread 1 nGpus", words["-g"], "minBytes", words["-b"], "maxBytes", words["-e"],
      "step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0")
print("# Using devices")
for rank in range(gpus):
    print(f"#  Rank {rank:2} Group  0 Pid  1887 on   worker-1 device {rank:2} [0x8d] NVIDIA H100")
print("#       size         count      type   redop    root     time   algbw   busbw #wrong     time"
      "   algbw   busbw #wrong")
size = int(words["-b"])
while size <= int(words["-e"]):
    time = 20 + 2 * (gpus - 1) / gpus * size / 50e3
    row = f"{time:8.2f} {size / time / 1e3:7.2f} {2 * (gpus - 1) / gpus * size / time / 1e3:7.2f}      0"
    print(f"{size:12} {size // 4:13}     float     sum      -1 {row} {row}")
    if os.environ.get("BROKEN") and size > 10000:
        print("worker-1: Test NCCL failure common.cu:1005 'unhandled system error / '")
        sys.exit(3)
    size *= int(words["-f"])
print("# Out of bounds values : 0 OK")
print("# Avg bus bandwidth    : 12.3")
"""


class NcclTests(InFolder):
    def setUp(self):
        super().setUp()
        program = self.path / "bin" / "all_reduce_perf"
        program.parent.mkdir()
        program.write_text(STAND_IN)
        program.chmod(0o755)
        self.environment = {"PATH": f"{program.parent}:{os.environ['PATH']}",
                            "COUNTED": str(self.path / "counted")}

    def measure(self, *words, **more):
        return kstar("comm", "measure", "--tool", "nccl-tests", "--launcher", "local", "--no-bind",
                     *words, cwd=self.path, **self.environment, **more)

    def test_it_is_run_read_fitted_and_resumed(self):
        run = self.measure("--workers", "2,4,8", "--runs", "2", "--sizes", "1KiB..1GiB", "-o",
                           "gpus.jsonl")
        self.assertEqual(run.returncode, 0, run.stderr)
        fits = json.loads(kstar("comm", "gpus.jsonl", "--format", "json",
                                cwd=self.path).stdout)["fits"]
        self.assertEqual([fit["workers"] for fit in fits], [2, 4, 8])
        for fit in fits:
            self.assertEqual(fit["tool"], "nccl-tests")
            self.assertEqual(fit["points"][0]["bytes"], 1024)
            self.assertEqual(fit["points"][-1]["bytes"], 2 ** 30)
            self.assertAlmostEqual(fit["best_bus_bandwidth"] / 50e9, 1, delta=0.01)
            self.assertAlmostEqual(fit["pieces"][0]["alpha"]["point"] * 1e6, 20, delta=0.5)
        made = len((self.path / "counted").read_text())
        run = self.measure("--workers", "2,4,8", "--runs", "3", "--sizes", "1KiB..1GiB", "-o",
                           "gpus.jsonl", "--resume")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len((self.path / "counted").read_text()) - made, 3)

    def test_a_run_that_breaks_off_is_kept_as_failed(self):
        run = self.measure("--workers", "2", "--runs", "2", "-o", "gpus.jsonl", BROKEN="1")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("unhandled system error", (self.path / "gpus.jsonl").read_text())

    def test_one_collective_in_a_study_and_the_programs_name(self):
        run = self.measure("--workers", "2", "--collectives", "all-reduce,all-gather")
        self.assertIn("one collective in a study", run.stderr)
        run = self.measure("--workers", "2", "--collectives", "all-to-all", "-o", "x.jsonl")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("alltoall_perf", run.stderr)
        run = self.measure("--workers", "3,6", "--collectives", "all-gather", "--dry-run", "-o",
                           "x.jsonl")
        self.assertIn("-b 1056", run.stdout)  # 16 bytes on every worker of 3 and of 6


class Errors(InFolder):
    def failing(self, *words, status=2):
        run = kstar("comm", *words, cwd=self.path)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stderr

    def test_each_names_its_place_the_value_and_the_constraint(self):
        self.assertIn("--link: expected a rate", self.failing(STUDY, "--link", "fast"))
        self.assertIn("--link: expected a rate", self.failing(STUDY, "--link", "25GB"))
        self.assertIn("--compute: expected a time above 0 with its unit",
                      self.failing(STUDY, "--bytes", "1MB", "--compute", "180"))
        self.assertIn("--latency: expected a time with its unit",
                      self.failing("predict", "--latency", "10", "--bandwidth", "1GB/s", "--bytes",
                                   "1MB"))
        self.assertIn("--gradient: expected parameters", self.failing(STUDY, "--gradient", "7"))
        self.assertIn("--bytes: expected a size", self.failing(STUDY, "--bytes", "-1"))
        self.assertIn("--ranks: expected a whole number", self.failing(STUDY, "--ranks", "0"))
        self.assertIn("no size to predict", self.failing(STUDY, "--workers", "4"))
        self.assertIn("expected at least one FILE", self.failing())
        self.assertIn("2 workers or more", self.failing("measure", "--workers", "1"))
        self.assertIn("--sizes: expected sizes", self.failing("measure", "--sizes", "8..x"))
        self.assertIn("--collectives", self.failing("measure", "--collectives", "gossip"))
        (self.path / "n.toml").write_text("[[sweep]]\nworkers = 2\n")
        self.assertIn("n.toml:1:1", self.failing("predict", "n.toml", "--bytes", "1MB", status=1))

    def test_flags_that_the_files_contradict_are_refused(self):
        (self.path / "log.txt").write_text(
            "$ mpirun -np 8 osu_allreduce\n# OSU MPI Allreduce Latency Test v7.2\n"
            "# Size  Avg Latency(us)\n4 10.5\n8 10.5\n16 10.6\n")
        self.assertIn("log.txt says 8 workers", self.failing("log.txt", "--ranks", "4"))
        self.assertIn("no in-place times", self.failing("log.txt", "--in-place"))
        self.assertIn("--nodes: expected at most the 8", self.failing("log.txt", "--nodes", "9"))
        self.assertIn("--node-workers: expected 4 or more",
                      self.failing("log.txt", "--nodes", "2", "--node-workers", "3"))
        run = kstar("comm", "log.txt", "--node-workers", "4", cwd=self.path)
        self.assertIn("8 workers on 2 nodes", run.stdout)

    def test_the_mpi_probe_has_no_launcher_without_ranks(self):
        for launcher in ("local", "torchrun"):
            self.assertIn("the MPI probe needs ranks of MPI", self.failing(
                "measure", "--workers", "2", "--launcher", launcher, "--dry-run"))

    def test_one_number_of_ranks_for_several_tables_is_said(self):
        rows = "".join(f"{2**i} {10 + 2**i / 1000:.2f}\n" for i in range(3, 23))
        (self.path / "log").write_text("".join(
            f"=== {ranks} ranks\n# OSU MPI Allreduce Latency Test v7.5\n# Size Avg Latency(us)\n" +
            rows for ranks in (2, 4, 8)))
        text = " ".join(kstar("comm", "log", "--ranks", "8", cwd=self.path).stdout.split())
        self.assertIn("3 tables of log do not say their workers: 8 is taken for all", text)

    def test_what_the_files_say_may_be_repeated(self):
        rows = "".join(f"{2**i} {10 + 2**i / 1000:.2f}\n" for i in range(3, 23))
        (self.path / "log").write_text("srun -N 2 -n 8 ./osu_allreduce\n# OSU MPI Allreduce Latency "
                                       "Test v7.5\n# Size Avg Latency(us)\n" + rows)
        run = kstar("comm", "log", "--ranks", "8", "--nodes", "2", cwd=self.path)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("says 8 workers", self.failing("log", "--ranks", "16"))

    def test_the_hint_is_for_what_a_sweep_lacks(self):
        head = "# OSU MPI Allreduce Latency Test v7.2\n# Size  Avg Latency(us)\n"
        (self.path / "few.txt").write_text("$ mpirun -np 8 osu_allreduce\n" + head + "4 10.5\n")
        self.assertIn("three sizes or more", self.failing("few.txt", "--bytes", "8", status=1))
        (self.path / "no_k.txt").write_text(head + "4 10.5\n8 10.5\n16 10.6\n")
        self.assertIn("--ranks N", self.failing("no_k.txt", "--bytes", "8", status=1))

    def test_a_table_without_a_name_is_named_by_a_flag(self):
        (self.path / "table.txt").write_text(
            "#  size  count  type  redop  root  time  algbw  busbw  #wrong\n"
            + "".join(f"  {8 * n}  {2 * n}  float  sum  -1  30.{n}  0.00  0.00  0\n"
                      for n in (1, 2, 4)))
        self.assertIn("--collective names it", self.failing("table.txt", status=1))
        run = kstar("comm", "table.txt", "--collective", "reduce", cwd=self.path)
        self.assertIn("reduce (nccl-tests", run.stdout, run.stderr)

    def test_a_file_needs_no_dot_in_its_name(self):
        (self.path / "log").write_text("# OSU MPI Latency Test v5\n# Size Latency (us)\n1 1.0\n"
                                       "2 1.0\n4 1.1\n")
        self.assertEqual(kstar("comm", "log", cwd=self.path).returncode, 0)
        self.assertIn("lag", self.failing("lag"))

    def test_the_answer_is_what_was_measured(self):
        rows = "".join(f"{2**i} {10 + 2**i / 1000:.2f}\n" for i in range(3, 23))
        (self.path / "log.txt").write_text("# OSU MPI Latency Test v5\n# Size Latency (us)\n1 17.5\n" +
                                           rows)
        text = " ".join(kstar("comm", "log.txt", cwd=self.path).stdout.split())
        self.assertIn("The largest, 4 MiB, reaches a bus bandwidth of 0.998 GB/s", text)
        self.assertIn("the smallest, 1 B, takes 17.5 us", text)
        (self.path / "small.txt").write_text("# OSU MPI Latency Test v5\n# Size Latency (us)\n"
                                             "1 17.5\n2 17.4\n4 17.5\n8 17.6\n")
        text = " ".join(kstar("comm", "small.txt", cwd=self.path).stdout.split())
        self.assertIn("too small to tell a bandwidth", text)
        self.assertNotIn("latency bound below", text)
        self.assertIn("too small to tell a bandwidth",
                      self.failing("small.txt", "--bytes", "14GB", status=1))

    def test_two_sizes_of_another_regime_are_named(self):
        times = [10 + 2**i / 1000 for i in range(3, 23)]
        times[-2:] = [4 * time for time in times[-2:]]
        rows = "".join(f"{2**i} {time:.2f}\n" for i, time in zip(range(3, 23), times))
        (self.path / "log.txt").write_text("# OSU MPI Latency Test v5\n# Size Latency (us)\n" + rows)
        run = kstar("comm", "log.txt", "--bytes", "1MiB", cwd=self.path)
        text = " ".join(run.stdout.split())
        self.assertIn("from 2 MiB on it takes 3.8 times what the line of the smaller sizes says", text)
        self.assertIn("On 2 workers", text)  # a message has two ends: no larger K is asked about
        self.assertNotIn("extrapolated", text)
        self.assertIn("half the latency saves 0% of it, twice the bandwidth 50%", text)

    def test_one_worker_sends_nothing(self):
        text = kstar("comm", STUDY, "--bytes", "1MB", "--workers", "1").stdout
        self.assertIn("takes no time", text)
        self.assertNotIn("Buckets", text)

    def test_ugly_files_are_refused_in_words(self):
        for name, text in (("empty", b""), ("binary", bytes(range(256)) * 40), ("one", b"8 2 float\n"),
                           ("html", b"<html></html>"), ("cut", b'{"results":[{"size":8,')):
            (self.path / name).write_bytes(text)
            error = self.failing(f"./{name}", status=1)
            self.assertIn(name, error)

    def test_one_bad_file_among_good_ones_is_a_note(self):
        (self.path / "bad.txt").write_text("nothing here\n")
        run = kstar("comm", STUDY, "bad.txt", cwd=self.path)
        self.assertEqual(run.returncode, 0)
        self.assertIn("bad.txt", run.stdout)

    def test_terminal_controls_do_not_pass(self):
        (self.path / "log.txt").write_text(
            "\x1b[2J evil\n# OSU MPI Latency Test v5\x1b]0;x\x07\n# Size Latency (us)\n1 1.0\n2 1.0\n4 1.1\n")
        run = kstar("comm", "log.txt", "--full", cwd=self.path)
        self.assertNotIn("\x1b", run.stdout + run.stderr)


@unittest.skipUnless(PUBLIC.exists(), "no public data here")
class Public(unittest.TestCase):
    def test_every_file_is_read_or_refused_in_words(self):
        for folder in ("collectives/nccl", "collectives/osu", "collectives/imb", "samples/comm"):
            for path in sorted((PUBLIC / folder).iterdir()):
                run = kstar("comm", str(path))
                self.assertIn(run.returncode, (0, 1), run.stderr)
                self.assertLessEqual(len(run.stdout.splitlines()), 40, path)

    def test_in_network_reduction_is_not_called_wrong(self):
        path = PUBLIC / "collectives/nccl/allreduce_16xA100-40GB_2nodes_fullsweep.txt"
        text = " ".join(kstar("comm", str(path), "--link", "25GB/s x8").stdout.split())
        self.assertIn("No error where the network itself reduces", text)
        self.assertIn("is a mean over all sizes", text)


if __name__ == "__main__":
    unittest.main()
