"""A file that stands for `__main__` in a child which `multiprocessing` starts afresh (spawn, forkserver).

Such a child runs the parent's script under another name to get at its functions. A session has no script, so one is
written: what earlier programs defined, then the newest program. That one runs as a whole if it guards its own work with
`if __name__ == "__main__":`; otherwise only its definitions do, or every child would do the work again.
"""

import ast
import os
from _thread import get_ident

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def write_main(sources):
    """The path of the file."""
    text = _main_text(sources.all())
    path = '%s/sallyport-main-%d-%d.py' % (os.environ.get('TMPDIR') or '/tmp', os.getpid(), hash(text))
    if not os.path.exists(path):
        # Whole or not at all: another child may be reading it.
        draft = '%s.%d' % (path, get_ident())
        with open(draft, 'w', encoding='utf-8') as file:
            file.write(text)
        os.rename(draft, path)
    return path


def _main_text(programs):
    name, newest = programs[-1]
    is_guarded = '__name__' in newest
    if is_guarded:
        programs = programs[:-1]
    definitions = [piece for _, text in programs for piece in _definitions(text)]
    lines = 'for _ in %s:\n    try:\n        exec(_)\n    except Exception:\n        pass\n' % ascii(definitions)
    if is_guarded:
        lines += 'exec(compile(%s, %s, "exec", dont_inherit=True))\n' % (ascii(newest), ascii(name))
    return lines


def _definitions(text):
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):  # a program that never ran
        return []
    return [
        ast.unparse(statement) for statement in body if isinstance(statement, _DEFINITIONS) or _is_constant(statement)
    ]


def _is_constant(statement):
    """`N = 10`: no other assignment can be repeated without doing something."""
    if not isinstance(statement, ast.Assign):
        return False
    try:
        ast.literal_eval(statement.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # all that literal_eval says no with
        return False
    return True
