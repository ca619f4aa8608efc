"""Settings are read strictly: what is not understood is an error."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devfix.config import Asked, ConfigError, Configuration, Glob, Settings, configuration_of, globs
from devfix.config.configuration import user_file
from devfix.config.keys import KEYS, read_value
from devfix.config.places import line_of
from devfix.config.settings import RuleChoice
from devfix.config.versions import satisfies

NOWHERE = Configuration(fixed=())


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


def write(name: str, text: str) -> Path:
    path = Path(name).absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def of(path: str, **asked: Any) -> Settings:
    return configuration_of(Asked(**asked)).of(path)


def test_every_key_is_read(tmp_path: Path) -> None:
    write(
        "pyproject.toml",
        """
[tool.devfix]
required-version = ">=0.1"
select = ["DF1"]
extend-select = ["DF7"]
ignore = ["created-on-cpu"]
extend-ignore = ["DF4"]
exclude = ["vendor", "old/*.py"]
extend-exclude = ["generated"]
fixable = ["ALL"]
extend-fixable = ["DF2"]
unfixable = ["DF3"]
extend-safe-fixes = ["DF5"]
extend-unsafe-fixes = ["DF6"]
force-exclude = true
device-policy = "mps-aware"
output-format = "concise"
baseline = "devfix-baseline.json"
cache-dir = ".cache"
src = ["src"]
[tool.devfix.per-file-ignores]
"tests/*" = ["DF4"]
[tool.devfix.extend-per-file-ignores]
"more/*" = ["DF1"]
""",
    )
    root = str(tmp_path)
    assert of("a.py") == Settings(
        select=("DF1",),
        extend_select=("DF7",),
        ignore=("created-on-cpu", "DF4"),
        per_file_ignores=((Glob("tests/*", root), ("DF4",)), (Glob("more/*", root), ("DF1",))),
        exclude=globs("vendor", "old/*.py", "generated", root=root),
        fixable=("ALL",),
        extend_fixable=("DF2",),
        unfixable=("DF3",),
        extend_safe_fixes=("DF5",),
        extend_unsafe_fixes=("DF6",),
        force_exclude=True,
        device_policy="mps-aware",
        output_format="concise",
        baseline=str(tmp_path / "devfix-baseline.json"),
        cache_dir=str(tmp_path / ".cache"),
        src=(str(tmp_path / "src"),),
        root=root,
    )


def test_settings_are_plain_data() -> None:
    assert hash(Settings()) == hash(Settings())
    assert repr(Settings()) == repr(Settings())
    assert Settings() != Settings(ignore=("DF1",))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("selct", [], "unknown key `selct` in [tool.devfix]; did you mean `select`?"),
        (
            "device_policy",
            "cuda",
            "unknown key `device_policy` in [tool.devfix]; did you mean `device-policy`?",
        ),
        ("zzz", 1, "unknown key `zzz` in [tool.devfix]; the keys are baseline, cache-dir, device-policy"),
        ("select", "DF1", "`select` must be a list of strings"),
        ("ignore", [1], "`ignore` must be a list of strings"),
        ("device-policy", "rocm", "`device-policy` must be one of cuda, mps-aware, accelerator"),
        ("device-policy", ["cuda"], "`device-policy` must be one of"),
        ("baseline", 3, "`baseline` must be a string"),
        ("force-exclude", "yes", "`force-exclude` must be true or false"),
        ("per-file-ignores", ["a"], "`per-file-ignores` must be a table"),
        ("per-file-ignores", {"a.py": "DF1"}, "`per-file-ignores.a.py` must be a list of strings"),
        ("exclude", ["{a,b}" * 30], "`exclude` has a glob that stands for more than 1,000 others"),
        ("per-file-ignores", {"{a,b,c}" * 7: ["DF1"]}, "`per-file-ignores` has a glob that stands for more"),
    ],
)
def test_nonsense_is_an_error(key: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_value(key, value, ".", "[tool.devfix]")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "pyproject.toml",
            "[tool.devfix]\n\nselct = []\n",
            "pyproject.toml:3: unknown key `selct` in [tool.devfix]",
        ),
        ("devfix.toml", "select = []\nignore = 1\n", "devfix.toml:2: `ignore` must be a list"),
        ("pyproject.toml", "[tool.devfix\n", "pyproject.toml:1:13: Expected "),
        ("pyproject.toml", "[tool]\ndevfix = 'text'\n", "pyproject.toml: [tool.devfix] must be a table"),
        (
            "devfix.toml",
            "required-version = '<0.1'\n",
            "devfix.toml:1: this project requires devfix <0.1, and",
        ),
        ("devfix.toml", "required-version = 'new'\n", "`new` is no version specifier"),
        ("devfix.toml", "extend = 'no.toml'\n", "devfix.toml:1: `extend` names no.toml, which is no file"),
        ("devfix.toml", "extend = 'devfix.toml'\n", "`extend` goes in a circle: devfix.toml -> devfix.toml"),
    ],
)
def test_an_error_names_the_file_and_the_line(name: str, text: str, message: str) -> None:
    write(name, text)
    with pytest.raises(ConfigError) as caught:
        of("a.py")
    assert message in str(caught.value)


def test_files_that_say_nothing_of_devfix_may_be_broken() -> None:
    write("pyproject.toml", "[tool.")
    assert of("a.py") == Settings()


def test_the_nearest_file_wins_for_each_file() -> None:
    write("pyproject.toml", "[tool.devfix]\nignore = ['DF1']\nunfixable = ['DF2']\n")
    write("a/pyproject.toml", "[project]\nname = 'x'\n")
    write("b/devfix.toml", "ignore = ['DF3']\n")
    configuration = Configuration()
    assert configuration.of("a/deep/x.py").ignore == ("DF1",)
    assert configuration.of("b/deep/x.py").ignore == ("DF3",)
    assert configuration.of("b/x.py").unfixable == ()


def test_one_folder_may_have_three_files() -> None:
    write("pyproject.toml", "[tool.devfix]\nignore = ['DF1']\n")
    assert of("x.py").ignore == ("DF1",)
    write("devfix.toml", "ignore = ['DF2']\n")
    assert of("x.py").ignore == ("DF2",)
    write(".devfix.toml", "ignore = ['DF3']\n")
    assert of("x.py").ignore == ("DF3",)


def test_a_file_extends_another(tmp_path: Path) -> None:
    write("pyproject.toml", "[tool.devfix]\nexclude = ['vendor']\nextend-exclude = ['x']\nignore = ['DF1']\n")
    write("sub/devfix.toml", "extend = '../pyproject.toml'\nextend-exclude = ['y/*']\nignore = ['DF2']\n")
    settings = of("sub/a.py")
    outer, inner = str(tmp_path), str(tmp_path / "sub")
    assert settings.exclude == (*globs("vendor", "x", root=outer), Glob("y/*", inner))
    assert settings.inherited == (RuleChoice(ignore=("DF1",)),)
    assert (settings.ignore, settings.root) == (("DF2",), inner)


def test_a_circle_of_files_is_an_error() -> None:
    write("a.toml", "extend = 'b.toml'\n")
    write("b.toml", "extend = 'a.toml'\n")
    write("devfix.toml", "extend = 'a.toml'\n")
    with pytest.raises(ConfigError, match=r"in a circle: a\.toml -> b\.toml -> a\.toml"):
        of("x.py")


def test_selecting_leaves_nothing_of_what_is_extended() -> None:
    write("base.toml", "select = ['DF1']\nignore = ['DF101']\n")
    write("devfix.toml", "extend = 'base.toml'\nselect = ['DF2']\n")
    assert of("x.py").choices == (RuleChoice(select=("DF2",)),)


def test_the_users_own_file_is_for_projects_without_one(tmp_path: Path) -> None:
    write("home/devfix/devfix.toml", "ignore = ['DF1']\nexclude = ['here/*']\n")
    assert user_file() == str(tmp_path / "home/devfix/devfix.toml")
    assert of("p/a.py").ignore == ("DF1",)
    assert of("p/a.py").exclude == globs("here/*", root=str(tmp_path))
    assert of("p/a.py", isolated=True).ignore == ()
    write("p/devfix.toml", "")
    assert of("p/a.py").ignore == ()


def test_the_command_line_has_the_last_word() -> None:
    write("devfix.toml", "select = ['DF1']\nignore = ['DF101']\nexclude = ['a']\n")
    settings = of("x.py", ignore=("DF2",), extend_exclude=("x",), adopt=True)
    assert settings.choices == (RuleChoice(("DF1",), ignore=("DF101",)), RuleChoice(ignore=("DF2",)))
    assert [glob.pattern for glob in settings.exclude] == ["a", "x"]
    assert settings.adopt
    assert of("x.py", select=("DF3",)).choices == (RuleChoice(("DF3",)),)
    assert [glob.pattern for glob in of("x.py", exclude=("b",)).exclude] == ["b"]


def test_a_named_file_holds_for_all_files(tmp_path: Path) -> None:
    write("devfix.toml", "ignore = ['DF1']\n")
    write("other/some.toml", "[tool.devfix]\nignore = ['DF2']\nexclude = ['x/*']\n")
    settings = of("x.py", config=("other/some.toml", "ignore = ['DF3']"))
    assert settings.choices == (RuleChoice(ignore=("DF2",)), RuleChoice(ignore=("DF3",)))
    assert settings.exclude == globs("x/*", root=str(tmp_path))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Asked(config=("no.toml",)), "--config names no.toml, which is neither a file nor `key = value`"),
        (Asked(config=("a.toml", "b.toml")), "--config names two files"),
        (Asked(config=("a.toml",), isolated=True), "exclude each other"),
        (Asked(config=("selct = []",)), "--config 'selct = []': unknown key `selct`"),
        (Asked(config=("select = DF1",)), "--config 'select = DF1': "),
        (Asked(config=("extend = 'a.toml'",)), "`extend` is for files"),
        (Asked(config=("required-version = '>9'",)), "this project requires devfix >9"),
        (Asked(per_file_ignores=("a.py",)), "--per-file-ignores takes GLOB:RULE, not `a.py`"),
    ],
)
def test_what_makes_no_sense_on_the_command_line(asked: Asked, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        configuration_of(asked)
    assert message in str(caught.value)


def test_ignores_of_files_on_the_command_line() -> None:
    settings = of("x.py", per_file_ignores=("tests/*:DF1", "tests/*:DF2", "c:/d:DF3"))
    found = [(glob.pattern, rules) for glob, rules in settings.per_file_ignores]
    assert found == [("tests/*", ("DF1", "DF2")), ("c:/d", ("DF3",))]


def test_nothing_above_the_top_is_read() -> None:
    write("devfix.toml", "ignore = ['DF1']\n")
    write("home/devfix/devfix.toml", "ignore = ['DF2']\n")
    write("p/q/a.py", "")
    assert Configuration(top="p").of("p/q/a.py").ignore == ()
    write("p/devfix.toml", "extend = '../devfix.toml'\n")
    with pytest.raises(ConfigError, match="leads out of the project"):
        Configuration(top="p").of("p/q/a.py")


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("a = 1\nselect = []\n", "select", 2),
        ('x = """\nselect = 1\n"""\nselect = []\n', "select", 4),
        ("x = [\n  'select = 1',\n]\n\"select\" = 3\n", "select", 4),
        ("[other]\nselect = 1\n[tool.devfix]\nselect = 2\n", "tool.devfix.select", 4),
        ("[tool.devfix.per-file-ignores]\n'a' = []\n", "tool.devfix.per-file-ignores", 1),
        ("[tool.devfix]\nper-file-ignores.'a' = []\n", "tool.devfix.per-file-ignores", 2),
        ("tool.devfix.select = []\n", "tool.devfix.select", 1),
        ("[tool]\ndevfix = { select = [] }\n", "tool.devfix.select", None),
    ],
)
def test_where_a_key_is_set(text: str, path: str, line: int | None) -> None:
    assert line_of(text, path.split(".")) == line


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("0.1.0", "0.1", True),
        ("0.1.0", "==0.1.0", True),
        ("0.1.1", "0.1", False),
        ("0.2.0", ">=0.1, <0.3", True),
        ("0.3.0", ">=0.1,<0.3", False),
        ("1.4.2", "~=1.4", True),
        ("2.0", "~=1.4", False),
        ("1.4.2", "==1.*", True),
        ("1.4.2", "!=1.4.*", False),
        ("1.4.2", ">1.4.2", False),
    ],
)
def test_versions(version: str, wanted: str, fits: bool) -> None:
    assert satisfies(version, wanted) is fits


def test_each_example_is_read() -> None:
    for key in KEYS.values():
        if key.name != "extend":
            configuration_of(Asked(config=(key.example,)))


@pytest.mark.parametrize(
    ("path", "glob", "matches"),
    [
        ("tests/a.py", "tests", True),
        ("src/tests/a.py", "tests", True),
        ("src/a.py", "src/*.py", True),
        ("src/deep/a.py", "src/deep", True),
        ("lib/src/a.py", "src/*.py", False),
        ("lib/src/a.py", "**/src/*.py", True),
        ("src/a.py", "**/src/*.py", True),
        ("src/a.py", "./src/", True),
        ("src/a.py", "{lib,src}/*.py", True),
        ("etc/a.py", "{lib,src}/*.py", False),
        ("src/a.py", "!src/**", False),
        ("lib/a.py", "!src/**", True),
        ("../lib/a.py", "*", True),
        ("..", "*", False),
    ],
)
def test_globs(path: str, glob: str, matches: bool) -> None:
    assert Glob(glob).matches(path) is matches


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(KEYS)) | st.text(max_size=8), VALUES)
def test_any_value_is_read_or_refused(key: str, value: object) -> None:
    with contextlib.suppress(ConfigError):
        hash(read_value(key, value, ".", "[tool.devfix]"))


TOML = st.lists(
    st.sampled_from(
        ["select", "tool", "devfix", "=", "[", "]", ".", "\n", "'", '"', '"""', "#", "1", "{", "}", ","]
    ),
    max_size=25,
).map("".join)


@given(TOML)
def test_any_file_is_read_or_refused(text: str) -> None:
    for name in ("devfix.toml", "pyproject.toml"):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / name).write_text(text, encoding="utf-8")
            with contextlib.suppress(ConfigError):
                Configuration(top=folder).of(os.path.join(folder, "a.py"))


@given(st.text("ab*?[]!{},/.\\", max_size=10), st.text("ab/.", min_size=1, max_size=8))
def test_any_glob_matches_or_does_not(pattern: str, path: str) -> None:
    assert Glob(pattern).matches(path) in (True, False)
