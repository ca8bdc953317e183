"""Sample size of a test set: the smallest one whose confidence interval is narrow enough."""

# A matrix with the expected class rates is enlarged until the interval is as narrow as asked for. The rates
# come from a pilot; without one every class has the same recall and errors spread evenly over the other
# classes.

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import metric_of_class
from steelyard.judgement.plan.options import Options
from steelyard.judgement.plan.result import EQUAL, Design, Plan, PowerPlan
from steelyard.judgement.waiting import interval_seconds, warn_of_waiting
from steelyard.measures.catalogue import measure as find_measure
from steelyard.measures.measure import Measure
from steelyard.parameters import public_function
from steelyard.reading.counting import count
from steelyard.uncertainty.differences import improved_rates, quantiles, standard_error_of_row
from steelyard.uncertainty.intervals import interval
from steelyard.uncertainty.resampling import draws_in_use

# More than this is no plan.
MOST_EXAMPLES = 10**9
# Classes up to which the assurance is planned for.
MOST_CLASSES = 20
# About how many test sets are tried until one is just large enough.
_TRIED = 15


@public_function(Options)
def plan(options: Options) -> Plan | PowerPlan:
    """Plan the size of a test set: how many examples of each class a confidence interval of this width needs,
    or how many rows (data sets) it takes to detect a difference between two models.

    `pilot` is a predictions file, a Confusion or a matrix whose class rates (and class distribution) are
    expected again. Without one every one of `classes` has the recall `rate`, and classes are equally
    frequent unless `shares` says otherwise.

    >>> import steelyard as sy
    >>> design = sy.plan("recall", 0.1, rate=0.9).designs[0]
    >>> 100 < design.examples["positive"] < 200
    True
    """
    name, positive = metric_of_class(options.measure, options.positive)
    options = replace(options, positive=positive)
    chosen, width = find_measure(name), options.width
    if chosen.kind == "scores":
        what, do = "a plan is made for a metric of labels", "choose another metric"
        raise InputError(what, found=chosen.name, do=do)
    if width is None and options.difference is None and options.rows is None:
        raise InputError(
            "nothing is asked of the test set",
            found=f"neither {parameter('width')} nor {parameter('difference')} nor {parameter('rows')}",
            do=f"say {parameter('width', 0.05)}, or {parameter('difference', 0.02)} to compare two models",
        )
    rates, shares, labels, assumed = _expected(options)
    positive, prevalence = options.positive, options.prevalence
    # The positive class is chosen once: with equal numbers no class is the rarer one.
    if chosen.kind == "two-class" and len(shares) == 2:
        counts = _whole(rates * (shares * 10_000)[:, None])
        positive = Confusion(counts, labels).positive_class(positive).label
    if prevalence is not None:
        if len(labels) != 2:
            raise InputError(
                "a prevalence is that of two classes",
                found=f"{len(labels)} classes",
                do=f"leave out {parameter('prevalence')}, or give {parameter('shares')} of all classes",
                parameter="prevalence",
            )
        first = positive is None or labels.index(positive) == 0
        shares = np.array([prevalence, 1 - prevalence] if first else [1 - prevalence, prevalence])
    if width is None:
        return _power(chosen, options, rates, shares, labels, positive, assumed)
    equal = np.full(len(shares), 1 / len(shares))
    wanted = [(EQUAL, equal)]
    if not np.allclose(shares, equal):
        wanted.append(("expected class distribution", shares))

    draws = draws_in_use(options.draws, len(shares))
    seconds = interval_seconds(len(shares), draws, 1) * _TRIED * len(wanted)
    less = "fewer classes take less, and so do fewer draws"
    warn_of_waiting(seconds, f"planning for {len(shares):,} classes", less)

    def tried(name: str, weights: Any, size: float, times: int = 1) -> Design:
        matrix = Confusion(_whole(rates * np.maximum(weights * size, 1.0)[:, None]), labels)
        how: dict[str, Any] = {"level": options.level, "seed": options.seed, "positive": positive}
        (estimate,) = interval(matrix, [chosen], draws=times * draws, **how).values()
        if math.isnan(estimate.low):
            reason = estimate.note or "an undefined value"
            raise InputError(f"{chosen.name} has no interval here", found=reason)
        # Whole rows have slightly other rates than those that are expected.
        expected = float(chosen(Confusion(rates * weights[:, None], labels), positive=positive))
        return Design(name, matrix, expected, estimate.low, estimate.high)

    # Beyond this many classes the derivatives cost more than they tell: widths hardly vary there.
    assurance = options.assurance if len(shares) <= MOST_CLASSES else min(0.5, options.assurance)
    designs = []
    for name, weights in wanted:
        design = _smallest(partial(tried, name, weights), width, len(shares))
        if assurance > 0.5:
            # The interval of the expected matrix is narrow enough in about half of the samples. The second
            # time the multiple of the standard error is that of nearly the planned size. An error of 1% in
            # the width is one of 2% in the size, hence more draws: they err by a third of that.
            for _ in range(2):
                size = assured_size(chosen, design, weights, rates, positive, options)
                design = tried(name, weights, size, 8)
        designs.append(design)
    return Plan(chosen, width, options.level, assurance, assumed, tuple(designs))


