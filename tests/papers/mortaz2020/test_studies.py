from pathlib import Path

import numpy as np
import pytest

from steelyard_papers import runner
from steelyard_papers.data import uci
from steelyard_papers.mortaz2020 import selection, shuffles, sweeps
from steelyard_papers.mortaz2020.printed import EXAMPLE_3, GLASS, SATIMAGE, contradictions


@pytest.mark.integrations
def test_the_sets_have_the_published_class_sizes() -> None:
    # Tables 15 and 17.
    glass, satimage = uci("glass"), uci("satimage")
    assert dict(zip(*np.unique(glass.y, return_counts=True), strict=True)) == {
        1: 70,
        2: 76,
        3: 17,
        5: 13,
        6: 9,
        7: 29,
    }
    assert glass.x.shape == (214, 9)
    assert dict(zip(*np.unique(satimage.y, return_counts=True), strict=True)) == {
        1: 1531,
        2: 703,
        3: 1356,
        4: 625,
        5: 707,
        7: 1508,
    }
    assert satimage.x.shape == (6430, 36)


def test_contradictions_by_hand() -> None:
    assert contradictions(GLASS["RF-RUS"]) == []  # 2 * 0.556 - 1 = 0.112, printed 0.111
    assert contradictions(GLASS["RF"]) == ["IAM 0.342 is not 2 CBA - 1 = 0.362"]
    assert contradictions(SATIMAGE["GBM"]) == ["IAM 0.892 is not 2 CBA - 1 = 0.832"]
    # 2 * 0.30 - 1 = -0.40, printed -0.50
    assert [model for model, row in EXAMPLE_3.items() if contradictions(row)] == ["ML_7"]
    assert contradictions(("0.500", "0.600", "0.500", "0.700", "0.600", "0.200")) == [
        "CBA 0.600 exceeds MAR 0.500"
    ]


def test_quick_sweeps(tmp_path: Path) -> None:
    result = runner.run(sweeps.STUDY, out=tmp_path, quick=True)
    rows = result["tables"][0]["rows"]
    assert all(abs(row[4] - (2 * row[3] - 1)) < 1e-5 for row in rows)
    two = [row for row in rows if row[0] == "fig-4"]
    # Two normal classes at distance s: AUC = Phi(s / sqrt 2), by hand 0.9998 at 5 and 0.7602 at 1.
    assert two[0][5] == pytest.approx(0.9998, abs=5e-4)
    assert two[-1][5] == pytest.approx(0.7602, abs=0.015)


@pytest.mark.integrations
def test_quick_selection(tmp_path: Path) -> None:
    result = runner.run(selection.STUDY, out=tmp_path, quick=True)
    decided = ["mortaz-tab10", "mortaz-tab16", "mortaz-tab18", "mortaz-w16", "mortaz-w18"]
    assert sorted(f["claim_id"] for f in result["findings"]) == decided
    tables = {table["name"]: table for table in result["tables"]}
    assert len(tables["glass"]["rows"]) == len(tables["satimage"]["rows"]) == 18
    winners = {row[0]: row[3] for row in tables["glass-winners"]["rows"]}
    assert winners["CBA"] == winners["IAM"]


def test_shuffles_tell_a_winner_from_noise() -> None:
    # Twenty folds: one model better by 0.1 in each, or by 0.1 in one half and worse by 0.1 in the other.
    base = np.linspace(0.5, 0.7, 20).reshape(4, 5)
    sign = np.where(np.arange(20) % 2, 0.1, -0.1).reshape(4, 5)
    clear = shuffles.Spread(data="glass", folds=5, values={"RF": base + 0.1 + 0.01 * sign, "KNN": base})
    assert clear.winners() == ["RF"] * 4
    assert clear.against("RF", "KNN").probability_better > 0.99
    noise = shuffles.Spread(data="glass", folds=5, values={"RF": base + sign, "KNN": base})
    assert noise.against("RF", "KNN").probability_better == pytest.approx(0.5)
    assert shuffles._winner(clear).verdict == ""
    assert shuffles._winner(clear).reproduced
    assert shuffles._winner(noise).verdict == "within noise"
    assert not shuffles._winner(noise).reproduced
