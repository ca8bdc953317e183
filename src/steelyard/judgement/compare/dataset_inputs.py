"""Read results over many data sets: a long table, a folder of files, matrices, or printed scores."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import in_order, is_missing
from steelyard.counts.score_columns import rows_of_positive
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare.dataset_tests import CountedTest, DatasetTest, ScoredTest
from steelyard.judgement.compare.inputs import model_columns, no_models, paths_of, refuse_few_models
from steelyard.judgement.compare.options import Options
from steelyard.reading.column_names import (
    PREDICTION_NAMES,
    TRUTH_NAMES,
    candidate_columns,
    find_column,
    refuse_truth_as_prediction,
    truth_among,
)
from steelyard.reading.counting import combinations
from steelyard.reading.engines import open_table
from steelyard.reading.files import FORMATS
from steelyard.reading.joint_counts import joint_of_rows
from steelyard.reading.table import Column, Table

Kind = Literal["predictions", "matrices", "scores", "row_scores"]
# Column names that make a table one of confusion matrices; any case is accepted.
CELLS = ("tp", "fn", "fp", "tn")
COUNT_NAMES = ("count", "counts", "n", "rows")
# What tables of results call the column of models.
MODEL_NAMES = ("model", "classifier", "learner", "method", "algorithm")
# A text file in a folder of results may be a note.
SUFFIXES = tuple(suffix for suffix in FORMATS if suffix != ".txt")


@dataclass
class Results:
    """Results of models on data sets, a test for each seed."""

    kind: Kind
    models: tuple[str, ...]
    tests: dict[str, list[DatasetTest]] = field(default_factory=dict)
    left_out: int = 0
    """Rows that lack a label or a score."""
    seeds: int | None = None

    @property
    def datasets(self) -> tuple[str, ...]:
        return tuple(self.tests)


def is_many_datasets(options: Options) -> bool:
    """Was a column of data sets named, a folder, or a mapping of data sets to models?"""
    source = options.predictions
    paths = paths_of(source)
    if isinstance(source, Mapping):
        return bool(source) and all(isinstance(models, Mapping) for models in source.values())
    return options.dataset is not None or (paths is not None and len(paths) == 1 and Path(paths[0]).is_dir())


def read_results(options: Options) -> Results:
    """The results that were given, whichever form they have."""
    if isinstance(options.predictions, Mapping) and options.scores is None:
        return _of_mapping(options.predictions)
    paths = paths_of(options.predictions)
    files = None if paths is None else _files_of(paths)
    if files is not None or options.scores is not None or options.pred is not None:
        return _of_rows(files, options)
    with closing(_open(options)) as table:
        return _of_table(table, options)


def _open(options: Options, path: Path | None = None) -> Table:
    """The table in a file; without one the only table that was given, which has the columns named."""
    paths = [str(path)] if path is not None else paths_of(options.predictions)
    source = options.predictions if paths is None else paths[0]
    table = open_table(source, options.engine, options.spark_master)
    for column in (options.dataset, _seed(options), options.folds) if path is None else ():
        if column is not None:
            find_column(column, table.names)
    return table


def _files_of(paths: list[str]) -> list[Path] | None:
    """The files, one for each data set, of a folder or of several paths; None for one file."""
    if len(paths) > 1:
        return [Path(path) for path in paths]
    if not Path(paths[0]).is_dir():
        return None
    files = sorted(path for path in Path(paths[0]).iterdir() if path.suffix.lower() in SUFFIXES)
    if not files:
        allowed = f"files that end in {', '.join(SUFFIXES)}"
        raise InputError("the folder holds no predictions", found=paths[0], allowed=allowed)
    return files


def _seed(options: Options) -> str | None:
    return options.seed if isinstance(options.seed, str) else None


def _of_rows(files: Sequence[Path] | None, options: Options) -> Results:
    """Predictions or scores row by row: a long table with a column of data sets, or a file for each, named
    after its data set."""
    scored = options.scores is not None
    if scored and (options.pred is not None or isinstance(options.predictions, Mapping)):
        beside = "a mapping" if options.pred is None else parameter("pred")
        raise InputError(
            "models are compared over data sets by their labels or by their scores",
            found=f"{parameter('scores')} with {beside}",
            do="leave one of them out, or name the columns of a file or a frame",
            parameter="scores",
        )
    models: dict[str, str] = {}
    results = Results("row_scores" if scored else "predictions", ())
    seeds: set[Any] = set()
    paths: Sequence[Path | None] = files or [None]
    for path in paths:
        with closing(_open(options, path)) as table:
            models = models or model_columns(options.scores if scored else options.pred, table.names)
            if not models:
                candidates = candidate_columns(str(path), options.y_true).predictions
                models = {m: m for m in candidates if m not in (options.folds, _seed(options))}
            refuse_few_models(len(models))
            # A model may be missing in the file of a data set.
            columns = models if path is None else {m: c for m, c in models.items() if c in table.names}
            seeds |= _add_tests(results, table, columns, options, None if path is None else path.stem)
    results.models, results.seeds = tuple(models), len(seeds) if _seed(options) else None
    return results


def _add_tests(
    results: Results, table: Table, models: Mapping[str, str], options: Options, dataset: str | None
) -> set[Any]:
    """Add the tests of a long table, or of a file that is one data set; returns its seeds."""
    seed = _seed(options)
    keys = [key for key in (options.dataset if dataset is None else None, seed) if key is not None]
    truth = truth_among(table.names, options.y_true, [*models.values(), *keys])
    refuse_truth_as_prediction(truth, models.values())
    names = [*keys, truth, *models.values()]
    for name in names:
        find_column(name, table.names)
    # `combinations` refuses columns of many values, as those of scores are.
    rows = table.groups(list(map(Column, names))) if options.scores else combinations(table, names)
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        if lacking := [name for name, value in zip(keys, row, strict=False) if is_missing(value)]:
            number = f"{int(row[-1]):,} rows without one"
            what = f"column {lacking[0]!r} has missing values"
            raise InputError(what, found=number, allowed="a value in every row")
        groups[row[: len(keys)]].append(row[len(keys) :])

    def in_order(key: tuple[Any, ...]) -> list[tuple[bool, float, str]]:
        """Numbers by value, then text."""
        return [(False, float(k), "") if isinstance(k, (int, float)) else (True, 0.0, str(k)) for k in key]

    for key in sorted(groups, key=in_order):
        name = str(key[0]) if dataset is None else dataset
        if options.scores:
            test, left_out = _scored_test(groups[key], list(models.items()), options, name)
        else:
            test, left_out = _counted_test(groups[key], truth, list(models), options, name, table.holds_text)
        results.tests.setdefault(name, []).append(test)
        results.left_out += left_out
    return {key[-1] for key in groups if seed}


def _counted_test(
    rows: list[tuple[Any, ...]], truth: str, models: list[str], options: Options, dataset: str, text: bool
) -> tuple[DatasetTest, int]:
    """The joint counts of one data set and seed; a model without any prediction there is missing."""
    present = [k for k in range(len(models)) if not all(is_missing(row[1 + k]) for row in rows)]
    names = [models[k] for k in present]
    if not names:
        return CountedTest(), 0
    added: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        added[(row[0], *(row[1 + k] for k in present))] += row[-1]
    counted = [(*key, number) for key, number in added.items()]
    try:
        joint = joint_of_rows(counted, truth, names, None, text=text, missing=options.missing)
    except InputError as error:
        error.what = f"data set {dataset!r}: {error.what}"
        error.args = (error.message(),)
        raise
    matrices = {name: joint.matrix(k) for k, name in enumerate(names)}
    return CountedTest(matrices, joint), joint.left_out


def _scored_test(
    rows: list[tuple[Any, ...]], models: list[tuple[str, str]], options: Options, dataset: str
) -> tuple[DatasetTest, int]:
    """The scores of one data set and seed; a model without any score there is missing."""
    (truths, *scores), times = list(zip(*rows, strict=True))[:-1], [int(row[-1]) for row in rows]
    # Rows of the same class and scores come once, with their number.
    repeated = np.repeat(np.arange(len(rows)), times)
    classes = np.array(truths, dtype=object)[repeated]
    present = {}
    for (model, name), values in zip(models, scores, strict=True):
        column = np.array([number_of(value, name) for value in values])[repeated]
        if not np.isnan(column).all():
            present[model] = column
    unlabelled = np.array([is_missing(label) for label in classes])
    lacking = np.logical_or.reduce([unlabelled, *map(np.isnan, present.values())])
    if lacking.any() and options.missing != "drop":
        raise InputError(
            f"data set {dataset!r} lacks labels or scores",
            found=f"{int(lacking.sum()):,} rows without one",
            allowed="a label, and a score of every model that has any on the data set",
            do=f"leave those rows out for all models with {parameter('missing', 'drop')}",
        )
    classes = classes[~lacking]
    counts = ScoreCounts.from_scores(classes.tolist(), np.zeros(len(classes)), options.positive)
    mine = rows_of_positive(classes, counts.positive_class().label)
    return ScoredTest({m: c[~lacking] for m, c in present.items()}, mine), int(lacking.sum())


def number_of(value: Any, column: str = "") -> float:
    """A score; NaN where it is missing."""
    try:
        return math.nan if is_missing(value) else float(value)
    except (TypeError, ValueError) as error:
        beside = f" in column {column!r}" if column else ""
        raise InputError("a score is not a number", found=f"{value!r}{beside}", allowed="numbers") from error


def _of_mapping(source: Mapping[Any, Mapping[Any, Any]]) -> Results:
    """Data sets to models to matrices, or to scores."""
    models = tuple(dict.fromkeys(str(model) for row in source.values() for model in row))
    refuse_few_models(len(models))
    cells = [value for row in source.values() for value in row.values()]
    printed = all(np.ndim(value) == 0 and not isinstance(value, Confusion) for value in cells)
    results = Results("scores" if printed else "matrices", models)
    for dataset, row in source.items():
        named = {str(model): number_of(v) if printed else Confusion(v) for model, v in row.items()}
        results.tests[str(dataset)] = [(DatasetTest if printed else CountedTest)(named)]
    return results


def _of_table(table: Table, options: Options) -> Results:
    """Matrices, two-class ones (tp, fn, fp, tn) or cell by cell, or printed scores."""
    seed, dataset = _seed(options), str(options.dataset)
    model = next((m for m in table.names if m.casefold() in MODEL_NAMES and m != dataset), None)
    keys = [dataset, *([model] if model else []), *([seed] if seed else [])]
    lowered = {name.casefold(): name for name in table.names}
    names = [name for name in table.names if name not in keys]
    if set(CELLS) <= set(lowered):
        if model is None:
            allowed = f"one called {', '.join(MODEL_NAMES)}"
            columns = ", ".join(table.names)
            raise InputError("a table of matrices needs a column of models", found=columns, allowed=allowed)
        places = list(itertools.product(("positive", "negative"), repeat=2))
        rows = (
            (*row[:-4], *place, count)
            for row in _rows(table, [*keys, *(lowered[cell] for cell in CELLS)])
            for place, count in zip(places, row[-4:], strict=True)
        )
        return _of_counts(rows, options)
    count = next((name for name in names if name.casefold() in COUNT_NAMES), None)
    truth = next((name for name in names if name == options.y_true or name.casefold() in TRUTH_NAMES), None)
    pred = next((name for name in names if name.casefold() in PREDICTION_NAMES and name != truth), None)
    if model and count and truth and pred:
        return _of_counts(_rows(table, [*keys, truth, pred, count]), options)
    numbers = [name for name in names if name != options.folds]
    if not numbers or options.y_true is not None or set(TRUTH_NAMES) & set(lowered):
        raise no_models(options)
    return _of_scores(table, options, model, numbers)


def _of_counts(rows: Iterable[tuple[Any, ...]], options: Options) -> Results:
    """Matrices of any size from rows of data set, model, seed, true class, predicted class and count."""
    grouped: dict[tuple[str, str], dict[str, dict[tuple[Any, Any], int]]] = {}
    classes: dict[str, dict[Any, None]] = defaultdict(dict)
    seed = _seed(options)
    for row in rows:
        dataset, name, (truth, predicted, count) = str(row[0]), str(row[1]), row[-3:]
        number = number_of(count)
        key = (dataset, str(row[2]) if seed else "")
        cells = grouped.setdefault(key, {}).setdefault(name, {})
        again = (truth, predicted) in cells
        if not math.isfinite(number) or number < 0 or number != int(number) or again:
            raise InputError(
                "a table of matrices has one count for each cell",
                found=f"{name} on {dataset} twice" if again else f"{count!r} for {name} on {dataset}",
                allowed="whole numbers >= 0, each cell once",
                do=f"name the column of seeds with {parameter('seed')}, or add the matrices up"
                if again
                else "",
            )
        cells[truth, predicted] = int(number)
        classes[dataset] |= dict.fromkeys((truth, predicted))
    results = Results("matrices", tuple(dict.fromkeys(m for models in grouped.values() for m in models)))
    refuse_few_models(len(results.models))
    for (dataset, _), models in grouped.items():
        seen = list(classes[dataset])
        labels = seen if set(seen) == {"positive", "negative"} else in_order(seen)
        matrices = {
            name: Confusion([[cells.get((a, b), 0) for b in labels] for a in labels], labels)
            for name, cells in models.items()
        }
        results.tests.setdefault(dataset, []).append(CountedTest(matrices))
    results.seeds = len({key[1] for key in grouped}) if seed else None
    return results


def _rows(table: Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The values of every row; tables of results are small."""
    return [row[:-1] for row in table.groups([Column(name) for name in names]) for _ in range(int(row[-1]))]


