"""Sections that few evaluations have: costs, and production without labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.costs import CostReport
from steelyard.judgement.reproduction import command_for
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted
from steelyard.report.numbers import between, count, p_relation, percent, percents_between, shown
from steelyard.report.sections import (
    Block,
    Column,
    ColumnOf,
    Section,
    Sentence,
    Table,
    table_of,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.production import (
        ClassInProduction,
        ProductionReport,
        ShiftEstimate,
        SliceInProduction,
    )
    from steelyard.judgement.evaluate.result import Evaluation


MEANING = {
    "label shift": "within each class, scores are distributed as in the test set; only prevalence differs",
    "covariate shift": "P(class | score) is as in the test set; only the distribution of the scores differs",
}
# A number of labels for the command that is printed; the reader puts in what can be afforded.
LABELS_TO_ASK_FOR = 200
MOST_NAMED = 3


def production_sentences(result: Evaluation, production: ProductionReport) -> Iterator[Sentence]:
    """What is known of production: the estimate that leads, its assumption, the other one, the next step."""
    if production.leads is None:
        yield Sentence(
            f"No estimate for production: {production.refused}, so neither label shift nor covariate shift"
            " explains them.",
            "bad",
        )
    else:
        leads = _summary(production.leads, result.positive_label, production.level)
        unused = ""
        if production.labels_only and result.options.score is not None:
            unused = " (by the predicted labels alone; to use the scores, give a threshold in place of them)"
        yield Sentence(f"In production{unused} {leads}.", "strong")
        yield Sentence(_assumption(production, production.leads.assumption, result.positive_label), "soft")
    by_largest = result.options.scores is not None and result.counted.pred not in (None, result.options.pred)
    if result.positive_label is None or by_largest:  # a sample is for one positive class, by predictions
        how = "choose rows of production with steelyard sample --pred --positive, one class at a time"
        yield Sentence(f"Labels would settle it: {how}.", "soft")
        return
    yield Sentence("Labels would settle it:", "soft")
    # The command that chooses rows of production to label.
    pool, score, pred = result.options.production, result.options.score, result.options.pred
    by_score = isinstance(score, str) and not production.labels_only
    choice = None if result.ranking is None else result.ranking.choice
    command = command_for(
        "sample",
        result.options,
        data=pool if isinstance(pool, (str, Path)) else "production.csv",
        score=(score,) if by_score else (),
        threshold=choice.threshold if by_score and choice is not None else 0.5,
        pred=() if by_score else (pred or result.counted.pred,),
        positive=str(result.positive_label),
        labels=LABELS_TO_ASK_FOR,
        cost=None,
    )
    yield Sentence(f"{command} --out to_label.csv", "code")


def _assumption(production: ProductionReport, name: str, positive: Label | None) -> str:
    meanings = {
        shift: meaning.replace("score", "prediction") if production.labels_only else meaning
        for shift, meaning in MEANING.items()
    }
    source = "predicted labels" if production.labels_only else "scores"
    method = "" if production.priors is None else f" by {production.priors.best.method}"
    words = f"Estimated from {source}{method}, assuming {name} ({meanings[name]})"
    p = p_relation(production.test.p_value)
    if name == "covariate shift":
        words += f"; not testable without labels. Label shift is rejected (p {p})"
        doubt = ", though not beyond doubt: intervals are widened to include those under label shift"
        return words + ("" if production.is_beyond_doubt else doubt) + "."
    words += (
        ". Predicted labels alone can hardly test this."
        if production.labels_only
        else f". The data do not reject it (p {p}), so it is shown first."
    )
    if production.beside is not None:
        instead = f" Under covariate shift instead ({meanings['covariate shift']}): "
        words += f"{instead}{_summary(production.beside, positive, production.level)}."
    return words


def _summary(estimate: ShiftEstimate, positive: Label | None, level: float) -> str:
    """Prevalence, and the share of alerts that are false where there is a positive class of two."""
    classes = sorted(estimate.classes, key=lambda of_class: of_class.prevalence)
    if len(classes) == 2:
        classes = [next((of_class for of_class in classes if of_class.label == positive), classes[0])]
    ci = f"{100 * level:g}% CI"
    texts = [
        f"about {percent(c.prevalence)} are {quoted(c.label)}"
        f" ({ci} {percents_between(c.prevalence_low, c.prevalence_high)})"
        for c in classes[:MOST_NAMED]
    ]
    if len(classes) > 1:
        return ", ".join(texts)
    named = classes[0]
    if math.isnan(named.precision) or math.isnan(named.precision_low):
        return f"{texts[0]}; there are no alerts"
    ends = percents_between(1 - named.precision_high, 1 - named.precision_low)
    return f"{texts[0]}; {percent(1 - named.precision)} of the alerts are false ({ci} {ends})"


def production_section(result: Evaluation, production: ProductionReport) -> Section:
    """What leads and what it assumes, then the metrics under each assumption that was not rejected."""
    blocks: list[Block] = []
    estimates = [estimate for estimate in (production.leads, production.beside) if estimate is not None]
    if estimates:
        blocks.append(_metrics(estimates, production.level))
    blocks += [_classes(estimate, production.level) for estimate in estimates if len(estimate.classes) > 2]
    blocks.append(
        Sentence(
            "Confidence intervals resample both sets. Unlabelled scores can reject label shift; they cannot"
            " reject covariate shift, unless they leave the labelled range. A changed relation of score and"
            " class that keeps the scores (concept shift) is invisible without labels."
            " Measured on seven real data sets, nominal 95%: coverage 98% under label and under covariate"
            " shift (96% on the worst data set), 80% where rows were selected by a feature (61%).",
            "soft",
        )
    )
    if production.slices:
        blocks.append(_slices(production, result.positive_label))
    blocks += [Sentence(note, "bad") for note in production.notes]
    return Section("In production", tuple(blocks), identity="production", short="Production")


def _metrics(estimates: Sequence[ShiftEstimate], level: float) -> Table:
    """Each metric under each assumption."""
    names = [short_name(row.measure) for row in estimates[0].rows]
    names += [row.title for row in estimates[0].scores]
    by_estimate = [[*estimate.rows, *estimate.scores] for estimate in estimates]
    columns: list[Any] = [(words_column("metric"), lambda row: row[0])]
    for k, estimate in enumerate(estimates, 1):
        columns += [
            (f"under {estimate.assumption}", lambda row, k=k: shown(row[k].value)),
            (_interval(level), lambda row, k=k: between(row[k].low, row[k].high)),
        ]
    return table_of(zip(names, *by_estimate, strict=True), *columns, identity="in-production")


def _interval(level: float) -> Column:
    return Column(f"{100 * level:g}% CI", on_page="aside")


def _rates(level: float, of: Callable[[Any], ClassInProduction | None]) -> Iterator[ColumnOf[Any]]:
    """Columns of a class in production: prevalence, recall and precision, each with its interval."""
    for name, text in (("prevalence", percent), ("recall", shown), ("precision", shown)):

        def value(row: Any, name: str = name, text: Callable[[float], str] = text) -> str:
            return "" if (c := of(row)) is None else text(getattr(c, name))

        def ends(row: Any, name: str = name, text: Callable[[float], str] = text) -> str:
            c = of(row)
            both = [math.nan] * 2 if c is None else [getattr(c, f"{name}_{end}") for end in ("low", "high")]
            return "" if math.isnan(sum(both)) else " to ".join(map(text, both))

        yield name, value
        yield _interval(level), ends


def _slices(production: ProductionReport, positive: Label | None) -> Table:
    """Each slice in production: the prevalence, recall and precision of the positive or rarest class."""
    rows: list[tuple[SliceInProduction, ClassInProduction | None]] = []
    for of_slice in production.slices:
        classes = [] if of_slice.leads is None else of_slice.leads.classes
        rarest = min(classes, key=lambda each: each.prevalence, default=None)
        rows.append((of_slice, next((each for each in classes if each.label == positive), rarest)))

    return table_of(
        rows,
        (words_column("slice"), lambda row: row[0].slice),
        ("labelled", lambda row: count(row[0].labelled_rows)),
        ("production", lambda row: count(row[0].production_rows)),
        *_rates(production.level, lambda row: row[1]),
        (words_column("assumed"), lambda row: row[0].leads.assumption if row[0].leads else row[0].refused),
        title="Slices in production, each estimated from its own labelled rows",
        identity="production-slices",
    )


def _classes(estimate: ShiftEstimate, level: float) -> Table:
    return table_of(
        estimate.classes,
        (words_column("class"), lambda c: str(c.label)),
        *_rates(level, lambda c: c),
        title=f"Classes under {estimate.assumption}: {count(len(estimate.classes))}",
        identity=f"production-classes-{estimate.assumption.replace(' ', '-')}",
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


def cost_section(costs: CostReport, production: ProductionReport | None, level: str) -> Section:
    """What the decisions cost, against the best constant prediction, and which confusion costs most."""
    blocks: list[Block] = [Sentence(words, "strong") for words in _cost_sentences(costs, production, level)]
    if costs.confusions:
        table = table_of(
            costs.confusions,
            (words_column("decision"), lambda c: f"{c.truth} predicted {c.prediction}"),
            ("rows", lambda c: count(c.rows)),
            ("mean cost" if costs.costs.by_row else "cost of one", lambda c: money(c.cost)),
            ("cost", lambda c: money(c.total)),
            identity="costs-table",
            most_printed=MOST_CONFUSIONS,
            rest="the others cost less",
        )
        blocks.append(table)
    if costs.note:
        blocks.append(Sentence(costs.note, "bad"))
    return Section("Cost of errors", tuple(blocks), "brief", "costs", short="Costs")


def _cost_sentences(costs: CostReport, production: ProductionReport | None, level: str) -> Iterator[str]:
    """The sentences that decide."""
    cost, total, savings = costs["expected_cost"], costs["total_cost"], costs["savings"]

    def ends(low: float, high: float, written: Callable[[float], str]) -> str:
        return "" if math.isnan(low) else f" ({level}{' ' if level else ''}{written(low)} to {written(high)})"

    yield (
        f"The decisions cost {measured(cost.value)} a row{ends(cost.low, cost.high, measured)},"
        f" {measured(total.value)} on these rows{ends(total.low, total.high, measured)}."
    )
    best = costs.best_constant
    constant = f"Always predicting {best} would cost {measured(costs.constants[best])} a row"
    if savings.why_undefined is not None:
        yield f"{constant}: nothing can be saved against that."
    elif savings.value < 0:
        wasted = f"{percent(-savings.value)}{ends(-savings.high, -savings.low, percent)}"
        yield f"{constant}, less than this classifier: it wastes {wasted} of that."
    else:
        saved = f"{percent(savings.value)}{ends(savings.low, savings.high, percent)}"
        yield f"{constant}: {saved} of that is saved."
    if cost.at_priors is None or math.isnan(cost.at_priors):
        return
    there = {} if production is None else {row.measure.id: (row.low, row.high) for row in production.rows}
    unknown, at = (math.nan, math.nan), savings.at_priors
    words = f"{'At your priors' if production is None else 'In production'} a row costs"
    words += f" {measured(cost.at_priors)}{ends(*there.get(cost.id, unknown), measured)}"
    if at is not None and at < 0:
        words += f", {percent(-at)} more than the best constant prediction"
    elif at is not None and at >= 0:
        words += f", and {percent(at)}{ends(*there.get(savings.id, unknown), percent)} is saved"
    yield f"{words}."
