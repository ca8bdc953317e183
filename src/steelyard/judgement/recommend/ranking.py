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
from steelyard.judgement import rules
from steelyard.judgement.recommend.options import QUESTIONS, Situation, open_questions
from steelyard.judgement.recommend.result import Advice, Reason, Recommendation, Unanswered
from steelyard.judgement.rules import MANY_CLASSES, ONLY_SO_MANY, TWO_CLASSES, WEIGHTED, Rule
from steelyard.measures.catalogue import measure
from steelyard.measures.costs import expected_cost
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.measures.record import Needs
from steelyard.proofs.judge import examine
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.verdict import Verdict

# A list that fits on the first screen.
MOST_OFFERED = 8
# What a situation demands: why and what that gives, the property that has to hold, and the source that asks
# for it.
DEMANDS = {
    "priors_change": (
        "the class distribution may change: its value does not depend on that",
        "prior-invariance",
        "mullick2020 Condition 1",
    ),
    "classes_appear": (
        "the number of classes may change: its range does not depend on that",
        "same-bounds",
        "mullick2020 Condition 2",
    ),
    "labels_wrong": (
        "labels may be wrong: it keeps the order of models if they are so at random within each class",
        "label-noise",
        "menon2015",
    ),
}

# What the expected cost gives up always, and where labels may be wrong.
COST_BY_PREVALENCE = (
    "it depends on the class distribution, as costs do: where that changes give the priors of production"
)
COST_BY_LABELS = "wrong labels can change which of two models costs less: steelyard compare says how few"
# What a metric gives up that is proved not to depend on prevalence.
SAME_AT_EVERY_PREVALENCE = (
    "it does not show how often predictions of a rare class are wrong: look at precision too"
)
# Properties whose failure is worth knowing before a metric is chosen, in words.
FORGONE = {
    "prior-invariance": "its value depends on the class distribution of the test set",
    "same-bounds": "its range depends on the number of classes",
    "one-class-failing": "one class that is never recognised masks how good the others are",
    "chance-constant": "there is no fixed chance level: what random guessing scores depends on how often it"
    " predicts each class",
    "always-defined": "it is undefined on some matrices although every class has examples",
    "monotone": "it can get worse when an error is corrected",
}
BY_SIZE = "by arithmetic: with as many alerts, hits against noisy labels rise with the true ones"
# Properties that compare numbers of classes, or need a third class to fail.
ABOUT_MANY = ("same-bounds", "one-class-failing")
# Metrics at equal priors that have names of their own.
BALANCED = {
    "precision": "balanced_precision",
    "aurpc_point": "maurpc",
    "aurpc_ova": "maurpc_ova",
    "accuracy": "balanced_accuracy",
    "f_beta": "balanced_f_beta",
}
BLIND = {"p3": "it ignores false alarms", "p5": "it ignores misses"}


# Every question that nobody answered asks for a whole recommendation per answer, and each of those for
# verdicts of all candidates: a situation is frozen, so what was ranked once is kept.
@functools.cache
def rank(situation: Situation) -> Recommendation:
    """The measures that fit a situation, best first."""
    _check(situation)
    recommendation = _recommended(situation, MOST_OFFERED)
    unanswered = []
    for question in open_questions(situation):
        answered = (replace(situation, **{question.field: value}) for value in question.answers.values())
        unanswered.append(Unanswered(question, tuple(_recommended(each, 1).first for each in answered)))
    return replace(recommendation, unanswered=tuple(unanswered))


