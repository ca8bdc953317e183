"""A user's function is examined in a process of its own; whatever it does, the answer is in words."""

import inspect
import os
import py_compile
import textwrap
import time
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.errors import InputError
from steelyard.measures.measure import two_class
from steelyard.proofs.declared_file import declared_measure, leaves_when_loaded
from steelyard.proofs.prover.prove import generic_matrix, matrix_names, prove_equal
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.user_measure import UserMeasureError, examine_user, parse
from steelyard.proofs.validation import disagreement, read_function
from tests.real_parts import needs

ONE = [property_named("prior-invariance")]


def written(tmp_path, code):
    path = tmp_path / "my_metric.py"
    path.write_text("import numpy as np\n" + textwrap.dedent(code), encoding="utf-8")
    return path


def test_five_lines_are_proved_and_refuted(tmp_path):
    path = written(
        tmp_path,
        """
        def my_metric(m):
            hits = np.diagonal(m, axis1=-2, axis2=-1)
            return (hits / m.sum(axis=-1)).sum(axis=-1) / m.shape[-1]
        """,
    )
    found = examine_user(path, "my_metric", sizes=(2, 3))
    assert found["prior-invariance"].grade == "proved"
    assert found["transposition"].grade == "refuted"
    assert found["transposition"].counterexample.exact
    assert found["one-class-failing"].grade == "proved"
    assert found.remarks == ()


def test_constants_roots_and_guards_keep_a_function_exact(tmp_path):
    path = written(
        tmp_path,
        """
        def my_metric(tp, fn, fp, tn):
            precision = np.where(tp + fp == 0, 0, tp / (tp + fp))
            return 0.1 * np.sqrt(tp / (tp + fn)) + 0.9 * precision
        """,
    )
    verdict = examine_user(path, "my_metric", ONE, (2,))["prior-invariance"]
    assert verdict.grade == "refuted"
    assert verdict.counterexample.exact
    one, other = verdict.counterexample.matrices
    assert one[0][0] / (one[0][0] + one[1][0]) != other[0][0] / (other[0][0] + other[1][0])


def test_wrong_only_with_four_classes(tmp_path):
    path = written(
        tmp_path,
        """
        def my_metric(m):
            value = (np.diagonal(m, axis1=-2, axis2=-1) / m.sum(axis=-1)).sum(axis=-1) / m.shape[-1]
            return value + m[..., 0, 0] / m.sum(axis=(-2, -1)) if m.shape[-1] == 4 else value
        """,
    )
    verdict = examine_user(path, "my_metric", ONE, (2, 3, 4))["prior-invariance"]
    assert verdict.grade == "refuted"
    assert [verdict.holds_at(c) for c in (2, 3, 4)] == [True, True, False]


def test_a_function_of_floats_only_is_graded_accordingly(tmp_path):
    path = written(
        tmp_path,
        "def my_metric(tp, fn, fp, tn):\n    return np.float64(tp) / (np.float64(tp) + np.float64(fn)) + 1e-9 * np.float64(tp) / (np.float64(tp) + np.float64(tn))\n",
    )
    found = examine_user(path, "my_metric", [property_named("prior-invariance"), property_named("p3")], (2,))
    assert found["prior-invariance"].grade == "refuted"
    assert not found["prior-invariance"].counterexample.exact
    assert found["p3"].grade == "not refuted"
    assert any("floats only" in remark for remark in found.remarks)


