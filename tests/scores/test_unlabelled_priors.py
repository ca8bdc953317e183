"""Priors of unlabelled data: hand arithmetic, coverage, the warning, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.scores.dataset_shift import label_shift_p_value
from steelyard.scores.prior_shift import (
    Cells,
    corrected,
    most_likely_share,
    nearest_mixture,
    nearest_shares,
    readings_of_scores,
)
from steelyard.scores.unlabelled_priors import _of_few, by_counting, by_em, cells_of_scores
from tests.schemas import fits

pytestmark = pytest.mark.usefixtures("few_samples")


def labelled(rows):
    """Columns of truth and prediction with this matrix, by class name."""
    truth, called = [], []
    for actual, counts in rows.items():
        for predicted, n in counts.items():
            truth += [actual] * n
            called += [predicted] * n
    return truth, called


def test_two_classes_are_the_inverse_of_the_matrix():
    truth, called = labelled({"fraud": {"fraud": 80, "ok": 20}, "ok": {"fraud": 90, "ok": 810}})
    found = sy.estimate_priors(truth, called, unlabelled=["fraud"] * 310 + ["ok"] * 690)
    # (0.31 - 0.1) / (0.8 - 0.1)
    assert found.best.shares[0] == pytest.approx(0.3)
    assert found.best.low[0] < 0.3 < found.best.high[0]
    assert found.best.shares.sum() == pytest.approx(1)


def test_three_classes_are_the_inverse_of_the_matrix():
    rates = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])
    shares = np.array([0.2, 0.3, 0.5])
    found, _ = nearest_mixture(rates * 1000, shares @ rates * 5000)
    assert found == pytest.approx(shares)


def test_shares_stay_in_the_simplex():
    # Fewer alarms than even a world without fraud would raise: the nearest mixture has none.
    found, _ = nearest_mixture(np.array([[80.0, 20.0], [90.0, 810.0]]), np.array([10.0, 990.0]))
    assert found.tolist() == [0, 1]
    assert nearest_shares(np.array([[1.2, -0.2], [0.5, 0.5]])).tolist() == [[1, 0], [0.5, 0.5]]


def test_corrected_probabilities_by_hand():
    # saerens2002 Eq. 2.4: 0.5 at even priors, at 1 to 9: 0.5 * 0.2 / (0.5 * 0.2 + 0.5 * 1.8)
    assert corrected(np.array([0.5, 0.5]), [0.5, 0.5], [0.1, 0.9])[0] == pytest.approx(0.1)
    back = corrected(corrected(np.array([0.3, 0.7]), [0.5, 0.5], [0.1, 0.9]), [0.1, 0.9], [0.5, 0.5])
    assert back == pytest.approx([0.3, 0.7])


def two_normals(rng, share, rows, positives, negatives, apart=2.0):
    """Labelled scores of two classes, and unlabelled ones of which this share is positive."""
    many = rng.binomial(rows, share)
    score = np.r_[rng.normal(apart, 1, positives), rng.normal(0, 1, negatives)]
    truth = np.r_[np.ones(positives, int), np.zeros(negatives, int)]
    seen = np.r_[rng.normal(apart, 1, many), rng.normal(0, 1, rows - many)]
    return ScoreCounts.from_scores(truth, score, 1), Ties.of(seen), seen


@pytest.mark.parametrize(
    ("share", "rows", "positives", "negatives"), [(0.005, 5000, 30, 3000), (0.1, 1000, 30, 30)]
)
def test_intervals_cover(share, rows, positives, negatives):
    """Of 60 intervals at 95% at least 48 cover: fewer have a probability below 1e-3 if they do so 93% of the time.
    docs/how-to/unlabelled.md has the study with many more."""
    rng = np.random.default_rng(7)
    covered = np.zeros(3)
    for _ in range(60):
        scores, ties, seen = two_normals(rng, share, rows, positives, negatives)
        pair = scores.ranked()
        sides = [(t.scores >= 1).sum() for t in (pair.positives, pair.negatives)]
        table = np.array([[sides[0], positives - sides[0]], [sides[1], negatives - sides[1]]], dtype=float)
        called = float((seen >= 1).sum())
        counted = by_counting(Cells(table, np.array([called, rows - called])), 0.95, 500, rng)[0]
        matched = by_counting(cells_of_scores(scores, ties)[0], 0.95, 500, rng)[0]
        likely = by_em(scores, ties, 0.95, 500, rng)
        covered += [bool(found.low[0] <= share <= found.high[0]) for found in (counted, matched, likely)]
    assert covered.min() >= 48


def test_three_classes_cover():
    rng = np.random.default_rng(3)
    rates = np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.02, 0.03, 0.95]])
    shares = np.array([0.02, 0.28, 0.7])
    covered = np.zeros(3)
    for _ in range(150):
        table = np.stack([rng.multinomial(n, rate) for n, rate in zip((30, 60, 300), rates, strict=True)])
        seen = rng.multinomial(3000, shares @ rates)
        found = by_counting(Cells(table.astype(float), seen.astype(float)), 0.95, 1000, rng)[0]
        covered += (found.low <= shares) & (shares <= found.high)
    assert covered.min() >= 130


def test_the_warning_is_rare_where_label_shift_holds_and_comes_where_it_does_not():
    rng = np.random.default_rng(1)
    holds, fails = [], []
    for _ in range(30):
        scores, ties, seen = two_normals(rng, 0.1, 2000, 200, 1000)
        holds.append(label_shift_p_value(cells_of_scores(scores, ties, 200)[0], ordered=True))
        moved = Ties.of(seen * 0.5 + 1.0)  # both classes moved to the middle
        fails.append(label_shift_p_value(cells_of_scores(scores, moved, 200)[0], ordered=True))
    assert np.mean(np.array(holds) < 0.05) <= 0.2  # 6 of 30; 7 have a probability below 1e-3 at 5%
    assert np.mean(np.array(fails) < 0.01) == 1


def test_labels_alone_warn_where_no_shares_are_possible():
    truth, called = labelled({"fraud": {"fraud": 80, "ok": 20}, "ok": {"fraud": 90, "ok": 810}})
    found = sy.estimate_priors(truth, called, unlabelled=["fraud"] * 10 + ["ok"] * 990)
    assert not found.fits
    assert "Label shift is rejected" in repr(found)
    assert "%" not in repr(found)  # no figure that was rejected
    answer = found.to_dict()
    assert answer["priors"] is None
    assert answer["estimates"] == []
    assert len(answer["rejected_estimates"]) == 2


def test_a_class_without_labelled_examples_is_refused():
    truth, called = labelled({"ham": {"ham": 50, "spam": 5}, "spam": {"ham": 5, "spam": 50}})
    with pytest.raises(
        sy.InputError, match="class 'phishing' is predicted in the unlabelled rows and has no"
    ):
        sy.estimate_priors(truth, called, unlabelled=["ham", "phishing"])


def test_few_labelled_examples_are_said():
    truth, called = labelled({"a": {"a": 10, "b": 2}, "b": {"a": 5, "b": 95}})
    assert "Fewer than 30 labelled" in " ".join(
        sy.estimate_priors(truth, called, unlabelled=["a", "b"]).notes
    )


def test_scores_in_memory_and_missing_ones():
    rng = np.random.default_rng(2)
    y_true = np.r_[np.ones(100, int), np.zeros(400, int)]
    score = np.r_[rng.beta(4, 2, 100), rng.beta(2, 5, 400)]
    unlabelled = np.r_[rng.beta(4, 2, 90), rng.beta(2, 5, 210), np.nan]
    with pytest.raises(sy.InputError, match="some scores of the unlabelled rows are missing"):
        sy.estimate_priors(y_true, score=score, unlabelled=unlabelled, positive=1)
    found = sy.estimate_priors(y_true, score=score, unlabelled=unlabelled, positive=1, missing="drop")
    assert [e.method for e in found.estimates] == ["adjusted counting", "EM", "distribution matching"]
    for estimate in found.estimates:
        assert estimate.low[0] < 0.3 < estimate.high[0]


def test_scores_that_say_nothing_are_refused():
    with pytest.raises(sy.InputError, match="the scores do not separate the classes"):
        sy.estimate_priors([0, 1, 0, 1], score=[0.5] * 4, unlabelled=[0.5, 0.5], positive=1)


def test_binary_scores_are_counted():
    truth = [1] * 50 + [0] * 950
    score = [1.0] * 20 + [0.0] * 30 + [1.0] * 19 + [0.0] * 931
    found = sy.estimate_priors(truth, score=score, unlabelled=[1.0] * 60 + [0.0] * 940, positive=1)
    assert found.best.shares[0] == pytest.approx((0.06 - 0.02) / (0.4 - 0.02))


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(5)

    def write(path, positives, negatives):
        rows = [("fraud", s) for s in rng.beta(5, 2, positives)] + [
            ("ok", s) for s in rng.beta(2, 6, negatives)
        ]
        lines = [f"{y},{'fraud' if s >= 0.5 else 'ok'},{s:.5f}" for y, s in rows]
        path.write_text("y,yhat,p\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return str(path)

    return write(tmp_path / "labelled.csv", 200, 800), write(tmp_path / "production.csv", 60, 1940)


@pytest.mark.parametrize("columns", [["--pred", "yhat"], ["--score", "p"]])
def test_the_command(files, capsys, columns):

    from tests.schemas import BY_COMMAND

    given = ["priors", files[0], "--unlabelled", files[1], "--truth", "y", *columns, "--positive", "fraud"]
    assert main([*given, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    fits(data, BY_COMMAND["priors"])
    for row in data["estimates"]:
        if row["label"] == "fraud":
            assert row["low"] < 0.03 < row["high"]
    assert main(given) == 0
    assert 'of the unlabelled rows are "fraud"' in capsys.readouterr().out


def test_one_way_at_a_time(files, capsys):
    given = ["priors", files[0], "--unlabelled", files[1], "--truth", "y", "--pred", "yhat", "--score", "p"]
    assert main(given) == 2
    assert "priors are estimated from predictions or from scores" in capsys.readouterr().err


@pytest.mark.parametrize("columns", [{"pred": "yhat"}, {"score": "p", "threshold": 0.5}])
def test_an_evaluation_in_production(files, columns):

    from tests.schemas import BY_COMMAND

    result = sy.evaluate(files[0], truth="y", positive="fraud", production=files[1], **columns)
    fits(result.to_dict(), BY_COMMAND["evaluate"])
    own = sy.evaluate(files[1], truth="y", positive="fraud", interval=None, **columns)
    for row in result.production.rows:  # what a labelled production would have said
        assert row.low <= own.weighing[row.measure.name].value <= row.high, row
    share = result.production.priors.by_label()["fraud"]
    in_production = sy.measure("precision").at_priors({"fraud": share, "ok": 1 - share})
    precision = next(row for row in result.production.rows if row.measure.id == "precision")
    assert precision.value == pytest.approx(in_production(result.matrix, positive="fraud"))
    assert "In production about" in repr(result)


def test_production_intervals_cover():
    """Precision in production, where shares and rates are both estimated: of 100 intervals at 95% at least 83 cover."""
    rng = np.random.default_rng(11)
    covered, labels = 0, ["fraud", "ok"]
    true = 0.02 * 0.8 / (0.02 * 0.8 + 0.98 * 0.05)
    for _ in range(100):
        hits, alarms = rng.binomial(60, 0.8), rng.binomial(500, 0.05)
        called = rng.binomial(4000, 0.02 * 0.8 + 0.98 * 0.05)
        table = np.array([[hits, 60.0 - hits], [alarms, 500.0 - alarms]])
        _, drawn = by_counting(Cells(table, np.array([called, 4000.0 - called])), 0.95, 1000, rng)
        matrices = sy.Confusion(drawn.drawn_shares[:, :, None] * drawn.drawn_rates, labels)
        low, high = np.quantile(sy.measure("precision")(matrices, positive="fraud"), (0.025, 0.975))
        covered += low <= true <= high
    assert covered >= 83


def test_priors_are_given_or_estimated():
    with pytest.raises(sy.InputError, match="priors are given or estimated"):
        sy.evaluate([[9, 1], [1, 9]], priors=0.1, production=["a"])


def test_intervals_know_how_few_examples_they_rest_on() -> None:
    """Quantiles at 97.5% of Student's t with 29 and 299 degrees of freedom are 2.0452 and 1.9679 (tables), 1.9600 of the normal."""
    assert _of_few(30, 0.95) == pytest.approx(2.0452 / 1.9600, abs=2e-4)
    assert _of_few(300, 0.95) == pytest.approx(1.9679 / 1.9600, abs=1e-4)


