"""What a session keeps, values, tolerance and exits: whole programs through a real kernel process."""

import os
import unittest

from kernel_harness import KernelTest, failed, raised


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
            (
                'async def p(x):\n    print(x)\np(1)\nfor i in (2, 3):\n    p(i)\nif True:\n    p(4)',
                {'stdout': '1\n2\n3\n4\n'},
            ),
            ('await asyncio.gather(f(4), f(5))', {'value': '[4, 5]'}),
            (
                'async with asyncio.Lock():\n    x = [y async for y in (f(6) for _ in ())]\nx',
                failed(
                    "TypeError: 'async for' requires an object with __aiter__ method, got generator",
                    'Traceback (most recent call last):\n  File "<run 7>", line 2, in <module>\n'
                    '    x = [y async for y in (f(6) for _ in ())]\n'
                    "TypeError: 'async for' requires an object with __aiter__ method, got generator\n",
                ),
            ),
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
            (
                'class C:\n    def __str__(self): raise ValueError("no")\nsys.exit(C())',
                left(1, stderr='ValueError: no\n'),
            ),
            ('x', {'value': '5'}),
        )

    def test_exit_of_a_thread_is_that_threads_alone(self):
        self.check(
            (
                'import threading, sys\nt = threading.Thread(target=sys.exit, args=(3,))\nt.start()\nt.join()\n5',
                {'value': '5'},
            )
        )


if __name__ == '__main__':
    unittest.main()
