"""Report of a watched stream: a line for each block, the conclusion, and a page with figures and alarms."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from steelyard._version import __version__
from steelyard.judgement.reproduction import fingerprint
from steelyard.judgement.watch.monitor import Watch
from steelyard.judgement.watch.result import when
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted, short
from steelyard.report.numbers import between, count, p_relation, percent, points, shown
from steelyard.report.sections import (
    Block,
    Card,
    Cards,
    Cell,
    Column,
    Figure,
    Report,
    Section,
    Sentence,
    SideBySide,
    Table,
    number_columns,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.watch.result import LabelledBlock, UnlabelledBlock, Watched

# Alarms and blocks listed on a page; the rest is in the JSON.
MOST_ON_PAGE = 200
# Alarms of one block that its lines name.
MOST_ALARMS = 3
# Columns of the terminal: a value, the rows or dates of a block, a line.
NARROW, WIDE, WIDTH = 9, 26, 100


def report(watched: Watched) -> Report:
    """Everything that the blocks show so far."""
    return labelled_report(watched) if isinstance(watched, Watch) else unlabelled_report(watched)


def text(watched: Watched) -> str:
    """The opening, a line for each block, and the conclusion."""
    lines = [line(watched, block) for block in watched.blocks]
    return "\n".join([*(opening(watched) if lines else ()), *lines, "", *conclusion(watched)])


def opening(watched: Watched) -> list[str]:
    """The title and the names of the columns, once a block was checked."""
    block = watched.blocks[0]
    if hasattr(block, "moved"):
        names = [_prevalence_name(watched), *(short_name(m.measure) for m in block.moved)]
    else:
        names = [f"estimated prevalence of {', '.join(short(block.labels[k], 20) for k in block.main)}"]
    return [f"Drift check of {watched.source}", "", "".join([f"{'':{WIDE}}", *map(_column, names)]).rstrip()]


def _column(name: str) -> str:
    return f"{name:>{max(NARROW, len(name) + 2)}}"


def line(watched: Watched, block: Any) -> str:
    """What one block shows: its values and whether class rates changed; alarms stand below."""
    if not hasattr(block, "moved"):
        return _unlabelled_line(block)
    names = [_prevalence_name(watched), *(short_name(m.measure) for m in block.moved)]
    values = [_prevalence(watched, block), *(shown(m.value) for m in block.moved)]
    cells = [f"{value:>{max(NARROW, len(name) + 2)}}" for name, value in zip(names, values, strict=True)]
    first = f"{when(block):{WIDE}}{''.join(cells)}  {_status(block)}"
    return "\n".join([first, *(f"    {detail}" for detail in _details(block))])


def _prevalence_name(watched: Any) -> str:
    label = watched.rare_class if len(watched.blocks[0].priors) == 2 else None
    return "shift" if label is None else f"share of {short(label, 16)}"


def _prevalence(watched: Any, block: LabelledBlock) -> str:
    """The prevalence of the rare class of two, or how far the class distribution moved."""
    label = watched.rare_class if len(watched.blocks[0].priors) == 2 else None
    return percent(block.prior_distance if label is None else block.priors.get(label, 0.0))


def _status(block: LabelledBlock) -> str:
    if block.number == 0:
        return "reference"
    if block.alarm:
        return "ALARM"
    if block.alarms:
        return "class rates changed"
    return "prevalence changed" if block.prior_changes else "no alarm"


def _details(block: LabelledBlock) -> Iterator[str]:
    yield from (f"changed: {alarm}" for alarm in block.alarms[:MOST_ALARMS])
    if len(block.alarms) > MOST_ALARMS:
        yield f"and {len(block.alarms) - MOST_ALARMS} more rates"
    yield from (f"changed: {change}" for change in block.prior_changes[:MOST_ALARMS])
    if block.new_classes:
        yield f"classes that the reference does not have: {', '.join(map(quoted, block.new_classes))}"


def _unlabelled_line(block: UnlabelledBlock) -> str:
    first = f"{when(block):{WIDE}}"
    status = "ALARM" if block.alarm else "no alarm" if block.fits else "label shift rejected"
    shares = ", ".join(_share(block, k) for k in block.main) or "not estimated"
    if block.fits:
        changed = f"\n    prevalence differs from the reference (p {p_relation(block.prior_p)})"
        values = ", ".join(
            f"{short_name(m.measure)} {shown(m.value)} ({between(round(m.low, 6), round(m.high, 6))})"
            for m in block.measures
        )
        metrics = f"\n    {values}" if values else ""
        return f"{first}  {shares}  {status}{metrics}{changed if block.alarm else ''}"
    why = f"label shift is rejected (p {p_relation(block.p_value)})"
    other = "under covariate shift" if block.covariate is not None else "scores leave the labelled range"
    return f"{first}  {shares}  {status}\n    {why}; {other}"


def _share(block: UnlabelledBlock, k: int) -> str:
    estimate = block.leads
    if estimate is None:
        return ""
    share, low, high = (percent(float(ends[k])) for ends in (estimate.shares, estimate.low, estimate.high))
    return f"{share} ({low} to {high})"


def conclusion(watched: Watched) -> list[str]:
    """What all blocks say together, what is assumed, and what to do next."""
    if not watched.blocks:
        return ["No row was read.", *watched.notes]
    return [textwrap.fill(sentence.words, WIDTH) for sentence in _sentences(watched)]


def _sentences(watched: Any) -> Iterator[Sentence]:
    if hasattr(watched.blocks[0], "moved"):
        yield Sentence(verdict(watched), "strong")
        reference = f"{watched.reference_name} and the" if watched.given else "all"
        yield Sentence(
            f"Reference: {reference} rows before a block, up to the change. Every class rate is tested after"
            " every block, also over several blocks together; the probability of any false alarm is at most"
            f" {100 * watched.alpha:g}%.",
            "soft",
        )
        yield Sentence(
            "Assumed: rows are independent, and class rates do not vary between blocks by themselves."
            if watched.independent
            else "Natural variation of class rates between blocks is estimated from the blocks and allowed"
            " for; --independent assumes none and detects changes sooner.",
            "soft",
        )
        if power := watched.power():
            yield Sentence(power, "soft")
        if watched.alarmed:
            yield Sentence(
                "Next: evaluate the rows since the change in slices (option --slice of evaluate), then"
                " retrain or choose a new threshold; rows that are good serve as the next --reference."
            )
    else:
        yield from _unlabelled_sentences(watched)
    yield from (Sentence(note, "soft") for note in watched.notes)


def verdict(watched: Watch) -> str:
    """Did class rates change, or only class priors?"""
    tested = [block for block in watched.blocks if block.number]
    if not tested:
        return "Only the reference was read: no block to compare with it."
    changed = [block for block in tested if block.alarms]
    blocks = f"{len(tested):,} block{'s' if len(tested) > 1 else ''}"
    shifted = [block for block in tested if block.prior_changes]
    priors = ""
    if shifted:
        priors = f" The class distribution changed: {shifted[0].prior_changes[0]}."
    if changed:
        return (
            f"Performance changed: class rates differ from the reference in {len(changed):,} of {blocks},"
            f" first in {when(changed[0])}: {changed[0].alarms[0]}.{priors}"
        )
    moved = sorted({short_name(m.measure) for block in tested for m in block.only_priors})
    only = f" {', '.join(moved)} changed only because of that." if moved else ""
    return f"No change of class rates detected in {blocks}.{watched.without_power()}{priors}{only}"


def labelled_report(watched: Watch) -> Report:
    """Did class rates change, or class priors; and all blocks."""
    title = f"Drift check of {watched.source}"
    if not watched.blocks:
        return Report(title, (Section("", (Sentence("No block is complete yet."),), "brief"),))
    changed = [block for block in watched.blocks if block.alarms]
    shifted = [block for block in watched.blocks if block.prior_changes]
    cards = Cards(
        (
            Card("Rows", count(watched.rows), f"in {len(watched.blocks):,} blocks"),
            Card("Class rates changed", f"{len(changed):,}", "blocks that differ from the reference"),
            Card("Class priors changed", f"{len(shifted):,}", "blocks that differ from the rows before"),
        )
    )
    first, *others = _sentences(watched)
    counted = [
        *([] if watched.reference is None else [watched.reference]),
        *(b.matrix for b in watched.blocks),
    ]
    return Report(
        title,
        (
            Section("", (first, cards, *others), "brief"),
            *_figures(watched),
            Section("Alarms", (_alarms(watched),), "full"),
            Section("Blocks", (_blocks(watched),), "full"),
        ),
        footer=f"Steelyard {__version__}. Fingerprint of the counts: {fingerprint(counted)}.",
    )


def _figures(watched: Watch) -> Iterator[Section]:
    from steelyard.judgement.watch import figures

    blocks = watched.blocks
    first = next((block.alarms[0] for block in blocks if block.alarms), None)
    if first is not None:
        yield Section(
            "The changed rate", (Figure(partial(figures.alarmed_rate_chart, watched, first)),), "page"
        )
    if watched.rare_class is not None:
        chart = Figure(partial(figures.prevalence_chart, watched, watched.rare_class))
        yield Section("Prevalence", (chart,), "page")
    if len(blocks[-1].priors) > 2:
        yield Section("Class priors", (Figure(partial(figures.priors_chart, blocks)),), "page")
    if blocks[-1].moved:
        observed = partial(
            figures.metrics_chart,
            blocks,
            "value",
            "Metrics as observed",
            "Class prevalence and class rates of each block.",
        )
        at_reference = partial(
            figures.metrics_chart,
            blocks,
            "at_reference_priors",
            "Metrics at the reference's prevalence",
            "What changes here is due to class rates.",
        )
        yield Section("Metrics", (SideBySide((Figure(observed), Figure(at_reference))),), "page")


def _alarms(watched: Watch) -> Block:
    rows = tuple(
        (
            when(block),
            str(a.truth),
            str(a.prediction),
            f"{a.rate:.3f}",
            f"{a.low:.3f} to {a.high:.3f}",
            f"{a.reference:.3f}",
            f"{a.examples:,}",
            f"{a.p:.2g}",
        )
        for block in watched.blocks
        for a in block.alarms
    )
    if not rows:
        return Sentence("None.")
    columns = (
        words_column("block", whole=True),
        words_column("truth"),
        words_column("prediction"),
        *number_columns("rate", "interval at the level of the check", "before", "examples", "p"),
    )
    return Table(columns, rows, identity="alarms", most_on_page=MOST_ON_PAGE)


def _blocks(watched: Watch) -> Table:
    blocks = watched.blocks
    names = [short_name(m.measure) for m in blocks[-1].moved]
    columns = (
        words_column("block", whole=True),
        Column("class priors moved by"),
        *number_columns(*names),
        words_column("changed"),
    )
    # The newest blocks are those that somebody watches for.
    return Table(
        columns,
        tuple(_block_row(block, names) for block in reversed(blocks)),
        identity="blocks",
        title="Newest first" if len(blocks) > 1 else "",
        most_on_page=MOST_ON_PAGE,
    )


def _block_row(block: LabelledBlock, names: Sequence[str]) -> tuple[Cell | str, ...]:
    values = {
        short_name(m.measure): Cell(
            shown(m.value), tip=f"at the reference's priors {shown(m.at_reference_priors)}"
        )
        for m in block.moved
    }
    changed = "class rates" if block.alarms else "only class priors" if block.prior_changes else ""
    status = (
        Cell("reference", "soft") if not block.number else Cell(changed, "bad" if block.alarms else "plain")
    )
    return (when(block), points(block.prior_distance), *(values.get(name, "") for name in names), status)


def _unlabelled_sentences(watched: Watched) -> Iterator[Sentence]:
    latest, blocks = watched.blocks[-1], len(watched.blocks)
    if latest.leads is not None:
        shares = ", ".join(f"{quoted(latest.labels[k])} {_share(latest, k)}" for k in latest.main)
        under = "" if latest.fits else " under covariate shift, which is not testable without labels"
        yield Sentence(f"Latest block, estimated prevalence{under}: {shares}.", "strong")
    shifted = [block for block in watched.blocks if block.fits and block.alarm]
    if shifted:
        yield Sentence(
            f"The prevalence differs from the reference in {len(shifted):,} of {blocks:,} blocks, first in"
            f" {when(shifted[0])}.",
            "bad",
        )
    rejected = [block for block in watched.blocks if not block.fits]
    if rejected:
        yield Sentence(
            f"Label shift is rejected in {len(rejected):,} of {blocks:,} blocks, first in"
            f" {when(rejected[0])}. There, prevalence is estimated under covariate shift (P(class | score) as"
            " in the reference), or not at all: label some of these rows (steelyard sample chooses which).",
            "bad",
        )
    assumed = "Assumed in the other blocks" if rejected else "Assumed"
    if len(rejected) < blocks:
        yield Sentence(
            f"{assumed}: label shift (each class looks as in the reference, only the class priors change).",
            "soft",
        )
    yield Sentence(
        f"The probability of ever rejecting label shift wrongly is at most {100 * watched.alpha:g}%.", "soft"
    )


def unlabelled_report(watched: Watched) -> Report:
    """The latest block, whether label shift was rejected, and all blocks."""
    title = f"Drift check of {watched.source} · {count(watched.rows)} rows without labels"
    if not watched.blocks:
        return Report(title, (Section("", (Sentence("No row was read."),), "brief"),))
    rows = [
        (
            when(block),
            count(block.rows),
            "not estimated"
            if block.leads is None
            else "; ".join(f"{quoted(block.labels[k])} {_share(block, k)}" for k in block.main),
            Cell("not rejected") if block.fits else Cell(f"rejected, p {p_relation(block.p_value)}", "bad"),
        )
        for block in reversed(watched.blocks)
    ]
    columns = (
        words_column("block", whole=True),
        *number_columns("rows"),
        words_column("estimated prevalence"),
        words_column("label shift"),
    )
    return Report(
        title,
        (
            Section("", tuple(_sentences(watched)), "brief", "verdict"),
            Section("Blocks", (Table(columns, tuple(rows), identity="blocks"),), "brief", "blocks"),
        ),
        f"Steelyard {__version__}.",
    )
