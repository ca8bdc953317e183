"""What must be said beside a comparison: how it was made, what is assumed, where it cannot be relied on."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label, quoted
from steelyard.counts.plain import plain_label
from steelyard.judgement.compare.estimates import draws_used
from steelyard.judgement.compare.settings import Settings
from steelyard.measures.kinship import listed
from steelyard.measures.measure import Measure
from steelyard.measures.short_names import short_name
from steelyard.uncertainty.coverage_record import warning_for
from steelyard.uncertainty.resampling import WHAT_A_DESIGN_MEANS, design_in_use

_FOLDS_MEAN = (
    "Values, differences, ranks and P(best) are means over folds; the intervals allow for training sets that"
    " share most of their rows."
)


def _groups_mean(number: int | None) -> str:
    return (
        f"Intervals and p-values come from drawing the {number or 0:,} groups again: rows of one group are"
        " not independent."
    )


def settings_said(joint: JointCounts, given: Settings, positive: Label | None) -> dict[str, Any]:
    """The settings as plain data."""
    in_groups = given.in_groups and joint.folds is not None
    numbered = None if joint.folds is None else int(joint.folds.max()) + 1
    return {
        "level": given.level,
        "draws": draws_used(joint, given),
        "seed": given.seed,
        "method": given.method if joint.folds is None else "groups" if in_groups else "folds",
        "design": design_in_use(given.design),
        "assumed": (
            WHAT_A_DESIGN_MEANS[design_in_use(given.design)]
            if joint.folds is None
            else _groups_mean(numbered)
            if in_groups
            else _FOLDS_MEAN
        ),
        "prior": given.prior if given.method == "posterior" else None,
        "rope": given.rope,
        "missing_left_out": joint.left_out,
        "folds": None if in_groups else numbered,
        "groups": numbered if in_groups else None,
        "positive": None if positive is None else plain_label(positive),
    }


def notes_of(joint: JointCounts, chosen: list[Measure], given: Settings) -> list[str]:
    notes: list[str] = list(joint.notes)
    actual = joint.actual
    if given.priors_range is not None and given.positive is None and joint.n_classes == 2:
        choice = joint.matrix(0).positive_class()
        notes.append(
            f"over the range of shares {quoted(choice.label)} is the positive class ({choice.reason})"
        )
    for place, model in enumerate(joint.models):
        unknown = [quoted(joint.labels[k]) for k in np.unique(joint.predictions[:, place]) if actual[k] == 0]
        if unknown:
            notes.append(f"{model} predicts {listed(unknown)}, of which there are no examples")
    for place, twin in enumerate(joint.twins.tolist()):
        if twin != place:
            notes.append(
                f"{joint.models[place]} predicts the same as {joint.models[twin]} in every row: they are"
                " identical on this test set, so their difference is given as exactly 0; rows on which they"
                " differ may exist"
            )
    rarest = int(actual[actual > 0].min())
    if rarest < 20:
        notes.append(
            f"{quoted(joint.labels[int(np.argmax(actual == rarest))])} has {rarest} examples only:"
            " differences on it are hardly known"
        )
    if given.in_groups and joint.folds is not None:
        notes.append(_groups_mean(int(joint.folds.max()) + 1))
        notes.append("the counts of examples that only one model gets right take rows for independent")
    elif joint.folds is None:
        notes.append(WHAT_A_DESIGN_MEANS[design_in_use(given.design)])
        notes.append(
            "the p-value of a measure tests that both models have the same value of it; it is measured to"
            " hold its level with about 20 or more examples of the rarest class, and with fewer it is"
            " approximate"
        )
        notes += _unsure_intervals(joint, chosen, given, rarest)
    else:
        folds = int(joint.folds.max()) + 1
        ratio = (
            f"1/{folds - 1}, as in one cross-validation (repeats have that of each: 1/9 for 2 x 10 folds)"
            if given.test_to_train is None
            else f"{given.test_to_train:g}"
        )
        notes.append(
            f"values, ranks and differences are means over {folds} folds, judged by the corrected resampled"
            f" t-test with test / training = {ratio}"
        )
    return notes


def _unsure_intervals(joint: JointCounts, chosen: list[Measure], given: Settings, rarest: int) -> list[str]:
    """Which differences have intervals that the coverage study found too narrow for test sets like this
    one?"""
    method = "percentile" if given.method == "bootstrap" else "corrected"
    by_warning: dict[str, list[str]] = {}
    for m in chosen:
        warning = warning_for(m, method, joint.n_classes, rarest, design_in_use(given.design), "difference")
        if warning:
            by_warning.setdefault(warning, []).append(short_name(m))
    return [
        f"intervals of differences of {listed(names)} may be too narrow {warning}"
        for warning, names in by_warning.items()
    ]
