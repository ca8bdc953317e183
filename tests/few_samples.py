"""Few bootstrap samples, and few test sets from a posterior where a call names no number: drawing them is most of what an
evaluation costs, and most tests ask what is said, not how wide an interval is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

OF_SCORES = {
    "steelyard.scores.ranking_evaluation.SAMPLES_OF_FEW": 20,
    "steelyard.scores.ranking_evaluation.SAMPLES_OF_MANY": 20,
    "steelyard.judgement.compare.score_comparison.MOST_SAMPLES": 20,
    "steelyard.judgement.compare.score_comparison.FEWEST_SAMPLES": 20,
    "steelyard.judgement.sample.design._REPLICATES": 4,
}
"""Pages keep all draws from posteriors, which their What if repeats."""

EVERY = OF_SCORES | {
    "steelyard.uncertainty.resampling.MOST_DRAWS": 1_000,
    "steelyard.uncertainty.resampling.FEWEST_DRAWS": 200,
    "steelyard.uncertainty.resampling._CELLS_DRAWN": 500_000,
    "steelyard.judgement.plan.judge.MOST_SIMULATED": 400,
}


@contextmanager
def drawing_few_samples(numbers: Mapping[str, int] = EVERY) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, number in numbers.items():
            patch.setattr(name, number)
        yield


@pytest.fixture
def few_samples(request: pytest.FixtureRequest) -> Iterator[None]:
    """For modules whose tests do not depend on the number of samples; a test that does is marked `all_samples`."""
    if request.node.get_closest_marker("all_samples") is not None:
        yield
        return
    with drawing_few_samples():
        yield
