"""`mcp` as programs see it: a global and a module, with what a program may ask of the host.

    mcp.github.create_issue(title='…')      a tool of a server; names are found by the host
    mcp.search('…'), mcp.servers(), …       helpers

The transport is a channel with `call(method, params JSON) -> {'ok': b'1' or b'0', 'value': JSON bytes}`; who owns the
interpreter gives it. Every helper works with and without `await`: it has done its work when it returns, and what it
returns can be awaited all the same.
"""

import sys
from _contextvars import ContextVar

_Module = type(sys)

# The run that started what is running now; tasks and callbacks of an event loop keep it.
run_of_context = ContextVar('sallyport_run', default=None)


class ToolError(Exception):
    """The host refused a call or could not do it. `code` is one word for programs, the message is for people."""

    def __init__(self, message, code='', server=None, tool=None):
        super().__init__(message)
        self.code = code
        self.server = server
        self.tool = tool


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


class _Dict(Ready, dict):
    __hash__ = object.__hash__

    def plain(self):
        return dict(self)


class Page(str):
    """Text that is shown as it is."""

    def __repr__(self):
        return str.__str__(self)


class _ReadyPage(Ready, Page):
    def plain(self):
        return Page(self)


class Hits(list):
    """What was found; printed, it is one line for each, ready to be called."""

    text = ''

    def __repr__(self):
        return self.text

    def __str__(self):
        return self.text


class _ReadyHits(Ready, Hits):
    __hash__ = object.__hash__

    def plain(self):
        hits = Hits(self)
        hits.text = self.text
        return hits


def ready(value):
    for kind, awaitable in ((str, _Text), (list, _List), (dict, _Dict)):
        if isinstance(value, kind):
            return awaitable(value)
    return _Nothing() if value is None else value


def _hits(items, text):
    hits = _ReadyHits(items)
    hits.text = text
    return hits


class Interruptible:
    """For who has no interrupts to put off."""

    def __enter__(self):
        pass

    def __exit__(self, kind, error, traceback):
        pass


class Asker:
    """Questions to the host, and tool calls, which may wait for a long time and for each other."""

    def __init__(self, channel, uninterrupted):
        self._channel = channel
        self._uninterrupted = uninterrupted
        self._courier = None
        self._calls = 0
        # Of `hatch_values`, which comes with the first question.
        self._encode = self._decode = self._loads = None

    def ask(self, method, params):
        if self._encode is None:
            self._prepare()
        return self._read(self._channel.call(method, self._encode(params)))

    def call_tool(self, server, tool, positional, named, timeout=None, raw=False):
        if self._encode is None:
            self._prepare()
        params = {'server': server, 'tool': tool}
        if named:
            params['args'] = named
        if positional:
            params['positional'] = positional
        if raw:
            params['raw'] = True
        if timeout is not None:
            params['timeoutMs'] = timeout * 1000

        def finish(reply):
            return self._decode(self._read(reply, server, tool), lambda uri: self.read(server, uri))

        asyncio = sys.modules.get('asyncio')
        if asyncio is None or asyncio._get_running_loop() is None:
            return finish(self._channel.call('tools.call', self._encode(params)))
        self._calls += 1
        token = params['token'] = 'p%d' % self._calls
        if self._courier is None:
            with self._uninterrupted:
                from .hatch_calls import Courier

                self._courier = Courier(self._channel)
        return self._courier.send(self._encode(params), token, finish)

    def _prepare(self):
        with self._uninterrupted:
            import json

            from . import hatch_values

            self._decode, self._loads = hatch_values.decode, json.loads
            self._encode = hatch_values.encode

    def read(self, server, uri):
        return self.call_tool(server, 'read', [uri], {})

    def value_of(self, wire, server):
        """What the host says of a result, as a value."""
        return self._decode(wire, lambda uri: self.read(server, uri))

    def settle(self):
        """Waits for calls that nobody awaited; the errors of those that failed."""
        return [] if self._courier is None else self._courier.settle()

    def forget(self):
        if self._courier is not None:
            self._courier.forget()

    def _read(self, reply, server=None, tool=None):
        value = self._loads(reply.get('value') or b'null')
        if reply.get('ok') != b'1':
            raise ToolError(value.get('message', 'The host refused the call'), value.get('code', ''), server, tool)
        return value


