"""What is said about one classifier on one test set?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from steelyard._version import __version__
from steelyard.counts.confusion import Confusion
from steelyard.counts.plain import number_or_none
from steelyard.counts.positive import PositiveChoice
from steelyard.errors import InputError
from steelyard.judgement.baselines import best_constant
from steelyard.judgement.evaluate.classes import ClassReport
from steelyard.judgement.evaluate.composition import TestSet
from steelyard.judgement.evaluate.costs import CostReport
from steelyard.judgement.evaluate.headline import HeadlineRow
from steelyard.judgement.evaluate.production import ProductionReport
from steelyard.judgement.evaluate.proportions import Shift, Sweep
from steelyard.judgement.evaluate.slices import SliceReport
from steelyard.judgement.rules import Decider
from steelyard.judgement.weighing import Weighing
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.relevance import Relevance
from steelyard.reading.groups import ModelCounts
from steelyard.report.presented import Presented
from steelyard.report.sections import Report
from steelyard.scores.ranking_result import RankingReport
from steelyard.uncertainty.intervals import Interval, Intervals

SCHEMA = "steelyard/evaluate/1"


@dataclass(frozen=True, repr=False)
class Evaluation(Presented):
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

    source: str
    counted: ModelCounts
    test_set: TestSet
    headline: tuple[str, ...]
    """What is shown first: the measure that decides, then what people know and expect."""
    first: tuple[HeadlineRow, ...]
    decider: Decider
    others_report: tuple[str, ...]
    weighing: Weighing
    shifts: tuple[Shift, ...]
    sweep: Sweep | None
    classes: tuple[ClassReport, ...]
    slices: tuple[SliceReport, ...]
    assumed: str | None
    """What was taken for granted of the test set, where intervals rest on it."""
    warned: tuple[str, ...]
    """What a reader should know before the figures."""
    of_slices: tuple[str, ...]
    """Which slices are worse than the rest, and how many cannot be judged."""
    labels_come_from: tuple[str, ...] = ()
    """Of what is warned of: how the labels that are judged came about."""
    intervals: Intervals | None = None
    ranking: RankingReport | None = None
    costs: CostReport | None = None
    """What the decisions cost, if costs were given."""
    production: ProductionReport | None = None
    """What holds where nobody labels, if unlabelled data were given."""

    @property
    def notes(self) -> tuple[str, ...]:
        """All that is said beside the figures."""
        return (*([self.assumed] if self.assumed else []), *self.warned, *self.of_slices)

    @property
    def matrix(self) -> Confusion:
        return self.counted.matrix

    @property
    def positive(self) -> PositiveChoice | None:
        return self.weighing.positive

    @property
    def relevance(self) -> Relevance | None:
        return self.weighing.relevance

    def to_dict(self) -> dict[str, Any]:
        """Plain data as described by `steelyard evaluate --json-schema`; undefined values are None with a
        reason."""
        weighed = self.weighing.to_dict()
        return {
            "schema": SCHEMA,
            "steelyard": __version__,
            "source": {
                "name": self.source,
                "rows": self.counted.rows,
                "missing_left_out": self.counted.missing,
                "truth": self.counted.truth,
                "pred": self.counted.pred,
                "unused_columns": list(self.counted.unused),
            },
            "test_set": self.test_set.to_dict(),
            "matrix": weighed["matrix"],
            "positive": weighed["positive"],
            "priors": weighed["priors"],
            "relevance": weighed["relevance"],
            "headline": list(self.headline),
            "headline_values": [row.to_dict() for row in self.first],
            "decider": {"id": self.decider.measure.name, "because": self.decider.words},
            "constant": best_constant(self.matrix).to_dict(),
            "others_report": list(self.others_report),
            "shifts": [shift.to_dict() for shift in self.shifts],
            "classes": [row.to_dict() for row in self.classes],
            "measures": [{**row, "interval": self._interval(row["id"])} for row in weighed["measures"]],
            "interval_settings": None if self.intervals is None else dict(self.intervals.settings),
            "slices": {
                "columns": list(self.counted.slice_columns),
                "rows": [part.to_dict() for part in self.slices],
            },
            "sweep": None if self.sweep is None else self.sweep.to_dict(),
            "ranking": None if self.ranking is None else self.ranking.to_dict(),
            "costs": None if self.costs is None else self.costs.to_dict(),
            "production": None if self.production is None else self.production.to_dict(),
            "notes": list(self.notes),
        }

    def report(self) -> Report:
        from steelyard.judgement.evaluate.sections import evaluation_report

        return evaluation_report(self)

    def __getitem__(self, name: str | Measure) -> float:
        """The value of a measure by any of its names: `result["gmean"]`, `result["f_beta(beta=2)"]`."""
        asked, found = look_up(name), self._values()
        if asked.name in found:
            return found[asked.name]
        if asked.kind == "scores":
            raise InputError(f"{asked.name} needs scores", found="labels alone", do="pass score=...")
        return float(asked(self.matrix, positive=None if self.positive is None else self.positive.label))

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
        found = self._values()
        if intervals:
            for name in list(found):
                if (ends := self.interval_of(name)) is not None:
                    found |= {f"{name}_low": ends.low, f"{name}_high": ends.high}
        return {f"{prefix}{name}": float(value) for name, value in found.items() if math.isfinite(value)}

    def interval_of(self, name: str) -> Interval | None:
        """The interval of a measure, where intervals were found and it has one."""
        found = None if self.intervals is None else self.intervals.by_name.get(name)
        return None if found is None or math.isnan(found.low) else found

    def _interval(self, name: str) -> dict[str, Any] | None:
        found = self.interval_of(name)
        if found is None:
            return None
        return {
            "low": number_or_none(found.low),
            "high": number_or_none(found.high),
            "level": found.level,
            "method": found.method,
            "note": found.note,
        }

    def table(self) -> list[dict[str, Any]]:
        """Every measure as a row of plain data."""
        rows = []
        for row in self.weighing.rows:
            found = self.interval_of(row.measure.name)
            rows.append(
                {
                    **row.plain_row(),
                    "low": None if found is None else found.low,
                    "high": None if found is None else found.high,
                }
            )
        return rows

    def plot(self, kind: str = "priors") -> Any:
        """A Matplotlib figure: "matrix", "classes", "scale", "priors"; with scores also "roc",
        "precision_recall", "threshold", "gain" and "cost" (the cost curve)."""
        from steelyard.judgement.evaluate.plots import plot

        return plot(self, kind)
