"""Kept results: what code makes where its file is not there yet, and writes to it for the next run.

``try: graph = load(path)`` and ``except Exception: graph = make(); save(path, graph)``: whatever error the handler names,
it is that of a look-up.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devfix.analysis.text.parts_within import calls_in
from devfix.analysis.text.syntax import called, names_what_is_missing, remembered

#: What reads a file that it is given first, and what writes one.
_READERS = frozenset(
    "open load load_npz loadtxt genfromtxt read_csv read_pickle read_parquet read_json".split()
)
_WRITERS = frozenset(
    "save save_npz savez savez_compressed savetxt dump to_csv to_pickle to_parquet to_json".split()
)


def makes_what_is_missing(node: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether a handler makes what the body looked for: its error says so, or it writes the file that the body reads."""
    return names_what_is_missing(handler) or handler in _writing(node)


@remembered
def _writing(node: ast.Try) -> frozenset[ast.ExceptHandler]:
    """The handlers of a ``try`` that write a file which its body reads."""
    reading = (call for call in _calls(node.body) if called(call) in _READERS and call.args)
    read = {ast.unparse(call.args[0]) for call in reading if not _opens_to_write(call)}
    return frozenset(each for each in node.handlers if read and not read.isdisjoint(_written(each.body)))


def _written(statements: Sequence[ast.stmt]) -> set[str]:
    """What statements write to, beside what they write there."""
    files = set()
    for call in _calls(statements):
        if called(call) in _WRITERS:
            files |= set(map(ast.unparse, call.args))
        elif _opens_to_write(call):
            files.add(ast.unparse(call.args[0]))
    return files


def _opens_to_write(call: ast.Call) -> bool:
    mode = call.args[1] if called(call) == "open" and len(call.args) > 1 else None
    return (
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and bool(set(mode.value) & set("wxa"))
    )


def _calls(statements: Sequence[ast.stmt]) -> Iterator[ast.Call]:
    return (call for each in statements for call in calls_in(each))
