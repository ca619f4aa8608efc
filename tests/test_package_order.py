"""A package is executed before what is in it, so a registry that its files fill is full when it is asked."""

import pytest
from text_program import check_texts

REGISTRY = """
MODELS = {}

def register(name):
    def wrap(cls):
        MODELS[name] = cls
        return cls
    return wrap

def build(name, **options):
    return MODELS[name](**options)
"""
NETS = """
import torch
from torch import nn
from {registry} import register

@register("gin")
class Gin(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return self.layer(x)
"""
MAIN = """
import torch
{imported}

net = {build}("gin", width=3).cuda()
print(net({given}))
"""
ON_CPU, THERE = "torch.ones(3)", "torch.ones(3).cuda()"
#: Ways to come by ``build``, and what it is called.
IMPORTS = {
    "from nets.registry import build": "build",
    "from nets import registry": "registry.build",
    "import nets.registry": "nets.registry.build",
    "import nets.registry as known": "known.build",
}
PACKAGES = ["from . import gin\n", "from .gin import Gin\n", "import nets.gin\n"]


def found(package: str, imported: str, given: str, registry: str = ".registry") -> list[tuple[str, int]]:
    texts = {
        "main.py": MAIN.format(imported=imported, build=IMPORTS[imported], given=given),
        "nets/__init__.py": package,
        "nets/gin.py": NETS.format(registry=registry),
        "nets/registry.py": REGISTRY,
    }
    return [(each.path, each.span.line) for each in check_texts(texts)]


@pytest.mark.parametrize("registry", [".registry", "nets.registry"])
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("imported", IMPORTS)
def test_what_the_package_registers_is_built(package: str, imported: str, registry: str) -> None:
    assert found(package, imported, ON_CPU, registry) == [("nets/gin.py", 13)]
    assert found(package, imported, THERE, registry) == []


@pytest.mark.parametrize("imported", IMPORTS)
def test_what_nothing_has_registered_is_not_known(imported: str) -> None:
    assert found("", imported, ON_CPU) == []


def test_files_that_import_their_package_in_turn() -> None:
    texts = {
        "main.py": "from pkg.a import left\nimport torch\ntorch.ones(2).cuda() + left()\n",
        "pkg/__init__.py": "from pkg.b import right\nfrom pkg.a import left\nWIDTH = 2\n",
        "pkg/a.py": "import torch\nimport pkg\ndef left():\n    return torch.ones(pkg.WIDTH)\n",
        "pkg/b.py": "from pkg.a import left\ndef right():\n    return left()\n",
    }
    assert [(each.path, each.span.line) for each in check_texts(texts)] == [("main.py", 3)]
