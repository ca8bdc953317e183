"""Which test sets are simulated, and how often does an interval cover the true value of one of them?

A cell is one kind of classifier and test set. Test sets are drawn many at a time, and their posteriors are weighed many at a time;
draws, centres, bias and ends are those of the package (`steelyard.uncertainty`), so that the intervals are those that a user sees,
with fewer draws. Ends are taken at the (n + 1) p-th of n draws, which has no bias however few they are.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.measures.measure import Measure, weigh
from steelyard.uncertainty.confidence_limits import (
    bias_of,
    moves_of,
    possible,
    skewness_corrected_percentiles,
    skewness_of,
    smoothed_sets,
)
from steelyard.uncertainty.differences import stretched
from steelyard.uncertainty.dirichlet_posterior import posterior_centres, posterior_matrices
from steelyard.uncertainty.resampling import resampled_cells

LEVEL = 0.95
CELLS = 320
FACTORS: dict[str, Sequence[Any]] = {
    "classes": (2, 3, 5, 10, 20, 50),
    "rare": (3, 5, 10, 20, 50, 200),
    "rate": (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99, 1.0),
    "rates": ("equal", "unequal"),
    "confusions": ("spread", "concentrated"),
    "sizes": ("equal", "one rare", "falling"),
    "design": ("sample", "fixed"),
    "of": ("single", "single again", "difference"),
    "agreement": (0.0, 0.5, 0.8, 0.95),
}
"""Levels of the design. "single again" only gives single models twice the cells of differences; agreement is that of two models."""
CHANCES = {"classes": (0.225, 0.225, 0.225, 0.215, 0.08, 0.03)}
"""How often a level is tried, where that is not equally often: many classes cost most."""
FEW, BESIDE, BCA = 3, 500, 100
"""Other methods are studied beside the default up to this many classes, on this many test sets, BCa on fewer of them."""
SMOOTHED = 60
"""Test sets drawn from smoothed rates, where the package draws 500."""
MEASURES = (
    "accuracy",
    "balanced_accuracy",
    "macro_precision",
    "macro_f1",
    "mcc",
    "kappa",
    "CBA",
    "gmean",
    "precision",
    "f1",
)
_NUMBERS_AT_ONCE = 1 << 21
Cell = dict[str, Any]
Found = dict[tuple[str, str], "Tally"]


def design(factors: dict[str, Sequence[Any]] = FACTORS, cells: int = CELLS, seed: int = 2026) -> list[Cell]:
    """Cells in which every pair of levels of two factors meets, as far apart as greedy choice makes them."""
    random = np.random.default_rng(seed)
    waiting = {
        (a, x, b, y) for a, b in itertools.combinations(factors, 2) for x in factors[a] for y in factors[b]
    }
    found: list[Cell] = []
    often: dict[tuple[str, Any], int] = defaultdict(int)
    pairs = list(itertools.combinations(factors, 2))
    while len(found) < cells or waiting:
        tries = [
            {
                name: levels[random.choice(len(levels), p=CHANCES.get(name) if factors is FACTORS else None)]
                for name, levels in factors.items()
            }
            for _ in range(60)
        ]
        worth = [
            (
                sum((a, cell[a], b, cell[b]) in waiting for a, b in pairs),
                -sum(often[item] for item in cell.items() if item[0] not in CHANCES),
            )
            for cell in tries
        ]
        best = tries[max(range(len(tries)), key=worth.__getitem__)]
        waiting -= {(a, best[a], b, best[b]) for a, b in pairs}
        for item in best.items():
            often[item] += 1
        found.append({"cell": len(found), **best})
    return found


def sizes_of(cell: Cell) -> np.ndarray:
    """Examples of each class; the last class is the rare one."""
    classes, rare = cell["classes"], cell["rare"]
    if cell["sizes"] == "equal":
        return np.full(classes, rare)
    if cell["sizes"] == "one rare":
        return np.array([*[10 * rare] * (classes - 2), 190 * rare, rare][-classes:])
    return np.rint(np.geomspace(30 * rare, rare, classes)).astype(int)


def rates_of(cell: Cell, shift: float = 0.0) -> np.ndarray:
    """What the classifier does with each true class; a second classifier has recalls that differ by `shift`."""
    classes, rate = cell["classes"], cell["rate"]
    recalls = np.full(classes, rate)
    if cell["rates"] == "unequal":
        recalls = np.clip(rate + np.linspace(0.15, -0.15, classes), 0.05, 1.0)
    recalls = np.clip(recalls + shift, 0.02, 1.0)
    errors = np.ones((classes, classes))
    if cell["confusions"] == "concentrated":
        errors = np.full((classes, classes), 0.1 / classes)
        errors[np.arange(classes), (np.arange(classes) + 1) % classes] = 1
    np.fill_diagonal(errors, 0)
    rates = errors / errors.sum(axis=1, keepdims=True) * (1 - recalls)[:, None]
    np.fill_diagonal(rates, recalls)
    return rates


def coupled(first: np.ndarray, second: np.ndarray, agreement: float) -> np.ndarray:
    """Joint rates of two predictions of one class, with these rates each, drawn together as often as said."""
    alike = np.minimum(first, second)
    left = 1 - alike.sum()
    rest = np.outer(first - alike, second - alike) / left if left > 1e-12 else 0.0
    return agreement * (np.diag(alike) + rest) + (1 - agreement) * np.outer(first, second)


class Tally:
    """Coverage of one method and measure, and how wide it is."""

    def __init__(self) -> None:
        self.sets = self.below = self.above = 0
        self.width = 0.0

    def add(self, low: Any, high: Any, truth: float) -> None:
        """Intervals of several test sets; those that do not exist are not counted."""
        low, high = np.atleast_1d(low), np.atleast_1d(high)
        there = ~np.isnan(low)
        self.sets += int(there.sum())
        self.below += int(np.count_nonzero(truth < low[there] - 1e-12))
        self.above += int(np.count_nonzero(truth > high[there] + 1e-12))
        self.width += float((high - low)[there].sum())

    def row(self) -> dict[str, Any]:
        return {
            "coverage": round(1 - (self.below + self.above) / self.sets, 4),
            "below": round(self.below / self.sets, 4),
            "above": round(self.above / self.sets, 4),
            "width": round(self.width / self.sets, 4),
            "sets": self.sets,
        }


def cheap(cell: Cell) -> bool:
    """Can 2,000 test sets be afforded?"""
    return cell["classes"] <= (3 if cell["of"] == "difference" else 10)


def draws_of(cell: Cell) -> int:
    """Draws of a test set: an order statistic close to 2.5% of them exists."""
    if cell["of"] == "difference":
        return 199 if cell["classes"] <= 10 else 119
    return 499 if cell["classes"] == 2 else 239 if cell["classes"] <= 10 else 119


def study(cell: Cell, sets: int) -> list[dict[str, Any]]:
    """One cell: coverage of every method and measure."""
    random = np.random.default_rng([2026, cell["cell"], sets])
    chosen = [sy.measure(name) for name in MEASURES]
    found = (differences if cell["of"] == "difference" else singles)(cell, chosen, random, sets)
    facts = {name: cell[name] for name in ("cell", *FACTORS) if name != "agreement"}
    facts["of"] = "difference" if cell["of"] == "difference" else "single"
    if cell["of"] == "difference":
        facts["agreement"] = cell["agreement"]
    identical = found.pop(("corrected", "identical"), None)
    if identical is not None:
        facts["identical"] = identical.sets
    return [
        {**facts, "method": method, "measure": name, **tally.row()}
        for (method, name), tally in found.items()
        if tally.sets
    ]


def drawn_sizes(cell: Cell, sizes: np.ndarray, random: np.random.Generator, sets: int) -> np.ndarray:
    """The class sizes of test sets (sets, C); a class that comes out empty gets one example, so that its recall exists."""
    if cell["design"] == "fixed":
        return np.broadcast_to(sizes, (sets, len(sizes)))
    return np.maximum(1, random.multinomial(sizes.sum(), sizes / sizes.sum(), size=sets))


def groups(chosen: list[Measure], classes: int) -> Iterator[tuple[bool, list[Measure]]]:
    """The measures of all classes, and those that need no more than the rare class and the rest."""
    of_one = [m for m in chosen if m.kind == "two-class"] if classes > 2 else []
    if len(of_one) < len(chosen):
        yield False, [m for m in chosen if m not in of_one]
    if of_one:
        yield True, of_one


def singles(
    cell: Cell, chosen: list[Measure], random: np.random.Generator, sets: int, beside: bool = True
) -> Found:
    """Intervals of one model: the default, percentiles of the posterior and (`beside`) of the bootstrap."""
    sizes, rates = sizes_of(cell), rates_of(cell)
    classes, rare, fixed = len(sizes), len(sizes) - 1, cell["design"] == "fixed"
    labels = tuple(range(classes))
    truth = weigh(chosen, sy.Confusion(sizes[:, None] * rates, labels), positive=rare)
    draws = draws_of(cell)
    found: Found = defaultdict(Tally)
    step = max(1, min(BESIDE, _NUMBERS_AT_ONCE // (draws * classes**2)))
    for start in range(0, sets, step):
        number = min(step, sets - start)
        counts = np.stack([random.multinomial(n, rates) for n in drawn_sizes(cell, sizes, random, number)])
        joints = [JointCounts.from_confusion(sy.Confusion(one, labels)) for one in counts]
        seen = weigh(chosen, sy.Confusion(counts, labels), positive=rare)
        for apart, group in groups(chosen, classes):
            mine = [joint.one_vs_rest(rare) for joint in joints] if apart else joints
            drawn = _weighed(
                group, [posterior_matrices(j, fixed, "shared", random, draws)[0] for j in mine], mine[0], rare
            )
            centres = _weighed(group, [posterior_centres(j, fixed, "shared") for j in mine], mine[0], rare)
            resampled = (
                _weighed(
                    group,
                    [j.matrices(resampled_cells(j, fixed, random, draws))[0] for j in mine],
                    mine[0],
                    rare,
                )
                if beside and classes <= FEW and sets <= BESIDE
                else None
            )
            biases = _biases(group, mine, fixed, random, rare, seen) if classes > 2 and not apart else {}
            bca = {} if resampled is None else bias_corrected(group, resampled, seen, mine, rare)
            for m in group:
                values, estimates, bounds = drawn[m.name], seen[m.name], m.range.at(classes)
                tries = {
                    "posterior": ends(values),
                    "corrected": corrected(values, centres[m.name][:, 0], biases.get(m.name, 0.0)),
                }
                if resampled is not None:
                    tries["percentile"] = ends(resampled[m.name])
                    tries["bca"] = bca[m.name]
                for method, (low, high) in tries.items():
                    low = np.maximum(bounds[0], np.minimum(low, estimates))
                    high = np.minimum(bounds[1], np.maximum(high, estimates))
                    gone = np.isnan(estimates)
                    found[method, m.name].add(
                        np.where(gone, np.nan, low), np.where(gone, np.nan, high), truth[m.name]
                    )
    return found


def _weighed(
    group: list[Measure], matrices: list[np.ndarray], like: JointCounts, rare: int
) -> dict[str, np.ndarray]:
    """The values (sets, draws) of measures on drawn matrices of several test sets."""
    every = np.stack(matrices)
    label = rare if like.n_classes == 2 else None
    flat = sy.Confusion(every.reshape(-1, *every.shape[-2:]), like.labels)
    return {
        name: values.reshape(every.shape[:2]) for name, values in weigh(group, flat, positive=label).items()
    }


def ends(values: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """The middle part of the draws of each test set (sets, draws): at the (n + 1) p-th of n defined draws."""
    ordered = np.sort(values, axis=1)  # undefined ones last
    number = np.count_nonzero(~np.isnan(values), axis=1)
    found = []
    for p in ((1 - level) / 2, (1 + level) / 2):
        place = np.clip(p * (number + 1) - 1, 0, np.maximum(number - 1, 0))
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, np.maximum(number - 1, 0))
        rows = np.arange(len(values))
        part = place - below
        found.append(ordered[rows, below] * (1 - part) + ordered[rows, above] * part)
    return found[0], found[1]


def _biases(
    group: list[Measure],
    joints: list[JointCounts],
    fixed: bool,
    random: np.random.Generator,
    rare: int,
    seen: dict[str, np.ndarray],
) -> dict[str, np.ndarray]:
    """By how much measures of each test set are too high, from a few test sets of its smoothed rates."""
    pairs = [smoothed_sets(joint, fixed, random, SMOOTHED) for joint in joints]
    values = _weighed(group, [np.concatenate([drawn, one[None]]) for drawn, one in pairs], joints[0], rare)
    return {
        name: bias_of(possible(found[:, :-1], seen[name][:, None]), found[:, -1])
        for name, found in values.items()
    }


def corrected(
    values: np.ndarray, centre: np.ndarray, of_test_sets: np.ndarray | float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of each test set's interval less its bias, as the package finds them."""
    low, high = ends(values)
    mean, spread = np.nanmean(values, axis=1), np.nanstd(values, axis=1)
    at_low, at_high = moves_of(low, high, mean, spread, centre, values.shape[1], of_test_sets)
    return low - at_low, high - at_high


