"""Ray engine: the same steps on a cluster. Edits ask for a processor, proofs for a GPU where there are any."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ray
import ray.exceptions

from devfix.harmless_git import GitError
from devfix.migration import clone
from devfix.migration.assignment import Assignment
from devfix.migration.git import is_here
from devfix.migration.order import Event, Finished, Left, Order, Tell
from devfix.migration.pipeline import events
from devfix.migration.steps import Step

#: How long to wait before looking for steps that take too long.
_PATIENCE = 1.0


class RayEngine:
    """Gives at most ``concurrency`` repositories to the cluster at a time (0: two for each of its processors)."""

    def __init__(self, concurrency: int = 0) -> None:
        self.concurrency = concurrency

    def run(self, orders: Iterable[Order], tell: Tell) -> None:
        """Work on all orders, on the cluster that Ray finds (``RAY_ADDRESS``) or one on this machine."""
        started = not ray.is_initialized()
        if started:
            ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
        try:
            size = self.concurrency or 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
            _Dispatch(iter(orders), tell, size).run()
        finally:
            if started:
                ray.shutdown()


@dataclass
class _Task:
    """A part of an order's steps somewhere on the cluster; ``content`` is the clone where nodes cannot fetch it."""

    assignment: Assignment
    until: Step | None
    content: Any
    stream: Any


class _Dispatch:
    def __init__(self, orders: Iterator[Order], tell: Tell, size: int) -> None:
        self.orders = orders
        self.tell = tell
        self.size = size
        self.tasks: list[_Task] = []
        self.has_gpus = ray.cluster_resources().get("GPU", 0) > 0

    def run(self) -> None:
        try:
            while self._fill():
                streams = [task.stream for task in self.tasks]
                ready, _ = ray.wait(streams, num_returns=1, timeout=_PATIENCE, fetch_local=False)
                for task in [each for each in self.tasks if each.stream in ready]:
                    self._hear(task)
                for task in [each for each in self.tasks if each.assignment.is_overdue]:
                    self._cancel(task)
                    self._give_up(task.assignment, task.assignment.overdue())
        finally:
            for task in list(self.tasks):
                self._cancel(task)

    def _fill(self) -> bool:
        while len(self.tasks) < self.size:
            order = next(self.orders, None)
            if order is None:
                break
            self._begin(order)
        return bool(self.tasks)

    def _begin(self, order: Order) -> None:
        assignment = Assignment(order)
        content = None
        if is_here(order.repository.source):
            # Other machines do not see it: it is fetched here, and goes to them by value.
            for event in events(order, Step.APPLY):
                self._note(assignment, event)
            if assignment.left:
                return
            content = self._packed(assignment)
        self._submit(assignment, Step.PROVE if order.repository.prove else None, content)

    def _packed(self, assignment: Assignment) -> Any:
        order = assignment.order
        base = order.kept[Step.FETCH].data["base"]
        try:
            folder = clone.clone_of(order.campaign, order.repository, base).folder
        except GitError:
            # The step that needs it will find that out, and say so.
            return None
        packed = ray.put(_pack(folder))
        # What is pushed from is made again when its time comes.
        shutil.rmtree(folder, ignore_errors=True)
        return packed

    def _submit(self, assignment: Assignment, until: Step | None, content: Any) -> None:
        wants_gpu = until is Step.COMMIT and self.has_gpus
        needs = {"num_gpus": 1, "num_cpus": 1} if wants_gpu else {"num_cpus": 1}
        options = {**needs, "max_retries": 0, "num_returns": "streaming"}
        stream = _work.options(**options).remote(assignment.order, until, content)
        self.tasks.append(_Task(assignment, until, content, stream))

    def _hear(self, task: _Task) -> None:
        try:
            event: Event = ray.get(next(task.stream))
        except StopIteration:
            self.tasks.remove(task)
            self._go_on(task)
        except ray.exceptions.RayError as error:
            self.tasks.remove(task)
            again = task.assignment.again()
            if again is None:
                self._give_up(task.assignment, task.assignment.died(type(error).__name__))
            else:
                self._submit(again, task.until, task.content)
        else:
            self._note(task.assignment, event)

    def _note(self, assignment: Assignment, event: Event) -> None:
        assignment.note(event)
        self.tell(event)

    def _go_on(self, task: _Task) -> None:
        """Hand on what is left: first up to the proof, then the proof, then the rest."""
        if task.assignment.left:
            return
        self._submit(task.assignment, Step.COMMIT if task.until is Step.PROVE else None, task.content)

    def _cancel(self, task: _Task) -> None:
        self.tasks.remove(task)
        ray.cancel(task.stream, force=True)

    def _give_up(self, assignment: Assignment, loss: Finished) -> None:
        self.tell(loss)
        self.tell(Left(assignment.key, "lost"))


@ray.remote  # type: ignore[untyped-decorator, unused-ignore]
def _work(order: Order, until: Step | None, content: bytes | None) -> Iterator[Event]:
    """Do a part of an order's steps in a folder of this machine."""
    with tempfile.TemporaryDirectory(prefix="devfix-ray-", ignore_cleanup_errors=True) as name:
        here = replace(order, campaign=replace(order.campaign, place=Path(name)))
        if content is not None:
            _unpack(content, clone.clone_folder(here.campaign, here.repository))
        yield from events(here, until)


def _pack(folder: Path) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(folder, ".")
    return packed.getvalue()


def _unpack(content: bytes, folder: Path) -> None:
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")
