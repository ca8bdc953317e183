"""What is said of a stream that nobody labels?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.report.class_names import short
from steelyard.report.numbers import count, p_relation, percent
from steelyard.report.sections import (
    Cell,
    Report,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.watch_unlabelled import UnlabelledLook, UnlabelledWatch


def unlabelled_line(look: UnlabelledLook) -> str:
    """One block in one line."""
    shares = ", ".join(_share(look, k) for k in look.told)
    warning = (
        ""
        if look.fits
        else f" WARNING: no mixture of the labelled classes looks like this (p {p_relation(look.p_value)});"
        " the classes themselves have changed, so these shares cannot be trusted."
    )
    return f"rows {look.first_row:,} to {look.first_row + look.rows - 1:,}: {shares}{warning}"


def _share(look: UnlabelledLook, k: int) -> str:
    found = look.estimate
    return (
        f"{short(look.labels[k], 20)} {percent(float(found.shares[k]))}"
        f" ({percent(float(found.low[k]))} to {percent(float(found.high[k]))})"
    )


def unlabelled_report(watched: UnlabelledWatch) -> Report:
    """The latest block, whether any did not fit, and all of them."""
    title = (
        f"{watched.source} · {count(watched.rows)} rows without labels · {count(len(watched.looks))} blocks"
    )
    sections = [
        Section("", tuple(_verdict(watched)), "brief", "verdict"),
        Section("Blocks", (_table(watched),), "brief", "blocks"),
    ]
    return Report(title, tuple(sections), f"Steelyard {__version__}.")


def _verdict(watched: UnlabelledWatch) -> Iterator[Sentence]:
    if not watched.looks:
        yield Sentence("No row was seen.")
        return
    latest = unlabelled_line(watched.looks[-1])
    yield Sentence(f"Latest: {latest if latest.endswith('.') else latest + '.'}", "strong")
    unfit = [look.number for look in watched.looks if not look.fits]
    if unfit:
        yield Sentence(
            f"Label shift is rejected in {len(unfit)} of {len(watched.looks)} blocks, the first being block"
            f" {unfit[0]}.",
            "bad",
        )
    yield Sentence(
        "Assumed: each class looks as in the reference and only the shares change (label shift). The"
        f" probability of ever warning though that holds is at most {percent(watched.alpha)}.",
        "soft",
    )


def _table(watched: UnlabelledWatch) -> Table:
    rows = [
        (
            count(look.first_row),
            count(look.rows),
            "; ".join(_share(look, k) for k in look.told),
            Cell("yes") if look.fits else Cell(f"no, p {p_relation(look.p_value)}", "bad"),
        )
        for look in reversed(watched.looks)
    ]
    columns = (*number_columns("from row", "rows"), words_column("shares"), words_column("label shift fits"))
    return Table(columns, tuple(rows), identity="blocks")
