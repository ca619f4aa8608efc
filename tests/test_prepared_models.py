"""Models that are placed by others than the program: by what prepares them, or part by part."""

from __future__ import annotations

import pytest
from text_program import clashes

LOADED = """
import torch
from accelerate import Accelerator
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("tiny"{how})
"""


@pytest.mark.parametrize("how", [", load_in_8bit=True", ', device_map="auto"'])
@pytest.mark.parametrize("name", ["prepare", "prepare_model"])
def test_what_was_placed_when_it_was_loaded_may_be_prepared(how: str, name: str) -> None:
    assert not clashes(LOADED.format(how=how) + f"model = Accelerator().{name}(model)\n")


def test_what_was_placed_when_it_was_loaded_must_not_be_moved() -> None:
    assert clashes(LOADED.format(how=", load_in_8bit=True") + "model.to('cuda')\n") == ["7: dispatched"]


def test_a_model_of_which_a_part_was_moved_is_not_judged() -> None:
    moved = "model.model.decoder.embed = model.model.decoder.embed.to('cuda')\n"
    assert not clashes(LOADED.format(how="") + moved + "model(torch.ones(2, 3).long().to('cuda'))\n")


def test_a_model_whose_parts_are_only_looked_at_is() -> None:
    seen = "layers = model.model.decoder.layers\n"
    found = clashes(LOADED.format(how="") + seen + "model(torch.ones(2, 3).long().to('cuda'))\n")
    assert found == ["8: device"]


PREPARED = """
import torch
from torch import nn
{imported}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.Linear(3, 3, dtype=torch.bfloat16)
        self.write = nn.Linear(3, 3)

    def forward(self, x):
        return self.write(self.read(x.to({dtype})))

framework = {framework}
net = framework.{method}(Net())
print(net(torch.ones(2, 3, device=framework.device)))
"""


def in_framework(framework: str, dtype: str = "torch.bfloat16") -> list[str]:
    imported, method = "from lightning.fabric import Fabric", "setup"
    if framework.startswith("Accelerator"):
        imported, method = "from accelerate import Accelerator", "prepare"
    return clashes(PREPARED.format(imported=imported, framework=framework, method=method, dtype=dtype))


@pytest.mark.parametrize(
    "framework",
    [
        "Accelerator()",
        "Accelerator(mixed_precision='bf16')",
        "Fabric(precision='bf16-mixed')",
        "Fabric(precision='bf16-true')",
    ],
)
def test_whoever_launches_a_program_may_have_its_models_cast_what_meets(framework: str) -> None:
    assert not in_framework(framework)


@pytest.mark.parametrize(
    "framework", ["Accelerator(mixed_precision='no')", "Fabric()", "Fabric(precision='32-true')"]
)
def test_in_full_precision_nothing_is_cast(framework: str) -> None:
    assert in_framework(framework) == ["13: dtype"]


@pytest.mark.parametrize("framework", ["Accelerator()", "Accelerator(mixed_precision='bf16')", "Fabric()"])
def test_floats_of_64_bits_are_cast_by_none(framework: str) -> None:
    assert set(in_framework(framework, "torch.float64")) == {"13: dtype"}


@pytest.mark.parametrize("precision", ["bf16-mixed", "16", "bf16-true"])
def test_fabric_casts_what_a_model_is_given_in_any_precision_but_the_full_one(precision: str) -> None:
    text = PREPARED.replace("dtype=torch.bfloat16", "dtype=torch.float32").replace("x.to({dtype})", "x")
    text = text.replace("device=framework.device", "device=framework.device, dtype=torch.float64")

    def found(asked: str) -> list[str]:
        framework = f"Fabric(precision='{asked}')"
        imported = "from lightning.fabric import Fabric"
        return clashes(text.format(imported=imported, framework=framework, method="setup"))

    assert found(precision) == []
    assert found("32-true")


def test_what_a_model_gives_that_may_be_cast_has_its_dtype() -> None:
    plain = PREPARED.replace("dtype=torch.bfloat16", "dtype=torch.float32").format(
        imported="from accelerate import Accelerator",
        framework="Accelerator()",
        method="prepare",
        dtype="torch.float32",
    )
    met = "nn.Linear(3, 3).double().to(framework.device)(net(torch.ones(2, 3, device=framework.device)))\n"
    assert clashes(plain + met) == ["18: dtype"]


