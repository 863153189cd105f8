"""What an uncaught error prints: the program's own frames, with the source lines of every run that is still known.

The standard `traceback` module does the formatting, so that it reads as this version of Python writes it (markers under
the expression, notes, groups, suggestions). It is loaded with the first error, and frames of libraries and of this
interpreter are taken out of its summary. `plain_text` needs nothing at all: for when memory or descriptors are out.
"""

import sys

# Text of earlier programs kept for their functions' source lines: plenty for a session, nothing for its memory.
SOURCES_MAX = 500
SOURCE_CHARACTERS_MAX = 4_000_000
# A traceback with more frames than these loses its middle, as with mutual recursion.
ENTRIES_HEAD = 8
ENTRIES_TAIL = 16
SUMMARY_CHARACTERS_MAX = 300


class Sources:
    """The text of programs by the name that their frames carry (`<run 3>`), oldest forgotten first."""

    def __init__(self):
        self._texts = {}
        self._size = 0

    def add(self, name, text):
        self._drop(name)
        self._texts[name] = text
        self._size += len(text)
        while len(self._texts) > SOURCES_MAX or (self._size > SOURCE_CHARACTERS_MAX and len(self._texts) > 1):
            self._drop(next(iter(self._texts)))
        if 'linecache' in sys.modules:
            self._publish(name)

    def all(self):
        """(name, text) of all programs, the newest last."""
        return list(self._texts.items())

    def line(self, name, number):
        """With its line break; empty when there is none."""
        lines = _lines(self._texts[name]) if name in self._texts else ()
        return lines[number - 1] if 0 < number <= len(lines) else ''

    def publish(self):
        """Gives all texts to `linecache`, where tracebacks, warnings and `inspect` look for them."""
        for name in self._texts:
            self._publish(name)

    def _publish(self, name):
        cache = getattr(sys.modules.get('linecache'), 'cache', None)
        if isinstance(cache, dict):
            text = self._texts[name]
            # Without a modification time, `linecache.checkcache` leaves the entry alone.
            cache[name] = (len(text), None, _lines(text), name)

    def _drop(self, name):
        text = self._texts.pop(name, None)
        if text is not None:
            self._size -= len(text)
            cache = getattr(sys.modules.get('linecache'), 'cache', None)
            if isinstance(cache, dict):
                cache.pop(name, None)


class TracebackText:
    def __init__(self, sources, workspace, uninterrupted):
        self._sources = sources
        self._uninterrupted = uninterrupted
        self._workspace = workspace.rstrip('/') + '/'

    def describe(self, error):
        """The whole text that an uncaught error leaves on standard error. Never raises for a broken error."""
        try:
            return self._full_text(error)
        except KeyboardInterrupt:
            raise
        except BaseException:  # an error class may break in any way, and memory or descriptors may be out
            return self._plain_text(error)

    def _full_text(self, error):
        with self._uninterrupted:
            import traceback

        self._sources.publish()
        if isinstance(error, SyntaxError):
            self._complete(error)
        summary = traceback.TracebackException(type(error), error, error.__traceback__, lookup_lines=False)
        self._keep_own_frames(summary, _stack_class(traceback))
        return ''.join(summary.format())

    def _keep_own_frames(self, summary, stack_class):
        waiting = [summary]
        while waiting:
            part = waiting.pop()
            part.stack = stack_class(frame for frame in part.stack if self._is_own(frame.filename))
            waiting += [inner for inner in (part.__cause__, part.__context__) if inner is not None]
            waiting += getattr(part, 'exceptions', None) or ()

    def _is_own(self, filename):
        """Programs and what they `exec` have names in angle brackets; their modules are files of the workspace."""
        if filename.startswith('<'):
            return not filename.startswith(('<frozen ', '<__array_function__'))
        return filename.startswith(self._workspace) and '/site-packages/' not in filename

    def _complete(self, error):
        """Errors found after parsing (`break` outside loop) come without the line's text."""
        if error.text is None and error.lineno and error.filename:
            error.text = self._sources.line(error.filename, error.lineno) or None

    def _plain_text(self, error):
        lines = []
        entry = error.__traceback__
        while entry is not None and len(lines) < ENTRIES_TAIL:
            code = entry.tb_frame.f_code
            if self._is_own(code.co_filename):
                lines.append('  File "%s", line %d, in %s\n' % (code.co_filename, entry.tb_lineno, code.co_name))
                source = self._sources.line(code.co_filename, entry.tb_lineno).strip()
                if source:
                    lines.append('    %s\n' % source)
            entry = entry.tb_next
        head = 'Traceback (most recent call last):\n' if lines else ''
        return head + ''.join(lines) + summarize(error) + '\n'


def summarize(error):
    """One line: `ValueError: no`."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ('builtins', '__main__'):
        name = '%s.%s' % (kind.__module__, name)
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        text = str(text).strip().partition('\n')[0]
    except KeyboardInterrupt:
        raise
    except BaseException:  # the error's own __str__ is broken
        text = ''
    line = '%s: %s' % (name, text) if text else name
    return line if len(line) <= SUMMARY_CHARACTERS_MAX else line[: SUMMARY_CHARACTERS_MAX - 1] + '…'


def _lines(text):
    """As the compiler counts lines; `splitlines` would also break at form feeds and the like."""
    return [line + '\n' for line in text.replace('\r\n', '\n').replace('\r', '\n').split('\n')]


def _stack_class(traceback):
    class OwnStack(traceback.StackSummary):
        def format(self, **options):
            entries = super().format(**options)
            left_out = len(entries) - ENTRIES_HEAD - ENTRIES_TAIL
            if left_out <= 0:
                return entries
            return entries[:ENTRIES_HEAD] + ['  … %d more frames …\n' % left_out] + entries[-ENTRIES_TAIL:]

    return OwnStack
