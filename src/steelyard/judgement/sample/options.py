"""Options of `sample`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

from steelyard.judgement.common_options import Level, Positive, Seed
from steelyard.parameters import Parameter
from steelyard.reading.column_names import SAMPLE_COLUMNS

COLUMNS = SAMPLE_COLUMNS
POOL_ROW, STRATUM, SIZE, INCLUSION = COLUMNS


@dataclass(frozen=True)
class Options:
    """Choose the rows of POOL (CSV, TSV, JSON lines or Parquet) that are worth labelling.

    The rows are a stratified random sample: strata by score and prediction, most labels where they narrow
    the confidence interval of the metric most. --out keeps every column and adds the stratum, its size and
    the inclusion probability; add a column of true labels and `steelyard evaluate` recognises the file.
    """

    data: Annotated[Any, Parameter("The unlabelled rows.", argument="POOL")] = None
    labels: Annotated[int | None, Parameter("How many rows to label.", metavar="NUMBER")] = None
    _: KW_ONLY
    score: Annotated[
        tuple[str, ...],
        Parameter(
            "The column of probabilities of the positive class; repeat it for several models.", repeat=True
        ),
    ] = ()
    pred: Annotated[
        tuple[str, ...],
        Parameter("The column of predicted labels; repeat it for several models.", repeat=True),
    ] = ()
    threshold: Annotated[
        float, Parameter("Without predictions: predict the positive class from this score on.")
    ] = 0.5
    positive: Positive = None
    metric: Annotated[
        Any, Parameter("The metric to be known, such as recall[fraud].", flag="--for", metavar="METRIC")
    ] = None
    cost: Annotated[
        Any, Parameter("The metric is the expected cost: 'fraud>ok=200, ok>fraud=4' (truth>prediction=cost).")
    ] = None
    half_width: Annotated[
        float | None,
        Parameter(
            "Half-width of the confidence interval, 0.05 for ±0.05: says how many labels it needs; without"
            " --labels so many are chosen."
        ),
    ] = None
    earlier: Annotated[
        Any,
        Parameter(
            "Top up this earlier sample of the same pool: its rows keep their labels, and --labels counts"
            " new rows.",
        ),
    ] = None
    level: Level = 0.95
    seed: Seed = 0
    WITHIN: ClassVar = {
        "(0, 1)": "level",
        "[0, 1]": "threshold",
        "(0, inf)": "half_width",
        "[1, inf)": "labels",
    }
    EXCLUSIVE: ClassVar = (("a sample serves one metric", "metric and cost", "leave one out"),)
