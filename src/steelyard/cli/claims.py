"""steelyard claims: what do the papers state, and does it hold?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from steelyard.cli.output import json_option, refuse_to_replace, show_or_json


@click.command()
@click.option("--paper", help="Only the claims of this paper, such as mortaz2020.")
@click.option("--only", multiple=True, help="Only the claim with this id; may be repeated.")
@json_option
@click.option(
    "--markdown", type=click.Path(dir_okay=False), help="Write the page of the documentation to this file."
)
@click.option("--html", type=click.Path(dir_okay=False), help="Write a self-contained page to this file.")
def claims(
    paper: str | None, only: tuple[str, ...], json_path: str | None, markdown: str | None, html: str | None
) -> None:
    """Decide what the five papers state."""
    from steelyard.papers import claims_html, claims_page
    from steelyard.papers import claims_shown as terminal
    from steelyard.papers.ledger import choose, decide
    from steelyard.properties.shown import progress

    refuse_to_replace((), markdown, html, json_path)
    chosen = choose(paper, only)
    decided = decide(chosen, (lambda claim: progress(claim.id)) if sys.stderr.isatty() else None)
    files: dict[Path, str | bytes] = {}
    if markdown is not None:
        files[Path(markdown)] = claims_page.page(decided)
    if html is not None:
        files[Path(html)] = claims_html.page(decided)

    def show() -> None:
        if markdown is None and html is None:
            terminal.show_claims(decided)

    show_or_json(lambda: [d.to_dict() for d in decided], json_path, show, files=files)
