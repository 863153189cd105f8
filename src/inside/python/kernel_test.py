"""Whole programs through a real kernel process: what a host would get from each."""

import os
import signal
import subprocess
import sys
import unittest

from kernel_harness import Kernel


def failed(error, stderr, **more):
    return {'stderr': stderr, 'exit': 1, 'status': 'error', 'error': error, **more}


def raised(run, line, code, error, **more):
    """What an error in the program's first level leaves."""
    text = 'Traceback (most recent call last):\n  File "<run %d>", line %d, in <module>\n    %s\n%s\n'
    return failed(error, text % (run, line, code, error), **more)


class KernelTest(unittest.TestCase):
    def setUp(self):
        self.kernel = Kernel()
        self.addCleanup(self.kernel.close)

    def check(self, *steps):
        """Runs programs in one session; each step is (code, facts) or (code, facts, options of the run)."""
        for code, facts, *options in steps:
            with self.subTest(code):
                self.assertEqual(self.kernel.run(code, **(options[0] if options else {})).facts(), facts)


class State(KernelTest):
    def test_names_imports_and_directory_stay(self):
        self.check(
            ('import os\nx = 40\ndef f(y): return x + y', {}),
            ('f(2)', {'value': '42'}),
            ('os.mkdir("sub"); os.chdir("sub")', {}),
            ('os.path.basename(os.getcwd())', {'value': "'sub'"}),
            ('x', {'value': '40'}),
        )

    def test_namespace_is_that_of_main(self):
        self.check(
            ('class A:\n    n = 5\n    def __eq__(self, o): return type(o) is A', {}),
            ('import pickle\npickle.loads(pickle.dumps(A())) == A()', {'value': 'True'}),
            ('if __name__ == "__main__":\n    print("main")', {'stdout': 'main\n'}),
            ('import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int = 1\nP()', {'value': 'P(x=1)'}),
            ('import __main__\n__main__.P is P', {'value': 'True'}),
            ('import os.path\nos.path.basename(__file__)', {'value': "'main.py'"}),
        )
        names = self.kernel.run('sorted(n for n in globals() if not n.startswith("__"))').value
        self.assertEqual(names, "['A', 'P', 'dataclasses', 'os', 'pickle']")

    def test_arguments_are_those_of_the_run(self):
        self.check(
            ('import sys\nsys.argv', {'value': "['main.py', 'a', 'b c', '']"}, {'args': ['a', 'b c', '']}),
            ('sys.argv', {'value': "['main.py']"}),
        )

    def test_modules_of_the_workspace_can_be_imported_as_soon_as_they_are_written(self):
        self.check(
            ('import sys, os\nsys.path[0] == os.getcwd()', {'value': 'True'}),
            ('try:\n    import helper\nexcept ImportError:\n    open("helper.py", "w").write("x = 5");', {}),
            ('import helper\nhelper.x', {'value': '5'}),
        )

    def test_the_kernels_own_modules_hide_nothing(self):
        for name in ('frames', 'display', 'program', 'process', 'source', 'kernel', 'channel'):
            with open(os.path.join(self.kernel.workspace, name + '.py'), 'w') as file:
                file.write('x = 1')
        self.check(('import frames, display as d, program, process, source, kernel, channel\nd.x', {'value': '1'}))

    def test_future_features_stay(self):
        self.check(
            ('from __future__ import annotations', {}),
            ('def f(x: unknown): pass\nf.__annotations__', {'value': "{'x': 'unknown'}"}),
        )

    def test_last_value_is_underscore(self):
        self.check(
            ('_', raised(1, 1, '_', "NameError: name '_' is not defined")),
            ('21 * 2', {'value': '42'}),
            ('None', {}),
            ('_ + 1', {'value': '43'}),
        )

    def test_same_warning_is_told_again_in_the_next_run(self):
        code = 'import warnings\nwarnings.warn("careful")\nx = 1'
        text = '<run %d>:2: UserWarning: careful\n  warnings.warn("careful")\n'
        self.check((code, {'stderr': text % 1}), (code, {'stderr': text % 2}))

    def test_source_of_functions_can_be_read(self):
        self.check(
            ('def f():\n    return 1', {}),
            ('import inspect\ninspect.getsource(f)', {'value': repr('def f():\n    return 1\n')}),
        )


