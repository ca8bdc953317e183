"""Metric functions: `sy.gmean(y_true, y_pred)` and every other measure as a function of two columns."""

from __future__ import annotations

import builtins
import functools
import keyword
import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from steelyard._lazy import plugins
from steelyard.counts.labels import Label
from steelyard.errors import AmbiguousNameError, InputError, UndefinedError, warn
from steelyard.measures.catalogue import catalogue, measure, names_of
from steelyard.measures.measure import Measure
from steelyard.measures.names import different, plain_names
from steelyard.measures.undefined import Undefined

# A shorter name says nothing where it stands alone, but for f1.
SHORTEST = 3


@functools.cache
def function_names() -> dict[str, Measure]:
    """The names under which measures are functions."""
    # Ids, aliases and symbols that can be typed, in lower case; symbols as the papers print them; and
    # what other tools call them, as they write it.
    by_name: dict[str, Measure] = {}
    for m in catalogue("all", wide=True):
        for name in names_of(m):
            typed = re.sub(r"[\s-]+", "_", name.strip()).casefold()
            if typed == m.id or _can_be_typed(typed):
                by_name.setdefault(typed, m)
    for m in catalogue("all", wide=True):
        # As a paper prints it: sy.IAM, sy.OP, sy.pr_B.
        for symbol in names_of(m):
            typed = re.sub(r"[\s-]+", "_", symbol)
            # One letter says nothing; pr, re, sp and er are skrabanek2017's.
            is_symbol = _can_be_typed(typed, shortest=2) and not typed.endswith("_")
            # Nor does a symbol that means other measures as well (AUC, F-score).
            with suppress(InputError):
                if typed not in by_name and is_symbol and measure(symbol) is m:
                    by_name[typed] = m
    # garcia2012's; sy.iba is the operator.
    by_name["IBA"] = measure("iba")
    # Ours come first: a name of another tool never hides one of the catalogue.
    for theirs, ours in plain_names().items():
        if _can_be_typed(theirs):
            by_name.setdefault(theirs, measure(ours))
    return by_name


def hint(name: str) -> str:
    """What a name means that is no function here: several metrics, a term, or something of another tool."""
    if term(name) is not None:
        return f"it is not a metric: steelyard explain {name}"
    try:
        measure(name)
    except AmbiguousNameError as error:
        return str(error)
    except InputError:
        pass
    return different(name)


def _can_be_typed(name: str, shortest: int = SHORTEST) -> bool:
    # Can a name be typed as a function's? A short one says nothing, but for f1.
    free = not keyword.iskeyword(name) and not hasattr(builtins, name)
    return (len(name) >= shortest or name == "f1") and name.isascii() and name.isidentifier() and free


def function(name: str) -> Callable[..., float]:
    """The measure of that name as a function of true labels and predictions, or of true labels and scores."""
    chosen = function_names()[name]

    def value(
        y_true: Any,
        y_pred: Any = None,
        *,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        undefined: Undefined = "nan",
        positive: Label | None = None,
        **parameters: Any,
    ) -> float:
        wanted = measure(chosen, **parameters)
        if y_pred is None:
            raise InputError(
                f"{chosen.id} is a function of two columns",
                found="one",
                allowed="true labels, then predicted labels or scores",
                do=f"for a confusion matrix write steelyard.measure({chosen.id!r})(matrix)",
            )
        how = {"labels": labels, "sample_weight": sample_weight, "positive": positive}
        result = wanted.score(y_true, y_pred, undefined=undefined, **how)
        if math.isnan(result) and undefined == "nan":
            # One NaN makes a mean over folds NaN, and nothing there says why.
            try:
                wanted.score(y_true, y_pred, undefined="raise", **how)
            except UndefinedError as why:
                warn(f"{str(why).removesuffix('.')}; undefined=0 counts it as 0.", RuntimeWarning)
        return result

    value.__name__ = value.__qualname__ = name
    value.__module__ = "steelyard"
    value.__doc__ = (
        f"{chosen.question}\n\n{chosen.title}: {chosen.reads}. See `steelyard explain {chosen.id}`."
    )
    return value


def term(name: str) -> dict[str, Any] | None:
    """What a plugin says of a symbol that is not a metric, such as RRT or PREV; None where none knows it."""
    known = (point.load()(name) for point in plugins("terms").values())
    return next((facts for facts in known if facts is not None), None)
