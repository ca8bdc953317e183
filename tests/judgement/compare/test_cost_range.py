"""Models over a range of costs: where the cheaper one changes, by hand, and bands that hold everywhere at once."""

from __future__ import annotations

import json

import numpy as np
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.counts.joint import JointCounts
from steelyard.judgement.compare.ranges import compare_over_costs
from steelyard.measures.costs import costs_for
from steelyard.uncertainty.resampling import Simulation
from tests import simulated
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")


def columns(found, alarms, positives=100, negatives=900):
    """Predictions that find so many of the frauds and raise so many false alarms."""
    return (
        ["fraud"] * found + ["ok"] * (positives - found) + ["fraud"] * alarms + ["ok"] * (negatives - alarms)
    )


TRUTH = ["fraud"] * 100 + ["ok"] * 900
BOLD, SHY = columns(85, 60), columns(70, 15)


def test_they_change_places_where_arithmetic_says():
    # 15 misses more against 45 false alarms more: equal where a miss costs 3 false alarms
    result = sy.compare({"bold": BOLD, "shy": SHY}, TRUTH, positive="fraud", cost="fraud>ok=40, ok>fraud=4")
    found = result.over_costs
    assert found.said == 10
    (pair,) = found.pairs
    assert pair.flips == pytest.approx((3.0,))
    by_hand = 4 * (found.at * 15 - 45) / 1000
    np.testing.assert_allclose(pair.difference, by_hand, atol=1e-12)
    ((low, high),) = pair.ranges("bold")
    assert 3 < low < 10 < high
    assert pair.ranges("shy")[0][1] < 3
    assert result.by.id == "expected_cost"
    assert result.best[result.by.name] == ("bold",)
    assert 'shy is cheaper than bold if missing one "fraud" costs less than 3 times' in repr(result)
    fits(json.loads(json.dumps(result.to_dict())), BY_COMMAND["compare"])


def test_one_that_is_cheaper_at_every_cost():
    result = sy.compare(
        {"bold": BOLD, "poor": columns(60, 200)}, TRUTH, positive="fraud", cost="fraud>ok=40, ok>fraud=4"
    )
    assert result.over_costs.pairs[0].dominates == "bold"
    assert "bold is significantly cheaper than poor at every ratio of the two costs" in repr(result)


def test_a_range_that_was_said_and_many_classes():
    truth = ["a"] * 40 + ["b"] * 60 + ["c"] * 100
    one = ["a"] * 30 + ["c"] * 10 + ["b"] * 60 + ["c"] * 80 + ["a"] * 20
    two = ["a"] * 20 + ["c"] * 20 + ["b"] * 60 + ["c"] * 95 + ["a"] * 5
    # 10 x k(a>c) less against 15 x 2 more: equal at 3
    result = sy.compare({"one": one, "two": two}, truth, cost="a>c=1..9, c>a=2, *>*=1")
    (pair,) = result.over_costs.pairs
    assert float(result.over_costs.costs.at(pair.flips[0]).fixed[0, 2]) == pytest.approx(3, rel=1e-3)
    assert "two is cheaper than one up to a>c=3" in repr(result)
    assert sy.compare({"one": one, "two": two}, truth, cost="*>*=1").over_costs is None


@simulated.sets(60, 200)
def test_sets_of_ratios_that_are_called_sure_are_so(sets):
    """Two models of known rates, equal at a ratio of 4: of 200 comparisons at nominal 95% at most 20 call the
    wrong one surely cheaper at any ratio."""
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(sets):
        fraud = rng.random(1500) < 0.1
        luck = rng.random(1500)
        bold = np.where(fraud, luck < 0.9, luck < 0.18)
        shy = np.where(fraud, luck < 0.7, luck < 0.18 - 0.8 / 9)
        names = [np.where(part, "fraud", "ok") for part in (fraud, bold, shy)]
        joint = JointCounts.from_columns(names[0], {"bold": names[1], "shy": names[2]})
        costs = costs_for("fraud>ok=4, ok>fraud=1", joint.labels)
        found = compare_over_costs(joint, costs, Simulation(400, positive="fraud"))
        assert found is not None
        (pair,) = found.pairs
        wrong += bool((pair.low[found.at < 4] > 0).any() or (pair.high[found.at > 4] < 0).any())
    assert wrong <= simulated.most(sets, 0.05)


def test_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "p.csv"
    rows = "".join(f"{y},{a},{b}\n" for y, a, b in zip(TRUTH, BOLD, SHY, strict=True))
    path.write_text(f"y,bold,shy\n{rows}", encoding="utf-8")
    asked = ["compare", str(path), "--truth", "y", "--pred", "bold", "--pred", "shy", "--draws", "1000"]
    assert main([*asked, "--cost", "fraud>ok=40, ok>fraud=4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cost_range"]["pairs"][0]["flips"] == pytest.approx([3.0])
    assert main([*asked, "--cost", "fraud>ok=amount, ok>fraud=4"]) == 2
    assert "there is no column 'amount'" in capsys.readouterr().err
    assert main([*asked, "--cost", "fraud>ok=4, ok>fraud=4", "--by", "gmean"]) == 2
    assert "one metric ranks the models; found --by beside --cost" in capsys.readouterr().err
