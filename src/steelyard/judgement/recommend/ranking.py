"""Which measure should I use?"""

# A short ranked list, each choice with the verdicts it rests on and what it gives up.
#
# The rules are those of mullick2020 section 6, skrabanek2017 section 5, branco2017 section 4, garcia2012
# section 4 and mortaz2020 section 4, with the papers' reasons replaced by verdicts of the engine: a rule asks
# for a property, and a measure is offered because the property is proved of it, or left out because it is
# refuted.

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from steelyard.errors import InputError, parameter
from steelyard.judgement.recommend.options import Situation, open_questions
from steelyard.judgement.recommend.result import Advice, Reason, Recommendation, Unanswered
from steelyard.judgement.rules import (
    EVERY_CLASS,
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    MANY_CLASSES,
    ONLY_SO_MANY,
    TWO_CLASSES,
    WEIGHTED,
    Rule,
    costs_known,
)
from steelyard.measures.catalogue import measure
from steelyard.measures.costs import expected_cost
from steelyard.measures.measure import Measure
from steelyard.measures.record import Needs
from steelyard.proofs.judge import examine
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.verdict import Verdict

# A list that fits on the first screen.
MOST_OFFERED = 8
# What is only asked of two classes, and how a refusal says so.
OF_TWO_CLASSES = {
    "costly": "costly false positives or negatives are",
    "costs": "costs of a miss and of a false alarm are",
    "capacity": "a review capacity is",
    "labels_wrong": "what wrong labels do to the order of models is",
}

# What a situation demands: the property that has to hold, why, and the source that asks for it.
DEMANDS = {
    "priors_change": ("prior-invariance", "the class distribution may change", "mullick2020 Condition 1"),
    "classes_appear": ("same-bounds", "the number of classes may change", "mullick2020 Condition 2"),
    "labels_wrong": ("label-noise", "labels may be wrong", "menon2015"),
}

# What the expected cost gives up where this is so.
COSTS_GIVE_UP = {
    "priors_change": "it depends on the class distribution, as costs do: where that changes give the priors"
    " of production",
    "labels_wrong": "wrong labels can change which of two models costs less: steelyard compare says how few",
}
# Properties whose failure is worth knowing before a metric is chosen, in words.
FORGONE = {
    "prior-invariance": "its value depends on the class distribution of the test set",
    "same-bounds": "its range depends on the number of classes",
    "one-class-failing": "one failing class hides what is known of all others",
    "chance-constant": "random predictions do not all get the same value",
    "always-defined": "it has no value on some matrices with every class present",
    "monotone": "it can get worse when an error is corrected",
}
BY_SIZE = "by arithmetic: with as many alerts, hits against noisy labels rise with the true ones"
# Properties that compare numbers of classes, or need a third class to fail.
ABOUT_MANY = ("same-bounds", "one-class-failing")
BLIND = {"p3": "it ignores false alarms", "p5": "it ignores misses"}


# Every question that nobody answered asks for a whole recommendation per answer, and each of those for
# verdicts of all candidates: a situation is frozen, so what was ranked once is kept.
@functools.cache
def rank(situation: Situation) -> Recommendation:
    """The measures that fit a situation, best first."""
    _check(situation)
    recommendation = _recommended(situation, MOST_OFFERED)
    unanswered = tuple(
        Unanswered(
            question,
            tuple(
                _recommended(replace(situation, **{question.field: answer.value}), 1).first
                for answer in question.answers
            ),
        )
        for question in open_questions(situation)
    )
    return replace(recommendation, unanswered=unanswered)


def _check(situation: Situation) -> None:
    for field, words in OF_TWO_CLASSES.items():
        if situation.many_classes and getattr(situation, field) not in (None, False):
            relevance = "say how much each class matters with relevance=..."
            raise InputError(
                f"{words} a matter of two classes",
                found=f"{parameter(field)} with many classes",
                do="leave it out" if field == "labels_wrong" else relevance,
            )
    if situation.costs is not None and situation.costly is not None:
        raise InputError(
            "the costs say already which error is the costly one",
            found=f"{parameter('costs')} beside {parameter('costly')}",
            do="leave out one of the two",
        )
    if situation.costs is not None:
        expected_cost(*situation.costs)  # costs that are none are refused before anything is looked up


