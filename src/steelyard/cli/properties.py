"""steelyard properties: which measures have which properties?"""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.output import html_option, json_option, markdown_option, show_and_save

FIELD = {
    "symmetry": "transposition",
    "class-symmetry": "order-invariance",
    "approximate-constant-baseline": "chance-constant",
}
"""Names that Gösgens et al. (2021) give to properties that are asked here under another one."""


@click.command()
@click.option(
    "--has",
    multiple=True,
    help="Only measures of which this property is proved, such as prior-invariance; may be repeated.",
)
@click.option(
    "--lacks", multiple=True, help="Only measures of which this property is refuted; may be repeated."
)
@html_option
@markdown_option
@json_option
def properties(has: tuple[str, ...], lacks: tuple[str, ...], **outputs: Any) -> None:
    """Show measures against properties: what is proved, refuted or open of each."""
    from steelyard.measures.catalogue import catalogue
    from steelyard.properties.conditions import property_named
    from steelyard.properties.examination import Overview, examine

    wanted = [(property_named(FIELD.get(name, name)).id, "proved") for name in has]
    wanted += [(property_named(FIELD.get(name, name)).id, "refuted") for name in lacks]
    found = [examine(m) for m in catalogue() if m.kind != "scores"]
    kept = [e for e in found if all(e[property_id].grade == grade for property_id, grade in wanted)]
    if not kept:
        click.echo("No measure of the catalogue has all of these.")
        return
    show_and_save(Overview(tuple(kept)), **outputs)
