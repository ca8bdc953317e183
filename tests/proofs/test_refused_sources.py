"""Sources that a reading must refuse, and such that it may take: each a few lines, with the place that is named."""

from __future__ import annotations

import ast
import textwrap

import pytest

from steelyard.proofs.declared_file import declared_measure, leaves_when_loaded
from steelyard.proofs.files_beside import LARGEST, texts_beside
from steelyard.proofs.leaving import LeavesSubsetError, shown
from steelyard.proofs.python_subset import read_source
from steelyard.proofs.shared_values import check_aliases


def function(text: str) -> ast.FunctionDef:
    found = ast.parse(textwrap.dedent(text)).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


def test_pieces_of_source_are_short_and_printable():
    assert shown(ast.parse("a+b")) == "a + b"
    assert shown(ast.parse("a\nb").body[1]) == "b"
    exact = "x" * 50
    assert shown(ast.Name(exact)) == exact
    assert shown(ast.Name("x" * 51)) == "x" * 47 + "..."
    assert shown(ast.Name("a\x07b")) == "a?b"
    assert str(LeavesSubsetError(ast.parse("\n\nx").body[0], "a loop")) == "line 3, a loop"
    assert LeavesSubsetError(ast.Load(), "a loop").line == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(m):\n    return np.divide(a, b, out=c)", "line 2, `out=c`"),
        ("def f(m):\n    return np.divide(a, b, c)", "`divide` with a third argument"),
        ("def f(m):\n    return true_divide(a, b, c)", "`true_divide` with a third argument"),
        ("def f(m):\n    m[0] += 1\n    return m", "an array changed in place"),
        ("def f(m):\n    x = m\n    x += 1\n    return m", "`x += 1`"),
        ("def f(m):\n    x = y = 1\n    x += 1\n    return y", "`x += 1`"),
        ("def f(m):\n    x: float = m\n    x += 1\n    return m", "`x += 1`"),
        ("def f(m):\n    for x in m:\n        x += 1\n    return m", "`x += 1`"),
        ("def f(m):\n    return np.max(v for v in m)", "a generator that is not summed"),
        ("def f(m):\n    g = (v for v in m)\n    return sum(g)", "a generator that is not summed"),
        ("def f(m):\n    return np.sum(v for v in m)", "a generator that is not summed"),
        ("def f(m):\n    return np.divide(a, b, out=make(a))", "`out=make(a)`"),
    ],
)
def test_values_that_may_be_shared_are_refused(text, words):
    with pytest.raises(LeavesSubsetError) as caught:
        check_aliases(function(text), helper=False)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "def f(m):\n    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)",
        "def f(m):\n    return np.divide(a, b, out=ones_like(a))",
        "def f(m):\n    return np.divide(a, b)",
        "def f(m):\n    return np.where(a, b, c)",
        "def f(m):\n    x = 0\n    for v in m:\n        x += v\n    return x",
        "def f(m):\n    x = 0\n    x += 1\n    x += 2\n    return x",
        "def f(m):\n    x: float = 1 + 2\n    x += 1\n    return x",
        "def f(m):\n    x = -1\n    x -= 1\n    return x",
        "def f(m):\n    x: float\n    return sum(v for v in m)",
        "def f(tp, fn):\n    tp += 1\n    return tp / fn",
    ],
)
def test_values_of_their_own_are_taken(text):
    check_aliases(function(text), helper=False)


def test_arguments_of_a_helper_may_be_somebody_elses():
    with pytest.raises(LeavesSubsetError, match="another name"):
        check_aliases(function("def f(tp, *, fn):\n    fn += 1\n    return tp / fn"), helper=True)
    with pytest.raises(LeavesSubsetError, match="another name"):
        check_aliases(function("def f(tp, /, fn):\n    tp += 1\n    return tp / fn"), helper=True)
    check_aliases(function("def f(tp):\n    x = 0\n    x += tp\n    return x"), helper=True)


