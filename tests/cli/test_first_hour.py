"""What somebody tried in the first hour, and what it should have said."""

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import steelyard as sy
from steelyard.cli import main
from steelyard.errors import InputError

pytestmark = pytest.mark.usefixtures("few_samples")


@pytest.fixture
def predictions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        (("fraud" if k % 10 == 0 else "ok"), ("fraud" if k % 7 == 0 else "ok"), (k * 37 % 101) / 101)
        for k in range(300)
    ]
    lines = [f"{y},{p},{s:.4f},{100 * s:.1f}%" for y, p, s in rows]
    (tmp_path / "p.csv").write_text("y,rf,p,pct\n" + "\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["compare", "p.csv", "--truth", "y", "--pred", "rf", "--pred", "p"],
            "no label in common",
        ),
        (["compare", "p.csv", "--truth", "y", "--pred", "rf", "--pred", "pct"], "no label in common"),
        (["evaluate", "p.csv", "--truth", "y", "--pred", "y"], "truth and prediction are the same column"),
        (["evaluate", "nope.csv"], "there is no such file: nope.csv"),
        (
            ["gate", "p.csv", "--truth", "y", "--pred", "rf", "--min", "gmean=80"],
            "gmean never reaches this limit",
        ),
        (
            ["gate", "p.csv", "--truth", "y", "--pred", "rf", "--min", "error_rate=0.3"],
            "would let the worse pass",
        ),
        (["recommend", "--costs", "4:200", "--costly", "false-negative"], "say already"),
        (["recommend", "--classes", "1"], "allowed: 'two', 'many' or a number from 2 on"),
        (["evaluate", "p.csv", "--truth", "y", "--pred", "p"], "'p' looks like scores: name it with --score"),
        (["evaluate", "p.csv", "--truth", "y", "--pred", "rf", "--average", "macro"], "such as macro_f1"),
        (["evaluate", "p.csv", "--truth", "y", "--pred", "rf", "--priors", "fraud=10"], "10% as 0.1"),
        (["compare", "p.csv", "--truth", "y", "--pred", "rf,p"], "say --pred once for each of rf, p"),
        (
            ["gate", "p.csv", "--truth", "y", "--pred", "rf", "--min", "recall>=0.6"],
            "use --min recall=0.6",
        ),
        (
            ["gate", "p.csv", "--truth", "y", "--pred", "rf", "--max", "error_rate <= 0.6"],
            "use --max error_rate=0.6",
        ),
        (["audit", "accuracy=0.95 recall=0.9", "--sizes", "a=10,b=20"], "write a comma before 'recall'"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_sentence(predictions, capsys, arguments, words):
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.strip().splitlines()) == 1


@pytest.mark.parametrize("columns", ["60", "80", "100"])
def test_no_digit_of_a_table_is_cut_off(predictions, capsys, monkeypatch, columns):
    arguments = [
        "threshold",
        "p.csv",
        "--truth",
        "y",
        "--score",
        "p",
        "--positive",
        "fraud",
        "--maximise",
        "gmean",
    ]
    found = {}
    for width in (columns, "200"):
        monkeypatch.setenv("COLUMNS", width)
        assert main(arguments) == 0
        found[width] = capsys.readouterr().out
        assert max(map(len, found[width].splitlines())) <= int(width)
    wide = {word for word in found["200"].split() if word.replace(".", "").isdigit()}
    assert wide <= set(found[columns].split())


def test_a_result_is_asked_by_name():
    result = sy.evaluate(["a", "b", "a", "b"], ["a", "b", "b", "b"], positive="b")
    assert "recall" in result
    assert "nothing" not in result
    assert next(iter(result)) in result.metrics()
    with pytest.raises(InputError, match="needs scores"):
        result["roc_auc"]
    scored = sy.evaluate([0, 1, 0, 1], score=[0.1, 0.9, 0.6, 0.7], threshold=0.5, positive=1)
    assert scored["roc_auc"] == scored.metrics()["roc_auc"] == 1.0


def test_options_are_found_by_the_names_of_scikit_learn(predictions, capsys):
    assert main(["evaluate", "p.csv", "--truth", "y", "--pred", "rf", "--positive", "ok"]) == 0
    found = capsys.readouterr().out
    assert main(["evaluate", "p.csv", "--y_true", "y", "--y-pred=rf", "--pos_label", "ok"]) == 0
    again = capsys.readouterr()
    assert again.out == found
    assert "--pos_label is called --positive here" in again.err


def test_a_share_may_be_given_in_per_cent(predictions, capsys):
    asked = ["evaluate", "p.csv", "--truth", "y", "--pred", "rf", "--positive", "fraud", "--priors"]
    said = []
    for priors in ("0.01", "1%", "fraud=1%, ok=99 %"):
        assert main([*asked, priors]) == 0
        # The command that is printed has the priors as they were typed.
        said.append(capsys.readouterr().out.partition("  steelyard")[0])
    assert said[0] == said[1] == said[2]


