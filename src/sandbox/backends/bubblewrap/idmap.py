"""Shows folders of the host as if they belonged to the sandbox's user: `idmap.py UID LIST`.

LIST is a file of SOURCE and PLACE pairs, each ended by a NUL. Who owns SOURCE appears as UID at PLACE, and what UID makes
there belongs to that owner on disk; anybody else's files stay anybody else's. Where the file system or the kernel cannot
do that (idmapped mounts: Linux 5.12), SOURCE is shown as it is, with the rights that it gives to others.

Runs as root, in the mount namespace of one sandbox, before the wall is built.
"""

import ctypes
import os
import signal
import sys

OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
OPEN_TREE_CLONE, OPEN_TREE_CLOEXEC = 1, os.O_CLOEXEC
MOVE_MOUNT_F_EMPTY_PATH = 4
MOUNT_ATTR_IDMAP = 0x00100000
CLONE_NEWUSER = 0x10000000
MS_BIND, MS_REC = 4096, 16384

libc = ctypes.CDLL(None, use_errno=True)


class MountAttributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd")]


def check(value):
    if value < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return value


def syscall(number, *arguments):
    return check(libc.syscall(ctypes.c_long(number), *arguments))


def user_namespace(owner_uid, owner_gid, uid):
    """A descriptor of a user namespace that maps the owner to the sandbox's user."""
    ready_out, ready_in = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(ready_in, b"x" if libc.unshare(CLONE_NEWUSER) == 0 else b"")
        os.close(ready_in)
        signal.pause()
    try:
        os.close(ready_in)
        if os.read(ready_out, 1) != b"x":
            raise OSError("no user namespace")
        for name, owner in ("uid_map", owner_uid), ("gid_map", owner_gid):
            with open(f"/proc/{child}/{name}", "w") as file:
                file.write(f"{owner} {uid} 1")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(ready_out)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def show_as_user(source, place, uid):
    owner = os.stat(source)
    namespace = user_namespace(owner.st_uid, owner.st_gid, uid)
    tree = syscall(OPEN_TREE, AT_FDCWD, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE)
    attributes = MountAttributes(attr_set=MOUNT_ATTR_IDMAP, userns_fd=namespace)
    syscall(MOUNT_SETATTR, tree, b"", AT_EMPTY_PATH | AT_RECURSIVE, ctypes.byref(attributes), ctypes.sizeof(attributes))
    syscall(MOVE_MOUNT, tree, b"", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH)


def show_as_is(source, place):
    check(libc.mount(source, place, None, MS_BIND | MS_REC, None))


def main(uid, list_file):
    with open(list_file, "rb") as file:
        paths = file.read().split(b"\0")[:-1]
    for source, place in zip(paths[::2], paths[1::2]):
        try:
            show_as_user(source, place, int(uid))
        except OSError:
            show_as_is(source, place)


main(*sys.argv[1:])
