"""steelyard claims: what do the papers state, and does it hold?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from steelyard.cli import (
    html_option,
    json_option,
    markdown_option,
    progress_bar,
    refuse_to_replace,
    schema_option,
    show_and_save,
    verbose_option,
)
from steelyard_papers.schemas import schema_of

if TYPE_CHECKING:
    from steelyard_papers.claim import Claim


@click.command(short_help="Check the claims of the papers.")
@click.option("--paper", help="Only the claims of this paper, such as mortaz2020.")
@click.option("--only", multiple=True, help="Only the claim with this id; may be repeated.")
@json_option
@schema_option(schema_of("claims"))
@markdown_option
@html_option
@verbose_option
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Decide anew and check every certificate; exit 1 where one fails.",
)
def claims(
    paper: str | None,
    only: tuple[str, ...],
    json_path: str | None,
    markdown_path: str | None,
    html_path: str | None,
    only_check: bool,
) -> None:
    """Check the claims of the papers."""
    from steelyard_papers.ledger import choose
    from steelyard_papers.ledger import claims as decided

    refuse_to_replace((), markdown_path, html_path, json_path)
    if only_check:
        _check(choose(paper, only))
        return
    with progress_bar("claims") as bar:
        ledger = decided(paper, only, bar)
    show_and_save(
        ledger,
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
        depth="full" if markdown_path is None and html_path is None else "brief",
        more=False,
    )


def _check(chosen: Sequence[Claim]) -> None:
    """One line a claim that was proved; exit code 1 where a certificate fails."""
    from steelyard_papers.ledger import check_claims

    states: Counter[str] = Counter()
    for decided, result in check_claims(chosen):
        if result is not None:
            states[result.state] += 1
            click.echo(f"{decided.claim.id:16}{decided.finding.verdict:24}{result.words}")
    click.echo(
        ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        or "nothing was proved by algebra"
    )
    if states["fails"]:
        raise click.exceptions.Exit(1)
