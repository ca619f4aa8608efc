"""Pages of what an accelerator answered, of the answers that the tests hold the simulator and the analysis to."""

from __future__ import annotations

import ast
import gzip
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

TESTS = Path(__file__).resolve().parents[2] / "tests"
TITLE = "What really happens on a GPU"
INDEX = "gpu/index.md"
TOPICS = {
    "numpy": "NumPy and Python",
    "storage": "Storages and copies",
    "checkpoint": "Checkpoints",
    "loader": "Loaders and workers",
    "autocast": "Autocast",
    "generator": "Generators and seeds",
    "environment": "Devices, streams, memory",
    "legacy": "Legacy types and optimizers",
    "number": "Numbers beyond a dtype",
    "narrow": "Floats of 16 bits",
    "operand": "Operands of each dtype",
    "meeting": "What meets what",
}
#: What a page says of the names in its questions; otherwise they are what they are in most topics.
NAMES = dict.fromkeys(
    ("operand", "meeting"),
    "`v(f16)` is a vector of float16 on the GPU and `v(f16, C)` one on the CPU; what the other names stand for is defined in"
    " `tests/recorded/operand_values.py`, and `T` and `U` for the dtypes beside an answer.",
)
#: In a page a list of facts by their names, a line each, stands between these.
MARKED = re.compile(r"^<!-- facts\n(.*?)\n-->$", re.DOTALL | re.MULTILINE)
_MOST = 240


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages into the navigation."""
    topics = [{title: _path(topic)} for topic, title in TOPICS.items()]
    for entry in config.nav or []:
        if TITLE in entry:
            entry[TITLE] = [INDEX, {"Operators": "gpu/operators.md"}, *topics]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Make the pages."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - the tests make pages without it

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the answers where a page names facts."""
    return MARKED.sub(lambda found: _told(found[1].splitlines()), markdown)


def pages() -> dict[str, str]:
    """The text of each page by its path."""
    return {"gpu/operators.md": _operators(), **{_path(topic): _topic(topic) for topic in TOPICS}}


def facts() -> dict[str, tuple[str, str]]:
    """Each fact by its name: the program and the answer."""
    parts = (TESTS / "fidelity" / "facts.txt").read_text(encoding="utf-8").split("\n## ")[1:]
    programs = dict(part.split("\n", 1) for part in parts)
    lines = gzip.decompress((TESTS / "fidelity" / "recorded" / "facts.jsonl.gz").read_bytes()).splitlines()
    rows = [json.loads(line) for line in lines[1:]]
    return {row["name"]: (programs[row["name"]].strip(), _answer(row)) for row in rows}


def _answer(row: dict[str, str]) -> str:
    if row["outcome"] != "ok":
        return f"{row['outcome']}: {row['text']}"
    return "runs" if row["text"] == "None" else f"runs: {row['text']}"


def _told(names: list[str]) -> str:
    known = facts()
    rows = [f"| {_words(name)} | {_code(known[name][0])} | {_code(known[name][1])} |" for name in names]
    return "\n".join(["| | program | answer |", "|---|---|---|", *rows])


def _path(topic: str) -> str:
    return f"gpu/{topic}.md"


def _topic(topic: str) -> str:
    record = next(record for record in _records() if topic in record)
    module = TESTS / "recorded" / f"{topic}_questions.py"
    about = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    names = NAMES.get(
        topic,
        "`g` is a tensor on the GPU and `c` one on the CPU; what the other names stand for is defined in"
        f" `tests/recorded/{module.name}`.",
    )
    asked = f"What an {record['gpu']} with torch {record['torch']} answered. {names}"
    lines = [
        f"# {TOPICS[topic]}",
        "",
        about,
        "",
        asked,
        "",
        "| question | answer |",
        "|---|---|",
        *(f"| {_code(question)} | {_said(answer)} |" for question, answer in record[topic].items()),
    ]
    return "\n".join([*lines, ""])


def _said(answer: str | dict[str, str]) -> str:
    """The answer; where several operands were asked for, each with those that it is of."""
    if isinstance(answer, str):
        return _code(answer)
    return "<br>".join(f"{operands}: {_code(outcome)}" for outcome, operands in answer.items())


def _records() -> Iterator[dict[str, Any]]:
    for name in ("h200_answers.json", "h100_answers.json"):
        yield json.loads((TESTS / "data" / name).read_text(encoding="utf-8"))


def _operators() -> str:
    record = json.loads((TESTS / "data" / "operator_devices.json").read_text(encoding="utf-8"))
    asked = (
        "Calls of PyTorch's own operator database. Each operand in turn was on the CPU while the others were on an"
        f" {record['device']} (torch {record['torch']}). The ranks say how many dimensions the operands have, in their"
        " order: where an operand without dimensions is excused, that decides."
    )
    lines = [
        "# Operators",
        "",
        asked,
        "",
        "| call | ranks | dtypes | fails with this one on the CPU | runs with this one on the CPU |",
        "|---|---|---|---|---|",
        *_operator_rows(record["rows"]),
    ]
    return "\n".join([*lines, ""])


def _operator_rows(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        call = re.sub(r"\{(\d+)\}", lambda found: _letter(int(found[1])), row["call"])
        ranks = ", ".join(map(str, row["ranks"]))
        fails, runs = (", ".join(f"`{_letter(each)}`" for each in row[key]) for key in ("fails", "runs"))
        yield f"| {_code(call)} | {ranks} | {', '.join(row['dtypes'])} | {fails} | {runs} |"


def _letter(position: int) -> str:
    return chr(ord("a") + position)


def _words(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "&#124;").replace("_", "\\_").replace("*", "\\*")


def _code(text: str) -> str:
    """A cell of code that may hold anything, lines too."""
    lines = text if len(text) <= _MOST else f"{text[:_MOST]} …"
    escaped = html.escape(lines, quote=False)
    for mark in "|`*_[]\\":
        escaped = escaped.replace(mark, f"&#{ord(mark)};")
    return f"<code>{escaped.replace(chr(10), '<br>')}</code>"
