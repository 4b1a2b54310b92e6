"""Files with scaling data as they lie in public repositories: how each is read, with which flag, and
T(K) as it stands in the file. The numbers were copied from the files by hand, none from kstar."""

import json
import pathlib
import statistics
import tempfile
import unittest

from program import kstar

WILD = pathlib.Path(__file__).resolve().parents[3] / "shared/data/public/wild"


def rates(table):
    return {workers: 1 / rate for workers, rate in table.items()}


def means(table):
    return {workers: statistics.fmean(times) for workers, times in table.items()}


def per_thousand(table):
    return {workers: time / 1000 for workers, time in table.items()}


# The start of a file's name, the flag that the refusal names (none: read without one), the regime
# that the study has or shows (none: not checked), and T(K).
READ = [
    ("1fni_cuda-spmv-benchmark__scaling_summary.md", [], "strong",
     {1: 0.2995, 2: 0.1522, 4: 0.0777, 8: 0.0403}),
    ("AmalieEBjerrum", [], None,
     {1: 760.28, 2: 419.17, 4: 215.35, 8: 165.59, 16: 82.72, 32: 65.49}),
    ("CamberCloud-Inc_hpc-scaling-benchmark__cpu", [], "throughput",
     rates({96: 6.21e6, 192: 1.21e7, 384: 2.40e7, 768: 4.82e7, 1152: 7.16e7, 1920: 1.20e8,
            2304: 1.44e8})),
    ("CamberCloud-Inc_hpc-scaling-benchmark__gpu", [], "throughput",
     rates({8: 2.50e8, 16: 3.30e8, 32: 5.99e8})),
    ("Diechi09_testforminiweather__strong", [], "strong",
     {32: 0.92, 64: 0.51, 128: 0.30, 256: 0.19}),
    ("Diechi09_testforminiweather__weak", [], "weak", {32: 0.48, 64: 0.50, 128: 0.53, 256: 0.56}),
    ("GiovanniBillo_HPCproject__strong_metrics", [], None,
     {1: 43.76, 2: 32.88, 4: 17.12, 8: 13.98, 16: 8.33}),
    ("GiovanniBillo_HPCproject__weak_metrics", [], "mixed",
     {1: 43.97, 2: 95.77, 4: 163.93, 8: 323.04, 16: 636.67}),
    ("GiovanniBillo_HPCproject__thread_scaling.log", [], None,
     {1: 982.254901800, 2: 498.166160710, 4: 251.016523089, 8: 130.348379581, 16: 69.235297192,
      32: 68.297204011, 56: 73.362634857, 84: 66.151450192, 112: 63.989500363}),
    ("Ibrahimaa19_Karman_vortex_street_Optimisation__mpi_benchmark", [], "throughput",
     rates({1: 5.59, 2: 21.92, 4: 59.14, 6: 123.99, 8: 211.80, 10: 303.83, 12: 395.43, 14: 268.06,
            16: 290.09})),
    ("Ibrahimaa19_Karman_vortex_street_Optimisation__strong", [], None,
     {1: 2.463, 2: 1.278, 4: 0.988, 6: 0.850, 8: 0.671, 10: 0.560, 12: 0.486}),
    # Its rate grows in proportion to K while the time does not change: whose work is that?
    ("Ibrahimaa19_Karman_vortex_street_Optimisation__wtime", ["--regime", "weak"], "weak",
     {1: 5.337, 2: 5.242, 4: 5.243, 8: 5.229, 16: 6.598, 28: 7.798}),
    ("RuasGAR_COC472-OpenMP__strong", [], None,
     {1: 232.35049, 2: 143.01559, 4: 122.61784, 8: 127.49436, 16: 127.84637, 32: 130.88936,
      64: 132.10750}),
    ("SPECFEM__Frontera_strong", [], "strong",
     {96: 176.788225409575, 384: 45.1629759455100, 1536: 11.9457483720034, 6144: 3.39151705568656}),
    ("SPECFEM__Frontera_weak", [], "weak",
     {96: 176.558749153279, 384: 153.763924910687, 1536: 135.759773090249, 6144: 146.254489035578}),
    ("SPECFEM__Marconi100_strong", [], "strong",
     {24: 3.79216353600000389, 96: 1.02485401299999879, 384: 0.333605903000000037,
      1536: 0.191929146000000106}),
    ("SPECFEM__Marconi100_weak", [], "weak",
     {24: 0.859280003999999487, 96: 1.02485401299999879, 384: 0.929909108999999567,
      864: 1.16417000200000054, 1536: 0.870016971000000083}),
    ("Samarth-Hiremath1", [], "throughput", rates({1: 3923.59, 2: 3423.05, 4: 4091.28})),
    ("Vikiyuk_PRIR_Project__mpi", [], None,
     {1: 5.091087, 2: 2.027681, 3: 1.313176, 4: 1.162813, 5: 1.075500, 6: 0.946700, 7: 0.701671,
      8: 0.696151, 9: 0.733126, 10: 1.020716, 11: 1.200679, 12: 2.169802}),
    ("Vikiyuk_PRIR_Project__results", [], None,
     {1: 6.005097, 2: 3.431743, 3: 3.394752, 4: 3.240628, 5: 3.340108, 6: 2.793242, 7: 2.514936,
      8: 2.231654, 9: 2.113605, 10: 1.983069, 11: 1.872455, 12: 1.794662}),
    ("mwasifshkeel_distributed-mlp__speedup_table", [], None,
     {1: 730.982, 2: 156.368, 4: 114.910, 8: 100.059}),
    ("mwasifshkeel_distributed-mlp__strong", [], "strong",
     means({1: [219.076841, 190.150473, 245.263903], 2: [32.780000, 32.385000, 32.462000],
            4: [29.445000, 29.210000, 28.985000], 8: [33.342000, 32.895000, 33.002000]})),
    ("mwasifshkeel_distributed-mlp__weak", [], "weak",
     means({1: [45.617758, 45.452957, 54.665552], 2: [31.649000, 30.169000, 30.373000],
            4: [27.261000, 27.365000, 27.633000], 8: [49.133000, 49.260000, 48.963000]})),
    ("sylvia-ymlin", [], None,
     {1: 0.801147, 4: 0.325285, 9: 0.388459, 16: 0.272653, 25: 0.169033, 36: 0.148975}),
    ("lammps_lammps__log.9Oct20.lj.4", [], None, {4: 0.452443}),
    ("extra-p_extrap__input.txt", [], None,
     means({4: [8.31, 8.02, 8.14], 8: [22.74, 22.66, 23.20], 16: [65.79, 64.74, 66.62],
            32: [186.78, 184.68, 181.58], 64: [528.86, 522.44, 531.78]})),
    ("extra-p_extrap__input1.json", [], None, {4: 3.5, 8: 5.5, 16: 9.5, 32: 17.5, 64: 33.5}),
    # With the flag that the refusal names.
    ("ArbriHamzallari", ["--select", "algo=bitonic"], "strong",
     {1: 0.67993, 2: 0.344887, 4: 0.183639, 8: 0.128117, 10: 0.11765}),
    ("GiovanniBillo_HPCproject__multinode_results_STRONG", ["--time-column", "time"], "strong",
     {1: 43.76, 2: 32.88, 4: 17.12, 8: 13.98, 16: 8.33}),
    ("GiovanniBillo_HPCproject__multinode_results_WEAK", ["--time-column", "time"], "mixed",
     {1: 43.97, 2: 95.77, 4: 163.93, 8: 323.04, 16: 636.67}),
    ("GiovanniBillo_HPCproject__thread_speedup", ["--time-column", "time"], None,
     {1: 982.23, 2: 498.15, 4: 251.01, 8: 130.34, 16: 69.22, 32: 68.29, 56: 73.35, 84: 66.14,
      112: 63.97}),
    ("GiovanniBillo_HPCproject__thread_results", ["--columns", "threads,time,c3"], None,
     {1: 982.23, 2: 498.15, 4: 251.01, 8: 130.34, 16: 69.22, 32: 68.29, 56: 73.35, 84: 66.14,
      112: 63.97}),
    ("Ibrahimaa19_Karman_vortex_street_Optimisation__benchmark_fixed", ["--select", "Type=MPI"],
     "throughput", rates({8: 212.86, 4: 58.13, 2: 22.66, 1: 6.01})),
    ("RuasGAR_COC472-OpenMP__weak", ["--select", "N_Dimension=500"], None,
     {1: 1.20321, 2: 0.75635, 4: 0.62305, 8: 0.77873, 16: 1.01364, 32: 1.30851, 64: 2.03356}),
    ("andre1012345_HPC-inference__speedup", ["--select", "t=1"], None,
     {1: 20.6012, 2: 11.104, 3: 8.27514, 4: 7.21209}),
    ("charisliao_cs267-hw4__strong", ["--time-column", "MPI Time (seconds) N=100000"], None,
     {1: 0.0358203, 2: 0.0210587, 4: 0.0125946, 5: 0.0101926, 8: 0.00819789, 10: 0.00721406,
      20: 0.00602391, 25: 0.00687447, 40: 0.00643269, 50: 0.00544852}),
    ("charisliao_cs267-hw4__weak",
     ["--columns", "Number of Tasks,MPI Time (seconds) N=10"], "weak",
     {1: 0.00377952, 2: 0.00456728, 4: 0.00558182, 5: 0.00549416, 8: 0.00690665, 10: 0.00732904,
      20: 0.0108265, 25: 0.0137842, 40: 0.0177985, 50: 0.0283177}),
    ("bcaddy_cholla__ranks_8_", ["--time-column", "Total"], None, {8: 12169.2}),
    ("bcaddy_cholla__ranks_512_", ["--time-column", "Total"], None, {512: 13136}),
    ("extra-p_extrap__experiment2", ["--select", "region=met1"], None,
     means({1000: [4.1, 3.9, 4.0, 4.0, 4.1], 2000: [4.1, 3.9, 4.0, 4.0, 4.1],
            4000: [4.1, 3.9, 4.3, 4.0, 4.1], 8000: [4.1, 3.9, 4.0, 4.0, 4.1],
            16000: [4.1, 3.9, 4.9, 4.0, 4.1]})),
    ("extra-p_extrap__experiment_MP", ["--select", "region=met1,n=1000"], None,
     means({1000: [4.1, 3.9, 4.0, 4.0, 4.1], 2000: [4.1, 3.9, 4.0, 4.0, 4.1],
            4000: [4.1, 3.9, 4.3, 4.0, 4.1], 8000: [4.1, 3.9, 4.0, 4.0, 4.1],
            10000: [4.1, 3.9, 4.9, 4.0, 4.1]})),
    ("hirra28", ["--select", "DataSize=10000000,Task=BasicStats"], None,
     per_thousand({1: 27.0681, 4: 12.1746})),
    ("mwasifshkeel_distributed-mlp__raw", ["--series", "input_size"], None,
     {1: 696.669714, 2: 89.716, 4: 62.973, 8: 61.157}),
    ("mwasifshkeel_distributed-mlp__thread_scaling", ["--k-column", "threads"], None,
     {1: 40.017, 2: 29.9505, 4: 31.3355, 8: 30.3315}),
    ("noemichem", ["--series", "Input File", "--series", "Executable"], None,
     per_thousand({1: 63.0, 2: 62.0, 3: 61.0, 4: 61.0, 5: 58.0, 6: 58.0, 7: 57.6028, 8: 56.5405,
                   9: 56.401, 10: 55.1785, 11: 54.3724, 12: 53.7464, 13: 53.5353, 14: 53.5297,
                   15: 50.2746, 16: 49.0894, 17: 48.7968, 18: 47.8712, 19: 47.7585, 20: 44.9759})),
    ("ukri-excalibur", ["--select", "cpus_per_task=1"], "throughput",
     means({1: [1 / 0.67] * 3, 2: [1 / 1.23, 1 / 1.23, 1 / 1.29]})),
]