def test_a_branch_on_a_comparison_is_not_called_proved(tmp_path):
    path = written(
        tmp_path, "def my_metric(tp, fn, fp, tn):\n    return tp / (tp + fn) if tp > fn else tp / (tp + fn)\n"
    )
    assert examine_user(path, "my_metric", ONE, (2,))["prior-invariance"].grade == "not refuted"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise KeyError('no')", "raised KeyError on [[1, 1], [1, 1]]"),
        ("return m", "returned an array of shape (2, 2) for one matrix"),
        ("return np.random.rand(*m.shape[:-2])", "is not deterministic"),
        ("return np.full(m.shape[:-2], np.nan)", "returned NaN or infinity on every one"),
        ("return 'good'", "returned 'good'"),
        ("import os; os._exit(3)", "ended Python"),
        ("1 +", "cannot be loaded: SyntaxError"),
    ],
)
def test_what_a_function_does_wrong_is_said_in_words(tmp_path, body, words):
    path = written(tmp_path, f"def my_metric(m):\n    {body}\n")
    with pytest.raises(UserMeasureError) as caught:
        examine_user(path, "my_metric", ONE, (2,))
    assert words in str(caught.value)


def test_an_endless_loop_is_stopped(tmp_path):
    path = written(tmp_path, "def my_metric(m):\n    while True:\n        pass\n")
    start = time.monotonic()
    with pytest.raises(UserMeasureError, match="did not answer within 3 seconds when it was called on"):
        examine_user(path, "my_metric", ONE, (2,), first_answer=3.0)
    assert time.monotonic() - start < 30


def test_a_loop_that_comes_late_leaves_what_was_decided(tmp_path):
    path = written(
        tmp_path,
        """
        def my_metric(tp, fn, fp, tn):
            if np.ndim(tp) and np.max(tp) > 2_000_000:
                while True:
                    pass
            return tp / (fn + 1)
        """,
    )
    chosen = [property_named("p3"), property_named("bounded"), property_named("p2")]
    found = examine_user(path, "my_metric", chosen, (2,), seconds=6.0)
    assert found["p3"].grade == "not refuted"
    assert found["bounded"].grade == "timed out"
    assert found["p2"].grade == "not refuted"
    assert any("time of 6 seconds was up" in remark for remark in found.remarks)


def test_a_function_that_changes_its_mind_later_is_not_deterministic(tmp_path):
    path = written(
        tmp_path,
        """
        calls = []
        def my_metric(tp, fn, fp, tn):
            calls.append(1)
            return tp / (tp + fn) + (len(calls) > 20)
        """,
    )
    with pytest.raises(UserMeasureError, match="its values changed while it was examined"):
        examine_user(path, "my_metric", [property_named("p1"), property_named("p3")], (2,))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_processes_that_a_function_leaves_behind_do_not_hang_the_tool(tmp_path):
    path = written(
        tmp_path,
        """
        import os, time
        started = []
        def my_metric(tp, fn, fp, tn):
            if not started:
                started.append(1)
                if os.fork() == 0:
                    time.sleep(60)
                    os._exit(0)
            return tp / (tp + fn)
        """,
    )
    start = time.monotonic()
    assert examine_user(path, "my_metric", ONE, (2,))["prior-invariance"].grade == "not refuted"
    assert time.monotonic() - start < 30


def test_printing_does_not_disturb(tmp_path):
    path = written(
        tmp_path, "def my_metric(tp, fn, fp, tn):\n    print('hello')\n    return tp / (tp + fn)\n"
    )
    assert examine_user(path, "my_metric", ONE, (2,))["prior-invariance"].grade == "not refuted"


def test_names_of_files_and_functions_are_checked(tmp_path):
    assert parse("IAM") is None
    with pytest.raises(InputError, match="cannot be read"):
        parse("nowhere.py:f")
    path = written(tmp_path, "def other(m):\n    return 1.0\n")
    with pytest.raises(UserMeasureError, match="is not in the file; allowed: one of other"):
        examine_user(path, "my_metric", ONE, (2,))
    with pytest.raises(UserMeasureError, match="takes 3 arguments"):
        examine_user(written(tmp_path, "def f(a, b, c):\n    return 1\n"), "f", ONE, (2,))


