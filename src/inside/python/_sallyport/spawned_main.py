"""A file that stands for `__main__` in a child which `multiprocessing` starts afresh (spawn, forkserver).

Such a child runs the parent's script under another name to get at its functions. A session has no script, so one is
written: the definitions and imports of earlier programs, then the newest program, whose `if __name__ == "__main__":`
keeps its own work from being done again.
"""

import ast
import os

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def write_main(sources):
    """The path of the file, written anew for every program."""
    programs = sources.all()
    name, text = programs[-1]
    path = '%s/sallyport-main-%d-%d.py' % (os.environ.get('TMPDIR') or '/tmp', os.getpid(), hash(text) & 0xFFFFFFFF)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(_main_text(programs[:-1], name, text))
    return path


def _main_text(earlier, name, text):
    definitions = [piece for _, program in earlier for piece in _definitions(program)]
    return (
        'for _ in %s:\n    try:\n        exec(_)\n    except Exception:\n        pass\n'
        'exec(compile(%s, %s, "exec", dont_inherit=True))\n'
    ) % (ascii(definitions), ascii(text), ascii(name))


def _definitions(text):
    try:
        body = ast.parse(text).body
    except SyntaxError:  # a program that never ran
        return []
    return [ast.unparse(statement) for statement in body if isinstance(statement, _DEFINITIONS)]
