"""Calls that are on their way.

In code without an event loop a call waits and gives its value. Within a running loop it gives a `Pending`: sent
already, so that many are on their way at once; awaited, it gives its value; used like a value, it waits for it.
"""

import sys


class Pending:
    """One call, awaitable any number of times; a coroutine to asyncio, which may make a task of it."""

    __slots__ = ('_courier', '_ticket', '_finish', '_outcome', '_steps', '__weakref__')

    def __init__(self, courier, ticket, finish):
        """`finish(reply)` is the value, or raises."""
        self._courier = courier
        self._ticket = ticket
        self._finish = finish
        self._outcome = None
        self._steps = None

    def __await__(self):
        if self._outcome is None and self._ticket.answer is None:
            import asyncio

            loop = asyncio.get_running_loop()
            future = loop.create_future()
            self._courier.watch(self._ticket, loop, lambda: future.done() or future.set_result(None))
            try:
                yield from future.__await__()
            except BaseException:
                self._courier.abandon(self._ticket)
                raise
        return _value_of(self)

    def send(self, value):
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.send(value)

    def throw(self, *error):
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps.throw(*error)

    def close(self):
        if self._steps is not None:
            self._steps.close()

    @property
    def __class__(self):
        # Asked for by asyncio before the value is there; asking must not wait. A program that asks wants to know.
        outcome = object.__getattribute__(self, '_outcome')
        if outcome is None and sys._getframe(1).f_globals.get('__name__') == '__main__':
            try:
                return type(_value_of(self))
            except Exception:
                return Pending
        return Pending if outcome is None or outcome[1] is not None else type(outcome[0])

    __hash__ = object.__hash__  # asyncio.gather keeps what it waits for in a dict

    def __eq__(self, other):
        return self is other or _value_of(self) == other

    def __ne__(self, other):
        return not self == other

    def __getattr__(self, name):
        if name.startswith('__') or name.startswith('_asyncio'):
            raise AttributeError(name)
        return getattr(_value_of(self), name)


def _value_of(pending):
    """Waits, where it must."""
    outcome = pending._outcome
    if outcome is None:
        try:
            outcome = (pending._finish(pending._courier.finish(pending._ticket)), None)
        except Exception as error:
            outcome = (None, error)
        pending._outcome = outcome
        pending._courier.settled(pending)
    value, error = outcome
    if error is not None:
        raise error
    return value


def _delegate(work):
    def method(self, *arguments):
        return work(_value_of(self), *[_value_of(other) if type(other) is Pending else other for other in arguments])

    return method


def _lend_methods():
    """Everything that can be done with a value can be done with one that is still on its way."""
    import operator

    works = {name: getattr(operator, name) for name in 'getitem setitem delitem contains lt le gt ge neg index'.split()}
    works.update((work.__name__, work) for work in (iter, len, bool, str, repr, int, float, bytes, format, reversed, abs))
    for name in 'add sub mul truediv floordiv mod pow and or xor'.split():
        work = works[name] = getattr(operator, '__%s__' % name)
        works['r' + name] = lambda value, other, work=work: work(other, value)
    for name, work in works.items():
        setattr(Pending, '__%s__' % name, _delegate(work))


_lend_methods()


class Courier:
    """Sends calls and keeps those that nobody has waited for yet."""

    def __init__(self, channel):
        """`channel` has `start`, `finish`, `watch`, `unwatch` and `call`, as `channel.Channel` has them."""
        self._channel = channel
        self._open = {}
        self.finish = channel.finish
        self.watch = channel.watch
        self._knows_json = False

    def send(self, params, token, finish):
        self._teach_asyncio()
        pending = Pending(self, self._channel.start('tools.call', params), finish)
        self._open[id(pending)] = (pending, token)
        return pending

    def settled(self, pending):
        self._open.pop(id(pending), None)

    def abandon(self, ticket):
        """The program does not want it any more: the server is told."""
        self._channel.unwatch(ticket)
        for key, (pending, token) in list(self._open.items()):
            if pending._ticket is ticket:
                del self._open[key]
                if ticket.answer is None:
                    self._channel.start('tools.cancel', '{"token":"%s"}' % token)

    def settle(self):
        """Waits for calls that were made and never awaited; the errors of those that failed."""
        errors = []
        while self._open:
            _, (pending, _token) = self._open.popitem()
            try:
                _value_of(pending)
            except Exception as error:
                errors.append(error)
        return errors

    def forget(self):
        self._open.clear()

    def _teach_asyncio(self):
        if self._knows_json:
            return
        self._knows_json = True
        import collections.abc
        import json

        collections.abc.Coroutine.register(Pending)
        usual = json.JSONEncoder.default

        def default(encoder, value):
            return _value_of(value) if type(value) is Pending else usual(encoder, value)

        json.JSONEncoder.default = default
