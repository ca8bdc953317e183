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
"""As the program itself says it: Click keeps the first answer, so it is asked for in the same words."""
EXIT_CODES = {
    "0": "Done; gate: every rule passed; audit: the numbers are possible.",
    "1": "gate: a rule failed; audit: the numbers are impossible; claims, examine: a certificate does not hold.",
    "2": "Wrong input, said in one sentence on standard error.",
    "3": "gate: no rule failed, but the test set is too small to tell; audit: not decided within the budget.",
    "70": "A fault of steelyard itself, with its traceback on standard error; please report it.",
    "130": "Interrupted.",
}
FILES = {"steelyard.toml": "In the working folder: rules and settings of gate, in its table [gate]."}
ENVIRONMENT = {
    "STEELYARD_CACHE": "The folder of kept verdicts; off keeps none.",
    "NO_COLOR": "Where it is set, nothing is coloured.",
}
EXAMPLES = (
    "steelyard evaluate predictions.csv --truth y --pred yhat --positive fraud --html report.html",
    "steelyard compare predictions.csv --truth y --pred rf --pred svm --by gmean",
    "steelyard gate predictions.parquet --truth y --pred yhat --positive fraud --min gmean=0.8",
    "steelyard explain CBA",
)
PAGE_HEAD = """# Commands

Every command has `--help`; `man steelyard` shows the same once the package is installed (where `man` looks at the environment's
`share/man`). Written by `python -m tools.write_commands`.

"""


def commands(group: click.Group = app, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with its name; a group's own commands in its place."""
    for name in sorted(group.commands):
        command = group.commands[name]
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        elif not command.hidden:
            yield f"{before}{name}", command


def usage(name: str, command: click.Command) -> str:
    """The line that shows how it is called."""
    context = click.Context(command, info_name=f"steelyard {name}", help_option_names=HELP)
    return " ".join([f"steelyard {name}", *command.collect_usage_pieces(context)])


def paragraphs(command: click.Command) -> list[str]:
    """What the command says of itself, each paragraph on one line."""
    told = (command.help or "").split("\f")[0]
    return [" ".join(part.replace("\b\n", "").split()) for part in re.split(r"\n\s*\n", told) if part.strip()]


def options(command: click.Command) -> Iterator[tuple[str, str]]:
    """Every option as it is written, with what it does."""
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
            "How good is a classifier really, what do its errors cost, which numbers depend on how frequent the classes "
            "happen to be, and which measure can be trusted? Predictions come from CSV, TSV, JSON lines or Parquet files, "
            "or as a confusion matrix; results go to the terminal, a page, JSON or Markdown."
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
        parts.append(f"## {name}\n<!-- not run: the form of the command, no call -->\n")
        parts.append(f"```text\n{usage(name, command)}\n```\n")
        parts.append("\n\n".join(_markdown(part) for part in paragraphs(command)) + "\n\n")
        rows = [f"| `{_cell(written)}` | {_cell(_markdown(does))} |" for written, does in options(command)]
        parts.append("\n".join(["| option | what it does |", "| --- | --- |", *rows]) + "\n\n")
    parts.append("## Exit codes\n| code | means |\n| --- | --- |\n")
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
