"""Reads what ctest did and says what its own summary does not:  summary.py JUNIT SKIPS

The ten slowest tests, and every skipped case with its reason. Where KSTAR_FRESH is set (scripts/fresh:
a machine with every package) a case that was skipped in all builds fails, unless the file SKIPS has
its reason.
"""
import os
import re
import sys
import xml.etree.ElementTree as xml

BUILD = re.compile(r"^address-undefined/")  # the prefix of sanitized tests
LINE = re.compile(r"^skipped: (?:(?P<case>[^\s:]+): )?(?P<why>.*)$", re.M)
RAN = re.compile(r"^\[       OK \] (\S+) \(|^\S+ \((\S+)\)(?:\n.*)?? \.\.\. ok$", re.M)


def skipped_cases(test):
    """[(case, reason)] of a test that ctest counts as skipped."""
    output = test.findtext("system-out") or ""
    found = [(m["case"] or test.get("name"), m["why"].strip()) for m in LINE.finditer(output)]
    return found or [(test.get("name"), test.find("skipped").get("message", "no reason is given"))]


def ran_cases(tests):
    """Names of cases that passed in some build."""
    names = set()
    for test in tests:
        if test.get("status") == "run":
            names.add(BUILD.sub("", test.get("name")))
        names |= {name for m in RAN.finditer(test.findtext("system-out") or "") for name in m.groups()}
    return names


def allowed_reasons(path):
    with open(path) as lines:
        return [line.split("  #")[0].strip() for line in lines if line.strip() and line[0] != "#"]


def main():
    junit, skips = sys.argv[1:]
    tests = list(xml.parse(junit).getroot().iter("testcase"))
    slowest = sorted(tests, key=lambda test: -float(test.get("time")))[:10]
    print("\nThe slowest tests:")
    for test in slowest:
        print(f"  {float(test.get('time')):6.1f} s  {test.get('name')}")
    cases = [(test, *case) for test in tests if test.find("skipped") is not None
             for case in skipped_cases(test)]
    if not cases:
        return 0
    ran, allowed, wrong = ran_cases(tests), allowed_reasons(skips), 0
    print("\nSkipped:")
    for test, case, why in cases:
        elsewhere = BUILD.sub("", case) in ran
        listed = any(reason in why for reason in allowed)
        wrong += not elsewhere and not listed
        print(f"  {test.get('name')}: {case + ': ' if case != test.get('name') else ''}{why}"
              + (" (ran in the other build)" if elsewhere else ""))
    if wrong and os.environ.get("KSTAR_FRESH"):
        print(f"\n{wrong} of these ran nowhere, and {os.path.relpath(skips)} does not have their reasons: "
              "install what they need (scripts/setup)", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
