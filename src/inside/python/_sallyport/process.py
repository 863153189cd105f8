"""The interpreter as a process: takes requests from the control channel, one run at a time, until the channel ends.

What a run is given: descriptors 0, 1, 2 as at the start, its own `sys.argv` and standard input, SIGINT that raises
KeyboardInterrupt. How it ends: PROTOCOL.md, "The end of a run's output".
"""

import builtins
import os
import sys

from . import hatch
from .channel import EXIT_DESCRIPTORS_GONE, Channel
from .descriptors import StandardStreams, save, write_all
from .event_loop import EventLoop
from .hatch_way import Way
from .interrupts import Gate, deferred
from .program import Interpreter, Outcome

# Costs nothing until it is needed: pages of zeros that nobody touches.
RESERVE_BYTES = 8 * 1024 * 1024
VALUE_CHARACTERS = 256 * 1024
# What was installed for the session; nothing, at first.
PACKAGES = '/run/sallyport/packages/python'


def serve(module):
    """Never returns. `module` is `__main__`, in which programs live."""
    _Process(module).serve()


class _Process:
    def __init__(self, module):
        self._gate = Gate(_Process._run_interruptibly)
        self._id = os.getpid()
        self._workspace = os.getcwd()
        fd = int(os.environ.pop('SALLYPORT_CONTROL_FD'))
        control = save(fd)
        os.close(fd)
        os.set_blocking(control, True)
        self._control = control
        self._channel = Channel(control)
        self._streams = StandardStreams()
        _empty(module, self._workspace)
        self._way = Way(self._channel)
        self._hatch = builtins.mcp = hatch.create(self._way, deferred)
        self._interpreter = Interpreter(
            module, self._workspace, self._write_error, EventLoop().drive, self._leave_if_child, deferred, RESERVE_BYTES
        )
        self._c_output = _COutput()
        sys.path.insert(0, self._workspace)
        sys.path.insert(1, PACKAGES)
        os.register_at_fork(after_in_child=self._become_child)

    def serve(self):
        self._channel.send('ready', [('version', '%d.%d.%d' % sys.version_info[:3])])
        while True:
            verb, fields = self._channel.next_request()
            request = dict(fields)
            if verb == 'run':
                self._run(request, [value.decode('utf-8', 'replace') for name, value in fields if name == 'arg'])
            elif verb == 'check':
                self._check(request)
            elif verb == 'ping':
                self._channel.send('pong', [('id', request.get('id', b''))])

    def _run(self, request, arguments):
        try:
            self._streams.reset(request.get('stdin'))
        except OSError:
            os._exit(EXIT_DESCRIPTORS_GONE)
        # A module that the last run wrote may lie in a directory whose listing is cached.
        finder = sys.path_importer_cache.get(self._workspace)
        if finder is not None:
            finder.invalidate_caches()
        # Packages may have been installed since the last run, perhaps the first ones.
        finder = sys.path_importer_cache.get(PACKAGES)
        if finder is not None:
            finder.invalidate_caches()
        else:
            sys.path_importer_cache.pop(PACKAGES, None)
        hatch.install(self._hatch)
        self._way.begin(request.get('id', b'').decode())
        outcome = self._run_interruptibly(request, arguments)
        outcome.notes += self._streams.mend()
        self._c_output.flush()
        self._finish(request, outcome)

    def _run_interruptibly(self, request, arguments):
        # Stands when an interrupt comes around the program: while its error is told, for instance.
        outcome = Outcome('interrupted', 130, 'KeyboardInterrupt')
        try:
            self._gate.open()
            text = request.get('code', b'').decode('utf-8', 'replace')
            hatch.offer_older_names(self._hatch, text, self._interpreter.namespace)
            outcome = self._interpreter.run(
                text,
                request.get('name', b'<run>').decode('utf-8', 'replace'),
                arguments,
                'stdin' in request,
            )
            if outcome.status == 'ok':
                self._write_error(hatch.settle(self._hatch))
            self._streams.flush()
        except KeyboardInterrupt:
            pass
        except BaseException as error:  # out of memory while telling of it, for instance
            outcome.status, outcome.exit, outcome.error = 'error', 1, type(error).__name__
        try:
            self._gate.shut()
        except BaseException:
            self._gate.shut()
        sys.settrace(None)
        sys.setprofile(None)
        return outcome

    def _finish(self, request, outcome):
        nonce = request.get('nonce', b'')
        end = nonce + b'E'
        try:
            write_all(self._streams.output, end if outcome.value is None else self._value(nonce, outcome.value) + end)
            write_all(self._streams.error, end)
        except OSError:  # the host is gone, or the program closed the descriptors
            os._exit(EXIT_DESCRIPTORS_GONE)
        id = request.get('id', b'')
        for mime, data in outcome.images:
            self._channel.send('image', [('id', id), ('mime', mime), ('data', data)])
        fields = [('id', id), ('exit', str(outcome.exit)), ('status', outcome.status)]
        if outcome.error is not None:
            fields.append(('error', outcome.error))
        self._channel.send('done', fields + [('note', note) for note in outcome.notes])

    def _value(self, nonce, text):
        """The last bytes of the marked value; those of a long one are written before, in pieces, to save memory."""
        start = nonce + b'V'
        at = 0
        while len(text) - at > VALUE_CHARACTERS:
            write_all(self._streams.output, start + _encode(text[at : at + VALUE_CHARACTERS]))
            start = b''
            at += VALUE_CHARACTERS
        return start + _encode(text[at:])

    def _check(self, request):
        from .source import find_problem

        problem = find_problem(request.get('code', b'').decode('utf-8', 'replace'))
        fields = [('id', request.get('id', b'')), ('ok', '1' if problem is None else '0')]
        if problem is not None:
            line, column, message = problem
            fields += [('line', str(line)), ('column', str(column)), ('message', message)]
        self._channel.send('checked', fields)

    def _write_error(self, text):
        fd = self._streams.error if os.getpid() == self._id else 2
        try:
            write_all(fd, _encode(text))
        except OSError:
            os._exit(EXIT_DESCRIPTORS_GONE)

    def _become_child(self):
        """A forked child must never answer for its parent, nor keep its channel open."""
        for fd in (self._control, self._streams.output, self._streams.error):
            try:
                os.close(fd)
            except OSError:  # closed by the program
                pass

    def _leave_if_child(self, error):
        """A child that the program forked and that ran on to the program's end is over here."""
        if os.getpid() == self._id:
            return
        outcome = Outcome()
        try:
            if error is not None:
                self._interpreter.tell_end(outcome, error)
            self._streams.flush()
            self._c_output.flush()
        finally:
            os._exit(outcome.exit)


class _COutput:
    """C's buffered output, which only foreign extension modules and ctypes can have filled."""

    def __init__(self):
        self._modules_seen = 0
        self._flush = None

    def flush(self):
        if self._flush is None:
            if len(sys.modules) == self._modules_seen or not self._is_needed():
                return
            try:
                import ctypes

                self._flush = ctypes.CDLL(None).fflush
            except (ImportError, OSError, AttributeError):  # this Python has no ctypes
                self._flush = bool
        self._flush(None)

    def _is_needed(self):
        self._modules_seen = len(sys.modules)
        if '_ctypes' in sys.modules:
            return True
        for module in list(sys.modules.values()):
            # Not `module.__file__`: modules that load themselves when asked would.
            file = getattr(module, '__dict__', {}).get('__file__')
            if type(file) is str and file.endswith('.so') and '/lib-dynload/' not in file:
                return True
        return False


def _encode(text):
    return str.encode(text, 'utf-8', 'backslashreplace')


def _empty(module, workspace):
    """Takes the entry script's own names out of the module that programs get."""
    namespace = module.__dict__
    for name in [name for name in namespace if not name.startswith('__')]:
        del namespace[name]
    namespace['__doc__'] = None
    namespace['__file__'] = os.path.join(workspace, 'main.py')
