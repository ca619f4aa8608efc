"""Modules in folders that a program adds to those where modules are looked for."""

from __future__ import annotations

import ast

import pytest
from text_program import check_texts, fix_texts, project

from devfix.imports import Import, Layout, find_imports, folders_added
from devfix.prefilter import needs_parsing


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('sys.path.append("lib")', ("lib",)),
        ('sys.path.insert(0, "./lib/nets")', ("lib/nets",)),
        ('sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))', ("lib",)),
        ('sys.path.insert(0, os.path.join(os.path.dirname(__file__) or ".", "a", "b"))', ("a/b",)),
        ('sys.path.append(os.path.dirname(os.path.abspath(__file__)) + "/lib")', ("lib",)),
        ('sys.path.append(f"{os.path.dirname(__file__)}/lib")', ("lib",)),
        ('HERE = os.path.dirname(__file__)\nsys.path.append(os.path.join(HERE, "..", "lib"))', ("../lib",)),
        ('sys.path.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), "lib"))', ("../lib",)),
        ('sys.path.append(str(Path(__file__).resolve().parent / "lib"))', ("lib",)),
        ('sys.path.append(str(Path(__file__).parents[1].joinpath("lib")))', ("../lib",)),
        ('sys.path.append(os.path.join(ROOT, "lib"))', ("lib",)),
        ('sys.path += ["a", os.path.abspath("b")]', ("a", "b")),
        ('sys.path.extend(["a", "b"])', ("a", "b")),
        ('site.addsitedir("lib")', ("lib",)),
        ('def main():\n    if True:\n        sys.path.append("lib")', ("lib",)),
        ('sys.path.append(os.path.join(os.path.split(__file__)[0], os.pardir, "lib"))', ("../lib",)),
        ('sys.path.append(os.path.dirname(__file__) + os.sep + "lib")', ("lib",)),
        ('sys.path.append(str(Path("lib", "nets")))', ("lib/nets",)),
        ('VERSION = "2"\nsys.path.append(f"v{VERSION}")', ("v2",)),
        ('HERE: str = os.path.dirname(__file__)\nsys.path.append(HERE + "/../lib")', ("../lib",)),
        ('sys.path[:0] = ["lib"]', ("lib",)),
        ('sys.path = ["lib", *sys.path]', ("lib",)),
        ('sys.path = sys.path + ["lib"]', ("lib",)),
        # Elsewhere, or nobody knows where.
        ('sys.path.append(os.path.join(os.path.expanduser("~"), "lib"))', ()),
        ('sys.path.append(str(Path.home() / "lib"))', ()),
        ('sys.path.append(os.path.join("lib", "/opt/nets"))', ()),
        ('HERE = "a"\nHERE = "b"\nsys.path.append(HERE)', ()),
        ('sys.argv += ["lib"]\nsys.argv = ["lib"]\nself.path += ["lib"]', ()),
        ('sys.path.append("/opt/lib")', ()),
        ("sys.path.append(os.path.dirname(__file__))", ()),
        ("sys.path.append(ROOT)", ()),
        ('sys.path.append(os.path.join("lib", name))', ()),
        ('names.append("lib")', ()),
        ("HERE = HERE\nsys.path.append(HERE)", ()),
    ],
)
def test_the_folders_that_a_text_adds(text: str, found: tuple[str, ...]) -> None:
    assert sorted(folders_added(ast.parse(f"import os, site, sys\n{text}"))) == sorted(found)


def test_only_what_imports_the_search_path_adds_to_it() -> None:
    text = 'sys.path.append("lib")\nimport nets\nfrom . import other'
    assert set(find_imports(ast.parse(text))) == {Import("nets"), Import("", 1, ("other",))}
    found = set(find_imports(ast.parse(f"import sys\n{text}")))
    assert found == {
        Import("sys", added=("lib",)),
        Import("nets", added=("lib",)),
        Import("", 1, ("other",)),
    }


@pytest.mark.parametrize(
    ("files", "module", "added", "expected"),
    [
        (["lib/nets.py"], "nets", ("lib",), "lib/nets.py"),
        (["lib/nets/__init__.py"], "nets", ("lib",), "lib/nets/__init__.py"),
        (["lib/nets.py"], "nets", (), None),
        (["lib/nets.py"], "nets", ("other",), None),
        # What is found without it stays what it is.
        (["lib/nets.py", "tools/nets.py"], "nets", ("lib",), "tools/nets.py"),
        # As seen from the file, and as seen from where its script is started; not outside of the project.
        (["tools/lib/nets.py", "lib/nets.py"], "nets", ("lib",), "tools/lib/nets.py"),
        (["lib/nets.py"], "nets", ("../lib",), "lib/nets.py"),
        (["../lib/nets.py"], "nets", ("../../lib",), None),
        # Two folders that have it: which of them is first depends on what was added when.
        (["tools/a/nets.py", "tools/b/nets.py"], "nets", ("a", "b"), None),
        (["tools/a/nets.py", "b/nets.py"], "nets", ("a", "b"), "tools/a/nets.py"),
        # Names of the standard library and of PyTorch mean what they always do.
        (["lib/types.py"], "types", ("lib",), None),
        (["lib/torch.py"], "torch", ("lib",), None),
    ],
)
def test_where_a_module_is_looked_for(
    files: list[str], module: str, added: tuple[str, ...], expected: str | None
) -> None:
    layout = Layout(("",), frozenset(files).__contains__)
    assert layout.resolve("tools/train.py", module, 0, added) == expected
    assert layout.dependencies("tools/train.py", (Import(module, added=added),)) == [
        *filter(None, [expected])
    ]


def test_a_script_that_adds_a_folder_is_parsed() -> None:
    assert needs_parsing(b'import sys\nsys.path.append("lib")\nimport nets\n')
    assert not needs_parsing(b"import sys\nimport nets\n")


MAIN = """
import os, sys
{adding}
from shapes.fit import Fitter

if __name__ == "__main__":
    Fitter(width=3).run()
"""
FIT = """
import torch
from torch import nn
from .offsets import offsets

class Fitter:
    def __init__(self, width):
        self.net = nn.Linear(width, 1).cuda()
        self.shift = offsets(width)

    def run(self):
        return self.net(torch.ones(2, 3, device="cuda") + self.shift)
"""
OFFSETS = """
import torch

def offsets(width):
    return torch.arange(width) / width
"""
TEXTS = {"lib/shapes/__init__.py": "", "lib/shapes/fit.py": FIT, "lib/shapes/offsets.py": OFFSETS}
ADDING = 'HERE = os.path.dirname(os.path.abspath(__file__))\nsys.path.append(os.path.join(HERE, "lib"))'


def _beside(main: str) -> list[str]:
    """What belongs to a script, of a project with a package in a folder that is found by no name."""
    (program,) = (each for each in project(TEXTS | {"main.py": main}).programs() if "main.py" in each.sources)
    return sorted(program.sources)


def test_a_package_belongs_to_the_script_that_adds_its_folder() -> None:
    main = MAIN.format(adding=ADDING)
    assert _beside(main) == ["lib/shapes/fit.py", "lib/shapes/offsets.py", "main.py"]
    assert {finding.code for finding in check_texts(TEXTS | {"main.py": main})} == {"DF104"}
    after, _ = fix_texts(TEXTS | {"main.py": main})
    assert check_texts(after) == []
    assert after["main.py"] == main


def test_a_package_in_another_folder_belongs_to_no_script() -> None:
    assert _beside(MAIN.format(adding=ADDING.replace('"lib"', '"elsewhere"'))) == ["main.py"]
    assert _beside(MAIN.format(adding='print("lib")')) == ["main.py"]