class Value(KernelTest):
    def test_is_shown_after_the_output(self):
        self.check(
            ('print("a")\n"b"', {'stdout': 'a\n', 'value': "'b'"}),
            ('print("a", end="")\n3', {'stdout': 'a', 'value': '3'}),
            ('"\\ud800é"', {'value': repr('\ud800é')}),
            ('class S(str):\n    def __repr__(self): return S("\\ud800")\nS()', {'value': '\\ud800'}),
        )

    def test_may_be_large(self):
        answer = self.kernel.run('"x" * 30_000_000')
        self.assertEqual((len(answer.value), answer.value[:3], answer.value[-3:]), (30_000_002, "'xx", "xx'"))

    def test_repr_that_raises_is_the_programs_error(self):
        self.check(
            (
                'class A:\n    def __repr__(self):\n        print("in repr")\n        raise ValueError("no")\nA()',
                failed(
                    'ValueError: no',
                    'Traceback (most recent call last):\n'
                    '  File "<run 1>", line 4, in __repr__\n'
                    '    raise ValueError("no")\n'
                    'ValueError: no\n',
                    stdout='in repr\n',
                ),
            )
        )


class Tolerance(KernelTest):
    def test_indented_programs_keep_their_line_numbers(self):
        self.check(
            ('\n    x = 1\n    if x:\n        print(x)\n', {'stdout': '1\n'}),
            ('\n\n    x = 1\n    1/0\n', raised(2, 4, '1/0', 'ZeroDivisionError: division by zero')),
        )

    def test_top_level_await_and_forgotten_await(self):
        self.check(
            ('import asyncio\nasync def f(x=1):\n    await asyncio.sleep(0)\n    return x', {}),
            ('await f()', {'value': '1'}),
            ('f(2)', {'value': '2'}),
            ('f(3);', {}),
            ('async def p(x):\n    print(x)\np(1)\nfor i in (2, 3):\n    p(i)\nif True:\n    p(4)', {'stdout': '1\n2\n3\n4\n'}),
            ('await asyncio.gather(f(4), f(5))', {'value': '[4, 5]'}),
            ('async with asyncio.Lock():\n    x = [y async for y in (f(6) for _ in ())]\nx', failed(
                "TypeError: 'async for' requires an object with __aiter__ method, got generator",
                'Traceback (most recent call last):\n  File "<run 7>", line 2, in <module>\n'
                '    x = [y async for y in (f(6) for _ in ())]\n'
                "TypeError: 'async for' requires an object with __aiter__ method, got generator\n",
            )),
        )

    def test_event_loop_is_one_for_the_session(self):
        self.check(
            ('import asyncio\nq = asyncio.Queue()\nasync def put():\n    await q.put(5)', {}),
            ('t = asyncio.ensure_future(put())\nawait asyncio.sleep(0)\nloop = asyncio.get_running_loop()', {}),
            ('await q.get()', {'value': '5'}),
            ('asyncio.get_running_loop() is loop, await asyncio.sleep(0)', {'value': '(True, None)'}),
            ('loop.close()', {}),
            ('await asyncio.sleep(0, "a new one")', {'value': "'a new one'"}),
        )

    def test_asyncio_run_works_with_and_without_a_top_level_await(self):
        self.check(
            ('import asyncio\nasync def f(): return await asyncio.sleep(0, 7)\nasyncio.run(f())', {'value': '7'}),
            ('await f()\nx = asyncio.run(f())\nprint(x)\nawait f()', {'stdout': '7\n', 'value': '7'}),
            ('async def g():\n    return asyncio.run(f())\ng()', {'value': '7'}),
        )

    def test_awaitable_as_last_value(self):
        self.check(
            ('class A:\n    def __await__(self):\n        return 5\n        yield\nA()', {'value': '5'}),
            ('import asyncio\nawait asyncio.sleep(0)\nasyncio.ensure_future(asyncio.sleep(0, 6))', {'value': '6'}),
            ('loop = asyncio.new_event_loop()\nloop.create_task(asyncio.sleep(0, 7))', {'value': '7'}),
        )

    def test_top_level_return(self):
        self.check(
            ('for i in range(5):\n    if i == 3:\n        return i * 2\nprint("never")', {'value': '6'}),
            ('return', {}),
        )

    def test_byte_order_mark_and_line_ends(self):
        self.check(
            ('\ufeffprint(1)', {'stdout': '1\n'}),
            ('x = 1\r\nif x:\r\n    print("""a\r\nb""")\r\n', {'stdout': 'a\nb\n'}),
        )


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
                failed('SyntaxError: invalid syntax', '  File "<run 1>", line 2\n    y = = 2\nSyntaxError: invalid syntax\n'),
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
                    'SyntaxError: ' + ('unexpected EOF while parsing' if sys.version_info < (3, 10) else 'invalid syntax'),
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
            ('import weakref\nclass Big: pass\ndef f():\n    global seen\n    big = Big()\n    seen = weakref.ref(big)\n    1/0', {}),
            ('f()', failed(
                'ZeroDivisionError: division by zero',
                'Traceback (most recent call last):\n  File "<run 2>", line 1, in <module>\n    f()\n'
                '  File "<run 1>", line 7, in f\n    1/0\nZeroDivisionError: division by zero\n',
            )),
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
                raised(1, 4, 'fds.append(os.open("/dev/null", 0))', "OSError: [Errno 24] Too many open files: '/dev/null'"),
            ),
            ('print(1)\n2', {'stdout': '1\n', 'value': '2'}),
        )


