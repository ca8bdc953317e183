"""Options of `multilabel`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

from steelyard.judgement.common_options import IntervalMethod, Labels, Level, Missing, Seed, Undefined
from steelyard.parameters import Parameter


@dataclass(frozen=True)
class Options:
    """Evaluate a multi-label classifier: every row of SOURCE has any number of labels."""

    data: Annotated[Any, Parameter("The predictions.", argument="SOURCE")]
    y_pred: Any = None
    _: KW_ONLY
    truth: Annotated[
        str | None,
        Parameter(
            "The 0-1 columns that contain the true labels, as a pattern whose star is the label: 'y_*'."
        ),
    ] = None
    pred: Annotated[
        str | None, Parameter("The 0-1 columns that contain the predictions, as a pattern: 'p_*'.")
    ] = None
    labels: Labels = None
    measures: Sequence[Any] = ("precision", "recall", "f_beta", "threat_score")
    missing: Missing = "error"
    undefined: Undefined = "nan"
    interval: Annotated[
        IntervalMethod,
        Parameter("Method of the confidence intervals of single labels; none for none."),
    ] = "auto"
    level: Level = 0.95
    seed: Seed = 0
    progress: Callable[[float], None] | None = None
    WITHIN: ClassVar = {"(0, 1)": "level"}
    EXCLUSIVE: ClassVar = (
        ("patterns name columns of one file or frame", "truth, pred with y_pred"),
        ("labels are named by the columns", "labels with truth, pred"),
    )
