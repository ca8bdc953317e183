"""Class priors of unlabelled data: how far off, how sure and how fast, beside QuaPy and mlquantify?

`python -m benchmarks.priors [SAMPLES] [FILE]` (what FILE holds is not measured again) in an environment that holds the peers (QuaPy 0.2.3 and mlquantify 0.5.1 bring many libraries
along, so they are best kept in one of their own). Protocol: artificial prevalences 0, 0.05, ..., 1, the same
samples for all; a logistic regression is trained on half of each data set, a quarter is labelled and known to every method by its
scores, samples are drawn from the last quarter. EMQ believes the probabilities of the classifier and needs no labelled rows; all
others know the classes by these alone. What was settled about our own ways was settled on other data sets (KEEL).
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.scores.prior_shift import Cells, readings_of_scores
from steelyard.scores.unlabelled_priors import by_counting, by_em, cells_of_scores

Array = NDArray[Any]
SPLITS = 10
"""Each data set is split anew so often: one labelled set alone would decide what is seen."""
ROWS = 200
"""Rows of a sample."""
WITH_INTERVALS = 40
"""Samples on which the peers' intervals are found: they take too long for all."""
COUNTERPARTS = {
    "Steelyard, adjusted counting": ("QuaPy, ACC",),
    "Steelyard, EM": ("QuaPy, EMQ",),
    "Steelyard, distribution matching": ("QuaPy, HDy", "QuaPy, DyS", "QuaPy, DMy", "QuaPy, KDEyML"),
}
"""Like with like; the splits of a data set say how sure a difference is."""
DRAWS = 1000
LEVEL = 0.95
Estimate = tuple[float, float, float]
"""A share and the ends of its interval, NaN where there is none."""


def data_sets() -> Iterator[tuple[str, Array, Array]]:
    """Three data sets with a positive class."""
    from sklearn.datasets import load_breast_cancer, load_digits

    from steelyard_papers.data import uci

    cancer, digits, soil = load_breast_cancer(), load_digits(), uci("satimage")
    yield "breast cancer: malignant", cancer.data, cancer.target == 0
    yield "digits: 8", digits.data, digits.target == 8
    yield "satimage: damp grey soil", soil.x, soil.y == 4


