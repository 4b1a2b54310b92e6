"""Whatever flag a refusal offers works: pasted, it gives a study, or another question that has a flag
which does."""

import json
import pathlib
import re
import shlex
import tempfile
import unittest

from program import kstar

WILD = pathlib.Path(__file__).resolve().parents[3] / "shared/data/public/wild"

# What decides is not in the table: each is refused, with flags.
TABLES = {
    "series": "threads,n,time\n1,1000,10\n2,1000,5.2\n1,2000,80\n2,2000,41\n",
    "lonely series": "threads,case,time_s\n1,a,4\n1,b,5\n2,c,3\n2,d,2\n",
    "one series of one K": "threads,part,time_s\n1,l'un,4\n1,l'$autre,5\n2,l'un,3\n",
    "commas in values": 'K,"input, file",time_s\n1,"a,b",4\n1,"c,d",5\n2,"a,b",3\n2,"c,d",2\n',
    "two labels": "K,algo,size,time_s\n1,a,10,4\n2,a,10,2\n1,b,20,8\n2,b,20,5\n1,a,20,7\n2,a,20,4\n",
    "many labels": "K,a,b,c,d,time_s\n" + "".join(
        f"{k},a{i % 2},b{i // 2 % 2},c{i // 4 % 2},d{i // 8},{10 / k + i}\n"
        for k in (1, 2, 4) for i in range(16)),
    "nodes and gpus": "nodes,gpus,time\n1,8,100\n2,8,52\n4,8,28\n",
    "ranks and threads": "ranks,threads,time\n1,4,9\n2,8,5\n4,16,3\n",
    "layouts": "ranks,threads,time\n4,1,30\n4,4,9\n2,8,12\n",
    "threads of a rank": "nodes,ppn,threads,time_s\n1,2,4,10\n2,2,4,6\n4,2,4,4\n",
    "sizes nobody knows": "K,nx,time_s\n1,100,10\n2,200,25\n4,400,60\n",
    "rate times time": "gpus,time_s,images/s\n1,100,10\n2,100,20\n4,100,40\n",
    "several times": "K,mpi_time_a,mpi_time_b\n1,10,11\n2,6,7\n4,4,5\n",
    "several rates": "K,samples_per_s,tokens_per_s\n1,2,3\n2,4,6\n4,7,10\n",
    "no names": "a,b\n1,10\n2,6\n4,4\n",
    "no K": "q,time\n1,10\n2,6\n4,4\n",
    "no K, several": "q,r,time\n1,3,10\n2,5,6\n4,7,4\n",
    "no value": "K,alpha,beta\n1,10,3\n2,6,2\n4,4,1\n",
    "no header": "1,10,11\n2,6,5\n4,4,3\n",
    "no header, ones": "1,1\n2,1.9\n4,3.5\n",
    "no header, sizes": "1,1\n2,5\n4,30\n",
    "long form": "nodes,metric,value\n1,run time,10\n1,rate,5\n2,run time,6\n2,rate,9\n",
    "long form of others": "K,metric,value\n1,what it's worth,10\n2,what it's worth,6\n",
    "rows of workers": "K,rank,time_s\n1,0,10\n2,0,6\n2,1,7\n4,0,3\n4,1,4\n4,2,3\n4,3,5\n",
    "across": "size,t1,t2,t4\n100,9,5,3\n200,18,10,6\n",
    "across in numbers": "n,1,2,4\n100,9,5,3\n",
    "flags as names": "-t 1,-t 2,-t 4\n9,5,3\n",
    "names that are flags": "name,-t 1,-t 2,-t 4\na,9,5,3\nb,8,4,2\n",
    "same names": "K,time,time\n1,10,11\n2,6,5\n4,4,3\n",
    "no efficiency": "K,efficiency\n1,400\n2,700\n4,1200\n",
    "wrong header": "K,time_s\n1,10,3\n2,6,2\n4,4,1\n",
    "weak and the same size": "# weak scaling\nK,n,time_s\n1,100,10\n2,100,6\n4,100,4\n",
    "weak ratios": "# weak scaling\nK,speedup\n1,1\n2,1.9\n4,3.7\n",
    "p that may be a size": "p,time\n1,10.5\n2,42.25\n4,155.5\n",
    "units that change": "K,rate,unit\n1,10,MB/s\n2,20,GB/s\n4,40,MB/s\n",
    "a unit that is none": "K,time,unit\n1,10,apples\n2,6,apples\n4,4,apples\n",
    "K that is no number": "threads,cores per node,time_s\n0.5,1,10\n1.5,2,6\n2.5,4,4\n",
    "steps": "step,step_time\n1,0.5\n2,0.6\n3,0.5\n",
    "a clock": "step,time\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n",
    "two tables": "## a\n\n| K | time |\n|--|--|\n| 1 | 10 |\n| 2 | 6 |\n\n## b\n\n"
                  "| K | time |\n|--|--|\n| 1 | 9 |\n| 2 | 5 |\n",
    "commas that may be either": "| K | time |\n|--|--|\n| 1 | 1,795 |\n| 2 | 1,481 |\n| 4 | 1,425 |\n",
    "points that may be either": "K;time_s\n1;1.795\n2;1.481\n4;1.425\n",
    "texts beside slow rows": "case,threads,time\na net,5,2\nall ports,10,40\nall hosts,50,700\n",
    "texts beside rows of one K": "phase,cores,time_s\n2A,8,640\n2B,8,100\n3A,1,30\n3B,1,6\n",
    "cores that fall": "workers,cores,time_s\n1,4,40\n2,4,25\n4,2,30\n",
    "words for times": "K,time_s,speedup\n1,soon,1\n2,later,1.9\n4,then,3.2\n",
}
JSON_TABLES = {
    "rows": [{"p": k, "size": s, "seconds": s / k} for k in (1, 2, 4) for s in (10, 20)],
    "benchmarks": {"benchmarks": [
        {"name": f"{b}/threads:{k}", "run_type": "iteration", "threads": k, "real_time": 9.0 / k,
         "time_unit": "ns"} for b in ("BM_a", "BM b's") for k in (1, 2, 4)],
        "context": {"library_build_type": "release"}},
    "an experiment": {"parameters": ["n", "m"], "measurements": {"main": {"time": [
        {"point": [n, m], "values": [n + m]} for n in (1, 2, 4) for m in (10, 20)]}}},
}