class Exits(KernelTest):
    def test_exit_ends_the_run_and_keeps_the_state(self):
        def left(code, **more):
            return {'exit': code, 'status': 'exit', **more} if code else {'status': 'exit', **more}

        self.check(
            ('import sys\nx = 5\nsys.exit(3)', left(3)),
            ('print(x)\nsys.exit()', left(0, stdout='5\n')),
            ('sys.exit("gone wrong")', left(1, stderr='gone wrong\n')),
            ('exit(4)', left(4)),
            ('quit()', left(0)),
            ('raise SystemExit(256 + 7)', left(7)),
            ('sys.exit(-1)', left(255)),
            ('sys.exit(True)', left(1)),
            ('import asyncio\nawait asyncio.sleep(0)\nsys.exit(6)', left(6)),
            ('class C:\n    def __str__(self): raise ValueError("no")\nsys.exit(C())', left(1, stderr='ValueError: no\n')),
            ('x', {'value': '5'}),
        )

    def test_exit_of_a_thread_is_that_threads_alone(self):
        self.check(
            ('import threading, sys\nt = threading.Thread(target=sys.exit, args=(3,))\nt.start()\nt.join()\n5', {'value': '5'})
        )


class Input(KernelTest):
    def test_standard_input_is_that_of_the_run(self):
        self.check(
            ('input("name? ")', {'stdout': 'name? ', 'value': "'Ada'"}, {'stdin': 'Ada\nrest'}),
            ('import sys\nsys.stdin.read()', {'value': "''"}),
            ('sys.stdin.buffer.read()', {'value': r"b'\x00\xff'"}, {'stdin': b'\0\xff'}),
            ('import subprocess\nsubprocess.run(["cat"])', {'stdout': 'for the child', 'value': "CompletedProcess(args=['cat'], returncode=0)"}, {'stdin': 'for the child'}),
            ('len(sys.stdin.read())', {'value': '5000000'}, {'stdin': 'x' * 5_000_000}),
            ('sys.stdin.close()', {}),
            ('sys.stdin = None', {}),
            ('[line for line in sys.stdin]', {'value': r"['a\n', 'b']"}, {'stdin': 'a\nb'}),
        )

    def test_reading_past_the_end_is_a_clear_error(self):
        end = 'Traceback (most recent call last):\n  File "<run %d>", line %d, in <module>\n    input()\nEOFError: EOF when reading a line\n'
        self.check(
            ('input()', failed(
                'EOFError: EOF when reading a line',
                end % (1, 1) + 'The program has no input. Send what it should read as `stdin`.\n',
            )),
            ('input()\ninput()', failed(
                'EOFError: EOF when reading a line',
                end % (2, 2) + 'The program read past its input. Send what it should read as `stdin`.\n',
            ), {'stdin': 'one line'}),
        )


