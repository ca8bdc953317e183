"""How many examples of each class does a test set need, so that a measure is known this exactly?

A matrix with the expected class rates is made as large as it has to be for the interval to be narrow enough.
The rates come from a pilot, or every class is taken to be told right equally often, its errors spread evenly
over the other classes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none
from steelyard.errors import InputError
from steelyard.judgement.waiting import interval_seconds, warn_of_waiting
from steelyard.measures.catalogue import measure as find_measure
from steelyard.measures.measure import Measure
from steelyard.measures.short_names import short_name
from steelyard.report.presented import Presented
from steelyard.report.sections import Block, Report, Section, Sentence, Table, number_columns, words_column
from steelyard.uncertainty.intervals import interval
from steelyard.uncertainty.resampling import draws_in_use

SCHEMA = "steelyard/plan/1"
MOST_EXAMPLES = 10**9
"""More than this is no plan."""
MOST_COLUMNS = 6
"""Classes that a table has a column for each of."""
_TRIED = 15
"""About how many test sets are tried until one is just large enough."""


@dataclass(frozen=True)
class Design:
    """A test set that is large enough: its matrix as expected, and the interval the measure would get."""

    name: str
    matrix: Confusion
    value: float
    low: float
    high: float

    @property
    def examples(self) -> dict[Label, int]:
        """Examples of each class."""
        return dict(zip(self.matrix.labels, (int(n) for n in self.matrix.actual), strict=True))

    def of_classes(self, ends_only: bool) -> Sequence[int]:
        """The examples of each class, or the fewest and the most of one."""
        each = tuple(self.examples.values())
        return (min(each), max(each)) if ends_only else each

    def to_dict(self) -> dict[str, Any]:
        return {
            "design": self.name,
            "examples": int(self.matrix.total),
            "of_class": {str(label): n for label, n in self.examples.items()},
            "expected": number_or_none(self.value),
            "low": number_or_none(self.low),
            "high": number_or_none(self.high),
        }


@dataclass(frozen=True, repr=False)
class Plan(Presented):
    """How large a test set has to be."""

    measure: Measure
    width: float
    level: float
    assumed: str
    designs: tuple[Design, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "schema": SCHEMA,
            "measure": self.measure.name,
            "width": self.width,
            "level": self.level,
            "assumed": self.assumed,
            "designs": self.table(),
        }

    def table(self) -> list[dict[str, Any]]:
        return [design.to_dict() for design in self.designs]

    def report(self) -> Report:
        labels = [str(label) for label in self.designs[0].matrix.labels]
        many = len(labels) > MOST_COLUMNS
        rows = tuple(
            (
                design.name,
                f"{int(design.matrix.total):,}",
                *(f"{n:,}" for n in design.of_classes(many)),
                f"{design.value:.3f}",
                f"{design.low:.3f} to {design.high:.3f}",
            )
            for design in self.designs
        )
        columns = (
            words_column("classes"),
            *number_columns(
                "examples",
                *(("fewest of a class", "most of a class") if many else [f"of {label}" for label in labels]),
                "expected",
            ),
            words_column(f"{self.level * 100:g} % interval"),
        )
        blocks: tuple[Block, ...] = (
            Sentence(f"Assumed: {self.assumed}.", "soft"),
            Table(columns, rows, identity="designs"),
        )
        title = f"A test set for {short_name(self.measure)} with an interval at most {self.width:g} wide"
        return Report(title, (Section("", blocks, "brief"),))


def plan(
    measure: str | Measure,
    width: float,
    *,
    pilot: Any = None,
    classes: int = 2,
    rate: float = 0.8,
    shares: Sequence[float] | None = None,
    positive: Label | None = None,
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
) -> Plan:
    """How many examples of each class are needed for an interval of `measure` that is at most `width` wide?

    `pilot` is a Confusion or a matrix whose class rates (and shares) are expected again. Without one every
    one of `classes` is taken to be told right at `rate`, and classes have equal shares unless `shares` says
    otherwise.

    >>> import steelyard as sy
    >>> design = sy.plan("recall", 0.1, rate=0.9).designs[0]
    >>> 100 < design.examples["positive"] < 200
    True
    """
    chosen = find_measure(measure)
    if chosen.kind == "scores":
        raise InputError(
            "a plan is made for a measure of labels", found=chosen.name, do="choose another measure"
        )
    if not isinstance(width, Real) or not 0 < width < math.inf:
        raise InputError("the width must be a number > 0", found=repr(width), allowed="a number such as 0.05")
    rates, own, labels, assumed = _expected(pilot, classes, rate, shares)
    if (
        chosen.kind == "two-class" and len(own) == 2
    ):  # chosen once: with equal numbers no class is the rarer one
        positive = Confusion(_whole(rates * (own * 10_000)[:, None]), labels).positive_class(positive).label
    equal = np.full(len(own), 1 / len(own))
    wanted = [("equal numbers", equal)]
    if not np.allclose(own, equal):
        wanted.append(("shares as expected", own))

    draws = draws_in_use(draws, len(own))
    warn_of_waiting(
        interval_seconds(len(own), draws, 1) * _TRIED * len(wanted),
        f"planning for {len(own):,} classes",
        "fewer classes take less, and so do fewer draws",
    )

    def tried(size: float, weights: Any) -> tuple[Confusion, float, float, float]:
        counts = _whole(rates * np.maximum(weights * size, 1.0)[:, None])
        matrix = Confusion(counts, labels)
        found = interval(matrix, [chosen], level=level, draws=draws, seed=seed, positive=positive)
        (one,) = found.values()
        if math.isnan(one.low):
            raise InputError(f"{chosen.name} has no interval here", found=one.note or "an undefined value")
        return matrix, one.estimate, one.low, one.high

    designs = tuple(
        Design(name, *_smallest(lambda n, w=weights: tried(n, w), width, len(own)))
        for name, weights in wanted
    )
    return Plan(chosen, width, level, assumed, designs)


def _expected(
    pilot: Any, classes: int, rate: float, shares: Sequence[float] | None
) -> tuple[Any, Any, tuple[Label, ...], str]:
    """The class rates, the shares and the labels that are expected, and what was assumed in words."""
    if pilot is not None:
        matrix = pilot if isinstance(pilot, Confusion) else Confusion(pilot)
        actual = matrix.actual.astype(float)
        if not actual.all():
            raise InputError(
                "the pilot has no examples of a class", found=str(matrix.labels[int(np.argmin(actual))])
            )
        own = actual / actual.sum() if shares is None else _shares(shares, len(actual))
        return matrix.counts / actual[:, None], own, matrix.labels, "the class rates of the pilot"
    if classes < 2:
        raise InputError("a classifier tells at least two classes apart", found=repr(classes))
    if not 0 <= rate <= 1:
        raise InputError("a rate lies between 0 and 1", found=repr(rate))
    rates = np.full((classes, classes), (1 - rate) / (classes - 1))
    np.fill_diagonal(rates, rate)
    own = np.full(classes, 1 / classes) if shares is None else _shares(shares, classes)
    labels = ("positive", "negative") if classes == 2 else tuple(f"c{i}" for i in range(1, classes + 1))
    return (
        rates,
        own,
        labels,
        f"every class is told right {rate * 100:g} % of the time; a pilot would say it better",
    )


def _shares(shares: Sequence[float], classes: int) -> Any:
    given = np.asarray(shares, dtype=float)
    if given.shape != (classes,) or not (given > 0).all():
        raise InputError(
            "shares are numbers > 0, one for each class", found=repr(shares), allowed=f"{classes} numbers"
        )
    return given / given.sum()


def _whole(counts: Any) -> Any:
    """Whole numbers with nearly the same rates.

    Of two classes, what rounding leaves over goes to the larger remainder of the row. Of more, an error is
    spread so thin that every remainder is smaller than that of the hits, and rows would turn out without
    errors: what rounding takes from the hits of one class is given to the next, and errors go round.
    """
    sizes = np.array([round(n) for n in counts.sum(axis=1).tolist()])
    if len(counts) == 2:
        return np.array([_shared(row, int(n)) for row, n in zip(counts, sizes, strict=True)])
    rates = counts / counts.sum(axis=1, keepdims=True)
    hits = np.diff(np.round(np.cumsum(np.diagonal(rates) * sizes)), prepend=0)
    whole = np.zeros(counts.shape, dtype=np.int64)
    for k, (row, n, found) in enumerate(zip(rates, sizes.tolist(), hits.tolist(), strict=True)):
        errors = np.roll(row, -k - 1)[:-1]
        missed = n - min(int(found), n) if errors.any() else 0
        spread = _shared(errors * (missed / (errors.sum() or 1)), missed)
        whole[k] = np.roll(np.append(spread, n - missed), k + 1)
    return whole


def _shared(row: Any, total: int) -> Any:
    """Whole numbers that add up to the total; the largest remainders are rounded up, the first of equals."""
    low = np.floor(row)
    low[np.argsort(low - row, kind="stable")[: max(total - int(low.sum()), 0)]] += 1
    return low.astype(np.int64)


def _smallest(tried: Any, width: float, classes: int) -> tuple[Confusion, float, float, float]:
    """The smallest test set found whose interval is narrow enough: from ten of each class on, enlarged until
    it is or halved while it is, then halved in."""
    size = 10.0 * classes
    found = tried(size)
    while found[3] - found[2] > width:
        # The width falls with the square root of the examples, so one step comes near; never less than a
        # tenth more.
        size *= max(((found[3] - found[2]) / width) ** 2, 1.1)
        if size > MOST_EXAMPLES:
            raise InputError(
                "no test set of a reasonable size is large enough",
                found=f"more than {MOST_EXAMPLES:,} examples",
                do="ask for a wider interval",
            )
        found = tried(size)
    short, enough = size / 2, size
    while short >= classes and (attempt := tried(short))[3] - attempt[2] <= width:
        enough, found, short = short, attempt, short / 2
    while enough - short > max(1.0, enough / 200):
        middle = (short + enough) / 2
        attempt = tried(middle)
        if attempt[3] - attempt[2] <= width:
            enough, found = middle, attempt
        else:
            short = middle
    return found  # type: ignore[no-any-return]
