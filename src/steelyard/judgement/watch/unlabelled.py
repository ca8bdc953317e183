"""Watch a stream without labels: prevalence of every block under label shift, and a test of label shift."""

# Every block is taken as a mixture of the classes of a labelled reference: the shares of the mixture, by
# adjusted counting of predictions or by matching the distribution of scores, are the class priors of the
# block. A block that no mixture explains raises an alarm: label shift is rejected. Its prevalence is then
# estimated under covariate shift (P(class | score) as in the reference), where the reference has such scores.
# Alpha spending keeps the probability of ever raising a false alarm at most `alpha`, for any number of
# blocks.

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label, meant
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, UnknownNameError
from steelyard.judgement.evaluate.production import LEAST_SHARE, covariate_shift
from steelyard.judgement.priors.judge import cells_of_labels
from steelyard.judgement.rules import HEADLINE_MULTI_CLASS
from steelyard.judgement.watch.result import EstimatedMetric, UnlabelledBlock, Watched
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure, weigh
from steelyard.scores.dataset_shift import OUTSIDE, ScoredCells, label_shift_p_value, scored_cells
from steelyard.scores.prior_shift import Cells
from steelyard.scores.unlabelled_priors import Estimate, Production, by_counting, cells_of_scores
from steelyard.uncertainty.confidence_limits import spread_percentiles

# The k-th block is tested at alpha k^-1.5 / zeta(1.5): over a stream without end the levels add up to alpha.
ZETA_OF_3_2 = 2.6123753486854883
# Per block; under covariate shift each draw refits the calibration, which costs more.
DRAWS, COVARIATE_DRAWS = 2000, 400
MOST_SHOWN = 3
# Metrics of two classes that label shift moves; recall and G-mean stay by assumption.
DEPEND_ON_PRIORS = ("precision", "f_beta", "accuracy")


