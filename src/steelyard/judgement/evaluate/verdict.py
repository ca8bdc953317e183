"""Verdict of an evaluation: how many positives are detected, how many alerts are false, and what the best
constant prediction would reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.baselines import best_constant
from steelyard.report.class_names import quoted, short, short_names
from steelyard.report.numbers import count, percent, percents_apart
from steelyard.uncertainty.intervals import Interval

# Classes named as those with the lowest recall.
MOST_NAMED = 3


def sentences(
    matrix: Confusion,
    positive: Label | None,
    interval_of: Callable[[str], Interval | None],
    estimated: bool = False,
) -> tuple[str, ...]:
    """The verdict in counts, with the rates and their confidence intervals in brackets; counts that are
    `estimated` from a sample are said to be about so many."""
    two = positive is not None and matrix.n_classes == 2
    about = "about " if estimated else ""
    opening = _two_classes(matrix, positive, interval_of, about) if two else _many_classes(matrix, about)
    return (*opening, _against_constant(matrix))


def against_the_rest(matrix: Confusion, label: Label, estimated: bool = False) -> str:
    """One of many classes against all others, in counts."""
    about = "about " if estimated else ""
    text = " ".join(_two_classes(matrix.one_vs_rest(label), label, lambda name: None, about))
    return f"Class {quoted(label)} against the rest: {text[0].lower()}{text[1:]}"


def _two_classes(
    matrix: Confusion, positive: Label | None, interval_of: Callable[[str], Interval | None], about: str
) -> Iterator[str]:
    place = matrix.positive_class(positive).place
    label = matrix.labels[place]
    hits, examples, alerts = (float(part[place]) for part in (matrix.hits, matrix.actual, matrix.predicted))
    false = float(matrix.counts[1 - place, place])
    if not alerts:
        yield f"Never predicts {quoted(label)}: all {about}{rounded(examples, about)} are missed (recall 0%)."
        return
    detects = detected(label, hits, examples, interval_in_percent(interval_of("recall")), about)
    precision = f" (precision {one_decimal(hits / alerts)}{interval_in_percent(interval_of('precision'))})"
    yield f"{detects}; {false_alerts(false, alerts, about)}{precision if alerts > 1 else ''}."


def rounded(value: float, about: str) -> str:
    """A count; one that is estimated has no decimals."""
    return count(float(round(value)) if about else value)


def detected(label: Label, hits: float, examples: float, interval: str = "", about: str = "") -> str:
    """How many positives are detected; a class whose name is a number is never a bare number."""
    name = short(label)
    is_number = name[:1].isdigit() or name[:1] in "+-."
    cases = f"positives of class {quoted(label)}" if is_number else f"{name} cases"
    recall = f"(recall {one_decimal(hits / examples)}{interval})"
    return f"Detects {about}{rounded(hits, about)} of {rounded(examples, about)} {cases} {recall}"


def interval_in_percent(interval: Interval | None) -> str:
    """A confidence interval behind a percentage: ", 95% CI 84 to 96"."""
    if interval is None:
        return ""
    low, high = (one_decimal(end).removesuffix("%") for end in (interval.low, interval.high))
    return f", {100 * interval.level:g}% CI {low} to {high}"


def one_decimal(rate: float) -> str:
    """A percentage beside its interval: one decimal, more where a rate near 0 or 1 needs them."""
    return f"{100 * rate:.1f}%" if 0.001 <= rate <= 0.999 else percent(rate)


def false_alerts(false: float, alerts: float, about: str = "") -> str:
    """How many alerts are false, in words that fit one of them."""
    number = rounded(alerts, about)
    if alerts == 1:
        return "its only alert is false" if false else "its only alert is true"
    if not false:
        return f"none of its {number} alerts is false"
    if false == alerts:
        return f"all of its {number} alerts are false"
    return f"{about}{rounded(false, about)} of its {number} alerts {'is' if false == 1 else 'are'} false"


def _many_classes(matrix: Confusion, about: str) -> Iterator[str]:
    correct, total = float(matrix.hits.sum()), float(matrix.total)
    numbers = f"{rounded(correct, about)} of {rounded(total, about)}"
    yield f"{about.capitalize()}{numbers} correct (accuracy {percent(correct / total)})."
    rows = [
        (hits / examples, label, hits, examples)
        for label, hits, examples in zip(
            short_names(matrix.labels), matrix.hits.tolist(), matrix.actual.tolist(), strict=True
        )
        if examples
    ]
    lowest = sorted((row for row in rows if row[0] < 1), key=lambda row: (row[0], row[3]))[:MOST_NAMED]
    if lowest:
        names = ", ".join(
            f"{_named(label)} ({about}{rounded(hits, about)} of {rounded(n, about)})"
            for _, label, hits, n in lowest
        )
        yield f"Lowest recall: {names}."


def _named(label: str) -> str:
    """A class in a list; one whose name is a number is quoted."""
    return quoted(label) if label[:1].isdigit() or label[:1] in "+-." else label


def _against_constant(matrix: Confusion) -> str:
    constant = best_constant(matrix)
    always, observed = percents_apart(constant.accuracy, float(matrix.hits.sum() / matrix.total))
    name = short_names(matrix.labels)[matrix.labels.index(constant.label)]
    if always == observed:
        return f'Always predicting "{name}" is {always} accurate; so is this classifier.'
    return f'Always predicting "{name}" is {always} accurate; this classifier is {observed} accurate.'