def _recommended(situation: Situation, most: int) -> Recommendation:
    offered: list[Advice] = []
    left_out: list[str] = []
    for rule in _rules(situation):
        metric = rule.candidate()
        if not rule.property_id:
            known = Reason(rule.purpose, f"by definition: {rule.by_definition}", rule.source)
            if situation.labels_wrong and metric.kind == "scores":
                left_out.append(f"{metric.name}: labels may be wrong, and label-noise is not decided of it")
                continue
            costs = metric.id == "expected_cost"
            given_up = [words for key, words in COSTS_GIVE_UP.items() if costs and getattr(situation, key)]
            offered.append(Advice(metric, (known,), tuple(given_up)))
            continue
        # Of selections of one size, tp against noisy labels is a rising affine function of tp: recall among
        # them needs no verdict on label noise.
        of_one_size = situation.labels_wrong and rule is ONLY_SO_MANY
        demands = replace(situation, labels_wrong=False) if of_one_size else situation
        missed = _unmet(metric, demands)
        if missed is not None and situation.priors_change and missed[0] == "prior-invariance":
            # skrabanek2017 and mullick2020: the same question, asked as if all classes were equally frequent
            left_out.append(f"{metric.name}: {missed[1]}")
            form = _balanced_form(metric)
            if form is None:
                continue
            metric, missed = form, _unmet(form, demands)
        if missed is not None:
            left_out.append(f"{metric.name}: {missed[1]}")
            continue
        reason = _fits(rule, metric, situation)
        if reason is None:
            left_out.append(f"{metric.name}: it does not have what the rule asks for ({rule.property_id})")
            continue
        demanded = [
            key
            for key, (property_id, _, _) in DEMANDS.items()
            if getattr(demands, key) and property_id != rule.property_id and _applies(metric, key)
        ]
        reasons = (reason, *(_demanded(metric, key, situation) for key in demanded))
        if of_one_size:
            reasons += (
                Reason(
                    "labels may be wrong: it keeps the order of selections of one size", BY_SIZE, "menon2015"
                ),
            )
        undefined = _undefined_here(metric, situation)
        if undefined:
            left_out.append(f"{metric.name}: {undefined}")
            continue
        # Two rules may end in one metric, as where the balanced form of one is another's candidate.
        if metric.name not in [a.measure.name for a in offered]:
            offered.append(Advice(metric, reasons, _forgone(metric, situation)))
    if situation.relevance is not None:
        if situation.relevance == "prevalence" and situation.priors_change:
            left_out.append(
                "metrics weighted by prevalence: the class distribution may change, and these weights with"
                " them"
            )
        else:
            # what no class may be forgotten for comes before what lets some classes count less
            leading = 1 if situation.every_class and situation.many_classes else 0
            offered = offered[:leading] + _by_relevance(offered, situation) + offered[leading:]
    return Recommendation(situation, tuple(offered[:most]), tuple(dict.fromkeys(left_out)))


def _rules(situation: Situation) -> Iterable[Rule]:
    if situation.many_classes:
        return (EVERY_CLASS, *MANY_CLASSES) if situation.every_class else MANY_CLASSES
    if situation.costs is not None:
        limited = (ONLY_SO_MANY,) if situation.capacity else ()
        return (costs_known(*situation.costs, situation.capacity), *limited, *TWO_CLASSES)
    if situation.capacity:
        return (ONLY_SO_MANY, *TWO_CLASSES)
    focused: Sequence[Rule] = {
        "false-positive": FALSE_POSITIVES,
        "false-negative": FALSE_NEGATIVES,
        None: (),
    }[situation.costly]
    return (*focused, *TWO_CLASSES)


def _verdict(m: Measure, property_id: str) -> Verdict:
    return examine(m, [property_named(property_id)]).verdicts[0]


def _fits(rule: Rule, metric: Measure, situation: Situation) -> Reason | None:
    verdict = _verdict(metric, rule.property_id)
    # Only the opposite verdict disqualifies: an open question is offered, and said to be open.
    if verdict.grade == ("refuted" if rule.wanted else "proved"):
        return None
    return Reason(
        rule.purpose, _rests_on(metric, rule.property_id, verdict, situation, rule.wanted), rule.source
    )


def _rests_on(
    metric: Measure, property_id: str, verdict: Verdict, situation: Situation, wanted: bool = True
) -> str:
    """The verdict in words; one that does not settle it for the number of classes at hand is called not
    proved."""
    needed = "proved" if wanted else "refuted"
    # Truth may depend on the number of classes: a proof for two says nothing of ten.
    settled = (
        verdict.sure
        and verdict.grade == needed
        and (
            not verdict.at
            or any(
                decided.grade == needed and (decided.n_classes > 2) == situation.many_classes
                for decided in verdict.at
            )
        )
    )
    return ("" if settled else "not proved: ") + f"{metric.name}, {property_id}: {verdict}"


