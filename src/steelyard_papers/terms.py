"""The papers' symbols that are not metrics (class ratios, bounds, relevance), for `steelyard explain`."""

# Also a metric weighted by relevance as branco2017 writes it: Rec^PREV, CBA^phi.

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from steelyard import measure
from steelyard.measures import short_name

# branco2017's relevance-based metrics without their exponent: the metric here that is weighted.
OF_RELEVANCE = {
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


@cache
def terms() -> dict[str, dict[str, Any]]:
    """Every term by each of its symbols: title, meaning, formula, sources, notes and commands."""
    rows = json.loads((resources.files("steelyard_papers") / "terms.json").read_text("utf-8"))
    return {symbol: {"notes": [], **row} for row in rows for symbol in row["symbols"]}


def term(name: str) -> dict[str, Any] | None:
    """The term that this symbol means, None where it means none; symbols are case-sensitive."""
    symbol = name.strip()
    if symbol in terms():
        return terms()[symbol]
    base, _, exponent = symbol.partition("^")
    # Rec^{PREV} in LaTeX, Rec^PREV as text.
    weights = terms().get(exponent.strip("{}"))
    if base not in OF_RELEVANCE or weights is None or not weights["sources"][0].startswith("branco2017"):
        return None
    metric_id, equation = OF_RELEVANCE[base]
    weighted = measure(metric_id)
    meaning = weights["meaning"]
    return {
        "symbols": [f"{base}^{weights['symbols'][0]}"],
        "title": f"{short_name(weighted)}, weighted by relevance",
        "meaning": f"{weights['title']}: {meaning[0].lower()}{meaning[1:]}",
        "reads": f"{weighted.reads}, with weights φ_i / sum of φ; {weights['reads']}",
        "sources": [f"branco2017 {equation}", *weights["sources"]],
        "notes": [
            f"In Python: sy.weighted_by({metric_id!r}, relevance).",
            *weights["notes"],
            *(note for note in weighted.notes if "CBA^φ" in note),
        ],
        "commands": [*weights["commands"], f"steelyard explain {metric_id}"],
    }
