"""Which measures are there, and which one is meant by a name?"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Literal, get_args

from steelyard.errors import AmbiguousNameError, InputError, UnknownNameError
from steelyard.measures import balanced, information, multi_class, ranking, two_class
from steelyard.measures.measure import Kind, Measure

_ALL: tuple[Measure, ...] = (
    *two_class.MEASURES,
    *multi_class.MEASURES,
    *information.MEASURES,
    *balanced.MEASURES,
    *ranking.MEASURES,
)

MEANS_MORE_THAN_ONE = {
    "AUC": ("roc_auc", "auc_point", "auroc_ovo", "auroc_ova", "hand_till", "ova_auc"),
    "AUROC": ("roc_auc", "auc_point", "auroc_ovo", "auroc_ova", "hand_till", "ova_auc"),
    "average accuracy": ("macro_recall", "average_accuracy", "mean_binary_accuracy"),
    "F-score": ("f_beta", "macro_f_beta", "f_beta_of_macros"),
    "κ": ("kappa", "aurpc_point"),
    "LR": ("positive_likelihood_ratio", "negative_likelihood_ratio"),
}
"""Names that the papers or common use give to several measures: the look-up answers with the choices."""


def catalogue(kind: Kind | Literal["all"] | None = None) -> tuple[Measure, ...]:
    """Every measure of a confusion matrix, those of one kind ("scores" for rankings), or "all" of them.

    >>> import steelyard as sy
    >>> [m.id for m in sy.catalogue("scores")][:2]
    ['roc_auc', 'gini']
    """
    kinds = (*get_args(Kind), "all")
    if kind is not None and kind not in kinds:
        raise UnknownNameError("kind of measure", kind, kinds)
    # Matrices by default: whoever asks for every measure means to give each of them the same matrix.
    return tuple(m for m in _ALL if kind in ("all", m.kind) or (kind is None and m.kind != "scores"))


def measure(name: str | Measure, **parameters: Any) -> Measure:
    """The measure with this id, paper symbol or alias; case, blanks, hyphens and underscores do not matter.

    >>> import steelyard as sy
    >>> sy.measure("CBA")
    <measure class_balance_accuracy: Class balance accuracy>
    >>> sy.measure("f_beta", beta=2).name
    'f_beta(beta=2)'
    """
    found = name if isinstance(name, Measure) else _look_up(name)
    if not parameters:
        return found
    if found.remake is None:
        raise InputError(f"{found.id} has no parameters", found=", ".join(parameters), do="leave them out")
    allowed = list(inspect.signature(found.remake).parameters)
    for key in parameters:
        if key not in allowed:
            raise UnknownNameError(f"parameter of {found.id}", key, allowed)
    try:
        return found.remake(**parameters)
    except TypeError as error:
        raise InputError(
            f"a parameter of {found.id} has the wrong type", found=repr(parameters), allowed="numbers"
        ) from error


def remade(name: str, parameters: dict[str, Any]) -> Measure:
    """A measure read back from a pickle."""
    found = measure(name)
    return (
        found if dict(found.parameters) == parameters or found.remake is None else found.remake(**parameters)
    )


def _look_up(name: str) -> Measure:
    if not isinstance(name, str):
        raise InputError(
            "a measure is named by a string",
            found=type(name).__name__,
            allowed='an id such as "macro_recall" or a symbol such as "CBA"',
        )
    if (exact := _EXACT.get(name.strip().casefold())) is not None:
        return exact
    if choices := _CHOICES.get(_folded(name)):
        told = "; ".join(f"{choice} ({_BY_ID[choice].title})" for choice in choices)
        raise AmbiguousNameError(f"{name!r} means more than one measure", found=told, do="say which")
    found = _NAMES.get(_folded(name))
    if found is None:
        raise UnknownNameError("measure", name, _known_names(), do="see them all with: steelyard measures")
    return found


def _folded(name: str) -> str:
    return "".join(ch for ch in name.casefold() if ch not in " -_")


def names_of(measure: Measure) -> Iterator[str]:
    """Every name a measure answers to."""
    yield from dict.fromkeys((measure.id, *measure.symbols, *measure.aliases))


def _known_names() -> list[str]:
    return [name for m in _ALL for name in names_of(m)]


def _index() -> tuple[dict[str, Measure], dict[str, Measure]]:
    exact: dict[str, Measure] = {}
    folded: dict[str, Measure] = {}
    for m in _ALL:
        for name in names_of(m):
            exact.setdefault(name.casefold(), m)
            # "LR-" without its sign is not a name.
            if not name.endswith(("+", "-")) and folded.setdefault(_folded(name), m) is not m:
                raise AssertionError(f"{name} names both {folded[_folded(name)].id} and {m.id}")
    return exact, folded


_BY_ID = {m.id: m for m in _ALL}
_EXACT, _NAMES = _index()
_CHOICES = {_folded(name): choices for name, choices in MEANS_MORE_THAN_ONE.items()}