def _of_scores(table: Table, options: Options, model: str | None, numbers: list[str]) -> Results:
    """Printed scores: a column for each model, or columns of models and of one score; repeated rows of a data
    set (seeds, folds) are averaged."""
    first = [str(options.dataset), *([model] if model else [])]
    rows = _rows(table, [*first, *numbers])
    try:
        rows = [(*row[: len(first)], *map(number_of, row[len(first) :])) for row in rows]
    except InputError:
        raise no_models(options) from None
    if model is not None and len(numbers) != 1:
        raise InputError(
            "one column of scores belongs to a column of models",
            found=f"{', '.join(numbers)} beside {model!r}",
            do="leave out the other columns, or give a column for each model",
        )
    if model is None:
        rows = [(dataset, *cell) for dataset, *row in rows for cell in zip(numbers, row, strict=True)]
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for dataset, name, value in sorted(rows, key=lambda row: str(row[0])):
        cells[str(dataset)][str(name)].append(value)
    models = tuple(dict.fromkeys(name for row in cells.values() for name in row))
    refuse_few_models(len(models))
    repeats = {len(values) for row in cells.values() for values in row.values()}
    if repeats != {1} and _seed(options) is None and options.folds is None:
        raise InputError(
            "a data set has several scores of one model",
            found=f"up to {max(repeats)}",
            do=f"name the column of seeds with {parameter('seed')} or of folds with {parameter('folds')}",
        )
    means = {d: {m: float(np.mean(v)) for m, v in row.items()} for d, row in cells.items()}
    tests: dict[str, list[DatasetTest]] = {dataset: [DatasetTest(row)] for dataset, row in means.items()}
    return Results("scores", models, tests, seeds=max(repeats) if _seed(options) else None)
