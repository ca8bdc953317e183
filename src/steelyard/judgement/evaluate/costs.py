"""Costs of decisions, and savings over the best constant prediction."""

# Where each confusion has one cost, cost and savings are measures of the matrix and have the intervals of all
# others. Where a column says what each row costs, the sums of the column stand beside the counts.

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from steelyard.counts.confusion import Confusion, placed
from steelyard.counts.labels import Array, Label
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.measures.costs import Costs, costs_for, expected_cost_of, saved_cost_of, savings_of
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.measures.operators import at_priors
from steelyard.reading.cost_input import CostRules
from steelyard.report.records import AnyLabel, Json, Record, Value, derived
from steelyard.scores.fields import TEXT, by_label
from steelyard.uncertainty.per_row_costs import (
    Spent,
    drawn_costs,
    ends,
    mean_amounts,
    spent,
    uncertain_amounts,
)
from steelyard.uncertainty.resampling import Simulation

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.inputs import EvaluationInput, ReadRequest
    from steelyard.judgement.evaluate.intervals import IntervalFinder

# Costs are summed over rows in every draw; with 4,000 the ends have a standard error of 1% of the width.
MOST_DRAWS = 4000


@dataclass(frozen=True, eq=False)
class Amounts:
    """Sums of the amounts of the rows, and of their squares, cell by cell."""

    sums: Array
    squares: Array


@dataclass(frozen=True)
class CostRow(Record):
    """One figure about costs."""

    id: str
    title: str
    value: Value
    low: Value = math.nan
    high: Value = math.nan
    at_priors: Value | None = None
    why_undefined: Annotated[str | None, Json("undefined_because")] = None


@dataclass(frozen=True)
class CostOfConfusion(Record):
    """What one kind of decision costs on these rows."""

    truth: AnyLabel
    prediction: AnyLabel
    rows: float
    # Of one row, on average.
    cost: float

    total = derived(float, lambda self: self.rows * self.cost)


@dataclass(frozen=True)
class CostReport(Record):
    """What is said of costs."""

    costs: Annotated[Costs, Json(write=lambda costs: costs.words, schema=TEXT)]
    rows: Annotated[tuple[CostRow, ...], Json("figures")]
    # Those that cost something, the dearest together first.
    confusions: tuple[CostOfConfusion, ...]
    # By class: what a row costs if this answer is always given.
    constants: Annotated[Mapping[Label, float], by_label("cost")]
    level: float | None
    # What the intervals rest on, where that is little.
    note: str = ""

    column = derived(
        str | None, lambda self: self.costs.column if isinstance(self.costs.column, str) else None
    )
    best_constant = derived(AnyLabel, lambda self: min(self.constants, key=self.constants.__getitem__))

    def __getitem__(self, name: str) -> CostRow:
        return next(row for row in self.rows if row.id == name)


def costs_of_one(cost_input: CostRules, labels: Sequence[Label]) -> Costs:
    """What decisions cost where one classifier is judged: one amount each, not a range."""
    costs = costs_for(cost_input, labels)
    if costs.most is not None:
        raise InputError(
            "one classifier is judged at one cost",
            found=costs.words,
            do="compare models over a range of costs",
        )
    return costs


def with_amounts(
    data: Any, y_pred: Any, request: ReadRequest, inputs: EvaluationInput, costs: Costs
) -> tuple[EvaluationInput, Amounts | None]:
    """What rows cost, where that differs from row to row; its column is no longer an unused one."""
    if not costs.by_row:
        return inputs, None
    from steelyard.judgement.evaluate.inputs import is_counted, read

    groups = f"{parameter('cluster')} or {parameter('block')}"
    beside = {"weight": parameter("weight"), "labelling": "strata", "cluster": groups, "block": groups}
    for name, excluded in beside.items():
        if getattr(request, name) is not None:
            what = "costs by row stand alone"
            raise InputError(what, found=f"{excluded} beside them", do="leave one of them out")
    if is_counted(data, y_pred, request):
        do = "give a file, a frame or columns of labels"
        raise InputError("costs by row need rows", found=inputs.source, do=do)
    scores = request.scores
    if scores is not None and inputs.threshold is not None:
        scores = replace(scores, threshold=inputs.threshold.threshold, fit_on=None)
    # Amounts are read as weights: their sums by truth and label are what a weighted matrix holds, and with
    # their squares also what they vary by.
    again = replace(request, weight=costs.column, slices={} if y_pred is not None else (), scores=scores)
    try:
        counted = read(data, y_pred, again).counted
    except InputError as error:
        of_column = f" {costs.column!r}" if isinstance(costs.column, str) else ""
        # What is wrong with weights, said of amounts.
        wrong = str(error.found if error.found is not None else error.what)
        raise InputError(
            f"the amounts of {'' if of_column else 'the '}column{of_column} cannot be used",
            found=wrong.replace("1 weights that are", "1 that is").replace("weights", "amounts"),
            allowed=error.allowed
            if isinstance(error, LookupError)
            else "a number of at least 0 in every row",
            do=error.do if isinstance(error, UnknownNameError) else "",
        ) from error
    assert counted.squares is not None  # rows with weights have them
    rest = tuple(name for name in inputs.counted.unused if name != costs.column)
    sums, squares = (_aligned(matrix, inputs.matrix) for matrix in (counted.matrix, counted.squares))
    return replace(inputs, counted=replace(inputs.counted, unused=rest)), Amounts(sums, squares)


