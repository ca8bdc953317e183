"""How does a report look as a page? One file, no network, light and dark, phone and print; whole without
scripts, and with them the live part of it answers back."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from steelyard.report.sections import Block, Cell, Choice, Live, Option, Report, Section, Table
from steelyard.report.visible import visible

SHORT, LONG = 20, 32
"""Characters up to which a column of words stays on one line, and from which it gets room for a few of them a
line."""
MOST_CHOICES = 8
"""Options of a choice that the style knows how to show."""
_LIVE = tuple(
    f"live/{name}.js"
    for name in (
        "elements",
        "state",
        "world",
        "controls",
        "shown",
        "curve",
        "python_lines",
        "lines",
        "following",
        "main",
    )
)
SCRIPTS: Mapping[str, tuple[str, ...]] = {
    "live": (*_LIVE, "live/start.js"),
    "studio": (
        "vendored/papaparse-5.7.0.min.js",
        *_LIVE,
        *(f"live/{name}.js" for name in ("formula", "reading", "studio", "start_studio")),
    ),
}
"""The scripts that bring a live part to life, in their order."""
FEWEST_PARTS, MOST_PARTS = 4, 40
"""Headings from which on and up to which a page has a list of them."""
MOST_FILTERS, MOST_KINDS = 2, 9
"""Filters of a page, and kinds of a filter, that the style knows how to show."""


def page(report: Report, made: str = "") -> str:
    """The whole page. A content policy forbids any request and all scripts but its own."""
    script = _script(report.live)
    parts = list(report.at("page"))
    facts = {
        "parts": parts,
        "contents": _contents(parts),
        "style": _style(),
        "style_hash": _hash(_style()),
        "script": script,
        "script_hash": _hash(script) if script else "",
        "made": made,
        "mark": _marks(report),
    }
    return str(_environment().get_template("page.html").render(report=report, **facts))


def _contents(parts: Sequence[Section]) -> list[tuple[str, str, bool]]:
    """The name and the anchor of each part, and whether it is there only with scripts; none of few parts."""
    found = []
    for number, part in enumerate(parts, start=1):
        live = next((block for block in part.blocks if isinstance(block, Live)), None)
        if part.title:
            found.append((part.title, f"part-{number}", False))
        elif live is not None:
            found.append((live.title, f"live-{live.script}", True))
    return found if FEWEST_PARTS <= len(found) <= MOST_PARTS else []


def fragment(report: Report) -> str:
    """What is said first, inside somebody else's page, such as a notebook; its live part has a frame."""
    live = report.live
    alone = "" if live is None else page(Report(report.title, (Section("", (live,), "page"),)))
    facts = {"style": _style(), "mark": _marks(report), "live": alone}
    return str(_environment().get_template("fragment.html").render(report=report, **facts))


def _script(live: Live | None) -> Markup:
    """The one script of a page: the functions of its measures, and what lets a reader change the state."""
    if live is None:
        return Markup("")
    parts = [read_script(name) for name in SCRIPTS[live.script]]
    body = "\n".join([f"const steelyardMeasures = {live.functions()};", *parts])
    return Markup(f'(() => {{\n"use strict";\n{body}\n}})();')


@functools.cache
def read_script(name: str) -> str:
    """A script of the pages; no page may end within it."""
    text = files("steelyard.report.page").joinpath(name).read_text(encoding="utf-8")
    if "</" in text.lower() and "</script" in text.lower():
        raise AssertionError(f"{name} would end the script it stands in")
    return text


def _as_json(live: Live) -> Markup:
    """Data that a page reads and never takes for markup."""
    text = json.dumps(live.data(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)


def _marks(report: Report) -> Callable[[str], str]:
    """The classes by which the style finds what is of a kind; none for a kind that no filter knows."""
    for found, most in (
        (len(report.filters), MOST_FILTERS),
        *((len(f.kinds), MOST_KINDS) for f in report.filters),
    ):
        if found > most:
            raise ValueError(f"{found} filters or kinds of a filter, at most {most}")
    known = {
        kind: f"k{i} f{i}-{j}"
        for i, one in enumerate(report.filters)
        for j, (kind, _) in enumerate(one.kinds)
    }
    return lambda kind: known.get(kind, "")


def _shown(value: Any) -> Any:
    """What a class is called may turn around the words beside it; markup is the page's own."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("steelyard.report.page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_shown,
    )
    environment.filters["breakable"] = _breakable
    environment.filters["cell"] = _as_cell
    environment.filters["classes"] = _classes
    environment.filters["kind"] = _kind
    environment.filters["options"] = _options
    environment.globals["drawn"] = _drawn
    environment.filters["as_json"] = _as_json
    return environment


def _breakable(words: str) -> Markup:
    """A long id may go on below after an underscore, nowhere else within it."""
    if len(words) <= SHORT or not words.isidentifier():
        return escape(visible(words))
    return Markup("_<wbr>").join(words.split("_"))


def _as_cell(cell: Cell | str) -> Cell:
    return cell if isinstance(cell, Cell) else Cell(cell)


def _classes(table: Table) -> list[str]:
    """The classes of each column's cells: words stand left, long ones get room, short and whole ones are
    never broken."""
    found = []
    for k, column in enumerate(table.columns):
        longest = max((len(_as_cell(row[k]).words) for row in table.rows[: table.most_on_page]), default=0)
        named = {
            "words": column.kind == "words",
            "long": column.kind == "words" and longest > LONG,
            "short": column.kind == "words" and longest <= SHORT,
            "whole": column.whole,
        }
        found.append(" ".join(name for name, holds in named.items() if holds))
    return found


def _options(choice: Choice) -> tuple[Option, ...]:
    if len(choice.options) > MOST_CHOICES:
        raise ValueError(f"{len(choice.options)} options, at most {MOST_CHOICES}")
    return choice.options


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
    hidden = ",".join(
        f".steelyard:has(input.f{i}-{j}:checked) .k{i}:not(.f{i}-{j})"
        for i in range(MOST_FILTERS)
        for j in range(MOST_KINDS)
    )
    text = files("steelyard.report.page").joinpath("style.css").read_text(encoding="utf-8")
    return Markup(text.replace(".steelyard .chosen", shown).replace(".steelyard .filtered", hidden))


def _hash(text: str) -> str:
    """The name under which the content policy allows a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
