"""How fast are ten thousand bootstrap replicates, next to resampling rows?

Self-contained: `python benchmarks/uncertainty.py`, or `run()` from a runner, which yields lines. Peers are measured on a few
replicates and extrapolated; they compute only the measures they have, Steelyard all of its own.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import numpy as np

import steelyard as sy
from benchmarks.finding import Finding, Target
from benchmarks.timing import best_seconds

ROWS, CLASSES, REPLICATES = 100_000, 5, 10_000
FEW_ROWS = 1_000
"""For BCa, whose jackknife leaves out each row in turn."""
T = TypeVar("T")
SHARES = (0.6, 0.25, 0.1, 0.045, 0.005)


def run() -> Iterator[Finding | str]:
    """Ten thousand bootstrap replicates at n = 100,000 and 5 classes: counts against rows."""
    y, p = test_set()
    counting, matrix = timed(lambda: sy.Confusion.from_labels(y, p))
    ours, found = timed(lambda: sy.interval(matrix, method="percentile", draws=REPLICATES))
    yield f"steelyard {sy.__version__}: {REPLICATES:,} replicates of {len(found)} measures with intervals in {ours:.3f} s, after counting {ROWS:,} rows in {1000 * counting:.1f} ms"
    posterior, _ = timed(lambda: sy.interval(matrix, method="posterior", draws=REPLICATES))
    yield f"steelyard, posterior instead of bootstrap: {posterior:.3f} s"
    theirs, names = scikit_learn(y, p)
    yield f"scikit-learn {version('scikit-learn')}, rows resampled, {names} measures only: {theirs:,.0f} s extrapolated from a few replicates"
    yield Finding(
        "intervals of all measures, times faster than rows and scikit-learn",
        theirs / (ours + counting),
        "x",
        Target("at least", 1000),
    )
    yield from against_counts(matrix)
    yield from with_many_classes()
    yield from against_scipy(y[:FEW_ROWS], p[:FEW_ROWS])
    try:
        yield from against_confidenceinterval(y, p)
    except PackageNotFoundError:
        yield "confidenceinterval is not installed: not compared"


def against_counts(matrix: sy.Confusion) -> Iterator[Finding | str]:
    """The strongest peers draw counts too: a multinomial written by hand in NumPy, and prob_conf_mat."""
    counts = np.asarray(matrix.counts)

    def by_hand() -> np.ndarray:
        drawn = np.random.default_rng(0).multinomial(counts.sum(), counts.ravel() / counts.sum(), REPLICATES)
        tables = drawn.reshape(-1, CLASSES, CLASSES).astype(float)
        hits, rows, columns = np.diagonal(tables, axis1=1, axis2=2), tables.sum(axis=2), tables.sum(axis=1)
        n, right, chance = rows.sum(axis=1), hits.sum(axis=1), (rows * columns).sum(axis=1)
        values = [
            right / n,
            (hits / rows).mean(axis=1),
            (hits / columns).mean(axis=1),
            (2 * hits / (rows + columns)).mean(axis=1),
            (n * right - chance) / (n * n - chance),
            (n * right - chance)
            / np.sqrt((n * n - (rows**2).sum(axis=1)) * (n * n - (columns**2).sum(axis=1))),
        ]
        return np.asarray(np.quantile(values, [0.025, 0.975], axis=1))

    names = ["accuracy", "macro_recall", "macro_precision", "macro_f_beta", "kappa", "mcc"]
    times = best_seconds(
        {
            "by hand": by_hand,
            "ours": lambda: sy.interval(matrix, names, method="percentile", draws=REPLICATES),
        },
        turns=5,
    )
    yield f"six measures from {REPLICATES:,} multinomials: by hand in NumPy {times['by hand']:.4f} s, Steelyard {times['ours']:.4f} s"
    yield Finding(
        "six measures, times a multinomial written by hand in NumPy",
        times["ours"] / times["by hand"],
        "x",
        Target("at most", 2),
    )
    try:
        from prob_conf_mat import Study
    except ImportError:
        yield "prob_conf_mat is not installed: not compared"
        return

    def theirs() -> None:
        study = Study(seed=0, num_samples=REPLICATES, ci_probability=0.95)
        study.add_experiment("bench/one", confusion_matrix=counts.tolist())
        for metric in ("acc", "recall@macro", "precision@macro", "f1@macro", "kappa", "mcc"):
            study.add_metric(metric)
        study.report_metric_summaries(metric="acc")
        for metric in ("recall@macro", "precision@macro", "f1@macro", "kappa", "mcc"):
            study.report_metric_summaries(metric=metric)

    posterior = best_seconds(
        {
            "prob_conf_mat": theirs,
            "ours": lambda: sy.interval(matrix, names, method="posterior", draws=REPLICATES),
        },
        turns=3,
    )
    yield f"the same six from posterior draws: prob_conf_mat {posterior['prob_conf_mat']:.3f} s, Steelyard {posterior['ours']:.3f} s"
    yield Finding(
        "six measures from posterior draws, times faster than prob_conf_mat",
        posterior["prob_conf_mat"] / posterior["ours"],
        "x",
        Target("at least", 1.5),
    )


def with_many_classes() -> Iterator[Finding | str]:
    """The default interval of all measures with 10 classes, and a whole evaluation with 50."""
    random = np.random.default_rng(1)
    y, wrong = random.integers(0, 10, ROWS), random.integers(0, 10, ROWS)
    p = np.where(random.random(ROWS) < 0.85, y, wrong)
    ours, found = timed(lambda: sy.interval(sy.Confusion.from_labels(y, p)))
    theirs, _ = scikit_learn(y, p, replicates=2)
    yield f"default intervals of {len(found)} measures with 10 classes, counting included: {ours:.3f} s"
    yield Finding(
        "default intervals of all measures with 10 classes, times faster than rows and scikit-learn",
        theirs / ours,
        "x",
        Target("at least", 1000),
    )
    y, wrong = random.integers(0, 50, ROWS), random.integers(0, 50, ROWS)
    p = np.where(random.random(ROWS) < 0.85, y, wrong)
    seconds, _ = timed(lambda: sy.evaluate(y, p))
    yield Finding("evaluation of 50 classes with intervals", seconds, "s", Target("below", 3))


def test_set() -> tuple[np.ndarray, np.ndarray]:
    """Labels of five unequal classes, predictions right four times out of five."""
    random = np.random.default_rng(0)
    y = random.choice(CLASSES, size=ROWS, p=SHARES)
    return y, np.where(random.random(ROWS) < 0.8, y, random.integers(0, CLASSES, ROWS))


def scikit_learn(y: np.ndarray, p: np.ndarray, replicates: int = 3) -> tuple[float, int]:
    """Seconds for all replicates, extrapolated, and how many measures that is."""
    from sklearn import metrics

    measures: list[Callable[[np.ndarray, np.ndarray], float]] = [
        metrics.accuracy_score,
        metrics.balanced_accuracy_score,
        metrics.matthews_corrcoef,
        metrics.cohen_kappa_score,
        lambda a, b: metrics.precision_score(a, b, average="macro", zero_division=0),
        lambda a, b: metrics.f1_score(a, b, average="macro", zero_division=0),
        lambda a, b: metrics.f1_score(a, b, average="weighted", zero_division=0),
        lambda a, b: metrics.jaccard_score(a, b, average="macro", zero_division=0),
    ]
    random = np.random.default_rng(0)

    def replicate() -> None:
        rows = random.integers(0, ROWS, ROWS)
        a, b = y[rows], p[rows]
        for measure in measures:
            measure(a, b)

    replicate()
    seconds = sum(timed(replicate)[0] for _ in range(replicates)) / replicates
    return seconds * REPLICATES, len(measures)


def against_confidenceinterval(y: np.ndarray, p: np.ndarray, replicates: int = 20) -> Iterator[Finding | str]:
    """The measures both have: accuracy, macro precision, macro recall, macro F1; percentile bootstrap."""
    number = version("confidenceinterval")
    import confidenceinterval as peer

    names = ["accuracy", "macro_precision", "macro_recall", "macro_f1"]
    calls: list[Callable[[], object]] = [
        lambda: peer.accuracy_score(y, p, method="bootstrap_percentile", n_resamples=replicates),
        lambda: peer.precision_score(
            y, p, average="macro", method="bootstrap_percentile", n_resamples=replicates
        ),
        lambda: peer.recall_score(
            y, p, average="macro", method="bootstrap_percentile", n_resamples=replicates
        ),
        lambda: peer.f1_score(y, p, average="macro", method="bootstrap_percentile", n_resamples=replicates),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sum(timed(call)[0] for call in calls) * REPLICATES / replicates
    ours, _ = timed(
        lambda: sy.interval(sy.Confusion.from_labels(y, p), names, method="percentile", draws=REPLICATES)
    )
    yield f"confidenceinterval {number}, {len(names)} measures both have: {theirs:,.0f} s extrapolated, Steelyard {ours:.3f} s"
    yield Finding(
        "the measures both have, times faster than confidenceinterval",
        theirs / ours,
        "x",
        Target("at least", 100),
    )


def against_scipy(y: np.ndarray, p: np.ndarray) -> Iterator[Finding | str]:
    """Bootstrap intervals as arXiv 2601.17103 compares them (no code of it is to be had): macro F1 of resampled rows."""
    from scipy.stats import bootstrap

    def macro_f1(truth: np.ndarray, called: np.ndarray, axis: int = -1) -> np.ndarray:
        classes = range(CLASSES)
        hits = np.stack([((truth == k) & (called == k)).sum(axis) for k in classes])
        both = np.stack([(truth == k).sum(axis) + (called == k).sum(axis) for k in classes])
        return np.asarray((2 * hits / np.maximum(both, 1)).mean(axis=0))

    ours, matrix = timed(lambda: sy.Confusion.from_labels(y, p))
    again, found = timed(lambda: sy.interval(matrix, ["macro_f1"], draws=REPLICATES)["macro_f1"])
    for method in ("BCa", "percentile"):
        how: dict[str, Any] = {"n_resamples": REPLICATES, "batch": 200, "method": method, "rng": 0}
        theirs, peer = timed(partial(bootstrap, (y, p), macro_f1, paired=True, vectorized=True, **how))
        ends = peer.confidence_interval
        yield f"macro F1 of {len(y):,} rows, SciPy's bootstrap ({method}): {ends.low:.3f} to {ends.high:.3f} in {theirs:.1f} s, Steelyard {found.low:.3f} to {found.high:.3f} in {ours + again:.4f} s"
        yield Finding(
            f"interval of macro F1 of {len(y):,} rows, times faster than scipy.stats.bootstrap ({method})",
            theirs / (ours + again),
            "x",
            Target("at least", 1),
        )


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds and result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result
