"""A measure written in JavaScript gives what it gives in Python, in whatever runs JavaScript: here Node, which needs no browser."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.errors import InputError
from steelyard.measures.formula import formula_measure
from tests.real_parts import absent, needs

CATALOGUE = [m for m in sy.catalogue(wide=True) if m.kind != "scores"]
RUN = """
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(jobs.map(([text, rows]) => {
  const found = (0, eval)(text)(rows);
  return typeof found === "number" ? [String(found), null] : [String(found.value), found.why];
})));
"""
MATRICES: tuple[list[list[int]], ...] = (
    [[8, 2], [10, 30]],
    [[0, 0], [3, 4]],
    [[0, 3], [0, 4]],
    [[0, 5], [7, 0]],
    [[5, 1, 2], [3, 40, 4], [6, 7, 50]],
    [[5, 1, 2], [0, 0, 0], [1, 3, 6]],
    [[5, 1, 0], [2, 3, 0], [0, 0, 0]],
)


def node() -> str:
    """The Node of this machine, or the one that Playwright brings along."""
    found = shutil.which("node") or shutil.which(
        "node", path=Path(needs("playwright").__file__).parent / "driver"
    )
    return found or absent("there is no Node here")


def run(*jobs: tuple[str, Any]) -> list[tuple[float, str | None]]:
    """The value and the words of each function on its matrix."""
    done = subprocess.run([node(), "-e", RUN], input=json.dumps(jobs), capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return [(float(value), why) for value, why in json.loads(done.stdout)]


def alike(there: float, here: float) -> bool:
    return (math.isnan(there) and math.isnan(here)) or there == pytest.approx(here, rel=1e-12, abs=1e-12)


def test_every_measure_gives_its_exact_value_and_its_words() -> None:
    asked = [(measure, rows) for measure in CATALOGUE for rows in MATRICES]
    texts = {m.id: (m.to_javascript(), m.to_javascript(words=True)) for m in CATALOGUE}
    plain = run(*((texts[measure.id][0], rows) for measure, rows in asked))
    told = run(*((texts[measure.id][1], rows) for measure, rows in asked))
    for (measure, rows), (value, _), (again, why) in zip(asked, plain, told, strict=True):
        positive = f"c{len(rows)}" if measure.kind == "two-class" else None
        assert alike(value, float(measure.exact(rows, positive=positive))), (measure.id, rows)
        assert alike(again, value), (measure.id, rows)
        assert why == measure.why_undefined(np.array(rows), positive=positive), (measure.id, rows)


def test_formulas_by_hand() -> None:
    """tp = 30, fn = 10, fp = 2, tn = 8: the last class is the positive one."""
    by_hand = {
        "tp / (tp + fn)": 30 / 40,
        "sqrt(tp * tn) - abs(fp - fn)": math.sqrt(240) - 8,
        "abs(log(tp / (tp + fp)))": -math.log(30 / 32),
        "max(tp, fn, fp) / min(tp, tn)": 30 / 8,
        "(tp / (tp + fn)) ^ (1/2)": math.sqrt(0.75),
        "C ^ -2 * mean(hits / actual)": (0.75 + 0.8) / 2 / 4,
        "geometric_mean(hits / actual) ^ (3/2)": (0.75 * 0.8) ** 0.75,
        "sum(hits / n) - product(actual / n)": 38 / 50 - 40 * 10 / 2500,
    }
    found = run(*((formula_measure(text).to_javascript(), MATRICES[0]) for text in by_hand))
    for (text, expected), (value, _) in zip(by_hand.items(), found, strict=True):
        assert value == pytest.approx(expected, rel=1e-13), text


def test_powers_of_means_by_hand() -> None:
    """tp tn - fn fp = 6; the products of the sums are 9 and 8."""
    wanted = sy.measure("generalised_means", r=2).to_javascript()
    ((value, _),) = run((wanted, [[3, 0], [1, 2]]))
    assert value == pytest.approx(6 / math.sqrt((81 + 64) / 2), rel=1e-13)


LABELS = ["ham", "spam", "phish"]
ROWS = [[80, 15, 5], [3, 40, 7], [1, 0, 9]]


def test_priors_and_relevance_by_hand() -> None:
    """Recalls are 8/10, 8/10 and 9/10."""
    by_label = dict(zip(LABELS, [0.5, 0.3, 0.2], strict=True))
    accuracy, recall = sy.measure("accuracy"), sy.measure("macro_recall")
    relevance = {"phish": 1.0, "ham": 0.25, "spam": 0.75}
    found = run(
        (accuracy.at_priors(by_label).to_javascript(labels=LABELS), ROWS),
        (accuracy.at_priors([0.5, 0.3, 0.2]).to_javascript(), ROWS),
        (recall.weighted_by(relevance).to_javascript(labels=LABELS), ROWS),
    )
    assert [value for value, _ in found] == pytest.approx([0.82, 0.82, (0.8 * 1 + 0.9 * 1) / 2], rel=1e-13)


@pytest.mark.parametrize(
    ("positive", "recall", "fallout", "prior"), [("ok", 0.9, 0.4, 0.99), ("fraud", 0.6, 0.1, 0.01)]
)
def test_priors_of_two_by_label(positive: str, recall: float, fallout: float, prior: float) -> None:
    measure = sy.measure("precision").at_priors({"fraud": 0.01, "ok": 0.99})
    text = measure.to_javascript(labels=["ok", "fraud"], positive=positive)
    ((value, _),) = run((text, [[90, 10], [40, 60]]))
    called = prior * recall
    assert value == pytest.approx(called / (called + (1 - prior) * fallout), rel=1e-13)


def test_reasons_name_the_class() -> None:
    recall = sy.measure("macro_recall")
    rows = [[80, 15, 5], [0, 0, 0], [1, 0, 9]]
    named = recall.to_javascript(labels=LABELS, words=True)
    unknown = sy.measure("accuracy").at_priors([0.5, 0.3, 0.2]).to_javascript(labels=LABELS, words=True)
    found = run((named, rows), (unknown, rows), (recall.to_javascript(words=True), rows))
    assert all(math.isnan(value) for value, _ in found)
    assert found[0][1] == "there are no examples of class 'spam'"
    assert "class 'spam'" in str(found[1][1])
    assert found[2][1] == "there are no examples of class 'c2'"


def test_a_quotient_by_the_columns_names_the_class_of_the_column() -> None:
    """Nothing is called b; of what is called a and c all shares add up to 1."""
    shares = sy.multi_class(
        id="own",
        title="Own",
        question="Own?",
        formula="x",
        reads="x",
        body=lambda c: c.mean(c.ratio(c.counts, c.predicted[None, :], "never {label}").sum(axis=0)),
    )
    text = shares.to_javascript(labels=["a", "b", "c"], words=True)
    hollow, whole = run((text, [[3, 0, 1], [2, 0, 4], [1, 0, 5]]), (text, [[3, 1, 1], [2, 0, 4], [1, 0, 5]]))
    assert math.isnan(hollow[0])
    assert hollow[1] == "never class 'b'"
    assert whole == (pytest.approx(1), None)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda c: c.tp + "one", "a value of type str"),
        (lambda c: c.counts if (c.counts > 1) else c.fn, "a branch on an array"),
        (lambda c: c.counts.sum(axis=2), "a sum over axis 2 of 2"),
        (lambda c: c.counts, "one value a class"),
    ],
)
def test_what_cannot_be_written_is_said(body: Any, words: str) -> None:
    own = sy.two_class(id="own", title="Own", question="Own?", formula="x", reads="x", body=body)
    with pytest.raises(InputError, match=words):
        own.to_javascript()


def test_a_body_may_ask_how_many_classes_there_are_and_add_everything_up() -> None:
    own = sy.multi_class(
        id="own",
        title="Own",
        question="Own?",
        formula="x",
        reads="x",
        body=lambda c: c.counts.sum() if c.n_classes > 2 else abs(c.hits.sum() - c.total),
    )
    found = run(*((own.to_javascript(), rows) for rows in ([[1, 2], [3, 4]], ROWS)))
    assert [value for value, _ in found] == [5, 160]


def test_priors_of_other_classes_are_refused_as_in_python() -> None:
    """Three priors say nothing of two classes: Python raises, and so does the function."""
    at = sy.measure("macro_precision").at_priors([0.2, 0.3, 0.5])
    three = [[5, 1, 2], [3, 40, 4], [6, 7, 50]]
    ((value, _),) = run((at.to_javascript(), three))
    assert value == pytest.approx(at(three), rel=1e-12)
    with pytest.raises(InputError, match="3 priors for 2 classes"):
        at([[8, 2], [10, 30]])
    for words in (False, True):
        with pytest.raises(AssertionError, match="RangeError: 3 numbers for 2 classes"):
            run((at.to_javascript(words=words), [[8, 2], [10, 30]]))


def test_relevance_of_a_class_and_of_the_rest() -> None:
    """macro_mae of each class against the rest, by hand: (fn / t + fp / (n - t) / 2) / 1.5, weighted by t."""
    measure = sy.one_versus_all(sy.weighted_by("macro_mae", [1, 0.5]), "prevalence")
    rows = [[5, 1, 2], [3, 40, 4], [6, 7, 50]]
    sides = [(8, 3, 9), (47, 7, 8), (63, 13, 6)]  # examples, misses and false alarms of each class of 118
    expected = sum(t * (fn / t + 0.5 * fp / (118 - t)) / 1.5 for t, fn, fp in sides) / 118
    ((value, _),) = run((measure.to_javascript(), rows))
    assert value == pytest.approx(expected, rel=1e-12)
    assert measure(rows) == pytest.approx(expected, rel=1e-12)
    assert float(measure.exact(rows)) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InputError, match="cannot be given to each class against the rest"):
        sy.one_versus_all(sy.weighted_by("macro_mae", [1, 0.5, 0.5]))(rows)
