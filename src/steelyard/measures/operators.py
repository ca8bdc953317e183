"""Operators: most measures are made from a few."""

# An operator takes a measure and returns a measure: it puts another matrix, or other weights, into the
# graph. balanced(accuracy), balanced(precision), ... are the class balanced measures of skrabanek2017 and
# the modified ones of mullick2020; weighted_by gives branco2017's relevance-based ones.

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from steelyard.counts.labels import Label
from steelyard.counts.libraries import by_own_names
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures import class_numbers, graph
from steelyard.measures.class_numbers import BY_RELEVANCE, UNIFORM, Priors, number_text
from steelyard.measures.graph import CELLS, TWO_CELLS, WEIGHTS, Node, as_node, cells_of, substituted
from steelyard.measures.measure import MatrixMeasure, needs_of
from steelyard.measures.names import short_name, takes_names
from steelyard.measures.record import SIZE_NODE, Bound, ByClasses, Measure, Needs, Range, Recipe, cite
from steelyard.measures.relevance import Relevance
from steelyard.measures.score_measure import ScoreMeasure
from steelyard.measures.tracing import traced
from steelyard.measures.undefined import NEVER_UNDEFINED, NO_NEGATIVES, NO_POSITIVES
from steelyard.measures.views import Classes, TwoClass

Average = Literal["macro", "micro", "prevalence"]

# Cited once, at import: a misspelt key fails there, and a measure made in a loop looks nothing up.
_OF_PRIORS = cite("skrabanek2017 Tab. 3", "mullick2020 Def. 5, 7")
_OF_RELEVANCE = cite("branco2017 Eq. 4-8")
_OF_DOMINANCE = cite("garcia2012 section 2", "garcia2010")
_OF_SCALES = cite("mullick2020 section 4")


@takes_names
def at_priors(measure: Measure, priors: Priors) -> Measure:
    """What would this measure be on a test set with these class priors, if the rates of every class
    stay as they are?

    Each row of the matrix is scaled so that its class has the given proportion. `priors` is a mapping from
    label to prior, a sequence in the order of the classes, "uniform", or for two classes the prior of the
    positive one. A class without examples has unknown rates: the value is undefined, or the class is left out
    under "skip".

    >>> import steelyard as sy
    >>> cm = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    >>> in_production = sy.at_priors(sy.measure("precision"), {"fraud": 0.001, "ok": 0.999})
    >>> round(in_production(cm, positive="fraud"), 3)
    0.026
    """
    wanted = class_numbers.checked_priors(priors)
    shown = class_numbers.priors_text(wanted)
    uniform = shown == UNIFORM
    if uniform:
        name, title = f"balanced({measure.name})", f"Balanced {measure.title_inside}"
    else:
        name, title = f"{measure.name} at priors {shown}", f"{short_name(measure)} at priors {shown}"
    condition = "all classes were equally frequent" if uniform else "the classes had these priors"
    return _made_of(
        measure,
        id=name,
        title=title,
        question=f"{measure.question[:-1]}, if {condition}?",
        formula=rf"\left.{measure.formula}\right|_{{m_{{ij}} \to w_i m_{{ij}}/t_i}}",
        reads=f"{measure.reads}, with m_ij replaced by w_i m_ij / t_i" + (", w_i = 1/C" if uniform else ""),
        **_at_priors(measure, wanted),
        sources=(*measure.sources, *_OF_PRIORS),
        undefined_when=(
            "a class that it depends on has no examples"
            if measure.undefined_when == NEVER_UNDEFINED
            else f"a class that it depends on has no examples, or at these priors {measure.undefined_when}"
        ),
        needs=measure.needs | {Needs.EXAMPLES},
        recipe=(at_priors, (measure, priors)),
        at_fixed_priors_of=measure,
        monotone=measure.monotone,
    )


def _at_priors(measure: Measure, priors: Any) -> dict[str, Any]:
    if isinstance(measure, ScoreMeasure):
        return {"body": lambda c: measure.body(c.at_priors(priors))}
    assert isinstance(measure, MatrixMeasure)
    # Nothing is evaluated here: the matrix in the graph is replaced by one with scaled rows (skrabanek2017
    # section 3).
    two = measure.kind == "two-class"
    cells = cells_of(two)
    if priors == UNIFORM:
        numbers = as_node(1 / as_node(graph.number_of_classes(cells)))
    elif two and not isinstance(priors, (Mapping, tuple)):
        numbers = graph.with_the_rest(priors)
    else:
        numbers = Node("class_numbers", (cells,), ("prior", class_numbers.given_priors(priors, two)))
    return {"graph": measure.on(Node("at_priors", (cells, numbers)))}


