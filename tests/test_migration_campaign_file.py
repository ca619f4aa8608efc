"""A campaign file is understood whole, or refused with the line and the key."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_migration_fleet import asked

from devfix.migration.campaign import Campaign, CampaignError, Limits
from devfix.migration.campaign_file import load_campaign, parse_campaign
from devfix.migration.key_lines import key_lines, line_of

GOOD = '''\
[campaign]
name = "gpu"
branch = "devfix/gpu"
message = """
Use {rules} in {repository}

By devfix."""
repositories = [
    "one", # [the first]
    "https://git.example/o/two.git",
    "git@git.example:o/three.git",
]
exclude = ["o/three"]
verify = "pytest -q"
unsafe = true
limits = { verify = 60, memory = 1_000_000_000 }

[[repository]]
source = "sub/four"
verify = "make test"
revision = "release/1.0"

[[repository]]
source = "five"
"prove" = "train.py --epochs 1"
'''


def parse(text: str, folder: Path = Path("/c")) -> Campaign:
    return parse_campaign(text, folder / "gpu.toml")


def test_everything_is_understood() -> None:
    campaign = parse(GOOD)
    assert (campaign.name, campaign.branch, campaign.place) == ("gpu", "devfix/gpu", Path("/c/gpu"))
    assert [each.name for each in campaign.repositories] == ["one", "two", "four", "five"]
    assert [each.verify for each in campaign.repositories] == [
        "pytest -q",
        "pytest -q",
        "make test",
        "pytest -q",
    ]
    assert [each.source.is_path for each in campaign.repositories] == [True, False, True, True]
    assert campaign.repositories[0].source.address == "/c/one"
    assert campaign.repositories[2].revision == "release/1.0"
    assert campaign.repositories[3].prove == "train.py --epochs 1"
    assert campaign.limits == Limits(verify=60.0, memory=1_000_000_000)
    assert campaign.left_out == ("three",)
    assert campaign.unsafe
    assert not campaign.adopt


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('name = "gpu"', "", 1, "`campaign.name`: `name` is missing"),
        (
            "unsafe = true",
            "unsave = true",
            15,
            "`campaign.unsave`: is no key of [campaign]; did you mean `unsafe`?",
        ),
        ("unsafe = true", "unsafe = 1", 15, "`campaign.unsafe`: must be true or false"),
        ('name = "gpu"', 'name = "../x"', 2, "`campaign.name`: must be letters"),
        ('"devfix/gpu"', '"-f"', 3, "`campaign.branch`: `-f` is no name for a branch"),
        ('"devfix/gpu"', '"a..b"', 3, "`campaign.branch`: "),
        (
            "{rules}",
            "{rules.__class__}",
            4,
            "`campaign.message`: `{rules.__class__}` is not one of campaign, ",
        ),
        ("{rules}", "{", 4, "`campaign.message`: is no template: "),
        ('"one"', "1", 8, "`campaign.repositories`: must be a list of strings"),
        ('"one"', '"ext::sh -c id"', 8, "`campaign.repositories`: `ext::sh -c id` uses `ext::`"),
        ('"one"', '"--upload-pack=id"', 8, "is no path or URL of a repository"),
        ('"one"', '"ftp://a/b"', 8, "uses `ftp`, which is not one of https"),
        ("verify = 60", "verify = -1", 16, "`campaign.limits.verify`: must be a number above 0"),
        (
            "memory =",
            "memroy =",
            16,
            "`campaign.limits.memroy`: is no key of [campaign.limits]; did you mean `memory`?",
        ),
        ("[[repository]]\nsource", "[[repositry]]\nsource", 18, "did you mean `repository`?"),
        ('revision = "release/1.0"', 'revision = "a b"', 21, "`repository.revision`: `a b` is no branch"),
        ('source = "five"', "", 23, "`repository.source`: `source` is missing"),
        ('source = "five"', 'source = "one"', 24, "is listed twice with different settings, first at"),
        ('"five"', '"five"\nsorce = 1', 25, "`repository.sorce`: is no key of [repository]"),
        ('exclude = ["o/three"]', 'repositories-file = "none.txt"', 13, "No such file or directory"),
        ("unsafe = true", 'engine = "rya"', 15, "`campaign.engine`: must be local or ray"),
        (
            "unsafe = true",
            "concurrency = -1",
            15,
            "`campaign.concurrency`: must be a whole number, 0 or more",
        ),
        ("unsafe = true", 'author = "me"', 15, "`campaign.author`: must read `Name <address>`"),
        ("unsafe = true", 'opt-out = "../x"', 15, "`campaign.opt-out`: must be a path within the repository"),
        ("unsafe = true", "unsafe = ", 15, "line 15"),
    ],
)
def test_what_makes_no_sense_is_told_with_line_and_key(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert GOOD.count(old) >= 1
    with pytest.raises(CampaignError) as caught:
        parse(GOOD.replace(old, new, 1), tmp_path)
    said = str(caught.value)
    assert message in said
    assert f"gpu.toml:{line}: " in said or f"line {line}," in said


def test_a_list_of_repositories_is_read_with_its_own_lines(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    listed = tmp_path / "lists" / "all.txt"
    listed.write_text("# all of ours\n\none # the first\nhttps://u:secret-word@git.example/o/two#x\none\n")
    text = '[campaign]\nname = "a"\nbranch = "b"\nrepositories-file = "lists/all.txt"\n'
    campaign = parse(text, tmp_path)
    assert [each.source.bare for each in campaign.repositories] == [
        str(tmp_path / "lists" / "one"),
        "https://git.example/o/two#x",
    ]
    listed.write_text("one\next::id\n")
    with pytest.raises(CampaignError, match=r"all\.txt:2: `ext::id` uses"):
        parse(text, tmp_path)


def test_repositories_of_one_name_are_told_apart() -> None:
    listed = ["a/x", "b/x", "https://h/a/x.git", "c/y"]
    text = f'[campaign]\nname = "a"\nbranch = "b"\nrepositories = {listed}\n'
    names = [each.name for each in parse(text).repositories]
    assert len(set(names)) == 4
    assert names[1] == "b/x"
    assert names[3] == "y"


def test_credentials_do_not_make_another_repository_of_it() -> None:
    texts = [
        f'[campaign]\nname="a"\nbranch="b"\nrepositories=["https://{user}h/o/x"]' for user in ("", "u:p@")
    ]
    first, second = (parse(text).repositories[0] for text in texts)
    assert first.key == second.key
    assert "u:p" not in repr(second)


def test_the_command_tells_it_as_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gpu.toml").write_text(
        '[campaign]\nname = "a"\nbranch = "b"\nrepositories = ["x"]\nselect = ["DF1O2"]\n'
    )
    said = "error: gpu.toml:5: `campaign.select`: no rule is called `DF1O2`; did you mean `DF102`?\n"
    assert asked("plan", "gpu.toml") == (2, "", said)
    assert asked("run", "gpu.toml") == (2, "", said)
    assert asked("status", "none.toml") == (2, "", "error: none.toml: No such file or directory\n")


def test_before_a_run_there_is_no_state_and_reading_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gpu.toml").write_text('[campaign]\nname = "a"\nbranch = "b"\nrepositories = ["x"]\n')
    for word in ("status", "export", "report"):
        code, _, errors = asked(word, "gpu.toml")
        assert code == 2
        assert "there is no state" in errors
    assert asked("plan", "gpu.toml")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gpu.toml"]
    assert load_campaign(tmp_path / "gpu.toml").state == tmp_path / "a" / "state.db"


VALUES = st.sampled_from(
    [
        "1",
        '"x"',
        "'a]b'",
        '"""\n[no]\nkey = 1\n"""',
        "'''\nk = 2'''",
        "[\n  1, # ]\n  2,\n]",
        '{ a = "}" }',
        '"\\""',
    ]
)


@given(st.lists(st.tuples(st.sampled_from(["a", "b-c", '"d e"']), VALUES), max_size=6))
def test_lines_of_keys_are_found_behind_values_of_any_kind(pairs: list[tuple[str, str]]) -> None:
    lines: list[str] = []
    wanted: dict[tuple[str, str], int] = {}
    for number, (key, value) in enumerate(pairs):
        wanted[f"t{number}", key.strip('"')] = "\n".join(lines).count("\n") + 1 + bool(lines) + 1
        lines += [f"[t{number}]", f"{key} = {value}"]
    found = key_lines("\n".join(lines))
    assert {path: found.get(path) for path in wanted} == wanted
    assert line_of(found, ("t0", "nothing")) == 1
