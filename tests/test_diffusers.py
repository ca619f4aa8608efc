"""Pipelines and schedulers of diffusers are no modules, its models are."""

from __future__ import annotations

from text_program import clashes

IMPORTS = """
import numpy as np
import torch
from diffusers import DDIMScheduler, DiffusionPipeline, UNet2DModel
"""


def test_a_pipeline_takes_inputs_from_anywhere_and_makes_pictures() -> None:
    program = """
pipe = DiffusionPipeline.from_pretrained("x").to("cuda")
image = pipe("a cat", image_embeds=torch.ones(1, 8)).images[0]
print(np.abs(image).sum())
np.asarray(pipe("a dog", output_type="np").images)
"""
    assert clashes(IMPORTS + program) == []


def test_a_scheduler_computes_where_its_inputs_are() -> None:
    program = """
scheduler = DDIMScheduler.from_pretrained("x")
unet = UNet2DModel.from_pretrained("x").to("cuda")
sample = torch.randn(1, 3, 8, 8).to("cuda")
for t in scheduler.timesteps:
    scaled = scheduler.scale_model_input(sample, t)
    residual = unet(scaled, t).sample
    sample = scheduler.step(residual, t, sample).prev_sample
"""
    assert clashes(IMPORTS + program) == []


def test_a_model_of_diffusers_is_a_module() -> None:
    program = """
unet = UNet2DModel.from_pretrained("x").to("cuda")
unet(torch.randn(1, 3, 8, 8), 1)
"""
    assert clashes(IMPORTS + program) == ["7: device"]
