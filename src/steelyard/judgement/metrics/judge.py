"""Compute every metric of one confusion matrix, in one batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from steelyard.counts.confusion import Confusion, refuse_batch
from steelyard.counts.labels import Label
from steelyard.judgement.metrics.options import Options
from steelyard.judgement.metrics.result import Weighed, Weighing
from steelyard.measures.catalogue import catalogue, measure
from steelyard.measures.class_numbers import priors_of_two
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.operators import at_priors, weighted_by
from steelyard.measures.relevance import Relevance, parse, prevalence
from steelyard.measures.undefined import Undefined
from steelyard.parameters import public_function


@public_function(Options)
def metrics(options: Options) -> Weighing:
    """Compute every metric of one confusion matrix; `measures` are those to compute, the catalogue without
    it.

    >>> import steelyard as sy
    >>> round(sy.metrics([[90, 10], [30, 870]], labels=["fraud", "ok"])["gmean"].value, 3)
    0.933
    """
    counts = options.matrix
    matrix = counts if isinstance(counts, Confusion) else Confusion(counts, options.labels)
    chosen = None if options.measures is None else [measure(name) for name in options.measures]
    how: dict[str, Any] = {key: getattr(options, key) for key in ("positive", "priors", "undefined")}
    return weigh_all(matrix, relevance=relevance_of(options.relevance, matrix), measures=chosen, **how)


def relevance_of(request: Any, matrix: Confusion) -> Any:
    """The relevance that words state: "prevalence", an order or scores of classes; others as they are."""
    if not isinstance(request, str):
        return request
    by_prevalence = request.strip().lower() == "prevalence"
    return prevalence(matrix) if by_prevalence else parse(request, matrix.labels)


def weigh_all(
    counts: Any,
    *,
    positive: Label | None = None,
    priors: Any = None,
    relevance: Relevance | None = None,
    undefined: Undefined = "nan",
    measures: Iterable[Measure] | None = None,
) -> Weighing:
    """Every metric that applies to this matrix."""
    # Those of two classes only where there are two, or a positive one is named.
    matrix = counts if isinstance(counts, Confusion) else Confusion(counts)
    refuse_batch(matrix, "one matrix is evaluated at a time")
    choice = matrix.positive_class(positive) if positive is not None or matrix.n_classes == 2 else None
    chosen = [
        m
        for m in (catalogue() if measures is None else measures)
        if m.kind == "multi-class" or choice is not None
    ]
    label = None if choice is None else choice.label
    if choice is not None and matrix.n_classes == 2:
        priors = priors_of_two(priors, choice.label, matrix.labels[1 - choice.place])

    def values(of: Sequence[Measure], change: Callable[[Measure], Measure] = lambda m: m) -> dict[str, float]:
        """One pass over the matrix for all of them, by the name of the metric that was changed."""
        changed = {m.name: change(m) for m in of}
        computed = weigh(changed.values(), matrix, undefined=undefined, positive=label)
        return {name: computed[m.name] for name, m in changed.items()}

    here = values(chosen)
    shifted: dict[str, float] = {}
    if priors is not None:
        movable = [m for m in chosen if m.kind == "multi-class" or matrix.n_classes == 2]
        shifted = values(movable, lambda m: at_priors(m, priors))
    weighted: dict[str, float] = {}
    if relevance is not None:
        weighted = values([m for m in chosen if m.over_classes], lambda m: weighted_by(m, relevance))
    rows = []
    for m in chosen:
        value = here[m.name]
        why = m.why_undefined(matrix, positive=label) if math.isnan(value) else None
        classes = 2 if m.kind == "two-class" else max(1, matrix.n_classes_held)
        normalised = m.normalise(value, classes)
        rows.append(Weighed(m, value, normalised, why, shifted.get(m.name), weighted.get(m.name)))
    return Weighing(matrix, choice, tuple(rows), priors, relevance)
