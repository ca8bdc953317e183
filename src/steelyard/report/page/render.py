"""Render a page: one HTML file that requests nothing, light and dark, for phone and print."""

# Complete without scripts.

from __future__ import annotations

import base64
import datetime
import functools
import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from steelyard.report.class_names import visible
from steelyard.report.drawing import drawn, page_css
from steelyard.report.pages import Page, Soft, Strong
from steelyard.report.sections import Cell, Segments, Strip, Table, as_cell

# Characters up to which a column of words stays on one line, and from which most of its cells get room for a
# few words or for sentences.
SHORT, LONG, PROSE = 20, 32, 100
# The scripts of the page whose counts a reader can change, in their order.
STUDIO = ("vendored/papaparse-5.7.0.min.js", "formula.js", "reading.js", "studio.js")
# Kinds of metrics, and what their buttons say.
KINDS = {
    "all": "All",
    "fixed": "Does not depend on prevalence",
    "moves": "Depends on prevalence",
    "scores": "Of scores",
}


def render(page: Page, made: str = "") -> str:
    """The whole page. A content security policy forbids any request and all scripts but its own."""
    style, script = _style(), _script(page)
    origin, by, command = made.partition(" by: ")
    facts = {
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        "made": made,
        "made_on": origin + by,
        "made_by": command,
        "date": f"{datetime.datetime.now(tz=datetime.UTC):%-d %B %Y}" if made else "",
        "in_notebook": False,
    }
    return str(_environment().get_template("page.html").render(page=page, **facts))


def fragment(page: Page) -> str:
    """The first screen inside somebody else's page, such as a notebook; without scripts."""
    facts = {"style": _scoped_style(), "in_notebook": True}
    return str(_environment().get_template("fragment.html").render(page=page, **facts))


def _script(page: Page) -> Markup:
    """The one script of a page: what every page has, and the metrics where a reader can change something."""
    parts = [read_script("page.js")]
    if page.what_if is not None:
        scope = f"(() => {{\n{read_script('intervals.js')}\nreturn [IntervalFinder, DifferenceFinder];\n}})()"
        intervals = f"const [IntervalFinder, DifferenceFinder] = {scope};"
        measures = f"const steelyardMeasures = {page.what_if.functions()};"
        parts += [measures, intervals, read_script("what_if.js")]
        if page.what_if.is_studio:
            parts += ["{", *map(read_script, STUDIO), "}"]
    body = "\n".join(parts)
    return Markup(f'(() => {{\n"use strict";\n{body}\n}})();')


@functools.cache
def read_script(name: str) -> str:
    """A script of the pages; no page may end within it."""
    text = files("steelyard.report.page").joinpath(name).read_text(encoding="utf-8")
    if "</" in text.lower() and "</script" in text.lower():
        raise AssertionError(f"{name} would end the script it stands in")
    return text


def _as_json(data: Mapping[str, Any]) -> Markup:
    """Data that a page reads and never takes for markup."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A class named "</script>" would end the element; U+2028 and U+2029 once ended a line in JavaScript.
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return Markup(text)


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
    environment.filters |= {
        "as_json": _as_json,
        "bar": lambda cell: f"{100 * min(max(cell.bar, 0.0), 1.0):.1f}",
        "breakable": _breakable,
        "cell": as_cell,
        "classes": _classes,
        "command_parts": command_parts,
        "filters": lambda table: [pair for pair in KINDS.items() if pair[0] in ("all", *table.kinds)],
        "is_soft": lambda words: isinstance(words, Soft),
        "is_strong": lambda words: isinstance(words, Strong),
        "mark_kinds": lambda table: {
            kind
            for row in table.rows
            for cell in row
            if isinstance(cell, Cell) and cell.strip
            for kind, *_ in cell.strip.marks
        },
        "kind": lambda block: type(block).__name__,
        "segments": _segments,
        "sentence": _sentence,
        "strip_marks": _strip_marks,
        "svg": lambda chart: Markup(drawn(chart)),
    }
    return environment


# A call of Python is one part.
def command_parts(command: str) -> list[str]:
    """A command in parts at which a line may end: an option and its value stay together."""
    if command.startswith("sy."):
        return [command]
    parts: list[str] = []
    for word in shlex.split(command, posix=False):
        if parts and (not word.startswith("--")) and (parts[-1].startswith("--") or len(parts) == 1):
            parts[-1] = f"{parts[-1]} {word}"
        else:
            parts.append(word)
    return parts


def _strip_marks(strip: Strip) -> list[tuple[str, float, float, float, float]]:
    """Marks with their places in percent; of two models one stands above the other."""
    two = {"value", "b"} <= {kind for kind, *_ in strip.marks}
    return [
        (
            kind,
            strip.place(at),
            strip.place(low),
            strip.place(high),
            (32.0 if kind == "value" else 68.0) if two and kind in ("value", "b") else 50.0,
        )
        for kind, at, low, high in strip.marks
        if at == at  # not NaN
    ]


def _segments(bar: Segments) -> list[tuple[float, float, str]]:
    places, at = [], 0.0
    for _, share, css in bar.parts:
        places.append((round(100 * at, 2), round(100 * share, 2), css))
        at += share
    return places


def _sentence(words: str) -> Markup:
    """Words in which an option or a date stays on one line: browsers break lines after their hyphens."""
    text = str(escape(visible(words)))
    return Markup(re.sub(r"--[a-z][a-z-]*|\b\d{4}-\d\d-\d\d\b", r'<span class="option">\g<0></span>', text))


def _breakable(words: str) -> Markup:
    """A name of one word goes on below after an underscore, where it does not fit."""
    return Markup("" if " " in words else "<wbr>").join(re.split("(?<=_)", visible(words)))


# Words stand left, long ones get room, short and whole ones are never broken.
def _classes(table: Table) -> list[str]:
    """The classes of each column's cells."""
    classes = []
    for k, column in enumerate(table.columns):
        shown = [as_cell(row[k]) for row in table.rows[: table.most_on_page]]
        lengths = sorted(len(cell.words) + len(cell.aside) for cell in shown) or [0]
        usual = lengths[3 * len(lengths) // 4]
        named = {
            "words": column.kind == "words",
            "long": column.kind == "words" and LONG < usual <= PROSE,
            "prose": column.kind == "words" and usual > PROSE,
            "short": column.kind == "words" and lengths[-1] <= SHORT,
            "whole": column.whole,
        }
        classes.append(" ".join(name for name, holds in named.items() if holds))
    return classes


@functools.cache
def _style() -> Markup:
    """The style of all pages."""
    return Markup("\n".join(page_css(name) for name in ("tokens", "chart", "style")))


@functools.cache
def _scoped_style() -> Markup:
    """The style for somebody else's page: every rule holds inside .steelyard only."""
    rules = f"{page_css('chart')}\n{page_css('style')}"
    dark = '[data-jp-theme-light="false"] .steelyard, .vscode-dark .steelyard { color-scheme: dark; }'
    top = ".steelyard { background: var(--paper); color: var(--ink); font: var(--t3)/1.5 var(--font); }"
    return Markup(
        "\n".join([page_css("tokens").replace(":root", ".steelyard"), f".steelyard {{ {rules} }}", top, dark])
    )


def _hash(text: str) -> str:
    """The name under which the content policy allows a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
