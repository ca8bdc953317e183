"""Model choice by relevance-based measures and their originals on 16 real data sets (branco2017, 5.1).

Sixteen real data sets, three learners, 33 measures. The paper tried them and concluded that agreement with
the user's preferences cannot be assessed. What can be: which model each measure chooses, how often it would
choose the same one on another draw of the examples, and whether knowing less than the user's own scores leads
to the choice that these make.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard import Confusion, Measure, relevance, weigh
from steelyard.counts import JointCounts
from steelyard.uncertainty import probability_best, resampled_cells
from steelyard_papers.branco2017.learners import LEARNERS, predictions, real_set
from steelyard_papers.branco2017.printed import BASES
from steelyard_papers.branco2017.real_choices import AS_MEANT, ORDERS, conclude, draw_parted, draw_values
from steelyard_papers.branco2017.relevance_based import WEIGHTED, all_measures
from steelyard_papers.experiment import Choice, Step, Study

Array = NDArray[Any]

# Variants: the set, and the columns left out. The running number of glass orders its rows by class.
TAKES_CLASS_AWAY = {"glass without Id": ("glass", ("Id",))}


class Weighed(NamedTuple):
    """The 33 measures of a set (38 for a wine), by name."""

    measures: dict[str, Measure]
    original: dict[str, str]
    """Of each relevance-based measure, the one it starts from."""


def measures_of(name: str, sizes: Mapping[str, int]) -> Weighed:
    """The measures with the authors' orders and scores for this set."""
    about = ORDERS[TAKES_CLASS_AWAY.get(name, (name, ()))[0]]
    labels = sorted(sizes)
    diagonal = np.diag([sizes[label] for label in labels])
    weights = {
        "PREV": relevance.prevalence(Confusion(diagonal, labels)),
        "PO": relevance.parse(about["PO"], labels),
        "TO": relevance.parse(about["TO"], labels),
        "phi": relevance.scores(about["phi"]),
    }
    metrics = all_measures(weights)
    if AS_MEANT in about:
        meant = all_measures({**weights, "TO": relevance.parse(about[AS_MEANT], labels)})
        metrics |= {f"{base}^{AS_MEANT}": meant[f"{base}^TO"] for base in BASES}
    original = {weighted: WEIGHTED[weighted.partition("^")[0]] for weighted in metrics if "^" in weighted}
    return Weighed(measures=metrics, original=original)


def try_set(name: str, repetition: int, folds: int, draws: int, rows: int, seed: int) -> dict[str, Any]:
    """One repetition of the cross-validation of all learners on one set, and what every measure makes of
    it."""
    source, without = TAKES_CLASS_AWAY.get(name, (name, ()))
    table = real_set(source, without)
    if len(table.y) > rows:
        table = table.rows(_some_of_each(table.y, rows))
    predicted = _out_of_fold(table, folds, repetition)
    labels = sorted(set(table.y.tolist()))
    joint = JointCounts.from_columns(table.y, predicted, labels=labels)
    sizes = {label: int((table.y == label).sum()) for label in labels}
    matrices = {learner: joint.matrix(i).counts.tolist() for i, learner in enumerate(LEARNERS)}
    return {"labels": labels, "matrices": matrices, **judged(joint, measures_of(name, sizes), draws, seed)}


def _some_of_each(y: Array, rows: int) -> Array:
    """About so many rows, spread over the classes as they are, at least two of each."""
    chosen = []
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        chosen.append(members[: max(2, round(rows * len(members) / len(y)))])
    return np.sort(np.concatenate(chosen))


def _out_of_fold(table: Any, folds: int, repetition: int) -> dict[str, Array]:
    """For each learner a prediction of every row by a model that has not seen it.

    All learners see the same folds.
    """
    from sklearn.model_selection import StratifiedKFold

    labels = {learner: np.empty_like(table.y) for learner in LEARNERS}
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "The least populated class"
        )  # some classes have one or two examples
        split = list(StratifiedKFold(folds, shuffle=True, random_state=repetition).split(table.y, table.y))
    for train, test in split:
        for learner in LEARNERS:
            labels[learner][test] = predictions(learner, table, train, test)
    return labels