class Output(KernelTest):
    def test_all_writers_come_in_order(self):
        self.check(
            (
                'import os, sys, subprocess\n'
                'print("a", end="")\n'
                'os.write(1, b"b")\n'
                'sys.stdout.write("c")\n'
                'subprocess.run(["printf", "d"])\n'
                'sys.stdout.buffer.write(b"e")\n'
                'os.system("printf f")\n'
                'print("g")',
                {'stdout': 'abcdefg\n'},
            )
        )

    def test_output_of_c_code_is_flushed(self):
        self.check(('import ctypes\nctypes.CDLL(None).printf(b"from C\\n");', {'stdout': 'from C\n'}))

    def test_odd_characters(self):
        self.check(
            ('print("\\ud800 \\udcff é \\x00")', {'stdout': '\\ud800 \\udcff é \0\n'}),
            ('import sys\nsys.stderr.write("\\ud800\\n");', {'stderr': '\\ud800\n'}),
        )

    def test_print_is_as_it_should_be(self):
        self.check(
            ('print()', {'stdout': '\n'}),
            ('print(1, "a", None, sep="-", end="!")', {'stdout': '1-a-None!'}),
            ('print(1, 2, sep=None, end=None)', {'stdout': '1 2\n'}),
            ('import sys\nprint("x", file=sys.stderr, flush=True)', {'stderr': 'x\n'}),
            ('import io\ns = io.StringIO()\nprint("x", file=s)\ns.getvalue()', {'value': r"'x\n'"}),
            ('import contextlib\nwith contextlib.redirect_stdout(s): print("y")\ns.getvalue()', {'value': r"'x\ny\n'"}),
            ('print(1, sep=5)', raised(7, 1, 'print(1, sep=5)', 'TypeError: sep must be None or a string, not int')),
            ('import pickle\npickle.loads(pickle.dumps(print)) is print', {'value': 'True'}),
        )

    def test_lines_of_threads_stay_whole(self):
        answer = self.kernel.run(
            'import threading\n'
            'def work(n):\n    for i in range(300): print("thread", n, "line", i)\n'
            'threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]\n'
            'for t in threads: t.start()\n'
            'for t in threads: t.join()\n'
        )
        expected = sorted('thread %d line %d' % (n, i) for n in range(4) for i in range(300))
        self.assertEqual(sorted(answer.stdout.splitlines()), expected)

    def test_a_flood_arrives_in_full(self):
        answer = self.kernel.run('import sys\nfor i in range(2000): sys.stdout.write("x" * 9999 + "\\n")\n5')
        self.assertEqual((len(answer.stdout), answer.value), (20_000_000, '5'))

    def test_a_pipe_that_a_child_made_non_blocking(self):
        answer = self.kernel.run('import os\nos.set_blocking(1, False)\nprint("x" * 3_000_000)\nos.set_blocking(1, False)\n"y" * 3_000_000')
        self.assertEqual((len(answer.stdout), len(answer.value)), (3_000_001, 3_000_002))

    def test_code_that_reopens_standard_output(self):
        self.check(
            ('import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")\nprint("é")', {'stdout': 'é\n', 'notes': ['sys.stdout was replaced; restored']}),
            ('sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8")\nprint("é")', {'stdout': 'é\n', 'notes': ['sys.stdout was replaced; restored']}),
            ('sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)\nprint("é")', {'stdout': 'é\n'}),
            ('print("\\ud800")\nsys.stdout.fileno(), sys.stdout.encoding, sys.stdout.name, sys.stdout.isatty()', {'stdout': '\\ud800\n', 'value': "(1, 'utf-8', '<stdout>', False)"}),
        )


class Repair(KernelTest):
    def test_builtins_are_put_back(self):
        self.check(
            ('print = None', {'notes': ['print was replaced; restored']}),
            ('print("a")', {'stdout': 'a\n'}),
            ('def print(*a): pass\nprint("silent")', {'notes': ['print was replaced; restored']}),
            ('import builtins\nbuiltins.print = lambda *a: None\ndel builtins.len\nbuiltins.extra = 1', {'notes': ['len, print were replaced; restored']}),
            ('print(len("ab"), extra)', {'stdout': '2 1\n'}),
            ('__builtins__ = {}', {}),
            ('print(1)', {'stdout': '1\n'}),
        )

    def test_even_when_all_of_them_are_gone(self):
        answer = self.kernel.run('import builtins\nx = builtins.__dict__.clear()\ny = 1/0')
        self.assertEqual((answer.status, answer.error), ('error', 'ZeroDivisionError: division by zero'))
        self.assertRegex(answer.notes[0], r'^(\w+, ){5}\d+ more were replaced; restored$')
        self.check(('print(1)\nmin(2, 3)', {'stdout': '1\n', 'value': '2'}))

    def test_names_that_belong_to_the_program_stay(self):
        with open(os.path.join(self.kernel.workspace, 'rich.py'), 'w') as file:
            file.write('def print(x): __builtins__["print"]("rich", x)')
        self.check(
            ('from rich import print\nprint(1)', {'stdout': 'rich 1\n'}),
            ('print(2)', {'stdout': 'rich 2\n'}),
            ('input = "data"; list = [1]; display = 3', {}),
            ('input, list, display', {'value': "('data', [1], 3)"}),
        )

    def test_streams_are_put_back(self):
        self.check(
            ('import sys, io\nsys.stdout = io.StringIO()\nprint("lost")', {'notes': ['sys.stdout was replaced; restored']}),
            ('print("a")', {'stdout': 'a\n'}),
            ('sys.stderr = None', {'notes': ['sys.stderr was replaced; restored']}),
            ('sys.stderr.write("b\\n");', {'stderr': 'b\n'}),
            ('sys.stdout.close()\nprint("c")', {'stdout': 'c\n'}),
            ('del sys.stdout', {'notes': ['sys.stdout was replaced; restored']}),
            ('print("d")', {'stdout': 'd\n'}),
        )

    def test_descriptors_are_put_back(self):
        self.check(
            ('import os\nos.close(0); os.close(1); os.close(2)', {}),
            ('print("a"); input()', {'stdout': 'a\n', 'value': "'b'"}, {'stdin': 'b'}),
            ('os.dup2(os.open("file", os.O_CREAT | os.O_WRONLY), 1);\nprint("to the file")', {}),
            ('print(open("file").read())', {'stdout': 'to the file\n\n'}),
            ('os.close(1)\nprint("nowhere")', raised(5, 2, 'print("nowhere")', 'OSError: [Errno 9] Bad file descriptor')),
        )

    def test_closing_every_descriptor_ends_the_process_at_once(self):
        for code in ('import os\nos.closerange(3, 5000)', 'import os\nos.closerange(0, 5000)\n1/0'):
            with Kernel() as kernel, self.assertRaisesRegex(EOFError, 'ended with 71'):
                kernel.run(code)


