import asyncio
import builtins
import unittest

from _sallyport import source
from _sallyport.program import Return, _Hook


def run(text, drive=None):
    """(value, names) that a program leaves."""
    hook = _Hook(drive or asyncio.run)
    builtins.__dict__[source.HOOK] = hook
    names = {}
    text, _ = source.dedent(text)
    try:
        result = eval(source.prepare(text, '<test>'), names)
        if result is not None:
            asyncio.run(result)
    except Return:
        pass
    finally:
        del builtins.__dict__[source.HOOK]
    names.pop('__builtins__')
    return hook.value, names


class Value(unittest.TestCase):
    def test_value_of_the_last_expression(self):
        for text, value in (
            ('1 + 1', 2),
            ('x = 3\nx', 3),
            ('x = 3', None),
            ('"only a string"', 'only a string'),
            ('"a doc string"\nx = 1', None),
            ('1; 2', 2),
            ('1;', None),
            ('(1,\n 2)  ;  # shown nowhere', None),
            ('x = "ä;"; x', 'ä;'),
            ('if True:\n    5', None),
            ('', None),
            ('# a comment', None),
            ('[x for x in range(3)]', [0, 1, 2]),
            ('(y := 4)', 4),
            ('lambda: 1;', None),
        ):
            with self.subTest(text):
                self.assertEqual(run(text)[0], value)

    def test_names_are_the_programs_own(self):
        self.assertEqual(run('a = 1\nfor i in [1]:\n    print\na')[1], {'a': 1, 'i': 1})


class TopLevelReturn(unittest.TestCase):
    def test_ends_the_program_with_its_value(self):
        for text, value in (
            ('return 5\nboom', 5),
            ('return', None),
            ('if True:\n    return 1\n2', 1),
            ('if False:\n    return 1\n2', 2),
            ('for i in range(9):\n    while True:\n        return i', 0),
            ('try:\n    return 3\nexcept:\n    boom', 3),
            ('try:\n    1/0\nexcept ZeroDivisionError:\n    return 4\nboom', 4),
            ('try:\n    pass\nexcept BaseException:\n    boom\nelse:\n    return 5', 5),
            ('try:\n    return 6\nfinally:\n    x = 1', 6),
            ('def f():\n    return 1\nreturn f()', 1),
            ('import asyncio\nawait asyncio.sleep(0)\nreturn 7', 7),
            ('async def f():\n    return 8\nreturn f()', 8),
            ('async def f():\n    return 9\nreturn await f()', 9),
        ):
            with self.subTest(text):
                self.assertEqual(run(text)[0], value)

    def test_is_a_normal_end_for_a_context_manager(self):
        manager = (
            'class M:\n'
            '    def __enter__(self): return 1\n'
            '    def __exit__(self, kind, error, traceback): seen.append(kind)\n'
            '    async def __aenter__(self): return 2\n'
            '    async def __aexit__(self, kind, error, traceback): seen.append(kind)\n'
            'seen = []\n'
        )
        self.assertEqual(run(manager + 'with M() as m:\n    return m')[0], 1)
        self.assertEqual(run(manager + 'with M() as m:\n    return m')[1]['seen'], [None])
        value, names = run(manager + 'async with M() as m:\n    return m')
        self.assertEqual((value, names['seen']), (2, [None]))
        value, names = run(manager + 'try:\n    with M():\n        if 0: return\n        1/0\nexcept Exception: pass')
        self.assertEqual(names['seen'], [ZeroDivisionError])


