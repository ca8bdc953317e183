"""Parameters declared once: a dataclass of options gives the signature, the checks and the command line."""

# A capability's options.py holds a frozen dataclass. A field that is annotated with `Parameter` is a
# parameter of the public function and an option of the command; a field without one is a parameter of the
# function alone.
#
#     @dataclass(frozen=True)
#     class Options:
#         data: Annotated[Any, Parameter("A file of predictions.", argument="FILE")] = None
#         _: KW_ONLY
#         level: Annotated[float, Parameter("Confidence level of the intervals.")] = 0.95
#         missing: Annotated[Literal["error", "drop"], Parameter("Rows that lack a label.")] = "error"
#
# Default values and allowed values stand where Python has them: in the default and in the type.

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from steelyard.errors import InputError, parameter, refuse_strange, warn

P = ParamSpec("P")
O = TypeVar("O")  # noqa: E741 - options
R = TypeVar("R")


@dataclass(frozen=True)
class Parameter:
    """The specification of a parameter beside its name, type and default."""

    help: str
    # The option, where it is not the name with dashes.
    flag: str = ""
    # Given on the command line without a flag, and called this in its usage line.
    argument: str = ""
    metavar: str = ""
    # The default in words, where None stands for it.
    default: str = ""
    # What text means, for a parameter that is not text itself; where it repeats, what the texts mean.
    read: Callable[[Any], Any] | None = None
    # Given on the command line by repeating the option.
    repeat: bool = False
    # Former names, accepted with a deprecation note.
    former: tuple[str, ...] = ()


@dataclass(frozen=True)
class Declared:
    """A field of the options: its name, its type without None, and its specification."""

    name: str
    type: Any
    default: Any
    spec: Parameter | None
    # The numbers allowed, as an interval: "(0, 1)" without its ends, "[1, inf)" from 1 on.
    within: str = ""

    @property
    def flag(self) -> str:
        return (self.spec and self.spec.flag) or "--" + self.name.replace("_", "-")

    @property
    def allowed(self) -> tuple[Any, ...]:
        """The values allowed, where they can be listed."""
        return get_args(self.type) if get_origin(self.type) is Literal else ()

    @property
    def repeats(self) -> bool:
        """Is it given by repeating the option?"""
        origin = get_origin(self.type)
        of_many = isinstance(origin, type) and issubclass(origin, Sequence)
        return of_many or (self.spec is not None and self.spec.repeat)


@functools.cache
def declared(options: Any) -> tuple[Declared, ...]:
    """The parameters that a dataclass of options declares."""
    hints = get_type_hints(options, include_extras=True)
    known = []
    for field in dataclasses.fields(options):
        limits = [
            ends for ends, names in getattr(options, "WITHIN", {}).items() if field.name in names.split(", ")
        ]
        kind, spec = _without_none(hints[field.name]), _spec(hints[field.name])
        known.append(Declared(field.name, kind, field.default, spec, "".join(limits)))
    return tuple(known)


def _spec(annotation: Any) -> Parameter | None:
    specs = [entry for entry in getattr(annotation, "__metadata__", ()) if isinstance(entry, Parameter)]
    return specs[-1] if specs else None


def _without_none(annotation: Any) -> Any:
    """The type that a value has where it is given."""
    if get_origin(annotation) is Annotated:
        return _without_none(annotation.__origin__)
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
        return kinds[0] if len(kinds) == 1 else Any
    return annotation


def public_function(options: Callable[P, O]) -> Callable[[Callable[[O], R]], Callable[P, R]]:
    """Make of `judge(options)` the public function: the options' signature, their checks, their help."""

    def of(judge: Callable[[O], R]) -> Callable[P, R]:
        known = declared(options)
        former = {old: each.name for each in known if each.spec for old in each.spec.former}

        @functools.wraps(judge)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for old in former.keys() & kwargs.keys():
                warn(f"{old}= is called {former[old]}= now", DeprecationWarning)
                kwargs[former[old]] = kwargs.pop(old)
            refuse_strange(judge, kwargs, [each.name for each in known])
            try:
                chosen = options(*args, **kwargs)
            except TypeError as error:  # a wrong call of the function, not of what holds its options
                raise TypeError(str(error).replace("Options.__init__", judge.__name__)) from None
            # A command shows its own progress; a script shows none.
            if "ipykernel" not in sys.modules:
                return judge(checked(chosen))
            from steelyard.report.progress import progress_in_notebook

            with progress_in_notebook(judge.__name__) as progress:
                if progress is not None and getattr(chosen, "progress", progress) is None:
                    chosen = dataclasses.replace(chosen, progress=progress)  # type: ignore[type-var]
                return judge(checked(chosen))

        signature = inspect.signature(options)
        call.__signature__ = signature.replace(  # type: ignore[attr-defined]
            return_annotation=judge.__annotations__.get("return", inspect.Signature.empty)
        )
        call.__doc__ = f"{inspect.getdoc(judge)}\n\n{_documentation(known)}"
        call.options = options  # type: ignore[attr-defined]
        return call

    return of


