"""Sample size of a test set: the smallest one whose confidence interval is narrow enough.

A matrix with the expected class rates is enlarged until the interval is as narrow as asked for. The rates
come from a pilot; without one every class has the same recall and errors spread evenly over the other
classes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError, parameter
from steelyard.judgement.plan.options import Options
from steelyard.judgement.plan.result import Design, Plan
from steelyard.judgement.waiting import interval_seconds, warn_of_waiting
from steelyard.measures.catalogue import measure as find_measure
from steelyard.parameters import public_function
from steelyard.reading.counting import count
from steelyard.uncertainty.intervals import interval
from steelyard.uncertainty.resampling import draws_in_use

MOST_EXAMPLES = 10**9
"""More than this is no plan."""
_TRIED = 15
"""About how many test sets are tried until one is just large enough."""


@public_function(Options)
def plan(options: Options) -> Plan:
    """Plan the size of a test set: how many examples of each class a confidence interval of this width needs.

    `pilot` is a predictions file, a Confusion or a matrix whose class rates (and class distribution) are
    expected again. Without one every one of `classes` has the recall `rate`, and classes are equally
    frequent unless `shares` says otherwise.

    >>> import steelyard as sy
    >>> design = sy.plan("recall", 0.1, rate=0.9).designs[0]
    >>> 100 < design.examples["positive"] < 200
    True
    """
    chosen, width = find_measure(options.measure), options.width
    if chosen.kind == "scores":
        raise InputError(
            "a plan is made for a metric of labels", found=chosen.name, do="choose another metric"
        )
    if not 0 < width < math.inf:
        raise InputError(
            "the width must be a number > 0",
            found=repr(width),
            allowed="a number such as 0.05",
            parameter="width",
        )
    rates, own, labels, assumed = _expected(_pilot(options), options)
    positive = options.positive
    # The positive class is chosen once: with equal numbers no class is the rarer one.
    if chosen.kind == "two-class" and len(own) == 2:
        positive = Confusion(_whole(rates * (own * 10_000)[:, None]), labels).positive_class(positive).label
    equal = np.full(len(own), 1 / len(own))
    wanted = [("equal class sizes", equal)]
    if not np.allclose(own, equal):
        wanted.append(("expected class distribution", own))

    draws = draws_in_use(options.draws, len(own))
    warn_of_waiting(
        interval_seconds(len(own), draws, 1) * _TRIED * len(wanted),
        f"planning for {len(own):,} classes",
        "fewer classes take less, and so do fewer draws",
    )

    def tried(size: float, weights: Any) -> tuple[Confusion, float, float, float]:
        counts = _whole(rates * np.maximum(weights * size, 1.0)[:, None])
        matrix = Confusion(counts, labels)
        found = interval(
            matrix, [chosen], level=options.level, draws=draws, seed=options.seed, positive=positive
        )
        (one,) = found.values()
        if math.isnan(one.low):
            raise InputError(f"{chosen.name} has no interval here", found=one.note or "an undefined value")
        return matrix, one.estimate, one.low, one.high

    designs = tuple(
        Design(name, *_smallest(lambda n, w=weights: tried(n, w), width, len(own)))
        for name, weights in wanted
    )
    return Plan(chosen, width, options.level, assumed, designs)


def _pilot(options: Options) -> Any:
    """The matrix of the pilot; None without one."""
    if options.pilot is not None and options.matrix is not None:
        do = f"give a file, or {parameter('matrix')}"
        raise InputError("one pilot at a time", found="a file and a matrix", do=do)
    given = options.pilot if options.matrix is None else options.matrix
    if given is None:
        return None
    for name in ("classes", "rate"):
        if getattr(options, name) is not None:
            raise InputError(
                "the pilot says the recall of each class",
                found=f"{parameter(name)} beside it",
                do=f"leave out {parameter(name)}, or the pilot",
            )
    if isinstance(given, (str, Path)):
        return count(given, truth=options.truth, pred=options.pred, labels=options.labels).confusion()
    return given if isinstance(given, Confusion) else Confusion(given, options.labels)


def _expected(pilot: Any, options: Options) -> tuple[Any, Any, tuple[Label, ...], str]:
    """The class rates, the class distribution and the labels that are expected, and what was assumed in
    words."""
    if pilot is not None:
        actual = pilot.actual.astype(float)
        if not actual.all():
            absent = pilot.labels[int(np.argmin(actual))]
            raise InputError("the pilot has no examples of a class", found=f"class {absent!r}")
        own = actual / actual.sum() if options.shares is None else _shares(options.shares, len(actual))
        return pilot.counts / actual[:, None], own, pilot.labels, "the class rates of the pilot"
    classes = 2 if options.classes is None else options.classes
    rate = 0.8 if options.rate is None else options.rate
    if classes < 2:
        raise InputError("a classifier has at least two classes", found=repr(classes), parameter="classes")
    if not 0 <= rate <= 1:
        raise InputError("a rate lies between 0 and 1", found=repr(rate), parameter="rate")
    rates = np.full((classes, classes), (1 - rate) / (classes - 1))
    np.fill_diagonal(rates, rate)
    own = np.full(classes, 1 / classes) if options.shares is None else _shares(options.shares, classes)
    labels = ("positive", "negative") if classes == 2 else tuple(f"c{i}" for i in range(1, classes + 1))
    return rates, own, labels, f"every class has a recall of {rate * 100:g}%; a pilot would say it better"


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
    """Bisection for the smallest test set whose interval is narrow enough: from ten of each class on,
    enlarged until it is or halved while it is, then bisected."""
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
