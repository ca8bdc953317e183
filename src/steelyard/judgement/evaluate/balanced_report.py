"""The reporting scheme of skrabanek2017 (section 5): class balanced metrics first, with the class sizes.

The paper asks that the four metrics that depend on the class proportions are reported in their balanced form
(Tab. 3); the values on the test set stand beside them, so that results reported otherwise can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steelyard.errors import InputError, parameter
from steelyard.report.numbers import between, count, shown
from steelyard.report.sections import Block, Cell, Column, Section, Sentence, Table, words_column

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation

SCHEME = "skrabanek2017"
# Tab. 3: the paper's symbol, the balanced metric, and the biased one of Tab. 2.
BALANCED = (
    ("acc_B", "balanced_accuracy", "accuracy"),
    ("er_B", "balanced_error_rate", "error_rate"),
    ("pr_B", "balanced_precision", "precision"),
    ("Fscore_B", "balanced_f_beta", "f_beta"),
)
# The metrics of Tab. 2 that do not depend on the class proportions.
UNBIASED = (
    ("re", "recall"),
    ("sp", "specificity"),
    ("fnr", "fnr"),
    ("fpr", "fpr"),
    ("Gmean", "gmean"),
    ("AUC", "auc_point"),
)


def require_two_classes(result: Evaluation) -> None:
    """Refuse the scheme where there is no positive class."""
    if result.positive is None or result.matrix.n_classes != 2:
        raise InputError(
            "the reporting scheme of skrabanek2017 is for two classes, one of them positive",
            found=f"{result.matrix.n_classes} classes",
            parameter="report",
            do=f"leave out {parameter('report')}",
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
    level = "" if result.intervals is None else f"{100 * result.intervals.settings['level']:g}% CI"
    columns = [words_column("", whole=True), words_column("symbol", whole=True), Column("balanced")]
    columns += [Column(level)] if level else []
    columns += [Column("test set")]
    pairs = [*BALANCED, *((symbol, name, name) for symbol, name in UNBIASED)]
    return Table(
        tuple(columns),
        tuple(_row(result, *pair, bool(level)) for pair in pairs),
        identity="balanced-metrics",
    )


def _row(result: Evaluation, symbol: str, name: str, biased: str, sure: bool) -> tuple[Cell | str, ...]:
    ends = result.interval_of(name)
    metric = result.weighing[name]
    return (
        Cell(metric.measure.title, "strong" if name != biased else "plain", tip=metric.measure.question),
        symbol,
        Cell(shown(metric.value), tip=metric.why_undefined or ""),
        *([between(ends.low, ends.high) if ends is not None else "-"] if sure else []),
        shown(result.weighing[biased].value),
    )
