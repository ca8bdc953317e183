"""Confidence intervals of an evaluation: of every metric, and of each class."""

# One model of the data serves both: rows without weights by their counts, rows with weights by their
# effective size, and groups of dependent rows by the cluster bootstrap.

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from steelyard.counts.joint import MOST_EXAMPLES
from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.inputs import EvaluationInput
from steelyard.judgement.evaluate.options import Options
from steelyard.judgement.waiting import interval_seconds, warn_of_waiting
from steelyard.measures.catalogue import catalogue, measure
from steelyard.measures.measure import Measure
from steelyard.uncertainty.intervals import Interval, Intervals, Method
from steelyard.uncertainty.intervals import interval as find_intervals
from steelyard.uncertainty.resampling import WHAT_A_DESIGN_MEANS, Simulation, design_in_use, draws_in_use

# Above this, a thousand drawn matrices of all measures take longer than a reader waits unasked.
MOST_CLASSES_WITH_INTERVALS = 70


# A terminal shows 6 of 56 metrics; the intervals of the others took a seventh of a short command.
class IntervalsWhenRead(Mapping[str, Interval]):
    """Intervals that are found when one is read: those that are shown first together, then all others."""

    def __init__(
        self,
        find: Callable[[Sequence[Measure]], Mapping[str, Interval]],
        measures: Sequence[Measure],
        first: Collection[str],
    ) -> None:
        self._find, self._measures, self._first = find, {m.name: m for m in measures}, first
        self._found: dict[str, Interval] = {}

    def __getitem__(self, name: str) -> Interval:
        if name not in self._found and name in self._measures:
            is_first = name in self._first
            together = [m for m in self._measures.values() if (m.name in self._first) == is_first]
            self._found |= self._find(together)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


