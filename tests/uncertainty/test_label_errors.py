"""Label errors and fragility: equal to brute force over all relabellings, row by row, on small cases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from steelyard.counts.confusion import Confusion
from steelyard.measures.catalogue import catalogue, measure
from steelyard.measures.measure import weigh
from steelyard.uncertainty import label_errors
from steelyard.uncertainty.fragility import PairedCounts, least_reversal
from steelyard.uncertainty.label_errors import NOT_MONOTONE, Budget, label_error_bounds

MEASURES = [m for m in catalogue() if m.kind != "scores"]
State = tuple[int, ...]


def relabelled_once(cells: State, classes: int) -> Iterator[tuple[int, State]]:
    """Every set of cells (label first) that differs by one row with another label, and the label it had."""
    size = len(cells) // classes
    for source, target, place in itertools.product(range(classes), range(classes), range(size)):
        if source != target and cells[source * size + place]:
            after = list(cells)
            after[source * size + place] -= 1
            after[target * size + place] += 1
            yield source, tuple(after)


def reachable(counts: np.ndarray, budget: Budget) -> np.ndarray:
    """Every matrix within the budget, by relabelling one row after the other."""
    classes = len(counts)
    start = (tuple(counts.ravel().tolist()), (0,) * classes)
    seen, layer = {start}, [start]
    while layer:
        following = []
        for cells, used in layer:
            for source, after in relabelled_once(cells, classes):
                spent = tuple(n + (k == source) for k, n in enumerate(used))
                fits = (
                    sum(spent) <= budget.total
                    if budget.total is not None
                    else all(n <= most for n, most in zip(spent, budget.by_class or (), strict=True))
                )
                if fits and (after, spent) not in seen:
                    seen.add((after, spent))
                    following.append((after, spent))
        layer = following
    return np.array(sorted({cells for cells, _ in seen})).reshape(-1, classes, classes)


@pytest.mark.parametrize("seed", range(40))
def test_bounds_equal_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    classes = int(random.choice([2, 2, 3, 4]))
    total = int(random.integers(2, {2: 14, 3: 8, 4: 5}[classes]))
    counts = random.multinomial(total, random.dirichlet(np.full(classes**2, 0.5))).reshape(classes, classes)
    budget = Budget(int(random.integers(0, 4)), None, "")
    if seed % 2:
        actual = counts.sum(axis=1)
        budget = Budget(None, tuple(int(random.integers(0, min(2, n) + 1)) for n in actual), "")
    labels = tuple("abcd"[:classes])
    found = label_error_bounds(Confusion(counts, labels), MEASURES, budget, "a")
    everything = reachable(counts, budget)
    expected = weigh(MEASURES, Confusion(everything, labels), positive="a")
    for name, one in found.items():
        values = expected[name][~np.isnan(expected[name])]
        ends = (values.min(), values.max()) if len(values) else (np.nan, np.nan)
        assert (one.low, one.high) == pytest.approx(ends, abs=1e-12, nan_ok=True), name
        assert one.sharp
        if one.low_matrix is not None and one.low_matrix.shape == counts.shape:
            assert any((one.low_matrix == other).all() for other in everything), name


@pytest.mark.parametrize("seed", range(30))
def test_long_lines_have_the_bounds_of_a_list(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Branch and bound finds the ends that listing every matrix of the line finds."""
    random = np.random.default_rng(seed)
    counts = random.multinomial(int(random.integers(150, 900)), random.dirichlet(np.ones(4))).reshape(2, 2)
    matrix, budget = Confusion(counts, ("a", "b")), Budget(int(random.integers(60, 150)), None, "")
    monotone = [m for m in MEASURES if m.name not in NOT_MONOTONE]
    listed = label_error_bounds(matrix, monotone, budget, "a")
    monkeypatch.setattr(label_errors, "MOST_ENUMERATED", 25)
    monkeypatch.setattr(label_errors, "_PARTS", 6)
    bounded = label_error_bounds(matrix, monotone, budget, "a")
    exact = [name for name, each in bounded.items() if each.sharp]
    assert len(exact) > 20
    for name in exact:
        assert (bounded[name].low, bounded[name].high) == (listed[name].low, listed[name].high), name


