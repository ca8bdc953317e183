"""Models over a range of class shares: where they change places, by hand, and bands that hold everywhere at once."""

from __future__ import annotations

import json

import numpy as np
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.counts.joint import JointCounts
from steelyard.judgement.compare.ranges import compare_over_shares
from steelyard.uncertainty.resampling import Simulation
from tests.schemas import fits

pytestmark = pytest.mark.usefixtures("few_samples")


def columns(found, alarms, positives=100, negatives=900):
    """Predictions that find so many of the frauds and raise so many false alarms."""
    return (
        ["fraud"] * found + ["ok"] * (positives - found) + ["fraud"] * alarms + ["ok"] * (negatives - alarms)
    )


TRUTH = ["fraud"] * 100 + ["ok"] * 900
BOLD, SHY = columns(85, 40), columns(70, 25)


def test_they_change_places_where_arithmetic_says():
    # F1 = 2 p T / (p T + p + (1 - p) F), equal where p / (1 - p) = (T2 F1 - T1 F2) / (T1 - T2) = 0.05
    result = sy.compare(
        {"bold": BOLD, "shy": SHY}, TRUTH, positive="fraud", priors_range={"fraud": (0.001, 0.3)}
    )
    (pair,) = result.over_shares.pairs
    assert pair.flips == pytest.approx((0.05 / 1.05,), rel=1e-2)
    at = result.over_shares.shares
    t, f = 0.85, 40 / 900
    by_hand = 2 * at * t / (at * t + at + (1 - at) * f)
    t, f = 0.70, 25 / 900
    by_hand -= 2 * at * t / (at * t + at + (1 - at) * f)
    np.testing.assert_allclose(pair.difference, by_hand, atol=1e-12)
    assert pair.dominates is None
    assert pair.probability_better[0] < 0.5 < pair.probability_better[-1]
    assert "shy is better by F1 than bold below a prevalence of 4.8%" in repr(result)


def test_one_that_is_better_everywhere_dominates():
    poor = columns(60, 120)
    result = sy.compare(
        {"bold": BOLD, "poor": poor}, TRUTH, positive="fraud", priors_range={"fraud": (0.01, 0.3)}
    )
    assert result.over_shares.pairs[0].dominates == "bold"
    assert "bold is significantly better by F1 than poor at every prevalence of the range" in repr(result)


def test_a_measure_that_does_not_depend_on_the_share_says_so():
    given = {"bold": BOLD, "shy": SHY}
    result = sy.compare(given, TRUTH, by="gmean", positive="fraud", priors_range={"fraud": (0.01, 0.3)})
    assert not result.over_shares.depends
    assert "does not depend on prevalence" in repr(result)


def test_of_errors_fewer_are_better():
    given = {"bold": BOLD, "shy": SHY}
    result = sy.compare(given, TRUTH, by="error_rate", positive="fraud", priors_range={"fraud": (0.5, 0.9)})
    assert (result.over_shares.pairs[0].difference > 0).all()


def test_the_band_holds_everywhere_at_once():
    """Two models whose rates are known, 60 times: the band of 90 % misses the truth somewhere at most 14 times."""
    rng = np.random.default_rng(0)
    rates = ((0.8, 0.06), (0.7, 0.03))
    missed = 0
    for _ in range(60):
        called = {
            name: np.r_[rng.random(80) < t, rng.random(600) < f].astype(int)
            for name, (t, f) in zip("ab", rates, strict=True)
        }
        joint = JointCounts.from_columns([1] * 80 + [0] * 600, called)
        how = Simulation(400, level=0.9, positive=1)
        found = compare_over_shares(joint, sy.measure("f_beta"), {1: (0.005, 0.3)}, how)
        at = found.shares
        one, two = (2 * at * t / (at * t + at + (1 - at) * f) for t, f in rates)
        missed += bool(((one - two < found.pairs[0].low) | (one - two > found.pairs[0].high)).any())
    assert missed <= 14


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("fraud=0.1", "the range of prevalences is not understood"),
        ("fraud=a..b", "the range of prevalences is not understood"),
        ("fraud=0.2..0.1", "the range of prevalences is not usable"),
        ("spam=0.1..0.2", "there is no class 'spam'"),
    ],
)
def test_what_is_refused(tmp_path, capsys, given, words):
    path = tmp_path / "two.csv"
    path.write_text("y,a,b\nfraud,fraud,ok\nok,ok,ok\nfraud,fraud,fraud\nok,fraud,ok\n", encoding="utf-8")
    arguments = ["compare", str(path), "--truth", "y", "--pred", "a", "--pred", "b", "--positive", "fraud"]
    assert main([*arguments, "--priors-range", given]) == 2
    assert words in capsys.readouterr().err


def test_the_schema_holds(tmp_path, capsys):

    from tests.schemas import BY_COMMAND

    path = tmp_path / "two.csv"
    rows = "\n".join(",".join(row) for row in zip(TRUTH, BOLD, SHY, strict=True))
    path.write_text(f"y,a,b\n{rows}\n", encoding="utf-8")
    arguments = ["compare", str(path), "--truth", "y", "--pred", "a", "--pred", "b", "--positive", "fraud"]
    assert main([*arguments, "--priors-range", "fraud=0.001..0.1", "--json"]) == 0
    fits(json.loads(capsys.readouterr().out), BY_COMMAND["compare"])


def test_the_positive_class_is_one_at_every_share(recwarn):
    """Above one half the other class is the rarer one, and F1 would be that of another question."""
    models, asked = {"bold": BOLD, "shy": SHY}, {"fraud": (0.01, 0.9)}
    unsaid = sy.compare(models, TRUTH, priors_range=asked, draws=200)
    said = sy.compare(models, TRUTH, priors_range=asked, draws=200, positive="fraud")
    np.testing.assert_array_equal(
        unsaid.over_shares.pairs[0].difference, said.over_shares.pairs[0].difference
    )
    at = unsaid.over_shares.shares
    by_hand = [2 * at * t / (at * t + at + (1 - at) * f) for t, f in ((0.85, 40 / 900), (0.70, 25 / 900))]
    np.testing.assert_allclose(unsaid.over_shares.pairs[0].difference, by_hand[0] - by_hand[1], atol=1e-12)
    (note,) = [note for note in unsaid.notes if "is the positive class" in note]
    assert "fraud" in note
    assert "rarer" in note
    assert not [one for one in recwarn if "positive class" in str(one.message)]
