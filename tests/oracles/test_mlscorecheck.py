"""The same answers as mlscorecheck 1.0.3 on the cases that its own tests are made of."""

from __future__ import annotations

from collections import Counter

import pytest

from steelyard.auditing.search.branch_and_bound import Budget
from tests.oracles.mlscorecheck_cases import CASES, RECORDED, question

EVERY = {"test set": 6, "pooled folds": 4, "mean of folds": 3, "mean of unknown folds": 2, "macro": 5}
"""Of each kind one case in so many is asked here; `make audit-study` asks them all."""


def test_what_was_recorded() -> None:
    assert RECORDED["recorded_with"]["mlscorecheck"] == "1.0.3"
    kinds = Counter(case["kind"] for case in CASES)
    assert kinds == {
        "test set": 194,
        "pooled folds": 40,
        "mean of folds": 42,
        "mean of unknown folds": 5,
        "macro": 20,
    }
    assert {case["inconsistent"] for case in CASES} == {True, False}


@pytest.mark.parametrize("kind", EVERY)
def test_the_same_answers(kind: str) -> None:
    for number, case in enumerate(case for case in CASES if case["kind"] == kind):
        # Consistent and inconsistent cases alternate, so that an odd and an even one are taken in turn.
        if number % EVERY[kind] != (number // EVERY[kind]) % 2:
            continue
        demands, setting = question(case)
        answer = setting.decide(demands, Budget(20), wanted=1).answer
        assert answer == ("impossible" if case["inconsistent"] else "possible"), (kind, number)
