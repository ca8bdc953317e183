"""Notes and findings of an evaluation."""

# What to know of the data before the figures are read, what looks like a mistake in it, and what to do next.

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, spelling_note
from steelyard.counts.score_counts import ScoreCounts
from steelyard.judgement.baselines import best_constant
from steelyard.judgement.evaluate.classes import TestSet
from steelyard.judgement.evaluate.inputs import EvaluationInput
from steelyard.judgement.evaluate.prevalence_dependence import MOST_CLASSES_SWEPT
from steelyard.judgement.reproduction import command_for
from steelyard.measures.names import short_name
from steelyard.reading.column_names import PREDICTION_NAMES, TRUTH_NAMES
from steelyard.reading.groups import ModelCounts
from steelyard.report.class_names import quoted, short_names
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import Finding

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation
    from steelyard.scores.ranking_result import RankingReport


# Rows of a class below which its rates rest on very little.
FEW_EXAMPLES = 10
UNUSED_SCORES = "Columns that look like scores were not used"
# Columns that nobody names so who keeps predictions in them.
SURELY_TRUTH = ("y_true", "truth", "ground_truth", "true_label", "true_class", "gold")
# A perfect result of fewer rows is no news.
ROWS_TO_DOUBT = 30
# Column names that say how likely a class is.
_SCORES = re.compile(
    r"(p_|prob|score|logit|confidence).*|.*_(score|prob|proba|probability|logit)|p", re.I | re.S
)
# Column names that say when a row happened: neighbours in time are rarely independent.
_TIMES = re.compile(r"(.+_)?(time|timestamp|datetime|date|ts)|.+_at", re.I)
INVERSE_PROBABILITIES = (
    "The weights look like inverse inclusion probabilities. Intervals of weighted rows do not know the strata"
    " of a sample: name the columns with --stratum and --inclusion instead."
)
ROWS_ALONE = (
    "Intervals and bands of the scores take rows for independent, so they are too narrow where rows of one"
    " group are alike."
)
# Standard errors by which another order of the score columns must do better.
_CLEARLY = 4.0


def notes_on(inputs: EvaluationInput, test_set: TestSet) -> Iterator[str]:
    """What to know of the data before the figures are read."""
    counted, matrix = inputs.counted, inputs.matrix
    weighted = inputs.weighted
    # Class weights have a mean near 1; inverse inclusion probabilities stand for the unlabelled rows too.
    if weighted is not None and 0 < 3 * weighted.rows.total <= matrix.total:
        yield INVERSE_PROBABILITIES
    truth, pred = counted.truth.casefold(), counted.pred.casefold()
    # Nothing in the figures would tell that columns are named the other way round.
    if pred in SURELY_TRUTH or (truth in PREDICTION_NAMES and pred in TRUTH_NAMES):
        columns = f"column {counted.pred!r} and the truth from {counted.truth!r}"
        yield f"Predictions were read from {columns}: are they exchanged?"
    if counted.missing:
        lost = f"{counted.missing:,} of {counted.rows:,} rows"
        yield f"{lost} were left out because their truth or prediction is missing."
    if test_set.absent:
        names = listing(test_set.absent)
        yield f"No rows of {names}: metrics that need the recall of every class are undefined."
    by_letters: dict[str, Label] = {}
    for label in (label for label in matrix.labels if isinstance(label, str)):
        first = by_letters.setdefault(" ".join(label.split()).casefold(), label)
        if first != label:
            yield f"Classes {first!r} and {label!r} differ by blanks or capitals only; they are two classes."
            break
    if never := [label for label, n in zip(matrix.labels, matrix.predicted.tolist(), strict=True) if not n]:
        yield f"Never predicted: {listing(never)}."
    of_class = list(zip(test_set.classes, matrix.hits.tolist(), strict=True))
    if missed := [c.label for c, hits in of_class if c.count > 0 and not hits]:
        yield f"No row of {listing(missed)} is classified correctly; that alone makes the G-mean 0."
    if few := [c.label for c in test_set.classes if 0 < c.count < FEW_EXAMPLES]:
        yield (
            f"Fewer than {FEW_EXAMPLES} rows of {listing(few)}: recall there, and every mean over classes,"
            " rests on too few rows to be relied on."
        )
    if counted.spelled:
        yield spelling_note(counted.spelled)
    if matrix.n_classes > MOST_CLASSES_SWEPT:
        yield (
            f"How metrics change with the prevalence of the rare classes is left out above"
            f" {MOST_CLASSES_SWEPT:,} classes; priors give them at any class distribution."
        )
    if scores := list(filter(_SCORES.fullmatch, counted.unused)):
        yield f"{UNUSED_SCORES}: {listing(scores)}."


