"""Result of planning a test set: designs that are large enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted
from steelyard.report.numbers import percent
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Value, derived, document
from steelyard.report.sections import (
    Column,
    Figure,
    KeyFigure,
    Report,
    Section,
    Sentence,
    table_of,
    words_column,
)
from steelyard.scores.fields import MeasureName

if TYPE_CHECKING:
    from steelyard.report.chart import Chart

# Classes that a table has a column for each of.
MOST_COLUMNS = 6
# The design whose classes are equally large, and values that are shown as one.
EQUAL, SAME = "equal class sizes", 0.005


@dataclass(frozen=True)
class Design(Record):
    """A test set that is large enough: its expected matrix, and the interval the metric would get."""

    name: Annotated[str, Json("design")]
    matrix: Annotated[Confusion, HIDDEN]
    value: Annotated[Value, Json("expected")]
    low: Value
    high: Value

    @property
    def examples(self) -> dict[Label, int]:
        """Examples of each class."""
        return dict(zip(self.matrix.labels, (int(n) for n in self.matrix.actual), strict=True))

    total = derived(int, lambda self: int(self.matrix.total), "examples")
    of_class = derived(dict[str, int], lambda self: {str(label): n for label, n in self.examples.items()})

    def of_classes(self, ends_only: bool) -> Sequence[int]:
        """The examples of each class, or the fewest and the most of one."""
        each = tuple(self.examples.values())
        return (min(each), max(each)) if ends_only else each


@dataclass(frozen=True, repr=False)
class Plan(Record, Presented):
    """How large a test set has to be."""

    SCHEMA: ClassVar[str] = "steelyard/plan/1"
    ROWS: ClassVar[str] = "designs"
    measure: MeasureName
    width: float
    level: float
    assurance: float
    assumed: str
    designs: tuple[Design, ...]

    def report(self) -> Report:
        labels = [str(label) for label in self.designs[0].matrix.labels]
        several = len(labels) > MOST_COLUMNS
        heads = ("fewest of a class", "most of a class") if several else list(map(quoted, labels))
        name, interval = short_name(self.measure), f"{self.level * 100:g}% CI"
        table = table_of(
            self.designs,
            (words_column("test set"), lambda design: design.name),
            ("rows", lambda design: f"{design.total:,}"),
            *(
                (Column(head), lambda design, k=k: f"{design.of_classes(several)[k]:,}")
                for k, head in enumerate(heads)
            ),
            (f"expected {name}", lambda design: f"{design.value:.3f}"),
            (words_column(f"expected {interval}"), lambda of: f"{of.low:.3f} to {of.high:.3f}"),
            identity="designs",
        )
        *_, usual = self.designs
        size = f"a random sample of {usual.total:,} rows"
        if usual.name == EQUAL:
            size = f"{usual.total:,} rows ({usual.total // len(labels):,} of each class)"
        often = "in about half of such test sets"
        if self.assurance > 0.5:
            often = f"with a probability of {percent(self.assurance)}"
        label = f"Label {size}: the {interval} of {name} is then at most {self.width:g} wide {often}."
        sentences = [Sentence(label, "strong")]
        if len(self.designs) > 1:
            equal = self.designs[0]
            fewer = f"With equal class sizes, {equal.total:,} rows are enough"
            other = (
                f"; but {name} depends on prevalence and is {equal.value:.3f} there, not {usual.value:.3f}"
            )
            same = abs(equal.value - usual.value) < SAME
            sentences.append(Sentence(f"{fewer}{'' if same else other}."))
        sentences.append(Sentence(f"Assumed: {self.assumed}.", "soft"))
        if len(self.designs) == 1 and len(labels) == 2:
            how = "for a random sample, give the share of the positive class (--prevalence)"
            sentences.append(Sentence(f"Planned for equal class sizes; {how}.", "soft"))
        parts = (
            Section("", (*sentences, table), "brief"),
            Section("What more or fewer rows give", (Figure(self.charts()["rows"]),), "page"),
        )
        title = f"Test set size for {name} · {interval} at most {self.width:g} wide"
        return Report(title, parts, key=KeyFigure("Rows to label", f"{usual.total:,}", (usual.name,), ""))

    def charts(self) -> Mapping[str, Callable[[], Chart]]:
        """The charts by name: "rows", the width of the interval by the number of rows."""
        points = {design.name: (design.total, self.width) for design in self.designs}
        return {"rows": partial(_by_rows, points, f"Width of the {self.level * 100:g}% CI")}


@dataclass(frozen=True, repr=False)
class PowerPlan(Record, Presented):
    """How large a test set has to be to detect a difference between two models."""

    SCHEMA: ClassVar[str] = "steelyard/plan-power/1"
    measure: MeasureName
    difference: float
    power: float
    level: float
    agreement: float
    assumed: str
    #: The metric of the worse model.
    expected: float
    #: Of the test set, or of each data set; None where they are taken as many.
    rows: int | None
    of_class: dict[str, int] | None
    datasets: int | None
    #: Training seeds of each model; None where they were neither given nor planned.
    seeds: int | None
    #: Clusters of the rows, where these are not independent.
    clusters: int | None
    #: Is the difference the smallest that these rows can show?
    smallest: bool

    def report(self) -> Report:
        name, test = short_name(self.measure), f"at the {100 * (1 - self.level):.3g}% level"
        rows = "" if self.rows is None else f"{self.rows:,} rows"
        rows += "" if self.clusters is None else f" in {self.clusters:,} clusters"
        classes = ", ".join(f"{n:,} {quoted(label)}" for label, n in (self.of_class or {}).items())
        size = f"{rows} ({classes})"
        if self.datasets is not None:
            each = f"of {size} each" if rows else "(so large that chance within them is negligible)"
            size = f"{self.datasets:,} data sets {each}"
        if self.seeds is not None:
            size += f", with {self.seeds:,} training seed{'' if self.seeds == 1 else 's'} of each model,"
        gap = f"a difference of {self.difference:.3g}{' or more' if self.smallest else ''} in {name}"
        sentences = (
            Sentence(f"{size} detect {gap} with a probability (power) of {percent(self.power)}.", "strong"),
            Sentence(f"Both models predict the same rows; the difference is tested two-sided {test}."),
            Sentence(
                f"Assumed: {self.assumed}. The worse model then has {name} {self.expected:.3f}.", "soft"
            ),
            Sentence(
                f"Assumed: the two models share errors to the degree {self.agreement:g}, from 0 (independent)"
                " to 1 (the largest possible overlap) (--agreement).",
                "soft",
            ),
        )
        parts = [Section("", sentences, "brief")]
        if charts := self.charts():
            parts.append(Section("What more or fewer rows detect", (Figure(charts["rows"]),), "page"))
        title = f"Test set size to compare two models by {name} · difference of {self.difference:.3g}"
        planned = {"Data sets": self.datasets, "Smallest difference": self.smallest and self.difference}
        what, number = next(((n, v) for n, v in planned.items() if v), ("Rows", self.rows))
        written = f"{number:,.3g}" if number and number < 1 else f"{number:,}"
        return Report(title, tuple(parts), key=KeyFigure(what, written, (), ""))

    def charts(self) -> Mapping[str, Callable[[], Chart]]:
        """The charts by name: "rows", the difference that is detected by the number of rows."""
        # Variance between data sets or seeds does not fall with the rows.
        if self.rows is None or self.datasets is not None or self.seeds is not None:
            return {}
        points = {"expected": (self.rows, self.difference)}
        return {"rows": partial(_by_rows, points, "Difference that is detected")}


def _by_rows(points: Mapping[str, tuple[int, float]], label: str) -> Chart:
    """What the planned rows reach, and about what others would: it falls with the square root of the rows."""
    from steelyard.report import chart

    marks = []
    for (name, (rows, reached)), colour in zip(points.items(), chart.COLOURS, strict=False):
        xs = [rows * 10 ** (k / 20) for k in range(-20, 21)]
        marks += [
            chart.line(xs, [reached * math.sqrt(rows / x) for x in xs], name, colour),
            chart.dot(rows, reached, f"{rows:,} rows", colour),
        ]
    every = [rows for rows, _ in points.values()]
    x_axis = chart.Axis("Rows (log scale)", min(every) / 10, chart.rounded_up(max(every) * 10), "log")
    y_axis = chart.Axis(label, 0, chart.rounded_up(3.2 * max(reached for _, reached in points.values())))
    caption = "It falls with about the square root of the rows: half of it takes four times as many."
    return chart.Chart("rows", f"{label} by rows", caption, x_axis, y_axis, tuple(marks), "x", caption)


json_schema = partial(
    document, Plan, "How large a test set has to be; the second form with --difference or --rows", PowerPlan
)
