"""Which model's decisions cost less, when a column says what each row costs?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts.joint import JointCounts
from steelyard.judgement.compare.first_screen import probability
from steelyard.judgement.compare.priors_range import MOST_DRAWS
from steelyard.measures.costs import Costs
from steelyard.report.numbers import shown
from steelyard.report.sections import Section, Sentence, Table, number_columns, words_column
from steelyard.uncertainty.per_row_costs import class_amounts, costs_seen, drawn_row_costs, ends
from steelyard.uncertainty.resampling import draws_in_use

if TYPE_CHECKING:
    from steelyard.judgement.compare.settings import Settings
    from steelyard.reading.joint_counts import JointAmounts

FEW = 30
"""Rows on which two models part and whose cost stands in the column: with fewer the interval is rough."""


@dataclass(frozen=True)
class CostOfModel:
    """What a row costs with one model."""

    model: str
    cost: float
    low: float
    high: float


@dataclass(frozen=True)
class CostOfPair:
    """How much less a row costs with the first of two models."""

    first: str
    second: str
    saved_by_first: float
    low: float
    high: float
    probability_cheaper: float
    rows_apart: int
    """Rows of which the two models give different answers, and of which one costs what the column says."""


@dataclass(frozen=True)
class RowCostComparison:
    """Models by what their decisions cost, row by row."""

    costs: Costs
    average: Costs
    """The same at the mean amount of each true class: by this the models are ranked."""
    level: float
    rows: int
    models: tuple[CostOfModel, ...]
    pairs: tuple[CostOfPair, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "costs": self.costs.words,
            "column": self.costs.column,
            "at_mean_amounts": self.average.words,
            "level": self.level,
            "models": [vars(one) for one in self.models],
            "pairs": [vars(one) for one in self.pairs],
        }


def at_mean_amounts(joint: JointCounts, costs: Costs, amounts: JointAmounts) -> Costs:
    """Costs by class: the column stands for its mean in each true class."""
    means = class_amounts(joint, amounts.sums)
    return Costs(costs.labels, costs.fixed + costs.times * means[:, None], np.zeros_like(costs.times))


def compare_row_costs(
    joint: JointCounts, costs: Costs, amounts: JointAmounts, given: Settings
) -> RowCostComparison:
    """Every model and every pair of models, with intervals."""
    fixed, times = costs.of_cells(joint.labels), costs.of_cells(joint.labels, costs.times)
    drawn, centre = drawn_row_costs(
        joint,
        amounts.sums,
        amounts.squares,
        fixed,
        times,
        design=given.design,
        prior=given.prior,
        draws=min(MOST_DRAWS, draws_in_use(given.draws, joint.n_classes)),
        seed=given.seed,
    )
    here = costs_seen(joint, amounts.sums, fixed, times)
    models = [
        CostOfModel(name, float(here[m]), *ends(float(here[m]), drawn[m], float(centre[m]), given.level))
        for m, name in enumerate(joint.models)
    ]
    pairs = []
    for a, b in combinations(range(len(joint.models)), 2):
        saved, expected = drawn[b] - drawn[a], float(centre[b] - centre[a])
        first, second = joint.predictions[:, a], joint.predictions[:, b]
        depends = (times[joint.truth, first] > 0) | (times[joint.truth, second] > 0)
        value = float(here[b] - here[a])
        pairs.append(
            CostOfPair(
                joint.models[a],
                joint.models[b],
                value,
                *ends(value, saved, expected, given.level),
                float(np.mean(saved > 0) + np.mean(saved == 0) / 2),
                int(joint.counts[depends & (first != second)].sum()),
            )
        )
    average = at_mean_amounts(joint, costs, amounts)
    return RowCostComparison(costs, average, given.level, joint.total, tuple(models), tuple(pairs))


def row_cost_sections(found: RowCostComparison) -> Iterator[Section]:
    """Who costs less, and how much."""
    sentences = [Sentence(words, "strong") for pair in found.pairs for words in _said(pair, found.level)]
    few = [pair for pair in found.pairs if pair.rows_apart < FEW]
    if few:
        least = min(pair.rows_apart for pair in few)
        sentences.append(
            Sentence(
                f"Only {least} row{'s' if least != 1 else ''} on which two models part"
                f" {'have' if least != 1 else 'has'} a cost of {'their' if least != 1 else 'its'} own: that"
                " interval is rough.",
                "soft",
            )
        )
    rows = tuple(
        (
            one.model,
            shown(one.cost),
            f"{shown(one.low)} to {shown(one.high)}",
            f"{found.rows * one.cost:,.0f}",
        )
        for one in sorted(found.models, key=lambda one: one.cost)
    )
    table = Table(
        (
            words_column("model", whole=True),
            *number_columns("cost a row"),
            words_column(f"{100 * found.level:g}% interval"),
            *number_columns("on these rows"),
        ),
        rows,
        "row-costs",
    )
    note = Sentence(
        f"Each row costs what column {found.costs.column!r} says. Below, models are ranked at its mean"
        f" in each true class: {found.average.words}.",
        "soft",
    )
    yield Section("What the decisions cost, row by row", (*sentences, table, note), "brief", "row-costs")


def _said(pair: CostOfPair, level: float) -> Iterator[str]:
    cheaper, dearer = (pair.first, pair.second) if pair.saved_by_first >= 0 else (pair.second, pair.first)
    if pair.saved_by_first == 0:
        yield f"{pair.first} and {pair.second} cost the same on these rows."
        return
    sign = 1 if pair.saved_by_first > 0 else -1
    low, high = sorted((sign * pair.low, sign * pair.high))
    sure = pair.probability_cheaper if sign > 0 else 1 - pair.probability_cheaper
    surely = "" if low > 0 else f", which may be chance (0 lies in the {100 * level:g}% interval)"
    yield (
        f"{cheaper} costs {shown(sign * pair.saved_by_first)} a row less than {dearer}"
        f" ({shown(low)} to {shown(high)}){surely}; it is cheaper with probability"
        f" {probability(sure)}."
    )
