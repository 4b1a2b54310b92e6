"""Help, completions, the manual and the topics come from one table, and work in real shells."""

import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

from program import KSTAR, environment, kstar

ROOT = pathlib.Path(__file__).resolve().parents[2]


def subcommands(*path):
    """The names under 'commands' in a help text."""
    lines = kstar(*path, "--help").stdout.splitlines()
    if "commands" not in lines:
        return []
    names = []
    for line in lines[lines.index("commands") + 1:]:
        if not line.startswith("  "):
            break
        if line[2] != " ":
            names.append(line.split()[0])
    return names


def leaves(path=()):
    below = subcommands(*path)
    return [path] if not below else [leaf for name in below for leaf in leaves((*path, name))]


def write_instrument_files(folder):
    """What the examples of comm, trace and dag read."""
    ranks = "".join(f"#  Rank {i} Group 0 Pid {i} on node device {i} [0x5{i}] H100\n" for i in range(4))
    sizes = [1 << power for power in range(10, 26)]

    def row(size):
        time = 20 + size / 1e5
        return f"{time:.2f} {size / time / 1e3:.2f} {1.5 * size / time / 1e3:.2f}"

    (folder / "sweep.txt").write_text(
        "# nThread 1 nGpus 1 minBytes 1024 maxBytes 33554432\n" + ranks +
        "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n" +
        "".join(f"{b} {b // 4} float sum -1 {row(b)} 0 {row(b)} 0\n" for b in sizes))
    shutil.copy(ROOT / "fuzz/corpus/comm/network.toml", folder)
    shutil.copytree(ROOT / "examples/traces", folder / "traces")
    shutil.copy(ROOT / "examples/traces/gloo_rank0.json.gz", folder / "rank0.json.gz")
    (folder / "build").mkdir()
    (folder / "build/build.ninja").write_text(
        "rule cc\n  command = cc\nbuild a.o: cc a.c\nbuild b.o: cc b.c\nbuild prog: cc a.o b.o\n")
    (folder / "build/.ninja_log").write_text(
        "# ninja log v5\n0\t900\t0\ta.o\t1\n0\t700\t0\tb.o\t2\n900\t1200\t0\tprog\t3\n")
    (folder / "graph.dot").write_text("digraph { a [Weight=2]; b [Weight=3]; a -> b [Weight=1]; }\n")


class Table(unittest.TestCase):
    def test_every_command_has_help_and_is_in_the_manual(self):
        manual = kstar("manual").stdout.replace("\\-", "-")
        self.assertIn(("predict", "amdahl"), leaves())
        for leaf in leaves():
            text = kstar(*leaf, "--help")
            self.assertEqual(text.returncode, 0)
            self.assertIn(f"usage: kstar {' '.join(leaf)}", text.stdout)
            self.assertIn(f".SS kstar {' '.join(leaf)}\n", manual)

    def test_every_example_in_the_help_works(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("monday", "tuesday", "study", "before", "after", "strong", "weak"):
                kstar("predict", "amdahl", "--serial", "0.1", "--simulate",
                      f"runs=2,seed={len(name)}", "-o", f"{folder}/{name}.jsonl")
            pathlib.Path(folder, "times.csv").write_text("workers,seconds\n1,9\n2,10\n4,11\n")
            for file in ("jobs.toml", "proposal.toml"):
                shutil.copy(ROOT / "examples/plan" / file, folder)
            write_instrument_files(pathlib.Path(folder))
            for leaf in leaves():
                if leaf[1:] == ("measure",):
                    continue  # comm, tail, roofline: a minute, a server, a GPU
                lines = kstar(*leaf, "--help").stdout.splitlines()
                start = lines.index("examples") + 1
                for line in lines[start:]:
                    if "|" in line or ">" in line or "<(" in line or "*" in line:
                        continue  # these are for a shell and the home folder
                    run = kstar(*shlex.split(line)[1:], cwd=folder)
                    good = (0, 3) if leaf == ("audit",) else (0,)  # 3: it did not pass
                    self.assertIn(run.returncode, good, line + run.stderr)

    def test_the_manual_is_sound_roff(self):
        # needs: mandoc
        if not shutil.which("mandoc"):
            self.skipTest("mandoc is not installed")
        with tempfile.NamedTemporaryFile("w", suffix=".1") as page:
            page.write(kstar("manual").stdout)
            page.flush()
            lint = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page.name],
                                  capture_output=True, text=True)
            self.assertEqual((lint.returncode, lint.stdout), (0, ""))
            shown = subprocess.run(["mandoc", "-T", "utf8", page.name], capture_output=True, text=True)
            self.assertIn("--serial", shown.stdout)