def test_the_number_of_classes_is_a_word_or_a_number(capsys):
    said = []
    for classes in ("many", "3", "two", "2"):
        assert main(["recommend", "--classes", classes]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] != said[2] == said[3]


Y, P, S = ["a", "b", "b"], ["a", "b", "a"], [0.1, 0.9, 0.4]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sy.evaluate(y_true=Y, y_pred=P), "give the true labels first"),
        (lambda: sy.evaluate(Y, P, pos_label="b"), r"; say positive=\.\.\.$"),
        (lambda: sy.evaluate(Y, y_score=S), "; say score="),
        (lambda: sy.evaluate(Y, P, average="macro"), "metrics of their own"),
        (lambda: sy.evaluate(Y, P, leevl=0.9), "did you mean 'level'"),
        (lambda: sy.compare({"one": P, "two": Y}, Y, metric="f1"), "; say by="),
        (lambda: sy.gate(Y, P, min={"f1": 0.1}, pos_label="b"), "; say positive="),
        (lambda: sy.scorer("f1", pos_label="b"), r"; say positive=\.\.\.$"),
        (lambda: sy.scorer("gmean", pos_label="b"), "say positive="),
        (lambda: sy.best_threshold(Y, S, "gmean"), "ScoreCounts.from_scores"),
        (lambda: sy.interval(Y, "gmean"), "Confusion.from_labels"),
        (lambda: sy.roc_auc(Y, np.array(P, dtype=object), positive="b"), "found values such as 'a'"),
    ],
)
def test_what_was_typed_elsewhere_is_answered_in_a_sentence(call, words):
    with pytest.raises((TypeError, InputError), match=words):
        call()


def test_fractions_beside_text_are_scores():
    with pytest.raises(InputError, match="holds scores, not labels"):
        sy.evaluate(["ok", "fraud"], [0.2, 0.9])


def test_percentages_of_one_sentence_have_as_many_digits(predictions):
    said = (
        CliRunner()
        .invoke(
            __import__("steelyard.cli.app", fromlist=["app"]).app,
            ["evaluate", "p.csv", "--truth", "y", "--pred", "rf"],
        )
        .stdout
    )
    line = next(line for line in said.splitlines() if "Always predicting" in line)
    shares = [word for word in line.split() if word[:1].isdigit()]
    assert len({len(share.partition(".")[2]) for share in shares}) == 1


def test_compare_finds_the_truth_as_evaluate_does(predictions, capsys):
    rows = [f"{'ab'[k % 2]},{'ab'[k % 3 == 0]},{'ab'[k % 5 == 0]}" for k in range(60)]
    (predictions / "two.csv").write_text("truth,first,second\n" + "\n".join(rows) + "\n")
    models = ["--pred", "first", "--pred", "second"]
    assert main(["compare", "two.csv", *models, "--json"]) == 0
    found = capsys.readouterr().out
    assert main(["compare", "two.csv", *models, "--truth", "truth", "--json"]) == 0
    assert capsys.readouterr().out == found
    (predictions / "none.csv").write_text("who,first,second\n" + "\n".join(rows) + "\n")
    assert main(["compare", "none.csv", *models]) == 2
    assert "no column is named like a truth; found the columns who;" in capsys.readouterr().err


@pytest.mark.parametrize(("slices", "listed"), [(3, True), (20, False)])
def test_slices_that_were_asked_for_stand_on_the_first_screen(predictions, capsys, slices, listed):
    rows = [f"{'ab'[k // slices % 2]},{'ab'[k % 3 == 0]},s{k % slices}" for k in range(600)]
    (predictions / "s.csv").write_text("truth,pred,part\n" + "\n".join(rows) + "\n")
    assert main(["evaluate", "s.csv", "--slice", "part"]) == 0
    found = capsys.readouterr().out
    assert ("Slices by part" in found) is listed
    assert ("20 slices by part: the full report lists them" in found) is not listed
    assert found.lower().count("significantly worse") == 1


def test_questions_are_answered_by_number_or_by_yes_and_no():
    from click.testing import CliRunner

    from steelyard.cli.capabilities import recommend

    def told(answers):
        return CliRunner().invoke(recommend, ["--ask"], input="\n".join(answers) + "\n")

    by_number, by_word = told(["1", "0", "2", "0", "1", "0"]), told(["1", "n", "2", "NO", "yes", "N"])
    assert by_number.exit_code == by_word.exit_code == 0
    assert by_number.stdout == by_word.stdout
    assert "the class distribution may change" in by_word.stdout
    strange = told(["x", "1", "maybe", "n", "2", "n", "n", "n"])
    assert "'x' is none of the answers: 1 to 2." in strange.stderr
    assert "'maybe' is none of the answers: 0 to 1, y or n." in strange.stderr


