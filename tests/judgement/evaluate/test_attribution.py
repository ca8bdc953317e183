"""Do the parts of the classes sum to the gap, and is the right class to blame?"""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.judgement.evaluate.prevalence_dependence import attributed
from steelyard.measures.operators import balanced

NAMES = ("accuracy", "macro_precision", "macro_f_beta", "class_balance_accuracy", "mcc", "kappa")


@pytest.mark.parametrize("classes", [2, 3, 10, 20])
def test_the_parts_sum_to_the_gap(classes: int) -> None:
    random = np.random.default_rng(classes)
    for _ in range(5):
        counts = random.integers(0, 20, (classes, classes)) + np.diag(random.integers(5, 900, classes))
        matrix = sy.Confusion(counts)
        gaps = [(m, m(matrix) - balanced(m)(matrix)) for m in map(sy.measure, NAMES)]
        found = attributed(matrix, gaps, None)
        for m, gap in gaps:
            if m.name in found:
                assert sum(part.contribution for part in found[m.name]) == pytest.approx(gap, abs=1e-12)
        assert {"accuracy", "mcc"} <= set(found)


def test_two_badly_found_rare_classes_are_the_cause_and_not_the_largest() -> None:
    sizes = [100] * 8 + [10, 10]
    recalls = [0.97] * 8 + [0.6, 0.3]
    counts = np.zeros((10, 10))
    for k, (n, recall) in enumerate(zip(sizes, recalls, strict=True)):
        counts[k, k] = n * recall
        counts[k, (k + 1) % 8] += n * (1 - recall)
    counts[0] *= 1.5  # a largest class that is found as well as the others
    matrix = sy.Confusion(counts, [f"d{k}" for k in range(10)])
    m = sy.measure("accuracy")
    (parts,) = attributed(matrix, [(m, m(matrix) - balanced(m)(matrix))], None).values()
    assert {part.label for part in parts[:2]} == {"d8", "d9"}


def test_nothing_is_attributed_where_a_class_has_no_examples() -> None:
    assert attributed(sy.Confusion([[5, 1], [0, 0]]), [(sy.measure("accuracy"), 0.1)], None) == {}
