"""Marks: a program tells kstar where its setup ends, where its steps begin and end, and what it
does inside them. One file, nothing but the standard library; the same file as kstar/mark.h writes.

    import kstar_mark
    mark = kstar_mark.open(synchronize=True)      # waits for CUDA before it reads the clock
    model, data = build()
    mark.setup_end()
    for i, batch in enumerate(data):
        if i == 10:
            mark.warm_up_end()
        with mark.step():
            with mark.compute():
                loss = model(batch)
            with mark.communicate():
                all_reduce(model)
            mark.work(len(batch))
    mark.close()

Without the environment variable KSTAR_MARKS, which names a folder, nothing happens. The same where
the folder is missing, read-only or full: a program never fails for its marks. What was marked is in
the file even when the program is killed the moment after. A handle belongs to one thread; in a
forked child it falls silent, and the child opens its own.
"""
import atexit
import contextlib
import errno
import mmap
import os
import resource
import socket
import struct
import sys
import time
import weakref

COMPUTE, COMMUNICATE, WAIT, LOAD = 0, 1, 2, 3  # WAIT: for other workers; LOAD: of data

_HEADER = struct.Struct("=8sIIIiqqqII40s64s96x")
_STAMP, _VALUE = struct.Struct("=Q"), struct.Struct("=d")
_RECORD_SIZE = 16
_LOST_AT = 48
_CHUNK = 65536
_SETUP_END, _WARM_UP_END, _STEP_BEGIN, _STEP_END = 1, 2, 3, 4
_PHASE_BEGIN, _PHASE_END, _WORK, _CLOSE = 5, 6, 7, 8
_FLOPS, _BYTES = 9, 10
_RANKS = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID",
          "RANK"]
_handles = weakref.WeakSet()


def rank():
    """The worker's number as its launcher says it, else 0. A torchrun under mpirun or srun numbers
    its own workers, so it is asked first; WORLD_SIZE tells its RANK from anybody else's."""
    names = ["KSTAR_WORKER"] + (["RANK"] if "WORLD_SIZE" in os.environ else []) + _RANKS
    for name in names:
        text = os.environ.get(name, "")
        if text.isascii() and text.isdigit() and int(text) < 0x7fffffff:
            return int(text)
    return 0


def open(worker=None, synchronize=False):
    """A handle for the calling thread. `worker` is its number, from 0, over all processes and
    threads of the job; None takes rank(). With `synchronize`, each mark first waits for what was
    given to the CUDA device (where torch is imported and uses one); a function is called instead.
    """
    folder = os.environ.get("KSTAR_MARKS", "")
    file = None
    if folder:
        try:
            file = _File(folder, rank() if worker is None or worker < 0 else int(worker))
        except (OSError, ValueError, OverflowError):
            pass
    return Marks(file, _synchronizer(synchronize))


class Marks:
    """What a program marks. Every call is cheap, and does nothing where there is no file."""

    def __init__(self, file=None, synchronize=None):
        self._file = file
        self._synchronize = synchronize
        if file:
            _handles.add(self)

    def __bool__(self):
        """Whether anything is written."""
        return self._file is not None

    def setup_end(self):
        """Everything before this is setup: start of the process, reading of the data."""
        self._put(_SETUP_END)

    def warm_up_end(self):
        """The steps that began before this are warm-up."""
        self._put(_WARM_UP_END)

    def step_begin(self):
        self._put(_STEP_BEGIN)

    def step_end(self):
        self._put(_STEP_END)

    def begin(self, phase):
        """Phases may nest: time belongs to the innermost."""
        self._put(_PHASE_BEGIN, phase)

    def end(self, phase):
        self._put(_PHASE_END, phase)

    def work(self, amount):
        """`amount` more is done by this worker: samples, rows, cells."""
        self._put(_WORK, amount, synchronize=False)

    def flops(self, count):
        """This worker did `count` more floating-point operations: for kstar roofline."""
        self._put(_FLOPS, count, synchronize=False)

    def bytes(self, count):
        """This worker moved `count` more bytes to and from memory: for kstar roofline."""
        self._put(_BYTES, count, synchronize=False)

    @contextlib.contextmanager
    def step(self):
        self.step_begin()
        try:
            yield
        finally:
            self.step_end()

    @contextlib.contextmanager
    def phase(self, phase):
        self.begin(phase)
        try:
            yield
        finally:
            self.end(phase)

    def compute(self):
        return self.phase(COMPUTE)

    def communicate(self):
        return self.phase(COMMUNICATE)

    def wait(self):
        return self.phase(WAIT)

    def load(self):
        return self.phase(LOAD)

    def close(self):
        """The worker came to its end; also called when Python ends."""
        file, self._file = self._file, None
        if file:
            file.put(_CLOSE, 0.0)
            file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _put(self, kind, value=0.0, synchronize=True):
        if self._file is None:
            return
        if synchronize and self._synchronize:
            self._synchronize()
        self._file.put(kind, float(value))


