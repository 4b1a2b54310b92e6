#!/usr/bin/env python3
"""kstar tail measure next to hey and wrk, against nginx on loopback: tail_load.py KSTAR [SECONDS]

1. The rate: 2,000 requests per second are asked for; the bar is 1%.
2. The latencies next to hey's at the same rate, in turns. hey counts from when it has sent a request,
   and drops those that it is late for; kstar counts from when a request was due. Both of kstar's are
   shown, and the former is compared: its median over the turns must lie within the range of hey's
   turns, give or take the step of 0.1 ms that hey prints. Where hey does not reach the rate, a lower
   one is taken.
3. A server that stops for two seconds: what a closed loop (wrk) and an open loop see of it.
As root everything runs under the real-time scheduler (SCHED_RR): other work on the machine then
disturbs little. Needs nginx, hey and wrk; stops what it starts.
"""
import json
import os
import pathlib
import re
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
TURNS = 5
CLIENTS = 2  # of hey: they send at the same moments, more of them would queue behind each other
STEP = 1e-4  # seconds: hey prints four digits
SHOWN = (50, 90, 99)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ms(seconds):
    return f"{seconds * 1e3:.2f}"


def rank(values, percent):
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


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
    return Turn((len(sent) - 1) / (max(sent) - min(sent)), {p: rank(answered, p) for p in SHOWN},
                cost / len(sent), {p: rank(due, p) for p in SHOWN})


def hey_turn(url, seconds, rate):
    before = processor_time()
    # Real-time scheduling starves the helpers of Go's runtime now and then: a second try.
    for _ in range(3):
        try:
            text = subprocess.run(["hey", "-z", f"{seconds}s", "-c", str(CLIENTS), "-q",
                                   str(rate // CLIENTS), url], stdout=subprocess.PIPE, text=True,
                                  check=True, timeout=seconds + 10).stdout
        except subprocess.TimeoutExpired:
            continue
        found = {int(p): float(v) for p, v in re.findall(r"(\d+)% in ([\d.]+) secs", text)}
        if all(p in found for p in SHOWN):
            reached = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
            return Turn(reached, found, (processor_time() - before) / (reached * seconds))
    sys.exit("hey does not answer")


def agree(kstar, url, folder, seconds, rates):
    """In turns, at the largest rate that both reach; whether they agree there."""
    for rate in rates:
        ours, theirs = [], []
        for _ in range(TURNS):
            ours.append(kstar_turn(kstar, url, folder, seconds, rate))
            theirs.append(hey_turn(url, seconds, rate))
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
        middle = statistics.median(mine)
        same = hers[0] - STEP <= middle <= hers[-1] + STEP
        good = good and same
        print(f"  p{p}: kstar {ms(middle)} ms ({ms(mine[0])} to {ms(mine[-1])}), hey "
              f"{ms(statistics.median(hers))} ms ({ms(hers[0])} to {ms(hers[-1])}); from when it was "
              f"due {ms(statistics.median(one.from_due[p] for one in ours))} ms"
              f"{'' if same else ': they differ'}")
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
    with tempfile.TemporaryDirectory() as folder:
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
