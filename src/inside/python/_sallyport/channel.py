"""The control channel of a process: requests come in, answers go out, and calls to the host wait for their replies.

There is no reading thread. Whoever waits reads: the first one (the leader) routes all frames, those for others too, and
hands the reading on when it has its own. The program's threads and the run loop wait alike.

A KeyboardInterrupt must never come between reading bytes and keeping them, or the stream would be lost. So a call is
interrupted only where it blocks.
"""

import os
from _thread import allocate_lock

from .descriptors import write_all
from .frames import Decoder, FrameError, encode
from .interrupts import deferred

CHUNK_BYTES = 65536
EXIT_CORRUPT = 70
EXIT_DESCRIPTORS_GONE = 71


class _Waiter:
    __slots__ = ('answer', 'woken')

    def __init__(self):
        self.answer = None
        self.woken = allocate_lock()
        self.woken.acquire()


class Channel:
    def __init__(self, fd):
        self._fd = fd
        self._decoder = Decoder()
        self._writing = allocate_lock()
        # Guards all below.
        self._state = allocate_lock()
        self._leader = None
        self._followers = []
        self._calls = {}
        self._calls_made = 0
        self._requests = []
        self._run_loop = None

    def send(self, verb, fields):
        with self._writing:
            try:
                write_all(self._fd, encode(verb, fields))
            except OSError:  # the host is gone, or the program closed the descriptor
                os._exit(EXIT_DESCRIPTORS_GONE)

    def next_request(self):
        """The next frame that is not a reply. For the run loop alone."""
        with self._state:
            if self._requests:
                return self._requests.pop(0)
            waiter = self._run_loop = _Waiter()
        self._wait(waiter, self._read)
        return waiter.answer

    def call(self, method, params):
        """Asks the host; the fields of its reply."""
        with deferred:
            waiter = _Waiter()
            with self._state:
                self._calls_made += 1
                id = str(self._calls_made)
                self._calls[id] = waiter
            try:
                self.send('call', [('id', id), ('method', method), ('params', params)])
                self._wait(waiter, self._read_when_ready)
            finally:
                self._calls.pop(id, None)
            return waiter.answer

    def _wait(self, waiter, read):
        with self._state:
            if self._leader is None:
                self._leader = waiter
            else:
                self._followers.append(waiter)
        try:
            while waiter.answer is None:
                if self._leader is waiter:
                    read()
                else:
                    deferred.block(waiter.woken.acquire)
        finally:
            with self._state:
                if waiter in self._followers:
                    self._followers.remove(waiter)
                if self._leader is waiter:
                    self._leader = self._followers.pop(0) if self._followers else None
                    if self._leader is not None:
                        self._leader.woken.release()

    def _read_when_ready(self):
        import select

        ready = select.poll()
        ready.register(self._fd, select.POLLIN)
        deferred.block(ready.poll)
        self._read()

    def _read(self):
        try:
            chunk = os.read(self._fd, CHUNK_BYTES)
        except ConnectionError:
            chunk = b''
        except OSError:
            os._exit(EXIT_DESCRIPTORS_GONE)
        if not chunk:
            os._exit(0)
        self._decoder.feed(chunk)
        try:
            frame = self._decoder.take()
            while frame is not None:
                self._route(frame)
                frame = self._decoder.take()
        except FrameError:
            os._exit(EXIT_CORRUPT)

    def _route(self, frame):
        with self._state:
            verb, fields = frame
            if verb == 'reply':
                reply = dict(fields)
                waiter = self._calls.pop(reply.get('id', b'').decode('utf-8', 'replace'), None)
                if waiter is not None:
                    self._answer(waiter, reply)
            elif self._run_loop is not None:
                self._answer(self._run_loop, frame)
                self._run_loop = None
            else:
                self._requests.append(frame)

    def _answer(self, waiter, answer):
        waiter.answer = answer
        if waiter in self._followers:
            self._followers.remove(waiter)
            waiter.woken.release()
