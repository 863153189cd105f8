"""Children and threads of programs."""

import unittest

from kernel_harness import Kernel, KernelTest


class Processes(KernelTest):
    def test_forked_child_that_runs_to_the_end_is_over(self):
        fork = 'import os, sys\npid = os.fork()\nif pid == 0:\n    %s\nelse:\n    code = os.waitpid(pid, 0)[1] >> 8\n    print("parent", code)\n'
        self.check(
            (fork % 'print("child")', {'stdout': 'child\nparent 0\n'}),
            (fork % 'sys.exit(7)', {'stdout': 'parent 7\n'}),
            (fork % 'sys.exit("bye")', {'stdout': 'parent 1\n', 'stderr': 'bye\n'}),
            (
                fork % '1/0',
                {
                    'stdout': 'parent 1\n',
                    'stderr': 'Traceback (most recent call last):\n  File "<run 4>", line 4, in <module>\n    1/0\n'
                    'ZeroDivisionError: division by zero\n',
                },
            ),
            (fork % 'os._exit(3)', {'stdout': 'parent 3\n'}),
            (
                fork % 'try:\n        mcp.session.list()\n    except mcp.ToolError as e:\n        print(e.code)',
                {
                    'stdout': 'CHILD_PROCESS\nparent 0\n',
                },
            ),
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
                'subprocess.run([sys.executable, "-c", "import os; print(sorted(os.listdir(\'/proc/self/fd\')), [k for k in os.environ if \'SALLY\' in k and \'RUN\' not in k])"], close_fds=False);',
                {'stdout': "['0', '1', '2', '3'] []\n"},
            )
        )

    def test_threads_left_behind_go_on(self):
        self.check(
            (
                'import threading, queue\nq = queue.Queue()\nout = []\ndef work():\n    out.append(q.get() + 1)\nt = threading.Thread(target=work)\nt.start()',
                {},
            ),
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


if __name__ == '__main__':
    unittest.main()