def test_which_metrics_never_fall_when_a_prediction_turns_out_right() -> None:
    """Over all matrices of two classes with up to 10 rows; the others are listed."""
    cells = [
        (a, b, c, n - a - b - c)
        for n in range(1, 11)
        for a in range(n + 1)
        for b in range(n + 1 - a)
        for c in range(n + 1 - a - b)
    ]
    place = {one: k for k, one in enumerate(cells)}
    found = weigh(MEASURES, Confusion(np.array(cells).reshape(-1, 2, 2), ("p", "n")), positive="p")
    right = [(place[c], place[c[0] + 1, c[1], c[2] - 1, c[3]]) for c in cells if c[2]]
    right += [(place[c], place[c[0], c[1] - 1, c[2], c[3] + 1]) for c in cells if c[1]]
    before, after = np.array(right).T
    for m in MEASURES:
        change = (found[m.name][after] - found[m.name][before]) * (-1 if m.better == "lower" else 1)
        assert (np.nanmin(change) >= -1e-9) == (m.name not in NOT_MONOTONE), m.name


def least_by_listing(paired: PairedCounts, most: int) -> int | None:
    classes = len(paired.labels)
    layer = [tuple(paired.cells.ravel().tolist())]
    seen = set(layer)
    for number in range(most + 1):
        values = paired.advantage(np.array(layer).reshape(-1, *paired.cells.shape))
        if (np.nan_to_num(values, nan=-1) > 1e-12).any():
            return number
        after = {state for cells in layer for _, state in relabelled_once(cells, classes)}
        layer = list(after - seen)
        seen |= after
        if not layer:
            return None
    return -1


@pytest.mark.parametrize("seed", range(60))
def test_the_least_reversal_equals_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    classes = 3 if seed % 6 == 0 else 2
    total = int(random.integers(3, 7 if classes == 3 else 13))
    cells = random.multinomial(total, random.dirichlet(np.full(classes**3, 0.6))).reshape((classes,) * 3)
    names = ("recall", "precision", "f1", "gmean", "accuracy", "mcc", "kappa", "fpr")
    name = "macro_recall" if classes == 3 else str(random.choice(names))
    paired = PairedCounts(cells, tuple("abc"[:classes]), measure(name), None if classes == 3 else "a")
    if not paired.advantage(cells) <= 0:  # undefined, or the other model is better already
        return
    found, expected = least_reversal(paired), least_by_listing(paired, 3)
    if found is None:
        assert expected in (None, -1)
        return
    assert paired.advantage(paired.relabelled(found.relabelled)) > 0  # the certificate
    assert sum(one.rows for one in found.relabelled) == found.number
    assert found.exact
    assert found.number == expected if expected != -1 else found.number > 3


@pytest.mark.parametrize(
    ("cells", "name", "number"),
    [
        # One negative that only the loser alerts becomes positive: the odds ratio is 4 * 4 / (4 * 3) against
        # 3 * 3 / (5 * 4). With all four of them it is undefined, because the loser has no false alarms left.
        ([[[3, 0], [0, 4]], [[0, 4], [4, 0]]], "diagnostic_odds_ratio", 1),
        # Two become positive: (3/10) / (1/4) = 1.2 against (8/10) / (3/4) = 1.07; with one (2/9) / (2/5) = 0.56
        # against (8/9) / (3/5) = 1.48, and with all three the loser's ratio is undefined.
        ([[[1, 7], [0, 0]], [[0, 3], [3, 0]]], "positive_likelihood_ratio", 2),
    ],
)
def test_a_reversal_below_the_labels_that_leave_the_metric_undefined(
    cells: list[list[list[int]]], name: str, number: int
) -> None:
    found = least_reversal(PairedCounts(np.array(cells), ("a", "b"), measure(name), "a"))
    assert found is not None
    assert (found.number, found.exact) == (number, True)


def test_a_million_rows() -> None:
    cells = np.array([[[3000, 700], [650, 650]], [[2000, 1500], [1400, 990_100]]])
    # Recall 3,700 / 5,000 against 3,650 / 5,000: 25 positives that only the winner detects become negative
    # and leave 3,675 of 4,975 against 3,650 of 4,975; so 51 of them are needed for 3,649 against 3,650.
    found = least_reversal(PairedCounts(cells, ("fraud", "ok"), measure("recall"), "fraud"))
    assert found is not None
    assert (found.number, found.exact) == (51, True)
    one = found.relabelled[0]
    assert (one.label, one.becomes, one.predicted_by_winner, one.predicted_by_loser) == (
        "fraud",
        "ok",
        "fraud",
        "ok",
    )
