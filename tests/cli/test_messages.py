"""Does each front speak its own language: Python of parameters, the command line of options?"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.cli.app import app
from steelyard.cli.messages import in_its_words
from steelyard.errors import InputError, parameter
from steelyard.reading.stream import Blocks
from tests.commands import steelyard
from tests.reading.sources import read_joint

pytestmark = pytest.mark.usefixtures("few_samples")

SOURCE = Path(sy.__file__).parent
LACKING = "y_true,y_pred,p\na,a,.1\n,b,.2\nb,b,.9\n"
TWO_TRUTHS = "truth,label,y_pred\na,a,a\nb,b,b\n"


def put(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content)
    return str(folder / name)


# What was called, what Python says to do, and what the command line says to do.
BOTH: dict[str, tuple[Callable[[str], Any], list[str], str, str, str]] = {
    "missing labels": (sy.evaluate, ["evaluate"], LACKING, 'missing="drop"', "--missing drop"),
    "missing labels, counted": (
        sy.count,
        ["recommend", "--data"],
        LACKING,
        'missing="drop"',
        'missing="drop"',
    ),
    "two truths": (
        sy.evaluate,
        ["evaluate"],
        TWO_TRUTHS,
        "say which with truth=...",
        "say which with --truth",
    ),
    "a cluster for another engine": (
        lambda path: sy.count(path, spark_master="local[1]"),
        ["evaluate", "--spark-master", "local[1]"],
        "y_true,y_pred\na,a\nb,b\n",
        'say engine="spark"',
        "say --engine spark",
    ),
    "a stream with holes": (
        lambda path: list(Blocks(path, 10)),
        ["watch"],
        LACKING,
        'with missing="drop"',
        "with --missing drop",
    ),
    "a block of nothing": (
        lambda path: Blocks(path, 0),
        ["watch", "--every", "0"],
        LACKING,
        "found every=0;",
        "found --every 0;",
    ),
}


@pytest.mark.parametrize("case", BOTH)
def test_python_is_told_parameters_and_the_command_line_options(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call, command, content, to_python, to_command_line = BOTH[case]
    path = put(tmp_path, "p.csv", content)
    with pytest.raises(InputError) as refused:
        call(path)
    assert to_python in str(refused.value)
    assert "--" not in str(refused.value)
    assert main([*command, path]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert to_command_line in err
    assert err.count("\n") == 1


def test_files_that_need_a_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [put(tmp_path, name, "y,yhat\na,a\nb,b\n") for name in ("one.csv", "two.csv")]
    with pytest.raises(InputError, match=r"say key=\.\.\.$"):
        read_joint(paths, "y", ["yhat"])
    assert main(["compare", *paths, "--truth", "y", "--pred", "yhat"]) == 2
    assert capsys.readouterr().err.endswith("say --key.\n")


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (
            {"do": f"say {parameter('missing', 'drop')} or {parameter('missing', '...')}"},
            "say --missing drop or --missing",
        ),
        ({"do": f"leave out {parameter('engine')}, or the scores"}, "leave out --engine, or the scores"),
        ({"do": f"name one with {parameter('positive', '...')}"}, "name one with --positive"),
        ({"do": "use sy.measure(beta=2)"}, "use sy.measure(beta=2)"),
        ({"do": f"say {parameter('slices', '...')}"}, "say --slice"),
        ({"allowed": "scores such as a=0.1, b=1"}, "allowed: scores such as a=0.1, b=1"),
        ({"found": f"{parameter('engine', 'spark')} and scores"}, "found --engine spark and scores"),
        ({"found": "the column 'truth=...' twice"}, "found the column 'truth=...' twice"),
        ({"found": "truth=... in a file called truth=.csv"}, "found truth=... in a file called truth=.csv"),
        ({"do": parameter("relevance", "a < b")}, "--relevance 'a < b'"),
        ({"do": f"say {parameter('window', 5)}"}, "say window=5"),
    ],
)
def test_only_parameters_are_translated(parts: dict[str, str], told: str) -> None:
    words = in_its_words(InputError("no", **parts), app.get_command(click.Context(app), "evaluate"))
    assert words == f"no; {told}."


def test_no_sentence_of_the_library_names_an_option() -> None:
    """Outside cli, a flag stands only where a command itself is quoted or shown."""
    flag = re.compile(r"(?:what|found|allowed|do)=.*[\s\"'f(]--[a-z]")
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if "cli" not in path.relative_to(SOURCE).parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if flag.search(line) and "steelyard " not in line
    ]
    assert found == []


# -- one word for one thing


def test_an_option_has_one_word_and_takes_the_other_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path, "p.csv", "y_true,y_pred,w,s\na,a,1,x\na,b,2,y\nb,b,3,x\nb,b,1,y\n")
    assert main(["evaluate", path, "--weight", "w", "--slice", "s", "--json"]) == 0
    usual, notes = capsys.readouterr()
    assert notes == ""
    assert main(["evaluate", path, "--sample-weight=w", "--slices", "s", "--json"]) == 0
    other, notes = capsys.readouterr()
    assert other == usual
    assert notes.splitlines() == [
        "steelyard: --sample-weight is called --weight here.",
        "steelyard: --slices is called --slice here.",
    ]


def test_python_takes_the_scikit_learn_word_for_weights_with_a_note() -> None:
    truth, predicted, weights = ["a", "a", "b", "b"], ["a", "b", "b", "b"], [1.0, 2.0, 3.0, 1.0]
    usual = sy.evaluate(truth, predicted, weight=weights)
    with pytest.warns(DeprecationWarning, match="sample_weight= is called weight= here"):
        other = sy.evaluate(truth, predicted, sample_weight=weights)
    assert other.matrix == usual.matrix
    assert usual.matrix.counts.tolist() == [[1, 2], [0, 4]]
    with pytest.raises(InputError, match="weight is given twice"):
        sy.evaluate(truth, predicted, weight=weights, sample_weight=weights)


# -- figures as JSON, from every command

PREDICTIONS = "y_true,y_pred,other,p\n" + "a,a,a,.1\na,b,a,.6\nb,b,b,.9\nb,b,a,.7\n" * 5
EVERY_COMMAND: dict[str, list[str]] = {
    "evaluate": ["evaluate", "p.csv"],
    "compare": [
        "compare",
        "p.csv",
        "--truth",
        "y_true",
        "--pred",
        "y_pred",
        "--pred",
        "other",
        "--draws",
        "100",
    ],
    "threshold": ["threshold", "p.csv", "--score", "p", "--maximise", "gmean", "--replicates", "0"],
    "measures": ["measures", "--kind", "two-class"],
    "explain": ["explain", "gmean"],
    "metrics": ["metrics", "[[5,1],[2,9]]"],
    "examine": ["examine", "--list"],
    "claims": ["claims", "--only", "skrabanek2017-1"],
    "recommend": ["recommend"],
    "study list": ["study", "list"],
    "study show": ["study", "show", "branco2017-cases"],
    "watch": ["watch", "p.csv", "--pred", "y_pred", "--every", "10"],
}


@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_every_command_gives_its_figures_as_json(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "p.csv", PREDICTIONS)
    if command == "claims":
        from steelyard_papers.ledger import CLAIMS

        EVERY_COMMAND[command][-1] = CLAIMS[0].id
    arguments = EVERY_COMMAND[command]
    assert main([*arguments, "--json"]) == 0
    printed = capsys.readouterr().out
    assert main([*arguments, "--json", "figures.json"]) == 0
    out, err = capsys.readouterr()
    assert out
    assert not out.startswith(("{", "["))
    assert "Written: figures.json" in out + err
    written = (tmp_path / "figures.json").read_text(encoding="utf-8")
    lines = command == "watch"
    assert [json.loads(line) for line in written.splitlines()] if lines else json.loads(written)
    if command != "claims":  # says how long it took
        assert written == printed
    assert main([*arguments, "--json", str(tmp_path / "nowhere" / "f.json")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_notes_do_not_mix_with_printed_figures(tmp_path: Path) -> None:
    path = put(tmp_path, "p.csv", PREDICTIONS)
    page = str(tmp_path / "p.html")
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", "evaluate", path, "--pred", "y_pred", "--html", page, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["schema"] == "steelyard/evaluate/1"
    assert done.stderr == f"Written: {page}\n"


def test_a_fault_of_the_program_is_no_answer_of_a_gate(monkeypatch, capsys):
    """Exit code 1 means that a gate failed; a program that broke must not be taken for one."""
    monkeypatch.setattr("steelyard.cli.messages.in_todays_words", lambda *_: 1 / 0)
    assert main(["gate", "p.csv"]) == 70
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told
    assert told.endswith("please report it.\n")


# -- sentences of the library, of Click and of DuckDB

ROWS = "y,p\n" + "a,a\na,b\nb,b\n" * 5
NO_OBJECT = '{"y":"a","p":"a"}\n' * 100 + '{"y":"a","p":\n' + '{"y":"b","p":"b"}\n' * 3
TYPED: dict[str, tuple[list[str], str]] = {
    "a threshold without scores": (
        ["evaluate", "p.csv", "--threshold", "0.5"],
        "a threshold is for scores; found --threshold without --score; name the column of scores with --score.",
    ),
    "no policy": (["evaluate", "p.csv", "--undefined", "foo"], "--undefined is not a policy; found 'foo'"),
    "a class too few": (
        ["evaluate", "p.csv", "--truth", "y", "--pred", "p", "--labels", "a"],
        "there is no class in --labels for the truth 'b'",
    ),
    "the wrong end": (
        ["gate", "p.csv", "--max", "gmean=.9"],
        "higher is better for gmean, so this limit would let the worse pass; found --max of gmean; use --min.",
    ),
    "an option": (
        ["evaluate", "p.csv", "--postive", "a"],
        "there is no option '--postive'; did you mean '--positive'?",
    ),
    "an option that was removed": (
        ["threshold", "p.csv", "--bins", "10"],
        "there is no option '--bins'; leave it out: scores beyond memory are counted in bins by themselves",
    ),
    "a comparison without a file": (
        ["compare", "--dataset", "p.csv"],
        "a comparison needs the predictions of models; found no file",
    ),
    "scores without a file": (
        ["compare", "--truth", "y", "--score", "p", "--score", "q"],
        "a comparison needs the predictions of models; found no file",
    ),
    "an option of another command": (
        ["compare", "p.csv", "--weight", "w"],
        "there is no option '--weight'; see steelyard compare --help.",
    ),
    "a choice": (
        ["evaluate", "p.csv", "--interval", "foo"],
        (
            "invalid value for '--interval': 'foo' is not one of 'auto', 'bootstrap', 'posterior', 'none'; see"
            " steelyard evaluate --help."
        ),
    ),
    "a number": (
        ["evaluate", "p.csv", "--level", "high"],
        "invalid value for '--level': 'high' is not a valid float; see steelyard evaluate --help.",
    ),
    "nothing at all": (["metrics"], "missing argument 'MATRIX'; see steelyard metrics --help."),
    "a line that is no JSON": (
        ["evaluate", "bad.jsonl", "--truth", "y", "--pred", "p"],
        (
            'the file cannot be read; found \'{"y":"a","p":\' in line 101 of bad.jsonl, which is no JSON object;'
            " check the file's format."
        ),
    ),
    "no Parquet": (
        ["evaluate", "no.parquet", "--truth", "y", "--pred", "p"],
        "the file cannot be read; found no.parquet, which is no Parquet file; check the file's format.",
    ),
    "no Parquet, longer": (
        ["evaluate", "long.parquet", "--truth", "y", "--pred", "p"],
        "the file cannot be read; found long.parquet, which is no Parquet file; check the file's format.",
    ),
    "weights beyond every number": (
        ["evaluate", "w.csv", "--truth", "y", "--pred", "p", "--weight", "w"],
        "the weights are too large together; found a sum above 1.8e+308; divide them all by the largest.",
    ),
    "nothing near": (["explain", "nope"], "there is no metric 'nope'; allowed: "),
}


@pytest.mark.parametrize("case", TYPED)
def test_what_is_typed_wrongly_is_one_sentence(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "p.csv", ROWS)
    put(tmp_path, "bad.jsonl", NO_OBJECT)
    put(tmp_path, "no.parquet", "y,p\n")
    put(tmp_path, "long.parquet", ROWS * 100)
    put(tmp_path, "w.csv", "y,p,w\na,a,1e308\na,a,1e308\nb,b,1e308\nb,a,2\n")
    arguments, told = TYPED[case]
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"steelyard: {told}")
    assert err.count("\n") == 1


def test_a_parameter_in_quotes_is_data() -> None:
    quoted = InputError("there is no column 'labels= or truth='", do=f"say {parameter('labels', '...')}")
    assert in_its_words(quoted, app.get_command(click.Context(app), "evaluate")) == (
        "there is no column 'labels= or truth='; say --labels."
    )


@pytest.mark.parametrize("content", ["", "y,p\na,a,a\nb,b\n"])
def test_standard_input_has_no_path(content: str) -> None:
    done = steelyard("evaluate", "-", text=content)
    assert done.returncode == 2
    assert "/" not in done.stderr
    if not content:
        assert "found standard input" in done.stderr


def test_no_intervals_by_either_word_and_weights_by_their_own() -> None:
    y = ["a", "b"] * 10
    assert sy.evaluate(y, y, interval="none").intervals is None
    with pytest.raises(InputError, match="the weights do not match the labels"):
        sy.evaluate(y, y, weight=[1.0])
    with pytest.raises(InputError, match="the weights are too large together"):
        sy.evaluate(y, y, weight=[1e308] * 20)


def test_rows_without_a_score_are_refused_with_advice_that_is_taken(capsys, tmp_path):
    """Where no score is taken for the lowest one, that is not advised."""
    path = tmp_path / "scores.csv"
    path.write_text("y,p\nok,0.1\nfraud,\nfraud,0.8\nok,0.3\n", encoding="utf-8")
    asked = [str(path), "--truth", "y", "--score", "p", "--positive", "fraud"]
    assert main(["evaluate", *asked, "--threshold", "0.5"]) == 2
    assert capsys.readouterr().err.endswith("leave those rows out with --missing drop.\n")
    assert main(["evaluate", *asked, "--threshold", "0.5", "--missing", "drop"]) == 0
    capsys.readouterr()
    assert main(["threshold", *asked]) == 2
    assert capsys.readouterr().err.endswith("as the lowest score with --missing lowest.\n")
    assert main(["threshold", *asked, "--missing", "lowest"]) == 0
    columns: dict[str, Any] = {"score": [0.1, math.nan, 0.8, 0.3], "missing": "lowest", "maximise": "gmean"}
    assert sy.threshold([0, 1, 1, 0], **columns).best.matrix.counts.tolist() == [[1, 1], [0, 2]]
    with pytest.raises(InputError, match=r"; leave those rows out with missing=.drop.[.]$"):
        sy.evaluate([0, 1, 1, 0], score=[0.1, math.nan, 0.8, 0.3], threshold=0.5)
    for measure in (sy.roc_auc, sy.measure("roc_auc").score, sy.brier_score):
        with pytest.raises(InputError, match=r"; leave those rows out[.]$"):
            measure([0, 1, 1, 0], [0.1, math.nan, 0.8, 0.3])


def test_predictions_alone_hardly_speak_against_label_shift(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    rows = ["ok,ok,0.1", "ok,fraud,0.4", "fraud,fraud,0.8", "fraud,ok,0.3"] * 50
    path.write_text("y,yhat,p\n" + "\n".join(rows) + "\n", encoding="utf-8")
    told = "With predicted labels alone this test rarely detects a violation; scores give a stronger test."
    for column, said in (("--pred", True), ("--score", False)):
        name = {"--pred": "yhat", "--score": "p"}[column]
        asked = ["priors", str(path), "--unlabelled", str(path), "--truth", "y", column, name]
        assert main([*asked, "--positive", "fraud"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert (told in shown) is said
        assert ("Rows of a new kind that score like a known class" in shown) is not said


def test_the_help_says_that_slices_are_crossed(capsys):
    assert main(["evaluate", "--help"]) == 0
    assert "several are crossed" in " ".join(capsys.readouterr().out.split())


def test_a_question_ends_its_sentence(capsys) -> None:
    assert main(["explain", "gmeen"]) == 2
    said = capsys.readouterr().err
    assert said.endswith("did you mean 'gmean'?\n")
    assert said.count("?") == 1


def test_a_link_to_itself_is_no_file(tmp_path, capsys) -> None:
    (tmp_path / "circle.csv").symlink_to(tmp_path / "circle.csv")
    assert main(["evaluate", str(tmp_path / "circle.csv")]) == 2
    assert "there is no such file" in capsys.readouterr().err
