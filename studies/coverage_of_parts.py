"""Coverage of the other intervals: of slices, of rows with weights, at thresholds chosen on the same rows, and of
rankings?

Slices: all slices of a test set are alike, so that a slice that is said to be worse than the rest is a false alarm. Weights:
lognormal, with a mean that is the same in every cell or larger for errors. Thresholds: two normal distributions of scores; the
truth is the measure at the threshold that was chosen, on all rows that there could be. Areas: two normal distributions again, as
they are or told in six levels.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from coverage_cells import MEASURES, Cell, Found, Tally, design, drawn_sizes, rates_of, sizes_of

import steelyard as sy
from steelyard.judgement.evaluate.slices import slice_reports
from steelyard.measures.measure import weigh
from steelyard.reading.groups import ModelCounts
from steelyard.scores.score_bootstrap import ranking_intervals
from steelyard.scores.threshold_selection import best_threshold
from steelyard.uncertainty.resampling import Simulation
from steelyard.uncertainty.sample_weights import WeightedCounts, weighted_intervals

FACTORS: dict[str, dict[str, Sequence[Any]]] = {
    "slices": {
        "slices": (3, 8),
        "classes": (2, 3),
        "rare": (10, 20, 50),
        "rate": (0.6, 0.8, 0.95),
        "design": ("sample", "fixed"),
    },
    "weights": {
        "classes": (2, 3, 10),
        "rare": (10, 20, 50, 200),
        "rate": (0.6, 0.8, 0.9, 0.97),
        "spread": (0.0, 0.5, 1.0),
        "heavier": ("none", "errors"),
        "sizes": ("equal", "falling"),
        "design": ("sample", "fixed"),
    },
    "thresholds": {
        "rare": (10, 20, 50),
        "others": (1, 5),
        "separation": (1.0, 2.0),
        "maximise": ("gmean", "f1", "mcc"),
        "design": ("sample", "fixed"),
    },
    "areas": {
        "rare": (10, 20, 50),
        "others": (1, 5, 20),
        "area": (0.7, 0.8, 0.9, 0.95, 0.98),
        "levels": (0, 6),
        "design": ("sample", "fixed"),
    },
}
PARTS = tuple(FACTORS)
CELLS = {"slices": 9, "weights": 16, "thresholds": 9, "areas": 16}


def design_of(part: str) -> list[Cell]:
    """The cells of a part."""
    return design(FACTORS[part], CELLS[part])


def study(part: str, cell: Cell, sets: int) -> list[dict[str, Any]]:
    """One cell of a part."""
    random = np.random.default_rng([2026, PARTS.index(part), cell["cell"], sets])
    found = STUDIES[part](cell, random, sets)
    return [
        {**cell, "of": part, "method": method, "measure": name, **tally.row()}
        for (method, name), tally in found.items()
        if tally.sets
    ]


def slices(cell: Cell, random: np.random.Generator, sets: int) -> Found:
    """Coverage of each slice and of all at once; "false alarms" are test sets in which any slice is called worse or better."""
    like = {**cell, "rates": "equal", "confusions": "spread", "sizes": "falling"}
    sizes, rates = sizes_of(like), rates_of(like)
    classes = len(sizes)
    labels = tuple(range(classes))
    headline = [sy.measure("gmean" if classes == 2 else "macro_recall")]
    truth = float(headline[0](sy.Confusion(sizes[:, None] * rates, labels)))
    found: Found = defaultdict(Tally)
    for number in range(sets):
        drawing = {
            "level": 0.95,
            "draws": 300,
            "seed": 2 * number,
            "design": cell["design"],
            "undefined": "nan",
        }
        parts = {
            (str(k),): sy.Confusion(random.multinomial(drawn, rates), labels)
            for k, drawn in enumerate(drawn_sizes(like, sizes, random, cell["slices"]))
        }
        whole = sy.Confusion(sum(part.counts for part in parts.values()), labels)
        counted = ModelCounts(whole, parts, ("part",), int(whole.total), 0, "truth", "pred", ())
        reports = slice_reports(counted, headline, rare_of(classes), "nan", drawing)
        known = [r for r in reports if r.low is not None]
        found["corrected", headline[0].name].add([r.low for r in known], [r.high for r in known], truth)
        missed = [r for r in known if not r.simultaneous_low <= truth <= r.simultaneous_high]
        _said(found["all at once", headline[0].name], bool(missed))
        _said(found["false alarms", headline[0].name], any((r.holm_p_value or 1) < 0.05 for r in reports))
    return found


def rare_of(classes: int) -> int | None:
    return 1 if classes == 2 else None


def _said(tally: Tally, happened: bool) -> None:
    tally.sets += 1
    tally.above += happened


def weights(cell: Cell, random: np.random.Generator, sets: int) -> Found:
    """Intervals of rows with weights."""
    like = {**cell, "rates": "equal", "confusions": "spread"}
    sizes, rates = sizes_of(like), rates_of(like)
    classes, rare = len(sizes), len(sizes) - 1
    labels = tuple(range(classes))
    heavy = np.full((classes, classes), 2.0 if cell["heavier"] == "errors" else 1.0)
    np.fill_diagonal(heavy, 1.0)
    chosen = [sy.measure(name) for name in MEASURES]
    truth = weigh(chosen, sy.Confusion(sizes[:, None] * rates * heavy, labels), positive=rare)
    found: Found = defaultdict(Tally)
    mean_log = -(cell["spread"] ** 2) / 2  # weights of mean 1
    for number in range(sets):
        counts = random.multinomial(drawn_sizes(like, sizes, random, 1)[0], rates)
        drawn = random.lognormal(mean_log, cell["spread"], size=int(counts.sum()))
        where = np.repeat(np.arange(classes * classes), counts.reshape(-1))
        sums, squares = (
            np.bincount(where, weights=drawn**power, minlength=classes * classes).reshape(classes, classes)
            * heavy**power
            for power in (1, 2)
        )
        intervals = weighted_intervals(
            WeightedCounts(*(sy.Confusion(one, labels) for one in (sums, squares, counts))),
            chosen,
            Simulation(
                level=0.95,
                draws=500 if classes < 10 else 250,
                seed=number,
                design=cell["design"],
                positive=rare,
            ),
        )
        for name, one in intervals.items():
            found["corrected", name].add(one.low, one.high, truth[name])
    return found


def thresholds(cell: Cell, random: np.random.Generator, sets: int) -> Found:
    """Intervals of the value, on new rows, of the threshold that is best on these rows."""
    rare, others, apart = cell["rare"], cell["rare"] * cell["others"], cell["separation"]
    m = sy.measure(cell["maximise"])
    found: Found = defaultdict(Tally)
    for number in range(sets):
        positives = rare
        if cell["design"] == "sample":
            positives = int(
                np.clip(random.binomial(rare + others, rare / (rare + others)), 2, rare + others - 2)
            )
        negatives = rare + others - positives
        scores = np.concatenate([random.normal(apart, 1, positives), random.normal(0, 1, negatives)])
        counts = sy.ScoreCounts.from_scores(np.repeat([1, 0], [positives, negatives]), scores, 1)
        best = best_threshold(counts, m, 1, replicates=60, seed=number, design=cell["design"])
        if best.value_interval is None:
            continue
        tp, fp = (n * _above(best.threshold - shift) for n, shift in ((rare, apart), (others, 0.0)))
        ideal = sy.Confusion([[tp, rare - tp], [fp, others - fp]], [1, 0])
        found["bootstrap", m.name].add(*best.value_interval, float(m(ideal, positive=1)))
    return found


def areas(cell: Cell, random: np.random.Generator, sets: int) -> Found:
    """Intervals of the area under the ROC curve and of average precision."""
    rare, others = cell["rare"], cell["rare"] * cell["others"]
    apart = math.sqrt(2) * NormalDist().inv_cdf(cell["area"])
    edges = np.linspace(-1.5, apart + 1.5, cell["levels"] - 1) if cell["levels"] else np.empty(0)
    truth = _true_areas(apart, rare / (rare + others), edges)
    names = ("roc_auc", "average_precision")
    found: Found = defaultdict(Tally)
    for number in range(sets):
        positives = rare
        if cell["design"] == "sample":
            share = rare / (rare + others)
            positives = int(np.clip(random.binomial(rare + others, share), 2, rare + others - 2))
        mine = np.repeat([1, 0], [positives, rare + others - positives])
        scores = random.normal(size=rare + others) + apart * mine
        if len(edges):
            scores = np.searchsorted(edges, scores).astype(float)
        counts = sy.ScoreCounts.from_scores(mine, scores, 1)
        drawing: dict[str, Any] = {"replicates": 80, "seed": number, "design": cell["design"]}
        for name, one in zip(names, ranking_intervals(names, counts, 1, **drawing), strict=True):
            found["wilson", name].add(one.low, one.high, truth[name])
    return found


def _true_areas(apart: float, share: float, edges: np.ndarray) -> dict[str, float]:
    """The measures of all rows that there could be: told in levels, or in so many that they are continuous."""
    cuts = (edges if len(edges) else np.linspace(-8, apart + 8, 8001))[::-1]
    found, false = (
        np.array([0.0, *(_above(cut - shift) for cut in cuts.tolist()), 1.0]) for shift in (apart, 0)
    )
    of_level, others = np.diff(found), np.diff(false)
    precision = share * found[1:] / np.maximum(share * found[1:] + (1 - share) * false[1:], 1e-300)
    return {
        "roc_auc": float((others * (found[:-1] + of_level / 2)).sum()),
        "average_precision": float((of_level * precision).sum()),
    }


def _above(value: float) -> float:
    """How much of a standard normal distribution lies above a value?"""
    return 0.5 * math.erfc(value / math.sqrt(2))


STUDIES: dict[str, Callable[[Cell, np.random.Generator, int], Found]] = {
    "slices": slices,
    "weights": weights,
    "thresholds": thresholds,
    "areas": areas,
}
