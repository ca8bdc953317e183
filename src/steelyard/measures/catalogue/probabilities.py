"""The measures of probabilities: are they near what happens, and do they say what they mean?"""

# But for top_k_accuracy, scores must be probabilities here: numbers from 0 to 1, those of a row together 1.
# At other priors the rows are weighted and the probabilities stay as they are; who wants them corrected does
# so first (saerens2002).

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from steelyard.counts import calibration
from steelyard.counts.labels import Array
from steelyard.counts.score_columns import ROW_SUM_TOLERANCE
from steelyard.counts.ties import Ties, TwoSides
from steelyard.errors import InputError
from steelyard.measures import score_measure
from steelyard.measures.record import ByClasses, Family, Measure, Range, cite, in_order
from steelyard.measures.score_measure import Scored, TwoSided
from steelyard.measures.undefined import EMPTY, NO_EXAMPLES

# Found by name: reports do not show them for every matrix.
ranking = partial(score_measure.ranking, usual=False, of_probabilities=True)
ranking_of_classes = partial(score_measure.ranking_of_classes, usual=False, of_probabilities=True)


def checked(c: Scored) -> Scored:
    """The same scores, if they are probabilities."""
    for column in c.scores.columns:
        for ties in column:
            if len(ties.scores) and (ties.scores[0] < 0 or ties.scores[-1] > 1):
                outside = ties.scores[0] if ties.scores[0] < 0 else ties.scores[-1]
                raise InputError(
                    "a metric of probabilities was given scores that are none",
                    found=f"{float(outside):g}",
                    allowed="numbers from 0 to 1",
                    do="calibrate the scores first, or use a metric of the ranking such as roc_auc",
                )
    total = float(c.total.item())
    if len(c.scores.columns) > 1 and total:
        mean = sum(float((t.scores * t.counts).sum()) for column in c.scores.columns for t in column) / total
        if abs(mean - 1) > ROW_SUM_TOLERANCE:
            raise InputError(
                "the probabilities of a row must add up to 1",
                found=f"a sum of {mean:g} on average",
                allowed="a sum of 1 in every row",
                do="normalise the scores",
            )
    return c


def _true_class_probabilities(c: Scored) -> Iterator[tuple[Array, Ties]]:
    # For each class the probabilities given to the true class of its examples, and how many have each.
    scores = checked(c).scores
    for k in range(scores.n_classes):
        column = scores.columns[k if scores.positive is None else 0]
        for piece in column[k].pieces():
            is_own = scores.positive is None or k == scores.positive.place
            yield piece.scores if is_own else 1 - piece.scores, piece


def _added(losses: Array, ties: Ties) -> float:
    # The sum over examples; where each score occurs once, no array of counts as long as the data is made.
    if ties.given_counts is None and ties.unit is None:
        return float(losses.sum())
    return float((losses * ties.counts)[ties.counts > 0].sum())


def _mean(c: Scored, of: Callable[[Scored], float]) -> Any:
    # A sum over rows, for each row; undefined where it is not known how the classes compare in size.
    return c.needed_ratio(np.array([of(c) if c.known else np.nan]), c.total, EMPTY)


def _log_losses(c: Scored) -> float:
    with np.errstate(divide="ignore"):
        return sum(_added(-np.log(p), ties) for p, ties in _true_class_probabilities(c))


log_loss = ranking_of_classes(
    id="log_loss",
    aliases=("cross_entropy", "logarithmic_score", "mn_log_loss", "negative_log_likelihood"),
    title="Logarithmic loss",
    question="How surprised is the classifier by the truth, on average over examples?",
    formula=r"-\frac1n\sum_r \ln p_r(y_r)",
    reads="mean over examples of -ln(probability given to the true class)",
    range=Range(0, np.inf),
    better="lower",
    body=lambda c: _mean(c, _log_losses),
    undefined_when="there are no examples",
    sources=cite("good1952"),
    notes=(
        "A true class that was given probability 0 makes it infinite. scikit-learn moves such probabilities"
        " to 2.2e-16 first, so that no example costs more than 36."
    ),
)


def _squares(c: Scored) -> float:
    scores = checked(c).scores
    # Of two classes both columns miss by the same: one of them is counted, as scikit-learn does.
    if scores.n_classes == 2:
        return sum(_added((1 - p) ** 2, ties) for p, ties in _true_class_probabilities(c))
    cells = [(i == j, ties) for j, column in enumerate(scores.columns) for i, ties in enumerate(column)]
    return float(sum(((ties.scores - same) ** 2 * ties.counts).sum() for same, ties in cells))


