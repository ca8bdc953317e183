"""Findings of a comparison, the most harmful first, each with what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steelyard.judgement.compare.figures import break_even, flip_of, moves, positive_of
from steelyard.judgement.reproduction import command_text
from steelyard.measures.short_names import short_name
from steelyard.report.class_names import short
from steelyard.report.numbers import percent
from steelyard.report.sections import Finding

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison

# Metrics that people rank models by; the first that changes its mind is told.
FLIPPING = ("f_beta", "mcc", "accuracy", "precision", "kappa")


def find(result: Comparison) -> tuple[Finding, ...]:
    """Every finding, warnings before notes."""
    findings = [*_disagreement(result), *_prevalence(result), *_costs(result)]
    return tuple(sorted(findings, key=lambda finding: finding.kind == "note"))


def _disagreement(result: Comparison) -> Iterator[Finding]:
    best = {row.model for row in result.ranking[:2]}
    for conflict in result.disagreements:
        if {conflict.first, conflict.second} != best:
            continue
        sides = ((conflict.first, conflict.prefer_first), (conflict.second, conflict.prefer_second))
        each = ", ".join(f"{len(names)} favour {short(model, 24)}" for model, names in sides)
        reason = conflict.reasons[0].rpartition(": ")[2]
        by = next(
            (name for name in ("recall", "f_beta", "gmean") if name in {m.name for m in result.measures}),
            result.by.name,
        )
        yield Finding(
            "warning",
            f"Metrics disagree: {each}.",
            f"{reason[:1].upper()}{reason[1:]}. The disagreement is {conflict.noise.partition(':')[0]}.",
            "Say what matters before you pick the metric: name it, or state the costs of errors.",
            command_text("compare", result.options, by=by),
        )


def _prevalence(result: Comparison) -> Iterator[Finding]:
    if (label := positive_of(result)) is None or len(result.ranking) < 2:
        return
    by_id = {m.id: m for m in result.measures}
    for name in FLIPPING:
        flip = flip_of(result, by_id[name]) if name in by_id and moves(result, by_id[name]) else None
        if flip is None:
            continue
        share, below, above = flip
        here = result.actual[result.labels.index(label)] / sum(result.actual)
        ends = sorted((share / 5, min(share * 5, 0.5), here))
        yield Finding(
            "warning",
            f"By {short_name(by_id[name])}, {short(below, 24)} is better below a prevalence of"
            f" {percent(share)}, {short(above, 24)} above.",
            "The better model by a metric that depends on prevalence is a fact about this test set.",
            "Compare over the range of prevalence that you expect.",
            command_text("compare", result.options, priors_range=f"{label}={ends[0]:.2g}..{ends[-1]:.2g}"),
        )
        return


def _costs(result: Comparison) -> Iterator[Finding]:
    at = break_even(result) if result.over_costs is None and len(result.ranking) > 1 else None
    if at is None or (label := positive_of(result)) is None:
        return
    ratio, dear, cheap = at
    other = next(one for one in result.labels if one != label)
    yield Finding(
        "note",
        f"{short(dear, 24)} has the lower cost if a missed {short(label, 24)} costs more than {ratio:,.2g}"
        " false alerts.",
        f"Below that {short(cheap, 24)} is cheaper: costs decide without any metric.",
        "Put in your costs; they need not be known exactly.",
        command_text("compare", result.options, cost=f"{label}>{other}=200, {other}>{label}=4"),
    )
