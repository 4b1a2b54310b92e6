#!/usr/bin/env python3
"""kstar tail measure next to hey and wrk, against nginx on loopback: tail_load.py KSTAR [SECONDS]

1. The rate: 2,000 requests per second are asked for; the bar is 1%.
2. The latencies next to hey's at the same rate, in turns, each of both first as often as second. hey
   counts from when it starts to send a request, and drops those that it is late for; kstar counts
   from when a request was due. Both of kstar's are shown, and the former is compared. hey writes
   every latency in steps of 0.1 ms: kstar's are rounded to the same steps, and both are read between
   the steps in the same way. They agree where the medians over the turns differ by no more than hey
   differs from itself between turns, or by half a step, which is all that can be told. Where hey does
   not reach the rate, a lower one is taken.
3. A server that stops for two seconds: what a closed loop (wrk) and an open loop see of it.
As root everything runs under the real-time scheduler (SCHED_RR): other work on the machine then
disturbs little. Needs nginx, hey and wrk; stops what it starts.
"""
import collections
import csv
import json
import os
import pathlib
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

CONFIG = """worker_processes 1; master_process off; daemon off; pid {0}/pid; error_log {0}/error.log;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 100000000; client_body_temp_path {0}/body;
server {{ listen 127.0.0.1:{1}; location / {{ return 200 "ok"; }} }} }}
"""
TURNS = 6
CLIENTS = 1  # of hey: several send at the same moments, and queue behind each other
STEP = 1e-4  # seconds: hey writes four digits
SHOWN = (50, 90, 99)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ms(seconds):
    return f"{seconds * 1e3:.3g}"


def rank(values, percent):
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def between_steps(values, percent):
    """A percentile of values that were rounded to steps, each spread evenly over its step."""
    counts = collections.Counter(round(value / STEP) for value in values)
    left = percent / 100 * len(values)
    for step, count in sorted(counts.items()):
        if left <= count:
            low, high = max(0, step - 0.5), step + 0.5
            return STEP * (low + (high - low) * left / count)
        left -= count
    return STEP * max(counts)


def requests_of(log):
    return [json.loads(line) for line in open(log) if line.startswith('{"i"')]


class Turn:
    """What one tool measured once: percentiles from when requests were sent, and were due."""

    def __init__(self, rate, percentiles, cost, from_due=None):
        self.rate, self.percentiles, self.cost, self.from_due = rate, percentiles, cost, from_due


def kstar_turn(kstar, url, folder, seconds, rate):
    log = f"{folder}/open.jsonl"
    before = processor_time()
    subprocess.run([kstar, "tail", "measure", "--rate", str(rate), "--time", f"{seconds}s",
                    "--http", url, "--force", "-o", log], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True, timeout=seconds + 60)
    cost = processor_time() - before
    all_sent = requests_of(log)
    sent = [one["sent"] for one in all_sent]
    due = [one["latency"] for one in all_sent]
    answered = [one["due"] + one["latency"] - one["sent"] for one in all_sent]
    return Turn((len(sent) - 1) / (max(sent) - min(sent)), {p: between_steps(answered, p) for p in SHOWN},
                cost / len(sent), {p: rank(due, p) for p in SHOWN})


