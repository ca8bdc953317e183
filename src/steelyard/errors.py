"""What can go wrong, as one tree of exceptions."""

# Every message is one sentence that says what was wrong, what was found, what is allowed and what to do. The
# parts stay apart on the exception, and a parameter in them is marked (`parameter("missing", "drop")`), so
# that each front end writes it in its own way: Python as missing="drop", the command line as --missing drop.

from __future__ import annotations

import functools
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


class SteelyardError(Exception):
    """Anything Steelyard refuses to do; the command line turns it into exit code 2.

    >>> import steelyard as sy
    >>> try:
    ...     sy.measure("gmaen")
    ... except sy.SteelyardError as error:
    ...     print(error)
    there is no metric 'gmaen'...
    """


class InputError(SteelyardError, ValueError):
    """The caller's data or arguments cannot be used.

    >>> import steelyard as sy
    >>> try:
    ...     sy.Confusion([[1, -1], [0, 2]])
    ... except sy.InputError as error:
    ...     print(error)
    the matrix holds a negative count; found -1; allowed: numbers >= 0.
    """

    def __init__(
        self, what: str, *, found: object = None, allowed: str = "", do: str = "", parameter: str = ""
    ) -> None:
        self.what, self.found, self.allowed, self.do = what, found, allowed, do
        named = _MARKED.search(f"{what}{found}{do}")
        self.parameter = parameter or (named[1] if named else "")
        """The parameter that is at fault, where one is."""
        self.suggested: Mapping[str, Sequence[str]] = {}
        """Parameters that would make the call right: the command line prints the command with them."""
        super().__init__(self.message())

    def message(self, write: Callable[[str, str | None], str | None] = lambda name, value: None) -> str:
        """The sentence, with parameters as `write(name, value)` has them."""
        # Where it gives None, as Python has them.
        return sentence(
            self.what,
            self.found,
            self.allowed,
            self.do,
            lambda name, value: write(name, value) or _python_parameter(name, value),
        )


class UnknownNameError(InputError, LookupError):
    """A name (of a measure, class, column, ...) that is not there, answered with the nearest ones."""

    def __init__(
        self,
        kind: str,
        name: object,
        known: Iterable[str],
        do: str = "",
        also_called: Mapping[str, str] | None = None,
    ) -> None:
        names = list(known)
        other = dict(also_called or {})
        near = nearest(str(name), names, other)
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        suggestions = [repr(meant) + (f" ({alias})" if alias != meant else "") for meant, alias in near]
        hint = f"did you mean {' or '.join(suggestions)}?" if near else ""
        super().__init__(
            f"there is no {kind} {name!r}",
            # Columns are few, and the nearest of them is often not the one that is meant.
            allowed=shown if kind == "column" or not near else "",
            do="; ".join(p for p in (do, hint) if p),
        )


class AmbiguousNameError(InputError, LookupError):
    """A name that means more than one thing."""


class UndefinedError(SteelyardError, ArithmeticError):
    """A measure has no value on this matrix, and the caller asked for that to be an error.

    >>> import steelyard as sy
    >>> try:
    ...     sy.measure("precision")([[0, 5], [0, 95]], undefined="raise")
    ... except sy.UndefinedError as error:
    ...     print(error)
    precision is undefined: nothing was predicted as the positive class.
    """


class MissingExtraError(SteelyardError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"pip install 'steelyard[{extra}]' first: {purpose} needs the package {package}, which is not"
            " installed."
        )


@contextmanager
def extra_needed(package: str, extra: str, purpose: str) -> Iterator[None]:
    """Inside, a module that is not installed is refused with the command that installs it."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(package, extra, purpose) from error


# Private-use characters around a parameter in a message: no text that a user gives holds them.
_MARK, _HAS, _END = "\ue010", "\ue011", "\ue012"
_MARKED = re.compile(f"{_MARK}([^{_HAS}{_END}]*)(?:{_HAS}([^{_END}]*))?{_END}")


def parameter(name: str, value: object = None) -> str:
    """A parameter, or a parameter with a value, for a message: each front end writes it in its own way."""
    return f"{_MARK}{name}{_END}" if value is None else f"{_MARK}{name}{_HAS}{value}{_END}"


def _python_parameter(name: str, value: str | None) -> str:
    if value is None:
        return f"{name}="
    quoted = value[:1].isalpha() and value not in ("None", "True", "False")
    return f'{name}="{value}"' if quoted else f"{name}={value}"


# What would end a line, or write over it, as it is typed: names of files and classes may hold it.
_BREAKS = {code: repr(chr(code))[1:-1] for code in (*range(32), 127, 0x85, 0x2028, 0x2029)}


def sentence(
    what: str,
    found: object,
    allowed: str,
    do: str,
    write: Callable[[str, str | None], str] = _python_parameter,
) -> str:
    """The parts of a refusal as one sentence, with parameters as `write` has them."""
    known = "" if found is None else f"found {found}"
    clauses = (what, known, allowed and f"allowed: {allowed}", do)
    joined = "; ".join(filter(None, clauses)).translate(_BREAKS)
    joined = _MARKED.sub(lambda marked: write(marked[1], marked[2]), joined)
    return joined if joined.endswith(("?", "...")) else joined + "."


def warn(words: str, kind: type[Warning] = UserWarning) -> None:
    """Warn at the caller's own line, however deep inside the package it is said."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(words, kind, stacklevel=level)


