"""The session's state, and one program from text to outcome.

Knows nothing of descriptors, signals or frames: a process (`process`) and a Python inside WebAssembly use it alike. Who
owns it says how to write to standard error and how to drive an awaitable to its end; one that cannot do the latter
(`drive` None) uses `run_async`.
"""

import builtins
import sys

from . import adapters, source
from .display import Images
from .hatch import Interruptible, Ready
from .repairs import Repairs
from .traceback_text import Sources, TracebackText, summarize


async def _nothing():
    pass


_probe = _nothing()
_probe.close()
_COROUTINE = type(_probe)


class Return(BaseException):
    """Leaves a program at its top-level `return`."""


class Outcome:
    """What became of one program; the fields of a `done` frame, and the value to show."""

    __slots__ = ('status', 'exit', 'error', 'notes', 'value', 'images')

    def __init__(self, status='ok', exit=0, error=None):
        self.status = status
        self.exit = exit
        self.error = error
        self.notes = []
        self.value = None
        self.images = ()


class Interpreter:
    def __init__(
        self,
        module,
        workspace,
        write_error,
        drive=None,
        after_program=lambda error: None,
        uninterrupted=Interruptible(),
        reserve_bytes=0,
    ):
        """`after_program(error or None)` is called as soon as a program's code is left, however it is left.
        `uninterrupted` is a context manager that puts interrupts off.
        `reserve_bytes` of memory are let go when there is no other left, so that there is room to tell of it."""
        self.namespace = module.__dict__
        self.images = Images()
        self.sources = Sources()
        self.tracebacks = TracebackText(self.sources, workspace, uninterrupted)
        self._write_error = write_error
        self._drive = drive
        self._after_program = after_program
        self._reserve_bytes = reserve_bytes
        self._reserve = bytes(reserve_bytes)
        self._flags = 0
        # The present program's code, where it is nothing but an expression.
        self._lone = None
        self._async_names = set()
        self._hook = _Hook(drive)
        builtins.__dict__[source.HOOK] = self._hook
        builtins.display = self.images.display
        adapters.install(self)
        self._repairs = Repairs(self.namespace)

    def run(self, text, name, arguments=(), has_input=False):
        outcome = Outcome()
        try:
            code = self._load(text, name, arguments)
            try:
                result = eval(code, self.namespace)
                if code is self._lone:
                    self._hook.show(result)
                elif result is not None:
                    self._drive(result)
            except Return:
                pass
            finally:
                outcome.notes += self._repairs.mend()
            self._after_program(None)
            self._conclude(outcome)
        except BaseException as error:
            self._after_program(error)
            self._fail(outcome, error, has_input)
        return outcome

    async def run_async(self, text, name, arguments=(), has_input=False):
        outcome = Outcome()
        try:
            code = self._load(text, name, arguments)
            try:
                result = eval(code, self.namespace)
                if result is not None:
                    await result
            except Return:
                pass
            finally:
                outcome.notes += self._repairs.mend()
            self._conclude(outcome)
        except BaseException as error:
            self._fail(outcome, error, has_input)
        return outcome

    def _load(self, text, name, arguments):
        self.images.clear()
        self._hook.value = None
        if self._reserve is None:
            self._renew_reserve()
        # Warnings are told once for each line; a new program's lines are new.
        self.namespace.pop('__warningregistry__', None)
        sys.argv = ['main.py', *arguments]
        if text[:1] == '\ufeff':
            text = text[1:]
        text, _ = source.dedent(text)
        self.sources.add(name, text)
        if 'async def ' in text:
            self._async_names |= source.names_of_async_functions(text)
        self._lone = source.lone_expression(text, name, self._flags) if self._drive else None
        if self._lone is not None:
            return self._lone
        code = source.prepare(text, name, self._flags, self._async_names, always_await=self._drive is None)
        self._flags |= code.co_flags & source.FUTURE_FLAGS
        return code

    def _renew_reserve(self):
        try:
            self._reserve = bytes(self._reserve_bytes)
        except MemoryError:
            pass

    def _conclude(self, outcome):
        self.images.add_open_figures()
        value, self._hook.value = self._hook.value, None
        if value is not None:
            builtins._ = value
            if not self.images.add(value):
                outcome.value = repr(value)
        outcome.images, notes = self.images.take()
        outcome.notes += notes

    def tell_end(self, outcome, error, has_input=False):
        """Prints what an error that ends the program has to say, and notes what kind of end it is."""
        self._hook.value = None
        if isinstance(error, MemoryError):
            self._reserve = None
            _clear_frames(error.__traceback__)
        if isinstance(error, SystemExit):
            outcome.status, outcome.exit = 'exit', self._exit_code(error)
        else:
            is_interrupt = isinstance(error, KeyboardInterrupt)
            outcome.status, outcome.exit = ('interrupted', 130) if is_interrupt else ('error', 1)
            outcome.error = summarize(error)
            self._tell(error, has_input)
        # The frames hold the program's local values, which a failure should not keep alive.
        error.__traceback__ = None

    def _fail(self, outcome, error, has_input):
        self.tell_end(outcome, error, has_input)
        if outcome.status != 'interrupted':
            self._save_images(outcome)

    def _save_images(self, outcome):
        try:
            self.images.add_open_figures()
        except Exception as error:
            outcome.notes.append('a figure could not be drawn: ' + summarize(error))
        outcome.images, notes = self.images.take()
        outcome.notes += notes

    def _exit_code(self, error):
        code = error.code
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 0xFF
        try:
            text = str(code)
        except Exception as broken:
            text = summarize(broken)
        self._write_error(text + '\n')
        return 1

    def _tell(self, error, has_input):
        text = self.tracebacks.describe(error)
        if type(error) is EOFError and error.args == ('EOF when reading a line',):
            text += 'The program read past its input. ' if has_input else 'The program has no input. '
            text += 'Send what it should read as `stdin`.\n'
        self._write_error(text)


class _Hook:
    """What rewritten programs call; see `source`."""

    Return = Return

    def __init__(self, drive):
        self._drive = drive
        self.value = None

    def show(self, value):
        if isinstance(value, Ready):
            value = value.plain()
        self.value = self._drive(value) if hasattr(type(value), '__await__') else value

    async def show_async(self, value):
        self.value = await value if hasattr(type(value), '__await__') else value

    def settle(self, value):
        if type(value) is _COROUTINE:
            self._drive(value)

    async def settle_async(self, value):
        if type(value) is _COROUTINE:
            await value

    def leaving(self, manager):
        return _Leaving(manager)


class _Leaving:
    """A context manager that sees a top-level `return` as a normal end: a transaction commits."""

    def __init__(self, manager):
        self._manager = manager

    def __enter__(self):
        return self._manager.__enter__()

    def __exit__(self, kind, error, traceback):
        if kind is Return:
            self._manager.__exit__(None, None, None)
            return False
        return self._manager.__exit__(kind, error, traceback)

    async def __aenter__(self):
        return await self._manager.__aenter__()

    async def __aexit__(self, kind, error, traceback):
        if kind is Return:
            await self._manager.__aexit__(None, None, None)
            return False
        return await self._manager.__aexit__(kind, error, traceback)


def _clear_frames(entry):
    """Frees the local values of all frames that are over: after a MemoryError there may be no room to tell of it."""
    while entry is not None:
        try:
            entry.tb_frame.clear()
        except RuntimeError:  # still running: the interpreter's own
            pass
        entry = entry.tb_next
