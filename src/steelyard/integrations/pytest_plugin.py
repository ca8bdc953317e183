"""pytest fixture `steelyard_gate`: fail a test when a classifier misses its limits.

def test_the_model(steelyard_gate):
    steelyard_gate(y, predictions, min={"gmean": 0.8})
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest


@pytest.fixture
def steelyard_gate() -> Callable[..., Any]:
    """Test predictions against limits: see `steelyard.gate`. The test fails unless every rule passed.

    `cannot_tell="pass"` accepts inconclusive rules, `"skip"` skips the test.
    """

    def decide(
        *predictions: Any, cannot_tell: Literal["fail", "skip", "pass"] = "fail", **options: Any
    ) -> Any:
        from steelyard.judgement.gate.judge import gate

        result = gate(*predictions, **options)
        if result.outcome == "failed" or (result.outcome == "inconclusive" and cannot_tell == "fail"):
            pytest.fail(repr(result), pytrace=False)
        if result.outcome == "inconclusive" and cannot_tell == "skip":
            pytest.skip(repr(result))
        return result

    return decide
