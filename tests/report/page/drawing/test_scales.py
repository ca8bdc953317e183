"""Where values stand: at the ends, in the middle, beyond the edge, and on a logarithmic scale."""

import math
from itertools import pairwise

import pytest

from steelyard.report.page.drawing.scales import linear, log_ticks, logarithmic, tick_marks


def test_linear_and_logarithmic_scales_stop_at_their_edges():
    along = linear([(10.0, ""), (20.0, "")])
    assert [along(v) for v in (0, 10, 15, 20, 99)] == [0, 0, 0.5, 1, 1]
    along = logarithmic([(0.001, ""), (0.1, "")])
    assert [round(along(v), 9) for v in (0, 0.001, 0.01, 0.1, 1)] == [0, 0, 0.5, 1, 1]
    falling = logarithmic([(1.0, ""), (0.01, "")])
    assert [round(falling(v), 9) for v in (1, 0.1, 0.01, 0.0)] == [0, 0.5, 1, 1]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.004, 0.035, [0.002, 0.005, 0.01, 0.02, 0.05]),
        (0.01, 0.1, [0.01, 0.02, 0.05, 0.1]),
        (3e-6, 0.5, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0]),
        (0.2, 0.2, [0.2]),
    ],
)
def test_ticks_of_a_logarithmic_scale_are_round_and_reach_around(low, high, expected):
    assert log_ticks(low, high) == pytest.approx(expected)


def test_ticks_of_a_linear_scale_are_round_and_reach_around():
    for low, high in ((0, 60_000), (0.31, 0.37), (-3, 8)):
        marks = [mark for mark, _ in tick_marks(low, high)]
        assert marks[0] <= low + 1e-12
        assert marks[-1] >= high - 1e-12
        steps = {round(b - a, 9) for a, b in pairwise(marks)}
        assert len(steps) == 1
        step = steps.pop()
        assert round(step / 10 ** math.floor(math.log10(step)), 6) in (1, 2, 5)