@takes_names
def balanced(measure: Measure) -> Measure:
    """What would this measure be if all classes were equally frequent? It no longer depends on the class
    proportions.

    >>> import steelyard as sy
    >>> round(sy.balanced(sy.measure("precision"))([[90, 10], [30, 870]]), 3)
    0.964
    """
    return at_priors(measure, "uniform")


@takes_names
def weighted_by(measure: Measure, relevance: Relevance | Mapping[Label, float] | Sequence[float]) -> Measure:
    """The same mean over classes, with each class weighted by its relevance (branco2017 Eq. 4-8).

    >>> import steelyard as sy
    >>> recall = sy.weighted_by(sy.measure("macro_recall"), [1, 0.5, 0.5])
    >>> recall([[5, 0, 0], [0, 10, 0], [0, 10, 10]])
    0.875
    """
    relevance = by_own_names(relevance)
    if not measure.over_classes:
        # Other weights would have no effect.
        if BY_RELEVANCE in measure.name:
            raise InputError(
                f"{measure.name} has its weights already", do="weight the metric it was made of instead"
            )
        raise InputError(
            f"{measure.name} is not a mean over classes, so relevance cannot weight it",
            allowed=(
                "measures such as macro_recall, macro_precision, macro_f_beta, f_beta_of_macros,"
                " class_balance_accuracy"
            ),
        )
    return _made_of(
        measure,
        id=f"{measure.name} weighted by relevance",
        title=f"{short_name(measure)}, weighted by relevance",
        question=f"{measure.question[:-1]}, when some classes matter more than others?",
        formula=(
            rf"{measure.formula}\ \text{{with}}\ \frac1C\sum_i \to \frac{{1}}{{\sum_i\phi_i}}\sum_i\phi_i"
        ),
        reads=f"{measure.reads}, with the mean over classes weighted by relevance",
        **_weighted_by(measure, relevance),
        sources=(*measure.sources, *_OF_RELEVANCE),
        recipe=(weighted_by, (measure, relevance)),
    )


def _weighted_by(measure: Measure, relevance: Any) -> dict[str, Any]:
    if isinstance(relevance, Relevance):
        weights = relevance.weights
    else:
        by_label = isinstance(relevance, Mapping)
        spec = ("by label", tuple(relevance.items()), True) if by_label else ("in order", tuple(relevance))
        weights = Node("class_numbers", (CELLS,), ("relevance", spec))
    if isinstance(measure, ScoreMeasure):
        return {"body": lambda c: measure.body(c.weighted_by(weights))}
    assert isinstance(measure, MatrixMeasure)
    return {"graph": substituted(measure.graph, {WEIGHTS: weights})}


@takes_names
def iba(measure: Measure, alpha: float) -> Measure:
    """The index of balanced accuracy: a two-class measure, raised where the positive class is recognised
    better than the negative.

    >>> import steelyard as sy
    >>> round(sy.iba(sy.measure("gmean"), alpha=0.05)([[90, 10], [30, 870]]), 3)
    0.93
    """
    if not (isinstance(alpha, Real) and np.isfinite(float(alpha)) and float(alpha) >= 0):
        raise InputError("alpha must be a finite number", found=repr(alpha), allowed="alpha >= 0")
    inner = _of_matrices(measure, "an index of balanced accuracy", "choose a metric of two classes")
    low, high = measure.range.at(2)
    # (1 + alpha (TPr - TNr)) sqrt(TPr TNr) does not exceed 1 for alpha <= 1/2; for other measures the product
    # of the extremes bounds it.
    highest = 1.0 if measure.id == "gmean" and alpha <= 0.5 else (1 + float(alpha)) * high
    lowest = (
        0.0
        if measure.id == "gmean" and alpha <= 1
        else min((1 + float(alpha)) * low, (1 - float(alpha)) * low, (1 - float(alpha)) * high, low)
    )

    c = TwoClass(TWO_CELLS)
    dominance = c.ratio(c.tp, c.positives, NO_POSITIVES) - c.ratio(c.tn, c.negatives, NO_NEGATIVES)
    return _made_of(
        measure,
        id=f"iba({measure.name}, alpha={number_text(float(alpha))})",
        title=f"Index of balanced accuracy of {short_name(measure)} with alpha = {number_text(float(alpha))}",
        question=f"{measure.question[:-1]}, when the recall of the positive class counts for more?",
        formula=rf"\left(1+\alpha\,(TPr-TNr)\right)\cdot {measure.formula}",
        reads=f"(1 + {number_text(float(alpha))} (TPr - TNr)) times {measure.name}",
        kind="two-class",
        graph=(1 + c.number(alpha) * dominance) * inner.on(TWO_CELLS),
        range=Range(lowest, highest),
        scale=None,
        sources=_OF_DOMINANCE,
        undefined_when="a class has no examples",
        needs=measure.needs | {Needs.EXAMPLES},
        recipe=(iba, (measure, alpha)),
    )


