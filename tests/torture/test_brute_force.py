"""Is the best threshold the best of all, and do class weights leave nothing to gain?"""

from __future__ import annotations

from torture.brute_force import run


def test_a_sample() -> None:
    tried = run(200, seed=3)
    assert tried.wrong == []
    assert tried.thresholds == 200
    assert tried.class_weights == 50
