"""Are branco2017's shapes of test sets told apart?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from steelyard.counts.confusion import Confusion
from steelyard.judgement.evaluate.classes import TestSet, describe_test_set


def of_sizes(*sizes: float) -> TestSet:
    return describe_test_set(Confusion(np.diag(sizes)))


# branco2017 Table 2
CASES = {
    "multi-minority": [[5, 0, 0], [0, 10, 0], [0, 300, 0]],
    "multi-majority": [[1, 0, 3], [0, 100, 0], [0, 0, 200]],
    "complete": [[1, 3, 0, 0], [9, 1, 0, 0], [0, 0, 100, 0], [0, 0, 0, 200]],
}


@pytest.mark.parametrize("shape", CASES)
def test_the_three_cases_of_the_paper(shape: str) -> None:
    assert describe_test_set(Confusion(CASES[shape])).shape == shape


@pytest.mark.parametrize("sizes", list(itertools.product((2, 3), (4, 5), (15, 16))))
def test_the_multi_minority_problems(sizes: tuple[int, ...]) -> None:
    described = of_sizes(*sizes)
    assert described.shape == "multi-minority"
    assert described.minority == ("c1", "c2")


@pytest.mark.parametrize("sizes", list(itertools.product((2, 3), (15, 16), (17, 18))))
def test_the_multi_majority_problems(sizes: tuple[int, ...]) -> None:
    described = of_sizes(*sizes)
    assert described.shape == "multi-majority"
    assert described.minority == ("c1",)


@pytest.mark.parametrize("sizes", [(2, 3, 9, 10), (2, 3, 9, 11), (10, 2, 9, 3)])
def test_the_complete_problems(sizes: tuple[int, ...]) -> None:
    described = of_sizes(*sizes)
    assert described.shape == "complete"
    assert set(described.minority) == {f"c{i + 1}" for i, size in enumerate(sizes) if size < 9}


def test_two_classes_are_balanced_or_not() -> None:
    assert of_sizes(10, 15).shape == "balanced"
    assert of_sizes(10, 15).minority == ()
    assert of_sizes(10, 16).shape == "imbalanced"
    assert of_sizes(16, 10).minority == ("c2",)


def test_counts_shares_and_the_ratio_of_representatives() -> None:
    described = of_sizes(5, 10, 300)
    assert [(c.label, c.count) for c in described.classes] == [("c1", 5), ("c2", 10), ("c3", 300)]
    assert [c.share for c in described.classes] == pytest.approx([5 / 315, 10 / 315, 300 / 315])
    assert described.rrt == 60
    assert (described.largest.label, described.smallest.label, described.total) == ("c3", "c1", 315)


def test_a_class_without_examples_is_absent_and_no_minority() -> None:
    described = describe_test_set(Confusion([[0, 0, 0], [3, 10, 0], [0, 0, 100]]))
    assert described.absent == ("c1",)
    assert described.minority == ("c2",)
    assert (described.rrt, described.smallest.label, described.shape) == (100 / 13, "c2", "imbalanced")


def test_one_class_alone_has_no_ratio() -> None:
    described = describe_test_set(Confusion([[4, 1], [0, 0]]))
    assert (described.shape, described.rrt, described.absent) == ("one class", None, ("c2",))
    assert described.to_dict()["rrt"] is None


def test_predictions_do_not_matter() -> None:
    right, wrong = Confusion([[5, 0], [0, 50]]), Confusion([[0, 5], [50, 0]])
    assert describe_test_set(right) == describe_test_set(wrong)


def test_weights_count_as_sizes() -> None:
    assert of_sizes(0.5, 1.0, 30.0).rrt == 60