def _power(
    chosen: Measure,
    options: Options,
    rates: Any,
    shares: Any,
    labels: tuple[Label, ...],
    positive: Label | None,
    assumed: str,
) -> PowerPlan:
    """Rows, and data sets, that detect a difference; or the smallest difference that some rows can show."""
    planned = options.between is not None or (options.between_seeds is not None and options.seeds is None)
    if not planned and None not in (options.rows, options.difference):
        raise InputError(
            "rows are planned for a difference, or a difference for rows",
            found=f"{parameter('rows')} and {parameter('difference')}",
            do=f"leave out one of them, or plan data sets with {parameter('between', 0.03)} or seeds with"
            f" {parameter('between_seeds', 0.01)}",
        )

    def value(improvement: float) -> float:
        matrix = Confusion(improved_rates(rates, improvement) * (shares * 1e6)[:, None], labels)
        return float(chosen(matrix, positive=positive))

    from scipy.optimize import brentq

    worse, most = value(0.0), abs(value(1.0) - value(0.0))
    z = quantiles(options.level, options.power)

    def error_of(difference: float) -> float:
        """Standard error of one row, of models that differ by this."""
        if not 0 < difference < most:
            raise InputError(
                f"a model cannot be better by {difference:.3g} here",
                found=f"{chosen.name} {worse:.3f}, which can improve by {most:.3g}",
                do="ask for a smaller difference, or expect a lower rate",
                parameter="difference",
            )
        improvement = float(brentq(lambda x: abs(value(x) - worse) - difference, 0.0, 1.0))
        return standard_error_of_row(chosen, rates, improvement, shares, options.agreement, positive, labels)

    # Kish's design effect: by how much correlated rows of a cluster enlarge a variance.
    effect = 1 + (options.cluster_size - 1) * options.intraclass
    rows, datasets, difference, seeds = options.rows, None, options.difference, options.seeds
    # Variances of the difference: between data sets, of the mean over seeds, and of the rows, which all seeds
    # share. Together they must not exceed (difference / z)^2.
    of_seeds = (options.between_seeds or 0.0) ** 2

    def of_rows(difference: float, rows: int) -> float:
        return effect * error_of(difference) ** 2 / rows

    if difference is None:
        assert rows is not None
        difference = 0.1 * most
        for _ in range(8):  # the standard error depends little on the difference: this converges quickly
            variance = of_rows(difference, rows) + of_seeds / (seeds or 1)
            difference = min(z * math.sqrt(variance), 0.999 * most)
    elif options.between is not None:
        variance = options.between**2 + of_seeds / (seeds or 1)
        variance += 0.0 if rows is None else of_rows(difference, rows)
        datasets = math.ceil((z / difference) ** 2 * variance)
    elif rows is not None:
        rest = _rest((difference / z) ** 2, of_rows(difference, rows), f"{rows:,} rows", "seeds")
        seeds = max(1, math.ceil(of_seeds / rest))
    else:
        fixed = of_seeds / (seeds or 1)
        rest = _rest((difference / z) ** 2, fixed, f"{seeds or 1} seeds", "rows")
        rows = max(1, math.ceil(of_rows(difference, 1) / rest))
    clusters = None
    if options.cluster_size > 1 and rows is not None:
        clusters = math.ceil(rows / options.cluster_size)
        rows = rows if options.rows else clusters * options.cluster_size
    counts = None
    if rows is not None:
        counts = dict(zip(map(str, labels), largest_remainder(shares * rows, rows).tolist(), strict=True))
    same: dict[str, Any] = {name: getattr(options, name) for name in ("power", "level", "agreement")}
    same |= {"rows": rows, "of_class": counts, "datasets": datasets, "seeds": seeds, "clusters": clusters}
    smallest = options.difference is None
    return PowerPlan(chosen, difference, assumed=assumed, expected=worse, smallest=smallest, **same)


