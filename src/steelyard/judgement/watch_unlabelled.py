"""How frequent is each class now, where nobody labels, and can that still be told?

Every block of an unlabelled stream is taken for a mixture of the classes of a labelled reference: the shares
of the mixture, by adjusted counting of predictions or by matching the distribution of scores, are the class
shares of the block. A block that no mixture explains raises a warning: the classes themselves have changed.
The probability of ever raising a false one is at most `alpha`, however often one looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, meant
from steelyard.counts.plain import plain_label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, UnknownNameError
from steelyard.judgement.priors.judge import cells_of_labels
from steelyard.report.presented import Presented
from steelyard.report.sections import Report
from steelyard.scores.mixture_proportions import Cells, nearest_mixture, probability_of_misfit
from steelyard.scores.unlabelled_priors import BOOTSTRAPS, Estimate, by_counting, cells_of_scores

SCHEMA = "steelyard/watch-unlabelled/1"
ZETA_OF_3_2 = 2.6123753486854883
MOST_BOOTSTRAPS = 100_000
DRAWS = 2000
MOST_TOLD = 3


@dataclass(frozen=True)
class UnlabelledLook:
    """What one block of an unlabelled stream shows."""

    number: int
    first_row: int
    rows: int
    labels: tuple[Label, ...]
    estimate: Estimate
    p_value: float
    """How often would rows that do fit look as badly mixed?"""
    level: float
    """What that had to fall below."""
    told: tuple[int, ...]
    """The places of the classes that are spoken of first: the positive one of two, the rarest of more."""

    @property
    def fits(self) -> bool:
        """Does a mixture of the labelled classes explain the block?"""
        return self.p_value >= self.level

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "look": self.number,
            "first_row": self.first_row,
            "rows": self.rows,
            "method": self.estimate.method,
            "shares": [
                {
                    "label": plain_label(label),
                    "share": float(self.estimate.shares[k]),
                    "low": float(self.estimate.low[k]),
                    "high": float(self.estimate.high[k]),
                }
                for k, label in enumerate(self.labels)
            ],
            "fit": {"p_value": self.p_value, "level": self.level, "fits": self.fits},
        }


class UnlabelledWatch(Presented):
    """Blocks of a stream without labels, each a mixture of the classes of a labelled reference.

    >>> from steelyard.judgement.watch_unlabelled import UnlabelledWatch
    >>> import steelyard as sy
    >>> watch = UnlabelledWatch(sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"]))
    >>> look = watch.look({"fraud": 50, "ok": 950})
    >>> round(float(look.estimate.shares[0]), 4)  # (0.05 - 30/900) / (0.9 - 30/900)
    0.0192
    """

    def __init__(
        self,
        reference: Confusion | ScoreCounts,
        *,
        positive: Label | None = None,
        alpha: float = 0.05,
        level: float = 0.95,
        seed: int = 0,
        source: str = "a stream",
    ) -> None:
        for name, value in (("alpha", alpha), ("level", level)):
            if not 0 < value < 1:
                raise InputError(
                    f"{name} must be a probability", found=repr(value), allowed="a number between 0 and 1"
                )
        if isinstance(reference, ScoreCounts) and len(reference.columns) != 1:
            raise InputError(
                "a stream of scores is that of one positive class",
                found="a column of scores for each class",
                allowed="one column of scores",
            )
        if positive is not None and meant([positive], reference.labels) == [None]:
            raise UnknownNameError("class", positive, map(str, reference.labels))
        self.reference, self.positive = reference, positive
        self.alpha, self.level, self.source = alpha, level, source
        self.looks: list[UnlabelledLook] = []
        self.rows = 0
        self._random = np.random.default_rng(seed)

    def look(self, block: Mapping[Any, int]) -> UnlabelledLook:
        """The class shares of the next block: how many of its rows hold each predicted label, or each
        score."""
        cells, labels = self._cells(block)
        estimate, _ = by_counting(cells, self.level, DRAWS, self._random)
        number = len(self.looks) + 1
        level = self.alpha * number**-1.5 / ZETA_OF_3_2
        rows = int(cells.unlabelled.sum())
        found = UnlabelledLook(
            number=number,
            first_row=self.rows + 1,
            rows=rows,
            labels=labels,
            estimate=estimate,
            p_value=self._misfit(cells, level),
            level=level,
            told=self._told(cells, labels),
        )
        self.looks.append(found)
        self.rows += rows
        return found

    def _told(self, cells: Cells, labels: tuple[Label, ...]) -> tuple[int, ...]:
        rarest = np.argsort(cells.labelled.sum(axis=1), kind="stable").tolist()
        if len(labels) > 2:
            return tuple(rarest[:MOST_TOLD])
        named = [labels.index(label) for label in self._named(labels)]
        return tuple(named or rarest[:1])

    def _named(self, labels: tuple[Label, ...]) -> list[Label]:
        named = [] if self.positive is None else meant([self.positive], labels)
        return [label for label in named if label is not None]

    def _misfit(self, cells: Cells, level: float) -> float:
        """The p-value of the fit, by as many draws as are needed to fall below the level."""
        found = nearest_mixture(cells.labelled, cells.unlabelled)
        p = probability_of_misfit(cells, found, self._random, BOOTSTRAPS)
        if p > 3 / (BOOTSTRAPS + 1) or level > 2 / (BOOTSTRAPS + 1):
            return p
        return probability_of_misfit(cells, found, self._random, int(min(MOST_BOOTSTRAPS, 3 / level)))

    def _cells(self, block: Mapping[Any, int]) -> tuple[Cells, tuple[Label, ...]]:
        if not sum(block.values()):
            raise InputError("there are no unlabelled rows", found="0 rows", allowed="at least one row")
        if isinstance(self.reference, Confusion):
            return cells_of_labels(self.reference, dict(block))
        try:
            values = np.array([float(value) for value in block])
        except (TypeError, ValueError) as error:
            raise InputError(
                "the stream must hold scores", found=f"{next(iter(block))!r}", allowed="one number per row"
            ) from error
        if np.isnan(values).any():
            raise InputError("some scores are missing", found="NaN", allowed="a number in every row")
        ties = Ties.of(values, np.array(list(block.values()), dtype=np.int64))
        return cells_of_scores(self.reference, ties)[0], self.reference.positive_first().labels

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "source": self.source,
            "alpha": self.alpha,
            "looks": [look.to_dict() for look in self.looks],
        }

    def table(self) -> list[dict[str, Any]]:
        """A row for each block and class."""
        return [
            {"look": look.number, "first_row": look.first_row, "rows": look.rows, "fits": look.fits, **share}
            for look in self.looks
            for share in look.to_dict()["shares"]
        ]

    def report(self) -> Report:
        from steelyard.judgement.watch_unlabelled_sections import unlabelled_report

        return unlabelled_report(self)
