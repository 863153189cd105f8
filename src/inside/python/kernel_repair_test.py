"""What a program broke is whole again for the next."""

import os
import signal
import unittest

from kernel_harness import Kernel, KernelTest, raised


class Repair(KernelTest):
    def test_builtins_are_put_back(self):
        self.check(
            ('print = None', {'notes': ['print was replaced; restored']}),
            ('print("a")', {'stdout': 'a\n'}),
            ('def print(*a): pass\nprint("silent")', {'notes': ['print was replaced; restored']}),
            (
                'import builtins\nbuiltins.print = lambda *a: None\ndel builtins.len\nbuiltins.extra = 1',
                {'notes': ['len, print were replaced; restored']},
            ),
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
            (
                'import sys, io\nsys.stdout = io.StringIO()\nprint("lost")',
                {'notes': ['sys.stdout was replaced; restored']},
            ),
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
            (
                'os.close(1)\nprint("nowhere")',
                raised(5, 2, 'print("nowhere")', 'OSError: [Errno 9] Bad file descriptor'),
            ),
        )

    def test_event_loop_whose_descriptors_were_closed_is_replaced(self):
        self.check(('import asyncio, os\nawait asyncio.sleep(0, 1)', {'value': '1'}), ('os.closerange(3, 100)', {}))
        self.assertEqual(self.kernel.run('await asyncio.sleep(0.01, 2)').status, 'error')
        self.check(('await asyncio.sleep(0.01, 3)', {'value': '3'}))

    def test_alarms_and_handlers_left_behind_do_no_harm(self):
        self.check(
            ('import signal, time, os\ndef late(*a): raise TimeoutError("late")', {}),
            ('signal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.05);', {}),
            ('time.sleep(0.1)', {}),
            ('signal.signal(signal.SIGUSR1, late)\nx = os.getpid()', {}),
        )
        for _ in range(20):
            os.kill(self.kernel.process.pid, signal.SIGUSR1)
        self.kernel.send('ping', [('id', 'p')])
        self.assertEqual(self.kernel.next_frame('pong'), ('pong', [('id', b'p')]))
        self.check(
            (
                'try:\n    os.kill(x, signal.SIGUSR1)\n    time.sleep(1)\nexcept TimeoutError as e:\n    print(e)',
                {'stdout': 'late\n'},
            )
        )

    def test_trace_functions_end_with_their_run(self):
        self.kernel.run('import sys\nseen = []\nsys.settrace(lambda *a: seen.append(1))')
        self.kernel.run('def f(): pass\nseen.clear(); f()')
        self.check(('seen', {'value': '[]'}))

    def test_closing_every_descriptor_ends_the_process_at_once(self):
        for code in ('import os\nos.closerange(3, 5000)', 'import os\nos.closerange(0, 5000)\n1/0'):
            with Kernel() as kernel, self.assertRaisesRegex(EOFError, 'ended with 71'):
                kernel.run(code)


if __name__ == '__main__':
    unittest.main()