class Interrupts(KernelTest):
    def interrupted(self, code, line, stdout='started\n', extra=''):
        answer = self.kernel.run(code, when_started=self.kernel.interrupt)
        frame = '  File "<run %d>", line %d, in <module>\n    %s\n' % (
            self.kernel.runs, line, code.split('\n')[line - 1].strip(),
        )
        self.assertEqual(
            answer.facts(),
            {
                'stdout': stdout,
                'stderr': 'Traceback (most recent call last):\n' + frame + extra + 'KeyboardInterrupt\n',
                'exit': 130,
                'status': 'interrupted',
                'error': 'KeyboardInterrupt',
            },
        )

    def test_interrupt_ends_the_run_and_keeps_the_state(self):
        self.check(('import time, asyncio, subprocess, signal\nx = 5', {}))
        self.interrupted('print("started")\nwhile True: pass', 2)
        self.interrupted('print("started")\ntime.sleep(30)', 2)
        self.interrupted('print("started")\nsubprocess.run(["sleep", "30"])', 2)
        self.interrupted('print("started")\nawait asyncio.sleep(30)', 2)
        self.interrupted('print("started")\nawait asyncio.sleep(0)\nwhile True: pass', 3)
        self.interrupted(
            'print("started")\ntry:\n    await asyncio.sleep(30)\nfinally:\n    print("tidy")', 3, 'started\ntidy\n'
        )
        self.interrupted(
            'async def f():\n    print("started")\n    await asyncio.sleep(30)\nf()',
            4,
            extra='  File "<run 8>", line 3, in f\n    await asyncio.sleep(30)\n',
        )
        self.check(('x', {'value': '5'}))

    def test_asyncio_run_is_interrupted(self):
        for prefix in ('', 'await asyncio.sleep(0)\n'):
            answer = self.kernel.run(
                'import asyncio\n' + prefix + 'async def f():\n'
                '    try:\n        print("started")\n        await asyncio.sleep(30)\n    finally:\n        print("tidy")\n'
                'asyncio.run(f())',
                when_started=self.kernel.interrupt,
            )
            self.assertEqual((answer.stdout, answer.exit, answer.status), ('started\ntidy\n', 130, 'interrupted'))
        self.check(('await asyncio.sleep(0, 1)', {'value': '1'}))

    def test_interrupt_can_be_caught(self):
        answer = self.kernel.run(
            'try:\n    print("started")\n    while True: pass\nexcept KeyboardInterrupt:\n    print("caught")\n7',
            when_started=self.kernel.interrupt,
        )
        self.assertEqual(answer.facts(), {'stdout': 'started\ncaught\n', 'value': '7'})

    def test_interrupts_between_runs_do_nothing(self):
        for _ in range(50):
            self.kernel.interrupt()
            self.assertEqual(self.kernel.run('sum(range(100))').facts(), {'value': '4950'})

    def test_interrupts_at_any_moment_never_kill_the_kernel(self):
        import threading
        import time

        stop = threading.Event()

        def annoy():
            while not stop.is_set():
                self.kernel.interrupt()
                time.sleep(0.0007)

        thread = threading.Thread(target=annoy)
        thread.start()
        try:
            ends = {self.kernel.run('x = [i for i in range(2000)]\nprint(len(x))').error for _ in range(300)}
        finally:
            stop.set()
            thread.join()
        self.assertLessEqual(ends, {None, 'KeyboardInterrupt'})
        self.check(('print("fine")', {'stdout': 'fine\n'}))

    def test_handler_of_the_program_lasts_for_its_run_only(self):
        answer = self.kernel.run(
            'import signal, time\nsignal.signal(signal.SIGINT, lambda *a: print("mine"))\nprint("started")\ntime.sleep(0.2)\n1',
            when_started=self.kernel.interrupt,
        )
        self.assertEqual(answer.facts(), {'stdout': 'started\nmine\n', 'value': '1'})
        self.interrupted('print("started")\ntime.sleep(30)', 2)
        self.check(('signal.signal(signal.SIGINT, signal.SIG_IGN);', {}))
        self.interrupted('print("started")\ntime.sleep(30)', 2)

    def test_error_text_that_never_ends_can_be_interrupted(self):
        answer = self.kernel.run(
            'class E(Exception):\n    def __str__(self):\n        print("started")\n        while True: pass\nraise E',
            when_started=self.kernel.interrupt,
        )
        self.assertEqual((answer.exit, answer.status), (130, 'interrupted'))

    def test_children_do_not_inherit_that_interrupts_are_ignored(self):
        code = 'import subprocess, sys\nsubprocess.run([sys.executable, "-c", "import signal; print(signal.getsignal(2))"]);'
        self.assertEqual(self.kernel.run(code).stdout, '<built-in function default_int_handler>\n')


