"""Program text → code object, with tolerance for the code that models write.

- Uniformly indented text is taken as if it began at the margin; line numbers stay.
- Top-level `await`, `async for`, `async with` make the code a coroutine.
- Top-level `return X` ends the program, and X is its value.
- The value of a last expression is kept; a bare expression that gives a coroutine is awaited.

All of that is done on the syntax tree. The rewritten code reaches this interpreter through one name, `<run>`, which no
program can write by accident and which lives in `builtins`, so that the program's own namespace stays its own:
`<run>.show(value)`, `<run>.settle(value)`, `<run>.Return`, `<run>.leaving(context manager)`.
"""

import _ast as ast  # the C part alone: `ast` itself would load enum, re and more

HOOK = '<run>'
FUTURE_FLAGS = 0x1FE0000
COROUTINE_FLAG = 0x80

_LOAD = ast.Load()
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_WITHS = (ast.With, ast.AsyncWith)
_MAY_BE_COROUTINE = (ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.BoolOp, ast.NamedExpr)


def dedent(text):
    """The text without the margin of its first line of code, and that margin."""
    at = 0
    while at < len(text):
        end = text.find('\n', at)
        line = text[at:] if end < 0 else text[at:end]
        code = line.lstrip(' \t')
        if code.strip() and code[0] != '#':
            margin = line[: len(line) - len(code)]
            break
        if end < 0:
            return text, ''
        at = end + 1
    else:
        return text, ''
    if not margin:
        return text, ''
    size = len(margin)
    return '\n'.join([line[size:] if line.startswith(margin) else line for line in text.split('\n')]), margin


def prepare(text, name, flags=0, async_names=(), always_await=False):
    """Code for `text`, already dedented. It is a coroutine's when its COROUTINE_FLAG is set.

    `flags`: the `from __future__` features of earlier programs. `async_names`: functions known to be coroutine
    functions. `always_await`: awaits bare coroutines inside the program even when it has no `await` of its own,
    for an interpreter that cannot run an event loop from within.
    """
    tree = compile(text, name, 'exec', ast.PyCF_ONLY_AST | flags, True)
    awaits = always_await or (('await' in text or 'async' in text) and _awaits(tree))
    _Rewriter(awaits, async_names).rewrite_module(tree.body, text)
    return compile(tree, name, 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | flags, True)


def lone_expression(text, name, flags=0):
    """Code whose result is the program's value, for a program that is one plain expression; else None.

    Nothing has to be rewritten then, which saves most of the time that `prepare` takes.
    """
    if '\n' in text.rstrip() or '\\' in text or ';' in text or 'await' in text:
        return None
    try:
        return compile(text, name, 'eval', flags, True)
    except SyntaxError:
        return None


def find_problem(text):
    """(line, column, message) of the first error in the syntax, columns counted from 1, or None."""
    import warnings

    code, margin = dedent(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            prepare(code, '<check>')
    except SyntaxError as error:
        return error.lineno or 1, (error.offset or 1) + len(margin), error.msg
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        return 1, 1, str(error) or type(error).__name__
    return None


def names_of_async_functions(text):
    return {piece.partition('(')[0].strip() for piece in text.split('async def ')[1:]}


def _awaits(tree):
    """Whether the module itself awaits, outside of its functions."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)) or getattr(node, 'is_async', 0):
            return True
        if isinstance(node, _SCOPES):
            continue
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
    return False


class _Rewriter:
    def __init__(self, awaits, async_names):
        self._awaits = awaits
        self._async_names = async_names

    def rewrite_module(self, body, text):
        shows_last = bool(body) and type(body[-1]) is ast.Expr and not _ends_with_semicolon(body[-1], text)
        last = body.pop() if shows_last else None
        self._rewrite(body, False)
        if last is not None:
            last.value = self._call('show', last.value)
            body.append(last)

    def _rewrite(self, body, in_loop):
        """Rewrites a block in place; tells whether there is a `return` in it."""
        returns = False
        for index in range(len(body) - 1, -1, -1):
            statement = body[index]
            if type(statement) is ast.Expr:
                if self._may_be_coroutine(statement.value, in_loop):
                    statement.value = self._call('settle', statement.value)
            elif type(statement) is ast.Return:
                body[index : index + 1] = self._return(statement)
                returns = True
            elif not isinstance(statement, _SCOPES):
                returns = self._rewrite_inner(statement, in_loop or isinstance(statement, _LOOPS)) or returns
        return returns

    def _rewrite_inner(self, statement, in_loop):
        returns = False
        for field in ('body', 'orelse', 'finalbody'):
            block = getattr(statement, field, None)
            if block:
                returns = self._rewrite(block, in_loop) or returns
        for part in getattr(statement, 'handlers', None) or getattr(statement, 'cases', None) or ():
            returns = self._rewrite(part.body, in_loop) or returns
        if returns and isinstance(statement, _WITHS):
            for item in statement.items:
                item.context_expr = _hook('leaving', item.context_expr)
        elif returns and type(statement) is ast.Try and statement.handlers:
            statement.handlers.insert(0, _pass_return_on(statement))
        return returns

    def _return(self, statement):
        place = _place(statement)
        leave = ast.Raise(exc=_hook_attribute('Return', place), cause=None, **place)
        if statement.value is None:
            return [leave]
        return [ast.Expr(value=self._call('show', statement.value), **place), leave]

    def _call(self, method, value):
        if not self._awaits:
            return _hook(method, value)
        return ast.Await(value=_hook(method + '_async', value), **_place(value))

    def _may_be_coroutine(self, value, in_loop):
        # The check costs as much as a call, so a loop pays it only for functions known to be async.
        if not in_loop:
            return isinstance(value, _MAY_BE_COROUTINE)
        if type(value) is not ast.Call:
            return False
        function = value.func
        if type(function) is ast.Name:
            return function.id in self._async_names
        if type(function) is not ast.Attribute:
            return False
        return function.attr in self._async_names or getattr(function.value, 'id', '') == 'asyncio'


def _place(node):
    return {
        'lineno': node.lineno,
        'col_offset': node.col_offset,
        'end_lineno': node.end_lineno,
        'end_col_offset': node.end_col_offset,
    }


def _hook_attribute(name, place):
    return ast.Attribute(value=ast.Name(id=HOOK, ctx=_LOAD, **place), attr=name, ctx=_LOAD, **place)


def _hook(method, value):
    place = _place(value)
    return ast.Call(func=_hook_attribute(method, place), args=[value], keywords=[], **place)


def _pass_return_on(statement):
    """A first handler that lets `return` out of `except:` and `except BaseException:`."""
    place = _place(statement)
    again = ast.Raise(exc=None, cause=None, **place)
    return ast.ExceptHandler(type=_hook_attribute('Return', place), name=None, body=[again], **place)


def _ends_with_semicolon(statement, text):
    """As in a notebook, `plot(x);` shows no value."""
    if ';' not in text:
        return False
    lines = text.replace('\r\n', '\n').replace('\r', '\n').split('\n')
    rest = lines[statement.end_lineno - 1].encode('utf-8', 'replace')[statement.end_col_offset :]
    return rest.lstrip().startswith(b';')
