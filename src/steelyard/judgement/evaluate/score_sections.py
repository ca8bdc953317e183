"""What is said about scores in an evaluation: measures, curves, and measures against the threshold."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.judgement.evaluate.calibration_sections import class_probability_sections, probability_sections
from steelyard.judgement.evaluate.top_k_sections import capacity_sections
from steelyard.report.numbers import between, count, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)
from steelyard.scores.ranking_result import RankingMeasure, RankingReport


def ranking_sections(report: RankingReport) -> Iterator[Section]:
    """One section: how well the scores rank."""
    blocks: list[Block] = [Sentence(_of_what(report), "soft")]
    if report.choice is not None:
        blocks.append(Sentence(f"Threshold: {report.choice.words}."))
    blocks.append(_table(report))
    yield Section("Ranking", tuple(blocks), identity="scores-section")
    alone = report.classes[0] if len(report.classes) == 1 else None
    if alone is not None and alone.capacity is not None:
        yield from capacity_sections(alone.capacity, str(alone.label), report.level, alone.operating_point)
    if report.probabilities is not None:
        yield from probability_sections(report.probabilities)
    if report.class_probabilities:
        yield from class_probability_sections(report.class_probabilities)


def _table(report: RankingReport) -> Table:
    alone = len(report.classes) == 1 and not report.measures
    rows = list(_rows(report))
    undefined = any(row.why_undefined for _, row in rows)
    bounded = any(row.bounds is not None for _, row in rows)
    columns = [] if alone else [words_column("class")]
    columns += [words_column("measure"), *number_columns("value")]
    columns += [Column(f"{100 * report.level:g}% CI")] if report.level else []
    columns += [Column("bounds")] if bounded else []
    columns += number_columns("balanced")
    columns += [Column("at priors")] if report.priors_given else []
    columns += [words_column("question")] if alone else []
    columns += [words_column("undefined because")] if undefined and not alone else []
    return Table(
        tuple(columns),
        tuple(_cells(report, name, row, alone, undefined, bounded) for name, row in rows),
        identity="scores",
    )


def _cells(
    report: RankingReport, name: str, row: RankingMeasure, alone: bool, undefined: bool, bounded: bool
) -> tuple[Cell | str, ...]:
    return (
        *([] if alone else [name]),
        Cell(row.measure.title, tip=row.measure.question),
        Cell(shown(row.value), "strong"),
        *([between(row.low, row.high)] if report.level else []),
        *(["" if row.bounds is None else between(*row.bounds)] if bounded else []),
        shown(row.balanced),
        *([shown(row.at_priors)] if report.priors_given else []),
        *([row.why_undefined or row.measure.question] if alone else []),
        *([row.why_undefined or ""] if undefined and not alone else []),
    )


def _rows(report: RankingReport) -> Iterator[tuple[str, RankingMeasure]]:
    for row in report.measures:
        yield "all classes", row
    for c in report.classes:
        for row in c.measures:
            yield str(c.label), row


def _of_what(report: RankingReport) -> str:
    scores = report.scores
    if scores.positive is None:
        return (
            f"A column of scores for each of {scores.n_classes} classes; "
            "each class is ranked against all others by its own score."
        )
    choice = scores.positive
    return (
        f"Scores of class {choice.label} ({choice.reason}) for {count(float(scores.totals.sum()))} rows; "
        f"higher means more likely {choice.label}."
    )
