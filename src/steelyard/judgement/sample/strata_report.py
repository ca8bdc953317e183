"""Report of strata: what each label bought, and weights that look like those of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.labels import Label
from steelyard.judgement.sample.strata import Strata
from steelyard.report.numbers import count, percent
from steelyard.report.records import Record, Value
from steelyard.report.sections import Section, Sentence, Table, number_columns, words_column


@dataclass(frozen=True)
class LabelledStratum(Record):
    """A stratum: its rows, those that were labelled, and what they showed."""

    stratum: str
    rows: float
    labelled: int
    positives: int | None
    """Labelled rows of the positive class."""
    share_of_variance: Value
    """The part of the variance of the estimated number of positives (or errors) that is left in it."""


def described(strata: Strata, positive: Label | None) -> tuple[LabelledStratum, ...]:
    """Each stratum, and what its labels leave open."""
    labelled, sizes = strata.labelled, strata.sizes
    place = None if positive is None else strata.labels.index(positive)
    hits = (
        np.trace(strata.matrices, axis1=1, axis2=2)
        if place is None
        else strata.matrices[:, place].sum(axis=1)
    )
    shares = hits / labelled
    # The variance of a stratified total (Cochran 1977, chapter 5), with the finite population correction.
    variances = sizes**2 * (1 - labelled / sizes) * shares * (1 - shares) / labelled
    whole = float(variances.sum())
    return tuple(
        LabelledStratum(
            name,
            float(sizes[h]),
            int(labelled[h]),
            None if place is None else int(hits[h]),
            float(variances[h]) / whole if whole else float("nan"),
        )
        for h, name in enumerate(strata.names)
    )


def strata_section(rows: Sequence[LabelledStratum]) -> Section:
    """The strata as a table, with what each label bought."""
    columns = (
        words_column("stratum"),
        *number_columns("rows", "labelled", "rows per label", "positives", "share of variance"),
    )
    table = tuple(
        (
            row.stratum,
            count(row.rows),
            count(row.labelled),
            f"{row.rows / row.labelled:,.1f}",
            "" if row.positives is None else count(row.positives),
            percent(row.share_of_variance),
        )
        for row in rows
    )
    where = max(
        rows, key=lambda row: 0.0 if row.share_of_variance != row.share_of_variance else row.share_of_variance
    )
    advice = Sentence(f"More labels help most in stratum {where.stratum}.", "soft")
    return Section("Strata", (Table(columns, table, identity="strata", most_printed=40), advice))


def looks_like_inverse_probabilities(weights: Any, rows: Any) -> bool:
    """Are weights those of a sample: many rows stand for far more than one?"""
    total, number = float(np.sum(weights)), float(np.sum(rows))
    # Class weights have a mean near 1; inverse inclusion probabilities stand for the unlabelled rows too.
    return number > 0 and total >= 3 * number


TRAP = (
    "The weights look like inverse inclusion probabilities. Intervals of weighted rows do not know the strata"
    " of a sample: name the columns with --stratum and --inclusion instead."
)
