"""A file has its old bytes or its new ones."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

import pytest

from devfix.atomic_write import Replacement, may_write, write_atomically


def test_the_content_is_replaced_and_the_mode_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.py"
    path.write_bytes(b"old")
    path.chmod(0o751)
    write_atomically(str(path), b"new\r\n")
    assert path.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["run.py"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "a.py", tmp_path / "link.py"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(str(link), b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(str(path), b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_read_only_file_or_folder_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_bytes(b"")
    link = tmp_path / "link.py"
    link.symlink_to("a.py")
    assert may_write(str(link))
    for locked in (tmp_path, tmp_path / "a.py"):
        # Modes do not stop a test that runs as root.
        monkeypatch.setattr(os, "access", lambda path, _, locked=locked: Path(path) != locked)
        assert not may_write(str(link))


@pytest.mark.skipif(not hasattr(os, "chown"), reason="the system has no owners of that kind")
@pytest.mark.parametrize("number", [errno.EPERM, errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_keeps_neither_owners_nor_modes_is_written_to(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "a.py"
    path.write_text("old")
    path.chmod(0o600)
    monkeypatch.setattr(os, "chown", refuse)
    monkeypatch.setattr(os, "chmod", refuse)
    write_atomically(str(path), b"new")
    assert path.read_text() == "new"


@pytest.mark.skipif(os.chmod not in os.supports_fd, reason="the system goes by names")
def test_a_link_in_the_place_of_what_waits_changes_nothing_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "a.py", tmp_path / "other"
    path.write_text("old")
    path.chmod(0o666)
    other.write_text("secret")
    other.chmod(0o600)
    make = tempfile.mkstemp

    def swapped(**named: str) -> tuple[int, str]:
        descriptor, name = make(dir=named["dir"])
        os.unlink(name)
        os.symlink(other, name)
        return descriptor, name

    monkeypatch.setattr(tempfile, "mkstemp", swapped)
    Replacement(str(path), b"new").discard()
    assert stat.S_IMODE(other.stat().st_mode) == 0o600
    assert other.read_text() == "secret"
