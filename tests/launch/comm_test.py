"""kstar comm measure over nodes made of namespaces: alpha and beta of a known delay and rate."""

import json
import os
import shutil
import subprocess
import unittest

from launched import LaunchTest
from nodes_test import AGENT

DELAY_US = 2000  # several times what a round costs without it, which is noisy on busy cores
# The cores must not be what limits. Four ranks that poll and the switch share two of them, and each
# frame costs a round about 7 us of theirs, whatever the rate: beta came back 4 to 5 ns per byte and
# round too large at 100, 50, 25 and 10 Mbit/s alike, which is 5% of the first and 0.6% of the last.
# (A plain TCP exchange that waits in poll(2), through the same switch: 0.3 to 0.6% at 100 Mbit/s.)
MBIT = 10
# A frame of 1514 bytes carries 1448. Acknowledgements leave while the other side's data travels.
NS_PER_BYTE = 8e3 / MBIT * 1514 / 1448
# Recursive doubling: one round and n bytes for two ranks, two rounds and 2n for four.
ROUNDS = {2: 1, 4: 2}


def first(priority):
    """Words before a command that keep whatever else runs here from coming between."""
    for words in (["chrt", "-r", str(priority)], ["nice", "-n", str(-17 - priority)]):
        if shutil.which(words[0]) and subprocess.run([*words, "true"],
                                                     capture_output=True).returncode == 0:
            return words
    return []


SMALL = "8,64,256,1024"
SIZES = f"{SMALL},2048,4096,6144,8192,12288,16384"


# needs: mpirun.openmpi
class KnownTruth(LaunchTest):
    def fitted(self, delay, sizes):
        """By K: alpha of the first piece and beta of the last, of an all-reduce."""
        if not os.path.exists(os.environ["PROBE"]):
            self.skipTest("there is no MPI: the probe was not built")
        nodes = self.start_nodes(4, delay, MBIT, prefix=first(2))
        self.sessions = getattr(self, "sessions", 0) + 1
        table = self.path / f"nodes{self.sessions}"
        table.write_text("".join(" ".join(node) + "\n" for node in nodes))
        agent = self.path / f"agent{self.sessions}"
        agent.write_text(AGENT.format(table=table))
        agent.chmod(0o755)
        study = self.path / f"comm{self.sessions}.jsonl"
        options = (f"--mca plm rsh --mca plm_rsh_agent {agent} --mca pml ob1 --mca btl self,tcp "
                   "--mca btl_tcp_if_include e0 --mca oob_tcp_if_include e0 "
                   "--mca mpi_yield_when_idle 1 --mca coll_tuned_use_dynamic_rules 1 "
                   "--mca coll_tuned_allreduce_algorithm 3 --mca btl_tcp_eager_limit 1048576")
        command = ["nsenter", f"--net={nodes[0][2]}", f"--uts={nodes[0][3]}", *first(1),
                   os.environ["KSTAR"], "comm", "measure", "--launcher", "mpi",
                   "--launcher-program", "mpirun.openmpi", "--workers", "2x1x1,4x1x1", "--runs",
                   "1", "--no-bind", "--hosts", ",".join(node[1] for node in nodes),
                   "--launcher-options", options, "--collectives", "all-reduce", "--sizes", sizes,
                   "--probe", os.environ["PROBE"], "-o", str(study)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=280)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("all-reduce", run.stdout)
        shown = subprocess.run([os.environ["KSTAR"], "comm", str(study), "--format", "json"],
                               capture_output=True, text=True, check=True)
        fits = {fit["workers"]: fit for fit in json.loads(shown.stdout)["fits"]}
        self.assertEqual(sorted(fits), [2, 4])
        for workers, fit in fits.items():
            self.assertEqual(fit["nodes"], workers)
        return {k: (fit["pieces"][0]["alpha"]["point"], fit["pieces"][-1]["beta"]["point"])
                for k, fit in fits.items()}

    def test_delay_and_rate_come_back(self):
        # Whatever else runs here only adds to the times: of several sessions, the least counts.
        # Alpha within 10%, beta within 5%.
        without = [self.fitted(0, SMALL) for _ in range(3)]
        sessions = [self.fitted(DELAY_US, SIZES) for _ in range(2)]
        for workers, rounds in ROUNDS.items():
            alpha, beta = (min(one[workers][i] for one in sessions) for i in range(2))
            # Every round pays the delay, and what it costs without any.
            expected = rounds * DELAY_US * 1e-6 + min(one[workers][0] for one in without)
            print(f"K = {workers}: alpha {alpha * 1e6:.0f} us, expected {expected * 1e6:.0f}; "
                  f"beta {beta * 1e9:.1f} ns/B, expected {rounds * NS_PER_BYTE:.1f}; "
                  f"all: {[f'{one[workers][1] * 1e9:.1f}' for one in sessions]}")
            self.assertLess(abs(alpha / expected - 1), 0.10)
            self.assertLess(abs(beta / (rounds * NS_PER_BYTE * 1e-9) - 1), 0.05)


if __name__ == "__main__":
    unittest.main()
