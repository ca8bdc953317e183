"""Names of measures: how one is read, and what people and other tools call a measure."""

# Every name that is printed is read back: an id, symbol or alias, parameters in brackets, operators
# around it, and priors behind it: `balanced_f_beta(beta=2)`, `iba(gmean, alpha=0.05)`,
# `one_versus_all(precision at priors fraud 0.1, ok 0.9, macro)`.
#
#     name     = written [" at priors " priors]
#     written  = words ["(" argument {"," argument} ")"]
#     argument = [word "="] (name | number)
#     priors   = number | number {"," number} | label number {"," label number}
#
# This module says what is written; which measures there are, the catalogue says. It also has the short
# name of a measure in sentences and tables, and those of other tools (peer_names.json), which are read
# like our own where they mean one measure in all of them.

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec

from steelyard._lazy import module_named
from steelyard.errors import InputError
from steelyard.measures.class_numbers import AT_PRIORS, BY_RELEVANCE
from steelyard.measures.record import Measure

P = ParamSpec("P")

# Where a word of a name ends.
_END_OF_WORD = re.compile(rf"[(),=]|{AT_PRIORS}|{BY_RELEVANCE}")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
_EXAMPLES = "names such as gmean, f_beta(beta=2) or iba(gmean, alpha=0.05)"


class Written(NamedTuple):
    """Words, and what stands in the brackets behind them."""

    text: str
    words: str
    #: What stands between two commas, with the parameter it is for if that is said; None without brackets.
    arguments: tuple[tuple[str | None, Any], ...] | None = None


class AtPriors(NamedTuple):
    """A name with priors behind it."""

    text: str
    of: Any
    priors: Any


Name = Written | AtPriors


def as_measure(measure: Measure | str) -> Measure:
    """The measure, or the one that this name means."""
    if isinstance(measure, Measure):
        return measure
    listed: Measure = module_named("steelyard.measures.catalogue").measure(measure)
    return listed


def takes_names(
    operator: Callable[Concatenate[Measure, P], Measure],
) -> Callable[Concatenate[Measure | str, P], Measure]:
    """An operator that takes the name of a measure as well as the measure."""

    @functools.wraps(operator)
    def of_named(measure: Measure | str, /, *rest: P.args, **named: P.kwargs) -> Measure:
        return operator(as_measure(measure), *rest, **named)

    return of_named


def read(text: str) -> Name:
    """What is written in this name?"""
    reader = _Reader(text)
    name = reader.name()
    if reader.at < len(text):
        raise reader.refused(f"nothing can stand at {text[reader.at :]!r}")
    return name


