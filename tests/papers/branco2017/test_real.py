"""The real data sets: what is bundled, what the learners do, and a quick run."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from steelyard.counts.joint import JointCounts
from steelyard_papers import runner
from steelyard_papers.branco2017.learners import Columns, predictions, real_set
from steelyard_papers.branco2017.real import STUDY, judged, measures_of
from steelyard_papers.branco2017.real_choices import ORDERS

# Examples and classes as the extra material of branco2017 lists them.
SIZES = {
    "balanceScale": (625, 3), "blocks": (5473, 5), "car": (1728, 4), "contraceptive": (1473, 3),
    "dermatology": (358, 6), "ecoli": (336, 8), "glass": (214, 6), "newThyroid": (215, 3),
    "solarFlare2Cclass": (1066, 8), "solarFlare2Mclass": (1066, 6), "solarFlare2Xclass": (1066, 3),
    "splice": (3175, 3), "wineQualityRed": (1599, 6), "wineQualityWhite": (4898, 7), "yeast": (1484, 10),
    "zoo": (101, 7),
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_the_data_are_whole_and_every_class_has_a_score(name: str) -> None:
    table = real_set(name)
    assert (len(table.y), len(set(table.y))) == SIZES[name]
    assert np.isfinite(table.numeric).all()
    assert set(ORDERS[name]["phi"]) == set(table.y)
    assert set(ORDERS[name]["TO"].split(" < ")) == set(table.y)


def test_nominal_columns_are_told_by_their_quotes() -> None:
    assert real_set("car").nominal.shape == (1728, 6)
    assert real_set("solarFlare2Xclass").nominal.shape == (1066, 3)
    assert real_set("solarFlare2Xclass").numeric.shape == (1066, 6)
    assert real_set("glass").numeric.shape == (214, 10)
    assert real_set("glass", ("Id",)).numeric.shape == (214, 9)


def test_naive_bayes_by_hand() -> None:
    # Class a: numbers 0, 2 (mean 1, sd sqrt 2), values 0, 0; class b: numbers 4, 6 (mean 5), values 0, 1.
    table = Columns(
        numeric=np.array([[0.0], [2.0], [4.0], [6.0], [2.9], [3.1]]),
        nominal=np.array([[0], [0], [0], [1], [1], [0]]),
        y=np.array(["a", "a", "b", "b", "b", "b"]),
    )
    found = predictions("naive Bayes", table, np.arange(4), np.array([4, 5]))
    # At 2.9 the density of a is the higher one, but a never has the value 1: 0.001 against 1/2 decides for b.
    a, b = (math.exp(-((2.9 - mean) ** 2) / 4) for mean in (1, 5))
    assert a > b
    assert a * 0.001 < b * 0.5
    # At 3.1 with value 0: a has it always, b half the time.
    a, b = (math.exp(-((3.1 - mean) ** 2) / 4) for mean in (1, 5))
    assert a * 1.0 > b * 0.5
    assert found.tolist() == ["b", "a"]


def test_choices_part_where_no_model_is_best_by_both() -> None:
    # Nine of one class and one of the other. The SVM always says "N", the tree is right on EI and wrong on three N.
    truth = ["EI"] + ["IE"] + ["N"] * 8
    said = {"tree": ["EI", "IE", "EI", "EI", "EI", *["N"] * 5], "SVM": ["N"] * 10, "naive Bayes": ["EI"] * 10}
    joint = JointCounts.from_columns(truth, said, labels=["EI", "IE", "N"])
    found = judged(joint, measures_of("splice", {"EI": 1, "IE": 1, "N": 8}), draws=50, seed=0)
    assert found["values"]["Rec_M"] == pytest.approx([(1 + 1 + 5 / 8) / 3, 1 / 3, 1 / 3], abs=1e-6)
    assert found["values"]["Rec^phi"] == pytest.approx(
        [(1 + 1 + 0.3 * 5 / 8) / 2.3, 0.3 / 2.3, 1 / 2.3], abs=1e-6
    )
    assert found["best"]["Rec^phi"] == [1.0, 0.0, 0.0]
    assert found["parted"]["Rec^phi"] == 0.0


def test_a_quick_run(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path, quick=True, sets=["zoo", "wineQualityRed"])
    assert [f["claim_id"] for f in result["findings"]] == ["branco-r1", "branco-r2", "branco-r3"]
    assert "wineQualityRed" in result["findings"][2]["words"]  # its total order contradicts its scores
    values = next(t for t in result["tables"] if t["name"] == "values")["rows"]
    assert len(values) == 33 + 38  # five measures more for the wine's order as meant
    wines = next(t for t in result["tables"] if t["name"] == "wines")["rows"]
    assert len(wines) == 5
