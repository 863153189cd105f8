"""SIGINT at every moment."""

import threading
import time
import unittest

from kernel_harness import KernelTest


class Interrupts(KernelTest):
    def interrupted(self, code, line, stdout='started\n', extra=''):
        answer = self.kernel.run(code, when_started=self.kernel.interrupt)
        frame = '  File "<run %d>", line %d, in <module>\n    %s\n' % (
            self.kernel.runs,
            line,
            code.split('\n')[line - 1].strip(),
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


if __name__ == '__main__':
    unittest.main()
