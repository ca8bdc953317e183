"""Which measure serves which purpose, by which property?"""

# The rules of mullick2020 section 6, skrabanek2017 section 5, branco2017 section 4, garcia2012 section 4 and
# mortaz2020 section 4 as data. `recommend` checks the property of each candidate with the engine's verdicts;
# an evaluation takes its headline from the same rules.

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure
from steelyard.measures.operators import weighted_by
from steelyard.measures.relevance import BY_PREVALENCE, Relevance

if TYPE_CHECKING:
    from steelyard.measures.costs import Costs


# The property is proved, or refuted where failing is the point; there is none where the candidate is what is
# asked for by definition.
@dataclass(frozen=True)
class Rule:
    """A candidate for a purpose, and the property that makes it one."""

    purpose: str
    candidate: Callable[[], Measure]
    property_id: str
    wanted: bool
    source: str
    # What makes it one where no property does.
    by_definition: str = ""


# Two lines each: a measure, its property and the source, then the purpose.
def _rules(text: str) -> tuple[Rule, ...]:
    """Rules as they are written down, in the order in which they are offered."""
    lines = text.strip().splitlines()
    rules = []
    for declared, purpose in zip(lines[::2], lines[1::2], strict=True):
        name, verdict, source = declared.strip().split(" | ")
        property_id, _, proved = verdict.partition(" ")
        candidate = functools.partial(measure, name)
        rules.append(Rule(purpose.strip(), candidate, property_id, proved == "proved", source))
    return tuple(rules)


# The first that fits the situation is recommended.
TWO_CLASSES = (
    *_rules("""
    gmean | prior-invariance proved | mullick2020 section 6
        one number for both classes that is low when one of them is poorly recognised
    balanced_accuracy | prior-invariance proved | mullick2020 section 6, skrabanek2017 section 5
        the mean of recall and specificity: accuracy if both classes were equally frequent
    balanced_precision | prior-invariance proved | skrabanek2017 section 5, mullick2020 section 6
        the share of correct alerts if both classes were equally frequent
    balanced_f_beta | prior-invariance proved | skrabanek2017 section 5
        precision and recall together, if both classes were equally frequent
    mcc | chance-constant proved | common use
        correlation of truth and prediction, at the prevalence of the test set
    iba | p1 refuted | garcia2012 section 4
        both classes, but recall of the positive class counts more than specificity
    class_weighted_accuracy(w=0.75) | p1 refuted | garcia2012 section 4
        both class rates with a weight of your choice, here 3/4 for the positive class
    """),
    Rule(
        "for scores: ROC AUC with more weight on thresholds that detect most positives",
        lambda: measure("weighted_auc"),
        "",
        True,
        "garcia2012 section 4",
        by_definition="it moves weight to the part of the ROC curve with high TPr (Eq. 1); it needs scores",
    ),
)
FALSE_POSITIVES = _rules("""
    precision | p3 refuted | mullick2020 section 6
        false alarms are costly: it falls with every one of them
    aurpc_point | p3 refuted | mullick2020 section 6
        false alarms are costly, and misses count too
""")
FALSE_NEGATIVES = _rules("""
    recall | p5 refuted | mullick2020 section 6
        misses are costly, false alarms are not: it falls with every miss and ignores false alarms
    f_beta(beta=2) | p5 refuted | garcia2012 section 2
        misses are costly, false alarms still count: recall weighs four times as much
""")
(ONLY_SO_MANY,) = _rules("""
    recall | p5 refuted | common use
        only so many cases can be reviewed: the best selection of a given size has the most positives
""")


def costs_known(miss: float, false_alarm: float, only_so_many: bool = False) -> Rule:
    """What the errors cost is known, so nothing else needs to stand for it."""
    from steelyard.measures.costs import expected_cost

    return Rule(
        "the costs of errors are known, and only so many cases can be reviewed: of selections of the same"
        " size, the best one costs least"
        if only_so_many
        else "the costs of errors are known",
        lambda: expected_cost(miss, false_alarm),
        "",
        True,
        "the costs as given",
        by_definition="it is what the errors cost",
    )


MANY_CLASSES = _rules("""
    macro_recall | one-class-failing proved | mullick2020 section 6
        every class counts the same, and one that is never recognised does not mask the others
    maurpc_ova | one-class-failing proved | mullick2020 section 6
        recall and precision of every class, and one that is never recognised does not mask the others
    class_balance_accuracy | one-class-failing proved | branco2017 section 4
        counts the false alarms of every class too, at the class distribution of the test set
    imbalance_accuracy | one-class-failing proved | mortaz2020 section 4
        a cautious summary: never above CBA, macro precision, macro recall and macro F1; it is 2 CBA - 1, \
so it ranks models as CBA does
    aurpc_ova | one-class-failing proved | mullick2020 section 6
        recall and precision of every class at the class distribution of the test set, if some \
misclassifications cost more than others
    nauroc_ova | one-class-failing proved | mullick2020 section 6
        each class against the rest, if some misclassifications cost more than others
""")
(EVERY_CLASS,) = _rules("""
    gmean | one-class-failing refuted | mullick2020 section 6
        every class must be detected: if one class never is, it has its worst value
""")
# Means over classes for which branco2017 defines a version weighted by relevance (Eq. 4 to 8).
WEIGHTED = ("macro_recall", "macro_precision", "macro_f_beta", "class_balance_accuracy")


@dataclass(frozen=True)
class Decider:
    """The one measure that decides where nothing else is known, and why."""

    measure: Measure
    words: str


# With the relevance that was given, where classes are many; alike otherwise.
def decider(n_classes: int, relevance: Relevance | None = None) -> Decider:
    """Which measure decides, if nobody says what errors cost?"""
    metric = measure("gmean" if n_classes == 2 else "macro_recall")
    words = "weights both classes equally, independent of prevalence (proved)"
    if relevance is not None and n_classes > 2:
        metric = weighted_by(metric, relevance)
        words = "weights the classes by their relevance, independent of the class distribution (proved)"
        if relevance.mechanism == BY_PREVALENCE:
            words = "weights rare classes more, as requested; these weights follow the class distribution"
    elif n_classes > 2:
        words = "weights all classes equally, independent of the class distribution (proved)"
    # The engine proves prior invariance of both for every number of classes, which a test asks for.
    return Decider(metric, words)


def decided_by(costs: Costs) -> Decider:
    """What the errors cost is known, so nothing else needs to stand for it."""
    from steelyard.measures.costs import expected_cost_of

    return Decider(expected_cost_of(costs), "chosen because the costs of errors are given")


HEADLINE_TWO_CLASS = (decider(2).measure.id, "recall", "precision", "f_beta", "accuracy")
# What an evaluation shows first: the measure that decides, then what people know and expect.
HEADLINE_MULTI_CLASS = (decider(3).measure.id, "gmean", "macro_f_beta", "accuracy", "mcc")
OTHERS_REPORT_TWO_CLASS = ("balanced_accuracy", "balanced_precision", "balanced_f_beta", "mcc")
# What else is compared with it.
OTHERS_REPORT_MULTI_CLASS = ("macro_precision", "weighted_f_beta", "maurpc_ova", "class_balance_accuracy")
