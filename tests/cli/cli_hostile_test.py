"""What nobody should feed to kstar import: each gets an error that says where, in little memory."""

import gzip
import os
import pathlib
import re
import subprocess
import threading
import unittest

from program import InFolder, KSTAR, environment

# A sanitizer keeps what was freed for a while.
MIB = 1 << 20
MOST_MEMORY = (700 if "asan" in os.environ.get("KSTAR_BUILD", "") else 160) * MIB


def peak_and_result(words, stdin, **options):
    """Exit status, what was said, and the most memory that this one process had."""
    process = subprocess.Popen([KSTAR, "import", *words], stdin=stdin, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment(), **options)
    said = []
    reader = threading.Thread(target=lambda: said.append(process.stderr.read()))
    reader.start()
    out = process.stdout.read()
    reader.join()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    return process.returncode, out, said[0].decode(), usage.ru_maxrss * 1024


class Hostile(InFolder):
    def refused(self, file, *words, stdin=subprocess.DEVNULL, **options):
        """SpecSetting in a few lines, with nothing on standard output, in bounded memory."""
        status, out, said, peak = peak_and_result([file, *words], stdin, **options)
        self.assertEqual((status, out), (1, b""), said)
        self.assertLess(peak, MOST_MEMORY)
        self.assertLess(len(said), 2000)
        self.assertTrue(said.startswith(f"kstar: error: {file}"), said)
        return said

    def shown_at(self, said, file, line, column, under):
        """file:line:column, and under the line a caret at `under`."""
        self.assertTrue(said.startswith(f"kstar: error: {file}:{line}:{column}: "), said)
        shown, caret = said.splitlines()[1:3]
        self.assertEqual(caret.strip(), "^", said)
        self.assertTrue(shown[caret.index("^"):].startswith(under), said)


class Values(Hostile):
    def test_a_table(self):
        for k, time, column, what in (("2", "nan", 3, "time"), ("2", "inf", 3, "time"),
                                      ("2", "1e999", 3, "time"), ("2", "-5", 3, "time"),
                                      ("2", "0", 3, "above 0"), ("2", "\0", 3, "time"),
                                      ("0", "5", 1, "workers"), ("-1", "5", 1, "workers"),
                                      ("1.5", "5", 1, "workers"), ("1e30", "5", 1, "workers")):
            with self.subTest(k=k, time=time):
                # The sniffed beginning is clean: what is wrong shows where it stands.
                rows = "1,10\n" * 20000
                file = self.write("t.csv", f"K,time_s\n{rows}{k},{time}\n")
                said = self.refused(file)
                wrong = (k if column == 1 else time).replace("\0", "\\x00")
                self.shown_at(said, file, 20002, column, wrong)
                self.assertIn(what, said)

    def test_json(self):
        scan = '{"results": [\n{"command": "a", "parameters": {"threads": "%s"},\n"times": [%s]}]}'
        for k, time, line, column in (("1", "NaN", 3, 11), ("1", "1e999", 3, 11),
                                      ("1", "-1", 3, 11), ("1", "[[[[", 3, 11),
                                      ("0", "1", 2, 1), ("1e30", "1", 2, 1), ("-3", "1", 2, 1)):
            with self.subTest(k=k, time=time):
                file = self.write("scan.json", scan % (k, time))
                self.shown_at(self.refused(file), file, line, column, "{" if line == 2 else time[0])

    def test_deep_nesting(self):
        for name, head in (("hyperfine", '{"results": '), ("gbench", '{"context": {}, "benchmarks": '),
                           ("talp", '{"name": 1, "x": '), ("steps", '{"K": 1, "ranks": ')):
            for tail in ("", "]" * 300000 + "}"):
                with self.subTest(name, closed=bool(tail)):
                    file = self.write("deep.json", head + "[" * 300000 + tail + "\n")
                    said = self.refused(file, "--as", name)
                    self.assertTrue(re.match(rf"kstar: error: {re.escape(file)}:1:\d+: ", said), said)
                    self.assertIn("[[[[", said.splitlines()[1])
                    self.assertEqual(said.splitlines()[2].strip(), "^")


