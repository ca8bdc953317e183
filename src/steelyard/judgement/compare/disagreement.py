"""Disagreement of metrics: the classes that cause it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label, plain_label, quoted
from steelyard.measures.kinship import listed
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.measures.undefined import Undefined
from steelyard.report.records import Json, Record
from steelyard.scores.fields import LABEL


@dataclass(frozen=True)
class ClassGain(Record):
    """The examples of one class that only one of two models gets right."""

    label: Annotated[Label, Json("class", write=plain_label, schema=LABEL)]
    examples: int
    only_first: int
    only_second: int


def class_gains(joint: JointCounts, first: int, second: int) -> tuple[ClassGain, ...]:
    """Class by class, what each of two models gets right that the other does not."""
    both = joint.right_together[:, first, second]
    only_first, only_second = joint.hits[first] - both, joint.hits[second] - both
    return tuple(
        ClassGain(label, int(n), int(a), int(b))
        for label, n, a, b in zip(joint.labels, joint.actual, only_first, only_second, strict=True)
    )


def contributions(
    measures: Sequence[Measure],
    first: Confusion,
    second: Confusion,
    positive: Label | None,
    undefined: Undefined,
) -> dict[str, Array]:
    """How much of the difference between two models comes from each true class? By measure, shape (C,), above
    0 where the first does better.

    Both models saw the same examples, so the row of a class can be exchanged between their matrices: what
    that does to the measure, averaged over giving the row to the one and taking it from the other, is the
    part of that class.
    """
    rows = np.arange(first.n_classes)
    with_row, without_row = (np.repeat(m.counts[None], len(rows), axis=0) for m in (second, first))
    with_row[rows, rows], without_row[rows, rows] = first.counts, second.counts
    how: dict[str, Any] = {"positive": positive, "undefined": undefined}
    values = weigh(measures, Confusion(np.stack([with_row, without_row]), first.labels), **how)
    ends = weigh(measures, Confusion(np.stack([second.counts, first.counts]), first.labels), **how)
    by_measure = {}
    for m in measures:
        (given_to, taken_from), (low, high) = values[m.name], ends[m.name]
        # Shapley's value averages what a row does at every place in the order of exchanges; the first and the
        # last place alone need 2 C matrices instead of 2^C.
        parts = ((given_to - low) + (high - taken_from)) / 2
        by_measure[m.name] = np.nan_to_num(
            -parts if m.better == "lower" else parts, nan=0.0, posinf=0.0, neginf=0.0
        )
    return by_measure


def reason(joint: JointCounts, preferred: int, other: int, parts: Array) -> tuple[int, str]:
    """The class that decides this preference, and what the models do with it, in words; `parts` are the
    contributions of the classes."""
    winner, loser = joint.matrix(preferred), joint.matrix(other)
    place = int(np.argmax(parts))
    name, label = joint.models[other], quoted(joint.labels[place])
    gain = class_gains(joint, preferred, other)[place]
    if gain.only_first > gain.only_second:
        alone = f"it alone classifies {gain.only_first:,} correctly, {name} alone {gain.only_second:,}"
        return place, f"of {gain.examples:,} examples of {label} {alone}"
    fewer = loser.counts[place] - winner.counts[place]
    fewer = np.where(np.arange(len(fewer)) == place, np.iinfo(np.int64).min, fewer)
    target = int(np.argmax(fewer))
    if fewer[target] > 0:
        rows = f"{int(fewer[target]):,} fewer examples of {label}"
        return place, f"it predicts {quoted(joint.labels[target])} for {rows} than {name}"
    return place, f"it treats {label} better than {name} on the whole"


@dataclass(frozen=True)
class Disagreement(Record):
    """Two models, and the measures that prefer the one and the other."""

    first: str
    second: str
    prefer_first: tuple[str, ...]
    prefer_second: tuple[str, ...]
    reasons: tuple[str, ...]
    within_noise: bool
    noise: str
    """What the noise has to do with it, in words."""

    def __str__(self) -> str:
        return f"{'; '.join(self.reasons)}. {self.noise}."


def disagreement(
    joint: JointCounts,
    first: int,
    second: int,
    preferences: Sequence[tuple[Measure, float, bool]],
    level: float,
    positive: Label | None,
    undefined: Undefined,
) -> Disagreement | None:
    """Do measures disagree about two models? `preferences`: measure, difference (first less second), whether
    it is clear of noise."""
    sides: dict[int, list[tuple[Measure, bool]]] = {first: [], second: []}
    for m, value, sure in preferences:
        if m.better != "neither" and value != 0 and not math.isnan(value):
            sides[first if (value > 0) == (m.better == "higher") else second].append((m, sure))
    if not sides[first] or not sides[second]:
        return None
    reasons: list[str] = []
    preferring = [m for side in sides.values() for m, _ in side]
    parts = contributions(preferring, joint.matrix(first), joint.matrix(second), positive, undefined)
    for model, other in ((first, second), (second, first)):
        by_class: dict[int, tuple[str, list[str]]] = {}
        for m, _ in sides[model]:
            # what one model gains, the other loses, to the last bit
            place, words = reason(joint, model, other, parts[m.name] * (1 if model == first else -1))
            by_class.setdefault(place, (words, []))[1].append(short_name(m))
        reasons += [
            f"{listed(names)} prefer{'s' if len(names) == 1 else ''} {joint.models[model]}: {words}"
            for words, names in by_class.values()
        ]
    names = joint.models[first], joint.models[second]
    clear = {model: [short_name(m) for m, sure in sides[model] if sure] for model in sides}
    unsure = [joint.models[model] for model in sides if not clear[model]]
    if not unsure:
        noise = f"beyond sampling noise: {names[0]} is significantly better by"
        noise += f" {listed(clear[first])}, {names[1]} by {listed(clear[second])}"
    else:
        better = f"{unsure[0]} to be significantly better" if len(unsure) == 1 else "a significant difference"
        test = f"the {100 * level:g}% CI of the difference includes 0"
        if len(joint.models) > 2:
            test = "corrected for the number of pairs of models"
        noise = f"within sampling noise: no metric shows {better} ({test})"
    prefer_first, prefer_second = (tuple(m.name for m, _ in sides[model]) for model in (first, second))
    return Disagreement(*names, prefer_first, prefer_second, tuple(reasons), bool(unsure), noise)
