#!/usr/bin/env python3
"""Plants a program in a small tree, beside a small Debian, and asks whether check_programs.py minds."""
import pathlib
import tempfile
import unittest

import check_programs
import packages

# A package: its fields, and its files. The names are none of this machine's, or this file would need them.
DEBIAN = {
    "coreutils": ("Essential: yes", ["/usr/bin/sleep", "/bin/true", "/bin/echo"]),
    "bash": ("Essential: yes", ["/bin/bash", "/bin/sh"]),
    "mawk": ("Priority: required", ["/usr/bin/mawk"]),
    "planner": ("Depends: libarchive13 (>= 3), nothing | libuv1, c-shell", ["/usr/bin/planner"]),
    "libarchive13": ("", []),
    "libuv1": ("Depends: uv-tools:any", []),
    "uv-tools": ("", ["/usr/bin/uv"]),
    "tcsh": ("Provides: c-shell (= 1)", ["/bin/tcsh"]),
    "python3": ("", ["/usr/bin/python3"]),
    "new-spread": ("", ["/usr/bin/spread.new"]),
    "python3-torch": ("", ["/usr/lib/python3/dist-packages/torch/__init__.py"]),
    "forge": ("", ["/usr/bin/forge"]),
}
LINKS = {"awk": ["/usr/bin/mawk"], "spread": ["/usr/bin/spread.old", "/usr/bin/spread.new"]}
LIST = """packages='
build  planner                planner
quick  python3                python3
test   old-spread|new-spread  spread
test   npm                    ~planner
'"""


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def compared(files, packages_here=DEBIAN):
    """What check() finds in these files, on a machine with these packages."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder / "dpkg", {"status": "\n\n".join(
            f"Package: {package}\nStatus: install ok installed\n{fields}"
            for package, (fields, _) in packages_here.items())})
        write(folder / "dpkg/info", {f"{package}.list": "\n".join(["/.", *paths, ""])
                                     for package, (_, paths) in packages_here.items()})
        write(folder / "dpkg/alternatives", {
            link: f"auto\n/usr/bin/{link}\n\n" + "".join(f"{path}\n10\n" for path in paths) + "\n"
            for link, paths in LINKS.items()})
        write(folder / "tree", {"scripts/setup": LIST, **files})
        return check_programs.check(folder / "tree", packages.Debian(folder / "dpkg"))


class Programs(unittest.TestCase):
    def allowed(self, files):
        self.assertEqual(compared(files), ([], {}))

    def forbidden(self, files, place, why):
        found, _ = compared(files)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(place), found)
        self.assertIn(why, found[0])

    def test_what_a_machine_has_after_setup(self):
        self.allowed({"tests/cli/a_test.py": "# needs: planner, uv, tcsh, spread, spread.old|spread.new\n"
                                             'run(["awk", "-f"]); measure("--", "sleep", "1")\n'})

    def test_a_program_that_no_package_of_the_list_brings(self):
        self.forbidden({"tests/cli/a_test.py": "\n    # needs: planner, forge\n"}, "tests/cli/a_test.py:2: ",
                       "needs 'forge', which no package for 'test' in the list of scripts/setup brings: "
                       "add the one that does (here: forge)")
        self.forbidden({"tests/cli/a_test.py": "# needs: ldd2\n"}, "tests/cli/a_test.py:1: ", "'ldd2'")

    def test_a_module_is_needed_by_its_import(self):
        self.allowed({"tests/cli/a_test.py": "import json\nfrom b import x\n", "tests/cli/b.py": ""})
        self.forbidden({"tests/cli/a_test.py": "def f():\n    from torch.nn import x\n"},
                       "tests/cli/a_test.py:2: ", "'import torch'")

    def test_the_purpose_is_that_of_the_label(self):
        test = {"tests/draw/CMakeLists.txt": "kstar_test(name\n unit x)\nkstar_test(name unit x)\n"}
        self.forbidden({**test, "tests/draw/a.py": "# needs: spread\n"}, "tests/draw/a.py:1: ", "for 'quick'")
        self.allowed({**test, "tests/draw/a.py": "# needs for test: spread\n"})
        self.forbidden({"scripts/demo": "#!/bin/bash\n# needs: python3\n"}, "scripts/demo:2: ", "for 'build'")

    def test_a_program_that_is_not_named(self):
        for line in ('measure(*words, "--", "forge", "-j{K}")', 'words = ["forge", "-j4"]',
                     'subprocess.run(\n    ["forge", target])', 'shutil.which("forge")',
                     'measure("--prepare", "forge clean")', 'measure("--launcher-program", "forge")',
                     'run(["sh", "-c", "sleep 1 | forge"])', 'run(["/usr/bin/forge"])',
                     'run(["bash", "-c", "cd $x && "\n     "forge -s"])'):
            self.forbidden({"tests/cli/a_test.py": line}, "tests/cli/a_test.py:", "starts 'forge'")
            self.allowed({"tests/cli/a_test.py": line.replace("forge", "no-such-program")})
        for line in ("cd x; forge -j4", "if ! forge >log; then exit; fi", 'x="$(forge -n)"', "x=$(forge)",
                     "A=1 forge", "sleep 1 | forge", "exec forge", "echo |\n  forge"):
            self.forbidden({"tests/install/a.sh": line}, "tests/install/a.sh:", "starts 'forge'")
        self.forbidden({"tests/unit/a_test.cc": '::system("forge all");'}, "tests/unit/a_test.cc:1: ", "forge")
        self.forbidden({"tests/lint/CMakeLists.txt": "find_program(FORGE NAMES forge)"}, "tests/lint/", "forge")

    def test_words_that_only_look_like_a_program(self):
        self.allowed({"tests/install/a.sh": "# forge\necho forge; forge=1; x=(forge y)\n"
                                            "if ((forge > 1)); then echo ${x:?-: forge it}; fi >forge\n",
                      "tests/cli/a_test.py": '"""forge\n"""\nkind = "forge"; self.forge("x", forge="-j")\n'})

    def test_the_commands_of_a_document(self):
        block = "text\n```console{}\n$ kstar measure {} -- \\\n  forge -j\nout\n{}\n```\n"
        self.forbidden({"docs/a.md": block.format("", "", "")}, "docs/a.md:3: ", "needs 'forge'")
        self.forbidden({"docs/a.md": "```console\n$ true | forge\n$ forge\n```\n"}, "docs/a.md:2: ", "for 'quick'")
        self.allowed({"docs/a.md": block.format(" ignore", "", ""), "README.md": block.format("", "--dry-run", ""),
                      "docs/b.md": block.format("", "", "[exit 2]")})

    def test_a_purpose_that_is_not_installed_is_not_compared(self):
        without = {name: package for name, package in DEBIAN.items() if name != "new-spread"}
        found, missing = compared({"tests/cli/a_test.py": "# needs: spread\n",
                                   "docs/a.md": "```console\n$ forge\n```\n"}, without)
        self.assertEqual(missing, {"test": ["old-spread|new-spread"]})
        self.assertEqual([line.split(":")[0] for line in found], ["docs/a.md"])


if __name__ == "__main__":
    unittest.main()
