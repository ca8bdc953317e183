"""Class priors of unlabelled data under label shift: adjusted counting, EM, distribution matching."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, meant
from steelyard.counts.libraries import frame_words, is_countable, is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError
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
ONE_CLASS = "the labelled rows hold one class only"


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
    random = generator_of(options.seed)
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
        scores, ties = _scores(options)
        # Two bins are adjusted counting at the median score; more bins are distribution matching.
        coarse, cells = cells_of_scores(scores, ties, 2)[0], cells_of_scores(scores, ties)[0]
        if cells.labelled.shape[1] < 2:
            what, score = "the scores do not separate the classes", "one score in every labelled row"
            raise InputError(what, found=score, allowed="at least two different scores")
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
    sizes = tuple(int(n) for n in cells.labelled.sum(axis=1))
    notes = []
    if few := [str(label) for label, n in zip(labels, sizes, strict=True) if n < FEW_LABELLED]:
        uncertain = "the confidence intervals may be too narrow"
        notes.append(f"Fewer than {FEW_LABELLED} labelled examples of {', '.join(few[:5])}: {uncertain}.")
    # Without full rank several mixtures give the same predictions (Lipton, Wang and Smola 2018).
    if np.linalg.matrix_rank(cells.rates, tol=1e-9) < len(labels):
        blind = "The predictions do not distinguish all classes"
        notes.append(f"{blind}, so their priors cannot be identified either.")
    return Priors(
        labelled=called(options.data),
        unlabelled=called(options.unlabelled),
        labels=labels,
        sizes=sizes,
        rows=int(cells.unlabelled.sum()),
        shares_predicted=predicted,
        estimates=tuple(estimates),
        test=LabelShiftTest(p_value, tested.labelled.shape[1], outside, fits),
        level=level,
        notes=tuple(notes),
    )


# The former name.
estimate_priors = priors


def cells_of_labels(matrix: Confusion, seen: dict[Label, int]) -> tuple[Cells, tuple[Label, ...]]:
    """Predicted labels as cells: of labelled rows by their class, and of unlabelled rows."""
    if matrix.counts.dtype.kind == "f" and (matrix.counts % 1).any():
        what = "priors are estimated from counts of rows"
        raise InputError(what, found="sums of weights", do="leave the weights out")
    known = [label for label, n in zip(matrix.labels, matrix.actual.tolist(), strict=True) if n]
    if len(known) < 2:
        raise InputError(ONE_CLASS, found=f"{len(known)}", allowed="at least two classes")
    if len(known) > MOST_CLASSES:
        allowed = f"at most {MOST_CLASSES}"
        raise InputError("there are too many classes", found=f"{len(known):,}", allowed=allowed)
    place = {label: k for k, label in enumerate(known)}
    unlabelled = np.zeros(len(known))
    for (label, amount), name in zip(seen.items(), meant(seen, matrix.labels), strict=True):
        at = place.get(label if name is None else name)
        if at is None:
            raise _never_labelled(label, "unlabelled", amount)
        unlabelled[at] += amount
    labelled = matrix.select(known).counts
    if stray := float(matrix.counts.sum() - labelled.sum()):
        strange = next(label for label in matrix.labels if label not in place)
        raise _never_labelled(strange, "labelled", stray)
    return Cells(labelled.astype(np.float64), unlabelled), tuple(known)


def _never_labelled(label: Label, rows: str, number: float) -> InputError:
    return InputError(
        f"class {label!r} is predicted in the {rows} rows and has no labelled example",
        found=f"{number:,.0f} such row{'s' if number != 1 else ''}",
        do="label some of them, or leave those rows out",
    )


def _scores(options: Options) -> tuple[ScoreCounts, Ties]:
    """The scores of labelled and of unlabelled rows, of one positive class."""
    request = AskedScores.of(options.score, None, None, None)
    assert request is not None
    how = (options.positive, None, None, options.missing)
    scores = options.data
    if not isinstance(scores, ScoreCounts):
        scores = read_scores(request, scores, options.truth, *how)
    empty = [label for label, n in zip(scores.labels, scores.totals.tolist(), strict=True) if not n]
    if empty:
        absent = f"no example of {empty[0]!r}"
        raise InputError(ONE_CLASS, found=absent, allowed="examples of both classes")
    column = options.score if isinstance(options.score, str) else None
    return scores, scores_alone(options.unlabelled, column, options.missing)


def called(data: Any) -> str:
    if isinstance(data, (str, Path)):
        return str(data)
    if is_frame(data) or is_countable(data):
        return frame_words(data)
    return "a confusion matrix" if isinstance(data, Confusion) else "rows in memory"
