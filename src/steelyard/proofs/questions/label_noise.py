"""Class-conditional label noise (menon2015): does the better of two models stay the better one?"""

# The labels of positives are wrong at one rate and those of negatives at another, whatever the model
# predicts, and the two rates add up to less than 1 (menon2015). The matrix against the labels is then
# expected to be N M, with M the matrix against the truth and N the matrix of these rates. Both models are
# tested on the same examples, so their matrices have the same row sums.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.measures.measure import Measure
from steelyard.proofs.prover.prove import Attempt, prove_equal, together
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search, verified
from steelyard.proofs.prover.regions import Compute, Point, matrix_names
from steelyard.proofs.prover.strict_inequalities import prove_greater
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Angle
from steelyard.proofs.questions.deciding import at_one_size, decided
from steelyard.proofs.verdict import Counterexample, Verdict, joined, shown_number

Noise = tuple[Fraction, Fraction]
BY_AFFINITY = (
    "its value against wrong labels is a rising affine function of its value against the truth, with"
    " coefficients that only the class sizes and the noise rates determine"
)
# Class sizes whose matrices are all compared in pairs: equal ones, then imbalanced ones, up to 441 matrices.
CLASS_SIZES = ((2, 2), (3, 3), (4, 4), (2, 6), (6, 2), (6, 6), (10, 10), (5, 20), (20, 5), (20, 20))
# Noise (a, b): a / (1 + a + b) of the positives and b / (1 + a + b) of the negatives are mislabelled, so that
# every pair of rates that add up to less than 1 is one pair of numbers that are not negative.
NOISE = tuple((Fraction(a, 4), Fraction(b, 4)) for a, b in ((0, 1), (1, 0), (0, 3), (3, 0), (1, 4), (4, 1)))


def relabelled(matrix: Array, a: Any, b: Any) -> Array:
    """The expected matrix against noisy labels; works on (..., 2, 2) numbers and on a matrix of symbols."""
    positive, negative = matrix[..., 0, :], matrix[..., 1, :]
    rows = [positive * (1 + b) + negative * b, positive * a + negative * (1 + a)]
    return np.asarray(np.stack(rows, axis=-2) / (1 + a + b))


def decide_label_noise(subject: Subject, question: str, sizes: Sequence[int] = (2,)) -> Verdict:
    """Does the better of two models stay the better one under class-conditional label noise?"""
    search, notes = _order_lost(subject)
    return decided(subject, question, {2: search}, lambda c: _prove(subject), notes=notes)


def decide_of_area(measure: Measure, question: str) -> Verdict | None:
    """The verdict on the area under the ROC curve of scores; None for any other measure."""
    # The area is the probability A that a positive is ranked before a negative. Of the examples labelled
    # positive a share x are negatives, of those labelled negative a share y are positives, so a pair of them
    # is one of four kinds, and the area against the labels is (1 - x - y) A + (x + y) / 2 (menon2015).
    if measure.id not in ("roc_auc", "gini"):
        return None

    def areas(at: Point) -> tuple[Any, Any]:
        right, wrong, x, y, rest = at.counts(("r", "w", "x", "y", "k"))
        area, x, y = right / (right + wrong), x / (x + y + rest), y / (x + y + rest)
        mixed = (1 - x) * y / 2 + x * (1 - y) / 2  # two positives or two negatives: a coin flip
        return (1 - x) * (1 - y) * area + x * y * (1 - area) + mixed, (1 - x - y) * area + (x + y) / 2

    attempt = _because(BY_AFFINITY, [prove_equal(("r", "w", "x", "y", "k"), areas)])
    return joined(measure.name, question, [at_one_size(2, Search(None, 0), attempt)])


