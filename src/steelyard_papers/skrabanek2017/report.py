"""Reporting scheme of skrabanek2017 (section 5), by `steelyard evaluate --report skrabanek2017`."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard import Evaluation
from steelyard.errors import InputError
from steelyard.report import Block, Cell, Section, Sentence, count, shown, table_of, words_column

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


def sections(result: Evaluation) -> Iterator[Section]:
    """Class sizes, balanced metrics beside the same metrics on the test set, and what to know of them."""
    if result.matrix.n_classes != 2:
        raise InputError(
            "the reporting scheme of skrabanek2017 is for two classes, one of them positive",
            found=f"{result.matrix.n_classes} classes",
            parameter="report",
            do="choose the standard report",
        )
    sizes = {c.label: c for c in result.test_set.classes}
    positive = sizes.pop(result.positive_label)
    ((label, negative),) = sizes.items()
    first = Sentence(
        f'Class sizes: {count(positive.count)} positive (class "{positive.label}"), {count(negative.count)}'
        f' negative (class "{label}"); prevalence {shown(positive.share)}.'
    )
    rows = [
        (symbol, result.weighing[name], result.weighing[biased], name != biased)
        for symbol, name, biased in (*BALANCED, *((symbol, name, name) for symbol, name in UNBIASED))
    ]
    level = result.level_text
    table = table_of(
        rows,
        (
            words_column("", whole=True),
            lambda r: Cell(r[1].title, "strong" if r[3] else "plain", tip=r[1].measure.question),
        ),
        (words_column("symbol", whole=True), lambda r: r[0]),
        ("balanced", lambda r: Cell(shown(r[1].value), tip=r[1].why_undefined or "")),
        (level, lambda r: result.interval_text(r[1].measure.name) or "-") if level else None,
        ("test set", lambda r: shown(r[2].value)),
        identity="balanced-metrics",
    )
    one_error = (
        f"One error changes the balanced accuracy by {0.5 / positive.count:.2g} if the example is positive,"
        f" by {0.5 / negative.count:.2g} if it is negative: errors on the rarer class weigh more."
    )
    blocks: list[Block] = [first, table, Sentence(one_error, "soft")]
    if result.ranking is None:
        no_scores = "No scores were given; with them (score=, --score) the report shows the ROC and"
        blocks.append(Sentence(f"{no_scores} precision-recall curves.", "soft"))
    yield Section("Reported as skrabanek2017 suggests", tuple(blocks), "brief", identity="balanced-first")
