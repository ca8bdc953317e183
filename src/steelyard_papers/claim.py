"""Claims: checkable statements of the papers, and their verdicts.

A claim is a checkable statement of a paper under an id. Its verdict is computed: proved, refuted (with a
matrix), reproduced or not reproduced (the paper's figure, ours, the difference), not refuted (how many
cases), or not decided (which study will decide it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Literal

from steelyard import Confusion, Measure, examine, measure
from steelyard.proofs import Matrix, Verdict, shown_matrix
from steelyard_papers.experiment import verdict_of
from steelyard_papers.printed_figures import agrees, agrees_when_cut
from steelyard_papers.recorded import recorded

Outcome = Literal[
    "proved",
    "refuted",
    "reproduced",
    "reproduced (digits cut)",
    "within noise",
    "not reproduced",
    "not refuted",
    "not decided",
]
WEAKEST_FIRST: tuple[Outcome, ...] = (
    "refuted",
    "not reproduced",
    "not decided",
    "within noise",
    "not refuted",
    "reproduced (digits cut)",
    "reproduced",
    "proved",
)


@dataclass(frozen=True)
class Finding:
    """What became of a claim."""

    verdict: Outcome
    evidence: str
    matrices: tuple[Matrix, ...] = ()
    parts: tuple[str, ...] = ()
    """Verdicts of parts, or the cells that differ, one line each."""
    classes: str = ""
    """For which numbers of classes the verdict speaks: "every C", "C = 2..4", "C >= 5".

    Empty where that is no question.
    """


@dataclass(frozen=True)
class Claim:
    """A statement of a paper."""

    id: str
    paper: str
    where: str
    statement: str
    decide: Callable[[], Finding] = field(repr=False)
    explanation: str = ""
    """Shown where the statement does not hold: the likely reason."""
    study: str = ""
    """The study whose recorded run decides it, where the engine cannot."""
    ours: bool = False
    """Is it a question of ours about the paper, and not its own statement?"""

    @property
    def recompute(self) -> str:
        """The command that decides it anew."""
        return f"steelyard study run {self.study}" if self.study else f"steelyard claims --only {self.id}"


@dataclass(frozen=True)
class Decided:
    """A claim with its finding."""

    claim: Claim
    finding: Finding

    @property
    def disagrees(self) -> bool:
        return self.finding.verdict in ("refuted", "not reproduced")

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.claim.id,
            "paper": self.claim.paper,
            "where": self.claim.where,
            "statement": self.claim.statement,
            "ours": self.claim.ours,
            "verdict": self.finding.verdict,
            "evidence": self.finding.evidence,
            "classes": self.finding.classes,
            "matrices": [[[str(v) for v in row] for row in m] for m in self.finding.matrices],
            "parts": list(self.finding.parts),
            "explanation": self.claim.explanation if self.disagrees else "",
            "recompute": self.claim.recompute,
        }


@cache
def verdict_on(name: str, property_id: str) -> Verdict:
    """The engine's verdict on a property of a measure of the catalogue, decided once."""
    return examine(measure(name), [property_id]).verdicts[0]


def value(of: str | Measure, rows: Sequence[Sequence[Any]]) -> Fraction | float:
    """The exact value of a measure on a matrix of whole counts, its first class the positive one."""
    metric, counts = measure(of), [[int(v) for v in row] for row in rows]
    if metric.kind == "two-class":
        return metric.exact(Confusion(counts, ["P", "N"]), positive="P")
    return metric.exact(counts)


def holds(name: str, property_id: str) -> Finding:
    """The claim that a measure has a property."""
    return from_verdict(verdict_on(name, property_id))


def fails(name: str, property_id: str) -> Finding:
    """The claim that a measure does not have a property: a counterexample proves it."""
    verdict = verdict_on(name, property_id)
    text = f"{verdict.subject}, {verdict.question}: {verdict}"
    if verdict.grade == "refuted":
        return Finding(
            verdict="proved",
            evidence=f"{text} (this counterexample proves the statement)",
            matrices=_matrices(verdict),
            classes=verdict.classes,
        )
    return Finding("refuted" if verdict.grade == "proved" else "not refuted", text)


