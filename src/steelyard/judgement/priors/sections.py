"""Report of class priors of unlabelled data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.report.class_names import quoted
from steelyard.report.numbers import count, p_relation, percent
from steelyard.report.sections import (
    Cell,
    Report,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)
from steelyard.scores.covariate_shift import OUTSIDE
from steelyard.scores.unlabelled_priors import WORDS

if TYPE_CHECKING:
    from steelyard.judgement.priors.result import Priors

MOST_NAMED = 3


def priors_report(result: Priors) -> Report:
    """The shares, each way of finding them, and whether they can be believed."""
    title = (
        f"{Path(result.unlabelled).name} · {count(result.rows)} unlabelled rows · class priors from"
        f" {count(sum(result.sizes))} labelled rows"
    )
    sections = [Section("", tuple(_verdict(result)), "brief", "verdict")]
    if result.fits:
        sections += [
            Section("By method", (_table(result),), "brief", "estimates"),
            Section("Methods", tuple(_methods(result)), "full", "methods"),
        ]
    return Report(title, tuple(sections), f"Steelyard {__version__}.")


def _verdict(result: Priors) -> Iterator[Sentence]:
    if not result.fits:
        reason = "no mixture of the labelled classes explains the unlabelled rows"
        if result.test.outside > OUTSIDE:
            reason = f"{percent(result.test.outside)} of the unlabelled scores lie outside the labelled range"
        yield Sentence(
            f"Label shift is rejected (p {p_relation(result.test.p_value)}): {reason}, so prevalence cannot"
            " be estimated this way.",
            "bad",
        )
        yield Sentence(
            "Next: estimate performance under covariate shift with steelyard evaluate --production, or label"
            " some of the rows (steelyard sample chooses which)."
        )
        return
    best = result.best
    order = sorted(range(len(result.labels)), key=lambda k: float(best.shares[k]))
    if len(order) == 2:
        order = [0] if result.shares_predicted is None else order[:1]
    for k in order[:MOST_NAMED]:
        yield Sentence(
            f"About {percent(float(best.shares[k]))} of the unlabelled rows are {quoted(result.labels[k])}"
            f" ({100 * result.level:g}% CI {percent(float(best.low[k]))} to {percent(float(best.high[k]))},"
            f" {best.method})."
            + (
                ""
                if result.shares_predicted is None
                else f" {percent(result.shares_predicted[k])} are predicted so."
            ),
            "strong",
        )
    for note in result.notes:
        yield Sentence(note, "bad")
    blind = (
        ""
        if result.shares_predicted is None
        else " Predicted labels alone can reject it only by negative shares; scores give a stronger test."
    )
    yield Sentence(
        "Assumed: label shift (each class looks the same in both sets, only the class distribution"
        f" differs); not rejected (p {p_relation(result.test.p_value)}).{blind}",
        "soft",
    )


def _table(result: Priors) -> Table:
    several = len(result.labels) > 2
    columns = [
        words_column("method"),
        words_column("class"),
        *number_columns("labelled examples", "prevalence"),
    ]
    columns += number_columns(f"{100 * result.level:g}% CI")
    columns += number_columns("simultaneous CI") if several else ()
    rows: list[tuple[Cell | str, ...]] = []
    for found in result.estimates:
        tone = "strong" if found is result.best else "plain"
        for k, label in enumerate(result.labels):
            rows.append(
                (
                    Cell(found.method, "strong" if tone == "strong" else "plain"),
                    str(label),
                    count(result.sizes[k]),
                    percent(float(found.shares[k])),
                    f"{percent(float(found.low[k]))} to {percent(float(found.high[k]))}",
                    *(
                        [f"{percent(float(found.low_of_all[k]))} to {percent(float(found.high_of_all[k]))}"]
                        if several
                        else []
                    ),
                )
            )
    return Table(tuple(columns), tuple(rows), identity="priors")


def _methods(result: Priors) -> Iterator[Sentence]:
    for found in result.estimates:
        yield Sentence(f"{found.method}: {WORDS[found.method]}.")
    yield Sentence(
        "Confidence intervals come from resampling both sets: the distribution of each class is known"
        " from its"
        " labelled examples only."
    )
