"""steelyard claims: what do the papers state, and does it hold?"""

from __future__ import annotations

import sys

import click

from steelyard.cli.output import html_option, json_option, markdown_option, refuse_to_replace, show_and_save


@click.command()
@click.option("--paper", help="Only the claims of this paper, such as mortaz2020.")
@click.option("--only", multiple=True, help="Only the claim with this id; may be repeated.")
@json_option
@markdown_option
@html_option
def claims(
    paper: str | None,
    only: tuple[str, ...],
    json_path: str | None,
    markdown_path: str | None,
    html_path: str | None,
) -> None:
    """Decide what the five papers state."""
    from steelyard.papers.ledger import Ledger, choose, decide
    from steelyard.report.terminal import told

    refuse_to_replace((), markdown_path, html_path, json_path)
    chosen = choose(paper, only)
    decided = decide(chosen, (lambda claim: told(claim.id)) if sys.stderr.isatty() else None)
    show_and_save(
        Ledger(tuple(decided)),
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
        depth="full" if markdown_path is None and html_path is None else "brief",
        more=False,
    )
