"""The control channel, and `mcp` over it."""

import sys
import threading
import time
import unittest

from kernel_harness import KernelTest, failed


class Hatch(KernelTest):
    def test_helpers_work_with_and_without_await(self):
        self.kernel.on_call = lambda method, params: ('1', '"The manual"' if method == 'help' else '[{"name": "a"}]')
        self.check(
            ('mcp.session.list()', {'value': "[{'name': 'a'}]"}),
            ('x = mcp.session.list()\nprint(x[0]["name"])', {'stdout': 'a\n'}),
            ('x = await mcp.session.list()\ntype(x)', {'value': "<class 'list'>"}),
            ('mcp.help()', {'stdout': 'The manual\n'}),
            ('await mcp.help()', {'stdout': 'The manual\n'}),
            ('import mcp as m\nm.session.reset();', {}),
            ('from mcp import session\nawait session.close("other")\nsession.close();', {}),
            (
                'import asyncio\nawait asyncio.gather(mcp.session.list(), mcp.session.list())',
                {'value': "[[{'name': 'a'}], [{'name': 'a'}]]"},
            ),
        )
        self.assertEqual(
            [(call['method'], call['params']) for call in self.kernel.calls[-5:-2]],
            [('session.reset', '{}'), ('session.close', '{"name":"other"}'), ('session.close', '{}')],
        )

    def test_answers_in_words(self):
        self.kernel.on_call = lambda method, params: ('1', '"It starts anew."' if method == 'session.reset' else 'null')
        self.check(
            ('mcp.session.reset()', {'value': "'It starts anew.'"}),
            (
                'print(mcp.session.reset(), type(await mcp.session.reset()))',
                {'stdout': "It starts anew. <class 'str'>\n"},
            ),
            ('mcp.session.close()', {}),
            ('print(mcp.session.close() or "nothing")', {'stdout': 'nothing\n'}),
        )

    def test_refusal_is_an_error_that_can_be_caught(self):
        self.kernel.on_call = lambda method, params: (
            '0',
            '{"code": "SESSION_UNKNOWN", "message": "There is no session \\"x\\""}',
        )
        self.check(
            (
                'try:\n    mcp.session.close("x")\nexcept mcp.ToolError as e:\n    print(e.code, e)',
                {'stdout': 'SESSION_UNKNOWN There is no session "x"\n'},
            ),
            (
                'mcp.session.close("x")',
                failed(
                    'mcp.ToolError: There is no session "x"',
                    'Traceback (most recent call last):\n  File "<run 2>", line 1, in <module>\n    mcp.session.close("x")\n'
                    'mcp.ToolError: There is no session "x"\n',
                ),
            ),
        )

    def test_the_programs_own_changes_to_it_do_not_last(self):
        self.kernel.on_call = lambda method, params: ('1', '[]')
        self.check(
            (
                'import sys, builtins\ndel sys.modules["mcp"]\nbuiltins.mcp = None',
                {'notes': ['mcp was replaced; restored']},
            ),
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
        self.kernel.send(
            'reply', [('id', dict(fields)['id']), ('ok', '0'), ('value', '{"code": "NO_RUN", "message": "-"}')]
        )
        self.check(('t.join()\nseen', {'value': "['NO_RUN']"}))


class Channel(KernelTest):
    def test_check_runs_nothing_and_prints_nothing(self):
        for code, expected in (
            ('open("made", "w")', {'id': b'c', 'ok': b'1'}),
            (
                'x = 1\nbreak',
                {'id': b'c', 'ok': b'0', 'line': b'2', 'column': b'1', 'message': b"'break' outside loop"},
            ),
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
