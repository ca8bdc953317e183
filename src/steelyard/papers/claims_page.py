"""The ledger as a page of the documentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from steelyard.measures.references import REFERENCES
from steelyard.papers.claim import Decided, Outcome
from steelyard.properties.verdict import Matrix

HEAD = """# What the papers state, and what became of it

This page is generated with `make claims`; every verdict on it was computed by `steelyard claims`, none was typed in.
Rows of a matrix are the true classes, columns the predicted ones.

{meanings}

"""
MEANINGS: dict[Outcome, str] = {
    "proved": "by an argument or by exact algebra, for the numbers of classes that are named",
    "refuted": "by a matrix that is shown, verified in exact fractions, or by the paper's own figures",
    "reproduced": "the paper's figures agree with ours to the digits printed, or a recorded study finds what the paper found",
    "not reproduced": "some of the paper's figures differ from ours in the digits printed, or a recorded study finds otherwise",
    "not refuted": "tried on so many cases, and it held in all of them",
    "not decided": "it rests on a study",
}
KINDLY = "A paper of many figures has slips, and finding one takes nothing from the rest. Each is shown with what decides it."


def page(decided: Sequence[Decided]) -> str:
    """The page: a summary, where the papers are wrong, then every claim by paper."""
    counts = Counter(d.finding.verdict for d in decided)
    meanings = "\n".join(
        f"- **{outcome}**: {words}{'.' if outcome == 'not decided' else ';'}"
        for outcome, words in MEANINGS.items()
    )
    parts = [
        HEAD.format(meanings=meanings),
        f"{len(decided)} claims: "
        + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
        + ".\n",
    ]
    wrong = [d for d in decided if d.disagrees]
    if wrong:
        parts.append(f"\n## Where a statement does not hold\n\n{KINDLY}\n")
        parts += [_wrong(d) for d in wrong]
    for paper in dict.fromkeys(d.claim.paper for d in decided):
        parts.append(
            f"\n## {paper}\n\n{REFERENCES[paper].text}\n\n| id | where | statement | verdict | evidence |\n| --- | --- | --- | --- | --- |\n"
        )
        parts += [_row(d) for d in decided if d.claim.paper == paper]
    return "".join(parts)


def _wrong(d: Decided) -> str:
    text = f"\n### {d.claim.id}: {d.claim.statement}\n\n*{d.claim.paper}, {d.claim.where}.* **{d.finding.verdict.capitalize()}.** {_safe(d.finding.evidence)}.\n"
    if d.claim.explanation:
        text += f"\n{d.claim.explanation}\n"
    for matrix in d.finding.matrices[:2]:
        text += "\n```\n" + _drawn(matrix) + "\n```\n"
    return text


def _drawn(matrix: Matrix) -> str:
    cells = [[str(v) for v in row] for row in matrix]
    width = max(len(cell) for row in cells for cell in row)
    return "\n".join("  ".join(cell.rjust(width) for cell in row) for row in cells)


def _row(d: Decided) -> str:
    return f"| {d.claim.id} | {d.claim.where} | {_safe(d.claim.statement)} | {d.finding.verdict} | {_safe(d.finding.evidence)} |\n"


def _safe(text: str) -> str:
    """Text that cannot break a table or be taken for markup."""
    for sign in ("\\", "|", "<", "*"):
        text = text.replace(sign, {"\\": "\\\\", "|": "\\|", "<": "&lt;", "*": "\\*"}[sign])
    return text.rstrip(".") if text.endswith(".") else text