def hey_turn(url, seconds, rate):
    before = processor_time()
    # Real-time scheduling starves the helpers of Go's runtime now and then: a second try.
    for _ in range(3):
        try:
            text = subprocess.run(["hey", "-z", f"{seconds}s", "-c", str(CLIENTS), "-q",
                                   str(rate // CLIENTS), "-o", "csv", url], stdout=subprocess.PIPE,
                                  text=True, check=True, timeout=seconds + 10).stdout
        except subprocess.TimeoutExpired:
            continue
        rows = [row for row in csv.DictReader(text.splitlines()) if row["status-code"] == "200"]
        if len(rows) < 2:
            continue
        starts = [float(row["offset"]) for row in rows]
        times = [float(row["response-time"]) for row in rows]
        return Turn((len(rows) - 1) / (max(starts) - min(starts)),
                    {p: between_steps(times, p) for p in SHOWN},
                    (processor_time() - before) / len(rows))
    sys.exit("hey does not answer")


def agree(kstar, url, folder, seconds, rates):
    """In turns, at the largest rate that both reach; whether they agree there."""
    for rate in rates:
        ours, theirs = [], []
        for turn in range(TURNS):
            sides = [lambda: ours.append(kstar_turn(kstar, url, folder, seconds, rate)),
                     lambda: theirs.append(hey_turn(url, seconds, rate))]
            for side in sides if turn % 2 == 0 else reversed(sides):
                side()
            if theirs[-1].rate < 0.9 * rate:
                break
        if len(theirs) == TURNS and theirs[-1].rate >= 0.9 * rate:
            break
        print(f"hey does not reach {rate}/s: {theirs[-1].rate:.0f}/s")
    else:
        return False
    good = True
    print(f"next to hey at {rate}/s, {TURNS} turns of {seconds} s each: kstar sent "
          f"{statistics.median(one.rate for one in ours):.1f}/s, hey "
          f"{statistics.median(one.rate for one in theirs):.1f}/s; processor time per request "
          f"{statistics.median(one.cost for one in ours) * 1e6:.0f} us (kstar, with its analysis), "
          f"{statistics.median(one.cost for one in theirs) * 1e6:.0f} us (hey)")
    for p in SHOWN:
        mine = sorted(one.percentiles[p] for one in ours)
        hers = sorted(one.percentiles[p] for one in theirs)
        apart = abs(statistics.median(mine) - statistics.median(hers))
        own = max(hers[-1] - hers[0], STEP / 2)
        good = good and apart <= own
        print(f"  p{p}: kstar {ms(statistics.median(mine))} ms ({ms(mine[0])} to {ms(mine[-1])}), hey "
              f"{ms(statistics.median(hers))} ms ({ms(hers[0])} to {ms(hers[-1])}): {apart / own:.1f} "
              f"of what hey differs from itself; from when it was due "
              f"{ms(statistics.median(one.from_due[p] for one in ours))} ms"
              f"{'' if apart <= own else ': they differ'}")
    return good


def stalls(kstar, url, folder, server):
    """A server that stops for 2 s of 6 s; whether the open loop sees it and the closed one does not."""
    def stall():
        time.sleep(2)
        os.kill(server, signal.SIGSTOP)
        time.sleep(2)
        os.kill(server, signal.SIGCONT)

    wrk = subprocess.Popen(["wrk", "-t1", "-c4", "-d6s", "--latency", url],
                           stdout=subprocess.PIPE, text=True)
    stall()
    text = wrk.communicate()[0]
    closed = pathlib.Path(folder, "wrk.txt")
    closed.write_text(text)
    log = f"{folder}/stall.jsonl"
    open_loop = subprocess.Popen([kstar, "tail", "measure", "--rate", "500", "--time", "6s",
                                  "--http", url, "-o", log], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
    stall()
    open_loop.wait()
    seen = [one["latency"] for one in requests_of(log)]
    run = subprocess.run([kstar, "tail", str(closed), "--format", "json"], stdout=subprocess.PIPE,
                         check=True)
    wrk_level = json.loads(run.stdout)["levels"][0]
    of_wrk = {one["percentile"]: one["value"] for one in wrk_level["percentiles"]}
    print(f"stopped for 2 s of 6 s: p75 {ms(of_wrk[75])} ms (wrk, closed loop) and "
          f"{ms(rank(seen, 75))} ms (kstar, open loop); p99 {ms(of_wrk[99])} and "
          f"{ms(rank(seen, 99))} ms. kstar tail says of wrk's: {wrk_level['omission']['verdict']}")
    # A third of the requests were due in it: p75 waited for about 0.5 s, p99 for nearly 2 s.
    return rank(seen, 75) > 0.3 and rank(seen, 99) > 1.5 and of_wrk[75] < 0.1


def main():
    kstar = sys.argv[1]
    if os.geteuid() == 0:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # and what it starts
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    # In memory: a busy disk would be in the latencies of the side that writes a log.
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        port = free_port()
        pathlib.Path(folder, "nginx.conf").write_text(CONFIG.format(folder, port))
        server = subprocess.Popen(["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"],
                                  stderr=subprocess.DEVNULL)
        url = f"http://127.0.0.1:{port}/"
        try:
            time.sleep(0.5)
            rate = kstar_turn(kstar, url, folder, seconds, 2000).rate
            print(f"rate: asked 2000/s, sent {rate:.1f}/s ({rate / 2000 - 1:+.2%})")
            good = [abs(rate / 2000 - 1) <= 0.01,
                    agree(kstar, url, folder, seconds, (2000, 1000, 500)),
                    stalls(kstar, url, folder, server.pid)]
        finally:
            server.send_signal(signal.SIGCONT)
            server.terminate()
            server.wait()
    sys.exit(0 if all(good) else "a bar is missed")


main()
