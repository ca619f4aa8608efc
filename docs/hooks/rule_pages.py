"""Rule pages: one for each built-in rule, of its docstring and of what the corpus proves of it."""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devfix.engine import with_built_in
from devfix.registry import BUILT_IN, Rule, family, load_rules, since, summary
from devfix.report.catalogue import rule_markdown
from devfix.selection import is_on_by_default

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
TITLE = "Rules"
INDEX = "rules/index.md"

_TRUST = {
    "SAFE": "safe: `devfix apply` writes it",
    "UNSAFE": "unsafe: `devfix apply --unsafe` writes it",
    "DISPLAY": "advice: shown, never written",
}
_PROVEN = {
    "device": "fails on the GPU; as devfix rewrites it, it runs",
    "dtype": "fails on the GPU; as devfix rewrites it, it runs",
    "advice": "runs before and after, with the same result",
    "ok": "right as it is: runs, and is left alone",
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the rules into the navigation, by family."""
    for entry in config.nav or []:
        if TITLE in entry:
            entry[TITLE] = [INDEX, *navigation()]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Make the pages."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - the tests make pages without it

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def rules() -> list[Rule]:
    """The rules that come with devfix."""
    packages = (BUILT_IN, "devfix")
    every = with_built_in(load_rules())
    return [rule for rule in every if type(rule).__module__.partition(".")[0] in packages]


def pages() -> dict[str, str]:
    """The text of each page by its path."""
    proof, cases = _proof(), _cases()
    made = {_path(rule): _page(rule, proof, cases) for rule in rules()}
    return {INDEX: _index(proof), **made}


def navigation() -> list[dict[str, Any]]:
    """The pages of each family, under its name."""
    families: dict[str, list[dict[str, str]]] = {}
    for rule in rules():
        title = f"{rule.code[:3]} {family(rule.code)}"
        families.setdefault(title, []).append({f"{rule.code} {rule.name}": _path(rule)})
    return [{title: entries} for title, entries in families.items()]


def _path(rule: Rule) -> str:
    return f"rules/{rule.name}.md"


def _proof() -> dict[str, Any]:
    record: dict[str, Any] = json.loads((CORPUS / "proof.json").read_text(encoding="utf-8"))
    return record


def _cases() -> dict[str, dict[str, Any]]:
    files = sorted(CORPUS.glob("*/*/case.toml"))
    return {
        f"{file.parent.parent.name}/{file.parent.name}": tomllib.loads(file.read_text(encoding="utf-8"))
        for file in files
    }


def _index(proof: dict[str, Any]) -> str:
    lines = [
        "# Rules",
        "",
        "What devfix looks for. Each page is the text that `devfix explain RULE` shows, with the record of its proof:",
        f"the programs of the corpus ran on {_machines(proof['runs'])}.",
        "",
        "| rule | | fix | what is wrong |",
        "|---|---|---|---|",
    ]
    for rule in rules():
        trust = _TRUST[rule.applicability.name].partition(":")[0]
        link = f"[{rule.code}]({rule.name}.md)"
        lines.append(f"| {link} | `{rule.name}` | {trust} | {_plain(summary(rule))} |")
    return "\n".join([*lines, ""])


def _page(rule: Rule, proof: dict[str, Any], cases: dict[str, dict[str, Any]]) -> str:
    default = "yes" if is_on_by_default(rule.code) else "no, only where it is selected"
    facts = [
        "| | |",
        "|---|---|",
        f"| family | {family(rule.code)} |",
        f"| fix | {_TRUST[rule.applicability.name]} |",
        f"| runs by default | {default} |",
        f"| since | {since(rule)} |",
        f"| on the command line | `devfix explain {rule.name}` |",
        f"| ignored by | `# devfix: ignore[{rule.code}]` |",
    ]
    title, _, text = rule_markdown(rule).partition("\n")
    return "\n".join([title, "", *facts, "", text.strip(), "", *_record(rule, proof, cases), ""])


def _record(rule: Rule, proof: dict[str, Any], cases: dict[str, dict[str, Any]]) -> Iterator[str]:
    own = {name: case for name, case in cases.items() if name.partition("/")[0] == rule.name}
    yield "## Proof"
    yield ""
    if not own:
        yield "This rule is about devfix's own comments: no program fails of it, so there is nothing to run on a GPU."
        return
    proven = {name: proof["cases"][name] for name in own if name in proof["cases"]}
    runs = [proof["runs"][number] for number in sorted({record["run"] for record in proven.values()})]
    ran = (
        f"and {len(proven)} of them ran on {_machines(runs)}, last on {max(run['date'] for run in runs)}"
        if runs
        else "none of which ran on a GPU yet"
    )
    yield f"{len(own)} programs of the corpus are about this rule, {ran}."
    yield ""
    yield "| case | program | what the GPU said before the fix | record |"
    yield "|---|---|---|---|"
    for name, case in own.items():
        found = proven.get(name, {})
        error = f"<code>{_cell(found['error'])}</code>" if found.get("error") else ""
        record = f"{found['verdict']}: {_PROVEN[case['kind']]}" if found else "not run on a GPU yet"
        yield f"| `{name.partition('/')[2]}` | {_cell(case['title'])} | {error} | {record} |"


def _machines(runs: list[dict[str, str]]) -> str:
    """The GPUs of some runs and what they ran, each once."""
    said = (f"an {run['gpu']} with torch {run['torch']} (Python {run['python']})" for run in runs)
    return " and ".join(dict.fromkeys(said))


def _cell(text: str) -> str:
    """Text that is no markup, whatever is in it."""
    escaped = html.escape(re.sub(r"\s+", " ", text), quote=False)
    for mark in "|`*_[]\\":
        escaped = escaped.replace(mark, f"&#{ord(mark)};")
    return escaped


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("``", "`").replace("|", "\\|")