@takes_names
def normalised(measure: Measure) -> Measure:
    """The measure brought to the scale on which 0 is the worst and 1 the best value, for every number of
    classes.

    >>> import steelyard as sy
    >>> round(sy.normalised(sy.measure("mcc"))([[90, 10], [30, 870]]), 3)
    0.9
    """
    if measure.worst_and_best(3) is None:
        raise InputError(
            f"{measure.name} has no scale to normalise to",
            found=f"range {measure.range}, {measure.better} is better",
            allowed="metrics with a bounded range for which higher or lower is better",
        )

    return _made_of(
        measure,
        id=f"normalised({measure.name})",
        title=f"Normalised {measure.title_inside}",
        formula=rf"\frac{{{measure.formula} - L_C}}{{U_C - L_C}}",
        reads=f"({measure.name} - worst) / (best - worst), on the range {measure.range}",
        **_normalised(measure),
        range=_range_on_the_scale(measure),
        better="higher",
        scale=Range(0, 1),
        sources=(*measure.sources, *_OF_SCALES),
        recipe=(normalised, (measure,)),
    )


def _normalised(measure: Measure) -> dict[str, Any]:
    if isinstance(measure, ScoreMeasure):
        return {"body": lambda c: _on_scale(c, measure.body(c), _ends(measure, c.n_classes))}
    assert isinstance(measure, MatrixMeasure)
    cells = cells_of(measure.kind == "two-class")
    c = Classes(cells)
    # Where classes without examples take no part ("skip"), the ends are those of as many classes as do.
    varies = Needs.EXAMPLES in measure.needs
    size = Node("taking_part", (cells,)) if varies else as_node(graph.number_of_classes(cells))
    return {"graph": traced(lambda: _on_scale(c, measure.graph, _ends(measure, size)))}


def _ends(measure: Measure, size: Any) -> tuple[Any, Any]:
    # The worst and the best value, of this many classes.
    low, high = (
        (substituted(end.graph, {SIZE_NODE: size}) if isinstance(size, Node) else end.at(size))
        if isinstance(end, ByClasses)
        else end
        for end in measure.scale or measure.range
    )
    return (high, low) if measure.scale is None and measure.better == "lower" else (low, high)


def _on_scale(c: Any, value: Any, ends: tuple[Any, Any]) -> Any:
    worst, best = map(c.number, ends)
    return c.ratio(value - worst, best - worst, "with this many classes the range is a single value")


def _range_on_the_scale(measure: Measure) -> Range:
    # 0 to 1, unless the measure has a scale of its own and its range goes beyond it.
    if measure.scale is None:
        return Range(0, 1)

    def ends(classes: int) -> list[float]:
        return sorted(0.0 + measure.normalise(bound, classes) for bound in measure.range.at(classes))

    def end(which: int) -> Bound:
        of_two, of_three, of_four = (ends(classes)[which] for classes in (2, 3, 4))
        # Bounds of the catalogue are constant or change from two classes to three or four.
        if of_two == of_three == of_four:
            return of_two
        text = f"{of_two:.3g} (C = 2), {of_three:.3g} (C = 3)"
        return ByClasses(text, lambda classes: ends(classes)[which])

    return Range(end(0), end(1))


