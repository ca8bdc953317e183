"""Findings of an evaluation, the most harmful first, each with what to do next."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.judgement.baselines import best_constant
from steelyard.judgement.evaluate.notes import FEW_EXAMPLES, listing, looks_like_a_score
from steelyard.measures.short_names import short_name
from steelyard.report.class_names import quoted, short_names
from steelyard.report.findings import Finding, command_line
from steelyard.report.numbers import count, percent

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation

# A prevalence at which precision is worth looking at, where the test set is richer in positives.
RARE = 0.001


def find(result: Evaluation) -> tuple[Finding, ...]:
    """Every finding, warnings before notes."""
    findings = [
        *_never_detected(result),
        *_worse_than_constant(result),
        *_chosen_on_these_rows(result),
        *_few_examples(result),
        *_unused_scores(result),
        *_without_costs(result),
        *_depends_on_prevalence(result),
    ]
    return tuple(sorted(findings, key=lambda finding: finding.kind == "note"))


def _command(result: Evaluation, command: str, *, pred: bool = True, **options: object) -> str:
    """A command on the same file and columns; none where the predictions came from no file."""
    if result.options is None or not isinstance(result.options.data, (str, Path)):
        return ""
    if result.options.gold is not None:  # labels of two kinds are for evaluate alone
        return ""
    asked, columns = result.options, result.counted
    # Labels that a threshold makes of scores are no column of the file.
    from_scores = asked.threshold is not None and "score" not in options
    two = result.positive is not None and result.matrix.n_classes == 2
    arguments = {
        "truth": columns.truth,
        "pred": columns.pred if pred and not from_scores else None,
        "score": asked.score if from_scores else None,
        "scores": asked.scores if from_scores else None,
        "threshold": asked.threshold if from_scores else None,
        "positive": result.positive.label if result.positive is not None and two else None,
        "weight": asked.weight if isinstance(asked.weight, str) else None,
        "missing": None if asked.missing == "error" else asked.missing,
    }
    return command_line(command, asked.data, **{**arguments, **options})


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
        f"Precision is for a prevalence of {percent(prevalence)}.",
        "Where the class is rarer, more of the alerts are false; recall and G-mean do not change.",
        "Replace 0.001 by yours.",
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
    if result.options is None or result.options.score is None:
        return
    yield Finding(
        "note",
        "No costs of errors were given.",
        "Without them the primary metric weights both classes equally, which may not be what an error costs.",
        "Compare thresholds, and give costs or a review capacity.",
        _command(result, "threshold", pred=False, score=result.options.score),
    )
