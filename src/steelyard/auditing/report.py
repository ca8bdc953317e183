"""The report of an audit as sections: the verdict, the reason, a witness, and what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from steelyard.auditing.checker.question import Interval, Question
from steelyard.auditing.explanations import Nearest
from steelyard.auditing.problem.demands import Demand, Matrix
from steelyard.auditing.problem.settings import Sizes
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Report,
    Section,
    Sentence,
    SmallMatrix,
    Table,
    Tone,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.auditing.result import AuditResult

_DIGITS = {
    "nearest": "rounded to the nearest (ties either way)",
    "cut": "cut off",
    "either": "rounded or cut off",
}
# Up to this many classes are listed with their sizes.
MOST_LISTED = 8
TONES: dict[str, Tone] = {"possible": "good", "impossible": "bad", "undecided": "open"}


def of_result(result: AuditResult) -> Report:
    """The report of one result."""
    opening: list[Block] = [Sentence(headline(result), TONES[result.verdict])]
    if result.verdict == "impossible":
        opening += [Sentence(line) for line in why(result)]
    if result.check:
        opening.append(Sentence(result.check))
    sections = [Section("", tuple(opening), "brief")]
    if result.mistakes:
        rows = tuple(
            (
                Cell(
                    f"if {mistake.sentence}",
                    matrices=tuple(SmallMatrix.of(m) for m in mistake.decision.matrices),
                ),
            )
            for mistake in result.mistakes
        )
        sections.append(
            Section("Possible instead", (Table((words_column(""),), rows, identity="mistakes"),), "brief")
        )
    elif result.verdict == "impossible":
        words = "None of the usual mistakes that were tried makes all of the values possible."
        sections.append(Section("", (Sentence(words),), "brief"))
    if result.decision.matrices:
        sections.append(Section(_witness_title(result), tuple(_witness(result)), "brief"))
    sections.append(Section("", (Sentence(assumptions(result), "soft"),), "brief"))
    return Report(result.name or "Can these numbers be true?", tuple(sections))


def headline(result: AuditResult) -> str:
    """The verdict in one sentence."""
    decision = result.decision
    sizes, number = result.setting.sizes, f"{decision.candidates:,}"
    # Beyond, digits say less than the order of magnitude.
    if decision.candidates > 10**15:
        number = f"about 10^{len(str(decision.candidates)) - 1}"
    known = _sizes(sizes.labels, sizes.known, sizes.total, sizes.up_to)
    matrices = f"the {number} {result.setting.what} with {known}"
    if result.verdict == "impossible":
        return f"Impossible: none of {matrices} gives {_values(result)}."
    if result.verdict == "undecided":
        return f"Undecided: the time budget ended before all of {matrices} were searched."
    fitting = f"{decision.count:,}" if decision.complete else f"at least {decision.count:,}"
    verb = "gives" if decision.count == 1 else "give"
    return f"Possible: {fitting} of {matrices} {verb} {_values(result)}."


def reason(result: AuditResult) -> str:
    """Why the verdict is what it is."""
    if result.verdict == "possible":
        return "A matrix that gives every value was found and checked in exact fractions."
    if result.verdict == "undecided":
        return "The time budget ended before a matrix was found or all of them were excluded."
    return " ".join(why(result))


def _values(result: AuditResult) -> str:
    count = len(result.demands)
    return result.demands[0].text if count == 1 else "both values" if count == 2 else f"all {count} values"


def why(result: AuditResult) -> list[str]:
    """Why the values are impossible: which of them contradict each other, and by how much."""
    if result.contradiction is None:
        return ["Bounds exclude every matrix."]
    texts = [demand.text for demand in result.contradiction.demands]
    if len(texts) > 1:
        opening = f"These contradict each other: {', '.join(texts[:-1])} and {texts[-1]}."
    else:
        others = ", whatever the other values are" if len(result.demands) > 1 else ""
        opening = f"It cannot be that {texts[0]}{others}."
    return [opening, *(_nearness(near, len(texts)) for near in result.contradiction.nearest)]


def _nearness(nearest: Nearest, together: int) -> str:
    name = nearest.demand.text.partition(" = ")[0]
    near = "the nearest possible" if nearest.exact else "the nearest found"
    others = {1: "", 2: "With the other one as printed, "}.get(together, "With the others as printed, ")
    text = (
        f"{others}{near} {name} is {number(nearest.value)}, {float(nearest.away):.3g} from what is printed."
    )
    return text[0].upper() + text[1:]


def _witness_title(result: AuditResult) -> str:
    many = len(result.decision.matrices)
    return "A matrix that gives them" if many == 1 else f"{many} matrices, one for each fold, that give them"


def _witness(result: AuditResult) -> list[Block]:
    labels = [str(label) for label in result.setting.sizes.labels]
    blocks: list[Block] = []
    if len(result.decision.matrices) == 1:
        columns = (words_column("truth"), *(Column(f"predicted {label}") for label in labels))
        rows = tuple(
            (label, *(f"{count:,}" for count in row))
            for label, row in zip(labels, result.decision.matrices[0], strict=True)
        )
        blocks.append(Table(columns, rows, identity="witness"))
    else:
        cells = tuple((str(at + 1), small((m,))) for at, m in enumerate(result.decision.matrices))
        blocks.append(
            Table(
                (Column("fold"), words_column(f"rows truth: {', '.join(labels)}")), cells, identity="witness"
            )
        )
    rows_of_values = tuple(
        (demand.text, ends(demand.interval), number(result.setting.value(demand, result.decision.matrices)))
        for demand in result.demands
    )
    columns = (words_column("printed"), words_column("interval"), words_column("of this matrix"))
    blocks.append(Table(columns, rows_of_values, identity="values"))
    return blocks


def assumptions(result: AuditResult) -> str:
    """What was assumed, so that a reader can disagree."""
    sizes = result.setting.sizes
    parts = [f"Digits are {_DIGITS[result.rounding]}"]
    if not sizes.complete and sizes.total is None:
        parts.append(f"test sets have up to {sizes.up_to:,} examples")
    places = {demand.place for demand in result.demands if demand.place is not None}
    if len(places) == 1 and len(sizes.labels) == 2:
        parts.append(f'the positive class is "{sizes.labels[places.pop()]}"')
    parts += [_undefined(result.setting.undefined), *result.setting.assumptions()]
    return "; ".join(parts) + "."


def _undefined(undefined: object) -> str:
    text = {
        "nan": "an undefined metric matches no printed value",
        "skip": "classes without a value are skipped",
    }
    return text.get(str(undefined), f"an undefined term counts as {undefined}")


def _sizes(
    labels: Sequence[object], known: Sequence[int | None], total: int | None, up_to: int | None
) -> str:
    """class sizes pos=100, neg=200; of many classes only their number"""
    pairs = [
        f"{label}={'?' if size is None else f'{size:,}'}" for label, size in zip(labels, known, strict=True)
    ]
    text = f"class sizes {', '.join(pairs)}" if len(pairs) <= MOST_LISTED else f"{len(pairs)} classes"
    if None not in known:
        return text
    everyone = f"{total:,}" if total is not None else f"up to {up_to:,}"
    return f"{text} ({everyone} examples in total)"


def small(matrices: Sequence[Matrix]) -> str:
    """[[85, 15], [5, 195]]; of several folds, one after the other."""
    return " ".join(str(SmallMatrix.of(matrix)) for matrix in matrices)


def number(value: Fraction | float) -> str:
    """A fraction where it is short, with its decimal."""
    if isinstance(value, Fraction) and 1 < value.denominator < 100_000:
        return f"{value} = {float(value):.6g}"
    return f"{float(value):.6g}"


def ends(interval: Interval) -> str:
    """0.845 to 0.855"""
    low, high = (f"{float(end):.10g}" for end in (interval.low, interval.high))
    return (
        f"{'more than ' if interval.low_open else ''}{low} to {'below ' if interval.high_open else ''}{high}"
    )


def label_of(demand: Demand, sizes: Sizes) -> str | None:
    """The class that is positive for a demand."""
    return None if demand.place is None else str(sizes.labels[demand.place])


def of_table(headline: str, rows: Sequence[tuple[str, str, str]]) -> Report:
    """The rows of a table: name, verdict and reason of each."""
    cells = tuple((name, Cell(verdict, TONES.get(verdict, "bad")), reason) for name, verdict, reason in rows)
    columns = (words_column("row"), words_column("verdict"), words_column("why"))
    blocks = (Sentence(headline), Table(columns, cells, identity="rows", stacked=True))
    return Report("Can these numbers be true?", (Section("", blocks, "brief"),))


def of_certificate(statement: str, sentence: str) -> Report:
    """What a stored certificate proves, and that it holds."""
    lines = (*statement.split("\n"), sentence)
    return Report("Certificate", (Section("", tuple(Sentence(line) for line in lines), "brief"),))


def boxes(count: int) -> str:
    return "1 box" if count == 1 else f"{count:,} boxes"


def row_reason(result: AuditResult) -> str:
    """The reason of a row of a table: the witness, or why there is none."""
    if result.verdict == "possible":
        return small(result.decision.matrices)
    mistakes = "; ".join(mistake.sentence for mistake in result.mistakes)
    return reason(result) + (f" Possible if {mistakes}." if mistakes else "")


def certified_statement(question: Question) -> str:
    """Everything that a certificate proves, in full."""
    positive = {printed.label for printed in question.printed} - {None}
    single = len(question.labels) == 2 and len(positive) == 1
    values = ", ".join(
        printed.text if single or printed.label is None else f'{printed.text} (class "{printed.label}")'
        for printed in question.printed
    )
    sizes = _sizes(question.labels, question.sizes, question.total, question.up_to)
    parts = [f"Digits are {_DIGITS[question.rounding]}"]
    if single:
        parts.append(f'the positive class is "{positive.pop()}"')
    parts.append(_undefined(question.undefined))
    if question.folds is not None:
        sizes_of_folds = (
            {"unknown": "their classes unknown"}.get(question.fold_sizes, question.fold_sizes)
            if isinstance(question.fold_sizes, str)
            else ", ".join("/".join(map(str, fold)) for fold in question.fold_sizes)
        )
        parts.append(f"values are means over {question.folds * question.repeats} folds, {sizes_of_folds}")
        if any(printed.is_deviation for printed in question.printed):
            parts.append(f"standard deviation: {question.deviation}")
    return f"Impossible with {sizes}: {values}.\n{'; '.join(parts)}."