class Tool:
    """A tool of a server. Calling it calls the server."""

    def __init__(self, asker, server, name):
        self._asker = asker
        self._server = server
        self._name = name

    def __call__(self, /, *positional, **named):
        return self._asker.call_tool(self._server, self._name, positional, named)

    def raw(self, /, *positional, **named):
        """The whole result, as the server sent it; `isError` raises nothing."""
        return self._asker.call_tool(self._server, self._name, positional, named, raw=True)

    def __getattr__(self, name):
        """Tools may have dots in their names."""
        if name.startswith('__'):
            raise AttributeError(name)
        return Tool(self._asker, self._server, self._name + '.' + name)

    def __repr__(self):
        return '<tool %s of mcp server %s>' % (self._name, self._server)

    @property
    def __doc__(self):
        return self._asker.ask('tools.docs', {'name': self._server + '.' + self._name})

    @property
    def __name__(self):
        return self._name


class Server:
    """A server. Its tools are its attributes, and those whose names are no words its items."""

    def __init__(self, asker, name):
        self._asker = asker
        self._name = name

    def __getattr__(self, name):
        if name.startswith('__') or name.startswith('_ipython') or name.startswith('_repr_'):
            raise AttributeError(name)
        return Tool(self._asker, self._name, name)

    def __getitem__(self, name):
        return Tool(self._asker, self._name, str(name))

    def __dir__(self):
        return [tool['alias'] for tool in self._asker.ask('tools.list', {'server': self._name})]

    def __repr__(self):
        return '<mcp server %s>' % self._name

    @property
    def __doc__(self):
        return self._asker.ask('tools.docs', {'name': self._name})


class _Helper:
    """A helper that lets a server of the same name be reached all the same."""

    def __init__(self, function, asker):
        self._function = function
        self._asker = asker
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __call__(self, *positional, **named):
        return self._function(*positional, **named)

    def __getattr__(self, name):
        return getattr(Server(self._asker, self.__name__), name)

    def __getitem__(self, name):
        return Server(self._asker, self.__name__)[name]


class _OwnSession:
    """This session and those beside it."""

    _extra = {'own': True}

    def __init__(self, asker):
        self._asker = asker

    def reset(self, **named):
        """Ends this session's interpreters when the program is over: variables go, files stay."""
        return self._ask('session.reset', {}, named)

    def close(self, name=None, **named):
        """Closes the named session, or this one when the program is over."""
        return self._ask('session.close', {} if name is None else {'name': str(name)}, named)

    def list(self, **named):
        """The sessions that are open."""
        return self._ask('session.list', {}, named)

    def _ask(self, method, params, named):
        if named:
            params['named'] = named
        value = self._asker.ask(method, {**params, **self._extra})
        if isinstance(value, dict) and 'tool' in value:
            return ready(self._asker.value_of(value['tool'], 'session'))
        return ready(value)


class _Session(_OwnSession):
    """The same; a server of that name has its tools here, and the host lets them win."""

    _extra = {}

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return Tool(self._asker, 'session', name)

    def __getitem__(self, name):
        return Tool(self._asker, 'session', str(name))


class _Hatch(_Module):
    """The module. What it has no helper for is a server."""

    def __getattr__(self, name):
        if name.startswith('_') and not name[1:2].isdigit():
            raise AttributeError("module 'mcp' has no attribute %r" % name)
        if name == 'runtime':
            from . import hatch_older

            self.runtime = hatch_older.runtime(self.__dict__['_asker'], self)
            return self.runtime
        return Server(self.__dict__['_asker'], name)

    def __getitem__(self, name):
        return Server(self.__dict__['_asker'], str(name))


class _Servers(_Module):
    """`mcp.servers`: called, the list; and the package of `from mcp.servers.github import create_issue`."""

    def __call__(self):
        """The servers that can be used."""
        found = self.__dict__['_asker'].ask('servers.list', {})
        lines = []
        for server in found:
            count = '' if server['tools'] is None else ' (%d tools)' % server['tools']
            about = server['error'] or server['description']
            lines.append(server['name'] + count + ('  ' + about if about else ''))
        return _hits(found, '\n'.join(lines) or 'No servers are configured.')

    def __getattr__(self, name):
        if name.startswith('_') and not name[1:2].isdigit():
            raise AttributeError(name)
        return Server(self.__dict__['_asker'], name)

    def __getitem__(self, name):
        return Server(self.__dict__['_asker'], str(name))


