"""Former names of commands and options, accepted with a note on standard error."""

from __future__ import annotations

import click

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
