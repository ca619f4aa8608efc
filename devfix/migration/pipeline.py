"""Pipeline: the steps of one repository in order; what was done before with the same input is not done again."""

from __future__ import annotations

import os
import secrets
import shutil
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

from devfix import __version__
from devfix.harmless_git import GitError
from devfix.migration import clone, proving_run, pull_request, rewriting, verification
from devfix.migration.git import Git, may_pass
from devfix.migration.order import Began, Event, Finished, Left, Order, Tell
from devfix.migration.scrubbing import Scrubber
from devfix.migration.steps import Made, Outcome, Step, StepEndError, StepResult, digest
from devfix.migration.verification import Judgement
from devfix.migration.workspace import Workspace
from devfix.proof.witness import WitnessError

#: How long to wait before each further try of what failed for a passing reason.
PAUSES = (1.0, 4.0)


def work(order: Order, tell: Tell) -> None:
    """Do what is left to do for a repository."""
    for event in events(order):
        tell(event)


def events(order: Order, until: Step | None = None) -> Iterator[Event]:
    """Do what is left to do for a repository, telling each step as it begins and ends; those from ``until`` on are left to somebody else."""
    pipeline = Pipeline(order)
    key = order.repository.key
    try:
        for step in pipeline.steps():
            if until is not None and step.position >= until.position:
                return
            if pipeline.keeps(step):
                continue
            yield Began(key, step, pipeline.input(step))
            yield Finished(key, pipeline.do(step))
        pipeline.drop_clone()
        yield Left(key)
    finally:
        pipeline.clean()


def next_step(order: Order) -> Step | None:
    """The first step that is left to do; None when there is none."""
    pipeline = Pipeline(order)
    return next((step for step in pipeline.steps() if not pipeline.keeps(step)), None)


