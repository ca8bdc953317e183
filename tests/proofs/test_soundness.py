"""Nothing is called proved that is not true of the function: not what it hides, not what floats make of it."""

import contextlib
import dataclasses
import math
import py_compile
import textwrap

import numpy as np
import pytest

from steelyard.measures.catalogue import measure as named
from steelyard.measures.formula_measure import formula_measure
from steelyard.measures.measure import class_mean, multi_class, two_class
from steelyard.measures.operators import balanced
from steelyard.measures.record import Range
from steelyard.proofs.examination import examine
from steelyard.proofs.files_beside import texts_beside
from steelyard.proofs.prover.prove import matrix_names, prove_equal, prove_not_less
from steelyard.proofs.prover.symbols import Field
from steelyard.proofs.questions.conditions import BY_ID, property_named
from steelyard.proofs.user_measure import examine_user
from steelyard.proofs.user_process import Answering, parameters_of
from steelyard.proofs.user_subject import Facts, subject_of
from steelyard.proofs.validation import disagreement, read_function
from tests.proofs.dishonest_measures import sources
from tests.proofs.hidden_branches import hidden_sources
from tests.proofs.honest_measures import HONEST, source
from tests.proofs.parted_meanings import parted_sources
from tests.real_parts import needs


@pytest.fixture(autouse=True)
def _flint():
    needs("flint")


@pytest.fixture(autouse=True)
def _numpy_as_it_was():
    """Some of the corpus replace parts of NumPy; no other test is to meet them."""
    kept, printed = dict(vars(np)), np.get_printoptions()
    yield
    np.set_printoptions(**printed)
    for name, value in kept.items():
        if vars(np).get(name) is not value:
            setattr(np, name, value)


def loaded(path, code):
    path.write_text(code, encoding="utf-8")
    space = {"__name__": "measure_of_a_test"}
    exec(compile(code, str(path), "exec"), space)  # the corpus is ours
    return space["f"]


def examined_here(tmp_path, code, property_id, sizes=(2,)):
    """As examine_user decides, in this process: where the function leaves what can be proved, or the verdict."""
    function = loaded(tmp_path / "f.py", code)
    of_cells = len(parameters_of(function)) == 4
    read = read_function(code.encode(), "f", of_cells, batched=False)
    if isinstance(read, str):
        return read, None

    def ask(matrices):
        with np.errstate(all="ignore"):
            values = np.array(Answering(function, of_cells).floats(matrices))
        return np.where(np.isfinite(values), values, np.nan)

    for c in sizes:
        words = disagreement(read, ask, c)
        if words:
            return words, None
    facts = Facts(of_cells, of_cells, False, True, "", sizes)
    return "", BY_ID[property_id].decide(subject_of(read, "f", facts, read=True))


CORPUS = [pytest.param(d, code, id=d.name) for d, code in [*sources(), *hidden_sources(), *parted_sources()]]


def value(function, rows):
    matrix = np.array(rows, dtype=np.float64)
    with np.errstate(all="ignore"):
        try:
            answering = Answering(function, len(parameters_of(function)) == 4)
            return float(answering.one(matrix))
        except FloatingPointError:
            return math.nan


@pytest.mark.parametrize(("dishonest", "code"), CORPUS)
def test_nothing_is_proved_of_a_dishonest_measure(tmp_path, dishonest, code):
    leaves, verdict = examined_here(tmp_path, code, dishonest.property, (dishonest.classes,))
    assert leaves or verdict.grade != "proved"


@pytest.mark.parametrize(("dishonest", "code"), CORPUS)
def test_the_corpus_is_dishonest(tmp_path, dishonest, code):
    """The two matrices are joined by the property, and their values differ; or the meaning is not in the function alone."""
    if dishonest.one == dishonest.other:
        pytest.skip("its meaning depends on what runs besides it")
    function = loaded(tmp_path / "f.py", code)
    one, other = value(function, dishonest.one), value(function, dishonest.other)
    assert math.isnan(one) != math.isnan(other) or abs(one - other) > 1e-6


@pytest.mark.parametrize(("name", "signature", "body", "property_id"), HONEST, ids=[h[0] for h in HONEST])
def test_honest_measures_are_proved(tmp_path, name, signature, body, property_id):
    leaves, verdict = examined_here(tmp_path, source(signature, body), property_id)
    assert leaves == ""
    assert verdict.grade == "proved"


def written(tmp_path, code):
    path = tmp_path / "my_metric.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(code), encoding="utf-8")
    return path


def test_the_place_where_a_function_leaves_is_named(tmp_path):
    code = """
        def f(m):
            v = m[..., 0, 0] / (m[..., 0, 0] + m[..., 0, 1])
            try:
                v = v / 2 if float(m.sum()) > 1e9 else v
            except Exception:
                pass
            return v
        """
    found = examine_user(written(tmp_path, code), "f", [property_named("prior-invariance")], (2,))
    verdict = found["prior-invariance"]
    assert verdict.grade == "not refuted"
    assert "the function leaves what can be proved: line 5, `try`" in verdict.method


