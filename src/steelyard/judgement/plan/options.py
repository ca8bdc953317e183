"""What a caller can say of a planned test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

from steelyard.judgement.common_options import Labels, Level, Matrix, Positive, Pred, Seed, Truth
from steelyard.parameters import Parameter


@dataclass(frozen=True)
class Options:
    """Say how many examples of each class a test set needs.

    PILOT is a predictions file whose class rates are expected again.
    """

    measure: Annotated[Any, Parameter("The metric that is to be known.")]
    width: Annotated[float, Parameter("How wide its confidence interval may be.")]
    _: KW_ONLY
    pilot: Annotated[Any, Parameter("A predictions file, a matrix or a Confusion.", argument="PILOT")] = None
    matrix: Matrix = None
    truth: Truth = None
    pred: Pred = None
    labels: Labels = None
    positive: Positive = None
    classes: Annotated[int | None, Parameter("Without a pilot: the number of classes.", default="2")] = None
    rate: Annotated[
        float | None, Parameter("Without a pilot: the expected recall of every class.", default="0.8")
    ] = None
    shares: Sequence[float] | None = None
    level: Level = 0.95
    draws: int | None = None
    seed: Seed = 0
