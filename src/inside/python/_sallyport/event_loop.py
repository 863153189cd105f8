"""One event loop for the whole session, on which top-level awaits run; loaded asyncio comes with the first of them.

A program without awaits of its own runs with no running loop, so that `asyncio.run` works in it. In one with awaits
`asyncio.run` works too: the session's loop stands still meanwhile.
"""

import _signal as signal

from .interrupts import deferred


class EventLoop:
    def __init__(self):
        self._loop = None

    def drive(self, awaitable):
        """The awaitable's result. An interrupt raises KeyboardInterrupt in it, or cancels it where it waits."""
        with deferred:
            import asyncio

        loop = self._loop_for(awaitable, asyncio)
        task = asyncio.ensure_future(awaitable, loop=loop)
        interrupt = _Interrupt(asyncio, loop, task)
        # A handler of the program's own stays.
        is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_usual:
            signal.signal(signal.SIGINT, interrupt)
        run = asyncio.run
        asyncio.run = asyncio.runners.run = _nested_run(asyncio, loop, run)
        try:
            return loop.run_until_complete(task)
        except asyncio.CancelledError as error:
            if not interrupt.has_cancelled:
                raise
            # Before 3.11 the error that knows the program's lines is the context of this one.
            where = error.__context__ or error
            raise KeyboardInterrupt().with_traceback(where.__traceback__) from None
        except BaseException as error:
            _unwind(loop, task)
            if isinstance(error, OSError) and loop is self._loop and not task.done():
                self._loop = None  # the program closed the loop's own descriptors
            raise
        finally:
            asyncio.run = asyncio.runners.run = run
            if is_usual:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    def _loop_for(self, awaitable, asyncio):
        if isinstance(awaitable, asyncio.Future):
            return awaitable.get_loop()
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
        return self._loop


class _Interrupt:
    """A handler for SIGINT: cancels the program's task when nothing is being computed, else raises where it computes."""

    def __init__(self, asyncio, loop, task):
        self._asyncio = asyncio
        self._loop = loop
        self._task = task
        self.has_cancelled = False

    def __call__(self, number, frame):
        is_waiting = self._asyncio._get_running_loop() is self._loop and self._asyncio.current_task(self._loop) is None
        if not is_waiting or self.has_cancelled:
            raise KeyboardInterrupt
        self.has_cancelled = True
        self._task.cancel()
        # The loop may sleep in `select`, which goes on after a signal handler.
        self._loop.call_soon_threadsafe(lambda: None)


def _unwind(loop, task):
    """Lets a program that was left in the middle run its `finally` clauses."""
    if task.done():
        return
    task.cancel()
    try:
        loop.run_until_complete(task)
    except BaseException:  # the first error is the one that is told
        pass


def _nested_run(asyncio, outer, run):
    def nested(main, **options):
        if asyncio._get_running_loop() is not outer:
            return run(main, **options)
        task = asyncio.current_task(outer)
        asyncio.tasks._leave_task(outer, task)
        asyncio._set_running_loop(None)
        try:
            return run(main, **options)
        finally:
            asyncio._set_running_loop(outer)
            asyncio.tasks._enter_task(outer, task)

    nested.__name__ = nested.__qualname__ = 'run'
    nested.__module__ = 'asyncio.runners'
    nested.__doc__ = run.__doc__
    return nested
