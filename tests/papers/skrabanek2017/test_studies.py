from fractions import Fraction
from pathlib import Path

import pytest

from steelyard_papers import runner
from steelyard_papers.skrabanek2017.gradients import MODIFIED, STUDY, variables


def test_derivatives_by_hand() -> None:
    x, y = variables(Fraction(2), Fraction(3))
    quotient = (x * y - 1) / (y + 1)  # by x: y / (y + 1); by y: (x + 1) / (y + 1)²
    assert quotient.value == Fraction(5, 4)
    assert quotient.partials == (Fraction(3, 4), Fraction(3, 16))
    root = (x * x * y * y).sqrt()  # x y, whose derivatives are y and x
    assert root.partials == pytest.approx((3.0, 2.0))
    assert (5 - x).partials == (-1, 0)


@pytest.mark.parametrize("name", MODIFIED)
def test_gradients_equal_differences(name: str) -> None:
    at = (Fraction(3, 4), Fraction(5, 8), Fraction(1, 5))
    gradient = MODIFIED[name](*variables(*at)).partials
    step = Fraction(1, 10**6)
    for i, slope in enumerate(gradient):
        up, down = list(at), list(at)
        up[i], down[i] = at[i] + step, at[i] - step
        difference = MODIFIED[name](*variables(*up)).value - MODIFIED[name](*variables(*down)).value
        assert float(slope) == pytest.approx(float(difference / (2 * step)), abs=1e-6)


def test_quick(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path, quick=True)
    verdicts = {finding["claim_id"]: finding["reproduced"] for finding in result["findings"]}
    assert verdicts == {
        "skrabanek-t2": True,
        "skrabanek-t3": True,
        "skrabanek-b1": True,
        "skrabanek-g1": True,
        "skrabanek-x1": False,
    }
    folder = tmp_path / "skrabanek2017-gradients-quick"
    assert {path.suffix for path in folder.glob("balanced.*")} == {".svg", ".png"}
