"""Runs the real kstar: in a pipe, as scripts do, and in a pseudo-terminal, as people do."""

import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import tempfile
import termios
import unittest

KSTAR = os.environ["KSTAR"]


def environment(**changes):
    """The same everywhere; a value of None leaves the variable out."""
    base = {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "PATH": os.path.dirname(KSTAR) + ":" + os.environ["PATH"]}
    base.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
    base.update(changes)
    return {k: v for k, v in base.items() if v is not None}


def kstar(*words, cwd=None, stdout=subprocess.PIPE, **changes):
    """In a pipe: the finished process, with text."""
    return subprocess.run([KSTAR, *words], stdin=subprocess.DEVNULL, stdout=stdout, cwd=cwd,
                          stderr=subprocess.PIPE, text=True, env=environment(**changes), timeout=60)


def set_width(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))


def in_terminal(*words, columns=80, **changes):
    """In a terminal of this width: exit status and everything that came to the screen."""
    pid, screen = pty.fork()
    if pid == 0:
        set_width(0, columns)
        os.execve(KSTAR, [KSTAR, *words], environment(**changes))
    shown = b""
    while True:
        try:
            chunk = os.read(screen, 65536)
        except OSError:  # the other end is gone: that is how a terminal says end of file
            break
        if not chunk:
            break
        shown += chunk
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(screen)
    return status, shown.decode().replace("\r\n", "\n")


class InFolder(unittest.TestCase):
    """A test with a folder of its own, self.path."""
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(folder.name)
        self.addCleanup(folder.cleanup)

    def write(self, name, text):
        file = self.path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(file)
