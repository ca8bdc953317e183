"""Outputs never replace what is read, options are never dropped, and shown commands keep what was asked."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.report.terminal import plain_text

pytestmark = pytest.mark.usefixtures("few_samples")

ROWS = "y,a,b,p,ds\n" + "".join(
    f"{'fraud' if k % 5 == 0 else 'ok'},{'fraud' if k % 5 == 0 and k % 3 else 'ok'},"
    f"{'fraud' if k % 7 == 0 else 'ok'},{(k * 37 % 100) / 100 if k % 5 else (60 + k % 40) / 100},{'AB'[k % 2]}\n"
    for k in range(120)
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(ROWS)
    Path("r[1].csv").write_text(ROWS)
    Path("ff").mkdir()
    Path("ff/a.csv").write_text(ROWS)
    return tmp_path


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(words) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "r[1].csv", "--truth", "y", "--pred", "a", "--json", "r[1].csv"],
        [
            "compare",
            "ff",
            "--truth",
            "y",
            "--pred",
            "a",
            "--pred",
            "b",
            "--dataset",
            "ds",
            "--json",
            "ff/a.csv",
        ],
    ],
)
def test_an_output_does_not_replace_an_input(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "an output would replace what is read" in refused(words, capsys)
    assert Path(words[-1]).read_text() == ROWS


def test_inputs_that_a_settings_file_names_are_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    rules = (
        '[gate]\nsource = "d.csv"\ntruth = "y"\npred = "a"\npositive = "fraud"\n[gate.min]\naccuracy = 0.1\n'
    )
    Path("steelyard.toml").write_text(rules)
    for output in ("d.csv", "steelyard.toml"):
        assert "would replace what is read" in refused(["gate", "--json", output], capsys)
    assert Path("d.csv").read_text() == ROWS
    assert Path("steelyard.toml").read_text() == rules


def test_two_names_of_one_output_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", "d.csv", "--truth", "y", "--pred", "a", "--json", "out", "--html", "./out"]
    assert "two outputs have one name" in refused(command, capsys)
    assert not Path("out").exists()


@pytest.mark.parametrize("wrong", [["--alpha", "7"], ["--measure", "nonsense"], ["--measure", "roc_auc"]])
def test_a_watch_that_is_refused_leaves_the_file(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("old.json").write_text("notes")
    refused(
        ["watch", "d.csv", "--truth", "y", "--pred", "a", "--every", "30", "--json", "old.json", *wrong],
        capsys,
    )
    assert Path("old.json").read_text() == "notes"


def test_a_watch_of_nothing_and_of_a_metric_without_its_class(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty.csv").write_text("y,a\n")
    watch = ["watch", "empty.csv", "--truth", "y", "--pred", "a", "--every", "30"]
    assert "there is nothing to watch; found 0 rows" in refused(watch, capsys)
    Path("three.csv").write_text("y,a\n" + "u,u\nv,w\nw,w\n" * 30)
    three = ["watch", "three.csv", "--truth", "y", "--pred", "a", "--every", "30", "--measure", "recall"]
    assert "3 classes and no positive class" in refused(three, capsys)
    assert main([*three, "--positive", "u", "--exit-zero"]) == 0


def test_precision_and_alerts_of_a_threshold_are_those_at_the_priors() -> None:
    """By hand: recall and false positive rate of the chosen threshold, at a prevalence of 1%."""
    found = sy.threshold("d.csv", truth="y", score="p", positive="fraud", priors=0.01, maximise="f1")
    chosen = found.chosen
    fpr = chosen.false_alarms / 96
    alerts = 0.01 * chosen.recall + 0.99 * fpr
    assert chosen.alerts_per_1000 == pytest.approx(1000 * alerts)
    assert chosen.precision == pytest.approx(0.01 * chosen.recall / alerts)
    assert "at your priors" in plain_text(found.report())


def test_no_skill_is_never_better_than_the_best_constant() -> None:
    found = sy.evaluate(["A", "A", "B", "B"], ["A", "X", "B", "B"], interval=None)
    rows = {row.measure.name: row for row in found.first}
    assert rows["accuracy"].baseline is not None
    assert rows["accuracy"].baseline.value == 0.5
    assert rows["mcc"].baseline is not None
    assert rows["mcc"].baseline.value == 0


@pytest.mark.parametrize("weight", [0.1, 2, 1e6])
def test_equal_weights_do_not_change_what_guessing_reaches(weight: float) -> None:
    truth, called = list("aaaaaabbbcc"), list("baaaaababac")
    plain = sy.evaluate(truth, called, interval=None)
    weighted = sy.evaluate(truth, called, weight=[weight] * 11, interval=None)
    for one, other in zip(plain.first, weighted.first, strict=True):
        assert (one.baseline is None) == (other.baseline is None)
        if one.baseline is not None and other.baseline is not None:
            assert other.baseline.value == pytest.approx(one.baseline.value)


def test_shown_commands_keep_odd_names_missing_rows_and_priors(capsys: pytest.CaptureFixture[str]) -> None:
    Path("my file's (1).csv").write_text(ROWS)
    assert main(["threshold", "my file's (1).csv", "--truth", "y", "--score", "p", "--priors", "0.01"]) == 0
    shown = capsys.readouterr().out.replace("\\\n", " ")
    commands = [shlex.split(line) for line in shown.splitlines() if line.strip().startswith("steelyard ")]
    assert all(command[2] == "my file's (1).csv" for command in commands)
    assert all(command[command.index("--priors") + 1] == "0.01" for command in commands)
    for command in commands:
        assert main(command[1:]) == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["plan"], "missing option '--measure'"),
        (["plan", "--measure", "recall", "--width", "0.1", "--rows", "50"], "a plan is for a width or for a difference"),
        (["sample", "d.csv", "--labels", "20", "--score", "p", "--positive", "fraud", "--threshold", "nan"], "--threshold is out of range"),
        (["sample", "d.csv", "--labels", "20", "--score", "p", "--positive", "fraud", "--for", "diagnostic_odds_ratio"], "cannot be expected"),
        (["evaluate", "d.csv", "--truth", "y", "--score", "y", "--threshold", "0.5"], "one column cannot be both truth and scores"),
        (["evaluate", "d.csv", "--truth", "y", "--score", "p", "--threshold", "0.5", "--abstain", "ok"], "never abstain"),
        (["evaluate", "d.csv", "--truth", "y", "--score", "p", "--threshold", "0.5", "--tolerance", "nan"], "--tolerance is out of range"),
    ],
)  # fmt: skip
def test_what_would_be_ignored_is_refused(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reason in refused(words, capsys)


def test_a_half_width_chooses_the_number_of_labels(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pool.csv").write_text("p\n" + "".join(f"{k / 2000}\n" for k in range(2000)))
    assert (
        main(["sample", "pool.csv", "--score", "p", "--positive", "fraud", "--half-width", "0.08", "--json"])
        == 0
    )
    written = json.loads(capsys.readouterr().out)
    assert written["labels"] == pytest.approx(written["needed"], rel=0.1)
    assert written["expected"][0]["half_width"] == pytest.approx(0.08, rel=0.1)


def test_all_metrics_stay_all_beside_one_more() -> None:
    found = sy.compare("d.csv", "y", pred=["a", "b"], measures="all", draws=200)
    assert (
        main(
            [
                "compare",
                "d.csv",
                "--truth",
                "y",
                "--pred",
                "a",
                "--pred",
                "b",
                "--measure",
                "all",
                "--measure",
                "mcc",
                "--draws",
                "200",
                "--json",
                "out.json",
            ]
        )
        == 0
    )
    assert set(json.loads(Path("out.json").read_text())["best"]) == set(found.best)


def test_a_wrong_call_names_the_function() -> None:
    with pytest.raises(TypeError, match=r"plan\(\) got multiple values for argument 'measure'"):
        sy.plan("d.csv", measure="recall")  # type: ignore[misc]


@pytest.mark.parametrize(
    "path", [[], ["--cluster", "ds"], ["--weight", "p"], ["--block", "10"], ["--interval", "none"]]
)
@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--seed", "-1", "seed"),
        ("--draws", "0", "draws"),
        ("--draws", "1", "draws"),
        ("--level", "nan", "level"),
    ],
)
def test_settings_of_intervals_are_checked_on_every_path(
    path: list[str], option: str, value: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With groups and weights they ended in a traceback, or in an interval from one draw."""
    error = refused(["evaluate", "d.csv", "--truth", "y", "--pred", "a", *path, option, value], capsys)
    assert words in error
    assert error.count("\n") == 1


def test_pages_of_a_named_class_of_several_and_of_an_infinite_threshold(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first was refused for lack of a positive class, the second ended in a traceback."""
    Path("m.csv").write_text("y,a,b\n" + "x,x,x\ny,y,x\nz,z,z\nx,y,x\nz,x,z\n" * 20)
    page = ["--draws", "200", "--html", "p.html"]
    assert (
        main(["compare", "m.csv", "--truth", "y", "--pred", "a", "--pred", "b", "--positive", "x", *page])
        == 0
    )
    Path("s.csv").write_text("y,p\n" + "fraud,0.9\nok,0.1\nok,0.2\n" * 20)
    costs = ["--cost", "ok>fraud=0.0001, fraud>ok=100", "--positive", "ok", "--replicates", "20"]
    assert main(["threshold", "s.csv", "--truth", "y", "--score", "p", *costs, "--html", "t.html"]) == 0
    assert "infinity" in capsys.readouterr().out
