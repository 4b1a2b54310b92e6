"""Traces of known truth, as torch.profiler writes them."""

import gzip
import json


def kernel(name, start, duration, stream, correlation, **args):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start,
            "dur": duration, "args": {"stream": stream, "correlation": correlation, **args}}


def launch(start, correlation):
    return {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
            "ts": start, "dur": 1, "args": {"correlation": correlation}}


def step_mark(number, start, duration):
    return {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 1,
            "tid": 1, "ts": start, "dur": duration}


def rank_events(compute, transfer, steps=3, arrive=None, clock=0.0, named=True, marks=True):
    """One rank: `compute` ms, then an all-reduce that ends `transfer` ms after the last rank, which
    computes `arrive` ms, came. Times of the file are ahead by `clock` ms."""
    arrive = compute if arrive is None else arrive
    period = (arrive + transfer) * 1000
    origin = 1_000_000 + clock * 1000
    events = []
    for step in range(steps):
        start = origin + step * period
        facts = {"Collective name": "allreduce", "Process Group Name": "0", "Group size": 2,
                 "In msg nelems": 1000, "Out msg nelems": 1000, "dtype": "Float"} if named else {}
        events += [kernel("gemm_kernel", start, compute * 1000, 7, 10 * step + 1),
                   kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", start + compute * 1000,
                          period - compute * 1000, 20, 10 * step + 2, **facts)]
        if marks:
            events += [launch(start, 10 * step + 1), launch(start, 10 * step + 2),
                       step_mark(step, start, period)]
    return events


def trace_text(events, rank=None, world=None):
    trace = {"schemaVersion": 1}
    if world is not None:
        trace["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": world}
    trace["traceEvents"] = events
    return json.dumps(trace)


def write_job(folder, computes, transfer, clocks=None, world=None, packed=False):
    """A file per rank; the rank with the most compute is last."""
    folder.mkdir(exist_ok=True)
    world = len(computes) if world is None else world
    for rank, compute in enumerate(computes):
        events = rank_events(compute, transfer, arrive=max(computes),
                             clock=clocks[rank] if clocks else 0)
        text = trace_text(events, rank, world).encode()
        name = folder / f"rank{rank}.json{'.gz' if packed else ''}"
        name.write_bytes(gzip.compress(text) if packed else text)
