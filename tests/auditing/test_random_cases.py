"""Random questions of every kind through the front door, each answered a second time by listing everything.

The listing knows nothing of the auditor: formulas on tp, fn, fp, tn or on the cells, worked out with NumPy. A
case in which some matrix lies too near to the edge of what was printed for doubles to tell is left out.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import steelyard as sy
from tests.auditing.brute_force import matrices

Array = NDArray[Any]
EDGE = 1e-9


def two_class(name: str, cells: Array) -> Array:
    tp, fn, fp, tn = cells.T.astype(float)
    n = tp + fn + fp + tn
    recall, specificity = tp / (tp + fn), tn / (tn + fp)
    chance = ((tp + fn) * (tp + fp) + (tn + fp) * (tn + fn)) / n**2
    spread = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return {  # type: ignore[no-any-return]
        "accuracy": lambda: (tp + tn) / n,
        "recall": lambda: recall,
        "specificity": lambda: specificity,
        "precision": lambda: tp / (tp + fp),
        "f1": lambda: 2 * tp / (2 * tp + fp + fn),
        "f2": lambda: 5 * tp / (5 * tp + 4 * fn + fp),
        "gmean": lambda: np.sqrt(recall * specificity),
        "mcc": lambda: (tp * tn - fp * fn) / spread,
        "kappa": lambda: ((tp + tn) / n - chance) / (1 - chance),
    }[name]()


def three_class(name: str, m: Array) -> Array:
    hits, actual, predicted = np.diagonal(m, axis1=1, axis2=2), m.sum(axis=2), m.sum(axis=1)
    f1 = 2 * hits / (actual + predicted)
    measure, _, place = name.partition("[")
    if place:
        chosen = {"recall": hits / actual, "precision": hits / predicted, "f1": f1}[measure]
        return np.asarray(chosen[:, "abc".index(place[0])])
    shares = actual / m.sum(axis=(1, 2))[:, None]
    return {  # type: ignore[no-any-return]
        "weighted_f1": lambda: (f1 * shares).sum(axis=1),
        "weighted_precision": lambda: (hits / predicted * shares).sum(axis=1),
        "macro_precision": lambda: (hits / predicted).mean(axis=1),
        "macro_f1": lambda: f1.mean(axis=1),
        "accuracy": lambda: hits.sum(axis=1) / m.sum(axis=(1, 2)),
    }[name]()


TWO = ("accuracy", "recall", "specificity", "precision", "f1", "f2", "gmean", "mcc", "kappa")
THREE = ("weighted_f1", "weighted_precision", "macro_precision", "macro_f1", "accuracy",
         "recall[a]", "recall[c]", "precision[b]", "f1[a]", "f1[c]")  # fmt: skip


def within(values: Array, text: str, rounding: str) -> tuple[Array, bool]:
    """Which values are printed like this; is any too near to the edge to tell?"""
    unit = 10.0 ** -len(text.partition(".")[2])
    stated = float(text)
    if rounding == "cut":  # towards 0
        low = stated if stated > 0 else stated - unit
        high = stated if stated < 0 else stated + unit
    else:
        low, high = stated - unit / 2, stated + unit / 2
    near = min(np.nanmin(np.abs(values - edge), initial=1.0) for edge in (low, high))
    return (values > low) & (values < high), near < EDGE


def printed_like(value: float, digits: int, rounding: str) -> str:
    if rounding == "cut":
        value = np.trunc(value * 10**digits) / 10**digits
    return f"{value:.{digits}f}"


def spoilt(rng: random.Random, text: str) -> str:
    place = rng.randrange(text.index(".") + 1, len(text))
    return text[:place] + str((int(text[place]) + rng.randint(1, 9)) % 10) + text[place + 1 :]


def cases(
    seed: int, count: int, names: tuple[str, ...], every: Callable[[random.Random], tuple[Any, Array]],
    values: Callable[[str, Array], Array], rounding: str = "nearest",
) -> Iterator[tuple[Any, dict[str, str], bool]]:  # fmt: skip
    """What was asked, what was printed, and whether any of all the matrices gives it."""
    rng = random.Random(seed)
    while count:
        asked, listed = every(rng)
        chosen = rng.sample(names, rng.choice((2, 3)))
        with np.errstate(all="ignore"):
            found = {name: values(name, listed) for name in chosen}
        one = rng.randrange(len(listed))
        if any(not np.isfinite(v[one]) for v in found.values()):
            continue
        printed = {n: printed_like(v[one], rng.choice((2, 3, 4)), rounding) for n, v in found.items()}
        if rng.random() < 0.6:
            name = rng.choice(chosen)
            printed[name] = spoilt(rng, printed[name])
        answers = [within(found[name], text, rounding) for name, text in printed.items()]
        if any(edge for _, edge in answers) or any(float(t) == 0 for t in printed.values()):
            continue
        count -= 1
        yield asked, printed, bool(np.logical_and.reduce([fits for fits, _ in answers]).any())


def cells_up_to(most: int) -> Array:
    """All tp, fn, fp, tn with so many examples at most, both classes present."""
    grid = np.array(list(itertools.product(range(most + 1), repeat=4)))
    total = grid.sum(axis=1)
    present = (grid[:, 0] + grid[:, 1] > 0) & (grid[:, 2] + grid[:, 3] > 0)
    return np.asarray(grid[(total <= most) & present])


def cells_of(pos: int, neg: int) -> Array:
    return np.array([(tp, pos - tp, neg - tn, tn) for tp in range(pos + 1) for tn in range(neg + 1)])


def verdict(truth: bool) -> str:
    return "possible" if truth else "impossible"


@pytest.mark.usefixtures("verdict_alone")
def test_two_classes_of_unknown_sizes() -> None:
    listed = cells_up_to(13)
    for _, printed, truth in cases(31, 8, TWO, lambda rng: (None, listed), two_class):
        assert sy.audit(printed, up_to=13, classes=2, seconds=20).verdict == verdict(truth), printed


@pytest.mark.parametrize("rounding", ["nearest", "cut"])
def test_two_classes_of_known_sizes(rounding: str, request: pytest.FixtureRequest) -> None:
    if rounding == "cut":  # once with all that is said of the impossible
        request.getfixturevalue("verdict_alone")

    def every(rng: random.Random) -> tuple[Any, Array]:
        pos, neg = rng.randint(5, 60), rng.randint(5, 60)
        return (pos, neg), cells_of(pos, neg)

    for (pos, neg), printed, truth in cases(32, 8, TWO, every, two_class, rounding):
        found = sy.audit(printed, f"pos={pos}, neg={neg}", rounding=rounding)
        assert found.verdict == verdict(truth), (pos, neg, printed)


@pytest.mark.usefixtures("verdict_alone")
def test_the_second_class_is_positive() -> None:
    def every(rng: random.Random) -> tuple[Any, Array]:
        pos, neg = rng.randint(5, 40), rng.randint(5, 40)
        return (pos, neg), cells_of(pos, neg)

    for (pos, neg), printed, truth in cases(33, 6, TWO, every, two_class):
        found = sy.audit(printed, f"healthy={neg}, ill={pos}", positive="ill")
        assert found.verdict == verdict(truth), (pos, neg, printed)


@pytest.mark.parametrize("rounding", ["nearest", "cut"])
@pytest.mark.usefixtures("verdict_alone")
def test_three_classes_with_averages_and_single_classes(rounding: str) -> None:
    def every(rng: random.Random) -> tuple[Any, Array]:
        sizes = tuple(rng.randint(2, 6) for _ in range(3))
        return sizes, matrices(sizes)

    for sizes, printed, truth in cases(34, 6, THREE, every, three_class, rounding):
        given = ", ".join(f"{name}={size}" for name, size in zip("abc", sizes, strict=True))
        assert sy.audit(printed, given, rounding=rounding).verdict == verdict(truth), (sizes, printed)


@pytest.mark.usefixtures("verdict_alone")
def test_intervals() -> None:
    """x ± d: anything from x - d to x + d, each as it is written."""
    rng = random.Random(35)
    seen = set()
    for _ in range(6):
        pos, neg = rng.randint(5, 30), rng.randint(5, 30)
        listed = cells_of(pos, neg)
        names = rng.sample(TWO[:5], 3)
        fits = np.ones(len(listed), dtype=bool)
        edge = False
        text = []
        with np.errstate(all="ignore"):
            for name in names:
                x, d = rng.uniform(0.3, 0.95), rng.choice((0.011, 0.031))
                stated = f"{x:.4f}", f"{d:.3f}"
                values = two_class(name, listed)
                gap = np.abs(values - float(stated[0]))
                fits &= gap <= float(stated[1])
                edge |= bool((np.abs(gap - float(stated[1])) < 6e-4).any())
                text.append(f"{name}={stated[0]} ± {stated[1]}")
        if edge:  # whether the last digits of x and d widen the interval is not what is asked here
            continue
        found = sy.audit(", ".join(text), f"pos={pos}, neg={neg}")
        assert found.verdict == verdict(bool(fits.any())), text
        seen.add(found.verdict)
    assert seen


@pytest.mark.usefixtures("verdict_alone")
def test_means_and_deviations_over_folds() -> None:
    rng = random.Random(36)
    folds = [(2, 3), (2, 3), (2, 2)]
    listed = [cells_of(*fold) for fold in folds]
    seen = set()
    with np.errstate(all="ignore"):
        for _ in range(8):
            names = rng.sample(("accuracy", "recall", "specificity", "gmean"), 2)
            per = {
                name: np.stack(
                    [g.ravel() for g in np.meshgrid(*(two_class(name, c) for c in listed), indexing="ij")]
                )
                for name in names
            }
            one = rng.randrange(per[names[0]].shape[1])
            printed, fits = {}, []
            for name, values in per.items():
                mean, deviations = values.mean(axis=0), [values.std(axis=0, ddof=k) for k in (0, 1)]
                stated = f"{mean[one]:.3f}", f"{deviations[0][one]:.2f}"
                if rng.random() < 0.4:
                    stated = spoilt(rng, stated[0]), stated[1]
                printed[name] = " ± ".join(stated)
                right = within(mean, stated[0], "nearest")[0]
                fits.append([right & within(deviation, stated[1], "nearest")[0] for deviation in deviations])
            if any(float(t.partition(" ")[0]) == 0 or t.endswith("0.00") for t in printed.values()):
                continue
            either = any((fits[0][k] & fits[1][k]).any() for k in (0, 1))
            mixed = any((fits[0][j] & fits[1][k]).any() for j in (0, 1) for k in (0, 1))
            if either != mixed:  # whether one paper may divide by n here and by n - 1 there is not asked
                continue
            found = sy.audit(printed, "pos=6, neg=8", folds=3, fold_sizes=folds, seconds=20)
            assert found.verdict == verdict(either), printed
            seen.add(found.verdict)
    assert len(seen) == 2
