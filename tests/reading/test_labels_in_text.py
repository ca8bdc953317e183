"""Labels in text files: numbers have one order and one identity, whichever command reads them."""

import json

import pandas as pd
import pytest

import steelyard as sy
from steelyard.counts.labels import in_order, meant
from steelyard.errors import InputError
from tests.commands import steelyard

# Twelve grades, one row each, predicted one grade too high but for the last: by hand, the weighted disagreement
# is 11 rows of |i-j| = 1, so macro MAE is 11/12 whatever the order of the rows.
GRADES = [(grade, min(grade + 1, 12)) for grade in range(1, 13)]


def total_cost(evaluation):
    return sum(confusion.total for confusion in evaluation.costs.confusions)


def written(path, rows, names=("y", "p")):
    path.write_text(",".join(names) + "\n" + "".join(f"{a},{b}\n" for a, b in rows))
    return path


def test_numbers_in_text_are_ordered_by_value():
    assert in_order(["10", "9", "-1", "2"]) == ["-1", "2", "9", "10"]
    assert in_order(["10.5", "9", "b"]) == ["10.5", "9", "b"]
    assert in_order(["02", "1", "10"]) == ["02", "1", "10"]  # codes
    assert in_order([10, 9, 2]) == [2, 9, 10]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_ordinal_metrics_do_not_depend_on_the_format(tmp_path, suffix):
    path = tmp_path / f"grades.{suffix}"
    frame = pd.DataFrame(GRADES, columns=["y", "p"])
    if suffix == "csv":
        frame.to_csv(path, index=False)
    elif suffix == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    matrix = sy.count(path, truth="y", pred="p").confusion()
    assert [str(label) for label in matrix.labels] == [str(k) for k in range(1, 13)]
    assert sy.measure("macro_mae")(matrix) == pytest.approx(11 / 12)


def test_a_table_of_costs_follows_the_value_of_the_classes(tmp_path):
    rows = [(2, 2)] * 5 + [(2, 10)] * 3 + [(10, 2)] * 2 + [(10, 10)] * 4
    written(tmp_path / "c.csv", rows)
    pd.DataFrame(rows, columns=["y", "p"]).to_parquet(tmp_path / "c.parquet")
    totals = [
        total_cost(sy.evaluate(tmp_path / name, truth="y", pred="p", cost=[[0, 200], [4, 0]]))
        for name in ("c.csv", "c.parquet")
    ]
    # 3 rows of class 2 called 10 cost 200 each, 2 rows of class 10 called 2 cost 4 each
    assert totals == [3 * 200 + 2 * 4] * 2


def test_score_columns_without_names_are_refused_where_text_and_numbers_have_another_order():
    truth = ["2", "10", "2", "10", "1"]
    table = [[0.1, 0.8, 0.1]] * 5
    with pytest.raises(InputError, match="order of the score columns is not clear"):
        sy.ScoreCounts.from_scores(truth, table)
    assert sy.ScoreCounts.from_scores(truth, table, labels=["1", "10", "2"]).labels == ("1", "10", "2")


def test_codes_that_differ_by_a_trailing_zero_stay_apart(tmp_path):
    rows = [("250.0", "250.0"), ("250.00", "250.0"), ("401.1", "401.1"), ("401.10", "401.10")]
    matrix = sy.count(written(tmp_path / "icd.csv", rows), truth="y", pred="p").confusion()
    assert set(matrix.labels) == {"250.0", "250.00", "401.1", "401.10"}
    assert matrix.hits.sum() == 3


@pytest.mark.parametrize(("low", "high"), [("0.0", "1.0"), ("-1.0", "1.0")])
def test_the_positive_class_of_numbers_is_the_conventional_one_in_every_format(tmp_path, low, high):
    rows = [(high, high)] * 6 + [(high, low)] * 2 + [(low, low)] * 3 + [(low, high)]
    path = written(tmp_path / "f.csv", rows)
    matrix = sy.count(path, truth="y", pred="p").confusion()
    choice = matrix.positive_class()
    assert (choice.label, choice.guessed) == (high, False)
    assert sy.evaluate(path, truth="y", pred="p", positive="1").matrix.index("1") == matrix.labels.index(high)


