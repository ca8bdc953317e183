"""Audit sample: choose the rows of an unlabelled pool that are worth labelling."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import metric_of_class
from steelyard.judgement.evaluate.costs import costs_of_one
from steelyard.judgement.sample.design import (
    FLOOR,
    Aim,
    Pool,
    Strata,
    allocated,
    designed,
    half_widths,
    labels_needed,
    opened_pool,
    order_of,
)
from steelyard.judgement.sample.options import COLUMNS, POOL_ROW, SIZE, STRATUM, Options
from steelyard.judgement.sample.result import Expected, Sample, Stratum
from steelyard.measures.catalogue import measure as find_measure
from steelyard.measures.costs import expected_cost_of
from steelyard.measures.measure import Measure
from steelyard.parameters import public_function
from steelyard.reading.cost_input import parse_costs

Array = NDArray[Any]
# Strata cross the predictions of all models: 2^5 of them leave few labels for each.
MOST_MODELS = 5
# Labels of the sample that tells how many a half-width needs.
FIRST_TRIED = 500
# Without scores: what is assumed of predictions, to share out the labels.
_ASSUMED_PRECISION, _ASSUMED_RECALL = 0.5, 0.8
BY_SCORES = (
    "expected if 90% of the positives are distributed as the scores say and 10% at random; the interval"
    " after labelling does not depend on this assumption"
)
BY_PREDICTIONS = (
    "expected if precision is near 50% and recall near 80%; the interval after labelling does not"
    " depend on this assumption"
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
    if not 0 <= options.threshold <= 1:
        raise InputError(
            "the threshold is a score",
            found=f"{options.threshold:g}",
            allowed="a number from 0 to 1",
            parameter="threshold",
        )
    if options.half_width is not None and not 0 < options.half_width < math.inf:
        raise InputError("a half-width is > 0", found=f"{options.half_width:g}", parameter="half_width")
    if not 0 < options.level < 1:
        raise InputError(
            "a confidence level lies between 0 and 1", found=f"{options.level:g}", parameter="level"
        )
    result = _sampled(options, metric, classes)
    if options.labels is None and result.needed is not None and result.needed != result.labels:
        # The first sample tells how many labels the half-width needs; this one has as many.
        labels = min(result.needed, result.rows) - (result.labels - result.new_labels)
        result = _sampled(replace(options, labels=max(labels, 1)), metric, classes)
    return result


def _sampled(options: Options, metric: Measure, classes: tuple[str, str]) -> Sample:
    """A stratified sample of the pool, with what its labels will buy."""
    with opened_pool(options.data, "a pool") as pool:
        earlier = None if options.earlier is None else _earlier(options.earlier)
        added = [name for name in COLUMNS if name in pool.names]
        if added:
            raise InputError(
                "the pool already has a column that a sample adds",
                found=", ".join(added),
                do=f"rename it, or top up an earlier sample with {parameter('earlier')}",
            )
        aim = _aim(pool, options, metric, classes)
        rows = len(aim.probabilities)
        labelled_before = 0 if earlier is None else len(earlier.numbers)
        labels = min(FIRST_TRIED, rows - labelled_before) if options.labels is None else options.labels
        if labels > rows - labelled_before:
            raise InputError(
                "the pool has fewer rows than are to be labelled",
                found=f"{labels:,} of {rows - labelled_before:,} unlabelled rows",
                do="label fewer, or all of them",
                parameter="labels",
            )
        random = np.random.default_rng(options.seed)
        if earlier is None:
            strata = designed(aim, labels)
            before = np.zeros(len(strata.sizes), dtype=np.int64)
            available = np.ones(rows, dtype=bool)
        else:
            # The strata stay: new ones would need the inclusion probabilities of both phases together.
            strata = _again(earlier, aim, pool, labels)
            before = np.bincount(earlier.strata, minlength=len(strata.sizes))
            available = np.ones(rows, dtype=bool)
            available[earlier.numbers] = False
        chosen = np.sort(
            np.concatenate(
                [
                    random.choice(np.flatnonzero(available & (strata.of_rows == h)), new, replace=False)
                    for h, new in enumerate(strata.labels - before)
                ]
            )
        )
        names, table = _table(pool, chosen, strata, earlier)
    result = Sample(
        pool=pool.called,
        rows=rows,
        labels=int(strata.labels.sum()),
        new_labels=len(chosen),
        positive=classes[0],
        measure=metric,
        level=options.level,
        seed=options.seed,
        models=aim.models,
        threshold=None if options.pred else options.threshold,
        assumed=BY_SCORES if options.score else BY_PREDICTIONS,
        implied_share=float(np.mean(aim.probabilities)) if options.score else None,
        expected=(),
        half_width=options.half_width,
        needed=None,
        needed_random=None,
        strata=_described(strata, aim),
        chosen=tuple(int(n) for n in chosen),
        columns=names,
        table_rows=table,
    )
    return _priced(result, aim, strata)


def _metric(options: Options) -> tuple[Measure, tuple[str, str]]:
    """The metric, the positive class and the other one."""
    positive = options.positive
    if options.cost is not None:
        if options.metric is not None:
            raise InputError(
                "a sample serves one metric",
                found=f"{parameter('metric')} and {parameter('cost')}",
                do="leave one out",
            )
        if positive is None:
            raise _no_positive()
        costs = parse_costs(options.cost)
        named = {label for pair in costs.by_confusion for label in pair}
        others = sorted(named - {str(positive), "*"}) or ["other"]
        if len(others) != 1 or costs.column is not None:
            raise InputError(
                "the cost of a sample has two classes and no column",
                found=str(options.cost),
                allowed=f"costs such as '{positive}>other=200, other>{positive}=4'",
            )
        classes = (str(positive), others[0])
        return expected_cost_of(costs_of_one(costs, classes)), classes
    name = "recall" if options.metric is None else options.metric
    name, positive = metric_of_class(name, positive)
    chosen = find_measure(name)
    if chosen.kind == "scores":
        raise InputError(
            "a sample is drawn for a metric of predicted labels",
            found=chosen.name,
            do="choose another metric",
        )
    if positive is None:
        raise _no_positive()
    return chosen, (str(positive), f"not {positive}")


def _no_positive() -> InputError:
    do = f"name it: {parameter('positive', 'fraud')}"
    return InputError("a sample needs the positive class", found="none", do=do, parameter="positive")


def _aim(pool: Pool, options: Options, metric: Measure, classes: tuple[str, str]) -> Aim:
    scores, pred = options.score, options.pred
    scores = (scores,) if isinstance(scores, str) else tuple(scores)
    pred = (pred,) if isinstance(pred, str) else tuple(pred)
    if not scores and not pred:
        raise InputError(
            "a sample needs scores or predictions",
            found="neither",
            do=f"name a column with {parameter('score')} or {parameter('pred')}",
        )
    models = pred or scores
    if len(models) > MOST_MODELS or len(set(models)) < len(models):
        raise InputError(
            "a sample serves different models", found=", ".join(models), allowed=f"1 to {MOST_MODELS} of them"
        )
    columns = [_probabilities(pool, name) for name in scores]
    if pred:
        predicted = np.stack([_is_positive(pool, name, classes[0]) for name in pred])
    else:
        predicted = np.stack([column >= options.threshold for column in columns])
    if not predicted.shape[1]:
        raise InputError("the pool has no rows", found="a header without rows", allowed="at least one row")
    probabilities = np.mean(columns, axis=0) if columns else _assumed(predicted)
    return Aim(probabilities, predicted, metric, models, classes)


def _probabilities(pool: Pool, name: str) -> Array:
    column = pool.numbers(name)
    bad = ~((column >= 0) & (column <= 1))
    if bad.any():
        row = int(np.argmax(bad))
        value = column[row]
        raise InputError(
            f"the scores in column {name!r} are not all probabilities",
            found=f"{int(bad.sum()):,} of {len(column):,}, the first in row {row + 1}"
            + (" (missing or no number)" if np.isnan(value) else f" ({value:g})"),
            allowed="numbers from 0 to 1",
        )
    return column


def _is_positive(pool: Pool, name: str, positive: str) -> Array:
    column = pool.texts(name)
    missing = np.array([value is None for value in column])
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


def _assumed(predicted: Array) -> Array:
    """Probabilities by predictions alone: half of what any model predicts positive is positive, and so many
    positives are missed that recall is 80%."""
    any_model = predicted.any(axis=0)
    alerts, others = int(any_model.sum()), int((~any_model).sum())
    # recall = hits / (hits + missed), solved for the missed ones.
    missed = _ASSUMED_PRECISION * alerts * (1 / _ASSUMED_RECALL - 1)
    return np.where(any_model, _ASSUMED_PRECISION, min(0.5, missed / max(others, 1)))


@dataclass(frozen=True, eq=False)
class _Earlier:
    """An earlier sample of the same pool."""

    called: str
    names: tuple[str, ...]
    rows: list[list[str]]
    #: Rows of the pool, from 0.
    numbers: Array
    strata: Array
    sizes: Array


def _earlier(source: Any) -> _Earlier:
    with opened_pool(source, "an earlier sample") as file:
        absent = [name for name in (POOL_ROW, STRATUM, SIZE) if name not in file.names]
        if absent:
            raise InputError(
                f"this is no sample: {file.called}",
                found=f"no column {', '.join(absent)}",
                allowed="a file that `steelyard sample` wrote",
                parameter="earlier",
            )
        rows = file.rows()
        columns = [file.numbers(name) for name in (POOL_ROW, STRATUM, SIZE)]
    if not rows or not all(np.isfinite(column).all() and (column % 1 == 0).all() for column in columns):
        raise _changed(file.called, f"{POOL_ROW}, {STRATUM} or {SIZE} without whole numbers")
    numbers, strata, size = (column.astype(np.int64) for column in columns)
    if len(np.unique(numbers)) < len(numbers):
        raise _changed(file.called, "a row of the pool twice")
    sizes = np.zeros(strata.max(), dtype=np.int64)
    sizes[strata - 1] = size
    if strata.min() < 1 or (sizes[strata - 1] != size).any() or not sizes.all():
        raise _changed(file.called, "strata without rows, or with two sizes")
    return _Earlier(file.called, file.names, rows, numbers - 1, strata - 1, sizes)


def _changed(called: str, difference: str) -> InputError:
    return InputError(
        f"the earlier sample {called} does not fit the pool",
        found=difference,
        allowed="the pool, the columns of scores and predictions and the sample as they were",
        parameter="earlier",
    )


def _again(earlier: _Earlier, aim: Aim, pool: Pool, labels: int) -> Strata:
    """The strata of the earlier sample, which are consecutive rows in the order of the design, with more
    labels. Labels that are known do not move the allocation, so the sample of each stratum stays random."""
    rows = len(aim.probabilities)
    if earlier.sizes.sum() != rows or earlier.numbers.max() >= rows or earlier.numbers.min() < 0:
        raise _changed(earlier.called, f"strata of {int(earlier.sizes.sum()):,} rows for a pool of {rows:,}")
    of_rows = np.empty(rows, dtype=np.int64)
    of_rows[order_of(aim)] = np.repeat(np.arange(len(earlier.sizes)), earlier.sizes)
    shared = [name for name in pool.names if name in earlier.names]
    places = [earlier.names.index(name) for name in shared]
    by_number = np.argsort(earlier.numbers)
    rows_by_number = pool.rows([int(n) for n in earlier.numbers[by_number]])
    for k, row in zip(by_number, rows_by_number, strict=True):
        written = dict(zip(pool.names, row, strict=True))
        if [written[name] for name in shared] != [earlier.rows[k][place] for place in places]:
            raise _changed(earlier.called, f"other values in row {earlier.numbers[k] + 1:,} of the pool")
    if (of_rows[earlier.numbers] != earlier.strata).any():
        raise _changed(earlier.called, "rows in other strata; another model, metric order or threshold")
    before = np.bincount(earlier.strata, minlength=len(earlier.sizes))
    least = np.maximum(before, np.minimum(earlier.sizes, FLOOR))
    deviations = np.bincount(of_rows, weights=aim.deviations)
    total = len(earlier.numbers) + labels
    return Strata(of_rows, earlier.sizes, allocated(earlier.sizes, deviations, total, least))


def _table(
    pool: Pool, chosen: Array, strata: Strata, earlier: _Earlier | None
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The rows to label as text, those of an earlier sample first."""

    def design_of(number: int) -> dict[str, str]:
        h = int(strata.of_rows[number])
        size, labels = int(strata.sizes[h]), int(strata.labels[h])
        return dict(zip(COLUMNS, (str(number + 1), str(h + 1), str(size), repr(labels / size)), strict=True))

    names = (*pool.names, *COLUMNS) if earlier is None else earlier.names
    written: list[dict[str, str]] = []
    if earlier is not None:
        for number, row in zip(earlier.numbers, earlier.rows, strict=True):
            written.append({**dict(zip(names, row, strict=True)), **design_of(int(number))})
    for number, row in zip(chosen.tolist(), pool.rows(chosen.tolist()), strict=True):
        written.append({**dict(zip(pool.names, row, strict=True)), **design_of(number)})
    return names, tuple(tuple(row.get(name, "") for name in names) for row in written)