@dataclass(frozen=True)
class IntervalFinder:
    """The interval method that fits the input: counts, weighted rows, clusters or strata."""

    inputs: EvaluationInput
    options: Options
    positive: Label | None

    @property
    def drawing(self) -> dict[str, Any]:
        """How test sets are simulated: the same for the headline, the classes and the slices."""
        return {
            "level": self.options.level,
            "draws": draws_in_use(self.options.draws, self.inputs.matrix.n_classes),
            "seed": self.options.seed,
            "design": self.options.design,
            "undefined": self.options.undefined,
        }

    def why_not(self) -> str | None:
        """Why there are no intervals; None where there are some, no words where none were asked for."""
        if self.options.interval in (None, "none"):
            return ""
        counts, is_auto = self.inputs.matrix.counts, self.options.interval == "auto"
        fractions = counts.dtype.kind == "f" and bool(((counts % 1 != 0) | (counts >= MOST_EXAMPLES)).any())
        if is_auto and self.inputs.matrix.n_classes > MOST_CLASSES_WITH_INTERVALS:
            return (
                f"Intervals are left out: with {self.inputs.matrix.n_classes:,} classes they take long; "
                "ask for them with interval 'posterior'."
            )
        inputs = self.inputs
        counted = inputs.units is not None or inputs.weighted is not None or inputs.strata is not None
        if is_auto and fractions and not counted:
            return "Intervals are left out: sums of weights do not say how many examples there are."
        return None

    # Those named first are shown first.
    def of_everything(self, decides: Measure | None, first: Sequence[str]) -> tuple[Intervals | None, str]:
        """The intervals of every measure with what they assume, or none with the reason why."""
        why = self.why_not()
        if why is not None:
            return None, why
        chosen = [m for m in catalogue() if self.positive is not None or m.kind == "multi-class"]
        if decides is not None and decides.name not in {m.name for m in chosen}:
            chosen.append(decides)
        drawing, inputs = self.drawing, self.inputs
        settings = {name: value for name, value in drawing.items() if name != "undefined"}
        if inputs.units is None and inputs.weighted is None and inputs.strata is None:
            classes = self.inputs.matrix.n_classes
            seconds = interval_seconds(classes, drawing["draws"], len(chosen))
            warn_of_waiting(
                seconds, f"finding intervals with {classes:,} classes", "interval=None needs none"
            )
            settings |= {"design": design_in_use(self.options.design), "assumed": self.assumed}
            settings |= {"prior": "shared", "positive": None if self.positive is None else str(self.positive)}
            shown = {*first, *([] if decides is None else [decides.name])}
            by_name = IntervalsWhenRead(partial(self.of, positive=self.positive), chosen, shown)
            return Intervals(by_name, settings), self.assumed
        from steelyard.uncertainty.cluster_bootstrap import MOST_DRAWS
        from steelyard.uncertainty.stratified_sample import MOST_DRAWS as MOST_STRATIFIED_DRAWS

        if inputs.units is not None:
            settings |= {"draws": min(drawing["draws"], MOST_DRAWS), "design": "sample"}
        if inputs.strata is not None:
            settings["draws"] = min(drawing["draws"], 2 * MOST_STRATIFIED_DRAWS)
        prior = "shared" if inputs.weighted is not None else None
        settings |= {"assumed": self.assumed, "prior": prior}
        return Intervals(self.of(chosen, self.positive), settings), self.assumed

    def of_class(self, label: Label, known: Intervals) -> Mapping[str, Interval]:
        """The intervals of recall and precision of one class; those of the positive one of two are known."""
        if label == self.positive and self.inputs.matrix.n_classes == 2 and self.options.undefined == "nan":
            return {name: known[name] for name in ("recall", "precision")}
        without_fill = replace(self, options=replace(self.options, undefined="nan"))
        return without_fill.of([measure("recall"), measure("precision")], label)

    @property
    def assumed(self) -> str:
        """What the intervals take for granted."""
        units = self.inputs.units
        if units is not None:
            number = len(units.matrices)
            why = "rows of one group" if units.what == "groups" else "rows that follow each other"
            if number == 1:
                unit = units.what.removesuffix("s")
                return (
                    f"All rows are one {unit}: how {units.what} differ is unknown, and the intervals are a"
                    " guess."
                )
            blocks = units.what
            if blocks == "blocks":
                length = math.ceil(self.inputs.counted.rows / number)
                if length == 1 and not units.correlated():
                    return (
                        "Neighbouring rows are not significantly correlated: rows are resampled one by one."
                    )
                blocks = f"blocks of {length:,} row{'' if length == 1 else 's'}"
            remain = (
                f" Neighbouring blocks are still correlated ({units.neighbour_correlation():.2f}), so the"
                " intervals are too narrow: choose longer blocks, or auto."
                if units.what == "blocks" and units.correlated()
                else ""
            )
            drawn = f"Intervals come from resampling the {number:,} {blocks}"
            return f"{drawn}: {why} are not independent.{remain}"
        if self.inputs.strata is not None:
            return self.inputs.strata.assumed
        meant = WHAT_A_DESIGN_MEANS[design_in_use(self.drawing["design"])]
        if self.inputs.weighted is None:
            return meant
        from steelyard.uncertainty.sample_weights import ASSUMED

        return f"{meant} {ASSUMED}"

    def of(self, measures: Sequence[Measure], positive: Label | None = None) -> Mapping[str, Interval]:
        """The intervals of some measures."""
        inputs, simulation = self.inputs, Simulation(positive=positive, **self.drawing)
        if inputs.units is not None:
            from steelyard.uncertainty.cluster_bootstrap import MOST_DRAWS, unit_intervals

            fewer = replace(simulation, draws=min(simulation.draws, MOST_DRAWS))
            intervals: Mapping[str, Interval] = unit_intervals(inputs.units, measures, fewer)
        elif inputs.strata is not None:
            intervals = inputs.strata.intervals(measures, positive=positive, **self.drawing)
        elif inputs.weighted is not None:
            from steelyard.uncertainty.sample_weights import weighted_intervals

            intervals = weighted_intervals(inputs.weighted, measures, simulation)
        else:
            how = self.options.interval
            method: Method = "auto" if how is None or how == "none" else how
            intervals = find_intervals(
                self.inputs.matrix, measures, method=method, positive=positive, **self.drawing
            )
        return self._on_new_rows(intervals, measures, positive)

    def _on_new_rows(
        self, intervals: Mapping[str, Interval], measures: Sequence[Measure], positive: Label | None
    ) -> Mapping[str, Interval]:
        """The intervals less what choosing the threshold on these very rows adds to the values."""
        choice = self.inputs.threshold
        if choice is None or not choice.is_optimistic or choice.best is None or choice.best.repeated is None:
            return intervals
        repeated = choice.best.repeated
        return {m.name: repeated.on_new_rows(intervals[m.name], m, positive) for m in measures}
