"""Sections on scores: ranking metrics, precision and recall at review capacity, calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.counts.labels import Label
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import Block, Cell, Section, Sentence, Table, table_of, words_column
from steelyard.scores.calibration_evaluation import ProbabilityReport
from steelyard.scores.ranking_result import RankingReport
from steelyard.scores.top_k import CapacityReport


def ranking_sections(report: RankingReport) -> Iterator[Section]:
    """How well the scores rank, what review capacity brings, and whether they are probabilities."""
    choice, scores = report.scores.positive, report.scores
    what = (
        f"A column of scores for each of {scores.n_classes} classes; each class is ranked against all others"
        " by its own score."
        if choice is None
        else f"Scores of class {choice.label} ({choice.reason}) for {count(float(scores.totals.sum()))} rows;"
        f" higher means more likely {choice.label}."
    )
    blocks: list[Block] = [Sentence(what, "soft")]
    blocks += [] if report.choice is None else [Sentence(f"Threshold: {report.choice.words}.")]
    yield Section("Ranking", (*blocks, _ranking_table(report)), identity="scores-section")
    if len(report.classes) == 1 and report.classes[0].capacity is not None:
        yield _capacity_section(report.classes[0].capacity, report.level)
    if report.probabilities is not None:
        yield _probability_section(report.probabilities)
    if report.class_probabilities:
        yield _class_probability_section(report.class_probabilities)


def _ranking_table(report: RankingReport) -> Table:
    rows = [("all classes", row) for row in report.measures]
    rows += [(str(c.label), row) for c in report.classes for row in c.measures]
    alone = len(report.classes) == 1 and not report.measures
    undefined = not alone and any(row.why_undefined for _, row in rows)
    bounded = any(row.bounds is not None for _, row in rows)
    level = f"{100 * report.level:g}% CI" if report.level else ""
    why = words_column("undefined because")
    return table_of(
        rows,
        None if alone else (words_column("class"), lambda pair: pair[0]),
        (words_column("metric"), lambda pair: Cell(pair[1].measure.title, tip=pair[1].measure.question)),
        ("value", lambda pair: Cell(shown(pair[1].value), "strong")),
        (level, lambda pair: between(pair[1].low, pair[1].high)) if level else None,
        ("bounds", lambda pair: between(*pair[1].bounds or (None, None))) if bounded else None,
        ("balanced", lambda pair: shown(pair[1].balanced)),
        ("at priors", lambda pair: shown(pair[1].at_priors)) if report.priors_given else None,
        (words_column("question"), lambda pair: pair[1].why_undefined or pair[1].measure.question)
        if alone
        else None,
        (why, lambda pair: pair[1].why_undefined or "") if undefined else None,
        identity="scores",
    )


def _capacity_section(report: CapacityReport, level: float | None) -> Section:
    """Precision and recall at review capacity, and at limits on rates."""
    ci = f"{100 * level:g}% CI" if level else ""
    at_k = table_of(
        report.at_k,
        ("rows", lambda row: count(row.k)),
        ("share", lambda row: percent(row.share)),
        ("detected", lambda row: count(row.found)),
        ("recall", lambda row: shown(row.recall.value)),
        (f"recall, {ci}", lambda row: between(row.recall.low, row.recall.high)) if ci else None,
        ("precision", lambda row: shown(row.precision.value)),
        ("lift", lambda row: f"{row.lift.value:.3g}"),
        identity="capacity",
    )
    limits = [
        ("recall at a false positive rate of at most " + percent(x), y) for x, y in report.recall_at_fpr
    ]
    limits += [(f"precision at a recall of at least {x:g}", y) for x, y in report.precision_at_recall]
    at_limits = table_of(
        limits,
        (words_column("condition"), lambda row: row[0]),
        ("value", lambda row: shown(row[1].value)),
        (ci, lambda row: between(row[1].low, row[1].high)) if ci else None,
        identity="conditions",
    )
    note = Sentence(
        "Rows are reviewed from the highest score down; lift is precision divided by prevalence. Recall"
        " and precision of the second table are those of the best threshold that meets the condition.",
        "soft",
    )
    title = "Precision and recall at review capacity"
    return Section(title, (at_k, at_limits, note), identity="capacity-section")


def _class_probability_section(reports: Sequence[tuple[Label, ProbabilityReport]]) -> Section:
    """Calibration of the probabilities of each class."""
    worst, far = max(reports, key=lambda pair: pair[1].error)
    sentence = Sentence(
        f"The probabilities of {short(worst, 24)} are farthest from the observed frequencies:"
        f" root mean square calibration error {shown(far.error)}"
        f" ({between(far.error_low, far.error_high)}, debiased)."
        " Skill is what is gained over the Brier score of always predicting the class's prevalence."
    )
    table = table_of(
        reports,
        (words_column("class"), lambda pair: short(pair[0], 24)),
        ("calibration error", lambda pair: shown(pair[1].error)),
        ("interval", lambda pair: f"{shown(pair[1].error_low)} to {shown(pair[1].error_high)}"),
        ("Brier score", lambda pair: shown(pair[1].brier)),
        ("skill", lambda pair: shown(pair[1].skill)),
        ("bins off", lambda pair: f"{sum(not b.fits for b in pair[1].bins)} of {len(pair[1].bins)}"),
        identity="class-probabilities",
    )
    return Section("Calibration of each class", (sentence, table), identity="class-probabilities-section")


def _probability_section(report: ProbabilityReport) -> Section:
    """Calibration of the probabilities of the positive class."""
    off = sum(not score_bin.fits for score_bin in report.bins)
    bins = f"{off} of {len(report.bins)} bins {'is' if off == 1 else 'are'}" if off else "no bin is"
    errors = (
        f"Root mean square calibration error {shown(report.error)}"
        f" ({between(report.error_low, report.error_high)}, debiased); expected calibration error (ECE)"
        f" {shown(report.expected_error)}: {bins} off by more than chance explains."
    )
    parts = ""
    if report.miscalibration is not None and report.discrimination is not None:
        chance = "" if report.by_chance is None else f"; chance alone makes {shown(report.by_chance)}"
        parts = (
            f"; the Brier score is {shown(report.uncertainty)} (always predicting the prevalence)"
            f" - {shown(report.discrimination)} (discrimination)"
            f" + {shown(report.miscalibration)} (miscalibration{chance})"
        )
    losses = f"Brier score {shown(report.brier)}, logarithmic loss {shown(report.log_loss)}{parts}."
    sentences = [Sentence(errors), Sentence(losses)]
    if report.skill < 0:
        worse = "Always predicting the prevalence would have a lower Brier score than these probabilities."
        sentences.append(Sentence(worse))
    table = table_of(
        report.bins,
        ("bin from", lambda score_bin: shown(score_bin.start)),
        ("rows", lambda score_bin: count(score_bin.rows)),
        ("mean probability", lambda score_bin: shown(score_bin.mean_probability)),
        ("observed rate", lambda score_bin: percent(score_bin.share)),
        (f"{100 * report.level:g}% CI", lambda b: f"{percent(b.low)} to {percent(b.high)}"),
        identity="reliability",
    )
    return Section("Calibration", (*sentences, table), identity="probabilities-section")
