"""Exact counts of distinct values of each measure, without rounding.

Every measure of branco2017 is, on the matrices of one problem, an increasing function of a rational number: a
sum of fractions, a product, the square of a correlation with its sign, or the number whose logarithm an
entropy is. Equal values are equal rational numbers, which are compared in lowest terms or by their prime
factors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard_papers.branco2017.enumeration import States, compositions
from steelyard_papers.branco2017.printed import MECHANISMS
from steelyard_papers.branco2017.relevance_based import WEIGHTED

Array = NDArray[Any]


# No sum of products here may reach this, or 64 bits would overflow unseen.
ROOM = 1 << 62


class Ratio(NamedTuple):
    """Rational numbers in lowest terms, the denominator positive; entries where it is 0 are undefined."""

    top: Array
    bottom: Array

    @classmethod
    def of(cls, top: Array, bottom: Array) -> Ratio:
        shared = np.gcd(top, bottom)
        shared = np.where(shared == 0, 1, shared)
        return cls(top // shared, bottom // shared)

    def plus(self, other: Ratio) -> Ratio:
        shared = np.gcd(self.bottom, other.bottom)
        shared = np.where(shared == 0, 1, shared)
        left, right = other.bottom // shared, self.bottom // shared
        if (
            _most(self.top) * _most(left) + _most(other.top) * _most(right) + _most(self.bottom) * _most(left)
            >= ROOM
        ):
            raise AssertionError("the fractions are too large for 64 bits")
        return Ratio.of(self.top * left + other.top * right, self.bottom * left)

    def distinct(self) -> int:
        """How many different defined values?"""
        defined = self.bottom != 0
        top, bottom = self.top[defined], self.bottom[defined]
        if not top.size:
            return 0
        widest = int(bottom.max()) + 1
        if int(np.abs(top).max()) < ROOM // widest:  # both fit into one number, which is faster to sort
            return len(np.unique(top * widest + bottom))
        return int(_different(np.stack([top, bottom])).shape[1])


def _most(values: Array) -> int:
    return int(np.abs(values).max(initial=0))


def whole_weights(scores: Sequence[Fraction | float]) -> list[int]:
    """Relevance scores as whole numbers in the same ratio."""
    fractions = [Fraction(str(score)) for score in scores]
    scale = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * scale) for fraction in fractions]


def weighted_mean(tops: Sequence[Array], bottoms: Sequence[Array], weights: Sequence[int]) -> Ratio:
    """The mean of the fractions tops/bottoms; a class whose fraction is undefined is left out."""
    total = Ratio(np.zeros_like(tops[0]), np.ones_like(tops[0]))
    counted = np.zeros_like(tops[0])
    for top, bottom, weight in zip(tops, bottoms, weights, strict=True):
        defined = bottom != 0
        total = total.plus(Ratio.of(np.where(defined, weight * top, 0), np.where(defined, bottom, 1)))
        counted = counted + np.where(defined, weight, 0)
    return Ratio.of(total.top, total.bottom * counted)


def harmonic(precision: Ratio, recall: Ratio) -> Ratio:
    """A number that is equal where F_1 of the two is: the sum of their inverses.

    Undefined where both are 0.
    """
    return Ratio(precision.bottom, precision.top).plus(Ratio(recall.bottom, recall.top))


def counts_from_sums(
    sizes: Sequence[int], states: States, relevances: Mapping[str, Sequence[Fraction | float]]
) -> dict[str, int]:
    """The number of different values of the 31 measures that see only hits and predictions."""
    d, p = states.hits, states.predicted
    n, count = sum(sizes), len(sizes)
    t = [np.full_like(d[0], size) for size in sizes]
    right = d.sum(axis=0)
    above_chance = n * right - sum(t[i] * p[i] for i in range(count))
    spread = n * n - (p * p).sum(axis=0)
    micro = Ratio.of(right, np.full_like(right, n)).distinct()
    ones = [1] * count
    families = {"": ones, **{mechanism: whole_weights(relevances[mechanism]) for mechanism in MECHANISMS}}
    values: dict[str, int] = {
        "AvAcc": (
            weighted_mean(
                [right] * count, [right + t[i] + p[i] - 2 * d[i] for i in range(count)], ones
            ).distinct()
        ),
        "MAvG": len(np.unique(d.prod(axis=0))),
        "Rec_mu": micro,
        "Prec_mu": micro,
        "F_1mu": micro,
        # X / sqrt(Y) with its sign is equal where sign(X) X² / Y is.
        "MCC": Ratio.of(np.sign(above_chance) * above_chance**2, spread).distinct(),
    }
    for mechanism, weights in families.items():
        names = _names(mechanism)
        recall = weighted_mean(list(d), t, weights)
        precision = weighted_mean(list(d), list(p), weights)
        values[names["Rec"]] = recall.distinct()
        values[names["Prec"]] = precision.distinct()
        values[names["F_1"]] = harmonic(precision, recall).distinct()
        values[names["AvF_1"]] = weighted_mean(
            [2 * x for x in d], [t[i] + p[i] for i in range(count)], weights
        ).distinct()
        values[names["CBA"]] = weighted_mean(
            list(d), [np.maximum(t[i], p[i]) for i in range(count)], weights
        ).distinct()
    return values


def _names(mechanism: str) -> dict[str, str]:
    if not mechanism:
        return {"Rec": "Rec_M", "Prec": "Prec_M", "F_1": "F_1M", "AvF_1": "AvF_1", "CBA": "CBA"}
    return {base: f"{base}^{mechanism}" for base in ("Rec", "Prec", "F_1", "AvF_1", "CBA")}


# -- entropies: a sum of k log k is the logarithm of a product of k^k, compared by its prime factors


class PrimePowers:
    """Exponents of primes, packed into as few 64-bit numbers as hold them.

    Packed numbers can be added and subtracted.
    """

    def __init__(self, largest: int, widest_sum: int) -> None:
        """For products of numbers up to `largest` to powers that sum, in size, to at most `widest_sum`."""
        self.primes = [q for q in range(2, largest + 1) if all(q % r for r in range(2, int(q**0.5) + 1))]
        self.lanes: list[dict[int, int]] = [{}]
        used = 0
        for q in self.primes:
            most = max(self._valuation(k, q) for k in range(2, largest + 1)) * widest_sum
            bits = (2 * most + 1).bit_length()
            if used + bits > 62:
                self.lanes.append({})
                used = 0
            self.lanes[-1][q] = 1 << used
            used += bits
        self.largest = largest

    @staticmethod
    def _valuation(number: int, prime: int) -> int:
        power = 0
        while number % prime == 0:
            number //= prime
            power += 1
        return power

    def logarithms(self) -> Array:
        """For each k up to the largest, the packed exponents of k, by lane.

        0 for k = 0, which stands for 0 log 0.
        """
        table = np.zeros((len(self.lanes), self.largest + 1), dtype=np.int64)
        for lane, places in enumerate(self.lanes):
            for k in range(2, self.largest + 1):
                table[lane, k] = sum(place * self._valuation(k, q) for q, place in places.items())
        return table


def counts_of_entropies(sizes: Sequence[int]) -> dict[str, int]:
    """The number of different values of RCI and CEN, over every matrix.

    RCI is a decreasing function of sum_j p_j log p_j - sum_ij m_ij log m_ij, and CEN an increasing one of
    sum_j (b_j - 2 d_j) log b_j - 2 sum_{i != j} m_ij log m_ij with b_j = t_j + p_j.
    """
    count, n = len(sizes), sum(sizes)
    largest = n + max(sizes)
    packing = PrimePowers(largest, 4 * n)
    logs = packing.logarithms()
    k_log_k = logs * np.arange(largest + 1)
    # The last row is left for the end, where blocks of its ways are taken one after the other.
    first = _first_rows(sizes, k_log_k)
    rows = compositions(sizes[-1], count)
    last_entropy, last_off = _row_terms(rows, count - 1, k_log_k)
    rci: Array | None = None
    cen: Array | None = None
    per_block = max(1, 1_000_000 // len(first.hits))
    for start in range(0, len(rows), per_block):
        block = slice(start, start + per_block)
        p = (first.predicted[:, :, None] + rows[block].T[:, None, :]).reshape(count, -1)
        entropy = -(first.entropy[:, :, None] + last_entropy[:, None, block]).reshape(len(packing.lanes), -1)
        disorder = -2 * (first.off_diagonal[:, :, None] + last_off[:, None, block]).reshape(
            len(packing.lanes), -1
        )
        width = len(rows[block])
        for j in range(count):
            entropy += k_log_k[:, p[j]]
            d = (
                np.repeat(first.hits[:, j], width)
                if j < count - 1
                else np.tile(rows[block, j], len(first.hits))
            )
            b = sizes[j] + p[j]
            disorder += logs[:, b] * (b - 2 * d)
        rci = _merged(rci, entropy)
        cen = _merged(cen, disorder)
    assert rci is not None
    assert cen is not None
    return {"RCI": rci.shape[1], "CEN": cen.shape[1]}


class _FirstRows(NamedTuple):
    hits: Array
    predicted: Array
    entropy: Array
    off_diagonal: Array


def _first_rows(sizes: Sequence[int], k_log_k: Array) -> _FirstRows:
    """Every way of all rows but the last, with its hits, column sums and packed sums of m log m."""
    count = len(sizes)
    hits = np.zeros((1, 0), dtype=np.int64)
    predicted = np.zeros((count, 1), dtype=np.int64)
    entropy = np.zeros((len(k_log_k), 1), dtype=np.int64)
    off = np.zeros_like(entropy)
    for i, size in enumerate(sizes[:-1]):
        rows = compositions(size, count)
        row_entropy, row_off = _row_terms(rows, i, k_log_k)
        hits = np.hstack([np.repeat(hits, len(rows), axis=0), np.tile(rows[:, i], len(hits))[:, None]])
        predicted = (predicted[:, :, None] + rows.T[:, None, :]).reshape(count, -1)
        entropy = (entropy[:, :, None] + row_entropy[:, None, :]).reshape(len(k_log_k), -1)
        off = (off[:, :, None] + row_off[:, None, :]).reshape(len(k_log_k), -1)
    return _FirstRows(hits, predicted, entropy, off)


def _row_terms(rows: Array, diagonal: int, k_log_k: Array) -> tuple[Array, Array]:
    """The packed sum of m log m over a row, with and without its hit."""
    everything = sum(k_log_k[:, rows[:, j]] for j in range(rows.shape[1]))
    return np.asarray(everything), np.asarray(everything - k_log_k[:, rows[:, diagonal]])


def _merged(known: Array | None, new: Array) -> Array:
    """The different columns of both; lanes are equal together or not at all."""
    return _different(new) if known is None else _different(np.hstack([known, _different(new)]))


def _different(lanes: Array) -> Array:
    if len(lanes) == 1:
        return np.unique(lanes[0])[None]
    ordered = lanes[:, np.lexsort(lanes)]
    new = np.append(True, (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))
    return np.ascontiguousarray(ordered[:, new])


def float_counts(
    sizes: Sequence[int], states: States, relevances: Mapping[str, Sequence[Any]]
) -> dict[str, int]:
    """The number of different doubles of the five originals and their twenty relevance-based forms."""
    hits, predicted = states.hits.astype(float), states.predicted.astype(float)
    actual = np.array(sizes, dtype=float)[:, None]
    recalls = hits / actual
    precisions = np.divide(hits, predicted, out=np.zeros_like(hits), where=predicted > 0)
    class_f = 2 * hits / (actual + predicted)
    balance = hits / np.maximum(actual, predicted)
    counts = {}
    for mechanism in ("", *MECHANISMS):
        weights = [1.0] * len(sizes) if not mechanism else [float(w) for w in relevances[mechanism]]
        recall, precision = _mean_in_doubles(recalls, weights), _mean_in_doubles(precisions, weights)
        values = {
            "Rec": recall,
            "Prec": precision,
            "F_1": _harmonic(precision, recall),
            "AvF_1": _mean_in_doubles(class_f, weights),
            "CBA": _mean_of_r(balance) if not mechanism else _weighted_sum_of_r(balance, weights),
        }
        for base, column in values.items():
            name = f"{base}^{mechanism}" if mechanism else WEIGHTED[base]
            counts[name] = len(np.unique(column))
    return counts


def _mean_in_doubles(columns: Array, weights: Sequence[float]) -> Array:
    total, weight = np.zeros(columns.shape[1]), 0.0
    for column, class_weight in zip(columns, weights, strict=True):
        total = total + class_weight * column
        weight += class_weight
    return np.asarray(total / weight)


def _harmonic(precision: Array, recall: Array) -> Array:
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, which R counts as a value
        return np.asarray(2 * precision * recall / (precision + recall))


def _mean_of_r(columns: Array) -> Array:
    """R's mean: the sum in extended precision, divided, and corrected by the mean of what is left."""
    wide = columns.astype(np.longdouble)
    first = _in_turn(wide) / len(columns)
    return np.asarray((first + _in_turn(wide - first) / len(columns)).astype(float))


def _weighted_sum_of_r(columns: Array, weights: Sequence[float]) -> Array:
    products = np.array(
        [class_weight * column for class_weight, column in zip(weights, columns, strict=True)]
    )
    total = _in_turn(products.astype(np.longdouble)).astype(float)
    weight = float(_in_turn(np.array(weights, dtype=np.longdouble)))
    return np.asarray(total / weight)


def _in_turn(values: Array) -> Any:
    """A sum in the order given, which NumPy's own sum need not keep."""
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total
