"""A gate on scores, costs, slices and paired drops, against scikit-learn and hand arithmetic."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli import main

pytestmark = pytest.mark.usefixtures("few_samples")


def _scored(tmp_path: Path, name: str = "now.csv", worse: int = 0) -> str:
    """400 rows, 100 of them fraud; scores k/100 and k/400; `worse` frauds have the score 0."""
    lines = ["id,y,pred,p,amount,country"]
    for k in range(400):
        fraud = k < 100
        score = (0.0 if k < worse else (k + 1) / 101) if fraud else (k - 99) / 602
        label = "fraud" if score >= 0.4 else "ok"
        country = "us" if k % 4 == 0 else "de"
        lines.append(f"{k},{'fraud' if fraud else 'ok'},{label},{score:.6f},{10 + k % 50},{country}")
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n")
    return str(path)


SCORED = ("--truth", "y", "--positive", "fraud")


def test_limits_on_scores_costs_and_calibration(tmp_path: Path) -> None:
    from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

    path = _scored(tmp_path)
    fraud = [k < 100 for k in range(400)]
    scores = [(k + 1) / 101 if k < 100 else (k - 99) / 602 for k in range(400)]
    result = sy.gate(
        path,
        truth="y",
        score="p",
        threshold=0.4,
        positive="fraud",
        cost="fraud>ok=10, ok>fraud=1",
        min={"roc_auc": "60%", "average_precision": 0.5},
        max={"brier": 0.2, "expected_cost": 4.0, "expected_calibration_error": 0.5, "log_loss": 2.0},
    )
    value = {ruling.measure: ruling.value for ruling in result.rulings}
    assert value["roc_auc"] == pytest.approx(roc_auc_score(fraud, scores), abs=1e-6)
    assert value["average_precision"] == pytest.approx(average_precision_score(fraud, scores), abs=1e-5)
    assert value["brier"] == pytest.approx(brier_score_loss(fraud, scores), abs=1e-5)
    missed, alarms = sum(s < 0.4 for s in scores[:100]), sum(s >= 0.4 for s in scores[100:])
    assert value["expected_cost"] == pytest.approx((10 * missed + alarms) / 400)
    assert result.outcome == "passed"
    assert all(ruling.low < ruling.value < ruling.high for ruling in result.rulings)


def test_the_command_takes_scores_and_percentages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _scored(tmp_path)
    words = ["gate", path, *SCORED, "--score", "p", "--threshold", "0.4"]
    assert main([*words, "--min", "roc_auc=60%", "--min", "recall[fraud]=40%"]) == 0
    assert main([*words, "--min", "roc_auc=0.99"]) == 1
    assert main(["gate", path, *SCORED, "--pred", "pred", "--min", "roc_auc=0.6"]) == 2
    assert "roc_auc is a metric of scores" in capsys.readouterr().err
    assert main([*words, "--max", "expected_cost=1"]) == 2
    assert "--cost" in capsys.readouterr().err
    assert main([*words, "--min", "recall=sixty%"]) == 2


def test_a_slice_that_fails_stops_the_gate(tmp_path: Path) -> None:
    lines = ["y,pred,country"]
    for country, missed in (("de", 10), ("us", 60)):
        lines += [f"fraud,{'ok' if k < missed else 'fraud'},{country}" for k in range(100)]
        lines += [f"ok,ok,{country}"] * 300
    lines += ["fraud,ok,fr", "ok,ok,fr"]  # too few to say anything
    path = tmp_path / "p.csv"
    path.write_text("\n".join(lines) + "\n")
    result = sy.gate(
        str(path), truth="y", pred="pred", positive="fraud", slices=["country"], min={"recall": 0.55}
    )
    outcomes = {ruling.slice: ruling.outcome for ruling in result.rulings}
    assert outcomes == {
        "": "passed",
        "country=de": "passed",
        "country=us": "failed",
        "country=fr": "inconclusive",
    }
    assert result.exit_code == 1
    assert "recall at least 0.55 in country=us" in result.to_junit()
    assert "::error title=failed%3A recall at least 0.55 in country=us::0.400" in result.to_annotations()
    assert "country=fr" not in result.to_annotations()


def test_a_drop_is_paired_where_rows_match(tmp_path: Path) -> None:
    now, before = _scored(tmp_path, worse=3), _scored(tmp_path, "main.csv")
    how = {"truth": "y", "pred": "pred", "positive": "fraud", "max_drop": {"recall": 0.01}, "against": before}
    alone, paired = sy.gate(now, **how), sy.gate(now, key="id", **how)
    (free,), (matched,) = alone.rulings, paired.rulings
    assert matched.value == pytest.approx(free.value) == pytest.approx(0.0)
    assert matched.high - matched.low < 0.5 * (free.high - free.low)
    (same,) = sy.gate(now, **{**how, "against": _scored(tmp_path, "same.csv", worse=3)}, key="id").rulings
    assert str((same.value, same.high)) == "(0.0, 0.0)"  # no minus zero
    assert "--key" in " ".join(alone.notes)
    assert not paired.notes
    areas = {"truth": "y", "score": "p", "threshold": 0.4, "positive": "fraud", "against": before}
    (free,) = sy.gate(now, max_drop={"roc_auc": 0.01}, **areas).rulings
    (matched,) = sy.gate(now, max_drop={"roc_auc": 0.01}, key="id", **areas).rulings
    assert matched.value == pytest.approx(free.value)
    assert matched.high - matched.low < 0.5 * (free.high - free.low)


def test_files_of_one_name_in_two_folders_are_paired(tmp_path: Path) -> None:
    paths = []
    for folder, worse in (("branch", 3), ("main", 0)):
        (tmp_path / folder).mkdir()
        paths.append(_scored(tmp_path / folder, "p.csv", worse))
    how = {"truth": "y", "pred": "pred", "positive": "fraud", "max_drop": {"recall": 0.05}, "key": "id"}
    (ruling,) = sy.gate(paths[0], against=paths[1], **how).rulings
    assert ruling.why == "paired"
    assert ruling.outcome == "passed"


def test_rules_of_scores_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _scored(tmp_path)
    Path("steelyard.toml").write_text(
        '[gate]\nsource = "now.csv"\ntruth = "y"\nscore = "p"\nthreshold = 0.4\npositive = "fraud"\n'
        'slice = "country"\ncost = "fraud>ok=10, ok>fraud=1"\n[gate.min]\nroc_auc = "60%"\n'
        "[gate.max]\nexpected_cost = 9\n"
    )
    assert main(["gate"]) == 0


def test_the_example_for_github_actions(tmp_path: Path) -> None:
    """The last step of examples/gate.yml, run by bash as a runner does (-e)."""
    example = Path(__file__).parents[2] / "examples" / "gate.yml"
    step = example.read_text(encoding="utf-8").rpartition("run: |\n")[2]
    script = f'steelyard() {{ {sys.executable} -m steelyard "$@"; }}\n{textwrap.dedent(step)}'
    summary = tmp_path / "summary.md"
    for worse, code, annotated in ((0, 0, False), (30, 1, True)):
        _scored(tmp_path, "predictions.csv", worse)
        _scored(tmp_path, "main.csv")
        summary.unlink(missing_ok=True)
        done = subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=tmp_path,
            env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == code, done.stderr
        assert "recall" in summary.read_text()
        assert ("::error title=failed%3A" in done.stdout) == annotated
