"""Text is written without entering the code that draws."""

import sys
from pathlib import Path

import pytest

import steelyard as sy

PAYMENTS = Path(__file__).parents[2] / "examples" / "data" / "payments.csv"
COLUMNS = {"truth": "y", "positive": "fraud"}
DRAWING = ("report/chart", "report/drawing", "report/page", "/figures", "resvg", "matplotlib")
RESULTS = {
    "evaluate": lambda: sy.evaluate(PAYMENTS, **COLUMNS, pred="model", score="p", draws=200),
    "compare": lambda: sy.compare(PAYMENTS, y_true="y", positive="fraud", pred=["model", "rule"], draws=200),
    "threshold": lambda: sy.threshold(PAYMENTS, **COLUMNS, score="p"),
    "gate": lambda: sy.gate(PAYMENTS, **COLUMNS, pred="model", min={"recall": 0.5}, draws=200),
}


def files_entered(work):
    """The source files whose functions run."""
    entered = set()

    def note(frame, event, _):
        if event == "call":
            entered.add(frame.f_code.co_filename.replace("\\", "/"))

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return entered


@pytest.mark.parametrize("name", RESULTS)
def test_repr_draws_nothing(name):
    result = RESULTS[name]()
    assert not [file for file in files_entered(lambda: repr(result)) if any(part in file for part in DRAWING)]
    # The same profile sees a drawing where there is one.
    assert [file for file in files_entered(result.to_html) if "report/page" in file]
