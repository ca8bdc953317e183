"""What tests of the audit share: answers without what is looked for after them."""

from __future__ import annotations

import pytest

from steelyard.auditing import judge


@pytest.fixture
def without_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No usual mistake is looked for: that takes longer than the answer, and tests/auditing/test_audit.py is about it."""
    monkeypatch.setattr(judge, "explanations", lambda *_: ())


@pytest.fixture
def verdict_alone(without_mistakes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is it said which of the values contradict each other."""
    monkeypatch.setattr(judge, "contradiction", lambda *_: None)
