"""Notes and findings of an evaluation."""

# What to know of the data before the figures are read, what looks like a mistake in it, and what to do next.

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from steelyard.counts.labels import Label, spelling_note
from steelyard.judgement.baselines import best_constant
from steelyard.judgement.evaluate.classes import TestSet
from steelyard.judgement.evaluate.inputs import EvaluationInput
from steelyard.judgement.evaluate.prevalence_dependence import MOST_CLASSES_SWEPT
from steelyard.measures.names import short_name
from steelyard.reading.column_names import PREDICTION_NAMES, TRUTH_NAMES
from steelyard.reading.groups import ModelCounts
from steelyard.report.class_names import quoted, short_names
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import Finding, command_line

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation


# Rows of a class below which its rates rest on very little.
FEW_EXAMPLES = 10
UNUSED_SCORES = "Columns that look like scores were not used"
# Columns that nobody names so who keeps predictions in them.
SURELY_TRUTH = ("y_true", "truth", "ground_truth", "true_label", "true_class", "gold")
# A perfect result of fewer rows is no news.
ROWS_TO_DOUBT = 30
# Column names that say when a row happened: neighbours in time are rarely independent.
_TIMES = re.compile(r"(.+_)?(time|timestamp|datetime|date|ts)|.+_at", re.I)
# Standard errors by which another order of the score columns must do better.
_CLEARLY = 4.0


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
            f"Fewer than {FEW_EXAMPLES} rows of {listing([c.label for c in few])}: recall there, and every"
            " mean over classes, rests on too few rows to be relied on."
        )
    if counted.spelled:
        notes.append(spelling_note(counted.spelled))
    if matrix.n_classes > MOST_CLASSES_SWEPT:
        notes.append(
            f"How metrics change with the prevalence of the rare classes is left out above"
            f" {MOST_CLASSES_SWEPT:,} classes; priors give them at any class distribution."
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


def suspicious_input(inputs: EvaluationInput) -> tuple[str, ...]:
    """Sentences about what looks like a mistake, each with what to do."""
    matrix = inputs.matrix
    checks = (_copied, _threshold_elsewhere, _exchanged_columns, _labels_of_another_model, _in_time)
    return tuple(note for check in checks for note in check(inputs)) if matrix.n_classes > 1 else ()


def _in_time(inputs: EvaluationInput) -> list[str]:
    """A column of times beside rows that are taken for independent."""
    if inputs.units is not None or inputs.scores is not None or inputs.strata is not None:
        return []
    times = [name for name in inputs.counted.unused if _TIMES.fullmatch(name)]
    return [
        f"Column {name!r} looks like a time. If rows near in time err together, the intervals are too narrow:"
        " put the rows in order of time and let block='auto' (--block auto) allow for it."
        for name in times[:1]
    ]


def _copied(inputs: EvaluationInput) -> list[str]:
    """Predictions that are the truth in every row."""
    counted = inputs.counted
    if counted.matrix.hits.sum() < counted.matrix.total or counted.rows < ROWS_TO_DOUBT:
        return []
    if inputs.labels_from_scores or inputs.source == "a confusion matrix":
        return []
    return [
        (
            f"All {counted.rows - counted.missing:,} predictions equal the truth: check that column"
            f" {counted.pred!r} was predicted and is no copy of {counted.truth!r}."
        )
    ]


def _threshold_elsewhere(inputs: EvaluationInput) -> list[str]:
    """A threshold on another scale than the scores: none or all of them reach it, or they are percentages."""
    choice, scores = inputs.threshold, inputs.scores
    if choice is None or scores is None or choice.how != "given":
        return []
    ends = [float(ties.scores[end]) for ties in scores.columns[0] if len(ties.scores) for end in (0, -1)]
    low, high, threshold = min(ends), max(ends), choice.threshold
    if threshold > high:
        percent = (
            f" If it is a percentage, use {shown(threshold / 100)}."
            if 1 < threshold <= 100 and high <= 1
            else ""
        )
        return [f"No score reaches the threshold {threshold:g}: the largest is {high:g}.{percent}"]
    if 0 < threshold < 1 < high <= 100 and low >= 0:
        where = f"from {low:g} to {high:g}, and the threshold {threshold:g} is below 1"
        return [f"Scores range {where}: if they are percentages, use {100 * threshold:g}."]
    if threshold <= low:
        return [f"Every score reaches the threshold {threshold:g}: the smallest is {low:g}."]
    return []


def _labels_of_another_model(inputs: EvaluationInput) -> list[str]:
    """Labels that no threshold on the scores gives: with as many alerts the scores detect more, or fewer."""
    scores, matrix = inputs.scores, inputs.matrix
    if scores is None or inputs.labels_from_scores or len(scores.columns) > 1 or matrix.n_classes != 2:
        return []
    label = scores.positive_class().label
    place = matrix.labels.index(label)
    alerts, hits = float(matrix.predicted[place]), float(matrix.counts[place, place])
    by_scores, _, false, _ = scores.one_vs_rest(label).positive_first().ranked().cells
    alerts_at = np.concatenate([[0.0], by_scores + false])
    detected = np.concatenate([[0.0], by_scores])
    # Tied scores alert together, so the labels fit if their hits lie between two neighbouring thresholds.
    above = int(np.searchsorted(alerts_at, alerts))
    if above >= len(alerts_at) or detected[max(above - 1, 0)] <= hits <= detected[above]:
        return []
    return [
        (
            f"The labels in column {inputs.counted.pred} are not those of a threshold on the scores: with as"
            f" many alerts the scores detect {detected[above]:,.0f}, the labels {hits:,.0f}. ROC curve,"
            " calibration and thresholds describe the scores."
        )
    ]


def _exchanged_columns(inputs: EvaluationInput) -> list[str]:
    """A column of scores for each class, of which another order would be right far more often."""
    matrix = inputs.matrix
    if inputs.scores is None or not inputs.labels_from_scores or len(inputs.scores.columns) < 2:
        return []
    # The best order of columns is an assignment problem (Hungarian algorithm): all orders are too many.
    from scipy.optimize import linear_sum_assignment

    counts = np.asarray(matrix.counts, dtype=float)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    best, now = counts[rows, columns].sum(), np.trace(counts)
    if best - now <= _CLEARLY * np.sqrt(best + now):
        return []
    # predicted column j belongs to the class whose rows have their largest score there
    order = [matrix.labels[row] for row in np.argsort(columns)]
    if sorted(map(str, order)) != sorted(map(str, matrix.labels)):
        return []
    names = json.dumps([label if isinstance(label, (str, int)) else str(label) for label in order])
    taken, better = (", ".join(map(str, labels)) for labels in (matrix.labels, order))
    finding = (
        f"The columns of scores look exchanged: taken as {taken} they are right in {now:,.0f} of"
        f" {matrix.total:,.0f} rows, as {better} in {best:,.0f}. Name the classes in column order:"
        f" labels={names}."
    )
    return [finding]


# A root mean square calibration error whose whole interval lies above this is a finding.
MISCALIBRATED = 0.05
# A prevalence at which precision is worth looking at, where the test set is richer in positives.
RARE = 0.001


def find(result: Evaluation) -> tuple[Finding, ...]:
    """Every finding, warnings before notes."""
    findings = [
        *_never_detected(result),
        *_worse_than_constant(result),
        *first_warnings(result),
        *_chosen_on_these_rows(result),
        *_few_examples(result),
        *_unused_scores(result),
        *_without_costs(result),
        *_depends_on_prevalence(result),
    ]
    return tuple(sorted(findings, key=lambda finding: finding.kind == "note"))


def _command(result: Evaluation, command: str, *, pred: bool = True, **options: object) -> str:
    """A command on the same file and columns; none where the predictions came from no file."""
    if not isinstance(result.options.data, (str, Path)):
        return ""
    if result.options.gold is not None:  # labels of two kinds are for evaluate alone
        return ""
    chosen, columns = result.options, result.counted
    # Labels that a threshold makes of scores are no column of the file.
    from_scores = chosen.threshold is not None and "score" not in options
    two = result.positive is not None and result.matrix.n_classes == 2
    arguments = {
        "truth": columns.truth,
        "pred": columns.pred if pred and not from_scores else None,
        "score": chosen.score if from_scores else None,
        "scores": chosen.scores if from_scores else None,
        "threshold": chosen.threshold if from_scores else None,
        # A threshold that costs least needs the costs again, and a threshold is chosen by them.
        "cost": chosen.cost
        if isinstance(chosen.cost, str)
        and (command == "threshold" or (from_scores and command == "evaluate"))
        else None,
        "positive": result.positive.label if result.positive is not None and two else None,
        "weight": chosen.weight if isinstance(chosen.weight, str) else None,
        "missing": None if chosen.missing == "error" else chosen.missing,
    }
    return command_line(command, chosen.data, **{**arguments, **options})


def first_warnings(result: Evaluation) -> Iterator[Finding]:
    """Warnings that have room on the first screen: no skill shown, scores that are no probabilities."""
    primary = next((row for row in result.first if row.measure.name == result.decider.measure.name), None)
    ends = None if primary is None else result.interval_of(primary.measure.name)
    base = None if primary is None else primary.baseline
    if primary is not None and ends is not None and base is not None:
        sign = -1 if primary.measure.better == "lower" else 1
        best, worst = sorted((sign * ends.low, sign * ends.high), reverse=True)
        if worst <= sign * base.value:
            is_worse = best < sign * base.value
            yield Finding(
                "warning",
                f"{short_name(primary.measure)} {shown(primary.observed)} ({result.level_text}"
                f" {between(ends.low, ends.high)}) is"
                f" {'worse' if is_worse else 'not significantly better'} than its no-skill value"
                f" {shown(base.value)}.",
                f"A constant or random prediction {'is better' if is_worse else 'may be just as good'}.",
                "Evaluate on more rows, or improve the classifier first.",
            )
    report = None if result.ranking is None else result.ranking.probabilities
    if report is not None and (report.skill < 0 or report.error_low > MISCALIBRATED):
        yield Finding(
            "warning",
            f"The scores are not calibrated probabilities (expected calibration error"
            f" {shown(report.expected_error)}).",
            "Always predicting the prevalence would have a lower Brier score."
            if report.skill < 0
            else "A score of 0.8 does not mean that 80% of such rows are positive.",
            "Recalibrate them on other rows (isotonic regression or Platt scaling) before they are read as"
            " probabilities; the ranking, and thresholds chosen on data, stay valid.",
        )


def _never_detected(result: Evaluation) -> Iterator[Finding]:
    matrix = result.matrix
    names = short_names(matrix.labels)
    missed = [k for k in range(matrix.n_classes) if matrix.actual[k] and not matrix.hits[k]]
    if not missed:
        return
    classes = listing([names[k] for k in missed])
    total = count(sum(float(matrix.actual[k]) for k in missed))
    yield Finding(
        "warning",
        f"No row of {classes} is classified correctly (0 of {total}).",
        "Recall is 0 there, and so is the G-mean, however good the other classes are.",
        "Look at what these rows are predicted as: the full report lists each class.",
    )


def _worse_than_constant(result: Evaluation) -> Iterator[Finding]:
    constant = best_constant(result.matrix)
    accuracy = float(result.matrix.hits.sum() / result.matrix.total)
    if accuracy > constant.accuracy:
        return
    primary = short_name(result.decider.measure)
    yield Finding(
        "warning",
        f"Accuracy ({percent(accuracy)}) is not above that of always predicting {quoted(constant.label)}"
        f" ({percent(constant.accuracy)}).",
        "On imbalanced data accuracy rewards ignoring the rare class; it cannot rank classifiers here.",
        f"Judge by {primary}, or by what errors cost.",
    )


def _chosen_on_these_rows(result: Evaluation) -> Iterator[Finding]:
    choice = None if result.ranking is None else result.ranking.choice
    if choice is None or not choice.optimism_note:
        return
    yield Finding(
        "warning",
        "The threshold was chosen on the rows that judge it.",
        choice.optimism_note,
        "Choose the threshold on other rows: name their file with --fit-on.",
    )


def _few_examples(result: Evaluation) -> Iterator[Finding]:
    few = [c for c in result.test_set.classes if 0 < c.count < FEW_EXAMPLES]
    if not few:
        return
    yield Finding(
        "warning",
        f"Fewer than {FEW_EXAMPLES} rows of {listing([c.label for c in few])}.",
        "The rates of these classes, and every mean over classes, rest on very few rows.",
        "Plan how many rows an interval of width 0.1 needs.",
        _command(result, "plan", measure=result.decider.measure.name, width=0.1, weight=None, missing=None),
    )


def _depends_on_prevalence(result: Evaluation) -> Iterator[Finding]:
    rows = {row.measure.name: row for row in result.first}
    precision = rows.get("precision")
    two = result.positive is not None and result.matrix.n_classes == 2
    if not two or precision is None or result.priors is not None or math.isnan(precision.observed):
        return
    assert result.positive is not None
    place = result.matrix.labels.index(result.positive.label)
    prevalence = float(result.matrix.actual[place] / result.matrix.total)
    if prevalence < 0.01 or not precision.depends_on_shares:
        return
    yield Finding(
        "note",
        f"Precision holds at a prevalence of {percent(prevalence)}.",
        "Where the class is rarer, more of the alerts are false; recall and G-mean do not change.",
        "Put yours in place of 0.001.",
        _command(result, "evaluate", priors=RARE),
    )


def _unused_scores(result: Evaluation) -> Iterator[Finding]:
    names = [name for name in result.counted.unused if looks_like_a_score(name)]
    if not names or result.ranking is not None or result.sample is not None:
        return
    if result.matrix.n_classes > 2:
        yield Finding(
            "note",
            f"Not used, although their names suggest scores: {listing(names)}.",
            "Scores show how well the classes are ranked, and whether probabilities are calibrated.",
            "Name the columns of scores with --scores, a star for the class.",
        )
        return
    yield Finding(
        "note",
        f"Column {names[0]} looks like a score and was not used.",
        "Another threshold on the score may serve better than the labels given.",
        "Choose a threshold by cost or by review capacity.",
        _command(result, "threshold", pred=False, score=names[0]),
    )


def _without_costs(result: Evaluation) -> Iterator[Finding]:
    if result.costs is not None or result.ranking is None or result.matrix.n_classes != 2:
        return
    if result.sample is not None:
        return
    if result.options.score is None:
        return
    yield Finding(
        "note",
        "No costs of errors were given.",
        "Without them the primary metric weights both classes equally, which may not be what an error costs.",
        "Compare thresholds, and give costs or a review capacity.",
        _command(result, "threshold", pred=False, score=result.options.score),
    )
