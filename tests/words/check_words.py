#!/usr/bin/env python3
"""Finds phrases that kstar does not use, in help, output, documents and the strings of the code.

  check_words.py ROOT            documents, golden files, topics, schemas, strings of src/ and web/
  check_words.py ROOT --kstar X  also the help of every command and every topic, as X prints them

Prints one line for each place, with what to write instead, and fails if there is any.
"""
import argparse
import pathlib
import re
import subprocess
import sys

# What is not written, and what is. A pattern is matched without regard to case and line ends.
PHRASES = [
    (r"unless (?:said|asked)\b", "default: ..."),
    (r"(?<!every )\b(?:run|line|file|number|array|entry|handle|torchrun|study|column)s? an? "
     r"(?:K|second|run|step|worker|rank|node|thread|series|kind|format|rule)\b(?!['-])",
     "per K, per second, per step"),
    (r"\b(?:samples|work|work done|tokens|images|instructions|cycles|dots|workers|[um]?s|ns) an? "
     r"(?:second|step|cycle|inch|node|worker|rank|sample|pass|call|minute)\b", "per second, per step"),
    (r"\bonce a block\b", "once per block"),
    (r"\bforet(?:ell|old)\w*", "predict, predicted"),
    (r"\bcomputation that itself slows\b", "slower computation"),
    (r"\bhas no ceiling \(", "no ceiling found; at least 5.93x"),
    (r"\btak(?:en?|es) (?:it |all |this )?for granted\b", "Assumptions; assumes"),
    (r"\bin the place of\b", "instead of"),
    (r"\bthe first 1 were\b", "the first run was"),
    (r"\b0 failed, \d+ warm-up\b", "1 warm-up run excluded"),
    (r"\bunclear on which side\b", "the interval includes 0.7"),
    (r"\bnumbers in place\b|\bgiven in place\b", "numbers on the command line"),
    (r"\bbehind it\b", "missing ..., after it"),
    (r"\bworker's worth more than there are\b", "more than linear"),
    (r"\bleaves? the picture\b", "prediction band clipped"),
    (r"\bhangs? on\b(?! a)", "depends on"),
    (r"\blook(?:ed|s|ing)? into\b", "examined, profiled"),
    (r"\bunended\b", "unfinished"),
    (r"\bcame apart\b", "split, differ"),
    (r"\bno word about\b|\bwithout a word about\b", "not stated"),
    (r"\bthat counts?: no\b|\btimes? that counts?\b", "usable time"),
    (r"\bstands? beside\b|\bstand in (?:its|the) place\b|\bstands? in the (?:record|file)\b",
     "is shown with, is given for, the record contains"),
    (r"\bspeaks? against\b", "contradicts"),
    (r"\bhold(?:s|ing)? (?:it |them |a study |a claim )?against\b|\bheld against\b", "check against"),
    (r"\bdoes not go with\b", "cannot be combined with"),
    (r"\bnow and then somebody\b|\bsomebody is late\b", "a worker is late in some runs"),
    (r"\bgo(?:es)? on with\b", "continue"),
    (r"\blaunchers? of your own\b", "custom launchers"),
    (r"\bthin batches\b", "small batches"),
    (r"\btimes of single workers\b", "per-worker times"),
    (r"\bwas taken for\b|\bwere taken for\b", "is assumed to be"),
    (r"\bK measured\b", "measured K"),
    (r"(?<!K = )(?<![.,\d])\b1 (?:sockets|cores|threads|runs|workers|nodes|steps|hosts|files|studies|jobs|ranks)\b"
     r"(?! (?:on|of|was))", "the right plural, by count_text()"),
    (r"\ba (?:avg|average|effic\w+|error|interval|unknown|MPI)\b", "the right article"),
    (r"(?<=[0-9}]) %(?![0-9A-Za-z(]|\s*[0-9({])", "84%, without a blank"),
]
COMPILED = [(re.compile(pattern, re.I), instead) for pattern, instead in PHRASES]

DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**/*.md", "docs/*.toml",
             "docs/figures/*.svg", "tests/golden/*.md", "examples/**/README.md",
             "src/cli/topics/*.txt", "schema/*.json",
             "web/*.html"]
SOURCES = ["src/**/*.cc", "src/**/*.h", "web/*.js"]
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<text>(?:[^"\\\n]|\\.)*)"|'
                     r"'(?P<single>(?:[^'\\\n]|\\.)*)'|`(?P<template>(?:[^`\\]|\\.)*)`", re.S)


def found_in(text):
    """(offset, phrase, what to write instead) of every phrase in a text."""
    for pattern, instead in COMPILED:
        for match in pattern.finditer(text):
            yield match.start(), match.group(0), instead


def report(where, text):
    """One line for each phrase: `where` makes a place of an offset in the text."""
    flat = re.sub(r"\s", " ", text)
    return [f"{where(at)}: '{phrase}': write {instead}" for at, phrase, instead in found_in(flat)]


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def check_document(name, text):
    return report(lambda at: f"{name}:{line_of(text, at)}", text)


def literals(text):
    """(offset, text) of every string of C++ or JavaScript; adjacent ones are one."""
    joined = []
    for match in LITERAL.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        value = match.group(kind)
        if joined and not text[joined[-1][2]:match.start()].strip() and kind == "text":
            joined[-1] = (joined[-1][0], joined[-1][1] + value, match.end())
        else:
            joined.append((match.start(), value, match.end()))
    return [(start, value) for start, value, _ in joined]


def check_source(name, text):
    found = []
    for start, value in literals(text):
        found += report(lambda _, at=start: f"{name}:{line_of(text, at)}", value)
    return found


def printed(kstar, *words):
    run = subprocess.run([kstar, *words], capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def commands_of(kstar):
    """The words of every command: those of kstar, and those of predict."""
    for words in ([], ["predict"]):
        text = printed(kstar, *words, "--help")
        section = text.split("\ncommands\n", 1)
        if len(section) < 2:
            continue
        for line in section[1].split("\n\n", 1)[0].split("\n"):
            match = re.match(r"  ([a-z][a-z0-9-]*) ", line)
            if match:
                yield [*words, match.group(1)]


def check_program(kstar):
    found = []
    commands = list(commands_of(kstar))
    for words in [[], *commands]:
        name = " ".join(["kstar", *words, "--help"])
        found += report(lambda _, n=name: n, printed(kstar, *words, "--help"))
    topics = re.findall(r"^([a-z][a-z0-9-]*)  ", printed(kstar, "explain"), re.M)
    for topic in topics:
        found += report(lambda _, t=topic: f"kstar explain {t}", printed(kstar, "explain", topic))
    if len(commands) < 10 or len(topics) < 10:
        found.append(f"kstar --help: expected commands and topics, "
                     f"found {len(commands)} and {len(topics)}")
    return found


def check(root):
    found = []
    for patterns, checker in ((DOCUMENTS, check_document), (SOURCES, check_source)):
        for pattern in patterns:
            for path in sorted(root.glob(pattern)):
                found += checker(str(path.relative_to(root)), path.read_text())
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--kstar")
    options = parser.parse_args()
    found = check(options.root)
    if options.kstar:
        found += check_program(options.kstar)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
