"""Symbols of the papers that are not metrics: ratios of class sizes, bounds, class relevance."""

# `steelyard explain` answers to them beside the names of metrics, also to a metric weighted by relevance
# as branco2017 writes it: Rec^PREV, CBA^phi.

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steelyard.measures.catalogue import measure
from steelyard.measures.record import Citation, cite


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
        title=f"{weighted.title}, weighted by relevance",
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
