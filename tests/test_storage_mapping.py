"""Functions given as ``map_location``: they are asked where what is loaded goes."""

from __future__ import annotations

import pytest
from text_program import clashes


@pytest.mark.parametrize(
    ("mapping", "found"),
    [
        ("lambda storage, location: storage", ["device"]),
        ("lambda storage, location: storage.cpu()", ["device"]),
        ("lambda storage, location: storage.cuda()", []),
        ("lambda storage, location: storage.cuda(0) if location else storage", []),
        ("lambda storage, location: None", []),
        ("{'cuda:0': 'cuda:0'}", []),
        ("by_name", []),
    ],
)
def test_a_function_says_where_what_is_loaded_goes(mapping: str, found: list[str]) -> None:
    text = f"""
    import torch

    def by_name(storage, location):
        return storage.cuda() if location.startswith("cuda") else storage

    state = torch.zeros(4, device="cuda")
    torch.save({{"state": state}}, "state.pt")
    kept = torch.load("state.pt", map_location={mapping})
    print(kept["state"] + state)
    """
    assert [each.partition(": ")[2] for each in clashes(text)] == found


def test_a_model_of_lightning_goes_there_too() -> None:
    text = """
    import lightning as L
    import torch

    class Net(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 2)

    x = torch.zeros(1, 4, device="cuda")
    net = Net.load_from_checkpoint("net.ckpt", map_location=lambda storage, location: storage{moved})
    print(net.layer(x))
    """
    assert [each.partition(": ")[2] for each in clashes(text.replace("{moved}", ""))] == ["device"]
    assert clashes(text.replace("{moved}", ".cuda()")) == []
