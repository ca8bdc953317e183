"""Behaviour of a measure: guessing, constant predictors, and where it is defined."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.errors import MissingExtraError
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.expression_trees import tree
from steelyard.proofs.prover.prove import Attempt, methods_of, prove_equal
from steelyard.proofs.prover.refuter import Search, refute_pairs
from steelyard.proofs.prover.regions import Point, matrix_names, regions
from steelyard.proofs.prover.subject import Subject, all_present, is_nan
from steelyard.proofs.prover.symbols import TooHardError, available
from steelyard.proofs.questions.deciding import decided, first_found, not_asked
from steelyard.proofs.verdict import Counterexample, Matrix, Verdict, as_matrix, named_classes, shown_number


def decide_chance(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Is the value the same for all predictions that do not depend on the truth?"""
    searches = {c: refute_pairs(subject, [_independent(c)], one_sided=False) for c in sizes}
    value = subject.value(np.ones((sizes[0], sizes[0]), dtype=np.int64))
    constant = first_found(searches.values()) is None and not is_nan(value)
    notes = [f"the value is {value} at C = {sizes[0]}"] if constant else []
    return decided(subject, question, searches, partial(prove_chance, subject), notes=notes)


def _independent(n_classes: int) -> tuple[Array, Array]:
    """Pairs of matrices t_i q_j: truth and prediction independent."""
    random = np.random.default_rng(n_classes)
    sizes, rates = (
        np.concatenate([random.integers(1, top, (200, n_classes)) for top in (4, 20)]) for _ in range(2)
    )
    matrices = sizes[:, :, None] * rates[:, None, :]
    return np.ones_like(matrices), matrices[np.argsort(matrices.sum(axis=(1, 2)), kind="stable")]


def prove_chance(subject: Subject, n_classes: int) -> Attempt:
    """All matrices t_i q_j have the same value."""
    names = [[f"{letter}{i}" for i in range(n_classes)] for letter in ("t", "q", "u", "w")]

    def compute(at: Point) -> tuple[Any, Any]:
        t, q, u, w = map(at.counts, names)
        return subject.symbol(np.outer(t, q), at.numbers), subject.symbol(np.outer(u, w), at.numbers)

    return prove_equal(list(itertools.chain(*names)), compute)


