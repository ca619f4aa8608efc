"""What a run saw, in terms of the program's sources."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from observed_reports import Report, locate, operand
from text_program import files

from devfix.analysis import analyse
from devfix.findings import Mismatch, ReplaceExpression, Span, WrapExpression
from devfix.observation import beside, loaded
from devfix.observation.pointing import Pointer
from devfix.observation.record import ObservedMismatch
from devfix.observation.sighting import sighted
from devfix.observation.translation import translated
from devfix.placement.batches.unloading import Unloading
from devfix.placement.blaming.causes import cause
from devfix.project import Program, Project
from devfix.source import Source


def _translated(texts: Mapping[str, str], observed: ObservedMismatch) -> list[Mismatch]:
    return translated(observed, Pointer(analyse(_program(texts)), locate))


def _program(texts: Mapping[str, str]) -> Program:
    return Project([Source(path, text) for path, text in texts.items()], roots=("",)).whole()


def _one(texts: Mapping[str, str], observed: ObservedMismatch) -> Mismatch:
    [found] = _translated(texts, observed)
    return found


def _trail(mismatch: Mismatch, number: int = 0) -> list[tuple[str, str]]:
    return [(site.kind, site.text) for site in mismatch.operands[number].trail]


MASKED = files("""
    import torch

    def masked(x):
        mask = torch.ones(4, 4)
        return x * mask

    print(masked(torch.ones(4, 4).cuda()))
