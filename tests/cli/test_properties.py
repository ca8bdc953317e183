"""`steelyard properties`: which measures have which properties."""

import json

import pytest
from click.testing import CliRunner

from steelyard.cli import main
from steelyard.cli.app import app


def listed(*words):
    run = CliRunner().invoke(app, ["properties", *words, "--json"])
    assert run.exit_code == 0, run.output
    found = json.loads(run.output)
    return {e["measure"] for e in (found["examinations"] if isinstance(found, dict) else found)}


def test_measures_are_filtered_by_what_is_proved_and_refuted():
    invariant = listed("--has", "prior-invariance", "--has", "monotone")
    assert {"recall", "macro_recall", "gmean"} <= invariant
    assert not {"precision", "accuracy", "mcc"} & invariant
    assert "mcc" in listed("--has", "symmetry", "--lacks", "prior-invariance")


def test_nothing_left_is_said():
    run = CliRunner().invoke(app, ["properties", "--has", "p2", "--lacks", "p2"])
    assert "No metric of the catalogue" in run.output


def test_two_measures_on_one_matrix_are_said_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Of one example that is told right accuracy is 1 and the error rate 0."""
    assert main(["examine", "error_rate", "--against", "accuracy"]) == 0
    assert "0 but 1 on [[0, 0], [0, 1]]" in " ".join(capsys.readouterr().out.split())
