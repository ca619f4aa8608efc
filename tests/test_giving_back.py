"""What libraries hold goes with the process; what the program brought, and what it wrote, ends as it does anyway."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from devfix.simulator import giving_back

_SIMULATOR = Path(__file__).parents[1] / "devfix" / "simulator"
#: Asked of the C library: to write a line when the process ends, as a library might.
_REGISTER = """
import ctypes, sys
c = ctypes.CDLL(None)
c.__cxa_atexit.argtypes = [ctypes.c_void_p] * 3
def at_exit(text):
    line = ctypes.create_string_buffer(text)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(line))  # read when Python has gone
    assert c.__cxa_atexit(ctypes.cast(c.puts, ctypes.c_void_p), ctypes.addressof(line), None) == 0
"""
#: What a library in C and one in C++ leave to the end, which flushes it.
_HELD_BACK = """
stream = ctypes.CDLL("libstdc++.so.6")
stream._ZNSt8ios_base15sync_with_stdioEb(False)
stream._ZNSo5writeEPKcl.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_long]
stream._ZNSo5writeEPKcl(ctypes.addressof(ctypes.c_char.in_dll(stream, "_ZSt4cout")), b"of C++\\n", 7)
c.printf(b"of C\\n")
class Last:
    def __del__(self): print("deleted", flush=True)
last = Last()
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the C library of GNU alone can be asked for it"
)


def ended(program: str, **environment: str) -> tuple[int, list[str]]:
    """The status of a process and the lines that it left."""
    usual = {
        name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "PYTHONUNBUFFERED")
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={**usual, **environment},
        cwd=_SIMULATOR,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


_LEAVE = "import giving_back\ntold = giving_back.leave_to_system()\n"


def test_what_was_there_is_left_to_the_system_and_what_comes_later_ends_as_it_does() -> None:
    program = (
        f"{_REGISTER}at_exit(b'before')\n{_LEAVE}at_exit(b'later')\n{_HELD_BACK}sys.exit(7 if told else 0)"
    )
    status, lines = ended(program)
    assert status == 7
    assert sorted(lines) == ["deleted", "later", "of C", "of C++"]


def test_who_is_below_all_libraries_sees_the_process_to_its_end() -> None:
    program = f"{_REGISTER}at_exit(b'before')\n{_LEAVE}print(told, flush=True)"
    library = importlib.util.find_spec("_ctypes")
    assert library is not None
    assert library.origin is not None
    assert ended(program, LD_PRELOAD=library.origin) == (0, ["False", "before"])


def test_nothing_is_done_where_the_system_knows_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    assert not giving_back.leave_to_system()