class Processes(KernelTest):
    def test_forked_child_that_runs_to_the_end_is_over(self):
        fork = 'import os, sys\npid = os.fork()\nif pid == 0:\n    %s\nelse:\n    code = os.waitpid(pid, 0)[1] >> 8\n    print("parent", code)\n'
        self.check(
            (fork % 'print("child")', {'stdout': 'child\nparent 0\n'}),
            (fork % 'sys.exit(7)', {'stdout': 'parent 7\n'}),
            (fork % 'sys.exit("bye")', {'stdout': 'parent 1\n', 'stderr': 'bye\n'}),
            (fork % '1/0', {
                'stdout': 'parent 1\n',
                'stderr': 'Traceback (most recent call last):\n  File "<run 4>", line 4, in <module>\n    1/0\n'
                'ZeroDivisionError: division by zero\n',
            }),
            (fork % 'os._exit(3)', {'stdout': 'parent 3\n'}),
            (fork % 'try:\n        mcp.session.list()\n    except mcp.ToolError as e:\n        print(e.code)', {
                'stdout': 'CHILD_PROCESS\nparent 0\n',
            }),
        )

    def test_forked_child_does_not_hold_the_channel(self):
        self.check(('import os, time\nif os.fork() == 0:\n    os.close(1); os.close(2)\n    time.sleep(20)', {}))
        self.kernel.process.kill()
        with self.assertRaises((EOFError, ConnectionError)):
            self.kernel.run('1')

    def test_multiprocessing(self):
        for method in ('fork', 'spawn', 'forkserver'):
            self.check(
                ('def double(x):\n    return x * 2\nimport multiprocessing as mp', {}),
                (
                    'class Box:\n    def __init__(self, x): self.x = x\n'
                    'def pack(x):\n    return Box(double(x))\n'
                    'if __name__ == "__main__":\n'
                    '    with mp.get_context("%s").Pool(2) as pool:\n'
                    '        print([b.x for b in pool.map(pack, range(4))])' % method,
                    {'stdout': '[0, 2, 4, 6]\n'},
                ),
            )

    def test_processes_that_start_afresh_do_not_repeat_the_work_of_a_program_without_a_guard(self):
        self.check(
            ('FACTOR = 3\nopen("log", "w").close()', {}),
            (
                'import multiprocessing as mp\n'
                'print(open("log").read(), end="")\nopen("log", "a").write("done\\n")\n'
                'def triple(x): return x * FACTOR\n'
                'with mp.get_context("spawn").Pool(1) as pool:\n    print(pool.map(triple, [1, 2]))\n',
                {'stdout': '[3, 6]\n'},
            ),
            ('open("log").read()', {'value': repr('done\n')}),
        )

    def test_pool_forks_by_default_and_so_knows_the_session(self):
        self.check(
            ('import multiprocessing as mp\nstate = {"a": object()}\ndef ask(x): return x in state', {}),
            ('with mp.Pool(1) as pool:\n    print(pool.map(ask, "ab"))', {'stdout': '[True, False]\n'}),
        )
        with Kernel() as kernel:
            answer = kernel.run('import multiprocessing as mp\nmp.set_start_method("spawn")\nmp.get_start_method()')
            self.assertEqual(answer.facts(), {'value': "'spawn'"})

    def test_process_pool(self):
        self.check(
            (
                'from concurrent.futures import ProcessPoolExecutor\n'
                'with ProcessPoolExecutor(2) as pool:\n    print(list(pool.map(abs, [-1, 2])))',
                {'stdout': '[1, 2]\n'},
            )
        )

    def test_children_inherit_nothing_of_ours(self):
        self.check(
            (
                'import subprocess, sys\n'
                'subprocess.run([sys.executable, "-c", "import os; print(sorted(os.listdir(\'/proc/self/fd\')), [k for k in os.environ if \'SALLY\' in k])"], close_fds=False);',
                {'stdout': "['0', '1', '2', '3'] []\n"},
            )
        )

    def test_threads_left_behind_go_on(self):
        self.check(
            ('import threading, queue\nq = queue.Queue()\nout = []\ndef work():\n    out.append(q.get() + 1)\nt = threading.Thread(target=work)\nt.start()', {}),
            ('q.put(4)\nt.join()\nout', {'value': '[5]'}),
        )

    def test_error_of_a_thread_shows_the_programs_frames(self):
        self.check(
            (
                'import threading\ndef bad():\n    raise ValueError("no")\nt = threading.Thread(target=bad, name="T")\nt.start()\nt.join()',
                {
                    'stderr': 'Exception in thread T:\nTraceback (most recent call last):\n'
                    '  File "<run 1>", line 3, in bad\n    raise ValueError("no")\nValueError: no\n'
                },
            )
        )

    def test_atexit_functions_wait_for_the_end(self):
        self.check(('import atexit\natexit.register(print, "bye");', {}), ('1', {'value': '1'}))


