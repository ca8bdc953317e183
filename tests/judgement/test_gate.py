"""Does a gate let through what is surely good, stop what is surely bad, and say where it is inconclusive?"""

from __future__ import annotations

import json
import math
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import pytest

import steelyard as sy
from steelyard.cli import main

pytest_plugins = ["pytester"]

CM = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
MATRIX = ("--matrix", "[[90,10],[30,870]]", "--labels", "fraud,ok", "--positive", "fraud")


def outcome(limit: float, **how: str) -> str:
    return sy.gate(CM, min={"recall[fraud]": limit}, **how).rulings[0].outcome


def test_an_interval_decides() -> None:
    """recall is 0.9 of 100: every usual 95% interval lies within 0.80 and 0.96, and holds 0.85 and 0.93."""
    assert outcome(0.80) == "passed"
    assert outcome(0.85) == "inconclusive"
    assert outcome(0.93) == "inconclusive"
    assert outcome(0.97) == "failed"


def test_a_value_decides_if_asked() -> None:
    assert outcome(0.9, by="point") == "passed"
    assert outcome(0.9001, by="point") == "failed"


def test_at_most() -> None:
    def most(limit: float) -> str:
        return sy.gate(CM, max={"error_rate": limit}).rulings[0].outcome

    assert (most(0.06), most(0.04), most(0.02)) == ("passed", "inconclusive", "failed")  # it is 40 of 1,000


def test_a_failure_outweighs_a_doubt() -> None:
    doubt, failure, pass_ = {"recall[fraud]": 0.9}, {"recall[fraud]": 0.99}, {"recall[fraud]": 0.5}
    assert sy.gate(CM, min=doubt, max={"error_rate": 0.01}).exit_code == 1
    assert sy.gate(CM, min=doubt).exit_code == 3
    assert sy.gate(CM, min=failure).exit_code == 1
    assert sy.gate(CM, min=pass_).exit_code == 0


def test_how_many_more_examples_would_decide_it() -> None:
    """With about that many more, and the same rates, it is decided; with half as many it is not."""
    ruling = sy.gate(CM, min={"accuracy": 0.955}).rulings[0]
    assert ruling.outcome == "inconclusive"
    assert ruling.more is not None
    for part, expected in ((1.2, "passed"), (0.5, "inconclusive")):
        times = 1 + part * ruling.more / 1000
        larger = [[round(90 * times), round(10 * times)], [round(30 * times), round(870 * times)]]
        assert sy.gate(larger, min={"accuracy": 0.955}).rulings[0].outcome == expected


def test_examples_of_the_class_are_counted_apart() -> None:
    ruling = sy.gate(CM, min={"recall[fraud]": 0.85}).rulings[0]
    assert ruling.more is not None
    assert ruling.more_of_class == math.ceil(ruling.more / 10)  # one example in ten is fraud


def test_a_value_on_its_limit_is_never_decided() -> None:
    ruling = sy.gate(CM, min={"recall[fraud]": 0.9}).rulings[0]
    assert (ruling.outcome, ruling.more) == ("inconclusive", None)
    assert "no number of examples" in ruling.why


def test_a_drop_against_recorded_figures() -> None:
    def drop(limit: float, was: float) -> str:
        return sy.gate(CM, max_drop={"accuracy": limit}, against={"accuracy": was}).rulings[0].outcome

    assert drop(0.05, 0.96) == "passed"
    assert drop(0.001, 0.96) == "inconclusive"
    assert drop(0.01, 0.999) == "failed"


def test_a_drop_of_a_measure_of_which_lower_is_better() -> None:
    ruling = sy.gate(CM, max_drop={"error_rate": 0.001}, against={"error_rate": 0.01}).rulings[0]
    assert ruling.value == pytest.approx(0.03)
    assert ruling.outcome == "failed"


def test_the_interval_of_a_drop_is_newcombes() -> None:
    """newcombe1998's worked contrast (a) 56/70 - 48/80: method 10 prints 0.2000 and 0.0524 to 0.3339."""
    then = sy.Confusion([[56, 14], [1, 1]], labels=["a", "b"])
    now = sy.Confusion([[48, 32], [1, 1]], labels=["a", "b"])
    from steelyard.judgement.gate.judge import _dropped
    from steelyard.uncertainty.intervals import interval

    ends = []
    for matrix in (then, now):
        one = interval(matrix, ["recall"], method="wilson", positive="a")["recall"]
        ends.append((one.estimate, one.low, one.high))
    value, low, high = _dropped(*ends, lower_is_better=False)
    assert (round(value, 4), round(low, 4), round(high, 4)) == (0.2, 0.0524, 0.3339)


