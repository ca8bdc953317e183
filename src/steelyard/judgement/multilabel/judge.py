"""Multi-label evaluation: macro, weighted, micro and samples averages with bootstrap intervals."""

# Each label is a 2 x 2 matrix, and so is each row; averages over labels (macro, by examples), of all answers
# together (micro) and over rows (samples) are the same measures on those batches.

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts import libraries
from steelyard.counts.confusion import Confusion
from steelyard.counts.label_sets import HAS, HAS_NOT, LabelSets, lacking
from steelyard.counts.labels import Array, check_missing
from steelyard.counts.libraries import column_names, is_frame
from steelyard.errors import InputError, UndefinedError, parameter
from steelyard.judgement.multilabel.options import Options
from steelyard.judgement.multilabel.result import LabelReport, MultilabelEvaluation, Value
from steelyard.measures.measure import Measure
from steelyard.measures.names import as_measure
from steelyard.measures.undefined import Policy, Undefined
from steelyard.parameters import public_function
from steelyard.reading.column_names import columns_of_classes
from steelyard.reading.engines import opened
from steelyard.reading.score_counting import refuse_no_numbers
from steelyard.reading.table import ROWS, Number, Progress
from steelyard.uncertainty.confidence_limits import percentiles
from steelyard.uncertainty.intervals import interval as interval_of
from steelyard.uncertainty.resampling import generator_of

# The names of scikit-learn's `average=`.
AVERAGES = ("macro", "weighted", "micro", "samples")
# Below 100 resamples a percentile of 2.5% is the second or third smallest value: then no interval is better.
MOST_REPLICATES, FEWEST_REPLICATES = 1000, 100
# Rows of a kind, times labels, times test sets drawn.
MOST_WORK = 2e9
# Hundreds of labels have an interval each; 10,000 draws would take as long as all the rest.
LABEL_DRAWS = 4000
# Labels with intervals of their own.
MOST_INTERVALS = 100


@public_function(Options)
def multilabel(options: Options) -> MultilabelEvaluation:
    """Evaluate a multi-label classifier: every row has any number of labels.

    `data` and `y_pred` are two tables of 0 and 1 with a column for each label (arrays, sparse matrices or
    frames with the same columns); or `data` is a file, a glob or a frame, in which `truth` and `pred` are
    patterns of columns such as "y_*" and "p_*" whose stars stand for the labels.

    A label that has no examples has no recall, one that is never predicted no precision, and a row without
    labels neither: `undefined` says what becomes of averages over them. scikit-learn's default is 0.

    Intervals of averages come from a bootstrap of the rows; those of single labels are those of
    `steelyard.interval`.

    >>> import steelyard as sy
    >>> result = sy.evaluate_multilabel([[1, 0], [1, 1]], [[1, 1], [0, 1]], labels=["cat", "dog"])
    >>> [(one.label, one.values["recall"].value) for one in result.labels]
    [('cat', 0.5), ('dog', 1.0)]
    """
    policy, level, seed = Policy.of(options.undefined), options.level, options.seed
    interval = None if options.interval == "none" else options.interval
    chosen = tuple(as_measure(m) for m in options.measures)
    for metric in chosen:
        if metric.kind == "scores":
            allowed = "metrics of a confusion matrix"
            raise InputError(f"{metric.name} is a metric of scores", found="labels", allowed=allowed)
    sets, source = _read(options)
    work = _Averaging(sets, chosen, options.undefined, policy)
    # How many test sets can be drawn; none where even a few take too long.
    affordable = int(min(MOST_REPLICATES, MOST_WORK / max(1, len(sets.rows) * len(sets.labels))))
    replicates = affordable if interval is not None and affordable >= FEWEST_REPLICATES else 0
    ends = work.ends(replicates, level, seed) if replicates else {}
    # The rarest labels are the least certain, and the ones that a mean over labels hides: of many labels they
    # have intervals of their own.
    sizes = sets.by_label.counts[:, 0].sum(axis=1)
    rarest = set(np.argsort(sizes, kind="stable")[:MOST_INTERVALS].tolist())
    reports = tuple(
        work.of_label(k, interval if k in rarest else None, level, seed) for k in range(len(sets.labels))
    )
    averages = {
        kind: {
            m.name: _valued(value, ends.get((kind, m.name)), why)
            for m, (value, why) in zip(chosen, work.average(kind), strict=True)
        }
        for kind in AVERAGES
    }
    subset, hamming = (
        _valued(float(values[0]), ends.get((name, "")), None)
        for name, values in work.of_rows_alone(sets.rows[None]).items()
    )
    notes = {
        f"{sets.dropped:,} rows with missing labels are left out.": sets.dropped,
        "Averages have no intervals: there are too many different rows to resample them.": (
            interval is not None and not replicates
        ),
        f"Only the {MOST_INTERVALS} rarest labels have intervals of their own.": (
            interval is not None and len(sets.labels) > MOST_INTERVALS
        ),
    }
    return MultilabelEvaluation(
        source=source,
        sets=sets,
        measures=chosen,
        labels=reports,
        averages=averages,
        subset_accuracy=subset,
        hamming_loss=hamming,
        level=level,
        replicates=replicates,
        notes=tuple(note for note, applies in notes.items() if applies),
    )


