"""Sections that few evaluations have: costs, production without labels, the scheme of skrabanek2017."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.costs import CostReport, CostRow
from steelyard.report.class_names import quoted
from steelyard.report.numbers import between, count, p_relation, percent, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Section,
    Sentence,
    Table,
    number_columns,
    table_of,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.production import ClassInProduction, ProductionReport, ShiftEstimate
    from steelyard.judgement.evaluate.result import Evaluation


MEANING = {
    "label shift": "each class has the scores it has in the test set, only prevalence differs",
    "covariate shift": "P(class | score) is as in the test set, only the scores differ",
}
# A number of labels for the command that is printed; the reader puts in what can be afforded.
LABELS_TO_ASK_FOR = 200
MOST_NAMED = 3


def production_sentences(result: Evaluation) -> Iterator[Sentence]:
    """What is known of production: the estimate that leads, its assumption, the other one, the next step."""
    production = result.production
    if production is None:
        return
    positive = None if result.positive is None else result.positive.label
    if production.leads is None:
        yield Sentence(
            f"No estimate for production: {production.refused}, so neither label shift nor covariate shift"
            " explains them.",
            "bad",
        )
    else:
        yield Sentence(f"In production {_summary(production.leads, positive, production.level)}.", "strong")
        yield Sentence(_assumption(production, positive), "soft")
    if result.options.scores is not None and result.counted.pred not in (None, result.options.pred):
        how = "add the predicted labels as a column to production, then choose rows with steelyard sample"
        yield Sentence(f"Labels would settle it: {how}.", "soft")
        return
    yield Sentence("Labels would settle it:", "soft")
    yield Sentence(next_command(result), "code")


def _assumption(production: ProductionReport, positive: Label | None) -> str:
    assert production.leads is not None
    name = production.leads.assumption
    meaning = MEANING[name].replace("score", "prediction") if production.labels_only else MEANING[name]
    words = f"Assumed: {name} ({meaning})"
    p = p_relation(production.test.p_value)
    if name == "covariate shift":
        words += f"; not testable without labels. Label shift is rejected (p {p})"
        doubt = ", though not beyond doubt: intervals reach to what it would give"
        return words + ("" if production.is_beyond_doubt else doubt) + "."
    words += (
        ". Predicted labels alone can hardly test this."
        if production.labels_only
        else f"; not rejected (p {p}), and the simpler explanation."
    )
    if production.beside is not None:
        words += f" Under covariate shift instead: {_summary(production.beside, positive, production.level)}."
    return words


def _summary(estimate: ShiftEstimate, positive: Label | None, level: float) -> str:
    """Prevalence, and the share of alerts that are false where there is a positive class of two."""
    classes = sorted(estimate.classes, key=lambda of_class: of_class.prevalence)
    if len(classes) == 2:
        named = [of_class for of_class in classes if of_class.label == positive][:1] or classes[:1]
        return f"{_prevalence(named[0], level)}; {_false_alerts(named[0], level)}"
    return ", ".join(_prevalence(of_class, level) for of_class in classes[:MOST_NAMED])


def _prevalence(of_class: ClassInProduction, level: float) -> str:
    ends = f"{percent(of_class.prevalence_low)} to {percent(of_class.prevalence_high)}"
    return f"about {percent(of_class.prevalence)} are {quoted(of_class.label)} ({100 * level:g}% CI {ends})"


def _false_alerts(of_class: ClassInProduction, level: float) -> str:
    if math.isnan(of_class.precision) or math.isnan(of_class.precision_low):
        return "there are no alerts"
    ends = f"{percent(1 - of_class.precision_high)} to {percent(1 - of_class.precision_low)}"
    return f"{percent(1 - of_class.precision)} of the alerts are false ({100 * level:g}% CI {ends})"


def next_command(result: Evaluation) -> str:
    """The command that chooses rows of production to label."""
    options = result.options
    pool = options.production
    words = ["steelyard", "sample", str(pool) if isinstance(pool, (str, Path)) else "production.csv"]
    score, pred = options.score, options.pred
    if isinstance(score, str) and result.production is not None and not result.production.labels_only:
        words += ["--score", score]
    else:
        words += ["--pred", pred or result.counted.pred]
    if result.positive is not None:
        words += ["--positive", str(result.positive.label)]
    return shlex.join([*words, "--labels", str(LABELS_TO_ASK_FOR), "--out", "to_label.csv"])


def production_sections(production: ProductionReport, positive: Label | None) -> Iterator[Section]:
    """The metrics in production under each assumption that was not rejected."""
    if production.leads is None:
        return
    blocks: list[Sentence | Table] = []
    for estimate in (production.leads, production.beside):
        if estimate is not None:
            blocks += _tables(estimate, production.level)
    blocks.append(
        Sentence(
            "Confidence intervals resample both sets. Unlabelled scores can reject label shift; they cannot"
            " reject covariate shift, unless they leave the labelled range. A changed relation between score"
            " and class that leaves the scores as they were (concept shift) is not visible without labels."
            " Measured on seven real data sets, nominal 95%: coverage 98% under label and under covariate"
            " shift (96% on the worst data set), 80% where rows were selected by a feature (61%).",
            "soft",
        )
    )
    if production.slices:
        blocks.append(_slices(production, positive))
    blocks += [Sentence(note, "bad") for note in production.notes]
    yield Section("In production", tuple(blocks), identity="production-section")


def _slices(production: ProductionReport, positive: Label | None) -> Table:
    """Each slice in production: the prevalence, recall and precision of the positive or rarest class."""
    interval = f"{100 * production.level:g}% CI"
    rows = []
    for of_slice in production.slices:
        row = [of_slice.slice, count(of_slice.labelled_rows), count(of_slice.production_rows)]
        if of_slice.leads is None:
            rows.append((*row, *[""] * 6, of_slice.refused))
            continue
        classes = sorted(of_slice.leads.classes, key=lambda each: each.prevalence)
        named = next((each for each in classes if each.label == positive), classes[0])
        rows.append(
            (
                *row,
                percent(named.prevalence),
                f"{percent(named.prevalence_low)} to {percent(named.prevalence_high)}",
                shown(named.recall),
                between(named.recall_low, named.recall_high),
                shown(named.precision),
                between(named.precision_low, named.precision_high),
                of_slice.leads.assumption,
            )
        )
    metrics = number_columns("prevalence", interval, "recall", interval, "precision", interval)
    return Table(
        (words_column("slice"), *number_columns("labelled", "production"), *metrics, words_column("assumed")),
        tuple(rows),
        title="Slices in production, each estimated from its own labelled rows",
        identity="production-slices",
    )


def _tables(estimate: ShiftEstimate, level: float) -> Iterator[Table]:
    interval = f"{100 * level:g}% CI"
    name = estimate.assumption
    rows = [(row.measure.title, shown(row.value), between(row.low, row.high)) for row in estimate.rows]
    rows += [(row.title, shown(row.value), between(row.low, row.high)) for row in estimate.scores]
    yield Table(
        (words_column("metric"), *number_columns("in production", interval)),
        tuple(rows),
        title=f"Under {name}",
        identity=f"production-{name.replace(' ', '-')}",
    )
    if len(estimate.classes) > 2:
        yield Table(
            (words_column("class"), *number_columns("prevalence", interval, "recall", interval, "precision")),
            tuple(
                (
                    str(of_class.label),
                    percent(of_class.prevalence),
                    f"{percent(of_class.prevalence_low)} to {percent(of_class.prevalence_high)}",
                    shown(of_class.recall),
                    between(of_class.recall_low, of_class.recall_high),
                    shown(of_class.precision),
                )
                for of_class in estimate.classes
            ),
            title=f"Classes under {name}: {count(len(estimate.classes))}",
            identity=f"production-classes-{name.replace(' ', '-')}",
        )


# Confusions that are listed; the JSON holds all of them.
MOST_CONFUSIONS = 8


def money(value: float) -> str:
    """An amount as people write it: whole when it is large, with three digits when it is small."""
    if math.isnan(value):
        return "undefined"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def measured(value: float) -> str:
    """An amount that was estimated: with as many digits as its neighbours, 1.70 beside 1.28."""
    if math.isnan(value) or abs(value) >= 1000:
        return money(value)
    return f"{value:#.3g}".rstrip(".")


# By id of a measure: the two ends of its interval.
Ends = Mapping[str, tuple[float, float]]


# `at_priors` says what the priors are, `there` the intervals of costs at them.
def cost_sections(costs: CostReport, at_priors: str, there: Ends | None = None) -> Iterator[Section]:
    """What the decisions cost, against the best constant prediction, and which confusion costs most."""
    blocks: list[Block] = [
        Sentence(words, "strong") for words in cost_sentences(costs, at_priors, there or {})
    ]
    listed = costs.confusions[:MOST_CONFUSIONS]
    rows = tuple(
        (
            f"{confusion.truth} predicted {confusion.prediction}",
            count(confusion.rows),
            money(confusion.cost),
            money(confusion.total),
        )
        for confusion in listed
    )
    if rows:
        columns = (words_column("decision"), *number_columns("rows", "cost of one", "cost"))
        blocks.append(Table(columns, rows, identity="costs"))
    if len(costs.confusions) > len(listed):
        blocks.append(Sentence(f"{len(costs.confusions) - len(listed)} more cost less.", "soft"))
    if costs.note:
        blocks.append(Sentence(costs.note, "bad"))
    yield Section("Cost of errors", tuple(blocks), "brief", "costs-section")


def cost_sentences(costs: CostReport, at_priors: str, there: Ends) -> Iterator[str]:
    """The sentences that decide."""
    cost, total, savings = costs["expected_cost"], costs["total_cost"], costs["savings"]
    yield (
        f"The decisions cost {measured(cost.value)} a row{_range(cost)},"
        f" {measured(total.value)} on these rows{_range(total)}."
    )
    best = costs.best_constant
    constant = f"Always predicting {best} would cost {measured(costs.constants[best])} a row"
    if savings.why_undefined is not None:
        yield f"{constant}: nothing can be saved against that."
    elif savings.value < 0:
        yield f"{constant}, less than this classifier: it wastes {_share(savings, negative=True)} of that."
    else:
        yield f"{constant}: {_share(savings)} of that is saved."
    if cost.at_priors is not None and not math.isnan(cost.at_priors):
        low, high = there.get(cost.id, (math.nan, math.nan))
        sure = "" if math.isnan(low) else f" ({measured(low)} to {measured(high)})"
        yield f"{at_priors} a row costs {measured(cost.at_priors)}{sure}{_saved_there(savings, there)}."


def _saved_there(savings: CostRow, there: Ends) -> str:
    at = savings.at_priors
    if at is None or math.isnan(at):
        return ""
    if at < 0:
        return f", {percent(-at)} more than the best constant prediction"
    low, high = there.get(savings.id, (math.nan, math.nan))
    return f", and {percent(at)}{'' if math.isnan(low) else f' ({percent(low)} to {percent(high)})'} is saved"


def _share(row: CostRow, negative: bool = False) -> str:
    value, low, high = (-row.value, -row.high, -row.low) if negative else (row.value, row.low, row.high)
    return percent(value) + ("" if math.isnan(low) else f" ({percent(low)} to {percent(high)})")


def _range(row: CostRow) -> str:
    return "" if math.isnan(row.low) else f" ({measured(row.low)} to {measured(row.high)})"


SCHEME = "skrabanek2017"
# Tab. 3: the paper's symbol, the balanced metric, and the biased one of Tab. 2.
BALANCED = (
    ("acc_B", "balanced_accuracy", "accuracy"),
    ("er_B", "balanced_error_rate", "error_rate"),
    ("pr_B", "balanced_precision", "precision"),
    ("Fscore_B", "balanced_f_beta", "f_beta"),
)
# The metrics of Tab. 2 that do not depend on class prevalence.
UNBIASED = (
    ("re", "recall"),
    ("sp", "specificity"),
    ("fnr", "fnr"),
    ("fpr", "fpr"),
    ("Gmean", "gmean"),
    ("AUC", "auc_point"),
)


def balanced_section(result: Evaluation) -> Section:
    """Class sizes, balanced metrics beside the same metrics on the test set, and what to know of them."""
    return Section(
        f"Reported as {SCHEME} suggests", tuple(_blocks(result)), "brief", identity="balanced-first"
    )


def _blocks(result: Evaluation) -> Iterator[Block]:
    assert result.positive is not None
    sizes = {c.label: c for c in result.test_set.classes}
    positive = sizes.pop(result.positive.label)
    ((label, negative),) = sizes.items()
    yield Sentence(
        f'Class sizes: {count(positive.count)} positive (class "{positive.label}"), {count(negative.count)}'
        f' negative (class "{label}"); prevalence {shown(positive.share)}.'
    )
    yield _table(result)
    if positive.count and negative.count:
        yield Sentence(
            f"One error changes the balanced accuracy by {0.5 / positive.count:.2g} if the example is"
            f" positive, by {0.5 / negative.count:.2g} if it is negative: errors on the rarer class weigh"
            " more.",
            "soft",
        )
    if result.ranking is None:
        yield Sentence(
            "No scores were given; with them (score=, --score) the report shows the ROC and precision-recall"
            " curves.",
            "soft",
        )


def _table(result: Evaluation) -> Table:
    level = result.level_text

    def named(name: str, biased: str) -> Cell:
        m = result.weighing[name].measure
        return Cell(m.title, "strong" if name != biased else "plain", tip=m.question)

    def value(name: str) -> Cell:
        row = result.weighing[name]
        return Cell(shown(row.value), tip=row.why_undefined or "")

    return table_of(
        [*BALANCED, *((symbol, name, name) for symbol, name in UNBIASED)],
        (words_column("", whole=True), lambda row: named(row[1], row[2])),
        (words_column("symbol", whole=True), lambda row: row[0]),
        (Column("balanced"), lambda row: value(row[1])),
        (Column(level), lambda row: result.interval_text(row[1]) or "-") if level else None,
        (Column("test set"), lambda row: shown(result.weighing[row[2]].value)),
        identity="balanced-metrics",
    )