class Hatch(KernelTest):
    def test_helpers_work_with_and_without_await(self):
        self.kernel.on_call = lambda method, params: ('1', '"The manual"' if method == 'help' else '[{"name": "a"}]')
        self.check(
            ('mcp.session.list()', {'value': "[{'name': 'a'}]"}),
            ('x = mcp.session.list()\nprint(x[0]["name"])', {'stdout': 'a\n'}),
            ('x = await mcp.session.list()\ntype(x)', {'value': "<class 'list'>"}),
            ('mcp.help()', {'stdout': 'The manual\n'}),
            ('await mcp.help()', {'stdout': 'The manual\n'}),
            ('import mcp as m\nm.session.reset()', {}),
            ('from mcp import session\nawait session.close("other")\nsession.close()', {}),
            ('import asyncio\nawait asyncio.gather(mcp.session.list(), mcp.session.list())', {'value': "[[{'name': 'a'}], [{'name': 'a'}]]"}),
        )
        self.assertEqual(
            [(call['method'], call['params']) for call in self.kernel.calls[-5:-2]],
            [('session.reset', '{}'), ('session.close', '{"name": "other"}'), ('session.close', '{}')],
        )

    def test_refusal_is_an_error_that_can_be_caught(self):
        self.kernel.on_call = lambda method, params: ('0', '{"code": "SESSION_UNKNOWN", "message": "There is no session \\"x\\""}')
        self.check(
            ('try:\n    mcp.session.close("x")\nexcept mcp.ToolError as e:\n    print(e.code, e)', {'stdout': 'SESSION_UNKNOWN There is no session "x"\n'}),
            ('mcp.session.close("x")', failed(
                'mcp.ToolError: There is no session "x"',
                'Traceback (most recent call last):\n  File "<run 2>", line 1, in <module>\n    mcp.session.close("x")\n'
                'mcp.ToolError: There is no session "x"\n',
            )),
        )

    def test_the_programs_own_changes_to_it_do_not_last(self):
        self.kernel.on_call = lambda method, params: ('1', '[]')
        self.check(
            ('import sys, builtins\ndel sys.modules["mcp"]\nbuiltins.mcp = None', {'notes': ['mcp was replaced; restored']}),
            ('import mcp\nmcp.session.list()', {'value': '[]'}),
        )

    def test_calls_of_many_threads_get_their_own_replies_in_any_order(self):
        waiting = []

        def answer(method, params):
            waiting.append(self.kernel.calls[-1])
            if len(waiting) % 10 == 0:
                for call in reversed(waiting[-10:]):
                    self.kernel.send('reply', [('id', call['id']), ('ok', '1'), ('value', '[%s]' % call['id'])])
            return None

        self.kernel.on_call = answer
        answer = self.kernel.run(
            'import threading\n'
            'seen = []\n'
            'def ask():\n    for _ in range(20): seen.extend(mcp.session.list())\n'
            'threads = [threading.Thread(target=ask) for _ in range(9)]\n'
            'for t in threads: t.start()\n'
            'ask()\n'
            'for t in threads: t.join()\n'
            'sorted(seen) == list(range(1, 201))'
        )
        self.assertEqual(answer.facts(), {'value': 'True'})

    def test_waiting_for_a_reply_can_be_interrupted(self):
        self.kernel.on_call = lambda method, params: None
        answer = self.kernel.run('print("started")\nmcp.session.list()', when_started=self.kernel.interrupt)
        self.assertEqual((answer.stdout, answer.status), ('started\n', 'interrupted'))
        self.kernel.send('reply', [('id', '1'), ('ok', '1'), ('value', '"too late"')])
        self.kernel.on_call = lambda method, params: ('1', '["in time"]')
        self.check(('mcp.session.list()', {'value': "['in time']"}))

    def test_interrupts_at_any_moment_do_not_lose_the_stream(self):
        import threading
        import time

        self.kernel.on_call = lambda method, params: ('1', '["%s"]' % ('x' * 100_000))
        stop = threading.Event()

        def annoy():
            while not stop.is_set():
                self.kernel.interrupt()
                time.sleep(0.0011)

        thread = threading.Thread(target=annoy)
        thread.start()
        try:
            ends = {self.kernel.run('for _ in range(30): mcp.session.list()').error for _ in range(60)}
        finally:
            stop.set()
            thread.join()
        self.assertLessEqual(ends, {None, 'KeyboardInterrupt'})
        self.check(('len(mcp.session.list()[0])', {'value': '100000'}))

    def test_thread_of_an_earlier_run_can_ask_while_no_run_is_going_on(self):
        self.kernel.on_call = lambda method, params: ('0', '{"code": "NO_RUN", "message": "No run is going on"}')
        self.check(
            (
                'import threading, time\nseen = []\ndef later():\n    time.sleep(0.05)\n    try:\n        mcp.session.list()\n'
                '    except mcp.ToolError as e:\n        seen.append(e.code)\nt = threading.Thread(target=later)\nt.start()',
                {},
            )
        )
        verb, fields = self.kernel.next_frame('call')
        self.kernel.send('reply', [('id', dict(fields)['id']), ('ok', '0'), ('value', '{"code": "NO_RUN", "message": "-"}')])
        self.check(('t.join()\nseen', {'value': "['NO_RUN']"}))


