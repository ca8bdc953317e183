"""Rows without an answer are counted, by class, and never dropped without a word. By hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import steelyard as sy
from steelyard.cli.app import run
from steelyard.errors import InputError
from steelyard.judgement.evaluate import abstention

TRUTH = ["fraud"] * 40 + ["ok"] * 160
PRED = ["fraud"] * 20 + ["ok"] * 5 + ["abstain"] * 15 + ["fraud"] * 8 + ["ok"] * 142 + ["abstain"] * 10


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "p.csv"
    rows = zip(TRUTH, PRED, ["a", "b"] * 100, strict=True)
    path.write_text("y,pred,team\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return path


def test_the_reportable_rate_and_the_risk() -> None:
    result = sy.evaluate(TRUTH, PRED, positive="fraud", interval=None)
    assert result.matrix.counts.tolist() == [[20, 5], [8, 142]]
    found = result.abstention
    assert found.reportable_rate == 175 / 200
    assert found.risk == pytest.approx(13 / 175)
    assert found.error_rate_if_abstained_are_wrong == pytest.approx(38 / 200)
    assert [(one.label, one.rows, one.abstained) for one in found.classes] == [
        ("fraud", 40, 15),
        ("ok", 160, 10),
    ]
    assert result["recall"] == 20 / 25
    assert any('15 of 40 of class "fraud"' in note for note in result.notes)


def test_files_frames_slices_and_clusters_agree(file: Path) -> None:
    for how in ({}, {"slices": ["team"]}, {"cluster": "team"}):
        result = sy.evaluate(file, truth="y", pred="pred", positive="fraud", interval=None, **how)
        assert result.matrix.counts.tolist() == [[20, 5], [8, 142]]
        assert result.abstention.reportable_rate == 175 / 200
    sliced = sy.evaluate(file, truth="y", pred="pred", slices=["team"], interval=None)
    assert sum(float(one.total) for one in sliced.counted.slices.values()) == 175


def test_the_first_screen_and_the_json(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = tmp_path / "answer.json"
    assert run(["evaluate", str(file), "--truth", "y", "--pred", "pred", "--json", str(answer)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Reportable rate 88" in said
    assert "25 of 200 rows have no answer" in said
    assert json.loads(answer.read_text())["abstention"]["answered"] == 175


def test_another_word_for_no_answer() -> None:
    pred = ["?" if one == "abstain" else one for one in PRED]
    assert sy.evaluate(TRUTH, pred, abstain="?", interval=None).abstention.answered == 175
    with pytest.raises(InputError, match="no prediction is the one that means no answer"):
        sy.evaluate(TRUTH, pred, abstain="none", interval=None)
    with pytest.raises(InputError, match="cannot mean no answer"):
        sy.evaluate(TRUTH, pred, abstain="ok", interval=None)
    silent = sy.Confusion([[0, 0, 9], [0, 0, 5], [0, 0, 0]], ["fraud", "ok", "abstain"])
    with pytest.raises(InputError, match="no row has an answer"):
        sy.evaluate(silent, interval=None)


def test_a_class_called_abstain_stays_a_class() -> None:
    votes = ["yes"] * 20 + ["no"] * 20 + ["abstain"] * 10
    result = sy.evaluate(votes, votes, interval=None)
    assert result.abstention is None
    assert result.matrix.n_classes == 3


def test_the_risk_coverage_curve_by_hand() -> None:
    truth = [1, 1, 0, 1, 0, 0]
    score = [0.95, 0.8, 0.7, 0.4, 0.2, 0.1]  # confidence .95 .8 .7 .6 .8 .9 at the threshold 0.5
    curve = sy.evaluate(truth, score=score, threshold=0.5, positive=1, interval=None).risk_coverage
    assert curve.confidence == pytest.approx((0.95, 0.9, 0.8, 0.7, 0.6))
    assert curve.coverage == pytest.approx((1 / 6, 2 / 6, 4 / 6, 5 / 6, 1))
    assert curve.risk == pytest.approx((0, 0, 0, 1 / 5, 2 / 6))
    assert curve.area == pytest.approx((1 / 5 + 2 / 6) / 6)
    assert (
        sy.evaluate(truth, score=[10 * one for one in score], threshold=5, interval=None).risk_coverage
        is None
    )


@pytest.mark.parametrize("piece", [7, 64, 1 << 19])
@pytest.mark.parametrize("digits", [1, 3, 16])
@pytest.mark.parametrize("threshold", [None, 0.2, 0.83, 0.0, 1.1])
def test_the_curve_walked_in_pieces_is_that_of_all_rows_sorted(
    monkeypatch: pytest.MonkeyPatch, piece: int, digits: int, threshold: float | None
) -> None:
    monkeypatch.setattr(abstention, "PIECE", piece)
    rng = np.random.default_rng(3)
    truth, p = rng.random(300) < 0.3, np.round(rng.random(300), digits)
    found = abstention.risk_coverage(sy.ScoreCounts.from_scores(truth, p, positive=True), threshold)
    called = p >= (0.5 if threshold is None else threshold)
    confidence = np.where(called, p, 1 - p)
    levels = np.unique(confidence)[::-1]
    answered = np.array([(confidence >= level).sum() for level in levels])
    wrong = np.array([((confidence >= level) & (called != truth)).sum() for level in levels])
    np.testing.assert_allclose(found.coverage, answered / 300)
    np.testing.assert_allclose(found.risk, wrong / answered)
    np.testing.assert_allclose(found.confidence, levels)
    assert found.area == pytest.approx(float((wrong / answered * np.diff(answered / 300, prepend=0)).sum()))


def test_of_many_probabilities_two_thousand_points_are_kept_and_the_shown_ones_exactly() -> None:
    rng = np.random.default_rng(4)
    truth, p = rng.random(30_000) < 0.3, rng.random(30_000)
    found = abstention.risk_coverage(sy.ScoreCounts.from_scores(truth, p, positive=True), 0.4)
    called = p >= 0.4
    order = np.argsort(-np.where(called, p, 1 - p))
    wrong = np.cumsum((called != truth)[order])
    assert 1_900 < len(found.coverage) <= 2_010
    for coverage in abstention.SHOWN_COVERAGES:
        rows = round(coverage * 30_000)
        assert found.at(coverage)[0] == pytest.approx(wrong[rows - 1] / rows)
    assert found.area == pytest.approx(float((wrong / np.arange(1, 30_001)).mean()))
