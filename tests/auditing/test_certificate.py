"""Certificates of the impossible: they hold, damaged ones do not, and there is none of the possible."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.auditing import judge
from steelyard.auditing.checker.certificate import Region, check, regions_of
from steelyard.auditing.checker.expressions import Linear, Ranges, Terms, number, variable
from steelyard.auditing.checker.integer_space import IntegerSpace, requirements_of, space_of
from steelyard.auditing.checker.linear_relaxation import Requirement, Rows, excludes, tightened
from steelyard.auditing.checker.question import CertificateError, Interval, Printed, Question
from steelyard.auditing.judge import checked
from steelyard.auditing.search import farkas
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.cli import main
from tests.auditing.brute_force import MANY, fitting
from tests.auditing.test_against_brute_force import planted
from tests.auditing.test_folds import fits

SIZES = "pos=100, neg=200"


@pytest.mark.parametrize(
    ("values", "sizes", "options"),
    [
        ("recall=0.8545", SIZES, {}),
        ("accuracy=0.9567, recall=0.86", SIZES, {}),
        ("gmean=0.99, recall=0.9", SIZES, {}),
        ("macro_f1=0.5, accuracy=0.99", "a=10, b=20, c=70", {}),
        ("precision=0.00, specificity=1.00", "pos=10, neg=20", {}),
        ("false_discovery_rate=0.100", "pos=3, neg=3", {"undefined": 0}),
        ("recall=0.66", "pos=3, neg=5", {"rounding": "nearest"}),
        # Unknown sizes: a mean lies between what it is the mean of, however large the test set.
        ("accuracy=0.99, recall=0.90, specificity=0.95", None, {}),
        ("recall=0.9567", None, {"up_to": 22}),
        ("recall=0.05, f1=0.99", "pos=?, neg=20", {"total": 60}),
        # Folds: the hits of all folds together must be a whole number.
        ("recall=0.8545", SIZES, {"folds": 5}),
        ("recall=0.8545, accuracy=0.91", "pos=103, neg=201", {"folds": 5}),
        ("recall=0.855, accuracy=0.99", "pos=20, neg=40", {"folds": 4, "repeats": 2}),
        ("recall=0.95 ± 0.20", "pos=20, neg=30", {"folds": 4}),
        ("recall=0.9, precision=0.05", None, {"fold_sizes": "3/4, 3/4, 2/4"}),
        (
            "accuracy=0.95, recall=0.1, specificity=0.5",
            "pos=9, neg=12",
            {"folds": 3, "fold_sizes": "unknown"},
        ),
    ],
)
@pytest.mark.usefixtures("without_mistakes")
def test_what_is_impossible_is_certified(values: str, sizes: str | None, options: dict[str, Any]) -> None:
    if "fold_sizes" in options and sizes is None:
        sizes = "pos=8, neg=12"
    result = sy.audit(values, sizes, check=True, **options)
    assert result.verdict == "impossible"
    assert result.certificate is not None, result.check
    assert checked(json.loads(json.dumps(result.certificate))) > 0
    assert "The certificate holds" in repr(result)


@pytest.mark.usefixtures("without_mistakes")
def test_a_certificate_that_is_too_large_is_told_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farkas, "MOST_NODES", 6)
    result = sy.audit("recall=0.9567", up_to=22, check=True)
    assert result.certificate is None
    assert "No certificate: within the time budget" in result.check
    assert "parts open; the answer rests on the search alone." in result.check


def test_logarithms_have_no_certificate() -> None:
    result = sy.audit("normalised_mutual_information=0.9, accuracy=0.5", "a=3, b=5", check=True)
    if result.verdict == "impossible":
        assert result.certificate is None
        assert "without exact bounds" in result.check


# -- attacks: each of these is a certificate of something that is not so


def _question(printed: dict[str, str], sizes: tuple[int | None, ...], **more: Any) -> Question:
    of_class = ("recall", "precision", "specificity", "f1", "deviation of recall")
    labels = tuple("abcd"[: len(sizes)])
    values = tuple(
        Printed(f"{name} = {text}", "a" if name in of_class else None) for name, text in printed.items()
    )
    return Question(labels, sizes, values, **more)


IMPOSSIBLE = {
    "one matrix": _question({"accuracy": "0.9567", "recall": "0.86"}, (100, 200)),
    "unknown sizes": _question(
        {"accuracy": "0.99", "recall": "0.90", "specificity": "0.95"}, (None, None), up_to=50
    ),
    "folds": _question({"recall": "0.855"}, (21, 40), folds=5),
    "deviation": _question({"recall": "0.95", "deviation of recall": "0.40"}, (8, 4), folds=4),
    "concavity": _question({"macro_precision": "0.5", "macro_recall": "0.50", "macro_f1": "0.62"}, (3, 3, 2)),
    "cells": _question({"mcc": "0.9", "accuracy": "0.4"}, (2, 2, 1)),
}
WEIGHTS = {"concavity": (Fraction(1, 2),)}


def grown(question: Question, budget: Budget, weights: tuple[Fraction, ...] = ()) -> dict[str, Any] | None:
    by_cells, formulas = judge._formulas(question)
    try:
        return farkas.certificate_for(question, formulas, by_cells, weights, budget)
    except farkas.TooLargeError:
        return None


def _sound(which: str) -> dict[str, Any]:
    found = grown(IMPOSSIBLE[which], Budget(20), WEIGHTS.get(which, ()))
    assert isinstance(found, dict)
    plain: dict[str, Any] = json.loads(json.dumps(found))
    assert checked(plain) > 0
    return plain


def _put(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(certificate: dict[str, Any]) -> None:
        *way, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split("/")]
        for step in way:
            certificate = certificate[step]
        certificate[last] = value

    return change


def _holds(certificate: Any) -> bool:
    try:
        return checked(certificate) > 0
    except CertificateError:
        return False


@pytest.mark.parametrize("which", IMPOSSIBLE)
def test_a_damaged_certificate_does_not_hold(which: str) -> None:
    sound = _sound(which)
    nodes = sound["trees"][-1]
    changes = [
        _put("trees/-1", nodes[:-1]),
        _put("trees/-1", [*nodes, ["out", 0]]),
        _put("trees/-1", []),
        _put("trees/-1", [["out", 0]]),
        _put("trees/-1", [["sum", []]]),
        _put("trees", sound["trees"][:-1]),
        _put("trees", [*sound["trees"], nodes]),
        _put("trees/-1", [["split", 0, 10**6], *nodes, *nodes]),  # not inside the box
        _put("trees/-1", [["split", 0, -1], *nodes, *nodes]),
        _put("trees/-1", [["split", 99, 1], *nodes, *nodes]),
        _put("trees/-1", [["split", -1, 1], *nodes, *nodes]),
        _put("trees/-1", [["split", 0.5, 1], *nodes, *nodes]),
        _put("trees/-1", [["split", True, 1], *nodes, *nodes]),
        _put("trees/-1", [["split", [[0, 0.5]], 1], *nodes, *nodes]),  # no whole number
        _put("trees/-1", [["split", [[0, 1]], 0.5], *nodes, *nodes]),
        _put("trees/-1", [["hole"]]),
        _put("trees/-1", [["sum", [[0, "-1"], [1, "-1"]]]]),
        _put("trees/-1", [["sum", [[0, "nan"]]]]),
        _put("trees/-1", [["sum", [[-1, "1"]]]]),
        _put("question/printed/0/text", "accuracy = 0.9"),
        _put("question/printed/0/text", "recall = 0.9"),
        _put("question/printed/0/text", "nothing = 0.9"),
        _put("question/printed/0/text", "accuracy = 0.9567, recall = 0.9"),
        _put("question/printed/0/text", None),
        _put("question/printed/0/class", "nobody"),
        _put("question/printed", []),
        _put("question/labels", ["a", "a"]),
        _put("question/labels", ["a"]),
        _put("question/sizes", [0, 200]),
        _put("question/sizes", [-3, 200]),
        _put("question/sizes", ["100", 200]),
        _put("question/total", 3),
        _put("question/up_to", True),
        _put("question/rounding", "upwards"),
        _put("question/undefined", "skip"),
        _put("question/undefined", float("nan")),
        _put("question", {}),
    ]
    for number_, change in enumerate(changes):
        damaged = copy.deepcopy(sound)
        change(damaged)
        if damaged != sound:
            assert not _holds(damaged), f"change {number_} was let through: {damaged}"
    for nothing in ({}, {"question": 1, "trees": 2}, [], None, "text"):
        assert not _holds(nothing)


def test_a_certificate_is_of_its_own_question_alone() -> None:
    # The proof that recall cannot be 0.855 over five folds is none for four folds, other sizes or digits cut off.
    sound = _sound("folds")
    for change in (
        _put("question/sizes", [200, 40]),
        _put("question/fold_sizes", "unknown"),
        _put("question/folds", 4),
        _put("question/repeats", 2),
        _put("question/printed/0/text", "recall = 0.85"),
        _put("question/printed/0/text", "recall = 0.855 ± 0.1"),
        _put("question/printed/0/text", "recall[b] = 0.855"),
    ):
        damaged = copy.deepcopy(sound)
        change(damaged)
        assert not _holds(damaged), damaged["question"]


def test_an_integer_named_twice_is_not_taken_once() -> None:
    # x + x <= 3 or >= 4 parts the integers at 1 and 2; taken once on one side only, 2 and 3 would be lost.
    low, high = Region([(0, 5)]).halves([(0, 1), (0, 1)], 3)
    inside = [
        [x for x in range(6) if all(form.at({0: x}) >= 0 for form in half.extra)] for half in (low, high)
    ]
    assert inside == [[0, 1], [2, 3, 4, 5]]


def test_random_damage_never_proves_what_is_possible() -> None:
    """Digits of numbers anywhere in a certificate are changed: what still holds must be impossible."""
    rng = random.Random(5)
    base = grown(_question({"recall": "0.61", "precision": "0.8"}, (7, 6)), Budget(10))
    assert isinstance(base, dict)
    refused = 0
    for _ in range(80):
        damaged = json.loads(json.dumps(base))
        for _ in range(rng.choice((1, 1, 2))):
            if rng.random() < 0.5:
                printed = rng.choice(damaged["question"]["printed"])
                name = printed["text"].partition(" = ")[0]
                printed["text"] = f"{name} = {rng.randrange(101) / 100:.2f}"
            else:
                node = rng.choice(damaged["trees"][0])
                if node[0] == "sum":
                    node[1] = [[row, str(Fraction(f) * rng.choice((1, 2, 5)))] for row, f in node[1]][
                        : rng.randrange(4)
                    ]
                else:
                    node[-1] = rng.randrange(8)
        try:
            checked(damaged)
        except CertificateError:
            refused += 1
            continue
        values = {
            p["text"].partition(" = ")[0]: p["text"].partition(" = ")[2]
            for p in damaged["question"]["printed"]
        }
        assert fitting(values, (7, 6))[0] == 0, damaged
    assert 20 < refused < 80


# -- nothing true is excluded


def _drawn_sizes(question: Question, random_: np.random.Generator) -> list[list[int]]:
    """Sizes of the classes, of each fold, that the question allows."""
    totals = [size or 0 for size in question.sizes]
    if question.folds is None:
        sizes = [max(1, size) for size in totals]
        limit = (question.up_to if question.total is None else question.total) or sum(sizes)
        unknown = [at for at, size in enumerate(question.sizes) if size is None]
        if unknown:
            spare = limit - sum(sizes)
            used = spare if question.total is not None else int(random_.integers(0, spare + 1))
            for at, more in zip(
                unknown, random_.multinomial(used, np.ones(len(unknown)) / len(unknown)), strict=True
            ):
                sizes[at] += int(more)
        return [sizes]
    if not isinstance(question.fold_sizes, str):
        return [list(fold) for fold in question.fold_sizes]
    if question.fold_sizes == "stratified":
        columns = []
        for total in totals:
            least, more = divmod(total, question.folds)
            extra = random_.permutation([1] * more + [0] * (question.folds - more))
            columns.append([least + int(one) for one in extra])
        return [list(fold) for fold in zip(*columns, strict=True)]
    left, everyone, drawn = list(totals), sum(totals), []
    for fold in range(question.folds):
        size = everyone // question.folds + (fold < everyone % question.folds)
        taken = [int(v) for v in random_.multivariate_hypergeometric(left, size)]
        left = [before - less for before, less in zip(left, taken, strict=True)]
        drawn.append(taken)
    return drawn


def _filled(sizes: list[int], random_: np.random.Generator) -> list[list[int]]:
    """A matrix of these sizes, mostly correct."""
    rows = []
    for place, size in enumerate(sizes):
        shares = random_.dirichlet(np.ones(len(sizes)))
        shares[place] += random_.random() * 2
        rows.append([int(v) for v in random_.multinomial(size, shares / shares.sum())])
    return rows


def _drawn(question: Question, rng: random.Random) -> tuple[list[list[list[int]]], Question] | None:
    """Random matrices that the question allows, and the question with the values that these give."""
    generator = np.random.default_rng(rng.randrange(10**6))
    sizes = _drawn_sizes(question, generator)
    matrices = [_filled(fold, generator) for fold in sizes]
    # Folds are sorted as the space wants them.
    if question.folds is not None:
        kinds = [sum(fold) if question.fold_sizes == "unknown" else 0 for fold in sizes]
        if not isinstance(question.fold_sizes, str):
            kinds = [hash(tuple(fold)) for fold in sizes]
        matrices = [
            m
            for _, m in sorted(
                zip(kinds, matrices, strict=True), key=lambda pair: (-pair[0], sum(pair[1][0]), pair[1][0][0])
            )
        ]
    printed = []
    for value in question.printed:
        name = value.text.removeprefix("deviation of ").partition(" = ")[0]
        single = [
            sy.measure(name).exact(sy.Confusion(m, question.labels), positive=value.label) for m in matrices
        ]
        if not all(isinstance(v, Fraction) for v in single):
            return None
        numbers = [float(v) for v in single]
        shown = np.std(numbers, ddof=1) if value.is_deviation else np.mean(numbers)
        printed.append(Printed(f"{value.text.partition(' = ')[0]} = {shown:.3f}", value.label))
    return matrices, Question(**{**question.__dict__, "printed": tuple(printed)})


def _point(space: IntegerSpace, matrices: list[Any]) -> list[int]:
    """The integers of these matrices, one for each fold."""
    point = []
    for kind, fold, *where in space.roles:
        matrix = matrices[fold]
        if kind == "cell":
            point.append(matrix[where[0]][where[1]])
        elif kind == "alarms":
            point.append(sum(row[where[0]] for row in matrix) - matrix[where[0]][where[0]])
        else:
            row = matrix[where[0]]
            point.append(sum(row) if kind == "size" else row[where[0]])
    return point


TRUE = (
    _question({"f1": "0", "kappa": "0", "gmean": "0"}, (None, None), up_to=40),
    _question({"precision": "0", "mcc": "0"}, (None, 12), total=30),
    _question({"macro_f1": "0", "accuracy": "0", "class_balance_accuracy": "0"}, (6, 5, 9)),
    _question({"macro_precision": "0", "macro_recall": "0", "macro_f1": "0"}, (None, 5, None), up_to=30),
    _question({"macro_precision": "0", "macro_f1": "0", "macro_recall": "0"}, (4, 5, 8)),
    _question({"mcc": "0", "kappa": "0"}, (4, 5, 3)),
    _question({"recall": "0", "accuracy": "0", "f1": "0"}, (14, 17), folds=4, deviation="sample"),
    _question(
        {"recall": "0", "deviation of recall": "0", "specificity": "0"}, (12, 11), folds=3, deviation="sample"
    ),
    _question({"precision": "0", "accuracy": "0"}, (13, 14), folds=4, fold_sizes="unknown"),
    _question({"macro_f1": "0", "accuracy": "0"}, (6, 7, 8), folds=2),
)


@pytest.mark.parametrize("kind", range(len(TRUE)))
@pytest.mark.parametrize("draws", [8, pytest.param(100, marks=pytest.mark.whole)])
def test_no_box_round_true_matrices_is_excluded(kind: int, draws: int) -> None:
    rng, tried = random.Random(kind), 0
    while tried < draws:
        found = _drawn(TRUE[kind], rng)
        if found is None:
            continue
        matrices, question = found
        tried += 1
        by_cells, formulas = judge._formulas(question)
        space = space_of(question, by_cells)
        point = _point(space, matrices)
        (divisor,) = question.divisors()
        requirements = requirements_of(question, space, formulas, divisor)
        for spread in (0, 1, 4, 1000):
            box = [
                (max(low, value - rng.randint(0, spread)), min(high, value + rng.randint(0, spread)))
                for value, (low, high) in zip(point, space.box, strict=True)
            ]
            here = Region(box)
            assert not any(excludes(requirement, here.ranges) for requirement in requirements), question
            rows = Rows(here.ranges, requirements, (), (Fraction(1, 2), Fraction(2, 7)))
            relaxation = farkas._Relaxation(rows, len(box))
            assert relaxation.single_row() is None, question
            assert relaxation.multipliers() is None, question


def test_nothing_possible_is_certified() -> None:
    rng, tried = random.Random(11), 0
    while tried < 6:
        sizes = (3, 3, 2)
        printed = planted(rng, sizes, tuple(n for n in MANY if n != "mcc"))
        if printed is None or not fitting(printed, sizes)[0]:
            continue
        found = grown(_question(printed, sizes), Budget(0.3))
        assert not isinstance(found, dict), printed
        tried += 1
    for _ in range(6):
        printed = {
            "recall": f"{rng.randrange(30, 95) / 100:.2f}",
            "precision": f"{rng.randrange(30, 95) / 100:.2f}",
        }
        folds = ((3, 4), (3, 4), (2, 4))
        found = grown(_question(printed, (8, 12), folds=3, fold_sizes=folds), Budget(1))
        assert not (isinstance(found, dict) and fits(printed, list(folds))), printed


# -- by hand


def test_ranges_by_hand() -> None:
    # x / (x + y) over x in 1..3, y in 2..4: least 1/5, greatest 3/5.
    terms = Terms()
    x, both = terms.linear(variable(0)), terms.linear(variable(0).plus(variable(1)))
    ratio = terms.ratio(x, both, None)
    here, nothing = Ranges([(1, 3), (2, 4)]), Ranges([(0, 0), (0, 0)])
    assert here.of(ratio) == (Fraction(1, 5), Fraction(3, 5), False)
    assert nothing.of(ratio).empty
    assert nothing.of(terms.ratio(x, both, Fraction(0))) == (0, 0, False)
    root = Ranges([(2, 4), (0, 0)]).of(terms.power(x, Fraction(1, 2)))
    assert root.high == 2
    assert root.low is not None
    assert 0 <= 2 - root.low**2 < Fraction(1, 2**70)
    doubled = terms.sum([(Fraction(1), x), (Fraction(-2), ratio)])
    assert here.of(doubled) == (1 - Fraction(6, 5), 3 - Fraction(2, 5), False)
    away = terms.linear(variable(0).plus(number(-2)))
    assert here.of(terms.product(away, away)) == (0, 1, False)


def test_inequalities_are_tightened_to_whole_steps() -> None:
    # 4 x + 6 y >= 9 is 4 x + 6 y >= 10 in integers; more than 10 is at least 12.
    form = Linear(Fraction(-9), ((0, Fraction(4)), (1, Fraction(6))))
    assert tightened(form).constant == -10
    assert tightened(form.plus(number(-1)), strictly=True).constant == -12
    assert tightened(number(0), strictly=True) == number(-1)


def test_a_tree_by_hand() -> None:
    # 2 x + 2 y = 3 has no whole numbers: the two tightened inequalities contradict each other at once.
    terms = Terms()
    form = Linear(Fraction(0), ((0, Fraction(2)), (1, Fraction(2))))
    odd = Requirement.of(terms.linear(form), Interval(Fraction(3), Fraction(3)))
    everything = Region([(0, 5), (0, 5)])
    assert regions_of([["sum", [[0, "1"], [1, "1"]]]], everything, [odd]) == 1
    with pytest.raises(CertificateError, match="do not contradict"):
        regions_of([["sum", [[0, "1"]]]], everything, [odd])
    with pytest.raises(CertificateError, match="can hold"):
        regions_of([["out", 0]], everything, [odd])


def test_the_space_holds_every_matrix() -> None:
    space = space_of(_question({"accuracy": "0.5"}, (2, 1, 3)), by_cells=False)
    point = _point(space, [[[1, 1, 0], [0, 0, 1], [2, 0, 1]]])
    roles = dict(zip(space.roles, point, strict=True))
    assert [roles["hits", 0, k] for k in range(3)] == [1, 0, 1]
    assert [roles["alarms", 0, k] for k in range(3)] == [2, 1, 1]
    here = Ranges([(value, value) for value in point])
    assert not any(excludes(requirement, here) for requirement in space.always)
    # Three false alarms are not four misses.
    point[space.roles.index(("alarms", 0, 2))] = 0
    assert any(excludes(r, Ranges([(value, value) for value in point])) for r in space.always)


def test_formulas_are_the_metrics_on_random_matrices() -> None:
    """The formula of every metric that has one, at the counts of a matrix, is its exact value."""
    generator = np.random.default_rng(3)
    compared = 0
    for measure in sy.catalogue():
        for classes in (2, 3):
            place = 1 if measure.kind == "two-class" else None
            for formula in (
                judge.formula_of(measure, classes, place, "nan"),
                judge.formula_of(measure, classes, place, "nan", in_cells=True),
            ):
                if formula.tree[0] == "opaque" or "entropy" in repr(formula.tree):
                    continue
                for _ in range(4):
                    matrix = _filled([int(v) for v in generator.integers(1, 9, classes)], generator)
                    labels = "abc"[:classes]
                    true = measure.exact(
                        sy.Confusion(matrix, list(labels)), positive=None if place is None else "b"
                    )
                    space = IntegerSpace(formula.by_cells)
                    space.add_fold([number(sum(row)) for row in matrix])
                    point = _point(space, [matrix])
                    low, high, empty = Ranges([(v, v) for v in point]).of(
                        space.value(formula.tree, space.folds[0])
                    )
                    if isinstance(true, Fraction):
                        assert low is not None
                        assert high is not None
                        assert low - Fraction(1, 10**15) <= true <= high + Fraction(1, 10**15), measure.id
                        compared += 1
                    else:
                        assert empty, (measure.id, matrix)
    assert compared > 300


def test_sedrakyan_by_hand() -> None:
    """h / (a + b) <= w^2 h / a + (1 - w)^2 h / b: with 2 hits of 4, predicted 4 times, F1 is at most
    0.25 * 2 * (1/2 + 1/2) = 1/2 at w = 1/2, and 0.6 contradicts it."""
    question = _question({"macro_precision": "0.50", "macro_recall": "0.50", "macro_f1": "0.60"}, (4, 4, 4))
    for weights, nodes in (((Fraction(1, 2),), 1), ((), None)):
        found = grown(question, Budget(20), weights)
        assert found is not None
        assert checked(json.loads(json.dumps(found))) > 0
        if nodes is not None:
            assert [len(tree) for tree in found["trees"]] == [nodes]


def test_certificates_of_version_0_2_still_hold() -> None:
    """They hold no formulas: those of the metrics they name are used."""
    stored: dict[str, Any] = json.loads(
        """{"question": {"labels": ["pos", "neg"], "sizes": [100, 200], "total": null, "up_to": null, "rounding": "nearest", "undefined": "nan", "printed": [{"text": "accuracy = 0.9567", "class": null}, {"text": "recall = 0.86", "class": "pos"}]}, "trees": [[["split", 1, 186], ["sum", [[0, "1"]]], ["split", 0, 86], ["sum", [[0, "1"]]], ["sum", [[3, "1"]]]]]}"""
    )
    assert checked(stored) == 3
    stored["trees"][0].pop()
    assert not _holds(stored)


# -- every field damaged


WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    7,
    10**30,
    1.5,
    float("nan"),
    "",
    "x",
    "1/0",
    "1e9999999",
    [],
    [[]],
    {},
    [None],
    ["linear", "1", []],
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every field of nested lists and mappings."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[key], (*path, key))


def _damaged(certificate: Any, path: tuple[Any, ...], rng: random.Random) -> Iterator[Any]:
    """The certificate with one field removed, repeated, or replaced by something wrong."""
    if not path:
        yield from WRONG
        return
    for change in ("remove", "repeat", *rng.sample(WRONG, 4)):
        damaged = copy.deepcopy(certificate)
        holder = damaged
        for step in path[:-1]:
            holder = holder[step]
        if change == "remove":
            del holder[path[-1]]
        elif change == "repeat" and isinstance(holder, list):
            holder.insert(path[-1], copy.deepcopy(holder[path[-1]]))
        else:
            holder[path[-1]] = change
        yield damaged


@pytest.mark.parametrize("number", [25, pytest.param(100, marks=pytest.mark.whole)])
@pytest.mark.parametrize("which", IMPOSSIBLE)
def test_every_damaged_field_fails_in_a_sentence_or_proves_what_is_true(which: str, number: int) -> None:
    rng, sound = random.Random(which), _sound(which)
    places = list(_places(sound))
    held = refused = 0
    tried = number * 2 // 5 if which == "cells" else number  # its boxes take longer to check
    tried = min(len(places), tried)
    for path in rng.sample(places, tried):
        for damaged in _damaged(sound, path, rng):
            for follow in (checked, check):
                try:
                    assert follow(damaged) > 0
                except CertificateError:
                    refused += follow is checked
                    continue
                held += follow is checked
                if follow is checked and damaged["question"] != sound["question"]:
                    # What is certified now is another question: it must be impossible as well.
                    _assert_impossible(damaged["question"])
    assert refused > 2 * tried
    assert held < refused


def _assert_impossible(plain: dict[str, Any]) -> None:
    question = Question.from_dict(plain)
    if (
        question.folds is None
        and None not in question.sizes
        and all(p.label in (None, "a") for p in question.printed)
    ):
        values = {p.text.partition(" = ")[0]: p.text.partition(" = ")[2] for p in question.printed}
        sizes = [size or 0 for size in question.sizes]
        if question.rounding == "nearest" and sum(sizes) < 20:
            assert fitting(values, sizes)[0] == 0, plain


def test_the_command_checks_a_saved_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "result.json"
    assert (
        main(["audit", "recall=0.8545", "--sizes", SIZES, "--folds", "5", "--check", "--json", str(path)])
        == 1
    )
    capsys.readouterr()
    assert main(["audit", str(path), "--check"]) == 1
    said = capsys.readouterr().out
    assert "Impossible with class sizes pos=100, neg=200: recall = 0.8545." in said
    assert "values are means over 5 folds, stratified" in said
    assert "The certificate holds: 1 box, checked in exact fractions." in said
    found = json.loads(path.read_text(encoding="utf-8"))
    found["certificate"]["trees"][0].pop()
    path.write_text(json.dumps(found), encoding="utf-8")
    assert main(["audit", str(path), "--check"]) == 2
    assert "does not hold" in capsys.readouterr().err