def listing(labels: Sequence[Label], most: int = 5) -> str:
    shown = ", ".join(str(label) for label in labels[:most])
    return shown + (f" and {len(labels) - most} more" if len(labels) > most else "")


def suspicious_input(inputs: EvaluationInput) -> Iterator[str]:
    """Sentences about what looks like a mistake, each with what to do."""
    counted, matrix, scores = inputs.counted, inputs.matrix, inputs.scores
    if matrix.n_classes < 2:
        return
    is_predicted = not inputs.labels_from_scores and inputs.source != "a confusion matrix"
    if is_predicted and matrix.hits.sum() >= matrix.total and counted.rows >= ROWS_TO_DOUBT:
        yield (
            f"All {counted.rows - counted.missing:,} predictions equal the truth: check that column"
            f" {counted.pred!r} was predicted and is no copy of {counted.truth!r}."
        )
    if scores is not None:
        yield from _threshold_elsewhere(inputs, scores)
        if inputs.labels_from_scores and len(scores.columns) > 1:
            yield from _exchanged_columns(matrix)
        if not inputs.labels_from_scores and len(scores.columns) == 1 and matrix.n_classes == 2:
            yield from _labels_of_another_model(counted, scores)
    elif inputs.units is None and inputs.strata is None:
        for name in [name for name in counted.unused if _TIMES.fullmatch(name)][:1]:
            yield (
                f"Column {name!r} looks like a time. If rows near in time err together, the intervals are too"
                " narrow: put the rows in order of time and let block='auto' (--block auto) allow for it."
            )


# None or all of the scores reach the threshold, or they are percentages.
def _threshold_elsewhere(inputs: EvaluationInput, scores: ScoreCounts) -> Iterator[str]:
    """A threshold on another scale than the scores."""
    choice = inputs.threshold
    if choice is None or choice.how != "given":
        return
    ends = [float(ties.scores[end]) for ties in scores.columns[0] if len(ties.scores) for end in (0, -1)]
    low, high, threshold = min(ends), max(ends), choice.threshold
    if threshold > high:
        is_percentage = 1 < threshold <= 100 and high <= 1
        hint = f" If it is a percentage, use {shown(threshold / 100)}." if is_percentage else ""
        yield f"No score reaches the threshold {threshold:g}: the largest is {high:g}.{hint}"
    elif 0 < threshold < 1 < high <= 100 and low >= 0:
        where = f"from {low:g} to {high:g}, and the threshold {threshold:g} is below 1"
        yield f"Scores range {where}: if they are percentages, use {100 * threshold:g}."
    elif threshold <= low:
        yield f"Every score reaches the threshold {threshold:g}: the smallest is {low:g}."


# With as many alerts the scores detect more, or fewer.
def _labels_of_another_model(counted: ModelCounts, scores: ScoreCounts) -> Iterator[str]:
    """Labels that no threshold on the scores gives."""
    matrix, label = counted.matrix, scores.positive_class().label
    place = matrix.labels.index(label)
    alerts, hits = float(matrix.predicted[place]), float(matrix.counts[place, place])
    by_scores, _, false, _ = scores.positive_first(label).ranked().cells
    alerts_at = np.concatenate([[0.0], by_scores + false])
    detected = np.concatenate([[0.0], by_scores])
    # Tied scores alert together, so the labels fit if their hits lie between two neighbouring thresholds.
    above = int(np.searchsorted(alerts_at, alerts))
    if above < len(alerts_at) and not detected[max(above - 1, 0)] <= hits <= detected[above]:
        yield (
            f"The labels in column {counted.pred} are not those of a threshold on the scores: with as"
            f" many alerts the scores detect {detected[above]:,.0f}, the labels {hits:,.0f}. ROC curve,"
            " calibration and thresholds describe the scores."
        )


