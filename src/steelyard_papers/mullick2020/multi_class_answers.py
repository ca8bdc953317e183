"""Answers to mullick2020, sections 5.4 to 5.6: standard deviations and least values of the indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from steelyard_papers.experiment import WITHIN_NOISE, Answer

DRAWS = 2000
SURE = 0.95


def probability(fresh: Mapping[str, Mapping[str, float]], holds: Callable[[Mapping[str, Any]], Any]) -> float:
    """Share of bootstrap resamples of the data sets in which a statement holds."""
    names = list(fresh)
    drawn = np.random.default_rng(0).integers(0, len(names), (DRAWS, len(names)))
    values = {
        index: np.array([fresh[name][index] for name in names])[drawn] for index in next(iter(fresh.values()))
    }
    return float(np.mean(holds(values)))


def varies_least(values: Mapping[str, Any], compared: Sequence[str]) -> Any:
    """Does mAURPC-OVA vary least of the compared ones?"""
    means = {index: drawn.mean(axis=1) for index, drawn in values.items() if index in compared}
    others = np.array([mean for index, mean in means.items() if index != "mAURPC-OVA"])
    return means["mAURPC-OVA"] < others.min(axis=0)


def both_halves(values: Mapping[str, Any]) -> Any:
    """Does ACSA vary more than nAUROC-OVA, but less once each is divided by its least?"""
    acsa, other = values["ACSA"], values["nAUROC-OVA"]
    relative = [v.mean(axis=1) / np.maximum(v.min(axis=1), 1e-12) for v in (acsa, other)]
    return (acsa.mean(axis=1) > other.mean(axis=1)) & (relative[1] > relative[0])


def noise(chance: float) -> str:
    """The verdict where other sets could decide the other way; else nothing."""
    return WITHIN_NOISE if 1 - SURE < chance < SURE else ""


# The indices of Figure 4a: those that satisfy Condition 2.
COMPARED = ("GMean", "ACSA", "nAUROC-OVA", "AURPC-OVA", "mAURPC-OVA")


def relative_spread(spread: Mapping[str, Mapping[str, float]], name: str, index: str) -> float:
    smallest = min(values[index] for values in spread.values())
    return spread[name][index] / smallest if smallest else 0.0


def _mean(table: Mapping[str, Mapping[str, float]], index: str) -> float:
    return float(np.mean([values[index] for values in table.values()]))


def figure_4a(fresh: Mapping[str, Mapping[str, float]], fixed: Mapping[str, Mapping[str, float]]) -> Answer:
    means, ideal = ({index: _mean(spread, index) for index in COMPARED} for spread in (fresh, fixed))
    lowest = min(means, key=lambda index: means[index])
    chance = probability(fresh, partial(varies_least, compared=COMPARED))
    won = sum(min(COMPARED, key=lambda index: values[index]) == "mAURPC-OVA" for values in fresh.values())
    worst = sum(max(COMPARED, key=lambda index: values[index]) == "AURPC-OVA" for values in fresh.values())
    return Answer(
        claim_id="mullick-x2",
        reproduced=lowest == "mAURPC-OVA" and means["mAURPC-OVA"] < means["AURPC-OVA"],
        verdict=noise(chance),
        probability=round(chance, 3),
        paper_figure="mAURPC-OVA lowest (Figure 4a)",
        our_figure="mean standard deviation "
        + ", ".join(f"{index} {value:.4f}" for index, value in means.items()),
        words=(
            f"On resampled test sets mAURPC-OVA varies least on {won} of {len(fresh)} sets and AURPC-OVA"
            f" most on {worst}. With class rates held fixed, GMean, ACSA and mAURPC-OVA, which"
            " satisfy Condition 1, do not vary and cannot be ranked: "
        )
        + ", ".join(f"{index} {value:.4f}" for index, value in ideal.items())
        + ".",
    )


def figure_4b(fresh: Mapping[str, Mapping[str, float]], fixed: Mapping[str, Mapping[str, float]]) -> Answer:
    higher = _mean(fresh, "ACSA") > _mean(fresh, "nAUROC-OVA")
    chance = probability(fresh, both_halves)
    relative = {
        index: float(np.mean([relative_spread(fresh, name, index) for name in fresh]))
        for index in ("ACSA", "nAUROC-OVA")
    }
    return Answer(
        claim_id="mullick-x3",
        reproduced=higher and relative["nAUROC-OVA"] > relative["ACSA"],
        verdict=noise(chance),
        probability=round(chance, 3),
        paper_figure="ACSA higher in Figure 4a, nAUROC-OVA higher in Figure 4b",
        our_figure=(
            f"standard deviation ACSA {_mean(fresh, 'ACSA'):.4f}, nAUROC-OVA"
            f" {_mean(fresh, 'nAUROC-OVA'):.4f}; divided by the least: {relative['ACSA']:.2f} and"
            f" {relative['nAUROC-OVA']:.2f}"
        ),
        words=(
            f"{_halves(higher, relative)} With class rates held fixed the order is clear: ACSA"
            f" {_mean(fixed, 'ACSA'):.4f}, nAUROC-OVA {_mean(fixed, 'nAUROC-OVA'):.4f}. nAUROC-OVA depends on"
            " the class proportions (its false positive rates pool the other classes), ACSA does not; on"
            " resampled test sets, sampling noise is added to that."
        ),
    )


def _halves(higher: bool, relative: Mapping[str, float]) -> str:
    """Which half of the statement holds?"""
    first = "The first half holds" if higher else "The first half does not hold"
    second = "the second does" if relative["nAUROC-OVA"] > relative["ACSA"] else "the second does not"
    return f"{first}, {second}."


# Each biased index and its normalised form.
PAIRS = {"AUROC-OVA": "nAUROC-OVA", "AUROC-OVO": "ACSA"}


def figure_5(least: Mapping[str, Mapping[str, float]], classes_of: Mapping[str, int]) -> Answer:
    """Both halves: almost alike with three and five classes, far above with ten."""
    gaps = {
        count: {
            biased: float(
                np.mean([v[biased] - v[normal] for n, v in least.items() if classes_of[n] == count])
            )
            for biased, normal in PAIRS.items()
        }
        for count in sorted(set(classes_of.values()))
    }
    most, fewer = max(gaps), [count for count in gaps if count < max(gaps)]
    holds = all(
        gaps[most][biased] > 2 * max((gaps[count][biased] for count in fewer), default=0.0)
        for biased in PAIRS
    )
    listed = "; ".join(
        f"C = {count}: " + ", ".join(f"{biased} {gap:.3f}" for biased, gap in by_count.items())
        for count, by_count in gaps.items()
    )
    return Answer(
        claim_id="mullick-x4",
        reproduced=holds,
        paper_figure="almost equal with 3 and 5 classes, much higher with 10 (Figure 5)",
        our_figure=f"mean distance from the normalised form: {listed}",
        words=(
            'The distance exists at every number of classes and grows with it. "Almost equal"'
            ' against "far above" should mean at least a factor of two, which is the rule. For'
            " AUROC-OVO the distance is (1 - ACSA)(C - 2)/(2(C - 1)) exactly, that is 0.25, 0.375"
            " and 0.444 of the errors at 3, 5 and 10 classes, so the number of classes alone"
            " cannot produce it."
        ),
    )


def section_5_6(least: Mapping[str, Mapping[str, float]], classes_of: Mapping[str, int]) -> Answer:
    """Far below the others, to 0, with the most classes, and consistent with them with fewer."""
    most = max(classes_of.values())
    zero = [name for name, values in least.items() if values["GMean"] == 0]
    contrary = [name for name in zero if classes_of[name] < most]
    gaps = {name: values["ACSA"] - values["GMean"] for name, values in least.items()}
    wide = float(np.mean([gaps[name] for name in least if classes_of[name] == most]))
    others = [gaps[name] for name in least if classes_of[name] < most]
    narrow = float(np.mean(others)) if others else 0.0
    listed = ", ".join(
        f"{name} ({classes_of[name]} classes, ACSA {least[name]['ACSA']:.2f})" for name in zero
    )
    words = (
        "One class that is never detected makes GMean 0 whatever the other classes are; ACSA"
        " still reflects them."
    )
    if contrary:
        words += f" GMean is 0 with fewer classes too, contrary to the statement: {', '.join(contrary)}."
    if not zero:
        words += " On these sets every learner detects some examples of every class."
    return Answer(
        claim_id="mullick-x5",
        reproduced=bool(zero) and not contrary and wide > narrow,
        paper_figure="GMean 0 on a ten-class set, consistent with the others on 3 and 5 classes",
        our_figure=(
            f"GMean 0 on: {listed or 'none'}; ACSA - GMean {wide:.3f} with {most} classes, {narrow:.3f} with"
            " fewer"
        ),
        words=words,
    )
