"""Review capacity: alerts that can be reviewed, as a share of the rows, and the days with more."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.judgement.threshold.options import Options
from steelyard.reading.counting import combinations, count_labels_of_scores
from steelyard.reading.score_counting import ScoreReading
from steelyard.report.records import HIDDEN, Record, derived
from steelyard.scores.requirements import JudgedRequirement, Requirement, requirement
from steelyard.scores.threshold_selection import AppliedThreshold, BestThreshold


@dataclass(frozen=True)
class Budget(Record):
    """Review capacity for each value of a column, and how many alerts there are."""

    most: float
    column: str
    #: Of each value of the column.
    alerts: Annotated[tuple[float, ...], HIDDEN]

    values = derived(int, lambda self: len(self.alerts))
    mean = derived(float, lambda self: float(np.mean(self.alerts)))
    largest = derived(float, lambda self: max(self.alerts))

    @property
    def is_kept(self) -> bool:
        """Is it kept on average, which is what a threshold can promise?"""
        # One threshold serves busy and quiet days: it can hold the mean, not every single day.
        return bool(self.mean <= self.most + 1e-12)

    #: For how many values there are more.
    over = derived(int, lambda self: sum(1 for alerts in self.alerts if alerts > self.most))

    @property
    def words(self) -> str:
        each = f"{self.mean:.4g} alerts per {self.column} on average"
        if not self.over:
            return f"{each}, never more than {self.largest:g}"
        return (
            f"{each}; more than {self.most:g} on {self.over:,} of {self.values:,} values of {self.column},"
            f" {self.largest:g} at most: the capacity"
            f" {'suffices on average, not always' if self.is_kept else 'is exceeded'}"
        )


def reading_of(options: Options) -> ScoreReading:
    """How scores are read."""
    return ScoreReading(options.engine, options.spark_master, options.tolerance, options.exact)


def requirements(options: Options, source: Any, rows: int) -> list[Requirement]:
    """What must be kept, from the options."""
    wanted = [requirement(text) for text in options.require]
    if options.alerts is not None:
        wanted.append(requirement(f"alerts<={options.alerts}"))
        if not 0 < wanted[-1].bound <= 1:
            raise InputError(
                "the share of alerts cannot be used",
                found=repr(str(options.alerts)),
                allowed="more than 0% and at most 100%",
            )
    if options.budget is not None:
        many, unit = _parsed_budget(options.budget)
        if unit.isdigit() and int(unit):
            share, each = many / int(unit), f"in {float(unit):,.0f} rows"
        else:
            # So many alerts a day times the days, as a share of all rows: a requirement on the alert rate.
            days = _values_of(unit, source, reading_of(options))
            share, each = many * days / rows, f"per {unit} on average"
        if share > 1:
            raise InputError(
                "the budget is above the number of rows",
                found=f"{options.budget}, {share * rows:,.0f} alerts for {rows:,} rows",
                allowed="fewer alerts than rows",
                do="leave the budget out: every row can be reviewed",
            )
        words = f"at most {many:g} alerts {each} ({100 * share:.4g}% of the rows)"
        wanted.append(replace(requirement(f"alerts<={share!r}"), wording=words))
    return wanted


def _values_of(column: str, source: Any, reading: ScoreReading) -> int:
    """How many values a column has."""
    with reading.opened(source) as table:
        if column not in table.names:
            raise InputError(
                f"there is no column {column!r} to count alerts by",
                found=", ".join(table.names[:12]),
                do="name a column of FILE, or give a number of rows as in 50/10000",
            )
        return len(combinations(table, [column]))


def kept_budget(options: Options, source: Any, scores: ScoreCounts, best: BestThreshold) -> Budget | None:
    """The alerts for each value of the budget's column; None where there is no file with such a column."""
    if options.budget is None or not isinstance(source, (str, Path)):
        return None
    many, column = _parsed_budget(options.budget)
    if column.isdigit() or not math.isfinite(best.threshold):
        return None
    with reading_of(options).opened(str(source)) as table:
        if column not in table.names:
            return None
        labels = scores.positive_first(best.positive).labels
        how: dict[str, Any] = {"threshold": best.threshold, "name": "called", "missing": "drop"}
        named = {labels[0]: options.score}
        counted = count_labels_of_scores(table, options.truth, named, labels, slices=[column], **how)
    alerts = tuple(float(matrix.predicted[0]) for matrix in counted.slices.values())
    return Budget(many, column, alerts)


def judged_there(
    judged: JudgedRequirement, applied: AppliedThreshold, budget: Budget | None
) -> JudgedRequirement:
    """Is a requirement kept on held-out rows too?"""
    # They may have more or fewer rows for each value of a budget's column, so that is not judged by its share
    # of the first rows.
    required = judged.requirement
    value = float(required.measure(applied.matrix, positive=applied.chosen.positive))
    is_met = budget.is_kept if required.wording and budget is not None else bool(required.is_met(value))
    return replace(judged, held_out=value, kept_there=is_met)


def _parsed_budget(budget: str) -> tuple[float, str]:
    """'50/day' as 50 and the name after the stroke."""
    number, _, unit = (word.strip() for word in budget.partition("/"))
    try:
        many = float(number)
    except ValueError:
        many = -1.0
    if not many > 0 or not unit:
        raise InputError(
            "the budget is not understood",
            found=repr(budget),
            allowed="alerts for each value of a column or for so many rows, as in 50/day or 50/10000",
        )
    return many, unit
