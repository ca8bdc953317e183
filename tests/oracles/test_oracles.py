"""Our values against those recorded from scikit-learn, imbalanced-learn and PyCM (record.py wrote recorded.json).

Where a tool means something else, the difference is a rule here and a note on the measure: both are asserted.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import steelyard as sy
from tests.oracles.record import CASES, RECORDED, TOOLS, TWO_CLASS, columns_of, names_of

DATA = json.loads(RECORDED.read_text(encoding="utf-8"))
NO_VALUE = ("nan", "None")

Value = Callable[[sy.Measure, sy.Confusion], float]


@dataclass(frozen=True)
class Difference:
    """What a tool computes instead, and the words of the measure's notes that say so."""

    instead: Value
    note: str


def under(policy: Any) -> Value:
    return lambda measure, matrix: measure(matrix, undefined=policy)


def macro_gmean(_: sy.Measure, matrix: sy.Confusion) -> float:
    sensitivity, specificity = sy.measure("macro_recall"), sy.one_versus_all(sy.measure("specificity"))
    return math.sqrt(sensitivity(matrix, undefined=0) * specificity(matrix, undefined=0))


def squared_iba(alpha: float, policy: Any) -> Value:
    def value(_: sy.Measure, matrix: sy.Confusion) -> float:
        x, y = (sy.measure(name)(matrix, undefined=policy) for name in ("recall", "specificity"))
        return (1 + alpha * (x - y)) * x * y

    return value


def only_sensible_odds(measure: sy.Measure, matrix: sy.Confusion) -> float:
    """The odds ratio as LR+ / LR-, which has no value where no negative is predicted right."""
    ratios = [sy.measure(name)(matrix) for name in ("positive_likelihood_ratio", "negative_likelihood_ratio")]
    return math.nan if any(map(math.isnan, ratios)) else measure(matrix)


def where_odds_are(measure: sy.Measure, matrix: sy.Confusion) -> float:
    return math.nan if math.isnan(sy.measure("diagnostic_odds_ratio")(matrix)) else measure(matrix)


DIFFERENCES = {
    ("scikit-learn", "balanced_accuracy"): Difference(
        under("skip"), "scikit-learn leaves a class without examples out"
    ),
    ("scikit-learn", "macro_recall"): Difference(under("skip"), "scikit-learn"),
    ("scikit-learn", "macro_precision"): Difference(under("skip"), "scikit-learn's zero_division=np.nan"),
    ("scikit-learn", "macro_precision, zero_division=0"): Difference(under(0), "scikit-learn's default"),
    ("scikit-learn", "macro_f_beta"): Difference(under("skip"), "scikit-learn"),
    ("scikit-learn", "macro_f_beta(beta=2)"): Difference(under("skip"), "scikit-learn"),
    ("scikit-learn", "weighted_precision"): Difference(under("skip"), "scikit-learn"),
    ("scikit-learn", "macro_jaccard"): Difference(under(0), "scikit-learn"),
    ("scikit-learn", "mcc"): Difference(under(0), "scikit-learn gives 0"),
    ("imbalanced-learn", "gmean"): Difference(under(0), "imbalanced-learn counts"),
    ("imbalanced-learn", "gmean, average='macro'"): Difference(
        macro_gmean, "imbalanced-learn's average='macro' is another number"
    ),
    ("imbalanced-learn", "one_versus_all(specificity, macro)"): Difference(
        under(0), ""
    ),  # an operator's measure has no notes
    ("imbalanced-learn", "macro_recall"): Difference(under(0), "imbalanced-learn"),
    ("imbalanced-learn", "recall"): Difference(under(0), "imbalanced-learn"),
    ("imbalanced-learn", "specificity"): Difference(under(0), "imbalanced-learn"),
    ("imbalanced-learn", "iba"): Difference(under(0), "imbalanced-learn"),
    ("imbalanced-learn", "iba, its defaults"): Difference(
        squared_iba(0.1, 0), "imbalanced-learn squares the inner measure"
    ),
    ("pycm", "iba, its defaults"): Difference(squared_iba(1, "nan"), "PyCM"),
    ("pycm", "diagnostic_odds_ratio"): Difference(only_sensible_odds, "PyCM"),
    ("pycm", "yule_q"): Difference(where_odds_are, "PyCM computes it from the odds ratio"),
    ("scikit-learn", "completeness"): Difference(under(1), "scikit-learn gives 1 where one class only"),
    ("scikit-learn", "mutual_information, in nats"): Difference(
        lambda measure, matrix: measure(matrix) * math.log(2), "scikit-learn's mutual_info_score is in nats"
    ),
}

