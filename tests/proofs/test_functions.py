"""Functions as people write them are traced to formulas; what is not its formula is never called proved."""

import math

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import InputError
from steelyard.measures.graph import Node
from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.record import Range
from steelyard.measures.text import formula_text
from steelyard.proofs.functions import disagreement, needed_parameters, order_of_cells, trace
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID
from steelyard.proofs.verdict import Verdict, of_the_formula
from tests.forked_answers import forked_answers as forked_answers
from tests.proofs.dishonest_measures import sources
from tests.proofs.hidden_branches import hidden_sources
from tests.proofs.honest_measures import HONEST, source
from tests.proofs.more_dishonest_functions import FUNCTIONS
from tests.proofs.twenty_dishonest_functions import TWENTY
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


PLACES = {"tp": (0, 0), "fn": (0, 1), "fp": (1, 0), "tn": (1, 1)}


def value(function, cells, matrix):
    """The function's own value, called as a user would: with these cells, or with the matrix where there are none."""
    with np.errstate(all="ignore"):
        try:
            given = [matrix[cell] for cell in cells] if cells else [matrix.copy()]
            found = function(*given)
            return float(np.asarray(found).item())
        except (ZeroDivisionError, FloatingPointError):
            return math.nan


def examined(tmp_path, code, property_id, sizes=(2,)):
    """Why nothing is decided, or the verdict of the formula: the steps of examine_user in this process."""
    function = loaded(tmp_path / "f.py", code)
    needed = needed_parameters(function)
    two = len(needed) == 4
    cells = [PLACES[name] for name in order_of_cells(needed)] if two else []
    traced = trace(function, sizes)
    if traced.why_not:
        return traced.why_not, None

    def ask(matrices):
        found = np.array([value(function, cells, m) for m in matrices])
        return np.where(np.isfinite(found), found, np.nan)

    verdicts = []
    for c in sizes:
        graph = traced.at(c)
        found = disagreement(graph, two, c, ask)
        if found is not None:
            return f"{found[1]} on {found[0].tolist()}, not {found[2]}", None
        verdicts.append(BY_ID[property_id].decide(subject(graph, two, (c,))))
    return "", of_the_formula(Verdict.of_sizes(verdicts))


def subject(graph, two, sizes):
    facts = {"title": "f", "question": "?", "formula": "", "reads": "", "range": Range(-np.inf, np.inf)}
    kind = "two-class" if two else "multi-class"
    measure = MatrixMeasure(id="f", kind=kind, graph=graph, depends_on_size=True, **facts)
    return Subject(measure, bounds_known=False, sizes=sizes)


@pytest.mark.parametrize(("name", "signature", "body", "property_id"), HONEST, ids=[h[0] for h in HONEST])
def test_honest_functions_are_proved_of_their_formula(tmp_path, name, signature, body, property_id):
    why, verdict = examined(tmp_path, source(signature, body), property_id)
    assert why == ""
    assert verdict.grade == "proved of the formula"


CORPUS = [pytest.param(d, code, id=d.name) for d, code in [*sources(), *hidden_sources()]]


# Tracing cannot see state, types or rounding: a known limit, which is why the grade speaks of the formula only.
NOT_SEEN_BY_TRACING = {
    "type()",
    "str()",
    "repr in an f-string",
    "a hash",
    "a global that is rebound",
    "a list that remembers",
    "a mutable default",
    "a dictionary",
    "a small number lost in a large one",
    "lost in products of very different size",
    "one more that is the same",
    "one more that is the same, small",
    "half lost beyond the whole numbers",
    "an overflow",
    "a power that runs over",
    "a quotient of infinite numbers",
    "logarithms of the smallest numbers",
    "a division by a tiny constant",
}


@pytest.mark.parametrize(("dishonest", "code"), CORPUS)
def test_a_dishonest_function_is_not_proved_unless_tracing_cannot_see_it(tmp_path, dishonest, code):
    why, verdict = examined(tmp_path, code, dishonest.property, (dishonest.classes,))
    proved = not why and verdict.grade.startswith("proved")
    assert proved == (dishonest.name in NOT_SEEN_BY_TRACING)
    assert why or verdict.grade != "proved"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("return np.mean(np.diag(m) / np.maximum(m.sum(axis=0), m.sum(axis=1)))", "mean(hits / max(predicted, actual))"),
        ("return np.trace(m) / m.sum()", "sum(hits) / n"),
        ("return (np.diagonal(m) / m.sum(axis=-1)).mean()", "mean(hits / actual)"),
        ("return np.prod(np.diag(m) / m.sum(1)) ** (1 / m.shape[0])", "geometric_mean(hits / actual)"),
        ("return m[0, 0] / m[0].sum()", "m_11 / actual[1]"),
    ],
)  # fmt: skip
def test_the_formula_that_was_traced_is_readable(tmp_path, body, text):
    function = loaded(tmp_path / "f.py", f"import numpy as np\ndef f(m):\n    {body}\n")
    assert formula_text(trace(function, (2, 3)).graphs[0]) == text


