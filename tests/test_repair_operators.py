"""Mutation operators: each makes exactly its mistake, and keeps the rest of the text."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from repair.mutant import ADOPTION, mutants_of
from repair.operators import OPERATORS
from repair.operators.adoption import without_devices
from repair.script import Script, edited
from repair.working_program import WorkingProgram, corpus_programs, programs_of_folder

CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def mutations(text: str, operator: str) -> list[str]:
    """The text after each mutation by this operator."""
    script = Script(dedent(text))
    changes = [change for each in OPERATORS for change in each(script) if change.operator == operator]
    found = [edited(script.text, change.edits) for change in changes]
    return [mutated for mutated in found if mutated is not None]


def roles(text: str) -> list[str]:
    script = Script(dedent(text))
    return [change.role for each in OPERATORS for change in each(script)]


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("move-statement-dropped", "a = 1\nx = x.to(device)  # here\nb = 2\n", "a = 1\nb = 2\n"),
        ("move-statement-dropped", "if a:\n    net.cuda()\n", "if a:\n    pass\n"),
        ("move-statement-dropped", "a = 1; net.to(device)\n", "a = 1; pass\n"),
        ("move-dropped", "é = f((a + b).to(device, non_blocking=True))\n", "é = f((a + b))\n"),
        ("move-dropped", "net = Net(\n    3,\n).to(device)\n", "net = Net(\n    3,\n)\n"),
        ("device-keyword-dropped", "a = torch.zeros(3, device=x.device)\n", "a = torch.zeros(3)\n"),
        ("device-keyword-dropped", "a = torch.tensor(device='cuda', data=1)\n", "a = torch.tensor(data=1)\n"),
        ("device-not-passed", "a = build(3, device=device)\n", "a = build(3)\n"),
        ("generator-device", "g = torch.Generator(device=device)\n", "g = torch.Generator()\n"),
        (
            "generator-device",
            "device = 'cuda'\ng = torch.Generator()\n",
            "device = 'cuda'\ng = torch.Generator(device=device)\n",
        ),
        ("move-result-discarded", "x = x.to(device)\n", "x.to(device)\n"),
        ("move-result-discarded", "x, y = x.cuda(), y.cuda()\n", "x.cuda(), y.cuda()\n"),
        ("buffer-to-attribute", "self.register_buffer('a', f(1), persistent=False)\n", "self.a = f(1)\n"),
        ("ModuleList-to-list", "self.a = nn.ModuleList([f(i) for i in b])\n", "self.a = [f(i) for i in b]\n"),
        (
            "ModuleList-to-list",
            "self.a = nn.ModuleList(f(i) for i in b)\n",
            "self.a = list(f(i) for i in b)\n",
        ),
        ("ModuleList-to-list", "self.a = nn.ModuleList()\n", "self.a = []\n"),
        ("ModuleDict-to-dict", "self.a = nn.ModuleDict()\n", "self.a = {}\n"),
        ("ParameterList-to-list", "self.a = nn.ParameterList(b)\n", "self.a = list(b)\n"),
        (
            "optimizer-before-move",
            "net = Net().to(device)\nopt = Adam(net.parameters())\n",
            "net = Net()\nopt = Adam(net.parameters())\nnet.to(device)\n",
        ),
        (
            "optimizer-state-before-move",
            "net.to(device)\nopt.load_state_dict(state)\n",
            "opt.load_state_dict(state)\nnet.to(device)\n",
        ),
        ("fetch-dropped", "a = b.detach().cpu().numpy()\n", "a = b.detach().numpy()\n"),
        ("fetch-dropped", "f(\n    b.detach()\n    .to('cpu')\n)\n", "f(\n    b.detach()\n    \n)\n"),
        ("map-location-dropped", "a = torch.load(f, map_location=device)\n", "a = torch.load(f)\n"),
        ("float-dropped", "a = torch.from_numpy(b).float()\n", "a = torch.from_numpy(b)\n"),
        ("float-dropped", "a = b.astype('float32')\n", "a = b\n"),
        ("label-cast-dropped", "y = y.to(torch.long)\nb = 1\n", "b = 1\n"),
        ("dtype-keyword-dropped", "a = np.zeros(3, dtype=np.float32)\n", "a = np.zeros(3)\n"),
        (
            "moved-in-dataset",
            "class D:\n    def __getitem__(self, i):\n        return self.x[i], -self.y[i]\n",
            f"class D:\n    def __getitem__(self, i):\n        return self.x[i].to({CHOICE}), (-self.y[i]).to({CHOICE})\n",
        ),
        (
            "moved-in-collate",
            "device = 'cuda'\ndef collate(batch):\n    return {'x': batch}\n",
            "device = 'cuda'\ndef collate(batch):\n    return {'x': batch.to(device)}\n",
        ),
    ],
)
def test_an_operator_makes_its_mistake(operator: str, before: str, after: str) -> None:
    assert mutations(before, operator) == [after]


@pytest.mark.parametrize(
    "text",
    [
        "x = x.to(torch.float32)\n",  # a cast, no move
        "torch.cuda.synchronize()\n",
        "a = torch.load(f)\n",
        "a = other.register_buffer('not a name', b)\n",
    ],
)
def test_what_is_no_device_handling_is_let_be(text: str) -> None:
    for operator in ("move-dropped", "move-statement-dropped", "map-location-dropped", "buffer-to-attribute"):
        assert mutations(text, operator) == []


def test_a_used_model_is_not_moved_late() -> None:
    """Its move behind the call would be another mistake than the operator's."""
    text = "net.to(device)\nnet(x)\nopt = Adam(net.parameters())\n"
    assert mutations(text, "optimizer-before-move") == []
    text = "x = torch.ones(2).to(device)\nopt = Adam(net.parameters())\n"
    assert mutations(text, "optimizer-before-move") == []