DECLARED = """
import steelyard as sy

SHARE = 0.5


def found(c):
    return c.ratio(c.tp, c.positives, "there are no positives")


MINE = sy.two_class(
    id="mine", title="Mine", question="How much is found?", formula="tp/(tp+fn)", reads="tp / (tp + fn)", body=found
)
SNEAKY = sy.two_class(
    id="sneaky", title="Sneaky", question="How much is found?", formula="tp/(tp+fn)", reads="tp / (tp + fn)",
    body=lambda c: c.ratio(c.tp, c.positives, "there are no positives") + (str(c.tp) == "[7919.]"),
)
"""


def test_a_measure_that_a_file_declares_is_loaded_only_if_that_is_harmless(tmp_path):
    path = tmp_path / "declared.py"
    path.write_text(DECLARED, encoding="utf-8")
    assert leaves_when_loaded(path.read_bytes(), "MINE") == ""
    assert declared_measure(path, path.read_bytes(), "MINE").id == "mine"
    assert declared_measure(path, path.read_bytes(), "SNEAKY") is None  # its body leaves what can be proved
    assert "does not declare" in leaves_when_loaded(path.read_bytes(), "found")


@pytest.mark.parametrize(
    "more",
    [
        "import os\n",
        "from steelyard.measures import views\nviews.TwoClass.tp = 1\n",
        "sy.two_class = lambda **facts: None\n",
        "class Mine(sy.Measure):\n    pass\n",
        "MINE = sy.two_class(**{'id': 'other'})\n",
        "OTHER = sy.two_class(id=print('here'))\n",
        "def spy(c, box=[]):\n    return box\n",
        "def spy(c: print('here')):\n    return 1\n",
        "for k in (1, 2):\n    SHARE = k\n",
        "setattr(sy, 'measure', None)\n",
        "SHARE = 0.25\n",
    ],
)
def test_a_file_that_does_anything_else_is_not_loaded(tmp_path, more):
    path = tmp_path / "declared.py"
    path.write_text(DECLARED + more, encoding="utf-8")
    assert leaves_when_loaded(path.read_bytes(), "MINE")
    assert declared_measure(path, path.read_bytes(), "MINE") is None


# -- what a hostile file can try


def test_a_file_that_changes_while_it_is_examined_is_refused(tmp_path):
    """Loaded, it replaces itself by an honest text: what ran is not what would be read."""
    path = tmp_path / "mine.py"
    honest = "def f(tp, fn, fp, tn):\\n    return tp / (tp + fn)\\n"
    path.write_text(
        "import pathlib\n"
        "def f(tp, fn, fp, tn):\n    return tp / (tp + fn) + (float(tp.max()) == 7919)\n"
        f"pathlib.Path(__file__).write_text('{honest}')\n"
    )
    with pytest.raises(UserMeasureError, match="changed while it was examined"):
        examine_user(path, "f", ONE, (2,))


def test_a_compiled_copy_is_not_run_in_place_of_the_text(tmp_path):
    """Python would take the copy: it is as old and as long as the text says."""
    path = tmp_path / "mine.py"
    path.write_text("def f(tp, fn, fp, tn):\n    return tp / (tp + fp)\n")
    py_compile.compile(str(path))
    before = path.stat()
    path.write_text("def f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    verdict = examine_user(path, "f", ONE, (2,))["prior-invariance"]
    assert verdict.grade == "proved"
    assert verdict.conditions == ("tp + fn",)


def test_arguments_are_taken_by_their_names(tmp_path):
    """tn, fp, fn, tp is the order of scikit-learn's ravel."""
    path = tmp_path / "mine.py"
    path.write_text("def f(tn, fp, fn, tp):\n    return tp / (tp + fn)\n")
    verdict = examine_user(path, "f", ONE, (2,))["prior-invariance"]
    assert (verdict.grade, verdict.conditions) == ("proved", ("tp + fn",))


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(10**9):\n        return tp / (tp + fn)\n    return tp",
        "return (tp / (tp + fn)) ** (10**9)",
        "return (tp / (tp + fn)) ** 1e300",
        "return tp * (9**100) ** 100 / (tp + fn)",
        "x = 0 * tp\n    for i in range(30000):\n        x = x + tp\n    return x / (tp + fn)",
        "return (" + "+".join(["tp"] * 900) + ") / (tp + fn)",
        "return " + "-" * 800 + "tp / (tp + fn)",
    ],
)
def test_nothing_that_is_read_hangs_or_fills_the_memory(body):
    read = read_function(f"def f(tp, fn, fp, tn):\n    {body}\n".encode(), "f", True, False)
    words = read if isinstance(read, str) else disagreement(read, lambda m: read.floats(m), 2)
    assert words


