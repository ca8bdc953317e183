"""Does a caller in Python get the command's advice, in words of Python, and is a wrong word refused?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import steelyard as sy
from steelyard.judgement.recommend.options import Situation
from steelyard.judgement.recommend.ranking import rank


def test_what_is_said_by_name_is_the_situation() -> None:
    found = sy.recommend(classes="many", every_class=True, priors_change=True)
    assert found.situation == Situation(many_classes=True, every_class=True, priors_change=True)
    assert found.to_dict() == rank(found.situation).to_dict()


def test_classes_may_be_a_number() -> None:
    assert sy.recommend(classes=2) == sy.recommend(classes="two") == sy.recommend()
    assert sy.recommend(classes=3) == sy.recommend(classes="many")


def test_data_say_how_many_classes_there_are_and_which_are_lacking(tmp_path: Path) -> None:
    rows = {"truth": ["a", "b", "c", "c"], "prediction": ["a", "b", "b", "a"]}
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "p.csv", index=False)
    columns = sy.recommend(rows["truth"], rows["prediction"])
    assert columns.situation == Situation(many_classes=True, never_predicted=("c",))
    for given in (frame, tmp_path / "p.csv", sy.Confusion.from_labels(rows["truth"], rows["prediction"])):
        assert sy.recommend(given).to_dict() == columns.to_dict()


def test_answers_are_asked_for_in_the_words_of_the_caller() -> None:
    shown = repr(sy.recommend())
    assert "costs=(miss, false_alarm)" in shown
    assert "costly='false-positive'" in shown
    assert "--" not in shown


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"classes": 1}, "classes is not understood; found 1; allowed: 'two', 'many' or a number from 2 on."),
        ({"classes": True}, "classes is not understood; found True"),
        ({"costly": "miss"}, "costly= has no such value; found 'miss'"),
        ({"relevance": {"a": 1}}, "relevance= has no such value"),
        ({"costs": 200}, "the costs are not understood; found 200"),
        ({"costs": (1, 2, 3)}, "the costs are not understood"),
        ({"costs": (-1, 2)}, "cost"),
        ({"classes": "many", "costs": (1, 2)}, "is for two classes"),
        ({"data": [[1, 2], [3, 4]], "classes": "two"}, "the data say how many classes there are"),
    ],
)
def test_what_is_no_answer_is_refused(said: dict[str, Any], words: str) -> None:
    with pytest.raises(sy.InputError) as caught:
        sy.recommend(**said)
    assert words in str(caught.value)


@pytest.mark.parametrize("cost", ["*>*=1", "fraud>ok=200", "ok>ok=200", "a>b=1, b>a=2, a>c=3"])
def test_costs_of_other_than_two_errors_are_refused(cost):
    with pytest.raises(sy.InputError, match="costs of two errors"):
        sy.recommend(cost=cost)


def test_costs_of_a_class_that_the_data_lack_are_refused():
    truth, predicted = ["fraud", "ok", "ok"], ["fraud", "fraud", "ok"]
    with pytest.raises(sy.InputError, match=r"no class 'fruad'.*did you mean 'fraud'"):
        sy.recommend(truth, predicted, cost="fruad>ok=200, ok>fruad=4")
    first = sy.recommend(truth, predicted, cost="fraud>ok=200, ok>fraud=4").first
    assert first == "expected_cost(miss=200, false_alarm=4)"