def _applies(metric: Measure, key: str) -> bool:
    return _verdict(metric, DEMANDS[key][0]).grade != "not applicable"


def _demanded(metric: Measure, key: str, situation: Situation) -> Reason:
    property_id, words, source = DEMANDS[key]
    effect = "it keeps the order of models" if key == "labels_wrong" else "it does not depend on that"
    return Reason(
        f"{words}: {effect}", _rests_on(metric, property_id, _verdict(metric, property_id), situation), source
    )


def _unmet(metric: Measure, situation: Situation) -> tuple[str, str] | None:
    """A property that the situation demands and that is refuted."""
    for key, (property_id, words, _) in DEMANDS.items():
        if getattr(situation, key):
            verdict = _verdict(metric, property_id)
            if _refuted_for(verdict, situation):
                return property_id, f"{words}, and {property_id} is {verdict}"
    return None


def _refuted_for(verdict: Verdict, situation: Situation) -> bool:
    """Is it refuted for the number of classes of the situation? Truth depends on it."""
    return verdict.grade == "refuted" and any(
        decided.grade == "refuted" and (decided.n_classes > 2) == situation.many_classes
        for decided in verdict.at
    )


def _balanced_form(metric: Measure) -> Measure | None:
    """The measure at equal priors, where it has a name of its own."""
    names = {
        "precision": "balanced_precision",
        "aurpc_point": "maurpc",
        "aurpc_ova": "maurpc_ova",
        "accuracy": "balanced_accuracy",
    }
    if metric.id == "f_beta":
        return measure("balanced_f_beta", **metric.parameters)
    return measure(names[metric.id]) if metric.id in names else None


def _forgone(metric: Measure, situation: Situation) -> tuple[str, ...]:
    """What the choice gives up: the refuted properties, with the matrices that show it."""
    drawbacks = []
    for property_id, words in FORGONE.items():
        # With two classes these hold or fail trivially: there is no other number of classes to compare with.
        if property_id in ABOUT_MANY and not situation.many_classes:
            continue
        verdict = _verdict(metric, property_id)
        if _refuted_for(verdict, situation):
            drawbacks.append(
                f"{words} ({verdict.counterexample})" if verdict.counterexample is not None else words
            )
    if metric.kind == "two-class":
        drawbacks += [
            words for property_id, words in BLIND.items() if _verdict(metric, property_id).grade == "proved"
        ]
    return tuple(drawbacks)


def _undefined_here(metric: Measure, situation: Situation) -> str:
    """Would it be undefined on the data at hand?"""
    if situation.absent and Needs.EXAMPLES in metric.needs:
        return f"there are no examples of {', '.join(situation.absent)}, so it would be undefined"
    if situation.never_predicted and Needs.PREDICTIONS in metric.needs:
        return (
            f"{', '.join(situation.never_predicted)} is never predicted, so it would be undefined (use"
            " undefined='skip' or a number to go on)"
        )
    return ""


HOW = {
    "prevalence": "rare classes are taken to matter more (a relevance by prevalence)",
    "partial": "some classes are known to matter more than others (a relevance such as a < b, a < c)",
    "total": "the classes can be put in order (a relevance such as a < b < c)",
    "scores": "a score for each class is known (a relevance such as a=0.1, b=1)",
}


def _by_relevance(offered: Sequence[Advice], situation: Situation) -> list[Advice]:
    """branco2017: means over classes, weighted by relevance; their order is that of the unweighted ones where
    these were offered."""
    assert situation.relevance is not None
    # A metric that the verdicts left out sorts last.
    ranked = [a.measure.id for a in offered if isinstance(a.measure, Measure)]
    names = sorted(WEIGHTED, key=lambda name: ranked.index(name) if name in ranked else len(ranked))
    advice = []
    # Two are enough: more weighted means would push every unweighted metric off the list.
    for name in names[:2]:
        m = measure(name)
        if not m.over_classes or _unmet(m, situation) is not None or _undefined_here(m, situation):
            continue
        verdict = _verdict(m, "same-bounds")
        rule = (
            f"{HOW[situation.relevance]}: {m.title.lower()} weighted by relevance lets the classes that"
            " matter decide"
        )
        advice.append(
            Advice(
                m.named(id=f"{m.id} weighted by relevance", title=f"{m.title}, weighted by relevance"),
                (
                    Reason(
                        rule,
                        f"{m.name} is a mean over classes, so weights keep its range; same-bounds: {verdict}",
                        "branco2017 section 4",
                    ),
                ),
                ("it depends on the relevance given", *_forgone(m, situation)),
            )
        )
    return advice