brier = ranking_of_classes(
    id="brier",
    symbols=("BS",),
    aliases=("brier_score", "brier_score_loss", "brier_class", "quadratic_score"),
    title="Brier score",
    question="How far are the probabilities from what happens, squared, on average over examples?",
    formula=r"C=2:\ \frac1n\sum_r (p_r-y_r)^2,\quad C>2:\ \frac1n\sum_r\sum_j (p_{rj}-[y_r=j])^2",
    reads=(
        "two classes: mean of (p - y)²; more: mean over examples of the sum over classes of (p_j - [y = j])²"
    ),
    range=Range(0, ByClasses("1 if C = 2, else 2", lambda n: 1 if n == 2 else 2)),
    better="lower",
    body=lambda c: _mean(c, _squares),
    undefined_when="there are no examples",
    sources=cite("brier1950"),
    notes=(
        "With two classes it is half of brier1950's sum over both classes, as in scikit-learn.\n"
        "On rare classes it is small whatever the classifier does: compare with brier_uncertainty, the score"
        " of the constant prevalence."
    ),
)


def _of_sides(c: TwoSided, of: Callable[[TwoSides], float]) -> Any:
    # A number of the probabilities of both classes; undefined where one has no examples.
    checked(c)
    return c.of_both(of)


def _of_forecasts(c: TwoSided, of: Callable[[calibration.Forecasts], float]) -> Any:
    return _of_sides(c, lambda ranked: of(calibration.forecasts(ranked)))


def _mean_square(forecasts: calibration.Forecasts, probabilities: Array) -> float:
    # The Brier score of these `probabilities` instead of the forecast ones.
    positives, negatives = forecasts.positives, forecasts.rows - forecasts.positives
    wrong = positives * (1 - probabilities) ** 2 + negatives * probabilities**2
    return float(wrong.sum() / forecasts.rows.sum())


def _uncertainty(c: TwoSided) -> float:
    share = float((c.positives / (c.positives + c.negatives)).item())
    return share * (1 - share)


_OF_BRIER = cite("dimitriadis2021", "murphy1973")

brier_miscalibration = ranking(
    id="brier_miscalibration",
    symbols=("MCB",),
    aliases=("brier_reliability",),
    title="Miscalibration part of the Brier score",
    question="How much of the Brier score is lost because probabilities do not say what happens?",
    formula=r"BS(p)-BS(\hat p),\ \hat p\ \text{isotonic}",
    reads="Brier score - Brier score of the probabilities recalibrated by isotonic regression",
    better="lower",
    body=lambda c: _of_forecasts(c, lambda f: _mean_square(f, f.probabilities) - _mean_square(f, f.rising)),
    notes="brier = brier_miscalibration - brier_discrimination + brier_uncertainty. No bins are needed.",
    sources=_OF_BRIER,
)

brier_discrimination = ranking(
    id="brier_discrimination",
    symbols=("DSC",),
    aliases=("brier_resolution",),
    title="Discrimination part of the Brier score",
    question="How much of the uncertainty do the probabilities take away, once they are recalibrated?",
    formula=r"\pi(1-\pi)-BS(\hat p),\ \hat p\ \text{isotonic}",
    reads="Brier score of the constant prevalence - Brier score of the recalibrated probabilities",
    range=Range(0, 0.25),
    body=lambda c: _of_forecasts(c, lambda f: _uncertainty(c) - _mean_square(f, f.rising)),
    sources=_OF_BRIER,
)

brier_uncertainty = ranking(
    id="brier_uncertainty",
    symbols=("UNC",),
    title="Uncertainty part of the Brier score",
    question="What is the Brier score of always saying the prevalence?",
    formula=r"\pi(1-\pi)",
    reads="prevalence (1 - prevalence)",
    range=Range(0, 0.25),
    better="neither",
    body=lambda c: _of_sides(c, lambda _: _uncertainty(c)),
    sources=_OF_BRIER,
)


def _spherical(forecasts: calibration.Forecasts) -> float:
    p = forecasts.probabilities
    right = forecasts.positives * p + (forecasts.rows - forecasts.positives) * (1 - p)
    return float((right / np.sqrt(p**2 + (1 - p) ** 2)).sum() / forecasts.rows.sum())


spherical_score = ranking(
    title="Spherical score",
    question="How near in direction are the probabilities to what happens, on average over examples?",
    formula=r"\frac1n\sum_r \frac{p_r(y_r)}{\sqrt{p_r^2+(1-p_r)^2}}",
    reads="mean over examples of the probability of the true class / length of the row of probabilities",
    body=lambda c: _of_forecasts(c, _spherical),
    sources=cite("gneiting2007"),
    notes="Of one class against the rest, by the probability of that class.",
)


def checked_bins(bins: int) -> int:
    if isinstance(bins, bool) or not isinstance(bins, Real) or bins != bins // 1 or bins < 1:
        allowed = "a whole number, 1 or more"
        raise InputError("bins must be a number of bins", found=repr(bins), allowed=allowed)
    return int(bins)


