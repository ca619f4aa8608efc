"""What libraries of models hold beside models, and models that are made of other ones."""

from __future__ import annotations

import pytest
from text_program import clashes

SETUP = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(2, 3, 32, 32).to(device)
"""


@pytest.mark.parametrize(
    "program",
    [
        "import segmentation_models_pytorch as smp\nsmp.losses.DiceLoss(mode='binary')(x, x)\n",
        "from timm.models.layers import to_2tuple\nto_2tuple(x)(x)\n",
        "from timm.models.registry import register_model\nregister_model(len)(x)\n",
        "from torchvision.models import ResNet18_Weights as w\nw.DEFAULT.transforms()(x)\n",
        "from transformers import TFBertModel\nTFBertModel.from_config('x')(x)\n",
    ],
    ids="loss function decorator weights tensorflow".split(),
)
def test_what_is_no_model_takes_what_it_is_given(program: str) -> None:
    assert clashes(SETUP + program) == []


@pytest.mark.parametrize(
    "model",
    [
        "segmentation_models_pytorch.Unet('resnet18')",
        "timm.models.resnet18()",
        "timm.models.layers.DropPath(0.1)",
        "diffusers.UNet2DModel(sample_size=32)",
    ],
)
def test_models_of_libraries_have_parameters_on_the_cpu(model: str) -> None:
    program = f"import diffusers, segmentation_models_pytorch, timm\n{model}(x)\n"
    assert clashes(SETUP + program) == ["6: device"]


def test_adapters_are_added_where_the_model_is() -> None:
    program = """
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModel
base = AutoModel.from_pretrained("x").to(device)
get_peft_model(base, LoraConfig())(x)
PeftModel.from_pretrained(base, "adapter")(x)
PeftModel.from_pretrained(AutoModel.from_pretrained("y"), "adapter")(x)
"""
    assert clashes(SETUP + program) == ["11: device"]