class UnlabelledWatch(Watched):
    """Blocks of a stream without labels, each a mixture of the classes of a labelled reference.

    >>> from steelyard.judgement.watch.unlabelled import UnlabelledWatch
    >>> import steelyard as sy
    >>> watch = UnlabelledWatch(sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"]))
    >>> block = watch.check({"fraud": 50, "ok": 950})
    >>> round(float(block.estimate.shares[0]), 4)  # (0.05 - 30/900) / (0.9 - 30/900)
    0.0192
    """

    SCHEMA: ClassVar[str] = "steelyard/watch-unlabelled/1"

    def __init__(
        self,
        reference: Confusion | ScoreCounts,
        *,
        measures: Iterable[Measure | str] | None = None,
        positive: Label | None = None,
        alpha: float = 0.05,
        level: float = 0.95,
        seed: int = 0,
        alarm: str = "rates",
        source: str = "a stream",
    ) -> None:
        super().__init__(source, alpha, alarm)
        if isinstance(reference, ScoreCounts) and len(reference.columns) != 1:
            raise InputError(
                "a stream of scores is that of one positive class",
                found="a column of scores for each class",
                allowed="one column of scores",
            )
        if positive is not None and meant([positive], reference.labels) == [None]:
            raise UnknownNameError("class", positive, map(str, reference.labels))
        self.reference, self.positive, self.level = reference, positive, level
        self._random = np.random.default_rng(seed)
        usual = DEPEND_ON_PRIORS if len(reference.labels) == 2 else HEADLINE_MULTI_CLASS
        self.measures = [m if isinstance(m, Measure) else measure(m) for m in measures or usual]

    def check(
        self, block: Mapping[Any, int], start: str | None = None, end: str | None = None
    ) -> UnlabelledBlock:
        """Estimate the class priors of the next block: how many of its rows hold each predicted label, or
        each score."""
        cells, scored, labels = self._cells(block)
        estimate, mixture = by_counting(cells, self.level, DRAWS, self._random)
        number = len(self.blocks) + 1
        # Alpha spending: block k may spend alpha / (zeta(3/2) k^1.5), which adds up to alpha over any number
        # of blocks, so nobody has to say in advance how long the stream will be.
        level = self.alpha_of_each * number**-1.5 / ZETA_OF_3_2
        rows = int(cells.unlabelled.sum())
        # Prevalence is estimated on coarse bins, where the estimate is stable; the test of label shift needs
        # the fine ones, where a departure is seen.
        tested = cells if scored is None else scored.cells
        p_value = label_shift_p_value(tested, ordered=scored is not None)
        fits = p_value >= level and (scored is None or scored.outside <= OUTSIDE)
        prior_p = self._prior_p(cells, estimate) if fits else 1.0
        covariate = None
        if not fits and scored is not None and scored.carries_over:
            joint = covariate_shift(scored.cells, scored, self._random, COVARIATE_DRAWS)
            shares, drawn = (each.sum(axis=-1) for each in joint)
            low, high = np.quantile(drawn, ((1 - self.level) / 2, (1 + self.level) / 2), axis=0)
            ends = np.minimum(low, shares), np.maximum(high, shares)
            covariate = Estimate("covariate shift", shares, *ends, *ends)
        rarest = np.argsort(cells.labelled.sum(axis=1), kind="stable").tolist()
        main = rarest[:MOST_SHOWN] if len(labels) > 2 else rarest[:1]
        if len(labels) == 2 and self.positive is not None:
            (label,) = meant([self.positive], labels)
            main = main if label is None else [labels.index(label)]
        result = UnlabelledBlock(
            number=number,
            first_row=self.rows + 1,
            rows=rows,
            labels=labels,
            estimate=estimate,
            p_value=p_value,
            level=level,
            main=tuple(main),
            fits=fits,
            covariate=covariate,
            prior_p=prior_p,
            measures=self._metrics(cells, mixture, labels) if fits and scored is None else (),
            alarm=bool((self.alarm != "priors" and not fits) or (self.alarm != "rates" and prior_p < level)),
            start=start,
            end=end,
        )
        self.blocks.append(result)
        self.rows += rows
        return result

    #: The former name.
    look = check

    def share_in_reference(self, label: Label) -> float:
        """The prevalence of a class in the reference."""
        labelled = self.reference
        examples = labelled.actual if isinstance(labelled, Confusion) else labelled.totals
        return float(examples[labelled.labels.index(label)] / examples.sum())

    def _metrics(
        self, cells: Cells, mixture: Production, labels: tuple[Label, ...]
    ) -> tuple[EstimatedMetric, ...]:
        """Metrics of the predicted labels of a block."""
        positive = None
        if len(labels) == 2:
            positive = Confusion(cells.labelled, labels).positive_class(self.positive).label

        def values(prevalences: Array, rates: Array) -> dict[str, Any]:
            matrices = np.maximum(prevalences, LEAST_SHARE)[..., None] * rates
            return weigh(self.measures, Confusion(matrices, labels), positive=positive)

        # By the class rates of the reference and the estimated priors; both are drawn for the intervals.
        here = values(mixture.shares, cells.rates)
        there = values(mixture.drawn_shares, mixture.drawn_rates)
        metrics = []
        for m in self.measures:
            value = float(here[m.name])
            ends = spread_percentiles(there[m.name], value, self.level, 1.0)
            metrics.append(EstimatedMetric(m, value, *ends))
        return tuple(metrics)

    def _prior_p(self, cells: Cells, estimate: Estimate) -> float:
        """The p-value of the class priors of the reference, by the widths of the intervals (Bonferroni)."""
        known = cells.labelled.sum(axis=1) / cells.labelled.sum()
        # The longer side of the interval, so that a share near 0 or 1 does not look more certain than it is.
        half = np.maximum(estimate.high - estimate.shares, estimate.shares - estimate.low)
        spread = half / NormalDist().inv_cdf((1 + self.level) / 2)
        variance = spread**2 + known * (1 - known) / cells.labelled.sum()
        distance = float((np.abs(estimate.shares - known) / np.sqrt(np.maximum(variance, 1e-18))).max())
        # The shares of two classes add up to 1: one test is enough.
        tests = 1 if len(known) == 2 else len(known)
        return min(1.0, 2 * tests * NormalDist().cdf(-distance))

    def _cells(self, block: Mapping[Any, int]) -> tuple[Cells, ScoredCells | None, tuple[Label, ...]]:
        """Bins by which prevalence is estimated, fine ones where there are scores, and the classes."""
        if not sum(block.values()):
            raise InputError("there are no unlabelled rows", found="0 rows", allowed="at least one row")
        if isinstance(self.reference, Confusion):
            cells, labels = cells_of_labels(self.reference, dict(block))
            return cells, None, labels
        try:
            values = np.array([float(value) for value in block])
        except (TypeError, ValueError) as error:
            raise InputError(
                "the stream must hold scores", found=f"{next(iter(block))!r}", allowed="one number per row"
            ) from error
        if np.isnan(values).any():
            raise InputError("some scores are missing", found="NaN", allowed="a number in every row")
        ties = Ties.of(values, np.array(list(block.values()), dtype=np.int64))
        scored = scored_cells(self.reference, ties)
        return cells_of_scores(self.reference, ties)[0], scored, self.reference.positive_first().labels

    def table(self) -> list[dict[str, Any]]:
        """A row for each block and class."""
        return [
            {"look": block.number, "first_row": block.first_row, "rows": block.rows, "fits": block.fits}
            | share.to_dict()
            for block in self.blocks
            for share in block.shares
        ]
