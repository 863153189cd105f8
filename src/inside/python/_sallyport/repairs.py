"""Puts back what a program broke in `builtins`, so that the next program finds a whole Python.

Names that a program adds there stay. A global `print` of the program's own making goes too, since it would silence all
later programs; one that was imported (`from rich import print`) stays: that is how a person works in a session.
"""

import builtins
import sys
from _operator import is_

# This module's own, since the ones that everybody shares may be gone.
from builtins import all, callable, getattr, len, map, tuple, zip

NAMES_MAX = 5


class Repairs:
    def __init__(self, namespace):
        self._namespace = namespace
        self._names = tuple(builtins.__dict__)
        self._values = tuple(builtins.__dict__.values())
        self._get = builtins.__dict__.get
        self._module = builtins

    def mend(self):
        """Notes about what was broken: almost always none, at the cost of a few microseconds."""
        replaced = []
        if not all(map(is_, map(self._get, self._names), self._values)):
            for name, value in zip(self._names, self._values):
                if self._get(name) is not value:
                    self._module.__dict__[name] = value
                    if not name.startswith('_'):
                        replaced.append(name)
        self._namespace['__builtins__'] = self._module
        sys.modules['builtins'] = self._module
        if 'print' in self._namespace and self._is_own(self._namespace['print']):
            del self._namespace['print']
            if 'print' not in replaced:
                replaced.append('print')
        if not replaced:
            return []
        if len(replaced) > NAMES_MAX:
            replaced[NAMES_MAX:] = ['%d more' % (len(replaced) - NAMES_MAX)]
        return ['%s %s replaced; restored' % (', '.join(replaced), 'was' if len(replaced) == 1 else 'were')]

    def _is_own(self, value):
        return not callable(value) or getattr(value, '__module__', None) == '__main__'
