"""ChainedUse: what is done with a value at the end of its chain, and the files that do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from repair.carrier import Carrier
from repair.package_text import class_of, indented

#: Where each form of a value is used.
USES = {
    **dict.fromkeys(
        ("tensor", "mask", "noise", "state"),
        ("forward", "criterion", "step", "evaluation", "metric", "hook", "callback", "average"),
    ),
    "labels": ("criterion", "step"),
    "module": ("criterion", "step", "evaluation", "hook"),
    "batch": ("step",),
    "model": ("step",),
    "optimizer": ("step",),
    **dict.fromkeys(("inputs of pairs", "targets of pairs", "pairs", "dicts"), ("step",)),
    "host": ("evaluation", "metric", "callback"),
}
_APPLIED = {
    "tensor": "{0} @ {1}",
    "mask": "{0}.masked_fill({1}, 0.0)",
    "noise": "{0} + 0.1 * {1}",
    "state": "torch.tanh({0} + {1})",
    "module": "{1}({0})",
    "labels": "nn.functional.cross_entropy({0}, {1})",
    "host": "{0} * float(np.abs({1}.numpy()).sum())",
    "host right": "{0} * float(np.abs({1}.cpu().numpy()).sum())",
}
#: What is bound for each batch of a stream, and the statements that move it, of which the first may be left out.
STREAMS = {
    "inputs of pairs": (
        "inputs, targets",
        ["inputs = inputs.to(self.device)", "targets = targets.to(self.device)"],
    ),
    "targets of pairs": (
        "inputs, targets",
        ["targets = targets.to(self.device)", "inputs = inputs.to(self.device)"],
    ),
    "pairs": ("inputs, targets", ["inputs, targets = inputs.to(self.device), targets.to(self.device)"]),
    "dicts": ("batch", ["batch = {name: value.to(self.device) for name, value in batch.items()}"]),
}
#: What the trainer is given instead of the value itself.
_GIVEN = {
    "forward": "",
    "hook": "",
    "criterion": "criterion",
    "metric": "score",
    "callback": "report",
    "average": "report",
}
#: What makes that of the value.
MAKERS = {"criterion": "Criterion", "metric": "Score", "callback": "Report", "average": "Average"}


@dataclass
class _Trainer:
    """The lines of a trainer that depend on the use."""

    signature: str = "model"
    given: str = "features"
    rounds: list[str] = field(default_factory=lambda: ["loss = self.step(features)"])
    begin: list[str] = field(default_factory=list)
    step: list[str] = field(default_factory=lambda: ["output = self.model(features)"])
    loss: str = "output.pow(2).mean()"
    optimizer: str = "self.optimizer"
    score: list[str] = field(default_factory=lambda: ["score = self.model(features).abs().mean().item()"])


@dataclass(frozen=True)
class ChainedUse:
    """``form`` says what is used, ``use`` where, and ``last`` gets it from what the chain ends with."""

    form: str
    use: str
    last: Carrier
    #: Whether the value moves where it is used.
    moving: bool = False
    #: What the trainer calls the device, if it has to know it, and the parameter that it needs for that.
    device: tuple[str, str] = ("", "")

    def applied(self, output: str, value: str) -> str:
        """What an output becomes with the value."""
        return _APPLIED[self.form].format(output, value)

    def fetched(self, device: str = "") -> tuple[list[str], str]:
        """How a method gets the value from what its object keeps, and moves it to a device."""
        taken, got = self.last.fetched(f"self.{self.last.handle}")
        return taken, f"{got}.to({device})" if device and self.moving else got

    def network(self) -> str:
        """The model, which uses the value itself or knows nothing of it."""
        given = self.last.handle if self.use == "forward" else ""
        begin = ["super().__init__()", *([f"self.{given} = {given}"] if given else [])]
        begin.append("self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))")
        forward = ["return self.body(x)"]
        if given:
            taken, got = self.fetched("x.device")
            forward = ["out = self.body(x)", *taken, f"return {self.applied('out', got)}"]
        return class_of(
            "Net(nn.Module)",
            (f"__init__(self{f', {given}' if given else ''})", begin),
            ("forward(self, x)", forward),
        )

    def beside(self) -> dict[str, str]:
        """The file of what uses the value beside the trainer."""
        if self.use not in (*MAKERS, "hook"):
            return {}
        taken, got = self.fetched("" if self.use == "average" else "output.device")
        used, handle = self.applied("output", got), self.last.handle
        begin, held = f"__init__(self, {handle})", f"self.{handle} = {handle}"
        row = f"({used}).abs().mean().item()"
        result = used if self.form == "labels" else f"({used}).pow(2).mean()"
        call = ("__call__(self, output)", [*taken, f"return {result}"])
        update = ("update(self, output)", [*taken, f"self.rows.append({row})"])
        compute = ("compute(self)", ["return sum(self.rows) / len(self.rows)"])
        hook = ("__call__(self, module, inputs, output)", [*taken, f"return {used}"])
        step = ("on_step(self, output)", [*taken, f"self.total += {row}"])
        start = [held, *taken, f"self.mean = {got}.float().clone()", "self.total = 0.0"]
        follow = [
            "self.mean.mul_(0.9).add_(output.mean(), alpha=0.1)",
            f"self.total += ({self.applied('output', 'self.mean')}).mean().item()",
        ]
        if self.form == "mask":
            start[-2], follow = (
                f"self.seen = {got}.clone()",
                ["self.seen |= output.mean(0) > 0", "self.total += self.seen.sum().item()"],
            )
        return {
            "average": {"averages": class_of("Average", (begin, start), ("on_step(self, output)", follow))},
            "criterion": {"losses": class_of("Criterion", (begin, [held]), call)},
            "metric": {"metrics": class_of("Score", (begin, [held, "self.rows = []"]), update, compute)},
            "hook": {"hooks": class_of("OutputHook", (begin, [held]), hook)},
            "callback": {"callbacks": class_of("Report", (begin, [held, "self.total = 0.0"]), step)},
        }[self.use]

    def trainer(self) -> str:
        """A class that trains and evaluates."""
        parts = self._parts()
        step = [*parts.step, f"{parts.optimizer}.zero_grad()", f"loss = {parts.loss}", "loss.backward()"]
        fit = ["for _ in range(3):", *indented(parts.rounds), "return loss.item()"]
        evaluate = ["self.model.eval()", "with torch.no_grad():", *indented(parts.score), "return score"]
        return class_of(
            "Trainer",
            (f"__init__(self, {parts.signature})", parts.begin),
            (f"step(self, {parts.given})", [*step, f"{parts.optimizer}.step()", "return loss"]),
            ("fit(self, features)", fit),
            ("evaluate(self, features)", evaluate),
        )

    def _parts(self) -> _Trainer:
        given, handle = _GIVEN.get(self.use, self.last.handle), self.last.handle
        taken, got = self.fetched("self.device")
        parts = _Trainer()
        parts.begin = ["self.model = model", *([f"self.{given} = {given}"] if given else [])]
        parts.signature = f"model, {given}" if given else "model"
        if self.form == "optimizer":
            parts.optimizer, parts.step = got, [*taken, *parts.step]
            return parts
        if self.form == "model":
            parts.begin = [f"self.{handle} = {handle}", *taken, f"self.model = {got}"]
            parts.signature = handle
        if self.device[0]:
            parts.begin.append(f"self.device = {self.device[0]}")
            parts.signature += f", {self.device[1]}" if self.device[1] else ""
        parts.begin.append("self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)")
        if self.use == "step":
            self._in_step(parts, taken, got)
        elif self.use == "evaluation":
            used = f"score = ({self.applied('guess', got)}).abs().mean().item()"
            parts.score = ["guess = self.model(features)", *taken, used]
        elif self.use == "criterion":
            parts.loss = "self.criterion(output)"
        elif self.use == "metric":
            parts.score = ["self.score.update(self.model(features))", "score = self.score.compute()"]
        elif self.use in ("callback", "average"):
            parts.step.append("self.report.on_step(output.detach())")
        return parts

    def _in_step(self, parts: _Trainer, taken: Sequence[str], got: str) -> None:
        if self.form in STREAMS:
            parts.given = "inputs, targets"
            parts.step = ["output = self.model(inputs)"]
            parts.loss = "nn.functional.mse_loss(output, targets)"
            names, moves = STREAMS[self.form]
            moves = moves if self.moving else moves[1:]
            rows = [*moves, "loss = self.step(inputs, targets)"]
            if names == "batch":
                rows.insert(-1, 'inputs, targets = batch["inputs"], batch["targets"]')
            parts.rounds = [
                *taken,
                f"for {names} in {got.removesuffix('.to(self.device)')}:",
                *indented(rows),
            ]
        elif self.form == "batch":
            parts.step = [*taken, f"output = self.model({got})"]
        elif self.form == "labels":
            parts.step += taken
            parts.loss = self.applied("output", got)
        elif self.form != "model":
            parts.step += [*taken, f"output = {self.applied('output', got)}"]