def _aligned(matrix: Confusion, whole: Confusion) -> Array:
    """The cells of a matrix in the order of another's labels; a class of which every amount is 0 may lack."""
    by_text = {str(label): label for label in whole.labels}
    known = [label for label in matrix.labels if str(label) in by_text]
    alike = Confusion(matrix.select(known).counts, [by_text[str(label)] for label in known])
    return np.asarray(placed(alike, whole.labels), dtype=np.float64)


def report_costs(
    inputs: EvaluationInput,
    costs: Costs,
    amounts: Amounts | None,
    interval_finder: IntervalFinder,
    priors: Any,
) -> CostReport:
    """What the decisions cost, with intervals where there are some."""
    matrix, level = inputs.matrix, interval_finder.options.level
    counts = np.asarray(matrix.counts, dtype=np.float64)
    means = np.zeros_like(counts) if amounts is None else mean_amounts(counts, amounts.sums)
    here = spent(counts, means, costs.fixed, costs.times)
    intervals = interval_finder.why_not() is None
    finder = interval_finder if intervals else None
    if amounts is None:
        rows = _of_measures(matrix, costs, finder, priors)
    else:
        rows = _of_amounts(matrix, costs, amounts, here, finder, priors)
    # On these rows together, and against the best constant prediction.
    (cost, saved, savings), total = rows, float(counts.sum())
    together = [
        CostRow(name, title, total * row.value, total * row.low, total * row.high)
        for name, title, row in (
            ("total_cost", "cost of all rows", cost),
            ("total_saved", "saved on all rows", saved),
        )
    ]
    relative = CostRow(
        "relative_cost",
        "cost as a share of the best constant prediction's",
        1 - savings.value,
        1 - savings.high,
        1 - savings.low,
        None if savings.at_priors is None else 1 - savings.at_priors,
        savings.why_undefined,
    )
    each = costs.fixed + costs.times * means
    confusions = [
        CostOfConfusion(truth, prediction, float(counts[i, j]), float(each[i, j]))
        for i, truth in enumerate(matrix.labels)
        for j, prediction in enumerate(matrix.labels)
        if counts[i, j] * each[i, j]
    ]
    note = ""
    if intervals and amounts is not None:
        by_row = costs.times > 0
        sums = (cells[by_row].sum() for cells in (counts, amounts.sums, amounts.squares))
        note = uncertain_amounts(*map(float, sums))
    return CostReport(
        costs,
        (*rows, *together, relative),
        tuple(sorted(confusions, key=lambda confusion: -confusion.total)),
        dict(zip(matrix.labels, np.asarray(here.constants).tolist(), strict=True)),
        level if intervals else None,
        note,
    )


def cost_measures(costs: Costs) -> tuple[Measure, Measure, Measure]:
    """What a decision costs, what is saved, and which part that is."""
    return expected_cost_of(costs), saved_cost_of(costs), savings_of(costs)


def _of_measures(
    matrix: Confusion, costs: Costs, interval_finder: IntervalFinder | None, priors: Any
) -> list[CostRow]:
    measures = cost_measures(costs)
    by_name = {} if interval_finder is None else interval_finder.of(measures)
    rows = []
    for m in measures:
        value, ends_of = float(m(matrix)), by_name.get(m.name)
        at = None if priors is None else float(at_priors(m, priors)(matrix))
        why = m.why_undefined(matrix) if math.isnan(value) else None
        low, high = (math.nan, math.nan) if ends_of is None else (ends_of.low, ends_of.high)
        rows.append(CostRow(m.id, short_name(m), value, low, high, at, why))
    return rows


def _of_amounts(
    matrix: Confusion,
    costs: Costs,
    amounts: Amounts,
    here: Spent,
    interval_finder: IntervalFinder | None,
    priors: Any,
) -> list[CostRow]:
    there = drawn = None
    counts, priced = np.asarray(matrix.counts, dtype=np.float64), (costs.fixed, costs.times)
    if isinstance(priors, Mapping) and (matrix.actual > 0).all():
        # The same amounts and rates at another class distribution.
        shares = {str(label): float(value) for label, value in priors.items()}
        wanted = np.array([shares.get(str(label), 0.0) for label in matrix.labels])
        scaled = counts * (wanted / counts.sum(axis=1))[:, None]
        there = spent(scaled, mean_amounts(counts, amounts.sums), *priced)
    if interval_finder is not None:
        settings = interval_finder.drawing
        simulation = Simulation(min(MOST_DRAWS, settings["draws"]), settings["seed"], settings["design"])
        drawn = drawn_costs(matrix, amounts.sums, amounts.squares, *priced, simulation)
    rows = []
    for m, what in zip(cost_measures(costs), ("cost", "saved", "savings"), strict=True):
        value = float(getattr(here, what))
        low = high = math.nan
        if drawn is not None:
            simulated, centre = (getattr(side, what) for side in drawn)
            low, high = ends(value, simulated, float(centre), settings["level"])
        at = None if there is None else float(getattr(there, what))
        why = m.undefined_when if what != "savings" else "some answer that is always the same costs nothing"
        rows.append(CostRow(m.id, short_name(m), value, low, high, at, why if math.isnan(value) else None))
    return rows