def from_verdict(verdict: Verdict) -> Finding:
    """A verdict of the engine as the finding on the claim that it holds."""
    outcome: Outcome = "not refuted"
    if verdict.grade == "proved" or verdict.grade == "refuted":
        outcome = verdict.grade
    return Finding(
        verdict=outcome,
        evidence=f"{verdict.subject}, {verdict.question}: {verdict}",
        matrices=_matrices(verdict),
        classes=verdict.classes,
    )


def _matrices(verdict: Verdict) -> tuple[Matrix, ...]:
    return verdict.counterexample.matrices if verdict.counterexample is not None else ()


def all_of(*findings: Finding) -> Finding:
    """Several parts that must all hold; the weakest decides."""
    verdict = min((f.verdict for f in findings), key=WEAKEST_FIRST.index)
    parts = tuple(f"{f.verdict}: {f.evidence}" for f in findings)
    matrices = tuple(m for f in findings for m in f.matrices)
    scopes = {f.classes for f in findings}
    return Finding(
        verdict=verdict,
        evidence="; ".join(f.evidence for f in findings),
        matrices=matrices,
        parts=parts,
        classes=scopes.pop() if len(scopes) == 1 else "",
    )


def studied(claim_id: str, study: str) -> Finding:
    """A statement about trained classifiers or simulated data: what the recorded run of a study found."""
    record = recorded(study)
    finding = next((f for f in record["findings"] if f["claim_id"] == claim_id), None)
    if finding is None:
        return Finding("not decided", f"the recorded run of {study} says nothing about it")
    run = record["run"]
    when = (
        f"recorded run of {study}, seed {record['seed']}, {run['seconds']:,.0f} s on"
        f" {run['workers']} workers, {run['started'][:10]}"
    )
    evidence = f"paper: {finding['paper_figure']}; here: {finding['our_figure']}. {finding['words']} ({when})"
    parts = (f"paper: {finding['paper_figure']}", f"here: {finding['our_figure']}")
    verdict: Outcome = verdict_of(finding)  # type: ignore[assignment]
    return Finding(verdict, evidence, parts=parts)


@dataclass(frozen=True)
class Cell:
    """A printed figure and ours."""

    name: str
    printed: str
    """As printed: the digits say how exactly it can be compared.

    "" where the paper says it is not defined.
    """
    ours: Fraction | float

    @property
    def agrees(self) -> bool:
        return agrees(self.printed, self.ours)

    @property
    def agrees_when_cut(self) -> bool:
        return agrees_when_cut(self.printed, self.ours)

    def __str__(self) -> str:
        ours = "undefined" if self.ours != self.ours else f"{float(self.ours):.4f}"
        difference = (
            ""
            if self.printed == "" or self.ours != self.ours
            else f", difference {float(self.ours) - float(self.printed):+.4f}"
        )
        return f"{self.name}: paper {self.printed or 'not defined'}, here {ours}{difference}"


def compare(cells: Iterable[Cell], matrices: Sequence[Matrix] = ()) -> Finding:
    """All figures of a table: reproduced if every one agrees to the digits printed, rounded or cut."""
    figures = list(cells)
    off = [cell for cell in figures if not cell.agrees]
    listed, every = "; ".join(map(str, figures)), f"all {len(figures)} figures agree to the digits printed"
    if not off:
        return Finding("reproduced", listed if len(figures) <= 5 else every, tuple(matrices))
    if all(cell.agrees_when_cut for cell in off):
        cut = "; ".join(map(str, off))
        evidence = (
            f"{len(figures) - len(off)} of {len(figures)} figures agree rounded, these only with digits cut:"
            f" {cut}"
        )
        return Finding("reproduced (digits cut)", evidence, tuple(matrices), tuple(map(str, off)))
    agreed = f"{len(figures) - len(off)} of {len(figures)} figures agree to the digits printed"
    evidence = f"{agreed}; these do not: " + "; ".join(map(str, off))
    return Finding("not reproduced", evidence, tuple(matrices), tuple(map(str, off)))


def on(matrix: Matrix) -> str:
    return shown_matrix(matrix)
