"""Parts of the test run: each file is in one of them, and they have about as much to do."""

from __future__ import annotations

from pathlib import Path

import parts
import pytest

FILES = sorted(path.name for path in Path(__file__).parent.glob("test_*.py"))


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_each_file_is_in_one_part(count: int) -> None:
    shared = parts.shared_out(FILES, parts.weights(), count)
    assert len(shared) == count
    assert sorted(name for part in shared for name in part) == FILES


def test_parts_differ_by_less_than_the_lightest_that_is_written_down() -> None:
    seconds = parts.weights()
    loads = [
        sum(seconds.get(name, 0.5) for name in part) for part in parts.shared_out(FILES, parts.weights(), 3)
    ]
    assert max(loads) - min(loads) <= 1


def test_the_heaviest_go_to_the_lightest_parts() -> None:
    seconds = {"a": 9.0, "b": 5.0, "c": 4.0, "light": 0.1}
    found = parts.shared_out(["light", "c", "b", "a", "unknown"], seconds, 2)
    assert found == [["a", "unknown"], ["b", "c", "light"]]


def test_what_is_written_down_is_of_files_that_are_there() -> None:
    assert set(parts.weights()) <= set(FILES)


def test_files_are_weighed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    written = pytester.path / "part_weights.txt"
    written.write_text("# seconds\n7 test_other.py\n3 test_gone.py\n2 test_light.py\n", encoding="utf-8")
    monkeypatch.setattr(parts, "WEIGHTS", written)
    work = "import time\ndef test_it():\n    while time.process_time() - began < {}: pass\nbegan = time.process_time()\n"
    pytester.makepyfile(test_heavy=work.format(1.3), test_light="def test_it(): pass", test_other="")
    result = pytester.inline_run(
        "-p", "no:asyncio", "test_heavy.py", "test_light.py", plugins=[parts.Scales()]
    )
    result.assertoutcome(passed=2)
    lines = written.read_text(encoding="utf-8").splitlines()[1:]
    assert [line.split()[1] for line in lines] == ["test_heavy.py", "test_other.py"]
    assert float(lines[0].split()[0]) >= 1
    assert lines[1] == "7 test_other.py"