def _order_lost(subject: Subject) -> tuple[Search, list[str]]:
    """Two models whose order noisy labels reverse, or else make a tie; and how that reads."""
    sign, cases = subject.orientation, 0
    ties: list[tuple[Array, Array, Noise]] = []
    for positives, negatives in CLASS_SIZES:
        # Every matrix of these class sizes.
        tp, fp = (grid.ravel() for grid in np.mgrid[: positives + 1, : negatives + 1])
        matrices = np.stack([tp, positives - tp, fp, negatives - fp], axis=-1).reshape(-1, 2, 2)
        clean = sign * subject.floats(matrices)
        lead = clean[:, None] - clean
        for noise in NOISE:
            noisy = sign * subject.floats(relabelled(matrices.astype(float), *map(float, noise)))
            noisy_lead = noisy[:, None] - noisy
            cases += len(matrices) ** 2
            with np.errstate(invalid="ignore"):
                reversed_order = np.argwhere((lead > SUSPICIOUS) & (noisy_lead < -SUSPICIOUS))
                tied = np.argwhere((lead > 1e-9) & (np.abs(noisy_lead) <= SUSPICIOUS))
            ties += [(matrices[i], matrices[j], noise) for i, j in tied[:2]]
            # The pair whose order is reversed most clearly is shown.
            clearest = np.argsort([max(-lead[i, j], noisy_lead[i, j]) for i, j in reversed_order])
            chosen = reversed_order[clearest[:CHECKED]]
            example, notes = _first_lost(subject, [(matrices[i], matrices[j], noise) for i, j in chosen])
            if example is not None:
                return Search(example, cases), notes
    example, notes = _first_lost(subject, ties[:CHECKED])
    return Search(example, cases), notes


def _first_lost(
    subject: Subject, suspects: Sequence[tuple[Array, Array, Noise]]
) -> tuple[Counterexample | None, list[str]]:
    """The first two models whose order exact values confirm to be lost, against the truth and the labels."""

    def order_lost(*values: Fraction | float) -> bool:
        was_better, is_better = (
            subject.exceeds(*pair[:: subject.orientation]) for pair in (values[:2], values[2:])
        )
        return was_better and not is_better

    for better, worse, noise in suspects:
        clean = [np.vectorize(Fraction, otypes=[object])(matrix) for matrix in (better, worse)]
        example = verified([subject], [[*clean, *(relabelled(m, *noise) for m in clean)]], order_lost)
        if example is not None:
            first, second, third, fourth = map(shown_number, example.values)
            rates = zip(noise, ("positives", "negatives"), strict=True)
            wrong = " and ".join(f"{rate / (1 + sum(noise))} of the {name}" for rate, name in rates if rate)
            note = f"against the truth {first} and {second}; with {wrong} mislabelled {third} and {fourth}"
            return example, [note]
    return None, []


def _prove(subject: Subject) -> Attempt:
    first = _prove_affine(subject)
    if first.proved:
        return first
    attempts = (_prove_rising_in_odds(subject, positive) for positive in (0, 1))
    return next((attempt for attempt in attempts if attempt.proved), first)


def _value(subject: Subject, matrix: Array, numbers: Any) -> Any:
    """The value in symbols; of an angle, which falls where its cosine rises, the negative cosine."""
    value = subject.symbol(matrix, numbers)
    return 0 - value.cosine if isinstance(value, Angle) else value


