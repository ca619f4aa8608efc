"""Capture: the beginning and the end of a stream, however long it is."""

from __future__ import annotations

from collections import deque


class Capture:
    """Keeps the first ``head`` bytes and the last ``tail`` bytes of what is added."""

    def __init__(self, head: int, tail: int) -> None:
        self.total = 0
        self._head = bytearray()
        self._room = head
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._tail_limit = tail

    def add(self, data: bytes) -> None:
        """Take in the next piece of the stream."""
        self.total += len(data)
        taken = data[: self._room - len(self._head)]
        self._head += taken
        rest = data[len(taken) :]
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_limit:
            self._tail_size -= len(self._tail.popleft())

    @property
    def dropped(self) -> int:
        """How many bytes between head and tail were let go."""
        return self.total - len(self._head) - len(self._kept_tail())

    def text(self) -> str:
        """What was kept; a line says how much is missing where something is."""
        if not self.dropped:
            return _decoded(bytes(self._head) + self._kept_tail())
        missing = f"\n[... {self.dropped} bytes left out ...]\n"
        return _decoded(bytes(self._head)) + missing + _decoded(self._kept_tail())

    def _kept_tail(self) -> bytes:
        joined = b"".join(self._tail)
        return joined[-self._tail_limit :] if self._tail_limit else b""


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
