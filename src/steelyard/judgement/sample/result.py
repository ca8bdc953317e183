"""Result of choosing an audit sample: the rows to label and what the labels are expected to buy."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from steelyard.counts.labels import Label
from steelyard.judgement.sample.options import COLUMNS
from steelyard.judgement.sample.strata import Strata
from steelyard.measures.names import short_name
from steelyard.report.numbers import count, percent, shown
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Record, Schema, Value, document
from steelyard.report.sections import (
    Block,
    Report,
    Section,
    Sentence,
    Table,
    command_line,
    number_columns,
    words_column,
)
from steelyard.scores.fields import MeasureName


@dataclass(frozen=True)
class Stratum(Record):
    """Rows with one prediction and neighbouring scores, of which some are labelled at random."""

    stratum: int
    rows: int
    labels: int
    lowest_score: float
    highest_score: float
    predicted_positive_by: tuple[str, ...]
    #: The part of the expected variance of the metric that is left in this stratum.
    share_of_variance: float


@dataclass(frozen=True)
class Expected(Record):
    """The half-width of the confidence interval to expect, of a model or of a difference."""

    quantity: str
    half_width: float
    #: With as many labels of a simple random sample.
    random_half_width: float


@dataclass(frozen=True, repr=False)
class Sample(Record, Presented):
    """Which rows to label, and what the labels will buy."""

    SCHEMA: ClassVar[str] = "steelyard/sample/1"
    pool: str
    rows: int
    #: Labels altogether, with those of an earlier sample.
    labels: int
    new_labels: int
    positive: str
    measure: MeasureName
    level: float
    seed: int
    models: tuple[str, ...]
    #: The score from which a row is predicted positive; None where labels were given.
    threshold: Annotated[float | None, HIDDEN]
    assumed: str
    #: The share of positives that the scores imply; None where there are no scores.
    implied_share: Annotated[float | None, HIDDEN]
    expected: tuple[Expected, ...]
    #: The half-width that was asked for.
    half_width: float | None
    #: Labels that it needs.
    needed: int | None
    #: Labels of a simple random sample that it needs.
    needed_random: int | None
    strata: tuple[Stratum, ...]
    #: The rows to label, numbered from 0.
    chosen: Annotated[tuple[int, ...], HIDDEN]
    columns: Annotated[tuple[str, ...], HIDDEN]
    table_rows: Annotated[tuple[tuple[str, ...], ...], HIDDEN]
    #: Labels of a simple random sample with the half-width that is expected here.
    random_labels: int = 0
    #: The file that the rows to label are written to, where that is known.
    rows_file: Annotated[str | None, HIDDEN] = None

    def table(self) -> list[dict[str, Any]]:
        """The rows to label as text, with the columns that were added."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.table_rows]

    def to_csv(self) -> str:
        """The rows to label as a CSV file."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.table_rows)
        return text.getvalue()

    def report(self) -> Report:
        title = f"{Path(self.pool).name} · {self.rows:,} rows · {self.labels:,} to label"
        return Report(
            title,
            (
                Section("", tuple(self._price()), "brief"),
                Section("Strata", tuple(self._strata()), "brief"),
                Section("Next", tuple(self._next()), "brief"),
            ),
        )

    @property
    def _metric(self) -> str:
        name = short_name(self.measure)
        return f'{name} of class "{self.positive}"' if self.measure.kind == "two-class" else name

    def _price(self) -> Iterator[Block]:
        first, *others = self.expected
        ci = f"{self.level * 100:g}% confidence interval"
        added = self.labels - self.new_labels
        which = f"{self.labels:,} labels ({added:,} of them of the earlier sample)" if added else ""
        yield Sentence(
            f"{which or f'{self.labels:,} labels'} give {self._metric} a {ci} of about"
            f" ±{shown(first.half_width)}" + (f" ({first.quantity})." if others else "."),
            "strong",
        )
        whole = self.random_labels >= self.rows
        yield Sentence(
            f"Simple random sampling: ±{shown(first.random_half_width)} with as many labels"
            + (
                "."
                if self.half_width is not None  # the labels for that width stand below
                else "; the same width needs the whole pool."
                if whole
                else f"; the same width needs about {self.random_labels:,} labels."
            )
        )
        for quantity in others:
            yield Sentence(
                f"{quantity.quantity}: about ±{shown(quantity.half_width)};"
                f" simple random sampling ±{shown(quantity.random_half_width)}."
            )
        if self.half_width is not None:
            yield Sentence(self._needed(), "strong")
        if self.implied_share is not None:
            rarer = "it is rarer, the interval is wider"
            other = "the true share is another, so is the width"
            yield Sentence(
                f'The scores imply {percent(self.implied_share)} "{self.positive}"; if'
                f" {rarer if self.measure.name == 'recall' else other}."
            )
        yield Sentence(f"Half-widths are {self.assumed}.", "soft")
        if self.implied_share is None:
            yield Sentence("A column of scores (--score) would narrow the interval.", "soft")

    def _needed(self) -> str:
        target = f"±{shown(self.half_width)}"
        if self.needed is None or self.needed_random is None or self.half_width is None:
            return ""
        others = (
            "the whole pool" if self.needed_random >= self.rows else f"about {self.needed_random:,} labels"
        )
        if self.needed >= self.rows:
            return f"{target} needs a label for every row of the pool."
        number = f"about {self.needed:,} labels"
        if self.needed > self.labels:
            return (
                f"{target} is out of reach with {self.labels:,} labels: it needs {number};"
                f" simple random sampling needs {others}."
            )
        return f"{target} needs {number}; simple random sampling needs {others}."

    def _strata(self) -> Iterator[Block]:
        many, by_scores = len(self.models) > 1, self.implied_share is not None
        rows = tuple(
            (
                str(stratum.stratum),
                *([f"{shown(stratum.lowest_score)} to {shown(stratum.highest_score)}"] if by_scores else []),
                (", ".join(stratum.predicted_positive_by) or "none")
                if many
                else ("yes" if stratum.predicted_positive_by else "no"),
                f"{stratum.rows:,}",
                f"{stratum.labels:,}",
                f"{stratum.rows / stratum.labels:,.1f}",
                percent(stratum.share_of_variance),
            )
            for stratum in self.strata
        )
        columns = (
            words_column("stratum"),
            *([words_column("scores")] if by_scores else []),
            words_column(f'predicted "{self.positive}"' + (" by" if many else "")),
            *number_columns("rows", "labels", "rows per label", "share of variance"),
        )
        yield Table(columns, rows, identity="strata", most_printed=40)

    def _next(self) -> Iterator[Block]:
        file = self.rows_file or "to_label.csv"
        first = "Add" if self.rows_file else f"Write the rows to label with --out {file}, add"
        yield Sentence(
            f"{first} a column y of true labels to {file} (leave the columns {', '.join(COLUMNS)} as they"
            " are), then:"
        )
        model = self.models[0]
        labels = (
            {"pred": model}
            if self.threshold is None
            else {"score": model, "threshold": f"{self.threshold:g}"}
        )
        yield Sentence(command_line("evaluate", file, truth="y", **labels, positive=self.positive), "code")


def json_schema() -> Schema:
    """The JSON schema of `steelyard sample --json`."""
    return document(Sample, "Which rows to label, and what the labels will buy")


# What each label of a finished sample bought, and weights that look like those of a sample.
@dataclass(frozen=True)
class LabelledStratum(Record):
    """A stratum: its rows, those that were labelled, and what they showed."""

    stratum: str
    rows: float
    labelled: int
    #: Labelled rows of the positive class.
    positives: int | None
    #: The part of the variance of the estimated number of positives (or errors) that is left in it.
    share_of_variance: Value


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
