"""Attacks on what is measured and on who measures: nothing is lost, nobody is let in."""

import gzip
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time
import unittest

from program import KSTAR, InFolder, environment, kstar

SANITIZED = "asan" in os.environ.get("KSTAR_BUILD", "")


def limited(words, limit):
    """kstar that may write no larger files: a disk that is full."""
    def limit_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.run([KSTAR, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=environment(), timeout=60,
                          preexec_fn=limit_files)


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class SafetyTest(InFolder):
    def setUp(self):
        super().setUp()
        self.study = self.path / "study.jsonl"

    def words(self, *flags, job=("true",), workers="1", runs=2):
        return ["measure", "--same-command", "--workers", workers, "--runs", str(runs), "-o", str(self.study), *flags,
                "--", *job]

    def measure(self, *flags, **more):
        return kstar(*self.words(*flags, **more))

    def records(self, kind="run"):
        lines = [json.loads(line) for line in self.study.read_text().splitlines()]
        return [line for line in lines if line.get("record") == kind]

    def begin(self):
        self.assertEqual(self.measure().returncode, 0)
        return self.study.read_text()

    def doubts(self):
        done = kstar("analyze", str(self.study), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [doubt["text"] for doubt in json.loads(done.stdout)["verdict"]["doubts"]]

    def start(self, *flags, **more):
        process = subprocess.Popen([KSTAR, *self.words(*flags, **more)], env=environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition, what, seconds=20):
        limit = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), limit, what)
            time.sleep(0.02)


class Force(SafetyTest):
    def test_the_old_study_stays_when_the_page_cannot_be_written(self):
        old = self.begin()
        done = self.measure("--force", "--live", str(self.path / "nowhere" / "live.html"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.study.read_text(), old)
        self.assertEqual(os.listdir(self.path), ["study.jsonl"])

    def test_the_old_study_stays_when_the_disk_is_full(self):
        old = self.begin()
        done = limited(self.words("--force"), 100)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the study that is there is untouched", done.stderr)
        self.assertEqual(self.study.read_text(), old)

    def test_the_old_study_stays_until_the_first_run_is_in(self):
        old = self.begin()
        process = self.start("--force", job=("sleep", "60"))
        self.wait_until(lambda: len(os.listdir(self.path)) == 2, "nothing is built beside")
        self.assertEqual(self.study.read_text(), old)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130)
        self.assertIn("is as it was", process.stderr.read())
        self.assertEqual(self.study.read_text(), old)
        self.assertEqual(os.listdir(self.path), ["study.jsonl"])

    def assert_old_stays(self, old, done):
        failed = self.path / "study.jsonl.failed-1"
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{self.study} is as it was; the new runs are in {failed}", done.stderr)
        self.assertEqual(self.study.read_text(), old)
        self.assertEqual(sorted(os.listdir(self.path)), ["study.jsonl", failed.name])
        self.study = failed
        self.assertTrue(self.records())
        failed.unlink()
        self.study = self.path / "study.jsonl"

    def test_the_old_study_stays_when_no_run_counts(self):
        old = self.begin()
        self.assert_old_stays(old, self.measure("--force", job=("false",), workers="1,2", runs=3))
        self.assert_old_stays(old, self.measure("--force", "--time-regex", "tok ([0-9]+)",
                                                job=("echo", "took 1")))
        self.assert_old_stays(old, self.measure("--force", "--timeout", "0.05s", job=("sleep", "5")))
        self.assertEqual(self.measure("--force", runs=3).returncode, 0)
        self.assertEqual(len(self.records()), 3)

    def test_failed_runs_are_kept_beside_when_interrupted(self):
        old = self.begin()
        process = self.start("--force", "--max-failures", "1000", job=("sh", "-c", "sleep 0.05; exit 1"),
                             runs=1000)
        built = lambda: [p for p in self.path.iterdir() if ".tmp-" in p.name and '"run"' in p.read_text()]
        self.wait_until(built, "no run")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130)
        self.assertIn("the new runs are in", process.stderr.read())
        self.assertEqual(self.study.read_text(), old)
        self.assertEqual(sorted(os.listdir(self.path)), ["study.jsonl", "study.jsonl.failed-1"])

    def test_the_new_study_takes_its_place(self):
        self.begin()
        done = self.measure("--force", runs=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.records()), 3)
        self.assertEqual(os.listdir(self.path), ["study.jsonl"])


