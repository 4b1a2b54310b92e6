"""Files of others, through the program."""

import json
import unittest

from program import InFolder, kstar

class Import(InFolder):
    def imported(self, *words):
        """The header, the runs, the notes, and what was said."""
        done = kstar("import", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        runs = [line for line in lines if line.get("record") == "run"]
        notes = [line for line in lines if line.get("record") == "note"]
        return lines[0], runs, notes, done.stderr

    def refused(self, *words, code=1):
        done = kstar("import", *words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr


class Flags(Import):
    def test_a_broken_pattern_is_wrong_usage(self):
        file = self.write("8.log", "took 3 s\n")
        for flag in ("--time-regex", "--rate-regex", "--k-regex"):
            with self.subTest(flag):
                self.assertIn(flag, self.refused(file, flag, "([", code=2))
        self.assertIn("one group", self.refused(file, "--time-regex", "took", code=2))

    def test_times_and_rates_do_not_go_together(self):
        file = self.write("t.csv", "K,a,b\n1,10,0.1\n")
        self.assertIn("--time-column", self.refused(
            file, "--time-column", "a", "--rate-column", "b", code=2))
        self.assertIn("--time-regex", self.refused(
            file, "--time-regex", "(a)", "--rate-regex", "(b)", code=2))


class Tables(Import):
    def test_the_format_is_sniffed_and_said(self):
        file = self.write("t.csv", "K,time_s\n1,10\n2,6\n")
        _, runs, notes, said = self.imported(file)
        self.assertEqual([(run["workers"], run["wall"]) for run in runs], [(1, 10), (2, 6)])
        self.assertIn(f"note: {file}: read as csv", said)
        self.assertIn("imported", [note["what"] for note in notes])

    def test_a_study_that_is_there_is_not_replaced(self):
        file = self.write("t.csv", "K,time_s\n1,10\n2,6\n")
        out = str(self.path / "s.jsonl")
        self.assertEqual(kstar("import", file, "-o", out).returncode, 0)
        self.assertIn("--force", self.refused(file, "-o", out))
        self.assertEqual(kstar("import", file, "-o", out, "--force").returncode, 0)

    def test_columns_can_be_named(self):
        file = self.write("t.csv", "a,b,c\n1,10,0.1\n2,6,0.17\n")
        self.assertIn("--time-column", self.refused(file, "--k-column", "a"))
        _, runs, notes, _ = self.imported(file, "--k-column", "a", "--time-column", "b")
        self.assertEqual([run["wall"] for run in runs], [10, 6])
        self.assertIn("guessed", [note["what"] for note in notes])
        header, runs, _, _ = self.imported(file, "--k-column", "a", "--rate-column", "c")
        self.assertEqual((header["regime"], runs[0]["wall"]), ("throughput", 10))

    def test_columns_can_be_ignored(self):
        file = self.write("t.csv", "K,time_s,a,b\n1,10,x,u\n2,6,x,v\n1,11,y,v\n2,7,y,u\n")
        self.assertIn("--ignore 'a'", self.refused(file))
        self.assertIn("--ignore 'b'", self.refused(file, "--ignore", "a"))
        _, runs, _, _ = self.imported(file, "--ignore", "a", "--ignore", "b")
        self.assertEqual(len(runs), 4)
        self.assertEqual(kstar("analyze", file, "--ignore", "a", "--ignore=b").returncode, 0)
        self.assertIn("--ignore", self.refused(file, "--ignore", "c"))

    def test_several_files_make_one_study(self):
        one = self.write("1.csv", "K,time_s,batch\n1,10,64\n")
        two = self.write("2.csv", "K,time_s,batch\n2,6,128\n")
        header, runs, _, _ = self.imported(one, two)
        self.assertEqual([run["workers"] for run in runs], [1, 2])
        self.assertEqual([(w["workers"], w["batch"]) for w in header["workload"]],
                         [(1, 64), (2, 128)])
        other = self.write("3.csv", "K,time_s,batch\n2,6,256\n")
        self.assertIn("the problem at K = 2", self.refused(two, other))

    def test_formats_are_listed_and_a_wrong_name_is_refused(self):
        done = kstar("import", "--list")
        self.assertEqual(done.returncode, 0)
        for name in ("csv", "steps", "study"):
            self.assertIn(f"\n{name} ", "\n" + done.stdout)
        self.refused("--as", "cvs", "x", code=2)
        self.assertIn("expected a file", self.refused(code=2))
        self.assertIn("--k", self.refused("--k", "0", "x", code=2))


class NeverMerged(Import):
    """Rows that are not of one program, one unit or one run are not made one T(K)."""

    def refuses(self, text, said, *flags):
        stderr = self.refused(self.write("t.csv", text), *flags)
        self.assertIn(said, stderr, text)

    def times(self, text, *flags, name="t.csv"):
        _, runs, _, _ = self.imported(self.write(name, text), *flags)
        return [(run["workers"], run.get("wall")) for run in runs
                if not run.get("failure") and not run.get("warm_up")]

    def test_words_behind_k(self):
        self.assertEqual(self.times("threads,time_s\n1 (serial),10\n1,12\n2,6\n"), [(1, 12), (2, 6)])
        self.assertEqual(self.times("threads,time_s\n1_seq,10\n1,12\n2,6\n"), [(1, 12), (2, 6)])
        self.assertEqual(self.times("gpus,time_s\n1 GPU,10\n2 GPUs,6\n4,3\n"), [(1, 10), (2, 6), (4, 3)])
        for word in ("4 pinned", "8 SMT", "2_ht"):
            self.refuses(f"threads,time_s\n1,10\n{word},6\n", "more than a number of workers")
        self.refuses("threads,time_s\n1k,10\n2K,6\n", "1000 for 1k")
        self.refuses("K,time_s\n8 gpus,10\n1 node,6\n", "count different things")

    def test_dashes_are_no_numbers(self):
        self.assertEqual(self.times("threads,time_s\n—,10\n1,12\n2,6\n"), [(1, 12), (2, 6)])
        _, runs, _, _ = self.imported(self.write("t.md", "| gpus | time (s) | efficiency |\n|---|---|---|\n"
                                                 "| 1 | 10 | 100% (baseline) |\n| 2 | 6 | 83% |\n"))
        self.assertEqual([run["claim"]["efficiency"] for run in runs], [1, 0.83])

    def test_texts_that_differ_at_one_k(self):
        self.refuses("ranks,Config,time\n1,Sequential,10\n1,1 rank x 1 thread,12\n"
                     "2,2 ranks x 1 thread,6\n", "several series")
        self.assertEqual(len(self.times("K,name,time\n1,run-01,10\n1,run-02,11\n2,run-03,6\n")), 3)

    def test_units_of_some_cells(self):
        self.refuses("threads,time\n1,245ms\n2,128\n", "has a unit")
        self.refuses("threads,time_ms\n1,1.2 s\n2,650\n", "not the column's")
        self.assertEqual(self.times("threads,time (s)\n1,10 s\n2,6\n"), [(1, 10), (2, 6)])
        done = kstar("analyze", "--data", "1:100,2:52ms,4:30")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("has a unit", done.stderr)
        self.assertEqual(self.times("threads,time,unit\n1,1000,ms\n2,0.5,s\n"), [(1, 1), (2, 0.5)])
        self.refuses("threads,time,unit\n1,1000,MB\n2,0.5,s\n", "--ignore 'unit'")
        self.assertEqual(self.times("K,time\n1,2 minutes\n2,61 secs\n4,20.5 seconds\n"),
                         [(1, 120), (2, 61), (4, 20.5)])
        self.assertEqual(self.times("K,Time (mm:ss)\n1,1:40\n2,0:55\n"), [(1, 100), (2, 55)])

    def test_what_is_no_time_of_a_job(self):
        for name in ("log2(time)", "log_time", "1/time", "time (x1000 s)", "time [10^-3 s]"):
            self.refuses(f"threads,{name}\n1,10\n2,6\n", "is not T: it was computed from it")
        self.refuses("threads,time reduction\n1,10\n2,6\n", "no column name means a time")
        self.refuses("ranks,total_days,avg_compute_s,avg_io_s\n1,256,10,1\n2,256,5.2,1.1\n",
                     "avg_compute_s, avg_io_s")
        self.refuses("threads,time,time\n1,10,11\n2,6,7\n", "--columns threads,time,time_2",
                     "--time-column", "time")

    def test_blocks_that_go_through_k_again(self):
        for text in ("# A\nthreads time\n1 10\n2 6\n\n# B\nthreads time\n1 20\n2 11\n",
                     "# n=1\n1 10\n2 6\n\n# n=2\n1 20\n2 11\n",
                     "threads,time\n1,10\n2,6\n\nthreads,time\n1,20\n2,11\n"):
            self.refuses(text, "--table 1")
            self.assertEqual(self.times(text, "--table", "2"), [(1, 20), (2, 11)])
        self.assertEqual(self.times("threads,time\n1,10\n\n# more\n2,6\n4,3\n"),
                         [(1, 10), (2, 6), (4, 3)])

    def test_rows_of_workers_warm_ups_and_failed_runs(self):
        for name in ("rank", "local_rank", "worker_id"):
            self.refuses(f"world_size,{name},time\n1,0,10\n2,0,5\n2,1,5.5\n", "T is that of the slowest")
        self.assertEqual(self.times("K,run,time\n1,warmup,20\n1,1,10\n2,warmup,9\n2,1,6\n"),
                         [(1, 10), (2, 6)])
        for name, good, bad in (("exit", 0, 139), ("exit_code", 0, 1), ("returncode", 0, 1),
                                ("valid", 1, 0), ("converged", "True", "False"),
                                ("correct", "yes", "no"), ("success", "true", "false")):
            self.assertEqual(self.times(f"K,time,{name}\n1,10,{good}\n2,0.1,{bad}\n4,3,{good}\n"),
                             [(1, 10), (4, 3)], name)

    def test_a_hint_keeps_every_factor_of_k(self):
        self.refuses("nodes,ranks_per_node,threads,time\n1,4,2,10\n2,4,2,5.5\n",
                     "--k-column 'nodes*ranks_per_node*threads'")

    def test_a_second_time_belongs_to_the_k_before_it(self):
        text = "threads: 1\nTotal time: 26.7\nTotal time: 25.5\nthreads: 4\nTotal time: 8.1\nTotal time: 6.8\n"
        self.assertIn("nth value=1", self.refused(self.write("t.txt", text)))
        self.assertEqual(self.times(text, "--select", "nth value=2", name="t.txt"), [(1, 25.5), (4, 6.8)])

    def test_what_begins_with_one_may_be_no_time(self):
        self.refuses("1 1.0\n2 0.935\n4 0.617\n", "--columns K,efficiency")
        self.assertEqual(self.times("1 1.0\n2 0.5\n", "--columns", "K,time_s"), [(1, 1), (2, 0.5)])
        self.assertEqual(self.times("1 1.2\n2 0.7\n"), [(1, 1.2), (2, 0.7)])

    def test_percentiles_are_no_numbers_of_workers(self):
        text = "readers,qps,p50_ms,p95_ms,p99_ms\n1,104,307,396,465\n2,91,358,469,505\n"
        self.refuses(text, "--k-column 'readers'")
        self.assertEqual(self.times(text, "--k-column", "readers"), [(1, 1 / 104), (2, 1 / 91)])

    def test_a_duration_that_was_set_is_no_t(self):
        text = "clients,qps,elapsed_seconds\n1,104,60.1\n2,91,60.2\n4,70,60.1\n"
        self.refuses(text, "--rate-column 'qps'")
        self.assertEqual(self.times(text, "--rate-column", "qps")[0], (1, 1 / 104))

    def test_latencies_beside_a_throughput_are_those_of_requests(self):
        text = "workers,throughput,mean latency (ms),p95 latency (ms)\n1,100,10,20\n2,180,11,30\n"
        self.assertEqual(self.times(text), [(1, 1 / 100), (2, 1 / 180)])
        self.assertEqual(self.times("workers,latency (ms)\n1,10\n2,6\n"), [(1, 0.01), (2, 0.006)])

    def test_rates_of_several_units(self):
        self.assertEqual(self.times("gpus,throughput\n1,900k tok/s\n2,1.8M tok/s\n"),
                         [(1, 1 / 900e3), (2, 1 / 1.8e6)])
        self.refuses("gpus,throughput\n1,800 MB/s\n2,1.5 GB/s\n", "is not in MB/s")
        self.assertEqual(self.times("gpus;throughput\n1;0,5 it/s\n2;0,8 it/s\n"), [(1, 2), (2, 1.25)])

    def test_a_label_that_comes_back_is_of_a_series(self):
        text = ("| Machine | cores | ns/day |\n|---|---|---|\n| a | 8 | 1 |\n| | 16 | 2 |\n| | 32 | 4 |\n"
                "| b | 12 | 1 |\n| | 24 | 2 |\n")
        self.refuses(text, "--select 'Machine=a'")
        self.assertEqual([k for k, _ in self.times(text, "--select", "Machine=b")], [12, 24])

    def test_another_model_is_another_job(self):
        text = "gpus,model,time (h)\n2,256px,131\n4,1024px,251\n"
        self.refuses(text, "--ignore 'model'")
        self.assertEqual(len(self.times(text, "--ignore", "model")), 2)
        self.refuses("K,NR = NS,time\n1,5M,0.4\n2,10M,0.4\n4,20M,0.5\n", "may be the size")

    def test_variants_of_a_program_are_no_repeats(self):
        self.refuses("K,variant,time\n1,WR00,10\n1,WR01,11\n2,WR00,6\n2,WR01,7\n", "several series")

    def test_accelerators_by_their_names(self):
        self.assertEqual(self.times("GPUs,time\n1x A100,10\n2x A100,6\n"), [(1, 10), (2, 6)])
        self.refuses("GPUs,time\n1x A100,10\n2x H100,6\n", "different workers")

    def test_steps_of_slurm_jobs_are_no_runs(self):
        text = ("JobID|State|Elapsed|AllocCPUS|SubmitLine\n1|COMPLETED|00:00:10|1|sbatch a\n"
                "1.batch|COMPLETED|00:00:09|1|\n2|COMPLETED|00:00:06|2|sbatch b\n"
                "2.batch|COMPLETED|00:00:05|2|\n2.0|COMPLETED|00:00:05|2|\n")
        self.assertEqual(self.times(text), [(1, 10), (2, 6)])


class Hints(Import):
    """What a refusal names works when it is pasted."""

    def test_k_across_the_columns(self):
        file = self.write("t.csv", "difficulty,core1,core2,core4\n1,10,6,4\n")
        self.assertIn("--across", self.refused(file))
        said = self.refused(file, "--across")
        self.assertIn("--time-column 'value'", said)
        _, runs, _, _ = self.imported(file, "--across", "--time-column", "value")
        self.assertEqual([(run["workers"], run["wall"]) for run in runs], [(1, 10), (2, 6), (4, 4)])
        file = self.write("u.csv", "size/threads,1.0,2.0,4.0\n5,10,6,4\n")
        self.assertIn("--across", self.refused(file))
        _, runs, _, _ = self.imported(file, "--across", "--time-column", "value")
        self.assertEqual([run["workers"] for run in runs], [1, 2, 4])

    def test_sizes_and_repeats_are_not_proposed_as_k(self):
        file = self.write("t.csv", "mode,matrix_size,run,time\nmpi-1,256,1,10\nmpi-2,256,2,6\n")
        self.assertIn("no other column may be K", self.refused(file))
        file = self.write("t.csv", "config,real time\nserial,3m1s\n1,3m0s\n2,1m30s\n4,0m50s\n")
        self.assertIn("--k-column 'config'", self.refused(file))
        _, runs, _, _ = self.imported(file, "--k-column", "config")
        self.assertEqual([(run["workers"], run["wall"]) for run in runs], [(1, 180), (2, 90), (4, 50)])

    def test_logs_name_their_preset_or_a_pattern(self):
        line = " iteration 10/ 1000 | consumed samples: 160 | elapsed time per iteration (ms): 1147.6 |\n"
        file = self.write("train.log", "before training: 2025\n" + line + line)
        self.assertIn("--preset megatron", self.refused(file))
        _, runs, _, _ = self.imported(file, "--preset", "megatron", "--k", "1")
        self.assertEqual(runs[0]["steps"], [1.1476, 1.1476])
        text = "srun: can't run {} processes on 8 nodes, setting nnodes\nwork done: {} s\n"
        file = self.write("t.txt", text.format(1, 3) + text.format(2, 2))
        said = self.refused(file)
        self.assertIn("--time-regex", said)
        self.assertNotIn("--columns", said)

    def test_the_series_with_the_most_k_is_the_example(self):
        file = self.write("t.csv", "impl,threads,time\nseq,1,10\nomp,1,11\nomp,2,6\nomp,4,3\n")
        self.assertIn("--select 'impl=omp'", self.refused(file))

    def test_series_of_rows_in_json(self):
        rows = [{"n": n, "threads": k, "time_s": n / k} for n in (8, 16) for k in (1, 2)]
        file, out = self.write("t.json", json.dumps(rows)), self.path / "studies"
        done = kstar("import", file, "--series", "n", "-o", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(out.iterdir())), 2)


if __name__ == "__main__":
    unittest.main()