class _ServerFinder:
    """Imports `mcp.servers.NAME` and `mcp.runtime`."""

    def __init__(self, asker, hatch):
        self._asker = asker
        self._hatch = hatch

    def find_spec(self, name, path=None, target=None):
        if name == 'mcp.runtime' or (name.startswith('mcp.servers.') and name.count('.') == 2):
            return sys.modules['_frozen_importlib'].ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        if spec.name == 'mcp.runtime':
            return self._hatch.runtime
        from . import hatch_older

        return hatch_older.server_module(spec.name, Server(self._asker, spec.name.rpartition('.')[2]), self._asker)

    def exec_module(self, module):
        pass


def create(channel, uninterrupted=Interruptible()):
    """The module `mcp`. `uninterrupted` is a context manager that puts interrupts off."""
    asker = Asker(channel, uninterrupted)
    ask = asker.ask

    def help():
        """Prints the manual."""
        print(ask('help', {}))
        return ready(None)

    def search(query, limit=5, server=None, detail='summary'):
        """Tools that fit the query, best first."""
        params = {'query': str(query), 'limit': limit, 'detail': detail}
        if server is not None:
            params['server'] = _name_of(server)
        found = ask('tools.search', params)
        return _hits(found['hits'], found['text'])

    def docs(name):
        """Everything about a tool ('github.create_issue'), or the tools of a server ('github')."""
        return _ReadyPage(ask('tools.docs', {'name': _name_of(name)}))

    def check(code, language=None):
        """Whether code parses, in any language: {'ok', 'language', 'line', 'column', 'message'}. Nothing of it runs."""
        return ready(ask('check', {'code': str(code), 'language': language}))

    def only(*servers):
        """Narrows this run to the named servers; nothing widens it again."""
        names = servers[0] if len(servers) == 1 and isinstance(servers[0], (list, tuple, set)) else servers
        return ready(ask('only', {'servers': [_name_of(name) for name in names]}))

    def call(server, tool, args=None, timeout=None, raw=False, **named):
        """Calls a tool by the names that its server and it really have."""
        return asker.call_tool(str(server), str(tool), [], {**(args or {}), **named}, timeout, raw)

    module = _Hatch('mcp', 'The way out: what a program may ask of the host. mcp.help() prints the manual.')
    helpers = {function.__name__: _Helper(function, asker) for function in (help, search, docs, check, only, call)}
    helpers['session'] = _Session(asker)
    servers = _Servers('mcp.servers')
    servers._asker = asker
    helpers['servers'] = servers
    own = _Module('mcp.sallyport')
    for place in (module, own):
        place.__dict__.update(helpers, ToolError=ToolError, MCPError=ToolError)
    own.session = _OwnSession(asker)
    module.sallyport = own
    module._asker = asker
    module.__path__ = servers.__path__ = []
    sys.meta_path.append(_ServerFinder(asker, module))
    install(module)
    return module


def install(module):
    """Puts the module and its parts where imports find them; programs may have put others there."""
    sys.modules['mcp'] = module
    sys.modules['mcp.servers'] = module.servers


def offer_older_names(module, text, namespace):
    """Names of an older bridge that the program uses: `runtime`, `mcp_servers`, `mcp_github`."""
    if 'runtime' not in text and 'mcp_' not in text and 'LOADED_MCP_SERVERS' not in text:
        return
    import builtins

    from . import hatch_older

    hatch_older.offer(builtins.__dict__, module._asker, module, text, namespace)


def settle(module):
    """Waits for the calls that the program never awaited; what there is to say about those that failed."""
    text = ''
    for error in module._asker.settle():
        text += 'A call that nobody awaited failed: %s: %s\n' % (type(error).__name__, error)
    return text


def _name_of(thing):
    if isinstance(thing, Tool):
        return thing._server + '.' + thing._name
    return thing._name if isinstance(thing, Server) else str(thing)
