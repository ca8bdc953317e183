"""The ledger: all claims with their verdicts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.errors import InputError, UnknownNameError
from steelyard.proofs import (
    Checked,
    as_matrix,
    cached,
    require_provers,
    shown_matrix,
    verdict_cell,
    with_certificates,
)
from steelyard.report import (
    Block,
    Card,
    Cards,
    Cell,
    Column,
    Filter,
    Presented,
    Report,
    Section,
    Sentence,
    SmallMatrix,
    Table,
    words_column,
)
from steelyard_papers.claim import Claim, Decided, Finding, Outcome, verdict_on
from steelyard_papers.registry import paper_with_key, statements

CLAIMS: tuple[Claim, ...] = tuple(entry.claim for entry in statements().values())
PAPERS = tuple(dict.fromkeys(claim.paper for claim in CLAIMS))


@dataclass(frozen=True, repr=False)
class Ledger(Presented):
    """Claims of the papers with their verdicts."""

    decided: tuple[Decided, ...]

    def report(self) -> Report:
        return ledger_report(self.decided)

    def to_dict(self) -> dict[str, Any]:
        return {"claims": self.plain()}

    def plain(self) -> list[dict[str, Any]]:
        return [d.to_dict() for d in self.decided]

    def table(self) -> list[dict[str, Any]]:
        """Every claim as a row of plain data."""
        columns = ("id", "paper", "where", "statement", "verdict", "evidence")
        return [{name: d.to_dict()[name] for name in columns} for d in self.decided]


def choose(paper: str | None = None, only: Iterable[str] = ()) -> tuple[Claim, ...]:
    """All claims, those of one paper, or those with these ids."""
    if paper is not None and paper not in PAPERS:
        raise UnknownNameError("paper", paper, PAPERS)
    wanted = list(only)
    ids = [claim.id for claim in CLAIMS]
    for name in wanted:
        if name not in ids:
            raise UnknownNameError("claim", name, ids)
    chosen = tuple(
        c for c in CLAIMS if (paper is None or c.paper == paper) and (not wanted or c.id in wanted)
    )
    if not chosen:
        raise InputError(
            "no claim is left", found=f"paper={paper!r} with {', '.join(wanted)}", do="leave one of them out"
        )
    return chosen


def claims(
    paper: str | None = None,
    only: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
) -> Ledger:
    """Check the claims of the papers: all of it, that of one paper, or the statements with these ids."""
    return Ledger(tuple(decide(choose(paper, only), progress)))


def decide(
    claims: Sequence[Claim] = CLAIMS, progress: Callable[[float], None] | None = None
) -> list[Decided]:
    """The verdict on each claim, from the cache where nothing has changed since it was computed."""
    require_provers("deciding the claims")
    decided = []
    for done, claim in enumerate(claims):
        if progress is not None:
            progress(done / len(claims))
        if claim.study:  # read from the study's record, which may be newer than the cache
            finding = claim.decide()
        else:
            finding = cached(("claim", claim.id, claim.statement, _sources()), claim.decide, _plain, _read)
        decided.append(Decided(claim, finding))
    return decided


def check_claims(claims: Iterable[Claim]) -> Iterator[tuple[Decided, Checked | None]]:
    """Decide every claim anew and have an independent checker, which shares no code with the prover, go over
    its certificates; None where nothing was proved by algebra: a counterexample or a study decides."""
    for claim in claims:
        if claim.study:
            continue
        verdict_on.cache_clear()  # so that what claims share is filed with each of them
        finding, checked = with_certificates(claim.decide, lambda finding: finding.evidence)
        proved = finding.verdict == "proved" or checked.certificates
        yield Decided(claim, finding), checked if proved else None


@cache
def _sources() -> str:
    """A fingerprint of this package: what was decided by other code is decided anew."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _plain(finding: Finding) -> dict[str, Any]:
    matrices = [[[str(v) for v in row] for row in m] for m in finding.matrices]
    return {
        "verdict": finding.verdict,
        "evidence": finding.evidence,
        "matrices": matrices,
        "parts": list(finding.parts),
        "classes": finding.classes,
    }


def _read(data: dict[str, Any]) -> Finding:
    matrices = tuple(map(as_matrix, data["matrices"]))
    return Finding(
        verdict=data["verdict"],
        evidence=data["evidence"],
        matrices=matrices,
        parts=tuple(data["parts"]),
        classes=data["classes"],
    )


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
# Matrices shown with a claim that does not hold; their text names them all.
MOST_MATRICES = 2
# The ledger is shown whole.
EVERY_ROW = 10_000


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
    yield Sentence(_tally(decided, papers), "strong")
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


def _tally(decided: Sequence[Decided], papers: Sequence[str]) -> str:
    """The verdicts on what the papers state, and apart from them those on what we ask ourselves."""
    sentences = []
    for ours, what in ((False, f"claim# of {', '.join(papers)}"), (True, "question# of ours")):
        verdicts = Counter(d.finding.verdict for d in decided if d.claim.ours == ours)
        if number := verdicts.total():
            listed = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common())
            sentences.append(f"{number} {what.replace('#', '' if number == 1 else 's')}: {listed}.")
    return " ".join(sentences)


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
    return Section(
        paper,
        (
            Sentence(paper_with_key(paper).reference, "soft"),
            Sentence(_tally(decided, [paper])),
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
