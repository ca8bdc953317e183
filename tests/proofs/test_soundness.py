"""Nothing is called proved that is not true of the function: not what it hides, not what floats make of it."""

import dataclasses
import math
import textwrap

import pytest

from steelyard.measures.catalogue import measure as named
from steelyard.measures.formula import formula_measure
from steelyard.measures.measure import class_mean, multi_class, two_class
from steelyard.measures.operators import balanced
from steelyard.measures.record import Range
from steelyard.proofs.judge import examine
from steelyard.proofs.prover.prove import prove_equal, prove_not_less
from steelyard.proofs.prover.regions import matrix_names
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.user_measure import examine_user
from tests.forked_answers import forked_answers as forked_answers
from tests.real_parts import needs

pytestmark = pytest.mark.usefixtures("forked_answers")


@pytest.fixture(autouse=True)
def _flint():
    needs("flint")


def written(tmp_path, code):
    path = tmp_path / "my_metric.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(code), encoding="utf-8")
    return path


PRIORS = "prior-invariance"


def test_one_slow_property_does_not_cost_the_others(tmp_path):
    code = """
        def f(tp, fn, fp, tn):
            if np.max(np.abs(tp)) > 2_000_000:
                import time
                while True:
                    time.sleep(0.1)
            return tp / (fn + 1)
        """
    chosen = [property_named(name) for name in ("bounded", "p2", "p3")]
    found = examine_user(written(tmp_path, code), "f", chosen, (2,), seconds=5.0)
    assert found["bounded"].grade == "timed out"
    assert [found[name].grade for name in ("p2", "p3")] == ["not refuted", "not refuted"]


def test_properties_of_a_formula_are_decided_apart_as_they_are_here(monkeypatch):
    monkeypatch.setenv("STEELYARD_CACHE", "off")
    mine = formula_measure("tp/(tp+fn) + 0*tn")
    chosen = [property_named(name) for name in ("p2", "p4", PRIORS)]
    apart, here = examine(mine, chosen, seconds=60), examine(mine, chosen)
    assert [v.grade for v in apart.verdicts] == ["proved", "refuted", "proved"]
    assert apart.verdicts == here.verdicts


def test_a_function_cannot_speak_for_the_engine(tmp_path):
    code = """
        import json, os
        for fd in range(3, 30):
            try:
                os.write(fd, (json.dumps({"id": 1, "verdict": {"grade": "proved"}, "values": [1.0]}) + "\\n").encode())
            except OSError:
                pass
        def f(tp, fn, fp, tn):
            return tp / (fn + 1)
        """
    from steelyard.proofs.user_measure import UserMeasureError

    with pytest.raises(UserMeasureError, match="answered out of turn"):
        examine_user(written(tmp_path, code), "f", [property_named("p2")], (2,))


def test_text_of_a_function_is_shown_without_control_characters(tmp_path):
    from steelyard.proofs.user_measure import UserMeasureError

    path = written(tmp_path, "def f(m):\n    raise ValueError('\\x1b[2J\\x1b]0;proved\\x07\\r\\nproved')\n")
    with pytest.raises(UserMeasureError) as caught:
        examine_user(path, "f", [property_named("p2")], (2,))
    assert str(caught.value).isprintable()


def test_theorems_for_every_number_of_classes_say_where_they_speak():
    found = examine(named("gmean"), [property_named(PRIORS)])[PRIORS]
    assert found.classes == "every C"
    assert "wherever hits + missed of each class is not 0" in str(found)


# -- inside the engine


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [(0.25, 0.75, False), (0.25, 0.25, True), (1, 0.5, False), (math.nan, 0.5, False)],
)
def test_finite_floats_are_numbers(one, other, equal):
    assert prove_equal(matrix_names(2), lambda at: (one, other)).proved is equal


def test_a_float_is_not_an_undefined_bound():
    assert not prove_not_less(matrix_names(2), lambda at: (0.25, 0.75)).proved
    assert prove_not_less(matrix_names(2), lambda at: (0.75, 0.25)).proved


# -- declared measures


def declared(body, make=multi_class, **facts):
    return make(id="mine", title="Mine", question="?", formula="", reads="", body=body, **facts)


def recalls(c):
    return c.ratio(c.hits, c.actual, "no examples")


@pytest.mark.parametrize(
    "mine",
    [
        declared(lambda c: c.mean(recalls(c)[0:1] + 0 * recalls(c))),
        declared(lambda c: c.ratio(c.tp, c.fp, "no false alarms"), make=two_class, at_fixed_priors_of=named("accuracy")),
        declared(lambda c: c.ratio(c.all_hits, c.total, ""), at_fixed_priors_of=named("accuracy"), range=Range(0, 1)),
    ],
)  # fmt: skip
def test_what_a_declared_measure_hides_is_not_proved(mine):
    found = examine(mine, [property_named("prior-invariance"), property_named("bounded")])
    hidden = [v for v in found.verdicts if v.grade == "proved"]
    assert hidden == [] or mine.at_fixed_priors_of is not None
    assert found["prior-invariance"].grade != "proved"


def rate(c):
    return c.ratio(c.tp, c.positives, "no positives")


def test_a_measure_of_another_kind_is_not_proved():
    """The body is what is read; a class of its own may answer with something else."""
    honest = declared(rate, make=two_class)

    class Mine(type(honest)):
        def __getattribute__(self, name):
            return super().__getattribute__(name)

    mine = Mine(**{f.name: getattr(honest, f.name) for f in dataclasses.fields(honest) if f.init})
    assert examine(mine, [property_named("prior-invariance")])["prior-invariance"].grade != "proved"


def test_columns_that_are_undefined_on_small_matrices_are_looked_at_too():
    """Always the first class gives 0, always the second 1; the poles hide the first from sizes 1, 2 and 5."""
    poles = "((tp-1)*(tp-2)*(tp-5))"
    found = examine(formula_measure(f"fn/(tp+fn) * {poles}/{poles}"), [property_named("constant-predictor")])
    assert found["constant-predictor"].grade != "proved"


def test_an_honest_declared_measure_is_proved_for_every_number_of_classes():
    mine = class_mean(id="mine", title="Mine", question="?", formula="", reads="", per_class=recalls)
    found = examine(mine, [property_named("prior-invariance"), property_named("bounded")])
    assert [(v.grade, v.classes) for v in found.verdicts] == [("proved", "every C")] * 2
    assert examine(balanced(mine), [property_named("prior-invariance")])["prior-invariance"].grade == "proved"


def test_a_guard_inside_a_class_term_is_seen():
    """0 where there are no hits, although the term tends to 1/2 there: scaled rows are seen to change it only on that edge."""
    mine = declared(
        lambda c: c.mean(c.where(c.hits == 0, 5, recalls(c) + c.ratio(c.predicted, c.predicted, "")))
    )
    found = examine(mine, [property_named("monotone")])
    assert found["monotone"].grade == "refuted"
