"""Options of the commands, with what they say of themselves."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer


class OutputFormat(str, enum.Enum):
    """How findings are written."""

    TEXT = "text"
    CONCISE = "concise"
    JSON = "json"
    JSON_LINES = "json-lines"
    SARIF = "sarif"
    GITHUB = "github"
    GITLAB = "gitlab"
    JUNIT = "junit"
    RDJSON = "rdjson"
    HTML = "html"


class PlainFormat(str, enum.Enum):
    """How what is no findings is written: for people or for programs."""

    TEXT = "text"
    JSON = "json"


class ReportFormat(str, enum.Enum):
    """How a run is reported."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


class Kind(str, enum.Enum):
    """Which accelerator is simulated."""

    CUDA = "cuda"
    MPS = "mps"
    XPU = "xpu"


class Color(str, enum.Enum):
    """When to colour; ``auto`` means on a terminal or with FORCE_COLOR, unless NO_COLOR is set."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class On(str, enum.Enum):
    """What programs are run on; ``auto`` means a GPU where there is one."""

    AUTO = "auto"
    GPU = "gpu"
    SIMULATOR = "simulator"


class CampaignEngine(str, enum.Enum):
    """Who does the work of a campaign."""

    LOCAL = "local"
    RAY = "ray"


class ExportFormat(str, enum.Enum):
    """How a campaign's state is written."""

    JSON = "json"
    CSV = "csv"


class Again(str, enum.Enum):
    """Which repositories of a campaign are tried again."""

    FAILED = "failed"
    SKIPPED = "skipped"
    ALL = "all"


def given_path(value: str) -> Path:
    """The path that a word names; an empty one, such as that of a variable that is not set, would be this folder.

    An empty one ends the command with exit code 2.
    """
    return Path(given_name(value))


def given_name(value: str) -> str:
    """The word that names a file; an empty one ends the command with exit code 2."""
    if not value:
        raise typer.BadParameter("it is empty, which names no file and no folder")
    return value


Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        parser=given_path,
        metavar="PATHS",
        help="Python files, notebooks and folders; `-` reads standard input. Default: this folder.",
    ),
]
Diff = Annotated[bool, typer.Option("--diff", help="Print a patch and write nothing.")]
Unsafe = Annotated[bool, typer.Option("--unsafe", help="Apply unsafe fixes too.")]
Adopt = Annotated[bool, typer.Option("--adopt", help="Let a program that never chooses a device choose one.")]
Format = Annotated[
    OutputFormat,
    typer.Option("--output-format", envvar="DEVFIX_OUTPUT_FORMAT", help="The format of the findings."),
]
FormatOfSettings = Annotated[
    OutputFormat | None,
    typer.Option(
        "--output-format",
        envvar="DEVFIX_OUTPUT_FORMAT",
        help="The format of the findings. Default: that of the settings, or text.",
    ),
]
Baseline = Annotated[
    str | None, typer.Option(metavar="FILE", help="Leave out the findings that this file lists.")
]
NoBaseline = Annotated[
    bool, typer.Option("--no-baseline", help="Use no baseline, whatever the settings say.")
]
BaselineCommit = Annotated[
    str | None,
    typer.Option(metavar="REVISION", help="Leave out the findings that this git commit has already."),
]
WriteBaseline = Annotated[
    bool, typer.Option("--write-baseline", help="Write all findings to the baseline, and report none.")
]
UpdateBaseline = Annotated[
    bool,
    typer.Option(
        "--update-baseline",
        help="Write the findings of the checked files to the baseline, keep those of other files, and report none.",
    ),
]
PruneBaseline = Annotated[
    bool, typer.Option("--prune-baseline", help="Remove from the baseline the findings that are gone.")
]
Interactive = Annotated[
    bool, typer.Option("--interactive", "-i", help="Ask about each fix before anything is written.")
]
ProvenBy = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND",
        help='Run this script ("train.py --epochs 1") or folder, and write only what it proves. Repeatable.',
    ),
]
Plain = Annotated[PlainFormat, typer.Option("--output-format", help="The format of the output.")]
OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output-file",
        "-o",
        parser=given_path,
        metavar="FILE",
        envvar="DEVFIX_OUTPUT_FILE",
        help="Write the findings to this file instead of standard output.",
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--output-file",
        "-o",
        parser=given_path,
        metavar="FILE",
        help="Write the report to this file instead of standard output.",
    ),
]
Statistics = Annotated[bool, typer.Option("--statistics", help="Show only how many findings each rule has.")]
ShowFixes = Annotated[bool, typer.Option("--show-fixes", help="List what was fixed.")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Show findings and errors, and no summary: nothing when all is well."),
]
ExitZero = Annotated[
    bool,
    typer.Option("--exit-zero", help="Exit with 0 even when there are findings; errors still exit with 2."),
]
NonZeroOnFix = Annotated[
    bool,
    typer.Option(
        "--exit-non-zero-on-fix", help="Exit with 1 when a file was changed, even if nothing remains."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", min=1, metavar="NUMBER", help="Processes to use. Default: one per core."),
]
StdinName = Annotated[
    str,
    typer.Option(
        "--stdin-filename", parser=given_name, metavar="FILE", help="The file that standard input stands for."
    ),
]
ShowTiming = Annotated[bool, typer.Option("--show-timing", help="Say on standard error where the time went.")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Neither read nor write the cache of earlier runs.")
]
CacheDir = Annotated[
    Path | None,
    typer.Option(
        parser=given_path,
        metavar="FOLDER",
        help="Where the cache is kept. Default: .devfix_cache beside the settings.",
    ),
]
Colour = Annotated[Color, typer.Option("--color", help="When to use colours.")]
RunOn = Annotated[
    On, typer.Option("--on", help="What to run on; auto is a GPU where there is one, else the simulator.")
]
Python = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="The interpreter to run with. Default: the one that has torch."),
]
Timeout = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="How long each run may take.")]
Steps = Annotated[
    int | None,
    typer.Option(
        "--max-steps", min=1, metavar="NUMBER", help="Stop each run after this many optimizer steps."
    ),
]


def words(values: list[str] | None) -> tuple[str, ...]:
    """The words of an option that may be given several times, each time with several words and commas between."""
    return tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())
