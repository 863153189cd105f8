"""Waiting, in a thread that may block and has nothing to wait for but time and interrupts.

The host gives one function, `wait(seconds)`: it returns when the time is over or an interrupt has come. The interrupt
itself is raised by Python, between two of its instructions, as on any other system.
"""

import asyncio
import time
from asyncio import base_events, events

# What `wait` is given at most where Python means "for ever".
LONG_SECONDS = 3600.0
# A signal handler may give the event loop something to do just before it begins to wait; it looks again after this.
LOOK_SECONDS = 0.05


def install(wait):
    time.sleep = _sleep(wait, time.monotonic)
    events._set_event_loop_policy(_Policy(wait))
    # Pyodide has the event loop of the browser running all the time, and its own `asyncio.run` to match.
    events._set_running_loop(None)
    asyncio.run = asyncio.runners.run


def _sleep(wait, now):
    def sleep(seconds, /):
        if seconds < 0:
            raise ValueError('sleep length must be non-negative')
        end = now() + seconds
        left = float(seconds)
        while True:
            wait(min(left, LONG_SECONDS))
            left = end - now()
            if left <= 0:
                return

    sleep.__module__ = 'time'
    sleep.__qualname__ = 'sleep'
    return sleep


class _Policy(events._BaseDefaultEventLoopPolicy):
    def __init__(self, wait):
        super().__init__()
        self._wait = wait

    def new_event_loop(self):
        return _Loop(self._wait)


class _Loop(base_events.BaseEventLoop):
    """An event loop with timers and callbacks, and no sockets, pipes or processes."""

    def __init__(self, wait):
        super().__init__()
        self._selector = _Clock(wait)

    def run_in_executor(self, executor, function, *arguments):
        """There are no threads: it is done at once, here."""
        future = self.create_future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass


class _Clock:
    def __init__(self, wait):
        self._wait = wait

    def select(self, timeout=None):
        if timeout is None or timeout > 0:
            self._wait(LOOK_SECONDS if timeout is None else min(timeout, LOOK_SECONDS))
        return ()

    def close(self):
        pass