# The former name.
evaluate_multilabel = multilabel


def _read(options: Options) -> tuple[LabelSets, str]:
    data, y_pred, labels = options.data, options.y_pred, options.labels
    truth, pred, missing = options.truth, options.pred, options.missing
    if y_pred is None:
        if truth is None or pred is None:
            raise InputError(
                "the columns of true labels and of predictions are not named",
                found="no y_pred, and no patterns",
                do=f"give {parameter('truth', 'y_*')} and {parameter('pred', 'p_*')}",
            )
        name = libraries.frame_words(data) if is_frame(data) else str(data)
        return read_label_sets(data, truth, pred, missing=missing, progress=options.progress), name
    libraries.refuse_unaligned(data, y_pred)
    if is_frame(data) and is_frame(y_pred):
        names = column_names(data)
        if names != column_names(y_pred):
            raise InputError(
                "the columns of truth and predictions do not pair",
                found=f"{', '.join(names[:4])} and {', '.join(column_names(y_pred)[:4])}",
                allowed="the same labels in the same order",
            )
        labels = names if labels is None else labels
    return LabelSets.from_tables(data, y_pred, labels, missing=missing), "rows in memory"


class _Averaging:
    """The averages of measures, of the rows as they are and of resampled rows."""

    def __init__(
        self, sets: LabelSets, measures: Sequence[Measure], undefined: Undefined, policy: Policy
    ) -> None:
        self.sets, self.measures, self.policy = sets, measures, policy
        # "raise" and "skip" act on an average: a single label or row without a value has to stay visible as
        # NaN until then.
        self.undefined: Undefined = "nan" if policy.raises or policy.skips else undefined
        self.of_rows = [self._values(m, sets.by_row) for m in measures]

    def _values(self, measure: Measure, matrices: Confusion) -> Array:
        return np.asarray(measure(matrices, undefined=self.undefined, positive=HAS))

    def average(self, kind: str) -> list[tuple[float, str | None]]:
        """The value of each measure and, where it has none, why."""
        averages = []
        for k, measure in enumerate(self.measures):
            value = float(self._average(kind, k, self.sets.rows[None], [self.sets.by_label])[0])
            why = self._why(kind, measure) if math.isnan(value) else None
            if why is not None and self.policy.raises:
                raise UndefinedError(f"the {kind} average of {measure.name} is undefined: {why}.")
            averages.append((value, why))
        return averages

    def _average(self, kind: str, k: int, rows: Array, matrices: Sequence[Confusion]) -> Array:
        """One average of one measure for each of several ways (B, K) of drawing the rows."""
        if kind == "samples":
            # The value of a row does not change when rows are resampled, only how often it counts.
            return _mean(self.of_rows[k][None], rows, self.policy.skips)
        cells = np.stack([matrix.counts for matrix in matrices])
        if kind == "micro":
            return self._values(self.measures[k], _confusion(cells.sum(axis=1)))
        terms = self._values(self.measures[k], _confusion(cells))
        # "weighted" weights each label by its number of examples, as scikit-learn's average="weighted" does.
        weights = np.ones(terms.shape) if kind == "macro" else cells[:, :, 0].sum(axis=-1)
        return _mean(terms, weights, self.policy.skips)

    def _why(self, kind: str, measure: Measure) -> str:
        if kind == "samples":
            lost = np.isnan(self._values(measure, self.sets.by_row))
            many = int(self.sets.rows[lost].sum())
            return f"{many:,} of {self.sets.n_rows:,} rows have no value, such as those without labels"
        if kind == "micro":
            all_labels = _confusion(self.sets.by_label.counts.sum(axis=0))
            return str(measure.why_undefined(all_labels, positive=HAS))
        reasons = measure.why_undefined(self.sets.by_label, positive=HAS)
        lacking = [(label, why) for label, why in zip(self.sets.labels, reasons, strict=True) if why]
        more = f", and {len(lacking) - 1} more labels" if len(lacking) > 1 else ""
        return f"{lacking[0][0]}: {lacking[0][1]}{more}"

    def of_rows_alone(self, rows: Array) -> dict[str, Array]:
        """Subset accuracy and Hamming loss for each of several ways (B, K) of drawing the rows."""
        wrong = self.sets.truth != self.sets.predicted
        of_row = {"subset": ~wrong.any(axis=1), "hamming": wrong.mean(axis=1)}
        return {name: np.asarray(rows @ values / rows.sum(axis=1)) for name, values in of_row.items()}

    def ends(self, replicates: int, level: float, seed: int) -> dict[tuple[str, str], tuple[float, float]]:
        """The ends of the intervals of all averages, from resampled rows."""
        random = generator_of(seed)
        total, shares = self.sets.n_rows, self.sets.rows / self.sets.n_rows
        drawn: dict[tuple[str, str], list[Array]] = {}
        # Some 40 million counts at a time (320 MB as integers), however many different rows there are.
        piece = max(1, int(4e7 / max(len(shares), 1)))
        for start in range(0, replicates, piece):
            # Equal rows are counted once, so resampling rows is one multinomial draw over the different ones.
            rows = random.multinomial(total, shares, size=min(piece, replicates - start))
            matrices = self.sets.matrices(rows)
            for kind in AVERAGES:
                for k, m in enumerate(self.measures):
                    drawn.setdefault((kind, m.name), []).append(self._average(kind, k, rows, matrices))
            for name, each in self.of_rows_alone(rows).items():
                drawn.setdefault((name, ""), []).append(each)
        by_key = {}
        for key, parts in drawn.items():
            values = np.concatenate(parts)
            # A resample in which the average is undefined says nothing about where its value lies.
            values = values[~np.isnan(values)]
            by_key[key] = percentiles(values, level) if len(values) else (math.nan, math.nan)
        return by_key

    def of_label(self, k: int, method: Any, level: float, seed: int) -> LabelReport:
        matrix, sure = _confusion(self.sets.by_label.counts[k]), {}
        if method is not None:
            how: dict[str, Any] = {"level": level, "draws": LABEL_DRAWS, "seed": seed, "positive": HAS}
            intervals = interval_of(matrix, list(self.measures), method=method, **how)
            sure = {name: (interval.low, interval.high) for name, interval in intervals.items()}
        values = {}
        for m in self.measures:
            value = float(self._values(m, matrix))
            why = m.why_undefined(matrix, positive=HAS) if math.isnan(value) else None
            values[m.name] = _valued(value, sure.get(m.name), why)
        return LabelReport(self.sets.labels[k], matrix, values)


