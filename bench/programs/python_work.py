"""python_work.py threads|processes K: one amount of pure Python work, divided over K workers.

Threads share the interpreter's lock; processes do not, but must be started.
"""
import concurrent.futures
import sys


def work(steps):
    x = 1
    for _ in range(steps):
        x = (x * 48271) % 2147483647
    return x


if __name__ == "__main__":
    kind, workers = sys.argv[1], int(sys.argv[2])
    pool = {"threads": concurrent.futures.ThreadPoolExecutor,
            "processes": concurrent.futures.ProcessPoolExecutor}[kind]
    with pool(workers) as executor:
        print(sum(executor.map(work, [8_000_000 // workers] * workers)))
