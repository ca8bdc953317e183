"""How do Precision and AUROC-OVA change while the classifier stays the same?

Example 1 of mullick2020, Figs. 2c and 2f.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.measures.catalogue import measure
from steelyard.papers.outputs import COLOURS, MARKERS, new_figure
from steelyard.papers.study import Answer, Conclusion, Results, ResultTable, Step, Study


def above(boundary: float, mean: float) -> float:
    """The share of a normal class of unit variance that lies above the boundary."""
    return 0.5 * math.erfc((boundary - mean) / math.sqrt(2))


def type_1(
    boundaries: Sequence[float], ratios: Sequence[int], majority: float, minority: float, size: int, seed: int
) -> list[list[float]]:
    """Precision at each boundary and RRT: boundary, RRT, class rates, expected precision, and precision on
    drawn points."""
    random = np.random.default_rng(seed)
    many, few = random.normal(majority, size=size), random.normal(minority, size=size)
    rows = []
    for boundary in boundaries:
        hit, alarm = above(boundary, minority), above(boundary, majority)
        for ratio in ratios:
            kept = few[: size // ratio]
            tp, fp = int((kept > boundary).sum()), int((many > boundary).sum())
            drawn = measure("precision")([[tp, len(kept) - tp], [fp, size - fp]], undefined=0.0)
            rows.append([boundary, ratio, hit, 1 - alarm, hit / (hit + ratio * alarm), float(drawn)])
    return rows


def type_2(classes: Sequence[int], spreads: Sequence[float], size: int, seed: int) -> list[list[float]]:
    """Classes on the corners of a hexagon, told apart by linear scores: C, spread, part told right,
    AUROC-OVA and its normalised form."""
    rows = []
    noise = np.random.default_rng(seed).normal(size=(max(classes), size, 2))
    for count in classes:
        angles = 2 * np.pi * np.arange(count) / 6
        corners = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        for spread in spreads:
            points = corners[:, None, :] + spread * noise[:count]
            # All corners are equally far from the middle, so the nearest one is that with the largest
            # linear score.
            called = (points @ corners.T).argmax(axis=2)
            counts = np.array([np.bincount(called[i], minlength=count) for i in range(count)])
            matrix = Confusion(counts, list(range(count)))
            values = [float(measure(name)(matrix)) for name in ("macro_recall", "auroc_ova", "nauroc_ova")]
            rows.append([count, spread, *values])
    return rows


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    first = {key: parameters[key] for key in ("boundaries", "ratios", "majority", "minority", "size")}
    return [
        Step(name="type-1", function=type_1, arguments=first),
        Step(
            name="type-2",
            function=type_2,
            arguments={
                "classes": parameters["classes"],
                "spreads": parameters["spreads"],
                "size": parameters["size"],
            },
        ),
    ]


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    precision = {(row[0], row[1]): row for row in results["type-1"]}
    one, ten = precision[4.0, 1], precision[4.0, 10]
    at = {count: _at_share(results["type-2"], count, 0.6) for count in parameters["classes"]}
    exact = {count: (1 + 0.6 - 0.4 / (count - 1)) / 2 for count in parameters["classes"]}
    findings = (
        Answer(
            claim_id="mullick-e2",
            statement=(
                "at the boundary x = 4 Precision falls from 0.93 at RRT 1 to 0.59 at RRT 10 with class rates"
                " unchanged"
            ),
            reproduced=f"{one[4]:.2f}" == "0.93" and f"{ten[4]:.2f}" == "0.59",
            paper_figure="0.93 and 0.59",
            our_figure=f"{one[4]:.4f} and {ten[4]:.4f}; on drawn points {one[5]:.3f} and {ten[5]:.3f}",
            words=(
                "Precision is x / (x + RRT f) with x and f the rates of alarms on the two classes, so 0.93 at"
                " RRT 1 (as printed: 0.925 to 0.935) allows 0.552 to 0.590 at RRT 10. The class means, which"
                " the paper keeps in a supplement, are chosen so that 0.93 comes out."
            ),
        ),
        Answer(
            claim_id="mullick-e1",
            statement=(
                "a classifier right on 60 % of every class has AUROC-OVA 0.70 at C = 3 and 0.77 at C = 6"
            ),
            reproduced=f"{exact[3]:.2f}" == "0.70" and f"{exact[max(exact)]:.2f}" == "0.77",
            paper_figure="0.70 and 0.77",
            our_figure=(
                f"{exact[3]:.2f} and {exact[max(exact)]:.2f} for classes of equal size; on drawn points"
                f" {at[3]:.3f} and {at[max(at)]:.3f}"
            ),
            words=(
                "With equal class sizes AUROC-OVA is (1 + a - (1 - a)/(C - 1))/2 for any errors, a being the"
                " part told right: 0.70 at C = 3, but 0.76 at C = 6; 0.77 needs a = 0.617. That it rises with"
                " C while the classifier is as good as before, which is the point of the figure, holds."
            ),
        ),
    )
    tables = (
        ResultTable(
            name="precision",
            title="Fig. 2c: Precision while the class rates stay the same",
            columns=("boundary", "RRT", "TPr", "TNr", "expected", "drawn"),
            rows=[tuple(round(v, 5) for v in row) for row in results["type-1"]],
            shown=False,
        ),
        ResultTable(
            name="auroc-ova",
            title="Fig. 2f: AUROC-OVA by the part told right",
            columns=("C", "spread", "told right", "AUROC-OVA", "nAUROC-OVA"),
            rows=[tuple(round(v, 5) for v in row) for row in results["type-2"]],
            shown=False,
        ),
        ResultTable(
            name="at-60",
            title="AUROC-OVA where 60 % of every class is right",
            columns=("C", "by formula", "on drawn points"),
            rows=[(c, round(exact[c], 4), round(at[c], 4)) for c in exact],
        ),
    )
    return Conclusion(findings, tables)


def _at_share(rows: Sequence[Sequence[float]], count: int, share: float) -> float:
    """AUROC-OVA where this part is told right, between the two nearest settings."""
    own = sorted((row[2], row[3]) for row in rows if row[0] == count)
    return float(np.interp(share, [told for told, _ in own], [value for _, value in own]))


def draw(tables: Mapping[str, ResultTable]) -> Any:
    figure, axes = new_figure(11, 4.2, 1, 2)
    left, right = axes[0]
    for k, ratio in enumerate(dict.fromkeys(row[1] for row in tables["precision"].rows)):
        rows = [row for row in tables["precision"].rows if row[1] == ratio]
        left.plot(
            [row[0] for row in rows],
            [row[4] for row in rows],
            MARKERS[k % 8] + "-",
            color=COLOURS[k % 8],
            markersize=4,
            label=f"RRT {ratio:g}",
        )
    left.set(xlabel="class boundary", ylabel="Precision", title="Fig. 2c")
    for k, count in enumerate(dict.fromkeys(row[0] for row in tables["auroc-ova"].rows)):
        rows = sorted((row for row in tables["auroc-ova"].rows if row[0] == count), key=lambda row: row[2])
        right.plot(
            [row[2] for row in rows],
            [row[3] for row in rows],
            MARKERS[k % 8],
            color=COLOURS[k % 8],
            markersize=4,
            label=f"C = {count:g}",
        )
    right.set(xlabel="part told right", ylabel="AUROC-OVA", title="Fig. 2f")
    for ax in (left, right):
        ax.legend(frameon=False)
        ax.grid(alpha=0.3)
    return figure


STUDY = Study(
    name="mullick2020-illustration",
    paper="mullick2020",
    title="Precision over RRT and AUROC-OVA over the number of classes",
    reproduces=(
        "Example 1, Figs. 2c and 2f: two normal classes whose ratio changes, and three to six classes on a"
        " hexagon."
    ),
    method=(
        (
            "Two classes of unit variance, 5,000 points each; the right one, the positive, is thinned to RRT"
            " 2, 4, 6, 8 and 10 while the boundary stays where it is. Precision is computed from the true"
            " class rates and on the drawn points."
        ),
        (
            "Three to six classes of equal size on the corners of a regular hexagon with a common spread; the"
            " classifier takes the largest of C linear scores; the spread takes it from perfect to useless."
        ),
    ),
    parameters={
        "boundaries": [2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5],
        "ratios": [1, 2, 4, 6, 8, 10],
        "majority": 2.53,
        "minority": 8.0,
        "size": 5000,
        "classes": [3, 4, 5, 6],
        "spreads": [0.05, 0.15, 0.25, 0.35, 0.45, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0],
    },
    quick={"size": 500, "boundaries": [3.0, 4.0, 5.0]},
    steps=steps,
    conclude=conclude,
    pictures={
        "figure-2": (
            "Figs. 2c and 2f again: the same classifier, other test sets; the same quality, more classes",
            draw,
        )
    },
)
