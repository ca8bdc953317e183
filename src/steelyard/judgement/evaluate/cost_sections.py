"""Sections on costs: expected cost, savings over the best constant prediction, the classes that cost most."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from steelyard.judgement.evaluate.costs import CostReport, CostRow
from steelyard.report.numbers import count, percent
from steelyard.report.sections import Block, Section, Sentence, Table, number_columns, words_column

# Confusions that are listed; the JSON holds all of them.
MOST_CONFUSIONS = 8


def money(value: float) -> str:
    """An amount as people write it: whole when it is large, with three digits when it is small."""
    if math.isnan(value):
        return "undefined"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def measured(value: float) -> str:
    """An amount that was estimated: with as many digits as its neighbours, 1.70 beside 1.28."""
    if math.isnan(value) or abs(value) >= 1000:
        return money(value)
    return f"{value:#.3g}".rstrip(".")


# By id of a measure: the two ends of its interval.
Ends = Mapping[str, tuple[float, float]]


def cost_sections(found: CostReport, at_priors: str, there: Ends | None = None) -> Iterator[Section]:
    """What the decisions cost, against an answer that never looks, and which confusion costs most;
    `at_priors` says what the priors are, `there` how sure costs are at them."""
    blocks: list[Block] = [Sentence(words, "strong") for words in said(found, at_priors, there or {})]
    listed = found.confusions[:MOST_CONFUSIONS]
    rows = tuple(
        (f"{one.truth} predicted {one.prediction}", count(one.rows), money(one.cost), money(one.total))
        for one in listed
    )
    if rows:
        columns = (words_column("decision"), *number_columns("rows", "cost of one", "cost"))
        blocks.append(Table(columns, rows, identity="costs"))
    if len(found.confusions) > len(listed):
        blocks.append(Sentence(f"{len(found.confusions) - len(listed)} more cost less.", "soft"))
    if found.note:
        blocks.append(Sentence(found.note, "bad"))
    yield Section("Cost of errors", tuple(blocks), "brief", "costs-section")


def said(found: CostReport, at_priors: str, there: Ends) -> Iterator[str]:
    """The sentences that decide."""
    cost, total, savings = found["expected_cost"], found["total_cost"], found["savings"]
    yield (
        f"The decisions cost {measured(cost.value)} a row{_range(cost)},"
        f" {measured(total.value)} on these rows{_range(total)}."
    )
    best = found.best_constant
    constant = f"Always predicting {best} would cost {measured(found.constants[best])} a row"
    if savings.why_undefined is not None:
        yield f"{constant}: nothing can be saved against that."
    elif savings.value < 0:
        yield f"{constant}, less than this classifier: it wastes {_share(savings, negative=True)} of that."
    else:
        yield f"{constant}: {_share(savings)} of that is saved."
    if cost.at_priors is not None and not math.isnan(cost.at_priors):
        low, high = there.get(cost.id, (math.nan, math.nan))
        sure = "" if math.isnan(low) else f" ({measured(low)} to {measured(high)})"
        yield f"{at_priors} a row costs {measured(cost.at_priors)}{sure}{_saved_there(savings, there)}."


def _saved_there(savings: CostRow, there: Ends) -> str:
    at = savings.at_priors
    if at is None or math.isnan(at):
        return ""
    if at < 0:
        return f", {percent(-at)} more than the best constant prediction"
    low, high = there.get(savings.id, (math.nan, math.nan))
    return f", and {percent(at)}{'' if math.isnan(low) else f' ({percent(low)} to {percent(high)})'} is saved"


def _share(row: CostRow, negative: bool = False) -> str:
    value, low, high = (-row.value, -row.high, -row.low) if negative else (row.value, row.low, row.high)
    return percent(value) + ("" if math.isnan(low) else f" ({percent(low)} to {percent(high)})")


def _range(row: CostRow) -> str:
    return "" if math.isnan(row.low) else f" ({measured(row.low)} to {measured(row.high)})"
