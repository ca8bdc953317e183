"""Result of planning a test set: designs that are large enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.names import short_name
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Value, derived, document
from steelyard.report.sections import Column, Report, Section, Sentence, table_of, words_column
from steelyard.scores.fields import MeasureName

# Classes that a table has a column for each of.
MOST_COLUMNS = 6


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
    measure: MeasureName
    width: float
    level: float
    assurance: float
    assumed: str
    designs: tuple[Design, ...]

    def table(self) -> list[dict[str, Any]]:
        return [design.to_dict() for design in self.designs]

    def report(self) -> Report:
        labels = [str(label) for label in self.designs[0].matrix.labels]
        several = len(labels) > MOST_COLUMNS
        heads = (
            ("fewest of a class", "most of a class") if several else [f'"{label}" rows' for label in labels]
        )
        table = table_of(
            self.designs,
            (words_column("classes"), lambda design: design.name),
            ("total rows", lambda design: f"{design.total:,}"),
            *(
                (Column(head), lambda design, k=k: f"{design.of_classes(several)[k]:,}")
                for k, head in enumerate(heads)
            ),
            ("expected", lambda design: f"{design.value:.3f}"),
            (words_column(f"{self.level * 100:g}% CI"), lambda of: f"{of.low:.3f} to {of.high:.3f}"),
            identity="designs",
        )
        assurance = (
            f"A test set of this size has an interval this narrow with probability {self.assurance:g}."
        )
        if self.assurance <= 0.5:
            assurance = "About half of the test sets of this size have an interval this narrow."
        assumed = [f"Assumed: {self.assumed}."]
        if len(self.designs) == 1 and len(labels) == 2:
            assumed.append("For a test set of equal class sizes; --prevalence gives yours.")
        notes = (Sentence(words, "soft") for words in assumed)
        section = Section("", (*notes, table, Sentence(assurance, "soft")), "brief")
        name = short_name(self.measure)
        title = f"Test set size for {name} with a confidence interval at most {self.width:g} wide"
        return Report(title, (section,))


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

    def table(self) -> list[dict[str, Any]]:
        return [self.to_dict()]

    def report(self) -> Report:
        name = short_name(self.measure)
        size = "many rows" if self.rows is None else f"{self.rows:,} rows"
        size += "" if self.clusters is None else f" in {self.clusters:,} clusters"
        classes = ", ".join(f'{n:,} of "{label}"' for label, n in (self.of_class or {}).items())
        many = "" if self.seeds == 1 else "s"
        trained = "" if self.seeds is None else f", with {self.seeds:,} training seed{many} of each model,"
        gap = f"a difference of {self.difference:.3g} in {name}"
        if self.smallest:
            answer = f"A test set of {size} ({classes}){trained} can show {gap}."
        elif self.datasets is not None:
            answer = f"{self.datasets:,} data sets with {size} each{trained} are needed to detect {gap}."
        else:
            answer = f"{size} ({classes}){trained} are needed to detect {gap}."
        details = (
            f"Two models on the same rows, two-sided test at {100 * (1 - self.level):.3g}%, power"
            f" {self.power:g}. Assumed: {self.assumed}; the worse model has {name} {self.expected:.3f};"
            f" agreement of the models {self.agreement:g}."
        )
        section = Section("", (Sentence(answer, "strong"), Sentence(details, "soft")), "brief")
        return Report(f"Power to detect a difference in {name}", (section,))


json_schema = partial(
    document, Plan, "How large a test set has to be; the second form with --difference or --rows", PowerPlan
)
