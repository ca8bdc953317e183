"""Options of `evaluate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar

from steelyard.errors import parameter
from steelyard.judgement import common_options as common
from steelyard.parameters import Parameter

# What needs rows with their own truth, which corrected labels have not.
_OF_ROWS = "weight, sample_weight, cluster, block, production, score, scores, label_errors, gold, slices"
_NAME_SCORES = f"name the column of scores with {parameter('score', '...')}"
_BLOCKS_ALONE = f"give {parameter('block')} with predicted labels and without {parameter('cluster')}"


def read_block(text: str) -> int | str:
    """The rows of a block, or "auto"."""
    return int(text) if text.strip().isdigit() else text.strip()


@dataclass(frozen=True)
class Options:
    """Evaluate the predictions in SOURCE: a CSV, TSV, JSON lines or Parquet file, or a quoted glob of them.

    Columns are found by their usual names (y_true, truth, label, ...; y_pred, pred, prediction, ...)
    unless they are named. - is standard input.
    """

    data: Annotated[Any, Parameter("The predictions.", argument="[SOURCE]")] = None
    y_pred: Any = None
    _: KW_ONLY
    matrix: common.Matrix = None
    truth: common.Truth = None
    pred: common.Pred = None
    score: Annotated[
        Any, Parameter("The column of scores of the positive class; higher means more likely positive.")
    ] = None
    scores: Annotated[
        Any,
        Parameter(
            "The columns of scores, one for each class, as a pattern: 'p_*' where the star is the class."
        ),
    ] = None
    threshold: Annotated[
        Any,
        Parameter(
            "Predict the positive class from this score on: a number, 'best:gmean' for the threshold that"
            " optimises a metric, 'best:cost', or 'cheapest' for the label with the lowest expected cost."
        ),
    ] = None
    fit_on: Annotated[
        Any, Parameter("Choose the threshold on this file, so that it is evaluated on other rows.")
    ] = None
    weight: common.Weight = None
    stratum: common.Stratum = None
    inclusion: common.Inclusion = None
    labelled: common.Labelled = None
    labels: common.Labels = None
    abstain: Annotated[
        str | None,
        Parameter(
            "The prediction that means no answer: such rows are counted as the reportable rate, and left out"
            " of the metrics.",
            default="abstain, where no row has that truth",
        ),
    ] = None
    positive: common.Positive = None
    priors: common.Priors = None
    production: Annotated[
        Any,
        Parameter(
            "Unlabelled data of production: estimate metrics there under label shift or covariate shift.",
            former=("priors_from",),
        ),
    ] = None
    cost: Annotated[
        Any,
        Parameter(
            "Costs of decisions as truth>prediction=cost: 'fraud>ok=200, ok>fraud=4', a star for every class,"
            " a column of SOURCE with the cost of each row ('fraud>ok=amount'), or a file (CSV, JSON, TOML)."
        ),
    ] = None
    relevance: common.Relevance = None
    slices: Annotated[
        Any,
        Parameter(
            "A column to slice the test set by; several are crossed, a slice for each combination.",
            flag="--slice",
            repeat=True,
        ),
    ] = ()
    cluster: Annotated[
        Any,
        Parameter(
            "The column of the patient, user, document or day that a row belongs to: intervals come from a"
            " cluster bootstrap."
        ),
    ] = None
    block: Annotated[
        Any,
        Parameter(
            "For a time series: intervals come from a bootstrap of blocks of this many consecutive rows;"
            " auto chooses the length.",
            read=read_block,
        ),
    ] = None
    gold: Annotated[
        Any,
        Parameter(
            "A column of checked labels, filled for some rows chosen at random: metrics are corrected for the"
            " errors of the truth column."
        ),
    ] = None
    annotator: Annotated[
        Any,
        Parameter("With --gold: a column of another annotator's labels; may be repeated.", repeat=True),
    ] = ()
    label_errors: Annotated[
        Any,
        Parameter(
            "Give the range of every metric if this share of the labels is wrong: '2%', or by class"
            " 'fraud=10%, ok=0.1%'; nothing is assumed about which.",
            read=common.read_label_errors,
        ),
    ] = None
    label_rates: Annotated[
        Any,
        Parameter(
            "How often labels are right, by true class, known or measured on checked rows: 'fraud: 0.9 (180"
            " of 200), ok: 0.999'; metrics are corrected for the errors (two classes).",
            read=common.read_label_rates,
        ),
    ] = None
    missing: common.Missing = "error"
    undefined: common.Undefined = "nan"
    interval: Annotated[common.IntervalMethod, Parameter("Method of the confidence intervals.")] = "auto"
    level: common.Level = 0.95
    draws: common.Draws = None
    seed: common.Seed = 0
    design: common.Design = "sample"
    engine: common.Engine = None
    spark_master: common.SparkMaster = None
    tolerance: common.Tolerance = 0.0001
    exact: common.Exact = False
    title: Annotated[str | None, Parameter("The title of the report, in place of the file's name.")] = None
    report: Annotated[
        str,
        Parameter(
            "Which report comes first: the standard one, or one that a package adds, such as skrabanek2017:"
            " balanced metrics with the class sizes, for two classes.",
            metavar="NAME",
        ),
    ] = "standard"
    progress: Callable[[float], None] | None = None
    sample_weight: Any = None
    WITHIN: ClassVar = {"(0, inf)": "tolerance"}
    EXCLUSIVE: ClassVar = (
        ("a matrix has no columns", "truth, pred with matrix", "leave it out, or give a file"),
        (
            "a matrix has no scores",
            "score, scores, threshold, fit_on with matrix",
            "leave it out, or give a file",
        ),
        ("a threshold is for scores", "threshold, fit_on without score, scores", _NAME_SCORES),
        ("scores are given in one way", "score and scores"),
        ("labels come from predictions or from a threshold", "threshold and y_pred, pred"),
        ("priors are given or estimated", "priors and production"),
        ("blocks stand alone", "block with cluster, score, scores, threshold, fit_on", _BLOCKS_ALONE),
        ("error rates correct a matrix of rows with predicted labels", f"label_rates with {_OF_ROWS}"),
    )
