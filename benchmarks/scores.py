"""From ten million scores to exact ROC AUC and average precision, and every two-class measure at every threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.finding import Finding, Target
from benchmarks.timing import best_seconds, seconds
from steelyard import Measure, ScoreCounts, catalogue, measure, weigh
from steelyard.scores.threshold_sweep import sweep

Array = NDArray[Any]

ROWS = 10_000_000
THRESHOLDS = 1_000_000
FEW_THRESHOLDS = 2_000
"""For a peer whose cost is thresholds times rows."""


def run() -> Iterator[Finding | str]:
    """Scores to AUC, average precision and all thresholds: against scikit-learn and against sorting the scores once."""
    for share in (0.01, 0.5):
        truth, scores = drawn(ROWS, share)
        times = best_seconds(
            {
                "sorting": partial(np.sort, scores),
                "Steelyard": _ours(truth, scores),
                "by hand": partial(_order_by_hand, truth, scores),
            },
            turns=5,
        )
        yield f"{ROWS:,} float64 scores, {100 * share:g}% positive: sorting {times['sorting']:.2f} s, Steelyard {times['Steelyard']:.2f} s"
        yield Finding(
            f"exact ROC AUC and average precision together, {100 * share:g}% positive, times one sort",
            times["Steelyard"] / times["sorting"],
            "x",
        )
        yield f"sorting the classes apart and finding the one in the other, by hand: {times['by hand'] / times['sorting']:.2f} sorts"
        yield Finding(
            f"the same, {100 * share:g}% positive, times sorting the classes apart and finding one in the other",
            times["Steelyard"] / times["by hand"],
            "x",
            Target("at most", 1.5),
        )
        if share == 0.01:
            peer, values = _timed(_scikit_learn(truth, scores))  # seconds long, so one turn tells enough
            np.testing.assert_allclose(_ours(truth, scores)(), values, rtol=1e-12)
            yield f"scikit-learn's two calls {peer:.2f} s"
            yield Finding(
                "the same, times faster than scikit-learn's two calls",
                peer / times["Steelyard"],
                "x",
                Target("at least", 4),
            )
    truth, scores = drawn(THRESHOLDS, 0.1)
    two_class = catalogue("two-class")
    times = best_seconds(
        {
            "sorting": lambda: np.sort(scores, kind="stable"),
            "writing": lambda: [np.full(THRESHOLDS, 0.5) for _ in two_class],
            "sweeping": lambda: _swept(truth, scores, two_class),
            "sweeping everything": lambda: _swept(truth, scores, catalogue()),
        },
        turns=5,
    )
    yield f"{THRESHOLDS:,} distinct scores: a stable sort {times['sorting']:.3f} s, counting, cutting and weighing {times['sweeping']:.3f} s"
    yield f"writing {len(two_class)} arrays of {THRESHOLDS:,} numbers, with nothing computed: {times['writing'] / times['sorting']:.1f} times the sort"
    yield Finding(
        f"all {len(two_class)} two-class measures at all {THRESHOLDS:,} thresholds, times a stable sort of the scores",
        times["sweeping"] / times["sorting"],
        "x",
        Target("below", 6),
    )
    yield from _at_thresholds(truth, scores)
    yield Finding(
        f"for information: all {len(catalogue())} measures of matrices at these thresholds, times that sort",
        times["sweeping everything"] / times["sorting"],
        "x",
    )


def _at_thresholds(truth: Array, scores: Array) -> Iterator[Finding | str]:
    """Matrices at every threshold, and one metric there, against scikit-learn 1.9 and newer."""
    try:
        from sklearn.metrics import (
            balanced_accuracy_score,
            confusion_matrix_at_thresholds,
            metric_at_thresholds,
        )
    except ImportError:
        yield "scikit-learn is older than 1.9 and has no metric_at_thresholds"
        return
    few_truth, few_scores = truth[:FEW_THRESHOLDS], scores[:FEW_THRESHOLDS]
    times = best_seconds(
        {
            "matrices": lambda: sweep(ScoreCounts.from_scores(truth, scores)),
            "its matrices": lambda: confusion_matrix_at_thresholds(truth, scores),
            "metric": lambda: sweep(ScoreCounts.from_scores(few_truth, few_scores)).values(
                "balanced_accuracy"
            ),
            "its metric": lambda: metric_at_thresholds(few_truth, few_scores, balanced_accuracy_score),
        },
        turns=3,
    )
    yield Finding(
        f"matrices at all {len(truth):,} thresholds, times faster than confusion_matrix_at_thresholds",
        times["its matrices"] / times["matrices"],
        "x",
        Target("at least", 1),
    )
    yield Finding(
        f"balanced accuracy at all {FEW_THRESHOLDS:,} thresholds, times faster than metric_at_thresholds",
        times["its metric"] / times["metric"],
        "x",
    )


def drawn(rows: int, share: float) -> tuple[Array, Array]:
    """Labels 0 and 1 with this share of 1, and scores that tell them apart a little; hardly any two are equal."""
    generator = np.random.default_rng(20)
    truth = (generator.random(rows) < share).astype(np.int64)
    return truth, generator.random(rows) + 0.2 * truth


def _ours(truth: Array, scores: Array) -> Callable[[], Any]:
    auc, precision = measure("roc_auc"), measure("average_precision")

    def both() -> tuple[float, float]:
        counted = ScoreCounts.from_scores(truth, scores)
        return auc(counted), precision(counted)

    return both


def _order_by_hand(truth: Array, scores: Array) -> Any:
    """What every exact area needs, in NumPy: both classes in order, and the place of one's scores among the other's."""
    positives, negatives = np.sort(scores[truth == 1]), np.sort(scores[truth == 0])
    return np.searchsorted(negatives, positives)


def _scikit_learn(truth: Array, scores: Array) -> Callable[[], Any]:
    from sklearn.metrics import average_precision_score, roc_auc_score

    return lambda: (roc_auc_score(truth, scores), average_precision_score(truth, scores))


def _timed(way: Callable[[], Any]) -> tuple[float, Any]:
    """How long it took, and what came of it."""
    found: list[Any] = []
    return seconds(lambda: found.append(way())), found[0]


def _swept(truth: Array, scores: Array, measures: Sequence[Measure]) -> dict[str, Any]:
    swept = sweep(ScoreCounts.from_scores(truth, scores))
    return weigh(measures, swept.matrices, positive=swept.positive)
