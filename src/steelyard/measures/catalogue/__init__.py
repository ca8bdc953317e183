"""The catalogue: every measure, and the one that is meant by a name."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal, get_args

from steelyard.errors import AmbiguousNameError, InputError, UnknownNameError, parameter
from steelyard.measures import names, operators
from steelyard.measures.catalogue import (
    agreement,
    derived,
    information,
    multi_class,
    probabilities,
    ranking,
    skill,
    two_class,
)
from steelyard.measures.class_numbers import AT_PRIORS, BY_RELEVANCE
from steelyard.measures.costs import expected_cost
from steelyard.measures.names import different, plain_names
from steelyard.measures.record import Kind, Measure

_ALL: tuple[Measure, ...] = (
    *two_class.MEASURES, *multi_class.MEASURES, *information.MEASURES, *derived.MEASURES, *ranking.MEASURES,
    *probabilities.MEASURES, *agreement.MEASURES, *skill.MEASURES,
)  # fmt: skip

# Names that the papers or common use give to several measures: the look-up answers with the choices.
MEANS_MORE_THAN_ONE = {
    "AUC": ("roc_auc", "auc_point", "auroc_ovo", "auroc_ova", "hand_till", "ova_auc"),
    "AUROC": ("roc_auc", "auc_point", "auroc_ovo", "auroc_ova", "hand_till", "ova_auc"),
    "average accuracy": ("macro_recall", "average_accuracy", "mean_binary_accuracy"),
    "F-score": ("f_beta", "macro_f_beta", "f_beta_of_macros"),
    "κ": ("kappa", "aurpc_point"),
    "LR": ("positive_likelihood_ratio", "negative_likelihood_ratio"),
}


def catalogue(kind: Kind | Literal["all"] | None = None, *, wide: bool = False) -> tuple[Measure, ...]:
    """Every usual measure of a confusion matrix, those of one kind ("scores" for rankings), or "all" of them.

    The usual ones are those that reports show for every matrix; `wide` adds those that are found by name
    only.

    >>> import steelyard as sy
    >>> [m.id for m in sy.catalogue("scores")][:2]
    ['roc_auc', 'gini']
    """
    kinds = (*get_args(Kind), "all")
    if kind is not None and kind not in kinds:
        raise UnknownNameError("kind of metric", kind, kinds)
    # Matrices by default: whoever asks for every measure means to give each of them the same matrix.
    return tuple(
        m
        for m in _ALL
        if (m.usual or wide) and (kind in ("all", m.kind) or (kind is None and m.kind != "scores"))
    )


def measure(name: str | Measure, **parameters: Any) -> Measure:
    """The measure with this id, paper symbol or alias; case, blanks, hyphens and underscores do not matter.

    >>> import steelyard as sy
    >>> sy.measure("CBA")
    <measure class_balance_accuracy: Class balance accuracy>
    >>> sy.measure("f_beta", beta=2).name
    'f_beta(beta=2)'
    """
    if isinstance(name, str) and _folded(name) == "expectedcost":
        return _expected_cost(parameters)
    chosen = name if isinstance(name, Measure) else _meant(name)
    return _with(chosen, parameters) if parameters else chosen


def _expected_cost(parameters: Mapping[str, Any]) -> Measure:
    # The expected cost, which is a metric once it is known what the two errors cost.
    if set(parameters) != {"miss", "false_alarm"}:
        raise InputError(
            "expected_cost needs the costs of both errors",
            found=", ".join(parameters) or "no costs",
            allowed="miss=... and false_alarm=...",
            do="write expected_cost(miss=200, false_alarm=4)",
        )
    return expected_cost(**parameters)


def _with(measure: Measure, parameters: Mapping[str, Any]) -> Measure:
    # The same measure with these parameters; those that are not given stay.
    make = measure.remake
    allowed = [] if make is None else list(inspect.signature(make).parameters)
    for key in (key for key in parameters if key not in allowed):
        if key in names.PARAMETERS:
            rendered = {name: parameter(name, "...") for name in ("positive", "undefined")}
            raise InputError(
                f"{measure.id} has no parameter {key}",
                found=f"{key}={parameters[key]!r}",
                do=names.PARAMETERS[key].format(**rendered),
            )
        if allowed:
            raise UnknownNameError(f"parameter of {measure.id}", key, allowed)
    if make is None:
        raise InputError(f"{measure.id} has no parameters", found=", ".join(parameters), do="leave them out")
    unchanged = {key: value for key, value in measure.parameters.items() if key in allowed}
    try:
        return make(**(unchanged | dict(parameters)))
    except TypeError as error:
        raise InputError(
            f"a parameter of {measure.id} has the wrong type", found=repr(dict(parameters)), allowed="numbers"
        ) from error


def address(measure: Measure) -> tuple[Callable[..., Measure], tuple[Any, ...]] | None:
    """How another process finds this very measure in its catalogue, or None if it is not of the catalogue."""
    listed = _BY_ID.get(measure.id)
    remakes = listed is not None and listed.remake is not None and measure.remake is listed.remake
    if listed is measure or (remakes and measure.recipe is None):
        return remade, (measure.id, dict(measure.parameters))
    return None


def remade(name: str, parameters: dict[str, Any]) -> Measure:
    """A measure of the catalogue, read back from a pickle."""
    listed = _BY_ID[name]
    return listed if dict(listed.parameters) == parameters else _with(listed, parameters)


def _meant(name: str) -> Measure:
    # The measure that this name means: one of the catalogue, or one made of them as the name says.
    if not isinstance(name, str):
        raise InputError(
            "a metric is named by a string",
            found=type(name).__name__,
            allowed='an id such as "macro_recall" or a symbol such as "CBA"',
        )
    if (exact := _EXACT.get(name.strip().casefold())) is not None:
        return exact
    folded = _NAMES.get(_folded(name))
    composed = folded is None and any(mark in name for mark in ("(", AT_PRIORS, BY_RELEVANCE))
    return _composed_measure(names.read(name)) if composed else _look_up(name)


def _composed_measure(written: names.Name) -> Measure:
    # The measure that is written.
    if isinstance(written, names.AtPriors):
        return operators.at_priors(_composed_measure(written.of), written.priors)
    if "(" in written.text and (named := _NAMES.get(_folded(written.text))) is not None:
        return named
    if written.arguments is None:
        return _look_up(written.words)
    if _folded(written.words) not in _NAMES and (averaged := _averaged(written.words)) is not None:
        average, rest = averaged
        return operators.one_versus_all(_composed_measure(written._replace(words=rest, text=rest)), average)
    (first_key, first), *others = written.arguments
    if _folded(written.words) == "expectedcost":
        return _expected_cost(_parameters(written.words, written.arguments, ["miss"]))
    operator = _OPERATORS.get(_folded(written.words))
    if operator is None or first_key is not None or not isinstance(first, (names.Written, names.AtPriors)):
        return _with(
            _look_up(written.words, ("balanced", "normalised", "iba", "one_versus_all", "one_versus_one")),
            _parameters(written.words, written.arguments),
        )
    inner = _composed_measure(first)
    parameters = _parameters(written.words, others, list(inspect.signature(operator).parameters)[1:])
    # garcia2012's index is of the catalogue, with its symbol and notes.
    if operator is operators.iba and inner is multi_class.gmean and set(parameters) == {"alpha"}:
        return derived.iba_of_gmean(**parameters)
    try:
        return operator(inner, **parameters)
    except TypeError as error:
        raise InputError(
            f"{written.words}(...) is not understood",
            found=written.text,
            allowed=", ".join(inspect.signature(operator).parameters),
        ) from error


def _parameters(
    words: str, arguments: Iterable[tuple[str | None, Any]], in_order: Sequence[str] | None = None
) -> dict[str, Any]:
    # The parameters in brackets by name.
    # A word alone, such as prevalence, is for the parameter that takes words.
    parameters: dict[str, Any] = {}
    for key, written in arguments:
        value = written.text if isinstance(written, names.Written) else written
        if key is None and isinstance(value, str):
            key = "average"
        if key == "average" and isinstance(value, str):
            value = _AVERAGES.get(value.casefold(), value)
        if key is None or isinstance(value, names.AtPriors):
            known = (list(_look_up(words).parameters) or ["beta"]) if in_order is None else in_order
            shown = value.text if isinstance(value, names.AtPriors) else str(value)
            raise InputError(
                f"a parameter of {words} has no name",
                found=shown,
                do=f"write {words}({known[0]}={value})" if known and shown == str(value) else "",
            )
        if key in parameters:
            raise InputError(f"a parameter of {words} is given twice", found=key, allowed="each once")
        parameters[key] = value
    return parameters


def _look_up(name: str, also: Iterable[str] = ()) -> Measure:
    # As printed, also where others mean more by it.
    if (exact := _EXACT.get(name.casefold())) is not None:
        return exact
    if choices := _CHOICES.get(_folded(name)):
        titles = "; ".join(f"{choice} ({_BY_ID[choice].title})" for choice in choices)
        raise AmbiguousNameError(f"{name!r} means more than one metric", found=titles, do="say which")
    if (named := _NAMES.get(_folded(name))) is not None:
        return named
    if (theirs := _THEIRS.get(_folded(name))) is not None:
        return measure(theirs)
    # "F0.5", "f2_score".
    if (with_beta := _F_OF.fullmatch(_folded(name))) is not None:
        return _with(_BY_ID["f_beta"], {"beta": float(with_beta[1])})
    if (averaged := _averaged(name)) is not None:
        average, rest = averaged
        # Then the whole name is unknown.
        with suppress(UnknownNameError):
            return operators.one_versus_all(_look_up(rest), average)
    if do := different(name):
        raise UnknownNameError("metric", name, (), do=do)
    # Symbols, aliases and what other tools say, each with the id (and parameters) that it stands for.
    # Symbols of one or two letters would be suggested for every typing error.
    ours = {word: m.id for m in _ALL for word in names_of(m) if len(word) > 2 or word == m.id}
    do = "see them all with: steelyard measures"
    raise UnknownNameError("metric", name, [*_BY_ID, *also], do, also_called=plain_names() | ours)


def _averaged(name: str) -> tuple[operators.Average, str] | None:
    # The average and the rest of macro_specificity, specificity_macro and the like; None of other names.
    words = re.split(r"[ _-]+", name.strip().casefold())
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        if word in _AVERAGES and rest:
            return _AVERAGES[word], "_".join(rest)
    return None


def _folded(name: str) -> str:
    # Without case, blanks, hyphens and underscores; "Cramér's V" is "cramerv".
    plain = name.casefold().replace("\u2019", "'").replace("'s ", " ")
    # Letters lose their accents: Cramer's V is Cramér's.
    if not plain.isascii():
        plain = "".join(ch for ch in unicodedata.normalize("NFD", plain) if not unicodedata.combining(ch))
    return "".join(ch for ch in plain if ch not in " -_")


def names_of(measure: Measure) -> Iterator[str]:
    """Every name a measure answers to."""
    yield from dict.fromkeys((measure.id, *measure.symbols, *measure.aliases))


# F with its beta, as people write it.
_F_OF = re.compile(r"f(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(?:score|measure)?")
_BY_ID = {m.id: m for m in _ALL}
_EXACT: dict[str, Measure] = {}
_NAMES: dict[str, Measure] = {}
for _measure in _ALL:
    for _name in names_of(_measure):
        _EXACT.setdefault(_name.casefold(), _measure)
        # "LR-" without its sign is not a name.
        if not _name.endswith(("+", "-")) and _NAMES.setdefault(_folded(_name), _measure) is not _measure:
            raise AssertionError(f"{_name} names both {_NAMES[_folded(_name)].id} and {_measure.id}")
_THEIRS = {_folded(theirs): ours for theirs, ours in plain_names().items()}
_CHOICES = {_folded(name): choices for name, choices in MEANS_MORE_THAN_ONE.items()}
# What papers call the averages over classes.
_AVERAGES: dict[str, operators.Average] = {
    "macro": "macro",
    "micro": "micro",
    "weighted": "prevalence",
    "prevalence": "prevalence",
}
# By folded name.
_OPERATORS: dict[str, Callable[..., Measure]] = {
    "balanced": operators.balanced,
    "normalised": operators.normalised,
    "normalized": operators.normalised,
    "iba": operators.iba,
    "oneversusall": operators.one_versus_all,
    "oneversusone": operators.one_versus_one,
    **{word: partial(operators.one_versus_all, average=average) for word, average in _AVERAGES.items()},
}
