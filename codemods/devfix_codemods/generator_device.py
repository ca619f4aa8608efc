"""generator-device: a generator and the call that draws from it are on two devices."""

from collections.abc import Iterator

from devfix.rules import Drawing, Facts, Finding, Rule, device_name


class GeneratorDevice(Rule):
    """A ``torch.Generator`` draws for one device only, and this one is on another.

    A generator is on the CPU unless told otherwise, whatever the default device. Given to a call
    that makes its result on the accelerator it raises "Expected a 'cuda' device type for generator
    but found 'cpu'"; a generator on the accelerator given to ``randperm``, a sampler or a shuffling
    loader raises the reverse.

    The fix draws on the CPU and moves the result, which gives the same numbers on every machine.
    Where the default device is younger than the generator, the draw is told the CPU. A generator for
    the loader goes back to the CPU. Under a default device a shuffling loader gets a generator of its
    own there; that changes the order it shuffles into and is unsafe. A default device on which nothing is
    made but samples of data sets goes instead.

    Before::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        generator = torch.Generator().manual_seed(0)
        noise = torch.randn(2, 3, generator=generator, device=device)
        print(noise)

    After::

        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        generator = torch.Generator().manual_seed(0)
        noise = torch.randn(2, 3, generator=generator).to(device)
        print(noise)
    """

    code, name = "DF304", "generator-device"

    def check(self, facts: Facts) -> Iterator[Finding]:
        for mismatch in self.caused(facts):
            generator, result = mismatch.operands
            one, other = device_name(generator.device), device_name(result.device)
            message = f"the generator is on {one}, and what draws from it is on {other}"
            if generator.span == result.span:
                message = f"without a `generator` this draws from the default one, on {one}, for the default device, {other}"
            yield self.finding(mismatch, message, Drawing(facts, mismatch).fixes())