class Channel(KernelTest):
    def test_check_runs_nothing_and_prints_nothing(self):
        for code, expected in (
            ('open("made", "w")', {'id': b'c', 'ok': b'1'}),
            ('x = 1\nbreak', {'id': b'c', 'ok': b'0', 'line': b'2', 'column': b'1', 'message': b"'break' outside loop"}),
            ('await x\nx = 1 is 1', {'id': b'c', 'ok': b'1'}),
        ):
            self.kernel.send('check', [('id', 'c'), ('language', 'python'), ('code', code)])
            self.assertEqual(dict(self.kernel.next_frame('checked')[1]), expected)
        self.check(('import os\nos.listdir()', {'value': '[]'}))

    def test_ping(self):
        self.kernel.send('ping', [('id', 'p')])
        self.assertEqual(self.kernel.next_frame('pong'), ('pong', [('id', b'p')]))

    def test_unknown_verbs_and_fields_are_ignored(self):
        self.kernel.send('hello', [('who', 'me')])
        self.kernel.send('ping', [('id', 'p'), ('more', 'x')])
        self.assertEqual(self.kernel.next_frame('pong'), ('pong', [('id', b'p')]))

    def test_version_is_told_at_the_start(self):
        self.assertEqual(self.kernel.version, '%d.%d.%d' % sys.version_info[:3])

    def test_end_of_the_channel_ends_the_process(self):
        self.kernel.run('import threading, time\nthreading.Thread(target=time.sleep, args=(30,)).start()')
        self.kernel.close_control()
        self.assertEqual(self.kernel.process.wait(5), 0)

    def test_end_of_the_channel_ends_a_program_that_waits_for_a_reply(self):
        self.kernel.on_call = lambda method, params: self.kernel.close_control()
        with self.assertRaises((EOFError, OSError, ValueError)):
            self.kernel.run('mcp.session.list()')
        self.assertEqual(self.kernel.process.wait(5), 0)

    def test_bytes_that_are_no_frame_end_the_process(self):
        self.kernel.send_bytes(b'what is this?\n')
        self.assertEqual(self.kernel.process.wait(5), 70)

    def test_frames_sent_while_a_program_runs_wait_for_its_end(self):
        self.kernel.on_call = lambda method, params: (self.kernel.send('ping', [('id', 'p')]), ('1', '[]'))[1]
        self.check(('mcp.session.list()', {'value': '[]'}))
        self.assertEqual(self.kernel.next_frame('pong'), ('pong', [('id', b'p')]))

    def test_large_frames(self):
        code = 'x = """' + 'y' * 1_000_000 + '"""\nlen(x)'
        self.check((code, {'value': '1000000'}, {'args': ['a' * 100_000] * 20}))


if __name__ == '__main__':
    unittest.main()
