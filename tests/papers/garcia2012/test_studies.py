from pathlib import Path

import numpy as np
import pytest

from steelyard_papers import runner
from steelyard_papers.garcia2012.correlation import STUDY, true_tuple
from steelyard_papers.garcia2012.correlation_answers import CONSTRUCTIONS


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@pytest.mark.parametrize("share", [0.05, 0.25])
def test_a_true_tuple_has_the_asked_share_and_is_told_right(construction: str, share: float) -> None:
    truth, positive, cut = true_tuple(construction, 200, share, np.random.default_rng(1))
    assert positive.sum() == 200 * share
    assert ((truth >= cut) == positive).all()


def test_quick(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path, quick=True)
    assert {f["claim_id"] for f in result["findings"]} == {"garcia-c1", "garcia-c2", "garcia-c3", "garcia-w1"}
    assert (tmp_path / "garcia2012-correlation-quick" / "correlations.svg").stat().st_size > 1000
    matrix = next(t for t in result["tables"] if t["name"] == "correlations")
    assert len(matrix["rows"]) == len(CONSTRUCTIONS) * 5 * 13