def _prove_affine(subject: Subject) -> Attempt:
    """The value against the labels is a rising affine function of the value against the truth."""
    # Its line goes through a matrix without errors and one of a coin flip, whose values are in the right
    # order before and after.
    # So it is with det(M)^k g(predicted) h(sizes) + i(sizes): noise multiplies the determinant by det(N) > 0
    # and leaves the column sums as they are. Informedness, markedness, precision and the correlation
    # coefficient are of this form. All noise is noise in one class followed by noise in the other, N = [[1 -
    # r, 0], [r, 1]] [[1, s], [0, 1 - s]], so one class at a time is enough.

    def values(at: Point, rows: Array, wrong: int) -> tuple[Any, Any]:
        """Against the truth and against the labels, x / (1 + x) of one class mislabelled."""
        clean, noisy = rows.copy(), rows.copy()
        clean[wrong] = rows[wrong] * (1 + at["x"])
        noisy[1 - wrong] = rows[1 - wrong] + rows[wrong] * at["x"]
        return _value(subject, clean, at.numbers), _value(subject, noisy, at.numbers)

    def ends(at: Point, sizes: Sequence[Any], wrong: int) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        perfect, coin = np.full((2, 2), Fraction(0), dtype=object), np.empty((2, 2), dtype=object)
        for k, size in enumerate(sizes):
            perfect[k, k] = size
            coin[k] = size / 2
        return values(at, perfect, wrong), values(at, coin, wrong)

    def on_the_line(wrong: int) -> Compute:
        def compute(at: Point) -> tuple[Any, Any]:
            rows = at.matrix(2)
            (best, noisy_best), (chance, noisy_chance) = ends(at, rows.sum(axis=1), wrong)
            clean, noisy = values(at, rows, wrong)
            return (noisy - noisy_chance) * (best - chance), (clean - chance) * (noisy_best - noisy_chance)

        return compute

    def in_order(wrong: int, noisy: int) -> Compute:
        def compute(at: Point) -> tuple[Any, Any]:
            best, chance = ends(at, (at["p"], at["n"]), wrong)
            return (best[noisy], chance[noisy])[:: subject.orientation]

        return compute

    attempts: list[Attempt] = []
    for wrong in (0, 1):
        attempts.append(prove_equal([*matrix_names(2), "x"], on_the_line(wrong)))
        if not attempts[-1].proved:
            return attempts[-1]
        attempts += [
            prove_greater(["p", "n", "x"], in_order(wrong, noisy), positive=("p", "n")) for noisy in (0, 1)
        ]
    angle = subject.matrix_measure.graph.op == "half_turns"
    return _because(BY_AFFINITY.replace("its", "the cosine of its") if angle else BY_AFFINITY, attempts)


def _prove_rising_in_odds(subject: Subject, positive: int) -> Attempt:
    """At given class sizes the value rises with the odds that a prediction of one class is right."""
    # Noise keeps the order of these odds, as precision against the labels rises with precision against the
    # truth.

    def model(at: Point, false_alarms: Any, odds: Any) -> Any:
        hits = false_alarms * odds
        rows = np.empty((2, 2), dtype=object)
        rows[positive, positive], rows[positive, 1 - positive] = hits, at["p"] - hits
        rows[1 - positive, positive], rows[1 - positive, 1 - positive] = false_alarms, at["n"] - false_alarms
        return _value(subject, rows, at.numbers)

    def larger_odds(at: Point) -> tuple[Any, Any]:
        pair = model(at, at["v"], at["z"] + at["k"]), model(at, at["w"], at["z"])
        return pair[:: subject.orientation]

    def equal_odds(at: Point) -> tuple[Any, Any]:
        return model(at, at["v"], at["z"]), model(at, at["w"], at["z"])

    def precision(at: Point) -> tuple[Any, Any]:
        """x / (1 + x + y) of the class and y / (1 + x + y) of the other one are mislabelled."""
        hits, false_alarms, x, y = at.counts(("h", "f", "x", "y"))
        labelled_right = hits * (1 + y) + false_alarms * y
        labelled_wrong = hits * x + false_alarms * (1 + x)
        observed = labelled_right / (labelled_right + labelled_wrong)
        return observed, (hits / (hits + false_alarms) + y) / (1 + x + y)

    names = ["p", "n", "v", "w", "z"]
    attempts = [
        prove_equal(names, equal_odds),
        prove_greater([*names, "k"], larger_odds, positive=(*names, "k")),
        prove_equal(["h", "f", "x", "y"], precision),
    ]
    odds = ("tp / fp", "tn / fn")[positive]
    return _because(f"at given class sizes it rises with {odds}, whose order noise keeps", attempts)


def _because(words: str, attempts: Sequence[Attempt]) -> Attempt:
    attempt = together(attempts)
    return replace(attempt, method=f"{words}: {attempt.method}", where=()) if attempt.proved else attempt
