"""Options of `watch`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, Literal

from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import Missing, Positive, Pred, Seed, Truth
from steelyard.parameters import Parameter

_OR_UNLABELLED = f"give {parameter('pred')}, or {parameter('unlabelled')}"
PERIODS = ("hour", "day", "week", "month")


def read_every(text: str) -> int | str:
    """A number of rows, or a period of time."""
    if text in PERIODS:
        return text
    try:
        return int(text.replace(",", ""))
    except ValueError as error:
        raise InputError(
            "a block is a number of rows or a period of time",
            found=repr(text),
            allowed=f"a whole number, {', '.join(PERIODS)}",
            parameter="every",
        ) from error


@dataclass(frozen=True)
class Options:
    """Watch the predictions in SOURCE (CSV or JSON lines; - is standard input) for drift, block by block.

    An alarm means that class rates (such as recall) differ from the reference. Changes of prevalence are
    reported, and are an alarm with --alarm priors. Without --reference the rows before the change are the
    reference. With --unlabelled, SOURCE has no truth: prevalence and metrics are estimated from --reference.
    Exit code 0: no alarm. 1: an alarm was raised (--exit-zero: 0 all the same). 2: wrong input.
    """

    data: Annotated[
        Any, Parameter("The stream: a file, - for standard input, or a frame.", argument="[SOURCE]")
    ] = "-"
    _: KW_ONLY
    every: Annotated[
        Any,
        Parameter(
            "Rows in a block, or hour, day, week, month of the --time column.",
            metavar="ROWS|PERIOD",
            read=read_every,
        ),
    ] = 10_000
    time: Annotated[
        str | None, Parameter("The column of dates or times (ISO 8601), rows in order of time.")
    ] = None
    reference: Annotated[
        Any,
        Parameter("A predictions file that shows what is normal; without it the rows before the change do."),
    ] = None
    truth: Truth = None
    pred: Pred = None
    unlabelled: Annotated[
        bool, Parameter("SOURCE has no truth: estimate every block from --reference, which has.")
    ] = False
    score: Annotated[
        str | None,
        Parameter(
            "With --unlabelled: the column of scores of the positive class, in both, or a pattern such as"
            " 'p_*' for a column for each class (the largest gives the label)."
        ),
    ] = None
    positive: Positive = None
    measures: Annotated[
        Any, Parameter("A metric to watch; may be repeated.", flag="--measure", repeat=True)
    ] = None
    alarm: Annotated[
        Literal["rates", "priors", "both"],
        Parameter(
            "What raises an alarm: changed class rates (without labels: label shift rejected), changed class"
            " priors, or both."
        ),
    ] = "rates"
    alpha: Annotated[float, Parameter("The probability of ever raising a false alarm.")] = 0.05
    independent: Annotated[
        bool,
        Parameter(
            "Assume that class rates do not vary between blocks by themselves: changes are detected sooner."
        ),
    ] = False
    missing: Missing = "error"
    follow: Annotated[bool, Parameter("Wait at the end of the file for more, until interrupted.")] = False
    seed: Seed = 0
    #: Called with the watch and each block as soon as it was checked.
    on_block: Callable[[Any, Any], None] | None = None
    EXCLUSIVE: ClassVar = (
        (
            "rows without labels are estimated from labelled ones",
            "unlabelled without reference",
            "name a file",
        ),
        ("a stream with labels is watched by its predictions", "score without unlabelled", _OR_UNLABELLED),
        ("prevalence is estimated from predictions or from scores", "pred and score"),
    )
