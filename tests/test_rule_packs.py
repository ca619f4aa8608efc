"""Packs of rules: what is wrong with one is told, and costs nothing but the rules it is wrong with."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from typer.testing import CliRunner

from devfix import registry
from devfix.cli import app
from devfix.findings import Applicability
from devfix.registry import Loaded

FAULTY = """\
import torch

device = torch.device("cuda")
a = torch.zeros(3, device=device)
b = torch.ones(3)
print(a + b)
"""

RULE = '''
from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Rule, Span


class {cls}(Rule):
    """Something is to be said of every file."""

    code, name = {code!r}, {name!r}
    applicability = Applicability.DISPLAY

    def check(self, facts: Facts) -> Iterator[Finding]:
        {body}
        for path in facts.program.targets:
            yield Finding(path, Span(1, 0, 1, 1), self.code, self.name, "said by the pack")
'''


def rule(cls: str = "Said", code: str = "ACME101", name: str = "acme-said", body: str = "pass") -> str:
    return RULE.format(cls=cls, code=code, name=name, body=body)


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install packs as distributions are: an entry point, and modules by name."""
    site = tmp_path / "site"
    before = set(sys.modules)

    def put(name: str, modules: dict[str, str], value: str | None = None) -> None:
        info = site / f"{name}-1.2.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-rules\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[devfix.codemods]\n{name} = {value or name}\n")
        (site / name).mkdir()
        for module, text in modules.items():
            (site / name / f"{module}.py").write_text(dedent(text))

    monkeypatch.syspath_prepend(site)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    yield put
    for module in set(sys.modules) - before:
        if module.partition(".")[0].endswith("_pack"):
            del sys.modules[module]


def pack_codes(loaded: Loaded) -> list[str]:
    return [each.code for each in loaded.rules if not each.code.startswith("DF")]


def faults(loaded: Loaded) -> list[str]:
    return [str(fault) for fault in loaded.faults]


def test_the_rules_of_a_pack_run(install: Install) -> None:
    install("acme_pack", {"__init__": "", "said": rule()})
    Path("main.py").write_text(FAULTY)
    done = CliRunner().invoke(app, ["check", "--output-format", "json"])
    assert done.exit_code == 1
    assert [found["code"] for found in json.loads(done.stdout)["files"][0]["findings"]] == [
        "ACME101",
        "DF102",
    ]
    listed = CliRunner().invoke(app, ["rules"])
    assert "ACME101  acme-said" in listed.stdout
    assert listed.exit_code == 0


