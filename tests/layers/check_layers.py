#!/usr/bin/env python3
"""Reads the includes of src/ and include/kstar and fails on a forbidden one, and where rooms know
each other in a circle.

  check_layers.py [ROOT]

The room of a file is the first folder below src/. A room uses another room through a public header
only. Base opens its inside to everyone, and the rooms of measuring open theirs to each other.
"""
import pathlib
import re
import sys

# Who may know whom. Every room may know itself and base.
EVERYONE = "*"
ROOMS = {
    "base": [],
    "stats": [],
    "laws": [],
    "study": [],
    "spec": ["study"],  # what to run
    "machine": ["stats", "spec"],  # ceilings of a machine: a data room
    "network": ["spec"],  # what collectives cost: a data room
    "exec": [],  # starts processes
    "host": ["study", "exec"],  # an Environment is part of a Study
    "inside": ["study"],
    "launch": ["study", "spec", "exec", "host"],
    "measure": ["study", "stats", "spec", "exec", "host", "inside", "launch"],
    "slurm": ["study", "spec", "exec", "launch", "measure"],
    "comm": ["study", "stats", "network"],  # benchmarks of collectives
    "import": ["study", "comm"],
    "roofline": ["study", "stats", "spec", "machine", "exec", "host", "measure"],  # kernels under ceilings
    "analysis": ["study", "stats", "laws", "machine"],
    "words": ["study", "stats", "analysis"],  # how the results of analysis are said
    "audit": ["study", "analysis", "stats", "machine", "words"],  # results of analysis are Estimates
    "compare": ["study", "stats", "analysis", "words"],
    "predict": ["laws", "study", "stats", "network"],
    "price": [],  # what a job costs: a data room
    "plan": ["study", "stats", "laws", "analysis", "words", "spec", "machine", "price"],  # K, time and money
    "dag": ["study", "stats"],  # graphs of tasks and their schedules
    "trace": ["study", "stats", "laws", "spec", "network", "predict"],  # profiler traces: where a step's time goes
    "tail": ["study", "stats", "laws", "price"],  # latencies; a Straggler is a law's
    "load": ["exec", "tail"],  # requests at a rate
    "examine": ["study", "analysis", "audit", "plan", "network"],  # a study with all that is found in it
    "view": ["study", "stats", "analysis", "examine", "plan", "draw", "words"],  # what is drawn: Charts
    "draw": [],  # Charts alone
    "report": [EVERYONE],  # the result types
    "cli": [EVERYONE],
    "tools": [EVERYONE],
}

# The house of measuring: its rooms know each other's inside, as far as they may know each other.
MEASURING = ["spec", "exec", "host", "inside", "launch", "measure", "slurm", "roofline", "load"]

# Inside headers that other rooms may include, where their room may be known.
OPEN = ["spec/toml_source.h", "spec/toml_keys.h"]  # TOML, for the files of other rooms

# Whose a public header is, where neither its name (ROOM.h, ROOM_more.h) nor that of a source
# (NAME.cc somewhere in src/ROOM, for include/kstar/NAME.h) says so.
PUBLIC_HEADERS = {
    "boxed": "base",
    "shared_text": "base",
    "small_optional": "base",
    "export": "base",
    "shape": "base",
    "limits": "base",
    "regime": "base",
    "result": "base",
    "usage": "base",
    "estimate": "stats",
    "law": "laws",
    "measure_spec": "spec",
    "launcher": "launch",
    "mark": "measure",
    "block_runner": "measure",
    "inside_table": "analysis",
    "prediction": "predict",
    "questions": "laws",
    "simulation": "predict",
    "communication_terms": "predict",
    "prediction_report": "report",
    "plan_report": "report",
    "roofline_report": "report",
    "memory_scaling": "analysis",
    "dag_report": "report",
    "trace_report": "report",
    "comm_report": "report",
    "tail_report": "report",
    "latency": "tail",
    "curve_draws": "analysis",
    "page": "report",
    "scaling_report": "report",
    "analysis_report": "report",
    "audit_report": "report",
    "compare_report": "report",
    "bend": "analysis",
    "causes": "analysis",
    "models": "analysis",
    "phases": "analysis",
    "suspicion": "analysis",
    "chart": "draw",
    "svg": "draw",
    "terminal": "draw",
    "document": "report",
    "kstar": "umbrella",
}

# What the umbrella does not list: C, and the small types that public structs are made of.
UNLISTED = ["kstar", "mark", "export", "boxed", "shared_text", "small_optional"]

# A library that only some rooms may include.
LIBRARIES = {
    r"CLI/": ["cli"],  # slow to compile
    r"(spawn\.h|sys/wait\.h)$": ["exec", "tools"],  # starts processes
    r"iostream$": ["cli", "tools"],  # prints
    r"(chrono|fstream|filesystem)$": [room for room in ROOMS if room != "analysis"],  # pure
}
# What a user of the installed package need not have.
NOT_IN_PUBLIC = r"(CLI|nlohmann|simdjson|boost|Eigen|fmt|re2|toml\+\+)(/|\.)|zlib\.h|hwloc\.h"

# What a Study says in fields is not read from sentences: `extra` holds what nobody here knows, and
# note_sentence() is for people. Writing both stays allowed.
WORDS = re.compile(r"(\.|->)extra\b(?!\s*=[^=])|\bnotes?(\[\w+\]|\.(front|back)\(\))?(\.|->)text\b(?!\s*=[^=])")
READERS_OF_WORDS = ["study"]

