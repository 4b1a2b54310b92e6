#!/usr/bin/env python3
"""Names that two sources of a folder keep to themselves must differ, and so must types that all see.

  check_names.py [ROOT]

Builds from nothing compile the sources of a folder together (cmake/Room.cmake). Two functions of one
name in unnamed namespaces are overloads there: the compiler may take the other one without a word.
Two types of one name in a namespace are one to the linker: it keeps std::optional<T> of one of them.
"""
import collections
import pathlib
import re
import sys

OPENS = re.compile(r"^namespace \{$")
CLOSES = re.compile(r"^\}  // namespace$")
# At the beginning of a line: a type, a constant or a function, by its name.
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)\b(?!;)")
SHARED = re.compile(r"^(?:struct|class|enum class|enum) (?:KSTAR_EXPORT )?(\w+)\b(?!;)")
CONSTANT = re.compile(
    r"^(?:constexpr|const|inline|static|thread_local) [^()=]*?\b(\w+)(?:\[\w*\])?\s*(?:=|\{|;)")
FUNCTION = re.compile(r"^(?![#/}\s])(?!using |namespace )[\w:<>,&*\[\] ]*?[\s&*>](\w+)\(")


def own_names(text):
    """The names in the unnamed namespaces of a source."""
    inside = False
    for line in text.splitlines():
        if OPENS.match(line):
            inside = True
        elif CLOSES.match(line):
            inside = False
        elif inside:
            for kind in (TYPE, CONSTANT, FUNCTION):
                match = kind.match(line)
                if match:
                    yield match[1]
                    break


def shared_types(text):
    """The types that a source or header defines for others to see, with their namespaces."""
    inside, space = False, ""
    for line in text.splitlines():
        if OPENS.match(line):
            inside = True
        elif CLOSES.match(line):
            inside = False
        elif match := re.match(r"namespace ([\w:]+) \{", line):
            space = match[1]
        elif not inside and (match := SHARED.match(line)):
            yield f"{space}::{match[1]}"


def check_shared(root):
    """The types that stand in several headers, one line each."""
    owners = collections.defaultdict(set)
    for file in [*root.glob("include/kstar/*.h"), *root.glob("src/**/*.h"), *root.glob("src/**/*.cc")]:
        if "tools" in file.relative_to(root).parts:
            continue  # programs of their own
        for name in shared_types(file.read_text()):
            owners[name].add(file.relative_to(root))
    return [f"{name} is in {', '.join(str(file) for file in sorted(files))}"
            for name, files in sorted(owners.items())
            if len([file for file in files if file.suffix == ".h"]) > 1]


def check(root):
    """The names that stand in several sources of one folder, one line each."""
    found = []
    for folder in sorted({source.parent for source in root.glob("src/**/*.cc")}):
        owners = collections.defaultdict(list)
        for source in sorted(folder.glob("*.cc")):
            for name in set(own_names(source.read_text())):
                owners[name].append(source.name)
        found += [f"{folder.relative_to(root)}: {name} is in {', '.join(sources)}"
                  for name, sources in sorted(owners.items()) if len(sources) > 1]
    return found


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = check(root) + check_shared(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
