from pathlib import Path

import pytest

from steelyard.papers import runner
from steelyard.papers.mullick2020.illustration import STUDY, above, type_2


def test_the_normal_tail() -> None:
    assert above(4.0, 2.53) == pytest.approx(
        0.0708, abs=5e-5
    )  # 1 - Phi(1.47) = 0.0708 in every printed table


def test_auroc_ova_of_equal_classes_follows_the_part_told_right() -> None:
    for count, _, right, auroc, _ in type_2([3, 6], [0.5, 1.0], 400, seed=0):
        assert auroc == pytest.approx((1 + right - (1 - right) / (count - 1)) / 2)


def test_quick(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path, quick=True)
    verdicts = {finding["claim_id"]: finding["reproduced"] for finding in result["findings"]}
    assert verdicts == {"mullick-e1": False, "mullick-e2": True}
