"""A job of torchrun: all-reduces over gloo, marked step by step."""
import sys

import torch
import torch.distributed as dist

sys.path.insert(0, sys.argv[1])
import kstar_mark  # noqa: E402

dist.init_process_group("gloo")
STEPS = 5
mark = kstar_mark.open()
mark.setup_end()
for _ in range(STEPS):
    with mark.step():
        total = torch.ones(1000)
        with mark.communicate():
            dist.all_reduce(total)
print("sum", int(total[0]), flush=True)
dist.destroy_process_group()
