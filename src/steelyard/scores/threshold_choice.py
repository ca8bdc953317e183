"""Choice of a threshold: given by the caller, by costs, or the one that maximises a metric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.measures.costs import (
    cheapest_threshold_of_probabilities,
    costs_for,
    expected_cost_of,
)
from steelyard.report.numbers import shown
from steelyard.report.records import Amount, Record, in_json
from steelyard.scores.score_options import BEST_COST, CHEAPEST, AskedScores, read_scores
from steelyard.scores.threshold_selection import BestThreshold, best_threshold
from steelyard.uncertainty.resampling import Design


@dataclass(frozen=True)
class ThresholdChoice(Record):
    """Where a score becomes a positive label, and who says so."""

    threshold: Amount
    how: str
    """"given", or "best:" and the measure that was made best."""
    words: str
    best: BestThreshold | None = None
    fitted_on: str | None = None
    """The rows it was chosen on, where they are others than those it is judged on."""

    @property
    @in_json("optimistic")
    def is_optimistic(self) -> bool:
        return self.best is not None and self.fitted_on is None

    @property
    def optimism_note(self) -> str:
        """That the rows which chose it also judge it, and what that is worth; empty where they are others."""
        if self.best is None or not self.is_optimistic:
            return ""
        by = self.best.optimism
        size = (
            ""
            if by is None or abs(by) < 0.0005
            else f", by about {shown(abs(by))} in {self.how.removeprefix('best:')}"
        )
        return (
            f"The threshold was chosen on the rows it is judged on: what is said here is optimistic{size}."
            " Choose it on other rows."
        )


def choose_threshold(
    asked: AskedScores,
    scores: ScoreCounts,
    *,
    truth: str | None = None,
    weight: Any = None,
    missing: str = "error",
    priors: Any = None,
    intervals: bool = True,
    level: float = 0.95,
    seed: int = 0,
    design: Design = "sample",
) -> ThresholdChoice | None:
    """The threshold asked for: a number, or the one that makes a measure best, on these rows or on others."""
    given = asked.threshold
    if given is None or asked.is_table:
        return None
    label = scores.positive_class().label
    if given == CHEAPEST:
        return _cheapest(asked, scores, label)
    if not isinstance(given, str) or not given.startswith("best:") or given.strip() == "best:":
        number = _as_number(given)
        return ThresholdChoice(
            number, "given", f"{label} is called at scores of at least {number:.6g}, as given"
        )
    fit, fitted_on = scores, None
    if asked.fit_on is not None:
        rows, scored = asked.fit_on if isinstance(asked.fit_on, tuple) else (asked.fit_on, asked.score)
        other = replace(asked, score=scored, fit_on=None)
        fit = read_scores(
            other, rows, truth, label, None, weight if isinstance(weight, str) else None, missing
        )
        fitted_on = str(rows) if isinstance(rows, (str, Path)) else "other rows"
    replicates = 200 if intervals and not fit.is_weighted else 0
    chosen = (
        expected_cost_of(costs_for(asked.costs, scores.labels))
        if given == BEST_COST
        else measure(given.removeprefix("best:").strip())
    )
    best = best_threshold(
        fit, chosen, priors=priors, replicates=replicates, level=level, seed=seed, design=design
    )
    where = "on these very rows" if fitted_on is None else f"on {fitted_on}"
    at = "" if priors is None else " at your priors"
    words = (
        f"{label} is called at scores of at least {best.threshold:.6g}, which makes {chosen.name} best{at}"
        f" {where}"
    )
    return ThresholdChoice(best.threshold, f"best:{chosen.name}", words, best, fitted_on)


def _cheapest(asked: AskedScores, scores: ScoreCounts, label: Label) -> ThresholdChoice:
    """From which probability on calling the class costs less than not calling it."""
    lowest, highest = (
        pick(float(ties.scores[end]) for column in scores.columns for ties in column if len(ties.scores))
        for pick, end in ((min, 0), (max, -1))
    )
    if lowest < 0 or highest > 1:
        raise InputError(
            "the cheapest label needs probabilities",
            found=f"scores from {lowest:g} to {highest:g}",
            allowed="numbers from 0 to 1",
            do='calibrate the scores, or say threshold="best:cost"',
        )
    number = cheapest_threshold_of_probabilities(costs_for(asked.costs, scores.labels), label)
    words = f"{label} is called at probabilities of at least {number:.6g}, from which on that costs less"
    return ThresholdChoice(number, CHEAPEST, words)


def _as_number(given: Any) -> float:
    try:
        if isinstance(given, (str, Real)) and not isinstance(given, bool):
            number = float(given)
            if number == number:
                return number
    except ValueError:
        pass
    raise InputError(
        "the threshold is not understood",
        found=repr(given),
        allowed="a number, or best: and a measure, as in best:gmean",
    )
