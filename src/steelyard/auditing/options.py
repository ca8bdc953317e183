"""Options of the audit, declared once: printed values, class sizes, rounding, folds; and what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, Literal

from steelyard.auditing.checker.question import DEVIATION, Printed, Rounding
from steelyard.auditing.problem.demands import Demand
from steelyard.auditing.problem.folds import Deviation, Folds, Setting, pooled
from steelyard.auditing.problem.printed_numbers import named
from steelyard.auditing.problem.settings import OneMatrix, Sizes
from steelyard.counts.labels import Label
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.parameters import Parameter

# Where no class sizes are given, test sets of at most this many examples are searched.
UP_TO = 1000


def _read_undefined(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _read_values(words: tuple[str, ...]) -> str:
    """The printed values as one text; on the command line, blanks may stand for the commas between them."""
    text, *others = words
    for word in others:
        text += (", " if "=" in word or ":" in word else " ") + word
    return text


@dataclass(frozen=True)
class Options:
    """Check printed results: is there a confusion matrix that gives all of them, to the digits printed?

    VALUES is text such as 'accuracy=0.9567, recall=0.8545, specificity=0.9734', or a CSV, JSON or YAML file
    with a row for each model and a column for each metric, or a classification report as CSV. Exit code 0:
    possible; 1: impossible (or a row is); 2: wrong input (or a row is); 3: undecided within the time budget.
    """

    values: Annotated[
        Any,
        Parameter("Printed values, or a table of them.", argument="VALUES", read=_read_values, repeat=True),
    ]
    sizes: Annotated[
        Any,
        Parameter("Class sizes: 'pos=100,neg=200', with ? for an unknown one. The first class is positive."),
    ] = None
    _: KW_ONLY
    positive: Annotated[Any, Parameter("The positive class, if it is not the first.")] = None
    rounding: Annotated[Rounding, Parameter("How digits were dropped; nearest allows ties either way.")] = (
        "nearest"
    )
    total: Annotated[int | None, Parameter("Size of the test set, where class sizes are unknown.")] = None
    up_to: Annotated[
        int | None, Parameter("Without class sizes: the largest test set to search.", default="1000")
    ] = None
    classes: Annotated[int | None, Parameter("Without class sizes: the number of classes.", default="2")] = (
        None
    )
    folds: Annotated[int | None, Parameter("The values are means over this many folds.")] = None
    repeats: Annotated[int, Parameter("How often cross-validation was repeated.")] = 1
    fold_sizes: Annotated[
        Any, Parameter("stratified, unknown, or the class sizes of each fold: '7/52, 8/53'.")
    ] = "stratified"
    aggregate: Annotated[
        Literal["mean", "pooled"],
        Parameter("With folds: values are means over folds, or of the pooled counts."),
    ] = "mean"
    deviation: Annotated[
        Deviation, Parameter("With folds: the standard deviation after ± divides by n - 1 or by n.")
    ] = "either"
    undefined: Annotated[
        Any,
        Parameter("What an undefined term counts as: nan (none), skip or a number.", read=_read_undefined),
    ] = "nan"
    seconds: Annotated[float, Parameter("Time budget in seconds of computing.")] = 10.0
    check: Annotated[
        bool,
        Parameter("Certify an impossible result; of a result stored as JSON, check its certificate again."),
    ] = False


def _refuse(wrong: bool, what: str, **parts: str) -> None:
    if wrong:
        raise InputError(what, **parts)


def demands_of(
    printed: Sequence[Printed],
    sizes: Sizes,
    positive: Label | None,
    rounding: Rounding,
    over_folds: bool = False,
) -> list[Demand]:
    """What printed statements demand of a matrix with these classes."""
    demands = []
    if positive is not None:
        place_of(positive, sizes)
    for statement in printed:
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
        mean, _, spread = statement.text.partition(" ± ") if over_folds else (statement.text, "", "")
        demands.append(Demand(measure, Printed(mean).interval(rounding), place, mean))
        if spread:
            deviation = Printed(f"{DEVIATION}{statement.name} = {spread}")
            demands.append(Demand(measure, deviation.interval(rounding), place, deviation.text, "deviation"))
    return demands


def setting_of(sizes: Sizes, options: Options) -> Setting:
    """One matrix, or one for each fold."""
    arrangement, folds, repeats = _arrangement(options.fold_sizes), options.folds, options.repeats
    if not isinstance(arrangement, str):
        folds = len(arrangement)
        totals = tuple(sum(column) for column in zip(*arrangement, strict=True))
        _refuse(
            len(totals) != len(sizes.labels)
            or any(s not in (None, t) for s, t in zip(sizes.known, totals, strict=True)),
            "the sizes of the folds do not add up to the class sizes",
            found=f"{totals} in all folds",
            allowed="the sizes of all folds together",
        )
        sizes = replace(sizes, known=totals, total=None)
    if folds is None:
        for name in ("repeats", "fold_sizes", "aggregate", "deviation"):
            value = getattr(options, name)
            _refuse(
                value != getattr(Options, name),
                f"{parameter(name, str(value))} is about folds, and no number of folds is given",
                do=f"say how many there are, such as {parameter('folds', '10')}, or leave it out",
                parameter=name,
            )
        return OneMatrix(sizes, options.undefined)
    _refuse(
        folds < 2 or repeats < 1,
        "at least 2 folds and 1 repetition are needed",
        found=f"{parameter('folds', folds)}, {parameter('repeats', repeats)}",
    )
    do = f"give them: {parameter('sizes', 'pos=38, neg=262')}"
    _refuse(not sizes.complete, "folds need the sizes of all classes", found="an unknown size", do=do)
    _refuse(
        arrangement == "stratified" and min(size or 0 for size in sizes.known) < folds,
        "a class has fewer examples than there are folds",
        found=f"{folds} folds",
        do=f"use {parameter('fold_sizes', 'unknown')}",
    )
    setting = Folds(sizes, folds, arrangement, repeats, options.deviation, options.undefined)
    return pooled(setting) if options.aggregate == "pooled" else setting


def _arrangement(fold_sizes: Any) -> Any:
    """The sizes of the folds: one of two words, '7/52, 8/53' or a sequence of sequences."""
    if isinstance(fold_sizes, str) and fold_sizes in ("stratified", "unknown"):
        return fold_sizes
    parts: Any = fold_sizes
    if isinstance(fold_sizes, str):
        parts = [clause.strip().split("/") for clause in fold_sizes.split(",")]
    try:
        sizes = tuple(tuple(int(size) for size in fold) for fold in parts)
    except (TypeError, ValueError):
        sizes = ()
    _refuse(
        not sizes or len({len(fold) for fold in sizes}) > 1 or min(map(min, sizes)) < 1,
        "the sizes of the folds are not understood",
        found=repr(fold_sizes),
        allowed="stratified, unknown, or the classes of each fold such as '7/52, 8/53'",
    )
    return sizes


def sizes_of(options: Options, named_classes: Sequence[str | None]) -> Sizes:
    """The classes and what is known about their sizes."""
    total, up_to, classes = options.total, options.up_to, options.classes
    pairs = _size_pairs(options.sizes, named_classes, classes)
    labels, known = tuple(label for label, _ in pairs), tuple(size for _, size in pairs)
    count, listed = len(labels), ", ".join(map(str, labels))
    # A class of unknown size has at least one example: a class that is not there could not be printed.
    least = sum(1 if size is None else size for size in known)
    limit = max(UP_TO, 2 * least) if up_to is None else up_to
    most = limit if total is None else total
    different, unequal = f"{classes} and {count}", f"{least} and {total}"
    _refuse(count < 2, "one class is not enough", found=listed, allowed="two classes or more")
    wrong = classes not in (None, count)
    _refuse(wrong, "the number of classes is not that of the sizes", found=different)
    twice = len(set(map(str, labels))) < count
    _refuse(twice, "a class is named twice", found=listed, allowed="each class once")
    enough = f"at least {count}, one of each class"
    for what, number in (("total", total), ("limit of examples", up_to)):
        small = number is not None and number < count
        _refuse(small, f"the {what} is too small", found=str(number), allowed=enough)
    wrong = None not in known and total not in (None, least)
    _refuse(wrong, "the sizes do not add up to the total", found=unequal)
    left = "the known class sizes leave no examples for the others"
    _refuse(None in known and least > most, left, found=f"{least} examples of {most}")
    return Sizes(labels, known, total if None in known else None, limit)


def _size_pairs(
    sizes: Any, named_classes: Sequence[str | None], classes: int | None
) -> list[tuple[Label, int | None]]:
    if sizes is None:
        labels = list(dict.fromkeys(name for name in named_classes if name is not None))
        if classes is not None:
            others = [f"c{i + 1}" for i in range(classes) if f"c{i + 1}" not in labels]
            labels = sorted(labels + others[: max(0, classes - len(labels))])
        _refuse(
            len(labels) == 1,
            "the other classes are not known",
            found=f"values of class {''.join(labels)!r} only",
            do="give the class sizes, with ? for unknown ones: 'a=?, b=?'",
        )
        return [(name, None) for name in labels or ("positive", "negative")]
    if isinstance(sizes, str):
        pairs: list[tuple[Any, Any]] = []
        for clause in filter(None, (clause.strip() for clause in re.split(r"[,;]", sizes))):
            name, _, size = clause.rpartition("=") if "=" in clause else (clause, "", "?")
            # "1,000" would otherwise be read as a class of size 1 and a class named 000.
            _refuse(
                bool(pairs) and "=" not in clause and re.fullmatch(r"\d{3}", clause) is not None,
                "a comma separates classes, not thousands",
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
    _refuse(
        number < 1 or number >= 2**40,
        f"the size of class {str(label)!r} is not a number of examples",
        found=repr(size),
        allowed="a whole number from 1, or ? where it is not known",
    )
    return number


def place_of(label: Label, sizes: Sizes) -> int:
    """The index of a class."""
    by_text = [str(name) for name in sizes.labels]
    if str(label) not in by_text:
        raise UnknownNameError("class", label, by_text)
    return by_text.index(str(label))