class Received(SafetyTest):
    def test_a_dry_run_starts_no_program(self):
        spy = self.path / "mpirun"
        spy.write_text(f"#!/bin/sh\ntouch {self.path}/started\necho 'mpirun (Open MPI) 4.1.4'\n")
        spy.chmod(0o755)
        done = kstar("measure", "--same-command", "--workers", "1,2", "--launcher", "mpi", "--launcher-program",
                     str(spy), "--dry-run", "--times", "1:1s", "-o", str(self.study), "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.path / "started").exists())

    def test_no_control_character_of_a_host_reaches_the_terminal_on_resume(self):
        self.begin()
        lines = self.study.read_text().splitlines()
        for name in ("a\u001b[2Jb", "c\u202ed"):
            for i in range(20):
                run = json.loads(lines[1])
                run.update(hosts=[name], wall=1.0 + 0.001 * i + (name > "b"), order=100 + i)
                lines.append(json.dumps(run))
        self.study.write_text("\n".join(lines) + "\n")
        done = self.measure("--resume", runs=50)
        for text in (done.stdout, done.stderr):
            self.assertNotIn("\u001b", text)
            self.assertNotIn("\u202e", text)
        self.assertIn("\\x1b[2J", done.stdout + done.stderr)

    def test_json_escapes_what_would_reorder_or_steer(self):
        title = "a\u202eb\u009bc\u007f"
        file = self.write("s.jsonl", json.dumps({"kstar": "study", "schema": 1, "title": title}) + "\n" +
                          "".join(json.dumps({"record": "run", "workers": k, "wall": 1 / k}) + "\n"
                                  for k in (1, 2, 4)))
        for words in (("analyze", file, "--format", "json"), ("import", file)):
            done = kstar(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            for bad in title[1::2]:
                self.assertNotIn(bad, done.stdout, words)
        self.assertEqual(json.loads(done.stdout.splitlines()[0])["title"], title)


class NoFile(SafetyTest):
    def test_a_pipe_as_page_is_refused(self):
        os.mkfifo(self.path / "live")
        done = self.measure("--live", str(self.path / "live"))
        self.assertEqual(done.returncode, 2)
        self.assertFalse(self.study.exists())

    def test_a_page_replaces_nothing_but_pages(self):
        notes = self.path / "notes.txt"
        notes.write_text("what I found out\n" * 100)
        old = notes.read_text()
        done = self.measure("--live", str(notes))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--live", done.stderr)
        self.assertEqual(notes.read_text(), old)
        self.assertFalse(self.study.exists())
        page = self.path / "live.html"
        page.touch()
        self.assertEqual(self.measure("--live", str(page)).returncode, 0)
        done = self.measure("--force", "--live", str(page))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<html", page.read_text())

    def test_a_pipe_among_the_marks_is_a_failed_run(self):
        done = self.measure("--time", "marks", "--max-failures", "1",
                            job=("sh", "-c", "mkfifo $KSTAR_MARKS/0.kmarks"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("not a regular file", self.records()[0]["failure"])

    def test_a_pipe_in_an_mlperf_folder_does_not_hang(self):
        folder = self.path / "mlperf"
        results = folder / "org" / "results" / "sys" / "resnet"
        results.mkdir(parents=True)
        (folder / "org" / "systems").mkdir()
        os.mkfifo(folder / "org" / "systems" / "sys.json")
        os.mkfifo(results / "result_0.txt")
        (results / "result_1.txt").write_text(":::MLLOG {}\n")
        kstar("import", str(folder))  # it ends
        kstar("import", str(results / "result_1.txt"))

    def test_an_output_that_is_a_pipe_without_reader_is_an_error(self):
        os.mkfifo(self.path / "out.md")
        done = kstar("predict", "amdahl", "--serial", "0.1", "--workers", "1,2", "-o", str(self.path / "out.md"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("nobody reads", done.stderr)

    def test_a_second_interrupt_ends_what_does_not_hear_the_first(self):
        # A stopped process of kstar hears nothing.
        process = self.start(job=("sleep", "60"))
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        self.wait_until(lambda: self.study.exists() and children.read_text().split(), "no child")
        body = int(children.read_text().split()[0])
        os.kill(body, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130)
        self.wait_until(lambda: not is_alive(body), "it lives")


class WrongTimes(SafetyTest):
    def test_a_cut_output_with_one_match_left_is_a_failed_run(self):
        job = ("sh", "-c", "echo took 0.001; yes | head -c 12000000; echo done")
        done = self.measure("--time-regex", "took ([0-9.]+)", "--max-failures", "1", job=job)
        self.assertEqual(done.returncode, 1)
        self.assertIn("may be incomplete", self.records()[0]["failure"])

    def test_a_rate_next_to_zero_fails_the_run_and_not_the_study(self):
        done = self.measure("--time-regex", "rate ([0-9.e-]+)", "--rate", "--max-failures", "2",
                            job=("sh", "-c", "echo rate 1e-320"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(self.records()), 2)
        self.assertIn("1e-320", self.records()[0]["failure"])

    def test_a_job_that_leaves_children_behind_gets_a_note(self):
        done = self.measure(job=("sh", "-c", "sleep 5 & exit 0"), workers="1,2")
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = [n for n in self.records("note") if n["what"] == "children-left"]
        self.assertEqual([n["where"] for n in notes if n["where"] == "K = 1"], ["K = 1"])
        self.assertEqual(len(notes), 2)
        doubts = [d for d in self.doubts() if "the time of the parent alone" in d]
        self.assertEqual(len(doubts), 1, "said once, whatever the number of K")
        self.assertIn("the time of the parent alone", notes[0]["text"])
        self.assertIn("the time of the parent alone", done.stderr)


    def test_what_spoils_the_answer_is_a_doubt(self):
        notes = {"oversubscribed": {"workers": 64, "cpus": 2}, "cpu-quota": {"cpus": 1.5, "workers": 4},
                 "load": {"load": 7.5, "cpus": 2}, "same-command": {"variable": "KSTAR_K"}}
        lines = [{"kstar": "study", "schema": 1, "regime": "strong"}]
        lines += [{"record": "run", "workers": k, "wall": (1 + 0.01 * i) / k} for k in (1, 2, 4) for i in range(3)]
        lines += [{"record": "note", "severity": "warning", "what": what, "values": values}
                  for what, values in notes.items() for _ in range(2)]
        self.study.write_text("".join(json.dumps(line) + "\n" for line in lines))
        doubts = self.doubts()
        for words in ("64 workers for 2 CPUs", "allows 1.5 CPUs for 4 workers", "the load was 7.50 on 2 CPUs",
                      "Every K runs the same command line"):
            said = [d for d in doubts if words in d]
            self.assertEqual(len(said), 1, (words, doubts))
            self.assertLessEqual(len(said[0]), 2 * 80, said[0])

    def warm_up(self, times):
        count = self.path / "count"
        count.unlink(missing_ok=True)
        job = ("sh", "-c", f"n=$(cat {count} 2>/dev/null || echo 1); echo $((n+1)) >{count}; "
                           f"sleep 0.03; echo took $(echo {' '.join(f'{t / 100:.6f}' for t in times)} | "
                           f"cut -d' ' -f$n)")
        done = self.measure("--force", "--time-regex", "took ([0-9.]+)", job=job, runs=len(times))
        self.assertEqual(done.returncode, 0, done.stderr)
        return sum(run.get("warm_up", False) for run in self.records())

    def test_a_first_run_that_is_hardly_slower_is_no_warm_up(self):
        steady = [1 + 0.0001 * (i % 3) for i in range(9)]
        self.assertEqual(self.warm_up([1.005, *steady]), 0)
        self.assertEqual(self.warm_up([1.3, *steady]), 1)

    def test_at_most_half_of_the_runs_are_warm_up(self):
        self.assertLessEqual(self.warm_up([2.0, 2.01, 2.02, 1.0]), 2)
        self.assertLessEqual(self.warm_up([2.0, 2.01, 2.02, 1.0, 1.001]), 2)


class Killed(SafetyTest):
    def start_with_grandchild(self, how):
        """kstar, its process that measures, and a process that left the job's group."""
        mark = self.path / "pid"
        process = self.start(job=("sh", "-c", f"{how} sh -c 'echo $$ >{mark}; sleep 300' & sleep 300"))
        self.wait_until(lambda: mark.exists() and mark.read_text().strip(), "no grandchild")
        left = int(mark.read_text())
        body = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        self.addCleanup(lambda: is_alive(left) and os.kill(left, signal.SIGKILL))
        return process, body, left

    def test_what_called_setsid_ends_when_kstar_starts_again(self):
        process, body, left = self.start_with_grandchild("setsid")
        os.kill(process.pid, signal.SIGKILL)
        os.kill(body, signal.SIGKILL)
        process.wait()
        self.wait_until(lambda: not is_alive(body), "it lives")
        done = self.measure("--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(is_alive(left))

    def test_what_cleared_its_environment_ends_as_well_where_a_cgroup_can_be_made(self):
        if not self.can_make_cgroup():
            self.skipTest("no cgroup of version 2 can be made here")
        process, body, left = self.start_with_grandchild("env -i setsid")
        group = pathlib.Path(f"/proc/{body}/cgroup").read_text()
        self.assertIn(f"/kstar-{body}.", group)
        for one in (process.pid, body):
            os.kill(one, signal.SIGKILL)
        process.wait()
        self.wait_until(lambda: not is_alive(body), "it lives")
        done = self.measure("--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(is_alive(left))
        self.assertNotIn(f"kstar-{body}.", "".join(os.listdir(self.own_cgroup())))

    def own_cgroup(self):
        lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
        mounts = [line.split() for line in lines if " - cgroup2 " in line]
        lines = pathlib.Path("/proc/self/cgroup").read_text().splitlines()
        groups = [line[3:] for line in lines if line.startswith("0::")]
        if not mounts or not groups:
            return None
        return pathlib.Path(mounts[0][4] + groups[0])

    def can_make_cgroup(self):
        own = self.own_cgroup()
        try:
            (own / "kstar-test").mkdir()
            (own / "kstar-test").rmdir()
        except (OSError, TypeError):
            return False
        return True

    def test_jobs_of_a_kstar_that_lives_are_left_alone(self):
        mark = self.path / "pid"
        self.start(job=("sh", "-c", f"setsid sh -c 'echo $$ >{mark}; sleep 300' & sleep 300"))
        self.wait_until(lambda: mark.exists() and mark.read_text().strip(), "no grandchild")
        self.study = self.path / "other.jsonl"
        self.assertEqual(self.measure().returncode, 0)
        self.assertTrue(is_alive(int(mark.read_text())))

    def test_temporary_files_and_folders_of_killed_runs_are_removed(self):
        old = time.time() - 60
        temporary = self.path / "tmp"
        left = temporary / "kstar-marks-abcdef"
        left.mkdir(parents=True)
        (left / "0.kmarks").write_text("x")
        stale = self.path / "study.jsonl.tmp-4711-0"
        other = self.path / "study.jsonl.tmp-notes"
        for file in (stale, other):
            file.write_text("half")
        for path in (left, stale, other):
            os.utime(path, (old, old))
        done = kstar(*self.words(), TMPDIR=str(temporary))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(stale.exists())
        self.assertTrue(other.exists(), "that is somebody's file")
        self.assertEqual(os.listdir(temporary), [])


class GoingOn(SafetyTest):
    def test_a_study_goes_on_when_the_job_writes_a_file_that_it_names(self):
        log = self.path / "log"
        job = ("sh", "-c", 'date +%N >>"$0"', str(log))
        self.assertEqual(self.measure(job=job).returncode, 0)
        done = self.measure("--resume", job=job, runs=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.records()), 4)

    def test_a_program_that_changed_is_still_noticed(self):
        script = self.path / "job.sh"
        script.write_text("exit 0\n")
        job = ("sh", str(script))
        self.assertEqual(self.measure(job=job).returncode, 0)
        script.write_text("exit 0 # faster\n")
        done = self.measure("--resume", job=job, runs=4)
        self.assertEqual(done.returncode, 1)
        self.assertIn("job.sh changed since", done.stderr)

    def change_meanwhile(self, file, change, job):
        process = self.start(job=job, workers="1,2", runs=4)
        self.wait_until(lambda: self.study.exists() and len(self.records()) >= 2, "no runs")
        change()
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, said)
        notes = [n for n in self.records("note") if n["what"] == "program-changed"]
        self.assertEqual([n["where"] for n in notes], [str(file)])
        self.assertEqual(len([d for d in self.doubts() if f"{file}: changed while" in d]), 1)

    def test_a_script_that_changes_meanwhile_is_a_doubt(self):
        script = self.path / "job.sh"
        script.write_text("sleep 0.2\n")
        self.change_meanwhile(script, lambda: script.write_text("sleep 0.1\n"), ("sh", str(script)))

    def test_a_program_that_is_built_anew_meanwhile_is_a_doubt(self):
        program, other = self.path / "job", self.path / "new"
        for file, seconds in ((program, 0.2), (other, 0.1)):
            file.write_text(f"#!/bin/sh\nsleep {seconds}\n")
            file.chmod(0o755)
        self.change_meanwhile(program, lambda: other.rename(program), (str(program),))

    def lose(self, lose):
        process = self.start(job=("sleep", "0.2"), runs=8)
        self.wait_until(lambda: self.study.exists() and len(self.records()) >= 2, "no runs")
        lose()
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, said)
        saved = self.path / "study.jsonl.saved-1"
        self.assertIn(str(saved), said)
        self.study = saved
        self.assertEqual(len(self.records()), 8)
        self.assertIn("study-moved", [n["what"] for n in self.records("note")])

    def test_a_study_that_is_removed_meanwhile_is_saved_elsewhere(self):
        self.lose(self.study.unlink)

    def test_a_study_that_is_renamed_meanwhile_is_saved_elsewhere(self):
        self.lose(lambda: self.study.rename(self.path / "mine"))

    def test_a_study_that_is_emptied_meanwhile_is_saved_elsewhere(self):
        place = self.study
        self.lose(lambda: place.write_text(""))
        self.assertEqual(place.read_text(), "")

    def test_a_study_that_is_overwritten_meanwhile_is_saved_elsewhere(self):
        place = self.study
        mine = "mine\n" * 10_000
        self.lose(lambda: place.write_text(mine))
        self.assertEqual(place.read_text(), mine)

    def test_a_study_that_is_emptied_behind_its_last_run_is_saved_elsewhere(self):
        job = ("sh", "-c", 'test "$0" != 1 || : >"$1"', "{K}", str(self.study))
        done = self.measure(job=job, workers="1,2", runs=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.study = self.path / "study.jsonl.saved-1"
        self.assertEqual(len(self.records()), 2)

    def test_a_study_whose_folder_is_removed_meanwhile_is_saved_elsewhere(self):
        folder, here = self.path / "results", self.path / "here"
        for one in (folder, here):
            one.mkdir()
        self.study = folder / "study.jsonl"
        process = subprocess.Popen([KSTAR, *self.words(job=("sleep", "0.2"), runs=5)], cwd=here,
                                   env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.wait_until(lambda: self.study.exists() and self.records(), "no runs")
        self.study.unlink()
        folder.rmdir()
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, said)
        self.study = here / "study.jsonl.saved-1"
        self.assertIn(str(self.study), said)
        self.assertEqual(len(self.records()), 5)

    def test_a_k_that_was_given_up_is_exit_code_1(self):
        done = self.measure("--max-failures", "2", workers="1,2", job=("sh", "-c", "test {K} = 1"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("T(K)", done.stdout.replace("T (K)", "T(K)") + "T(K)")
        self.assertIn("wrote", done.stderr)

    def test_a_last_page_that_fails_does_not_lose_the_table(self):
        folder = self.path / "pages"
        folder.mkdir()
        process = self.start("--live", str(folder / "live.html"), job=("sleep", "0.3"), runs=3)
        self.wait_until(lambda: self.study.exists() and self.records(), "no run")
        (folder / "live.html").unlink()
        folder.rmdir()
        shown, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("E", shown)
        self.assertTrue(shown.strip())
        self.assertIn("wrote", said)


class Secrets(SafetyTest):
    def test_what_looks_like_a_secret_is_recorded_in_no_case(self):
        secret = "hunter2"
        names = ("TF_VAR_db_password", "NCCL_Api_Token", "UCX_secret", "FI_PRIVATE_x", "I_MPI_Auth",
                 "SLURM_JWT", "TORCH_HOME", "CUDA_REGISTRY")
        done = kstar(*self.words(), OMP_PROC_BIND="close", **{name: secret for name in names})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(secret, self.study.read_text())
        self.assertIn("OMP_PROC_BIND", self.study.read_text())

    def test_a_variable_of_the_job_that_looks_like_a_secret_is_not_recorded(self):
        job = ("sh", "-c", 'test ${{#Db_Password}} = 7 && test "$OMP_DYNAMIC" = false')
        flags = ("--env", "Db_Password=hunter2", "--env", "OMP_DYNAMIC=false")
        done = self.measure(*flags, job=job)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.study.read_text()
        self.assertNotIn("hunter2", text)
        self.assertIn("OMP_DYNAMIC", text)
        self.assertEqual(self.measure("--resume", *flags, job=job, runs=3).returncode, 0)


class Large(SafetyTest):
    def test_bookkeeping_is_in_no_time(self):
        # 600 runs; as many K would only add the minute that a sanitized analysis of them takes.
        workers = ",".join(str(k) for k in range(1, 151))
        done = self.measure(workers=workers, runs=4)
        self.assertEqual(len(self.records()), 600)
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        walls = sorted(run["wall"] for run in self.records())
        first = sorted(run["wall"] for run in self.records() if run["order"] < 100)
        last = sorted(run["wall"] for run in self.records() if run["order"] >= 500)
        self.assertLess(last[50], 3 * first[50] + 0.002, (first[50], walls[300], last[50]))

    def cost(self, *words):
        """CPU seconds and peak memory in bytes of a kstar; this process is too large to be its parent."""
        measured = ("import resource,subprocess,sys;"
                    "subprocess.run(sys.argv[1:],stdout=-3,stderr=-3);"
                    "used=resource.getrusage(resource.RUSAGE_CHILDREN);"
                    "print(used.ru_utime,used.ru_maxrss*1024)")
        done = subprocess.run([sys.executable, "-c", measured, KSTAR, *words], env=environment(),
                              stdout=subprocess.PIPE, text=True, timeout=300, check=True)
        seconds, peak = done.stdout.split()
        return float(seconds), int(peak)

    def write_runs(self, name, count, workers_of):
        noise = random.Random(count)
        with open(self.path / name, "w") as file:
            file.write('{"kstar":"study","schema":1,"regime":"strong"}\n')
            for i in range(count):
                k = workers_of(i)
                file.write(f'{{"record":"run","workers":{k},"order":{i},"session":"s","start":{i},'
                           f'"wall":{noise.uniform(0.9, 1.1) * (0.001 + 1 / k)},"exit_status":0}}\n')
        return str(self.path / name)

    def test_analysis_takes_time_in_proportion_to_the_number_of_k(self):
        few, _ = self.cost("analyze", self.write_runs("few", 800, lambda i: 1 + i % 200))
        many, _ = self.cost("analyze", self.write_runs("many", 8000, lambda i: 1 + i % 2000))
        self.assertLess(many, 20 * few)

    @unittest.skipIf(SANITIZED, "a sanitizer keeps what was freed for a while")
    def test_a_run_takes_400_bytes_of_memory(self):
        runs = (40_000, 160_000)
        files = [self.write_runs(f"{n}", n, lambda i: 1 << i % 8) for n in runs]
        peaks = [self.cost("analyze", file)[1] for file in files]
        self.assertLess((peaks[1] - peaks[0]) / (runs[1] - runs[0]), 400)
        peaks = [self.cost("compare", file, file)[1] for file in files]
        self.assertLess((peaks[1] - peaks[0]) / (runs[1] - runs[0]), 2 * 400)

    @unittest.skipIf(SANITIZED, "a sanitizer keeps what was freed for a while")
    def test_a_small_packed_study_cannot_fill_the_memory(self):
        run = b'{"record":"run","workers":1}\n'
        hosts = b'{"record":"run","workers":1,"hosts":[' + b'"",' * 9999 + b'""]}\n'
        note = b'{"record":"note","severity":"info","what":"a","text":"b"}\n'
        for name, line in (("run", run), ("hosts", hosts), ("note", note)):
            with self.subTest(name):
                self.unpack(line * (2_900_000 // len(line)), 90)
        # Random numbers make the file larger, so that more may be unpacked.
        noise = "".join(f'{{"record":"run","workers":1,"wall":{random.random()}}}\n'
                        for _ in range(400_000)).encode()
        with self.subTest("large"):
            self.unpack(run * 4_000_000 + noise, 1, least=3_000_000)

    def unpack(self, text, times, least=0):
        bomb = self.path / "bomb.jsonl.gz"
        with gzip.open(bomb, "wb") as file:
            file.write(b'{"kstar":"study","schema":1}\n')
            for _ in range(times):
                file.write(text)
        self.assertGreater(bomb.stat().st_size, least)
        self.assertLess(bomb.stat().st_size, 8_000_000)
        _, peak = self.cost("analyze", str(bomb))
        self.assertLess(peak, 1_000_000_000)

    def test_one_file_plain_and_packed_is_noticed(self):
        text = self.begin()
        packed = self.path / "study.jsonl.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        done = kstar("import", str(self.study), str(packed))
        self.assertEqual(done.returncode, 1)
        self.assertIn("is also in", done.stderr)


if __name__ == "__main__":
    unittest.main()