def test_no_summary_in_the_list_of_commands_is_cut(monkeypatch):
    from steelyard.cli.app import app

    said = CliRunner().invoke(app, ["--help"], terminal_width=80).stdout
    commands = said.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in commands] == app.list_commands(click.Context(app))  # each on one line
    assert {"claims", "evaluate", "study"} <= set(
        app.list_commands(click.Context(app))
    )  # those of the second package too
    assert all(line.endswith((".", "?")) and not line.endswith("...") for line in commands)


@pytest.mark.parametrize(
    ("truth", "pred", "asked"),
    [
        ("model", "y_true", True),
        ("yhat", "y", True),
        ("y", "yhat", False),
        ("y_true", "label", False),
        ("target", "model", False),
    ],
)
def test_columns_named_the_other_way_round_are_asked_about(predictions, capsys, truth, pred, asked):
    rows = [f"{'ab'[k % 2]},{'ab'[k % 3 == 0]}" for k in range(60)]
    (predictions / "two.csv").write_text(f"{truth},{pred}\n" + "\n".join(rows) + "\n")
    assert main(["evaluate", "two.csv", "--truth", truth, "--pred", pred]) == 0
    assert ("are they exchanged?" in capsys.readouterr().out) is asked


def test_slices_of_weighted_rows_say_how_many_rows_they_have(predictions, capsys):
    rows = [f"{'ab'[k // 2 % 2]},{'ab'[k % 3 == 0]},s{k % 2},2.5" for k in range(200)]
    (predictions / "w.csv").write_text("truth,pred,part,w\n" + "\n".join(rows) + "\n")
    assert main(["evaluate", "w.csv", "--slice", "part", "--weight", "w"]) == 0
    found = [line.split() for line in capsys.readouterr().out.splitlines() if line[:3] in ("s0 ", "s1 ")]
    assert [(row[1], row[2]) for row in found] == [("100", "50"), ("100", "50")]


def test_a_drop_that_is_none_is_not_negative_and_many_examples_are_a_round_number(predictions, capsys):
    asked = ["p.csv", "--truth", "y", "--pred", "rf", "--positive", "fraud"]
    assert main(["evaluate", *asked, "--json", "before.json"]) == 0
    capsys.readouterr()
    main(["gate", *asked, "--max-drop", "gmean=0.01", "--against", "before.json"])
    said = " ".join(capsys.readouterr().out.split())
    assert "no drop" in said
    assert "-0.000" not in said
    from steelyard.judgement.gate.result import _about

    assert [_about(n) for n in (7, 951, 22_227, 325_779)] == ["7", "951", "22,200", "326,000"]


def test_amounts_beside_each_other_have_as_many_digits():
    from steelyard.judgement.evaluate.optional_sections import measured

    assert [measured(x) for x in (1.7046, 2.0, 0.05, 120.4, 0.0, 12345.6)] == [
        *("1.70", "2.00", "0.0500", "120", "0.00", "12,346")
    ]


@pytest.mark.parametrize(("positive", "asked"), [("ok", True), ("fraud", False)])
def test_scores_of_the_other_class_are_asked_about(predictions, capsys, positive, asked):
    rows = [
        f"{'fraud' if k % 10 == 0 else 'ok'},{0.9 - k / 1000 if k % 10 == 0 else k / 1000}"
        for k in range(300)
    ]
    (predictions / "s.csv").write_text("y,p\n" + "\n".join(rows) + "\n")
    assert main(["evaluate", "s.csv", "--score", "p", "--threshold", "0.5", "--positive", positive]) == 0
    assert ("scores of the other class?" in " ".join(capsys.readouterr().out.split())) is asked


def test_what_breaks_a_line_is_written_out(tmp_path, capsys):
    (tmp_path / "two\nlines.csv").write_text("y_true,y_pred\na,a\n")
    assert main(["evaluate", str(tmp_path / "other.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    frame = pd.DataFrame({"a\nb": [1], "q": [2]})
    with pytest.raises(InputError, match=r"allowed: a\\nb, q\.$"):
        sy.count(frame, truth="y", pred="z")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["metrics", "[" * 5000], "the matrix is not JSON"),
        (["metrics", f"[[{'9' * 5000},1],[1,1]]"], "the matrix is not JSON"),
        (["metrics", "[[1,2],[3,4]]", "--labels", "a,"], "a class has no name; found 'a,'"),
        (["gate", "--matrix", "[[1,2],[3,4]]", "--min", "gmean=nan"], "this limit is not understood"),
    ],
    ids=["deep", "long", "no name", "no number"],
)
def test_what_cannot_be_meant_is_one_sentence(typed, said, capsys):
    assert main(typed) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("command", ["evaluate", "examine", "recommend"])
def test_h_is_help(command, capsys):
    assert main([command, "-h"]) == 0
    assert "Usage: steelyard" in capsys.readouterr().out
