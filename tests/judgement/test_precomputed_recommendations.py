"""A recommendation that comes with the package is the one that is worked out, word for word, or there is none."""

import gzip
import json

import pytest

from steelyard.judgement.recommend import precomputed
from steelyard.judgement.recommend.precomputed import precomputed_recommendation, stamp
from steelyard.judgement.recommend.questions import Situation
from steelyard.judgement.recommend.ranking import rank

SITUATIONS = (
    Situation(),
    Situation(priors_change=True),
    Situation(capacity=True, costly="false-negative"),
    Situation(many_classes=True, every_class=True, relevance="prevalence"),
    Situation(many_classes=True, priors_change=True, classes_appear=True),
)


@pytest.fixture
def filed(monkeypatch, tmp_path):
    """The answers as they are on file, under the stamp of today: what was written for other definitions is worked out
    anew in use."""
    with gzip.open(precomputed.FILE, "rt") as stream:
        kept = json.load(stream)

    def write(**changed):
        path = tmp_path / "answers.json.gz"
        with gzip.open(path, "wt") as stream:
            json.dump({**kept, "stamp": stamp(), **changed}, stream)
        monkeypatch.setattr(precomputed, "FILE", path)

    write()
    return write


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_what_is_kept_is_what_is_worked_out(situation, filed):
    kept, found = precomputed_recommendation(situation), rank(situation)
    assert kept is not None
    assert kept.to_dict() == found.to_dict()
    assert str(kept) == str(found)
    assert kept.table() == found.table()


def test_the_answers_on_file_are_those_of_these_definitions():
    with gzip.open(precomputed.FILE, "rt") as stream:
        assert json.load(stream)["stamp"] == stamp(), (
            "write them again: python -m steelyard.judgement.recommend.precomputed"
        )


def test_what_rests_on_something_else_is_not_given(filed):
    filed(stamp="of another day")
    assert precomputed_recommendation(Situation()) is None


def test_amounts_and_data_are_never_kept(filed):
    assert precomputed_recommendation(Situation(costs=(200.0, 4.0))) is None
    assert precomputed_recommendation(Situation(absent=("a",))) is None
    assert precomputed_recommendation(Situation(never_predicted=("a",))) is None
    assert (
        precomputed_recommendation(Situation(many_classes=True, capacity=True)) is None
    )  # refused when it is worked out
