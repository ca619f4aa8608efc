"""Programs whose faults no reading of the text finds, mended by what their runs show."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from text_program import rules
from zygote import Zygote

from devfix.config import Settings
from devfix.engine import Engine
from devfix.observation.record import read_record
from devfix.observation.repair import Repair, Repairer
from devfix.observation.trial import Trial
from devfix.project import Program, Project
from devfix.source import Source

FOLDER = Path(__file__).parent / "data" / "observed"
PROGRAMS = sorted(path.stem for path in FOLDER.iterdir() if path.name != "__pycache__")
FINE = [name for name in PROGRAMS if name.startswith("fine_")]
#: What the analysis reports as well.
KNOWN = (
    "branch_on_values calls_in_turn chosen_optimizer columns_of_files context_tensor converted_labels decorated double_data evaluated_name handed_mask "
    "instantiated listed_generators metaclass_registry metric_table partial_table partly_moved patched_method plugin_module "
    "proxied set_attributes updated_variables weighted_classes"
).split()
#: Its fault is in a text that the program executes.
LEFT_ALONE = "executed"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked")


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """A process that has torch loaded."""
    found = Zygote()
    yield found
    found.close()


class ForkedStage:
    """Runs a program in a fresh folder each time."""

    def __init__(self, texts: Mapping[str, str], folder: Path, zygote: Zygote) -> None:
        self.texts = texts
        self.folder = folder
        self.zygote = zygote

    def run(self, texts: Mapping[str, str], mode: str, kind: str = "cuda") -> Trial:
        """Run the program with other texts."""
        place = self.folder / "program"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for path, text in {**self.texts, **texts}.items():
            (place / path).write_text(text, encoding="utf-8")
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        output = self.zygote.run(place, ["main.py"], report, mode, kind)
        return Trial(read_record(report), output)

    def locate(self, file: str) -> str | None:
        """The path of a file of the program."""
        name = os.path.relpath(file, self.folder / "program")
        return name if name in self.texts else None


def _texts(name: str) -> dict[str, str]:
    single = FOLDER / f"{name}.py"
    files = (
        {"main.py": single} if single.exists() else {path.name: path for path in (FOLDER / name).glob("*.py")}
    )
    return {path: file.read_text(encoding="utf-8") for path, file in sorted(files.items())}


def _program(name: str) -> Program:
    return Project([Source(path, text) for path, text in _texts(name).items()], roots=("",)).whole()


def _repaired(name: str, folder: Path, zygote: Zygote) -> tuple[Repair, ForkedStage]:
    stage = ForkedStage(_texts(name), folder, zygote)
    # Only what runs show: the analysis is told to keep out.
    repairer = Repairer(Engine(rules(), Settings()), stage, analysed=False)
    return repairer.repair(_program(name), stage.run({}, "heal")), stage


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in [*FINE, *KNOWN]])
def test_the_analysis_sees_nothing(name: str) -> None:
    reports = Engine(rules(), Settings()).check(_program(name))
    assert [finding for report in reports for finding in report.findings] == []


@pytest.mark.parametrize("name", KNOWN)
def test_the_analysis_sees_what_it_knows(name: str) -> None:
    reports = Engine(rules(), Settings()).check(_program(name))
    assert [finding for report in reports for finding in report.findings] != []


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in [*FINE, LEFT_ALONE]])
def test_a_run_shows_what_to_mend(name: str, tmp_path: Path, zygote: Zygote) -> None:
    repair, _ = _repaired(name, tmp_path, zygote)
    assert (repair.verdict, repair.reason) == ("fixed", "")
    assert "RESULT" in repair.last.output


@pytest.mark.parametrize("name", [*FINE, LEFT_ALONE])
def test_what_is_right_or_out_of_reach_is_not_touched(name: str, tmp_path: Path, zygote: Zygote) -> None:
    repair, _ = _repaired(name, tmp_path, zygote)
    assert repair.verdict == ("clean" if name in FINE else "still-fails")
    assert repair.end.texts == _texts(name)


def test_a_model_comes_to_the_accelerator_of_its_inputs_and_they_do_not_leave_it(
    tmp_path: Path, zygote: Zygote
) -> None:
    repair, _ = _repaired("moved_inputs", tmp_path, zygote)
    made = "    model = build(*PLAN)\n"
    before = _texts("moved_inputs")["main.py"]
    assert repair.end.texts["main.py"] == before.replace(made, f"{made}    model.cuda()\n")


def test_what_cannot_be_cast_at_its_use_is_cast_where_it_is_made(tmp_path: Path, zygote: Zygote) -> None:
    repair, _ = _repaired("handed_mask", tmp_path, zygote)
    made = 'keep = torch.tensor(json.loads("[1, 0, 1, 1]"), device=device)'
    before = _texts("handed_mask")["main.py"]
    assert repair.end.texts["main.py"] == before.replace(made, f"{made}.bool()")


def test_weights_of_a_loss_are_cast_and_not_the_predictions(tmp_path: Path, zygote: Zygote) -> None:
    repair, _ = _repaired("weighted_classes", tmp_path, zygote)
    changed = set(repair.end.texts["main.py"].splitlines()) - set(
        _texts("weighted_classes")["main.py"].splitlines()
    )
    assert len(changed) == 1
    assert "weight" in changed.pop()


def test_numbers_on_the_cpu_stay_what_they_were(tmp_path: Path, zygote: Zygote) -> None:
    repair, stage = _repaired("set_attributes", tmp_path, zygote)
    before, after = (
        stage.run(_texts("set_attributes"), "plain", "none"),
        stage.run(repair.end.texts, "plain", "none"),
    )
    assert before.output == after.output != ""


def test_what_calls_out_of_a_table_give_moves_where_they_give_it(tmp_path: Path, zygote: Zygote) -> None:
    """No name stands for what each is given, and not every one of them takes a device."""
    repair, _ = _repaired("calls_in_turn", tmp_path, zygote)
    call = "CALLS[call](*arguments)"
    before = _texts("calls_in_turn")["main.py"]
    assert repair.end.texts["main.py"] == before.replace(call, f"{call}.to(device)")


def test_what_one_line_makes_of_several_dtypes_is_cast_where_each_is_used(
    tmp_path: Path, zygote: Zygote
) -> None:
    """Labels that became floats on the way would no longer tell all classes apart."""
    repair, _ = _repaired("columns_of_files", tmp_path, zygote)
    text = _texts("columns_of_files")["main.py"]
    for used, method in (('model(batch["inputs"]', "float"), ('batch["labels"]', "long")):
        text = text.replace(used, f"{used}.{method}()")
    assert repair.end.texts["main.py"] == text
