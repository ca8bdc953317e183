"""Audit printed results: exact bounds and an integer search over all matrices they could come from."""

# `steelyard.audit` answers for printed numbers. The names below are public for those whose numbers are given
# in another way: a `Demand` is a measure and the `Interval` in which its value lies, a setting (`OneMatrix`,
# `Folds`) says which matrices there are, and `setting.decide(demands, Budget(seconds))` searches them.

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard._lazy import lazily

if TYPE_CHECKING:
    from steelyard.auditing.checker.question import Interval as Interval
    from steelyard.auditing.problem.demands import Demand as Demand
    from steelyard.auditing.problem.folds import Folds as Folds
    from steelyard.auditing.problem.folds import Setting as Setting
    from steelyard.auditing.problem.settings import OneMatrix as OneMatrix
    from steelyard.auditing.problem.settings import Sizes as Sizes
    from steelyard.auditing.result import AuditResult as AuditResult
    from steelyard.auditing.search.branch_and_bound import Budget as Budget

_HOMES = {
    "AuditResult": "result",
    "Budget": "search.branch_and_bound",
    "Demand": "problem.demands",
    "Folds": "problem.folds",
    "Interval": "checker.question",
    "OneMatrix": "problem.settings",
    "Setting": "problem.folds",
    "Sizes": "problem.settings",
}
__all__ = list(_HOMES)
__getattr__ = lazily(__name__, _HOMES)
