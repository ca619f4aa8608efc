"""fork-after-accelerator: a script uses the accelerator, and then forks a process that uses it, too."""

from collections.abc import Iterator

from devfix.rules import Applicability, Facts, Finding, Origin, Rule, left_on_host, spawned


class ForkAfterAccelerator(Rule):
    """A process is forked from one that has used the accelerator, and uses the accelerator itself.

    CUDA does not survive a fork: "Cannot re-initialize CUDA in forked subprocess. To use CUDA with
    multiprocessing, you must use the 'spawn' start method". On Linux processes of
    ``multiprocessing`` and ``concurrent.futures`` are forked unless the program says otherwise, up to
    Python 3.13; from 3.14 on only where it asks for it.

    What a function of a pool only moves to hand it back stays on the CPU, and whoever takes it moves it.
    Else the fix lets these processes be spawned. Each then imports the script anew, so it is offered only
    where they start under the main guard, call a function at the top of a module, and nothing that it
    reads is set later. Even then they draw other random numbers than forked ones, so the fix is unsafe.

    Before::

        import multiprocessing as mp

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def cost(x):
            return torch.full((4,), float(x), device=device).sum().item()


        if __name__ == "__main__":
            print(cost(1))
            with mp.Pool(2) as pool:
                print(pool.map(cost, [1, 2, 3]))

    After::

        import multiprocessing as mp

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def cost(x):
            return torch.full((4,), float(x), device=device).sum().item()


        if __name__ == "__main__":
            print(cost(1))
            with mp.get_context("spawn").Pool(2) as pool:
                print(pool.map(cost, [1, 2, 3]))
    """

    code, name = "DF305", "fork-after-accelerator"
    applicability = Applicability.UNSAFE

    def check(self, facts: Facts) -> Iterator[Finding]:
        seen: set[Origin] = set()
        for mismatch in self.caused(facts):
            made = mismatch.operands[0].trail[0]
            if made not in seen:
                seen.add(made)
                message = f"`{mismatch.operands[0].text}` uses the accelerator in a forked process, but the script has used it before"
                fixes = [*left_on_host(facts, mismatch), *spawned(facts, mismatch)]
                yield self.finding(mismatch, message, fixes, at=made)
