"""Compare models over a range of prevalences or of costs, where neither is known exactly.

The class rates of the models are simulated together, as in every comparison, and each simulated pair of
matrices is evaluated at every point of the range. The band of a difference is simultaneous: it covers the
difference at all points and for all pairs at once, so that "better everywhere" is one statement with one
probability of error. A cost is linear in a ratio of two costs, so models change places at most once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label, meant
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.measures.costs import Costs, costs_of_two
from steelyard.measures.measure import Measure
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, derived, in_json
from steelyard.scores.fields import NUMBER, TEXT, MeasureName, Numbers, many
from steelyard.uncertainty.resampling import Simulation, blocks

# Points of a range of prevalences, evenly on a logarithmic scale.
PREVALENCES = 41
# Points of a range of costs.
COSTS = 121
# Without a range, the ratio of two costs is varied by this factor up and down.
REACH = 1000.0
# Every draw is evaluated at every point of the range, so fewer draws than at one point have to do.
MOST_DRAWS = 2_000


@dataclass(frozen=True)
class PairAlong(Record):
    """The difference of two models at each point of a range: how much better, or cheaper, the first is."""

    first: str
    second: str
    difference: Numbers
    low: Annotated[Array, Json("simultaneous_low", schema=many(NUMBER))]
    high: Annotated[Array, Json("simultaneous_high", schema=many(NUMBER))]
    probability_better: Numbers
    """That the first is better, at each point."""
    flips: tuple[float, ...]
    """Where the better model changes."""
    at: Annotated[Array, HIDDEN]

    @property
    @in_json()
    def dominates(self) -> str | None:
        """The model that is better at every point, by the simultaneous band."""
        if (self.low > 0).all():
            return self.first
        return self.second if (self.high < 0).all() else None

    first_better = derived(list[tuple[float, float]], lambda self: self.ranges(self.first))
    second_better = derived(list[tuple[float, float]], lambda self: self.ranges(self.second))

    def starting_with(self, model: str) -> Self:
        """The same pair with this model first."""
        if model == self.first:
            return self
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
            probability_better=1 - self.probability_better,
        )

    def ranges(self, model: str) -> list[tuple[float, float]]:
        """Where the band shows this model to be the better one."""
        significant = self.low > 0 if model == self.first else self.high < 0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], significant, [False]]).astype(int)))
        return [
            (float(self.at[start]), float(self.at[stop - 1]))
            for start, stop in zip(edges[::2], edges[1::2], strict=True)
        ]


@dataclass(frozen=True)
class PriorsRange(Record):
    """Every pair of models over a range of prevalences of one class."""

    label: AnyLabel
    shares: Numbers
    measure: MeasureName
    level: float
    depends: bool
    """Does the metric depend on prevalence at all?"""
    pairs: tuple[PairAlong, ...]


@dataclass(frozen=True)
class CostRange(Record):
    """Every pair of models over a range of costs."""

    of_ratio: Annotated[bool, HIDDEN]
    """Is the ratio of the two errors of two classes varied, or the costs that were given as a range?"""
    positive: AnyLabel | None
    at: Numbers
    """The ratio of a miss to a false alarm, or the position in the range (0 to 1)."""
    said: float | None
    """The ratio that was given."""
    costs: Annotated[Costs, Json(write=lambda costs: costs.words, schema=TEXT)]
    level: float
    pairs: tuple[PairAlong, ...]

    @property
    @in_json()
    def varied(self) -> str:
        return "ratio of a miss to a false alarm" if self.of_ratio else "part of the range"


def compare_over_shares(
    joint: JointCounts, measure: Measure, ranges: Mapping[Any, tuple[float, float]], how: Simulation
) -> PriorsRange:
    """Compare models at every prevalence of one class from `low` to `high`; the other classes keep their
    proportions."""
    label, low, high = _checked(joint, ranges)
    shares = np.geomspace(low, high, PREVALENCES)
    place = joint.labels.index(label)
    sign = -1.0 if measure.better == "lower" else 1.0
    others = joint.actual.astype(np.float64)
    others[place] = 0
    others /= others.sum()

    def at(rates: Array, share: float) -> Array:
        """The metric at this prevalence for class rates (..., C, C)."""
        priors = others * (1 - share)
        priors[place] = share
        matrices = Confusion(rates * priors[:, None], joint.labels)
        return np.asarray(measure(matrices, positive=how.positive))

    values = np.empty((PREVALENCES, len(joint.models), how.draws))
    for where, matrices in blocks(joint, replace(how, design="fixed")):
        rates = matrices / matrices.sum(axis=-1, keepdims=True)
        for k, share in enumerate(shares):
            values[k][:, where] = at(rates, share)
    observed = joint.seen / joint.actual[:, None]
    here = np.array([at(observed, share) for share in shares])
    if np.isnan(values).any() or np.isnan(here).any():
        raise InputError(
            f"{measure.name} is undefined at some prevalence of {str(label)!r}",
            do=f"choose another metric with {parameter('by', '...')}",
        )
    pairs = _pairs_along(joint.models, sign * here, sign * values, how.level, shares, True)
    return PriorsRange(label, shares, measure, how.level, bool(np.ptp(here, axis=0).max() > 1e-12), pairs)


def compare_over_costs(joint: JointCounts, costs: Costs, how: Simulation) -> CostRange | None:
    """Compare models at every ratio of the costs of two errors, or over the range that was given; None where
    many classes have no range, or one of two errors costs nothing."""
    current_ratio, positive = None, how.positive
    if costs.most is None:
        if joint.n_classes != 2 or positive is None:
            return None
        miss, alarm = costs_of_two(costs, positive)
        if not (miss > 0 and alarm > 0):
            return None
        current_ratio = miss / alarm
        at = np.geomspace(current_ratio / REACH, current_ratio * REACH, COSTS)
        place = [str(label) for label in costs.labels].index(str(positive))
        tables = np.zeros((COSTS, 2, 2))
        tables[:, place, 1 - place], tables[:, 1 - place, place] = at * alarm, alarm
    else:
        at = np.linspace(0, 1, COSTS)
        tables = np.stack([costs.at(float(position)).fixed for position in at])
    values = np.empty((COSTS, len(joint.models), how.draws))
    # As for every cost, see `resampling`.
    of_costs = replace(how, prior="observed") if how.prior == "shared" else how
    for where, matrices in blocks(joint, of_costs):
        values[:, :, where] = _cost(tables, matrices)
    here = _cost(tables, joint.seen[:, None].astype(np.float64))[..., 0]
    # The difference is linear in a ratio of costs, so the crossing by interpolation is exact.
    pairs = _pairs_along(joint.models, -here, -values, how.level, at)
    return CostRange(costs.most is None, positive, at, current_ratio, costs, how.level, pairs)


def _pairs_along(
    models: Sequence[str], here: Array, values: Array, level: float, at: Array, logarithmic: bool = False
) -> tuple[PairAlong, ...]:
    """Every two models along a range: observed (points, M) and simulated (points, M, draws), higher being
    better; the bands hold at all points and for all pairs at once."""
    names = list(itertools.combinations(range(len(models)), 2))
    drawn = np.stack([values[:, a] - values[:, b] for a, b in names])
    seen = np.stack([here[:, a] - here[:, b] for a, b in names])
    # Sup-t band (Montiel Olea and Plagborg-Moller 2019): a quantile of the largest standardised deviation of
    # a draw over all points and pairs, so that one multiple of the standard deviation holds everywhere.
    middle, spread = drawn.mean(axis=-1), drawn.std(axis=-1)
    centred = drawn - middle[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        farthest = np.nan_to_num(np.abs(centred) / spread[..., None]).max(axis=(0, 1))
    reach = float(np.quantile(farthest, level)) * spread
    # Equal draws count half for each model, as in P(better) of a comparison.
    better = (drawn > 0).mean(axis=-1) + 0.5 * (drawn == 0).mean(axis=-1)
    low, high = middle - reach, middle + reach
    flips = [crossings(at, difference, logarithmic) for difference in seen]
    return tuple(
        PairAlong(models[a], models[b], seen[k], low[k], high[k], better[k], flips[k], at)
        for k, (a, b) in enumerate(names)
    )


def _checked(joint: JointCounts, ranges: Mapping[Any, tuple[float, float]]) -> tuple[Label, float, float]:
    if not isinstance(ranges, Mapping):
        raise InputError(
            "the range of priors is not understood",
            found=repr(ranges),
            allowed='a class and the two ends of its share, as in {"fraud": (0.0005, 0.01)}',
        )
    if len(ranges) != 1:
        raise InputError(
            "one class has a range of prevalences",
            found=f"{len(ranges)} classes",
            allowed="one, as in fraud=0.001..0.01",
        )
    ((name, (low, high)),) = ranges.items()
    (label,) = meant([name], joint.labels)
    if label is None:
        raise UnknownNameError("class", name, map(str, joint.labels))
    if not 0 < low < high < 1:
        raise InputError(
            "the range of prevalences is not usable",
            found=f"{low:g}..{high:g}",
            allowed="two rising numbers above 0 and below 1",
        )
    empty = [str(each) for each, n in zip(joint.labels, joint.actual.tolist(), strict=True) if not n]
    if empty:
        raise InputError(
            "the rates of a class without examples are not known",
            found=", ".join(empty[:5]),
            allowed="examples of every class",
        )
    return label, low, high


def _cost(tables: Array, matrices: Array) -> Array:
    """The cost of a row at every table, (points, M, draws), on matrices (M, draws, C, C)."""
    flat = matrices.reshape(*matrices.shape[:2], -1)
    whole = flat.sum(axis=-1)
    return np.asarray(np.einsum("gc,mdc->gmd", tables.reshape(len(tables), -1), flat) / whole)


def crossings(at: Array, difference: Array, logarithmic: bool) -> tuple[float, ...]:
    """Where values change their sign, by linear interpolation between neighbours; 0 has none."""
    known, points = np.flatnonzero(difference), []
    at = np.log(at) if logarithmic else at
    for k, n in zip(known[:-1].tolist(), known[1:].tolist(), strict=True):
        if difference[k] * difference[n] < 0:
            fraction = difference[k] / (difference[k] - difference[n])
            point = float(at[k] + fraction * (at[n] - at[k]))
            points.append(math.exp(point) if logarithmic else point)
    return tuple(points)
