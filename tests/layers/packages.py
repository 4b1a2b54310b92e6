"""The packages of a Debian machine: which programs and Python modules each has, what it depends on, and
which are there after scripts/setup."""
import collections
import re
import shutil

# What scripts/setup is called for, each with those before it.
PURPOSES = ["build", "quick", "test"]

PROGRAM = re.compile(r"^(?:/usr)?/s?bin/([^/\n]+)$", re.M)
MODULE = re.compile(r"^/usr/lib/python3/dist-packages/(\w+)(?:/__init__)?\.(?:py|cpython[^/]*\.so)$",
                    re.M)


def alternatives_of(fields, key):
    """[[a], [b, c]] of "a, b (>= 2) | c"."""
    return [[re.match(r"[^\s(:]*", name.strip())[0] for name in part.split("|")]
            for part in fields.get(key, "").split(",") if part.strip()]


class Debian:
    """What dpkg knows of this machine."""

    def __init__(self, dpkg):
        self.installed = {}  # the fields of a package
        self.providers = collections.defaultdict(list)
        for text in (dpkg / "status").read_text().split("\n\n"):
            fields = dict(re.findall(r"^([\w-]+): ?(.*)$", text, re.M))
            if fields.get("Status", "").endswith(" installed"):
                self.installed[fields["Package"]] = fields
                for provided in alternatives_of(fields, "Provides"):
                    self.providers[provided[0]].append(fields["Package"])
        self.owners = collections.defaultdict(set)  # the packages with "make" or "import torch"
        for file in (dpkg / "info").glob("*.list"):
            text = file.read_text()
            modules = [f"import {name}" for name in MODULE.findall(text)]
            for name in PROGRAM.findall(text) + modules:
                self.owners[name].add(file.stem.split(":")[0])
        for file in (dpkg / "alternatives").glob("*"):  # awk is a link to mawk
            links, _, choices = file.read_text().partition("\n\n")
            owners = {owner for choice in PROGRAM.findall(choices) for owner in self.owners[choice]}
            for name in PROGRAM.findall(links):
                self.owners[name] |= owners
        self.essential = self.with_dependencies(
            {"apt"} | {name for name, fields in self.installed.items()
                       if fields.get("Essential") == "yes" or fields.get("Priority") == "required"})

    def with_dependencies(self, names):
        """Also what these packages depend on. Of a|b that is the first one here, as with apt."""
        found, to_do = set(), set(names) & set(self.installed)
        while to_do:
            name = to_do.pop()
            found.add(name)
            for key in ("Depends", "Pre-Depends"):
                for alternatives in alternatives_of(self.installed[name], key):
                    real = [one for one in alternatives if one in self.installed][:1]
                    provided = [owner for one in alternatives for owner in self.providers[one]]
                    to_do |= set(real or provided) - found
        return found

    def is_essential(self, name):
        return bool(self.owners[name] & self.essential)

    def finds(self, name):
        """Whether this is a program of this machine."""
        return re.fullmatch(r"[\w.+-]+", name) and (self.owners[name] or shutil.which(name))


class Installed:
    """What a machine has after scripts/setup, by purpose."""

    def __init__(self, setup, debian):
        rows = [line.split() for line in
                re.search(r"packages='(.*?)'", setup, re.S)[1].splitlines() if line.strip()]
        here, missing = set(), []
        self.packages, self.missing = {}, {}
        for purpose in PURPOSES:
            for names, probe in (row[1:] for row in rows if row[0] == purpose):
                one = [name for name in names.split("|") if name in debian.installed][:1]
                if probe.startswith("~"):  # whatever package has brought it
                    one = one or debian.owners[probe[1:]]
                here |= set(one)
                missing += [] if one else [names]
            self.packages[purpose] = debian.with_dependencies(here) | debian.essential
            if missing:  # what these depend on is not known here
                self.missing[purpose] = list(missing)

    def has(self, owners, purpose):
        return purpose in self.missing or bool(owners & self.packages[purpose])
