"""Options of `gate`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Literal

from steelyard.judgement.common_options import Labels, Matrix, Positive, Pred, Seed, Truth, Weight
from steelyard.judgement.gate.limits import RULES_FILE, read_max, read_max_drop, read_min
from steelyard.parameters import Parameter


@dataclass(frozen=True)
class Options:
    """Hold the predictions in SOURCE against limits; the exit code is the answer.

    A rule passes if the whole confidence interval meets the limit, fails if the whole interval violates
    it, and is inconclusive otherwise. Exit code 0: every rule passed. 1: a rule failed. 3: no rule failed,
    but one cannot be decided. 2: wrong input.
    """

    data: Annotated[Any, Parameter("The predictions, as evaluate takes them.", argument="SOURCE")] = None
    y_pred: Any = None
    _: KW_ONLY
    matrix: Matrix = None
    min: Annotated[
        Any,
        Parameter(
            "A metric must be at least this: gmean=0.8, 'recall[fraud]=60%', roc_auc=0.9.",
            repeat=True,
            read=read_min,
        ),
    ] = None
    max: Annotated[
        Any,
        Parameter(
            "A metric must be at most this: error_rate=0.1, brier=0.05, expected_cost=2.",
            repeat=True,
            read=read_max,
        ),
    ] = None
    max_drop: Annotated[
        Any,
        Parameter(
            "A metric may be worse than the baseline by this: f1=0.02.", repeat=True, read=read_max_drop
        ),
    ] = None
    against: Annotated[
        Any,
        Parameter("The baseline: JSON of steelyard evaluate, or a predictions file with the same columns."),
    ] = None
    rules: Annotated[
        Any, Parameter(f"A file of rules (TOML); {RULES_FILE} is read where it lies in the working folder.")
    ] = None
    truth: Truth = None
    pred: Pred = None
    score: Annotated[
        Any, Parameter("The column of scores of the positive class, for metrics of scores such as roc_auc.")
    ] = None
    threshold: Annotated[
        Any, Parameter("Predict the positive class from this score on, where there are no predictions.")
    ] = None
    cost: Annotated[
        Any, Parameter("Costs of decisions for expected_cost, as in evaluate: 'fraud>ok=200, ok>fraud=4'.")
    ] = None
    slices: Annotated[
        Any,
        Parameter(
            "A column to slice the test set by: limits on labels hold in every slice too.",
            flag="--slice",
            repeat=True,
        ),
    ] = ()
    key: Annotated[
        str | None,
        Parameter("The column that names an example here and in the baseline file: drops are then paired."),
    ] = None
    positive: Positive = None
    labels: Labels = None
    weight: Weight = None
    missing: Annotated[
        Literal["error", "drop"] | None, Parameter("What to do with rows that lack a label.", default="error")
    ] = None
    by: Annotated[
        Literal["interval", "point"] | None,
        Parameter("Hold limits against confidence intervals or point values.", default="interval"),
    ] = None
    level: Annotated[float | None, Parameter("Confidence level of the intervals.", default="0.95")] = None
    draws: int = 10_000
    seed: Seed = 0
    engine: str | None = None
    spark_master: str | None = None
