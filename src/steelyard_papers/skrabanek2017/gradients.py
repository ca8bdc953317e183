"""Gradients of measures over class rates and prevalence (skrabanek2017, section 4, Fig. 1)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from steelyard import Confusion, measure
from steelyard_papers.experiment import Answer, Choice, Conclusion, Results, ResultTable, Step, Study
from steelyard_papers.outputs import new_figure
from steelyard_papers.skrabanek2017.claims import grape_precisions, grapes

Number = Fraction | float


class Dual:
    """A value with its partial derivatives."""

    __slots__ = ("partials", "value")

    def __init__(self, value: Number, partials: tuple[Number, ...]) -> None:
        self.value, self.partials = value, partials

    def _of(self, other: Any) -> Dual:
        return (
            other if isinstance(other, Dual) else Dual(Fraction(other), (Fraction(0),) * len(self.partials))
        )

    def __add__(self, other: Any) -> Dual:
        o = self._of(other)
        return Dual(
            self.value + o.value, tuple(a + b for a, b in zip(self.partials, o.partials, strict=True))
        )

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.value, tuple(-a for a in self.partials))

    def __sub__(self, other: Any) -> Dual:
        return self + (-self._of(other))

    def __rsub__(self, other: Any) -> Dual:
        return self._of(other) - self

    def __mul__(self, other: Any) -> Dual:
        o = self._of(other)
        return Dual(
            self.value * o.value,
            tuple(a * o.value + self.value * b for a, b in zip(self.partials, o.partials, strict=True)),
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        o = self._of(other)
        if o.value == 0:
            raise ZeroDivisionError
        value = self.value / o.value
        return Dual(
            value, tuple((a - value * b) / o.value for a, b in zip(self.partials, o.partials, strict=True))
        )

    def sqrt(self) -> Dual:
        if self.value == 0:
            raise ZeroDivisionError  # the root has no derivative there
        root = math.sqrt(self.value)
        return Dual(root, tuple(float(a) / (2 * root) for a in self.partials))


def variables(*values: Fraction) -> tuple[Dual, ...]:
    """Independent variables with these values."""
    return tuple(
        Dual(value, tuple(Fraction(int(i == j)) for j in range(len(values))))
        for i, value in enumerate(values)
    )


Expression = Callable[[Dual, Dual, Dual], Dual]


def _f(x: Dual, y: Dual, positive: Dual | Fraction, negative: Dual | Fraction) -> Dual:
    return 2 * x * positive / ((2 * x + (1 - x)) * positive + (1 - y) * negative)


# The right-hand columns of Tab. 2 and Tab. 3 with beta = 1: x and y are the rates of right answers on
# positives and negatives, v the
# proportion of positives.
MODIFIED: dict[str, Expression] = {
    "acc": lambda x, y, v: x * v + y * (1 - v),
    "er": lambda x, y, v: (1 - x) * v + (1 - y) * (1 - v),
    "pr": lambda x, y, v: x * v / (x * v + (1 - y) * (1 - v)),
    "re": lambda x, y, v: x,
    "sp": lambda x, y, v: y,
    "fnr": lambda x, y, v: 1 - x,
    "fpr": lambda x, y, v: 1 - y,
    "Fscore": lambda x, y, v: _f(x, y, v, 1 - v),
    "Gmean": lambda x, y, v: (x * y).sqrt(),
    "AUC": lambda x, y, v: (x + y) / 2,
    "acc_B": lambda x, y, v: (x + y) / 2,
    "er_B": lambda x, y, v: ((1 - x) + (1 - y)) / 2,
    "pr_B": lambda x, y, v: x / (x + 1 - y),
    "Fscore_B": lambda x, y, v: _f(x, y, Fraction(1), Fraction(1)),
}
OF = {
    "acc": "accuracy",
    "er": "error_rate",
    "pr": "precision",
    "re": "recall",
    "sp": "specificity",
    "fnr": "fnr",
    "fpr": "fpr",
    "Fscore": "f_beta",
    "Gmean": "gmean",
    "AUC": "auc_point",
    "acc_B": "balanced_accuracy",
    "er_B": "balanced_error_rate",
    "pr_B": "balanced_precision",
    "Fscore_B": "balanced_f_beta",
}
BIASED = ("acc", "er", "pr", "Fscore")
BALANCED = {"acc": "acc_B", "er": "er_B", "pr": "pr_B", "Fscore": "Fscore_B"}
TABLE_2 = ("acc", "er", "pr", "re", "sp", "fnr", "fpr", "Fscore", "Gmean", "AUC")


NONE: tuple[float | None, ...] = (None, None, None)


def field(name: str, points: int, seed: int) -> dict[str, Any]:
    """The gradient of one measure at every point of the grid, and whether the catalogue's measure has the
    printed value there."""
    del seed  # nothing is drawn
    grid = [Fraction(i, points - 1) for i in range(points)]
    arrows: list[list[float | None]] = []
    wrong = compared = 0
    for v in grid:
        for x in grid:
            for y in grid:
                gradient = _gradient(name, x, y, v)
                arrows.append([float(y), float(x), float(v), *(gradient if gradient is not None else NONE)])
                if 0 < v < 1:
                    compared += 1
                    wrong += not _same(name, x, y, v)
    return {"arrows": arrows, "compared": compared, "wrong": wrong}


def _gradient(name: str, x: Fraction, y: Fraction, v: Fraction) -> list[float] | None:
    """The derivatives by TNr, TPr and v_P, in the order of Eq. 9; None where there are none."""
    try:
        by_x, by_y, by_v = (float(slope) for slope in MODIFIED[name](*variables(x, y, v)).partials)
    except ZeroDivisionError:
        return None
    return [by_y, by_x, by_v]


def _same(name: str, x: Fraction, y: Fraction, v: Fraction) -> bool:
    """Is the catalogue's value on a matrix with these rates that of the paper's modified expression?"""
    ours = measure(OF[name]).exact(matrix(x, y, v), positive="P")
    try:
        printed = MODIFIED[name](*variables(x, y, v)).value
    except ZeroDivisionError:
        return bool(ours != ours) or (
            name == "Gmean" and ours == 0
        )  # the root has a value at 0, but no derivative
    return math.isclose(float(ours), printed, rel_tol=1e-12) if name == "Gmean" else ours == printed


def matrix(x: Fraction, y: Fraction, v: Fraction) -> Confusion:
    """A matrix of whole counts with these class rates and this proportion of positives."""
    scale = math.lcm(*((share.denominator) for share in (v * x, v * (1 - x), (1 - v) * y, (1 - v) * (1 - y))))
    cells = [[v * x, v * (1 - x)], [(1 - v) * (1 - y), (1 - v) * y]]
    return Confusion([[int(scale * cell) for cell in row] for row in cells], ["P", "N"])


def benchmark(name: str, rates: int, proportions: Sequence[str], seed: int) -> dict[str, Any]:
    """The verification on benchmark data: the original on a balanced set against the balanced one on
    imbalanced sets, same class rates."""
    del seed
    original, balanced = measure(OF[name]), measure(OF[BALANCED[name]])
    equal = cases = 0
    widest = 0.0
    for i in range(rates + 1):
        for j in range(rates + 1):
            x, y = Fraction(i, rates), Fraction(j, rates)
            reference = original.exact(matrix(x, y, Fraction(1, 2)), positive="P")
            for text in proportions:
                v = Fraction(text)
                cases += 1
                exact = balanced.exact(matrix(x, y, v), positive="P")
                equal += exact == reference or (exact != exact and reference != reference)
                unbalanced = original.exact(matrix(x, y, v), positive="P")
                if unbalanced == unbalanced and reference == reference:
                    widest = max(widest, abs(float(unbalanced - reference)))
    return {"cases": cases, "equal": equal, "widest": widest}


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    fields = [
        Step(name=f"field-{name}", function=field, arguments={"name": name, "points": parameters["points"]})
        for name in MODIFIED
    ]
    checks = [
        Step(
            name=f"benchmark-{name}",
            function=benchmark,
            arguments={"name": name, "rates": parameters["rates"], "proportions": parameters["proportions"]},
            cost=3,
        )
        for name in BIASED
    ]
    return [*checks, *fields]


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    rows = []
    leaning = {}
    for name in MODIFIED:
        arrows = [arrow for arrow in results[f"field-{name}"]["arrows"] if arrow[3] is not None]
        tilted = [arrow for arrow in arrows if arrow[5] != 0]
        leaning[name] = len(tilted)
        steepest = max((_angle(arrow) for arrow in arrows), default=0.0)
        rows.append(
            (name, len(results[f"field-{name}"]["arrows"]), len(arrows), len(tilted), round(steepest, 1))
        )
    checks = [
        (name, BALANCED[name], *(results[f"benchmark-{name}"][key] for key in ("cases", "equal", "widest")))
        for name in BIASED
    ]
    arrows = [
        (name, *(None if v is None else round(v, 6) for v in arrow))
        for name in MODIFIED
        for arrow in results[f"field-{name}"]["arrows"]
    ]
    tables = (
        ResultTable(
            name="angles",
            title="Arrows that leave the plane of equal class proportions",
            columns=(
                "measure",
                "grid points",
                "with a gradient",
                "with a part along v_P",
                "steepest angle, degrees",
            ),
            rows=rows,
        ),
        ResultTable(
            name="benchmark",
            title="Original on balanced data against balanced on imbalanced data, same class rates",
            columns=("original", "balanced", "comparisons", "equal", "largest error of the original"),
            rows=checks,
        ),
        ResultTable(
            name="gradients",
            title="Every gradient",
            columns=("measure", "TNr", "TPr", "v_P", "by TNr", "by TPr", "by v_P"),
            rows=arrows,
            shown=False,
        ),
    )
    return Conclusion(
        (*_definitions(results), _dependence(leaning), _balanced(leaning, checks), _detector()), tables
    )


def _angle(arrow: Sequence[float]) -> float:
    return math.degrees(math.atan2(abs(arrow[5]), math.hypot(arrow[3], arrow[4])))


def _definitions(results: Results) -> list[Answer]:
    rows = []
    for claim, names in (("skrabanek-t2", TABLE_2), ("skrabanek-t3", tuple(BALANCED.values()))):
        compared = sum(results[f"field-{name}"]["compared"] for name in names)
        wrong = sum(results[f"field-{name}"]["wrong"] for name in names)
        rows.append(
            Answer(
                claim_id=claim,
                reproduced=wrong == 0,
                paper_figure=f"{len(names)} rows",
                our_figure=(
                    f"equal at {compared - wrong} of {compared} points of the grid with both classes present"
                ),
                words=(
                    "Compared in exact arithmetic with the measures of this catalogue, roots to twelve"
                    " digits. A grid is not a proof; the property engine proves such identities."
                ),
            )
        )
    return rows


def _dependence(leaning: Mapping[str, int]) -> Answer:
    depending = tuple(name for name in TABLE_2 if leaning[name])
    return Answer(
        claim_id="skrabanek-b1",
        reproduced=set(depending) == set(BIASED),
        paper_figure=", ".join(BIASED),
        our_figure=", ".join(depending),
        words=("Only these of the ten have a gradient with a component along v_P somewhere on the grid."),
    )


def _balanced(leaning: Mapping[str, int], checks: Sequence[tuple[Any, ...]]) -> Answer:
    flat = [name for name in BALANCED.values() if not leaning[name]]
    equal, cases = sum(row[3] for row in checks), sum(row[2] for row in checks)
    return Answer(
        claim_id="skrabanek-g1",
        reproduced=len(flat) == 4 and all(leaning[name] for name in BIASED),
        paper_figure="zero angles for the balanced, non-zero for most settings of the biased",
        our_figure=", ".join(
            f"{name} {leaning[name]}, {BALANCED[name]} {leaning[BALANCED[name]]} tilted arrows"
            for name in BIASED
        ),
        words=(
            f"The benchmark verification that the paper leaves out: in {equal} of {cases} comparisons"
            " the balanced measure on imbalanced data equals, exactly, the original on balanced data; the"
            f" originals themselves are off by up to {max(row[4] for row in checks):.2f}."
        ),
    )


def _detector() -> Answer:
    """Accuracy and balanced accuracy fix the class rates.

    Do precision and balanced precision agree with them?
    """
    finding, allowed = grapes(), grape_precisions()
    ranges = " and ".join(f"{name} {float(a):.4f} to {float(b):.4f}" for name, (a, b) in allowed.items())
    return Answer(
        claim_id="skrabanek-x1",
        reproduced=finding.verdict == "reproduced",
        paper_figure="accuracy 0.963, balanced accuracy 0.936, precision 0.027, balanced precision 0.966",
        our_figure=f"accuracy and balanced accuracy as printed allow {ranges}",
        words=(
            "No pair of rates gives all four. The figures are averages over images, and the precision of"
            " averaged rates is not the average of precisions; 0.936 may also be 0.963 with two digits"
            " exchanged."
        ),
    )


# Arrows are proportional to the gradient where none is more than this many times the median length.
LONGEST = 3


# The two panels that the paper prints.
PANELS = {"acc": "Fig. 1(a): acc", "acc_B": "Fig. 1(b): acc_B"}


def draw(names: Sequence[str]) -> Callable[[Mapping[str, ResultTable]], Any]:
    def drawing(tables: Mapping[str, ResultTable]) -> Any:
        columns = 5 if len(names) > 4 else len(names)
        figure, axes = new_figure(
            3.7 * columns,
            3.4 * -(-len(names) // columns),
            -(-len(names) // columns),
            columns,
            subplot_kw={"projection": "3d"},
        )
        for ax, name in zip(axes.reshape(-1), names, strict=True):
            rows = [row for row in tables["gradients"].rows if row[0] == name and row[4] is not None]
            lengths = [math.hypot(*row[4:7]) for row in rows]
            usual = statistics.median(length for length in lengths if length) if any(lengths) else 1.0
            # In the paper length is proportional to the gradient. Precision and F-score have a few arrows
            # many times as long as the others, so their lengths L are compressed to L / (L + median).
            bounded = max(lengths) <= LONGEST * usual
            scales = [2 * usual if bounded else length + usual for length in lengths]
            parts = [[v / scale for v in row[4:7]] for row, scale in zip(rows, scales, strict=True)]
            ax.quiver(
                *zip(*(row[1:4] for row in rows), strict=True),
                *zip(*parts, strict=True),
                length=0.35,
                linewidth=0.7,
            )
            ax.set(
                title=PANELS.get(name, name) + ("" if bounded else " (lengths compressed)"),
                xlabel="ξ_TN",
                ylabel="ξ_TP",
                zlabel="ν_P",
                xlim=(0, 1),
                ylim=(0, 1),
                zlim=(0, 1),
            )
            ax.tick_params(labelsize=6, pad=-2)
            for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
                axis.labelpad = -4
        figure.subplots_adjust(left=0.01, right=0.97, bottom=0.06, top=0.92, wspace=0.12, hspace=0.15)
        return figure

    return drawing


STUDY = Study(
    name="skrabanek2017-gradients",
    paper="skrabanek2017",
    title="Gradients of ten measures and four balanced ones",
    reproduces=(
        "Section 4 and Fig. 1 for every measure of Tab. 2 and Tab. 3, the benchmark verification"
        " that the paper leaves out, and the grape detector of section 5."
    ),
    method=(
        (
            "Gradients are exact: the paper's modified expressions are evaluated with numbers that carry"
            " their derivatives, in fractions; only the root of Gmean is a float."
        ),
        (
            "Where an expression has no value or no derivative (precision where nothing is"
            " predicted positive, Gmean at a rate of 0) no arrow is drawn."
        ),
        (
            "Benchmark verification: matrices of whole counts with the same class rates, once with equal"
            " class sizes and once with each of the other proportions, compared exactly."
        ),
    ),
    parameters={"points": 5, "rates": 10, "proportions": ["0.001", "0.01", "0.1", "0.25", "0.75", "0.99"]},
    quick={"points": 3, "rates": 2, "proportions": ["0.01", "0.25"]},
    choices=(
        Choice(
            "Grid and proportions; a gradient component counts as absent when it is exactly 0 in fractions.",
            "not recorded",
        ),
    ),
    steps=steps,
    conclude=conclude,
    pictures={
        "original": (
            (
                "Fig. 1(a) for the ten measures of Tab. 2: gradients over TNr, TPr and v_P; a"
                " tilted arrow means dependence on the class proportions"
            ),
            draw(TABLE_2),
        ),
        "balanced": (
            "Fig. 1(b) for the four balanced measures: no arrow leaves the plane of equal v_P",
            draw(tuple(BALANCED.values())),
        ),
    },
)
