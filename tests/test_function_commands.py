"""Functions that are commands: what click, typer and fire give their parameters."""

from __future__ import annotations

import pytest
from text_program import clashes

CLICK = """
import click
import torch

@click.command()
@click.argument("path")
@click.option("--device", default="{default}")
@click.option("--epochs", type=int, default=3)
@click.option("--pretrain/--no-pretrain", default=False)
def main(path, device, epochs, pretrain):
    model = torch.nn.Linear(2, 1).to(device)
    for _ in range(epochs):
        x = torch.ones(1, 2)
        {line}

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("default", ["cuda", "cpu"])
def test_an_option_of_click_gives_its_parameter_a_device(default: str) -> None:
    assert clashes(CLICK.format(default=default, line="model(x)")) == ["14: device"]
    assert clashes(CLICK.format(default=default, line="model(x.to(device))")) == []


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("import fire", "fire.Fire(main)"),
        ("import tyro", "tyro.cli(main)"),
        ("import typer", "typer.run(main)"),
    ],
)
def test_a_function_whose_parameters_are_options(begin: str, end: str) -> None:
    text = f"""
    {begin}
    import torch

    def main(device: str = "cuda", size: int = 2):
        model = torch.nn.Linear(size, 1).to(device)
        train(model)

    def train(model):
        model(torch.ones(1, 2))

    if __name__ == "__main__":
        {end}
    """
    assert clashes(text) == ["10: device"]


def test_an_option_of_typer_is_what_its_first_argument_says() -> None:
    text = """
    import torch
    import typer

    app = typer.Typer()

    @app.command()
    def main(device: str = typer.Option("cuda", help="where"), name: str = typer.Argument(...)):
        model = torch.nn.Linear(2, 1).to(device)
        model(torch.ones(1, 2))

    app()
    """
    assert clashes(text) == ["10: device"]


ABSL = """
from absl import app, flags
import torch

FLAGS = flags.FLAGS
flags.DEFINE_string("device", {default!r}, "Where to compute.")
_DEVICE = flags.DEFINE_string("place", {default!r}, "Where to compute.")
flags.DEFINE_bool("no_cuda", False, "Whether to stay on the CPU.")

def main(argv):
    if len(argv) > 1:
        raise app.UsageError("Too many arguments.")
    model = torch.nn.Linear(2, 1)
    {move}
    x = torch.ones(1, 2)
    {line}

if __name__ == "__main__":
    app.run(main)
    torch.ones(1, 2, device="cuda") + torch.ones(1, 2)
"""


@pytest.mark.parametrize("default", ["cuda", "cpu"])
@pytest.mark.parametrize(
    ("move", "same"),
    [
        ("model.to(FLAGS.device)", "x.to(FLAGS.device)"),
        ("model.to(torch.device(FLAGS.device))", "x.to(FLAGS.device)"),
        ("model.to(_DEVICE.value)", "x.to(device=_DEVICE.value)"),
        ("model = model if FLAGS.no_cuda else model.cuda()", "x if FLAGS.no_cuda else x.cuda()"),
    ],
)
def test_absl_calls_the_main_function_and_knows_its_flags(default: str, move: str, same: str) -> None:
    assert clashes(ABSL.format(default=default, move=move, line="model(x)")) == ["16: device"]
    assert clashes(ABSL.format(default=default, move=move, line=f"model({same})")) == []


def test_what_a_script_of_absl_does_without_a_device_is_seen_to_stay_on_the_cpu() -> None:
    assert clashes(ABSL.format(default="cuda", move="pass", line="model(x)")) == []
