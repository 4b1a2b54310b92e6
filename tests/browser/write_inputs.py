"""The ten kinds of studies that the charts are tested with, each as the files of one page."""
import json
import random
import subprocess

HEADER = {"kstar": "study", "schema": 1, "regime": "strong"}


def amdahl(workers, serial=0.03):
    return 100 * (serial + (1 - serial) / workers)


def write_study(path, ks, runs=4, time_of=amdahl, noise=0.02, failed=(), **header):
    """Runs in blocks; those of the K in `failed` crash but for the first block."""
    rng = random.Random(len(str(path)))
    with open(path, "w") as file:
        file.write(json.dumps({**HEADER, "title": path.stem, **header}) + "\n")
        order = 0
        for block in range(runs):
            for k in ks:
                run = {"record": "run", "workers": k, "order": order, "block": block,
                       "wall": round(time_of(k) * rng.gauss(1, noise), 6)}
                if k in failed and block > 0:
                    run.update(status="failed", exit_status=1)
                file.write(json.dumps(run) + "\n")
                order += 1
    return path


def write_mlperf(path):
    """Trainings as the importer of MLPerf writes them: batch, samples needed and fixed time."""
    ks = (8, 16, 64, 256, 1024)
    workload = [{"workers": k, "unit": "samples", "batch": 256 * k} for k in ks]
    with open(path, "w") as file:
        file.write(json.dumps({"kstar": "study", "schema": 1, "title": "mlperf", "regime": "mixed",
                               "workload": workload}) + "\n")
        for k in ks:
            for run in range(4):
                work = 2e6 * (1 + 0.1 * (k / 8) ** 0.5 + 0.01 * run)
                file.write(json.dumps({"record": "run", "workers": k, "fixed": 20,
                                       "wall": round(20 + work / (260 * k ** 0.9), 3),
                                       "work": work}) + "\n")
    return path


def inputs(studies, folder):
    """(name, files, flags) of every page."""
    study = lambda name, *rest, **more: write_study(folder / f"{name}.jsonl", *rest, **more)
    powers = [2**i for i in range(13)]
    single = folder / "single.csv"
    single.write_text("K,time\n" + "\n".join(f"{k},{amdahl(k):.2f}" for k in powers[:6]) + "\n")
    weak = study("weak", [1, 2, 4, 8, 16], time_of=lambda k: 10 + 0.4 * k, regime="weak")
    return [
        ("strong", [study("strong", [1, 2, 4, 8, 16, 32])], []),
        ("weak", [weak], []),
        ("two", [study("before", [1, 2, 4, 8, 16]),
                 study("after", [1, 2, 4, 8, 16, 32], time_of=lambda k: amdahl(k, 0.01))], []),
        ("straggler", [studies / "straggler-1.jsonl.gz"], []),
        ("single", [single], ["--regime", "strong"]),
        ("mlperf", [write_mlperf(folder / "mlperf.jsonl")], []),
        ("one-k", [study("one-k", [8], runs=6)], []),
        ("failures", [study("failures", [1, 2, 4, 8, 16], failed=(8, 16))], []),
        ("sixty", [study("sixty", range(1, 61), noise=0.05)], []),
        ("to-4096", [study("to-4096", powers)], []),
    ]


def write_ugly(kstar, folder):
    """Studies whose answer needs a word more: ugly-NAME.html."""
    study = lambda name, *rest, **more: write_study(folder / f"{name}.jsonl", *rest, **more)
    powers = [2**i for i in range(6)]
    for one in (
            study("jumping", powers, time_of=lambda k: 100 / k * (3 if k in (4, 16) else 1)),
            study("flat", powers, time_of=lambda k: 100),
            study("superlinear", powers, time_of=lambda k: 100 / k**1.2),
            study("noisy", [1, 2], time_of=lambda k: 10 + 0.4 * k, noise=0.05, regime="weak"),
            study("two-hundred", range(1, 201), runs=3, time_of=lambda k: amdahl(k, 0.0307))):
        subprocess.run([kstar, "report", str(one), "-o", str(folder / f"ugly-{one.stem}.html")],
                       check=True, stdout=subprocess.DEVNULL)


def write_ranking(kstar, folder):
    """One page of three studies, one of which has something to check."""
    files = [str(folder / f"{name}.jsonl") for name in ("jumping", "flat", "strong")]
    subprocess.run([kstar, "report", *files, "-o", str(folder / "ranking.html")],
                   check=True, stdout=subprocess.DEVNULL)


def write_forty(kstar, folder):
    """One page of forty studies."""
    files = [write_study(folder / f"job-{i:02}.jsonl", [1, 2, 4, 8, 16, 32, 64],
                         time_of=lambda k, i=i: amdahl(k, 0.002 * (i + 1))) for i in range(40)]
    subprocess.run([kstar, "report", *map(str, files), "-o", str(folder / "forty.html")],
                   check=True, stdout=subprocess.DEVNULL)


def write_documents(kstar, folder):
    """Pages of results that are no studies: document-NAME.html."""
    for name, words in (
            ("predict", ["predict", "amdahl", "--serial", "0.05"]),
            ("several", ["predict", "strong", "--serial", "0.01,0.05,0.2", "--comm", "log2:0.01"]),
            ("plan", ["plan", "--data", "1:100,2:52,4:29,8:19,16:15", "--price", "2/worker-hour"])):
        subprocess.run([kstar, *words, "-o", str(folder / f"document-{name}.html")],
                       check=True, stdout=subprocess.DEVNULL)


def write_pages(kstar, studies, folder):
    """One page for each, NAME.html; returns the names."""
    names = []
    for name, files, flags in inputs(studies, folder):
        command = [kstar, "report", *map(str, files), *flags, "-o", str(folder / f"input-{name}.html")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        names.append(name)
    return names
