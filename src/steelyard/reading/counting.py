"""Counting the pairs of true and predicted labels of a table in one pass, whatever engine holds it."""

# The engine groups; what comes back are groups of truth, predictions and slices with their counts, which
# become matrices here.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import add, itemgetter
from typing import Any, NamedTuple

from steelyard.counts.checks import MOST_CLASSES
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, check_missing, in_order_of, is_missing, meant, one_spelling
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.reading import table as ask
from steelyard.reading.column_names import find_column, order_in_frame, refuse_truth_as_prediction
from steelyard.reading.engines import opened
from steelyard.reading.groups import (
    Group,
    ModelCounts,
    as_in_data,
    checked,
    complete,
    dense,
    labels_in,
    matrix_of,
    refuse_scores,
    slice_text,
)

BLOCK = "block"
# A column with more labels than this in so many groups holds scores or ids; with fewer, the groups come of
# slices, or of many models, and all of them are counted.
MOST_LABELS = 100_000
# More groups than this are not fetched, whatever they hold: they would fill the memory of a common machine.
MOST_OF_ALL = 20_000_000


# -- what is counted
#
# Counts are sufficient statistics: whatever the number of rows, this is all that evaluation needs. They are
# kept as groups that occur, so that 50,000 classes cost what occurs and not 50,000 x 50,000; a matrix is
# built when one is asked for.


class ClassSums(NamedTuple):
    """What the measures that need no matrix need of a class."""

    actual: float
    predicted: float
    hits: float


@dataclass(frozen=True, repr=False)
class Counts(Mapping[str, Confusion]):
    """What was counted for one or several models; as a mapping, the confusion matrix of each model.

    >>> import steelyard as sy
    >>> counts = sy.count("predictions.csv", truth="y", pred=["rf", "svm"])
    >>> isinstance(counts, sy.Counts), list(counts)
    (True, ['rf', 'svm'])
    >>> counts["rf"].labels
    ('fraud', 'ok')
    """

    #: For each model (the column of its predictions) the groups of rows that have both labels.
    groups: dict[str, tuple[Group, ...]]
    truth: str
    #: The columns the rows were cut by.
    by: tuple[str, ...]
    weighted: bool
    rows: int
    #: For each model the rows left out because the truth or its prediction was missing.
    missing: dict[str, int]
    #: The classes, where the caller named them.
    listed: tuple[Label, ...] | None
    #: Columns that were not read.
    unused: tuple[str, ...]
    #: Numbers that were written in two ways: what was read as what.
    spelled: Mapping[Label, str] = field(default_factory=dict)
    #: The order of the classes, where the columns are categories that have one.
    order: tuple[Label, ...] | None = None

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.groups)

    def labels(self, model: str | None = None) -> tuple[Label, ...]:
        """The classes: those the caller named, or those that occur (with some weight), in order."""
        if self.listed is not None:
            return self.listed
        occurring = [label for label, sums in self.classes(model).items() if any(sums)]
        return tuple(in_order_of(self.order, occurring))

    def confusion(self, model: str | None = None, part: Sequence[str] | str | None = None) -> Confusion:
        """The confusion matrix of a model, altogether or in one slice; refused where it would not fit into
        memory."""
        name = self._model(model)
        groups: Sequence[Group] = self.groups[name]
        classes = self.labels(name)
        if part is not None:
            wanted = (part,) if isinstance(part, str) else tuple(part)
            groups = [group for group in groups if group.slice == wanted]
            if not groups:
                raise UnknownNameError("slice", " / ".join(wanted), [" / ".join(s) for s in self.parts(name)])
        named = self.listed is not None or part is not None
        return matrix_of(groups, self.weighted, classes if named else None, self.order)

    def parts(self, model: str | None = None) -> list[tuple[str, ...]]:
        """The slices that occur."""
        return sorted({group.slice for group in self.groups[self._model(model)]}) if self.by else []

    def classes(self, model: str | None = None) -> dict[Label, ClassSums]:
        """Examples, predictions and hits of each class: sums over the groups, for any number of classes."""
        actual: dict[Label, float] = {}
        predicted: dict[Label, float] = {}
        hits: dict[Label, float] = {}
        for group in self.groups[self._model(model)]:
            actual[group.truth] = actual.get(group.truth, 0) + group.weight
            predicted[group.prediction] = predicted.get(group.prediction, 0) + group.weight
            if group.truth == group.prediction:
                hits[group.truth] = hits.get(group.truth, 0) + group.weight
        return {
            label: ClassSums(actual.get(label, 0), predicted.get(label, 0), hits.get(label, 0))
            for label in actual | predicted
        }

    def counted(self, model: str | None = None) -> ModelCounts:
        """The matrices of one model, as `steelyard.evaluate` takes them."""
        name = self._model(model)
        groups = self.groups[name]
        truths, predictions = labels_in(groups)
        for column, values in ((self.truth, truths), (name, predictions)):
            refuse_scores(column, values, self.rows - self.missing[name], self.listed, MOST_CLASSES)
        return dense(
            groups,
            truth=self.truth,
            pred=name,
            unused=self.unused,
            slice_columns=self.by,
            weighted=self.weighted,
            labels=self.listed,
            rows=self.rows,
            missing=self.missing[name],
            spelled=self.spelled,
            order=self.order,
        )

    def __getitem__(self, model: str) -> Confusion:
        return self.confusion(model)

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __add__(self, other: Counts) -> Counts:
        """The counts of both, as if their rows had been counted together."""
        if not isinstance(other, Counts):
            return NotImplemented
        kind = (self.models, self.truth, self.by, self.weighted)
        if kind != (other.models, other.truth, other.by, other.weighted):
            raise InputError(
                "these counts cannot be merged",
                found=(
                    f"{', '.join(self.models)} by {self.by or 'nothing'} and {', '.join(other.models)} by"
                    f" {other.by or 'nothing'}"
                ),
                allowed="counts of the same models, truth, slices and weights",
            )
        listed = (
            None
            if self.listed is None or other.listed is None
            else tuple(dict.fromkeys(self.listed + other.listed))
        )
        return replace(
            self,
            groups={model: merged([*self.groups[model], *other.groups[model]]) for model in self.models},
            rows=self.rows + other.rows,
            missing={model: self.missing[model] + other.missing[model] for model in self.models},
            listed=listed,
        )

    def __repr__(self) -> str:
        models = ", ".join(f"{model}: {len(groups):,} groups" for model, groups in self.groups.items())
        cut = f", cut by {', '.join(self.by)}" if self.by else ""
        return f"Counts of {self.rows:,} rows ({models}{cut})"

    def _model(self, model: str | None) -> str:
        if model is None:
            if len(self.groups) != 1:
                raise InputError(
                    "which model is meant?",
                    found=f"{len(self.groups)} models",
                    allowed=", ".join(self.groups),
                )
            return next(iter(self.groups))
        if model not in self.groups:
            raise UnknownNameError("model", model, self.groups)
        return model