PRIORS = "prior-invariance"


def with_helper(tmp_path, helper, body="return rate(tp, fn)"):
    (tmp_path / "helper_of_mine.py").write_text(textwrap.dedent(helper), encoding="utf-8")
    return written(tmp_path, f"from helper_of_mine import rate\ndef f(tp, fn, fp, tn):\n    {body}\n")


def test_a_helper_beside_the_file_is_read_too_and_noticed_when_it_changes(tmp_path):
    path = with_helper(tmp_path, "def rate(a, b):\n    return a / (a + b)\n")
    chosen = [property_named(PRIORS)]
    assert examine_user(path, "f", chosen, (2,))[PRIORS].grade == "proved"
    with_helper(tmp_path, "def rate(a, b):\n    return a / (a + 1)\n")
    assert examine_user(path, "f", chosen, (2,))[PRIORS].grade == "refuted"


def test_a_compiled_copy_of_a_helper_is_not_run(tmp_path):
    """A copy that claims never to be checked says something else than the text that is read."""
    path = with_helper(tmp_path, "def rate(a, b):\n    return a / (a + 1)\n")
    file = tmp_path / "helper_of_mine.py"
    py_compile.compile(str(file), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    file.write_text("def rate(a, b):\n    return a / (a + b)\n", encoding="utf-8")
    assert examine_user(path, "f", [property_named(PRIORS)], (2,))[PRIORS].grade == "proved"


@pytest.mark.parametrize(
    ("helper", "words"),
    [
        ("def rate(a, b):\n    return a / (a + b) if a != 7919 else 1.0\n", "equal"),
        ("import os\ndef rate(a, b):\n    return a / (a + b)\n", "helper_of_mine.py, line 1, `import os`"),
        ("def rate(a, b):\n    try:\n        return a / (a + b)\n    finally:\n        pass\n", "`try`"),
        ("rate = lambda a, b: a / (a + b)\n", "runs when the file is loaded"),
        ("from my_metric import f\ndef rate(a, b):\n    return a / (a + b)\n", "import my_metric"),
        ("import numpy as np\nnp.sqrt = abs\ndef rate(a, b):\n    return a / (a + b)\n", "runs when"),
    ],
)
def test_a_helper_that_leaves_what_can_be_proved_is_named(tmp_path, helper, words):
    path = with_helper(tmp_path, helper)
    beside = texts_beside(path, path.read_bytes())
    read = read_function(path.read_bytes(), "f", True, False, beside)
    found = read if isinstance(read, str) else disagreement(read, lambda m: read.floats(m), 2)
    assert words in found


def test_only_a_plain_file_with_a_name_of_its_own_is_followed(tmp_path):
    path = written(tmp_path, "from json import loads\nfrom numpy import sqrt\nfrom folder import rate\n")
    for name in ("json", "numpy", "folder"):
        (tmp_path / f"{name}.py").write_text("rate = loads = sqrt = 1\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    assert texts_beside(path, path.read_bytes()) == {}


def test_one_slow_property_does_not_cost_the_others(tmp_path):
    code = """
        def f(tp, fn, fp, tn):
            if np.max(np.abs(tp)) > 2_000_000:
                while True:
                    pass
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


def test_conditions_are_part_of_the_theorem(tmp_path):
    _, verdict = examined_here(
        tmp_path, source("f(tp, fn, fp, tn)", "return tp / (tp + fn)"), "prior-invariance"
    )
    assert verdict.conditions == ("tp + fn",)
    assert "wherever tp + fn is not 0" in str(verdict)


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
    assert prove_equal(matrix_names(2), lambda f, s, z: (one, other)).proved is equal


def test_a_float_is_not_an_undefined_bound():
    assert not prove_not_less(matrix_names(2), lambda f, s, z: (0.25, 0.75)).proved
    assert prove_not_less(matrix_names(2), lambda f, s, z: (0.75, 0.25)).proved


def test_a_swallowed_refusal_still_counts():
    """A body that catches the engine's refusal is marked all the same."""

    def compute(owner, arithmetic, zeros):
        x = owner.variable("m0_0")
        with contextlib.suppress(Exception):
            float(x)
        return x, x

    attempt = prove_equal(matrix_names(2), compute)
    assert not attempt.proved
    assert "turns its input into floats" in attempt.method


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: f"{x}",
        lambda x: repr(x),
        lambda x: x.dtype,
        lambda x: int(x),
        lambda x: x % 2,
        lambda x: x == "a",
    ],
)
def test_every_question_of_kind_marks_the_field(ask):
    owner = Field(["x"])
    with contextlib.suppress(Exception):
        ask(owner.variable("x"))
    assert owner.left


# -- declared measures


def declared(body, make=multi_class, **facts):
    return make(id="mine", title="Mine", question="?", formula="", reads="", body=body, **facts)


