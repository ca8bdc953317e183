"""How frequent is each class in data that nobody labelled, and can that be told at all?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard._version import __version__
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, meant
from steelyard.counts.libraries import frame_words, is_countable, is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, in_our_words
from steelyard.judgement.evaluate.given import Asked, read
from steelyard.reading.unlabelled import predicted_labels, scores_alone
from steelyard.report.presented import Presented
from steelyard.report.sections import Report
from steelyard.scores.mixture_proportions import Cells
from steelyard.scores.score_options import AskedScores, read_scores
from steelyard.scores.unlabelled_priors import (
    COUNTING,
    MATCHING,
    Estimate,
    Fit,
    by_counting,
    by_em,
    cells_of_scores,
    fit_of,
)
from steelyard.uncertainty.resampling import generator_of

SCHEMA = "steelyard/priors/1"
MISFIT = 0.01
"""Below this probability, label shift is said not to fit."""
FEW_LABELLED = 30
"""Fewer labelled examples of a class than this, and coverage of the intervals was not measured."""
MOST_CLASSES = 100


@dataclass(frozen=True, repr=False)
class Priors(Presented):
    """The class priors of unlabelled data, by every way that the data allow.

    >>> import steelyard as sy
    >>> labelled = ["fraud"] * 60 + ["ok"] * 940
    >>> predicted = ["fraud"] * 50 + ["ok"] * 10 + ["fraud"] * 30 + ["ok"] * 910
    >>> found = sy.estimate_priors(labelled, predicted, unlabelled=["fraud"] * 50 + ["ok"] * 950)
    >>> round(float(found.best.shares[0]), 4)  # (0.05 - 30/940) / (50/60 - 30/940)
    0.0226
    """

    labelled: str
    unlabelled: str
    labels: tuple[Label, ...]
    sizes: tuple[int, ...]
    """Labelled examples of each class."""
    rows: int
    """Unlabelled rows."""
    shares_predicted: tuple[float, ...] | None
    """The share of the unlabelled rows predicted as each class; None where scores were given."""
    estimates: tuple[Estimate, ...]
    fit: Fit
    level: float
    notes: tuple[str, ...]

    @property
    def best(self) -> Estimate:
        """Distribution matching where there are scores, adjusted counting where there are labels only."""
        wanted = (MATCHING, COUNTING)
        return min(
            (found for found in self.estimates if found.method in wanted),
            key=lambda found: wanted.index(found.method),
        )

    @property
    def fits(self) -> bool:
        """Does a mixture of the labelled classes explain the unlabelled rows?"""
        return self.fit.p_value >= MISFIT

    def by_label(self) -> dict[Label, float]:
        """The best estimate as priors, for whatever takes `priors=`."""
        return {label: float(share) for label, share in zip(self.labels, self.best.shares, strict=True)}

    def to_dict(self) -> dict[str, Any]:
        """Plain data as described by `steelyard priors --json-schema`."""
        return {
            "schema": SCHEMA,
            "steelyard": __version__,
            "labelled": {
                "name": self.labelled,
                "classes": [
                    {"label": label, "examples": size}
                    for label, size in zip(self.labels, self.sizes, strict=True)
                ],
            },
            "unlabelled": {
                "name": self.unlabelled,
                "rows": self.rows,
                "predicted": None if self.shares_predicted is None else list(self.shares_predicted),
            },
            "level": self.level,
            "best": self.best.method,
            "priors": {str(label): share for label, share in self.by_label().items()},
            "estimates": self.table(),
            "fit": {"p_value": self.fit.p_value, "cells": self.fit.cells, "fits": self.fits},
            "notes": list(self.notes),
        }

    def table(self) -> list[dict[str, Any]]:
        """A row for each way and class."""
        return [
            {
                "method": found.method,
                "label": label,
                "share": float(found.shares[k]),
                "low": float(found.low[k]),
                "high": float(found.high[k]),
                "simultaneous_low": float(found.low_of_all[k]),
                "simultaneous_high": float(found.high_of_all[k]),
            }
            for found in self.estimates
            for k, label in enumerate(self.labels)
        ]

    def report(self) -> Report:
        from steelyard.judgement.priors_sections import priors_report

        return priors_report(self)


@in_our_words
def estimate_priors(
    data: Any,
    y_pred: Any = None,
    *,
    unlabelled: Any,
    truth: str | None = None,
    pred: str | None = None,
    score: Any = None,
    positive: Label | None = None,
    missing: str = "error",
    level: float = 0.95,
    draws: int = 4000,
    seed: int = 0,
) -> Priors:
    """How frequent is each class in unlabelled data?

    `data` is labelled: a file, a frame, a matrix, or a column of true labels beside `y_pred` (predicted
    labels) or `score` (of the positive class, two classes). `unlabelled` is a file or a frame with the same
    columns of predictions or scores, or such a column. What is assumed is label shift: each class looks the
    same in both, only the shares differ; whether that can be is tested.

    Intervals know both uncertainties, of the labelled and of the unlabelled rows.

    >>> import steelyard as sy
    >>> found = sy.estimate_priors("a.parquet", unlabelled="b.parquet", truth="y", pred="yhat")
    >>> found.labels, found.best.method, found.fits
    (('fraud', 'ok'), 'adjusted counting', True)
    """
    if not 0 < level < 1:
        raise InputError("the level is not usable", found=f"{level!r}", allowed="more than 0 and less than 1")
    if draws < 100:
        raise InputError("there are too few draws", found=f"{draws!r}", allowed="at least 100")
    if score is not None and y_pred is not None:
        raise InputError(
            "priors are found from predictions or from scores", found="both", do="leave one of them out"
        )
    random = generator_of(seed)
    names = _called(data), _called(unlabelled)
    if score is None:
        asked = Asked(truth=truth, pred=pred, positive=positive, missing=missing)
        matrix = read(data, y_pred, asked).matrix
        seen = predicted_labels(unlabelled, pred, missing)
        cells, labels = cells_of_labels(matrix, seen)
        estimate, _ = by_counting(cells, level, draws, random)
        return Priors(
            labelled=names[0],
            unlabelled=names[1],
            labels=labels,
            sizes=tuple(int(n) for n in cells.labelled.sum(axis=1)),
            rows=int(cells.unlabelled.sum()),
            shares_predicted=tuple(cells.seen.tolist()),
            estimates=(estimate,),
            fit=(fit := fit_of(cells, random)),
            level=level,
            notes=_notes(cells, labels, fit),
        )
    scores, ties = labelled_and_unlabelled(data, score, unlabelled, truth, positive, missing)
    coarse, cells = cells_of_scores(scores, ties, 2)[0], cells_of_scores(scores, ties)[0]
    if cells.labelled.shape[1] < 2:
        raise InputError(
            "the scores do not tell the classes apart",
            found="one score in every labelled row",
            allowed="at least two different scores",
        )
    labels = scores.positive_first().labels
    estimates = [by_counting(coarse, level, draws, random)[0]] if coarse.labelled.shape[1] == 2 else []
    estimates.append(by_em(scores, ties, level, draws, random))
    if cells.labelled.shape[1] > 2 or len(estimates) == 1:
        estimates.append(by_counting(cells, level, draws, random)[0])
    return Priors(
        labelled=names[0],
        unlabelled=names[1],
        labels=labels,
        sizes=tuple(int(n) for n in cells.labelled.sum(axis=1)),
        rows=int(cells.unlabelled.sum()),
        shares_predicted=None,
        estimates=tuple(estimates),
        fit=(fit := fit_of(cells, random)),
        level=level,
        notes=_notes(cells, labels, fit),
    )


def cells_of_labels(matrix: Confusion, seen: dict[Label, int]) -> tuple[Cells, tuple[Label, ...]]:
    """Predicted labels as cells: of labelled rows by their class, and of unlabelled rows."""
    if matrix.counts.dtype.kind == "f" and (matrix.counts % 1).any():
        raise InputError(
            "priors are found from counts of rows",
            found="sums of weights",
            do="leave the weights out",
        )
    known = [label for label, n in zip(matrix.labels, matrix.actual.tolist(), strict=True) if n]
    if len(known) < 2:
        raise InputError(
            "the labelled rows hold one class only", found=f"{len(known)}", allowed="at least two classes"
        )
    if len(known) > MOST_CLASSES:
        raise InputError(
            "there are too many classes", found=f"{len(known):,}", allowed=f"at most {MOST_CLASSES}"
        )
    place = {label: k for k, label in enumerate(known)}
    unlabelled = np.zeros(len(known))
    own = dict(zip(seen, meant(seen, matrix.labels), strict=True))
    for label, amount in seen.items():
        at = place.get(own[label] if own[label] is not None else label)
        if at is None:
            raise InputError(
                f"class {label!r} is predicted in the unlabelled rows and has no labelled example",
                found=_such_rows(amount),
                do="label some of them, or leave those rows out",
            )
        unlabelled[at] += amount
    rows = [k for k, label in enumerate(matrix.labels) if label in place]
    stray = float(matrix.counts.sum() - matrix.counts[np.ix_(rows, rows)].sum())
    if stray:
        strange = next(label for label in matrix.labels if label not in place)
        raise InputError(
            f"class {strange!r} is predicted in the labelled rows and has no labelled example",
            found=_such_rows(stray),
            do="label some of them, or leave those rows out",
        )
    return Cells(matrix.counts[np.ix_(rows, rows)].astype(np.float64), unlabelled), tuple(known)


def labelled_and_unlabelled(
    data: Any, score: Any, unlabelled: Any, truth: str | None, positive: Label | None, missing: str
) -> tuple[ScoreCounts, Ties]:
    """The scores of labelled and of unlabelled rows, of one positive class."""
    asked = AskedScores.of(score, None, None, None)
    if asked is None:
        raise AssertionError("scores were asked for")
    scores = read_scores(asked, data, truth, positive, None, None, missing)
    empty = [label for label, n in zip(scores.labels, scores.totals.tolist(), strict=True) if not n]
    if empty:
        raise InputError(
            "the labelled rows hold one class only",
            found=f"no example of {empty[0]!r}",
            allowed="examples of both classes",
        )
    ties = scores_alone(unlabelled, score if isinstance(score, str) else None, missing)
    return scores, ties


def _notes(cells: Cells, labels: tuple[Label, ...], fit: Fit) -> tuple[str, ...]:
    notes = []
    if fit.p_value < MISFIT:
        notes.append(
            "Label shift does not fit: no mixture of the labelled classes looks like the unlabelled rows"
            f" (p = {fit.p_value:.3f}); the classes themselves have changed, so do not use these priors."
        )
    few = [
        str(label)
        for label, n in zip(labels, cells.labelled.sum(axis=1).tolist(), strict=True)
        if n < FEW_LABELLED
    ]
    if few:
        notes.append(
            f"Fewer than {FEW_LABELLED} labelled examples of {', '.join(few[:5])}: the intervals may be too"
            " narrow."
        )
    if np.linalg.matrix_rank(cells.rates, tol=1e-9) < len(labels):
        notes.append(
            "The predictions do not tell all classes apart, so their shares cannot be told apart either."
        )
    return tuple(notes)


def _such_rows(number: float) -> str:
    return f"{number:,.0f} such row{'s' if number != 1 else ''}"


def _called(data: Any) -> str:
    if isinstance(data, (str, Path)):
        return str(data)
    if is_frame(data) or is_countable(data):
        return frame_words(data)
    return "a confusion matrix" if isinstance(data, Confusion) else "rows in memory"
