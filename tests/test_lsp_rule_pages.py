"""What the code of a diagnostic links to."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from text_program import rules

from devfix.lsp.rule_pages import page_file
from devfix.registry import Rule
from devfix.report.catalogue import rule_markdown


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_a_page_is_markdown_with_programs(rule: Rule) -> None:
    text = rule_markdown(rule)
    assert text.startswith(f"# {rule.code} {rule.name}\n\n")
    programs = re.findall(r"^```python\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)
    assert len(programs) >= 2
    for program in programs:
        ast.parse(program)
    rest = re.sub(r"^```python\n.*?\n```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert "::" not in rest
    assert "``" not in rest


def test_a_page_is_written_once_and_again_when_the_rule_is_another(tmp_path: Path) -> None:
    rule = rules()[0]
    path = Path(page_file(rule, tmp_path / "pages"))
    assert path.read_text() == rule_markdown(rule)
    stamp = path.stat().st_mtime_ns
    assert page_file(rule, tmp_path / "pages") == str(path)
    assert path.stat().st_mtime_ns == stamp
    path.write_text("what it was in an older version")
    page_file(rule, tmp_path / "pages")
    assert path.read_text() == rule_markdown(rule)


def test_where_nothing_can_be_written_the_rule_itself_is_the_page(tmp_path: Path) -> None:
    rule = rules()[0]
    (tmp_path / "pages").write_text("a file")
    assert Path(page_file(rule, tmp_path / "pages")).name == f"{rule.name.replace('-', '_')}.py"
