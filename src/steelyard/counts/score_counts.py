"""Counts of examples by class and distinct score: the data behind ROC curves and thresholds."""

# A `ScoreCounts` holds, for each class, the distinct scores its examples were given and how many got each:
# ties are kept, weights are kept as sums, and two of them add up. A classifier of two classes gives one
# score column (that of the positive class), one of many classes gives a column per class. Binned scores
# need memory for the bins only, and say how far their AUC may be off.

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.counts import score_columns
from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import Encoded, encode
from steelyard.counts.labels import (
    Array,
    Label,
    PositiveChoice,
    Spoken,
    in_order,
    meant,
    plain_label,
    rest_of,
)
from steelyard.counts.libraries import refuse_unaligned
from steelyard.counts.pairs import check_weights
from steelyard.counts.ties import Ties, TwoSides, merged
from steelyard.errors import InputError, parameter


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCounts:
    """Counts at each distinct score, per class, ties kept.

    >>> import steelyard as sy
    >>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> sc
    ScoreCounts of 2 classes (0: 2, 1: 2), scores of class 1
    >>> sy.measure("roc_auc")(sc)
    0.75
    """

    labels: tuple[Label, ...]
    #: columns[j][i]: the scores in column j of the examples of class i. One column (of the positive class),
    #: or one per class.
    columns: tuple[tuple[Ties, ...], ...]
    #: The class whose score a single column is; None for a table with a column for each class.
    positive: PositiveChoice | None
    #: Where the bins begin, if the scores were binned.
    starts: Array | None = None
    #: Rows left out because they had no score.
    dropped: int = 0
    #: The starts of those bins that hold more than one score, ascending; None where that is not known.
    several: Array | None = None
    #: (C, C): examples of class i whose own score is the k-th greatest of their row, ties sharing places;
    #: None for a single column, and where rows were not looked at together.
    own_places: Array | None = None

    @classmethod
    def from_scores(
        cls,
        y_true: Any,
        score: Any,
        positive: Label | None = None,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        *,
        missing: score_columns.Missing = "error",
        probabilities: bool = False,
        bins: int | Sequence[float] | None = None,
    ) -> ScoreCounts:
        """Count a column of true labels against scores: higher means more surely of the class.

        `score` is one column, the score of the positive class, or a table with a column per class: a mapping
        or data frame by label, or an array with the classes in the order of `labels` (sorted order if they
        are not given). Rows whose score is NaN are refused, left out ("drop") or taken for the lowest score
        of all ("lowest"). With `probabilities`, scores must lie in 0..1 and the rows of a table add up to 1.
        `bins` (a number of equal bins of 0..1, or their edges) bounds the memory.
        """
        refuse_unaligned(y_true, score, sample_weight)
        truth = encode(y_true, "y_true")
        if not len(truth.codes):
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        names, table = score_columns.score_table(score)
        lengths = {len(column) for column in table}
        if lengths != {len(truth.codes)}:
            raise InputError(
                "y_true and the scores differ in length",
                found=f"{len(truth.codes)} and {', '.join(map(str, sorted(lengths)))} rows",
                allowed="one score per truth",
            )
        weights = None if sample_weight is None else check_weights(sample_weight, len(truth.codes))
        present, table = score_columns.with_missing_settled(table, missing)
        dropped = 0
        if present is not None:
            dropped = len(present) - int(np.count_nonzero(present))
            truth = Encoded(truth.codes[present], truth.labels)
            weights = None if weights is None else weights[present]
            if not len(truth.codes):
                raise InputError(
                    "no row has a score", found=f"{dropped} rows without one", allowed="at least one score"
                )
        if probabilities:
            score_columns.checked_probabilities(table)
        starts = None if bins is None else score_columns.bin_starts(bins, table)
        rows_of = {label: truth.codes == code for label, code in score_columns.codes_of_labels(truth).items()}
        if len(table) == 1:
            counted = {label: _ties(table[0], rows, weights, starts) for label, rows in rows_of.items()}
            # Rows of weight 0 are no examples, so a class that has only such rows does not occur.
            if weights is not None:
                counted = {label: ties for label, ties in counted.items() if len(ties.scores)} or counted
            return cls.from_ties(counted, positive, labels, starts=starts, dropped=dropped)
        if positive is not None:
            raise InputError(
                "a table of scores has a column for every class, so none is the positive one yet",
                found=parameter("positive", repr(positive)),
                do="leave it out here and name it when a metric of two classes needs it",
            )
        classes = score_columns.classes_of_table(names, len(table), list(rows_of), labels)
        by_name = dict(zip(classes if names is None else names, table, strict=True))
        in_class = [by_name[score_columns.column_of(by_name, label)] for label in classes]
        none = np.zeros(len(truth.codes), dtype=bool)
        rows = [rows_of.get(label, none) for label in classes]
        columns = tuple(tuple(_ties(column, at, weights, starts) for at in rows) for column in in_class)
        places = score_columns.own_places(np.select(rows, range(len(classes))), in_class, weights)
        return cls(tuple(classes), columns, None, starts, dropped, own_places=places)

    @classmethod
    def from_ties(
        cls,
        by_label: Mapping[Label, Ties],
        positive: Label | None = None,
        labels: Iterable[Label] | None = None,
        *,
        starts: Array | None = None,
        dropped: int = 0,
        several: Array | None = None,
    ) -> ScoreCounts:
        """One column of scores, already counted for each label."""
        sides, positive_label = score_columns.two_sides(in_order(list(by_label)), positive, labels)
        nothing = Ties(np.empty(0))
        column_ties = tuple(
            merged([by_label.get(label, nothing) for label in side] or [nothing]) for side in sides.values()
        )
        choice = _diagonal(tuple(sides), [column_ties]).positive_class(positive_label)
        return cls(tuple(sides), (column_ties,), choice, starts, dropped, several)

    # -- what it holds

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    @cached_property
    def totals(self) -> Array:
        """Examples (or weight) of each class, shape (C,)."""
        return np.array([ties.total for ties in self.columns[0]])

    @property
    def is_weighted(self) -> bool:
        return self.totals.dtype.kind == "f"

    def positive_class(self, positive: Label | None = None) -> PositiveChoice:
        """Which class is the positive one: that of the single score column, or as for a matrix?"""
        if self.positive is None:
            return _diagonal(self.labels, self.columns).positive_class(positive)
        if positive is not None and meant([positive], [self.positive.label]) == [None]:
            raise InputError(
                f"these are scores of class {self.positive.label!r}",
                found=parameter("positive", repr(positive)),
                do=(
                    "count the scores again with that class as the positive one, or give a column of scores"
                    " for each class"
                ),
            )
        # The caller has confirmed it.
        confirmed = self.positive._replace(reason="as given", guessed=False)
        return self.positive if positive is None else confirmed

    def ranked(self, positive: Label | None = None) -> TwoSides:
        """The scores of the positive class for its own examples and for all others."""
        place = self.positive_class(positive).place
        if place not in self._ranked:
            column = self.columns[0 if self.positive is not None else place]
            others = [ties for i, ties in enumerate(column) if i != place]
            self._ranked[place] = TwoSides(column[place], merged(others))
        return self._ranked[place]

    @cached_property
    def _ranked(self) -> dict[int, TwoSides]:
        return {}

    def auc_error_bound(self, positive: Label | None = None) -> float:
        """How far can the ROC AUC be off because of the bins?"""
        # Half the share of pairs that fell into one bin; 0 for exact scores.
        if self.starts is None:
            return 0.0
        pair = self.ranked(positive)
        if not pair.positives.total or not pair.negatives.total:
            return float("nan")
        together = pair.positives.counts * np.asarray(pair.negatives_reaching[1], dtype=np.float64)
        tied = float(together[self.holds_several(pair.positives.scores)].sum())
        return tied / (2.0 * pair.positives.total * pair.negatives.total)

    def holds_several(self, starts: Array) -> Array:
        """Which of these bins may hold more than one score?"""
        if self.starts is None:
            return np.zeros(len(starts), dtype=bool)
        return np.ones(len(starts), dtype=bool) if self.several is None else np.isin(starts, self.several)

    # -- what can be made of it

    def one_vs_rest(self, positive: Label) -> ScoreCounts:
        """One class against all others together, by the scores of that class."""
        choice = self.positive_class(positive)
        if self.positive is not None:
            return self
        other = rest_of(choice.label) if self.n_classes != 2 else self.labels[1 - choice.place]
        two = replace(self, labels=(choice.label, other), positive=choice._replace(place=0), own_places=None)
        return two.with_sides(self.ranked(positive))

    def positive_first(self, positive: Label | None = None) -> ScoreCounts:
        """The positive class against all others together, with that class first."""
        two = self
        if positive is not None or self.positive is None:
            two = self.one_vs_rest(self.positive_class(positive).label)
        assert two.positive is not None
        if two.positive.place == 0:
            return two
        turned = replace(two, labels=two.labels[::-1], positive=two.positive._replace(place=0))
        return turned.with_sides(two.ranked())

    def with_sides(self, pair: TwoSides) -> ScoreCounts:
        """The same two classes, the positive one first, with these examples."""
        two = replace(self, columns=(pair.sides,))
        # With what was already counted in it.
        two._ranked[0] = pair
        return two

    def reweighted(self, factors: Sequence[float] | Array) -> ScoreCounts:
        """Every class with its counts multiplied by its own factor, in the order of the labels."""
        class_factors = tuple(float(f) for f in factors)
        if class_factors not in self._reweighted:
            # Two are kept: several measures are asked for at equal and at the user's priors.
            if len(self._reweighted) > 1:
                self._reweighted.clear()
            columns = tuple(
                tuple(ties.scaled(f) for ties, f in zip(column, class_factors, strict=True))
                for column in self.columns
            )
            places = None if self.own_places is None else self.own_places * np.array(class_factors)[:, None]
            self._reweighted[class_factors] = replace(self, columns=columns, own_places=places)
        return self._reweighted[class_factors]

    @cached_property
    def _reweighted(self) -> dict[tuple[float, ...], ScoreCounts]:
        return {}

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        """The counts of both, with classes matched by label."""
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        if not _same_starts(self.starts, other.starts):
            raise _unlike("different bins, or bins and exact scores", "the same bins, or none in both")
        if (self.positive is None) != (other.positive is None) or len(self.columns) != len(other.columns):
            columns_of = f"{len(self.columns)} and {len(other.columns)} score columns"
            raise _unlike(columns_of, "the same score columns in both")
        names = self._names_with(other)
        nothing = Ties(self.columns[0][0].scores[:0])
        columns = []
        for name in names if self.positive is None else [self.positive.label]:
            both = []
            for counts in (self, other):
                column = counts.columns[0 if self.positive is not None else counts.labels.index(name)]
                both.append(dict(zip(counts.labels, column, strict=True)))
            columns.append(tuple(merged([ties.get(n, nothing) for ties in both]) for n in names))
        choice = self.positive and self.positive._replace(place=names.index(self.positive.label))
        places = None
        if self.own_places is not None and other.own_places is not None:
            places = self.own_places + other.own_places[[other.labels.index(name) for name in names]]
        return ScoreCounts(
            names, tuple(columns), choice, self.starts, self.dropped + other.dropped, own_places=places
        )

    def _names_with(self, other: ScoreCounts) -> tuple[Label, ...]:
        if self.positive is None or other.positive is None:
            if set(self.labels) != set(other.labels):
                classes = " and ".join(", ".join(map(str, each.labels)) for each in (self, other))
                do = f"count both with {parameter('labels', '...')}"
                raise _unlike(f"classes {classes}", "the same classes in both", do)
            return self.labels
        if self.positive.label != other.positive.label:
            classes = f"scores of class {self.positive.label!r} and of class {other.positive.label!r}"
            do = f"say {parameter('positive', '...')} when counting"
            raise _unlike(classes, "scores of one class", do)
        union = list(dict.fromkeys(self.labels + other.labels))
        # A part that holds the positive class only knows no name for the other.
        if len(union) > 2:
            occurring = {
                name for each in (self, other) for name, n in zip(each.labels, each.totals, strict=True) if n
            }
            union = [name for name in union if not isinstance(name, Spoken) or name in occurring]
        if len(union) != 2:
            raise _unlike(f"classes {', '.join(map(str, union))}", "the same two classes")
        return self.labels if set(union) == set(self.labels) else tuple(in_order(union))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ScoreCounts)
            and self.labels == other.labels
            and (self.positive and self.positive.place) == (other.positive and other.positive.place)
            and _same_starts(self.starts, other.starts)
            and self.columns == other.columns
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON: classes, their sizes, and how many distinct scores there are."""
        return {
            "labels": [plain_label(label) for label in self.labels],
            "positive": None if self.positive is None else plain_label(self.positive.label),
            "examples": self.totals.tolist(),
            "distinct_scores": [len(merged(column).scores) for column in self.columns],
            "bins": None if self.starts is None else len(self.starts) - 1,
            "rows_without_score": self.dropped,
        }

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{label}: {total:,}" for label, total in zip(self.labels, self.totals.tolist(), strict=True)
        )
        of = (
            f"scores of class {self.positive.label!r}"
            if self.positive is not None
            else "a score column for each class"
        )
        binned_by = f", in {len(self.starts) - 1} bins" if self.starts is not None else ""
        return f"ScoreCounts of {self.n_classes} classes ({sizes}), {of}{binned_by}"


def _unlike(differing: str, allowed: str, do: str = "") -> InputError:
    return InputError("these scores cannot be merged", found=differing, allowed=allowed, do=do)


def _ties(column: Array, rows: Array, weights: Array | None, starts: Array | None) -> Ties:
    # Places first: where the classes lie mixed, picking rows by true and false takes more than twice as long.
    places = np.flatnonzero(rows)
    scores, class_weights = column.take(places), None if weights is None else weights.take(places)
    if starts is not None:
        return score_columns.binned(scores, class_weights, starts)
    if class_weights is not None:
        return Ties.of(scores, class_weights)
    scores.sort()
    return Ties.of_sorted(scores)


def _diagonal(names: tuple[Label, ...], columns: Sequence[Sequence[Ties]]) -> Confusion:
    # The class sizes as a matrix, so that the positive class is chosen by the one rule there is.
    return Confusion(np.diag([ties.total for ties in columns[0]]), names)


def _same_starts(a: Array | None, b: Array | None) -> bool:
    return (a is None) == (b is None) and (a is None or np.array_equal(a, b))  # type: ignore[arg-type]
