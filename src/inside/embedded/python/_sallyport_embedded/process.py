"""One session's Python, driven by the thread that owns it: a run is one call, from program text to outcome.

`load` belongs to the start-up image, made once: everything that all sessions have in common is imported there. `Process`
is made when a session starts; it alone knows the host.
"""

import _signal as signal
import builtins
import os
import sys

from _sallyport import hatch
from _sallyport.descriptors import StandardStreams
from _sallyport.event_loop import EventLoop
from _sallyport.interrupts import Gate, deferred
from _sallyport.program import Interpreter, Outcome
from _sallyport.source import find_problem

WORKSPACE = '/workspace'
DESCRIPTORS_GONE_EXIT = 71
# Let go when there is no other memory left, so that there is room to tell of it.
RESERVE_BYTES = 2 * 1024 * 1024


def load():
    """Imports what programs often use: in the image it costs nothing."""
    import asyncio
    import collections
    import dataclasses
    import datetime
    import functools
    import json
    import math
    import pathlib
    import re
    import traceback
    import typing

    from . import absent, blocking


class Process:
    def __init__(self, host, environment):
        """`host.wait(seconds)`, `host.isInterrupted()`; `host.ask(method, params, run)` → id, `host.waitFor(id)`, `host.look(id)`."""
        from . import absent, blocking

        signal.setitimer = _no_timers
        os.system = _no_programs
        _refuse_lookups()
        self._gate = Gate(Process._run_interruptibly)
        self._host = host
        _refresh(environment)
        blocking.install(host.wait)
        absent.install()
        module = sys.modules['__main__']
        _empty(module)
        self._streams = StandardStreams()
        self._hatch = builtins.mcp = hatch.create(_Way(host), deferred)
        self._interpreter = Interpreter(
            module, WORKSPACE, self._write_error, EventLoop().drive, uninterrupted=deferred, reserve_bytes=RESERVE_BYTES
        )

    def run(self, id, text, name, arguments, data):
        """`data`: bytes of standard input or None. The outcome as plain values, for JavaScript."""
        self._streams.reset(data)
        # A module that another language wrote may lie in a directory whose listing is cached.
        finder = sys.path_importer_cache.get(WORKSPACE)
        if finder is not None:
            finder.invalidate_caches()
        hatch.install(self._hatch)
        hatch.run_of_context.set(id)
        outcome = self._run_interruptibly(text, name, arguments, data is not None)
        outcome.notes += self._streams.mend()
        try:
            os.fstat(self._streams.output), os.fstat(self._streams.error)
        except OSError:  # closed by the program
            os._exit(DESCRIPTORS_GONE_EXIT)
        return outcome.exit, outcome.status, outcome.error, outcome.value, outcome.notes, outcome.images

    def check(self, text):
        """(line, column, message), or None."""
        return find_problem(text)

    def _run_interruptibly(self, text, name, arguments, has_input):
        # Stands when an interrupt comes around the program: while its error is told, for instance.
        outcome = Outcome('interrupted', 130, 'KeyboardInterrupt')
        try:
            self._gate.open()
            # One that came before is forgotten by the gate.
            if self._host.isInterrupted():
                raise KeyboardInterrupt
            hatch.offer_older_names(self._hatch, text, self._interpreter.namespace)
            outcome = self._interpreter.run(text, name, arguments, has_input)
            if outcome.status == 'ok':
                self._write_error(hatch.settle(self._hatch))
            self._streams.flush()
        except KeyboardInterrupt:
            pass
        except BaseException as error:  # out of memory while telling of it, for instance
            outcome.status, outcome.exit, outcome.error = 'error', 1, type(error).__name__
        try:
            self._gate.shut()
        except BaseException:  # a handler of the program's may raise at the last moment
            self._gate.shut()
        sys.settrace(None)
        sys.setprofile(None)
        return outcome

    def _write_error(self, text):
        os.write(self._streams.error, text.encode('utf-8', 'backslashreplace'))


class _Ticket:
    __slots__ = ('id', 'answer', 'is_wanted')

    def __init__(self, id):
        self.id = id
        self.answer = None
        self.is_wanted = True


class _Way:
    """What `mcp` needs of a channel. Nothing wakes an event loop here: it looks for replies now and then."""

    LOOK_SECONDS = 0.002

    def __init__(self, host):
        self._host = host

    def call(self, method, params):
        return self.finish(self.start(method, params))

    def start(self, method, params):
        return _Ticket(self._host.ask(method, params, hatch.run_of_context.get()))

    def finish(self, ticket):
        if ticket.answer is None:
            ticket.answer = _fields(self._host.waitFor(ticket.id))
        return ticket.answer

    def watch(self, ticket, loop, wake):
        if ticket.answer is None:
            reply = self._host.look(ticket.id)
            ticket.answer = None if reply is None else _fields(reply)
        if ticket.answer is not None:
            loop.call_soon(wake)
        elif ticket.is_wanted:
            loop.call_later(self.LOOK_SECONDS, self.watch, ticket, loop, wake)

    def unwatch(self, ticket):
        ticket.is_wanted = False


def _fields(reply):
    ok, value = reply
    return {'ok': b'1' if ok else b'0', 'value': value.encode()}


def _no_timers(which, seconds, interval=0.0):
    """In the place of `signal.setitimer`, which is not here; to switch one off is always possible."""
    if seconds:
        raise OSError('there are no timers that raise signals in the embedded sandbox')
    return 0.0, 0.0


def _no_programs(command):
    """In the place of `os.system`, which does nothing here and says that all is well."""
    raise OSError('the embedded sandbox cannot start programs')


def _refuse_lookups():
    """Emscripten makes an address up for every name; nothing is behind it."""
    import _socket
    import socket

    def refuse(*arguments, **options):
        raise _socket.gaierror(_socket.EAI_AGAIN, 'Temporary failure in name resolution')

    for name in ('getaddrinfo', 'gethostbyaddr', 'gethostbyname', 'gethostbyname_ex'):
        setattr(_socket, name, refuse)
        setattr(socket, name, refuse)


def _refresh(environment):
    """Takes out of the image what belongs to the process that made it."""
    os.environ.clear()
    os.environ.update(environment)
    _set_time_zone()
    # The image has one state of the generator for everybody. (The seed of string hashes cannot be changed.)
    if 'random' in sys.modules:
        sys.modules['random'].seed()
    # No compiled files among those of the program.
    sys.dont_write_bytecode = True
    os.chdir(WORKSPACE)
    sys.path[:] = [WORKSPACE] + [path for path in sys.path if path and path != WORKSPACE]


def _set_time_zone():
    """Local times are right by themselves; these constants are from when the image was made."""
    import time

    year = time.localtime().tm_year
    winter, summer = (time.localtime(time.mktime((year, month, 1, 12, 0, 0, 0, 1, -1))) for month in (1, 7))
    offsets = sorted((winter.tm_gmtoff, summer.tm_gmtoff))
    time.timezone, time.altzone = -offsets[0], -offsets[1]
    time.daylight = int(offsets[0] != offsets[1])
    time.tzname = tuple('%+03d' % (offset // 3600) if offset else 'UTC' for offset in offsets)


def _empty(module):
    """Takes Pyodide's own names out of the module that programs get."""
    namespace = module.__dict__
    for name in [name for name in namespace if not name.startswith('__')]:
        del namespace[name]
    namespace['__doc__'] = None
    namespace['__file__'] = WORKSPACE + '/main.py'