def gap(pair: TwoSides, bins: int) -> float:
    """The distance of probability and frequency in a bin, on average over the rows."""
    binned = calibration.in_bins(pair, bins)
    return float((binned.rows * np.abs(binned.share - binned.mean_probability)).sum() / binned.rows.sum())


@Family
def expected_calibration_error(bins: int = 10) -> Measure:
    """The mean distance of probability and frequency over bins of equal width."""
    number = checked_bins(bins)

    return ranking(
        symbols=("ECE",),
        aliases=("ece",),
        title="Expected calibration error",
        question=(
            "How far is the mean probability in a bin from how often the class occurs there, on average?"
        ),
        formula=r"\sum_b \frac{n_b}{n}\,|\bar y_b-\bar p_b|",
        reads=(
            "mean over bins of equal width, weighted by their rows, of |share of positives - mean"
            " probability|"
        ),
        better="lower",
        body=lambda c: _of_sides(c, lambda ranked: gap(ranked, number)),
        sources=cite("naeini2015"),
        notes=(
            "Chance alone makes it positive: see debiased_calibration_error. It depends on the bins: see"
            " brier_miscalibration and calibration_distance, which need none."
        ),
    )


@Family
def debiased_calibration_error(bins: int = 10) -> Measure:
    """The root mean square distance of probability and frequency, without what chance adds."""
    number = checked_bins(bins)

    def root_mean_square(c: TwoSided, ranked: TwoSides) -> float:
        binned = calibration.in_bins(ranked, number)
        share = binned.rows / binned.rows.sum()
        noise = _noise(binned, *(float(f) for f in c.factors.reshape(-1)))
        square = float((share * ((binned.share - binned.mean_probability) ** 2 - noise)).sum())
        return float(np.sqrt(max(square, 0.0)))

    return ranking(
        aliases=("calibration_error", "debiased_root_mean_square_calibration_error"),
        title="Debiased calibration error",
        question="How far are probabilities from frequencies, beyond what chance makes of few rows in a bin?",
        formula=(
            r"\sqrt{\max\Bigl(0,\sum_b \frac{n_b}{n}\Bigl[(\bar y_b-\bar p_b)^2-\frac{\bar y_b(1-\bar"
            r" y_b)}{n_b-1}\Bigr]\Bigr)}"
        ),
        reads=(
            "root of the mean over bins of (share of positives - mean probability)² - share (1 - share) /"
            " (rows -"
            " 1), 0 where that is negative"
        ),
        better="lower",
        body=lambda c: _of_sides(c, lambda ranked: root_mean_square(c, ranked)),
        sources=cite("kumar2019"),
        notes="A bin with one row is taken to have no more noise than one with two.",
    )


def _noise(binned: calibration.Bins, positive: float, negative: float) -> Any:
    # The variance of the share of positives in each bin, for these weights of a row of either class.
    positives, others = binned.rows * binned.share, binned.rows * (1 - binned.share)
    # At other priors a row counts for its factor: the noise is that of the rows there are.
    examples = positives / positive + others / negative
    spread = positives * positive * (1 - binned.share) ** 2 + others * negative * binned.share**2
    return np.asarray(spread / binned.rows**2 * examples / np.maximum(examples - 1, 1))


def _distance(forecasts: calibration.Forecasts) -> float:
    # Of ties together: within one probability the order of rows means nothing.
    above = forecasts.positives - forecasts.rows * forecasts.probabilities
    return float(np.abs(np.cumsum(above)).max() / forecasts.rows.sum())


calibration_distance = ranking(
    id="calibration_distance",
    aliases=("kolmogorov_smirnov_calibration_error",),
    title="Kolmogorov-Smirnov distance of calibration",
    question="How far apart come what was promised and what happened, added up from the lowest probability?",
    formula=r"\max_t \Bigl|\frac1n\sum_{p_r\le t}(y_r-p_r)\Bigr|",
    reads="greatest distance of the running sums of y and of p, over the probabilities in order, / n",
    better="lower",
    body=lambda c: _of_forecasts(c, _distance),
    sources=cite("gupta2021"),
    notes="No bins are needed.",
)

ONE_CLASS = "one class holds every example"


def _shares(c: Scored) -> Any:
    return c.needed_ratio(c.row_totals, c.total, EMPTY)[:, 0]


def _saved(c: Scored, loss: Any, of_constant: Any) -> Any:
    # 1 - loss / the loss of always predicting the class prevalences.
    constant = of_constant(_shares(c))
    return 1 - c.needed_ratio(loss.body(c), np.array([constant]), ONE_CLASS)


