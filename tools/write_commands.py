"""Write man/steelyard.1 and docs/commands.md: every command and option, as the command line's own parser has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from steelyard._version import __version__
from steelyard.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
MAN = ROOT / "man" / "steelyard.1"
PAGE = ROOT / "docs" / "commands.md"
HELP = ["-h", "--help"]
"""The same names as in cli/app.py: Click caches the first that it is asked for."""
EXIT_CODES = {
    "0": "Done; gate: every rule passed; audit: the numbers are possible.",
    "1": "gate: a rule failed; watch: an alarm was raised; audit: the numbers are impossible; claims, examine: a certificate does not hold.",
    "2": "Wrong input, explained in one sentence on standard error.",
    "3": "gate: no rule failed, but one is inconclusive; audit: undecided within the time limit.",
    "70": "An internal error, with its traceback on standard error; please report it.",
    "130": "Interrupted.",
}
FILES = {"steelyard.toml": "In the working folder: rules and settings of gate, in its table [gate]."}
ENVIRONMENT = {
    "STEELYARD_CACHE": "The cache folder; off disables the cache.",
    "NO_COLOR": "If set, output has no colours.",
}
EXAMPLES = (
    "steelyard evaluate predictions.csv --truth y --pred yhat --positive fraud --html report.html",
    "steelyard compare predictions.csv --truth y --pred rf --pred svm --by gmean",
    "steelyard gate predictions.parquet --truth y --pred yhat --positive fraud --min gmean=0.8",
    "steelyard explain CBA",
)
PAGE_HEAD = """# Commands

Every command has `--help`, and `man steelyard` shows this page. Written by `python -m tools.write_commands`.

"""


def commands(group: click.Group = app, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with its name; a group's own commands in its place."""
    context = click.Context(group)
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        elif not command.hidden:
            yield f"{before}{name}", command


def usage(name: str, command: click.Command) -> str:
    """The usage line."""
    context = click.Context(command, info_name=f"steelyard {name}", help_option_names=HELP)
    return " ".join([f"steelyard {name}", *command.collect_usage_pieces(context)])


def paragraphs(command: click.Command) -> list[str]:
    """The help text of the command, each paragraph on one line."""
    told = (command.help or "").split("\f")[0]
    return [" ".join(part.replace("\b\n", "").split()) for part in re.split(r"\n\s*\n", told) if part.strip()]


def options(command: click.Command) -> Iterator[tuple[str, str]]:
    """Every option with its help text."""
    context = click.Context(command, help_option_names=HELP)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None and parameter.name != "help":
            yield record


def man_page() -> str:
    """The page for `man`, in the man macros."""
    lines = [f'.TH STEELYARD 1 "" "steelyard {__version__}" "User Commands"']
    lines += [".SH NAME", r"steelyard \- evaluate classifiers on imbalanced data"]
    lines += [".SH SYNOPSIS", r".B steelyard", r".I COMMAND", r"[\fIOPTIONS\fR] [\fIARGUMENTS\fR]"]
    lines += [".SH DESCRIPTION"]
    lines.append(
        _roff(
            "Compute classification metrics with confidence intervals, compare models, choose thresholds by cost, check "
            "calibration, detect drift. Input: CSV, TSV, JSON lines or Parquet files, or a confusion matrix. Output: the "
            "terminal, an HTML report, JSON or Markdown."
        )
    )
    lines.append(".SH COMMANDS")
    for name, command in commands():
        lines += [f'.SS "steelyard {_roff(name)}"', ".B", _roff(usage(name, command)), ".PP"]
        for part in paragraphs(command):
            lines += [_roff(part), ".PP"]
        for written, does in options(command):
            lines += [".TP", rf"\fB{_roff(written)}\fR", _roff(does) or r"\&"]
    for title, told in (("EXIT STATUS", EXIT_CODES), ("FILES", FILES), ("ENVIRONMENT", ENVIRONMENT)):
        lines.append(f".SH {title}")
        for name, does in told.items():
            lines += [".TP", rf"\fB{_roff(name)}\fR", _roff(does)]
    lines += [".SH EXAMPLES", ".nf"]
    lines += [_roff(line) for line in EXAMPLES]
    lines += [".fi"]
    return "\n".join(lines) + "\n"


def page() -> str:
    """The page of the documentation."""
    parts = [PAGE_HEAD]
    for name, command in commands():
        parts.append(f"## {name}\n<!-- not run: a usage line -->\n")
        parts.append(f"```text\n{usage(name, command)}\n```\n")
        parts.append("\n\n".join(_markdown(part) for part in paragraphs(command)) + "\n\n")
        rows = [f"| `{_cell(written)}` | {_cell(_markdown(does))} |" for written, does in options(command)]
        parts.append("\n".join(["| option | what it does |", "| --- | --- |", *rows]) + "\n\n")
    parts.append("## Exit codes\n| code | meaning |\n| --- | --- |\n")
    parts.append("".join(f"| {code} | {_cell(words)} |\n" for code, words in EXIT_CODES.items()))
    return "".join(parts)


def _roff(text: str) -> str:
    """Text that man shows as it is."""
    flat = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{flat}" if flat.startswith((".", "'")) else flat


def _markdown(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([*_<>\[\]$])", r"\\\1", " ".join(text.split()))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    MAN.parent.mkdir(exist_ok=True)
    MAN.write_text(man_page(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