def _described(strata: Strata, aim: Aim) -> tuple[Stratum, ...]:
    described = []
    deviations = np.bincount(strata.of_rows, weights=aim.deviations)
    variances = deviations**2 / strata.labels
    for h, (size, labels) in enumerate(zip(strata.sizes.tolist(), strata.labels.tolist(), strict=True)):
        inside = strata.of_rows == h
        scores = aim.probabilities[inside]
        called = aim.predicted[:, int(np.argmax(inside))]
        described.append(
            Stratum(
                stratum=h + 1,
                rows=size,
                labels=labels,
                lowest_score=float(scores.min()),
                highest_score=float(scores.max()),
                predicted_positive_by=tuple(
                    name for name, yes in zip(aim.models, called, strict=True) if yes
                ),
                share_of_variance=float(variances[h] / variances.sum()),
            )
        )
    return tuple(described)


def _priced(result: Sample, aim: Aim, strata: Strata) -> Sample:
    """The result with what the labels are expected to buy, beside simple random sampling."""
    level, seed, labels = result.level, result.seed, result.labels
    widths = half_widths(aim, labels, level, seed, strata)
    if not np.isfinite(widths).all():
        raise InputError(
            f"an interval of {result.measure.name} cannot be expected",
            found="simulated samples in which it is undefined or infinite",
            do="choose another metric, such as recall or precision",
            parameter="metric",
        )
    at_random = half_widths(aim, labels, level, seed)
    same = labels_needed(aim, widths[0], level, seed, (labels, at_random[0]), True)
    expected = tuple(
        Expected(name, width, other)
        for name, width, other in zip(aim.quantities, widths, at_random, strict=True)
    )
    result = replace(result, expected=expected, random_labels=max(same, labels))
    if result.half_width is None:
        return result
    half_width = result.half_width
    needed = labels_needed(aim, half_width, level, seed, (labels, widths[0]), False)
    at_random_needed = labels_needed(aim, half_width, level, seed, (labels, at_random[0]), True)
    return replace(result, needed=needed, needed_random=max(at_random_needed, needed))
