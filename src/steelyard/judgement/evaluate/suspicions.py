"""Suspicious input: what would be evaluated without complaint and was hardly meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.errors import InputError
from steelyard.report.numbers import shown

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.given import Given

ROWS_TO_DOUBT = 30
"""A perfect result of fewer rows is no news."""
_PRINTED = 0.0051
"""How far proportions that were printed with two decimals may be from adding up to 1."""
_CLEARLY = 4.0
"""Standard errors by which another order of the score columns must do better."""


def refuse_proportions(matrix: Confusion) -> None:
    """Refuse a matrix whose rows, columns or cells add up to 1: it holds rates, and no interval knows how
    many examples they are of."""
    counts = matrix.counts
    if counts.dtype.kind != "f" or matrix.batch_shape or np.all(counts == np.rint(counts)):
        return
    slack = _PRINTED * matrix.n_classes
    sums = {"rows": matrix.actual, "columns": matrix.predicted, "cells": np.atleast_1d(matrix.total)}
    for what, totals in sums.items():
        if np.all(np.abs(totals - 1) <= slack):
            raise InputError(
                "the matrix holds proportions, not counts",
                found=f"{what} that add up to 1",
                allowed="a count in every cell",
                do="give counts: multiply each row by the size of its class"
                if what == "rows"
                else "give counts, or multiply by the class sizes",
            )


def suspicious_input(given: Given) -> tuple[str, ...]:
    """Sentences about what looks like a mistake, each with what to do."""
    matrix = given.matrix
    notes = [*_copied(given), *_threshold_elsewhere(given), *_exchanged_columns(given)]
    return tuple(notes) if matrix.n_classes > 1 else ()


def _copied(given: Given) -> list[str]:
    """Predictions that are the truth in every row."""
    counted = given.counted
    if counted.matrix.hits.sum() < counted.matrix.total or counted.rows < ROWS_TO_DOUBT:
        return []
    if given.labels_from_scores or given.source == "a confusion matrix":
        return []
    return [
        (
            f"All {counted.rows - counted.missing:,} predictions equal the truth: check that column"
            f" {counted.pred!r} was predicted and is no copy of {counted.truth!r}."
        )
    ]


def _threshold_elsewhere(given: Given) -> list[str]:
    """A threshold on another scale than the scores: none or all of them reach it, or they are percentages."""
    choice, scores = given.threshold, given.scores
    if choice is None or scores is None or choice.how != "given":
        return []
    ends = [float(ties.scores[end]) for ties in scores.columns[0] if len(ties.scores) for end in (0, -1)]
    low, high, threshold = min(ends), max(ends), choice.threshold
    if threshold > high:
        percent = (
            f" If it is a percentage, use {shown(threshold / 100)}."
            if 1 < threshold <= 100 and high <= 1
            else ""
        )
        return [f"No score reaches the threshold {threshold:g}: the largest is {high:g}.{percent}"]
    if 0 < threshold < 1 < high <= 100 and low >= 0:
        where = f"from {low:g} to {high:g}, and the threshold {threshold:g} is below 1"
        return [f"Scores range {where}: if they are percentages, use {100 * threshold:g}."]
    if threshold <= low:
        return [f"Every score reaches the threshold {threshold:g}: the smallest is {low:g}."]
    return []


def _exchanged_columns(given: Given) -> list[str]:
    """A column of scores for each class, of which another order would be right far more often."""
    matrix = given.matrix
    if given.scores is None or not given.labels_from_scores or len(given.scores.columns) < 2:
        return []
    from scipy.optimize import linear_sum_assignment

    counts = np.asarray(matrix.counts, dtype=float)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    best, now = counts[rows, columns].sum(), np.trace(counts)
    if best - now <= _CLEARLY * np.sqrt(best + now):
        return []
    # predicted column j belongs to the class whose rows have their largest score there
    order = [matrix.labels[row] for row in np.argsort(columns)]
    if sorted(map(str, order)) != sorted(map(str, matrix.labels)):
        return []
    names = json.dumps([label if isinstance(label, (str, int)) else str(label) for label in order])
    taken, better = (", ".join(map(str, labels)) for labels in (matrix.labels, order))
    said = (
        f"The columns of scores look exchanged: taken as {taken} they are right in {now:,.0f} of"
        f" {matrix.total:,.0f} rows, as {better} in {best:,.0f}. Name the classes in column order:"
        f" labels={names}."
    )
    return [said]
