"""Which statements of mullick2020 hold for every number of classes C? Short arguments, whose algebra is
checked in symbols with C as one of them.

In what follows t_i are the class sizes, n their sum, m_ij the counts, r_ij = m_ij/t_i the rates (every row of
them adds up to 1), A = r_11 + ... + r_CC = C ACSA.

- Lemma 2: AUROC-OVO is (1/2C) sum over i of (1 + r_ii - sum over j != i of r_ji/(C-1)). All rates beside the
diagonal together are C - A, so it is
  (1/2C)(C + A - (C - A)/(C - 1)) = (C - 2 + A)/(2(C - 1)); and A runs from 0 (every class wrong) to C (every
  class right).
- Lemma 3: AUROC-OVA is (1/2C)(C + A - sum over i of f_i/(n - t_i)) with f_i the false alarms of class i. Let
L be the largest class and s the size of the second largest. An
  example of a class other than L that is predicted as i != its own class adds 1/(n - t_i) <= 1/(n - t_L);
  there are n - t_L of them, so together they add at most 1. One of L
  adds at most 1/(n - s), together at most t_L/(n - s). So the value is at least (C - 1 - t_L/(n - s))/(2C),
  reached where every other class is predicted as L and L as the second largest;
  and as n - s >= t_L it is at least (C - 2)/(2C). No term exceeds 2, so it is at most 1, reached on the
  identity matrix.
- Eq. 28: with one class failing, its examples spread over the others in shares s_j that add up to 1, the
limit of mAURPC-OVA is at least
  (1/2C)(C - 1 + sum over the C - 1 others of 1/(1 + s_j)), and the failing class adds something positive. By
  the inequality of the means, here term by term with the tangent at the mean share, that sum is at least
  (C - 1)^2/C, and (C - 1)(2C - 1)/(2C^2) >= 3(C - 1)/(4C) for C >= 2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from steelyard.proofs import EVERY, Matrix, Summed, as_matrix, certify_sum, prove_equal, prove_not_less
from steelyard_papers.claim import Finding, value

# Numbers of classes for which the matrices of an argument are also computed.
CHECKED = range(2, 13)


def line_of_acsa() -> Finding:
    """Lemma 2: the line and its ends, for every C."""

    def line(more: Any, a: Any) -> tuple[Any, Any]:
        c = more + 2
        counted = (c + a - (c - a) / (c - 1)) / (2 * c)
        return counted, c / (2 * (c - 1)) * (a / c) + (c - 2) / (2 * (c - 1))

    agree = prove_equal(line) and all(
        _value("AUROC-OVO", turned(c)) == Fraction(c - 2, 2 * (c - 1))
        and _value("AUROC-OVO", identity(c)) == 1
        and _value("AUROC-OVO", slanted(c))
        == Fraction(c, 2 * (c - 1)) * _value("ACSA", slanted(c)) + Fraction(c - 2, 2 * (c - 1))
        for c in CHECKED
    )
    return _finding(
        agree,
        "the rates beside the diagonal add up to C - C ACSA, which makes AUROC-OVO = C/(2(C-1)) ACSA +"
        " (C-2)/(2(C-1)) an identity in C and ACSA (FLINT); ACSA runs from 0, where every class is predicted"
        " as the next one, to 1",
    )


def not_the_same_bounds() -> Finding:
    """Theorem 3, third part: AUROC-OVO is a function of ACSA, and its lower bound rises with every class."""

    def next_bound(more: Any) -> tuple[Any, Any]:
        c = more + 2
        return (c - 1) / (2 * c), (c - 2) / (2 * (c - 1)) + 1 / (2 * c * (c - 1))

    line = line_of_acsa()
    rises = prove_equal(next_bound) and line.verdict == "proved"
    return _finding(
        rises,
        f"Condition 1: {line.evidence}, and ACSA does not depend on the class proportions; Condition 2: the"
        " lower bound (C-2)/(2(C-1)) grows by 1/(2C(C-1)) with one more class, so no two numbers of classes"
        " have the same (FLINT)",
    )


def _false_alarms_weigh_most_in_the_largest() -> bool:
    """The sum over classes of f_i/(n - t_i), cell by cell and then of the sums; and where the bound is
    reached."""

    def of_a_small_class(m: Any, t: Any, u: Any, w: Any) -> tuple[Any, Any]:
        # m examples of another class are called i; class i has t, the largest t + u, all others w.
        return m / (t + w), m / (t + u + w)

    def of_the_largest(m: Any, t: Any, u: Any, w: Any, largest: Any) -> tuple[Any, Any]:
        # m examples of the largest are called i; class i has t, the second largest t + u.
        return m / (t + w + largest), m / (t + u + w + largest)

    def of_the_sums(
        more: Any, x: Any, h: Any, y: Any, d: Any, v: Any, w: Any, rates: Any, z: Any
    ) -> tuple[Any, Any]:
        # x errors and h hits of the small classes, y errors and d hits of the largest; s examples of the
        # second largest are a part v/(v + w) of the small classes; rates on the diagonal; z is what the
        # cells leave of the two inequalities above when they are summed.
        c = more + 2
        rest = (x + h) * w / (v + w)  # n less the second largest and the largest
        largest = y + d
        alarms = x / (x + h) + y / (rest + largest) - z
        return (c + rates - alarms) / (2 * c), (c - 1 - largest / (rest + largest)) / (2 * c)

    def reached(more: Any, largest: Any, s: Any, r: Any) -> tuple[Any, Any]:
        # No rate on the diagonal; the largest class has the false alarms of all others, the second largest
        # those of the largest.
        c, n = more + 2, largest + s + r
        alarms = (n - largest) / (n - largest) + largest / (n - s)
        return (c - alarms) / (2 * c), (c - 1 - largest / (n - s)) / (2 * c)

    def cells(m: Any, u: Any, rest: Any, every: Any) -> Summed:
        # m examples called i add m/(rest + u) at most m/rest: rest is n less the class beside which no other
        # is larger, u what class i is smaller by. Over all cells the m add up to every.
        return Summed(-(m / (rest + u)), [(-(1 / rest), m, every)], -(every / rest))

    certify_sum(cells, ("m", "u"))
    return (
        prove_not_less(of_a_small_class)
        and prove_not_less(of_the_largest)
        and prove_not_less(of_the_sums)
        and prove_equal(reached)
    )


def bound_of_ova() -> Finding:
    """Lemma 3 for every C."""
    agree = _false_alarms_weigh_most_in_the_largest() and all(
        _value("AUROC-OVA", matrix) == least_ova(matrix) and _value("AUROC-OVA", identity(len(matrix))) == 1
        for c in CHECKED
        for matrix in (all_into_the_largest([1] * c), all_into_the_largest(list(range(1, c + 1))))
    )
    return _finding(
        agree,
        "examples of all classes but the largest add at most 1 to the sum of false alarm rates, those of the"
        " largest at most n_C/(n - n_(C-1)), which is the bound; it is reached where every other class is"
        " predicted as the largest and the largest as the second largest (computed for C = 2..12), and 1 on"
        " the identity matrix",
        (all_into_the_largest([1, 1, 1]),),
    )


def floor_of_ova() -> Finding:
    """(C-2)/(2C) is a lower limit of AUROC-OVA, for every C."""

    def floor(more: Any, largest: Any, r: Any) -> tuple[Any, Any]:
        c = more + 2
        return (c - 1 - largest / (largest + r)) / (2 * c), (c - 2) / (2 * c)

    lemma = bound_of_ova()
    close = all_into_the_largest([1, 1, 1000])
    reached = _value("AUROC-OVA", turned(2)) == 0
    agree = prove_not_less(floor) and lemma.verdict == "proved" and reached
    return _finding(
        agree,
        "n - n_(C-1) is at least n_C, so the least value of Lemma 3 is at least (C-2)/(2C); with two classes"
        " it is reached, with more and every class present only approached, as two classes swallow the rest:"
        f" {float(_value('AUROC-OVA', close)):.6f} on sizes 1, 1, 1000 against 1/6",
        (close,),
    )


def bounds_of_normalised_ova() -> Finding:
    """nAUROC-OVA has the bounds 0 and 1 for every C: AUROC-OVA comes as near to (C-2)/(2C) as one likes."""

    def above_the_floor(more: Any, large: Any) -> tuple[Any, Any]:
        # C - 2 classes of one example, two of `large`: the least value of Lemma 3 less the floor.
        c = more + 2
        least = (c - 1 - large / (c - 2 + large)) / (2 * c)
        return least - (c - 2) / (2 * c), (c - 2) / (2 * c * (c - 2 + large))

    floor, example = floor_of_ova(), all_into_the_largest([1, 1000, 1000])
    return _finding(
        floor.verdict == "proved" and prove_equal(above_the_floor),
        "AUROC-OVA is at least (C-2)/(2C), which becomes 0 when normalised, and at most 1; with two classes"
        " of N examples and all others of one it comes within (C-2)/(2C(N+C-2)) of it (FLINT), so the bounds"
        " are 0 and 1 whatever C, the lower one reached with two classes and approached with more:"
        f" {float(_value('nAUROC-OVA', example)):.6f} on sizes 1, 1000, 1000",
        (example,),
    )


def limit_of_a_failing_class() -> Finding:
    """Eq. 28 for every C."""

    def of_one_share(more: Any, s: Any) -> tuple[Any, Any]:
        # 1/(1 + s) lies above its tangent at the mean share e = 1/(C - 1), by a square; the shares add up to
        # 1, so the slopes add up to 0.
        e = 1 / (more + 1)
        tangent = 1 / (1 + e) - (s - e) / (1 + e) ** 2
        return 1 / (1 + s), tangent + (s - e) ** 2 / ((1 + s) * (1 + e) ** 2)

    def of_all_shares(more: Any) -> tuple[Any, Any]:
        c = more + 2
        e = 1 / (c - 1)
        return (c - 1) / (1 + e), (c - 1) ** 2 / c

    def of_the_limit(more: Any, z: Any) -> tuple[Any, Any]:
        # z is what the squares add.
        c = more + 2
        return (c - 1 + (c - 1) ** 2 / c + z) / (2 * c), 3 * (c - 1) / (4 * c)

    def shares(more: Any, s: Any) -> Summed:
        # The tangent at the mean share, summed over the C - 1 others, whose shares add up to 1.
        c = more + 2
        e = 1 / (c - 1)
        slope = -(1 / ((1 + e) * (1 + e)))
        parts = [(1 / (1 + e) - slope * e, 1, c - 1), (slope, s, 1)]
        rest = [(1 / ((1 + s) * (1 + e) * (1 + e)), s - e)]
        return Summed(1 / (1 + s), parts, (c - 1) * (c - 1) / c, rest)

    certify_sum(shares, ("s",))
    agree = prove_equal(of_one_share) and prove_equal(of_all_shares) and prove_not_less(of_the_limit)
    return _finding(
        agree,
        "the limit exceeds (C-1)(2C-1)/(2C²), by the inequality of the arithmetic and the"
        " harmonic mean of the 1 + s_j, s_j the shares that the failing class sends to the"
        " others; and that is at least 3(C-1)/(4C) for C >= 2 (FLINT). The paper's derivation"
        " replaces sums of rates by rates of sums, which is not an identity, but its conclusion"
        " holds",
    )


def ova_depends_on_proportions() -> Finding:
    """For every C >= 3: a class that is always classified correctly changes AUROC-OVA, and so its normalised
    form, by its size."""

    def rise(more: Any) -> tuple[Any, Any]:
        c = more + 3
        return 1 / (2 * c * c) - 1 / (2 * c * (c + 1)), 1 / (2 * c * c * (c + 1))

    differ = all(
        _value("AUROC-OVA", bystander(c, 2)) - _value("AUROC-OVA", bystander(c, 1))
        == Fraction(1, 2 * c * c * (c + 1))
        for c in CHECKED
        if c > 2
    )
    return _finding(
        differ and prove_equal(rise),
        "half of class 1 (two examples) is called class 2, all else is right: with the last class doubled the"
        " value rises by 1/(2C²(C+1)), which is never 0 (FLINT; computed for C = 3..12)",
        (bystander(3, 1), bystander(3, 2)),
        "C >= 3",
    )


# -- matrices of any size


def identity(n_classes: int) -> Matrix:
    return as_matrix([[int(i == j) for j in range(n_classes)] for i in range(n_classes)])


def turned(n_classes: int) -> Matrix:
    """Every class predicted as the next one."""
    return as_matrix([[int(j == (i + 1) % n_classes) for j in range(n_classes)] for i in range(n_classes)])


def slanted(n_classes: int) -> Matrix:
    """A matrix without zeros and without symmetry."""
    return as_matrix([[i + 2 * j + 1 + 3 * (i == j) for j in range(n_classes)] for i in range(n_classes)])


def all_into_the_largest(sizes: list[int]) -> Matrix:
    """Every class predicted as the largest, the last; the largest as the second largest. Sizes rise."""
    last = len(sizes) - 1
    rows = [[0] * len(sizes) for _ in sizes]
    for i, size in enumerate(sizes):
        rows[i][last if i < last else last - 1] = size
    return as_matrix(rows)


def least_ova(matrix: Matrix) -> Fraction:
    """The bound of Lemma 3 for the class sizes of a matrix."""
    sizes = sorted(sum(row) for row in matrix)
    c = len(sizes)
    return (c - 1 - Fraction(sizes[-1]) / (sum(sizes) - sizes[-2])) / (2 * c)


def bystander(n_classes: int, size: int) -> Matrix:
    """Class 1 half called class 2; all others right once, the last `size` times."""
    rows = [[int(i == j) for j in range(n_classes)] for i in range(n_classes)]
    rows[0][1] = 1
    rows[-1][-1] = size
    return as_matrix(rows)


def _value(name: str, matrix: Matrix) -> Fraction:
    return Fraction(value(name, matrix))


def _finding(proved: bool, words: str, matrices: tuple[Matrix, ...] = (), classes: str = EVERY) -> Finding:
    if not proved:
        return Finding("not refuted", f"the algebra of the argument was not confirmed: {words}", matrices)
    return Finding("proved", f"for {classes}: {words}", matrices, classes=classes)