def _rest(wanted: float, variance: float, source: str, planned: str) -> float:
    """What is left of the variance that the difference allows."""
    if variance >= wanted:
        raise InputError(
            f"no number of {planned} detects this difference",
            found=f"a standard error of {math.sqrt(variance):.3g} from {source} alone",
            allowed=f"less than {math.sqrt(wanted):.3g}",
            do=f"plan more {'rows' if planned == 'seeds' else 'seeds'}, or ask for a larger difference",
        )
    return wanted - variance


def _expected(options: Options) -> tuple[Any, Any, tuple[Label, ...], str]:
    """The class rates, the class distribution and the labels that are expected; and what was assumed."""
    pilot = options.pilot if options.matrix is None else options.matrix
    if pilot is not None:
        if isinstance(pilot, (str, Path)):
            pilot = count(pilot, truth=options.truth, pred=options.pred, labels=options.labels).confusion()
        matrix = pilot if isinstance(pilot, Confusion) else Confusion(pilot, options.labels)
        shares, labels = matrix.actual.astype(float), matrix.labels
        assumed = "the class rates (recall, and which classes are confused) are those of the pilot"
        if not shares.all():
            absent = labels[int(np.argmin(shares))]
            raise InputError("the pilot has no examples of a class", found=f"class {absent!r}")
        rates = matrix.counts / shares[:, None]
    else:
        classes = 2 if options.classes is None else options.classes
        rate = 0.8 if options.rate is None else options.rate
        rates = np.full((classes, classes), (1 - rate) / (classes - 1))
        np.fill_diagonal(rates, rate)
        shares = np.ones(classes)
        labels = ("positive", "negative") if classes == 2 else tuple(f"c{i}" for i in range(1, classes + 1))
        assumed = (
            f"every class has a recall of {rate * 100:g}% (--rate; a predictions file gives your own rates)"
        )
    if options.shares is not None:
        expected_shape = shares.shape
        shares = np.asarray(options.shares, dtype=float)
        if shares.shape != expected_shape or not (shares > 0).all():
            what, allowed = "shares are numbers > 0, one for each class", f"{expected_shape[0]} numbers"
            raise InputError(what, found=repr(options.shares), allowed=allowed)
    return rates, shares / shares.sum(), labels, assumed


def _whole(counts: Any) -> Any:
    """Whole numbers with nearly the same rates."""
    # Of two classes, what rounding leaves over goes to the larger remainder of the row. Of more, an error is
    # spread so thin that every remainder is smaller than that of the hits, and rows would turn out without
    # errors: what rounding takes from the hits of one class is given to the next, and errors go round.
    sizes = np.array([round(n) for n in counts.sum(axis=1).tolist()])
    if len(counts) == 2:
        return np.array([largest_remainder(row, int(n)) for row, n in zip(counts, sizes, strict=True)])
    rates = counts / counts.sum(axis=1, keepdims=True)
    hits = np.diff(np.round(np.cumsum(np.diagonal(rates) * sizes)), prepend=0)
    whole = np.zeros(counts.shape, dtype=np.int64)
    for k, (row, n, correct) in enumerate(zip(rates, sizes.tolist(), hits.tolist(), strict=True)):
        errors = np.roll(row, -k - 1)[:-1]
        missed = n - min(int(correct), n) if errors.any() else 0
        spread = largest_remainder(errors * (missed / (errors.sum() or 1)), missed)
        whole[k] = np.roll(np.append(spread, n - missed), k + 1)
    return whole


def largest_remainder(row: Any, total: int) -> Any:
    """Whole numbers that add up to the total; the largest remainders are rounded up, the first of equals."""
    low = np.floor(row)
    low[np.argsort(low - row, kind="stable")[: max(total - int(low.sum()), 0)]] += 1
    return low.astype(np.int64)


