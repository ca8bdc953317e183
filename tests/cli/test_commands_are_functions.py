"""Every command is a public function with the same options and the same result."""

from __future__ import annotations

import io
import json
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.cli import main
from tests import commands

pytestmark = pytest.mark.usefixtures("few_samples")

DATA = Path(__file__).parents[2] / "examples" / "data"
PAYMENTS = str(DATA / "payments.csv")
MATRIX = [[90, 10], [30, 870]]

# The words of the command line, the function and what it is called with.
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    (
        f"threshold {PAYMENTS} --truth y --score p --cost 'fraud>ok=200, ok>fraud=4' --replicates 50",
        "threshold",
        {"data": PAYMENTS, "truth": "y", "score": "p", "cost": "fraud>ok=200, ok>fraud=4", "replicates": 50},
    ),
    (
        f"threshold {PAYMENTS} --truth y --score p --require 'recall>=0.8' --confidence 0.9",
        "threshold",
        {"data": PAYMENTS, "truth": "y", "score": "p", "require": ("recall>=0.8",), "confidence": 0.9},
    ),
    (
        f"evaluate {PAYMENTS} --truth y --pred model --slice day --priors 0.01 --interval none",
        "evaluate",
        {
            "data": PAYMENTS,
            "truth": "y",
            "pred": "model",
            "slices": ("day",),
            "priors": "0.01",
            "interval": "none",
        },
    ),
    (
        f"metrics '{json.dumps(MATRIX)}' --labels fraud,ok --priors 'fraud=0.1, ok=0.9'",
        "metrics",
        {"matrix": MATRIX, "labels": "fraud,ok", "priors": {"fraud": 0.1, "ok": 0.9}},
    ),
    (
        f"plan --measure gmean --width 0.1 --matrix '{json.dumps(MATRIX)}' --seed 3",
        "plan",
        {"measure": "gmean", "width": 0.1, "matrix": MATRIX, "seed": 3},
    ),
    (
        f"priors {PAYMENTS} --unlabelled {DATA / 'payments_next.csv'} --truth y --score p --draws 200",
        "priors",
        {
            "data": PAYMENTS,
            "unlabelled": str(DATA / "payments_next.csv"),
            "truth": "y",
            "score": "p",
            "draws": 200,
        },
    ),
    (
        f"sample {PAYMENTS} --labels 200 --score p --pred model --for 'recall[fraud]' --half-width 0.1 --seed 2",
        "sample",
        {
            "data": PAYMENTS,
            "labels": 200,
            "score": "p",
            "pred": "model",
            "metric": "recall[fraud]",
            "half_width": 0.1,
            "seed": 2,
        },
    ),
    (
        f"gate --matrix '{json.dumps(MATRIX)}' --labels fraud,ok --min 'recall[fraud]=0.6' --max error_rate=0.1",
        "gate",
        {
            "matrix": MATRIX,
            "labels": ["fraud", "ok"],
            "min": {"recall[fraud]": 0.6},
            "max": {"error_rate": 0.1},
        },
    ),
    (
        f"compare {PAYMENTS} --truth y --pred rule --pred model --draws 200",
        "compare",
        {"predictions": PAYMENTS, "y_true": "y", "pred": ("rule", "model"), "draws": 200},
    ),
    (
        "recommend --classes many --every-class --priors-change",
        "recommend",
        {"classes": "many", "every_class": True, "priors_change": True},
    ),
    (
        "audit 'accuracy=0.95, recall=0.8' --sizes ill=10,well=90",
        "audit",
        {"values": "accuracy=0.95, recall=0.8", "sizes": "ill=10,well=90"},
    ),
    (
        "examine precision recall --property prior-invariance --classes 2,3",
        "examine",
        {"measure": ["precision", "recall"], "properties": "prior-invariance", "classes": (2, 3)},
    ),
]


@pytest.mark.parametrize(("words", "function", "options"), CALLS, ids=[words for words, _, _ in CALLS])
def test_a_command_prints_what_its_function_returns(
    words: str, function: str, options: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    result = getattr(sy, function)(**options)
    code = main([*shlex.split(words), "--json"])
    assert code == getattr(result, "exit_code", 0)
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(result.plain()))
    main(shlex.split(words))
    assert capsys.readouterr().out.startswith(repr(result))


