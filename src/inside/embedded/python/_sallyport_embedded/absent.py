"""What to say about modules that cannot be here, so that nobody tries to install them."""

import sys


def install():
    sys.meta_path.append(_Absent())


class _Absent:
    """Asked last: nothing else has found the module."""

    def find_spec(self, name, path, target=None):
        # Parts of packages, and modules of other systems, fail as they do elsewhere.
        if path is not None or name in sys.stdlib_module_names:
            return None
        text = "No module named '%s' (the embedded sandbox has Python's standard library alone)" % name
        raise ModuleNotFoundError(text, name=name)
