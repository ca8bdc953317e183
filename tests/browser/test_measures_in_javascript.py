"""A measure that wrote itself in JavaScript gives in a browser what it gives in Python, and the same words."""

from __future__ import annotations

import functools
import json
import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import steelyard as sy
from steelyard.errors import InputError
from steelyard.measures.javascript import is_writable, library_text
from tests.each import each

CLOSE = 1e-12
"""Of max(1, |value|)."""
CATALOGUE = [m for m in sy.catalogue(wide=True) if m.kind != "scores"]

RUN = """([text, wordy, matrices]) => {
  const plain = (0, eval)(text), told = (0, eval)(wordy);
  return JSON.stringify(JSON.parse(matrices).map((rows) => {
    const { value, why } = told(rows, {});
    return [String(value), why, Object.is(value, plain(rows))];
  }));
}"""
"""Matrices go there and results come back as one text: Playwright takes far longer over thousands of numbers."""


FEW_SIZES = (2, 3, 5, 12)
"""Python computes all matrices of one size at once."""
ALL_SIZES = tuple(range(2, 13))


@functools.cache
def drawn(number: int, seed: int, sizes: tuple[int, ...] = FEW_SIZES) -> list[list[list[float]]]:
    """Matrices of as many classes: small, with empty rows and columns, huge, tiny, fractional, wrong in one way."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(number):
        size = int(rng.choice(sizes))
        shape = (size, size)
        some = rng.random(shape) < 0.25
        one_column = np.zeros(shape)
        one_column[:, rng.integers(size)] = rng.integers(0, 100, size)
        kinds = (
            rng.integers(0, 4, shape),
            rng.integers(0, 100, shape) * some,
            rng.random(shape) * rng.choice([1.0, 10.0, 1e5]),
            rng.random(shape) * some,
            np.floor(rng.random(shape) * 2.0**52 / size**2),
            rng.integers(0, 50, shape) * 10.0 ** rng.integers(0, 10, (size, 1)),
            rng.random(shape) * 10.0 ** float(rng.integers(120, 300)),
            rng.random(shape) * 10.0 ** -float(rng.integers(50, 290)),
            np.diag(rng.integers(0, 100, size)),
            one_column,
            np.zeros(shape) if k % 5 == 0 else rng.integers(0, 2, shape) * some,
        )
        found.append(np.asarray(kinds[k % len(kinds)], dtype=float).tolist())
    return found


@pytest.fixture(scope="module")
def blank(chromium: Browser) -> Any:
    page = chromium.new_page()
    page.goto("about:blank")
    yield page
    page.close()


def results_of(page: Page, texts: list[str], matrices: list[Any]) -> list[tuple[float, str | None, bool]]:
    """Of each matrix the value, why there is none, and whether the function without words has the same value."""
    told = json.loads(page.evaluate(RUN, [*texts, json.dumps(matrices)]))
    return [(float(value), why, same) for value, why, same in told]


def compare(page: Page, measure: sy.Measure, matrices: list[list[list[float]]]) -> list[str]:
    """What differs between the browser and Python."""
    texts = [measure.to_javascript(), measure.to_javascript(words=True)]
    results = results_of(page, texts, matrices)
    by_size = defaultdict(list)
    for k, rows in enumerate(matrices):
        by_size[len(rows)].append(k)
    differing = []
    for size, places in by_size.items():
        batch = np.array([matrices[k] for k in places])
        positive = f"c{size}" if measure.kind == "two-class" else None
        with np.errstate(all="ignore"):  # weights that a measure of sizes cannot be scaled for
            values = measure(batch, positive=positive)
            reasons = measure.why_undefined(batch, positive=positive)
        for k, value, why in zip(places, values, reasons, strict=True):
            there, said, same = results[k]
            close = (math.isnan(value) and math.isnan(there)) or value == there
            close = close or abs(value - there) <= CLOSE * max(1.0, abs(value))
            if not (close and said == why and same):
                differing.append(f"{measure.name} on {matrices[k]}: {value} {why}, {there} {said} {same}")
    return differing


@each("measure", CATALOGUE, ids=lambda m: m.name)
def test_a_sample_agrees(blank: Page, measure: sy.Measure) -> None:
    assert not compare(blank, measure, drawn(22, seed=16))[:3]


@pytest.mark.whole
@pytest.mark.parametrize("measure", CATALOGUE, ids=lambda m: m.name)
def test_five_thousand_matrices_agree(blank: Page, measure: sy.Measure) -> None:
    assert not compare(blank, measure, drawn(5500, 2026, ALL_SIZES))[:3]


SCALED = [m for m in CATALOGUE if m.worst_and_best(3) is not None]


@each(
    "measure",
    [
        *(sy.normalised(m) for m in SCALED),
        *(sy.measure(f"balanced({name})") for name in ("mcc", "f_beta", "confusion_entropy", "macro_mae")),
        *(sy.measure(f"one_versus_all({name}, micro)") for name in ("mcc", "precision")),
        *(
            sy.measure(f"one_versus_all({name}, prevalence)")
            for name in ("mcc", "gmean", "balanced_precision")
        ),
        *(
            sy.one_versus_all(m)
            for m in CATALOGUE
            if m.kind == "multi-class" and is_writable(sy.one_versus_all(m))
        ),
        *(sy.measure(f"one_versus_one({name}, macro)") for name in ("precision", "kappa")),
        sy.measure("one_versus_one(precision, prevalence)"),
        sy.measure("one_versus_all(precision at priors 0.01, macro)"),
        sy.measure("iba(mcc, alpha=0.1)"),
        sy.measure("precision at priors 0.001"),
        sy.measure("f_beta", beta=2),
    ],
    ids=lambda m: m.name,
)
def test_what_operators_make_agrees(blank: Page, measure: sy.Measure) -> None:
    assert not compare(blank, measure, drawn(22, seed=8))[:3]


LABELS = ["ham", "spam", "</script><b>'\u2028{label}"]
ROWS = [[80, 15, 5], [3, 40, 2], [1, 0, 9]]
HOLLOW = [[80, 15, 5], [3, 40, 2], [0, 0, 0]]


@pytest.mark.parametrize(
    "measure",
    [
        sy.measure("CBA").at_priors(dict(zip(LABELS, [0.9, 0.099, 0.001], strict=True))),
        sy.measure("macro_recall").weighted_by(dict(zip(LABELS, [0.1, 0.5, 1.0], strict=True))),
        sy.measure("gmean").weighted_by([0.0, 0.5, 1.0]),
        sy.measure("accuracy").at_priors([0.5, 0.3, 0.2]),
    ],
    ids=lambda m: m.id,
)
@pytest.mark.parametrize("rows", [ROWS, HOLLOW], ids=["whole", "hollow"])
def test_priors_and_relevance_by_label(blank: Page, measure: sy.Measure, rows: list[list[int]]) -> None:
    texts = [measure.to_javascript(labels=LABELS), measure.to_javascript(labels=LABELS, words=True)]
    assert "<" not in texts[0].replace("<=", "").replace("< ", "")  # a name cannot end a script
    [(value, why, same)] = results_of(blank, texts, [rows])
    cm = sy.Confusion(rows, labels=LABELS)
    assert same
    assert why == measure.why_undefined(cm)
    assert math.isclose(value, measure(cm), rel_tol=CLOSE) or (math.isnan(value) and math.isnan(measure(cm)))


@pytest.mark.parametrize("positive", ["fraud", "ok"])
@pytest.mark.parametrize("name", ["precision", "f_beta", "p4", "gilbert_skill_score"])
def test_priors_by_label_go_to_the_class_they_were_given_for(blank: Page, name: str, positive: str) -> None:
    labels, rows = ["ok", "fraud"], [[895, 5], [40, 60]]
    measure = sy.measure(name).at_priors({"fraud": 0.001, "ok": 0.999})
    expected = measure(sy.Confusion(rows, labels=labels), positive=positive)
    texts = [measure.to_javascript(labels=labels, positive=positive, words=words) for words in (False, True)]
    asked = measure.to_javascript(labels=labels, words=True)
    run = "([text, rows, options]) => { const found = (0, eval)(text)(rows, options); return found.value ?? found }"
    for text, options in ((texts[0], {}), (texts[1], {}), (asked, {"positive": labels.index(positive)})):
        assert blank.evaluate(run, [text, rows, options]) == pytest.approx(expected, rel=1e-12)


def test_a_class_that_holds_nothing_but_has_a_prior(blank: Page) -> None:
    measure = sy.measure("accuracy").at_priors([0.5, 0.3, 0.2])
    rows = [[80, 15, 0], [3, 40, 0], [0, 0, 0]]
    texts = [measure.to_javascript(), measure.to_javascript(words=True)]
    [(value, why, _)] = results_of(blank, texts, [rows])
    assert math.isnan(value)
    assert why == measure.why_undefined(rows)


def test_the_positive_class_is_the_last_unless_asked_otherwise(blank: Page) -> None:
    recall = sy.measure("recall")
    rows = [[90, 10], [30, 870]]
    run = "([text, rows]) => (0, eval)(text)(rows)"
    assert blank.evaluate(run, [recall.to_javascript(), rows]) == 870 / 900
    assert blank.evaluate(run, [recall.to_javascript(positive="c1"), rows]) == 90 / 100
    named = recall.to_javascript(labels=["fraud", "ok"], positive="fraud")
    assert blank.evaluate(run, [named, rows]) == 90 / 100


def test_a_library_of_every_measure_weighs_means_by_relevance(blank: Page) -> None:
    text = library_text(CATALOGUE)
    scores = [0.2, 0.3, 1.0]
    there = blank.evaluate(
        "([text, rows, weights]) => Object.entries((0, eval)(text)).map(([name, f]) => [name, f(rows, { weights }).value])",
        [text, ROWS, scores],
    )
    assert len(there) == len(CATALOGUE)
    for name, value in there:
        measure = sy.measure(name)
        if measure.over_classes:
            assert math.isclose(value, measure.weighted_by(scores)(ROWS), rel_tol=CLOSE), name


FORMULAS = [
    "tp / (tp + fn)",
    "sqrt(tp * tn) ^ (1/2) - abs(fp - fn)",
    "max(tp, fn, fp) / min(tp, tn)",
    "mean(hits / max(actual, predicted))",
    "geometric_mean(hits / actual) * C ^ -2",
    "sum(log(hits / n)) / product(actual / n)",
    "log(n) / (n - C)",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_a_measure_like_any_other(blank: Page, text: str) -> None:
    from steelyard.measures.formula import formula_measure

    assert not compare(blank, formula_measure(text), [m for m in drawn(55, seed=3) if len(m) == 2] * 2)[:3]


def test_what_cannot_be_written_is_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match="roc_auc cannot be written in JavaScript"):
        sy.measure("roc_auc").to_javascript()
    counted = sy.multi_class(
        id="own", title="Own", question="Own?", formula="x", reads="x", body=lambda c: c.total * len(c.hits)
    )
    with pytest.raises(InputError, match="own cannot be written in JavaScript"):
        counted.to_javascript()
    chosen = sy.two_class(
        id="own",
        title="Own",
        question="Own?",
        formula="x",
        reads="x",
        body=lambda c: c.counts if (c.counts > 1) else c.fn,
    )
    with pytest.raises(InputError, match="a branch on an array"):
        chosen.to_javascript()
    by_class = sy.multi_class(
        id="own", title="Own", question="Own?", formula="x", reads="x", body=lambda c: c.hits / c.total
    )
    with pytest.raises(InputError, match="one value a class"):
        by_class.to_javascript()
    with pytest.raises(InputError, match="needs the labels"):
        sy.measure("CBA").at_priors({"a": 0.5, "b": 0.5}).to_javascript()
    with pytest.raises(InputError, match="not known without labels"):
        sy.measure("recall").to_javascript(positive="fraud")