class Awaiting(unittest.TestCase):
    FUNCTION = 'seen = []\nasync def f(x=1):\n    seen.append(x)\n    return x\n'

    def test_coroutine_that_nobody_awaits(self):
        for text, value, seen in (
            ('f()', 1, [1]),
            ('f()\n2', 2, [1]),
            ('if True:\n    f(3)', None, [3]),
            ('with open("/dev/null"):\n    f(4)\nf(5);', None, [4, 5]),
            ('await f(6)\nf(7)', 7, [6, 7]),
            ('await f(8)\nf(9)\n10', 10, [8, 9]),
            ('c = f(11)\nc', 11, [11]),
            ('x = f()\nx.close()', None, []),
        ):
            with self.subTest(text):
                result = run(self.FUNCTION + text)
                self.assertEqual((result[0], result[1]['seen']), (value, seen))

    def test_in_loops_only_functions_known_to_be_async_are_awaited(self):
        def names(text):
            code = source.prepare(text, '<test>', async_names={'f'})
            return [name for name in code.co_names if name in ('settle', 'show')]

        self.assertEqual(names('for i in x:\n    f(i)'), ['settle'])
        self.assertEqual(names('for i in x:\n    o.f(i)'), ['settle'])
        self.assertEqual(names('while x:\n    asyncio.sleep(1)'), ['settle'])
        self.assertEqual(names('for i in x:\n    g(i)'), [])
        self.assertEqual(names('for i in x:\n    l.append(i)'), [])
        self.assertEqual(names('g(1)\nx = 1'), ['settle'])

    def test_is_a_coroutine_only_when_the_program_itself_awaits(self):
        for text, expected in (
            ('async def f():\n    await g()', False),
            ('await g()', True),
            ('x = [await g() for _ in y]', True),
            ('x = [i async for i in y]', True),
            ('async with x: pass', True),
            ('async for i in x: pass', True),
            ('lambda: 1\n"await"', False),
            ('if x:\n    for i in y:\n        z = await g()', True),
            ('f"{await g()}"', True),
        ):
            with self.subTest(text):
                flags = source.prepare(text, '<test>').co_flags
                self.assertEqual(bool(flags & source.COROUTINE_FLAG), expected)

    def test_async_names_are_found_in_text(self):
        text = 'async def a(): pass\nclass B:\n    async def c (self): pass\n'
        self.assertEqual(source.names_of_async_functions(text), {'a', 'c'})


class Indentation(unittest.TestCase):
    def test_margin_of_the_first_line_of_code_goes(self):
        for text, expected, margin in (
            ('x = 1', 'x = 1', ''),
            ('    x = 1\n    y = 2\n', 'x = 1\ny = 2\n', '    '),
            ('\n\n  if x:\n    y\n\n  z', '\n\nif x:\n  y\n\nz', '  '),
            ('# note\n    x = 1\n    y = 2', '# note\nx = 1\ny = 2', '    '),
            ('\tx = """\n\ta\n\t"""', 'x = """\na\n"""', '\t'),
            ('', '', ''),
            ('   \n  # only\n', '   \n  # only\n', ''),
            ('  x = 1\r\n  y = 2\r\n', 'x = 1\r\ny = 2\r\n', '  '),
        ):
            with self.subTest(text):
                self.assertEqual(source.dedent(text), (expected, margin))


class LoneExpression(unittest.TestCase):
    def test_is_found_and_gives_the_value(self):
        for text, value in (('1 + 1', 2), ('len("ab")\n', 2), ('(3)  # three', 3), ('lambda: 0 or 1', None)):
            with self.subTest(text):
                code = source.lone_expression(text, '<test>')
                self.assertIsNotNone(code)
                if value is not None:
                    self.assertEqual(eval(code), value)

    def test_everything_else_is_left_to_prepare(self):
        for text in ('', 'x = 1', 'x += 1', 'import os', 'f();', '1\n2', 'await f()', 'x = = 1', '"\\d"', 'return 1'):
            with self.subTest(text):
                self.assertIsNone(source.lone_expression(text, '<test>'))


class Problem(unittest.TestCase):
    def test_first_error_with_its_place(self):
        for text, expected in (
            ('x = 1', None),
            ('await x\nreturn 5', None),
            ('    x = 1\n    y = 2', None),
            ('x = 1\nbreak', (2, 1, "'break' outside loop")),
            ('x = 1\n    nonlocal y', (2, 4, 'unexpected indent')),
        ):
            with self.subTest(text):
                self.assertEqual(source.find_problem(text), expected)

    def test_column_counts_the_margin(self):
        line, column, _ = source.find_problem('    x = 1\n    y = = 2')
        self.assertEqual((line, column), (2, 9))

    def test_odd_text_is_a_problem_and_no_crash(self):
        for text in ('x\0', '(' * 5000, '-' * 200_000 + '1'):
            with self.subTest(text[:5]):
                self.assertIsNotNone(source.find_problem(text))

    def test_warnings_stay_silent(self):
        import contextlib
        import io

        with contextlib.redirect_stderr(io.StringIO()) as stderr:
            self.assertIsNone(source.find_problem('x = 1 is 1\n"\\d"'))
        self.assertEqual(stderr.getvalue(), '')


if __name__ == '__main__':
    unittest.main()
