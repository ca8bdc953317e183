"""Audit sample: choose the rows of an unlabelled pool that are worth labelling."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.labels import Array, is_missing
from steelyard.counts.libraries import is_frame
from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import metric_of_class
from steelyard.judgement.evaluate.costs import costs_of_one
from steelyard.judgement.evaluate.inputs import called
from steelyard.judgement.sample import design
from steelyard.judgement.sample.design import Aim, Strata, half_widths
from steelyard.judgement.sample.options import COLUMNS, POOL_ROW, SIZE, STRATUM, Options
from steelyard.judgement.sample.result import Expected, Sample, Stratum
from steelyard.measures.catalogue import measure as find_measure
from steelyard.measures.costs import expected_cost_of
from steelyard.measures.measure import Measure
from steelyard.parameters import public_function
from steelyard.reading.column_names import find_column
from steelyard.reading.cost_input import parse_costs
from steelyard.reading.engines import opened
from steelyard.reading.table import Column, Number, Table

# Strata cross the predictions of all models: 2^5 of them leave few labels for each.
MOST_MODELS = 5
# Labels of the sample that tells how many a half-width needs.
FIRST_TRIED = 500
# Without scores: what is assumed of predictions, to share out the labels.
_ASSUMED_PRECISION, _ASSUMED_RECALL = 0.5, 0.8
BY_SCORES = (
    "planned as if 90% of the positives were distributed as the scores say and 10% at random; the interval"
    " computed after labelling does not assume this"
)
BY_PREDICTIONS = (
    "planned as if precision were near 50% and recall near 80%; the interval computed after labelling does"
    " not assume this"
)


@public_function(Options)
def sample(options: Options) -> Sample:
    """Choose the rows of an unlabelled pool that are worth labelling, and say what the labels will buy.

    `data` is a file or a frame with the predictions (`pred`) or probabilities (`score`) of one or several
    models. The result holds the rows to label with their stratum, its size and the inclusion probability
    (`to_csv()`); with a column of true labels added, `steelyard.evaluate` recognises such rows.

    >>> import steelyard as sy
    >>> import pandas as pd
    >>> pool = pd.DataFrame({"p": [k / 1000 for k in range(1000)]})
    >>> chosen = sy.sample(pool, 60, score="p", positive="fraud", metric="recall")
    >>> len(chosen.chosen), sum(stratum.labels for stratum in chosen.strata)
    (60, 60)
    """
    if options.data is None or (options.labels is None and options.half_width is None):
        missing = "pool" if options.data is None else "number of labels"
        file = "a file and " if options.data is None else ""
        raise InputError(
            f"a sample needs a {missing}",
            found="none",
            do=f"give {file}{parameter('labels', '500')}, or {parameter('half_width', '0.05')}",
        )
    metric, classes = _metric(options)
    result = _sampled(options, metric, classes)
    if options.labels is None and result.needed is not None and result.needed != result.labels:
        # The first sample tells how many labels the half-width needs; this one has as many.
        labels = min(result.needed, result.rows) - (result.labels - result.new_labels)
        result = _sampled(replace(options, labels=max(labels, 1)), metric, classes)
        result = replace(result, needed=result.labels)
    return result


def _sampled(options: Options, metric: Measure, classes: tuple[str, str]) -> Sample:
    """A stratified sample of the pool, with what its labels will buy beside simple random sampling."""
    level, seed = options.level, options.seed
    with _opened(options.data, "a pool") as pool:
        earlier = None if options.earlier is None else _earlier(options.earlier)
        if added := [name for name in COLUMNS if name in pool.names]:
            what = "the pool already has a column that a sample adds"
            do = f"rename it, or top up an earlier sample with {parameter('earlier')}"
            raise InputError(what, found=", ".join(added), do=do)
        aim = _aim(pool, options, metric, classes)
        rows = len(aim.probabilities)
        unlabelled = rows - (0 if earlier is None else len(earlier.numbers))
        labels = min(FIRST_TRIED, unlabelled) if options.labels is None else options.labels
        if labels > unlabelled:
            raise InputError(
                "the pool has fewer rows than are to be labelled",
                found=f"{labels:,} of {unlabelled:,} unlabelled rows",
                do="label fewer, or all of them",
                parameter="labels",
            )
        available = np.ones(rows, dtype=bool)
        if earlier is None:
            strata = design.designed(aim, labels)
            new_labels = strata.labels
        else:
            # The strata stay: new ones would need the inclusion probabilities of both phases together.
            strata = _again(earlier, aim, pool, labels)
            new_labels = strata.labels - np.bincount(earlier.strata, minlength=len(strata.sizes))
            available[earlier.numbers] = False
        random = np.random.default_rng(seed)
        drawn = [
            random.choice(np.flatnonzero(available & (strata.of_rows == h)), new, replace=False)
            for h, new in enumerate(new_labels)
        ]
        chosen = np.sort(np.concatenate(drawn))
        names, table = _table(pool, chosen, strata, earlier)
    labels, half_width = int(strata.labels.sum()), options.half_width
    widths = half_widths(aim, labels, level, seed, strata)
    if not np.isfinite(widths).all():
        raise InputError(
            f"an interval of {metric.name} cannot be expected",
            found="simulated samples in which it is undefined or infinite",
            do="choose another metric, such as recall or precision",
            parameter="metric",
        )
    at_random = half_widths(aim, labels, level, seed)

    def needed(wanted: float, width: float, random: bool) -> int:
        return design.labels_needed(aim, wanted, level, seed, (labels, width), random)

    labels_of_design = labels_at_random = None
    if half_width is not None:
        labels_of_design = needed(half_width, widths[0], False)
        labels_at_random = max(needed(half_width, at_random[0], True), labels_of_design)
    return Sample(
        pool=called(options.data),
        rows=rows,
        labels=labels,
        new_labels=len(chosen),
        positive=classes[0],
        measure=metric,
        level=level,
        seed=seed,
        models=aim.models,
        threshold=None if options.pred else options.threshold,
        assumed=BY_SCORES if options.score else BY_PREDICTIONS,
        implied_share=float(np.mean(aim.probabilities)) if options.score else None,
        expected=tuple(map(Expected, aim.quantities, widths, at_random)),
        half_width=half_width,
        needed=labels_of_design,
        needed_random=labels_at_random,
        strata=_described(strata, aim),
        chosen=tuple(int(n) for n in chosen),
        columns=names,
        table_rows=table,
        random_labels=max(needed(widths[0], at_random[0], True), labels),
    )


def _metric(options: Options) -> tuple[Measure, tuple[str, str]]:
    """The metric, the positive class and the other one."""
    name, positive = "recall" if options.metric is None else options.metric, options.positive
    if options.cost is None:
        name, positive = metric_of_class(name, positive)
    chosen = find_measure(name)
    if chosen.kind == "scores":
        what = "a sample is drawn for a metric of predicted labels"
        raise InputError(what, found=chosen.name, do="choose another metric")
    if positive is None:
        do = f"name it: {parameter('positive', 'fraud')}"
        raise InputError("a sample needs the positive class", found="none", do=do, parameter="positive")
    if options.cost is None:
        return chosen, (str(positive), f"not {positive}")
    costs = parse_costs(options.cost)
    named = {label for pair in costs.by_confusion for label in pair}
    others = sorted(named - {str(positive), "*"}) or ["other"]
    if len(others) != 1 or costs.column is not None:
        allowed = f"costs such as '{positive}>other=200, other>{positive}=4'"
        what = "the cost of a sample has two classes and no column"
        raise InputError(what, found=str(options.cost), allowed=allowed)
    classes = (str(positive), others[0])
    return expected_cost_of(costs_of_one(costs, classes)), classes


def _aim(pool: Table, options: Options, metric: Measure, classes: tuple[str, str]) -> Aim:
    scores, pred = options.score, options.pred
    scores = (scores,) if isinstance(scores, str) else tuple(scores)
    pred = (pred,) if isinstance(pred, str) else tuple(pred)
    if not scores and not pred:
        do = f"name a column with {parameter('score')} or {parameter('pred')}"
        raise InputError("a sample needs scores or predictions", found="neither", do=do)
    models = pred or scores
    if len(models) > MOST_MODELS or len(set(models)) < len(models):
        allowed = f"1 to {MOST_MODELS} of them"
        raise InputError("a sample serves different models", found=", ".join(models), allowed=allowed)
    columns = [_probabilities(pool, name) for name in scores]
    if pred:
        predicted = np.stack([_is_positive(pool, name, classes[0]) for name in pred])
    else:
        predicted = np.stack([column >= options.threshold for column in columns])
    if not predicted.shape[1]:
        raise InputError("the pool has no rows", found="a header without rows", allowed="at least one row")
    if columns:
        return Aim(np.mean(columns, axis=0), predicted, metric, models, classes)
    # By predictions alone: half of what any model predicts positive is positive, and so many positives are
    # missed that recall is 80% (recall = hits / (hits + missed), solved for the missed ones).
    alerts = predicted.any(axis=0)
    missed = _ASSUMED_PRECISION * int(alerts.sum()) * (1 / _ASSUMED_RECALL - 1)
    rest = min(0.5, missed / max(int((~alerts).sum()), 1))
    return Aim(np.where(alerts, _ASSUMED_PRECISION, rest), predicted, metric, models, classes)


def _probabilities(pool: Table, name: str) -> Array:
    column = pool.columns([Number(find_column(name, pool.names))])[0]
    bad = ~((column >= 0) & (column <= 1))
    if bad.any():
        row = int(np.argmax(bad))
        value = "missing or no number" if np.isnan(column[row]) else f"{column[row]:g}"
        raise InputError(
            f"the scores in column {name!r} are not all probabilities",
            found=f"{int(bad.sum()):,} of {len(column):,}, the first in row {row + 1} ({value})",
            allowed="numbers from 0 to 1",
        )
    return column


def _is_positive(pool: Table, name: str, positive: str) -> Array:
    values = pool.columns([Column(find_column(name, pool.names))])[0].tolist()
    column = np.array(list(map(_text, values)), dtype=object)
    missing = column == ""
    if missing.any():
        raise InputError(
            f"the column {name!r} lacks predictions",
            found=f"{int(missing.sum()):,} of {len(column):,} rows, first in row {np.argmax(missing) + 1}",
            allowed="a predicted label in every row",
        )
    chosen = column == positive
    if len(column) and not chosen.any():
        values = sorted(set(column.tolist()))
        raise InputError(
            f'class "{positive}" is never predicted in column {name!r}',
            found=", ".join(values[:5]) + (", ..." if len(values) > 5 else ""),
            do="check the positive class and the column",
            parameter="positive",
        )
    return np.asarray(chosen)


def _opened(source: Any, role: str) -> AbstractContextManager[Table]:
    """The rows of a file or a frame; `role` says in an error what it is needed for."""
    if not (is_frame(source) or isinstance(source, (str, Path))):
        allowed = "a path, or a pandas, Polars or PyArrow frame"
        what = f"{role} is read from a file or a frame"
        raise InputError(what, found=type(source).__name__, allowed=allowed)
    return opened(source)


def _texts(table: Table, numbers: Sequence[int] | None = None) -> list[dict[str, str]]:
    """Whole rows as text by column, in the order of their numbers; all of them without numbers."""
    return [dict(zip(table.names, map(_text, row), strict=True)) for row in table.rows(numbers)]


def _text(value: Any) -> str:
    """A value as a CSV file writes it; a missing one is empty."""
    return "" if is_missing(value) else str(value)


@dataclass(frozen=True, eq=False)
class _Earlier:
    """An earlier sample of the same pool."""

    called: str
    names: tuple[str, ...]
    rows: list[dict[str, str]]
    #: Rows of the pool, from 0.
    numbers: Array
    strata: Array
    sizes: Array


def _earlier(source: Any) -> _Earlier:
    name = called(source)
    with _opened(source, "an earlier sample") as file:
        absent = [name for name in (POOL_ROW, STRATUM, SIZE) if name not in file.names]
        if absent:
            raise InputError(
                f"this is no sample: {name}",
                found=f"no column {', '.join(absent)}",
                allowed="a file that `steelyard sample` wrote",
                parameter="earlier",
            )
        rows = _texts(file)
        columns = file.columns([Number(column) for column in (POOL_ROW, STRATUM, SIZE)])
    if not rows or not all(np.isfinite(column).all() and (column % 1 == 0).all() for column in columns):
        raise _changed(name, f"{POOL_ROW}, {STRATUM} or {SIZE} without whole numbers")
    numbers, strata, size = (column.astype(np.int64) for column in columns)
    if len(np.unique(numbers)) < len(numbers):
        raise _changed(name, "a row of the pool twice")
    sizes = np.zeros(strata.max(), dtype=np.int64)
    sizes[strata - 1] = size
    if strata.min() < 1 or (sizes[strata - 1] != size).any() or not sizes.all():
        raise _changed(name, "strata without rows, or with two sizes")
    return _Earlier(name, file.names, rows, numbers - 1, strata - 1, sizes)


def _changed(called: str, difference: str) -> InputError:
    return InputError(
        f"the earlier sample {called} does not fit the pool",
        found=difference,
        allowed="the pool, the columns of scores and predictions and the sample as they were",
        parameter="earlier",
    )


def _again(earlier: _Earlier, aim: Aim, pool: Table, labels: int) -> Strata:
    """The strata of the earlier sample, which are consecutive rows in the order of the design, with more
    labels. Labels that are known do not move the allocation, so the sample of each stratum stays random."""
    rows = len(aim.probabilities)
    if earlier.sizes.sum() != rows or earlier.numbers.max() >= rows or earlier.numbers.min() < 0:
        raise _changed(earlier.called, f"strata of {int(earlier.sizes.sum()):,} rows for a pool of {rows:,}")
    of_rows = np.empty(rows, dtype=np.int64)
    of_rows[aim.order] = np.repeat(np.arange(len(earlier.sizes)), earlier.sizes)
    shared = [name for name in pool.names if name in earlier.names]
    by_number = np.argsort(earlier.numbers)
    rows_by_number = _texts(pool, earlier.numbers[by_number].tolist())
    for k, row in zip(by_number, rows_by_number, strict=True):
        if any(row[name] != earlier.rows[k][name] for name in shared):
            raise _changed(earlier.called, f"other values in row {earlier.numbers[k] + 1:,} of the pool")
    if (of_rows[earlier.numbers] != earlier.strata).any():
        raise _changed(earlier.called, "rows in other strata; another model, metric order or threshold")
    before = np.bincount(earlier.strata, minlength=len(earlier.sizes))
    least = np.maximum(before, np.minimum(earlier.sizes, design.FLOOR))
    deviations = np.bincount(of_rows, weights=aim.deviations)
    total = len(earlier.numbers) + labels
    return Strata(of_rows, earlier.sizes, design.allocated(earlier.sizes, deviations, total, least))


def _table(
    pool: Table, chosen: Array, strata: Strata, earlier: _Earlier | None
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The rows to label as text, those of an earlier sample first."""
    names = (*pool.names, *COLUMNS) if earlier is None else earlier.names
    numbers, rows = chosen.tolist(), _texts(pool, chosen.tolist())
    if earlier is not None:
        numbers, rows = [*earlier.numbers.tolist(), *numbers], [*earlier.rows, *rows]
    written = []
    for number, row in zip(numbers, rows, strict=True):
        h = int(strata.of_rows[number])
        size, labels = int(strata.sizes[h]), int(strata.labels[h])
        added = (str(number + 1), str(h + 1), str(size), repr(labels / size))
        texts = row | dict(zip(COLUMNS, added, strict=True))
        written.append(tuple(texts.get(name, "") for name in names))
    return names, tuple(written)


def _described(strata: Strata, aim: Aim) -> tuple[Stratum, ...]:
    described = []
    variances = np.bincount(strata.of_rows, weights=aim.deviations) ** 2 / strata.labels
    for h, (size, labels) in enumerate(zip(strata.sizes.tolist(), strata.labels.tolist(), strict=True)):
        inside = strata.of_rows == h
        scores = aim.probabilities[inside]
        predicted = aim.predicted[:, int(np.argmax(inside))]
        models = tuple(name for name, yes in zip(aim.models, predicted, strict=True) if yes)
        ends, share = (float(scores.min()), float(scores.max())), float(variances[h] / variances.sum())
        described.append(Stratum(h + 1, size, labels, *ends, models, share))
    return tuple(described)
