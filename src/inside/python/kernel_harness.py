"""For tests: starts the kernel as the host does, with pipes and a socket, and speaks the protocol with it."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from _sallyport.frames import Decoder, encode

KERNEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'kernel.py')
PATIENCE_S = 20


class Result:
    """What a host gets from one run."""

    def __init__(self):
        self.stdout = b''
        self.stderr = b''
        self.done = None
        self.images = []

    def parts(self, nonce):
        """(stdout text, value text or None, stderr text), cut at the nonce as a host does."""
        out = self.stdout[: -len(nonce + b'E')]
        out, mark, value = out.partition(nonce + b'V')
        err = self.stderr[: -len(nonce + b'E')]
        return out.decode(), value.decode() if mark else None, err.decode()


class Kernel:
    def __init__(self, python=sys.executable):
        self._home = tempfile.mkdtemp(prefix='kernel-test-')
        self.workspace = os.path.realpath(os.path.join(self._home, 'workspace'))
        os.mkdir(self.workspace)
        self._control, inner = socket.socketpair()
        out_read, out_write = os.pipe()
        err_read, err_write = os.pipe()
        self.process = subprocess.Popen(
            [python, '-I', '-X', 'utf8', KERNEL],
            cwd=self.workspace,
            env={
                'PATH': os.environ.get('PATH', '/usr/bin:/bin'),
                'SALLYPORT_CONTROL_FD': str(inner.fileno()),
                'MPLBACKEND': 'Agg',
                'MPLCONFIGDIR': tempfile.gettempdir(),
                'TMPDIR': self._home,
            },
            stdin=subprocess.DEVNULL,
            stdout=out_write,
            stderr=err_write,
            pass_fds=[inner.fileno()],
            start_new_session=True,
        )
        for fd in (out_write, err_write):
            os.close(fd)
        inner.close()
        self._out, self._err = out_read, err_read
        self._decoder = Decoder()
        self._other_frames = []
        self.runs = 0
        self.calls = []
        self.on_call = lambda method, params: ('1', 'null')
        self.version = dict(self.next_frame('ready')[1])['version'].decode()

    def close(self):
        self._control.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._out)
        os.close(self._err)
        shutil.rmtree(self._home, ignore_errors=True)

    def close_control(self):
        self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)

    def send(self, verb, fields):
        self._control.sendall(encode(verb, fields))

    def send_bytes(self, data):
        self._control.sendall(data)

    def next_frame(self, *verbs):
        """The next frame with one of these verbs, without looking at the output streams."""
        while True:
            frame = self._other_frames.pop(0) if self._other_frames else self._decoder.take()
            if frame is None:
                if not select.select([self._control], [], [], PATIENCE_S)[0]:
                    raise TimeoutError('no frame from the kernel')
                self._decoder.feed(self._receive())
            elif frame[0] in verbs:
                return frame

    def _receive(self):
        chunk = self._control.recv(1 << 20)
        if not chunk:
            raise EOFError('the kernel ended with %s' % self.process.wait(PATIENCE_S))
        return chunk

    def run(self, code, args=(), stdin=None, when_started=None, patience=PATIENCE_S):
        """Runs and waits for all three ends. `when_started()` is called once `started` stands in the output."""
        self.runs += 1
        nonce = b'\x01nonce%d\x02' % self.runs
        fields = [
            ('id', 'r%d' % self.runs),
            ('nonce', nonce),
            ('language', 'python'),
            ('name', '<run %d>' % self.runs),
            ('timeout', '30000'),
            ('code', code),
        ]
        fields += [('arg', arg) for arg in args]
        if stdin is not None:
            fields.append(('stdin', stdin))
        self.send('run', fields)
        result = Result()
        end = nonce + b'E'
        while not (result.stdout.endswith(end) and result.stderr.endswith(end) and result.done):
            if not self._pump(result, patience):
                raise TimeoutError('the run does not end: %r %r %r' % (result.stdout, result.stderr, result.done))
            if when_started and b'started' in result.stdout:
                time.sleep(0.03)  # lets the program get from its `print` to what it does next
                when_started()
                when_started = None
        out, value, err = result.parts(nonce)
        return Answer(out, value, err, result.done, result.images)

    def _pump(self, result, patience):
        ready = select.select([self._out, self._err, self._control], [], [], patience)[0]
        if self._out in ready:
            result.stdout += os.read(self._out, 1 << 20)
        if self._err in ready:
            result.stderr += os.read(self._err, 1 << 20)
        if self._control in ready:
            self._decoder.feed(self._receive())
            frame = self._decoder.take()
            while frame is not None:
                self._take(frame, result)
                frame = self._decoder.take()
        return bool(ready)

    def _take(self, frame, result):
        verb, fields = frame
        if verb == 'done':
            result.done = fields
        elif verb == 'image':
            result.images.append(dict(fields))
        elif verb == 'call':
            call = {name: value.decode() for name, value in fields}
            self.calls.append(call)
            answer = self.on_call(call['method'], call['params'])
            if answer is not None:
                ok, value = answer
                self.send('reply', [('id', call['id']), ('ok', ok), ('value', value)])
        else:
            self._other_frames.append(frame)


class Answer:
    """One run in comparable form."""

    def __init__(self, stdout, value, stderr, done, images):
        fields = dict(done)
        self.stdout = stdout
        self.value = value
        # Versions of Python differ in the markers under a line, so they are left out.
        self.stderr = ''.join(line for line in stderr.splitlines(True) if line.strip(' ^~\n') or not line.strip())
        self.exit = int(fields['exit'])
        self.status = fields['status'].decode()
        self.error = fields['error'].decode() if 'error' in fields else None
        self.notes = [value.decode() for name, value in done if name == 'note']
        self.images = [(image['mime'].decode(), image['data']) for image in images]

    def facts(self):
        """What differs from a run that printed nothing and ended well."""
        silent = {'stdout': '', 'value': None, 'stderr': '', 'exit': 0, 'status': 'ok', 'error': None, 'notes': []}
        return {name: getattr(self, name) for name in silent if getattr(self, name) != silent[name]}


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
