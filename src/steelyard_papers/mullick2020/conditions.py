"""Figure 6 and Table 2 of mullick2020, computed from the verdicts of the property engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard_papers.claim import verdict_on
from steelyard_papers.experiment import Answer, Choice, Conclusion, Results, ResultTable, Step, Study
from steelyard_papers.mullick2020.every_size import bounds_of_normalised_ova
from steelyard_papers.outputs import COLOURS, new_figure

# Conditions 1, 2 and 3 of the paper, by the names of our properties.
CONDITIONS = ("prior-invariance", "same-bounds", "one-class-failing")

# Figure 6 and section 6 as printed; None where the paper has no entry. The last six have two classes.
STATED: dict[str, tuple[bool | None, bool | None, bool | None]] = {
    "GMean": (True, True, False),
    "ACSA": (True, True, True),
    "AUROC-OVO": (True, False, None),
    "AUROC-OVA": (False, False, None),
    "nAUROC-OVA": (False, True, None),
    "AURPC-OVA": (False, True, None),
    "mAURPC-OVA": (True, True, True),
    "Recall": (True, None, None),
    "AUROC": (True, None, None),
    "Precision": (False, None, None),
    "AURPC": (False, None, None),
    "mPrecision": (True, None, None),
    "mAURPC": (True, None, None),
}

# The rows of Table 2 that state something of an index, the indices, and the condition.
TABLE_2 = (
    ("Invariance of Recall, Precision and AUROC to Condition 1", ("Recall", "Precision", "AUROC"), 0),
    (
        "Invariance of GMean, ACSA, AUROC-OVA, AUROC-OVO and AURPC-OVA to Condition 1",
        ("GMean", "ACSA", "AUROC-OVA", "AUROC-OVO", "AURPC-OVA"),
        0,
    ),
    (
        "Modification of Precision, AURPC and AURPC-OVA to satisfy Condition 1",
        ("mPrecision", "mAURPC", "mAURPC-OVA"),
        0,
    ),
    ("Normalisation of AUROC-OVA to satisfy Condition 1", ("nAUROC-OVA",), 0),
    (
        "Invariance of GMean, ACSA, AUROC-OVO, AUROC-OVA and AURPC-OVA to Condition 2",
        ("GMean", "ACSA", "AUROC-OVO", "AUROC-OVA", "AURPC-OVA"),
        1,
    ),
    ("Normalisation of AUROC-OVO and AUROC-OVA to satisfy Condition 2", ("ACSA", "nAUROC-OVA"), 1),
    ("Invariance of GMean, ACSA and mAURPC-OVA to Condition 3", ("GMean", "ACSA", "mAURPC-OVA"), 2),
)


def graded(index: str, conditions: Sequence[str], seed: int) -> dict[str, list[str]]:
    """The engine's verdict on each condition: its grade, and what it rests on in words."""
    verdicts = {}
    for condition in conditions:
        verdict = verdict_on("auc_point" if index == "AUROC" else index, condition)
        verdicts[condition] = [str(verdict.grade), str(verdict)]
        if verdict.grade not in ("proved", "refuted") and (index, condition) in ARGUMENTS:
            argued = ARGUMENTS[index, condition]()
            verdicts[condition] = [argued.verdict, argued.evidence]
    return verdicts


# What the paper's own lemmas decide, where the engine alone does not.
ARGUMENTS = {("nAUROC-OVA", "same-bounds"): bounds_of_normalised_ova}


def asked_of(index: str) -> list[str]:
    """Conditions on the number of classes do not apply to a two-class index."""
    many = STATED[index][1] is not None
    return [
        condition
        for place, condition in enumerate(CONDITIONS)
        if place == 0 or (many and (place == 1 or STATED[index][2] is not None))
    ]


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    return [
        Step(name=index, function=graded, arguments={"index": index, "conditions": asked_of(index)})
        for index in STATED
    ]


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    figure = ResultTable(
        name="figure-6",
        title="Figure 6: conditions that each index satisfies, paper / computed",
        columns=("index", "Condition 1", "Condition 2", "Condition 3"),
        rows=[(index, *(_cell(index, place, results) for place in range(3))) for index in STATED],
    )
    second = ResultTable(
        name="table-2",
        title="Table 2: its rows, computed",
        columns=("topic", "condition", "satisfied", "not satisfied", "open"),
        rows=[_row(topic, indices, place, results) for topic, indices, place in TABLE_2],
    )
    evidence = ResultTable(
        name="evidence",
        title="Evidence for each verdict",
        columns=("index", "condition", "verdict", "in words"),
        rows=[
            (index, condition, *results[index][condition]) for index in STATED for condition in results[index]
        ],
    )
    return Conclusion((_agreement(results), _table_2_row(results)), (figure, second, evidence))


def _grade(index: str, place: int, results: Results) -> str | None:
    verdict = results[index].get(CONDITIONS[place])
    return None if verdict is None else str(verdict[0])


