"""Is the float value the exact one, and undefined in the same places, through every operator?"""

from __future__ import annotations

from torture.exact import run


def test_floats_agree_with_fractions() -> None:
    """Every 26th composition, so that all measures and all pairs of operators come up; 6,000 matrices in all."""
    tried = run(6_000, seed=4, step=26)
    assert tried.wrong == []
    assert tried.compositions > 500
    assert tried.matrices >= 6_000
