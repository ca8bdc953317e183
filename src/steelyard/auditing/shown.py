"""What is said of an audit, as sections: the verdict, why, a witness, and what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from steelyard.auditing.demands import Demand
from steelyard.auditing.explain import Nearest
from steelyard.auditing.problem import Interval
from steelyard.auditing.spaces import Matrix, Sizes
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

TONES: dict[str, Tone] = {"possible": "good", "impossible": "bad", "undecided": "open"}


def report(result: AuditResult) -> Report:
    """The result as it is read."""
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
    found = result.decision
    matrices = f"the {found.candidates:,} {result.setting.what} {sizes_in_words(result.setting.sizes)}"
    if result.verdict == "impossible":
        return f"Impossible: none of {matrices} gives {_values(result)}."
    if result.verdict == "undecided":
        return f"Undecided: within the budget nothing was found, and not all of {matrices} could be excluded."
    number = f"{found.count:,}" if found.complete else f"at least {found.count:,}"
    verb = "gives" if found.count == 1 else "give"
    return f"Possible: {number} of {matrices} {verb} {_values(result)}."


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
        columns = (words_column("truth"), *(Column(f"called {label}") for label in labels))
        rows = tuple(
            (label, *(f"{count:,}" for count in row))
            for label, row in zip(labels, result.decision.matrices[0], strict=True)
        )
        blocks.append(Table(columns, rows, identity="witness"))
    else:
        cells = tuple((str(at + 1), shown((m,))) for at, m in enumerate(result.decision.matrices))
        blocks.append(
            Table(
                (Column("fold"), words_column(f"rows truth: {', '.join(labels)}")), cells, identity="witness"
            )
        )
    rows_of_values = tuple(
        (demand.text, ends(demand.interval), number(result.setting.value(demand, result.decision.matrices)))
        for demand in result.demands
    )
    columns = (words_column("printed"), words_column("stands for"), words_column("here"))
    blocks.append(Table(columns, rows_of_values, identity="values"))
    return blocks


def assumptions(result: AuditResult) -> str:
    """What was assumed, so that a reader can disagree."""
    sizes = result.setting.sizes
    said = {
        "nearest": "Digits are rounded to the nearest (ties either way)",
        "cut": "Digits are cut off",
        "either": "Digits are rounded or cut off",
    }[result.rounding]
    if not sizes.complete and sizes.total is None:
        said += f"; test sets have up to {sizes.up_to:,} examples"
    places = {demand.place for demand in result.demands if demand.place is not None}
    if len(places) == 1 and len(sizes.labels) == 2:
        said += f"; {sizes.labels[places.pop()]} is the positive class"
    undefined = {"nan": "an undefined value is no value", "skip": "classes without a value are left out"}
    said += "; " + undefined.get(
        str(result.setting.undefined), f"an undefined term counts as {result.setting.undefined}"
    )
    return "; ".join([said, *result.setting.assumptions()]) + "."


def sizes_in_words(sizes: Sizes) -> str:
    """of 100 pos and 200 neg"""
    pairs = zip(sizes.labels, sizes.known, strict=True)
    parts = [f"{size:,} {label}" if size is not None else f"some {label}" for label, size in pairs]
    words = f"of {', '.join(parts[:-1])} and {parts[-1]}"
    if sizes.complete:
        return words
    all_of_them = f"{sizes.total:,}" if sizes.total is not None else f"up to {sizes.up_to:,}"
    return f"{words} ({all_of_them} in all)"


def shown(matrices: Sequence[Matrix]) -> str:
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
