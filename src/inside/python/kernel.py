"""Entry of the live Python interpreter: `python3 -I -X utf8 kernel.py` with SALLYPORT_CONTROL_FD in its environment.

This file runs as `__main__`, and `__main__` is the module in which programs live, so that pickling, dataclasses and
`if __name__ == "__main__":` work as in a script. All it does is load the real thing, which never returns.
"""

import sys

sys.path.insert(0, __file__.rpartition('/')[0])
from _sallyport import process

del sys.path[0]
process.serve(sys.modules['__main__'])
