#!/usr/bin/env python3
"""kstar tail measure next to hey and wrk, against nginx on loopback: tail_load.py KSTAR [SECONDS]

1. The rate: 2,000 requests per second are asked for; the bar is 1%.
2. The latencies next to hey's at the same rate, in turns of a random order, with kstar's log in
   memory and on the disk. hey counts from when it starts to send a request, and drops those that it
   is late for; kstar counts from when a request was due. Both of kstar's are shown, and the former
   is compared. hey writes every latency in steps of 0.1 ms: kstar's are rounded to the same steps,
   and both are read between the steps in the same way. They agree where the medians over the turns
   differ by no more than hey differs from itself between turns, or by half a step, which is all that
   can be told. hey has the fewest clients that reach the rate.
3. A server that stops for 60 ms: the requests that come meanwhile wait, and are more than 1% of all.
   hey sends as many fewer as it has clients that wait: whatever stops a machine for a moment is in
   the p99 of one and not of the other.
4. A server that stops for two seconds: what a closed loop (wrk) and an open loop see of it.
As root everything runs under the real-time scheduler (SCHED_RR): other work on the machine then
disturbs little. Needs nginx, hey and wrk; stops what it starts.
"""
import collections
import csv
import json
import os
import pathlib
import random
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

CONFIG = """worker_processes 1; master_process off; daemon off; pid {0}/pid; error_log {0}/error.log;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 100000000; client_body_temp_path {0}/body;
server {{ listen 127.0.0.1:{1}; location / {{ return 200 "ok"; }} }} }}
"""
TURNS = 6
RATE = 2000
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


def hey_turn(url, seconds, rate, clients):
    before = processor_time()
    # Real-time scheduling starves the helpers of Go's runtime now and then: a second try.
    for _ in range(3):
        try:
            text = subprocess.run(["hey", "-z", f"{seconds}s", "-c", str(clients), "-q",
                                   str(rate // clients), "-o", "csv", url], stdout=subprocess.PIPE,
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


def fewest_clients(url):
    """Of hey, to reach the rate: those that send at the same moments wait for each other."""
    for clients in (1, 2, 4, 8):
        rate = hey_turn(url, 2, RATE, clients).rate
        print(f"hey with {clients} clients sends {rate:.0f}/s")
        if rate >= 0.98 * RATE:
            return clients
    sys.exit("hey does not reach the rate")


def spread(turns, p):
    """The median over the turns, the least and the most."""
    values = sorted(one.percentiles[p] for one in turns)
    return statistics.median(values), values[0], values[-1]


def agree(kstar, url, memory, disk, seconds):
    """Whether both measure the same, in turns."""
    clients = fewest_clients(url)
    sides = {"kstar": lambda: kstar_turn(kstar, url, memory, seconds, RATE),
             "kstar, log on disk": lambda: kstar_turn(kstar, url, disk, seconds, RATE),
             "hey": lambda: hey_turn(url, seconds, RATE, clients)}
    turns = {name: [] for name in sides}
    for _ in range(TURNS):
        for name in random.sample(list(sides), len(sides)):
            turns[name].append(sides[name]())
    print(f"{TURNS} turns of {seconds} s each at {RATE}/s; processor time of kstar with its analysis")
    for name, all_turns in turns.items():
        shown = "; ".join("p{} {} ms ({} to {})".format(p, *map(ms, spread(all_turns, p)))
                          for p in SHOWN)
        due = ""
        if all_turns[0].from_due:
            due = "; from when it was due " + ", ".join(
                ms(statistics.median(one.from_due[p] for one in all_turns)) for p in SHOWN)
        print(f"  {name}: {statistics.median(one.rate for one in all_turns):.1f}/s, "
              f"{statistics.median(one.cost for one in all_turns) * 1e6:.0f} us per request; "
              f"{shown}{due}")
    good = True
    for name in ("kstar", "kstar, log on disk"):
        for p in SHOWN:
            (hers, low, high), mine = spread(turns["hey"], p), spread(turns[name], p)[0]
            own = max(high - low, STEP / 2)
            good = good and abs(mine - hers) <= own
            print(f"  {name}, p{p}: {abs(mine - hers) / own:.1f} of what hey differs from itself"
                  f"{'' if abs(mine - hers) <= own else ': they differ'}")
    return good


def short_stall(kstar, url, folder, server):
    """Whether a stop of 60 ms is in the p99 of an open loop, and not in hey's."""
    def stopped(turn):
        timer = threading.Timer(1.5, lambda: (os.kill(server, signal.SIGSTOP), time.sleep(0.06),
                                              os.kill(server, signal.SIGCONT)))
        timer.start()
        turn = turn()
        timer.join()
        return turn.percentiles[99]

    mine = stopped(lambda: kstar_turn(kstar, url, folder, 3, RATE))
    hers = stopped(lambda: hey_turn(url, 3, RATE, 2))
    print(f"stopped for 60 ms of 3 s: p99 {ms(mine)} ms (kstar) and {ms(hers)} ms (hey)")
    return mine > 0.01 > hers


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
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder, tempfile.TemporaryDirectory() as disk:
        port = free_port()
        pathlib.Path(folder, "nginx.conf").write_text(CONFIG.format(folder, port))
        server = subprocess.Popen(["nginx", "-p", folder, "-c", f"{folder}/nginx.conf"],
                                  stderr=subprocess.DEVNULL)
        url = f"http://127.0.0.1:{port}/"
        try:
            time.sleep(0.5)
            rate = kstar_turn(kstar, url, folder, seconds, RATE).rate
            print(f"rate: asked {RATE}/s, sent {rate:.1f}/s ({rate / RATE - 1:+.2%})")
            good = [abs(rate / RATE - 1) <= 0.01, agree(kstar, url, folder, disk, seconds),
                    short_stall(kstar, url, folder, server.pid),
                    stalls(kstar, url, folder, server.pid)]
        finally:
            server.send_signal(signal.SIGCONT)
            server.terminate()
            server.wait()
    sys.exit(0 if all(good) else "a bar is missed")


main()
