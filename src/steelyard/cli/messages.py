"""Messages of the command line: errors of the library in the words of a command, and former names."""

# The library marks the parameters in its errors (`errors.parameter`). A command writes them as its own
# options: which parameter is which option is read from the command, not listed again.

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from steelyard.errors import INSTEAD, InputError, SteelyardError, UnknownNameError, nearest, sentence

# What a parameter of the library is called in a command where it does not bear its own name.
_CALLED = {"pred": "predictions", "folds": "fold", "slices": "slice", "by": "slices", "score": "scores"}


def in_its_words(error: SteelyardError, command: click.Command, typed: Sequence[str] = ()) -> str:
    """The sentence of an error, with this command's options for the library's parameters."""
    # Where parameters were suggested, what was typed with them added, to paste.
    if not isinstance(error, InputError):
        return str(error)
    options = [
        (option.name, next(flag for flag in option.opts if flag.startswith("--")))
        for option in command.params
        if isinstance(option, click.Option) and option.name is not None
    ]
    flags = {flag[2:].replace("-", "_"): flag for _, flag in options} | dict(options)

    def flag_of(name: str) -> str | None:
        return flags.get(name) or flags.get(_CALLED.get(name, ""))

    def written(name: str, value: str | None) -> str | None:
        flag = flag_of(name)
        if flag is None or value in (None, "...", "True"):
            return flag
        return shlex.join([flag, str(value).strip("'\"")])

    if error.suggested and typed:
        known = [(flag_of(name), value) for name, values in error.suggested.items() for value in values]
        words = ["steelyard", *typed, *(word for flag, value in known if flag for word in (flag, value))]
        refusal = InputError(error.what, found=error.found, do="try").message(written)
        return f"{refusal[:-1]}:\n  {shlex.join(words)}"
    return error.message(written)


def refuse_repeated(command: click.Command, typed: Sequence[str]) -> None:
    """Refuse an option that takes one value and was given two: Click would take the last without a word."""
    if isinstance(command, click.Group):
        return
    try:
        # Click keeps the help option of the first context that a command is parsed in.
        # Parsed without running callbacks: --json-schema would print and exit here.
        context = click.Context(command, resilient_parsing=True, help_option_names=["-h", "--help"])
        parser = command.make_parser(context)
        _, _, order = parser.parse_args(list(typed))
    except click.UsageError:  # which Click reports when the command runs
        return
    single = [
        each for each in order if isinstance(each, click.Option) and not (each.multiple or each.is_flag)
    ]
    for option in single:
        if single.count(option) > 1:
            flag = next(name for name in option.opts if name.startswith("--"))
            words = [
                (word.partition("="), after) for word, after in zip(typed, [*typed[1:], ""], strict=True)
            ]
            values = [
                value if equals else after for (name, equals, value), after in words if name in option.opts
            ]
            raise InputError(f"{flag} is given twice", found=" and ".join(map(repr, values)), do="keep one")


def typed_wrongly(error: click.UsageError) -> str:
    """What Click refuses, as one sentence with the nearest name."""
    if error.ctx is None:
        return error.format_message()
    command = error.ctx.command
    if isinstance(error, click.NoSuchOption):
        words = [flag[2:] for option in command.params for flag in option.opts if flag.startswith("--")]
        name = error.option_name.lstrip("-")
        near = [f"'--{word}'" for word, _ in nearest(name, words)]
        do = f"did you mean {' or '.join(near)}?" if near else f"see {error.ctx.command_path} --help"
        return sentence(f"there is no option {error.option_name!r}", None, "", INSTEAD.get(name, do))
    named = getattr(error, "command_name", None)  # since Click 8.4
    if named is not None and isinstance(command, click.Group):
        return str(UnknownNameError("command", named, command.list_commands(error.ctx)))
    message = error.format_message().rstrip(".")
    return f"{message[:1].lower()}{message[1:]}; see {error.ctx.command_path} --help."


# Former and other libraries' words for an option, which are accepted with a note; each option has one word
# in the help.
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


# Former names of commands, which are accepted with a note.
FORMER_COMMANDS = {"weigh": "metrics"}


def in_todays_commands(arguments: list[str]) -> list[str]:
    """The arguments with today's command for a former one; says so on standard error."""
    if arguments and arguments[0] in FORMER_COMMANDS:
        today = FORMER_COMMANDS[arguments[0]]
        click.echo(f"steelyard: {arguments[0]} is called {today} here.", err=True)
        return [today, *arguments[1:]]
    if arguments[:1] == ["evaluate"] and "--multilabel" in arguments:
        click.echo("steelyard: evaluate --multilabel is called multilabel here.", err=True)
        place = arguments.index("--multilabel")
        truth, pred = (*arguments[place + 1 : place + 3], "", "")[:2]
        return ["multilabel", *arguments[1:place], "--truth", truth, "--pred", pred, *arguments[place + 3 :]]
    return arguments


def in_todays_words(arguments: list[str], command: click.Command) -> list[str]:
    """The arguments with the options' own names for former and other ones; says so on standard error."""
    known = {flag for option in command.params for flag in option.opts}
    former = {**FORMER, **getattr(command, "former", {})}
    words: list[str] = []
    for word in arguments:
        flag, equals, value = word.partition("=")
        today = former.get(flag.replace("_", "-"))
        if today in known and flag not in known:
            click.echo(f"steelyard: {flag} is called {today} here.", err=True)
            word = f"{today}{equals}{value}"
        words.append(word)
    return words
