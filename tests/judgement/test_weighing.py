"""Every measure's word on a matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.judgement.metrics.judge import weigh_all


def test_a_class_that_is_left_out_does_not_count_in_the_scale() -> None:
    """Two classes hold everything, so AUROC-OVA is normalised as of two classes, as nAUROC-OVA is."""
    found = weigh_all([[5, 1, 0], [2, 7, 0], [0, 0, 0]])
    assert found["auroc_ova"].normalised == pytest.approx(found["nauroc_ova"].value, rel=1e-14)
    assert found["auroc_ovo"].normalised == pytest.approx(found["macro_recall"].value, rel=1e-14)


def test_a_listed_class_counts() -> None:
    found = weigh_all(
        sy.Confusion([[5, 1, 0], [2, 7, 0], [0, 0, 0]], labels=["a", "b", "c"]), undefined="skip"
    )
    assert found["mean_binary_accuracy"].normalised == pytest.approx(
        (found["mean_binary_accuracy"].value - 1 / 3) * 3 / 2, rel=1e-12
    )


def test_two_class_measures_are_weighed_where_a_positive_class_is_known() -> None:
    three = sy.Confusion([[5, 1, 2], [3, 40, 4], [6, 7, 50]], labels=["a", "b", "c"])
    assert {row.measure.kind for row in weigh_all(three).rows} == {"multi-class"}
    found = weigh_all(three, positive="b")
    assert found["recall"].value == pytest.approx(40 / 47)
    assert len(found.rows) == len(sy.catalogue())


def test_a_batch_is_refused() -> None:
    with pytest.raises(sy.InputError, match="one matrix is evaluated at a time"):
        weigh_all(np.ones((2, 2, 2)))


def test_undefined_values_come_with_their_reason() -> None:
    for row in weigh_all([[0, 5], [0, 9]]).rows:
        assert math.isnan(row.value) == (row.why_undefined is not None)


def test_one_number_under_many_names_has_one_row_and_the_names_are_said():
    shown = repr(weigh_all(sy.Confusion([[134, 184], [1397, 148285]], ["fraud", "ok"]), positive="fraud"))
    rows = [line.split(" acc_B")[0] for line in shown.splitlines() if "0.706" in line]
    assert rows == ["balanced accuracy"]
    said = " ".join(shown.split())
    assert (
        "balanced accuracy is the same number as AUC point, class-weighted accuracy (w=0.5), macro recall"
        in said
    )
    three = repr(weigh_all(sy.Confusion([[9, 1, 0], [1, 8, 1], [0, 2, 8]])))
    assert "is the same number as" not in three
    assert "macro recall" in three