def rows_with_probabilities(shift=0.0, sharper=1.0, rows=600):
    """Probabilities that are right, then moved in log-odds; both classes as (scores, counts)."""
    rng = np.random.default_rng(8)
    log_odds = rng.normal(0, 1.5, rows)
    truth = rng.random(rows) < 1 / (1 + np.exp(-log_odds))
    given = 1 / (1 + np.exp(-(sharper * log_odds + shift)))
    return [(given[side], np.ones(int(side.sum()))) for side in (truth, ~truth)]


@pytest.mark.parametrize(("shift", "sharper", "place"), [(0, 1, 0), (1.5, 1, 1), (0, 3, 2)])
def test_probabilities_are_believed_until_the_labelled_rows_speak_against_them(shift, sharper, place):
    weights = [one.weight for one in readings_of_scores(*rows_with_probabilities(shift, sharper), True)]
    assert sum(weights) == pytest.approx(1)
    assert weights[place] > 0.85


def test_readings_are_weighed_by_their_likelihood():
    """The offset found by SciPy, the likelihoods written out, half the logarithm of 2 n+ n- / n for one number."""
    from scipy.optimize import brentq

    (positives, one), (negatives, other) = rows_with_probabilities(0.3)
    z = np.log(np.r_[positives, negatives]) - np.log1p(-np.r_[positives, negatives])
    y = np.r_[one, 0 * other]
    offset = brentq(lambda a: (1 / (1 + np.exp(-z - a)) - y).sum(), -5, 5)
    likelihoods = [(y * (z + a) - np.logaddexp(0, z + a)).sum() for a in (0, offset)]
    examples = 2 * len(one) * len(other) / len(y)
    as_given, moved, _ = readings_of_scores((positives, one), (negatives, other), True)
    expected = np.exp(likelihoods[1] - likelihoods[0]) / np.sqrt(examples)
    assert moved.weight / as_given.weight == pytest.approx(expected, rel=1e-6)
    at = np.log(len(one) / len(other))
    assert moved.log_ratio(np.array([0.5]))[0] == pytest.approx(offset - at, abs=1e-6)


