"""Records: two kinds, names by themselves, copies that stay what they were."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from typing import Any

import cloudpickle
import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.catalogue import names_of
from steelyard.measures.measure import MatrixMeasure, PositiveClassWarning
from steelyard.measures.record import ByClasses, Needs, Range
from steelyard.measures.score_measure import ScoreMeasure
from steelyard.measures.undefined import NEVER_UNDEFINED
from tests.each import each
from tests.measures.own import declared, declared_mean

ALL = sy.catalogue("all", wide=True)
MATRIX = [[8, 2], [10, 30]]

# -- two kinds of records


def test_measures_of_scores_are_records_of_their_own() -> None:
    for m in ALL:
        assert isinstance(m, sy.Measure)
        assert isinstance(m, ScoreMeasure if m.kind == "scores" else MatrixMeasure)
        assert m.id
        assert m.name
    assert not hasattr(sy.measure("gmean"), "two_sided")


def test_parameters_at_their_default_vanish_from_the_name() -> None:
    assert sy.measure("f_beta", beta=1).name == sy.measure("f_beta", beta=1.0).name == "f_beta"
    assert sy.measure("balanced_f_beta", beta=1).name == "balanced_f_beta"
    assert sy.measure("ova_auc", average="macro").name == "ova_auc"
    assert sy.measure("class_weighted_accuracy").name == "class_weighted_accuracy(w=0.5)"
    assert sy.measure("weighted_auc", rho=0.3).name == "weighted_auc(rho=0.3, strips=100)"


def test_every_parameter_that_is_always_shown_has_no_default() -> None:
    for m in ALL:
        if m.remake is not None:
            usual = {
                key: p.default
                for key, p in inspect.signature(m.remake).parameters.items()
                if p.default is not inspect.Parameter.empty
            }
            assert not [key for key, value in m.parameters.items() if usual.get(key) == value]


# -- what a class may not lack


@each("measure", sy.catalogue(wide=True), ids=lambda m: m.id)
def test_needs_are_what_the_values_say(measure: sy.Measure) -> None:
    """Undefined wherever a class lacks examples (or predictions), and only then because of it."""
    if measure.kind == "two-class":
        absent = [[[0, 0], [3, 4]], [[3, 4], [0, 0]]]
        unpredicted = [[[0, 3], [0, 4]], [[3, 0], [4, 0]]]
    else:
        absent = [[[5, 1, 2], [0, 0, 0], [1, 3, 6]]]
        unpredicted = [[[5, 0, 2], [1, 0, 3], [2, 0, 6]]]
    for needed, matrices in ((Needs.EXAMPLES, absent), (Needs.PREDICTIONS, unpredicted)):
        values = [measure(sy.Confusion(m, range(len(m))), positive=0) for m in matrices]
        assert bool(np.isnan(values).all()) == (needed in measure.needs), needed
    assert (measure.undefined_when == NEVER_UNDEFINED) <= (not measure.needs)


def test_operators_pass_on_what_a_class_may_not_lack() -> None:
    assert sy.balanced("accuracy").needs == {Needs.EXAMPLES}
    assert sy.balanced("accuracy").undefined_when == "a class that it depends on has no examples"
    # Specificity knows of negatives alone: without a positive it has a value, and the words do not deny it.
    assert sy.at_priors("specificity", 0.25)([[0, 0], [1, 4]]) == 0.8
    assert sy.at_priors("specificity", 0.25).undefined_when.startswith("a class that it depends on")
    assert sy.balanced("macro_precision").needs == {Needs.EXAMPLES, Needs.PREDICTIONS}
    assert sy.one_versus_all("auc_point").needs == {Needs.EXAMPLES}


# -- warnings


def test_the_guess_is_told_in_the_public_call_and_points_to_it() -> None:
    matrix = sy.Confusion(MATRIX, labels=["fraud", "ok"])
    for call in (
        lambda: sy.measure("recall")(matrix),
        lambda: sy.measure("recall").exact(matrix),
        lambda: sy.weigh(["recall", "gmean"], matrix),
        lambda: sy.measure("recall")(["fraud", "ok", "ok"], ["fraud", "ok", "fraud"]),
    ):
        with pytest.warns(PositiveClassWarning, match="'fraud' is taken for the positive class") as told:
            call()
        assert len(told) == 1
        assert told[0].filename == __file__


def test_nothing_is_told_where_the_class_is_named_or_not_needed() -> None:
    matrix = sy.Confusion(MATRIX, labels=["fraud", "ok"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sy.measure("recall")(matrix, positive="fraud")
        sy.measure("gmean")(matrix)
        sy.measure("recall").why_undefined(matrix)
        sy.interval(matrix, "recall", draws=200)
        scores = sy.ScoreCounts.from_scores(["ok", "ok", "fraud"], [0.1, 0.2, 0.3])
        assert sy.measure("roc_auc").why_undefined(scores) is None


# -- copies and pickles


@each("measure", ALL, ids=lambda m: m.id)
def test_a_measure_of_the_catalogue_comes_back_as_itself(measure: sy.Measure) -> None:
    for again in (pickle.loads(pickle.dumps(measure)), copy.copy(measure), copy.deepcopy(measure)):
        assert again is measure
    assert next(iter(names_of(measure))) == measure.id


def test_a_measure_of_a_user_comes_back_as_the_users() -> None:
    """Its id is that of another measure in the catalogue, whose value here is 8/18."""
    mine = declared()
    for again in (pickle.loads(pickle.dumps(mine)), copy.copy(mine), copy.deepcopy(mine)):
        assert again.title == "Half of the recall"
        assert again(MATRIX) == 0.4
    squares = pickle.loads(pickle.dumps(declared_mean()))
    assert squares(MATRIX) == pytest.approx((0.8**2 + 0.75**2) / 2)
    assert pickle.loads(pickle.dumps(sy.balanced(mine))).name == "balanced(precision)"
    assert pickle.loads(pickle.dumps(sy.balanced(mine)))(MATRIX) == 0.4


def test_a_renamed_measure_keeps_its_name_and_what_it_is() -> None:
    mine = sy.balanced("precision").named(id="my_precision", title="Mine")
    again = pickle.loads(pickle.dumps(mine))
    assert (again.id, again.title) == ("my_precision", "Mine")
    assert again(MATRIX) == mine(MATRIX)
    assert copy.deepcopy(mine).title == "Mine"
    under = sy.measure("precision").named(title="Precision, as we call it")
    assert pickle.loads(pickle.dumps(under)).title == "Precision, as we call it"


def test_a_measure_made_of_a_lambda_is_pickled_as_its_graph() -> None:
    mine = declared(id="mine", body=lambda c: c.ratio(c.tp, c.positives, "none"))
    for made in (mine, sy.balanced(mine)):
        for again in (pickle.loads(pickle.dumps(made)), pickle.loads(cloudpickle.dumps(made))):
            assert again(MATRIX) == 0.8
            assert again.graph is made.graph  # interned: the same graph is the same object
    assert copy.deepcopy(mine) is mine


def test_a_body_that_cannot_be_traced_computes_and_is_pickled_by_reference() -> None:
    mine = declared(id="mine", body=lambda c: float(np.asarray(c.tp).item()) / 10)
    assert "float" in mine.opaque
    assert mine([[4, 1], [2, 3]]) == 0.4
    assert mine.to_dict()["graph"] is None
    assert mine.to_dict()["opaque"] == mine.opaque
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(mine)
    assert pickle.loads(cloudpickle.dumps(mine))([[4, 1], [2, 3]]) == 0.4
    with pytest.raises(sy.InputError, match="no graph"):
        sy.Measure.from_dict(mine.to_dict())


def test_a_bound_that_depends_on_the_number_of_classes_is_pickled_as_its_graph() -> None:
    mine = declared(id="mine", range=Range(0, ByClasses("C/4", lambda classes: classes / 4)))
    assert pickle.loads(pickle.dumps(mine)).range.at(2) == (0, 0.5)


def test_a_title_inside_a_sentence_keeps_the_capitals_of_symbols_and_names() -> None:
    for title, inside in (
        ("Half of the recall", "half of the recall"),
        ("ROC point", "ROC point"),
        ("F-measure of mine", "F-measure of mine"),
        ("Youden's index", "Youden's index"),
    ):
        assert sy.balanced(declared(id="mine", title=title)).title == f"Balanced {inside}"


def test_a_bound_that_is_a_pair_is_a_range() -> None:
    mine = declared(id="mine", range=(0, 0.5))
    assert mine.range.at(2) == (0, 0.5)
    assert mine.normalise(0.4, 2) == 0.8


def test_a_declaration_may_leave_its_id_to_the_title_and_write_notes_as_lines() -> None:
    mine = sy.two_class(title="Missed share", question="How many?", body=lambda c: c.fn, notes="One.\nTwo.")
    assert (mine.id, mine.notes) == ("missed_share", ("One.", "Two."))
    assert mine.named(notes="Three.").notes == ("Three.",)
    assert sy.two_class(title="X", question="?", body=lambda c: c.fn, notes=("One.",)).notes == ("One.",)


@pytest.mark.parametrize("declare", [sy.two_class, sy.multi_class])
def test_a_declaration_says_what_it_lacks(declare: Any) -> None:
    with pytest.raises(sy.InputError, match="lacks facts; found no title, question;"):
        declare(id="x", body=lambda c: c.total)
    with pytest.raises(sy.InputError, match="did you mean 'title'"):
        declare(id="x", body=lambda c: c.total, titel="X")


def test_a_mean_over_classes_says_what_it_lacks() -> None:
    with pytest.raises(sy.InputError, match="lacks facts; found no question;"):
        sy.class_mean(id="x", title="X", per_class=lambda c: c.hits)