def test_a_loop_over_classes_has_a_formula_for_each_number_of_classes(tmp_path):
    code = "def f(m):\n    return sum(m[i, i] / m[i].sum() for i in range(len(m))) / len(m)\n"
    traced = trace(loaded(tmp_path / "f.py", code), (2, 3))
    assert sorted(traced.graphs) == [2, 3]
    assert formula_text(traced.graphs[2]) == "(0 + m_11 / actual[1] + m_22 / actual[2]) / 2"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("return float(np.asarray(tp).item()) / (tp + fn)", "line 3, "),
        ("return np.round(tp / (tp + fn))", "np.round"),
        ("return tp // (tp + fn)", "line 3, np.floor_divide"),
        ("return tp if np.array([tp, fn])[np.array([True, False])] else fn", "line 3, "),
    ],
)
def test_where_tracing_stopped_is_said(tmp_path, line, why):
    function = loaded(tmp_path / "f.py", f"import numpy as np\ndef f(tp, fn, fp, tn):\n    {line}\n")
    assert why in trace(function, (2,)).why_not


def test_names_are_put_back_after_tracing(tmp_path):
    function = loaded(
        tmp_path / "f.py", "import numpy as np\ndef f(m):\n    return max(np.trace(m), 1) / m.sum()\n"
    )
    assert not trace(function, (2,)).why_not
    assert function.__globals__["np"] is np
    assert "max" not in function.__globals__
    assert function(np.eye(2)) == 1.0


@pytest.mark.parametrize(
    "call", ["float(tp)", "np.float64(tp)", "math.fsum([tp])", "math.sqrt(tp * tp)", "max(tp, 0)"]
)
def test_conversions_do_not_refute_what_is_true(tmp_path, call):
    """Rounding of 1e-17 was taken for exact evidence against the recall."""
    code = f"import math\nimport numpy as np\ndef f(tp, fn, fp, tn):\n    return {call} / (tp + fn)\n"
    why, verdict = examined(tmp_path, code, "scale-invariance")
    assert why == ""
    assert verdict.grade == "proved of the formula"


def test_constants_are_taken_as_they_are_written(tmp_path):
    """tp**0.4999999999999995 * tp**0.5 is not tp: f(1, 1) is 1/2, f(1e18, 1e18) is 1e-14 less."""
    code = "def f(tp, fn, fp, tn):\n    return tp**0.4999999999999995 * tp**0.5 / (tp + fn)\n"
    _, verdict = examined(tmp_path, code, "scale-invariance")
    assert verdict is None or verdict.grade not in ("proved", "proved of the formula")


def test_a_graph_is_interned():
    assert Node("number", (), (2,)) is Node("number", (), (2,))
    assert Node("number", (), (2,)) is not Node("number", (), (2.0,))


@pytest.mark.usefixtures("forked_answers")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_another_set_of_dishonest_functions_is_never_proved(tmp_path, name):
    """In a process of their own, as users run them: they may change NumPy and remember what was asked."""
    property_id, code = FUNCTIONS[name]
    path = tmp_path / "lie.py"
    path.write_text(code, encoding="utf-8")
    try:
        (verdict,) = sy.examine(f"{path}:f", property_id).verdicts
    except InputError:  # it is not its formula, or not deterministic: nothing is decided
        return
    assert verdict.grade != "proved"
    if name not in BEYOND_COMPARISON:
        assert verdict.grade != "proved of the formula"


BEYOND_COMPARISON = {
    "honest for the first ten thousand calls",
    "a coin that is seldom tossed",
    "a count beyond the whole numbers of floats",
    "the clock",
    "a helper swapped by a thread",
}
"""What a few thousand comparisons may not meet: the grade says of what it is a proof."""


@pytest.mark.parametrize("name", TWENTY)
def test_twenty_more_dishonest_functions_are_not_their_formula(tmp_path, name):
    """Asked in this process: none of them is traced to a formula that agrees with it."""
    property_id, code = TWENTY[name]
    why, verdict = examined(tmp_path, code, property_id, (2, 3) if "def f(m)" in code else (2,))
    assert why or verdict.grade not in ("proved", "proved of the formula")


@pytest.mark.whole
@pytest.mark.parametrize("name", TWENTY)
def test_twenty_more_dishonest_functions_are_never_proved(tmp_path, name):
    property_id, code = TWENTY[name]
    path = tmp_path / "lie.py"
    path.write_text(code, encoding="utf-8")
    try:
        (verdict,) = sy.examine(f"{path}:f", property_id).verdicts
    except InputError:  # it is not its formula, or not deterministic: nothing is decided
        return
    assert verdict.grade not in ("proved", "proved of the formula")
