"""@steelyard/core in Node: the values, reasons and thresholds of Python, from the built file."""

from __future__ import annotations

import functools
import gzip
import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from studies.intervals_in_javascript import cases, compare
from tests.measures.test_in_javascript import node
from tools.write_js import PACKAGE, WRITTEN, written


def run(script: str, data: Any = None) -> Any:
    """What a module that imports the package writes as JSON."""
    code = f"""
import {{ readFileSync }} from "node:fs";
import * as sy from {json.dumps((PACKAGE / "index.js").as_uri())};
const data = JSON.parse(readFileSync(0, "utf8"));
const answer = (() => {{ {script} }})();
console.log(JSON.stringify(answer, (_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x)));
"""
    done = subprocess.run(
        [node(), "--input-type=module", "-e", code], input=json.dumps(data), capture_output=True, text=True
    )
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", WRITTEN)
def test_the_files_are_up_to_date(name: str) -> None:
    assert (PACKAGE / name).read_text(encoding="utf-8") == WRITTEN[name](), "run python -m tools.write_js"


def test_it_is_small() -> None:
    assert len(gzip.compress((PACKAGE / "index.js").read_bytes(), 9)) <= 40_000


def test_every_metric_equals_python() -> None:
    """To 1e-12 on random matrices of two to five classes, empty rows and columns among them."""
    rng = np.random.default_rng(11)
    sizes = rng.integers(2, 6, 40)
    matrices = [(rng.integers(0, 60, (c, c)) * (rng.random((c, c)) < 0.8)).tolist() for c in sizes]
    measures = written()
    ids = [m.id for m in measures]
    answer = run(
        "return data.matrices.map((m) => data.ids.map((id) => sy.metric(id, m, { positive: 'c1' })));",
        {"matrices": matrices, "ids": ids},
    )
    for matrix, found in zip(matrices, answer, strict=True):
        counts = np.array(matrix)
        for m, value in zip(measures, found, strict=True):
            positive = "c1" if m.kind == "two-class" else None
            expected = float(m(counts, positive=positive))
            there = float(value["value"])
            if math.isnan(expected):
                assert math.isnan(there), (m.id, matrix)
                assert value["why"] == m.why_undefined(counts, positive=positive)
            else:
                assert there == pytest.approx(expected, rel=1e-12, abs=1e-12), (m.id, matrix)


def test_counting_aliases_and_the_positive_class() -> None:
    truth, pred = ["b", "a", "b", "c"], ["b", "b", "b", "a"]
    assert run("return sy.confusion(data[0], data[1]).rows", [truth, pred]) == (
        sy.Confusion.from_labels(truth, pred).counts.tolist()
    )
    rows = [[90, 10], [30, 870]]
    named = [["fraud", "ok"], [0, 1], ["no", "positive"], ["True", "False"], ["a", "b"]]
    found = run(
        "return data[0].map((labels) => sy.metric('f1', { labels, rows: data[1] }).value)", [named, rows]
    )
    for labels, answer in zip(named, found, strict=True):
        matrix = sy.Confusion(rows, labels)
        expected = sy.measure("f1")(matrix, positive=matrix.positive_class(None).label)
        assert answer == pytest.approx(expected, rel=1e-12), labels


def test_intervals_and_paired_differences_equal_python() -> None:
    """A sample of studies/intervals_in_javascript.py, to 1e-9 with the same seed: every metric, two to ten classes."""
    compared, different, _ = compare(cases(np.random.default_rng(3), 0, 9, 200))
    assert compared > 2_000
    assert not different


def test_intervals_of_many_classes_break_sticks_as_python_does() -> None:
    """More than twelve classes: the empty cells of a row share a stick."""
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 9, (15, 15)) * (rng.random((15, 15)) < 0.3) + 40 * np.eye(15, dtype=int)
    made = {"rows": counts.tolist(), "labels": [f"c{k}" for k in range(15)]}
    compared, different, _ = compare([{**made, "options": {"seed": 2, "draws": 600, "design": "sample"}}])
    assert compared > 100
    assert not different


def test_classes_that_attract_equally_many_errors_are_drawn_alike() -> None:
    """Two cells of equal probability meet at one half: rounding in the last digit decided which of them was drawn."""
    rows = [[0] * 7 for _ in range(7)]
    for i, places in enumerate(((0, 5), (1, 4, 6), (), (1, 2, 4), (0, 4, 6), (2, 3), (3, 4))):
        for j in places:
            rows[i][j] = 1
    options = {"seed": 788, "draws": 200, "design": "sample"}
    made = {"rows": rows, "labels": [f"c{k + 1}" for k in range(7)], "options": options}
    compared, different, _ = compare([made])
    assert (compared > 100, different) == (True, 0)