HEAD = "import numpy as np\nimport steelyard as sy\n"
DECLARED = "mine = sy.two_class(id='mine', symbol='M', title='Mine', range=(0, 1), body=lambda c: c.ratio(c.tp, c.total))\n"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + DECLARED,
        '"""A file."""\n' + HEAD + "LIMIT = -1\nPAIR = (1, [2, {'a': None}])\n" + DECLARED,
        HEAD + "def half(x: float, *rest: 'float') -> float:\n    return x / 2\n" + DECLARED,
        "import steelyard\nmine = steelyard.two_class(range=(0, float('inf')))\n",
        "import numpy as np\nfrom steelyard import two_class\nmine = two_class(range=(-np.inf, np.inf))\n",
        "from steelyard import two_class as t\nmine = t(range=(float('-inf'), 1))\n",
        "import numpy.typing as npt\nimport steelyard as sy\nmine = sy.class_mean(term=lambda c: c.hits)\n",
        "from __future__ import annotations\nfrom typing import Any\nimport steelyard as sy\nmine = sy.multi_class()\n",
    ],
)
def test_files_that_only_declare(text):
    assert leaves_when_loaded(text.encode(), "mine") == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import os\n" + HEAD + DECLARED, "line 1, `import os`"),
        ("import numpy.typing\n" + HEAD + DECLARED, "line 1, `import numpy.typing`"),
        ("from os import path\n" + HEAD + DECLARED, "`from os import ...`"),
        ("from steelyard import *\n" + DECLARED, "`from steelyard import ...`"),
        ("from . import steelyard\n" + DECLARED, "import ...`"),
        ("from .steelyard import two_class\n" + DECLARED, "`from steelyard import ...`"),
        (
            HEAD + "print('hello')\n" + DECLARED,
            "line 3, `print('hello')`, which runs when the file is loaded",
        ),
        (HEAD + "x = print('hello')\n" + DECLARED, "`print(...)`"),
        (HEAD + "x = 1 + 1\n" + DECLARED, "`1 + 1`"),
        (HEAD + "x = np.pi\n" + DECLARED, "`np.pi`"),
        (HEAD + "x = np.nan\n" + DECLARED, "`np.nan`"),
        (HEAD + "x = np.inf\nx = 2\n" + DECLARED, "line 4, `x`, which has more than one meaning"),
        (HEAD + "sum = 2\n" + DECLARED, "`sum`, which has more than one meaning"),
        (HEAD + "x = y = 2\n" + DECLARED, "`x = y = 2`"),
        (HEAD + "np.x = 2\n" + DECLARED, "`np.x = 2`"),
        (HEAD + "def f(x=1):\n    return x\n" + DECLARED, "a decorator or a default"),
        (HEAD + "def f(*, x=1):\n    return x\n" + DECLARED, "a decorator or a default"),
        (HEAD + "@np.vectorize\ndef f(x):\n    return x\n" + DECLARED, "a decorator or a default"),
        (HEAD + "def f(x: print('a')):\n    return x\n" + DECLARED, "an annotation that computes"),
        (HEAD + "def f(*x: print('a')):\n    return x\n" + DECLARED, "an annotation that computes"),
        (HEAD + "def f(x, *, y: print('a')):\n    return x\n" + DECLARED, "an annotation that computes"),
        (HEAD + "def f(x: print('a'), /):\n    return x\n" + DECLARED, "an annotation that computes"),
        (HEAD + "def f(**x: print('a')):\n    return x\n" + DECLARED, "an annotation that computes"),
        (HEAD + "def f(x) -> print('a'):\n    return x\n" + DECLARED, "an annotation that computes"),
        (HEAD + "def two_class(**k):\n    return k\nmine = two_class(a=1)\n", "`two_class(...)`"),
        (HEAD + "mine = sy.evaluate(range=1)\n", "`sy.evaluate(...)`"),
        (HEAD + "mine = np.two_class(range=1)\n", "`np.two_class(...)`"),
        (HEAD + "mine = sy.two_class('mine')\n", "`sy.two_class(...)`"),
        (HEAD + "mine = sy.two_class(**{'a': 1})\n", "`**`"),
        (HEAD + "mine = sy.two_class(body=lambda c, x=print('a'): x)\n", "a default"),
        (HEAD + "mine = sy.two_class(body=lambda c, *, x=print('a'): x)\n", "a default"),
        (HEAD + "mine = sy.two_class(range=[print('a')])\n", "`[print('a')]`"),
        (HEAD + "mine = sy.two_class(range=float('1'))\n", "`float('1')`"),
        (HEAD + "mine = 3\n", "`mine`, which the file does not declare in so many words"),
        (HEAD + DECLARED.replace("mine", "other"), "`mine`, which the file does not declare"),
        ("x ==", "what is not Python"),
    ],
)
def test_files_that_do_more(text, words):
    assert words in leaves_when_loaded(text.encode(), "mine")


