"""Report of the claims: refuted and not reproduced ones first.

What does not hold first, then every claim of every paper with what decides it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from steelyard import __version__
from steelyard.proofs import shown_matrix, verdict_cell
from steelyard.report import (
    Block,
    Card,
    Cards,
    Cell,
    Column,
    Filter,
    Report,
    Section,
    Sentence,
    SmallMatrix,
    Table,
    words_column,
)
from steelyard_papers.claim import Decided, Outcome
from steelyard_papers.registry import paper_with_key

MEANINGS: dict[Outcome, str] = {
    "proved": "by an argument or by exact algebra, for the numbers of classes that are named",
    "refuted": "by a matrix that is shown, verified in exact fractions, or by the paper's own figures",
    "reproduced": (
        "the paper's figures agree with ours to the digits printed, or a recorded study finds what the paper"
        " found"
    ),
    "reproduced (digits cut)": ("some figures agree only if the paper truncated instead of rounding"),
    "within noise": ("a recorded study finds that another sample of the data could give the other verdict"),
    "not reproduced": (
        "some of the paper's figures differ from ours in the digits printed, or a recorded study finds"
        " otherwise"
    ),
    "not refuted": "no counterexample in the stated number of cases",
    "not decided": "a study has to decide it, or readings of what the paper leaves open disagree",
}
KINDLY = (
    "Papers with many figures contain slips; one of them does not affect the rest. Each is shown"
    " with its evidence."
)
MOST_MATRICES = 2
"""Matrices shown with a claim that does not hold; their text names them all."""
EVERY_ROW = 10_000
"""The ledger is shown whole."""


def ledger_report(decided: Sequence[Decided]) -> Report:
    """Counts, what does not hold, then every claim by paper."""
    papers = list(dict.fromkeys(d.claim.paper for d in decided))
    wrong = [d for d in decided if d.disagrees]
    return Report(
        "Statements of the papers and their verdicts",
        (
            Section("", tuple(_opening(decided, papers)), "brief"),
            *((_wrong(wrong),) if wrong else ()),
            Section("Every claim", tuple(_filters(decided, papers)), "page"),
            *(_paper(paper, [d for d in decided if d.claim.paper == paper]) for paper in papers),
        ),
        footer=(
            f"Steelyard {__version__}. Every verdict was computed by `steelyard claims`, none was typed in;"
            " `steelyard claims --only ID` recomputes one claim."
        ),
    )


def _opening(decided: Sequence[Decided], papers: Sequence[str]) -> Iterator[Block]:
    counts = Counter(d.finding.verdict for d in decided)
    number = f"{len(decided)} claim{'s' if len(decided) > 1 else ''}"
    told = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
    yield Sentence(f"{number} of {', '.join(papers)}: {told}.", "strong")
    yield Cards(
        tuple(
            Card(verdict, str(counts[verdict]), meaning)
            for verdict, meaning in MEANINGS.items()
            if counts[verdict]
        )
    )
    yield Sentence(
        "Rows of a matrix are the true classes, columns the predicted ones. M1, M2, ... in the evidence are"
        " the matrices shown with it.",
        "soft",
    )
    if len(papers) > 1:
        yield _by_paper(decided, papers)


def _by_paper(decided: Sequence[Decided], papers: Sequence[str]) -> Table:
    outcomes = [outcome for outcome in MEANINGS if any(d.finding.verdict == outcome for d in decided)]
    rows = []
    for paper in papers:
        counts = Counter(d.finding.verdict for d in decided if d.claim.paper == paper)
        rows.append((paper, *(str(counts[outcome] or "") for outcome in outcomes)))
    return Table((words_column("paper", whole=True), *map(Column, outcomes)), tuple(rows), identity="papers")


def _filters(decided: Sequence[Decided], papers: Sequence[str]) -> Iterator[Block]:
    counts: Counter[str] = Counter(d.finding.verdict for d in decided)
    counts.update(d.claim.paper for d in decided)
    verdicts = tuple((v, f"{v} ({counts[v]})") for v in MEANINGS if counts[v])
    yield Filter("verdict", "Show the verdicts:", verdicts)
    yield Filter("paper", "of the papers:", tuple((p, f"{p} ({counts[p]})") for p in papers))


def _wrong(wrong: Sequence[Decided]) -> Section:
    return Section(
        "Where a statement does not hold",
        (Sentence(KINDLY), _table(wrong, identity="wrong", anchored=False)),
        "full",
        "does-not-hold",
    )


def _paper(paper: str, decided: Sequence[Decided]) -> Section:
    counts = Counter(d.finding.verdict for d in decided)
    told = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
    return Section(
        paper,
        (
            Sentence(paper_with_key(paper).reference, "soft"),
            Sentence(f"{told}."),
            _table(decided, identity=paper),
        ),
        "full",
        kind=paper,
    )


def _table(decided: Sequence[Decided], identity: str, anchored: bool = True) -> Table:
    columns = (
        words_column("claim", whole=True),
        words_column("where"),
        words_column("statement"),
        words_column("verdict", whole=True),
        words_column("evidence"),
    )
    return Table(
        columns,
        tuple(_row(d, anchored) for d in decided),
        identity=identity,
        stacked=True,
        most_printed=EVERY_ROW,
        most_on_page=EVERY_ROW,
        kinds=tuple(d.finding.verdict for d in decided) if anchored else (),
    )


def _row(d: Decided, anchored: bool) -> tuple[Cell | str, ...]:
    name = Cell(d.claim.id, "strong", anchor=d.claim.id if anchored else "")
    where = f"{d.claim.where} (our question)" if d.claim.ours else d.claim.where
    return (name, where, d.claim.statement, verdict_cell(d.finding.verdict), _evidence(d))


def _evidence(d: Decided) -> Cell:
    """The words with M1, M2, ... for the matrices that they name, the explanation, and the matrices."""
    words, drawn, named = d.finding.evidence, [], 0
    for number, matrix in enumerate(dict.fromkeys(d.finding.matrices)):
        written = shown_matrix(matrix)
        if written in words:
            named += 1
            words = words.replace(written, f"M{named}")
            drawn.append(SmallMatrix.of(matrix, name=f"M{named}"))
        elif d.disagrees and number < MOST_MATRICES:
            drawn.append(SmallMatrix.of(matrix))
    aside = d.claim.explanation if d.disagrees else ""
    words = words.removesuffix(".") + "." if aside else words
    return Cell(words, aside=aside, matrices=tuple(drawn))