def test_what_has_no_interval_says_why() -> None:
    answer = run("return sy.interval('gmean', [[1.5, 1], [1, 3]])")
    assert (answer["low"], answer["why"]) == (
        "NaN",
        "sums of weights do not say how many examples there are",
    )
    undefined = run("return sy.interval('precision', [[5, 0], [5, 0]], { positive: 'c2' })")
    assert (undefined["estimate"], undefined["low"]) == ("NaN", "NaN")
    assert undefined["why"] == "the metric is undefined here"
    same = run("return sy.differences([0, 1, 1], [0, 1, 0], [0, 1, 0]).gmean")
    assert (same["low"], same["high"]) == (0, 0)
    assert "identical" in same["why"]
    rows = json.dumps(np.eye(41, dtype=int).tolist())
    assert "more than 40 classes" in run(f"return sy.interval('gmean', {rows}).why")


def test_thresholds_equal_python() -> None:
    rng = np.random.default_rng(5)
    truth = (rng.random(200) < 0.2).astype(int)
    scores = np.round(0.3 * truth + rng.random(200), 2)  # with ties
    names = ["gmean", "f1", "mcc", "error_rate"]
    answers_of = run(
        "return data[2].map((maximise) => sy.bestThreshold(data[0], data[1], { positive: 1, maximise }))",
        [truth.tolist(), scores.tolist(), names],
    )
    for name, answer in zip(names, answers_of, strict=True):
        best = sy.best_threshold(sy.ScoreCounts.from_scores(truth, scores, 1), name, replicates=0)
        assert answer["value"] == pytest.approx(best.value, rel=1e-12)
    assert len(run("return sy.sweep(data[0], data[1], 1)", [truth.tolist(), scores.tolist()])) == (
        1 + len(np.unique(scores))
    )


REFUSED = [
    ("sy.metric('gmaen', [[1, 0], [0, 1]])", "no metric gmaen"),
    ("sy.metric('gmean', [[1, 0]])", "C rows of C counts"),
    ("sy.metric('gmean', [[1, -1], [0, 1]])", "at least 0"),
    ("sy.metric('recall', [[1, 0, 0], [0, 1, 0], [0, 0, 1]])", "positive class"),
    ("sy.metric('recall', [[1, 0], [0, 1]], { positive: 'x' })", "no class x"),
    ("sy.confusion([1], [1, 2])", "truth has 1 labels"),
    ("sy.confusion([], [])", "no rows"),
    ("sy.confusion([1], [2], [1])", "not among labels"),
    ("sy.sweep([1, 1], [0.5, 0.6], 1)", "of others"),
    ("sy.sweep([1, 0], [0.5, 'x'], 1)", "scores are numbers"),
    ("sy.bestThreshold([1, 0], [1, 0], { positive: 1, maximise: 'prevalence' })", "cannot say"),
    ("sy.interval('gmean', [[0, 0], [0, 0]])", "no examples"),
    ("sy.interval('gmean', [[1, 0], [0, 1]], { level: 2 })", "between 0 and 1"),
    ("sy.interval('gmean', [[1, 0], [0, 1]], { draws: 5 })", "from 100 to"),
    ("sy.interval('gmean', [[1, 0], [0, 1]], { seed: -1 })", "seed"),
    ("sy.interval('gmean', [[1, 0], [0, 1]], { design: 'x' })", "design"),
    ("sy.interval('gmean', [[1, 0], [0, 1]], { priors: [1] })", "one number for each class"),
    ("sy.differences([1], [1, 2], [1])", "1, 2 and 1 labels"),
]


@functools.cache
def answers() -> dict[str, Any]:
    """What each of the calls answers, or its error: Node is started once for all of them."""
    tried = (
        f"{json.dumps(call)}: (() => {{ try {{ return {call}; }} catch (error) {{ return error.message; }} }})()"
        for call, _ in REFUSED
    )
    return dict(run(f"return {{ {', '.join(tried)} }}"))


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_refused(call: str, message: str) -> None:
    assert message in answers()[call]


def test_npm_packs_three_files(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm here")
    done = subprocess.run(
        [npm, "pack", "--json", "--pack-destination", str(tmp_path)],
        cwd=PACKAGE,
        capture_output=True,
        text=True,
        check=True,
    )
    (packed,) = json.loads(done.stdout)
    assert {entry["path"] for entry in packed["files"]} == {
        "README.md",
        "index.d.ts",
        "index.js",
        "package.json",
    }
    assert list(tmp_path.glob("steelyard-core-*.tgz"))
