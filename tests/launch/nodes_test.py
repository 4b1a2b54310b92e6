"""kstar measure --launcher mpi over several nodes: namespaces behind a switch of known delay and
rate."""

import unittest

from launched import LaunchTest, records

DELAY_US = 1000
MBIT = 100
LARGE_BYTES = 1000000  # of allreduce.c
NODES = 4

# What mpirun starts instead of ssh: AGENT ADDRESS COMMAND...
AGENT = """#!/bin/sh
address=$1; shift
while read -r name own net uts; do
  [ "$own" = "$address" ] && exec nsenter --net="$net" --uts="$uts" sh -c "$*"
done < {table}
echo "no node $address" >&2; exit 1
"""


# needs: mpirun.openmpi
class SeveralNodes(LaunchTest):
    def setUp(self):
        super().setUp()
        self.job = self.build("mpicc.openmpi")
        nodes = self.start_nodes(NODES, DELAY_US, MBIT)
        self.addresses = [address for _, address, _, _ in nodes]
        (self.path / "nodes").write_text("".join(" ".join(node) + "\n" for node in nodes))
        self.agent = self.path / "agent"
        self.agent.write_text(AGENT.format(table=self.path / "nodes"))
        self.agent.chmod(0o755)
        self.first = ["nsenter", f"--net={nodes[0][2]}", f"--uts={nodes[0][3]}"]

    def measure_nodes(self, workers, runs, time, *flags):
        return self.measure("--launcher", "mpi", "--launcher-program", "mpirun.openmpi", "--workers",
                            workers, "--runs", runs, "--no-bind", "--hosts",
                            ",".join(self.addresses), "--time-regex", f"^{time} ([0-9.]+)$",
                            "--launcher-options",
                            f"--mca plm rsh --mca plm_rsh_agent {self.agent} --mca pml ob1 "
                            "--mca btl self,tcp --mca btl_tcp_if_include e0 "
                            "--mca oob_tcp_if_include e0 --mca mpi_yield_when_idle 1", *flags,
                            "--", str(self.job), prefix=self.first)

    def test_the_links_rate_is_in_the_time(self):
        self.measure_nodes("2x1x1", "3", "large")
        times = [step for one in records(self.file, "run") for step in one["steps"]]
        # Two ranks: each sends as many bytes as the array has, over its own link.
        link = LARGE_BYTES * 8 / (MBIT * 1e6)
        self.assertGreater(min(times), 0.95 * link)
        self.assertLess(min(times), 2 * link)

    def test_hosts_are_recorded_and_the_links_delay_is_in_the_time(self):
        run = self.measure_nodes("1x1x1,2x1x1,4x1x1", "5", "allreduce", "--check-command",
                                 "sh -c 'test $(grep -o \"on n[0-9]*\" {output} | sort -u "
                                 "| wc -l) = {nodes}'")
        times = {1: [], 2: [], 4: []}
        for one in records(self.file, "run"):
            self.assertNotIn("failure", one, one.get("output"))
            self.assertEqual(one["exit_status"], 0, one)
            self.assertEqual(one["hosts"], self.addresses[:one["nodes"]])
            self.assertEqual([one["ranks"], one["threads"]], [1, 1])
            times[one["workers"]] += one["steps"]
        delay = DELAY_US * 1e-6
        self.assertLess(min(times[1]), 0.1 * delay)
        # One exchange between two ranks, and a second round of it between four. No run can be
        # faster than the link; how much slower it is on a busy machine says nothing about kstar.
        two, four = min(times[2]), min(times[4])
        self.assertGreater(two, 0.9 * delay)
        self.assertLess(two, 3 * delay)
        self.assertGreater(four, 1.8 * delay)
        self.assertLess(four, 6 * delay)
        self.assertIn("between nodes", run.stdout)


if __name__ == "__main__":
    unittest.main()