def _cell(index: str, place: int, results: Results) -> str | None:
    stated, grade = STATED[index][place], _grade(index, place, results)
    if stated is None or grade is None:
        return None
    return f"{'yes' if stated else 'no'} / {grade}"


def _agrees(stated: bool, grade: str) -> bool:
    return grade == ("proved" if stated else "refuted")


def _row(
    topic: str, indices: Sequence[str], place: int, results: Results
) -> tuple[str, int, str | None, str | None, str | None]:
    def of(*grades: str) -> str | None:
        return ", ".join(i for i in indices if _grade(i, place, results) in grades) or None

    others = tuple({str(_grade(i, place, results)) for i in indices} - {"proved", "refuted"})
    return topic, place + 1, of("proved"), of("refuted"), of(*others)


def _agreement(results: Results) -> Answer:
    cells = [
        (index, place, stated, str(_grade(index, place, results)))
        for index, row in STATED.items()
        for place, stated in enumerate(row)
        if stated is not None
    ]
    against = [i for i, _, stated, grade in cells if _agrees(not stated, grade)]
    wrong = [
        f"{i}, Condition {p + 1}: {grade}" for i, p, stated, grade in cells if not _agrees(stated, grade)
    ]
    return Answer(
        claim_id="mullick-f6",
        reproduced=not wrong,
        verdict="not decided" if wrong and not against else "",
        paper_figure=f"{len(cells)} cells",
        our_figure=f"{len(cells) - len(wrong)} of {len(cells)} decided as stated"
        + (f"; otherwise: {'; '.join(wrong)}" if wrong else ""),
        words=(
            "Every cell is a verdict of the property engine, a proof or a matrix that shows the"
            ' opposite; none is typed in. "Not refuted" means that no counterexample was found;'
            " it is not a proof."
        ),
    )


def _table_2_row(results: Results) -> Answer:
    grade = str(_grade("nAUROC-OVA", 0, results))
    return Answer(
        claim_id="mullick-tab2",
        reproduced=grade == "proved",
        paper_figure="both are said",
        our_figure=grade,
        words=(
            "Table 2 lists the normalisation as a remedy for Condition 1 as well. Normalisation"
            " changes the scale, not the dependence on the class sizes, so section 6 and Figure 6"
            " are right and this row of Table 2 is not."
        ),
    )


MARKS = {"proved": ("o", COLOURS[0]), "refuted": ("X", COLOURS[1])}


def draw(tables: Mapping[str, ResultTable]) -> Any:
    """Indices by condition: a dot where it is satisfied, a cross where a matrix shows that it is not, a
    question mark where neither is decided."""
    rows = tables["figure-6"].rows
    figure, axes = new_figure(7, 5)
    ax = axes[0][0]
    for k, row in enumerate(rows):
        for place, cell in enumerate(row[1:]):
            if cell is None:
                continue
            stated, _, grade = str(cell).partition(" / ")
            marker, colour = MARKS.get(grade, ("$?$", COLOURS[6]))
            ax.plot(place, k, marker, color=colour, markersize=11)
            ax.text(place + 0.12, k, f"{grade} (paper: {stated})", va="center", fontsize=8)
    ax.set_yticks(range(len(rows)), [row[0] for row in rows])
    ax.set_xticks(range(3), ["Condition 1", "Condition 2", "Condition 3"])
    ax.axvline(1.85, color="#000000", linewidth=0.8, linestyle=":")
    ax.set(xlim=(-0.3, 2.9), title="Fig. 6a: Conditions 1 and 2, Fig. 6b: Condition 3")
    ax.invert_yaxis()
    ax.grid(alpha=0.2)
    return figure


STUDY = Study(
    name="mullick2020-conditions",
    paper="mullick2020",
    title="Figure 6 and Table 2, computed from verdicts",
    reproduces="Figure 6 and Table 2, read with section 6: which index satisfies which condition.",
    method=(
        (
            "Condition 1 is invariance under changing class priors (prior-invariance), Condition"
            " 2 the same bounds whatever the number of classes (same-bounds), Condition 3 that"
            " the value does not fall to its worst when a single class is always misclassified"
            " (one-class-failing)."
        ),
        (
            "Each cell is decided by the property engine: proved for every matrix, or refuted by one that is"
            " shown. AUROC and AURPC are those of a single point, as in the paper."
        ),
    ),
    parameters={},
    quick={},
    choices=(
        Choice(
            ("Where Table 2 and section 6 contradict each other, Figure 6 is read as section 6 states it."),
            "after results were seen",
        ),
    ),
    steps=steps,
    conclude=conclude,
    pictures={
        "figure-6": (
            (
                "Figure 6, computed: a dot where an index satisfies a condition, a"
                " cross where it does not, the paper's mark in brackets"
            ),
            draw,
        )
    },
)