class _Reader:
    """Reads from left to right, one rule of the grammar a method."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def name(self) -> Name:
        start = self.at
        name: Name = self.written()
        while self.text.startswith(AT_PRIORS, self.at):
            self.at += len(AT_PRIORS)
            priors = self.priors()
            name = AtPriors(self.text[start : self.at].strip(), name, priors)
        if self.text.startswith(BY_RELEVANCE, self.at):
            raise InputError(
                "the relevance of each class is not part of a metric's name",
                found=repr(self.text),
                do=(
                    "name the metric alone and give the relevance beside it, as in weighted_by(name,"
                    " relevance)"
                ),
            )
        return name

    def written(self) -> Written:
        start = self.at
        self.skip_word()
        words = self.text[start : self.at].strip()
        if not words:
            raise self.refused("a name is missing")
        if not self.next_is("("):
            return Written(words, words)
        arguments = []
        while True:
            arguments.append(self.argument())
            if self.next_is(")"):
                return Written(self.text[start : self.at].strip(), words, tuple(arguments))
            if not self.next_is(","):
                raise self.refused("a bracket is not closed")

    def argument(self) -> tuple[str | None, Any]:
        start = self.at
        self.skip_word()
        key = self.text[start : self.at].strip()
        if self.next_is("="):
            start = self.at
        else:
            key, self.at = "", start
        self.skip_word()
        number = _number(self.text[start : self.at])
        if number is None:
            self.at = start
        return key or None, self.name() if number is None else number

    def priors(self) -> Any:
        by_label: dict[str, float | Fraction] = {}
        in_order: list[float | Fraction] = []
        clause = self.prior()
        while clause is not None:
            label, number = clause
            if label is None:
                in_order.append(number)
            elif label in by_label:
                raise self.refused(f"the prior of {label!r} stands there twice")
            else:
                by_label[label] = number
            before = self.at
            clause = self.prior() if self.next_is(",") else None
            if clause is None:
                # A comma here belongs to the brackets around the name.
                self.at = before
        if bool(by_label) == bool(in_order):
            raise self.refused("the priors behind 'at priors' are missing, or only some have a class")
        return by_label or (in_order[0] if len(in_order) == 1 else in_order)

    def prior(self) -> tuple[str | None, float | Fraction] | None:
        # A class with its prior, or a prior alone; None where something else stands.
        start = self.at
        self.at += len(self.text[start:]) - len(self.text[start:].lstrip(" "))
        label = None
        if self.text.startswith("'", self.at):
            quoted = _QUOTED.match(self.text, self.at)
            if quoted is None:
                raise self.refused("a quotation mark is not closed")
            self.at = quoted.end()
            label = re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL)
        clause = self.at
        self.skip_word()
        words = self.text[clause : self.at].strip()
        if label is None and " " in words:
            label, _, words = words.rpartition(" ")
        number = _number(words)
        # "macro" behind a comma, or beta=2, belongs to the operator around the name.
        if number is None or self.text.startswith(("(", "="), self.at):
            self.at = start
            return None
        return label, number

    def skip_word(self) -> None:
        # To the next mark, or to the priors or the relevance behind a name.
        end = _END_OF_WORD.search(self.text, self.at)
        self.at = len(self.text) if end is None else end.start()

    def next_is(self, mark: str) -> bool:
        # Step over this mark, if it is the next one.
        place = self.at
        while self.text.startswith(" ", place) and not self.text.startswith((AT_PRIORS, BY_RELEVANCE), place):
            place += 1
        if not self.text.startswith(mark, place):
            return False
        self.at = place + 1
        return True

    def refused(self, why: str) -> InputError:
        return InputError(
            "the name of a metric is not understood", found=f"{self.text!r}, where {why}", allowed=_EXAMPLES
        )


def _number(text: str) -> float | Fraction | None:
    # A number as names write it: 2, 0.05, 1e-3 or 1/3.
    written = text.strip()
    if not written or written[0] not in "0123456789.-+" or "_" in written:
        return None
    try:
        return Fraction(written) if "/" in written else float(written)
    except (ValueError, ZeroDivisionError):
        return None


# -- what people and other tools call a measure

# As f_beta(beta=2), iba(gmean, alpha=0.05) and balanced(f_beta(beta=2)) are.
_WITH_PARAMETERS = re.compile(r"\w+\((?:[\w =.,]|\([\w =.,()]*\))*\)")
_F_OF_BETA = re.compile(r"f_beta\(beta=([\d.]+)\)")
_F1 = re.compile(r"(?<![^_])f_beta(?=$|_of_macros$)")
# A word of a name that is no parameter.
_ID = re.compile(r"\b[a-z]\w*\b(?!=)")

# Display names as the field writes them; each is read back as it stands.
_SPELLINGS = {
    "gmean": "G-mean", "fnr": "FNR", "fpr": "FPR", "negative_predictive_value": "NPV", "iba": "IBA",
    "auc_point": "AUC point", "aurpc_point": "AURPC point", "maurpc": "mAURPC", "p4": "P4", "sedi": "SEDI",
    "class_weighted_accuracy": "class-weighted accuracy", "adjusted_gmean": "adjusted G-mean",
    "fowlkes_mallows": "Fowlkes-Mallows index", "macro_jaccard": "macro Jaccard", "adjusted_f": "adjusted F",
    "roc_auc": "ROC AUC", "partial_auc": "partial AUC", "weighted_auc": "weighted AUC", "ova_auc": "OVA AUC",
    "ova_average_precision": "OVA average precision", "hand_till": "Hand-Till", "h_measure": "H-measure",
    "gini": "Gini", "kolmogorov_smirnov": "Kolmogorov-Smirnov", "kl_divergence": "KL divergence",
    "brier": "Brier score", "brier_skill": "Brier skill", "brier_miscalibration": "Brier miscalibration",
    "brier_discrimination": "Brier discrimination", "brier_uncertainty": "Brier uncertainty",
    "macro_mae": "macro MAE", "top_k_accuracy": "top-k accuracy", "yule_q": "Yule's Q", "yule_y": "Yule's Y",
    "scott_pi": "Scott's pi", "gwet_ac1": "Gwet's AC1", "bennett_s": "Bennett's S", "cramer_v": "Cramér's V",
    "krippendorff_alpha": "Krippendorff's alpha", "bangdiwala_b": "Bangdiwala's B", "tversky": "Tversky",
    "goodman_kruskal_lambda": "Goodman-Kruskal lambda", "pearson_c": "Pearson's C",
    "goodman_kruskal_lambda_b": "Goodman-Kruskal lambda b", "braun_blanquet": "Braun-Blanquet",
    "no_information_rate": "no-information rate",
}  # fmt: skip
# Where the paper's symbol is what people say (CBA, MCC). "Average accuracy" in words means two measures.
_SHOWN_BY_SYMBOL = (
    "class_balance_accuracy", "imbalance_accuracy", "mcc", "relative_classifier_information",
    "confusion_entropy", "auroc_ovo", "auroc_ova", "nauroc_ova", "aurpc_ova", "maurpc_ova",
    "average_accuracy",
)  # fmt: skip


def short_name(measure: Measure) -> str:
    """The display name of a measure everywhere: its symbol where people say that, else its name in words."""
    # A name is read back as it stands. Made of classes' names (priors, costs) it would be long, and its
    # title stands for it.
    if measure.id == "expected_cost" and measure.at_fixed_priors_of is None:
        return "cost per row"
    if measure.name in _SHOWN_BY_SYMBOL and measure.symbols:
        return measure.symbols[0]
    if not measure.name.isidentifier() and not _WITH_PARAMETERS.fullmatch(measure.name):
        return measure.title_inside
    spelled = _ID.sub(lambda word: _spelled(word[0]), _F_OF_BETA.sub(r"F\1", measure.name))
    return re.sub(r"\b\((?=\w+=)", " (", spelled)


def introduced(measure: Measure, identity: bool = True) -> str:
    """The display name with the title and the id, where they say more: MCC (Matthews ..., id mcc)."""
    name, title = short_name(measure), measure.title_inside
    words = [f"id {measure.name}"] if identity and measure.name != name.replace(" ", "_") else []
    if title.casefold().startswith(name.casefold()):  # threat score (Jaccard index)
        name += title[len(name) :]
    elif title.casefold() not in name.casefold():
        words.insert(0, title)
    return f"{name} ({', '.join(words)})" if words else name


def _spelled(word: str) -> str:
    return _SPELLINGS.get(word, _F1.sub("F1", word).replace("_", " "))


_OF_TOOLS = json.loads(Path(__file__).with_name("peer_names.json").read_text(encoding="utf-8"))
# For each tool, what it calls a measure and what `sy.measure` takes for it. Names of averages stand as they
# are called.
PEERS: Mapping[str, Mapping[str, str]] = _OF_TOOLS["same"]
# Names that mean something else here, or nothing: what to use instead.
DIFFERENT: Mapping[tuple[str, str], str] = {
    (tool, name): words for tool, name, words in _OF_TOOLS["different"]
}
# Parameters of other tools' functions, and what to do instead.
PARAMETERS: Mapping[str, str] = _OF_TOOLS["parameters"]


def plain_names() -> dict[str, str]:
    """Their names that can be typed as a measure's name and mean the same in every tool that has them."""
    meanings: dict[str, set[str]] = {}
    for named in PEERS.values():
        for theirs, ours in named.items():
            if theirs.isidentifier():
                meanings.setdefault(theirs, set()).add(ours)
    return {theirs: next(iter(ours)) for theirs, ours in meanings.items() if len(ours) == 1}


def different(name: str) -> str:
    """What a name of another tool is, where it is no measure here; empty where nothing is known of it."""
    for (tool, theirs), words in DIFFERENT.items():
        if theirs.casefold() == name.casefold():
            return f"{theirs} of {tool}: {words}"
    return ""
