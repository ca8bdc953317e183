"""Combinations of options: every command with pairs of options drawn at random, on the bundled data.

What must hold: exit code 0 (1 where the command gives a verdict), or exit code 2 with one sentence on standard error; never a fault of
our own; and the same JSON whatever else is written beside it (a page, Markdown, plots).
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shlex
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.cli import main

DATA = Path(__file__).resolve().parents[1] / "examples" / "data"


@dataclass(frozen=True)
class Asked:
    """A command with what it needs, and options that may be added to it."""

    words: str
    options: tuple[str, ...]
    verdict: bool = False
    """Does exit code 1 say that something was found: a gate that fails, an alarm?"""

    @property
    def command(self) -> str:
        return self.words.split()[0]


_DRAWING = ("--level 0.9", "--level 1", "--seed 3", "--seed -1", "--design fixed", "--draws 500", "--draws 5")
_COLUMNS = ("--missing drop", "--missing never", "--positive ok", "--positive nobody")
_EVALUATE = (
    *_DRAWING,
    *_COLUMNS,
    "--pred rule",
    "--score p",
    "--score p --threshold best:f1",
    "--score p --threshold 0.5",
    "--threshold 0.5",
    "--fit-on payments_next.csv",
    "--score p --threshold best:gmean --fit-on payments_next.csv",
    "--weight amount",
    "--weight day",
    "--slice day",
    "--slice rule",
    "--slice nope",
    "--cluster day",
    "--block 100",
    "--block 0",
    "--cost 'fraud>ok=200, ok>fraud=4'",
    "--cost 'fraud>ok=amount, ok>fraud=4'",
    "--cost 'fraud>ok=x'",
    "--relevance 'ok < fraud'",
    "--priors 'fraud=0.1, ok=0.9'",
    "--priors 0.3",
    "--priors-from payments_production.csv",
    "--interval none",
    "--interval bootstrap",
    "--undefined skip",
    "--undefined 0",
    "--labels fraud,ok",
    "--matrix '[[1,2],[3,4]]'",
    "--scores p",
    "--tolerance 0.01",
    "--exact",
    "--stratum rule",
    "--inclusion p",
    "--labelled rule",
    "--abstain ok",
    "--abstain 0.4:0.6",
    "--annotator rule",
    "--gold rule",
    "--label-errors 2%",
    "--label-rates 'fraud: 0.9 (180 of 200), ok: 0.999'",
    "--production payments_production.csv",
    "--report skrabanek2017",
    "--engine duckdb",
    "--all",
)
_COMPARE = (
    *_DRAWING,
    *_COLUMNS,
    "--pred rule",
    "--pred rule --pred model --pred day",
    "--score p",
    "--score p --score amount",
    "--key day",
    "--fold day",
    "--cluster day",
    "--by f1",
    "--by nope",
    "--measure mcc",
    "--measure mcc --measure gmean",
    "--rope 0.01",
    "--rope -1",
    "--method bootstrap",
    "--test-to-train 0.1",
    "--priors-range 0.01:0.5",
    "--cost 'fraud>ok=200, ok>fraud=4'",
    "--cost 'fraud>ok=amount, ok>fraud=4'",
    "--undefined skip",
    "--dataset day",
    "--dataset rule",
    "--labelled 'rule=fraud: all, rule=ok: 0.05'",
    "--inclusion p",
    "--stratum rule",
    "--engine duckdb",
)
_THRESHOLD = (
    *_COLUMNS,
    "--maximise mcc",
    "--maximise roc_auc",
    "--cost 'fraud>ok=200, ok>fraud=4'",
    "--cost 'fraud>ok=amount, ok>fraud=4'",
    "--require 'recall>=0.8'",
    "--require 'recall>=0.8' --require 'precision>=0.2'",
    "--require 'f1>=0.3' --confidence 0.9",
    "--require 'recall=2'",
    "--alerts 2%",
    "--alerts 200%",
    "--budget 10/day",
    "--budget 0/day",
    "--confidence 0.9",
    "--priors 0.1",
    "--relevance 'ok < fraud'",
    "--weight amount",
    "--fit-on payments_next.csv",
    "--apply-to payments_next.csv",
    "--apply-to payments_production.csv",
    "--replicates 0",
    "--replicates 20",
    "--level 0.9",
    "--seed 3",
    "--design fixed",
    "--exact",
    "--tolerance 0.1",
    "--engine duckdb",
)
ASKED: tuple[Asked, ...] = (
    Asked("evaluate payments.csv --truth y --pred model", _EVALUATE),
    Asked("evaluate payments.csv --truth y --score p --threshold 0.6", _EVALUATE),
    Asked(
        "evaluate glass.csv --truth truth --pred random_forest",
        (
            *_DRAWING,
            "--slice fold",
            "--cluster fold",
            "--block 20",
            "--weight id",
            "--relevance prevalence",
            "--undefined skip",
            "--positive tableware",
            "--score p_tableware --positive tableware --threshold best:f1",
            "--cost '*>tableware=3, *>*=1'",
            "--interval posterior",
            "--priors 'tableware=1'",
        ),
    ),
    Asked("compare payments.csv --truth y --pred rule --pred model", _COMPARE),
    Asked(
        "compare glass.csv --truth truth --pred random_forest --pred logistic_regression",
        (*_DRAWING, "--fold fold", "--cluster fold", "--by mcc", "--positive tableware", "--key id"),
    ),
    Asked("threshold payments.csv --truth y --score p --replicates 20", _THRESHOLD),
    Asked(
        "gate payments.csv --truth y --pred model --min recall=0.8",
        (
            "--min f1=0.2",
            "--min nope=1",
            "--max fpr=0.2",
            "--max-drop mcc=0.05",
            "--max-drop mcc=0.05 --against payments_next.csv",
            "--against payments_next.csv",
            "--rules nope.toml",
            "--positive fraud",
            "--labels fraud,ok",
            "--weight amount",
            "--missing drop",
            "--by value",
            "--cost 'fraud>ok=200, ok>fraud=4'",
            "--slice rule",
            "--slice nope",
            "--key day",
            "--score p --threshold 0.5",
            "--level 0.9",
            "--seed 3",
            "--matrix '[[1,2],[3,4]]'",
        ),
        verdict=True,
    ),
    Asked(
        "metrics '[[90,10],[30,870]]'",
        (
            "--labels ill,well",
            "--labels ill",
            "--positive c2",
            "--positive nobody",
            "--relevance 'c2 < c1'",
            "--priors 0.3",
            "--priors 'c1=0.1, c2=0.9'",
            "--undefined 0",
            "--undefined skip",
        ),
    ),
    Asked(
        "plan --matrix '[[9,1],[3,87]]' --measure recall --width 0.1",
        (
            "--positive c1",
            "--labels ill,well",
            "--classes 3",
            "--rate 0.8",
            "--level 0.9",
            "--seed 3",
            "--truth y",
            "--pred p",
            "--rows 500",
            "--prevalence 0.1",
            "--assurance 0.5",
            "--difference 0.05",
            "--difference 0.05 --agreement 0.8 --power 0.9",
            "--difference 0.05 --between 0.1",
            "--difference 0.05 --between-seeds 0.01 --seeds 3",
            "--difference 0.05 --cluster-size 5 --intraclass 0.1",
        ),
    ),
    Asked(
        "priors payments.csv --unlabelled payments_production.csv --truth y --pred model",
        ("--score p", "--positive fraud", "--missing drop", "--level 0.9", "--draws 500", "--seed 3"),
    ),
    Asked(
        "watch payments.csv --truth y --pred model --every 500",
        (
            "--reference payments_next.csv",
            "--time day",
            "--positive fraud",
            "--measure recall",
            "--measure nope",
            "--alarm recall",
            "--alpha 0.1",
            "--alpha 2",
            "--missing drop",
            "--seed 3",
            "--exit-zero",
            "--independent",
            "--every 0",
            "--unlabelled",
            "--score p",
        ),
        verdict=True,
    ),
    Asked(
        "audit accuracy=0.9 recall=0.8 --sizes 100,900 --seconds 2",
        (
            "--positive 1",
            "--rounding cut",
            "--total 1000",
            "--up-to 2000",
            "--classes 3",
            "--folds 5",
            "--repeats 2",
            "--aggregate mean",
            "--undefined 0",
            "--deviation 0.1",
            "--fold-sizes 10,10",
            "--check",
        ),
        verdict=True,
    ),
    Asked("explain gmean", ()),
    Asked("measures", ("--kind two-class", "--kind nope")),
    Asked(
        "properties",
        ("--has monotone", "--lacks scale-invariance", "--property monotone", "--wide", "--has nope"),
    ),
    Asked(
        "recommend --classes 2",
        (
            "--priors-change",
            "--classes-appear",
            "--costly misses",
            "--capacity",
            "--every-class",
            "--classes 5",
            "--data payments.csv --truth y --pred model",
            "--relevance",
            "--costs 20:1",
            "--costs 1,20",
            "--cost 'fraud>ok=200, ok>fraud=4'",
            "--cost 'fraud>ok=200'",
            "--labels-wrong",
            "--labels fraud,ok",
        ),
    ),
)
"""Bundled files are read from the folder of the data."""
PRESENTED = (
    "--full",
    "--html page.html",
    "--markdown page.md",
    "--plots plots",
    "--summary summary.html",
    "--title 'A <b>title</b>' --html page.html",
    "--verbose",
)
NOT_DRAWN = {
    "--json": "every run has it",
    "--json-schema": "prints another document",
    "--spark-master": "needs a cluster",
    "--picture": "draws a file, the same as --html",
    "--junit": "a file, tested with the gate",
    "--annotations": "lines for a CI system, tested with the gate",
    "--latex": "a file of tables",
    "--out": "a file",
    "--follow": "waits for rows",
    "--ask": "waits for answers",
    "--open": "opens a browser",
    "--list": "prints the properties",
    "--seconds": "a time limit",
}
"""Options of the commands above that no pair holds, and why."""


@dataclass
class Combined:
    """How many pairs were run, and what was wrong."""

    executions: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)


def run(pairs: int, seed: int, seconds: float | None = None, commands: tuple[Asked, ...] = ASKED) -> Combined:
    """So many random pairs of options, command after command; fewer if the time is over."""
    chance, done = random.Random(seed), Combined()
    until = None if seconds is None else time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for file in DATA.iterdir():
            Path(file.name).symlink_to(file)
        for number in range(pairs):
            if until is not None and time.monotonic() > until:
                break
            asked = commands[number % len(commands)]
            chosen = chance.sample(asked.options, min(2, len(asked.options)))
            done.executions += 1
            fault = _fault(asked, chosen, chance, done)
            if fault:
                done.wrong.append(f"{' '.join((asked.words, *chosen))}: {fault}")
    return done


def _fault(asked: Asked, chosen: list[str], chance: random.Random, done: Combined) -> str:
    words = [*shlex.split(asked.words), *(word for option in chosen for word in shlex.split(option))]
    code, out, err = executed([*words, "--json", "-"])
    if code == 2:
        done.refused += 1
        text = err.strip().splitlines()
        sentence = text[-1] if text else ""
        return "" if sentence.startswith("steelyard: ") and "Traceback" not in err else f"says {err!r}"
    if code not in ((0, 1) if asked.verdict else (0,)):
        return f"exit {code}: {err[-300:]}"
    try:
        expected = _documents(out)
    except ValueError:
        return f"no JSON: {out[:100]!r}"
    offered = [one for one in PRESENTED if one.split()[0] in options_of(asked.command)]
    for one in chance.sample(offered, min(1, len(offered))):
        again, shown, err = executed([*words, *shlex.split(one), "--json", "-"])
        if again != code:
            return f"exit {again} with {one}: {err[-300:]}"
        if _documents(shown) != expected:
            return f"other numbers with {one}"
    return ""


def _documents(text: str) -> list[Any]:
    """One JSON document, or one a line as watch writes them."""
    try:
        return [_plain(json.loads(text))]
    except ValueError:
        return [_plain(json.loads(line)) for line in text.splitlines()]


def _plain(document: Any) -> Any:
    """A document without what may differ between two runs: times."""
    if isinstance(document, dict):
        return {key: _plain(value) for key, value in document.items() if "seconds" not in key}
    return [_plain(value) for value in document] if isinstance(document, list) else document


def executed(words: list[str]) -> tuple[int, str, str]:
    """The exit code, standard output and standard error of a command that runs in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(words)
    texts = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        texts.append(stream.read())
    return code, texts[0], texts[1]


def options_of(command: str) -> set[str]:
    """The options of a command."""
    import click

    from steelyard.cli.app import app

    found = app.get_command(click.Context(app), command)
    assert found is not None
    return {one.opts[-1] for one in found.params if isinstance(one, click.Option)}


def not_drawn() -> dict[str, set[str]]:
    """Of each command here, the options that neither a pair nor `NOT_DRAWN` names."""
    missing: dict[str, set[str]] = {}
    presented = {one.split()[0] for one in PRESENTED}
    for asked in ASKED:
        words = {word for text in (asked.words, *asked.options) for word in shlex.split(text)}
        left = options_of(asked.command) - words - presented - set(NOT_DRAWN)
        missing[asked.command] = missing.get(asked.command, left) & left
    return {command: left for command, left in missing.items() if left}
