"""Options of `recommend`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

from steelyard.errors import InputError
from steelyard.judgement.common_options import Labels, Truth
from steelyard.judgement.recommend.questions import Costly, Relevance
from steelyard.parameters import Parameter


def read_costs(text: str) -> tuple[float, float]:
    """The cost of a miss and of a false alarm with a colon between."""
    try:
        miss, false_alarm = (float(part) for part in text.split(":"))
    except ValueError:
        raise InputError(
            "the costs are not understood",
            found=repr(text),
            allowed="the cost of a miss and of a false alarm with a colon between, such as 200:4",
            parameter="costs",
        ) from None
    return miss, false_alarm


@dataclass(frozen=True)
class Options:
    """Recommend metrics for a task; every choice says what it rests on and what it gives up."""

    data: Annotated[
        Any,
        Parameter(
            "A file of predictions (CSV, TSV, JSON lines or Parquet) that says how many classes there are and"
            " which are absent.",
            flag="--data",
        ),
    ] = None
    y_pred: Any = None
    _: KW_ONLY
    classes: Annotated[Any, Parameter("How many classes there are.", metavar="[two|many]", default="two")] = (
        None
    )
    priors_change: Annotated[
        bool,
        Parameter("The class distribution may change between test sets, or between test and production."),
    ] = False
    classes_appear: Annotated[bool, Parameter("The number of classes may change.")] = False
    costly: Annotated[Costly | None, Parameter("Which error of two classes is the costly one.")] = None
    costs: Annotated[
        Any,
        Parameter(
            "What a miss and a false alarm of two classes cost, such as 200:4.",
            metavar="MISS:FALSE-ALARM",
            read=read_costs,
        ),
    ] = None
    capacity: Annotated[bool, Parameter("Only so many cases can be reviewed.")] = False
    every_class: Annotated[bool, Parameter("Every class must be detected.")] = False
    relevance: Annotated[Relevance | None, Parameter("What is known of how much the classes matter.")] = None
    truth: Truth = None
    pred: Annotated[str | None, Parameter("The column of predicted labels in the data.")] = None
    labels: Labels = None
