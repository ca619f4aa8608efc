"""Where models move that a program makes in its own way, and what then meets them."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import files


def test_what_a_recursion_leaves_in_its_nodes_is_on_the_device_of_the_leaves() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import Fold
            from trees import grow

            fold = Fold()
            print(fold(grow(3)).sum().item())
            """,
            trees="""
            import random


            class Tree:
                def __init__(self, children=()):
                    self.children = list(children)


            def grow(depth):
                if depth == 0 or random.random() < 0.2:
                    return Tree()
                return Tree([grow(depth - 1) for _ in range(2)])
            """,
            nets="""
            import torch
            import torch.nn as nn


            class Fold(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.mix = nn.Linear(4, 4)

                def forward(self, tree):
                    for child in tree.children:
                        self.forward(child)
                    if tree.children:
                        states = torch.cat([child.state for child in tree.children])
                    else:
                        states = torch.zeros(1, 4)
                    tree.state = self.mix(states.sum(0, keepdim=True))
                    return tree.state
            """,
        )
    )
    assert "Fold().to(device)" in after["main.py"]
    assert "states = torch.zeros(1, 4, device=" in after["nets.py"]


def test_models_that_one_call_makes_move_where_the_script_unpacks_them() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import build

            generator, critic = build(3)
            print(critic(generator(torch.ones(2, 3))).sum().item())
            """,
            nets="""
            import torch.nn as nn


            def layer(n, m):
                return nn.Linear(n, m)


            def build(n):
                return layer(n, n), layer(n, 1)
            """,
        )
    )
    assert "\ngenerator, critic = generator.to(device), critic.to(device)\n" in after["main.py"]
    assert "device" not in after["nets.py"]


def test_what_a_call_gives_beside_a_model_stays_as_it_is() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import build

            model, vocabulary = build()
            print(model(torch.ones(2, len(vocabulary))).sum().item())
            """,
            nets="""
            import torch.nn as nn


            def build():
                return nn.Linear(3, 1), ["a", "b", "c"]
            """,
        )
    )["main.py"]
    assert "model = model.to(device)" in after
    assert "vocabulary.to" not in after


def test_a_function_that_runs_the_model_on_batches_is_told_the_device() -> None:
    program = """
    import torch
    from torch.optim.swa_utils import AveragedModel, update_bn

    loader = torch.utils.data.DataLoader(torch.ones(8, 3), batch_size=4)
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3))
    average = AveragedModel(model)
    update_bn(loader, average)
    print(average(torch.ones(2, 3)).sum().item())
    """
    assert "update_bn(loader, average, device=device)" in adopted(files(program))["main.py"]


@pytest.mark.parametrize(
    "batches", ["[((x, x), x)]", "[([x, x], x)]", "[{0: x, 1: x}]", "[({0: x, 1: x}, x)]"]
)
def test_a_function_that_runs_the_model_on_pairs_is_told_no_device(batches: str) -> None:
    program = f"""
    import torch
    from torch.optim.swa_utils import AveragedModel, update_bn

    class Pairs(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3))

        def forward(self, pair):
            return self.net(pair[0]) - self.net(pair[1])

    loader = torch.utils.data.DataLoader(torch.ones(8, 3), batch_size=4)
    average = AveragedModel(Pairs())
    for x in loader:
        update_bn({batches}, average)
    print(average((torch.ones(2, 3), torch.ones(2, 3))).sum().item())
    """
    after = adopted(files(program))["main.py"]
    assert "Pairs()).to(device)" in after or "Pairs().to(device))" in after
    assert ", average)" in after
    assert "x = x.to(device)\n" in after


def test_an_object_has_no_device_because_another_of_its_list_has_one() -> None:
    after = adopted(
        files(
            """
            import torch
            from layers import Dense, Net, Relu

            net = Net([Dense(2, 3), Relu(), Dense(3, 1)])
            print(net(torch.ones(4, 2)).sum().item())
            """,
            layers="""
            import torch


            class Dense:
                def __init__(self, n, m):
                    self.w = torch.ones(n, m, requires_grad=True)

                def __call__(self, x):
                    return x @ self.w


            class Relu:
                def __call__(self, x):
                    return x.clamp(min=0)


            class Net:
                def __init__(self, layers):
                    self.layers = layers

                def __call__(self, x):
                    for layer in self.layers:
                        x = layer(x)
                    return x
            """,
        )
    )["layers.py"]
    assert "layer.device" not in after


