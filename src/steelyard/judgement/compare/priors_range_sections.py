"""What is said of models over a range of class shares?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steelyard.judgement.compare.first_screen import probability
from steelyard.judgement.compare.priors_range import PairOverShares, PriorsRange
from steelyard.measures.short_names import short_name
from steelyard.report.numbers import percent, shown
from steelyard.report.sections import Cell, Section, Sentence, Table, number_columns, words_column

SHOWN = 5
"""Shares of the range that have a row of their own."""


def priors_range_sections(found: PriorsRange) -> Iterator[Section]:
    """Who is better where, and where that flips."""
    ends = f"{percent(float(found.shares[0]))} to {percent(float(found.shares[-1]))}"
    blocks = [Sentence(words, "strong") for pair in found.pairs for words in _said(found, pair)]
    note = (
        f"By {short_name(found.measure)}; the bands hold for all shares and all pairs at once"
        f" ({100 * found.level:g}%)."
        if found.depends
        else f"{short_name(found.measure)} does not depend on the share: choose another measure to see where"
        " models change places."
    )
    yield Section(
        f"If {found.label} has a share of {ends}",
        (*blocks, _table(found), Sentence(note, "soft")),
        "brief",
        "priors-range",
    )


def _said(found: PriorsRange, pair: PairOverShares) -> Iterator[str]:
    if pair.dominates is not None:
        other = pair.second if pair.dominates == pair.first else pair.first
        yield f"{pair.dominates} is better than {other} everywhere in the range."
    elif pair.flips:
        places = ", ".join(percent(share) for share in pair.flips)
        low, high = (pair.first, pair.second) if pair.difference[0] > 0 else (pair.second, pair.first)
        sure = "" if not pair.undecided.all() else "; nowhere in the range is that sure"
        yield (
            f"{low} is better where {found.label} is rarer, then {high}:"
            f" they change places at {places}{sure}."
        )
    elif pair.difference.any():
        better = pair.first if pair.difference.mean() > 0 else pair.second
        surely = percent(1 - float(np.mean(pair.undecided)))
        yield f"{better} looks better everywhere in the range, and is surely so in {surely} of it."
    else:
        yield f"{pair.first} and {pair.second} are equal everywhere in the range."


def _table(found: PriorsRange) -> Table:
    places = np.linspace(0, len(found.shares) - 1, SHOWN).astype(int).tolist()
    rows = [
        (
            f"{pair.first} against {pair.second}",
            percent(float(found.shares[k])),
            Cell(shown(float(pair.difference[k])), "strong"),
            f"{shown(float(pair.low[k]))} to {shown(float(pair.high[k]))}",
            probability(float(pair.probability_better[k])),
        )
        for pair in found.pairs
        for k in places
    ]
    columns = (
        words_column("models"),
        *number_columns(f"share of {found.label}", "the first is better by", "band", "probability of that"),
    )
    return Table(columns, tuple(rows), identity="priors-range")