BROKEN = {
    "import error": ({"__init__": "import nowhere_to_be_found"}, "cannot be imported: ModuleNotFoundError"),
    "leaves": ({"__init__": "raise SystemExit(3)"}, "cannot be imported: SystemExit: 3"),
    "syntax error": ({"__init__": "def f(:"}, "cannot be imported: SyntaxError"),
    "one module": ({"__init__": "", "bad": "1 / 0"}, "bad_pack.bad cannot be imported: ZeroDivisionError"),
    "code of devfix": ({"__init__": "", "a": rule(code="DF102")}, "those that begin with DF are devfix's own"),
    "odd code": ({"__init__": "", "a": rule(code="a1")}, "needs a `code`"),
    "odd name": ({"__init__": "", "a": rule(name="Said")}, "needs a `name`"),
    "name of devfix": (
        {"__init__": "", "a": rule(name="operand-not-moved")},
        "has the same name `operand-not-moved` as devfix_codemods.operand_not_moved.OperandNotMoved",
    ),
    "no check": (
        {"__init__": "from devfix.rules import Rule\nclass A(Rule):\n    'A.'\n    code, name = 'ACME1', 'a-b'"},
        "bad_pack.A has no method `check`",
    ),
    "no page": (
        {"__init__": "from devfix.rules import Rule\nclass A(Rule):\n    code, name = 'ACME1', 'a-b'"},
        "bad_pack.A needs a docstring",
    ),
    "applicability": (
        {"__init__": "from devfix.rules import Rule\n"
         "class A(Rule):\n    'A.'\n    code, name, applicability = 'ACME1', 'a-b', 2"},
        "bad_pack.A needs an `applicability`",
    ),
    "constructor": (
        {"__init__": "", "a": rule() + "\n    def __init__(self, x): pass\n"},
        "bad_pack.a.Said cannot be made: TypeError",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("modules", "told"), BROKEN.values(), ids=list(BROKEN))
def test_a_fault_is_told_and_the_other_rules_run(
    install: Install, modules: dict[str, str], told: str
) -> None:
    install("bad_pack", modules)
    install("good_pack", {"__init__": "", "said": rule(code="GOOD7", name="good-said")})
    Path("main.py").write_text(FAULTY)
    done = CliRunner().invoke(app, ["check", "--output-format", "json"])
    assert done.exit_code == 2, "never as if all had been looked for"
    document = json.loads(done.stdout)
    assert {found["code"] for found in document["files"][0]["findings"]} == {"DF102", "GOOD7"}
    (fault,) = document["rule_packs"]
    assert fault["pack"] == "`bad_pack` (bad_pack-rules 1.2)"
    assert told in fault["reason"]
    assert f"error: rule pack `bad_pack` (bad_pack-rules 1.2): {fault['reason']}" in done.stderr
    listed = CliRunner().invoke(app, ["rules"])
    assert (listed.exit_code, "GOOD7" in listed.stdout, told in listed.stderr) == (2, True, True)


def test_the_good_rules_of_a_pack_with_a_bad_one_run(install: Install) -> None:
    install("acme_pack", {"__init__": "", "bad": "1 / 0", "said": rule()})
    assert pack_codes(registry.load()) == ["ACME101"]


def test_of_two_rules_with_one_code_the_first_is_kept(install: Install) -> None:
    install("b_pack", {"__init__": "", "said": rule(name="b-said")})
    install("a_pack", {"__init__": "", "said": rule(name="a-said")})
    loaded = registry.load()
    assert [each.name for each in loaded.rules if each.code == "ACME101"] == ["a-said"]
    assert faults(loaded) == [
        "rule pack `b_pack` (b_pack-rules 1.2): b_pack.said.Said has the same code `ACME101` as a_pack.said.Said"
    ]


def test_a_pack_that_is_announced_twice_counts_once(install: Install) -> None:
    install("a_pack", {"__init__": "", "said": rule()})
    install("b_pack", {}, value="a_pack")
    loaded = registry.load()
    assert (pack_codes(loaded), faults(loaded)) == (["ACME101"], [])


def test_an_entry_point_must_be_a_module(install: Install) -> None:
    install("a_pack", {"__init__": "thing = 3"}, value="a_pack:thing")
    assert faults(registry.load()) == [
        "rule pack `a_pack` (a_pack-rules 1.2): `a_pack:thing` is not a module"
    ]


def test_settings_that_name_a_rule_of_a_broken_pack_are_told_why(install: Install) -> None:
    install("bad_pack", {"__init__": "1 / 0"})
    done = CliRunner().invoke(app, ["check", "--select", "ACME101"])
    assert done.exit_code == 2
    assert "no rule is called `ACME101`" in done.stderr
    assert "ZeroDivisionError" in done.stderr


def test_a_rule_that_fails_costs_its_own_findings_alone(install: Install) -> None:
    install("acme_pack", {"__init__": "", "said": rule(body="1 / 0")})
    Path("main.py").write_text(FAULTY)
    Path("other.py").write_text("import torch\nprint(torch.ones(3))\n")
    done = CliRunner().invoke(app, ["apply"])
    assert done.exit_code == 2
    assert "b = torch.ones(3, device=device)" in Path("main.py").read_text()
    assert "crash: main.py: ACME101 acme-said (acme_pack.said) failed: ZeroDivisionError" in done.stderr
    assert done.stderr.count("Traceback") == 1


def test_a_fix_that_makes_a_rule_fail_is_withdrawn(install: Install) -> None:
    body = "assert all(each.text.count('device') == 4 for each in facts.program.sources.values())"
    install("acme_pack", {"__init__": "", "said": rule(body=body)})
    Path("main.py").write_text(FAULTY)
    CliRunner().invoke(app, ["apply"])
    assert Path("main.py").read_text() == FAULTY


@pytest.mark.parametrize("modules", [{"__init__": "1 / 0"}, {"__init__": "", "said": rule(body="1 / 0")}])
def test_comments_that_silence_rules_which_did_not_run_stay(
    install: Install, modules: dict[str, str]
) -> None:
    install("acme_pack", modules)
    text = FAULTY.replace("print(a + b)", "print(a + b)  # devfix: ignore[ACME101, DF102]")
    Path("main.py").write_text(text)
    CliRunner().invoke(app, ["apply"])
    assert "# devfix: ignore[ACME101, DF102]" in Path("main.py").read_text()


def test_a_pack_without_faults_is_all_there_is_to_a_rule(install: Install) -> None:
    install("acme_pack", {"__init__": "", "said": rule()})
    (found,) = [each for each in registry.load().rules if each.code == "ACME101"]
    assert (found.name, found.applicability) == ("acme-said", Applicability.DISPLAY)
