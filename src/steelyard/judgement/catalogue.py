"""Which measures are there, and what is known about one of them? The catalogue as results that can be
shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from steelyard.measures.catalogue import measure
from steelyard.measures.catalogue.terms import Term, term
from steelyard.measures.measure import Measure
from steelyard.measures.record import NEVER_UNDEFINED, ByClasses
from steelyard.measures.references import Citation
from steelyard.measures.score_measure import ScoreMeasure
from steelyard.report.presented import Presented
from steelyard.report.sections import Cell, Report, Section, Sentence, Table, words_column

FOR = {
    "two-class": "two classes, one of them positive",
    "multi-class": "any number of classes",
    "scores": "scores, a column for each class",
}


def describe(measure: Measure) -> dict[str, Any]:
    """Everything a reader could ask of a measure, ready for JSON."""
    return {
        "id": measure.id,
        "name": measure.name,
        "symbols": list(measure.symbols),
        "aliases": list(measure.aliases),
        "title": measure.title,
        "question": measure.question,
        "formula": measure.formula,
        "reads": measure.reads,
        "kind": measure.kind,
        "range": [
            str(b) if isinstance(b, ByClasses) else (b if abs(b) != float("inf") else None)
            for b in measure.range
        ],
        "better": measure.better,
        "undefined_when": measure.undefined_when,
        "parameters": dict(measure.parameters),
        "relations": [relation.text for relation in measure.relations],
        "sources": [str(source) for source in measure.sources],
        "notes": list(measure.notes),
    }


@dataclass(frozen=True, repr=False)
class MeasureList(Presented):
    """Measures of the catalogue, a line each."""

    measures: tuple[Measure, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"schema": "steelyard/measures/1", "measures": self.table()}

    def plain(self) -> list[dict[str, Any]]:
        return self.table()

    def table(self) -> list[dict[str, Any]]:
        return [describe(m) for m in self.measures]

    def report(self) -> Report:
        columns = (
            words_column("id", whole=True),
            words_column("question"),
            words_column("symbols", depth="full"),
            words_column("range", depth="full"),
            words_column("better", depth="full"),
            words_column("sources", depth="full"),
        )
        rows = tuple(
            (
                m.name,
                m.question,
                ", ".join(m.symbols),
                str(m.range),
                m.better,
                ", ".join(dict.fromkeys(source.key for source in m.sources)),
            )
            for m in self.measures
        )
        table = Table(columns, rows, "measures", most_printed=len(rows), most_on_page=len(rows))
        return Report(f"{len(rows)} measures", (Section("", (table,), "brief"),))


@dataclass(frozen=True, repr=False)
class Explanation(Presented):
    """All that is known about one measure."""

    measure: Measure

    def to_dict(self) -> dict[str, Any]:
        return describe(self.measure)

    def table(self) -> list[dict[str, Any]]:
        return [self.to_dict()]

    def report(self) -> Report:
        m = self.measure
        return _explained(f"{m.title} ({m.name})", m.question, _facts(m))


@dataclass(frozen=True, repr=False)
class TermExplanation(Presented):
    """What a symbol of a paper means that is not a metric, such as RRT or PREV."""

    term: Term

    def to_dict(self) -> dict[str, Any]:
        t = self.term
        return {
            "term": t.symbols[0],
            "symbols": list(t.symbols),
            "title": t.title,
            "meaning": t.meaning,
            "reads": t.reads,
            "sources": list(map(str, t.sources)),
            "notes": list(t.notes),
            "commands": list(t.see),
        }

    def table(self) -> list[dict[str, Any]]:
        return [self.to_dict()]

    def report(self) -> Report:
        t = self.term
        facts = (
            ("formula", t.reads),
            ("notes", "\n".join(t.notes)),
            ("sources", _sources(t.sources)),
            ("see", "\n".join(t.see)),
        )
        return _explained(f"{t.title} ({', '.join(t.symbols)})", t.meaning, facts)


def explained(name: str) -> Explanation | TermExplanation:
    """A metric by id, symbol or alias, or another symbol that a paper prints (RRT, PREV, Rec^PREV)."""
    symbol = term(name)
    return Explanation(measure(name)) if symbol is None else TermExplanation(symbol)


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
    yield (
        "undefined",
        m.undefined_when if m.undefined_when == NEVER_UNDEFINED else f"when {m.undefined_when}",
    )
    yield "relatives", "\n".join(relation.text for relation in m.relations)
    yield "also called", ", ".join((*m.symbols, *m.aliases))
    yield "notes", "\n".join(m.notes)
    yield "sources", _sources(m.sources)


def _sources(cited: Iterable[Citation]) -> str:
    return "\n".join(
        f"{source}: {source.reference.text}"
        + (f", doi:{source.reference.doi}" if source.reference.doi else "")
        for source in cited
    )
