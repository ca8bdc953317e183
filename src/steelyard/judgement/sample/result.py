"""Result of choosing an audit sample: the rows to label and what the labels are expected to buy."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.options import Options
from steelyard.judgement.reproduction import command_text
from steelyard.judgement.sample.options import COLUMNS
from steelyard.judgement.sample.strata import Strata
from steelyard.measures.names import short_name
from steelyard.report.numbers import count, percent, shown
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Record, Value, document
from steelyard.report.sections import Block, Report, Section, Sentence, table_of, words_column
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
        parts = {"": self._price(), "Strata": [self._strata()], "Next": self._next()}
        return Report(title, tuple(Section(name, tuple(blocks), "brief") for name, blocks in parts.items()))

    def _price(self) -> Iterator[Block]:
        first, *others = self.expected
        name = short_name(self.measure)
        metric = f'{name} of class "{self.positive}"' if self.measure.kind == "two-class" else name
        earlier = self.labels - self.new_labels
        which = f" ({earlier:,} of them of the earlier sample)" if earlier else ""
        labels = f"{self.labels:,} labels{which}"
        interval = f"a {self.level * 100:g}% confidence interval of about ±{shown(first.half_width)}"
        model = f" ({first.quantity})" if others else ""
        right = ""
        if self.implied_share is not None:
            right = f'The scores imply {percent(self.implied_share)} "{self.positive}". If that is right, '
        yield Sentence(f"{right}{labels} should give {metric} {interval}{model}.", "strong")
        same = "the whole pool" if self.random_labels >= self.rows else f"about {self.random_labels:,} labels"
        # The labels for a half-width that was asked for stand below.
        same = f"; the same width needs {same}" if self.half_width is None else ""
        at_random = f"±{shown(first.random_half_width)} with the same number of labels"
        yield Sentence(f"Simple random sampling: {at_random}{same}.")
        for quantity in others:
            yield Sentence(
                f"{quantity.quantity}: about ±{shown(quantity.half_width)};"
                f" simple random sampling ±{shown(quantity.random_half_width)}."
            )
        if self.needed is not None and self.needed_random is not None:
            yield Sentence(self._needed(self.needed, self.needed_random), "strong")
        if self.implied_share is not None:
            # The interval of recall is as wide as the labelled positives are few: 1 / sqrt(n).
            rarer = (
                f'If only a quarter as many are "{self.positive}", the interval will be about twice as wide.'
            )
            other = "If the true share differs, so will the width."
            yield Sentence(rarer if self.measure.name == "recall" else other)
        yield Sentence(f"Half-widths are {self.assumed}.", "soft")
        if self.implied_share is None:
            yield Sentence("A column of scores (--score) would narrow the interval.", "soft")

    def _needed(self, needed: int, needed_random: int) -> str:
        target = f"±{shown(self.half_width)}"
        if needed >= self.rows:
            return f"{target} needs a label for every row of the pool."
        others = "the whole pool" if needed_random >= self.rows else f"about {needed_random:,} labels"
        if needed == self.labels:
            return f"Simple random sampling needs {others} for {target}."
        if needed > self.labels:
            target = f"{target} is out of reach with {self.labels:,} labels: it"
        return f"{target} needs about {needed:,} labels; simple random sampling needs {others}."

    def _strata(self) -> Block:
        several, by_scores = len(self.models) > 1, self.implied_share is not None

        def models(stratum: Stratum) -> str:
            names = ", ".join(stratum.predicted_positive_by)
            return names or "none" if several else "yes" if names else "no"

        def scores(stratum: Stratum) -> str:
            return f"{shown(stratum.lowest_score)} to {shown(stratum.highest_score)}"

        return table_of(
            self.strata,
            (words_column("stratum"), lambda stratum: str(stratum.stratum)),
            (words_column("scores"), scores) if by_scores else None,
            (words_column(f'predicted "{self.positive}"' + (" by" if several else "")), models),
            ("rows", lambda stratum: f"{stratum.rows:,}"),
            ("labels", lambda stratum: f"{stratum.labels:,}"),
            ("rows per label", lambda stratum: f"{stratum.rows / stratum.labels:,.1f}"),
            ("share of variance", lambda stratum: percent(stratum.share_of_variance)),
            identity="strata",
            most_printed=40,
        )

    def _next(self) -> Iterator[Block]:
        file = self.rows_file or "to_label.csv"
        first = "Add" if self.rows_file else f"Repeat the command with --out {file} to write the rows, add"
        yield Sentence(
            f"{first} a column y of true labels to {file} (leave the columns {', '.join(COLUMNS)} as they"
            " are), then:"
        )
        labels: dict[str, Any] = {"pred": self.models[0]}
        if self.threshold is not None:
            labels = {"score": self.models[0], "threshold": self.threshold}
        options = Options(file, truth="y", **labels, positive=self.positive)
        yield Sentence(command_text("evaluate", options), "code")


json_schema = partial(document, Sample, "Which rows to label, and what the labels will buy")


# What each label of a finished sample bought.
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
    hits = np.trace(strata.matrices, axis1=1, axis2=2)
    if place is not None:
        hits = strata.matrices[:, place].sum(axis=1)
    shares = hits / labelled
    # The variance of a stratified total (Cochran 1977, chapter 5), with the finite population correction.
    variances = sizes**2 * (1 - labelled / sizes) * shares * (1 - shares) / labelled
    whole = float(variances.sum())
    described = []
    for h, name in enumerate(strata.names):
        positives = None if place is None else int(hits[h])
        share = float(variances[h]) / whole if whole else float("nan")
        described.append(LabelledStratum(name, float(sizes[h]), int(labelled[h]), positives, share))
    return tuple(described)


def strata_section(rows: Sequence[LabelledStratum]) -> Section:
    """The strata as a table, with what each label bought."""
    table = table_of(
        rows,
        (words_column("stratum"), lambda row: row.stratum),
        ("rows", lambda row: count(row.rows)),
        ("labelled", lambda row: count(row.labelled)),
        ("rows per label", lambda row: f"{row.rows / row.labelled:,.1f}"),
        ("positives", lambda row: "" if row.positives is None else count(row.positives)),
        ("share of variance", lambda row: percent(row.share_of_variance)),
        identity="strata",
        most_printed=40,
    )
    where = max(rows, key=lambda row: 0.0 if np.isnan(row.share_of_variance) else row.share_of_variance)
    advice = Sentence(f"More labels help most in stratum {where.stratum}.", "soft")
    return Section("Strata", (table, advice))
