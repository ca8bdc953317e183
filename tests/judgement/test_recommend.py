"""The papers' advice follows from verdicts: mullick2020 section 6 and Figure 6, skrabanek2017 section 5, branco2017 section 4."""

import pytest

from steelyard.counts.confusion import Confusion
from steelyard.errors import InputError
from steelyard.judgement.recommend.judge import situation_of
from steelyard.judgement.recommend.options import Options
from steelyard.judgement.recommend.ranking import Situation, rank
from steelyard.judgement.rules import HEADLINE_MULTI_CLASS, HEADLINE_TWO_CLASS, decider
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import property_named


def names(**known):
    return [a.measure.name for a in rank(Situation(**known)).advice]


def test_two_classes_in_general_get_the_geometric_mean_first():
    assert names()[:2] == ["gmean", "balanced_accuracy"]


def test_costly_false_positives_with_stable_priors_get_precision():
    assert names(costly="false-positive")[:2] == ["precision", "aurpc_point"]


def test_with_changing_priors_the_balanced_forms_replace_them():
    found = rank(Situation(costly="false-positive", priors_change=True))
    assert [a.measure.name for a in found.advice][:2] == ["balanced_precision", "maurpc"]
    assert any(words.startswith("precision: the class distribution may change") for words in found.left_out)


def test_costly_misses_get_recall_which_does_not_see_false_alarms():
    first = rank(Situation(costly="false-negative")).advice[0]
    assert first.measure.name == "recall"
    assert "it ignores false alarms" in first.gives_up


def test_many_classes_get_what_satisfies_all_three_conditions():
    assert names(many_classes=True, priors_change=True, classes_appear=True)[:2] == [
        "macro_recall",
        "maurpc_ova",
    ]


def test_every_class_must_be_found_gets_the_geometric_mean_and_says_what_it_gives_up():
    first = rank(Situation(many_classes=True, every_class=True, priors_change=True)).advice[0]
    assert first.measure.name == "gmean"
    assert any("one class that is never recognised masks" in words for words in first.gives_up)


def test_indices_that_break_condition_1_are_offered_only_while_priors_stay():
    assert {"aurpc_ova", "nauroc_ova"} <= set(names(many_classes=True))
    assert not {"aurpc_ova", "nauroc_ova", "class_balance_accuracy"} & set(
        names(many_classes=True, priors_change=True)
    )


def test_relevance_gives_weighted_means_over_classes():
    first = rank(Situation(many_classes=True, relevance="partial")).advice[0]
    assert first.measure.name == "macro_recall weighted by relevance"
    assert first.reasons[0].source == "branco2017 section 4"


def test_every_reason_cites_a_verdict():
    for situation in (
        Situation(),
        Situation(many_classes=True, priors_change=True, relevance="total"),
        Situation(costly="false-negative"),
    ):
        for advice in rank(situation).advice:
            assert advice.reasons
            for reason in advice.reasons:
                by_definition = advice.measure.name.startswith("weighted_auc")  # of scores, not of a matrix
                known = ("by definition",) if by_definition else ("proved", "refuted", "not refuted")
                assert any(grade in reason.rests_on for grade in known)
                assert reason.source


def test_data_say_how_many_classes_and_what_would_be_undefined():
    matrix = Confusion([[5, 0, 0], [0, 10, 0], [0, 300, 0]])
    situation = situation_of(Options(matrix))
    assert situation.many_classes
    assert situation.never_predicted == ("c3",)
    found = rank(situation)
    assert "maurpc_ova" not in [a.measure.name for a in found.advice]
    assert any("c3 is never predicted" in words for words in found.left_out)


def test_costs_of_two_classes_are_not_asked_of_many():
    with pytest.raises(InputError, match="is for two classes"):
        rank(Situation(many_classes=True, costly="false-positive"))


