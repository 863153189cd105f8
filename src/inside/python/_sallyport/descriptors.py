"""Standard input, output and error: put back before every run, and written without any delay.

Programs, their children and C code share descriptors 1 and 2, so what Python prints must be in the pipe before the next
of them writes: there is no buffer. `print` is ours for that reason alone. It hands a whole line over at once, where the
built-in one would make a system call for every piece and let threads cut each other's lines apart.

Copies that this interpreter keeps for itself lie high, where programs that close or count descriptors rarely look.
"""

import builtins
import io
import os
import sys
from posix import dup2, set_blocking, write

SAVED_FROM = 200

_print = builtins.print


def write_all(fd, data):
    """All of the bytes, whatever a child did to the pipe."""
    while True:
        try:
            written = write(fd, data)
        except BlockingIOError:  # a child set the pipe, which we share, to non-blocking
            set_blocking(fd, True)
            continue
        if written >= len(data):
            return
        data = memoryview(data)[written:]


def save(fd):
    """A high copy that children do not inherit."""
    number = SAVED_FROM
    while _is_open(number):
        number += 1
    try:
        return dup2(fd, number, False)
    except OSError:  # the limit on open files is lower than that
        return os.dup(fd)


def _is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


class _Pipe(io.RawIOBase):
    """What `sys.stdout.buffer` is. Cannot be closed: descriptors end with the process."""

    mode = 'wb'

    def __init__(self, fd, name):
        self._fd = fd
        self.name = name

    def write(self, data):
        if type(data) is not bytes:
            data = memoryview(data).cast('B')
        write_all(self._fd, data)
        return len(data)

    def writable(self):
        return True

    def fileno(self):
        return self._fd

    def close(self):
        pass


class _Stream(io.TextIOWrapper):
    pass


def _open_output(fd, name):
    # Lone surrogates must neither raise nor make invalid UTF-8.
    stream = _Stream(_Pipe(fd, name), 'utf-8', 'backslashreplace', '\n', write_through=True)
    stream.mode = 'w'
    return stream


def _open_input():
    stream = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, 'rb', False)), 'utf-8', 'surrogateescape')
    stream.mode = 'r'
    return stream


def print(*values, sep=' ', end='\n', file=None, flush=False):
    out = sys.stdout if file is None else file
    if type(out) is not _Stream or type(sep) is not str or type(end) is not str:
        return _print(*values, sep=sep, end=end, file=file, flush=flush)
    out.write((str(values[0]) if len(values) == 1 else sep.join(map(str, values))) + end)


print.__module__ = 'builtins'
print.__doc__ = _print.__doc__


class StandardStreams:
    def __init__(self):
        self._input = save(0)
        self.output = save(1)
        self.error = save(2)
        self._stdin = None
        self._stdout = _open_output(1, '<stdout>')
        self._stderr = _open_output(2, '<stderr>')
        builtins.print = print
        self.reset(None)
        self.mend()

    def reset(self, data):
        """Descriptors 0, 1, 2 as at the start; `data` or nothing at all on standard input."""
        dup2(self._input, 0)
        dup2(self.output, 1)
        dup2(self.error, 2)
        if data is not None:
            fd = _file_with(data)
            dup2(fd, 0)
            os.close(fd)
        # An untouched reader of nothing can be used again; one with a buffer must not carry it into the next run.
        if data is not None or self._stdin is not getattr(sys, 'stdin', None) or not _is_intact(self._stdin):
            sys.stdin = sys.__stdin__ = _open_input()
            self._stdin = sys.stdin if data is None else None

    def flush(self):
        """Hands on what a program's own replacements for the streams still hold."""
        for name, stream in (('stdout', self._stdout), ('stderr', self._stderr)):
            now = getattr(sys, name, None)
            if now is not stream or not _is_intact(stream):
                try:
                    now.flush()
                except Exception:  # the program's own object: anything may be wrong with it
                    pass

    def mend(self):
        """`sys.stdout` and `sys.stderr` as at the start; tells what was replaced."""
        notes = []
        if getattr(sys, 'stdout', None) is not self._stdout:
            notes.append('sys.stdout was replaced; restored')
        if getattr(sys, 'stderr', None) is not self._stderr:
            notes.append('sys.stderr was replaced; restored')
        if not _is_intact(self._stdout):
            self._stdout = _open_output(1, '<stdout>')
        if not _is_intact(self._stderr):
            self._stderr = _open_output(2, '<stderr>')
        sys.stdout = sys.__stdout__ = self._stdout
        sys.stderr = sys.__stderr__ = self._stderr
        return notes


def _is_intact(stream):
    """Neither closed nor detached nor, for output, made to buffer or to raise."""
    try:
        if stream.closed or stream.encoding != 'utf-8':
            return False
        return stream.mode == 'r' or (stream.errors == 'backslashreplace' and stream.write_through)
    except (AttributeError, ValueError):  # detached, or not there yet
        return False


def _file_with(data):
    if hasattr(os, 'memfd_create'):
        fd = os.memfd_create('stdin')
    else:
        path = '/tmp/sallyport-stdin-%d' % os.getpid()
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.unlink(path)
    write_all(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
