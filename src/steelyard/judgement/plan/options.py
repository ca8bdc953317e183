"""Options of `plan`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

from steelyard.errors import parameter
from steelyard.judgement.common_options import Labels, Level, Matrix, Positive, Pred, Seed, Truth
from steelyard.parameters import Parameter

_A_DIFFERENCE = f"say {parameter('difference', 0.02)}"


@dataclass(frozen=True)
class Options:
    """Plan the size of a test set: for a confidence interval of some width, or to detect a difference.

    PILOT, if there is one, is a predictions file with the class rates to expect. --width plans for an
    interval at most so wide, --difference for detecting a difference between two models on the same rows;
    --rows gives the smallest difference that a test set can detect.
    """

    measure: Annotated[Any, Parameter("The metric to plan for.")]
    width: Annotated[float | None, Parameter("How wide its confidence interval may be.")] = None
    _: KW_ONLY
    assurance: Annotated[
        float, Parameter("Probability that a test set of the planned size has so narrow an interval.")
    ] = 0.8
    difference: Annotated[
        float | None, Parameter("The difference between two models on the same rows that is to be detected.")
    ] = None
    power: Annotated[float, Parameter("Probability of detecting it.")] = 0.8
    rows: Annotated[
        int | None,
        Parameter("Rows of the test set, where they are known (of each data set, with --between)."),
    ] = None
    between: Annotated[
        float | None,
        Parameter(
            "Standard deviation of the true difference between data sets: plans the number of data sets."
        ),
    ] = None
    between_seeds: Annotated[
        float | None,
        Parameter(
            "Standard deviation of the difference between training seeds: plans the number of seeds, or the"
            " rows with so many --seeds."
        ),
    ] = None
    seeds: Annotated[
        int | None, Parameter("Training seeds of each model, where they are known.", default="1")
    ] = None
    cluster_size: Annotated[
        int, Parameter("Rows of a cluster (patient, user, day), where rows are not independent.")
    ] = 1
    intraclass: Annotated[
        float, Parameter("Correlation of the rows of a cluster, for --cluster-size: 0 independent, 1 copies.")
    ] = 0.1
    agreement: Annotated[
        float,
        Parameter("How far two models make the same errors: 0 independent, 1 as far as their rates allow."),
    ] = 0.5
    prevalence: Annotated[
        float | None,
        Parameter("Prevalence of the positive class (two classes): plans rows of a random sample."),
    ] = None
    pilot: Annotated[Any, Parameter("Predictions, a matrix or a Confusion.", argument="[PILOT]")] = None
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
    WITHIN: ClassVar = {
        "(0, 1)": "assurance, power, prevalence, level",
        "[0, 1]": "intraclass, agreement, rate",
        "(0, inf)": "width",
        "[0, inf)": "between, between_seeds",
        "[1, inf)": "rows, seeds, cluster_size",
        "[2, inf)": "classes",
    }
    EXCLUSIVE: ClassVar = (
        (
            "a plan is for a width or for a difference",
            "width and difference, rows, between, between_seeds, seeds, cluster_size",
        ),
        ("there is one pilot at a time", "pilot and matrix"),
        ("the pilot says the recall of each class", "pilot, matrix beside classes, rate"),
        ("data sets are planned for a difference", "between without difference", _A_DIFFERENCE),
    )
