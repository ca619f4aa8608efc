"""Enclosure: a child of its own network, processes and view of the files, as far as the system allows.

Within it the copy lies where the user's folder lies, everything else is read-only, ``/tmp`` and
``/dev/shm`` are private, there is no network but the loop-back, and no process outside can be seen.
When its first process ends, the kernel ends all others.
"""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from devfix.sandbox import system_calls

_TMP = "/tmp"  # noqa: S108 - a place to mount on, not one to write to
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - as above
#: How many entries of the machine's ``/tmp`` the private one shows, the newest ones.
_TMP_ENTRIES = 100
# linux/sockios.h and linux/if.h
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1


@dataclass(frozen=True, slots=True)
class Isolation:
    """Which of the kernel's namespaces a child gets; ``user`` is how others than root get any."""

    user: bool = False
    network: bool = False
    files: bool = False
    processes: bool = False

    def with_network(self) -> Isolation:
        """The same, but with the machine's own network."""
        return replace(self, network=False)

    @property
    def namespaces(self) -> int:
        """The flags for ``unshare``."""
        chosen = (
            (self.user, system_calls.NEW_USER),
            (self.network, system_calls.NEW_NETWORK),
            (self.files, system_calls.NEW_MOUNTS),
            (self.processes, system_calls.NEW_PIDS),
        )
        return sum(flag for wanted, flag in chosen if wanted)


#: No isolation at all.
OPEN = Isolation()


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one sandbox, and the user's folder that the copy stands for.

    ``view`` and ``others`` are where the user's own folder and the machine's ``/tmp`` can be read.
    """

    original: str
    box: str
    copy: str
    view: str
    others: str
    temporary: str


@dataclass(frozen=True, slots=True)
class Command:
    """What is run, where, and with which environment."""

    arguments: Sequence[str]
    folder: str
    environment: Mapping[str, str]


def enter(
    isolation: Isolation, places: Places, command: Command, shared_memory: int, report: Callable[[str], None]
) -> NoReturn:
    """Become the command, within the enclosure.

    ``report`` is told why when that fails. With processes of its own, this process stays outside as
    the one that passes on the request to end, and ends as the command ended.
    """
    try:
        _separate(isolation)
        if isolation.network:
            _switch_on_loop_back()
        if isolation.files:
            _rearrange(places, command, shared_memory)
        if isolation.processes:
            _stand_by(command, report)
        _become(command)
    except BaseException as error:  # noqa: BLE001 - a forked copy must not go on with the work of its parent
        with contextlib.suppress(OSError):
            report(f"{type(error).__name__}: {error}")
    finally:
        os._exit(1)


def _separate(isolation: Isolation) -> None:
    if not isolation.namespaces:
        return
    user, group = os.getuid(), os.getgid()
    system_calls.unshare(isolation.namespaces)
    if isolation.user:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def _switch_on_loop_back() -> None:
    import fcntl  # noqa: PLC0415 - not on Windows
    import socket  # noqa: PLC0415 - as above

    # Programs that talk to themselves (process groups, loaders) need it; it leads nowhere else.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        flags = struct.unpack("16sH14x", fcntl.ioctl(any_socket, _GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))


def _rearrange(places: Places, command: Command, shared_memory: int) -> None:
    system_calls.keep_mounts_private()
    # On itself, so that it is a mount that can be writable.
    system_calls.bind(places.box, places.box)
    system_calls.bind(places.original, places.view)
    system_calls.bind(places.copy, places.original)
    system_calls.mount_new("tmpfs", _SHARED_MEMORY, f"mode=1777,size={shared_memory}")
    _fill(places, command)
    system_calls.bind(places.temporary, _TMP)
    system_calls.make_everything_read_only()
    for place in (places.original, places.box, _TMP, _SHARED_MEMORY, "/proc"):
        system_calls.make_writable(place)


def _fill(places: Places, command: Command) -> None:
    """Let the private ``/tmp`` show what is in the machine's.

    The ways to what the program needs are the same paths; the rest, to save time, are links: to what the environment
    names, as it names interpreters and packages, and to the newest.
    """
    system_calls.bind(_TMP, places.others)
    needed = _first_steps(_TMP, (places.box, places.original, command.arguments[0]))
    named = _first_steps(
        _TMP, [path for value in command.environment.values() for path in value.split(os.pathsep)]
    )
    for name in sorted(needed.union(named, _newest(_TMP))):
        here, there = os.path.join(_TMP, name), os.path.join(places.temporary, name)
        # What cannot be shown, or is gone by now, is not there for the program.
        with contextlib.suppress(OSError):
            if name in needed and os.path.isdir(here):
                os.mkdir(there)
                system_calls.bind(here, there)
            else:
                os.symlink(os.path.join(places.others, name), there)


def _newest(folder: str) -> list[str]:
    ages = {}
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):
            ages[entry.name] = entry.stat(follow_symlinks=False).st_mtime
    return sorted(ages, key=lambda name: ages[name], reverse=True)[:_TMP_ENTRIES]


def _first_steps(folder: str, paths: Sequence[str]) -> set[str]:
    """The entries of a folder that lie on the way to ``paths``."""
    prefix = folder + os.sep
    return {path.removeprefix(prefix).split(os.sep)[0] for path in paths if path.startswith(prefix)}


def _stand_by(command: Command, report: Callable[[str], None]) -> NoReturn:
    """Start the first process of the new namespace, and end as the command in it ends."""
    receiver, sender = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(receiver)
        _lead(command, sender, report)
    os.close(sender)
    signal.signal(signal.SIGTERM, lambda number, _frame: os.kill(first, number))
    os.waitpid(first, 0)
    status = os.read(receiver, 16)
    _end_as(int(status) if status else signal.SIGKILL)


def _lead(command: Command, sender: int, report: Callable[[str], None]) -> NoReturn:
    """Be the first process of the namespace: start the command, reap, and tell how it ended."""
    try:
        system_calls.die_with_parent(signal.SIGKILL)
        system_calls.mount_new(
            "proc",
            "/proc",
            flags=system_calls.NO_SUID | system_calls.NO_DEVICES | system_calls.NO_PROGRAMS,
        )
        child = os.fork()
        if child == 0:
            _become(command)
        signal.signal(signal.SIGTERM, lambda number, _frame: os.kill(child, number))
        while True:
            pid, status = os.wait()
            if pid == child:
                os.write(sender, str(status).encode())
                break
    except BaseException as error:  # noqa: BLE001 - as in `enter`
        report(f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def _become(command: Command) -> NoReturn:
    # Python ignores these; a program expects to find them as the system has them.
    for name in ("SIGPIPE", "SIGXFSZ", "SIGTERM", "SIGINT"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    os.chdir(command.folder)
    os.execvpe(command.arguments[0], list(command.arguments), dict(command.environment))  # noqa: S606 - no shell is wanted


def _end_as(status: int) -> NoReturn:
    """End as a process with this wait status did."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def choices() -> list[Isolation]:
    """The isolations worth trying on this system, the strongest first; the last one always works."""
    if sys.platform != "linux":
        return [OPEN]
    ways = [Isolation(network=True, files=True, processes=True), Isolation(network=True, files=True)]
    ways.append(Isolation(network=True))
    as_root = ways if os.geteuid() == 0 else []
    as_user = [Isolation(True, way.network, way.files, way.processes) for way in ways]
    paired = [*as_root, *as_user]
    paired.sort(key=lambda way: -(way.files + way.processes))
    return [*paired, OPEN]
