"""No test reads or fills the user's cache."""

import pytest


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path_factory.getbasetemp() / "verdicts"))
