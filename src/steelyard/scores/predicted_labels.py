"""Predicted labels from scores: by a given or chosen threshold, or the class with the highest score."""
# Arrays, frames and files of scores are counted twice: as scores, for everything that is said of the ranking,
# and as the labels they stand for, for everything that is said of a matrix.

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

from steelyard.counts.labels import Label, meant
from steelyard.counts.libraries import frame_words, is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.measures.catalogue import measure
from steelyard.measures.costs import cheapest_threshold_of_probabilities, costs_for, expected_cost_of
from steelyard.measures.names import short_name
from steelyard.reading.column_names import columns_of_classes, find_column
from steelyard.reading.counting import count_labels_of_scores
from steelyard.reading.groups import ModelCounts
from steelyard.reading.rows import score_rows
from steelyard.report.numbers import shown
from steelyard.report.records import Amount, Record, derived
from steelyard.scores.score_options import BEST_COST, CHEAPEST, AskedScores, read_scores
from steelyard.scores.threshold_selection import BestThreshold, best_threshold
from steelyard.scores.threshold_sweep import matrix_at
from steelyard.uncertainty.resampling import Design


def count_labels(
    options: AskedScores,
    scores: ScoreCounts,
    choice: ThresholdChoice | None,
    data: Any,
    *,
    truth: str | None,
    weight: Any,
    slices: Any,
    missing: str,
) -> tuple[ModelCounts, str]:
    """The labels the scores stand for against the truth, and what the source is called."""
    names = scores.positive_first().labels if scores.positive is not None else scores.labels
    threshold = None if choice is None else choice.threshold
    if threshold is None and len(scores.columns) == 1:
        raise InputError(
            "scores alone give no predicted labels",
            found="no threshold",
            do=f"give {parameter('threshold', 0.5)} or {parameter('threshold', 'best:gmean')}",
        )
    name, costs = _label_source(options, threshold), None
    if options.is_table and options.threshold == CHEAPEST:
        costs = costs_for(options.costs, names).fixed
    how: dict[str, Any] = {"truth": truth, "weight": weight, "missing": missing}
    # Do the counted scores tell the matrix at this threshold, or does it lie inside a bin?
    starts = () if scores.starts is None else (*scores.starts, -math.inf, math.inf)
    inside = threshold is not None and len(starts) > 0 and threshold not in starts
    cut_here = weight is None and not len(slices) and missing == "error" and not inside
    if options.reading.reads(data):
        if costs is not None and options.reading.on_cluster(data):
            raise InputError(
                "the cheapest label of many classes is found on this machine",
                found="scores on a cluster",
                do=f"leave out {parameter('engine')}, or write the labels there",
            )
        with options.reading.opened(data) as table:
            columns = dict(columns_of_classes(table.names, options.score))
            if threshold is None:  # a column for each class, in the order of the classes
                named = zip(names, meant(names, columns), strict=True)
                columns = {label: columns[written] for label, written in named if written is not None}
            if threshold is not None and cut_here:  # no score is missing: there is no need to read them again
                rest = [column for column in table.names if column not in columns.values()]
                truth = find_column(truth, rest, "truth")
                unused = tuple(column for column in rest if column != truth)
                cut = matrix_at(scores, threshold)
                counted = ModelCounts.of_matrix(cut, truth=truth, pred=name, unused=unused)
            else:
                how["slices"] = [slices] if isinstance(slices, str) else slices
                counted = count_labels_of_scores(
                    table, columns=columns, labels=names, threshold=threshold, name=name, costs=costs, **how
                )
        return counted, str(data) if isinstance(data, (str, Path)) else frame_words(data)
    rows = score_rows(data, options.score, is_table=options.is_table, slices=slices, **how)
    called = frame_words(data) if is_frame(data) else "labels and scores in memory"
    return rows.called(names, threshold, name, costs), called


def without_used(counted: ModelCounts, options: AskedScores) -> ModelCounts:
    """The same counts, with the columns of scores no longer among the unused ones."""
    if not isinstance(options.score, (str, Mapping)) or not counted.unused:
        return counted
    used = set(options.names([*counted.unused]))
    return replace(counted, unused=tuple(column for column in counted.unused if column not in used))


