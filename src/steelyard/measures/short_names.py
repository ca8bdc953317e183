"""Short names: the word for a measure in sentences and tables, and what other tools call it.

Names of other tools stand in peer_names.json. They are read like our own where they mean one measure in all
of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from steelyard.measures.record import Measure

# As f_beta(beta=2), iba(gmean, alpha=0.05) and balanced(f_beta(beta=2)) are.
_WITH_PARAMETERS = re.compile(r"\w+\((?:[\w =.,]|\([\w =.,()]*\))*\)")
_F1 = re.compile(r"(?<![^_])f_beta(?=$|_of_macros$)")

# Names that are not read in words: those of the last would mean two measures.
_SAID = {"gmean": "G-mean", "average_accuracy": "average_accuracy"}
# Where the paper's symbol is what people say (CBA, MCC).
_SAID_BY_SYMBOL = frozenset(
    [
        "class_balance_accuracy",
        "imbalance_accuracy",
        "mcc",
        "relative_classifier_information",
        "confusion_entropy",
        "auroc_ovo",
        "auroc_ova",
        "nauroc_ova",
        "aurpc_ova",
        "maurpc_ova",
    ]
)


def short_name(measure: Measure) -> str:
    """Its symbol where that is what people say, otherwise its name in words, which is read back as it stands;
    made of classes' names (priors, costs) it would be long, and its title stands for it."""
    if measure.id == "expected_cost" and measure.at_fixed_priors_of is None:
        return "cost per row"
    if _WITH_PARAMETERS.fullmatch(measure.name):
        return measure.name
    if not measure.name.isidentifier():
        return measure.title_inside
    if measure.name in _SAID_BY_SYMBOL and measure.symbols:
        return measure.symbols[0]
    return _SAID.get(measure.name, _F1.sub("F1", measure.name).replace("_", " "))


_OF_TOOLS = json.loads(Path(__file__).with_name("peer_names.json").read_text(encoding="utf-8"))
# For each tool, what it calls a measure and what `sy.measure` takes for it. Names of averages stand as they
# are called.
PEERS: Mapping[str, Mapping[str, str]] = _OF_TOOLS["same"]
# Names that mean something else here, or nothing: what to use instead.
DIFFERENT: Mapping[tuple[str, str], str] = {
    (tool, name): words for tool, name, words in _OF_TOOLS["different"]
}


def plain_names() -> dict[str, str]:
    """Their names that can be typed as a measure's name and mean the same in every tool that has them."""
    found: dict[str, set[str]] = {}
    for named in PEERS.values():
        for theirs, ours in named.items():
            if theirs.isidentifier():
                found.setdefault(theirs, set()).add(ours)
    return {theirs: next(iter(ours)) for theirs, ours in found.items() if len(ours) == 1}


def different(name: str) -> str:
    """What a name of another tool is, where it is no measure here; empty where nothing is known of it."""
    for (tool, theirs), words in DIFFERENT.items():
        if theirs.casefold() == name.casefold():
            return f"{theirs} of {tool}: {words}"
    return ""
