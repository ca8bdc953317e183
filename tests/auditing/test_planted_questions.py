"""Questions of kinds that readers ask and the other tests do not: weighted averages, values of one class among three, partly
known sizes, digits cut off, ± and folds of unknown classes; each answer by listing every matrix in exact fractions.

The matrices were listed, and the measures written out, apart from this package; 127 such questions were asked, and none was
answered wrongly or left open.
"""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.auditing.judge import certified, checked
from steelyard.auditing.options import Options, demands_of, setting_of, sizes_of
from steelyard.auditing.problem.folds import Folds
from steelyard.auditing.problem.printed_numbers import statements
from steelyard.auditing.search.branch_and_bound import Budget

QUESTIONS: list[tuple[dict[str, str], str | None, dict[str, Any], str]] = [
    (
        {"f2": "0.49", "macro_f1": "0.3"},
        "a=3,b=6",
        {"rounding": "either", "fold_sizes": "1/2, 1/3, 1/1"},
        "possible",
    ),
    (
        {"accuracy": "0.3 ± 0.959", "macro_precision": "0.2"},
        "a=3,b=4",
        {"rounding": "nearest", "fold_sizes": "1/3, 2/1", "deviation": "sample"},
        "impossible",
    ),
    ({"npv": "1.00", "f1": "0.0"}, None, {"rounding": "nearest", "up_to": 10}, "impossible"),
    (
        {"weighted(precision)": "0.30", "precision[b]": "0.5", "recall[c]": "0.00"},
        "a=2,b=1,c=2",
        {"rounding": "cut"},
        "possible",
    ),
    (
        {"precision[b]": "0.63", "macro_recall": "0.278", "weighted_f1": "0.41"},
        "a=3,b=2,c=3",
        {"rounding": "nearest"},
        "impossible",
    ),
    (
        {"weighted_f1": "0.1", "recall[a]": "0.060", "micro_precision": "0.9"},
        "a=1,b=?,c=?",
        {"rounding": "cut", "up_to": 4},
        "impossible",
    ),
    (
        {"precision": "0.466 ± 0.167", "macro_f1": "0.25", "specificity": "0.8"},
        "a=3,b=3",
        {"rounding": "cut", "fold_sizes": "1/2, 2/1", "deviation": "sample"},
        "impossible",
    ),
    (
        {"recall[c]": "1.050", "accuracy": "0.250", "weighted_f1": "0.17"},
        "a=1,b=?,c=?",
        {"rounding": "either", "up_to": 5},
        "impossible",
    ),
    (
        {"weighted_f1": "0.00", "precision[b]": "0.000", "weighted(precision)": "0.00"},
        "a=2,b=?,c=?",
        {"rounding": "cut", "up_to": 5},
        "possible",
    ),
    (
        {"accuracy": "0.603", "macro_f1": "0.611", "macro_precision": "0.6"},
        "a=2,b=?,c=?",
        {"rounding": "either", "up_to": 5},
        "impossible",
    ),
    (
        {"recall[c]": "0.666 ± 0.002", "macro_recall": "0.47", "macro_f1": "0.452 ± 0.01"},
        "a=4,b=4,c=3",
        {"rounding": "cut"},
        "possible",
    ),
    (
        {"macro_precision": "0.1", "f2": "0.152", "specificity": "0.2"},
        "a=5,b=7",
        {"rounding": "nearest", "fold_sizes": "2/3, 2/2, 1/2"},
        "possible",
    ),
    (
        {"macro_precision": "0.35", "precision": "0.500", "macro_f1": "0.0"},
        "a=4,b=2",
        {"rounding": "either", "folds": 2, "fold_sizes": "unknown"},
        "impossible",
    ),
    ({"specificity": "0.2", "macro_f1": "0.21"}, None, {"rounding": "cut", "up_to": 11}, "impossible"),
    (
        {"recall[c]": "1.00", "recall[a]": "0.580", "micro_precision": "0.5"},
        "a=2,b=?,c=?",
        {"rounding": "nearest", "up_to": 4},
        "impossible",
    ),
    (
        {"macro_recall": "0.77", "weighted(precision)": "0.7", "recall[a]": "0.804"},
        "a=5,b=2,c=1",
        {"rounding": "either"},
        "impossible",
    ),
    (
        {"precision": "0.000", "macro_precision": "0.6", "f2": "0.00"},
        "a=3,b=5",
        {"rounding": "either", "fold_sizes": "1/2, 2/3"},
        "impossible",
    ),
    (
        {"macro_precision": "0.3", "micro_precision": "0.3"},
        "a=2,b=?,c=?",
        {"rounding": "nearest", "up_to": 6},
        "possible",
    ),
    (
        {"f2": "0.667", "specificity": "0.86", "precision": "0.667"},
        None,
        {"rounding": "nearest", "up_to": 10},
        "possible",
    ),
    (
        {"recall": "0.8 ± 0.050", "accuracy": "0.37"},
        "a=2,b=5",
        {"rounding": "cut", "fold_sizes": "1/3, 1/2", "deviation": "sample"},
        "impossible",
    ),
    ({"macro_f1": "0.419 ± 0.01", "accuracy": "0.50 ± 0.01"}, "a=4,b=2,c=2", {"rounding": "cut"}, "possible"),
]


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_the_answer_is_that_of_listing_every_matrix(number: int) -> None:
    values, sizes, options, truth = QUESTIONS[number]
    rounding = options["rounding"]
    known = sizes_of(Options("", sizes, total=options.get("total"), up_to=options.get("up_to")), [])
    setting = setting_of(known, Options(values, sizes, **options))
    demands = demands_of(statements(values), setting.sizes, None, rounding, isinstance(setting, Folds))
    assert setting.decide(demands, Budget(20), wanted=1).answer == truth
    certificate, _ = certified(demands, setting, rounding, Budget(1 if truth == "possible" else 20))
    assert (certificate is not None) == (truth == "impossible")
    if certificate is not None:
        assert checked(certificate) > 0