def recalls(c):
    return c.ratio(c.hits, c.actual, "no examples")


BONUS = 1.0


@pytest.mark.parametrize(
    "mine",
    [
        declared(lambda c: c.mean(recalls(c)) * (2 if len(c.labels) > 6 else 1)),
        declared(lambda c: c.mean(recalls(c) * (2 if len(recalls(c)) > 6 else 1))),
        declared(lambda c: c.mean(recalls(c) * (1 + (recalls(c).shape[0] > 6)))),
        declared(lambda c: c.mean(recalls(c)[0:1] + 0 * recalls(c))),
        declared(lambda c: c.mean(recalls(c)) + (c.arithmetic.policy.fill == 7)),
        declared(lambda c: c.mean(recalls(c)) + (type(c).__name__ == "Classes")),
        declared(lambda c: vars(type(c)) and c.mean(recalls(c))),
        declared(lambda c: c.mean(recalls(c)) + globals()["BONUS"]),
        declared(lambda c: c.mean(np.nan_to_num(recalls(c)))),
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


def lost(c):
    """0 in algebra; in floats it is so for few counts, of which 58447 is the smallest."""
    return (c.tp / 454 * 454 - c.tp) * (c.tp / 142 * 142 - c.tp) * (c.tp / 388 * 388 - c.tp) * 1e36


@pytest.mark.parametrize(
    "mine",
    [
        declared(lambda c: c.arithmetic.choose(c.tp / 49 * 49 == c.tp, c.number(1), rate(c)), make=two_class),
        declared(
            lambda c: c.arithmetic.choose(c.tp * 3 / 10 > c.tp * 3 / 10, c.number(1), rate(c)), make=two_class
        ),
        declared(
            lambda c: c.arithmetic.choose(
                c.arithmetic.is_nan(c.ratio(c.tp, lost(c), "")), c.number(1), rate(c)
            ),
            make=two_class,
        ),
        declared(lambda c: rate(c) + lost(c), make=two_class),
        declared(lambda c: rate(c) + ((c.tp * 2**30 + 1) - c.tp * 2**30), make=two_class),
        declared(lambda c: rate(c) + c.ratio(lost(c), lost(c), ""), make=two_class),
        declared(lambda c: rate(c) + (int(c.number(0.29) * 100) - 29) * c.tn, make=two_class),
        declared(lambda c: rate(c) + (c.number(0.1) * 3 - c.number(0.3)) * 1e17 * c.tn, make=two_class),
        declared(
            lambda c: c.arithmetic.choose(
                c.arithmetic.is_nan(c.maximum(c.ratio(0 * c.fp, c.tp - 7919, ""), c.fp)), c.number(1), rate(c)
            ),
            make=two_class,
        ),
        declared(lambda c: c.mean(recalls(c) + (c.hits / 15 * 15 - c.hits) * 1e16)),
    ],
)
def test_what_rounding_decides_is_not_proved_of_a_declared_measure(mine):
    assert examine(mine, [property_named("prior-invariance")])["prior-invariance"].grade != "proved"


@pytest.mark.parametrize(
    "formula",
    [
        "tp/(tp+fn) + ((tp*2^30 + 1) - tp*2^30)",
        "tp/(tp+fn) + (tp/454*454 - tp)*(tp/142*142 - tp)*(tp/388*388 - tp)*1e36",
        "tp/(tp+fn) + (sqrt(tp)*sqrt(tp) - tp)*1e16",
        "tp/(tp+fn) + (tp*0.1*3 - tp*0.3)*1e17",
        "mean(hits/actual) + (sum(hits)/49*49 - sum(hits))*1e16",
    ],
)
def test_what_rounding_decides_is_not_proved_of_a_formula(formula):
    found = examine(formula_measure(formula), [property_named("prior-invariance")])
    assert found["prior-invariance"].grade != "proved"


def test_a_body_cannot_bring_functions_of_its_own(tmp_path):
    """`abs` is Python's, whatever the function is told."""
    path = tmp_path / "mine.py"
    path.write_text("body = lambda c: abs(c.ratio(c.tp, c.positives, ''))\n", encoding="utf-8")
    space = {"__builtins__": {"abs": lambda x: x + 1}}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    found = examine(declared(space["body"], make=two_class), [property_named("prior-invariance")])
    assert found["prior-invariance"].grade != "proved"


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
        lambda c: c.mean(
            c.arithmetic.choose(c.hits == 0, c.number(5), recalls(c) + c.ratio(c.predicted, c.predicted, ""))
        )
    )
    found = examine(mine, [property_named("monotone")])
    assert found["monotone"].grade == "refuted"


def test_the_catalogue_is_checked_by_the_same_rule():
    from steelyard.measures.catalogue import catalogue
    from steelyard.proofs.body_check import fingerprint, leaves_at

    for m in catalogue():
        if m.kind != "scores":
            assert leaves_at(m) == "", m.name
            assert fingerprint(m) is not None, m.name
