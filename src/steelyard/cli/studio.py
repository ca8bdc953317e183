"""`steelyard studio`: a page on which measures are tried out."""

from __future__ import annotations

import click

DEFAULT = "steelyard-studio.html"


@click.command(short_help="A page to try counts, class shares, costs and formulas on.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    default=DEFAULT,
    show_default=True,
    help="Write the page to this file.",
)
@click.option("--open/--no-open", "opens", default=True, help="Open it in a browser.")
def studio(out: str, opens: bool) -> None:
    """Write a page on which counts, class shares, costs and formulas are tried out, and open it."""
    from pathlib import Path

    from steelyard.cli.output import made_now
    from steelyard.judgement.studio import Studio
    from steelyard.report.terminal import told

    Studio().to_html(out, made=made_now())
    told(f"Written: {out}")
    if opens:
        import webbrowser

        webbrowser.open(Path(out).resolve().as_uri())
