"""Which measure is meant by a name?"""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.errors import AmbiguousNameError


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("LR-", "negative_likelihood_ratio"),
        ("lr-", "negative_likelihood_ratio"),
        ("LR+", "positive_likelihood_ratio"),
    ],
)
def test_a_sign_at_the_end_is_part_of_the_name(written: str, meant: str) -> None:
    assert sy.measure(written).id == meant


def test_without_its_sign_a_likelihood_ratio_is_ambiguous() -> None:
    with pytest.raises(AmbiguousNameError, match=r"positive_likelihood_ratio.*negative_likelihood_ratio"):
        sy.measure("LR")


def test_an_id_is_found_in_any_case_though_its_words_are_ambiguous() -> None:
    assert sy.measure("average_accuracy").id == sy.measure("Average_Accuracy").id == "average_accuracy"
    for words in ("average accuracy", "Average Accuracy", "average-accuracy"):
        with pytest.raises(AmbiguousNameError, match="mean_binary_accuracy"):
            sy.measure(words)
