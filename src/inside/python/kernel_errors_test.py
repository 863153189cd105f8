"""What uncaught errors leave."""

import os
import sys
import unittest

from kernel_harness import KernelTest, failed, raised


class Errors(KernelTest):
    def test_frames_of_libraries_are_left_out(self):
        self.check(
            (
                'import json\ndef load(x):\n    return json.loads(x)\nload("{")',
                failed(
                    'json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
                    'Traceback (most recent call last):\n'
                    '  File "<run 1>", line 4, in <module>\n    load("{")\n'
                    '  File "<run 1>", line 3, in load\n    return json.loads(x)\n'
                    'json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\n',
                ),
            )
        )

    def test_functions_of_earlier_runs_and_own_modules_show_their_lines(self):
        with open(os.path.join(self.kernel.workspace, 'own.py'), 'w') as file:
            file.write('def call(f):\n    return f()\n')
        self.check(
            ('import own\ndef bad():\n    raise ValueError("no")', {}),
            (
                'own.call(bad)',
                failed(
                    'ValueError: no',
                    'Traceback (most recent call last):\n'
                    '  File "<run 2>", line 1, in <module>\n    own.call(bad)\n'
                    '  File "%s/own.py", line 2, in call\n    return f()\n'
                    '  File "<run 1>", line 3, in bad\n    raise ValueError("no")\n'
                    'ValueError: no\n' % self.kernel.workspace,
                ),
            ),
        )

    def test_chains(self):
        first = 'Traceback (most recent call last):\n  File "<run %d>", line 2, in <module>\n    1/0\nZeroDivisionError: division by zero\n'
        second = '\nTraceback (most recent call last):\n  File "<run %d>", line 4, in <module>\n    raise ValueError("no")%s\nValueError: no\n'
        self.check(
            (
                'try:\n    1/0\nexcept Exception as e:\n    raise ValueError("no") from e',
                failed(
                    'ValueError: no',
                    first % 1
                    + '\nThe above exception was the direct cause of the following exception:\n'
                    + second % (1, ' from e'),
                ),
            ),
            (
                'try:\n    1/0\nexcept Exception as e:\n    raise ValueError("no")',
                failed(
                    'ValueError: no',
                    first % 2
                    + '\nDuring handling of the above exception, another exception occurred:\n'
                    + second % (2, ''),
                ),
            ),
            (
                'try:\n    1/0\nexcept Exception as e:\n    raise ValueError("no") from None',
                failed('ValueError: no', (second % (3, ' from None'))[1:]),
            ),
        )

    def test_syntax_errors_point_at_their_place(self):
        self.check(
            (
                'x = 1\ny = = 2',
                failed(
                    'SyntaxError: invalid syntax',
                    '  File "<run 1>", line 2\n    y = = 2\nSyntaxError: invalid syntax\n',
                ),
            ),
            (
                'x = 1\nbreak',
                failed(
                    "SyntaxError: 'break' outside loop",
                    '  File "<run 2>", line 2\n    break\nSyntaxError: \'break\' outside loop\n',
                ),
            ),
            (
                'eval("1 +")',
                failed(
                    'SyntaxError: '
                    + ('unexpected EOF while parsing' if sys.version_info < (3, 10) else 'invalid syntax'),
                    'Traceback (most recent call last):\n  File "<run 3>", line 1, in <module>\n    eval("1 +")\n'
                    '  File "<string>", line 1\n    1 +\nSyntaxError: %s\n'
                    % ('unexpected EOF while parsing' if sys.version_info < (3, 10) else 'invalid syntax'),
                ),
            ),
        )

    @unittest.skipIf(sys.version_info < (3, 11), 'this Python has neither groups nor notes')
    def test_groups_and_notes(self):
        self.check(
            (
                'e = ExceptionGroup("two", [ValueError("a"), KeyError("b")])\ne.add_note("look here")\nraise e',
                failed(
                    'ExceptionGroup: two (2 sub-exceptions)',
                    '  + Exception Group Traceback (most recent call last):\n'
                    '  |   File "<run 1>", line 3, in <module>\n'
                    '  |     raise e\n'
                    '  | ExceptionGroup: two (2 sub-exceptions)\n'
                    '  | look here\n'
                    '  +-+---------------- 1 ----------------\n'
                    '    | ValueError: a\n'
                    '    +---------------- 2 ----------------\n'
                    "    | KeyError: 'b'\n"
                    '    +------------------------------------\n',
                ),
            )
        )

    def test_recursion_is_shortened(self):
        answer = self.kernel.run('def f(): return g()\ndef g(): return f()\nf()')
        lines = answer.stderr.splitlines()
        self.assertEqual(answer.error, 'RecursionError: maximum recursion depth exceeded')
        self.assertEqual(lines[-1], answer.error)
        self.assertLess(len(lines), 60)

    def test_out_of_memory_is_told_and_survived(self):
        self.check(
            ('x = 1', {}),
            ('[0] * 10**15', raised(2, 1, '[0] * 10**15', 'MemoryError')),
            ('x', {'value': '1'}),
        )

    def test_memory_that_is_full_to_the_last_byte(self):
        fill = 'while True: x.append("a" * 100 + str(len(x)))'
        self.check(
            ('import resource\nresource.setrlimit(resource.RLIMIT_AS, (120 << 20,) * 2)', {}),
            ('x = []\n' + fill, raised(2, 2, fill, 'MemoryError')),
            ('len(x) > 1000', {'value': 'True'}),
            ('x = None', {}),
            ('x = []\n' + fill, raised(5, 2, fill, 'MemoryError')),
        )

    def test_local_values_of_a_failed_program_are_let_go(self):
        self.check(
            (
                'import weakref\nclass Big: pass\ndef f():\n    global seen\n    big = Big()\n    seen = weakref.ref(big)\n    1/0',
                {},
            ),
            (
                'f()',
                failed(
                    'ZeroDivisionError: division by zero',
                    'Traceback (most recent call last):\n  File "<run 2>", line 1, in <module>\n    f()\n'
                    '  File "<run 1>", line 7, in f\n    1/0\nZeroDivisionError: division by zero\n',
                ),
            ),
            ('seen() is None', {'value': 'True'}),
        )

    def test_broken_errors_are_told_as_well_as_they_can_be(self):
        answer = self.kernel.run('class E(Exception):\n    def __str__(self): raise SystemExit\nraise E')
        self.assertEqual((answer.exit, answer.status, answer.error), (1, 'error', 'E'))
        self.assertTrue(answer.stderr.splitlines()[-1].startswith('E: <'), answer.stderr)
        answer = self.kernel.run('class E(Exception):\n    __module__ = 5\nraise E("x")')
        self.assertEqual((answer.exit, answer.status), (1, 'error'))
        answer = self.kernel.run(
            'class T(type):\n    @property\n    def __qualname__(self): raise ValueError\nclass E(Exception, metaclass=T): pass\nraise E("x")'
        )
        self.assertEqual((answer.exit, answer.status), (1, 'error'))
        self.check(('1', {'value': '1'}))

    def test_programs_excepthook_is_not_asked(self):
        self.check(
            ('import sys\nsys.excepthook = None\n1/0', raised(1, 3, '1/0', 'ZeroDivisionError: division by zero'))
        )

    def test_traceback_is_told_without_free_descriptors(self):
        self.check(
            (
                'import os\nfds = []\nwhile True:\n    fds.append(os.open("/dev/null", 0))',
                raised(
                    1, 4, 'fds.append(os.open("/dev/null", 0))', "OSError: [Errno 24] Too many open files: '/dev/null'"
                ),
            ),
            ('print(1)\n2', {'stdout': '1\n', 'value': '2'}),
        )


if __name__ == '__main__':
    unittest.main()
