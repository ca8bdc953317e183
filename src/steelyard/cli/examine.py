"""steelyard examine: what is true of a measure itself?"""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from steelyard.cli.output import json_option, refuse_to_replace, show_or_json
from steelyard.errors import InputError


@click.command()
@click.argument("measures", nargs=-1)
@click.option(
    "--property",
    "properties",
    multiple=True,
    help="Only this property, such as prior-invariance; may be repeated.",
)
@click.option(
    "--against",
    help="Another measure: show how each relates to it (equal, affine, never greater, same ranking).",
)
@click.option(
    "--classes", default="2,3,4", show_default=True, help="Numbers of classes to try a user's function on."
)
@click.option("--seconds", default=60.0, show_default=True, help="Time limit for a user's function.")
@click.option(
    "--picture", type=click.Path(dir_okay=False), help="Draw one measure into this file (png, svg, pdf)."
)
@click.option(
    "--html",
    "html_path",
    type=click.Path(dir_okay=False),
    help="Write a page on one measure, with its pictures, to this file.",
)
@click.option("--list", "list_properties", is_flag=True, help="List the properties and what they say.")
@json_option
def examine(
    measures: tuple[str, ...],
    properties: tuple[str, ...],
    against: str | None,
    classes: str,
    seconds: float,
    picture: str | None,
    html_path: str | None,
    list_properties: bool,
    json_path: str | None,
) -> None:
    """Decide what is true of MEASURES: names, or file.py:function for one of your own. Without any, of the whole catalogue."""
    from steelyard.properties import shown as terminal
    from steelyard.properties.conditions import PROPERTIES, property_named

    if list_properties:
        show_or_json(
            lambda: [
                {"id": p.id, "name": p.name, "statement": p.statement, "source": p.source} for p in PROPERTIES
            ],
            json_path,
            terminal.show_statements,
        )
        return
    chosen = [property_named(name) for name in properties] or list(PROPERTIES)
    sizes = _sizes(classes)
    if (picture is not None or html_path is not None) and (len(measures) != 1 or against is not None):
        raise InputError(
            "a picture or a page shows one measure",
            found=f"{len(measures)} measures" if against is None else "--against",
            allowed="one measure with --picture or --html",
        )
    refuse_to_replace(
        (name.rpartition(":")[0] for name in measures), picture, html_path, json_path, what="the measure"
    )
    if against is not None:
        _relations(measures, against, json_path)
        return
    found = list(_examined(measures, chosen, sizes, seconds))
    if picture is not None or html_path is not None:
        _show_looks(found[0], measures[0], sizes, seconds, picture, html_path)

    def show() -> None:
        if len(found) > 4:
            terminal.show_overview(found)
        else:
            for e in found:
                terminal.show_examination(e)

    show_or_json(lambda: [e.to_dict() for e in found], json_path, show)


def _examined(measures: tuple[str, ...], chosen: list[Any], sizes: tuple[int, ...], seconds: float) -> Any:
    from steelyard.measures.catalogue import catalogue, measure
    from steelyard.properties.examination import examine as examine_one
    from steelyard.properties.examination import examine_all
    from steelyard.properties.shown import progress
    from steelyard.properties.user_measure import examine_user, parse

    if not measures:
        start = time.monotonic()
        names = catalogue()
        for number, e in enumerate(examine_all(names, chosen), start=1):
            progress(f"{number} of {len(names)}: {e.subject} ({time.monotonic() - start:.0f} s)")
            yield e
        return
    parsed = [(name, parse(name)) for name in measures]
    known = {
        name: measure(name) for name, own in parsed if own is None
    }  # a misspelt name fails before anything is computed
    for name, own in parsed:
        if own is None:
            yield examine_one(known[name], chosen, progress if sys.stderr.isatty() else None)
        else:
            yield examine_user(*own, chosen, sizes, progress if sys.stderr.isatty() else None, seconds)


def _relations(measures: tuple[str, ...], against: str, json_path: str | None) -> None:
    from steelyard.measures.catalogue import measure
    from steelyard.properties import orderings
    from steelyard.properties import shown as terminal
    from steelyard.properties.functions import decide_rising_function
    from steelyard.properties.subject import Subject

    other = Subject(measure(against))
    verdicts = []
    for name in measures:
        one = Subject(measure(name))
        verdicts += [
            orderings.decide_equal(one, other),
            orderings.decide_affine(one, other),
            decide_rising_function(one, other),
            orderings.decide_not_greater(one, other),
            orderings.decide_not_greater(other, one),
            orderings.decide_same_ranking(one, other),
        ]
    show_or_json(lambda: [v.to_dict() for v in verdicts], json_path, lambda: terminal.show_verdicts(verdicts))


def _sizes(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError as error:
        raise InputError(
            "the numbers of classes are not understood", found=repr(text), allowed="numbers such as 2,3,4"
        ) from error
    if not sizes or min(sizes) < 2 or max(sizes) > 6:
        raise InputError("a number of classes is out of range", found=text, allowed="2 to 6")
    return sizes


def _show_looks(
    found: Any, name: str, sizes: tuple[int, ...], seconds: float, picture: str | None, html_path: str | None
) -> None:
    """Draw what was asked for; a measure that cannot be drawn still has its page."""
    from steelyard.measures.catalogue import measure
    from steelyard.properties.page import page
    from steelyard.properties.plots import draw_measure
    from steelyard.properties.portrait import portrait_of
    from steelyard.properties.subject import Subject
    from steelyard.properties.user_measure import parse, portrait_user
    from steelyard.report.saving import save

    own = parse(name)
    known = measure(name) if own is None else None
    portrait, why_not = (
        portrait_user(*own, sizes, seconds) if own is not None else (portrait_of(Subject(measure(name))), "")
    )
    if picture is not None:
        if portrait is None or not portrait.has_two_class_values:
            raise InputError(
                "the measure cannot be drawn",
                found=why_not or "no value on any matrix of two classes",
                do="leave --picture out",
            )
        draw_measure(portrait, found.subject, picture)
    if html_path is not None:
        save(html_path, page(found, portrait, why_not, known))