def scores_of(x: Array, y: Array, split: int) -> tuple[Array, Array, Array, Array]:
    """Probabilities and truth of the labelled rows, and of those that samples are drawn from."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x_train, x_rest, y_train, y_rest = train_test_split(x, y, test_size=0.5, stratify=y, random_state=split)
    x_known, x_pool, y_known, y_pool = train_test_split(
        x_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=split
    )
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(x_train, y_train)
    known, pool = (model.predict_proba(part)[:, 1] for part in (x_known, x_pool))
    return known, y_known, pool, y_pool


def samples(pool: Array, truth: Array, number: int, seed: int) -> Iterator[tuple[float, Array]]:
    """Samples at artificial prevalences, each with its share of positives."""
    random = np.random.default_rng(seed)
    for k in range(number):
        share = (k % 21) / 20
        positives = round(share * ROWS)
        yield (
            positives / ROWS,
            np.concatenate(
                [
                    random.choice(pool[truth], positives),
                    random.choice(pool[~truth], ROWS - positives),
                ]
            ),
        )


def ours(known: Array, truth: Array) -> dict[str, Callable[[Array], Estimate]]:
    random = np.random.default_rng(0)
    table = np.array([[(known[side] >= 0.5).sum(), (known[side] < 0.5).sum()] for side in (truth, ~truth)])

    def counting(seen: Array) -> Estimate:
        called = float((seen >= 0.5).sum())
        cells = Cells(table.astype(np.float64), np.array([called, len(seen) - called]))
        return _first(by_counting(cells, LEVEL, DRAWS, random)[0])

    scores = ScoreCounts.from_scores(truth.astype(int), known, 1)
    one_each = [(known[side], np.ones(int(side.sum()))) for side in (truth, ~truth)]
    readings = readings_of_scores(one_each[0], one_each[1], True)  # once, as the peers are fitted once

    return {
        "Steelyard, adjusted counting": counting,
        "Steelyard, EM": lambda seen: _first(by_em(scores, Ties.of(seen), LEVEL, DRAWS, random, readings)),
        "Steelyard, distribution matching": lambda seen: _first(
            by_counting(cells_of_scores(scores, Ties.of(seen))[0], LEVEL, DRAWS, random)[0]
        ),
    }


def _first(found: Any) -> Estimate:
    return float(found.shares[0]), float(found.low[0]), float(found.high[0])


def theirs(known: Array, truth: Array) -> dict[str, Callable[[Array], Estimate]]:
    """Point estimates of the peers, fitted to the labelled rows once for all samples."""
    found: dict[str, Callable[[Array], Estimate]] = {}
    both, labels = np.stack([1 - known, known], axis=1), truth.astype(int)
    for name, quantifier, soft in _quapy(_shares(truth)):
        quantifier.aggregation_fit(both if soft else (known >= 0.5).astype(int), labels)

        def of(seen: Array, q: Any = quantifier, soft: bool = soft) -> Estimate:
            told = q.aggregate(np.stack([1 - seen, seen], axis=1) if soft else (seen >= 0.5).astype(int))
            return float(told[1]), np.nan, np.nan

        found[f"QuaPy, {name}"] = of
    for name, quantifier in _mlquantify():

        def of_them(seen: Array, q: Any = quantifier) -> Estimate:
            told = q.aggregate(np.stack([1 - seen, seen], axis=1), both, labels)
            return float(list(told.values())[1] if isinstance(told, dict) else told[1]), np.nan, np.nan

        found[f"mlquantify, {name}"] = of_them
    return found


def their_intervals(known: Array, truth: Array) -> dict[str, Callable[[Array], Estimate]]:
    """QuaPy's bootstrap of the unlabelled side, with its default number of draws."""
    from quapy.method.confidence import AggregativeBootstrap

    both, labels = np.stack([1 - known, known], axis=1), truth.astype(int)
    found: dict[str, Callable[[Array], Estimate]] = {}
    for name, quantifier, soft in _quapy(_shares(truth)):
        if name not in ("ACC", "EMQ"):
            continue
        again = AggregativeBootstrap(quantifier, random_state=0)
        again.aggregation_fit(both if soft else (known >= 0.5).astype(int), labels)

        def of(seen: Array, q: Any = again, soft: bool = soft) -> Estimate:
            given = np.stack([1 - seen, seen], axis=1) if soft else (seen >= 0.5).astype(int)
            point, region = q.aggregate_conf(given)
            low, high = np.asarray(region.I_low), np.asarray(region.I_high)
            return float(point[1]), float(low[1]), float(high[1])

        found[f"QuaPy, {name} with AggregativeBootstrap"] = of
    return found


def _shares(truth: Array) -> Array:
    return np.array([1 - truth.mean(), truth.mean()])


