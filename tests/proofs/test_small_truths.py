"""Verdicts at two classes against brute force: the papers' formulas in plain fractions on every matrix of counts up to 3.

A property of these measures that fails at all fails on such a matrix, so what brute force does not refute must be proved (or,
where nothing proves it, left open), and what it refutes must be refuted.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

import steelyard as sy
from steelyard.measures.formula import formula_measure
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions import orderings
from steelyard.proofs.questions.conditions import BY_ID
from steelyard.proofs.questions.orderings import decide_rising_function
from tests.proofs.independent_formulas import RATIONAL, value
from tests.real_parts import needs

COUNTS = range(4)
MATRICES = [
    [[Fraction(a), Fraction(b)], [Fraction(c), Fraction(d)]]
    for a, b, c, d in itertools.product(COUNTS, repeat=4)
    if a + b + c + d
]


def pairs(formula, change):
    """The defined values before and after a change, on every matrix that it applies to."""
    for matrix in MATRICES:
        for changed in change(matrix):
            before, after = value(formula, matrix), value(formula, changed)
            if before is not None and after is not None:
                yield before, after


def never_changes(change):
    return lambda formula: all(before == after for before, after in pairs(formula, change))


def plus(row, column):
    def change(m):
        for amount in (1, 2, 7):
            out = [list(r) for r in m]
            out[row][column] += amount
            yield out

    return change


def scaled_rows(m):
    for x, y in ((2, 1), (1, 2), (10, 1)):
        yield [[v * x for v in m[0]], [v * y for v in m[1]]]


def moved(m, start, end):
    """One example from one cell to another."""
    if m[start[0]][start[1]]:
        out = [list(r) for r in m]
        out[start[0]][start[1]] -= 1
        out[end[0]][end[1]] += 1
        yield out


ERRORS = ((0, 1), (1, 0))


def mended_predictions(m):
    for i, j in ERRORS:
        yield from moved(m, (i, j), (i, i))


def mended_labels(m):
    for i, j in ERRORS:
        yield from moved(m, (i, j), (j, j))


def monotone(formula):
    return all(after >= before for before, after in pairs(formula, mended_predictions))


def strictly_monotone(formula):
    both = itertools.chain(pairs(formula, mended_predictions), pairs(formula, mended_labels))
    return all(after > before for before, after in both)


def strongly_monotone(formula):
    def hits(m):
        return m[0][0] + m[1][1]

    def errors(m):
        return m[0][1] + m[1][0]

    def more_hits(m):
        return [x for k in (0, 1) for x in plus(k, k)(m)] if errors(m) else []

    def more_errors(m):
        return [x for i, j in ERRORS for x in plus(i, j)(m)] if hits(m) else []

    return all(a > b for b, a in pairs(formula, more_hits)) and all(
        a < b for b, a in pairs(formula, more_errors)
    )


def one_value(formula, chosen):
    return len({v for m in MATRICES if chosen(m) and (v := value(formula, m)) is not None}) <= 1


def both_present(m):
    return all(sum(row) for row in m)


def always_one_class(m):
    return both_present(m) and any(not m[0][k] and not m[1][k] for k in (0, 1))


def by_chance(m):
    return both_present(m) and m[0][0] * m[1][1] == m[0][1] * m[1][0]


def maximal(formula):
    return all(
        (v == 1) == (not m[0][1] and not m[1][0]) for m in MATRICES if (v := value(formula, m)) is not None
    )


TRUTHS = {
    "prior-invariance": never_changes(scaled_rows),
    "p1": never_changes(lambda m: [[m[1][::-1], m[0][::-1]]]),
    "p2": never_changes(plus(1, 1)),
    "p3": never_changes(plus(1, 0)),
    "p4": never_changes(plus(0, 0)),
    "p5": never_changes(plus(0, 1)),
    "scale-invariance": never_changes(lambda m: [[[k * v for v in row] for row in m] for k in (2, 3)]),
    "order-invariance": never_changes(lambda m: [[m[1][::-1], m[0][::-1]]]),
    "transposition": never_changes(lambda m: [[[m[0][0], m[1][0]], [m[0][1], m[1][1]]]]),
    "monotone": monotone,
    "strictly-monotone": strictly_monotone,
    "strongly-monotone": strongly_monotone,
    "constant-predictor": lambda formula: one_value(formula, always_one_class),
    "chance-constant": lambda formula: one_value(formula, by_chance),
    "always-defined": lambda formula: all(value(formula, m) is not None for m in MATRICES if both_present(m)),
    "maximal-agreement": maximal,
}


SLOW = {
    "macro_f_beta",
    "imbalance_accuracy",
    "auroc_ovo",
    "auroc_ova",
    "nauroc_ova",
    "aurpc_ova",
    "maurpc_ova",
}
"""Seconds each; nothing in them that the others do not have."""


@pytest.mark.parametrize("name", [name for name in RATIONAL if name not in SLOW])
@pytest.mark.parametrize("property_id", TRUTHS)
def test_verdicts_are_those_of_brute_force(name, property_id):
    needs("flint")
    true = TRUTHS[property_id](RATIONAL[name])
    verdict = BY_ID[property_id].decide(Subject(sy.measure(name)))
    if verdict.grade == "not applicable":  # a constant predictor has no value at all
        assert property_id == "constant-predictor"
        assert not any(value(RATIONAL[name], m) for m in MATRICES if always_one_class(m))
    elif property_id == "always-defined" and true:  # held on all that was tried, which is no proof
        assert verdict.grade == "not refuted"
    elif (name, property_id) == ("optimized_precision", "maximal-agreement"):
        assert (true, verdict.grade) == (True, "not refuted")
    else:
        assert verdict.holds_at(2) is true, str(verdict)
    example = verdict.counterexample
    if example is not None and example.n_classes == 2:  # the values it names are those of the formula
        for matrix, said in zip(example.matrices, example.values, strict=False):
            again = value(RATIONAL[name], matrix)
            assert again is None or again == said


@pytest.mark.parametrize(
    ("decide", "one", "other", "grade", "words"),
    [
        (orderings.decide_equal, "recall", "fnr", "refuted", ""),
        (orderings.decide_equal, "fnr", "1 - tp / (tp + fn)", "proved", ""),
        (orderings.decide_equal, "accuracy", "sum(hits) / n", "proved", ""),
        (orderings.decide_affine, "fnr", "recall", "proved", "-1 * recall + 1"),
        (orderings.decide_affine, "informedness", "auc_point", "proved", "2 * auc_point"),
        (orderings.decide_affine, "recall", "precision", "refuted", ""),
        (decide_rising_function, "informedness", "auc_point", "proved", ""),
        (decide_rising_function, "f_beta", "threat_score", "not refuted", ""),  # 2 J / (1 + J), which no record states
        (decide_rising_function, "threat_score", "precision", "refuted", ""),
        (decide_rising_function, "fnr", "recall", "refuted", ""),  # it falls
        (orderings.decide_not_greater, "threat_score", "recall", "proved", ""),
        (orderings.decide_not_greater, "threat_score", "f_beta", "proved", ""),
        (orderings.decide_not_greater, "recall", "threat_score", "refuted", ""),
        (orderings.decide_not_greater, "aurpc_point", "recall", "refuted", ""),
        (orderings.decide_not_greater, "class_balance_accuracy", "macro_recall", "proved", "every C"),  # mosley2013
        (orderings.decide_same_ranking, "recall", "fnr", "not refuted", ""),
        (orderings.decide_same_ranking, "recall", "precision", "refuted", ""),
        (orderings.decide_same_ranking, "threat_score", "f_beta", "not refuted", ""),
    ],
)  # fmt: skip
def test_relations_known_from_algebra(decide, one, other, grade, words):
    needs("flint")
    verdict = decide(
        *(Subject(sy.measure(name) if "/" not in name else formula_measure(name)) for name in (one, other))
    )
    assert verdict.grade == grade, str(verdict)
    assert words in str(verdict)
