"""Warnings of the first screen: no skill shown, scores that are no probabilities; the no-skill value of a cost."""

import numpy as np

import steelyard as sy

CELLS = [[91, 9], [419, 3481]]


def labels(cells):
    pairs = [("fraud", "fraud"), ("fraud", "ok"), ("ok", "fraud"), ("ok", "ok")]
    rows = [pair for pair, n in zip(pairs, [n for row in cells for n in row], strict=True) for _ in range(n)]
    return [truth for truth, _ in rows], [predicted for _, predicted in rows]


def whats(result):
    return " ".join(finding.what for finding in result.findings)


def test_a_classifier_that_guesses_is_said_to_show_no_skill():
    guessing = sy.evaluate(sy.Confusion([[5, 45], [100, 850]], labels=["fraud", "ok"]), positive="fraud")
    assert "than a no-skill prediction" in whats(guessing)
    assert "than a no-skill prediction" in repr(guessing)
    good = sy.evaluate(sy.Confusion(CELLS, labels=["fraud", "ok"]), positive="fraud")
    assert "no-skill prediction" not in whats(good)


def test_the_no_skill_cost_is_that_of_the_cheapest_constant():
    matrix = sy.Confusion(CELLS, labels=["fraud", "ok"])
    result = sy.evaluate(matrix, positive="fraud", cost="fraud>ok=200, ok>fraud=4")
    row = next(row for row in result.first if row.measure.id == "expected_cost")
    # Always "fraud": 3,900 false alarms of 4; always "ok": 100 misses of 200.
    assert row.baseline.value == min(3900 * 4, 100 * 200) / 4000
    assert row.baseline.words == "always predicting fraud"


def test_scores_far_from_frequencies_are_a_finding_and_calibrated_ones_are_not():
    # In each bin of 100 rows as many are positive as the score says, and in the other set a third of them.
    scores = [s / 10 + 0.05 for s in range(10) for _ in range(100)]
    calibrated = ["fraud" if k % 100 < 10 * (k // 100) + 5 else "ok" for k in range(1000)]
    exaggerated = ["fraud" if k % 100 < (10 * (k // 100) + 5) / 3 else "ok" for k in range(1000)]
    how = {"score": scores, "threshold": 0.5, "positive": "fraud"}
    assert "not calibrated" not in whats(sy.evaluate(calibrated, **how))
    assert "not calibrated probabilities" in whats(sy.evaluate(exaggerated, **how))


def test_the_cautious_interval_of_the_gmean_is_named_on_every_surface():
    """Twelve classes of ten rows: decision 46 measured that this interval is wider than it need be."""
    counts = 8 * np.eye(12, dtype=int) + 2 * np.roll(np.eye(12, dtype=int), 1, axis=1)
    result = sy.evaluate(sy.Confusion(counts), draws=200)
    words = "The confidence interval of G-mean is cautious (wide)"
    assert words in " ".join(repr(result).split())
    assert words in result.to_html()
