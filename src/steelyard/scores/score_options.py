"""Options about scores (columns, threshold, costs) and the scores that they select."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.labels import DROPPED, Label
from steelyard.counts.libraries import column_names, is_countable, is_engine_frame, is_frame
from steelyard.counts.score_columns import advising
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.reading.column_names import columns_of_classes, find_column
from steelyard.reading.cost_input import CostRules
from steelyard.reading.duckdb import open_files
from steelyard.reading.rows import score_rows
from steelyard.reading.score_counting import ScoreReading, computed_once, count_scores
from steelyard.reading.table import Progress, Table

# Thresholds by costs: that of probabilities which say the truth, and the best one on the rows.
CHEAPEST, BEST_COST = "cheapest", "best:cost"
# No cluster is asked unless a frame is on one.
IN_PLACE = ScoreReading()


@dataclass(frozen=True)
class AskedScores:
    """What the caller said about scores: their columns, and how they become labels."""

    score: Any
    is_table: bool
    threshold: str | float | None
    fit_on: Any
    reading: ScoreReading = IN_PLACE
    # What decisions cost, where a threshold or labels are to cost least.
    costs: CostRules | None = None

    @classmethod
    def of(
        cls,
        score: Any,
        scores: Any,
        threshold: Any,
        fit_on: Any,
        reading: ScoreReading = IN_PLACE,
        costs: CostRules | None = None,
    ) -> AskedScores | None:
        """None if nothing was said about scores."""
        if score is None and scores is None:
            return None
        if score is not None and not isinstance(score, (str, Mapping)) and np.ndim(score) == 2:
            raise InputError(
                "score is one column, of the positive class",
                found=f"an array of shape {np.shape(score)}",
                do=f"pass proba[:, 1], or {parameter('scores')} for a column for each class",
            )
        if threshold in (CHEAPEST, BEST_COST) and (costs is None or costs.column is not None):
            raise InputError(
                "the cheapest label needs costs by class",
                found="no costs" if costs is None else "costs by row",
                do=f"say {parameter('cost', '...')}, as in 'fraud>ok=200, ok>fraud=4'",
            )
        if scores is not None and threshold not in (None, CHEAPEST):
            raise InputError(
                "a threshold is for one column of scores",
                found="a column for each class",
                do='leave it out: the largest score gives the label, or with costs say "cheapest"',
            )
        if score is not None and isinstance(score, str) and "*" in score:
            raise InputError(
                "score names one column",
                found=repr(score),
                allowed="the name of one column",
                do="say scores for a pattern",
            )
        if fit_on is not None and not (isinstance(threshold, str) and threshold.startswith("best:")):
            raise InputError(
                "there is nothing to choose on other rows",
                found=f"threshold {threshold!r}",
                allowed="a threshold such as best:gmean",
            )
        return cls(score if scores is None else scores, scores is not None, threshold, fit_on, reading, costs)

    def gives_labels(self, data: Any, y_pred: Any, pred: str | None) -> bool:
        """Do the scores give the labels, or are there predictions beside them?"""
        predicted = y_pred is not None or pred is not None
        if self.is_table or self.threshold is not None:
            return not predicted
        columns = [] if predicted else _columns_of(data)
        if columns and isinstance(self.score, str):
            find_column(self.score, columns)  # a wrong name before a missing threshold
        if not predicted and not _has_predictions(columns):
            none = "column named like a prediction" if columns else "predictions"
            best = "best:gmean" if self.costs is None else "best:cost"
            raise InputError(
                "scores alone give no predicted labels",
                found=f"no threshold and no {none}",
                do=f"give {parameter('threshold', 0.5)} or {parameter('threshold', best)}, or a column of"
                " predictions",
            )
        return False

    def names(self, available: Sequence[str]) -> list[str]:
        """The columns that hold the scores."""
        named = isinstance(self.score, (str, Mapping))
        return list(columns_of_classes(available, self.score).values()) if named else []


@contextmanager
def within_reach(
    options: AskedScores, data: Any, truth: str | None, weight: Any, slices: Any = ()
) -> Iterator[tuple[AskedScores, Any, tuple[str, ...] | None]]:
    """What a lazy frame or a relation holds of these columns, in memory or in a file, how it is read, and the
    columns that were left where they are; any other data as it is, and None."""
    if not is_engine_frame(data) or not isinstance(options.score, (str, Mapping)):
        yield options, data, None
        return
    available = _columns_of(data)
    scores = options.names(available)
    truth = find_column(truth, [c for c in available if c not in scores], "truth")
    others = [*([] if weight is None else [weight]), *([slices] if isinstance(slices, str) else slices)]
    named = [find_column(column, available) for column in (*scores, *others)]
    wanted = list(dict.fromkeys([truth, *named]))
    here = replace(options, reading=replace(options.reading, engine=None, spark_master=None))
    with computed_once(data, wanted, scores, options.reading.exact) as rows:
        yield here, rows, tuple(column for column in available if column not in wanted)


def read_scores(
    options: AskedScores,
    data: Any,
    truth: str | None,
    positive: Label | None,
    labels: Sequence[Label] | None,
    weight: Any,
    missing: str,
    progress: Progress | None = None,
    weighed: Collection[Label] | None = None,
    lacking: str = DROPPED,
) -> ScoreCounts:
    """The scores of arrays, a frame or files, counted."""
    # `weighed` are the classes whose weights are wanted, where an engine reads them; `lacking` is what to do
    # about rows without a score.
    with advising(lacking), within_reach(options, data, truth, weight) as (options, data, _):
        score, reading = options.score, options.reading
        is_table = reading.reads(data) or is_frame(data)
        if is_table and not isinstance(score, (str, Mapping)):
            raise InputError(
                "the scores of a table are named by their columns",
                found=type(score).__name__,
                allowed="names of columns",
            )
        if reading.reads(data):
            how: dict[str, Any] = {"labels": labels, "weight": weight, "weighed": weighed, "missing": missing}
            how |= {"tolerance": reading.tolerance, "exact": reading.exact}
            with reading.opened(data, progress) as table:
                return count_scores(table, score, truth, None if options.is_table else positive, **how)
        if is_countable(data) and not is_frame(data):
            raise InputError(
                "scores are read from columns in memory, frames and files",
                found=f"{type(data).__module__}.{type(data).__name__}",
                do="fetch the columns, or write them to a file",
            )
        columns: dict[str, Any] = {"truth": truth, "weight": weight, "slices": (), "missing": missing}
        rows = score_rows(data, score, is_table=options.is_table, **columns)
        label = None if options.is_table and len(rows.scores) > 1 else positive
        return rows.score_counts(label, labels, missing)


def _has_predictions(columns: Sequence[str]) -> bool:
    """Is there a column that is named like a prediction?"""
    try:
        find_column(None, columns, "prediction")
    except InputError:
        return False
    return True


def _columns_of(data: Any) -> Sequence[str]:
    """The names of the columns of a file, a table or a frame; none of anything else."""
    if isinstance(data, (str, Path)):
        return open_files(data).columns
    if isinstance(data, Table):
        return data.names
    if is_frame(data):
        return column_names(data)
    return list(data.columns) if is_countable(data) else []
