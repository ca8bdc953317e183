"""Skill of scores of any number of classes: against constant shares, within the best k, class by class."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.errors import InputError
from steelyard.measures import score_measure
from steelyard.measures.catalogue.probabilities import brier, checked, checked_bins, gap, log_loss
from steelyard.measures.record import Family, Measure, Range, cite
from steelyard.measures.score_measure import Scored
from steelyard.measures.undefined import EMPTY, NO_EXAMPLES

# Found by name: reports do not show them for every matrix.
ranking_of_classes = partial(score_measure.ranking_of_classes, usual=False)

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
    of_probabilities=True,
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
    of_probabilities=True,
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
        weightable=True,
        of_probabilities=True,
        undefined_when="a class has no examples",
        sources=cite("kull2019"),
        notes=(
            "Of every class, not of the one that is predicted: probabilities that are right for the top"
            " class only are not."
        ),
    )


MEASURES = (brier_skill, log_loss_skill, top_k_accuracy(), classwise_calibration_error())