def _exchanged_columns(matrix: Confusion) -> Iterator[str]:
    """A column of scores for each class, of which another order would be right far more often."""
    # The best order of columns is an assignment problem (Hungarian algorithm): all orders are too many.
    from scipy.optimize import linear_sum_assignment

    counts = np.asarray(matrix.counts, dtype=float)
    rows, columns = linear_sum_assignment(counts, maximize=True)
    best, now = counts[rows, columns].sum(), np.trace(counts)
    # predicted column j belongs to the class whose rows have their largest score there
    order = [matrix.labels[row] for row in np.argsort(columns)]
    if best - now > _CLEARLY * np.sqrt(best + now):
        names = json.dumps([label if isinstance(label, (str, int)) else str(label) for label in order])
        taken, better = (", ".join(map(str, labels)) for labels in (matrix.labels, order))
        yield (
            f"The columns of scores look exchanged: taken as {taken} they are right in {now:,.0f} of"
            f" {matrix.total:,.0f} rows, as {better} in {best:,.0f}. Name the classes in column order:"
            f" labels={names}."
        )


def notes_on_labels(inputs: EvaluationInput, ranking: RankingReport) -> Iterator[str]:
    """How the labels came about that are judged beside scores."""
    if not inputs.labels_from_scores and inputs.pred_guessed:
        yield (
            f"Metrics use the labels in column {inputs.counted.pred}, not the scores; a threshold (0.5,"
            " best:gmean) turns the scores into labels instead."
        )
    if len(ranking.scores.columns) == 1 and ranking.classes:
        # One column that surely ranks the positive class below the other; not where there is no interval.
        positive = ranking.classes[0]
        area = next((row for row in positive.measures if row.measure.id == "roc_auc"), None)
        if area is not None and area.high < 0.5:
            from steelyard.scores.delong import asked_of_backwards

            yield asked_of_backwards(positive.label, area.value)
    choice, calibration = ranking.choice, ranking.probabilities
    if choice is not None and choice.how == "cheapest" and calibration is not None:
        off = [score_bin for score_bin in calibration.bins if not score_bin.fits]
        if len(off) > 1 or any(score_bin.is_far_off for score_bin in off):
            rows, all_rows = (sum(score_bin.rows for score_bin in bins) for bins in (off, calibration.bins))
            yield (
                f'The threshold "cheapest" needs calibrated probabilities; those of {rows:,.0f} of'
                f" {all_rows:,.0f} rows are off by more than chance explains. Calibrate them, or choose the"
                ' threshold from labelled rows ("best:cost").'
            )
    if choice is not None and choice.optimism_note:
        yield choice.optimism_note


# A root mean square calibration error whose whole interval lies above this is a finding.
MISCALIBRATED = 0.05
# A prevalence at which precision is worth looking at, where the test set is richer in positives.
RARE = 0.001


def find(result: Evaluation) -> tuple[Finding, ...]:
    """Every finding, warnings before notes."""
    checks = (_on_classes, first_warnings, _on_rows, _on_scores, _on_prevalence)
    findings = [finding for check in checks for finding in check(result)]
    return tuple(sorted(findings, key=lambda finding: finding.kind == "note"))


def _command(result: Evaluation, command: str, **options: object) -> str:
    """A command on the same file and columns; none where the predictions came from no file."""
    chosen = result.options
    # Labels of two kinds are for evaluate alone.
    if not isinstance(chosen.data, (str, Path)) or chosen.gold is not None:
        return ""
    positive = str(result.positive_label) if result.matrix.n_classes == 2 else None
    return command_for(command, chosen, truth=result.counted.truth, positive=positive, **options)


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
                f"{'Worse' if is_worse else 'Not significantly better'} than a no-skill prediction:"
                f" {short_name(primary.measure)} {shown(primary.observed)} ({result.level_text}"
                f" {between(ends.low, ends.high)}) against {shown(base.value)}.",
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


