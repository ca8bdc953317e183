"""Report of a watched stream: a line for each block, the conclusion, and a page with figures and alarms."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import partial
from typing import Any

from steelyard._version import __version__
from steelyard.judgement.reproduction import versions
from steelyard.judgement.watch.monitor import Watch
from steelyard.judgement.watch.result import EstimatedShare, LabelledBlock, UnlabelledBlock, Watched, when
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted, short
from steelyard.report.numbers import between, count, p_relation, percent, percents_between, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    ColumnOf,
    Figure,
    Report,
    Section,
    Sentence,
    as_cell,
    table_of,
    words_column,
)

# Alarms and blocks listed on a page; the rest is in the JSON.
MOST_ON_PAGE = 200
# Alarms of one block that its lines name.
MOST_ALARMS = 3
# Columns of the terminal: a value, the rows or dates of a block, a line.
NARROW, WIDE, WIDTH = 9, 26, 100


def report(watched: Watched) -> Report:
    """What the blocks show so far: the conclusion, charts over time, the alarms, and every block."""
    labels = "" if isinstance(watched, Watch) else " without labels"
    title = f"Drift check of {watched.source}"
    if not watched.blocks:
        return Report(title, (Section("", (Sentence("No block is complete yet."),), "brief"),))
    # The newest blocks are those that somebody watches for.
    blocks = table_of(
        list(reversed(watched.blocks)),
        (words_column("block", whole=True), when),
        ("rows", lambda block: count(block.rows)),
        *_columns(watched),
        (words_column("result"), _status),
        identity="blocks",
        title="Newest first" if len(watched.blocks) > 1 else "",
        most_on_page=MOST_ON_PAGE,
    )
    parts = [
        Section("", tuple(_sentences(watched)), "brief", "verdict"),
        Section("Over time", tuple(map(Figure, watched.charts().values())), "page"),
        Section("Blocks", (blocks,)),
    ]
    footer = f"Steelyard {__version__}."
    if isinstance(watched, Watch):
        parts.insert(2, Section("Alarms", (_alarms(watched),)))
        reference = [] if watched.reference is None else [watched.reference]
        matrices = [*reference, *(block.matrix for block in watched.blocks)]
        footer = versions(matrices)
    facts = f"{count(watched.rows)} rows{labels} · {count(len(watched.blocks))} blocks"
    return Report(f"{title} · {facts}", tuple(parts), footer)


def text(watched: Watched) -> str:
    """The opening, a line for each block, and the conclusion."""
    lines = [line(watched, block) for block in watched.blocks]
    return "\n".join([*(opening(watched) if lines else ()), *lines, "", *conclusion(watched)])


def opening(watched: Watched) -> list[str]:
    """The title and the names of the columns, once a block was checked."""
    heads = [f"{name:>{width}}" for name, width, _ in _columns_of_text(watched)]
    return [f"Drift check of {watched.source}", "", "".join([f"{'block':{WIDE}}", *heads, "  result"])]


def line(watched: Watched, block: Any) -> str:
    """What one block shows: its values and whether something changed; what changed stands below."""
    cells = [f"{as_cell(cell(block)).words:>{width}}" for _, width, cell in _columns_of_text(watched)]
    first = f"{when(block):{WIDE}}{''.join(cells)}  {_status(block).words}"
    details = _unlabelled_details if isinstance(block, UnlabelledBlock) else _labelled_details
    return "\n    ".join([first, *details(block)])


def _columns_of_text(watched: Watched) -> Iterator[tuple[str, int, Any]]:
    for column, cell in _columns(watched):
        name = column.name if isinstance(column, Column) else column
        yield name, max(NARROW, len(name) + 2), cell


def _columns(watched: Any) -> Iterator[ColumnOf[Any]]:
    """The values of each block: prevalence (of many classes how far it shifted), and the metrics."""
    latest = watched.blocks[-1]
    if isinstance(latest, UnlabelledBlock):
        names = ", ".join(short(latest.labels[k], 20) for k in latest.main)
        yield words_column(f"estimated prevalence of {names} (95% CI)"), _estimated
        return
    label = watched.rare_class if len(watched.blocks[0].priors) == 2 else None
    if label is None:
        yield "distribution shift", lambda block: percent(block.prior_distance)
    else:
        yield f"prevalence of {short(label, 16)}", lambda block: percent(block.priors.get(label, 0.0))

    def value(block: LabelledBlock, name: str) -> Cell:
        values = [m for m in block.moved if m.measure.name == name]
        tips = [f"at the reference's priors {shown(m.at_reference_priors)}" for m in values]
        return Cell("".join(shown(m.value) for m in values), tip="".join(tips))

    for m in latest.moved:
        yield short_name(m.measure), partial(value, name=m.measure.name)


def _status(block: Any) -> Cell:
    if isinstance(block, LabelledBlock) and not block.number:
        return Cell("reference", "soft")
    if block.alarm:
        return Cell("ALARM", "bad")
    if isinstance(block, UnlabelledBlock):
        return Cell("no alarm" if block.fits else "label shift rejected")
    changed = "class rates changed" if block.alarms else "prevalence changed" if block.prior_changes else ""
    return Cell(changed or "no alarm")


def _labelled_details(block: LabelledBlock) -> Iterator[str]:
    yield from (f"changed: {alarm}" for alarm in block.alarms[:MOST_ALARMS])
    if len(block.alarms) > MOST_ALARMS:
        yield f"and {len(block.alarms) - MOST_ALARMS} more rates"
    yield from (f"changed: {change}" for change in block.prior_changes[:MOST_ALARMS])
    if block.new_classes:
        yield f"classes that the reference does not have: {', '.join(map(quoted, block.new_classes))}"


def _unlabelled_details(block: UnlabelledBlock) -> Iterator[str]:
    if not block.fits:
        other = "under covariate shift" if block.covariate is not None else "scores leave the labelled range"
        yield f"label shift is rejected (p {p_relation(block.p_value)}); {other}"
        return
    if block.measures:
        values = [f"{short_name(m.measure)} {shown(m.value)}" for m in block.measures]
        ends = [between(round(m.low, 6), round(m.high, 6)) for m in block.measures]
        yield ", ".join(f"{value} ({of})" for value, of in zip(values, ends, strict=True))
    if block.alarm:
        yield f"prevalence differs from the reference (p {p_relation(block.prior_p)})"


def _estimated(block: UnlabelledBlock) -> str:
    return ", ".join(_share(block.shares[k]) for k in block.main) if block.shares else "not estimated"


def _share(estimated: EstimatedShare) -> str:
    return f"{percent(estimated.share)} ({percents_between(estimated.low, estimated.high)})"


def conclusion(watched: Watched) -> list[str]:
    """What all blocks say together, what is assumed, and what to do next."""
    if not watched.blocks:
        return ["No row was read.", *watched.notes]
    return [textwrap.fill(sentence.words, WIDTH) for sentence in _sentences(watched)]


def _sentences(watched: Watched) -> Iterator[Sentence]:
    if isinstance(watched, Watch):
        yield from _labelled_sentences(watched)
    else:
        yield from _unlabelled_sentences(watched)
    yield from (Sentence(note, "soft") for note in watched.notes)


def _labelled_sentences(watched: Watch) -> Iterator[Sentence]:
    yield Sentence(verdict(watched), "strong")
    if watched.alarmed:
        yield Sentence(
            "Next: evaluate the rows since the change in slices (option --slice of evaluate), then retrain or"
            " choose a new threshold; rows that are good serve as the next --reference."
        )
    reference = f"{watched.reference_name} and all" if watched.given else "all"
    yield Sentence(
        f"Reference for each block: {reference} earlier rows since the last detected change. Every class"
        " rate (the share of a class that is predicted as itself or as another class) is tested after every"
        " block, also over several blocks together; the probability of any false alarm is at"
        f" most {100 * watched.alpha:g}%.",
        "soft",
    )
    yield Sentence(
        "Assumed: rows are independent, and class rates do not vary between blocks by themselves."
        if watched.independent
        else "Natural variation of class rates between blocks is estimated from the blocks and allowed for;"
        " --independent assumes none and detects changes sooner.",
        "soft",
    )
    if len(watched.blocks[0].priors) != 2:
        shift = "the share of rows that would need another class for the reference's class distribution"
        yield Sentence(f"Distribution shift: {shift}.", "soft")
    if power := watched.power():
        yield Sentence(power, "soft")


def verdict(watched: Watch) -> str:
    """Did class rates change, or only class priors?"""
    tested = [block for block in watched.blocks if block.number]
    if not tested:
        return "Only the reference was read: no block to compare with it."
    changed = [block for block in tested if block.alarms]
    number = f"{len(tested):,} block{'s' if len(tested) > 1 else ''}"
    shifted = [block.prior_changes[0] for block in tested if block.prior_changes]
    priors = f" The class distribution changed: {shifted[0]}." if shifted else ""
    if changed:
        return (
            f"Performance changed: class rates differ from the reference in {len(changed):,} of {number},"
            f" first in {when(changed[0])}: {changed[0].alarms[0]}.{priors}"
        )
    moved = sorted({short_name(m.measure) for block in tested for m in block.only_priors})
    only = f" {', '.join(moved)} changed only because of that." if moved else ""
    return f"No change of class rates detected in {number}.{watched.without_power()}{priors}{only}"


def _alarms(watched: Watch) -> Block:
    alarms = [(when(block), alarm) for block in watched.blocks for alarm in block.alarms]
    if not alarms:
        return Sentence("None.")
    return table_of(
        alarms,
        (words_column("block", whole=True), lambda row: row[0]),
        (words_column("truth"), lambda row: str(row[1].truth)),
        (words_column("prediction"), lambda row: str(row[1].prediction)),
        ("rate", lambda row: f"{row[1].rate:.3f}"),
        ("interval at the level of the check", lambda row: f"{row[1].low:.3f} to {row[1].high:.3f}"),
        ("before", lambda row: f"{row[1].reference:.3f}"),
        ("examples", lambda row: f"{row[1].examples:,}"),
        ("p", lambda row: f"{row[1].p:.2g}"),
        identity="alarms",
        most_on_page=MOST_ON_PAGE,
    )


def _unlabelled_sentences(watched: Any) -> Iterator[Sentence]:
    latest, blocks = watched.blocks[-1], len(watched.blocks)
    if latest.shares:
        shares = ", ".join(f"{quoted(latest.labels[k])} {_share(latest.shares[k])}" for k in latest.main)
        under = "" if latest.fits else " under covariate shift, which is not testable without labels"
        known = ", ".join(percent(watched.share_in_reference(latest.labels[k])) for k in latest.main)
        words = f"Latest block, estimated prevalence{under}: {shares}; in the reference {known}."
        yield Sentence(words, "strong")
    if shifted := [block for block in watched.blocks if block.fits and block.alarm]:
        where = f"{len(shifted):,} of {blocks:,} blocks, first in {when(shifted[0])}"
        yield Sentence(f"The prevalence differs from the reference in {where}.", "bad")
    rejected = [block for block in watched.blocks if not block.fits]
    if not watched.alarmed:
        same = {"rates": "label shift was not rejected", "priors": "prevalence did not change significantly"}
        result = same.get(watched.alarm, " and ".join(same.values()))
        raises = "; a change of prevalence raises none (--alarm both: it does)"
        yield Sentence(f"No alarm: {result}{raises if watched.alarm == 'rates' else ''}.")
    if rejected:
        yield Sentence(
            f"Label shift is rejected in {len(rejected):,} of {blocks:,} blocks, first in"
            f" {when(rejected[0])}. There, prevalence is estimated under covariate shift (P(class | score) as"
            " in the reference), or not at all: label some of these rows (steelyard sample chooses which).",
            "bad",
        )
    assumed = "Assumed in the other blocks" if rejected else "Assumed"
    shift = "label shift (each class is distributed as in the reference; only prevalence changes)"
    if len(rejected) < blocks:
        yield Sentence(f"{assumed}: {shift}.", "soft")
    most = f"{100 * watched.alpha:g}%"
    yield Sentence(f"The probability of ever rejecting label shift wrongly is at most {most}.", "soft")
