"""Evaluation of labelled samples: recognised files, named columns, said shares, and bad input."""

from __future__ import annotations

import contextlib
import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.errors import InputError

pytestmark = pytest.mark.usefixtures("few_samples")

ALIKE = ("--truth", "y", "--pred", "pred", "--positive", "fraud")


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame]:
    """A folder with a pool and a labelled sample of it."""
    folder = tmp_path_factory.mktemp("sampled")
    random = np.random.default_rng(5)
    scores = random.beta(0.3, 12, 5000)
    frame = pd.DataFrame(
        {
            "p": scores.round(6),
            "pred": np.where(scores >= 0.15, "fraud", "ok"),
            "y": np.where(random.random(5000) < scores, "fraud", "ok"),
        }
    )
    frame.to_csv(folder / "pool.csv", index=False)
    words = (
        "--score",
        "p",
        "--pred",
        "pred",
        "--positive",
        "fraud",
        "--labels",
        "400",
        "--out",
        "labelled.csv",
    )
    with contextlib.chdir(folder):
        assert main(["sample", "pool.csv", *words]) == 0
    return folder, frame


@pytest.fixture
def pool(sampled: tuple[Path, pd.DataFrame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """The rows; the working folder has the pool and the sample."""
    folder, frame = sampled
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return frame.copy()


def rows() -> list[dict[str, str]]:
    with Path("labelled.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def write(name: str, written: list[dict[str, str]]) -> str:
    with Path(name).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(written[0]))
        writer.writeheader()
        writer.writerows(written)
    return name


def evaluated(capsys: Any, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["evaluate", *words, *ALIKE, "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def of(answer: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in answer["measures"] if one["id"] == name)


def test_the_file_of_a_sample_is_recognised(pool: pd.DataFrame, capsys: Any) -> None:
    answer = evaluated(capsys, "labelled.csv")
    own = rows()
    weight = [1 / float(row["inclusion_probability"]) for row in own]
    cells = {
        (truth, pred): sum(
            w for w, row in zip(weight, own, strict=True) if (row["y"], row["pred"]) == (truth, pred)
        )
        for truth in ("fraud", "ok")
        for pred in ("fraud", "ok")
    }
    recall = cells["fraud", "fraud"] / (cells["fraud", "fraud"] + cells["fraud", "ok"])
    assert of(answer, "recall")["value"] == pytest.approx(recall, rel=1e-12)
    assert answer["matrix"]["counts"][0] == pytest.approx([cells["fraud", "fraud"], cells["fraud", "ok"]])
    whole = evaluated(capsys, "pool.csv")
    for name in ("recall", "precision", "f_beta", "gmean", "accuracy", "mcc"):
        ends = of(answer, name)["interval"]
        assert ends["low"] <= of(whole, name)["value"] <= ends["high"], name
    assert sum(one["labelled"] for one in answer["strata"]) == 400
    assert sum(one["rows"] for one in answer["strata"]) == 5000
    assert answer["classes"][0]["recall_interval"] == pytest.approx(
        [of(answer, "recall")["interval"]["low"], of(answer, "recall")["interval"]["high"]]
    )


def test_named_columns_are_the_same_sample(pool: pd.DataFrame, capsys: Any) -> None:
    asked = evaluated(capsys, "labelled.csv")
    named = [
        {"s": row["stratum"], "w": row["inclusion_probability"], "pred": row["pred"], "y": row["y"]}
        for row in rows()
    ]
    answer = evaluated(capsys, write("named.csv", named), "--stratum", "s", "--inclusion", "w")
    assert of(answer, "recall") == of(asked, "recall")
    of_frame = sy.evaluate(
        pd.DataFrame(named).astype({"w": float}),
        truth="y",
        pred="pred",
        positive="fraud",
        stratum="s",
        inclusion="w",
    )
    assert of_frame["recall"] == of(asked, "recall")["value"]
    alone = evaluated(capsys, "named.csv", "--inclusion", "w")
    assert of(alone, "recall")["value"] == pytest.approx(of(asked, "recall")["value"])


def test_shares_of_labelled_rows(pool: pd.DataFrame, capsys: Any) -> None:
    """All alerts and 5% of the rest, said in words: with the unlabelled rows in the file, and without."""
    random = np.random.default_rng(1)
    labelled = (pool["pred"] == "fraud") | (random.random(len(pool)) < 0.05)
    pool.assign(y=pool["y"].where(labelled, "")).to_csv("all.csv", index=False)
    pool[labelled].to_csv("only.csv", index=False)
    said = ("--labelled", "pred=fraud: all, pred=ok: 5%")
    for name in ("all.csv", "only.csv"):
        answer = evaluated(capsys, name, *said)
        precision = of(answer, "precision")
        true = float((pool.loc[pool["pred"] == "fraud", "y"] == "fraud").mean())
        assert precision["value"] == pytest.approx(true)
        assert precision["interval"]["low"] == pytest.approx(true)  # all alerts are labelled
        recall = of(answer, "recall")["interval"]
        whole = of(evaluated(capsys, "pool.csv"), "recall")["value"]
        assert recall["low"] < whole < recall["high"]


def test_a_pool_that_is_labelled_whole_is_evaluated_exactly(pool: pd.DataFrame, capsys: Any) -> None:
    pool.assign(s="all", w=1).to_csv("whole.csv", index=False)
    answer = evaluated(capsys, "whole.csv", "--stratum", "s", "--inclusion", "w")
    plain = evaluated(capsys, "pool.csv")
    for name in ("recall", "f_beta", "mcc"):
        one = of(answer, name)
        assert one["value"] == of(plain, name)["value"]
        assert one["interval"]["low"] == one["interval"]["high"] == pytest.approx(one["value"])


def test_costs_slices_thresholds_and_classes(pool: pd.DataFrame, capsys: Any) -> None:
    answer = evaluated(capsys, "labelled.csv", "--cost", "fraud>ok=200, ok>fraud=4")
    counts = np.array(answer["matrix"]["counts"])
    expected = (200 * counts[0, 1] + 4 * counts[1, 0]) / counts.sum()
    cost = answer["costs"]["figures"][0]
    assert cost["value"] == pytest.approx(expected)
    assert cost["low"] < expected < cost["high"]
    sliced = sy.evaluate("labelled.csv", truth="y", pred="pred", positive="fraud", slices=["stratum_size"])
    assert sum(part.rows for part in sliced.slices) == pytest.approx(5000)
    by_score = sy.evaluate("labelled.csv", truth="y", score="p", threshold=0.15, positive="fraud")
    assert by_score["recall"] == pytest.approx(of(answer, "recall")["value"])


def _changed(change: Any) -> list[dict[str, str]]:
    return [row for k, old in enumerate(rows()) if (row := change(k, dict(old))) is not None]


BAD = {
    "a row is missing": (lambda k, row: row if k else None, (), "do not match the file"),
    "another probability": (
        lambda k, row: {**row, "inclusion_probability": "0.5"} if row["stratum"] == "2" else row,
        (),
        "do not match the file",
    ),
    "two probabilities": (
        lambda k, row: {**row, "inclusion_probability": "0.5"} if k == 3 else row,
        (),
        "do not match the file",
    ),
    "no probability": (
        lambda k, row: {**row, "inclusion_probability": "x"} if row["stratum"] == "2" else row,
        (),
        "do not match the file",
    ),
    "a row twice": (
        lambda k, row: {**row, "pool_row": rows()[0]["pool_row"]} if k == 5 else row,
        (),
        "more than once",
    ),
    "no labels in a stratum": (
        lambda k, row: {**row, "y": ""} if row["stratum"] == "2" else row,
        (),
        "a stratum has no labels",
    ),
    "some labels missing": (lambda k, row: {**row, "y": ""} if k == 4 else row, (), "have no label"),
    "weights beside": (
        lambda k, row: row,
        ("--stratum", "stratum", "--weight", "p"),
        "leave one of them out",
    ),
    "no inclusion": (lambda k, row: row, ("--stratum", "stratum"), "need the probability"),
    "unknown column": (lambda k, row: row, ("--stratum", "s", "--inclusion", "w"), "there is no column 's'"),
    "a best threshold": (
        lambda k, row: row,
        ("--score", "p", "--threshold", "best:gmean"),
        "metrics of scores are not estimated",
    ),
    "no share": (lambda k, row: row, ("--labelled", "pred=fraud: all"), "has no share of labelled rows"),
    "odd share": (lambda k, row: row, ("--labelled", "pred=fraud: many"), "is not understood"),
    "two columns": (
        lambda k, row: row,
        ("--labelled", "pred=fraud: all, y=ok: 1"),
        "given by the values of one column",
    ),
    "per-row costs": (lambda k, row: row, ("--cost", "fraud>ok=p, ok>fraud=4"), "costs by row stand alone"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_samples_are_refused_in_one_sentence(pool: pd.DataFrame, case: str, capsys: Any) -> None:
    change, words, expected = BAD[case]
    source = write("bad.csv", _changed(change))
    columns = ALIKE if "--score" not in words else ("--truth", "y", "--positive", "fraud")
    capsys.readouterr()
    assert main(["evaluate", source, *columns, *words]) == 2
    out, err = capsys.readouterr()
    assert expected in err
    assert err.count("\n") == 1
    assert not out


def test_labels_that_are_missing_can_be_left_out(pool: pd.DataFrame, capsys: Any) -> None:
    write("some.csv", _changed(lambda k, row: {**row, "y": ""} if k % 50 == 0 else row))
    answer = evaluated(capsys, "some.csv", "--missing", "drop")
    assert sum(one["labelled"] for one in answer["strata"]) == 392
    assert sum(one["rows"] for one in answer["strata"]) == 5000


def test_weights_of_a_sample_are_pointed_out(pool: pd.DataFrame) -> None:
    labelled = pd.read_csv("labelled.csv")
    labelled = labelled.assign(w=1 / labelled["inclusion_probability"])
    found = sy.evaluate(labelled, truth="y", pred="pred", positive="fraud", weight="w")
    assert any("--stratum and --inclusion" in note for note in found.notes)
    with pytest.raises(InputError, match="file or a frame"):
        sy.evaluate(["fraud", "ok"], ["fraud", "ok"], stratum="s", inclusion="w")


def test_estimated_counts_have_no_decimals(pool: pd.DataFrame, capsys: Any) -> None:
    """A count that is estimated from the sample is said to be about so many."""
    assert main(["evaluate", "labelled.csv", *ALIKE]) == 0
    screen = capsys.readouterr().out
    weights = [(1 / float(row["inclusion_probability"]), row["y"], row["pred"]) for row in rows()]
    actual = round(sum(w for w, y, _ in weights if y == "fraud"))
    hits = round(sum(w for w, y, pred in weights if y == pred == "fraud"))
    assert f"Detects about {hits} of {actual} fraud cases" in " ".join(screen.split())
    assert f"about {actual} fraud (" in screen
    assert "steelyard threshold" not in screen


def test_a_threshold_is_not_chosen_on_an_audit_sample(pool: pd.DataFrame, capsys: Any) -> None:
    assert main(["threshold", "labelled.csv", "--truth", "y", "--score", "p", "--positive", "fraud"]) == 2
    assert "rows that count alike" in capsys.readouterr().err


def test_no_prediction_is_suggested_as_the_truth_of_a_sample(capsys: Any, pool: pd.DataFrame) -> None:
    """The file of `sample` has predictions and no truth yet: a guess would compare predictions with each other."""
    unlabelled = pool.drop(columns="y").assign(rule=pool["pred"])
    unlabelled.assign(
        pool_row=range(1, 5001), stratum=1, stratum_size=5000, inclusion_probability=1.0
    ).to_csv("to_label.csv", index=False)
    assert main(["evaluate", "to_label.csv"]) == 2
    message = capsys.readouterr().err
    assert "have no true labels yet" in message
    assert "--truth pred" not in message
    assert "--truth rule" not in message


def test_a_file_that_may_hold_labels_is_not_replaced(tmp_path, capsys):
    file = tmp_path / "to_label.csv"
    command = [
        "sample",
        "examples/data/payments.csv",
        "--score",
        "p",
        "--labels",
        "60",
        "--positive",
        "fraud",
    ]
    assert main([*command, "--out", str(file)]) == 0
    chosen = file.read_text(encoding="utf-8")
    assert main([*command, "--out", str(file)]) == 0  # the same rows again
    header, rest = chosen.split("\n", 1)
    labelled = f"{header},checked\n{rest}"
    file.write_text(labelled, encoding="utf-8")
    capsys.readouterr()
    assert main([*command, "--out", str(file)]) == 2
    assert "exists with other columns and may hold labels" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == labelled


def test_an_unknown_column_of_scores_is_said_to_be_unknown(capsys):
    command = ["sample", "examples/data/payments.csv", "--labels", "60", "--score", "nothere"]
    assert main([*command, "--positive", "fraud"]) == 2
    assert "there is no column 'nothere'" in capsys.readouterr().err.split(";")[0]