def test_tensors_given_to_a_model_for_one_call_are_where_the_model_is() -> None:
    after = adopted(
        files(
            """
            import torch
            from torch.func import functional_call, stack_module_state

            models = [torch.nn.Linear(3, 1) for _ in range(2)]
            params, buffers = stack_module_state(models)
            base = torch.nn.Linear(3, 1)
            x = torch.ones(4, 3)
            print(functional_call(base, (params, buffers), (x,)).sum().item())
            """
        )
    )["main.py"]
    assert "x = torch.ones(4, 3, device=device)" in after or "(x.to(device),)" in after


def test_what_works_on_samples_alone_stays_with_the_data() -> None:
    after = adopted(
        files(
            """
            import torch
            from blur import Blurred

            loader = torch.utils.data.DataLoader(Blurred(torch.ones(8, 1, 4)), batch_size=4)
            model = torch.nn.Linear(4, 1)
            for x in loader:
                print(model(x).sum().item())
            """,
            blur="""
            import torch


            class Blurred(torch.utils.data.Dataset):
                def __init__(self, rows):
                    self.rows = rows
                    self.blur = torch.nn.Conv1d(1, 1, 3, padding=1)

                def __len__(self):
                    return len(self.rows)

                def __getitem__(self, i):
                    with torch.no_grad():
                        return self.blur(self.rows[i])
            """,
        )
    )
    assert "model = torch.nn.Linear(4, 1).to(device)" in after["main.py"]
    assert ".to(" not in after["blur.py"]


def test_a_model_that_a_module_takes_apart_moves_with_the_module() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import Head

            print(Head()(torch.ones(2, 3)).sum().item())
            """,
            nets="""
            import torch.nn as nn


            class Backbone(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.first = nn.Linear(3, 3)
                    self.last = nn.Linear(3, 1)


            class Head(nn.Module):
                def __init__(self):
                    super().__init__()
                    backbone = Backbone()
                    self.features = nn.Sequential(*list(backbone.children())[:-1])

                def forward(self, x):
                    return self.features(x)
            """,
        )
    )
    assert "Head().to(device)" in after["main.py"]
    assert ".to(" not in after["nets.py"]


def test_layers_without_the_last_one_are_no_model_of_their_own() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import Stack

            print(Stack()(torch.ones(2, 3)).sum().item())
            """,
            nets="""
            import torch.nn as nn


            class Stack(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])

                def forward(self, x):
                    for layer in self.layers[:-1]:
                        x = layer(x).relu()
                    return self.layers[-1](x)
            """,
        )
    )
    assert "Stack().to(device)" in after["main.py"]
    assert ".to(" not in after["nets.py"]


def test_a_table_that_a_class_method_makes_is_the_one_that_counts() -> None:
    after = adopted(
        files(
            """
            import torch
            from nets import Words

            print(Words(torch.ones(5, 3))(torch.tensor([1, 2])).sum().item())
            """,
            nets="""
            import torch.nn as nn


            class Words(nn.Module):
                def __init__(self, vectors):
                    super().__init__()
                    self.lookup = nn.Embedding(5, 3).from_pretrained(vectors)

                def forward(self, words):
                    return self.lookup(words)
            """,
        )
    )
    assert (
        "torch.tensor([1, 2], device=device)" in after["main.py"]
        or "torch.tensor([1, 2]).to(device)" in after["main.py"]
    )
    assert ".to(" not in after["nets.py"]


@pytest.mark.usefixtures("long_lines")
def test_what_a_module_computes_of_a_list_that_it_keeps_moves_where_it_is_computed() -> None:
    after = adopted(
        files(
            """
            import torch
            from reader import Reader

            reader = Reader()
            reads = reader.begin(4)
            print(reader(torch.ones(4, 2), reads).sum().item())
            """,
            reader="""
            import torch
            from torch import nn


            class Reader(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.last = nn.Linear(6, 1)
                    self.starts = []
                    for _ in range(2):
                        start = torch.randn(1, 2) * 0.1
                        self.starts += [start]

                def begin(self, n):
                    return [start.clone().repeat(n, 1) for start in self.starts]

                def forward(self, x, reads):
                    return self.last(torch.cat([x] + reads, dim=1))
            """,
        )
    )
    moved = "[start.clone().repeat(n, 1).to(next(self.parameters()).device) for start in self.starts]"
    assert moved in after["reader.py"]
    assert "torch.ones(4, 2, device=device)" in after["main.py"]


