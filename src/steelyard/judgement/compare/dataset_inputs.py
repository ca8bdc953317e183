"""Read results over many data sets: a long table, a folder of files, matrices, or printed scores."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import in_order, is_missing
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare.dataset_scores import ScoredTest, number_of, read_scored_tests
from steelyard.judgement.compare.inputs import model_columns, paths_of, refuse_few_models
from steelyard.judgement.compare.options import Options
from steelyard.reading.column_names import (
    PREDICTION_NAMES,
    TRUTH_NAMES,
    candidate_columns,
    find_column,
    refuse_truth_as_prediction,
    truth_among,
    unnamed,
)
from steelyard.reading.counting import combinations
from steelyard.reading.engines import open_table
from steelyard.reading.joint_counts import joint_of_rows, named_columns
from steelyard.reading.table import Column, Table

Array = NDArray[Any]
Kind = Literal["predictions", "matrices", "scores", "row_scores"]
CELLS = ("tp", "fn", "fp", "tn")
COUNT_NAMES = ("count", "counts", "n", "rows")
MODEL_NAMES = ("model", "classifier", "learner", "method", "algorithm")
SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson")


@dataclass
class TestSet:
    """One test of several models on a data set: one seed, all folds together."""

    matrices: dict[str, Confusion] = field(default_factory=dict)
    joint: JointCounts | None = None
    """How predictions of the models go together; None where only their matrices are known."""


@dataclass
class Results:
    """Results of models on data sets: test sets (one for each seed), or scores where only these are known."""

    kind: Kind
    models: tuple[str, ...]
    tests: dict[str, list[TestSet]] = field(default_factory=dict)
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    scored: dict[str, list[ScoredTest]] = field(default_factory=dict)
    """Scores row by row, a test for each seed."""
    left_out: int = 0
    """Rows that lack a label."""
    seeds: int | None = None

    @property
    def datasets(self) -> tuple[str, ...]:
        return tuple(self.scores or self.scored or self.tests)

    def lacks(self, dataset: str, model: str) -> bool:
        """Is a model missing in a test of the data set?"""
        if self.kind == "row_scores":
            return any(model not in test.scores for test in self.scored[dataset])
        return self.kind == "scores" or any(model not in test.matrices for test in self.tests[dataset])


def is_many_datasets(options: Options) -> bool:
    """Was a column of data sets named, a folder, or a mapping of data sets to models?"""
    source = options.predictions
    paths = paths_of(source)
    if isinstance(source, Mapping):
        return bool(source) and all(isinstance(models, Mapping) for models in source.values())
    return options.dataset is not None or (paths is not None and len(paths) == 1 and Path(paths[0]).is_dir())


def read_results(options: Options) -> Results:
    """The results that were given, whichever form they have."""
    source, paths = options.predictions, paths_of(options.predictions)
    files = None if paths is None else _files_of(paths)
    if options.scores is not None:
        return _of_row_scores(files or [source if paths is None else paths[0]], options)
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if files is not None:
        return _of_files(files, options)
    table = open_table(source if paths is None else paths[0], options.engine, options.spark_master)
    with closing(table):
        find_column(options.dataset, table.names, "column", "")
        for column in (_seed(options), options.folds):
            if column is not None:
                find_column(column, table.names, "column", "")
        if options.pred is not None:
            models = model_columns(options.pred)
            refuse_few_models(len(models))
            results = Results("predictions", tuple(models))
            results.seeds = _of_predictions(results, table, models, options) or None
            return results
        lowered = {name.casefold(): name for name in table.names}
        if set(CELLS) <= set(lowered):
            return _of_cells(table, options, lowered)
        if (columns := _count_columns(table, options)) is not None:
            return _of_counts(_rows(table, [*_keys(table, options), *columns]), options)
        numbers = _numeric(table, options)
        usual_truth = any(name.casefold() in TRUTH_NAMES for name in table.names)
        if options.y_true is None and not usual_truth and numbers:
            return _of_scores(table, options, numbers)
    named = source if paths is None else paths[0]
    truth = options.y_true if isinstance(options.y_true, str) else None
    what = "a comparison needs the predictions of models"
    raise unnamed(named, "models", what, truth=truth) or InputError(
        what, found="none", do=f"name them with {parameter('pred')}"
    )


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


def _of_row_scores(sources: list[Any], options: Options) -> Results:
    """Scores of each model row by row: a long table with a column of data sets, or a file for each."""
    if options.pred is not None or isinstance(sources[0], Mapping):
        raise InputError(
            "models are compared over data sets by their labels or by their scores",
            found=f"{parameter('scores')} with "
            + ("a mapping" if options.pred is None else parameter("pred")),
            do="leave one of them out, or name the columns of a file or a frame",
            parameter="scores",
        )
    listed = [options.scores] if isinstance(options.scores, str) else options.scores
    models = dict(listed) if isinstance(listed, Mapping) else named_columns(listed, [""])
    refuse_few_models(len(models))
    seed, results = _seed(options), Results("row_scores", tuple(models))
    seeds: set[str] = set()
    for one in sources:
        is_file = isinstance(one, Path)
        with closing(open_table(str(one) if is_file else one, options.engine, options.spark_master)) as table:
            column = None if is_file else options.dataset
            tests, left_out = read_scored_tests(table, models, options, column, seed)
        results.left_out += left_out
        for (dataset, number), test in sorted(tests.items()):
            results.scored.setdefault(one.stem if is_file else dataset, []).append(test)
            seeds.add(number)
    results.seeds = len(seeds) if seed else None
    return results


def _seed(options: Options) -> str | None:
    return options.seed if isinstance(options.seed, str) else None


def _of_predictions(
    results: Results, table: Table, models: Mapping[str, str], options: Options, dataset: str | None = None
) -> int:
    """Add the tests of a long table, or of a file that is one data set; returns how many seeds there are."""
    named = [str(options.dataset)] if dataset is None else []
    truth = truth_among(table.names, options.y_true, [*models.values(), *named])
    refuse_truth_as_prediction(truth, models.values())
    keys = [*named, *([seed] if (seed := _seed(options)) else [])]
    groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for row in combinations(table, [*keys, truth, *models.values()]):
        lacking = [name for name, value in zip(keys, row, strict=False) if is_missing(value)]
        if lacking:
            found = f"{row[-1]:,} rows without one"
            raise InputError(
                f"column {lacking[0]!r} has missing values", found=found, allowed="a value in every row"
            )
        groups[row[: len(keys)]].append(row[len(keys) :])
    for key in sorted(groups, key=_in_order):
        name = str(key[0]) if dataset is None else dataset
        test, left_out = _test_set(groups[key], truth, list(models), options, name, table.holds_text)
        results.tests.setdefault(name, []).append(test)
        results.left_out += left_out
    return len({key[-1] for key in groups}) if seed else 0


def _in_order(key: tuple[Any, ...]) -> tuple[tuple[bool, float, str], ...]:
    """Numbers by value, then text."""
    return tuple(
        (False, float(one), "") if isinstance(one, (int, float)) else (True, 0.0, str(one)) for one in key
    )


def _test_set(
    rows: list[tuple[Any, ...]], truth: str, models: list[str], options: Options, dataset: str, text: bool
) -> tuple[TestSet, int]:
    """The joint counts of one data set and seed; a model without any prediction there is missing."""
    present = [k for k in range(len(models)) if not all(is_missing(row[1 + k]) for row in rows)]
    names = [models[k] for k in present]
    added: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in rows:
        added[(row[0], *(row[1 + k] for k in present))] += row[-1]
    if not names:
        return TestSet(), 0
    try:
        joint = joint_of_rows(
            [(*key, number) for key, number in added.items()],
            truth,
            names,
            None,
            text=text,
            missing=options.missing,
        )
    except InputError as error:
        error.what = f"data set {dataset!r}: {error.what}"
        error.args = (error.message(),)
        raise
    matrices = {name: joint.matrix(k) for k, name in enumerate(names)}
    return TestSet(matrices, joint), joint.left_out


def _of_files(files: Sequence[Path], options: Options) -> Results:
    """A file for each data set, named after it, with a column of predictions for each model."""
    results = Results("predictions", ())
    models = model_columns(options.pred)
    for path in files:
        with closing(open_table(str(path), options.engine, options.spark_master)) as table:
            if not models:
                others = (options.folds, _seed(options))
                found = candidate_columns(str(path), options.y_true).predictions
                models = {name: name for name in found if name not in others}
                refuse_few_models(len(models))
            columns = {model: column for model, column in models.items() if column in table.names}
            seeds = _of_predictions(results, table, columns, options, path.stem)
            results.seeds = max(results.seeds or 0, seeds) if _seed(options) else None
    results.models = tuple(models)
    return results


def _of_mapping(source: Mapping[Any, Mapping[Any, Any]]) -> Results:
    """Data sets to models to matrices, or to scores."""
    models = tuple(dict.fromkeys(str(model) for row in source.values() for model in row))
    refuse_few_models(len(models))
    if all(
        np.ndim(value) == 0 and not isinstance(value, Confusion)
        for row in source.values()
        for value in row.values()
    ):
        scores = {str(d): {str(m): number_of(v) for m, v in row.items()} for d, row in source.items()}
        return Results("scores", models, scores=scores)
    results = Results("matrices", models)
    for dataset, row in source.items():
        matrices = {str(m): v if isinstance(v, Confusion) else Confusion(v) for m, v in row.items()}
        results.tests[str(dataset)] = [TestSet(matrices)]
    return results


def _of_cells(table: Table, options: Options, lowered: Mapping[str, str]) -> Results:
    """A table of two-class matrices: data set, model, tp, fn, fp, tn."""
    if _model_column(table, options) is None:
        allowed = f"one called {', '.join(MODEL_NAMES)}"
        found = ", ".join(table.names)
        raise InputError("a table of matrices needs a column of models", found=found, allowed=allowed)
    places = list(itertools.product(("positive", "negative"), repeat=2))
    rows = (
        (*row[:-4], *place, count)
        for row in _rows(table, [*_keys(table, options), *(lowered[cell] for cell in CELLS)])
        for place, count in zip(places, row[-4:], strict=True)
    )
    return _of_counts(rows, options)


def _keys(table: Table, options: Options) -> list[str]:
    seed = _seed(options)
    return [str(options.dataset), str(_model_column(table, options)), *([seed] if seed else [])]


def _count_columns(table: Table, options: Options) -> list[str] | None:
    """The columns of true class, predicted class and count, if the table lists matrices cell by cell."""
    model = _model_column(table, options)
    names = [name for name in table.names if name not in (model, options.dataset, _seed(options))]
    count = next((name for name in names if name.casefold() in COUNT_NAMES), None)
    truth = next((name for name in names if name == options.y_true or name.casefold() in TRUTH_NAMES), None)
    pred = next((name for name in names if name.casefold() in PREDICTION_NAMES and name != truth), None)
    return None if None in (model, count, truth, pred) else [str(name) for name in (truth, pred, count)]


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
        found = list(classes[dataset])
        labels = found if set(found) == {"positive", "negative"} else in_order(found)
        matrices = {
            name: Confusion([[cells.get((a, b), 0) for b in labels] for a in labels], labels)
            for name, cells in models.items()
        }
        results.tests.setdefault(dataset, []).append(TestSet(matrices))
    results.seeds = len({key[1] for key in grouped}) if seed else None
    return results


def _model_column(table: Table, options: Options) -> str | None:
    named = [name for name in table.names if name.casefold() in MODEL_NAMES and name != options.dataset]
    return named[0] if named else None


def _numeric(table: Table, options: Options) -> list[str]:
    """The columns that hold numbers, apart from data sets, seeds, folds and models."""
    others = {options.dataset, _seed(options), options.folds, _model_column(table, options)}
    names = [name for name in table.names if name not in others]
    if not names:
        return []
    rows = _rows(table, names)
    try:
        for row in rows:
            for value in row:
                number_of(value)
    except InputError:
        return []
    return names


def _rows(table: Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The values of every row; tables of results are small."""
    return [row[:-1] for row in table.groups([Column(name) for name in names]) for _ in range(int(row[-1]))]