def test_a_large_constant_is_not_taken_apart_for_ever():
    text = b"import numpy as np\ndef f(tp, fn, fp, tn):\n    return np.log(tp * 1000000000000000003) - np.log(tp + fn)\n"
    read = read_function(text, "f", True, False)
    assert disagreement(read, lambda m: read.floats(m), 2) == ""


@pytest.mark.parametrize(
    "text",
    [
        "def two_class(**facts):\n    return sy.two_class(**facts)\nMINE = two_class(id='mine')\n",
        "from steelyard import compare as two_class\nMINE = two_class(id='mine')\n",
        "def float(text):\n    return 1\nMINE = sy.two_class(id='mine', range=(0, float('inf')))\n",
        "def spy(*c: print('here')):\n    return 1\nMINE = sy.two_class(id='mine', body=spy)\n",
        "import numpy as sy2\nMINE = sy2.two_class(id='mine')\n",
    ],
)
def test_a_declaration_is_steelyards_own(text):
    """Anything else by that name would run beside the prover."""
    assert leaves_when_loaded(("import steelyard as sy\n" + text).encode(), "MINE")


@pytest.mark.parametrize("asks", ["c.arithmetic.is_nan({0})", "{0} != 1", "~({0} == 1)"])
def test_a_declared_measure_cannot_ask_whether_a_value_is_missing_inside(asks):
    """5 where tp is 7919, as a quotient is not there; a number that two matrices without zeros differ by."""
    needs("flint")
    rate = "c.ratio(c.tp, c.tp + c.fn, '')"
    asked = asks.format("c.ratio(c.tp - 7919, c.tp - 7919, '')")
    namespace = {}
    exec(f"f = lambda c: c.arithmetic.choose({asked}, c.number(5), {rate})\n", namespace)
    mine = two_class(id="mine", title="Mine", question="?", formula="", reads="", body=namespace["f"])
    subject = Subject(mine)

    def compute(owner, arithmetic, zeros):
        value = subject.symbol(generic_matrix(owner, 2, zeros), arithmetic)
        return value, value

    attempt = prove_equal(matrix_names(2), compute)
    assert not attempt.proved
    assert "some matrices without zeros" in attempt.method


def test_python_examines_a_function_of_a_file_and_properties_by_name(tmp_path: Path) -> None:
    """Recall does not depend on the class sizes, precision does."""
    file = tmp_path / "mine.py"
    file.write_text(
        "def found(tp, fn, fp, tn):\n    return tp / (tp + fn)\n\n\nright = lambda tp, fn, fp, tn: tp / (tp + fp)\n"
    )
    assert sy.examine(f"{file}:found", "prior-invariance")["prior-invariance"].grade != "refuted"
    assert sy.examine(f"{file}:right", ["Condition 1"]).verdicts[0].grade == "refuted"
    with pytest.raises(
        sy.InputError, match=r"not said; found .*mine\.py; allowed: .*mine\.py:found, .*mine\.py:right\."
    ):
        sy.examine(str(file))
    with pytest.raises(sy.InputError, match="no property 'prior-invariant'; did you mean 'prior-invariance'"):
        sy.examine("gmean", ["prior-invariant"])


def test_help_on_examine_is_short() -> None:
    assert len(str(inspect.signature(sy.examine))) < 200