# Which of the studies that --series makes has the numbers above.
SERIES = {"mwasifshkeel_distributed-mlp__raw": "input_size-30000",
          "noemichem": "Input-File-numbers_134217728.txt-Executable-OMP_FFT.exe"}

# There is no K in them, or no time: nothing may be made up.
REFUSED = [
    "1fni_cuda-spmv-benchmark__results", "Danny-CA", "EricPalermo", "KunkelAlexander",
    "NVIDIA_nccl-tests", "SoerenToschekUnibas", "YX-SHEN", "andre1012345_HPC-inference__hybrid",
    "bakshishantanu", "bigscience", "boris-gans", "charisliao_cs267-hw4__speedup", "crisvas",
    "curious-frances", "donar337", "extra-p_extrap__experiment3_neg", "extra-p_extrap__talpas",
    "francisco-liam", "gbench__", "marcpaterno", "meadsteve", "mirenmaiz", "pkusc", "s-Aura-v",
    "tjk12", "zeroows"]


def times_in(text):
    times = {}
    for line in map(json.loads, text.splitlines()):
        if line.get("record") == "run" and not line.get("failure"):
            value = line["wall"] if "wall" in line else statistics.fmean(line["steps"])
            times.setdefault(line["workers"], []).append(value)
    return means(times)