def _fitted() -> Any:
    """A classifier that is there already, as QuaPy demands: only scores are given to its methods."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit([[0.0], [1.0]], [0, 1])


def _quapy(shares: Array) -> Iterator[tuple[str, Any, bool]]:
    import quapy
    from quapy.method import aggregative as q

    quapy.environ["N_JOBS"] = 1  # one process, as for the others
    given: dict[str, Any] = {"classifier": _fitted(), "fit_classifier": False, "val_split": None}
    for name, made, soft in (
        ("ACC", q.ACC, False),
        ("PACC", q.PACC, True),
        ("EMQ", q.EMQ, True),
        ("HDy", q.HDy, True),
        ("DyS", q.DyS, True),
        ("DMy", q.DMy, True),
        ("KDEyML", q.KDEyML, True),
    ):
        quantifier = made(**given)
        if name == "EMQ":  # what fitting the classifier would have told it: the shares it was trained at
            quantifier.train_prevalence = shares
        yield name, quantifier, soft


def _mlquantify() -> Iterator[tuple[str, Any]]:
    from mlquantify import matching

    for name in ("HDy", "DyS"):
        if hasattr(matching, name):
            yield name, getattr(matching, name)()


def compared(
    ways: dict[str, Callable[[Array], Estimate]], given: list[tuple[float, Array]]
) -> Iterator[tuple[str, float, float, float]]:
    """Mean absolute error, share of intervals that hold the share, and milliseconds a sample, for each way."""
    for name, way in ways.items():
        try:
            way(given[0][1])
            start = time.process_time()
            found = [way(seen) for _, seen in given]
            took = time.process_time() - start
        except Exception as error:  # a peer that does not run is told, not hidden
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        values, shares = np.array(found), np.array([share for share, _ in given])
        inside = (values[:, 1] <= shares) & (shares <= values[:, 2])
        covered = float(inside.mean()) if np.isfinite(values[:, 1]).all() else float("nan")
        yield name, float(np.abs(values[:, 0] - shares).mean()), covered, 1000 * took / len(given)


def measured(
    x: Array, y: Array, number: int, split: int
) -> tuple[dict[str, tuple[float, float, float]], tuple[int, int]]:
    """What `compared` says of each way on one split of a data set, and the labelled rows of the two classes."""
    known, truth, pool, pool_truth = scores_of(x, y, split)
    given = list(samples(pool, pool_truth, number // SPLITS, split))
    few = given[:: max(1, len(given) * SPLITS // WITH_INTERVALS)]
    found = {}
    for ways, on in (
        (ours(known, truth) | theirs(known, truth), given),
        (their_intervals(known, truth), few),
    ):
        for way, error, covered, took in compared(ways, on):
            found[way] = (error, covered, took)
    return found, (int(truth.sum()), int((~truth).sum()))


def kept(path: Path | None) -> dict[tuple[str, int, int], dict[str, Any]]:
    """The splits that were measured before, by data set, number of samples and split."""
    if path is None or not path.exists():
        return {}
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {(row["data"], row["samples"], row["split"]): row for row in rows}


def main(number: int, path: Path | None = None) -> None:
    warnings.simplefilter("ignore")
    tools = ", ".join(
        f"{tool} {importlib.metadata.version(tool)}"
        for tool in ("quapy", "mlquantify", "scikit-learn", "numpy")
    )
    print(f"{number} samples of {ROWS} rows a data set, over {SPLITS} splits of it; {tools}")
    done = kept(path)
    for name, x, y in data_sets():
        found: dict[str, list[tuple[float, float, float]]] = {}
        labelled: Any = None
        for split in range(SPLITS):
            row = done.get((name, number, split))
            if row is None:
                ways, sizes = measured(x, y, number, split)
                row = {"data": name, "samples": number, "split": split, "labelled": sizes, "ways": ways}
                if path is not None:
                    with path.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
            labelled = row["labelled"]
            for way, numbers in row["ways"].items():
                found.setdefault(way, []).append(tuple(numbers))
        shown_table(name, labelled, found)


def shown_table(name: str, labelled: Any, found: dict[str, list[tuple[float, float, float]]]) -> None:
    """The means over the splits, and how each of ours differs from its counterparts."""
    print(
        f"\n{name}: {labelled[0]} and {labelled[1]} labelled rows\n\n"
        "| way | mean absolute error | coverage of 95% intervals | CPU ms a sample |\n| --- | --- | --- | --- |"
    )
    for way, rows in found.items():
        error, covered, took = np.mean(rows, axis=0).tolist()
        shown = "-" if np.isnan(covered) else f"{100 * covered:.1f}%"
        print(f"| {way} | {error:.4f} | {shown} | {took:.2f} |", flush=True)
    print("\nError less that of its counterpart, with its standard error over the splits:\n")
    for own, others in COUNTERPARTS.items():
        for other in others:
            if own in found and other in found:
                apart = np.array(found[own])[:, 0] - np.array(found[other])[:, 0]
                spread = apart.std(ddof=1) / len(apart) ** 0.5
                print(f"- {own} - {other}: {apart.mean():+.4f} ({spread:.4f})", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
