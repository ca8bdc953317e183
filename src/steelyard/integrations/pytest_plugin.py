"""Can a test of a project say how good its classifier has to be? A fixture for pytest.

def test_the_model(steelyard_gate):
    steelyard_gate(y, predictions, min={"gmean": 0.8})
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest


@pytest.fixture
def steelyard_gate() -> Callable[..., Any]:
    """Hold predictions against limits: see `steelyard.gate`. The test fails unless every rule passed.

    `cannot_tell="pass"` lets a test set through that is too small to tell, `"skip"` skips the test.
    """

    def decide(*given: Any, cannot_tell: Literal["fail", "skip", "pass"] = "fail", **options: Any) -> Any:
        from steelyard.judgement.gate.judge import gate

        result = gate(*given, **options)
        if result.outcome == "failed" or (result.outcome == "inconclusive" and cannot_tell == "fail"):
            pytest.fail(repr(result), pytrace=False)
        if result.outcome == "inconclusive" and cannot_tell == "skip":
            pytest.skip(repr(result))
        return result

    return decide
