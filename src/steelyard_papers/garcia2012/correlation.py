"""Correlation study of garcia2012, section 3.1: Pearson correlation of thirteen measures with TPr and TNr."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard import Confusion, measure, weigh
from steelyard_papers.experiment import Choice, Conclusion, Results, ResultTable, Step, Study
from steelyard_papers.garcia2012.correlation_answers import (
    CONSTRUCTIONS,
    STATEMENTS,
    STRONG,
    as_printed,
    levels_table,
    reading_of,
    readings_table,
    side_by_side,
)
from steelyard_papers.outputs import new_figure

Array = NDArray[Any]

MEASURES = ("TPr", "TNr", "Prec", "Acc", "AUC", "Gm", "kappa", "F_1", "OP", "IBA", "cwA", "AGm", "wAUC")


def true_tuple(
    construction: str, size: int, share: float, random: np.random.Generator
) -> tuple[Array, Array, float]:
    """The "true" probability of each instance, which instances are positive, and where the decision is
    made."""
    positives = round(size * share)
    negatives = size - positives
    positive = np.arange(size) >= negatives
    if construction == "even":
        low = 0.5 * (np.arange(negatives) + 0.5) / negatives
        high = 0.5 + 0.5 * (np.arange(positives) + 0.5) / positives
        return np.concatenate([low, high]), positive, 0.5
    if construction == "drawn":
        return (
            np.concatenate([random.uniform(0, 0.5, negatives), random.uniform(0.5, 1, positives)]),
            positive,
            0.5,
        )
    if construction == "near":
        low, high = (np.arange(negatives) + 0.5) / negatives, (np.arange(positives) + 0.5) / positives
        return np.concatenate([0.5 * np.sqrt(low), 1 - 0.5 * np.sqrt(1 - high)]), positive, 0.5
    return (np.arange(size) + 0.5) / size, positive, negatives / size


def collection(
    construction: str,
    percent: float,
    size: int,
    tuples: int,
    pairs: Sequence[Sequence[float]],
    rho: float,
    strips: int,
    weight: float,
    seed: int,
) -> dict[str, Any]:
    """One collection of perturbed tuples: the correlations of all measures over it."""
    random = np.random.default_rng(seed)
    truth, positive, cut = true_tuple(construction, size, percent / 100, random)
    weighted = measure("weighted_auc", rho=rho, strips=strips)
    counts, areas = [], []
    for negative_noise, positive_noise in pairs:
        noise = np.where(positive, positive_noise, negative_noise)
        for _ in range(tuples):
            scores = random.uniform(np.maximum(0, truth - noise), np.minimum(1, truth + noise))
            called = scores >= cut
            tp, fp = int((called & positive).sum()), int((called & ~positive).sum())
            counts.append([[tp, int(positive.sum()) - tp], [fp, int((~positive).sum()) - fp]])
            areas.append(weighted.score(positive, scores, positive=True))
    columns = values(np.array(counts), weight)
    columns["wAUC"] = np.array(areas)
    table = np.array([columns[name] for name in MEASURES])
    defined = table[:, ~np.isnan(table).any(axis=0)]
    matrix = np.corrcoef(defined)
    return {
        "correlations": np.round(matrix, 6).tolist(),
        "tuples": int(table.shape[1]),
        "undefined": int(table.shape[1] - defined.shape[1]),
    }


def values(counts: Array, weight: float) -> dict[str, Array]:
    """The measures of confusion matrices [[TP, FN], [FP, TN]] that need no scores."""
    of = {
        "TPr": measure("recall"),
        "TNr": measure("specificity"),
        "Prec": measure("precision"),
        "Acc": measure("accuracy"),
        "AUC": measure("auc_point"),
        "Gm": measure("gmean"),
        "kappa": measure("kappa"),
        "F_1": measure("f_beta"),
        "OP": measure("optimized_precision"),
        "IBA": measure("iba", alpha=0.05),
        "cwA": measure("class_weighted_accuracy", w=weight),
        "AGm": measure("adjusted_gmean"),
    }
    by_metric = weigh(of.values(), Confusion(counts))
    return {name: by_metric[m.name] for name, m in of.items()}


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    pairs = [[round(0.6 - 0.05 * i, 2), round(0.05 * i, 2)] for i in range(13)]
    return [
        Step(
            name=f"{construction}-{percent}",
            function=collection,
            arguments={
                "construction": construction,
                "percent": percent,
                "size": parameters["size"],
                "tuples": parameters["tuples"],
                "pairs": pairs,
                "rho": parameters["rho"],
                "strips": parameters["strips"],
                "weight": parameters["weight"],
            },
        )
        for construction in CONSTRUCTIONS
        for percent in parameters["percents"]
    ]


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    percents = parameters["percents"]
    rates = {
        (c, p): {
            rate: dict(zip(MEASURES, results[f"{c}-{p}"]["correlations"][place], strict=True))
            for place, rate in enumerate(("TPr", "TNr"))
        }
        for c in CONSTRUCTIONS
        for p in percents
    }
    readings = {
        claim: [reading_of(claim, c, [rates[c, p] for p in percents]) for c in CONSTRUCTIONS]
        for claim in STATEMENTS
    }
    undefined = sum(results[f"{c}-{p}"]["undefined"] for c in CONSTRUCTIONS for p in percents)
    return Conclusion(
        findings=(*(side_by_side(claim, reading) for claim, reading in readings.items()), as_printed()),
        tables=(
            readings_table(readings),
            levels_table(readings, percents),
            _rates_table(rates),
            _matrices_table(results, percents),
        ),
        notes=(f"{undefined} tuples were left out because a measure has no value on them.",),
    )


def _rates_table(rates: Mapping[tuple[str, int], Mapping[str, Mapping[str, float]]]) -> ResultTable:
    return ResultTable(
        name="with-rates",
        title="Correlation of each measure with TPr and TNr",
        columns=("construction", "% positive", "measure", "with TPr", "with TNr"),
        rows=[
            (c, percent, name, round(rate["TPr"][name], 3), round(rate["TNr"][name], 3))
            for (c, percent), rate in rates.items()
            for name in MEASURES
        ],
        shown=False,
    )


def _matrices_table(results: Results, percents: Sequence[int]) -> ResultTable:
    return ResultTable(
        name="correlations",
        title="Correlation matrices",
        columns=("construction", "% positive", "measure", *MEASURES),
        rows=[
            (c, p, name, *(round(v, 4) for v in results[f"{c}-{p}"]["correlations"][i]))
            for c in CONSTRUCTIONS
            for p in percents
            for i, name in enumerate(MEASURES)
        ],
        shown=False,
    )


def draw_matrices(tables: Mapping[str, ResultTable]) -> Any:
    rows = [row for row in tables["correlations"].rows if row[0] == "even"]
    percents = list(dict.fromkeys(row[1] for row in rows))
    figure, axes = new_figure(4.2 * len(percents), 4.6, 1, len(percents))
    for ax, percent in zip(axes[0], percents, strict=True):
        shades = [[v if v is not None else np.nan for v in row[3:]] for row in rows if row[1] == percent]
        image = ax.imshow(shades, cmap="RdBu", vmin=-1, vmax=1)
        ax.set_xticks(range(len(MEASURES)), MEASURES, rotation=90)
        ax.set_yticks(range(len(MEASURES)), MEASURES)
        ax.set_title(f"{percent}% positive")
    figure.colorbar(image, ax=list(axes[0]), shrink=0.7, label="correlation")
    return figure


STUDY = Study(
    name="garcia2012-correlation",
    paper="garcia2012",
    title="Correlations of thirteen measures over perturbed probabilities",
    reproduces=(
        "Section 3.1: five collections of 130 tuples, one for each level of imbalance, and the three findings"
        " read off their correlation matrices."
    ),
    method=(
        "The paper does not say how the true probabilities are assigned nor how long a tuple is."
        " Four readings are shown side by side, none preferred: "
        + "; ".join(f"{name}: {words}" for name, words in CONSTRUCTIONS.items())
        + ".",
        (
            "Ranked differs from the others: its decision threshold lies close to 1, so every"
            " distortion moves positives below it and few negatives above it; TPr falls and TNr"
            " hardly changes."
        ),
        (
            "Each true probability p is replaced by a uniform random number from [max(0, p - e),"
            " min(1, p + e)], e by class, for the 13 pairs (0.6, 0) ... (0, 0.6)."
        ),
        (
            "AUC is that of the single operating point, as the paper's section 2 has it; wAUC is taken over"
            " the whole ROC curve with rho = 0.10 and ten strips; cwA has w = 0.75."
        ),
        (
            f"A correlation of size {STRONG} or more counts as strong. A finding holds for a reading when it"
            " does at all five levels; it is reproduced when it holds for every reading, not reproduced when"
            " for none, and not decided where readings disagree."
        ),
    ),
    parameters={
        "percents": [5, 10, 15, 20, 25],
        "size": 1000,
        "tuples": 10,
        "rho": 0.1,
        "strips": 10,
        "weight": 0.75,
    },
    quick={"size": 200, "tuples": 3},
    choices=(
        Choice("A correlation of size 0.7 or more counts as strong.", "not recorded"),
        Choice("cwA has w = 0.75, wAUC ten strips.", "not recorded"),
        Choice(
            "The four readings of the true tuple are shown side by side and have to agree. An"
            " earlier version used the reading even alone.",
            "after results were seen",
        ),
        Choice(
            "The construction near was added after the results of the other three were seen.",
            "after results were seen",
        ),
    ),
    steps=steps,
    conclude=conclude,
    pictures={
        "correlations": (
            (
                "Pearson correlations between the thirteen measures at 5% to 25% positives, for the"
                ' reading "even" (one of four)'
            ),
            draw_matrices,
        )
    },
)
