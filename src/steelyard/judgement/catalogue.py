"""The catalogue as results: every metric in a list, and all that is known about one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal

from steelyard.measures.catalogue import catalogue, measure
from steelyard.measures.catalogue.functions import term
from steelyard.measures.measure import Measure
from steelyard.measures.names import introduced
from steelyard.measures.record import Citation, cite
from steelyard.measures.score_measure import ScoreMeasure
from steelyard.measures.undefined import NEVER_UNDEFINED
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, Json, Record, Schema, schema_of, titled
from steelyard.report.sections import Cell, Report, Section, Sentence, Table, table_of, words_column
from steelyard.scores.fields import TEXT, Bounds, many

# What a kind of metric is computed from, as `explain` writes it.
FOR = {
    "two-class": "two classes, one of them positive",
    "multi-class": "any number of classes",
    "scores": "scores, a column for each class",
}
Citations = Annotated[Sequence[Citation], Json(schema=many(TEXT))]


@dataclass(frozen=True, repr=False)
class Explanation(Record, Presented):
    """All that is known about one measure."""

    id: str
    name: str
    symbols: tuple[str, ...]
    aliases: tuple[str, ...]
    title: str
    question: str
    formula: str
    reads: str
    kind: Literal["two-class", "multi-class", "scores"]
    range: Bounds
    better: Literal["higher", "lower", "neither"]
    undefined_when: str
    parameters: dict[str, Any]
    relations: Annotated[
        Sequence[Any],
        Json(write=lambda relations: [relation.text for relation in relations], schema=many(TEXT)),
    ]
    sources: Citations
    notes: tuple[str, ...]
    measure: Annotated[Measure, HIDDEN]

    @classmethod
    def of(cls, measure: Measure) -> Explanation:
        """What the measure declares."""
        return cls(
            **{field.name: getattr(measure, field.name) for field in fields(cls)[:-1]}, measure=measure
        )

    def report(self) -> Report:
        return _explained(introduced(self.measure), self.question, _facts(self.measure))


@dataclass(frozen=True, repr=False)
class TermExplanation(Record, Presented):
    """What a symbol of a paper means that is not a metric, such as RRT or PREV."""

    term: str
    symbols: Sequence[str]
    title: str
    meaning: str
    reads: str
    sources: Citations
    notes: Sequence[str]
    commands: Sequence[str]

    def report(self) -> Report:
        facts = (
            ("formula", self.reads),
            ("notes", "\n".join(self.notes)),
            ("sources", _sources(self.sources)),
            ("see", "\n".join(self.commands)),
        )
        return _explained(f"{self.title} ({', '.join(self.symbols)})", self.meaning, facts)


@dataclass(frozen=True, repr=False)
class MeasureList(Record, Presented):
    """Measures of the catalogue, a line each."""

    SCHEMA: ClassVar[str] = "steelyard/measures/1"
    ROWS: ClassVar[str] = "measures"
    IS_LIST: ClassVar[bool] = True
    measures: tuple[Explanation, ...]

    def report(self) -> Report:
        number = len(self.measures)
        details: list[tuple[str, Callable[[Explanation], str]]] = [
            ("symbols", lambda m: ", ".join(m.symbols)),
            ("range", lambda m: str(m.range)),
            ("better", lambda m: m.better),
            ("sources", lambda m: ", ".join(dict.fromkeys(source.key for source in m.sources))),
        ]
        table = table_of(
            self.measures,
            (words_column("id", whole=True), lambda m: m.name),
            (words_column("question"), lambda m: m.question),
            *((words_column(name, depth="full"), text) for name, text in details),
            identity="measures",
            most_printed=number,
            most_on_page=number,
        )
        return Report(f"{number} metrics", (Section("", (table,), "brief"),))


def explained(name: str) -> Explanation | TermExplanation:
    """A metric by id, symbol or alias, or another symbol that a paper prints (RRT, PREV, Rec^PREV)."""
    facts = term(name)
    if facts is None:
        return Explanation.of(measure(name))
    return TermExplanation(term=facts["symbols"][0], **facts | {"sources": cite(*facts["sources"])})


def listed(kind: Literal["two-class", "multi-class", "scores"] | None = None) -> MeasureList:
    """Every measure of the catalogue, or every one of a kind."""
    return MeasureList(tuple(map(Explanation.of, catalogue(kind or "all", wide=True))))


def json_schema() -> Schema:
    """The JSON schema of `steelyard explain --json`."""
    return titled(
        "steelyard/explain/1",
        "What is known about a metric; the second form of a symbol that is none, such as RRT or PREV",
        {"anyOf": [schema_of(Explanation), schema_of(TermExplanation)]},
    )


def list_schema() -> Schema:
    """The JSON schema of `steelyard measures --json`."""
    return titled(MeasureList.SCHEMA, "The metrics of the catalogue", schema_of(tuple[Explanation, ...]))


def _explained(title: str, opening: str, facts: Iterable[tuple[str, str]]) -> Report:
    rows = tuple((Cell(name, "soft"), text) for name, text in facts if text)
    table = Table((words_column("", whole=True), words_column("")), rows, "facts")
    return Report(title, (Section("", (Sentence(opening), table), "brief"),))


def _facts(m: Measure) -> Iterator[tuple[str, str]]:
    end = "neither end" if m.better == "neither" else m.better
    yield "formula", m.reads
    yield "LaTeX", m.formula
    yield "range", f"{m.range}, {end} is better"
    yield "for", "scores of a positive class" if isinstance(m, ScoreMeasure) and m.two_sided else FOR[m.kind]
    never = m.undefined_when == NEVER_UNDEFINED
    yield "undefined", m.undefined_when if never else f"when {m.undefined_when}"
    yield "relatives", "\n".join(relation.text for relation in m.relations)
    if m == measure(m.id):  # names are those of the usual parameters: F2 is not called F1
        yield "also called", ", ".join((*m.symbols, *m.aliases))
    yield "notes", "\n".join(m.notes)
    yield "sources", _sources(m.sources)


def _sources(cited: Iterable[Citation]) -> str:
    return "\n".join(
        f"{source}: {source.reference.text}"
        + (f", doi:{source.reference.doi}" if source.reference.doi else "")
        for source in cited
    )