def _valued(value: float, ends: tuple[float, float] | None, why: str | None) -> Value:
    """A value with its interval, which is never without it."""
    if ends is None or math.isnan(value) or any(map(math.isnan, ends)):
        return Value(value, why_undefined=why)
    # Percentiles of few resamples can lie on one side of the value; an interval contains its estimate.
    return Value(value, min(ends[0], value), max(ends[1], value), why)


def _confusion(cells: Array) -> Confusion:
    return Confusion(cells, labels=[HAS, HAS_NOT])


def _mean(terms: Array, weights: Array, skips: bool) -> Array:
    """The weighted mean along the last axis."""
    # Terms of weight 0 do not take part, undefined ones decide unless they are skipped.
    weights = np.broadcast_to(weights, np.broadcast_shapes(np.shape(terms), np.shape(weights)))
    terms = np.broadcast_to(terms, weights.shape)
    # With nan_to_num a NaN of weight 0 would stay out, one of positive weight would count as 0: it is
    # restored below unless undefined terms are skipped.
    lost = np.isnan(terms) & (weights > 0)
    used = np.where(np.isnan(terms), 0.0, weights) if skips else weights
    total = used.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        weighted = np.where(used > 0, np.nan_to_num(terms), 0.0) * used
        means = weighted.sum(axis=-1) / total
    return np.asarray(means if skips else np.where(lost.any(axis=-1), np.nan, means))


