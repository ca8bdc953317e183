"""Labels that scores stand for, counted against the truth inside the engine.

Scores become labels where the rows are: those that reach a threshold are called positive, or the class with
the largest score is taken, the first of equals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.counts.labels import Label, is_missing, meant, one_spelling
from steelyard.errors import InputError
from steelyard.reading.column_names import find_column
from steelyard.reading.counting import groups_of
from steelyard.reading.groups import ModelCounts, checked, dense
from steelyard.reading.score_counting import refuse_sums_off_one
from steelyard.reading.table import Column, Decision, Outside, Rows, Table


def count_labels_of_scores(
    table: Table,
    truth: str | None,
    columns: Mapping[Label, str],
    labels: Sequence[Label],
    *,
    threshold: float | None,
    name: str,
    weight: str | None = None,
    slices: Sequence[str] = (),
    missing: str = "error",
    costs: Any = None,
) -> ModelCounts:
    """Count truth against the labels that scores stand for.

    With a `threshold` there is one column, the first of `labels` is its class and the second stands for all
    others; without one, `columns` maps each of the `labels` to its scores: the largest gives the label, or
    with `costs` (a table, rows are truth) the scores are probabilities and the label that costs least is
    taken.
    """
    truth = find_column(truth, [c for c in table.names if c not in columns.values()], "truth", "truth=...")
    for column in (*columns.values(), *slices, *([weight] if weight else [])):
        find_column(column, table.names, "column", "")
    scores = tuple(columns.values())
    if costs is not None:
        _refuse_other_than_probabilities(table, scores)
    decision = Decision(scores, threshold, None if costs is None else tuple(map(tuple, costs.tolist())))
    found = groups_of(table, truth, name, weight, list(map(Column, slices)), decision)
    spelled = one_spelling({group.truth for group in found}) if table.holds_text else {}
    groups = [
        group._replace(
            truth=_known(spelled.get(group.truth, group.truth), labels, threshold is not None),
            prediction=None if group.prediction is None else labels[int(group.prediction)],
        )
        for group in found
    ]
    kept, rows, lost = checked(groups, truth, name, missing, None, labels)
    used = {truth, *scores, *slices, *([weight] if weight else [])}
    return dense(
        kept,
        truth=truth,
        pred=name,
        unused=[column for column in table.names if column not in used],
        slice_columns=tuple(slices),
        weighted=weight is not None,
        labels=labels,
        rows=rows,
        missing=lost,
        spelled=spelled,
    )


def _refuse_other_than_probabilities(table: Table, scores: tuple[str, ...]) -> None:
    """Costs are weighed by probabilities: numbers from 0 to 1 that add up to 1 in every row."""
    ((wrong,),) = table.groups([], [Rows(Outside(scores))])
    if wrong:
        raise InputError(
            "the cheapest label needs probabilities",
            found=f"scores outside 0 to 1 in {wrong:,} rows",
            allowed="numbers from 0 to 1",
        )
    refuse_sums_off_one(table, scores)


def _known(label: Any, labels: Sequence[Label], folded: bool) -> Any:
    """The class a true label means; all others are the second class where there are two sides only."""
    if is_missing(label):
        return None
    (same,) = meant([label], labels)
    return same if same is not None else labels[1] if folded else label
