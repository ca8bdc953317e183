"""The ledger as one HTML file: nothing is loaded from elsewhere, and no text of ours or of a paper is taken for markup."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from steelyard.claims.claim import Decided
from steelyard.errors import InputError
from steelyard.measures.references import REFERENCES
from steelyard.properties.verdict import Matrix

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); overflow-wrap: break-word; }
td.id { white-space: nowrap; }
.proved, .reproduced { color: light-dark(#17692f, #7ddc9a); }
.refuted, .not-reproduced { color: light-dark(#a3201d, #ff9d96); }
.not-refuted { color: light-dark(#7a5a00, #e8c46a); }
table.matrix { width: auto; margin: .4rem 1rem .4rem 0; display: inline-table; border-left: 2px solid; border-right: 2px solid; }
table.matrix td { text-align: right; border: 0; padding: .1rem .5rem; font-variant-numeric: tabular-nums; }
"""


def write_html(decided: Sequence[Decided], path: str) -> None:
    """Write the page to a file."""
    try:
        Path(path).write_text(page(decided), encoding="utf-8")
    except OSError as error:
        raise InputError(f"the page cannot be written: {error.strerror}", found=path, allowed="a path that can be written") from error


def page(decided: Sequence[Decided]) -> str:
    """The whole document."""
    counts = Counter(d.finding.verdict for d in decided)
    summary = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
    sections = [_section(paper, [d for d in decided if d.claim.paper == paper]) for paper in dict.fromkeys(d.claim.paper for d in decided)]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>What the papers state</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>What the papers state, and what became of it</h1>\n"
        f"<p>{len(decided)} claims: {html.escape(summary)}. Rows of a matrix are the true classes, columns the predicted ones.</p>\n"
        + "".join(sections)
        + "</main>\n</body>\n</html>\n"
    )


def _section(paper: str, decided: Sequence[Decided]) -> str:
    head = "<tr><th scope='col'>id</th><th scope='col'>where</th><th scope='col'>statement</th><th scope='col'>verdict</th><th scope='col'>evidence</th></tr>"
    rows = "".join(map(_row, decided))
    return f"<section>\n<h2>{html.escape(paper)}</h2>\n<p>{html.escape(REFERENCES[paper].text)}</p>\n<table>\n<thead>{head}</thead>\n<tbody>\n{rows}</tbody>\n</table>\n</section>\n"


def _row(d: Decided) -> str:
    plain = [html.escape(text) for text in (d.claim.id, d.claim.where, d.claim.statement, d.finding.verdict, d.finding.evidence)]
    explained = f"<p>{html.escape(d.claim.explanation)}</p>" if d.disagrees and d.claim.explanation else ""
    shown = "".join(map(_matrix, d.finding.matrices[:2])) if d.disagrees else ""
    css = d.finding.verdict.replace(" ", "-")
    return (
        f'<tr id="{plain[0]}"><td class="id">{plain[0]}</td><td>{plain[1]}</td><td>{plain[2]}</td>'
        f'<td class="{css}">{plain[3]}</td><td>{plain[4]}{explained}{shown}</td></tr>\n'
    )


def _matrix(matrix: Matrix) -> str:
    return '<table class="matrix">' + "".join("<tr>" + "".join(f"<td>{v}</td>" for v in row) + "</tr>" for row in matrix) + "</table>"