WORD = re.compile(r"""(?:'(?:[^']|'\\'')*'|"[^"]*"|[^\s'"]+)+""")


def offers_in(text):
    """What a hint offers, flags with their values: one list for each of its lines."""
    found = []
    for line in text.partition("hint: ")[2].partition("a log needs a pattern")[0].splitlines():
        line = re.split("; (?:available|columns|or |other|no other|--k-regex)", line)[0]
        if "no flag reads it" in line or "--list" in line or line.strip().startswith("columns"):
            continue
        words = WORD.findall(line)
        offered = []
        for i, word in enumerate(words):
            if re.fullmatch("--[a-z-]+", word):
                value = words[i + 1:i + 2] if word != "--across" else []
                offered.append([word, *[shlex.split(one)[0] for one in value]])
        if offered:
            found.append([one for flag in offered for one in flag])
    return found


def joined(given, offered):
    """A flag that takes one value replaces the one before it."""
    flags, several = dict(given), ("--ignore", "--series")
    for i, word in enumerate(offered):
        if not word.startswith("--") or (i > 0 and offered[i - 1].startswith("--")
                                         and offered[i - 1] != "--across"):
            continue
        value = offered[i + 1:i + 2] if word != "--across" else []
        if word in several:
            value = flags.get(word, []) + [one for one in value if one not in flags.get(word, [])]
        flags[word] = value
        flags.pop({"--time-column": "--rate-column", "--rate-column": "--time-column"}.get(word), None)
    return flags


def words_of(flags):
    words = []
    for flag, values in flags.items():
        for value in values:
            words += [flag, "4" if value == "N" else value]
        if not values:
            words.append(flag)
    return words


class Offers(unittest.TestCase):
    def read(self, file, flags):
        """How many K the longest study has, or what was said."""
        with tempfile.TemporaryDirectory() as folder:
            out = ["-o", folder + "/"] if "--series" in flags else []
            done = kstar("import", str(file), *words_of(flags), *out)
            if done.returncode == 0:
                texts = [path.read_text() for path in pathlib.Path(folder).iterdir()] or [done.stdout]
                runs = [[json.loads(line) for line in text.splitlines()] for text in texts]
                return max(len({r["workers"] for r in each if r.get("record") == "run"})
                           for each in runs), done.stderr
        self.assertEqual(done.returncode, 1, f"{file} {flags}: {done.stderr}")
        return 0, done.stderr

    def leads(self, file, flags, said, depth=0):
        """How many K the study has to which one of the offers leads."""
        for offered in offers_in(said):
            workers = self.follow(file, flags, offered, said, depth)
            if workers > 0:
                return workers
        return 0

    def follow(self, file, flags, offered, said, depth=0):
        with_it = joined(flags, offered)
        workers, then = self.read(file, with_it)
        if workers > 0 or depth == 8 or then == said:
            return workers
        return self.leads(file, with_it, then, depth + 1)

    def check(self, file, said):
        for offered in offers_in(said):
            with self.subTest(file=file.name, offered=offered):
                workers = self.follow(file, {}, offered, said)
                part = "--select" in offered and "leaves one K" not in said
                self.assertGreater(workers, 1 if part else 0, said)

    def test_what_is_offered_for_small_tables_works(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**TABLES, **{k: json.dumps(v) for k, v in JSON_TABLES.items()}}.items():
                ending = "json" if name in JSON_TABLES else "csv"
                file = pathlib.Path(folder) / f"{name.replace(' ', '-')}.{ending}"
                file.write_text(text)
                with self.subTest(name=name):
                    workers, said = self.read(file, {})
                    self.assertEqual(workers, 0, "it is read as it is")
                    self.assertIn("hint: ", said)
                    self.assertTrue(offers_in(said) or "no flag reads it" in said, said)
                    self.check(file, said)

    @unittest.skipUnless(WILD.is_dir(), "no public data beside the project")
    def test_what_is_offered_for_files_of_others_works(self):
        for file in sorted(WILD.iterdir()):
            workers, said = self.read(file, {})
            if workers == 0:
                self.check(file, said)


if __name__ == "__main__":
    unittest.main()
