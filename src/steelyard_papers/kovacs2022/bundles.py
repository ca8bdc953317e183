"""Audit of published results on preterm births and retinal vessels (kovacs2022).

The cases that the package mlscorecheck documents, each asked of our audit: Vandewiele and others 2021 on
electrohysterograms, Kovács and Fazekas 2022 on the segmentation of vessels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import resources
from typing import Any

from steelyard import measure
from steelyard.auditing import Budget, Demand, Folds, Interval, OneMatrix, Setting, Sizes
from steelyard_papers.experiment import Answer, Choice, Conclusion, Results, ResultTable, Step, Study

SIZES: dict[str, Any] = json.loads(
    (resources.files("steelyard_papers.kovacs2022") / "sizes.json").read_text("utf-8")
)
LABELS = ("positive", "negative")
# What mlscorecheck adds to the uncertainty it is given.
BEYOND = Fraction(1, 10**6)

EHG = {"accuracy": "0.9447", "recall": "0.9139", "specificity": "0.9733"}
DRIVE = {"accuracy": "0.9494", "recall": "0.7450", "specificity": "0.9793"}
DRIVE_01 = {"accuracy": "0.9633", "recall": "0.7406", "specificity": "0.9849"}
STARE = {"accuracy": "0.4964", "recall": "0.5793", "specificity": "0.4871", "balanced_accuracy": "0.5332"}
STARE_0235 = {"accuracy": "0.4699", "negative_predictive_value": "0.8993", "f1": "0.1340"}
CHASE = {"accuracy": "0.5063", "recall": "0.4147", "specificity": "0.5126"}
CHASE_11R = {"accuracy": "0.4457", "recall": "0.0051", "specificity": "0.4706"}
HRF = {"accuracy": "0.4841", "recall": "0.5665", "specificity": "0.4750"}
HRF_13H = {"accuracy": "0.5562", "recall": "0.5049", "specificity": "0.5621"}
ISIC = {"accuracy": "0.7916", "recall": "0.2933", "specificity": "0.9145"}

# By name: the set, how the values came about, the values, and whether mlscorecheck finds them possible;
# None where it documents no answer.
CASES: dict[str, tuple[str, str, Mapping[str, str], bool | None]] = {
    "ehg-unknown": ("TPEHG", "5 folds of unknown classes", EHG, False),
    "ehg-stratified": ("TPEHG", "5 stratified folds", EHG, False),
    "ehg-oversampled": ("TPEHG, oversampled", "5 stratified folds", EHG, None),
    "drive-fov-mean": ("DRIVE, field of view", "mean", DRIVE, True),
    "drive-fov-pooled": ("DRIVE, field of view", "pooled", DRIVE, True),
    "drive-all-mean": ("DRIVE, whole image", "mean", DRIVE, False),
    "drive-all-pooled": ("DRIVE, whole image", "pooled", DRIVE, False),
    "drive-fov-01": ("DRIVE, field of view", "image 01", DRIVE_01, False),
    "drive-all-01": ("DRIVE, whole image", "image 01", DRIVE_01, True),
    "stare-mean": ("STARE", "mean", STARE, True),
    "stare-pooled": ("STARE", "pooled", STARE, False),
    "stare-im0235": ("STARE", "image im0235", STARE_0235, True),
    "chase-mean": ("CHASE_DB1", "mean", CHASE, True),
    "chase-pooled": ("CHASE_DB1", "pooled", CHASE, False),
    "chase-11R": ("CHASE_DB1", "image 11R", CHASE_11R, True),
    "hrf-fov-mean": ("HRF, field of view", "mean", HRF, True),
    "hrf-fov-pooled": ("HRF, field of view", "pooled", HRF, False),
    "hrf-all-mean": ("HRF, whole image", "mean", HRF, True),
    "hrf-all-pooled": ("HRF, whole image", "pooled", HRF, False),
    "hrf-fov-13_h": ("HRF, field of view", "image 13_h", HRF_13H, True),
    "hrf-all-13_h": ("HRF, whole image", "image 13_h", HRF_13H, False),
    "isic2016": ("ISIC 2016", "test set", ISIC, True),
}


def setting_of(data: str, how: str) -> Setting:
    """One matrix, or one for each image or fold."""
    if data in SIZES["sets"]:
        whole = Sizes(LABELS, tuple(SIZES["sets"][data]))
        if how == "test set":
            return OneMatrix(whole)
        return Folds(whole, 5, "stratified" if "stratified" in how else "unknown")
    images = SIZES["images"][data]
    if how.startswith("image "):
        ((_, positives, negatives),) = (image for image in images if image[0] == how.removeprefix("image "))
        return OneMatrix(Sizes(LABELS, (positives, negatives)))
    totals = Sizes(LABELS, tuple(sum(image[k] for image in images) for k in (1, 2)))
    if how == "pooled":
        return OneMatrix(totals)
    return Folds(totals, len(images), tuple((p, n) for _, p, n in images))


def demands_of(values: Mapping[str, str], reading: str) -> list[Demand]:
    """The values with a whole unit of the last digit as room, as mlscorecheck takes them, or rounded."""
    demands = []
    for name, text in values.items():
        unit = Fraction(1, 10 ** len(text.partition(".")[2]))
        room = unit + BEYOND if reading == "a unit either way" else unit / 2
        value = Fraction(text)
        demands.append(
            Demand(
                measure(name),
                Interval(value - room, value + room),
                0 if measure(name).kind == "two-class" else None,
                f"{name} = {text}",
            )
        )
    return demands


READINGS = ("a unit either way", "rounded to the nearest")


def audited(case: str, seconds: float, seed: int) -> dict[str, Any]:
    """The answer for both readings of the digits, and the pooled witness where there is one."""
    data, how, values, _ = CASES[case]
    setting = setting_of(data, how)
    answers = {}
    for reading in READINGS:
        decision = setting.decide(demands_of(values, reading), Budget(seconds), wanted=1)
        pooled = [[sum(m[i][j] for m in decision.matrices) for j in range(2)] for i in range(2)]
        answers[reading] = {"answer": decision.answer, "witness": pooled if decision.matrices else None}
    return answers


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    return [
        Step(name=case, function=audited, arguments={"case": case, "seconds": parameters["seconds"]})
        for case in parameters["cases"]
    ]


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    rows = []
    for case in parameters["cases"]:
        data, how, values, possible = CASES[case]
        answers = results[case]
        rows.append(
            (
                case,
                data,
                how,
                ", ".join(f"{name} {text}" for name, text in values.items()),
                None if possible is None else "possible" if possible else "impossible",
                *(answers[reading]["answer"] for reading in READINGS),
                str(answers[READINGS[0]]["witness"]) if answers[READINGS[0]]["witness"] else None,
            )
        )
    table = ResultTable(
        name="cases",
        title="Each case, and the witness added up over images or folds",
        columns=("case", "data", "values are", "printed", "mlscorecheck", *READINGS, "witness"),
        rows=rows,
    )
    return Conclusion((_ehg(results), _vessels(results), _same(rows)), (table,))


def _ehg(results: Results) -> Answer:
    cases = [case for case in ("ehg-unknown", "ehg-stratified") if case in results]
    answers = {case: results[case][READINGS[0]]["answer"] for case in cases}
    oversampled = results.get("ehg-oversampled", {READINGS[0]: {"answer": "not asked"}})[READINGS[0]]
    return Answer(
        claim_id="kovacs-ehg",
        reproduced=bool(answers) and set(answers.values()) == {"impossible"},
        paper_figure="inconsistent",
        our_figure="; ".join(f"{case}: {answer}" for case, answer in answers.items()) or "not asked",
        words=(
            "Oversampling before the data are split makes the classes of the test set equal. On 262 + 262"
            f" records, in five stratified folds, the values are {oversampled['answer']}."
        ),
    )


def _vessels(results: Results) -> Answer:
    cases = [case for case in results if case.startswith("drive-") and case.endswith(("mean", "pooled"))]
    answers = "; ".join(f"{case}: {results[case][READINGS[0]]['answer']}" for case in cases)
    right = all(
        results[case][READINGS[0]]["answer"] == ("possible" if "fov" in case else "impossible")
        for case in cases
    )
    return Answer(
        claim_id="kovacs-drive",
        reproduced=bool(cases) and right,
        paper_figure="possible within the field of view only",
        our_figure=answers or "not asked",
        words=(
            "Results that count different pixels cannot be ranked by accuracy; the audit finds"
            " which pixels were counted."
        ),
    )


def _same(rows: Sequence[Sequence[Any]]) -> Answer:
    answered = [row for row in rows if row[4] is not None]
    same = sum(row[4] == row[5] for row in answered)
    return Answer(
        claim_id="kovacs-same",
        reproduced=same == len(answered),
        paper_figure=f"{len(answered)} documented answers",
        our_figure=f"{same} of {len(answered)} the same",
        words=(
            "mlscorecheck leaves a whole unit of the last digit as room; rounding to the nearest leaves half"
            " of that, and both answers stand in the table."
        ),
    )


STUDY = Study(
    name="kovacs2022-bundles",
    paper="kovacs2022",
    title="Published results on preterm births and retinal vessels, audited",
    reproduces=(
        "The cases documented with the package mlscorecheck: electrohysterograms (Vandewiele and others"
        " 2021), vessels of the retina (Kovács and Fazekas 2022), skin lesions."
    ),
    method=(
        (
            "Values and class sizes are those that mlscorecheck 1.0.3 documents (MIT licence), the sizes"
            " counted by its authors from the annotations of each image. Of the papers behind them nothing"
            " else is read; the values on STARE, CHASE_DB1 and HRF are examples of its authors."
        ),
        (
            "Means over images or folds give each its own matrix; pooled values come of one matrix for all."
            " Folds of unknown classes are of equal size, in every way in which the classes can fall."
        ),
        ("Impossible means that no matrix gives the values; a witness is checked in exact fractions."),
    ),
    parameters={"cases": list(CASES), "seconds": 60},
    quick={"cases": ["ehg-stratified", "drive-fov-01", "drive-all-01", "isic2016"]},
    choices=(
        Choice("The cases and the room they leave are those of mlscorecheck's documentation.", "beforehand"),
    ),
    steps=steps,
    conclude=conclude,
)
