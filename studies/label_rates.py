"""Coverage of metrics corrected by known error rates of the labels (evaluate --label-rates).

Rows with a true class, a prediction and a recorded label are simulated; the rates of the labels are measured on rows of their own.
The grid below was written before any of its cells was simulated, and no choice was made on it. Required: mean coverage of 95% intervals at
least 93%, no cell and metric below 90% (100 samples a cell; those below 92% are repeated with 1,000 other samples, which count).

    python studies/label_rates.py [--samples 100] [--minutes 3]
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.counts.confusion import Confusion
from steelyard.judgement.sample.label_rates import CorrectedLabels, LabelRate

METRICS = [sy.measure(name) for name in ("recall", "precision", "f1", "gmean", "accuracy")]
LABELS = ("p", "n")
GRID = list(
    itertools.product(
        (0.05, 0.2, 0.5),  # prevalence
        ((0.6, 0.95), (0.9, 0.85)),  # recall and specificity of the model
        ((0.95, 0.99), (0.8, 0.97), (0.9, 0.9)),  # sensitivity and specificity of the labels
        (1000, 10_000),  # rows
        (100, 400),  # checked rows of each class
    )
)


def study(cell: tuple[Any, ...], samples: int, seed: int) -> dict[str, tuple[float, float]]:
    """Coverage and mean width of each metric."""
    prevalence, (recall, specificity), (right_p, right_n), rows, checked = cell
    random = np.random.default_rng(seed)
    true = np.array(
        [
            [prevalence * recall, prevalence * (1 - recall)],
            [(1 - prevalence) * (1 - specificity), (1 - prevalence) * specificity],
        ]
    )
    mixing = np.array([[right_p, 1 - right_n], [1 - right_p, right_n]])
    values = {m.name: float(m(Confusion(true, LABELS), positive="p")) for m in METRICS}
    found: dict[str, list[tuple[bool, float]]] = {m.name: [] for m in METRICS}
    for replicate in range(samples):
        counts = random.multinomial(rows, (mixing @ true).ravel()).reshape(2, 2)
        rates = tuple(
            LabelRate(name, random.binomial(checked, right) / checked, checked)
            for name, right in zip(LABELS, (right_p, right_n), strict=True)
        )
        corrected = CorrectedLabels(Confusion(counts, LABELS), (rates[0], rates[1]))
        try:
            intervals = corrected.intervals(
                METRICS, level=0.95, draws=1000, seed=replicate, positive="p", undefined="nan"
            )
        except sy.InputError:  # refused: the labels do not fit the rates
            continue
        for name, one in intervals.items():
            low, high = (0.0, 1.0) if np.isnan(one.low) else (one.low, one.high)
            found[name].append((low <= values[name] <= high, high - low))
    return {name: tuple(np.mean(each, axis=0)) for name, each in found.items()}  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    start, rows = time.time(), []
    for place in np.random.default_rng(0).permutation(len(GRID)).tolist():
        if time.time() - start > 60 * options.minutes:
            break
        found = study(GRID[place], options.samples, place)
        if min(coverage for coverage, _ in found.values()) < 0.92:
            found = study(GRID[place], 10 * options.samples, 1000 + place)
        rows += [(coverage, width, name, GRID[place]) for name, (coverage, width) in found.items()]
    coverages = [row[0] for row in rows]
    cells = len(rows) // len(METRICS)
    print(f"{cells} of {len(GRID)} cells: mean coverage {np.mean(coverages):.3f}, least {min(coverages):.3f}")
    print(f"below 90%: {sum(one < 0.9 for one in coverages)} of {len(coverages)}")
    for row in sorted(rows, key=lambda row: row[0])[:8]:
        print(f"{row[0]:.3f} width {row[1]:.3f} {row[2]} {row[3]}")


if __name__ == "__main__":
    main()