def test_bins_part_classes_that_are_apart_whatever_scores_are_shared():
    """Of 400 negatives 350 have a score of 0, and positives begin above all of them."""
    scores = np.r_[np.linspace(0.6, 1, 40), np.zeros(350), np.linspace(0.01, 0.5, 50)]
    truth = np.r_[np.ones(40, int), np.zeros(400, int)]
    counted = ScoreCounts.from_scores(truth, scores, 1)
    for bins in (2, None):
        cells, _ = cells_of_scores(counted, Ties.of(np.r_[0.0, 0.7, 0.9, 0.95]), bins)
        assert not (cells.labelled > 0).all(axis=0).any()
        assert nearest_mixture(cells.labelled, cells.unlabelled)[0][0] == pytest.approx(0.75, abs=0.01)


def test_the_most_likely_share_is_where_the_slope_is_nothing():
    """Two rows with likelihood ratios 4 and 1/2: 3 / (1 + 3 s) = (1/2) / (1 - s / 2), so s = 5/6."""
    assert most_likely_share(np.array([[4.0, 1.0], [0.5, 1.0]]), np.ones(2)) == pytest.approx(5 / 6)
    assert most_likely_share(np.array([[4.0, 1.0]]), np.ones(1)) == 1
    assert most_likely_share(np.array([[0.5, 1.0]]), np.ones(1)) == 0


