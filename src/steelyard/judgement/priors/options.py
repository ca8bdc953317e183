"""Options of `priors`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

from steelyard.judgement.common_options import Level, Missing, Positive, Seed, Truth
from steelyard.parameters import Parameter


@dataclass(frozen=True)
class Options:
    """Estimate the class priors of unlabelled data from predictions or scores.

    How predictions or scores are distributed in each class is known from LABELLED (CSV, TSV, JSON lines or
    Parquet); label shift is assumed and tested.
    """

    data: Annotated[Any, Parameter("The labelled data, as evaluate takes them.", argument="LABELLED")]
    y_pred: Any = None
    _: KW_ONLY
    unlabelled: Annotated[Any, Parameter("The file, or a quoted glob of files, without labels.")]
    truth: Truth = None
    pred: Annotated[str | None, Parameter("The column of predicted labels, in both.")] = None
    score: Annotated[Any, Parameter("The column of scores of the positive class, in both; two classes.")] = (
        None
    )
    positive: Positive = None
    missing: Missing = "error"
    level: Level = 0.95
    draws: Annotated[int, Parameter("How often both sets are resampled.")] = 4000
    seed: Seed = 0
    WITHIN: ClassVar = {"(0, 1)": "level", "[100, inf)": "draws"}
    EXCLUSIVE: ClassVar = (
        ("priors are estimated from predictions or from scores", "y_pred, pred and score"),
    )
