"""Programs that Hypothesis makes up: right or wrong, but always Python."""

from __future__ import annotations

from textwrap import indent

from hypothesis import strategies as st

HEAD = """\
import torch
from torch import nn
# the choice
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
flag, n, a, b, c = True, 3, torch.rand(3, 3), torch.rand(3, 3, device=device), torch.arange(3)
net = nn.Linear(3, 3)  # the network
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(9, 3), torch.rand(9, 3)))
optimizer = torch.optim.Adagrad(net.parameters())
"""

NAMES = st.sampled_from(["a", "b", "c", "x", "self.x", "d['k']"])
_LEAVES = st.sampled_from(
    """
    a
    b
    c
    torch.zeros(3, 3)
    torch.ones(3, 3, device=device)
    torch.ones(3, dtype=torch.float64)
    torch.arange(3)
    torch.randn(3, 3)
    torch.tensor([1., 2., 3.])
    torch.from_numpy(np.zeros((3, 3)))
    net.weight
    2
    """.split("\n")[1:-1]
).map(str.strip)
_FORMS = st.sampled_from(
    """
    {0} + {1}
    {0} @ {1}
    {0} * 2
    -{0}
    net({0})
    ({0}).to(device)
    ({0}).cuda()
    ({0}).cpu()
    ({0}).double()
    ({0}).float()
    ({0})[0]
    ({0}).numpy()
    ({0}).detach().cpu().numpy()
    torch.stack([{0}, {1}])
    torch.cat([
        {0},  # first
        {1},
    ])
    torch.where({0} > 0, {0}, {1})
    {0} if flag else {1}
    f({0}, b={1})
    (lambda t: t + {1})({0})
    [t * {1} for t in {0}][0]
    nn.functional.mse_loss({0}, {1})
    nn.CrossEntropyLoss(weight={0})(net(a), {1})
    float(({0}).sum())
    torch.empty_like({0})
    {0}.type_as({1})
    (y := {0})
    f"{{{0}}}"
    {{'k': {0}}}['k']
    ({0}, {1})[0]
    """.strip("\n")
    .replace("\n        {0},  # first\n        {1},\n    ", "{0}, {1}")
    .split("\n")
).map(str.strip)
EXPRESSIONS = st.recursive(
    _LEAVES, lambda inner: st.builds(lambda form, x, y: form.format(x, y), _FORMS, inner, inner), max_leaves=4
)

_SIMPLE = st.one_of(
    st.builds("{} = {}".format, NAMES, EXPRESSIONS),
    st.builds("{} = {}  # kept".format, NAMES, EXPRESSIONS),
    st.builds("{} += {}".format, NAMES, EXPRESSIONS),
    st.builds("x, y = {}, {}".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("print({})".format, EXPRESSIONS),
    st.builds("x = y = {}; print(x)".format, EXPRESSIONS),
    st.sampled_from(
        [
            "net.to(device)",
            "net = net.cuda()  # moved",
            "a.to(device)",
            "a, b = a.to(device), b.to(device)",
            "optimizer.step()",
            "net.load_state_dict(torch.load('net.pt'))",
            "optimizer.load_state_dict(torch.load('optimizer.pt'))",
            "net(a).sum().backward()",
            "net.extra = torch.zeros(3)",
            "net.head = nn.Linear(3, 3)",
            "heads = [nn.Linear(3, 3) for _ in range(2)]; a = heads[0](a)",
            "w = torch.zeros(3, requires_grad=True).to(device)",
            "torch.optim.SGD([w], lr=0.1)",
            "x = torch.cuda.FloatTensor(3)",
            "del x",
            "pass",
            "# a comment of its own",
            "global a",
            "assert net(a).device == a.device",
        ]
    ),
)


def _block(body: list[str]) -> str:
    lines = [*body, "pass"] if all(line.startswith("#") for line in body) else body
    return indent("\n".join(lines), "    ")


_HEADERS = st.sampled_from(
    [
        "if flag:",
        "if torch.cuda.is_available():",
        "for x, y in loader:  # batches",
        "for i in range(n):",
        "while a.sum() < n:",
        "with torch.no_grad():",
        "def f(a, b=None):",
        "class Net(nn.Module):",
        "try:",
    ]
)
_ENDS = {
    "try:": "\nexcept RuntimeError:\n    a = b",
    "if flag:": "\nelse:\n    a = a.cuda()",
    "def f(a, b=None):": "\n    return a",
}


def _compound(header: str, body: list[str]) -> str:
    if header.startswith("class"):
        method = "def forward(self, a, b=None):\n" + _block(body) + "\n    return self.layer(a)"
        init = "def __init__(self):\n    super().__init__()\n    self.layer = nn.Linear(3, 3)\n    self.x = torch.zeros(3)"
        return f"{header}\n{indent(init, '    ')}\n\n{indent(method, '    ')}\nnet = Net().to(device)"
    return f"{header}\n{_block(body)}{_ENDS.get(header, '')}"


_STATEMENTS = st.recursive(
    _SIMPLE,
    lambda inner: st.builds(_compound, _HEADERS, st.lists(inner, min_size=1, max_size=3)),
    max_leaves=6,
)
PROGRAMS = st.lists(_STATEMENTS, min_size=1, max_size=6).map(lambda parts: HEAD + "\n".join(parts) + "\n")