GIVES_UP = {
    # Where a tool has no usable value and ours is defined, or the other way round: (theirs, words of the measure's notes).
    ("scikit-learn", "informedness", "no examples of the positive"): ("-inf", "gives -inf"),
    ("scikit-learn", "normalised_mutual_information", "one class only"): (1.0, "which gives 1"),
    ("pycm", "kl_divergence", "no examples of the positive"): ("None", "PyCM has no value"),
    ("pycm", "kl_divergence", "a class without examples"): ("None", "PyCM has no value"),
    ("pycm", "confusion_entropy", "one class only"): ("None", "PyCM has no value"),
    ("pycm", "modified_confusion_entropy", "one class only"): ("None", "PyCM has no value"),
    ("pycm", "weighted_precision", "one class only"): ("None", "PyCM has no value"),
    ("pycm", "weighted_f_beta", "one class only"): ("None", "PyCM has no value"),
    ("pycm", "one_versus_all(auc_point, prevalence)", "a class without examples"): ("None", ""),
}

NO_PEER = {
    "average_accuracy": "branco2017's own count of true negatives",
    "imbalance_accuracy": "none has IAM",
    "f_beta_of_macros": "none has F of the macro averages",
    "nauroc_ova": "none normalises AUROC-OVA",
    "maurpc": "none has mullick2020's modified areas",
    "maurpc_ova": "none has mullick2020's modified areas",
    "dominance": "none has garcia2012's Dom; by hand in tests/measures/test_functions.py",
    "yule_y": "none has Yule's Y; by hand in tests/measures/test_skill.py",
    "relative_risk": "none has it; by hand in tests/measures/test_skill.py",
    "p4": "none has P4; by hand in tests/measures/test_skill.py",
    "gilbert_skill_score": "none has forecast scores; by hand in tests/measures/test_skill.py",
    "sedi": "none has forecast scores; by hand in tests/measures/test_skill.py",
    "prevalence_threshold": "none has it; by hand in tests/measures/test_skill.py",
    "correlation_distance": "none has it; by hand in tests/measures/test_demanded.py",
    "generalised_means": "none has them; by hand in tests/measures/test_demanded.py",
}


def asked(name: str) -> sy.Measure:
    """The measure of ours that a recorded name speaks of."""
    return sy.measure(name if name.endswith(")") else name.split(", ")[0])


def matrix_of(case: str) -> sy.Confusion:
    """With the labels listed, as the tools were given them; the first of two classes is the positive one."""
    names = names_of(CASES[case])
    return sy.Confusion(CASES[case], labels=["positive", "other"] if case in TWO_CLASS else names)


def agrees(ours: float, theirs: float | str) -> bool:
    if theirs in NO_VALUE:
        return math.isnan(ours)
    if isinstance(theirs, str):
        return str(ours) == theirs
    return ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)


RECORDS = [(tool, name) for tool in TOOLS for name in DATA["values"][tool]]


@pytest.mark.parametrize(("tool", "name"), RECORDS)
def test_agrees_with(tool: str, name: str) -> None:
    measure, difference = asked(name), DIFFERENCES.get((tool, name))
    disagreements = {}
    for case, theirs in DATA["values"][tool][name].items():
        matrix = matrix_of(case)
        if (tool, name, case) in GIVES_UP:
            instead, note = GIVES_UP[tool, name, case]
            assert theirs == instead
            assert math.isnan(measure(matrix)) == (theirs not in NO_VALUE)
            assert note in " ".join(measure.notes)
            continue
        ours = measure(matrix) if difference is None else difference.instead(measure, matrix)
        if not agrees(ours, theirs):
            disagreements[case] = (ours, theirs)
    assert not disagreements


@pytest.mark.parametrize(("tool", "name"), list(DIFFERENCES))
def test_a_difference_is_real_and_noted(tool: str, name: str) -> None:
    measure, difference = asked(name), DIFFERENCES[tool, name]
    told = DATA["values"][tool][name]
    assert any(not agrees(measure(matrix_of(case)), theirs) for case, theirs in told.items()), (
        "the definitions agree: drop the rule"
    )
    assert difference.note in " ".join(measure.notes)


@pytest.mark.parametrize("case", [case for case in CASES if "weighted" in case])
@pytest.mark.parametrize(
    "name", ["accuracy", "macro_f_beta", "mcc", "kappa", "weighted_precision", "macro_jaccard"]
)
def test_straight_from_weighted_labels(name: str, case: str) -> None:
    truth, predicted, weight = columns_of(CASES[case])
    ours = sy.measure(name).score(truth, predicted, sample_weight=weight)
    assert ours == pytest.approx(DATA["values"]["scikit-learn"][name][case], rel=1e-12)


def test_every_measure_is_compared_or_has_no_peer() -> None:
    compared = {asked(name).id for _, name in RECORDS}
    of_matrices = {
        m.id for m in sy.catalogue(wide=True) if m.kind != "scores"
    }  # rankings have recorded values of their own
    assert of_matrices == (compared & of_matrices) | set(NO_PEER)
    assert not compared & set(NO_PEER)


def test_the_record_is_of_these_cases_and_names_its_tools() -> None:
    assert DATA["cases"] == json.loads(json.dumps(CASES))
    assert set(DATA["tools"]) == set(TOOLS)
    assert all(re.match(r"\d+\.\d+", version) for version in DATA["tools"].values())
    assert not any(
        "refused" in str(value)
        for told in DATA["values"].values()
        for named in told.values()
        for value in named.values()
    )