# Nor is a decision read back from a sentence of kstar's own: a field says it. Searching a text for
# two words, or for one with a capital letter, and comparing it with three, is for the rooms that
# read what others wrote.
SENTENCE = re.compile(r'(?:starts_with|ends_with|find|contains)\(\s*"(?:[A-Z][a-z]+|[^"]*[a-z,;:] [a-z][^"]*)"'
                      r'|[!=]= "[a-z]+(?: [a-z]+){2,}"')
READERS_OF_SENTENCES = ["import", "comm", "dag", "exec", "launch", "roofline", "slurm", "tail", "trace"]
READ_SENTENCES = {
    "src/audit/claim_text.cc",  # a claim, as a person wrote it
    "src/audit/claim_words.cc",
    "src/spec/spec_values.cc",  # the message of another error, for its caller to complete
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')


def room_of(root, file):
    """The first folder below src/."""
    return file.relative_to(root / "src").parts[0]


def owner(root, header):
    """The room of the public header kstar/HEADER, or None."""
    stem = pathlib.PurePath(header).stem
    if stem in PUBLIC_HEADERS:
        return PUBLIC_HEADERS[stem]
    if stem.split("_")[0] in ROOMS:
        return stem.split("_")[0]
    rooms = {room_of(root, source) for source in root.glob(f"src/*/**/{stem}.cc")}
    return rooms.pop() if len(rooms) == 1 else None


def problem_with_room(room, other):
    if room == other or other == "base" or EVERYONE in ROOMS[room] or other in ROOMS[room]:
        return None
    known = ", ".join(["base", *ROOMS[room]])
    return f"{room} may know {known}; not {other}"


def problem(root, room, public, include):
    """What is wrong with an include in a file of `room`; None when it may stand."""
    first, _, rest = include.partition("/")
    if first == "kstar" and rest:
        other = owner(root, rest)
        if other is None:
            return None  # said once, at the header
        if other == "umbrella" or room == "umbrella":
            return None if room in ("umbrella", "cli", "tools") else "the umbrella is for users"
        return problem_with_room(room, other)
    if first in ROOMS and rest:
        if public:
            return "a public header includes public headers only"
        wrong = problem_with_room(room, first)
        if wrong or first in (room, "base") or {first, room} <= set(MEASURING) or include in OPEN:
            return wrong
        return f"{first} is used through include/kstar only"
    if public and re.match(NOT_IN_PUBLIC, include):
        return "a user of the installed package need not have this library"
    for library, rooms in LIBRARIES.items():
        if re.match(library, include) and room not in rooms and room != "umbrella":
            return f"{include} is for {', '.join(rooms)}"
    return None


def files(root):
    """(file, room, whether it is public)"""
    for file in sorted(root.glob("include/kstar/**/*.h")):
        yield file, owner(root, file.name), True
    for file in sorted(root.glob("src/*/**/*")):
        if file.suffix in (".h", ".cc"):
            yield file, room_of(root, file), False


def cycle(knows):
    """The first rooms that know each other, as [a, b, ..., a]; None where there are none."""
    done = set()

    def follow(room, way):
        if room in way:
            return [*way[way.index(room):], room]
        if room in done:
            return None
        done.add(room)
        found = (follow(other, [*way, room]) for other in sorted(knows.get(room, [])))
        return next(filter(None, found), None)

    return next(filter(None, (follow(room, []) for room in knows)), None)


def room_included(root, include):
    """The room that an include belongs to, or None."""
    first, _, rest = include.partition("/")
    return owner(root, rest) if first == "kstar" else first if first in ROOMS and rest else None


def check(root):
    """The violations, one line each."""
    found = []
    # The table, and the includes of the rooms that may know everyone.
    knows = {room: {other for other in others if other != EVERYONE} for room, others in ROOMS.items()}
    for file, room, public in files(root):
        place = file.relative_to(root)
        if room != "umbrella" and room not in ROOMS:
            table = "PUBLIC_HEADERS" if public else "ROOMS"
            found.append(f"{place}:1: nobody knows its room: name it in {table}")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            wrong = match and problem(root, room, public, match[1])
            if wrong:
                found.append(f"{place}:{number}: {line.strip()}: {wrong}")
            elif match and room in ROOMS:
                knows[room] |= {room_included(root, match[1])} & ROOMS.keys() - {room}
            code = line.split("//")[0]
            if (room not in [*READERS_OF_WORDS, *READERS_OF_SENTENCES] and SENTENCE.search(code)
                    and str(place) not in READ_SENTENCES):
                found.append(f"{place}:{number}: {line.strip()}: a decision is a field, "
                             "not read from a sentence")
            if not public and room not in READERS_OF_WORDS and WORDS.search(code):
                found.append(f"{place}:{number}: {line.strip()}: a field says it; note_sentence() "
                             "is the text of a note")
    umbrella = root / "include/kstar/kstar.h"
    if umbrella.exists():
        listed = umbrella.read_text()
        found += [f"{umbrella.relative_to(root)}:1: does not list {header.name}"
                  for header in sorted(umbrella.parent.glob("*.h"))
                  if header.stem not in UNLISTED and f'"kstar/{header.name}"' not in listed]
    circle = cycle(knows)
    if circle:
        found.append(f"rooms know each other: {' -> '.join(circle)}")
    return found


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = check(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
