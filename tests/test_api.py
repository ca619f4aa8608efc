"""The functions of the package: what the commands do, as plain data."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import devfix
from devfix import Applicability, ConfigError, Settings, SourceError, api

FAULTY = """\
import torch

device = torch.device("cuda")
a = torch.zeros(3, device=device)
b = torch.ones(3)
print(a + b)
"""
FIXED = FAULTY.replace("ones(3)", "ones(3, device=device)")
DOUBLE = "import torch\n\nlayer = torch.nn.Linear(3, 2)\nprint(layer(torch.zeros(3).double()))\n"
NOTEBOOK = Path(__file__).parent / "data" / "notebooks"

PUBLIC = """
Applicability ConfigError FileEdit Finding Fix Note PathsResult Settings SourceError SourceResult Span
__version__ apply_paths apply_source check_paths check_source
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_public_names() -> None:
    """Somebody's program relies on each: taking one away is a change of the version."""
    assert devfix.__all__ == PUBLIC.split()
    assert set(devfix.__all__) <= set(dir(devfix))
    for name in devfix.__all__:
        value = getattr(devfix, name)
        assert name == "__version__" or value.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'check_sauce'"):
        _ = devfix.check_sauce  # type: ignore[attr-defined]


def test_the_parameters_are_those_of_the_promise() -> None:
    shapes = {name: list(inspect.signature(getattr(api, name)).parameters) for name in api.__all__[-4:]}
    assert shapes == {
        "apply_paths": ["paths", "settings", "unsafe", "write", "jobs"],
        "apply_source": ["text", "path", "settings", "unsafe"],
        "check_paths": ["paths", "settings", "jobs"],
        "check_source": ["text", "path", "settings"],
    }


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, devfix; print([m for m in sys.modules if m.partition('.')[0] in {'devfix', 'libcst', 'typer'}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['devfix']\n"


def test_a_text_is_checked() -> None:
    result = devfix.check_source(FAULTY)
    (finding,) = result.findings
    assert (result.path, finding.code, finding.rule, finding.span.line) == (
        "source.py",
        "DF102",
        "operand-not-moved",
        6,
    )
    assert finding.fix is not None
    assert finding.fix.applicability == Applicability.SAFE
    assert (result.text, result.changed, result.fixed, result.error) == (FAULTY, False, (), None)


def test_a_text_is_fixed_once_and_for_all() -> None:
    result = devfix.apply_source(FAULTY)
    assert (result.text, result.changed, result.findings) == (FIXED, True, ())
    assert [finding.code for finding in result.fixed] == ["DF102"]
    assert devfix.apply_source(FIXED).text == FIXED


def test_results_are_plain_data() -> None:
    result = devfix.apply_source(FAULTY)
    assert pickle.loads(pickle.dumps(result)) == result
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.path = "other"  # type: ignore[misc]


def test_unsafe_fixes_are_applied_on_request() -> None:
    assert devfix.apply_source(DOUBLE).text == DOUBLE
    assert devfix.apply_source(DOUBLE, unsafe=True).text == DOUBLE.replace("double", "float")


def test_settings_choose_the_rules() -> None:
    assert devfix.check_source(FAULTY, settings=Settings(ignore=("DF102",))).findings == ()
    with pytest.raises(ConfigError, match="no rule is called `DF999`"):
        devfix.check_source(FAULTY, settings=Settings(select=("DF999",)))


def test_settings_files_are_for_paths() -> None:
    Path("pyproject.toml").write_text('[tool.devfix]\nignore = ["DF102"]\n')
    Path("main.py").write_text(FAULTY)
    assert devfix.check_paths(["."]).findings == ()
    assert len(devfix.check_source(FAULTY, path="main.py").findings) == 1
    assert len(devfix.check_paths(["main.py"], settings=Settings()).findings) == 1


def test_imports_of_a_text_are_context() -> None:
    Path("parts.py").write_text("import torch\n\n\ndef noise(n):\n    return torch.randn(n)\n")
    text = "import torch\nfrom parts import noise\n\nx = torch.zeros(3, device='cuda')\nprint(x + noise(3))\n"
    assert [found.span.line for found in devfix.check_source(text, path="main.py").findings] == [5]
    assert devfix.check_source(text, path=Path("../elsewhere/main.py")).findings == ()
    result = devfix.apply_source(text, path="main.py")
    assert result.findings == ()
    assert Path("parts.py").read_text().endswith("torch.randn(n)\n")


def test_a_text_has_no_encoding_whatever_it_declares() -> None:
    text = "# -*- coding: latin-1 -*-\n" + FAULTY.replace("print", "print('Größe 字', ").replace(
        "', (", "', "
    )
    assert devfix.apply_source(text).text == text.replace("ones(3)", "ones(3, device=device)")


def test_notebooks_are_texts_of_their_own_kind() -> None:
    before = (NOTEBOOK / "broken" / "jupyterlab.ipynb").read_text(encoding="utf-8")
    after = (NOTEBOOK / "fixed" / "jupyterlab.ipynb").read_text(encoding="utf-8")
    for name in ("broken/networks.py",):
        Path("networks.py").write_bytes((NOTEBOOK / name).read_bytes())
    assert devfix.apply_source(before, path="a.ipynb", unsafe=True).text == after
    with pytest.raises(SourceError, match="is no notebook"):
        devfix.check_source("no json", path="a.ipynb")


@pytest.mark.parametrize("text", ["def f(:", "a\0b", "(" * 3000])
def test_what_cannot_be_parsed_is_an_error(text: str) -> None:
    with pytest.raises(SourceError):
        devfix.check_source(text)


def test_bytes_are_no_text() -> None:
    with pytest.raises(TypeError, match="must be a str, not bytes"):
        devfix.check_source(b"x = 1")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["main.py", Path("main.py"), ["main.py"]])
def test_one_path_needs_no_list_and_its_letters_are_no_paths(path: str | Path | list[str]) -> None:
    Path("main.py").write_text(FAULTY)
    Path("other.py").write_text(FAULTY)
    done = devfix.apply_paths(path)
    assert [file.path for file in done.files] == ["main.py"]
    assert Path("other.py").read_text() == FAULTY


@pytest.mark.parametrize("paths", ["", [""], ["here.py", ""]])
def test_an_empty_path_is_not_this_folder(paths: str | list[str]) -> None:
    for each in (devfix.check_paths, devfix.apply_paths):
        with pytest.raises(ValueError, match="empty"):
            each(paths)


def test_files_are_fixed_and_what_cannot_be_read_is_told() -> None:
    Path("main.py").write_text(FAULTY)
    Path("bad.py").write_text("import torch; def f(:")
    shown = devfix.apply_paths(["."], write=False)
    assert Path("main.py").read_text() == FAULTY
    bad, main = shown.files
    assert (main.path, main.text, main.changed) == ("main.py", FIXED, True)
    assert bad.error is not None
    assert "has a syntax error in line 1" in bad.error
    assert bad.text is None
    done = devfix.apply_paths(["."])
    assert Path("main.py").read_text() == FIXED
    assert (len(done.fixed), done.findings, done.exit_code) == (1, (), 2)


def test_exit_codes_are_those_of_the_commands() -> None:
    Path("main.py").write_text(FAULTY)
    assert devfix.check_paths(["main.py"]).exit_code == 1
    assert devfix.apply_paths(["main.py"]).exit_code == 0
    assert devfix.check_paths([Path("main.py")]).exit_code == 0
