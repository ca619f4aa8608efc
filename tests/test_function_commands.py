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
