"""How command-line text becomes values (matrices, labels, priors), and values JSON."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.errors import InputError

if TYPE_CHECKING:
    ParamType = click.ParamType[Any]
else:
    ParamType = click.ParamType  # generic since Click 8.3 only


class _Matrix(ParamType):
    """A matrix as JSON."""

    name = "matrix"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            matrix = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InputError(
                "the matrix is not JSON",
                found=repr(value[:60]),
                allowed="a list of rows such as '[[5,0],[1,9]]'",
            ) from error
        if not isinstance(matrix, list) or not matrix or not all(isinstance(row, list) for row in matrix):
            raise InputError(
                "the matrix is not a list of rows",
                found=repr(value[:60]),
                allowed="a list of rows such as '[[5,0],[1,9]]'",
            )
        return matrix


class _Ratio(ParamType):
    """A number, or one number by another: 0.111 or 1/9."""

    name = "ratio"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from fractions import Fraction

        try:
            return float(Fraction(str(value).replace(" ", "")))
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            raise InputError(
                f"{param.opts[-1] if param else 'the ratio'} is not a number",
                found=repr(value),
                allowed="a number such as 0.111, or 1/9",
            ) from error


class _Undefined(ParamType):
    """A policy for undefined values: a word or a number."""

    name = "policy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from steelyard.measures.undefined import Policy

        try:
            policy: Any = float(value)
        except ValueError:
            policy = value
        Policy.of(policy)
        return policy


def engine_options(command: Any) -> Any:
    """Add --engine and --spark-master to a command that counts files."""
    for option in (
        click.option(
            "--spark-master",
            help=(
                "The cluster that counts with --engine spark: spark://host:port; without it this machine's"
                " cores."
            ),
        ),
        click.option(
            "--engine",
            type=click.Choice(["duckdb", "spark"]),
            default="duckdb",
            show_default=True,
            help="Who reads and counts the files.",
        ),
    ):
        command = option(command)
    return command


def score_counting_options(command: Any) -> Any:
    """Add --tolerance and --exact to a command that counts scores in bins, on a cluster or in large files."""
    for option in (
        click.option(
            "--exact",
            is_flag=True,
            help="Bring every score back from --engine spark, or from more than 100 million, without bins.",
        ),
        click.option(
            "--tolerance",
            type=float,
            default=0.0001,
            show_default=True,
            help="What the bins of --engine spark, or of more than 100 million scores, may leave open of the"
            " area under the ROC curve.",
        ),
    ):
        command = option(command)
    return command


FORMER = {
    "--sample-weight": "--weight",
    "--slices": "--slice",
    "--y-true": "--truth",
    "--y-pred": "--pred",
    "--y-score": "--score",
    "--y-prob": "--score",
    "--y-proba": "--score",
    "--pos-label": "--positive",
}
"""Former and other libraries' words for an option, which are accepted with a note; each option has one word
in the help."""


FORMER_COMMANDS = {"weigh": "metrics"}
"""Former names of commands, which are accepted with a note."""


def in_todays_commands(arguments: list[str]) -> list[str]:
    """The arguments with today's command for a former one; says so on standard error."""
    if arguments and arguments[0] in FORMER_COMMANDS:
        today = FORMER_COMMANDS[arguments[0]]
        click.echo(f"steelyard: {arguments[0]} is called {today} here.", err=True)
        return [today, *arguments[1:]]
    if arguments[:1] == ["evaluate"] and "--multilabel" in arguments:
        click.echo(
            "steelyard: evaluate --multilabel is called multilabel --truth ... --pred ... here.", err=True
        )
        place = arguments.index("--multilabel")
        truth, pred = (*arguments[place + 1 : place + 3], "", "")[:2]
        return ["multilabel", *arguments[1:place], "--truth", truth, "--pred", pred, *arguments[place + 3 :]]
    return arguments


def in_todays_words(arguments: list[str], command: click.Command) -> list[str]:
    """The arguments with the options' own names for former and other ones; says so on standard error."""
    known = {flag for option in command.params for flag in option.opts}
    former = {**FORMER, **getattr(command, "former", {})}
    said: list[str] = []
    for word in arguments:
        flag, equals, value = word.partition("=")
        today = former.get(flag.replace("_", "-"))
        if today in known and flag not in known:
            click.echo(f"steelyard: {flag} is called {today} here.", err=True)
            word = f"{today}{equals}{value}"
        said.append(word)
    return said


MATRIX = _Matrix()
UNDEFINED = _Undefined()
RATIO = _Ratio()


def parse_labels(text: str | None) -> list[str] | None:
    """'c1,c2,c3' as a list of labels."""
    labels = None if text is None else [part.strip() for part in text.split(",")]
    if labels is not None and "" in labels:
        raise InputError("a class has no name", found=repr(text), allowed="names parted by commas")
    return labels


def parse_priors(text: str | None) -> Any:
    """'a=0.1, b=0.9', a JSON object, a file that holds one, "uniform", or one number."""
    if text is None or text.strip() == "uniform":
        return text
    if text.endswith(".json"):
        text = _read(text)
    if text.lstrip().startswith("{"):
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(
                "the priors are not JSON",
                found=repr(text[:60]),
                allowed='an object such as {"spam": 0.1, "ham": 0.9}',
            ) from error
        return {str(label): value for label, value in given.items()}
    try:
        return _share(text)
    except ValueError:
        pass
    priors: dict[str, float] = {}
    for clause in text.split(","):
        label, equals, number = clause.rpartition("=")
        try:
            if not equals:
                raise ValueError(clause)
            priors[label.strip()] = _share(number)
        except ValueError as error:
            raise InputError(
                "this prior is not understood",
                found=repr(clause.strip()),
                allowed="priors such as 'spam=0.1, ham=0.9'",
            ) from error
    return priors


def _share(text: str) -> float:
    """0.01 or 1%."""
    number = text.strip()
    return float(number.removesuffix("%")) / 100 if number.endswith("%") else float(number)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(
            f"the file of priors cannot be read: {reason}", found=path, allowed="a JSON file"
        ) from error


def design_option(command: Any) -> Any:
    """What other test sets would have in common with this one."""
    return click.option(
        "--design",
        type=click.Choice(["sample", "fixed", "multinomial", "stratified"]),
        default="sample",
        show_default=True,
        help=(
            "Another test set would have other class sizes (sample) or the same ones (fixed); multinomial and"
            " stratified are their old names."
        ),
    )(command)


def parse_range(text: str | None) -> dict[str, tuple[float, float]] | None:
    """'fraud=0.0005..0.01': a class and the least and greatest share it may have."""
    if text is None:
        return None
    label, equals, ends = text.rpartition("=")
    low, dots, high = ends.partition("..")
    found: tuple[float, float] | None = None
    with contextlib.suppress(ValueError):
        found = float(low), float(high)
    if not (equals and dots and label.strip()) or found is None:
        raise InputError(
            "the range of shares is not understood",
            found=repr(text),
            allowed="a class and two shares, as in fraud=0.0005..0.01",
        )
    return {label.strip(): found}
