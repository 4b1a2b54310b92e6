#!/usr/bin/env python3
"""kstar's ceilings against those of likwid-bench and of hpcc's STREAM, in interleaved pairs.

    bench/roofline_peers.py --kstar build/release/kstar [--pairs 10] [--hpcc 0]

The bar: the FMA peak and the triad are not worse than the best peer's by more than 3%. Each pair
measures both, one after the other, in an order that changes; the ratio of a pair cancels what the
machine does meanwhile. The lower end of a one-sided 95% interval of the mean logarithm of the ratios
is printed, and whether it is above 0.97. hpcc runs all its tests each time (about a minute).
"""
import argparse
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

T95 = {2: 6.31, 3: 2.92, 4: 2.35, 5: 2.13, 6: 2.02, 7: 1.94, 8: 1.89, 9: 1.86, 10: 1.83, 12: 1.80,
       15: 1.76, 20: 1.73, 30: 1.70}


def cpu_flags():
    return set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
               .group(1).split())


def kstar_rates(options, threads, only, size=""):
    words = [options.kstar, "roofline", "measure", "--threads", str(threads), "--only", only,
             "--repetitions", str(options.repetitions), "--format", "json"]
    if size:
        words += ["--memory", size]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["ceilings"]


def best(ceilings, wanted):
    """The median rate of the fastest ceiling that is wanted."""
    return max(c["rate"]["point"] for c in ceilings if wanted(c))


def likwid(test, threads, size):
    done = subprocess.run(["likwid-bench", "-t", test, "-w", f"N:{size}:{threads}"],
                          capture_output=True, text=True)
    found = {key: re.search(rf"^{re.escape(key)}:\s+([0-9.e+]+)", done.stdout, re.M)
             for key in ("MFlops/s", "MByte/s")}
    if not all(found.values()):
        raise SystemExit(f"likwid-bench -t {test}: {done.stderr.strip() or done.stdout[-300:]}")
    return {key: float(value.group(1)) * 1e6 for key, value in found.items()}


HPCCINF = """HPLinpack benchmark input file
kstar
HPL.out
6
1
{n}
1
80
0
1
1
1
16.0
1
2
1
4
1
2
1
1
1
0
1
0
2
64
0
0
1
8
"""


def hpcc_triad(order):
    """SingleSTREAM_Triad in B/s; its arrays are a third of an HPL matrix of this order."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "hpccinf.txt").write_text(HPCCINF.format(n=order))
        subprocess.run(["mpirun", "--allow-run-as-root", "-np", "1", "hpcc"], cwd=folder,
                       capture_output=True, check=False, timeout=900,
                       env={**os.environ, "OMP_NUM_THREADS": "1"})
        text = (pathlib.Path(folder) / "hpccoutf.txt").read_text()
    return float(re.search(r"^SingleSTREAM_Triad=([0-9.]+)", text, re.M).group(1)) * 1e9


def verdict(name, ratios):
    logs = [math.log(r) for r in ratios]
    mean = statistics.mean(logs)
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else float("nan")
    t = T95[min(T95, key=lambda n: abs(n - len(logs)))]
    low = math.exp(mean - t * error)
    spread = f"{min(ratios):.3f}..{max(ratios):.3f}"
    good = "not worse" if low >= 0.97 else "NOT SHOWN"
    print(f"{name:<44} {math.exp(mean):6.3f}   one-sided 95%: {low:.3f} or more   "
          f"{len(ratios)} pairs {spread}   {good}", flush=True)
    return low >= 0.97


def pairs_of(count, ours, peers):
    """Ratios ours / best peer by name: `ours` gives rates by name, `peers` lists of functions. Who
    begins changes from pair to pair."""
    ratios = {name: [] for name in peers}
    for i in range(count):
        rates = ours() if i % 2 == 0 else None
        others = {name: max(peer() for peer in some) for name, some in peers.items()}
        rates = rates or ours()
        for name in peers:
            ratios[name].append(rates[name] / others[name])
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kstar", default="build/release/kstar")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--hpcc", type=int, default=0, help="pairs with hpcc, a minute each")
    parser.add_argument("--hpcc-order", type=int, default=3500)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--size", default="384MB", help="of each array of the triad")
    parser.add_argument("--threads", default=f"1,{len(os.sched_getaffinity(0))}")
    options = parser.parse_args()
    wide = "avx512" if "avx512f" in cpu_flags() else "avx"
    megabytes = int(options.size[:-2])
    good = True
    for threads in dict.fromkeys(int(k) for k in options.threads.split(",")):
        def peaks():
            found = kstar_rates(options, threads, "compute")
            return {name: best(found, lambda c: c["precision"] == name) for name in ("fp64", "fp32")}

        def triads():
            found = kstar_rates(options, threads, "bandwidth", options.size)
            return {name: best(found, lambda c: c["level"] == "memory" and c["kernel"] == name)
                    for name in ("triad", "triad_nt")}

        flops = lambda test: lambda: likwid(test, threads, f"{16 * threads}kB")["MFlops/s"]
        moved = lambda test: lambda: likwid(test, threads, f"{3 * megabytes}MB")["MByte/s"]
        widths = ["avx_fma"] + (["avx512_fma"] if wide == "avx512" else [])
        found = pairs_of(options.pairs, peaks, {
            "fp64": [flops(f"peakflops_{width}") for width in widths],
            "fp32": [flops(f"peakflops_sp_{width}") for width in widths]})
        for name, ratios in found.items():
            good &= verdict(f"{name}, {threads} threads, likwid-bench", ratios)
        found = pairs_of(options.pairs, triads, {
            "triad": [moved(f"stream_{wide}"), moved("stream_avx_fma")],
            "triad_nt": [moved(f"stream_mem_{wide}"), moved("stream_mem_avx_fma")]})
        for name, ratios in found.items():
            good &= verdict(f"{name}, {threads} threads, likwid-bench", ratios)
    if options.hpcc:
        def small():
            found = kstar_rates(options, 1, "bandwidth", "32MB")
            return {"triad": best(found, lambda c: c["level"] == "memory" and c["kernel"] == "triad")}

        ratios = pairs_of(options.hpcc, small, {"triad": [lambda: hpcc_triad(options.hpcc_order)]})
        good &= verdict("triad, 1 thread, hpcc STREAM", ratios["triad"])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
