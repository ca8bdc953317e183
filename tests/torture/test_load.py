"""Do the trials under load work, on a small scale? `make torture` does more, `make torture-full` all."""

from __future__ import annotations

import pytest

from torture.load.trials import TRIALS

SMALL = {
    "rows": 400_000,
    "classes, dense": 300,
    "classes, sparse": 3_000,
    "slices": 60,
    "watch for 24 hours, a block a minute": 40,
    "tally for 24 hours, a batch a second": 400,
}


@pytest.mark.parametrize("name", TRIALS)
def test_a_small_trial(name: str) -> None:
    trial, sample, full, _ = TRIALS[name]
    assert SMALL[name] < sample <= full
    assert trial(SMALL[name])["right"]