def _entropy(shares: Array) -> float:
    occurring = shares[shares > 0]
    return float(-(occurring * np.log(occurring)).sum()) if np.isfinite(shares).all() else float("nan")


brier_skill = ranking_of_classes(
    id="brier_skill",
    symbols=("BSS",),
    aliases=("brier_skill_score", "d2_brier_score"),
    title="Brier skill score",
    question="How much of the Brier score of always predicting the class prevalences is saved?",
    formula=r"1-\frac{BS}{BS_{\pi}},\ BS_{\pi}=\pi(1-\pi)\ (C=2),\ 1-\sum_i\pi_i^2\ (C>2)",
    reads="1 - Brier score / Brier score of the constant class prevalences",
    range=Range(-np.inf, 1),
    body=lambda c: _saved(c, brier, lambda pi: float((pi * (1 - pi)).sum() / (2 if len(pi) == 2 else 1))),
    undefined_when=ONE_CLASS,
    sources=cite("brier1950", "murphy1973"),
    notes="0 is the constant share of each class; below 0 the probabilities are worse than none.",
)

log_loss_skill = ranking_of_classes(
    id="log_loss_skill",
    aliases=("log_loss_skill_score", "d2_log_loss_score", "relative_information_gain"),
    title="Skill by the logarithmic loss",
    question="How much of the surprise of always predicting the class prevalences is saved?",
    formula=r"1-\frac{-\frac1n\sum_r\ln p_r(y_r)}{-\sum_i\pi_i\ln\pi_i}",
    reads="1 - logarithmic loss / entropy of the class distribution",
    range=Range(-np.inf, 1),
    body=lambda c: _saved(c, log_loss, _entropy),
    undefined_when=ONE_CLASS,
    sources=cite("good1952"),
    notes=(
        "A true class that was given probability 0 makes it minus infinity. scikit-learn moves such"
        " probabilities to 2.2e-16 first."
    ),
)


@Family
def top_k_accuracy(k: int = 2) -> Measure:
    """How often is the true class among the k that are scored highest?"""
    if isinstance(k, bool) or not isinstance(k, Real) or k % 1 or not 1 <= k < np.inf:
        raise InputError("k must be a number of classes", found=repr(k), allowed="a whole number, 1 or more")
    first = int(k)

    def body(c: Scored) -> Any:
        places = c.scores.own_places
        if places is None:
            raise InputError(
                "top_k_accuracy compares the scores of a row",
                found="scores counted column by column",
                allowed="a column of scores for each class, from arrays, frames or files",
            )
        within = float(places[:, :first].sum()) if c.known else np.nan
        return c.needed_ratio(np.array([within]), c.total, EMPTY)

    return ranking_of_classes(
        id="top_k_accuracy",
        of_probabilities=False,
        aliases=("top_k_accuracy_score", "accuracy_at_k"),
        title="Accuracy within the best k",
        question="How often is the true class among the k that are scored highest?",
        formula=r"\frac1n\sum_r[\,\#\{j: s_{rj}>s_{r,y_r}\}<k\,]",
        reads="share of examples whose own class has fewer than k classes scored above it",
        body=body,
        undefined_when="there are no examples",
        sources=cite("russakovsky2015"),
        notes=(
            "Classes that tie share their places evenly, whatever their order. scikit-learn takes the"
            " later class of a tie.\n"
            "Balanced, it is the mean over classes. k classes or fewer give 1."
        ),
    )


@Family
def classwise_calibration_error(bins: int = 10) -> Measure:
    """The expected calibration error of each class against the rest, averaged over classes."""
    number = checked_bins(bins)

    def per_class(c: Scored) -> Any:
        scores = checked(c).scores
        # The other class of a single column mirrors it.
        single_column = scores.positive is not None
        pairs = [scores.ranked(None if single_column else label) for label in scores.labels]
        gaps = [[gap(pair, number)] if c.known else [np.nan] for pair in pairs]
        return c.ratio(np.array(gaps) * c.row_totals, c.row_totals, NO_EXAMPLES)

    return ranking_of_classes(
        id="classwise_calibration_error",
        aliases=("classwise_ece", "static_calibration_error"),
        title="Class-wise calibration error",
        question=(
            "How far is the probability of a class from how often it occurs there, on average over bins and"
            " classes?"
        ),
        formula=r"\frac1C\sum_i\sum_b \frac{n_b}{n}\,|\bar y_{ib}-\bar p_{ib}|",
        reads="mean over classes of expected_calibration_error of the class against the rest",
        better="lower",
        body=lambda c: c.mean(per_class(c)),
        over_classes=True,
        undefined_when="a class has no examples",
        sources=cite("kull2019"),
        notes=(
            "Of every class, not of the one that is predicted: probabilities that are right for the top"
            " class only are not."
        ),
    )


MEASURES = in_order(globals())