@takes_names
def one_versus_all(measure: Measure, average: Average = "macro") -> Measure:
    """The two-class measure of each class against all others, averaged over classes.

    "macro" gives every class the same weight (and can be weighted by relevance), "prevalence" its share of
    the examples, "micro" adds the two-class matrices up first.

    >>> import steelyard as sy
    >>> precision = sy.one_versus_all(sy.measure("precision"))
    >>> round(precision([[5, 0, 0], [0, 10, 0], [0, 10, 10]]), 3)
    0.833
    """

    def average_of(inner: MatrixMeasure) -> Node:
        sides = _ALL.against_rest()
        if average == "micro":
            return inner.on(sides.pooled().matrix)
        terms = inner.on(sides.matrix)
        return as_node(_ALL.mean(terms) if average == "macro" else _ALL.weighted_mean(terms, _ALL.actual))

    return _over(one_versus_all, measure, average, average_of, "each class against all others")


@takes_names
def one_versus_one(measure: Measure, average: Average = "macro") -> Measure:
    """The two-class measure of each class against each other one, third classes left out, averaged over
    ordered pairs.

    "macro" gives every pair the same weight, or the mean relevance of its classes; "prevalence" the examples
    in it.

    >>> import steelyard as sy
    >>> precision = sy.one_versus_one(sy.measure("precision"))
    >>> round(precision([[5, 0, 0], [0, 10, 0], [0, 10, 10]]), 3)
    0.917
    """

    def average_of(inner: MatrixMeasure) -> Node:
        pairs = _ALL.in_pairs()
        if average == "micro":
            value = inner.on(pairs.pooled().matrix)
        else:
            # A pair weighs what its two classes weigh together.
            by_size = Node("pair_sums", (_ALL.actual,))
            weights = Node("pair_weights", (WEIGHTS, CELLS)) if average == "macro" else by_size
            value = _ALL.weighted_mean(inner.on(pairs.matrix), weights)
        return traced(lambda: value if _ALL.n_classes > 1 else _ALL.undefined("there is one class only"))

    return _over(one_versus_one, measure, average, average_of, "each class against each other one")


_ALL = Classes(CELLS, weights=WEIGHTS)
_AVERAGES = ("macro", "prevalence", "micro")


def _over(
    operator: Callable[..., Measure],
    measure: Measure,
    average: str,
    average_of: Callable[[MatrixMeasure], Node],
    words: str,
) -> Measure:
    name = operator.__name__
    if average not in _AVERAGES:
        raise UnknownNameError("average", average, _AVERAGES)
    inner = _of_matrices(measure, f"{name}(...)", "for scores of many classes see ova_auc and hand_till")
    # The two-class measure is put into the graph of all classes at once, not evaluated class by class.
    averaged = average_of(inner)
    needs = needs_of(averaged, False)
    return _made_of(
        measure,
        id=f"{name}({measure.name}, {average})",
        title=f"{measure.title}, {words}, {average} average",
        question=f"{measure.question[:-1]}, on average over {words}?",
        formula="",
        reads="",
        kind="multi-class",
        graph=averaged,
        undefined_when="",
        # A class without examples has weight 0 by prevalence, and micro averaging adds counts up first:
        # neither needs examples of every class.
        needs={"macro": needs, "prevalence": needs - {Needs.EXAMPLES}}.get(average, frozenset()),
        range=Range(*measure.range.at(2)),
        recipe=(operator, (measure, average)),
    )


def _made_of(measure: Measure, *, recipe: Recipe, **facts: Any) -> Measure:
    # A measure made of another one: it takes over what still holds, but not what was the other's own.
    # Left over, a symbol or alias would name two measures.
    reset: dict[str, Any] = dict.fromkeys(("symbols", "aliases", "relations", "notes"), ())
    reset |= {"parameters": {}, "remake": None, "at_fixed_priors_of": None, "monotone": False}
    return replace(measure, recipe=recipe, **(reset | facts))


def _of_matrices(measure: Measure, what: str, do: str) -> MatrixMeasure:
    if not isinstance(measure, MatrixMeasure):
        raise InputError(
            f"{what} is made of metrics of a confusion matrix",
            found=f"{measure.name}, a metric of scores",
            do=do,
        )
    return measure
