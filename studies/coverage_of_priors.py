"""How often do the intervals of the priors of unlabelled data hold the truth?

python -m studies.coverage_of_priors [REPEATS] writes docs/coverage-priors.md: two classes with normal scores, some distance apart,
shown as probabilities, as they are, or skewed; labelled and unlabelled sets are drawn anew each time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.scores.mixtures import Cells
from steelyard.scores.unlabelled_priors import COUNTING, EM, MATCHING, by_counting, by_em, cells_of_scores

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage-priors.md"
SHARES = (0.005, 0.02, 0.1, 0.5)
ROWS = (500, 5000)
LABELLED = ((30, 30), (30, 3000), (300, 3000))
APART = (2.0, 1.5, 3.0)
CUT = (1.0, 2.0)
SHOWN = {
    "probability": lambda z: 1 / (1 + np.exp(-2 * (z - 1.5))),
    "as it is": lambda z: z,
    "skewed": lambda z: np.exp(z / 2),
}
DRAWS = 1000


def main(repeats: int) -> None:
    rng = np.random.default_rng(0)
    lines = []
    worst = 1.0
    cells = [(share, rows, sizes) for share in SHARES for rows in ROWS for sizes in LABELLED]
    for place, (share, rows, (positives, negatives)) in enumerate(cells):
        apart, cut = APART[place % 3], CUT[place % 2]
        name = list(SHOWN)[place // 3 % 3]
        covered, error, width = np.zeros(3), np.zeros(3), np.zeros(3)
        for _ in range(repeats):
            ones, zeros = rng.normal(apart, 1, positives), rng.normal(0, 1, negatives)
            many = rng.binomial(rows, share)
            seen = np.r_[rng.normal(apart, 1, many), rng.normal(0, 1, rows - many)]
            truth = np.r_[np.ones(positives, int), np.zeros(negatives, int)]
            scores = ScoreCounts.from_scores(truth, SHOWN[name](np.r_[ones, zeros]), 1)
            ties = Ties.of(SHOWN[name](seen))
            called = [float((values >= cut).sum()) for values in (ones, zeros, seen)]
            table = np.array([[called[0], positives - called[0]], [called[1], negatives - called[1]]])
            found = (
                by_counting(Cells(table, np.array([called[2], rows - called[2]])), 0.95, DRAWS, rng)[0],
                by_em(scores, ties, 0.95, DRAWS, rng),
                by_counting(cells_of_scores(scores, ties)[0], 0.95, DRAWS, rng)[0],
            )
            covered += [bool(one.low[0] <= share <= one.high[0]) for one in found]
            error += [abs(float(one.shares[0]) - share) for one in found]
            width += [float(one.high[0] - one.low[0]) for one in found]
        worst = min(worst, float(covered.min()) / repeats)
        parts = " | ".join(
            f"{100 * covered[k] / repeats:.1f}; {error[k] / repeats:.4f}; {width[k] / repeats:.4f}"
            for k in range(3)
        )
        lines.append(f"| {share} | {rows:,} | {positives}:{negatives} | {apart} | {name} | {parts} |")
        print(lines[-1], flush=True)
    PAGE.write_text(_page(lines, repeats, worst), encoding="utf-8")


def _page(lines: list[str], repeats: int, worst: float) -> str:
    error = 100 * (0.95 * 0.05 / repeats) ** 0.5
    return "\n".join(
        [
            "# How often do the intervals of estimated priors hold the truth?",
            "",
            f"Measured by `python -m studies.coverage_of_priors {repeats}`: {repeats} pairs of a labelled and an unlabelled set a",
            f"row, nominal coverage 95 %, standard error {error:.1f}. Scores of both classes are normal, so far apart, and shown as",
            "probabilities (not calibrated), as they are, or skewed; predictions are cut at 1 or 2. Each entry: coverage in per cent; mean",
            "absolute error; mean width.",
            "",
            f"| share | unlabelled | labelled | apart | scores | {COUNTING} | {EM} | {MATCHING} |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
            *lines,
            "",
            f"The least coverage is {100 * worst:.1f} %.",
            "",
        ]
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
