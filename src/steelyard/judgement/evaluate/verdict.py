"""What is found, and at what price? In counts that a person can picture, beside what never looking at the
input would give."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.baselines import best_constant
from steelyard.report.class_names import examples_of, quoted, short, short_names
from steelyard.report.numbers import count, percent, percents_apart

MOST_NAMED = 3
"""Classes named as the hardest."""


def sentences(matrix: Confusion, positive: Label | None) -> tuple[str, ...]:
    """What a careful colleague would say first."""
    two = positive is not None and matrix.n_classes == 2
    own = _two_classes(matrix, positive) if two else _many_classes(matrix)
    return (*own, _against_constant(matrix))


def _two_classes(matrix: Confusion, positive: Label | None) -> Iterator[str]:
    place = matrix.positive_class(positive).place
    label = matrix.labels[place]
    hits, examples, called = (float(part[place]) for part in (matrix.hits, matrix.actual, matrix.predicted))
    false = float(matrix.counts[1 - place, place])
    if not called:
        yield f"Never calls {short(label)}: all {count(examples)} are missed."
        return
    found = f"Finds {count(hits)} of {count(examples)} {examples_of(label)} ({percent(hits / examples)})"
    if not hits or not false:
        yield f"{found}; {false_alerts(false, called)}."
    else:
        yield f"{found}; {false_alerts(false, called)} ({percent(false / called)})."


def detected(label: Label, hits: float, examples: float) -> str:
    """How many positives are detected; a class whose name is a number is never a bare number."""
    name = short(label)
    is_number = name[:1].isdigit() or name[:1] in "+-."
    cases = f"positives (class {quoted(label)})" if is_number else f"{name} cases"
    return f"Detects {count(hits)} of {count(examples)} {cases} (recall {percent(hits / examples)})"


def false_alerts(false: float, alerts: float) -> str:
    """How many alerts are false, in words that fit one of them."""
    if alerts == 1:
        return "its only alert is false" if false else "its only alert is true"
    if not false:
        return f"none of its {count(alerts)} alerts is false"
    if false == alerts:
        return f"all of its {count(alerts)} alerts are false"
    return f"{count(false)} of its {count(alerts)} alerts {'is' if false == 1 else 'are'} false"


def _many_classes(matrix: Confusion) -> Iterator[str]:
    right, whole = float(matrix.hits.sum()), float(matrix.total)
    yield f"Tells {count(right)} of {count(whole)} examples right ({percent(right / whole)})."
    rows = [
        (hits / examples, label, hits, examples)
        for label, hits, examples in zip(
            short_names(matrix.labels), matrix.hits.tolist(), matrix.actual.tolist(), strict=True
        )
        if examples
    ]
    hardest = sorted((row for row in rows if row[0] < 1), key=lambda row: (row[0], row[3]))[:MOST_NAMED]
    if hardest:
        named = ", ".join(f"{label} ({count(hits)} of {count(n)})" for _, label, hits, n in hardest)
        yield f"Found least: {named}."


def _against_constant(matrix: Confusion) -> str:
    constant = best_constant(matrix)
    always, here = percents_apart(constant.accuracy, float(matrix.hits.sum() / matrix.total))
    here = "and so is this classifier" if always == here else f"this classifier {here}"
    name = short_names(matrix.labels)[matrix.labels.index(constant.label)]
    return f'Always saying "{name}" is right {always} of the time, {here}.'