def test_roles_follow_names_and_places() -> None:
    assert roles("mask = mask.to(device)\n")[:1] == ["mask"]
    assert roles("labels = labels.to(device)\n")[:1] == ["target"]
    assert roles("G = Net().to(device)\nD = Other().to(device)\n")[:2] == ["model", "second model"]
    assert roles("class A:\n    def forward(self, x):\n        f(torch.zeros(2, device=x.device))\n") == [
        "made in forward"
    ]


def test_all_device_handling_is_removed() -> None:
    text = """\
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def fit(net, loader, device):
        net.to(device)
        for x, y in loader:
            x, y = x.to(device), y.to(device, dtype=torch.long)
            w = torch.ones(3, device=x.device)
            print(net(x).cpu().numpy())

    fit(Net().to(device), loader, device)
    """
    bare = """\

    def fit(net, loader):
        for x, y in loader:
            x, y = x, y.to(torch.long)
            w = torch.ones(3)
            print(net(x).numpy())

    fit(Net(), loader)
    """
    assert without_devices({"a.py": dedent(text)}) == {"a.py": dedent(bare)}


def test_devices_that_cannot_be_told_apart_are_left() -> None:
    assert without_devices({"a.py": "print(torch.cuda.memory_allocated())\n"}) is None


def test_mutants_of_the_corpus_differ_by_one_mistake() -> None:
    """Every mutant is Python, differs from its program and all others, and touches one file but for adoption."""
    for program in list(corpus_programs())[::20]:
        mutants = list(mutants_of(program))
        assert len({mutant.digest for mutant in mutants}) == len(mutants)
        for mutant in mutants:
            changed = [path for path, text in mutant.texts.items() if text != program.texts[path]]
            assert changed == [mutant.path] or (mutant.operator == ADOPTION and changed)


def test_a_folder_of_programs(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    for folder, told in (
        (good, '{"entry": "a.py", "args": ["--x"], "style": "s"}'),
        (bad, '{"expect_before": "slow"}'),
    ):
        (folder / "data").mkdir(parents=True)
        (folder / "a.py").write_text("print('RESULT 1')\n")
        (folder / "data" / "x.csv").write_text("1,2\n")
        (folder / "case.json").write_text(told)
    (program,) = programs_of_folder(tmp_path)
    assert program == WorkingProgram(
        "good",
        "s",
        {"a.py": "print('RESULT 1')\n"},
        "a.py",
        ("--x",),
        {"data/x.csv": good / "data" / "x.csv"},
    )
    program.write({"a.py": "pass\n"}, tmp_path / "copy")
    assert (tmp_path / "copy" / "data" / "x.csv").read_text() == "1,2\n"
