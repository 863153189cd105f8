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
    __slots__ = ('id', 'answer', 'woken', 'wake')

    def __init__(self):
        self.id = None
        self.answer = None
        # For who waits in an event loop: the loop, and what to call in it.
        self.wake = None
        self.woken = allocate_lock()
        self.woken.acquire()


class Channel:
    def __init__(self, fd, on_end=lambda: os._exit(0)):
        self._fd = fd
        self._on_end = on_end
        # The run that a call is made in the name of; the host knows which one is going on.
        self.run_of_caller = lambda: ''
        self._decoder = Decoder()
        self._writing = allocate_lock()
        # Guards all below.
        self._state = allocate_lock()
        self._leader = None
        self._followers = []
        self._calls = {}
        self._calls_made = 0
        # How many wait in each event loop.
        self._loops = {}
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
            waiter = self.start(method, params)
            try:
                return self.finish(waiter)
            finally:
                self._calls.pop(waiter.id, None)

    def start(self, method, params):
        """Asks the host and does not wait: `finish` does, or `watch`."""
        with deferred:
            waiter = _Waiter()
            with self._state:
                self._calls_made += 1
                waiter.id = str(self._calls_made)
                self._calls[waiter.id] = waiter
            self.send('call', [('id', waiter.id), ('run', self.run_of_caller()), ('method', method), ('params', params)])
            return waiter

    def finish(self, waiter):
        """The fields of the reply to what was started."""
        with deferred:
            if waiter.answer is None:
                self._wait(waiter, self._read_when_ready)
            return waiter.answer

    def watch(self, waiter, loop, wake):
        """Has `wake` called in the loop when the reply is there. The loop reads for everybody meanwhile."""
        with deferred:
            with self._state:
                is_waiting = waiter.answer is None
                if is_waiting:
                    waiter.wake = (loop, wake)
                    self._loops[loop] = self._loops.get(loop, 0) + 1
            if not is_waiting:
                loop.call_soon(wake)
            elif self._loops[loop] == 1:
                loop.add_reader(self._fd, self._read_for_loop)

    def unwatch(self, waiter):
        """Nobody waits for it any more."""
        with deferred:
            with self._state:
                wake, waiter.wake = waiter.wake, None
                self._calls.pop(waiter.id, None)
            if wake is not None:
                self._leave(wake[0])

    def _leave(self, loop):
        with self._state:
            self._loops[loop] -= 1
            is_last = self._loops[loop] == 0
            if is_last:
                del self._loops[loop]
        if is_last and not loop.is_closed():
            loop.remove_reader(self._fd)

    def _read_for_loop(self):
        import select

        with deferred:
            place = _Waiter()
            with self._state:
                if self._leader is not None:  # another thread reads
                    return
                self._leader = place
            try:
                ready = select.poll()
                ready.register(self._fd, select.POLLIN)
                if ready.poll(0):
                    self._read()
            finally:
                self._hand_on(place)

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
            self._hand_on(waiter)

    def _hand_on(self, waiter):
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
            self._on_end()
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
        if waiter.wake is not None:
            (loop, wake), waiter.wake = waiter.wake, None
            try:
                loop.call_soon_threadsafe(self._awake, loop, wake)
            except RuntimeError:  # the program closed the loop
                self._loops.pop(loop, None)

    def _awake(self, loop, wake):
        self._leave(loop)
        wake()
