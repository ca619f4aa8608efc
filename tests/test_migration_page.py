"""The page of a campaign: it needs nothing, runs nothing of a repository, and works in a real browser."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import browser
import pytest
from fleet import git, make_repository
from hypothesis import given, settings
from hypothesis import strategies as st

from devfix.migration.page import render
from devfix.migration.page.burndown import burndown
from devfix.migration.page.diff_rows import diff_files
from devfix.migration.reading import CampaignReading, RepositoryReading
from devfix.migration.steps import Outcome, Step, StepResult

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
DIFF = """\
diff --git a/train.py b/train.py
index 1..2 100644
--- a/train.py
+++ b/train.py
@@ -1,4 +1,5 @@ def f():
 import torch
-x = torch.ones(4, 3)
-y = 1
+x = torch.ones(4, 3, device=device)
+y = 2
+z = 3
 print(x)
"""


def result(step: Step, at: float = 1000.0, outcome: Outcome = Outcome.DONE, **others: Any) -> StepResult:
    return StepResult(step, "i", outcome, started=at, seconds=1.0, **others)


def finding(message: str = "x is on the CPU") -> dict[str, Any]:
    return {
        "code": "DF102",
        "rule": "operand-not-moved",
        "message": message,
        "path": "train.py",
        "cell": None,
        "line": 7,
        "column": 1,
        "fix": "move x",
        "applicability": "safe",
    }


def changed(number: int, message: str = "x is on the CPU") -> RepositoryReading:
    at = 1000.0 + 10 * number
    applied = {
        "changed": ["train.py"],
        "fixed": [finding(message)],
        "fixed_count": 1,
        "left": [],
        "left_count": 0,
    }
    applied |= {"rules": {"DF102 operand-not-moved": 1}, "unread": [], "crashes": []}
    run: dict[str, Any] = {
        "passes": True,
        "status": 0,
        "limit": None,
        "run_seconds": 0.5,
        "failing": [],
        "command": "pytest -q",
    }
    results = [
        result(Step.FETCH, at, data={"base": "b" * 40}),
        result(Step.APPLY, at, data=applied, files={"diff": DIFF.encode()}),
        result(Step.VERIFY_BEFORE, at, data=run, log="1 passed"),
        result(
            Step.VERIFY_AFTER, at, data={**run, "judgement": "passes", "ours": []}, log="1 passed " + HOSTILE
        ),
        result(Step.COMMIT, at, data={"commit": "c" * 40}),
    ]
    return RepositoryReading(f"k{number}", f"team/r{number}", "/r", {each.step: each for each in results})


def failed(number: int, reason: str) -> RepositoryReading:
    ended = result(Step.FETCH, 1000.0 + 10 * number, Outcome.FAILED, reason=reason, log=reason)
    return RepositoryReading(f"k{number}", f"team/r{number}", HOSTILE, {Step.FETCH: ended})


def campaign(*repositories: RepositoryReading) -> CampaignReading:
    return CampaignReading("gpu", "devfix/gpu", repositories, ((1, 999.0, 1100.0, "ended"),))


READING = campaign(
    changed(0, HOSTILE),
    changed(1),
    failed(2, "git fetch: 'x' does not exist"),
    failed(3, HOSTILE),
    RepositoryReading("k4", HOSTILE, "/r4"),
)


def page_of(reading: CampaignReading) -> str:
    results: Mapping[str, Mapping[Step, StepResult]] = {
        each.key: each.results for each in reading.repositories
    }
    return render(reading, lambda key: results[key])


def test_it_needs_no_other_file_and_allows_its_own_script_alone() -> None:
    page = page_of(campaign(changed(1)))
    assert not re.search(r"<[a-z][^>]*\b(?:src|href)\s*=|url\(|@import|<link", page)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_what_repositories_say_is_text() -> None:
    page = page_of(READING)
    assert HOSTILE not in page
    assert "<img" not in page


def test_a_campaign_that_has_not_begun_has_a_page() -> None:
    page = page_of(CampaignReading("gpu", "b", (RepositoryReading("k", "n", "/r"),)))
    assert "0 of 1 repositories done" in page
    assert "<svg" not in page


def test_lines_that_change_stand_side_by_side() -> None:
    (file,) = diff_files(DIFF, 100)
    (hunk,) = file["hunks"]
    assert (file["path"], file["cut"], hunk["heading"]) == ("train.py", False, "def f():")
    assert hunk["rows"] == [
        (1, "import torch", 1, "import torch"),
        (2, "x = torch.ones(4, 3)", 2, "x = torch.ones(4, 3, device=device)"),
        (3, "y = 1", 3, "y = 2"),
        (None, None, 4, "z = 3"),
        (4, "print(x)", 5, "print(x)"),
    ]
    (cut,) = diff_files(DIFF, 2)
    assert (len(cut["hunks"][0]["rows"]), cut["cut"]) == (2, True)


LINES = st.lists(st.sampled_from(["a", "b", "", "-- c", "++ d", " e", "@@ f", "diff --git x"]), max_size=12)


@settings(max_examples=25)
@given(before=LINES, after=LINES)
def test_rows_hold_both_texts(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("d")
    texts = ["".join(f"{line}\n" for line in lines) for lines in (before, after)]
    for name, text in zip("ab", texts, strict=True):
        (folder / name).write_text(text)
    words = ["git", "diff", "--no-index", "--no-color", "-U99", "a", "b"]
    diff = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False).stdout
    rows = [row for file in diff_files(diff, 1000) for hunk in file["hunks"] for row in hunk["rows"]]
    if before == after:
        assert rows == []
        return
    assert [row[1] for row in rows if row[1] is not None] == before
    assert [row[3] for row in rows if row[3] is not None] == after
    assert [row[0] for row in rows if row[0] is not None] == list(range(1, len(before) + 1))
    assert [row[2] for row in rows if row[2] is not None] == list(range(1, len(after) + 1))


def test_names_that_git_quotes_are_read(tmp_path: Path) -> None:
    names = ["new\nline.py", "ünï.py", "a b'c\"d.py", "tab\t.py", "back\\slash.py"]
    make_repository(tmp_path / "r", dict.fromkeys(names, "x = 1\n"))
    for name in names:
        (tmp_path / "r" / name).write_text("x = 2\n")
    diff = git(tmp_path / "r", "diff")
    assert sorted(file["path"] for file in diff_files(diff, 100)) == sorted(names)


def test_pauses_between_runs_are_left_out_of_the_burndown() -> None:
    day = 86_400.0
    late = failed(9, "x")
    ended = {Step.FETCH: result(Step.FETCH, 1000.0 + day, Outcome.FAILED, reason="x")}
    late = RepositoryReading("k9", "r9", "/r", ended)
    runs = ((1, 1000.0, None, "killed"), (2, 990.0 + day, 1010.0 + day, "ended"))
    drawing = burndown(CampaignReading("c", "b", (changed(0), changed(1), late), runs))
    # 11 seconds until the last step of the run that was killed, and 20 of the other one.
    assert "0 of 3 repositories left after 31 s of work" in drawing
    assert drawing.count('class="break"') == 1


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    if browser.CHROMIUM is None:
        pytest.skip("there is no Chromium")
    page = tmp_path_factory.mktemp("page") / "report.html"
    page.write_text(page_of(READING), encoding="utf-8")
    with browser.browser() as opened:
        opened.resize(1280, 900)
        opened.open(page)
        yield opened


VISIBLE = "[...document.querySelectorAll('.repository')].filter(row => row.offsetParent).map(row => row.dataset.key)"


def test_a_browser_finds_nothing_to_complain_about(shown: browser.Browser) -> None:
    assert shown.ask(VISIBLE) == ["k0", "k1", "k2", "k3", "k4"]
    assert shown.ask("document.title") == "devfix migrate: gpu"
    assert shown.complaints == []


def test_the_keyboard_does_everything(shown: browser.Browser) -> None:
    shown.press("/", *"does not exist")
    assert shown.ask(VISIBLE) == ["k2"]
    assert shown.ask("document.getElementById('shown').value") == "1 of 5"
    shown.press("Escape")
    assert shown.ask(VISIBLE) == ["k0", "k1", "k2", "k3", "k4"]
    shown.press("j", "j", "k", "Enter")
    opened = "document.querySelector('.repository.open')"
    assert shown.ask(f"{opened}.dataset.key") == "k0"
    assert shown.ask(f"{opened}.querySelectorAll('.side .come').length") == 6
    assert shown.ask(f"{opened}.querySelector('.come mark').textContent") == ", device=device"
    # What a repository says is shown and not done.
    assert HOSTILE in shown.ask(f"{opened}.textContent")
    assert shown.ask("document.title") == "devfix migrate: gpu"
    shown.press("Escape")
    assert shown.ask(opened) is None
    assert shown.complaints == []


def test_standings_and_reasons_filter(shown: browser.Browser) -> None:
    shown.ask("document.querySelector('[data-standing=failed].tile').click()")
    assert shown.ask(VISIBLE) == ["k2", "k3"]
    shown.ask("document.querySelector('[data-standing=failed].tile').click()")
    shown.ask("document.querySelector('[data-find*=operand]').click()")
    assert shown.ask("document.getElementById('search').value") == "DF102 operand-not-moved"
    assert shown.ask(VISIBLE) == ["k0", "k1"]
    shown.press("Escape")
    order = "document.getElementById('order')"
    shown.ask(f"{order}.value = 'seconds'; {order}.dispatchEvent(new Event('change'))")
    assert sorted(shown.ask(VISIBLE)) == ["k0", "k1", "k2", "k3", "k4"]
    shown.ask(f"{order}.value = ''; {order}.dispatchEvent(new Event('change'))")
    assert shown.ask(VISIBLE) == ["k0", "k1", "k2", "k3", "k4"]


def test_a_phone_shows_it_without_scrolling_sideways(shown: browser.Browser) -> None:
    shown.resize(360, 740)
    shown.press("j", "Enter")
    assert shown.ask("document.querySelector('.open .side') !== null")
    assert shown.ask("document.documentElement.scrollWidth <= innerWidth")
    assert shown.ask("getComputedStyle(document.querySelector('.side .before.same')).display") == "none"
    shown.press("Escape")
    shown.resize(1280, 900)


def test_it_is_dark_or_light_as_one_likes(shown: browser.Browser) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    shown.prefer("light")
    light = shown.ask(ground)
    shown.prefer("dark")
    dark = shown.ask(ground)
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(13, 17, 23)")
    shown.press("t")
    assert shown.ask(ground) == light
    shown.press("t")
    assert shown.ask(ground) == dark
