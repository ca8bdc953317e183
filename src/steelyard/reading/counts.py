"""Confusion matrices of each model and slice, from any source."""

# Counts are sufficient statistics: whatever the number of rows, this is all that evaluation needs. They are
# kept as groups that occur, so that 50,000 classes cost what occurs and not 50,000 x 50,000; a matrix is
# built when one is asked for.

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import NamedTuple

from steelyard.counts.checks import MOST_CLASSES
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, in_order_of
from steelyard.errors import InputError, UnknownNameError
from steelyard.reading.groups import Group, ModelCounts, dense, labels_in, matrix_of, refuse_scores


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
        self._refuse_dense(classes)
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
        if self.listed is not None or len(truths | predictions) > MOST_CLASSES:
            self._refuse_dense(self.labels(name))
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

    def _refuse_dense(self, classes: Sequence[Label]) -> None:
        if len(classes) > MOST_CLASSES:
            raise InputError(
                "there are too many classes for a confusion matrix",
                found=f"{len(classes):,} classes, {len(classes) ** 2:,} cells",
                allowed=f"at most {MOST_CLASSES:,} classes",
                do="use .classes() for sums per class, or .groups for the pairs that occur",
            )


def merged(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Groups with equal labels and slices made one."""
    if len(set(map(itemgetter(0, 1, 2), groups))) == len(groups):
        return tuple(groups)
    by_key: dict[tuple[object, ...], Group] = {}
    for group in groups:
        key = (group.truth, group.prediction, group.slice)
        seen = by_key.get(key)
        by_key[key] = (
            group
            if seen is None
            else seen._replace(
                rows=seen.rows + group.rows,
                weight=seen.weight + group.weight,
                bad_weights=seen.bad_weights + group.bad_weights,
                squares=seen.squares + group.squares,
            )
        )
    return tuple(by_key.values())
