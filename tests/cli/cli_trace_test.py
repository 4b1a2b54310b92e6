"""kstar trace: traces of known truth, HTA's numbers, parts that merge to the same bytes, damaged files."""

import gzip
import json
import pathlib
import re
import subprocess
import unittest

from built_trace import kernel, launch, rank_events, step_mark, trace_text, write_job
from program import InFolder, kstar

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PUBLIC = SHARED / "data" / "public"
OURS = SHARED / "data" / "ours"


def trace(*words):
    run = kstar("trace", *map(str, words), "--format", "json")
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)["jobs"]


class BuiltTraces(InFolder):
    def write(self, events, name="t.json", **about):
        path = self.path / name
        path.write_text(trace_text(events, **about))
        return path

    def test_180_and_20_ms_have_a_ceiling_of_10(self):
        path = self.write(rank_events(180, 20), rank=0, world=1)
        job, = trace(path, "--predict", "16,1024")
        self.assertAlmostEqual(job["s"]["point"], 0.10, places=6)
        as_is = job["changes"][0]
        self.assertAlmostEqual(as_is["ceiling"], 10, places=6)
        self.assertAlmostEqual(as_is["speedups"][0], 6.400, places=3)
        self.assertAlmostEqual(as_is["speedups"][1], 9.913, places=3)
        shown = kstar("trace", str(path), "--predict", "16,1024").stdout
        for words in ("s = 0.1 ", "of the step at K = 1", "10x", "6.400", "9.913"):
            self.assertIn(words, shown)

    def test_240_and_60_ms_on_8_take_288_workers_for_90_percent(self):
        path = self.write(rank_events(240, 60), rank=3, world=8)
        job, = trace(path)
        self.assertAlmostEqual(job["s"]["point"], 0.2, places=6)
        self.assertAlmostEqual(job["changes"][0]["ceiling"], 5, places=6)
        shown = " ".join(kstar("trace", str(path)).stdout.split())
        self.assertIn("at most 5x the speed of K = 8; 90% of that takes K = 288", shown)
        self.assertIn("One rank of 8", shown)

    def test_waiting_is_told_from_transfer_although_clocks_are_shifted(self):
        write_job(self.path / "job", [100, 120, 90, 110], 20, clocks=[0, 5, -5, 3.3])
        job, = trace(self.path / "job")
        self.assertTrue(job["split"])
        for rank, compute in zip(job["ranks"], [100, 120, 90, 110]):
            self.assertAlmostEqual(rank["transfer"], 0.020, delta=0.0002)
            self.assertAlmostEqual(rank["waiting"], (120 - compute) / 1000, delta=0.0002)
        self.assertEqual([rank["last"] for rank in job["ranks"]], [0, 3, 0, 0])
        self.assertAlmostEqual(job["s"]["point"], 20 / 140, places=4)
        self.assertAlmostEqual(job["clock_spread"], 0.010, delta=1e-6)
        path = job["critical_path"]
        self.assertAlmostEqual(path["seconds"], 0.140, places=4)
        self.assertEqual({piece["rank"] for piece in path["pieces"] if piece["kind"] == "compute"},
                         {1})

    def test_a_missing_rank_is_said_and_not_fatal(self):
        write_job(self.path / "job", [100, 120], 20, world=4)
        job, = trace(self.path / "job")
        self.assertEqual(job["missing_ranks"], [2, 3])
        self.assertIn("2 of 4 ranks", kstar("trace", str(self.path / "job")).stdout)

    def test_hidden_communication_is_not_exposed(self):
        events = [kernel("gemm", 0, 100_000, 7, 1), kernel("ncclKernel_AllReduce", 60_000, 60_000, 20, 2),
                  kernel("Memcpy HtoD", 125_000, 5_000, 9, 3), step_mark(1, 0, 140_000)]
        events[2]["cat"] = "gpu_memcpy"
        rank = trace(self.write(events))[0]["ranks"][0]
        for name, value in {"step": 0.140, "compute": 0.100, "communication": 0.060, "exposed": 0.020,
                            "copies": 0.005, "idle": 0.015}.items():
            self.assertAlmostEqual(rank[name], value, places=9, msg=name)

    def test_metadata_decide_before_names_and_rules_of_users_before_ours(self):
        secret = kernel("my_secret_kernel", 0, 1000, 7, 1, **{"Collective name": "allgather"})
        events = [secret, kernel("gemm", 1000, 1000, 7, 2), kernel("zeta_exchange", 2000, 2000, 7, 3)]
        path = self.write(events)
        job = trace(path)[0]
        self.assertAlmostEqual(job["ranks"][0]["communication"], 0.001)
        self.assertEqual(job["operations"][0]["collective"], "all-gather")
        self.assertEqual([one["name"] for one in job["unclassified"]], ["zeta_exchange"])
        self.assertAlmostEqual(job["unclassified_share"], 0.5)
        rules = self.path / "rules.toml"
        rules.write_text("[[rule]]\npattern = '^zeta_'\nclass = \"communication\"\n"
                         "collective = \"all-to-all\"\n")
        job = trace(path, "--rules", rules)[0]
        self.assertAlmostEqual(job["ranks"][0]["communication"], 0.003)
        self.assertEqual(job["unclassified_share"], 0)

    def test_kernels_of_other_libraries_are_communication(self):
        names = ["rcclGenericKernel", "void deep_ep::intranode::dispatch<8>(int4*)",
                 "vllm::cross_device_reduce_1stage<float>", "nvshmemi_transfer_rma",
                 "multimem_all_reduce_kernel", "Memcpy PtoP (Device -> Device)",
                 "ncclSymDevKernel_AllReduce",
                 # RCCL has one kernel for all collectives
                 "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>) [clone .kd]",
                 "mscclKernel_Sum_hip_bfloat16_LL_false(ncclDevComm*) [clone .kd]",
                 "void aiter::cross_device_reduce_2stage<std::bfloat16_t, 8, false>(aiter::RankData*)"]
        for name in names:
            job = trace(self.write([kernel(name, 0, 1000, 7, 1), kernel("gemm", 1000, 1000, 7, 2)]))[0]
            self.assertAlmostEqual(job["ranks"][0]["communication"], 0.001, msg=name)

    def test_steps_by_name_by_annotation_and_by_repetition(self):
        marks = [dict(step_mark(i, i * 1000, 1000), name="train_step") for i in range(4)]
        work = [kernel(name, 1000 * i + at, 200, 7, 0) for i in range(4)
                for at, name in ((0, "gemm"), (300, "softmax"), (600, "ncclKernel_AllReduce"))]
        for event in work:
            del event["args"]["correlation"]
        job = trace(self.write(work + marks))[0]
        self.assertEqual((job["steps_found_by"], len(job["steps"])), ("annotation", 4))
        job = trace(self.write(work + marks), "--step", "train_step")[0]
        self.assertEqual((job["steps_found_by"], len(job["steps"])), ("named", 4))
        job = trace(self.write(work))[0]
        self.assertEqual((job["steps_found_by"], len(job["steps"])), ("repetition", 3))
        self.assertAlmostEqual(job["step_time"]["point"], 0.001)
        run = kstar("trace", str(self.write(work + marks)), "--step", "nope")
        self.assertEqual(run.returncode, 1)
        self.assertIn("it has train_step", run.stderr)

    def test_a_list_gzip_and_zstd_are_read_as_the_object_is(self):
        events = rank_events(180, 20)
        whole = trace(self.write(events))[0]["ranks"][0]["exposed"]
        (self.path / "list.json").write_text(json.dumps(events))
        (self.path / "p.json.gz").write_bytes(gzip.compress(trace_text(events).encode()))
        # needs: zstd
        subprocess.run(["zstd", "-q", str(self.path / "t.json")], check=True)
        for name in ("list.json", "p.json.gz", "t.json.zst"):
            self.assertEqual(trace(self.path / name)[0]["ranks"][0]["exposed"], whole, name)

    def test_fractions_of_microseconds_count(self):
        events = [kernel("gemm", 1.250, 2.125, 7, 1), kernel("ncclKernel_AllReduce", 3.375, 1.001, 7, 2)]
        rank = trace(self.write(events))[0]["ranks"][0]
        self.assertAlmostEqual(rank["compute"], 2.125e-6, places=12)
        self.assertAlmostEqual(rank["exposed"], 1.001e-6, places=12)

    def test_rates_show_what_the_profile_does_not_explain(self):
        path = self.write(rank_events(78, 22), rank=0, world=256)
        rates = self.path / "rates.csv"
        rates.write_text("gpus,samples/s\n8,100\n256,300\n")
        shown = " ".join(kstar("trace", str(path), "--rates", str(rates)).stdout.split())
        self.assertIn("from K = 8 to 256 10.7x", shown)
        self.assertIn("explains 1.28x", shown)
        self.assertIn("The rest is not exposed communication", shown)
        answer = shown.split(" per step, nccl ")[1]
        self.assertTrue(answer.startswith("By the rates, run on 8,"), answer[:80])
        self.assertNotIn("K*", shown)  # of s alone: 754

    def test_traces_of_several_k_become_a_study_that_analyze_reads(self):
        for workers in (2, 4, 8):
            write_job(self.path / f"k{workers}", [160 / workers] * workers, 10)
        out = self.path / "study.jsonl"
        run = kstar("trace", *(str(self.path / f"k{k}") for k in (2, 4, 8)), "-o", str(out))
        self.assertEqual(run.returncode, 0, run.stderr)
        runs = [json.loads(line) for line in out.read_text().splitlines()]
        runs = [run for run in runs if "workers" in run and "steps" in run]
        self.assertEqual([run["workers"] for run in runs], [2, 4, 8])
        self.assertAlmostEqual(runs[0]["steps"][0], 0.090, places=6)
        self.assertEqual(len(runs[2]["per_worker"]["compute"]), 8)
        shown = kstar("analyze", str(out)).stdout
        self.assertIn("communication", shown)

    def screen(self, *words):
        run = kstar("trace", *map(str, words))
        self.assertEqual(run.returncode, 0, run.stderr)
        return " ".join(run.stdout.split())

    def write_steps(self, steps, name, rank, world):
        """Each step: milliseconds of computation, then of an all-reduce."""
        events, at = [], 1_000_000
        for number, (compute, transfer) in enumerate(steps):
            events += [kernel("gemm", at, compute * 1000, 7, 2 * number + 1),
                       kernel("ncclKernel_AllReduce", at + compute * 1000, transfer * 1000, 20,
                              2 * number + 2),
                       step_mark(number, at, (compute + transfer) * 1000)]
            at += (compute + transfer) * 1000
        folder = self.path / name
        folder.mkdir(exist_ok=True)
        (folder / f"rank{rank}.json").write_text(trace_text(events, rank, world))
        return folder

    def test_a_warm_up_step_is_named_and_left_out(self):
        for rank in (0, 1):
            folder = self.write_steps([(500, 10)] + [(50, 10)] * 4, "job", rank, 2)
        job, = trace(folder)
        self.assertEqual(job["steps"], ["1", "2", "3", "4"])
        self.assertAlmostEqual(job["s"]["point"], 1 / 6, places=6)
        self.assertAlmostEqual(job["changes"][0]["ceiling"], 6, places=6)
        self.assertIn("the first step, 0, takes 510 ms", self.screen(folder))

    def test_s_is_what_is_paid_over_the_time_of_all_steps(self):
        for rank in (0, 1):
            folder = self.write_steps([(50, 10), (500, 10), (50, 10), (50, 10)], "job", rank, 2)
        job, = trace(folder)
        self.assertAlmostEqual(job["s"]["point"], 40 / 690, places=6)
        self.assertAlmostEqual(job["s"]["point"] * job["changes"][0]["ceiling"], 1, places=6)
        self.assertGreaterEqual(job["s"]["low"], 0)
        self.assertGreater(job["step_time"]["low"], 0)

    def test_with_ranks_missing_s_is_a_bound(self):
        write_job(self.path / "job", [100, 100], 20, world=4)
        job, = trace(self.path / "job")
        self.assertTrue(job["s_is_bound"])
        shown = self.screen(self.path / "job")
        self.assertIn("s is at most 0.167", shown)
        self.assertIn("waiting for the 2 ranks without a trace is not told apart", shown)
        self.assertNotIn("Waiting for late ranks", shown)
        write_job(self.path / "all", [100, 100], 20)
        self.assertFalse(trace(self.path / "all")[0]["s_is_bound"])

    def test_computation_beside_a_collective_is_on_the_critical_path(self):
        for rank in (0, 1):
            events = []
            for step in range(3):
                at = 1_000_000 + 100_000 * step
                events += [kernel("gemm", at, 80_000, 7, 2 * step + 1), launch(at, 2 * step + 1),
                           kernel("ncclKernel_AllReduce", at + 60_000, 40_000, 20, 2 * step + 2),
                           launch(at + 59_990, 2 * step + 2), step_mark(step, at, 100_000)]
            self.write(events, f"rank{rank}.json", rank=rank, world=2)
        job, = trace(self.path)
        kinds = {}
        for piece in job["critical_path"]["pieces"]:
            kinds[piece["kind"]] = kinds.get(piece["kind"], 0) + piece["seconds"]
        self.assertEqual(set(kinds), {"compute", "transfer"})
        self.assertAlmostEqual(kinds["compute"], 0.060, places=6)
        self.assertAlmostEqual(kinds["transfer"], 0.040, places=6)

    def test_a_rank_that_is_there_twice_counts_once(self):
        write_job(self.path / "job", [100, 120], 20)
        whole, = trace(self.path / "job")
        text = (self.path / "job" / "rank0.json").read_bytes()
        (self.path / "job" / "rank0.json.gz").write_bytes(gzip.compress(text))
        job, = trace(self.path / "job")
        self.assertEqual(job["workers"], 2)
        self.assertEqual(job["mean"], whole["mean"])
        self.assertIn("rank0.json.gz is rank 0, as", " ".join(job["notes"]))
        (self.path / "job" / "rank1.json").write_bytes(text)
        job, = trace(self.path / "job")
        self.assertEqual((job["workers"], job["missing_ranks"]), (2, [1]))
        self.assertTrue(job["s_is_bound"])

    def test_a_file_without_a_rank_and_its_packed_copy_are_one(self):
        path = self.write(rank_events(180, 20, named=False))
        (self.path / "t.json.gz").write_bytes(gzip.compress(path.read_bytes()))
        self.assertEqual(trace(self.path)[0]["workers"], 1)

    def test_workers_are_at_least_the_largest_group_and_what_the_traces_say(self):
        reduce = kernel("ncclKernel_AllReduce", 1000, 500, 20, 2, **{
            "Collective name": "allreduce", "Process Group Name": "0", "Group size": 8})
        path = self.write([kernel("gemm", 0, 1000, 7, 1), reduce])
        job, = trace(path)
        self.assertEqual((job["workers"], job["workers_assumed"]), (8, True))
        self.assertTrue(job["s_is_bound"])
        self.assertEqual(trace(path, "--workers", 16)[0]["workers"], 16)
        run = kstar("trace", str(path), "--workers", "4")
        self.assertEqual(run.returncode, 1)
        self.assertIn("at least 8", run.stderr)
        write_job(self.path / "job", [100, 120], 20)
        run = kstar("trace", str(self.path / "job"), "--workers", "4")
        self.assertEqual(run.returncode, 1)
        self.assertIn("2, as the traces say", run.stderr)

    def test_rates_that_say_nothing_about_this_k_are_said(self):
        path = self.write(rank_events(78, 22), rank=0, world=8)
        rates = self.path / "rates.csv"
        rates.write_text("gpus,samples/s\n8,100\n256,300\n")
        self.assertIn("K = 8 is the smallest of the rates", self.screen(path, "--rates", rates))
        rates.write_text("gpus,samples/s\n16,100\n256,300\n")
        self.assertIn("the rates have no K = 8", self.screen(path, "--rates", rates))

    def test_other_json_files_of_a_folder_are_left_out_and_said(self):
        write_job(self.path / "job", [100, 120], 20)
        whole, = trace(self.path / "job")
        (self.path / "job" / "config.json").write_text('{"lr": 0.1}')
        job, = trace(self.path / "job")
        self.assertEqual(job["mean"], whole["mean"])
        self.assertIn("config.json (is no trace", " ".join(job["notes"]))
        parts = [str(self.path / f"{part}.kst") for part in (1, 2, 3)]
        for part in (1, 2, 3):
            kstar("trace", str(self.path / "job"), "--part", f"{part}/3", "-o", parts[part - 1])
        self.assertEqual(kstar("merge", *parts).stdout, kstar("trace", str(self.path / "job")).stdout)
        for rank in (0, 1):
            (self.path / "job" / f"rank{rank}.json").unlink()
        run = kstar("trace", str(self.path / "job"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("is no trace", run.stderr)

    def test_steps_that_differ_by_rank_say_why_there_is_no_critical_path(self):
        self.write_steps([(50, 10)] * 4, "job", 0, 2)
        folder = self.write_steps([(50, 10)] * 2, "job", 1, 2)
        self.assertIn("there is no critical path: ", self.screen(folder))

    def test_advice_follows_what_was_found(self):
        write_job(self.path / "job", [60, 100, 60, 60], 2)
        self.assertIn("Balancing the ranks would shorten it", self.screen(self.path / "job"))
        write_job(self.path / "even", [60, 60], 40)
        self.assertIn("better hidden collectives", self.screen(self.path / "even"))

    def test_nobody_is_last_where_nobody_waits(self):
        write_job(self.path / "job", [100, 100], 20)
        self.assertEqual([rank["last"] for rank in trace(self.path / "job")[0]["ranks"]], [0, 0])

    def test_the_screen_fits(self):
        write_job(self.path / "job", [100 + i for i in range(32)], 20)
        lines = kstar("trace", str(self.path / "job")).stdout.splitlines()
        self.assertLessEqual(len(lines), 40)
        self.assertLessEqual(max(map(len, lines)), 80)


class Parts(InFolder):
    def test_parts_merge_to_the_bytes_of_one_run(self):
        job = self.path / "job"
        write_job(job, [100, 120, 90, 110, 105], 20, clocks=[0, 5, -5, 3.3, 1], packed=True)
        parts = []
        for part in (1, 2, 3):
            parts.append(str(self.path / f"part{part}.kst"))
            run = kstar("trace", str(job), "--part", f"{part}/3", "-o", parts[-1])
            self.assertEqual(run.returncode, 0, run.stderr)
        for words in ([], ["--full"], ["--format", "json"], ["--format", "csv"], ["--hta"]):
            whole = kstar("trace", str(job), *words)
            merged = kstar("merge", *reversed(parts), *words)
            self.assertEqual(merged.returncode, 0, merged.stderr)
            self.assertEqual(whole.stdout, merged.stdout)
        one, other = self.path / "one.jsonl", self.path / "other.jsonl"
        kstar("trace", str(job), "-o", str(one))
        kstar("merge", *parts, "-o", str(other))
        self.assertEqual(one.read_bytes(), other.read_bytes())

    def test_a_missing_a_double_and_a_damaged_part_are_refused(self):
        job = self.path / "job"
        write_job(job, [100, 120], 20)
        parts = [str(self.path / f"part{part}.kst") for part in (1, 2)]
        for part in (1, 2):
            kstar("trace", str(job), "--part", f"{part}/2", "-o", parts[part - 1])
        self.assertIn("part 2 is missing", kstar("merge", parts[0]).stderr)
        self.assertIn("is part 1 of 2, as", kstar("merge", parts[0], parts[0]).stderr)
        data = pathlib.Path(parts[1]).read_bytes()
        for cut in range(19, len(data) - 1, 37):
            pathlib.Path(parts[1]).write_bytes(data[:cut])
            run = kstar("merge", *parts)
            self.assertEqual(run.returncode, 1, cut)
            self.assertIn("damaged at byte", run.stderr)


class Damaged(InFolder):
    def test_errors_name_the_file_and_what_was_expected(self):
        (self.path / "empty.json").write_text("")
        (self.path / "text.json").write_text("hello")
        (self.path / "other.json").write_text('{"a": 1}')
        (self.path / "none.json").write_text('{"traceEvents": []}')
        (self.path / "flows.json").write_text('[{"ph": "s", "id": 1}]')
        (self.path / "folder").mkdir()
        for name, words in {"empty.json": "is empty", "text.json": "expected JSON",
                            "other.json": "has no traceEvents", "none.json": "has no events",
                            "flows.json": "no operation", "folder": "has no trace in it",
                            "absent.json": "cannot read"}.items():
            run = kstar("trace", str(self.path / name))
            self.assertEqual(run.returncode, 1, name)
            self.assertIn(words, run.stderr, name)
            self.assertIn(name, run.stderr)
        for flags, words in {("--part", "4/3"): "PART/PARTS", ("--workers", "0"): "a whole number",
                             ("--predict", "x"): "--predict"}.items():
            run = kstar("trace", "x.json", *flags)
            self.assertEqual(run.returncode, 2, flags)
            self.assertIn(words, run.stderr)

    def test_what_is_whole_of_a_trace_that_was_cut_off_is_kept_and_said(self):
        text = trace_text(rank_events(180, 20), 0, 1)
        (self.path / "cut.json").write_text(text[:-40])
        (self.path / "cut.json.gz").write_bytes(gzip.compress(text.encode())[:-20])
        for name in ("cut.json", "cut.json.gz"):
            run = kstar("trace", str(self.path / name))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("1 file is cut off at the end", " ".join(run.stdout.split()))

    def test_the_last_step_of_a_trace_that_was_cut_off_does_not_count(self):
        events = rank_events(180, 20, steps=4)
        events.sort(key=lambda event: event["cat"] == "kernel")  # those of the host come first
        text = trace_text(events, 0, 8)
        last = text.rindex("nccl")
        (self.path / "cut.json").write_text(text[:last])
        job, = trace(self.path / "cut.json")
        self.assertEqual(len(job["steps"]), 3)
        self.assertAlmostEqual(job["s"]["point"], 0.1, places=6)
        self.assertIn("without the last step", job["notes"][0])

    def test_a_chrome_trace_of_something_else_is_refused(self):
        path = self.path / "page.json"
        path.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "blink", "name": "PageLoad", "pid": 1, "tid": 1, "ts": 1000 * i,
             "dur": 900} for i in range(20)]}))
        run = kstar("trace", str(path))
        self.assertEqual(run.returncode, 1)
        self.assertIn("is no trace of a profiler", run.stderr)
        (self.path / "rank0.json").write_text(trace_text(rank_events(180, 20), 0, 1))
        shown = kstar("trace", str(self.path)).stdout
        self.assertIn("left out", shown)

    def test_events_without_a_usable_time_are_skipped_and_counted(self):
        events = rank_events(180, 20) + [kernel("gemm", 0, -5, 7, 1), kernel("gemm", "x", 1, 7, 1),
                                         kernel("gemm", 1e300, 1, 7, 1), kernel("gemm", None, 1, 7, 1)]
        path = self.path / "t.json"
        path.write_text(trace_text(events, 0, 1))
        self.assertEqual(trace(path)[0]["notes"],
                         ["4 events without a usable time or name were skipped"])

    def test_control_characters_do_not_reach_the_terminal(self):
        path = self.path / "t.json"
        path.write_text(trace_text([kernel("\u001b[31mgemm\u0007", 0, 1000, 7, 1)], 0, 1))
        self.assertNotIn("\x1b", kstar("trace", str(path), "--full").stdout)