def merged(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Groups with equal labels and slices made one."""
    if len(set(map(itemgetter(0, 1, 2), groups))) == len(groups):
        return tuple(groups)
    by_key: dict[tuple[object, ...], Group] = {}
    for group in groups:
        # The first three fields say what the rows share, the others are sums.
        key, sums = group[:3], group[3:]
        seen = by_key.get(key)
        by_key[key] = group if seen is None else Group(*key, *map(add, seen[3:], sums))
    return tuple(by_key.values())


# -- counting


def count(
    source: Any,
    *,
    truth: str | None = None,
    pred: str | Sequence[str] | None = None,
    weight: str | None = None,
    slices: str | Sequence[str] = (),
    missing: str = "error",
    labels: Iterable[Label] | None = None,
    engine: str | None = None,
    spark_master: str | None = None,
    memory_limit: str | None = None,
    progress: ask.Progress | None = None,
    by: str | Sequence[str] = (),
) -> Counts:
    """Count the pairs of true and predicted labels of one or several models, in one pass and whatever the
    number of rows.

    `source` is a path or a glob (CSV, TSV, JSON lines, Parquet), or a frame that stays where it is: a DuckDB
    relation, a Polars frame, a pandas frame, a PyArrow table or a Spark frame. `pred` names the predictions
    of one model or of several, `slices` the columns to cut the rows by (`by` is its former name). `engine`
    says who reads files: "duckdb" (the default) or "spark"; `memory_limit` (such as "2GB") is DuckDB's.

    >>> import steelyard as sy
    >>> sy.count("predictions.csv", truth="y", pred="yhat").confusion().counts.tolist()
    [[90, 10], [30, 870]]
    """
    check_missing(missing)
    if by and slices:
        raise InputError(
            "slices is given twice",
            found=f"{parameter('slices')} and {parameter('by')}",
            allowed=parameter("slices"),
        )
    cut = slices or by
    with opened(source, engine, spark_master, memory_limit, progress) as table:
        counts = count_table(
            table, truth, pred, weight, [cut] if isinstance(cut, str) else list(cut), missing, labels
        )
    return replace(counts, order=order_in_frame(source, [counts.truth, *counts.models]))


def combinations(table: ask.Table, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """How often each combination of values in these columns occurs: the values as written, then the rows."""
    for column in columns:
        find_column(column, table.names)
    answers = _answers(table, [ask.Question(list(map(ask.Column, columns)), (ask.ROWS,))], [columns])
    return [(*row[:-1], int(row[-1])) for rows in answers or () for row in rows]


def _answers(
    table: ask.Table,
    questions: Sequence[ask.Question],
    columns: Sequence[Sequence[str]],
    splittable: bool = False,
) -> list[list[ask.Row]] | None:
    """The groups of each question, whose first keys are these columns."""
    # Where there are very many, a column of scores or ids is refused; groups of few labels in many slices, or
    # of models that disagree in many ways, are all wanted. None where a question can be split instead.
    several = len(questions) > 1
    answers = (
        table.several(questions) if several else [list(islice(table.groups(*questions[0]), table.most + 1))]
    )
    large = [(rows, names) for rows, names in zip(answers, columns, strict=True) if len(rows) > table.most]
    if not large or splittable:
        return None if large else answers
    for rows, names in large:
        for place, name in enumerate(names):
            different = len({row[place] for row in rows})
            if different > MOST_LABELS:
                raise InputError(
                    f"the column {name!r} does not look like labels",
                    found=f"at least {different:,} different values in more than {ask.MOST_GROUPS:,} groups",
                    allowed=f"at most {MOST_LABELS:,} class labels in so many groups",
                    do="check that it is not a column of scores or ids",
                )
    if table.most >= MOST_OF_ALL:
        raise InputError(
            "there are too many different combinations of values",
            found=f"more than {MOST_OF_ALL:,} of {', '.join(large[0][1])} and slices",
            allowed=f"at most {MOST_OF_ALL:,}",
            do="cut by fewer columns, or count fewer models at once",
        )
    table.most = MOST_OF_ALL
    return _answers(table, questions, columns)


def count_table(
    table: ask.Table,
    truth: str | None,
    pred: str | Sequence[str] | None,
    weight: str | None,
    by: Sequence[str],
    missing: str,
    labels: Iterable[Label] | None,
    block: int | None = None,
) -> Counts:
    """Count the labels of an open table; cut by the slices and then, where a block has so many rows, by the
    number of the block: rows follow each other as they are written, file by file."""
    truth = find_column(truth, table.names, "truth")
    rest = [column for column in table.names if column != truth]
    # pandas may call a column 0
    single = pred is None or isinstance(pred, str) or not isinstance(pred, Iterable)
    wanted: list[Any] = [pred] if single else list(pred or ())
    if not wanted:
        raise InputError(
            "no predictions were named",
            found=parameter("pred", "[]"),
            allowed="one column of predictions or several",
        )
    refuse_truth_as_prediction(truth, wanted)
    models = [find_column(name, rest, "prediction") for name in wanted]
    by = [find_column(column, table.names) for column in by]
    weight = None if weight is None else find_column(weight, table.names)
    if len(set(models)) < len(models):
        raise InputError(
            "a model is named twice", found=", ".join(models), allowed="different columns of predictions"
        )
    keys: list[ask.Key] = [*map(ask.Column, by), *([] if block is None else [ask.RowBlock(block)])]
    by_model, rows = _groups(table, truth, models, weight, keys)
    labels_of = (column for groups in by_model.values() for column in labels_in(groups))
    spelled = one_spelling(*labels_of) if table.holds_text else {}
    if spelled:  # every number is written in one way
        by_model = {
            model: tuple(
                g._replace(
                    truth=spelled.get(g.truth, g.truth), prediction=spelled.get(g.prediction, g.prediction)
                )
                for g in groups
            )
            for model, groups in by_model.items()
        }
    asked_for = None if labels is None else tuple(labels)
    merged_groups: dict[str, tuple[Group, ...]] = {}
    lost: dict[str, int] = {}
    for model in models:
        incomplete = missing == "error" and len(complete(list(by_model[model]))) < len(by_model[model])
        first = table.first_row(truth, model) if incomplete else None
        groups, _, lost[model] = checked(by_model[model], truth, model, missing, first, asked_for)
        merged_groups[model] = merged(groups)  # models that were counted together split each other's groups
    everything = [group for groups in merged_groups.values() for group in groups]
    listed = None if asked_for is None else as_in_data(asked_for, everything, table.holds_text)
    used = {truth, *models, *by, *([weight] if weight is not None else [])}
    unused = tuple(column for column in table.names if column not in used)
    return Counts(
        groups=merged_groups,
        truth=truth,
        by=(*by, *([] if block is None else [BLOCK])),
        weighted=weight is not None,
        rows=rows,
        missing=lost,
        listed=listed,
        unused=unused,
        spelled=spelled,
    )


def _groups(
    table: ask.Table,
    truth: str,
    models: Sequence[str],
    weight: str | None,
    by: ask.Keys,
    prediction: Callable[[str], ask.Key] = ask.Column,
) -> tuple[dict[str, tuple[Group, ...]], int]:
    """For each model its groups, and the number of rows."""
    # Grouped by the predictions of all models together, rows are seen once, and groups are few where models
    # agree. Where they travel over a network each model is apart: at most models x classes x classes x slices
    # come back.
    together = [[model] for model in models] if table.travels else [list(models)]
    questions = [
        ask.Question([ask.Column(truth), *map(prediction, some), *by], ask.weight_sums(weight))
        for some in together
    ]
    splittable = len(models) > 1 and not table.travels
    answers = _answers(table, questions, [[truth, *some] for some in together], splittable)
    if answers is None:  # the models together, but perhaps not each of them, have too many groups
        parts = [_groups(table, truth, [model], weight, by, prediction) for model in models]
        return {model: groups for counted, _ in parts for model, groups in counted.items()}, parts[0][1]
    by_model: dict[str, tuple[Group, ...]] = {}
    for some, rows in zip(together, answers, strict=True):
        by_model |= _of_rows(rows, some, len(by), not by and weight is None)
    return by_model, sum(group.rows for group in by_model[models[0]])


def _of_rows(
    rows: Iterable[ask.Row], models: Sequence[str], slices: int, plain: bool
) -> dict[str, tuple[Group, ...]]:
    """The groups of each model from rows of truth, predictions, slices and sums."""
    # `plain` ones have neither slices nor weights.
    end = 1 + len(models)
    if plain and len(models) == 1:  # a million pairs of classes, in a third of the time
        return {models[0]: tuple(Group(t, p, (), int(n), int(n), 0, float(n)) for t, p, n in rows)}
    by_model: dict[str, list[Group]] = {model: [] for model in models}
    for row in rows:
        slice_values = tuple(map(slice_text, row[end : end + slices]))
        rows_of, *weights = row[end + slices :]
        sums: tuple[int, float, int, float] = (int(rows_of), int(rows_of), 0, float(rows_of))
        if weights:  # their sum, how many cannot be used, and the sum of squares
            weight = float("nan") if weights[0] is None else weights[0]
            sums = (int(rows_of), weight, int(weights[1]), float(weights[2] or 0))
        for model, called in zip(models, row[1:end], strict=True):
            by_model[model].append(Group(row[0], called, slice_values, *sums))
    return {model: tuple(groups) for model, groups in by_model.items()}


# -- labels that scores stand for: those that reach a threshold, or of the largest score


def count_labels_of_scores(
    table: ask.Table,
    truth: str | None,
    columns: Mapping[Label, str],
    labels: Sequence[Label],
    *,
    threshold: float | None,
    name: str,
    weight: str | None = None,
    slices: Sequence[str] = (),
    missing: str = "error",
    costs: Any = None,
) -> ModelCounts:
    """Count truth against the labels that scores stand for."""
    # With a `threshold` there is one column, the first of `labels` is its class and the second stands for all
    # others; without one, `columns` maps each of the `labels` to its scores: the largest gives the label, or
    # with `costs` (a table, rows are truth) the scores are probabilities and the label that costs least is
    # taken.
    truth = find_column(truth, [c for c in table.names if c not in columns.values()], "truth")
    for column in (*columns.values(), *slices, *([weight] if weight else [])):
        find_column(column, table.names)
    scores = tuple(columns.values())
    if costs is not None:  # weighed by probabilities: numbers from 0 to 1 that add up to 1 in every row
        from steelyard.reading.score_counting import refuse_no_probabilities

        refuse_no_probabilities(table, scores)
    # Labels are made where the rows are: of a billion scores a few groups come back.
    decision = ask.Decision(scores, threshold, None if costs is None else tuple(map(tuple, costs.tolist())))
    counted, _ = _groups(table, truth, [name], weight, list(map(ask.Column, slices)), lambda _: decision)
    by_decision = counted[name]
    spelled = one_spelling({group.truth for group in by_decision}) if table.holds_text else {}
    groups = [
        group._replace(
            truth=_known(spelled.get(group.truth, group.truth), labels, threshold is not None),
            prediction=None if group.prediction is None else labels[int(group.prediction)],
        )
        for group in by_decision
    ]
    whole_groups, rows, lost = checked(groups, truth, name, missing, None, labels)
    used = {truth, *scores, *slices, *([weight] if weight else [])}
    return dense(
        whole_groups,
        truth=truth,
        pred=name,
        unused=[column for column in table.names if column not in used],
        slice_columns=tuple(slices),
        weighted=weight is not None,
        labels=labels,
        rows=rows,
        missing=lost,
        spelled=spelled,
    )


def _known(label: Any, labels: Sequence[Label], folded: bool) -> Any:
    """The class a true label means; all others are the second class where there are two sides only."""
    if is_missing(label):
        return None
    (same,) = meant([label], labels)
    return same if same is not None else labels[1] if folded else label
