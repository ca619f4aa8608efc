"""Crosses chains of carriers through the files of packages with mistakes, uses and ways to name the device, and measures.

    python tests/repair/chains.py [--count N --seed S] [--triples PERCENT] [--run] [--keep DIR] [--memory FILE]

As ``carry.py`` does with single carriers: each package has a twin that is right, counts when it dies of a device or dtype
and its twin does not, and is repaired when it then ends with the twin's number.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root), str(root / "tests"), str(root / "codemods")]

from repair.assembly import ASSEMBLIES
from repair.carried_program import Texts
from repair.carrier import Carrier, carriers
from repair.carry import measure, with_common_options
from repair.chain import STYLES, Chain
from repair.chained_program import ChainedProgram
from repair.chained_use import STREAMS, USES
from repair.chained_value import CHAINED, SCALED, STEPS, ChainedValue
from repair.device_choice import CHOICES

#: How often a value comes in a record, and how often something is done with it on its way.
_RECORDED, _STEPPED = 0.3, 0.4
#: Forms that only carriers of whole modules can carry.
_OBJECTS = ("module", "model", "optimizer", *STREAMS)


@dataclass(frozen=True)
class ChainCell:
    """One package, and its names in the table."""

    package: ChainedProgram

    @property
    def mistake(self) -> str:
        """What is wrong in the package."""
        return self.package.value.mistake

    @property
    def use(self) -> str:
        """Where the value is used."""
        return self.package.use

    @property
    def name(self) -> str:
        """What tells it from the others."""
        package = self.package
        words = (
            package.chain.name,
            self.mistake,
            package.use,
            package.choice.name,
            package.assembly,
            package.layout,
        )
        return ", ".join(words)

    def texts(self, *, wrong: bool) -> Texts:
        """Its files, with the mistake or without."""
        return self.package.texts(wrong=wrong)


def cells(count: int, seed: int, triples: float) -> Iterator[ChainCell]:
    """So many packages: mistakes in turn, the rest by chance."""
    rng, every = random.Random(seed), list(carriers())
    made = 0
    while made < count:
        value = CHAINED[made % len(CHAINED)]
        chain = _chain(every, value, 3 if rng.random() < triples else 2, rng)
        use, choice, assembly = rng.choice(USES[value.form]), rng.choice(CHOICES), rng.choice(ASSEMBLIES)
        layout = rng.choice(("flat", "package"))
        package = ChainedProgram(chain, value, use, choice, assembly, bool(chain.record), layout)
        if package.fits() and not (value.late and use == "average"):
            made += 1
            yield ChainCell(package)


def _chain(every: Sequence[Carrier], value: ChainedValue, length: int, rng: random.Random) -> Chain:
    wanted = "m" if value.form in _OBJECTS else "t"
    fitting = [each for each in every if wanted in each.kinds and ({"m", "p"} & set(each.kinds))]
    chosen = tuple(rng.sample(fitting, length))
    steps = ("{0}", *(_step(value.form, rng) for _ in chosen[1:]))
    scaled = value.form in SCALED
    record = f"record['value']{' * record[' + repr('scale') + ']' if scaled else ''}"
    record = record if value.form not in _OBJECTS and rng.random() < _RECORDED else ""
    return Chain(chosen, tuple(rng.choice(STYLES) for _ in chosen), steps, f"({record})" if record else "")


def _step(form: str, rng: random.Random) -> str:
    """Something that is done with the value on its way, or nothing."""
    return rng.choice(STEPS[form]) if form in STEPS and rng.random() < _STEPPED else "{0}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--triples", type=float, default=0.3)
    return with_common_options(parser).parse_args()


def main() -> None:
    """Measure, and print."""
    options = _options()
    drawn = enumerate(cells(options.count, options.seed, options.triples))
    measure(((str(index), cell) for index, cell in drawn), options)


if __name__ == "__main__":
    main()
