"""The way that calls of `mcp` take to the host, and in the name of which run they are made.

The program itself uses the interpreter's control channel. A child that it forked must not: it comes to the hatch by
itself, over the socket that every process behind the wall finds there.

A call belongs to the run that started what makes it. Tasks and callbacks of an event loop carry the run in their context; a
thread that is older than the run is one that an earlier run left behind, unless an executor gave it work of this one.
"""

import os
import sys
from _thread import _count, get_ident

from . import hatch
from .channel import Channel
from .hatch import run_of_context

RUN_VARIABLE = 'SALLYPORT_RUN'
SOCKET_VARIABLE = 'SALLYPORT_HATCH'
SOCKET_PATH = '/run/sallyport/hatch/socket'


class Way:
    def __init__(self, channel):
        self._id = os.getpid()
        self._run = ''
        self._leftovers = frozenset()
        self._use(channel)

    def begin(self, run):
        """A run begins. Threads and tasks of earlier ones may go on, but not call in its name."""
        self._run = run
        self._leftovers = frozenset(sys._current_frames()) - {get_ident()} if _count() > 0 else frozenset()
        run_of_context.set(run)
        # For the command `mcp`, wherever a process of this run starts it.
        os.environ[RUN_VARIABLE] = run

    def call(self, method, params):
        return self._current().call(method, params)

    def start(self, method, params):
        return self._current().start(method, params)

    def finish(self, waiter):
        return self._channel.finish(waiter)

    def watch(self, waiter, loop, wake):
        self._channel.watch(waiter, loop, wake)

    def unwatch(self, waiter):
        self._channel.unwatch(waiter)

    def _use(self, channel):
        self._channel = channel
        channel.run_of_caller = self._run_of_caller

    def _current(self):
        if os.getpid() != self._id:
            self._id = os.getpid()
            self._use(Channel(_connect(), _host_gone))
        return self._channel

    def _run_of_caller(self):
        run = run_of_context.get()
        if run is None:
            return 'earlier' if get_ident() in self._leftovers else self._run
        return run


def _connect():
    import socket

    try:
        link = socket.socket(socket.AF_UNIX)
        link.connect(os.environ.get(SOCKET_VARIABLE) or SOCKET_PATH)
        return link.detach()
    except OSError as error:
        raise hatch.ToolError('mcp cannot be reached from this child process: %s' % error, 'CHILD_PROCESS') from None


def _host_gone():
    raise hatch.ToolError('The host has closed the way to it', 'SESSION_CLOSED')