def test_an_unsure_baseline_is_named() -> None:
    small = sy.Confusion([[9, 1], [3, 87]], labels=["fraud", "ok"])
    ruling = sy.gate(CM, max_drop={"recall[fraud]": 0.01}, against=small).rulings[0]
    assert ruling.outcome == "inconclusive"
    assert "the baseline needs more rows" in ruling.why


def test_undefined_is_no_pass() -> None:
    ruling = sy.gate([[0, 10], [0, 90]], min={"precision": 0.1}).rulings[0]
    assert ruling.outcome == "inconclusive"
    assert "nothing was predicted" in ruling.why


@pytest.mark.parametrize("by", ["interval", "point"])
def test_where_nothing_is_known_nothing_is_said_to_be_missing(by: Literal["interval", "point"]) -> None:
    undefined = sy.gate([[0, 10], [0, 90]], min={"precision": 0.1}, by=by)
    for told in (repr(undefined), undefined.to_markdown(), undefined.to_junit()):
        assert "nan" not in told.lower()
        assert "undefined to undefined" not in told
        assert "undefined" in told


def test_a_drop_that_is_too_large_is_not_called_missing() -> None:
    told = repr(sy.gate(CM, max_drop={"gmean": 0.01}, against={"gmean": 0.99}))
    assert "above the limit" in told
    assert "missing" not in told


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "there is nothing to decide"),
        ({"min": {"gmaen": 0.5}}, "there is no metric 'gmaen'"),
        ({"min": {"gmean[fraud]": 0.5}}, "a metric of all classes together"),
        ({"min": {"recall[frau]": 0.5}}, "frau"),
        ({"min": {"roc_auc": 0.5}}, "roc_auc is a metric of scores"),
        ({"min": {"gmean": "high"}}, "is not a number"),
        ({"max_drop": {"gmean": 0.1}}, "max_drop= without against="),
        ({"min": {"gmean": 0.1}, "against": {"gmean": 1}}, "against= without max_drop="),
        ({"max_drop": {"gmean": 0.1}, "against": {"mcc": 1}}, "does not say what gmean was"),
        ({"max_drop": {"gmean": 0.1}, "against": {"gmean": "x"}}, "what the baseline says of gmean"),
        ({"max_drop": {"gmean": 0.1}, "against": {"matrix": 3}}, "the baseline is not an evaluation"),
        (
            {"min": {"gmean": 0.5}, "by": "eye"},
            "by= has no such value; found 'eye'; allowed: interval, point",
        ),
    ],
)
def test_what_is_refused(rules: dict[str, object], words: str) -> None:
    with pytest.raises(sy.SteelyardError, match=words.replace("[", r"\[")):
        sy.gate(CM, **rules)  # type: ignore[arg-type]