@pytest.mark.parametrize("classes", [2, 3])
def test_what_decides_is_proved_and_is_what_is_recommended_first(classes: int) -> None:
    chosen = decider(classes)
    verdict = property_named("prior-invariance").decide(Subject(chosen.measure))
    assert (verdict.grade, verdict.classes) == ("proved", "every C")
    assert chosen.measure.name == (HEADLINE_TWO_CLASS if classes == 2 else HEADLINE_MULTI_CLASS)[0]
    for priors_change in (False, True):
        first = rank(Situation(many_classes=classes > 2, priors_change=priors_change)).advice[0]
        assert first.measure.name == chosen.measure.name


def test_weights_that_follow_the_class_sizes_are_not_offered_where_these_change() -> None:
    found = rank(Situation(many_classes=True, priors_change=True, relevance="prevalence"))
    assert not any("weighted" in advice.measure.name for advice in found.advice)
    assert any("weighted by prevalence" in words for words in found.left_out)


def test_a_reason_that_is_not_proved_says_so() -> None:
    for many in (False, True):
        for priors_change in (False, True):
            for advice in rank(Situation(many_classes=many, priors_change=priors_change)).advice:
                for reason in advice.reasons:
                    if reason.rests_on.startswith("by definition"):
                        continue
                    settled = ": proved" in reason.rests_on or ": refuted" in reason.rests_on
                    assert settled != reason.rests_on.startswith("not proved")


def test_what_the_papers_recommend_is_offered_with_their_reasons() -> None:
    """garcia2012 section 4: AUC, Gm, IBA, wAUC and cwA; mortaz2020 section 4: IAM as the bottom line."""
    two = {advice.measure.name: advice for advice in rank(Situation()).advice}
    for name in ("iba(gmean, alpha=0.05)", "class_weighted_accuracy(w=0.75)"):
        (reason,) = two[name].reasons
        assert reason.source == "garcia2012 section 4"
        assert "p1: refuted" in reason.rests_on  # an exchange of the classes changes it (Table 2)
    assert any(name.startswith("weighted_auc") for name in two)
    many = {advice.measure.name: advice for advice in rank(Situation(many_classes=True)).advice}
    (reason,) = many["imbalance_accuracy"].reasons
    assert reason.source == "mortaz2020 section 4"
    assert "it is 2 CBA - 1" in reason.rule


def test_where_labels_may_be_wrong_only_metrics_that_keep_the_order_of_models_are_offered() -> None:
    """menon2015: balanced accuracy and informedness keep it. G-mean does not: TPR and FPR (.35, .05) against (.65, .55)
    with 30% of the labelled positives wrong, .577 > .541 becomes .497 < .528."""
    found = rank(Situation(labels_wrong=True))
    assert found.first == "balanced_accuracy"
    assert "gmean" not in {advice.measure.name for advice in found.advice}
    assert any(words.startswith("gmean: labels may be wrong") for words in found.left_out)
    assert any(words.startswith("weighted_auc") for words in found.left_out)  # nothing is decided of it
    assert "keeps the order of models if they are so at random" in " ".join(str(found).split())


def test_of_selections_of_one_size_recall_keeps_its_order_under_label_noise() -> None:
    """10 of 100 alerts, 30% of the positives labelled negative, 20% of the negatives positive: hits against the labels
    are 0.7 tp + 0.2 (10 - tp), which rises with tp."""
    assert rank(Situation(capacity=True, labels_wrong=True)).first == "recall"


def test_costs_are_named_where_labels_may_be_wrong_with_what_that_gives_up() -> None:
    (*_, weakness) = rank(Situation(costs=(200.0, 4.0), labels_wrong=True)).advice[0].gives_up
    assert weakness.startswith("wrong labels can change which of two models costs less")


def test_wrong_labels_are_asked_of_two_classes_alone() -> None:
    with pytest.raises(InputError, match="two classes"):
        rank(Situation(many_classes=True, labels_wrong=True))
