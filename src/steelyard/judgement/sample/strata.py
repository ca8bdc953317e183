"""Strata of labelled rows: with which probability a row was labelled, read and checked for `evaluate`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.counts.libraries import column_names, is_frame
from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import by_name, read_share
from steelyard.judgement.sample.options import INCLUSION, POOL_ROW, SIZE, STRATUM
from steelyard.measures.measure import Measure
from steelyard.reading.column_names import find_column
from steelyard.reading.counting import combinations
from steelyard.reading.duckdb import header_names
from steelyard.reading.engines import opened
from steelyard.report.numbers import percent
from steelyard.uncertainty.intervals import Interval, interval
from steelyard.uncertainty.resampling import Simulation

Key = tuple[str, ...]
# An interval that is wider by this factor gives way to that of the checked rows alone.
_WIDER = 1.02
# Standard deviations by which a share of labelled rows may miss the rate that was said.
_WITHIN = 4
# What else says what a row stands for.
_SAMPLE_COLUMNS = {STRATUM, SIZE, INCLUSION}
_OTHER_WEIGHTS = ("weight", "sample_weight", "cluster", "block", "production")


@dataclass(frozen=True)
class Labelling:
    """How the labelled rows were chosen: by columns of the file, or by rates for the values of a column."""

    #: Whose values make the strata; with the stratum stand its size and the inclusion probability.
    columns: tuple[str, ...]
    #: The place of the size among the columns.
    size: int | None = None
    inclusion: int | None = None
    #: For each value of the one column the share of rows that were labelled.
    rates: Mapping[str, float] | None = None
    #: The column of checked labels; the columns are then those of recorded labels and of predictions.
    gold: str | None = None


def read_labelled(text: str) -> tuple[str, dict[str, float]]:
    """'pred=fraud: all, pred=ok: 0.05' as the column and the share of labelled rows by value."""

    def share(words: str) -> float:
        rate = 1.0 if words == "all" else read_share(words)
        if not 0 < rate <= 1:
            raise ValueError(words)
        return rate

    what = "this share of labelled rows is not understood"
    allowed = "shares such as 'pred=fraud: all, pred=ok: 0.05'"
    rates: dict[str, dict[str, float]] = {}
    for named, rate in by_name(text, what, allowed, "labelled", ":", share).items():
        column, _, value = (word.strip() for word in named.partition("="))
        if not (column and value):
            raise InputError(what, found=repr(named), allowed=allowed, parameter="labelled")
        rates.setdefault(column, {})[value] = rate
    if len(rates) > 1:
        what = "the shares of labelled rows are given by the values of one column"
        columns = ", ".join(sorted(rates))
        raise InputError(what, found=columns, do="make one column of them", parameter="labelled")
    return rates.popitem()


def is_sample(data: Any) -> bool:
    """Has a file or a frame the columns that `steelyard sample` writes?"""
    return set(_names(data) or ()) >= _SAMPLE_COLUMNS


def labelling_of(data: Any, options: Any) -> Labelling | None:
    """How rows were chosen, as the options say or the columns of a sample show; None for plain rows."""
    named = [name for name in ("stratum", "inclusion", "labelled") if getattr(options, name) is not None]
    if getattr(options, "gold", None) is not None or getattr(options, "annotator", None):
        return _gold_labelling(data, options, named)
    beside = [name for name in _OTHER_WEIGHTS if getattr(options, name, None) is not None]
    if beside and not named:
        return None
    names = _names(data)
    if names is None:
        if named:
            both = f"{parameter(named[0])} with {type(data).__name__}"
            what = "strata are read from a file or a frame"
            raise InputError(what, found=both, do="give a file or a frame")
        return None
    if not named and not set(names) >= _SAMPLE_COLUMNS:
        return None
    if beside or ("labelled" in named and len(named) > 1):
        both = " with ".join(parameter(name) for name in (*named, *beside)[:2])
        raise InputError("the strata say what a row stands for", found=both, do="leave one of them out")
    if options.labelled is not None:
        column, rates = read_labelled(options.labelled)
        return Labelling((find_column(column, names),), rates=rates)
    if options.inclusion is None and named:
        raise InputError(
            "strata need the probability by which their rows were labelled",
            found=f"{parameter('stratum')} alone",
            do=f"name its column with {parameter('inclusion')}",
            parameter="inclusion",
        )
    stratum, inclusion = (options.stratum, options.inclusion) if named else (STRATUM, INCLUSION)
    columns = [find_column(name, names) for name in (stratum, inclusion) if name is not None]
    size = None
    if SIZE in names and (stratum, inclusion) == (STRATUM, INCLUSION):
        size, columns = len(columns), [*columns, SIZE]
    return Labelling(tuple(columns), size=size, inclusion=columns.index(str(inclusion)))


def _gold_labelling(data: Any, options: Any, named: Sequence[str]) -> Labelling:
    """Strata by recorded labels and predictions, within which checked labels are a random sample."""
    annotators = [options.annotator] if isinstance(options.annotator, str) else list(options.annotator)
    if options.gold is None:
        raise InputError(
            "annotators alone do not show the truth",
            found=f"{parameter('annotator')} without {parameter('gold')}",
            do=f"check some rows chosen at random and name their column with {parameter('gold')}",
            parameter="gold",
        )
    names = _names(data)
    others = (*_OTHER_WEIGHTS, "score", "scores", "label_errors")
    beside = [*named, *(name for name in others if getattr(options, name) is not None)]
    if names is None or beside or options.y_pred is not None:
        raise InputError(
            "checked labels correct predicted labels of a file or a frame",
            found=f"{parameter('gold')} with " + (parameter(beside[0]) if beside else "other data"),
            do="leave one of them out",
            parameter="gold",
        )
    checked = [find_column(name, names) for name in (options.gold, *annotators)]
    rest = [name for name in names if name not in checked]
    recorded = find_column(options.truth, rest, "truth")
    pred = find_column(options.pred, [c for c in rest if c != recorded], "prediction")
    return Labelling((recorded, *annotators, pred), gold=options.gold)


def _names(data: Any) -> Sequence[str] | None:
    if is_frame(data):
        return column_names(data)
    if isinstance(data, (str, Path)):
        return header_names(data)
    return None


@dataclass(frozen=True, eq=False)
class Strata:
    """Labelled rows of each stratum and the rows they stand for."""

    names: tuple[str, ...]
    #: As the columns write them.
    keys: tuple[Key, ...]
    #: Labelled rows, shape (strata, C, C).
    matrices: Array
    sizes: Array
    labels: tuple[Label, ...]
    #: Of checked labels: what rows with the same recorded label say, worth one row.
    prior: Array | None = None

    @property
    def assumed(self) -> str:
        from steelyard.uncertainty.stratified_sample import ASSUMED, ASSUMED_OF_GOLD

        return ASSUMED if self.prior is None else ASSUMED_OF_GOLD

    @property
    def labelled(self) -> Array:
        return np.asarray(self.matrices.sum(axis=(1, 2)))

    @property
    def pool(self) -> Confusion:
        """The estimated matrix of the pool."""
        return Confusion(np.einsum("h,hij->ij", self.sizes / self.labelled, self.matrices), self.labels)

    def intervals(self, measures: Sequence[Measure], **how: Any) -> dict[str, Interval]:
        """The interval of each metric; `how` are fields of a `Simulation`."""
        from steelyard.uncertainty.stratified_sample import stratified_intervals

        how = {name: how[name] for name in ("level", "draws", "seed", "positive", "undefined")}
        counted = (self.matrices, self.sizes, self.labels)
        by_name = stratified_intervals(*counted, measures, Simulation(**how), self.prior)
        if self.prior is None:
            return by_name
        # Where recorded labels widen an interval, it is that of the checked rows alone.
        alone = interval(Confusion(self.matrices.sum(axis=0), self.labels), measures, **how).by_name
        for name, combined in by_name.items():
            other = alone.get(name)
            if other is None or math.isnan(other.low):
                continue
            if combined.high - combined.low > _WIDER * (other.high - other.low):
                low, high = min(other.low, combined.estimate), max(other.high, combined.estimate)
                by_name[name] = replace(combined, method="gold alone", low=low, high=high)
        return by_name


def rows_of_strata(data: Any, labelling: Labelling) -> dict[Key, int]:
    """The rows of the file in each stratum, labelled or not; refuses a row of the pool that occurs twice."""
    with opened(data) as table:
        counted = labelling.size is not None and POOL_ROW in table.names
        twice = [row for row in combinations(table, [POOL_ROW]) if row[-1] > 1] if counted else []
        if twice:
            first = f"{len(twice):,} of them, the first {POOL_ROW} {twice[0][0]}"
            what = "a row of the pool occurs more than once"
            raise InputError(what, found=first, do="leave each row in the file once")
        return {tuple(map(str, row[:-1])): row[-1] for row in combinations(table, labelling.columns)}


def strata_of(
    labelling: Labelling,
    rows: Mapping[Key, int],
    matrices: Mapping[Key, Confusion],
    labels: tuple[Label, ...],
    missing: str,
) -> Strata:
    """The strata with their sizes; refuses probabilities that do not fit the rows."""
    labelled = {key: int(matrix.total) for key, matrix in matrices.items()}
    if labelling.gold is not None:
        return _gold_strata(rows, matrices, labels)
    if labelling.rates is not None:
        sizes = dict(_sizes_by_rates(labelling.columns[0], labelling.rates, rows, labelled))
    else:
        sizes = dict(_sizes_by_columns(labelling, rows, labelled, missing))

    def place(key: Key) -> tuple[float, str]:
        return (float(key[0]), "") if key[0].replace(".", "", 1).isdigit() else (np.inf, key[0])

    order = sorted(sizes, key=place)
    counts = np.stack([np.asarray(matrices[key].counts) for key in order])
    names = tuple(f"{labelling.columns[0]}={key[0]}" if labelling.rates else key[0] for key in order)
    return Strata(names, tuple(order), counts, np.array([sizes[key] for key in order], dtype=float), labels)


def _gold_strata(
    rows: Mapping[Key, int], matrices: Mapping[Key, Confusion], labels: tuple[Label, ...]
) -> Strata:
    """Strata by recorded labels and prediction; one without checked rows joins others with its prediction."""
    names = [str(label) for label in labels]
    strange = next((value for key in rows for value in key if value not in (*names, "None", "nan", "")), None)
    if strange is not None:
        raise InputError(
            "a class never occurs among the checked labels and predictions",
            found=f'class "{strange}"',
            do=f"check some rows with this label, or name all classes with {parameter('labels')}",
            parameter="gold",
        )
    groups: dict[Key, list[Key]] = {}
    for key in rows:
        if any(value in ("None", "nan", "") for value in key):
            raise InputError(
                "recorded labels or predictions are missing",
                found=f"{rows[key]:,} rows with {', '.join(key)}",
                do="leave those rows out of the file",
            )
        groups.setdefault(key if key in matrices else (*["*"] * (len(key) - 1), key[-1]), []).append(key)
    # Joined rather than refused: rare combinations of labels are seldom checked.
    for key in [key for key in groups if key[0] == "*"]:
        home = next((other for other in groups if other != key and other[-1] == key[-1]), None)
        if home is None:
            raise _no_labels(f'rows predicted "{key[-1]}"')
        groups[home] += groups.pop(key)
    order = sorted(groups)
    counts = np.stack([np.asarray(matrices[key].counts, dtype=float) for key in order])
    sizes = np.array([sum(rows[key] for key in groups[group]) for group in order], dtype=float)
    prior = np.zeros((len(order), counts[0].size))
    for h, key in enumerate(order):
        # Empirical Bayes with one row of weight: checked rows with the same recorded label, whatever was
        # predicted, and 1 / classes of a row for every class that none of them shows.
        alike = sum(matrices[other].actual for other in order if other[:-1] == key[:-1])
        shares = np.asarray(alike, dtype=float) + 1 / len(labels)
        column = np.zeros(counts[0].shape)
        column[:, names.index(key[-1])] = shares / shares.sum()
        prior[h] = column.ravel()
    return Strata(tuple(" / ".join(key) for key in order), tuple(order), counts, sizes, labels, prior)


def _sizes_by_rates(
    column: str, rates: Mapping[str, float], rows: Mapping[Key, int], labelled: Mapping[Key, int]
) -> Iterator[tuple[Key, float]]:
    holds_unlabelled = any(labelled.get(key, 0) < number for key, number in rows.items())
    for key, number in rows.items():
        known = labelled.get(key, 0)
        if key[0] not in rates:
            raise InputError(
                "a value has no share of labelled rows",
                found=f"{column}={key[0]} in {number:,} rows",
                do=f"add '{column}={key[0]}: ...'",
                parameter="labelled",
            )
        if not known:
            raise _no_labels(f"{column}={key[0]}")
        rate = rates[key[0]]
        # Rows were labelled independently at this rate, so their number is binomial; 4 sd reject 1 in 16,000.
        spread = _WITHIN * float(np.sqrt(number * rate * (1 - rate))) + (1 if rate < 1 else 0)
        if holds_unlabelled and abs(known - number * rate) > spread:
            raise InputError(
                "the labelled rows do not fit the share that was said",
                found=f"{known:,} of {number:,} rows with {column}={key[0]}, {percent(known / number)}",
                allowed=f"about {percent(rate)}",
                parameter="labelled",
            )
        yield key, float(number) if holds_unlabelled else max(float(known), round(known / rate))


def _sizes_by_columns(
    labelling: Labelling, rows: Mapping[Key, int], labelled: Mapping[Key, int], missing: str
) -> Iterator[tuple[Key, float]]:
    def number_of(key: Key, place: int | None) -> float:
        with suppress(ValueError):
            return float(key[place or 0])
        return math.nan

    named = [key[0] for key in rows]
    for key, number in rows.items():
        name = f"stratum {key[0]}"
        if named.count(key[0]) > 1:
            raise _unfitting(f"{name} has two probabilities or sizes")
        inclusion = number_of(key, labelling.inclusion)
        if not 0 < inclusion <= 1:
            raise _unfitting(f"{name} has the probability {key[labelling.inclusion or 0]}")
        size = round(number / inclusion) if labelling.size is None else number_of(key, labelling.size)
        if labelling.size is not None and not abs(size * inclusion - number) < 0.5:
            expected = f"a probability of {inclusion:.6g} means {size * inclusion:,.4g}"
            raise _unfitting(f"{name}: {number:,} of {size:,.0f} rows are in the file, {expected}")
        known = labelled.get(key, 0)
        if not known:
            raise _no_labels(name)
        if known < number and missing != "drop":
            raise InputError(
                "rows of the sample have no label",
                found=f"{number - known:,} of {number:,} rows of {name}",
                do=f"label them, or let the others stand for them: {parameter('missing', 'drop')}",
            )
        yield key, max(size, float(known))


def _unfitting(problem: str) -> InputError:
    return InputError(
        "the inclusion probabilities do not match the file",
        found=problem,
        allowed="for each stratum, rows of the file = its size times its probability",
        do="evaluate all rows that were sampled, and no others",
    )


def _no_labels(name: str) -> InputError:
    return InputError("a stratum has no labels", found=name, do="label some of its rows")