def _check(situation: Situation) -> None:
    for field in (question.field for question in QUESTIONS if question.classes == "two"):
        if situation.many_classes and getattr(situation, field) not in (None, False):
            relevance = f"say how much each class matters with {parameter('relevance', '...')}"
            raise InputError(
                f"{parameter(field)} is for two classes",
                found="many classes",
                do="leave it out" if field == "labels_wrong" else relevance,
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
            given_up: tuple[str, ...] = ()
            if metric.id == "expected_cost":
                given_up = (COST_BY_PREVALENCE, *([COST_BY_LABELS] if situation.labels_wrong else []))
            offered.append(Advice(metric, (known,), given_up))
            continue
        # Of selections of one size, tp against noisy labels is a rising affine function of tp: recall among
        # them needs no verdict on label noise.
        of_one_size = situation.labels_wrong and rule is ONLY_SO_MANY
        demands = replace(situation, labels_wrong=False) if of_one_size else situation
        missed = _unmet(metric, demands)
        if missed is not None and situation.priors_change and missed[0] == "prior-invariance":
            # skrabanek2017 and mullick2020: the same question, asked as if all classes were equally frequent
            left_out.append(f"{metric.name}: {missed[1]}")
            if metric.id not in BALANCED:
                continue
            form = measure(BALANCED[metric.id], **(metric.parameters if metric.id == "f_beta" else {}))
            metric, missed = form, _unmet(form, demands)
        if missed is not None:
            left_out.append(f"{metric.name}: {missed[1]}")
            continue
        verdict = _verdict(metric, rule.property_id)
        # Only the opposite verdict disqualifies: an open question is offered, and said to be open.
        if verdict.grade == ("refuted" if rule.wanted else "proved"):
            left_out.append(f"{metric.name}: it does not have what the rule asks for ({rule.property_id})")
            continue
        rests_on = _rests_on(metric, rule.property_id, verdict, situation, rule.wanted)
        reasons = [Reason(rule.purpose, rests_on, rule.source)]
        for key, (words, property_id, source) in DEMANDS.items():
            if not getattr(demands, key) or property_id == rule.property_id:
                continue
            verdict = _verdict(metric, property_id)
            if verdict.grade != "not applicable":
                rests_on = _rests_on(metric, property_id, verdict, situation)
                reasons.append(Reason(words, rests_on, source))
        if of_one_size:
            words = "labels may be wrong: it keeps the order of selections of the same size"
            reasons.append(Reason(words, BY_SIZE, "menon2015"))
        if undefined := _undefined_here(metric, situation):
            left_out.append(f"{metric.name}: {undefined}")
            continue
        # Two rules may end in one metric, as where the balanced form of one is another's candidate.
        if metric.name not in [a.measure.name for a in offered]:
            offered.append(Advice(metric, tuple(reasons), _forgone(metric, situation)))
    if situation.relevance is not None:
        if situation.relevance == "prevalence" and situation.priors_change:
            changing = "the class distribution may change, and these weights with them"
            left_out.append(f"metrics weighted by prevalence: {changing}")
        else:
            # what no class may be forgotten for comes before what lets some classes count less
            leading = 1 if situation.every_class and situation.many_classes else 0
            offered = offered[:leading] + _by_relevance(offered, situation) + offered[leading:]
    return Recommendation(situation, tuple(offered[:most]), tuple(dict.fromkeys(left_out)))


def _rules(situation: Situation) -> Iterable[Rule]:
    if situation.many_classes:
        return (rules.EVERY_CLASS, *MANY_CLASSES) if situation.every_class else MANY_CLASSES
    if situation.costs is not None:
        limited = (ONLY_SO_MANY,) if situation.capacity else ()
        return (rules.costs_known(*situation.costs, situation.capacity), *limited, *TWO_CLASSES)
    if situation.capacity:
        return (ONLY_SO_MANY, *TWO_CLASSES)
    focused = {"false-positive": rules.FALSE_POSITIVES, "false-negative": rules.FALSE_NEGATIVES}
    return (*focused.get(situation.costly or "", ()), *TWO_CLASSES)


def _verdict(m: Measure, property_id: str) -> Verdict:
    return examine(m, [property_named(property_id)]).verdicts[0]


def _rests_on(
    metric: Measure, property_id: str, verdict: Verdict, situation: Situation, wanted: bool = True
) -> str:
    """The verdict in words; it is not proved where it leaves open this number of classes."""
    needed = "proved" if wanted else "refuted"
    # Truth may depend on the number of classes: a proof for two says nothing of ten.
    settled = verdict.sure and verdict.grade == needed
    if verdict.at:
        settled = settled and _decided(verdict, needed, situation)
    return ("" if settled else "not proved: ") + f"{metric.name}, {property_id}: {verdict}"


def _unmet(metric: Measure, situation: Situation) -> tuple[str, str] | None:
    """A property that the situation demands and that is refuted."""
    for key, (words, property_id, _) in DEMANDS.items():
        if getattr(situation, key):
            verdict = _verdict(metric, property_id)
            if _refuted_for(verdict, situation):
                return property_id, f"{words.partition(':')[0]}, and {property_id} is {verdict}"
    return None


def _refuted_for(verdict: Verdict, situation: Situation) -> bool:
    """Is it refuted for the number of classes of the situation? Truth depends on it."""
    return verdict.grade == "refuted" and _decided(verdict, "refuted", situation)


def _decided(verdict: Verdict, grade: str, situation: Situation) -> bool:
    many = situation.many_classes
    return any(each.grade == grade and (each.n_classes > 2) == many for each in verdict.at)


def _forgone(metric: Measure, situation: Situation) -> tuple[str, ...]:
    """What the choice gives up: the refuted properties, with the matrices that show it."""
    drawbacks = []
    for property_id, words in FORGONE.items():
        # With two classes these hold or fail trivially: there is no other number of classes to compare with.
        if property_id in ABOUT_MANY and not situation.many_classes:
            continue
        verdict = _verdict(metric, property_id)
        if _refuted_for(verdict, situation):
            example = verdict.counterexample
            drawbacks.append(words if example is None else f"{words} ({example})")
    if metric.kind != "scores" and _verdict(metric, "prior-invariance").grade == "proved":
        drawbacks.append(SAME_AT_EVERY_PREVALENCE)
    if metric.kind == "two-class":
        drawbacks += [words for blind, words in BLIND.items() if _verdict(metric, blind).grade == "proved"]
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
    """branco2017: means over classes, weighted by relevance, in the order of the unweighted ones."""
    assert situation.relevance is not None
    # A metric that the verdicts left out sorts last.
    ranked = [a.measure.id for a in offered if isinstance(a.measure, Measure)]
    names = sorted(WEIGHTED, key=lambda name: ranked.index(name) if name in ranked else len(ranked))
    advice = []
    # Two are enough: more weighted means would push every unweighted metric off the list.
    for m in map(measure, names[:2]):
        if not m.over_classes or _unmet(m, situation) is not None or _undefined_here(m, situation):
            continue
        weighted = f"{short_name(m)} weighted by relevance lets the classes that matter decide"
        range_kept = f"{m.name} is a mean over classes, so weights keep its range"
        rests_on = f"{range_kept}; same-bounds: {_verdict(m, 'same-bounds')}"
        reason = Reason(f"{HOW[situation.relevance]}: {weighted}", rests_on, "branco2017 section 4")
        metric = m.named(id=f"{m.id} weighted by relevance", title=f"{short_name(m)}, weighted by relevance")
        drawbacks = ("it depends on the relevance given", *_forgone(m, situation))
        advice.append(Advice(metric, (reason,), drawbacks))
    return advice
