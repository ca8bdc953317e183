"""What do people call a measure? The word for it in sentences and tables, the same on every screen."""

from __future__ import annotations

import re

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
