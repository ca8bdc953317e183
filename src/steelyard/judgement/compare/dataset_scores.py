"""Scores of models on many data sets: metrics of scores, and the standard errors of their differences."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label, is_missing
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.scored_classes import rows_of_positive
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare.options import Options
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.reading.column_names import find_column, truth_among
from steelyard.reading.table import Column, Table
from steelyard.scores.delong import area_covariance

Array = NDArray[Any]
USUAL = ("roc_auc", "average_precision")
OF_PROBABILITIES = ("brier", "log_loss")


@dataclass
class ScoredTest:
    """True classes and scores of one test of several models: one seed, all folds together."""

    positive: Array
    """Which rows are of the positive class."""
    scores: dict[str, Array] = field(default_factory=dict)
    """By model; a model without any score on this data set is missing."""

    def value(self, model: str, measure: Measure) -> float:
        if model not in self.scores or self.positive.all() or not self.positive.any():
            return float("nan")
        counts = ScoreCounts.from_scores(self.positive, self.scores[model], positive=True)
        return float(measure(counts, positive=True))

    def errors(self, models: Sequence[str], measure: Measure) -> Array | None:
        """Standard errors of the differences of every two models, paired row by row: DeLong's of the area,
        those of a mean for Brier score and log loss; None for other metrics, or if a model is missing."""
        if any(model not in self.scores for model in models):
            return None
        columns, mine = [self.scores[model] for model in models], self.positive
        rarest = int(min(mine.sum(), (~mine).sum()))
        if rarest < 2:
            return None
        if measure.id == "roc_auc":
            _, covariance = area_covariance([(column[mine], column[~mine]) for column in columns])
        elif measure.id in OF_PROBABILITIES:
            each = np.stack(columns)
            own = np.where(mine, each, 1 - each)
            loss = (1 - own) ** 2 if measure.id == "brier" else -np.log(np.maximum(own, 1e-15))
            covariance = np.cov(loss) / len(mine)
        else:
            return None
        variances = np.array(
            [
                covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
                for a, b in itertools.combinations(range(len(models)), 2)
            ]
        )
        # Models that rank every row alike are not known to be equal: one row of the rarer class more.
        least = 1 / (2 * rarest) if measure.id == "roc_auc" else 1e-6
        return np.asarray(np.sqrt(np.maximum(variances, least**2)))


def read_scored_tests(
    table: Table, models: Mapping[str, str], options: Options, dataset: str | None, seed: str | None
) -> tuple[dict[tuple[str, str], ScoredTest], int]:
    """The tests of each data set and seed in one table, and how many rows were left out."""
    truth = truth_among(table.names, options.y_true, [*models.values(), *filter(None, (dataset, seed))])
    keys = [name for name in (dataset, seed) if name is not None]
    for column in (*keys, truth, *models.values()):
        find_column(column, table.names, "column", "")
    # Every engine answers groups; rows with the same class and scores come with their number.
    *columns, times = zip(
        *table.groups([Column(name) for name in (*keys, truth, *models.values())]), strict=True
    )
    repeated = np.repeat(np.arange(len(times)), np.array(times, dtype=np.int64))
    labels = [[column[k] for k in repeated] for column in columns[: len(keys) + 1]]
    numbers = [
        np.array([number_of(value, name) for value in column])[repeated]
        for name, column in zip(models.values(), columns[len(keys) + 1 :], strict=True)
    ]
    places: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for place, key in enumerate(zip(*labels[:-1], strict=True) if keys else [()] * len(labels[-1])):
        if any(map(is_missing, key)):
            raise InputError(
                f"column {keys[0]!r} has missing values",
                found=f"row {place + 1}",
                allowed="a value in every row",
            )
        places[key].append(place)
    tests: dict[tuple[str, str], ScoredTest] = {}
    left_out = 0
    for key, rows in places.items():
        own = np.array(rows)
        classes = np.array(labels[-1], dtype=object)[own]
        present = {
            m: column[own]
            for m, column in zip(models, numbers, strict=True)
            if not np.isnan(column[own]).all()
        }
        lacking = np.logical_or.reduce(
            [[is_missing(one) for one in classes], *map(np.isnan, present.values())]
        )
        if lacking.any() and options.missing != "drop":
            raise InputError(
                f"data set {key[0] if key else table.names[0]!r} lacks labels or scores",
                found=f"{int(lacking.sum()):,} rows without one",
                allowed="a label, and a score of every model that has any on the data set",
                do=f"leave those rows out for all models with {parameter('missing', 'drop')}",
            )
        left_out += int(lacking.sum())
        names = [str(one) for one in key] + [""] * (2 - len(key))
        label = positive_of(classes[~lacking], options.positive)
        tests[names[0] if dataset else "", names[-1] if seed else ""] = ScoredTest(
            rows_of_positive(classes[~lacking], label), {m: column[~lacking] for m, column in present.items()}
        )
    return tests, left_out


def number_of(value: Any, column: str = "") -> float:
    """A score; NaN where it is missing."""
    try:
        return float("nan") if is_missing(value) else float(value)
    except (TypeError, ValueError) as error:
        raise InputError(
            "a score is not a number",
            found=repr(value) + (f" in column {column!r}" if column else ""),
            allowed="numbers",
        ) from error


def positive_of(classes: Array, positive: Label | None) -> Label:
    """The positive class of a data set: the one that was named, or the usual one of two."""
    return ScoreCounts.from_scores(classes.tolist(), np.zeros(len(classes)), positive).positive_class().label


def score_measures(options: Options, probabilities: bool) -> tuple[Measure, list[Measure]]:
    """The primary metric, and all metrics with it first; refuses metrics of labels."""
    names = options.measures
    if names is None:
        names = (*USUAL, *(OF_PROBABILITIES if probabilities else ()))
    named = [names] if isinstance(names, (str, Measure)) else list(names)
    primary = look_up("roc_auc" if options.by is None else options.by)
    chosen = {m.name: m for m in (primary, *map(look_up, named))}
    for m in chosen.values():
        if m.kind != "scores" or m.better == "neither":
            raise InputError(
                f"{m.name} is not a metric of scores",
                found=f"{parameter('scores')} with it",
                allowed=f"metrics of scores such as {', '.join((*USUAL, *OF_PROBABILITIES))}",
                do=f"name another metric, or give predictions with {parameter('pred')}",
            )
    return primary, list(chosen.values())
