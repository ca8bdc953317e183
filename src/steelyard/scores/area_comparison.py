"""Which of several models ranks best, judged on the same rows?

Every pair of score columns by delong1988's test and by a bootstrap that draws the same rows for both, with
p-values corrected for the number of pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.counts.curves import RocCurve
from steelyard.counts.labels import Label
from steelyard.counts.plain import plain_label
from steelyard.errors import InputError
from steelyard.scores.areas import AucComparison, ScoredRows, checked_level
from steelyard.uncertainty.ranking import holm

MOST_REPLICATES = 2000
MOST_POINTS = 200
"""Of a curve on a page."""
FEWEST_REPLICATES = 200
ROWS_DRAWN = 100_000_000
"""Rows drawn in all replicates of a pair together: more make a reader wait."""


@dataclass(frozen=True)
class AreaPair:
    """Two models' areas under the ROC curve; every difference is the first less the second."""

    first: str
    second: str
    delong: AucComparison
    bootstrap: AucComparison
    holm_p_value: float
    """DeLong's, corrected for the number of pairs."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            "delong": self.delong.to_dict(),
            "bootstrap": self.bootstrap.to_dict(),
            "holm_p_value": self.holm_p_value,
        }


@dataclass(frozen=True)
class AreaComparison:
    """The areas under the ROC curves of several models on the same rows."""

    positive: Label
    areas: Mapping[str, float]
    pairs: tuple[AreaPair, ...]
    level: float
    replicates: int
    curves: Mapping[str, RocCurve]
    """Of each model, thinned to what a page can show."""
    share: float
    """Of the positive class in these rows."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": "roc_auc",
            "positive": plain_label(self.positive),
            "values": dict(self.areas),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "level": self.level,
            "replicates": self.replicates,
        }


def compare_areas(
    y_true: Any,
    scores: Mapping[str, Any],
    positive: Label | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> AreaComparison:
    """Compare the rankings of models by their scores of the positive class, all in the order of `y_true`."""
    if len(scores) < 2:
        raise InputError(
            "a comparison of rankings needs scores",
            found=f"{len(scores)} column",
            allowed="scores of at least 2 models",
        )
    replicates = max(FEWEST_REPLICATES, min(MOST_REPLICATES, ROWS_DRAWN // max(1, len(y_true))))
    checked_level(level)
    rows = ScoredRows(scores, y_true, positive)
    drawn = rows.drawn_areas(replicates, seed)
    found = [
        (
            first,
            second,
            rows.delong(first, second, level),
            rows.bootstrap(first, second, drawn, level),
        )
        for first, second in itertools.combinations(scores, 2)
    ]
    corrected = holm([exact.p_value for _, _, exact, _ in found])
    pairs = tuple(AreaPair(*pair, p) for pair, p in zip(found, corrected, strict=True))
    curves = {name: rows.curve(name, MOST_POINTS) for name in scores}
    share = rows.positives / (rows.positives + rows.negatives)
    return AreaComparison(rows.label, rows.areas, pairs, level, replicates, curves, share)
