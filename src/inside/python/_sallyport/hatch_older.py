"""The ways of an older bridge to the same tools: `runtime`, `mcp_servers`, `mcp_github`, `from mcp.servers.x import y`."""

import sys

from .hatch import Server, ToolError, ready

_Module = type(sys)

# `mcp_github` in a program, unless it is called.
SERVER_PREFIX = 'mcp_'


def server_module(name, server, asker):
    module = _ServerModule(name)
    module._server = server
    module._asker = asker
    return module


class _ServerModule(_Module):
    def __getattr__(self, name):
        if name in ('__all__', 'TOOLS', 'TOOL_MAP'):
            tools = [_trimmed(tool) for tool in self._asker.ask('tools.list', {'server': self._server._name})]
            self.TOOLS = tools
            self.TOOL_MAP = {tool['alias']: tool for tool in tools}
            self.__all__ = [tool['alias'] for tool in tools]
            return self.__dict__[name]
        if name.startswith('__'):
            raise AttributeError(name)
        return getattr(self._server, name)


class Servers(dict):
    """`mcp_servers`: every server under its name, and under whatever name a program asks for."""

    def __init__(self, asker):
        super().__init__()
        self._asker = asker

    def __missing__(self, name):
        return Server(self._asker, str(name))

    def _fill(self):
        for server in self._asker.ask('servers.list', {}):
            self.setdefault(server['name'], Server(self._asker, server['name']))
        return self

    def __iter__(self):
        return dict.__iter__(self._fill())

    def __len__(self):
        return dict.__len__(self._fill())

    def keys(self):
        return dict.keys(self._fill())

    def items(self):
        return dict.items(self._fill())

    def values(self):
        return dict.values(self._fill())

    def __contains__(self, name):
        return dict.__contains__(self._fill(), name)

    def __repr__(self):
        return dict.__repr__(self._fill())


def offer(names, asker, hatch, text, namespace):
    """Puts among `names` what the program uses, unless it has such a variable itself."""
    import re

    names.setdefault('runtime', hatch.runtime)
    if 'mcp_servers' not in names:
        names['mcp_servers'] = Servers(asker)
    for word in re.findall(r'\bmcp_(\w+)(?!\w*\s*\()', text):
        if SERVER_PREFIX + word not in namespace and word != 'servers':
            names.setdefault(SERVER_PREFIX + word, Server(asker, word))
    if 'LOADED_MCP_SERVERS' in text:
        names['LOADED_MCP_SERVERS'] = tuple(server['name'] for server in asker.ask('servers.list', {}))


def runtime(asker, hatch):
    """The module `runtime`."""
    module = _Module('mcp.runtime', 'Helpers under the names that an older bridge gave them.')
    ask = asker.ask

    def servers():
        return ask('servers.list', {})

    def names():
        return tuple(server['name'] for server in servers())

    def metadata(server):
        tools = [_trimmed(tool) for tool in ask('tools.list', {'server': server['name']})]
        return {'name': server['name'], 'alias': server['alias'], 'tools': tools, 'cwd': server['cwd']}

    def discovered_servers(detailed=False):
        if not detailed:
            return _AwaitableTuple(names())
        return _AwaitableTuple({'name': server['name'], 'description': server['description']} for server in servers())

    def list_servers():
        return _AwaitableTuple(names())

    def list_loaded_server_metadata():
        return _AwaitableTuple(metadata(server) for server in servers())

    def describe_server(name):
        for server in servers():
            if name in (server['name'], server['alias']):
                return ready(metadata(server))
        ask('tools.docs', {'name': str(name)})  # raises with the nearest names
        raise ToolError('There is no server %r' % name, 'UPSTREAM_UNKNOWN')

    def list_tools(server):
        return ready(ask('tools.list', {'server': str(server)}))

    def list_tools_sync(server):
        return ready([_trimmed(tool) for tool in ask('tools.list', {'server': str(server)})])

    def query_tool_docs(server, tool=None, detail='summary'):
        found = [_doc(entry, detail) for entry in ask('tools.list', {'server': str(server)})]
        if tool is None:
            return ready(found)
        for entry in found:
            if tool in (entry['tool'], entry['toolAlias']):
                return ready(entry)
        ask('tools.docs', {'name': '%s.%s' % (server, tool)})  # raises with the nearest names
        raise ToolError('Server %r has no tool %r' % (server, tool), 'TOOL_UNKNOWN')

    def query_tool_docs_sync(server, tool=None, detail='summary'):
        found = query_tool_docs(server, tool, detail)
        return ready([found.plain()] if isinstance(found, dict) else found)

    def search_tool_docs(query, *, limit=5, detail='summary'):
        found = ask('tools.search', {'query': str(query), 'limit': max(1, min(20, limit)), 'detail': 'full'})
        return ready([_doc({'name': hit['tool'], **hit}, detail) for hit in found['hits']])

    def call_tool(server, tool, arguments=None, timeout=None):
        return asker.call_tool(str(server), str(tool), [], dict(arguments or {}), timeout)

    def capability_summary():
        return ready(ask('help', {}))

    for function in (
        discovered_servers,
        list_servers,
        list_loaded_server_metadata,
        describe_server,
        list_tools,
        list_tools_sync,
        query_tool_docs,
        query_tool_docs_sync,
        search_tool_docs,
        call_tool,
        capability_summary,
    ):
        setattr(module, function.__name__, function)
    module.list_servers_sync = list_servers
    module.search_tool_docs_sync = search_tool_docs
    module.MCPError = module.ToolError = ToolError
    return module


class _AwaitableTuple(tuple):
    def __await__(self):
        return tuple(self)
        yield  # makes this a generator: awaiting ends at once


def _trimmed(tool):
    return {
        'name': tool['name'],
        'alias': tool['alias'],
        'description': tool.get('description', ''),
        'input_schema': tool.get('inputSchema', {}),
    }


def _alias(name):
    import re

    word = re.sub(r'\W+', '_', name)
    return '_' + word if word[:1].isdigit() else word


def _doc(tool, detail):
    doc = {
        'server': tool['server'],
        'serverAlias': _alias(tool['server']),
        'tool': tool['name'],
        'toolAlias': tool.get('alias', tool['name']),
        'description': tool.get('description', ''),
    }
    if detail == 'full':
        doc['inputSchema'] = tool.get('inputSchema', {})
    return doc