# Columns of multi-label data: a column of truth and one of predictions for each label, paired by pattern.
def paired_columns(available: Sequence[str], truth: str, pred: str) -> dict[str, tuple[str, str]]:
    """For each label its columns of truth and predictions: what the stars of both patterns stand for."""
    for pattern in (truth, pred):
        if not isinstance(pattern, str) or pattern.count("*") != 1:
            what = "the columns of several labels are named by a pattern"
            raise InputError(what, found=repr(pattern), allowed="one star, as in 'y_*'")
    if truth == pred:
        what = "truth and predictions are the same columns"
        raise InputError(what, found=repr(truth), allowed="two patterns")
    truths, preds = (
        {str(label): column for label, column in columns_of_classes(available, pattern).items()}
        for pattern in (truth, pred)
    )
    # y_* takes in what y_pred_* does: a column belongs to the pattern that says more of its name.
    narrow, wide = (truths, preds) if len(truth) > len(pred) else (preds, truths)
    for label in [label for label, column in wide.items() if column in narrow.values()]:
        del wide[label]
    for here, there, pattern, role in ((truths, preds, pred, "predictions"), (preds, truths, truth, "truth")):
        alone = [label for label in here if label not in there]
        if alone:
            raise InputError(
                "the columns of truth and predictions do not pair",
                found=f"{here[alone[0]]!r} without {pattern.replace('*', alone[0])!r}"
                + (f", and {len(alone) - 1} more" if len(alone) > 1 else ""),
                allowed=f"a column of {role} for every label",
            )
    return {label: (column, preds[label]) for label, column in truths.items()}


def read_label_sets(
    source: Any, truth: str, pred: str, *, missing: str = "error", progress: Progress | None = None
) -> LabelSets:
    """The labels of a file, of all files of a glob, or of a frame."""
    check_missing(missing)
    if not (is_frame(source) or isinstance(source, (str, Path))):
        raise InputError(
            "patterns name columns of a file or a frame",
            found=type(source).__name__,
            allowed="a path, a glob, or a frame of pandas, polars or arrow",
            do="give two tables of 0 and 1 instead",
        )
    with opened(source, progress=progress) as table:
        pairs = paired_columns(table.names, truth, pred)
        columns = [pair[side] for side in (0, 1) for pair in pairs.values()]
        if is_frame(source):
            both = np.stack(table.columns([Number(column) for column in columns]), axis=1)
            y_true, y_pred = np.split(both, 2, axis=1)
            return LabelSets.from_tables(y_true, y_pred, list(pairs), missing=missing)
        refuse_no_numbers(table, columns, allowed="0 and 1, or true and false")
        *values, rows = table.columns([Number(column) for column in columns], [ROWS])
    patterns = np.stack(values, axis=1)
    rows = rows.astype(np.int64)
    lost = np.isnan(patterns).any(axis=1)
    if lost.any() and missing == "error":
        raise lacking(int(rows[lost].sum()), int(rows.sum()))
    order = np.lexsort(patterns[~lost].T[::-1])  # the same order whoever counts
    known = patterns[~lost][order], rows[~lost][order]
    return LabelSets.of_patterns(list(pairs), *known, int(rows[lost].sum()))
