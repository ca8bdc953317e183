"""Which arguments hold for every number of classes?

Three of them. A measure taken at fixed priors cannot depend on the class proportions, whatever it is made of.
A mean of class terms inherits what is true of one term, proved once for the class against the rest. And what
a transformation only reorders, a mean over classes does not see.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from steelyard.measures.measure import Measure
from steelyard.proofs.prover import transformations
from steelyard.proofs.prover.class_terms import CELLS, ClassTerm, class_term, note
from steelyard.proofs.prover.fixed_priors import made_at_fixed_priors
from steelyard.proofs.prover.points import Compute, Point
from steelyard.proofs.prover.prove import Attempt, methods_of, prove_equal, prove_not_less
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.symbols import Field, TooHardError
from steelyard.proofs.prover.transformations import Transformation
from steelyard.proofs.questions.bounds_of_rates import bounds_of_rates
from steelyard.proofs.questions.deciding import Argument, conditions_of_a_class

BY_CONSTRUCTION = "by construction: the rows are scaled to fixed priors before anything else is computed"
BY_SYMMETRY = "a mean over classes does not depend on their order"


def invariance(measure: Measure, change: Transformation) -> Argument | None:
    """An argument that the measure does not change, for every C; None if none is known."""
    if measure.kind != "multi-class":
        return None
    if change is transformations.rows_scaled and made_at_fixed_priors(measure) is not None:
        return Argument(BY_CONSTRUCTION)
    term = class_term(measure)
    if term is None:
        return None
    if change is transformations.classes_reordered:
        return Argument.of(BY_SYMMETRY, term)
    pairs = {
        # Under scaled rows, nothing is known of the false alarms and of the rest but that they may become
        # anything.
        transformations.rows_scaled.id: (
            ("b", "fp2", "tn2"),
            lambda b, fp2, tn2: lambda d, fn, fp, tn: (b * d, b * fn, fp2, tn2),
        ),
        transformations.all_scaled.id: (
            ("k",),
            lambda k: lambda d, fn, fp, tn: (k * d, k * fn, k * fp, k * tn),
        ),
        transformations.transposed.id: ((), lambda: lambda d, fn, fp, tn: (d, fp, fn, tn)),
    }
    if change.id not in pairs:
        return None
    extra, changed = pairs[change.id]

    def compute(at: Point) -> tuple[Any, Any]:
        after = changed(*at.counts(extra))(*at.counts(CELLS))  # type: ignore[operator]
        return term.on(at), term.at(after, at.numbers)

    attempt = prove_equal([*CELLS, *extra], compute)
    return Argument.of(_of_one_term(term, attempt), term, attempt) if attempt.proved else None


def bounds(measure: Measure, low: Fraction, high: Fraction) -> Argument | None:
    """An argument that the values lie in [low, high] and reach both ends, for every C."""
    inner = made_at_fixed_priors(measure)
    if inner is not None:
        inside = bounds(inner, low, high)
        if inside is None:
            return None
        words = f"its values are values of {inner.name} on matrices with equal class sizes; {inside.words}"
        return Argument(words, inside.where)
    if (rates := bounds_of_rates(measure, low, high)) is not None:
        words, attempt = rates
        return Argument(words, conditions_of_a_class([attempt]))
    term = class_term(measure)
    if term is None or (term.kind == "geometric" and low < 0):
        return None
    above = prove_not_less(CELLS, lambda at: (term.on(at), low))
    below = prove_not_less(CELLS, lambda at: (high, term.on(at)))
    if not (above.proved and below.proved):
        return None
    # Every class right, and every class wrong with as many false alarms as misses (all predictions turned by
    # one class).
    none = Fraction(0)
    reached: dict[str, list[Fraction]] = {}
    for name in ("all right", "all wrong"):
        owner = Field(("d", "a", "tn"))
        d, a, tn = (owner.variable(v) for v in owner.names)
        try:
            value = term.at((d, none, none, tn) if name == "all right" else (none, a, a, tn), Symbols(owner))
        except (TooHardError, ZeroDivisionError):
            return None
        reached[name] = [
            end
            for end in (low, high)
            if not isinstance(value, float) and (value - end == 0 or _is_zero(value - end))
        ]
    if sorted(map(str, reached["all right"] + reached["all wrong"])) != sorted(map(str, (low, high))):
        return None
    kind = (
        "every class term" if term.kind == "arithmetic" else "every class term, and so their geometric mean,"
    )
    words = (
        f"{kind} lies in [{low}, {high}] ({_methods(above, below)}); both ends are reached when every class"
        " is right and when every class is wrong"
    )
    return Argument.of(words, term, above, below)


def not_less(larger: Measure, smaller: Measure) -> Argument | None:
    """An argument that larger >= smaller on every matrix of every size."""
    one, other = class_term(larger), class_term(smaller)
    if one is None or other is None or one.kind != other.kind:
        return None

    return _for_both(one, other, prove_not_less(CELLS, lambda at: (one.on(at), other.on(at))))


def affine(measure: Measure, other: Measure, slope: Fraction, offset: Fraction) -> Argument | None:
    """An argument that measure = slope * other + offset on every matrix of every size."""
    one, second = class_term(measure), class_term(other)
    if one is None or second is None or one.kind != "arithmetic" or second.kind != "arithmetic":
        return None

    line = prove_equal(CELLS, lambda at: (one.on(at), slope * second.on(at) + offset))
    return _for_both(one, second, line)


def _for_both(one: ClassTerm, other: ClassTerm, attempt: Attempt) -> Argument | None:
    if not attempt.proved:
        return None
    note(other)
    return Argument.of(f"it holds for the term of every class: {attempt.method}", one, attempt)


def monotone(measure: Measure) -> Argument | None:
    """An argument that the value never gets worse when an error becomes a hit.

    An error i -> j that becomes a hit turns a miss of class i into a hit and a false alarm of class j into a
    rejection; every other class stays as it was.
    """
    term = class_term(measure)
    if (
        term is None
        or measure.better == "neither"
        or (
            term.kind == "geometric"
            and not prove_not_less(CELLS, lambda at: (term.on(at), Fraction(0))).proved
        )
    ):
        return None

    def compute(of_the_hit: bool) -> Compute:
        def values(at: Point) -> tuple[Any, Any]:
            (d, fn, fp, tn), k = at.counts(CELLS), at["k"]
            before, after = (
                ((d, fn + k, fp, tn), (d + k, fn, fp, tn))
                if of_the_hit
                else ((d, fn, fp + k, tn), (d, fn, fp, tn + k))
            )
            pair = term.at(after, at.numbers), term.at(before, at.numbers)
            return pair if measure.better == "higher" else pair[::-1]

        return values

    attempts = [prove_not_less([*CELLS, "k"], compute(of_the_hit)) for of_the_hit in (True, False)]
    if not all(a.proved for a in attempts):
        return None
    words = (
        "neither the term of the class that gains a hit nor that of the class that loses a false alarm gets"
        f" worse, and no other changes: {_methods(*attempts)}"
    )
    return Argument.of(words, term, *attempts)


def one_class_failing(measure: Measure, low: Fraction) -> Argument | None:
    """An argument that a class misclassified throughout cannot pull the value down to `low` while the others
    are correct."""
    term = class_term(measure)
    if term is None or term.kind != "arithmetic":
        return None
    above = prove_not_less(CELLS, lambda at: (term.on(at), low))
    if not above.proved:
        return None
    for empty in ((), ("fp",), ("tn",), ("fp", "tn")):
        owner = Field(CELLS)
        try:
            value = term.on(Point(owner, Symbols(owner)), "fn", *empty) - low
        except (TooHardError, ZeroDivisionError, TypeError):
            return None
        if isinstance(value, Fraction):
            if value <= 0:
                return None
            continue
        if isinstance(value, float):
            return None
        top, bottom = value.combined()
        if not (owner.is_positive(top) and owner.is_positive(bottom)):
            return None
    words = (
        f"no class term is below {low}, and the term of a class that is always classified correctly is above"
        " it"
    )
    return Argument.of(words, term, above)


def never_negative_if_geometric(term: ClassTerm) -> bool:
    """A geometric mean says something of its terms only where none of them is negative."""
    return term.kind == "arithmetic" or prove_not_less(CELLS, lambda at: (term.on(at), Fraction(0))).proved


def _is_zero(value: Any) -> bool:
    return bool(getattr(value, "is_zero", False))


def _of_one_term(term: ClassTerm, attempt: Attempt) -> str:
    mean = "mean" if term.kind == "arithmetic" else "geometric mean"
    return f"it is the {mean} of one term per class, and the term does not change: {attempt.method}"


def _methods(*attempts: Attempt) -> str:
    return methods_of(a.method for a in attempts)
