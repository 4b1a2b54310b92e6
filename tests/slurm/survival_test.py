"""What a study must survive: 5 K x 10 runs, and nothing lost over a controller that is restarted,
a node that is drained in the middle, and a kstar that is killed and goes on."""

import time

from studies import StudyTest


class SurvivalTest(StudyTest):
    settings = {"MessageTimeout": 2}  # so that Slurm's commands see that nobody answers

    def silences(self):
        return [n for n in self.study()["note"] if n["what"] == "slurm-silent"]

    def test_nothing_is_lost_and_nothing_is_twice(self):
        start = time.monotonic()
        words = ("--launcher", "slurm", "--workers", "1x1x1,1x2x1,2x2x1,3x1x1,3x2x1", "--runs", "10",
                 "--", "sleep", "0.2")
        process = self.start(*words)
        self.wait_for_runs(7)
        self.cluster.stop_controller()
        time.sleep(8)
        # A kstar that has just asked asks again after a while: on a loaded machine after the 8 s.
        self.wait_until(self.silences, "the controller is away, and nobody sees it")
        self.cluster.start_controller()
        self.wait_for_runs(15)
        self.cluster.drain("n2")
        self.wait_for_runs(25)
        process.kill()
        process.wait()
        self.cluster.resume("n2")
        process = self.start("--resume", *words)
        self.wait_for_runs(35)
        self.cluster.restart_controller()
        self.assertEqual(process.wait(timeout=200), 0, self.log())
        self.assert_whole([1, 2, 3, 4, 6], 10)
        self.assertEqual(self.runs(good=False), [], "a run was lost")
        nodes = [r["hosts"] for r in self.runs()]
        self.assertEqual({len(n) for n in nodes}, {1, 2, 3})
        print(f"50 runs, each K and block once, in {time.monotonic() - start:.0f} s; "
              f"Slurm was silent {len(self.silences())} times")
