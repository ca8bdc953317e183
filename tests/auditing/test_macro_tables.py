"""Printed tables of macro precision, recall and F1 alone. The truth is known by construction: a matrix that gives the
values, or a mean of F-measures above the F-measure of the means or below their sum less 1 by more than the digits."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy


def _macro(matrix):
    counts = np.array(matrix, float)
    hits, actual, predicted = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    return (hits / predicted).mean(), (hits / actual).mean(), (2 * hits / (actual + predicted)).mean()


def _printed(values, digits):
    names = ("macro_precision", "macro_recall", "macro_f1")
    return ", ".join(f"{name}={value:.{digits}f}" for name, value in zip(names, values, strict=True))


MATRICES = (
    ([[374, 11], [64, 364]], 4),
    ([[21, 1], [0, 17]], 3),
    ([[241, 0, 82], [36, 116, 16], [53, 108, 239]], 3),
    ([[20, 5, 3], [10, 100, 20], [4, 16, 120]], 2),
    ([[15, 6, 3, 3], [8, 44, 6, 8], [5, 4, 25, 5], [7, 10, 9, 41]], 2),
    ([[5, 1, 1, 1, 1], [2, 30, 2, 2, 2], [1, 1, 26, 2, 2], [0, 1, 1, 7, 0], [1, 1, 0, 0, 8]], 2),
)


@pytest.mark.parametrize(("matrix", "digits"), MATRICES)
def test_values_of_a_matrix_are_possible(matrix, digits):
    values = _printed(_macro(matrix), digits)
    sizes = ", ".join(f"c{at + 1}={sum(row)}" for at, row in enumerate(matrix))
    for known in ({"sizes": sizes}, {"classes": len(matrix)}):
        assert sy.audit(values, seconds=5, **known).verdict == "possible", known


@pytest.mark.parametrize(("matrix", "digits"), MATRICES)
def test_a_mean_f1_beyond_what_the_means_allow_is_impossible(matrix, digits):
    precision, recall, _ = _macro(matrix)
    sizes = ", ".join(f"c{at + 1}={sum(row)}" for at, row in enumerate(matrix))
    highest, lowest = 2 * precision * recall / (precision + recall), precision + recall - 1
    beyond = (highest + 3 * 10**-digits, lowest - 3 * 10**-digits)
    for f1 in (value for value in beyond if value > 0):
        values = _printed((precision, recall, f1), digits)
        for known in ({"sizes": sizes}, {"classes": len(matrix)}):
            assert sy.audit(values, seconds=1, **known).verdict == "impossible", (values, known)


def test_against_every_matrix_of_small_classes():
    """Classes of 6 and 5 examples: 42 matrices, so that what is printed can be looked up."""
    every = {
        _printed(_macro([[a, 6 - a], [5 - b, b]]), 2)
        for a in range(7)
        for b in range(6)
        if 0 < a + 5 - b < 11  # both classes are predicted
    }
    draws = np.random.default_rng(39)
    for text in [*list(every)[:10], *(_printed(draws.uniform(0.2, 0.9, 3), 2) for _ in range(20))]:
        expected = "possible" if text in every else "impossible"
        assert sy.audit(text, "a=6, b=5", seconds=2).verdict == expected, text


@pytest.mark.parametrize(
    ("option", "value"),
    [("repeats", 3), ("aggregate", "pooled"), ("deviation", "sample"), ("fold_sizes", "unknown")],
)
def test_options_of_folds_without_folds_are_refused(option, value):
    with pytest.raises(sy.InputError, match=f"{option}=.*is about folds, and no number of folds is given"):
        sy.audit("accuracy=0.9", "a=10, b=10", **{option: value})
    assert sy.audit("accuracy=0.9", "a=10, b=10", folds=2, **{option: value}).verdict == "possible"


@pytest.mark.parametrize(
    ("values", "known"),
    [
        # F of the means is 0.755 in both.
        ("weighted_precision=0.778, weighted_recall=0.733, weighted_f1=0.770", {"classes": 3}),
        ("weighted_precision=0.778, weighted_recall=0.733, weighted_f1=0.770", {"sizes": "a=90, b=50, c=30"}),
        # F of the means is 0.7252 within the digits, but precision exceeds recall in no matrix for every class: of the
        # class where it does not both are at least 3 * 0.895 - 2 = 0.685, which leaves at most 0.7123.
        ("macro_precision=0.90, macro_recall=0.60, macro_f1=0.73", {"classes": 3}),
        ("macro_precision=0.90, macro_recall=0.60, macro_f1=0.73", {"sizes": "a=900, b=500, c=300"}),
        # Every precision is at least 0.97, so the recall of one class is, and the mean of three at least 0.32.
        ("macro_precision=0.99, macro_recall=0.30, macro_f1=0.45", {"classes": 3}),
    ],
)
def test_relatives_of_the_concavity_decide_at_once(values, known):
    assert sy.audit(values, seconds=1, **known).verdict == "impossible"


@pytest.mark.parametrize("drawn", [600, pytest.param(3000, marks=pytest.mark.whole)])
def test_no_matrix_exceeds_the_greatest_mean_f1(drawn):
    """The bound against random matrices, many of them with means that differ widely."""
    from fractions import Fraction

    from steelyard.auditing.checker.question import Interval
    from steelyard.auditing.problem.demands import _greatest_mean, _lost_by_equal_totals, f_measure

    random = np.random.default_rng(3)
    for _ in range(drawn):
        classes = int(random.integers(2, 6))
        matrix = random.multinomial(
            random.integers(1, 40, classes), random.dirichlet(np.full(classes, 0.3), classes)
        )
        matrix = matrix + np.diag(random.integers(0, int(random.choice([30, 300])), classes))
        hits, actual, predicted = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
        if not predicted.all() or not actual.all():
            continue
        beta = int(random.integers(1, 3)) ** 2
        triples = zip(hits.tolist(), actual.tolist(), predicted.tolist(), strict=True)
        terms = [
            (Fraction(h, p), Fraction(h, a), Fraction((1 + beta) * h, beta * a + p)) for h, a, p in triples
        ]
        precision, recall, mean = (sum(column) / classes for column in zip(*terms, strict=True))
        room = Fraction(int(random.integers(0, 3)), 1000)
        ends = [Interval(value - room, value + room) for value in (precision, recall)]
        greatest = _greatest_mean(Fraction(beta), *ends, classes)
        assert greatest is None or mean <= greatest
        highest = f_measure(Fraction(beta), *(end.high for end in ends))
        lost = _lost_by_equal_totals(Fraction(beta), *ends, actual.tolist())
        assert highest is None or mean <= highest - lost


@pytest.mark.parametrize(
    ("precision", "recall", "sizes", "digits", "verdict"),
    [
        # Where some class is hardly found, all others can have the same ratio of precision and recall.
        (0.5967, 0.6514, (779, 512, 1332, 713, 1394, 398, 203, 1233), 4, "possible"),
        (0.4934, 0.5487, (124, 54, 1361, 1025, 1226, 726, 726, 1176, 823, 633), 4, "possible"),
        (0.2777, 0.3223, (668, 712, 96, 795, 1228, 805, 1086, 1286, 1069, 332), 3, "possible"),
        (0.5992, 0.6960, (1498, 508, 116, 722), 4, "possible"),
        # Where every class is found, those predicted less often than they occur have another ratio: by SciPy 1.17
        # (SLSQP, 60 starts) the mean is at most 0.7723 and 0.8471.
        (0.8032, 0.7457, (1345, 1144, 1476, 1014), 4, "impossible"),
        (0.8219, 0.8901, (227, 1200, 1038, 1229), 3, "impossible"),
    ],
)
def test_an_f1_of_the_means_printed_as_their_mean(precision, recall, sizes, digits, verdict):
    values = _printed((precision, recall, 2 * precision * recall / (precision + recall)), digits)
    named = ", ".join(f"c{at + 1}={size}" for at, size in enumerate(sizes))
    assert sy.audit(values, named, seconds=5).verdict == verdict
