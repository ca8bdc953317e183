"""Answers to the three findings of garcia2012, section 3.1, for each reading of what is left open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from numpy.typing import NDArray

from steelyard_papers.claim import value
from steelyard_papers.experiment import Answer, ResultTable
from steelyard_papers.garcia2012.claims import weighted_auc_point

Array = NDArray[Any]


# From which size on is a correlation strong? The paper does not say.
STRONG = 0.7

CONSTRUCTIONS = {
    "even": (
        "true probabilities spread evenly: those of the negatives over [0, 0.5), those of the positives over"
        " (0.5, 1]; the decision is at 0.5"
    ),
    "drawn": "the same with true probabilities drawn at random from these two intervals",
    "near": (
        "the same two intervals with true probabilities that crowd towards 0.5, so that most instances are"
        " hard"
    ),
    "ranked": (
        "one evenly spaced list over [0, 1] as of Huang and Ling, its top part positive; the decision is"
        " where that part begins"
    ),
}


class Reading(NamedTuple):
    """What one construction of the true tuple finds for one statement."""

    construction: str
    holds_at: tuple[bool, ...]
    """At each level of imbalance."""
    figures: str
    """The least and greatest of the correlations that the statement is about."""


def reading_of(claim: str, construction: str, levels: Sequence[Mapping[str, Mapping[str, float]]]) -> Reading:
    figures = "; ".join(
        f"{name} {_span([level[rate][name] for level in levels])} with {rate}"
        for rate, names in SHOWN[claim].items()
        for name in names
    )
    holds_at = tuple(decide(level["TPr"], level["TNr"])[claim] for level in levels)
    return Reading(construction=construction, holds_at=holds_at, figures=figures)


def side_by_side(claim: str, readings: Sequence[Reading]) -> Answer:
    """Reproduced or not where all readings say so; where they disagree the paper leaves it open."""
    holding = [reading.construction for reading in readings if all(reading.holds_at)]
    listed = "; ".join(
        f"{reading.construction}: {sum(reading.holds_at)} of {len(reading.holds_at)} levels"
        for reading in readings
    )
    if len(holding) == len(readings):
        agreement = "It holds for every reading."
    elif not holding:
        agreement = "It holds for no reading at all five levels."
    else:
        other = [reading.construction for reading in readings if reading.construction not in holding]
        agreement = (
            f"It holds for {', '.join(holding)} and not for {', '.join(other)}; none is to be preferred."
        )
    return Answer(
        claim_id=claim,
        reproduced=len(holding) == len(readings),
        verdict="not decided" if 0 < len(holding) < len(readings) else "",
        paper_figure=PAPER[claim],
        our_figure=listed,
        words=f"The paper does not say how the true probabilities are assigned. {agreement} {WORDS[claim]}",
    )


def readings_table(readings: Mapping[str, Sequence[Reading]]) -> ResultTable:
    return ResultTable(
        name="readings",
        title=(
            "The readings side by side: levels at which a finding holds, and its correlations from least to"
            " greatest"
        ),
        columns=("finding", "construction", "levels", "correlations"),
        rows=[
            (
                claim,
                reading.construction,
                f"{sum(reading.holds_at)} of {len(reading.holds_at)}",
                reading.figures,
            )
            for claim, of_claim in readings.items()
            for reading in of_claim
        ],
    )


def levels_table(readings: Mapping[str, Sequence[Reading]], percents: Sequence[int]) -> ResultTable:
    holds = {
        (claim, reading.construction): reading.holds_at
        for claim, of_claim in readings.items()
        for reading in of_claim
    }
    return ResultTable(
        name="decided",
        title="Each finding at each level and for each construction",
        columns=("construction", "% positive", *STATEMENTS),
        rows=[
            (c, percent, *(holds[claim, c][place] for claim in STATEMENTS))
            for c in CONSTRUCTIONS
            for place, percent in enumerate(percents)
        ],
    )


def as_printed() -> Answer:
    """Eq. 1 as it is printed, on a curve that can be followed by hand: (0, 0), (0.2, 0.6), (1, 1) in four
    strips."""
    matrix = [[3, 2], [1, 4]]  # TPr 0.6, FPr 0.2
    printed = float(value(weighted_auc_point(Fraction(0), as_printed=True), matrix))
    area = float(value("auc_point", matrix))
    return Answer(
        claim_id="garcia-w1",
        reproduced=abs(printed - area) < 1e-12,
        paper_figure="equal",
        our_figure=(
            f"AUC {area:.4f}, wAUC {printed:.4f} on the curve (0, 0), (0.2, 0.6), (1, 1) in four strips"
        ),
        words=(
            "Eq. 1 starts with the weight rho, so rho = 0 loses the lowest strip; starting with 1"
            " - rho, as this study does, corrects it."
        ),
    )


def decide(with_tpr: Mapping[str, float], with_tnr: Mapping[str, float]) -> dict[str, bool]:
    """Do the three bullet points hold for one correlation matrix?"""
    return {
        "garcia-c1": with_tpr["Acc"] < 0 and with_tnr["Acc"] >= STRONG,
        "garcia-c2": (
            all(with_tpr[name] > 0 for name in ("AUC", "Gm", "IBA", "wAUC", "cwA"))
            and with_tpr["cwA"] >= STRONG
            and with_tnr["cwA"] <= -STRONG
        ),
        "garcia-c3": all(with_tnr[name] >= STRONG for name in ("OP", "kappa", "AGm", "F_1")),
    }


STATEMENTS = {
    "garcia-c1": "accuracy is correlated negatively with TPr and strongly positively with TNr",
    "garcia-c2": (
        "AUC, Gm, IBA, wAUC and cwA are correlated positively with TPr; cwA with w > 0.5 strongly, and"
        " strongly negatively with TNr"
    ),
    "garcia-c3": "OP, kappa, AGm and F_1 are strongly correlated with TNr",
}
PAPER = {
    "garcia-c1": "negative with TPr, strong positive with TNr (no figures printed)",
    "garcia-c2": "positive with TPr (no figures printed)",
    "garcia-c3": "strong with TNr (no figures printed)",
}
SHOWN = {
    "garcia-c1": {"TPr": ["Acc"], "TNr": ["Acc"]},
    "garcia-c2": {"TPr": ["AUC", "Gm", "IBA", "wAUC", "cwA"], "TNr": ["cwA"]},
    "garcia-c3": {"TNr": ["OP", "kappa", "AGm", "F_1"]},
}
WORDS = {
    "garcia-c1": "Negatives are the majority, so accuracy is nearly TNr.",
    "garcia-c2": (
        "As distortion moves from one class to the other, TPr and TNr are negatively correlated,"
        " so a measure that rises with one falls with the other."
    ),
    "garcia-c3": (
        "The one below 0.7 is OP, whose second term penalises any difference between the rates."
        " The dependence on TNr comes from false positives, which outnumber the positives."
    ),
}


def _span(values: Sequence[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"
