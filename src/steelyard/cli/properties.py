"""steelyard properties: which measures have which properties?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.output import html_option, json_option, markdown_option, schema_option, show_and_save


@click.command(short_help="What is proved and what is refuted of every measure.")
@click.option(
    "--has",
    multiple=True,
    help="Only measures of which this property is proved, such as prior-invariance; may be repeated.",
)
@click.option(
    "--lacks", multiple=True, help="Only measures of which this property is refuted; may be repeated."
)
@click.option(
    "--property",
    "columns",
    multiple=True,
    help="Only this column, such as distance; may be repeated.",
)
@click.option("--wide", is_flag=True, help="Also the measures that are found by name only.")
@html_option
@markdown_option
@json_option
@schema_option("properties")
def properties(
    has: tuple[str, ...], lacks: tuple[str, ...], columns: tuple[str, ...], wide: bool, **outputs: Any
) -> None:
    """Show measures against properties: what is proved, refuted or open of each."""
    from steelyard.proofs.property_table import properties as judge

    show_and_save(judge(has=has, lacks=lacks, columns=columns, wide=wide), **outputs)
