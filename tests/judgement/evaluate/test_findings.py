"""Findings: ordered by harm, and every command runs as it is printed."""

import shlex
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli import main

pytestmark = pytest.mark.usefixtures("few_samples")

ROOT = Path(__file__).resolve().parents[3]
PAYMENTS = "examples/data/payments.csv"


@pytest.mark.parametrize(
    "asked",
    [
        {"data": PAYMENTS, "truth": "y", "pred": "model"},
        {"data": PAYMENTS, "truth": "y", "score": "p", "threshold": 0.5},
        {"data": PAYMENTS, "truth": "y", "score": "p", "threshold": "best:gmean"},
        {"data": "examples/data/glass.csv", "truth": "truth", "pred": "logistic_regression"},
    ],
)
def test_every_command_runs_as_printed(asked, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    findings = sy.evaluate(**asked).findings
    assert findings
    for finding in findings:
        assert finding.why
        assert finding.next.endswith(".")
        if finding.command:
            program, *arguments = shlex.split(finding.command)
            assert program == "steelyard"
            assert main(arguments) == 0, finding.command
            assert capsys.readouterr().err == ""


def test_warnings_come_before_notes():
    """Never detecting the rare class is found first; the accuracy of 95% is that of a constant prediction."""
    found = sy.evaluate(["a"] * 5 + ["b"] * 95, ["b"] * 100, positive="a").findings
    assert [finding.kind for finding in found] == sorted((f.kind for f in found), reverse=True)
    assert found[0].what == "No row of a is classified correctly (0 of 5)."
    assert found[1].what == 'Accuracy (95.0%) is not above that of always predicting "b" (95.0%).'


def test_predictions_that_came_from_no_file_give_no_command():
    assert all(
        not f.command for f in sy.evaluate([[90, 10], [30, 870]], labels=["x", "y"], positive="x").findings
    )
