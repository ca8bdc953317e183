"""Costs of errors: numbers for each confusion make measures like any other."""

# Costs say what it costs to answer j where i is true, right answers included where they cost something
# (an alert is looked into whether it is true or not). From them come the expected cost of an example,
# what is saved against the best constant prediction (`savings`), and the answer that costs least given
# probabilities (elkan2001).

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from steelyard.counts.labels import Array, Label, meant
from steelyard.counts.score_columns import checked_probabilities
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.class_numbers import places_in
from steelyard.measures.measure import Measure, multi_class, two_class
from steelyard.measures.record import Range
from steelyard.measures.undefined import EMPTY
from steelyard.measures.views import Classes
from steelyard.reading.cost_input import EVERY, Amount, CostRules, parse_costs

# Costs that a measure bears in its name; of more their number stands there.
MOST_NAMED = 6
IN_ROWS = "what an error costs stands in a column of the rows, which a matrix does not hold"


@dataclass(frozen=True, eq=False)
class Costs:
    """What each confusion of these classes costs: `fixed` + `times` x what the row's column says."""

    labels: tuple[Label, ...]
    # Shape (C, C), rows are truth.
    fixed: Array
    times: Array
    column: Any = None
    # The greatest costs, where some were said as a range; `fixed` are then the least.
    most: Array | None = None

    @property
    def words(self) -> str:
        """As they would be said."""
        return ", ".join(
            f"{truth}>{prediction}={amount}"
            for i, truth in enumerate(self.labels)
            for j, prediction in enumerate(self.labels)
            if (amount := self.amount(i, j)).fixed or amount.times or i != j
        )

    def amount(self, i: int, j: int) -> Amount:
        """The cost of one confusion, as it is said."""
        most = None if self.most is None or self.most[i, j] == self.fixed[i, j] else self.most[i, j]
        return Amount(float(self.fixed[i, j]), float(self.times[i, j]), self.column, most)

    @property
    def by_row(self) -> bool:
        """Does some cost depend on the row?"""
        return self.column is not None

    def at(self, position: float) -> Costs:
        """The costs at this position in their range, from 0 (least) to 1 (greatest), evenly by ratio."""
        if self.most is None:
            return self
        # By ratio there is no way from 0: a thousandth of the greatest cost stands for it.
        least = np.where(self.fixed > 0, self.fixed, self.most / 1000)
        there = least * (self.most / np.maximum(least, 1e-300)) ** position
        fixed = np.where(self.most > self.fixed, there, self.fixed)
        return Costs(self.labels, fixed, self.times, self.column)

    def of_cells(self, labels: Sequence[Label], table: Array | None = None) -> Array:
        """The fixed costs (or another table of this shape) in the order of other labels."""
        order = places_in(self.labels, labels)
        return np.asarray((self.fixed if table is None else table)[np.ix_(order, order)])


def costs_for(costs: Any, labels: Sequence[Label]) -> Costs:
    """The costs of every confusion of these classes, from cost rules; an error without a cost is refused.

    >>> from steelyard.measures.costs import costs_for
    >>> costs_for("fraud>ok=200, ok>fraud=4", ["fraud", "ok"]).fixed.tolist()
    [[0.0, 200.0], [4.0, 0.0]]
    """
    rules: CostRules = parse_costs(costs)
    names = [str(label) for label in labels]
    if rules.table is not None:
        return _checked(Costs(tuple(labels), _in_order(rules.table, names), np.zeros(rules.table.shape)))
    by_confusion = {}
    for confusion, rule in rules.by_confusion.items():
        classes = [name if name == EVERY else meant([name], names)[0] for name in confusion]
        if None in classes:
            do = "name classes of the data (evaluate takes those without rows in its list of labels)"
            raise UnknownNameError("class", confusion[classes.index(None)], names, do)
        by_confusion[str(classes[0]), str(classes[1])] = rule
    size = len(names)
    fixed, times, most = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size))
    missing = []
    for i, truth in enumerate(names):
        for j, prediction in enumerate(names):
            # The most specific rule wins; `*` never matches a correct prediction.
            stars = ((truth, EVERY), (EVERY, prediction), (EVERY, EVERY)) if i != j else ()
            keys = [key for key in ((truth, prediction), *stars) if key in by_confusion]
            if keys:
                amount = by_confusion[keys[0]]
                fixed[i, j], times[i, j] = amount.fixed, amount.times
                most[i, j] = amount.fixed if amount.most is None else amount.most
            elif i != j:
                missing.append(f"{truth}>{prediction}")
    if missing:
        raise InputError(
            "the cost of an error is missing",
            found=", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else ""),
            do=f"add it, as in '{missing[0]}=1'; a star stands for every class, as in '*>{names[0]}=1'",
        )
    ranged = bool((most > fixed).any())
    return _checked(Costs(tuple(labels), fixed, times, rules.column, most if ranged else None))


