"""The ledger as a page of its own: what each paper states, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from steelyard._version import __version__
from steelyard.measures.references import REFERENCES
from steelyard.papers.claim import Decided
from steelyard.papers.claims_page import KINDLY, MEANINGS
from steelyard.properties.verdict_markup import matrices_shown, verdict_word
from steelyard.report.page import html

MOST_MATRICES = 2
"""Matrices shown with a claim that does not hold; their text names them all."""


def page(decided: Sequence[Decided]) -> str:
    """The whole document."""
    return html.page("What the papers state", list(_body(decided)))


def _body(decided: Sequence[Decided]) -> Iterator[str]:
    counts = Counter(d.finding.verdict for d in decided)
    papers = list(dict.fromkeys(d.claim.paper for d in decided))
    yield html.heading("What the papers state, and what became of it", 1)
    yield html.paragraph(
        f"{len(decided)} claim{'s' if len(decided) > 1 else ''} of {', '.join(papers)}. Every verdict was computed, none was typed in.",
        "soft",
    )
    yield html.cards(
        [(verdict, str(counts[verdict]), meaning) for verdict, meaning in MEANINGS.items() if counts[verdict]]
    )
    if any(d.disagrees for d in decided):
        yield html.paragraph(KINDLY)
    yield html.paragraph("Rows of a matrix are the true classes, columns the predicted ones.", "soft")
    for paper in papers:
        own = [d for d in decided if d.claim.paper == paper]
        yield html.heading(paper)
        yield html.paragraph(REFERENCES[paper].text, "soft")
        yield html.paragraph(
            ", ".join(
                f"{n} {verdict}" for verdict, n in Counter(d.finding.verdict for d in own).most_common()
            )
            + "."
        )
        yield html.table(
            ["claim", "statement", "verdict", "evidence"],
            [_row(d) for d in own],
            words=(1, 3),
            identity=paper,
            stacked=True,
        )
    yield html.paragraph(
        f"Steelyard {__version__}. `steelyard claims --only ID` recomputes one claim.", "soft"
    )


def _row(d: Decided) -> list[object]:
    name = html.Markup(
        f'<b id="{escape(d.claim.id)}">{escape(d.claim.id)}</b><br>{html.coloured(d.claim.where, "soft")}'
    )
    return [name, d.claim.statement, verdict_word(d.finding.verdict), html.Markup("".join(_evidence(d)))]


def _evidence(d: Decided) -> Iterator[str]:
    yield escape(d.finding.evidence)
    if not d.disagrees:
        return
    if d.claim.explanation:
        yield html.paragraph(d.claim.explanation)
    yield matrices_shown(d.finding.matrices[:MOST_MATRICES])
