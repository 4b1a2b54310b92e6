#!/usr/bin/env python3
"""Writes the files of this folder: requests to a simulated server, one per row.

load-200.csv.gz to load-800.csv.gz: Poisson arrivals at so many requests per second, one server that
takes 1 ms on average (exponential): M/M/1, whose p99 is 4.605 / (1000 - load) seconds.
stall.csv.gz: a client that waits for each answer, 100 requests per second, 1 ms each; after 100 s the
server stops for 100 s.
"""
import gzip
import io
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent


def write(name, rows):
    text = "start_s,latency_ms\n" + "".join(f"{s:.4f},{l:.3f}\n" for s, l in rows)
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:
        file.write(text.encode())
    (HERE / name).write_bytes(packed.getvalue())


def queue(load, count):
    now, free, rows = 0.0, 0.0, []
    for _ in range(count):
        now += random.expovariate(load)
        free = max(free, now) + random.expovariate(1000)
        rows.append((now, (free - now) * 1e3))
    return rows


def main():
    random.seed(20)
    for load in (200, 400, 600, 800):
        write(f"load-{load}.csv.gz", queue(load, 8000))
    write("stall.csv.gz", [(i * 0.01, 1.0) for i in range(10000)] + [(100.0, 100000.0)])


main()
