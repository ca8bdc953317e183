"""The report of an audit as sections: the verdict, the reason, a witness, and what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steelyard.auditing.checker.question import Question
from steelyard.auditing.problem.demands import Matrix
from steelyard.auditing.problem.settings import MOST_DIGITS
from steelyard.report import sections
from steelyard.report.sections import Block, Cell, Column, Report, Section, Sentence, SmallMatrix, Table

if TYPE_CHECKING:
    from steelyard.auditing.result import AuditResult

_DIGITS = {
    "nearest": "rounded to nearest (ties up or down)",
    "cut": "cut off",
    "either": "rounded or cut off",
}
# Up to this many classes are listed with their sizes.
MOST_LISTED = 8
TONES: dict[str, sections.Tone] = {"possible": "good", "impossible": "bad", "undecided": "open"}
TITLE = "Can these numbers be true?"
ORIENTATION = "Rows of a matrix are actual classes, columns predicted ones."


def of_result(result: AuditResult) -> Report:
    """The report of one result."""
    verdict, decision = result.verdict, result.decision
    reasons = why(result) if verdict == "impossible" else []
    reasons += [result.check] if result.check else []
    shown = [_section("", Sentence(headline(result), TONES[verdict]), *map(Sentence, reasons))]
    if result.mistakes:
        cells = [
            Cell(f"if {mistake.sentence}", matrices=tuple(map(SmallMatrix.of, mistake.decision.matrices)))
            for mistake in result.mistakes
        ]
        mistakes = _table("mistakes", [""], [(cell,) for cell in cells])
        shown.append(_section("Possible instead", mistakes, Sentence(ORIENTATION, "soft")))
    elif verdict == "impossible":
        none = "None of the usual reporting mistakes that were tried explains the values."
        shown.append(_section("", Sentence(none)))
    if decision.matrices:
        many = len(decision.matrices)
        each = f"{many} matrices, one for each fold, that give them"
        shown.append(_section("One matrix that gives them" if many == 1 else each, *_witness(result)))
    shown.append(_section("", Sentence(assumptions(result), "soft")))
    return Report(result.name or TITLE, tuple(shown))


def _section(title: str, *blocks: Block) -> Section:
    return Section(title, blocks, "brief")


def _table(
    identity: str,
    columns: Sequence[str | Column],
    rows: Sequence[tuple[Cell | str, ...]],
    stacked: bool = False,
) -> Table:
    heads = tuple(sections.words_column(c) if isinstance(c, str) else c for c in columns)
    return Table(heads, tuple(rows), identity=identity, stacked=stacked)


def headline(result: AuditResult) -> str:
    """The verdict in one sentence."""
    decision = result.decision
    sizes, candidates = result.setting.sizes, result.candidates
    # Beyond, digits say less than the order of magnitude.
    if candidates is None:
        number = f"more than 10^{MOST_DIGITS}"
    else:
        number = f"{candidates:,}" if candidates <= 10**15 else f"about 10^{len(str(candidates)) - 1}"
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
        reasons = [f"These contradict each other: {', '.join(texts[:-1])} and {texts[-1]}."]
    else:
        others = ", whatever the other values are" if len(result.demands) > 1 else ""
        reasons = [f"{texts[0]} is impossible{others}."]
        reasons += [f"So is {demand.text}." for demand in result.contradiction.also]
    others = {1: "The ", 2: "If the other value is as printed, the "}.get(
        len(texts), "If the other values are as printed, the "
    )
    for near in result.contradiction.nearest:
        name, where = near.demand.text.partition(" = ")[0], "possible" if near.exact else "found"
        value, away = f"{float(near.value):.6g}", f"{float(near.away):.3g} from what is printed"
        reasons.append(f"{others}nearest {where} {name} is {value}, {away}.")
    return reasons


def _witness(result: AuditResult) -> list[Block]:
    labels, matrices = [str(label) for label in result.setting.sizes.labels], result.decision.matrices
    if len(matrices) == 1:
        columns: list[str | Column] = ["actual", *(Column(f"predicted {label}") for label in labels)]
        counts = [(label, *(f"{n:,}" for n in row)) for label, row in zip(labels, matrices[0], strict=True)]
        witness = _table("witness", columns, counts)
    else:
        folds = [(str(at), small((matrix,))) for at, matrix in enumerate(matrices, 1)]
        witness = _table(
            "witness", [Column("fold"), f"rows: actual, columns: predicted {', '.join(labels)}"], folds
        )
    values = []
    for each in result.values:
        low = f"{'more than ' if each.low_open else ''}{each.low:.10g}"
        high = f"{'below ' if each.high_open else ''}{each.high:.10g}"
        values.append((each.printed, f"{low} to {high}", f"{each.witness:.6g}"))
    return [witness, _table("values", ["printed", "value before rounding", "value of this matrix"], values)]


def assumptions(result: AuditResult) -> str:
    """What was assumed, so that a reader can disagree."""
    sizes = result.setting.sizes
    parts = [f"Assumed: printed digits are {_DIGITS[result.rounding]}"]
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
    if not any(known):
        text = f"{len(pairs)} classes of unknown size"
    everyone = f"{total:,}" if total is not None else f"up to {up_to:,}"
    return f"{text} ({everyone} examples in total)"


def small(matrices: Sequence[Matrix]) -> str:
    """[[85, 15], [5, 195]]; of several folds, one after the other."""
    return " ".join(str(SmallMatrix.of(matrix)) for matrix in matrices)


def of_table(headline: str, rows: Sequence[tuple[str, str, str]]) -> Report:
    """The rows of a table: name, verdict and reason of each."""
    cells = [(name, Cell(verdict, TONES.get(verdict, "bad")), reason) for name, verdict, reason in rows]
    table = _table("rows", ["row", "verdict", "why"], cells, stacked=True)
    return Report(TITLE, (_section("", Sentence(headline), table, Sentence(ORIENTATION, "soft")),))


def of_certificate(statement: str, sentence: str) -> Report:
    """What a stored certificate proves, and that it holds."""
    return Report("Certificate", (_section("", *map(Sentence, (*statement.split("\n"), sentence))),))


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
    parts = [f"Assumed: printed digits are {_DIGITS[question.rounding]}"]
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
