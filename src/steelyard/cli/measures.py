"""`steelyard measures` and `explain`: the catalogue of metrics, and what is known of one of them."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.output import html_option, json_option, markdown_option, schema_option, show_and_save

WIDE = 120
"""Characters a line from which every column of the list has room."""


@click.command(short_help="List every metric and the question it answers.")
@click.option(
    "--kind", type=click.Choice(["two-class", "multi-class", "scores"]), help="Only metrics of this kind."
)
@html_option
@markdown_option
@json_option
@schema_option("measures")
def measures(kind: Any, **outputs: Any) -> None:
    """List every metric: what it asks, its range, where it comes from."""
    from steelyard.judgement.catalogue import listed
    from steelyard.report.terminal import width

    show_and_save(listed(kind), **outputs, depth="full" if width() >= WIDE else "brief", more=False)


@click.command(short_help="Explain one metric: formula, range, other names, sources.")
@click.argument("name")
@html_option
@markdown_option
@json_option
@schema_option("explain")
def explain(name: str, **outputs: Any) -> None:
    """Explain one metric: NAME is an id, a paper's symbol or an alias; RRT, PREV or Rec^PREV too."""
    from steelyard.judgement.catalogue import explained

    show_and_save(explained(name), **outputs)
