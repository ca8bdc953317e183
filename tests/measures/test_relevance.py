"""How much each class matters. (The figures of branco2017 are in papers/.)"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

import steelyard as sy
from steelyard.measures import relevance

CLASSES = ("ham", "spam", "phishing", "malware")


def test_prevalence_is_inverse_and_sums_to_1() -> None:
    found = relevance.prevalence([[1, 1], [3, 5]])
    assert found.values == (Fraction(4, 5), Fraction(1, 5))
    assert sum(found.values) == 1


def test_partial_order_is_closed_transitively() -> None:
    chain = relevance.partial_order(CLASSES, [("ham", "spam"), ("spam", "phishing")])
    said = relevance.partial_order(CLASSES, [("ham", "spam"), ("spam", "phishing"), ("ham", "phishing")])
    assert chain.values == said.values
    # ham: 1 + 1/2; spam: 2 + 1/2; phishing: 3 + 1/2; malware, in no pair, is comparable with none: 1 + 3/2.
    assert relevance.partial_order_ranks(CLASSES, [("ham", "spam"), ("spam", "phishing")]) == [
        Fraction(3, 2), Fraction(5, 2), Fraction(7, 2), Fraction(5, 2),
    ]  # fmt: skip


def test_the_order_of_the_pairs_does_not_matter() -> None:
    pairs = [("ham", "spam"), ("spam", "phishing"), ("phishing", "malware")]
    assert (
        relevance.partial_order_ranks(CLASSES, pairs)
        == relevance.partial_order_ranks(CLASSES, pairs[::-1])
        == [1, 2, 3, 4]
    )


def test_no_pairs_at_all_make_all_classes_equal() -> None:
    assert set(relevance.partial_order(CLASSES, []).values) == {1}


def test_total_order_runs_from_1_over_c_to_1() -> None:
    assert relevance.total_order(["a", "b", "c", "d"]).values == (
        Fraction(1, 4),
        Fraction(1, 2),
        Fraction(3, 4),
        1,
    )
    full = [("a", "b"), ("b", "c"), ("c", "d")]
    assert relevance.partial_order("abcd", full).values == relevance.total_order("abcd").values


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (
            [("ham", "spam"), ("spam", "ham")],
            r"contradicts itself; found (ham < spam < ham|spam < ham < spam)",
        ),
        ([("ham", "ham")], "ham < ham"),
        (
            [("ham", "spam"), ("spam", "phishing"), ("phishing", "ham")],
            r"contradicts itself; found \w+ < \w+ < .*\w+",
        ),
        ([("ham", "spma")], "did you mean 'spam'"),
        ([("ham",)], "made of pairs"),
        ([("ham", "spam", "phishing")], "made of pairs"),
        (["ab"], "made of pairs"),
    ],
    ids=str,
)
def test_bad_orders_are_refused(pairs: Any, words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        relevance.partial_order(CLASSES, pairs)


@pytest.mark.parametrize(
    ("phi", "words"),
    [
        ({"a": 1.5}, "out of range; found 1.5"),
        ({"a": -0.1}, "out of range"),
        ({"a": float("nan"), "b": 1}, "out of range"),
        ({"a": True}, "out of range"),
        ({"a": "1"}, "out of range"),
        ({"a": None}, "out of range"),
        ({"a": 0, "b": 0.0}, "all 0"),
        ({}, "given by class"),
        ([1, 2], "given by class"),
    ],
    ids=str,
)
def test_bad_scores_are_refused(phi: Any, words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        relevance.scores(phi)


def test_prevalence_refuses_absent_classes_and_batches() -> None:
    with pytest.raises(sy.InputError, match="none of 'b'"):
        relevance.prevalence(sy.Confusion([[1, 1], [0, 0]], labels=["a", "b"]))
    with pytest.raises(sy.InputError, match="one matrix"):
        relevance.prevalence([[[1, 1], [1, 1]]])


@pytest.mark.parametrize(
    ("text", "values", "mechanism"),
    [
        (
            "ham < spam < phishing < malware",
            (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), 1),
            "total order",
        ),
        (
            "malware<phishing,phishing<spam,spam<ham",
            (1, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4)),
            "total order",
        ),
        ("ham < spam < phishing, ham < malware", None, "partial order"),
        ("ham=0.1, spam=1, phishing=0, malware=0.25", (0.1, 1, 0, 0.25), "scores"),
        (" ham = 1 ,spam=1,phishing=1,malware=1, ", (1, 1, 1, 1), "scores"),
    ],
)
def test_text_form(text: str, values: tuple[Any, ...] | None, mechanism: str) -> None:
    found = relevance.parse(text, CLASSES)
    assert mechanism in found.mechanism
    if values is None:
        # ham: 0 below, none beside: 1; spam: 1 below, malware beside: 2.5; phishing: 2 below, malware beside: 3.5; malware: 1 below, 2 beside: 3
        assert found.values == (Fraction(2, 7), Fraction(5, 7), 1, Fraction(6, 7))
    else:
        assert tuple(map(float, found.values)) == pytest.approx(tuple(map(float, values)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" , ", "empty"),
        ("ham", "not understood"),
        ("ham <", "not understood"),
        ("ham < < spam", "not understood"),
        ("ham < spam, spam < ham", "contradicts itself"),
        ("ham < sapm", "did you mean 'spam'"),
        ("ham=x, spam=1, phishing=1, malware=1", "not a number"),
        ("ham=1, spam=1", "no relevance for class 'phishing'"),
        ("ham=2, spam=1, phishing=1, malware=1", "out of range"),
        ("ham=nan, spam=1, phishing=1, malware=1", "out of range"),
        ("ham=1, spam < phishing", "not understood|there is no class"),
        ("ham=0, spam=0, phishing=0, malware=0", "all 0"),
    ],
)
def test_bad_text_is_refused(text: str, words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        relevance.parse(text, CLASSES)


def test_text_names_classes_that_are_numbers() -> None:
    assert relevance.parse("0 < 1", [0, 1]).values == (Fraction(1, 2), 1)
    assert (
        sy.measure("macro_recall")
        .weighted_by(relevance.parse("0=0, 1=1", [0, 1]))
        .score([0, 0, 1, 1], [0, 0, 0, 1])
        == 0.5
    )


def test_scores_must_cover_the_classes_of_the_matrix() -> None:
    matrix = sy.Confusion([[5, 1], [2, 7]], labels=["a", "b"])
    with pytest.raises(sy.InputError, match="no relevance for class 'b'"):
        sy.measure("macro_recall").weighted_by(relevance.scores({"a": 1}))(matrix)
    with pytest.raises(sy.InputError, match="no class of the matrix has any relevance"):
        sy.measure("macro_recall").weighted_by(relevance.scores({"a": 0, "b": 0, "c": 1}))(matrix)


def test_duplicate_and_absent_labels_are_refused() -> None:
    with pytest.raises(sy.InputError, match="named twice"):
        relevance.total_order(["a", "b", "a"])
    with pytest.raises(sy.InputError, match="at least one class"):
        relevance.total_order([])


def test_what_is_shown() -> None:
    assert repr(relevance.total_order(["a", "b"])) == "Relevance by total order (TO): a 0.5, b 1"
    assert relevance.total_order(["a", "b"]).to_dict() == {"a": 0.5, "b": 1.0}


def test_the_cycle_that_is_shown_is_made_of_pairs_that_were_given() -> None:
    """a < b and b < c and c < a: b < a follows, but nobody said so. d hangs on the cycle and is not part of it."""
    given = [("d", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d2")]
    with pytest.raises(sy.InputError, match="contradicts itself") as caught:
        relevance.partial_order(["d", "a", "b", "c", "d2"], given)
    shown = str(caught.value).partition("found ")[2].partition(";")[0].split(" < ")
    assert shown[0] == shown[-1]
    assert len(shown) == 4
    assert all(pair in given for pair in itertools.pairwise(shown))