def test_what_a_slice_of_a_list_of_modules_gives_is_one_of_them_however_many_there_are() -> None:
    after = adopted(
        files(
            """
            import torch
            from flows import Flows, Scale

            layers = [Scale() for _ in range(int(input()))]
            model = Flows(layers)
            print(model.inverse(torch.ones(4, 2)).sum().item())
            """,
            flows="""
            import torch


            class Scale(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.s = torch.nn.Parameter(torch.ones(2))

                def inverse(self, z):
                    return z / self.s, -self.s.sum() * torch.ones(z.shape[0])


            class Flows(torch.nn.Module):
                def __init__(self, layers):
                    super().__init__()
                    self.layers = torch.nn.ModuleList(layers)

                def inverse(self, z):
                    log_det = torch.zeros(z.shape[0])
                    for layer in self.layers[::-1]:
                        z, found = layer.inverse(z)
                        log_det += found
                    return log_det
            """,
        )
    )
    assert "log_det = torch.zeros(z.shape[0], device=" in after["flows.py"]
    assert "torch.ones(z.shape[0], device=" in after["flows.py"]


def test_a_model_that_objects_hand_on_and_on_moves_where_the_script_has_it() -> None:
    after = adopted(
        files(
            """
            from examples import example
            from views import View

            image, model = example()
            print(View(model).of(image))
            """,
            examples="""
            import torch


            def example():
                model = torch.nn.Linear(3, 1)
                return torch.ones(2, 3), model
            """,
            views="""
            class Part:
                def __init__(self, model):
                    self.model = model


            class Extractor:
                def __init__(self, model):
                    self.model = model
                    self.part = Part(model)


            class Scorer:
                def __init__(self, model):
                    self.model = model
                    self.extractor = Extractor(model)


            class View:
                def __init__(self, model):
                    self.model = model
                    self.scorer = Scorer(model)

                def of(self, image):
                    return self.scorer.extractor.part.model(image).sum().item()
            """,
        )
    )
    assert "image, model = image.to(device), model.to(device)" in after["main.py"]
    assert "device" not in after["views.py"]


def test_a_model_of_which_a_part_was_asked_for_is_a_model_still() -> None:
    after = adopted(
        files("""
        import torch
        from torchvision import models

        model = models.alexnet()
        first = list(model.features._modules.items())[0][1]
        print(first, model(torch.ones(1, 3, 224, 224)).sum().item())
        """)
    )["main.py"]
    assert "model = models.alexnet().to(device)" in after


def test_what_a_kept_model_is_called_with_goes_where_that_one_is() -> None:
    after = adopted(
        files(
            """
            import torch
            from engine import Engine

            print(Engine(torch.nn.Linear(3, 1)).run())
            """,
            engine="""
            import copy

            import torch


            class Engine:
                def __init__(self, model):
                    self.model = model
                    self.ema = copy.deepcopy(model).requires_grad_(False)

                def run(self):
                    return self.model(torch.rand(4, 3)).sum().item()
            """,
        )
    )["engine.py"]
    assert "self.device = next(model.parameters()).device" in after
    assert "self.model(torch.rand(4, 3).to(self.device))" in after


def test_parts_that_are_put_into_a_model_later_move_with_it() -> None:
    """The model moves behind them, so it takes them along."""
    after = adopted(
        files(
            """
            import nets
            import torch
            from torch import nn

            words = torch.LongTensor([[1, 2, 3]])
            body = nn.Linear(4, 4)
            model = nets.Chain(body)
            encoder = nn.Embedding(9, 4)
            model.add_module("encoder", encoder)
            model.head = nn.Linear(4, 2)


            def run():
                print(model.head(model(encoder(words))).sum().item())


            run()
            """,
            nets="""
            from torch import nn


            class Chain(nn.Module):
                def __init__(self, body):
                    super().__init__()
                    self.body = body

                def forward(self, x):
                    return self.body(x)
            """,
        )
    )
    lines = [line for line in after["main.py"].splitlines() if "to(" in line]
    assert lines == [
        "words = torch.LongTensor([[1, 2, 3]]).to(device)",
        "model.to(device)",
    ]


def test_the_encoder_of_words_that_a_function_returns_moves_with_the_model_that_holds_it() -> None:
    after = adopted(
        files(
            """
            import torch
            from corpus import Corpus
            from torch import nn

            corpus = Corpus([3, 1, 2])
            model = nn.GRU(4, 4)
            encoder = nn.Embedding(9, 4)
            model.add_module("encoder", encoder)


            def run():
                data = corpus.train.view(1, -1)
                print(model(encoder(data))[0].sum().item())


            run()
            """,
            corpus="""
            import torch


            class Corpus:
                def __init__(self, words):
                    self.train = self.numbered(words)

                def numbered(self, words):
                    ids = torch.LongTensor(len(words))
                    for place, word in enumerate(words):
                        ids[place] = word
                    return ids
            """,
        )
    )
    assert [line for line in after["main.py"].splitlines() if "to(" in line] == [
        "model.to(device)",
        "    data = corpus.train.view(1, -1).to(device)",
    ]
