"""The claims of gosgens2021, as far as its text is public.

Its opening could be read and the authors' code; its tables could not. What is stated here is what the opening
says, and the properties are worded from the code: on matrices in which every class occurs in truth and
prediction, where the authors' conventions for empty classes do not matter.
"""

from __future__ import annotations

from typing import Any

from steelyard import measure
from steelyard.proofs import Verdict, decide_affine, decide_equal
from steelyard_papers.claim import Finding, all_of, from_verdict, verdict_on
from steelyard_papers.gosgens2021.published import PROPERTIES

# The members of the family that are looked at: half the sum of informedness and markedness, MCC, and the
# mean.
POWERS = (-1, 0, 1)
WHERE_ALL_OCCUR = "where every class occurs in truth and prediction"


def family() -> Finding:
    return all_of(*(_member(power) for power in POWERS))


def _member(power: int) -> Finding:
    name = f"generalised_means(r={power})"
    properties: list[str] = []
    for property_id in PROPERTIES:
        verdict = verdict_on(name, property_id)
        if property_id == "distance":
            if verdict.grade != "refuted":
                return Finding("not refuted", f"{name}, {property_id}: {verdict}")
            properties.append("no distance")
        elif verdict.grade == "proved":
            properties.append(property_id)
        elif _holds_inside(verdict):
            properties.append(f"{property_id} {WHERE_ALL_OCCUR}")
        else:
            outcome: Any = "refuted" if verdict.grade == "refuted" else "not refuted"
            return Finding(outcome, f"{name}, {property_id}: {verdict}")
    return Finding("proved", f"{name}: {', '.join(properties)}", classes="C = 2")


def _holds_inside(verdict: Verdict) -> bool:
    """Is every kind of step proved at least where every class occurs?"""
    return bool(verdict.notes) and all(
        "proved at C = 2" in note or f"(proved {WHERE_ALL_OCCUR})" in note for note in verdict.notes
    )


def members() -> Finding:
    gm, harmonic = measure("generalised_means(r=0)"), measure("generalised_means(r=-1)")
    first = decide_equal(measure("mcc"), gm, (2,))
    second = decide_affine(harmonic, measure("symmetric_balanced_accuracy"), (2,))
    return all_of(from_verdict(first), from_verdict(second))


def correlation_distance() -> Finding:
    name = "correlation_distance"
    is_distance, approximate = verdict_on(name, "distance"), verdict_on(name, "chance-constant")
    exact = verdict_on(name, "constant-baseline")
    if is_distance.holds_at(2) and approximate.holds_at(2) and exact.holds_at(2) is False:
        evidence = (
            f"for two classes it is a distance ({_method_at(is_distance, 2)}) and gives all matrices"
            f" t_i p_j / n the value 1/2, but the mean over deals of the predictions is not constant:"
            f" {exact.counterexample}"
        )
        matrices = exact.counterexample.matrices if exact.counterexample is not None else ()
        return Finding("proved", evidence, matrices, classes="C = 2")
    return all_of(from_verdict(is_distance), from_verdict(approximate))


def _method_at(verdict: Verdict, n_classes: int) -> str:
    return next(verdict_at.method for verdict_at in verdict.at if verdict_at.n_classes == n_classes)


def accuracy() -> Finding:
    verdict = verdict_on("accuracy", "constant-baseline")
    if verdict.grade != "refuted" or verdict.counterexample is None:
        return Finding("not refuted", f"accuracy, constant-baseline: {verdict}")
    counterexample = verdict.counterexample
    return Finding(
        "proved",
        f"guessing scores higher the larger the larger class: {counterexample} (means over all deals)",
        counterexample.matrices,
        classes=verdict.classes,
    )