def decide_constant_predictor(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Is the value the same for every classifier that always predicts one class?"""
    searches: dict[int, Search] = {}
    for c in sizes:
        class_sizes = itertools.product((1, 2, 5), repeat=c)
        columns = [_one_column(each, k) for k, each in itertools.product(range(c), class_sizes)]
        matrices = np.array(sorted(columns, key=lambda m: int(m.sum())))
        defined = matrices[np.isfinite(subject.floats(matrices))]
        if len(defined):
            pairs = [(np.broadcast_to(defined[0], defined.shape), defined)]
            searches[c] = refute_pairs(subject, pairs, one_sided=False)
    if not searches:
        return not_asked(subject, question, "it is undefined for every such classifier", sizes)
    undefined = [c for c in sizes if c not in searches]
    notes = [f"undefined for every such classifier at {named_classes(undefined)}"] if undefined else []
    return decided(subject, question, searches, partial(_prove_constant, subject), notes=notes)


def _one_column(sizes: Sequence[Any] | Array, column: int) -> Array:
    matrix = np.full((len(sizes), len(sizes)), Fraction(0) if isinstance(sizes, np.ndarray) else 0)
    matrix[:, column] = sizes
    return matrix


def _prove_constant(subject: Subject, n_classes: int) -> Attempt:
    if not available():
        return Attempt(False, "FLINT is not installed")
    defined: list[int] = []
    for column in range(n_classes):
        missing = _prove_missing(subject, n_classes, column)
        if missing is None:
            return Attempt(False, "it is not known for which of these classifiers there is a value")
        if not missing:
            defined.append(column)
    # Every class has examples: names that begin with k are never 0.
    names = [[f"k{letter}{i}" for i in range(n_classes)] for letter in ("t", "u")]
    methods = []
    for column in defined:

        def compute(at: Point, column: int = column) -> list[Any]:
            places = zip(names, (defined[0], column), strict=True)
            return [subject.symbol(_one_column(at.counts(each), k), at.numbers) for each, k in places]

        attempt = prove_equal(list(itertools.chain(*names)), compute)
        if not attempt.proved:
            return attempt
        methods.append(attempt.method)
    return Attempt(True, methods_of(methods))


def _prove_missing(subject: Subject, n_classes: int, column: int) -> bool | None:
    """Has it no value, whatever the sizes of the classes, where one class is always predicted?"""
    # None where the algebra does not say; no small matrices can say it for all.
    names = [f"t{i}" for i in range(n_classes)]

    def compute(at: Point) -> tuple[Any]:
        return (subject.symbol(_one_column(at.counts(names), column), at.numbers),)

    try:
        values = [value for region in regions(names, compute) for value in region.values]
    except (TooHardError, MissingExtraError):
        return None
    states = {isinstance(value, float) and not np.isfinite(value) for value in values}
    return states.pop() if len(states) == 1 else None


def decide_always_defined(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Has it a value on every matrix in which every class has examples?"""
    searches: dict[int, Search] = {}
    notes: list[str] = []
    for c in sizes:
        matrices = subject.small(c)
        present = matrices[all_present(matrices)]
        suspects = map(as_matrix, present[~np.isfinite(subject.floats(present))][:5])
        missing = next((m for m in suspects if is_nan(subject.value(m))), None)
        if missing is None:
            words = "a value on every small matrix with all classes present"
            searches[c] = Search(None, len(present), words)
            continue
        example = Counterexample((missing,), (float("nan"),), subject.symbolic)
        searches[c] = Search(example, len(present), "no value on a matrix with all classes present")
        if subject.symbolic:
            positive = "c1" if subject.two_class_only else None
            rows = [[float(v) for v in row] for row in missing]
            why = subject.measure.why_undefined(rows, positive=positive)
            notes += [f"because {why}"] if why else []
    return decided(subject, question, searches, notes=notes[:1])


# The truth has given class sizes, the prediction too; over all ways to deal out the predictions, each as
# likely as any other, the mean of the measure is taken. A measure has a constant baseline if that mean is one
# number for all sizes. Sizes for which some deal has no value are left out.
# Numbers of examples whose deals are all looked at.
TOTALS = {2: (2, 3, 4, 5, 6, 7, 8), 3: (3, 4, 5, 6)}


def decide_constant_baseline(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Is the mean value of guessing the same for all sizes of the true and of the predicted classes?"""
    searches: dict[int, Search] = {}
    notes: list[str] = []
    for c in sizes:
        search, constant = _different_means(subject, c)
        if constant is None:
            continue
        searches[c] = search
        if search.counterexample is None:
            notes.append(f"the mean is {shown_number(constant)} at C = {c}")
    if not searches:
        why = "for all sizes of the classes some deal of the predictions has no value"
        return not_asked(subject, question, why, sizes)
    if first_found(searches.values()) is not None:
        notes.append(
            "each matrix is the mean of all deals with its row and column sums, each value the mean of"
            " their values"
        )
    return decided(subject, question, searches, lambda c: _prove_baseline(subject, c), notes=notes)


Deals = dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]]


@lru_cache(maxsize=16)
def deals(n_classes: int, total: int) -> tuple[Array, Deals]:
    """All matrices with this many examples, and which of them, with all classes, share their margins."""
    cells = n_classes * n_classes
    # Stars and bars: bars cut a row of `total` examples into cells.
    bars = list(itertools.combinations(range(total + cells - 1), cells - 1))
    edges = np.pad(np.array(bars), ((0, 0), (1, 1)), constant_values=((0, 0), (-1, total + cells - 1)))
    matrices = (np.diff(edges, axis=1) - 1).reshape(-1, n_classes, n_classes)
    groups: Deals = {}
    margins = zip(matrices.sum(axis=2).tolist(), matrices.sum(axis=1).tolist(), strict=True)
    for k, (rows, columns) in enumerate(margins):
        if min(rows) > 0 and min(columns) > 0:
            groups.setdefault((tuple(rows), tuple(columns)), []).append(k)
    return matrices, groups


def ways(matrix: Any) -> int:
    """In how many ways predictions can be dealt out to make this matrix, up to a factor its margins fix."""
    cells = [int(v) for row in matrix for v in row]
    return math.factorial(sum(cells)) // math.prod(math.factorial(v) for v in cells)


def exact_mean(subject: Subject, matrices: Array) -> Fraction | float:
    """The mean over deals, each as likely as it is; NaN where one has no value."""
    total, weight = Fraction(0), 0
    for matrix in matrices.tolist():
        value = subject.value(matrix)
        if is_nan(value):
            return float("nan")
        total += ways(matrix) * Fraction(value)
        weight += ways(matrix)
    return total / weight


def certificates_of(subject: Subject, example: Counterexample) -> list[certificates.Certificate | None]:
    """The means of a counterexample, each a sum over all deals that the checker works out again."""

    def mean(matrix: Array, arithmetic: Any) -> Any:
        rows, columns = (tuple(int(v) for v in matrix.sum(axis=axis)) for axis in (1, 0))
        matrices, groups = deals(len(rows), sum(rows))
        total: Any = Fraction(0)
        members = [matrices[k].tolist() for k in groups[rows, columns]]
        weight = sum(map(ways, members))
        for member in members:
            cells = np.array(as_matrix(member), dtype=object)
            total = total + tree(Fraction(ways(member), weight)) * subject.symbol(cells, arithmetic)
        return total

    return certificates.of_counterexample(mean, example, values=True)


def _different_means(subject: Subject, n_classes: int) -> tuple[Search, Fraction | float | None]:
    """Two choices of class sizes with different means; the mean of the first choice that has one."""
    first: tuple[Matrix, Fraction | float] | None = None
    cases = 0
    for total in TOTALS[n_classes]:
        matrices, groups = deals(n_classes, total)
        if len(matrices) > subject.most:
            break
        values = subject.floats(matrices)
        weights = np.array([float(ways(m)) for m in matrices.tolist()])
        for (rows, columns), members in groups.items():
            cases += 1
            mean = float((values[members] * weights[members]).sum() / weights[members].sum())
            if mean != mean or (first is not None and abs(mean - float(first[1])) < 1e-11):
                continue
            exactly = exact_mean(subject, matrices[members])
            if is_nan(exactly):
                continue
            # The mean of all deals is a_i b_j / n.
            centre = as_matrix([[Fraction(a * b, total) for b in columns] for a in rows])
            if first is None:
                first = centre, exactly
            elif subject.differ(first[1], exactly):
                example = Counterexample((first[0], centre), (first[1], exactly), subject.symbolic)
                return Search(example, cases), first[1]
    return Search(None, cases), None if first is None else first[1]


def _prove_baseline(subject: Subject, n_classes: int) -> Attempt:
    """The value is linear in the counts at given margins, so its mean is its value at the mean matrix."""
    for u in range((n_classes - 1) ** 2):
        for v in range(u + 1):
            attempt = _prove_linear(subject, n_classes, divmod(u, n_classes - 1), divmod(v, n_classes - 1))
            if not attempt.proved:
                why = "it is not seen to be linear in the counts for given row and column sums"
                return Attempt(False, why)
    chance = prove_chance(subject, n_classes)
    words = "for given row and column sums it is linear in the counts, and it is constant on their mean"
    return Attempt(True, f"{words}: {chance.method}") if chance.proved else chance


def _prove_linear(subject: Subject, n_classes: int, u: tuple[int, int], v: tuple[int, int]) -> Attempt:
    last = n_classes - 1

    def compute(at: Point) -> tuple[Any, Any]:
        def value(a: int, b: int) -> Any:
            # Positive entries on which two exchanges of predictions cost nothing: each is added before it is
            # taken away, to two opposite corners of a rectangle before and to the other two after it.
            matrix = at.matrix(n_classes)
            for (i, j), taken, letter in ((u, a, "k0"), (v, b, "k1")):
                for corner in ((i, j), (last, last)) if taken else ((i, last), (last, j)):
                    matrix[corner] = matrix[corner] + at[letter]
            return subject.symbol(matrix, at.numbers)

        return value(1, 1) + value(0, 0), value(1, 0) + value(0, 1)

    return prove_equal([*matrix_names(n_classes), "k0", "k1"], compute)
