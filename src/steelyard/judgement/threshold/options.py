"""Options of `threshold`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Literal

from steelyard.judgement import common_options as common
from steelyard.parameters import Parameter


@dataclass(frozen=True)
class Options:
    """Choose a decision threshold for the scores in FILE (CSV, TSV, JSON lines or Parquet).

    With --cost the threshold has the lowest expected cost; with --require, --alerts or --budget it meets the
    requirements; with --maximise a metric is best. Without any of them the trade-off is shown.
    """

    data: Annotated[Any, Parameter("The scores and their true labels.", argument="FILE")] = None
    score: Annotated[
        Any, Parameter("The column of scores of the positive class; higher means more likely positive.")
    ] = None
    _: KW_ONLY
    truth: common.Truth = None
    maximise: Annotated[
        Any, Parameter("The metric to optimise: an id, a paper's symbol or an alias.", former=("maximize",))
    ] = None
    cost: Annotated[
        Any,
        Parameter(
            "Costs of decisions as truth>prediction=cost: 'fraud>ok=200, ok>fraud=4', a column with the cost"
            " of each row ('fraud>ok=amount'), or a file; the threshold minimises the expected cost."
        ),
    ] = None
    require: Annotated[
        tuple[str, ...],
        Parameter(
            "A requirement such as 'recall>=0.8'; may be repeated. Without --maximise or --cost the threshold"
            " with the fewest alerts is taken or, where a single correct alert would meet it"
            " ('precision>=0.8'), the one with the highest recall."
        ),
    ] = ()
    alerts: Annotated[
        Any, Parameter("At most this share of the rows may be predicted positive: '0.5%' or 0.005.")
    ] = None
    budget: Annotated[
        str | None,
        Parameter(
            "Review capacity: at most so many alerts on average for each value of a column of FILE, '50/day',"
            " or for so many rows, '50/10000'."
        ),
    ] = None
    confidence: Annotated[
        float | None,
        Parameter(
            "Choose a threshold that meets the requirements on new data with this probability, such as 0.95.",
            former=("surely",),
        ),
    ] = None
    positive: common.Positive = None
    priors: common.Priors = None
    relevance: common.Relevance = None
    weight: common.Weight = None
    fit_on: Annotated[Any, Parameter("Choose the threshold on this file (instead of FILE).")] = None
    apply_to: Annotated[
        Any, Parameter("Evaluate the threshold on this file, on rows it was not chosen on.")
    ] = None
    missing: Annotated[Literal["error", "drop", "lowest"], Parameter("Rows without a score.")] = "error"
    replicates: Annotated[int, Parameter("Bootstrap samples for the confidence intervals; 0 for none.")] = 200
    level: common.Level = 0.95
    seed: common.Seed = 0
    design: common.Design = "sample"
    engine: common.Engine = None
    spark_master: common.SparkMaster = None
    tolerance: common.Tolerance = 0.0001
    exact: common.Exact = False
    progress: Callable[[float], None] | None = None
    WITHIN: ClassVar = {"(0, 1)": "confidence, level", "(0, inf)": "tolerance", "[0, inf)": "replicates"}
    EXCLUSIVE: ClassVar = (
        ("a threshold has one aim", "maximise and cost"),
        (
            "requirements are judged on the rows as they are",
            "priors, relevance with require, alerts, budget",
            "leave it out, or the requirements",
        ),
    )
