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
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.user_measure import UserMeasureError, examine_user, parse
from tests.forked_answers import forked_answers as forked_answers

pytestmark = pytest.mark.usefixtures("forked_answers")
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
    assert found["prior-invariance"].grade == "proved of the formula"
    assert found["prior-invariance"].classes == "every C"
    assert found["transposition"].grade == "refuted"
    assert found["transposition"].counterexample.exact
    assert found["one-class-failing"].grade == "proved of the formula"
    assert found.remarks == ("this is what was examined: mean(hits / actual)",)


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
        "def my_metric(tp, fn, fp, tn):\n    return round(tp / (tp + fn), 12) + 1e-6 * tp / (tp + tn)\n",
    )
    found = examine_user(path, "my_metric", [property_named("prior-invariance"), property_named("p3")], (2,))
    assert found["prior-invariance"].grade == "refuted"
    assert not found["prior-invariance"].counterexample.exact
    assert found["p3"].grade == "not refuted"
    assert any("could not be traced (line 3" in remark for remark in found.remarks)


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
    with pytest.raises(
        UserMeasureError, match="did not answer within 1 seconds when it was loaded and traced"
    ):
        examine_user(path, "my_metric", ONE, (2,), first_answer=1.0)
    assert time.monotonic() - start < 30


def test_a_loop_that_comes_late_is_found_when_the_formula_is_compared(tmp_path):
    path = written(
        tmp_path,
        """
        def my_metric(tp, fn, fp, tn):
            if np.ndim(tp) and np.max(tp) > 2_000_000:
                import time
                while True:
                    time.sleep(0.1)
            return tp / (fn + 1)
        """,
    )
    with pytest.raises(UserMeasureError, match="when it was compared with its formula"):
        examine_user(path, "my_metric", [property_named("p3")], (2,), first_answer=4.0)


def test_a_function_that_changes_its_mind_later_is_not_its_formula(tmp_path):
    path = written(
        tmp_path,
        """
        calls = []
        def my_metric(tp, fn, fp, tn):
            calls.append(1)
            return tp / (tp + fn) + (len(calls) > 5)
        """,
    )
    with pytest.raises(UserMeasureError, match="is not the formula it was traced to"):
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
    assert examine_user(path, "my_metric", ONE, (2,))["prior-invariance"].grade == "proved of the formula"
    assert time.monotonic() - start < 30


def test_printing_does_not_disturb(tmp_path):
    path = written(
        tmp_path, "def my_metric(tp, fn, fp, tn):\n    print('hello')\n    return tp / (tp + fn)\n"
    )
    assert examine_user(path, "my_metric", ONE, (2,))["prior-invariance"].grade == "proved of the formula"


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


def found(c):
    return c.ratio(c.tp, c.positives, "there are no positives")


MINE = sy.two_class(
    id="mine", title="Mine", question="How much is found?", formula="tp/(tp+fn)", reads="tp / (tp + fn)", body=found
)


class Lying(type(MINE)):
    def __call__(self, *given, **options):
        return 7.0


LYING = Lying(**{k: v for k, v in vars(MINE).items()})
"""


def test_a_measure_that_a_file_declares_is_its_graph(tmp_path):
    """A class of its own is a function like any other: its values are not those of the graph it carries."""
    path = tmp_path / "declared.py"
    path.write_text(DECLARED, encoding="utf-8")
    found = examine_user(path, "MINE", ONE, (2,))
    assert found["prior-invariance"].grade == "proved"
    assert found.remarks[0] == "this is what was examined: tp / (tp + fn)"
    try:
        grade = examine_user(path, "LYING", ONE, (2,))["prior-invariance"].grade
    except UserMeasureError:
        return
    assert grade != "proved"


# -- what a hostile file can try


def test_a_file_that_changes_while_it_is_examined_is_examined_as_it_was(tmp_path):
    """Loaded, it replaces itself by an honest text, which no process runs."""
    path = tmp_path / "mine.py"
    honest = "def f(tp, fn, fp, tn):\\n    return tp / (tp + fn)\\n"
    path.write_text(
        "import pathlib\n"
        "def f(tp, fn, fp, tn):\n    return tp / (tp + fp) + round(0.0)\n"
        f"pathlib.Path(__file__).write_text('{honest}')\n"
    )
    assert examine_user(path, "f", ONE, (2,))["prior-invariance"].grade == "refuted"


def test_a_compiled_copy_is_not_run_in_place_of_the_text(tmp_path):
    """Python would take the copy: it is as old and as long as the text says."""
    path = tmp_path / "mine.py"
    path.write_text("def f(tp, fn, fp, tn):\n    return tp / (tp + fp)\n")
    py_compile.compile(str(path))
    before = path.stat()
    path.write_text("def f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    verdict = examine_user(path, "f", ONE, (2,))["prior-invariance"]
    assert verdict.grade == "proved of the formula"
    assert verdict.conditions == ("tp + fn",)


def test_arguments_are_taken_by_their_names(tmp_path):
    """tn, fp, fn, tp is the order of scikit-learn's ravel."""
    path = tmp_path / "mine.py"
    path.write_text("def f(tn, fp, fn, tp):\n    return tp / (tp + fn)\n")
    verdict = examine_user(path, "f", ONE, (2,))["prior-invariance"]
    assert (verdict.grade, verdict.conditions) == ("proved of the formula", ("tp + fn",))


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
