"""Runs unittest modules for ctest:  python3 run_tests.py MODULE...

As `python3 -m unittest -v` does; a skipped test has a line of its own at the end, and where nothing
failed the program ends with 77, which ctest counts as skipped (tests/CMakeLists.txt).
"""
import os
import sys
import unittest

SKIPPED = 77


def main():
    sys.path.insert(0, os.getcwd())
    result = unittest.main(module=None, argv=["run_tests.py", "-v", *sys.argv[1:]],
                           exit=False).result
    for test, why in result.skipped:
        print(f"skipped: {test.id()}: {why}", flush=True)
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(SKIPPED if result.skipped else 0)


if __name__ == "__main__":
    main()