def _smallest(tried: Callable[[float], Design], width: float, classes: int) -> Design:
    """Bisection for the smallest test set whose interval is narrow enough."""
    # From ten of each class on, enlarged until it is or halved while it is, then bisected.
    size = 10.0 * classes
    trial = tried(size)
    while trial.high - trial.low > width:
        # The width falls with the square root of the examples, so one step comes near; never less than a
        # tenth more.
        size *= max(((trial.high - trial.low) / width) ** 2, 1.1)
        if size > MOST_EXAMPLES:
            what, more = "no test set of a reasonable size is large enough", f"more than {MOST_EXAMPLES:,}"
            raise InputError(what, found=f"{more} examples", do="ask for a wider interval")
        trial = tried(size)
    short, enough = size / 2, size
    while short >= classes and (attempt := tried(short)).high - attempt.low <= width:
        enough, trial, short = short, attempt, short / 2
    while enough - short > max(1.0, enough / 200):
        middle = (short + enough) / 2
        attempt = tried(middle)
        if attempt.high - attempt.low <= width:
            enough, trial = middle, attempt
        else:
            short = middle
    return trial


# Test sets of the planned size whose widths give the assurance, and the cells of their derivatives.
MOST_SIMULATED, FEWEST_SIMULATED, _CELLS_SIMULATED = 4000, 60, 10_000_000


def assured_size(
    chosen: Measure, design: Design, weights: Any, rates: Any, positive: Label | None, options: Options
) -> float:
    """The size whose simulated test sets have narrow enough intervals as often as the assurance says."""
    # The width of an interval is taken for a multiple of the standard error; the multiple is that of the
    # expected matrix, whose interval is known.
    classes, expected = len(rates), design.matrix
    number = int(min(MOST_SIMULATED, max(FEWEST_SIMULATED, _CELLS_SIMULATED // classes**4)))
    of_expected = float(_standard_errors(chosen, expected.counts[None], expected.labels, positive)[0])
    multiple = (design.high - design.low) / of_expected if of_expected > 0 else math.nan
    if not 0 < multiple < math.inf:
        return float(expected.total)
    equal = np.allclose(weights, 1 / classes)

    def narrow_enough(size: int) -> bool:
        random = np.random.default_rng(options.seed)
        # Equal class sizes are chosen, not drawn.
        sizes = np.full((number, classes), round(size / classes))
        if not equal:
            sizes = random.multinomial(size, weights, size=number)
        counts = np.stack([random.multinomial(sizes[:, k], rates[k]) for k in range(classes)], axis=1)
        errors = _standard_errors(chosen, counts, expected.labels, positive)
        known = errors[~np.isnan(errors)]
        return bool(np.mean(known * multiple <= options.width) >= options.assurance) if len(known) else True

    short, enough = int(expected.total) // 2, int(expected.total)
    while not narrow_enough(enough):
        short, enough = enough, math.ceil(enough * 1.25)
    while enough - short > max(1, enough // 200):
        middle = (short + enough) // 2
        short, enough = (short, middle) if narrow_enough(middle) else (middle, enough)
    return float(enough)


def _standard_errors(chosen: Measure, counts: Any, labels: tuple[Label, ...], positive: Label | None) -> Any:
    """Delta method: standard errors (S,) of a metric of multinomial counts (S, C, C)."""
    # From numerical derivatives. One example is added to each class: with no error seen the standard error
    # would be 0, the interval is not.
    sets, classes = counts.shape[:2]
    counts = counts + 1 / classes
    totals = counts.sum(axis=(1, 2))
    # One more row in each cell at a time: C^2 matrices of every set in one batch give all derivatives.
    steps = totals * 1e-6
    moved = np.repeat(counts[:, None], classes**2, axis=1).reshape(sets, classes**2, -1)
    moved[:, np.arange(classes**2), np.arange(classes**2)] += steps[:, None]
    here = np.asarray(chosen(Confusion(counts, labels), positive=positive))
    there = np.asarray(chosen(Confusion(moved.reshape(-1, classes, classes), labels), positive=positive))
    slopes = (there.reshape(sets, -1) - here[:, None]) / steps[:, None] * totals[:, None]
    shares = counts.reshape(sets, -1) / totals[:, None]
    # The variance of the slope at a random row: that of multinomial shares, to first order.
    variance = np.nansum(shares * slopes**2, axis=1) - np.nansum(shares * slopes, axis=1) ** 2
    return np.where(np.isnan(here), np.nan, np.sqrt(np.maximum(variance, 0.0) / totals))
