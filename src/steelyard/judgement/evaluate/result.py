"""Result of an evaluation: one classifier on one test set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from steelyard._version import __version__
from steelyard.counts.labels import Label, PositiveChoice
from steelyard.errors import InputError, parameter, warn
from steelyard.judgement.baselines import Constant, best_constant
from steelyard.judgement.evaluate.classes import ClassReport, TestSet
from steelyard.judgement.evaluate.options import Options
from steelyard.judgement.evaluate.prevalence_dependence import HeadlineRow, Shift, Sweep
from steelyard.judgement.metrics.result import POSITIVE, PRIORS, RELEVANCE, Weighed, Weighing
from steelyard.judgement.rules import Decider
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.relevance import Relevance
from steelyard.reading.groups import ModelCounts
from steelyard.report.numbers import between
from steelyard.report.presented import Presented
from steelyard.report.records import (
    HIDDEN,
    Json,
    Record,
    Schema,
    Value,
    derived,
    document,
    in_json,
    schema_of,
)
from steelyard.report.sections import Finding
from steelyard.scores.fields import NUMBER, TEXT, Matrix, or_none, record
from steelyard.uncertainty.intervals import Interval, Intervals

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.abstention import Abstention, RiskCoverage
    from steelyard.judgement.evaluate.costs import CostReport
    from steelyard.judgement.evaluate.production import ProductionReport
    from steelyard.judgement.evaluate.slices import SliceReport
    from steelyard.judgement.label_errors import LabelErrors
    from steelyard.judgement.sample.label_rates import CorrectedLabels, LabelRate
    from steelyard.judgement.sample.result import LabelledStratum
    from steelyard.judgement.sample.strata import Strata
    from steelyard.report.chart import Chart
    from steelyard.scores.ranking_result import RankingReport


@dataclass(frozen=True)
class Source(Record):
    """Where the predictions came from."""

    name: str
    rows: int
    missing_left_out: int
    truth: str
    pred: str
    unused_columns: tuple[str, ...]

    @classmethod
    def of(cls, name: str, c: ModelCounts) -> Source:
        return cls(name, c.rows, c.missing, c.truth, c.pred, tuple(c.unused))


@dataclass(frozen=True)
class Slices(Record):
    """The slices, and the columns they were made by."""

    columns: tuple[str, ...]
    rows: tuple[SliceReport, ...]


_INTERVAL_PARTS = ("low", "high", "level", "method", "note")
_INTERVAL = Json(
    write=lambda interval: (
        None if interval is None else {name: getattr(interval, name) for name in _INTERVAL_PARTS}
    ),
    schema=or_none(record(low=schema_of(Value), high=schema_of(Value), level=NUMBER, method=TEXT, note=TEXT)),
)


@dataclass(frozen=True)
class MeasureInJson(Weighed):
    """A metric of the matrix with its confidence interval."""

    interval: Annotated[Interval | None, _INTERVAL] = None


@dataclass(frozen=True, repr=False)
class Evaluation(Record, Presented):
    """All that is said about one classifier on one test set.

    >>> import steelyard as sy
    >>> result = sy.evaluate([[90, 10], [30, 870]], labels=["fraud", "ok"], positive="fraud", interval=None)
    >>> isinstance(result, sy.Evaluation)
    True
    >>> result.matrix.labels
    ('fraud', 'ok')
    >>> result.to_dict()["schema"]
    'steelyard/evaluate/...
    """

    SCHEMA: ClassVar[str] = "steelyard/evaluate/1"
    source: Annotated[str, HIDDEN]
    counted: Annotated[ModelCounts, HIDDEN]
    test_set: TestSet
    #: What is shown first: the measure that decides, then what people know and expect.
    headline: tuple[str, ...]
    first: Annotated[tuple[HeadlineRow, ...], Json("headline_values")]
    decider: Annotated[
        Decider,
        Json(
            write=lambda rule: {"id": rule.measure.name, "because": rule.words},
            schema=record(id=TEXT, because=TEXT),
        ),
    ]
    others_report: tuple[str, ...]
    weighing: Annotated[Weighing, HIDDEN]
    shifts: tuple[Shift, ...]
    sweep: Sweep | None
    classes: tuple[ClassReport, ...]
    slices: Annotated[tuple[SliceReport, ...], HIDDEN]
    #: What was taken for granted of the test set, where intervals rest on it.
    assumed: Annotated[str | None, HIDDEN]
    #: What a reader should know before the figures.
    warned: Annotated[tuple[str, ...], HIDDEN]
    #: Which slices are worse than the rest, and how many cannot be judged.
    of_slices: Annotated[tuple[str, ...], HIDDEN]
    #: What was asked for.
    options: Annotated[Options, HIDDEN]
    #: Of what is warned of: how the labels that are judged came about.
    labels_come_from: Annotated[tuple[str, ...], HIDDEN] = ()
    intervals: Annotated[Intervals | None, HIDDEN] = None
    ranking: RankingReport | None = None
    #: Rows without an answer, where the classifier abstains.
    abstention: Abstention | None = None
    #: What the decisions cost, if costs were given.
    costs: CostReport | None = None
    #: The ranges of metrics if labels are wrong, if that was asked.
    label_errors: LabelErrors | None = None
    #: The strata of the sample that was labelled, where the rows are one.
    strata: tuple[LabelledStratum, ...] | None = None
    #: What the matrix was estimated from, where its rows were not all labelled rightly.
    sample: Annotated[Strata | CorrectedLabels | None, HIDDEN] = None
    #: What holds where nobody labels, if unlabelled data were given.
    production: ProductionReport | None = None

    # Computed when it is first read: of 20 million rows it takes a sixth of the time, and a terminal does not
    # show it.
    @cached_property
    @in_json()
    def risk_coverage(self) -> RiskCoverage | None:
        """What abstaining would bring, by the probabilities of two classes."""
        if self.ranking is None:
            return None
        from steelyard.judgement.evaluate.abstention import risk_coverage

        choice = self.ranking.choice
        return risk_coverage(self.ranking.scores, None if choice is None else choice.threshold)

    @property
    @in_json()
    def label_rates(self) -> tuple[LabelRate, ...] | None:
        """How often labels are right, where the metrics were corrected for their errors."""
        return getattr(self.sample, "rates", None)

    @property
    @in_json()
    def notes(self) -> tuple[str, ...]:
        """All that is said beside the figures."""
        return (*([self.assumed] if self.assumed else []), *self.warned, *self.of_slices)

    @property
    @in_json()
    def findings(self) -> tuple[Finding, ...]:
        """What was found, why it matters and what to do next; the most harmful first."""
        ordered: tuple[Finding, ...] = self._beside("findings").find(self)
        return ordered

    @property
    @in_json()
    def matrix(self) -> Matrix:
        return self.counted.matrix

    @property
    @in_json()
    def positive(self) -> Annotated[PositiveChoice | None, POSITIVE]:
        return self.weighing.positive

    @property
    def positive_label(self) -> Label | None:
        return None if self.positive is None else self.positive.label

    @property
    @in_json()
    def priors(self) -> Annotated[Any, PRIORS]:
        return self.weighing.priors

    @property
    @in_json()
    def relevance(self) -> Annotated[Relevance | None, RELEVANCE]:
        return self.weighing.relevance

    steelyard = derived(str, lambda self: __version__)
    source_in_json = derived(Source, lambda self: Source.of(self.source, self.counted), "source")

    @property
    @in_json()
    def constant(self) -> Constant:
        """The best constant prediction."""
        return best_constant(self.matrix)

    @property
    @in_json()
    def measures(self) -> tuple[MeasureInJson, ...]:
        """Every metric of the matrix with its confidence interval."""
        return tuple(
            MeasureInJson(**vars(row), interval=self.interval_of(row.measure.name))
            for row in self.weighing.rows
        )

    @property
    @in_json()
    def interval_settings(self) -> dict[str, Any] | None:
        return None if self.intervals is None else dict(self.intervals.settings)

    slices_in_json = derived(
        Slices, lambda self: Slices(tuple(self.counted.slice_columns), self.slices), "slices"
    )

    def __getitem__(self, name: str | Measure) -> float:
        """The value of a measure by any of its names: `result["gmean"]`, `result["f_beta(beta=2)"]`."""
        metric, by_name = look_up(name), self._values()
        if metric.name in by_name:
            return by_name[metric.name]
        if metric.kind == "scores":
            raise InputError(
                f"{metric.name} needs scores", found="labels alone", do=f"pass {parameter('score', '...')}"
            )
        return float(metric(self.matrix, positive=self.positive_label))

    def __contains__(self, name: object) -> bool:
        return name in self._values()

    def __iter__(self) -> Iterator[str]:
        """The names of the measures that were evaluated."""
        return iter(self._values())

    def _values(self) -> dict[str, float]:
        """By name, of labels and of scores."""
        values = {row.measure.name: row.value for row in self.weighing.rows}
        if self.ranking is not None:
            alone = self.ranking.classes[0].measures if len(self.ranking.classes) == 1 else ()
            values |= {row.measure.name: row.value for row in (*self.ranking.measures, *alone)}
        return values

    def metrics(self, prefix: str = "", *, intervals: bool = False) -> dict[str, float]:
        """Every value that is defined, flat and by name, as trackers of experiments take them.

        With `intervals` the ends stand beside each value, as in `gmean_low` and `gmean_high`.
        """
        by_name = self._values()
        if intervals:
            for name in list(by_name):
                if (ends := self.interval_of(name)) is not None:
                    by_name |= {f"{name}_low": ends.low, f"{name}_high": ends.high}
        return {f"{prefix}{name}": float(value) for name, value in by_name.items() if math.isfinite(value)}

    def interval_of(self, name: str) -> Interval | None:
        """The interval of a measure, where intervals were found and it has one."""
        interval = None if self.intervals is None else self.intervals.by_name.get(name)
        return None if interval is None or math.isnan(interval.low) else interval

    @property
    def level_text(self) -> str:
        """The head of a column of intervals, such as "95% CI"; empty where there are none."""
        return "" if self.intervals is None else f"{100 * self.intervals.settings['level']:g}% CI"

    def interval_text(self, name: str) -> str:
        """The ends of a measure's interval; empty where it has none."""
        ends = self.interval_of(name)
        return "" if ends is None else between(ends.low, ends.high)

    def table(self) -> list[dict[str, Any]]:
        """Every measure as a row of plain data."""
        rows = []
        for row in self.weighing.rows:
            interval = self.interval_of(row.measure.name)
            low, high = (None, None) if interval is None else (interval.low, interval.high)
            rows.append({**row.plain_row(), "low": low, "high": high})
        return rows

    def figure(self, name: str) -> Chart:
        """A chart: "matrix", "metrics", "priors"; with scores also "roc", "precision_recall",
        "threshold", "calibration", "cost" and "risk_coverage"."""
        if name == "scale":
            warn('the figure "scale" is called "metrics" now', DeprecationWarning)
            name = "metrics"
        if name in NEEDED and name not in self.charts():
            lacks, allowed = NEEDED[name]
            raise InputError(f"the figure {name!r} cannot be drawn", found=lacks, allowed=allowed)
        return super().figure(name)


# What charts need that not every evaluation has: what was found in its place, and what is allowed.
_OF_SCORES = ("no scores, or none with such a curve", "scores of a positive class and of others")
NEEDED = {
    "priors": ("a class without examples, or too many classes", "examples of every class"),
    **dict.fromkeys(("roc", "precision_recall", "threshold", "calibration"), _OF_SCORES),
    **dict.fromkeys(("cost", "risk_coverage"), _OF_SCORES),
}


def json_schema() -> Schema:
    """The JSON schema of `steelyard evaluate --json`."""
    return document(Evaluation, "Evaluation of one classifier on one test set")
