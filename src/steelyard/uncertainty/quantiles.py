"""Quantiles of the Beta and Student distributions: the only place that needs SciPy, and only when asked for."""

from __future__ import annotations

from typing import Any

from steelyard.errors import MissingExtraError


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Below which value lies this much of Beta(a, b)?"""
    return float(_special("Clopper-Pearson intervals").betaincinv(a, b, probability))


def student_below(value: float, degrees: float) -> float:
    """How much of Student's t distribution lies below a value?"""
    return float(_special("comparing over folds").stdtr(degrees, value))


def student_quantile(probability: float, degrees: float) -> float:
    """Below which value lies this much of Student's t distribution?"""
    return float(_special("comparing over folds").stdtrit(degrees, probability))


def _special(purpose: str) -> Any:
    try:
        from scipy import special
    except ImportError as error:
        raise MissingExtraError("scipy", "stats", purpose) from error
    return special
