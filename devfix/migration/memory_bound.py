"""Memory bound: a ceiling for the memory of this process while it works on one repository."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from devfix.sandbox.limits import default_memory


@contextlib.contextmanager
def bounded_memory(size: int) -> Iterator[None]:
    """Let asking for more than ``size`` bytes (0: most of the machine's) fail with MemoryError, where the system can."""
    if sys.platform == "win32":
        yield
        return
    import resource  # noqa: PLC0415 - not on Windows

    usual = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = size or default_memory()
    ceiling = wanted if usual[1] == resource.RLIM_INFINITY else min(wanted, usual[1])
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (ceiling, usual[1]))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, usual)
