"""Results of examining measures: the verdicts on one or several of them, and how they relate to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

from steelyard.errors import InputError, parameter
from steelyard.measures.measure import Measure
from steelyard.proofs.portrait import Portrait, portrait_of
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import PROPERTIES, Property
from steelyard.proofs.verdict import Verdict
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Schema, schema_of, titled
from steelyard.report.sections import Report


def missing_provers(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """The command that installs the provers, where a verdict lacks them."""
    if not any("is not installed" in verdict.method for verdict in verdicts):
        return ()
    return ("pip install 'steelyard[proofs]' adds proofs; without it a property can only be refuted",)


@dataclass(frozen=True, repr=False)
class Examination(Record, Presented):
    """Everything decided about one measure."""

    subject: Annotated[str, Json("measure")]
    title: str
    verdicts: tuple[Verdict, ...]
    # What a user's function did that deserves a word.
    remarks: tuple[str, ...] = ()
    # The measure itself, unless it is a user's function.
    measure: Annotated[Measure | None, HIDDEN] = None
    # How it looks, once it was drawn.
    portrait: Annotated[Portrait | None, HIDDEN] = field(default=None, compare=False)
    # Why it cannot be drawn.
    no_picture: Annotated[str, HIDDEN] = ""
    # What asks a user's function for its portrait, in a process of its own.
    portrait_of_function: Annotated[Callable[[], tuple[Portrait | None, str]] | None, HIDDEN] = field(
        default=None, compare=False
    )

    def __getitem__(self, property_id: str) -> Verdict:
        return next(v for v in self.verdicts if v.question == property_id)

    def drawn(self) -> Examination:
        """The same with its figures, where there can be any."""
        if self.portrait is not None or self.no_picture:
            return self
        if self.portrait_of_function is not None:
            portrait, why_not = self.portrait_of_function()
            return replace(self, portrait=portrait, no_picture=why_not)
        return self if self.measure is None else replace(self, portrait=portrait_of(Subject(self.measure)))

    def draw(self, path: str) -> None:
        """Write the figures to files named like `path` (.svg or .png), each with its own name behind."""
        from steelyard.proofs.figures import portrait_charts

        drawn = self.drawn()
        if drawn.portrait is None or not drawn.portrait.has_two_class_values:
            raise InputError(
                "the metric cannot be drawn",
                found=drawn.no_picture or "no value on any matrix of two classes",
                do=f"leave {parameter('picture')} out",
            )
        target = Path(path)
        for name, chart in portrait_charts(drawn.portrait, self.subject).items():
            chart.save(target.with_name(f"{target.stem}-{name}{target.suffix}"))

    def report(self) -> Report:
        return cast(Report, self._beside("report").examination_report(self))

    def to_html(self, path: str | Path | None = None, **more: Any) -> str:
        """The verdicts and the figures as one HTML page that needs nothing else; written to `path` if one is
        given."""
        drawn = self.drawn()
        return super().to_html(path, **more) if drawn is self else drawn.to_html(path, **more)

    def table(self) -> list[dict[str, Any]]:
        """Every verdict as a row of plain data."""
        return [verdict_row(v) for v in self.verdicts]


# Measures up to which every verdict is shown with its evidence.
MOST_IN_FULL = 4


@dataclass(frozen=True, repr=False)
class Overview(Record, Presented):
    """Everything decided about several measures: of a few every verdict, of many a mark for each."""

    ROWS: ClassVar[str] = "examinations"
    IS_LIST: ClassVar[bool] = True
    examinations: tuple[Examination, ...]

    def report(self) -> Report:
        if len(self.examinations) == 1:
            return self.examinations[0].report()
        few = len(self.examinations) <= MOST_IN_FULL
        write = self._beside("report").few_report if few else self._beside("property_table").table_report
        return cast(Report, write(self.examinations))

    def to_html(self, path: str | Path | None = None, **more: Any) -> str:
        if len(self.examinations) == 1:
            return self.examinations[0].to_html(path, **more)
        return super().to_html(path, **more)

    def table(self) -> list[dict[str, Any]]:
        """Every verdict on every measure as a row of plain data."""
        return [row for examination in self.examinations for row in examination.table()]


@dataclass(frozen=True, repr=False)
class Relations(Record, Presented):
    """What was decided about measures and another one."""

    ROWS: ClassVar[str] = "verdicts"
    IS_LIST: ClassVar[bool] = True
    against: str
    verdicts: Annotated[tuple[Verdict, ...], Json("relations")]

    def report(self) -> Report:
        title = f"How metrics relate to {self.against}"
        return cast(Report, self._beside("report").relations_report(title, self.verdicts))

    def table(self) -> list[dict[str, Any]]:
        """Every relation as a row of plain data."""
        return [verdict_row(verdict) for verdict in self.verdicts]


@dataclass(frozen=True, repr=False)
class Statements(Record, Presented):
    """The properties that a measure is examined for, and what they say."""

    ROWS: ClassVar[str] = "properties"
    IS_LIST: ClassVar[bool] = True
    properties: tuple[Property, ...] = PROPERTIES

    def report(self) -> Report:
        return cast(Report, self._beside("report").statements_report(self.properties))


def verdict_row(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a row of a table: its words in full, without its parts."""
    columns = ("measure", "property", "grade", "classes", "method", "text")
    return {name: value for name, value in verdict.to_dict().items() if name in columns}


def json_schema() -> Schema:
    """The JSON schema of `steelyard examine --json`."""
    lists = (tuple[Examination, ...], tuple[Verdict, ...], tuple[Property, ...])
    return titled(
        "steelyard/examine/1",
        "What is true of measures; the second form with --against, the third with --list",
        {"anyOf": [schema_of(form) for form in lists]},
    )


def properties_schema() -> Schema:
    """The JSON schema of `steelyard properties --json`."""
    return titled("steelyard/properties/1", "Measures against properties", schema_of(tuple[Examination, ...]))
