"""The answers of tail: known numbers, one screen, errors that name their place, and requests at a
rate that survive a kill. All requests go to this machine."""

import http.server
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import threading
import time
import unittest

from program import KSTAR, InFolder, environment, kstar

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "tail"
LEVELS = [str(EXAMPLES / f"load-{load}.csv.gz") for load in (200, 400, 600, 800)]


def tail(*words):
    run = kstar("tail", *words, "--format", "json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def percentiles(level):
    return {one["percentile"]: one for one in level["percentiles"]}


class Answers(InFolder):
    def test_the_stall_is_answered_with_what_it_hides(self):
        level = tail(str(EXAMPLES / "stall.csv.gz"), "--percentiles", "75,99.99")["levels"][0]
        self.assertAlmostEqual(percentiles(level)[99.99]["value"], 0.001)
        self.assertEqual(level["omission"]["verdict"], "found")
        corrected = {one["percentile"]: one["value"] for one in level["omission"]["corrected"]}
        self.assertAlmostEqual(corrected[75], 50, delta=0.1)
        first = " ".join(kstar("tail", str(EXAMPLES / "stall.csv.gz")).stdout.split("\n\n")[1].split())
        self.assertIn("not the 1 ms that was recorded", first)
        kept = tail(str(EXAMPLES / "stall.csv.gz"), "--slo", "p99 < 10ms")["levels"][0]
        self.assertEqual(kept["slo"], "broken")

    def test_the_largest_load_of_a_queue_is_found(self):
        answer = tail(*LEVELS, "--slo", "p99 < 15ms")
        self.assertEqual(answer["files_are"], "levels")
        truth = 1000 - math.log(100) / 0.015
        self.assertLess(answer["capacity"]["load_low"], truth)
        self.assertGreater(answer["capacity"]["load_high"], truth)
        self.assertAlmostEqual(answer["capacity"]["queues"][0]["capacity"] / 1000, 1, delta=0.05)

    def test_fan_out_has_the_known_share(self):
        level = tail(LEVELS[0], "--fan-out", "100")["levels"][0]
        rows = {row["workers"]: row for row in level["fan_out"]["rows"]}
        self.assertAlmostEqual(rows[100]["any_beyond_p99"], 0.634, places=3)
        self.assertIn("63% of requests to 100 shards", kstar("tail", LEVELS[0], "--fan-out", "100").stdout)

    def test_too_few_and_too_short_are_said_in_these_words(self):
        text = kstar("tail", LEVELS[3], "--percentiles", "50,99,99.99").stdout
        self.assertIn("too short for p99", text)
        few = self.write("few.txt", "".join(f"{i % 7 + 1}ms\n" for i in range(200)))
        self.assertIn("too few samples for p99.9", kstar("tail", few).stdout)

    def test_a_default_screen_has_40_lines_of_80_columns(self):
        for words in ([LEVELS[1], "--fan-out", "100", "--slo", "p99 < 15ms"],
                      [*LEVELS, "--slo", "p99 < 15ms"], [str(EXAMPLES / "stall.csv.gz")]):
            lines = kstar("tail", *words).stdout.splitlines()
            self.assertLessEqual(len(lines), 40)
            self.assertLessEqual(max(map(len, lines)), 80)

    def test_the_straggler_goes_to_predict(self):
        slow = self.write("slow.txt", "".join("10s\n" if i % 50 == 25 else "1s\n" for i in range(20000)))
        found = tail(slow)["straggler"]
        self.assertAlmostEqual(found["probability"], 0.02, delta=0.002)
        run = kstar("predict", "strong", "--serial", "0", "--straggler",
                    f"{found['probability']}:{found['delay']}", "--workers", "1,16", "--format", "json")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_study_goes_to_analyze_and_plan(self):
        names = []
        for n in (1, 2, 4, 8, 16):
            rate = 1000 * n / (1 + 0.05 * (n - 1))
            names.append(self.write(f"c{n}.txt", f"""Running 30s test @ http://127.0.0.1/
  1 threads and {n} connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    {n / rate * 1e3:.3f}ms   0.10ms  9.00ms   90.00%
  Latency Distribution
     50%   {n / rate * 1e3:.3f}ms
     99%   {3 * n / rate * 1e3:.3f}ms
  {int(rate * 30)} requests in 30.00s, 1.00MB read
Requests/sec:   {rate:.2f}
"""))
        study = str(self.path / "study.jsonl")
        run = kstar("tail", *names, "--study", study)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(kstar("analyze", study).returncode, 0)
        self.assertEqual(kstar("plan", study).returncode, 0)
        self.assertIn("the file exists", kstar("tail", *names, "--study", study).stderr)

    def test_figures_and_a_page_are_written(self):
        for words, name in (([*LEVELS], "load.svg"), ([LEVELS[0], "--figure", "fan-out"], "fan.svg"),
                            ([LEVELS[0]], "percentiles.svg"), ([*LEVELS], "page.html")):
            file = self.path / name
            run = kstar("tail", *words, "-o", str(file))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("<svg", file.read_text())

    def test_shards_that_are_slow_together_are_found(self):
        random.seed(4)
        files = [[] for _ in range(4)]
        for _ in range(4000):
            slow = random.random() < 0.02
            for one in files:
                one.append(f"{random.uniform(9, 11) if slow else random.uniform(0.9, 1.1):.5f}s\n")
        names = [self.write(f"shard{i}.txt", "".join(rows)) for i, rows in enumerate(files)]
        answer = tail(*names, "--files", "shards")
        self.assertTrue(answer["together"]["dependent"])
        self.assertIn("slow at the same times", " ".join(kstar("tail", *names).stdout.split()))


    def text(self, *words):
        run = kstar("tail", *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return " ".join(run.stdout.split())

    def test_the_worst_shard_is_the_answer_and_carries_the_verdict(self):
        names = [self.write(f"shard{i}.txt", f"{i + 1}ms\n" * (1000 + i)) for i in range(3)]
        self.assertIn("The SLO is broken (p99 < 2 ms): p99 of the slowest shard, shard2.txt, is 3 ms",
                      self.text(*names, "--slo", "p99 < 2ms"))
        same = [self.write(f"same{i}.txt", f"{i + 1}ms\n" * 1000) for i in range(3)]
        self.assertIn("The SLO is broken (p99 < 2 ms): the slowest of 3 shards has a p99 of 3 ms",
                      self.text(*same, "--slo", "p99 < 2ms"))
        self.assertEqual(tail(*same, "--slo", "p99 < 2ms")["together"]["slo"], "broken")

    def test_loads_that_contradict_each_other_are_said(self):
        names = []
        for load in (100, 200, 400):
            rows = "".join(f"{i / load:.6f},{1 / load:.6f}\n" for i in range(4000))
            names.append(self.write(f"load{load}.csv", "start,latency_s\n" + rows))
        text = self.text(*names, "--slo", "p99 < 6ms")
        self.assertRegex(text, r"p99 < 6 ms is kept at 200.*, 400.*, but broken at 100")

    def test_wrk_with_timeouts_has_its_own_total(self):
        name = self.write("wrk.txt", """Running 10s test @ http://127.0.0.1/
  1 threads and 9 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    1.000ms   0.10ms  9.00ms   90.00%
  Latency Distribution
     50%   1.000ms
     99%   3.000ms
  30000 requests in 10.00s, 1.00MB read
  Socket errors: connect 0, read 0, write 0, timeout 1500
Requests/sec:   3000.00
""")
        self.assertIn("1500 of 30000 requests failed (5.0%)", self.text(name))
        text = self.text(name, "--fan-out", "10", "--percentiles", "75")
        self.assertIn("--fan-out 10 is not used", text)
        self.assertIn("p75 cannot be told", text)

    def test_a_table_that_is_cut_off_bounds_nothing(self):
        rows = "".join(f"{i / 10:.3f} {i / 100:.6f} {i * 10} {1 / (1 - i / 100):.2f}\n" for i in range(1, 98))
        name = self.write("cut.hgrm", "Value Percentile TotalCount 1/(1-Percentile)\n" + rows)
        text = self.text(name, "--unit", "ms")
        self.assertIn("cut off after p97", text)
        self.assertNotIn("p99", text)

    def test_hedging_is_judged_at_p99(self):
        random.seed(2)
        name = self.write("two.txt", "".join("500ms\n" if random.random() < 0.04 else "5ms\n"
                                             for _ in range(20000)))
        self.assertIn("p99 500 ms -> 10 ms", self.text(name))

    def test_long_names_keep_their_ends(self):
        names = [self.write(f"a-very-long-name-of-a-shard-that-is-number-{i}.txt", "1ms\n" * 400)
                 for i in range(2)]
        self.assertIn("mber-1.txt", self.text(*names))


class Errors(InFolder):
    def check(self, words, *parts, code=1):
        run = kstar("tail", *words)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr)
        self.assertEqual(run.stdout, "")

    def test_bad_files_are_refused_with_their_place(self):
        self.check([self.write("a.txt", "1\n2\nx3\n")], "a.txt:3:1", "x3")
        self.check([self.write("b.txt", "1ms\n-2ms\n3ms\n")], "b.txt:2")
        self.check([self.write("n.txt", "1 ms\n-3ms\n-2ms\n" * 9)], "n.txt:2", "0 or more")
        self.check([self.write("c.txt", "")], "empty")
        self.check([self.write("d.bin", bytes(range(256)) * 10)], "no text")
        self.check([self.write("e.csv", "latency_ms\n\x1b[31m,1\n")], "e.csv:2")
        self.check([self.write("f.json", '{"latencies": {"99th": 1, "50th": ')], "JSON")
        self.check([str(self.path / "none.txt")], "none.txt", "cannot open")
        self.check([self.write("g.txt", "1\n" * 30 + "nan\n")], "g.txt:31")

    def test_a_unit_is_not_guessed(self):
        plain = self.write("plain.txt", "".join(f"{i % 50}\n" for i in range(1, 1000)))
        self.check([plain, "--slo", "p99 < 200ms"], "no unit", "--unit")
        self.check([LEVELS[0], "--slo", "p99 < 200"], "--slo", "no unit", code=2)
        self.check([plain, plain, "--files", "levels"], "needs a rate")
        self.assertIn("no unit", kstar("tail", plain).stdout)
        self.assertEqual(kstar("tail", plain, "--unit", "ms", "--slo", "p99 < 200ms").returncode, 0)

    def test_flags_say_what_they_take(self):
        for words in (["--slo", "p99"], ["--fan-out", "0"], ["--fan-out", "1.5"], ["--rate", "-1"],
                      ["--percentiles", "50,101"], ["--confidence", "2"], ["--price", "2"],
                      ["--unit", "weeks"], ["--figure", "load", "-o", "x.svg"]):
            self.check([LEVELS[0], *words], words[0], code=2)
        self.check([], "expected a file", code=2)
        self.check([LEVELS[0], "--column", "nope"], "--column", code=2)
        self.check([LEVELS[0], "--input-format", "nope"], "--input-format", code=2)


class Slow(http.server.BaseHTTPRequestHandler):
    """Answers at once, but for the requests of one stall."""
    protocol_version = "HTTP/1.1"
    stall_until = 0.0

    def do_GET(self):
        wait = Slow.stall_until - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        self.send_response(500 if self.path == "/fails" else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


class Measure(InFolder):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # clients that were killed
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.log = str(self.path / "log.jsonl")

    def records(self):
        lines = pathlib.Path(self.log).read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith('{"i"') and line.endswith("}")]

    def start(self, *words):
        return subprocess.Popen([KSTAR, "tail", "measure", *words, "-o", self.log], env=environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_no_request_is_sent_before_it_is_due_and_all_are_sent(self):
        run = kstar("tail", "measure", "--rate", "100", "--time", "1s", "--http", self.url, "-o", self.log)
        if "no libcurl" in run.stderr:
            self.skipTest("this build has no libcurl")
        self.assertEqual(run.returncode, 0, run.stderr)
        records = self.records()
        self.assertEqual(sorted(one["i"] for one in records), list(range(100)))
        for one in records:
            self.assertAlmostEqual(one["due"], one["i"] / 100, places=5)
            self.assertGreaterEqual(one["sent"] + 1e-6, one["due"])
            self.assertGreaterEqual(one["latency"] + 1e-6, one["sent"] - one["due"])
        level = tail(self.log)["levels"][0]
        self.assertEqual(level["latencies"], 100)
        self.assertEqual(level["omission"]["verdict"], "open_loop")
        self.assertEqual(level["offered"], 100)

    def test_a_stall_is_seen_by_all_that_were_due(self):
        process = self.start("--rate", "100", "--time", "2s", "--http", self.url)
        time.sleep(0.5)
        Slow.stall_until = time.monotonic() + 1
        output, errors = process.communicate(timeout=30)
        if "no libcurl" in errors:
            self.skipTest("this build has no libcurl")
        self.assertEqual(process.returncode, 0, errors)
        level = tail(self.log, "--percentiles", "50,90")["levels"][0]
        # About half of all requests were due in it: they waited 0 to 1 s.
        self.assertGreater(percentiles(level)[90]["value"], 0.5)
        self.assertEqual(level["latencies"], 200)

    def test_nothing_is_lost_when_killed(self):
        for how, code in ((signal.SIGKILL, -9), (signal.SIGTERM, 130)):
            Slow.stall_until = 0
            process = self.start("--rate", "100", "--time", "60s", "--force", "--http", self.url)
            time.sleep(0.7)
            Slow.stall_until = time.monotonic() + 3
            time.sleep(0.6)
            process.send_signal(how)
            _, errors = process.communicate(timeout=30)
            if "no libcurl" in errors:
                self.skipTest("this build has no libcurl")
            self.assertEqual(process.returncode, code, errors)
            level = tail(self.log, "--percentiles", "50")["levels"][0]
            self.assertGreater(level["unanswered"], 10)
            self.assertGreater(level["latencies"], 60)
            sent = max(json.loads(line).get("sent", 0) for line in
                       pathlib.Path(self.log).read_text().splitlines() if line.startswith('{"t"'))
            self.assertGreaterEqual(level["latencies"], sent)
            Slow.stall_until = 0

    def test_it_is_bounded_in_count(self):
        start = time.monotonic()
        run = kstar("tail", "measure", "--rate", "50", "--count", "5", "-o", self.log, "--", "true")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(self.records()), 5)
        self.assertLess(time.monotonic() - start, 10)

    def test_a_command_that_fails_or_hangs_is_counted(self):
        run = kstar("tail", "measure", "--rate", "20", "--count", "4", "--timeout", "300ms", "-o",
                    self.log, "--", "sleep", "5")
        self.assertEqual(run.returncode, 1)
        self.assertEqual([one.get("error") for one in self.records()], ["timeout"] * 4)
        self.assertIn("every one of 4 requests failed", run.stderr)
        run = kstar("tail", "measure", "--rate", "20", "--count", "4", "--force", "-o", self.log, "--",
                    "sh", "-c", "exit 3")
        self.assertEqual({one["error"] for one in self.records()}, {"exit status 3"})

    def test_a_log_is_not_replaced_and_flags_are_checked(self):
        pathlib.Path(self.log).write_text("mine")
        run = kstar("tail", "measure", "--rate", "5", "--count", "1", "-o", self.log, "--", "true")
        self.assertIn("the file exists", run.stderr)
        self.assertEqual(pathlib.Path(self.log).read_text(), "mine")
        for words in (["--rate", "0", "--", "true"], ["--", "true"], ["--rate", "5"],
                      ["--rate", "5", "--http", "ftp://127.0.0.1/"],
                      ["--rate", "100001", "--", "true"], ["--rate", "5", "--time", "2d", "--", "true"],
                      ["--rate", "100000", "--time", "1h", "--", "true"],
                      ["--rate", "5", "--http", self.url, "--", "true"]):
            run = kstar("tail", "measure", "-o", str(self.path / "new.jsonl"), *words)
            self.assertIn(run.returncode, (1, 2), words)
            self.assertFalse((self.path / "new.jsonl").exists(), words)
        run = kstar("tail", "measure", "--rate", "5", "-o", self.log + "2", "--", "no-such-program")
        self.assertIn("no such program", run.stderr)

    def test_random_intervals_have_the_rate(self):
        run = kstar("tail", "measure", "--rate", "200", "--time", "2s", "--arrivals", "poisson", "-o",
                    self.log, "--", "true")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertAlmostEqual(len(self.records()) / 400, 1, delta=0.25)


if __name__ == "__main__":
    unittest.main()
