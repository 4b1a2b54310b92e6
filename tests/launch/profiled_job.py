"""A data-parallel job of PyTorch over gloo whose ranks each profile four steps: FOLDER/rankN.json."""

import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile, schedule

dist.init_process_group("gloo")
torch.manual_seed(1)
layers = [torch.nn.Linear(256, 256) for _ in range(4)]  # one bucket of gradients
model = DistributedDataParallel(torch.nn.Sequential(*layers))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
data = torch.randn(64, 256)


def save(profiler):
    profiler.export_chrome_trace(f"{sys.argv[1]}/rank{dist.get_rank()}.json")


with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=4),
             on_trace_ready=save) as profiler:
    for _ in range(6):
        model(data).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        profiler.step()
dist.destroy_process_group()