def _of_scores(table: Table, options: Options, numbers: list[str]) -> Results:
    """Printed scores: a column for each model, or columns of models and of one score; repeated rows of a data
    set (seeds, folds) are averaged."""
    model = _model_column(table, options)
    keys = [str(options.dataset), *([model] if model else [])]
    columns = list(zip(*_rows(table, [*keys, *numbers]), strict=True))
    datasets = sorted(map(str, columns[0]))
    if model is not None and len(numbers) != 1:
        raise InputError(
            "one column of scores belongs to a column of models",
            found=f"{', '.join(numbers)} beside {model!r}",
            do="leave out the other columns, or give a column for each model",
        )
    cells: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in dict.fromkeys(datasets)}
    if model is None:
        refuse_few_models(len(numbers))
        for name, column in zip(numbers, columns[1:], strict=True):
            for dataset, value in zip(columns[0], column, strict=True):
                cells[str(dataset)][name].append(number_of(value))
    else:
        for dataset, name, value in zip(*columns, strict=True):
            cells[str(dataset)][str(name)].append(number_of(value))
    models = tuple(dict.fromkeys(name for row in cells.values() for name in row))
    refuse_few_models(len(models))
    repeats = {len(values) for row in cells.values() for values in row.values()}
    if repeats != {1} and _seed(options) is None and options.folds is None:
        raise InputError(
            "a data set has several scores of one model",
            found=f"up to {max(repeats)}",
            do=f"name the column of seeds with {parameter('seed')} or of folds with {parameter('folds')}",
        )
    scores = {d: {m: float(np.mean(v)) for m, v in row.items()} for d, row in cells.items()}
    return Results("scores", models, scores=scores, seeds=max(repeats) if _seed(options) else None)
