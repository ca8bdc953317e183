"""steelyard claims: what do the papers state, and does it hold?"""

from __future__ import annotations

import sys

import click


@click.command()
@click.option("--paper", help="Only the claims of this paper, such as mortaz2020.")
@click.option("--only", multiple=True, help="Only the claim with this id; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", type=click.Path(dir_okay=False), help="Write the page of the documentation to this file.")
@click.option("--html", type=click.Path(dir_okay=False), help="Write a self-contained page to this file.")
def claims(paper: str | None, only: tuple[str, ...], as_json: bool, markdown: str | None, html: str | None) -> None:
    """Decide what the five papers state."""
    from steelyard.claims.ledger import choose, decide
    from steelyard.report import judgement_terminal as terminal

    chosen = choose(paper, only)
    decided = decide(chosen, (lambda claim: terminal.progress(claim.id)) if sys.stderr.isatty() else None)
    if markdown is not None:
        from steelyard.report.claims_page import write_page

        write_page(decided, markdown)
    if html is not None:
        from steelyard.report.claims_html import write_html

        write_html(decided, html)
    if as_json:
        click.echo(terminal.as_json([d.to_dict() for d in decided]))
    elif markdown is None and html is None:
        terminal.show_claims(decided)
