"""How does a report look as a page? One file, no network, light and dark, phone and print; no script decides what is shown."""

from __future__ import annotations

import base64
import functools
import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from steelyard.report.sections import Block, Cell, Report

MOST_CHOICES = 8
"""Options of a choice that the style knows how to show."""


def page(report: Report) -> str:
    """The whole page. A content policy forbids scripts and any request, whatever a class name tries."""
    return str(
        _environment()
        .get_template("page.html")
        .render(report=report, style=_style(), style_hash=_hash(_style()))
    )


def fragment(report: Report) -> str:
    """What is said first, inside somebody else's page, such as a notebook."""
    return str(_environment().get_template("fragment.html").render(report=report, style=_style()))


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("steelyard.report.page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["cell"] = _as_cell
    environment.filters["kind"] = _kind
    environment.globals["drawn"] = _drawn
    return environment


def _as_cell(cell: Cell | str) -> Cell:
    return cell if isinstance(cell, Cell) else Cell(cell)


def _kind(block: Block) -> str:
    return type(block).__name__


def _drawn(picture: Any) -> Markup:
    """The picture; whoever draws escapes its words, so it is markup already."""
    return Markup(picture.draw())


@functools.cache
def _style() -> Markup:
    """The one style of all pages."""
    shown = ",".join(
        f".steelyard .choice>input:nth-of-type({k}):checked~div:nth-of-type({k})"
        for k in range(1, MOST_CHOICES + 1)
    )
    text = files("steelyard.report.page").joinpath("style.css").read_text(encoding="utf-8")
    return Markup(text.replace(".steelyard .chosen", shown))


def _hash(text: str) -> str:
    """The name under which the content policy allows a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
