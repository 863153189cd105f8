"""`mcp` as programs see it: a global and a module, with what a program may ask of the host.

The transport is one function, `call(method, params JSON) -> {'ok': b'1' or b'0', 'value': JSON bytes}`; who owns the
interpreter gives it. Every helper works with and without `await`: it has done its work when it returns, and what it
returns can be awaited all the same.
"""

import sys


class ToolError(Exception):
    """The host refused a call or could not do it. `code` is one word for programs, the message is for people."""

    def __init__(self, message, code=''):
        super().__init__(message)
        self.code = code


ToolError.__module__ = 'mcp'


class Ready:
    """A value that is there already and can be awaited all the same."""

    __slots__ = ()

    def __await__(self):
        return self.plain()
        yield  # makes this a generator: awaiting ends at once


class _Nothing(Ready):
    """None that can be awaited."""

    def plain(self):
        return None

    def __bool__(self):
        return False

    def __repr__(self):
        return 'None'


class _Text(Ready, str):
    def plain(self):
        return str.__str__(self)


class _List(Ready, list):
    __hash__ = object.__hash__  # asyncio.gather keeps what it waits for in a dict

    def plain(self):
        return list(self)


def _ready(value):
    if value is None:
        return _Nothing()
    if isinstance(value, str):
        return _Text(value)
    return _List(value)


class _Session:
    """This session and those beside it."""

    def __init__(self, ask):
        self._ask = ask

    def reset(self):
        """Ends this session's interpreters when the program is over: variables go, files stay."""
        return _ready(self._ask('session.reset', {}))

    def close(self, name=None):
        """Closes the named session, or this one when the program is over."""
        return _ready(self._ask('session.close', {} if name is None else {'name': str(name)}))

    def list(self):
        """The sessions that are open."""
        return _ready(self._ask('session.list', {}))


class Interruptible:
    """For who has no interrupts to put off."""

    def __enter__(self):
        pass

    def __exit__(self, kind, error, traceback):
        pass


def create(call, uninterrupted=Interruptible()):
    """The module `mcp`. `uninterrupted` is a context manager that puts interrupts off."""

    def ask(method, params):
        with uninterrupted:
            import json
        reply = call(method, json.dumps(params))
        value = json.loads(reply.get('value') or b'null')
        if reply.get('ok') != b'1':
            raise ToolError(value.get('message', 'The host refused the call'), value.get('code', ''))
        return value

    def help():
        """Prints the manual."""
        print(ask('help', {}))
        return _ready(None)

    module = type(sys)('mcp', 'The way out: what a program may ask of the host. mcp.help() prints the manual.')
    module.session = _Session(ask)
    module.help = help
    module.ToolError = ToolError
    return module
