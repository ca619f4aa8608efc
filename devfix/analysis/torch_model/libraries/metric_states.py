"""What metrics of torchmetrics keep: numbers that are added up, tables that are filled, or what they were given in lists.

A number takes numbers of the CPU, wherever it is itself; on the CPU it takes none of the accelerator. Tables take nothing of
another place. Metrics that give themselves another tensor instead, as ``R2Score`` does, come along with the first batch.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import NONE, UNKNOWN, Const, Value, members

if TYPE_CHECKING:
    from devfix.analysis.language.frames import CallSite

_KINDS = "(Binary|Multiclass|Multilabel)?"
_COUNTED = "Accuracy|F1Score|FBetaScore|Precision|Recall|Specificity|StatScores|HammingDistance|NegativePredictiveValue"
_NUMBERS = re.compile(
    rf"{_KINDS}({_COUNTED}|ExactMatch|HingeLoss)|MeanMetric|SumMetric|RunningMean|RunningSum|"
    r"Mean(Absolute|Squared|AbsolutePercentage|SquaredLog)Error|(Symmetric|Weighted)MeanAbsolutePercentageError|"
    r"LogCoshError|MinkowskiDistance|RelativeSquaredError|TweedieDevianceScore|PeakSignalNoiseRatio|"
    r"StructuralSimilarityIndexMeasure|Perplexity|MultilabelRanking(Loss|AveragePrecision)|MultilabelCoverageError|"
    r"MeanIoU|GeneralizedDiceScore|TotalVariation"
)
_TABLES = re.compile(
    rf"{_KINDS}(ConfusionMatrix|CohenKappa|JaccardIndex|MatthewsCorrCoef)|CramersV|TschuprowsT|TheilsU|"
    r"PearsonsContingencyCoefficient|PearsonCorrCoef|ConcordanceCorrCoef"
)
#: Numbers of each class, unless an average is told.
_OF_CLASSES = re.compile(rf"(Multiclass|Multilabel)({_COUNTED})")
_AVERAGED = (None, NONE, Const("macro"), Const("weighted"), Const("none"))
#: Tables where thresholds are told, and lists where they are not.
_AT_THRESHOLDS = re.compile(rf"{_KINDS}(AUROC|AveragePrecision)")
#: Metrics that hold a model, whose weights are not moved either.
_MODELS = re.compile(
    r"FrechetInceptionDistance|KernelInceptionDistance|InceptionScore|LearnedPerceptualImagePatchSimilarity"
)
#: Options under which a metric keeps lists instead.
_LISTING = ("multidim_average", "reduction", "dim")

NUMBER, TABLE, NOTHING = "number", "table", ""


def kept(name: str, site: CallSite) -> str:
    """What a metric of that class keeps from the start; nothing where its options are not all known."""
    if site.open or any(site.value(None, option) is not None for option in _LISTING):
        return NOTHING
    if _TABLES.fullmatch(name) or _MODELS.fullmatch(name):
        return TABLE
    if _AT_THRESHOLDS.fullmatch(name):
        return TABLE if _is_told(site.value(None, "thresholds")) else NOTHING
    if _OF_CLASSES.fullmatch(name) and _average(name, site) in _AVERAGED:
        return TABLE
    return NUMBER if _NUMBERS.fullmatch(name) else NOTHING


def _average(name: str, site: CallSite) -> Value | None:
    """The average that a metric of classes is told, after their number and what makes a hit; FBeta has its beta before."""
    return site.value(3 if name.endswith("FBetaScore") else 2, "average")


def _is_told(option: Value | None) -> bool:
    return option is not None and not {NONE, UNKNOWN}.intersection(members(option))
