"""Layers that take more than one input, or are made of a tensor."""

from __future__ import annotations

from reality import lies
from text_program import clashes


def test_offsets_of_a_bag_meet_its_weight() -> None:
    text = """
    import torch

    bag = torch.nn.EmbeddingBag(5, 2).to("cuda")
    tokens = torch.tensor([1, 2, 3], device="cuda")
    bag(tokens, torch.tensor([0, 1], device="cuda"))
    bag(tokens, torch.tensor([0, 1]))
    """
    assert clashes(text) == ["7: device"]


def test_a_table_made_of_vectors_is_where_they_are() -> None:
    text = """
    import torch

    ids = torch.tensor([1, 2], device="cuda")
    vectors = torch.ones(5, 2)
    torch.nn.Embedding.from_pretrained(vectors.to("cuda"))(ids)
    torch.nn.Embedding.from_pretrained(vectors).to("cuda")(ids)
    torch.nn.Embedding.from_pretrained(vectors)(ids)
    """
    assert clashes(text) == ["8: device"]


def test_what_is_called_on_several_devices_gets_its_inputs_there() -> None:
    text = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 1)

        def forward(self, inputs):
            if isinstance(inputs, dict):
                inputs = inputs["image"], inputs["boxes"]
            images, boxes = inputs
            return self.linear(images) + boxes

    images, boxes = torch.ones(1, 2), torch.ones(1, 1)
    net = torch.nn.DataParallel(Net()).cuda()
    net([images, boxes])
    net((images.cuda(), boxes))
    net({"image": images, "boxes": boxes})
    net.module([images.cuda(), boxes])
    """
    assert clashes(text) == ["13: device"]


def test_an_object_of_a_class_is_handed_to_several_devices_as_it_is() -> None:
    text = """
    import torch

    class Batch:
        def __init__(self, x):
            self.x = x

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 1)

        def forward(self, batch):
            return self.linear(batch.x)

    net = torch.nn.DataParallel(Net()).cuda()
    net(Batch(torch.ones(1, 2)))
    """
    assert clashes(text) == ["14: device"]


GROWN = """
    import numpy as np
    import torch

    def mlp(sizes, last=None):
        layers = []
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            layers.append({layer})
            if i < len(sizes) - 2:
                layers.append(torch.nn.ReLU())
        if last is not None:
            layers.append(last)
        return torch.nn.Sequential(*layers)

    class Rounded(torch.nn.Linear):
        def forward(self, x):
            return super().forward(x.float())

    rows = np.zeros((4, 3)){cast}
    mlp([3, 32, 1], torch.nn.Tanh())(torch.from_numpy(rows))
"""


def test_no_layer_of_a_list_that_grew_makes_other_floats() -> None:
    linear = "torch.nn.Linear(a, b)"
    assert clashes(GROWN.format(layer=linear, cast="")) == ["20: dtype"]
    assert clashes(GROWN.format(layer=linear, cast=".astype(np.float32)")) == []
    assert clashes(GROWN.format(layer="torch.nn.Linear(a, b).double()", cast="")) == []
    assert clashes(GROWN.format(layer="Rounded(a, b)", cast="")) == []


def test_an_average_is_where_it_was_asked_for() -> None:
    text = """
    import torch
    from torch.optim.swa_utils import AveragedModel

    model, x = torch.nn.Linear(2, 2).to("cuda"), torch.ones(3, 2)
    AveragedModel(model)(x)
    AveragedModel(model, device="cpu")(x)
    AveragedModel(model, torch.device("cpu"))(x.cuda())
    AveragedModel(model, device=None)(x.cuda())
    """
    assert clashes(text) == ["6: device", "8: device"]


def test_the_states_of_a_recurrent_layer_may_be_given_by_name() -> None:
    text = """
    import torch

    rnn = torch.nn.LSTM(4, 4).to("cuda")
    tokens = torch.ones(3, 2, 4, device="cuda")
    there, here = torch.zeros(1, 2, 4, device="cuda"), torch.zeros(1, 2, 4)
    rnn(input=tokens, hx=(there, there))
    rnn(hx=(here, here), input=tokens)
    rnn(hx=(here, here))
    torch.nn.GRU(4, 4).to("cuda")(input=tokens, hx=here)

    def step(tokens, state):
        return rnn(input=tokens, hx=state)
    """
    assert clashes(text) == ["8: device", "10: device"]


def test_a_loss_over_many_classes_has_its_targets_beside_it() -> None:
    text = """
    import torch
    from torch import nn
    layer = nn.AdaptiveLogSoftmaxWithLoss(64, 20, [5, 10])
    out = layer(torch.randn(4, 64), torch.zeros(4, dtype=torch.int64))
    a, b = out
    c, d = out.output, out.loss
    """
    assert lies(text) == []
    head = (
        "import torch\nfrom torch import nn\nlayer = nn.AdaptiveLogSoftmaxWithLoss(64, 20, [5, 10]).cuda()\n"
    )
    y = "y = torch.zeros(4, dtype=torch.int64{})\n"
    use = "print(layer(torch.randn(4, 64{}).cuda(), y).loss.item())\n"
    assert clashes(head + y.format("") + use.format("")) == ["5: device"]
    assert clashes(head + y.format(", device='cuda'") + use.format("")) == []
    wide = use.format(", dtype=torch.float64")
    assert clashes(head + y.format(", device='cuda'") + wide) == ["5: dtype"]
