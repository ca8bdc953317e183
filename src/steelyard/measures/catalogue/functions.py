"""Metric functions: `sy.gmean(y_true, y_pred)` and every other measure as a function of two columns;
the papers' symbols that are no metrics (class ratios, bounds, class relevance)."""

from __future__ import annotations

import builtins
import functools
import json
import keyword
import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steelyard.counts.labels import Label
from steelyard.errors import AmbiguousNameError, InputError, UndefinedError, warn
from steelyard.measures.catalogue import catalogue, measure, names_of
from steelyard.measures.measure import Measure
from steelyard.measures.names import different, plain_names, short_name
from steelyard.measures.record import Citation, cite
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


# `steelyard explain` answers to terms beside the names of metrics, also to a metric weighted by relevance as
# branco2017 writes it: Rec^PREV, CBA^phi.
@dataclass(frozen=True)
class Term:
    """A symbol with its meaning, its source, and where it is used here."""

    symbols: tuple[str, ...]
    title: str
    meaning: str
    reads: str
    sources: tuple[Citation, ...]
    notes: tuple[str, ...] = ()
    # Commands that show it.
    see: tuple[str, ...] = ()


def _read(row: dict[str, Any]) -> Term:
    listed = {key: tuple(row.get(key, ())) for key in ("symbols", "notes", "see")}
    return Term(**(row | listed | {"sources": cite(*row["sources"])}))


TERMS = tuple(map(_read, json.loads(Path(__file__).with_name("terms.json").read_text(encoding="utf-8"))))
_BY_SYMBOL = {symbol: term for term in TERMS for symbol in term.symbols}
# branco2017's relevance-based metrics without their exponent: the metric here that is weighted.
_OF_RELEVANCE = {
    "Rec": ("macro_recall", "Eq. 4"),
    "Prec": ("macro_precision", "Eq. 5"),
    "F_β": ("f_beta_of_macros", "Eq. 6"),
    "F_beta": ("f_beta_of_macros", "Eq. 6"),
    "F_1": ("f_beta_of_macros", "Eq. 6"),
    "AvF_β": ("macro_f_beta", "Eq. 7"),
    "AvF_beta": ("macro_f_beta", "Eq. 7"),
    "AvF_1": ("macro_f_beta", "Eq. 7"),
    "CBA": ("class_balance_accuracy", "Eq. 8"),
}


def term(name: str) -> Term | None:
    """The term that this symbol means, None where it means none; symbols are case-sensitive."""
    symbol = name.strip()
    if symbol in _BY_SYMBOL:
        return _BY_SYMBOL[symbol]
    base, _, exponent = symbol.partition("^")
    # Rec^{PREV} in LaTeX, Rec^PREV as text.
    weights = _BY_SYMBOL.get(exponent.strip("{}"))
    if base not in _OF_RELEVANCE or weights is None or weights.sources[0].key != "branco2017":
        return None
    metric_id, equation = _OF_RELEVANCE[base]
    weighted = measure(metric_id)
    return replace(
        weights,
        symbols=(f"{base}^{weights.symbols[0]}",),
        title=f"{short_name(weighted)}, weighted by relevance",
        meaning=f"{weights.title}: {weights.meaning[0].lower()}{weights.meaning[1:]}",
        reads=f"{weighted.reads}, with weights φ_i / sum of φ; {weights.reads}",
        sources=cite(f"branco2017 {equation}") + weights.sources,
        notes=(
            f"In Python: sy.weighted_by({metric_id!r}, relevance).",
            *weights.notes,
            *(note for note in weighted.notes if "CBA^φ" in note),
        ),
        see=(*weights.see, f"steelyard explain {metric_id}"),
    )
