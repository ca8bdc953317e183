"""Settings shared by all tests: Hypothesis draws the same examples in every run."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steelyard",
    derandomize=True,
    max_examples=10,
    deadline=None,  # the time of one example is no property of the code under test
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steelyard")
