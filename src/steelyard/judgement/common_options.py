"""Options that several capabilities share: each is declared here once, with what its text means."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Literal

from steelyard.errors import InputError, parameter
from steelyard.parameters import Parameter


def read_matrix(text: str) -> list[list[float]]:
    """A confusion matrix as JSON."""
    try:
        matrix = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_matrix("the matrix is not JSON", text) from error
    if not isinstance(matrix, list) or not matrix or not all(isinstance(row, list) for row in matrix):
        raise _no_matrix("the matrix is not a list of rows", text)
    return matrix


def _no_matrix(what: str, text: str) -> InputError:
    return InputError(what, found=repr(text[:60]), allowed="a list of rows such as '[[5,0],[1,9]]'")


def read_ratio(text: str, name: str) -> float:
    """A number, or one number by another (0.111 or 1/9), for the parameter of this name."""
    try:
        return float(Fraction(text.replace(" ", "")))
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise InputError(
            f"{parameter(name)} is not a number",
            found=repr(text),
            allowed="a number such as 0.111, or 1/9",
        ) from error


def read_range(text: str) -> dict[str, tuple[float, float]]:
    """'fraud=0.0005..0.01': a class and the least and greatest prevalence it may have."""
    label, equals, ends = text.rpartition("=")
    low, dots, high = ends.partition("..")
    numbers: tuple[float, float] | None = None
    with contextlib.suppress(ValueError):
        numbers = float(low), float(high)
    if not (equals and dots and label.strip()) or numbers is None:
        raise InputError(
            "the range of prevalences is not understood",
            found=repr(text),
            allowed="a class and two shares, as in fraud=0.0005..0.01",
            parameter="priors_range",
        )
    return {label.strip(): numbers}


def read_undefined(text: str) -> str | float:
    """A policy for undefined values: a word or a number."""
    from steelyard.measures.undefined import Policy

    policy: Any = text
    with contextlib.suppress(ValueError):
        policy = float(text)
    Policy.of(policy)
    return policy  # type: ignore[no-any-return]


def read_labels(text: str) -> list[str]:
    """'c1,c2,c3' as a list of labels."""
    labels = [label.strip() for label in text.split(",")]
    if "" in labels:
        raise InputError("a class has no name", found=repr(text), allowed="names separated by commas")
    return labels


def read_priors(text: str) -> Any:
    """'a=0.1, b=0.9', a JSON object, a file that holds one, "uniform", or one number."""
    if text.strip() == "uniform":
        return text
    if text.endswith(".json"):
        from steelyard.reading.files import text_of

        text = text_of(text, "file of priors", "a JSON file", "utf-8")
    if text.lstrip().startswith("{"):
        try:
            shares = json.loads(text)
        except (ValueError, RecursionError) as error:
            allowed = 'an object such as {"spam": 0.1, "ham": 0.9}'
            raise InputError("the priors are not JSON", found=repr(text[:60]), allowed=allowed) from error
        return {str(label): value for label, value in shares.items()}
    try:
        return read_share(text)
    except ValueError:
        return by_name(text, "this prior is not understood", "priors such as 'spam=0.1, ham=0.9'")


def by_name(
    text: str,
    what: str,
    allowed: str,
    parameter: str = "",
    mark: str = "=",
    read: Callable[[str], Any] | None = None,
) -> dict[str, Any]:
    """'a=10%, b=0.1' as a share for each name; a clause that is not understood is refused."""
    values: dict[str, Any] = {}
    for clause in text.split(","):
        name, _, value = (word.strip() for word in clause.rpartition(mark))
        try:
            if not name or name in values:
                raise ValueError(clause)
            values[name] = (read or read_share)(value)
        except (ValueError, ZeroDivisionError) as error:
            raise InputError(
                what, found=repr(clause.strip()), allowed=allowed, parameter=parameter
            ) from error
    return values


def read_share(text: str) -> float:
    """0.01 or 1%."""
    number = text.strip()
    return float(number.removesuffix("%")) / 100 if number.endswith("%") else float(number)


def read_label_errors(text: str) -> float | dict[str, float]:
    """'2%', or 'fraud=10%, ok=0.1%' by class."""
    what = "the share of wrong labels is not understood"
    allowed = "'2%', 0.02, or by class 'fraud=10%, ok=0.1%'"
    try:
        return by_name(text, what, allowed, "label_errors") if "=" in text else read_share(text)
    except ValueError as error:
        raise InputError(what, found=repr(text), allowed=allowed, parameter="label_errors") from error


def read_label_rates(text: str) -> dict[str, float | tuple[int, int]]:
    """'fraud: 0.9 (180 of 200), ok: 0.999': how often labels are right, by true class."""

    def rate(share: str) -> float | tuple[int, int]:
        measured = re.fullmatch(r"(.*?)\(?\s*(\d+)\s+of\s+(\d+)\s*\)?", share)
        if measured is None:
            return read_share(share)
        right, checked = int(measured[2]), int(measured[3])
        if measured[1].strip() and not abs(read_share(measured[1]) - right / checked) < 0.01:
            raise ValueError(share)
        return right, checked

    example = "'fraud: 0.9 (180 of 200), ok: 0.999'"
    allowed = f"a share by true class, with the rows it was measured on if it was: {example}"
    return by_name(text, "this rate of correct labels is not understood", allowed, "label_rates", ":", rate)


Matrix = Annotated[
    Any, Parameter("A confusion matrix as JSON instead of a file; rows are truth.", read=read_matrix)
]
Truth = Annotated[
    str | None,
    Parameter("The column of true labels; without it the one with a usual name (y_true, truth, label, ...)."),
]
Pred = Annotated[
    str | None,
    Parameter("The column of predicted labels; without it the one with a usual name (y_pred, pred, ...)."),
]
Positive = Annotated[Any, Parameter("The positive class.")]
Labels = Annotated[
    Any, Parameter("The classes, separated by commas; without it those that occur.", read=read_labels)
]
Weight = Annotated[Any, Parameter("A column of weights.")]
Priors = Annotated[
    Any,
    Parameter(
        "Class priors to evaluate at: the prior of the positive class, 'ham=0.999, spam=0.001', a JSON"
        " object or a .json file.",
        read=read_priors,
    ),
]
Relevance = Annotated[
    Any,
    Parameter("How much classes matter: 'ham < spam < phishing', 'ham=0.1, spam=1' or 'prevalence'."),
]
Missing = Annotated[Literal["error", "drop"], Parameter("What to do with rows that lack a label or a score.")]
Undefined = Annotated[
    Any, Parameter("Value of an undefined metric: nan, skip, raise or a number.", read=read_undefined)
]
IntervalMethod = Literal["auto", "bootstrap", "posterior", "none"] | None
Level = Annotated[float, Parameter("Confidence level of the intervals.")]
Draws = Annotated[
    int | None,
    Parameter("How many test sets are simulated.", default="10,000, fewer with many classes"),
]
Seed = Annotated[int, Parameter("Random seed: the same seed gives the same result.")]
Design = Annotated[
    Literal["sample", "fixed", "multinomial", "stratified"],
    Parameter(
        "The test set is a random sample, so class counts vary (sample), or class counts are fixed by design"
        " (fixed); multinomial and stratified are their former names."
    ),
]
Engine = Annotated[
    Literal["duckdb", "spark"] | None, Parameter("What reads and counts the files.", default="duckdb")
]
SparkMaster = Annotated[
    str | None,
    Parameter("The Spark cluster for --engine spark: spark://host:port; without it this machine's cores."),
]
Tolerance = Annotated[
    float,
    Parameter(
        "Largest error of the area under the ROC curve that binning may cause (--engine spark, or more"
        " than 100 million scores)."
    ),
]
Exact = Annotated[
    bool,
    Parameter("Bring every score back from --engine spark, or from more than 100 million, without bins."),
]
Stratum = Annotated[Any, Parameter("The column of the stratum from which a row was sampled for labelling.")]
Inclusion = Annotated[
    Any, Parameter("The column of the probability with which a row was sampled for labelling.")
]
Labelled = Annotated[
    Any, Parameter("Which rows were labelled, by a column: 'pred=fraud: all, pred=ok: 0.05'.")
]


_OF_A_CLASS = re.compile(r"(?P<name>.*?)\[(?P<label>.+)\]\Z", re.DOTALL)


def metric_of_class(name: Any, positive: Any) -> tuple[Any, Any]:
    """'recall[fraud]' as the name of the metric and the positive class; anything else as it was given."""
    of_class = _OF_A_CLASS.match(name) if isinstance(name, str) else None
    if of_class is None:
        return name, positive
    if positive is not None and str(positive) != of_class["label"]:
        raise InputError(
            "two positive classes are named",
            found=f"{positive} and {of_class['label']}",
            do="name one of them",
        )
    return of_class["name"], of_class["label"]
