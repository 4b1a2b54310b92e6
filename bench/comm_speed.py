#!/usr/bin/env python3
"""How long kstar comm takes for 1,000 logs of 100 KB: comm_speed.py KSTAR.

The logs are made here: tables of nccl-tests between lines of NCCL_DEBUG=INFO, as they are posted.
The bar is 2 s."""
import pathlib
import random
import subprocess
import sys
import tempfile
import time

FILES, BYTES = 1000, 100_000


def log(number):
    random.seed(number)
    workers = 2 ** (3 + number % 8)
    lines = ["# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor) warmup iters: 5"]
    lines += [f"#  Rank {rank:2} Group  0 Pid {rank} on node{rank // 8} device {rank % 8:2} [0x53] H100"
              for rank in range(workers)]
    size = sum(len(line) + 1 for line in lines)
    while size < BYTES - 4000:
        lines.append(f"[1,{number % 7}]<stdout>:node{number}:25:108 [0] NCCL INFO Channel {size} : "
                     f"0[0] -> 1[0] [send] via NET/Libfabric/{number}/GDRDMA/Shared")
        size += len(lines[-1]) + 1
    lines.append("#       size         count      type   redop    root     time   algbw   busbw "
                 "#wrong     time   algbw   busbw #wrong")
    for power in range(3, 31):
        count = 2 ** power
        us = (30 + count / 100e3) * random.uniform(0.97, 1.03)
        alg = count / us / 1e3
        bus = alg * 2 * (workers - 1) / workers
        lines.append(f"{count:12} {count // 4:12} float sum -1 {us:8.2f} {alg:7.2f} {bus:7.2f} 0 "
                     f"{us:8.2f} {alg:7.2f} {bus:7.2f} 0")
    lines.append("# Avg bus bandwidth    : 66.5")
    return "\n".join(lines) + "\n"


def main():
    kstar = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number in range(FILES):
            path = pathlib.Path(folder) / f"{number}.log"
            path.write_text(log(number))
            paths.append(str(path))
        size = sum(pathlib.Path(path).stat().st_size for path in paths)
        best = 1e9
        for _ in range(3):
            start = time.monotonic()
            subprocess.run([kstar, "comm", *paths], check=True, stdout=subprocess.DEVNULL)
            best = min(best, time.monotonic() - start)
        print(f"{FILES} logs, {size / 1e6:.0f} MB: {best:.2f} s")
        return 0 if best < 2 else 1


if __name__ == "__main__":
    sys.exit(main())
