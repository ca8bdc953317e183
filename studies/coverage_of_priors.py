"""Simulate the coverage of the confidence intervals of prevalence in unlabelled data.

python -m studies.coverage_of_priors [REPEATS] adds what is missing to studies/coverage_of_priors.csv, a row of the design at a time,
and writes docs/coverage-priors.md from it: two classes with normal scores, some distance apart, shown as probabilities, as they are,
or skewed; labelled and unlabelled sets are drawn anew each time. Every row of the design has random numbers of its own.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.scores.prior_shift import Cells
from steelyard.scores.unlabelled_priors import COUNTING, EM, MATCHING, by_counting, by_em, cells_of_scores

ROOT = Path(__file__).resolve().parents[1]
PAGE, RESULTS = ROOT / "docs" / "coverage-priors.md", ROOT / "studies" / "coverage_of_priors.csv"
SHARES = (0.005, 0.02, 0.1, 0.5)
ROWS = (500, 5000)
LABELLED = ((30, 30), (30, 3000), (300, 3000))
APART = (2.0, 1.5, 3.0)
CUT = (1.0, 2.0)
SHOWN: dict[str, Callable[[Any], Any]] = {
    "probability": lambda z: 1 / (1 + np.exp(-2 * (z - 1.5))),
    "unchanged": lambda z: z,
    "skewed": lambda z: np.exp(z / 2),
}
DRAWS = 1000
SEED = 2026
WAYS = (COUNTING, EM, MATCHING)
DESIGN = [(share, rows, sizes) for share in SHARES for rows in ROWS for sizes in LABELLED]
FIELDS = ("place", "repeats", *(f"{way}: {what}" for way in WAYS for what in ("covered", "error", "width")))


def main(repeats: int) -> None:
    found = _read()
    for place in range(len(DESIGN)):
        if place not in found:
            found[place] = _measured(place, repeats)
            _write(found)
            print(_line(found[place]), flush=True)
    PAGE.write_text(_page(found), encoding="utf-8")


def _measured(place: int, repeats: int) -> dict[str, Any]:
    """One row of the design: coverage, absolute error and width of each interval."""
    share, rows, (positives, negatives) = DESIGN[place]
    apart, cut, shown = APART[place % 3], CUT[place % 2], SHOWN[_shown(place)]
    random = np.random.default_rng([SEED, place])
    sums = np.zeros((3, 3))
    for _ in range(repeats):
        ones, zeros = random.normal(apart, 1, positives), random.normal(0, 1, negatives)
        many = random.binomial(rows, share)
        seen = np.r_[random.normal(apart, 1, many), random.normal(0, 1, rows - many)]
        truth = np.r_[np.ones(positives, int), np.zeros(negatives, int)]
        scores = ScoreCounts.from_scores(truth, shown(np.r_[ones, zeros]), 1)
        ties = Ties.of(shown(seen))
        called = [float((values >= cut).sum()) for values in (ones, zeros, seen)]
        table = np.array([[called[0], positives - called[0]], [called[1], negatives - called[1]]])
        estimates = (
            by_counting(Cells(table, np.array([called[2], rows - called[2]])), 0.95, DRAWS, random)[0],
            by_em(scores, ties, 0.95, DRAWS, random),
            by_counting(cells_of_scores(scores, ties)[0], 0.95, DRAWS, random)[0],
        )
        for k, one in enumerate(estimates):
            low, middle, high = (float(ends[0]) for ends in (one.low, one.shares, one.high))
            sums[k] += low <= share <= high, abs(middle - share), high - low
    row: dict[str, Any] = {"place": place, "repeats": repeats}
    for k, way in enumerate(WAYS):
        row |= {
            f"{way}: covered": int(sums[k, 0]),
            f"{way}: error": sums[k, 1] / repeats,
            f"{way}: width": sums[k, 2] / repeats,
        }
    return row


def _shown(place: int) -> str:
    return list(SHOWN)[place // 3 % 3]


def _read() -> dict[int, dict[str, Any]]:
    if not RESULTS.exists():
        return {}
    with RESULTS.open(newline="", encoding="utf-8") as lines:
        return {int(row["place"]): dict(row) for row in csv.DictReader(lines)}


def _write(found: dict[int, dict[str, Any]]) -> None:
    with RESULTS.open("w", newline="", encoding="utf-8") as lines:
        table = csv.DictWriter(lines, FIELDS, lineterminator="\n")
        table.writeheader()
        table.writerows(found[place] for place in sorted(found))


def _coverage(row: dict[str, Any], way: str) -> float:
    return 100 * int(row[f"{way}: covered"]) / int(row["repeats"])


def _line(row: dict[str, Any]) -> str:
    place = int(row["place"])
    share, rows, (positives, negatives) = DESIGN[place]
    parts = " | ".join(
        f"{_coverage(row, way):.1f}; {float(row[f'{way}: error']):.4f}; {float(row[f'{way}: width']):.4f}"
        for way in WAYS
    )
    return (
        f"| {share} | {rows:,} | {positives}:{negatives} | {APART[place % 3]} | {_shown(place)} | {parts} |"
    )


def _page(found: dict[int, dict[str, Any]]) -> str:
    rows = [found[place] for place in sorted(found)]
    repeats = min(int(row["repeats"]) for row in rows)
    error = 100 * (0.95 * 0.05 / repeats) ** 0.5
    least = {way: min(_coverage(row, way) for row in rows) for way in WAYS}
    return "\n".join(
        [
            "# Coverage of the intervals of estimated prevalence",
            "",
            f"Simulated by `python -m studies.coverage_of_priors {repeats}`: {repeats:,} pairs of a labelled and an unlabelled set",
            f"for each row, nominal coverage 95%, standard error {error:.1f} percentage points. Scores of both classes are normal with",
            "the given distance between the means, and are used as uncalibrated probabilities, unchanged, or skewed; predictions use the",
            "threshold 1 or 2. Each entry: coverage in percent; mean absolute error; mean width.",
            "",
            f"| prevalence | unlabelled | labelled | distance | scores | {' | '.join(WAYS)} |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
            *map(_line, rows),
            "",
            "The lowest coverage is " + ", ".join(f"{least[way]:.1f}% ({way})" for way in WAYS) + ".",
            "",
            "Chosen on other random numbers or other data: the variance inflation of EM and distribution matching, the number of bins, and",
            "the calibration models of EM.",
            "",
            "Chosen after a run on these random numbers: intervals are widened by the ratio of Student's t quantile to the normal one, with",
            "the size of the smallest labelled class (1.04 at 30 examples, 1.004 at 300). Before that, the lowest coverage was 92.5%",
            "(adjusted counting) and 91.8% (distribution matching).",
            "",
        ]
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