def test_a_declared_measure_is_loaded_from_the_text_that_was_checked(tmp_path):
    text = """
import steelyard as sy
mine = sy.two_class(id="mine", symbol="M", title="Mine", asks="How often?", range=(0, 1), better="higher",
                    source="a paper", body=lambda c: c.ratio(c.tp, c.total))
"""
    path = tmp_path / "mine.py"
    path.write_text("raise SystemExit", encoding="utf-8")
    assert declared_measure(path, b"print('x')", "mine") is None
    assert declared_measure(path, b"import os\n" + text.encode(), "mine") is None


RECALL = "import numpy as np\ndef f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n"


@pytest.mark.parametrize(
    "text",
    [
        RECALL + "if __name__ == '__main__':\n    print(f(1, 2, 3, 4))\n",
        RECALL + "def g(x: np.ndarray, y: 'float | None' = 1.5, *, z=(1, -2)) -> float:\n    return x\n",
        RECALL + "SHARE = 0.5\n",
    ],
)
def test_files_with_a_function_that_can_be_read(text):
    assert "f" in read_source(text.encode(), "f").functions


@pytest.mark.parametrize(
    ("more", "words"),
    [
        # what runs when the file is loaded, though f does not reach it
        ("@np.vectorize\ndef g(x):\n    return x\n", "line 4, `@np.vectorize`"),
        ("def g(x=print('a')):\n    return x\n", "line 4, `print('a')` as a default"),
        ("def g(*, x=[]):\n    return x\n", "line 4, `[]` as a default"),
        ("def g(x: print('a')):\n    return x\n", "line 4, `print('a')` as an annotation"),
        ("def g(x) -> print('a'):\n    return x\n", "line 4, `print('a')` as an annotation"),
        ("if __name__ == '__main__' == print('a'):\n    pass\n", "line 4, `if __name__ =="),
        ("if __name__ != '__main__':\n    np.sqrt = abs\n", "line 4, `if __name__ !="),
        ("if __name__ == '__main__':\n    pass\nelse:\n    np.sqrt = abs\n", "line 4, `if __name__ =="),
        ("if __name__ == 'f':\n    pass\n", "line 4, `if __name__ =="),
    ],
)
def test_what_runs_when_the_file_is_loaded_is_refused(more, words):
    with pytest.raises(LeavesSubsetError) as caught:
        read_source((RECALL + more).encode(), "f")
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("branch", "words"),
    [
        ("return np.random.rand()", "line 4, `np.random.rand`"),
        ("return tp.real", "line 4, `tp.real`"),
        ("np.sqrt = abs", "line 4, `np.sqrt = ...`"),
    ],
)
def test_what_no_matrix_reaches_is_looked_at_too(branch, words):
    text = f"import numpy as np\ndef f(tp, fn, fp, tn):\n    if len(tp) > 99:\n        {branch}\n    return tp / (tp + fn)\n"
    with pytest.raises(LeavesSubsetError) as caught:
        read_source(text.encode(), "f")
    assert str(caught.value).startswith(words)


def test_two_functions_of_one_file_beside_and_of_files_that_share_one():
    beside = {
        "rates": b"def rate(a, b):\n    return a / (a + b)\ndef both(a, b):\n    return a + b\n",
        "middle": b"from rates import rate\ndef half(a, b):\n    return rate(a, b) / 2\n",
    }
    text = b"from rates import rate\nfrom rates import both\nfrom middle import half\ndef f(tp, fn, fp, tn):\n    return rate(tp, fn) + half(tp, both(fn, fp))\n"
    assert set(read_source(text, "f", beside).imported) == {"rate", "both", "half"}
    beside["rates"] = b"from middle import half\ndef rate(a, b):\n    return half(a, b)\n"
    with pytest.raises(LeavesSubsetError, match="which imports itself in a circle"):
        read_source(b"from middle import half\ndef f(tp, fn):\n    return half(tp, fn)\n", "f", beside)


@pytest.mark.parametrize(("more", "followed"), [(0, True), (1, False)])
def test_a_file_beside_it_may_have_a_million_bytes(tmp_path, more, followed):
    path = tmp_path / "mine_of_a_test.py"
    path.write_text("from helper_of_a_test import rate\n", encoding="utf-8")
    text = b"rate = 1\n"
    (tmp_path / "helper_of_a_test.py").write_bytes(text + b"#" * (LARGEST - len(text) + more))
    assert ("helper_of_a_test" in texts_beside(path, path.read_bytes())) is followed
