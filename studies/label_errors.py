"""Bounds under label errors and least reversals against brute force, on random small cases of two to four classes.

Brute force relabels one row after the other and knows nothing of the searches it checks; it is the one of the tests
(tests/uncertainty/test_label_errors.py). Each case checks six metrics of the catalogue, both ends, and the least reversal.

    python studies/label_errors.py [--cases 100000] [--minutes 60] [--seed 0]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from steelyard.counts.confusion import Confusion
from steelyard.measures.measure import weigh
from steelyard.uncertainty.fragility import PairedCounts, least_reversal
from steelyard.uncertainty.label_errors import Budget, label_error_bounds
from tests.uncertainty.test_label_errors import MEASURES, least_by_listing, reachable


def bounds_differ(random: np.random.Generator) -> bool:
    """One random matrix and budget: does a range differ from that of brute force?"""
    classes = int(random.choice([2, 3, 4], p=[0.7, 0.2, 0.1]))
    total = int(random.integers(2, {2: 14, 3: 8, 4: 5}[classes]))
    counts = random.multinomial(total, random.dirichlet(np.full(classes**2, 0.5))).reshape(classes, classes)
    budget = Budget(int(random.integers(0, {2: 5, 3: 3, 4: 3}[classes])), None, "")
    if random.random() < 0.5:
        actual = counts.sum(axis=1)
        budget = Budget(None, tuple(int(random.integers(0, min(2, n) + 1)) for n in actual), "")
    labels = tuple("abcd"[:classes])
    chosen = [MEASURES[k] for k in random.choice(len(MEASURES), 6, replace=False)]
    found = label_error_bounds(Confusion(counts, labels), chosen, budget, "a")
    expected = weigh(chosen, Confusion(reachable(counts, budget), labels), positive="a")
    for name, one in found.items():
        values = expected[name][~np.isnan(expected[name])]
        ends = (values.min(), values.max()) if len(values) else (np.nan, np.nan)
        if not np.allclose((one.low, one.high), ends, rtol=1e-9, atol=1e-12, equal_nan=True):
            print("bounds", counts.tolist(), budget, name, one.low, one.high, ends)
            return True
    return False


def reversal_differs(random: np.random.Generator) -> bool:
    """One random pair of models: does the least reversal differ from that of brute force, up to 3 labels?"""
    classes = int(random.choice([2, 3, 4], p=[0.7, 0.2, 0.1]))
    total = int(random.integers(3, {2: 16, 3: 7, 4: 5}[classes]))
    cells = random.multinomial(total, random.dirichlet(np.full(classes**3, 0.6))).reshape((classes,) * 3)
    measure = MEASURES[int(random.integers(len(MEASURES)))]
    if measure.better == "neither":
        return False
    paired = PairedCounts(cells, tuple("abcd"[:classes]), measure, "a")
    if not paired.advantage(cells) <= 0:
        return False
    found, expected = least_reversal(paired), least_by_listing(paired, 3)
    number = None if found is None else found.number
    wrong = (number is not None and number <= 3) if expected == -1 else number != expected
    if wrong and (found is None or found.exact):
        print("reversal", cells.tolist(), measure.name, number, expected)
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    random, start, cases, wrong = np.random.default_rng(options.seed), time.time(), 0, 0
    while cases < options.cases and time.time() - start < 60 * options.minutes:
        wrong += bounds_differ(random) + reversal_differs(random)
        cases += 1
        if cases % 1000 == 0:
            print(f"{cases:,} cases, {wrong} differences", flush=True)
    print(f"{cases:,} cases, {wrong} differences")


if __name__ == "__main__":
    main()
