"""What all tests share: Hypothesis draws the same examples in every run, and the user's cache is left alone."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.few_samples import few_samples as few_samples
from tests.real_parts import pytest_runtest_makereport as pytest_runtest_makereport
from tests.scheduling import pytest_collection_modifyitems as pytest_collection_modifyitems
from tests.scheduling import pytest_xdist_make_scheduler as pytest_xdist_make_scheduler

settings.register_profile(
    "steelyard",
    derandomize=True,
    max_examples=10,
    deadline=None,  # the time of one example is no property of the code under test
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steelyard")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that collecting makes is garbage, and looking for it takes a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or fills the user's cache of verdicts. Sentences are looked for in what is printed, so lines are
    long unless a test is about their length."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEELYARD_CACHE", str(tmp_path_factory.getbasetemp() / "verdicts"))
        patch.setenv("COLUMNS", "200")
        yield
