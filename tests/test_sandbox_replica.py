"""What is copied of a folder, what is only linked to, and what a child finds in its environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sandbox_children import state

from devfix.sandbox.box import boxed, remove
from devfix.sandbox.capture import Capture
from devfix.sandbox.enclosure import OPEN
from devfix.sandbox.environment import Homes, child_environment, make_home
from devfix.sandbox.limits import not_enforced
from devfix.sandbox.replica import Replica, TooLargeError

MIB = 2**20


@pytest.fixture
def original(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name in ("package", ".git", "__pycache__", "environment", "data"):
        (folder / name).mkdir(parents=True)
    (folder / "package" / "__init__.py").write_text("x = 1\n")
    (folder / "package" / "tool.sh").write_text("#!/bin/sh\n")
    (folder / "package" / "tool.sh").chmod(0o555)
    (folder / ".git" / "HEAD").write_text("ref")
    (folder / "__pycache__" / "x.pyc").write_text("")
    (folder / "environment" / "pyvenv.cfg").write_text("")
    (folder / "data" / "table.csv").write_text("1,2\n")
    return folder


def copied(original: Path, *, limit: int = MIB, view: Path | None = None) -> Path:
    replica = Replica(original, limit, view)
    replica.plan()
    target = original.parent / "copy"
    replica.make(target)
    return target


def names(folder: Path) -> list[str]:
    return list(state(folder))


def test_histories_caches_and_environments_are_left_out(original: Path) -> None:
    assert names(copied(original)) == [
        "data",
        "data/table.csv",
        "package",
        "package/__init__.py",
        "package/tool.sh",
    ]


def test_where_the_original_can_be_read_they_are_links(original: Path, tmp_path: Path) -> None:
    copy = copied(original, view=tmp_path / "view")
    assert os.readlink(copy / ".git") == str(tmp_path / "view" / ".git")
    assert os.readlink(copy / "environment") == str(tmp_path / "view" / "environment")
    assert not (copy / "__pycache__").exists()


def test_a_copy_can_be_written_and_run(original: Path) -> None:
    tool = copied(original) / "package" / "tool.sh"
    assert os.access(tool, os.W_OK)
    assert os.access(tool, os.X_OK)


def test_links_within_the_folder_stay_within_the_copy(original: Path) -> None:
    (original / "link").symlink_to(original / "data")
    (original / "package" / "table").symlink_to("../data/table.csv")
    copy = copied(original)
    for name in ("link", "package/table"):
        assert os.path.realpath(copy / name).startswith(str(copy))
    assert (copy / "package" / "table").read_text() == "1,2\n"


def test_what_links_lead_to_outside_is_copied(original: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "set.csv").write_text("3,4\n")
    (outside / "round").symlink_to(outside)
    (original / "sets").symlink_to(outside)
    (original / "broken").symlink_to(tmp_path / "nowhere")
    copy = copied(original)
    (copy / "sets" / "set.csv").write_text("mine")
    assert (outside / "set.csv").read_text() == "3,4\n"
    assert not (copy / "broken").exists()


def test_special_files_are_left_out(original: Path) -> None:
    os.mkfifo(original / "pipe")
    assert not (copied(original) / "pipe").exists()


def test_a_folder_that_is_too_large_is_refused(original: Path) -> None:
    (original / "data" / "large.bin").write_bytes(bytes(3 * MIB))
    with pytest.raises(TooLargeError, match=r"3 MiB.*1 MiB.*--max-copy.*data/large.bin \(3 MiB\)"):
        copied(original)


def test_where_the_original_can_be_read_large_files_are_links(original: Path, tmp_path: Path) -> None:
    (original / "data" / "large.bin").write_bytes(bytes(3 * MIB))
    copy = copied(original, view=tmp_path / "view")
    assert os.readlink(copy / "data" / "large.bin") == str(tmp_path / "view" / "data" / "large.bin")
    assert (copy / "data" / "table.csv").is_file()


def test_many_files_beside_each_other_are_one_link(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devfix.sandbox.replica._MANY", 3)
    for number in range(5):
        (original / "data" / f"{number}.png").write_text("")
        (original / "package" / f"part{number}.py").write_text("")
    copy = copied(original, view=tmp_path / "view")
    assert os.readlink(copy / "data") == str(tmp_path / "view" / "data")
    assert not (copy / "package").is_symlink()


def test_a_file_of_the_copy_is_replaced_never_written_through(original: Path, tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text("original")
    with boxed(original, OPEN) as box:
        (box.copy / "shared.py").symlink_to(tmp_path / "shared.py")
        box.write(box.original / "shared.py", b"new")
        assert (box.copy / "shared.py").read_bytes() == b"new"
        (box.copy / "way_out").symlink_to(tmp_path)
        with pytest.raises(ValueError, match="leads outside"):
            box.write(box.original / "way_out" / "shared.py", b"new")
    assert (tmp_path / "shared.py").read_text() == "original"


def test_the_copy_does_not_lie_in_what_is_copied(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(original / "data"))
    with boxed(original, OPEN) as box:
        assert not box.folder.is_relative_to(original)


def test_a_folder_without_rights_is_removed(tmp_path: Path) -> None:
    locked = tmp_path / "folder" / "locked" / "more"
    locked.mkdir(parents=True)
    (locked / "file").write_text("")
    for folder in (locked, locked.parent):
        folder.chmod(0)
    remove(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_a_home_shows_what_is_in_the_users(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".cache" / "torch").mkdir(parents=True)
    (home / "data").mkdir()
    homes = Homes(home, tmp_path / "own", tmp_path / "temporary", shown=True)
    make_home(homes)
    assert os.readlink(homes.own / "data") == str(home / "data")
    assert os.readlink(homes.own / ".cache" / "torch") == str(home / ".cache" / "torch")
    (homes.own / ".cache" / "new").mkdir()
    assert not (home / ".cache" / "new").exists()


def test_a_child_finds_its_own_places_and_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (tmp_path / ".cache" / "huggingface").mkdir(parents=True)
    homes = Homes(tmp_path, tmp_path / "own", tmp_path / "temporary", shown=False)
    found = child_environment(
        {"HOME": "/home/u", "TMPDIR": "/tmp", "KEPT": "1"}, homes, {"ADDED": "2"}, offline=True
    )
    assert (found["HOME"], found["TMPDIR"]) == (str(homes.own), str(homes.temporary))
    assert (found["KEPT"], found["ADDED"], found["PYTHONHASHSEED"]) == ("1", "2", "0")
    assert found["HF_HOME"] == str(tmp_path / ".cache" / "huggingface")
    assert found["PYTHONUSERBASE"] == str(tmp_path / ".local")
    assert (found["HF_HUB_OFFLINE"], found["https_proxy"]) == ("1", "http://127.0.0.1:9")
    online = child_environment({}, homes, {}, offline=False)
    assert "https_proxy" not in online
    assert "HF_HUB_OFFLINE" not in online


def test_a_capture_keeps_both_ends() -> None:
    capture = Capture(head=4, tail=3)
    for piece in (b"ab", b"cdef", b"gh", b"ij"):
        capture.add(piece)
    assert (capture.total, capture.dropped) == (10, 3)
    assert capture.text() == "abcd\n[... 3 bytes left out ...]\nhij"


def test_a_capture_of_little_is_all_of_it() -> None:
    capture = Capture(head=3, tail=9)
    for byte in "aéb".encode():
        capture.add(bytes([byte]))
    assert (capture.text(), capture.dropped) == ("aéb", 0)


def test_what_other_systems_do_not_enforce_is_said() -> None:
    assert not_enforced("linux") == ()
    assert "memory" in not_enforced("win32")
    assert "network" in not_enforced("darwin")
