"""`steelyard paper`: a paper's table of contents, with what each entry is called here and the command that
shows it."""

from __future__ import annotations

import click

from steelyard.cli import (
    html_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard_papers.schemas import schema_of


@click.command(short_help="What a paper contains, and where it is here.")
@click.argument("name", nargs=-1)
@json_option
@schema_option(schema_of("paper"))
@markdown_option
@html_option
def paper(
    name: tuple[str, ...], json_path: str | None, markdown_path: str | None, html_path: str | None
) -> None:
    """List the papers, or the contents of one: NAME is its key, words of its title, a symbol, or its DOI."""
    from steelyard_papers.contents import paper as found

    refuse_to_replace((), json_path, html_path, markdown_path)
    result = found(" ".join(name) or None)
    show_and_save(result, html_path=html_path, json_path=json_path, markdown_path=markdown_path)
