"""Models of libraries that may be quantised, are taken to the device part by part, or have methods of their own."""

from __future__ import annotations

import pytest
from text_program import clashes

LOADED = """\
    import torch
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    def load(cfg):
        chosen = None
        if cfg.small:
            chosen = BitsAndBytesConfig(load_in_4bit=True)
        model = AutoModelForCausalLM.from_pretrained(cfg.path, {})
        if not cfg.small:
            model = model.to("cuda")
        return model
    """


@pytest.mark.parametrize(
    "how", ["load_in_8bit=cfg.small", "quantization_config=chosen", "load_in_4bit=False"]
)
def test_a_model_that_may_not_be_quantised_can_be_moved(how: str) -> None:
    assert clashes(LOADED.format(how)) == []


@pytest.mark.parametrize(
    "how",
    [
        "load_in_8bit=True",
        "quantization_config=BitsAndBytesConfig(load_in_4bit=True)",
        "quantization_config=BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=6)",
    ],
)
def test_a_model_that_is_quantised_must_not_be_moved(how: str) -> None:
    assert clashes(LOADED.format(how)) == ["10: dispatched"]


@pytest.mark.parametrize(
    "kind", ["GPTQConfig(bits=4)", "TorchAoConfig('int4_weight_only')", "AwqConfig(bits=4)"]
)
def test_what_other_libraries_quantise_is_moved_as_any_model(kind: str) -> None:
    quantised = f"quantization_config=transformers.{kind}"
    assert clashes("    import transformers\n" + LOADED.format(quantised)) == []


PIPELINE = """\
    import torch
    from diffusers import StableDiffusionPipeline

    pipe = StableDiffusionPipeline.from_pretrained("some/model")
    {}
    pipe.unet.to(memory_format=torch.channels_last)
    x = torch.randn(2, 4, device="cuda")
    pipe.unet(x, 1, encoder_hidden_states=x)
    """


@pytest.mark.parametrize("how", ["sequential_cpu", "model_cpu", "group"])
def test_a_pipeline_that_is_offloaded_takes_its_parts_to_where_they_are_needed(how: str) -> None:
    assert clashes(PIPELINE.format(f"pipe.enable_{how}_offload()")) == []


def test_a_pipeline_that_nobody_moves_stays_on_the_cpu() -> None:
    assert clashes(PIPELINE.format("pipe.enable_vae_slicing()")) == ["8: device"]


ACTING = """\
    import numpy as np
    import torch
    from transformers import AutoModelForVision2Seq

    model = AutoModelForVision2Seq.from_pretrained("some/model", trust_remote_code=True).to("cuda")
    x = torch.zeros(2, 4, dtype=torch.long, device="cuda")
    np.array({})
    """


def test_what_a_method_of_the_model_itself_predicts_may_be_anything() -> None:
    assert clashes(ACTING.format("model.predict_action(x)")) == []


def test_what_a_part_of_the_model_makes_is_where_the_model_is() -> None:
    assert clashes(ACTING.format("model.backbone(x)")) == ["7: numpy"]


EXPORTING = """\
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            return self.layer(x)

        def export(self, path):
            x = torch.randn(2, 3)
            self(x)
            {}
    """


def test_a_method_that_exports_its_module_is_called_where_its_inputs_are() -> None:
    assert clashes(EXPORTING.format("torch.onnx.export(self, (x,), path)")) == []
    assert clashes(EXPORTING.format("torch.onnx.export(self.layer, (x,), path)")) == []


def test_a_method_that_exports_nothing_or_something_else_is_judged_by_its_module() -> None:
    assert clashes(EXPORTING.format("torch.save(x, path)")) == ["10: device"]
    assert clashes(EXPORTING.format("torch.onnx.export(other(self), (x,), path)")) == ["10: device"]