def test_watch_prints_what_its_function_returns(capsys: pytest.CaptureFixture[str]) -> None:
    """A stream: an object a line."""
    words = f"watch {PAYMENTS} --truth y --pred model --positive fraud --every 1000"
    watched = sy.watch(PAYMENTS, truth="y", pred="model", positive="fraud", every=1000)
    assert main(shlex.split(words)) == watched.exit_code
    assert capsys.readouterr().out == f"{watched!r}\n"
    main([*shlex.split(words), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines == json.loads(json.dumps([block.to_dict() for block in watched.blocks]))


def test_a_report_has_the_title_that_was_given() -> None:
    result = sy.evaluate(MATRIX, labels=["fraud", "ok"], interval=None, title="Fraud, third quarter")
    assert repr(result).startswith("Fraud, third quarter · 1,000 rows")
    assert "<h1>Fraud, third quarter" in result.to_html()
    assert "title" not in result.to_dict()


def test_a_former_name_is_accepted_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["threshold", PAYMENTS, "--truth", "y", "--score", "p", "--require", "recall>=0.8", "--json"]
    assert main([*asked, "--surely", "0.9"]) == 0
    former, note = capsys.readouterr()
    assert note == "steelyard: --surely is called --confidence here.\n"
    assert main([*asked, "--confidence", "0.9"]) == 0
    assert capsys.readouterr().out == former
    with pytest.warns(DeprecationWarning, match="surely= is called confidence= now"):
        sy.threshold(PAYMENTS, "p", truth="y", require=("recall>=0.8",), surely=0.9)


def test_a_closed_standard_error_and_termination_are_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = f"{sys.executable} -m steelyard evaluate {PAYMENTS} --truth y --pred model --interval none"
    closed = subprocess.run(f"{command} 2>&-", shell=True, capture_output=True, text=True, check=False)
    assert closed.returncode == 0
    assert "4,000 rows" in closed.stdout
    report = tmp_path / "report.html"
    report.write_text("old")
    report.chmod(0o600)
    asked = shlex.split(command)[3:]
    assert commands.steelyard(*asked, "--html", report).returncode == 0
    assert report.stat().st_mode & 0o777 == 0o600  # a private report stays private
    assert commands.steelyard(*asked, "--markdown", "-").stdout.startswith("# payments.csv")
    monkeypatch.chdir(tmp_path)
    assert commands.steelyard(*asked, "--html", "-").stdout.startswith("<!doctype html>")
    assert not (tmp_path / "-").exists()
    silent = subprocess.run(f"{command} >&-", shell=True, stderr=subprocess.PIPE, check=False)
    assert (silent.returncode, silent.stderr) == (0, b"")


def test_termination_leaves_no_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input is kept in a temporary folder, which SIGTERM used to leave behind."""
    folders: list[int] = []

    def terminated(*_: object, **__: object) -> None:
        folders.append(len(list(tmp_path.iterdir())))
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"y,model\nok,ok\nfraud,ok\n")))
    monkeypatch.setattr("steelyard.judgement.evaluate.judge.judge", terminated)
    assert main(["evaluate", "-", "--truth", "y", "--pred", "model"]) == 143
    assert folders
    assert min(folders) > 0
    assert not list(tmp_path.iterdir())


def test_a_wrong_column_is_named_before_a_missing_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", PAYMENTS, "--truth", "y", "--score", "nope"]) == 2
    assert capsys.readouterr().err.startswith("steelyard: there is no column 'nope'; allowed: day, y, ")
    assert main(["evaluate", PAYMENTS, "--truth", "y", "--score", "p"]) == 2
    assert "give --threshold 0.5" in capsys.readouterr().err


def test_a_threshold_by_cost_has_a_page() -> None:
    cost = "fraud>ok=200, ok>fraud=4"
    result = sy.evaluate(PAYMENTS, truth="y", score="p", threshold="best:cost", cost=cost, interval=None)
    assert "<html" in result.to_html()
