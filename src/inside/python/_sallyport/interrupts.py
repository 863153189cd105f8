"""Signals: SIGINT raises KeyboardInterrupt in programs, does nothing between them, and waits where it would do harm.

Harm: between reading control bytes and keeping them (the stream would be lost), and in the middle of an import of our
own (older Pythons leave half a module behind, for good). Handlers that a program sets for other signals rest between
runs: they could raise anything in the code around programs.
"""

import _signal as signal
import sys
from _thread import get_ident

_MAIN_THREAD = get_ident()


def _drop(number, frame):
    pass


class Gate:
    """Open while a program runs. Stays shut for the function around programs, so that nothing escapes from it."""

    def __init__(self, around):
        self._is_open = False
        self._resting = {}
        self._handler = self._make_handler((around.__code__, Gate.shut.__code__))
        signal.signal(signal.SIGINT, self._handler)

    def open(self):
        for number, handler in self._resting.items():
            signal.signal(number, handler)
        self._resting = {}
        self._is_open = True

    def shut(self):
        """To be called again if it raises: a handler of the program's may do that at the last moment."""
        self._is_open = False
        signal.signal(signal.SIGINT, self._handler)
        if 'signal' in sys.modules:
            # An alarm ends with its program, as it would in a script.
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number in range(1, signal.NSIG):
                handler = signal.getsignal(number)
                if callable(handler) and handler is not self._handler and handler is not _drop:
                    self._resting[number] = handler
                    signal.signal(number, _drop)

    def _make_handler(self, around):
        # Not SIG_IGN between runs, which children would inherit.
        def default_int_handler(number, frame):
            if self._is_open and (frame is None or frame.f_code not in around):
                raise KeyboardInterrupt

        # Under the standard name, so that asyncio and others recognise it as the handler that Python starts with.
        signal.default_int_handler = default_int_handler
        if 'signal' in sys.modules:
            sys.modules['signal'].default_int_handler = default_int_handler
        return default_int_handler


class _Deferred:
    """`with deferred:` an interrupt of the main thread waits until the end, or until the next `block` inside."""

    def __init__(self):
        self._depth = 0
        self._usual = None
        self._is_blocking = False
        self._is_pending = False

    def __enter__(self):
        if get_ident() != _MAIN_THREAD:
            return
        if self._depth == 0:
            self._is_pending = False
            self._usual = signal.signal(signal.SIGINT, self._on_signal)
        self._depth += 1

    def __exit__(self, kind, error, traceback):
        if get_ident() != _MAIN_THREAD:
            return
        self._depth -= 1
        if self._depth == 0:
            signal.signal(signal.SIGINT, self._usual)
            if self._is_pending and error is None and callable(self._usual):
                self._usual(signal.SIGINT, None)

    def block(self, wait):
        """Calls `wait`, in which an interrupt has its usual effect."""
        if self._depth == 0 or get_ident() != _MAIN_THREAD:
            return wait()
        self._is_blocking = True
        try:
            if self._is_pending:
                self._on_signal(signal.SIGINT, None)
            return wait()
        finally:
            self._is_blocking = False

    def _on_signal(self, number, frame):
        if not self._is_blocking:
            self._is_pending = True
        elif callable(self._usual):
            self._is_pending = False
            self._usual(number, frame)


deferred = _Deferred()
