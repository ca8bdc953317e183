"""Does a certificate show that nothing gives the printed values?

A certificate holds a question and, for each reading of it, a tree: all matrices are parted, and parted again,
until of every part something shows that nothing in it fits. This module shares nothing with the search that
found the answer and trusts nothing in the certificate: it reads the printed values itself, builds the space
of all matrices itself, and follows the tree in exact fractions. The measures' bodies, run once on integers
that are not known yet, are compared with their values on random matrices.

A node is one of
- ["split", v, at] or ["split", [[v, factor], ...], at]: an integer, or a sum of multiples of integers, is at
  most `at`, or more; both halves follow;
- ["out", k]: requirement k cannot hold in what is left;
- ["sum", [[row, factor], ...]]: so many times these inequalities (`rows`) add up to one that cannot hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.auditing.certificates.posed import Posed, posed, values_of
from steelyard.auditing.certificates.question import CertificateError, Question
from steelyard.auditing.certificates.rows import Requirement, Rows, excludes, tightened
from steelyard.auditing.certificates.terms import Linear, Ranges, number, value_at, variable
from steelyard.auditing.expressions import NotTraceableError
from steelyard.errors import InputError

TRIED = 40
"""Random matrices on which an expression must have the value of its measure."""
WRONG = (
    CertificateError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    ZeroDivisionError,
)
"""What comes of data that is no certificate."""


class Part:
    """A part of all matrices: a box, and inequalities that sums of its integers fulfil as well."""

    def __init__(self, box: Sequence[tuple[int, int]], extra: tuple[Linear, ...] = ()) -> None:
        self.box, self.extra = box, extra
        self.ranges = Ranges(box)

    def halves(self, what: int | Sequence[tuple[int, int]], at: int) -> tuple[Part, Part]:
        """Where it is at most `at`, and where it is more."""
        if isinstance(what, int):
            low, high = self.box[what]
            halves = []
            for ends in ((low, at), (at + 1, high)):
                box = list(self.box)
                box[what] = ends
                halves.append(Part(box, self.extra))
            return halves[0], halves[1]
        form = number(0)
        for v, factor in what:  # added one by one: an integer may be named twice
            form = form.plus(variable(v), factor)
        below, above = number(at).plus(form, -1), form.plus(number(at + 1), -1)
        return (
            Part(self.box, (*self.extra, tightened(below))),
            Part(self.box, (*self.extra, tightened(above))),
        )


def checked(certificate: Mapping[str, Any]) -> int:
    """The number of parts of a certificate that holds; else CertificateError says why it does not."""
    try:
        return _checked(certificate)
    except CertificateError:
        raise
    except (InputError, NotTraceableError, *WRONG) as error:
        raise CertificateError(f"it is not whole: {error!r}") from error


def _checked(certificate: Mapping[str, Any]) -> int:
    question = Question.from_dict(certificate["question"])
    trees, divisors = certificate["trees"], question.divisors()
    if len(trees) != len(divisors):
        raise CertificateError(f"{len(divisors)} readings are to be excluded, {len(trees)} are")
    problem = posed(question)
    compare(problem)
    return sum(
        parts_of(nodes, Part(problem.box), problem.requirements(divisor))
        for nodes, divisor in zip(trees, divisors, strict=True)
    )


def parts_of(nodes: Sequence[Sequence[Any]], everything: Part, requirements: Sequence[Requirement]) -> int:
    """Follow the tree, each node before its two halves; the number of parts that are left out."""
    waiting, counted = [everything], 0
    for node in nodes:
        if not waiting:
            raise CertificateError("there are more nodes than parts")
        here = waiting.pop()
        kind = node[0]
        if kind == "out":
            if not excludes(requirements[_whole(node[1])], here.ranges):
                raise CertificateError(f"requirement {node[1]} can hold in the box {here.box}")
            counted += 1
        elif kind == "sum":
            _contradicts(node[1], here, requirements)
            counted += 1
        elif kind == "split":
            low, high = here.halves(_parted(node[1], len(here.box)), _whole(node[2], None))
            if isinstance(node[1], int) and not here.box[node[1]][0] <= node[2] < here.box[node[1]][1]:
                raise CertificateError(f"the box {here.box} cannot be parted at {node[2]}")
            waiting += [high, low]
        else:
            raise CertificateError(f"the node {kind!r} is not known")
    if waiting:
        raise CertificateError(f"{len(waiting)} parts are not looked at")
    return counted


def _contradicts(multiples: Any, here: Part, requirements: Sequence[Requirement]) -> None:
    read = [(_whole(row), Fraction(factor)) for row, factor in multiples]
    if any(factor <= 0 for _, factor in read):
        raise CertificateError("an inequality is taken less than no times")
    total = Rows(here.ranges, requirements, here.extra).total(read)
    if total is None or total >= 0:
        raise CertificateError(f"the inequalities do not contradict each other in the box {here.box}")


def _parted(what: Any, integers: int) -> int | list[tuple[int, int]]:
    if not isinstance(what, list):
        return _whole(what, below=integers)
    return [(_whole(v, below=integers), _whole(factor, None)) for v, factor in what]


def _whole(value: Any, least: int | None = 0, below: int | None = None) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or (least is not None and value < least) or (below is not None and value >= below):
        raise CertificateError(f"a whole number is expected, {value!r} found")
    return int(value)


def compare(problem: Posed) -> None:
    """Are random matrices in the space, and has every expression the value of its measure on them?"""
    random, question = np.random.default_rng(0), problem.question
    for tried in range(max(3, TRIED // len(problem.folds))):
        matrices = [_filled(sizes, random, tried) for sizes in _drawn_sizes(question, random)]
        point = problem.point(matrices)
        here = Ranges([(value, value) for value in point])
        inside = all(low <= value <= high for value, (low, high) in zip(point, problem.box, strict=True))
        if not inside or any(excludes(requirement, here) for requirement in problem.always):
            raise CertificateError(f"the space does not hold {matrices}")
        for values, (measure, place, _) in zip(problem.values, question.intervals(), strict=True):
            true = values_of(measure, matrices, question.labels, question.undefined, place)
            for tree, value, matrix in zip(values, true, matrices, strict=True):
                mine = value_at(tree, point)
                if (mine is None) != (value is None) or (
                    mine is not None and value is not None and abs(mine - value) > Fraction(1, 10**18)
                ):
                    raise CertificateError(f"the expression of {measure.name} is not the measure on {matrix}")


def _drawn_sizes(question: Question, random: np.random.Generator) -> list[list[int]]:
    """Sizes of the classes, of each fold, that the question allows."""
    if question.folds is None:
        return [_drawn_unknown(question, random)]
    totals = [size or 0 for size in question.sizes]
    drawn: list[list[int]] = []
    for _ in range(question.repeats):
        if not isinstance(question.fold_sizes, str):
            drawn += [list(fold) for fold in question.fold_sizes]
        elif question.fold_sizes == "stratified":
            columns = []
            for total in totals:
                least, more = divmod(total, question.folds)
                extra = random.permutation([1] * more + [0] * (question.folds - more))
                columns.append([least + int(one) for one in extra])
            drawn += [list(fold) for fold in zip(*columns, strict=True)]
        else:
            left, everyone = list(totals), sum(totals)
            for fold in range(question.folds):
                size = everyone // question.folds + (fold < everyone % question.folds)
                taken = [int(v) for v in random.multivariate_hypergeometric(left, size)]
                left = [before - less for before, less in zip(left, taken, strict=True)]
                drawn.append(taken)
    return drawn


def _drawn_unknown(question: Question, random: np.random.Generator) -> list[int]:
    unknown = [at for at, size in enumerate(question.sizes) if size is None]
    sizes = [1 if size is None else size for size in question.sizes]
    if not unknown:
        return sizes
    limit = question.up_to if question.total is None else question.total
    spare = (limit or 0) - sum(sizes)
    used = spare if question.total is not None else int(random.integers(0, spare + 1))
    shares = random.multinomial(used, random.dirichlet(np.ones(len(unknown))))
    for at, more in zip(unknown, shares, strict=True):
        sizes[at] += int(more)
    return sizes


def _filled(sizes: Sequence[int], random: np.random.Generator, tried: int) -> list[list[int]]:
    """A matrix of these sizes: thin or full, mostly right."""
    rows = []
    for place, size in enumerate(sizes):
        shares = random.dirichlet(np.ones(len(sizes)) * (0.2 if tried % 2 else 1.0))
        shares[place] += random.random() * 2
        rows.append([int(v) for v in random.multinomial(size, shares / shares.sum())])
    return rows
