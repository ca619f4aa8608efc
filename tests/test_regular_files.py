"""What is read of a folder that may hold anything, and what reading leaves behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from devfix.regular_files import read_regular, read_small


@pytest.mark.parametrize(("most", "read"), [(9, b"abc"), (3, b"abc"), (2, b"abc"), (1, b"ab")])
def test_no_more_than_one_byte_too_many_is_read(most: int, read: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    assert read_regular(path, most) == read


@pytest.mark.skipif(not Path("/proc/version").is_file(), reason="there are files of no known size on Linux")
def test_a_file_that_has_more_than_it_says_is_read_to_its_end() -> None:
    assert read_small("/proc/version") == Path("/proc/version").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="folders can be opened on POSIX systems, and have pipes there")
@pytest.mark.parametrize(
    ("name", "reason"), [("folder", os.strerror(errno.EISDIR)), ("pipe", "is not a regular file")]
)
def test_what_is_refused_is_closed(name: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    next_one = os.open(tmp_path, os.O_RDONLY)
    os.close(next_one)
    with pytest.raises(OSError, match=reason):
        read_small(tmp_path / name)
    after = os.open(tmp_path, os.O_RDONLY)
    os.close(after)
    assert after == next_one
