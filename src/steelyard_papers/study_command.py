"""`steelyard study`: run the papers' experiments again."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli import (
    html_option,
    json_option,
    markdown_option,
    progress_bar,
    refuse_to_replace,
    schema_option,
    show_and_save,
    show_or_json,
    verbose_option,
)
from steelyard.errors import InputError, UnknownNameError
from steelyard_papers.schemas import schema_of

if TYPE_CHECKING:
    from steelyard_papers.experiment import Study


@click.group(short_help="Run the papers' experiments again.")
def study() -> None:
    """Run the papers' experiments again, and see what was found."""


@study.command("list")
@json_option
@schema_option(schema_of("study list"))
@html_option
@markdown_option
def list_studies(json_path: str | None, html_path: str | None, markdown_path: str | None) -> None:
    """List the studies, with what their recorded runs found."""
    from steelyard_papers.recorded import recorded, recorded_names
    from steelyard_papers.registry import studies
    from steelyard_papers.study_result import StudyList

    refuse_to_replace((), json_path, html_path, markdown_path)
    known = recorded_names()
    rows = tuple(
        (declared, recorded(declared.name) if declared.name in known else None) for declared in studies()
    )
    show_and_save(StudyList(rows), html_path=html_path, json_path=json_path, markdown_path=markdown_path)


@study.command()
@click.argument("names", nargs=-1, metavar="[STUDY...]")
@click.option("--all", "every", is_flag=True, help="Run every study there is.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same result.")
@click.option(
    "--out",
    default="results",
    show_default=True,
    help="The folder for results; finished steps in it are not repeated.",
)
@click.option(
    "--quick", is_flag=True, help="A small version that finishes in a minute: not the paper's size."
)
@click.option(
    "--workers", type=int, default=None, help="How many steps run at the same time; without it one per core."
)
@click.option(
    "--features",
    help="Your own table of features (CSV) instead of the study's data; its columns: class, features.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another size, such as runs=2; the page will say so.",
)
@json_option
@verbose_option
@schema_option(schema_of("study run"))
def run(
    names: tuple[str, ...],
    every: bool,
    seed: int,
    out: str,
    quick: bool,
    workers: int | None,
    features: str | None,
    settings: tuple[str, ...],
    json_path: str | None,
) -> None:
    """Run one or more studies, or what is left of them after a stop."""
    from steelyard_papers.runner import run as run_study
    from steelyard_papers.runner import shares_of_work, usual_workers
    from steelyard_papers.study_result import StudyResult

    chosen = _chosen(names, every)
    changes = {name: value for setting in settings for name, value in [_setting(setting, chosen)]}
    if features is not None:
        unfit = [declared.name for declared in chosen if not declared.takes_features]
        if unfit:
            raise InputError(
                "this study has data of its own",
                found=f"--features for {unfit[0]}",
                do="leave --features out",
            )
        changes["features"] = features
    results, done = [], 0.0
    title = chosen[0].name if len(chosen) == 1 else f"{len(chosen)} studies"
    with progress_bar(title) as advance:
        for declared, share in zip(chosen, shares_of_work(chosen, quick), strict=True):
            result = run_study(
                declared,
                out=out,
                seed=seed,
                quick=quick,
                workers=usual_workers() if workers is None else workers,
                progress=partial(_advance_bar, advance, done, share),
                **changes,
            )
            results.append(result)
            done += share
    for result in results:
        if json_path != "-":
            show_and_save(StudyResult(result), depth="brief", more=False)
            folder = Path(out) / (result["study"] + ("-quick" if quick else ""))
            print(f"written to {folder}", file=sys.stderr)
    if json_path is not None:
        show_or_json(lambda: results if len(results) > 1 else results[0], json_path, lambda: None)


def _chosen(names: tuple[str, ...], every: bool) -> list[Study]:
    """The studies that are named, or all of them."""
    from steelyard_papers.registry import WHERE, studies
    from steelyard_papers.registry import study as study_named

    if every == bool(names):
        raise InputError(
            "either some studies or all of them",
            found=f"--all with {', '.join(names)}" if every else "no name",
            allowed=f"names ({', '.join(WHERE)}), or --all",
        )
    return studies() if every else [study_named(name) for name in names]


def _setting(text: str, chosen: list[Study]) -> tuple[str, Any]:
    """'runs=2' as a name that every chosen study knows and a value."""
    name, equals, value = text.partition("=")
    for declared in chosen:
        if equals and name not in declared.parameters:
            raise UnknownNameError(f"setting of {declared.name}", name, declared.parameters)
    try:
        if not equals:
            raise ValueError(text)
        return name, json.loads(value)
    except ValueError as error:
        raise InputError(
            "this setting is not understood",
            found=repr(text),
            allowed="NAME=VALUE with a JSON value, such as runs=2",
        ) from error


def _advance_bar(
    bar: Callable[[float], None] | None, before: float, share: float, done: float, step: str
) -> None:
    del step  # the bar shows the time left, not the names of steps
    if bar is not None:
        bar(before + share * done)


@study.command()
@click.argument("result")
@json_option
@schema_option(schema_of("study show"))
@html_option
@markdown_option
def show(result: str, json_path: str | None, html_path: str | None, markdown_path: str | None) -> None:
    """Show a RESULT: a result.json, the folder that holds it, or the name of a study with a recorded run."""
    from steelyard_papers.study_result import study as found

    refuse_to_replace([result], json_path, html_path, markdown_path, what="the result")
    show_and_save(
        found(result),
        html_path=html_path,
        json_path=json_path,
        markdown_path=markdown_path,
        depth="brief",
        more=False,
    )