""")


def _masked(report: Report) -> ObservedMismatch:
    return report.mismatch(
        "aten::mul",
        [report.place("masked(torch.ones(4, 4).cuda())"), report.place("x * mask")],
        [
            operand("self", "cuda:0", ["x"], report.made("move", "Tensor.cuda", "torch.ones(4, 4).cuda()")),
            operand("other", "cpu", ["mask"], report.made("factory", "torch.ones", "torch.ones(4, 4)")),
        ],
        [{"x": "tensor:cuda:0 float32 4x4", "mask": "tensor:cpu float32 4x4"}],
    )


@pytest.mark.parametrize("columns", [True, False])
def test_operands_are_found_by_their_names_also_where_columns_are_not_known(columns: bool) -> None:
    found = _one(MASKED, _masked(Report(MASKED, columns=columns)))
    assert [(each.text, each.device) for each in found.operands] == [("mask", "cpu"), ("x", "cuda")]
    assert found.get("scope") == "masked"


def test_a_trail_leads_from_the_factory_over_the_name_to_the_sink() -> None:
    found = _one(MASKED, _masked(Report(MASKED)))
    assert _trail(found) == [("factory", "torch.ones(4, 4)"), ("name", "mask")]
    assert cause(found) == "created-on-cpu"


def test_an_operand_without_a_name_is_known_by_the_line_that_made_it() -> None:
    texts = files("x = torch.ones(3) + y * 2\n")
    report = Report(texts)
    observed = report.mismatch(
        "aten::add",
        [report.place("torch.ones(3) + y * 2")],
        [
            operand("self", "cpu", made=report.made("factory", "torch.ones", "torch.ones(3)")),
            operand("other", "cuda:0", made=report.made("result", "torch.mul", "y * 2")),
        ],
    )
    assert [each.text for each in _one(texts, observed).operands] == ["torch.ones(3)", "y * 2"]


def test_what_is_left_over_on_both_sides_belongs_together() -> None:
    texts = files("z = torch.cat([dists, torch.Tensor([1e10]).expand(3)], -1)\n")
    report = Report(texts)
    observed = report.mismatch(
        "aten::cat",
        [report.place("torch.cat([dists, torch.Tensor([1e10]).expand(3)], -1)")],
        [operand("tensors", "cuda:0", ["dists"]), operand("tensors", "cpu")],
        [{"dists": "tensor:cuda:0 float32 4x4"}],
    )
    assert _one(texts, observed).operands[0].text == "torch.Tensor([1e10]).expand(3)"


def test_a_parameter_is_followed_to_the_argument_of_the_frame_that_called() -> None:
    texts = files("""
        class Net(torch.nn.Module):
            def forward(self, state):
                return self.layer(state)

        def run(net, numbers):
            return net(torch.from_numpy(numbers))
    """)
    report = Report(texts)
    made = report.made("numpy", "torch.from_numpy", "torch.from_numpy(numbers)")
    observed = report.mismatch(
        "aten::addmm",
        [report.place("net(torch.from_numpy(numbers))"), report.place("self.layer(state)")],
        [
            operand("mat1", "cpu", ["state"], made, held=[[], ["state"]]),
            operand("mat2", "cuda:0", owners=[report.owner(1, "self", "layer.weight")]),
        ],
        [{"self": "module:cuda:0", "self.layer": "module:cuda:0"}],
    )
    found = _one(texts, observed)
    assert _trail(found) == [("numpy", "torch.from_numpy(numbers)"), ("argument", "state")]
    assert [(each.text, each.role) for each in found.operands] == [
        ("state", "mat1"),
        ("self.layer", "weight"),
    ]


def test_the_parameters_of_a_model_that_was_never_moved_are_its_life() -> None:
    texts = files("""
        model = build(settings)
        y = model(x)
    """)
    report = Report(texts)
    owner = report.owner(0, "model", "0.weight", report.place("build(settings)"))
    observed = report.mismatch(
        "aten::addmm",
        [report.place("model(x)")],
        [
            operand("self", "cpu", made=None, owners=[{**owner, "name": "0.bias"}]),
            operand("mat1", "cuda:0", ["x"]),
            operand("mat2", "cpu", owners=[owner]),
        ],
        [{"x": "tensor:cuda:0 float32 4x4", "model": "module:cpu"}],
    )
    found = _one(texts, observed)
    assert [(each.text, each.role) for each in found.operands] == [("model", "weight"), ("x", "mat1")]
    assert _trail(found) == [("module", "build(settings)"), ("name", "model")]
    assert cause(found) == "model-not-moved"


def test_modules_in_a_plain_dictionary_lead_to_where_it_became_an_attribute() -> None:
    texts = files("""
        class Heads(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.heads = {}

            def forward(self, x):
                return self.heads["a"](x)
    """)
    report = Report(texts)
    owner = report.owner(0, "self.heads['a']", "weight", kept={"path": "self.heads", "type": "dict"})
    observed = report.mismatch(
        "aten::linear",
        [report.place('self.heads["a"](x)')],
        [operand("input", "cuda:0", ["x"]), operand("weight", "cpu", owners=[owner])],
        [{"x": "tensor:cuda:0 float32 4x4", "self.heads['a']": "module:cpu"}],
    )
    found = _one(texts, observed)
    assert found.get("unregistered") == "1"
    assert _trail(found) == [("other", "{}"), ("module-attribute", "self.heads")]


def test_a_plain_attribute_of_a_module_is_one_whatever_was_computed_from_it() -> None:
    texts = files("""
        class Scale(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.levels = torch.tensor([2.0, 3.0])

            def forward(self, x):
                half = self.levels / 2
                return x * half
    """)
    report = Report(texts)
    root = report.made("factory", "torch.tensor", "torch.tensor([2.0, 3.0])")
    observed = report.mismatch(
        "aten::mul",
        [report.place("x * half")],
        [
            operand("self", "cuda:0", ["x"]),
            operand(
                "other", "cpu", ["half"], report.made("result", "torch.div", "self.levels / 2"), roots=[root]
            ),
        ],
    )
    found = _one(texts, observed)
    assert [[site.kind for site in root] for root in found.operands[0].roots] == [
        ["factory", "module-attribute"]
    ]
    assert cause(found) == "unregistered-tensor"


def test_what_a_library_makes_inside_a_call_is_no_factory_of_the_program() -> None:
    texts = files("""
        layer = torch.nn.Linear(3, 3)
        y = shift(x)
    """)
    report = Report(texts)
    observed = report.mismatch(
        "aten::add",
        [report.place("shift(x)")],
        [
            operand("self", "cuda:0", ["x"]),
            operand("other", "cpu", made=report.made("factory", "torch.empty", "torch.nn.Linear(3, 3)")),
        ],
    )
    assert _trail(_one(texts, observed)) == [("other", "torch.nn.Linear(3, 3)")]


def test_names_of_a_batch_lead_back_to_its_loader() -> None:
    texts = files("""
        for images, labels in loader:
            loss = criterion(model(images.to(device)), labels)
    """)
    report = Report(texts)
    header = report.made("result", "torch.stack", "images, labels")
    observed = report.mismatch(
        "aten::nll_loss_forward",
        [report.place("criterion(model(images.to(device)), labels)")],
        [operand("self", "cuda:0"), operand("target", "cpu", ["labels"], header)],
        [{"labels": "tensor:cpu float32 4x4", "loader": "loader", "criterion": "module"}],
    )
    found = _one(texts, observed)
    assert _trail(found) == [("loader", "loader"), ("name", "labels")]
    assert found.operation == "torch.nn.functional.nll_loss"


def test_a_dtype_leads_back_to_before_the_move() -> None:
    texts = files("""
        for x, y in loader:
            out = model(x.to(device))
    """)
    report = Report(texts)
    observed = report.mismatch(
        "aten::addmm",
        [report.place("model(x.to(device))")],
        [
            operand(
                "mat1",
                "cuda:0",
                made=report.made("move", "Tensor.to", "x.to(device)"),
                blamed=True,
                dtype="float64",
            ),
            operand("mat2", "cuda:0", owners=[report.owner(0, "model", "weight")]),
        ],
        [{"model": "module:cuda:0", "x": "tensor:cpu float64 4x4"}],
        kind="dtype",
        wanted="float32",
    )
    found = _one(texts, observed)
    assert found.get("wanted") == "float32"
    assert [site.kind for site in found.operands[0].roots[0]] == ["name", "move"]


@pytest.mark.parametrize(("told", "early"), [(", device=device", None), ("", "yes")])
def test_a_generator_is_looked_for_where_it_was_made(told: str, early: str | None) -> None:
    texts = files(f"""
        def noise(n, generator):
            return torch.rand(n, generator=generator{told})

        print(noise(3, torch.Generator().manual_seed(0)))
    """)
    report = Report(texts)
    observed = report.mismatch(
        "generator",
        [
            report.place("noise(3, torch.Generator().manual_seed(0))"),
            report.place(f"torch.rand(n, generator=generator{told})"),
        ],
        [],
        kind="generator",
        message="Expected a 'cuda' device type for generator but found 'cpu'",
    )
    found = _one(texts, observed)
    assert [(each.role, each.device) for each in found.operands] == [("generator", "cpu"), ("result", "cuda")]
    assert _trail(found) == [("factory", "torch.Generator()")]
    assert found.get("early") == early


def test_the_history_of_an_optimizer_becomes_chains_of_statements() -> None:
    texts = files("""
        def main():
            model = make()
            optimizer = torch.optim.Adagrad(model.parameters())
            model.to(device)
            optimizer.step()

        main()
    """)
    report = Report(texts)
    main = report.place("main()", number=1)
    observed = report.mismatch(
        "aten::addcmul_",
        [main, report.place("optimizer.step()")],
        [operand("self", "cpu"), operand("tensor1", "cuda:0", owners=[report.owner(1, "model", "weight")])],
        kind="optimizer-state",
        history={
            "built": [main, report.place("torch.optim.Adagrad(model.parameters())")],
            "moved": [main, report.place("model.to(device)")],
        },
    )
    state, params = _one(texts, observed).operands
    assert cause(_one(texts, observed)) == "optimizer-before-move"
    assert [site.span.line for site in state.roots[0]] == [8, 4]
    assert [site.span.line for site in params.roots[0]] == [8, 5]


def test_what_a_worker_moves_is_told_where_the_loop_asks_for_it() -> None:
    texts = files("""
        class Squares(torch.utils.data.Dataset):
            def __getitem__(self, i):
                x = torch.full((2,), float(i)).to(device)
                return x, i

        loader = DataLoader(Squares(), num_workers=2)
        for x, i in loader:
            print(x)
    """)
    report = Report(texts)
    observed = report.mismatch(
        "torch.cuda._lazy_init",
        [report.place("x, i in loader"), report.place("torch.full((2,), float(i)).to(device)")],
        [],
        [{"loader": "loader"}, {}],
        kind="worker",
    )
    found = _one(texts, observed)
    assert (found.sink.line, found.get("form"), found.get("where")) == (8, "0:tensor", "dataset")
    assert [root[0].text for root in found.operands[0].roots] == ["torch.full((2,), float(i)).to(device)"]
    assert _trail(found) == [("other", "DataLoader(Squares(), num_workers=2)")]


def test_without_workers_nothing_in_a_data_set_has_to_go() -> None:
    texts = files("""
        class Taught(torch.utils.data.Dataset):
            def __getitem__(self, i):
                return teacher(x[i].to(device)).cpu()

        options = dict(num_workers=2)
        loader = DataLoader(Taught(), **options)
        for x in loader:
            print(x)
    """)
    report = Report(texts)
    observed = report.mismatch(
        "torch.cuda._lazy_init",
        [report.place("x in loader"), report.place("x[i].to(device)")],
        [],
        [{"loader": "loader"}, {}],
        kind="worker",
    )
    facts = analyse(_program(texts))
    sighting = sighted(observed, Pointer(facts, locate))
    assert sighting is not None
    [found] = loaded.otherwise(sighting)
    [fix] = Unloading(facts, found).fixes()
    [edit] = fix.edits
    assert isinstance(edit.edit, ReplaceExpression)
    assert edit.edit == ReplaceExpression(Span(6, 27, 6, 28), "0")


def test_what_next_asks_for_is_the_loader_as_well() -> None:
    texts = files("""
        class Squares(torch.utils.data.Dataset):
            def __getitem__(self, i):
                return torch.full((2,), float(i)).to(device)

        loader = DataLoader(Squares(), pin_memory=True)
        batches = iter(loader)
        x = next(batches)
    """)
    report = Report(texts)
    moved = report.made("move", "Tensor.to", "torch.full((2,), float(i)).to(device)")
    observed = report.mismatch(
        "Tensor.pin_memory",
        [report.place("next(batches)")],
        [operand("self", "cuda:0", blamed=True, roots=[moved])],
        kind="pin",
    )
    found = _one(texts, observed)
    assert (found.sink.line, found.operands[0].text) == (8, "batches")
    assert [root[0].text for root in found.operands[0].roots] == ["torch.full((2,), float(i)).to(device)"]
    assert _trail(found) == [("other", "DataLoader(Squares(), pin_memory=True)")]


def test_what_happens_outside_of_the_program_is_none_of_its_mismatches() -> None:
    report = Report(MASKED)
    sink = {**report.place("x * mask"), "file": "/elsewhere/lib.py"}
    assert _translated(MASKED, report.mismatch("aten::mul", [sink], [operand("self", "cpu")])) == []


def test_a_place_that_the_text_does_not_have_is_passed_over() -> None:
    report = Report(MASKED)
    sink = {**report.place("x * mask"), "line": 99, "end_line": 99}
    assert _translated(MASKED, report.mismatch("aten::mul", [sink], [operand("self", "cpu")])) == []


def test_a_module_that_is_made_where_it_is_called_is_one_operand() -> None:
    texts = files("""
        def normalised(x):
            return nn.BatchNorm2d(4)(x)
    """)
    report = Report(texts)
    made = report.made("factory", "torch.empty", "nn.BatchNorm2d(4)")
    observed = report.mismatch(
        "aten::native_batch_norm",
        [report.place("nn.BatchNorm2d(4)(x)")],
        [
            operand("input", "cuda:0", ["x"]),
            operand("weight", "cpu", made=made),
            operand("bias", "cpu", made=made),
        ],
        [{"x": "tensor:cuda:0 float32 4x4"}],
    )
    found = _one(texts, observed)
    assert [(each.text, each.role) for each in found.operands] == [
        ("nn.BatchNorm2d(4)", "weight"),
        ("x", "input"),
    ]
    assert _trail(found) == [("module", "nn.BatchNorm2d(4)")]
    assert cause(found) == "model-not-moved"


def test_what_a_library_made_of_an_argument_stands_for_it() -> None:
    texts = files("packed = nn.utils.rnn.pack_padded_sequence(x, lens, enforce_sorted=False)\n")
    report = Report(texts)
    call = "nn.utils.rnn.pack_padded_sequence(x, lens, enforce_sorted=False)"
    observed = report.mismatch(
        "aten::_pack_padded_sequence",
        [report.place(call)],
        [
            operand(
                "input", "cuda:0", made=report.made("result", "torch.index_select", call), computed_from=["x"]
            ),
            operand(
                "lengths",
                "cuda:0",
                made=report.made("result", "torch.sort", call),
                blamed=True,
                dtype="int64",
                computed_from=["lens", "x"],
            ),
        ],
        [{"x": "tensor:cuda:0 float32 4x4", "lens": "tensor:cuda:0 int32 4"}],
        kind="host-only",
    )
    assert _one(texts, observed).operands[0].text == "lens"


def test_an_operand_is_moved_to_what_the_run_saw_beside_it() -> None:
    sighting = sighted(_masked(Report(MASKED)), Pointer(analyse(_program(MASKED)), locate))
    assert sighting is not None
    [fix] = beside.fixes(sighting)
    assert [each.edit for each in fix.edits] == [WrapExpression(Span(6, 15, 6, 19), "", ".to(x.device)")]


def test_a_plain_list_of_a_name_that_another_class_uses_too_is_told_by_what_it_holds() -> None:
    texts = files("""
        class Encoder(torch.nn.Module):
            def __init__(self):
                self.stack = torch.nn.ModuleList([Layer()])

        class Decoder(torch.nn.Module):
            def __init__(self):
                self.stack = [Part()]

        def run(model, x):
            return model.decoder.stack[0](x)
    """)
    report = Report(texts)
    owner = report.owner(
        0,
        "model.decoder.stack[0]",
        "weight",
        report.place("Part()"),
        kept={"path": "model.decoder.stack", "type": "list"},
    )
    observed = report.mismatch(
        "aten::addmm",
        [report.place("model.decoder.stack[0](x)")],
        [operand("mat1", "cuda:0", ["x"]), operand("mat2", "cpu", owners=[owner])],
    )
    weight = next(each for each in _one(texts, observed).operands if each.device == "cpu")
    assert [site.text for site in weight.trail] == ["[Part()]", "self.stack"]


def test_of_the_parameters_of_a_layer_the_one_to_blame_stands_for_all() -> None:
    texts = files("""
        def prune(layer, mask):
            layer.weight.data = torch.from_numpy(layer.weight.numpy() * mask)

        def forward(layer, x):
            return layer(x)
    """)
    report = Report(texts)
    observed = report.mismatch(
        "aten::addmm",
        [report.place("layer(x)")],
        [
            operand("self", "cuda:0", ["layer.bias"], owners=[report.owner(0, "layer", "bias")]),
            operand("mat1", "cuda:0", ["x"]),
            operand(
                "mat2",
                "cuda:0",
                made=report.made(
                    "numpy", "torch.from_numpy", "torch.from_numpy(layer.weight.numpy() * mask)"
                ),
                blamed=True,
                dtype="float64",
                owners=[report.owner(0, "layer", "weight")],
            ),
        ],
        [{"layer": "module:cuda:0", "x": "tensor:cuda:0 float32 4x4"}],
        kind="dtype",
        wanted="float32",
    )
    blamed = _one(texts, observed).operands[0]
    assert (blamed.text, blamed.role, blamed.dtype) == ("layer", "weight", "float64")
    assert [site.kind for site in blamed.roots[0]][:1] == ["numpy"]


SWAPPED = files("""
    import torch

    def swap(net, kept):
        for name, p in net.named_parameters():
            p.data = kept[name]

    def score(net, x):
        return net(x)

    net = torch.nn.Linear(2, 2).cuda()
    swap(net, {})
    score(net, torch.ones(2, 2).cuda())
""")


def test_a_parameter_is_moved_where_it_got_its_data() -> None:
    report = Report(SWAPPED)
    made = report.made("replaced", "torch.Tensor.data", "p.data")
    module = [report.owner(1, "net", "weight", report.place("torch.nn.Linear(2, 2)"))]
    observed = report.mismatch(
        "aten::linear",
        [report.place("score(net, torch.ones(2, 2).cuda())"), report.place("net(x)")],
        [operand("input", "cuda:0", ["x"]), operand("weight", "cpu", made=made, owners=module)],
        [{}, {"x": "tensor:cuda:0 float32 2x2", "net": "module:Linear"}],
    )
    assert _trail(_one(SWAPPED, observed)) == [("replaced", "kept[name]")]
