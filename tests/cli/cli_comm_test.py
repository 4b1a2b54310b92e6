"""kstar comm: known answers, one screen, files as they are posted, and errors that name their place."""

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