class Pipeline:
    """The work on one repository."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.campaign = order.campaign
        self.repository = order.repository
        self.done: dict[Step, StepResult] = {}
        self._scrub = Scrubber(order.secrets)
        self._folder = self.campaign.place / "work" / f"{self.repository.key}.{secrets.token_hex(4)}"

    def steps(self) -> Iterator[Step]:
        """The steps that are called for, as far as the ones before them let follow."""
        for step in Step:
            if self._ended:
                return
            if not step.is_public and self._calls_for(step):
                yield step

    @property
    def _ended(self) -> bool:
        return any(result.ends for result in self.done.values())

    def _calls_for(self, step: Step) -> bool:
        if step in (Step.FETCH, Step.APPLY):
            return True
        if not self.done[Step.APPLY].data["changed"]:
            return False
        if step in (Step.VERIFY_BEFORE, Step.VERIFY_AFTER):
            return bool(self.repository.verify)
        return step is not Step.PROVE or bool(self.repository.prove)

    def keeps(self, step: Step) -> bool:
        """Whether a step was done before with the same input; then its result stands."""
        kept = self.order.kept.get(step)
        if kept is None or not kept.outcome.is_final or kept.input != self.input(step):
            return False
        self.done[step] = kept
        return True

    def input(self, step: Step) -> str:
        """A hash of all that the result of a step depends on."""
        return digest(step.value, __version__, *self._input_of(step))

    def _input_of(self, step: Step) -> list[Any]:
        campaign, repository = self.campaign, self.repository
        asked = [campaign.select, campaign.ignore, repository.exclude_files, campaign.device_policy]
        rewriting_asked = [*asked, campaign.adopt, campaign.unsafe]
        limits = asdict(campaign.limits)
        if step is Step.FETCH:
            fetched = [repository.source.bare, repository.revision, campaign.depth]
            return [*fetched, campaign.opt_out, limits["repository"]]
        base = self.done[Step.FETCH].data["base"]
        if step is Step.APPLY:
            return [base, *rewriting_asked, limits["analysis"], limits["memory"]]
        tree = self.done[Step.APPLY].data["tree"]
        if step is Step.RECHECK:
            return [tree, *rewriting_asked]
        verifying = [repository.verify, campaign.network, limits["verify"], limits["memory"]]
        if step is Step.VERIFY_BEFORE:
            return [base, *verifying]
        if step is Step.VERIFY_AFTER:
            return [base, tree, *verifying]
        if step is Step.PROVE:
            proving = [repository.prove, campaign.network, limits["prove"], limits["memory"]]
            return [base, tree, *proving, *rewriting_asked]
        signed = [campaign.message, campaign.title, campaign.branch, campaign.author or self.order.author]
        evidence = [self.done[each].input for each in self.done]
        return [base, tree, *signed, self.order.when, campaign.name, campaign.opt_out, evidence]

    def do(self, step: Step) -> StepResult:
        """Do a step, several times when it fails for a passing reason."""
        started, clock = time.time(), time.monotonic()
        attempts, result = 0, None
        for pause in (*PAUSES, None):
            attempts += 1
            result = self._once(step)
            if result.outcome is not Outcome.TRANSIENT or pause is None:
                break
            self._forget_workspace()
            time.sleep(pause)
        assert result is not None  # noqa: S101 - the loop has at least one round
        seconds = round(time.monotonic() - clock, 3)
        result = replace(result, started=started, seconds=seconds, attempts=attempts)
        self.done[step] = result
        return result

    def _once(self, step: Step) -> StepResult:
        given = self.input(step)
        try:
            made = _STEPS[step](self)
        except StepEndError as end:
            return self._ending(step, given, end)
        except GitError as error:
            outcome = Outcome.TRANSIENT if may_pass(error, self.repository.source) else Outcome.FAILED
            return self._ending(step, given, StepEndError(outcome, str(error), error.output))
        except MemoryError:
            return self._ending(step, given, StepEndError(Outcome.FAILED, "it took more memory than it may"))
        except OSError as error:
            return self._ending(
                step, given, StepEndError(Outcome.TRANSIENT, str(error), traceback.format_exc())
            )
        except Exception as error:  # noqa: BLE001 - a defect ends the work on one repository, not the campaign
            reason = f"devfix crashed: {type(error).__name__}: {error}"
            return self._ending(step, given, StepEndError(Outcome.FAILED, reason, traceback.format_exc()))
        return StepResult(
            step, given, Outcome.DONE, data=made.data, files=made.files, log=self._clean(made.log)
        )

    def _clean(self, text: str) -> str:
        """A text without secrets, and with paths as they are in the repository."""
        root = os.path.realpath(self._folder / "files" / self.repository.folder_name)
        return self._scrub(text.replace(f"{root}/", "").replace(root, "."))

    def _ending(self, step: Step, given: str, end: StepEndError) -> StepResult:
        reason, log = self._clean(end.reason), self._clean(end.log)
        return StepResult(step, given, end.outcome, reason, end.data, log=log)

    @cached_property
    def _clone(self) -> Git:
        return clone.clone_of(self.campaign, self.repository, self.done[Step.FETCH].data["base"])

    @cached_property
    def workspace(self) -> Workspace:
        """The files of the repository, made when a step first asks for them."""
        self._folder.mkdir(parents=True)
        base = self.done[Step.FETCH].data["base"]
        return Workspace(self._folder, self.repository.folder_name, self._clone, base)

    def _forget_workspace(self) -> None:
        """Begin the next try with files that nobody has touched."""
        for name in ("_clone", "workspace", "after"):
            self.__dict__.pop(name, None)
        shutil.rmtree(self._folder, ignore_errors=True)

    @cached_property
    def after(self) -> str:
        """The tree of the rewritten files, which is made anew where another machine or run made it.

        Raises StepEndError when the recorded change does not make the recorded files.
        """
        applied = self.done[Step.APPLY]
        made = self.workspace.restore(applied.files["diff"])
        if made != applied.data["tree"]:
            raise StepEndError(Outcome.FAILED, "the recorded change does not make the recorded files")
        return made

    def clean(self) -> None:
        """Take the workspace away."""
        shutil.rmtree(self._folder, ignore_errors=True)
        with suppress(OSError):
            self._folder.parent.rmdir()

    def drop_clone(self) -> None:
        """Take a clone away that nothing will be pushed from."""
        if Step.COMMIT not in self.done:
            shutil.rmtree(clone.clone_folder(self.campaign, self.repository), ignore_errors=True)

    def fetch(self) -> Made:
        """Get the repository."""
        return Made(clone.fetch(self.campaign, self.repository))

    def apply(self) -> Made:
        """Check, and apply the fixes."""
        return rewriting.apply(self.campaign, self.repository, self.workspace)

    def recheck(self) -> Made:
        """Check that nothing more would change."""
        return rewriting.recheck(self.campaign, self.repository, self.workspace.show(self.after))

    def verify_before(self) -> Made:
        """Run the verify command on the files as they were."""
        check = self._verified(self.workspace.base)
        return Made({**check.data, **self._command}, log=check.output)

    def verify_after(self) -> Made:
        """Run the verify command on the rewritten files, and tell whose the failures are.

        Raises StepEndError when the rewriting broke something.
        """
        before = self.done[Step.VERIFY_BEFORE].data
        check = self._verified(self.after)
        judgement, ours = verification.judge(before, check)
        if judgement is Judgement.BROKEN:
            again = self._verified(self.after)
            second, also = verification.judge(before, again)
            if second is Judgement.BROKEN:
                data = {**again.data, **self._command, "judgement": second.value, "ours": list(also)}
                reason = verification.broken_reason(self.repository.verify, before, again, also)
                raise StepEndError(Outcome.FAILED, reason, again.output, data)
            check, judgement, ours = again, Judgement.FLAKY, ()
        told = {"judgement": judgement.value, "ours": list(ours)}
        return Made({**check.data, **self._command, **told}, log=check.output)

    @property
    def _command(self) -> dict[str, str]:
        return {"command": self._scrub(self.repository.verify)}

    def _verified(self, tree: str) -> verification.Check:
        workspace = self.workspace
        shown = workspace.show(tree)
        return verification.run_command(self.repository.verify, shown, self.campaign, workspace.temporary)

    def prove(self) -> Made:
        """Run the programs before and after; raises StepEndError where nothing can be proven on this machine."""
        try:
            witness = self.order.witness or proving_run.find_campaign_witness(self.campaign)
        except WitnessError as error:
            raise StepEndError(Outcome.FAILED, f"nothing can be proven here: {error}") from error
        workspace = self.workspace
        tree = workspace.show(workspace.base)
        return proving_run.prove(self.campaign, self.repository, witness, tree, workspace.temporary)

    def commit(self) -> Made:
        """Commit, and write down what reviewers are told."""
        # The objects of the tree may have gone with the clone of an earlier run.
        _ = self.after
        order = self.order
        made = pull_request.commit(
            self.campaign, self.repository, self.workspace.git, self.done, order.when, order.author
        )
        told = {
            name: self._scrub(content.decode("utf-8", "replace")).encode()
            for name, content in made.files.items()
            if name != "patch"
        }
        return replace(made, files={**made.files, **told})


_STEPS: dict[Step, Callable[[Pipeline], Made]] = {
    Step.FETCH: Pipeline.fetch,
    Step.APPLY: Pipeline.apply,
    Step.RECHECK: Pipeline.recheck,
    Step.VERIFY_BEFORE: Pipeline.verify_before,
    Step.VERIFY_AFTER: Pipeline.verify_after,
    Step.PROVE: Pipeline.prove,
    Step.COMMIT: Pipeline.commit,
}
