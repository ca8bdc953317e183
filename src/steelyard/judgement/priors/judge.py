"""Estimate class priors of unlabelled data under label shift: adjusted counting, EM, distribution
matching."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, meant
from steelyard.counts.libraries import frame_words, is_countable, is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, parameter
from steelyard.judgement.evaluate.inputs import ReadRequest, read
from steelyard.judgement.priors.options import Options
from steelyard.judgement.priors.result import LabelShiftTest, Priors
from steelyard.parameters import public_function
from steelyard.reading.rows import predicted_labels
from steelyard.reading.score_counting import scores_alone
from steelyard.scores.dataset_shift import OUTSIDE, REJECTED, label_shift_p_value, scored_cells
from steelyard.scores.prior_shift import Cells
from steelyard.scores.score_options import AskedScores, read_scores
from steelyard.scores.unlabelled_priors import by_counting, by_em, cells_of_scores
from steelyard.uncertainty.resampling import generator_of

# Fewer labelled examples of a class than this, and coverage of the intervals was not measured.
FEW_LABELLED = 30
# C x C rates are estimated from the labelled rows; beyond this hardly a test set fills them.
MOST_CLASSES = 100


@public_function(Options)
def priors(options: Options) -> Priors:
    """Estimate how frequent each class is in unlabelled data.

    `data` is labelled: a file, a frame, a matrix, or a column of true labels beside `y_pred` (predicted
    labels) or `score` (of the positive class, two classes). `unlabelled` is a file or a frame with the
    same columns of predictions or scores, or such a column. Label shift is assumed (each class looks the
    same in both, only the class distribution differs) and tested. Confidence intervals account for the
    uncertainty of both data sets.

    >>> import steelyard as sy
    >>> found = sy.priors("a.parquet", unlabelled="b.parquet", truth="y", pred="yhat")
    >>> found.labels, found.best.method, found.fits
    (('fraud', 'ok'), 'adjusted counting', True)
    """
    level, draws, missing = options.level, options.draws, options.missing
    if not 0 < level < 1:
        raise InputError(
            "the confidence level is not usable",
            found=f"{level!r}",
            allowed="more than 0 and less than 1",
            parameter="level",
        )
    if draws < 100:
        raise InputError(
            "there are too few draws", found=f"{draws!r}", allowed="at least 100", parameter="draws"
        )
    if options.score is not None and (options.y_pred is not None or options.pred is not None):
        other = "pred" if options.y_pred is None else "y_pred"
        raise InputError(
            "priors are estimated from predictions or from scores",
            found=f"{parameter(other)} and {parameter('score')}",
            do="leave one of them out",
        )
    random = generator_of(options.seed)
    names = called(options.data), called(options.unlabelled)
    if options.score is None:
        request = ReadRequest(
            truth=options.truth, pred=options.pred, positive=options.positive, missing=missing
        )
        matrix = read(options.data, options.y_pred, request).matrix
        cells, labels = cells_of_labels(matrix, predicted_labels(options.unlabelled, options.pred, missing))
        estimates = [by_counting(cells, level, draws, random)[0]]
        predicted: tuple[float, ...] | None = tuple(cells.seen.tolist())
        tested, outside = cells, 0.0
    else:
        scores, ties = labelled_and_unlabelled(
            options.data, options.score, options.unlabelled, options.truth, options.positive, missing
        )
        # Two bins are adjusted counting at the median score; more bins are distribution matching.
        coarse, cells = cells_of_scores(scores, ties, 2)[0], cells_of_scores(scores, ties)[0]
        if cells.labelled.shape[1] < 2:
            raise InputError(
                "the scores do not separate the classes",
                found="one score in every labelled row",
                allowed="at least two different scores",
            )
        labels, predicted = scores.positive_first().labels, None
        estimates = [by_counting(coarse, level, draws, random)[0]] if coarse.labelled.shape[1] == 2 else []
        estimates.append(by_em(scores, ties, level, draws, random))
        if cells.labelled.shape[1] > 2 or len(estimates) == 1:
            estimates.append(by_counting(cells, level, draws, random)[0])
        scored = scored_cells(scores, ties)
        # The test has finer bins of its own: it compares means of polynomials of the ranks.
        tested, outside = scored.cells, scored.outside
    p_value = label_shift_p_value(tested, ordered=predicted is None)
    fits = p_value >= REJECTED and outside <= OUTSIDE
    test = LabelShiftTest(p_value, tested.labelled.shape[1], outside, fits)
    return Priors(
        labelled=names[0],
        unlabelled=names[1],
        labels=labels,
        sizes=tuple(int(n) for n in cells.labelled.sum(axis=1)),
        rows=int(cells.unlabelled.sum()),
        shares_predicted=predicted,
        estimates=tuple(estimates),
        test=test,
        level=level,
        notes=_notes(cells, labels),
    )


# The former name.
estimate_priors = priors


def cells_of_labels(matrix: Confusion, seen: dict[Label, int]) -> tuple[Cells, tuple[Label, ...]]:
    """Predicted labels as cells: of labelled rows by their class, and of unlabelled rows."""
    if matrix.counts.dtype.kind == "f" and (matrix.counts % 1).any():
        raise InputError(
            "priors are estimated from counts of rows", found="sums of weights", do="leave the weights out"
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
    label_of = dict(zip(seen, meant(seen, matrix.labels), strict=True))
    for label, amount in seen.items():
        at = place.get(label_of[label] if label_of[label] is not None else label)
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
    score_request = AskedScores.of(score, None, None, None)
    if score_request is None:
        raise AssertionError("scores were asked for")
    scores = read_scores(score_request, data, truth, positive, None, None, missing)
    empty = [label for label, n in zip(scores.labels, scores.totals.tolist(), strict=True) if not n]
    if empty:
        raise InputError(
            "the labelled rows hold one class only",
            found=f"no example of {empty[0]!r}",
            allowed="examples of both classes",
        )
    ties = scores_alone(unlabelled, score if isinstance(score, str) else None, missing)
    return scores, ties


def _notes(cells: Cells, labels: tuple[Label, ...]) -> tuple[str, ...]:
    notes = []
    few = [
        str(label)
        for label, n in zip(labels, cells.labelled.sum(axis=1).tolist(), strict=True)
        if n < FEW_LABELLED
    ]
    if few:
        notes.append(
            f"Fewer than {FEW_LABELLED} labelled examples of {', '.join(few[:5])}: the confidence"
            " intervals may be too narrow."
        )
    # Without full rank several mixtures give the same predictions (Lipton, Wang and Smola 2018).
    if np.linalg.matrix_rank(cells.rates, tol=1e-9) < len(labels):
        notes.append(
            "The predictions do not distinguish all classes, so their priors cannot be identified either."
        )
    return tuple(notes)


def _such_rows(number: float) -> str:
    return f"{number:,.0f} such row{'s' if number != 1 else ''}"


def called(data: Any) -> str:
    if isinstance(data, (str, Path)):
        return str(data)
    if is_frame(data) or is_countable(data):
        return frame_words(data)
    return "a confusion matrix" if isinstance(data, Confusion) else "rows in memory"