def in_our_words(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Refuse a keyword that the function does not take with the one that was meant, where that can be told.

    >>> import steelyard as sy
    >>> sy.evaluate(["a", "b"], ["a", "b"], pos_label="b")
    Traceback (most recent call last):
        ...
    TypeError: evaluate() got an unexpected keyword argument 'pos_label'; say positive=...
    """
    known = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        refuse_strange(function, kwargs, known)
        return function(*args, **kwargs)

    return called


# Names that parameters have in scikit-learn, or in other functions here, and those that stand for them.
_ELSEWHERE = {
    "y_true": ("y_true",),
    "truth": ("y_true",),
    "y_pred": ("pred",),
    "y_score": ("score", "scores"),
    "y_prob": ("score", "scores"),
    "y_proba": ("score", "scores"),
    "pos_label": ("positive",),
    "sample_weight": ("weight",),
    "zero_division": ("undefined",),
    "metric": ("by", "measures"),
    "metrics": ("measures",),
    "costs": ("cost",),
}


# What to do in place of a parameter that was removed or that other libraries have.
INSTEAD = {
    "average": "macro, micro and weighted averages are metrics of their own, such as macro_f1",
    "bins": "leave it out: scores beyond memory are counted in bins by themselves, see tolerance",
}


def refuse_strange(function: Callable[..., Any], keywords: Iterable[str], known: list[str]) -> None:
    """Refuse a keyword that the function does not take, with the one that was meant where it is known."""
    for keyword in keywords:
        if keyword not in known:
            hint = _instead(keyword, known)
            raise TypeError(
                f"{function.__name__}() got an unexpected keyword argument {keyword!r}"
                + (f"; {hint}" if hint else "")
            )


def _instead(keyword: str, known: list[str]) -> str:
    """What to write in the place of a keyword."""
    if keyword in INSTEAD:
        return INSTEAD[keyword]
    if keyword == "y_true" and "truth" in known:
        return "give the true labels first, without a name, or name their column with truth=..."
    meant = [name for name in _ELSEWHERE.get(keyword, ()) if name in known]
    if meant:
        return f"say {meant[0]}=..."
    near = " or ".join(repr(name) for name, _ in nearest(keyword, known))
    return f"did you mean {near}?" if near else ""


# How alike a name of up to three letters must be: two letters that it shares with a word are chance.
_OF_SHORT_NAMES = 0.75


def nearest(
    name: str, known: Iterable[str], also_called: Mapping[str, str] | None = None, most: int = 3
) -> list[tuple[str, str]]:
    """Suggest known names for a misspelt one, each with the alias that is nearest; known names come first."""
    import difflib  # needed by few commands

    names = {k.casefold(): (k, k) for k in known}
    other = {k.casefold(): (v, k) for k, v in (also_called or {}).items() if k.casefold() not in names}
    wanted = name.casefold()
    likeness: dict[str, tuple[float, str]] = {}
    for folded in difflib.get_close_matches(wanted, [*names, *other], n=4 * most, cutoff=0.6):
        meant, alias = names.get(folded) or other[folded]
        likely = difflib.SequenceMatcher(None, folded, wanted).ratio()
        same_length = len(folded) == len(wanted)
        one_letter = same_length and sum(a != b for a, b in zip(folded, wanted, strict=True)) == 1
        if likely < _OF_SHORT_NAMES and min(len(folded), len(wanted)) <= 3 and not one_letter:
            continue
        alike = likely + (0.05 if folded in names else 0)
        if meant not in likeness or alike > likeness[meant][0]:
            likeness[meant] = alike, alias
    best = max((alike for alike, _ in likeness.values()), default=0.0)
    close = [(meant, alias) for meant, (alike, alias) in likeness.items() if alike > best - 0.15]
    return sorted(close, key=lambda pair: -likeness[pair[0]][0])[:most]
