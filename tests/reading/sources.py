"""Files opened, counted and closed in one call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any

from steelyard.counts.joint import JointCounts
from steelyard.counts.score_counts import ScoreCounts
from steelyard.reading.engines import opened
from steelyard.reading.joint_counts import joint_of_table, open_models
from steelyard.reading.score_counting import count_scores


def read_score_counts(source: Any, *columns: Any, **how: Any) -> ScoreCounts:
    """The scores in files: the columns of scores and truth, the positive class, and what `count_scores` takes."""
    with opened(source) as table:
        return count_scores(table, *columns, **how)


def read_joint(
    paths: Sequence[Any],
    truth: str | None,
    predictions: Sequence[str],
    key: str | None = None,
    fold: str | None = None,
) -> JointCounts:
    """The joint counts of the predictions in files."""
    models = open_models(paths, truth, predictions, key=key, others=[fold] if fold else [])
    with closing(models.table):
        return joint_of_table(models.table, models.truth, models.predictions, fold)