class Files(Hostile):
    def test_a_line_of_a_gigabyte(self):
        heads = {"table.csv": b"K,time_s\n1,", "one.txt": b"",
                 "study.jsonl": b'{"kstar":"study","schema":1}\n{"record":"note","text":"'}
        for name, head in heads.items():
            with self.subTest(name):
                file = self.path / name
                with open(file, "wb") as out:
                    out.write(head + b"1" * (1 << 17))
                    out.truncate(1 << 30)  # a hole: no disk is needed
                longest = (512 if name.startswith("study") else 64) * MIB
                said = self.refused(str(file))
                line = head.count(b"\n") + 1
                self.shown_at(said, file, line, longest + 1, "\\x00")
                self.assertIn("the line is longer than", said)

    def test_a_line_without_end_from_a_pipe(self):
        writer = subprocess.Popen(["sh", "-c", "printf 'K,time_s\\n1,'; exec yes 1111111 | tr -d '\\n'"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        status, out, said, peak = peak_and_result(["-"], writer.stdout)
        writer.stdout.close()
        writer.wait()
        self.assertEqual((status, out), (1, b""), said)
        self.assertLess(peak, MOST_MEMORY)
        self.shown_at(said, "/dev/stdin", 2, 64 * MIB + 1, "1")

    def test_a_gzip_bomb(self):
        lines = {"line": (b"1", "the line is longer than 64 MiB"),
                 "lines": (b"1,10\n", "decompresses to more than 256 MiB")}
        for name, (unit, what) in lines.items():
            with self.subTest(name):
                file = self.path / f"{name}.gz"
                piece = unit * (MIB // len(unit))
                with gzip.open(file, "wb", compresslevel=1) as bomb:
                    bomb.write(b"K,time_s\n" + (b"1," if name == "line" else b""))
                    for _ in range(300):
                        bomb.write(piece)
                status, _, said, peak = peak_and_result([str(file)], subprocess.DEVNULL)
                self.assertEqual(status, 1)
                self.assertIn(what, said)
                self.assertLess(peak, MOST_MEMORY + 256 * MIB)

    def test_broken_gzip(self):
        packed = gzip.compress(b"K,time_s\n" + b"1,10\n2,5\n" * 1000)
        self.assertIn("ends early", self.refused(self.write("t.csv.gz", packed[:-9])))
        damaged = bytearray(packed)
        damaged[len(packed) // 2] ^= 0xFF
        self.assertIn("gzip", self.refused(self.write("d.csv.gz", bytes(damaged))))

    def test_what_is_no_text(self):
        file = self.write("zero.csv", b"K,time_s\n1,10\n2,\x005\n")
        self.shown_at(self.refused(file), file, 3, 3, "\\x00")
        binary = self.write("binary", bytes(range(256)) * 100)
        self.shown_at(self.refused(binary), binary, 1, 1, "\\x00")
        for coding in ("utf-16", "utf-16-le", "utf-16-be"):
            table = self.write("wide.csv", "K,time_s\n1,10\n2,5\n".encode(coding))
            self.assertIn("UTF-16", self.refused(table), coding)
        self.assertIn("is empty", self.refused(self.write("empty.csv", "")))
        self.assertIn("is empty", self.refused(self.write("blank.csv", " \n\n")))

    def test_what_is_no_file(self):
        self.assertIn("without MLPerf result logs", self.refused(str(self.path)))
        self.assertIn("No such file", self.refused(str(self.path / "none.csv")))
        self.assertIn("Not a directory", self.refused(self.write("a.csv", "K,t\n") + "/b.csv"))

    def test_a_pipe_by_name_is_read(self):
        pipe = str(self.path / "pipe")
        os.mkfifo(pipe)
        writer = threading.Thread(
            target=lambda: pathlib.Path(pipe).write_text("K,time_s\n1,10\n2,nan\n"))
        writer.start()
        said = self.refused(pipe)
        writer.join()
        self.shown_at(said, pipe, 3, 3, "nan")

    def test_an_unreadable_file(self):
        os.chmod(self.path, 0o755)
        file = self.write("secret.csv", "K,time_s\n1,10\n")
        os.chmod(file, 0)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if nobody and not reachable(pathlib.Path(KSTAR)):
            self.skipTest("the program lies where only root can reach it")
        self.assertIn("Permission denied", self.refused(file, **nobody))


def reachable(file):
    """Whether everybody may run what lies there."""
    return all(folder.stat().st_mode & 0o001 for folder in file.resolve().parents)


class Output(Hostile):
    def run_to(self, stdout, *words):
        file = self.write("t.csv", "K,time_s\n1,10\n2,6\n")
        return subprocess.run([KSTAR, "import", file, *words], stdin=subprocess.DEVNULL,
                              stdout=stdout, stderr=subprocess.PIPE, text=True, env=environment())

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            done = self.run_to(full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output: No space left", done.stderr)
        done = self.run_to(subprocess.DEVNULL, "-o", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/full: cannot write: No space left", done.stderr)

    def test_a_folder_that_is_not_there(self):
        done = self.run_to(subprocess.DEVNULL, "-o", str(self.path / "no" / "s.jsonl"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file", done.stderr)

    def test_a_reader_that_goes_away_stops_it_quietly(self):
        file = self.write("t.csv", "K,time_s\n" + "1,10\n2,6\n" * 20000)
        command = f"{KSTAR} import {file} | head -n 1 | cut -c1-16"
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True,
                              env=environment())
        self.assertEqual(done.stdout, '{"kstar":"study"\n')
        self.assertNotIn("error", done.stderr)


class SeveralFiles(Hostile):
    def test_one_file_twice_would_invent_runs(self):
        file = self.write("t.csv", "K,time_s\n1,10\n2,6\n")
        os.symlink(file, self.path / "link.csv")
        for again in (file, str(self.path / "link.csv")):
            said = peak_and_result([file, again], subprocess.DEVNULL)
            self.assertEqual(said[0], 1, said[2])
            self.assertIn("the same file", said[2])


if __name__ == "__main__":
    unittest.main()
