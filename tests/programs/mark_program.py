"""A marked program for the tests: mark_program.py MODE [STEPS], as mark_program.c."""
import os
import signal
import sys
import time

import kstar_mark

mode, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
synchronized = []
mark = kstar_mark.open(None if mode == "rank" else 3,
                       synchronize=(lambda: synchronized.append(1)) if mode == "sync" else False)
mark.setup_end()
for i in range(steps):
    if i == 1:
        mark.warm_up_end()
    with mark.step():
        with mark.compute():
            time.sleep(0.005 if i == 0 else 0)
        with mark.communicate():
            with mark.wait():
                pass
        mark.begin(kstar_mark.LOAD)
        mark.end(kstar_mark.LOAD)
        mark.work(2.5)
if mode == "fork":
    child = os.fork()
    mark.step_begin()
    mark.step_end()
    if child == 0:
        os._exit(bool(mark))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
if mode == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if mode == "sync" and mark:
    sys.exit(0 if len(synchronized) == 2 + 10 * steps else 1)  # all marks but those of work