def judged(joint: JointCounts, weighed: Weighed, draws: int, seed: int) -> dict[str, Any]:
    """The value of each measure for each learner, how often each learner is best, and how often choices
    part.

    Examples are resampled within their classes, all learners with the same ones. Choices part in a draw
    when no learner is best by both measures.
    """
    seen = Confusion(np.stack([joint.matrix(i).counts for i in range(len(LEARNERS))]), joint.labels)
    values = {name: _of(metric, seen) for name, metric in weighed.measures.items()}
    cells = resampled_cells(joint, True, np.random.default_rng(seed), draws)
    drawn = Confusion(joint.matrices(cells), joint.labels)
    over = {name: _of(metric, drawn) for name, metric in weighed.measures.items()}
    best = {name: _best(over[name], name) for name in over}
    return {
        "values": {name: [round(float(v), 6) for v in metric] for name, metric in values.items()},
        "best": {
            name: [round(float(p), 4) for p in probability_best(over[name], name == "CEN")] for name in over
        },
        "parted": {
            weighted: round(float((~(best[weighted] & best[original]).any(axis=0)).mean()), 4)
            for weighted, original in weighed.original.items()
        },
    }


def _of(metric: Measure, counts: Confusion) -> Array:
    """Values on a batch.

    Classes without predictions are left out of means, and no value at all counts as 0.
    """
    values = weigh([metric], counts, undefined="skip")[metric.name]
    return np.where(np.isnan(values), 0.0, values)


def _best(values: Array, name: str) -> Array:
    """Which learners have the best value? Equal ones share it."""
    worth = -values if name == "CEN" else values
    return np.asarray(worth == worth.max(axis=0))


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    return [
        Step(
            name=f"{name.replace(' ', '-')}-{repetition}",
            function=try_set,
            arguments={
                "name": name,
                "repetition": repetition,
                "folds": parameters["folds"],
                "draws": parameters["draws"],
                "rows": parameters["rows"],
            },
            cost=COST.get(name, 1.0),
        )
        for name in parameters["sets"]
        for repetition in range(parameters["repetitions"])
    ]


COST = {
    "wineQualityWhite": 30.0,
    "splice": 25.0,
    "blocks": 8.0,
    "wineQualityRed": 4.0,
    "car": 4.0,
    "yeast": 4.0,
}


STUDY = Study(
    name="branco2017-real",
    paper="branco2017",
    title="Model choice by 33 measures among three learners on 16 real data sets",
    reproduces=(
        "Section 5.1, second part, and its extra material: 16 real data sets, a CART tree, an SVM and naive"
        " Bayes, two repetitions of stratified ten-fold cross-validation, 33 measures with the authors'"
        " orders and scores."
    ),
    method=(
        (
            "Learners: scikit-learn's tree with rpart's stopping rules (20 rows to split, 7 in a leaf, depth"
            " 30, a gain of a hundredth of the root's impurity), SVC with e1071's defaults (RBF, cost 1,"
            " gamma one over the number of columns, numeric columns scaled), naive Bayes as in e1071 (normal"
            " densities and relative frequencies, 0.001 in place of 0). rpart splits sets of nominal"
            " values and prunes by error; here nominal columns are 0/1 columns and the gain is that of the"
            " Gini index."
        ),
        (
            "Each measure is computed on the matrix of all out-of-fold predictions of a repetition, and"
            " averaged over the two; means over single folds would lose the classes that a fold does not"
            " have. A class without predictions is left out of the mean (section 4.3)."
        ),
        (
            "Bootstrap: examples are resampled with replacement within their classes, a thousand"
            " times for each repetition, the same ones for all learners. Two measures disagree"
            " where no model is best by both."
        ),
        (
            "glass is run with its running number, as the authors did, and without it; only the"
            " former counts among the 16. The total orders of the two wine sets are run as coded"
            " and reversed; only the former counts."
        ),
    ),
    parameters={
        "sets": [*ORDERS, *TAKES_CLASS_AWAY],
        "repetitions": 2,
        "folds": 10,
        "draws": 1000,
        "rows": 10_000,
    },
    quick={"sets": ["zoo", "newThyroid", "wineQualityRed"], "folds": 3, "draws": 100, "rows": 200},
    choices=(
        Choice(
            "A choice is certain if it is made in 95% of the bootstrap resamples; one certain"
            " choice of another model shows that results differ; agreement is assessable if half"
            " of the choices by phi are certain.",
            "beforehand",
        ),
        Choice(
            "Measures are taken on all out-of-fold predictions of a repetition, not on single folds.",
            "beforehand",
        ),
        Choice(
            "Settings of the learners follow the defaults of rpart and e1071; none was tuned.", "beforehand"
        ),
    ),
    steps=steps,
    conclude=conclude,
    pictures={
        "values": (
            ("Values of 13 existing and 20 relevance-based measures for three learners on each of 16 sets"),
            draw_values,
        ),
        "parted": (
            (
                "How often a relevance-based measure and its original choose different models"
                " over bootstrap resamples (a dot: they do on the data)"
            ),
            draw_parted,
        ),
    },
    needs=(("sklearn", "scikit-learn"),),
)
