"""A chosen threshold on a terminal."""

from __future__ import annotations

from steelyard.counts.score_counts import ScoreCounts
from steelyard.report.numbers import count, shown
from steelyard.report.terminal import console, plain_table, show_matrix, words
from steelyard.scores.thresholds import AppliedThreshold, BestThreshold


def show_threshold(scores: ScoreCounts, best: BestThreshold, applied: AppliedThreshold | None) -> None:
    """The threshold, what it gives, how sure that is, and what it gives on held-out rows."""
    out = console()
    choice = scores.positive_class()
    sizes = ", ".join(
        f"{count(total)} of {label}"
        for label, total in zip(scores.labels, scores.totals.tolist(), strict=True)
    )
    out.print(words(f"{sizes}; scores of class {choice.label} ({choice.reason})."))
    if scores.dropped:
        out.print(words(f"{count(scores.dropped)} rows without a score were left out."))
    verb = "Minimising" if best.measure.better == "lower" else "Maximising"
    out.print(
        words(
            f"{verb} {best.measure.name}: call {best.positive} at scores >= {number(best.threshold)}.",
            style="bold",
        )
    )
    if best.next_lower is not None:
        out.print(
            words(
                f"Every threshold above {number(best.next_lower)} and up to {number(best.threshold)} gives the same labels.",
                style="dim",
            )
        )
    table = plain_table("", "threshold", "value", right=("threshold", "value"))
    table.add_row("chosen on these rows", number(best.threshold), shown(best.value))
    if best.threshold_interval is not None and best.value_interval is not None and best.level is not None:
        low, high = best.threshold_interval
        ends = best.value_interval
        table.add_row(
            f"{100 * best.level:g} % interval, {best.replicates} bootstrap samples",
            f"{number(low)} to {number(high)}",
            f"{shown(ends[0])} to {shown(ends[1])}",
        )
    if best.optimism is not None:
        table.add_row("optimism of choosing and judging on the same rows", "", shown(best.optimism))
    if applied is not None:
        table.add_row(
            "on held-out rows",
            number(best.threshold),
            shown(applied.value) + (f" ({applied.why_undefined})" if applied.why_undefined else ""),
        )
    out.print(table)
    if applied is None:
        out.print(words(f"Note: {best.note}; --apply-to judges it on others.", style="yellow"))
    out.print()
    show_matrix(out, best.matrix if applied is None else applied.matrix)


def number(threshold: float) -> str:
    """A threshold with enough digits to tell it from its neighbours."""
    return (
        f"{threshold:.6g}"
        if abs(threshold) != float("inf")
        else ("infinity (nothing)" if threshold > 0 else "-infinity (everything)")
    )
