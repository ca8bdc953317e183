"""steelyard examine: what is true of a measure itself?"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.output import (
    html_option,
    json_option,
    markdown_option,
    refuse_to_replace,
    schema_option,
    show_and_save,
    show_or_json,
)
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.proofs.examination import Examination


@click.command(short_help="Decide what is true of a measure: a name, a formula or a file.")
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
@click.option("--seconds", default=8.0, show_default=True, help="Time limit for each property.")
@click.option(
    "--picture", type=click.Path(dir_okay=False), help="Draw one measure into this file (png, svg, pdf)."
)
@html_option
@markdown_option
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Decide anew and check the certificate of every proof; exit 1 where one fails.",
)
@click.option("--list", "list_properties", is_flag=True, help="List the properties and what they say.")
@json_option
@schema_option("examine")
def examine(
    measures: tuple[str, ...],
    properties: tuple[str, ...],
    against: str | None,
    classes: str,
    seconds: float,
    picture: str | None,
    html_path: str | None,
    markdown_path: str | None,
    only_check: bool,
    list_properties: bool,
    json_path: str | None,
) -> None:
    """Decide what is true of MEASURES: names, formulas such as 'tp/(tp+fp)' or 'mean(hits/actual)', or
    file.py:function. Without any, of the whole catalogue."""
    from steelyard.proofs.examination import Overview
    from steelyard.proofs.questions.conditions import PROPERTIES, property_named

    if list_properties:
        _list(json_path)
        return
    chosen = [property_named(name) for name in properties] or list(PROPERTIES)
    sizes = _sizes(classes)
    if not 0 < seconds < math.inf:
        raise InputError("a time limit is above 0", found=f"{seconds:g} seconds", allowed="such as 8")
    if (picture is not None or html_path is not None) and (len(measures) != 1 or against is not None):
        raise InputError(
            "a picture or a page shows one measure",
            found=f"{len(measures)} measures" if against is None else "--against",
            allowed="one measure with --picture or --html",
        )
    outputs = (picture, html_path, markdown_path, json_path)
    refuse_to_replace((name.rpartition(":")[0] for name in measures), *outputs, what="the measure")
    if against is not None:
        _relations(measures, against, json_path, markdown_path)
        return
    if only_check:
        _check(measures, chosen, sizes, seconds)
        return
    found = list(_examined(measures, chosen, sizes, seconds))
    if picture is not None or html_path is not None:
        found = [_drawn(found[0], measures[0], sizes, seconds)]
    if picture is not None:
        _draw(found[0], picture)
    outcome = Overview(tuple(found))
    show_and_save(outcome, html_path=html_path, json_path=json_path, markdown_path=markdown_path)


def _examined(
    measures: tuple[str, ...], chosen: list[Any], sizes: tuple[int, ...], seconds: float
) -> Iterator[Examination]:
    from steelyard.measures.catalogue import catalogue
    from steelyard.measures.formula import measure_or_formula
    from steelyard.proofs.examination import examine as examine_one
    from steelyard.proofs.examination import examine_all
    from steelyard.proofs.user_measure import examine_user, parse
    from steelyard.report.terminal import told as progress

    if not measures:
        start = time.monotonic()
        names = catalogue()
        for number, e in enumerate(examine_all(names, chosen), start=1):
            progress(f"{number} of {len(names)}: {e.subject} ({time.monotonic() - start:.0f} s)")
            yield e
        return
    parsed = [(name, parse(name)) for name in measures]
    # A misspelt name fails before anything is computed.
    known = {name: measure_or_formula(name) for name, own in parsed if own is None}
    for name, own in parsed:
        if own is None:
            yield examine_one(known[name], chosen, progress if sys.stderr.isatty() else None, seconds)
        else:
            yield examine_user(*own, chosen, sizes, progress if sys.stderr.isatty() else None, seconds)


def _check(measures: tuple[str, ...], chosen: list[Any], sizes: tuple[int, ...], seconds: float) -> None:
    """One line a proof; exit code 1 where a certificate fails."""
    from steelyard.measures.catalogue import catalogue
    from steelyard.measures.formula import measure_or_formula
    from steelyard.proofs.examination import examine as examine_one
    from steelyard.proofs.prover.certified import checked, with_certificates
    from steelyard.proofs.user_measure import examine_user, parse
    from steelyard.proofs.verdict import PROVED

    failed = False
    own = [parsed for name in measures if (parsed := parse(name)) is not None]
    for user in own:
        for verdict in examine_user(*user, chosen, sizes, None, seconds, certify=True).verdicts:
            failed = failed or "certificates fail" in verdict.method
            if verdict.grade in PROVED:
                said = "certified" if verdict.certified else "not certified"
                what = f"{user[0].name}:{user[1]}: {verdict.question}"
                click.echo(f"{what}: {verdict.grade} for {verdict.classes}; {said}")
    measures = tuple(name for name in measures if parse(name) is None)
    if own and not measures:
        if failed:
            raise click.exceptions.Exit(1)
        return
    for made in [measure_or_formula(name) for name in measures] or catalogue():
        for p in chosen:
            found, certificates = with_certificates(lambda m=made, p=p: examine_one(m, [p]).verdicts[0])  # type: ignore[misc]
            if found.grade == "proved":
                result = checked(certificates, found.method)
                failed = failed or result.state == "fails"
                # A proof whose certificate fails is not shown as one.
                grade = "proved" if result.state != "fails" else "not decided"
                click.echo(f"{found.subject}: {p.name}: {grade} for {found.classes}; {result.words}")
    if failed:
        raise click.exceptions.Exit(1)


def _list(json_path: str | None) -> None:
    from steelyard.proofs.questions.conditions import PROPERTIES
    from steelyard.proofs.report import statements_report
    from steelyard.report.terminal import show

    plain = [{"id": p.id, "name": p.name, "statement": p.statement, "source": p.source} for p in PROPERTIES]
    show_or_json(lambda: plain, json_path, lambda: show(statements_report()))


def _relations(
    measures: tuple[str, ...], against: str, json_path: str | None, markdown_path: str | None
) -> None:
    from steelyard.measures.formula import measure_or_formula as measure
    from steelyard.proofs.questions.relations import relate

    related = relate([measure(name) for name in measures], measure(against))
    show_and_save(related, json_path=json_path, markdown_path=markdown_path)


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


def _drawn(found: Examination, name: str, sizes: tuple[int, ...], seconds: float) -> Examination:
    """The same with its portrait; a user's function is asked for its values in a process of its own."""
    from steelyard.proofs.user_measure import parse, portrait_user

    own = parse(name)
    if own is None:
        return found.drawn()
    portrait, why_not = portrait_user(*own, sizes, seconds)
    return replace(found, portrait=portrait, no_picture=why_not)


def _draw(found: Examination, picture: str) -> None:
    from steelyard.proofs.plots import draw_measure

    if found.portrait is None or not found.portrait.has_two_class_values:
        raise InputError(
            "the measure cannot be drawn",
            found=found.no_picture or "no value on any matrix of two classes",
            do="leave --picture out",
        )
    draw_measure(found.portrait, found.subject, picture)
