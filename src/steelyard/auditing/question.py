"""Can these printed numbers be true?"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from steelyard.auditing.demands import Demand, Setting
from steelyard.auditing.explain import contradiction
from steelyard.auditing.folds import Folds, pooled
from steelyard.auditing.mistakes import explanations
from steelyard.auditing.names import named
from steelyard.auditing.one_matrix import OneMatrix
from steelyard.auditing.printed import Rounding, Statement, checked_rounding, statements
from steelyard.auditing.problem import Interval
from steelyard.auditing.result import AuditResult
from steelyard.auditing.search import Budget
from steelyard.auditing.spaces import Sizes
from steelyard.counts.labels import Label
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.undefined import Policy, Undefined

UP_TO = 1000
"""Where no sizes are given, test sets of this many examples at most are looked through."""

SECONDS = 10.0


def audit(
    values: str | Mapping[str, Any],
    sizes: str | Mapping[Label, Any] | Sequence[int] | None = None,
    *,
    positive: Label | None = None,
    rounding: str = "nearest",
    total: int | None = None,
    up_to: int | None = None,
    classes: int | None = None,
    folds: int | None = None,
    repeats: int = 1,
    fold_sizes: str | Sequence[Sequence[int]] = "stratified",
    aggregate: str = "mean",
    deviation: str = "either",
    undefined: Undefined = "nan",
    seconds: float = SECONDS,
    check: bool = False,
) -> AuditResult:
    """Can these printed numbers be true: is there a confusion matrix that gives all of them, to the digits
    printed?

    `values` is text such as "accuracy=0.9567, recall=0.8545" or a mapping from name to number; a number given
    as text keeps its digits ("0.60" is not "0.6"), "0.95 ± 0.02" stands for an interval. Names are those of
    the catalogue, a class in brackets (recall[spam]), averages (macro_f1, weighted(f1)) and operators
    (balanced(precision)). `sizes` are the examples of each class, "pos=100, neg=200", with ? for an unknown
    one; the first class is positive unless `positive` says otherwise. Without sizes, test sets of up to
    `up_to` examples are looked through.

    With `folds` the values are means over the folds (and ± is their standard deviation: `deviation` says
    which), or of all folds `aggregate`d as "pooled" counts; the folds are "stratified", of "unknown" class
    sizes, or of the sizes in `fold_sizes`.

    With `check` an impossible result gets a certificate, a tree of boxes that an independent checker walks
    through in exact fractions; where it would be too large, `result.check` says so.

    >>> import steelyard as sy
    >>> result = sy.audit("accuracy=0.9333, recall=0.85, specificity=0.975", "pos=100, neg=200")
    >>> result.verdict, result.witness
    ('possible', ((85, 15), (5, 195)))
    >>> sy.audit("recall=0.8545", "pos=100, neg=200").reason()[:79]
    'It cannot be that recall = 0.8545. The nearest possible recall is 17/20 = 0.85,'
    >>> sy.audit("accuracy=0.9567, recall=0.86", "pos=100, neg=200", check=True).check
    'The certificate holds: 3 boxes, checked independently in exact fractions.'
    """
    given = statements(values)
    how = checked_rounding(rounding)
    Policy.of(undefined)
    undefined = "nan" if isinstance(undefined, float) and math.isnan(undefined) else undefined
    known = sizes_of(sizes, [named(s.name)[1] for s in given], total, up_to, classes)
    setting = setting_of(known, undefined, folds, repeats, fold_sizes, aggregate, deviation)
    over_folds = isinstance(setting, Folds)
    demands = demands_of(given, setting.sizes, positive, how, over_folds)
    cut = demands_of(given, setting.sizes, positive, "cut", over_folds) if how == "nearest" else None
    result = _answered(demands, cut, setting, how, Budget(_checked_seconds(seconds)))
    return with_certificate(result, Budget(seconds)) if check else result


def _answered(
    demands: list[Demand], cut: list[Demand] | None, setting: Setting, rounding: Rounding, budget: Budget
) -> AuditResult:
    decision = setting.decide(demands, budget)
    result = AuditResult(tuple(demands), setting, rounding, decision)
    if decision.answer != "impossible":
        return result
    why = contradiction(demands, setting, Budget(max(budget.left, 1.0) / 2))
    return replace(
        result,
        contradiction=why,
        mistakes=explanations(demands, cut, setting, Budget(max(budget.left, 1.0) / 2)),
    )


def with_certificate(result: AuditResult, budget: Budget) -> AuditResult:
    """The result with what proves it: of the fewest values that contradict each other, checked anew."""
    if result.verdict == "possible":
        return replace(result, check="The witness was checked in exact fractions.")
    if result.verdict == "undecided":
        return result
    from steelyard.auditing.certificates.made import certified

    fewest = result.demands if result.contradiction is None else result.contradiction.demands
    # Fewer values say more, but all of them may be easier to prove.
    for demands in dict.fromkeys((fewest, result.demands)):
        part = budget.part(1.0 if demands is result.demands else 0.5)
        found, words = certified(demands, result.setting, result.rounding, part)
        if found is not None:
            break
    return replace(result, certificate=found, check=words)


def _checked_seconds(seconds: float) -> float:
    if not seconds > 0:
        raise InputError("the budget must be a time", found=f"{seconds} seconds", allowed="more than 0")
    return float(seconds)


def demands_of(
    given: Sequence[Statement],
    sizes: Sizes,
    positive: Label | None,
    rounding: Rounding,
    over_folds: bool = False,
) -> list[Demand]:
    """What the statements demand of a matrix with these classes."""
    found = []
    if positive is not None:
        place_of(positive, sizes)
    for statement in given:
        measure, label = named(statement.name)
        place = None
        if measure.kind == "two-class":
            chosen = positive if label is None else label
            if chosen is None and len(sizes.labels) > 2:
                raise InputError(
                    f"{measure.name} needs a positive class, and there are {len(sizes.labels)} classes",
                    found=statement.text,
                    do=f"name it: {statement.name}[{sizes.labels[0]}]; or say macro_{statement.name}",
                )
            place = 0 if chosen is None else place_of(chosen, sizes)
        if over_folds and statement.spread is not None:
            around = statement.spread.interval(rounding)
            text = f"{statement.name} = {statement.figure.text}"
            found.append(Demand(measure, statement.figure.interval(rounding), place, text))
            text = f"deviation of {statement.name} = {statement.spread.text}"
            found.append(Demand(measure, around, place, text, "deviation"))
        else:
            found.append(Demand(measure, _interval(statement, rounding), place, statement.text))
    return found


def setting_of(
    sizes: Sizes,
    undefined: Undefined,
    folds: int | None,
    repeats: int,
    fold_sizes: Any,
    aggregate: str,
    deviation: str,
) -> Setting:
    """One matrix, or one for each fold."""
    if aggregate not in ("mean", "pooled"):
        raise UnknownNameError("aggregation", aggregate, ("mean", "pooled"))
    if deviation not in ("sample", "population", "either"):
        raise UnknownNameError("deviation", deviation, ("sample", "population", "either"))
    arrangement = _arrangement(fold_sizes)
    if not isinstance(arrangement, str):
        folds = len(arrangement)
        totals = tuple(sum(column) for column in zip(*arrangement, strict=True))
        if len(totals) != len(sizes.labels) or any(
            s not in (None, t) for s, t in zip(sizes.known, totals, strict=True)
        ):
            raise InputError(
                "the folds do not fit the sizes",
                found=f"{totals} in all folds",
                allowed="the sizes of all folds together",
            )
        sizes = replace(sizes, known=totals, total=None)
    if folds is None:
        return OneMatrix(sizes, undefined)
    if folds < 2 or repeats < 1:
        raise InputError(
            "folds are counted from 2, repetitions from 1", found=f"folds={folds}, repeats={repeats}"
        )
    if not sizes.complete:
        raise InputError(
            "folds need the sizes of all classes",
            found="an unknown size",
            do="give them: sizes='pos=38, neg=262'",
        )
    if (
        isinstance(arrangement, str)
        and min(size or 0 for size in sizes.known) < folds
        and arrangement == "stratified"
    ):
        raise InputError(
            "a class has fewer examples than there are folds",
            found=f"{folds} folds",
            do="use fold_sizes='unknown'",
        )
    setting = Folds(sizes, folds, arrangement, repeats, deviation, undefined)  # type: ignore[arg-type]
    return pooled(setting) if aggregate == "pooled" else setting


def _arrangement(fold_sizes: Any) -> Any:
    """The sizes of the folds: one of two words, '7/52, 8/53' or a sequence of sequences."""
    if isinstance(fold_sizes, str):
        if fold_sizes in ("stratified", "unknown"):
            return fold_sizes
        parts: Any = [part.strip().split("/") for part in fold_sizes.split(",")]
    else:
        parts = fold_sizes
    try:
        found = tuple(tuple(int(size) for size in fold) for fold in parts)
    except (TypeError, ValueError):
        found = ()
    if not found or len({len(fold) for fold in found}) > 1 or min(map(min, found)) < 1:
        raise InputError(
            "the sizes of the folds are not understood",
            found=repr(fold_sizes),
            allowed="stratified, unknown, or the classes of each fold such as '7/52, 8/53'",
        )
    return found


def _interval(statement: Statement, rounding: Rounding) -> Interval:
    if statement.spread is None:
        return statement.figure.interval(rounding)
    value, spread = statement.figure.value, statement.spread.value
    return Interval(value - spread, value + spread)


def sizes_of(
    sizes: str | Mapping[Label, Any] | Sequence[int] | None,
    named_classes: Sequence[str | None],
    total: int | None,
    up_to: int | None,
    classes: int | None,
) -> Sizes:
    """The classes and what is known of their sizes."""
    pairs = _size_pairs(sizes, named_classes, classes)
    if len(pairs) < 2:
        raise InputError(
            "one class is not enough",
            found=", ".join(str(label) for label, _ in pairs),
            allowed="two classes or more",
        )
    labels = tuple(label for label, _ in pairs)
    if classes is not None and classes != len(labels):
        raise InputError(
            "the number of classes is not that of the sizes", found=f"{classes} and {len(labels)}"
        )
    if len(set(map(str, labels))) < len(labels):
        raise InputError(
            "a class is named twice", found=", ".join(map(str, labels)), allowed="each class once"
        )
    known = tuple(size for _, size in pairs)
    for what, number in (("total", total), ("limit of examples", up_to)):
        if number is not None and number < len(labels):
            raise InputError(
                f"the {what} is too small",
                found=str(number),
                allowed=f"at least {len(labels)}, one of each class",
            )
    if total is not None and None not in known and sum(s for s in known if s is not None) != total:
        raise InputError(
            "the sizes do not add up to the total",
            found=f"{sum(s for s in known if s is not None)} and {total}",
        )
    least = sum(1 if size is None else size for size in known)
    limit = max(UP_TO, 2 * least) if up_to is None else up_to
    if None in known and least > (limit if total is None else total):
        raise InputError(
            "the known sizes leave nothing for the others",
            found=f"{least} examples of {limit if total is None else total}",
        )
    return Sizes(labels, known, total if None in known else None, limit)


def _size_pairs(
    sizes: Any, named_classes: Sequence[str | None], classes: int | None
) -> list[tuple[Label, int | None]]:
    if sizes is None:
        found = list(dict.fromkeys(name for name in named_classes if name is not None))
        if classes is not None:
            found += [f"c{i + 1}" for i in range(classes) if f"c{i + 1}" not in found][
                : max(0, classes - len(found))
            ]
            found.sort()
        if len(found) == 1:
            raise InputError(
                "the other classes are not known",
                found=f"values of class {found[0]!r} only",
                do="give the sizes, with ? for unknown ones: 'a=?, b=?'",
            )
        return [(name, None) for name in found or ("positive", "negative")]
    if isinstance(sizes, str):
        pairs: list[tuple[Any, Any]] = []
        for clause in filter(None, (part.strip() for part in re.split(r"[,;]", sizes))):
            name, _, size = clause.rpartition("=") if "=" in clause else (clause, "", "?")
            if pairs and "=" not in clause and re.fullmatch(r"\d{3}", clause):
                raise InputError(
                    "a comma parts classes, not thousands",
                    found=sizes,
                    do="write the sizes without it: 'pos=1000, neg=200'",
                )
            pairs.append((name.strip(), size))
    elif isinstance(sizes, Mapping):
        pairs = list(sizes.items())
    else:
        pairs = [(f"c{i + 1}", size) for i, size in enumerate(sizes)]
    return [(label, _size(label, size)) for label, size in pairs]


def _size(label: Label, size: Any) -> int | None:
    if size is None or (isinstance(size, str) and size.strip() in ("?", "")):
        return None
    try:
        number = int(str(size).strip().replace("_", ""))
    except ValueError:
        number = 0
    if number < 1 or number >= 2**40:
        raise InputError(
            f"the size of class {str(label)!r} is not a number of examples",
            found=repr(size),
            allowed="a whole number from 1, or ? where it is not known",
        )
    return number


def place_of(label: Label, sizes: Sizes) -> int:
    """Where a class stands."""
    by_text = [str(name) for name in sizes.labels]
    if str(label) not in by_text:
        raise UnknownNameError("class", label, by_text)
    return by_text.index(str(label))