def test_the_most_likely_share_is_found_where_rows_say_little():
    """Likelihood ratios 1 + 1/1000 and 1 - 2/2003: the slope is nothing at -(1/1000 - 2/2003) / (2 * 1/1000 * -2/2003) = 3/4."""
    rows = np.array([[1 + 1 / 1000, 1.0], [1 - 2 / 2003, 1.0]])
    assert most_likely_share(rows, np.ones(2)) == pytest.approx(3 / 4, abs=1e-6)


def test_where_scores_begin_does_not_matter():
    """Scores that are no probabilities are read by a curve through the labelled rows, which moves with them."""
    counted, ties, seen = two_normals(np.random.default_rng(9), 0.2, 400, 60, 200)
    pair = counted.ranked()
    least = min(float(side.scores.min()) for side in (pair.positives, pair.negatives, ties))
    score = np.concatenate([np.repeat(side.scores, side.counts) for side in (pair.positives, pair.negatives)])
    moved = ScoreCounts.from_scores(np.repeat([1, 0], [60, 200]), score - least, 1)
    share = by_em(counted, ties, 0.95, 200, np.random.default_rng(1)).shares[0]
    from_0 = by_em(moved, Ties.of(seen - least), 0.95, 200, np.random.default_rng(1)).shares[0]
    assert from_0 == pytest.approx(share, abs=1e-6)


def test_methods_that_disagree_are_commented() -> None:
    """Adjusted counting gives 2.8% (1.2% to 4.5%) of the payments, the best method 1.0% (0.2% to 1.9%)."""
    how = {"truth": "y", "score": "p", "positive": "fraud"}
    result = sy.priors(
        "examples/data/payments.csv", unlabelled="examples/data/payments_production.csv", **how
    )
    counting, *others = result.estimates
    assert "adjusted counting gives 2.8%; rely on distribution matching" in " ".join(repr(result).split())
    far = replace(counting, low=counting.low + 0.01)  # 2.2% and more
    apart = replace(result, estimates=(far, *others))
    assert "the intervals do not overlap" in " ".join(repr(apart).split())
    agreeing = replace(result, estimates=tuple(others))
    assert "disagree" not in repr(agreeing)
