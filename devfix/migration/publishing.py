"""Publishing: branches and pull requests, on request, one after the other, and no more than hosts like."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from devfix.harmless_git import GitError
from devfix.migration import clone
from devfix.migration.campaign import Campaign, Repository
from devfix.migration.git import Git, may_pass
from devfix.migration.hub import Hub, HubError, Proposal, has_client, home_of
from devfix.migration.order import Finished, Order
from devfix.migration.pipeline import events
from devfix.migration.scrubbing import Scrubber
from devfix.migration.state import State
from devfix.migration.steps import Outcome, Step, StepEndError, StepResult, digest

_HOUR = 3600.0
#: What others did with a pull request of ours.
_DECIDED = {"merged": "its pull request was merged", "refused": "its pull request was closed by others"}
_CLOSING = "Closed by the devfix campaign that opened it: {reason}."


@dataclass
class Publisher:
    """Brings what was committed to where others see it."""

    campaign: Campaign
    state: State
    order_of: Callable[[Repository], Order]
    scrub: Scrubber
    say: Callable[[str], None]
    now: Callable[[], float] = time.time
    busy: bool = field(default=False, init=False)

    def push(self, repository: Repository) -> None:
        """Push the branch, unless it is there as it should be."""
        done = self.state.results(repository.key)
        committed = _fine(done, Step.COMMIT)
        if committed is None:
            return
        commit = committed.data["commit"]
        given = digest(Step.PUSH.value, commit, self.campaign.branch, repository.source.bare)
        if _stands(done.get(Step.PUSH), given):
            return
        self._do(repository, Step.PUSH, given, lambda: self._push(repository, done, commit))

    def propose(self, repository: Repository) -> None:
        """Open a draft, or bring the one there is up to date."""
        done = self.state.results(repository.key)
        committed, pushed = _fine(done, Step.COMMIT), _fine(done, Step.PUSH)
        if committed is None or pushed is None or self.busy:
            return
        title, body = committed.data["title"], committed.files["pull-request.md"].decode()
        proposal = Proposal(self.campaign.branch, pushed.data.get("base", ""), title, body)
        given = digest(Step.PROPOSE.value, home_of(repository), title, body, proposal.branch, proposal.base)
        if _stands(done.get(Step.PROPOSE), given):
            return
        self._do(repository, Step.PROPOSE, given, lambda: self._propose(repository, proposal))

    def close(self, repository: Repository, reason: str) -> None:
        """Close what was opened."""
        opened = self.state.results(repository.key).get(Step.PROPOSE)
        if opened is None or opened.data.get("state") != "open":
            return
        given = digest(Step.PROPOSE.value, "closed")
        self._do(repository, Step.PROPOSE, given, lambda: self._close(repository, opened.data, reason))

    def _push(self, repository: Repository, done: Mapping[Step, StepResult], commit: str) -> dict[str, Any]:
        campaign = self.campaign
        git = clone.clone_of(campaign, repository, done[Step.FETCH].data["base"])
        self._restore(repository, done, git, commit)
        ref, wanted = f"refs/heads/{campaign.branch}", f"refs/heads/{repository.revision}"
        there = git.list_remote(repository.source, ref, wanted)
        earlier = done.get(Step.PUSH)
        ours = (
            earlier.data.get("commit", "")
            if earlier and earlier.data.get("branch") == campaign.branch
            else ""
        )
        found = there.get(ref, "")
        base = repository.revision if wanted in there else ""
        told = {"commit": commit, "branch": campaign.branch, "base": base}
        if found == commit:
            return told
        if found and found != ours:
            reason = (
                f"the branch {campaign.branch} is there already, with commits that are not of this campaign"
            )
            raise StepEndError(Outcome.FAILED, reason, data=dict(earlier.data) if earlier else {})
        git.push(repository.source, commit, campaign.branch, found)
        return told

    def _restore(
        self, repository: Repository, done: Mapping[Step, StepResult], git: Git, commit: str
    ) -> None:
        """Make the commit again where it was made on another machine, or its clone is gone."""
        if clone.holds(git, commit):
            return
        kept: dict[Step, StepResult] = {**done}
        del kept[Step.COMMIT]
        made = [
            event.result
            for event in events(replace(self.order_of(repository), kept=kept))
            if isinstance(event, Finished)
        ]
        if not made or made[-1].data.get("commit") != commit:
            raise StepEndError(
                Outcome.FAILED,
                "its commit cannot be made again; `devfix migrate retry --which all` does the rest again",
            )

    def _propose(self, repository: Repository, proposal: Proposal) -> dict[str, Any]:
        earlier = self._seen_before(repository, Step.PROPOSE)
        hub = self._hub(repository)
        there = hub.find(proposal.branch)
        if there is not None:
            hub.edit(there.number, proposal)
            return {**earlier, "number": there.number, "url": there.url, "state": "open"}
        self._respect(hub, earlier)
        self._mind_the_rate()
        url = hub.create(proposal)
        made = hub.find(proposal.branch)
        number = made.number if made else int(url.rpartition("/")[2] or 0)
        return {"number": number, "url": url, "state": "open", "created": self.now()}

    def _respect(self, hub: Hub, earlier: Mapping[str, Any]) -> None:
        """Open nothing again that others have decided on."""
        state = earlier.get("state", "")
        if state == "open":
            found = hub.state_of(earlier["number"])
            state = {"merged": "merged", "closed": "refused"}.get(found, state)
        if state in _DECIDED:
            raise StepEndError(Outcome.SKIPPED, _DECIDED[state], data={**earlier, "state": state})

    def _close(self, repository: Repository, opened: Mapping[str, Any], reason: str) -> dict[str, Any]:
        hub = self._hub(repository)
        if hub.find(self.campaign.branch) is not None:
            hub.close(opened["number"], _CLOSING.format(reason=reason))
        return {**opened, "state": "closed"}

    def _hub(self, repository: Repository) -> Hub:
        home = home_of(repository)
        if not home:
            reason = "it is not known where its pull requests live; say so with `pull-requests` of its [[repository]]"
            raise StepEndError(Outcome.SKIPPED, reason)
        if not has_client():
            raise StepEndError(
                Outcome.FAILED, "there is no `gh` client on the path to open pull requests with"
            )
        return Hub(home, self.campaign.place)

    def _mind_the_rate(self) -> None:
        """Open no more than so many in an hour: reviewers and hosts have limits, too."""
        opened = (each.get(Step.PROPOSE) for each in self.state.all_results().values())
        times = sorted(each.data.get("created", 0.0) for each in opened if each is not None)
        recent = [each for each in times if each > self.now() - _HOUR]
        most = max(1, int(self.campaign.pull_requests_per_hour))
        if len(recent) >= most:
            self.busy = True
            minutes = max(1, round((recent[-most] + _HOUR - self.now()) / 60))
            self.say(
                f"{len(recent)} pull requests were opened in the last hour; run again in {minutes} minutes"
            )
            raise StepEndError(Outcome.TRANSIENT, "waits for its turn (`pull-requests-per-hour`)")

    def _do(
        self,
        repository: Repository,
        step: Step,
        given: str,
        action: Callable[[], Mapping[str, Any]],
    ) -> None:
        started, clock = time.time(), time.monotonic()
        try:
            result = StepResult(step, given, Outcome.DONE, data=action())
        except StepEndError as end:
            result = StepResult(step, given, end.outcome, end.reason, end.data, log=end.log)
        except GitError as error:
            outcome = Outcome.TRANSIENT if may_pass(error, repository.source) else Outcome.FAILED
            result = StepResult(step, given, outcome, str(error), log=error.output)
        except HubError as error:
            outcome = Outcome.TRANSIENT if error.is_transient else Outcome.FAILED
            # Whoever is told to slow down does.
            self.busy = self.busy or error.is_transient
            result = StepResult(step, given, outcome, str(error), log=error.said)
        if result.ends and not result.data:
            result = replace(result, data=self._seen_before(repository, step))
        seconds = round(time.monotonic() - clock, 3)
        clean = replace(result, reason=self.scrub(result.reason), log=self.scrub(result.log))
        self.state.record(repository.key, replace(clean, started=started, seconds=seconds))
        if clean.ends:
            self.say(f"{repository.name} {step.value} {clean.outcome.value}: {clean.reason}")

    def _seen_before(self, repository: Repository, step: Step) -> Mapping[str, Any]:
        """What others have seen of us stays known, also when the next step towards them fails."""
        earlier = self.state.results(repository.key).get(step)
        return {} if earlier is None else earlier.data


def _fine(done: Mapping[Step, StepResult], step: Step) -> StepResult | None:
    result = done.get(step)
    return None if result is None or result.ends else result


def _stands(result: StepResult | None, given: str) -> bool:
    return result is not None and not result.ends and result.input == given
