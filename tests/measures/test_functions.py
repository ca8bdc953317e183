"""Is every measure a function of two columns, and does the stub say so?"""

from __future__ import annotations

import builtins
import keyword
import math
import subprocess
import sys
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.measures.catalogue.functions import function_names
from steelyard.measures.measure import PositiveClassWarning

ROOT = Path(__file__).resolve().parents[2]
Y, P = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 1]


def test_the_functions_that_are_typed_first() -> None:
    """Recalls 2/3 and 4/5; class 1 is called 3 times, class 0 5 times."""
    assert sy.gmean(Y, P) == pytest.approx((2 / 3 * 4 / 5) ** 0.5)
    assert sy.cba(Y, P) == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert sy.f1(Y, P) == pytest.approx(2 / 3)
    assert sy.f_beta(Y, P, beta=2) == pytest.approx(2 / 3)
    assert sy.accuracy(Y, P, sample_weight=[3, 1, 1, 1, 1, 1, 1, 1]) == pytest.approx(8 / 10)
    assert sy.recall(Y, P, positive=0) == pytest.approx(4 / 5)
    assert sy.roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == 0.75


@pytest.mark.parametrize("m", sy.catalogue("all", wide=True), ids=lambda m: m.id)
def test_every_measure_is_a_function(m: sy.Measure) -> None:
    if m.id not in sy.__all__:
        made = getattr(sy, m.id)
        assert made.__name__ == m.id
        assert made.__doc__.startswith(m.question)
        assert made.__module__ == "steelyard"


def test_names_are_those_that_can_be_typed() -> None:
    """FOR and MAP are symbols of measures; for and map are words of Python. P4 is an id, however short."""
    function_names.cache_clear()
    names = function_names()
    assert all(name.isascii() and name.isidentifier() for name in names)
    assert not {name for name in names if keyword.iskeyword(name) or hasattr(builtins, name)}
    assert {m.id for m in sy.catalogue("all", wide=True)} <= set(names)


def test_operators_and_rooms_keep_their_names() -> None:
    assert sy.iba is sys.modules["steelyard.measures.operators"].iba
    names = set(function_names())
    assert {"map", "for", "m"}.isdisjoint(names)
    assert not names & {path.stem for path in (ROOT / "src" / "steelyard").iterdir()}
    assert set(dir(sy)) == set(sy.__all__)


def test_asking_for_a_room_or_a_dunder_loads_nothing() -> None:
    script = "import steelyard, sys; hasattr(steelyard, '__wrapped__'); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_stub_is_up_to_date() -> None:
    from tools.write_stub import TARGET, stub

    assert stub() == TARGET.read_text(encoding="utf-8"), "write it again: python tools/write_stub.py"


def test_a_warning_stands_at_the_line_of_the_caller() -> None:
    with pytest.warns(PositiveClassWarning) as caught:
        sy.precision(["a", "b", "b", "a", "a"], ["a", "b", "a", "a", "a"])
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({"pos_label": 1}, "say positive="),
        ({"average": "macro"}, "macro_f_beta"),
        ({"zero_division": 0}, "undefined="),
    ],
)
def test_words_of_another_library_are_answered_with_ours(theirs: dict[str, object], ours: str) -> None:
    with pytest.raises(sy.InputError, match=ours):
        sy.f1([0, 1, 1], [0, 1, 0], **theirs)


def test_a_parameter_of_the_measure_is_not_taken_for_another_librarys() -> None:
    """0.8607142857142858 is scikit-learn 1.9.1's roc_auc_score(multi_class="ovr", average="weighted")."""
    truth = [0, 0, 0, 1, 1, 2, 2, 2, 2, 1]
    tenths = [(7, 2), (5, 3), (2, 5), (1, 8), (4, 3), (1, 2), (3, 3), (5, 2), (2, 1), (3, 4)]
    scores = [[a / 10, b / 10, (10 - a - b) / 10] for a, b in tenths]
    assert sy.ova_auc(truth, scores, average="prevalence") == pytest.approx(0.8607142857142858)


def test_symbols_of_the_papers_are_names():
    """[[2, 1], [0, 2]]: recalls 2/3 and 1, precisions 1 and 2/3."""
    truth, predicted = [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]
    assert sy.ACSA(truth, predicted) == pytest.approx(5 / 6)
    assert sy.IAM(truth, predicted) == pytest.approx(1 / 3)  # 2 CBA - 1, both classes 2/3
    assert sy.OP(truth, predicted) == pytest.approx(4 / 5 - (1 / 3) / (5 / 3))
    assert sy.pr_B(truth, predicted) == 1.0
    # (1 + 0.05 (2/3 - 1)) sqrt(2/3)
    assert sy.IBA(truth, predicted) == pytest.approx((1 - 0.05 / 3) * (2 / 3) ** 0.5)
    assert sy.Dom(truth, predicted) == pytest.approx(2 / 3 - 1)
    assert sy.pr(truth, predicted) == 1.0
    assert sy.Rec_mu(truth, predicted) == pytest.approx(4 / 5)
    for several, meant in (("AUC", "auc_point"), ("AUROC", "auroc_ovo"), ("Fscore", "macro_f_beta")):
        with pytest.raises(AttributeError, match=meant):
            getattr(sy, several)
    with pytest.raises(AttributeError, match="steelyard explain RRT"):
        getattr(sy, "RRT")  # noqa: B009


def test_a_function_warns_with_the_reason_where_its_value_is_undefined() -> None:
    with pytest.warns(
        RuntimeWarning, match=r"mcc is undefined: .* one class only is predicted; undefined=0 counts it as 0"
    ):
        assert math.isnan(sy.mcc([1, 0, 0], [0, 0, 0]))
    assert sy.mcc([1, 0, 0], [0, 0, 0], undefined=0) == 0


def test_expected_cost_is_a_name_once_its_costs_are_known() -> None:
    """10 misses at 200 and 30 false alarms at 4 of 1,000 examples: 2,120 / 1,000."""
    matrix = [[90, 10], [30, 870]]
    assert sy.measure("expected_cost", miss=200, false_alarm=4)(matrix) == pytest.approx(2.12)
    assert sy.measure("expected_cost(miss=200, false_alarm=4)")(matrix) == pytest.approx(2.12)
    for name, costs in (("expected_cost", {}), ("expected cost", {"miss": 3}), ("expected_cost(miss=1)", {})):
        with pytest.raises(
            sy.InputError, match=r"costs of both errors.*expected_cost\(miss=200, false_alarm=4\)"
        ):
            sy.measure(name, **costs)
    with pytest.raises(sy.InputError, match="cost of a miss"):
        sy.measure("expected_cost", miss="200", false_alarm=4)
