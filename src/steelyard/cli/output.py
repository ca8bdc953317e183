"""Where a result goes: the terminal, a page, a file of figures."""

from __future__ import annotations

import importlib
import json
from typing import Any

import click

json_option = click.option(
    "--json", "json_path", is_flag=False, flag_value="-", help="Write the figures to this file; without a file (or with -) print them."
)


def print_json(data: Any) -> None:
    """JSON on standard output."""
    click.echo(as_json(data))


def as_json(data: Any) -> str:
    """JSON as every command writes it: NaN never gets there, it is null with a reason beside it."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2)


def show_and_save(result: Any, presenter: str, html_path: str | None, json_path: str | None, **how: Any) -> None:
    """Write the files asked for, then show the result on the terminal; `--json -` prints the figures instead."""
    if html_path is not None:
        result.to_html(html_path)
    if json_path == "-":
        print_json(result.to_dict())
        return
    if json_path is not None:
        from steelyard.report.saving import save

        save(json_path, as_json(result.to_dict()) + "\n")
    from steelyard.report import terminal

    importlib.import_module(presenter).show(result, terminal.console(), **how)
    for path in (html_path, json_path):
        if path is not None:
            click.echo(f"Written: {path}")