class Pictures(InFolder):
    def test_every_chart_is_drawn_as_svg_pdf_and_png(self):
        write_job(self.path / "job", [100, 120], 20)
        for kind, words in {"breakdown": "exposed waiting", "waiting": "the last rank",
                            "lanes": "communication"}.items():
            path = self.path / f"{kind}.svg"
            run = kstar("trace", str(self.path / "job"), "--chart", kind, "-o", str(path))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(words, path.read_text())
        for ending, first in {"pdf": b"%PDF", "png": b"\x89PNG"}.items():
            path = self.path / f"t.{ending}"
            run = kstar("trace", str(self.path / "job"), "-o", str(path))
            if "without librsvg" in run.stderr:
                continue
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue(path.read_bytes().startswith(first))

    def test_one_rank_has_nobody_to_wait_for(self):
        (self.path / "t.json").write_text(trace_text(rank_events(180, 20), 0, 8))
        run = kstar("trace", str(self.path / "t.json"), "--chart", "waiting", "-o",
                    str(self.path / "x.svg"))
        self.assertEqual(run.returncode, 1)
        self.assertIn("traces of 2 to 64 ranks", run.stderr)


def averages(rows, device="CUDA", total=None):
    """The table of key_averages(), as torch lays it out: [name, self CPU, CPU total, self device,
    share of it, calls]."""
    heads = ["Name", "Self CPU", "CPU total", f"Self {device}", f"Self {device} %", "# of Calls"]
    line = "  ".join(["-" * 55] + ["-" * 12] * 5)
    text = [line, "  ".join([f"{heads[0]:>55}"] + [f"{head:>12}" for head in heads[1:]]), line]
    text += ["  ".join([f"{row[0]:>55}"] + [f"{cell:>12}" for cell in row[1:]]) for row in rows]
    return "\n".join(text + [line] + ([f"Self {device} time total: {total}"] if total else [])) + "\n"