def cost_column(costs: Any) -> Any:
    """The column that some of the costs stand in; None where all are numbers, or there are none."""
    return None if costs is None else parse_costs(costs).column


def _in_order(table: Array, names: Sequence[str]) -> Array:
    if table.shape != (len(names), len(names)):
        what, allowed = "the table of costs does not fit the classes", ", ".join(names[:12])
        raise InputError(
            what, found=f"shape {table.shape}", allowed=f"a row and a column for each of {allowed}"
        )
    for cost in table[~(np.isfinite(table) & (table >= 0))].tolist():
        allowed = "finite numbers of at least 0"
        raise InputError("the table of costs cannot be used", found=f"{cost:g}", allowed=allowed)
    return table


def _checked(costs: Costs) -> Costs:
    # Refuse costs that decide nothing, or by which a wrong answer is cheaper than the right one.
    greatest = costs.fixed if costs.most is None else costs.most
    if not greatest.any() and not costs.times.any():
        raise InputError("costs of 0 decide nothing", found="all are 0", do="say at least one that is more")
    for i, truth in enumerate(costs.labels):
        for j, prediction in enumerate(costs.labels):
            wrong, right = (costs.fixed[i, j], costs.times[i, j]), (costs.fixed[i, i], costs.times[i, i])
            # Amounts differ from row to row: a wrong answer may be cheaper for some of them, not for all.
            if wrong != right and wrong[0] <= right[0] and wrong[1] <= right[1]:
                both = f"{truth}>{prediction}={costs.amount(i, j)} and {truth}>{truth}={costs.amount(i, i)}"
                raise InputError(
                    "a wrong decision would cost less than the right one",
                    found=both,
                    do="check the direction: costs are said as truth>prediction=cost",
                )
    return costs


# -- measures


def expected_cost(miss: float, false_alarm: float) -> Measure:
    """The cost of the errors for each example, when a miss costs this much and a false alarm that much."""
    for name, cost in (("miss", miss), ("false alarm", false_alarm)):
        if isinstance(cost, bool) or not isinstance(cost, Real) or not math.isfinite(cost) or cost < 0:
            what, allowed = f"the cost of a {name} is not understood", "a finite number of at least 0"
            raise InputError(what, found=f"{cost!r}", allowed=allowed)
    if not miss and not false_alarm:
        raise InputError("costs of 0 decide nothing", found="both are 0", do="say at least one that is more")
    return two_class(
        id="expected_cost",
        title="Expected cost per row",
        question="What do the misses and false alarms cost, for each example?",
        formula=r"\frac{k_{fn}\,fn + k_{fp}\,fp}{n}",
        reads="(cost of a miss x fn + cost of a false alarm x fp) / n",
        body=lambda c: c.ratio(c.fn * miss + c.fp * false_alarm, c.total, EMPTY),
        parameters={"miss": miss, "false_alarm": false_alarm},
        range=Range(0, max(miss, false_alarm)),
        better="lower",
        undefined_when="there are no examples",
    )


def expected_cost_of(costs: Costs) -> Measure:
    """The cost of an example, on average, under the costs of every confusion.

    >>> import steelyard as sy
    >>> from steelyard.measures.costs import costs_for, expected_cost_of
    >>> cm = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    >>> round(expected_cost_of(costs_for("fraud>ok=200, ok>fraud=4", cm.labels))(cm), 2)
    2.12
    """
    return _of_costs(
        expected_cost_of,
        costs,
        id="expected_cost",
        title="Expected cost per row",
        question="What do the decisions cost, for each example?",
        formula=r"\frac1n\sum_{ij} k_{ij} m_{ij}",
        reads="sum of cost_ij m_ij / n",
        body=lambda c: c.ratio((c.counts * _table(costs, c)).sum(axis=(0, 1)), c.total, EMPTY),
        range=Range(float(costs.fixed.min()), float(costs.fixed.max()) if not costs.by_row else math.inf),
        better="lower",
    )


def saved_cost_of(costs: Costs) -> Measure:
    """What is saved for each example against the best constant prediction."""
    top = float(costs.fixed.max())
    return _of_costs(
        saved_cost_of,
        costs,
        id="saved_cost",
        title="Saved cost per row",
        question="How much less do the decisions cost than the best answer that is always the same?",
        formula=r"\frac1n\bigl(\min_j\sum_i k_{ij} t_i - \sum_{ij} k_{ij} m_{ij}\bigr)",
        reads="(least over j of sum of cost_ij t_i - sum of cost_ij m_ij) / n",
        body=lambda c: _saved(costs, False, c),
        range=Range(-top, top),
    )


