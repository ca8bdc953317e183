"""Notes of an evaluation: what to know of the data before the figures are read."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.counts.labels import Label, spelling_note
from steelyard.judgement.evaluate.composition import TestSet
from steelyard.judgement.evaluate.proportions import MOST_CLASSES_SWEPT
from steelyard.reading.column_names import PREDICTION_NAMES, TRUTH_NAMES
from steelyard.reading.groups import ModelCounts

FEW_EXAMPLES = 10
"""Rows of a class below which its rates rest on very little."""
UNUSED_SCORES = "Columns that look like scores were not used"
SURELY_TRUTH = ("y_true", "truth", "ground_truth", "true_label", "true_class", "gold")
"""Columns that nobody names so who keeps predictions in them."""


def notes_on(counted: ModelCounts, test_set: TestSet) -> tuple[str, ...]:
    matrix, notes = counted.matrix, _exchanged(counted)
    if counted.missing:
        notes.append(
            f"{counted.missing:,} of {counted.rows:,} rows were left out because their truth or prediction is"
            " missing."
        )
    if test_set.absent:
        notes.append(
            f"No rows of {listing(test_set.absent)}: metrics that need the recall of every class are"
            " undefined."
        )
    if alike := _alike(matrix.labels):
        notes.append(
            f"Classes {alike[0]!r} and {alike[1]!r} differ by blanks or capitals only; they are two classes."
        )
    never = [
        label for label, count in zip(matrix.labels, matrix.predicted.tolist(), strict=True) if count == 0
    ]
    if never:
        notes.append(f"Never predicted: {listing(never)}.")
    lost = [
        c.label
        for c, hits in zip(test_set.classes, matrix.hits.tolist(), strict=True)
        if c.count > 0 and hits == 0
    ]
    if lost:
        notes.append(f"No row of {listing(lost)} is classified correctly; that alone makes the G-mean 0.")
    few = [c for c in test_set.classes if 0 < c.count < FEW_EXAMPLES]
    if few:
        notes.append(
            f"Fewer than {FEW_EXAMPLES} rows of {listing([c.label for c in few])}: their rates, and every"
            " mean over classes, rest on very little."
        )
    if counted.spelled:
        notes.append(spelling_note(counted.spelled))
    if matrix.n_classes > MOST_CLASSES_SWEPT:
        notes.append(
            f"How metrics change with the prevalence of the rare classes is left out above"
            f" {MOST_CLASSES_SWEPT:,} classes; priors= gives them at any class distribution."
        )
    scores = [name for name in counted.unused if looks_like_a_score(name)]
    if scores:
        notes.append(f"{UNUSED_SCORES}: {listing(scores)}.")
    return tuple(notes)


def _exchanged(counted: ModelCounts) -> list[str]:
    """A note where the columns are named the other way round: nothing in the figures would tell."""
    truth, pred = counted.truth.casefold(), counted.pred.casefold()
    if pred in SURELY_TRUTH or (truth in PREDICTION_NAMES and pred in TRUTH_NAMES):
        columns = f"column {counted.pred!r} and the truth from {counted.truth!r}"
        return [f"Predictions were read from {columns}: are they exchanged?"]
    return []


def _alike(labels: Sequence[Label]) -> tuple[Label, Label] | None:
    """Two classes whose names differ by what a reader does not see."""
    seen: dict[str, Label] = {}
    for label in labels:
        if not isinstance(label, str):
            continue
        folded = " ".join(label.split()).casefold()
        if folded in seen:
            return seen[folded], label
        seen[folded] = label
    return None


def looks_like_a_score(name: str) -> bool:
    folded = name.casefold()
    return (
        folded.startswith(("p_", "prob", "proba", "score", "logit", "confidence"))
        or folded.endswith(("_score", "_prob", "_proba", "_probability", "_logit"))
        or folded == "p"
    )


def listing(labels: Sequence[Label], most: int = 5) -> str:
    shown = ", ".join(str(label) for label in labels[:most])
    return shown + (f" and {len(labels) - most} more" if len(labels) > most else "")