def _label_source(options: AskedScores, threshold: float | None) -> str:
    if threshold is not None:
        return f"{options.score if isinstance(options.score, str) else 'score'} >= {threshold:.6g}"
    if options.threshold == CHEAPEST:
        return "the cheapest label"
    return f"the largest of {options.score}" if isinstance(options.score, str) else "the largest score"


@dataclass(frozen=True)
class ThresholdChoice(Record):
    """Where a score becomes a positive label, and who says so."""

    threshold: Amount
    # "given", or "best:" and the measure that was made best.
    how: str
    words: str
    best: BestThreshold | None = None
    # The rows it was chosen on, where they are others than those it is judged on.
    fitted_on: str | None = None

    is_optimistic = derived(bool, lambda self: self.best is not None and self.fitted_on is None, "optimistic")

    @property
    def optimism_note(self) -> str:
        """That the rows which chose it also judge it, and what that is worth; empty where they are others."""
        if self.best is None or not self.is_optimistic:
            return ""
        by, size = self.best.optimism, ""
        if by is not None and abs(by) >= 0.0005:
            # Chosen for production, the metric has priors of many digits in its name.
            name = short_name(self.best.measure).partition(" at priors ")[0]
            size = f" ({name} by about {shown(abs(by))})"
        if self.best.repeated is not None:
            size += "; confidence intervals on the test set are corrected for it"
        return (
            f"The threshold was chosen on the rows it is evaluated on, so these values are optimistic{size}."
            " Choose it on other rows (--fit-on)."
        )


def choose_threshold(
    options: AskedScores,
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
    requested = options.threshold
    if requested is None or options.is_table:
        return None
    label = scores.positive_class().label
    if requested == CHEAPEST:
        return _cheapest(options, scores, label)
    if not isinstance(requested, str) or not requested.startswith("best:") or requested.strip() == "best:":
        number = _as_number(requested)
        return ThresholdChoice(
            number, "given", f"{label} is predicted at scores of at least {number:.6g}, as given"
        )
    fit, fitted_on = scores, None
    if options.fit_on is not None:
        fit_on = options.fit_on
        rows, scored = fit_on if isinstance(fit_on, tuple) else (fit_on, options.score)
        other, weights = (
            replace(options, score=scored, fit_on=None),
            weight if isinstance(weight, str) else None,
        )
        fit = read_scores(other, rows, truth, label, None, weights, missing)
        fitted_on = str(rows) if isinstance(rows, (str, Path)) else "other rows"
    replicates = 200 if intervals and not fit.is_weighted else 0
    chosen = (
        expected_cost_of(costs_for(options.costs, scores.labels))
        if requested == BEST_COST
        else measure(requested.removeprefix("best:").strip())
    )
    best = best_threshold(
        fit, chosen, priors=priors, replicates=replicates, level=level, seed=seed, design=design
    )
    where = "on these very rows" if fitted_on is None else f"on {fitted_on}"
    at = "" if priors is None else " at your priors"
    words = f"{label} is predicted at scores of at least {best.threshold:.6g}, which makes"
    words += f" {short_name(chosen)} best{at} {where}"
    return ThresholdChoice(best.threshold, f"best:{chosen.name}", words, best, fitted_on)


def _cheapest(options: AskedScores, scores: ScoreCounts, label: Label) -> ThresholdChoice:
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
            do=f"calibrate the scores, or say {parameter('threshold', 'best:cost')}",
        )
    number = cheapest_threshold_of_probabilities(costs_for(options.costs, scores.labels), label)
    words = f"{label} is predicted at probabilities of at least {number:.6g}, from which on that costs less"
    return ThresholdChoice(number, CHEAPEST, words)


def _as_number(requested: Any) -> float:
    if isinstance(requested, (str, Real)) and not isinstance(requested, bool):
        with suppress(ValueError):
            number = float(requested)
            if number == number:
                return number
    raise InputError(
        "the threshold is not understood",
        found=repr(requested),
        allowed="a number, or best: and a metric, as in best:gmean",
    )