def files_named(start):
    return sorted(file for file in WILD.iterdir() if file.name.startswith(start))


@unittest.skipUnless(WILD.is_dir(), "no public data beside the project")
class Wild(unittest.TestCase):
    def check_times(self, got, expected, name):
        self.assertEqual(sorted(got), sorted(expected), name)
        for workers, time in expected.items():
            self.assertAlmostEqual(got[workers] / time, 1, 9, f"{name}: K = {workers}")

    def import_series(self, file, flags, part):
        with tempfile.TemporaryDirectory() as folder:
            done = kstar("import", str(file), *flags, "-o", folder + "/")
            self.assertEqual(done.returncode, 0, done.stderr)
            return (pathlib.Path(folder) / f"{part}.jsonl").read_text()

    def test_every_file_is_read_as_it_stands(self):
        self.assertGreaterEqual(len(READ), 40)
        self.assertGreaterEqual(sum(not flags for _, flags, _, _ in READ), 18)
        for start, flags, regime, expected in READ:
            file, = files_named(start)
            with self.subTest(file=file.name):
                if flags:
                    refused = kstar("import", str(file))
                    self.assertEqual(refused.returncode, 1, refused.stdout)
                    for word in flags:
                        self.assertIn(word, refused.stderr)
                if "--series" in flags:
                    text = self.import_series(file, flags, SERIES[start])
                else:
                    done = kstar("import", str(file), *flags)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    text = done.stdout
                self.check_times(times_in(text), expected, file.name)
                if regime:
                    done = kstar("analyze", str(file), *flags, "--format", "json")
                    self.assertEqual(json.loads(done.stdout)["regime"], regime, done.stderr)

    def test_what_has_no_scaling_data_is_refused_with_a_reason(self):
        for start in REFUSED:
            for file in files_named(start):
                with self.subTest(file=file.name):
                    done = kstar("import", str(file))
                    self.assertEqual(done.returncode, 1, done.stdout)
                    self.assertIn("error: ", done.stderr)

    def test_logs_of_one_run_each_make_one_study(self):
        lammps = [str(WILD / f"lammps_lammps__log.9Oct20.lj.{k}") for k in (1, 4)]
        done = kstar("import", *lammps)
        self.check_times(times_in(done.stdout), {1: 1.59245, 4: 0.452443}, "lammps")
        cholla = [str(file) for file in files_named("bcaddy_cholla")]
        done = kstar("import", *cholla, "--time-column", "Total")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_times(times_in(done.stdout),
                         {1: 11726.5, 8: 12169.2, 64: 12531.7, 512: 13136, 4096: 13305.1}, "cholla")
        sizes = {w["workers"]: w["size"] for w in json.loads(done.stdout.splitlines()[0])["workload"]}
        self.assertEqual(sizes, {k: 256 ** 3 * k for k in (1, 8, 64, 512, 4096)})

    def test_a_study_of_every_size_in_one_go(self):
        file, = files_named("RuasGAR_COC472-OpenMP__weak")
        with tempfile.TemporaryDirectory() as folder:
            done = kstar("import", str(file), "--series", "N_Dimension", "-o", folder + "/")
            self.assertEqual(done.returncode, 0, done.stderr)
            names = sorted(path.name for path in pathlib.Path(folder).iterdir())
            self.assertEqual(names, [f"N_Dimension-{n}.jsonl" for n in (1000, 2000, 3000, 4000, 500)])
            self.assertIn("N_Dimension=0: left out", done.stderr)  # measured twice without a word
            text = (pathlib.Path(folder) / "N_Dimension-1000.jsonl").read_text()
            self.check_times(times_in(text), {1: 9.73181, 2: 5.31618, 4: 4.66866, 8: 5.97572,
                                              16: 5.20906, 32: 6.64351, 64: 7.75238}, "1000")


if __name__ == "__main__":
    unittest.main()