# -- the command


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("recall[fraud]=0.6", 0),
        ("recall[fraud]=0.9", 3),
        ("recall[fraud]=0.99", 1),
        ("recall=high", 2),
        ("gmaen=1", 2),
    ],
)
def test_exit_codes(rule: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", *MATRIX, "--min", rule]) == code
    out, err = capsys.readouterr()
    assert bool(out) == (code != 2)
    assert err.startswith("steelyard: ") == (code == 2)


def test_the_files_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", *MATRIX, "--json", "baseline.json"]) == 0
    rules = (
        "--min",
        "recall[fraud]=0.6",
        "--min",
        "f_beta=0.99",
        "--max-drop",
        "f1=0.5",
        "--against",
        "baseline.json",
    )
    files = ("--junit", "gate.xml", "--markdown", "gate.md", "--json", "gate.json")
    assert main(["gate", *MATRIX, *rules, *files]) == 1
    suite = ElementTree.parse("gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "0")
    assert [case.get("name") for case in suite] == [
        'recall of "fraud" at least 0.6',
        "F1 at least 0.99",
        "F1 may drop by at most 0.5",
    ]
    assert "| failed |" in Path("gate.md").read_text()
    told = json.loads(Path("gate.json").read_text())
    assert told["outcome"] == "failed"
    assert [ruling["outcome"] for ruling in told["rulings"]] == ["passed", "failed", "passed"]
    assert told["rulings"][2]["value"] == pytest.approx(0)


def test_a_file_of_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ["fraud,fraud"] * 90 + ["fraud,ok"] * 10 + ["ok,fraud"] * 30 + ["ok,ok"] * 870
    Path("p.csv").write_text("y,yhat\n" + "\n".join(rows) + "\n")
    Path("steelyard.toml").write_text(
        '[gate]\nsource = "p.csv"\ntruth = "y"\npred = "yhat"\npositive = "fraud"\n[gate.min]\n"recall[fraud]" = 0.6\n'
    )
    assert main(["gate"]) == 0
    assert 'recall of "fraud" at least 0.6' in capsys.readouterr().out
    assert main(["gate", "--min", "recall[fraud]=0.99"]) == 1  # the command line has the last word
    Path("steelyard.toml").write_text("[gate]\nminimum = 1\n")
    assert main(["gate", "p.csv"]) == 2
    assert "minimum" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[gate", "cannot be read"),
        ("gate = 3", "gate in steelyard.toml is not understood"),
        (
            "[gate]\nmin = 3",
            r"min in steelyard.toml is not understood; found 3; allowed: a table: \[gate.min\]",
        ),
        ("[gate]\nlevel = 'high'", "level in steelyard.toml is not understood"),
        ("[gate]\nlabels = 3", "labels in steelyard.toml is not understood"),
        ("[gate]\nsource = ['p.csv']", "source in steelyard.toml is not understood"),
        ("[gate.min]\ngmean = '0.8'", "the limit of gmean is not a number"),
        (
            "[gate]\nby = 'eye'\n[gate.min]\ngmean = 0.8",
            "--by has no such value; found 'eye'; allowed: interval, point",
        ),
        ("", "name a metric with --min, --max or --max-drop"),
    ],
)
def test_a_wrong_file_of_rules_is_one_sentence(
    text: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("steelyard.toml").write_text(text)
    assert main(["gate", *MATRIX]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(words, err)
    assert err.count("\n") == 1


def test_two_limits_of_one_measure_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", *MATRIX, "--min", "gmean=0.5", "--min", "gmean=0.9"]) == 2
    assert "gmean has two limits" in capsys.readouterr().err


def test_the_fixture_of_pytest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        y = ["a"] * 100 + ["b"] * 100
        good = ["a"] * 98 + ["b"] * 102

        def test_good(steelyard_gate):
            assert steelyard_gate(y, good, min={"gmean": .9}).outcome == "passed"

        def test_bad(steelyard_gate):
            steelyard_gate(y, good[::-1], min={"gmean": .9})

        def test_doubtful(steelyard_gate):
            steelyard_gate(y, good, min={"gmean": .99}, cannot_tell="skip")
        """
    )
    # A package that was installed before it had the plugin does not announce it.
    announced = any(found.name == "steelyard" for found in entry_points(group="pytest11"))
    by_hand = [] if announced else ["-p", "steelyard.integrations.pytest_plugin"]
    done = pytester.runpytest_subprocess(*by_hand, "-p", "no:cacheprovider")
    done.assert_outcomes(passed=1, failed=1, skipped=1)
    done.stdout.fnmatch_lines(["*G-mean at least 0.9*"])


def test_a_name_with_parameters_is_read_to_its_last_equals_sign() -> None:
    from steelyard.judgement.gate.limits import _limit

    assert _limit("f_beta(beta=2)=0.5") == ("f_beta(beta=2)", 0.5)


def test_a_measure_itself_has_a_limit() -> None:
    """Of 120 alarms 90 are right: 4 alarms for 3 catches."""
    mine = sy.two_class(
        id="alarms_per_catch",
        title="Alarms per catch",
        question="How many alarms are raised for every positive that is caught?",
        formula=r"\frac{tp+fp}{tp}",
        reads="(tp + fp) / tp",
        body=lambda c: c.ratio(c.tp + c.fp, c.tp, "no positive was caught"),
        range=(1, float("inf")),
        better="lower",
    )
    found = sy.gate(CM, max={mine: 2}, positive="fraud").rulings[0]
    assert (found.outcome, found.value) == ("passed", pytest.approx(4 / 3))
    assert str(found.rule) == "alarms per catch at most 2"
    dropped = sy.gate(CM, max_drop={mine: 0.5}, against={mine: 1.3}, by="point", positive="fraud")
    assert dropped.exit_code == 0


def test_a_keyword_that_nobody_takes_is_the_gates() -> None:
    with pytest.raises(
        TypeError, match=r"^gate\(\) got an unexpected keyword argument 'mim'; did you mean 'min'"
    ):
        sy.gate(CM, mim={"gmean": 0.5})


@pytest.mark.parametrize("label", ["a\nb", "[x]", "x]=0.5", "]", "a[b]"])
def test_a_rule_names_any_class(label: str) -> None:
    result = sy.gate([[90, 10], [30, 870]], labels=[label, "ok"], min={f"recall[{label}]": 0.1})
    assert result.outcome == "passed"


def test_limits_without_a_measure_are_one_sentence() -> None:
    with pytest.raises(sy.InputError, match=r"limits are given by metric; found min=0\.5"):
        sy.gate([[9, 1], [1, 9]], min=0.5)  # type: ignore[arg-type]