class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = (f"source <('{KSTAR}' completions bash); COMP_WORDS=({' '.join(map(repr, words))}); "
                  f"COMP_CWORD={len(words) - 1}; _kstar; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment())
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    def test_bash_offers_commands_flags_and_choices(self):
        self.assertEqual(self.complete("kstar", "pre"), ["predict"])
        self.assertEqual(self.complete("kstar", "predict", "am"), ["amdahl"])
        self.assertIn("--serial", self.complete("kstar", "predict", "amdahl", "--"))
        self.assertNotIn("--comm", self.complete("kstar", "predict", "amdahl", "--"))
        self.assertEqual(self.complete("kstar", "predict", "amdahl", "--format", "js"), ["json"])
        self.assertIn("karp-flatt", self.complete("kstar", "explain", "k"))

    def test_zsh_and_fish_take_their_scripts(self):
        # needs: zsh, fish
        for shell in ("zsh", "fish"):
            if not shutil.which(shell):
                self.skipTest(f"{shell} is not installed")
            with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as script:
                script.write(kstar("completions", shell).stdout)
                script.flush()
                run = subprocess.run([shell, "-n", script.name], capture_output=True, text=True)
                self.assertEqual((run.returncode, run.stderr), (0, ""), shell)

    def test_fish_offers_commands_and_choices(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        with tempfile.TemporaryDirectory() as home:
            for line, wanted in (("kstar pre", "predict"), ("kstar predict amdahl --format j", "json"),
                                 ("kstar explain karp", "karp-flatt")):
                run = subprocess.run(["fish", "-c", f"'{KSTAR}' completions fish | source; complete -C '{line}'"],
                                     capture_output=True, text=True, env=environment(HOME=home))
                self.assertIn(wanted, run.stdout, run.stderr)

    def test_the_build_leaves_what_is_installed(self):
        build = pathlib.Path(os.environ["KSTAR_BUILD"])
        for file, words in (("kstar.1", ["manual"]), ("kstar.bash", ["completions", "bash"]),
                            ("_kstar", ["completions", "zsh"]), ("kstar.fish", ["completions", "fish"])):
            self.assertEqual((build / file).read_text(), kstar(*words).stdout)


class Topics(unittest.TestCase):
    def test_each_is_half_a_screen_with_its_four_parts(self):
        names = [line.split()[0] for line in kstar("explain").stdout.splitlines()]
        for needed in ("speedup", "efficiency", "strong", "weak", "bend", "karp-flatt"):
            self.assertIn(needed, names)
        for name in names:
            text = kstar("explain", name).stdout
            for part in ("What it is.", "Formula.", "When to use it.", "How it misleads."):
                self.assertIn("\n" + part, text, name)
            self.assertLessEqual(len(text.splitlines()), 24, name)
            self.assertLessEqual(max(map(len, text.splitlines())), 80, name)

    def test_what_they_tell_to_try_works(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("monday", "tuesday", "study", "before", "after", "strong", "weak"):
                kstar("predict", "amdahl", "--serial", "0.1", "--simulate",
                      f"runs=2,seed={len(name)}", "-o", f"{folder}/{name}.jsonl")
            for line in kstar("explain").stdout.splitlines():
                topic = line.split()[0]
                text = kstar("explain", topic).stdout
                tries = [l for l in text.splitlines() if l.startswith("Try: kstar ")]
                self.assertEqual(len(tries), 1, topic)
                run = kstar(*tries[0].split()[2:], "--force" if "-o" in tries[0] else "--ascii",
                            cwd=folder)
                self.assertEqual(run.returncode, 0, f"{topic}: {tries[0]}\n{run.stderr}")
                also = [l for l in text.splitlines() if l.startswith("See also: ")][0]
                for other in also.removeprefix("See also: ").split(", "):
                    self.assertEqual(kstar("explain", other).returncode, 0, f"{topic}: {other}")


if __name__ == "__main__":
    unittest.main()