class _File:
    """The file of one worker, mapped a part at a time."""

    def __init__(self, folder, worker):
        host = socket.gethostname()
        self._fd = _create(folder, host, worker)
        self._map, self._size, self._at = None, 0, _CHUNK
        try:
            self._grow()
        except (OSError, ValueError):
            os.close(self._fd)
            raise
        self._start = time.monotonic_ns()
        header = _HEADER.pack(b"KSTRMARK", 1, _HEADER.size, _RECORD_SIZE, worker, os.getpid(),
                              self._start, time.time_ns(), 0, 0, _boot_id()[:39],
                              host.encode(errors="replace")[:63])
        self._map[8:len(header)] = header[8:]
        self._map[:8] = header[:8]  # last: a header with its magic is whole
        self._at = len(header)

    def put(self, kind, value):
        if self._at == _CHUNK and not self._has_room():
            return
        stamp = (time.monotonic_ns() - self._start) << 8 | kind
        _VALUE.pack_into(self._map, self._at + 8, value)
        _STAMP.pack_into(self._map, self._at, stamp)  # last: a record with a stamp is whole
        self._at += _RECORD_SIZE

    def close(self):
        self._map.close()
        if self._fd is not None:
            with contextlib.suppress(OSError):  # zeros at the end do no harm
                os.ftruncate(self._fd, self._size - _CHUNK + self._at)
            os.close(self._fd)

    def _has_room(self):
        if self._fd is None:
            return False
        try:
            self._grow()
            return True
        except (OSError, ValueError):
            with contextlib.suppress(OSError):
                os.pwrite(self._fd, struct.pack("=I", 1), _LOST_AT)
            os.close(self._fd)
            self._fd = None
            return False

    def _grow(self):
        _reserve(self._fd, self._size)
        mapped = mmap.mmap(self._fd, _CHUNK, mmap.MAP_SHARED, offset=self._size)
        if self._map:
            self._map.close()
        self._map, self._at = mapped, 0
        self._size += _CHUNK


def _create(folder, host, worker):
    """A new file worker-HOST-PID-N.kmarks; N is the worker where that name is still free."""
    for n in range(worker, worker + 10000):
        path = os.path.join(folder, f"worker-{host.replace('/', '_')}-{os.getpid()}-{n}.kmarks")
        with contextlib.suppress(FileExistsError):
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    raise FileExistsError(errno.EEXIST, "too many files of marks", folder)


def _reserve(fd, start):
    """Room on the disk: without it a full disk would end the program with SIGBUS."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit != resource.RLIM_INFINITY and limit < start + _CHUNK:
        raise OSError(errno.EFBIG, "the limit on the size of files is reached")
    try:
        os.posix_fallocate(fd, start, _CHUNK)
    except (AttributeError, OSError) as problem:
        if getattr(problem, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        if os.pwrite(fd, bytes(_CHUNK), start) != _CHUNK:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None


def _boot_id():
    try:
        fd = os.open("/proc/sys/kernel/random/boot_id", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 39).strip()
    except OSError:
        return b""
    finally:
        os.close(fd)


def _synchronizer(wanted):
    if callable(wanted) or not wanted:
        return wanted or None
    return _synchronize_cuda


def _synchronize_cuda():
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _close_all():
    for handle in list(_handles):
        handle.close()


def _silence_all():
    for handle in list(_handles):
        handle._file = None


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_silence_all)