class Totals(InFolder):
    ROWS = [["c10d::allreduce_", "1.000ms", "9.000ms", "0.000us", "0.00%", "10"],
            ["record_param_comms", "2.000ms", "3.000ms", "200.000ms", "20.00%", "10"],
            ["ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKerne...", "0.000us", "0.000us",
             "200.000ms", "20.00%", "10"],
            ["nccl:all_reduce", "0.000us", "0.000us", "200.000ms", "20.00%", "10"],
            ["aten::mm", "5.000ms", "6.000ms", "800.000ms", "80.00%", "100"],
            ["ampere_sgemm_128x128_tn", "0.000us", "0.000us", "800.000ms", "80.00%", "100"]]
    STEP = ["ProfilerStep*", "30.000ms", "1.100s", "0.000us", "0.00%", "5"]

    def totals(self, text, *words):
        path = self.path / "table.txt"
        path.write_text(text)
        run = kstar("trace", str(path), *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_a_kernel_counts_once_and_s_is_a_bound(self):
        found = json.loads(self.totals(averages(self.ROWS, total="1.000s"), "--format", "json"))
        self.assertAlmostEqual(found["communication_seconds"], 0.2)
        self.assertAlmostEqual(found["exposed_at_most"], 0.2)
        self.assertEqual(found["exposed_at_least"], 0)
        shown = " ".join(self.totals(averages(self.ROWS, total="1.000s")).split())
        self.assertIn("s is at most 0.2 of the step", shown)
        self.assertIn("Totals only", shown)

    def test_steps_bound_what_can_be_hidden(self):
        text = averages(self.ROWS + [self.STEP], total="1.000s")
        found = json.loads(self.totals(text, "--format", "json"))
        self.assertAlmostEqual(found["exposed_at_most"], 0.2 / 1.1)
        self.assertIn("5 steps, 220 ms per step", self.totals(text))

    def test_rows_that_are_left_out_may_be_communication(self):
        found = json.loads(self.totals(averages(self.ROWS[:4]), "--format", "json"))
        self.assertAlmostEqual(found["total_seconds"], 1.0)  # by the share of the largest row
        self.assertAlmostEqual(found["exposed_at_most"], 1.0)

    def test_it_says_what_it_cannot_say(self):
        self.assertIn("No communication is in the table",
                      self.totals(averages(self.ROWS[4:], total="800.000ms")))
        path = self.path / "table.txt"
        path.write_text(averages(self.ROWS))
        run = kstar("trace", str(path), "--predict", "8..64")
        self.assertEqual(run.returncode, 2)
        self.assertIn("table of totals", run.stderr)


@unittest.skipUnless(PUBLIC.is_dir(), f"no {PUBLIC}")
class Public(unittest.TestCase):
    def test_hta_has_the_numbers_of_the_reference(self):
        text = (SHARED / "reference" / "hta.md").read_text()
        sets = re.split(r"^### ", text, flags=re.M)[1:]
        self.assertEqual(len(sets), 7)
        for one in sets:
            name = one.splitlines()[0].strip()
            run = kstar("trace", str(PUBLIC / "traces" / name), "--hta", "--format", "json")
            self.assertEqual(run.returncode, 0, run.stderr)
            found = json.loads(run.stdout)
            rows = [[cell.strip() for cell in line.strip("|").split("|")]
                    for line in one.splitlines() if re.match(r"\| \d", line)]
            self.assertEqual(len(rows), len(found["ranks"]))
            for row, rank in zip(rows, found["ranks"]):
                self.assertEqual([int(cell) for cell in row[:5]],
                                 [rank["rank"], rank["idle_us"], rank["compute_us"],
                                  rank["non_compute_us"], rank["kernel_time_us"]], name)
                if row[5] == "None":
                    self.assertIsNone(rank["overlap_percent"])
                else:
                    self.assertAlmostEqual(rank["overlap_percent"], float(row[5]), delta=0.0051)
            kinds = dict(re.findall(r"([A-Z][A-Za-z ]+?) (\d+) \(", one.split("(us, %): ")[1]))
            for kind, time in kinds.items():
                self.assertEqual(found["kernel_types_us"].get(kind.strip(), 0), int(time), name)

    def test_dlrm_waits_for_rank_7(self):
        job, = trace(PUBLIC / "traces" / "param_dlrm_8ranks")
        transfer = sum(rank["transfer"] for rank in job["ranks"])
        together = sum(rank["communication"] for rank in job["ranks"])
        self.assertAlmostEqual(1e3 * transfer, 1.7, delta=0.05)
        self.assertAlmostEqual(1e3 * together, 48.5, delta=0.05)
        self.assertEqual((job["ranks"][7]["last"], job["matched"]), (5, 8))
        shares = [rank["exposed"] / rank["step"] for rank in job["ranks"]]
        self.assertAlmostEqual(min(shares), 0.126, delta=0.001)
        self.assertAlmostEqual(max(shares), 0.556, delta=0.001)

    def test_slowdowns_of_the_timelines(self):
        folder = PUBLIC / "straggler_bytedance"
        for name, slowdown in (("ST", 1.179), ("SE", 1.537)):
            shown = kstar("trace", str(folder / f"timeline-{name}.json.gz"), "--ideal",
                          str(folder / f"ideal-timeline-{name}.json.gz")).stdout
            found = float(re.search(r"Slowdown against the ideal: ([0-9.]+)", shown)[1])
            self.assertAlmostEqual(found / slowdown, 1, delta=0.02)


@unittest.skipUnless(OURS.is_dir(), f"no {OURS}")
class Ours(unittest.TestCase):
    def test_gloo_is_communication_although_no_device_is_there(self):
        job, = trace(OURS / "torch_trace_gloo_4ranks")
        self.assertFalse(job["device"])
        for rank, (compute, all_of_it, exposed) in zip(
                job["ranks"], ((45.587, 14.257, 10.543), (45.404, 15.543, 10.937),
                               (36.638, 28.719, 20.557), (37.173, 28.786, 20.246))):
            self.assertAlmostEqual(3e3 * rank["compute"], compute, delta=0.02)
            self.assertAlmostEqual(3e3 * rank["communication"], all_of_it, delta=0.02)
            self.assertAlmostEqual(3e3 * rank["exposed"], exposed, delta=0.02)
        self.assertAlmostEqual(job["s"]["point"], 0.17, delta=0.005)

    def test_a_group_of_one_has_no_communication(self):
        job, = trace(OURS / "torch_trace_h200")
        self.assertEqual(job["mean"]["communication"], 0)
        self.assertEqual(job["changes"], [])


if __name__ == "__main__":
    unittest.main()
