"""Report of a watched stream: a line for each block, the conclusion, and a page with figures and alarms."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import partial
from typing import Any

from steelyard._version import __version__
from steelyard.judgement.reproduction import fingerprint
from steelyard.judgement.watch.monitor import Watch
from steelyard.judgement.watch.result import LabelledBlock, UnlabelledBlock, Watched, when
from steelyard.measures.names import short_name
from steelyard.report import sections
from steelyard.report.class_names import quoted, short
from steelyard.report.numbers import between, count, p_relation, percent, points, shown
from steelyard.report.sections import Cell, Column, Figure, Report, Section, Sentence, table_of, words_column

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
        names = _names(watched, block)
    else:
        names = [f"estimated prevalence of {', '.join(short(block.labels[k], 20) for k in block.main)}"]
    heads = [f"{name:>{max(NARROW, len(name) + 2)}}" for name in names]
    return [f"Drift check of {watched.source}", "", "".join([f"{'':{WIDE}}", *heads]).rstrip()]


def _names(watched: Any, block: LabelledBlock) -> list[str]:
    """The columns of a labelled stream: the prevalence of the rare class of two or the shift, the metrics."""
    label = watched.rare_class if len(watched.blocks[0].priors) == 2 else None
    prevalence = "shift" if label is None else f"share of {short(label, 16)}"
    return [prevalence, *(short_name(m.measure) for m in block.moved)]


def line(watched: Any, block: Any) -> str:
    """What one block shows: its values and whether class rates changed; alarms stand below."""
    if not hasattr(block, "moved"):
        return _unlabelled_line(block)
    names = _names(watched, block)
    label = None if names[0] == "shift" else watched.rare_class
    share = block.prior_distance if label is None else block.priors.get(label, 0.0)
    values = [percent(share), *(shown(m.value) for m in block.moved)]
    cells = [f"{value:>{max(NARROW, len(name) + 2)}}" for name, value in zip(names, values, strict=True)]
    status = "prevalence changed" if block.prior_changes else "no alarm"
    status = "ALARM" if block.alarm else "class rates changed" if block.alarms else status
    lines = [f"{when(block):{WIDE}}{''.join(cells)}  {status if block.number else 'reference'}"]
    lines += [f"changed: {alarm}" for alarm in block.alarms[:MOST_ALARMS]]
    if len(block.alarms) > MOST_ALARMS:
        lines.append(f"and {len(block.alarms) - MOST_ALARMS} more rates")
    lines += [f"changed: {change}" for change in block.prior_changes[:MOST_ALARMS]]
    if block.new_classes:
        lines.append(f"classes that the reference does not have: {', '.join(map(quoted, block.new_classes))}")
    return "\n    ".join(lines)


def _unlabelled_line(block: UnlabelledBlock) -> str:
    status = "ALARM" if block.alarm else "no alarm" if block.fits else "label shift rejected"
    shares = ", ".join(_share(block, k) for k in block.main) or "not estimated"
    lines = [f"{when(block):{WIDE}}  {shares}  {status}"]
    if not block.fits:
        other = "under covariate shift" if block.covariate is not None else "scores leave the labelled range"
        lines.append(f"label shift is rejected (p {p_relation(block.p_value)}); {other}")
        return "\n    ".join(lines)
    if block.measures:
        ends = [between(round(m.low, 6), round(m.high, 6)) for m in block.measures]
        values = [f"{short_name(m.measure)} {shown(m.value)}" for m in block.measures]
        lines.append(", ".join(f"{value} ({of})" for value, of in zip(values, ends, strict=True)))
    if block.alarm:
        lines.append(f"prevalence differs from the reference (p {p_relation(block.prior_p)})")
    return "\n    ".join(lines)


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
    labelled = hasattr(watched.blocks[0], "moved")
    yield from _labelled_sentences(watched) if labelled else _unlabelled_sentences(watched)
    yield from (Sentence(note, "soft") for note in watched.notes)


def _labelled_sentences(watched: Watch) -> Iterator[Sentence]:
    yield Sentence(verdict(watched), "strong")
    reference = f"{watched.reference_name} and the" if watched.given else "all"
    yield Sentence(
        f"Reference: {reference} rows before a block, since the last change that was detected. Every class"
        " rate is tested after every block, also over several blocks together; the probability of any false"
        f" alarm is at most {100 * watched.alpha:g}%.",
        "soft",
    )
    variation = "--independent assumes none and detects changes sooner"
    yield Sentence(
        "Assumed: rows are independent, and class rates do not vary between blocks by themselves."
        if watched.independent
        else "Natural variation of class rates between blocks is estimated from the blocks and allowed for;"
        f" {variation}.",
        "soft",
    )
    if power := watched.power():
        yield Sentence(power, "soft")
    if watched.alarmed:
        yield Sentence(
            "Next: evaluate the rows since the change in slices (option --slice of evaluate), then retrain or"
            " choose a new threshold; rows that are good serve as the next --reference."
        )


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


def labelled_report(watched: Watch) -> Report:
    """Did class rates change, or class priors; and all blocks."""
    title, blocks = f"Drift check of {watched.source}", watched.blocks
    if not blocks:
        return Report(title, (Section("", (Sentence("No block is complete yet."),), "brief"),))
    changed = sum(bool(block.alarms) for block in blocks)
    shifted = sum(bool(block.prior_changes) for block in blocks)
    cards = (
        sections.Card("Rows", count(watched.rows), f"in {len(blocks):,} blocks"),
        sections.Card("Class rates changed", f"{changed:,}", "blocks that differ from the reference"),
        sections.Card("Class priors changed", f"{shifted:,}", "blocks that differ from the rows before"),
    )
    first, *others = _sentences(watched)
    reference = [] if watched.reference is None else [watched.reference]
    counted = fingerprint([*reference, *(block.matrix for block in blocks)])
    return Report(
        title,
        (
            Section("", (first, sections.Cards(cards), *others), "brief"),
            *_figures(watched),
            Section("Alarms", (_alarms(watched),), "full"),
            Section("Blocks", (_blocks(watched),), "full"),
        ),
        footer=f"Steelyard {__version__}. Fingerprint of the counts: {counted}.",
    )


def _figures(watched: Watch) -> Iterator[Section]:
    from steelyard.judgement.watch import figures

    blocks = watched.blocks
    first = next((block.alarms[0] for block in blocks if block.alarms), None)
    if first is not None:
        chart = Figure(partial(figures.alarmed_rate_chart, watched, first))
        yield Section("The changed rate", (chart,), "page")
    if watched.rare_class is not None:
        chart = Figure(partial(figures.prevalence_chart, watched, watched.rare_class))
        yield Section("Prevalence", (chart,), "page")
    if len(blocks[-1].priors) > 2:
        yield Section("Class priors", (Figure(partial(figures.priors_chart, blocks)),), "page")
    if blocks[-1].moved:
        shown_twice = (
            ("value", "Metrics as observed", "Class prevalence and class rates of each block."),
            (
                "at_reference_priors",
                "Metrics at the reference's prevalence",
                "What changes here is due to class rates.",
            ),
        )
        charts = tuple(Figure(partial(figures.metrics_chart, blocks, *of)) for of in shown_twice)
        yield Section("Metrics", (sections.SideBySide(charts),), "page")


def _alarms(watched: Watch) -> sections.Block:
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


def _blocks(watched: Watch) -> sections.Table:
    def value(block: LabelledBlock, name: str) -> Cell | str:
        metric = next((m for m in block.moved if short_name(m.measure) == name), None)
        if metric is None:
            return ""
        return Cell(shown(metric.value), tip=f"at the reference's priors {shown(metric.at_reference_priors)}")

    def status(block: LabelledBlock) -> Cell:
        changed = "class rates" if block.alarms else "only class priors" if block.prior_changes else ""
        return (
            Cell(changed, "bad" if block.alarms else "plain") if block.number else Cell("reference", "soft")
        )

    names = [short_name(m.measure) for m in watched.blocks[-1].moved]
    # The newest blocks are those that somebody watches for.
    return table_of(
        list(reversed(watched.blocks)),
        (words_column("block", whole=True), when),
        ("class priors moved from the reference by", lambda block: points(block.prior_distance)),
        *((Column(name), partial(value, name=name)) for name in names),
        (words_column("changed"), status),
        identity="blocks",
        title="Newest first" if len(watched.blocks) > 1 else "",
        most_on_page=MOST_ON_PAGE,
    )


def _unlabelled_sentences(watched: Watched) -> Iterator[Sentence]:
    latest, blocks = watched.blocks[-1], len(watched.blocks)
    if latest.leads is not None:
        shares = ", ".join(f"{quoted(latest.labels[k])} {_share(latest, k)}" for k in latest.main)
        under = "" if latest.fits else " under covariate shift, which is not testable without labels"
        yield Sentence(f"Latest block, estimated prevalence{under}: {shares}.", "strong")
    if shifted := [block for block in watched.blocks if block.fits and block.alarm]:
        where = f"{len(shifted):,} of {blocks:,} blocks, first in {when(shifted[0])}"
        yield Sentence(f"The prevalence differs from the reference in {where}.", "bad")
    rejected = [block for block in watched.blocks if not block.fits]
    if rejected:
        yield Sentence(
            f"Label shift is rejected in {len(rejected):,} of {blocks:,} blocks, first in"
            f" {when(rejected[0])}. There, prevalence is estimated under covariate shift (P(class | score) as"
            " in the reference), or not at all: label some of these rows (steelyard sample chooses which).",
            "bad",
        )
    assumed = "Assumed in the other blocks" if rejected else "Assumed"
    shift = "label shift (each class looks as in the reference, only the class priors change)"
    if len(rejected) < blocks:
        yield Sentence(f"{assumed}: {shift}.", "soft")
    most = f"{100 * watched.alpha:g}%"
    yield Sentence(f"The probability of ever rejecting label shift wrongly is at most {most}.", "soft")


def unlabelled_report(watched: Watched) -> Report:
    """The latest block, whether label shift was rejected, and all blocks."""
    title = f"Drift check of {watched.source} · {count(watched.rows)} rows without labels"
    if not watched.blocks:
        return Report(title, (Section("", (Sentence("No row was read."),), "brief"),))

    def prevalence(block: UnlabelledBlock) -> str:
        shares = "; ".join(f"{quoted(block.labels[k])} {_share(block, k)}" for k in block.main)
        return "not estimated" if block.leads is None else shares

    def fit(block: UnlabelledBlock) -> Cell:
        rejected = Cell(f"rejected, p {p_relation(block.p_value)}", "bad")
        return Cell("not rejected") if block.fits else rejected

    table = table_of(
        list(reversed(watched.blocks)),
        (words_column("block", whole=True), when),
        ("rows", lambda block: count(block.rows)),
        (words_column("estimated prevalence"), prevalence),
        (words_column("label shift"), fit),
        identity="blocks",
    )
    verdict = Section("", tuple(_sentences(watched)), "brief", "verdict")
    blocks = Section("Blocks", (table,), "brief", "blocks")
    return Report(title, (verdict, blocks), f"Steelyard {__version__}.")