def savings_of(costs: Costs) -> Measure:
    """Which part of the cost of the best constant prediction is saved.

    >>> import steelyard as sy
    >>> from steelyard.measures.costs import costs_for, savings_of
    >>> cm = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    >>> round(savings_of(costs_for("fraud>ok=200, ok>fraud=4", cm.labels))(cm), 3)
    0.411
    """
    return _of_costs(
        savings_of,
        costs,
        id="savings",
        title="Savings",
        question="Which part of the cost of the best answer that is always the same is saved?",
        formula=r"1-\frac{\sum_{ij} k_{ij} m_{ij}}{\min_j\sum_i k_{ij} t_i}",
        reads="1 - sum of cost_ij m_ij / least over j of sum of cost_ij t_i",
        body=lambda c: _saved(costs, True, c),
        range=Range(-math.inf, 1),
        undefined_when="some answer that is always the same costs nothing",
    )


def _of_costs(
    recipe: Callable[[Costs], Measure], costs: Costs, body: Callable[[Classes], Any], **facts: Any
) -> Measure:
    # With many classes a name would be longer than the table it stands in.
    many = int(np.count_nonzero(costs.fixed) + np.count_nonzero(costs.times)) > MOST_NAMED
    shared = {
        "parameters": {"costs": f"{len(costs.labels)}x{len(costs.labels)} costs" if many else costs.words},
        "undefined_when": "there are no examples" if not costs.by_row else IN_ROWS,
        "recipe": (recipe, (costs,)),
    }
    return multi_class(**(shared | facts), body=lambda c: c.undefined(IN_ROWS) if costs.by_row else body(c))


def _table(costs: Costs, c: Classes) -> Any:
    # The costs of the cells of a matrix, by the names of its classes.
    rows = tuple(tuple(map(float, row)) for row in costs.fixed.tolist())
    return c.engine.apply("table", (c.matrix,), (tuple(costs.labels), rows))


def _saved(costs: Costs, share: bool, c: Classes) -> Any:
    table = _table(costs, c)
    spent = (c.counts * table).sum(axis=(0, 1))
    # The column of costs that an answer has when it is always given, weighted by the true classes.
    least = c.least((c.row_totals[:, None] * table).sum(axis=0))
    return c.ratio(
        least - spent, least if share else c.total, "some answer that is always the same costs nothing"
    )


# -- decisions


def costs_of_two(costs: Costs, positive: Label) -> tuple[float, float]:
    """What a miss and a false alarm of this class cost beyond the right answer."""
    first = [str(label) for label in costs.labels].index(str(positive))
    beyond = costs.fixed - np.diagonal(costs.fixed)[:, None]
    return float(beyond[first, 1 - first]), float(beyond[1 - first, first])


def measure_of_two(costs: Costs, positive: Label) -> Measure:
    """The expected cost, in the words of two classes where the right answers cost nothing."""
    if costs.by_row or np.diagonal(costs.fixed).any() or len(costs.labels) != 2:
        return expected_cost_of(costs)
    return expected_cost(*costs_of_two(costs, positive))


def cheapest_threshold_of_probabilities(costs: Costs, positive: Label) -> float:
    """From which probability of the positive class on is calling it the cheaper answer? (elkan2001)

    >>> from steelyard.measures.costs import cheapest_threshold_of_probabilities, costs_for
    >>> costs = costs_for("fraud>ok=200, ok>fraud=4", ["fraud", "ok"])
    >>> round(cheapest_threshold_of_probabilities(costs, "fraud"), 4)
    0.0196
    """
    miss, alarm = costs_of_two(costs, positive)
    if not miss + alarm:
        raise InputError("costs of 0 decide nothing", found="no error costs more than the right answer")
    # elkan2001's Eq. 2, costs of right answers taken off both.
    return alarm / (miss + alarm)


def cheapest_labels(probabilities: Any, costs: Any, labels: Sequence[Label]) -> Array:
    """Which answer costs least, given the probabilities of the classes? The first of equals.

    `probabilities` has a row for each example and a column for each of `labels`; each row adds up to 1.
    `costs` is text, a file, a mapping or a table, see `evaluate`.

    >>> import steelyard as sy
    >>> p = [[0.05, 0.95], [0.01, 0.99]]
    >>> sy.cheapest_labels(p, "fraud>ok=200, ok>fraud=4", ["fraud", "ok"]).tolist()
    ['fraud', 'ok']
    """
    known_costs = costs if isinstance(costs, Costs) else costs_for(costs, labels)
    if known_costs.by_row:
        column = known_costs.column
        raise InputError(
            "the cheapest answer needs costs by class",
            found=f"costs by the column {column!r}" if isinstance(column, str) else "a column",
            do="give numbers",
        )
    table = np.asarray(probabilities, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(labels):
        raise InputError(
            "probabilities have a column for each class",
            found=f"shape {table.shape}",
            allowed=f"{len(labels)} columns",
        )
    checked_probabilities(list(table.T))
    names = np.array(list(labels), dtype=object if len({type(label) for label in labels}) > 1 else None)
    # The expected cost of each answer is the mean of its costs under the probabilities (elkan2001, Eq. 1).
    return np.asarray(names[np.argmin(table @ known_costs.of_cells(labels), axis=1)])