def bias_corrected(
    group: list[Measure],
    values: dict[str, np.ndarray],
    estimates: dict[str, np.ndarray],
    joints: list[JointCounts],
    rare: int,
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """BCa intervals of each test set; the examples that are left out one by one are weighed all at once."""
    number, joints = len(joints), joints[:BCA]
    sizes = [len(joint.counts) for joint in joints]
    lessened = [
        joint.matrices(joint.counts - np.eye(n, dtype=np.int64))[0]
        for joint, n in zip(joints, sizes, strict=True)
    ]
    left_out = _weighed(group, [np.concatenate(lessened)], joints[0], rare)
    places = np.cumsum([0, *sizes])
    found = {}
    for m in group:
        low, high = np.full(number, np.nan), np.full(number, np.nan)
        for k, joint in enumerate(joints):
            row, estimate = values[m.name][k], float(estimates[m.name][k])
            defined = row[~np.isnan(row)]
            if len(defined) and not math.isnan(estimate):
                skewness = skewness_of(left_out[m.name][0, places[k] : places[k + 1]], joint.counts)
                low[k], high[k] = skewness_corrected_percentiles(defined, estimate, skewness, LEVEL)
        found[m.name] = low, high
    return found


def joint_sets(
    cell: Cell, together: list[np.ndarray], sizes: np.ndarray, random: np.random.Generator, sets: int
) -> list[JointCounts]:
    """Test sets that two models predicted, drawn from their joint rates in each class."""
    classes = len(sizes)
    found = []
    for drawn_size in drawn_sizes(cell, sizes, random, sets):
        truth, predictions, counts = [], [], []
        for label, n in enumerate(drawn_size.tolist()):
            rates = together[label].reshape(-1)
            kept = np.flatnonzero(rates > 1e-12)  # most of the C² pairs of a class never happen
            drawn = random.multinomial(n, rates[kept] / rates[kept].sum())
            at, drawn = kept[drawn > 0], drawn[drawn > 0]
            truth.append(np.full(len(at), label))
            predictions.append(np.stack(np.divmod(at, classes), axis=1))
            counts.append(drawn)
        found.append(
            JointCounts(
                tuple(range(classes)),
                ("first", "second"),
                np.concatenate(truth),
                np.concatenate(predictions),
                np.concatenate(counts),
            )
        )
    return found


def gaps_of(
    joints: list[JointCounts],
    chosen: list[Measure],
    fixed: bool,
    random: np.random.Generator,
    draws: int,
    rare: int,
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """By measure: the observed differences (sets,), the drawn ones (sets, draws), and those at the mean rates (sets,).

    Models that predict the rare class alike in every row have no difference of its measures to be sure of: NaN.
    """
    classes = joints[0].n_classes
    found = {}
    for apart, group in groups(chosen, classes):
        mine = [joint.one_vs_rest(rare) for joint in joints] if apart else joints
        seen = _two_models(group, [j.matrices(j.counts[None]) for j in mine], mine[0], rare)
        drawn = _two_models(
            group, [posterior_matrices(j, fixed, "shared", random, draws) for j in mine], mine[0], rare
        )
        centres = _two_models(
            group, [posterior_centres(j, fixed, "shared")[:, None] for j in mine], mine[0], rare
        )
        for m in group:
            spread = np.stack([stretched(v, j) for v, j in zip(drawn[m.name], joints, strict=True)])
            differ = np.array([(j.predictions[:, 0] != j.predictions[:, 1]).any() for j in mine])
            found[m.name] = (
                np.where(differ, seen[m.name][:, 0, 0] - seen[m.name][:, 1, 0], np.nan),
                spread[:, 0] - spread[:, 1],
                centres[m.name][:, 0, 0] - centres[m.name][:, 1, 0],
            )
    return found


def _two_models(
    group: list[Measure], matrices: list[np.ndarray], like: JointCounts, rare: int
) -> dict[str, np.ndarray]:
    """The values (sets, 2, draws) of measures of two models."""
    every = np.stack(matrices)
    flat = _weighed(group, list(every.reshape(-1, *every.shape[2:])), like, rare)
    return {name: values.reshape(len(every), 2, -1) for name, values in flat.items()}


def differences(cell: Cell, chosen: list[Measure], random: np.random.Generator, sets: int) -> Found:
    """Intervals of the difference between two models on the same examples."""
    sizes, first, second = sizes_of(cell), rates_of(cell), rates_of(cell, shift=-0.05)
    classes, rare = len(sizes), len(sizes) - 1
    ideal = weigh(
        chosen,
        sy.Confusion(np.stack([sizes[:, None] * first, sizes[:, None] * second]), tuple(range(classes))),
        positive=rare,
    )
    together = [coupled(a, b, cell["agreement"]) for a, b in zip(first, second, strict=True)]
    draws = draws_of(cell)
    found: Found = defaultdict(Tally)
    step = max(1, _NUMBERS_AT_ONCE // (2 * draws * classes**2))
    for start in range(0, sets, step):
        joints = joint_sets(cell, together, sizes, random, min(step, sets - start))
        # Models that agree on every row are one model, whose difference on this set is exactly 0: no interval is promised.
        joints = [joint for joint in joints if (joint.predictions[:, 0] != joint.predictions[:, 1]).any()]
        found["corrected", "identical"].sets += min(step, sets - start) - len(joints)
        if not joints:
            continue
        for name, (seen, gaps, centre) in gaps_of(
            joints, chosen, cell["design"] == "fixed", random, draws, rare
        ).items():
            low, high = corrected(gaps, centre)
            gone = np.isnan(seen)
            found["corrected", name].add(
                np.where(gone, np.nan, np.minimum(low, seen)),
                np.where(gone, np.nan, np.maximum(high, seen)),
                float(ideal[name][0] - ideal[name][1]),
            )
    return found


def simulation_limits(coverage: float, sets: int, level: float = 0.99) -> tuple[float, float]:
    """Between which values does the true coverage lie, given what was simulated (Wilson)?"""
    z = 2.5758293035489004 if level == 0.99 else 1.959963984540054
    centre = (coverage + z * z / (2 * sets)) / (1 + z * z / sets)
    half = z / (1 + z * z / sets) * math.sqrt(coverage * (1 - coverage) / sets + z * z / (4 * sets**2))
    return centre - half, centre + half
