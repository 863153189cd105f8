"""Standard input and output."""

import unittest

from kernel_harness import KernelTest, failed, raised


class Input(KernelTest):
    def test_standard_input_is_that_of_the_run(self):
        self.check(
            ('input("name? ")', {'stdout': 'name? ', 'value': "'Ada'"}, {'stdin': 'Ada\nrest'}),
            ('import sys\nsys.stdin.read()', {'value': "''"}),
            ('sys.stdin.buffer.read()', {'value': r"b'\x00\xff'"}, {'stdin': b'\0\xff'}),
            (
                'import subprocess\nsubprocess.run(["cat"])',
                {'stdout': 'for the child', 'value': "CompletedProcess(args=['cat'], returncode=0)"},
                {'stdin': 'for the child'},
            ),
            ('len(sys.stdin.read())', {'value': '5000000'}, {'stdin': 'x' * 5_000_000}),
            ('sys.stdin.close()', {}),
            ('sys.stdin = None', {}),
            ('[line for line in sys.stdin]', {'value': r"['a\n', 'b']"}, {'stdin': 'a\nb'}),
        )

    def test_reading_past_the_end_is_a_clear_error(self):
        end = 'Traceback (most recent call last):\n  File "<run %d>", line %d, in <module>\n    input()\nEOFError: EOF when reading a line\n'
        self.check(
            (
                'input()',
                failed(
                    'EOFError: EOF when reading a line',
                    end % (1, 1) + 'The program has no input. Send what it should read as `stdin`.\n',
                ),
            ),
            (
                'input()\ninput()',
                failed(
                    'EOFError: EOF when reading a line',
                    end % (2, 2) + 'The program read past its input. Send what it should read as `stdin`.\n',
                ),
                {'stdin': 'one line'},
            ),
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
        answer = self.kernel.run(
            'import os\nos.set_blocking(1, False)\nprint("x" * 3_000_000)\nos.set_blocking(1, False)\n"y" * 3_000_000'
        )
        self.assertEqual((len(answer.stdout), len(answer.value)), (3_000_001, 3_000_002))

    def test_code_that_reopens_standard_output(self):
        self.check(
            (
                'import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")\nprint("é")',
                {'stdout': 'é\n', 'notes': ['sys.stdout was replaced; restored']},
            ),
            (
                'sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8")\nprint("é")',
                {'stdout': 'é\n', 'notes': ['sys.stdout was replaced; restored']},
            ),
            ('sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)\nprint("é")', {'stdout': 'é\n'}),
            (
                'print("\\ud800")\nsys.stdout.fileno(), sys.stdout.encoding, sys.stdout.name, sys.stdout.isatty()',
                {'stdout': '\\ud800\n', 'value': "(1, 'utf-8', '<stdout>', False)"},
            ),
        )


if __name__ == '__main__':
    unittest.main()
