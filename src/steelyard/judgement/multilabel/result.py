"""Result of a multi-label evaluation: each label, and their averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from steelyard._version import __version__
from steelyard.counts.confusion import Confusion
from steelyard.counts.label_sets import LabelSets
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, derived, document
from steelyard.report.records import Value as Number
from steelyard.report.sections import Cell, ColumnOf, Report, Section, Sentence, Table, table_of, words_column
from steelyard.scores.fields import NUMBER, many

WORDS: Final = {
    "macro": "the mean over labels",
    "weighted": "the mean over labels, each counting as often as it occurs",
    "micro": "all answers of all labels together",
    "samples": "the mean over rows",
}


@dataclass(frozen=True)
class Value(Record):
    """A value with its interval, or why there is none."""

    value: Number
    low: Number = math.nan
    high: Number = math.nan
    why_undefined: Annotated[str | None, Json("undefined_because")] = None


@dataclass(frozen=True, eq=False)
class LabelReport(Record):
    """One label against its absence."""

    label: str
    matrix: Annotated[Confusion, Json(write=lambda matrix: matrix.counts.tolist(), schema=many(many(NUMBER)))]
    values: Annotated[dict[str, Value], Json("measures")]

    examples = derived(int, lambda self: int(self.matrix.counts[0].sum()))
    predicted = derived(int, lambda self: int(self.matrix.counts[:, 0].sum()))


@dataclass(frozen=True, repr=False, eq=False)
class MultilabelEvaluation(Record, Presented):
    """What is said of a classifier that gives each row any number of labels.

    >>> import steelyard as sy
    >>> found = sy.evaluate_multilabel([[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [0, 1]], undefined=0)
    >>> round(found.subset_accuracy.value, 3), round(found.hamming_loss.value, 3)
    (0.333, 0.333)
    >>> round(found.averages["macro"]["recall"].value, 3)
    0.75
    """

    SCHEMA: ClassVar[str] = "steelyard/multilabel/1"
    source: str
    sets: Annotated[LabelSets, HIDDEN]
    measures: Annotated[tuple[Measure, ...], HIDDEN]
    labels: tuple[LabelReport, ...]
    #: By the kind of average, then by the name of the measure.
    averages: dict[str, dict[str, Value]]
    #: Share of rows with every label correct.
    subset_accuracy: Value
    #: Share of wrong labels.
    hamming_loss: Value
    level: float
    replicates: int
    notes: tuple[str, ...]

    steelyard = derived(str, lambda self: __version__)
    rows = derived(int, lambda self: self.sets.n_rows)
    rows_left_out = derived(int, lambda self: self.sets.dropped)

    def table(self) -> list[dict[str, Any]]:
        """A row for each label and for each average."""
        rows: list[dict[str, Any]] = [
            {"id": row.label, "kind": "label", "examples": row.examples, "predicted": row.predicted}
            | {name: value.value for name, value in row.values.items()}
            for row in self.labels
        ]
        every = int(self.sets.by_label.counts[:, 0].sum()), int(self.sets.by_label.counts[..., 0].sum())
        rows += [
            {"id": kind, "kind": "average", "examples": every[0], "predicted": every[1]}
            | {name: value.value for name, value in values.items()}
            for kind, values in self.averages.items()
        ]
        return rows

    def report(self) -> Report:
        """The whole rows first, then the averages, then each label."""
        sets = self.sets
        cells = sets.by_label.counts
        carried, called = (int(counts.sum()) for counts in (cells[:, 0], cells[..., 0]))
        title = (
            f"{Path(self.source).name} · {count(len(sets.labels))} labels · {count(sets.n_rows)} rows · "
            f"{carried / sets.n_rows:.2f} labels a row, {called / sets.n_rows:.2f} predicted"
        )
        sections = (
            Section("", tuple(_verdict(self, carried)), "brief", "verdict"),
            Section("Averages", (_averages(self), *_undefined(self)), "brief", "averages"),
            Section("Labels", (_labels(self),), "brief", "labels"),
            Section("What each average is", tuple(_words(self)), "full", "words"),
        )
        return Report(title, sections, f"Steelyard {__version__}.")


json_schema = partial(document, MultilabelEvaluation, "A classifier that gives each row any number of labels")
# Below so many positives of a label, recall has a 95% interval wider than about 0.3.
RARE = 30


def _verdict(result: MultilabelEvaluation, carried: int) -> Iterator[Sentence]:
    sets = result.sets
    yield Sentence(
        f"All labels are correct in {count(sets.rows_all_right)} of {count(sets.n_rows)} rows"
        f" (subset accuracy {_with_interval(result.subset_accuracy, result.level)}).",
        "strong",
    )
    answers = sets.n_rows * len(sets.labels)
    yield Sentence(
        f"{count(sets.errors)} of {count(answers)} label decisions (row x label) are wrong (Hamming loss"
        f" {_with_interval(result.hamming_loss, result.level)}); always predicting no label gets"
        f" {count(carried)} wrong ({percent(carried / answers)}).",
        "strong",
    )
    rare = [row.label for row in result.labels if row.examples < RARE]
    if rare:
        named = ", ".join(short(label, 20) for label in rare[:3])
        more = f" and {len(rare) - 3} more labels" if len(rare) > 3 else ""
        yield Sentence(
            f"Fewer than {RARE} examples of {named}{more}: their metrics, and the macro averages,"
            " are uncertain.",
            "bad",
        )
    for note in result.notes:
        yield Sentence(note, "soft")


def _with_interval(value: Value, level: float) -> str:
    """A value in a sentence, with its confidence interval."""
    ends = between(value.low, value.high)
    return shown(value.value) + (f", {100 * level:g}% CI {ends}" if ends else "")


def _columns(result: MultilabelEvaluation, values_of: Callable[[Any], Any]) -> list[ColumnOf[Any]]:
    """A column for each metric, and the interval of F1 or of the last one."""

    def cell(row: Any, name: str) -> Cell:
        value = values_of(row)[name]
        if math.isnan(value.value):
            return Cell("-", "soft", tip=value.why_undefined or "")
        return Cell(shown(value.value), tip=between(value.low, value.high))

    def interval(row: Any) -> str:
        value = values_of(row)[deciding]
        return between(value.low, value.high) or "-"

    names = _names(result)
    deciding = "f_beta" if "f_beta" in names else list(names)[-1]
    columns = [(display, partial(cell, name=name)) for name, display in names.items()]
    return [*columns, (f"{names[deciding]}, {100 * result.level:g}% CI", interval)]


def _names(result: MultilabelEvaluation) -> dict[str, str]:
    """The display names of the metrics; of sets of labels people say Jaccard."""
    return {m.name: "Jaccard" if m.id == "threat_score" else short_name(m) for m in result.measures}


def _averages(result: MultilabelEvaluation) -> Table:
    columns = _columns(result, lambda row: row[1])
    kinds = (words_column("average"), lambda row: row[0])
    of_metrics = columns if result.replicates else columns[:-1]
    return table_of(result.averages.items(), kinds, *of_metrics, identity="averages")


def _undefined(result: MultilabelEvaluation) -> Iterator[Sentence]:
    """One sentence for each kind of average that has no value, with the first reason."""
    for kind, values in result.averages.items():
        without = {name: value for name, value in values.items() if value.why_undefined}
        if without:
            names = ", ".join(_names(result)[name] for name in without)
            why = next(iter(without.values())).why_undefined
            yield Sentence(
                f"No {kind} average of {names}: {why}. --undefined skip leaves them out, --undefined 0 counts"
                " them as 0.",
                "soft",
            )


def _labels(result: MultilabelEvaluation) -> Table:
    return table_of(
        sorted(result.labels, key=lambda row: row.examples),
        (words_column("label"), lambda row: short(row.label, 24)),
        ("examples", lambda row: count(row.examples)),
        ("predicted", lambda row: count(row.predicted)),
        *_columns(result, lambda row: row.values),
        identity="labels",
        most_printed=12,
    )


def _words(result: MultilabelEvaluation) -> Iterator[Sentence]:
    for kind, words in WORDS.items():
        yield Sentence(f"{kind}: {words}.")
    if result.replicates:
        yield Sentence(
            f"Intervals of averages ({100 * result.level:g}%) come from resampling the rows"
            f" {result.replicates:,} times; those of single labels from the posterior of their rates."
        )