_ADDED = """
import torch
from accelerate import Accelerator
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.read = nn.Linear(3, 3)

    def forward(self, x, rows):
        y = self.read(x)
        return torch.zeros_like(x).index_add_(0, rows, y)

accelerator = Accelerator({options})
net = accelerator.prepare(Net())
x = torch.ones(2, 3, device=accelerator.device)
made = net(x, torch.zeros(2, dtype=torch.long, device=accelerator.device))
print(made @ x.T)
"""


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_in_the_precision_that_is_told_a_layer_gives_halves(precision: str) -> None:
    assert clashes(_ADDED.format(options=f"mixed_precision='{precision}'")) == ["13: dtype"]
    chosen = f"mixed_precision='{precision}' if torch.cuda.is_available() else 'no'"
    assert clashes(_ADDED.format(options=chosen)) == ["13: dtype"]


_OPTION = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--precision", default={default})
args = parser.parse_args()
"""


@pytest.mark.parametrize(
    ("default", "found"), [("'fp16'", 1), ("'bf16'", 1), ("'no'", 0), ("'fp8'", 0), ("None", 0)]
)
def test_an_option_that_tells_the_precision_has_its_default(default: str, found: int) -> None:
    text = _OPTION.format(default=default) + _ADDED.format(options="mixed_precision=args.precision")
    assert len(clashes(text)) == found
    assert clashes(text.replace("rows, y)", "rows, y.float())")) == []


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_what_comes_out_of_it_is_wide_again(precision: str) -> None:
    text = _ADDED.format(options=f"mixed_precision='{precision}'")
    assert clashes(text.replace("rows, y)", "rows, y.float())")) == []
    assert clashes(text.replace("torch.zeros_like(x).index_add_(0, rows, y)", "y")) == []


@pytest.mark.parametrize(
    "options",
    [
        "",
        "mixed_precision='no'",
        "mixed_precision='fp8'",
        "mixed_precision=input()",
        "mixed_precision='fp16', kwargs_handlers=[AutocastKwargs(enabled=False)]",
        "mixed_precision='bf16', deepspeed_plugin=DeepSpeedPlugin()",
        "mixed_precision='bf16', **eval(input())",
    ],
)
def test_in_a_precision_that_others_tell_it_is_not_known(options: str) -> None:
    assert clashes(_ADDED.format(options=options)) == []


_BLOCK = """
import torch
from accelerate import Accelerator
from torch import nn

accelerator = Accelerator({options})
layer = nn.Linear(3, 3).to(accelerator.device)
x = torch.ones(2, 3, device=accelerator.device)
with accelerator.autocast({handler}):
    y = layer(x)
print(y @ x.T)
"""


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_a_block_of_autocast_has_the_precision_that_the_framework_was_told(precision: str) -> None:
    told = f"mixed_precision='{precision}'"
    assert clashes(_BLOCK.format(options=told, handler="")) == ["11: dtype"]
    assert clashes(_BLOCK.format(options=told, handler="AutocastKwargs(enabled=False)")) == []
    assert clashes(_BLOCK.format(options=told, handler="").replace("y @", "y.float() @")) == []


@pytest.mark.parametrize("options", ["", "mixed_precision='no'", "mixed_precision=input()"])
def test_a_block_of_no_precision_that_is_known_computes_in_none(options: str) -> None:
    assert clashes(_BLOCK.format(options=options, handler="")) == []


def test_in_full_precision_a_block_casts_nothing_that_meets() -> None:
    text = _BLOCK.format(options="mixed_precision='no'", handler="").replace("layer(x)", "layer(x.half())")
    assert clashes(text) == ["10: dtype"]
    assert clashes(text.replace("'no'", "'fp16'").replace("y @", "y.float() @")) == []


def test_a_block_of_full_precision_leaves_the_one_around_it_on() -> None:
    text = _BLOCK.format(options="mixed_precision='no'", handler="").replace("layer(x)", "layer(x.half())")
    around = "with torch.autocast('cuda'), accelerator"
    assert clashes(text.replace("with accelerator", around).replace("y @", "y.float() @")) == []
