"""System calls of Linux that Python 3.10 has no name for; each raises OSError."""

from __future__ import annotations

import ctypes
import os
from functools import cache

# linux/sched.h
NEW_MOUNTS = 0x0002_0000
NEW_USER = 0x1000_0000
NEW_PIDS = 0x2000_0000
NEW_NETWORK = 0x4000_0000
# linux/mount.h
NO_SUID, NO_DEVICES, NO_PROGRAMS = 0x2, 0x4, 0x8
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x4_0000
_ATTRIBUTE_READ_ONLY = 0x1
# fcntl.h
_HERE, _WHOLE_TREE = -100, 0x8000
# linux/prctl.h
_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36
#: The number of mount_setattr (Linux 5.12) is the same on every architecture.
_MOUNT_SETATTR = 442


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_library(), name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def unshare(namespaces: int) -> None:
    """Leave the namespaces of the parent for new ones."""
    _call("unshare", ctypes.c_int(namespaces))


def bind(source: str, target: str) -> None:
    """Let ``target`` show what is at ``source``, with all that is mounted below."""
    _mount(source, target, None, _BIND | _RECURSIVE)


def mount_new(kind: str, target: str, options: str = "", flags: int = NO_SUID | NO_DEVICES) -> None:
    """Mount a new file system of a kind."""
    _mount(kind, target, kind, flags, options)


def keep_mounts_private() -> None:
    """From now on what is mounted here is not seen elsewhere."""
    _mount("none", "/", None, _RECURSIVE | _PRIVATE)


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    kind_name = None if kind is None else kind.encode()
    _call(
        "mount",
        os.fsencode(source),
        os.fsencode(target),
        kind_name,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )


def make_everything_read_only() -> None:
    """Make every mounted file system read-only for this process and its children."""
    _set_attributes("/", _WHOLE_TREE, _MountAttributes(set=_ATTRIBUTE_READ_ONLY))


def make_writable(mount_point: str) -> None:
    """Take the read-only mark from one mounted file system, not from those below it."""
    _set_attributes(mount_point, 0, _MountAttributes(clear=_ATTRIBUTE_READ_ONLY))


def _set_attributes(path: str, flags: int, attributes: _MountAttributes) -> None:
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    number, folder = ctypes.c_long(_MOUNT_SETATTR), ctypes.c_int(_HERE)
    name, flag = ctypes.c_char_p(os.fsencode(path)), ctypes.c_uint(flags)
    _call("syscall", number, folder, name, flag, ctypes.byref(attributes), size)


def die_with_parent(signal_number: int) -> None:
    """Have the kernel send this process a signal when its parent dies."""
    _call("prctl", ctypes.c_int(_PARENT_DEATH_SIGNAL), ctypes.c_ulong(signal_number))


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, also of those that detached themselves."""
    _call("prctl", ctypes.c_int(_CHILD_SUBREAPER), ctypes.c_ulong(1))
