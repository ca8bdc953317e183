"""One rule book: whatever is answered, recommend, evaluate, compare and threshold say the same, and nothing they
say of a measure contradicts what is proved of it."""

import itertools
import json
from dataclasses import asdict

import click
import numpy as np
import pytest
from click.testing import CliRunner

import steelyard as sy
from steelyard.cli.app import app
from steelyard.errors import InputError
from steelyard.judgement.recommend.options import QUESTIONS, Situation, open_questions
from steelyard.judgement.recommend.ranking import rank
from steelyard.judgement.rules import decider
from steelyard.proofs.judge import examine
from steelyard.proofs.questions.conditions import property_named

pytestmark = pytest.mark.usefixtures("few_samples")

CHANGE = (False, True)


def situations():
    """Every combination of answers that may be given together."""
    two = itertools.product(CHANGE, (None, "false-positive", "false-negative"), (None, (200.0, 4.0)), CHANGE)
    for change, costly, costs, capacity in two:
        if costly is None or costs is None:
            yield Situation(priors_change=change, costly=costly, costs=costs, capacity=capacity)
    many = itertools.product(CHANGE, CHANGE, CHANGE, (None, "prevalence", "partial", "total", "scores"))
    for change, appear, every, relevance in many:
        yield Situation(True, change, appear, every_class=every, relevance=relevance)


ALL = list(situations())


def refuted_here(name: str, property_id: str, many: bool) -> bool:
    verdict = examine(sy.measure(name), [property_named(property_id)]).verdicts[0]
    return verdict.grade == "refuted" and any(
        part.grade == "refuted" and (part.n_classes > 2) == many for part in verdict.at
    )


@pytest.mark.parametrize("situation", ALL, ids=lambda s: "-".join(str(v) for v in asdict(s).values()))
def test_every_combination_of_answers_has_one_first_choice_that_contradicts_nothing(situation: Situation):
    found = rank(situation)
    first = found.advice[0].measure
    names = [advice.measure.name for advice in found.advice]
    assert len(set(names)) == len(names)
    assert not {words.partition(":")[0] for words in found.left_out} & set(names)
    unsaid = {q.field for q in open_questions(situation)}
    if {"costs", "costly", "capacity"} <= unsaid or {"every_class", "relevance"} <= unsaid:
        assert first.name == decider(3 if situation.many_classes else 2).measure.name
    if situation.costs is not None:
        assert first.id == "expected_cost"
    if situation.many_classes and situation.every_class:
        assert first.name == "gmean"
    elif situation.relevance is not None and not (
        situation.relevance == "prevalence" and situation.priors_change
    ):
        assert first.name == decider(3, sy.relevance.total_order("abc")).measure.name
    for advice in found.advice:
        catalogued = "(miss" not in advice.measure.name and "weighted" not in advice.measure.name
        if situation.priors_change and catalogued:
            assert not refuted_here(advice.measure.name, "prior-invariance", situation.many_classes)
        for reason in advice.reasons:
            settled = any(
                word in reason.rests_on
                for word in (": proved", ": refuted", "by definition", "is a mean over")
            )
            assert settled != reason.rests_on.startswith("not proved"), reason


def test_what_nobody_said_is_listed_with_what_each_answer_would_put_first() -> None:
    found = rank(Situation())
    assert [u.question.field for u in found.unanswered] == [
        "costs",
        "costly",
        "capacity",
        "priors_change",
        "labels_wrong",
    ]
    for unsaid in found.unanswered:
        for value, first in zip(unsaid.question.answers.values(), unsaid.first, strict=True):
            then = rank(Situation(**{unsaid.question.field: value}))
            assert then.first == first


def test_every_answer_is_an_option_of_the_command() -> None:
    command = app.get_command(click.Context(app), "recommend")
    options = {name for parameter in command.params for name in parameter.opts}
    for question in QUESTIONS:
        assert all(question.option(answer).split()[0] in options for answer in question.answers.values())


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_without_answers_all_four_name_the_same_measure(classes: int, tmp_path) -> None:
    generator = np.random.default_rng(classes)
    truth = generator.choice(classes, 400, p=np.array([0.7, *[0.3 / (classes - 1)] * (classes - 1)]))
    models = {
        name: np.where(generator.random(400) < right, truth, 0) for name, right in (("a", 0.8), ("b", 0.7))
    }
    chosen = decider(classes).measure.name
    evaluated = sy.evaluate(truth, models["a"]).to_dict()
    assert evaluated["headline"][0] == evaluated["decider"]["id"] == chosen
    assert sy.compare(models, truth).to_dict()["by"] == chosen
    assert rank(Situation(many_classes=classes > 2)).first == chosen
    if classes == 2:
        path = tmp_path / "scores.csv"
        rows = (f"{t},{t * 0.3 + u * 0.7:.4f}" for t, u in zip(truth, generator.random(400), strict=True))
        path.write_text("truth,score\n" + "\n".join(rows) + "\n")
        arguments = [
            "threshold",
            str(path),
            "--truth",
            "truth",
            "--score",
            "score",
            "--positive",
            "1",
            "--json",
        ]
        done = CliRunner().invoke(app, arguments)
        assert json.loads(done.stdout)["best"]["measure"] == chosen, done.output


def test_relevance_that_was_given_decides_in_evaluate_as_in_recommend() -> None:
    matrix = sy.Confusion([[8, 2, 0], [1, 16, 3], [0, 40, 160]], ["a", "b", "c"])
    result = sy.evaluate(matrix, relevance="c < b < a").to_dict()
    expected = (3 * 8 / 10 + 2 * 16 / 20 + 160 / 200) / 6
    first = result["headline_values"][0]
    assert result["decider"]["id"] == first["id"] == rank(Situation(True, relevance="total")).first
    assert first["observed"] == pytest.approx(expected, abs=1e-12)
    assert (
        "follow the class distribution"
        in sy.evaluate(matrix, relevance="prevalence").to_dict()["decider"]["because"]
    )


def test_the_questions_are_asked_step_by_step() -> None:
    done = CliRunner().invoke(app, ["recommend", "--ask", "--json"], input="1\n1\n200\n4\n0\n1\n0\n")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["advice"][0]["measure"] == "expected_cost(miss=200, false_alarm=4)"
    assert done.stderr.index("How many classes") < done.stderr.index("What does a miss cost?")
    many = CliRunner().invoke(app, ["recommend", "--ask", "--json"], input="2\n\n1\n\n\n")
    assert json.loads(many.stdout)["advice"][0]["measure"] == "gmean"


@pytest.mark.parametrize("costs", ["200", "a:b", "1:2:3", "-1:2", "nan:1", "0:0"])
def test_costs_that_are_none_are_refused(costs: str) -> None:
    with pytest.raises(InputError):
        CliRunner().invoke(
            app, ["recommend", f"--costs={costs}"], catch_exceptions=False, standalone_mode=False
        )


def test_costs_and_capacity_are_of_two_classes() -> None:
    for field, value in (("costs", (1.0, 2.0)), ("capacity", True)):
        with pytest.raises(InputError, match="two classes"):
            rank(Situation(many_classes=True, **{field: value}))
