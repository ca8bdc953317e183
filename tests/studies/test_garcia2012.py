from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from steelyard.studies import runner
from steelyard.studies.garcia2012.correlation import CONSTRUCTIONS, STUDY, true_tuple
from steelyard.studies.garcia2012.weighted_auc import roc_points, strip_areas, strip_weights, weighted_auc


def test_the_worked_weighted_area() -> None:
    # By hand: four strips of the curve (0,0), (.2,.6), (1,1) with rho = 1/2.
    fpr, tpr = np.array([0, 0.2, 1.0]), np.array([0, 0.6, 1.0])
    assert strip_weights(0.5, 4) == pytest.approx([0.5, 0.75, 0.875, 1.875])
    assert strip_areas(fpr, tpr, 4).sum() == pytest.approx(0.7)
    assert weighted_auc(fpr, tpr, 0.5, 4) == pytest.approx(0.5578, abs=5e-5)


def test_without_transfer_it_is_the_area() -> None:
    random = np.random.default_rng(0)
    positive = random.random(500) < 0.2
    scores = np.round(random.random(500) + 0.3 * positive, 1)  # with ties
    curve = roc_points(scores, positive)
    assert weighted_auc(*curve, 0.0, 7) == pytest.approx(roc_auc_score(positive, scores))
    assert strip_weights(0.1, 10).sum() == pytest.approx(10)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@pytest.mark.parametrize("share", [0.05, 0.25])
def test_a_true_tuple_has_the_asked_share_and_is_told_right(construction: str, share: float) -> None:
    truth, positive, cut = true_tuple(construction, 200, share, np.random.default_rng(1))
    assert positive.sum() == 200 * share
    assert ((truth >= cut) == positive).all()


def test_quick(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path, quick=True)
    assert {f["claim_id"] for f in result["findings"]} == {"garcia-c1", "garcia-c2", "garcia-c3"}
    assert (tmp_path / "garcia2012-correlation-quick" / "correlations.svg").stat().st_size > 1000
    matrix = next(t for t in result["tables"] if t["name"] == "correlations")
    assert len(matrix["rows"]) == len(CONSTRUCTIONS) * 5 * 13
