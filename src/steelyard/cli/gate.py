"""`steelyard gate`: may this classifier pass?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from steelyard.cli.options import MATRIX, parse_labels
from steelyard.cli.output import (
    html_option,
    json_option,
    note_written,
    refuse_to_replace,
    schema_option,
    show_and_save,
)
from steelyard.errors import InputError

RULES_FILE = "steelyard.toml"
_SETTINGS = ("source", "truth", "pred", "positive", "labels", "weight", "missing", "against", "by", "level")
_LIMITS = ("min", "max", "max-drop")


@click.command(short_help="Hold predictions against limits; the exit code answers.")
@click.argument("source", required=False)
@click.option("--matrix", type=MATRIX, help="A confusion matrix as JSON instead of a file; rows are truth.")
@click.option(
    "--min", "least", multiple=True, help="A measure must be at least this: gmean=0.8 or 'recall[fraud]=0.6'."
)
@click.option("--max", "most", multiple=True, help="A measure must be at most this: error_rate=0.1.")
@click.option(
    "--max-drop", "drop", multiple=True, help="A measure may be worse than the baseline by this: f1=0.02."
)
@click.option(
    "--against", help="The baseline: JSON of steelyard evaluate, or a predictions file with the same columns."
)
@click.option("--rules", help=f"A file of rules; {RULES_FILE} is read where it lies in the working folder.")
@click.option("--truth", help="The column of true labels.")
@click.option("--pred", help="The column of predicted labels.")
@click.option("--positive", help="The positive class.")
@click.option("--labels", help="The classes, separated by commas; without it those that occur.")
@click.option("--weight", help="A column of weights.")
@click.option(
    "--missing", type=click.Choice(["error", "drop"]), help="What to do with rows that lack a label."
)
@click.option(
    "--by",
    type=click.Choice(["interval", "point"]),
    help="Hold limits against intervals (default) or values.",
)
@click.option("--level", type=float, help="The level of the intervals (default 0.95).")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed gives the same intervals."
)
@click.option("--junit", help="Write the rulings as JUnit XML to this file.")
@click.option(
    "--markdown", "markdown_path", help="Write the rulings as GitHub-flavoured Markdown to this file."
)
@html_option
@json_option
@schema_option("gate")
def gate(
    source: str | None,
    matrix: Any,
    least: tuple[str, ...],
    most: tuple[str, ...],
    drop: tuple[str, ...],
    rules: str | None,
    seed: int,
    junit: str | None,
    markdown_path: str | None,
    html_path: str | None,
    json_path: str | None,
    **given: Any,
) -> None:
    """Hold the predictions in SOURCE against limits.

    Exit code 0: every rule passed. 1: a rule failed. 3: none failed, but the test set is too small to tell.
    2: wrong input.
    """
    from steelyard.judgement.gate import gate as judge

    asked = _rules(rules)
    for name, limits in zip(_LIMITS, (least, most, drop), strict=True):
        asked[name] = asked.get(name, {}) | _limits(name, limits)
    settings = {name: asked[name] for name in _SETTINGS if name in asked}
    settings |= {name: value for name, value in given.items() if value is not None}
    source = source if source is not None or matrix is not None else settings.pop("source", None)
    settings.pop("source", None)
    if (source is None) == (matrix is None):
        raise InputError(
            "one thing is judged at a time",
            found="a file and a matrix" if source else "neither a file nor a matrix",
            do="give a file, or --matrix",
        )
    refuse_to_replace([source, settings.get("against")], junit, markdown_path, html_path, json_path)
    if isinstance(settings.get("labels"), str):
        settings["labels"] = parse_labels(settings["labels"])
    if matrix is not None:
        settings = {
            name: value
            for name, value in settings.items()
            if name not in ("truth", "pred", "weight", "missing")
        }
    result = judge(
        source if matrix is None else matrix,
        min=asked["min"],
        max=asked["max"],
        max_drop=asked["max-drop"],
        seed=seed,
        **settings,
    )
    show_and_save(
        result,
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
        pictures={} if junit is None else {Path(junit): result.to_junit()},
    )
    note_written(junit, err=json_path == "-")
    click.get_current_context().exit(result.exit_code)


def _limits(name: str, texts: tuple[str, ...]) -> dict[str, float]:
    """The limits of one option; two of the same measure would silently be one."""
    found: dict[str, float] = {}
    for measure, limit in map(_limit, texts):
        if found.setdefault(measure, limit) != limit:
            raise InputError(
                f"{measure} has two limits",
                found=f"--{name} {measure}={found[measure]:g} and --{name} {measure}={limit:g}",
                do="keep one",
            )
    return found


def _limit(text: str) -> tuple[str, float]:
    """'recall[fraud]=0.6' as a name and a number; a name may hold = itself: f_beta(beta=2)=0.5."""
    name, equals, number = text.rpartition("=")
    if name.rstrip().endswith(("<", ">")):
        option = "--min" if name.rstrip().endswith(">") else "--max"
        raise InputError(
            "a limit is written with = alone",
            found=repr(text),
            do=f"say {option} {name.rstrip('<> ')}={number.strip()}",
        )
    try:
        if not equals or not name.strip() or not math.isfinite(limit := float(number)):
            raise ValueError(text)
        return name.strip(), limit
    except ValueError as error:
        raise InputError(
            "this limit is not understood",
            found=repr(text),
            allowed="a measure and a number such as gmean=0.8",
        ) from error


def _rules(path: str | None) -> dict[str, Any]:
    """The table [gate] of the file of rules; nothing where there is no file."""
    import tomllib

    file = Path(path or RULES_FILE)
    if path is None and not file.exists():
        return {}
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            "the file of rules cannot be read", found=f"{file}: {error}", allowed="TOML"
        ) from error
    table = read.get("gate", {})
    if not isinstance(table, dict):
        raise _strange(file, "gate", table, "a table: [gate]")
    strange = sorted(set(table) - {*_SETTINGS, *_LIMITS})
    if strange:
        raise InputError(
            f"the file of rules {file} says something that is not known",
            found=", ".join(strange),
            allowed=", ".join((*_LIMITS, *_SETTINGS)),
        )
    for name, value in table.items():
        if name in _LIMITS and not isinstance(value, dict):
            raise _strange(file, name, value, f"a table: [gate.{name}]")
        if name == "level" and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise _strange(file, name, value, "a number such as 0.95")
        if name == "labels" and not isinstance(value, (str, list)):
            raise _strange(file, name, value, 'a list such as ["fraud", "ok"]')
        if name in _SETTINGS and name not in ("level", "labels", "positive") and not isinstance(value, str):
            raise _strange(file, name, value, "text")
    return dict(table)


def _strange(file: Path, name: str, value: Any, allowed: str) -> InputError:
    return InputError(f"{name} in {file} is not understood", found=repr(value), allowed=allowed)