def _on_classes(result: Evaluation) -> Iterator[Finding]:
    """Classes that are never detected, and accuracy that a constant prediction has as well."""
    matrix, names = result.matrix, short_names(result.matrix.labels)
    if missed := [k for k in range(matrix.n_classes) if matrix.actual[k] and not matrix.hits[k]]:
        total = count(sum(float(matrix.actual[k]) for k in missed))
        yield Finding(
            "warning",
            f"No row of {listing([names[k] for k in missed])} is classified correctly (0 of {total}).",
            "Recall is 0 there, and so is the G-mean, however good the other classes are.",
            "Look at what these rows are predicted as: the full report lists each class.",
        )
    constant, accuracy = best_constant(matrix), float(matrix.hits.sum() / matrix.total)
    if accuracy <= constant.accuracy:
        yield Finding(
            "warning",
            f"Accuracy ({percent(accuracy)}) is not above that of always predicting {quoted(constant.label)}"
            f" ({percent(constant.accuracy)}).",
            "On imbalanced data accuracy rewards ignoring the rare class; it cannot rank classifiers here.",
            f"Judge by {short_name(result.decider.measure)}, or by what errors cost.",
        )


def _on_rows(result: Evaluation) -> Iterator[Finding]:
    """A threshold chosen on the same rows, and classes with few of them."""
    choice = None if result.ranking is None else result.ranking.choice
    if choice is not None and choice.optimism_note:
        yield Finding(
            "warning",
            "The threshold was chosen on the rows that judge it.",
            choice.optimism_note,
            "Choose the threshold on other rows: name their file with --fit-on.",
        )
    if few := [c.label for c in result.test_set.classes if 0 < c.count < FEW_EXAMPLES]:
        primary = result.decider.measure.name
        yield Finding(
            "warning",
            f"Fewer than {FEW_EXAMPLES} rows of {listing(few)}.",
            "The rates of these classes, and every mean over classes, rest on very few rows.",
            "Plan how many rows an interval of width 0.1 needs.",
            # Labels that a threshold makes of scores are no column of the file.
            ""
            if result.options.threshold is not None
            else _command(result, "plan", pilot=result.options.data, measure=primary, width=0.1),
        )


def _on_scores(result: Evaluation) -> Iterator[Finding]:
    """Scores that were not used, and scores without costs of errors."""
    names, two = list(filter(_SCORES.fullmatch, result.counted.unused)), result.matrix.n_classes == 2
    if result.sample is not None:
        return
    if names and result.ranking is None and two:
        yield Finding(
            "note",
            f"Column {names[0]} looks like a score and was not used.",
            "Another threshold on the score may serve better than the labels given.",
            "Choose a threshold by cost or by review capacity.",
            _command(result, "threshold", score=names[0]),
        )
    elif names and result.ranking is None:
        yield Finding(
            "note",
            f"Not used, although their names suggest scores: {listing(names)}.",
            "Scores show how well the classes are ranked, and whether probabilities are calibrated.",
            "Name the columns of scores with --scores, a star for the class.",
        )
    if result.costs is None and result.ranking is not None and two and result.options.score is not None:
        yield Finding(
            "note",
            "No costs of errors were given.",
            "Without them the primary metric weights both classes equally, which may not be what an error"
            " costs.",
            "Compare thresholds, and give costs or a review capacity.",
            _command(result, "threshold"),
        )


def _on_prevalence(result: Evaluation) -> Iterator[Finding]:
    """Precision that holds at the prevalence of the test set."""
    precision = next((row for row in result.first if row.measure.name == "precision"), None)
    if result.matrix.n_classes != 2 or precision is None or result.priors is not None:
        return
    of_positive = next(c for c in result.test_set.classes if c.label == result.positive_label)
    if of_positive.share >= 0.01 and precision.depends_on_shares:  # not where precision is undefined
        yield Finding(
            "note",
            f"This precision holds at a prevalence of {percent(of_positive.share)}.",
            "Where the class is rarer, more of the alerts are false; recall and G-mean do not change.",
            "Replace 0.001 with your prevalence.",
            _command(result, "evaluate", priors=RARE),
        )
