"""The answers of tail: known numbers, one screen, errors that name their place, and requests at a
rate that survive a kill. All requests go to this machine."""

import base64
import http.server
import json
import math
import os
import pathlib
import random
import signal
import struct
import subprocess
import threading
import time
import unittest
import zlib

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

    def test_nothing_rests_on_latencies_of_a_client_that_waited(self):
        stall = str(EXAMPLES / "stall.csv.gz")
        text = kstar("tail", stall, "--fan-out", "10", "--full").stdout
        self.assertIn("left out", text)
        for absent in ("slowest of 10", "waits for K shards", "Hedged requests"):
            self.assertNotIn(absent, text)
        run = kstar("tail", stall, "--figure", "fan-out", "-o", str(self.path / "x.svg"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("coordinated omission", run.stderr)
        self.assertEqual(kstar("tail", stall, "-o", str(self.path / "p.svg")).returncode, 0)
        self.assertIn("corrected", (self.path / "p.svg").read_text())

    def test_the_largest_load_of_a_queue_is_found(self):
        answer = tail(*LEVELS, "--slo", "p99 < 15ms")
        self.assertEqual(answer["files_are"], "levels")
        truth = 1000 - math.log(100) / 0.015
        self.assertLess(answer["capacity"]["load_low"], truth)
        self.assertGreater(answer["capacity"]["load_high"], truth)
        self.assertAlmostEqual(answer["capacity"]["queues"][0]["capacity"] / 1000, 1, delta=0.05)

    def test_intervals_are_named_by_their_confidence(self):
        screen = kstar("tail", LEVELS[0], "--confidence", "0.9", "--full").stdout
        self.assertIn("90% interval", screen)
        self.assertNotIn("95%", screen)

    def test_stated_percentiles_have_no_samples_and_no_assumptions(self):
        report = {"connections": 10, "duration": 30, "2xx": 6500, "requests": {"total": 6500},
                  "latency": {"mean": 0.4, "max": 60, "p50": 0, "p97_5": 9, "p99": 12, "totalCount": 6500}}
        pathlib.Path("report.json").write_text(json.dumps(report))
        screen = kstar("tail", "report.json", "--full").stdout
        self.assertIn("p99 is 12 ms", screen)
        self.assertIn("below 1 ms", screen)
        self.assertNotIn("samples above", screen)
        self.assertNotIn("Assumptions", screen)

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
        three = kstar("tail", self.write("three.txt", "5ms\n5ms\n6ms\n")).stdout
        self.assertIn("No percentile can be relied on: too few samples for p99 (6 ms in this file).", three)

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


    def test_equal_latencies_and_zeros_are_doubted(self):
        self.assertIn("all latencies are equal", self.text(self.write("equal.txt", "5ms\n" * 100)))
        zeros = self.write("zeros.txt", "0ms\n" * 60 + "1ms\n" * 40)
        self.assertIn("half of the latencies or more are 0", self.text(zeros))
        self.assertIn("p99 < 1 ms", self.text(zeros, "--slo", "p99 < 1ms"))

    def test_more_in_flight_is_an_axis_of_its_own(self):
        random.seed(3)
        names = []
        for batch, rate, slow in ((1, 2.0, 0.02), (8, 9.0, 0.05), (64, 20.0, 0.3)):
            ttfts = [slow * random.uniform(1, 1.5) for _ in range(500)]
            names.append(self.write(f"b{batch}.json", json.dumps({
                "backend": "vllm", "num_prompts": 500, "completed": 500, "request_rate": "inf",
                "max_concurrency": batch, "duration": 500 / rate, "request_throughput": rate,
                "output_throughput": 200 * rate, "mean_ttft_ms": 1000 * sum(ttfts) / 500,
                "ttfts": ttfts})))
        answer = tail(*names, "--slo", "p99 < 100ms")
        self.assertTrue(answer["by_concurrency"])
        self.assertEqual([level["concurrency"] for level in answer["levels"]], [1, 8, 64])
        self.assertEqual(answer["capacity"]["kept_at"], 8)
        self.assertEqual(answer["capacity"]["broken_at"], 64)
        self.assertEqual(answer["capacity"]["queues"], [])
        text = self.text(*names, "--slo", "p99 < 100ms", "--price", "3.60")
        self.assertIn("p99 < 100 ms is kept at 8 in flight, broken at 64 in flight. "
                      "Most goodput: 9/s at 8 in flight, where it is kept.", text)
        self.assertIn("tokens per", text)
        self.assertIn("1.8 million", text)  # 1,800 tokens/s for 0.001 $/s
        drawn = self.path / "batch.svg"
        self.assertEqual(kstar("tail", *names, "-o", str(drawn)).returncode, 0)
        self.assertIn("requests in flight", drawn.read_text())


class Formats(InFolder):
    def percentiles_of(self, name, text, *words):
        level = tail(self.write(name, text), *words)["levels"][0]
        return level, {key: one["value"] for key, one in percentiles(level).items()}

    def test_ab_is_read(self):
        level, values = self.percentiles_of("ab.txt", """This is ApacheBench, Version 2.3
Concurrency Level:      100
Time taken for tests:   0.771 seconds
Complete requests:      10000
Failed requests:        19
   (Connect: 0, Receive: 0, Length: 9, Exceptions: 10)
Requests per second:    12963.70 [#/sec] (mean)
Time per request:       7.714 [ms] (mean)
Time per request:       0.077 [ms] (mean, across all concurrent requests)

Percentage of the requests served within a certain time (ms)
  50%      7
  99%     13
 100%     18 (longest request)
""")
        self.assertEqual({key: round(value, 9) for key, value in values.items()}, {50: 0.007, 99: 0.013})
        self.assertEqual((level["failed"], level["latencies"]), (10, 9990))
        self.assertEqual(level["concurrency"], 100)
        self.assertAlmostEqual(level["served"], 12963.7 * 0.999)
        self.assertAlmostEqual(level["mean"], 0.007714)
        self.assertEqual(level["omission"]["verdict"], "closed_loop")

    def test_the_text_of_vegeta_is_read(self):
        level, values = self.percentiles_of("vegeta.txt", """\
Requests      [total, rate, throughput]         1200, 120.00, 65.87
Duration      [total, attack, wait]             1m10.094965987s, 9.949883921s, 145.082066ms
Latencies     [min, mean, 50, 95, 99, max]      90.4ms, 113.1ms, 108.272568ms, 140.1ms, 1m1.5s, 1m2s
Success       [ratio]                           55.50%
Status Codes  [code:count]                      0:534  200:666
""")
        self.assertAlmostEqual(values[50], 0.108272568)
        self.assertAlmostEqual(values[99], 61.5)
        self.assertEqual((level["failed"], level["offered"]), (534, 120))
        self.assertAlmostEqual(level["duration"], 70.094965987)

    def test_the_text_of_k6_is_read(self):
        level, values = self.percentiles_of("k6.txt", """
     http_req_blocked...............: avg=52.13ms  min=52.13ms med=52.13ms max=52.13ms p(90)=1s p(95)=2s
   \u2713 http_req_duration..............: avg=171.89ms min=1ms med=161.89\u00b5s max=2m1s p(90)=950\u00b5s p(95)=1.5s
       { expected_response:true }...: avg=171.89ms min=1ms med=161.89ms max=381.89ms p(90)=2s p(95)=3s
     http_req_failed................: 2.00%  \u2713 20        \u2717 980
     http_reqs......................: 1000    98.1/s
""")
        self.assertEqual({key: round(value, 9) for key, value in values.items()},
                         {50: 0.00016189, 90: 0.00095, 95: 1.5})
        self.assertEqual(level["failed"], 20)
        self.assertAlmostEqual(level["served"], 98.1 * 0.98)
        self.assertEqual(level["other_metrics"], ["http_req_blocked"])

    def test_percentiles_that_fall_are_refused(self):
        run = kstar("tail", self.write("ab.txt", """Concurrency Level:      10
Percentage of the requests served within a certain time (ms)
50%   163.27
90%   150.92
"""))
        self.assertEqual(run.returncode, 1)
        self.assertIn("'90%' is less than '50%'", run.stderr)

    def test_what_is_not_read_is_named(self):
        for text, name in (("randread: (g=0)\n    clat percentiles (usec):\n     | 99.00th=[  963]\n", "fio"),
                           ("---- Global Information ---\n> request count  10 (OK=9 KO=1)\n", "Gatling"),
                           ("64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.02 ms\n", "ping")):
            run = kstar("tail", self.write("other.txt", text))
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"this looks like {name}", run.stderr)
            self.assertIn("hint:", run.stderr)

    def test_a_first_log_of_hdrhistogram_is_read(self):
        # V0, as jHiccup 2.0.3 wrote it: counts of eight bytes, and the lower end of the bucket with
        # the maximum, in milliseconds. Two digits from 16384 ns on: 256 buckets of that width.
        def line(start, counts, most):
            words = [0] * 256
            for index, count in counts.items():
                words[index] = count
            plain = struct.pack(">Iiqqq", 0x1c849388, 2, 20000, 3600000000000, sum(words))
            packed = zlib.compress(plain + struct.pack(">256Q", *words))
            text = base64.b64encode(struct.pack(">II", 0x1c849389, len(packed)) + packed).decode()
            return f"{start:.3f},5.000,{most:.3f},{text}\n"
        rows = [line(5 * i, {2: 4000, 3: 600, 7 + i % 3: 1}, (7 + i % 3) * 16384e-6) for i in range(20)]
        text = "#[Histogram log format version 1.01]\n" + "".join(rows)
        level, values = self.percentiles_of("v0.hlog", text)
        self.assertEqual((level["latencies"], level["unit"]), (20 * 4601, "s"))
        self.assertAlmostEqual(values[50], 3 * 16384e-9, delta=2e-9)
        self.assertAlmostEqual(values[99], 4 * 16384e-9, delta=2e-9)
        # Buckets that are a third of their values wide are not said to be narrow.
        self.assertGreater(level["bucket_error"], 0.3)
        self.assertLess(percentiles(level)[99]["low"], 0.8 * values[99])


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
        lines = self.write("lines.txt", "1ms\n2ms\n")
        self.check([lines, "--column", "latency"], f"--column: {lines} has no columns", code=2)


class Slow(http.server.BaseHTTPRequestHandler):
    """Answers at once, but for the requests of one stall, which is so many requests after the first,
    however long the client takes to start."""
    protocol_version = "HTTP/1.1"
    seen = 0  # requests
    stall_after, stall_time = None, 0.0
    over = threading.Event()
    lock = threading.Lock()

    @staticmethod
    def reset(stall_after=None, stall_time=0.0):
        Slow.over.set()
        Slow.seen, Slow.stall_after, Slow.stall_time = 0, stall_after, stall_time
        Slow.over = threading.Event()

    def do_GET(self):
        with Slow.lock:
            Slow.seen += 1
            number, over = Slow.seen, Slow.over
        if number == Slow.stall_after:
            timer = threading.Timer(Slow.stall_time, over.set)
            timer.daemon = True
            timer.start()
        if Slow.stall_after is not None and number >= Slow.stall_after:
            over.wait()
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
        self.addCleanup(Slow.reset)
        Slow.reset()
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
        Slow.reset(stall_after=50, stall_time=1)
        process = self.start("--rate", "100", "--time", "2s", "--http", self.url)
        _, errors = process.communicate(timeout=120)
        if "no libcurl" in errors:
            self.skipTest("this build has no libcurl")
        self.assertEqual(process.returncode, 0, errors)
        level = tail(self.log, "--percentiles", "50,90")["levels"][0]
        # About half of all requests were due in it: they waited 0 to 1 s.
        self.assertGreater(percentiles(level)[90]["value"], 0.5)
        self.assertEqual(level["latencies"], 200)

    def test_nothing_is_lost_when_killed(self):
        for how, code in ((signal.SIGKILL, -9), (signal.SIGTERM, 130)):
            Slow.reset(stall_after=50, stall_time=60)
            process = self.start("--rate", "100", "--time", "60s", "--force", "--http", self.url)
            until = time.monotonic() + 60
            # What was sent in the 10 ms before a kill may not be noted: some more than are asked for.
            while Slow.seen < 90 and process.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
            process.send_signal(how)
            _, errors = process.communicate(timeout=120)
            if "no libcurl" in errors:
                self.skipTest("this build has no libcurl")
            self.assertEqual(process.returncode, code, errors)
            level = tail(self.log, "--percentiles", "50")["levels"][0]
            self.assertGreater(level["unanswered"], 10)
            self.assertGreaterEqual(level["latencies"], 70)
            sent = max(json.loads(line).get("sent", 0) for line in
                       pathlib.Path(self.log).read_text().splitlines() if line.startswith('{"t"'))
            self.assertGreaterEqual(level["latencies"], sent)

    def test_a_password_is_not_written(self):
        url = self.url.replace("://", "://me:secret-word@")
        run = kstar("tail", "measure", "--rate", "100", "--count", "5", "--http", url, "-o", self.log)
        if "no libcurl" in run.stderr:
            self.skipTest("this build has no libcurl")
        written = pathlib.Path(self.log).read_text()
        self.assertNotIn("secret-word", written + run.stdout + run.stderr)
        self.assertIn("://***@127.0.0.1", written)

    def test_it_is_bounded_in_count(self):
        start = time.monotonic()
        run = kstar("tail", "measure", "--rate", "50", "--count", "5", "-o", self.log, "--", "true")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(self.records()), 5)
        self.assertLess(time.monotonic() - start, 60)

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
        run = kstar("tail", "measure", "--rate", "200", "--time", "1s", "--arrivals", "poisson", "-o",
                    self.log, "--", "true")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertAlmostEqual(len(self.records()) / 200, 1, delta=0.25)


if __name__ == "__main__":
    unittest.main()
