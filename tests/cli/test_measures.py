"""The command line: thin, and clear when something is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.cli import main

CASE_1 = "[[5,0,0],[0,10,0],[0,300,0]]"
TWO = "[[8,2],[10,30]]"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def weighed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, Any], dict[str, Any]]:
    def strict(word: str) -> Any:
        raise AssertionError(f"{word} is not JSON")

    found = json.loads(run(capsys, "metrics", *arguments, "--json"), parse_constant=strict)
    return found, {row["id"]: row for row in found["measures"]}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == f"steelyard {sy.__version__}\n"


def test_measures_lists_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "measures")
    assert all(m.id in out for m in sy.catalogue("all", wide=True))
    listed = json.loads(run(capsys, "measures", "--json"))
    assert [row["id"] for row in listed] == [m.id for m in sy.catalogue("all", wide=True)]
    two = json.loads(run(capsys, "measures", "--kind", "two-class", "--json"))
    assert [row["id"] for row in two] == [m.id for m in sy.catalogue("two-class", wide=True)]


@pytest.mark.parametrize("measure", sy.catalogue(), ids=[m.id for m in sy.catalogue()])
def test_explain_tells_all(capsys: pytest.CaptureFixture[str], measure: sy.Measure) -> None:
    out = run(capsys, "explain", measure.id)
    joined = "".join(out.split()).casefold()
    for part in (
        measure.title,
        measure.question,
        measure.reads,
        measure.formula,
        str(measure.range),
        measure.undefined_when,
    ):
        assert "".join(part.split()).casefold() in joined, part
    for relation in measure.relations:
        assert "".join(relation.text.split()).casefold() in joined
    for source in measure.sources:
        assert source.key in out
    told = json.loads(run(capsys, "explain", measure.id, "--json"))
    assert told["id"] == measure.id
    assert told["question"].endswith("?")


def test_explain_by_symbol_shows_relatives(capsys: pytest.CaptureFixture[str]) -> None:
    assert "IAM = 2 CBA - 1" in run(capsys, "explain", "iam")


@pytest.mark.parametrize(
    ("symbol", "source", "text"),
    [
        ("IR", "mullick2020 Definition 1", "training set"),
        ("RRT", "mullick2020 Definition 2", "below 1"),
        ("L", "mullick2020 Condition 2", "same-bounds"),
        ("W", "mullick2020 Condition 3", "one-class-failing"),
        ("PREV", "branco2017 Eq. 9", "--relevance prevalence"),
        ("PO", "branco2017 Eq. 10", "partial_order"),
        ("TO", "branco2017 Eq. 10", "total_order"),
        ("Rec^PREV", "branco2017 Eq. 4", "macro_recall"),
        ("F_1^{TO}", "branco2017 Eq. 6", "f_beta_of_macros"),
        ("CBA^phi", "branco2017 Eq. 8", "printed without a divisor"),
        ("γ_2", "mullick2020 Eq. 10", "gmean"),
        ("Dom", "garcia2012 section 2", "tp / (tp + fn) - tn / (fp + tn)"),
        ("acc_B", "skrabanek2017 Tab. 3", "the rarer the class"),
        ("MCC", "branco2017 Table 1", "roots already"),
        ("AGm", "garcia2012 section 2", "without that case"),
    ],
)
def test_every_symbol_of_a_paper_is_explained(
    capsys: pytest.CaptureFixture[str], symbol: str, source: str, text: str
) -> None:
    out = " ".join(run(capsys, "explain", symbol).split())
    assert source in out
    assert text in out


def test_weigh_shows_values_reasons_and_orientation(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "metrics", CASE_1, "--labels", "c1,c2,c3")
    assert "Rows are truth, columns are predictions" in out
    assert "nothing was predicted as class 'c3'" in out
    assert "0.344" in out  # CBA, branco2017 Table 3
    assert "\x1b" not in out  # no colours in a pipe


def test_weigh_as_json_holds_what_the_library_says(capsys: pytest.CaptureFixture[str]) -> None:
    found, rows = weighed(capsys, CASE_1, "--labels", "c1,c2,c3")
    matrix = sy.Confusion(json.loads(CASE_1), labels=["c1", "c2", "c3"])
    assert found["matrix"]["counts"] == matrix.counts.tolist()
    assert found["matrix"]["labels"] == ["c1", "c2", "c3"]
    for m in sy.catalogue("multi-class"):
        value = m(matrix)
        if value != value:
            assert rows[m.name]["value"] is None
            assert rows[m.name]["undefined_because"] == m.why_undefined(matrix)
        else:
            assert rows[m.name]["value"] == value
            assert rows[m.name]["undefined_because"] is None
    assert rows["macro_precision"]["value"] is None


def test_weigh_two_classes_with_positive_priors_and_relevance(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        TWO,
        "--labels",
        "fraud,ok",
        "--positive",
        "fraud",
        "--priors",
        "fraud=0.001, ok=0.999",
        "--relevance",
        "ok < fraud",
    )
    found, rows = weighed(capsys, *arguments)
    assert found["positive"] == {"label": "fraud", "reason": "as given"}
    assert rows["recall"]["value"] == 0.8
    assert rows["precision"]["at_priors"] == pytest.approx(0.0008 / (0.0008 + 0.24975))
    assert rows["macro_recall"]["weighted_by_relevance"] == pytest.approx((0.8 + 0.5 * 0.75) / 1.5)
    assert rows["recall"]["weighted_by_relevance"] is None
    out = run(capsys, "metrics", *arguments)
    assert "Positive class: fraud (as given)." in out
    assert "at priors" in out
    assert "by relevance" in out


def test_weigh_says_which_class_it_took_for_positive(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Positive class: spam (it is the rarer class)." in run(
        capsys, "metrics", TWO, "--labels", "spam,ham"
    )


def test_weigh_with_undefined_policies(capsys: pytest.CaptureFixture[str]) -> None:
    _, rows = weighed(capsys, CASE_1, "--labels", "c1,c2,c3", "--undefined", "0")
    assert rows["macro_precision"]["value"] == pytest.approx((1 + 10 / 310) / 3)
    _, rows = weighed(capsys, CASE_1, "--labels", "c1,c2,c3", "--undefined", "skip")
    assert rows["macro_precision"]["value"] == pytest.approx((1 + 10 / 310) / 2)


def test_weigh_reads_priors_from_a_file_and_as_a_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "priors.json"
    file.write_text('{"fraud": 0.25, "ok": 0.75}', encoding="utf-8")
    _, from_file = weighed(capsys, TWO, "--labels", "fraud,ok", "--positive", "fraud", "--priors", str(file))
    _, from_number = weighed(capsys, TWO, "--labels", "fraud,ok", "--positive", "fraud", "--priors", "0.25")
    _, from_object = weighed(
        capsys, TWO, "--labels", "fraud,ok", "--positive", "fraud", "--priors", '{"ok": 0.75, "fraud": 0.25}'
    )
    values = [
        {name: row["at_priors"] for name, row in rows.items()}
        for rows in (from_file, from_number, from_object)
    ]
    assert values[0] == values[1] == values[2]
    _, uniform = weighed(capsys, TWO, "--labels", "fraud,ok", "--priors", "uniform")
    assert uniform["accuracy"]["at_priors"] == pytest.approx(0.775)


def test_weigh_by_prevalence(capsys: pytest.CaptureFixture[str]) -> None:
    found, rows = weighed(capsys, "[[1,0,3],[0,100,0],[0,0,200]]", "--relevance", "prevalence")
    assert rows["macro_recall"]["weighted_by_relevance"] == pytest.approx(
        0.292, abs=5e-4
    )  # branco2017 Table 5
    assert found["relevance"]["scores"]["c1"] == pytest.approx(0.94, abs=5e-3)


BAD_INPUT = {
    "no JSON": (["metrics", "[[1,2"], "not JSON"),
    "no list": (["metrics", "3"], "not a list of rows"),
    "an object": (["metrics", '{"a": 1}'], "not a list of rows"),
    "empty": (["metrics", "[]"], "not a list of rows"),
    "one row": (["metrics", "[1, 2]"], "not a list of rows"),
    "ragged": (["metrics", "[[1,2],[3]]"], "ragged"),
    "not square": (["metrics", "[[1,2]]"], "not square"),
    "negative": (["metrics", "[[1,-2],[3,4]]"], "negative"),
    "text": (["metrics", '[["a","b"],["c","d"]]'], "numbers"),
    "null": (["metrics", "[[1,null],[3,4]]"], "numbers"),
    "NaN": (["metrics", "[[1,NaN],[3,4]]"], "NaN or infinity"),
    "a batch": (["metrics", "[[[1,2],[3,4]]]"], "one matrix"),
    "too few labels": (["metrics", TWO, "--labels", "a"], "1 labels for 2 classes"),
    "labels twice": (["metrics", TWO, "--labels", "a,a"], "named twice"),
    "unknown positive": (["metrics", TWO, "--labels", "a,b", "--positive", "c"], "no class 'c'"),
    "unknown class in relevance": (
        ["metrics", TWO, "--labels", "a,b", "--relevance", "a < c"],
        "no class 'c'",
    ),
    "cycle": (["metrics", TWO, "--labels", "a,b", "--relevance", "a < b, b < a"], "contradicts itself"),
    "relevance out of range": (
        ["metrics", TWO, "--labels", "a,b", "--relevance", "a=1, b=7"],
        "out of range",
    ),
    "priors do not add up": (
        ["metrics", TWO, "--labels", "a,b", "--positive", "a", "--priors", "a=0.5,b=0.6"],
        "add up to 1",
    ),
    "priors of unknown class": (
        ["metrics", TWO, "--labels", "a,b", "--positive", "a", "--priors", "a=0.5,c=0.5"],
        "no prior for class 'b'",
    ),
    "priors not numbers": (["metrics", TWO, "--labels", "a,b", "--priors", "a=x,b=0.5"], "not understood"),
    "priors of text in JSON": (
        ["metrics", TWO, "--labels", "a,b", "--priors", '{"a": "x", "b": 1}'],
        "proportions",
    ),
    "priors bad JSON": (["metrics", TWO, "--priors", '{"a": 0.5'], "not JSON"),
    "priors without file": (["metrics", TWO, "--priors", "nowhere.json"], "cannot be read"),
    "one prior for three classes": (["metrics", CASE_1, "--priors", "0.5"], "one prior is not enough"),
    "unknown policy": (["metrics", TWO, "--undefined", "zero"], "not a policy"),
    "infinite policy": (["metrics", TWO, "--undefined", "inf"], "not a policy"),
    "undefined raised": (["metrics", CASE_1, "--labels", "a,b,c", "--undefined", "raise"], "is undefined"),
    "unknown measure": (["explain", "CBAA"], "CBA"),
    "ambiguous measure": (["explain", "AUC"], "means more than one"),
    "unknown kind": (["measures", "--kind", "three"], "three"),
    "unknown command": (["wiegh", TWO], "wiegh"),
    "unknown option": (["metrics", TWO, "--jsno"], "--jsno"),
    "no matrix": (["metrics"], "MATRIX"),
}


@pytest.mark.parametrize("kind", list(BAD_INPUT))
def test_bad_input_is_one_sentence_and_exit_code_2(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = BAD_INPUT[kind]
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert "Traceback" not in err
    assert err.startswith("steelyard: ")
    assert err.count("\n") == 1
    assert err.endswith((".\n", "?\n"))


def test_nothing_but_a_class_name_in_a_class_name(capsys: pytest.CaptureFixture[str]) -> None:
    """Rich markup in a label is text."""
    assert "[red]x[/red]" in run(capsys, "metrics", TWO, "--labels", "[red]x[/red],y", "--positive", "y")


def subprocess_run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )


def test_as_a_program() -> None:
    done = subprocess_run("metrics", CASE_1, "--labels", "c1,c2,c3")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "class balance accuracy" in done.stdout
    as_json = subprocess_run("metrics", CASE_1, "--json")
    assert json.loads(as_json.stdout)["schema"] == "steelyard/weigh/1"
    bad = subprocess_run("metrics", "[[1,2],[3]]")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert (
        bad.stderr
        == "steelyard: the matrix is ragged; found rows of different lengths; allowed: C rows of C counts.\n"
    )


def test_a_reader_that_stops_early_is_no_error() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "steelyard", "measures"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    assert b"Traceback" not in program.stderr.read()
    program.stderr.close()
    assert program.wait(timeout=30) == 0
