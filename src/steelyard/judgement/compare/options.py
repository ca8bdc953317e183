"""Options of `compare`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.judgement import common_options as common
from steelyard.parameters import Parameter


def read_seed(text: str) -> int | str:
    """A number is the random seed, a name the column of training seeds."""
    return int(text) if text.lstrip("-").isdigit() else text


def read_measures(named: Sequence[str]) -> Any:
    """Names of metrics; "all" stands for the whole catalogue."""
    return "all" if "all" in named else list(named)


def listed_measures(measures: Any) -> list[Any]:
    """Metrics that were named: none, one or several."""
    if measures is None:
        return []
    return list(measures) if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]


@dataclass(frozen=True)
class Options:
    """Compare models by their predictions in FILES (CSV or Parquet).

    One file with several --pred, or one file for each model with --key. With --dataset models are compared
    over many data sets.
    """

    predictions: Annotated[
        Any,
        Parameter(
            "The predictions of each model, such as {'rf': p1, 'svm': p2}; a frame, a file or several files.",
            argument="FILES...",
            repeat=True,
        ),
    ] = None
    y_true: Annotated[Any, Parameter(common.Truth.__metadata__[0].help, flag="--truth")] = None
    _: KW_ONLY
    pred: Annotated[
        Any,
        Parameter(
            "A column of predictions: several in one file, also named as in rf=p1, or one in each file.",
            repeat=True,
        ),
    ] = None
    scores: Annotated[
        Any,
        Parameter(
            "A model's column of scores of the positive class, as in rf=p_rf: compares ROC AUC, average"
            " precision, Brier score, log loss; labels of a model without --pred come from cross-fitted"
            " thresholds.",
            flag="--score",
            repeat=True,
        ),
    ] = None
    dataset: Annotated[
        str | None,
        Parameter(
            "The column that names the data set of a row: models are compared over data sets. FILES may then"
            " also be a table of matrices (model, tp, fn, fp, tn) or of scores; a folder holds a file for"
            " each data set."
        ),
    ] = None
    key: Annotated[
        str | None, Parameter("The column that identifies an example, to match the rows of several files.")
    ] = None
    folds: Annotated[
        Any, Parameter("The column that names the cross-validation fold of a row.", flag="--fold")
    ] = None
    cluster: Annotated[
        Any,
        Parameter(
            "The column of the patient, user, document or day that a row belongs to: intervals and p-values"
            " come from a cluster bootstrap."
        ),
    ] = None
    stratum: common.Stratum = None
    inclusion: common.Inclusion = None
    labelled: common.Labelled = None
    by: Annotated[Any, Parameter("The metric that ranks the models; without it the primary metric.")] = None
    measures: Annotated[
        Any,
        Parameter(
            "A metric to compare by; 'all' for the whole catalogue.",
            flag="--measure",
            repeat=True,
            read=read_measures,
        ),
    ] = None
    level: common.Level = 0.95
    draws: common.Draws = None
    design: common.Design = "sample"
    seed: Annotated[
        Any,
        Parameter(
            "Random seed: the same seed gives the same result; or, with --dataset, the column of seeds.",
            read=read_seed,
        ),
    ] = 0
    rope: Annotated[
        float | None,
        Parameter("The largest difference that does not matter (region of practical equivalence)."),
    ] = None
    method: Annotated[Literal["posterior", "bootstrap"], Parameter("How other test sets are simulated.")] = (
        "posterior"
    )
    prior: Literal["shared", "observed", "jeffreys", "uniform"] = "shared"
    test_to_train: Annotated[
        Any,
        Parameter(
            "Test examples per training example, for --fold: 0.111 or 1/9.",
            default="that of a cross-validation",
            read=partial(common.read_ratio, name="test_to_train"),
        ),
    ] = None
    priors_range: Annotated[
        Any,
        Parameter(
            "The prevalence of a class as a range, fraud=0.0005..0.01: which model is better where.",
            read=common.read_range,
        ),
    ] = None
    cost: Annotated[
        Any,
        Parameter(
            "Costs of decisions as truth>prediction=cost, or a file: 'fraud>ok=200, ok>fraud=4'; models are"
            " ranked by the expected cost. A range ('fraud>ok=50..500') or a column ('fraud>ok=amount') is"
            " allowed."
        ),
    ] = None
    missing: Annotated[
        Literal["error", "drop"],
        Parameter("Rows that lack the truth or a model's prediction: an error, or left out for all models."),
    ] = "error"
    positive: common.Positive = None
    undefined: common.Undefined = "nan"
    labels: Iterable[Label] | None = None
    engine: common.Engine = None
    spark_master: common.SparkMaster = None
    truth: Any = None
    WITHIN: ClassVar = {"[0, inf)": "rope"}
    EXCLUSIVE: ClassVar = (
        (
            "the ratio of test to training examples is for folds",
            "test_to_train without folds",
            "name the folds, or leave it out",
        ),
        ("models are compared over folds or over clusters", "folds beside cluster"),
        ("one metric ranks the models", "by beside cost"),
        ("a range of prevalences is compared row by row", "priors_range beside cluster"),
    )

    def __post_init__(self) -> None:
        # `truth` is what evaluate calls the true labels.
        if self.truth is None:
            return
        if self.y_true is not None:
            both = "truth= and y_true="
            raise InputError("the true labels are given once", found=both, do="leave one of them out")
        object.__setattr__(self, "y_true", self.truth)
        object.__setattr__(self, "truth", None)