def test_a_class_typed_as_a_number_is_found_however_it_is_written(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("y,s\n1.0,0.9\n0.0,0.2\n1.0,0.4\n0.0,0.6\n")
    found = sy.evaluate(path, truth="y", score="s", threshold=0.5, positive="1")
    assert found.matrix.counts.tolist() == [[1, 1], [1, 1]]
    assert (
        steelyard(
            "evaluate", path, "--truth", "y", "--score", "s", "--threshold", 0.5, "--positive", 1
        ).returncode
        == 0
    )
    assert meant(["1", "2"], ["1.0", "0.0"]) == ["1.0", None]
    assert meant(["1"], ["1.0", "1.00"]) == [None]  # codes
    costs = sy.evaluate(path, truth="y", score="s", threshold=0.5, positive="1", cost="1>0=5, 0>1=1")
    assert total_cost(costs) == 6


def test_named_classes_that_are_one_number_stay_apart(tmp_path):
    path = written(tmp_path / "n.csv", [(1, 1), (2, 2), (1, 2)])
    counts = sy.count(path, truth="y", pred="p", labels=(2, 1, "1.0"))
    assert counts.confusion().labels == ("2", "1", "1.0")
    assert counts.confusion().counts.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0]]


def test_truth_values_beside_numbers_are_refused(tmp_path):
    path = tmp_path / "b.jsonl"
    path.write_text("".join(json.dumps({"y": y, "p": 1}) + "\n" for y in (True, 1, 0)))
    with pytest.raises(InputError, match="truth values and numbers"):
        sy.count(path, truth="y", pred="p")


# -- watch


INTS_AND_FLOATS = [("1", "1.0"), ("0", "0.0"), ("1", "1.0"), ("0", "1.0"), ("0", "0.0")] * 40


def test_watch_reads_integers_and_floats_as_one_class(tmp_path):
    path = written(tmp_path / "i.csv", INTS_AND_FLOATS)
    answer = steelyard(
        "watch", path, "--truth", "y", "--pred", "p", "--every", 100, "--measure", "accuracy", "--json"
    )
    first = json.loads(answer.stdout.splitlines()[0])
    assert {entry["label"] for entry in first["priors"]} == {"0", "1"}
    assert 'Numbers written in two ways were read as one class: "0.0" as "0", "1.0" as "1".' in answer.stderr
    assert [moved["value"] for moved in first["measures"]] == [pytest.approx(0.8)]


def test_watch_knows_the_reference_s_classes_in_another_spelling(tmp_path):
    reference = written(tmp_path / "i.csv", INTS_AND_FLOATS)
    floats = written(tmp_path / "f.csv", [(f"{a}.0", b) for a, b in INTS_AND_FLOATS])
    answer = steelyard(
        "watch", floats, "--reference", reference, "--truth", "y", "--pred", "p", "--every", 100
    )
    assert answer.returncode == 0
    assert "ALARM" not in answer.stdout


def test_watch_refuses_columns_without_a_common_label(tmp_path):
    path = written(tmp_path / "w.csv", [("a", "x"), ("b", "y")] * 20)
    answer = steelyard("watch", path, "--truth", "y", "--pred", "p", "--every", 10)
    assert answer.returncode == 2
    assert "no label in common" in answer.stderr


def test_priors_know_unlabelled_predictions_in_another_spelling(tmp_path):
    labelled = written(tmp_path / "l.csv", INTS_AND_FLOATS)
    unlabelled = tmp_path / "u.csv"
    unlabelled.write_text("p\n" + "1.0\n0.0\n0.0\n" * 50)
    found = sy.estimate_priors(labelled, unlabelled=unlabelled, truth="y", pred="p")
    assert found.labels == ("0", "1")
    assert found.shares_predicted == pytest.approx((2 / 3, 1 / 3))