def _documentation(known: Sequence[Declared]) -> str:
    """The parameters as a section of a docstring."""
    texts = [(each.name, each.spec.help) for each in known if each.spec]
    lines = [f"{name}\n{textwrap.indent(textwrap.fill(words, 100), '    ')}" for name, words in texts]
    return "\n".join(["Parameters", "----------", *lines])


def checked(options: O) -> O:
    """The options with text read; refuses values that are not allowed."""
    read: dict[str, Any] = {}
    kind: Any = type(options)
    for each in declared(kind):
        value = getattr(options, each.name)
        if value is None or value is each.default:
            continue
        text = (str, tuple) if each.repeats else str
        if each.spec is not None and each.spec.read is not None and isinstance(value, text):
            read[each.name] = each.spec.read((value,) if each.repeats and isinstance(value, str) else value)
        elif each.allowed and value not in each.allowed:
            raise InputError(
                f"{parameter(each.name)} has no such value",
                found=repr(value),
                allowed=", ".join(map(str, each.allowed)),
                parameter=each.name,
            )
        elif each.type in (int, float):
            _refuse_no_number(each, value)
    refuse_together(options, getattr(kind, "EXCLUSIVE", ()))
    return dataclasses.replace(options, **read) if read else options  # type: ignore[type-var]


# A dataclass of options lists the numbers that are allowed as data, as intervals:
#     WITHIN: ClassVar = {"(0, 1)": "level, power", "[1, inf)": "rows"}
# and what does not go together: why, which, and what to do where that is not
# to leave one of them out.
#     EXCLUSIVE: ClassVar = (("a threshold has one aim", "maximise and cost"), ...)
# Each side of with, and, beside or without is a list of parameters, of which one that is given is enough;
# `without` refuses the left ones where none of the right ones is given.
def refuse_together(options: Any, exclusive: Iterable[tuple[str, ...]]) -> None:
    """Refuse options that do not go together."""

    def present(names: str) -> list[str]:
        named = []
        for name in names.split(", "):
            value, default = getattr(options, name), getattr(type(options), name, None)
            # A column may be an array, which has no truth value.
            if value is not default and (not isinstance(value, (bool, list, tuple)) or value):
                named.append(name)
        return named

    for what, pair, *do in exclusive:
        left, joint, right = re.split(r" (with|and|beside|without) ", pair)
        first, second = present(left), present(right)
        if first and bool(second) != (joint == "without"):
            both = f"{parameter(first[0])} {joint} {parameter((second or right.split(', '))[0])}"
            raise InputError(what, found=both, do=do[0] if do else "leave one of them out")


def ends_of(within: str) -> tuple[float, float]:
    """The two ends of an interval; infinite where there is none."""
    low, high = (float(end) for end in (within[1:-1] or "-inf, inf").split(","))
    return low, high


def _refuse_no_number(option: Declared, value: Any) -> None:
    kind: Any = Integral if option.type is int else Real
    within, (low, high) = option.within, ends_of(option.within)
    closed_low, closed_high = within.startswith("["), within.endswith("]")
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    # NaN is inside of no interval.
    inside = is_number and (
        not within
        or (
            (low <= value if closed_low else low < value) and (value <= high if closed_high else value < high)
        )
    )
    if not inside:
        words = "a whole number" if option.type is int else "a number"
        bounds = {
            f"{'of at least' if closed_low else 'above'} {low:g}": math.isfinite(low),
            f"{'at most' if closed_high else 'below'} {high:g}": math.isfinite(high),
        }
        allowed = f"{words} {' and '.join(text for text, holds in bounds.items() if holds)}".strip()
        what = f"{parameter(option.name)} is {'out of range' if is_number else f'not {words}'}"
        raise InputError(what, found=repr(value), allowed=allowed, parameter=option.name)
