"""Are scores in files counted as scores in arrays are?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import InputError, UnknownNameError
from tests.reading.sources import read_score_counts
from tests.real_parts import needs
from tests.scores.cases import MANY_CLASS, drawn

TRUTH, SCORES = drawn(300, 37, 5, 41, 10)
SCORES = [s / 2 for s in SCORES]
NAMES = ["fraud" if y else "ok" for y in TRUTH]
WEIGHTS = [1 + (k % 7) / 4 for k in range(300)]


def write(folder, ending, **columns):
    path = folder / f"predictions.{ending}"
    frame = pd.DataFrame(columns)
    if ending == "parquet":
        frame.to_parquet(path, index=False)
    elif ending == "jsonl":
        rows = frame.to_dict("records")  # pandas' own writer keeps ten digits of a float
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet", "jsonl"])
def test_files_are_counted_as_arrays_are(tmp_path, ending):
    path = write(tmp_path, ending, y=NAMES, p=SCORES, w=WEIGHTS)
    assert read_score_counts(path, "p", "y", "fraud") == sy.ScoreCounts.from_scores(NAMES, SCORES, "fraud")
    assert read_score_counts(path, "p") == sy.ScoreCounts.from_scores(
        NAMES, SCORES
    )  # y is a usual name for the truth
    weighted = read_score_counts(path, "p", "y", weight="w")
    by_rows = sy.ScoreCounts.from_scores(NAMES, SCORES, sample_weight=WEIGHTS)
    for name in ("roc_auc", "average_precision"):
        assert sy.measure(name)(weighted, positive="fraud") == pytest.approx(
            sy.measure(name)(by_rows, positive="fraud")
        )


def test_a_glob_is_one_table(tmp_path):
    for k, rows in enumerate((slice(0, 100), slice(100, None))):
        pd.DataFrame({"y": NAMES[rows], "p": SCORES[rows]}).to_csv(tmp_path / f"part{k}.csv", index=False)
    assert read_score_counts(str(tmp_path / "part*.csv"), "p", "y") == sy.ScoreCounts.from_scores(
        NAMES, SCORES
    )


@pytest.mark.parametrize("score", ["p_*", {0: "p_0", 1: "p_1", 2: "p_2"}])
def test_a_column_for_each_class(tmp_path, score):
    case = MANY_CLASS["three classes"]
    path = write(tmp_path, "parquet", y=case.truth, **{f"p_{k}": case.array[:, k] for k in range(3)})
    counted = read_score_counts(path, score, "y")
    assert counted.labels == (0, 1, 2)
    assert counted == sy.ScoreCounts.from_scores(case.truth, case.array)


def test_missing_scores(tmp_path):
    score = [None if k % 50 == 3 else s for k, s in enumerate(SCORES)]
    path = write(tmp_path, "csv", y=NAMES, p=score)
    with pytest.raises(InputError, match="none in 6 of 300 rows"):
        read_score_counts(path, "p", "y")
    for missing in ("drop", "lowest"):
        expected = sy.ScoreCounts.from_scores(NAMES, score, missing=missing)
        counted = read_score_counts(path, "p", "y", missing=missing)
        assert counted == expected
        assert counted.dropped == expected.dropped


@pytest.mark.parametrize(
    ("columns", "score", "options", "words"),
    [
        ({"y": ["a", "b"], "p": ["x", 0.5]}, "p", {}, "must hold numbers; found 1 other values such as 'x'"),
        ({"y": ["a", "b"], "p": [0.5, 0.6]}, "q", {}, "no column 'q'"),
        ({"y": ["a", None], "p": [0.5, 0.6]}, "p", {}, "missing labels"),
        ({"y": ["a", "b"], "p": [0.5, 0.6], "w": [1, -1]}, "p", {"weight": "w"}, "1 bad weights"),
        ({"y": ["a", "b"], "p_a": [0.5, 0.1]}, "p_*", {}, "too few columns match"),
        ({"y": ["a", "c"], "p_a": [0.5, 0.1], "p_b": [0.5, 0.9]}, "p_*", {}, "no score column for class 'c'"),
        ({"y": ["a", "b"], "p": [None, None]}, "p", {"missing": "drop"}, "no row has a score"),
        ({"y": ["a", "b"], "p": [0.5, 0.6]}, "p", {"missing": "guess"}, "way to treat missing scores"),
    ],
)
def test_bad_files(tmp_path, columns, score, options, words):
    with pytest.raises(InputError, match=words):
        read_score_counts(write(tmp_path, "csv", **columns), score, "y", **options)


def test_no_such_column_names_the_nearest(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'p_fraud'"):
        read_score_counts(write(tmp_path, "csv", y=["a", "b"], p_fraud=[0.1, 0.2]), "p_fruad", "y")


# -- the command


def run(capsys, *arguments):
    from steelyard.cli import main

    code = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_threshold_command(tmp_path, capsys):
    path = write(tmp_path, "csv", y=NAMES, p=SCORES)
    code, out, err = run(
        capsys,
        "threshold",
        path,
        "--truth",
        "y",
        "--score",
        "p",
        "--maximise",
        "IAM",
        "--priors",
        "0.001",
        "--json",
    )
    assert (code, err) == (0, "")
    best = json.loads(out)["best"]
    from steelyard.scores.threshold_selection import best_threshold

    expected = best_threshold(sy.ScoreCounts.from_scores(NAMES, SCORES), "IAM", priors=0.001)
    assert best["threshold"] == expected.threshold
    assert best["value"] == pytest.approx(expected.value)
    assert best["interval"]["threshold"] == list(expected.threshold_interval)
    assert "optimistic" in best["note"]


def test_threshold_command_with_held_out_rows(tmp_path, capsys):
    fit = tmp_path / "fit.csv"
    held_out = tmp_path / "held_out.csv"
    pd.DataFrame({"y": NAMES[:200], "p": SCORES[:200]}).to_csv(fit, index=False)
    pd.DataFrame({"y": NAMES[200:], "p": SCORES[200:]}).to_csv(held_out, index=False)
    options = ("--score", "p", "--maximise", "gmean", "--positive", "fraud", "--replicates", "20")
    code, out, _ = run(capsys, "threshold", "--fit-on", fit, "--apply-to", held_out, *options)
    assert code == 0
    assert "On held-out rows" in out
    assert "optimistic" not in out
    code, out, _ = run(capsys, "threshold", "--fit-on", fit, "--apply-to", held_out, *options, "--json")
    report = json.loads(out)
    threshold = report["best"]["threshold"]
    predicted = ["fraud" if s >= threshold else "ok" for s in SCORES[200:]]
    assert report["held_out"]["value"] == pytest.approx(sy.measure("gmean").score(NAMES[200:], predicted))
    code, out, _ = run(capsys, "threshold", fit, *options)
    assert "Chosen and evaluated on the same rows, the value is optimistic" in out


def test_threshold_json_is_as_the_schema_says(tmp_path, capsys):
    jsonschema = needs("jsonschema")
    code, schema, _ = run(capsys, "threshold", "--json-schema")
    assert code == 0
    validator = jsonschema.Draft202012Validator(json.loads(schema))
    path = write(tmp_path, "csv", y=NAMES, p=SCORES)
    for options in (("--apply-to", path), ("--replicates", "0"), ("--positive", "ok")):
        _, out, _ = run(capsys, "threshold", path, "--score", "p", "--maximise", "gmean", "--json", *options)
        validator.validate(json.loads(out))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--maximise", "gmean", "--score", "q"), "no column 'q'"),
        (("--maximise", "AUC", "--score", "p"), "means more than one metric"),
        (("--maximise", "roc_auc", "--score", "p"), "roc_auc has no threshold"),
        (("--maximise", "gmean", "--score", "p*"), "for one column of scores"),
        (
            ("--maximise", "gmean", "--score", "p", "--fit-on", "other.csv"),
            "one file to choose the threshold on",
        ),
        (("--maximise", "gmean", "--score", "p", "--apply-to", "nowhere.csv"), "no such file"),
        (("--maximise", "gmean", "--score", "p", "--positive", "froud"), "no class 'froud'"),
        (("--maximise", "gmean", "--score", "p", "--priors", "7"), "proportion"),
        (("--score", "p", "--maximise", "gmean", "--cost", "fraud>ok=2"), "a threshold has one aim"),
        (("--score", "p", "--cost", "fraud>ok"), "the costs are not understood"),
        (
            ("--score", "p", "--positive", "fraud", "--cost", "fraud>ok=-1, ok>fraud=2"),
            "the cost of fraud>ok",
        ),
        (("--score", "p", "--positive", "fraud", "--cost", "froud>ok=1"), "no class 'froud'"),
    ],
)
def test_threshold_command_refuses(tmp_path, capsys, options, words):
    path = write(tmp_path, "csv", y=NAMES, p=SCORES)
    code, out, err = run(capsys, "threshold", path, *options)
    assert (code, out) == (2, "")
    assert words in err


def test_measures_of_scores_are_listed(capsys):
    code, out, _ = run(capsys, "measures", "--kind", "scores", "--json")
    assert code == 0
    assert [m["id"] for m in json.loads(out)][:2] == ["roc_auc", "gini"]
    code, out, _ = run(capsys, "explain", "wAUC")
    assert "scores of a positive class" in out


def test_weighing_a_matrix_leaves_scores_out(capsys):
    code, out, _ = run(capsys, "weigh", "[[5, 1], [2, 9]]", "--json")
    assert code == 0
    assert {m["kind"] for m in json.loads(out)["measures"]} == {"two-class", "multi-class"}


# -- a number that is written in two ways is one class, as it is where labels are counted

TWO_WAYS = {"y": ["1", "1.0", "0", "1", "0", "0", "1.0"], "p": [0.9, 0.2, 0.4, 0.5, 0.1, 0.45, 0.8]}


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize("positive", ["1", "1.0", 1])
def test_numbers_written_in_two_ways_are_one_class_of_scores(tmp_path, ending, positive):
    separator = "," if ending == "csv" else "\t"
    lines = [separator.join(map(str, row)) for row in zip(*TWO_WAYS.values(), strict=True)]
    path = tmp_path / f"two_ways.{ending}"
    path.write_text("\n".join([separator.join(TWO_WAYS), *lines]) + "\n", encoding="utf-8")
    counted = read_score_counts(path, "p", "y", positive)
    assert (counted.labels, counted.totals.tolist()) == (("0", "1"), [3, 4])
    assert sy.measure("roc_auc")(counted) == 10 / 12  # the positive of 0.2 stands above one negative of three


@pytest.mark.parametrize("blank", ["", " ", "   ", "\t", '" "'])
def test_a_score_of_blanks_is_missing(tmp_path, blank):
    path = tmp_path / "blank.csv"
    path.write_text(f"y,p\na,0.9\nb,{blank}\nb,0.1\na,0.5\nb,0.6\n", encoding="utf-8")
    counted = read_score_counts(path, "p", "y", "a", missing="drop")
    assert (counted.dropped, sy.measure("roc_auc")(counted)) == (1, 3 / 4)
    with pytest.raises(InputError, match="some scores are missing"):
        read_score_counts(path, "p", "y", "a")
    path.write_text("y,p\na,0.9\nb,x \nb,0.1\n", encoding="utf-8")
    with pytest.raises(InputError, match="1 other values such as 'x "):
        read_score_counts(path, "p", "y", "a", missing="drop")


@pytest.mark.parametrize("width", ["float32", "float64"])
@pytest.mark.parametrize("weight", [None, "w"])
def test_scores_that_are_nan_in_parquet_are_missing(tmp_path: Path, width: str, weight: str | None) -> None:
    """The file's own statistics leave NaN out, and DuckDB believes them: isnan() was false for every row."""
    held = [float("nan"), float("nan"), 0.75, 0.25, 0.625, 0.125, 0.875]
    table = pa.table(
        {
            "y": list("pnpnpnn"),
            "s": np.array(held, width),
            "r": 1 - np.array(held, width),
            "w": np.arange(1.0, 8),
        }
    )
    path = str(tmp_path / "scores.parquet")
    pq.write_table(table, path)
    asked: dict[str, Any] = {"truth": "y", "weight": weight, "missing": "drop", "interval": None}
    for how in ({"score": "s", "threshold": 0.5, "positive": "p"}, {"scores": {"p": "s", "n": "r"}}):
        in_file, in_memory = (sy.evaluate(source, **how, **asked).matrix for source in (path, table))
        assert in_file.labels == in_memory.labels
        assert in_file.counts.tolist() == in_memory.counts.tolist()
        assert in_file.total == (5 if weight is None else 25)
