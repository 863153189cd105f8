import asyncio
import types
import unittest

from _sallyport.program import Interpreter
from _sallyport.traceback_text import SOURCES_MAX, Sources


class WithoutAnEventLoopOfItsOwn(unittest.TestCase):
    """As in WebAssembly, where a running loop cannot be entered again."""

    def setUp(self):
        self.errors = []
        self.module = types.ModuleType('__main__')
        self.interpreter = Interpreter(self.module, '/nowhere', self.errors.append)

    def run_program(self, text):
        outcome = asyncio.run(self.interpreter.run_async(text, '<run 1>'))
        return outcome.status, outcome.exit, outcome.value

    def test_programs_run_with_and_without_await(self):
        for text, expected in (
            ('x = 1', ('ok', 0, None)),
            ('x + 1', ('ok', 0, '2')),
            ('import asyncio\nawait asyncio.sleep(0, 5)', ('ok', 0, '5')),
            ('async def f():\n    return 7\nf()', ('ok', 0, '7')),
            ('if x:\n    f()\nreturn 8', ('ok', 0, '8')),
            ('raise SystemExit(3)', ('exit', 3, None)),
        ):
            with self.subTest(text):
                self.assertEqual(self.run_program(text), expected)
        self.assertEqual(self.errors, [])

    def test_error_is_told_with_the_programs_lines(self):
        self.assertEqual(self.run_program('x = 1\nraise ValueError("no")'), ('error', 1, None))
        self.assertEqual(
            self.errors,
            [
                'Traceback (most recent call last):\n'
                '  File "<run 1>", line 2, in <module>\n'
                '    raise ValueError("no")\n'
                'ValueError: no\n'
            ],
        )


class KnownSources(unittest.TestCase):
    def test_oldest_are_forgotten(self):
        sources = Sources()
        for number in range(SOURCES_MAX + 5):
            sources.add('<run %d>' % number, 'x = %d' % number)
        self.assertEqual(len(sources.all()), SOURCES_MAX)
        self.assertEqual(sources.line('<run 4>', 1), '')
        self.assertEqual(sources.line('<run 5>', 1), 'x = 5\n')

    def test_a_long_text_pushes_out_the_others_but_stays_itself(self):
        sources = Sources()
        sources.add('<run 1>', 'x')
        sources.add('<run 2>', 'y' * 10_000_000)
        self.assertEqual([name for name, _ in sources.all()], ['<run 2>'])

    def test_lines_are_counted_as_the_compiler_counts(self):
        sources = Sources()
        sources.add('<run 1>', 'a\r\nb = "\x0c\u2028"\rc')
        self.assertEqual(
            [sources.line('<run 1>', number) for number in range(5)], ['', 'a\n', 'b = "\x0c\u2028"\n', 'c\n', '']
        )


if __name__ == '__main__':
    unittest.main()
