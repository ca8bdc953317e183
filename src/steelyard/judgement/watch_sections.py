"""What is said of a watched stream? A line for each block, and a page with the rare class, the measures and
the alarms."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.judgement import watch_pictures as pictures
from steelyard.report.numbers import count, percent, points, shown
from steelyard.report.sections import (
    Block,
    Card,
    Cards,
    Cell,
    Column,
    Picture,
    Report,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.watch import Watch
    from steelyard.judgement.watch_looks import Look, Moved

VISIBLE = 0.005
"""A part of a change that is worth a word on a line."""
MOST_ON_PAGE = 200
"""Alarms and blocks listed on a page; the rest is in the JSON."""


def line(look: Look) -> str:
    """What one block shows, in one line."""
    rows = f"rows {rows_of(look)}"
    if look.number == 0:
        values = ", ".join(f"{m.measure.name} {shown(m.value)}" for m in look.moved)
        return f"{rows}: the reference so far; {values}"
    # What decides stands first: a line is longer than most terminals are wide.
    parts = []
    if look.alarms:
        more = f" and {len(look.alarms) - 2} more" if len(look.alarms) > 2 else ""
        parts.append("ALARM, class rates changed: " + "; ".join(map(str, look.alarms[:2])) + more)
    elif look.only_priors:
        parts.append(
            "moved only because the priors moved: " + ", ".join(m.measure.name for m in look.only_priors)
        )
    else:
        parts.append("no change of class rates")
    if look.new_classes:
        parts.append("new classes: " + ", ".join(map(str, look.new_classes)))
    parts.append(f"priors moved by {points(look.prior_distance)}")
    parts.append(", ".join(f"{m.measure.name} {_at_both_priors(m)}" for m in look.moved))
    return f"{rows}: " + "; ".join(parts)


def rows_of(look: Look) -> str:
    """The rows of a block, counted from 1."""
    return f"{look.first_row + 1:,} to {look.first_row + look.rows:,}"


def _at_both_priors(m: Moved) -> str:
    """The value, and the one at the reference's priors where that differs in what is shown."""
    value, other = shown(m.value), shown(m.at_reference_priors)
    return value if abs(m.by_priors) < VISIBLE or value == other else f"{value} ({other} at reference priors)"


def watch_report(watched: Watch) -> Report:
    """Everything that the blocks show so far."""
    title = f"Watch over {watched.source}"
    if not watched.looks:
        return Report(title, (Section("", (Sentence("No block was complete yet."),), "brief"),))
    return Report(
        title,
        (
            Section("", tuple(_opening(watched)), "brief"),
            *_pictures(watched),
            Section("Alarms", (_alarms(watched),), "full"),
            Section("Blocks", (_blocks(watched),), "full"),
        ),
        footer=f"Steelyard {__version__}. Fingerprint of the counts: {fingerprint(watched)}.",
    )


def fingerprint(watched: Watch) -> str:
    """Sixteen digits that change with any count of the reference or of a block."""
    counted = json.dumps(
        [
            None if watched.reference is None else watched.reference.to_dict(),
            [
                (look.rows, list(look.priors.values()), [m.value for m in look.moved])
                for look in watched.looks
            ],
        ],
        default=str,
    )
    return hashlib.sha256(counted.encode()).hexdigest()[:16]


def _opening(watched: Watch) -> Iterator[Block]:
    looks = watched.looks
    alarmed = [look for look in looks if look.alarms]
    yield Sentence(verdict(watched), "strong")
    yield Cards(
        (
            Card("Rows", count(watched.rows), f"in {len(looks):,} blocks"),
            Card("Alarms", f"{len(alarmed):,}", "blocks in which class rates differ from the reference"),
            Card(
                "Priors",
                points(looks[-1].prior_distance),
                "moved between classes, last block against the reference",
            ),
        )
    )
    told = (
        "the reference file"
        if watched.given
        else "all rows before the block, or before the change where there is one"
    )
    yield Sentence(
        f"The reference is {told}. An alarm is an exact test of every class rate, over blocks together; the"
        f" probability of ever raising a false one is at most {percent(watched.alpha)}, however small the"
        " blocks and however many of them.",
        "soft",
    )
    if power := watched.power():
        yield Sentence(power[0].upper() + power[1:] + ".", "soft")


def verdict(watched: Watch) -> str:
    """Did the classifier change, or only the classes it meets?"""
    tested = [look for look in watched.looks if look.number]
    if not tested:
        return "Only the reference was seen: there is nothing to hold against it yet."
    alarmed = [look for look in tested if look.alarms]
    if alarmed:
        return (
            f"The classifier changed: class rates differ in {len(alarmed):,} of {len(tested):,} blocks, first"
            f" in rows {rows_of(alarmed[0])}: {alarmed[0].alarms[0]}."
        )
    moved = sorted({m.measure.name for look in tested for m in look.only_priors})
    blocks = f"{len(tested):,} block{'s' if len(tested) > 1 else ''}"
    if moved:
        return (
            f"No change of the classifier in {blocks}; {', '.join(moved)} moved only because the classes'"
            " proportions moved."
        )
    return f"No change of the classifier in {blocks}."


def _pictures(watched: Watch) -> Iterator[Section]:
    looks = watched.looks
    rare = pictures.rare_class(watched)
    if rare is not None:
        picture = Picture(
            partial(pictures.rare_picture, watched, rare),
            f"Share of {rare} in each block, on a logarithmic scale, with its exact 95 % interval; dashed,"
            " its share in the reference. Blocks with an alarm are marked.",
        )
        yield Section("The rare class", (picture,), "page")
    if len(looks[-1].priors) > 2:
        caption = "Share of each class in each block."
        all_of_them = Picture(partial(pictures.priors_picture, looks), caption)
        yield Section("Class priors", (all_of_them,), "page")
    if looks[-1].moved:
        observed = Picture(
            partial(pictures.measures_picture, looks, "value", "Measures as observed"),
            "As observed: changes of the priors and of the class rates together.",
        )
        at_reference = Picture(
            partial(
                pictures.measures_picture, looks, "at_reference_priors", "Measures at the reference's priors"
            ),
            "At the priors of the reference: what moves here is the classifier.",
        )
        yield Section("Measures", (observed, at_reference), "page")


def _alarms(watched: Watch) -> Block:
    rows = tuple(
        (
            rows_of(look),
            str(a.truth),
            str(a.prediction),
            f"{a.rate:.3f}",
            f"{a.low:.3f} to {a.high:.3f}",
            f"{a.reference:.3f}",
            f"{a.examples:,}",
            f"{a.p:.2g}",
        )
        for look in watched.looks
        for a in look.alarms
    )
    if not rows:
        return Sentence("None.")
    columns = (
        words_column("rows", whole=True),
        words_column("truth"),
        words_column("prediction"),
        *number_columns("rate", "exact interval", "before", "examples", "p"),
    )
    return Table(columns, rows, identity="alarms", most_on_page=MOST_ON_PAGE)


def _blocks(watched: Watch) -> Table:
    looks = watched.looks
    names = [m.measure.name for m in looks[-1].moved]
    columns = (
        words_column("rows", whole=True),
        Column("priors moved"),
        *number_columns(*names),
        words_column("what moved"),
    )
    # The newest blocks are those that somebody watches for.
    return Table(
        columns,
        tuple(_block_row(look, names) for look in reversed(looks)),
        identity="blocks",
        title="Newest first" if len(looks) > 1 else "",
        most_on_page=MOST_ON_PAGE,
    )


def _block_row(look: Look, names: Sequence[str]) -> tuple[Cell | str, ...]:
    values = {
        m.measure.name: Cell(shown(m.value), tip=f"at reference priors {shown(m.at_reference_priors)}")
        for m in look.moved
    }
    if look.number == 0:
        words = Cell("the reference", "soft")
    elif look.alarms:
        words = Cell("class rates", "bad")
    else:
        words = Cell("only the priors" if look.only_priors else "")
    moved = "" if math.isnan(look.prior_distance) else points(look.prior_distance)
    return (rows_of(look), moved, *(values.get(name, "") for name in names), words)
